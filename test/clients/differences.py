"""What a picture of flamegraph_diff_svg() or flamegraph_parts_svg() has to show, from the stacks of both sides alone.

    differences.py FILE

The file has one JSON object per line: name, svg, width, widths (union, after, before, change, or parts), before and after
([[frames], value], ...; after as it is drawn, divided by the size factor), colored (the stacks of boxes that have a colour,
or null: not checked). Prints what is wrong, and how many pictures and boxes were looked at. Shares nothing with the extension.
"""
import json
import math
import re
import sys
import xml.etree.ElementTree

SVG = '{http://www.w3.org/2000/svg}'
PIECES = ('common', 'grown', 'appeared', 'shrunk', 'disappeared')
OF_WIDTHS = {'union': PIECES, 'after': ('common', 'grown', 'appeared'), 'before': ('common', 'shrunk', 'disappeared'),
             'change': PIECES[1:]}
GREY = {'#e0e0e0', '#d9d9d9'}


def pieces(a, b):
    return {'common': min(a, b), 'grown': max(b - a, 0) if a else 0, 'appeared': 0 if a else b,
            'shrunk': max(a - b, 0) if b else 0, 'disappeared': 0 if b else a}


class Union:
    """Nodes of both sides in preorder: totals of every piece below each."""

    def __init__(self, case):
        sides = [{tuple(frames): value for frames, value in case[side]} for side in ('before', 'after')]
        paths = {path[:n] for side in sides for path in side for n in range(len(path) + 1)}
        self.paths = sorted(paths, key=lambda path: [frame.encode() for frame in path])
        self.number = {path: n for n, path in enumerate(self.paths)}
        sums = {path: {piece: [] for piece in PIECES} for path in paths}
        for path in set(sides[0]) | set(sides[1]):
            own = pieces(sides[0].get(path, 0), sides[1].get(path, 0))
            for n in range(len(path) + 1):
                for piece in PIECES:
                    sums[path[:n]][piece].append(own[piece])
        self.total = {path: {p: math.fsum(v) for p, v in sums[path].items()} for path in paths}
        self.stacks = {p: sum(pieces(sides[0].get(s, 0), sides[1].get(s, 0))[p] > 0 for s in set(sides[0]) | set(sides[1]))
                       for p in PIECES}

    def widths(self, of):
        return {path: sum(self.total[path][p] for p in of) for path in self.paths}

    def starts(self, width):
        start, end = {(): 0}, {}
        for path in self.paths:
            if path:
                start[path] = end.get(path[:-1], start[path[:-1]])
                end[path[:-1]] = start[path] + width[path]
        return start


