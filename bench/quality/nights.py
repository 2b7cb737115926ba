#!/usr/bin/python3
"""Nights of many benchmarks, drawn from recordings in which nothing changes, as COPY data for bench/quality/noise.sql.

    nights.py SEED BENCHMARKS NIGHTS EFFECT [whole] < POOL

POOL has a line of JSON for each recording: the program (source and kind) and its night, then lists: functions that may grow,
number of the stack, number of its last function, samples, values, noise. A benchmark is one of the programs. Trend and
season are up to 5 % over all nights and a week of up to 10 %.
A night is three of all its recordings, drawn anew, of which only some samples are kept, 80 % and what trend and season leave.
With "whole" it is a recorded night with all its repetitions, none that is among the ten before, and no sample is lost: where
trend and season ask for more, they come from another recording of the program.
EFFECT: in the last night of each benchmark one of its functions that may grow has more samples, by this fraction of all.

Written: benchmark, night, repetition, program, function that grew, and arrays: stacks, samples, values, noise.
"""

import json
import math
import sys
import zlib

import numpy

REPETITIONS = 3


def read_pool(lines):
    """Of each program: its name, functions that may grow, recordings, and which of these each night has."""
    pool = {}
    for line in lines:
        program, night, medium, *columns = json.loads(line)
        _, recordings, nights = pool.setdefault(program, (medium, [], {}))
        nights.setdefault(night, []).append(len(recordings))
        recordings.append([numpy.array(column, dtype=float) for column in columns])
    return [(program, *pool[program]) for program in sorted(pool)]


def kept_share(rng, nights):
    """By how much trend and season change the number of samples."""
    at = numpy.arange(nights)
    trend = rng.uniform(-0.05, 0.05) * at / nights
    season = rng.uniform(0, 0.1) * numpy.sin(2 * math.pi * (at / 7 + rng.uniform()))
    return 1 + trend + season


def draw_recording(rng, recording, share):
    """Of each stack: its last function, samples, value, noise."""
    kept = {}
    for stack, leaf, samples, value, noise in zip(*recording):
        left = rng.binomial(int(samples), share)
        if left > 0:
            kept[int(stack)] = [int(leaf), left, value * left / samples, noise * left / samples]
    return kept


def sum_of(recording, other):
    for stack, (leaf, samples, value, noise) in other.items():
        row = recording.setdefault(stack, [leaf, 0, 0.0, 0.0])
        row[1:] = row[1] + samples, row[2] + value, row[3] + noise
    return recording


def draw_whole(rng, recordings, nights, shares):
    """A recorded night for each share, as many samples as that says."""
    before = []
    for share in shares:
        night = rng.choice([n for n in sorted(nights) if n not in before[-10:]])
        before.append(night)
        yield [sum_of(draw_recording(rng, recordings[number], min(share, 1)),
                      draw_recording(rng, recordings[rng.integers(len(recordings))], max(share - 1, 0)))
               for number in nights[night]]


def draw_repetitions(rng, recordings, shares):
    for share in shares:
        yield [draw_recording(rng, recordings[number], 0.8 * share)
               for number in rng.integers(len(recordings), size=REPETITIONS)]


def stacks_of(recordings, leaf):
    """The stacks that end in a function, with their share of its samples in all recordings."""
    share = {}
    for stacks, leaves, samples, _, _ in recordings:
        for at in numpy.flatnonzero(leaves == leaf):
            share[int(stacks[at])] = share.get(int(stacks[at]), 0) + samples[at]
    everything = sum(share.values())
    return {stack: n / everything for stack, n in share.items()}


def slow_down(rng, night, recordings, medium, effect):
    """In each repetition alike. Of ordinary weight are most samples: that is the median."""
    leaf = rng.choice(medium)
    rows = [row for recording in night for row in recording.values()]
    weight = numpy.median(numpy.repeat([row[2] / row[1] for row in rows], [row[1] for row in rows]))
    shares = stacks_of(recordings, leaf)
    for recording in night:
        everything = sum(row[1] for row in recording.values())
        for stack, share in shares.items():
            more = rng.poisson(effect * everything * share)
            if more > 0:
                row = recording.setdefault(stack, [int(leaf), 0, 0.0, 0.0])
                row[1:] = row[1] + more, row[2] + more * weight, row[3] + more * weight ** 2
    return leaf


def array(values):
    return "{" + ",".join(map(str, values)) + "}"


def main():
    seed, benchmarks, nights = map(int, sys.argv[1:4])
    effect = float(sys.argv[4])
    pool = read_pool(sys.stdin)
    rng = numpy.random.default_rng([seed, zlib.crc32(" ".join(sys.argv[2:]).encode())])
    for benchmark in range(1, benchmarks + 1):
        program, medium, recordings, recorded = pool[benchmark % len(pool)]
        shares = kept_share(rng, nights)
        drawn = draw_whole(rng, recordings, recorded, shares) if "whole" in sys.argv[5:] else draw_repetitions(rng, recordings, shares)
        for at, night in enumerate(drawn, 1):
            leaf = slow_down(rng, night, recordings, medium, effect) if effect > 0 and at == nights else r"\N"
            for repetition, recording in enumerate(night, 1):
                rows = list(recording.values())
                print(benchmark, at, repetition, program, leaf, array(recording), array(row[1] for row in rows),
                      array(f"{row[2]:.17g}" for row in rows), array(f"{row[3]:.17g}" for row in rows), sep="\t")


main()
