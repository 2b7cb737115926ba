-- stats(fg), stats(fg, level), stats_level, entries: samples at the four levels.
\pset null NULL
CREATE TEMP TABLE runs (id int, fg flamegraph);
INSERT INTO runs VALUES (1, E'a;b;a 4\na;b;c 2\na 1\n 7'), (2, E'a;b;c 4\nd 3'), (3, NULL), (4, '');
SELECT level, profile_count(s), stats_level(s), s::text::flamestats = s AS text, t.receive('flamestats', flamestats_send(s)) = s::text AS sent, s::text::json ->> 'level' AS printed
FROM unnest(ARRAY['stack', 'node', 'frame', 'self']) level, LATERAL (SELECT stats(fg, level) AS s FROM runs) x;
-- in how many profiles, mean and deviation over all three
SELECT level, e.* FROM unnest(ARRAY['stack', 'node', 'frame', 'self']) WITH ORDINALITY l(level, i), LATERAL (SELECT stats(fg, level) AS s FROM runs) x, entries(s) e ORDER BY i, key;
-- stats(fg) is level stack, and its entries are those of avg, stddev and support_count
SELECT stats(fg) = stats(fg, 'stack') AS equal, stats_level(stats(fg)) FROM runs;
SELECT count(*) AS rows, bool_and(mean = avg -> key AND stddev = deviation -> key AND n = count -> key) AS agree
FROM (SELECT stats(fg) AS s, avg(fg), stddev(fg) AS deviation, support_count(fg) AS count FROM runs) x, entries(s);
-- the statistics of profiles at a level are those of their vectors at it
SELECT substr(flamestats_send(stats(fg, 'node')), 3) = substr(flamestats_send(stats(cumulate(fg))), 3) AS node, substr(flamestats_send(stats(fg, 'frame')), 3) = substr(flamestats_send(stats(frame_totals(fg))), 3) AS frame, substr(flamestats_send(stats(fg, 'self')), 3) = substr(flamestats_send(stats(k_context(fg - (flamegraph ' 1' * (fg -> '')), 0))), 3) AS self FROM runs;
-- the sum of the profiles follows from those of stacks, and from sums only
SELECT stats_sum(stats(fg)), stats_sum(stats(fg)) = sum(fg) AS equal, stats_sum(stats(fg) + stats(fg)) = sum(fg) * 2 AS twice FROM runs;
SELECT stats_sum(stats(v.fg)) AS cancelled FROM (VALUES (flamegraph E'a;b 2\nc 1'), (E'a;b -2\nc 1')) v(fg);
-- one profile has no deviation; none has no statistics
SELECT e.* FROM (SELECT stats(fg, 'self') AS s FROM runs WHERE id = 1) x, entries(s) e;
SELECT stats(fg, 'self') AS none, stats(fg) AS none_of_all FROM runs WHERE fg IS NULL;
SELECT count(*) FROM (SELECT stats(fg) AS s FROM runs WHERE id = 4) x, entries(s);
-- a level is needed for profiles only
SELECT stats(fg, NULL) FROM runs WHERE fg IS NULL;
-- together or in parts
SELECT level, (SELECT stats(fg, level) FROM runs WHERE id < 2) + (SELECT stats(fg, level) FROM runs WHERE id >= 2) = stats(fg, level) AS equal, stats_level((SELECT stats(fg, level) FROM runs WHERE id < 2) + (SELECT stats(fg, level) FROM runs WHERE id >= 2))
FROM runs, unnest(ARRAY['stack', 'node', 'frame', 'self']) level GROUP BY level ORDER BY level;
-- sums only, as avg keeps them, have neither counts nor deviations
CREATE AGGREGATE pg_temp.avg(flamegraph) (SFUNC = flamestats_accum, STYPE = flamestats, COMBINEFUNC = flamestats_combine);
SELECT e.* FROM (SELECT pg_temp.avg(fg) AS s FROM runs WHERE id < 3) x, entries(s) e;
SELECT stats_sum(pg_temp.avg(fg)) = sum(fg) AS sum FROM runs;
-- as window aggregates
SELECT id, profile_count(stats(fg, 'frame') OVER (ORDER BY id)) FROM runs ORDER BY id;
SELECT * FROM entries(NULL);
SELECT stats_level(NULL);
SELECT stats_sum(NULL);

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT stats(fg, l) FROM (VALUES (flamegraph 'a 1', 'stack'), ('a 1', 'node')) v(fg, l)$$,
	$$SELECT stats(fg, l) FROM (VALUES (flamegraph 'a 1', 'stack'), (NULL, 'node')) v(fg, l)$$,
	$$SELECT (SELECT stats(fg, 'frame') FROM runs) + (SELECT stats(fg, 'self') FROM runs)$$,
	$$SELECT stats(fg, 'frames') FROM runs$$,
	$$SELECT stats(fg, NULL) FROM runs$$,
	$$SELECT stats(fg, level => 'node') FROM runs$$,
	$$SELECT flamestats_accum_level(NULL, 'a 1', 'node')$$,
	$$SELECT stats_sum(stats(fg, 'node')) FROM runs$$,
	$$SELECT stats_sum(stats(fg)) FROM (VALUES (flamegraph 'a 1e308'), ('a 1e308')) v(fg)$$,
	$$SELECT entries('a 1')$$);
