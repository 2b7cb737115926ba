#!/usr/bin/env python3
"""peers.py RUNS SLOW_RUNS N COLUMNS DIRECTORY: what tests of groups of profiles are compared with.

numpy and scipy on a matrix with a row for each profile, a column for each stack or context. The matrices are made of the
rows (run, stack, value) in the files "usual" and "close", and of the file "matrix"; that is not timed, but in one row.
Prints one line a run: measure, side, size, work, seconds (README.md); writes lines measure, side, answer to the file
"groups.answers".
"""
import os
import subprocess
import sys
import time
import warnings

# One core, as for everybody; before numpy is loaded.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
from scipy import stats
from scipy.linalg import cho_factor, cho_solve, qr, solve_triangular
from scipy.spatial.distance import pdist

runs, slow_runs, n, columns = (int(a) for a in sys.argv[1:5])
directory = sys.argv[5]
# of keys that are constant in a group
warnings.filterwarnings("ignore", "Precision loss")
answers = open(f"{directory}/groups.answers", "w", encoding="ascii")


def measure(row, side, size, function, count=runs, warm=True, work=1):
    result = None
    for run in range(0 if warm else 1, count + 1):
        start = time.perf_counter()
        result = function()
        seconds = time.perf_counter() - start
        if run > 0:
            print(row, side, size, work, f"{seconds:.9f}", sep="\t", flush=True)
    return result


def answer(row, side, value):
    print(row, side, repr(float(value)), sep="\t", file=answers)


# --- Hotelling's test -------------------------------------------------------------------------------------------------


def verdict(t2, n1, n2, p):
    return t2, stats.f.sf((n1 + n2 - p - 1) / ((n1 + n2 - 2) * p) * t2, p, n1 + n2 - p - 1)


def hotelling(x, y):
    """By the pooled covariance matrix and its Cholesky factor: the fastest way that was found."""
    n1, n2, p = len(x), len(y), x.shape[1]
    a, b = x - x.mean(axis=0), y - y.mean(axis=0)
    d = y.mean(axis=0) - x.mean(axis=0)
    pooled = (a.T @ a + b.T @ b) / (n1 + n2 - 2)
    return verdict(n1 * n2 / (n1 + n2) * (d @ cho_solve(cho_factor(pooled), d)), n1, n2, p)


def hotelling_cov(x, y):
    """As one would write it."""
    n1, n2, p = len(x), len(y), x.shape[1]
    d = y.mean(axis=0) - x.mean(axis=0)
    pooled = ((n1 - 1) * np.cov(x, rowvar=False) + (n2 - 1) * np.cov(y, rowvar=False)) / (n1 + n2 - 2)
    return verdict(n1 * n2 / (n1 + n2) * (d @ np.linalg.solve(pooled, d)), n1, n2, p)


def hotelling_qr(x, y):
    """Without the product, which squares the condition: what we do."""
    n1, n2, p = len(x), len(y), x.shape[1]
    z = np.vstack((x - x.mean(axis=0), y - y.mean(axis=0)))
    factor = qr(z, mode="r", overwrite_a=True, check_finite=False)[0][:p]
    solution = solve_triangular(factor, y.mean(axis=0) - x.mean(axis=0), trans="T")
    return verdict((n1 + n2 - 2) * n1 * n2 / (n1 + n2) * (solution @ solution), n1, n2, p)


def compare_matrices():
    with open(f"{directory}/matrix", encoding="ascii") as file:
        counts = np.array([np.fromstring(line.split("\t")[2].strip("{}\n"), sep=",") for line in file])
    largest = counts.shape[1]
    for p in (columns, largest):
        x, y = counts[:p, :p].copy(), counts[largest:largest + p, :p].copy()
        for side, function in (("numpy", hotelling), ("cov", hotelling_cov), ("qr", hotelling_qr)):
            t2, p_value = measure("hotelling", side, p, lambda: function(x, y), 3 * runs)
            if p == columns:
                for depth in ("frame", "program"):
                    answer(f"hotelling_{depth}_t2", side, t2)
                    answer(f"hotelling_{depth}_p_value", side, p_value)


