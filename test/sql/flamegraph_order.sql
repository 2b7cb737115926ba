-- Equality, hashing and order of flamegraph: equal as vectors; the order is
-- arbitrary, but total.

-- equal however they were written or made
SELECT a = b AS equal, a <> b AS unequal, flamegraph_hash(a) = flamegraph_hash(b) AS hash, flamegraph_hash_extended(a, 7) = flamegraph_hash_extended(b, 7) AS extended, flamegraph_cmp(a, b) AS cmp
FROM (VALUES (flamegraph E'a 1\nb 2', flamegraph E'# c\nb 2\r\na 0.5\na 0.5'), ('', 'a 0'), (E'a;b 1\nc 1', flamegraph E'a;b 2\nc 2' / 2), ('a 1e2', 'a 100'), ('a 0.5', flamegraph 'a 5' * 0.1), (E'a;b 3\nx 1', flamegraph E'a;b 1\nx;y;z 3' + E'a;b 2\nx 1' - 'x;y;z 3')) v(a, b);
-- and else not
SELECT a = b AS equal, a <> b AS unequal, flamegraph_cmp(a, b) = -flamegraph_cmp(b, a) AND flamegraph_cmp(a, b) <> 0 AS ordered
FROM (VALUES (flamegraph 'a 1', flamegraph 'a 2'), ('a 1', 'b 1'), ('a 1', 'a;a 1'), ('', ' 1'), ('a;b 1', 'a\;b 1'), ('a 0.30000000000000004', 'a 0.3'), (E'a\u00a0 1', 'a  1'), (E'e\u0301 1', E'\u00e9 1'), ('a 1', 'a -1'), ('A 1', 'a 1')) v(a, b);

-- operators and support functions agree; the order is total
CREATE TABLE profiles (id serial, fg flamegraph);
INSERT INTO profiles (fg) SELECT flamegraph_agg(ARRAY(SELECT 'f' || t.random(format('%s %s %s', i, j, k), 3) FROM generate_series(1, 1 + t.random(format('d %s %s', i, j), 3)) k), 1 + t.random(format('v %s %s', i, j), 5))
	FROM generate_series(1, 40) i, generate_series(1, 1 + i % 5) j GROUP BY i;
INSERT INTO profiles (fg) VALUES (''), ('a 1e300'), ('a -0.1');
SELECT bool_and((a.fg < b.fg) = (flamegraph_cmp(a.fg, b.fg) < 0)) AS lt, bool_and((a.fg <= b.fg) = (flamegraph_cmp(a.fg, b.fg) <= 0)) AS le,
	bool_and((a.fg = b.fg) = (flamegraph_cmp(a.fg, b.fg) = 0)) AS eq, bool_and((a.fg <> b.fg) = (flamegraph_cmp(a.fg, b.fg) <> 0)) AS ne,
	bool_and((a.fg >= b.fg) = (flamegraph_cmp(a.fg, b.fg) >= 0)) AS ge, bool_and((a.fg > b.fg) = (flamegraph_cmp(a.fg, b.fg) > 0)) AS gt,
	bool_and((a.fg = b.fg) = (a.fg::text = b.fg::text)) AS as_text, bool_and(a.fg <> b.fg OR flamegraph_hash(a.fg) = flamegraph_hash(b.fg)) AS hash,
	bool_and(flamegraph_cmp(a.fg, b.fg) = -flamegraph_cmp(b.fg, a.fg)) AS antisymmetric
FROM profiles a, profiles b;
SELECT count(*) AS intransitive FROM profiles a, profiles b, profiles c WHERE a.fg < b.fg AND b.fg < c.fg AND NOT a.fg < c.fg;
SELECT flamegraph_hash(fg) = flamegraph_hash_extended(fg, 0)::bit(32)::int AS seed_0, flamegraph_hash_extended(fg, 1) <> flamegraph_hash_extended(fg, 2) AS seed_matters FROM profiles WHERE id = 1;
SELECT count(*), bool_and(content_hash(fg)::text = (lpad(to_hex(flamegraph_hash_extended(fg, 1)), 16, '0') || lpad(to_hex(flamegraph_hash_extended(fg, 2)), 16, '0'))::uuid::text) AS both_hashes, content_hash(NULL) IS NULL AS of_null FROM profiles;

