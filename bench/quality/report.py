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
FEW = (3, 5, 10, 50)
SPREADS = ("0", "0.5", "1")
METHODS = {"welch": "Welch", "moderated": "moderated", "counts": "with poisson_unit"}
NOISY = {1: "", 2: ", doubled variance"}
# How a night is tested: as 0.1.0 does it, and as the store does.
TODAY = "time own none"
OURS = "run"


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
    number: int
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
# Those that some repetitions do not have.
SOME = {"named": lambda r: r.totals}


class Results:
    def __init__(self, path):
        self.rows = defaultdict(list)
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                scenario, method, repetition, *numbers = line.rstrip("\n").split("\t")
                self.rows[scenario, method].append(
                    Repetition(int(repetition), *(None if number == r"\N" else float(number) for number in numbers)))

    def some(self, scenario, method, figure):
        values = [SOME[figure](r) for r in self.rows.get((scenario, method), [])]
        values = [value for value in values if value is not None]
        return estimate(values) if values else None

    def scenarios(self, prefix):
        """What follows the prefix in the names of scenarios."""
        return sorted({name[len(prefix) + 1:] for name, _ in self.rows if name.startswith(prefix + " ")})

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
    decides: bool = False  # on a default: missing it is an answer, not a mistake


def with_interval(e, places=3):
    low, high = e.interval()
    return f"{e.value:.{places}f} ({low:.{places}f} to {high:.{places}f}, n = {e.n:,})"


def present(cells):
    return {name: e for name, e in cells.items() if e is not None}


def at_most(label, cells, bar):
    """The mean of cells is at most the bar, and none of them is certainly above it. None: nothing was measured."""
    cells = present(cells)
    if not cells:
        return None
    whole = pooled(list(cells.values()))
    name, worst = max(cells.items(), key=lambda item: item[1].value)
    met = whole.value <= bar and all(e.interval(Z99)[0] <= bar for e in cells.values())
    return Criterion(label, whole, f"<= {bar:.3g}", met, f"{worst.value:.3f} at {name}" if len(cells) > 1 else None)


def at_least(label, cells, bar):
    """The mean of cells is at least the bar, and none of them is certainly below it."""
    cells = present(cells)
    if not cells:
        return None
    whole = pooled(list(cells.values()))
    name, worst = min(cells.items(), key=lambda item: item[1].value)
    met = whole.value >= bar and all(e.interval(Z99)[1] >= bar for e in cells.values())
    return Criterion(label, whole, f">= {bar:.3g}", met, f"{worst.value:.3f} at {name}" if len(cells) > 1 else None)


def about(label, e, size):
    if e is None:
        return None
    low, high = e.interval(Z99)
    return Criterion(label, e, f"{size:g}, or not significantly off", low <= size <= high)


LEVELS = (("stack", "stacks"), ("node", "contexts"))
ALL_LEVELS = (*LEVELS, ("frame", "functions"))


def of_groups(results):
    get = results.get
    for effect in EFFECTS:
        for level, word in LEVELS:
            yield at_most(f"false discovery rate, {word}, change of {PERCENT[effect]}",
                          {f"p = {p}": get(f"groups {effect} {p}", f"welch {level}", "fdr") for p in SIZES}, 0.06)
    yield at_least("mass found on contexts, 1 %, p = 400, 50 + 50 runs",
                   {"": get("groups 0.01 400", "welch node", "mass")}, 0.95)


def few_cells(get, effect, runs, method):
    """Of all levels, spreads and noises, and without a change of recordings drawn anew."""
    cells = {f"{n} + {n}, {word}, h = {h}{NOISY[louder]}": get(f"few {effect} {n} {h} {louder}", f"{method} {level}", "fdr")
             for n in runs for level, word in ALL_LEVELS for h in SPREADS for louder in NOISY}
    return cells


