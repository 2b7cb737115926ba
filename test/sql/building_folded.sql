-- flamegraph_from_folded and flamegraph_to_folded: folded stacks of other tools.
\pset null NULL

-- no escapes: backslashes and hashes are themselves
SELECT stack, frames(stack), value
FROM stacks(flamegraph_from_folded(E'a\\;b;c 1\nC:\\\\;x 2\nC:\\dir\\f.py;App\\Http\\Kernel->handle 3\n\\# not a comment;z 5\n#0 main 6\n# comment 7'));
SELECT flamegraph_from_folded(''), flamegraph_from_folded(E'a;b 1\r\n\r\n#\r\na;b 2 \t\r\n') AS crlf, flamegraph_from_folded(' 5') AS empty_stack,
	flamegraph_from_folded(E'a 1\na -1') = '' AS cancelled, flamegraph_from_folded(E'a 5 7') AS two_columns;
-- the same bytes, as text and as bytea
SELECT flamegraph_from_folded(s) = flamegraph_from_folded(convert_to(s, 'UTF8')) AS same, nstacks(flamegraph_from_folded(s))
FROM (VALUES (E'a;b 1\nc 2'), (E'é;日本 1.5'), (E'\ufeffa;b 1')) v(s);
-- one byte order mark is dropped: text_byte_order_mark
SELECT flamegraph_from_folded('\xefbbbf613b6220310a'::bytea) AS bytes, flamegraph_from_folded(E'\ufeffa;b 1') AS text,
	frame(stack, 0) = E'\ufeffa' AS a_second_one_stays FROM stacks(flamegraph_from_folded(E'\ufeff\ufeffa 1'));

-- text_speedscope_simple, text_speedscope_recursion: speedscope samples
SELECT flamegraph_from_folded(E'a;b;c 1\na;b;c 1\na;b;d 4\na;b;c 3\na;b 5\n');
SELECT flamegraph_from_folded(E'a;a 1\nb;b 1\na;b 1\na;b;a;b 1\na;b;a;c 1\na;b;a;b;a;b 1\na;b;a;b;c 1\na;b;a;b 1\na;b;a;c 1\na;b;a;b;c 1\n');

-- cleaning: an empty frame is [unknown], a control character a space
SELECT flamegraph_from_folded(E'a;;b 1\n;a 2\na; 3\n;; 4');
SELECT stack, value FROM stacks(flamegraph_from_folded(E'a\x01b;c\td 1\n\x7f 2\n\x1f;\x1b[0m 3'));
SELECT flamegraph_from_folded(E'a\rb 1') AS carriage_return;
-- a cleaned stack adds to the same stack written plainly
SELECT flamegraph_from_folded(E'a;[unknown] 1\na; 2\na\tb 3\na b 4');
-- a line without anything to clean gives no notice
SELECT flamegraph_from_folded(E'[unknown] 1\n\u0080\u00a0 2') IS NOT NULL AS quiet;

-- on_error => 'skip': bad lines are counted in a warning
SELECT flamegraph_from_folded(E'a;b 1\nbad\na;b 2\nc x\n\n# d\ne nan\nf 1,5', 'skip');
SELECT flamegraph_from_folded(E'a 1', 'skip') AS nothing_to_skip, flamegraph_from_folded(E'a 1', on_error => 'error');
SELECT flamegraph_from_folded(E'x', 'skip') = '' AS nothing_left;
SELECT flamegraph_from_folded(E'a;;b 1\nx\nc\x01 2', 'skip') AS cleaned_and_skipped;
SELECT flamegraph_from_folded(E'a;b 1\nbad\n'::bytea, 'skip') AS bytes;
SELECT flamegraph_from_folded(E'a;b 1\na;b 1e999\nb -1e400\nb 1e-400\na;b 2', 'skip') AS out_of_range;
-- text_invalid_line_lenient: a speedscope sample with two lines that are not ours
SELECT flamegraph_from_folded(E'# comment that gives extra info about the samples\n// some other comment\na;b;c 1\na;b;c 1\na;b;d 4\na;b;c 3\na;b 5\ninvalid line\n', 'skip');

-- null in, null out
SELECT flamegraph_from_folded(NULL::text), flamegraph_from_folded(NULL::bytea), flamegraph_from_folded('a 1', NULL),
	flamegraph_to_folded(NULL), flamegraph_to_folded('a 1', NULL);

