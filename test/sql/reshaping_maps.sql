-- Linear maps of profiles: every one on the cases of golden/algebra, on edge
-- cases, against a naive computation over rows, and f(a + b) = f(a) + f(b).
\pset null NULL

-- A value on one line, and the md5 of its text as golden/algebra gives it
CREATE FUNCTION pg_temp.line(fg flamegraph) RETURNS text LANGUAGE sql AS $$
	SELECT replace(fg::text, E'\n', ' | ')
$$;
CREATE FUNCTION pg_temp.md5(fg flamegraph) RETURNS text LANGUAGE sql AS $$
	SELECT md5(flamegraph_to_folded(fg))
$$;

--
-- golden/algebra
--
CREATE TEMP TABLE golden (name text, value flamegraph, md5 text, stacks int, total float8);
INSERT INTO golden
SELECT v.* FROM (SELECT flamegraph E'main;f;f;f;g 1\nmain;f;g;f;g 2\nmain;f;g 4\nmain;h;f;h;f;k 8\nf 16' AS f) x, LATERAL (VALUES
	('transform_focus', focus(f, 'f'), '1c771ef82ae4f509e90f6d03eb1cbfc3', 5, 31::float8),
	('transform_callers_of', callers_of(f, 'f'), 'c051114d2d455d4b4ef624a0e2b394d7', 3, 31),
	('transform_invert', invert(f), '96a38ec8f5102a6fe2b94a82851ad89b', 5, 31),
	('transform_collapse_direct', collapse_recursion(f), '93af0a900bc1ae247d6a5e6ecbc5f43f', 4, 31),
	('transform_collapse_direct', collapse_recursion(f, 'direct'), '93af0a900bc1ae247d6a5e6ecbc5f43f', 4, 31),
	('transform_collapse_cycles', collapse_recursion(f, 'cycles'), '131f103ab744a18314df70d8b1fe55ff', 3, 31),
	('transform_without', exclude_stacks(f, '*;g;*'), '1e9a5021103602ebbf350fdfd8f88269', 2, 24)) v;
INSERT INTO golden VALUES
	('transform_collapse_direct_inferno', collapse_recursion(E'main;recursive;recursive;recursive;helper 1\nmain;recursive;recursive;helper 2\nmain;not;recursive 4'), '3bc1f9ca0ed7413afa1f5a0a0945ffea', 2, 7),
	('transform_collapse_deep', collapse_recursion((repeat('f;', 4999) || 'f 3' || E'\n' || repeat('f;', 10) || 'g 4')::flamegraph), 'e96afe5729a62c4471d7521c8f8c58b7', 2, 7),
	('transform_cumulate', cumulate(E'A;B 1\nA;C;D 5\nA;C 1\nA 2'), '4c720fd5b38a48c927db8e2310b1acdf', 4, 21),
	('transform_k_context_2', k_context(E'r;a;b;c;v 3\nb;c;v 4\nc;v 5\nx;c;v 6', 2), 'ad3ef1aa612b843a0ef3e66254fefef8', 3, 18),
	('transform_strip_to_empty', strip_outer(E'P1;T1 21\nP1;T1;f 5\nP2;T2 4', 2), 'dfec2457809bf1927bb1b9d02e500283', 2, 30);
SELECT name, pg_temp.line(value) AS value, pg_temp.md5(value) = md5 AS md5, nstacks(value) = stacks AS stacks, total(value) = total AS total, @-@ value = total AS norm FROM golden;
-- transform_normalise_empty, and the sizes of rescale
SELECT rescale('') AS empty, rescale(E'a 1\nb -1') AS zero_total, pg_temp.line(rescale(E'a 3\nb;c 1')) AS one, pg_temp.line(rescale(E'a 3\nb;c 1', 100)) AS hundred, pg_temp.line(rescale(E'a 3\nb;c 1', 0)) AS zero, pg_temp.line(rescale(E'a 3\nb;c 1', -8)) AS negative, pg_temp.line(rescale(E'a -3\nb;c -1')) AS of_negative, pg_temp.line(rescale(E'a 3\nb;c -1', 10)) AS mixed;
SELECT pg_temp.line(rescale(E'a 1e308\nb 5e307')) AS huge, pg_temp.line(rescale(E'a 1e308', 1e308)) AS huge_target, pg_temp.line(rescale(E'a 2e-320\nb 2e-320')) AS tiny, pg_temp.line(rescale('a 3', 7)) AS seven, total(rescale(E'a 1\nb 1\nc 1', 100)) AS near_hundred;

