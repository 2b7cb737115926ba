"""What Instruments exports: the XML of xctrace, and the text of a deep copy; a plain reader, whole in memory."""

import re
import xml.etree.ElementTree as tree
from decimal import Decimal

UNITS = {"weight": "nanoseconds", "cycle-weight": "cycles", "pmc-event": "events"}
PROFILES = ("time-profile", "cpu-profile", "counters-profile")


def resolved(node):
    """The element that each one stands for."""
    ids = {element.get("id"): element for element in node.iter() if element.get("id")}
    return lambda element: ids[element.get("ref")] if element.get("ref") else element


def frame_name(frame, real, lines):
    name = frame.get("name") or frame.get("addr") or ""
    binary = frame.find("binary")
    if name.startswith("0x") and binary is not None and real(binary).get("load-addr"):
        offset = int(frame.get("addr"), 16) - int(real(binary).get("load-addr"), 16)
        if offset >= 0:
            name = f"{real(binary).get('name')}+{offset:#x}"
    source = frame.find("source")
    if lines and source is not None and source.get("line"):
        name += ":" + source.get("line")
    return name or "[unknown]"


def stack_of(row, real, lines):
    stack = row.find("tagged-backtrace")
    stack = row.find("backtrace") if stack is None else stack
    if stack is None:
        return []
    stack = real(stack)
    if stack.find("backtrace") is not None:
        stack = real(stack.find("backtrace"))
    return [frame_name(real(frame), real, lines) for frame in reversed(stack.findall("frame"))]


def recorded(data, lines=False, threads=False):
    """(event, name, unit, thread, nanoseconds, frames from the root, value) of each sample."""
    for node in tree.fromstring(data).iter("node"):
        real = resolved(node)
        schema = node.find("schema").get("name")
        for row in node.iter("row"):
            tag, value = next(((w, real(row.find(w)).text) for w in UNITS if row.find(w) is not None), (None, None))
            if value is None:
                continue
            thread = real(row.find("thread")).get("fmt") if row.find("thread") is not None else None
            event = "cpu" if schema in PROFILES and tag != "pmc-event" else schema
            frames = stack_of(row, real, lines)
            yield (event, schema, UNITS[tag], thread, int(real(row.find("sample-time")).text),
                   [thread] * threads + frames, int(value))


FACTORS = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9, "cycles": 1, "Kc": 10**3,
           "Mc": 10**6, "Gc": 10**9, "Tc": 10**12, "Bytes": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30}


def amount(cell, factor):
    number, unit = re.match(r"\s*(-|[\d.]+)\s*([^\W\d]*)", cell).groups()
    return 0 if number == "-" else round(Decimal(number) * FACTORS.get(unit, factor))


def copied(text, column=None):
    """(frames, value) of each node of a deep copy: what it took itself, or of bytes and numbers what those below it left."""
    heading, *rows = [line.split("\t") for line in text.splitlines() if line]
    name = next(i for i, cell in enumerate(heading) if cell.startswith("Symbol Name"))
    selves = [i for i, cell in enumerate(heading) if cell.startswith("Self")]
    own = heading.index(column) if column else selves[0] if selves else 0
    nodes, path = [], []
    first = len(rows[0][name]) - len(rows[0][name].lstrip(" "))
    for row in rows:
        depth = len(row[name]) - len(row[name].lstrip(" ")) - first
        value = amount(row[own], 10**6 if "(ms)" in heading[own] else 1)
        del path[depth:]
        if own not in selves and path:
            nodes[path[-1][1]][1] -= value
        path.append((row[name].strip(" "), len(nodes)))
        nodes.append([[frame for frame, _ in path], value])
    return nodes
