-- moving_average_agg, regressogram_agg, kernel_regression_agg, parametric_regression_agg: the models of fit() from rows.
\pset null NULL
CREATE FUNCTION pg_temp.numbers(m perfmodel, name text) RETURNS float8[] LANGUAGE sql IMMUTABLE AS $$ SELECT array_agg(v::float8 ORDER BY i) FROM jsonb_array_elements_text(m::jsonb -> name) WITH ORDINALITY u(v, i) $$;

--
-- Rows from arrays, fit() and the aggregates agree exactly: 60 sets of up to 59 points, with nulls and ties, the rows of an aggregate in any order
--
CREATE TEMP TABLE point AS SELECT s AS set, i, CASE WHEN t.random(format('xn %s %s', s, i), 12) > 0 THEN t.random(format('x %s %s', s, i), 40) / 4.0 - s % 3 END AS x, CASE WHEN t.random(format('yn %s %s', s, i), 12) > 0 THEN t.random(format('y %s %s', s, i), 1000) / 7.0 + 1 + i END AS y FROM generate_series(1, 60) s, generate_series(1, s - 1) i;
CREATE TEMP TABLE sample AS SELECT s AS set, coalesce(array_agg(x::float8 ORDER BY i) FILTER (WHERE i IS NOT NULL), '{}') AS xs, coalesce(array_agg(y::float8 ORDER BY i) FILTER (WHERE i IS NOT NULL), '{}') AS ys FROM generate_series(1, 60) s LEFT JOIN point ON set = s GROUP BY s;
CREATE TEMP TABLE request (name text, options jsonb);
INSERT INTO request VALUES ('moving_average', '{}'), ('moving_average', '{"window_size": 4, "min_periods": 2}'), ('moving_average', '{"window_size": 5, "window_type": "parzen", "center": false}'), ('moving_average', '{"method": "smm", "window_size": 3, "min_periods": 1}'), ('moving_average', '{"method": "ema", "span": 3}'),
	('regressogram', '{}'), ('regressogram', '{"buckets": 7, "statistic": "median"}'), ('regressogram', '{"rule": "fd"}'),
	('kernel_regression', '{}'), ('kernel_regression', '{"kernel": "gaussian", "rule": "silverman", "method": "local_linear"}'), ('kernel_regression', '{"kernel": "tricube", "bandwidth": 1.5, "method": "local_polynomial", "degree": 2}'), ('kernel_regression', '{"rule": "cv_ls", "method": "ll"}'), ('kernel_regression', '{"rule": "aic", "candidates": [0.5, 1, 2]}'),
	('parametric_regression', '{}'), ('parametric_regression', '{"models": ["linear", "power"]}');
CREATE TEMP TABLE fitted AS SELECT set, xs, ys, name, options, fit(xs, ys, name, options) AS m,
	CASE name WHEN 'moving_average' THEN (SELECT moving_average_agg(x, y, options ORDER BY md5(i::text)) FROM point WHERE point.set = sample.set) WHEN 'regressogram' THEN (SELECT regressogram_agg(x, y, options ORDER BY md5(i::text)) FROM point WHERE point.set = sample.set)
		WHEN 'kernel_regression' THEN (SELECT kernel_regression_agg(x, y, options ORDER BY md5(i::text)) FROM point WHERE point.set = sample.set) ELSE (SELECT parametric_regression_agg(x, y, options ORDER BY md5(i::text)) FROM point WHERE point.set = sample.set) END AS agg
