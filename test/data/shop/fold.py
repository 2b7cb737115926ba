#!/usr/bin/env python3
"""Fold the JSON of `jfr print --json --events jdk.ExecutionSample`.

    jfr print ... | fold.py [--thread] [--truncated yes|no] > out.folded

One line per distinct stack: the frames root first with ';' between them, a
space, and the number of samples. A frame is Class.method:LINE, without :LINE
where JFR has no line. --thread puts the thread's name before the root.
--truncated keeps only the stacks that JFR cut off at its stack depth (yes), or
only those it did not (no). JFR's own threads are left out. On standard error, one line of figures: samples,
distinct stacks, distinct frames, least and greatest depth.
"""

import argparse
import json
import sys
from collections import Counter


def frame_name(frame):
    method = frame["method"]
    # JSON has the JVM's names, java/lang/Thread, where JFR's text and its Java
    # interface say java.lang.Thread. They treat the one slash in the name of a
    # hidden class in the same way, before its hash.
    name = f"{method['type']['name'].replace('/', '.')}.{method['name']}"
    # JFR says 0 or -1 where a method has no line numbers (native, generated).
    line = frame["lineNumber"]
    return f"{name}:{line}" if line > 0 else name


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--thread", action="store_true")
    options.add_argument("--truncated", choices=["yes", "no"])
    options = options.parse_args()

    stacks = Counter()
    for event in json.load(sys.stdin)["recording"]["events"]:
        values = event["values"]
        trace = values["stackTrace"]
        thread = values["sampledThread"]["javaName"]
        if event["type"] != "jdk.ExecutionSample" or not trace or thread.startswith("JFR "):
            continue
        if options.truncated and trace["truncated"] != (options.truncated == "yes"):
            continue
        # JFR has the leaf first.
        frames = [frame_name(frame) for frame in reversed(trace["frames"])]
        if options.thread:
            frames.insert(0, thread)
        for frame in frames:
            # ';' would end the frame, and a control character perhaps the line.
            if ";" in frame or not frame.isprintable():
                sys.exit(f"fold.py: cannot be a frame of a folded stack: {frame!r}")
        stacks[tuple(frames)] += 1

    # Bytes, not code points, so that the order is that of LC_ALL=C sort.
    out = sorted(f"{';'.join(stack)} {count}\n".encode() for stack, count in stacks.items())
    sys.stdout.buffer.write(b"".join(out))

    depths = [len(stack) for stack in stacks] or [0]
    print(sum(stacks.values()), len(stacks), len({f for s in stacks for f in s}),
          min(depths), max(depths), file=sys.stderr)


main()
