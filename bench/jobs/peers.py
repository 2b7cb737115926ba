#!/usr/bin/env python3
"""peers.py RUNS FOLDER ANSWERS: what the analysis of a job is compared with.

The same three results (attribution, bottlenecks, issues) with numpy, on the tables in FOLDER, which are in memory before
the clock starts: "dense" has an array element for each slice of 1 ms, as the thesis has it; "sweep"
has one for each stretch between two events. Written for this, straightforward, with loops in Python only over phases,
resources and the few periods in which something is full. Prints one line a run: measure, side, size, work, seconds
(README.md); writes lines measure, side, answer to the file ANSWERS.
"""
import csv
import os
import sys
import time
from collections import defaultdict

# One core, as for everybody; before numpy is loaded.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np

runs, folder = int(sys.argv[1]), sys.argv[2]
answers = open(sys.argv[3], "w", encoding="ascii")
SLICE = 1000  # microseconds
DELTA = 0.95
NEAR = 1 - 1e-9
NOTHING = (np.empty(0, np.int64), np.empty(0, np.int64))


def fetch(table):
    """Rows of a table, as tuples of texts; empty ones are None."""
    with open(os.path.join(folder, table + ".csv"), encoding="utf-8", newline="") as file:
        return [tuple(x or None for x in row) for row in list(csv.reader(file))[1:]]


