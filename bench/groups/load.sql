-- Samples of profiles as arrays and as statistics; bench.run and bench.matrix have been loaded. Variables: n, sizes,
-- matrix, columns.
\set ON_ERROR_STOP on
\o /dev/null
\ir ../settings.sql

-- The first n recordings as arrays: two groups of n / 2, all with the second group behind the first, and all but the
-- last as its history.
CREATE UNLOGGED TABLE bench.sample_of (
    kind text, n int, before flamegraph[], after flamegraph[], every flamegraph[], history flamegraph[], current flamegraph
);
INSERT INTO bench.sample_of
SELECT kind, n, array_agg(fg ORDER BY run) FILTER (WHERE run % 2 = 1), array_agg(fg ORDER BY run) FILTER (WHERE run % 2 = 0),
    array_agg(fg ORDER BY run % 2 = 0, run), array_agg(fg ORDER BY run) FILTER (WHERE run < n), 
    (array_agg(fg) FILTER (WHERE run = n))[1]
FROM bench.run, (SELECT unnest(:'sizes'::int[]) UNION SELECT 11 UNION SELECT :n) AS s (n)
WHERE run <= n AND (kind = 'usual' OR n = :n)
GROUP BY kind, n;

CREATE UNLOGGED TABLE bench.stats_of (level text, before flamestats, after flamestats);
INSERT INTO bench.stats_of
SELECT level, stats(fg, level) FILTER (WHERE run % 2 = 1), stats(fg, level) FILTER (WHERE run % 2 = 0)
FROM bench.run, unnest(ARRAY['stack', 'node']) AS level WHERE kind = 'usual' AND run <= :n GROUP BY level;

-- The matrix as profiles: p columns, p runs of either group; a column is a function, or a stack of the program.
CREATE UNLOGGED TABLE bench.matrix_sample (depth text, p int, before flamegraph[], after flamegraph[]);
CREATE TEMPORARY TABLE column_of AS
SELECT 'frame' AS depth, n, stackpath(ARRAY['function ' || n]) AS stack FROM generate_series(1, :matrix) AS n
UNION ALL SELECT 'program', n, stack FROM bench.matrix_stack;
INSERT INTO bench.matrix_sample
SELECT depth, p, array_agg(fg ORDER BY run) FILTER (WHERE place = 0), array_agg(fg ORDER BY run) FILTER (WHERE place = 1)
FROM (SELECT c.depth, p, run, place, (SELECT flamegraph_agg(u.stack, u.count) FROM unnest(c.stacks, counts[1:p]) AS u (stack, count)) AS fg
      FROM (VALUES ('frame', :matrix), ('frame', :columns), ('program', :columns)) AS v (depth, p),
          LATERAL (SELECT v.depth, array_agg(stack ORDER BY n) AS stacks FROM column_of AS o WHERE o.depth = v.depth AND n <= p) AS c,
          bench.matrix
      WHERE (run - 1) % :matrix < p) AS profile
GROUP BY depth, p;
-- The last column is the first one once more: no inverse, and the factor has to be looked at closely.
INSERT INTO bench.matrix_sample
SELECT 'singular', :matrix, array_agg(fg) FILTER (WHERE place = 0), array_agg(fg) FILTER (WHERE place = 1)
FROM (SELECT place, (SELECT flamegraph_agg(ARRAY['function ' || n], count)
                     FROM unnest(counts[1:cardinality(counts) - 1] || counts[1]) WITH ORDINALITY AS u (count, n)) AS fg
      FROM bench.matrix) AS profile;

VACUUM ANALYZE bench.run, bench.sample_of, bench.stats_of, bench.matrix_sample;
\o
