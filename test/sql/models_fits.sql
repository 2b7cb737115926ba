-- Fitting models, as rows and as a value; and what a model tells about itself.
-- Where a value is not exact it is rounded: no last digit is shown.
\pset null NULL
CREATE FUNCTION pg_temp.r(x float8) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$ SELECT trim_scale(round(x::numeric, 9)) $$;
CREATE FUNCTION pg_temp.r(x float8[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT string_agg(coalesce(pg_temp.r(v)::text, 'NULL'), ' ' ORDER BY i) FROM unnest(x) WITH ORDINALITY u(v, i) $$;
CREATE FUNCTION pg_temp.param(m perfmodel, name text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT m::jsonb -> 'parameters' ->> name $$;

--
-- With defaults only
--
SELECT * FROM moving_average(NULL, ARRAY[3, 1, 2]);
SELECT bucket, pg_temp.r(x_from) AS x_from, pg_temp.r(x_to) AS x_to, points, fitted FROM regressogram(NULL, ARRAY[3, 1, 2]);
-- scott: A = min(sd 1, IQR 1 / 1.349), h = 1.059 A 3^(-1/5) = 0.630172953; weights at distance 1: 1 - 1 / (5 h^2) = 0.4963713, at 2: none
SELECT x, y, pg_temp.r(fitted) AS fitted FROM kernel_regression(NULL, ARRAY[3, 1, 2]);
SELECT kind, pg_temp.r(coefficients) AS coefficients, pg_temp.r(r_square) AS r_square, pg_temp.r(r_square_y) AS r_square_y, n_used, x_start, x_end, best, kind(model) = kind AND coefficients(model) = coefficients AND r_square(model) = r_square AND x_start(model) = x_start AND x_end(model) = x_end AS same FROM parametric_models(NULL, ARRAY[3, 1, 2]);
SELECT name, kind(m), pg_temp.r(r_square(m)) AS r_square, x_start(m), x_end(m), coefficients(m) IS NULL AS no_coefficients, (m::jsonb -> 'parameters') - 'bandwidth'::text AS parameters
FROM unnest(ARRAY['moving_average', 'regressogram', 'kernel_regression', 'parametric_regression', 'constant', 'logarithmic', 'linear', 'quadratic', 'power', 'exponential']) name, fit(NULL, ARRAY[3, 1, 2], name) m;
SELECT kind(moving_average_agg(x, y)), kind(regressogram_agg(x, y)), kind(kernel_regression_agg(x, y)), kind(parametric_regression_agg(x, y)) FROM unnest(ARRAY[1, 2, 3], ARRAY[3, 1, 2]) u(x, y);

--
-- Moving averages
--
CREATE FUNCTION pg_temp.average(window_size int, method text, options jsonb, ys float8[] DEFAULT '{1,2,6,4,5}') RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(coalesce(pg_temp.r(fitted)::text, 'NULL'), ' ' ORDER BY x) FROM moving_average(NULL, ys, window_size, method, options)
$$;
-- of 1 2 6 4 5; a window of 3 is i-1 .. i+1, of 4 i-2 .. i+1, of 2 i-1 .. i, without center i-2 .. i
SELECT pg_temp.average(1, 'sma', '{}') AS one, pg_temp.average(3, 'sma', '{}') AS three, pg_temp.average(4, 'sma', '{}') AS four, pg_temp.average(2, 'sma', '{}') AS two, pg_temp.average(3, 'sma', '{"center": false}') AS not_centred, pg_temp.average(5, 'sma', '{}') AS five, pg_temp.average(6, 'sma', '{}') AS six;
SELECT pg_temp.average(3, 'sma', '{"min_periods": 1}') AS three, pg_temp.average(4, 'sma', '{"min_periods": 1}') AS four, pg_temp.average(3, 'sma', '{"center": false, "min_periods": 2}') AS not_centred, pg_temp.average(2147483647, 'sma', '{"min_periods": 5}') AS widest;
SELECT pg_temp.average(3, 'smm', '{}') AS median, pg_temp.average(4, 'smm', '{}') AS of_four, pg_temp.average(3, 'smm', '{"min_periods": 1, "center": false}') AS not_centred;
-- triang of 3: 1/2 1 1/2; a cut window keeps its part; bartlett of 3: 0 1 0, of 2: 0 0
SELECT pg_temp.average(3, 'sma', '{"window_type": "triang"}') AS triang, pg_temp.average(3, 'sma', '{"window_type": "triang", "min_periods": 2}') AS cut, pg_temp.average(3, 'sma', '{"window_type": "bartlett"}') AS bartlett, pg_temp.average(2, 'sma', '{"window_type": "bartlett", "min_periods": 1}') AS none, pg_temp.average(3, 'sma', '{"window_type": "boxcar"}') = pg_temp.average(3, 'sma', '{}') AS boxcar,
	pg_temp.average(3, 'sma', '{"window_type": "kaiser", "beta": 0}') = pg_temp.average(3, 'sma', '{}') AS kaiser_0, pg_temp.average(3, 'sma', '{"window_type": "kaiser", "beta": 14}') = pg_temp.average(3, 'sma', '{"window_type": "kaiser"}') AS kaiser_14;
-- alpha 1/2; adjusted: 1, (2 + 1/2) / (3/2), (6 + 2/2 + 1/4) / (7/4), (4 + 6/2 + 2/4 + 1/8) / (15/8), (5 + 4/2 + 6/4 + 2/8 + 1/16) / (31/16)
SELECT pg_temp.average(NULL, 'ema', '{"alpha": 0.5}') AS adjusted, pg_temp.average(NULL, 'ema', '{"alpha": 0.5, "adjust": false}') AS not_adjusted, pg_temp.average(NULL, 'ema', '{"alpha": 1}') AS last, pg_temp.average(NULL, 'ema', '{"alpha": 0.5, "min_periods": 3}') AS from_third;
SELECT pg_temp.average(NULL, 'ema', '{"com": 1}') = a AS com, pg_temp.average(NULL, 'ema', '{"span": 3}') = a AS span, pg_temp.average(NULL, 'ema', '{"halflife": 1}') = a AS halflife, pg_temp.average(NULL, 'ema', '{"com": 0}') AS com_0 FROM pg_temp.average(NULL, 'ema', '{"alpha": 0.5}') a;
-- points are sorted by x, those of equal x by y; a pair with a null is left out; an option that is null is not there
SELECT * FROM moving_average(ARRAY[3, 1, 2, 1, NULL, 4], ARRAY[30, 12, 20, 11, 50, NULL], 2, 'sma', '{"center": null, "min_periods": 1}');
SELECT * FROM moving_average(NULL, ARRAY[5, NULL, 7]);
SELECT * FROM moving_average(xs => ARRAY[2, 1], ys => ARRAY[4, 2], window_size => NULL, method => NULL, options => NULL);
-- the automatic window starts with n / 20 and shrinks while R^2 is below 0.88: a line keeps 5 of 100; y that jumps 0 1 0 1 ends with 1
SELECT what, pg_temp.param(m, 'window_size') AS window_size, pg_temp.r(r_square(m)) AS r_square, (SELECT count(*) FROM moving_average(NULL, ys) WHERE fitted IS NULL) AS without_value
FROM (VALUES ('line', ARRAY(SELECT i FROM generate_series(1, 100) i)), ('jumps', ARRAY(SELECT i % 2 FROM generate_series(1, 100) i)), ('line that jumps', ARRAY(SELECT i + 40 * (i % 2) FROM generate_series(1, 200) i)), ('19 points', ARRAY(SELECT i FROM generate_series(1, 19) i)), ('equal', array_fill(5, ARRAY[60]))) v(what, ys), fit(NULL, ys, 'moving_average') m;
SELECT m::jsonb - 'r_square'::text AS m, pg_temp.r(r_square(m)) AS r_square FROM fit(ARRAY[3, 1, 2], ARRAY[5, 1, 6], 'moving_average', '{"window_size": 2, "min_periods": 1, "window_type": "triang"}') m;
SELECT m FROM fit(NULL, ARRAY[4, 4, 4], 'moving_average', '{"method": "ema", "alpha": 0.25, "adjust": false}') m;
-- an average of 1 does not drift away after a large value
SELECT array_agg(DISTINCT fitted) FILTER (WHERE x BETWEEN 4 AND 51) AS later FROM moving_average(NULL, ARRAY[1e17, 1] || array_fill(1::float8, ARRAY[50]), 3);

--
-- Regressograms
--
-- edges 0 2 4 6 8 10: means 2, 6, 9, none, 11
SELECT * FROM regressogram(ARRAY[10, 0, 1, 2, 3, 4], ARRAY[11, 1, 3, 5, 7, 9], 5);
SELECT * FROM regressogram(ARRAY[0, 0, 0, 1, 3, 4], ARRAY[1, 3, 8, 5, 7, 10], 2, statistic => 'median');
SELECT m::jsonb - 'r_square'::text AS m, pg_temp.r(r_square(m)) AS r_square FROM fit(ARRAY[10, 0, 1, 2, 3, 4], ARRAY[11, 1, 3, 5, 7, 9], 'regressogram', '{"buckets": 5}') m;
-- all x equal; one point; a null in either place
SELECT * FROM regressogram(ARRAY[7, 7, 7], ARRAY[1, 2, 6], 2);
SELECT * FROM regressogram(ARRAY[7, NULL, 8], ARRAY[1, 2, NULL]);
SELECT * FROM regressogram(ARRAY[1, 2], ARRAY[1, 3], NULL, NULL, NULL);
-- buckets for 1 .. 20 (range 19, sd 5.766281297, IQR 9.5) by rule: 19 / width, rounded up. sqrt 4.47, sturges and doane (no skew) 5.32, rice 5.43,
-- scott 19 / 7.416 = 2.56, fd 19 / 7 = 2.71, auto the narrower of fd and sturges; 100 1's before them: no width by IQR, so auto takes sturges
SELECT string_agg(rule || ' ' || (SELECT count(*) FROM regressogram(NULL, ARRAY(SELECT i FROM generate_series(1, 20) i), rule => rule)), ', ' ORDER BY o) AS buckets,
	string_agg(rule || ' ' || (SELECT count(*) FROM regressogram(array_fill(1::float8, ARRAY[100]) || ARRAY(SELECT i::float8 FROM generate_series(1, 20) i), array_fill(1::float8, ARRAY[120]), NULL, rule)), ', ' ORDER BY o) FILTER (WHERE rule IN ('fd', 'auto', 'sturges')) AS many_equal
FROM unnest(ARRAY['auto', 'doane', 'fd', 'rice', 'scott', 'sqrt', 'sturges']) WITH ORDINALITY u(rule, o);
SELECT rule, pg_temp.param(m, 'rule') AS rule_of_model, jsonb_array_length(m::jsonb -> 'values') AS buckets FROM (VALUES ('{}'::jsonb), ('{"rule": "sqrt"}'), ('{"rule": "sqrt", "buckets": 3}')) v(rule), fit(NULL, ARRAY(SELECT i FROM generate_series(1, 20) i), 'regressogram', rule) m;
SELECT count(*) AS most, sum(points) AS points, count(fitted) AS with_value FROM regressogram(NULL, ARRAY[1, 2, 3], 1000000);

--
-- Kernel regression
--
-- epanechnikov of width 1: weights 1, 4/5, 1/5 at distances 0, 1, 2; at 1.5: 0.95, 0.95, 0.55; none from sqrt 5 on
SELECT x, y, pg_temp.r(fitted) AS fitted FROM kernel_regression(NULL, ARRAY[1, 2, 4], bandwidth => 1);
SELECT x, y, pg_temp.r(fitted) AS fitted FROM kernel_regression(NULL, ARRAY[1, 2, 4], bandwidth => 1, at_x => ARRAY[9, 1.5, 1.5, -1.2, -1.3]);
SELECT m FROM fit(NULL, ARRAY[1, 1, 1], 'kernel_regression', '{"bandwidth": 1, "at_x": [9, 2, 1.5]}') m;
-- a line by local lines, a parabola by local parabolas, whatever the kernel; degree 0 is nadaraya_watson; so is a degree for which there are too few points
SELECT method, kernel, max(abs(l.fitted - l.y)) < 1e-9 AS line, max(abs(p.fitted - p.y)) < 1e-9 AS parabola
FROM unnest(ARRAY['local_linear', 'local_polynomial']) method, unnest(ARRAY['gaussian', 'epanechnikov', 'tricube', 'gaussian4']) kernel, LATERAL kernel_regression(NULL, ARRAY(SELECT 3 + 2 * i FROM generate_series(1, 20) i), kernel, 2.5, method => method, degree => 2) l JOIN LATERAL kernel_regression(NULL, ARRAY(SELECT 3 + 2 * i + i * i FROM generate_series(1, 20) i), kernel, 2.5, method => method, degree => 2) p USING (x) GROUP BY method, kernel ORDER BY method COLLATE "C", kernel COLLATE "C";
SELECT bool_and(a.fitted = b.fitted) AS degree_0, bool_and(a.fitted = c.fitted) AS one_point_each FROM kernel_regression(NULL, ARRAY[1, 2, 4], bandwidth => 0.1) a JOIN kernel_regression(NULL, ARRAY[1, 2, 4], bandwidth => 0.1, method => 'local_polynomial', degree => 0) b USING (x) JOIN kernel_regression(NULL, ARRAY[1, 2, 4], bandwidth => 0.1, method => 'local_polynomial') c USING (x);
SELECT bool_and(a = b) AS aliases FROM (SELECT array_agg(fitted) AS a FROM kernel_regression(NULL, ARRAY[1, 2, 4], 'gaussian', method => 'local_linear')) x, (SELECT array_agg(fitted) AS b FROM kernel_regression(NULL, ARRAY[1, 2, 4], 'normal', method => 'll')) y;
SELECT (SELECT array_agg(fitted) FROM kernel_regression(NULL, ARRAY[1, 2, 4], 'normal4', 3, method => 'lc')) = (SELECT array_agg(fitted) FROM kernel_regression(NULL, ARRAY[1, 2, 4], 'gaussian4', 3, method => 'spatial-average')) AS aliases;
-- a kernel of fourth order can have a sum of weights that is not positive: 9/8 - 6/8 - 6/8 in the middle of 1, 2, 3 with width 1
SELECT x, pg_temp.r(fitted) AS fitted FROM kernel_regression(NULL, ARRAY[1, 2, 4], 'epanechnikov4', 1);
-- rules for 1 .. 5: A = min(sd 1.581, IQR 2 / 1.349), times 1.059 or 0.9 and 5^(-1/5); no spread or one point: 1; a number wins over a rule
SELECT what, pg_temp.param(m, 'rule') AS rule, pg_temp.r(pg_temp.param(m, 'bandwidth')::float8) AS bandwidth, pg_temp.param(m, 'score') AS score, pg_temp.r(r_square(m)) AS r_square
FROM (VALUES ('scott', ARRAY[1, 2, 3, 4, 5], '{}'::jsonb), ('silverman', ARRAY[1, 2, 3, 4, 5], '{"rule": "silverman"}'), ('equal x', ARRAY[2, 2, 2, 2, 2], '{}'), ('one point', ARRAY[1, NULL, NULL, NULL, NULL], '{"rule": "aic"}'), ('a number', ARRAY[1, 2, 3, 4, 5], '{"rule": "cv_ls", "bandwidth": 2.5}'), ('cv_ls, equal x', ARRAY[2, 2, 2, 2, 2], '{"rule": "cv_ls"}')) v(what, xs, options), fit(xs, ARRAY[1, 2, 4, 8, 9], 'kernel_regression', options) m;
-- searches: the score is the objective at the bandwidth that was found, and no power of the root of 2 in the range is better
CREATE TEMP TABLE noisy AS SELECT array_agg(i ORDER BY i) AS xs, array_agg(10 * sin(i / 5.0) + t.random('noise' || i, 100) / 25.0 ORDER BY i) AS ys FROM generate_series(1, 60) i;
SELECT rule, method, kernel, abs(pg_temp.param(m, 'score')::float8 - CASE rule WHEN 'cv_ls' THEN o.cv_ls ELSE o.aicc END) < 1e-9 AS score, (SELECT bool_and(pg_temp.param(m, 'score')::float8 <= CASE rule WHEN 'cv_ls' THEN g.cv_ls ELSE g.aicc END + 1e-9) FROM generate_series(-14, 10) k, bandwidth_objective(xs, ys, 1.06 * sqrt(3599 / 12.0) * 60 ^ -0.2 * 2 ^ (k / 2.0), kernel, method, 1) g) AS least, r_square(m) > 0.9 AS fits
FROM noisy, unnest(ARRAY['cv_ls', 'aic']) rule, (VALUES ('nadaraya_watson', 'gaussian'), ('nadaraya_watson', 'epanechnikov'), ('local_linear', 'gaussian'), ('local_linear', 'tricube')) v(method, kernel), fit(xs, ys, 'kernel_regression', jsonb_build_object('rule', rule, 'method', method, 'kernel', kernel)) m, bandwidth_objective(xs, ys, pg_temp.param(m, 'bandwidth')::float8, kernel, method, 1) o ORDER BY rule COLLATE "C", method COLLATE "C", kernel COLLATE "C";
-- candidates: the first of the best ones
SELECT rule, pg_temp.param(m, 'bandwidth') AS chosen, (SELECT c FROM unnest(ARRAY[0.5, 4, 1.5, 1.5, 30]) c, bandwidth_objective(xs, ys, c, 'gaussian', 'local_linear', 1) o ORDER BY CASE rule WHEN 'cv_ls' THEN o.cv_ls ELSE o.aicc END LIMIT 1) AS least, (SELECT array_agg(fitted ORDER BY x) FROM kernel_regression(xs, ys, 'gaussian', rule => rule, method => 'local_linear', candidates => ARRAY[0.5, 4, 1.5, 1.5, 30])) = (SELECT array_agg(y ORDER BY x) FROM points(m)) AS rows
FROM noisy, unnest(ARRAY['cv_ls', 'aic']) rule, fit(xs, ys, 'kernel_regression', jsonb_build_object('rule', rule, 'method', 'local_linear', 'kernel', 'gaussian', 'candidates', ARRAY[0.5, 4, 1.5, 1.5, 30])) m ORDER BY rule COLLATE "C";
-- leaving one of 1 2 4 out, epanechnikov of width 1: (4/5 * 2 + 1/5 * 4) / 1 = 2.4, (4/5 * 1 + 4/5 * 4) / (8/5) = 2.5, (1/5 * 1 + 4/5 * 2) / 1 = 1.8, so (1.4^2 + 0.5^2 + 2.2^2) / 3;
-- three points are too few for aic, and points that stand alone have no estimate from the others
SELECT pg_temp.r(cv_ls) AS cv_ls, aicc FROM bandwidth_objective(NULL, ARRAY[1, 2, 4], 1, 'epanechnikov', 'nadaraya_watson', 0);
SELECT cv_ls, aicc FROM bandwidth_objective(NULL, ARRAY[1, 2, 4, 3, 5, 6], 0.1, 'epanechnikov', 'local_linear', 1);
SELECT b.cv_ls IS NULL AS cv_ls, b.aicc IS NULL AS aicc FROM bandwidth_objective(NULL, '{}', 1, 'gaussian', 'local_linear', 1) b;
SELECT bandwidth_objective(NULL, NULL, 1, 'gaussian', 'local_linear', 1) AS no_points, bandwidth_objective(NULL, '{1}', NULL, 'gaussian', 'local_linear', 1) AS no_bandwidth;
SELECT * FROM kernel_regression(NULL, ARRAY[1, 2], NULL, NULL, NULL, NULL, NULL, NULL, NULL) WHERE fitted IS NULL;

--
-- Parametric models
--
-- data that follow one formula
SELECT name, best.kind, pg_temp.r(best.coefficients) AS coefficients, pg_temp.r(best.r_square) AS r_square, pg_temp.r(best.r_square_y) AS r_square_y, (SELECT count(*) FROM parametric_models(xs, ys)) AS models, parametric.m = best.model AND fit(xs, ys, best.kind) = best.model AS fit
FROM (VALUES (1, 'constant', ARRAY(SELECT 7 FROM generate_series(1, 10) x)), (2, 'logarithmic', ARRAY(SELECT 2 + 3 * ln(x) FROM generate_series(1, 10) x)), (3, 'linear', ARRAY(SELECT 2 + 3 * x FROM generate_series(1, 10) x)), (4, 'quadratic', ARRAY(SELECT 2 + 3 * x - x * x FROM generate_series(1, 10) x)), (5, 'power', ARRAY(SELECT 2 * x ^ 1.5 FROM generate_series(1, 10) x)), (6, 'exponential', ARRAY(SELECT 2 * 1.5 ^ x FROM generate_series(1, 10) x)), (7, 'too few', ARRAY[1, 2]), (8, 'none', '{}')) v(o, name, ys)
CROSS JOIN LATERAL (SELECT ARRAY(SELECT x FROM generate_series(1, cardinality(ys)) x) AS xs) x LEFT JOIN LATERAL (SELECT * FROM parametric_models(xs, ys) WHERE best) best ON true CROSS JOIN LATERAL (SELECT fit(xs, ys, 'parametric_regression') AS m) parametric ORDER BY o;
-- 1 2 4 at 1 2 3, by hand: the line -2/3 + 3/2 x, Suv^2 / (Suu Svv) = 9 / (2 * 14/3); the parabola 1 - x/2 + x^2/2; 2^x / 2
SELECT kind, pg_temp.r(coefficients) AS coefficients, pg_temp.r(r_square) AS r_square, best FROM parametric_models(NULL, ARRAY[1, 2, 4], ARRAY['exponential', 'linear', 'quadratic', 'linear']);
-- only x > 0 for logarithms, only y > 0 for power and exponential; what is best among three
SELECT kind, n_used, x_start, x_end, best FROM parametric_models(ARRAY[-1, 0, 1, 2, 3, 4, 5], ARRAY[1, 1, 2, -3, 4, 4, 7]);
SELECT kind, n_used FROM parametric_models(ARRAY[1, 1, 2, 2], ARRAY[1, 2, 3, 4]);
SELECT kind, n_used FROM parametric_models(ARRAY[1, 1, 1], ARRAY[1, 2, 3]);
SELECT kind, best FROM parametric_models(NULL, ARRAY[1, 2, 4], '{}');
SELECT kind(fit(NULL, ARRAY[1, 2, 4], 'parametric_regression', '{"models": ["linear", "constant"], "method": "full"}')) AS restricted, fit(NULL, ARRAY[-1, -2, -4], 'power') AS no_power, fit(NULL, ARRAY[1, 2], 'linear') AS two_points, fit(ARRAY[1, 1, 1], ARRAY[1, 2, 3], 'linear') AS one_x, fit(NULL, ARRAY[1, 2, 4], 'parametric_regression', '{"models": []}') AS no_models;
-- interval: parts of 4, 3 and 3 points; bisection: a line that goes over into a parabola is cut in two, a line alone is not
SELECT kind, n_used, x_start, x_end, best FROM parametric_models(NULL, ARRAY[1, 2, 3, 10, 8, 6, 7, 7, 7, 7], ARRAY['constant', 'linear'], 'interval');
SELECT kind, n_used, x_start, x_end FROM parametric_models(NULL, ARRAY[1, 2, 3, 10, 8, 6, 7, 7, 7, 7], ARRAY['constant', 'linear'], 'interval', 1);
SELECT kind, n_used, x_start, x_end, best FROM parametric_models(NULL, ARRAY(SELECT CASE WHEN i <= 10 THEN i ELSE 10 + (i - 10) * (i - 10) END FROM generate_series(1, 20) i), ARRAY['linear', 'quadratic'], 'bisection');
SELECT kind, n_used FROM parametric_models(NULL, ARRAY(SELECT 5 + i FROM generate_series(1, 20) i), method => 'bisection');
SELECT kind FROM parametric_models(NULL, ARRAY[1, 2], NULL, 'bisection') UNION ALL SELECT kind FROM parametric_models(NULL, NULL, NULL, NULL, NULL);

--
-- What a model tells
--
CREATE TEMP TABLE model (name text, m perfmodel);
INSERT INTO model SELECT kind, format('{"kind": "%s", "n": 9, "x_start": %s, "x_end": %s, "r_square": 0.5, "parameters": {}, "coefficients": %s}', kind, x_start, x_end, coefficients)::perfmodel FROM (VALUES ('constant', -1, 3, '[5]'), ('logarithmic', 1, 2, '[0, 1]'), ('linear', 0, 3, '[1, 2]'), ('quadratic', 0, 3, '[1, 1, 1]'), ('power', 0, 3, '[2, 2]'), ('exponential', 0, 3, '[1, 2]')) v(kind, x_start, x_end, coefficients);
INSERT INTO model VALUES ('reciprocal', '{"kind": "power", "n": 9, "x_start": 1, "x_end": 2, "parameters": {}, "coefficients": [1, -1]}'), ('flat', '{"kind": "exponential", "n": 9, "x_start": 1, "x_end": 2, "parameters": {}, "coefficients": [3, 1]}'),
	('steps', (SELECT fit(ARRAY[10, 0, 1, 2, 3, 4], ARRAY[11, 1, 3, 5, 7, 9], 'regressogram', '{"buckets": 5}'))), ('average', (SELECT fit(NULL, ARRAY[1, 2, 6, 4, 5], 'moving_average', '{"window_size": 3}'))), ('kernel', (SELECT fit(ARRAY[1, 2, 2, 4], ARRAY[1, 2, 4, 9], 'kernel_regression', '{"bandwidth": 0.01}'))),
	('no value', (SELECT fit(NULL, ARRAY[1, 2, 6], 'moving_average', '{"window_size": 4}'))), ('one point', (SELECT fit(NULL, ARRAY[3], 'moving_average'))), ('sample', '{"kind": "sample", "n": 1, "parameters": {}, "x": [1], "y": [2]}');
-- by hand: 5 * 4; 2 log 2 - 1; 3 + 9; 3 + 9/2 + 27/3; 2 * 27/3; 7 / log 2; log 2; 3; 2 * (2 + 6 + 9 + 9 + 11), the empty bucket being the one to its left; 3.5 + 4.5; (1 + 3)/2 + 3 + 9, ties averaged
SELECT name, kind(m), coefficients(m), pg_temp.r(r_square(m)) AS r_square, x_start(m), x_end(m), pg_temp.r(integral(m)) AS integral, pg_temp.r(integral(m, 1, 2)) AS from_1_to_2, pg_temp.r(integral(m, 2, 1)) AS back, integral(m, 2, 2) AS nothing FROM model WHERE name <> 'sample' ORDER BY name COLLATE "C";
SELECT name, string_agg(coalesce(pg_temp.r(predict(m, x))::text, 'NULL'), ' ' ORDER BY x) AS "at -1 0 1 1.5 2 3 7 10 11" FROM model, unnest(ARRAY[-1, 0, 1, 1.5, 2, 3, 7, 10, 11]) x WHERE name <> 'sample' GROUP BY name ORDER BY name COLLATE "C";
SELECT name, count(*) AS points, min(x) AS first, max(x) AS last, string_agg(format('%s %s', pg_temp.r(x), coalesce(pg_temp.r(y)::text, 'NULL')), ', ' ORDER BY n) FILTER (WHERE n <= 11) AS curve FROM model, points(m) WITH ORDINALITY p(x, y, n) WHERE name IN ('linear', 'steps', 'average', 'kernel', 'one point') GROUP BY name ORDER BY name COLLATE "C";
SELECT name, (SELECT count(*) FROM points(m)) AS points, (SELECT count(y) FROM points(m)) AS with_y, (SELECT bool_and(y = predict(m, x)) FROM points(m)) AS as_predicted FROM model WHERE name NOT IN ('sample', 'steps') ORDER BY name COLLATE "C";
-- outside of what a formula is defined on, and of a step function
SELECT integral(m, -1, 2) AS log, predict(m, 0) AS log_0 FROM model WHERE name = 'logarithmic';
SELECT integral(m, 0, 2) AS reciprocal, predict(m, 0) AS reciprocal_0, predict(m, -1) AS reciprocal_minus FROM model WHERE name = 'reciprocal';
SELECT integral(m, -1, 2) AS steps_left, integral(m, 9, 11) AS steps_right, integral(m, 0, 10) = integral(m) AS steps_all, integral(m, 7, 3) AS steps_back FROM model WHERE name = 'steps';
SELECT integral(m, -10, 1) AS constant_before, integral(m, 4, 14) AS constant_behind FROM model WHERE name = 'average';
-- a model and a null
SELECT predict(m, NULL) AS at_null, predict(NULL, 1) AS of_null, integral(m, NULL, 1) AS from_null, kind(NULL), coefficients(NULL), integral(NULL), r_square(NULL), x_start(NULL), x_end(NULL), (SELECT count(*) FROM points(NULL)) AS points FROM model WHERE name = 'linear';
SELECT kind(m), x_start(m), x_end(m), r_square(m), coefficients(m) FROM model WHERE name = 'sample';

--
-- Parts: kernels and windows
--
-- at 0: 1/sqrt(2 pi), 3/(4 sqrt 5), 70/81 sqrt(35/243), 3/2 of the first, 9/8; at 1: e^(-1/2) of it, 4/5 of it, (1 - c^3)^3 of it with c = sqrt(35/243), e^(-1/2) of the first, -6/8
SELECT k AS kernel, pg_temp.r(kernel_value(k, 0)) AS "0", pg_temp.r(kernel_value(k, 1)) AS "1", kernel_value(k, -1) = kernel_value(k, 1) AS even, pg_temp.r(kernel_value(k, 2.2)) AS "2.2", pg_temp.r(kernel_value(k, 2.6)) AS "2.6", kernel_value(k, 100) AS "100" FROM unnest(ARRAY['gaussian', 'epanechnikov', 'tricube', 'gaussian4', 'epanechnikov4']) k;
-- the second order ones have mass 1, variance 1; the fourth order ones mass 1 and second moment 0
SELECT k AS kernel, round(sum(kernel_value(k, (z + 0.5) / 1000))::numeric / 1000, 4) AS mass, round(sum(kernel_value(k, (z + 0.5) / 1000) * ((z + 0.5) / 1000) ^ 2)::numeric / 1000, 4) AS second_moment FROM unnest(ARRAY['gaussian', 'epanechnikov', 'tricube', 'gaussian4', 'epanechnikov4']) WITH ORDINALITY u(k, o), generate_series(-10000, 9999) z GROUP BY k, o ORDER BY o;
SELECT kernel_value('normal', 1) = kernel_value('gaussian', 1) AS normal, kernel_value('normal4', 1) = kernel_value('gaussian4', 1) AS normal4, kernel_value(NULL, 1), kernel_value('gaussian', NULL);
SELECT w AS window, pg_temp.r(window_weights(w, 1)) AS "1", pg_temp.r(window_weights(w, 2)) AS "2", pg_temp.r(window_weights(w, 3)) AS "3", pg_temp.r(window_weights(w, 4)) AS "4", pg_temp.r(window_weights(w, 5)) AS "5" FROM unnest(ARRAY['boxcar', 'triang', 'bartlett', 'blackman', 'hamming', 'blackmanharris', 'nuttall', 'parzen', 'bohman', 'barthann', 'kaiser']) w;
SELECT count(*) AS windows, count(*) FILTER (WHERE EXISTS (SELECT FROM generate_subscripts(v, 1) i WHERE abs(v[i] - v[cardinality(v) + 1 - i]) > 1e-12 OR v[i] > 1 + 1e-12)) AS not_symmetric FROM unnest(ARRAY['boxcar', 'triang', 'bartlett', 'blackman', 'hamming', 'blackmanharris', 'nuttall', 'parzen', 'bohman', 'barthann', 'kaiser']) w, generate_series(1, 40) n, window_weights(w, n) v;
SELECT window_weights(NULL, 3), window_weights('boxcar', NULL), cardinality(window_weights('bohman', 1000000)) AS large;

--
-- Bad input
--
\pset format unaligned
\pset tuples_only on
-- pairs
SELECT t.try(
	$$SELECT * FROM moving_average(ARRAY[1, 2], ARRAY[1, 2, 3])$$,
	$$SELECT * FROM regressogram(ARRAY[1, 2], NULL)$$,
	$$SELECT * FROM kernel_regression('{}', ARRAY[1])$$,
	$$SELECT * FROM parametric_models(ARRAY[1, 2, 3], ARRAY[1, 2])$$,
	$$SELECT fit(ARRAY[1, 2, 3], '{}', 'linear')$$,
	$$SELECT bandwidth_objective(ARRAY[1, 2, 3], ARRAY[1, 2], 1, 'gaussian', 'local_linear', 1)$$,
	$$SELECT * FROM moving_average(NULL, '{1,NaN}')$$,
	$$SELECT * FROM regressogram('{1,Infinity}', ARRAY[1, 2])$$,
	$$SELECT * FROM kernel_regression(NULL, '{1,-Infinity}')$$,
	$$SELECT * FROM parametric_models('{NaN,1,2}', ARRAY[1, 2, 3])$$,
	$$SELECT fit(NULL, '{1,2,NaN}', 'linear')$$,
	$$SELECT fit(ARRAY[1, NULL], ARRAY['NaN'::float8, 2], 'moving_average')$$,
	$$SELECT fit(ARRAY[1, NULL], ARRAY[1, 'NaN'::float8], 'moving_average') IS NULL AS left_out$$,
	$$SELECT bandwidth_objective(NULL, '{1,2,Infinity}', 1, 'gaussian', 'local_linear', 1)$$,
	$$SELECT * FROM regressogram(ARRAY[-1.7e308, 1.7e308], ARRAY[1, 2])$$,
	$$SELECT * FROM moving_average('a', 'b')$$);
-- arguments, also without points
SELECT t.try(
	$$SELECT * FROM moving_average(NULL, '{}', 0)$$,
	$$SELECT * FROM moving_average(NULL, '{1,2,3}', -1)$$,
	$$SELECT * FROM moving_average(NULL, '{}', 3, 'SMA')$$,
	$$SELECT * FROM moving_average(NULL, '{}', 3, 'a word of more than sixty characters, which is not repeated whole')$$,
	$$SELECT * FROM moving_average(NULL, '{}', 3, '')$$,
	$$SELECT * FROM moving_average(NULL, '{}', 3, 'ema', '{"com": 1}')$$,
	$$SELECT * FROM moving_average(NULL, '{}', NULL, 'ema')$$,
	$$SELECT * FROM regressogram(NULL, '{}', 0)$$,
	$$SELECT * FROM regressogram(NULL, '{}', 1000001)$$,
	$$SELECT * FROM regressogram(NULL, '{}', rule => 'stone')$$,
	$$SELECT * FROM regressogram(NULL, '{}', 3, 'stone')$$,
	$$SELECT * FROM regressogram(NULL, '{}', statistic => 'mode')$$,
	$$SELECT * FROM kernel_regression(NULL, '{}', 'uniform')$$,
	$$SELECT * FROM kernel_regression(NULL, '{}', bandwidth => 0)$$,
	$$SELECT * FROM kernel_regression(NULL, '{}', bandwidth => -1)$$,
	$$SELECT * FROM kernel_regression(NULL, '{}', bandwidth => 'NaN')$$,
	$$SELECT * FROM kernel_regression(NULL, '{}', bandwidth => 'Infinity')$$,
	$$SELECT * FROM kernel_regression(NULL, '{}', rule => 'cv')$$,
	$$SELECT * FROM kernel_regression(NULL, '{}', method => 'spline')$$,
	$$SELECT * FROM kernel_regression(NULL, '{}', method => 'local_polynomial', degree => -1)$$,
	$$SELECT * FROM kernel_regression(NULL, '{}', method => 'local_polynomial', degree => 21)$$,
	$$SELECT * FROM kernel_regression(NULL, '{1}', at_x => '{1,NULL}')$$,
	$$SELECT * FROM kernel_regression(NULL, '{}', at_x => '{1,NaN}')$$,
	$$SELECT * FROM kernel_regression(NULL, '{}', candidates => '{1}')$$,
	$$SELECT * FROM kernel_regression(NULL, '{}', rule => 'aic', candidates => '{}')$$,
	$$SELECT * FROM kernel_regression(NULL, '{}', rule => 'aic', candidates => '{1,0}')$$,
	$$SELECT * FROM kernel_regression(NULL, '{}', rule => 'cv_ls', candidates => '{1,NULL}')$$,
	$$SELECT * FROM parametric_models(NULL, '{}', '{linear,cubic}')$$,
	$$SELECT * FROM parametric_models(NULL, '{}', '{linear,NULL}')$$,
	$$SELECT * FROM parametric_models(NULL, '{}', NULL, 'iterative')$$,
	$$SELECT * FROM parametric_models(NULL, '{}', NULL, 'interval', 0)$$,
	$$SELECT * FROM parametric_models(NULL, '{1,2,3,4,5,6,7,8}', NULL, 'interval')$$,
	$$SELECT fit(NULL, '{}', 'kernel')$$,
	$$SELECT fit(NULL, '{}', 'sample')$$,
	$$SELECT fit(NULL, '{1}', NULL) IS NULL AS none$$,
	$$SELECT bandwidth_objective(NULL, '{}', 0, 'gaussian', 'local_linear', 1)$$,
	$$SELECT bandwidth_objective(NULL, '{}', 1, 'g', 'local_linear', 1)$$,
	$$SELECT bandwidth_objective(NULL, '{}', 1, 'gaussian', 'l', 1)$$,
	$$SELECT bandwidth_objective(NULL, '{}', 1, 'gaussian', 'local_polynomial', -1)$$,
	$$SELECT kernel_value('triangular', 0)$$,
	$$SELECT kernel_value('gaussian', 'NaN')$$,
	$$SELECT kernel_value('gaussian', 'Infinity')$$,
	$$SELECT window_weights('gauss', 3)$$,
	$$SELECT window_weights('boxcar', 0)$$,
	$$SELECT window_weights('boxcar', -2147483648)$$,
	$$SELECT window_weights('boxcar', 2147483647)$$);
-- options: unknown ones, those of another method, wrong types, values out of range; also without points
CREATE FUNCTION pg_temp.refused(model text, VARIADIC options text[]) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT o || ': ' || array_to_string(ARRAY(SELECT btrim(l) FROM t.outcome(format('SELECT fit(NULL, ''{}'', %L, %L)', model, o)) l), ' ') FROM unnest(options) WITH ORDINALITY u(o, i) ORDER BY i
$$;
SELECT pg_temp.refused('moving_average', '[]', '3', 'null', '"sma"', '{"window": 3}', '{"": 1}', '{"method": "cma"}', '{"method": 1}', '{"window_size": 0}', '{"window_size": 2.5}', '{"window_size": "3"}', '{"window_size": 1e10}', '{"window_size": [3]}', '{"min_periods": 0}', '{"window_size": 3, "min_periods": 4}', '{"center": 1}', '{"center": "true"}', '{"window_type": "round"}', '{"window_type": 3}', '{"beta": 1}',
	'{"window_type": "boxcar", "beta": 1}', '{"window_type": "kaiser", "beta": "1"}', '{"window_type": "kaiser", "beta": 1e400}', '{"com": 1}', '{"adjust": true}', '{"method": "smm", "window_type": "boxcar"}', '{"method": "smm", "beta": 1}', '{"method": "smm", "alpha": 1}', '{"method": "ema"}', '{"method": "ema", "com": 1, "alpha": 0.5}', '{"method": "ema", "com": -1}', '{"method": "ema", "span": 0.5}', '{"method": "ema", "halflife": 0}', '{"method": "ema", "alpha": 0}', '{"method": "ema", "alpha": 1.5}', '{"method": "ema", "alpha": true}', '{"method": "ema", "alpha": 0.5, "adjust": "no"}', '{"method": "ema", "alpha": 0.5, "center": true}', '{"method": "ema", "alpha": 0.5, "window_type": "boxcar"}', '{"method": "ema", "alpha": 0.5, "window_size": 3}', '{"method": "ema", "alpha": 0.5, "min_periods": 0}');
SELECT pg_temp.refused('regressogram', '[]', '{"bucket_number": 3}', '{"buckets": 0}', '{"buckets": 1000001}', '{"buckets": 1.5}', '{"buckets": true}', '{"rule": "stone"}', '{"rule": null, "statistic": 1}', '{"statistic": "mode"}');
SELECT pg_temp.refused('kernel_regression', '{"h": 1}', '{"kernel": "uniform"}', '{"kernel": 1}', '{"method": "spline"}', '{"rule": "cv"}', '{"bandwidth": 0}', '{"bandwidth": "scott"}', '{"bandwidth": 1e-400}', '{"degree": 1.5}', '{"method": "local_polynomial", "degree": 21}', '{"candidates": 1}', '{"candidates": [1]}', '{"rule": "aic", "candidates": []}', '{"rule": "aic", "candidates": [1, "2"]}', '{"rule": "aic", "candidates": [1, -2]}', '{"at_x": {}}', '{"at_x": [null]}', '{"at_x": ["1"]}');
SELECT pg_temp.refused('parametric_regression', '{"model": "linear"}', '{"models": "linear"}', '{"models": ["cubic"]}', '{"models": [1]}', '{"models": [null]}', '{"models": {}}', '{"method": "interval"}', '{"method": "bisection"}', '{"method": "full", "steps": 3}');
SELECT pg_temp.refused('linear', '{"models": ["linear"]}', '[]');
-- the rows' functions take as options what is no argument of theirs
SELECT t.try(
	$$SELECT * FROM moving_average(NULL, '{}', 3, 'sma', '{"window_size": 3}')$$,
	$$SELECT * FROM moving_average(NULL, '{}', 3, 'sma', '{"method": "smm"}')$$,
	$$SELECT * FROM moving_average(NULL, '{}', 3, 'sma', '[1]')$$,
	$$SELECT * FROM moving_average(NULL, '{}', 3, 'smm', '{"beta": 1}')$$);
-- what a model cannot answer
SELECT t.try(
	$$SELECT predict(m, 'NaN') FROM model WHERE name = 'linear'$$,
	$$SELECT predict(m, 'Infinity') FROM model WHERE name = 'steps'$$,
	$$SELECT integral(m, 'NaN', 1) FROM model WHERE name = 'linear'$$,
	$$SELECT integral(m, 0, 'Infinity') FROM model WHERE name = 'average'$$,
	$$SELECT predict(m, 1e300) FROM model WHERE name = 'quadratic'$$,
	$$SELECT predict(m, 1e6) FROM model WHERE name = 'exponential'$$,
	$$SELECT integral(m, 0, 1e200) FROM model WHERE name = 'quadratic'$$,
	$$SELECT integral(m, 0, 1e6) FROM model WHERE name = 'exponential'$$,
	$$SELECT predict(m, 1) FROM model WHERE name = 'sample'$$,
	$$SELECT points(m) FROM model WHERE name = 'sample'$$,
	$$SELECT integral(m) FROM model WHERE name = 'sample'$$,
	$$SELECT integral(m, 0, 1) FROM model WHERE name = 'sample'$$,
	$$SELECT fit(NULL, ARRAY[1.7e308, 1.7e308, 1.7e308], 'moving_average', '{"window_size": 3}') IS NOT NULL AS mean_of_large_values$$);
