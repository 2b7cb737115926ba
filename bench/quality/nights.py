#!/usr/bin/python3
"""Nights of many benchmarks, drawn from recordings in which nothing changes, as COPY data for bench/quality/noise.sql.

    nights.py SEED BENCHMARKS NIGHTS EFFECT < POOL

POOL has a line of JSON for each recording: the program (source and kind), then lists: functions that may grow, number of the stack,
number of its last
function, samples, values, noise. A benchmark is one of the programs. A night is three of its recordings, drawn anew,
of which only some samples are kept: as many as a trend of up to 5 % over all nights and a week of up to 10 % leave.
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
    pool = {}
    for line in lines:
        program, medium, *columns = json.loads(line)
        recordings = pool.setdefault(program, (medium, []))[1]
        recordings.append([numpy.array(column, dtype=float) for column in columns])
    return [(program, *pool[program]) for program in sorted(pool)]


def kept_share(rng, nights):
    """What fraction of the samples the nights keep: a trend and a season."""
    at = numpy.arange(nights)
    trend = rng.uniform(-0.05, 0.05) * at / nights
    season = rng.uniform(0, 0.1) * numpy.sin(2 * math.pi * (at / 7 + rng.uniform()))
    return 0.8 * (1 + trend + season)


def draw_recording(rng, recording, share):
    """Of each stack: its last function, samples, value, noise."""
    kept = {}
    for stack, leaf, samples, value, noise in zip(*recording):
        left = rng.binomial(int(samples), share)
        if left > 0:
            kept[int(stack)] = [int(leaf), left, value * left / samples, noise * left / samples]
    return kept


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
        program, medium, recordings = pool[benchmark % len(pool)]
        for at, share in enumerate(kept_share(rng, nights), 1):
            night = [draw_recording(rng, recordings[number], share) for number in rng.integers(len(recordings), size=REPETITIONS)]
            leaf = slow_down(rng, night, recordings, medium, effect) if effect > 0 and at == nights else r"\N"
            for repetition, recording in enumerate(night, 1):
                rows = list(recording.values())
                print(benchmark, at, repetition, program, leaf, array(recording), array(row[1] for row in rows),
                      array(f"{row[2]:.17g}" for row in rows), array(f"{row[3]:.17g}" for row in rows), sep="\t")


main()
