#!/usr/bin/env python3
"""Pick names of many forms:

    pick.py [-n MOST] [-k PER_FORM] [-l LENGTH] [-b FILE] < names > picked

Numbers apart, names that are equal are of one form. Of a form, at most
PER_FORM names are kept, of all at most MOST, by forms evenly from the sorted
list; names longer than LENGTH are dropped, and with -b those of whose form FILE
has no name. Output is sorted bytewise.
"""

import argparse
import re
import sys

options = argparse.ArgumentParser()
options.add_argument("-n", type=int, default=60)
options.add_argument("-k", type=int, default=1)
options.add_argument("-l", type=int, default=300)
options.add_argument("-b", default="")
options = options.parse_args()


def form_of(name):
    return re.sub(r"0x[0-9a-f]+|[0-9]+", "0", name)


both = {form_of(line.strip()) for line in open(options.b)} if options.b else None
forms = {}
for name in sorted({line.strip() for line in sys.stdin} - {""}, key=str.encode):
    if len(name) <= options.l:
        form = form_of(name)
        if both is None or form in both:
            forms.setdefault(form, []).append(name)
keys, most = sorted(forms, key=str.encode), options.n // options.k
if len(keys) > most:
    keys = [keys[i * len(keys) // most] for i in range(most)]
names = sorted((name for key in keys for name in forms[key][:options.k]), key=str.encode)
sys.stdout.buffer.write("".join(name + "\n" for name in names).encode())
