-- Values in tables: COPY in text and binary form, updates, compression, rows out
-- of line, types as columns of other types.
\pset null NULL
CREATE TABLE profiles (id int PRIMARY KEY, stack stackpath, fg flamegraph NOT NULL DEFAULT '');
INSERT INTO profiles VALUES (1, 'a;b', E'a;b 1\nc 2'), (2, '', ''), (3, NULL, E'a\\;b;C:\\\\;x 1.5\n\\# c -2\n 3'), (4, E'tab\t;back\\slash', E'tab\t;back\\slash 7');
INSERT INTO profiles (id) VALUES (5);
INSERT INTO profiles SELECT 6, 'large', flamegraph_agg(ARRAY['main', 'function number ' || i % 100, md5(i::text)], i) FROM generate_series(1, 3000) i;
INSERT INTO profiles SELECT 7, stackpath(array_agg(md5(i::text))), (repeat('frame;', 5000) || 'leaf 1')::flamegraph FROM generate_series(1, 200) i;

-- COPY in text form shows the text form
COPY (SELECT id, stack, fg FROM profiles WHERE id < 6 ORDER BY id) TO STDOUT;
COPY (SELECT id, stack, fg FROM profiles WHERE id < 4 ORDER BY id) TO STDOUT (FORMAT csv);
CREATE TABLE copied (LIKE profiles);
COPY copied (id, stack, fg) FROM STDIN;
1	a;b	a;b 1\nc 2
2		
3	\N	\\\\# c -2\\n is no line break 1
\.
SELECT id, stack, fg FROM copied ORDER BY id;
TRUNCATE copied;
-- a table whose rows went through COPY, in both forms, through a file of the server
SELECT format('%s/flamegraph_storage_test', current_setting('data_directory')) AS file \gset
COPY profiles TO :'file';
COPY copied FROM :'file';
SELECT count(*) AS rows, bool_and(p.fg = c.fg) AS fg, bool_and(p.stack IS NOT DISTINCT FROM c.stack) AS stack FROM profiles p JOIN copied c USING (id);
TRUNCATE copied;
COPY profiles TO :'file' (FORMAT binary);
COPY copied FROM :'file' (FORMAT binary);
SELECT count(*) AS rows, bool_and(p.fg = c.fg) AS fg, bool_and(p.stack IS NOT DISTINCT FROM c.stack) AS stack FROM profiles p JOIN copied c USING (id);
SELECT format('cat >/dev/null; rm -f ''%s''', :'file') AS remove \gset
COPY (SELECT) TO PROGRAM :'remove';
DROP TABLE copied;

-- stored as they are, compressed, or out of line
SELECT id, pg_column_size(fg) < 2000 AS small, length(fg::text) > 65536 AS packed_text, fg::text::flamegraph = fg AS exact FROM profiles ORDER BY id;
-- the same values under every storage
CREATE TABLE storages (id int, extended flamegraph, external flamegraph, main flamegraph, plain flamegraph);
ALTER TABLE storages ALTER COLUMN external SET STORAGE external, ALTER COLUMN main SET STORAGE main, ALTER COLUMN plain SET STORAGE plain;
INSERT INTO storages SELECT id, fg, fg, fg, CASE WHEN length(flamegraph_send(fg)) < 5000 THEN fg END FROM profiles;
SELECT count(*) AS rows, bool_and(extended = external) AS external, bool_and(extended = main) AS main, bool_and(extended = plain) AS plain, bool_and(total(extended) = total(external) AND total(main) = total(external)) AS totals, bool_and(flamegraph_hash(extended) = flamegraph_hash(external)) AS hashes,
	bool_and(extended - external = '') AS difference, bool_and(extended + main = 2 * external) AS sum FROM storages;
SELECT bool_and((SELECT sum(value) FROM stacks(external)) = total(extended) OR extended = '') AS rows FROM storages;
DROP TABLE storages;

-- updates, arrays, composite types, domains, json
UPDATE profiles SET fg = fg + 'new 1' WHERE id IN (1, 2, 5) RETURNING id, fg;
UPDATE profiles SET fg = '' WHERE id = 1 RETURNING fg = '' AS empty;
SELECT ARRAY[stackpath 'a;b', 'c,d', 'e"f', '\;'] AS paths, ARRAY[flamegraph E'a 1\nb 2', ''] AS profiles;
SELECT '{a;b,"c,d","\\;"}'::stackpath[] AS paths, ('{a;b,"c,d","\\;"}'::stackpath[])[3] AS third, '{"a 1",""}'::flamegraph[] = ARRAY['a 1', '']::flamegraph[] AS profiles;
SELECT ROW(stackpath 'a;b', flamegraph E'a 1\nb 2') AS row, to_json(stackpath 'a;b') AS path, to_jsonb(flamegraph E'a 1\nb 2') AS profile, json_build_object('s', stackpath 'x') AS object;
CREATE DOMAIN positive_profile AS flamegraph CHECK (negative_part(VALUE) = '');
SELECT positive_profile 'a 1' AS fine, t.outcome($$SELECT 'a -1'::positive_profile$$) AS refused;
SELECT (NULL::positive_profile) IS NULL AS null_domain;
DROP DOMAIN positive_profile;
CREATE TABLE generated (fg flamegraph, total float8 GENERATED ALWAYS AS (total(fg)) STORED, top stackpath GENERATED ALWAYS AS (subpath('a;b;c', 0, 2)) STORED);
INSERT INTO generated VALUES (E'a 1\nb 2'), (NULL);
SELECT * FROM generated ORDER BY total;
CREATE INDEX ON generated (total(fg));
DROP TABLE generated, profiles;
-- prepared statements and functions in PL/pgSQL
PREPARE added(flamegraph, flamegraph) AS SELECT $1 + $2 AS sum;
EXECUTE added('a 1', 'b 2');
EXECUTE added(NULL, 'b 2');
CREATE FUNCTION pg_temp.grow(n int) RETURNS flamegraph LANGUAGE plpgsql AS $$
DECLARE fg flamegraph := '';
BEGIN
	FOR i IN 1..n LOOP
		fg := fg + ('f' || i % 3 || ' ' || i)::flamegraph;
	END LOOP;
	RETURN fg;
END
$$;
SELECT pg_temp.grow(10);
