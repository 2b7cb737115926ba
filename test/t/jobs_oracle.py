#!/usr/bin/env python3
"""An oracle for the analysis of jobs: draws small jobs and analyses them slice by slice.

  jobs_oracle.py OUT SEED COUNT

Writes one file for each job into the folder OUT, in the format of test/data/golden/jobs. It follows the text of the thesis
(Hegeman 2024, chapter 4) and not our sweep: every quantity is a dictionary by slice, Algorithms 1, 2, 4 and 5 are loops and
recursions as printed. Times lie on whole slices of a second in half of the jobs, anywhere in the others.
"""
import functools
import json
import pathlib
import random
import sys

SECOND = 1000000
# oracle.f is made by the test and written again below, as by_function().
PREDICATES = ('any', 'all', 'majority', 'majority_any', 'strict_majority', 'strict_majority_any', 'at_least:0.4', 'function:oracle.f')
CAUSES = ('allocation', 'contended', 'saturated', 'blocking')


# --- drawing ----------------------------------------------------------------------------------------------------------

def draw_types(rng):
    types = [{'phase_type': 'job', 'parent_type': None, 'repeat': 'once', 'predicate': None}]
    for name, parent in (('a', 'job'), ('b', 'job'), ('c', 'job'), ('aa', 'a'), ('ab', 'a'), ('ba', 'b')):
        types.append({'phase_type': name, 'parent_type': parent, 'repeat': rng.choice(('once', 'sequential', 'concurrent')),
                      'predicate': rng.choice((None, None, None, None, 'all', 'majority_any', 'function:oracle.f'))})
    precedence = [{'before': x, 'after': y} for x, y in (('a', 'b'), ('a', 'c'), ('b', 'c'), ('aa', 'ab')) if rng.random() < 0.5]
    return types, precedence


def draw_phases(rng, types, unit):
    phases = [{'phase_id': 10, 'parent_id': None, 'phase_type': 'job', 'instance': '', 'start': 0, 'end': 20 * unit}]
    for parent in phases:
        for kind in types:
            if kind['parent_type'] != parent['phase_type']:
                continue
            for n in range(rng.randint(0, 1 if kind['repeat'] == 'once' else 4)):
                start = rng.randint(-1, 19) * unit + (rng.randint(0, SECOND) if unit != SECOND else 0)
                phases.append({'phase_id': 10 + 3 * len(phases), 'parent_id': parent['phase_id'], 'instance': str(n),
                               'phase_type': kind['phase_type'], 'start': start, 'end': start + rng.randint(0, 9) * unit})
    return phases


def draw_resources(rng):
    kinds = [('machine', None), ('cpu', 'consumable'), ('net', 'consumable'), ('gc', 'blocking'), ('lock', 'blocking')]
    resources = []
    for m in range(2):
        machine = len(resources) + 1
        for kind, of in kinds:
            resources.append({'resource_id': len(resources) + 1, 'parent_id': None if kind == 'machine' else machine,
                              'resource_type': kind, 'instance': str(m), 'delta': rng.choice((None, None, 0.8)),
                              'capacity': rng.choice((4.0, 10.0, 0.5)) if of == 'consumable' else None})
    types = [{'resource_type': kind, 'parent_type': 'machine' if of else None, 'class': of, 'unit': None} for kind, of in kinds]
    return types, resources


