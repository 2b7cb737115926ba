"""Flame charts against an independent layout.

    charts.py make SEED      cases of samples as JSON, a line each: {"name", "options", "rows": [[stack, start, stop, thread]]}
    charts.py check FILE     the same with "svg" and "nodes" (stack of each number); prints what was compared

A lane is laid out here by looking at all samples before, and a box by looking at both neighbours.
"""
import json
import random
import re
import sys
import xml.etree.ElementTree as ET

SVG = '{http://www.w3.org/2000/svg}'


def make(seed):
    chance = random.Random(seed)
    for name, threads, overlap, options in [
            ('one thread', 1, False, {}), ('threads', 4, False, {}), ('overlaps', 2, True, {}),
            ('calls', 2, False, {'merge': False}), ('gaps', 2, False, {'max_gap': 0.25}),
            ('narrow', 3, True, {'width': 300, 'min_width': 0}), ('window', 3, False, {'from_time': 10, 'to_time': 20.5}),
            ('thin', 2, False, {'width': 400, 'min_width': 3}),
            # labels of the ruler are wider than their distance
            ('ruler', 1, False, {'width': 200, 'from_time': 50.2, 'to_time': 52.2}), ('depth', 2, False, {'color': 'depth'}), ('self', 1, False, {'color': 'self'})]:
        rows = []
        for thread in range(threads):
            at = 0
            for _ in range(120):
                # Sixteenths, so that all sums are exact.
                length = chance.randint(1, 12) / 16
                gap = chance.choice([0, 0, 0, 0.25, 0.5, 1])
                depth = chance.randint(0 if chance.random() < 0.1 else 1, 6)
                stack = ';'.join(chance.choice('abc') * (1 + level % 2) for level in range(depth))
                start = max(0, at + gap - (chance.randint(0, 8) / 16 if overlap else 0))
                rows.append([stack, start, start + length, 'thread %d' % thread if thread else ''])
                at = start + length
        chance.shuffle(rows)
        print(json.dumps({'name': name, 'options': {'min_width': 0, 'interactive': False, **options}, 'rows': rows}))


def frames(stack):
    return stack.split(';') if stack else []


def lanes_of(rows):
    """Samples by thread and lane, threads by their first sample."""
    threads = {}
    for row in sorted(rows, key=lambda row: (row[1], row[2], frames(row[0]), row[3])):
        lanes = threads.setdefault(row[3], [])
        for lane in lanes:
            if lane[-1][2] <= row[1]:
                lane.append(row)
                break
        else:
            lanes.append([row])
    return [lane for lanes in threads.values() for lane in lanes]


def boxes_of(lane, options):
    """(row, path, start, stop, samples) of all boxes: runs of samples that touch and agree so far."""
    found = []
    gap = options.get('max_gap', 0)
    for i, row in enumerate(lane):
        names = frames(row[0])
        before = lane[i - 1] if i and options.get('merge', True) and row[1] - lane[i - 1][2] <= gap else ['']
        for depth in range(len(names)):
            if frames(before[0])[:depth + 1] == names[:depth + 1]:
                continue
            stop, samples = row[2], [row]
            for j in range(i + 1, len(lane)):
                if (frames(lane[j][0])[:depth + 1] != names[:depth + 1] or lane[j][1] - lane[j - 1][2] > gap
                        or not options.get('merge', True)):
                    break
                stop = lane[j][2]
                samples.append(lane[j])
            found.append((depth, ';'.join(names[:depth + 1]), row[1], stop, samples))
    return found


def lasted(rows):
    return sum(row[2] - row[1] for row in rows)


def is_rounded(text, value):
    """Of a percentage as it is written: whole ones from 10 on, else one decimal."""
    return abs(float(text) - value) <= (0.501 if value >= 9.95 else 0.0501)


def check_facts(name, facts, path, samples):
    """What a tooltip says: how long, from when to when, how many samples, how long by itself."""
    got = re.fullmatch(r'(\S+) seconds, from (\S+) to (\S+); (\d+) samples?, self (\S+) seconds', facts)
    own = lasted(row for row in samples if row[0] == path)
    want = [lasted(samples), samples[0][1], samples[-1][2], len(samples), own]
    assert got and [float(number) for number in got.groups()] == want, '%s: %s is not %s' % (name, facts, want)


