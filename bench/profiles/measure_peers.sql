-- What SQL offers without the extension. Variables: nodes, profiles, pairs, runs, slow_runs.
\set ON_ERROR_STOP on
\o /dev/null
\ir ../settings.sql

-- Folded text into rows: the fastest of the forms that were tried (README.md). The sums make sure that both columns
-- are computed.
SELECT bench.measure('parse_' || ordering, 'sql_rows', nodes, octet_length(data), :slow_runs, format($$
    SELECT count(*), sum(octet_length(stack)), sum(value)
    FROM (SELECT left(line, -1 - length(number)) AS stack, number::float8 AS value
          FROM bench.folded, string_to_table(data, E'\n') AS line, split_part(line, ' ', -1) AS number
          WHERE nodes = %s AND ordering = %L AND line <> '') AS r
$$, nodes, ordering))
FROM bench.folded WHERE nodes = :nodes;

-- Both columns of the result are used, or the planner drops the sum.
SELECT bench.measure('sum', 'group_by', :nodes, :nodes::float8 * :profiles, :slow_runs, $$
    SELECT count(*), sum(value) FROM (SELECT stack, sum(value) AS value FROM bench.stack_row GROUP BY stack) AS s
$$);

-- The stacks numbered, which makes the rows narrow; numbering them is not timed.
CREATE UNLOGGED TABLE bench.stack AS SELECT row_number() OVER () AS id, stack FROM (SELECT DISTINCT stack FROM bench.stack_row) AS s;
CREATE UNLOGGED TABLE bench.numbered_row AS
SELECT profile_id, id::int, value FROM bench.stack_row JOIN bench.stack USING (stack) ORDER BY profile_id;
VACUUM ANALYZE bench.stack, bench.numbered_row;
SELECT bench.measure('sum', 'numbers', :nodes, :nodes::float8 * :profiles, :slow_runs, $$
    SELECT count(stack), sum(value) FROM (SELECT id, sum(value) AS value FROM bench.numbered_row GROUP BY id) AS s JOIN bench.stack USING (id)
$$);

SELECT bench.measure('many', 'group_by', n, 1, :slow_runs, format($$
    SELECT count(*), sum(value)
    FROM (SELECT stack, sum(value) AS value FROM (SELECT * FROM bench.small_row LIMIT %s) AS r GROUP BY stack) AS s
$$, n * 2))
FROM unnest(ARRAY[:small / 100, :small / 10, :small]) AS n;

-- Pairs of neighbours, found by index; the numbers are written into the query so that the planner sees them. Left to
-- itself it would sort the long strings for a merge join, which takes several times as long as hashing them.
SET enable_mergejoin = off;
SELECT bench.measure(m.measure, 'full_join', :nodes, :pairs, :slow_runs, 'SELECT sum(result) FROM (' || (
    SELECT string_agg(format($$
        SELECT %s AS result
        FROM (SELECT stack, value FROM bench.stack_row WHERE profile_id = %s) AS a
        FULL JOIN (SELECT stack, value FROM bench.stack_row WHERE profile_id = %s) AS b USING (stack)
    $$, m.result, n, n + 1), 'UNION ALL') FROM generate_series(1, :pairs) AS n) || ') AS r')
FROM (VALUES
    ('distance', 'sum(abs(coalesce(a.value, 0) - coalesce(b.value, 0)))'),
    ('similarity', '1 - sum(abs(coalesce(a.value, 0) - coalesce(b.value, 0))) / (sum(abs(a.value)) + sum(abs(b.value)))'),
    ('difference', 'count(*) FILTER (WHERE coalesce(a.value, 0) - coalesce(b.value, 0) <> 0)')
) AS m (measure, result);

\o
