# Jobs in tables: what a row may not be says the constraint of the problem's name, what only all rows together can be wrong says
# validate_job(), also without any constraint; rights, row-level security, deletion, one snapshot for all tables, tables that were
# changed. And the metrics of graph benchmarks: the golden cases of kind graphalytics (test/data/golden/jobs, or $GOLDEN_JOBS_DIR), and the
# validation of outputs.
use strict;
use warnings;

use FindBin;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Jobs;
use Wire;

my $dir = $ENV{GOLDEN_JOBS_DIR} // "$FindBin::RealBin/../data/golden/jobs";
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\n");
$node->start;
my $super = Wire->connect($node, 'postgres');
$super->run("CREATE ROLE $_ LOGIN") for qw(keeper reads loads rules nobody_here);
$super->run('CREATE DATABASE jobs OWNER keeper');
my $db = Wire->connect($node, 'jobs', user => 'keeper');
Jobs::create($db);
Jobs::fill($db);

# --- constraints -----------------------------------------------------------------------------------------------------

is_deeply($db->row(q{SELECT jobs.makespan(1), jobs.processing_time(1, 'Load'), jobs.processing_time(1, E'Work\\té'), jobs.processing_time(1, 'nothing'), jobs.makespan(77), jobs.makespan(NULL)}),
	[ 100, 20, 80, undef, undef, undef ], 'how long a job took, and phases of a type, however many at a time');

# What INSERT refuses, by the name of the problem.
my @refused = (
	root_type_repeatable => "INSERT INTO jobs.phase_type (model, phase_type, repeat) VALUES ('m', 'a', 'sequential')",
	root_type_count => "INSERT INTO jobs.phase_type (model, phase_type) VALUES ('m', 'a'), ('m', 'b')",
	phase_type_cycle => "INSERT INTO jobs.phase_type (model, phase_type, parent_type) VALUES ('m', 'a', 'a')",
	resource_type_cycle => "INSERT INTO jobs.resource_type (model, resource_type, parent_type) VALUES ('m', 'a', 'a')",
	precedence_cycle => "INSERT INTO jobs.phase_type_precedence VALUES ('m', 'a', 'a')",
	duplicate_rule => "INSERT INTO jobs.attribution_rule VALUES ('m', 'a', 'b', 'none'), ('m', 'a', 'b', 'sink')",
	(map { (bad_cap => "INSERT INTO jobs.attribution_rule VALUES ('m', 'a', 'b', $_)") } "'greedy', NULL", "'greedy', 0", "'greedy', -1", "'greedy', 'NaN'", "'greedy', 'inf'", "'sink', 1", "'none', 1"),
	(map { (bad_delta => "INSERT INTO jobs.attribution_rule VALUES ('m', 'a', 'b', 'none', NULL, $_)") } 0, 1.01, "'NaN'", -1),
	(map { (bad_delta => "INSERT INTO jobs.resource VALUES (1, 99, NULL, 'cpu', '', 1, $_)") } 0, 1.01, "'NaN'"),
	(map { (bad_capacity => "INSERT INTO jobs.resource VALUES (1, 99, NULL, 'cpu', '', $_)") } -1, "'NaN'", "'inf'"),
	resource_cycle => "INSERT INTO jobs.resource VALUES (1, 99, 99, 'cpu', '', 1)",
	phase_end_before_start => "INSERT INTO jobs.phase VALUES (1, 99, 1, 'Step', 'x', '2026-01-02', '2026-01-01')",
	phase_cycle => "INSERT INTO jobs.phase VALUES (1, 99, 99, 'Step', 'x', '2026-01-02', '2026-01-02')",
	duplicate_instance => "INSERT INTO jobs.phase VALUES (1, 99, 1, 'Step', '1', '2026-01-02', '2026-01-02')",
	root_count => "INSERT INTO jobs.phase VALUES (1, 99, NULL, 'Job', 'x', '2026-01-02', '2026-01-02')",
	(map { (bad_time => "INSERT INTO jobs.phase VALUES (1, 99, 1, 'Step', 'x', $_)") } "'-infinity', '2026-01-01'", "'2026-01-01', 'infinity'", "'2026-01-01', '100000-01-01 UTC'"),
	measurement_end_before_start => "INSERT INTO jobs.usage_measurement VALUES (1, 2, '2027-01-02', '2027-01-01', 1)",
	(map { (bad_usage => "INSERT INTO jobs.usage_measurement VALUES (1, 2, '2027-01-01', '2027-01-02', $_)") } -1, "'NaN'", "'inf'"),
	blocking_end_before_start => "INSERT INTO jobs.blocking_interval VALUES (1, 3, '2027-01-02', '2027-01-01')",
	bad_time => "INSERT INTO jobs.blocking_interval VALUES (1, 3, '-infinity', '2027-01-01')");
