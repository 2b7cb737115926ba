-- Our side of the rows in SQL. Variables: nodes, profiles, pairs, runs, slow_runs.
--
-- A flamegraph that a function returns may be in expanded form. pg_column_size has to make the stored bytes of it, so
-- it is what the queries end in where a value is the result: nnodes(...) could be answered without encoding anything.
\set ON_ERROR_STOP on
\o /dev/null
\ir settings.sql

-- All sizes, for the growth; few runs of the large ones, which are measured well enough by that.
SELECT bench.measure('parse_' || ordering, 'ours', nodes, octet_length(data),
    CASE WHEN nodes > 100000 THEN :slow_runs ELSE :runs END, format($$
    SELECT pg_column_size(flamegraph_from_folded(data)) FROM bench.folded WHERE nodes = %s AND ordering = %L
$$, nodes, ordering))
FROM bench.folded;

SELECT bench.measure('potential', 'ours', nodes, 1,
    CASE WHEN nodes > 100000 THEN :slow_runs ELSE :runs END, format($$
    SELECT count(*), sum(p.potential) FROM bench.fg, code_path_potential(fg) AS p WHERE nodes = %s
$$, nodes))
FROM bench.fg;

SELECT bench.measure('sum', 'ours', :nodes, :nodes::float8 * :profiles, :runs, $$
    SELECT pg_column_size(sum(fg)) FROM bench.profile
$$);

-- Several pairs a query, so that planning is a small part of the time.
SELECT bench.measure(m.measure, 'ours', :nodes, :pairs, :runs, format($$
    SELECT sum(%s) FROM bench.profile AS a JOIN bench.profile AS b ON b.profile_id = a.profile_id + 1
    WHERE a.profile_id <= %s
$$, m.result, :pairs))
FROM (VALUES
    ('distance', 'distance(a.fg, b.fg)'),
    ('similarity', 'similarity(a.fg, b.fg)'),
    ('difference', 'pg_column_size(a.fg - b.fg)')
) AS m (measure, result);

-- Sizes: "work" holds the bytes, there is nothing to time.
INSERT INTO bench.sample (measure, side, size, work, seconds)
SELECT 'size', 'ours', nodes, pg_column_size(fg), 0 FROM bench.fg;
INSERT INTO bench.sample (measure, side, size, work, seconds)
SELECT 'table_size', 'ours', :nodes, pg_table_size('bench.profile'), 0;
INSERT INTO bench.sample (measure, side, size, work, seconds)
SELECT 'sum_nodes', 'ours', :nodes, nnodes(sum(fg)), 0 FROM bench.profile;

\o
