-- Changes between a baseline and a target: of two models, of values at shared points, of profiles, of many locations at once.
-- Relative errors up to 0.10 are no change, up to 0.25 maybe one; both thresholds belong to the smaller class.
\pset null NULL
CREATE FUNCTION pg_temp.r(x float8) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT CASE WHEN abs(x) = 'Infinity' THEN x::text ELSE trim_scale(round(x::numeric, 9))::text END $$;
-- formulas on [0, 10] and steps on [0, 10], written by hand
CREATE FUNCTION pg_temp.formula(kind text, coefficients text, x_start text DEFAULT '0', x_end text DEFAULT '10', r_square text DEFAULT '1') RETURNS perfmodel LANGUAGE sql IMMUTABLE AS $$
	SELECT format('{"kind": "%s", "n": 10, "x_start": %s, "x_end": %s, "r_square": %s, "parameters": {}, "coefficients": [%s]}', kind, x_start, x_end, r_square, coefficients)::perfmodel
$$;
CREATE FUNCTION pg_temp.steps(VARIADIC levels text[]) RETURNS perfmodel LANGUAGE sql IMMUTABLE AS $$
	SELECT format('{"kind": "regressogram", "n": %s, "x_start": 0, "x_end": 10, "r_square": 0.75, "parameters": {}, "edges": [%s], "points": [%s], "values": [%s]}',
		(SELECT count(*) FROM unnest(levels) l WHERE l <> 'null'), (SELECT string_agg((10.0 * i / cardinality(levels))::text, ', ' ORDER BY i) FROM generate_series(0, cardinality(levels)) i), (SELECT string_agg(CASE l WHEN 'null' THEN '0' ELSE '1' END, ', ' ORDER BY i) FROM unnest(levels) WITH ORDINALITY u(l, i)), array_to_string(levels, ', '))::perfmodel
$$;
-- y at x = 0, 1, 2, ...
CREATE FUNCTION pg_temp.curve(VARIADIC ys float8[]) RETURNS perfmodel LANGUAGE sql IMMUTABLE AS $$
	SELECT fit(ARRAY(SELECT i - 1 FROM generate_subscripts(ys, 1) i), ys, 'moving_average', '{"window_size": 1}')
$$;

--
-- integral_comparison
--
-- the integral of 2x over [0, 10] is 100, of bx it is 50b; thresholds at exactly 10 % and 25 %
SELECT b, c.result, pg_temp.r(relative_error) AS relative_error, confidence, baseline_integral, pg_temp.r(target_integral) AS target_integral, x_from, x_to FROM unnest(ARRAY[2, 2.2, 2.21, 2.5, 2.51, 1.8, 1.79, 1.5, 1.49, 0, -2]) b, integral_comparison(pg_temp.formula('linear', '0, 2'), pg_temp.formula('linear', '0, ' || b)) c;
SELECT no_change, change, c.result FROM (VALUES (0.2, 0.3), (0.25, 0.25), (0.05, 0.2), (0, 0), (0, 1000)) v(no_change, change), integral_comparison(pg_temp.formula('linear', '0, 2'), pg_temp.formula('linear', '0, 2.5'), no_change, change) c;
SELECT * FROM integral_comparison(baseline => pg_temp.formula('constant', '4'), target => pg_temp.formula('constant', '5'), change => 0.2);
-- common intervals: 75 against 112.5 on [5, 10]; one within the other; a point, or nothing, in common
SELECT what, c.* FROM (VALUES (1, 'overlap', '5', '20'), (2, 'within', '2', '4'), (3, 'around', '-5', '50'), (4, 'a point', '10', '20'), (5, 'apart', '11', '20'), (6, 'point in it', '3', '3')) v(i, what, x_start, x_end), integral_comparison(pg_temp.formula('linear', '0, 2'), pg_temp.formula('linear', '0, 3', x_start, x_end, '0.5')) c ORDER BY i;
-- a baseline of 0: infinite with the sign of the target; both 0: no change
SELECT t AS target, c.result, c.relative_error FROM unnest(ARRAY['1', '-1', '0']) t, integral_comparison(pg_temp.formula('constant', '0'), pg_temp.formula('constant', t)) c;
SELECT c.result, c.relative_error FROM integral_comparison(pg_temp.formula('constant', '-4'), pg_temp.formula('constant', '-6')) c;
-- formulas without an integral: log below 0, 1/x from 0
SELECT kind, c.result, relative_error, baseline_integral, target_integral, x_from, x_to FROM (VALUES ('logarithmic', '0, 1', '-1'), ('power', '1, -1', '0')) v(kind, coefficients, x_start), integral_comparison(pg_temp.formula('constant', '1', '-5'), pg_temp.formula(kind, coefficients, x_start)) c;
-- models of different kinds: steps 2 6 9 9 11 (an empty one goes on with the value before it), each 2 wide, are 74; points 0 0 3 3 3 are 1.5 + 6; confidence is the smaller r_square, or null
SELECT c.result, pg_temp.r(relative_error) AS relative_error, confidence, baseline_integral, target_integral FROM integral_comparison(pg_temp.steps('2', '6', '9', 'null', '11'), pg_temp.formula('linear', '0, 2')) c;
SELECT c.result, pg_temp.r(relative_error) AS relative_error, confidence, baseline_integral, target_integral, x_from, x_to FROM integral_comparison(pg_temp.curve(0, 0, 3, 3, 3), pg_temp.formula('constant', '2', r_square => 'null')) c;
SELECT * FROM integral_comparison(fit(NULL, ARRAY[1, 2], 'moving_average', '{"window_size": 4}'), pg_temp.formula('constant', '2'));
SELECT integral_comparison(NULL, pg_temp.formula('constant', '2')) AS null_baseline, integral_comparison(pg_temp.formula('constant', '2'), NULL) AS null_target, integral_comparison(pg_temp.formula('constant', '2'), pg_temp.formula('constant', '2'), NULL) AS null_threshold;