def recorded_cells(results, runs, method):
    cells = {}
    for n in runs:
        for level, word in ALL_LEVELS:
            cells[f"{n} + {n}, {word}, pgbench"] = results.get(f"recorded groups {n}", f"{method} {level}", "any")
            for source in results.scenarios(f"noise groups {n}"):
                cells[f"{n} + {n}, {word}, {source}"] = results.get(f"noise groups {n} {source}", f"{method} {level}", "any")
    return cells


def of_default(results):
    """"moderated" would be the default if all of these were met."""
    get = results.get
    for runs, bar in (((3,), 0.08), ((5,), 0.06), ((10,), 0.06), ((50,), 0.06)):
        for method, word in (("moderated", "moderated"), ("counts", "moderated, poisson_unit 1")):
            words = f"{word}, {runs[0]} + {runs[0]} runs"
            for effect in EFFECTS[:2]:
                yield at_most(f"{words}, 10 % noise: false discovery rate, change of {PERCENT[effect]}",
                              few_cells(get, effect, runs, method), bar)
            yield at_most(f"{words}, recordings drawn anew: false alarms", recorded_cells(results, runs, method), bar)


def of_few(results):
    get = results.get
    for n, bar in ((5, 0.85), (3, 0.60)):
        yield at_least(f"moderated, {n} + {n} runs, 10 % noise: mass found on contexts, 1 %, Zipf's means, any context",
                       {f"h = {h}": get(f"zipf 0.01 {n} {h}", "moderated node", "mass") for h in SPREADS}, bar)
    for n in (3, 5, 10):
        for level, word in LEVELS:
            yield beside_peers(results, n, level, word)


def beside_peers(results, n, level, word):
    """Within 0.02 of the mass of the best peer, on the repetitions that it saw."""
    scenario = f"few 0.01 {n} 0 1"
    masses = {}
    for peer in ("limma", "voom", "edger"):
        rows = results.rows.get((scenario, f"{peer} {level}"), [])
        seen = {r.number for r in rows}
        own = [r.mass for r in results.rows.get((scenario, f"moderated {level}"), []) if r.number in seen]
        if rows and own:
            masses[peer] = estimate([r.mass for r in rows]), estimate(own)
    if not masses:
        return None
    name, (best, own) = max(masses.items(), key=lambda item: item[1][0].value - item[1][1].value)
    return at_least(f"moderated, {n} + {n} runs: mass on {word}, 1 %, beside {name}'s {best.value:.3f}", {"": own}, best.value - 0.02)


def of_fixed(results):
    get = results.get
    for level, word in LEVELS:
        # The median ratio rests on most of the frequent stacks being as they were.
        yield at_most(f"runs of fixed length, {word}, median_ratio, a minority of the frequent stacks changed: false discovery rate",
                      {f"p = {p.split()[0]}": get(f"fixed {p}", f"median_ratio {level}", "fdr") for p in ("50", "95", "400 minority")}, 0.15)
        yield at_most(f"runs of fixed length, {word}, stable: false discovery rate",
                      {f"p = {p}": get(f"fixed {p}", f"stable {level}", "fdr") for p in ("50", "95", "400", "400 minority")}, 0.06)
        for p in ("50", "95", "400"):
            median = get(f"fixed {p}", f"median_ratio {level}", "mass")
            if median is not None:
                yield at_least(f"runs of fixed length, {word}, p = {p}, stable: mass, beside median_ratio's {median.value:.3f}",
                               {"": get(f"fixed {p}", f"stable {level}", "mass")}, median.value - 0.02)


HISTORIES = (("10000", "10,000 samples"), ("470", "470 samples"), ("noise", "10 % noise"))


def of_history(results):
    get = results.get
    for way, word in (("scores", "default"), ("scores_counts", "moderated with noise")):
        for metric in ("total", "self"):
            yield at_most(f"deviation_scores, {word}, {metric}: false discovery rate, no change",
                          {name: get(f"history {key}", f"{way} {metric}", "fdr") for key, name in HISTORIES}, 0.06)
    yield at_most("deviation_scores, moderated with noise, 1 against 10, 400 functions: false alarms",
                  {f"h = {h}": get(f"function 0 {h}", "scores_counts self", "any") for h in SPREADS}, 0.06)
    yield at_least("deviation_scores, moderated with noise, 1 against 10, 3 % in one of 400 functions: found",
                   {f"h = {h}": get(f"function 0.03 {h}", "scores_counts self", "mass") for h in SPREADS}, 0.9)