def draw_measurements(rng, resources, unit):
    usage, blocking = [], []
    for resource in resources:
        t = rng.randint(-3, 1) * unit
        while t < 22 * unit and resource['resource_type'] in ('cpu', 'net'):
            length = rng.randint(0, 5) * unit + (rng.randint(0, SECOND // 3) if unit != SECOND else 0)
            share = rng.choice((0, 0.1, 0.3, 0.5, 0.8, 0.95, 1.0, 1.2))
            usage.append({'resource_id': resource['resource_id'], 'start': t, 'end': t + length,
                          'usage': share * resource['capacity']})
            t += max(length, 1) + (rng.randint(0, 2) * unit if rng.random() < 0.3 else 0)
        for _ in range(rng.randint(0, 4) if resource['resource_type'] in ('gc', 'lock') else 0):
            start = rng.randint(-2, 20) * unit
            blocking.append({'resource_id': resource['resource_id'], 'start': start, 'end': start + rng.randint(0, 3) * unit})
    # whole seconds stay whole: what was pushed on by a microsecond is put back
    return usage, blocking


def draw(seed):
    rng = random.Random(seed)
    unit = SECOND if seed % 2 == 0 else 937351
    types, precedence = draw_types(rng)
    phases = draw_phases(rng, types, unit)
    resource_types, resources = draw_resources(rng)
    usage, blocking = draw_measurements(rng, resources, unit)
    rules = []
    for kind in types:
        for resource in resource_types[1:]:
            word = rng.choice(('none', 'greedy', 'sink') if resource['class'] == 'consumable' else ('none', 'full'))
            if rng.random() < 0.25:
                rules.append({'phase_type': kind['phase_type'], 'resource_type': resource['resource_type'], 'rule': word,
                              'cap': rng.choice((0.5, 1.0, 3.0, 20.0)) if word == 'greedy' else None,
                              'delta': rng.choice((None, None, 0.6))})
    mapping = [{'phase_id': p['phase_id'], 'resource_id': rng.choice((1, 6))} for p in phases
               if p['parent_id'] == 10 and rng.random() < 0.6]
    return {'phase_type': types, 'precedence': precedence, 'phase': phases, 'resource_type': resource_types,
            'resource': resources, 'usage': usage, 'blocking': blocking, 'rule': rules, 'phase_resource': mapping}


# --- the analysis -----------------------------------------------------------------------------------------------------

class Job:
    """A job on slices: everything is by number of the slice, counted from the start of the root."""

    def __init__(self, data, options):
        self.data, self.options = data, options
        self.slice = options['slice']
        self.types = {t['phase_type']: t for t in data['phase_type']}
        self.phases = {p['phase_id']: p for p in data['phase']}
        self.children = {p: [c['phase_id'] for c in data['phase'] if c['parent_id'] == p] for p in self.phases}
        self.resources = {r['resource_id']: r for r in data['resource']}
        self.classes = {t['resource_type']: t['class'] for t in data['resource_type']}
        self.rules = {(r['phase_type'], r['resource_type']): r for r in data['rule']}
        self.leaves = [p for p in self.phases if not self.children[p]]

    def snap(self, time):
        return (2 * time + self.slice) // (2 * self.slice)

    def life(self, p):
        return range(self.snap(self.phases[p]['start']), self.snap(self.phases[p]['end']))

    def access(self, p):
        own = [m['resource_id'] for m in self.data['phase_resource'] if m['phase_id'] == p]
        if own:
            return {r for r in self.resources if r in own or self.resources[r]['parent_id'] in own}
        parent = self.phases[p]['parent_id']
        return self.access(parent) if parent else set(self.resources)

    def rule(self, p, r):
        """(word, cap, delta), None when the leaf does not use the resource."""
        resource = self.resources[r]['resource_type']
        of = self.classes[resource]
        if of is None or r not in self.access(p):
            return None
        if of == 'blocking' and not self.options.get('use_blocking', True):
            return None
        kind = self.phases[p]['phase_type']
        while kind and (kind, resource) not in self.rules:
            kind = self.types[kind]['parent_type']
        row = self.rules[kind, resource] if kind else {'rule': 'full' if of == 'blocking' else 'sink', 'cap': None, 'delta': None}
        if row['rule'] == 'none':
            return None
        word = 'sink' if row['rule'] == 'greedy' and not self.options.get('use_greedy', True) else row['rule']
        return word, row['cap'], row['delta'] or self.options.get('delta', 0.95)

    def used(self, p, of):
        return [r for r in self.resources if self.classes[self.resources[r]['resource_type']] == of and self.rule(p, r)]

    @functools.lru_cache(maxsize=None)
    def blocked(self, r):
        return {t for b in self.data['blocking'] if b['resource_id'] == r
                for t in range(self.snap(b['start']), self.snap(b['end']))}

    @functools.lru_cache(maxsize=None)
    def active(self, p):
        waits = set().union(*(self.blocked(r) for r in self.used(p, 'blocking'))) if self.used(p, 'blocking') else set()
        return {t for t in self.life(p) if t not in waits}

    def users(self, r, t, word):
        return [p for p in self.leaves if t in self.active(p) and (self.rule(p, r) or ('',))[0] == word]

    def load(self, r, t):
        return sum(self.rule(p, r)[1] for p in self.users(r, t, 'greedy')), len(self.users(r, t, 'sink'))

    @functools.lru_cache(maxsize=None)
    def samples(self, r):
        """By slice: (usage, greedy, sink, background)."""
        found = {}
        rows = sorted((u for u in self.data['usage'] if u['resource_id'] == r), key=lambda u: (u['start'], u['end']))
        for i, row in enumerate(rows):
            slices = range(self.snap(row['start']), self.snap(row['end']))
            if self.options.get('sampling', 'phase_aware') == 'phase_aware':
                found.update(upsample(slices, row['usage'], self.resources[r]['capacity'], lambda t: self.load(r, t)))
                continue
            first = row['usage']
            if self.options['sampling'] == 'linear' and i > 0 and self.snap(rows[i - 1]['end']) == slices.start:
                first = rows[i - 1]['usage']
            for t in slices:
                share = (t - slices.start + 0.5) / len(slices) if self.options['sampling'] == 'linear' else 1
                found[t] = (first + (row['usage'] - first) * share, None, None, None)
        return found

    @functools.lru_cache(maxsize=None)
    def attributed(self, r):
        """By (leaf, slice): (usage, available capacity), as Algorithm 2 writes it."""
        found, capacity, samples = {}, self.resources[r]['capacity'], self.samples(r)
        for t in sorted({t for p in self.leaves for t in self.active(p)}):
            sample = samples.get(t, (0,))[0]
            greedy, sinks = self.users(r, t, 'greedy'), self.users(r, t, 'sink')
            caps = {p: self.rule(p, r)[1] for p in greedy}
            total = sum(caps.values())
            for p in greedy:
                found[p, t] = min(sample * caps[p] / total, caps[p]), min(capacity * caps[p] / total, caps[p])
            left = max(sample - sum(found[p, t][0] for p in greedy), 0)
            free = max(capacity - sum(found[p, t][1] for p in greedy), 0)
            for p in sinks:
                found[p, t] = (left if left > 1e-12 * capacity else 0) / len(sinks), free / len(sinks)
        return found

    @functools.lru_cache(maxsize=None)
    def limited(self, p, r):
        """By slice: the scope in which the resource limits the leaf."""
        if self.classes[self.resources[r]['resource_type']] == 'blocking':
            return {t: 'blocking' for t in self.life(p) if t in self.blocked(r)}
        found, capacity, samples = {}, self.resources[r]['capacity'], self.samples(r)
        delta = self.resources[r]['delta'] or self.options.get('delta', 0.95)
        for t in self.active(p):
            if t not in samples:
                continue
            usage, available = self.attributed(r)[p, t]
            if samples[t][0] > 1e-9 * capacity and samples[t][0] >= delta * capacity * (1 - 1e-9):
                found[t] = 'resource'
            elif usage > 1e-9 * capacity and usage >= self.rule(p, r)[2] * available * (1 - 1e-9):
                found[t] = 'phase'
        return found

    @functools.lru_cache(maxsize=None)
    def defined(self, p):
        if p in self.leaves:
            return frozenset(self.resources[r]['resource_type'] for of in ('consumable', 'blocking') for r in self.used(p, of))
        return frozenset().union(*(self.defined(c) for c in self.children[p]))

    @functools.lru_cache(maxsize=None)
    def bottleneck(self, p, kind):
        """The slices in which a type of resources limits a phase."""
        if p in self.leaves:
            mine = [r for r in self.resources if self.resources[r]['resource_type'] == kind and self.rule(p, r)]
            return {t for r in mine for t in self.limited(p, r)}
        word = self.types[self.phases[p]['phase_type']]['predicate'] or self.options.get('predicate', 'any')
        return {t for t in self.life(p) if holds(word, kind, [
            (self.phases[c]['phase_type'], kind in self.defined(c) and t in self.life(c), t in self.bottleneck(c, kind))
            for c in self.children[p]])}

    @functools.lru_cache(maxsize=None)
    def causes(self, p, kind):
        """By slice in which it is limited: why; None where only a function says so."""
        if p not in self.leaves:
            parts = [self.causes(c, kind) for c in self.children[p] if kind in self.defined(c)]
            return {t: max((x[t] for x in parts if x.get(t)), key=CAUSES.index, default=None) for t in self.bottleneck(p, kind)}
        found = {}
        for r in (r for r in self.resources if self.resources[r]['resource_type'] == kind and self.rule(p, r)):
            for t, scope in self.limited(p, r).items():
                if scope == 'resource':
                    most = max(self.attributed(r)[leaf, t][0] for leaf in self.leaves if (leaf, t) in self.attributed(r))
                    scope = 'saturated' if most >= self.resources[r]['capacity'] / 2 * (1 - 1e-9) else 'contended'
                cause = 'allocation' if scope == 'phase' else scope
                found[t] = max(cause, found.get(t, cause), key=CAUSES.index)
        return found

    # --- issues ---

    def makespans(self, p):
        """Algorithm 4: by type (actual, optimal)."""
        length = len(self.life(p))
        found = {self.phases[p]['phase_type']: (length, length)}
        for kind in self.types:
            of = [self.makespans(c) for c in self.children[p] if self.phases[c]['phase_type'] == kind]
            for below in {x for records in of for x in records}:
                records = [r[below] for r in of if below in r]
                if len(records) == 1:
                    found[below] = records[0]
                elif self.types[kind]['repeat'] == 'sequential':
                    found[below] = sum(r[0] for r in records), sum(r[1] for r in records)
                else:
                    found[below] = max(r[0] for r in records), sum(r[1] for r in records) / len(records)
        return found

    def impacts(self, p):
        """Algorithm 5: by type of resources; the heaviest of all paths."""
        if p in self.leaves:
            return {kind: len(self.bottleneck(p, kind)) for kind in self.defined(p)}
        weights = {}
        for kind in (k for k in self.types if self.types[k]['parent_type'] == self.phases[p]['phase_type']):
            of = [self.impacts(c) for c in self.children[p] if self.phases[c]['phase_type'] == kind]
            for source in {x for records in of for x in records}:
                values = [r[source] for r in of if source in r]
                mean = len(values) if self.types[kind]['repeat'] != 'sequential' else 1
                weights[kind, source] = sum(values) / mean
        after = {k: [e['after'] for e in self.data['precedence'] if e['before'] == k] for k in self.types}

        def heaviest(kind, source):
            return weights.get((kind, source), 0) + max((heaviest(k, source) for k in after[kind]), default=0)
        return {source: max(heaviest(k, source) for k in self.types) for _, source in weights}


def by_function(kind, parts):
    """For the network and the collector more than a third of all parts of a type; else none, or all that are defined."""
    limited = [t for t, _, b in parts if b]
    if kind in ('net', 'gc'):
        return any(3 * limited.count(t) > sum(x == t for x, _, _ in parts) for t in limited)
    return not limited or all(b for _, d, b in parts if d)


def holds(word, kind, parts):
    values = [(t, b) for t, d, b in parts if d]
    defined, limited = len(values), sum(v for _, v in values)
    if word == 'function:oracle.f':
        return defined > 0 and by_function(kind, parts)
    if word.endswith('_any'):
        return any(holds(word[:-4], kind, [v for v in parts if v[0] == t]) for t in {t for t, _ in values})
    if word.startswith('at_least:'):
        return limited > 0 and limited >= float(word[9:]) * defined * (1 - 1e-9)
    return {'any': limited > 0, 'all': 0 < limited == defined, 'majority': limited > 0 and 2 * limited >= defined,
            'strict_majority': 2 * limited > defined}[word]


def fill(slices, rest, load, room, capacity):
    """GENERATESAMPLES of Algorithm 1."""
    samples = dict.fromkeys(slices, 0)
    rest = rest if rest > 1e-12 * capacity else 0
    able = [t for t in slices if load[t] > 0 and room[t] > 1e-12 * capacity]
    able.sort(key=lambda t: -load[t] / room[t])
    for i, t in enumerate(able):
        samples[t] = min(rest * load[t] / sum(load[x] for x in able[i:]), room[t])
        rest = max(rest - samples[t], 0)
    return samples, rest


def upsample(slices, mean, capacity, load_of):
    loads = {t: load_of(t) for t in slices}
    rest = mean * len(slices)
    greedy, rest = fill(slices, rest, {t: loads[t][0] for t in slices}, {t: min(loads[t][0], capacity) for t in slices}, capacity)
    sink, rest = fill(slices, rest, {t: loads[t][1] for t in slices}, {t: capacity - greedy[t] for t in slices}, capacity)
    rest = rest if rest > 1e-11 * capacity else 0
    other, _ = fill(slices, rest, dict.fromkeys(slices, 1), {t: capacity - greedy[t] - sink[t] for t in slices}, capacity)
    return {t: (greedy[t] + sink[t] + other[t], greedy[t], sink[t], other[t]) for t in slices}


# --- rows ---------------------------------------------------------------------------------------------------------------

def usage_rows(job):
    """Function, columns and rows of what is by slice; each slice is a row."""
    t0 = ['start_us', 'end_us']

    def at(t):
        return [t * job.slice, (t + 1) * job.slice]
    consumable = [r for r in job.resources if job.resources[r]['capacity'] is not None]
    span = sorted({t for p in job.leaves for t in job.active(p)})
    yield 'active_phases', ['phase_id'] + t0, [[p] + at(t) for p in job.leaves for t in job.active(p)]
    yield 'blocked_intervals', ['phase_id', 'resource_id'] + t0, [
        [p, r] + at(t) for p in job.leaves for r in job.used(p, 'blocking') for t in job.limited(p, r)]
    yield 'estimated_workload', ['resource_id'] + t0 + ['greedy_demand', 'sink_count'], [
        [r] + at(t) + list(job.load(r, t)) for r in consumable for t in span if any(job.load(r, t))]
    yield 'upsample_usage', ['resource_id'] + t0 + ['usage', 'greedy_usage', 'sink_usage', 'background_usage'], [
        [r] + at(t) + list(s) for r in consumable for t, s in job.samples(r).items()]
    yield 'attribute_usage', ['phase_id', 'resource_id'] + t0 + ['usage', 'available_capacity'], [
        [p, r] + at(t) + list(a) for r in consumable for (p, t), a in job.attributed(r).items() if any(a)]
    yield 'unattributed_usage', ['resource_id'] + t0 + ['usage'], [
        [r] + at(t) + [max(s[0] - job.load(r, t)[0], 0)] for r in consumable for t, s in job.samples(r).items()
        if not job.load(r, t)[1]]
    seconds, below = job.slice / SECOND, {p: leaves_below(job, p) for p in job.phases}
    yield 'phase_consumption', ['phase_id', 'resource_id', 'consumption', 'available'], [
        [p, r] + [sum(a[i] for (leaf, _), a in job.attributed(r).items() if leaf in below[p]) * seconds for i in (0, 1)]
        for p in job.phases for r in consumable if any(job.rule(leaf, r) for leaf in below[p])]


def leaves_below(job, p):
    return {p} if p in job.leaves else set().union(*(leaves_below(job, c) for c in job.children[p]))


def bottleneck_rows(job):
    t0, seconds = ['start_us', 'end_us'], job.slice / SECOND

    def at(t):
        return [t * job.slice, (t + 1) * job.slice]
    yield 'leaf_bottlenecks', ['phase_id', 'resource_id'] + t0 + ['scope'], [
        [p, r] + at(t) + [scope] for p in job.leaves for r in job.resources if job.rule(p, r)
        for t, scope in job.limited(p, r).items()]
    yield 'bottlenecks', ['phase_id', 'resource_type'] + t0 + ['cause'], [
        [p, kind] + at(t) + [cause] for p in job.phases for kind in job.defined(p) for t, cause in job.causes(p, kind).items()]
    rows = []
    for p in job.phases:
        length = len(job.life(p))
        times = {kind: job.bottleneck(p, kind) for kind in job.defined(p)}
        free = set(job.life(p)).difference(*times.values())
        for kind, found in [*times.items(), (None, free)]:
            rows.append([p, kind, length * seconds, len(found) * seconds, len(found) / length if length else None])
    yield 'bottleneck_durations', ['phase_id', 'resource_type', 'duration', 'bottleneck_time', 'fraction'], rows
    yield 'bottleneck_timeline', ['phase_id'] + t0 + ['resource_types'], [
        [p] + at(t) + [','.join(sorted(k for k in job.defined(p) if t in job.bottleneck(p, k)))]
        for p in job.phases for t in job.life(p)]


def issue_rows(job):
    seconds = job.slice / SECOND
    yield 'phase_imbalance', ['phase_id', 'phase_type', 'actual_makespan', 'optimal_makespan'], [
        [p, kind, m[0] * seconds, m[1] * seconds] for p in job.phases for kind, m in job.makespans(p).items()]
    yield 'bottleneck_issues', ['phase_id', 'resource_type', 'estimated_impact', 'relative_impact'], [
        [p, source, impact * seconds, impact / len(job.life(p)) if len(job.life(p)) else None]
        for p in job.phases for source, impact in job.impacts(p).items() if impact > 0]


OPTIONS = (
    {}, {'sampling': 'constant'}, {'sampling': 'linear', 'delta': 0.7}, {'use_greedy': False}, {'use_blocking': False})


def main(out, seed, count):
    for number in range(seed, seed + count):
        data = draw(number)
        calls = []
        for i, options in enumerate(OPTIONS):
            options = {'slice': (SECOND, SECOND // 4)[number % 2 * (i == 0)], **options}
            for rows_of in (usage_rows, bottleneck_rows, issue_rows):
                for fn, columns, rows in rows_of(Job(data, options)):
                    calls.append({'fn': fn, 'args': options, 'columns': columns, 'rows': rows})
        for word in PREDICATES:
            options = {'slice': SECOND, 'predicate': word}
            fn, columns, rows = list(bottleneck_rows(Job(data, options)))[1]
            calls.append({'fn': fn, 'args': options, 'columns': columns, 'rows': rows})
        file = {'name': f'drawn_{number}', 'kind': 'random', 'input': data, 'calls': calls}
        pathlib.Path(out, f'drawn_{number}.json').write_text(json.dumps(file), encoding='utf-8')


if __name__ == '__main__':
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