--
-- integral_intervals
--
-- against 1: levels 1, 1.2, 2, 3, 1, 3, 0.5, 0.85 over 1.25 each
SELECT i.* FROM integral_intervals(pg_temp.formula('constant', '1'), pg_temp.steps('1', '1.2', '2', '3', '1', '3', '0.5', '0.85'), 8) WITH ORDINALITY i(x_from, x_to, relative_error, result, n) CROSS JOIN LATERAL (SELECT) x ORDER BY n;
-- merged: only neighbours of one class, (2 + 3) / (1 + 1) - 1 = 1.5; what did not change separates
SELECT * FROM integral_intervals(pg_temp.formula('constant', '1'), pg_temp.steps('1', '1.2', '2', '3', '1', '3', '0.5', '0.85'), 8, true);
SELECT count(*) AS by_default, min(x_from), max(x_to), count(DISTINCT x_to - x_from) AS widths, count(DISTINCT result) AS results, min(relative_error) AS relative_error FROM integral_intervals(pg_temp.formula('constant', '4'), pg_temp.formula('constant', '5'));
SELECT * FROM integral_intervals(pg_temp.formula('constant', '4'), pg_temp.formula('constant', '5'), merge => true);
SELECT * FROM integral_intervals(pg_temp.formula('constant', '4'), pg_temp.formula('constant', '5'), 2, false, 0.3, 0.5);
SELECT * FROM integral_intervals(pg_temp.formula('constant', '4'), pg_temp.formula('constant', '5'), 1);
-- a formula that does not exist below 0; a baseline of 0 on one half
SELECT * FROM integral_intervals(pg_temp.formula('constant', '1', '-10'), pg_temp.formula('logarithmic', '1, 0', '-10'), 2);
SELECT * FROM integral_intervals(pg_temp.steps('0', '1'), pg_temp.steps('1', '1'), 2);
SELECT (SELECT count(*) FROM integral_intervals(pg_temp.formula('constant', '1', '0', '1'), pg_temp.formula('constant', '1', '1', '2'))) AS apart, (SELECT count(*) FROM integral_intervals(NULL, pg_temp.formula('constant', '1'))) AS null_model, (SELECT count(*) FROM integral_intervals(pg_temp.formula('constant', '1'), pg_temp.formula('constant', '1'), 100000)) AS many;

--
-- integral_points
--
-- at 0 1 3: trapezoids of 1 1 1 are 3, of 1 2 3 they are 1.5 + 5
SELECT result, pg_temp.r(relative_error) AS relative_error, confidence, baseline_integral, target_integral, x_from, x_to FROM integral_points(ARRAY[0, 1, 3], ARRAY[1, 1, 1], ARRAY[1, 2, 3]);
-- x^2 by Simpson: over [0, 2] 8/3; of 0 1 2 3 the mean of 8/3 + 13/2 and 1/2 + 26/3; of two points the trapezoid; with unequal steps 0 1 3 it is exact, 9
SELECT cardinality(xs) AS points, rule, pg_temp.r(target_integral) AS target_integral, pg_temp.r(baseline_integral) AS length FROM (VALUES (ARRAY[0, 1, 2]), (ARRAY[0, 1, 2, 3]), (ARRAY[1, 2]), (ARRAY[0, 1, 3]), (ARRAY[0, 1, 2, 3, 5])) v(xs), unnest(ARRAY['trapezoid', 'simpson']) rule, integral_points(xs, array_fill(1::float8, ARRAY[cardinality(xs)]), ARRAY(SELECT x * x FROM unnest(xs) x), rule) p;
-- points where something is null are left out; without xs they are numbered; thresholds
SELECT * FROM integral_points(ARRAY[0, NULL, 2, 3, 4], ARRAY[1, 9, 1, NULL, 1], ARRAY[2, 9, 2, 9, 2]);
SELECT * FROM integral_points(NULL, ARRAY[1, 1, NULL, 1], ARRAY[1.25, 1.25, 1.25, 1.25], no_change => 0.2);
SELECT * FROM integral_points(xs => ARRAY[0, 1], baseline => ARRAY[1, 1], target => ARRAY[1.5, 1.5], rule => NULL, no_change => NULL, change => 0.5);
-- fewer than two points: unknown
SELECT a.result AS one, b.result AS none, c.result AS nulls, d.result AS all_null FROM integral_points(ARRAY[1], ARRAY[1], ARRAY[2]) a, integral_points('{}', '{}', '{}') b, integral_points(NULL, NULL, NULL) c, integral_points(NULL, ARRAY[1, NULL], ARRAY[NULL, 2]) d;
SELECT result, relative_error FROM integral_points(ARRAY[0, 1], ARRAY[1, -1], ARRAY[1, 1]);

