#!/usr/bin/env python3
"""Correlations against their profiles: values of the function, points, and both coefficients, computed anew.

Reads a file of JSON, one case a line: the SVG of correlation_svg(), what it was called with, and the rows of
correlation_points() and frame_correlation() for the same. Pearson's coefficient is that of Python's statistics.
"""
import math
import re
import statistics
import xml.etree.ElementTree as ET

from plots import Axis, SVG, check, near, number, place, run, share_labels, x_ticks, y_ticks


def value_of(stacks, frame, level):
    """None where the function does not occur."""
    if level == 'self':
        found = [value for frames, value in stacks if frames[-1] == frame]
    elif level == 'node':
        path = frame.split(';')
        found = [value for frames, value in stacks if frames[:len(path)] == path]
    else:
        found = [value for frames, value in stacks if frame in frames]
    return math.fsum(found) if found else None


def panels_of(case):
    """(benchmark, points) in the order of benchmarks, those of each in the order of the array."""
    names = case['benchmarks'] or [None] * len(case['stacks'])
    for name in sorted(set(names), key=lambda n: (n or '').encode()):
        points = []
        for of, stacks, metric in zip(names, case['stacks'], case['metric']):
            if of != name or metric in (None, 'NaN'):
                continue
            value = value_of(stacks, case['frame'], case['level'])
            if value is not None or case['missing'] == 'zero':
                points.append((value or 0.0, float(metric)))
        if any(value_of(stacks, case['frame'], case['level']) is not None for of, stacks, metric in zip(names, case['stacks'], case['metric'])
               if of == name and metric not in (None, 'NaN')):
            yield name, points


def ranks(values):
    """From 1; equal values have the mean of theirs."""
    order = sorted(values)
    return [order.index(v) + (order.count(v) + 1) / 2 for v in values]


def pearson(xs, ys):
    if len(xs) < 2:
        return None
    if len(set(xs)) == 1 or len(set(ys)) == 1:
        return 0.0
    return statistics.correlation(xs, ys)


def check_coefficient(text, wanted, what):
    if wanted is None:
        return check(text == 'none', what, text)
    return check(abs(number(text) - wanted) <= 0.00051, what, text, 'instead of', wanted)


def check_panel(panel, points, row, exact):
    axes = [Axis([(number(label), at) for label, at in ticks(panel)], False) for ticks in (x_ticks, y_ticks)]
    marks = [e for g in panel if g.get('class') == 's' for e in g if e.tag == SVG + 'circle']
    check(len(marks) == len(points) and points == list(zip(row['samples'], row['metrics'])), 'points', points, row)
    for mark, (x, y) in zip(marks, points):
        got = re.search(r'^x (\S+), y (\S+)$', mark.find(SVG + 'title').text)
        check((float(got.group(1)), float(got.group(2))) == (x, y), 'title', got.group(0), x, y)
        at = place(mark)
        near(at[0], axes[0].at(x), 'x')
        near(at[1], axes[1].at(y), 'y')
    xs, ys = zip(*points)
    r, rho = pearson(xs, ys), pearson(ranks(xs), ranks(ys))
    check((r is None) == (row['coefficient'] is None) and (r is None or math.isclose(r, row['coefficient'], rel_tol=1e-9, abs_tol=1e-12)), 'SQL has', row['coefficient'], r)
    words = [t.text for t in panel.iter(SVG + 'text')]
    (facts,) = [w for w in words if re.match(r'r \S+, ρ \S+, n \d+$', w or '')]
    got = re.match(r'r (\S+), ρ (\S+), n (\d+)$', facts)
    check_coefficient(got.group(1), r, 'Pearson')
    check_coefficient(got.group(2), rho, 'Spearman')
    check(int(got.group(3)) == len(points), 'runs', facts)
    if r is not None:
        check(all(math.isclose(float(e), w, rel_tol=1e-9, abs_tol=1e-12) for e, w in zip(next(exact), (r, rho))), 'exact coefficients', r, rho)
    return axes


def check_correlation(case):
    root = ET.fromstring(case['svg'])
    share_labels(root)
    words = ' '.join(t.text or '' for t in root.iter(SVG + 'text'))
    wanted = list(panels_of(case))
    panels = [g for g in root.iter(SVG + 'g') if g.get('class') == 'a']
    rows = case['points'] or []
    check(len(panels) == len(wanted) == len(rows), len(panels), 'panels instead of', len(wanted), len(rows))
    exact = iter(re.findall(r'(-?[\d.e-]+) and (-?[\d.e-]+?)[;.](?: |$)', root.find(SVG + 'desc').text.split('.', 1)[1]))
    for panel, (name, points), row in zip(panels, wanted, rows):
        check(row['benchmark'] == name, 'benchmark', name, row)
        check(name is None or name in [t.text for t in panel.iter(SVG + 'text')], 'heading', name)
        check_panel(panel, points, row, exact)
    drawn = sum(len(points) for _, points in wanted)
    missing = sum(metric in (None, 'NaN') for metric in case['metric'])
    check((f'{missing} dropped (no metric)' in words) == (missing > 0), 'dropped', missing)
    without = len(case['metric']) - missing - drawn
    check((f'{without} left out' in words) == (without > 0), 'left out', without)
    if case['score'] is not None:
        got = re.search(r'Pearson (\S+) over', words).group(1)
        check(abs(number(got) - case['score']) <= 0.00051, 'score', got, case['score'])
    else:
        check('no benchmark has three runs' in words or not panels, 'no score')
    return drawn


if __name__ == '__main__':
    run(check_correlation, 'correlations', 'runs')