# --- matrices of recordings -------------------------------------------------------------------------------------------


def dense(entries, width):
    matrix = np.zeros((n, width))
    for run, column, value in entries:
        matrix[run, column] += value
    return matrix


def halves(matrix):
    """Recordings in turns: the odd numbers (from 1) are the first group."""
    return matrix[0::2], matrix[1::2]


def stack_matrix(lines):
    """Lines run, stack, value of the first n runs."""
    number, entries = {}, []
    for line in lines:
        run, stack, value = line.split("\t")
        if int(run) <= n:
            entries.append((int(run) - 1, number.setdefault(stack, len(number)), float(value)))
    return dense(entries, len(number))


def context_matrix(lines):
    """The same with a column for each calling context, which has what it calls."""
    child, entries = {}, []
    for line in lines:
        run, stack, value = line.split("\t")
        if int(run) > n:
            continue
        node, run, value = -1, int(run) - 1, float(value)
        for frame in stack.split(";"):
            node = child.setdefault((node, frame), len(child))
            entries.append((run, node, value))
    return dense(entries, len(child))


def from_table():
    """From the table of rows to the verdicts."""
    with subprocess.Popen(
            ["psql", "-X", "-q", "-d", "bench", "-c",
             f"COPY (SELECT run, stack, value FROM bench.group_row WHERE kind = 'usual' AND run <= {n}) TO STDOUT"],
            stdout=subprocess.PIPE, encoding="utf-8") as psql:
        matrix = stack_matrix(psql.stdout)
    return welch(*halves(matrix))


# --- one test for each key --------------------------------------------------------------------------------------------


def adjust(p):
    """Benjamini and Hochberg."""
    order = np.argsort(p)
    q = np.empty(len(p))
    q[order] = np.minimum(np.minimum.accumulate((p[order] * len(p) / np.arange(1, len(p) + 1))[::-1])[::-1], 1)
    return q


def welch(x, y):
    with np.errstate(all="ignore"):
        t, p = stats.ttest_ind(y, x, equal_var=False)
    constant = np.isnan(t)
    t[constant], p[constant] = 0, 1
    return t, p, adjust(p)


class Random:
    """The permutations of the extension: xoshiro256** of Blackman and Vigna."""

    MASK = 2 ** 64 - 1

    def __init__(self, seed):
        self.state = []
        for _ in range(4):
            seed = (seed + 0x9E3779B97F4A7C15) & self.MASK
            z = ((seed ^ seed >> 30) * 0xBF58476D1CE4E5B9) & self.MASK
            z = ((z ^ z >> 27) * 0x94D049BB133111EB) & self.MASK
            self.state.append(z ^ z >> 31)

    def rotate(self, x, bits):
        return (x << bits | x >> (64 - bits)) & self.MASK

    def next(self):
        s = self.state
        result = self.rotate(s[1] * 5 & self.MASK, 7) * 9 & self.MASK
        t = s[1] << 17 & self.MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = self.rotate(s[3], 45)
        return result

    def below(self, bound):
        bits = (bound - 1).bit_length()
        while bound > 1:
            value = self.next() >> (64 - bits)
            if value < bound:
                return value
        return 0

    def shuffle(self, values):
        for i in range(len(values), 1, -1):
            j = self.below(i)
            values[i - 1], values[j] = values[j], values[i - 1]


def relabellings(before, after, count):
    """Rows of 0 and 1; the first one is as things are."""
    generator, order = Random(42), list(range(before + after))
    labels = np.zeros((count + 1, before + after))
    labels[0, before:] = 1
    for row in labels[1:]:
        generator.shuffle(order)
        row[order[:after]] = 1
    return labels


def squares_of_t(sums, squares, totals, total_squares, n1, n2):
    others = totals - sums
    v1 = total_squares - squares - others * others / n1
    v2 = squares - sums * sums / n2
    error = v1 / (n1 * (n1 - 1)) + v2 / (n2 * (n2 - 1))
    delta = sums / n2 - others / n1
    with np.errstate(all="ignore"):
        return np.where(v1 + v2 > 1e-13 * total_squares, delta * delta / error, 0)


