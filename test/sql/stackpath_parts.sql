-- Parts of a stackpath: positions count from 0, negative ones from the end.
\pset null NULL

SELECT p AS path, depth(p), root(p), leaf(p), parent(p), frames(p)
FROM (VALUES (stackpath ''), ('a'), ('a;b'), ('a;b\;c;\\;d'), (' ; ;x')) v(p);

SELECT n, frame(stackpath 'a;b\;c;d', n), frame(stackpath 'a', n), frame(stackpath '', n)
FROM unnest(ARRAY[-2147483648, -4, -3, -2, -1, 0, 1, 2, 3, 2147483647]) n;

-- subpath(path, start): from there on
SELECT n AS start, subpath(stackpath 'a;b;c;d', n) FROM unnest(ARRAY[-4, -3, -2, -1, 0, 1, 2, 3]) n;
-- subpath(path, start, len): a negative length leaves that many frames off the end
SELECT start, len, subpath(stackpath 'a;b;c;d', start, len)
FROM (VALUES (0, 0), (0, 1), (0, 2), (0, 4), (0, 5), (0, 2147483647), (1, 0), (1, 1), (1, 2), (1, 3), (1, 2147483647), (3, 0), (3, 1), (3, 9),
	(0, -1), (0, -3), (0, -4), (1, -1), (1, -3), (2, -1), (2, -2), (-1, 0), (-1, 1), (-2, 1), (-2, 2), (-2, 9), (-4, 2), (-4, -1), (-3, -1), (-3, -2), (-3, -3)) v(start, len);
SELECT subpath(stackpath 'a\;x;\\;c', 0, 2) AS escapes, subpath(stackpath 'a\;x;\\;c', 1, 1), subpath(stackpath 'a\;x;\\;c', -1, 1);
-- every path is its head and its tail
SELECT bool_and(subpath(p, 0, n) || subpath(p, n, depth(p) - n) = p) AS head_and_tail,
	bool_and(subpath(p, 0, n) @> p) AS head_is_ancestor, bool_and(depth(subpath(p, 0, n)) = n) AS depth
FROM (VALUES (stackpath 'a'), ('a;b;c'), ('a;a;a;a;a'), ('\;;\\;x')) v(p), generate_series(0, depth(p) - 1) n;

-- ||: text is read as a path, whether literal or column
SELECT stackpath 'a' || stackpath 'b;c' AS paths, stackpath 'a' || 'b;c' AS literal, stackpath 'a' || 'b;c'::text AS text,
	'b;c' || stackpath 'a' AS literal_first, 'b;c'::text || stackpath 'a' AS text_first, 'x'::varchar || stackpath 'a' AS varchar_first;
SELECT stackpath '' || stackpath '' = '' AS empty, stackpath '' || stackpath 'a' AS left, stackpath 'a' || stackpath '' AS right,
	stackpath 'a' || '' AS empty_text, ''::text || stackpath 'a' AS text_empty;
SELECT pg_typeof(stackpath 'a' || 'b'::text), pg_typeof('b'::text || stackpath 'a'), pg_typeof('b' || stackpath 'a');

-- append_frame: one frame as it stands
SELECT append_frame('a', 'b;c'), append_frame('', 'a'), append_frame('a', '\'), depth(append_frame('a', 'b;c'));

-- null in, null out
SELECT depth(NULL::stackpath), frame(NULL, 0), frame(stackpath 'a', NULL), root(NULL), leaf(NULL), parent(NULL::stackpath),
	frames(NULL::stackpath), stackpath(NULL::text[]), subpath(NULL, 0), subpath(stackpath 'a', NULL), subpath(stackpath 'a', 0, NULL),
	append_frame(NULL, 'a'), append_frame('a', NULL), stackpath 'a' || NULL::stackpath AS right, NULL::text || stackpath 'a' AS left;

-- @> ancestor of or equal, <@ descendant of or equal
SELECT a, b, a @> b AS ancestor, a <@ b AS descendant
FROM (VALUES (stackpath 'a;b', stackpath 'a;b;c'), ('a;b', 'a;b'), ('a;b', 'a;bc'), ('a;b', 'a'), ('a', 'b'), ('', 'a'), ('', ''), ('a', ''), ('a\;b', 'a;b'), ('a', 'a\;b'), ('a;b', 'a;b ;c')) v(a, b);
SELECT NULL::stackpath @> 'a' AS "@>", 'a' <@ NULL::stackpath AS "<@";

--
-- Bad arguments
--
\pset format unaligned
\pset tuples_only on
-- a start at the end is outside, as for ltree
SELECT t.try(
	$$SELECT subpath(stackpath 'a;b', 2)$$,
	$$SELECT subpath(stackpath 'a;b', 2, 0)$$,
	$$SELECT subpath(stackpath 'a;b', 2, -1)$$,
	$$SELECT subpath(stackpath '', 0)$$,
	$$SELECT subpath(stackpath 'a;b', 3)$$,
	$$SELECT subpath(stackpath 'a;b', -3)$$,
	$$SELECT subpath(stackpath 'a;b', 0, -3)$$,
	$$SELECT subpath(stackpath 'a;b', 1, -2)$$,
	$$SELECT subpath(stackpath 'a;b', 3, 0)$$,
	$$SELECT subpath(stackpath 'a;b', 3, 1)$$,
	$$SELECT subpath(stackpath 'a;b', -3, 1)$$,
	$$SELECT subpath(stackpath '', 1)$$,
	$$SELECT subpath(stackpath '', -1)$$,
	$$SELECT subpath(stackpath 'a;b', 2147483647, 2147483647)$$,
	$$SELECT subpath(stackpath 'a;b', -2147483648, -2147483648)$$,
	$$SELECT subpath(stackpath 'a;b', 0, -2147483648)$$);
SELECT t.try(
	$$SELECT append_frame('a', '')$$,
	$$SELECT append_frame('a', E'b\nc')$$,
	$$SELECT append_frame('a', repeat('x', 1048577))$$,
	$$SELECT stackpath 'a' || 'b;'$$,
	$$SELECT stackpath 'a' || 'b;;c'::text$$,
	$$SELECT ';b'::text || stackpath 'a'$$,
	$$SELECT stackpath 'a' || 1$$);
-- limits of results
SELECT t.try(
	$$SELECT depth(append_frame((repeat('f;', 65533) || 'f')::stackpath, 'g'))$$,
	$$SELECT append_frame((repeat('f;', 65534) || 'f')::stackpath, 'g')$$,
	$$SELECT depth((repeat('f;', 65533) || 'f')::stackpath || stackpath 'g')$$,
	$$SELECT (repeat('f;', 65534) || 'f')::stackpath || stackpath 'g'$$,
	$$SELECT depth(parent((repeat('f;', 65534) || 'f')::stackpath))$$);
