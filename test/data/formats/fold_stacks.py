#!/usr/bin/env python3
"""Stacks of bpftrace, DTrace and bcc as folded lines: a second reader, with regular expressions over the whole text.

    fold_stacks.py bpftrace MAP <FILE     the entries of one map of bpftrace, "" for the nameless one
    fold_stacks.py stacks <FILE           blocks of frames with their counts
"""
import collections
import re
import sys


def bpftrace(text, name):
    entry = re.compile(r'^@' + re.escape(name) + r'\[((?:(?!^@).)*?)\]: (\d+)$', re.M | re.S)
    for keys, value in entry.findall(text):
        roots, frames, stacks = [], [], 0
        for part in keys.split(', '):
            if part.startswith('\n') or part == '':
                stacks += 1
                for line in part.strip('\n').split('\n') if part else []:
                    match = re.match(r'\t([0-9a-f]+) (.*?)(?:\+\d+)?(?: \([^ ]*\))?$', line)
                    if match:
                        kernel = int(match[1], 16) >= 0xffff << 48
                        frames.append(match[2] + ('_[k]' if kernel else ''))
                    else:
                        frames.append(re.sub(r'\+\d+$', '', line.strip()))
            else:
                roots.append(part)
        if stacks:
            yield roots + frames[::-1], int(value)


def blocks(text):
    # no keys of aggregations: the frames, and bcc's command
    for block, value in re.findall(r'((?:^[ \t]+\S.*\n|^\n)+?)^[ \t]+(\d+)$', text, re.M):
        lines = [line.strip() for line in block.split('\n') if line.strip()]
        lines = [line for line in lines if not re.match(r'\d+\s+\d+\s+\S*:\S', line)]
        command = re.match(r'-\s+(.*) \(\d+\)$', lines[-1]) if lines else None
        if command:
            lines.pop()
        last = max((i for i, line in enumerate(lines) if line == '--' or line.endswith(' [kernel]')), default=-1)
        frames = []
        for i, line in enumerate(lines):
            if line != '--':
                frame = re.sub(r'\+0x[0-9a-f]+$', '', re.sub(r'(?<=\S)\s+\[[^ ]*\]$', '', line))
                frames.append(frame + ('_[k]' if i <= last else ''))
        yield ([command[1]] if command else []) + frames[::-1], int(value)


def main():
    text = sys.stdin.read()
    found = collections.Counter()
    for frames, value in bpftrace(text, sys.argv[2]) if sys.argv[1] == 'bpftrace' else blocks(text):
        found[';'.join(frame.replace('\\', '\\\\').replace(';', '\\;') for frame in frames)] += value
    for stack, value in sorted(found.items()):
        print(stack, value)


main()