def by_resource(rows, columns):
    """{resource: arrays of the columns, by start}."""
    found = defaultdict(list)
    for resource, *numbers in rows:
        found[int(resource)].append(tuple(float(x) for x in numbers))
    lists = {r: np.array(sorted(values)).reshape(-1, columns) for r, values in found.items()}
    return {r: [a[:, 0].astype(np.int64) // SLICE, a[:, 1].astype(np.int64) // SLICE, *a[:, 2:].T] for r, a in lists.items()}


class Job:
    """Rows as dicts and arrays; times in slices."""

    def __init__(self):
        self.parent_type, self.repeat = {}, {}
        for name, parent, repeat in fetch("phase_type"):
            self.parent_type[name], self.repeat[name] = parent, repeat
        self.precedence = fetch("precedence")
        self.kind = {name: kind for name, _, kind, _ in fetch("resource_type")}
        self.rules = {(p, r): (rule, float(cap or 0)) for p, r, rule, cap in fetch("rule")}
        self.resource_type, self.capacity, self.below = {}, {}, defaultdict(list)
        for r, parent, rtype, _, capacity in fetch("resource"):
            self.resource_type[int(r)], self.capacity[int(r)] = rtype, float(capacity or 0)
            self.below[int(parent) if parent else None].append(int(r))
        self.phase_type, self.parent, self.life, self.children = {}, {}, {}, defaultdict(list)
        for p, parent, ptype, _, start, end in fetch("phase"):
            self.phase_type[int(p)], self.life[int(p)] = ptype, (int(start) // SLICE, int(end) // SLICE)
            self.parent[int(p)] = int(parent) if parent else None
            self.children[self.parent[int(p)]].append(int(p))
        self.mapped = defaultdict(list)
        for p, r in fetch("phase_resource"):
            self.mapped[int(p)].append(int(r))
        self.usage = by_resource(fetch("usage"), 3)
        self.blocking = by_resource(fetch("blocking"), 2)
        self.order = []
        waiting = [self.children[None][0]]
        while waiting:  # parents first
            self.order.append(waiting.pop())
            waiting.extend(self.children[self.order[-1]])


# --- intervals: pairs of arrays, starts and ends ----------------------------------------------------------------------


def union(starts, ends):
    if len(starts) == 0:
        return NOTHING
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], np.maximum.accumulate(ends[order])
    first = np.concatenate(([True], starts[1:] > ends[:-1]))
    last = np.concatenate((first[1:], [True]))
    return starts[first], ends[last]


def clip(intervals, start, end):
    starts, ends = np.maximum(intervals[0], start), np.minimum(intervals[1], end)
    real = starts < ends
    return starts[real], ends[real]


def without(life, holes):
    """The life less normal intervals within it."""
    starts, ends = np.concatenate(([life[0]], holes[1])), np.concatenate((holes[0], [life[1]]))
    real = starts < ends
    return starts[real], ends[real]


def runs_of(bits, bounds):
    """Where bits of the stretches between bounds are true."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], bits.view(np.int8), [0]))))
    return bounds[edges[::2]], bounds[edges[1::2]]


# --- who uses what ----------------------------------------------------------------------------------------------------


def subtree(job, resource):
    found, waiting = [], [resource]
    while waiting:
        found.append(waiting.pop())
        waiting.extend(job.below[found[-1]])
    return found


def rule_of(job, ptype, rtype):
    while ptype is not None:
        if (ptype, rtype) in job.rules:
            return job.rules[ptype, rtype]
        ptype = job.parent_type[ptype]
    return ("full", 0) if job.kind[rtype] == "blocking" else ("sink", 0)


def uses_of_leaves(job):
    """{leaf: [(resource, rule, cap)]}; equal access and type have one list."""
    expanded, access, lists, uses = {}, {}, {}, {}
    for p in job.order:
        rows = tuple(sorted(job.mapped.get(p, ())))
        if rows or job.parent[p] is None:
            if rows not in expanded:
                expanded[rows] = frozenset(x for r in rows or job.below[None] for x in subtree(job, r))
            access[p] = expanded[rows]
        else:
            access[p] = access[job.parent[p]]
        if not job.children[p]:
            key = access[p], job.phase_type[p]
            if key not in lists:
                every = [(r, *rule_of(job, key[1], job.resource_type[r])) for r in sorted(key[0]) if job.kind[job.resource_type[r]]]
                lists[key] = [use for use in every if use[1] != "none"]
            uses[p] = lists[key]
    return uses


# --- Algorithm 1: arrays over stretches of any width ------------------------------------------------------------------


def fill(left, load, room, width):
    """One period: in descending load / room."""
    given = np.zeros(len(load))
    order = [i for i in np.argsort(-load / np.where(room > 0, room, np.inf), kind="stable") if load[i] > 0 and room[i] > 0]
    rest = np.cumsum((load * width)[order][::-1])[::-1] if order else ()
    for i, total in zip(order, rest):
        given[i] = min(left * load[i] / total, room[i])
        left = max(left - given[i] * width[i], 0)
    return given


def stage(left, load, room, width, first, owner):
    """All periods at once; those in which something is full one by one. Returns what is given, and what is left."""
    weight = np.add.reduceat(load * width, first)
    rate = np.divide(left, weight, out=np.zeros(len(left)), where=weight > 0)
    given = rate[owner] * load
    full = np.unique(owner[given > room])
    ends = np.append(first[1:], len(load))
    for p in full:
        part = slice(first[p], ends[p])
        given[part] = fill(left[p], load[part], room[part], width[part])
    return given, np.maximum(left - np.add.reduceat(given * width, first), 0)


def upsample(usage, capacity, greedy, sinks, width, first, owner):
    """Samples of the measured stretches; first: the first stretch of each period."""
    left = usage * np.add.reduceat(width, first)
    tiny = 1e-12 * capacity
    sample = np.zeros(len(width))
    for load, most in ((greedy, np.minimum(greedy, capacity)), (sinks, capacity), (np.ones(len(width)), capacity)):
        room = np.minimum(most, capacity - sample)
        room[room <= tiny] = 0
        left[left <= tiny] = 0
        given, left = stage(left, load, room, width, first, owner)
        sample = sample + given
    return sample


def measure_resource(job, r, bounds, greedy, sinks):
    """Shares and flags of each stretch between bounds: (greedy used and available, sink used and available, U at delta)."""
    starts, ends, usage = job.usage[r]
    capacity = job.capacity[r]
    owner = np.searchsorted(starts, bounds[:-1], "right") - 1
    inside = (owner >= 0) & (bounds[:-1] < ends[np.maximum(owner, 0)])
    width = np.diff(bounds).astype(float)
    sample = np.zeros(len(width))
    mine = owner[inside]
    present, first = np.unique(mine, return_index=True)
    sample[inside] = upsample(usage[present], capacity, greedy[inside], sinks[inside].astype(float), width[inside], first,
                              np.searchsorted(present, mine))
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = [np.where(greedy > 0, np.minimum(1, sample / greedy), 0), np.where(greedy > 0, np.minimum(1, capacity / greedy), 0),
                  np.where(sinks > 0, np.maximum(sample - greedy, 0) / sinks, 0),
                  np.where(sinks > 0, np.maximum(capacity - greedy, 0) / sinks, 0)]
    saturated = (sample > 1e-9 * capacity) & (sample >= DELTA * capacity * NEAR)
    return shares, saturated, inside, width * SLICE / 1e6


def demand(job, users, bounds, active):
    """Sum of caps of active greedy users and number of active sinks in each stretch, from whole counts."""
    counts = defaultdict(lambda: np.zeros(len(bounds), np.int64))
    for leaf, rule, cap in users:
        starts, ends = active[leaf]
        np.add.at(counts[rule, cap], np.searchsorted(bounds, starts), 1)
        np.add.at(counts[rule, cap], np.searchsorted(bounds, ends), -1)
    greedy, sinks = np.zeros(len(bounds) - 1), np.zeros(len(bounds) - 1, np.int64)
    for (rule, cap), count in sorted(counts.items()):
        if rule == "greedy":
            greedy += cap * np.cumsum(count)[:-1]
        else:
            sinks += np.cumsum(count)[:-1]
    return greedy, sinks


def attribute(job, users, r, bounds, active, consumption, limits):
    shares, saturated, inside, seconds = measure_resource(job, r, bounds, *demand(job, users, bounds, active))
    prefix = [np.concatenate(([0], np.cumsum(share * seconds))) for share in shares]
    capacity, flags = job.capacity[r], {}
    for leaf, rule, cap in users:
        starts, ends = active[leaf]
        a, b = np.searchsorted(bounds, starts), np.searchsorted(bounds, ends)
        which, factor = (0, cap) if rule == "greedy" else (2, 1)
        consumption[leaf, r] = tuple(factor * float(np.sum(prefix[which + i][b] - prefix[which + i][a])) for i in (0, 1))
        if (which, cap) not in flags:
            used, available = factor * shares[which], factor * shares[which + 1]
            at_limit = (used > 1e-9 * capacity) & (used >= DELTA * available * NEAR)
            flags[which, cap] = runs_of((saturated | at_limit) & inside, bounds)
        found = flags[which, cap]
        for start, end in zip(starts, ends):
            low, high = np.searchsorted(found[1], start, "right"), np.searchsorted(found[0], end)
            if low < high:
                limits[leaf, job.resource_type[r]].append(clip((found[0][low:high], found[1][low:high]), start, end))


# --- the two peers ----------------------------------------------------------------------------------------------------


def active_times(job, uses, blocked):
    """{leaf: when it is active}, and when it waits on which type."""
    active, waits = {}, defaultdict(list)
    for leaf, mine in uses.items():
        life, holes = job.life[leaf], []
        for r, rule, _ in mine:
            if rule == "full" and r in blocked:
                low, high = np.searchsorted(blocked[r][1], life[0], "right"), np.searchsorted(blocked[r][0], life[1])
                if low < high:
                    holes.append(clip((blocked[r][0][low:high], blocked[r][1][low:high]), *life))
                    waits[leaf, job.resource_type[r]].append(holes[-1])
        joined = union(*(np.concatenate([h[i] for h in holes]) for i in (0, 1))) if holes else NOTHING
        active[leaf] = without(life, joined)
    return active, waits


def users_of(uses, job):
    users = defaultdict(list)
    for leaf, mine in uses.items():
        for r, rule, cap in mine:
            if rule != "full":
                users[r].append((leaf, rule, cap))
    return users


def analyse_sweep(job):
    uses = uses_of_leaves(job)
    blocked = {r: union(*times) for r, times in job.blocking.items()}
    active, limits = active_times(job, uses, blocked)
    consumption = {}
    for r, users in users_of(uses, job).items():
        times = [x for leaf, _, _ in users for x in active[leaf]]
        bounds = np.unique(np.concatenate(times + list(job.usage.get(r, NOTHING)[:2])))
        attribute(job, users, r, bounds, active, consumption, limits)
    times = {key: union(*(np.concatenate([t[i] for t in lists]) for i in (0, 1))) for key, lists in limits.items()}
    rows = dict(times)
    for p in reversed(job.order):
        below = defaultdict(list)
        for child in job.children[p]:
            for rtype in job.kind:
                if (child, rtype) in rows:
                    below[rtype].append(rows[child, rtype])
        for rtype, lists in below.items():
            rows[p, rtype] = clip(union(*(np.concatenate([t[i] for t in lists]) for i in (0, 1))), *job.life[p])
    return consumption, rows, uses


def analyse_dense(job):
    """Bit arrays of lives for bottlenecks; the grid begins with the first measurement."""
    uses = uses_of_leaves(job)
    low = min(times[0][0] for times in job.usage.values())
    bounds = np.arange(low, max(times[1][-1] for times in job.usage.values()) + 1)
    blocked = {}
    for r, times in job.blocking.items():
        blocked[r] = np.zeros(len(bounds) - 1, bool)
        for start, end in zip(*times):
            blocked[r][start - low:end - low] = True
    bits, active = {}, {}
    for leaf, mine in uses.items():
        start, end = job.life[leaf]
        waiting = np.zeros(end - start, bool)
        for r, rule, _ in mine:
            if rule == "full" and r in blocked:
                mark(bits, leaf, job.resource_type[r], blocked[r][start - low:end - low])
                waiting |= blocked[r][start - low:end - low]
        active[leaf] = ~waiting
    consumption = {}
    for r, users in users_of(uses, job).items():
        dense_resource(job, r, users, bounds, active, bits, consumption)
    for p in reversed(job.order):
        for child in job.children[p]:
            for rtype in job.kind:
                if (child, rtype) in bits:
                    start, end = (min(max(x, job.life[p][0]), job.life[p][1]) for x in job.life[child])
                    if (p, rtype) not in bits:
                        bits[p, rtype] = np.zeros(job.life[p][1] - job.life[p][0], bool)
                    bits[p, rtype][start - job.life[p][0]:end - job.life[p][0]] |= \
                        bits[child, rtype][start - job.life[child][0]:end - job.life[child][0]]
    rows = {key: runs_of(b, np.arange(job.life[key[0]][0], job.life[key[0]][1] + 1)) for key, b in bits.items()}
    return consumption, rows, uses


def mark(bits, leaf, rtype, found):
    if (leaf, rtype) in bits:
        bits[leaf, rtype] = bits[leaf, rtype] | found
    else:
        bits[leaf, rtype] = found.copy()


def dense_resource(job, r, users, bounds, active, bits, consumption):
    low, capacity = bounds[0], job.capacity[r]
    counts = defaultdict(lambda: np.zeros(len(bounds) - 1, np.int64))
    for leaf, rule, cap in users:
        counts[rule, cap][job.life[leaf][0] - low:job.life[leaf][1] - low] += active[leaf]
    greedy = sum((cap * n for (rule, cap), n in sorted(counts.items()) if rule == "greedy"), np.zeros(len(bounds) - 1))
    sinks = sum((n for (rule, _), n in counts.items() if rule == "sink"), np.zeros(len(bounds) - 1, np.int64))
    shares, saturated, inside, seconds = measure_resource(job, r, bounds, greedy, sinks)
    flags = {}
    for leaf, rule, cap in users:
        part = slice(job.life[leaf][0] - low, job.life[leaf][1] - low)
        which, factor = (0, cap) if rule == "greedy" else (2, 1)
        mine = active[leaf]
        consumption[leaf, r] = tuple(factor * float(np.sum((shares[which + i][part] * seconds[part])[mine])) for i in (0, 1))
        if (which, cap) not in flags:
            used, available = factor * shares[which], factor * shares[which + 1]
            flags[which, cap] = (saturated | ((used > 1e-9 * capacity) & (used >= DELTA * available * NEAR))) & inside
        mark(bits, leaf, job.resource_type[r], flags[which, cap][part] & mine)


# --- issues, and composites -------------------------------------------------------------------------------------------


def add_up(job, consumption):
    """Composites have the sum of their leaves."""
    found = defaultdict(lambda: defaultdict(lambda: [0.0, 0.0]))
    for (leaf, r), (used, available) in consumption.items():
        found[leaf][r] = [used, available]
    for p in reversed(job.order):
        if job.parent[p] is not None:
            above = found[job.parent[p]]
            for r, (used, available) in found[p].items():
                above[r][0] += used
                above[r][1] += available
    return found


def children_by_type(job, p):
    groups = defaultdict(list)
    for child in job.children[p]:
        groups[job.phase_type[child]].append(child)
    return groups


def heaviest(job, order, weights):
    best = {}
    for ptype, before in order:
        best[ptype] = weights.get(ptype, 0) + max((best[b] for b in before), default=0)
    return max(best.values())


def orders_of(job):
    """{type: [(type below it, those that precede it)]}, in an order in which that can be computed."""
    below, before = defaultdict(list), defaultdict(list)
    for ptype, parent in job.parent_type.items():
        below[parent].append(ptype)
    for first, then in job.precedence:
        before[then].append(first)
    orders = {}
    for parent, types in below.items():
        order = []
        while len(order) < len(types):
            order += [t for t in types if t not in order and all(b in order for b in before[t])]
        orders[parent] = [(t, before[t]) for t in order]
    return orders


def combine(job, ptype, records, join):
    return records[0] if len(records) == 1 else np.sum(records, axis=0) if job.repeat[ptype] == "sequential" else join(records)


def issues(job, rows, uses):
    """[(phase, source, impact)] of Algorithms 4 and 5."""
    spans, limits, found, orders = {}, {}, [], orders_of(job)
    for p in reversed(job.order):
        groups = children_by_type(job, p)
        duration = (job.life[p][1] - job.life[p][0]) * SLICE / 1e6
        spans[p] = {job.phase_type[p]: (duration, duration)}
        if not groups:
            limits[p] = {rtype: float(np.sum(np.subtract(*rows.get((p, rtype), NOTHING)[::-1]))) * SLICE / 1e6
                         for rtype in {job.resource_type[use[0]] for use in uses[p]}}
        else:
            limits[p] = {}
            for rtype in {t for child in job.children[p] for t in limits[child]}:
                weights = {st: combine(job, st, [limits[c][rtype] for c in group if rtype in limits[c]], np.mean)
                           for st, group in groups.items() if any(rtype in limits[c] for c in group)}
                limits[p][rtype] = heaviest(job, orders[job.phase_type[p]], weights)
        for st, group in groups.items():
            for rt in {t for c in group for t in spans[c]}:
                spans[p][rt] = tuple(combine(job, st, [spans[c][rt] for c in group if rt in spans[c]],
                                             lambda x: (max(a for a, _ in x), float(np.mean([o for _, o in x])))))
        found += [(p, rtype, impact) for rtype, impact in limits[p].items() if impact > 0]
        found += [(p, rt, a - o) for rt, (a, o) in spans[p].items() if a * NEAR > o]
    return found


# --- measuring --------------------------------------------------------------------------------------------------------


def everything(job, analyse):
    consumption, rows, uses = analyse(job)
    return add_up(job, consumption), rows, issues(job, rows, uses)


def write_answers(side, job, consumption, rows, found):
    def weigh(p, text):
        return (1 + p % 97) * (1 + len(text))
    numbers = {
        "job_consumption": sum(u * (1 + p % 97) * (1 + r % 89) for p, of in consumption.items() for r, (u, _) in of.items()),
        "job_available": sum(a * (1 + p % 97) * (1 + r % 89) for p, of in consumption.items() for r, (_, a) in of.items()),
        "job_bottleneck_rows": sum(len(starts) for starts, _ in rows.values()),
        "job_bottlenecks": sum(float(np.sum(e - s)) * SLICE / 1e6 * weigh(p, t) for (p, t), (s, e) in rows.items()),
        "job_issue_rows": len(found),
        "job_issues": sum(impact * weigh(p, source) for p, source, impact in found),
    }
    for measure, value in numbers.items():
        print(measure, side, repr(float(value)), sep="\t", file=answers)


the_job = Job()
for side_name, method in (("numpy_sweep", analyse_sweep), ("numpy_dense", analyse_dense)):
    for run in range(runs + 1):
        began = time.perf_counter()
        result = everything(the_job, method)
        seconds = time.perf_counter() - began
        if run > 0:
            print("job_three", side_name, len(the_job.order), 1, f"{seconds:.9f}", sep="\t", flush=True)
    write_answers(side_name, the_job, *result)
