#!/usr/bin/env python3
"""recordings.py FORMAT SAMPLES [TIMES] < FOLDED > FILE: a recording of so many samples in another tool's format.

The samples are of three threads, 250 microseconds apart; each stack is one of FOLDED's, comes one to eight times in a row, and
keeps its twelve outermost frames, so that a sample of text takes about 1 kB. The same arguments give the same bytes.

With TIMES the same samples come so many times, for files of any size: of jfr_binary in chunks, of otlp in messages of their own, as a
collector writes them. Only the formats that measurements of memory need can do that.
"""
import json
import random
import struct
import sys

DEPTH = 12
STEP = 250  # microseconds
START = 100  # seconds
REPEATED = ("gperftools", "pprof", "otlp", "mojo", "jfr_binary")


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


def runs_of(stacks, count):
    """(number of the first sample, how many, stack, thread) of samples in a row that are alike."""
    start = length = 0
    before = None
    for number, sample in enumerate(samples_of(stacks, count)):
        if sample != before and before is not None:
            yield (start, length, *before)
            start = number
            length = 0
        before = sample
        length += 1
    if before is not None:
        yield (start, length, *before)


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
    write_json({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": [{"name": name} for name in numbers]},
        "profiles": [{"type": "sampled", "name": "app", "unit": "microseconds", "startValue": 0, "endValue": count * STEP,
                      "samples": [numbered[stack] for stack in samples], "weights": [STEP] * count}],
    }, out)


def write_cpuprofile(stacks, count, out):
    """V8's tree: a node for each calling context, its samples by the node's number."""
    contexts, leaves = calling_contexts(stacks)
    lists = {1: []}
    for (parent, _), node in contexts.items():
        lists.setdefault(parent, []).append(node)
        lists.setdefault(node, [])
    nodes = [{"id": node, "callFrame": {"functionName": frame, "scriptId": "7", "url": "file:///opt/app/app.js",
                                        "lineNumber": node % 1000, "columnNumber": 3}, "hitCount": 0,
              "children": lists[node]}
             for node, frame in [(1, "(root)"), *((node, frame) for (_, frame), node in contexts.items())]]
    samples = [leaves[stack] for stack, _ in samples_of(stacks, count)]
    write_json({"nodes": nodes, "startTime": 0, "endTime": (count + 1) * STEP, "samples": samples, "timeDeltas": [STEP] * count}, out)


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


def write_chrome(stacks, count, out):
    """As viztracer writes them: an event for each frame of a stack, when it ends."""
    texts = [[json.dumps(frame) for frame in stack] for stack in stacks]
    out.write(b'{"traceEvents":[{"ph":"M","pid":4000,"tid":0,"name":"thread_name","args":{"name":"worker-0"}}')
    for start, length, stack, thread in runs_of(stacks, count):
        for depth, name in reversed(list(enumerate(texts[stack]))):
            out.write(f',\n{{"pid":4000,"tid":{thread},"ts":{start * STEP},"ph":"X","cat":"fee","dur":{length * STEP},"name":{name}'
                      f',"args":{{"depth":{depth}}}}}'.encode())
    out.write(b"]}")


def calling_contexts(stacks):
    """The nodes of a tree: (parent, frame) to number, from 2 on, and the number of each stack's leaf; the root is 1."""
    nodes = {}
    leaves = []
    for stack in stacks:
        node = 1
        for frame in stack:
            node = nodes.setdefault((node, frame), len(nodes) + 2)
        leaves.append(node)
    return nodes, leaves


def write_heapprofile(stacks, count, out):
    """A node with its children in it, and a sample for each block."""
    nodes, leaves = calling_contexts(stacks)
    children = {}
    for (parent, frame), node in nodes.items():
        children.setdefault(parent, []).append((node, frame))
    samples = [leaves[stack] for stack, _ in samples_of(stacks, count)]
    sizes = {}
    for node in samples:
        sizes[node] = sizes.get(node, 0) + STEP
    out.write(b'{"head":')

    def begin(node, frame):
        call = {"functionName": frame, "scriptId": "7", "url": "file:///opt/app/app.js", "lineNumber": node % 1000,
                "columnNumber": 3}
        out.write(f'{{"callFrame":{json.dumps(call, separators=(",", ":"))},"selfSize":{sizes.get(node, 0)},"id":{node}'
                  f',"children":['.encode())
        return iter(children.get(node, ()))

    walk = [begin(1, "(root)")]
    first = True
    while walk:
        child = next(walk[-1], None)
        if child is None:
            walk.pop()
            out.write(b"]}")
        else:
            if not first:
                out.write(b",")
            walk.append(begin(*child))
        first = child is not None
    out.write(b',"samples":[')
    out.write(",".join(f'{{"size":{STEP},"nodeId":{node},"ordinal":{i}}}' for i, node in enumerate(samples, 1)).encode())
    out.write(b"]}")


