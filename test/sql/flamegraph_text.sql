-- The text form of flamegraph: grammar, escapes, numbers, order, round trips;
-- cases of golden/algebra by their names.
\pset null NULL

-- What a text is read as, line by line: written with " | " for line breaks
CREATE FUNCTION pg_temp.canonical(input text) RETURNS text LANGUAGE sql AS $$
	SELECT t.shown(replace(input::flamegraph::text, E'\n', ' | '))
$$;
-- Every value printed here also reads back as itself.
CREATE FUNCTION pg_temp.exact(input text) RETURNS bool LANGUAGE sql AS $$
	SELECT input::flamegraph::text::flamegraph = input::flamegraph
		AND input::flamegraph::text::flamegraph::text = input::flamegraph::text
$$;

-- algebra_figure2 (Tornetta 2023, figure 2)
SELECT flamegraph E'A;B 1\nA;C;D 5\nA;C 1\nA 2';

-- text_empty_profiles
SELECT t.shown(s) AS input, s::flamegraph::text = '' AS empty, nstacks(s::flamegraph)
FROM unnest(ARRAY['', E'\n', E'\r\n\r\n', '# only a comment', '   ', 'a 0', E'a 1\na -1', E'# x\n\n#', E'\t \n', ' 0', E'a;b 0.5\na;b -0.5\n 0']) s;

-- lines: LF ends one; CR, blanks and tabs at its end are dropped; blank lines,
-- "#" and "# ..." are skipped
SELECT t.shown(s) AS input, pg_temp.canonical(s), pg_temp.exact(s)
FROM (VALUES ('a 1'), (E'a 1\n'), (E'a 1\r\n'), (E'a 1\n\n\nb 2\n'), (E'a 1  \t \nb 2\r\r\n'), (E'#\na 1'), (E'# \na 1'), (E'# a 1\nb 2'), (E'#\t\na 1'), (E'#\r\na 1')) v(s);
-- text_comments_and_blanks: "#foo" and "#0 main" are frames
SELECT pg_temp.canonical(s), pg_temp.exact(s)
FROM (VALUES (E'# austin: 3.4.0\n# interval: 100\r\n#\n\n   \t\nP1;T1;#0 main 5\n#include 7\n#\tx 1\nP1;T1;<module>:3 10058  \n\n\n')) v(s);

-- the last space separates the value, nothing else is trimmed: text_spaces_kept,
-- text_two_columns_trap, text_frames_with_spaces
SELECT t.shown(s) AS input, pg_temp.canonical(s), pg_temp.exact(s)
FROM (VALUES (E'a;b  5\n  a;b 1\na ; b 2\na;b\t 3'), (E'a;b 10 12\na;c 3 0'), ('  1'), (E'a;\t 1'), ('a;  ; ;b 2'),
	('std::map<int, std::pair<int, char> >::find(int const&) const 2'), ('java;Foo.bar(int, java.lang.String) 7')) v(s);

-- an empty stack is the virtual root: text_empty_stack
SELECT pg_temp.canonical(s), pg_temp.exact(s) FROM (VALUES (E'a 2\n 5\na;b 1'), (' 5'), (E' 5\n -6')) v(s);
SELECT stack = '' AS empty_stack, value FROM stacks(E' 5');

-- escapes: "\;", "\\", and "\#" at the start of a line: text_escapes
SELECT pg_temp.canonical(s), pg_temp.exact(s)
FROM (VALUES (E'a\\;b;c 1\nC:\\\\;x 2\nC:\\dir\\f.py;App\\Http\\Kernel->handle 3\n\\\\\\;q 4\n\\# not a comment;z 5\n\\\\# hash after backslash 6')) v(s);
SELECT stack, frames(stack), value
FROM stacks(E'a\\;b;c 1\nC:\\\\;x 2\nC:\\dir\\f.py;App\\Http\\Kernel->handle 3\n\\\\\\;q 4\n\\# not a comment;z 5\n\\\\# hash after backslash 6');
SELECT s AS input, pg_temp.canonical(s), pg_temp.exact(s), (SELECT frames(stack) FROM stacks(s::flamegraph))
FROM (VALUES ('\# 1'), ('\#a 1'), ('\\# 1'), ('\\#a 1'), ('\\\# 1'), ('#;a 1'), ('\#;a 1'), ('a;\# 1'), ('a;# 1'), ('a;# b 1'), ('\# b 1'), ('\#  1'), ('#a b 1'), ('\ 1'), ('\\ 1'), ('a\ 1'), ('\;;\; 1'), ('\\;\\ 1'), ('a\b\;c\\d 1'), ('\n 1')) v(s);

