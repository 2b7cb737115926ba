-- Aggregates of moments: min, max, support_count, variance, stddev, and s + s,
-- against PostgreSQL's own aggregates per stack, absent = 0.
\pset null NULL
CREATE FUNCTION pg_temp.line(fg flamegraph) RETURNS text LANGUAGE sql AS $$
	SELECT replace(fg::text, E'\n', ' | ')
$$;

-- golden/algebra: avg_missing_is_zero; worked by hand
SELECT pg_temp.line(avg(f)) AS avg, pg_temp.line(min(f)) AS min, pg_temp.line(max(f)) AS max, pg_temp.line(support_count(f)) AS support_count, pg_temp.line(sum(f)) AS sum FROM (VALUES (flamegraph E'a 4\nb 2'), ('a 2'), (''), (E'a 2\nc 1')) v(f);
SELECT pg_temp.line(variance(f)) AS variance, pg_temp.line(stddev(f)) AS stddev FROM (VALUES (flamegraph E'a 4\nb 2'), ('a 2'), (''), (E'a 2\nc 4')) v(f);
-- every sign: min and max count an absent stack as 0
SELECT pg_temp.line(min(f)) AS min, pg_temp.line(max(f)) AS max, pg_temp.line(support_count(f)) AS support_count FROM (VALUES (flamegraph E'both 1\npos 2\nneg -2\nmixed -1'), (E'both 3\nneg -5\nmixed 4'), (E'both 2\npos 1\nmixed 2')) v(f);

-- no row, nulls, one row
SELECT n, count(*) AS rows, pg_temp.line(sum(f)) AS sum, pg_temp.line(avg(f)) AS avg, pg_temp.line(min(f)) AS min, pg_temp.line(max(f)) AS max, pg_temp.line(support_count(f)) AS support, pg_temp.line(variance(f)) AS variance, pg_temp.line(stddev(f)) AS stddev
FROM (VALUES (1, NULL::flamegraph), (2, NULL), (2, 'a;b 3'), (3, 'a;b 3'), (4, 'a 1'), (4, NULL), (4, 'a 1'), (5, ''), (5, ''), (6, ''), (6, 'a 2'), (7, ' 3'), (7, ' 5'), (8, 'a 1'), (8, 'a -1')) v(n, f) GROUP BY n ORDER BY n;
SELECT sum(f) AS sum, avg(f) AS avg, min(f) AS min, max(f) AS max, support_count(f) AS support, variance(f) AS variance, stddev(f) AS stddev FROM (SELECT flamegraph 'a 1' WHERE false) v(f);
SELECT pg_temp.line(variance(f)) AS constant, variance(f) = '' AS empty, pg_temp.line(stddev(DISTINCT f)) AS distinct, pg_temp.line(max(f) FILTER (WHERE total(f) < 5)) AS filtered FROM (VALUES (flamegraph 'a 3'), ('a 3'), ('a 3')) v(f);