def check_fills(name, fills, color):
    """Boxes of one kind have one colour, those of another kind another one: by depth, or by eighths of their own time."""
    kinds = {}
    for fill, path, samples in fills:
        own = lasted(row for row in samples if row[0] == path) / lasted(samples)
        kinds.setdefault(len(frames(path)) if color == 'depth' else min(7, int(8 * own)), set()).add(fill)
    assert all(len(found) == 1 for found in kinds.values()), '%s: one kind, several colours: %s' % (name, kinds)
    assert len(set.union(*kinds.values())) == len(kinds) > 2, '%s: one colour, several kinds: %s' % (name, kinds)


def check_ruler(name, svg, start, scale):
    """Labels stand beside lines that are where they say, on round times, and do not touch."""
    ruler = next(g for g in svg.iter(SVG + 'g') if g.get('class') == 'p' and g.find(SVG + 'path') is not None)
    at, end, times, lines = None, 0, [], 0
    for element in ruler:
        if element.tag == SVG + 'path':
            at, lines = float(re.match(r'M(\S+) ', element.get('d')).group(1)), lines + 1
            continue
        time, x = float(re.fullmatch(r'(\S+) s', element.text).group(1)), float(element.get('x'))
        assert abs(at - 10 - (time - start) * scale) < 0.011 and abs(x - at - 3) < 0.001, '%s: %s is at %s' % (name, element.text, at)
        assert at >= end, '%s: labels touch: %s' % (name, element.text)
        end = x + 7.5 * len(element.text)
        times.append(time)
    assert lines >= len(times) >= 2, name + ': a ruler'
    step = round(times[1] - times[0], 9)
    assert all(round(b - a, 9) == step for a, b in zip(times, times[1:])), '%s: steps of %s' % (name, times)
    return lines


def check_threads(name, text, rows, start, stop):
    """How long each thread was busy within the window: the union of its samples."""
    for thread in {row[3] for row in rows}:
        busy, until = 0, start
        for row in sorted((row for row in rows if row[3] == thread), key=lambda row: row[1]):
            busy += max(0, min(row[2], stop) - max(row[1], until))
            until = max(until, row[2])
        heading = (thread or 'no thread') + ', ' if len({row[3] for row in rows}) > 1 else ''
        found = re.search(heading + r'busy (\S+) %', text)
        assert found and is_rounded(found.group(1), 100 * busy / (stop - start)), '%s: %s is busy %s' % (name, thread, 100 * busy / (stop - start))


def check_description(name, said, rows):
    """The three frames that most of all samples end in, and their shares."""
    own = {}
    for row in rows:
        if row[0]:
            own[frames(row[0])[-1]] = own.get(frames(row[0])[-1], 0) + row[2] - row[1]
    found = re.findall(r'[ ,] ?(\S+(?: \(\D\S*)?) \((\S+) %\)', said.split('most of all samples in')[1])
    best = sorted(own, key=lambda frame: -own[frame])[:3]
    assert [frame for frame, _ in found] == best, '%s: %s' % (name, said)
    assert all(is_rounded(share, 100 * own[frame] / lasted(rows)) for frame, share in found), '%s: %s' % (name, said)


def read_boxes(svg, nodes):
    """(x, y, width, path) of what is drawn, how many boxes the hatched ones stand for, and what tooltips say."""
    drawn, hidden, told = [], 0, []
    for g in svg.iter(SVG + 'g'):
        kind = g.get('class')
        if kind not in ('f', 'f m'):
            continue
        rect = g.find(SVG + 'rect')
        x, y, width = (float(rect.get(key)) for key in ('x', 'y', 'width'))
        if kind == 'f m':
            hidden += int(re.match(r'\((\d+) more\)', g.find(SVG + 'title').text).group(1))
        else:
            drawn.append((x, y, width, nodes[g.get('data-n')]))
            told.append((x, y, rect.get('fill'), g.find(SVG + 'title').text.split('\n')[1]))
    return drawn, hidden, told


