-- @> and <@: does a calling context exist? Alone, by rows and by index.
\pset null NULL

SELECT p AS path, f @> p AS "@>", p <@ f AS "<@", has_path(f, p), p IN (SELECT lca(p, stack) FROM stacks(f)) AS by_stacks
FROM (SELECT E'a;b;c 1\na;b 2\nd;b -1\ne;a\\;b 3'::flamegraph AS f) v, unnest('{a,a;b,a;b;c,a;b;c;d,b,b;c,d,d;b,"",x,ab,"e;a\\;b",e;a}'::stackpath[]) WITH ORDINALITY AS u (p, n) ORDER BY n;
-- the empty path begins every stack, if there is one
SELECT flamegraph '' @> '' AS empty, flamegraph ' 5' @> '' AS root, flamegraph 'a 1' @> '' AS other, flamegraph '' @> 'a' AS no_stack;
SELECT flamegraph 'a 1' @> NULL AS "@>", NULL::stackpath <@ flamegraph 'a 1' AS "<@", has_path(NULL, 'a');
-- a literal beside a profile is a path, beside a path a path
SELECT flamegraph 'a;b 1' @> 'a' AS profile, 'a' <@ flamegraph 'a;b 1' AS profile_right, stackpath 'a' @> 'a;b' AS path, 'a' @> stackpath 'a;b' AS path_right;

CREATE TABLE t.contexts AS
SELECT n, flamegraph_agg(ARRAY['main', 'f' || t.random(format('f %s %s', n, i), 9), 'g' || t.random(format('g %s %s', n, i), 9), CASE WHEN n % 50 = 0 THEN repeat('long ', 80) || n ELSE 'h' || n % 7 END], i) AS fg
FROM generate_series(1, 300) n, generate_series(1, 4) i GROUP BY n;
INSERT INTO t.contexts VALUES (0, ''), (-1, NULL), (-2, ' 3');
CREATE INDEX contexts_fg ON t.contexts USING gin (fg);
ANALYZE t.contexts;
CREATE FUNCTION pg_temp.found(path stackpath) RETURNS TABLE (plan text, n bigint, numbers bigint) LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOREACH plan IN ARRAY ARRAY['index', 'rows'] LOOP
		PERFORM set_config('enable_seqscan', CASE plan WHEN 'index' THEN 'off' ELSE 'on' END, true),
			set_config('enable_bitmapscan', CASE plan WHEN 'index' THEN 'on' ELSE 'off' END, true);
		EXECUTE format('EXPLAIN (COSTS off) SELECT 1 FROM t.contexts WHERE fg @> %L', path) INTO line;
		IF (line LIKE '%Bitmap%') <> (plan = 'index') THEN
			RAISE 'another plan: %', line;
		END IF;
		RETURN QUERY EXECUTE format('SELECT %L, count(*), sum(n) FROM t.contexts WHERE fg @> %L', plan, path);
	END LOOP;
END
$$;
SELECT path, min(f.n) AS rows, min(numbers) AS numbers, count(DISTINCT (f.n, numbers)) AS answers
FROM unnest('{main,main;f3,main;f3;g4,main;f3;g4;h2,f3,main;g4,main;f3;h2,none,""}'::stackpath[]) WITH ORDINALITY AS u (path, at), pg_temp.found(path) f GROUP BY at, path ORDER BY at;
SELECT min(f.n) AS rows, count(DISTINCT f.n) AS answers FROM (SELECT stack FROM t.contexts, stacks(fg) WHERE contexts.n = 100 LIMIT 1) s, pg_temp.found(stack) f;
-- the operator is the other one turned round, so a join finds it, too
SELECT count(*) AS pairs, count(*) FILTER (WHERE NOT fg @> p) AS wrong FROM t.contexts JOIN unnest('{main;f1,main;f2;g2}'::stackpath[]) p ON p <@ fg;
DROP TABLE t.contexts;
