#!/usr/bin/env python3
"""Folds the text of `perf script` with its default fields, one event at a time.

    collapse.py EVENT [flat] < perf.txt > out.folded      flat: recorded without call chains

Written apart from the reader that it checks: regular expressions over whole
samples. The command is the first frame, the value of a sample its period where
it is printed, else 1; kernel frames (upper half of the addresses) end in _[k].
"""

import re
import sys
from collections import Counter

HEAD = re.compile(r"^\s*(\S.*?)\s+(\d+)(?:/\d+)?\s+(?:\[\d+\]\s+)?\d+\.\d+:\s+(?:(\d+)\s+)?(\S+):(?:\s|$)(.*)")
FRAME = re.compile(r"^\s*([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)? \((.*)\)$")


def frame(line):
    address, symbol, _ = FRAME.match(line).groups()
    kernel = int(address, 16) >> 63
    if symbol == "[unknown]":
        return "[kernel]" if kernel else symbol
    return symbol + ("_[k]" if kernel else "")


def main():
    stacks = Counter()
    for sample in re.split(r"\n\n", sys.stdin.read().strip("\n")) if sys.argv[2:] != ["flat"] else sys.stdin:
        head, *frames = sample.strip("\n").split("\n")
        command, _, period, event, rest = HEAD.match(head).groups()
        if event != sys.argv[1]:
            continue
        if sys.argv[2:] == ["flat"]:
            frames = [rest]
        stack = [command, *reversed([frame(f) for f in frames])]
        stacks[";".join(stack)] += int(period or 1)
    sys.stdout.buffer.write(b"".join(sorted(f"{s} {n}\n".encode() for s, n in stacks.items())))


if __name__ == "__main__":
    main()