-- DISTINCT, GROUP BY, set operations, hashed and sorted
SELECT count(DISTINCT fg::text) AS n FROM profiles \gset
INSERT INTO profiles (fg) SELECT fg FROM profiles;
SET enable_sort = off;
SELECT count(*) = :n AS grouped, min(c) >= 2 AS twice FROM (SELECT fg, count(*) AS c FROM profiles GROUP BY fg) g;
RESET enable_sort;
SET enable_hashagg = off;
SELECT count(*) = :n AS grouped, min(c) >= 2 AS twice FROM (SELECT fg, count(*) AS c FROM profiles GROUP BY fg) g;
SELECT count(*) = :n AS distinct FROM (SELECT DISTINCT fg FROM profiles) d;
RESET enable_hashagg;
SELECT count(DISTINCT fg) = :n AS count_distinct FROM profiles;
SELECT count(*) = :n AS union FROM (SELECT fg FROM profiles UNION SELECT fg FROM profiles) u;
SELECT count(*) AS except FROM (SELECT fg FROM profiles EXCEPT SELECT fg FROM profiles) u;
SELECT bool_and(prev <= fg) AS sorted FROM (SELECT fg, lag(fg) OVER (ORDER BY fg) AS prev FROM profiles) o WHERE prev IS NOT NULL;

-- joins
SET enable_nestloop = off;
SET enable_mergejoin = off;
SELECT count(*) AS rows FROM profiles a JOIN profiles b ON a.fg = b.fg \gset hash_
RESET enable_mergejoin;
SET enable_hashjoin = off;
SELECT count(*) AS rows FROM profiles a JOIN profiles b ON a.fg = b.fg \gset merge_
RESET enable_hashjoin;
RESET enable_nestloop;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SELECT count(*) AS rows FROM profiles a JOIN profiles b ON a.fg = b.fg \gset loop_
RESET enable_hashjoin;
RESET enable_mergejoin;
SELECT :hash_rows = :merge_rows AS hash_and_merge, :hash_rows = :loop_rows AS hash_and_loop, :hash_rows = (SELECT sum(c * c) FROM (SELECT count(*) AS c FROM profiles GROUP BY fg::text) g) AS as_text;

-- a hash index for equality; a btree for what fits it
CREATE INDEX ON profiles USING hash (fg);
SET enable_seqscan = off;
SELECT count(*) FROM profiles WHERE fg = 'a 1e300';
RESET enable_seqscan;
CREATE TEMP TABLE unique_profiles (fg flamegraph UNIQUE);
INSERT INTO unique_profiles VALUES ('a 1'), ('a;b 1');
INSERT INTO unique_profiles VALUES ('a 1.0') ON CONFLICT DO NOTHING;
SELECT count(*) FROM unique_profiles;
\pset format unaligned
\pset tuples_only on
SELECT t.try($$INSERT INTO unique_profiles VALUES (E'a 0.5\na 0.5')$$);
\pset tuples_only off
\pset format aligned
-- stored and not, compressed and not
CREATE TEMP TABLE stored AS SELECT (SELECT flamegraph_agg(ARRAY['main', 'f' || i % 100, 'g' || i], i) FROM generate_series(1, 1000) i) AS fg;
SELECT fg = flamegraph_to_folded(fg)::flamegraph AS equal, fg = fg + '' AS sum, fg <> fg * 2 AS twice, flamegraph_hash(fg) = flamegraph_hash(fg::text::flamegraph) AS hash FROM stored;
SELECT flamegraph 'a 1' = NULL AS eq, NULL < flamegraph 'a 1' AS lt, flamegraph_cmp('a 1', NULL) AS cmp, flamegraph_hash(NULL) AS hash;
SELECT fg IS DISTINCT FROM NULL AS distinct_from_null, flamegraph '' IS NULL AS empty_is_not_null FROM stored;
DROP TABLE profiles;
