#!/usr/bin/env python3
"""peers.py RUNS SIZE ORDER FOLDED: parsing folded text in plain Python, the way a script would do it.

Prints one line a run: row, side, size, work, seconds (README.md).
"""
import sys
import time

runs, size, order, name = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
with open(name, "rb") as file:
    data = file.read()


def parse_dict(data):
    """A dict of whole stacks: knows nothing of frames or prefixes."""
    stacks = {}
    for line in data.decode().split("\n"):
        if line:
            stack, _, value = line.rpartition(" ")
            stacks[stack] = stacks.get(stack, 0.0) + float(value)
    return stacks


def parse_trie(data):
    """A tree of dicts, [value, children]: what a script needs before it can total or compare nodes."""
    root = [0.0, {}]
    for line in data.decode().split("\n"):
        if line:
            stack, _, value = line.rpartition(" ")
            node = root
            for frame in stack.split(";"):
                child = node[1].get(frame)
                if child is None:
                    child = node[1][frame] = [0.0, {}]
                node = child
            node[0] += float(value)
    return root


for side, parse in (("python_dict", parse_dict), ("python_trie", parse_trie)):
    for run in range(runs + 1):
        start = time.perf_counter()
        result = parse(data)
        seconds = time.perf_counter() - start
        if run > 0:  # run 0 warms up
            print(f"parse_{order}", side, size, len(data), f"{seconds:.9f}", sep="\t")