-- levels that contradict what they are of: damaged bytes, and another word
CREATE FUNCTION pg_temp.with_level(s flamestats, level int) RETURNS text LANGUAGE sql AS $$
	SELECT format('SELECT t.receive(''flamestats'', %L)', set_byte(flamestats_send(s), 1, level))
$$;
SELECT t.outcome(pg_temp.with_level(s, level)) FROM (SELECT stats(fg) AS s FROM runs) x, unnest(ARRAY[1, 2, 3, 4, 255]) level;
SELECT t.outcome(format('SELECT %L::flamestats', replace(s::text, '"node"', level))) FROM (SELECT stats(fg, 'node') AS s FROM runs) x, unnest(ARRAY['"stack"', '"frame"', '"nodes"', '""']) level;
-- total is another word for frame
\pset format aligned
\pset tuples_only off
SELECT stats(f, 'total') = stats(f, 'frame') AS stats, stats_level(stats(f, 'total')) AS level FROM (VALUES (flamegraph E'a;b 1\na;b;a 2')) v(f);
SELECT count(*) AS keys, count(*) FILTER (WHERE one = other) AS the_same
FROM (SELECT ARRAY[flamegraph 'a;b 1', E'a;b 2\na 1'] AS x, ARRAY[flamegraph 'a;b 7', E'a;b 9\nc 1'] AS y) v, compare_profiles(x, y, 'total') one JOIN compare_profiles(x, y, 'frame') other USING (key);
SELECT count(*) AS frames, count(*) FILTER (WHERE one = other) AS the_same
FROM (SELECT ARRAY[flamegraph 'a;b 1', E'a;b 2\na 1', 'a;b 4'] AS p, ARRAY[1, 2, 3.5]::float8[] AS m) v, frame_correlation(p, m, level => 'total') one JOIN frame_correlation(p, m, level => 'frame') other USING (frame);
-- Aggregates over the same rows on disk share what is decoded: of groups, of groups one after the other, and of one level alone.
CREATE TABLE on_disk AS SELECT i AS id, i % 3 AS part, flamegraph_agg(ARRAY['main', md5(((i * k) % 500)::text), md5((k % 7)::text)], i + k) AS fg
FROM generate_series(1, 9) i, generate_series(1, 1000) k GROUP BY i ORDER BY i;
SELECT count(*) AS profiles, bool_and(pg_column_size(fg) > 3000) AS out_of_line FROM on_disk;
CREATE FUNCTION pg_temp.apart(wanted int, level text) RETURNS flamestats LANGUAGE sql AS $$
	SELECT stats(fg + '', level ORDER BY id) FROM on_disk WHERE wanted IS NULL OR part = wanted
$$;
CREATE FUNCTION pg_temp.as_apart(part int, s flamestats[]) RETURNS bool LANGUAGE sql AS $$
	SELECT s::text[] = ARRAY[pg_temp.apart(part, 'stack'), pg_temp.apart(part, 'node'), pg_temp.apart(part, 'frame'), pg_temp.apart(part, 'self')]::text[]
$$;
SELECT pg_temp.as_apart(NULL, ARRAY[stats(fg, 'stack'), stats(fg, 'node'), stats(fg, 'frame'), stats(fg, 'self')]) AS together FROM (SELECT fg FROM on_disk ORDER BY id) x;
SET enable_sort = off;
-- in the order of the table, on which the last digits depend: no sort below the groups
WITH groups AS MATERIALIZED (SELECT part, pg_temp.as_apart(part, ARRAY[stats(fg, 'stack'), stats(fg, 'node'), stats(fg, 'frame'), stats(fg, 'self')]) AS hashed FROM on_disk GROUP BY part) SELECT * FROM groups ORDER BY part;
SET enable_sort = on;
SET enable_hashagg = off;
SELECT part, pg_temp.as_apart(part, ARRAY[stats(fg, 'stack'), stats(fg, 'node'), stats(fg, 'frame'), stats(fg, 'self')]) AS sorted FROM (SELECT part, fg FROM on_disk ORDER BY part, id) x GROUP BY part ORDER BY part;
RESET enable_hashagg;
RESET enable_sort;
-- two columns in turns
SELECT stats(a.fg, 'node') = pg_temp.apart(1, 'node') AS first, stats(b.fg, 'node') = pg_temp.apart(2, 'node') AS second, stats(a.fg, 'self') = pg_temp.apart(1, 'self') AS third
FROM (SELECT row_number() OVER (ORDER BY id) AS n, fg FROM on_disk WHERE part = 1) a JOIN (SELECT row_number() OVER (ORDER BY id) AS n, fg FROM on_disk WHERE part = 2) b USING (n);
DROP TABLE on_disk;