-- against variance, stddev ... of float8, stack by stack, on random profiles of either sign
CREATE TEMP TABLE random AS
SELECT id, id % 7 AS grp, coalesce((SELECT flamegraph_agg(ARRAY(SELECT 'f' || t.random(format('f %s %s %s', id, i, d), 3) FROM generate_series(1, t.random(format('d %s %s', id, i), 4)) d), (t.random(format('v %s %s', id, i), 2001) - 1000) / CASE id % 7 WHEN 3 THEN 7.0 ELSE 1.0 END) FROM generate_series(1, t.random('n' || id, 12)) i), '') AS f FROM generate_series(1, 140) id;
CREATE TEMP TABLE dense AS
SELECT grp, id, stack, coalesce(f -> stack, 0) AS value FROM random JOIN (SELECT DISTINCT grp, stack FROM random, stacks(f)) s USING (grp);
CREATE TEMP TABLE naive AS
SELECT grp, stack, sum(value) AS sum, avg(value) AS avg, min(value) AS min, max(value) AS max, count(*) FILTER (WHERE value <> 0)::float8 AS support, variance(value) AS variance, stddev(value) AS stddev FROM dense GROUP BY grp, stack;
CREATE TEMP TABLE ours AS
SELECT grp, count(*) AS n, sum(f) AS sum, avg(f) AS avg, min(f) AS min, max(f) AS max, support_count(f) AS support, variance(f) AS variance, stddev(f) AS stddev FROM random GROUP BY grp;
CREATE FUNCTION pg_temp.near(a float8, b float8) RETURNS boolean LANGUAGE sql AS $$ SELECT abs(a - b) <= 1e-9 * greatest(abs(a), abs(b), 1e-9) $$;
SELECT count(*) AS stacks, count(*) FILTER (WHERE o.min -> stack <> n.min) AS min, count(*) FILTER (WHERE o.max -> stack <> n.max) AS max, count(*) FILTER (WHERE o.support -> stack <> n.support) AS support, count(*) FILTER (WHERE NOT pg_temp.near(o.sum -> stack, n.sum)) AS sum, count(*) FILTER (WHERE NOT pg_temp.near(o.avg -> stack, n.avg)) AS avg, count(*) FILTER (WHERE NOT pg_temp.near(o.variance -> stack, n.variance)) AS variance, count(*) FILTER (WHERE NOT pg_temp.near(o.stddev -> stack, n.stddev)) AS stddev FROM ours o JOIN naive n USING (grp);
-- and nothing besides
SELECT grp, o.n, nstacks(o.min) = count(nullif(n.min, 0)) AS min, nstacks(o.max) = count(nullif(n.max, 0)) AS max, nstacks(o.support) = count(*) FILTER (WHERE n.support > 0) AS support, nstacks(o.variance) = count(*) FILTER (WHERE n.variance > 0) AS variance FROM ours o JOIN naive n USING (grp) GROUP BY grp, o.n, o.min, o.max, o.support, o.variance ORDER BY grp;
-- far from zero: the mean of the squares would lose everything
SELECT abs((variance(f) -> 'a') / 0.25025025025025025 - 1) < 1e-9 AS as_exact, variance(x) AS postgres FROM (SELECT flamegraph 'a 1' * x AS f, x FROM (SELECT (1e6 + i % 2)::float8 AS x FROM generate_series(1, 1000) i) u) v;
SELECT abs((variance(f) -> 'a') / 0.25025025025025025 - 1) < 1e-9 AS as_exact FROM (SELECT flamegraph 'a 1' * x AS f, x FROM (SELECT (1e9 + i % 2)::float8 AS x FROM generate_series(1, 1000) i) u) v;
-- any order gives the same sums, extremes and counts, and nearly the same deviations
SELECT bool_and(a.min = o.min AND a.max = o.max AND a.support = o.support) AS same, bool_and(a.sum = o.sum AND a.avg = o.avg) FILTER (WHERE grp <> 3) AS sums_of_whole_counts, bool_and(norm(a.variance - o.variance, 'inf') <= 1e-9 * norm(o.variance, 'inf')) AS variance
FROM ours o JOIN (SELECT grp, sum(f ORDER BY id DESC), avg(f ORDER BY id DESC), min(f ORDER BY id DESC), max(f ORDER BY id DESC), support_count(f ORDER BY id DESC) AS support, variance(f ORDER BY id DESC) FROM random GROUP BY grp) a USING (grp);
-- as window aggregates
SELECT id, pg_temp.line(min(f) OVER w) AS min, pg_temp.line(max(f) OVER w) AS max, pg_temp.line(support_count(f) OVER w) AS support, pg_temp.line(avg(f) OVER w) AS avg, pg_temp.line(variance(f) OVER w) AS variance FROM (VALUES (1, flamegraph 'a 1'), (2, 'a 3'), (3, NULL), (4, E'a 2\nb 4')) v(id, f) WINDOW w AS (ORDER BY id);
SELECT id, pg_temp.line(max(f) OVER w) AS max, pg_temp.line(stddev(f) OVER w) AS stddev FROM (VALUES (1, flamegraph 'a 1'), (2, 'a 3'), (3, 'a 7')) v(id, f) WINDOW w AS (ORDER BY id ROWS 1 PRECEDING);
-- stddev is the root of variance; several of them at once and each alone
SELECT bool_and(pg_temp.near(s.value * s.value, o.variance -> s.stack)) AS root FROM ours o, stacks(o.stddev) s;
SELECT bool_and(norm((SELECT variance(f) FROM random r WHERE r.grp = o.grp) - o.variance, 'inf') <= 1e-9 * norm(o.variance, 'inf')) AS variance, bool_and(norm((SELECT stddev(f) FROM random r WHERE r.grp = o.grp) - o.stddev, 'inf') <= 1e-9 * norm(o.stddev, 'inf')) AS stddev, bool_and((SELECT avg(f) FROM random r WHERE r.grp = o.grp) = o.avg) FILTER (WHERE grp <> 3) AS avg FROM ours o;