--
-- local_statistics
--
-- at 8 points 10 against 10 10 10 10 10 10 10 30. One part: avg and sum 12.5, max 30 are 0.25, 0.25, 2, the rest 0: score 0.5 + 0.5 + 1, relative error 2.5 / 7.
-- Halves: avg and sum 0.5, max 2, q3 15 is 0.5: score 4, error 3.5 / 7; over both halves 0.25. Quarters: avg, med, sum 1, max 2, q1 15 is 0.5, q3 25 is 1.5: score 6, error 1
SELECT density, n, x_from, x_to, avg, med, max, min, sum, q1, q3, pg_temp.r(relative_error) AS relative_error, score, result FROM unnest(ARRAY[0.1, 0.5, 0.25]) density, local_statistics_intervals(pg_temp.curve(10, 10, 10, 10, 10, 10, 10, 10), pg_temp.curve(10, 10, 10, 10, 10, 10, 10, 30), 8, density) WITH ORDINALITY i(x_from, x_to, avg, med, max, min, sum, q1, q3, relative_error, score, result, n);
SELECT density, l.result, pg_temp.r(relative_error) AS relative_error, confidence FROM unnest(ARRAY[0.1, 0.5, 0.25]) density, local_statistics(pg_temp.curve(10, 10, 10, 10, 10, 10, 10, 10), pg_temp.curve(10, 10, 10, 10, 10, 10, 10, 30), 8, density) l;
SELECT density, l.result, pg_temp.r(relative_error) AS relative_error, confidence FROM unnest(ARRAY[0.1, 0.5, 0.25]) density, local_statistics_points(ARRAY[0, 1, 2, 3, 4, 5, 6, 7], ARRAY[10, 10, 10, 10, 10, 10, 10, 10], ARRAY[10, 10, 10, 10, 10, 10, 10, 30], density) l;
-- the last part may be shorter; parts of fewer than min_points become one
SELECT density, min_points, count(*) AS parts, max(x_from) AS last_from, max(x_to) AS last_to FROM (VALUES (0.3, 2), (0.3, 4), (0.2, 2), (0.1, 1), (0, 1), (1, 2)) v(density, min_points), local_statistics_intervals(pg_temp.formula('constant', '1', '0', '9'), pg_temp.formula('constant', '1', '0', '9'), 10, density, min_points) GROUP BY density, min_points ORDER BY density, min_points;
-- merged: neighbours of one class; 2 then 1 are 1.5 on the mean
SELECT x_from, x_to, pg_temp.r(relative_error) AS relative_error, score, result FROM local_statistics_intervals(pg_temp.curve(10, 10, 10, 10, 10, 10, 10, 10, 10, 10), pg_temp.curve(10, 10, 30, 30, 20, 20, 10, 10, 30, 30), 10, 0.2, 2, true);
-- 15 % in all seven is 3.5, still maybe; 30 % is 7
SELECT level, i.score, i.result, pg_temp.r(i.relative_error) AS relative_error FROM unnest(ARRAY['11', '11.5', '12.5', '13', '8.5', '7']) level, local_statistics_intervals(pg_temp.formula('constant', '10'), pg_temp.formula('constant', level), 2) i;
SELECT no_change, change, l.result, i.score FROM (VALUES (0.1, 0.25), (0.3, 0.3), (0.05, 0.1)) v(no_change, change), local_statistics(pg_temp.formula('constant', '10'), pg_temp.formula('constant', '12'), 10, no_change => no_change, change => change) l, local_statistics_intervals(pg_temp.formula('constant', '10'), pg_temp.formula('constant', '12'), 10, no_change => no_change, change => change) i;
-- by default 1000 values in 20 parts of 50
SELECT count(*) AS parts, min(x_from) AS first, max(x_to) AS last, count(DISTINCT result) AS results, min(score) AS score, pg_temp.r(min(relative_error)) AS relative_error, pg_temp.r(max(x_to - x_from)) AS width FROM local_statistics_intervals(pg_temp.formula('constant', '10'), pg_temp.formula('constant', '12'));
SELECT result, pg_temp.r(relative_error) AS relative_error, confidence FROM local_statistics(pg_temp.formula('constant', '10'), pg_temp.formula('constant', '12', r_square => '0.5'));
SELECT result, pg_temp.r(relative_error) AS relative_error, confidence FROM local_statistics_points(NULL, ARRAY[10, 10, NULL, 10], ARRAY[12, 12, 99, 12]);
-- a baseline of 0
SELECT a.result, a.relative_error, b.result AS half, pg_temp.r(b.relative_error) AS of_half, c.result AS both, c.relative_error AS of_both FROM local_statistics(pg_temp.formula('constant', '0'), pg_temp.formula('constant', '1')) a, local_statistics(pg_temp.steps('0', '1'), pg_temp.steps('-1', '1'), 20, 0.5) b, local_statistics(pg_temp.formula('constant', '0'), pg_temp.formula('constant', '0')) c;
-- nothing in common, nothing at all
SELECT a.result AS apart, a.confidence, (SELECT count(*) FROM local_statistics_intervals(pg_temp.formula('constant', '1', '0', '1'), pg_temp.formula('constant', '1', '1', '2'))) AS parts, b.result AS none, c.result AS nulls, local_statistics(NULL, pg_temp.formula('constant', '1')) AS null_model FROM local_statistics(pg_temp.formula('constant', '1', '0', '1'), pg_temp.formula('constant', '1', '1', '2')) a, local_statistics_points('{}', '{}', '{}') b, local_statistics_points(NULL, NULL, NULL) c;

--
-- average_amount
--
SELECT baseline, target, a.* FROM (VALUES (1, '{1,3}'::float8[], '{4,4}'::float8[]), (2, '{4}', '{1,3}'), (3, '{2}', '{3.9}'), (4, '{2}', '{1.1}'), (5, '{0,0}', '{1}'), (6, '{0}', '{-1}'), (7, '{1,-1}', '{0}'), (8, '{2}', '{0}'), (9, '{2}', '{-1}'), (10, '{-2}', '{-8}'), (11, '{1,NULL,3}', '{NULL,4}'), (12, '{}', '{1}'), (13, NULL, NULL), (14, '{NULL}', '{1}')) v(i, baseline, target), average_amount(baseline, target) a ORDER BY i;