FROM sample, request;
SELECT name, options, count(*) AS sets, count(m) AS models, count(agg) AS aggregates, count(*) FILTER (WHERE m IS DISTINCT FROM agg) AS wrong FROM fitted GROUP BY name, options ORDER BY name COLLATE "C", options::text COLLATE "C";
SELECT options, count(*) AS models, count(*) FILTER (WHERE pg_temp.numbers(m, 'x') = r.x AND pg_temp.numbers(m, 'y') = r.y AND pg_temp.numbers(m, 'fitted') = r.fitted) AS "as rows", count(*) FILTER (WHERE array_position(r.fitted, NULL) IS NOT NULL) AS with_null
FROM fitted, LATERAL (SELECT array_agg(x ORDER BY o) AS x, array_agg(y ORDER BY o) AS y, array_agg(fitted ORDER BY o) AS fitted FROM moving_average(xs, ys, (options ->> 'window_size')::int, coalesce(options ->> 'method', 'sma'), options - 'window_size' - 'method') WITH ORDINALITY r(x, y, fitted, o)) r WHERE name = 'moving_average' AND m IS NOT NULL GROUP BY options ORDER BY options::text COLLATE "C";
SELECT options, count(*) AS models, count(*) FILTER (WHERE (pg_temp.numbers(m, 'edges'))[1:cardinality(r.x_from)] = r.x_from AND (pg_temp.numbers(m, 'edges'))[2:] = r.x_to AND pg_temp.numbers(m, 'points') = r.points AND pg_temp.numbers(m, 'values') = r.fitted) AS "as rows"
FROM fitted, LATERAL (SELECT array_agg(x_from ORDER BY bucket) AS x_from, array_agg(x_to ORDER BY bucket) AS x_to, array_agg(points::float8 ORDER BY bucket) AS points, array_agg(fitted ORDER BY bucket) AS fitted FROM regressogram(xs, ys, (options ->> 'buckets')::int, options ->> 'rule', options ->> 'statistic')) r WHERE name = 'regressogram' AND m IS NOT NULL GROUP BY options ORDER BY options::text COLLATE "C";
SELECT options, count(*) AS models, count(*) FILTER (WHERE pg_temp.numbers(m, 'x') = r.x AND pg_temp.numbers(m, 'y') = r.y AND pg_temp.numbers(m, 'fitted') = r.fitted) AS "as rows"
FROM fitted, LATERAL (SELECT array_agg(x ORDER BY o) AS x, array_agg(y ORDER BY o) AS y, array_agg(fitted ORDER BY o) AS fitted FROM kernel_regression(xs, ys, options ->> 'kernel', (options ->> 'bandwidth')::float8, options ->> 'rule', options ->> 'method', (options ->> 'degree')::int, NULL, CASE WHEN options ? 'candidates' THEN ARRAY[0.5, 1, 2] END) WITH ORDINALITY r(x, y, fitted, o)) r WHERE name = 'kernel_regression' AND m IS NOT NULL GROUP BY options ORDER BY options::text COLLATE "C";
SELECT options, count(*) AS models, count(*) FILTER (WHERE m = r.model AND fit(xs, ys, r.kind) = r.model) AS "as rows" FROM fitted, parametric_models(xs, ys, CASE WHEN options ? 'models' THEN ARRAY['linear', 'power'] END) r WHERE name = 'parametric_regression' AND best GROUP BY options ORDER BY options::text COLLATE "C";
-- the form without options is that with none
SELECT count(*) AS sets, count(*) FILTER (WHERE a IS NOT DISTINCT FROM (SELECT m FROM fitted f WHERE f.set = x.set AND name = 'moving_average' AND options = '{}')) AS average, count(*) FILTER (WHERE b IS NOT DISTINCT FROM (SELECT m FROM fitted f WHERE f.set = x.set AND name = 'regressogram' AND options = '{}')) AS buckets, count(*) FILTER (WHERE c IS NOT DISTINCT FROM (SELECT m FROM fitted f WHERE f.set = x.set AND name = 'kernel_regression' AND options = '{}')) AS kernel, count(*) FILTER (WHERE d IS NOT DISTINCT FROM (SELECT m FROM fitted f WHERE f.set = x.set AND name = 'parametric_regression' AND options = '{}')) AS parametric
FROM (SELECT set, moving_average_agg(x, y) AS a, regressogram_agg(x, y) AS b, kernel_regression_agg(x, y) AS c, parametric_regression_agg(x, y) AS d FROM point GROUP BY set) x;

