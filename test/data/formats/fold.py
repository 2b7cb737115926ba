#!/usr/bin/env python3
"""Recordings to folded stacks, written apart from the readers that are compared with it.

    fold.py pprof FILE [--type NAME] [--lines]
    fold.py cpuprofile FILE
    fold.py speedscope FILE [--profile N]
    fold.py stackprof FILE [--lines]
    fold.py jfr FILE --types A,B [--truncated] [--threads] [--lines] [--modes]

FILE may be gzipped; - is standard input. One line per stack, sorted bytewise. With --measure samples or noise,
except for pprof, the value of a stack is the number of its samples or the sum of their squared weights.
"""

import argparse
import gzip
import json
import re
import sys
from collections import Counter
from decimal import Decimal


class Stacks(Counter):
    def __init__(self, measure):
        super().__init__()
        self.measure = measure

    def add(self, stack, weight):
        self[stack] += {"value": weight, "samples": 1, "noise": weight * weight}[self.measure]


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """(number, value) of each field: an int, or bytes."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 2:
            size, at = varint(data, at)
            value = data[at:at + size]
            assert len(value) == size
            at += size
        else:
            raise ValueError(f"wire type {tag & 7}")
        yield tag >> 3, value


def message(data):
    found = {}
    for number, value in fields(data):
        found.setdefault(number, []).append(value)
    return found


def one(found, number):
    return found.get(number, [0])[-1]


def many(found, number):
    """A list of numbers, one by one or packed."""
    values = []
    for value in found.get(number, []):
        if isinstance(value, int):
            values.append(value)
            continue
        at = 0
        while at < len(value):
            number, at = varint(value, at)
            values.append(number)
    return values


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def fold_pprof(data, options):
    profile = message(data)
    texts = [text.decode() for text in profile[6]]
    types = [texts[one(message(t), 1)] for t in profile[1]]
    wanted = options.type or texts[one(profile, 14)] or types[-1]
    index = types.index(wanted)
    functions = {}
    for function in map(message, profile.get(5, [])):
        functions[one(function, 1)] = texts[one(function, 2)] or texts[one(function, 3)]
    locations = {}
    for location in map(message, profile.get(4, [])):
        frames = []
        for line in map(message, location[4]):
            name = functions[one(line, 1)]
            frames.append(f"{name}:{one(line, 2)}" if options.lines and one(line, 2) else name)
        locations[one(location, 1)] = frames
    stacks = Counter()
    for sample in map(message, profile.get(2, [])):
        frames = [f for location in many(sample, 1) for f in locations[location]]
        stacks[tuple(reversed(frames))] += signed(many(sample, 2)[index])
    return stacks


def v8_frame(frame):
    function, url = frame["functionName"], frame["url"]
    if not url.startswith("node:"):
        url = re.sub(r"[?#].*", "", url)
        if "/node_modules/" in url:
            url = url.rpartition("/node_modules/")[2]
        else:
            url = re.split(r"[/\\]", url)[-1]
    line, column = frame["lineNumber"] + 1, frame["columnNumber"] + 1
    if not function and url and (line, column) == (1, 1):
        return url
    if not function:
        function = f"(anonymous):{line}:{column}" if line > 0 else "(anonymous)"
    return f"{url}:{function}" if url else function


def fold_cpuprofile(data, options):
    profile = json.loads(data)
    nodes = {node["id"]: node for node in profile["nodes"]}
    parent = {child: node["id"] for node in profile["nodes"] for child in node.get("children", [])}
    time = profile["startTime"]
    samples = []
    for node, delta in zip(profile["samples"], profile["timeDeltas"], strict=True):
        time += delta
        samples.append((time, node))
    samples.sort(key=lambda sample: sample[0])
    ends = [time for time, _ in samples[1:]] + [max(profile["endTime"], samples[-1][0])]
    stacks = Stacks(options.measure)
    for (start, node), end in zip(samples, ends):
        frames = []
        while node in parent:
            frames.append(v8_frame(nodes[node]["callFrame"]))
            node = parent[node]
        stacks.add(tuple(reversed(frames)), end - start)
    return stacks


def fold_speedscope(data, options):
    file = json.loads(data, parse_float=Decimal)
    names = [frame["name"] for frame in file["shared"]["frames"]]
    stacks = Stacks(options.measure)
    for number, profile in enumerate(file["profiles"]):
        if options.profile is not None and options.profile != number:
            continue
        if profile["type"] == "sampled":
            for stack, weight in zip(profile["samples"], profile["weights"], strict=True):
                stacks.add(tuple(names[f] for f in stack), weight)
            continue
        opened, last = [], 0
        for event in profile["events"]:
            if opened:
                stacks[tuple(opened)] += event["at"] - last
            last = event["at"]
            if event["type"] == "O":
                opened.append(names[event["frame"]])
            else:
                opened.pop()
    return stacks


def stackprof_stacks(profile, options):
    """Frames and number of samples of each stack."""
    raw, lines = profile["raw"], profile.get("raw_lines")
    names = {int(number): frame.get("name") or "[unknown]" for number, frame in profile["frames"].items()}
    at = 0
    while at < len(raw):
        end = at + 1 + raw[at]
        frames = [names[number] for number in raw[at + 1:end]]
        if options.lines:
            frames = [f"{name}:{line}" if line else name for name, line in zip(frames, lines[at + 1:end])]
        yield frames, raw[end]
        at = end + 1


def fold_stackprof(data, options):
    profile = json.loads(data)
    weight = 1 if profile["mode"] == "custom" else profile["interval"]
    stacks = Stacks(options.measure)
    for frames, count in stackprof_stacks(profile, options):
        for _ in range(count):
            stacks.add(tuple(frames), weight)
    return stacks


MODES = {"JIT compiled": "_[j]", "Inlined": "_[i]", "Interpreted": "_[0]"}


def jfr_frame(frame, options):
    method = frame["method"]
    name = f"{method['type']['name'].replace('/', '.')}.{method['name']}"
    if options.lines and frame["lineNumber"] > 0:
        name += f":{frame['lineNumber']}"
    return name + (MODES.get(frame["type"], "") if options.modes else "")


def nanoseconds(text):
    hours, minutes, seconds = re.fullmatch(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?", text).groups("0")
    return int((int(hours) * 3600 + int(minutes) * 60 + Decimal(seconds)) * 10**9)


def fold_jfr(data, options):
    stacks = Stacks(options.measure)
    for event in json.loads(data)["recording"]["events"]:
        if event["type"].removeprefix("jdk.") not in options.types.split(","):
            continue
        values = event["values"]
        trace = values["stackTrace"] or {"truncated": False, "frames": []}
        if trace["truncated"] != options.truncated and not options.threads:
            continue
        if options.threads and trace["truncated"]:
            continue
        frames = [jfr_frame(frame, options) for frame in reversed(trace["frames"])]
        if options.threads:
            thread = values.get("sampledThread") or values.get("eventThread")
            frames.insert(0, thread["javaName"] or thread["osName"])
        value = 1
        if "weight" in values:
            value = values["weight"]
        elif not re.search("Sample|Throw", event["type"]):
            value = nanoseconds(values["duration"])
        stacks.add(tuple(frames), value)
    return stacks


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("format", choices=["pprof", "cpuprofile", "speedscope", "stackprof", "jfr"])
    parser.add_argument("file")
    parser.add_argument("--type")
    parser.add_argument("--types", default="")
    parser.add_argument("--profile", type=int)
    parser.add_argument("--measure", choices=["value", "samples", "noise"], default="value")
    for flag in "lines", "truncated", "threads", "modes":
        parser.add_argument("--" + flag, action="store_true")
    options = parser.parse_args()
    data = sys.stdin.buffer.read() if options.file == "-" else open(options.file, "rb").read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    stacks = globals()["fold_" + options.format](data, options)
    # What is a separator here cannot be part of a frame; the recordings have none of these.
    assert not any(";" in frame or "\n" in frame for stack in stacks for frame in stack)
    lines = sorted(f"{';'.join(stack)} {value}\n".encode() for stack, value in stacks.items() if value)
    sys.stdout.buffer.write(b"".join(lines))


if __name__ == "__main__":
    main()
