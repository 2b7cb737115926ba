#!/usr/bin/env python3
"""Folds the text of Austin 1: fold_austin1.py COLUMNS COLUMN [samples|noise] < in > out.folded

COLUMNS metrics end each line; the value is number COLUMN (from 0), or the sum of
the last two with "memory". Processes and threads are left out, L12 goes behind its frame. With the third
word it is the number of samples of a stack, or the sum of their squared values.
"""

import re
import sys
from collections import Counter

stacks = Counter()
for line in sys.stdin:
    *stack, metrics = re.match("(.*?)" + r" (-?\d+)" * int(sys.argv[1]) + "$", line.strip()).groups()[:1] + (
        [int(n) for n in line.split()[-int(sys.argv[1]):]],)
    stack = re.sub(r";L(\d+)(?=;|$)", r":\1", stack[0])
    stack = re.sub(r"^P\d+;", "", stack).partition(";")[2]
    value = sum(metrics[1:]) if sys.argv[2] == "memory" else metrics[int(sys.argv[2])]
    stacks[stack] += {"samples": 1, "noise": value ** 2}.get("".join(sys.argv[3:]), value)
sys.stdout.buffer.write(b"".join(sorted(f"{s} {n}\n".encode() for s, n in stacks.items() if n)))
