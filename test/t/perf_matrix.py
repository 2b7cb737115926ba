"""What perf script prints for every choice of fields, and what is true of it.

Writes a line of JSON for each choice: the fields, the text, whether it must be read, and
what its profiles are: [event name, unit, stacks].  The order and the widths of the
fields are those of process_event() and of the functions it calls in perf's
builtin-script.c; the samples are made up here.
"""
import itertools
import json
import os
import sys

LONG = "FLAMEGRAPH_TEST_LONG" in os.environ
SAMPLES = [
    # command, process, thread, processor, misc, seconds, period, address, flags, frames from the leaf
    ("bash", 9461, 9461, 1, "K", 1389.802680, 2004008, 0x7f9e4c956408, "",
     [(0xffffffff813d8e0f, "get_avenrun", 0x2f, "[kernel.kallsyms]", None),
      (0x55d0c1a2b3c4, "operator new(unsigned long)", 0x24, "/memfd:x (deleted)", "new.cc:12")]),
    ("Web Content", 12, 34, 0, "U", 1389.815219, 250, 0, "call",
     [(0x90c0, "do_lookup_x", 0x360, "/usr/lib/ld.so", "dl-lookup.c:3"),
      (0x90d1, "", 0, "/usr/lib/ld.so", None)]),
    ("a 12", 4194303, 4194303, 31, "U", 12345.000001, 1, 0xffffffff81000000, "",
     [(0x401020, "std::vector<int, std::allocator<int> >::push_back(int&&)", 1, "/tmp/a (b)/c", "x y.cc:7")]),
    ("1", 77, 78, 2, "KE", 2.5, 4000000000, 0x1000, "tr end  hw int",
     [(0x55d0c1a2b3c4, "LazyCompile:~f /x/y.js:12:3", 0, "/tmp/perf-12.map", None),
      (0x55d0c1a2b3c5, "main", 0, "[vdso]", "main.c:9")]),
    ("foo: 3", 5, 5, 3, "U", 99999.123456, 17, 0x55d0c1a2b000, "",
     [(0x7f00c1a2b3c4, "f", 3, "/bin/x", "f.c:2"), (0x7f00c1a2b3c5, "f", 3, "inlined", "f.c:3")]),
]
FIELDS = ("comm", "pid", "tid", "cpu", "misc", "time", "period", "event", "flags", "addr", "symoff", "dso", "srcline",
          "brstack")
# of older versions of perf and of later ones, which add the branch's type and what the processor says of its speculation
BRANCHES = (" 0x401020/0x401080/P/-/-/0  0x55d0c1a2b3c4/0x401020/M/-/-/12 ",
            " 0x401020/0x401080/P/-/-/0/COND/-  0x55d0c1a2b3c4/0x401020/MN/-/-/12/UNCOND/SPEC_CORRECT_PATH ")
# of the instruction at the leaf: its length, its bytes, and what it does, where perf is built with a disassembler
CODE = ("insnlen", "insn", "disasm")
CODES = (("48 8b 84 24", "movq 0xa8(%rsp), %rax"), ("48 83 c4 08", "add $8, %rsp"), ("c3", "retq"), ("0f 0b", "0f 0b"),
         ("e8 00 00 00 00", "callq __GI___ioctl+0x10"))
# what is at an address of data, where perf knows it
DATA = {0x1000: "__progname+0x8", 0xffffffff81000000: "table of (x)"}


def symbol_of(frame, fields):
    address, symbol, offset, dso, _ = frame
    text = symbol or "[unknown]"
    if symbol and "symoff" in fields:
        text += "+0x%x" % offset
    if "dso" in fields:
        text += " (%s)" % dso
    return text


def place_of(frame):
    return "\n  " + (frame[4] or "%s[%x]" % (frame[3].split("/")[-1], frame[0]))


def head_of(sample, fields, event, width, chain):
    command, process, thread, cpu, misc, seconds, period = sample[:7]
    text = ""
    if "comm" in fields:
        text += (command if chain else command.rjust(16)) + " "
    if "pid" in fields and "tid" in fields:
        text += "%5d/%-5d " % (process, thread)
    elif "pid" in fields or "tid" in fields:
        text += "%5d " % (process if "pid" in fields else thread)
    if "cpu" in fields:
        text += "[%03d] " % cpu
    if "misc" in fields:
        text += misc.ljust(6) + " "
    if "time" in fields:
        text += "%12s: " % ("%5d.%06d" % divmod(round(seconds * 1000000), 1000000))
    if "period" in fields:
        text += "%10d " % period
    if "event" in fields:
        text += event.rjust(width) + ": "
    if "flags" in fields:
        text += "  %-15s " % sample[8]
    return text