def of_series(results):
    get = results.get
    yield at_most("E-divisive: false alarms in 60 numbers", {"": get("series 0", "cuts", "any")}, 0.05)
    yield at_most("E-divisive: false alarms in 60 profiles", {"": get("sequence 0", "cuts", "any")}, 0.05)
    yield at_least("E-divisive: 3 sigma step dated within 2 runs", {"": get("series 3", "cuts", "mass")}, 0.9)
    yield about("energy_test: false alarms at 0.05, 50 + 50 runs", get("groups 0 400", "energy", "any"), 0.05)
    yield about("energy_test: false alarms at 0.05, 10 + 10 runs", get("energy 0 10", "energy", "any"), 0.05)


# Recordings of 500 and of 5,000 samples: what must be found of a change of 3 % and of 6 %.
NIGHTS = (("500", "3 x 500", {"0.03": 0.40, "0.06": 0.85}), ("5000", "5 x 5,000", {"0.03": 0.90, "0.06": 0.99}))


def of_noise(results):
    quiet = results.scenarios("quiet")
    for size, word, bars in NIGHTS:
        sources = [source for source in quiet if source.split()[0].endswith(("idle" + size, "busy" + size))]
        yield at_most(f"recorded nights of {word} samples without a change: nights with a false finding, alpha 0.01",
                      {source: results.get(f"quiet {source}", OURS, "any") for source in sources}, 0.02)
        for effect, bar in bars.items():
            yield at_least(f"recorded nights of {word} samples, {float(effect):.0%} in one function: found the same night",
                           {source: results.get(f"slow {effect} {source}", OURS, "mass") for source in sources}, bar)
    yield at_most("the nightly watch with its defaults on these nights: benchmark-nights with a finding",
                  {source: results.get(f"watched {source}", "watch", "any") for source in results.scenarios("watched")}, 0.02)
    named = {f"{float(effect):.0%}, {source}": results.some(f"slow {effect} {source}", OURS, "named")
             for effect in ("0.03", "0.06") for source in results.scenarios(f"slow {effect}")}
    yield at_least("the function that changed is the one that is named, where it is found", named, 0.95)


def families(q_values):
    """Is there a finding in a night? Benjamini and Hochberg over the p-values of its families."""
    ordered = sorted(q_values)
    return any(q * len(ordered) / place <= ALPHA for place, q in enumerate(ordered, 1))


ALPHA = 0.01


def nights_with_findings(results, way):
    nights = defaultdict(list)
    for r in results.rows.get(("many quiet", way), []):
        nights[r.number].append(r.mass)
    return estimate([float(families(q)) for q in nights.values()]) if nights else None


def found_in_many(results, way, benchmarks, scenario="many slow"):
    """One family of so many has a change: its function is found if its q-value meets the alpha of one selected family."""
    rows = results.rows.get((scenario, way), [])
    return estimate([float(r.totals is not None and r.totals <= ALPHA / benchmarks) for r in rows]) if rows else None


def of_night(results):
    quiet = nights_with_findings(results, OURS)
    if quiet is not None:
        low, _ = quiet.interval()
        yield Criterion("200 benchmarks, 60 nights of recordings drawn anew, trends and seasons: nights with a finding", quiet,
                        f"{ALPHA:g}, or not significantly above", low <= ALPHA)
        yield at_least("100 benchmarks, 10 runs of 3 repetitions before: 5 % in a function of one is found the same night",
                       {"": found_in_many(results, OURS, 100)}, 0.8)
        yield at_least("the same with whole recorded nights and all their samples",
                       {"": found_in_many(results, OURS, 100, "whole slow")}, 0.8)
        yield at_least("the same with 5 repetitions of 5,000 samples",
                       {"": found_in_many(results, OURS, 100, "whole slow 5000")}, 0.8)
    watched = results.get("many watched", "watch", "any")
    if watched is not None:
        low, _ = watched.interval()
        yield Criterion("the nightly watch with its defaults, 60 benchmarks of whole nights, trends and seasons: nights with a finding",
                        watched, f"{ALPHA:g}, or not significantly above", low <= ALPHA)