--
-- Filters
--
SELECT pg_temp.line(filter_stacks(f, q)) AS filtered, pg_temp.line(exclude_stacks(f, q)) AS excluded, q AS query, filter_stacks(f, q) + exclude_stacks(f, q) = f AS whole
FROM (VALUES (flamegraph E' 7\nmain 1\nmain;parse 2\nmain;parse;read 3\nmain;print -4\nidle 5')) v(f), unnest('{main,main;*,!main;*,"*{0}",*,*;read;*,*;p*,x,"main;*{1,}",*;!read}'::stackquery[]) q;
-- the frames of what is gone are gone too
SELECT frames(exclude_stacks(E'a;b 1\nc;d 1', 'c;*')), nnodes(exclude_stacks(E'a;b 1\na;c 1', '*;b')), depth(filter_stacks(E'a;b;c;d 1\na 1', 'a'));
-- restrict: the values of these stacks
SELECT p AS paths, pg_temp.line(restrict(f, p)) FROM (VALUES (flamegraph E' 7\na 1\na;b -2\na;b;c 3\nd 4')) v(f), (VALUES ('{a}'::stackpath[]), ('{a;b,d}'), ('{d,a;b;c,""}'), ('{a,a,a}'), ('{}'), ('{x,a;x,b,a;b;c;d}'), (NULL), ('{{a,d},{a,a;b}}'), ('{""}'), ('{c}')) w(p);
SELECT restrict(NULL, '{a}') AS null_value, restrict('', '{a}') = '' AS empty, restrict(E'a 1\n 2', ARRAY[stackpath '']) AS root, (SELECT restrict(f, array_agg(stack)) = f FROM stacks(f)) AS all_of_it FROM (VALUES (flamegraph E'a;b 1\nc 2\n 3')) v(f);
-- drop_frames: cut out of the stacks, the total is kept
SELECT q AS query, pg_temp.line(drop_frames(f, q)) AS rest, total(drop_frames(f, q)) = total(f) AS total FROM (VALUES (flamegraph E'a;b;c 1\na;c 2\nb;b;c;b 4\na;b 8\nb 16\nlib_x;b;lib_y;c 32\n 64')) v(f), unnest('{b,a|b,lib*,!c,"~\"^.$\"",*,x,B@,lib_x%,"*{1}"}'::stackquery[]) q;
SELECT drop_frames(E'a;b 1\na -1', 'b') = '' AS cancels, drop_frames('', 'a') = '' AS empty, drop_frames('a;b;c 3', '*') AS all, pg_temp.line(drop_frames(E'x;a 1\ny;a 2\na 3', 'x|y')) AS merged, drop_frames(E'a\\;b;c 1', '"a;b"') AS quoted;

