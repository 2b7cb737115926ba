"""Recordings of the perf on this machine, printed with many choices of fields, and what is true of them.

perf_recorded.py FOLDER writes lines of JSON as perf_matrix.py does.  The truth comes from the default fields, which are
taken apart here by one regular expression a line.  Ends with status 2 where perf cannot record.
"""
import collections
import json
import re
import subprocess
import sys

RECORDINGS = {
    "chain": ["-e", "cpu-clock:u", "-F", "2000", "-g"],
    "flat": ["-e", "cpu-clock:u", "-F", "2000"],
    "faults": ["-e", "page-faults:u", "-c", "1", "-d", "-g"],
    "flat faults": ["-e", "page-faults:u", "-c", "1", "-d"],
    "several": ["-e", "cpu-clock:u,page-faults:u", "-g"],
}
# Those that need more than a processor and a user: debugging information, branch records, rights.
IF_POSSIBLE = {
    "dwarf": ["-e", "cpu-clock:u", "-F", "500", "--call-graph", "dwarf,8192"],
    "lbr": ["-e", "cycles:u", "-F", "500", "--call-graph", "lbr"],
    "branches": ["-e", "cycles:u", "-F", "500", "-b"],
    "tracepoints": ["-e", "sched:sched_switch,cpu-clock", "-a", "-g"],
}
CHOICES = ["comm,tid,time,event,ip,sym", "comm,pid,tid,time,event,ip,sym,dso", "comm,time,period,event,ip,sym",
           "time,period,event,ip,sym", "comm,tid,period,event,ip,sym", "comm,tid,event,ip,sym", "tid,period,event,ip,sym",
           "comm,tid,time,period,ip,sym", "comm,tid,period,ip,sym", "comm,period,event,ip,sym", "period,ip,sym", "comm,ip,sym",
           "tid,period,ip,sym", "ip,sym", "+misc", "+flags", "+symoff", "+srcline", "+insnlen", "+insn", "+insnlen,+insn", "+disasm", "+addr", "+misc,+addr",
           "+brstack", "+brstacksym", "+brstackoff", "+iregs", "comm,tid,time,event,addr,ip,sym", "+machine_pid", "+phys_addr", "+data_page_size",
           "+code_page_size", "+weight", "+data_src", "+cgroup", "+ipc", "+tod", "+dsoff", "+synth", "+uregs", "+retire_lat", "+vcpu"]
SURE = re.compile(r"^ *(.*?) +(\d+) +(?:\[\d+\] +)?\d+\.\d+: +(\d+) +([^ ]+): *(.*)$")
FRAME = re.compile(r"^[ \t]*([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)? \(.*\)$")
PROGRAM = ["bash", "-c", "f() { for i in $(seq 1 3000); do :; done; }; f; f; ls /usr/lib >/dev/null"]


def perf(*arguments):
    return subprocess.run(["perf", *arguments], capture_output=True, text=True, errors="surrogateescape")


def frame_of(line):
    address, symbol = FRAME.match(line).groups()
    kernel = len(address) == 16 and address[0] >= "8"
    if symbol == "[unknown]":
        return "[kernel]" if kernel and (address.startswith("ffff") or "([unknown])" not in line) else symbol
    return symbol + ("_[k]" if kernel else "")


def samples_of(text):
    samples = []
    for line in text.splitlines():
        if line.startswith("\t"):
            samples[-1][3].insert(0, frame_of(line))
        elif line:
            command, _, period, event, rest = SURE.match(line).groups()
            samples.append((command, period, event, [frame_of(rest)] if rest else []))
    return samples


def truth_of(samples, fields):
    profiles = collections.defaultdict(collections.Counter)
    for command, period, event, frames in samples:
        stack = ";".join(([command] if "comm" in fields else []) + frames)
        profiles[event if "event" in fields else ""][stack] += int(period) if "period" in fields else 1
    return [[event, "\n".join("%s %d" % pair for pair in sorted(stacks.items()))] for event, stacks in sorted(profiles.items())]


def main(folder):
    for name, options in {**RECORDINGS, **IF_POSSIBLE}.items():
        data = "%s/%s.data" % (folder, name.replace(" ", "_"))
        if perf("record", "-q", "-o", data, *options, "--", *PROGRAM).returncode != 0:
            if name in IF_POSSIBLE:
                continue
            return 2
        usual = perf("script", "-i", data, "-F", "comm,tid,time,period,event,ip,sym,symoff,dso").stdout
        samples = samples_of(usual)
        if not samples:
            if name in IF_POSSIBLE:
                continue
            return 2
        for choice in ["comm,tid,time,period,event,ip,sym,symoff,dso"] + CHOICES:
            if name == "tracepoints" and choice[0] == "+":
                continue    # their default fields are no stacks
            printed = perf("script", "-i", data, "-F", choice)
            if printed.returncode != 0 or not printed.stdout:
                continue
            fields = {"comm", "tid", "time", "period", "event"} if choice[0] == "+" else set(choice.split(","))
            sure = "event" in fields and "time" in fields and not (name.startswith("flat") and re.search("addr|data_src|weight", choice))
            print(json.dumps({"fields": name + ": " + choice, "text": printed.stdout, "must": sure,
                              "truth": truth_of(samples, fields)}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
