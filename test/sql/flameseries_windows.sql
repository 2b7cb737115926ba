-- Windows of series: sum, slice, top, step_sums, trend, against the same of the profiles one by one.
\pset null NULL
SET timezone = 'UTC';

-- 700 profiles in three blocks, every 10 s, of three instances and of none, some at the same time
CREATE TEMP TABLE profile AS
SELECT p, '2026-01-01 12:00Z'::timestamptz + p / 2 * interval '10 s' AS at, (ARRAY['', 'pod-1', 'pod-2', 'pod-10'])[1 + t.random('i' || p, 4)] AS instance,
	(SELECT flamegraph_agg(ARRAY['main', 'f' || t.random(p || 'f' || i, 5), 'g' || t.random(p || 'g' || i, 9), 'f' || t.random(p || 'h' || i, 5)], 1 + t.random(p || 'v' || i, 300)) 
		FROM generate_series(1, 1 + t.random('n' || p, 9)) AS i) + ('f1 ' || p % 3)::flamegraph AS fg
FROM generate_series(0, 699) AS p;
CREATE TEMP TABLE series AS SELECT flameseries_agg(at, fg, instance) AS fs FROM profile;

-- bounds and instances of all kinds; until is not included
CREATE TEMP TABLE bound (n, since, until, instances) AS VALUES
	(1, NULL::timestamptz, NULL::timestamptz, NULL::text[]), (2, '2026-01-01 12:10Z', '2026-01-01 12:20Z', NULL), (3, '2026-01-01 12:10:00.000001Z', '2026-01-01 12:10:10Z', NULL), (4, '2026-01-01 12:21:20Z', '2026-01-01 12:21:30Z', NULL),
	(5, NULL, '2026-01-01 12:00Z', NULL), (6, '-infinity', 'infinity', '{pod-1}'), (7, '2026-01-01 12:58:10Z', NULL, '{pod-10,pod-1}'), (8, NULL, '2026-01-01 12:58:10Z', '{""}'), (9, NULL, NULL, '{}'), (10, NULL, NULL, '{nobody,pod}'),
	(11, '2026-01-01 12:30Z', '2026-01-01 12:00Z', NULL), (12, 'infinity', NULL, NULL), (13, NULL, '-infinity', NULL), (14, '2026-01-01 12:21:10Z', '2026-01-01 12:42:40Z', '{pod-2,"",pod-2}'), (15, '2026-01-01 12:00Z', '2026-01-01 12:58:10.000001Z', NULL);
CREATE TEMP VIEW expected AS
SELECT b.n, b.since, b.until, b.instances, count(p.p)::int AS profiles, coalesce(sum(p.fg), '') AS sum
FROM bound AS b LEFT JOIN profile AS p ON (b.since IS NULL OR p.at >= b.since) AND (b.until IS NULL OR p.at < b.until) AND (b.instances IS NULL OR p.instance = ANY (b.instances))
GROUP BY 1, 2, 3, 4;
SELECT n, profiles, sum(fs, since, until, instances) = sum AS sums, profile_count(slice(fs, since, until, instances)) = profiles AND sum(slice(fs, since, until, instances), NULL) = sum AS slices,
	(SELECT count(*) FROM trend(fs, 'f1', 'total', since, until, instances)) = profiles AND (SELECT coalesce(sum(value), 0) FROM trend(fs, 'f1', 'total', since, until, instances)) = frame_total(sum, 'f1') AS trends,
	(SELECT count(*) FROM (SELECT * FROM top(fs, since, until, NULL, instances) EXCEPT ALL SELECT * FROM top(sum, NULL)) AS x) + (SELECT count(*) FROM (SELECT * FROM top(sum, NULL) EXCEPT ALL SELECT * FROM top(fs, since, until, NULL, instances)) AS x) AS top_differs
FROM series, expected ORDER BY n;
SELECT slice(fs) = fs AS whole, sum(fs, since => NULL, instances => '{pod-1}') = (SELECT sum(fg) FROM profile WHERE instance = 'pod-1') AS named FROM series;

-- one number for a window: that of its sum; NULL where the function does not occur
SELECT n, count(*) AS asked, count(value) AS found, count(*) FILTER (WHERE value IS DISTINCT FROM nullif(CASE level WHEN 'total' THEN frame_total(sum, what) ELSE frame_self(sum, what) END, 0)) AS differ
FROM series, expected, unnest('{f1,f3,g2,main,nobody,""}'::text[]) AS what, unnest('{total,self}'::text[]) AS level, frame_sum(fs, what, level, since, until, instances) AS value GROUP BY n ORDER BY n;

