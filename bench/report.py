#!/usr/bin/env python3
"""report.py [--quick] --markdown FILE ENVIRONMENT RESULTS: prints the table of the benchmarks.

RESULTS has one line a run: measure, side, size, work, seconds, separated by tabs. ROWS says what becomes of them; a
new row of the table is a new entry there. FILE has a block for each part of the suite; those that were measured are
replaced, and the other ones stay as they are.
"""
import argparse
import math
import os
import re
import statistics
import sys
from collections import defaultdict
from typing import NamedTuple, Optional


class Unit(NamedTuple):
    name: str
    more_is_better: bool
    # from work and seconds of one run to a number of this unit
    convert: callable


MB_PER_S = Unit("MB/s", True, lambda work, seconds: work / seconds / 1e6)
NODES_PER_S = Unit("M nodes/s", True, lambda work, seconds: work / seconds / 1e6)
S = Unit("s", False, lambda work, seconds: seconds / work)
MS = Unit("ms", False, lambda work, seconds: seconds / work * 1e3)
ROWS_PER_S = Unit("M rows/s", True, lambda work, seconds: work / seconds / 1e6)
STACKS_PER_S = Unit("k stacks/s", True, lambda work, seconds: work / seconds / 1e3)
SAMPLES_PER_S = Unit("k samples/s", True, lambda work, seconds: work / seconds / 1e3)
PAGES = Unit("pages", False, lambda work, seconds: work)
MB = Unit("MB", False, lambda work, seconds: work / 1e6)
BYTES = Unit("bytes", False, lambda work, seconds: work)
TIMES = Unit("times", False, lambda work, seconds: work)
COUNT = Unit("boxes", True, lambda work, seconds: work)
VALUES_PER_S = Unit("M values/s", True, lambda work, seconds: work / seconds / 1e6)
PROFILES_PER_S = Unit("profiles/s", True, lambda work, seconds: work / seconds)

LARGEST = -1  # as a size: the largest one that was measured
GOLDEN_JOB = 5445  # its phases

# How the bar is meant.
ABSOLUTE = "absolute"  # ours against a number in the row's unit
RATIO = "ratio"  # ours against a multiple of the peer


class Row(NamedTuple):
    section: str
    label: str
    measure: str
    unit: Unit
    size: Optional[int] = 60000  # None: one row for every size that was measured
    peers: tuple = ()  # (side, label), or (side, label, how many times better ours must be)
    bar: Optional[float] = None
    bar_kind: str = ABSOLUTE
    bar_peer: Optional[str] = None  # RATIO: which peer the bar is about
    peer_measure: Optional[str] = None  # the measure of the peers, if it is another one


PYTHON = (("python_dict", "Python dict of stacks"), ("python_trie", "Python tree of dicts"))
SQL_ROWS = (("sql_rows", "split into rows by SQL"),)
JOIN = (("full_join", "FULL JOIN of two stack lists"),)
DUCKDB_JOIN = JOIN + (("duckdb", "the same in DuckDB"),)
GROUP_BY = (("group_by", "GROUP BY stack"), ("numbers", "GROUP BY, stacks numbered"), ("duckdb", "DuckDB, GROUP BY stack"),
            ("duckdb_zstd", "DuckDB, zstd, GROUP BY stack"), ("duckdb_numbers", "DuckDB, stacks numbered"))
TABLES = (("stack_table", "table of stacks"), ("duckdb", "DuckDB"), ("duckdb_zstd", "DuckDB, zstd"))
WHOLE = (("whole", "reading the whole value"),)
NUMBERED = (("rows", "GROUP BY over rows of numbered stacks"), ("duckdb", "the same in DuckDB"))
GZIPPED = (("pprof", "a file of pprof, gzipped"),)
ADJACENCY = (("adjacency", "recursive SQL over an adjacency table"),)
SCAN = (("ltree", "ltree, scan"),)
GIST = (("ltree", "ltree, GiST"),)

# Programs that are not installed here: where nobody says where they are there is no line.
ELSEWHERE = {"flamegraph_pl", "inferno", "stackcollapse_perf", "inferno_collapse", "speedscope"}
PICTURES = (("flamegraph_pl", "flamegraph.pl", 20), ("inferno", "inferno-flamegraph", 2))

# within 1.5 times its time
MATRIX = (("numpy", "numpy, scipy: covariances, Cholesky", 0.67), ("cov", "numpy.cov and solve"), ("qr", "scipy, QR as ours"))
PERMUTED = (("numpy", "numpy, products of matrices"), ("loop", "scipy, one t-test after the other"))

# Of which formats files of 200 MB are read.
LARGE = {"perf", "callgrind", "sample", "chrome", "speedscope", "cpuprofile", "heapprofile", "firefox", "stackprof", "jfr",
         "gperftools", "pprof", "pprof_stacks", "otlp", "mojo", "jfr_binary"}

