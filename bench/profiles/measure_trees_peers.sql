-- The same questions to the adjacency table (load_trees.sql), by recursive SQL. Variables: largest. One run without a
-- warm-up, because some take half a minute; the tables have just been made and are in the cache.
\set ON_ERROR_STOP on
\o /dev/null
\ir ../settings.sql

-- Up from every node until its frame is met again.
SELECT bench.measure('tree_recursion', 'adjacency', :largest, 1, 1, $$
    WITH RECURSIVE up AS (
        SELECT node, frame, parent AS above FROM bench.node WHERE parent <> 0
        UNION ALL
        SELECT u.node, u.frame, a.parent FROM up u JOIN bench.node a ON a.node = u.above
        WHERE a.frame <> u.frame AND a.parent <> 0)
    SELECT count(*) FROM up u JOIN bench.node a ON a.node = u.above WHERE a.frame = u.frame
$$, warm => false);

-- The recurrence of the thesis, a level at a time, and the corrections; the recursion edges are given. The count of
-- edges stands in the answer, so that both sides say the same.
DO $run$
DECLARE
    query text := 'WITH p0 AS MATERIALIZED (SELECT node, frame, parent, self AS p FROM bench.node)';
    selected text := '(SELECT count(*) FROM bench.edge)';
    correction text;
BEGIN
    FOR n IN 1 .. 5 LOOP
        query := query || format($$, p%s AS MATERIALIZED (
            SELECT u.node, u.frame, u.parent, u.self + coalesce(c.p, 0) AS p
            FROM bench.node u LEFT JOIN (SELECT parent AS node, sum(p) AS p FROM p%s GROUP BY parent) c USING (node))$$, n, n - 1);
    END LOOP;
    FOR n IN 0 .. 5 LOOP
        SELECT coalesce(string_agg(format('SELECT e.ancestor_node, p FROM bench.edge e JOIN p%s ON node = e.descendant_node WHERE e.distance = %s',
                                          n - d, d), ' UNION ALL '), 'SELECT 0, 0::float8 AS p') INTO correction
        FROM generate_series(1, n) d;
        selected := selected || format(', (SELECT sum(p) FROM p%s) - (SELECT coalesce(sum(p), 0) FROM (%s) c)', n, correction);
    END LOOP;
    PERFORM bench.measure('tree_potentials', 'adjacency', current_setting('bench.largest')::bigint, 1, 1,
                          query || ' SELECT ' || selected, warm => false);
END
$run$;

-- Inclusive values and recursion edges are given; a node with such an edge is not counted.
SELECT bench.measure('tree_metrics', 'adjacency', :largest, 1, 1, $$
    WITH calls AS (SELECT DISTINCT p.frame AS caller, n.frame AS callee FROM bench.node n JOIN bench.node p ON p.node = n.parent)
    SELECT count(*), sum(total), sum(self), sum(recursion_free), sum(callers), sum(callees)
    FROM (SELECT n.frame, sum(n.total) FILTER (WHERE e.descendant_node IS NULL) AS total, sum(n.self) AS self, count(*) AS nodes,
                 count(*) FILTER (WHERE e.descendant_node IS NULL) AS recursion_free
          FROM bench.node n LEFT JOIN bench.edge e ON e.descendant_node = n.node GROUP BY n.frame) AS m
    LEFT JOIN (SELECT callee AS frame, count(*) AS callers FROM calls GROUP BY 1) AS r USING (frame)
    LEFT JOIN (SELECT caller AS frame, count(*) AS callees FROM calls GROUP BY 1) AS e USING (frame)
$$, warm => false);