--
-- Cuts
--
SELECT n, pg_temp.line(cut_depth(f, n)) AS cut_depth, pg_temp.line(k_context(f, n)) AS k_context, pg_temp.line(strip_outer(f, n)) AS strip_outer
FROM (VALUES (flamegraph E' 1\na 2\na;b 4\na;b;c 8\nx;b;c 16')) v(f), unnest(ARRAY[0, 1, 2, 3, 4, 2147483647]) n;
SELECT fr AS frame, pg_temp.line(focus(f, fr)) AS focus, pg_temp.line(callers_of(f, fr)) AS callers_of
FROM (VALUES (flamegraph E' 1\na 2\na;b 4\na;b;c;b 8\nx;b;c 16\nb;a;b -32')) v(f), unnest(ARRAY['a', 'b', 'c', 'x', 'absent', '', 'a;b', 'B']) fr;
-- the empty profile, and the empty stack alone
SELECT pg_temp.line(f) AS f, pg_temp.line(invert(f)) AS invert, pg_temp.line(cut_depth(f, 0)) AS cut_0, pg_temp.line(cut_depth(f, 1)) AS cut_1, pg_temp.line(k_context(f, 0)) AS k_0, pg_temp.line(strip_outer(f, 1)) AS strip, pg_temp.line(collapse_recursion(f)) AS direct, pg_temp.line(collapse_recursion(f, 'cycles')) AS cycles, pg_temp.line(cumulate(f)) AS cumulate, pg_temp.line(frame_totals(f)) AS totals, pg_temp.line(focus(f, 'a')) AS focus, pg_temp.line(callers_of(f, 'a')) AS callers, pg_temp.line(drop_frames(f, '*')) AS dropped, pg_temp.line(filter_stacks(f, '*')) AS filtered, pg_temp.line(exclude_stacks(f, '*')) AS excluded, pg_temp.line(restrict(f, '{a,""}')) AS restricted
FROM (VALUES (flamegraph ''), (' 5'), (' -0.5')) v(f);
-- what cancels is gone
SELECT pg_temp.line(cut_depth(E'a;b 1\na;c -1\nd 1', 1)) AS cut, pg_temp.line(k_context(E'a;b 1\nc;b -1\nd 1', 0)) AS context, pg_temp.line(strip_outer(E'a;x 1\nb;x -1\nd;y 1', 1)) AS strip, pg_temp.line(invert(E'a;b 1\nb;a -1')) AS invert, pg_temp.line(collapse_recursion(E'a;a 1\na -1')) AS direct, pg_temp.line(collapse_recursion(E'a;b;a 1\na -1', 'cycles')) AS cycles, pg_temp.line(cumulate(E'a;b 1\na;c -1')) AS cumulate, pg_temp.line(frame_totals(E'a;b 1\na;c -1')) AS totals, pg_temp.line(focus(E'x;a 1\ny;a -1', 'a')) AS focus, pg_temp.line(callers_of(E'a;x 1\na;y -1\nz;a 1', 'a')) AS callers;
-- a frame with an inclusive value of 0, cumulate and frame_totals leave it out
SELECT pg_temp.line(cumulate(E' 3\na 1\na;b -1\nc;d;d 2')) AS cumulate, pg_temp.line(frame_totals(E' 3\na 1\na;b -1\nc;d;d 2\nd 5')) AS frame_totals;

--
-- Deep recursion: 5,000 and 65,535 frames
--
SELECT depth, total(invert(f)) AS invert, depth(cut_depth(f, depth - 1)) = depth - 1 AS cut, depth(cut_depth(f, 1)) AS cut_1, depth(k_context(f, depth)) = depth AS all_context, depth(k_context(f, 9)) AS context, depth(strip_outer(f, depth - 2)) AS strip, strip_outer(f, depth) -> '' AS to_root,
	pg_temp.line(collapse_recursion(f)) AS direct, pg_temp.line(collapse_recursion(f, 'cycles')) AS cycles, pg_temp.line(frame_totals(f)) AS totals, focus(f, 'f') = f AS focus, pg_temp.line(callers_of(f, 'f')) AS callers, pg_temp.line(drop_frames(f, 'f')) AS dropped, total(filter_stacks(f, '*{2000,}')) AS filtered, pg_temp.line(rename_frames(f, 'f', 'ff')) = pg_temp.line(rename_frames(rename_frames(f, 'f', 'x'), 'x', 'ff')) AS renamed
FROM (SELECT depth, (repeat('f;', depth - 1) || 'f 3' || E'\n' || repeat('f;', 10) || 'g 4')::flamegraph AS f FROM unnest(ARRAY[5000, 65535]) depth OFFSET 0) v;
SELECT total(c) AS total, nstacks(c) AS stacks, c -> 'f' AS outermost, c -> (repeat('f;', 4999) || 'f')::stackpath AS innermost FROM (SELECT cumulate((repeat('f;', 4999) || 'f 3')::flamegraph) AS c) v;
SELECT nstacks(c) AS stacks, total(c) AS total FROM (SELECT cumulate((repeat('f;', 65534) || 'f 3')::flamegraph) AS c) v;
-- recursion through others, deep
SELECT pg_temp.line(collapse_recursion(f)) = pg_temp.line(f) AS direct, pg_temp.line(collapse_recursion(f, 'cycles')) AS cycles, pg_temp.line(frame_totals(f)) AS totals, depth(focus(f, 'b')) AS focus FROM (SELECT (repeat('a;b;', 9999) || 'a;b 3')::flamegraph AS f OFFSET 0) v;