# Readers of recordings: measure, label, MB/s it must reach, peers.
SPEEDSCOPE = (("speedscope", "speedscope in node"),)
JSON_LOAD = (("json_load", "json.loads of Python, no stacks"),)
BOTH = JSON_LOAD + SPEEDSCOPE
PROTOBUF = (("protobuf", "protobuf of Python, no stacks"),)
READERS = (("folded", "folded", 300, ()), ("austin", "austin", 300, ()),
           ("perf", "perf script", 300, (("stackcollapse_perf", "stackcollapse-perf.pl"), ("inferno_collapse", "inferno-collapse-perf"), *SPEEDSCOPE)),
           ("bpftrace", "bpftrace", 300, ()), ("stacks", "stacks of DTrace", 300, ()), ("sample", "sample of macOS", 300, ()),
           ("callgrind", "callgrind", 300, SPEEDSCOPE), ("gperftools", "gperftools, heap", 300, ()),
           ("speedscope", "speedscope", 300, BOTH), ("cpuprofile", "cpuprofile", 300, BOTH),
           ("heapprofile", "heapprofile", 300, BOTH), ("chrome", "trace events of Chrome", 300, BOTH),
           ("firefox", "Firefox Profiler", 300, BOTH),
           ("stackprof", "stackprof", 300, BOTH), ("jfr", "jfr print --json", 300, JSON_LOAD),
           ("instruments", "XML of Instruments", 300, (("expat", "expat alone, no handlers"), ("etree", "xml.etree of Python"))),
           ("pprof", "pprof", 200, PROTOBUF), ("pprof_stacks", "pprof, a stack a sample", 200, PROTOBUF), ("otlp", "OTLP profiles", 200, PROTOBUF),
           ("mojo", "MOJO of Austin", 200, ()),
           ("jfr_binary", "Flight Recorder, binary", 200, (("jfr_print", "jfr print --json of OpenJDK"),)))

KERNELS = (("statsmodels", "statsmodels", 20), ("numpy", "numpy, whole matrix", 8),
           ("numpy_blocks", "numpy, matrix in blocks"))


def model_rows(label, measure, peers):
    """A model of all points, made in several ways; the bars are about the aggregate."""
    without_bars = tuple(peer[:2] for peer in peers)
    for what, form, ordering, shown in (("aggregate", "aggregate", "sorted", peers),
                                        ("aggregate, points in no order", "aggregate", "shuffled", peers),
                                        ("fit() of arrays", "fit", "sorted", without_bars[:1]),
                                        ("fit() of arrays, in no order", "fit", "shuffled", without_bars[:1]),
                                        ("rows", "rows", "sorted", without_bars[:1])):
        yield Row("Models of many points", f"{label}: {what}", f"{measure}_{form}_{ordering}", MS, size=LARGEST,
                  peers=shown, peer_measure=f"{measure}_{ordering}")


