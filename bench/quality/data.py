#!/usr/bin/python3
"""Samples of profiles with a known truth, as COPY data for bench/quality/quality.sql.

    data.py sample SEED REPETITIONS RECORDING STACKS BEFORE AFTER [KEY=VALUE ...]
    data.py matrices LEVEL SEED REPETITIONS RECORDING STACKS BEFORE AFTER [KEY=VALUE ...]
    data.py judge LEVEL SEED REPETITIONS RECORDING STACKS BEFORE AFTER [KEY=VALUE ...]
    data.py oracle LEVEL SEED REPETITIONS RECORDING STACKS BEFORE AFTER [KEY=VALUE ...]
    data.py series SEED REPETITIONS STEP

sample: runs of a program before and after a change. RECORDING has a line of JSON for each stack of a recorded program, the
most frequent first: its value and its frames. The first STACKS of them are the program; a run's counts are Poisson numbers
around their shares of "samples". The change adds "effect", a fraction of all cost, to one subtree of the calling contexts:
that of any context, with less than half of the stacks, of any stack. Its stacks grow in proportion.

    samples=10000   of a run
    effect=0        of the change
    noise=0         coefficient of variation of each stack's mean from run to run (a gamma distribution)
    spread=0        of that coefficient among the stacks: standard deviation of its logarithm
    louder=1        by what the variance of that noise is larger after the change
    fixed=0         1: runs of fixed length, each with the same number of samples (multinomial)
    minority=0      1: the subtree also has less than half of the stacks with a mean of 5
    uniform=0       1: the context is drawn from all contexts, each as likely
    zipf=0          1: the means are 1 / rank, as in the simulation that the bars of few runs come from
    functions=0     1: each stack is a function of its own, and the change is in one of them

matrices: the same samples for peers.R, a row for each stack or context (LEVEL stack or node). judge: reads what peers.R says
of them, and writes what quality.result has: method, repetition, called, wrong, mass, totals. oracle: the same of a test that
knows the variance of each key (not for spread and louder).

series: 60 normal numbers, after the change STEP standard deviations higher; at least ten on either side.
"""

import json
import math
import sys
import zlib
from typing import NamedTuple

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


def variation(rng, stacks, options):
    """The coefficient of variation of each stack from run to run."""
    if options["spread"] == 0:
        return numpy.full(stacks, options["noise"])
    return options["noise"] * numpy.exp(options["spread"] * rng.standard_normal(stacks))


def counts(rng, means, runs, noise, options):
    expected = numpy.tile(means, (runs, 1))
    if options["noise"] > 0:
        shape = noise ** -2
        expected = expected * rng.gamma(shape, 1 / shape, expected.shape)
    if options["fixed"]:
        shares = expected / expected.sum(axis=1, keepdims=True)
        return numpy.array([rng.multinomial(int(options["samples"]), row) for row in shares])
    return rng.poisson(expected)


DEFAULTS = {"samples": 10000, "effect": 0, "noise": 0, "spread": 0, "louder": 1, "fixed": 0, "minority": 0, "uniform": 0,
            "zipf": 0, "functions": 0}


class Sample(NamedTuple):
    members: list  # stacks whose cost grew
    costs: list
    depth: object  # of the context below which they are
    before: numpy.ndarray
    after: numpy.ndarray


class Program(NamedTuple):
    means: numpy.ndarray
    paths: list


def program(recording, stacks, options):
    with open(recording, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][: int(stacks)]
    means = numpy.array([row[0] for row in rows], dtype=float)
    if options["zipf"]:
        means = 1 / numpy.arange(1, len(rows) + 1)
    means *= options["samples"] / means.sum()
    paths = [(f"f{n}",) for n in range(1, len(rows) + 1)] if options["functions"] else [tuple(row[1]) for row in rows]
    return Program(means, paths)


def read_settings(settings):
    options = dict(DEFAULTS)
    options.update((key, float(value)) for key, value in (setting.split("=") for setting in settings))
    return options


def draw(rng, repetitions, known, before, after, options):
    """The samples, one after the other."""
    means = known.means
    below = contexts(known.paths)
    frequent = means >= 5 if options["minority"] else None
    for _ in range(repetitions):
        members, costs, depth = [], [], r"\N"
        if options["effect"] > 0 and options["functions"]:
            depth, members = 1, [int(rng.integers(len(means)))]
        elif options["effect"] > 0:
            depth, members = subtree(rng, known.paths, below, frequent, options["uniform"])
        if options["effect"] > 0:
            costs = options["effect"] * options["samples"] * means[members] / means[members].sum()
        changed = means.copy()
        changed[members] += costs
        noise = variation(rng, len(means), options)
        yield Sample(members, costs, depth, counts(rng, means, int(before), noise, options),
                     counts(rng, changed, int(after), noise * options["louder"] ** 0.5, options))