def write_stackprof(stacks, count, out):
    """With raw: true; ids are addresses."""
    numbered, numbers = number_frames(stacks)
    ids = [140529052611760 + 40 * number for number in range(len(numbers))]
    raw = []
    for _, length, stack, _ in runs_of(stacks, count):
        raw += [len(stacks[stack]), *(ids[frame] for frame in numbered[stack]), length]
    write_json({"version": 1.2, "mode": "cpu", "interval": STEP, "samples": count, "gc_samples": 0, "missed_samples": 0,
               "metadata": {}, "frames": {str(ids[number]): {"name": name, "file": "/srv/app/app.rb", "line": number % 1000,
                                                             "total_samples": 1, "samples": 1}
                                          for name, number in numbers.items()},
               "raw": raw, "raw_timestamp_deltas": [STEP] * count}, out)


def write_bpftrace(stacks, count, out):
    texts = ["".join(f"    {frame}+16\n" for frame in reversed(stack)) for stack in stacks]
    out.write(b"Attaching 1 probe...\n\n\n")
    for _, length, stack, thread in runs_of(stacks, count):
        out.write(f"@[\n{texts[stack]}, worker-{thread}]: {length}\n".encode())


def write_stacks(stacks, count, out):
    """As DTrace prints an aggregation."""
    texts = ["".join(f"              app`{frame}+0x10\n" for frame in reversed(stack)) for stack in stacks]
    out.write(b"CPU     ID                    FUNCTION:NAME\n  0  64091                        :tick-60s\n\n")
    for _, length, stack, _ in runs_of(stacks, count):
        out.write(f"\n{texts[stack]}{length:17d}\n".encode())


def write_sample(stacks, count, out):
    """A call graph is as large as its tree: that of each run of samples is printed under a thread of its own."""
    out.write(b"Call graph:\n")
    for number, (_, length, stack, _) in enumerate(runs_of(stacks, count)):
        out.write(f"    {length} Thread_{number}\n".encode())
        for depth, frame in enumerate(stacks[stack], 1):
            margin = " +" + "".join(" !:|"[level % 4] + " " for level in range(1, depth))
            out.write(f"   {margin} {length} {frame}  (in app) + 16  [0x{0x100000000 + depth * 16:x}]\n".encode())
    out.write(b"\nTotal number in stack (recursive counted multiple, when >=5):\n")


def write_callgrind(stacks, count, out):
    """The cost of each line of a function, and of each call, for each run of samples anew."""
    numbered, numbers = number_frames(stacks)
    named = set()
    total = 0

    def name(frame):
        number = numbers[frame]
        if number in named:
            return f"({number})"
        named.add(number)
        return f"({number}) {frame}"

    out.write(b"# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npositions: line\nevents: Ir Dr\n")
    for _, length, stack, _ in runs_of(stacks, count):
        frames = stacks[stack]
        for depth, frame in enumerate(frames):
            out.write(f"\nfn={name(frame)}\n".encode())
            out.write("".join(f"+{line} {length} {line}\n" for line in range(1, 9)).encode())
            total += 8 * length
            if depth + 1 < len(frames) and frames[depth + 1] != frame:
                out.write(f"cfn={name(frames[depth + 1])}\ncalls={length} 16\n* {length * 100} 36\n".encode())
    out.write(f"\ntotals: {total} {total}\n".encode())


def write_gperftools(stacks, count, out, times=1):
    """A heap in use; addresses, and one object that they are in."""
    numbered, _ = number_frames(stacks)
    texts = [" ".join(f"0x{0x55efd7c00000 + frame * 64:012x}" for frame in reversed(stack)) for stack in numbered]
    out.write(f"heap profile: {count:6d}: {count * STEP:8d} [{count:6d}: {count * STEP:8d}] @ heapprofile\n".encode())
    lines = [f"{length:6d}: {length * STEP:8d} [{length:6d}: {length * STEP:8d}] @ {texts[stack]}\n".encode()
             for _, length, stack, _ in runs_of(stacks, count)]
    for _ in range(times):
        out.writelines(lines)
    out.write(b"\nMAPPED_LIBRARIES:\n55efd7c00000-55efd8c00000 r-xp 00000000 00:00 332383                     /opt/app/bin/app\n")


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