ROWS = [
    Row("In SQL", "from_folded, sorted", "parse_sorted", MB_PER_S, peers=SQL_ROWS + PYTHON, bar=300),
    Row("In SQL", "from_folded, shuffled", "parse_shuffled", MB_PER_S, peers=SQL_ROWS + PYTHON, bar=1200),
    Row("In SQL", "sum(fg)", "sum", NODES_PER_S, peers=GROUP_BY, bar=120),
    Row("In SQL", "distance(a, b)", "distance", MS, peers=DUCKDB_JOIN, bar=2),
    Row("In SQL", "similarity(a, b)", "similarity", MS, peers=JOIN, bar=2),
    Row("In SQL", "a - b", "difference", MS, peers=JOIN, bar=3),
    Row("In SQL", "code_path_potential", "potential", MS),
    Row("In SQL", "sum of many ten-node profiles", "many", MS, size=LARGEST,
        peers=(("group_by", "GROUP BY stack", 1),)),
    Row("In SQL", "load all recordings", "load", S, peers=TABLES[:2]),
    Row("In the core", "parse, sorted", "core_parse_sorted", MB_PER_S, bar=500),
    Row("In the core", "parse, shuffled", "core_parse_shuffled", MB_PER_S, bar=500),
    Row("In the core", "encode", "encode", NODES_PER_S, peers=(("gzip", "gzip -6 of the text"),)),
    Row("In the core", "decode", "decode", NODES_PER_S, peers=(("gunzip", "gunzip of the text"),)),
    Row("In the core", "merge", "merge", NODES_PER_S, peers=(("strings", "merge of stack strings"),)),
    Row("In the core", "distance", "core_distance", NODES_PER_S),
    Row("In the core", "sum of decoded recordings", "core_accumulate", NODES_PER_S, bar=250),
    Row("In the core", "sum of encoded recordings", "core_sum", NODES_PER_S, bar=250),
    Row("The header alone", "total(fg), a stored value", "buffers_pglz", PAGES, bar=4, peers=WHOLE),
    Row("The header alone", "total(fg), a value stored EXTERNAL", "buffers_external", PAGES, bar=4, peers=WHOLE),
    Row("The header alone", "total(fg), all recordings", "total", MS, peers=WHOLE),
    Row("Calling contexts", "recursion edges, counted", "tree_recursion", MS, size=LARGEST, peers=ADJACENCY),
    Row("Calling contexts", "the same, and potentials of degree 0 to 5", "tree_potentials", MS, size=LARGEST, bar=100,
        peers=ADJACENCY),
    Row("Calling contexts", "frame_metrics", "tree_metrics", MS, size=LARGEST, bar=100, peers=ADJACENCY),
    Row("Calling contexts", "callers", "tree_callers", MS, size=LARGEST, bar=30, peers=ADJACENCY),
    Row("Calling contexts", "callees", "tree_callees", MS, size=LARGEST, bar=30, peers=ADJACENCY),
    Row("Calling contexts", "task_view by prefix", "tree_task_prefix", MS, size=LARGEST, bar=30, peers=ADJACENCY),
    Row("Calling contexts", "task_view by regular expression", "tree_task_regex", MS, size=LARGEST, bar=50,
        peers=ADJACENCY),
    Row("Calling contexts", "merge_partial", "tree_partial", STACKS_PER_S, size=LARGEST, bar=100,
        peers=(("adjacency", "recursive SQL, one round of 100 stacks"),)),
    Row("Calling contexts", "rows of node_facts", "tree_facts", ROWS_PER_S, size=LARGEST, bar=1),
    Row("Calling contexts", "rows of recursion_pairs", "tree_pairs", ROWS_PER_S, size=LARGEST, bar=1),
    Row("Calling contexts", "rows of nodes, with stacks, in FROM", "tree_nodes", ROWS_PER_S, size=LARGEST,
        peers=(("unnest", "unnest of an array of the stacks"),)),
    Row("Calling contexts", "the same in the select list", "tree_nodes_listed", ROWS_PER_S, size=LARGEST),
    Row("Paths", "path ~ 'a;*;b', scan", "path_anchored", MS, size=0, peers=SCAN),
    Row("Paths", "path ~ '*;a;*;b;*', scan", "path_through", MS, size=0, peers=SCAN),
    Row("Paths", "path <@ 'a;b;c', scan", "path_below", MS, size=0, peers=SCAN),
    Row("Paths", "path ~ 'a;*;b', GIN", "path_anchored_index", MS, size=0, peers=GIST),
    Row("Paths", "path ~ '*;a;*;b;*', GIN", "path_through_index", MS, size=0, peers=GIST),
    Row("Paths", "path <@ 'a;b;c', btree", "path_below_index", MS, size=0, peers=GIST),
    Row("Paths", "the table", "path_table_size", BYTES, size=0, peers=(("ltree", "ltree"),)),
    Row("Paths", "the GIN index", "path_index_size", BYTES, size=0, peers=GIST),
    Row("Paths", "the GIN index, making it", "path_index_build", S, size=0, peers=GIST),
    Row("Paths", "the btree index", "path_btree_size", BYTES, size=0),
    Row("Paths", "the btree index, making it", "path_btree_build", S, size=0),
    Row("Stored size", "value", "size", BYTES, size=None, bar=0.55, bar_kind=RATIO,
        bar_peer="pprof_gzip", peers=(("pprof_gzip", "gzip of pprof"), ("folded_gzip", "gzip of the text"),
                                      ("encoded", "the value before TOAST compresses it"))),
    Row("Stored size", "table", "table_size", BYTES, peers=TABLES),
    Row("Kernel regression", "gaussian, h = 50", "model_gaussian_wide", MS, size=10000, peers=KERNELS),
    Row("Kernel regression", "gaussian, h = 5", "model_gaussian_narrow", MS, size=10000, peers=KERNELS),
    Row("Kernel regression", "epanechnikov, h = 50", "model_epanechnikov_wide", MS, size=10000, peers=KERNELS[1:]),
    Row("Kernel regression", "epanechnikov, h = 5", "model_epanechnikov_narrow", MS, size=10000, peers=KERNELS[1:]),
    Row("Kernel regression", "cv_ls and fit, {size} points", "model_search", MS, size=LARGEST,
        peers=(("statsmodels", "statsmodels", 50),)),
    Row("Kernel regression", "cv_ls and fit, 10,000 points", "model_search_watson", S, size=10000, bar=2),
    Row("Kernel regression", "the same, local_linear", "model_search_linear", S, size=10000, bar=2),
    *model_rows("regressogram", "model_regressogram", (
        ("numpy", "numpy", 0.5), ("scipy", "scipy, binned_statistic"), ("numpy_fetched", "numpy, data fetched"))),
    *model_rows("sma, 100 points", "model_sma", (
        ("pandas", "pandas", 0.5), ("sums", "numpy, running sums"), ("pandas_fetched", "pandas, data fetched"))),
    *model_rows("smm, 100 points", "model_smm", (
        ("pandas", "pandas", 0.5), ("pandas_fetched", "pandas, data fetched"))),
    *model_rows("ema, span 50", "model_ema", (
        ("pandas", "pandas", 0.5), ("filter", "scipy, lfilter"), ("pandas_fetched", "pandas, data fetched"))),
    *model_rows("six formulas", "model_formulas", (
        ("numpy", "numpy, the same formulas"), ("polyfit", "numpy, polyfit"), ("numpy_fetched", "numpy, data fetched"))),
    Row("Models of many points", "sum(x), sum(y) over the same rows", "model_executor", MS, size=LARGEST,
        peers=(("sums", "PostgreSQL alone"),)),
    Row("Models of many points", "longest wait for a cancelled statement", "model_cancel", MS, size=LARGEST, bar=100),
    Row("Hotelling's test", "{size} functions, the test without the reading", "hotelling_frame_rest", MS, size=500,
        peers=MATRIX, peer_measure="hotelling"),
    Row("Hotelling's test", "the whole test", "hotelling_frame", MS, size=500, peers=(MATRIX[0][:2],), peer_measure="hotelling"),
    Row("Hotelling's test", "the reading alone", "hotelling_frame_reading", MS, size=500),
    Row("Hotelling's test", "{size} stacks of the program, the whole test", "hotelling_program", MS, size=500,
        peers=(MATRIX[0][:2],), peer_measure="hotelling"),
    Row("Hotelling's test", "the reading alone, of stacks", "hotelling_program_reading", MS, size=500),
    Row("Hotelling's test", "{size} functions, the whole test", "hotelling_frame", MS, size=1000,
        peers=(MATRIX[0][:2],), peer_measure="hotelling"),
    Row("Hotelling's test", "{size} functions, longest wait for a cancelled statement", "hotelling_cancel", MS, size=1000),
    Row("Hotelling's test", "the same without an inverse", "hotelling_cancel_singular", MS, size=1000),
    Row("Tests of groups", "Welch, stacks", "group_welch_stack", MS, size=LARGEST,
        peers=(("scipy", "scipy, on the matrix"), ("table", "scipy, from a table of stacks"))),
    Row("Tests of groups", "Welch, contexts", "group_welch_node", MS, size=LARGEST, bar=2000,
        peers=(("scipy", "scipy, on the matrix"),)),
    Row("Tests of groups", "max-T, stacks", "group_maxt_stack", MS, size=LARGEST, peers=PERMUTED),
    Row("Tests of groups", "max-T, contexts, fewer than 100,000", "group_maxt_node", MS, size=LARGEST, bar=5000, peers=PERMUTED),
    Row("Tests of groups", "stats(fg), stacks", "group_stats_stack", MS, size=LARGEST),
    Row("Tests of groups", "stats(fg, 'node')", "group_stats_node", MS, size=LARGEST),
    Row("Tests of groups", "compare_stats, stacks", "group_compare_stats_stack", MS, size=LARGEST,
        peers=(("scipy", "scipy, on the matrix"),), peer_measure="group_welch_stack"),
    Row("Tests of groups", "compare_stats, contexts", "group_compare_stats_node", MS, size=LARGEST,
        peers=(("scipy", "scipy, on the matrix"),), peer_measure="group_welch_node"),
    Row("Tests of groups", "energy_test", "group_energy", MS, size=LARGEST, peers=(("scipy", "scipy, on the matrix"),)),
    Row("Tests of groups", "change_points", "group_changes", MS, size=LARGEST, bar=5000),
    Row("Tests of groups", "change_points of 1,000 numbers", "group_numbers", MS, size=LARGEST),
    Row("Tests of groups", "frame_correlation", "group_correlation", MS, size=LARGEST),
    Row("Tests of groups", "deviation_scores, 10 + 1 profiles", "group_deviation", MS, size=LARGEST, bar=100),
    Row("Tests of groups", "the same, potential:2", "group_deviation_potential", MS, size=LARGEST, bar=100),
    Row("Tests of groups", "expand_context, 10 + 1 profiles", "group_expand", MS, size=LARGEST),
    Row("Tests of groups", "regression_report, 10 + 1 profiles", "group_report", MS, size=LARGEST),
    Row("Tests of groups", "longest wait for a cancelled statement", "group_cancel", MS, size=LARGEST, bar=100),
    Row("Memory of a session", "reading the array", "group_memory_array", MB, size=LARGEST),
    Row("Memory of a session", "Welch, contexts", "group_memory_welch", MB, size=LARGEST, peers=(("usual", "the dense matrix"),),
        peer_measure="group_matrix"),
    Row("Memory of a session", "max-T, contexts", "group_memory_maxt", MB, size=LARGEST, peers=(("close", "the dense matrix"),),
        peer_measure="group_matrix"),
    Row("Memory of a session", "stats(fg, 'node')", "group_memory_stats", MB, size=LARGEST, peers=(("usual", "the dense matrix"),),
        peer_measure="group_matrix"),
    Row("Memory of a session", "energy_test", "group_memory_energy", MB, size=LARGEST),
    Row("Memory of a session", "change_points", "group_memory_changes", MB, size=LARGEST),
    Row("Flame graphs", "flamegraph_svg, static", "picture_static", MS, bar=25),
    Row("Flame graphs", "flamegraph_svg, interactive", "picture_interactive", MS, bar=40),
    Row("Flame graphs", "flamegraph_svg, static, {size} nodes", "picture_static", MS, size=LARGEST),
    Row("Flame graphs", "flamegraph_svg, interactive, {size} nodes", "picture_interactive", MS, size=LARGEST),
    Row("Flame graphs", "flamegraph_from_svg", "picture_read", MS),
    Row("Flame graphs", "folded text of {size} nodes to SVG", "picture_text", MB_PER_S, size=LARGEST, peers=PICTURES),
    Row("Flame graphs", "time when min_width is halved", "picture_halved", TIMES, bar=2),
    Row("Flame graphs", "boxes of {size} nodes", "picture_boxes", COUNT, size=LARGEST),
    Row("Flame graphs", "bytes of a box of {size} nodes, static", "picture_box_bytes", BYTES, size=LARGEST, bar=1.0, bar_kind=RATIO,
        bar_peer="flamegraph_pl", peers=tuple(peer[:2] for peer in PICTURES)),
    Row("Flame graphs", "bytes, static, against 170 a box, its name twice, 4 kB", "picture_static_bytes", TIMES, bar=1),
    Row("Flame graphs", "bytes, interactive, against that, 9 a node, the names, 24 kB", "picture_interactive_bytes", TIMES, bar=1),
    Row("Flame graphs", "flamegraph_diff_svg", "picture_difference", MS, bar=80),
    Row("Flame graphs", "flamegraph_diff_svg of groups, beyond compare_profiles", "picture_groups_beyond", MS, bar=80),
    Row("Flame graphs", "nested_set", "picture_nested_set", MS, bar=40),
    Row("Flame charts", "flame_chart_svg, {size} samples", "picture_chart", MS, size=LARGEST, bar=300),
    Row("Flame charts", "recording_samples, perf text of {size} samples", "picture_recording", MB_PER_S, size=LARGEST,
        peers=(("read_recording", "read_recording", 0.7),)),
    Row("Pages", "night_html, {size} benchmarks", "picture_night", S, size=LARGEST, bar=2),
    Row("Pages", "its size", "picture_night_bytes", MB, size=LARGEST, bar=5),
    Row("Pages", "report_html", "picture_report", S, size=LARGEST, bar=1),
    Row("Pages", "benchmark_html", "picture_benchmark", S, size=LARGEST),
    Row("In Chromium", "first paint", "browser_paint", MS, bar=600),
    Row("In Chromium", "zoom, 95 of 100 within", "browser_zoom", MS, bar=50),
    Row("In Chromium", "the same, against d3-flame-graph", "browser_zoom", MS, bar=1.0, bar_kind=RATIO, bar_peer="d3_flame_graph",
        peers=(("d3_flame_graph", "d3-flame-graph"),)),
    Row("In Chromium", "the same until the thinnest box is there", "browser_zoom_whole", MS),
    Row("In Chromium", "search", "browser_search", MS, bar=100),
    Row("In Chromium", "first paint, {size} nodes", "browser_paint", MS, size=LARGEST, bar=1500),
    Row("In Chromium", "zoom, {size} nodes", "browser_zoom", MS, size=LARGEST, bar=100, peers=(("flamegraph_pl", "flamegraph.pl", 3),)),
    *(Row("Readers, MB of a file", label, f"format_{name}", MB_PER_S, size=LARGEST, bar=bar, peers=peers)
      for name, label, bar, peers in READERS),
    *(Row("Readers, samples", label, f"format_rate_{name}", SAMPLES_PER_S, size=LARGEST) for name, label, _, _ in READERS),
    *(Row("Readers, size of the file", label, f"format_size_{name}", MB, size=LARGEST) for name, label, _, _ in READERS),
    *(Row("Readers, memory beyond the tree", label, f"format_memory_{name}", MB, size=LARGEST, bar=64) for name, label, _, _ in READERS),
    *(Row("Readers, memory beyond the tree, files of 200 MB", label, f"format_large_{name}", MB, size=LARGEST, bar=64)
      for name, label, _, _ in READERS if name in LARGE),
    *(Row("Readers, size of those files", label, f"format_large_size_{name}", MB, size=LARGEST)
      for name, label, _, _ in READERS if name in LARGE),
    Row("A job of 5,445 phases", "attribution, bottlenecks and issues together", "job_three", MS, size=GOLDEN_JOB, bar=50,
        peers=(("numpy_sweep", "numpy, events"), ("numpy_dense", "numpy, slices of 1 ms"))),
    Row("A job of 5,445 phases", "the same, work_mem 4 MB", "job_three_default", MS, size=GOLDEN_JOB, bar=50),
    Row("A job of 5,445 phases", "phase_consumption", "job_consumption", MS, size=GOLDEN_JOB),
    Row("A job of 5,445 phases", "bottlenecks", "job_bottlenecks", MS, size=GOLDEN_JOB),
    Row("A job of 5,445 phases", "performance_issues", "job_issues", MS, size=GOLDEN_JOB),
    Row("A job of 5,445 phases", "report_html, its page", "job_page", S, size=GOLDEN_JOB),
    Row("Large jobs", "the three together, {size} phases", "grow_job", S, size=LARGEST, bar=10),
    Row("Large jobs", "peak memory, {size} phases, work_mem 64 MB", "job_memory", MB, size=LARGEST, bar=1000),
    Row("Large jobs", "the same, work_mem 1 GB", "job_memory_rows", MB, size=LARGEST, bar=1000),
    Row("Large jobs", "report_html, {size} phases", "job_page", S, size=LARGEST),
    Row("Large jobs", "its size", "job_page_bytes", MB, size=LARGEST),
    Row("Large jobs", "longest wait for a cancelled statement", "job_cancel", MS, size=LARGEST, bar=100),
    Row("Import", "{size} recordings of one run, two connections", "store_import", S, size=LARGEST, bar=12),
    Row("Import", "the same as runs of 10 repetitions, a call each", "store_import_runs", S, size=LARGEST, bar=60),
    Row("Import", "WAL of the first", "store_wal_one", MB, size=LARGEST),
    Row("Import", "WAL of the second", "store_wal_runs", MB, size=LARGEST),
    Row("Import", "adding what is pending to the run's sums", "store_fold", S, size=LARGEST),
    Row("Import", "peak memory of a backend", "store_import_backend", MB, size=LARGEST, bar=500),
    Row("Import", "peak memory of the loader", "store_import_loader", MB, size=LARGEST),
    Row("Every night", "watch_run() over {size} benchmarks", "store_watch", S, size=LARGEST, bar=4),
    Row("Every night", "the same with samples and noise", "store_watch_samples", S, size=LARGEST, bar=8),
    Row("Every night", "watch_run() over {size} benchmarks, long night", "store_watch_many", S, size=LARGEST, bar=40),
    Row("Every night", "peak memory of its backend", "store_watch_backend", MB, size=LARGEST, bar=500),
    Row("Asking", "frame_search(frame), {size} profiles", "store_search", MS, size=LARGEST, bar=200),
    Row("Asking", "frame_search(prefix)", "store_search_prefix", MS, size=LARGEST, bar=200),
    Row("Asking", "frame_search(frame), per run", "store_search_runs", MS, size=LARGEST, bar=200),
    Row("Asking", "frame_search(frame), {size} large profiles", "store_search_large", MS, size=LARGEST),
    *(Row("Views", f"{view}, {{size}} profiles", f"store_view_{view}", MS, size=LARGEST, bar=1000) for view in (
        "benchmark_overview", "benchmark_trend", "latest_profile", "hot_frame", "open_regression", "regression_history",
        "team_regression", "model_change", "storage")),
    Row("Disk, bytes of a node", "the value", "store_bytes_value", BYTES, size=LARGEST),
    Row("Disk, bytes of a node", "the table, TOAST included", "store_bytes_table", BYTES, size=LARGEST),
    Row("Disk, bytes of a node", "its indexes", "store_bytes_index", BYTES, size=LARGEST),
    Row("Disk, bytes of a node", "rollups", "store_bytes_rollup", BYTES, size=LARGEST),
    Row("Services", "ingest_batch, one connection, {size} profiles", "production_load", PROFILES_PER_S, size=LARGEST, bar=4000),
    Row("Services", "the same, two connections", "production_load_two", PROFILES_PER_S, size=LARGEST, bar=7000),
    Row("Services", "compact()", "production_compact", PROFILES_PER_S, size=LARGEST, bar=20000),
    Row("Services", "two calls at once", "production_compact_two", PROFILES_PER_S, size=LARGEST, bar=20000),
    Row("Services", "the slowest ingest of one profile meanwhile", "production_probe", MS, size=LARGEST, bar=100),
    Row("Services", "bytes of a profile of 360 nodes, all indexes and rows", "production_bytes", BYTES, size=LARGEST,
        peers=GZIPPED + (("duckdb", "DuckDB, rows of numbered stacks without names"),), bar=500),
    Row("Services", "the same of 1,000 nodes", "production_bytes_1000", BYTES, size=LARGEST, peers=GZIPPED, bar=900),
    Row("Services", "the same of 1,500 nodes", "production_bytes_1500", BYTES, size=LARGEST, peers=GZIPPED),
    Row("Services", "what of that is indexes and rows", "production_bytes_rest", BYTES, size=LARGEST),
    Row("Windows", "window_profile, 24 hours, {size} profiles of a service", "production_window", MS, size=LARGEST, peers=NUMBERED, bar=60),
    Row("Windows", "window_profile, 7 days, {size} profiles of it", "production_week", MS, size=LARGEST, bar=300),
    Row("Windows", "24 hours, none of them in a block yet", "production_incoming", MS, size=LARGEST),
    Row("Windows", "of one pod and an hour in it", "production_pod", MS, size=LARGEST, peers=NUMBERED, bar=10),
    Row("Windows", "window_trend by minute, 24 hours", "production_trend", MS, size=LARGEST, bar=100),
    Row("Windows", "window_search over all services, 7 of the days of {size} profiles", "production_search", MS, size=LARGEST, bar=300),
    Row("Windows", "window_compare of two hours", "production_compare", MS, size=LARGEST),
    Row("Windows", "watch_services(), an hour of one of {size} services", "production_watch", MS, size=LARGEST),
    Row("Series in the core", "sum of a window, {size} profiles, no stored sum", "core_series_sum", VALUES_PER_S, size=LARGEST, bar=1000),
    Row("Series in the core", "a series of {size} profiles of 300 nodes", "core_series_make", PROFILES_PER_S, size=LARGEST),
    Row("Series in the core", "of 800 nodes", "core_series_make_800", PROFILES_PER_S, size=LARGEST),
    Row("Series in the core", "of 1,200 nodes", "core_series_make_1200", PROFILES_PER_S, size=LARGEST),
    Row("Series in the core", "24 hours of {size} profiles become one", "core_series_merge", PROFILES_PER_S, size=LARGEST),
]

