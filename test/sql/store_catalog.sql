-- The extension flamegraph_store: what it is made of.
CREATE EXTENSION flamegraph_store;
SELECT extversion ~ '^\d+\.\d+\.\d+$' AS has_version, extrelocatable, extnamespace::regnamespace FROM pg_extension WHERE extname = 'flamegraph_store';

CREATE TEMP VIEW member AS
SELECT classid, objid, objsubid, pg_describe_object(classid, objid, objsubid) AS name
FROM pg_depend
WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
	AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'flamegraph_store');

-- Tables and views with their columns
\pset format unaligned
SELECT c.relname, c.relkind, string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attnotnull THEN '' ELSE ' null' END,
	', ' ORDER BY a.attnum) AS columns
FROM member JOIN pg_class AS c ON classid = 'pg_class'::regclass AND c.oid = objid
	JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'p', 'v')
GROUP BY 1, 2 ORDER BY 1;
\pset format aligned

-- All of them go with a dump, and so do the sequences; the partitioned parent has no rows of its own.
SELECT c.relname AS not_dumped
FROM member JOIN pg_class AS c ON classid = 'pg_class'::regclass AND c.oid = objid
WHERE c.relkind IN ('r', 'p', 'S')
	AND c.oid <> ALL ((SELECT extconfig FROM pg_extension WHERE extname = 'flamegraph_store')::oid[])
ORDER BY 1;

-- No foreign keys, no triggers on tables that grow, nothing on the partitioned parent that ATTACH would clone
SELECT conrelid::regclass, conname FROM pg_constraint WHERE contype = 'f' AND connamespace = 'profiling'::regnamespace;
SELECT DISTINCT tgrelid::regclass FROM pg_trigger WHERE tgrelid::regclass::text LIKE 'profiling.%';
SELECT count(*) AS on_the_parent FROM pg_index WHERE indrelid = 'profiling.profile_data'::regclass;
SELECT count(*) AS on_the_parent FROM pg_constraint WHERE conrelid = 'profiling.profile_data'::regclass AND contype <> 'n';
-- nowhere a btree on a stack, which can be longer than a page
SELECT indexrelid::regclass FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
WHERE atttypid = 'stackpath'::regtype AND indrelid::regclass::text LIKE 'profiling.%';

-- Everything has a comment, columns too.
SELECT name AS without_comment FROM member
WHERE obj_description(objid, classid::regclass::name) IS NULL
	AND NOT (classid = 'pg_class'::regclass AND (SELECT relkind NOT IN ('r', 'p', 'v') FROM pg_class WHERE oid = objid))
	AND classid <> 'pg_type'::regclass AND name !~ '^(rule|trigger|default|constraint|index|type) '
ORDER BY name COLLATE "C";
SELECT c.relname, a.attname AS without_comment
FROM member JOIN pg_class AS c ON classid = 'pg_class'::regclass AND c.oid = objid
	JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0
WHERE c.relkind IN ('r', 'p', 'v') AND c.relname NOT IN ('profile_data_default', 'incoming_default', 'block_default')
	AND col_description(c.oid, a.attnum) IS NULL
ORDER BY 1, 2;

-- Nobody has to quote a name; "check" needs quotes without its schema only.
SELECT DISTINCT n AS needs_quotes
FROM (SELECT a.attname::text FROM member JOIN pg_attribute AS a ON classid = 'pg_class'::regclass AND a.attrelid = objid AND a.attnum > 0
	UNION SELECT c.relname::text FROM member JOIN pg_class AS c ON classid = 'pg_class'::regclass AND c.oid = objid
	UNION SELECT unnest(p.proname::text || p.proargnames) FROM member JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND p.oid = objid) AS t (n)
WHERE n <> '' AND quote_ident(n) <> n;

