#!/usr/bin/env python3
"""Reads values of type flameseries as docs/format.md describes them, a second time and in another language.

For each line of standard input, the bytes in hexadecimal, it prints what they hold: a line "profile AT INSTANCE" for each
profile, with its time in microseconds since 2000-01-01 UTC, and one "STACK VALUE" for each of its stacks, frames joined by ";", the value
as the eight bytes of a double;
an empty line ends a value.
"""
import struct
import sys
from fractions import Fraction


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        assert size <= len(self.data) - self.at, 'cut short'
        self.at += size
        return self.data[self.at - size:self.at]

    def varint(self):
        value = shift = 0
        while True:
            byte, = self.take(1)
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def ended(self):
        return self.at == len(self.data)


def zigzag(n):
    return n >> 1 if n % 2 == 0 else -(n + 1 >> 1)


def values(reader, mode, digits, unit, count):
    if mode == 0:
        return [zigzag(reader.varint()) * Fraction(unit) / 10 ** digits for _ in range(count)]
    planes = [reader.take(count) for _ in range(8)]
    return [Fraction(struct.unpack('>d', bytes(plane[i] for plane in planes))[0]) for i in range(count)]


def flamegraph(data):
    """A list of (stack, value), in preorder."""
    version, form, depth, nodes, stacks, frames, leaves, _, _, _, unit, *sizes = struct.unpack('<BBHIIIIIdddIIII', data[:64])
    assert version == 1
    rest = Reader(data[64:])
    dictionary, edges, ranks, chains = (Reader(rest.take(size)) for size in sizes)
    names = []
    for _ in range(frames):
        shared, = dictionary.take(1)
        names.append((names[-1][:shared] if names else b'') + dictionary.take(dictionary.varint()))
    callees = []
    for _ in range(frames + 1):
        called = []
        for i in range(edges.varint()):
            called.append(edges.varint() + (called[-1] + 1 if i else 0))
        callees.append(called)
    paths, leaf = [()], set()
    for chain in range(leaves):
        parent = paths[-1] if chain == 0 else paths[-1][:len(paths[-1]) - chains.varint() - 1]
        for _ in range(chains.varint() + 1):
            parent += (callees[parent[-1] if parent else frames][ranks.varint()],)
            paths.append(parent)
        leaf.add(len(paths) - 1)
    assert len(paths) == nodes + 1 and max(map(len, paths)) == depth
    inner, index = [], -1
    for _ in range(stacks - leaves):
        index += rest.varint() + 1
        inner.append(index)
    order = sorted(leaf) + inner
    found = dict(zip(order, values(rest, form & 15, form >> 4, unit, stacks)))
    assert all(section.ended() for section in (rest, dictionary, edges, ranks, chains))
    return [(tuple(names[f] for f in paths[i]), found[i]) for i in sorted(found)]


def column(reader, profiles, mode):
    """(place, multiple or double) of each value of a column."""
    count = reader.take(1)[0] + 1
    if count == profiles:
        places = list(range(profiles))
    elif (profiles + 7) // 8 < count:
        bits = int.from_bytes(reader.take((profiles + 7) // 8), 'little')
        places = [p for p in range(profiles) if bits >> p & 1]
    else:
        places = list(reader.take(count))
    head, = reader.take(1)
    if mode == 1:
        assert head == 7
        return [(p, Fraction(struct.unpack('<d', reader.take(8))[0])) for p in places]
    width = (0, 1, 2, 4, 8, 16, 32, 64)[head & 7]
    least = zigzag(reader.varint() if head >> 3 == 31 else head >> 3)
    bits = int.from_bytes(reader.take((count * width + 7) // 8), 'little')
    return [(p, least + (bits >> i * width & (1 << width) - 1)) for i, p in enumerate(places)]


def flameseries(data):
    """A list of (time, instance, {stack: value})."""
    (version, form, flags, _, count, total_values, stacks, since, until, unit, total, *sizes) = struct.unpack('<BBBBIIIqqddIIII', data[:64])
    assert version == 1
    mode, digits = form & 15, form >> 4
    rest = Reader(data[64:])
    tree, instances, sums, directory = (rest.take(size) for size in sizes)
    shared, names = flamegraph(tree), [(b'',)] + [stack for stack, _ in flamegraph(instances) if stack]
    assert len(shared) == stacks
    directory, series, at = Reader(directory), [], since
    while not directory.ended():
        at += directory.varint()
        block = Reader(rest.take(directory.varint()))
        profiles = min(256, count - len(series))
        times = [at]
        for _ in range(profiles - 1):
            times.append(times[-1] + block.varint())
        part = [(time, names[block.varint()][0], {}) for time in times]
        stack = -1
        while not block.ended():
            stack += block.varint() + 1
            for place, value in column(block, profiles, mode):
                part[place][2][shared[stack][0]] = value if mode == 1 else value * Fraction(unit) / 10 ** digits
        series += part
    # what the bytes say twice
    assert rest.ended() and len(series) == count and (not series or series[-1][0] == until)
    assert sum(len(profile[2]) for profile in series) == total_values
    for stack, having in shared:
        assert having == sum(stack in profile[2] for profile in series)
    if flags == 0 and mode == 0:
        reader = Reader(sums)
        head, of_sums = struct.unpack('<Bd', reader.take(9))
        for (stack, _), value in zip(shared, values(reader, head & 15, head >> 4, of_sums, stacks)):
            exact = sum(profile[2].get(stack, 0) for profile in series)
            assert abs(value - exact) <= abs(exact) / 2 ** 50, (stack, value, exact)
        assert reader.ended()
    return series


def main():
    for line in sys.stdin:
        for at, instance, stacks in flameseries(bytes.fromhex(line.strip())):
            print('profile', at, instance.decode())
            for stack, value in stacks.items():
                print(b';'.join(stack).decode(), struct.pack('>d', float(value)).hex())
        print()


if __name__ == '__main__':
    main()