-- A call counts unless the same call is further up.
SELECT bench.measure('tree_callers', 'adjacency', :largest, 1, 1, $$
    WITH RECURSIVE call AS (
        SELECT n.node, p.frame AS caller, n.frame AS callee, n.total, n.parent
        FROM bench.tree_question q JOIN bench.node n ON n.frame = q.frame LEFT JOIN bench.node p ON p.node = n.parent),
    up AS (
        SELECT node, caller, callee, parent AS above FROM call
        UNION ALL
        SELECT u.node, u.caller, u.callee, a.parent FROM up u JOIN bench.node a ON a.node = u.above WHERE a.parent <> 0),
    inner_call AS (
        SELECT DISTINCT u.node FROM up u JOIN bench.node a ON a.node = u.above AND a.frame = u.callee
        LEFT JOIN bench.node p ON p.node = a.parent WHERE p.frame IS NOT DISTINCT FROM u.caller)
    SELECT count(*), sum(samples)
    FROM (SELECT caller, sum(total) AS samples FROM call WHERE node NOT IN (SELECT node FROM inner_call) GROUP BY caller) AS r
$$, warm => false);
SELECT bench.measure('tree_callees', 'adjacency', :largest, 1, 1, $$
    WITH RECURSIVE call AS (
        SELECT n.node, p.frame AS caller, n.frame AS callee, n.total, n.parent
        FROM bench.tree_question q JOIN bench.node p ON p.frame = q.frame JOIN bench.node n ON n.parent = p.node),
    up AS (
        SELECT node, caller, callee, parent AS above FROM call
        UNION ALL
        SELECT u.node, u.caller, u.callee, a.parent FROM up u JOIN bench.node a ON a.node = u.above WHERE a.parent <> 0),
    inner_call AS (
        SELECT DISTINCT u.node FROM up u JOIN bench.node a ON a.node = u.above AND a.frame = u.callee
        JOIN bench.node p ON p.node = a.parent WHERE p.frame = u.caller)
    SELECT count(*), sum(samples)
    FROM (SELECT callee, sum(total) AS samples FROM call WHERE node NOT IN (SELECT node FROM inner_call) GROUP BY callee) AS r
$$, warm => false);

-- Down to the first frames that carry the task. The peer adds their inclusive values up; ours also makes the view.
SELECT bench.measure(t.measure, 'adjacency', :largest, 1, 1, format($$
    WITH RECURSIVE down AS (
        SELECT n.node, n.total, %1$s AS carries FROM bench.node n, bench.tree_question q WHERE n.parent = 0
        UNION ALL
        SELECT n.node, n.total, %1$s FROM down d JOIN bench.node n ON n.parent = d.node, bench.tree_question q WHERE NOT d.carries)
    SELECT sum(total) FROM down WHERE carries
$$, t.carries), warm => false)
FROM (VALUES ('tree_task_prefix', 'n.frame ^@ q.prefix'), ('tree_task_regex', 'n.frame ~ q.regex')) AS t (measure, carries);

-- One round of the merging, for a few stacks only: candidates frame by frame.
CREATE UNLOGGED TABLE bench.few AS
SELECT row_number() OVER () AS id, frames(stack) AS frames FROM bench.partial, stacks(fg) ORDER BY md5(stack::text) LIMIT 100;
ANALYZE bench.few;
SELECT bench.measure('tree_partial', 'adjacency', :largest, 100, 1, $$
    WITH RECURSIVE candidate AS (
        SELECT f.id, 1 AS depth, n.node FROM bench.few f JOIN bench.node n ON n.frame = f.frames[1]
        UNION ALL
        SELECT c.id, c.depth + 1, n.node FROM candidate c JOIN bench.few f USING (id)
        JOIN bench.node n ON n.parent = c.node AND n.frame = f.frames[c.depth + 1])
    SELECT count(*) FILTER (WHERE place IS NOT NULL), count(*)
    FROM (SELECT f.id, (SELECT min(depth) FROM (SELECT depth FROM candidate c WHERE c.id = f.id AND depth > 1
                                                GROUP BY depth HAVING count(*) = 1) AS d) AS place FROM bench.few f) AS r
$$, warm => false);

\o
