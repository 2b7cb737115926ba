"""Profiles of the Firefox Profiler, processed ones of all versions and Gecko's own: a plain reader, whole in memory."""

import bisect
import itertools
import json
import re


def columns(table):
    """A table of columns, from one of columns or one of rows with a schema."""
    if "schema" not in table:
        return table
    return {name: [row[at] if at < len(row) else None for row in table["data"]] for name, at in table["schema"].items()}


def loaded(value):
    """What old versions of Firefox wrote as a text of JSON."""
    return json.loads(value) if isinstance(value, str) else value


def processes(profile):
    """The profile and those of other processes in it, as Firefox nests them, inner ones first in the order of the file."""
    profile = loaded(profile)
    if "threads" not in profile:
        return
    others = [t for t in profile["threads"] if isinstance(t, str)] + (profile.get("processes") or [])
    for other in others:
        yield from processes(other)
    yield profile


SCRIPT = re.compile(r"(.*) \((.+?):(\d+)(?::(\d+))?\)(?:\[(\d+)\])?", re.S)
TOP_LEVEL = re.compile(r"(.+?):(\d+)(?::(\d+))?(?:\[(\d+)\])?", re.S)
NATIVE = re.compile(r"(.*) \(in ([^)]*)\)(?: (?:\+ \d+|\(.*:.*\)))?", re.S)


def script(name):
    if match := SCRIPT.fullmatch(name):
        return match[1]
    if match := TOP_LEVEL.fullmatch(name):
        return "(root scope) " + match[1].rpartition(" -> ")[2]
    return name


class Frames:
    """Names of the frames of a thread."""

    def __init__(self, profile, thread):
        shared = profile.get("shared", {})
        self.tables = shared if "stackTable" in shared else thread
        strings = thread.get("stringArray", thread.get("stringTable", shared.get("stringArray")))
        self.strings = strings
        self.frames = columns(self.tables["frameTable"])
        self.stacks = columns(self.tables["stackTable"])
        self.old = "preprocessedProfileVersion" not in profile["meta"]
        self.libs = sorted((lib["start"], lib["end"], lib.get("offset") or 0, re.split(r"[/\\]", lib["name"])[-1])
                           for lib in loaded(profile.get("libs") or []) if "start" in lib)

    def located(self, text):
        if re.fullmatch("0x[0-9a-fA-F]{1,16}", text):
            address = int(text, 16)
            at = bisect.bisect_right(self.libs, (address, float("inf"))) - 1
            if at >= 0 and address < self.libs[at][1]:
                start, _, offset, name = self.libs[at]
                return f"{name}+0x{address - start + offset:x}"
            return text
        if match := NATIVE.fullmatch(text):
            return match[1].removeprefix("non-virtual thunk to ")
        return script(text)

    def function(self, frame):
        functions, resources = self.tables["funcTable"], self.tables["resourceTable"]
        function = self.frames["func"][frame]
        name = self.strings[functions["name"][function]]
        resource = functions["resource"][function]
        if re.fullmatch("0x[0-9a-fA-F]{1,16}", name) and resource not in (None, -1):
            address = self.frames["address"][frame]
            if resources["type"][resource] == 1 and address is not None and address >= 0:
                return f"{self.strings[resources['name'][resource]]}+0x{address:x}"
        return script(name) if self.old else name

    def name(self, frame, lines):
        location = self.frames.get("location")
        name = self.located(self.strings[location[frame]]) if location else self.function(frame)
        line = self.frames["line"][frame] if lines and "line" in self.frames else None
        return f"{name or '[unknown]'}:{line}" if line else name or "[unknown]"

    def stack(self, number, lines):
        names = []
        offsets = self.stacks.get("prefixOffset")
        while number is not None and number != -1:
            names.append(self.name(self.stacks["frame"][number], lines))
            if offsets:
                number = number - offsets[number] if offsets[number] else None
            else:
                number = self.stacks["prefix"][number]
        return names[::-1]


UNITS = {"samples": ("wall", "samples"), "tracing-ms": ("wall", "milliseconds"), "bytes": ("alloc", "bytes")}


def recorded(data, lines=False, threads=False):
    """Event, name, thread, milliseconds, stack, value, milliseconds that it lasts or None, of each sample."""
    whole = loaded(data)
    processed = "preprocessedProfileVersion" in whole["meta"]
    for profile in processes(whole):
        interval = whole["meta"].get("interval") or 0
        shift = 0 if processed else (profile["meta"].get("startTime") or 0) - (whole["meta"].get("startTime") or 0)
        for thread in profile["threads"]:
            if isinstance(thread, str):
                continue
            frames = Frames(profile, thread)
            ids = [str(thread[k]) for k in ("pid", "tid") if thread.get(k) is not None]
            lane = thread.get("name") or ""
            if ids:
                ids = [str(thread.get(k) if thread.get(k) is not None else "") for k in ("pid", "tid")]
                lane += ("-" if lane else "") + "/".join(ids)
            known, used = {}, ([], [], [])

            def stack(number):
                if number not in known:
                    known[number] = ([lane or "[unknown]"] if threads else []) + frames.stack(number, lines)
                return known[number]

            for key in ("samples", "jsAllocations", "nativeAllocations"):
                if not thread.get(key):
                    continue
                table = columns(thread[key])
                count = len(table["stack"])
                times = table.get("time")
                if not times and table.get("timeDeltas"):
                    times = list(itertools.accumulate(table["timeDeltas"]))
                weights = table.get("weight") or table.get("duration") or [1] * count
                kind = (table.get("weightType") or "samples") if key == "samples" else "bytes"
                event = UNITS[kind][0] if key == "samples" else "alloc"
                for i in range(count):
                    last = weights[i] if kind == "tracing-ms" else None
                    period = interval * weights[i] if kind == "samples" and weights[i] > 0 else 0
                    freed = key == "nativeAllocations" and weights[i] < 0
                    yield ("nativeDeallocations" if freed else event, "nativeDeallocations" if freed else key, lane,
                           times[i] + shift if times else None, stack(table["stack"][i]),
                           -weights[i] if freed else weights[i], last, period)
                if key == "samples":
                    used = table.get("threadCPUDelta") or [], table["stack"], times
            for i in range(1, len(used[0])):
                if used[0][i]:
                    yield ("cpu", "threadCPUDelta", lane, used[2][i] + shift if used[2] else None, stack(used[1][i]),
                           used[0][i], None, 0)
