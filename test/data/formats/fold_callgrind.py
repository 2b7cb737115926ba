#!/usr/bin/env python3
"""What a call graph of callgrind says of stacks, as folded lines: fold_callgrind.py complete|truncated|self <FILE

A function that only one other one calls stands below that one. Stacks up to a function that nobody calls are complete;
"self" is the own cost of each function, for a comparison with callgrind_annotate. One event, names compressed.
"""
import collections
import re
import sys

names, self_cost, callers = {}, collections.Counter(), collections.defaultdict(set)
current = called = None
skip = False


def function(text):
    number, name = re.match(r'\((\d+)\)(?: (.*))?$', text).groups()
    if name:
        names[number] = name
    return number


for line in sys.stdin:
    line = line.rstrip('\n')
    if line.startswith('fn='):
        current = function(line[3:])
    elif line.startswith('cfn='):
        called = function(line[4:])
    elif line.startswith('calls='):
        callers[called].add(current)
        skip = True
    elif re.match(r'[-+*\d]', line):
        if not skip:
            self_cost[current] += int((line.split() + ['0'])[1])
        skip = False

found = collections.Counter()
for leaf, cost in self_cost.items():
    stack, at, seen = [], leaf, set()
    while at is not None and at not in seen:
        seen.add(at)
        stack.insert(0, names[at])
        outside = callers[at] - {at}
        at = outside.pop() if len(outside) == 1 else ('cut' if outside else None)
        if at == 'cut':
            break
    state = 'complete' if at is None else 'truncated'
    if sys.argv[1] in (state, 'self') and cost:
        found[stack[-1] if sys.argv[1] == 'self' else ';'.join(stack)] += cost
for stack, cost in sorted(found.items()):
    print(stack.replace('\\', '\\\\') if sys.argv[1] == 'self' else stack, cost)
