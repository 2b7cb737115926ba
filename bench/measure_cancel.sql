-- How long a cancelled statement of the models goes on: each is ended by a timeout, at several moments. The statements
-- fail, so errors stop nothing here. Variables: points.
\set ON_ERROR_STOP off
\o /dev/null
\ir settings.sql

CREATE UNLOGGED TABLE bench.cancelled (name text, timeout int, started timestamptz, waited float8);

SELECT statement
FROM (VALUES
    ('search', 'SELECT count(*) FROM bench.series, kernel_regression(xs, ys, ''gaussian'', rule => ''cv_ls'') WHERE n = 100000'),
    ('search, aic', 'SELECT count(*) FROM bench.series, kernel_regression(xs, ys, ''gaussian'', rule => ''aic'', method => ''local_linear'') WHERE n = 100000'),
    ('kernel', 'SELECT count(*) FROM bench.series, kernel_regression(xs, ys, ''epanechnikov'', 100) WHERE n = 100000'),
    ('polynomial', 'SELECT count(*) FROM bench.series, kernel_regression(xs, ys, ''gaussian'', 100, method => ''local_polynomial'') WHERE n = 10000'),
    ('regressogram', 'SELECT pg_column_size(regressogram_agg(x, y)) FROM bench.point_shuffled'),
    ('medians of buckets', 'SELECT pg_column_size(fit(xs, ys, ''regressogram'', ''{"statistic": "median"}'')) FROM bench.series WHERE n >= 100000'),
    ('sma', 'SELECT pg_column_size(moving_average_agg(x, y)) FROM bench.point_shuffled'),
    ('smm', 'SELECT pg_column_size(moving_average_agg(x, y, ''{"method": "smm", "window_size": 10001}'')) FROM bench.point_shuffled'),
    ('formulas', 'SELECT count(*) FROM bench.series, parametric_models(xs, ys, method => ''bisection'') WHERE n >= 100000'),
    ('rows', 'SELECT count(*) FROM bench.series, moving_average(xs, ys, 100) WHERE n >= 100000'),
    ('text', 'SELECT length(fit(xs, ys, ''moving_average'', ''{"window_size": 100}'')::text) FROM bench.series WHERE n >= 100000')
) AS q (name, query),
    unnest(ARRAY[5, 20, 50, 100, 150, 200, 300, 500]) AS timeout, generate_series(1, 3) AS turn,
    LATERAL unnest(ARRAY[
        format('INSERT INTO bench.cancelled VALUES (%L, %s, clock_timestamp())', name, timeout),
        format('SET statement_timeout = %s', timeout),
        query,
        'SET statement_timeout = 0',
        'UPDATE bench.cancelled SET waited = extract(epoch FROM clock_timestamp() - started) - timeout / 1e3 WHERE waited IS NULL'
    ]) WITH ORDINALITY AS s (statement, place)
ORDER BY turn, name, timeout, place \gexec

-- A statement that is wrong ends at once, and one that is always done in time has shown nothing.
\set ON_ERROR_STOP on
DO $$
DECLARE
    early text;
BEGIN
    SELECT string_agg(name, ', ') INTO early FROM (SELECT name FROM bench.cancelled GROUP BY name HAVING max(waited) < 0) AS s;
    IF early IS NOT NULL THEN
        RAISE 'never cancelled: %', early;
    END IF;
END
$$;

-- The longest of all; what other work on the machine made a statement wait is in it.
INSERT INTO bench.sample (measure, side, size, work, seconds)
SELECT 'model_cancel', 'ours', :points, 1, greatest(max(waited), 0) FROM bench.cancelled;
\o
