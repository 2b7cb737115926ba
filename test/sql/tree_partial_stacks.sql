-- merge_partial: stacks whose outermost frames were cut off (Lumnitz 2021, section 3.2.3).
\pset null NULL
CREATE FUNCTION pg_temp.line(fg flamegraph) RETURNS text LANGUAGE sql AS $$
	SELECT replace(fg::text, E'\n', ' | ')
$$;

-- partial_figure_3_5, partial_ambiguous, partial_second_round, partial_threshold; the rest by hand
SELECT what, n AS threshold, pg_temp.line(merged) AS merged, pg_temp.line(ambiguous) AS ambiguous, pg_temp.line(unmatched) AS unmatched
FROM (VALUES (1, 'figure 3.5', flamegraph E'a;c;d;e 1\nb;c;d 2', flamegraph 'd;e;g 5', 0), (2, 'the same by default', E'a;c;d;e 1\nb;c;d 2', 'd;e;g 5', 1), (3, 'too few frames match', E'a;c;d;e 1\nb;c;d 2', 'd;e;g 5', 2),
	(4, 'two places', E'a;c;d;e 1\nb;c;d 2', 'c;d 5', 0), (5, 'two places, then none', E'a;c;d;e 1\nb;c;d 2', 'c;d;x 5', 0), (6, 'nowhere', E'a;c;d;e 1\nb;c;d 2', 'x;d 5', 0),
	(7, 'second round', E'a;b 1', E'b;c 2\nc;d 3\nd;e 4\nq;r 5', 0), (8, 'second round needs two frames', E'a;b;c 1', E'b;c;d 2\nc;d;e 3\nd;e;f 4\nq;r 5', 1),
	(9, 'threshold', E'a;c;d;e 1\nb;x;y 2', E'd;e 5\nd;e;k 3\nx;y;z;w 1', 2), (10, 'too short for the threshold', 'a;b;c 1', 'b;c 1', 2), (11, 'the same stack', 'a;b;c 1', 'a;b;c 2', 1),
	(12, 'inner context without a value', 'a;b;c 1', 'a;b 2', 1), (13, 'the empty stack fits anywhere', 'a;b 1', ' 7', 0), (14, 'into nothing', '', E'a;b 1\n 2', 0), (15, 'nothing', E'a;b 1\n 2', '', 0), (16, 'nothing into nothing', '', '', 0),
	(17, 'not below the empty stack', ' 1', 'a 1', 0), (18, 'recursion: which activation?', 'r;f;f;f;g 1', E'f;g 2\nf;f;g 4\nf;f;f;g 8\nf 16', 0), (19, 'recursion, one place only at its start', 'r;f;f;f;g 1', E'r;f;x 2\nf;f;f;x 4', 1),
	(20, 'judged before what is merged in the same round', E'a;b;c 1\nd;c 2', E'a;b;d 4\nd;c 8', 1), (21, 'signed: cancels', 'a;b 3', E'b -3', 0), (22, 'signed: the context stays for the next round', 'a;b;c 3', E'b;c -3\nb;c;d 1\nd;e 2', 0),
	(23, 'odd frames', E'a\\;b;\\\\; x 1\nö;#y;"q" 2', E'\\\\; x;z 4\n#y;"q";a\\;b 8\nb; x 16', 0)) v(i, what, fg, partial, n), merge_partial(fg, partial, n) ORDER BY i;
-- one row, named arguments, the default threshold
SELECT pg_temp.line(merged) FROM merge_partial(partial => 'b;c;d 1', fg => 'a;b;c 1');
SELECT count(*) FROM merge_partial('a 1', 'b 1', match_threshold => 2147483647);
SELECT merge_partial('a;b;c 1', 'b;c;d 1');
SELECT i, m IS NULL AS is_null, merged, ambiguous, unmatched FROM (VALUES (1, NULL, flamegraph 'a 1', 1), (2, flamegraph 'a 1', NULL, 1), (3, 'a 1', 'a 1', NULL)) v(i, f, p, n), merge_partial(f, p, n) m ORDER BY i;
SELECT pg_typeof(merged), pg_typeof(ambiguous), pg_typeof(unmatched) FROM merge_partial('', '');
SELECT i, pg_temp.line(m.merged) FROM (VALUES (1, flamegraph 'a 1'), (2, ''), (3, 'a;b 2')) v(i, f), merge_partial(f, 'a;c 1', 0) m ORDER BY i;