# The parts of the suite, their titles, and their sections.
PARTS = {
    "profiles": ("Profiles", ("In SQL", "In the core", "The header alone", "Calling contexts", "Paths", "Stored size")),
    "models": ("Models", ("Kernel regression", "Models of many points")),
    "groups": ("Groups of profiles", ("Hotelling's test", "Tests of groups", "Memory of a session")),
    "pictures": ("Pictures", ("Flame graphs", "Flame charts", "Pages", "In Chromium")),
    "formats": ("Formats", ("Readers, MB of a file", "Readers, samples", "Readers, size of the file", "Readers, memory beyond the tree",
                            "Readers, memory beyond the tree, files of 200 MB", "Readers, size of those files")),
    "jobs": ("Jobs", ("A job of 5,445 phases", "Large jobs")),
    "store": ("The store", ("Import", "Every night", "Asking", "Views", "Disk, bytes of a node")),
    "production": ("Services in production", ("Services", "Windows", "Series in the core")),
}

# (label, measure, bar or None): the exponent of time over nodes
GROWTH = [
    ("from_folded, sorted", "parse_sorted", 1.05),
    ("from_folded, shuffled", "parse_shuffled", 1.05),
    ("parse in the core, sorted", "core_parse_sorted", 1.05),
    ("parse in the core, shuffled", "core_parse_shuffled", 1.05),
    ("encode", "encode", 1.05),
    ("decode", "decode", 1.05),
    ("merge", "merge", 1.05),
    ("distance in the core", "core_distance", 1.05),
    ("code_path_potential", "potential", 1.05),
    ("recursion_edge_count", "grow_recursion", 1.05),
    ("subtree_potential of degree 5", "grow_potential", 1.05),
    ("frame_metrics", "grow_metrics", 1.05),
    ("task_view", "grow_task", 1.05),
    ("merge_partial of all ends of 10 frames", "grow_partial", 1.05),
    ("subsuming_frames", "grow_subsuming", 1.05),
]
GROWTH_PICTURES = [
    ("flamegraph_svg, static", "grow_picture_static", 1.05),
    ("flamegraph_svg, interactive, all nodes", "grow_picture_interactive", 1.05),
]
GROWTH_SIZES = (10000, 30000, 100000, 300000, 1000000)
# the same over points, where the window of the kernel always has 100 of them
GROWTH_POINTS = [
    ("epanechnikov, 100 points in the window", "grow_epanechnikov", 1.05),
    ("tricube, 100 points in the window", "grow_tricube", 1.05),
    ("epanechnikov, local_linear, 100 points in the window", "grow_linear", 1.05),
    ("tricube, local_linear, 100 points in the window", "grow_tricube_linear", 1.05),
]
# over the points in the window, of 30,000
GROWTH_WINDOW = [("epanechnikov", "grow_window", 1.05), ("tricube", "grow_window_tricube", 1.05)]
WINDOW_SIZES = (100, 300, 1000, 3000, 10000)
GROWTH_SEARCH = [("cv_ls and fit, gaussian", "grow_search", None)]
SEARCH_SIZES = (1000, 3000, 10000, 30000, 100000)
# over the number of recordings of 60,000 nodes
GROWTH_GROUPS = [
    ("Welch, stacks", "grow_group_welch_stack", 1.05),
    ("Welch, contexts", "grow_group_welch_node", 1.05),
    ("max-T, stacks", "grow_group_maxt_stack", None),
    ("max-T, contexts", "grow_group_maxt_node", None),
    ("stats(fg, 'node')", "grow_group_stats", 1.05),
    ("energy_test, all pairs", "grow_group_energy", 2),
    ("change_points, all pairs", "grow_group_changes", 2),
    ("frame_correlation", "grow_group_correlation", 1.05),
    ("deviation_scores", "grow_group_deviation", 1.05),
    ("expand_context", "grow_group_expand", 1.05),
    ("regression_report", "grow_group_report", 1.05),
]
GROUP_SIZES = (20, 35, 60, 100, 200)
# over phases, with eleven or more measurements each (as dense in the smallest job as in the largest)
GROWTH_JOBS = [("the three together", "grow_job", 1.1)]
JOB_SIZES = (5445, 16285, 54225, 168045, 504085)
# over the time that the same events take, in slices of 1 ms
GROWTH_DURATION = [("the three together", "grow_job_duration", 0.02)]
DURATIONS = (1, 10, 100, 1000)
# the same over the number of profiles: n log n is an exponent of 1.09 here
MANY = [("sum of ten-node profiles", "many", 1.15)]
MANY_SIZES = (1000, 10000, 100000, 1000000)

