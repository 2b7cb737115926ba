# What functions of one query make of a job in the same way is made once: each gives the rows that it gives alone, with whatever
# options, while cursors are closed and functions of users run queries of their own; and rows are formed right.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Jobs;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('shared');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\njit = off\nautovacuum = off\nlog_min_error_statement = panic\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
Jobs::create($db);
Jobs::fill($db);
$db->run('DELETE FROM jobs.issue_rule');

$db->run(<<'SQL');
CREATE SCHEMA f;
CREATE FUNCTION f.shuts(text[], bool[], bool[], text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	c refcursor := 'c';
BEGIN
	IF EXISTS (SELECT FROM pg_cursors WHERE name = 'c') THEN CLOSE c; END IF;
	RETURN true = ANY ($3);
END $$;
CREATE FUNCTION f.asks(text[], bool[], bool[], text) RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
	RETURN true = ANY ($3) AND (SELECT count(*) > 0 FROM jobs.bottlenecks(1)) AND (SELECT count(*) > 0 FROM jobs.phase_consumption(2, delta => 0.3))
		AND (SELECT count(*) > 0 FROM jobs.bottleneck_durations(1, delta => 0.3));
END $$;
CREATE FUNCTION f.fails(text[], bool[], bool[], text) RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
	PERFORM count(*) FROM jobs.bottlenecks(1, delta => 0.4);
	RAISE EXCEPTION 'no' USING ERRCODE = 'UE002';
END $$;
CREATE FUNCTION f.try() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT count(*) FROM jobs.bottlenecks(1, predicate => 'function:f.fails'));
EXCEPTION WHEN SQLSTATE 'UE002' THEN
	RETURN -1;
END $$;
CREATE SEQUENCE f.asked;
CREATE FUNCTION f.looks(text[], bool[], bool[], text) RETURNS bool LANGUAGE sql VOLATILE AS 'SELECT nextval(''f.asked''); SELECT true = ANY ($3)';
SQL

# --- options ---

my @functions = qw(phase_consumption bottlenecks performance_issues bottleneck_durations bottleneck_timeline bottleneck_issues
  active_phases attribute_usage leaf_bottlenecks upsample_usage);
my @options = ('', "predicate => 'all'", 'delta => 0.2', "slice => '7 s'", "slice => '7 s', origin => '2026-01-01 00:00:03 UTC'",
	"slice => '7 s', sampling => 'linear'", "sampling => 'constant'", 'use_greedy => false', 'use_blocking => false',
	"predicate => 'strict_majority'", '');

