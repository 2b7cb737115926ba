-- The laws of the vector space, the canonical form and the round trips on random
-- values, and every result against a naive computation over rows in SQL.

-- Frames that are easily misread, in any language
CREATE FUNCTION pg_temp.frame(seed text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT (ARRAY['a', 'b', 'a b', 'a;b', ';', '\', '\\', '\;', 'a\', '#', '# a', '\#', ' ', '  ', '1', ' 1', 'é', '日本', '🔥', E'\t', E'\x01', 'A', 'ab', 'main', 'a;', ';a', 'C:\x', '"', '''', '{a,b}'])[1 + t.random(seed, 30)]
$$;
-- Values: small whole numbers, so that they often cancel; decimals; any double
CREATE FUNCTION pg_temp.number(kind int, seed text) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE kind WHEN 0 THEN t.random(seed, 13) - 6 WHEN 1 THEN (t.random(seed, 2001) - 1000) / 8.0
		ELSE (t.random(seed, 2001) - 1000) / 7.0 * 10.0 ^ (t.random('e' || seed, 41) - 20) END
$$;
CREATE TABLE entries (kind int, id int, stack text[], value float8);
INSERT INTO entries
SELECT id % 3, id, ARRAY(SELECT pg_temp.frame(format('f %s %s %s', id, i, d)) FROM generate_series(1, t.random(format('d %s %s', id, i), 6)) d), pg_temp.number(id % 3, format('%s %s', id, i))
FROM generate_series(1, 60) id, LATERAL generate_series(1, t.random('n' || id, 30)) i;
-- the naive vector: one row for each stack that does not cancel
CREATE TABLE vectors AS SELECT kind, id, stack, sum(value ORDER BY value) AS value FROM entries GROUP BY kind, id, stack HAVING sum(value ORDER BY value) <> 0;
CREATE TABLE v AS SELECT id % 3 AS kind, id, coalesce((SELECT flamegraph_agg(stack, value ORDER BY value) FROM entries e WHERE e.id = i.id), '') AS fg FROM generate_series(1, 60) AS i(id);
ANALYZE v;
CREATE FUNCTION pg_temp.rows_of(fg flamegraph) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
	SELECT coalesce(jsonb_agg(jsonb_build_array(frames(stack), value) ORDER BY stack), '[]') FROM stacks(fg)
$$;
SELECT count(*) AS profiles, bool_or(nstacks(fg) = 0) AS some_empty, bool_or(fg -> '' <> 0) AS some_with_root, max(nstacks(fg)) > 15 AS some_large, count(DISTINCT fg) > 50 AS distinct FROM v;

-- built right, and facts
SELECT bool_and(pg_temp.rows_of(fg) = coalesce((SELECT jsonb_agg(jsonb_build_array(stack, value) ORDER BY stack COLLATE "C") FROM vectors x WHERE x.id = v.id), '[]')) AS rows,
	bool_and(nstacks(fg) = (SELECT count(*) FROM vectors x WHERE x.id = v.id)) AS nstacks,
	bool_and(nnodes(fg) = (SELECT count(DISTINCT stack[:d]) FROM vectors x, generate_series(1, cardinality(stack)) d WHERE x.id = v.id)) AS nnodes,
	bool_and(nframes(fg) = (SELECT count(DISTINCT f) FROM vectors x, unnest(stack) f WHERE x.id = v.id)) AS nframes,
	bool_and(depth(fg) = coalesce((SELECT max(cardinality(stack)) FROM vectors x WHERE x.id = v.id), 0)) AS depth,
	bool_and(abs(total(fg) - coalesce((SELECT sum(value) FROM vectors x WHERE x.id = v.id), 0)) <= 1e-9 * norm(fg)) AS total,
	bool_and(abs(norm(fg) - coalesce((SELECT sum(abs(value)) FROM vectors x WHERE x.id = v.id), 0)) <= 1e-9 * norm(fg)) AS l1,
	bool_and(abs(norm(fg, 2) - coalesce((SELECT sqrt(sum(value ^ 2)) FROM vectors x WHERE x.id = v.id), 0)) <= 1e-9 * norm(fg, 2)) AS l2,
	bool_and(norm(fg, 'inf') = coalesce((SELECT max(abs(value)) FROM vectors x WHERE x.id = v.id), 0)) AS max
FROM v;
-- exact for whole numbers
SELECT bool_and(total(fg) = coalesce((SELECT sum(value) FROM vectors x WHERE x.id = v.id), 0)) AS total, bool_and(norm(fg) = coalesce((SELECT sum(abs(value)) FROM vectors x WHERE x.id = v.id), 0)) AS norm FROM v WHERE kind < 2;

-- round trips: text, packed text, binary, folded, rows, arrays
SELECT bool_and(fg::text::flamegraph = fg) AS text, bool_and(fg::text::flamegraph::text = fg::text) AS same_text,
	bool_and(('flamegraph:1:' || replace(encode(flamegraph_send(fg), 'base64'), E'\n', ''))::flamegraph = fg) AS packed,
	bool_and(flamegraph_to_folded(fg)::flamegraph = fg) AS folded, bool_and(flamegraph_to_folded(fg) = fg::text) AS folded_is_text,
	bool_and((SELECT coalesce(flamegraph_agg(stack, value), '') FROM stacks(fg)) = fg) AS by_path, bool_and((SELECT coalesce(flamegraph_agg(stack::text, value), '') FROM stacks(fg)) = fg) AS by_text,
	bool_and((SELECT coalesce(flamegraph_agg(stack::text[], value ORDER BY md5(stack::text)), '') FROM stacks(fg)) = fg) AS by_array,
	bool_and((SELECT coalesce(sum(flamegraph_agg), '') FROM (SELECT flamegraph_agg(stack, value) FROM stacks(fg) GROUP BY stack) x) = fg) AS sum_of_parts
FROM v;
-- lines in any order: of the tree, of the joined text as sort(1) puts them, reversed, mixed, each stack in parts
SELECT bool_and(coalesce((SELECT string_agg(line, E'\n' ORDER BY line COLLATE "C") FROM regexp_split_to_table(flamegraph_to_folded(fg), E'\n') line), '')::flamegraph = fg) AS sorted,
	bool_and(coalesce((SELECT string_agg(line, E'\n' ORDER BY line COLLATE "C" DESC) FROM regexp_split_to_table(flamegraph_to_folded(fg), E'\n') line), '')::flamegraph = fg) AS reversed,
	bool_and(coalesce((SELECT string_agg(line, E'\r\n' ORDER BY md5(line)) FROM regexp_split_to_table(flamegraph_to_folded(fg), E'\n') line), '')::flamegraph = fg) AS mixed,
	bool_and((flamegraph_to_folded(fg) || E'\n' || flamegraph_to_folded(- fg) || E'\n' || flamegraph_to_folded(fg))::flamegraph = fg) AS cancelled_and_back,
	bool_and((flamegraph_to_folded(fg) || E'\n' || flamegraph_to_folded(fg))::flamegraph = 2 * fg) AS doubled
FROM v;
SELECT bool_and(t.receive('flamegraph', flamegraph_send(fg)) = fg::text) AS binary FROM v WHERE id <= 20;
SELECT bool_and(stack::text::stackpath = stack AND stackpath(frames(stack)) = stack AND fg -> stack = value) AS paths FROM v, stacks(fg);

-- one value
SELECT bool_and(fg - fg = '') AS minus_itself, bool_and(fg + '' = fg AND '' + fg = fg AND fg - '' = fg) AS plus_nothing, bool_and('' - fg = - fg) AS from_nothing, bool_and(- (- fg) = fg) AS twice_negated, bool_and(fg * 1 = fg AND 1 * fg = fg AND fg / 1 = fg) AS times_1,
	bool_and(fg * 0 = '') AS times_0, bool_and(fg * -1 = - fg) AS times_minus_1, bool_and(fg * 2 = fg + fg) AS twice, bool_and(fg * 2 / 2 = fg) AS there_and_back, bool_and(fg * 3 = 3 * fg) AS commutes
FROM v;
SELECT bool_and(positive_part(fg) - negative_part(fg) = fg) AS parts, bool_and(positive_part(fg) + negative_part(fg) = absolute(fg)) AS absolute, bool_and(negative_part(fg) = positive_part(- fg)) AS mirrored, bool_and(total(absolute(fg)) = norm(fg)) AS norm, bool_and(absolute(- fg) = absolute(fg)) AS even,
	bool_and(norm(fg) >= 0 AND (norm(fg) = 0) = (fg = '')) AS definite, bool_and(abs(total(fg)) <= norm(fg)) AS total_below_norm, bool_and(norm(fg, 'inf') <= norm(fg, 2) * (1 + 1e-15) AND norm(fg, 2) <= norm(fg) * (1 + 1e-15)) AS norms_in_order, bool_and(norm(fg * -2) = 2 * norm(fg)) AS homogeneous, bool_and(@-@ fg = norm(fg)) AS operator,
	bool_and(similarity(fg, fg) = 1) AS similar_to_itself, bool_and(fg <-> fg = 0) AS distance_0, bool_and(norm(fg) = fg <-> '') AS distance_to_nothing
FROM v;
-- two values
SELECT count(*) AS pairs, bool_and(a.fg + b.fg = b.fg + a.fg) AS commutative, bool_and(a.fg - b.fg = a.fg + - b.fg) AS minus, bool_and(- (a.fg - b.fg) = b.fg - a.fg) AS reversed, bool_and(2 * (a.fg + b.fg) = 2 * a.fg + 2 * b.fg) AS distributive,
	bool_and(norm(a.fg + b.fg) <= (norm(a.fg) + norm(b.fg)) * (1 + 1e-12)) AS triangle, bool_and((a.fg <-> b.fg) = norm(a.fg - b.fg)) AS distance, bool_and((a.fg <-> b.fg) = (b.fg <-> a.fg)) AS symmetric, bool_and(similarity(a.fg, b.fg) = similarity(b.fg, a.fg) AND similarity(a.fg, b.fg) BETWEEN 0 AND 1) AS similarity,
	bool_and(norm(a.fg) + norm(b.fg) = 0 OR abs(similarity(a.fg, b.fg) - (1 - (a.fg <-> b.fg) / (norm(a.fg) + norm(b.fg)))) < 1e-12) AS by_definition, bool_and(distance(a.fg, b.fg, 2) = norm(a.fg - b.fg, 2) AND distance(a.fg, b.fg, 'inf') = norm(a.fg - b.fg, 'inf')) AS other_norms,
	bool_and(flamegraph_sum_accum(a.fg, b.fg) = a.fg + b.fg) AS accumulated
FROM v a, v b WHERE a.kind = b.kind;
-- sums and differences against rows
SELECT count(*) AS pairs, bool_and(pg_temp.rows_of(a.fg + b.fg) = coalesce(s.sum, '[]')) AS sums, bool_and(pg_temp.rows_of(a.fg - b.fg) = coalesce(s.difference, '[]')) AS differences
FROM v a JOIN v b ON a.kind = b.kind AND (a.id + b.id) % 4 = 0, LATERAL (
	SELECT jsonb_agg(jsonb_build_array(stack, p + m) ORDER BY stack COLLATE "C") FILTER (WHERE p + m <> 0) AS sum, jsonb_agg(jsonb_build_array(stack, p - m) ORDER BY stack COLLATE "C") FILTER (WHERE p - m <> 0) AS difference
	FROM (SELECT stack, coalesce(sum(value) FILTER (WHERE side = 1), 0) AS p, coalesce(sum(value) FILTER (WHERE side = 2), 0) AS m
		FROM (SELECT 1 AS side, stack, value FROM vectors x WHERE x.id = a.id UNION ALL SELECT 2, stack, value FROM vectors x WHERE x.id = b.id) u GROUP BY stack) w) s;
-- three values: associative for whole numbers and eighths
SELECT count(*) > 5000 AS many, bool_and((a.fg + b.fg) + c.fg = a.fg + (b.fg + c.fg)) AS associative, bool_and(a.fg + b.fg - b.fg = a.fg) AS cancels, bool_and((a.fg <-> c.fg) <= (a.fg <-> b.fg) + (b.fg <-> c.fg)) AS triangle
FROM v a JOIN v b USING (kind) JOIN v c USING (kind) WHERE kind < 2 AND (a.id + b.id + c.id) % 2 = 0;
-- aggregates: any order, any grouping
SELECT kind, sum(fg ORDER BY id) = sum(fg ORDER BY id DESC) AS any_order, sum(fg) = (SELECT sum(s) FROM (SELECT sum(fg) AS s FROM v w WHERE w.kind = v.kind GROUP BY id % 7) x) AS any_grouping,
	avg(fg) = sum(fg) / count(*) AS avg, avg(fg ORDER BY id) = avg(fg ORDER BY id DESC) AS avg_any_order, pg_temp.rows_of(sum(fg)) = (SELECT jsonb_agg(jsonb_build_array(stack, value) ORDER BY stack COLLATE "C") FROM (SELECT stack, sum(value) AS value FROM vectors x WHERE x.kind = v.kind GROUP BY stack HAVING sum(value) <> 0) y) AS as_rows
FROM v WHERE kind < 2 GROUP BY kind ORDER BY kind;
-- a linear combination node by node
SELECT bool_and(n.total = coalesce(x.total, 0) * 2 - coalesce(y.total, 0) AND n.self = coalesce(x.self, 0) * 2 - coalesce(y.self, 0)) AS nodes_are_linear
FROM v a JOIN v b ON b.id = a.id + 3, nodes(a.fg * 2 - b.fg) n LEFT JOIN LATERAL (SELECT * FROM nodes(a.fg)) x USING (stack) LEFT JOIN LATERAL (SELECT * FROM nodes(b.fg)) y USING (stack) WHERE a.kind < 2;

-- foreign folded text: escapes stand, empty frames and control characters do not
CREATE TABLE lines AS SELECT id, i, array_to_string(ARRAY(SELECT CASE f WHEN 7 THEN '' ELSE pg_temp.frame(format('l %s %s %s', id, i, d)) END FROM generate_series(1, 1 + t.random(format('k %s %s', id, i), 4)) d, t.random(format('m %s %s %s', id, i, d), 8) f), ';') AS path, pg_temp.number(id % 2, format('w %s %s', id, i)) AS value
FROM generate_series(1, 40) id, generate_series(1, 25) i;
SELECT count(*) > 100 AS some_empty FROM lines WHERE path ~ ';;|^;|;$';
SET client_min_messages = warning;
SELECT bool_and(flamegraph_from_folded(folded) = expected) AS cleaned, bool_and(flamegraph_from_folded(convert_to(folded, 'UTF8'), 'skip') = expected) AS bytes, bool_and(flamegraph_from_folded(E'\ufeff' || folded) = expected) AS after_a_mark
FROM (SELECT id, string_agg(path || ' ' || value, CASE id % 3 WHEN 0 THEN E'\r\n' ELSE E'\n' END ORDER BY CASE id % 4 WHEN 0 THEN path COLLATE "C" ELSE md5(path) END) AS folded,
		flamegraph_agg(ARRAY(SELECT CASE f WHEN '' THEN '[unknown]' ELSE regexp_replace(f, E'[\x01-\x1f\x7f]', ' ', 'g') END FROM unnest(CASE path WHEN '' THEN ARRAY[]::text[] ELSE string_to_array(path, ';') END) WITH ORDINALITY u(f, n) ORDER BY n), value) AS expected
	FROM lines WHERE path NOT LIKE '# %' AND path <> '#' GROUP BY id) x;
RESET client_min_messages;

DROP TABLE v, vectors, entries, lines;
