#!/usr/bin/env python3
"""report.py --seed N [--quick] --markdown FILE --json FILE RESULTS: the tables of quality.sh and its verdict.

RESULTS has a line for each repetition: scenario, method, repetition, called, wrong, mass, totals, separated by tabs.
Exit status 1 if a bar is missed. bench/README.md says how the figures are defined.
"""
import argparse
import json
import math
import sys
from collections import defaultdict
from typing import NamedTuple, Optional

Z95 = 1.959964
Z99 = 2.575829

SIZES = (20, 50, 80, 95, 400)
EFFECTS = ("0", "0.01", "0.05")
PERCENT = {"0": "0 %", "0.01": "1 %", "0.05": "5 %"}


class Estimate(NamedTuple):
    """A mean over repetitions."""
    value: float
    variance: float  # of one repetition
    n: int

    def error(self):
        return math.sqrt(self.variance / self.n)

    def interval(self, z=Z95):
        """Wilson's for a mean between 0 and 1. With the variance found it is the binomial one for zeros and ones and
        narrower for what lies between them."""
        n, p = self.n, self.value
        if 0 < p < 1:
            n *= max(1.0, p * (1 - p) / self.variance) if self.variance > 0 else 1
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        return max(0.0, middle - half), min(1.0, middle + half)


def estimate(values):
    n = len(values)
    mean = math.fsum(values) / n
    return Estimate(mean, math.fsum((v - mean) ** 2 for v in values) / max(1, n - 1), n)


def pooled(estimates):
    """The mean of estimates from as many repetitions each."""
    k = len(estimates)
    return Estimate(math.fsum(e.value for e in estimates) / k, math.fsum(e.variance for e in estimates) / k,
                    sum(e.n for e in estimates))


class Repetition(NamedTuple):
    called: float
    wrong: float
    mass: Optional[float]
    totals: Optional[float]


FIGURES = {
    "fdr": lambda r: r.wrong / max(r.called, 1),
    "fwer": lambda r: float(r.wrong > 0),
    "any": lambda r: float(r.called > 0),
    "found": lambda r: float(r.called > r.wrong),
    "mass": lambda r: r.mass,
    "totals": lambda r: r.totals,
}


class Results:
    def __init__(self, path):
        self.rows = defaultdict(list)
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                scenario, method, _, *numbers = line.rstrip("\n").split("\t")
                self.rows[scenario, method].append(
                    Repetition(*(None if number == r"\N" else float(number) for number in numbers)))

    def get(self, scenario, method, figure):
        values = [FIGURES[figure](r) for r in self.rows.get((scenario, method), [])]
        if not values or None in values:
            return None
        return estimate(values)

    def everything(self):
        for scenario, method in sorted(self.rows):
            for figure in FIGURES:
                found = self.get(scenario, method, figure)
                if found is not None:
                    low, high = found.interval()
                    yield {"scenario": scenario, "method": method, "figure": figure, "repetitions": found.n,
                           "value": found.value, "low": low, "high": high}


# --- criteria -----------------------------------------------------------------------------------------------------------


class Criterion(NamedTuple):
    label: str
    estimate: Estimate
    bar: str
    met: bool
    worst: Optional[str] = None


def with_interval(e, places=3):
    low, high = e.interval()
    return f"{e.value:.{places}f} ({low:.{places}f} to {high:.{places}f}, n = {e.n:,})"


def at_most(label, cells, bar):
    """The mean of cells is at most the bar, and none of them is certainly above it."""
    cells = {name: e for name, e in cells.items() if e is not None}
    whole = pooled(list(cells.values()))
    name, worst = max(cells.items(), key=lambda item: item[1].value)
    met = whole.value <= bar and all(e.interval(Z99)[0] <= bar for e in cells.values())
    return Criterion(label, whole, f"<= {bar:g}", met, f"{worst.value:.3f} at {name}" if len(cells) > 1 else None)


def at_least(label, e, bar):
    return Criterion(label, e, f">= {bar:g}", e.value >= bar)


