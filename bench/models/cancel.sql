-- Statements with models that are cancelled. Variables: points.
\set ON_ERROR_STOP on
\o /dev/null
CREATE TEMPORARY TABLE long_statement (name text, query text);
INSERT INTO long_statement VALUES
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
    ('text', 'SELECT length(fit(xs, ys, ''moving_average'', ''{"window_size": 100}'')::text) FROM bench.series WHERE n >= 100000');
\o
\set measure model_cancel
\set size :points
\ir ../measure_cancel.sql