SERVICES = {"services quiet": "no change", "services all 0.2": "20 % in a function of all 18",
            "services some 0.4": "40 % in a function of 6 of 18"}
SERVICE_WAYS = {"alone": "each service alone", "together": "18 services share alpha"}


def of_services(results):
    for scenario, word in SERVICES.items():
        for way, how in SERVICE_WAYS.items():
            wrong = results.get(scenario, way, "fwer")
            if wrong is not None:
                low, _ = wrong.interval()
                yield Criterion(f"hours of drawn services, {word}, {how}: hours of a service with a false finding", wrong,
                                f"{ALPHA:g}, or not significantly above", low <= ALPHA)


def services(results):
    def rows():
        for scenario, word in SERVICES.items():
            for way, how in SERVICE_WAYS.items():
                wrong, found = results.get(scenario, way, "fwer"), results.some(scenario, way, "named")
                if wrong is not None:
                    yield word, how, with_interval(wrong), "" if found is None else with_interval(found)

    yield from ("## Hours of services", "")
    yield from table(("services", "tested", "hours of a service with a false finding", "of those that changed found in the first hour"), rows())


def criteria(results):
    yield from (criterion._replace(decides=True) for criterion in of_default(results) if criterion is not None)
    for part in (of_groups, of_few, of_fixed, of_history, of_series, of_noise, of_night, of_services):
        yield from (criterion for criterion in part(results) if criterion is not None)


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
    found = list(found)
    for decides, title in ((False, "The bars"), (True, "What decides on the default of variance")):
        yield from (f"## {title}", "")
        yield from table(("criterion", "value (95 % interval, repetitions)", "worst case", "bar", "met?"),
                         ((c.label, with_interval(c.estimate), c.worst or "", c.bar, "yes" if c.met else "NO")
                          for c in found if c.decides == decides))


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


def mass_and_rate(get, scenario, method):
    return pair(get(scenario, method, "mass"), get(scenario, method, "fdr"))


def few(get):
    def rows(effect):
        for n in FEW:
            for h in SPREADS:
                for louder, word in NOISY.items():
                    s = f"few {effect} {n} {h} {louder}"
                    yield (f"{n} + {n}", h + word, *(mass_and_rate(get, s, f"{method} {level}")
                                                     for level, _ in ALL_LEVELS for method in METHODS))

    header = ("runs", "h", *(f"{word}, {method}" for _, word in ALL_LEVELS for method in METHODS.values()))
    for effect, words in (("0", "no change: false alarms"), ("0.01", "1 % in a subtree: mass / FDR")):
        yield from (f"## Few runs, 10 % noise from run to run, p = 400, {words}", "")
        yield from table(header, rows(effect))


def zipf(get):
    def rows():
        for effect in EFFECTS[:2]:
            for n in FEW:
                for h in SPREADS:
                    s = f"zipf {effect} {n} {h}"
                    yield (PERCENT[effect], f"{n} + {n}", h, *(mass_and_rate(get, s, f"{method} {level}")
                                                               for level, _ in ALL_LEVELS for method in METHODS))

    yield from ("## Few runs, Zipf's means, subtree of any context: mass / FDR", "")
    yield from table(("effect", "runs", "h", *(f"{word}, {method}" for _, word in ALL_LEVELS for method in METHODS.values())), rows())