def max_t(x, y, labels):
    """All relabellings of some thousand keys by two products of matrices."""
    n1, n2 = len(x), len(y)
    z = np.vstack((x, y))
    own, largest = np.empty(z.shape[1]), np.zeros(len(labels) - 1)
    for start in range(0, z.shape[1], 1024):
        part = z[:, start:start + 1024]
        part = part - part.mean(axis=0)
        square = part * part
        t2 = squares_of_t(labels @ part, labels @ square, part.sum(axis=0), square.sum(axis=0), n1, n2)
        own[start:start + 1024] = t2[0]
        largest = np.maximum(largest, t2[1:].max(axis=1))
    largest.sort()
    return (len(largest) - np.searchsorted(largest, own * (1 - 1e-9)) + 1) / (len(largest) + 1)


def max_t_loop(x, y, labels):
    """As one would write it: a t-test of all keys for each relabelling."""
    z = np.vstack((x, y))
    own, largest = np.abs(welch(x, y)[0]), []
    for label in labels[1:]:
        with np.errstate(all="ignore"):
            t = stats.ttest_ind(z[label == 1], z[label == 0], equal_var=False)[0]
        largest.append(np.nanmax(np.abs(t)))
    return (len(largest) - np.searchsorted(np.sort(largest), own * (1 - 1e-9)) + 1) / (len(largest) + 1)


def compare_keys(level, x, y):
    t, p, q = measure(f"group_welch_{level}", "scipy", n, lambda: welch(x, y))
    for name, values in (("t", np.abs(t)), ("p", p), ("q", q)):
        answer(f"group_welch_{level}_{name}", "scipy", values.sum())


def permute_keys(level, x, y, check):
    labels = relabellings(len(x), len(y), 999)
    q = measure(f"group_maxt_{level}", "numpy", n, lambda: max_t(x, y, labels), slow_runs)
    # a tenth of them, which takes long enough
    measure(f"group_maxt_{level}", "loop", n, lambda: max_t_loop(x, y, labels[:100]), 1, False, 99 / 999)
    if check:
        t, p, _ = welch(x, y)
        for name, values in (("t", np.abs(t)), ("p", p), ("q", q)):
            answer(f"group_maxt_{level}_{name}", "numpy", values.sum())


# --- one verdict for all ----------------------------------------------------------------------------------------------


def energy(x, y):
    """Statistic and p-value of relabelled distances, each relabelling a quadratic form."""
    z = np.vstack((x, y))
    z = z / np.abs(z).sum(axis=1, keepdims=True)
    count, k = len(z), len(x)
    square = np.zeros((count, count))
    square[np.triu_indices(count, 1)] = pdist(z, "cityblock")
    square += square.T
    inside = np.einsum("ri,ij,rj->r", energy_labels, square, energy_labels, optimize=True) / 2
    across = energy_labels @ square.sum(axis=1) - 2 * inside
    outside = square.sum() / 2 - across - inside
    value = 2 * across / count - 2 * inside * (count - k) / (k * count) - 2 * outside * k / ((count - k) * count)
    return value[0], np.mean(value >= value[0] * (1 - 1e-12))


compare_matrices()
with open(f"{directory}/usual", encoding="utf-8") as file:
    before, after = halves(stack_matrix(file))
compare_keys("stack", before, after)
measure("group_welch_stack", "table", n, from_table, 1, False)
permute_keys("stack", before, after, False)
energy_labels = 1 - relabellings(len(before), len(after), 999)
answer("group_energy_statistic", "scipy", measure("group_energy", "scipy", n, lambda: energy(before, after), slow_runs)[0])
with open(f"{directory}/usual", encoding="utf-8") as file:
    before, after = halves(context_matrix(file))
print("group_matrix", "usual", n, 8 * n * before.shape[1], 0, sep="\t")
compare_keys("node", before, after)
with open(f"{directory}/close", encoding="utf-8") as file:
    before, after = halves(context_matrix(file))
print("group_matrix", "close", n, 8 * n * before.shape[1], 0, sep="\t")
permute_keys("node", before, after, True)
answers.close()
