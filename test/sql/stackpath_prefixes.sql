-- More of stackpath: common prefixes, positions, the end of a range of
-- descendants, sets of frames.
\pset null NULL

-- lca: the longest common prefix, the paths themselves included
SELECT a, b, lca(a, b), lca(b, a) = lca(a, b) AS symmetric, lca(ARRAY[a, b]) = lca(a, b) AS array
FROM (VALUES (stackpath 'a;b', stackpath 'a;b;c'), ('a;b', 'a;b'), ('a;b;c', 'a;b;d'), ('a;b', 'a;bc'), ('ab', 'a'), ('a', 'b'), ('', 'a'), ('', ''), ('a\;b', 'a;b'), ('a;b;a;b', 'a;b;a;c'), ('é;日', 'é;本'), ('é', 'è'), ('main;f;f;f', 'main;f;f;f;f')) v(a, b);
SELECT p AS paths, lca(p)
FROM (VALUES ('{}'::stackpath[]), ('{a;b}'), ('{a;b;c,a;b;d,a;b}'), ('{a;b;c,a;b;d,a;x}'), ('{a,b}'), ('{a;b,""}'), ('{{a;b;c,a;b},{a;b;d,a;b;e}}'), ('[5:6]={a;b,a;c}'), (NULL)) v(p);
SELECT n AS paths, lca_agg(p), lca(array_agg(p)) AS lca FROM (VALUES (1, stackpath 'a;b;c'), (1, 'a;b;d'), (1, 'a;b'), (2, 'a;b'), (2, ''), (3, 'a;b'), (3, 'b;a')) v(n, p) GROUP BY n ORDER BY n;
-- nulls are ignored by the aggregate
SELECT lca_agg(p) FROM (VALUES (stackpath 'a;b'), (NULL), ('a;c')) v(p);
SELECT lca_agg(p) FROM (VALUES (NULL::stackpath), (NULL)) v(p);
SELECT lca_agg(p) FROM (SELECT stackpath 'a' WHERE false) v(p);
SELECT lca_agg(stackpath(ARRAY['main', 'f' || i % 1, 'g' || i])) AS many, lca_agg(stackpath(ARRAY['main', 'g' || i])) FILTER (WHERE i > 5) AS filtered, lca_agg(DISTINCT stackpath(ARRAY['main', 'h'])) AS same FROM generate_series(1, 1000) i;
SELECT i, lca_agg(p) OVER (ORDER BY i) FROM (VALUES (1, stackpath 'a;b;c'), (2, 'a;b;d'), (3, 'a;x'), (4, NULL), (5, 'b')) v(i, p);
-- the common prefix is the last common ancestor
SELECT bool_and(lca(a, b) @> a AND lca(a, b) @> b AND NOT (depth(a) > depth(lca(a, b)) AND subpath(a, 0, depth(lca(a, b)) + 1) @> b)) AS last_common, count(DISTINCT lca(a, b)) > 10 AS varied
FROM (SELECT stackpath(ARRAY(SELECT 'f' || t.random(format('a %s %s', i, d), 2) FROM generate_series(1, t.random('a' || i, 7)) d)) AS a, stackpath(ARRAY(SELECT 'f' || t.random(format('b %s %s', i, d), 2) FROM generate_series(1, t.random('b' || i, 7)) d)) AS b FROM generate_series(1, 500) i) v;

-- position_of: where the frames of sub first follow each other; -1 when nowhere
SELECT p, s, position_of(p, s)
FROM (VALUES (stackpath 'a;b;c;b;c', stackpath 'b'), ('a;b;c;b;c', 'b;c'), ('a;b;c;b;c', 'a'), ('a;b;c;b;c', 'c;b'), ('a;b;c;b;c', 'c;b;c'), ('a;b;c;b;c', 'a;b;c;b;c'), ('a;b;c;b;c', 'a;b;c;b;c;d'), ('a;b;c;b;c', 'a;c'), ('a;b;c;b;c', 'B'), ('a;b', ''), ('', ''), ('', 'a'), ('ab;b', 'b'), ('a\;b;b', 'b'), ('a;a;a;b', 'a;a;b'), ('é;日;本', '日'), ('a;b', 'a\;b'), ('xa;b', 'a;b'), ('a;bx;b', 'a;b')) v(p, s);
SELECT n AS start, position_of(stackpath 'a;b;c;b;c', 'b', n) AS b, position_of(stackpath 'a;b;c;b;c', 'b;c', n) AS bc, position_of(stackpath 'a;b;c;b;c', 'a', n) AS a, position_of(stackpath 'a;b;c;b;c', '', n) AS empty, position_of(stackpath '', 'a', n) AS in_empty
FROM unnest(ARRAY[-2147483648, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 2147483647]) n;
-- against a search by subpath
SELECT count(*) AS wrong FROM (SELECT stackpath(ARRAY(SELECT 'f' || t.random(format('p %s %s', i, d), 2) FROM generate_series(1, 8) d)) AS p, stackpath(ARRAY(SELECT 'f' || t.random(format('s %s %s', i, d), 2) FROM generate_series(1, 1 + t.random('s' || i, 4)) d)) AS s, t.random('start' || i, 8) AS start FROM generate_series(1, 500) i) v
WHERE position_of(p, s, start) IS DISTINCT FROM coalesce((SELECT min(n) FROM generate_series(start, 8 - depth(s)) n WHERE subpath(p, n, depth(s)) = s), -1) OR position_of(p, s, start - 8) <> position_of(p, s, start) OR position_of(p, s, 0) <> position_of(p, s);

