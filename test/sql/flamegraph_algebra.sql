-- The vector space: sums, multiples, parts, norms, distances; cases of
-- golden/algebra by their names. Laws on random values: random_laws.
\pset null NULL

-- A value on one line
CREATE FUNCTION pg_temp.line(fg flamegraph) RETURNS text LANGUAGE sql AS $$
	SELECT replace(fg::text, E'\n', ' | ')
$$;

-- algebra_add, algebra_sub, algebra_scale, algebra_scale_zero
SELECT pg_temp.line(flamegraph E'A;B 1\nA;C;D 5\nA;C 1\nA 2' + E'A;B 2\nX;Y 1\nA -2') AS sum;
SELECT pg_temp.line(flamegraph E'A 4\nA;C 1\nA;C;D 3\nA;C;E 2' - E'A 2\nA;B 1\nA;C 2\nA;C;D 5') AS difference;
SELECT pg_temp.line(flamegraph E'A;B 1\nA;C;D 5\nA;C 1\nA 2' * -0.5) AS scaled, pg_temp.line(-0.5 * flamegraph E'A;B 1\nA;C;D 5\nA;C 1\nA 2') AS from_left,
	flamegraph E'A;B 1\nA;C;D 5\nA;C 1\nA 2' * 0 = '' AS zero, flamegraph 'A 1' * '-0' = '' AS minus_zero;
SELECT pg_temp.line(- flamegraph E'a;b 1\nc -2\n 3') AS negative, pg_temp.line(flamegraph E'a;b 1\nc -2' / 4) AS quarter, pg_temp.line(flamegraph E'a 1\nb 2' / 3) AS third;
-- integers and numerics convert
SELECT flamegraph 'a 2' * 3 AS int4, 3::bigint * flamegraph 'a 2' AS int8, flamegraph 'a 2' * 1.5 AS numeric, flamegraph 'a 2' / 4 AS divided, flamegraph 'a 2' * 0.5::real AS real;

-- what cancels is gone, with the nodes and frames above it that hold nothing else
SELECT pg_temp.line(a - b), nstacks(a - b), nnodes(a - b), nframes(a - b), depth(a - b), (a - b) + b = a AS back
FROM (VALUES (flamegraph E'a;b;c 1\na 1', flamegraph 'a;b;c 1'), (E'a;b;c 1\nx 1', 'a;b;c 1'), ('a;b;c 1', 'a;b;c 1'), (E'a 1\n 5', ' 5'), ('a;b;c 3', 'a;b 3'), (E'a 0.3', E'a 0.1')) v(a, b);
-- only exact zero is dropped
SELECT flamegraph 'a 0.1' + 'a 0.2' - 'a 0.3' AS "0.1 + 0.2 - 0.3", (flamegraph 'a 0.1' + 'a 0.2') - (flamegraph 'a 0.1' + 'a 0.2') = '' AS empty;
-- the empty profile is neutral; dictionaries without a common frame, one inside the other, interleaved
SELECT pg_temp.line(flamegraph '' + ''), pg_temp.line(flamegraph '' + 'a 1'), pg_temp.line(flamegraph 'a 1' - ''), pg_temp.line(flamegraph '' - 'a 1'), pg_temp.line(flamegraph 'a;c;e 1' + 'b;d;f 2'),
	pg_temp.line(flamegraph 'b 1' + E'a;b 2\nb;c 3'), pg_temp.line(flamegraph E'a;b 1\na;d 1' + E'a;c 2\na;d;b 3');
-- order of the result: frame by frame
SELECT pg_temp.line(flamegraph E'a;c 1\nab 1' + E'a b 2\na 3') AS sum;

-- parts: fg = positive_part(fg) - negative_part(fg)
SELECT pg_temp.line(f) AS f, pg_temp.line(positive_part(f)) AS positive, pg_temp.line(negative_part(f)) AS negative, pg_temp.line(absolute(f)) AS absolute,
	positive_part(f) - negative_part(f) = f AS difference, positive_part(f) + negative_part(f) = absolute(f) AS sum
FROM (VALUES (flamegraph E'A -2\nA;B 1\nA;C 1\nA;C;D 2\nA;C;E -2'), (E'a -4\nb 3\ne -5\nf 1'), (''), ('a 1'), ('a -1'), (E' -1.5\na;b 1.5'), (E'a;b;c -1e300\na;b 1e-300')) v(f);

