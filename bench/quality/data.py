#!/usr/bin/python3
"""Samples of profiles with a known truth, as COPY data for bench/quality/quality.sql.

    data.py sample SEED REPETITIONS RECORDING STACKS BEFORE AFTER [KEY=VALUE ...]
    data.py series SEED REPETITIONS STEP

sample: runs of a program before and after a change. RECORDING has a line of JSON for each stack of a recorded program, the
most frequent first: its value and its frames. The first STACKS of them are the program; a run's counts are Poisson numbers
around their shares of "samples". The change adds "effect", a fraction of all cost, to one subtree of the calling contexts:
that of any context, with less than half of the stacks, of any stack. Its stacks grow in proportion.

    samples=10000   of a run
    effect=0        of the change
    noise=0         coefficient of variation of each stack's mean from run to run (a gamma distribution)
    fixed=0         1: runs of fixed length, each with the same number of samples (multinomial)
    minority=0      1: the subtree also has less than half of the stacks with a mean of 5
    uniform=0       1: the context is drawn from all contexts, each as likely

series: 60 normal numbers, after the change STEP standard deviations higher; at least ten on either side.
"""

import json
import sys
import zlib

import numpy


def array(values):
    return "{" + ",".join(map(str, values)) + "}"


def contexts(paths):
    """The stacks at and below each context."""
    members = {}
    for number, path in enumerate(paths):
        for depth in range(1, len(path) + 1):
            members.setdefault(path[:depth], []).append(number)
    return members


def is_minority(stacks, chosen):
    return 2 * numpy.count_nonzero(chosen[stacks]) < numpy.count_nonzero(chosen)


def draw_context(rng, paths, members, uniform):
    if uniform:
        return list(members)[rng.integers(len(members))]
    path = paths[rng.integers(len(paths))]
    return path[: rng.integers(1, len(path) + 1)]


def subtree(rng, paths, members, frequent, uniform):
    everything = numpy.ones(len(paths), dtype=bool)
    while True:
        context = draw_context(rng, paths, members, uniform)
        stacks = members[context]
        if is_minority(stacks, everything) and (frequent is None or is_minority(stacks, frequent)):
            return len(context), stacks


def counts(rng, means, runs, options):
    expected = numpy.tile(means, (runs, 1))
    if options["noise"] > 0:
        shape = options["noise"] ** -2
        expected = expected * rng.gamma(shape, 1 / shape, expected.shape)
    if options["fixed"]:
        shares = expected / expected.sum(axis=1, keepdims=True)
        return numpy.array([rng.multinomial(int(options["samples"]), row) for row in shares])
    return rng.poisson(expected)


def sample(rng, repetitions, recording, stacks, before, after, *settings):
    options = {"samples": 10000, "effect": 0, "noise": 0, "fixed": 0, "minority": 0, "uniform": 0}
    options.update((key, float(value)) for key, value in (setting.split("=") for setting in settings))
    with open(recording, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][: int(stacks)]
    means = numpy.array([row[0] for row in rows], dtype=float)
    means *= options["samples"] / means.sum()
    paths = [tuple(row[1]) for row in rows]
    below = contexts(paths)
    frequent = means >= 5 if options["minority"] else None
    for repetition in range(1, repetitions + 1):
        members, costs, depth = [], [], r"\N"
        if options["effect"] > 0:
            depth, members = subtree(rng, paths, below, frequent, options["uniform"])
            costs = options["effect"] * options["samples"] * means[members] / means[members].sum()
        changed = means.copy()
        changed[members] += costs
        print(repetition, len(means), array(m + 1 for m in members), array(costs), depth,
              array(counts(rng, means, int(before), options).ravel().tolist()),
              array(counts(rng, changed, int(after), options).ravel().tolist()), sep="\t")


def series(rng, repetitions, step):
    for repetition in range(1, repetitions + 1):
        values = 100 + rng.standard_normal(60)
        at = r"\N"
        if float(step) > 0:
            at = int(rng.integers(11, 52))
            values[at - 1:] += float(step)
        print(repetition, at, array(values), sep="\t")


def main():
    what, seed, repetitions, *rest = sys.argv[1:]
    # Each scenario has its own numbers, wherever the file is.
    scenario = [what] + (rest[1:] if what == "sample" else rest)
    rng = numpy.random.default_rng([int(seed), zlib.crc32(" ".join(scenario).encode())])
    {"sample": sample, "series": series}[what](rng, int(repetitions), *rest)


main()
