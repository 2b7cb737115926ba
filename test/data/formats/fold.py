#!/usr/bin/env python3
"""Recordings to folded stacks, written apart from the readers that are compared with it.

    fold.py pprof FILE [--type NAME] [--lines]
    fold.py cpuprofile FILE
    fold.py trace FILE [--profile NUMBER]                  the CPU profiles of V8 in a trace of Chrome
    fold.py heapprofile FILE
    fold.py speedscope FILE [--profile N]
    fold.py stackprof FILE [--lines]
    fold.py firefox FILE [--type NAME] [--lines] [--threads]
    fold.py instruments FILE [--type NAME] [--lines] [--threads]      of a deep copy --type Count
    fold.py gperftools FILE [--type NAME] [--threads]
    fold.py jfr FILE --types A,B [--truncated] [--threads] [--lines] [--modes]

FILE may be gzipped; - is standard input. One line per stack, sorted bytewise. With --measure samples or noise,
except for pprof and gperftools, the value of a stack is the number of its samples or the sum of their squared weights.
"""

import argparse
import gzip
import json
import math
import re
import struct
import sys
from collections import Counter
from decimal import Decimal

import firefox
import instruments


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
            url = re.sub(r".*[/\\](?=.)", "", url)
    line, column = frame["lineNumber"] + 1, frame["columnNumber"] + 1
    if not function and url and (line, column) == (1, 1):
        return url
    if not function:
        place = f":{line}:{column}" if column > 0 else f":{line}"
        function = "(anonymous)" + (place if line > 0 else "")
    return f"{url}:{function}" if url else function


def nested(node, above=()):
    """Each node of a head with the frames of its stack; the root is no frame."""
    call = node.get("callFrame")
    if call is None:
        call = {"columnNumber": node.get("columnNumber", 0) - 1, "lineNumber": node["lineNumber"] - 1,
                "functionName": node["functionName"], "url": node["url"]}
    frames = above if not above and call["functionName"] == "(root)" else (*above, v8_frame(call))
    yield node, frames
    for child in node["children"]:
        yield from nested(child, frames)


def fold_old_cpuprofile(profile, options):
    stack_of = {node["id"]: frames for node, frames in nested(profile["head"])}
    times = profile["timestamps"]
    end = max(profile["endTime"] * 10**6, times[-1]) if len(times) == len(profile["samples"]) else times[-1]
    samples = sorted(zip(times, profile["samples"]), key=lambda sample: sample[0])
    ends = [time for time, _ in samples[1:]] + [end]
    stacks = Stacks(options.measure)
    for (start, node), stop in zip(samples, ends):
        stacks.add(stack_of[node], stop - start)
    return stacks


def fold_heapprofile(data, options):
    profile = json.loads(data)
    stacks = Stacks(options.measure)
    stack_of = {}
    for node, frames in nested(profile["head"]):
        stack_of[node.get("id")] = frames
        if options.measure == "value":
            stacks[frames] += node["selfSize"]
    if options.measure != "value":
        for sample in profile["samples"]:
            if sample["nodeId"] in stack_of:  # V8 drops nodes and keeps their samples
                stacks.add(stack_of[sample["nodeId"]], sample["size"])
    return stacks


def fold_cpuprofile(data, options):
    profile = json.loads(data)
    if "head" in profile:
        return fold_old_cpuprofile(profile, options)
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


def fold_trace(data, options):
    """The CPU profiles of V8 in a trace: each as the .cpuprofile that it would be."""
    events = json.loads(data)["traceEvents"]
    profiles = {}
    for event in sorted((e for e in events if e["name"] in ("Profile", "ProfileChunk")), key=lambda e: e["ts"]):
        profile = profiles.setdefault(event["id"], {"nodes": [], "samples": [], "timeDeltas": [], "endTime": 0})
        part = event["args"]["data"]
        for key in "nodes", "samples":
            profile[key] += part.get("cpuProfile", {}).get(key, [])
        profile["timeDeltas"] += part.get("timeDeltas", [])
        profile |= {key: part[key] for key in ("startTime", "endTime") if key in part}
    stacks = Stacks(options.measure)
    for number, profile in enumerate(profiles.values()):
        if options.profile is not None and options.profile != number:
            continue
        known = {node["id"]: {**node, "children": []} for node in profile["nodes"]}
        for node in profile["nodes"]:
            if "parent" in node:
                known[node["parent"]]["children"].append(node["id"])
        profile["nodes"] = list(known.values())
        for node in profile["nodes"]:
            node["callFrame"] = {"url": "", "lineNumber": -1, "columnNumber": -1, **node["callFrame"]}
        for stack, value in fold_cpuprofile(json.dumps(profile), options).items():
            stacks[stack] += value
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


def fold_firefox(data, options):
    stacks = Stacks(options.measure)
    for _, name, _, _, frames, value, *_ in firefox.recorded(data.decode(), options.lines, options.threads):
        if name == (options.type or "samples"):
            stacks.add(tuple(frames), value)
    return stacks