--
-- best_model_order
--
CREATE TEMP TABLE data (name text, ys float8[]);
INSERT INTO data VALUES ('x', ARRAY(SELECT x FROM generate_series(1, 10) x)), ('2x', ARRAY(SELECT 2 * x FROM generate_series(1, 10) x)), ('x^2', ARRAY(SELECT x * x FROM generate_series(1, 10) x)), ('2^x', ARRAY(SELECT 2 ^ x FROM generate_series(1, 10) x)), ('5', array_fill(5, ARRAY[10])), ('x and more', ARRAY[1, 2, 3, NULL, 5, 6]), ('two points', ARRAY[1, 2]), ('none', '{}'), ('null', NULL);
-- the order is constant 0, logarithmic 1, linear 2, quadratic 3, power 4, exponential 5; x^2 is quadratic before it is a power
SELECT b.name AS baseline, t.name AS target, o.result, o.rate, pg_temp.r(o.confidence) AS confidence, o.baseline_kind, o.target_kind FROM (VALUES (1, 'x', 'x^2'), (2, 'x^2', 'x'), (3, 'x', '2x'), (4, '2^x', '5'), (5, '5', '2^x'), (6, 'x', 'x and more'), (7, 'x', 'two points'), (8, 'none', 'x'), (9, 'null', 'null')) v(i, baseline, target) JOIN data b ON b.name = baseline JOIN data t ON t.name = target, best_model_order(NULL, b.ys, NULL, t.ys) o ORDER BY i;
-- both have to fit with 0.9; what jumps is constant to some extent, as no other model fits well
SELECT result, rate, confidence < 0.9 AS not_confident, baseline_kind, target_kind FROM best_model_order(ARRAY[1, 2, 3], ARRAY[1, 2, 3], ARRAY[1, 2, 3, 4, 5, 6], ARRAY[1, 9, 1, 9, 1, 2]);

--
-- model_difference
--
-- constants: 2 against 10 is 0.2, maybe; within 5 % of the coefficient there is no change, whatever the thresholds; all 1000 differences add up
SELECT target, d.* FROM unnest(ARRAY['10', '10.5', '10.6', '12', '12.5', '12.6', '9.5', '8', '7.5', '7', '-10']) target, LATERAL (SELECT d.result, pg_temp.r(relative_error) AS relative_error, pg_temp.r(sum_abs_error) AS sum_abs_error, polynomial, fast_check FROM model_difference(pg_temp.formula('constant', '10'), pg_temp.formula('constant', target)) d) d;
SELECT result, pg_temp.r(relative_error) AS relative_error, sum_abs_error FROM model_difference(pg_temp.formula('constant', '10'), pg_temp.formula('constant', '12'), 2, change => 0.15);
-- at 0 5 10: x against 2x + 0 differs by 0 5 10, relative errors 0 (both are 0), 1, 1; x + 1 and x^2 + x + 1 by 0 25 100: 0, 25/6, 100/11
SELECT baseline, target, result, pg_temp.r(relative_error) AS relative_error, pg_temp.r(sum_abs_error) AS sum_abs_error, polynomial, fast_check FROM (VALUES (1, 'linear', '0, 1', 'linear', '0, 2'), (2, 'linear', '1, 1', 'quadratic', '1, 1, 1'), (3, 'quadratic', '1, 1, 1', 'linear', '1, 1')) v(i, kind, baseline, target_kind, target), model_difference(pg_temp.formula(kind, baseline), pg_temp.formula(target_kind, target), 3) ORDER BY i;
-- the kind of the difference on 1000 points: x^2 leaves more than 1 % of its squares to a line; 2^x is none of the polynomials; of differences below 0 the sign is turned round
SELECT target, result, polynomial, fast_check FROM (VALUES (1, 'constant', '3'), (2, 'linear', '2, 1'), (3, 'quadratic', '2, 0, 1'), (4, 'linear', '2, -1'), (5, 'exponential', '2, 2'), (6, 'linear', '-3, 1')) v(i, kind, target), model_difference(pg_temp.formula('constant', '2', '1'), pg_temp.formula(kind, target, '1')) ORDER BY i;
-- a baseline of 0, where a formula is not defined, nothing in common
SELECT what, d.* FROM (VALUES (1, 'zero', pg_temp.formula('constant', '0'), pg_temp.formula('constant', '-1')), (2, 'log below 0', pg_temp.formula('constant', '1', '-10'), pg_temp.formula('logarithmic', '3, 0', '-10')), (3, 'apart', pg_temp.formula('constant', '1', '0', '1'), pg_temp.formula('constant', '1', '2', '3')), (4, 'log of nothing', pg_temp.formula('constant', '1', '-10', '0'), pg_temp.formula('logarithmic', '3, 0', '-10', '0')), (5, 'null', NULL, pg_temp.formula('constant', '1'))) v(i, what, baseline, target), model_difference(baseline, target, 3) d ORDER BY i;

