"""What a picture of flamegraph_svg() has to show, from the rows of node_facts() alone; and that it is nothing but a picture.

    boxes.py FILE

The file has one JSON object per line: name, svg, width, min_width, flame, by_value, max_rows, color, empty (value of the
empty stack), nodes ([node, parent, frame, depth, self, total], ...). Prints what is wrong, and how many pictures and boxes
were looked at. Shares nothing with the extension: XML is read by expat, HTML by html.parser.
"""
import base64
import html.parser
import json
import math
import re
import sys
import unicodedata
import xml.etree.ElementTree
from decimal import Decimal
from fractions import Fraction

SVG = '{http://www.w3.org/2000/svg}'
ATTRIBUTES = {
    'svg': {'class', 'id', 'width', 'height', 'viewBox', 'role', 'aria-labelledby', 'font-family', 'font-size', 'direction'},
    'title': {'id'}, 'desc': {'id'}, 'style': set(), 'defs': set(), 'metadata': set(), 'script': set(),
    'pattern': {'id', 'width', 'height', 'patternUnits', 'patternTransform'},
    'rect': {'class', 'x', 'y', 'width', 'height', 'fill', 'stroke', 'stroke-width'},
    'g': {'class', 'fill', 'stroke-width', 'data-n'},
    'path': {'d', 'fill'},
    'text': {'unicode-bidi', 'x', 'y', 'class', 'fill', 'font-size', 'font-weight', 'paint-order', 'stroke', 'stroke-width'},
}
HIDDEN = re.compile('[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]')


def shown(name):
    text = HIDDEN.sub(lambda match: '\\u{%X}' % ord(match.group()), name[:1000])
    return text if len(name) <= 1000 else f'{text}\u2026 ({len(name)} characters)'


def columns(text):
    return sum(2 if unicodedata.east_asian_width(c) in 'WF' else 1 for c in text)


class Picture:
    """Expected boxes: node -> (start, end, depth), and hidden runs [(parent, count, start, end, depth)]."""

    def __init__(self, case):
        self.case = case
        self.total = {0: math.fsum([case['empty'], *(n[5] for n in case['nodes'] if n[1] == 0)])}
        self.own = {0: case['empty']}
        self.name = {0: 'all'}
        self.depth = {0: 0}
        self.children = {0: []}
        self.size = {0: 1}
        for node, parent, frame, depth, own, total in case['nodes']:
            self.name[node], self.depth[node], self.own[node], self.total[node] = frame, depth, own, total
            self.children[node] = []
            self.children[parent].append(node)
            self.size[node] = 1
        for node, parent, *_ in reversed(case['nodes']):
            self.size[parent] += self.size[node]
        if case['by_value']:
            for below in self.children.values():
                below.sort(key=lambda n: (-self.total[n], n))
        self.boxes, self.runs = {}, []
        self.left_out = {'thinner': 0, 'deeper': 0}
        if self.total[0] > 0:
            self.lay_out()

    def pixels(self, value):
        return value / self.total[0] * (self.case['width'] - 20)

    def hide(self, parent, nodes, start, depth, why):
        count, total = sum(self.size[n] for n in nodes), math.fsum(self.total[n] for n in nodes)
        self.left_out[why] += count
        if nodes and self.pixels(total) >= self.case['min_width']:
            self.runs.append((parent, count, start, start + total, depth))

    def lay_out(self):
        self.boxes[0] = (0, self.total[0], 0)
        todo = [0]
        while todo:
            parent = todo.pop()
            at, depth = self.boxes[parent][0], self.depth[parent] + 1
            if depth >= self.case['max_rows']:
                self.hide(parent, self.children[parent], at, depth, 'deeper')
                continue
            run, run_start = [], at
            for node in self.children[parent]:
                if self.pixels(self.total[node]) < self.case['min_width']:
                    run_start = run_start if run else at
                    run.append(node)
                else:
                    self.hide(parent, run, run_start, depth, 'thinner')
                    run = []
                    self.boxes[node] = (at, at + self.total[node], depth)
                    todo.append(node)
                at += self.total[node]
            self.hide(parent, run, run_start, depth, 'thinner')


def fnv1a(data):
    value = 0xcbf29ce484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001b3 % 2 ** 64
    return value


