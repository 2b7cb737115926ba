"""Runs a Python program and writes its samples in the text format of Austin (Debian's austin 1.0 does not know Python 3.11).

    sample.py OUT INTERVAL_US PROGRAM [ARGUMENT ...]

A sample is what the main thread does when a timer of real time fires; its weight is the time since the sample before, in
microseconds, so a pause of the machine is one heavy sample.
"""

import os
import runpy
import signal
import sys
import threading
import time

samples = []
last = time.perf_counter()
busy = False


def name_of(code):
    return f"{os.path.basename(code.co_filename)}:{code.co_name}:{code.co_firstlineno}"


def record(_signal, frame):
    global last, busy
    # On a busy machine the timer fires again meanwhile; that time is the next sample's.
    if busy:
        return
    busy = True
    now = time.perf_counter()
    codes = []
    while frame is not None:
        codes.append(frame.f_code)
        frame = frame.f_back
    samples.append((codes, round((now - last) * 1e6)))
    last = time.perf_counter()
    busy = False


def write(path):
    head = f"P{os.getpid()};T{threading.get_native_id()}"
    with open(path, "w", encoding="utf-8") as out:
        for codes, weight in samples:
            frames = [name_of(code) for code in reversed(codes) if code.co_filename != __file__ and
                      "runpy" not in code.co_filename]
            print(";".join([head, *frames]), weight, file=out)


def main():
    out, interval, program, *rest = sys.argv[1:]
    sys.argv = [program, *rest]
    signal.signal(signal.SIGALRM, record)
    signal.setitimer(signal.ITIMER_REAL, int(interval) / 1e6, int(interval) / 1e6)
    try:
        runpy.run_path(program, run_name="__main__")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    write(out)


main()