def check(case):
    name, options, rows = case['name'], case['options'], case['rows']
    svg = ET.fromstring(case['svg'])
    start = options.get('from_time', min(row[1] for row in rows))
    stop = options.get('to_time', max(row[2] for row in rows))
    scale = (options.get('width', 1200) - 20) / (stop - start)
    lanes = lanes_of(rows)
    expected, thin, together, above = [], 0, 0, {}
    for number, lane in enumerate(lanes):
        for row, path, left, right, samples in boxes_of(lane, options):
            left, right = max(left, start), min(right, stop)
            if right <= left:
                continue
            # boxes come with their parents in front
            above[row] = (right - left) * scale < options['min_width']
            if above[row]:
                thin += 1
                together += right - left if row == 0 or not above[row - 1] else 0
            else:
                expected.append((number, row, left, right, path, samples))
    drawn, hidden, told = read_boxes(svg, case['nodes'])
    # Rows from above are lanes and their rows, in this order.
    places = {place: i for i, place in enumerate(sorted({(box[0], box[1]) for box in expected}))}
    heights = {y: i for i, y in enumerate(sorted({box[1] for box in drawn}))}
    want = sorted((places[lane, row], round(10 + (left - start) * scale, 2), round((right - left) * scale, 2), path)
                  for lane, row, left, right, path, _ in expected)
    have = sorted((heights[y], x, width, path) for x, y, width, path in drawn)
    assert len(want) == len(have), '%s: %d boxes, not %d' % (name, len(have), len(want))
    # What is rounded may be sorted otherwise.
    left_over = list(want)
    for box in have:
        match = next((w for w in left_over if w[0] == box[0] and w[3] == box[3] and abs(w[1] - box[1]) < 0.011
                      and abs(w[2] - box[2]) < 0.021), None)
        assert match, '%s: no box like %s' % (name, box)
        left_over.remove(match)
    fills = []
    for x, y, fill, facts in told:
        box = min((b for b in expected if places[b[0], b[1]] == heights[y]), key=lambda b: abs(10 + (b[2] - start) * scale - x))
        check_facts(name, facts, box[4], box[5])
        fills.append((fill, box[4], box[5]))
    if 'color' in options:
        check_fills(name, fills, options['color'])
    text = ' '.join(''.join(e.itertext()) for e in svg.iter(SVG + 'text'))
    counts = re.search(r'([\d,]+) box(?:es)? drawn of ([\d,]+)', text)
    assert [int(n.replace(',', '')) for n in counts.groups()] == [len(want), len(want) + thin], name + ': footnote'
    if thin:
        assert '%d thinner than' % thin in text, '%s: %d are thin: %s' % (name, thin, text)
        value, unit = re.search(r'thinner than .*? together (\S+) (ms|s|min)', text).groups()
        assert abs(float(value) * {'ms': 0.001, 's': 1, 'min': 60}[unit] - together) <= 0.0051 * together, '%s: %g s are thin: %s' % (name, together, text)
        assert 0 < hidden <= thin, '%s: hatched boxes stand for %d of %d' % (name, hidden, thin)
    # Left heavy: the widths of a path are its part of the profile.
    if not thin and 'from_time' not in options and 'max_gap' not in options:
        for path in {box[4] for box in expected}:
            total = sum(row[2] - row[1] for row in rows if frames(row[0])[:len(frames(path))] == frames(path))
            width = sum(box[2] for box in drawn if box[3] == path)
            assert abs(width - total * scale) < 0.011 * len(rows), '%s: %s is %g wide' % (name, path, width)
    check_ruler(name, svg, start, scale)
    check_threads(name, text, rows, start, stop)
    check_description(name, svg.find(SVG + 'desc').text, rows)
    return len(drawn)


if __name__ == '__main__':
    if sys.argv[1] == 'make':
        make(int(sys.argv[2]))
    else:
        with open(sys.argv[2], encoding='utf-8') as file:
            sizes = [check(json.loads(line)) for line in file]
        print('%d charts, %d boxes' % (len(sizes), sum(sizes)))
