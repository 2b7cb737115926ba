#!/usr/bin/env python3
"""The samples of recordings one by one, with their times, written apart from the readers that are compared with it.

    samples.py perf|austin|cpuprofile|speedscope|stackprof|firefox|instruments|jfr FILE [--interval SECONDS]

FILE may be gzipped. A line for each sample: event, thread, start, stop (seconds since the first sample), stack,
value, separated by tabs, \\N where there is none; in order of start, then of the file.
"""

import argparse
import datetime
import gzip
import json
import re
import statistics
from collections import defaultdict
from fractions import Fraction
from types import SimpleNamespace

import firefox as firefox_profiler
import instruments as instruments_export
from collapse import HEAD
from fold import jfr_frame, nanoseconds, stackprof_stacks, v8_frame


def until_next(samples, interval):
    """Stops of [event, thread, start, stop or None, stack, value, own period or None], times in exact seconds."""
    last, gaps = {}, defaultdict(list)
    for sample in samples:
        if sample[3] is not None:
            continue
        event, thread, start = sample[:3]
        before = last.get((event, thread))
        if before is not None:
            if start > before[2] and len(gaps[event]) < 4096:
                gaps[event].append(start - before[2])
            before[3] = start
        sample[3] = ...
        last[event, thread] = sample
    ended = {id(sample) for sample in last.values()}
    for sample in samples:
        if len(sample) < 7 or sample[6] is None:
            continue
        period = sample[6] or (statistics.median(gaps[sample[0]]) if gaps[sample[0]] else 0)
        if interval:
            period = interval
        if id(sample) in ended or sample[3] < sample[2]:
            sample[3] = sample[2] + period
        else:
            sample[3] = min(sample[3], sample[2] + 2 * period)
    return samples


FRAME = re.compile(r"^\s*([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)?(?: \((.*)\))?$")


def frame(line):
    address, symbol, _ = FRAME.match(line).groups()
    kernel = int(address, 16) >> 63
    if symbol == "[unknown]":
        return "[kernel]" if kernel else symbol
    return symbol + ("_[k]" if kernel else "")


def perf(text):
    flat = "\n\n" not in text
    samples = []
    for sample in text.splitlines() if flat else re.split(r"\n\n", text.strip("\n")):
        head, *frames = sample.strip("\n").split("\n")
        command, _, period, event, rest = HEAD.match(head).groups()
        if flat:
            frames = [rest]
        thread, time = re.match(r"\s*\S.*?\s+(\d+(?:/\d+)?)\s+(?:\[\d+\]\s+)?(\d+\.\d+):", head).groups()
        plain = re.sub(r"/.*|:[ukhHGIpPSDWeb]+$", "", event)
        clock = plain in ("cpu-clock", "task-clock") and period
        stack = [command, *reversed([frame(f) for f in frames if FRAME.match(f)])]
        samples.append(["cpu" if plain in ("cpu-clock", "cycles", "cpu-cycles") else plain, f"{command}-{thread}", Fraction(time), None,
                        ";".join(stack), int(period or 1), Fraction(int(period), 10**9) if clock else 0])
    return samples


def austin(text):
    samples, clocks, commas = [], defaultdict(int), False
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        columns = 3 if re.search(r" -?\d+ -?\d+ -?\d+$", line) else 1
        stack, *numbers = line.rsplit(" ", columns)
        if "," in numbers[0]:
            commas, numbers = True, numbers[0].split(",")
        numbers = [int(n) for n in numbers]
        process, thread, rest = re.fullmatch(r"(?:(P\d+);)?(T[^;]*|Thread [^;]*);?(.*)", stack).groups()
        thread = f"{process}:{thread}" if process else thread
        rest = re.sub(r";L(\d+)(?=;|$)", r":\1", rest)
        start, clocks[thread] = clocks[thread], clocks[thread] + max(0, numbers[0])
        times = [Fraction(start, 10**6), Fraction(clocks[thread], 10**6), rest]
        samples.append(["wall", thread, *times, numbers[0]])
        if commas and not numbers[1]:
            samples.append(["cpu", thread, *times, numbers[0]])
        memory = numbers[2] if commas else sum(numbers[1:])
        if len(numbers) == 3 and memory:
            samples.append(["memory", thread, *times, memory])
    return samples


def cpuprofile(text):
    profile = json.loads(text)
    nodes = {node["id"]: node for node in profile["nodes"]}
    parent = {child: node["id"] for node in profile["nodes"] for child in node.get("children", [])}
    time, times = profile["startTime"], []
    for node, delta in zip(profile["samples"], profile["timeDeltas"], strict=True):
        time += delta
        times.append((time, node))
    times.sort(key=lambda sample: sample[0])
    ends = [time for time, _ in times[1:]] + [max(profile["endTime"], times[-1][0])]
    samples = []
    for (start, node), end in zip(times, ends):
        frames = []
        while node in parent:
            frames.append(v8_frame(nodes[node]["callFrame"]))
            node = parent[node]
        samples.append(["cpu", None, Fraction(start, 10**6), Fraction(end, 10**6), ";".join(reversed(frames)), end - start])
    return samples