--
-- Nulls, no rows, FILTER, DISTINCT, groups
--
-- rows with a null in either place are left out; none that is left, or no row at all, gives null
SELECT g, moving_average_agg(x, y)::jsonb -> 'x' AS x, regressogram_agg(x, y)::jsonb -> 'n' AS n, kernel_regression_agg(x, y) IS NULL AS kernel, parametric_regression_agg(x, y) IS NULL AS parametric FROM (VALUES (1, 1, NULL), (1, 2, 20), (1, NULL, 3), (1, NULL, NULL), (1, 4, 5), (2, NULL, 1), (2, 1, NULL), (3, 5, 5)) v(g, x, y) GROUP BY g ORDER BY g;
SELECT moving_average_agg(x, y) AS average, regressogram_agg(x, y) AS buckets, kernel_regression_agg(x, y) AS kernel, parametric_regression_agg(x, y) AS parametric, moving_average_agg(x, y, '{}') AS average_2, regressogram_agg(x, y, '{}') AS buckets_2, kernel_regression_agg(x, y, '{}') AS kernel_2, parametric_regression_agg(x, y, '{}') AS parametric_2 FROM point WHERE false;
SELECT kind(parametric_regression_agg(x, y)) AS three, kind(parametric_regression_agg(x, y) FILTER (WHERE x <> 2)) AS two, coefficients(parametric_regression_agg(x, y, '{"models": ["constant"]}')) AS mean, parametric_regression_agg(x, y, '{"models": ["power"]}') AS none FROM (VALUES (1, -1), (2, -3), (3, -5)) v(x, y);
SELECT moving_average_agg(x, y)::jsonb -> 'n' AS all_rows, moving_average_agg(DISTINCT x, y)::jsonb -> 'n' AS distinct_rows, regressogram_agg(DISTINCT x, y, '{"buckets": 2}')::jsonb -> 'points' AS distinct_points, moving_average_agg(x, y) FILTER (WHERE y > 1)::jsonb -> 'y' AS filtered, moving_average_agg(x, y ORDER BY y DESC) = moving_average_agg(x, y) AS any_order, moving_average_agg(x, y) FILTER (WHERE false) AS none FROM (VALUES (1, 1), (1, 1), (1, 2), (3, 3), (3, 3)) v(x, y);
SELECT g, h, coefficients(parametric_regression_agg(x, y, '{"models": ["constant"]}')) AS mean FROM (VALUES (1, 1, 1, 2), (1, 1, 2, 2), (1, 2, 3, 5), (1, 2, 4, 3), (2, 1, 5, 10), (1, 1, 6, 2), (1, 2, 7, 4)) v(g, h, x, y) GROUP BY ROLLUP (g, h) ORDER BY g, h;
-- columns of other types convert
SELECT coefficients(parametric_regression_agg(1::int, 2::numeric)) AS too_few, coefficients(parametric_regression_agg(x::smallint, x::real, '{"models": ["linear"]}')) AS line FROM generate_series(1, 3) x;

--
-- Options
--
-- equal in all rows, in whatever order of keys; null is none; rows without a point count as well
SELECT moving_average_agg(x, x, o) = fit(NULL, ARRAY[1, 2, 3], 'moving_average', '{"window_size": 2, "min_periods": 1}') AS equal FROM (VALUES (1, '{"window_size": 2, "min_periods": 1}'::jsonb), (2, '{"min_periods": 1, "window_size": 2}'), (NULL, '{"min_periods":1,"window_size":2}'), (3, '{"min_periods": 1, "window_size": 2}')) v(x, o);
SELECT moving_average_agg(x, x, o) = fit(NULL, ARRAY[1, 2], 'moving_average') AS none FROM (VALUES (1, '{}'::jsonb), (2, NULL)) v(x, o);
SELECT g, count(*) AS n, regressogram_agg(x, x, jsonb_build_object('buckets', g))::jsonb -> 'points' AS points FROM generate_series(1, 3) g, generate_series(1, 6) x GROUP BY g ORDER BY g;