def about(label, e, size):
    low, high = e.interval(Z99)
    return Criterion(label, e, f"{size:g}, or not significantly off", low <= size <= high)


LEVELS = (("stack", "stacks"), ("node", "contexts"))


def criteria(results):
    get = results.get
    for effect in EFFECTS:
        for level, word in LEVELS:
            yield at_most(f"false discovery rate, {word}, change of {PERCENT[effect]}",
                          {f"p = {p}": get(f"groups {effect} {p}", f"welch {level}", "fdr") for p in SIZES}, 0.06)
    yield at_least("mass found on contexts, 1 %, p = 400, 50 + 50 runs", get("groups 0.01 400", "welch node", "mass"), 0.95)
    for level, word in LEVELS:
        # The median ratio rests on most of the frequent stacks being as they were.
        yield at_most(f"false discovery rate, {word}, runs of fixed length, median_ratio, a minority of the frequent stacks changed",
                      {f"p = {p.split()[0]}": get(f"fixed {p}", f"ratio {level}", "fdr") for p in ("50", "95", "400 minority")}, 0.15)
    for metric in ("total", "self"):
        yield at_most(f"deviation_scores, {metric}: false discovery rate, no change",
                      {name: get(f"history {key}", f"scores {metric}", "fdr")
                       for key, name in (("10000", "10,000 samples"), ("470", "470 samples"), ("noise", "10 % noise"))}, 0.06)
    yield at_most("E-divisive: false alarms in 60 numbers", {"": get("series 0", "cuts", "any")}, 0.05)
    yield at_most("E-divisive: false alarms in 60 profiles", {"": get("sequence 0", "cuts", "any")}, 0.05)
    yield at_least("E-divisive: 3 sigma step dated within 2 runs", get("series 3", "cuts", "mass"), 0.9)
    yield about("energy_test: false alarms at 0.05, 50 + 50 runs", get("groups 0 400", "energy", "any"), 0.05)
    yield about("energy_test: false alarms at 0.05, 10 + 10 runs", get("few 0 10", "energy", "any"), 0.05)


# --- tables -------------------------------------------------------------------------------------------------------------


def table(header, rows):
    yield "| " + " | ".join(header) + " |"
    yield "|" + "|".join("---" if i == 0 else "--:" for i in range(len(header))) + "|"
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def cell(e, places=2):
    return "" if e is None else f"{e.value:.{places}f}"


def pair(mass, rate):
    if mass is None and rate is None:
        return ""
    return f"{cell(mass) or '-'} / {cell(rate, 3)}"


def verdicts(found):
    yield from ("## The bars", "")
    yield from table(("criterion", "value (95 % interval, repetitions)", "worst case", "bar", "met?"),
                     ((c.label, with_interval(c.estimate), c.worst or "", c.bar, "yes" if c.met else "NO") for c in found))


def groups(get):
    def keys(scenario, method, rate):
        return pair(get(scenario, method, "mass"), get(scenario, method, rate))

    def rows():
        for effect in EFFECTS:
            for p in SIZES:
                s = f"groups {effect} {p}"
                yield (PERCENT[effect], str(p), cell(get(s, "hotelling", "any")) or "undefined",
                       cell(get(s, "t2 stack", "mass")), cell(get(s, "energy", "any")), keys(s, "welch stack", "fdr"),
                       keys(s, "welch node", "fdr"), keys(s, "maxt stack", "fwer"), keys(s, "maxt node", "fwer"))

    yield from ("## 50 + 50 runs of 10,000 samples, Poisson noise", "")
    yield from table(("effect", "p", "T2 power", "T2 intervals: mass", "energy power", "Welch+BH, stacks: mass / FDR",
                      "Welch+BH, contexts: mass / FDR", "max-T, stacks: mass / FWER", "max-T, contexts: mass / FWER"), rows())


