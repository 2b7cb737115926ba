-- Our side of the questions about calling contexts (load_trees.sql). Variables: largest, runs, slow_runs.
\set ON_ERROR_STOP on
\o /dev/null
\ir ../settings.sql

SELECT bench.measure('tree_recursion', 'ours', :largest, 1, :slow_runs, 'SELECT recursion_edge_count(fg) FROM bench.tree');
SELECT bench.measure('tree_potentials', 'ours', :largest, 1, :slow_runs, $$
    SELECT recursion_edge_count(fg),
           (SELECT sum(potential) FROM subtree_potential(fg, 0)), (SELECT sum(potential) FROM subtree_potential(fg, 1)),
           (SELECT sum(potential) FROM subtree_potential(fg, 2)), (SELECT sum(potential) FROM subtree_potential(fg, 3)),
           (SELECT sum(potential) FROM subtree_potential(fg, 4)), (SELECT sum(potential) FROM subtree_potential(fg, 5))
    FROM bench.tree
$$);
SELECT bench.measure('tree_metrics', 'ours', :largest, 1, :slow_runs, $$
    SELECT count(*), sum(total), sum(self), sum(recursion_free), sum(callers), sum(callees) FROM bench.tree, frame_metrics(fg)
$$);
SELECT bench.measure('tree_callers', 'ours', :largest, 1, :slow_runs, $$
    SELECT count(*), sum(samples) FROM bench.tree, bench.tree_question q, callers(fg, q.frame)
$$);
SELECT bench.measure('tree_callees', 'ours', :largest, 1, :slow_runs, $$
    SELECT count(*), sum(samples) FROM bench.tree, bench.tree_question q, callees(fg, q.frame)
$$);
-- A view is made whole, until its bytes are there.
SELECT bench.measure(measure, 'ours', :largest, 1, :slow_runs, format($$
    SELECT total(view) FROM (SELECT task_view(fg, q.%I) AS view FROM bench.tree, bench.tree_question q OFFSET 0) AS v
    WHERE pg_column_size(view) > 0
$$, definition))
FROM (VALUES ('tree_task_prefix', 'by_prefix'), ('tree_task_regex', 'by_regex')) AS t (measure, definition);
SELECT bench.measure('tree_partial', 'ours', :largest, (SELECT nstacks(fg) FROM bench.partial), :slow_runs, $$
    SELECT pg_column_size(merged), nstacks(ambiguous), nstacks(unmatched)
    FROM bench.tree AS t, bench.partial AS p, merge_partial(t.fg, p.fg)
$$);

-- Rows: in FROM, where the executor stores them, and in the select list, where it does not.
SELECT bench.measure('tree_facts', 'ours', :largest, (SELECT nnodes(fg) FROM bench.tree), :slow_runs,
    'SELECT count(*) FROM bench.tree, node_facts(fg)');
SELECT bench.measure('tree_pairs', 'ours', :largest, (SELECT count(*) FROM bench.edge), :slow_runs,
    'SELECT count(*) FROM bench.tree, recursion_pairs(fg)');
SELECT bench.measure('tree_nodes', 'ours', :largest, (SELECT nnodes(fg) FROM bench.tree), :slow_runs,
    'SELECT count(*) FROM bench.tree, nodes(fg)');
SELECT bench.measure('tree_nodes_listed', 'ours', :largest, (SELECT nnodes(fg) FROM bench.tree), :slow_runs,
    'SELECT count(*) FROM (SELECT nodes(fg) FROM bench.tree OFFSET 0) AS n');
-- The executor's own part: the same stacks out of an array, as many as fit one.
CREATE UNLOGGED TABLE bench.stack_array AS
SELECT array_agg(stack) AS stacks FROM (SELECT stack FROM bench.tree, nodes(fg) WHERE node <= :largest / 4) AS s;
SELECT bench.measure('tree_nodes', 'unnest', :largest, (SELECT cardinality(stacks) FROM bench.stack_array), :slow_runs,
    'SELECT count(*) FROM bench.stack_array, unnest(stacks)');
DROP TABLE bench.stack_array;

-- Growth.
SELECT bench.measure(m.measure, 'ours', nodes, 1, CASE WHEN nodes > 100000 THEN :slow_runs ELSE :runs END,
                     format('SELECT %s FROM bench.fg %s WHERE fg.nodes = %s', m.result, m.rows, nodes))
FROM bench.fg, (VALUES
    ('grow_recursion', 'recursion_edge_count(fg)', ''),
    ('grow_potential', 'sum(potential)', ', subtree_potential(fg, 5)'),
    ('grow_metrics', 'sum(total)', ', frame_metrics(fg)'),
    ('grow_task', 'pg_column_size(task_view(fg, ''{"t": {"prefix": "net."}}''))', ''),
    ('grow_partial', 'nnodes(merged)', ', LATERAL k_context(fg, 9) AS k, merge_partial(fg, k)'),
    ('grow_subsuming', 'sum(induced_cost)', ', subsuming_frames(fg)')
) AS m (measure, result, rows);

\o