-- slices partition: put together again they are the whole
SELECT n, count(*) AS slices, flameseries_agg(slice) = (SELECT fs FROM series) AS whole
FROM (SELECT n, slice(fs, '2026-01-01 12:00Z'::timestamptz + i * n * interval '1 s', '2026-01-01 12:00Z'::timestamptz + (i + 1) * n * interval '1 s') FROM series, unnest(ARRAY[3600, 1000, 133]) AS n, generate_series(0, 3600 / n) AS i
	UNION ALL SELECT 0, slice(fs, instances => ARRAY[name]) FROM series, unnest(instances(fs)) AS name) AS v
GROUP BY n ORDER BY n;

-- steps: as date_bin with a Monday as origin; only those that have profiles
SELECT step, (SELECT count(*) FROM step_sums(fs, step)) AS steps, count(*) FILTER (WHERE x.profile IS DISTINCT FROM y.fg) AS differ
FROM series, unnest('{1 min,7 s,90 s,1 h,1 day,7 days}'::interval[]) AS step, LATERAL (SELECT date_bin(step, at, '2000-01-03Z') AS at, sum(fg) AS fg FROM profile GROUP BY 1) AS y FULL JOIN LATERAL step_sums(fs, step) AS x USING (at)
GROUP BY step, fs ORDER BY step;
SELECT at, profile = (SELECT sum(fg) FROM profile WHERE at >= '2026-01-01 12:10:30Z' AND at < '2026-01-01 12:20Z' AND instance = 'pod-2' AND date_bin('5 min', at, '2000-01-03Z') = s.at) AS same
FROM series, step_sums(fs, '5 min', '2026-01-01 12:10:30Z', '2026-01-01 12:20Z', '{pod-2}') AS s;
-- before the origin, at the ends of time
SELECT at, profile FROM step_sums((SELECT flameseries_agg(at::timestamptz, fg) FROM (VALUES ('1999-12-30 23:59:59Z', flamegraph 'a 1'), ('1999-12-27Z', 'a 2'), ('1999-12-26 23:59:59.999999Z', 'a 4'), ('2000-01-03Z', 'a 8'), ('294276-12-31 23:59:59.999999Z', 'a 16')) AS v (at, fg)), '7 days');
\pset tuples_only on
\pset format unaligned
CREATE FUNCTION pg_temp.fs(at timestamptz) RETURNS flameseries LANGUAGE sql IMMUTABLE AS $$ SELECT flameseries_agg(at, 'main;a 1') $$;
SELECT t.try('SELECT count(*) FROM step_sums(' || fs || ', ' || step || ')')
FROM (VALUES ($$pg_temp.fs('2026-01-01Z')$$, $$'1 month'$$), ($$pg_temp.fs('2026-01-01Z')$$, $$'1 year 1 day'$$), ($$pg_temp.fs('2026-01-01Z')$$, $$'0'$$), ($$pg_temp.fs('2026-01-01Z')$$, $$'-1 s'$$), ($$pg_temp.fs('2026-01-01Z')$$, $$'2147483647 days'$$), ($$pg_temp.fs('2026-01-01Z')$$, 'NULL'),
	($$pg_temp.fs('2026-01-01Z')$$, $$'106751990 days'$$), ($$pg_temp.fs('4714-11-24 BC 00:00Z')$$, $$'10 days'$$), ($$pg_temp.fs('294276-12-31 23:59Z')$$, $$'1 s'$$), ('NULL', $$'1 s'$$)) AS v (fs, step);

-- top: how many rows, and what is no number of rows
SELECT count(*), (SELECT count(*) FROM series, top(fs, NULL, NULL)) FROM series, top(fs, NULL, NULL, 3);
SELECT t.try($$SELECT count(*) FROM top(pg_temp.fs('2026-01-01Z'), NULL, NULL, -1)$$, $$SELECT count(*) FROM top(NULL::flameseries, NULL, NULL)$$, $$SELECT sum(pg_temp.fs('2026-01-01Z'), NULL, NULL, '{a,NULL}')$$, $$SELECT sum(NULL::flameseries, NULL)$$, $$SELECT slice(NULL)$$);
\pset tuples_only off
\pset format aligned

