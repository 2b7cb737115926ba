#!/usr/bin/env python3
"""Changes of models against the models: curves, hatched intervals and verdicts, from predictions and integrals in SQL.

Reads a file of JSON, one case a line: the SVG of model_change_svg(), what predict() says at the places of both curves, and
the integrals of both models on each interval, as integral() has them. Results and merging are computed anew from these.
"""
import math
import re
import xml.etree.ElementTree as ET

from plots import Axis, SVG, check, check_path, commands, near, number, run, x_ticks, y_ticks

TEXTURES = {'ch-slower': 'degradation', 'ch-maybe-slower': 'maybe_degradation', 'ch-faster': 'optimization', 'ch-maybe-faster': 'maybe_optimization'}
# How the lines of a result are turned, how far they are apart, and their colour: red what became slower, blue what became faster.
LINES = {'degradation': (-45, 5, '#d6604d'), 'maybe_degradation': (-45, 11, '#d6604d'), 'optimization': (45, 5, '#4393c3'), 'maybe_optimization': (45, 11, '#4393c3')}


def verdict(before, after, case):
    if before is None or after is None:
        return 'unknown', None
    error = (after - before) / before if before else 0.0 if after == 0 else math.copysign(math.inf, after)
    if abs(error) <= case['no_change'] + 1e-12:
        return 'no_change', error
    maybe = 'maybe_' if abs(error) <= case['change'] + 1e-12 else ''
    return maybe + ('degradation' if error > 0 else 'optimization'), error


def merged(case):
    """(from, to, result, before, after) of neighbours with one result."""
    rows, open_row = [], None
    for lo, hi, before, after in case['parts']:
        result = verdict(before, after, case)[0]
        if result in ('no_change', 'unknown'):
            open_row = None
        elif open_row and open_row[2] == result:
            open_row[1], open_row[3], open_row[4] = hi, open_row[3] + before, open_row[4] + after
        else:
            open_row = [lo, hi, result, before, after]
            rows.append(open_row)
    return rows


def check_percent(text, error, what):
    if math.isinf(error):
        return check(text == 'from 0', what, text)
    got = re.match(r'([-+])([\d.,]+) %$', text)
    size = 100 * abs(error)
    check(got is not None and (got.group(1) == '-') == (error < 0), what, text, error)
    return check(abs(number(got.group(2)) - size) <= (0.51 if size >= 9.9 else 0.051), what, text, error)


def check_shades(root, panel, axes, case):
    rows = merged(case)
    shades = [g.find(SVG + 'rect') for g in panel if g.get('class') == 'h']
    check(len(shades) == len(rows), len(shades), 'intervals instead of', len(rows))
    words = {t.text for t in panel.iter(SVG + 'text')}
    for shade, (lo, hi, result, before, after) in zip(shades, rows):
        near(float(shade.get('x')), axes[0].at(lo), 'left edge')
        near(float(shade.get('x')) + float(shade.get('width')), axes[0].at(hi), 'right edge')
        texture = re.match(r'url\(#(fg\w+-(ch-.*))\)$', shade.get('fill')).groups()
        check(TEXTURES[texture[1]] == result, 'texture', texture, result)
        title = shade.find(SVG + 'title').text
        got = re.match(r'(\w+): x (\S+) to (\S+), integral (\S+) to (\S+), relative error (\S+)$', title).groups()
        error = verdict(before, after, case)[1]
        check(got[0] == result, 'result', title)
        for text, wanted in zip(got[1:], (lo, hi, before, after, error)):
            check(math.isclose(float(text), wanted, rel_tol=1e-9, abs_tol=1e-9 * abs(hi)), 'number in title', title, wanted)
        labels = [w for w in words if re.match(r'[-+][\d.,]+ %$|from 0$', w or '')]
        check(len(rows) > 3 or len(labels) > 0, 'no label')
    if len(rows) == 1:
        (label,) = labels
        check_percent(label, error, 'label')


def check_legend(root, words, case):
    """Each result has the lines that it stands beside in the legend, and the thresholds are said."""
    patterns = {p.get('id').split('-', 1)[1]: p for p in root.iter(SVG + 'pattern')}
    for texture, result in TEXTURES.items():
        turned, width, color = LINES[result]
        pattern = patterns[texture]
        check((pattern.get('patternTransform'), pattern.get('width')) == (f'rotate({turned})', str(width)), 'lines', result)
        check(color in {part.get('fill') for part in pattern}, 'the colour of', result)
    pairs, fill = {}, None
    for element in root.iter():
        if element.tag == SVG + 'rect' and re.search(r'-ch-[a-z-]+\)$', element.get('fill') or ''):
            fill = element.get('fill')[:-1].split('-', 1)[1]
        elif element.tag == SVG + 'text' and element.text in LINES:
            pairs[fill] = element.text
    check(pairs == TEXTURES, 'the legend', pairs)
    got = re.search(r'No change up to (\S+) %, maybe up to (\S+) %', words).groups()
    check(all(math.isclose(number(text), 100 * case[name], abs_tol=1e-9) for text, name in zip(got, ('no_change', 'change'))), 'thresholds', got)


def check_change(case):
    root = ET.fromstring(case['svg'])
    words = ' '.join(t.text or '' for t in root.iter(SVG + 'text'))
    (panel,) = [g for g in root.iter(SVG + 'g') if g.get('class') == 'a']
    axes = [Axis([(number(label), at) for label, at in ticks(panel)], False) for ticks in (x_ticks, y_ticks)]
    lines = [e for e in panel.iter(SVG + 'path') if e.get('class') == 'line']
    check(len(lines) == 2, 'curves')
    for line, curve in zip(lines, case['curves']):
        if curve:
            check_path(commands(line.get('d')), [('L' if i else 'M', [axes[0].at(x), axes[1].at(y)]) for i, (x, y) in enumerate(curve)], 'a curve')
    check_shades(root, panel, axes, case)
    check_legend(root, words, case)
    if case['all'] is None:
        check('unknown: the models share no interval' in words, 'no interval', words)
        return 0
    result, error = verdict(*case['all'], case)
    got = re.search(r'(\w+): integral (.*?) over x', words)
    check(got.group(1) == result, 'the verdict', got.group(0), result)
    check_percent(got.group(2), error, 'its error')
    least = re.search(r'the smaller R² is (-?[\d.]+)', words)
    check((least is None) == (case['r_square'] is None) and (least is None or abs(float(least.group(1)) - case['r_square']) <= 0.0051), 'the smaller R square', words, case['r_square'])
    counts = {}
    for _, _, before, after in case['parts']:
        counts[verdict(before, after, case)[0]] = counts.get(verdict(before, after, case)[0], 0) + 1
    for name, count in counts.items():
        check(f' {count} {name}' in words, 'the count of', name, count)
    return len(case['parts'])


if __name__ == '__main__':
    run(check_change, 'changes', 'intervals')