def jfr_text(text):
    encoded = text.encode()
    return b"\x03" + varint(len(encoded)) + encoded


# Types of a Flight Recorder file: name, number, supertype, fields: (name, type, constant, array)
JFR_TYPES = (
    ("boolean", 4, None, ()), ("int", 8, None, ()), ("long", 9, None, ()), ("java.lang.String", 10, None, ()),
    ("java.lang.Thread", 20, None, (("osName", 10, False, False), ("osThreadId", 9, False, False),
                                    ("javaName", 10, False, False), ("javaThreadId", 9, False, False))),
    ("java.lang.Class", 21, None, (("name", 25, True, False), ("modifiers", 8, False, False))),
    ("jdk.types.ThreadState", 22, None, (("name", 10, False, False),)),
    ("jdk.types.FrameType", 23, None, (("description", 10, False, False),)),
    ("jdk.types.Method", 24, None, (("type", 21, True, False), ("name", 25, True, False), ("descriptor", 25, True, False),
                                    ("modifiers", 8, False, False), ("hidden", 4, False, False))),
    ("jdk.types.Symbol", 25, None, (("string", 10, False, False),)),
    ("jdk.types.StackTrace", 26, None, (("truncated", 4, False, False), ("frames", 27, False, True))),
    ("jdk.types.StackFrame", 27, None, (("method", 24, True, False), ("lineNumber", 8, False, False),
                                        ("bytecodeIndex", 8, False, False), ("type", 23, True, False))),
    ("jdk.ExecutionSample", 101, "jdk.jfr.Event", (("startTime", 9, False, False), ("sampledThread", 20, True, False),
                                                   ("stackTrace", 26, True, False), ("state", 22, True, False))),
)


def jfr_metadata():
    """The description of the types: a table of texts, and a tree of elements that refers to it."""
    words = {}

    def word(text):
        return varint(words.setdefault(text, len(words)))

    def element(name, attributes, children=()):
        return (word(name) + varint(len(attributes)) + b"".join(word(key) + word(value) for key, value in attributes) +
                varint(len(children)) + b"".join(children))

    classes = []
    for name, number, above, fields in JFR_TYPES:
        children = []
        for field_name, kind, constant, array in fields:
            attributes = [("name", field_name), ("class", str(kind))]
            attributes += [("constantPool", "true")] if constant else []
            attributes += [("dimension", "1")] if array else []
            children.append(element("field", attributes))
        attributes = [("id", str(number)), ("name", name)] + ([("superType", above)] if above else [])
        attributes += [("simpleType", "true")] if name in ("jdk.types.Symbol", "jdk.types.FrameType", "jdk.types.ThreadState") else []
        classes.append(element("class", attributes, children))
    tree = element("root", (), (element("metadata", (), classes),
                                element("region", (("locale", "en_US"), ("gmtOffset", "0"), ("ticksToMillis", "1000000")))))
    return b"\x00" + varint(1) + varint(0) + varint(1) + varint(len(words)) + b"".join(map(jfr_text, words)) + tree


def jfr_event(payload):
    """Its size in front, always in four bytes, as the JVM has it."""
    size = len(payload) + 4
    return bytes((size & 127 | 128, size >> 7 & 127 | 128, size >> 14 & 127 | 128, size >> 21)) + payload