--
-- Against listing 3.2, followed step by step in rounds: all pending stacks are judged against one state. Every second
-- profile is signed. Paths of one-letter frames are written as words.
--
CREATE FUNCTION pg_temp.generated(what text, id int, most int) RETURNS flamegraph LANGUAGE sql AS $$
	SELECT coalesce((SELECT flamegraph_agg(ARRAY(SELECT chr(97 + t.random(format('%s f %s %s %s', what, id, i, d), 2 + id % 5)) FROM generate_series(1, t.random(format('%s d %s %s', what, id, i), most)) d), t.random(format('%s v %s %s', what, id, i), 21) - 10 * (id % 2) + 1 - id % 2) FROM generate_series(1, 1 + id % 7) i), '')
$$;
CREATE TEMP TABLE random AS SELECT id, id % 4 AS threshold, pg_temp.generated('f', id, 7) AS f, pg_temp.generated('p', id, 5) AS p FROM generate_series(1, 300) id;
CREATE FUNCTION pg_temp.reference(f flamegraph, p flamegraph, threshold int, OUT merged flamegraph, OUT ambiguous flamegraph, OUT unmatched flamegraph, OUT rounds int) LANGUAGE plpgsql AS $$
DECLARE
	-- a node for each prefix of each stack
	known text[] := ARRAY(SELECT DISTINCT array_to_string(frames(subpath(stack, 0, n)), '') FROM stacks(f), generate_series(1, depth(stack)) n);
	pending flamegraph := p;
	placed flamegraph;
	word text;
	place text;
	verdict text;
	value float8;
	candidates text[];
	places text[];
BEGIN
	merged := f;
	rounds := 0;
	LOOP
		placed := '';
		ambiguous := '';
		unmatched := '';
		places := '{}';
		FOR word, value IN SELECT array_to_string(frames(s.stack), ''), s.value FROM stacks(pending) s LOOP
			verdict := 'ambiguous';
			FOR depth IN 1 .. length(word) LOOP
				-- nodes whose path ends with the first frames
				candidates := ARRAY(SELECT k FROM unnest(known) k WHERE right(k, depth) = left(word, depth));
				IF cardinality(candidates) = 0 THEN
					verdict := 'unmatched';
					EXIT;
				ELSIF cardinality(candidates) = 1 AND depth > threshold THEN
					verdict := 'merged';
					place := candidates[1] || substr(word, depth + 1);
					EXIT;
				END IF;
			END LOOP;
			IF verdict = 'merged' THEN
				merged := merged + (SELECT flamegraph_agg(string_to_array(place, NULL), value));
				placed := placed + (SELECT flamegraph_agg(string_to_array(word, NULL), value));
				places := places || ARRAY(SELECT left(place, n) FROM generate_series(1, length(place)) n);
			ELSIF verdict = 'ambiguous' THEN
				ambiguous := ambiguous + (SELECT flamegraph_agg(string_to_array(word, NULL), value));
			ELSE
				unmatched := unmatched + (SELECT flamegraph_agg(string_to_array(word, NULL), value));
			END IF;
		END LOOP;
		EXIT WHEN placed = '';
		rounds := rounds + 1;
		pending := pending - placed;
		known := ARRAY(SELECT DISTINCT unnest(known || places));
	END LOOP;
END
$$;
SELECT threshold, count(*) AS compared, sum(nstacks(p)) AS partial, count(*) FILTER (WHERE (m.merged, m.ambiguous, m.unmatched) IS DISTINCT FROM (e.merged, e.ambiguous, e.unmatched)) AS wrong,
	sum(nstacks(p) - nstacks(m.ambiguous) - nstacks(m.unmatched)) AS merged, sum(nstacks(m.ambiguous)) AS ambiguous, sum(nstacks(m.unmatched)) AS unmatched, max(e.rounds) AS rounds