-- algebra_norms, algebra_norms_empty, algebra_norms_huge
SELECT total(f), @-@ f AS "@-@", norm(f) AS l1, norm(f, 1), norm(f, 2) AS l2, norm(f, 'inf') AS max, norm(f, 'Infinity') = norm(f, 'inf') AS same
FROM (VALUES (flamegraph E'a -3\nb 4\nc;d 0.5'), (''), (E'a 1e300\nb -1e300\nc 1e300'), (E'a 5e-324\nb -1e-323'), (E'a 3e-200\nb 4e-200'), (E'a;b 3\na 4'), (' -7'), ('a 1.7976931348623157e308')) v(f);
-- compensated sums
SELECT total(f), norm(f) FROM (VALUES (flamegraph E'a 1e16\nb 1\nc -1e16'), (E'a 0.1\nb 0.2\nc 0.3\nd 0.4\ne 0.5\nf 0.6\ng 0.7'), (E'a 9007199254740992\nb 1\nc 1')) v(f);

-- similarity_half, similarity_disjoint, similarity_one_empty, similarity_both_empty, similarity_huge
SELECT pg_temp.line(a) AS a, pg_temp.line(b) AS b, similarity(a, b), similarity(b, a) = similarity(a, b) AS symmetric
FROM (VALUES (flamegraph E'a 1\nb 3', flamegraph E'a 3\nc 1'), ('a 1', 'b 7'), ('a;b 2', ''), ('', '# nothing'), (E'a 1e308\nb 1e308', E'a 1e308\nc 1e308'), ('a 5e-324', 'a 5e-324'), ('a 1', 'a 1'), ('a 1', 'a -1'), ('a 1', 'a 3'), ('a 1e308', 'b 1e-308'), ('a 1.7976931348623157e308', 'a 1.7976931348623157e308')) v(a, b);
SELECT pg_temp.line(a) AS a, pg_temp.line(b) AS b, a <-> b AS "<->", distance(a, b) AS l1, distance(a, b, 2) AS l2, distance(a, b, 'inf') AS max, norm(a - b, 2) = distance(a, b, 2) AS as_norm
FROM (VALUES (flamegraph E'a 1\nb 3', flamegraph E'a 3\nc 1'), ('a 1', 'b 7'), ('a;b 2', ''), ('', ''), (E'a 1e300', E'b 1e300'), (E'a 4\nb 3', ''), ('a 1', 'a 1')) v(a, b);

-- null in, null out
SELECT f + NULL AS plus, NULL - f AS minus, - NULL::flamegraph AS negative, f * NULL AS times, NULL::float8 * f AS times_left, f / NULL AS divided, @-@ NULL::flamegraph AS "@-@", f <-> NULL AS "<->",
	norm(NULL), norm(f, NULL), distance(f, NULL), distance(f, f, NULL), similarity(NULL, f), positive_part(NULL), negative_part(NULL), absolute(NULL)
FROM (VALUES (flamegraph 'a 1')) v(f);

-- round: to decimal places, or tens; ties to the even digit; what becomes 0 goes
SELECT digits, pg_temp.line(round(flamegraph E'a 1.5\nb 2.5\nc 0.125\nc;d 15\ne -25\nf 149.96\ng 0.4', digits)) AS rounded FROM generate_series(-3, 3) digits ORDER BY digits;
SELECT round(flamegraph 'a 2.5', 0) AS no_digits, round(flamegraph '', 0) = '' AS empty, round(flamegraph E'a;b 0.4\na 0.2', 0) = '' AS nothing_left, round(NULL::flamegraph, 0) AS of_null, round(flamegraph 'a 1', NULL) AS to_null;
-- as numeric has it, where there are no ties
SELECT digits, count(*) AS stacks, count(*) FILTER (WHERE round(fg, digits) -> stack <> round(value::numeric, digits)::float8) AS wrong
FROM generate_series(-4, 6) digits, (SELECT flamegraph_agg(ARRAY['f' || i], (t.random('r' || i, 1000000) + 0.1234567) / 997 - 300) AS fg FROM generate_series(1, 200) i) v, stacks(fg) GROUP BY digits ORDER BY digits;