parser = argparse.ArgumentParser()
parser.add_argument("--quick", action="store_true")
parser.add_argument("--markdown", required=True)
parser.add_argument("environment")
parser.add_argument("results")
options = parser.parse_args()

runs = defaultdict(list)
with open(options.results, encoding="ascii") as file:
    for line in file:
        measure, side, size, work, seconds = line.rstrip("\n").split("\t")
        runs[measure, side, int(size)].append((float(work), float(seconds)))
with open(options.environment, encoding="utf-8") as file:
    environment = file.read().splitlines()


def value(row, measure, side, size):
    got = runs.get((measure, side, size))
    if not got:
        return None
    return statistics.median(row.unit.convert(work, seconds) for work, seconds in got)


def number(x):
    """Three significant digits, whole numbers grouped."""
    if x is None:
        return "-"
    if abs(x) >= 100:
        return f"{x:,.0f}"
    return f"{x:.{max(0, 2 - math.floor(math.log10(abs(x))))}f}" if x else "0"


def judge(x, bar, more_is_better, what):
    """The two last columns."""
    if bar is None:
        return "", ""
    verdict = "?" if x is None else "yes" if (x >= bar if more_is_better else x <= bar) else "NO"
    return f"{'>=' if more_is_better else '<='} {bar:g}{what}", verdict