-- flamegraph_to_folded: the text form, of any size; it reads back
SELECT flamegraph_to_folded(E' 5\nb 2\na;b\\;c 1\n\\# x 3\nC:\\\\;d 4');
SELECT flamegraph_to_folded('') = '' AS empty;
SELECT flamegraph_to_folded(v)::flamegraph = v AS exact, length(flamegraph_to_folded(v)) AS folded, left(v::text, 13) AS packed
FROM (SELECT flamegraph_agg(ARRAY['some function', repeat('deep', i % 100 + 1), 'f' || i], i) AS v FROM generate_series(1, 1000) i) x;
-- raw: for other tools, no escapes; a semicolon inside a frame becomes a colon
SELECT flamegraph_to_folded(E'a;b 1\nC:\\\\;d 4\n\\# x 3', raw => true) AS no_notice;
SELECT flamegraph_to_folded(E'a\\;b;c\\;\\;d 1\nx 2', true);
-- two frames that become equal stay two lines, for the other tool to add
SELECT flamegraph_to_folded(E'a\\;b 1\na:b 2', raw => true);
-- what other tools wrote comes back byte by byte
SELECT flamegraph_to_folded(flamegraph_from_folded(s), raw => true) = s AS exact
FROM (VALUES (E'C:\\dir;x\\;\\ 1\n\\#;\\\\ 2'), (E'#0 main;b 1'), (' 5')) v(s);

--
-- Bad input
--
\pset format unaligned
\pset tuples_only on
SELECT t.try(
	$$SELECT flamegraph_from_folded('a 1', 'ignore')$$,
	$$SELECT flamegraph_from_folded('a 1', '')$$,
	$$SELECT flamegraph_from_folded('a 1', 'SKIP')$$,
	$$SELECT flamegraph_from_folded('a 1', repeat('é', 200))$$,
	$$SELECT flamegraph_from_folded('a 1'::bytea, 'ignore')$$);
SELECT t.try(
	$$SELECT flamegraph_from_folded(E'a;b 1\na;c\nd 2')$$,
	$$SELECT flamegraph_from_folded(E'a;b 1\nweird 5x')$$,
	$$SELECT flamegraph_from_folded(E'a;b 1\r\n\r\nweird nan\r\n')$$,
	$$SELECT flamegraph_from_folded(E'\ufeffa 1\nb')$$,
	$$SELECT flamegraph_from_folded(E'\ufeffa x')$$);
-- text_invalid_line_strict
SELECT t.try($$SELECT flamegraph_from_folded(E'# comment that gives extra info about the samples\n// some other comment\na;b;c 1')$$);
-- never skipped: a sum out of range, and what is beyond a limit
SELECT t.try(
	$$SELECT flamegraph_from_folded(E'a 1e999\na 1e308\nb 1\na 1e308', 'skip')$$,
	$$SELECT flamegraph_from_folded(E'a 1e308\nb 1\na 1e308', 'skip')$$,
	$$SELECT flamegraph_from_folded(E'a;;b 1e308\na;;b 1e308', 'skip')$$,
	$$SELECT flamegraph_from_folded(E'a 1\nb;' || repeat('x', 1048577) || ' 1', 'skip')$$,
	$$SELECT flamegraph_from_folded(repeat('f;', 65535) || 'f 1', 'skip')$$,
	$$SELECT flamegraph_from_folded(repeat(';', 65535) || ' 1', 'skip')$$);
-- bytes that are not UTF-8: text_bad_utf8, text_utf16_rejected, NUL
SELECT t.try(
	$$SELECT flamegraph_from_folded('\x613b6220310a61c33b2032'::bytea)$$,
	$$SELECT flamegraph_from_folded('\xfffe61003b00620020003100'::bytea)$$,
	$$SELECT flamegraph_from_folded('\xfeff0061003b006200200031'::bytea)$$,
	$$SELECT flamegraph_from_folded('\x61003b00620020003100'::bytea)$$,
	$$SELECT flamegraph_from_folded('\x6120310a620020310a'::bytea)$$,
	$$SELECT flamegraph_from_folded('\x61206220c080'::bytea)$$,
	$$SELECT flamegraph_from_folded('\xeda0802031'::bytea)$$,
	$$SELECT flamegraph_from_folded('\xf48fbfbf2031'::bytea) = E'\U0010FFFF 1'$$,
	$$SELECT flamegraph_from_folded('\xf49080802031'::bytea)$$,
	$$SELECT flamegraph_from_folded('\x61ff2031'::bytea, 'skip')$$);
