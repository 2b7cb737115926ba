-- median, percentile: stack by stack over profiles, a missing stack counting as 0.
\pset null NULL
CREATE TEMP TABLE run AS
SELECT n, n % 3 AS g, flamegraph_agg(ARRAY['main', 'f' || t.random(format('f %s %s', n, i), 6)], t.random(format('v %s %s', n, i), 40) - 10) AS fg
FROM generate_series(1, 41) n, generate_series(1, 5) i GROUP BY n;

-- three profiles: in the middle, at the ends, between; ' 9' has the empty stack
SELECT median(f) AS median, percentile(f, 0) AS smallest, percentile(f, 1) AS largest, percentile(f, 0.75) AS between
FROM (VALUES (flamegraph E'a;b 1\nc 7\n 9'), (E'a;b 3\nc -2'), (NULL), (E'a;b 2\na 5\nc 4')) v(f);
-- percentile_cont of the values of each stack in all profiles, zeros included
CREATE FUNCTION pg_temp.by_stacks(fraction float8, VARIADIC profiles flamegraph[]) RETURNS flamegraph LANGUAGE sql AS $$
	SELECT coalesce(flamegraph_agg(stack, value), '') FROM (
		SELECT stack, percentile_cont(fraction) WITHIN GROUP (ORDER BY fg -> stack) AS value
		FROM (SELECT DISTINCT s.stack FROM unnest(profiles) p, stacks(p) s) x, unnest(profiles) fg GROUP BY stack) y
$$;
SELECT fraction, bool_and(norm(p - b) <= 1e-12 * norm(b)) AS same, sum(nstacks(p)) AS stacks
FROM unnest('{0,0.05,0.25,0.5,0.9,0.99,1}'::float8[]) fraction, LATERAL (
	SELECT percentile(fg, fraction) AS p, pg_temp.by_stacks(fraction, VARIADIC array_agg(fg)) AS b FROM run GROUP BY g UNION ALL
	SELECT percentile(fg, fraction), pg_temp.by_stacks(fraction, VARIADIC array_agg(fg)) FROM run UNION ALL
	SELECT percentile(fg, fraction), pg_temp.by_stacks(fraction, VARIADIC array_agg(fg)) FROM run WHERE n < 3 OR n % 10 = 0) x GROUP BY fraction ORDER BY fraction;
SELECT count(*) AS groups, bool_and(m = p AND m = a) AS same FROM (SELECT median(fg) AS m, percentile(fg, 0.5) AS p, percentile(array_agg(fg ORDER BY md5(n::text)), 0.5) AS a FROM run GROUP BY n % 7) v;
-- the ends are min and max; a median of sums is not the sum of medians
SELECT percentile(fg, 0) = min(fg) AS min, percentile(fg, 1) = max(fg) AS max FROM run;
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY total(f)) AS median_of_totals, total(median(f)) AS total_of_medians FROM (VALUES (flamegraph 'a 9'), ('b 9'), ('c 9')) v(f);
-- nothing, nulls, one; equal states from partial aggregation
SELECT median(f) AS none, percentile(f, 0.5) AS percentile FROM (VALUES (flamegraph 'a 1')) v(f) WHERE false;
SELECT median(f) AS nulls, percentile(f, 0.5) AS percentile, percentile(flamegraph 'a 1', NULL) AS fraction FROM (VALUES (NULL::flamegraph)) v(f);
SELECT median(f) AS one, percentile(f, 0.3) AS percentile, median(f - f) = '' AS empty FROM (VALUES (flamegraph 'a 1')) v(f);
SELECT percentile('{}'::flamegraph[], 0.5) AS no_profile, percentile(NULL::flamegraph[], 0.5) AS no_array, percentile(ARRAY[flamegraph 'a 1'], NULL) AS no_fraction, percentile(ARRAY[flamegraph 'a 1', 'a 4', 'a 2'], 0.25) AS array;
SELECT n, median(fg) OVER w = percentile(array_agg(fg) OVER w, 0.5) AS frame FROM run WINDOW w AS (ORDER BY n ROWS 2 PRECEDING) ORDER BY n LIMIT 4;
SELECT median(DISTINCT f) AS distinct, median(f) FILTER (WHERE f <> 'a 1') AS filter, median(f ORDER BY total(f)) AS ordered FROM (VALUES (flamegraph 'a 1'), ('a 1'), ('a 1'), ('a 2'), ('a 6')) v(f);
SELECT median(a + b) AS of_sums FROM (VALUES (flamegraph 'a 1', flamegraph 'b 2'), ('a 3', 'b 1')) v(a, b);
-- between the largest numbers
SELECT median(f) AS middle, percentile(f, 0.25) AS quarter FROM (VALUES (flamegraph 'a 1.5e308'), ('a -1.5e308')) v(f);
CREATE TABLE t.many AS SELECT n, flamegraph_agg(ARRAY['main', 'f' || i], t.random(format('%s %s', n, i), 1000)) AS fg FROM generate_series(1, 600) n, generate_series(1, 20) i GROUP BY n;
ALTER TABLE t.many SET (parallel_workers = 2);
SELECT median(fg) AS m, percentile(fg, 0.9) AS p INTO TEMP serial FROM t.many;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS off) SELECT median(fg), percentile(fg, 0.9) FROM t.many;
SELECT count(*) AS same FROM (SELECT median(fg) AS m, percentile(fg, 0.9) AS p FROM t.many) x JOIN serial USING (m, p);
DROP TABLE t.many;

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT percentile(flamegraph 'a 1', 1.5)$$,
	$$SELECT percentile(flamegraph 'a 1', 'NaN')$$,
	$$SELECT percentile(ARRAY[flamegraph 'a 1'], -0.1)$$,
	$$SELECT percentile(ARRAY[flamegraph 'a 1', NULL], 0.5)$$,
	$$SELECT percentile(f, q) FROM (VALUES (flamegraph 'a 1', 0.1), ('a 2', 0.2)) v(f, q)$$,
	$$SELECT flamegraph_percentile_final(ARRAY[flamegraph ' 0.5', 'a 1', 'a 2'])$$,
	$$SELECT flamegraph_percentile_final(ARRAY[flamegraph 'a 5', 'a 1'])$$,
	$$SELECT flamegraph_percentile_final(ARRAY[flamegraph ' 0.5', NULL])$$,
	$$SELECT flamegraph_percentile_final('{}')$$,
	$$SELECT flamegraph_median_accum(NULL, 'a 1')$$);