def peers(get):
    def rows():
        for n in FEW:
            for level, word in LEVELS:
                yield (f"{n} + {n}", word, *(mass_and_rate(get, f"few 0.01 {n} 0 1", f"{method} {level}")
                                             for method in (*METHODS, "limma", "voom", "edger", "oracle")))

    yield from ("## Beside R's packages: 1 %, 10 % noise, p = 400: mass / FDR", "")
    yield from table(("runs", "", *METHODS.values(), "limma (trend)", "voom and limma", "edgeR (quasi-likelihood)",
                      "variances known"), rows())


def recorded_groups(results):
    def rows():
        for n in (3, 5, 10):
            scenarios = [("pgbench", f"recorded groups {n}"),
                         *((source, f"noise groups {n} {source}") for source in results.scenarios(f"noise groups {n}"))]
            for source, s in scenarios:
                yield (f"{n} + {n}", source, *(cell(results.get(s, f"{method} {level}", "any"), 3)
                                               for level, _ in ALL_LEVELS for method in METHODS))

    yield from ("## Recordings drawn anew, no change: false alarms", "")
    yield from table(("runs", "recordings", *(f"{word}, {method}" for _, word in ALL_LEVELS for method in METHODS.values())),
                     rows())


def fixed(get):
    def rows():
        for p in ("50", "95", "400", "400 minority"):
            s = f"fixed {p}"
            yield (p.replace(" minority", ", a minority of the frequent stacks changed"),
                   *(mass_and_rate(get, s, f"{way} {level}")
                     for level, _ in LEVELS for way in ("welch", "median_ratio", "stable")))

    yield from ("## Runs of fixed length, change of 5 %, 50 + 50 runs: mass / FDR", "")
    yield from table(("p", *(f"{word}, {way}" for _, word in LEVELS for way in ("raw", "median_ratio", "stable"))), rows())


def functions(get):
    def rows():
        for h in SPREADS:
            yield (h, *(cell(get(f"function {effect} {h}", f"{way} self", figure), 3)
                        for way in ("scores", "scores_moderated", "scores_counts")
                        for effect, figure in (("0", "any"), ("0.03", "mass"), ("0.03", "fdr"))))

    yield from ("## One run against ten, 10 % noise, 3 % of all cost in one of 400 functions", "")
    yield from table(("h", *(f"{way}: {what}" for way in ("own", "moderated", "moderated with noise") for what in ("false alarms", "found", "FDR"))), rows())


WAYS = ("time own none", "samples own none", "time own floor", "samples own floor", "samples moderated none",
        "time moderated floor", "samples moderated floor", "run")


def recorded_nights(results):
    def rows():
        for source in results.scenarios("quiet"):
            for way in WAYS:
                quiet = results.get(f"quiet {source}", way, "any")
                if quiet is not None:
                    yield (source, way, f"{quiet.value * quiet.n:.0f} of {quiet.n}",
                           *(cell(results.get(f"slow {effect} {source}", way, "mass")) for effect in ("0.03", "0.06")),
                           *(cell(results.some(f"slow {effect} {source}", way, "named")) for effect in ("0.03", "0.06")))

    yield from ("## Recorded nights, one against ten, alpha 0.01", "")
    yield from table(("recordings", "tested", "nights with a false finding", "3 % found", "6 % found", "named at 3 %", "named at 6 %"),
                     rows())


SLOW = ("many slow", "whole slow", "whole slow 5000")


def many(results):
    def rows():
        for way, word in ((TODAY, "as 0.1.0"), (OURS, "as now")):
            if nights_with_findings(results, way) is not None:
                slow = (found_in_many(results, way, number, scenario) for scenario in SLOW for number in (100, 1))
                yield (word, with_interval(nights_with_findings(results, way)),
                       *("" if e is None else with_interval(e) for e in slow))

    yield from ("## A night of many benchmarks", "")
    yield from table(("tested", "200 benchmarks, no change: nights with a finding", "5 % in one of 100 found", "5 % in a single one found",
                      "whole nights: one of 100", "a single one", "whole nights of 5,000 samples: one of 100", "a single one"), rows())


