-- The store at work: what a team has every morning. Run by demo/run.sh after demo.sql, in the same database; three small
-- benchmarks, recorded on twelve nights (test/data/nights), are loaded as CI would load them.
\pset footer off
\pset null ''
\set QUIET on
SET client_min_messages = warning;

CREATE EXTENSION flamegraph_store;
\ir ../test/data/nights/load.sql
-- A DO block, which prints nothing.
DO $$ BEGIN PERFORM load_night(n) FROM generate_series(1, 8) AS n; END $$;

\echo
\echo 'Every night. The extension flamegraph_store keeps profiles and compares new ones with those before. Here are three'
\echo 'benchmarks of eight nights, two branches, cpu and allocations; the last night is checked (CALL profiling.watch_run()):'
\echo
CALL profiling.watch_run();
SELECT (SELECT count(*) FROM profiling.profile) AS profiles, (SELECT count(*) FROM profiling.benchmark) AS benchmarks,
       (SELECT count(*) FROM profiling.test_run) AS runs, (SELECT count(*) FROM profiling.open_regression) AS findings;

\echo 'The next night a change comes in that makes one of them slow. In the morning the findings are in a table, once each:'
\echo
DO $$ BEGIN PERFORM load_night(9); END $$;
CALL profiling.watch_run();
SELECT name, branch, level, subject, round(expected::numeric, 1) AS expected, round(actual::numeric, 1) AS actual, unit,
       to_char(100 * relative, 'SG990"%"') AS change, to_char(q_value, '9.9EEEE') AS q_value
FROM profiling.open_regression ORDER BY name, event, level;

\echo 'And the report on that run, for people (a part of it; docs/tutorial.md leads from CI to a dashboard):'
\echo
\pset format unaligned
\pset tuples_only on
SELECT line FROM profiling.benchmark AS b,
    regexp_split_to_table(substring(profiling.report_text(b.benchmark_id, NULL, '{"candidates": 3}') FROM '(## Overview.*)## Candidate 2'), E'\n+')
        WITH ORDINALITY AS t (line, n)
WHERE b.name = 'orders' AND line <> ''
ORDER BY n;

-- What people look at instead: the night, the report on the slow benchmark, its history, each a page of its own.
SELECT profiling.night_html() \g tmp/demo/night.html
SELECT profiling.report_html('orders') \g tmp/demo/report.html
SELECT profiling.benchmark_html('orders') \g tmp/demo/benchmark.html
\pset format aligned
\pset tuples_only off

-- For run.sh: everything is there.
CREATE VIEW demo_is_loaded AS SELECT count(*) AS profiles FROM profiling.profile;
