#!/usr/bin/env python3
"""Plots against their data: each mark has to be where the axes, as their labels say them, put its numbers.

Reads a file of JSON, one case a line: the SVG of plot_svg() and what it was called with. Nothing of our code is asked:
scales are read back from the labels of ticks, and units from the titles of axes.
"""
import json
import math
import re
import sys
import xml.etree.ElementTree as ET

SVG = '{http://www.w3.org/2000/svg}'
NEAR = 0.021
UNITS = {'milliseconds': {'ns': 1e-6, 'µs': 1e-3, 'ms': 1, 's': 1e3, 'min': 6e4, 'h': 3.6e6},
         'bytes': {'B': 1, 'KiB': 2 ** 10, 'MiB': 2 ** 20, 'GiB': 2 ** 30}, 'fraction': {'%': 0.01},
         'samples': {'samples': 1, 'M samples': 1e6, 'G samples': 1e9}, None: {'': 1}}


class Wrong(Exception):
    pass


def check(good, *what):
    if not good:
        raise Wrong(' '.join(map(str, what)))


def near(got, expected, what):
    check(abs(got - expected) <= NEAR, what, got, 'instead of', expected)


def number(label):
    return float(label.replace(',', ''))


class Axis:
    """Two labelled ticks make the scale; the other ones have to fit it."""

    def __init__(self, ticks, log, unit=1.0):
        check(len(ticks) >= 2, 'fewer than two labels')
        self.log = log
        self.ticks = [(self.position(value * unit), at) for value, at in ticks]
        (self.v0, self.p0), (self.v1, self.p1) = self.ticks[0], self.ticks[-1]
        for value, at in self.ticks:
            near(at, self.of(value), 'a tick is at')

    def position(self, value):
        return math.log10(value) if self.log else value

    def of(self, position):
        return self.p0 + (position - self.v0) / (self.v1 - self.v0) * (self.p1 - self.p0)

    def at(self, value):
        return self.of(self.position(value))


def texts(panel, name):
    for text in panel.iter(SVG + 'text'):
        if text.get('class') == name:
            yield text


def left_of(panel):
    (frame,) = [g for g in panel if g.get('stroke') and g.get('class') is None and not g.get('stroke-opacity')]
    return frame.find(SVG + 'line').get('x1')


def share_labels(root):
    """Panels with the same scale have their labels of x below the lowest one of each column: the others get them here."""
    columns = {}
    for panel in (g for g in root.iter(SVG + 'g') if g.get('class') == 'a'):
        columns.setdefault(left_of(panel), []).append(panel)
    for column in columns.values():
        labels = [[g for g in panel if next(texts(g, 'ax'), None) is not None] for panel in column]
        check(labels[-1] and (all(labels) or not any(labels[:-1])), 'labels are not below the lowest panel')
        for panel, own in zip(column, labels):
            if not own:
                panel.extend(labels[-1])


def x_ticks(panel):
    """Labels and where they are; none may touch the next one."""
    level, turned, found = [], [], []
    for text in texts(panel, 'ax'):
        if text.get('transform'):
            at = float(re.match(r'translate\(([-\d.]+) ', text.get('transform')).group(1)) - 4
            turned.append(at)
        else:
            at = float(text.get('x'))
            level.append((at - 3.75 * len(text.text), at + 3.75 * len(text.text)))
        found.append((text.text, at))
    check(not (level and turned), 'labels turned and level')
    check(all(a[1] <= b[0] for a, b in zip(level, level[1:])), 'labels overlap', level)
    check(all(b - a >= 16.9 for a, b in zip(turned, turned[1:])), 'turned labels overlap', turned)
    return found


def y_ticks(panel):
    found = [(text.text, float(text.get('y')) - 4) for text in texts(panel, 'ay')]
    check(all(a[1] - b[1] >= 12 for a, b in zip(found, found[1:])), 'labels of y overlap')
    return found


def factor(root, unit):
    """What 1 of a label is, by the title of the axis of y."""
    for text in root.iter(SVG + 'text'):
        for word, size in UNITS[unit].items():
            if word and (text.text == word or (text.text or '').endswith(f'({word})')):
                return size
    check(unit is None, 'no unit', unit)
    return 1.0