--
-- exclusive_time_outliers
--
-- Time of its own, summed over the places of a function: a to i differ by -1 0 0 1 1 2 3 20 -4, "new" by 1 and "gone" by -2 are on one side only; main has none of its own.
-- Sorted -4 -2 -1 0 0 1 1 1 2 3 20: median 1, q1 -0.5, q3 1.5, fences -3.5 and 4.5; deviations from the median sorted 0 0 0 1 1 1 2 2 3 5 19: MAD 1.
-- z = 0.6745 |delta - 1|: h 12.8 is severe; i 3.37 is not, but beyond the fence: (-0.5 + 4) / 2; the other nine have sum 5 and sum of squares 21, so sd = sqrt((21 - 25/9) / 8) = 1.509
CREATE TEMP TABLE profile AS SELECT (SELECT flamegraph_agg('main;' || f, b) FROM (VALUES ('a', 10), ('b', 20), ('b;c', 5), ('d', 2), ('e', 2), ('f', 2), ('g', 2), ('h', 4), ('i', 10), ('x;gone', 1), ('gone', 1), ('c;c', 5)) v(f, b)) AS baseline, (SELECT flamegraph_agg('main;' || f, t) FROM (VALUES ('a', 9), ('b', 20), ('b;c', 10), ('d', 3), ('e', 3), ('f', 4), ('g', 5), ('h', 24), ('i', 6), ('new', 1)) v(f, t)) AS target;
SELECT total(baseline), total(target) FROM profile;
SELECT frame, delta, pg_temp.r(share) AS share, pg_temp.r(modified_z) AS modified_z, iqr_multiple, pg_temp.r(stddev_multiple) AS stddev_multiple, result FROM profile, exclusive_time_outliers(baseline, target) WITH ORDINALITY o(frame, delta, share, modified_z, iqr_multiple, stddev_multiple, result, n) ORDER BY n;
-- the other way round; a cutoff of 3/85 leaves what changed by 3 at least, and the measures as they are
SELECT string_agg(frame || ' ' || delta || ' ' || result, ', ' ORDER BY n) AS turned_round FROM profile, exclusive_time_outliers(target, baseline) WITH ORDINALITY o(frame, delta, share, modified_z, iqr_multiple, stddev_multiple, result, n);
SELECT changed AS "cutoff * 85", string_agg(frame || ' ' || pg_temp.r(modified_z), ', ' ORDER BY n) AS reported FROM profile CROSS JOIN unnest(ARRAY[0, 3, 3.1, 17, 25.5]) changed CROSS JOIN LATERAL (SELECT changed::float8 / 85 AS cutoff) c LEFT JOIN LATERAL exclusive_time_outliers(baseline, target, cutoff) WITH ORDINALITY o(frame, delta, share, modified_z, iqr_multiple, stddev_multiple, result, n) ON true GROUP BY changed ORDER BY changed;
-- nothing changed: no spread; one function changed among many: infinite multiples; an empty target has no share, and no cutoff then
SELECT * FROM exclusive_time_outliers('a;b 3', 'c;b 3');
SELECT * FROM exclusive_time_outliers(E'a 1\nb 1\nc 1\nd 1\ne 1', E'a 1\nb 1\nc 1\nd 1\ne 4');
SELECT frame, delta, share, modified_z, iqr_multiple, pg_temp.r(stddev_multiple) AS stddev_multiple, result FROM exclusive_time_outliers(E'a 1\nb 2', '', 0.5);
SELECT * FROM exclusive_time_outliers('', E'b 2\na 2');
SELECT (SELECT count(*) FROM exclusive_time_outliers('', '')) AS empty, (SELECT count(*) FROM exclusive_time_outliers(' 3', ' 5')) AS root_only, (SELECT count(*) FROM exclusive_time_outliers(NULL, 'a 1')) AS null_baseline, (SELECT count(*) FROM exclusive_time_outliers('a 1', NULL)) AS null_target, (SELECT count(*) FROM exclusive_time_outliers('a 1', 'b 1', NULL)) AS null_cutoff;

