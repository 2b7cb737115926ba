"""Reads a page of the store and prints it as a value of Perl: what 069_store_pages.pl compares with SQL."""
import re
import sys
from html.parser import HTMLParser

VOID = {'meta', 'input', 'br', 'link', 'img', 'wbr'}


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.stack = []
        self.tags = {}
        self.ids = []
        self.links = []
        self.handlers = []
        self.page = {'title': '', 'subtitle': '', 'headings': [], 'facts': {}, 'tables': [], 'parts': []}
        self.text = None
        self.table = None
        self.row = None
        self.part = ''
        self.name = ''

    def inside(self, tag):
        return any(open_tag == tag for open_tag, _ in self.stack)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags[tag] = self.tags.get(tag, 0) + 1
        for name, value in attrs.items():
            if name.startswith('on') or (name in ('src', 'href', 'action', 'xlink:href') and not (value or '').startswith('#')):
                self.handlers.append(name + '=' + (value or ''))
        if 'id' in attrs:
            self.ids.append(attrs['id'])
        if tag == 'a' and attrs.get('href', '').startswith('#'):
            self.links.append(attrs['href'][1:])
        if tag not in VOID:
            self.stack.append((tag, attrs))
        if self.inside('svg'):
            return
        if tag == 'table':
            self.table = {'part': self.part, 'caption': '', 'heads': [], 'rows': []}
            self.page['tables'].append(self.table)
        elif tag == 'tr':
            self.row = []
        if tag in ('h1', 'h2', 'p', 'dt', 'dd', 'caption', 'summary', 'th', 'td'):
            self.text = ''
            self.exact = attrs.get('title') or attrs.get('data-v')
        elif self.text is not None:
            self.exact = attrs.get('title') or attrs.get('data-v') or self.exact

    def handle_endtag(self, tag):
        if tag == 'svg' or not self.inside('svg'):
            self.end(tag)
        while self.stack and self.stack.pop()[0] != tag:
            pass

    def end(self, tag):
        text = re.sub(r'\s+', ' ', self.text or '').strip()
        if tag == 'h1':
            self.page['title'] = text
        elif tag == 'h2':
            self.page['headings'].append({'text': text})
        elif tag == 'p' and self.inside('header') and not self.page['subtitle']:
            self.page['subtitle'] = text
        elif tag == 'dt':
            self.name = text
        elif tag == 'dd':
            self.page['facts'][self.name] = text
        elif tag == 'summary':
            self.part = text
            self.page['parts'].append(text)
        elif tag == 'details':
            self.part = ''
        elif tag == 'caption':
            self.table['caption'] = text
        elif tag in ('th', 'td') and self.row is not None:
            self.row.append((text, self.exact))
        elif tag == 'tr':
            if not self.table['heads']:
                self.table['heads'] = [text for text, _ in self.row]
            else:
                self.table['rows'].append(self.row)
            self.row = None
        elif tag == 'table':
            self.table = None
        if tag in ('h1', 'h2', 'p', 'dt', 'dd', 'caption', 'summary', 'th', 'td'):
            self.text = None

    def handle_data(self, data):
        if self.text is not None and not self.inside('svg'):
            self.text += data


def perl(value):
    if isinstance(value, dict):
        return '{' + ','.join(perl(k) + '=>' + perl(v) for k, v in value.items()) + '}'
    if isinstance(value, list):
        return '[' + ','.join(perl(v) for v in value) + ']'
    if value is None:
        return 'undef'
    if isinstance(value, int):
        return str(value)
    return "'" + value.replace('\\', '\\\\').replace("'", "\\'") + "'"


def main():
    reader = Page()
    reader.feed(open(sys.argv[1], encoding='utf-8').read())
    reader.close()
    for table in reader.page['tables']:
        rows = []
        for row in table['rows']:
            cells = {}
            for head, (text, exact) in zip(table['heads'], row):
                cells[head] = text
                cells[head + ' exact'] = exact
            rows.append(cells)
        table['rows'] = rows
    reader.page.update(tags=reader.tags, ids=reader.ids, links=reader.links, handlers=reader.handlers)
    sys.stdout.reconfigure(encoding='utf-8')
    print('+' + perl(reader.page))


main()