# --- data ---

def rows_of(case):
    """(x, y, lower, upper, series, panel) of what has a place, and how many have none."""
    n = len(case['ys'])
    xs = case['xs'] or list(range(1, n + 1))
    kept, missing, below = [], 0, 0
    for i in range(n):
        x, y = xs[i], case['ys'][i]
        if x in (None, 'NaN') or y in (None, 'NaN'):
            missing += 1
        elif (case['x_log'] and x <= 0) or (case['y_log'] and y <= 0):
            below += 1
        else:
            get = lambda key: case[key][i] if case[key] else None
            kept.append((x, y, get('lower'), get('upper'), get('series'), get('panels')))
    return kept, missing, below


def distinct(values):
    return list(dict.fromkeys(values))


def place(element):
    """The middle of a point's shape."""
    if element.tag == SVG + 'circle':
        return float(element.get('cx')), float(element.get('cy'))
    x, y = re.match(r'M([-\d.]+) ([-\d.]+)m', element.get('d')).groups()
    return float(x), float(y)


def short(value):
    """As the shortest text that reads back is written in tooltips."""
    return repr(value) if value != int(value) or abs(value) >= 1e15 else str(int(value))


def check_title(element, row, case):
    title = element.find(SVG + 'title').text
    numbers = [float(n) for n in re.findall(r'(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.])', title.split('\n')[-1])]
    check(numbers[:2] == [row[0], row[1]], 'title', title, 'of', row)
    if case['mark'] in ('points', 'bars') and None not in row[2:4] and case['lower']:
        check(numbers[2:4] == sorted(row[2:4]), 'range in title', title)
    if row[4]:
        check(title.split('\n')[0] == row[4], 'name in title', title)


# --- axes ---

def lines_of(group):
    return [tuple(float(line.get(name)) for name in ('x1', 'y1', 'x2', 'y2')) for line in group.iter(SVG + 'line')]


def check_axes(panel, log):
    """Each label has a tick and a line of the grid; the frame is where they begin; 0 has a line of its own."""
    plain = [g for g in panel if g.get('stroke') and g.get('class') is None]
    (grid,) = [lines_of(g) for g in plain if g.get('stroke-opacity')]
    (frame,) = [lines_of(g) for g in plain if not g.get('stroke-opacity')]
    left, top, _, bottom = frame[0]
    right = frame[1][2]
    check(frame[:2] == [(left, top, left, bottom), (left, bottom, right, bottom)], 'the frame', frame[:2])
    ys, xs = y_ticks(panel), x_ticks(panel)
    for _, at in ys:
        check(any(abs(line[1] - at) <= NEAR and line[1] == line[3] and line[::2] == (left, right) for line in grid), 'no line of the grid at y', at)
        check(any(abs(line[1] - at) <= NEAR and line[1] == line[3] and line[::2] == (left - 4, left) for line in frame), 'no tick at y', at)
    for _, at in xs:
        check(any(abs(line[0] - at) <= NEAR and line[0] == line[2] and line[1::2] == (top, bottom) for line in grid), 'no line of the grid at x', at)
        check(any(abs(line[0] - at) <= NEAR and line[0] == line[2] and line[1::2] == (bottom, bottom + 4) for line in frame), 'no tick at x', at)
    values = [number(label) for label, _ in ys]
    zeros = [line for line in frame[2:] if line[::2] == (left, right)]
    if not log and min(values) < 0 < max(values):
        check(len(zeros) == 1 and all(abs(zeros[0][1] - at) <= NEAR for (_, at), value in zip(ys, values) if value == 0), 'the line of 0', zeros)
    else:
        check(log or len(zeros) == 0, 'a line of 0', zeros)


# --- marks ---

def points_of(group):
    return [e for e in group if e.tag == SVG + 'circle' or (e.tag == SVG + 'path' and e.get('class') is None)]


