#!/usr/bin/env python3
"""An oracle for simulate(): replays drawn jobs by definition, and bounds what a change can gain.

  what_if_oracle.py OUT SEED COUNT

Writes files as jobs_oracle.py does, whose jobs and bottlenecks it takes. Every start is a maximum over all siblings that the
phase may have waited for, found by looking at each of them; every end a recursion. A file has "bounds", too: by the change,
as JSON, how many seconds the makespan can shrink at most, and whether the means of Algorithms 4 and 5 must be a bound.
"""
import copy
import functools
import json
import math
import pathlib
import random
import sys

import jobs_oracle
from jobs_oracle import SECOND


def round_away(x):
    return int(math.copysign(math.floor(abs(x) + 0.5), x))


class Replay:
    def __init__(self, job, change):
        self.job, self.phases = job, job.phases
        self.change, self.repeat = change, {k: t['repeat'] for k, t in job.types.items()}
        self.was = {p: (job.life(p).start * job.slice, max(job.life(p).start, job.life(p).stop) * job.slice) for p in job.phases}
        self.means = self.balanced(change['balance']) if 'balance' in change else {}

    def type(self, p):
        return self.phases[p]['phase_type']

    def length(self, p):
        return self.was[p][1] - self.was[p][0]

    def up(self, kind):
        """From a type to the nearest concurrent one."""
        found = [kind]
        while self.repeat[found[-1]] == 'once':
            found.append(self.job.types[found[-1]]['parent_type'])
        return found

    def balanced(self, kind):
        groups = {}
        for p in self.phases:
            if self.type(p) == kind:
                group = p
                for _ in self.up(kind):
                    group = self.phases[group]['parent_id']
                groups.setdefault(group, []).append(p)
        return {p: round_away(sum(map(self.length, of)) / len(of)) for of in groups.values() for p in of}

    def factor(self, p):
        """What everything within a phase is multiplied by."""
        while p is not None and p not in self.means:
            p = self.phases[p]['parent_id']
        if p is None or self.length(p) == 0:
            return 1
        return self.means[p] / self.length(p)

    def waited_for(self, p):
        """The siblings that had to end, and had, when the phase started."""
        before = {e['before'] for e in self.job.data['precedence'] if e['after'] == self.type(p)}
        for s in self.job.children[self.phases[p]['parent_id']]:
            ended = self.was[s][1] <= self.was[p][0]
            if self.type(s) in before and ended:
                yield s
            if self.type(s) == self.type(p) and self.repeat[self.type(p)] == 'sequential' and ended:
                if (*self.was[s], s) < (*self.was[p], p):
                    yield s

    @functools.lru_cache(maxsize=None)
    def start(self, p):
        parent = self.phases[p]['parent_id']
        if parent is None:
            return self.was[p][0]
        siblings = list(self.waited_for(p))
        lag = self.was[p][0] - max([self.was[parent][0]] + [self.was[s][1] for s in siblings])
        return max([self.start(parent)] + [self.end(s) for s in siblings]) + round_away(lag * self.factor(parent))

    def work(self, p):
        """Of a leaf."""
        if 'remove' in self.change:
            return self.length(p) - len(self.job.bottleneck(p, self.change['remove'])) * self.job.slice
        if 'scale' in self.change:
            kind = self.type(p)
            while kind is not None and kind != self.change['scale'][0]:
                kind = self.job.types[kind]['parent_type']
            return self.length(p) if kind is None else round_away(self.length(p) * self.change['scale'][1])
        return round_away(self.length(p) * self.factor(p))

    @functools.lru_cache(maxsize=None)
    def end(self, p):
        children = self.job.children[p]
        if p in self.means:
            return self.start(p) + self.means[p]
        if not children:
            return self.start(p) + self.work(p)
        tail = self.was[p][1] - max(self.was[c][1] for c in children)
        return max(self.start(p), max(self.end(c) for c in children) + round_away(tail * self.factor(p)))

    def rows(self):
        return [[p, self.start(p), self.end(p)] for p in self.phases]

    # --- bounds ---

    def saved(self, p):
        """What phases on any one path through p lose at most: sums where they follow each other, else the largest."""
        if p in self.means:
            return max(self.length(p) - self.means[p], 0)
        if p in self.job.leaves:
            return max(self.length(p) - self.work(p), 0)
        weights = {}
        for c in self.job.children[p]:
            values = weights.setdefault(self.type(c), [])
            values.append(self.saved(c))
        weights = {k: sum(v) if self.repeat[k] == 'sequential' else max(v) for k, v in weights.items()}
        after = {k: [e['after'] for e in self.job.data['precedence'] if e['before'] == k] for k in self.job.types}

        def heaviest(kind):
            return weights.get(kind, 0) + max((heaviest(k) for k in after[kind]), default=0)
        return max(heaviest(k) for k in self.job.types)

    def means_bound(self):
        """No type that runs at a time has two phases under one parent, but for those that are balanced."""
        free = self.up(self.change['balance'])[-1] if 'balance' in self.change else None
        for p in self.phases:
            types = [self.type(c) for c in self.job.children[p]]
            if any(k != free and self.repeat[k] == 'concurrent' and types.count(k) > 1 for k in types):
                return False
        return True


def changes(job, rng):
    yield {}
    for kind in ('cpu', 'net', 'gc', 'lock'):
        yield {'remove': kind}
    for kind in job.types:
        parent, concurrent = kind, None
        while parent and job.types[parent]['repeat'] == 'once':
            parent = job.types[parent]['parent_type']
        concurrent = parent and job.types[parent]['repeat'] == 'concurrent'
        if concurrent:
            yield {'balance': kind}
        yield {'scale': [kind, rng.choice((0, 0.5, 1 / 3, 1, 2))]}


def main(out, seed, count):
    for number in range(seed, seed + count):
        rng, data, calls, bounds = random.Random(-number), jobs_oracle.draw(number), [], {}
        data = copy.deepcopy(data)
        for kind in data['phase_type']:
            kind['predicate'] = None  # it is about composites, and only leaves change
        if number % 3 == 0:  # all in a line
            for kind in data['phase_type']:
                kind['repeat'] = 'sequential' if kind['repeat'] == 'concurrent' else kind['repeat']
        job = jobs_oracle.Job(data, {'slice': SECOND})
        for change in changes(job, rng):
            replay = Replay(job, change)
            calls.append({'fn': 'simulate', 'args': {'change': change, 'slice': SECOND},
                          'columns': ['phase_id', 'start_us', 'end_us'], 'rows': replay.rows()})
            if 'remove' in change or 'balance' in change:
                bounds[json.dumps(change)] = [replay.saved(10) / SECOND, replay.means_bound()]
        file = {'name': f'what_if_{number}', 'kind': 'random', 'input': data, 'calls': calls, 'bounds': bounds}
        pathlib.Path(out, f'what_if_{number}.json').write_text(json.dumps(file), encoding='utf-8')


if __name__ == '__main__':
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
