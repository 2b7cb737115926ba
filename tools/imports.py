#!/usr/bin/env python3
"""Imports go strictly down: a lint over the include lines of src.

Rooms (folders of src/core and src/pg) stand on each other as ROOMS says; a file may include its own room and those
below it. The core includes nothing of PostgreSQL's side, and names its own headers in full. NAME_internal.h is for NAME.c,
for its parts in NAME_PART.c, and tests. Modules (NAME.c, NAME.h and NAME_internal.h together) include each other in no
circle. Type names are unique over all headers, so that any two headers can be included together.
"""
import collections
import pathlib
import re
import sys

ROOMS = {
    'base': (),
    'profile': ('base',),
    'merging': ('profile',),
    'patterns': ('profile',),
    'cct': ('merging',),
    'samples': ('merging',),
    'compare': ('cct', 'samples'),
    'models': ('base',),
    'reading': ('profile',),
    'jfr': ('reading',),
    'browsers': ('reading',),
    'pprof': ('reading',),
    'formats': ('jfr', 'browsers', 'pprof'),
    'svg': ('reading',),
    'series': ('merging',),
    'picture': ('cct', 'compare', 'models', 'formats', 'svg', 'patterns'),
    'plots': ('picture',),
    'heat_maps': ('plots',),
    'lanes': ('plots',),
    'jobs': ('cct', 'compare', 'models', 'formats'),
    'attribution': ('jobs',),
    'bottlenecks': ('attribution',),
    'checking': ('jobs',),
    'traces': ('reading',),
    'editor': ('profile',),
}
# PostgreSQL's side has the same rooms; what is shared there, arguments of models among it, is wider.
PG_ROOMS = {**ROOMS, 'models': ('profile',), 'samples': ('profile',), 'series': ('cct',)}

INCLUDE = re.compile(r'^#include "((?:core|pg)/[^"]+)"', re.M)
SHORT = re.compile(r'^#include "(?!core/|pg/)([^"]+)"', re.M)
TYPE = re.compile(
    r'^typedef (?:struct|enum|union) \w+\s*(?:\{.*?^\})?\s*\**(\w+);|^\} (\w+);|^typedef [^({;]*\(\*\s*(\w+)\)',
    re.M | re.S)


def module_of(name):
    return name.rsplit('.', 1)[0].removesuffix('_internal')


def below(room, rooms):
    found = {room}
    for lower in rooms[room]:
        found |= below(lower, rooms)
    return found


def read_all(top):
    files = {}
    for path in sorted([*top.glob('core/*/*.[ch]'), *top.glob('pg/*/*.[ch]')]):
        if '.pb-c.' not in path.name:
            files[str(path.relative_to(top))] = path.read_text(encoding='utf-8')
    return files


def upward(files):
    for name, text in files.items():
        layer, room = name.split('/')[:2]
        rooms = ROOMS if layer == 'core' else PG_ROOMS
        if room not in rooms:
            yield f'src/{name}: no room "{room}" in tools/imports.py'
            continue
        if layer == 'core':
            for target in SHORT.findall(text):
                yield f'src/{name} includes {target}: without its room'
        for target in INCLUDE.findall(text):
            to_layer, to_room = target.split('/')[:2]
            if to_layer == layer and to_room not in below(room, rooms):
                yield f'src/{name} includes {target}: {to_room} is not below {room}'
            if layer == 'core' and to_layer == 'pg':
                yield f'src/{name} includes {target}: the core knows nothing of PostgreSQL'
            if target.endswith('_internal.h') and not f'{module_of(name)}_'.startswith(f'{module_of(target)}_'):
                yield f'src/{name} includes {target}: that is for the module itself and its tests'


def circles(files):
    graph = collections.defaultdict(set)
    for name, text in files.items():
        module = module_of(name)
        graph[module] |= {module_of(target) for target in INCLUDE.findall(text)} - {module}
    # Strongly connected components (Tarjan 1972), without recursion being deep: the graph is a few hundred modules.
    index, low, stack, on_stack, found = {}, {}, [], set(), []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        on_stack.add(node)
        for target in sorted(graph[node]):
            if target not in index:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in on_stack:
                low[node] = min(low[node], index[target])
        if low[node] == index[node]:
            component = []
            while not component or component[-1] != node:
                component.append(stack.pop())
                on_stack.discard(component[-1])
            if len(component) > 1:
                found.append('a circle of includes: ' + ' '.join(sorted(component)))

    sys.setrecursionlimit(10000)
    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def doubled_types(files):
    places = collections.defaultdict(set)
    for name, text in files.items():
        if name.endswith('.h'):
            for groups in TYPE.findall(text):
                for type_name in filter(None, groups):
                    places[type_name].add(name)
    for type_name, names in sorted(places.items()):
        if len(names) > 1:
            yield f'type {type_name} is defined in {" and ".join(sorted(names))}'


def main():
    files = read_all(pathlib.Path('src'))
    problems = [list(check(files)) for check in (upward, circles, doubled_types)]
    print('{} files, {} upward includes, {} circles, {} type names twice'.format(len(files), *map(len, problems)))
    for line in sum(problems, []):
        print(line)
    return any(problems)


if __name__ == '__main__':
    sys.exit(main())