--
-- Windows: a value for each row, the state goes on
--
CREATE TEMP TABLE line AS SELECT i, (i % 7)::float8 AS x, CASE WHEN i % 5 > 0 THEN t.random('w' || i, 100) END AS y FROM generate_series(1, 30) i;
SELECT count(*) AS rows, count(*) FILTER (WHERE average IS NOT DISTINCT FROM fit(xs, ys, 'moving_average', '{"window_size": 2}')) AS average, count(*) FILTER (WHERE buckets IS NOT DISTINCT FROM fit(xs, ys, 'regressogram')) AS buckets, count(*) FILTER (WHERE kernel IS NOT DISTINCT FROM fit(xs, ys, 'kernel_regression', '{"rule": "silverman"}')) AS kernel, count(*) FILTER (WHERE parametric IS NOT DISTINCT FROM fit(xs, ys, 'parametric_regression')) AS parametric, count(parametric) AS with_model
FROM (SELECT moving_average_agg(x, y, '{"window_size": 2}') OVER w AS average, regressogram_agg(x, y) OVER w AS buckets, kernel_regression_agg(x, y, '{"rule": "silverman"}') OVER w AS kernel, parametric_regression_agg(x, y) OVER w AS parametric, array_agg(x) OVER w AS xs, array_agg(y::float8) OVER w AS ys FROM line WINDOW w AS (ORDER BY i)) s;
SELECT count(*) AS rows, count(*) FILTER (WHERE average IS NOT DISTINCT FROM fit(xs, ys, 'moving_average')) AS average, count(*) FILTER (WHERE buckets IS NOT DISTINCT FROM fit(xs, ys, 'regressogram', '{"buckets": 2}')) AS buckets, count(*) FILTER (WHERE kernel IS NOT DISTINCT FROM fit(xs, ys, 'kernel_regression')) AS kernel, count(*) FILTER (WHERE parametric IS NOT DISTINCT FROM fit(xs, ys, 'parametric_regression')) AS parametric, count(parametric) AS with_model
FROM (SELECT moving_average_agg(x, y) OVER w AS average, regressogram_agg(x, y, '{"buckets": 2}') OVER w AS buckets, kernel_regression_agg(x, y) OVER w AS kernel, parametric_regression_agg(x, y) OVER w AS parametric, array_agg(x) OVER w AS xs, array_agg(y::float8) OVER w AS ys FROM line WINDOW w AS (PARTITION BY i % 2 ORDER BY i ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING)) s;
SELECT i, coefficients(parametric_regression_agg(i, y, '{"models": ["constant"]}') OVER (ORDER BY i)) AS so_far, coefficients(parametric_regression_agg(i, y, '{"models": ["constant"]}') FILTER (WHERE y > 1) OVER (ORDER BY i)) AS filtered FROM (VALUES (1, 1), (2, 3), (3, 5), (4, 7)) v(i, y);