-- numbers read: text_negative_fractional, text_cancel_and_zero
SELECT pg_temp.canonical(s), pg_temp.exact(s)
FROM (VALUES (E'a;b -3\na;c 0.25\na;b 1.5\nd -1e-3\ne .5\nf 6.\ng +3\nh 1E2\ni 12345678901234567890'), (E'a 1\nb 0\na -1\nc -0\nd 2.5\nd -1.5\ne 0e5'),
	(E'a 1e+2\nb 1E-2\nc -.5e1\nd 00012\ne 0.10\nf +0\ng -0.0e9\nh 0.1e1')) v(s);
-- numbers printed: text_number_layout
SELECT unnest(string_to_array(flamegraph E'a 1e300\nb 1e-300\nc 999999999999999999\nd 1e18\ne 0.0001\nf 0.00001\ng 123456789012345.5\nh 1234567890123456.5\ni 9007199254740993\nj 0.1\nk 1e17\nl 4.9406564584124654e-324'::text, E'\n')) AS line;
SELECT n AS input, substr(('a ' || n)::flamegraph::text, 3) AS printed, pg_temp.exact('a ' || n)
FROM unnest(ARRAY['1', '-1', '100', '1e2', '123456789012345', '1234567890123456', '12345678901234567', '123456789012345678', '1234567890123456789', '999999999999999900', '-999999999999999900', '1e18', '-1e18', '9007199254740991', '9007199254740992', '9007199254740993',
	'0.5', '1.5', '-2.25', '0.1', '0.2', '0.30000000000000004', '0.3', '1e-4', '1.5e-4', '9.999e-5', '1e-5', '-1e-5', '0.000123456789012345', '1.7976931348623157e308', '-1.7976931348623157e308', '1.7976931348623158e308', '2.2250738585072014e-308', '2.2250738585072011e-308', '5e-324', '2.5e-324', '3e-324',
	'99999999999999.99', '999999999999999.9', '4503599627370496.5', '1e15', '1.5e15', '1e21', '1e22', '1e23', '9.5367431640625e-07', '5.960464477539063e-08', '1.1102230246251565e-16', '9007199254740993.0', '0.1000000000000000055511151231257827', '123456789.123456789', '3.14159265358979323846264338327950288419716939937510', '1e0000000000000000000002', '0.00000000000000000000000000000000000000000000001e47', '100000000000000000000000000000000000000e-38']) n;

-- equal stacks add up
SELECT pg_temp.canonical(s) FROM (VALUES (E'a;b 1\nc 1\na;b 2\na;b 3.5\nc -1'), (E'a 0.1\na 0.2\na -0.3'), (E'a 9007199254740992\na 1'), (E'a 1e308\nb 1\na -1e308')) v(s);

-- canonical order: text_prefix_order, text_unicode_order
SELECT flamegraph E'a b 1\na;c 2\na 3\na!;b 4\na;b;c 5\na\u00a0b 6\nA;b 7';
SELECT flamegraph E'\u00e9 1\nz 1\ne\u0301 1\n\uffee 1\n\U0001F525 1\n\u65e5\u672c;\u00fc 2\nA 1\n~ 1';
-- no byte order mark in the text form: it is part of the frame
SELECT frame(stack, 0) = E'\ufeffa' AS in_the_frame, frame(stack, 1), value FROM stacks(E'\ufeffa;b 1');
-- control characters but CR, LF and NUL are legal
SELECT length(frame(stack, 0)), frame(stack, 0) = E'a\x01\x7f\x1b' AS as_it_stands FROM stacks(E'a\x01\x7f\x1b 1');