def check_points(group, rows, axes, case):
    elements = points_of(group)
    check(len(elements) == len(rows), len(elements), 'points instead of', len(rows))
    for element, row in zip(elements, rows):
        x, y = place(element)
        near(x, axes[0].at(row[0]), 'x of a point')
        near(y, axes[1].at(row[1]), 'y of a point')
        check_title(element, row, case)
    ranges = [e for e in group if e.get('class') == 'range']
    with_range = [r for r in rows if r[2] is not None and r[3] is not None]
    if case['mark'] == 'points':
        check(len(ranges) == len(with_range), 'ranges')
        check_ranges(ranges, with_range, axes)


def check_ranges(ranges, rows, axes, middles=None):
    """A line from end to end, and one across each end; at the middles of bars, or at x."""
    for i, (element, row) in enumerate(zip(ranges, rows)):
        x, lower, upper = middles[i] if middles else axes[0].at(row[0]), axes[1].at(min(row[2:4])), axes[1].at(max(row[2:4]))
        ends = ((x - 4, lower), (x + 4, lower), (x, lower), (x, upper), (x - 4, upper), (x + 4, upper))
        check_path(commands(element.get('d')), [('ML'[i % 2], list(end)) for i, end in enumerate(ends)], 'a range')


def commands(d):
    return [(c, [float(n) for n in re.findall(r'-?[\d.]+', rest)]) for c, rest in re.findall(r'([MLHVz])([^MLHVz]*)', d)]


def expected_path(rows, column, axes, steps):
    for i, row in enumerate(rows):
        yield ('M' if i == 0 else 'L'), [axes[0].at(row[0]), axes[1].at(row[column])]
        if steps:
            yield 'H', [axes[0].at(rows[min(i + 1, len(rows) - 1)][0])]


def check_path(got, expected, what):
    got, expected = list(got), list(expected)
    check([c for c, _ in got] == [c for c, _ in expected], what, 'has other parts', len(got), len(expected))
    for (_, a), (_, b) in zip(got, expected):
        for x, y in zip(a, b):
            near(x, y, what)


def check_band(group, rows, axes, steps):
    """Along the upper edge, back along the lower one; a piece for each run of rows that have both."""
    (band,) = [e for e in group if e.get('class') == 'band']
    expected, run = [], []
    for row in rows + [None]:
        if row is not None and row[2] is not None and row[3] is not None:
            run.append(row)
            continue
        if run:
            expected += expected_path_of_band(run, rows, axes, steps)
        run = []
    check_path(commands(band.get('d')), expected, 'a band')


def expected_path_of_band(run, rows, axes, steps):
    ends = {id(row): rows[min(i + 1, len(rows) - 1)][0] for i, row in enumerate(rows)}
    for i, row in enumerate(run):
        yield ('M' if i == 0 else 'L'), [axes[0].at(row[0]), axes[1].at(max(row[2:4]))]
        if steps:
            yield 'H', [axes[0].at(ends[id(row)])]
    for row in reversed(run):
        if steps:
            yield 'L', [axes[0].at(ends[id(row)]), axes[1].at(min(row[2:4]))]
        yield 'L', [axes[0].at(row[0]), axes[1].at(min(row[2:4]))]
    yield 'z', []


def check_line(group, rows, axes, case):
    steps = case['mark'] == 'steps'
    rows = sorted(rows, key=lambda row: row[0])
    (line,) = [e for e in group if e.get('class') == 'line']
    if len(rows) > 5000:
        return check_long_line(line, rows, axes)
    check_path(commands(line.get('d')), expected_path(rows, 1, axes, steps), 'a line')
    if len(rows) <= 500:
        check_points(group, rows, axes, case)
    if case['lower']:
        check_band(group, rows, axes, steps)
    return None


def check_long_line(line, rows, axes):
    """In each column of a pixel the line reaches as far up and down as its points do."""
    seen, drawn = {}, {}
    for row in rows:
        seen.setdefault(math.floor(axes[0].at(row[0])), []).append(axes[1].at(row[1]))
    for _, (x, y) in commands(line.get('d')):
        drawn.setdefault(math.floor(x), []).append(y)
    check(len(seen) >= len(drawn) - 2 and sum(map(len, drawn.values())) <= 4 * len(drawn) + 8, 'columns of a line')
    far = [c for c in seen if c in drawn and (abs(min(seen[c]) - min(drawn[c])) > 0.02 or abs(max(seen[c]) - max(drawn[c])) > 0.02)]
    check(len(far) <= len(seen) / 50, 'a long line is not where its points are', far)