--
-- The state is a model of kind sample; partial ones merge
--
CREATE AGGREGATE pg_temp.sample(float8, float8) (SFUNC = perfmodel_sample_accum, STYPE = perfmodel, COMBINEFUNC = perfmodel_sample_combine);
CREATE AGGREGATE pg_temp.sample(float8, float8, jsonb) (SFUNC = perfmodel_sample_accum, STYPE = perfmodel, COMBINEFUNC = perfmodel_sample_combine);
CREATE AGGREGATE pg_temp.merge(perfmodel) (SFUNC = perfmodel_sample_combine, STYPE = perfmodel);
SELECT pg_temp.sample(x, y) AS plain, pg_temp.sample(x, y, '{"window_size": 2}') AS with_options FROM (VALUES (2, 1), (NULL, 3), (1, 5)) v(x, y);
SELECT t.try($$SELECT pg_temp.sample(1, 2, '1e300')$$, $$SELECT pg_temp.sample(1, 2, '[1]')$$, $$SELECT pg_temp.sample(1, 2, '"a"')$$);
SELECT pg_temp.sample(x, x) FILTER (WHERE x IS NULL) AS empty, pg_temp.sample(x, x) FILTER (WHERE false) AS none FROM (VALUES (1), (NULL)) v(x);
CREATE TEMP TABLE part AS SELECT i % 4 AS part, pg_temp.sample(x, y, '{"window_size": 3}') AS s FROM line WHERE i > 4 GROUP BY 1;
INSERT INTO part VALUES (4, NULL), (5, (SELECT pg_temp.sample(x, y, '{"window_size": 3}') FROM line WHERE i = 5));
SELECT part, s::jsonb -> 'n' AS n, s::jsonb -> 'parameters' AS options, s::text::perfmodel = s AS exact, t.receive('perfmodel', perfmodel_send(s)) = s::text AS exact_binary FROM part WHERE s IS NOT NULL ORDER BY part;
SELECT perfmodel_moving_average(pg_temp.merge(s ORDER BY part)) = perfmodel_moving_average(pg_temp.merge(s ORDER BY part DESC)) AS any_order, perfmodel_moving_average(pg_temp.merge(s)) = (SELECT moving_average_agg(x, y, '{"window_size": 3}') FROM line WHERE i > 4) AS as_one FROM part;
SELECT pg_temp.merge(s) IS NULL AS of_null, perfmodel_regressogram(NULL) AS final FROM part WHERE s IS NULL;
-- a state that came flat, and one that two aggregates read
SELECT kind(perfmodel_kernel_regression(s)) AS kernel, kind(perfmodel_parametric_regression(s)) AS parametric, s FROM (SELECT '{"kind": "sample", "n": 3, "parameters": {}, "x": [3, 1, 2], "y": [1, 1, 4]}'::perfmodel AS s) x;
SELECT moving_average_agg(x, y)::jsonb -> 'fitted' AS average, regressogram_agg(x, y)::jsonb -> 'values' AS buckets, moving_average_agg(x, y) = moving_average_agg(x, y) AS same FROM (VALUES (2, 1), (1, 5)) v(x, y);

