-- Aggregates: flamegraph_agg, sum, avg; serial and parallel, as window functions.
\pset null NULL
CREATE FUNCTION pg_temp.line(fg flamegraph) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT replace(fg::text, E'\n', ' | ')
$$;
CREATE FUNCTION pg_temp.plan_has(query text, what text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN plan::text LIKE '%"' || what || '"%';
END
$$;

-- flamegraph_agg(stack, value): paths, texts read as paths, arrays as they stand
SELECT pg_temp.line(flamegraph_agg(s::stackpath, v)) AS paths, pg_temp.line(flamegraph_agg(s, v)) AS texts, pg_temp.line(flamegraph_agg(string_to_array(s, ';'), v)) AS arrays
FROM (VALUES ('a;b', 1), ('a', 2.5), ('a;b', 3), ('', 4), ('b', -1)) x(s, v);
SELECT flamegraph_agg('a;b', 1) AS literal, flamegraph_agg('x\;y;z', 1) AS escaped, flamegraph_agg(ARRAY['x;y', 'z\'], 1) AS array, flamegraph_agg(ARRAY[]::text[], 1) AS root, flamegraph_agg('{a,b}', 1) AS text_not_array;
SELECT flamegraph_agg('#a', 1) AS hash, flamegraph_agg('\#a', 1) AS no_escape_in_a_path, flamegraph_agg('# a', 1) AS comment, flamegraph_agg(' ', 1) AS blank;
-- equal stacks add up; what cancels is gone; nulls are skipped; no rows: null; only zeros: empty
SELECT pg_temp.line(flamegraph_agg(s, v)) FROM (VALUES ('a', 1), ('a', -1), ('b;c', 2), (NULL, 3), ('d', NULL), (NULL, NULL)) x(s, v);
SELECT flamegraph_agg(s, v) FROM (VALUES ('a', 1)) x(s, v) WHERE false;
SELECT flamegraph_agg(s, v) FROM (VALUES (NULL, 1), ('a', NULL::float8)) x(s, v);
SELECT flamegraph_agg(s, v) = '' AS empty FROM (VALUES ('a', 0), ('b;c', 1), ('b;c', -1)) x(s, v);
SELECT g, pg_temp.line(flamegraph_agg(s, v)) FROM (VALUES (1, 'a', 1), (2, 'a', 2), (1, 'b', 3), (3, NULL, 4), (2, 'a;b', 5)) x(g, s, v) GROUP BY g ORDER BY g;
SELECT pg_temp.line(flamegraph_agg(s, v) FILTER (WHERE v > 1)) AS filter, pg_temp.line(flamegraph_agg(DISTINCT s, v)) AS distinct, pg_temp.line(flamegraph_agg(s, v ORDER BY v DESC)) AS ordered
FROM (VALUES ('a', 1), ('a', 2), ('a', 2), ('b', 3)) x(s, v);
-- many rows in any order make the value that their text makes
SELECT flamegraph_agg(s, v ORDER BY v) = (string_agg(s || ' ' || v, E'\n'))::flamegraph AS as_text, flamegraph_agg(s, v ORDER BY md5(s)) = flamegraph_agg(s, v ORDER BY s COLLATE "C") AS any_order, nstacks(flamegraph_agg(s, v)), total(flamegraph_agg(s, v))
FROM (SELECT format('main;f%s;g%s', i % 37, i % 101) AS s, i AS v FROM generate_series(1, 10000) i) x;

-- sum: algebra by rows
SELECT pg_temp.line(sum(f)) FROM (VALUES (flamegraph E'A;B 1\nA 2'), (NULL), (E'A;B 2\nX;Y 1\nA -2'), ('')) v(f);
SELECT sum(f) FROM (VALUES (flamegraph 'a 1')) v(f) WHERE false;
SELECT sum(f) FROM (VALUES (NULL::flamegraph), (NULL)) v(f);
SELECT sum(f) AS one, sum(f) = '' AS is_empty FROM (VALUES (flamegraph '')) v(f);
SELECT sum(f) = f AS one_row FROM (VALUES (flamegraph E'a;b 0.1\n 3')) v(f) GROUP BY f;
SELECT sum(DISTINCT f) AS distinct, sum(f) FILTER (WHERE f <> 'a 1') AS filter FROM (VALUES (flamegraph 'a 1'), ('a 1'), ('a 2')) v(f);
-- avg: a missing stack counts as 0: avg_missing_is_zero
SELECT pg_temp.line(avg(f)), total(avg(f)) FROM (VALUES (flamegraph E'a 4\nb 2'), ('a 2'), (''), (E'a 2\nc 1')) v(f);
SELECT pg_temp.line(avg(f)) FROM (VALUES (flamegraph E'a 4\nb 2'), (NULL), ('a 2'), (''), (E'a 2\nc 1'), (NULL)) v(f);
SELECT avg(f) FROM (VALUES (flamegraph 'a 1')) v(f) WHERE false;
SELECT avg(f) FROM (VALUES (NULL::flamegraph)) v(f);
SELECT avg(f) = '' AS empty FROM (VALUES (flamegraph 'a 1'), ('a -1')) v(f);
SELECT pg_temp.line(avg(f)) AS thirds FROM (VALUES (flamegraph 'a 1'), ('b 1'), ('c 1')) v(f);
-- several at once, grouped
SELECT g, pg_temp.line(sum(f)) AS sum, pg_temp.line(avg(f)) AS avg, count(f), pg_temp.line(sum(f) / count(f)) AS by_hand
FROM (VALUES (1, flamegraph 'a 1'), (1, 'a 3'), (2, 'a;b 5'), (2, NULL), (3, NULL)) v(g, f) GROUP BY g HAVING count(f) > 0 ORDER BY g;
SELECT sum(sum(f)) OVER () FROM (VALUES (1, flamegraph 'a 1'), (1, 'a 3'), (2, 'a;b 5')) v(g, f) GROUP BY g;

SELECT g, h, pg_temp.line(sum(f)) AS sum, pg_temp.line(avg(f)) AS avg FROM (VALUES (1, 1, flamegraph 'a 1'), (1, 2, 'a 3'), (2, 1, 'b 5'), (2, 1, NULL)) v(g, h, f) GROUP BY ROLLUP (g, h) ORDER BY g, h;
SELECT g, h, pg_temp.line(flamegraph_agg(s, v)) AS agg FROM (VALUES (1, 1, 'a', 1), (1, 2, 'a', 3), (2, 1, 'b', 5), (2, 1, NULL, 2)) v(g, h, s, v) GROUP BY CUBE (g, h) ORDER BY g, h;
-- columns of other types convert
SELECT flamegraph_agg('a;b'::varchar, 1::bigint) AS varchar_bigint, flamegraph_agg('a;b'::char(6), 1::numeric) AS char_numeric, flamegraph_agg('a'::name, 1::real) AS name_real, flamegraph_agg(ARRAY['a', 'b']::varchar[], 1::smallint) AS array_smallint;

-- running windows: every row sees its own value
SELECT i, pg_temp.line(sum(f) OVER w) AS sum, pg_temp.line(avg(f) OVER w) AS avg, pg_temp.line(flamegraph_agg('s' || i % 2, i) OVER w) AS agg
FROM (VALUES (1, flamegraph 'a 2'), (2, 'b 4'), (3, NULL), (4, E'a 6\nb -4')) v(i, f) WINDOW w AS (ORDER BY i) ORDER BY i;
SELECT i, pg_temp.line(sum(f) OVER (ORDER BY i)) AS peers FROM (VALUES (1, flamegraph 'a 1'), (1, 'b 1'), (2, 'c 1')) v(i, f) ORDER BY i;
SELECT i, pg_temp.line(sum(f) OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)) AS moving, pg_temp.line(avg(f) OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)) AS avg
FROM (VALUES (1, flamegraph 'a 2'), (2, 'b 4'), (3, NULL), (4, E'a 6\nb -4'), (5, NULL), (6, NULL)) v(i, f) ORDER BY i;
-- a state that is used twice, and values that came out before stay
CREATE AGGREGATE pg_temp.both(flamegraph) (SFUNC = flamegraph_sum_accum, STYPE = flamegraph, INITCOND = 'start 1');
SELECT pg_temp.line(pg_temp.both(f)) AS with_start, pg_temp.line(sum(f)) AS sum FROM (VALUES (flamegraph 'a 1'), ('b 2')) v(f);
SELECT pg_temp.line(pg_temp.both(f)) AS start_only FROM (VALUES (flamegraph 'a 1')) v(f) WHERE false;
-- an aggregate over what an aggregate made
SELECT pg_temp.line(sum(s)) AS sums, pg_temp.line(avg(s)) AS avg FROM (SELECT sum(f) AS s FROM (VALUES (1, flamegraph 'a 1'), (1, 'a 3'), (2, 'a;b 5')) v(g, f) GROUP BY g) x;
SELECT pg_temp.line(sum(f)) = pg_temp.line(sum(f)) AS same, pg_temp.line(sum(f) + sum(f)) AS doubled, pg_temp.line(sum(f) - avg(f)) AS minus FROM (VALUES (flamegraph 'a 1'), ('a 3')) v(f);

-- the transition functions by themselves leave their arguments alone
SELECT pg_temp.line(flamegraph_sum_accum('a 1', 'b 2')) AS sum_accum, flamegraph_sum_accum(NULL, 'a 1') AS null_state, flamegraph_sum_accum('a 1', NULL) AS null_value;
WITH v AS MATERIALIZED (SELECT flamegraph 'a 1' AS f) SELECT flamegraph_sum_accum(f, 'b 2') IS NOT NULL AS called, f FROM v;

-- partial aggregation gives the same values, bit for bit for whole counts
CREATE TABLE runs (id int, g int, stack stackpath, value float8, fg flamegraph);
INSERT INTO runs SELECT i, i % 3, s, i % 17 + 1, flamegraph_agg(s, i % 17 + 1)
FROM (SELECT i, stackpath(ARRAY['main', 'f' || t.random('p' || i, 20), 'g' || t.random('q' || i, 50)]) AS s FROM generate_series(1, 3000) i) x GROUP BY i, s;
ALTER TABLE runs SET (parallel_workers = 2);
ANALYZE runs;
SELECT sum(fg) AS sum, avg(fg) AS avg, flamegraph_agg(stack, value) AS by_path, flamegraph_agg(stack::text, value) AS by_text, flamegraph_agg(stack::text[], value) AS by_array FROM runs \gset serial_
SELECT :'serial_sum'::flamegraph = :'serial_by_path'::flamegraph AS path, :'serial_sum'::flamegraph = :'serial_by_text'::flamegraph AS text, :'serial_sum'::flamegraph = :'serial_by_array'::flamegraph AS array, :'serial_sum'::flamegraph / 3000 = :'serial_avg'::flamegraph AS avg, total(:'serial_sum') AS total, nstacks(:'serial_sum') AS nstacks;
-- the state stays expanded from row to row: it is flattened once a group, as DEBUG1 tells
-- (serial: a leader that takes part in a parallel plan flattens its partial results, too, when it comes to that)
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = debug1;
SELECT g, length(flamegraph_send(sum(fg))) > 0 AS sum FROM runs GROUP BY g ORDER BY g;
SELECT g, length(flamegraph_send(flamegraph_agg(stack, value))) > 0 AS by_path, length(flamegraph_send(flamegraph_agg(stack::text, value))) > 0 AS by_text FROM runs GROUP BY g ORDER BY g;
RESET client_min_messages;
SELECT g, total(sum(fg)), nnodes(sum(fg)), total(flamegraph_agg(stack, value)), nstacks(avg(fg)) > 0 AS avg FROM runs GROUP BY g ORDER BY g;
RESET max_parallel_workers_per_gather;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
SELECT pg_temp.plan_has('SELECT sum(fg), avg(fg), flamegraph_agg(stack, value), flamegraph_agg(stack::text, value), flamegraph_agg(stack::text[], value) FROM runs', 'Gather') AS parallel;
SELECT sum(fg) = :'serial_sum'::flamegraph AS sum, avg(fg) = :'serial_avg'::flamegraph AS avg, flamegraph_agg(stack, value) = :'serial_sum'::flamegraph AS by_path, flamegraph_agg(stack::text, value) = :'serial_sum'::flamegraph AS by_text, flamegraph_agg(stack::text[], value) = :'serial_sum'::flamegraph AS by_array FROM runs;
SELECT sum(s) = :'serial_sum'::flamegraph AS groups_sum_up FROM (SELECT g, sum(fg) AS s FROM runs GROUP BY g) x;
SELECT sum(fg) IS NULL AS sum, avg(fg) IS NULL AS avg, flamegraph_agg(stack, value) IS NULL AS agg FROM runs WHERE id < 0;
SET parallel_leader_participation = on;
SELECT sum(fg) = :'serial_sum'::flamegraph AS sum, avg(fg) = :'serial_avg'::flamegraph AS avg FROM runs;
RESET ALL;
-- hashed groups
SELECT bool_and(s = (SELECT sum(fg) FROM runs r WHERE r.g = x.g)) AS groups FROM (SELECT g, sum(fg) AS s FROM runs GROUP BY g) x;
DROP TABLE runs;

--
-- Bad input
--
\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT flamegraph_agg('a', 'NaN')$$,
	$$SELECT flamegraph_agg('a', 'Infinity')$$,
	$$SELECT flamegraph_agg(stackpath 'a', '-Infinity')$$,
	$$SELECT flamegraph_agg('a;', 1)$$,
	$$SELECT flamegraph_agg(E'a;b\nc', 1)$$,
	$$SELECT flamegraph_agg(ARRAY['a', NULL], 1)$$,
	$$SELECT flamegraph_agg(ARRAY['a', ''], 1)$$,
	$$SELECT flamegraph_agg(ARRAY[['a'], ['b']], 1)$$,
	$$SELECT flamegraph_agg(repeat('f;', 65535) || 'f', 1)$$,
	$$SELECT flamegraph_agg('a', v) FROM (VALUES (1.7e308), (1.7e308)) x(v)$$,
	$$SELECT flamegraph_agg('', v) FROM (VALUES (-1.7e308), (-1.7e308)) x(v)$$,
	$$SELECT sum(f) FROM (VALUES (flamegraph 'a 1.7e308'), ('a 1.7e308')) x(f)$$,
	$$SELECT avg(f) FROM (VALUES (flamegraph 'a 1.7e308'), ('a 1.7e308')) x(f)$$,
	$$SELECT avg(f) FROM (VALUES (flamegraph 'a 5e-324'), ('')) x(f)$$);
SELECT t.try(
	$$SELECT flamegraph_agg_text('a 1', 'b', 2)$$,
	$$SELECT flamegraph_agg_stackpath(NULL, 'b', 2)$$,
	$$SELECT flamegraph_agg_array(NULL, '{b}', 2)$$,
	$$SELECT flamegraph_agg_text('a 1', NULL, 2)$$,
	$$SELECT flamestats_accum(NULL, 'a 1')$$,
	$$SELECT flamestats_combine(NULL, NULL)$$,
	$$SELECT flamestats_avg(NULL)$$);
