#!/usr/bin/env python3
"""Prints the confidence bands that test/core/models/test_band.c expects, by numpy and scipy."""
import numpy as np
from scipy import stats

X = np.array([1, 2, 2, 3, 5, 8, 9, 13, 21, 34], float)
Y = np.array([3.1, 4.2, 3.9, 6.4, 9.8, 17.5, 17.9, 28.2, 45.1, 69.7])
AT = np.array([1, 4, 15.5, 34])
CONFIDENCE = 0.9
FORMULAS = {
    'FG_CONSTANT': (lambda a: np.c_[np.ones_like(a)], False),
    'FG_LOGARITHMIC': (lambda a: np.c_[np.ones_like(a), np.log(a)], False),
    'FG_LINEAR': (lambda a: np.c_[np.ones_like(a), a], False),
    'FG_QUADRATIC': (lambda a: np.c_[np.ones_like(a), a, a * a], False),
    'FG_POWER': (lambda a: np.c_[np.ones_like(a), np.log(a)], True),
    'FG_EXPONENTIAL': (lambda a: np.c_[np.ones_like(a), a], True)}


def band(columns, values, places):
    """The fit and the t interval of its mean at some places, by the inverse of the normal equations."""
    n, terms = columns.shape
    b = np.linalg.lstsq(columns, values, rcond=None)[0]
    residuals = values - columns @ b
    t = stats.t.ppf((1 + CONFIDENCE) / 2, n - terms)
    inverse = np.linalg.inv(columns.T @ columns)
    half = t * np.sqrt(residuals @ residuals / (n - terms) * np.einsum('ij,jk,ik->i', places, inverse, places))
    return b, places @ b - half, places @ b + half


def row(numbers):
    return '{' + ', '.join(repr(float(number)) for number in numbers) + '}'


def main():
    for name, (columns, logarithm) in FORMULAS.items():
        b, lower, upper = band(columns(X), np.log(Y) if logarithm else Y, columns(AT))
        if logarithm:
            lower, upper = np.exp(lower), np.exp(upper)
            b = [np.exp(b[0]), b[1] if name == 'FG_POWER' else np.exp(b[1])]
        print('\t{%s, %s,\n\t%s,\n\t%s},' % (name, row(list(b) + [0] * (3 - len(b))), row(lower), row(upper)))
    for lo, hi in ((1, 12), (12, 23), (23, 34)):
        bucket = Y[(X >= lo) & ((X < hi) | (hi == 34))]
        n = len(bucket)
        half = stats.t.ppf((1 + CONFIDENCE) / 2, n - 1) * bucket.std(ddof=1) / np.sqrt(n) if n > 1 else float('nan')
        print(n, repr(float(bucket.mean())), repr(float(bucket.mean() - half)), repr(float(bucket.mean() + half)))


main()
