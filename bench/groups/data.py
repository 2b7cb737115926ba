#!/usr/bin/env python3
"""data.py SEED RUNS KEYS: counts of KEYS stacks in RUNS runs, the same on every machine.

One line a run: its number, 0 or 1 for the group (the second half of the runs is the second group), the counts as an
array. No count is 0. Two causes move all stacks together, each stack by an amount of its own, so that the counts are
correlated; in the second group every eighth stack has a twentieth more.
"""
import random
import sys

seed, runs, keys = (int(a) for a in sys.argv[1:])
uniform = random.Random(seed).random  # the Mersenne Twister's sequence is part of Python's promises


def noise():
    """Nearly normal, with integer arithmetic and one rounding each."""
    return (uniform() + uniform() + uniform() + uniform() - 2) * 3 ** 0.5


means = [20 + 400 / (1 + k % 97) for k in range(keys)]
spread = [mean ** 0.5 for mean in means]
loads = [(0.1 * noise(), 0.1 * noise()) for _ in range(keys)]
for run in range(runs):
    group = run * 2 // runs
    a, b = noise(), noise()
    counts = []
    for k, mean in enumerate(means):
        expected = mean * (1 + a * loads[k][0] + b * loads[k][1] + (0.05 if group and k % 8 == 0 else 0))
        counts.append(max(1, round(expected + spread[k] * noise())))
    print(run + 1, group, "{" + ",".join(map(str, counts)) + "}", sep="\t")