FROM random, pg_temp.reference(f, p, threshold) e, merge_partial(f, p, threshold) m GROUP BY threshold ORDER BY threshold;
-- nothing is lost, and none of it is counted twice
SELECT count(*) AS compared, count(*) FILTER (WHERE total(merged) + total(ambiguous) + total(unmatched) <> total(f) + total(p)) AS lost, count(*) FILTER (WHERE NOT p - ambiguous - unmatched = restrict(p, (SELECT array_agg(stack) FROM stacks(p - ambiguous - unmatched)))) AS split
FROM random, unnest(ARRAY[0, 1, 2, 5]) n, merge_partial(f, p, n);
-- of profiles with positive values the merged one contains the complete one
SELECT count(*) AS compared, count(*) FILTER (WHERE NOT is_positive(merged - f) AND merged <> f) AS wrong FROM random, merge_partial(f, p, 0) WHERE id % 2 = 0;
-- merging the rest again changes nothing
SELECT count(*) AS compared, count(*) FILTER (WHERE again.merged <> m.merged OR again.ambiguous <> m.ambiguous OR again.unmatched <> m.unmatched) AS wrong FROM random, merge_partial(f, p, 0) m, merge_partial(m.merged, m.ambiguous + m.unmatched, 0) again WHERE id % 2 = 0;
-- twice the samples go to the same places
SELECT count(*) AS compared, count(*) FILTER (WHERE d.merged <> 2 * a.merged OR d.ambiguous <> 2 * a.ambiguous OR d.unmatched <> 2 * a.unmatched) AS not_homogeneous
FROM random, unnest(ARRAY[0, 1, 2]) n, merge_partial(f, p, n) a, merge_partial(2 * f, 2 * p, n) d;
-- a stack cut from a unique place comes back: here each context has a frame of its own
CREATE TEMP TABLE single AS SELECT id, (SELECT flamegraph_agg(ARRAY(SELECT array_to_string((frames(stack))[1:n], '/') FROM generate_series(1, depth(stack)) n), value) FROM stacks(f)) AS f FROM random WHERE f <> '';
SELECT n AS cut, threshold, count(*) AS compared, sum(nstacks(deeper)) AS partial, count(*) FILTER (WHERE m.merged <> f + deeper OR m.ambiguous <> '' OR m.unmatched <> '') AS wrong
FROM single, (VALUES (1, 0), (2, 0), (1, 1), (3, 2)) v(n, threshold), filter_stacks(f, format('*{%s,}', n + threshold + 1)::stackquery) deeper, merge_partial(f, strip_outer(deeper, n), threshold) m GROUP BY n, threshold ORDER BY threshold, n;

-- deep: one frame, two in turn, all distinct
CREATE TEMP TABLE deep AS SELECT * FROM (VALUES ('one', (repeat('a;', 59999) || 'a 1')::flamegraph), ('two', (repeat('a;b;', 29999) || 'a;b 1')::flamegraph), ('distinct', (SELECT string_agg('f' || i, ';' ORDER BY i) || ' 1' FROM generate_series(1, 60000) i)::flamegraph)) v(kind, f);
-- into itself: there is one place, after all of the frames for "one", from the first frame on for "distinct"
SELECT kind, m.merged = 2 * f AS same, total(m.ambiguous) AS ambiguous, total(m.unmatched) AS unmatched FROM deep, merge_partial(f, f, 59999) m ORDER BY kind COLLATE "C";
SELECT kind, total(m.merged) AS merged, depth(m.merged), total(m.ambiguous) AS ambiguous, total(m.unmatched) AS unmatched FROM deep, merge_partial(f, strip_outer(f, 30000) + flamegraph E'a;a 2\nb;a 4\nf59999;f60000;g 8\na;x 16') m ORDER BY kind COLLATE "C";
SELECT kind, total(m.merged) AS merged, depth(m.merged), total(m.unmatched) AS unmatched FROM deep, merge_partial('f60000;a;b 1', f, 0) m ORDER BY kind COLLATE "C";
-- each merged stack makes room for the next one: 1000 rounds
SELECT depth(merged), total(merged), ambiguous = '' AS a, unmatched = '' AS u FROM (SELECT flamegraph_agg(ARRAY['f' || i, 'f' || i + 1, 'f' || i + 2], 1) AS p FROM generate_series(1, 1000) i) v, merge_partial('f0;f1;f2 1', p);

\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT merge_partial('a 1', 'a 1', -1)$$,
	$$SELECT merge_partial('', '', -2147483648)$$,
	$$SELECT merge_partial('a 1', 'a 1', 1.5)$$,
	$$SELECT merge_partial('a 1')$$,
	$$SELECT merge_partial('a 1', 'a')$$,
	$$SELECT merge_partial('x;a 1.7e308', 'a 1.7e308', 0)$$,
	$$SELECT merge_partial('x;a;b 1.7e308', E'a;b 1.7e308\nx;a;b 1.7e308', 0)$$,
	$$SELECT merge_partial((repeat('a;', 65533) || 'b;c 1')::flamegraph, 'b;c;d;e 1')$$,
	$$SELECT depth(merged) FROM merge_partial((repeat('a;', 65533) || 'b 1')::flamegraph, 'b;c 1', 0)$$);