def write_jfr_binary(stacks, count, out, times=1):
    """Chunks: samples, then the constants that they refer to, then the description of the types."""
    numbered, numbers = number_frames(stacks)
    classes = {}
    symbols = {"()V": 1}

    def symbol(text):
        return symbols.setdefault(text, len(symbols) + 1)

    methods = []
    for frame, number in numbers.items():
        head, _, name = frame.rpartition(".")
        class_number = classes.setdefault(symbol(head or "app/Main"), len(classes) + 1)
        methods.append(b"".join(map(varint, (number + 1, class_number, symbol(name), 1, 1))) + b"\x00")
    traces = [varint(at + 1) + b"\x00" + varint(len(stack)) +
              b"".join(varint(frame + 1) + varint(frame % 1000) + b"\x03\x02" for frame in reversed(stack))
              for at, stack in enumerate(numbered)]
    pools = (
        (20, [varint(thread + 1) + jfr_text(f"worker-{thread}") + varint(4000 + thread) + jfr_text(f"worker-{thread}") +
              varint(thread + 1) for thread in range(3)]),
        (21, [varint(number) + varint(name) + b"\x01" for name, number in classes.items()]),
        (22, [b"\x01" + jfr_text("STATE_RUNNABLE")]),
        (23, [b"\x01" + jfr_text("Interpreted"), b"\x02" + jfr_text("JIT compiled")]),
        (24, methods),
        (25, [varint(number) + jfr_text(text) for text, number in symbols.items()]),
        (26, traces),
    )
    events = [jfr_event(varint(101) + varint(1000 + i * STEP * 1000) + varint(thread + 1) + varint(stack + 1) + b"\x01")
              for i, (stack, thread) in enumerate(samples_of(stacks, count))]
    constants = jfr_event(varint(1) + varint(0) + varint(0) + varint(0) + b"\x01" + varint(len(pools)) +
                          b"".join(varint(kind) + varint(len(pool)) + b"".join(pool) for kind, pool in pools))
    metadata = jfr_event(jfr_metadata())
    events = b"".join(events)
    constants_at = 68 + len(events)
    metadata_at = constants_at + len(constants)
    for chunk in range(times):
        out.write(struct.pack(">4sHHQQQQQQQI", b"FLR\0", 2, 1, metadata_at + len(metadata), constants_at, metadata_at,
                              1767225600 * 10**9 + chunk * count * STEP * 1000, count * STEP * 1000, 1000, 10**9, 1))
        out.write(events + constants + metadata)


def write_pprof(stacks, count, out, times=1):
    """A sample each time, as a profiler without a table of stacks would write them."""
    numbered, numbers = number_frames(stacks)
    texts = ["", "cpu", "nanoseconds", *numbers]
    out.write(field(1, varint(1 << 3) + varint(1) + varint(2 << 3) + varint(2)))
    messages = [field(2, field(1, b"".join(varint(frame + 1) for frame in reversed(stack))) + field(2, varint(250000)))
                for stack in numbered]
    samples = b"".join(messages[stack] for stack, _ in samples_of(stacks, count))
    for _ in range(times):
        out.write(samples)
    for i in range(1, len(numbers) + 1):
        out.write(field(4, varint(1 << 3) + varint(i) + field(4, varint(1 << 3) + varint(i) + varint(2 << 3) + varint(17))))
        out.write(field(5, varint(1 << 3) + varint(i) + varint(2 << 3) + varint(i + 2)))
    for text in texts:
        out.write(field(6, text.encode()))


def write_pprof_stacks(stacks, count, out):
    """A stack of its own for each sample: one of those there are, and below it four functions that others call, too."""
    numbered, numbers = number_frames(stacks)
    below = random.Random(3)
    helpers = 1000
    texts = ["", "cpu", "nanoseconds", *numbers, *(f"app.helpers.Helper.step_{number}" for number in range(helpers))]
    out.write(field(1, varint(1 << 3) + varint(1) + varint(2 << 3) + varint(2)))
    met = set()
    while len(met) < count:
        called = tuple(below.randrange(helpers) for _ in range(4))
        at = below.randrange(len(stacks))
        if (at, called) in met:
            continue
        met.add((at, called))
        ids = [len(numbers) + number + 1 for number in called] + [frame + 1 for frame in reversed(numbered[at])]
        out.write(field(2, field(1, b"".join(map(varint, ids))) + field(2, varint(250000))))
    for i in range(1, len(texts) - 2):
        out.write(field(4, varint(1 << 3) + varint(i) + field(4, varint(1 << 3) + varint(i) + varint(2 << 3) + varint(17))))
        out.write(field(5, varint(1 << 3) + varint(i) + varint(2 << 3) + varint(i + 2)))
    for text in texts:
        out.write(field(6, text.encode()))


