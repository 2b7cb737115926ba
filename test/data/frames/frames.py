#!/usr/bin/env python3
"""Prints frame names of Python, of the kind the argument says:

    sampler   module path:function:line, from sys._current_frames()
    lines     file.py:function:line, the same with the file's base name
    cprofile  what pstats prints of a cProfile run
    names     reprs of functions and such, and names of threads
    trace     a traceback as the interpreter prints it
"""

import asyncio
import concurrent.futures
import cProfile
import functools
import io
import json
import os
import pstats
import re
import sys
import threading
import time
import traceback


def spin(n):
    value = n
    for i in range(n):
        value = (value * 31 + i) & 0xFFFF
    return value


class Shape:
    def __init__(self, side=3):
        self.side = side

    def area(self):
        return spin(3000) + self.side

    @property
    def half(self):
        return spin(3000)

    @classmethod
    def make(cls):
        return cls(spin(3000))

    @staticmethod
    def unit():
        return spin(3000)

    def __lt__(self, other):
        spin(200)
        return self.side < other.side

    def __call__(self):
        return spin(3000)

    class Inner:
        def run(self):
            return spin(3000)


def traced(function):
    @functools.wraps(function)
    def wrapper(*arguments):
        return function(*arguments)
    return wrapper


@traced
def decorated():
    return spin(3000)


def closure():
    def step(n=3000):
        return spin(n)
    return step


def steps():
    for _ in range(3):
        yield spin(3000)


async def wait():
    await asyncio.sleep(0)
    return spin(3000)


LAMBDA = lambda n: spin(n)  # noqa: E731
GENERATED = compile("def generated():\n    return spin(3000)\ngenerated()\n", "<string>", "exec")
TEMPLATE = compile("def root(context):\n    return spin(3000)\nroot(None)\n", "<template 'page.html'>", "exec")


def work():
    shape = Shape.make()
    shape.area(), shape.half, shape.unit(), shape(), Shape.Inner().run()
    sorted(Shape(n * 7 % 30) for n in range(30))
    sorted(range(30), key=lambda n: spin(200))
    closure()(), decorated(), LAMBDA(3000), sum(steps())
    [spin(300) for _ in range(9)], {n: spin(300) for n in range(9)}, {spin(n) for n in range(300, 309)}
    functools.partial(spin, 3000)()
    exec(GENERATED, {"spin": spin}), exec(TEMPLATE, {"spin": spin}), eval("spin(3000)")
    re.sub(r"\d+", lambda found: str(spin(200)), "1 and 2 and 3")
    json.loads(json.dumps({"list": list(range(300))}, indent=1))
    asyncio.run(wait())


def sample(seconds):
    """Distinct (code, line) of all threads but this one."""
    seen = set()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for thread, frame in sys._current_frames().items():
            while thread != threading.get_ident() and frame:
                seen.add((frame.f_code, frame.f_lineno))
                frame = frame.f_back
        time.sleep(0.001)
    return seen


def sampled(seconds):
    stop = threading.Event()
    # Our sampler needs the interpreter's lock: let it be passed on often.
    sys.setswitchinterval(0.0002)

    def loop():
        while not stop.is_set():
            work()

    threads = [threading.Thread(target=loop)]
    for thread in threads:
        thread.start()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        pool.submit(loop)
        seen = sample(seconds)
        stop.set()
    return seen


def library(path):
    """Without the folder of the script or of an interpreter outside of /usr."""
    found = re.search(r"lib/python3\.\d+/.*", path)
    if found:
        return path if path.startswith("/usr/lib/") else found[0]
    return os.path.basename(path) if path.startswith("/") else path


def names():
    shape = Shape()
    yield from map(repr, [
        spin, LAMBDA, closure(), closure, decorated, shape.area, Shape.make, Shape.unit, Shape.area,
        Shape.__init__, shape.__lt__, shape, shape.__str__, object.__str__, Shape.half, Shape, Shape.Inner,
        len, time.sleep, [].append, list.append, "".join, dict.fromkeys, functools.partial(spin, 3000),
        functools.lru_cache(spin), steps(), re.sub, re.compile("a").sub, threading.Thread.run,
        json.dumps, os.stat, sys.stdout.write, int.__add__, (1).__add__, GENERATED, TEMPLATE,
        steps.__code__, sys._getframe(), threading, threading.Lock(), threading.Event(),
    ])
    coroutine = wait()
    yield repr(coroutine)
    coroutine.close()

    async def tasks():
        task = asyncio.create_task(wait())
        found = [task.get_name(), await asyncio.to_thread(lambda: threading.current_thread().name)]
        await task
        return found

    yield from asyncio.run(tasks())
    yield threading.main_thread().name
    yield repr(threading.main_thread())
    own = [threading.Thread(target=work), threading.Thread(target=shape), threading.Thread(target=LAMBDA),
           threading.Thread(target=closure(), daemon=True), threading.Timer(1, spin), threading.Thread(name="mailer-3")]
    for thread in own:
        yield thread.name
    yield repr(own[0])
    with concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="db") as pool:
        yield pool.submit(lambda: threading.current_thread().name).result()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        yield pool.submit(lambda: threading.current_thread().name).result()
        yield pool.submit(lambda: repr(threading.current_thread())).result()
    import _thread
    found = []
    _thread.start_new_thread(lambda: found.append(threading.current_thread().name), ())
    while not found:
        time.sleep(0.01)
    yield found[0]


def main():
    kind = sys.argv[1]
    if kind in ("sampler", "lines"):
        for code, line in sampled(4):
            path = library(code.co_filename)
            print(f"{os.path.basename(path) if kind == 'lines' else path}:{code.co_name}:{line}")
    elif kind == "cprofile":
        profile = cProfile.Profile()
        profile.runcall(work)
        out = io.StringIO()
        pstats.Stats(profile, stream=out).strip_dirs().sort_stats("cumulative").print_stats()
        for line in out.getvalue().split("tottime", 1)[1].splitlines()[1:]:
            if line.strip():
                print(line.split(None, 5)[5])
    elif kind == "names":
        for name in names():
            print(re.sub(r"(?<=['\"(])/[^'\"]*/(?=[^/'\"]*['\"])|(?<=file \")[^\"]*/", "", name))
    elif kind == "trace":
        def key(item):
            raise ValueError("trace")
        try:
            sorted([1], key=key)
        except ValueError:
            for line in traceback.format_exc().splitlines():
                if line.startswith("  File"):
                    print(re.sub(r'"/.*/', '"', line.strip()))


main()
