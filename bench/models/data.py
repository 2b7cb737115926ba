#!/usr/bin/env python3
"""data.py SEED N: N points as lines "x y", separated by tabs, the same on every machine.

x is uniform on (0, 1000), in no order. y is positive: a slow rise, a wave of period 250 and noise of standard deviation 2
that is nearly normal (a sum of four uniform numbers).
"""
import random
import sys

generator = random.Random(int(sys.argv[1]))
uniform = generator.random  # the Mersenne Twister's sequence is part of Python's promises
lines = []
for _ in range(int(sys.argv[2])):
    x = 1000 * (1 - uniform())
    # half waves made of parabolas: sin() differs between C libraries
    t = x / 125 % 2
    half = t if t < 1 else t - 1
    wave = 4 * half * (1 - half) if t < 1 else -4 * half * (1 - half)
    noise = (uniform() + uniform() + uniform() + uniform() - 2) * 12 ** 0.5
    lines.append(f"{x!r}\t{20 + x / 50 + 3 * wave + noise!r}\n")
sys.stdout.writelines(lines)
