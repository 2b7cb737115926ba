-- Points for models, as rows and as arrays. bench.point_shuffled has been loaded. Variables: sizes, as an array.
\set ON_ERROR_STOP on
\o /dev/null
\ir ../settings.sql

CREATE UNLOGGED TABLE bench.point_sorted AS SELECT x, y FROM bench.point_shuffled ORDER BY x, y;

CREATE UNLOGGED TABLE bench.series (n int, ordering text, xs float8[], ys float8[]);
INSERT INTO bench.series
SELECT count(*), 'shuffled', array_agg(x), array_agg(y) FROM bench.point_shuffled;
-- The first of the points in no order are a sample of all.
INSERT INTO bench.series
SELECT wanted, 'shuffled', xs[1:wanted], ys[1:wanted] FROM bench.series, unnest(:'sizes'::int[]) AS wanted WHERE wanted < n;
INSERT INTO bench.series
SELECT s.n, 'sorted', p.xs, p.ys
FROM bench.series AS s,
    LATERAL (SELECT array_agg(x ORDER BY x, y) AS xs, array_agg(y ORDER BY x, y) AS ys FROM unnest(s.xs, s.ys) AS u (x, y)) AS p;

VACUUM ANALYZE bench.point_shuffled, bench.point_sorted, bench.series;
\o
