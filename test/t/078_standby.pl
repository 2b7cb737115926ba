# A physical standby, and a transaction that only reads: every function that is not declared to write, of all three
# extensions, as their catalogs list them, and every view answer there as on the server that is written to; what writes
# is refused by PostgreSQL's own error. What the primary has compacted, pruned and compared arrives.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Calls;
use Jobs;
use Store;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(allows_streaming => 1);
$node->append_conf('postgresql.conf', "timezone = 'UTC'\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
Store::create($db);
Jobs::create($db);
Store::fill($db);
Jobs::fill($db);
$db->run('CALL profiling.watch_run()');
# GIN has a list of what is not in the tree yet, also there.
$db->run('CREATE TABLE value (id int PRIMARY KEY, profile flamegraph, stack stackpath, query stackquery, sample flamestats, series flameseries, model perfmodel)');
$db->run('CREATE INDEX ON value USING gin (profile); CREATE INDEX ON value (stack); CREATE INDEX ON value USING gin (series)');
my $values = <<'SQL';
INSERT INTO value
SELECT i, p.profile, stackpath(ARRAY['main', 'f' || i]), 'main;*', (SELECT stats(v) FROM (VALUES (p.profile), (p.profile * 2)) AS t (v)),
  (SELECT flameseries_agg('2026-01-01', v) FROM (VALUES (p.profile)) AS t (v)), fit(ARRAY[1, 2, 3, 4], ARRAY[i, 2 * i, 3 * i, 4.5 * i], 'linear')
FROM generate_series(%d, %d) AS i, LATERAL (SELECT flamegraph_agg(stackpath(ARRAY['main', 'f' || j %% i, 'g' || j]), (j * i)::float8 / 7) AS profile FROM generate_series(1, 20 * i) AS j) AS p
SQL
$db->run(sprintf $values, 1, 40);

$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
$db->run(sprintf $values, 41, 60);
$db->run(q{SELECT profiling.ingest('s', fg => 'main;late 2', recorded_at => date_trunc('hour', now()) - interval '2 hours', instance => 'p')});
$db->run('CALL profiling.compact()');
$db->run('CALL profiling.maintain()');

sub caught_up
{
	$node->wait_for_catchup($standby, 'replay', $node->lsn('insert'));
	return;
}
caught_up();
my $there = Wire->connect($standby, 'postgres');
is($there->value('SELECT pg_is_in_recovery()'), 't', 'the second server is a standby');
$_->run("SET timezone = 'UTC'; SET statement_timeout = '5min'; SET client_min_messages = error") for $db, $there;

# --- what is stored ------------------------------------------------------------------------------------------------------------------

# A sequence is ahead there: the log has its values in steps of 32.
sub tables
{
	my ($contents) = @_;
	return { map { $_ => $contents->{$_} } grep { !/_seq$/ } keys %$contents };
}

is_deeply(tables(Store::contents($there)), tables(Store::contents($db)), 'the rows of the store');
is_deeply(tables(Jobs::contents($there)), tables(Jobs::contents($db)), 'those of jobs');
is($there->value('SELECT count(*) FROM profiling.check(true)'), '0', 'check(): nothing is wrong there');

# --- all that answers ----------------------------------------------------------------------------------------------------------------

# The rows of an answer, or its error.
sub answer
{
	my ($connection, $sql) = @_;
	my $result = $connection->query($sql);
	return join "\n", map { join '|', map { $_ // '\N' } @$_ } @{ $result->{rows} } unless $result->{error};
	return "$result->{error}{sqlstate} $result->{error}{message}";
}

# In a transaction that may only read, on the first server.
sub read_only
{
	my ($sql) = @_;
	$db->run('BEGIN TRANSACTION READ ONLY');
	my $answer = answer($db, $sql);
	$db->run('ROLLBACK');
	return $answer;
}

my ($asked, $moved, @differ, @refused) = (0, 0);

sub ask
{
	my ($name, $sql) = @_;
	my ($first, $elsewhere) = (answer($db, $sql), answer($there, $sql));
	my $reading = read_only($sql);
	$asked++;
	push @refused, "$name: $_" for grep { /^25006 |during recovery/ } $elsewhere, $reading;
	return if $first eq $elsewhere && $first eq $reading;
	# What depends on the time of the question is another one at the next.
	if ($first ne answer($db, $sql)) { $moved++; return; }
	push @differ, "$name\nhere: " . substr($first, 0, 300) . "\nthere: " . substr($elsewhere, 0, 300) . "\nreading only: " . substr($reading, 0, 300);
	return;
}

my $calls = Calls->new($db, 'flamegraph', 'flamegraph_store', 'flamegraph_jobs');
for my $c (grep { !$_->{volatile} && $_->{kind} ne 'p' } $calls->all)
{
	my @row = $calls->ordinary($c);
	ask($c->{name}, $calls->statement($c, $c->{kind} eq 'a' ? (\@row, \@row) : \@row));
}
ask($_->[0], "SELECT v::text FROM $_->[0] AS v ORDER BY 1")
  for @{ $db->rows("SELECT c.oid::regclass FROM pg_class AS c WHERE c.relnamespace IN ('profiling'::regnamespace, 'jobs'::regnamespace) AND c.relkind = 'v' ORDER BY 1") };
ask($_, "SET enable_seqscan = off; SELECT string_agg(id::text, ' ' ORDER BY id) FROM value WHERE $_; RESET enable_seqscan")
  for q{profile ? 'f3'}, q{profile ?& '{f3,g70}'}, q{profile ~ '*;g1%'}, q{profile @> 'main;f7'}, q{stack <@ 'main;f5'}, q{series ? 'f11'};
cmp_ok($asked, '>', 700, 'functions, aggregates, operators and views were asked');
cmp_ok($moved, '<', 30, 'few answers depend on the moment');
is_deeply(\@refused, [], 'nothing of them writes');
is_deeply(\@differ, [], 'they answer the same');

# The library reads jobs in the snapshots that a standby has.
$there->run('BEGIN ISOLATION LEVEL REPEATABLE READ');
my $issues = 'SELECT count(*), sum(estimated_impact) FROM jobs.performance_issues(1)';
my $before = $there->row($issues);
$db->run('DELETE FROM jobs.job WHERE job_id = 1');
caught_up();
is_deeply($there->row($issues), $before, 'a job that is deleted on the primary stays for an old snapshot');
$there->run('COMMIT');
is($there->sqlstate($issues), '22023', '... and is gone for the next');

# --- what writes ---------------------------------------------------------------------------------------------------------------------

$db->run(q{SELECT profiling.ingest('s', fg => 'main;later 2', recorded_at => date_trunc('hour', now()) - interval '3 hours', instance => 'p')});
caught_up();
for my $sql (q{SELECT profiling.import_flamegraph('b1', 'a 1')}, q{SELECT profiling.ingest('s', fg => 'a 1')}, 'CALL profiling.watch_run()', 'CALL profiling.watch_services()',
	'CALL profiling.compact()', 'CALL profiling.maintain()', 'CALL profiling.prune()', 'SELECT profiling.delete_run(1)',
	q{SELECT jobs.import_spark('x', '{}')})
{
	like($there->sqlstate($sql), qr/^(?:25006|55000|22\w{3})$/, "refused: $sql");
}

# --- and when it is promoted ---------------------------------------------------------------------------------------------------------

$node->stop('immediate');
$standby->promote;
$there->close;
$there = Wire->connect($standby, 'postgres');
is($there->sqlstate(q{SELECT profiling.import_flamegraph('b1', 'main;new 1')}), 'no error', 'promoted, it is loaded into');
is($there->sqlstate('CALL profiling.watch_run()'), 'no error', '... and compared');
is($there->value('SELECT count(*) FROM profiling.check(true)'), '0', '... and sound');
$there->close;
$standby->stop;
done_testing();