def check_bars(group, rows, axes, series, of_series):
    bars = [e for e in group if e.tag == SVG + 'rect']
    check(len(bars) == len(rows), 'bars')
    base = axes[1].at(0) if not axes[1].log else None
    for bar, row in zip(bars, rows):
        x, y, width, height = (float(bar.get(k)) for k in ('x', 'y', 'width', 'height'))
        side = x + width * (of_series / 2 - series)
        near(side, axes[0].at(row[0]), 'the middle of bars')
        if base is not None:
            near(y, min(base, axes[1].at(row[1])), 'top of a bar')
            near(height, abs(base - axes[1].at(row[1])), 'height of a bar')
        else:
            near(y, axes[1].at(row[1]), 'top of a bar')
    ranges = [e for e in group if e.get('class') == 'range']
    pairs = [(row, float(bar.get('x')) + float(bar.get('width')) / 2) for bar, row in zip(bars, rows) if row[2] is not None and row[3] is not None]
    check(len(ranges) == len(pairs), 'ranges of bars')
    check_ranges(ranges, [row for row, _ in pairs], axes, [middle for _, middle in pairs])


def check_cells(panel, rows, axes, names):
    """Each point is counted once, in the cell it is in."""
    cells = [(names[int(g.get('data-s'))], e) for g in panel if g.get('class') == 's' for e in g if e.tag == SVG + 'rect']
    total, near_by = 0, {}
    for row in rows:
        places = [axis.at(value) for axis, value in zip(axes, row)]
        # a cell's middle rounds to one of these, whichever way its edges lie
        for key in {tuple(round((at + by[i]) / 4) for i, at in enumerate(places)) for by in ((-2, -2), (-2, 2), (2, -2), (2, 2))}:
            near_by.setdefault((row[4],) + key, []).append((row, places))
    for series, cell in cells:
        title = cell.find(SVG + 'title').text
        count, rest = re.match(r'(\d+) points?: (.*)', title).groups()
        side, total = float(cell.get('width')), total + int(count)
        check(side == (1.5 if count == '1' else 2.4 if int(count) < 10 else 3.2 if int(count) < 100 else 4), 'a side', side, count)
        middle = float(cell.get('x')) + side / 2, float(cell.get('y')) + side / 2
        inside = [row for row, places in near_by.get((series,) + tuple(round(at / 4) for at in middle), []) if all(abs(a - b) < 1.97 for a, b in zip(places, middle))]
        ends = [[float(n) for n in re.findall(r'-?\d+(?:\.\d+)?(?:e[-+]?\d+)?', part)] for part in rest.split(', y ')]
        for axis, at, numbers in zip(axes, middle, ends):
            for value in numbers:
                check(abs(axis.at(value) - at) <= 2.05, 'a point is outside of its cell', title)
        for i, numbers in enumerate(ends):
            # what is near an edge may belong to the next cell; written are six digits
            check(all(min(numbers) * (1 - 1e-5) <= row[i] <= max(numbers) * (1 + 1e-5) for row in inside), 'a point beyond the ends', title)
    check(total == len(rows), 'cells count', total, 'instead of', len(rows))


# --- pictures ---

def panel_axes(root, panel, case):
    unit = factor(root, case['unit'])
    x = Axis([(number(label), at) for label, at in x_ticks(panel)], case['x_log'])
    y = Axis([(number(label), at) for label, at in y_ticks(panel)], case['y_log'], unit)
    return x, y