def table_rows(row):
    peer_measure = row.peer_measure or row.measure
    if row.size == LARGEST:
        sizes = sorted({size for measure, side, size in runs if measure in (row.measure, peer_measure)})[-1:]
    elif row.size is not None:
        sizes = [row.size]
    else:
        sizes = sorted({size for measure, side, size in runs if measure == row.measure and side == row.bar_peer})
    for size in sizes:
        ours = value(row, row.measure, "ours", size)
        label = row.label.format(size=f"{size:,}") if row.size is not None else f"{row.label} of {size:,} nodes"
        label += f", {row.unit.name}"
        bar = verdict = ""
        if row.bar_kind == ABSOLUTE:
            bar, verdict = judge(ours, row.bar, row.unit.more_is_better, "")
        measured = {side for _, side, _ in runs}
        for side, peer_label, *times in [p for p in row.peers if p[0] not in ELSEWHERE - measured] or ((None, ""),):
            peer = value(row, peer_measure, side, size)
            ratio = None
            if ours and peer:
                # how many times better ours is; for sizes the plain quotient, because the bar is one
                ratio = ours / peer if row.unit.more_is_better or row.bar_kind == RATIO else peer / ours
            if row.bar_kind == RATIO:
                bar, verdict = "", ""
                if side == row.bar_peer:
                    bar, verdict = judge(ratio, row.bar, False, "x")
            if times:
                bar, verdict = judge(ratio, times[0], True, "x")
            yield (label, number(ours), f"{number(peer)}  {peer_label}" if side else "",
                   number(ratio) + "x" if ratio else "", bar, verdict)
            label, bar, verdict = "", "", ""  # further peers of the same row