def write_otlp(stacks, count, out, times=1):
    """As the profiler of OpenTelemetry writes them: samples in a row that are alike are one, with a time each."""
    numbered, numbers = number_frames(stacks)
    texts = ["", "samples", "count", "cpu", "nanoseconds", "thread.name", "thread.id", *numbers]
    first = len(texts) - len(numbers)

    def packed(number, values):
        return field(number, b"".join(map(varint, values)))

    def fields(*values):
        return b"".join(varint(number << 3) + varint(value) for number, value in enumerate(values, 1) if value != 0)

    samples = []
    for start, length, stack, thread in runs_of(stacks, count):
        at = struct.pack(f"<{length}Q", *(1767225600 * 10**9 + (start + i) * STEP * 1000 for i in range(length)))
        samples.append(field(2, fields(stack + 1) + packed(2, (1 + thread * 2, 2 + thread * 2)) + field(5, at)))
    profile = (field(1, fields(1, 2)) + b"".join(samples) + varint(3 << 3 | 1) + struct.pack("<Q", 1767225600 * 10**9) +
               varint(4 << 3) + varint(count * STEP * 1000) + field(5, fields(3, 4)) + varint(6 << 3) + varint(STEP * 1000))
    dictionary = [field(1, b""), field(2, b"")]
    dictionary += [field(2, varint(2 << 3) + varint(0x400000 + i * 64) + field(3, fields(i + 1, 17))) for i in range(len(numbers))]
    dictionary += [field(3, b"")] + [field(3, fields(first + i)) for i in range(len(numbers))]
    dictionary += [field(4, b"")] + [field(5, text.encode()) for text in texts] + [field(6, b"")]
    for thread in range(3):
        dictionary.append(field(6, fields(5) + field(2, field(1, f"worker-{thread}".encode()))))
        dictionary.append(field(6, fields(6) + field(2, varint(3 << 3) + varint(4000 + thread))))
    dictionary += [field(7, b"")] + [field(7, packed(1, (frame + 1 for frame in reversed(stack)))) for stack in numbered]
    message = field(1, field(2, field(2, profile))) + field(2, b"".join(dictionary))
    for _ in range(times):
        out.write((struct.pack(">I", len(message)) if times > 1 else b"") + message)


def write_instruments(stacks, count, out):
    """As xctrace exports a table of time-profile: what was there before is a reference."""
    from xml.sax.saxutils import quoteattr
    known = {}

    def element(name, key, attributes, content):
        """An element with a number of its own, or a reference to it."""
        number = known.get((name, key))
        if number is not None:
            return f'<{name} ref="{number}"/>'
        number = known[name, key] = len(known) + 1
        return f'<{name} id="{number}"{attributes}>{content()}</{name}>'

    def binary():
        return element("binary", 0, ' name="app" UUID="0E2D9A5B-9A2A-3C59-8A5C-0F8C1F0A7B11" arch="arm64" '
                       'load-addr="0x100000000" path="/opt/app/bin/app"', str)

    def process():
        return element("pid", 0, ' fmt="4000"', lambda: "4000")

    out.write(b'<?xml version="1.0"?>\n<trace-query-result>\n<node xpath=\'//trace-toc[1]/run[1]/data[1]/table[1]\'>'
              b'<schema name="time-profile">')
    for mnemonic, name, kind in (("time", "Sample Time", "sample-time"), ("thread", "Thread", "thread"),
                                 ("process", "Process", "process"), ("core", "Core", "core"), ("weight", "Weight", "weight"),
                                 ("thread-state", "State", "thread-state"), ("stack", "Backtrace", "tagged-backtrace")):
        out.write(f"<col><mnemonic>{mnemonic}</mnemonic><name>{name}</name><engineering-type>{kind}</engineering-type></col>"
                  .encode())
    out.write(b"</schema>")
    for i, (stack, thread) in enumerate(samples_of(stacks, count)):
        time = i * STEP
        row = element("sample-time", time, f' fmt="00:{time // 1000000:02d}.{time // 1000 % 1000:03d}.{time % 1000:03d}"',
                      lambda: f"{time * 1000}")
        row += element("thread", thread, f' fmt="worker-{thread} {thread:#x} (app, pid: 4000)"',
                       lambda: element("tid", thread, f' fmt="{thread:#x}"', lambda: str(thread)) +
                       element("process", 0, ' fmt="app (4000)"', process))
        row += element("process", 0, ' fmt="app (4000)"', process)
        row += element("core", thread, f' fmt="CPU {thread} (P Core)"', lambda: str(thread))
        row += element("thread-state", 0, ' fmt="Running"', lambda: "Running")
        row += element("weight", 0, ' fmt="250.00 µs"', lambda: "250000")
        row += element("tagged-backtrace", stack, f" fmt={quoteattr(stacks[stack][-1] + ' ← (11 other frames)')}", lambda: element(
            "backtrace", stack, "", lambda: "".join(element("frame", text, f' name={quoteattr(text)} addr="0x100004a24"',
                                                            binary) for text in reversed(stacks[stack]))))
        out.write(f"<row>{row}</row>\n".encode())
    out.write(b"</node></trace-query-result>\n")