def sample(rng, repetitions, recording, stacks, before, after, *settings):
    options = read_settings(settings)
    known = program(recording, stacks, options)
    for number, s in enumerate(draw(rng, repetitions, known, before, after, options), 1):
        print(number, len(known.means), array(m + 1 for m in s.members), array(s.costs), s.depth,
              array(s.before.ravel().tolist()), array(s.after.ravel().tolist()), sep="\t")


def key_rows(level, paths):
    """Which stacks are part of which key: of each key its depth and its stacks."""
    if level == "stack":
        return [(len(path), [number]) for number, path in enumerate(paths)]
    return [(len(key), members) for key, members in contexts(paths).items()]


def incidence(keys, stacks):
    matrix = numpy.zeros((len(keys), stacks))
    for row, (_, members) in enumerate(keys):
        matrix[row, members] = 1
    return matrix


def matrices(rng, repetitions, level, recording, stacks, before, after, *settings):
    options = read_settings(settings)
    known = program(recording, stacks, options)
    matrix = incidence(key_rows(level, known.paths), len(known.means))
    for number, s in enumerate(draw(rng, repetitions, known, before, after, options), 1):
        values = matrix @ numpy.vstack([s.before, s.after]).T
        print(number, level, before, after, len(matrix), " ".join(map(str, values.astype(int).ravel().tolist())), sep="\t")


def judge_one(s, keys, matrix, called):
    """As quality.judge_keys() does."""
    cost = numpy.zeros(matrix.shape[1])
    cost[s.members] = s.costs
    changed = matrix @ cost > 0
    wrong = sum(not changed[key] for key in called)
    if not len(s.members):
        return len(called), wrong, r"\N"
    inside = [key for key in called if s.depth != r"\N" and keys[key][0] >= s.depth and set(keys[key][1]) <= set(s.members)]
    below = matrix[inside].any(axis=0) if inside else numpy.zeros(len(cost), dtype=bool)
    return len(called), wrong, cost[below].sum() / cost.sum()


def judge(rng, repetitions, level, recording, stacks, before, after, *settings):
    options = read_settings(settings)
    known = program(recording, stacks, options)
    keys = key_rows(level, known.paths)
    matrix = incidence(keys, len(known.means))
    samples = list(draw(rng, repetitions, known, before, after, options))
    for line in sys.stdin:
        repetition, method, called = line.rstrip("\n").split("\t")
        found = [int(key) - 1 for key in called.split()]
        print(f"{method} {level}", repetition, *judge_one(samples[int(repetition) - 1], keys, matrix, found), r"\N", sep="\t")


def adjusted(p):
    """Benjamini and Hochberg's q-values."""
    order = numpy.argsort(p)[::-1]
    q = numpy.empty_like(p)
    q[order] = numpy.minimum.accumulate(p[order] * len(p) / numpy.arange(len(p), 0, -1))
    return q


def oracle(rng, repetitions, level, recording, stacks, before, after, *settings):
    options = read_settings(settings)
    known = program(recording, stacks, options)
    keys = key_rows(level, known.paths)
    matrix = incidence(keys, len(known.means))
    variance = matrix @ (known.means + (options["noise"] * known.means) ** 2) * (1 / int(before) + 1 / int(after))
    for number, s in enumerate(draw(rng, repetitions, known, before, after, options), 1):
        z = numpy.abs(matrix @ (s.after.mean(axis=0) - s.before.mean(axis=0))) / numpy.sqrt(variance)
        q = adjusted(numpy.array([math.erfc(value / math.sqrt(2)) for value in z]))
        called = numpy.flatnonzero(q <= 0.05)
        print(f"oracle {level}", number, *judge_one(s, keys, matrix, called), r"\N", sep="\t")


def series(rng, repetitions, step):
    for repetition in range(1, repetitions + 1):
        values = 100 + rng.standard_normal(60)
        at = r"\N"
        if float(step) > 0:
            at = int(rng.integers(11, 52))
            values[at - 1:] += float(step)
        print(repetition, at, array(values), sep="\t")


def main():
    what, *rest = sys.argv[1:]
    level = [rest.pop(0)] if what in ("matrices", "judge", "oracle") else []
    seed, repetitions, *rest = rest
    # Each scenario has its own numbers, wherever the file is; peers see the same samples.
    scenario = ["series", *rest] if what == "series" else ["sample", *rest[1:]]
    rng = numpy.random.default_rng([int(seed), zlib.crc32(" ".join(scenario).encode())])
    commands = {"sample": sample, "matrices": matrices, "judge": judge, "oracle": oracle, "series": series}
    commands[what](rng, int(repetitions), *level, *rest)


main()
