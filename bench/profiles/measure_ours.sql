-- Our side of the rows in SQL. Variables: nodes, profiles, pairs, runs, slow_runs.
--
-- A flamegraph that a function returns may be in expanded form. pg_column_size has to make the stored bytes of it, so
-- it is what the queries end in where a value is the result: nnodes(...) could be answered without encoding anything.
\set ON_ERROR_STOP on
\o /dev/null
\ir ../settings.sql

-- The text is held in a variable, so that parsing and encoding are timed and not TOAST, which fetches a hundred
-- megabytes of text more slowly than it parses.
CREATE FUNCTION bench.measure_parse(measure text, size bigint, runs int, data text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    held text := data || '';
    work float8 := octet_length(data);
    started timestamptz;
    result int;
BEGIN
    FOR run IN 0 .. runs LOOP
        started := clock_timestamp();
        result := pg_column_size(flamegraph_from_folded(held));
        IF run > 0 THEN
            INSERT INTO bench.sample (measure, side, size, work, seconds, answer)
            VALUES (measure, 'ours', size, work, extract(epoch FROM clock_timestamp() - started), result::text);
        END IF;
    END LOOP;
END
$$;

-- All sizes, for the growth; few runs of the large ones, which are measured well enough by that.
SELECT bench.measure_parse('parse_' || ordering, nodes, CASE WHEN nodes > 100000 THEN :slow_runs ELSE :runs END, data)
FROM bench.folded;

SELECT bench.measure('potential', 'ours', nodes, 1,
    CASE WHEN nodes > 100000 THEN :slow_runs ELSE :runs END, format($$
    SELECT count(*), sum(p.potential) FROM bench.fg, code_path_potential(fg) AS p WHERE nodes = %s
$$, nodes))
FROM bench.fg;

SELECT bench.measure('sum', 'ours', :nodes, :nodes::float8 * :profiles, :runs, $$
    SELECT pg_column_size(sum(fg)) FROM bench.profile
$$);

-- Many small profiles into one sum; the size is their number.
SELECT bench.measure('many', 'ours', n, 1, :slow_runs, format($$
    SELECT pg_column_size(sum(fg)) FROM (SELECT fg FROM bench.small LIMIT %s) AS s
$$, n))
FROM unnest(ARRAY[:small / 100, :small / 10, :small]) AS n;

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

-- The header alone, and the whole value for comparison (total_at has to decode it).
SELECT bench.measure('total', side, :nodes, 1, :runs, format('SELECT sum(%s) FROM bench.profile', result))
FROM (VALUES ('ours', 'total(fg)'), ('whole', 'total_at(fg, '''')')) AS m (side, result);
INSERT INTO bench.sample (measure, side, size, work, seconds)
SELECT 'buffers_' || storage, side, :nodes, bench.buffers(format('SELECT sum(%s) FROM bench.%I', result, relation)) / :profiles, 0
FROM (VALUES ('ours', 'total(fg)'), ('whole', 'total_at(fg, '''')')) AS m (side, result),
    (VALUES ('pglz', 'profile'), ('external', 'profile_external')) AS r (storage, relation);

-- Sizes: "work" holds the bytes, there is nothing to time.
INSERT INTO bench.sample (measure, side, size, work, seconds)
SELECT 'size', 'ours', nodes, pg_column_size(fg), 0 FROM bench.fg;
INSERT INTO bench.sample (measure, side, size, work, seconds)
SELECT 'table_size', 'ours', :nodes, pg_table_size('bench.profile'), 0;
INSERT INTO bench.sample (measure, side, size, work, seconds)
SELECT 'sum_nodes', 'ours', :nodes, nnodes(sum(fg)), 0 FROM bench.profile;

\o