--
-- Out of range, and other bad arguments
--
\pset format unaligned
\pset tuples_only on
-- algebra_scale_overflow, algebra_scale_underflow
SELECT t.try(
	$$SELECT flamegraph E'a 1e300\nb 1' * 1e10$$,
	$$SELECT flamegraph E'a 1e-300\nb 1' * 1e-200$$,
	$$SELECT 1e-200 * flamegraph 'a 1e-300'$$,
	$$SELECT flamegraph E'b 1\n 1e-300' * 1e-200$$,
	$$SELECT flamegraph 'a 5e-324' * 0.5$$,
	$$SELECT flamegraph 'a 5e-324' * 0.6$$,
	$$SELECT flamegraph 'a 1' * 'NaN'$$,
	$$SELECT flamegraph 'a 1' * 'Infinity'$$,
	$$SELECT '-Infinity' * flamegraph 'a 1'$$,
	$$SELECT flamegraph '' * 'Infinity'$$,
	$$SELECT flamegraph 'a 1.7e308' + 'a 1.7e308'$$,
	$$SELECT flamegraph 'a;b 1.7e308' - 'a;b -1.7e308'$$,
	$$SELECT flamegraph ' -1.7e308' - ' 1.7e308'$$);
SELECT t.try(
	$$SELECT flamegraph 'a 1' / 0$$,
	$$SELECT flamegraph 'a 1' / '-0'$$,
	$$SELECT flamegraph '' / 0$$,
	$$SELECT flamegraph 'a 1' / 'NaN'$$,
	$$SELECT flamegraph 'a 1' / 'Infinity'$$,
	$$SELECT flamegraph 'a 1e300' / 1e-300$$,
	$$SELECT flamegraph 'a 1e-300' / 1e300$$,
	$$SELECT flamegraph 'a 5e-324' / 2$$,
	$$SELECT flamegraph 'a 1e300' / 1e300$$);
-- algebra_norms_overflow: the total cancels, the norms do not fit
SELECT t.try(
	$$SELECT total(E'a 1.5e308\nb -1.5e308')$$,
	$$SELECT norm(E'a 1.5e308\nb -1.5e308')$$,
	$$SELECT @-@ flamegraph E'a 1.5e308\nb -1.5e308'$$,
	$$SELECT norm(E'a 1.5e308\nb -1.5e308', 2)$$,
	$$SELECT norm(E'a 1.5e308\nb -1.5e308', 'inf')$$,
	$$SELECT total(E'a 1.5e308\nb 1.5e308')$$,
	$$SELECT total(flamegraph E'a 1.5e308\nb 1.5e308'::text::flamegraph - 'b 1.5e308')$$,
	$$SELECT total(E'a 1.5e308\nb 1.5e308\nc -1.5e308')$$,
	$$SELECT flamegraph 'a 1.5e308' <-> 'b 1.5e308'$$,
	$$SELECT flamegraph 'a 1.5e308' <-> 'a -1.5e308'$$,
	$$SELECT distance('a 1.5e308', 'a -1.5e308', 'inf')$$,
	$$SELECT distance('a 1.5e308', 'b -1.5e308', 'inf')$$,
	$$SELECT similarity('a 1.5e308', 'a -1.5e308')$$);
SELECT t.try(
	$$SELECT norm('a 1', 0)$$,
	$$SELECT norm('a 1', 3)$$,
	$$SELECT norm('a 1', 1.5)$$,
	$$SELECT norm('a 1', -1)$$,
	$$SELECT norm('a 1', '-Infinity')$$,
	$$SELECT norm('a 1', 'NaN')$$,
	$$SELECT norm('a 1', 'max')$$,
	$$SELECT distance('a 1', 'a 1', 3)$$,
	$$SELECT distance('a 1', 'a 1', 'NaN')$$);
SELECT t.try($$SELECT round(flamegraph 'a 1.7e308', -308)$$, $$SELECT round(flamegraph 'a 1.7e308', -309)$$, $$SELECT round(flamegraph 'a 5e-324', 2147483647)$$);
-- what is not there: a product of profiles, a quotient
SELECT t.try($$SELECT flamegraph 'a 1' * flamegraph 'a 1'$$, $$SELECT 1 / flamegraph 'a 1'$$, $$SELECT flamegraph 'a 1' + 1$$);
-- literals beside a profile are profiles
SELECT t.try($$SELECT flamegraph 'a 1' + '1'$$, $$SELECT flamegraph 'a 1' - 'a'$$);
