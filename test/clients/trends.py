#!/usr/bin/env python3
"""Trends against their data: bands, runs outside, changes and findings, computed anew from what trend_svg() was called with.

Reads a file of JSON, one case a line. Scales are read back from the labels of ticks, as in plots.py.
"""
import datetime
import math
import re
import xml.etree.ElementTree as ET

from plots import Axis, SVG, check, check_path, commands, distinct, near, number, place, run, share_labels, texts, x_ticks, y_ticks

LINE, OUTSIDE, LEVEL, EXPECTED = '0', '1', '2', '8'


def seconds(text, day):
    """Of "2026-11-23 15:08", perhaps "2026-11-23" or "2026" alone, or "15:08:12" of a day that the axis' title says."""
    if re.match(r'\d\d:', text):
        text = day + ' ' + text
    text += {4: '-01-01', 7: '-01'}.get(len(text), '')
    return datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.timezone.utc).timestamp()


def runs_of(case):
    """By panel, in the order of starts: (element, start, y)."""
    n = len(case['ys'])
    panels = case['panels'] or [None] * n
    kept = [i for i in range(n) if case['ys'][i] not in (None, 'NaN') and (not case['starts'] or case['starts'][i] is not None)]
    if case['starts']:
        kept.sort(key=lambda i: case['starts'][i])
    return [[i for i in kept if panels[i] == name] for name in distinct(panels)], n - len(kept)


def mean_of(values):
    return math.fsum(values) / len(values)


def deviation_of(values):
    """In units of the largest, so that no square vanishes."""
    unit = max(map(abs, values)) or 1.0
    mean = mean_of(values)
    return unit * math.sqrt(math.fsum(((v - mean) / unit) ** 2 for v in values) / (len(values) - 1))


def expected(case, runs):
    """(mean, lower, upper) of each run, None where there is none."""
    for place_of, run in enumerate(runs):
        if case['mean'] or case['lower']:
            yield tuple(case[key][run] if case[key] else None for key in ('mean', 'lower', 'upper'))
            continue
        before = [case['ys'][i] for i in runs[max(0, place_of - case['window']):place_of]]
        if len(before) < 2:
            yield None, None, None
        else:
            mean, spread = mean_of(before), case['k'] * deviation_of(before)
            yield mean, mean - spread, mean + spread


def close(got, wanted, what, size=0.0):
    """Ends of a band may be near 0; they are as exact as the mean is."""
    check(math.isclose(got, wanted, rel_tol=1e-9, abs_tol=1e-9 * abs(size)), what, got, 'instead of', wanted)


def title_of(element):
    return element.find(SVG + 'title').text


def after(word, title):
    return float(re.search(re.escape(word) + r' ([-+]?[\d.]+(?:e[-+]?\d+)?)', title).group(1))


def group(panel, style):
    found = [g for g in panel if g.get('class') == 's' and g.get('data-s') == style]
    check(len(found) <= 1, 'layers of style', style)
    return found[0] if found else []


def points(found):
    return [e for e in found if e.tag == SVG + 'circle' or (e.tag == SVG + 'path' and e.get('class') is None)]


# --- marks ---

def check_titles(elements, runs, bands, case):
    for element, run, (mean, lower, upper) in zip(elements, runs, bands):
        title = title_of(element)
        check('\\u{' not in title, 'an escape in title', title)
        check(after(', y', title) == case['ys'][run], 'y in title', title)
        check(('mean' in title) == (mean is not None), 'mean in title', title)
        if mean is not None:
            close(after('mean', title), mean, 'mean')
        if lower is not None and upper is not None:
            close(after('band', title), lower, 'lower', mean or 0)
            close(after(' to', title), upper, 'upper', mean or 0)
        if None not in (mean, lower, upper) and upper > mean:
            score = (case['ys'][run] - mean) / ((upper - mean) / case['k'])
            check(abs(after('score', title) - score) <= abs(score) * 0.006 + 1e-300, 'score', title, score)
        is_outside = None not in (lower, upper) and not lower <= case['ys'][run] <= upper
        check(title.endswith(': outside') == is_outside, 'outside in title', title)
        if case['labels']:
            check(case['labels'][run] in title, 'label in title', title)


def check_runs(panel, runs, bands, xs, axes, case):
    elements = points(group(panel, LINE))
    check(len(elements) == len(runs), len(elements), 'runs instead of', len(runs))
    for element, run, x in zip(elements, runs, xs):
        got = place(element)
        near(got[0], x, 'x of a run')
        near(got[1], axes[1].at(case['ys'][run]), 'y of a run')
    check_titles(elements, runs, bands, case)
    outside = [i for i, (_, lower, upper) in enumerate(bands) if None not in (lower, upper) and not lower <= case['ys'][runs[i]] <= upper]
    elements = points(group(panel, OUTSIDE))
    check(len(elements) == len(outside), len(elements), 'outside instead of', len(outside))
    for element, i in zip(elements, outside):
        got = place(element)
        near(got[0], xs[i], 'x of one outside')
        near(got[1], axes[1].at(case['ys'][runs[i]]), 'y of one outside')
    check_titles(elements, [runs[i] for i in outside], [bands[i] for i in outside], case)
    return len(outside)