-- trends of frames and of contexts, at both levels, one profile after the other
SELECT what, level, (SELECT count(*) FROM trend(fs, what, level)) AS rows, (SELECT count(*) FROM trend(fs, what, level) WHERE value <> 0) AS found,
	(SELECT count(*) FROM (SELECT at, instance, value FROM trend(fs, what, level) EXCEPT ALL SELECT at, instance, CASE level WHEN 'total' THEN frame_total(fg, what) ELSE frame_self(fg, what) END FROM profile) AS x) AS differ
FROM series, unnest('{f1,f3,g2,main,nobody,""}'::text[]) AS what, unnest('{total,self}'::text[]) AS level ORDER BY what COLLATE "C", level COLLATE "C";
SELECT count(*) AS out_of_order FROM (SELECT at, instance, lag(at) OVER (ORDER BY n) AS at_before, lag(instance) OVER (ORDER BY n) AS instance_before FROM series, trend(fs, 'f1') WITH ORDINALITY AS p (at, instance, value, n)) AS v
WHERE (at_before, instance_before COLLATE "C") > (at, instance COLLATE "C");
SELECT what, level, count(*) AS rows, sum(value) AS sum, (SELECT sum(CASE level WHEN 'total' THEN total_at(fg, what) ELSE value_at(fg, what) END) FROM profile) AS expected
FROM series, unnest('{main,main;f1,main;f1;g2;f3,f1,main;nobody,""}'::stackpath[]) AS what, unnest('{total,self}'::text[]) AS level, trend(fs, what, level)
GROUP BY what, level ORDER BY what, level COLLATE "C";
-- a literal is a frame; halves are exact; the empty path is everything
SELECT * FROM trend((SELECT flameseries_agg(at::timestamptz, fg, i) FROM (VALUES ('2026-01-01Z', flamegraph E'a;b 0.5\na -0.5\n 7', 'x'), ('2026-01-02Z', E'a;b 0.25\na;a;b 4', NULL)) AS v (at, fg, i)), 'a');
SELECT value FROM trend((SELECT flameseries_agg(at::timestamptz, fg) FROM (VALUES ('2026-01-01Z', flamegraph E'a;b 0.5\na -0.5\n 7'), ('2026-01-02Z', E'a;b 0.25\na;a;b 4')) AS v (at, fg)), ''::stackpath);
SELECT value FROM trend((SELECT flameseries_agg(at::timestamptz, fg) FROM (VALUES ('2026-01-01Z', flamegraph E'a;b 0.3333333333333333\n 7'), ('2026-01-02Z', E'a;b 1e300')) AS v (at, fg)), 'b');
\set VERBOSITY terse
SELECT trend(pg_temp.fs('2026-01-01Z'), 'a', 'node');
SELECT trend(pg_temp.fs('2026-01-01Z'), 'a', NULL);
SELECT * FROM trend((SELECT flameseries_agg('2026-01-01Z', E'a;b 1e308\na;c 1e308')), 'a');
SELECT frame_sum(pg_temp.fs('2026-01-01Z'), 'a', 'node');
SELECT frame_sum(pg_temp.fs('2026-01-01Z'), 'a', NULL);
SELECT frame_sum((SELECT flameseries_agg('2026-01-01Z', E'a;b 1e308\na;c 1e308')), 'a');
SELECT frame_sum((SELECT flameseries_agg(at::timestamptz, fg) FROM (VALUES ('2026-01-01Z', flamegraph 'a;b 1e308'), ('2026-01-02Z', 'a;b 1e308')) AS v (at, fg)), 'a');
-- halves are exact, and nothing is left of what takes itself away
SELECT frame_sum(fs, 'a'), frame_sum(fs, 'a', 'self'), frame_sum(fs, 'b', until => '2026-01-02Z'), frame_sum(fs, 'x'), frame_sum(NULL, 'a'), frame_sum(fs, NULL), frame_sum(fs, 'c', since => '2026-01-01Z')
FROM (SELECT flameseries_agg(at::timestamptz, fg) AS fs FROM (VALUES ('2026-01-01Z', flamegraph E'a;b 0.5\na -0.5\nc 7'), ('2026-01-02Z', E'a;b 0.25\na;a;b 4\nc -7')) AS v (at, fg)) AS s;
SELECT count(*) FROM (SELECT * FROM trend(NULL, 'a'::text) UNION ALL SELECT * FROM trend(pg_temp.fs('2026-01-01Z'), NULL::text)) AS v;
