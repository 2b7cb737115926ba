-- Profiles collected into series and read out again: flameseries_agg, profiles(), sum(flameseries), statistics; and the laws.
\pset null NULL
SET timezone = 'UTC';

-- who is in it: null profiles are not, null and empty instances are none, equal ones stay as many as they are
SELECT p.* FROM (SELECT flameseries_agg(at::timestamptz, fg, i) AS fs
	FROM (VALUES ('2026-01-02Z', flamegraph 'a 1', 'p'), ('2026-01-01Z', 'a 2', NULL), (NULL, NULL, 'p'), ('2026-01-01Z', 'a 2', ''), ('2026-01-01Z', '', 'q'), ('2026-01-02Z', 'a;b 1', 'p')) AS v (at, fg, i)) AS s, profiles(fs) AS p;
SELECT profile_count(flameseries_agg(at, fg)) AS without_instance, flameseries_agg(at, fg) = flameseries_agg(at, fg, NULL) AS same FROM (VALUES ('2026-01-02Z'::timestamptz, flamegraph 'a 1'), ('2026-01-01Z', 'a 2')) AS v (at, fg);
SELECT flameseries_agg(at, fg) AS of_no_row FROM (VALUES (now(), flamegraph 'a 1')) AS v (at, fg) WHERE false;
SELECT flameseries_agg(at, fg) AS of_null FROM (VALUES (now(), NULL::flamegraph)) AS v (at, fg);
SELECT flameseries_agg(fs) AS series_of_null, sum(fs) AS sum_of_null FROM (VALUES (NULL::flameseries), (NULL)) AS v (fs);
SELECT sum(fs) = '' AS sum_of_empty FROM (SELECT slice(flameseries_agg(at, fg), 'infinity') AS fs FROM (VALUES (now(), flamegraph 'a 1')) AS v (at, fg)) AS s;
\pset tuples_only on
\pset format unaligned
SELECT t.try($$SELECT flameseries_agg(NULL, 'a 1')$$, $$SELECT flameseries_agg('infinity', 'a 1')$$, $$SELECT flameseries_agg('-infinity', 'a 1', 'p')$$, $$SELECT flameseries_agg('2026-01-01Z', 'a 1', repeat('x', 1048577))$$, $$SELECT flameseries_agg('2026-01-01Z', 'a 1', E'x\ny')$$,
	$$SELECT flameseries_accum(NULL, now(), 'a 1')$$, $$SELECT flameseries_combine(fs, fs) FROM (SELECT flameseries_agg(now(), 'a 1') AS fs) AS v$$, $$SELECT flameseries_sum_accum(NULL, fs) FROM (SELECT flameseries_agg(now(), 'a 1') AS fs) AS v$$);
\pset tuples_only off
\pset format aligned

-- 600 profiles in three blocks, at 200 times, of four instances and of none; whole counts, some negative, some empty
CREATE TEMP TABLE profile AS
SELECT p, '2026-01-01Z'::timestamptz + (t.random('at' || p, 200) - 100) * interval '7 s' AS at, (ARRAY['', 'pod-1', 'pod-2', 'pod-10', 'é'])[1 + t.random('i' || p, 5)] AS instance,
	(SELECT flamegraph_agg(ARRAY['main', 'f' || t.random(p || 'f' || i, 5), 'g' || t.random(p || 'g' || i, 9), 'h' || t.random(p || 'h' || i, 3)], t.random(p || 'v' || i, 300) - CASE WHEN p % 7 = 0 THEN 100 ELSE 0 END)
		FROM generate_series(1, t.random('n' || p, 12)) AS i) AS fg
FROM generate_series(1, 600) AS p;
UPDATE profile SET fg = '' WHERE fg IS NULL;
CREATE TEMP TABLE series AS SELECT flameseries_agg(at, fg, instance) AS fs FROM profile;

-- profiles() gives back what went in, in the documented order
SELECT profile_count(fs), (SELECT count(*) FROM (SELECT at, instance, profile FROM profiles(fs) EXCEPT ALL SELECT at, instance, fg FROM profile) AS x) AS made_up,
	(SELECT count(*) FROM (SELECT at, instance, fg FROM profile EXCEPT ALL SELECT at, instance, profile FROM profiles(fs)) AS x) AS lost FROM series;
SELECT count(*) AS out_of_order FROM (SELECT at, instance, lag(at) OVER (ORDER BY n) AS at_before, lag(instance) OVER (ORDER BY n) AS instance_before FROM series, profiles(fs) WITH ORDINALITY AS p (at, instance, profile, n)) AS v
WHERE (at_before, instance_before COLLATE "C") > (at, instance COLLATE "C");
SELECT (SELECT min(at) FROM profile) = since(fs) AS since, (SELECT max(at) FROM profile) = until(fs) AS until, (SELECT array_agg(DISTINCT instance COLLATE "C") FROM profile) = instances(fs) AS instances FROM series;

