#!/usr/bin/env python3
"""views.py CONNECTION VIEWS SVG: what psycopg2 gets from the views; draws a chart from benchmark_trend alone.

Prints lines "view column kind" and "trend METRIC TOTAL", "binary HEX".
"""
import datetime
import io
import struct
import sys
import xml.etree.ElementTree as ET

import psycopg2

connection = psycopg2.connect(sys.argv[1])
connection.autocommit = True
cursor = connection.cursor()


def kind(value):
    if value is None:
        return "null"
    for name, types in (("bool", bool), ("number", (int, float)), ("time", datetime.date), ("text", str), ("object", dict)):
        if isinstance(value, types):
            return name
    return type(value).__name__


for view in sys.argv[2].split(","):
    cursor.execute(f"SELECT * FROM profiling.{view}")
    rows = cursor.fetchall()
    for i, column in enumerate(cursor.description):
        kinds = {kind(row[i]) for row in rows} - {"null"}
        print(view, column.name, "|".join(sorted(kinds)) or "null")

cursor.execute("SELECT started_at, metric, metric_lower, metric_upper, total FROM profiling.benchmark_trend ORDER BY started_at")
rows = cursor.fetchall()
for row in rows:
    print(f"trend {row[1]:.3f} {row[4]:.3f}")

# COPY BINARY, out and in again: the value is the same.
out = io.BytesIO()
cursor.copy_expert("COPY (SELECT flamegraph FROM profiling.latest_profile) TO STDOUT BINARY", out)
fields, length = struct.unpack(">hi", out.getvalue()[19:25])
assert fields == 1
print("binary", out.getvalue()[25:25 + length].hex())
out.seek(0)
cursor.execute("CREATE TEMP TABLE copied (flamegraph flamegraph)")
cursor.copy_expert("COPY copied FROM STDIN BINARY", out)
cursor.execute("SELECT c.flamegraph = l.flamegraph FROM copied AS c, profiling.latest_profile AS l")
print("back", cursor.fetchone()[0])

# --- the chart: the metric over time, and the band that it is expected in -------------------------------------------
width, height, margin = 640, 240, 20
times = [row[0].timestamp() for row in rows]
values = [v for row in rows for v in row[1:4] if v is not None]


def x(t):
    return margin + (t - times[0]) / (times[-1] - times[0]) * (width - 2 * margin)


def y(v):
    return height - margin - (v - min(values)) / (max(values) - min(values)) * (height - 2 * margin)


def points(pairs):
    return " ".join(f"{x(t):.1f},{y(v):.1f}" for t, v in pairs)


band = [(t, row) for t, row in zip(times, rows) if row[2] is not None]
svg = ET.Element("svg", xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {width} {height}")
ET.SubElement(svg, "polygon", fill="#ddd", points=points([(t, r[2]) for t, r in band] + [(t, r[3]) for t, r in reversed(band)]))
ET.SubElement(svg, "polyline", fill="none", stroke="#c33", points=points([(t, row[1]) for t, row in zip(times, rows)]))
ET.ElementTree(svg).write(sys.argv[3], encoding="unicode")
