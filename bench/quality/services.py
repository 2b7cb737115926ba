#!/usr/bin/python3
"""Hours of services of which the truth is known, as COPY data for bench/quality/services.sql.

    services.py SEED SERVICES DAYS EFFECT [SHARE]

A service has 3 to 12 pods and 40 functions below 8 handlers, whose shares fall as 1 / (n + 2). What a function takes goes with
the load of the hour and with the time of day, is a little different on each pod, always by as much, and varies from hour
to hour on all pods at once: by 2 % in a third of the services, by 10 % in another third, and in the others every second function
by 2 % and the rest by 10 %. What a pod has of it in an hour is a number of samples around that. EFFECT: on the last day one function that has 6 % of all takes more, by this fraction, in SHARE (1) of the
services.

Written: service, day, hour, pod, samples of each function.
"""

import sys

import numpy

FUNCTIONS = 40
SHARES = 1 / (numpy.arange(FUNCTIONS) + 2.0)
SHARES /= SHARES.sum()
GROWN = int(numpy.argmin(abs(SHARES - 0.06)))
HOURS = 24
VARY = (0.02, 0.1, numpy.where(numpy.arange(FUNCTIONS) % 2 == 0, 0.02, 0.1))


def draw_service(rng, service, days, effect):
    pods = int(rng.integers(3, 13))
    varies = VARY[service % len(VARY)]
    of_pods = numpy.exp(0.03 * rng.standard_normal((pods, FUNCTIONS)))
    phase = rng.uniform(0, 2 * numpy.pi, FUNCTIONS)
    samples = rng.uniform(2000, 20000)
    for day in range(days):
        load = rng.uniform(0.5, 1.5)
        for hour in range(HOURS):
            mean = SHARES * numpy.exp(varies * rng.standard_normal(FUNCTIONS))
            mean *= 1 + 0.4 * numpy.sin(2 * numpy.pi * hour / HOURS + phase)
            if day == days - 1:
                mean[GROWN] *= 1 + effect
            for pod in range(pods):
                yield [service, day, hour, pod], rng.poisson(samples * load * mean * of_pods[pod])


def main():
    seed, services, days, effect, share = (*sys.argv[1:], 1)[:5]
    for service in range(int(services)):
        rng = numpy.random.default_rng([int(seed), service])
        for key, counts in draw_service(rng, service, int(days), float(effect) * (service < float(share) * int(services))):
            print(*key, "{" + ",".join(map(str, counts)) + "}", sep="\t")


main()