-- stackpath_upper: x <@ path means x >= path and x < stackpath_upper(path)
SELECT p AS path, stackpath_upper(p) > p AS above, starts_with(stackpath_upper(p)::text, p::text) AS starts_with_it, depth(stackpath_upper(p)) AS depth, stackpath_upper(p) <@ p AS descendant
FROM (VALUES (stackpath 'a'), ('a;b'), (''), ('é;日'), (E'\x01'), (E'a;\x01')) v(p);
SELECT stackpath_upper('a') = (E'a\x01')::stackpath AS as_promised, stackpath_upper('') AS no_end;
CREATE TEMP TABLE paths AS SELECT DISTINCT stackpath(ARRAY(SELECT (ARRAY['a', 'b', 'a b', 'ab', E'\x01', E'a\x01', E'a\x01b', ' ', E'a\x02', 'é', '🔥', E'\x7f', 'a;', '\'])[1 + t.random(format('f %s %s', i, d), 14)] FROM generate_series(1, t.random('d' || i, 5)) d)) AS p FROM generate_series(1, 800) i;
SELECT count(*) AS pairs, count(*) FILTER (WHERE x.p <@ q.p) > 1000 AS hits, count(*) FILTER (WHERE (x.p <@ q.p) <> (x.p >= q.p AND (q.p = '' OR x.p < stackpath_upper(q.p)))) AS wrong FROM (SELECT p FROM paths) x, paths q;
-- with a btree: the empty path, one frame, frames that hold \x01 and blanks
CREATE INDEX paths_btree ON paths (p);
ANALYZE paths;
CREATE FUNCTION pg_temp.counted(condition text, OUT by_index bigint, OUT by_scan bigint, OUT plan text) LANGUAGE plpgsql AS $$
BEGIN
	SET LOCAL enable_indexscan = off; SET LOCAL enable_indexonlyscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_seqscan = on;
	EXECUTE 'SELECT count(*) FROM paths WHERE ' || condition INTO by_scan;
	SET LOCAL enable_indexscan = on; SET LOCAL enable_seqscan = off;
	EXECUTE 'SELECT count(*) FROM paths WHERE ' || condition INTO by_index;
	EXECUTE 'EXPLAIN (COSTS OFF, FORMAT json) SELECT count(*) FROM paths WHERE ' || condition INTO plan;
	plan := replace(coalesce(plan::json #>> '{0,Plan,Plans,0,Index Cond}', 'no condition'), E'\x01', '\x01');
END
$$;
-- unaligned: psql 14 takes 🔥 for one column wide
\pset format unaligned
SELECT condition, by_index = by_scan AS equal, by_scan > 0 AS found, plan
FROM (VALUES ($$p <@ ''$$), ($$p <@ 'a'$$), ($$p <@ 'a;b'$$), ($$p <@ E'\x01'$$), ($$p <@ E'a\x01'$$), ($$p <@ ' '$$), ($$p <@ 'a b'$$), ($$'a' @> p$$), ($$p @> 'a;b'$$), ($$p @> ''$$), ($$'a;b;a' <@ p$$), ($$p <@ 'nowhere'$$), ($$p <@ NULL$$), ($$p <@ 'a' AND p > 'a;b'$$), ($$p <@ '🔥'$$)) v(condition), pg_temp.counted(condition);
\pset format aligned

-- ? ?| ?& and their function twins
SELECT p AS path, f AS frame, p ? f AS "?", has_frame(p, f) FROM (VALUES (stackpath 'a;b', 'a'), ('a;b', 'b'), ('a;b', 'c'), ('a;b', ''), ('a;b', 'a;b'), ('a\;b', 'a;b'), ('a;b', 'A'), ('ab', 'a'), ('', 'a'), ('', ''), ('é;日', '日'), ('a;b', ' a'), ('C:\\x', 'C:\x'), ('a;b', '*')) v(p, f);
SELECT p AS path, f AS frames, p ?| f AS "?|", p ?& f AS "?&", has_any_frame(p, f), has_all_frames(p, f)
FROM (VALUES (stackpath 'a;b;c', '{a}'::text[]), ('a;b;c', '{a,x}'), ('a;b;c', '{x,y}'), ('a;b;c', '{c,a,b}'), ('a;b;c', '{a,b,c,d}'), ('a;b;c', '{}'), ('', '{}'), ('', '{a}'), ('a;b;c', '{a,NULL}'), ('a;b;c', '{x,NULL}'), ('a;b;c', '{NULL,NULL}'), ('a;b;c', '{{a,b},{c,a}}'), ('a;b;c', '{{a,x},{c,a}}'), ('a;b;c', '{a,a}'), ('a;b;c', '{""}'), ('a;a', '{a}')) v(p, f);
-- many frames at once, as each alone
SELECT count(*) AS compared, count(*) FILTER (WHERE (p ?| f) <> (SELECT bool_or(p ? e) FROM unnest(f) e) OR (p ?& f) <> (SELECT bool_and(p ? e) FROM unnest(f) e)) AS wrong, count(*) FILTER (WHERE p ?| f) AS "any", count(*) FILTER (WHERE p ?& f) AS "all"
FROM (SELECT stackpath(ARRAY(SELECT repeat('f', 1 + t.random(format('l %s %s', i, d), 3)) || t.random(format('p %s %s', i, d), 12) FROM generate_series(1, t.random(format('n %s', i), 60)) d)) AS p, ARRAY(SELECT repeat('f', 1 + t.random(format('m %s %s', i, d), 3)) || (t.random(format('q %s %s', i, d), 12) / (1 + i % 5) + CASE WHEN i % 4 = 0 THEN 12 ELSE 0 END) FROM generate_series(1, 1 + i % 40) d) AS f FROM generate_series(1, 400) i) x;
SELECT has_any_frame(stackpath(array_fill('f'::text, ARRAY[60000])), ARRAY(SELECT 'function ' || i FROM generate_series(1, 100000) i)) AS quickly;
SELECT stackpath 'a;b' ? 'a' AS literal, stackpath 'a;b' ? '{a,b}' AS one_frame, stackpath 'a;b' ?| '{a,b}' AS literal_array, stackpath 'a;b' ?& ARRAY['a', 'b'] AS array, stackpath 'a;b' ? 'a'::varchar AS varchar;

-- null in, null out
SELECT lca(NULL, stackpath 'a') AS lca, lca(stackpath 'a', NULL) AS lca_2, lca(NULL::stackpath[]) AS lca_array, position_of(NULL, 'a') AS position_of, position_of('a', NULL), position_of('a', 'a', NULL), stackpath_upper(NULL) AS upper, stackpath 'a' ? NULL AS "?", NULL::stackpath ? 'a' AS "? 2", stackpath 'a' ?| NULL AS "?|", stackpath 'a' ?& NULL AS "?&", has_frame(NULL::stackpath, 'a') AS has_frame, has_any_frame(stackpath 'a', NULL) AS has_any, has_all_frames(NULL::stackpath, '{}') AS has_all;

-- deep and long
SELECT depth(lca(p, p || 'x')) AS lca, position_of(p || 'x;y', 'x;y') AS position, position_of(p, 'f;f;f', -3) AS from_end, position_of(p, 'f;f;f', -2) AS too_late, position_of(p, 'f;f;g') AS nowhere, p ? 'f' AS has, p ? 'g' AS has_not, length(stackpath_upper(p)::text) - length(p::text) AS upper FROM (SELECT (repeat('f;', 65532) || 'f')::stackpath AS p OFFSET 0) v;
SELECT position_of(p, (repeat('f;', 20000) || 'g')::stackpath) AS slow_search FROM (SELECT (repeat('f;', 65533) || 'f')::stackpath AS p OFFSET 0) v;
SELECT stackpath_upper(stackpath(ARRAY[repeat('x', 1048576)])) > stackpath(ARRAY[repeat('x', 1048576), 'y']) AS long_frame;

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT lca('a', 'b')$$,
	$$SELECT lca(ARRAY[stackpath 'a', NULL])$$,
	$$SELECT lca('{NULL}'::stackpath[])$$,
	$$SELECT lca('{a;b,a;c}')$$,
	$$SELECT lca(VARIADIC ARRAY[stackpath 'a', 'b'])$$,
	$$SELECT lca(stackpath 'a', stackpath 'b', stackpath 'c')$$,
	$$SELECT lca_agg('a')$$,
	$$SELECT position_of('a', 'a;')$$,
	$$SELECT position_of('a;b', 'b')$$,
	$$SELECT stackpath 'a' ? 1$$,
	$$SELECT stackpath 'a' ?| 'a'$$,
	$$SELECT stackpath 'a' ?& ARRAY[stackpath 'a']$$,
	$$SELECT stackpath 'a' ?| '{{a}'$$,
	$$SELECT has_frame('a;b', 'a')$$);