def warm(name):
    h = fnv1a(name.encode())
    return '#%02x%02x%02x' % (205 + h % 51, 80 + (h >> 8) % 150, (h >> 16) % 56)


def share(part, whole):
    percent = 100 * Fraction(repr(part)) / Fraction(repr(whole))  # as their digits say
    if percent == 0:
        return '0 %'
    if percent < Fraction('0.005'):
        return '<0.01 %'
    digits = 0 if percent >= Fraction('9.95') else 1 if percent >= Fraction('0.095') else 2
    text = str(Decimal(math.floor(percent * 10 ** digits + Fraction(1, 2))).scaleb(-digits))
    return (text.rstrip('0').rstrip('.') if '.' in text else text) + ' %'


def number(value):
    return str(int(value)) if value == int(value) else repr(value)


class Checker:
    scripts = set()

    def __init__(self, case):
        self.case = case
        self.wrong = []
        self.picture = Picture(case)
        self.root = xml.etree.ElementTree.fromstring(case['svg'])
        self.top = None

    def check(self, ok, *what):
        if not ok and len(self.wrong) < 10:
            self.wrong.append(f'{self.case["name"]}: ' + ' '.join(str(w) for w in what))

    def elements(self):
        self.check([e.tag for e in self.root[:2]] == [SVG + 'title', SVG + 'desc'], 'title and desc come first')
        for element in self.root.iter():
            tag = element.tag.removeprefix(SVG)
            self.check(tag in ATTRIBUTES, 'element', tag)
            self.check(set(element.attrib) <= ATTRIBUTES.get(tag, set()), tag, element.attrib)
            for value in element.attrib.values():
                self.check('url(' not in value or re.fullmatch(r'url\(#fg[0-9a-f]{8}-m\)', value), value)
        style = self.root.find(SVG + 'style').text
        self.check('url' not in style and '@import' not in style, style)
        self.check(not HIDDEN.sub('', '').strip() and not HIDDEN.search(self.case['svg'].replace('\n', '')),
                   'a hidden character')

    def as_html(self):
        seen = set()
        parser = html.parser.HTMLParser()
        parser.handle_starttag = lambda tag, attrs: seen.update({tag, *(name for name, _ in attrs)})
        parser.handle_startendtag = parser.handle_starttag
        parser.feed(self.case['svg'])
        known = {name.lower() for tag, names in ATTRIBUTES.items() for name in {tag, *names}} | {'xmlns'}
        self.check(seen <= known, 'as HTML:', seen - known)

    def edges(self, rect, start, end, depth, what):
        x, width, y = (float(rect.get(a)) for a in ('x', 'width', 'y'))
        self.check(abs(x - 10 - self.picture.pixels(start)) < 0.0051, what, 'begins at', x)
        self.check(abs(x + width - 10 - self.picture.pixels(end)) < 0.0101, what, 'ends at', x + width)
        if self.top is None:
            self.top = y
        row = (self.top - y if self.case['flame'] else y - self.top) / (float(rect.get('height')) + 1)
        self.check(row == depth, what, 'is in row', row)

    def label(self, group, what):
        text, rect = group.find(SVG + 'text'), group.find(SVG + 'rect')
        room = float(rect.get('width')) - 6
        self.check((text is not None) == (room >= 22.5), what, 'label', room)
        if text is not None:
            self.check(columns(text.text) * 7.5 <= room, what, 'label is too long:', text.text)

    def node_box(self, group, node):
        p = self.picture
        what = f'box {node}'
        self.check(node in p.boxes, what, 'is not expected')
        if node not in p.boxes:
            return
        self.edges(group.find(SVG + 'rect'), *p.boxes[node], what)
        self.label(group, what)
        own = 'self ' + number(p.own[node]) + (f' ({share(p.own[node], p.total[0])})' if p.own[node] else '')
        title = f'{shown(p.name[node])}\n{number(p.total[node])} samples, {share(p.total[node], p.total[0])} of all, {own}'
        self.check(group.find(SVG + 'title').text == title, what, repr(group.find(SVG + 'title').text), repr(title))
        if self.case['color'] == 'frame' and node:
            self.check(group.find(SVG + 'rect').get('fill') == warm(p.name[node]), what, 'colour')

    def boxes(self):
        runs = {(parent, count): rest for parent, count, *rest in self.picture.runs}
        seen, hatched = set(), 0
        for group in self.root.iter(SVG + 'g'):
            if group.get('class') == 'f':
                seen.add(int(group.get('data-n')))
                self.node_box(group, int(group.get('data-n')))
            elif group.get('class') == 'f m':
                hatched += 1
                count = int(re.match(r'\((\d+) (more|deeper)\)', group.find(SVG + 'title').text).group(1))
                rest = runs.get((int(group.get('data-n')), count))
                self.check(rest is not None, 'hatched box of', count)
                if rest:
                    self.edges(group.find(SVG + 'rect'), *rest, f'{count} more')
                    self.label(group, f'{count} more')
        self.check(seen == set(self.picture.boxes), 'missing', set(self.picture.boxes) - seen)
        self.check(hatched == len(self.picture.runs), hatched, 'hatched boxes, not', len(self.picture.runs))
        return len(seen) + hatched

    def footnote(self):
        lines = [e.text for g in self.root.findall(SVG + 'g') if g.get('class') in ('p', 'p z') for e in g.iter(SVG + 'text')]
        text = ' '.join(lines).replace(',', '')
        if not self.picture.boxes:
            self.check('empty profile' in text, text)
            return
        drawn = re.search(r'(\d+) box(?:es)? drawn of (\d+)', text)
        self.check(drawn and [int(g) for g in drawn.groups()] ==
                   [len(self.picture.boxes), len(self.picture.total)], text)
        for why, count in self.picture.left_out.items():
            found = re.search(rf'(\d+) {why} than', text)
            self.check((int(found.group(1)) if found else 0) == count, why, count, text)

    def data(self):
        metadata, scripts = self.root.find(SVG + 'metadata'), list(self.root.iter(SVG + 'script'))
        self.check((metadata is not None) == self.case['interactive'], 'metadata')
        self.check(len(scripts) == self.case['interactive'], 'script')
        # One script for all pictures: nothing of a profile is in it.
        Checker.scripts.update(e.text for e in scripts)
        self.check(len(Checker.scripts) <= 1, 'another script')
        if metadata is None:
            return
        self.check(not re.search('[&<>]', self.case['svg'].split('<metadata>')[1].split('</metadata>')[0]), 'raw markup')
        data = json.loads(metadata.text)
        encoded, at, depth, nodes, empty = base64.b64decode(data['nodes']), 0, 0, [], 0
        while at < len(encoded):
            numbers = []
            for _ in range(3):
                value = shift = 0
                while True:
                    byte = encoded[at]
                    at += 1
                    value |= (byte & 127) << shift
                    shift += 7
                    if byte < 128:
                        break
                numbers.append(value)
            depth += 1 - numbers[0]
            if depth == 0:
                self.check(not nodes and numbers[:2] == [1, 0], 'the root is not the first')
                empty = data['values'][numbers[2] - 1]
                continue
            nodes.append((data['frames'][numbers[1]], depth, data['values'][numbers[2] - 1] if numbers[2] else 0))
        self.check(nodes == [(n[2], n[3], n[4]) for n in self.case['nodes']], 'the data are others')
        self.check(list(data) == ['format', 'unit', 'total', 'complete', 'view', 'frames', 'values', 'nodes'], list(data))
        self.check(data['format'] == 1 and data['complete'] is True, 'complete')
        self.check(empty == self.case['empty'] and data['total'] == self.picture.total[0], 'total')

    def run(self):
        self.elements()
        self.as_html()
        boxes = self.boxes()
        self.footnote()
        self.data()
        return boxes


def main():
    pictures = boxes = 0
    with open(sys.argv[1], encoding='utf-8') as cases:
        for line in cases:
            case = json.loads(line)
            pictures += 1
            try:
                checker = Checker(case)
                boxes += checker.run()
            except xml.etree.ElementTree.ParseError as error:
                print(f'{case["name"]}: {error}:', repr(case['svg'].split('\n')[error.position[0] - 1]))
                continue
            for wrong in checker.wrong:
                print(wrong)
    print(f'{pictures} pictures, {boxes} boxes')


if __name__ == '__main__':
    main()
