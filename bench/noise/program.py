"""A Python program with a fixed amount of work for bench/record-noise: modules of the standard library that are written
in Python themselves."""

import ast
import csv
import difflib
import email.message
import email.parser
import fractions
import html.parser
import io
import json
import random
import re
import statistics
import string
import sys
import textwrap
import tokenize

SOURCE = '''
def area(width, height, scale=1):
    """The area of a rectangle."""
    if width < 0 or height < 0:
        raise ValueError(f"negative: {width}, {height}")
    return [scale * width * height for _ in range(3) if scale > 0]

class Shape:
    def __init__(self, sides):
        self.sides = tuple(sides)
    def perimeter(self):
        total = 0
        for side in self.sides:
            total += side
        return total
'''


def sentence(rng):
    return " ".join("".join(rng.choices(string.ascii_lowercase, k=rng.randint(2, 9))) for _ in range(12))


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = 0

    def handle_starttag(self, tag, attrs):
        self.found += len(attrs)

    def handle_data(self, data):
        self.found += len(data)


def pages(rng):
    parser = Links()
    for _ in range(12):
        parser.feed(f'<p class="a" id="{rng.random()}">{sentence(rng)} <a href="/x">{sentence(rng)}</a></p>')
    return parser.found


def expressions(rng):
    found = 0
    for _ in range(3):
        re.purge()
        pattern = re.compile("|".join(f"({sentence(rng).split()[0]}[a-{c}]+|{c}?x{{2,5}})" for c in "hkmprtvx"))
        found += len(pattern.findall(sentence(rng)))
    return found


def syntax():
    tree = ast.parse(SOURCE)
    for node in ast.walk(tree):
        ast.iter_child_nodes(node)
    return len(ast.unparse(tree)) + sum(1 for _ in tokenize.generate_tokens(io.StringIO(SOURCE).readline))


def differences(rng):
    before = [sentence(rng) for _ in range(8)]
    after = [line if rng.random() < 0.6 else line.replace("a", "o") for line in before]
    return sum(map(len, difflib.unified_diff(before, after))) + len(difflib.get_close_matches(before[0], after))


def letters(rng):
    message = email.message.EmailMessage()
    message["Subject"] = sentence(rng)
    message["To"] = "a@example.org, b@example.org"
    message.set_content(textwrap.fill(sentence(rng) * 4, 60))
    return len(email.parser.Parser().parsestr(message.as_string()).get_payload())


def numbers(rng):
    values = [fractions.Fraction(rng.randint(1, 999), rng.randint(1, 999)) for _ in range(25)]
    return float(statistics.stdev(values) + statistics.median(values))


class Plain(json.JSONEncoder):
    """Its encoder is the one that is written in Python."""

    def iterencode(self, o, _one_shot=False):
        return super().iterencode(o, _one_shot=False)


def documents(rng):
    document = {sentence(rng): [rng.random(), {"a": None, "b": [1, 2, 3]}, sentence(rng)] for _ in range(12)}
    return len(Plain(indent=1).encode(document))


def tables(rng):
    out = io.StringIO()
    writer = csv.DictWriter(out, ["a", "b", "c"])
    for _ in range(40):
        writer.writerow({"a": rng.random(), "b": sentence(rng)[:20], "c": None})
    return sum(1 for _ in csv.DictReader(io.StringIO(out.getvalue()), ["a", "b", "c"]))


def one_round(rng):
    return (pages(rng) + expressions(rng) + syntax() + differences(rng) + letters(rng) + numbers(rng) + documents(rng)
            + tables(rng))


def main():
    rng = random.Random(7)
    print(sum(one_round(rng) for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 8)))


main()