def fold_instruments(data, options):
    stacks = Stacks(options.measure)
    if data.lstrip(b"\xef\xbb\xbf").startswith(b"<"):
        for _, name, _, _, _, frames, value in instruments.recorded(data, options.lines, options.threads):
            if name == (options.type or name):
                stacks.add(tuple(frames), value)
        return stacks
    for frames, value in instruments.copied(data.decode(), options.type):
        if value > 0:
            stacks.add(tuple(frames), value)
    return stacks


class CodeMap:
    """Places of addresses, from lines of /proc/PID/maps."""

    def __init__(self, text, symbols):
        self.symbols = symbols
        self.files = []
        for line in text.splitlines():
            whole = re.match(r"\s*([0-9a-f]+)-([0-9a-f]+) ..x. ([0-9a-f]+) \S+ \d+\s+(\S.*?)(?: \(deleted\))?\s*$", line)
            brief = re.match(r"\s*([0-9a-f]+)-([0-9a-f]+): (\S.*?)\s*$", line)
            if whole or brief:
                start, end, *offset, file = (whole or brief).groups()
                offset = int(offset[0], 16) if offset else 0
                self.files.append((int(start, 16), int(end, 16), offset, file.rpartition("/")[2] or file))

    def frames(self, address):
        """The outermost first."""
        for known in (address, address + 1):
            if known in self.symbols:
                # google-pprof writes the address of a symbol of nm behind it
                return [re.sub(r"<[0-9a-f]{16}>$", "", part) for part in self.symbols[known].split("--")]
        for start, end, offset, file in self.files:
            if start - offset <= address < end:
                return [f"{file}+{address - start + offset:#x}"]
        return [f"{address:#x}"]


def estimated(count, size, rate):
    if rate <= 1 or not count:
        return count, size
    scale = 1 / (1 - math.exp(-(size / count) / rate))
    return count * scale, size * scale


def gperftools_cpu(data):
    for kind in "<I", ">I", "<Q", ">Q":
        words = [word for word, in struct.iter_unpack(kind, data[:len(data) // 8 * 8])]
        if words[:3] == [0, 3, 0] and words[4] == 0:
            break
    stacks, at = [], 5
    while at < len(words) and words[at:at + 3] != [0, 1, 0]:
        count, depth = words[at:at + 2]
        leaf, *callers = words[at + 2:at + 2 + depth]
        if callers and callers[0] == leaf:
            callers.pop(0)
        stacks.append(([leaf] + [a - 1 for a in callers], {"samples": count, "cpu": count * words[3] * 1000}))
        at += 2 + depth
    return stacks, data[(at + 3) * struct.calcsize(kind):].decode()


HEAP = re.compile(r"(-?\d+): *(-?\d+) *\[ *(\d+): *(\d+) *\]")


def gperftools_text(text, threads):
    first, _, rest = text.partition("\n")
    body, _, maps = re.match(r"(?s)(.*?)((?:^MAPPED_LIBRARIES:|^--- Memory map: ---)\n(.*))?\Z", rest, re.M).groups()
    rate = re.search(r"heapz?_v2/(\d+)", first)
    rate = int(rate[1]) if rate else 1
    period, cycles, stacks, addresses = 1, 0, [], None
    for line in body.splitlines():
        where = [int(address, 16) - 1 for address in re.findall(r"0x[0-9a-f]+", line)]
        blocks, times = HEAP.search(line), re.match(r"\s*(\d+) +(\d+) @", line)
        thread = re.match(r"\s*(t\S+):", line)
        if line.startswith("@"):
            addresses = where
        elif "=" in line:
            name, _, value = line.partition("=")
            period = int(value) if "period" in name else period
            cycles = int(value) if "cycles" in name else cycles
        elif times:
            delay, count = (int(n) * period for n in times.groups())
            stacks.append((where, {"contentions": count, "delay": delay / (cycles / 10**9) if cycles else delay}))
        elif blocks and (not thread or addresses is not None and (thread[1] == "t*") != threads):
            one, two, three, four = map(int, blocks.groups())
            values = dict(zip(("inuse_objects", "inuse_space"), estimated(one, two, rate)))
            values |= dict(zip(("alloc_objects", "alloc_space"), estimated(three, four, rate)))
            values |= {"objects": one, "space": two}
            stacks.append((addresses if thread else where, values, *([thread[1]] if threads else [])))
    return stacks, maps or ""


def fold_gperftools(data, options):
    symbols = {}
    if data.startswith(b"--- symbol"):
        text, _, data = data.partition(b"\n---\n")
        for address, name in re.findall(r"(?m)^0x([0-9a-f]+)\s+(.+)$", text.decode()):
            symbols[int(address, 16)] = name
        data = data.partition(b"\n")[2]
    stacks, maps = gperftools_cpu(data) if data[:1] == b"\0" else gperftools_text(data.decode(), options.threads)
    code, folded = CodeMap(maps, symbols), Counter()
    for addresses, values, *thread in stacks:
        frames = [frame for address in reversed(addresses) for frame in code.frames(address)]
        folded[tuple(thread + frames)] += values[options.type]
    return folded


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
    parser.add_argument("format", choices=["pprof", "cpuprofile", "trace", "heapprofile", "speedscope", "stackprof", "firefox", "instruments", "gperftools", "jfr"])
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