-- Functions in PL/pgSQL look for names in pg_catalog only, procedures, which commit, have no setting; one function runs with other rights.
SELECT objid::regprocedure AS without_path FROM member JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND p.oid = objid
WHERE prokind = 'f' AND prosqlbody IS NULL AND NOT coalesce(proconfig::text LIKE '%search_path=pg_catalog, pg_temp%', false);
SELECT objid::regprocedure AS procedure, proconfig FROM member JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND p.oid = objid
WHERE prokind = 'p' ORDER BY objid::regprocedure::text COLLATE "C";
SELECT objid::regprocedure AS security_definer FROM member JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND p.oid = objid WHERE prosecdef ORDER BY objid::regprocedure::text COLLATE "C";
-- need_access() names them, each in quotes.
SELECT p.proname AS not_named FROM member JOIN pg_proc AS p ON classid = 'pg_proc'::regclass AND p.oid = objid
WHERE prosecdef AND (SELECT position(quote_literal(p.proname) IN n.prosrc) FROM pg_proc AS n
	WHERE n.oid = 'profiling.need_access(text, text)'::regprocedure) = 0;

-- The watch row that works for everybody: it can be changed and switched off, not deleted.
SELECT * FROM profiling.watch;
UPDATE profiling.watch SET alpha = 0.05, enabled = false WHERE watch_id = 0;
SELECT * FROM t.try('DELETE FROM profiling.watch', 'DELETE FROM profiling.watch WHERE watch_id = 0');
SELECT watch_id, alpha, enabled FROM profiling.watch;
UPDATE profiling.watch SET alpha = 0.01, enabled = true WHERE watch_id = 0;
-- as COPY of a dump does it
INSERT INTO profiling.watch (watch_id, alpha) OVERRIDING SYSTEM VALUE VALUES (0, 0.02);
SELECT watch_id, alpha, enabled FROM profiling.watch;
UPDATE profiling.watch SET alpha = 0.01 WHERE watch_id = 0;

-- Words that are not in a list, and rules that cannot be applied
SELECT * FROM t.try(
	$$INSERT INTO profiling.watch (method) VALUES ('guess')$$,
	$$INSERT INTO profiling.watch (level) VALUES ('function')$$,
	$$INSERT INTO profiling.watch (direction) VALUES ('up')$$,
	$$INSERT INTO profiling.watch (options) VALUES ('{"recnt": 2}')$$,
	$$UPDATE profiling.watch SET options = '{"recent": "many"}'$$,
	$$INSERT INTO profiling.benchmark (benchmark_id, name, parameters_id, metric_direction) OVERRIDING SYSTEM VALUE VALUES (-1, 'b', '00000000-0000-0000-0000-000000000000', 'up')$$,
	$$INSERT INTO profiling.watch (baseline) VALUES ('window:0')$$,
	$$INSERT INTO profiling.watch (baseline) VALUES ('yesterday')$$,
	$$INSERT INTO profiling.watch (alpha) VALUES ('NaN')$$,
	$$INSERT INTO profiling.watch (min_effect) VALUES ('NaN')$$,
	$$INSERT INTO profiling.frame_rule (pattern, replacement) VALUES ('(', 'x')$$,
	$$INSERT INTO profiling.owner (pattern, team) VALUES ('a', ''), ('a', 'x')$$,
	$$INSERT INTO profiling.benchmark (name, parameters_id) VALUES ('', '00000000-0000-0000-0000-000000000000')$$) AS line
WHERE line NOT LIKE '%Failing row contains%';

-- A finding's status, and the date that goes with it
BEGIN;
INSERT INTO profiling.regression (benchmark_id, event, unit, first_test_run_id, last_test_run_id, method, level, subject, subject_id, kind)
VALUES (1, 'cpu', 'samples', 1, 1, 'deviation', 'frame', 'f', md5('f')::uuid, 'degradation');
SELECT * FROM t.try($$UPDATE profiling.regression SET status = 'fixed'$$, $$UPDATE profiling.regression SET status = 'false_positive'$$, $$UPDATE profiling.regression SET closed_at = '2026-01-01'$$,
	$$UPDATE profiling.regression SET status = 'false_positive', closed_at = '2026-01-01' RETURNING status$$, $$UPDATE profiling.regression SET status = 'acknowledged'$$);
-- Owners: a pattern that has one frame only; not one that has more, or can
INSERT INTO profiling.owner (pattern, team) VALUES ('lex', 'a'), ('~"a;b*"', 'a'), ('lex|parse', 'a');
INSERT INTO profiling.owner (pattern, team) VALUES ('*', 'a'), ('*;lex;*', 'a'), ('main;lex', 'a'), ('*{2}', 'a'), ('lex{1,}', 'a'), ('*;lex', 'a');
UPDATE profiling.owner SET pattern = 'le*' WHERE pattern = 'lex';
ROLLBACK;