-- s + s: two samples as one; the state of these aggregates
CREATE AGGREGATE pg_temp.sample(flamegraph) (SFUNC = flamestats_accum, STYPE = flamestats, COMBINEFUNC = flamestats_combine);
CREATE TEMP TABLE samples AS SELECT grp, pg_temp.sample(f) AS s FROM random GROUP BY grp;
SELECT a.grp, b.grp, profile_count(a.s + b.s) AS n, a.s + b.s = b.s + a.s AS any_order, norm(flamestats_variance(a.s + b.s) - v, 'inf') < 1e-9 * norm(v, 'inf') AS variance, flamestats_avg(a.s + b.s) = m AS avg
FROM samples a JOIN samples b ON b.grp = a.grp + 1, LATERAL (SELECT variance(f) AS v, avg(f) AS m FROM random WHERE grp IN (a.grp, b.grp)) x WHERE a.grp NOT IN (2, 3) ORDER BY 1;
SELECT s + NULL AS "s +", NULL + s AS "+ s", flamestats_variance(NULL) AS variance, flamestats_stddev(NULL) AS stddev FROM samples WHERE grp = 0;
SELECT profile_count(s + s) AS twice, profile_count(s + s + s) AS thrice, flamestats_avg(s + s) = flamestats_avg(s) AS same_avg, profile_count((s + s)::text::flamestats) AS through_text FROM samples WHERE grp = 0;
SELECT pg_temp.line(flamestats_variance(a + b)) AS variance, profile_count(a + b) AS n FROM (SELECT pg_temp.sample(f) FILTER (WHERE i = 1) AS a, pg_temp.sample(f) FILTER (WHERE i = 2) AS b FROM (VALUES (1, flamegraph 'a 1'), (2, E'a 3\nb 2')) v(i, f)) w;
SELECT pg_temp.line(flamestats_variance(s)) AS one_profile, pg_temp.line(flamestats_variance(s + s)) AS two_of_it FROM (SELECT pg_temp.sample(f) AS s FROM (VALUES (flamegraph 'a 1')) v(f)) w;

-- deep and wide
SELECT depth(max(f)) AS depth, total(support_count(f)) AS total, total(variance(f)) AS variance FROM (SELECT (repeat('f;', 65534) || 'f ' || i)::flamegraph AS f FROM generate_series(1, 3) i) v;
SELECT nstacks(max(f)) AS stacks, total(max(f)) AS max, total(support_count(f)) AS support FROM (SELECT flamegraph_agg(ARRAY['main', 'f' || j], i) AS f FROM generate_series(1, 20) i, generate_series(i, 2000) j GROUP BY i) v;

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT variance(f) FROM (VALUES (flamegraph 'a 1e200'), ('a -1e200')) v(f)$$,
	$$SELECT variance(f) FROM (VALUES (flamegraph 'a 1e-200'), ('a 2e-200')) v(f)$$,
	$$SELECT stddev(f) FROM (VALUES (flamegraph 'a 1e-200'), ('a 2e-200')) v(f)$$,
	$$SELECT max(f) FROM (VALUES (flamegraph 'a 1.7e308'), ('b 1.7e308')) v(f)$$,
	$$SELECT avg(f) FROM (VALUES (flamegraph 'a 1.7e308'), ('a 1.7e308')) v(f)$$,
	$$SELECT variance('a 1')$$,
	$$SELECT variance(NULL)$$,
	$$SELECT variance(NULL::flamegraph)$$,
	$$SELECT min('a 1'::flamegraph) + max('b 2'::flamegraph)$$,
	$$SELECT support_count('a 1')$$);
