#!/usr/bin/env python3
"""Heat maps against their data: each cell has to be where its line and column are, and to have its number's colour.

Reads a file of JSON, one case a line: the SVG of heat_map_svg() and what it was called with. Of profiles it gets the
stacks alone: keys, sums of squares and what is left out are worked out here, in fractions. Colours are interpolated a
second time, between the steps that the documentation names; scales are those of exact decimals (axes.py).
"""
import math
import re
import xml.etree.ElementTree as ET
from fractions import Fraction

from axes import exact, linear, widened
from plots import SVG, UNITS, check, distinct, near, number, run, short, texts, x_ticks

STEPS = {'sequential': 'fef5b9 e9d78b ccbb7f ada07b 8d8579 696d7a 475572 263e65 002656'.split(),
         'diverging': '2166ac 4393c3 92c5de d1e5f0 ffffff fddbc7 f4a582 d6604d b2182b'.split()}
MISSING = (None, 'NaN')


# --- data ---

def keys_of(stacks, level):
    """Values by key, a tuple of frames, as the level says."""
    values = {}
    for frames, value in stacks:
        if level == 'stack':
            found = [tuple(frames)]
        elif level == 'node':
            found = [tuple(frames[:n]) for n in range(1, len(frames) + 1)]
        elif level == 'frame':
            found = {(frame,) for frame in frames}
        else:
            found = [(frames[-1],)] if frames else []
        for key in found:
            values[key] = values.get(key, 0) + Fraction(value)
    return {key: value for key, value in values.items() if value != 0}


def share(part, whole):
    """Three forms of a percentage."""
    percent = 100 * part / whole
    if percent == 0:
        return '0 %'
    if percent < Fraction(1, 100):
        return '<0.01 %'
    digits = 0 if percent >= 10 else 1 if percent >= Fraction(1, 10) else 2
    scaled = math.floor(percent * 10 ** digits + Fraction(1, 2))
    whole, rest = divmod(scaled, 10 ** digits)
    return f'{whole}.{rest:0{digits}d} %' if digits else f'{scaled} %'


def of_profiles(case):
    """Lines, columns and numbers as the pairs have them, and the footnote."""
    runs = [None if stacks is None else keys_of(stacks, case['level']) for stacks in case['profiles']]
    squares, absolute = {}, {}
    for run in filter(None, runs):
        for key, value in run.items():
            squares[key] = squares.get(key, 0) + value * value
            absolute[key] = absolute.get(key, 0) + abs(value)
    order = sorted(squares, key=lambda key: (-squares[key], [frame.encode() for frame in key]))
    drawn, left = order[:case['max_rows']], order[case['max_rows']:]
    noun = {'stack': 'stack', 'node': 'calling context'}.get(case['level'], 'function')
    nouns = noun if len(order) == 1 else noun + 's'
    if not order:
        footnote = 'nothing to draw: no profile has values'
    elif not left:
        footnote = f'all {len(order):,} {nouns}'
    else:
        footnote = (f'{len(drawn):,} of {len(order):,} {nouns}, those with the largest sums of squares; {len(left):,} left out, '
                    f'with {share(sum(squares[k] for k in left), sum(squares.values()))} of the sum of squares')
        if case['level'] in ('stack', 'self'):
            signed = any(value < 0 for run in filter(None, runs) for value in run.values())
            footnote += f' and {share(sum(absolute[k] for k in left), sum(absolute.values()))} of the '
            footnote += 'sum of absolute values' if signed else 'total'
    null = sum(run is None for run in runs)
    if null:
        footnote += f'; {null:,} null profile' + ('s' if null > 1 else '')
    names = [';'.join(key) or '(empty stack)' for key in drawn]
    columns = [str(i + 1) if label is None else label for i, label in enumerate(case['labels'] or [None] * len(runs))]
    cells = {(l, c): float(run.get(key, 0)) for l, key in enumerate(drawn) for c, run in enumerate(runs) if run is not None}
    return names, columns, cells, footnote