--
-- detect_changes
--
-- Five locations that both sides have, 20 points each: twice a parabola; 1.2 times a wave; the same; a line that became a parabola; a line that was shifted. Two that only one side has.
CREATE TEMP TABLE measured AS
SELECT location, is_target, x, y FROM generate_series(1, 20) x, LATERAL (VALUES ('parabola', false, x * x), ('parabola', true, 2 * x * x), ('wave', false, 5 + abs(x % 10 - 5)), ('wave', true, 1.2 * (5 + abs(x % 10 - 5))), ('Same', false, x), ('Same', true, x), ('order', false, 3 * x), ('order', true, 3 + x * x), ('ärger', false, x), ('ärger', true, x + 4), ('old', false, x), ('new', true, x)) v(location, is_target, y);
CREATE TEMP TABLE call AS SELECT array_agg(location ORDER BY o) AS locations, array_agg(is_target ORDER BY o) AS is_target, array_agg(x::float8 ORDER BY o) AS xs, array_agg(y::float8 ORDER BY o) AS ys FROM (SELECT *, md5(location || is_target || x) AS o FROM measured) m;
-- by default: three models, two methods; the kernel regression of the wave explains nothing of it, so it has no row
SELECT d.location, d.model, d.method, d.result, d.severity, pg_temp.r(relative_error) AS relative_error, pg_temp.r(confidence) AS confidence FROM call, detect_changes(locations, is_target, xs, ys) WITH ORDINALITY d(location, model, method, result, severity, relative_error, confidence, n) WHERE location IN ('Same', 'parabola', 'wave') ORDER BY n;
-- the same from fit() and the methods by themselves
SELECT count(*) AS rows, count(*) FILTER (WHERE (d.result, d.relative_error, d.confidence) IS DISTINCT FROM (CASE d.method WHEN 'integral' THEN i.result ELSE l.result END, CASE d.method WHEN 'integral' THEN i.relative_error ELSE l.relative_error END, i.confidence)) AS wrong
FROM call, detect_changes(locations, is_target, xs, ys) d JOIN (SELECT location, array_agg(x::float8 ORDER BY x) FILTER (WHERE is_target) AS tx, array_agg(y::float8 ORDER BY x) FILTER (WHERE is_target) AS ty, array_agg(x::float8 ORDER BY x) FILTER (WHERE NOT is_target) AS bx, array_agg(y::float8 ORDER BY x) FILTER (WHERE NOT is_target) AS by FROM measured GROUP BY location) s USING (location), integral_comparison(fit(bx, by, d.model), fit(tx, ty, d.model)) i, local_statistics(fit(bx, by, d.model), fit(tx, ty, d.model)) l;
-- strategies: which models are compared
SELECT strategy, string_agg(format('%s %s %s', d.location, d.model, d.result), ', ' ORDER BY n) AS compared FROM call, unnest(ARRAY['best-model', 'best-param', 'best-nonparam', 'all-param', 'all-nonparam', 'all-models', 'best-both']) WITH ORDINALITY s(strategy, o), detect_changes(locations, is_target, xs, ys, '{parametric_regression,moving_average,regressogram}', '{integral}', strategy, 0.15, '{"moving_average": {"window_size": 3}, "regressogram": {"buckets": 3}}') WITH ORDINALITY d(location, model, method, result, severity, relative_error, confidence, n) WHERE location IN ('parabola', 'wave', 'order') GROUP BY strategy, o ORDER BY o;
-- methods; those that compare the measurements have no model; severity: the best formulas of order differ by a parabola, of ärger by a constant
SELECT d.location, d.model, d.method, d.result, d.severity, pg_temp.r(relative_error) AS relative_error, pg_temp.r(confidence) AS confidence FROM call, detect_changes(locations, is_target, xs, ys, '{}', '{model_difference,best_model_order,average_amount,integral,local_statistics}', 'best-param', options => '{"samples": 20}') WITH ORDINALITY d(location, model, method, result, severity, relative_error, confidence, n) ORDER BY n;
-- one model, one method, named arguments; words that come twice count once
SELECT location, model, method, result, severity, pg_temp.r(relative_error) AS relative_error, confidence FROM call, detect_changes(locations => locations, is_target => is_target, xs => xs, ys => ys, models => '{linear,linear}', methods => '{average_amount,average_amount}', strategy => 'all-param') d;
SELECT d.location, d.model, d.result FROM call, detect_changes(locations, is_target, xs, ys, '{linear}', '{integral}', 'all-param') d;
-- confidence counts to two decimals: R^2 4/27 = 0.148 is 0.15, 1/7 = 0.143 is not
SELECT min_confidence, string_agg(format('%s %s', location, pg_temp.r(confidence)), ', ' ORDER BY n) AS compared FROM unnest(ARRAY[0, 0.15, 0.16, 2]) min_confidence LEFT JOIN LATERAL (SELECT * FROM detect_changes(ARRAY['a','a','a','a','a','b','b','b','b','b','a','a','a','a','a','b','b','b','b','b'], ARRAY[false, false, false, false, false, false, false, false, false, false, true, true, true, true, true, true, true, true, true, true], NULL, ARRAY[1, 2, 5, 4, 2, 1, 3, 2, 3, 2, 1, 2, 5, 4, 2, 1, 3, 2, 3, 2], '{linear}', '{integral}', 'all-param', min_confidence) WITH ORDINALITY d(location, model, method, result, severity, relative_error, confidence, n)) d ON true GROUP BY min_confidence ORDER BY min_confidence;
SELECT count(*) AS by_default FROM detect_changes(ARRAY['a','a','a','a','a','a'], ARRAY[false, false, false, true, true, true], NULL, ARRAY[1, 2, 3, 1, 2, 3], NULL, NULL, NULL, NULL, NULL);
-- options: of the models, thresholds, the local statistics
SELECT o AS options, string_agg(format('%s %s', d.model, d.result), ', ' ORDER BY n) AS wave FROM call, unnest(ARRAY['{}', '{"no_change": 0.3, "change": 0.3}', '{"change": 0.15}', '{"kernel_regression": {"bandwidth": 1}, "moving_average": {"method": "ema", "alpha": 1}}', '{"samples": 2, "density": 0.5, "min_points": 1, "no_change": null}']::jsonb[]) WITH ORDINALITY u(o, i), detect_changes(locations, is_target, xs, ys, methods => '{local_statistics}', options => o) WITH ORDINALITY d(location, model, method, result, severity, relative_error, confidence, n) WHERE location = 'wave' GROUP BY o, i ORDER BY i;
-- without xs: positions within location and side; measurements with a null are left out
SELECT d.* FROM detect_changes(ARRAY['b', 'a', 'b', 'b', 'a', 'a', 'a', 'b', 'b', 'b', 'b', 'a', 'a', 'a'], ARRAY[false, false, false, false, false, false, true, true, true, true, true, true, true, false], NULL, ARRAY[1, 2, 2, 3, 2, 2, 3, 2, 4, 6, NULL, 3, 3, NULL], '{linear,constant}', '{integral,best_model_order}', 'best-param') d;
SELECT d.* FROM detect_changes(ARRAY['a', 'a', 'a', 'a', 'a', 'a', 'a', 'a'], ARRAY[false, false, false, false, true, true, true, true], ARRAY[1, NULL, 2, 3, 1, 2, 3, 4], ARRAY[1, 99, 2, 3, 2, 4, 6, NULL], '{linear}', '{integral,average_amount}', 'all-param') d;
-- too few points for a model: no row for it; no point: no location
SELECT d.* FROM detect_changes(ARRAY['a', 'a', 'b', 'b'], ARRAY[false, true, false, true], NULL, ARRAY[1, 2, 3, NULL], methods => '{integral,average_amount,best_model_order}') d;
SELECT (SELECT count(*) FROM detect_changes(NULL, NULL, NULL, NULL)) AS null_arrays, (SELECT count(*) FROM detect_changes('{}', '{}', '{}', '{}')) AS empty, (SELECT count(*) FROM detect_changes(ARRAY['a'], ARRAY[true], ARRAY[1], ARRAY[2])) AS one_side, (SELECT count(*) FROM detect_changes(ARRAY['', ''], ARRAY[true, false], ARRAY[1, 1], ARRAY[2, 2], methods => '{average_amount}')) AS empty_name;

