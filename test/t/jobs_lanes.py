"""Reads a picture of lanes: a row with tabs for each mark.

group, label, series, start, stop, x, kind (rect, area, line, life), width, height, lane, value

Series, start, stop and value are those of the mark's title; for an area the value is its size in square pixels, for a life
series is empty. Used by 114_jobs_pictures.pl; shares no code with what draws.
"""
import re
import sys
import xml.etree.ElementTree as ET

S = '{http://www.w3.org/2000/svg}'


def area(path):
    """Of a path of M, H, V and z: the shoelace formula."""
    total, x, y, points = 0.0, 0.0, 0.0, []

    def close():
        nonlocal total
        for (x1, y1), (x2, y2) in zip(points, points[1:] + points[:1]):
            total += x1 * y2 - x2 * y1

    for letter, numbers in re.findall(r'([MHVz])([-0-9. ]*)', path):
        values = [float(n) for n in numbers.split()]
        if letter == 'M':
            x, y = values
            points = []
        elif letter == 'H':
            x, = values
        elif letter == 'V':
            y, = values
        else:
            close()
            continue
        points.append((x, y))
    return abs(total) / 2


def put(*fields):
    print(*(str(field).replace('\t', ' ') for field in fields), sep='\t')


def main():
    root = ET.parse(sys.argv[1]).getroot()
    group = ''
    for element in root:
        if element.get('font-weight') == 'bold' and element.find(S + 'text') is not None:
            group = element.find(S + 'text').text
        if element.get('class') != 'lane':
            continue
        lane = element.get('data-l')
        label = ''
        for words in element.iter(S + 'g'):
            title = words.find(S + 'title')
            if title is not None and words.find(S + 'text') is not None:
                label = title.text or ''
        for series in element.iter(S + 'g'):
            if series.get('class') != 's':
                continue
            for rect in series.findall(S + 'rect'):
                lines = rect.find(S + 'title').text.split('\n')
                start, stop, value = re.match(r'(\S+) s to (\S+) s(?:: (\S+).*)?$', lines[-1]).groups()
                put(group, label, lines[0], start, stop, rect.get('x'), 'rect', rect.get('width'), rect.get('height'), lane,
                    value or '')
            for path in series.findall(S + 'path'):
                put(group, label, path.find(S + 'title').text, '', '', '', 'area', '', '', lane, area(path.get('d')))
        for rect in element.findall(S + 'rect'):
            put(group, label, '', '', '', rect.get('x'), 'life', rect.get('width'), rect.get('height'), lane, '')


main()
