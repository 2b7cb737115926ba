#!/usr/bin/env python3
"""Names each function above 60 lines: in C (src, client, test, bench), in SQL and PL/pgSQL (sql), in Python (tools,
bench, test).

A function is counted from its name to its end: the brace in the first column, the end of the statement, the last line
of the block. Called at the top of the tree; the exit status is 1 when there is one.
"""
import ast
import glob
import re
import sys

MOST = 60


def c_functions(text):
    """Name, first and last line. The style of the house has the name and the braces of the body in the first column."""
    name, first = None, 0
    for number, line in enumerate(text.split('\n'), 1):
        start = re.match(r'(\w+)\(', line)
        if start:
            name, first = start.group(1), number
        elif line == '}' and name is not None:
            yield name, first, number
            name = None


def sql_functions(text):
    """Functions and procedures; a body between dollars ends with its quote, a standard one with END."""
    pattern = re.compile(r'^CREATE (?:OR REPLACE )?(?:FUNCTION|PROCEDURE) (\w+)\(', re.MULTILINE)
    for start in pattern.finditer(text):
        head = re.compile(r'AS (\$\w*\$)|BEGIN ATOMIC\b|;$', re.MULTILINE).search(text, start.end())
        if head.group(1):
            end = text.index(head.group(1), head.end())
        elif head.group().startswith('BEGIN'):
            end = re.compile(r'^\t*END;?$', re.MULTILINE).search(text, head.end()).end()
        else:
            end = head.end()
        yield start.group(1), text.count('\n', 0, start.start()) + 1, text.count('\n', 0, end) + 1


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno


LANGUAGES = [
    (c_functions, ['src/**/*.c', 'src/**/*.h', 'client/**/*.c', 'client/**/*.h', 'test/**/*.[ch]', 'bench/**/*.[ch]']),
    (sql_functions, ['sql/**/*.sql']),
    (python_functions, ['tools/**/*.py', 'bench/**/*.py', 'test/**/*.py']),
]


def main():
    count = 0
    longest = []
    for functions, patterns in LANGUAGES:
        for path in sorted(path for pattern in patterns for path in glob.glob(pattern, recursive=True)):
            # what others wrote: generated, or the maker of golden files
            if '.pb-c.' in path or '/golden/' in path:
                continue
            with open(path, encoding='utf-8') as source:
                text = source.read()
            for name, first, last in functions(text):
                count += 1
                if last - first + 1 > MOST:
                    longest.append((last - first + 1, path, first, name))
    for lines, path, first, name in sorted(longest, reverse=True):
        print(f'{path}:{first}: {name} has {lines} lines, {MOST} is the most')
    print(f'{count} functions, {len(longest)} too long')
    return 1 if longest else 0


if __name__ == '__main__':
    sys.exit(main())
