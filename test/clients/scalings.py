#!/usr/bin/env python3
"""Speed-ups against their times: means, ranges, efficiencies and Amdahl's law, computed anew in exact fractions.

Reads a file of JSON, one case a line: the SVG of scaling_svg() and what it was called with. The law is found another way
than in our code: the least squares of a + b / n for the times themselves, which have to give the base's mean time, by
Lagrange's multiplier; the serial share is a / (a + b).
"""
import math
import re
import xml.etree.ElementTree as ET
from fractions import Fraction

from plots import Axis, SVG, check, check_path, commands, near, number, place, run, x_ticks, y_ticks

MEASURED, LAW, IDEAL = '0', '1', '8'
PLACES = 200


def pairs_of(case):
    all_pairs = list(zip(case['workers'], case['times']))
    kept = [(float(w), float(t)) for w, t in all_pairs if w not in (None, 'NaN') and t not in (None, 'NaN')]
    return kept, len(all_pairs) - len(kept)


def mean_of(values):
    return sum(map(Fraction, values)) / len(values)


def solve(matrix, right):
    """Gauss, in fractions."""
    rows = [list(row) + [r] for row, r in zip(matrix, right)]
    n = len(rows)
    for i in range(n):
        pivot = next((r for r in range(i, n) if rows[r][i] != 0), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [v / rows[i][i] for v in rows[i]]
        for r in range(n):
            if r != i:
                rows[r] = [a - rows[r][i] * b for a, b in zip(rows[r], rows[i])]
    return [row[n] for row in rows]


def law_of(pairs, base, base_time):
    """a and b of least squares with a + b / base = base_time."""
    inverse = [1 / Fraction(w) for w, _ in pairs]
    times = [Fraction(t) for _, t in pairs]
    n, p, pp = len(pairs), sum(inverse), sum(v * v for v in inverse)
    matrix = [[Fraction(n), p, Fraction(1)], [p, pp, 1 / base], [Fraction(1), 1 / base, Fraction(0)]]
    found = solve(matrix, [sum(times), sum(t * v for t, v in zip(times, inverse)), base_time])
    return found and found[:2]


def r_square(pairs, a, b):
    mean = mean_of([t for _, t in pairs])
    left = sum((Fraction(t) - a - b / Fraction(w)) ** 2 for w, t in pairs)
    return 1 - left / sum((Fraction(t) - mean) ** 2 for _, t in pairs)


def close(got, wanted, what):
    check(math.isclose(got, wanted, rel_tol=1e-9, abs_tol=1e-12), what, got, 'instead of', wanted)


def percent(value):
    """Of a share in the texts: whole percents from 10 % on, one decimal below, two below 0.1 %."""
    size = 100 * abs(value)
    return size if size >= 10 else size, 0.5 if size >= 9.95 else 0.05 if size >= 0.0995 else 0.0051


def check_percent(text, value, what):
    if text.startswith('<'):
        return check(0 < value < 1e-4, what, text, value)
    wanted, slack = percent(value)
    return check(abs(abs(number(text)) - wanted) <= slack * (1 + 1e-9), what, text, 'instead of', wanted)


def title_of(element):
    return element.find(SVG + 'title').text


def group(panel, style):
    found = [g for g in panel if g.get('class') == 's' and g.get('data-s') == style]
    check(len(found) <= 1, 'layers of style', style)
    return found[0] if found else []


# --- marks ---

def check_point(element, row, axes, case):
    workers, times, speedup, base = row
    x, y = place(element)
    near(x, axes[0].at(workers), 'x of a point')
    near(y, axes[1].at(float(speedup)), 'y of a point')
    first, rest = title_of(element).split('\n')[-2:]
    efficiency, mean = rest.split('; ')
    got = re.match(r'x (\S+), y (\S+?)(?:, (\S+) to (\S+))?$', first).groups()
    check(float(got[0]) == workers, 'workers in title', first)
    close(float(got[1]), float(speedup), 'speed-up')
    shown, exact = re.match(r'efficiency <?(\S+) % \((\S+)\)$', efficiency).groups()
    close(float(exact), float(speedup * base / Fraction(workers)), 'efficiency')
    check_percent(shown, float(exact), 'efficiency in percent')
    wanted = 'time (\\S+)' if len(times) == 1 else f'{len(times)} times, mean (\\S+)'
    got_mean = re.match(wanted + (' ' + re.escape(case['unit']) if case['unit'] else '') + '$', mean)
    close(float(got_mean.group(1)), float(mean_of(times)), 'mean time')
    if len(times) > 1:
        base_time = speedup * mean_of(times)
        close(float(got[2]), float(base_time / Fraction(max(times))), 'the least speed-up')
        close(float(got[3]), float(base_time / Fraction(min(times))), 'the largest one')
    else:
        check(got[2] is None, 'a range of one', first)


def check_points(panel, rows, axes, case):
    found = group(panel, MEASURED)
    points = [e for e in found if e.tag == SVG + 'circle']
    ranges = [e for e in found if e.get('class') == 'range']
    several = [row for row in rows if len(row[1]) > 1]
    check(len(points) == len(rows) and len(ranges) == len(several), len(points), 'points', len(ranges), 'ranges')
    for element, row in zip(points, rows):
        check_point(element, row, axes, case)
    for element, (workers, times, speedup, _) in zip(ranges, several):
        at = [float(n) for n in re.findall(r'-?[\d.]+', element.get('d'))]
        base_time = speedup * mean_of(times)
        near(at[4], axes[0].at(workers), 'x of a range')
        near(at[5], axes[1].at(float(base_time / Fraction(max(times)))), 'lower end')
        near(at[7], axes[1].at(float(base_time / Fraction(min(times)))), 'upper end')


def places(rows, axes, count):
    ends = [axes[0].position(rows[0][0]), axes[0].position(rows[-1][0])]
    for i in range(count):
        at = ends[0] + (ends[1] - ends[0]) * i / (count - 1)
        yield 10 ** at if axes[0].log else at


def check_ideal(panel, rows, axes):
    (line,) = [e for e in group(panel, IDEAL) if e.get('class') == 'line']
    count = 2 if axes[0].log == axes[1].log else PLACES
    base = float(rows[0][3])
    check_path(commands(line.get('d')), [('L' if i else 'M', [axes[0].at(x), axes[1].at(x / base)]) for i, x in enumerate(places(rows, axes, count))], 'the ideal')


def check_law(panel, pairs, rows, axes, words, description):
    base, base_time = rows[0][3], rows[0][2] * mean_of(rows[0][1])
    law = law_of(pairs, base, base_time) if len(rows) >= 3 else None
    lines = [e for e in group(panel, LAW) if e.get('class') == 'line']
    check(('No Amdahl' in words) == (law is None), 'no law', words)
    if law is None:
        return check(not lines and 'share' not in words, 'a law of nothing')
    a, b = law
    serial = float(a / (a + b)) if a + b > 0 else None
    found = re.search(r'Serial share (\S+)\.$', description)
    check((found is None) == (serial is None), 'serial share', description)
    if serial is not None:
        check(math.isclose(float(found.group(1)), serial, rel_tol=1e-9, abs_tol=1e-9), 'serial share', found.group(1), serial)
        check_percent(re.search(r"Amdahl's law, serial share -?(\S+) %", words).group(1), serial, 'share in the legend') if lines else None
    outside = serial is None or not 0 <= serial <= 1
    check(('outside of 0 to 1' in words) == outside, 'outside is said', serial, words)
    check(not outside or ('faster than' in words) == (a < 0), 'why it is outside')
    check(('so at most' in words) == (not outside and a > 0), 'the limit', words)
    if 'so at most' in words:
        check(math.isclose(number(re.search(r'so at most (\S+)', words).group(1)), float(base_time / a), rel_tol=0.0051), 'the limit', words, float(base_time / a))
    top = max([float(r[2]) for r in rows] + [float(r[2] * mean_of(r[1]) / Fraction(min(r[1]))) for r in rows] + [r[0] / float(base) for r in rows])
    speedups = [(x, float(base_time / (a + b / Fraction(x))) if a + b / Fraction(x) > 0 else math.inf) for x in places(rows, axes, PLACES)]
    inside = [(x, y) for x, y in speedups if y <= top * (1 + 1e-9)]
    check(('leaves the picture' in words) == (len(inside) < PLACES), 'where the law ends')
    check_path(commands(lines[0].get('d')), [('L' if i else 'M', [axes[0].at(x), axes[1].at(y)]) for i, (x, y) in enumerate(inside)], 'the law')
    exact = r_square(pairs, a, b)
    shown = float(re.search(r'R² = (\S+)', words).group(1))
    check(abs(shown - exact) <= 0.51e-4 * max(1, abs(exact)), 'R square', shown, float(exact))
    return None


# --- pictures ---

def check_scaling(case):
    root = ET.fromstring(case['svg'])
    words = ' '.join(t.text or '' for t in root.iter(SVG + 'text'))
    pairs, dropped = pairs_of(case)
    check((f'{dropped} dropped (null or not a number)' in words) == (dropped > 0), 'dropped', dropped)
    workers = sorted({w for w, _ in pairs})
    base = 1.0 if 1.0 in workers else min(workers)
    times = {n: [t for w, t in pairs if w == n] for n in workers}
    rows = [(n, times[n], mean_of(times[base]) / mean_of(times[n]), Fraction(base)) for n in workers]
    (panel,) = [g for g in root.iter(SVG + 'g') if g.get('class') == 'a']
    axes = [Axis([(number(label), at) for label, at in ticks(panel)], case[log]) for ticks, log in ((x_ticks, 'x_log'), (y_ticks, 'y_log'))]
    check((f'none of 1: against' in words) == (base != 1), 'what it is against', words)
    check(f'{base:g} worker{"" if base == 1 else "s"}, ' in words, 'the base', words)
    if mean_of(times[base]) < 1e12:
        against, unit = re.search(r'workers?, ([\d,.]+) ?(ns|µs|ms|s|min|h)?(?=[; ])', words.split('against the', 1)[1] + ' ').groups()
        size = {None: 1, 'ns': 1e-9, 'µs': 1e-6, 'ms': 1e-3, 's': 1, 'min': 60, 'h': 3600}[unit] / (1e-3 if case['unit'] == 'milliseconds' else 1)
        check(math.isclose(number(against) * size, float(mean_of(times[base])), rel_tol=0.0051), 'the time of the base', against, unit)
    efficiency = re.search(r'speed-up (\S+), efficiency <?(\S+) %', words)
    check(math.isclose(number(efficiency.group(1)), float(rows[-1][2]), rel_tol=0.0051), 'the verdict', words)
    check_percent(efficiency.group(2), float(rows[-1][2] * Fraction(base) / Fraction(rows[-1][0])), 'its efficiency')
    check_points(panel, rows, axes, case)
    check_ideal(panel, rows, axes)
    check_law(panel, pairs, rows, axes, words, root.find(SVG + 'desc').text)
    return len(pairs)


if __name__ == '__main__':
    run(check_scaling, 'scalings', 'times')
