#!/usr/bin/env python3
"""Collapse the text of `perf script -F comm,pid,ip,sym,dso` into folded stacks.

    perf script ... | collapse.py --skip-pid PID --root PostgresMain > out.folded

One line per distinct stack: the frames root first with ';' between them, a
space, and the number of samples. On standard error, one line of figures:
samples, stacks, nodes, deepest stack, share of frames without a name, share
of samples whose stack does not reach the root function.
"""

import argparse
import re
import sys
from collections import Counter

# A frame: address, symbol (which may hold spaces), object in brackets.
FRAME = re.compile(r"^\s+([0-9a-f]+) (.*) \((.*)\)$")
# A sample's head: command name (which may hold spaces too), process id.
HEAD = re.compile(r"^(\S.*?)\s+(\d+)\s*$")
OFFSET = re.compile(r"\+0x[0-9a-f]+$")


def frame_name(address, symbol, dso):
    # The upper half of the address space is the kernel's. perf's name for the
    # object would not do: it has many (kernel image, modules, BPF programs).
    in_kernel = int(address, 16) >= 1 << 63
    name = OFFSET.sub("", symbol)
    if name == "[unknown]" or not name:
        return "[kernel]" if in_kernel else "[unknown]"
    # ';' would end the frame and a line break the stack.
    name = re.sub(r"[;\s]", "_", name)
    return name + "_[k]" if in_kernel else name


def samples(lines):
    """Yield (comm, pid, frames leaf first)."""
    head, frames = None, []
    for line in lines:
        line = line.rstrip("\n")
        found = FRAME.match(line)
        if found and head:
            frames.append(frame_name(*found.groups()))
            continue
        if head and frames:
            yield (*head, frames)
        found = HEAD.match(line)
        head, frames = ((found[1], int(found[2])) if found else None), []
    if head and frames:
        yield (*head, frames)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--comm", default="postgres")
    options.add_argument("--skip-pid", type=int)
    options.add_argument("--root")
    options = options.parse_args()

    stacks, unnamed, all_frames, rootless = Counter(), 0, 0, 0
    for comm, pid, frames in samples(sys.stdin):
        if comm != options.comm or pid == options.skip_pid:
            continue
        frames.reverse()
        # The frames above the root function are the same in every sample
        # (_start, main, the postmaster's loop): they would only be bulk.
        if options.root in frames:
            frames = frames[frames.index(options.root):]
        elif options.root:
            rootless += 1
        all_frames += len(frames)
        unnamed += frames.count("[unknown]")
        stacks[";".join([comm, *frames])] += 1

    # Bytes, not code points, so that the order is that of LC_ALL=C sort and
    # the line ends are LF whatever the platform thinks of text.
    out = sorted(f"{stack} {count}\n".encode() for stack, count in stacks.items())
    sys.stdout.buffer.write(b"".join(out))

    nodes = {tuple(path[:i]) for path in (s.split(";") for s in stacks)
             for i in range(1, len(path) + 1)}
    total = sum(stacks.values())
    print(total, len(stacks), len(nodes), max(map(len, nodes), default=0),
          f"{100 * unnamed / max(all_frames, 1):.2f}%",
          f"{100 * rootless / max(total, 1):.2f}%", file=sys.stderr)


main()