def exponent(measure, sizes):
    """Least squares of log seconds over log nodes."""
    points = []
    for size in sizes:
        got = runs.get((measure, "ours", size))
        if got:
            points.append((math.log(size), math.log(statistics.median(seconds for _, seconds in got))))
    if len(points) < 3:
        return None, points
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    slope = (sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points))
    return slope, points


def growth_rows(entries, sizes):
    for label, measure, bar in entries:
        slope, points = exponent(measure, sizes)
        times = " ".join(number(math.exp(y) * 1e3) for _, y in points)
        yield (label + ", exponent", "-" if slope is None else f"{slope:.3f}", f"ms: {times}" if times else "", "",
               *judge(slope, bar, False, ""))


def is_measured(section):
    """A part of the suite can be left out (run.sh --part)."""
    measures = {m for row in ROWS if row.section == section for m in (row.measure, row.peer_measure)}
    return any(measure in measures for measure, side, size in runs)


def part_of(section):
    return next(part for part, (_, sections) in PARTS.items() if section in sections)


def remarks(part, lines):
    """What is said below the tables."""
    yield "ratio: how many times better ours is; of stored values: ours divided by the peer"
    union = runs.get(("sum_nodes", "ours", 60000))
    if union and part in (None, "profiles"):
        yield f"the sum of all recordings has {union[0][0]:,.0f} nodes"
    verdicts = [line[5] for line in lines if line[5] in ("yes", "NO", "?")]
    yield f"bars met: {verdicts.count('yes')} of {len(verdicts)}"
    if options.quick:
        yield "quick: fewer and smaller data; no figures to publish"


