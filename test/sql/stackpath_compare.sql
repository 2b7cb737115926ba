-- Order, equality and hashing of stackpath: bytewise frame by frame, a prefix
-- first, whatever the collation is.

CREATE TABLE paths (id serial, path stackpath);
INSERT INTO paths (path) VALUES ('a b'), ('a;c'), ('a'), ('a!;b'), ('a;b;c'), (E'a\u00a0b'), ('A;b'), (''), ('b'), ('ä'), ('z'), ('a;b'), ('a;B'),
	('e'), ('é'), (E'e\u0301'), (E'\uffee'), ('🔥'), ('日本;ü'), ('~'), (E'a\x01'), (E'a\x01;b'), ('a\;b'), ('aa'), ('a;'' '), ('a; '), ('10'), ('9'), ('a;b;'' ');
SELECT path FROM paths ORDER BY path;
SELECT bool_and(descending = ascending) AS descending_is_reverse
FROM (SELECT path AS ascending, row_number() OVER (ORDER BY path) n FROM paths) a
	JOIN (SELECT path AS descending, row_number() OVER (ORDER BY path DESC) n FROM paths) d ON a.n + d.n = (SELECT count(*) + 1 FROM paths);
-- the order is that of the arrays of frames in collation "C"
SELECT bool_and((a.path < b.path) = (frames(a.path) COLLATE "C" < frames(b.path) COLLATE "C")) AS as_arrays, count(*)
FROM paths a, paths b;

-- operators and support functions agree
SELECT bool_and((a.path < b.path) = (stackpath_cmp(a.path, b.path) < 0)) AS lt, bool_and((a.path <= b.path) = (stackpath_cmp(a.path, b.path) <= 0)) AS le,
	bool_and((a.path = b.path) = (stackpath_cmp(a.path, b.path) = 0)) AS eq, bool_and((a.path <> b.path) = (stackpath_cmp(a.path, b.path) <> 0)) AS ne,
	bool_and((a.path >= b.path) = (stackpath_cmp(a.path, b.path) >= 0)) AS ge, bool_and((a.path > b.path) = (stackpath_cmp(a.path, b.path) > 0)) AS gt,
	bool_and(stackpath_cmp(a.path, b.path) = -stackpath_cmp(b.path, a.path)) AS antisymmetric,
	bool_and((a.path = b.path) = (a.id = b.id)) AS distinct
FROM paths a, paths b;
-- an ancestor comes before its descendants, and nothing else between them
SELECT count(*) AS broken
FROM paths a, paths b, paths c WHERE a.path @> c.path AND NOT a.path @> b.path AND b.path BETWEEN a.path AND c.path;
SELECT count(*) AS unequal_hashes
FROM paths WHERE stackpath_hash(path) <> stackpath_hash(path::text::stackpath)
	OR stackpath_hash_extended(path, 0) <> stackpath_hash_extended(path::text::stackpath, 0)
	OR stackpath_hash(path) <> stackpath_hash_extended(path, 0)::bit(32)::int;
SELECT count(DISTINCT stackpath_hash(path)) = count(*) AS distinct_hashes, count(DISTINCT stackpath_hash_extended(path, 1)) = count(*) AS distinct_extended,
	bool_or(stackpath_hash_extended(path, 1) <> stackpath_hash_extended(path, 2)) AS seed_matters FROM paths;
SELECT stackpath 'a' = NULL AS eq, NULL < stackpath 'a' AS lt, stackpath_cmp('a', NULL) AS cmp, stackpath_hash(NULL) AS hash;

-- DISTINCT and GROUP BY, hashed and sorted
INSERT INTO paths (path) SELECT path FROM paths;
SET enable_sort = off;
SELECT count(*), min(c), max(c) FROM (SELECT path, count(*) AS c FROM paths GROUP BY path) g;
RESET enable_sort;
SET enable_hashagg = off;
SELECT count(*), min(c), max(c) FROM (SELECT path, count(*) AS c FROM paths GROUP BY path) g;
SELECT count(*) FROM (SELECT DISTINCT path FROM paths) d;
RESET enable_hashagg;
SELECT count(*) FROM (SELECT path FROM paths UNION SELECT path FROM paths) u;
SELECT count(*) FROM (SELECT path FROM paths EXCEPT SELECT 'a;b') e;
SELECT path = ANY (ARRAY['x', 'a;b']::stackpath[]) AS any, path IN ('a;b', 'c') AS in FROM (VALUES (stackpath 'a;b')) v(path);

