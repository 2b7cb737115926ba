# Loading into a store when much goes on: two loaders of the same file and of the same run, many loaders of recordings
# with several events, a server that is killed in the middle, partitions that are made and dropped meanwhile; a loader's
# rights; profiles that go to a second server by logical replication.
use strict;
use warnings;

use FindBin;
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

use lib $FindBin::RealBin;
use Store;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(allows_streaming => 'logical');
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nmax_connections = 40\ndeadlock_timeout = '100ms'\nlog_lock_waits = off\n");
$node->start;

my $db = Wire->connect($node, 'postgres');
Store::create($db);
my $dir = PostgreSQL::Test::Utils::tempdir();

sub import_sql
{
	my (%arguments) = @_;
	$arguments{started_at} //= '2021-01-05 UTC';
	return 'SELECT profiling.import_flamegraph(' . join(', ', map { "$_ => " . Wire::literal($arguments{$_}) } sort keys %arguments) . ')';
}

# Whether a backend waits for a lock.
sub waits
{
	my ($connection) = @_;
	my $end = time + 600;
	while (time < $end)
	{
		return 1 if ($db->value('SELECT wait_event_type FROM pg_stat_activity WHERE pid = ' . $connection->pid) // '') eq 'Lock';
		sleep 0.02;
	}
	return 0;
}

my ($one, $two) = map { Wire->connect($node, 'postgres') } 1, 2;

# --- one run of many profiles ----------------------------------------------------------------------------------------

# Nobody has analyzed the table yet, and a loader keeps its session: still each profile is looked for by its key.
$one->run('BEGIN');
$one->run(import_sql(benchmark => 'one run', fg => "main;a $_", repetition => $_)) for 1 .. 300;
cmp_ok($one->value('SELECT idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relid = $$profiling.profile$$::regclass'),
	'<', 6000, 'rows that an import looks at do not grow with its run');
$one->run('ROLLBACK');

# --- the same file twice ---------------------------------------------------------------------------------------------

for my $end ('COMMIT', 'ROLLBACK')
{
	my $sql = import_sql(benchmark => "twice $end", fg => "main;a 1\nmain;b 2");
	$one->run('BEGIN');
	my $first = $one->value($sql);
	$two->start($sql);
	ok(waits($two), "the same file twice: the second loader waits for the first ($end)");
	$one->run($end);
	my $result = $two->finish;
	ok(!$result->{error}, 'and then has no error') or diag($result->{error}{message});
	is(scalar @{ $result->{notices} }, $end eq 'COMMIT' ? 1 : 0, 'but is told that the profile is there, if it is');
	is($result->{notices}[0]{sqlstate}, '23505', 'by a state of its own') if $end eq 'COMMIT';
	is($result->{rows}[0][0] == $first ? 'the same' : 'another', $end eq 'COMMIT' ? 'the same' : 'another', 'and gets its number');
	is($db->value("SELECT repetitions || ' ' || profiling.summed(flamegraph, benchmark_id, pending)::text FROM profiling.rollup JOIN profiling.benchmark USING (benchmark_id) WHERE name = 'twice $end'"),
		"1 main;a 1\nmain;b 2", 'and it is counted once');
}

# --- two repetitions of one run at once: no update is lost ------------------------------------------------------------

$db->run(import_sql(benchmark => 'run', fg => 'main 1'));
$one->run('BEGIN');
$one->run(import_sql(benchmark => 'run', fg => 'main 10', repetition => 1));
$two->start(import_sql(benchmark => 'run', fg => 'main 100', repetition => 2));
ok(waits($two), 'two repetitions: one waits for the other');
$one->run('COMMIT');
ok(!$two->finish->{error}, 'and both are there');
$db->value("SELECT profiling.fold_rollups(benchmark_id) FROM profiling.benchmark WHERE name = 'run'");
is($db->value("SELECT r.repetitions || ' ' || r.flamegraph::text || ' ' || profile_count(r.stats_node) FROM profiling.rollup AS r JOIN profiling.benchmark USING (benchmark_id) WHERE name = 'run'"),
	'3 main 111 3', 'in the rollup, too');
# In a transaction that sees an older state there is an error that a loader retries.
$one->run('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM profiling.rollup');
$two->run(import_sql(benchmark => 'run', fg => 'main 1000', repetition => 3));
is($one->sqlstate(import_sql(benchmark => 'run', fg => 'main 10000', repetition => 4)), '40001', 'repeatable read: a serialization failure');
$one->run('ROLLBACK');
is($one->sqlstate(import_sql(benchmark => 'run', fg => 'main 10000', repetition => 4)), 'no error', 'that goes away when it is tried again');
is($db->value("SELECT r.repetitions || ' ' || profiling.summed(r.flamegraph, r.benchmark_id, r.pending)::text FROM profiling.rollup AS r JOIN profiling.benchmark USING (benchmark_id) WHERE name = 'run'"),
	'5 main 11111', 'nothing is counted twice');

# --- a night beside the merging of months --------------------------------------------------------------------------------------
# The night takes sums by the numbers of their runs, the other by months. History that is loaded has both orders, and all is to be done.

$db->run("SELECT profiling.import_flamegraph('history', fg => format('main %s', r)::flamegraph, started_at => '2020-0$_-10 UTC', repetition => r) FROM generate_series(1, 6) AS r") for 2, 3, 1;
$db->run("SELECT profiling.import_flamegraph('history', fg => 'main 1', started_at => timestamptz '2020-06-01 UTC' + n * interval '1 day') FROM generate_series(1, 11) AS n");
my $history = $db->value("SELECT benchmark_id FROM profiling.benchmark WHERE name = 'history'");
my $third = Wire->connect($node, 'postgres');
$third->run("BEGIN; SELECT FROM profiling.rollup WHERE benchmark_id = $history AND started_at = '2020-03-10 UTC' FOR UPDATE");
$one->start("SELECT runs FROM profiling.watch_benchmark($history)");
ok(waits($one), 'a night waits for March, and has February');
$two->start("SELECT profiling.merge_rollups($history, '1 year', 1)");
ok(waits($two), '... when the merging of January and February begins');
$third->run('COMMIT');
my ($night, $merged) = ($one->finish, $two->finish);
is($_->{error} && $_->{error}{message}, undef, 'no deadlock') for $night, $merged;
is($night->{rows}[0][0], 14, '... the night looks at all of them');
is($merged->{rows}[0][0], 3, '... and they become months');

# --- many loaders ----------------------------------------------------------------------------------------------------
# Each loads every file, in an order of its own, so that all meet all the time. The reader finds several events in a file, in
# an order that depends on the file.

$db->run(<<'SQL');
CREATE OR REPLACE FUNCTION profiling.recorded_profiles(data bytea, format text, options jsonb, OUT event text, OUT name text, OUT unit text,
	OUT period float8, OUT complete flamegraph, OUT truncated flamegraph, OUT samples flamegraph, OUT noise flamegraph) RETURNS SETOF record LANGUAGE sql BEGIN ATOMIC
	SELECT e, 'n' || e || left(pg_sleep(0.003)::text, 0), u, 0::float8, format(E'main;f%s %s\nmain;%s 1', n % 7, n, e)::flamegraph, NULL::flamegraph,
		format(E'main;f%s %s\nmain;%s 1', n % 7, n, e)::flamegraph, format(E'main;f%s %s\nmain;%s 1', n % 7, n, e)::flamegraph
	FROM (SELECT convert_from(data, 'UTF8')::int) AS d (n), (VALUES ('cpu', 'samples'), ('alloc', 'bytes'), ('lock', 'nanoseconds')) AS v (e, u)
	ORDER BY CASE WHEN n % 2 = 0 THEN e END, e DESC;
END
SQL

# Two files whose events come in opposite orders. The one that begins with alloc is first in the queue for it; were the
# other to hold lock and cpu by then, each would wait for the other.
{
	my $import = "SELECT profiling.import_profile('order', '%s', started_at => '2021-01-05 UTC', repetition => %s)";
	$db->run(sprintf $import, 1, 1);
	$db->run("BEGIN; SELECT 1 FROM profiling.rollup JOIN profiling.benchmark USING (benchmark_id) WHERE name = 'order' AND event = 'alloc' FOR UPDATE OF rollup");
	$two->start(sprintf $import, 2, 2);
	ok(waits($two), 'events in opposite orders: the first loader waits');
	$one->start(sprintf $import, 3, 3);
	ok(waits($one), 'the second waits');
	$db->run('ROLLBACK');
	for my $connection ($two, $one)
	{
		my $result = $connection->finish;
		ok(!$result->{error}, 'both get on') or diag($result->{error}{message});
	}
}

my $files = 60;

# Runs a loader in a process of its own. It writes a line for every file: its number and the outcome.
sub loader
{
	my ($name, $benchmark, $seed) = @_;
	my $pid = fork // die $!;
	return $pid if $pid;
	# Nothing of the parent's may be cleaned up from here.
	eval {
		open my $out, '>', "$dir/$name" or die $!;
		$out->autoflush(1);
		my $connection = Wire->connect($node, 'postgres');
		srand $seed;
		for my $file (sort { $a->[1] <=> $b->[1] } map { [ $_, rand ] } 1 .. $files)
		{
			my $n = $file->[0];
			my $result = $connection->query("SELECT profiling.import_profile('$benchmark' || $n % 2, '$n', started_at => timestamptz '2021-02-01 UTC' + make_interval(days => $n % 3), "
				  . "repetition => $n, source => 'file$n')");
			print $out "$n " . ($result->{error} ? "$result->{error}{sqlstate} $result->{error}{message}" : 'ok') . "\n";
		}
		1;
	} or append_to_file("$dir/$name", "0 died: $@");
	POSIX::_exit(0);
}

sub outcomes
{
	my (@names) = @_;
	my %count;
	for my $name (@names)
	{
		for my $line (split /\n/, slurp_file("$dir/$name")) { $count{ $line =~ s/^\d+ //r }++; }
	}
	return \%count;
}

# What a loader by itself makes of all files.
my $sums = <<'SQL';
SELECT right(b.name, 1), r.event, r.unit, r.started_at::date, r.repetitions, md5(concat_ws(' ', r.flamegraph, r.samples, r.noise)), r.total, md5((SELECT string_agg(e::text, '' ORDER BY e.key)
  FROM (SELECT key, n, round(mean::numeric, 6), round(stddev::numeric, 6) FROM entries(r.stats_node)) AS e)), (SELECT count(*) FROM profiling.profile AS p
  WHERE p.benchmark_id = r.benchmark_id AND p.event = r.event AND p.test_run_id = r.test_run_id)
FROM profiling.rollup AS r JOIN profiling.benchmark AS b USING (benchmark_id) WHERE b.name ~ '^%s[01]$' ORDER BY 1, 2, 3, 4
SQL
sub sums
{
	$db->run('SELECT profiling.fold_rollups(benchmark_id) FROM profiling.benchmark');
	return $db->rows(sprintf $sums, shift);
}
waitpid loader('alone', 'alone', 1), 0;
is_deeply(outcomes('alone'), { ok => $files }, 'one loader');
my $expected = sums('alone');
is(scalar @$expected, 18, 'two benchmarks, three events, three runs');
is($db->value("SELECT sum(total) FROM profiling.rollup JOIN profiling.benchmark USING (benchmark_id) WHERE name ~ '^alone'"), 3 * ($files * ($files + 1) / 2 + $files), 'and all their samples');

my @pids = map { loader("many$_", 'many', $_) } 1 .. 4;
waitpid $_, 0 for @pids;
is_deeply(outcomes(map { "many$_" } 1 .. 4), { ok => 4 * $files }, 'four loaders of all files: no deadlock, no error');
is_deeply(sums('many'), $expected, 'nothing is there twice, nothing is lost');

# --- the server is killed ------------------------------------------------------------------------------------------

@pids = map { loader("killed$_", 'killed', $_) } 1 .. 2;
my $end = time + 600;
while (time < $end)
{
	my $n = grep { -s "$dir/killed$_" } 1, 2;
	last if $n == 2 && (() = slurp_file("$dir/killed1") =~ /\n/g) >= 5;
	sleep 0.01;
}
$_->close for $one, $two, $db;
$node->stop('immediate');
waitpid $_, 0 for @pids;
$node->start;
$db = Wire->connect($node, 'postgres');
my $acknowledged = outcomes('killed1', 'killed2')->{ok};
cmp_ok($acknowledged, '<', 2 * $files, 'killed: in the middle');
my %done;
for my $name ('killed1', 'killed2') { /^(\d+) ok$/ and $done{$1} = 1 for split /\n/, slurp_file("$dir/$name"); }
cmp_ok(scalar keys %done, '>', 0, 'killed: something was loaded');
is($db->value("SELECT count(DISTINCT repetition) FROM profiling.profile JOIN profiling.benchmark USING (benchmark_id) WHERE name ~ '^killed' AND repetition IN (" . join(', ', keys %done) . ')'),
	scalar keys %done, 'killed: what was committed is there');
is_deeply($db->rows("SELECT repetition, count(*) FROM profiling.profile JOIN profiling.benchmark USING (benchmark_id) WHERE name ~ '^killed' GROUP BY 1 HAVING count(*) <> 3"), [], 'killed: files are there with all their events or none');
is_deeply($db->rows('SELECT * FROM profiling.check(true)'), [], 'killed: nothing half');
waitpid loader('again', 'killed', 9), 0;
is_deeply(outcomes('again'), { ok => $files }, 'killed: loading all of it again');
is_deeply(sums('killed'), $expected, 'killed: completes the work');

# --- partitions come and go meanwhile --------------------------------------------------------------------------------

@pids = map { loader("moving$_", 'moving', $_) } 1 .. 2;
my $moves = 0;
my $kids = @pids;
while ($kids)
{
	$db->run("SELECT profiling.add_partition('2021-02-01')");
	# as maintain() and prune() do it, but keeping everything
	$db->run("SELECT profiling.prune_month('2021-02-01', 1000)");
	$moves++;
	for my $pid (@pids) { $kids-- if waitpid($pid, POSIX::WNOHANG()) == $pid; }
}
cmp_ok($moves, '>', 1, "moving: a partition was made and dropped $moves times");
is_deeply(outcomes('moving1', 'moving2'), { ok => 2 * $files }, 'moving: loaders wait at most');
is_deeply(sums('moving'), $expected, 'moving: nothing is lost');
is_deeply($db->rows('SELECT * FROM profiling.check(true)'), [], 'moving: nothing is wrong');
$db->run(<<'SQL');
CREATE OR REPLACE FUNCTION profiling.recorded_profiles(data bytea, format text, options jsonb, OUT event text, OUT name text, OUT unit text,
	OUT period float8, OUT complete flamegraph, OUT truncated flamegraph, OUT samples flamegraph, OUT noise flamegraph) RETURNS SETOF record LANGUAGE sql BEGIN ATOMIC
	SELECT r.event, r.name, r.unit, r.period, r.complete, r.truncated, r.samples, r.noise FROM read_recording(data, format, options) AS r;
END
SQL

# Rows of a month are moved out of the default partition, and a lock in the way is waited for, not for ever.
is($db->value("SELECT count(*) > 0 FROM profiling.profile_data_default WHERE recorded_at >= '2021-02-01 UTC' AND recorded_at < '2021-03-01 UTC'"), 't', 'the default partition holds a month');
$one = Wire->connect($node, 'postgres');
$one->run('BEGIN; SELECT count(*) FROM profiling.profile_data_default');
is($db->sqlstate("SELECT profiling.add_partition('2021-02-01')"), '55P03', 'add_partition() gives up at a lock');
$two = Wire->connect($node, 'postgres');
$two->start("CALL profiling.maintain(months => 0, keep => now() - timestamptz '2021-01-01 UTC')");
ok(waits($two), 'maintain() waits');
sleep 5.5;
is($one->value('SELECT count(*) > 0 FROM profiling.profile_data'), 't', 'those who read already do not');
$one->run('COMMIT');
my $result = $two->finish;
ok(!$result->{error}, 'and tries again') or diag($result->{error}{message});
is($db->value("SELECT count(*) FROM profiling.profile_data_default WHERE recorded_at >= '2021-02-01 UTC' AND recorded_at < '2021-03-01 UTC'"), '0', 'the month was moved');
is($db->value("SELECT count(*) > 0 FROM profiling.profile_data_202102"), 't', 'into its partition');
is($db->value("SELECT string_agg(DISTINCT outcome, ' ') FROM profiling.job_log"), 'ok', 'as the log says');
is_deeply($db->rows('SELECT * FROM profiling.check(true)'), [], 'and nothing is wrong');
is($db->sqlstate('BEGIN; CALL profiling.maintain()'), '2D000', 'maintain() is called alone');
$db->run('ROLLBACK');

# A plan over a partition goes parallel although its heap is small.
$db->run('SET parallel_setup_cost = 10; SET parallel_tuple_cost = 0.001; ANALYZE profiling.profile_data');
like(join("\n", map { $_->[0] } @{ $db->rows("EXPLAIN SELECT sum(flamegraph) FROM profiling.profile_data WHERE recorded_at >= '2021-02-01 UTC' AND recorded_at < '2021-03-01 UTC'") }),
	qr/Gather/, 'sums over a month run in parallel');
like(join("\n", map { $_->[0] } @{ $db->rows("EXPLAIN SELECT flamegraph FROM profiling.profile_full WHERE recorded_at >= '2021-02-01 UTC' AND recorded_at < '2021-02-02 UTC'") }),
	qr/^(?!.*profile_data_2021(?!02))/s, 'a selection by time reads its months only');

# --- large repetitions -------------------------------------------------------------------------------------------------

# Adding one to the sums and moments of its run takes longer than loading it: the night adds them together.
my $large = sub { return join("\n", map { "f$_ $_[0]" } 1 .. 12000) };
$db->run(import_sql(benchmark => 'large', fg => $large->($_), repetition => $_)) for 1, 2, 4;
$db->run(import_sql(benchmark => 'large', fg => 'f7 10', repetition => 5));
my $of_large = q{FROM profiling.rollup AS r JOIN profiling.benchmark AS b USING (benchmark_id) WHERE name = 'large'};
my $sum_of_large = "SELECT r.repetitions, cardinality(r.pending), r.total, value_at(%1\$s, 'f8'), value_at(%1\$s, 'f7') $of_large";
is_deeply($db->row(sprintf $sum_of_large, 'r.flamegraph'), [ 4, 2, 7 * 12000 + 10, 1, 11 ], 'large repetitions after the first are noted, a small one is added');
is_deeply($db->row(sprintf $sum_of_large, 'profiling.summed(r.flamegraph, r.benchmark_id, r.pending)'), [ 4, 2, 7 * 12000 + 10, 7, 17 ], '... and the sum has all');
is($db->value("SELECT profiling.fold_rollups(b.benchmark_id) $of_large"), 2, 'the night adds them');
is_deeply($db->row(sprintf $sum_of_large, 'r.flamegraph'), [ 4, 0, 7 * 12000 + 10, 7, 17 ], '... once');
is_deeply($db->row("SELECT profile_count(r.stats_self), (SELECT e.mean FROM entries(r.stats_self) AS e WHERE e.key::text = 'f8'), (SELECT e.mean FROM entries(r.stats_frame) AS e WHERE e.key::text = 'f7') $of_large"),
	[ 4, 1.75, 4.25 ], '... and to the moments');

# --- rights ----------------------------------------------------------------------------------------------------------

$db->run("CREATE ROLE loader LOGIN; CREATE ROLE somebody LOGIN; SELECT profiling.grant_access('loader', 'loader')");
my $loader = Wire->connect($node, 'postgres', user => 'loader');
is($loader->sqlstate("SELECT profiling.import_profile('by loader', 'main;a 1', started_at => '2021-01-05 UTC')"), 'no error', 'a loader imports');
is($loader->query("SELECT profiling.import_profile('by loader', 'main;a 1', started_at => '2021-01-05 UTC')")->{notices}[0]{sqlstate}, '23505', 'and is told about duplicates');
is($loader->sqlstate("SELECT profiling.import_profile('by loader', 'main;a 1', started_at => '2021-01-05 UTC', repetition => 1)"), 'no error', 'adds to rollups');
my $by_loader = q{profiling.rollup AS r JOIN profiling.benchmark USING (benchmark_id) WHERE name = 'by loader'};
my $repeat = sub { is($loader->sqlstate("SELECT profiling.import_profile('by loader', 'main;a 1', started_at => '2021-01-05 UTC', repetition => $_[0])"), 'no error', 'and again') };
my $noted = "SELECT cardinality(r.pending) FROM $by_loader";
$one->run("BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('flamegraph_store fold', r.test_run_id)) FROM $by_loader");
$repeat->($_) for 2 .. 105;
is($db->value($noted), '102', 'while somebody folds them, others note more');
$db->run("SELECT profiling.fold_rollup(r.benchmark_id, r.event, r.unit, r.branch, r.test_run_id, r.pending[2 : 3]) FROM $by_loader");
is($db->value($noted), '102', 'what is not noted first is not added');
$one->run('COMMIT');
$repeat->(106);
is($db->value($noted), '1', 'nobody is at it: who comes next does it');
$repeat->($_) for 107 .. 110;
is_deeply($db->row("SELECT r.repetitions, r.total, r.flamegraph::text, profiling.summed(r.flamegraph, r.benchmark_id, r.pending)::text FROM $by_loader"),
	[ 111, 111, 'main;a 106', 'main;a 111' ], 'each is added once');
# Sums are worked out before the row is locked: what others have done to it by then stays.
my $folder = Wire->connect($node, 'postgres');
my $fold_meanwhile = sub {
	my ($change) = @_;
	$one->run('BEGIN');
	$one->run($change);
	$folder->start("SELECT profiling.fold_rollup(r.benchmark_id, r.event, r.unit, r.branch, r.test_run_id, r.pending[1 : 2]) FROM $by_loader");
	$node->poll_query_until('postgres', "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = " . $folder->pid);
	$one->run('COMMIT');
	$folder->finish;
};
my $sums = "SELECT r.repetitions, cardinality(r.pending), r.flamegraph::text, profiling.summed(r.flamegraph, r.benchmark_id, r.pending)::text FROM $by_loader";
$fold_meanwhile->(q{SELECT profiling.import_profile('by loader', 'main;a 1', started_at => '2021-01-05 UTC', repetition => 111)});
is_deeply($db->row($sums), [ 112, 4, 'main;a 108', 'main;a 112' ], 'who folds leaves what was noted meanwhile');
# as an import does that adds at once
my $add = q{UPDATE profiling.rollup AS r SET repetitions = r.repetitions %1$s 1, flamegraph = r.flamegraph %1$s 'b 1'::flamegraph FROM profiling.benchmark AS b WHERE b.benchmark_id = r.benchmark_id AND b.name = 'by loader'};
$fold_meanwhile->(sprintf $add, '+');
is_deeply($db->row($sums), [ 113, 4, "b 1\nmain;a 108", "b 1\nmain;a 112" ], 'and writes no sums over those that have got others');
$db->run(sprintf $add, '-');
is($loader->sqlstate("SELECT profiling.import_observations('by loader', '{f}', '{1}', '{2}', started_at => '2021-01-05 UTC')"), 'no error', 'it loads points');
is($loader->sqlstate('INSERT INTO profiling.observation (benchmark_id, test_run_id, location, x, y) VALUES (1, 1, $$f$$, 1, 1)'), 'no error', 'also as COPY does it');
# Neither profiles nor sums are for loaders to read or to change; numbers come from the sequences.
my $sums_before = $db->value('SELECT md5(string_agg(r::text, $$ $$ ORDER BY r::text)) FROM profiling.rollup AS r');
is($loader->sqlstate($_), '42501', "but may not: $_")
  for 'SELECT flamegraph FROM profiling.profile_full', 'SELECT flamegraph FROM profiling.profile_data', 'SELECT total FROM profiling.rollup', 'SELECT flamegraph FROM profiling.latest_profile',
  q{UPDATE profiling.rollup SET total = 'nan', run_ids = '{}', pending = '{999999}', repetitions = 2}, q{INSERT INTO profiling.rollup SELECT 1}, 'DELETE FROM profiling.rollup',
  q{INSERT INTO profiling.profile_data VALUES (1, 1, now(), 'a 1')}, q{UPDATE profiling.profile SET total = 1}, 'INSERT INTO profiling.profile (benchmark_id) VALUES (1)',
  q{INSERT INTO profiling.benchmark (benchmark_id, name, parameters_id) OVERRIDING SYSTEM VALUE VALUES (1000000, 'x', md5('{}')::uuid)},
  q{INSERT INTO profiling.test_run (test_run_id, started_at, labels_id) OVERRIDING SYSTEM VALUE VALUES (1000000, '2021-01-05', md5('{}')::uuid)},
  q{INSERT INTO profiling.observation (benchmark_id, observation_id, test_run_id, location, x, y) OVERRIDING SYSTEM VALUE VALUES (1, 1000000, 1, 'f', 1, 1)},
  q{SELECT setval('profiling.profile_profile_id_seq', 1)}, q{SELECT nextval('profiling.profile_profile_id_seq')}, 'SELECT profiling.fold_rollups(1)',
  'DELETE FROM profiling.profile', 'CALL profiling.prune()', 'CALL profiling.maintain()', q{SELECT profiling.add_partition('2021-01-01')}, 'SELECT * FROM profiling.regression', 'TRUNCATE profiling.rollup';
is($db->value('SELECT md5(string_agg(r::text, $$ $$ ORDER BY r::text)) FROM profiling.rollup AS r'), $sums_before, 'no sum has changed');

# The function that import calls with the rights of the owner: a profile is new or left alone, and nothing that is said beside
# the profile is believed where the store knows better.
my $again = $loader->query('SELECT profiling.store_profile(p, $$main;a 5$$, NULL) = p.profile_id FROM profiling.profile AS p JOIN profiling.benchmark USING (benchmark_id) WHERE name = $$by loader$$ AND repetition = 1');
is($again->{rows}[0][0] . $again->{notices}[0]{sqlstate}, 't23505', 'a profile is not added twice');
is($db->value('SELECT md5(string_agg(r::text, $$ $$ ORDER BY r::text)) FROM profiling.rollup AS r'), $sums_before, 'and its sum stays');
my $lie = "SELECT profiling.store_profile(jsonb_populate_record(p, '%s'), 'main;a 5', NULL) FROM profiling.profile AS p JOIN profiling.benchmark USING (benchmark_id) WHERE name = 'by loader' AND repetition = 1";
is($loader->sqlstate(sprintf $lie, '{"repetition": 1000, "total": 99, "nodes": 99, "frames": 99, "truncated_share": 1, "labels": {"a": 1}, "profile_id": 1}'), 'no error', 'one that it makes up is as good as an import of it');
is_deeply($db->row('SELECT total, nodes, frames, truncated_share, labels::text, profile_id > 1 FROM profiling.profile WHERE repetition = 1000'), [ 5, 2, 2, 0, '{}', 't' ], 'what follows from the profile and its run is not believed');
is($loader->sqlstate(sprintf $lie, $_->[0]), $_->[1], "refused: $_->[0]")
  for [ '{"repetition": 1001, "benchmark_id": -1}', '23503' ], [ '{"repetition": 1001, "test_run_id": -1}', '23503' ], [ '{"repetition": 1001, "recorded_at": "9999-01-01"}', '22008' ],
  [ '{"repetition": 1001, "recorded_at": null}', '23502' ], [ '{"repetition": 1001, "event": ""}', '23514' ];
is($loader->sqlstate(($lie =~ s/'main;a 5'/NULL/r) =~ s/%s/{}/r), '22004', 'refused: no profile');
my $samples = "SELECT profiling.store_profile(jsonb_populate_record(p, '{\"repetition\": %s, \"period\": %s}'), 'main;a 5', NULL, %s, %s) FROM profiling.profile AS p JOIN profiling.benchmark USING (benchmark_id) WHERE name = 'by loader' AND repetition = 1";
is($loader->sqlstate(sprintf $samples, 1001, 'null', $_->[0], $_->[1]), $_->[2], "refused: samples $_->[0], noise $_->[1]")
  for [ q('main;a 1'), 'NULL', '22004' ], [ 'NULL', q('main;a 25'), '22004' ], [ q('main;a -1'), q('main;a 25'), '22023' ], [ q('main;a 1'), q(E'main;a 26\nb -1'), '22023' ],
  [ q('main;b 1'), q('main;a 25'), '22023' ], [ q('main;a 1'), q('main;a 1'), '22023' ], [ q('main;a 2'), q('main;a 26'), '22023' ], [ q('main;a 1'), q('main;a 1e300'), '22003' ], [ q(''), q(''), '22023' ];
# A period that is no period says nothing, and breaks nothing.
for my $period ('1e-300', '1e300')
{
	is($loader->sqlstate(sprintf $samples, 1002 + length $period, $period, 'NULL', 'NULL'), 'no error', "a period of $period");
}
is($db->value("SELECT count(*) FROM profiling.rollup AS r JOIN profiling.benchmark USING (benchmark_id) WHERE name = 'by loader' AND profiling.summed_noise(r.flamegraph, r.period, r.noise, r.benchmark_id, r.pending) IS NULL"),
	1, 'is none');
# A run that somebody has inserted by hand is looked at, too.
is($loader->sqlstate("INSERT INTO profiling.test_run (started_at, labels_id) VALUES ('9999-01-01 UTC', md5('{}')::uuid)"), 'no error', 'a run of the future');
is($loader->sqlstate(sprintf $lie, '{"repetition": 1001, "test_run_id": ' . $db->value("SELECT test_run_id FROM profiling.test_run WHERE started_at = '9999-01-01 UTC'") . '}'), '22008', 'gets no profiles');
is_deeply([ map { join ' ', @$_ } @{ $db->rows("SELECT DISTINCT problem, table_name, split_part(detail, ' ', 1) FROM profiling.check(true) WHERE table_name <> 'observation' ORDER BY 1") } ],
	[ 'of the future test_run started_at', 'wrong copy profile content_id' ], 'check() shows it, and the profile with the hash of another');
$db->run("DELETE FROM profiling.test_run WHERE started_at = '9999-01-01 UTC'; DELETE FROM profiling.observation");
for my $access ('reader', 'admin')
{
	$db->run("CREATE ROLE $access LOGIN; SELECT profiling.grant_access('$access', '$access')");
	my $connection = Wire->connect($node, 'postgres', user => $access);
	is($connection->sqlstate(sprintf $lie, "{\"repetition\": 2000}"), $access eq 'admin' ? 'no error' : '42501', "store_profile() by a role with access $access");
	is($connection->sqlstate("SELECT profiling.import_profile('by $access', 'main;a 1', started_at => '2021-01-05 UTC')"), $access eq 'admin' ? 'no error' : '42501', 'and an import');
	$connection->close;
}
$db->run("SELECT profiling.revoke_access(r) FROM unnest('{reader,admin}'::name[]) AS r; DROP ROLE reader, admin");
is($db->sqlstate('DROP ROLE loader'), '2BP01', 'a role with access cannot be dropped');
is($db->value('SELECT count(*) > 0 FROM profiling.profile_full'), 't', 'nothing was harmed');
$loader->close;
my $somebody = Wire->connect($node, 'postgres', user => 'somebody');
is($somebody->sqlstate($_), '42501', "who has no rights may not: $_")
  for 'SELECT 1 FROM profiling.benchmark', "SELECT profiling.import_profile('b', 'main;a 1')", 'SELECT * FROM profiling.storage', 'SELECT profiling.check()', 'CALL profiling.prune()';
$somebody->close;

# --- logical replication of profile ----------------------------------------------------------------------------------

my $second = PostgreSQL::Test::Cluster->new('second');
$second->init;
$second->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\n");
$second->start;
my $there = Wire->connect($second, 'postgres');
Store::create($there);
$db->run('CREATE PUBLICATION profiles FOR TABLE profiling.profile');
$db->run('CREATE PUBLICATION contents FOR TABLE profiling.rollup');
my $conninfo = $node->connstr . ' dbname=postgres';
$there->run('CREATE SUBSCRIPTION profiles CONNECTION ' . Wire::literal($conninfo) . ' PUBLICATION profiles, contents');
$second->wait_for_subscription_sync($node, 'profiles') if $second->can('wait_for_subscription_sync');
my $all = 'SELECT count(*), md5(string_agg(p::text, $$ $$ ORDER BY profile_id)), '
  . '(SELECT md5(string_agg(r::text, $$ $$ ORDER BY benchmark_id, event, test_run_id)) FROM profiling.rollup AS r) FROM profiling.profile AS p';
sub same_there
{
	my ($what) = @_;
	my $until = time + 600;
	my $here = join ' ', @{ $db->row($all) };
	sleep 0.1 while time < $until && $here ne join ' ', map { $_ // '' } @{ $there->row($all) };
	is(join(' ', map { $_ // '' } @{ $there->row($all) }), $here, $what);
	return;
}
same_there('replication: what was there');
$db->run(import_sql(benchmark => 'replicated', fg => 'main;a 1', labels => '{"a": "b"}', metric => 1.5));
same_there('replication: what comes');
$db->run('UPDATE profiling.watch SET enabled = false');
$db->run("CALL profiling.prune('0 days', 1)");
cmp_ok($db->value('SELECT count(*) FROM profiling.profile'), '<', 400, 'most are pruned');
same_there('replication: what goes');
$there->run('DROP SUBSCRIPTION profiles');
$there->close;
$second->stop;

$_->close for $one, $two, $db;
$node->stop;
done_testing();