def of_pairs(case):
    lines, columns = distinct(case['lines']), distinct(case['columns'])
    at = {line: i for i, line in enumerate(lines)}, {column: i for i, column in enumerate(columns)}
    rows = list(zip(case['lines'], case['columns'], case['cells']))
    cells = {(at[0][line], at[1][column]): float(value) for line, column, value in rows if value not in MISSING}
    size, missing = len(lines) * len(columns), len(rows) - len(cells)
    footnote = f'{size:,} cell' + ('s' if size != 1 else '')
    footnote += f'; not given: {size - len(rows):,}' if size > len(rows) else ''
    footnote += f'; null or not a number: {missing:,}' if missing else ''
    return lines, columns, cells, footnote


# --- picture ---

def color(scale, place):
    """Between the nine steps, each channel by itself, rounded half up."""
    at = min(max(place, 0), 1) * 8
    step = min(int(at), 7)
    ends = [[int(hexadecimal[i:i + 2], 16) for i in (0, 2, 4)] for hexadecimal in STEPS[scale][step:step + 2]]
    return [a + (b - a) * (at - step) for a, b in zip(*ends)]


def same_color(fill, scale, place):
    check(re.fullmatch('#[0-9a-f]{6}', fill), 'a fill', fill)
    got = [int(fill[i:i + 2], 16) for i in (1, 3, 5)]
    check(all(abs(a - b) <= 0.5 + 1e-6 for a, b in zip(got, color(scale, place))), 'a colour', fill, 'of place', place)


def luminance(channels):
    linear_of = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in channels)]
    return sum(a * b for a, b in zip((0.2126, 0.7152, 0.0722), linear_of))


def group(root, name, tag='g'):
    found = [e for e in root.iter(SVG + tag) if e.get('class') == name]
    check(len(found) <= 1, 'several', name)
    return found[0] if found else None


def frame_of(root):
    d = group(root, 'o', 'path').get('d')
    left, top, right, bottom = map(float, re.fullmatch(r'M([\d.]+) ([\d.]+)H([\d.]+)V([\d.]+)H[\d.]+z', d).groups())
    return left + 1, top + 1, right - 0.5, bottom


def text_of(root):
    return ' '.join(''.join(t.itertext()) for t in root.iter(SVG + 'text'))


def check_bar(root, case, lo, hi):
    """Gives what the scale's ends are, as its labels say them."""
    size = max(abs(lo), abs(hi))
    unit = 1.0
    for word, factor in UNITS.get(case['unit'], {}).items():
        if word and word in [''.join(t.itertext()) for t in root.iter(SVG + 'text')]:
            unit = factor
    check(case['unit'] not in UNITS or case['unit'] is None or f'>{[w for w, f in UNITS[case["unit"]].items() if f == unit][0]}<' in case['svg'], 'no unit')
    if case['scale'] == 'diverging':
        lo, hi = -size, size
    a, b = (end / exact(unit) for end in widened(exact(lo), exact(hi), exact(unit)))
    ticks = [float(tick) for tick in linear(a, b)[0]]
    pieces = group(root, 'e').findall(SVG + 'rect')
    left, width = float(pieces[0].get('x')), float(pieces[0].get('width'))
    check(len(pieces) == 64, 'pieces', len(pieces))
    for i, piece in enumerate(pieces):
        near(float(piece.get('x')), left + width * i / 64, 'a piece')
        near(float(piece.get('x')) + float(piece.get('width')), left + width, 'the end of a piece')
        same_color(piece.get('fill'), case['scale'], (i + 0.5) / 64)
    labels = [(number(t.text), float(t.get('x'))) for t in texts(root, 'at')]
    check(len(labels) >= 1 and labels[0][0] == ticks[0] and {label for label, _ in labels} <= set(ticks), 'labels', labels, ticks)
    check(len(labels) == len(ticks) or len(ticks) * 7.5 * max(len(t.text) for t in texts(root, 'at')) > width - 60, 'too few labels')
    for label, at in labels:
        near(at, left + width * (label - ticks[0]) / (ticks[-1] - ticks[0]), 'a label of the bar')
    top = float(pieces[0].get('y')) + 12
    lines = [float(line.get('x1')) for line in root.iter(SVG + 'line') if (float(line.get('y1')), float(line.get('y2'))) == (top, top + 4)]
    check(lines == [at for _, at in labels], 'the lines of the bar', lines, labels)
    check(left + width <= case['width'] - 10, 'the bar is too wide')
    return ticks[0] * unit, ticks[-1] * unit, unit


