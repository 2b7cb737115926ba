#!/usr/bin/env python3
"""Writes test/data/golden/axes.tsv: the ticks that axes must have, in exact arithmetic.

A row is the scale, the ends of the data, what a label's 1 is, and the labels. The rules are those of axis.h, written
down a second time: decimals and fractions instead of doubles, the calendar of datetime instead of our own.
Called without arguments; random data come from a fixed seed.
"""
import datetime
import math
import random
from decimal import Decimal
from fractions import Fraction

MOST, LEAST = 9, 4


def exact(number):
    """What a user wrote: the shortest decimal of a double."""
    return Fraction(Decimal(repr(number)))


def widened(lo, hi, unit):
    size = max(abs(lo), abs(hi))
    if hi - lo >= size * Fraction(1, 10 ** 9) and hi - lo >= Fraction(1, 10 ** 200):
        return lo, hi
    more = size / 10 if size >= Fraction(1, 10 ** 200) else unit
    return (lo + hi) / 2 - more, (lo + hi) / 2 + more


def steps(first):
    """1, 2, 5 times powers of ten from 10^first on."""
    exponent = first
    while True:
        for mantissa in (1, 2, 5):
            yield mantissa * Fraction(10) ** exponent
        exponent += 1


def multiples(lo, hi, step):
    return [step * k for k in range(math.floor(lo / step), math.ceil(hi / step) + 1)]


def linear(lo, hi):
    start = math.floor(math.log10(hi - lo)) - 3
    for step in steps(start):
        if (hi - lo) / step <= MOST:
            ticks = multiples(lo, hi, step)
            if len(ticks) <= MOST:
                return ticks, step


def logarithmic(lo, hi):
    below, every = math.floor(math.log10(lo)) - 2, []
    stop = math.ceil(math.log10(hi)) + 2
    for step in steps(below):
        every.append(step)
        if step > Fraction(10) ** stop:
            break
    first = max(i for i, tick in enumerate(every) if tick <= lo)
    last = min(i for i, tick in enumerate(every) if tick >= hi)
    ticks = every[first:last + 1]
    if len(ticks) < LEAST:
        return linear(lo, hi)[0]
    if len(ticks) <= MOST:
        return ticks
    lower = max(e for e in range(below, stop + 2) if Fraction(10) ** e <= lo)
    upper = min(e for e in range(below, stop + 2) if Fraction(10) ** e >= hi)
    for step in steps(0):
        exponents = multiples(Fraction(lower), Fraction(upper), step)
        if len(exponents) <= MOST:
            return [Fraction(10) ** int(e) for e in exponents]


def plain(tick, decimals):
    sign = '-' if tick < 0 else ''
    return sign + f'{Decimal(abs(tick).numerator) / Decimal(tick.denominator):,.{decimals}f}'


def with_exponent(tick):
    if tick == 0:
        return '0'
    exponent = 0
    size = abs(tick)
    while size >= 10:
        size, exponent = size / 10, exponent + 1
    while size < 1:
        size, exponent = size * 10, exponent - 1
    digits = str(Decimal(size.numerator) / Decimal(size.denominator))
    return ('-' if tick < 0 else '') + (digits.rstrip('0').rstrip('.') if '.' in digits else digits) + f'e{exponent}'


def decimals_of(tick):
    decimals = 0
    while (tick * 10 ** decimals).denominator != 1:
        decimals += 1
    return decimals


def labels(ticks, step, log):
    sizes = [abs(tick) for tick in ticks]
    least = min(sizes) if log else max(sizes)
    if max(sizes) >= 10 ** 9 or least < Fraction(1, 1000):
        return [with_exponent(tick) for tick in ticks]
    return [plain(tick, decimals_of(step if step else tick)) for tick in ticks]


def numbers(scale, lo, hi, unit):
    a, b = widened(exact(lo), exact(hi), exact(unit))
    a, b = a / exact(unit), b / exact(unit)
    if scale == 'linear':
        ticks, step = linear(a, b)
        return labels(ticks, step, False)
    ticks = logarithmic(a, b)
    between = len(ticks) > 2 and ticks[1] - ticks[0] == ticks[2] - ticks[1]
    return labels(ticks, ticks[1] - ticks[0] if between else None, True)


# --- times ---

UTC = datetime.timezone.utc
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=UTC)
MONDAY = datetime.datetime(1970, 1, 5, tzinfo=UTC)
SECONDS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 259200,
           604800, 1209600]
MONTHS = [1, 2, 3, 6] + [12 * n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)]