--
-- Against a naive computation over rows, and linearity, on random profiles:
-- small whole numbers of either sign, which often cancel
--
CREATE TEMP TABLE random AS
SELECT id, coalesce((SELECT flamegraph_agg(ARRAY(SELECT (ARRAY['a', 'b', 'c', 'a b', 'a;b', '\', 'é', '(other)'])[1 + t.random(format('f %s %s %s', id, i, d), 8)] FROM generate_series(1, t.random(format('d %s %s', id, i), 7)) d), t.random(format('v %s %s', id, i), 13) - 6) FROM generate_series(1, t.random('n' || id, 25)) i), '') AS f
FROM generate_series(1, 80) id;
SELECT count(*) AS profiles, count(*) FILTER (WHERE f = '') > 0 AS some_empty, sum(nstacks(f)) > 500 AS many_stacks, bool_or(NOT is_positive(f)) AS signed, max(depth(f)) AS depth FROM random;
-- What becomes of one stack; NULL: nothing. Maps with another number of stacks are below.
CREATE FUNCTION pg_temp.map(name text, s text[]) RETURNS text[] LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
	n int := cardinality(s);
	first int := array_position(s, 'b');
	result text[] := '{}';
BEGIN
	CASE name
	WHEN 'identity' THEN RETURN s;
	WHEN 'invert' THEN RETURN ARRAY(SELECT s[i] FROM generate_series(n, 1, -1) i);
	WHEN 'cut_0' THEN RETURN '{}';
	WHEN 'cut_2' THEN RETURN s[1:2];
	WHEN 'k_0' THEN RETURN s[greatest(n, 1):n];
	WHEN 'k_2' THEN RETURN s[greatest(n - 2, 1):n];
	WHEN 'strip_1' THEN RETURN s[2:n];
	WHEN 'strip_3' THEN RETURN s[4:n];
	WHEN 'focus' THEN RETURN CASE WHEN first IS NOT NULL THEN s[first:n] END;
	WHEN 'callers' THEN RETURN CASE WHEN first IS NOT NULL THEN s[1:first] END;
	WHEN 'drop' THEN RETURN ARRAY(SELECT x FROM unnest(s) WITH ORDINALITY u(x, i) WHERE x NOT IN ('b', 'a;b') ORDER BY i);
	WHEN 'direct' THEN RETURN ARRAY(SELECT s[i] FROM generate_series(1, n) i WHERE i = 1 OR s[i] <> s[i - 1] ORDER BY i);
	WHEN 'cycles' THEN
		FOR i IN 1 .. n LOOP
			IF array_position(result, s[i]) IS NULL THEN
				result := result || s[i];
			ELSE
				result := result[1:array_position(result, s[i])];
			END IF;
		END LOOP;
		RETURN result;
	WHEN 'filter' THEN RETURN CASE WHEN s[1] = 'a' AND n > 1 THEN s END;
	WHEN 'exclude' THEN RETURN CASE WHEN s[1] = 'a' AND n > 1 THEN NULL ELSE s END;
	WHEN 'restrict' THEN RETURN CASE WHEN s IN ('{a}', '{b}', '{a,b}', '{}') THEN s END;
	WHEN 'rename' THEN RETURN ARRAY(SELECT regexp_replace(x, '^[ab]$', 'c') FROM unnest(s) WITH ORDINALITY u(x, i) ORDER BY i);
	END CASE;
END
$$;
CREATE FUNCTION pg_temp.apply(name text, f flamegraph) RETURNS flamegraph LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	CASE name
	WHEN 'identity' THEN RETURN f;
	WHEN 'invert' THEN RETURN invert(f);
	WHEN 'cut_0' THEN RETURN cut_depth(f, 0);
	WHEN 'cut_2' THEN RETURN cut_depth(f, 2);
	WHEN 'k_0' THEN RETURN k_context(f, 0);
	WHEN 'k_2' THEN RETURN k_context(f, 2);
	WHEN 'strip_1' THEN RETURN strip_outer(f, 1);
	WHEN 'strip_3' THEN RETURN strip_outer(f, 3);
	WHEN 'focus' THEN RETURN focus(f, 'b');
	WHEN 'callers' THEN RETURN callers_of(f, 'b');
	WHEN 'drop' THEN RETURN drop_frames(f, 'b|"a;b"');
	WHEN 'direct' THEN RETURN collapse_recursion(f);
	WHEN 'cycles' THEN RETURN collapse_recursion(f, 'cycles');
	WHEN 'filter' THEN RETURN filter_stacks(f, 'a;*{1,}');
	WHEN 'exclude' THEN RETURN exclude_stacks(f, 'a;*{1,}');
	WHEN 'restrict' THEN RETURN restrict(f, '{a,b,a;b,""}');
	WHEN 'rename' THEN RETURN rename_frames(f, '^[ab]$', 'c');
	WHEN 'cumulate' THEN RETURN cumulate(f);
	WHEN 'frame_totals' THEN RETURN frame_totals(f);
	WHEN 'scale' THEN RETURN f * -3;
	END CASE;
END
$$;
SELECT name, count(*) FILTER (WHERE pg_temp.apply(name, f) IS DISTINCT FROM coalesce((SELECT flamegraph_agg(pg_temp.map(name, frames(stack)), value) FROM stacks(f) WHERE pg_temp.map(name, frames(stack)) IS NOT NULL), '')) AS wrong,
	count(DISTINCT pg_temp.apply(name, f)) > 1 AS varied, bool_and(total(pg_temp.apply(name, f)) = total(f)) AS keeps_total
FROM random, unnest(ARRAY['identity', 'invert', 'cut_0', 'cut_2', 'k_0', 'k_2', 'strip_1', 'strip_3', 'focus', 'callers', 'drop', 'direct', 'cycles', 'filter', 'exclude', 'restrict', 'rename']) WITH ORDINALITY n(name, ord) GROUP BY name, ord ORDER BY ord;
SELECT count(*) FILTER (WHERE cumulate(f) <> coalesce((SELECT flamegraph_agg(p, v) FROM (SELECT subpath(stack, 0, n) AS p, sum(value) AS v FROM stacks(f), generate_series(1, depth(stack)) n GROUP BY 1) x), '')) AS cumulate_wrong,
	count(*) FILTER (WHERE frame_totals(f) <> coalesce((SELECT flamegraph_agg(ARRAY[fr], v) FROM (SELECT fr, sum(value) AS v FROM stacks(f), LATERAL (SELECT DISTINCT fr FROM unnest(frames(stack)) fr) d GROUP BY 1) x), '')) AS frame_totals_wrong
FROM random;
SELECT name, count(*) AS pairs, count(*) FILTER (WHERE pg_temp.apply(name, a.f + b.f) <> pg_temp.apply(name, a.f) + pg_temp.apply(name, b.f)) AS not_additive, count(*) FILTER (WHERE pg_temp.apply(name, a.f * -2.5) <> pg_temp.apply(name, a.f) * -2.5) AS not_homogeneous
FROM random a JOIN random b ON b.id = a.id % 80 + 1, unnest(ARRAY['invert', 'cut_0', 'cut_2', 'k_0', 'k_2', 'strip_1', 'strip_3', 'focus', 'callers', 'drop', 'direct', 'cycles', 'filter', 'exclude', 'restrict', 'rename', 'cumulate', 'frame_totals', 'scale']) WITH ORDINALITY n(name, ord) GROUP BY name, ord ORDER BY ord;
-- totals of focus and callers_of: what goes through the frame; twice is once
SELECT bool_and(total(focus(f, fr)) = frame_total(f, fr)) AS focus, bool_and(total(callers_of(f, fr)) = frame_total(f, fr)) AS callers_of, bool_and(frame_totals(f) -> ARRAY[fr]::stackpath = frame_total(f, fr)) AS frame_totals, bool_and(k_context(f, 0) -> ARRAY[fr]::stackpath = frame_self(f, fr)) AS self FROM random, unnest(ARRAY['a', 'b', 'a;b', 'é', 'none']) fr;
SELECT bool_and(invert(invert(f)) = f) AS invert, bool_and(collapse_recursion(collapse_recursion(f)) = collapse_recursion(f)) AS direct, bool_and(collapse_recursion(collapse_recursion(f, 'cycles'), 'cycles') = collapse_recursion(f, 'cycles')) AS cycles, bool_and(collapse_recursion(collapse_recursion(f), 'cycles') = collapse_recursion(f, 'cycles')) AS both, bool_and(cut_depth(cut_depth(f, 4), 2) = cut_depth(f, 2)) AS cut, bool_and(strip_outer(strip_outer(f, 1), 2) = strip_outer(f, 3)) AS strip, bool_and(invert(cut_depth(invert(f), 3)) = k_context(f, 2)) AS context, bool_and(focus(focus(f, 'b'), 'b') = focus(f, 'b')) AS focus FROM random;
-- of stored, aggregated and chained values alike
SELECT invert(sum(f)) = sum(invert(f)) AS aggregated, collapse_recursion(cut_depth(invert(sum(f)), 3)) = sum(collapse_recursion(cut_depth(invert(f), 3))) AS chained FROM random;

-- null in, null out
SELECT filter_stacks(NULL, '*') AS filter, filter_stacks('a 1', NULL) AS filter_2, exclude_stacks('a 1', NULL) AS exclude, drop_frames(NULL, 'a') AS drop, drop_frames('a 1', NULL) AS drop_2, focus(NULL, 'a') AS focus, focus('a 1', NULL) AS focus_2, callers_of('a 1', NULL) AS callers, invert(NULL) AS invert, cut_depth(NULL, 1) AS cut, cut_depth('a 1', NULL) AS cut_2, k_context('a 1', NULL) AS k, strip_outer('a 1', NULL) AS strip, collapse_recursion(NULL) AS collapse, collapse_recursion('a 1', NULL) AS collapse_2, cumulate(NULL) AS cumulate, frame_totals(NULL) AS totals, rescale(NULL) AS rescale, rescale('a 1', NULL) AS rescale_2;

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT cut_depth('a 1', -1)$$,
	$$SELECT cut_depth('', -1)$$,
	$$SELECT k_context('a 1', -1)$$,
	$$SELECT k_context('a 1', -2147483648)$$,
	$$SELECT strip_outer('a 1', -1)$$,
	$$SELECT cut_depth('a 1', 2147483648)$$,
	$$SELECT cut_depth('a 1', 1.5)$$,
	$$SELECT collapse_recursion('a 1', 'Direct')$$,
	$$SELECT collapse_recursion('a 1', '')$$,
	$$SELECT collapse_recursion('a 1', repeat('é', 200))$$,
	$$SELECT collapse_recursion('', 'cycle')$$);
SELECT t.try(
	$$SELECT drop_frames('a 1', 'a;b')$$,
	$$SELECT drop_frames('a 1', 'b{2}')$$,
	$$SELECT drop_frames('a 1', '!b{0}')$$,
	$$SELECT drop_frames('a 1', 'b{,1}')$$,
	$$SELECT drop_frames('', '*;a')$$,
	$$SELECT drop_frames('a 1', 'a;')$$,
	$$SELECT filter_stacks('a 1', '')$$,
	$$SELECT exclude_stacks('a 1', '~"("')$$,
	$$SELECT restrict('a 1', ARRAY[stackpath 'a', NULL])$$,
	$$SELECT restrict('a 1', '{a;}')$$,
	$$SELECT restrict('a 1', 'a')$$,
	$$SELECT restrict('a 1', ARRAY['a'])$$,
	$$SELECT rescale('a 1', 'NaN')$$,
	$$SELECT rescale('a 1', 'Infinity')$$,
	$$SELECT rescale('', 'NaN')$$,
	$$SELECT rescale(E'a 1e300\nb 1', 1e308)$$,
	$$SELECT rescale(E'a 1\nb 1e-300', 1e-100)$$,
	$$SELECT rescale(E'a 1e300\nb 1e-300')$$,
	$$SELECT rescale(E'a 1e300\nb -1e300\nc 1e-10')$$,
	$$SELECT rescale(E'a 1.7e308\nb 1.7e308')$$);
-- what does not fit
SELECT t.try(
	$$SELECT cut_depth(E'a;b 1.7e308\na;c 1.7e308', 1)$$,
	$$SELECT k_context(E'a;b 1.7e308\nc;b 1.7e308', 0)$$,
	$$SELECT cumulate(E'a;b 1.7e308\na;c 1.7e308')$$,
	$$SELECT frame_totals(E'a;b 1.7e308\na;c 1.7e308')$$,
	$$SELECT focus(E'x;a 1.7e308\ny;a 1.7e308', 'a')$$,
	$$SELECT collapse_recursion(E'a 1.7e308\na;a 1.7e308')$$,
	$$SELECT drop_frames(E'a;b 1.7e308\na 1.7e308', 'b')$$,
	$$SELECT invert(E'a;b 1.7e308\nb;a 1.7e308')$$,
	$$SELECT filter_stacks(E'a;b 1.7e308\nb;a 1.7e308', 'x')$$,
	$$SELECT total(cumulate((repeat('f;', 9) || 'f 1.7e308')::flamegraph))$$);