# The digest of all rows, for each job, function and options: next to each other are calls that differ in their options alone.
my @calls;
for my $function (@functions)
{
	push @calls, "jobs.$function(" . join(', ', 1, grep { $_ ne '' } $_) . ')' for @options;
}
push @calls, 'jobs.bottlenecks(2)', 'jobs.bottlenecks(1)', 'jobs.performance_issues(2)', 'jobs.performance_issues(1)';
sub digest { my ($call) = @_; return "(SELECT md5(string_agg(r::text, E'\\n' ORDER BY r::text)) FROM $call AS r)"; }
my %alone = map { $_ => $db->value('SELECT ' . digest($_)) } @calls;
cmp_ok(scalar(keys %{ { reverse %alone } }), '>', 40, 'the options matter');
sub together
{
	my ($name, @order) = @_;
	my $found = $db->row('SELECT ' . join ', ', map { digest($_) } @order);
	is_deeply({ map { $order[$_] => $found->[$_] } 0 .. $#order }, \%alone, $name);
	return;
}
together('each function with all options', @calls);
together('the other way round', reverse @calls);
# The options in turn, so that what is kept is what the call before has made with the same ones.
my %place;
together('all functions with each options', sort { $place{$a} <=> $place{$b} } map { $place{ $calls[$_] } = $_ % @options; $calls[$_] } 0 .. $#calls);
$db->run("SET work_mem = '64kB'");
together('with little memory', @calls);
$db->run('BEGIN');
together('twice in a transaction, the first time', @calls);
together('and the second', @calls);
$db->run('COMMIT; RESET work_mem');

# --- jobs that are larger than work_mem ---

my $reads = "(SELECT seq_scan + idx_scan FROM pg_stat_xact_user_tables WHERE relid = 'jobs.phase'::regclass)";
my $three = 'SELECT (SELECT count(*) FROM jobs.phase_consumption(1)), (SELECT count(*) FROM jobs.bottlenecks(1)), (SELECT count(*) FROM jobs.performance_issues(1))';
$db->run("BEGIN; INSERT INTO jobs.usage_measurement SELECT 1, 2, at, at, 0 FROM (SELECT timestamptz '2027-01-01 UTC' + i * interval '1 s' AS at FROM generate_series(1, 20000) AS i) AS v; SET LOCAL work_mem = '64kB'");
sub reads_of
{
	my $before = $db->value("SELECT $reads");
	$db->run($_[0]);
	return $db->value("SELECT $reads") - $before;
}
my $once = reads_of('SELECT count(*) FROM jobs.phase_consumption(1)');
cmp_ok($once, '>', 0, 'one function reads the phases');
is(reads_of($three), $once, 'three in one query do so once');
is(reads_of($three), $once, 'the next query does so again');

# --- queries within queries ---

$db->run("UPDATE jobs.phase_type SET bottleneck_predicate = NULL");
my $any = $db->value('SELECT ' . digest('jobs.bottlenecks(1)'));
my $issues = $db->value('SELECT ' . digest('jobs.performance_issues(1)'));
for my $memory (qw(64kB 1GB))
{
	$db->run("SET LOCAL work_mem = '$memory'");
	$db->run('DECLARE c CURSOR FOR SELECT phase_id FROM jobs.bottlenecks(1)');
	$db->run('FETCH c');
	my $both = $db->row('SELECT ' . digest("jobs.bottlenecks(1, predicate => 'function:f.shuts')") . ', ' . digest('jobs.performance_issues(1)'));
	is($both->[1], $issues, "$memory: a cursor that had read the job is closed by a predicate");
	is($db->value("SELECT count(*) FROM pg_cursors WHERE name = 'c'"), 0, "$memory: it was closed");
	is($db->value("SELECT count(*) FROM ((SELECT phase_id, resource_type, start_time, end_time FROM jobs.bottlenecks(1, predicate => 'function:f.asks'))
		EXCEPT (SELECT phase_id, resource_type, start_time, end_time FROM jobs.bottlenecks(1))) AS d"), 0, "$memory: a predicate analyses jobs itself");
	is($db->value('SELECT f.try()'), -1, "$memory: one that fails");
	is_deeply($db->row('SELECT ' . digest('jobs.bottlenecks(1)') . ', ' . digest('jobs.performance_issues(1)')), [ $any, $issues ], "$memory: then as before");
}
$db->run('ROLLBACK');

# --- predicates that are functions are asked each time ---

$db->run("SELECT count(*) FROM jobs.bottlenecks(1, predicate => 'function:f.looks')");
my $asked = $db->value('SELECT last_value FROM f.asked');
$db->run("SELECT (SELECT count(*) FROM jobs.bottlenecks(1, predicate => 'function:f.looks')), (SELECT count(*) FROM jobs.bottlenecks(1, predicate => 'function:f.looks'))");
is($db->value('SELECT last_value FROM f.asked'), 3 * $asked, 'what a function says is not kept');

# --- rows ---

my @lengths = (1, 2, 125, 126, 127, 128, 129, 200);
$db->run("INSERT INTO jobs.platform_model VALUES ('long'); INSERT INTO jobs.phase_type (model, phase_type) VALUES ('long', 'Job')");
$db->run("INSERT INTO jobs.resource_type (model, resource_type, class) SELECT 'long', left(md5(n::text) || repeat('x', n), n), 'consumable' FROM unnest(ARRAY[" . join(',', @lengths) . ']) AS n');
$db->run("INSERT INTO jobs.job (job_id, model) VALUES (10, 'long'); INSERT INTO jobs.phase VALUES (10, 1, NULL, 'Job', '', '2026-01-01 UTC', '2026-01-01 00:00:10 UTC'), (10, 2, NULL, 'Job', '', '2026-01-01 UTC', '2026-01-01 UTC') ON CONFLICT DO NOTHING");
$db->run("INSERT INTO jobs.resource SELECT 10, row_number() OVER (ORDER BY resource_type), NULL, resource_type, '', 1 FROM jobs.resource_type WHERE model = 'long'");
$db->run("INSERT INTO jobs.usage_measurement SELECT 10, resource_id, '2026-01-01 UTC', '2026-01-01 00:00:10 UTC', 1 FROM jobs.resource WHERE job_id = 10");
is($db->value("SELECT count(*) FROM jobs.bottlenecks(10) AS b JOIN jobs.resource AS r ON r.job_id = 10 AND r.resource_type = b.resource_type
	WHERE b.phase_id = 1 AND b.start_time = '2026-01-01 UTC' AND b.end_time = '2026-01-01 00:00:10 UTC' AND b.cause = 'saturated'"), scalar @lengths, 'names of all lengths');
is($db->value("SELECT string_agg(DISTINCT length(source)::text, ' ') FROM jobs.performance_issues(10)"),
	$db->value("SELECT string_agg(DISTINCT n::text, ' ') FROM unnest(ARRAY[" . join(',', @lengths) . ']) AS n'), 'in rows with numbers behind them');
is($db->value("SELECT array_agg(resource_type IS NULL ORDER BY resource_type NULLS FIRST) = '{t,f,f,f,f,f,f,f,f}' AND count(DISTINCT d) = 9 FROM jobs.bottleneck_durations(10) AS d"),
	't', 'and with nulls before them');

$db->close;
$node->stop;
done_testing();
