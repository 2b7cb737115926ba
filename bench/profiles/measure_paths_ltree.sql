-- The same questions with ltree. Variables: runs, slow_runs.
\set ON_ERROR_STOP on
\o /dev/null
\ir ../settings.sql
CREATE UNLOGGED TABLE bench.path_ltree (id int, path ltree);
INSERT INTO bench.path_ltree SELECT id, translate(stack, ';', '.')::ltree FROM bench.stack_text ORDER BY id;
VACUUM ANALYZE bench.path_ltree;
SELECT count(*) AS questions FROM bench.question \gset

SET enable_indexscan = off;
SET enable_bitmapscan = off;
SELECT bench.measure('path_anchored', 'ltree', 0, :questions, :slow_runs, bench.ask('bench.path_ltree', 'path ~ ''%1$s.*.%2$s''', '.'));
SELECT bench.measure('path_through', 'ltree', 0, :questions, :slow_runs, bench.ask('bench.path_ltree', 'path ~ ''*.%3$s.*.%4$s.*''', '.'));
SELECT bench.measure('path_below', 'ltree', 0, :questions, :slow_runs, bench.ask('bench.path_ltree', 'path <@ ''%5$s''', '.'));

-- The signatures' default length of 8 bytes is little for thousands of labels; of the lengths tried (8, 100, 400)
-- this one answers fastest.
SELECT clock_timestamp() AS started \gset
CREATE INDEX path_ltree_gist ON bench.path_ltree USING gist (path gist_ltree_ops (siglen = 400));
INSERT INTO bench.sample (measure, side, size, work, seconds)
SELECT 'path_index_build', 'ltree', 0, 1, extract(epoch FROM clock_timestamp() - :'started');
VACUUM ANALYZE bench.path_ltree;

RESET enable_indexscan;
RESET enable_bitmapscan;
SET enable_seqscan = off;
SELECT bench.measure('path_anchored_index', 'ltree', 0, :questions, :slow_runs, bench.ask('bench.path_ltree', 'path ~ ''%1$s.*.%2$s''', '.'));
SELECT bench.measure('path_through_index', 'ltree', 0, :questions, :slow_runs, bench.ask('bench.path_ltree', 'path ~ ''*.%3$s.*.%4$s.*''', '.'));
SELECT bench.measure('path_below_index', 'ltree', 0, :questions, :slow_runs, bench.ask('bench.path_ltree', 'path <@ ''%5$s''', '.'));
INSERT INTO bench.sample (measure, side, size, work, seconds)
VALUES ('path_table_size', 'ltree', 0, pg_table_size('bench.path_ltree'), 0),
    ('path_index_size', 'ltree', 0, pg_relation_size('bench.path_ltree_gist'), 0);
\o
