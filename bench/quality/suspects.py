#!/usr/bin/python3
"""Slow-downs with a known commit: cases for bench/quality/suspects.sh, and what came of them.

    suspects.py cases SEED CASES RECORDING REPOSITORY >COPY data
    suspects.py report TABLE

cases: draws a commit of the repository that changed a function of the recording, a window of 5 to 30 commits in a row
(the line of first parents) that has it anywhere, and a way to become slower: the function itself ("self"), or one that
it calls ("calls"), by 3 to 10 % of all samples. Rows: case, run (0 to 10; 10 is slow), time, commit, folded stacks,
the commit to blame, function, way, number of commits. What a commit changed is found here by comparing the bodies of
functions before and after it, not by what flamegraph-commits says.

Runs have 20,000 samples: Poisson numbers around the recording's shares, which vary by 10 % from run to run (gamma).
Exit status 3: the history is shallow, or too short.
"""

import collections
import re
import subprocess
import sys

RUNS, SAMPLES, NOISE = 10, 20000, 0.1


def git(repository, *arguments):
    return subprocess.run(["git", "-C", repository, *arguments], check=True, capture_output=True).stdout


def bodies(text):
    """The functions of a C file in the style of this repository: a name in the first column, up to a brace there."""
    found, name, lines = {}, None, []
    for line in text.splitlines():
        head = re.match(r"(?=[A-Za-z_]).*?\b([A-Za-z_]\w*)\(", line)
        if name is None and head and not line.rstrip().endswith(";"):
            name, lines = head.group(1), []
        if name is not None:
            lines.append(line)
            if line.startswith("}"):
                found[name] = found.get(name, "") + "\n".join(lines)
                name = None
            elif line.startswith("#") or (line.rstrip().endswith(";") and not line[:1].isspace()):
                name = None
    return found


def file_at(repository, commit, path):
    try:
        return git(repository, "show", f"{commit}:{path}").decode("utf-8", "replace")
    except subprocess.CalledProcessError:
        return ""


def changed_functions(repository, commit):
    """Names of functions in C files under src whose bodies a commit added or changed, not those that only moved."""
    paths = git(repository, "diff-tree", "--no-commit-id", "--name-only", "-r", "-z", commit, "--", "src")
    old, new = {}, {}
    for path in (path for path in paths.decode().split("\0") if path.endswith(".c")):
        old.update(bodies(file_at(repository, f"{commit}^", path)))
        new.update(bodies(file_at(repository, commit, path)))
    return {name for name, body in new.items() if old.get(name) != body}


def read_recording(path):
    with open(path, encoding="utf-8") as lines:
        pairs = [line.rsplit(" ", 1) for line in lines]
    return {tuple(stack.split(";")): float(value) for stack, value in pairs}


def plain(frame):
    return re.sub(r"\.(localalias|constprop|isra|part|cold).*$", "", frame)


def slow_down(rng, recording, function, way, amount):
    """The recording with a function that takes more, by amount; None where it calls nothing."""
    below = collections.Counter()
    for stack, value in recording.items():
        place = next((i for i, frame in enumerate(stack) if plain(frame) == function), None)
        if place is not None:
            below[(stack[: place + 1], stack[place + 1 :])] += value
    callees = sorted({rest[0] for _, rest in below if rest})
    if way == "calls":
        if not callees:
            return None
        callee = callees[rng.integers(len(callees))]
        grown = {head + rest: value for (head, rest), value in below.items() if rest[:1] == (callee,)}
    else:
        grown = collections.Counter()
        for (head, _), value in below.items():
            grown[head] += value
    slow = collections.Counter(recording)
    whole = sum(grown.values())
    for stack, value in grown.items():
        slow[stack] += amount * value / whole
    return slow


def sampled(rng, recording):
    stacks = sorted(recording)
    shares = [recording[stack] for stack in stacks]
    means = [share * SAMPLES / sum(recording.values()) for share in shares]
    counts = rng.poisson([mean * rng.gamma(1 / NOISE**2, NOISE**2) for mean in means])
    return "\\n".join(f"{';'.join(stack)} {count}" for stack, count in zip(stacks, counts) if count)


def cases(seed, number, recording_path, repository):
    import numpy

    if git(repository, "rev-parse", "--is-shallow-repository").strip() == b"true":
        sys.exit(3)
    commits = git(repository, "rev-list", "--first-parent", "--reverse", "HEAD").decode().split()
    recording = read_recording(recording_path)
    recorded = {plain(frame) for stack in recording for frame in stack}
    possible = {}
    for place in range(RUNS + 1, len(commits)):
        names = changed_functions(repository, commits[place]) & recorded
        if names:
            possible[place] = sorted(names)
    if len(possible) < number // 2:
        sys.exit(3)
    rng = numpy.random.default_rng(seed)
    order = [p for _ in range(2) for p in rng.permutation(sorted(possible))]
    for case in range(number):
        write_case(rng, case, int(order[case]), possible, commits, recording)


def write_case(rng, case, place, possible, commits, recording):
    size = int(rng.integers(5, 31))
    last = min(place + int(rng.integers(0, size)), len(commits) - 1)
    first = max(last - size + 1, RUNS)
    function = possible[place][rng.integers(len(possible[place]))]
    amount = rng.uniform(0.03, 0.1) * sum(recording.values())
    way = "calls" if rng.uniform() < 0.3 else "self"
    slow = slow_down(rng, recording, function, way, amount)
    if slow is None:
        way, slow = "self", slow_down(rng, recording, function, "self", amount)
    for run in range(RUNS + 1):
        commit = commits[last] if run == RUNS else commits[first - RUNS + run]
        row = (case, run, f"2026-01-{run + 1:02d} 02:00 UTC", commit, sampled(rng, slow if run == RUNS else recording))
        print(*row, commits[place], function, way, last - first + 1, sep="\t")


def report(path):
    """TABLE: case, way, number of commits, level and subject of the finding, rank of the commit to blame."""
    with open(path, encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    found = [row for row in rows if row[3] != "\\N"]
    print("| slower | cases | with a finding | commits, median | first | in the first three |")
    print("|---|--:|--:|--:|--:|--:|")
    for way in ("self", "calls", None):
        all_of = [row for row in rows if way in (None, row[1])]
        of = [row for row in found if way in (None, row[1])]
        ranks = [int(row[5]) for row in of]
        sizes = sorted(int(row[2]) for row in of)
        first, three = (sum(rank <= most for rank in ranks) for most in (1, 3))
        print(f"| {way or 'all'} | {len(all_of)} | {len(of)} | {sizes[len(sizes) // 2] if sizes else ''} |"
              f" {first / max(len(of), 1):.2f} | {three / max(len(of), 1):.2f} |")
    return first >= 0.8 * len(found) and three >= 0.95 * len(found) and len(found) >= 0.9 * len(rows)


def main():
    if sys.argv[1:2] == ["cases"] and len(sys.argv) == 6:
        cases(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5])
    elif sys.argv[1:2] == ["report"] and len(sys.argv) == 3:
        sys.exit(0 if report(sys.argv[2]) else 1)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