-- text_deep_recursion: depth 5,000
SELECT nstacks(v), nnodes(v), nframes(v), depth(v), total(v), md5(v::text), t.shown(left(v::text, 13))
FROM (VALUES ((repeat('f;', 4999) || E'f 3\n' || repeat('f;', 4999) || E'g 4\n' || repeat('f;', 4999) || 'f 2')::flamegraph)) x(v);
SELECT nstacks(v), md5(flamegraph_to_folded(v))
FROM (VALUES ((repeat('f;', 4999) || E'f 3\n' || repeat('f;', 4999) || E'g 4\n' || repeat('f;', 4999) || 'f 2')::flamegraph)) x(v);

--
-- Bad input: one line per branch of the reader
--
\pset format unaligned
\pset tuples_only on
-- text_bad_values
SELECT t.input('flamegraph', 'a nan', 'a inf', 'a -Infinity', 'a 0x10', 'a 1,5', 'a 1_000', 'a --1', 'a 1e', 'a .', 'a 1 2 x', 'a;;b 1', ';a 1', 'a; 1', '7', 'a 5;b', 'P1;T1;f 10,1,20');
SELECT t.input('flamegraph', 'a NaN', 'a Infinity', 'a +', 'a -', 'a -.', 'a +-1', 'a 1e+', 'a 1e-', 'a e5', 'a .e5', 'a 1.2.3', 'a 1e2.5', 'a 1e5e5', 'a 1-', 'a 1f', 'a 0b1', 'a ١', 'a 1%', 'a $1', 'a 1''000');
-- text_missing_value, and where: lines count comments and blank ones, columns are bytes
SELECT t.input('flamegraph', E'a;b 1\na;c\nd 2', 'a', '#a', 'a;b;c', E'a\t1', E'a\u00a01', E'# c\n\n\nx', E'a 1\r\nb\r\n', 'é x', E'a 1\né;;b 1', E'a 1\n;', E'a;b; 1', '; 1', ';; 1', E'a\\;; 1', E'x\\y;;a 1', E'\\#;;a 1', 'a;b\c; 1');
-- a long word is cut, between characters
SELECT t.input('flamegraph', 'a ' || repeat('x', 40), 'a ' || repeat('x', 41), 'a ' || repeat('é', 30));
-- line breaks in frames
SELECT t.input('flamegraph', E'a\rb 1', E'a;\rb;c 1', E'a\\;\rb 1', E'\r 1');
-- numbers out of range: text_value_overflow, text_value_underflow, text_sum_overflow
SELECT t.input('flamegraph', E'a 1\nb 1e400', E'\n# c\nb 1e-400', E'a 1e308\nb 1\na 1e308', 'a 1.7976931348623159e308', 'a -1e309', 'a 2.4e-324', 'a -1e-99999999999', 'a 1e99999999999999999999', 'a ' || repeat('9', 400),
	'a 0.' || repeat('0', 400) || '1', E'a -1e308\na -1e308', E' 1e308\n 1e308', E'a\\;b 1e308\na\\;b 1e308');
-- limits: a frame of 1 MiB, 65,535 frames
SELECT t.try(
	$$SELECT nnodes((repeat('x', 1048576) || ' 1')::flamegraph)$$,
	$$SELECT (repeat('x', 1048577) || ' 1')::flamegraph$$,
	$$SELECT (E'a 1\nab;' || repeat('x', 1048577) || ';c 1')::flamegraph$$,
	$$SELECT (E'a\\;b;' || repeat('x', 1048577) || ';c 1')::flamegraph$$,
	$$SELECT depth((repeat('f;', 65534) || 'f 1')::flamegraph)$$,
	$$SELECT (E'a 1\n' || repeat('f;', 65535) || 'f 1')::flamegraph$$,
	$$SELECT (E'\\;;' || repeat('f;', 65534) || 'f 1')::flamegraph$$);
-- a trap, not an error: without E'' there is no line break, and "a 1\nb" is a frame
SELECT t.input('flamegraph', 'a 1\nb 2');
\pset format aligned
\pset tuples_only off
-- said once for each place in a statement; not of what a file name may have
SELECT flamegraph 'main;a 5\nmain;b 6' AS told;
SELECT count(x::flamegraph) AS told_once FROM (VALUES ('a 1\nb 2'), ('a 1.5\nb 2')) v(x);
SELECT flamegraph 'C:\new;v 2\n 1' AS told_too, flamegraph 'C:\new 1' AS path, flamegraph 'a5\nb 1' AS no_blank, flamegraph E'a 5\nb 6' AS right;