def second_ticks(lo, hi, step):
    origin = MONDAY if step % 604800 == 0 else EPOCH
    first = math.floor((lo - origin).total_seconds() / step)
    ticks = []
    while not ticks or ticks[-1] < hi:
        ticks.append(origin + datetime.timedelta(seconds=step * (first + len(ticks))))
        if len(ticks) > MOST:
            return None
    return ticks


def month_ticks(lo, hi, step):
    month = (12 * lo.year + lo.month - 1) // step * step
    ticks = []
    while not ticks or ticks[-1] < hi:
        ticks.append(datetime.datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC))
        month += step
        if len(ticks) > MOST:
            return None
    return ticks


def time_label(tick, step, months, same_day):
    if months:
        return f'{tick.year:04}' if step % 12 == 0 else f'{tick.year:04}-{tick.month:02}'
    if step % 86400 == 0:
        return tick.date().isoformat()
    clock = f'{tick:%H:%M:%S}' if step < 60 else f'{tick:%H:%M}'
    return clock if same_day else tick.date().isoformat() + ' ' + clock


def times(lo, hi):
    if hi - lo < 2:
        lo = math.floor(lo) - 1
        hi = lo + 4
    a, b = EPOCH + datetime.timedelta(seconds=lo), EPOCH + datetime.timedelta(seconds=hi)
    for step, months in [(s, False) for s in SECONDS] + [(m, True) for m in MONTHS]:
        ticks = (month_ticks if months else second_ticks)(a, b, step)
        if ticks:
            same = not months and step < 86400 and ticks[0].date() == ticks[-1].date()
            return [time_label(t, step, months, same) for t in ticks] + ([ticks[0].date().isoformat()] if same else [])
    return None


def number_cases():
    chance = random.Random(20260123)
    fixed = [(0, 10), (0, 100), (1, 1), (0, 0), (-3, 7), (0.1, 0.3), (0.3, 0.7), (1e6, 3e6), (999999, 1000001),
             (-1e-7, 3e-7), (1e12, 7e12), (5, 5.0000001), (0, 1e200), (-1e200, 1e200), (-250, -40), (0, 9), (0, 8),
             (0, 1e-150)]
    for lo, hi in fixed:
        yield 'linear', float(lo), float(hi), 1.0
    for unit in (1e-9, 0.001, 60.0, 1000.0, 1e6, 1048576.0):
        lo = chance.uniform(-5, 5) * unit
        yield 'linear', lo, lo + chance.uniform(1, 500) * unit, unit
    for _ in range(150):
        lo = round(chance.uniform(-1, 1) * 10 ** chance.randint(-12, 14), chance.randint(0, 9))
        yield 'linear', lo, lo + abs(lo) * 10 ** chance.uniform(-5, 2) + 10 ** chance.randint(-8, 3), 1.0
    for lo, hi in [(1, 1000), (1, 10), (1, 1), (1.2, 1.9), (2, 9.6), (5, 19), (0.001, 1000), (1e-9, 1e9), (3, 3000),
                   (1e-200, 1e200), (1e-190, 3e150), (7, 70000), (1e9, 1e12)]:
        yield 'log', float(lo), float(hi), 1.0
    for _ in range(150):
        lo = 10 ** chance.uniform(-12, 12)
        yield 'log', lo, lo * 10 ** chance.choice([chance.uniform(0, 1), chance.uniform(0, 4), chance.uniform(2, 30)]), 1.0


def time_cases():
    chance = random.Random(7)
    for lo, hi in [(0, 0), (0, 1), (1.5, 3.4), (1795446492, 1795446492.5), (1795446492, 1795450092), (86390, 86410)]:
        yield 'time', float(lo), float(hi), 1.0
    for _ in range(150):
        lo = round(chance.uniform(-4e9, 6e9), chance.choice([0, 1]))
        yield 'time', lo, lo + round(10 ** chance.uniform(0, 10), 1), 1.0
    for year in range(1895, 2105, 13):
        lo = datetime.datetime(year, 2, 28, 23, 59, 50, tzinfo=UTC).timestamp()
        yield 'time', lo, lo + 20, 1.0
        yield 'time', lo, lo + 86400 * 100, 1.0


def main():
    for scale, lo, hi, unit in list(number_cases()) + list(time_cases()):
        ticks = times(lo, hi) if scale == 'time' else numbers(scale, lo, hi, unit)
        print(scale, repr(lo), repr(hi), repr(unit), '|'.join(ticks), sep='\t')


if __name__ == '__main__':
    main()
