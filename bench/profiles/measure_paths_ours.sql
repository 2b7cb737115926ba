-- Questions about 100,000 stacks: our side. Variables: nodes, runs, slow_runs.
\set ON_ERROR_STOP on
\o /dev/null
\ir ../settings.sql
CREATE UNLOGGED TABLE bench.path_ours (id int, path stackpath);
INSERT INTO bench.path_ours SELECT id, stack::stackpath FROM bench.stack_text ORDER BY id;
VACUUM ANALYZE bench.path_ours;
SELECT count(*) AS questions FROM bench.question \gset

SET enable_indexscan = off;
SET enable_bitmapscan = off;
SELECT bench.measure('path_anchored', 'ours', 0, :questions, :slow_runs, bench.ask('bench.path_ours', 'path ~ ''%1$s;*;%2$s''', ';'));
SELECT bench.measure('path_through', 'ours', 0, :questions, :slow_runs, bench.ask('bench.path_ours', 'path ~ ''*;%3$s;*;%4$s;*''', ';'));
SELECT bench.measure('path_below', 'ours', 0, :questions, :slow_runs, bench.ask('bench.path_ours', 'path <@ ''%5$s''', ';'));

SELECT clock_timestamp() AS started \gset
CREATE INDEX path_ours_gin ON bench.path_ours USING gin (path);
INSERT INTO bench.sample (measure, side, size, work, seconds)
SELECT 'path_index_build', 'ours', 0, 1, extract(epoch FROM clock_timestamp() - :'started');
SELECT clock_timestamp() AS started \gset
CREATE INDEX path_ours_btree ON bench.path_ours (path);
INSERT INTO bench.sample (measure, side, size, work, seconds)
SELECT 'path_btree_build', 'ours', 0, 1, extract(epoch FROM clock_timestamp() - :'started');
VACUUM ANALYZE bench.path_ours;

RESET enable_indexscan;
RESET enable_bitmapscan;
SET enable_seqscan = off;
SELECT bench.measure('path_anchored_index', 'ours', 0, :questions, :runs, bench.ask('bench.path_ours', 'path ~ ''%1$s;*;%2$s''', ';'));
SELECT bench.measure('path_through_index', 'ours', 0, :questions, :runs, bench.ask('bench.path_ours', 'path ~ ''*;%3$s;*;%4$s;*''', ';'));
SELECT bench.measure('path_below_index', 'ours', 0, :questions, :runs, bench.ask('bench.path_ours', 'path <@ ''%5$s''', ';'));
INSERT INTO bench.sample (measure, side, size, work, seconds)
VALUES ('path_table_size', 'ours', 0, pg_table_size('bench.path_ours'), 0),
    ('path_index_size', 'ours', 0, pg_relation_size('bench.path_ours_gin'), 0),
    ('path_btree_size', 'ours', 0, pg_relation_size('bench.path_ours_btree'), 0);
\o
