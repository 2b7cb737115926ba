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
            ('thin', 2, False, {'width': 400, 'min_width': 3})]:
        rows = []
        for thread in range(threads):
            at = 0
            for _ in range(120):
                # Sixteenths, so that all sums are exact.
                length = chance.randint(1, 12) / 16
                gap = chance.choice([0, 0, 0, 0.25, 1])
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
    """(row, path, start, stop) of all boxes: runs of samples that touch and agree so far."""
    found = []
    gap = options.get('max_gap', 0)
    for i, row in enumerate(lane):
        names = frames(row[0])
        before = lane[i - 1] if i and options.get('merge', True) and row[1] - lane[i - 1][2] <= gap else ['']
        for depth in range(len(names)):
            if frames(before[0])[:depth + 1] == names[:depth + 1]:
                continue
            stop = row[2]
            for j in range(i + 1, len(lane)):
                if (frames(lane[j][0])[:depth + 1] != names[:depth + 1] or lane[j][1] - lane[j - 1][2] > gap
                        or not options.get('merge', True)):
                    break
                stop = lane[j][2]
            found.append((depth, ';'.join(names[:depth + 1]), row[1], stop))
    return found


def check(case):
    name, options, rows = case['name'], case['options'], case['rows']
    svg = ET.fromstring(case['svg'])
    start = options.get('from_time', min(row[1] for row in rows))
    stop = options.get('to_time', max(row[2] for row in rows))
    scale = (options.get('width', 1200) - 20) / (stop - start)
    lanes = lanes_of(rows)
    expected, thin = [], 0
    for number, lane in enumerate(lanes):
        for row, path, left, right in boxes_of(lane, options):
            left, right = max(left, start), min(right, stop)
            if right <= left:
                continue
            if (right - left) * scale < options['min_width']:
                thin += 1
            else:
                expected.append((number, row, left, right, path))
    drawn, hidden = [], 0
    for g in svg.iter(SVG + 'g'):
        kind = g.get('class')
        if kind not in ('f', 'f m'):
            continue
        rect = g.find(SVG + 'rect')
        x, y, width = (float(rect.get(key)) for key in ('x', 'y', 'width'))
        if kind == 'f m':
            hidden += int(re.match(r'\((\d+) more\)', g.find(SVG + 'title').text).group(1))
        else:
            drawn.append((x, y, width, case['nodes'][g.get('data-n')]))
    # Rows from above are lanes and their rows, in this order.
    places = {place: i for i, place in enumerate(sorted({(box[0], box[1]) for box in expected}))}
    heights = {y: i for i, y in enumerate(sorted({box[1] for box in drawn}))}
    want = sorted((places[lane, row], round(10 + (left - start) * scale, 2), round((right - left) * scale, 2), path)
                  for lane, row, left, right, path in expected)
    have = sorted((heights[y], x, width, path) for x, y, width, path in drawn)
    assert len(want) == len(have), '%s: %d boxes, not %d' % (name, len(have), len(want))
    # What is rounded may be sorted otherwise.
    left_over = list(want)
    for box in have:
        match = next((w for w in left_over if w[0] == box[0] and w[3] == box[3] and abs(w[1] - box[1]) < 0.011
                      and abs(w[2] - box[2]) < 0.021), None)
        assert match, '%s: no box like %s' % (name, box)
        left_over.remove(match)
    text = ' '.join(''.join(e.itertext()) for e in svg.iter(SVG + 'text'))
    counts = re.search(r'([\d,]+) box(?:es)? drawn of ([\d,]+)', text)
    assert [int(n.replace(',', '')) for n in counts.groups()] == [len(want), len(want) + thin], name + ': footnote'
    if thin:
        assert '%d thinner than' % thin in text, '%s: %d are thin: %s' % (name, thin, text)
        assert 0 < hidden <= thin, '%s: hatched boxes stand for %d of %d' % (name, hidden, thin)
    # Left heavy: the widths of a path are its part of the profile.
    if not thin and 'from_time' not in options and 'max_gap' not in options:
        for path in {box[4] for box in expected}:
            total = sum(row[2] - row[1] for row in rows if frames(row[0])[:len(frames(path))] == frames(path))
            width = sum(box[2] for box in drawn if box[3] == path)
            assert abs(width - total * scale) < 0.011 * len(rows), '%s: %s is %g wide' % (name, path, width)
    return len(drawn)


if __name__ == '__main__':
    if sys.argv[1] == 'make':
        make(int(sys.argv[2]))
    else:
        with open(sys.argv[2], encoding='utf-8') as file:
            sizes = [check(json.loads(line)) for line in file]
        print('%d charts, %d boxes' % (len(sizes), sum(sizes)))
