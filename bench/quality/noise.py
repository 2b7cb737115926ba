#!/usr/bin/python3
"""noise.py FOLDER...: recordings of bench/record-noise as COPY data: source, kind, night, repetition, the file's bytes.

A folder has KIND/NIGHT-REPETITION.gz or KIND.tar with these; its name, such as idle500, is the source.
"""

import os
import re
import sys
import tarfile

NAME = re.compile(r"(?P<kind>\w+)/(?P<night>\d+)-(?P<repetition>\d+)\.gz$")


def files(folder):
    for kind in sorted(os.listdir(folder)):
        path = os.path.join(folder, kind)
        if kind.endswith(".tar"):
            with tarfile.open(path) as packed:
                for member in packed:
                    if member.isfile():
                        yield member.name, packed.extractfile(member).read()
        elif os.path.isdir(path):
            for name in sorted(os.listdir(path)):
                with open(os.path.join(path, name), "rb") as file:
                    yield f"{kind}/{name}", file.read()


def main():
    for folder in sys.argv[1:]:
        source = os.path.basename(os.path.abspath(folder))
        for name, data in files(folder):
            found = NAME.search(name)
            if found is not None:
                print(source, found["kind"], int(found["night"]), found["repetition"], r"\\x" + data.hex(), sep="\t")


main()