def check_band(panel, bands, xs, axes):
    band = [e for e in group(panel, EXPECTED) if e.get('class') == 'band']
    wanted, piece = [], []
    for x, (_, lower, upper) in list(zip(xs, bands)) + [(None, (None, None, None))]:
        if lower is not None and upper is not None:
            piece.append((x, lower, upper))
            continue
        if piece:
            wanted += [('L' if i else 'M', [x, axes[1].at(u)]) for i, (x, _, u) in enumerate(piece)]
            wanted += [('L', [x, axes[1].at(lo)]) for x, lo, _ in reversed(piece)] + [('z', [])]
        piece = []
    check(len(band) <= 1 and (band or not wanted), 'bands')
    if band:
        check_path(commands(band[0].get('d')), wanted, 'the band')
    line = [e for e in group(panel, EXPECTED) if e.get('class') == 'line']
    wanted = [(x, mean) for x, (mean, _, _) in zip(xs, bands) if mean is not None]
    check(len(line) == bool(wanted), 'lines of means')
    if line:
        got = [place_of for _, place_of in commands(line[0].get('d'))]
        check(len(got) == len(wanted), 'means')
        for (x, y), (at, mean) in zip(got, wanted):
            near(x, at, 'x of a mean')
            near(y, axes[1].at(mean), 'a mean')


def check_changes(panel, runs, xs, axes, case):
    """The lines, what their titles say, and the means between them."""
    changes = sorted({runs.index(c - 1) for c in case['change_at'] or [] if c - 1 in runs})
    rules = [g for g in panel if g.get('class') == 'r' and title_of(g).startswith('change at')]
    check(len(rules) == len(changes), len(rules), 'changes instead of', len(changes))
    ends = [0] + changes + [len(runs)]
    levels = [mean_of([case['ys'][i] for i in runs[a:b]]) if b > a else None for a, b in zip(ends, ends[1:])]
    for rule, change, before, later in zip(rules, changes, levels, levels[1:]):
        near(float(rule.find(SVG + 'line').get('x1')), xs[change], 'a change')
        if before is not None:
            close(after('mean', title_of(rule)), before, 'the mean before')
            change_of = (later - before) / abs(before)
            check(f'{abs(change_of):.0%}'.replace('%', ' %') in title_of(rule) or abs(change_of) < 0.1, 'change', title_of(rule))
            close(float(re.search(r'before, ([-\d.e+]+) after', title_of(rule)).group(1)), later, 'the mean after')
    lines = [e for e in group(panel, LEVEL) if e.get('class') == 'line']
    got = [at for e in lines for _, at in commands(e.get('d'))]
    wanted = [(xs[min(i, len(xs) - 1)], level) for a, b, level in zip(ends, ends[1:], levels) if level is not None for i in (a, b)]
    check(len(got) == (len(wanted) if changes else 0), 'levels', got, wanted)
    for (x, y), (at, level) in zip(got, wanted):
        near(x, at, 'end of a level')
        near(y, axes[1].at(level), 'a level')


def check_findings(panel, runs, xs, case):
    wanted = [(i + 1, f) for i, f in enumerate(case['findings']) if f['at'] - 1 in runs]
    flags = [g for g in panel if g.get('class') == 'r' and not title_of(g).startswith('change at')]
    check(len(flags) == len(wanted), len(flags), 'flags instead of', len(wanted))
    for flag in flags:
        title = title_of(flag)
        check('\\u{' not in title, 'an escape in title', title)
        finding = case['findings'][int(title.split()[0]) - 1]
        near(float(flag.find(SVG + 'line').get('x1')), xs[runs.index(finding['at'] - 1)], 'a flag')
        check(finding.get('label', '') in title and finding.get('kind', '') in title, 'title of a flag', title)


# --- pictures ---

def check_labels(panel):
    """No words beside points or rules touch each other."""
    boxes = []
    for text in panel.iter(SVG + 'text'):
        if text.get('class') is None and text.get('text-anchor') == 'start':
            left, base = float(text.get('x')), float(text.get('y'))
            boxes.append((left, left + 7.5 * len(text.text), base))
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            check(a[1] <= b[0] or b[1] <= a[0] or abs(a[2] - b[2]) >= 12, 'words overlap', a, b)


def check_trend(case):
    root = ET.fromstring(case['svg'])
    share_labels(root)
    # jsonb writes 1e100 as a whole number
    case['ys'] = [y if y in (None, 'NaN') else float(y) for y in case['ys']]
    by_panel, dropped = runs_of(case)
    words = '\n'.join(t.text or '' for t in root.iter(SVG + 'text'))
    check((f'{dropped} dropped (null or not a number)' in words) == (dropped > 0), 'dropped', dropped)
    for i, finding in enumerate(case['findings']):
        check(re.search(rf"^{i + 1} {re.escape(finding.get('kind', ''))}", words, re.M), 'a finding is not listed', i + 1)
    panels = [g for g in root.iter(SVG + 'g') if g.get('class') == 'a']
    check(len(panels) == len(by_panel), len(panels), 'panels')
    outside = 0
    day = ''.join(re.findall(r'^(\d{4}-\d\d-\d\d) UTC$', words, re.M))
    for panel, runs in zip(panels, by_panel):
        ticks = x_ticks(panel)
        y = Axis([(number(label), at) for label, at in y_ticks(panel)], False)
        if case['labels']:
            x = Axis([(i + 1, at) for i, (_, at) in enumerate(ticks)], False)
            check([label for label, _ in ticks][:len(runs)] == [case['labels'][i] for i in runs], 'labels')
        else:
            x = Axis([(seconds(label, day) if case['starts'] else number(label), at) for label, at in ticks], False)
        xs = [x.at(case['starts'][run] if case['starts'] and not case['labels'] else i + 1) for i, run in enumerate(runs)]
        bands = list(expected(case, runs))
        check_band(panel, bands, xs, (x, y))
        outside += check_runs(panel, runs, bands, xs, (x, y), case)
        check_changes(panel, runs, xs, (x, y), case)
        check_findings(panel, runs, xs, case)
        check_labels(panel)
    check((f'{outside} outside' in words) == (outside > 0), 'the count of those outside')
    return sum(map(len, by_panel)), outside


if __name__ == '__main__':
    run(check_trend, 'trends', 'runs', 'outside')
