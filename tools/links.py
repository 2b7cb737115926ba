#!/usr/bin/env python3
"""Looks for what leads nowhere, from the top of the tree: in pages, relative links, their anchors, and paths in
backticks; in sources, pages that a comment names. Prints a line for each; exit status 1 if there is one.
"""
import glob
import os
import re
import sys

# A path in backticks begins with one of these folders; anything else may be an example of the reader's own.
FOLDERS = ("src", "sql", "test", "docs", "tools", "bench", "client", "demo")
PATH = re.compile(r"^(?:%s)/[\w./*+-]*$|^[A-Z]+\.md$" % "|".join(FOLDERS))
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
# Pages in comments of sources
NAMED = re.compile(r"\b(?:docs|bench)/[\w-]+\.md")
SOURCES = (".c", ".h", ".sql", ".sh", ".pl", ".py", ".mk", ".js")
# What make writes is not in the tree before it has been called.
MADE = re.compile(r"^bench/results/|^client/flamegraph-load$|\.o$|\.so$|/profile\.pb-c\.|/embedded\.c$")


def prose(page):
    """The lines of a page outside of its fenced blocks, with their numbers."""
    fenced = False
    with open(page, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("```"):
                fenced = not fenced
            elif not fenced:
                yield number, line


def anchors(page):
    """The names that a heading can be linked by, as the hosts of repositories make them."""
    found = {}
    for _, line in prose(page):
        heading = re.match(r"#+ +(.*)", line)
        if heading:
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).strip().lower()
            name = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            count = found.get(name, 0)
            found[name] = count + 1
            if count:
                found[f"{name}-{count}"] = 1
    return found


def broken_link(page, link):
    path, _, anchor = link.partition("#")
    target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    if not os.path.exists(target):
        return "does not exist"
    if anchor and target.endswith(".md") and anchor not in anchors(target):
        return "has no such heading"
    return None


def broken_path(page, text):
    if not PATH.match(text) or MADE.search(text):
        return None
    places = (text, os.path.join(os.path.dirname(page), text))
    return None if any(glob.glob(place) for place in places) else "does not exist"


def check_page(page):
    for number, line in prose(page):
        outside = re.sub(r"`[^`]*`", "``", line)
        links = (link for link in LINK.findall(outside) if "://" not in link and not link.startswith("mailto:"))
        for what, why in [*((link, broken_link(page, link)) for link in links),
                          *((text, broken_path(page, text)) for text in re.findall(r"`([^`]+)`", line))]:
            if why:
                yield f"{page}:{number}: {what} {why}"


def check_source(source):
    with open(source, encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            for page in NAMED.findall(line):
                if not os.path.exists(page) and not MADE.search(page):
                    yield f"{source}:{number}: {page} does not exist"


def files():
    yield from (name for name in sorted(os.listdir(".")) if os.path.isfile(name))
    for folder in FOLDERS:
        for directory, folders, names in os.walk(folder):
            # not ours
            folders[:] = sorted(name for name in folders if name != "node_modules")
            yield from (os.path.join(directory, name) for name in sorted(names))


def main():
    wrong = 0
    for name in files():
        if name.endswith(".md"):
            found = check_page(name)
        elif name.endswith(SOURCES):
            found = check_source(name)
        else:
            continue
        for line in found:
            print(line)
            wrong += 1
    sys.exit(1 if wrong else 0)


main()
