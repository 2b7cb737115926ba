# A job of 700,000 phases that are nested 10,000 deep: every analysis comes to its end on a stack of 100 kB, is right, and
# ends early when it is told to. How much work lies between two looks at interrupts is counted by 031_polls.pl.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('large');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\nmax_wal_size = 4GB\nmax_stack_depth = 100kB\nlog_min_error_statement = panic\n");
$node->start;
sub value { return $node->safe_psql('postgres', $_[0]) }

# A chain of 9,999 phases, each of a type of its own, which all take 1,000 s; below the last one 690,001 leaves of 1 to 7 s.
# The processor is used at the same rate all the time, and the lock is taken for a second in every ten.
value(<<'SQL');
CREATE EXTENSION flamegraph_jobs CASCADE;
CREATE FUNCTION at(seconds int8) RETURNS timestamptz STABLE LANGUAGE sql
	AS $$ SELECT '2026-01-01 00:00:00+00'::timestamptz + seconds * interval '1 s' $$;
ALTER TABLE jobs.phase SET UNLOGGED;
INSERT INTO jobs.platform_model VALUES ('deep');
INSERT INTO jobs.phase_type (model, phase_type, parent_type, repeat)
SELECT 'deep', 'D' || i, CASE WHEN i > 1 THEN 'D' || i - 1 END, 'once'::jobs.phase_repeat FROM generate_series(1, 9999) AS i
UNION ALL SELECT 'deep', 'W', 'D9999', 'concurrent';
INSERT INTO jobs.resource_type (model, resource_type, class) VALUES ('deep', 'cpu', 'consumable'), ('deep', 'lock', 'blocking');
INSERT INTO jobs.attribution_rule (model, phase_type, resource_type, rule, cap) VALUES ('deep', 'W', 'cpu', 'greedy', 1);
INSERT INTO jobs.job (job_id, model) VALUES (1, 'deep');
INSERT INTO jobs.phase SELECT 1, i, nullif(i - 1, 0), 'D' || i, '', at(0), at(1000) FROM generate_series(1, 9999) AS i;
INSERT INTO jobs.phase SELECT 1, i, 9999, 'W', lpad(i::text, 7, '0'), at(i % 900), at(i % 900 + 1 + i % 7) FROM generate_series(10000, 700000) AS i;
INSERT INTO jobs.resource VALUES (1, 1, NULL, 'cpu', '', 5600), (1, 2, NULL, 'lock', '', NULL);
INSERT INTO jobs.usage_measurement SELECT 1, 1, at(i), at(i + 1), 2730 FROM generate_series(0, 999) AS i;
INSERT INTO jobs.blocking_interval SELECT 1, 2, at(10 * i), at(10 * i + 1) FROM generate_series(0, 99) AS i;
CREATE TABLE issue AS SELECT * FROM jobs.performance_issues(1);
CREATE TABLE consumption AS SELECT * FROM jobs.phase_consumption(1);
CREATE TABLE bottleneck AS SELECT * FROM jobs.bottlenecks(1, predicate => 'all') WHERE phase_id < 10000;
SQL

is(value('SELECT count(*), max(phase_id) FROM jobs.phase'), '700000|700000', '700,000 phases');
is(value('SELECT count(*) FROM jobs.validate_job(1)'), '0', 'nothing is wrong with it');

# --- imbalance and bottlenecks of the leaves come up through all levels ---

my $durations = "SELECT extract(epoch FROM end_time - start_time)::float8 AS d FROM jobs.phase WHERE phase_type = 'W'";
is(value("SELECT round(estimated_impact::numeric, 6) FROM issue WHERE phase_id = 1 AND issue = 'imbalance' AND source = 'W'"),
	value("SELECT round((max(d) - avg(d))::numeric, 6) FROM ($durations) AS w"), 'imbalance: most minus mean, at the root');
is(value("SELECT count(*), count(DISTINCT estimated_impact) FROM issue WHERE phase_id < 10000 AND issue = 'imbalance'"), '9999|1',
	'imbalance: the same at every level');
# A leaf is held up for one second in each ten that it lives in: at t, if t is a multiple of ten.
my $waits = 'SELECT n, (SELECT count(*) FROM generate_series(a, a + b) AS t WHERE t % 10 = 0) AS w FROM (
	SELECT i % 900 AS a, i % 7 AS b, count(*) AS n FROM generate_series(10000, 700000) AS i GROUP BY 1, 2) AS kind';
is(value("SELECT round(estimated_impact::numeric, 6) FROM issue WHERE phase_id = 1 AND source = 'lock'"),
	value("SELECT round(sum(n * w) / sum(n), 6) FROM ($waits) AS leaf"), 'bottlenecks: the mean of the leaves, at the root');
is(value("SELECT count(*) FROM issue WHERE phase_id >= 10000 AND source = 'lock'"), value("SELECT sum(n) FROM ($waits) AS leaf WHERE w > 0"),
	'bottlenecks: a row for each leaf that waited');

# --- what is used below ---

is(value('SELECT count(*), count(DISTINCT consumption) FROM consumption WHERE phase_id < 10000'), '9999|1', 'consumption: the same at every level');
my $measured = 1000 * 2730;
is(value("SELECT abs((SELECT consumption FROM consumption WHERE phase_id = 1) + sum(usage * extract(epoch FROM end_time - start_time)) - $measured) < 1e-3
	FROM jobs.unattributed_usage(1)"), 't', 'consumption: with what nobody used it is what was measured');
is(value('SELECT abs((SELECT sum(consumption) FROM consumption WHERE phase_id >= 10000) - (SELECT consumption FROM consumption WHERE phase_id = 1)) < 1e-3'),
	't', 'consumption: the sum of the leaves');
is(value("SELECT count(DISTINCT (first, total)) FROM (SELECT phase_id, min(start_time) AS first, sum(end_time - start_time) AS total
	FROM bottleneck WHERE resource_type = 'lock' GROUP BY phase_id) AS b"), '1', 'bottlenecks of composites: the same at every level');

# --- rows beyond 64 MB are not kept in memory, however much the session may use ---

my $written = value("SET work_mem = '1GB'; EXPLAIN (ANALYZE, BUFFERS, COSTS off, TIMING off) SELECT count(*) FROM jobs.attribute_usage(1)");
like($written, qr/temp read=\d+ written=\d+/, 'rows go to disk');
unlike(value("SET work_mem = '1GB'; EXPLAIN (ANALYZE, BUFFERS, COSTS off, TIMING off) SELECT count(*) FROM jobs.unplaced_usage(1)"),
	qr/temp/, 'few rows do not');

# --- and it stops ---

for my $call ('validate_job(1)', 'phase_consumption(1)', 'performance_issues(1)', 'bottlenecks(1)', 'attribute_usage(1)')
{
	my (undef, undef, $error) = $node->psql('postgres', "SET statement_timeout = '20ms'; SELECT count(*) FROM jobs.$call");
	like($error, qr/canceling statement due to statement timeout/, "$call: stops");
}

$node->stop;
done_testing();
