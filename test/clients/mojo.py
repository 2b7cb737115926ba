"""Writes what Austin's text says as one of its binary files (MOJO, version 3).

    mojo.py FILE     the bytes on standard output

Made after the description of the format in Austin's manual: "MOJ", the version, then events. A number has six bits and its
sign in the first byte, seven in each other one; a text ends with NUL. Names and frames are defined where they come first.
"""
import re
import sys

METADATA, STACK, FRAME, INVALID, FRAME_REF, KERNEL, GC, IDLE, TIME, MEMORY, STRING = range(1, 12)


def number(value):
    rest, first = abs(value) >> 6, (abs(value) & 0x3f) | (0x40 if value < 0 else 0)
    out = [first | (0x80 if rest else 0)]
    while rest:
        out.append((rest & 0x7f) | (0x80 if rest >> 7 else 0))
        rest >>= 7
    return bytes(out)


def text(value):
    return value.encode() + b'\0'


def event(which, *parts):
    return bytes([which]) + b''.join(number(part) if isinstance(part, int) else text(part) for part in parts)


def frame_events(process, frame, strings, frames):
    """The events of a frame, with the definitions of what was not there before."""
    if frame in (':GC:', ':INVALID:'):
        return event(GC if frame == ':GC:' else INVALID)
    out = b''
    if (process, frame) not in frames:
        file, function, line = frame.rsplit(':', 2)
        for name in (file, function):
            if (process, name) not in strings:
                strings[process, name] = 2 + len(strings)
                out += event(STRING, strings[process, name], name)
        frames[process, frame] = 2 + len(frames)
        out += event(FRAME, frames[process, frame], strings[process, file], strings[process, function], int(line), 0, 0, 0)
    return out + event(FRAME_REF, frames[process, frame])


def write(lines):
    strings, frames = {}, {}
    yield b'MOJ' + number(3)
    for line in lines:
        comment = re.fullmatch(r'# ([^:]+): (.*)', line)
        if comment:
            yield event(METADATA, *comment.groups())
        if not line or line.startswith('#'):
            continue
        stack, metrics = line.rsplit(' ', 1)
        process, thread, *names = stack.split(';')
        interpreter, thread = thread[1:].split(':')
        yield event(STACK, int(process[1:]), int(interpreter), thread)
        for name in names:
            yield frame_events(process, name, strings, frames)
        time, idle, memory = map(int, metrics.split(','))
        yield event(TIME, time)
        yield event(IDLE) if idle else b''
        yield event(MEMORY, memory)


for piece in write(open(sys.argv[1], encoding='utf-8').read().split('\n')):
    sys.stdout.buffer.write(piece)