def few(get):
    def rows():
        for effect in EFFECTS:
            for n in (5, 10, 20, 50):
                s = f"few {effect} {n}"
                yield (PERCENT[effect], f"{n} + {n}", cell(get(s, "energy", "any")),
                       pair(get(s, "welch stack", "mass"), get(s, "welch stack", "fdr")),
                       pair(get(s, "welch node", "mass"), get(s, "welch node", "fdr")),
                       cell(get(s, "welch node", "found")))

    yield from ("## Few runs, 10 % noise from run to run, p = 400", "")
    yield from table(("effect", "runs", "energy power", "Welch+BH, stacks: mass / FDR", "Welch+BH, contexts: mass / FDR",
                      "some context found"), rows())


def fixed(get):
    def rows():
        for p in ("50", "95", "400", "400 minority"):
            s = f"fixed {p}"
            yield (p.replace(" minority", ", a minority of the frequent stacks changed"), *(pair(get(s, f"{way} {level}", "mass"), get(s, f"{way} {level}", "fdr"))
                             for level in ("stack", "node") for way in ("welch", "ratio")))

    yield from ("## Runs of fixed length, change of 5 %, 50 + 50 runs: mass / FDR", "")
    yield from table(("p", "stacks, raw", "stacks, median_ratio", "contexts, raw", "contexts, median_ratio"), rows())


def others(get):
    rows = [("1 %, p = 400, Welch+BH on contexts: mass as a share of totals", get("groups 0.01 400", "welch node", "totals")),
            ("the same, subtree of any context: mass as a share of totals", get("uniform 0.01 400", "welch node", "totals")),
            ("the same, subtree of any context: mass as above", get("uniform 0.01 400", "welch node", "mass")),
            ("the same, subtree of any context: mass on stacks", get("uniform 0.01 400", "welch stack", "mass")),
            ("10 % noise, 5 %, 5 + 5 runs, contexts: mass as a share of totals", get("few 0.05 5", "welch node", "totals")),
            ("10 % noise, 1 %, 50 + 50 runs, contexts: mass as a share of totals", get("few 0.01 50", "welch node", "totals")),
            ("recorded runs, 10 against 1, deviation_scores total: FDR", get("recorded history", "scores total", "fdr")),
            ("recorded runs, 10 against 1, deviation_scores self: FDR", get("recorded history", "scores self", "fdr")),
            ("recorded runs, 12 + 12, Welch+BH on stacks: FDR", get("recorded groups", "welch stack", "fdr")),
            ("recorded runs, 12 + 12, Welch+BH on contexts: FDR", get("recorded groups", "welch node", "fdr")),
            ("recorded runs, 12 + 12, energy_test: false alarms", get("recorded groups", "energy", "any")),
            ("60 profiles, 5 % from run 31 on: dated within 2 runs", get("sequence 0.05", "cuts", "mass")),
            ("3 sigma step in 60 numbers: some other change found, too", get("series 3", "cuts", "fwer"))]
    yield from ("## Without bars", "")
    yield from table(("what", "value (95 % interval, repetitions)"),
                     ((name, with_interval(e)) for name, e in rows if e is not None))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--markdown", required=True)
    parser.add_argument("--json", required=True)
    parser.add_argument("results")
    options = parser.parse_args()
    results = Results(options.results)
    found = list(criteria(results))
    lines = [f"Seed {options.seed}." + (" Quick: too few repetitions for the bars." if options.quick else ""), ""]
    for part in (verdicts(found), *(show(results.get) for show in (groups, few, fixed, others))):
        lines.extend(part)
    text = "\n".join(lines).rstrip() + "\n"
    sys.stdout.write(text)
    with open(options.markdown, "w", encoding="utf-8") as file:
        file.write(text)
    with open(options.json, "w", encoding="utf-8") as file:
        json.dump({"seed": int(options.seed), "quick": options.quick,
                   "criteria": [{"criterion": c.label, "value": c.estimate.value, "low": c.estimate.interval()[0],
                                 "high": c.estimate.interval()[1], "repetitions": c.estimate.n, "bar": c.bar, "met": c.met}
                                for c in found],
                   "estimates": list(results.everything())}, file, indent=1)
        file.write("\n")
    missed = [c.label for c in found if not c.met]
    if missed and not options.quick:
        print("missed:", "; ".join(missed), file=sys.stderr)
        sys.exit(1)


main()