-- sum(flameseries_agg(at, fg)) = sum(fg), bit for bit, and so is what was split and merged
SELECT sum(fs) = (SELECT sum(fg) FROM profile) AS sums FROM series;
SELECT bool_and(x = (SELECT fs FROM series)) AS any_order_any_parts
FROM (SELECT flameseries_agg(at, fg, instance ORDER BY fg) AS x FROM profile UNION ALL SELECT flameseries_agg(at, fg, instance ORDER BY at DESC) FROM profile UNION ALL
	SELECT flameseries_agg(fs ORDER BY n) FROM (SELECT p % 7 AS n, flameseries_agg(at, fg, instance) AS fs FROM profile GROUP BY 1) AS v UNION ALL
	SELECT flameseries_agg(fs ORDER BY n DESC) FROM (SELECT p % 7 AS n, flameseries_agg(at, fg, instance) AS fs FROM profile GROUP BY 1) AS v UNION ALL
	SELECT flameseries_agg(fs) FROM (SELECT p % 2 AS n, flameseries_agg(fs) AS fs FROM (SELECT p, flameseries_agg(at, fg, instance) AS fs FROM profile GROUP BY p) AS v GROUP BY 1) AS w UNION ALL
	SELECT flameseries_agg(at, profile, instance) FROM series, profiles(fs)) AS v (x);
SELECT sum(fs) = (SELECT sum(fg) FROM profile) AS sum_of_many FROM (SELECT flameseries_agg(at, fg) AS fs FROM profile GROUP BY instance, p % 3) AS v;
-- merging with itself gives each profile twice
SELECT profile_count(twice), sum(twice, NULL) = sum(fs, NULL) * 2 AS double, twice = fs AS same FROM series, LATERAL (SELECT flameseries_agg(x) AS twice FROM (VALUES (fs), (fs)) AS v (x)) AS t;
-- of fractions, too, where all have a few decimal digits; and of values that are any doubles, to a part in 10^12
SELECT fs = (SELECT flameseries_agg(at, profile) FROM profiles(fs)) AS same, sum(fs, NULL) = (SELECT sum(fg) FROM profile) / 8 AS sums FROM (SELECT flameseries_agg(at, fg / 8) AS fs FROM profile) AS v;
SELECT fs = (SELECT flameseries_agg(at, profile) FROM profiles(fs)) AS same, sum(fs, NULL) <-> (SELECT sum(fg / 7) FROM profile) <= 1e-12 * norm(sum(fs, NULL)) AS sums FROM (SELECT flameseries_agg(at, fg / 7) AS fs FROM profile) AS v;
-- a sum beyond all numbers
\set VERBOSITY sqlstate
SELECT profile_count(fs), sum(fs, NULL, 'infinity', '{p}') = 'a 1e308' AS of_one FROM (SELECT flameseries_agg(now(), 'a 1e308', i) AS fs FROM (VALUES ('p'), ('q')) AS v (i)) AS v;
SELECT sum(fs, NULL) FROM (SELECT flameseries_agg(now(), 'a 1e308', i) AS fs FROM (VALUES ('p'), ('q')) AS v (i)) AS v;
\set VERBOSITY default

-- as a window function the state goes on after it was asked
SELECT n, profile_count(flameseries_agg(at, fg) OVER (ORDER BY n)) AS so_far, profile_count(flameseries_agg(at, fg) OVER (ORDER BY n ROWS 1 PRECEDING)) AS moving, sum(fs) OVER (ORDER BY n) AS summed
FROM (SELECT n, '2026-01-01Z'::timestamptz + n * interval '1 h' AS at, ('a ' || n)::flamegraph AS fg, flameseries_agg('2026-01-01Z', ('a ' || n)::flamegraph) AS fs FROM generate_series(1, 4) AS n GROUP BY n) AS v;

-- statistics are those of the profiles, at each level
SELECT level, profile_count(stats(fs, level)), count(*) FILTER (WHERE (a.n = b.n AND a.mean = b.mean AND abs(a.stddev - b.stddev) <= 1e-9 * b.stddev) IS NOT TRUE) AS differ
FROM series, unnest(ARRAY['stack', 'node', 'frame', 'self']) AS level, LATERAL (SELECT stats(fg, level) AS expected FROM profile) AS e, LATERAL entries(stats(fs, level)) AS a FULL JOIN LATERAL entries(expected) AS b USING (key)
GROUP BY level, fs ORDER BY level COLLATE "C";
SELECT stats(slice(fs, 'infinity'), 'node') AS of_none FROM series;
SELECT stats(fs, 'nobody') FROM series;