def write_firefox(stacks, count, out):
    """As samply writes a profile: three threads that share nothing."""
    threads = [[], [], []]
    for stack, thread in samples_of(stacks, count):
        threads[thread].append(stack)
    numbered, numbers = number_frames(stacks)
    contexts, leaves = calling_contexts(stacks)
    size = len(numbers)
    rows = len(contexts)
    tables = {
        "stackTable": {"prefix": [None if parent == 1 else parent - 2 for parent, _ in contexts],
                       "frame": [numbers[frame] for _, frame in contexts], "length": rows},
        "frameTable": {"address": [-1] * size, "func": list(range(size)), "line": [None] * size, "length": size},
        "funcTable": {"name": list(range(size)), "resource": [-1] * size, "length": size},
        "resourceTable": {"name": [], "type": [], "length": 0},
        "stringArray": list(numbers),
    }
    del numbered
    write_json({"meta": {"interval": STEP / 1000, "startTime": 0, "preprocessedProfileVersion": 50}, "libs": [], "threads": [
        {"name": f"worker-{number}", "pid": "4000", "tid": 4000 + number,
         "samples": {"stack": [leaves[stack] - 2 for stack in samples], "timeDeltas": [STEP / 1000] * len(samples),
                     "weight": [1] * len(samples), "weightType": "samples", "length": len(samples)}, **tables}
        for number, samples in enumerate(threads)]}, out)


def mojo_integer(number):
    encoded = bytearray([number & 63])
    number >>= 6
    while number > 0:
        encoded[-1] |= 128
        encoded.append(number & 127)
        number >>= 7
    return bytes(encoded)


def write_mojo(stacks, count, out, times=1):
    """Austin's binary form, version 3: names and frames where they are met first."""
    numbered, numbers = number_frames(stacks)
    known = set()
    refers = [b"".join(b"\x05" + mojo_integer(frame + 1) for frame in stack) for stack in numbered]
    out.write(b"MOJ" + mojo_integer(3) + b"\x01mode\0wall\0\x01interval\x00250\0" + b"\x0b" + mojo_integer(2) + b"app.py\0")
    texts = list(numbers)
    for stack, thread in (sample for _ in range(times) for sample in samples_of(stacks, count)):
        out.write(b"\x02" + mojo_integer(4000) + mojo_integer(0) + f"{thread:x}\0".encode())
        for frame in set(numbered[stack]) - known:
            known.add(frame)
            out.write(b"\x0b" + mojo_integer(frame + 3) + texts[frame].encode() + b"\0")
            out.write(b"\x03" + b"".join(map(mojo_integer, (frame + 1, 2, frame + 3, frame % 1000, frame % 1000, 1, 9))))
        out.write(refers[stack] + b"\x09" + mojo_integer(STEP))


def write_json(value, out):
    """At once: json.dump() would call for each number."""
    out.write(json.dumps(value, separators=(",", ":")).encode())


WRITERS = {"folded": write_folded, "austin": write_austin, "perf": write_perf, "speedscope": write_speedscope,
           "cpuprofile": write_cpuprofile, "heapprofile": write_heapprofile, "jfr": write_jfr, "chrome": write_chrome,
           "stackprof": write_stackprof, "gperftools": write_gperftools, "bpftrace": write_bpftrace, "stacks": write_stacks,
           "sample": write_sample, "callgrind": write_callgrind, "pprof": write_pprof, "firefox": write_firefox,
           "mojo": write_mojo, "jfr_binary": write_jfr_binary, "pprof_stacks": write_pprof_stacks, "otlp": write_otlp,
           "instruments": write_instruments}


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in (WRITERS if len(sys.argv) == 3 else REPEATED):
        sys.exit(f"usage: recordings.py {'|'.join(WRITERS)} SAMPLES [TIMES] < FOLDED > FILE")
    WRITERS[sys.argv[1]](read_stacks(sys.stdin), int(sys.argv[2]), sys.stdout.buffer, *map(int, sys.argv[3:]))


main()
