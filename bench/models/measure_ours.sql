-- Our side of the models. Variables: points, search, wide, narrow, runs, slow_runs.
--
-- "aggregate" is over a table of (x, y), executor included; "fit" is fit() of arrays in a table; "rows" is the function
-- that returns rows, in FROM. pg_column_size has to have the whole model, but does not read it.
\set ON_ERROR_STOP on
\o /dev/null
\ir ../settings.sql

-- --- kernel regression ------------------------------------------------------------------------------------------------

SELECT bench.measure(m.measure, 'ours', 10000, 1, :runs, format($$
    SELECT count(*), sum(fitted) FROM bench.series, kernel_regression(xs, ys, %s)
    WHERE n = 10000 AND ordering = 'shuffled'
$$, m.arguments))
FROM (VALUES
    ('model_gaussian_wide', format('''gaussian'', %s', :wide)),
    ('model_gaussian_narrow', format('''gaussian'', %s', :narrow)),
    ('model_epanechnikov_wide', format('''epanechnikov'', %s', :wide)),
    ('model_epanechnikov_narrow', format('''epanechnikov'', %s', :narrow)),
    ('model_search_watson', '''gaussian'', rule => ''cv_ls'''),
    ('model_search_linear', '''gaussian'', rule => ''cv_ls'', method => ''local_linear''')
) AS m (measure, arguments);

SELECT bench.measure('model_search', 'ours', :search, 1, :runs, format($$
    SELECT count(*), sum(fitted) FROM bench.series, kernel_regression(xs, ys, 'gaussian', rule => 'cv_ls')
    WHERE n = %s AND ordering = 'shuffled'
$$, :search));

-- Growth. The window of an Epanechnikov kernel is 2 sqrt(5) h wide, that of a tricube kernel 5.27 h; 1,000 is the range of x.
SELECT bench.measure(m.measure, 'ours', n, 1, CASE WHEN n > 100000 THEN :slow_runs ELSE :runs END, format($$
    SELECT count(*), sum(fitted) FROM bench.series, kernel_regression(xs, ys, %L, %s, method => %L)
    WHERE n = %s AND ordering = 'sorted'
$$, m.kernel, 100 * 1000.0 / n / m.width, m.method, n))
FROM bench.series, (VALUES
    ('grow_epanechnikov', 'epanechnikov', 4.47, 'nadaraya_watson'),
    ('grow_tricube', 'tricube', 5.27, 'nadaraya_watson'),
    ('grow_linear', 'epanechnikov', 4.47, 'local_linear'),
    ('grow_tricube_linear', 'tricube', 5.27, 'local_linear')
) AS m (measure, kernel, width, method)
WHERE ordering = 'sorted' AND n >= 10000
ORDER BY m.measure, n;

SELECT bench.measure(m.measure, 'ours', in_window, 1, :runs, format($$
    SELECT count(*), sum(fitted) FROM bench.series, kernel_regression(xs, ys, %L, %s)
    WHERE n = 30000 AND ordering = 'sorted'
$$, m.kernel, in_window * 1000.0 / 30000 / m.width))
FROM unnest(ARRAY[100, 300, 1000, 3000, 10000]) AS in_window,
    (VALUES ('grow_window', 'epanechnikov', 4.47), ('grow_window_tricube', 'tricube', 5.27)) AS m (measure, kernel, width)
ORDER BY m.measure, in_window;

SELECT bench.measure('grow_search', 'ours', n, 1, CASE WHEN n > 10000 THEN :slow_runs ELSE :runs END, format($$
    SELECT count(*), sum(fitted) FROM bench.series, kernel_regression(xs, ys, 'gaussian', rule => 'cv_ls')
    WHERE n = %s AND ordering = 'sorted'
$$, n))
FROM bench.series WHERE ordering = 'sorted' AND n <= 100000 ORDER BY n;

-- --- all points --------------------------------------------------------------------------------------------------------

CREATE TEMPORARY TABLE model (measure text, kind text, options text, as_rows text);
INSERT INTO model VALUES
    ('model_regressogram', 'regressogram', '{}', 'regressogram(xs, ys)'),
    ('model_sma', 'moving_average', '{"window_size": 100}', 'moving_average(xs, ys, 100)'),
    ('model_smm', 'moving_average', '{"method": "smm", "window_size": 100}', 'moving_average(xs, ys, 100, ''smm'')'),
    ('model_ema', 'moving_average', '{"method": "ema", "span": 50}', 'moving_average(xs, ys, NULL, ''ema'', ''{"span": 50}'')'),
    ('model_formulas', 'parametric_regression', '{}', 'parametric_models(xs, ys)');

-- Without options where there is nothing to say, as one would write it.
SELECT bench.measure(format('%s_aggregate_%s', measure, ordering), 'ours', :points, 1, :runs, format($$
    SELECT pg_column_size(%s_agg(x, y%s)) FROM bench.point_%s
$$, kind, CASE options WHEN '{}' THEN '' ELSE format(', %L', options) END, ordering))
FROM model, unnest(ARRAY['sorted', 'shuffled']) AS ordering;

SELECT bench.measure(format('%s_fit_%s', measure, ordering), 'ours', :points, 1, :runs, format($$
    SELECT pg_column_size(fit(xs, ys, %L, %L)) FROM bench.series WHERE n = %s AND ordering = %L
$$, kind, options, :points, ordering))
FROM model, unnest(ARRAY['sorted', 'shuffled']) AS ordering;

SELECT bench.measure(measure || '_rows_sorted', 'ours', :points, 1, :runs, format($$
    SELECT count(*), sum(%s) FROM bench.series, %s WHERE n = %s AND ordering = 'sorted'
$$, CASE measure WHEN 'model_formulas' THEN 'r_square_y' ELSE 'fitted' END, as_rows, :points))
FROM model;

-- What the executor takes for the same rows without us.
SELECT bench.measure('model_executor', 'sums', :points, 1, :runs, 'SELECT sum(x), sum(y) FROM bench.point_sorted');

-- --- answers, not timed ------------------------------------------------------------------------------------------------

INSERT INTO bench.answer
SELECT m.measure, 'ours', a.answer
FROM (VALUES
    ('model_gaussian_wide', 'gaussian', :wide::float8),
    ('model_gaussian_narrow', 'gaussian', :narrow),
    ('model_epanechnikov_wide', 'epanechnikov', :wide),
    ('model_epanechnikov_narrow', 'epanechnikov', :narrow)
) AS m (measure, kernel, bandwidth), bench.series,
    LATERAL (SELECT sum(x * fitted) AS answer FROM kernel_regression(xs, ys, m.kernel, m.bandwidth)) AS a
WHERE n = 10000 AND ordering = 'shuffled';

INSERT INTO bench.answer
SELECT 'model_search', 'ours', sum((y - fitted) ^ 2)
FROM bench.series, kernel_regression(xs, ys, 'gaussian', rule => 'cv_ls')
WHERE n = :search AND ordering = 'shuffled';

SELECT format($$
    INSERT INTO bench.answer
    SELECT %L, 'ours', %s FROM bench.series, %s WHERE n = %s AND ordering = 'sorted'
$$, measure, CASE measure WHEN 'model_regressogram' THEN 'sum((x_from + x_to) * fitted)'
        WHEN 'model_formulas' THEN 'sum(r_square + r_square_y)' ELSE 'sum(x * fitted)' END, as_rows, :points)
FROM model \gexec

-- The aggregate has made the same model; of rows in any order.
SELECT format($$
    INSERT INTO bench.answer
    SELECT %L, %L, sum(p.x * p.y)
    FROM (SELECT %s_agg(x, y, %L) AS m FROM bench.point_%s) AS a, points(a.m) AS p
$$, measure, 'ours_' || ordering, kind, options, ordering)
FROM model, unnest(ARRAY['sorted', 'shuffled']) AS ordering WHERE measure <> 'model_formulas' \gexec

\o