while (my ($code, $sql) = splice @refused, 0, 2)
{
	my $error = $db->query($sql)->{error};
	like($error->{message} // 'no error', qr/constraint "$code"/, "refused: $sql");
}
is($db->sqlstate($_), 'no error', "taken: $_")
  for "INSERT INTO jobs.usage_measurement VALUES (1, 2, '2027-01-01', '2027-01-01', 0)", "DELETE FROM jobs.usage_measurement WHERE start_time = '2027-01-01'";

# --- validation ------------------------------------------------------------------------------------------------------

sub told
{
	my ($call) = @_;
	my $result = $db->query("SELECT code, phase_id, resource_id FROM $call");
	return $result->{error} ? "$result->{error}{sqlstate} $result->{error}{message}" : join ' ', map { my ($code, $p, $r) = @$_; $code . (defined $p ? ":p$p" : '') . (defined $r ? ":r$r" : '') } @{ $result->{rows} };
}

is(told('jobs.validate_job(1)'), '', 'nothing is wrong with a job');
is($db->sqlstate('SELECT * FROM jobs.validate_job(NULL)'), '22004', 'none is no job, as for the analyses');
for my $wrong ([ "'1 month'", qr/without months/ ], [ "'-1 s'", qr/must be positive/ ], [ "'0'", qr/must be positive/ ], [ "'100000000 days'", qr/longer than any job/ ],
	[ "'2147483647 days'", qr/longer than any job/ ], [ "'-2147483647 days'", qr/must be positive/ ], [ "'1 s', 'infinity'", qr/origin must be finite/ ])
{
	for my $function ('validate_job', 'active_phases')
	{
		my $error = $db->query("SELECT * FROM jobs.$function(1, $wrong->[0])")->{error} // {};
		is(join(' ', map { $_ // '' } @$error{qw(sqlstate detail)}), '22023 bad_slice', "$function: refused: $wrong->[0]");
		like($error->{message} // '', $wrong->[1], '  what');
		like($error->{hint} // '', qr/\w/, '  with a hint');
	}
}
is(told('jobs.validate_job(77)'), 'unknown_job', 'one that does not exist');

# Without constraints everything can be wrong. Each change is rolled back.
$db->run(<<'SQL');
DO $$
DECLARE
	c record;
BEGIN
	FOR c IN SELECT conrelid::regclass AS t, conname FROM pg_constraint WHERE connamespace = 'jobs'::regnamespace AND contype <> 'n' AND (contype IN ('c', 'p') AND conname !~ '_(check|check1|check2|pkey)$'
		OR conrelid IN ('jobs.phase'::regclass, 'jobs.usage_measurement'::regclass, 'jobs.phase_type'::regclass)) LOOP
		EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', c.t, c.conname);
	END LOOP;
END $$;
DROP INDEX jobs.duplicate_instance, jobs.root_count, jobs.root_type_count;
SQL
my $us = "interval '1 us'";
my @wrong = (
	unknown_model => "DELETE FROM jobs.platform_model",
	unknown_phase_type => "UPDATE jobs.attribution_rule SET phase_type = 'x' WHERE rule = 'greedy'",
	'unknown_phase_type:p4' => "UPDATE jobs.phase SET phase_type = 'x' WHERE phase_id = 4",
	unknown_resource_type => "UPDATE jobs.resource_type SET parent_type = 'x' WHERE parent_type IS NOT NULL AND class = 'blocking'",
	'unknown_resource_type:r4' => "UPDATE jobs.resource SET resource_type = 'x' WHERE resource_id = 4",
	'unknown_phase:p7' => "UPDATE jobs.phase SET parent_id = 77 WHERE phase_id = 7",
	'unknown_phase:p77' => "INSERT INTO jobs.phase_resource VALUES (1, 77, 1)",
	'unknown_resource:r4' => "UPDATE jobs.resource SET parent_id = 77 WHERE resource_id = 4",
	'unknown_resource:r77 unknown_resource:r78' => "INSERT INTO jobs.blocking_interval VALUES (1, 77, now(), now()), (1, 77, now(), now()), (1, 78, now(), now())",
	'duplicate_key:p7 duplicate_instance:p7' => 'INSERT INTO jobs.phase SELECT * FROM jobs.phase WHERE phase_id = 7',
	duplicate_key => "INSERT INTO jobs.phase_type SELECT * FROM jobs.phase_type WHERE phase_type = 'Load'",
	root_type_count => "UPDATE jobs.phase_type SET parent_type = NULL WHERE phase_type = 'Load'; DELETE FROM jobs.phase WHERE phase_id = 2; DELETE FROM jobs.phase_type_precedence",
	bad_delta => "UPDATE jobs.attribution_rule SET delta = 'NaN' WHERE rule = 'greedy'",
	bad_cap => "UPDATE jobs.attribution_rule SET cap = 'NaN' WHERE rule = 'none'",
	'bad_delta:r2' => "UPDATE jobs.resource SET delta = '-NaN' WHERE resource_id = 2",
	'bad_capacity:r3' => "UPDATE jobs.resource SET capacity = 'NaN' WHERE resource_id = 3",
	'bad_capacity:r2' => "UPDATE jobs.resource SET capacity = 1e308 WHERE resource_id = 2",
	'bad_usage:r2' => "UPDATE jobs.usage_measurement SET usage = 1e308 WHERE resource_id = 2 AND start_time = '2026-01-01 UTC'",
	root_type_repeatable => "UPDATE jobs.phase_type SET repeat = 'concurrent' WHERE parent_type IS NULL",
	'root_type_count phase_type_cycle phase_type_mismatch:p1' => "UPDATE jobs.phase_type SET parent_type = 'Job' WHERE phase_type = 'Job'",
	resource_type_cycle => "UPDATE jobs.resource_type SET parent_type = 'lock'",
	bad_predicate => "UPDATE jobs.phase_type SET bottleneck_predicate = 'most'  WHERE phase_type = 'Job'",
	precedence_not_siblings => "UPDATE jobs.phase_type_precedence SET before = 'Job'",
	precedence_cycle => "INSERT INTO jobs.phase_type_precedence SELECT model, after, before FROM jobs.phase_type_precedence",
	duplicate_rule => 'INSERT INTO jobs.attribution_rule SELECT * FROM jobs.attribution_rule LIMIT 1',
	rule_class_mismatch => "UPDATE jobs.attribution_rule SET rule = 'full', cap = NULL WHERE rule = 'greedy'",
	bad_cap => 'UPDATE jobs.attribution_rule SET cap = 0 WHERE cap > 0',
	bad_delta => 'UPDATE jobs.attribution_rule SET delta = 2 WHERE cap > 0',
	'bad_time:p7' => "UPDATE jobs.phase SET end_time = 'infinity' WHERE phase_id = 7",
	'phase_end_before_start:p7' => "UPDATE jobs.phase SET end_time = start_time - $us WHERE phase_id = 7",
	'root_count:p7 phase_type_mismatch:p7' => undef,
	root_count => 'DELETE FROM jobs.phase; DELETE FROM jobs.phase_resource',
	'phase_cycle:p3 phase_type_mismatch:p3' => 'UPDATE jobs.phase SET parent_id = 5 WHERE phase_id = 3',
	'phase_type_mismatch:p7' => 'UPDATE jobs.phase SET parent_id = 2 WHERE phase_id = 7',
	'repeated_once_type:p4' => "UPDATE jobs.phase SET phase_type = 'Load' WHERE phase_id = 4; DELETE FROM jobs.phase WHERE phase_id = 7",
	'duplicate_instance:p6' => "UPDATE jobs.phase SET instance = 'a' WHERE phase_id = 6",
	'bad_capacity:r2' => 'UPDATE jobs.resource SET capacity = NULL WHERE resource_id = 2',
	'bad_delta:r2' => 'UPDATE jobs.resource SET delta = 0 WHERE resource_id = 2',
	'resource_cycle:r1' => 'UPDATE jobs.resource SET parent_id = 2 WHERE resource_id = 1',
	'mapping_not_subset:p5:r4' => 'INSERT INTO jobs.phase_resource VALUES (1, 5, 4)',
	'usage_on_non_consumable:r3' => 'UPDATE jobs.usage_measurement SET resource_id = 3 WHERE resource_id = 4',
	'measurement_end_before_start:r4' => "UPDATE jobs.usage_measurement SET end_time = start_time - $us WHERE resource_id = 4 AND start_time = '2026-01-01 UTC'",
	'bad_usage:r4' => "UPDATE jobs.usage_measurement SET usage = 'NaN' WHERE resource_id = 4 AND start_time = '2026-01-01 UTC'",
	'overlapping_measurements:r4' => "UPDATE jobs.usage_measurement SET end_time = end_time + $us WHERE resource_id = 4 AND start_time = '2026-01-01 UTC'",
	'blocking_on_non_blocking:r4' => 'UPDATE jobs.blocking_interval SET resource_id = 4',
	'blocking_end_before_start:r3' => "INSERT INTO jobs.blocking_interval VALUES (1, 3, '2026-01-02', '2026-01-01')");
my %seen;
while (my ($codes, $sql) = splice @wrong, 0, 2)
{
	next if !defined $sql;
	$db->run("BEGIN; $sql");
	is(told('jobs.validate_job(1)'), $codes, $sql);
	my $rows = $db->rows('SELECT severity, code, detail FROM jobs.validate_job(1)');
	$seen{ $_->[1] } = 1 for @$rows;
	is_deeply([ grep { $_->[0] ne 'error' || $_->[2] !~ /\S/ || $_->[2] =~ /\.$|%/ } @$rows ], [], '  as errors, in words');
	$db->run('ROLLBACK');
}
is(told('jobs.validate_job(1)'), '', 'nothing is wrong again');

# Warnings, of a job without errors.
my @doubtful = (
	'child_outside_parent:p7 unmeasured_life:p7:r2 unmeasured_life:p7:r4' => "UPDATE jobs.phase SET end_time = end_time + $us WHERE phase_id = 7",
	'child_outside_parent:p6 sequential_overlap:p4' => "UPDATE jobs.phase SET start_time = start_time - $us WHERE phase_id = 4; UPDATE jobs.phase SET end_time = end_time + $us WHERE phase_id = 6",
	'precedence_violated:p3' => "UPDATE jobs.phase SET end_time = end_time + $us WHERE phase_id = 2",
	'empty_phase:p5' => 'UPDATE jobs.phase SET end_time = start_time WHERE phase_id = 5',
	'usage_above_capacity:r2' => 'UPDATE jobs.resource SET capacity = 3.5 WHERE resource_id = 2',
	'unmeasured_life:p4:r2' => undef,
	'unmeasured_life:p7:r2' => "DELETE FROM jobs.usage_measurement WHERE resource_id = 2 AND start_time = timestamptz '2026-01-01 UTC' + interval '70 s'",
	unused_rule => "INSERT INTO jobs.attribution_rule VALUES (E'p\\\\\"1', 'Job', 'cpu', 'sink', NULL, NULL), (E'p\\\\\"1', 'Step', 'cpu', 'sink', NULL, NULL)");
while (my ($codes, $sql) = splice @doubtful, 0, 2)
{
	next if !defined $sql;
	$db->run("BEGIN; $sql");
	is(told('jobs.validate_job(1)'), $codes, $sql);
	my $rows = $db->rows('SELECT severity, code, detail FROM jobs.validate_job(1)');
	$seen{ $_->[1] } = 1 for @$rows;
	is_deeply([ grep { $_->[0] ne 'warning' } @$rows ], [], '  as warnings');
	$db->run('ROLLBACK');
}
like(told("jobs.validate_job(1, slice => '100 s')"), qr/^(empty_phase:p\d )+.*empty_measurement:r2/, 'what a slice leaves no time');
is(told("jobs.validate_job(1, slice => '10 s', origin => '2026-01-01 UTC')"), '', 'and another one leaves all of it');
for my $slice ('0', '-1 s', '1 mon', '1 day -25 hours')
{
	my $error = $db->query("SELECT * FROM jobs.validate_job(1, slice => '$slice')")->{error};
	is_deeply([ $error->{sqlstate}, $error->{detail} ], [ '22023', 'bad_slice' ], "no slice: $slice");
}
$seen{$_} = 1 for qw(unknown_job empty_measurement);
my ($codes) = slurp_file("$FindBin::RealBin/../../src/core/checking/problem.c") =~ /words\[.*?\{(.*?)\};/s;
is_deeply([ grep { !$seen{$_} } $codes =~ /"(\w+)"/g ], [], 'every code was told');

# Places in words.
$db->run("BEGIN; UPDATE jobs.phase SET end_time = start_time - $us WHERE phase_id = 7");
is($db->value('SELECT detail FROM jobs.validate_job(1)'), 'phase 7 of job 1 ends before it starts', 'the place is said');
$db->run('ROLLBACK');

# Every analysis refuses such a job: place, code and what helps.
for my $call ('bottlenecks(1)', 'attribute_usage(1)', 'performance_issues(1)', "sampling_error(1, '{2}')")
{
	$db->run("BEGIN; UPDATE jobs.phase SET end_time = start_time - $us WHERE phase_id = 7");
	my $error = $db->query("SELECT count(*) FROM jobs.$call")->{error} // {};
	is_deeply([ @$error{qw(sqlstate message detail)} ], [ '23514', 'phase 7 of job 1 ends before it starts', 'phase_end_before_start' ], "refused: $call");
	like($error->{hint} // '', qr/jobs\.phase;.*jobs\.validate_job\(1\)/, '  with a hint');
	$db->run('ROLLBACK');
	$error = $db->query('SELECT count(*) FROM jobs.' . $call =~ s/\(1/(77/r)->{error} // {};
	is_deeply([ @$error{qw(sqlstate message detail)} ], [ '22023', 'job 77 does not exist', 'unknown_job' ], "no such job: $call");
}
my $parallel = $db->value("SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')");
$db->run("SET $parallel = on");
is(told('jobs.validate_job(1)'), '', 'in a parallel worker');
$db->run("RESET $parallel");

# --- tables that are not as they were --------------------------------------------------------------------------------

# Views are bound to the columns that they name.
my $unbind = join '', map { "ALTER EXTENSION flamegraph_jobs DROP VIEW jobs.phase_$_; DROP VIEW jobs.phase_$_;" } qw(overview timeline bottleneck breakdown usage issue);
for my $change ('ALTER TABLE jobs.phase ALTER phase_id TYPE text', 'ALTER TABLE jobs.usage_measurement ALTER usage TYPE int', 'ALTER TABLE jobs.resource_type ALTER class TYPE text',
	'ALTER TABLE jobs.phase ALTER start_time TYPE timestamp')
{
	$db->run("BEGIN; $unbind $change");
	is($db->sqlstate('SELECT * FROM jobs.validate_job(1)'), '42804', $change);
	$db->run('ROLLBACK');
}
$db->run("BEGIN; ALTER TABLE jobs.usage_measurement ALTER usage DROP NOT NULL; UPDATE jobs.usage_measurement SET usage = NULL");
is($db->sqlstate('SELECT * FROM jobs.validate_job(1)'), '22004', 'a number that may not be null');
$db->run('ROLLBACK');
$db->run("BEGIN; $unbind ALTER TABLE jobs.phase DROP COLUMN instance");
is($db->sqlstate('SELECT * FROM jobs.validate_job(1)'), '42703', 'a column that is gone');
$db->run('ROLLBACK');

# Nothing that somebody has put into a path is run.
$db->run(<<'SQL');
CREATE SCHEMA trap;
CREATE FUNCTION trap.fail(bigint, bigint) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'trapped'; END $$;
CREATE FUNCTION trap.fail(text, text) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'trapped'; END $$;
CREATE OPERATOR trap.= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = trap.fail);
CREATE OPERATOR trap.= (LEFTARG = text, RIGHTARG = text, FUNCTION = trap.fail);
CREATE TABLE trap.phase ();
SET search_path = trap, pg_catalog;
SQL
is(told('jobs.validate_job(1)'), '', 'among traps');
is($db->sqlstate('SELECT * FROM jobs.speedup()'), 'no error', 'among traps: speedup');
$db->run('RESET search_path; DROP SCHEMA trap CASCADE');

# --- rights ----------------------------------------------------------------------------------------------------------

sub as { return Wire->connect($node, 'jobs', user => $_[0]); }

$db->run("SELECT jobs.grant_access('reads', 'reader'), jobs.grant_access('loads', 'loader'), jobs.grant_access('rules', 'admin')");
is($db->sqlstate($_), '42704', "refused: $_") for "SELECT jobs.grant_access('nobody there', 'reader')", "SELECT jobs.grant_access(NULL, 'reader')", "SELECT jobs.revoke_access('current_user')";
is($db->sqlstate($_), '0LP01', "refused: $_") for "SELECT jobs.grant_access('public', 'reader')", "SELECT jobs.revoke_access('public')";
is($db->sqlstate($_), '22023', "refused: $_") for "SELECT jobs.grant_access('reads', 'owner')", "SELECT jobs.grant_access('reads', NULL)";
my $job = q{INSERT INTO jobs.job (model) VALUES (E'p\\\\"1') RETURNING job_id};
my %may = (
	nobody_here => { read => '42501', load => '42501', change => '42501', grant => '42501' },
	reads => { read => 'no error', load => '42501', change => '42501', grant => '42501' },
	loads => { read => 'no error', load => 'no error', change => '42501', grant => '42501' },
	rules => { read => 'no error', load => 'no error', change => 'no error', grant => '42501' });
for my $role (sort keys %may)
{
	my $other = as($role);
	is($other->sqlstate('SELECT * FROM jobs.validate_job(1)'), $may{$role}{read}, "$role: reads");
	is($other->sqlstate('SELECT * FROM jobs.run_metrics, jobs.speedup()'), $may{$role}{read}, "$role: reads views");
	is($other->sqlstate($job), $may{$role}{load}, "$role: loads");
	is($other->sqlstate("INSERT INTO jobs.usage_measurement VALUES (9, 9, now(), now(), 0)"), $may{$role}{load}, "$role: loads measurements");
	is($other->sqlstate('DELETE FROM jobs.job WHERE job_id > 2'), $may{$role}{change}, "$role: deletes");
	is($other->sqlstate("SELECT jobs.grant_access('nobody_here', 'reader')"), $may{$role}{grant}, "$role: grants");
	$other->close;
}
$db->run('REVOKE SELECT ON jobs.usage_measurement FROM reads');
my $reader = as('reads');
my $error = $reader->query('SELECT * FROM jobs.validate_job(1)')->{error};
like($error->{message}, qr/permission denied for table usage_measurement/, 'a table that was revoked is named');
$db->run('GRANT SELECT ON jobs.usage_measurement TO reads; ALTER TABLE jobs.resource ENABLE ROW LEVEL SECURITY; CREATE POLICY hidden ON jobs.resource USING (resource_id <> 4)');
is(join(' ', map { $_->[0] } @{ $reader->rows('SELECT code FROM jobs.validate_job(1)') }), 'unknown_resource', 'rows that a policy hides are not there');
$db->run('DROP POLICY hidden ON jobs.resource; ALTER TABLE jobs.resource DISABLE ROW LEVEL SECURITY');
is($reader->value('SELECT count(*) FROM jobs.validate_job(1)'), '0', 'and are there again');

# --- one snapshot ----------------------------------------------------------------------------------------------------

# A policy holds the reader up while it reads measurements, after the resources: what is loaded meanwhile is not seen.
$db->run(<<'SQL');
CREATE FUNCTION gate() RETURNS bool LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_lock_shared(7); PERFORM pg_advisory_unlock_shared(7); RETURN true; END $$;
ALTER TABLE jobs.phase_resource ENABLE ROW LEVEL SECURITY; CREATE POLICY gate ON jobs.phase_resource USING (gate());
SELECT pg_advisory_lock(7);
SQL
$reader->start('SELECT count(*) FROM jobs.validate_job(1)');
for (1 .. 1000)
{
	last if $super->value("SELECT count(*) FROM pg_stat_activity WHERE usename = 'reads' AND wait_event = 'advisory'");
	select undef, undef, undef, 0.01;
}
$db->run("INSERT INTO jobs.resource VALUES (1, 99, 1, 'cpu', '99', 1); INSERT INTO jobs.usage_measurement VALUES (1, 99, '2026-01-01', '2026-01-02', 0.5)");
is($db->value('SELECT pg_advisory_unlock(7)'), 't', 'the reader may go on');
is($reader->finish->{rows}[0][0], '0', 'all tables are read as they were at one moment');
$db->run("DROP POLICY gate ON jobs.phase_resource; ALTER TABLE jobs.phase_resource DISABLE ROW LEVEL SECURITY; DELETE FROM jobs.usage_measurement WHERE resource_id = 99; DELETE FROM jobs.resource WHERE resource_id = 99");
$db->run("SELECT jobs.revoke_access('reads')");
is($reader->sqlstate('SELECT * FROM jobs.validate_job(1)'), '42501', 'access is taken back');
$reader->close;

# --- deleting --------------------------------------------------------------------------------------------------------

sub counts { return join ' ', map { $db->value("SELECT count(*) || '/' || count(DISTINCT job_id) FROM jobs.$_ WHERE job_id < 9") } qw(phase resource phase_resource usage_measurement blocking_interval); }
is(counts(), '14/2 8/2 8/2 40/2 6/2', 'two jobs');
$db->run('DELETE FROM jobs.job WHERE job_id = 2');
is(counts(), '7/1 4/1 4/1 20/1 3/1', 'a job goes with its rows');
is(told('jobs.validate_job(1)'), '', 'and leaves the other one alone');
$db->run('TRUNCATE jobs.job RESTART IDENTITY');
is(counts(), '0/0 0/0 0/0 0/0 0/0', 'all go, before their numbers come again');

# --- golden: graph benchmarks ----------------------------------------------------------------------------------------

sub quoted { return defined $_[0] ? ref $_[0] ? $_[0] ? 'true' : 'false' : Wire::literal("$_[0]") : 'NULL'; }

sub load_runs
{
	my ($runs) = @_;
	$db->run('DELETE FROM jobs.benchmark_run; DELETE FROM jobs.graph_dataset');
	for my $run (@$runs)
	{
		my $dataset = $run->{dataset} // (defined $run->{vertices} ? "$run->{vertices} $run->{edges}" : undef);
		$db->run('INSERT INTO jobs.graph_dataset VALUES (' . join(', ', map { quoted($_) } $dataset, $run->{vertices}, $run->{edges}) . ') ON CONFLICT DO NOTHING') if defined $run->{vertices};
		my %row = (dataset => $dataset, map { ($_ eq 'resources' ? 'machines' : $_) => $run->{$_} } grep { !/^(vertices|edges|dataset)$/ } keys %$run);
		my @columns = sort keys %row;
		$db->run('INSERT INTO jobs.benchmark_run (' . join(', ', @columns) . ') OVERRIDING SYSTEM VALUE VALUES (' . join(', ', map { quoted($row{$_}) } @columns) . ')');
	}
	return;
}

sub load_output
{
	my ($table, $rows, $type) = @_;
	$db->run("DROP TABLE IF EXISTS $table; CREATE TABLE $table (vertex bigint, value $type)");
	$db->run("INSERT INTO $table VALUES " . join(', ', map { '(' . join(', ', map { quoted($_) } @$_) . ')' } @$rows)) if @$rows;
	return;
}

my %query = (
	graph_scale => sub { "SELECT s, jobs.graph_size_class(s) FROM jobs.graph_scale($_[0]{vertices}, $_[0]{edges}) AS s" },
	graph_size_class => sub { "SELECT jobs.graph_size_class($_[0]{scale})" },
	sla_met => sub { 'SELECT jobs.sla_met(' . quoted($_[0]{makespan}) . ', ' . quoted($_[0]{completed}) . ')' },
	coefficient_of_variation => sub { 'SELECT jobs.coefficient_of_variation(v::float8) FROM unnest(ARRAY[' . join(', ', map { quoted($_) } @{ $_[0]{values} }) . ']::float8[]) AS v' },
	validate_output => sub {
		my $type = $_[0]{algorithm} =~ /^(BFS|WCC|CDLP)$/ ? 'bigint' : 'float8';
		load_output('ref', $_[0]{reference}, $type);
		load_output('out', $_[0]{output}, $type);
		return "SELECT valid FROM jobs.validate_output('$_[0]{algorithm}', 'ref', 'out')";
	},
	map({ my $view = $_; $view => sub { load_runs($_[0]{runs}); "SELECT " . join(', ', @{ $_[1] }) . " FROM jobs.$view ORDER BY 1" } } qw(run_metrics variability stress_test_limit)),
	speedup => sub { load_runs($_[0]{runs}); 'SELECT ' . join(', ', @{ $_[1] }) . ' FROM jobs.speedup() ORDER BY series COLLATE "C", resources' });

sub same
{
	my ($got, $expected) = @_;
	return !defined $got && !defined $expected if !defined $got || !defined $expected;
	return $got eq ($expected ? 't' : 'f') if JSON::PP::is_bool($expected);
	return $got eq $expected if $expected !~ /^-?\d/ || $expected =~ /[A-Z]$/;
	my $scale = abs $got > abs $expected ? abs $got : abs $expected;
	# the reference has twelve digits
	return abs($got - $expected) <= 1e-9 * ($scale > 1 ? $scale : 1);
}

my @files = grep { (decode_json(slurp_file($_))->{kind} // '') eq 'graphalytics' } glob "$dir/graph*.json";
cmp_ok(scalar @files, '>=', 6, 'there are golden files');
for my $file (@files)
{
	my $case = decode_json(slurp_file($file));
	my $number = 0;
	for my $call (@{ $case->{calls} })
	{
		my $what = "$case->{name}: $call->{fn} " . ++$number;
		my $result = $db->query($query{ $call->{fn} }->($call->{args}, $call->{columns}));
		if ($result->{error}) { fail($what); diag($result->{error}{message}); next; }
		my $key = sub { join "\t", map { $_ // '' } @_[0 .. ($call->{fn} eq 'speedup' ? 1 : 0)] };
		my %got = map { $key->(@$_) => $_ } @{ $result->{rows} };
		my @wrong = grep { my ($e, $g) = ($_, $got{ $key->(@$_) } // $result->{rows}[0]); grep { !same($g->[$_], $e->[$_]) } 0 .. $#$e } @{ $call->{rows} };
		ok(!@wrong && @{ $result->{rows} } == @{ $call->{rows} }, $what) or diag(explain [ $result->{rows}, \@wrong ]);
	}
}

# --- what the golden cases leave open --------------------------------------------------------------------------------

is($db->value('SELECT jobs.graph_scale(0, 0)'), undef, 'an empty graph has no scale');
is($db->value('SELECT jobs.graph_scale(9223372036854775807, 9223372036854775807)'), '19.3', 'the largest graph');
is($db->value('SELECT jobs.graph_scale(1, 0)'), '0.0', 'one vertex');
# 10^6.95 = 8912509.38, so 8912509 is just below a half and 8912510 above it
is($db->value('SELECT jobs.graph_scale(8912509, 0) || jobs.graph_size_class(jobs.graph_scale(8912510, 0))'), '6.9XS', 'halves go up, and the class follows the rounded scale');
is($db->value("SELECT jobs.edges_per_second(10, 0) IS NULL AND jobs.edges_per_second(10, -1) IS NULL AND jobs.edges_per_second(10, 'NaN') IS NULL AND jobs.edges_per_second(10, 1e-320) IS NULL"), 't', 'no time, no speed');
is($db->value('SELECT jobs.edges_vertices_per_second(9223372036854775807, 9223372036854775807, 1) > 1.8e19'), 't', 'counts are not added as integers');
is($db->value("SELECT jobs.sla_met(10, true, 9) OR jobs.sla_met('NaN', true) OR jobs.sla_met(1, NULL)"), 'f', 'other limits, no numbers');
is($db->sqlstate("SELECT jobs.coefficient_of_variation_final($_)"), '22023', "no state: $_") for "'{1,2}'", "'{1,2,NULL}'", "'{}'", "'{{1,2,3}}'";
$db->run('CREATE TABLE many AS SELECT (i % 97)::float8 / 7 AS v FROM generate_series(1, 300000) AS i; ALTER TABLE many SET (parallel_workers = 2); ANALYZE many; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0');
like(join("\n", map { $_->[0] } @{ $db->rows('EXPLAIN SELECT jobs.coefficient_of_variation(v) FROM many') }), qr/Finalize Aggregate.*Gather/s, 'the aggregate is split');
cmp_ok(abs($db->value('SELECT jobs.coefficient_of_variation(v) / (stddev(v) / avg(v)) - 1 FROM many')), '<', 1e-12, 'and is stddev / avg');

load_runs([ map { { series => $_, processing_time => 5, makespan => $_ eq 'slow' ? 3601 : 6, completed => JSON::PP::true } } 'slow', 'slow', 'one' ]);
is_deeply($db->rows('SELECT series, n, mean, cv FROM jobs.variability ORDER BY 1'), [ [ 'one', 1, 5, undef ], [ 'slow', 0, undef, undef ] ], 'series in which one run succeeded, or none');
is($db->sqlstate($_), '22023', "refused: $_") for "SELECT * FROM jobs.speedup('nodes')", "SELECT * FROM jobs.speedup(NULL)", "SELECT * FROM jobs.speedup(scaling => 'fast')";
load_runs([ map { { series => 's', dataset => 'd', vertices => 1, edges => 10**$_, platform => 'P', algorithm => 'BFS', resources => $_, threads => 2 * $_, processing_time => 10 / $_, makespan => 20, completed => JSON::PP::true } } 1, 2, 5 ]);
is_deeply($db->rows('SELECT resources, baseline_resources, speedup, slowdown, ideal FROM jobs.speedup()'), [ [ 1, 1, 1, 1, 1 ], [ 2, 1, 2, '0.5', 2 ], [ 5, 1, 5, '0.2', 5 ] ], 'strong scaling');
is_deeply($db->rows("SELECT resources, baseline_resources, ideal FROM jobs.speedup('threads', 'weak') ORDER BY 1"), [ [ 2, 2, 1 ], [ 4, 2, 1 ], [ 10, 2, 1 ] ], 'by threads');
$db->run("UPDATE jobs.benchmark_run SET machines = 1; INSERT INTO jobs.benchmark_run (platform, series, algorithm, dataset, machines, threads, processing_time, makespan, completed) VALUES ('Q', 's', 'BFS', 'd', 1, 10, 4, 10, true)");
is_deeply($db->rows("SELECT platform, metric, value, rank, ratio_to_best FROM jobs.platform_comparison WHERE threads = 10 AND metric <> 'evps' ORDER BY 2, 4"),
	[ [ 'Q', 'makespan', 10, 1, 1 ], [ 'P', 'makespan', 20, 2, 2 ], [ 'P', 'processing_time', 2, 1, 1 ], [ 'Q', 'processing_time', 4, 2, 2 ] ], 'platforms beside each other');
is($db->value("SELECT string_agg(platform || rank || ' ' || ratio_to_best, ', ' ORDER BY rank) FROM jobs.platform_comparison WHERE threads = 10 AND metric = 'evps'"), 'P1 1, Q2 0.5', 'of rates the largest is the best');
is_deeply($db->rows('SELECT algorithm, dataset, platform FROM jobs.renewal'), [ [ 'BFS', 'd', 'Q' ] ], 'who finishes the largest graph first');

# Class limits: of two graphs of XL nobody finishes one; of L one platform finishes all, another one half.
$db->run('DELETE FROM jobs.benchmark_run; DELETE FROM jobs.graph_dataset');
$db->run(q{INSERT INTO jobs.graph_dataset (dataset, vertices, edges) VALUES ('xl1', 0, 1000000000), ('xl2', 0, 2000000000), ('l1', 0, 500000000), ('l2', 0, 600000000), ('m', 0, 100000000);
	INSERT INTO jobs.benchmark_run (platform, algorithm, dataset, machines, makespan, completed) VALUES ('P', 'BFS', 'xl1', 1, 10, true), ('P', 'BFS', 'xl2', 1, 3601, true),
	('P', 'BFS', 'l1', 1, 20, true), ('P', 'BFS', 'l2', 1, 30, true), ('P', 'BFS', 'l2', 1, 50, true), ('Q', 'BFS', 'l1', 1, 1, true), ('Q', 'BFS', 'l2', 2, 1, true), ('Q', 'BFS', 'm', 1, 5, true)});
my $limit = 'SELECT size_class, dataset, platform, machines, makespan FROM jobs.renewal';
is_deeply($db->rows($limit), [ [ 'L', 'l2', 'P', 1, 40 ] ], 'the class of which one platform finishes all graphs');
$db->run("UPDATE jobs.benchmark_run SET machines = 2 WHERE platform = 'Q' AND dataset = 'l1'");
is_deeply($db->rows($limit), [ [ 'L', 'l2', 'Q', 2, 1 ] ], 'of two the one that is faster on its largest graph');
$db->run("INSERT INTO jobs.graph_dataset (dataset, vertices, edges) VALUES ('l3', 1, 400000000)");
is_deeply($db->rows($limit), [ [ 'M', 'm', 'Q', 1, 5 ] ], 'a graph that nobody has tried');
$db->run("UPDATE jobs.benchmark_run SET makespan = 20 WHERE dataset = 'xl2'");
is_deeply($db->rows($limit), [ [ 'XL', 'xl2', 'P', 1, 20 ] ], 'the largest class of all');

# Times that no float8 has the squares of.
$db->run(q{DELETE FROM jobs.benchmark_run; INSERT INTO jobs.benchmark_run (platform, series, dataset, machines, processing_time, makespan, completed)
	VALUES ('P', 'huge', 'm', 1, 1e200, 1, true), ('P', 'huge', 'm', 1, 1.1e200, 1, true), ('P', 'short', 'm', 1, 2, 1, true), ('P', 'short', 'm', 1, 4, 1, true)});
is_deeply($db->rows('SELECT series, n, round((mean / 10 ^ CASE series WHEN $$huge$$ THEN 200 ELSE 0 END)::numeric, 9), round(cv::numeric, 9) FROM jobs.variability ORDER BY 1'),
	[ [ 'huge', 2, '1.050000000', '0.067343503' ], [ 'short', 2, '3.000000000', '0.471404521' ] ], 'no row of variability makes the others unreadable');
is_deeply($db->rows(q{SELECT series, n, processing_time > 1e199 FROM jobs.speedup() ORDER BY 1}), [ [ 'huge', 2, 't' ], [ 'short', 2, 'f' ] ], 'nor one of speedup');
is($db->value(q{SELECT count(*) FROM jobs.platform_comparison WHERE metric = 'processing_time' AND value > 1e199}), '1', 'nor one of platform_comparison');

# --- outputs ---------------------------------------------------------------------------------------------------------

sub validated
{
	my ($algorithm, $reference, $output) = @_;
	my $result = $db->query(sprintf 'SELECT valid, mismatches FROM jobs.validate_output(%s, %s, %s)', map { Wire::literal($_) } $algorithm, $reference, $output);
	return $result->{error} ? $result->{error}{sqlstate} : "@{ $result->{rows}[0] }";
}

$db->run(<<'SQL');
CREATE SCHEMA "Out ""put";
CREATE TABLE "Out ""put"."re'f" ("Value %s" int, "ver""tex" text, value text, vertex smallint);
INSERT INTO "Out ""put"."re'f" SELECT 0, 'x', i::text, i FROM generate_series(1, 10) AS i;
CREATE TABLE plain ("v %I" bigint, "x" numeric, more text);
INSERT INTO plain SELECT i, i FROM generate_series(1, 10) AS i;
CREATE VIEW twice AS SELECT vertex, value FROM "Out ""put"."re'f" UNION ALL SELECT 1, '1';
CREATE TABLE nulls (vertex bigint, value float8);
INSERT INTO nulls VALUES (1, 1), (2, NULL), (NULL, 3), (4, 'NaN');
CREATE TABLE one (vertex bigint);
CREATE TABLE words (vertex text, value text);
INSERT INTO words VALUES ('a', 'x'), ('b', 'x'), ('c', 'y');
CREATE TABLE other_words AS SELECT vertex, upper(value) AS value FROM words;
SQL
my $ref = q{"Out ""put"."re'f"};
is(validated('bfs', $ref, 'plain'), 't 0', 'columns by name or by place, types of any kind, names with quotes');
is(validated('CDLP', 'plain', 'twice'), 'f 1', 'a vertex that is there twice');
# a vertex that is null is missing on one side and too many on the other
is(validated('PR', 'nulls', 'nulls'), 'f 4', 'nulls and NaN match nothing, not even themselves');
is(validated('BFS', 'nulls', 'nulls'), 'f 4', 'whole ones, too');
$db->run(q{CREATE TABLE flags (vertex uuid, value bool); INSERT INTO flags VALUES ('00000000-0000-0000-0000-000000000001', true), ('00000000-0000-0000-0000-000000000002', false);
	CREATE TABLE oids (vertex oid, value oid); INSERT INTO oids VALUES (1, 4294967295), (2, 0); CREATE TABLE dates (vertex bigint, value date);
	CREATE TABLE collated (vertex text COLLATE "POSIX", value text COLLATE "POSIX"); INSERT INTO collated SELECT * FROM words; CREATE DOMAIN vertex_id AS bigint;
	CREATE TABLE domains (vertex vertex_id, value vertex_id); INSERT INTO domains SELECT i, i FROM generate_series(1, 10) AS i});
is(validated('BFS', 'flags', 'flags'), 't 0', 'uuid and bool');
is(validated('CDLP', 'oids', 'oids'), 't 0', 'oid');
is(validated('BFS', 'words', 'collated'), 't 0', 'words of two collations');
is(validated('BFS', 'plain', 'domains'), 't 0', 'domains');
for my $wrong ([ 'PR', 'flags', 'flags', qr/numbers/ ], [ 'BFS', 'flags', 'words', qr/a view can cast/ ], [ 'BFS', 'dates', 'dates', qr/a view can cast/ ])
{
	my $error = $db->query(sprintf q{SELECT jobs.validate_output('%s', '%s', '%s')}, @$wrong)->{error} // {};
	is($error->{sqlstate} // '', '42804', "@$wrong[0 .. 2]: types that are not compared");
	like($error->{message} // '', qr/^columns "\w+" and "\w+" cannot be compared$/, '  which');
	like($error->{hint} // '', $wrong->[3], '  and what to do');
}
is(validated('WCC', 'words', 'other_words'), 't 0', 'components named by words');
is(validated('BFS', 'words', 'other_words'), 'f 3', 'which are not equal');
is(validated('WCC', 'plain', 'plain'), 't 0', 'as many components as vertices');
is(validated('PR', 'words', 'words'), '22P02', 'words are no numbers');
is(validated('DFS', 'plain', 'plain'), '22023', 'no such algorithm');
is(validated('BFS', 'one', 'plain'), '42703', 'one column is not enough');
is($db->value("SELECT jobs.validate_output(NULL, 'plain', 'plain') IS NULL"), 't', 'null');
$db->run("INSERT INTO plain VALUES (11, 1), (12, 2); UPDATE plain SET x = 5 WHERE x = 3");
is(validated('BFS', $ref, 'plain'), 'f 3', 'wrong and too many are counted');
my $loads = as('loads');
is($loads->sqlstate("SELECT jobs.validate_output('BFS', 'plain', 'plain')"), '42501', 'tables are read with the rights of the caller');
$loads->close;

$db->close;
$super->close;
$node->stop;
done_testing();