def others(get):
    rows = [("1 %, p = 400, Welch+BH on contexts: mass as a share of totals", get("groups 0.01 400", "welch node", "totals")),
            ("the same, subtree of any context: mass as a share of totals", get("uniform 0.01 400", "welch node", "totals")),
            ("the same, subtree of any context: mass as above", get("uniform 0.01 400", "welch node", "mass")),
            ("the same, subtree of any context: mass on stacks", get("uniform 0.01 400", "welch stack", "mass")),
            ("10 % noise, 5 %, 5 + 5 runs, contexts: mass as a share of totals", get("few 0.05 5 0 1", "welch node", "totals")),
            ("10 % noise, 1 %, 50 + 50 runs, contexts: mass as a share of totals", get("few 0.01 50 0 1", "welch node", "totals")),
            ("10 % noise, 1 %, 5 + 5 runs, energy_test: power", get("energy 0.01 5", "energy", "any")),
            ("10 % noise, 1 %, 10 + 10 runs, energy_test: power", get("energy 0.01 10", "energy", "any")),
            ("recorded runs, 10 against 1, deviation_scores total: FDR", get("recorded history", "scores total", "fdr")),
            ("recorded runs, 10 against 1, deviation_scores self: FDR", get("recorded history", "scores self", "fdr")),
            ("recorded runs, 12 + 12, Welch+BH on stacks: FDR", get("recorded groups 12", "welch stack", "fdr")),
            ("recorded runs, 12 + 12, Welch+BH on contexts: FDR", get("recorded groups 12", "welch node", "fdr")),
            ("recorded runs, 12 + 12, energy_test: false alarms", get("recorded groups 12", "energy", "any")),
            ("60 profiles, 5 % from run 31 on: dated within 2 runs", get("sequence 0.05", "cuts", "mass")),
            ("3 sigma step in 60 numbers: some other change found, too", get("series 3", "cuts", "fwer"))]
    yield from ("## Without bars", "")
    yield from table(("what", "value (95 % interval, repetitions)"),
                     ((name, with_interval(e)) for name, e in rows if e is not None))


def measured(lines):
    """Without the rows, and without the tables, in which nothing was measured."""
    head, rows = [], []
    for line in (*lines, "## "):
        if line.startswith("## "):
            if len(rows) > 0:
                yield from (*head, *rows, "")
            head, rows = [line], []
        elif len(head) < 4:
            head.append(line)
        elif any(cell.strip(" -/") for cell in line.split("|")[4:]):
            rows.append(line)


def everything(results):
    yield from verdicts(criteria(results))
    for show in (groups, few, zipf, peers):
        yield from measured(show(results.get))
    yield from measured(recorded_groups(results))
    for show in (fixed, functions):
        yield from measured(show(results.get))
    for show in (recorded_nights, many, services):
        yield from measured(show(results))
    yield from others(results.get)


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
    lines = [f"Seed {options.seed}." + (" Quick: too few repetitions for the bars." if options.quick else ""), "",
             *everything(results)]
    text = "\n".join(lines).rstrip() + "\n"
    sys.stdout.write(text)
    with open(options.markdown, "w", encoding="utf-8") as file:
        file.write(text)
    with open(options.json, "w", encoding="utf-8") as file:
        json.dump({"seed": int(options.seed), "quick": options.quick,
                   "criteria": [{"criterion": c.label, "value": c.estimate.value, "low": c.estimate.interval()[0],
                                 "high": c.estimate.interval()[1], "repetitions": c.estimate.n, "bar": c.bar, "met": c.met, "decides": c.decides}
                                for c in found],
                   "estimates": list(results.everything())}, file, indent=1)
        file.write("\n")
    missed = [c.label for c in found if not c.met and not c.decides]
    if missed and not options.quick:
        print("missed:", "; ".join(missed), file=sys.stderr)
        sys.exit(1)


main()