--
-- Partial aggregation
--
CREATE TABLE many AS SELECT i, t.random('m' || i, 500) / 8.0 AS x, t.random('n' || i, 1000) / 3.0 AS y FROM generate_series(1, 4000) i;
ALTER TABLE many SET (parallel_workers = 2);
ANALYZE many;
CREATE FUNCTION pg_temp.plan_has(query text, what text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN plan::text LIKE '%"' || what || '"%';
END
$$;
SET max_parallel_workers_per_gather = 0;
SELECT moving_average_agg(x, y, '{"window_size": 5}') AS average, regressogram_agg(x, y) AS buckets, kernel_regression_agg(x, y, '{"rule": "silverman"}') AS kernel, parametric_regression_agg(x, y) AS parametric FROM many \gset serial_
RESET max_parallel_workers_per_gather;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
SELECT pg_temp.plan_has($$SELECT moving_average_agg(x, y, '{"window_size": 5}'), regressogram_agg(x, y), kernel_regression_agg(x, y, '{"rule": "silverman"}'), parametric_regression_agg(x, y) FROM many$$, 'Gather') AS parallel;
SELECT moving_average_agg(x, y, '{"window_size": 5}') = :'serial_average' AS average, regressogram_agg(x, y) = :'serial_buckets' AS buckets, kernel_regression_agg(x, y, '{"rule": "silverman"}') = :'serial_kernel' AS kernel, parametric_regression_agg(x, y) = :'serial_parametric' AS parametric FROM many;
SELECT moving_average_agg(x, y) AS none FROM many WHERE i < 0;
SELECT t.outcome($$SELECT moving_average_agg(x, y, CASE WHEN i < 3900 THEN '{}' ELSE '{"window_size": 3}' END::jsonb) FROM many$$);
RESET ALL;
DROP TABLE many;

--
-- Bad input
--
\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT moving_average_agg(x, x, o) FROM (VALUES (1, '{}'::jsonb), (2, '{"window_size": 1}')) v(x, o)$$,
	$$SELECT regressogram_agg(x, x, o) FROM (VALUES (1, '{"buckets": 2}'::jsonb), (2, NULL)) v(x, o)$$,
	$$SELECT kernel_regression_agg(x, x, o) FROM (VALUES (1, '{"bandwidth": 2}'::jsonb), (NULL, '{"bandwidth": 3}')) v(x, o)$$,
	$$SELECT parametric_regression_agg(x, x, o) FROM (VALUES (NULL, '{"models": []}'::jsonb), (2, '{"models": ["linear"]}')) v(x, o)$$,
	$$SELECT moving_average_agg(x, x, '{"window": 3}') FROM generate_series(1, 3) x$$,
	$$SELECT moving_average_agg(x, x, '{"window": 3}') FROM (VALUES (NULL::int)) v(x)$$,
	$$SELECT moving_average_agg(x, x, '[]') FROM generate_series(1, 3) x$$,
	$$SELECT moving_average_agg(x, x, '3') FROM generate_series(1, 3) x$$,
	$$SELECT regressogram_agg(x, x, '{"buckets": "3"}') FROM generate_series(1, 3) x$$,
	$$SELECT regressogram_agg(x, x, '{"buckets": 0}') FROM generate_series(1, 3) x$$,
	$$SELECT kernel_regression_agg(x, x, '{"rule": "best"}') FROM generate_series(1, 3) x$$,
	$$SELECT parametric_regression_agg(x, x, '{"method": "interval"}') FROM generate_series(1, 3) x$$,
	$$SELECT moving_average_agg(x, 'NaN') FROM generate_series(1, 3) x$$,
	$$SELECT regressogram_agg('Infinity', x) FROM generate_series(1, 3) x$$,
	$$SELECT kernel_regression_agg(x, '-Infinity') FROM generate_series(1, 3) x$$,
	$$SELECT moving_average_agg(NULL, 'NaN') FROM generate_series(1, 3) x$$,
	$$SELECT moving_average_agg(x) FROM generate_series(1, 3) x$$,
	$$SELECT moving_average_agg(x, x, 3) FROM generate_series(1, 3) x$$,
	$$SELECT moving_average_agg(x, x, 'smm') FROM generate_series(1, 3) x$$);
-- the functions of the aggregates by themselves
SELECT t.try(
	$$SELECT perfmodel_sample_accum(NULL, 1, 2)$$,
	$$SELECT perfmodel_sample_accum(NULL, 1, 2, '{}')$$,
	$$SELECT perfmodel_sample_combine(s, s) FROM part WHERE part = 0$$,
	$$SELECT perfmodel_sample_combine(NULL, NULL)$$,
	$$SELECT perfmodel_moving_average(fit(NULL, '{1,2,3}', 'linear'))$$,
	$$SELECT perfmodel_regressogram(fit(NULL, '{1,2,3}', 'regressogram'))$$,
	$$SELECT perfmodel_kernel_regression(fit(NULL, '{1,2,3}', 'kernel_regression'))$$,
	$$SELECT perfmodel_parametric_regression(fit(NULL, '{1,2,3}', 'moving_average'))$$,
	$$SELECT pg_temp.merge(fit(NULL, '{1,2,3}', 'linear'))$$,
	$$SELECT pg_temp.merge(v.s) FROM part, LATERAL (VALUES (part.s), (fit(NULL, '{1,2,3}', 'linear'))) v(s) WHERE part = 0$$,
	$$SELECT pg_temp.merge(v.s) FROM part, LATERAL (VALUES (part.s), ('{"kind": "sample", "n": 0, "parameters": {}, "x": [], "y": []}')) v(s) WHERE part = 0$$);
