-- Type stackpath: text form, arrays, binary form, and what each of them refuses.
\pset null NULL

-- Frames are joined by ";", nothing is trimmed.
-- unaligned: psql 14 takes 🔥 for one column wide
\pset format unaligned
SELECT s AS input, s::stackpath AS output, frames(s::stackpath)
FROM (VALUES (''), ('a'), ('a;b;c'), (' a ; b '), ('a b;c'), ('{a,b}'), ('#x'), ('\#x'), ('"a";b'),
	('<alloc::vec::Vec<T> as I>::from_iter;memcpy@GLIBC_2.2.5'), ('Ü;日本;🔥')) v(s);
\pset format aligned

-- "\;" and "\\" are escapes, any other backslash is itself; output escapes only
-- what would be misread.
SELECT s AS input, s::stackpath AS output, frames(s::stackpath), s::stackpath::text::stackpath = s::stackpath AS same
FROM (VALUES ('a\;b;c'), ('a\\;b'), ('a\\\;b'), ('C:\dir\f.py;App\Http\Kernel'), ('C:\\dir'), ('\'), ('\\'), ('\\\'), ('\\\\'),
	('a;\;b'), ('a;\\;b'), ('\n\t\x'), ('\\\\;\\;x\;')) v(s);

-- Arrays hold the frames as they stand.
SELECT stackpath(ARRAY['a;b', 'c\', '\;', '\\', '#', ' ']), frames(stackpath(ARRAY['a;b', 'c\', '\;', '\\', '#', ' ']));
SELECT stackpath('{}'::text[]) = '' AS empty, frames(stackpath '') AS none, '{}'::text[]::stackpath::text[] AS cast_both_ways;
SELECT ARRAY['a', 'b']::stackpath, stackpath(ARRAY['a', 'b']), (stackpath 'a;b')::text[];
SELECT stackpath('[5:6]={x,y}'::text[]) AS subscripts_do_not_matter;
SELECT stackpath('{a,b}') AS one_frame;		-- text that is read, not an array
-- array -> path -> text -> path -> array
SELECT count(*) AS tried, bool_and(frames(stackpath(a)::text::stackpath) = a) AS all_exact
FROM (SELECT ARRAY[x, y, z] FROM unnest(ARRAY['a', ';', '\', '\\', ';\', '\;', 'a\', '\a', ' ', '#', '# ', E'\t', E'\x01', 'é']) x,
	unnest(ARRAY['b', ';', '\', '\\', '\;', ';;', '\ ']) y, unnest(ARRAY['c', ';', '\', '\\', '\\;']) z) v(a);

-- The automatic casts with text serve, also in assignments.
SELECT (stackpath 'a;b')::text || '!' AS text, 'x;y'::text::stackpath AS path, length((stackpath 'a;b')::text);
CREATE TEMP TABLE assigned (x text, y varchar(10));
INSERT INTO assigned VALUES (stackpath 'a;b', stackpath 'c\;d');
TABLE assigned;

-- Binary form: a version byte and the text form
SELECT stackpath_send('a;b\;c'), stackpath_send('');
SELECT t.receive('stackpath', '\x01' || convert_to('a;b\;c', 'UTF8'));
SELECT t.receive('stackpath', '\x01') = '' AS empty;

-- Compressed and out of line
CREATE TEMP TABLE stored (id int, path stackpath);
INSERT INTO stored VALUES (1, stackpath(array_fill('frame'::text, ARRAY[1000]))),
	(2, (SELECT stackpath(array_agg(md5(i::text) ORDER BY i)) FROM generate_series(1, 1000) i)), (3, 'short'), (4, NULL);
SELECT id, depth(path), root(path), leaf(path), md5(path::text) = md5(path::text::stackpath::text) AS exact FROM stored ORDER BY id;

--
-- Bad input
--
\pset format unaligned
\pset tuples_only on
SELECT t.input('stackpath', ';', 'a;', ';a', 'a;;b', 'é;;b', 'a\;;', E'a;b\nc', E'a\r', E'a;b;\n');
SELECT t.try(
	$$SELECT stackpath(ARRAY['a', ''])$$,
	$$SELECT stackpath(ARRAY['a', NULL])$$,
	$$SELECT stackpath(ARRAY['a', E'b\nc'])$$,
	$$SELECT stackpath(ARRAY['a', E'b\rc'])$$,
	$$SELECT stackpath(ARRAY[['a', 'b'], ['c', 'd']])$$,
	$$SELECT ARRAY['']::stackpath$$,
	$$SELECT 'a;'::text::stackpath$$);
-- a version that does not exist, no byte at all, not UTF-8, a NUL byte, an empty frame
SELECT t.try(
	$$SELECT t.receive('stackpath', '\x02' || 'a;b'::bytea)$$,
	$$SELECT t.receive('stackpath', '\x00')$$,
	$$SELECT t.receive('stackpath', '')$$,
	$$SELECT t.receive('stackpath', '\x0161c3')$$,
	$$SELECT t.receive('stackpath', '\x01610062')$$,
	$$SELECT t.receive('stackpath', '\x01' || 'a;;b'::bytea)$$,
	$$SELECT t.receive('stackpath', '\x01' || E'a\nb'::bytea)$$);
-- limits: 1 MiB a frame, 65,535 frames
SELECT t.try(
	$$SELECT length(repeat('x', 1048576)::stackpath::text)$$,
	$$SELECT repeat('x', 1048577)::stackpath$$,
	$$SELECT ('a;' || repeat('x', 1048577) || ';b')::stackpath$$,
	$$SELECT stackpath(ARRAY['a', repeat('x', 1048577)])$$,
	$$SELECT depth((repeat('f;', 65534) || 'f')::stackpath)$$,
	$$SELECT (repeat('f;', 65535) || 'f')::stackpath$$,
	$$SELECT depth(stackpath(array_fill('f'::text, ARRAY[65535])))$$,
	$$SELECT stackpath(array_fill('f'::text, ARRAY[65536]))$$);
