#!/usr/bin/env python3
"""peers.py RUNS SLOW_RUNS POINTS SEARCH WIDE NARROW ANSWERS: what performance models are compared with.

numpy, pandas, scipy and statsmodels on the points of the tables, which psql fetches. Prints one line a run: measure,
side, size, work, seconds (README.md); writes lines measure, side, answer to the file ANSWERS.
"""
import os
import subprocess
import sys
import time

# One core, as for everybody; before numpy is loaded.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
import pandas as pd
from scipy.signal import lfilter
from scipy.stats import binned_statistic
from statsmodels.nonparametric.kernel_regression import KernelReg

runs, slow_runs, points, search = (int(a) for a in sys.argv[1:5])
wide, narrow = float(sys.argv[5]), float(sys.argv[6])
answers = open(sys.argv[7], "w", encoding="ascii")


def fetch(source):
    """The binary form of COPY has fixed places when nothing is null: the fastest way without another package.

    Text with pandas.read_csv takes three times as long.
    """
    data = subprocess.run(["psql", "-X", "-q", "-d", "bench", "-c", f"COPY {source} TO STDOUT (FORMAT binary)"],
                          check=True, stdout=subprocess.PIPE).stdout
    row = np.dtype([("columns", ">i2"), ("size_x", ">i4"), ("x", ">f8"), ("size_y", ">i4"), ("y", ">f8")])
    rows = np.frombuffer(data, row, (len(data) - 19 - 2) // row.itemsize, 19)
    return rows["x"].astype(float), rows["y"].astype(float)


def measure(row, side, size, function, count=runs, warm=True):
    result = None
    for run in range(0 if warm else 1, count + 1):
        start = time.perf_counter()
        result = function()
        seconds = time.perf_counter() - start
        if run > 0:
            print(row, side, size, 1, f"{seconds:.9f}", sep="\t", flush=True)
    return result


def answer(row, side, value):
    print(row, side, repr(float(value)), sep="\t", file=answers)


# --- kernel regression ------------------------------------------------------------------------------------------------


def gaussian(z):
    return np.exp(-0.5 * z * z)


def epanechnikov(z):
    return np.maximum(1 - z * z / 5, 0)


def matrix(kernel, x, y, h):
    """All kernel values at once, as one would write it."""
    weights = kernel((x[:, None] - x[None, :]) / h)
    return weights @ y / weights.sum(axis=1)


def blocks(kernel, x, y, h):
    """The same in blocks of rows that fit the cache."""
    fitted = np.empty(len(x))
    for start in range(0, len(x), 16):
        weights = kernel((x[start:start + 16, None] - x[None, :]) / h)
        fitted[start:start + 16] = weights @ y / weights.sum(axis=1)
    return fitted


def statsmodels(x, y, bandwidth):
    with np.errstate(all="ignore"):  # its search tries bandwidths that leave points without neighbours
        return KernelReg(y, x, "c", reg_type="lc", bw=bandwidth).fit()[0]


def fit_kernels():
    x, y = fetch("(SELECT unnest(xs), unnest(ys) FROM bench.series WHERE n = 10000 AND ordering = 'shuffled')")
    for width, h in (("wide", wide), ("narrow", narrow)):
        for kernel in (gaussian, epanechnikov):
            row = f"model_{kernel.__name__}_{width}"
            for side, function in (("numpy", matrix), ("numpy_blocks", blocks)):
                fitted = measure(row, side, 10000, lambda: function(kernel, x, y, h), slow_runs)
                answer(row, side, x @ fitted)
        # It has no Epanechnikov kernel.
        fitted = measure(f"model_gaussian_{width}", "statsmodels", 10000, lambda: statsmodels(x, y, [h]), slow_runs, False)
        answer(f"model_gaussian_{width}", "statsmodels", x @ fitted)

    x, y = fetch(f"(SELECT unnest(xs), unnest(ys) FROM bench.series WHERE n = {search} AND ordering = 'shuffled')")
    fitted = measure("model_search", "statsmodels", search, lambda: statsmodels(x, y, "cv_ls"), slow_runs, False)
    answer("model_search", "statsmodels", np.sum((y - fitted) ** 2))


# --- all points -------------------------------------------------------------------------------------------------------


def regressogram(x, y):
    """Buckets by their width, which numpy.histogram checks against the edges, too, at more cost."""
    edges = np.histogram_bin_edges(x, "doane")
    buckets = len(edges) - 1
    place = ((x - edges[0]) * (buckets / (edges[-1] - edges[0]))).astype(np.intp)
    place[place == buckets] = buckets - 1
    return edges, np.bincount(place, y, buckets) / np.bincount(place, minlength=buckets)


def regressogram_scipy(x, y):
    edges = np.histogram_bin_edges(x, "doane")
    return edges, binned_statistic(x, y, "mean", edges)[0]


def sma(y):
    return pd.Series(y).rolling(100, center=True).mean().to_numpy()


def sma_sums(y):
    """Differences of running sums, which lose digits that pandas keeps."""
    sums = np.concatenate(([0], np.cumsum(y)))
    fitted = np.full(len(y), np.nan)
    fitted[50:len(y) - 49] = (sums[100:] - sums[:-100]) / 100
    return fitted


def smm(y):
    return pd.Series(y).rolling(100, center=True).median().to_numpy()


def ema(y):
    return pd.Series(y).ewm(span=50).mean().to_numpy()


def ema_filter(y):
    keep = [1, -(1 - 2 / 51)]
    return lfilter([1], keep, y) / lfilter([1], keep, np.ones(len(y)))


def r_square(y, fitted):
    left, deviation = y - fitted, y - y.mean()
    return 1 - left @ left / (deviation @ deviation)


def line(u, v):
    mean_u, mean_v = u.mean(), v.mean()
    du, dv = u - mean_u, v - mean_v
    slope = du @ dv / (du @ du)
    fitted = mean_v + slope * du
    return fitted, slope * (du @ dv) / (dv @ dv)


def parabola(x, y):
    z = (x - x.mean()) / x.std()
    square = z * z
    w = square - square.mean() - (square @ z) / square.sum() * z
    dy = y - y.mean()
    return y.mean() + z @ dy / square.sum() * z + w @ dy / (w @ w) * w


def line_polyfit(u, v):
    fitted = np.polyval(np.polyfit(u, v, 1), u)
    return fitted, r_square(v, fitted)


def parabola_polyfit(x, y):
    return np.polyval(np.polyfit(x, y, 2), x)


def formulas(x, y, line=line, parabola=parabola):
    """Both R^2 of all six; all points are positive here."""
    log_x, log_y = np.log(x), np.log(y)
    curve = parabola(x, y)
    goodness = [(r_square(y, curve),) * 2]
    for u, v in ((log_x, y), (x, y), (log_x, log_y), (x, log_y)):
        fitted, fit = line(u, v)
        goodness.append((fit, r_square(y, np.exp(fitted) if v is log_y else fitted)))
    goodness.append((1 - max(fit for fit, _ in goodness), r_square(y, np.full(len(y), y.mean()))))
    return goodness


def formulas_polyfit(x, y):
    return formulas(x, y, line_polyfit, parabola_polyfit)


def in_order(function):
    """Averages need the points in order."""
    def ordered(x, y):
        return function(y[np.argsort(x)])
    return ordered


def on_y(function):
    def unordered(x, y):
        return function(y)
    return unordered


def fit_points():
    averages = [("model_sma", "pandas", sma), ("model_sma", "sums", sma_sums), ("model_smm", "pandas", smm),
                ("model_ema", "pandas", ema), ("model_ema", "filter", ema_filter)]
    whole = [("model_regressogram", "numpy", regressogram), ("model_regressogram", "scipy", regressogram_scipy),
             ("model_formulas", "numpy", formulas), ("model_formulas", "polyfit", formulas_polyfit)]
    for ordering in ("sorted", "shuffled"):
        table = f"bench.point_{ordering}"
        x, y = fetch(table)
        prepare = in_order if ordering == "shuffled" else on_y
        for row, side, function in whole + [(row, side, prepare(function)) for row, side, function in averages]:
            size = len(x)
            result = measure(f"{row}_{ordering}", side, size, lambda: function(x, y))
            if side in ("numpy", "pandas"):
                measure(f"{row}_{ordering}", f"{side}_fetched", size, lambda: function(*fetch(table)))
            if row == "model_formulas":
                answer(row, f"{side}_{ordering}", sum(fit + of_y for fit, of_y in result))
            elif row == "model_regressogram":
                answer(row, f"{side}_{ordering}", ((result[0][:-1] + result[0][1:]) * result[1]).sum())
            else:
                answer(row, f"{side}_{ordering}", np.nansum(np.sort(x) * result))


fit_points()
fit_kernels()
answers.close()