HEADER = ("row", "ours", "peer", "ratio", "bar", "met?")
sections = []  # part, title, lines
for row in (row for row in ROWS if is_measured(row.section)):
    if not sections or sections[-1][1] != row.section:
        sections.append((part_of(row.section), row.section, []))
    sections[-1][2].extend(table_rows(row))
for part, entries, sizes, what in (("profiles", GROWTH, GROWTH_SIZES, "nodes"), ("profiles", MANY, MANY_SIZES, "profiles"),
                                   ("models", GROWTH_POINTS, GROWTH_SIZES, "points"),
                                   ("models", GROWTH_WINDOW, WINDOW_SIZES, "points in the window"),
                                   ("models", GROWTH_SEARCH, SEARCH_SIZES, "points"),
                                   ("groups", GROWTH_GROUPS, GROUP_SIZES, "recordings"),
                                   ("pictures", GROWTH_PICTURES, GROWTH_SIZES, "nodes"),
                                   ("jobs", GROWTH_JOBS, JOB_SIZES, "phases"),
                                   ("jobs", GROWTH_DURATION, DURATIONS, "times as long")):
    measured = [size for measure, side, size in runs if side == "ours" and measure in {m for _, m, _ in entries}]
    if measured:
        sections.append((part, f"Growth, {max(min(measured), sizes[0]):,} to {max(measured):,} {what}",
                         list(growth_rows(entries, sizes))))

every = [line for _, _, lines in sections for line in lines]

widths = [max(len(line[i]) for line in [HEADER, *every]) for i in range(len(HEADER))]


def plain(line):
    return "  ".join(cell.rjust(widths[i]) if i in (1, 3) else cell.ljust(widths[i]) for i, cell in enumerate(line)).rstrip()


for line in environment:
    print(line)
print()
print(plain(HEADER))
print("  ".join("-" * width for width in widths))
for _, section, lines in sections:
    print(f"[{section}]")
    for line in lines:
        print(plain(line))
print()
for line in remarks(None, every):
    print(line)


def block(part):
    """A part in Markdown."""
    lines = [f"<!-- {part} -->", f"## {PARTS[part][0]}", ""] + [f"- {line}" for line in environment]
    mine = [(section, rows) for of, section, rows in sections if of == part]
    for section, rows in mine:
        lines += ["", f"### {section}", "", f"| {' | '.join(HEADER)} |", "|---|--:|---|--:|---|---|"]
        lines += [f"| {' | '.join(row)} |" for row in rows]
    lines += [""] + [f"- {line}" for line in remarks(part, [row for _, rows in mine for row in rows])]
    return "\n".join(lines + [f"<!-- /{part} -->"])


def write_markdown(path):
    text = "# Results\n"
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
    for part in dict.fromkeys(of for of, _, _ in sections):
        place = re.compile(f"<!-- {part} -->.*<!-- /{part} -->", re.DOTALL)
        if place.search(text):
            text = place.sub(lambda _, new=block(part): new, text)
        else:
            text += f"\n{block(part)}\n"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


write_markdown(options.markdown)
sys.stdout.flush()