def check_labels(root, lines, columns, each, edges, top, height, case):
    names = [(''.join(t.itertext()), float(t.get('y')) - 4 - (height - 1) / 2) for t in texts(root, 'ay')]
    every = len(lines) if len(names) == 1 else round((names[1][1] - names[0][1]) / height)
    check(len(names) == -(-len(lines) // every) and (every == 1 or len(names) == 1 or every * height >= 14 > (every - 1) * height * 0.9), 'names of lines', every)
    for i, (name, y) in enumerate(names):
        near(y, top + i * every * height, 'a name')
        full = lines[i * every]
        check(name.strip('…') in full and (name == full or '…' in name), 'a name', name, 'of', full)
        check(len(name) * 7.5 <= 0.4 * case['width'] + 1e-9, 'a name is too long', name)
    ticks = x_ticks(root)
    shown = len(edges) - 1
    for i, (label, at) in enumerate(ticks):
        c = min(range(shown), key=lambda c: abs((edges[c] + edges[c + 1]) / 2 - at))
        near(at, (edges[c] + edges[c + 1]) / 2, 'a label')
        check(label.rstrip('…') == columns[c * each][:len(label.rstrip('…'))] and (i or c == 0), 'a label', label, columns[c * each])
        check('…' in label or label == columns[c * each], 'a label', label)


def mean_of(cells, line, columns):
    found = [cells[line, c] for c in columns if (line, c) in cells]
    return (math.fsum(found) / len(found) if len(found) > 1 else found[0], len(found)) if found else (None, 0)


def check_title(title, line, names, value, count, unit):
    told = title.split('\n')
    check(told[0] == line and told[1] == (names[0] if len(names) == 1 else f'{names[0]} to {names[-1]}'), 'a title', told)
    if count == 0:
        check(told[2] == 'no value', 'a title', told)
        return
    mean = ''
    if len(names) > 1:
        mean = f'mean of {count}: ' if count == len(names) else f'mean of {count} of {len(names)}: '
    check(told[2].startswith(mean), 'a title', told, mean)
    rest = told[2][len(mean):]
    if unit:
        check(rest.endswith(' ' + unit), 'a unit', told)
        rest = rest[:-len(unit) - 1]
    if len(names) == 1:
        check(rest == short(value), 'a number', rest, short(value))
    check(abs(float(rest) - value) <= 1e-15 * abs(value), 'a mean', rest, value)


def check_largest(root, lines, columns, cells):
    """The description names the largest of all numbers as they were given, the first of equal ones."""
    said = root.find(SVG + 'desc').text
    if not cells:
        return check('argest' not in said, 'a largest value', said)
    largest = max(cells.values())
    names = [f'{lines[l]}, {columns[c]}' for (l, c), value in cells.items() if value == largest]
    return check(said.endswith(names[0]) or len(names[0]) > 300, 'the largest value', said[-200:], names[0])


def check_numbers(root, drawn, edges, top, height, shown, unit):
    """Either each cell has its number, within its edges and readable, or none has."""
    numbers = group(root, 'n')
    if numbers is None:
        return
    filled = [(cell, fill) for cell, fill in drawn if fill is not None]
    written = numbers.findall(SVG + 'text')
    check(len(written) == len(filled), 'numbers in cells', len(written), len(filled))
    for text, ((i, value), fill) in zip(written, filled):
        c, l = i % shown, i // shown
        near(float(text.get('x')), (edges[c] + edges[c + 1]) / 2 - 0.5, 'a number')
        near(float(text.get('y')), top + l * height + (height - 1) / 2 + 4, 'a number')
        digits, prefix = re.fullmatch(r'(\S*?)([kMGTPEZY]?)', text.text).groups()
        check(math.isclose(number(digits) * 1000 ** ' kMGTPEZY'.index(prefix or ' ') * unit, value, rel_tol=0.0051, abs_tol=1e-300), 'a number', text.text, value)
        check(len(text.text) * 7.5 <= edges[c + 1] - edges[c] - 6 and height >= 16, 'a number is too wide', text.text)
        pair = sorted(luminance([int(color_of[i:i + 2], 16) for i in (1, 3, 5)]) for color_of in (fill, text.get('fill')))
        check((pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5, 'contrast', fill)


def check_picture(case):
    root = ET.fromstring(case['svg'])
    lines, columns, cells, footnote = of_profiles(case) if 'profiles' in case else of_pairs(case)
    said = text_of(root)
    if not lines:
        check('nothing to draw' in said and group(root, 'h') is None, 'something is drawn')
        check(footnote in said or not columns, 'a footnote', footnote)
        return 0
    left, top, right, bottom = frame_of(root)
    height = case.get('cell_height') or 18
    room = int((right - left + 0.011) / 4)
    each = -(-len(columns) // room)
    shown = -(-len(columns) // each)
    near(bottom, top + height * len(lines), 'the lower edge')
    if each > 1:
        last = len(columns) % each
        footnote += f'; columns averaged {each:,} by {each:,}' + (f', the last {last:,}' if last else '') + ': means of the values that are there'
    check(''.join(footnote.split()) in ''.join(said.split()), 'the footnote is not', footnote)
    edges = [left + (right - left) * c / shown for c in range(shown + 1)]
    check(edges[-1] <= case['width'] - 9.9 and (each == 1 or edges[1] - edges[0] >= 3.99), 'edges')
    means = [mean_of(cells, l, range(c * each, min((c + 1) * each, len(columns)))) for l in range(len(lines)) for c in range(shown)]
    values = [value for value, count in means if count]
    check((group(root, 'e') is not None) == bool(values), 'a bar')
    check(('no value' in said) == (len(values) < len(means)), 'a legend')
    if values:
        first, last, unit = check_bar(root, case, min(values), max(values))
    check_largest(root, lines, columns, cells)
    rects = group(root, 'h').findall(SVG + 'rect')
    check(len(rects) == len(means), 'cells', len(rects), 'instead of', len(means))
    gap, drawn = round(edges[1] - edges[0], 2) >= 8, []
    for i, (rect, (value, count)) in enumerate(zip(rects, means)):
        l, c = divmod(i, shown)
        near(float(rect.get('x')), edges[c], 'x of a cell')
        near(float(rect.get('width')), edges[c + 1] - edges[c] - gap, 'the width of a cell')
        check(float(rect.get('y')) == top + l * height and float(rect.get('height')) == height - (height >= 8), 'y of a cell')
        check_title(rect.find(SVG + 'title').text, lines[l], columns[c * each:(c + 1) * each], value, count, case['unit'])
        if count:
            same_color(rect.get('fill'), case['scale'], (value - first) / (last - first))
        else:
            check(re.fullmatch(r'url\(#fg[0-9a-f]{8}-m\)', rect.get('fill')), 'a cell without a number', rect.get('fill'))
        drawn.append(((i, value), rect.get('fill') if count else None))
    check_numbers(root, drawn, edges, top, height, shown, unit if values else None)
    check_labels(root, lines, columns, each, edges, top, height, case)
    return len(means)


if __name__ == '__main__':
    run(check_picture, 'heat maps', 'cells')