def speedscope(text):
    file = json.loads(text)
    names = [f["name"] for f in file["shared"]["frames"]]
    samples = []
    for profile in file["profiles"]:
        second = {"seconds": 1, "milliseconds": 10**3, "microseconds": 10**6, "nanoseconds": 10**9}[profile["unit"]]
        at, opened = profile["startValue"], []
        if profile["type"] == "sampled":
            for stack, weight in zip(profile["samples"], profile["weights"], strict=True):
                samples.append(["cpu", profile["name"], Fraction(at, second), Fraction(at + weight, second),
                                ";".join(names[f] for f in stack), weight])
                at += weight
        for event in profile.get("events", []):
            if opened and event["at"] > at:
                samples.append(["cpu", profile["name"], Fraction(at, second), Fraction(event["at"], second),
                                ";".join(opened), event["at"] - at])
            at = event["at"]
            if event["type"] == "O":
                opened.append(names[event["frame"]])
            else:
                opened.pop()
    return samples


def stackprof(text):
    profile = json.loads(text)
    event, timer = {"cpu": ("cpu", True), "wall": ("wall", True), "object": ("alloc_objects", False)}[profile["mode"]]
    deltas = iter(profile["raw_timestamp_deltas"])
    time, samples = 0, []
    for frames, count in stackprof_stacks(profile, SimpleNamespace(lines=False)):
        for _ in range(count):
            time += next(deltas)
            period = Fraction(profile["interval"], 10**6) if timer else 0
            samples.append([event, None, Fraction(time, 10**6), None, ";".join(frames), profile["interval"], period])
    return samples


def firefox(text):
    samples = []
    for event, _, lane, milliseconds, frames, value, last, period in firefox_profiler.recorded(text):
        start = Fraction(milliseconds) / 1000
        stop = None if last is None else start + Fraction(last) / 1000
        samples.append([event, lane or None, start, stop, ";".join(frames), value, Fraction(period) / 1000 if last is None else None])
    return samples


def instruments(text):
    samples = []
    for event, _, unit, thread, time, frames, value in instruments_export.recorded(text):
        period = Fraction(value, 10**9) if unit == "nanoseconds" else 0
        samples.append([event, thread, Fraction(time, 10**9), None, ";".join(frames), value, period])
    return samples


WORDS = {"ExecutionSample": "cpu", "NativeMethodSample": "cpu", "ObjectAllocationSample": "alloc",
         "JavaMonitorEnter": "lock", "ThreadPark": "lock", "FileRead": "io", "JavaErrorThrow": "error"}


def jfr(text):
    samples = []
    for event in json.loads(text)["recording"]["events"]:
        word = WORDS.get(event["type"].removeprefix("jdk."))
        if not word:
            continue
        values = event["values"]
        whole, fraction = re.fullmatch(r"(.*?)(?:\.(\d+))?Z", values["startTime"]).groups("0")
        whole = datetime.datetime.fromisoformat(whole + "+00:00").timestamp()
        start = Fraction(int(whole)) + Fraction(int(fraction.ljust(9, "0")), 10**9)
        trace = values["stackTrace"] or {"frames": []}
        options = SimpleNamespace(lines=False, modes=False)
        frames = [jfr_frame(f, options) for f in reversed(trace["frames"])]
        thread = values.get("sampledThread") or values.get("eventThread")
        duration = values.get("duration")
        stop = None if duration is None else start + Fraction(nanoseconds(duration), 10**9)
        value = values.get("weight", nanoseconds(duration) if duration and word in ("lock", "io") else 1)
        samples.append([word, thread["javaName"] or thread["osName"], start, stop, ";".join(frames), value,
                        None if duration else 0])
    return samples


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("format", choices=["perf", "austin", "cpuprofile", "speedscope", "stackprof", "firefox", "instruments", "jfr"])
    parser.add_argument("file")
    parser.add_argument("--interval", type=Fraction)
    options = parser.parse_args()
    data = open(options.file, "rb").read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    samples = until_next(globals()[options.format](data.decode()), options.interval)
    samples.sort(key=lambda sample: sample[2])
    first = samples[0][2] if samples else 0
    for event, thread, start, stop, stack, value, *_ in samples:
        texts = (event, thread, float(start - first), float(stop - first), stack, value)
        print("\t".join("\\N" if t is None else str(t).replace("\\", "\\\\") for t in texts))


main()
