#!/usr/bin/env python3
"""Checks the generator: python3 bench/generator/check_generator.py PATH-OF-GENERATE

Decodes its pprof output with a reader written against the published schema, not against the encoder, and compares it
with the folded output; counts nodes; checks that orders, seeds and COPY formats say the same. Slow and plain on purpose.
"""
import subprocess
import sys

generate = sys.argv[1]


def run(*options):
    return subprocess.run([generate, *map(str, options)], check=True, capture_output=True).stdout


def folded(data):
    stacks = {}
    for line in data.decode().splitlines():
        stack, value = line.rsplit(" ", 1)
        assert stack not in stacks, "a stack occurs twice"
        stacks[stack] = int(value)
    return stacks


def nodes(stacks):
    seen = set()
    for stack in stacks:
        frames = tuple(stack.split(";"))
        seen.update(frames[:n] for n in range(1, len(frames) + 1))
    return seen


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
    """(number, value) of a protobuf message; only the two wire types that profile.proto uses."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        value, at = varint(data, at)
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
        else:
            assert tag & 7 == 0, "unexpected wire type"
        yield tag >> 3, value
    assert at == len(data), "message runs over its end"


def packed(data):
    values, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def pprof(data):
    samples, locations, functions, strings = [], {}, {}, []
    facts = {}
    for number, value in fields(data):
        if number == 1:
            kind = dict(fields(value))
            facts.setdefault("types", []).append((kind[1], kind[2]))
        elif number == 2:
            parts = dict(fields(value))
            samples.append((packed(parts[1]), packed(parts[2])))
        elif number == 4:
            parts = list(fields(value))
            lines = [dict(fields(v)) for n, v in parts if n == 4]
            assert len(lines) == 1
            locations[dict(parts)[1]] = lines[0][1]
        elif number == 5:
            parts = dict(fields(value))
            functions[parts[1]] = parts[2]
        elif number == 6:
            strings.append(value.decode())
        elif number == 11:
            kind = dict(fields(value))
            facts["period_type"] = (kind[1], kind[2])
        else:
            assert number == 12, f"unexpected field {number}"
            facts["period"] = value
    assert strings[0] == "", "string 0 must be empty"
    assert [tuple(strings[s] for s in t) for t in facts["types"]] == [("samples", "count")]
    assert tuple(strings[s] for s in facts["period_type"]) == ("cpu", "nanoseconds") and facts["period"] > 0
    assert 0 not in locations and 0 not in functions, "id 0 is reserved"
    stacks = {}
    for ids, values in samples:
        stack = ";".join(strings[functions[locations[i]]] for i in reversed(ids))
        assert stack not in stacks and len(values) == 1
        stacks[stack] = values[0]
    return stacks


for wanted in (1000, 4321, 60000):
    for profile_seed in (1, 2):
        options = ("--nodes", wanted, "--profile-seed", profile_seed)
        text = run(*options)
        stacks = folded(text)
        assert text == run(*options), "not deterministic"
        assert len(nodes(stacks)) == wanted, "wrong number of nodes"
        keys = [stack.encode().split(b";") for stack in stacks]
        assert keys == sorted(keys), "not in canonical order"
        assert stacks == folded(run(*options, "--order", "shuffled"))
        assert stacks == pprof(run(*options, "--format", "pprof"))
        rows = [row.split("\t") for row in run(*options, "--format", "rows").decode().splitlines()]
        assert stacks == {stack: int(value) for _, stack, value in rows}
        assert {row[0] for row in rows} == {str(profile_seed)}
        number, value = run(*options, "--format", "copy").decode().rstrip("\n").split("\t")
        assert number == str(profile_seed) and value.replace("\\n", "\n").encode() == text
        lengths = [len(frame) for frame in {f for s in stacks for f in s.split(";")}]
        assert min(lengths) >= 20 and max(lengths) <= 120

# Several recordings in one call are the recordings one by one.
together = run("--nodes", 5000, "--profile-seed", 3, "--profiles", 4, "--format", "copy")
assert together == b"".join(run("--nodes", 5000, "--profile-seed", p, "--format", "copy") for p in range(3, 7))

# Two recordings of one program share most nodes, two programs share few.
one, two, other = (nodes(folded(run("--profile-seed", p, "--seed", s))) for p, s in ((1, 1), (2, 1), (1, 2)))
shared = len(one & two) / len(one)
assert 0.70 < shared < 0.90, shared
assert len(one & other) < 0.01 * len(one)
print(f"generator: all checks passed; two recordings of one program share {shared:.1%} of their nodes")
