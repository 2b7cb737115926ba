-- Type stackquery: the grammar branch by branch, the canonical text, what is
-- refused and where, binary form, comparison.
\pset null NULL

--
-- Good input and its canonical text: quotes only where needed, bounds in their
-- shortest form
--
SELECT q AS input, q::stackquery AS canonical, q::stackquery::text::stackquery::text = q::stackquery::text AS stable
FROM unnest(ARRAY[
	-- a level: a star, items, "!"
	'*', 'a', '!a', 'a|b', '!a|b', 'a|b|c|b', 'main;*;read', 'a;b;c', '*;*', '!a;!b|c;*',
	-- an item: bare, quoted, a regular expression
	'"a"', '"a b"', 'a b', '" a"', '"a "', '";"', '"*"', '"@"', '"%"', '"|"', '"!"', '"{"', '"}"', '"{1}"', '"~"', '~"a"', '~"^a;b|c{2}$"', '~" "', '!~"a"|b', '~""',
	-- a frame may hold all else
	'a.b', 'a,b', '(a)', '[a]', 'a:1', '#', '1', '0x1f', 'é', '日本', '''', '$1', 'a\b', '\', '\\', 'C:\dir\f.py', 'a  b', E'a\tb', E'\t', E'\x01', 'a-b', '<init>']) q;
-- unaligned: psql 14 takes 🔥 for one column wide
\pset format unaligned
SELECT q AS input, q::stackquery AS canonical, q::stackquery::text::stackquery::text = q::stackquery::text AS stable FROM unnest(ARRAY['🔥', '"🔥"']) q;
\pset format aligned
-- escapes: \" and \\ between quotes only; a backslash is doubled only where it would be read as an escape
SELECT q AS input, q::stackquery AS canonical, m AS frame, stackpath(ARRAY[m]) ~ q::stackquery AS matches
FROM (VALUES ('"a\"b"', 'a"b'), ('"\""', '"'), ('"\\"', '\'), ('"a\\"', 'a\'), ('"\\\\"', '\\'), ('"\a"', '\a'), ('\a', '\a'), ('\\', '\\'), ('"\\a"', '\a'), ('"\\ "', '\ '), ('"\ "', '\ '), ('"\\\""', '\"'), ('"C:\new;x"', 'C:\new;x'), ('"C:\\new;x"', 'C:\new;x'), ('";\\\\"', ';\\'), ('";\\\\x"', ';\\x'), ('~"\\."', 'x.'), ('~"\."', 'x.'), ('~"\""', 'a"'), ('~"a\\\\b"', 'a\b')) v(q, m);
-- modifiers: in any order, repeated, behind quotes; a regular expression takes @
SELECT q AS input, q::stackquery AS canonical
FROM unnest(ARRAY['a*', 'a@', 'a%', 'a%@*', 'a*@%', 'a@@@', 'a**', '"a b"*', '"a;b"@%*', '"a"*', '!a*|b@|c%', '~"a"@', '~"a"@@', 'a_b%', '_%', '"*"*']) q;
-- quantifiers on every kind of level
SELECT q AS input, q::stackquery AS canonical
FROM unnest(ARRAY['*{2}', '*{2,}', '*{2,3}', '*{,3}', '*{0,}', '*{,}', '*{0}', '*{0,0}', '*{,0}', '*{1}', '*{1,1}', '*{1,}', '*{0,1}', 'a{2}', 'a{2,}', 'a{2,3}', 'a{,3}', 'a{1}', 'a{1,1}', 'a{0}', 'a{,}', 'a{0,}', 'a{1,}', 'a{,1}', '!a|b{2}', 'a*{2}', '"a"{,2}', '~"a"@{3}', 'a%*@{1,2}', '*{007}', 'a{00,0002}', '*{65535}', '*{,65535}']) q;
-- a blank is part of a frame, but never at its ends
SELECT stackquery 'a b;c  d|e f' AS blanks;
-- long ones
SELECT length(repeat('a;', 1000)::text || 'b'), length(((repeat('a;', 1000) || 'b')::stackquery)::text) AS levels, length((repeat('a|', 1000) || 'b')::stackquery::text) AS items, length(('"' || repeat(';', 1000) || '"')::stackquery::text) AS frame;

-- no cast from or to text is declared; the automatic ones serve
SELECT 'a;b'::text::stackquery, (stackquery 'a;b')::text, stackquery('a') AS literal, pg_typeof(stackquery 'a'), pg_typeof('a'::text || (stackquery 'a')::text);
SELECT NULL::stackquery AS none, format('%s', stackquery '"a;"*') AS formatted, quote_literal((stackquery '~"\\d"')::text) AS quoted, to_json(stackquery '"a;"*') AS json;
SELECT ARRAY[stackquery 'a', '"b;"', '!c|"d "', '*{1,2}'] AS array, ('{a,"\"b;\""}'::stackquery[])[2] AS element;

--
-- Binary form: a version byte, then the canonical text
--
SELECT q AS query, stackquery_send(q) AS sent, t.receive('stackquery', stackquery_send(q)) = q::text AS back FROM unnest(ARRAY[stackquery '*', 'a;!b|c{1,2}', '"a;b"@', '~"\\d"', 'é*']) q;
-- what is received need not be canonical
SELECT t.receive('stackquery', '\x01' || '"a";*{0,}'::bytea) AS canonical;

--
-- Comparison: by the canonical text, bytewise
--
SELECT a, b, a = b AS "=", a <> b AS "<>", a < b AS "<", a <= b AS "<=", a > b AS ">", a >= b AS ">=", stackquery_cmp(a, b) AS cmp, stackquery_hash(a) = stackquery_hash(b) AS hash, stackquery_hash_extended(a, 7) = stackquery_hash_extended(b, 7) AS hash_extended
FROM (VALUES (stackquery 'a', stackquery 'a'), ('a', '"a"'), ('a{1}', 'a'), ('a%*', 'a*%'), ('a', 'b'), ('a', 'a;b'), ('b', 'a;b'), ('a|b', 'b|a'), ('a', 'é'), ('Z', 'a'), ('ä', 'z'), ('*', 'a'), ('!a', '*'), ('a', 'a*')) v(a, b);
SELECT q, stackquery_hash(q)::bigint & 4294967295 = stackquery_hash_extended(q, 0) & 4294967295 AS low_bits, stackquery_hash_extended(q, 0) <> stackquery_hash_extended(q, 1) AS seeded FROM unnest(ARRAY[stackquery 'a', 'main;*;read|write{2}']) q;
SELECT q FROM unnest(ARRAY[stackquery 'b', 'a', '*', 'a;b', 'a*', '"a;b"', '!a', 'Z', 'é', 'aa', '~"a"', 'a{2}']) q ORDER BY q;
SELECT q, count(*) FROM unnest(ARRAY[stackquery 'b', '"b"', 'a', 'a{1}', '*{0,}', '*']) q GROUP BY q ORDER BY q;
SELECT NULL::stackquery = 'a' AS "=", 'a' <> NULL::stackquery AS "<>", stackquery 'a' < NULL AS "<", NULL IS NOT DISTINCT FROM NULL::stackquery AS same;
-- as a key
CREATE TEMP TABLE owners (pattern stackquery PRIMARY KEY, name text);
INSERT INTO owners VALUES ('main;*', 'core'), ('*;"std::sort<int*, less>";*', 'library'), ('*{3}', 'x');
INSERT INTO owners VALUES ('"main";*', 'again') ON CONFLICT (pattern) DO UPDATE SET name = excluded.name;
SELECT * FROM owners ORDER BY pattern;
CREATE INDEX owners_hash ON owners USING hash (pattern);
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT name FROM owners WHERE pattern > '*;a' ORDER BY pattern;
SELECT name FROM owners WHERE pattern > '*;a' ORDER BY pattern;
DROP INDEX owners_hash;
SELECT name FROM owners WHERE pattern = '*{3,3}';
RESET enable_seqscan;
RESET enable_bitmapscan;

--
-- Bad input
--
\pset format unaligned
\pset tuples_only on
-- a frame is missing
SELECT t.input('stackquery', '', ';', 'a;', ';a', 'a;;b', '|', 'a|', '|a', 'a||b', 'a|;b', '!', '!;a', 'a;!', '!|a', 'a;*|b', '*|a', 'a|*', '*a', '**', '*@', '!*', '!!a', 'a|!b', '@', '%', '{1}', 'a;{1}', 'a|{1}', '}', '!{1}', 'é;日;;x');
-- blanks at the ends of a bare frame
SELECT t.input('stackquery', ' ', ' a', 'a ', 'a; b', 'a ;b', 'a| b', 'a |b', '! a', 'a *', 'a {1}', '* {1}', 'a@ b', '"a" ', '"a" ;b', ' "a"', ' *', '* ', 'a* ');
-- quotes
SELECT t.input('stackquery', '"', '"a', 'a;"b', '"a\"', '"a\\\"', '""', '!""', 'a|""', 'a"b"', 'a"', '"a"b', '"a""b"', '"a"~"b"', E'"a\nb"', E'a\rb', E'x;a\nb', E'a;"b\rc"|d');
-- regular expressions
SELECT t.input('stackquery', '~', '~a', '~;a', '~~"a"', '~"', '~"a', 'a;~"b', '~"a"*', '~"a"%', '~"a"@*', 'a~"b"', '~"("', '~"["', 'a;~"*"', '~"a{2,1}"', '~"(a)\1"', '~"(a)\\1"', '!a|~"(.)\1"', '~"***=("', '~"***:a"', '~"(?b)a"', '~"(?b)\(a\)\1"', '~"(?:a)(?=b)"', '~"\\q"', '~"[[:nope:]]"', '~"(?i)a"');
-- repetition counts
SELECT t.input('stackquery', 'a{', 'a{}', 'a{1', 'a{1,', 'a{1,2', 'a{,2', 'a{a}', 'a{1,b}', 'a{-1}', 'a{1.5}', 'a{ 1}', 'a{1 }', 'a{1, 2}', 'a{1;2}', 'a{2,1}', 'a{1,0}', '*{2,1}', 'a{1}{2}', 'a{1}*', 'a{1}|b', 'a{1}b', '*{1}a', 'a{1,2,3}', 'a{,,}', 'a{+1}', '*{65536}', '*{99999999999999999999}', 'a{1,65536}', 'a{,4294967296}');
-- encoding, binary form
SELECT t.try(
	$$SELECT t.receive('stackquery', '')$$,
	$$SELECT t.receive('stackquery', '\x00')$$,
	$$SELECT t.receive('stackquery', '\x02' || 'a'::bytea)$$,
	$$SELECT t.receive('stackquery', '\x01')$$,
	$$SELECT t.receive('stackquery', '\x01' || 'a;;b'::bytea)$$,
	$$SELECT t.receive('stackquery', '\x01' || 'a '::bytea)$$,
	$$SELECT t.receive('stackquery', '\x01' || '~"("'::bytea)$$,
	$$SELECT t.receive('stackquery', '\x01ff')$$,
	$$SELECT t.receive('stackquery', '\x01c3')$$,
	$$SELECT t.receive('stackquery', '\x01610062')$$,
	$$SELECT t.receive('stackquery', '\x01' || repeat('*{65535};', 4)::bytea || '*'::bytea)$$);
-- limits: a frame of 1 MiB; levels and repetitions together at most 262,144
SELECT t.try(
	$$SELECT length(repeat('x', 1048576)::stackquery::text)$$,
	$$SELECT repeat('x', 1048577)::stackquery$$,
	$$SELECT ('a;"' || repeat('x', 1048577) || '"')::stackquery$$,
	$$SELECT length((repeat('*;', 262143) || '*')::stackquery::text)$$,
	$$SELECT (repeat('*;', 262144) || '*')::stackquery$$,
	$$SELECT length((repeat('a;', 131071) || 'a')::stackquery::text)$$,
	$$SELECT length((repeat('a;', 131072) || 'a')::stackquery::text)$$,
	$$SELECT stackquery '*{65535}'$$,
	$$SELECT stackquery '*{65535};*{65535};*{65535};*{65535};*'$$,
	$$SELECT stackquery 'a{,60000};b{,60000};c{,60000};d{,60000};e{,60000}'$$,
	$$SELECT length((repeat('a|', 99999) || 'a')::stackquery::text)$$);
-- no operators but these
SELECT t.try($$SELECT stackquery 'a' || stackquery 'b'$$, $$SELECT stackquery 'a' LIKE 'a'$$, $$SELECT stackquery 'a' = 'a;'$$);
-- an error points at the literal
SELECT stackquery 'main;;read';