-- The plan of a query uses a node of this type, or an index of this name.
CREATE FUNCTION pg_temp.plan_has(query text, what text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN plan::text LIKE '%"' || what || '"%';
END
$$;

-- joins
SET enable_nestloop = off;
SET enable_mergejoin = off;
SELECT pg_temp.plan_has('SELECT * FROM paths a JOIN paths b USING (path)', 'Hash Join') AS hash_join;
SELECT count(*) FROM paths a JOIN paths b USING (path);
RESET enable_mergejoin;
SET enable_hashjoin = off;
SELECT pg_temp.plan_has('SELECT * FROM paths a JOIN paths b USING (path)', 'Merge Join') AS merge_join;
SELECT count(*) FROM paths a JOIN paths b USING (path);
RESET enable_hashjoin;
RESET enable_nestloop;

-- indexes
INSERT INTO paths (path) SELECT stackpath(ARRAY['f' || i % 10, 'g' || i % 100, 'h' || i]) FROM generate_series(1, 1000) i;
CREATE INDEX paths_btree ON paths (path);
CREATE INDEX paths_hash ON paths USING hash (path);
ANALYZE paths;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT pg_temp.plan_has($$SELECT * FROM paths WHERE path = 'a;b'$$, 'paths_hash') OR pg_temp.plan_has($$SELECT * FROM paths WHERE path = 'a;b'$$, 'paths_btree') AS by_index;
SELECT count(*) FROM paths WHERE path = 'a;b';
SELECT count(*) FROM paths WHERE path = 'f1;g1;h101';
SELECT count(*) FROM paths WHERE path = 'f1;g1;h102';
SELECT path FROM paths WHERE path > 'f9;g99' AND path < 'f9;g99;h3' ORDER BY path;
SELECT pg_temp.plan_has($$SELECT path FROM paths ORDER BY path LIMIT 1$$, 'paths_btree') AS order_by_index;
SELECT path FROM paths WHERE path >= 'f5' ORDER BY path LIMIT 3;
SELECT path FROM paths WHERE path <= 'f5' ORDER BY path DESC LIMIT 3;
DROP INDEX paths_btree;
SELECT pg_temp.plan_has($$SELECT * FROM paths WHERE path = 'a;b'$$, 'paths_hash') AS by_hash_index;
SELECT count(*) FROM paths WHERE path = 'a;b';
SELECT count(*) FROM paths WHERE path = '';
SELECT count(*) FROM paths WHERE path = 'f1;g1;h102';
RESET enable_seqscan;
RESET enable_bitmapscan;
DROP INDEX paths_hash;

-- a unique index finds duplicates
CREATE TEMP TABLE unique_paths (path stackpath PRIMARY KEY);
INSERT INTO unique_paths VALUES ('a;b'), ('a;b;c'), ('');
INSERT INTO unique_paths VALUES ('a;b') ON CONFLICT DO NOTHING;
SELECT t.try($$INSERT INTO unique_paths VALUES ('a;b')$$, $$INSERT INTO unique_paths VALUES ('')$$);
SELECT count(*) FROM unique_paths;

-- A btree takes stacks of up to some 2,700 compressed bytes, a hash index any.
SELECT SQLSTATE FROM (SELECT split_part(btrim(o), ' ', 1) AS SQLSTATE FROM t.outcome($$INSERT INTO unique_paths SELECT stackpath(array_agg(md5(i::text))) FROM generate_series(1, 300) i$$) o LIMIT 1) e;
CREATE TEMP TABLE long_paths (path stackpath);
CREATE INDEX ON long_paths USING hash (path);
INSERT INTO long_paths SELECT stackpath(array_agg(md5(i::text) ORDER BY i)) FROM generate_series(1, 300) i;
SELECT count(*) FROM long_paths WHERE path = (SELECT stackpath(array_agg(md5(i::text) ORDER BY i)) FROM generate_series(1, 300) i);

-- window functions; ancestors and descendants
SELECT path, rank() OVER (ORDER BY path) FROM paths WHERE path <@ 'a' ORDER BY path, id LIMIT 5;
SELECT count(*) FILTER (WHERE path @> 'a;b;c') AS ancestors, count(*) FILTER (WHERE path <@ 'f3') AS descendants, count(*) FILTER (WHERE path <@ '') = count(*) AS all_below_root FROM paths;
DROP TABLE paths;