def check_panel(panel, rows, axes, names, case):
    if case['mark'] == 'points' and case['cells']:
        check_cells(panel, rows, axes, names)
        return
    groups = {int(g.get('data-s')): g for g in panel if g.get('class') == 's'}
    for s, name in enumerate(names):
        of_series = [row for row in rows if row[4] == name]
        check(bool(of_series) == (s in groups), 'a series is missing')
        if not of_series:
            continue
        if case['mark'] == 'points':
            check_points(groups[s], of_series, axes, case)
        elif case['mark'] == 'bars':
            check_bars(groups[s], of_series, axes, s, len(names))
        else:
            check_line(groups[s], of_series, axes, case)


def within(axis, values):
    ends = sorted((axis.ticks[0][0], axis.ticks[-1][0]))
    # where labels were left out, the last one is not the last tick
    slack = (ends[1] - ends[0]) if len(axis.ticks) < 4 else (ends[1] - ends[0]) / (len(axis.ticks) - 1) + 1e-9
    return all(ends[0] - slack <= axis.position(v) <= ends[1] + slack for v in values)


def check_picture(case):
    root = ET.fromstring(case['svg'])
    share_labels(root)
    kept, missing, below = rows_of(case)
    case['cells'] = len(kept) > 5000
    footnote = ' '.join(t.text or '' for t in root.iter(SVG + 'text'))
    check((f'{missing} dropped (null or not a number)' in footnote) == (missing > 0), 'dropped')
    check((f'{below} dropped: not positive' in footnote) == (below > 0), 'not positive')
    panels = [g for g in root.iter(SVG + 'g') if g.get('class') == 'a']
    names = distinct(case['series']) if case['series'] else [None]
    headings = distinct(case['panels']) if case['panels'] else [None]
    check(len(panels) == (len(headings) if kept else 0), len(panels), 'panels')
    scales = []
    for panel, heading in zip(panels, headings):
        axes = panel_axes(root, panel, case)
        rows = [row for row in kept if row[5] == heading]
        check(within(axes[0], [r[0] for r in rows]) and within(axes[1], [r[1] for r in rows]), 'data beyond the ticks')
        check(within(axes[1], [v for r in rows for v in r[2:4] if v is not None and None not in r[2:4] and not (case['y_log'] and v <= 0)]), 'ranges beyond the ticks')
        check_axes(panel, case['y_log'])
        scales.append((axes[0].v0, axes[0].v1) + (() if case['free_y'] else (axes[1].v0, axes[1].v1)))
        check_panel(panel, rows, axes, names, case)
    check(len(set(scales)) <= 1, 'panels have scales of their own')
    return len(kept)


def check_curves(case):
    """Each model's curve goes through what SQL predicts, at as many places."""
    root = ET.fromstring(case['svg'])
    share_labels(root)
    (panel,) = [g for g in root.iter(SVG + 'g') if g.get('class') == 'a']
    axes = panel_axes(root, panel, case)
    lines = [e for e in panel.iter(SVG + 'path') if e.get('class') == 'line']
    bands = [e for e in panel.iter(SVG + 'path') if e.get('class') == 'band']
    check(len(lines) == len(case['curves']) and len(bands) == case['bands'], len(lines), 'curves', len(bands), 'bands')
    for line, curve in zip(lines, case['curves']):
        check_path(commands(line.get('d')), [('L' if i else 'M', [axes[0].at(x), axes[1].at(y)]) for i, (x, y) in enumerate(curve)], 'a curve')
    return sum(map(len, case['curves']))


def run(check_case, pictures, *parts):
    """Checks the cases of the file that was named and says how many there were, and the sums of what was returned of each."""
    sums = [0] * len(parts)
    with open(sys.argv[1], encoding='utf-8') as file:
        cases = [json.loads(line) for line in file]
    for case in cases:
        try:
            found = check_case(case)
        except (Wrong, ValueError, AttributeError, IndexError, KeyError, TypeError) as error:
            sys.exit(f"{case['name']}: {type(error).__name__}: {error}")
        sums = [a + b for a, b in zip(sums, found if isinstance(found, tuple) else (found,))]
    print(', '.join([f'{len(cases)} {pictures}'] + [f'{count} {part}' for count, part in zip(sums, parts)]))


if __name__ == '__main__':
    run(lambda case: check_curves(case) if 'curves' in case else check_picture(case), 'plots', 'marks')