--
-- detection_summary
--
SELECT s.* FROM call, detection_summary(locations, is_target, xs, ys) s;
SELECT strategy, string_agg(format('%s %s: %s of %s worse, %s better, %s maybe', s.model, method, degradation, n_locations, optimization, maybe), '; ' ORDER BY n) AS lines FROM call, unnest(ARRAY['best-model', 'best-param', 'best-nonparam', 'all-param', 'all-models', 'best-both']) WITH ORDINALITY u(strategy, o), detection_summary(locations, is_target, xs, ys, '{linear,quadratic,moving_average}', '{integral,average_amount}', strategy, options => '{"moving_average": {"window_size": 3}}') WITH ORDINALITY s(model, method, n_locations, degradation, optimization, maybe, n) GROUP BY strategy, o ORDER BY o;
-- it counts the rows of detect_changes; turned round, what was worse is better
SELECT bool_and(ARRAY[s.degradation, s.optimization, s.maybe] = (SELECT ARRAY[count(*) FILTER (WHERE result = 'degradation'), count(*) FILTER (WHERE result = 'optimization'), count(*) FILTER (WHERE result LIKE 'maybe%')]::int[] FROM detect_changes(locations, is_target, xs, ys, methods => '{integral,local_statistics,average_amount,best_model_order}') d WHERE d.model IS NOT DISTINCT FROM s.model AND d.method = s.method)) AS counted, count(*) AS lines FROM call, detection_summary(locations, is_target, xs, ys, methods => '{integral,local_statistics,average_amount,best_model_order}') s;
SELECT s.* FROM call, detection_summary(locations, ARRAY(SELECT NOT t FROM unnest(is_target) t), xs, ys, '{moving_average}', '{integral,average_amount}') s;
SELECT * FROM detection_summary(NULL, NULL, NULL, NULL);
SELECT * FROM detection_summary(ARRAY['a', 'b'], ARRAY[true, false], ARRAY[1, 1], ARRAY[1, 1], '{linear}', '{integral}', 'all-param');

--
-- Bad input
--
\pset format unaligned
\pset tuples_only on
CREATE TEMP TABLE m AS SELECT pg_temp.formula('constant', '1') AS c, pg_temp.curve(1, 2, 3) AS p, '{"kind": "sample", "n": 1, "parameters": {}, "x": [1], "y": [2]}'::perfmodel AS s;
SELECT t.try(
	$$SELECT integral_comparison(c, c, -0.1) FROM m$$,
	$$SELECT integral_comparison(c, c, 0.3) FROM m$$,
	$$SELECT integral_comparison(c, c, 0.1, 0.05) FROM m$$,
	$$SELECT integral_comparison(c, c, 'NaN') FROM m$$,
	$$SELECT integral_comparison(c, c, 0.1, 'Infinity') FROM m$$,
	$$SELECT integral_comparison(c, s) FROM m$$,
	$$SELECT integral_comparison(s, c) FROM m$$,
	$$SELECT * FROM m, integral_intervals(c, c, 0)$$,
	$$SELECT * FROM m, integral_intervals(c, c, -1)$$,
	$$SELECT * FROM m, integral_intervals(c, c, 1000001)$$,
	$$SELECT * FROM m, integral_intervals(c, c, no_change => 1)$$,
	$$SELECT * FROM m, integral_intervals(c, s)$$,
	$$SELECT integral_points('{1,2}', '{1,2}', '{1,2,3}')$$,
	$$SELECT integral_points('{1,2}', '{1,2,3}', '{1,2,3}')$$,
	$$SELECT integral_points(NULL, '{1,2,3}', '{1,2}')$$,
	$$SELECT integral_points('{1,1}', '{1,2}', '{1,2}')$$,
	$$SELECT integral_points('{2,1}', '{1,2}', '{1,2}')$$,
	$$SELECT integral_points('{1,NaN}', '{1,2}', '{1,2}')$$,
	$$SELECT integral_points('{1,2}', '{1,Infinity}', '{1,2}')$$,
	$$SELECT integral_points('{1,2}', '{1,2}', '{1,NaN}')$$,
	$$SELECT integral_points('{1,2}', '{1,2}', '{1,2}', 'Simpson')$$,
	$$SELECT integral_points('{1,2}', '{1,2}', '{1,2}', change => 0)$$);