class Checker:
    def __init__(self, case):
        self.case, self.wrong, self.union, self.boxes = case, [], Union(case), 0
        self.root = xml.etree.ElementTree.fromstring(case['svg'])

    def check(self, ok, *what):
        if not ok and len(self.wrong) < 10:
            self.wrong.append(f'{self.case["name"]}: ' + ' '.join(str(w) for w in what))

    def near(self, got, expected, what):
        self.check(abs(got - expected) <= 0.011, what, got, 'not', expected)

    def stripe(self, group, path, of, width):
        rects = [r for r in group.findall(SVG + 'rect') if r.get('class') == 's']
        main = group.find(SVG + 'rect')
        if not rects:
            self.check(float(main.get('width')) < 8 or self.union.total[path]['common'] >= width, path, 'has no stripe')
            return
        shown = [self.union.total[path][p] / width * float(main.get('width')) for p in PIECES if p in of]
        shown = [s for s in shown if s > 0.02]
        got = [float(r.get('width')) for r in rects if float(r.get('width')) > 0.03]
        self.check(abs(sum(float(r.get('width')) for r in rects) - float(main.get('width'))) <= 0.011, path, 'stripe')
        self.check(len(got) <= len(shown) + 1, path, 'pieces', got, shown)
        for g, s in zip(got, shown) if len(got) == len(shown) else ():
            self.check(abs(g - s) <= 0.021, path, 'piece', g, 'not', s)

    def tooltip(self, group, path):
        numbers = dict(re.findall(r'(appeared|grown|shrunk|disappeared) ([0-9.e+-]+)', group.find(SVG + 'title').text))
        for piece, text in numbers.items():
            expected = self.union.total[path][piece]
            self.check(abs(float(text) - expected) <= 1e-9 * max(1, expected), path, piece, text, 'not', expected)
        self.check(len(numbers) == 4, path, 'parts in the tooltip')

    def panel(self, element, of, whole, pixels, left, striped):
        width = self.union.widths(of)
        start = self.union.starts(width)
        top, seen = None, set()
        for group in element.findall(SVG + 'g'):
            if group.get('class') != 'f':
                continue
            path = self.union.paths[int(group.get('data-n'))]
            rect = group.find(SVG + 'rect')
            top = float(rect.get('y')) if top is None else top
            self.near(float(rect.get('x')), left + start[path] / whole * pixels, (path, 'begins at'))
            self.near(float(rect.get('width')), width[path] / whole * pixels, (path, 'is as wide as'))
            self.check((float(rect.get('y')) - top) / (float(rect.get('height')) + 1) == len(path), path, 'row')
            if striped:
                self.stripe(group, path, of, width[path])
                self.tooltip(group, path)
            seen.add(path)
            self.boxes += 1
        drawn = {path for path in width if width[path] > 0 and width[path] / whole * pixels >= 0.5}
        self.check(seen == drawn or not whole, 'boxes', seen ^ drawn)
        return len(seen), sum(width[path] > 0 for path in width)

    def colors(self):
        if self.case['colored'] is None:
            return
        expected = {tuple(path) for path in self.case['colored']}
        got = set()
        for group in self.root.iter(SVG + 'g'):
            if group.get('class') == 'f' and group.find(SVG + 'rect').get('fill') not in GREY:
                got.add(self.union.paths[int(group.get('data-n'))])
        self.check(got == expected, 'coloured', got ^ expected)

    def groups(self, name):
        return [g for g in self.root.findall(SVG + 'g') if g.get('class') in (name, f'v {name}', f'e {name}')]

    def counts(self, counted):
        text = ' '.join(e.text for g in self.root.findall(SVG + 'g') if g.get('class').startswith('p') for e in g.iter(SVG + 'text'))
        found = re.findall(r'([\d,]+) box(?:es)? drawn of ([\d,]+)', text)
        self.check([tuple(int(n.replace(',', '')) for n in f) for f in found] == counted, 'footnote', found, counted)
        return text

    def difference(self):
        of = OF_WIDTHS[self.case['widths']]
        pixels = self.case['width'] - 20
        gone = {'after': 'disappeared', 'before': 'appeared'}.get(self.case['widths'])
        below = self.union.total[()][gone] if gone else 0
        whole = max(self.union.widths(of)[()], below)
        counted = [self.panel(self.groups('v')[0], of, whole, pixels, 10, True)]
        self.check(len(self.groups('e')) == (below > 0), 'panel of what vanished')
        if below > 0:
            counted.append(self.panel(self.groups('e')[0], (gone,), whole, pixels, 10, True))
        text = self.counts([c for c in counted if counted != [(0, 0)]])
        self.check(whole or 'nothing' in text, text)
        if below > 0:
            self.check(re.search(rf'\b{self.union.stacks[gone]:,} stacks? (vanished|is new|are new)', text), text)
        self.colors()

    def parts(self):
        pixels = (self.case['width'] - 30) / 2
        order = ('appeared', 'grown', 'disappeared', 'shrunk')
        whole = max(self.union.total[()][p] for p in order)
        counted = [0, 0]
        for i, piece in enumerate(order):
            left = 10 if i % 2 == 0 else 20 + pixels
            if self.union.total[()][piece] > 0:
                drawn = self.panel(self.groups(piece)[0], (piece,), whole, pixels, left, False)
                counted = [counted[0] + drawn[0], counted[1] + drawn[1]]
        text = self.counts([tuple(counted)])
        for piece in order:
            empty = self.union.total[()][piece] == 0
            self.check(bool(re.search(rf'\b{piece}: nothing', text)) == empty, piece, 'says', text)

    def run(self):
        if self.case['widths'] == 'parts':
            self.parts()
        else:
            self.difference()


def main(path):
    pictures = boxes = 0
    with open(path, encoding='utf-8') as lines:
        for line in lines:
            checker = Checker(json.loads(line))
            checker.run()
            pictures += 1
            boxes += checker.boxes
            for wrong in checker.wrong:
                print(wrong)
    print(f'{pictures} pictures, {boxes} boxes')


if __name__ == '__main__':
    main(sys.argv[1])