def text_of(sample, fields, event, trace, width, chain):
    text = head_of(sample, fields, event, width, chain)
    if trace:
        text += trace
    if "addr" in fields:
        text += "%16x " % sample[7] + DATA.get(sample[7], "[unknown]") + (" (anon_inode:[perf_event])" if "dso" in fields else "")
    frames = sample[9]
    if not chain:
        text += " %16x " % frames[0][0] + symbol_of(frames[0], fields)
        if "srcline" in fields:
            text += place_of(frames[0])
    else:
        for frame in frames:
            text += "\n\t%16x " % frame[0] + symbol_of(frame, fields)
            if "srcline" in fields:
                text += place_of(frame)
        text += "\n"
    if "brstack" in fields:
        text += BRANCHES[sample[3] % 2]
    return text + code_of(sample, fields) + "\n"


def code_of(sample, fields):
    code, words = CODES[SAMPLES.index(sample) % len(CODES)] if sample in SAMPLES else CODES[0]
    return ((" ilen: %d" % len(code.split()) if "insnlen" in fields else "") + (" insn: " + code if "insn" in fields else "") +
            ("\t\t" + words if "disasm" in fields else ""))


def stack_of(sample, fields, chain):
    frames = sample[9] if chain else sample[9][:1]
    names = [sample[0]] if "comm" in fields else []
    for address, symbol, *_ in reversed(frames):
        kernel = address >= 1 << 63
        names.append((symbol + "_[k]" if kernel else symbol) if symbol else "[kernel]" if kernel else "[unknown]")
    return ";".join(names)


def truth_of(samples, fields, events, chain):
    profiles = {}
    for i, sample in enumerate(samples):
        event = events[i % len(events)][0] if "event" in fields else ""
        stacks = profiles.setdefault(event, {})
        stack = stack_of(sample, fields, chain)
        stacks[stack] = stacks.get(stack, 0) + (sample[6] if "period" in fields else 1)
    return [[event, "\n".join("%s %d" % pair for pair in sorted(stacks.items()))]
            for event, stacks in sorted(profiles.items())]


def must_read(fields, chain):
    """What people print: an error would be a loss.  The rest is read rightly or refused."""
    process = fields & {"pid", "tid"} and "misc" not in fields
    return bool("event" in fields and ("time" in fields or "cpu" in fields or process)
            and (chain or "addr" not in fields) and not (not chain and "brstack" in fields and "srcline" in fields))


def with_clear_ends(samples):
    """A command that ends in a number is known as such by the process behind it."""
    return [(sample[0].rstrip(" 0123456789") or "x",) + sample[1:] for sample in samples]


def print_choice(fields, events, chain):
    width = max(len(event) for event, _ in events)
    samples = SAMPLES if fields & {"pid", "tid"} else with_clear_ends(SAMPLES)
    text = "".join(text_of(s, fields, *events[i % len(events)], width, chain) for i, s in enumerate(samples))
    print(json.dumps({"fields": ",".join(sorted(fields)) + (" chain" if chain else ""), "text": text,
                      "must": must_read(fields, chain), "truth": truth_of(samples, fields, events, chain)}))


def with_code():
    """Fields of the instruction, with and without what else may stand in its line."""
    for chain in (True, False):
        for chosen in itertools.product((False, True), repeat=len(CODE) + 4):
            code = {name for name, is_in in zip(CODE + ("dso", "symoff", "srcline", "brstack"), chosen) if is_in}
            if code & set(CODE):
                yield {"comm", "tid", "time", "period", "event"} | code, chain


def main():
    for fields, chain in with_code():
        print_choice(fields, [("cycles:u", "")], chain)
    kinds = (
        [("cpu-clock:", "")], [("cycles:u", "")],
        [("cpu-clock", ""), ("page-faults/period=40/", "")],
        [("sched:sched_switch", "prev_comm=a prev_pid=1 ==> next_comm=b c")],
    )
    for events in ([(e.rstrip(":"), t) for e, t in kind] for kind in kinds):
        for chain in (True, False):
            for number, chosen in enumerate(itertools.product((False, True), repeat=len(FIELDS))):
                # of one event, in the form that most people print, each choice there is
                every = 1 if LONG or (chain and len(events) == 1 and events[0][0] == "cpu-clock") else 7
                if number % every > 0:
                    continue
                fields = {name for name, is_in in zip(FIELDS, chosen) if is_in}
                if len(events) > 1 and "event" not in fields:
                    continue
                if events[0][1] and not chain:
                    continue
                if (events[0][1] or len(events) > 1) and len(fields & {"flags", "srcline", "brstack"}) > 1:
                    continue
                print_choice(fields, events, chain)


if __name__ == "__main__":
    sys.exit(main())
