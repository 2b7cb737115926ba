#!/usr/bin/env python3
"""Runs a command and adds one line to a file: what it took.

    spent.py FILE NAME COMMAND [ARG ...]

The line is "CPU WALL NAME": seconds of processor time of the command and of all that came from it, seconds of the
clock. Servers count, too: pg_ctl lets go of them, so this process takes orphans in (Linux: PR_SET_CHILD_SUBREAPER).
The exit status is the command's."""

import ctypes
import os
import resource
import signal
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36
PATIENCE = 5  # seconds for what the command leaves behind; a server that nobody stops is none of ours


def take_orphans_in():
    try:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        pass  # without it servers are not counted


def reap(command):
    """Waits for the command, then for what is left of its descendants."""
    status, end = None, None
    while end is None or time.monotonic() < end:
        try:
            pid, state = os.waitpid(-1, 0 if end is None else os.WNOHANG)
        except ChildProcessError:
            break
        if pid == command.pid:
            status, end = os.waitstatus_to_exitcode(state), time.monotonic() + PATIENCE
        elif pid == 0:
            time.sleep(0.01)
    return status


def main():
    path, name, *words = sys.argv[1:]
    take_orphans_in()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    begin = time.monotonic()
    command = subprocess.Popen(words, preexec_fn=lambda: [
        signal.signal(number, signal.SIG_DFL) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)])
    status = reap(command)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(path, 'a', encoding='utf-8') as out:
        out.write('%.2f %.2f %s\n' % (used.ru_utime + used.ru_stime, time.monotonic() - begin, name))
    return status if status >= 0 else 128 - status


sys.exit(main())
