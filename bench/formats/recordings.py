#!/usr/bin/env python3
"""recordings.py FORMAT SAMPLES < FOLDED > FILE: a recording of so many samples in another tool's format.

The samples are of three threads, 250 microseconds apart; each stack is one of FOLDED's, comes one to eight times in a row, and
keeps its twelve outermost frames, so that a sample of text takes about 1 kB. The same arguments give the same bytes.
"""
import json
import random
import sys

DEPTH = 12
STEP = 250  # microseconds
START = 100  # seconds


def read_stacks(lines):
    return [line.rstrip("\n").rsplit(" ", 1)[0].split(";")[:DEPTH] for line in lines]


def samples_of(stacks, count):
    """(number of the stack, thread) of each sample."""
    source = random.Random(1)
    done = 0
    while done < count:
        stack = source.randrange(len(stacks))
        thread = source.randrange(3)
        for _ in range(min(1 + source.randrange(8), count - done)):
            yield stack, thread
            done += 1


def write_folded(stacks, count, out):
    texts = [";".join(stack) for stack in stacks]
    for stack, _ in samples_of(stacks, count):
        out.write(f"{texts[stack]} 1\n".encode())


def write_austin(stacks, count, out):
    texts = [";".join(stack) for stack in stacks]
    out.write(b"# austin: 3.6.0\n# interval: 250\n# mode: wall\n\n")
    for stack, thread in samples_of(stacks, count):
        out.write(f"P4000;T{thread:x};{texts[stack]} {STEP}\n".encode())


def write_perf(stacks, count, out):
    numbers = random.Random(2)
    texts = ["".join(f"\t{numbers.randrange(1 << 22, 1 << 23):16x} {frame}+0x10 (/opt/app/bin/app)\n"
                     for frame in reversed(stack)) for stack in stacks]
    for i, (stack, thread) in enumerate(samples_of(stacks, count)):
        time = START + i * STEP / 1e6
        out.write(f"app {4000 + thread:7d} [{thread:03d}] {time:11.6f}:     250000 cpu-clock:u: \n{texts[stack]}\n".encode())


def number_frames(stacks):
    numbers = {}
    return [[numbers.setdefault(frame, len(numbers)) for frame in stack] for stack in stacks], numbers


def write_speedscope(stacks, count, out):
    numbered, numbers = number_frames(stacks)
    samples = [stack for stack, _ in samples_of(stacks, count)]
    json.dump({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": [{"name": name} for name in numbers]},
        "profiles": [{"type": "sampled", "name": "app", "unit": "microseconds", "startValue": 0, "endValue": count * STEP,
                      "samples": [numbered[stack] for stack in samples], "weights": [STEP] * count}],
    }, TextWriter(out), separators=(",", ":"))


def write_cpuprofile(stacks, count, out):
    """V8's tree: a node for each calling context, its samples by the node's number."""
    children = {}  # (parent, frame) to node
    leaves = []
    for stack in stacks:
        node = 1
        for frame in stack:
            node = children.setdefault((node, frame), len(children) + 2)
        leaves.append(node)
    lists = {1: []}
    for (parent, _), node in children.items():
        lists.setdefault(parent, []).append(node)
        lists.setdefault(node, [])
    nodes = [{"id": node, "callFrame": {"functionName": frame, "scriptId": "7", "url": "file:///opt/app/app.js",
                                        "lineNumber": node % 1000, "columnNumber": 3}, "hitCount": 0,
              "children": lists[node]}
             for node, frame in [(1, "(root)"), *((node, frame) for (_, frame), node in children.items())]]
    samples = [leaves[stack] for stack, _ in samples_of(stacks, count)]
    json.dump({"nodes": nodes, "startTime": 0, "endTime": (count + 1) * STEP, "samples": samples, "timeDeltas": [STEP] * count},
              TextWriter(out), separators=(",", ":"))


def write_jfr(stacks, count, out):
    """As `jfr print --json` lays it out."""
    def frame_value(frame):
        head, _, method = frame.rpartition(".")
        return {"method": {"type": {"classLoader": None, "name": head or "app/Main", "package": None, "modifiers": 1,
                                    "hidden": False}, "name": method, "descriptor": "()V", "modifiers": 1, "hidden": False},
                "lineNumber": 17, "bytecodeIndex": 3, "type": "JIT compiled"}

    texts = [json.dumps([frame_value(frame) for frame in reversed(stack)], indent=2) for stack in stacks]
    out.write(b'{\n  "recording": {\n    "events": [')
    for i, (stack, thread) in enumerate(samples_of(stacks, count)):
        micros = i * STEP
        thread_text = json.dumps({"osName": f"worker-{thread}", "osThreadId": 4000 + thread, "javaName": f"worker-{thread}",
                                  "javaThreadId": thread + 1, "group": None}, indent=2)
        out.write((", " if i > 0 else "").encode())
        out.write(f'{{\n      "type": "jdk.ExecutionSample",\n      "values": {{\n        "startTime": '
                  f'"2026-01-01T00:{micros // 60_000_000:02d}:{micros % 60_000_000 / 1e6:09.6f}000Z",\n'
                  f'        "sampledThread": {thread_text},\n        "stackTrace": {{\n          "truncated": false,\n'
                  f'          "frames": {texts[stack]}\n        }},\n        "state": "STATE_RUNNABLE"\n'
                  f'      }}\n    }}'.encode())
    out.write(b"]\n  }\n}\n")


def varint(number):
    encoded = bytearray()
    while number > 127:
        encoded.append(number & 127 | 128)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def field(number, payload):
    """A message or a text."""
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def write_pprof(stacks, count, out):
    """A sample each time, as a profiler without a table of stacks would write them."""
    numbered, numbers = number_frames(stacks)
    texts = ["", "cpu", "nanoseconds", *numbers]
    out.write(field(1, varint(1 << 3) + varint(1) + varint(2 << 3) + varint(2)))
    messages = [field(2, field(1, b"".join(varint(frame + 1) for frame in reversed(stack))) + field(2, varint(250000)))
                for stack in numbered]
    for stack, _ in samples_of(stacks, count):
        out.write(messages[stack])
    for i in range(1, len(numbers) + 1):
        out.write(field(4, varint(1 << 3) + varint(i) + field(4, varint(1 << 3) + varint(i) + varint(2 << 3) + varint(17))))
        out.write(field(5, varint(1 << 3) + varint(i) + varint(2 << 3) + varint(i + 2)))
    for text in texts:
        out.write(field(6, text.encode()))


class TextWriter:
    """What json.dump writes to, on a file of bytes."""

    def __init__(self, out):
        self.out = out

    def write(self, text):
        self.out.write(text.encode())


WRITERS = {"folded": write_folded, "austin": write_austin, "perf": write_perf, "speedscope": write_speedscope,
           "cpuprofile": write_cpuprofile, "jfr": write_jfr, "pprof": write_pprof}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in WRITERS:
        sys.exit(f"usage: recordings.py {'|'.join(WRITERS)} SAMPLES < FOLDED > FILE")
    WRITERS[sys.argv[1]](read_stacks(sys.stdin), int(sys.argv[2]), sys.stdout.buffer)


main()