SELECT t.try(
	$$SELECT local_statistics(c, c, 1) FROM m$$,
	$$SELECT local_statistics(c, c, 0) FROM m$$,
	$$SELECT local_statistics(c, c, 1000001) FROM m$$,
	$$SELECT local_statistics(c, c, density => -0.1) FROM m$$,
	$$SELECT local_statistics(c, c, density => 1.1) FROM m$$,
	$$SELECT local_statistics(c, c, density => 'NaN') FROM m$$,
	$$SELECT local_statistics(c, c, min_points => 0) FROM m$$,
	$$SELECT local_statistics(c, c, no_change => -1) FROM m$$,
	$$SELECT local_statistics(s, s) FROM m$$,
	$$SELECT * FROM m, local_statistics_intervals(c, c, 1)$$,
	$$SELECT * FROM m, local_statistics_intervals(c, c, change => 0)$$,
	$$SELECT local_statistics_points('{1,2}', '{1,2}', '{1,2}', 2)$$,
	$$SELECT local_statistics_points('{1,2}', '{1,2}', '{1,2}', min_points => -1)$$,
	$$SELECT local_statistics_points('{1,2}', '{1,2}', '{1}')$$,
	$$SELECT local_statistics_points('{2,1}', '{1,2}', '{1,2}')$$,
	$$SELECT local_statistics_points('{1,2}', '{1,NaN}', '{1,2}')$$,
	$$SELECT average_amount('{1,NaN}', '{1}')$$,
	$$SELECT average_amount('{1}', '{Infinity}')$$,
	$$SELECT best_model_order('{1,2}', '{1,2,3}', '{1,2,3}', '{1,2,3}')$$,
	$$SELECT best_model_order('{1,2,3}', '{1,2,3}', '{1,2,3}', '{1,2}')$$,
	$$SELECT best_model_order(NULL, '{1,2,NaN}', NULL, '{1,2}')$$,
	$$SELECT model_difference(c, p) FROM m$$,
	$$SELECT model_difference(p, c) FROM m$$,
	$$SELECT model_difference(s, c) FROM m$$,
	$$SELECT model_difference(c, c, 1) FROM m$$,
	$$SELECT model_difference(c, c, change => 0.01) FROM m$$,
	$$SELECT * FROM exclusive_time_outliers('a 1', 'a 2', -0.1)$$,
	$$SELECT * FROM exclusive_time_outliers('a 1', 'a 2', 'NaN')$$,
	$$SELECT * FROM exclusive_time_outliers(E'a 1.7e308\nb 1', 'a -1.7e308')$$);
CREATE FUNCTION pg_temp.refused(arguments text, VARIADIC more text[]) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT a || ': ' || array_to_string(ARRAY(SELECT btrim(l) FROM t.outcome(format('SELECT count(*) FROM detect_changes(%s)', a)) l), ' ') || CASE WHEN array_to_string(ARRAY(SELECT t.outcome(format('SELECT count(*) FROM detection_summary(%s)', a))), ' ') = array_to_string(ARRAY(SELECT t.outcome(format('SELECT count(*) FROM detect_changes(%s)', a))), ' ') THEN '' ELSE ' (not so detection_summary)' END
	FROM unnest(arguments || more) WITH ORDINALITY u(a, i) ORDER BY i
$$;
SELECT pg_temp.refused($$'{a,b}', '{t,f}', '{1,2}', '{1}'$$, $$'{a}', '{t,f}', '{1,2}', '{1,2}'$$, $$'{a,b}', '{t}', '{1,2}', '{1,2}'$$, $$'{a,b}', '{t,f}', '{1}', '{1,2}'$$, $$NULL, '{t,f}', '{1,2}', '{1,2}'$$, $$'{a,NULL}', '{t,f}', '{1,2}', '{1,2}'$$, $$'{a,b}', '{t,NULL}', '{1,2}', '{1,2}'$$, $$'{a,b}', '{t,f}', '{1,NaN}', '{1,2}'$$, $$'{a,b}', '{t,f}', NULL, '{1,-Infinity}'$$);
-- also without measurements
SELECT pg_temp.refused($$NULL, NULL, NULL, NULL, '{linear,cubic}'$$, $$NULL, NULL, NULL, NULL, '{linear,NULL}'$$, $$NULL, NULL, NULL, NULL, '{linear}'$$, $$NULL, NULL, NULL, NULL, '{}'$$, $$NULL, NULL, NULL, NULL, methods => '{integral,sum}'$$, $$NULL, NULL, NULL, NULL, methods => '{integral,NULL}'$$, $$NULL, NULL, NULL, NULL, methods => '{model_difference}'$$, $$NULL, NULL, NULL, NULL, strategy => 'best'$$, $$NULL, NULL, NULL, NULL, strategy => ''$$, $$NULL, NULL, NULL, NULL, min_confidence => 'NaN'$$);
SELECT pg_temp.refused($$NULL, NULL, NULL, NULL, options => '[]'$$, $$NULL, NULL, NULL, NULL, options => '{"bandwidth": 1}'$$, $$NULL, NULL, NULL, NULL, options => '{"regressogram": 3}'$$, $$NULL, NULL, NULL, NULL, options => '{"regressogram": []}'$$, $$NULL, NULL, NULL, NULL, options => '{"regressogram": {"bandwidth": 1}}'$$, $$NULL, NULL, NULL, NULL, options => '{"moving_average": {"window_size": 0}}'$$, $$NULL, NULL, NULL, NULL, options => '{"kernel_regression": {"rule": "best"}}'$$,
	$$NULL, NULL, NULL, NULL, options => '{"no_change": "0.1"}'$$, $$NULL, NULL, NULL, NULL, options => '{"no_change": 0.5}'$$, $$NULL, NULL, NULL, NULL, options => '{"change": -1}'$$, $$NULL, NULL, NULL, NULL, options => '{"samples": 1.5}'$$, $$NULL, NULL, NULL, NULL, options => '{"samples": 1}'$$, $$NULL, NULL, NULL, NULL, options => '{"density": 2}'$$, $$NULL, NULL, NULL, NULL, options => '{"min_points": 0}'$$);
