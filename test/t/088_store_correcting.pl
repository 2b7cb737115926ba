# Corrections while the store is at work: findings of runs that are taken away, loaders and corrections at the same time,
# who may correct, and what DROP EXTENSION leaves.
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
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\ndeadlock_timeout = '100ms'\nmax_connections = 40\n");
$node->start;
my $dir = PostgreSQL::Test::Utils::tempdir();
my $db = Wire->connect($node, 'postgres');
Store::create($db);
$db->run($Store::uniform);
$db->run(<<'SQL');
-- A night's run of a benchmark, one function of which can be slower.
CREATE FUNCTION night(benchmark text, n int, slow float8 DEFAULT 1) RETURNS bigint LANGUAGE sql AS $$
	SELECT profiling.import_flamegraph(benchmark, format(E'main;f %s\nmain;g %s\nmain;h 500', round(1000 * slow + 20 * uniform(benchmark, n)), round(800 + 20 * uniform(benchmark || 'g', n)))::flamegraph,
		started_at => timestamptz '2026-01-01 UTC' + n * interval '1 day', branch => 'main', commit => 'commit' || n, labels => jsonb_build_object('of', benchmark))
$$;
CREATE FUNCTION run_of(benchmark text, n int) RETURNS bigint LANGUAGE sql AS $$
	SELECT test_run_id FROM profiling.test_run WHERE commit = 'commit' || n AND labels = jsonb_build_object('of', benchmark)
$$;
SQL

sub nothing_wrong
{
	my ($what) = @_;
	is_deeply([ map { join ' ', map { $_ // '' } @$_ } @{ $db->rows('SELECT * FROM profiling.check(deep => true)') } ], [], "$what: nothing is wrong");
	return;
}

# --- findings -----------------------------------------------------------------------------------------------------------

sub nights { my ($benchmark, $slow, @n) = @_; for my $n (@n) { $db->run("SELECT night('$benchmark', $n, $slow)"); $db->run('CALL profiling.watch_run()'); } return; }
sub delete_nights { my ($benchmark, @n) = @_; return join ' ', map { $db->row("SELECT (profiling.delete_run(run_of('$benchmark', $_))).findings")->[0] } @n; }
sub findings
{
	my ($benchmark, @expected) = @_;
	my $what = pop @expected;
	is_deeply([ map { join ' ', @$_ } @{ $db->rows(<<"SQL") } ], \@expected, $what);
SELECT f.subject, f.status, f.closed_at IS NULL, a.commit, z.commit FROM profiling.regression AS f JOIN profiling.benchmark AS b USING (benchmark_id)
	JOIN profiling.test_run AS a ON a.test_run_id = f.first_test_run_id JOIN profiling.test_run AS z ON z.test_run_id = f.last_test_run_id
WHERE b.name = '$benchmark' ORDER BY f.regression_id
SQL
	return;
}

nights($_, 1, 1 .. 12) for 'once', 'slower', 'closed', 'kept';
findings($_, 'quiet so far') for 'once', 'slower', 'closed', 'kept';

nights('once', 5, 13);
findings('once', 'f open t commit13 commit13', 'a wrong run is a finding');
is(delete_nights('once', 13), 1, 'delete_run: it goes');
findings('once', 'with its run');
$db->run('CALL profiling.watch_run()');
nights('once', 1, 14);
findings('once', 'and does not come again');

nights('slower', 3, 13 .. 15);
findings('slower', 'f open t commit13 commit15', 'a change that stays');
is(delete_nights('slower', 13), 0, 'without its first run');
findings('slower', 'f open t commit14 commit15', 'it begins with the next one');
is(delete_nights('slower', 15), 0, 'without its last run');
findings('slower', 'f open t commit14 commit14', 'it ends with the one before');
is($db->value(q(SELECT count(*) FROM profiling.rollup AS r JOIN profiling.benchmark AS b USING (benchmark_id) WHERE b.name = 'slower' AND checked_at IS NULL AND r.test_run_id = run_of('slower', 14))), 1, 'which is compared again');
$db->run('CALL profiling.watch_run()');
findings('slower', 'f open t commit14 commit14', 'and has it still');
is($db->value(q(SELECT actual = frame_total(r.flamegraph, 'f') FROM profiling.regression AS f JOIN profiling.benchmark AS b USING (benchmark_id) JOIN profiling.rollup AS r ON r.benchmark_id = f.benchmark_id AND r.test_run_id = f.last_test_run_id WHERE b.name = 'slower')),
	't', 'with the value of that run');
is(delete_nights('slower', 14), 1, 'without any');
findings('slower', 'there is none');

nights('closed', 3, 13, 14);
nights('closed', 1, 15);
findings('closed', 'f resolved f commit13 commit14', 'a run of the old program closes it');
is(delete_nights('closed', 15), 0, 'that run goes');
findings('closed', 'f open t commit13 commit14', 'and it is open again');
$db->run('CALL profiling.watch_run()');
findings('closed', 'f open t commit13 commit14', 'also for the night');
nights('closed', 1, 16);
findings('closed', 'f resolved f commit13 commit14', 'until it is really gone');

# Models: the run in which one changed, and the next one.
$db->run(q{INSERT INTO profiling.watch (benchmark, method, level) VALUES ('points', 'integral', 'location')});
sub points { my ($n, $slope) = @_; $db->run("SELECT profiling.import_observations('points', '{f,f,f,f,f}', '{1,2,3,4,5}', ARRAY(SELECT $slope * x FROM generate_series(1, 5) AS x)::float8[], started_at => timestamptz '2026-01-01 UTC' + $n * interval '1 day', branch => 'main', commit => 'commit$n', labels => '{\"of\": \"points\"}', unit => 'ms')"); $db->run('CALL profiling.watch_run()'); return; }
points(@$_) for [ 1, 1 ], [ 2, 1 ], [ 3, 4 ], [ 4, 4 ];
findings('points', 'f open t commit3 commit4', 'a change of a model');
is($db->value('SELECT (profiling.delete_run(run_of($$points$$, 3))).observations'), 5, 'its first run goes');
findings('points', 'f open t commit4 commit4', 'it begins with the next one');
is($db->value('SELECT (profiling.delete_run(run_of($$points$$, 4))).models'), 0, 'whose models were to be fitted again');
findings('points', 'and without that there is none');
$db->run('CALL profiling.watch_run()');
is($db->value(q(SELECT string_agg(DISTINCT t.commit, ' ' ORDER BY t.commit) FROM profiling.fitted_model JOIN profiling.test_run AS t USING (test_run_id))), 'commit1 commit2', 'models of the others are there');
nothing_wrong('findings');

# Two benchmarks with an open finding each become one.
nights('kept', 3, 13, 14);
nights('twin', 1, 1 .. 12);
nights('twin', 3, 13);
sub number { return $db->value("SELECT benchmark_id FROM profiling.benchmark WHERE name = '$_[0]'"); }
$db->run("SELECT profiling.merge_benchmarks(" . number('twin') . ', ' . number('kept') . ')');
findings('kept', 'f open t commit13 commit14', 'merged: one of two findings');
$db->run('CALL profiling.watch_run()');
is($db->value(q(SELECT count(*) FROM profiling.job_log WHERE outcome = 'failed')), 0, 'no night has failed');
nothing_wrong('merged');

# --- at the same time ---------------------------------------------------------------------------------------------------

my ($one, $two) = map { Wire->connect($node, 'postgres') } 1, 2;

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

# The first in a transaction, the second waits for its end; what the second returns.
sub after
{
	my ($first, $second, $what) = @_;
	$one->run('BEGIN');
	$one->run($first);
	$two->start($second);
	ok(waits($two), "$what: waits");
	$one->run('COMMIT');
	my $result = $two->finish;
	ok(!$result->{error}, "$what: and gets on") or diag($result->{error}{message});
	nothing_wrong($what);
	return $result;
}

sub import_sql { my ($name, $more) = @_; return "SELECT profiling.import_flamegraph('$name', 'main;a 1', started_at => '2026-03-01 UTC', branch => 'b'" . ($more // '') . ')'; }
sub busy_run { return $db->value(q(SELECT test_run_id FROM profiling.test_run WHERE branch = 'b')); }
$db->run(import_sql('busy'));
my $result = after(import_sql('busy', ', repetition => 1'), 'SELECT (profiling.delete_run(' . busy_run() . ')).profiles', 'delete_run after an import');
is($result->{rows}[0][0], 2, 'what was loaded meanwhile goes, too');
$db->run(import_sql('busy'));
$result = after('SELECT profiling.delete_run(' . busy_run() . ')', import_sql('busy'), 'an import after delete_run');
is($db->value(q(SELECT count(*) FROM profiling.profile JOIN profiling.test_run AS t USING (test_run_id) WHERE t.branch = 'b')), 1, 'makes the run anew');
$result = after(q{SELECT profiling.import_observations('busy', '{f}', '{1}', '{2}', started_at => '2026-03-01 UTC', branch => 'b')}, q{SELECT (profiling.delete_benchmark('busy')).observations}, 'delete_benchmark after points');
is($result->{rows}[0][0], 1, 'points that came meanwhile go, too');
$db->run(import_sql('busy'));
after(q{SELECT profiling.delete_benchmark('busy')}, q{SELECT profiling.import_observations('busy', '{f}', '{1}', '{2}', started_at => '2026-03-01 UTC', branch => 'b')}, 'points after delete_benchmark');
$result = after(q{SELECT profiling.rename_benchmark('busy', 'bee')}, import_sql('busy'), 'an import after rename_benchmark');
is($result->{notices}[0]{message}, 'benchmark "busy" is called "bee" now', 'goes to the new name');
$db->run(import_sql('wasp', ', repetition => 1'));
$result = after('SELECT profiling.merge_benchmarks(' . number('wasp') . ', ' . number('bee') . ')', import_sql('wasp', ', repetition => 2'), 'an import after merge_benchmarks');
is($db->value(q(SELECT repetitions FROM profiling.rollup JOIN profiling.benchmark USING (benchmark_id) WHERE name = 'bee')), 3, 'goes to the other one');
$db->run('CALL profiling.watch_run()');
after(q{SELECT profiling.rename_benchmark('bee', 'hornet')}, 'CALL profiling.watch_run()', 'the end of a night in which nothing was compared');
after(q{SELECT profiling.rename_benchmark('hornet', 'bee')}, 'CALL profiling.watch_run()', 'and of the next one');
after(q{SELECT profiling.watch_benchmark('bee')}, 'SELECT profiling.delete_run(' . busy_run() . ')', 'delete_run after the night');
$db->run(import_sql('bee'));

# A transaction that sees an older state
$one->run('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM profiling.test_run');
$db->run('SELECT profiling.delete_run(' . busy_run() . ')');
is($one->sqlstate(import_sql('bee', ', repetition => 7')), '40001', 'repeatable read: an import into a run that is gone fails, to be tried again');
$one->run('ROLLBACK');
nothing_wrong('repeatable read');
is($one->sqlstate(q{BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT profiling.delete_branch('b')}), '0A000', 'a correction is not made there');
$one->run('ROLLBACK');

# Loaders that know the benchmark by three names, while it is renamed, merged and cleaned: until there were enough corrections,
# however slow the machine is.
my $enough = "$dir/enough";
sub loader
{
	my ($name, $seed) = @_;
	my $pid = fork // die $!;
	return $pid if $pid;
	eval {
		open my $out, '>', "$dir/$name" or die $!;
		$out->autoflush(1);
		my $connection = Wire->connect($node, 'postgres');
		srand $seed;
		my @shuffled = map { $_->[0] } sort { $a->[1] <=> $b->[1] } map { [ $_, rand ] } 1 .. 150;
		for (my $at = 0; $at < @shuffled || !-e $enough; $at++)
		{
			my $n = $shuffled[$at] // $at + 1;
			my $benchmark = (qw(red green blue))[ int rand 3 ];
			my $run = $n % 6;
			my $loaded = $connection->query("SELECT profiling.import_flamegraph('$benchmark', 'main;f$n $n', started_at => timestamptz '2026-05-01 UTC' + make_interval(days => $run), branch => 'busy' || $run % 2, repetition => $n, metric => $n)");
			print $out ($loaded->{error} ? "$loaded->{error}{sqlstate} $loaded->{error}{message}" : 'ok') . "\n";
		}
		1;
	} or append_to_file("$dir/$name", "died: $@\n");
	POSIX::_exit(0);
}
my @pids = map { loader("loader$_", $_) } 1 .. 3;
my ($kids, $corrections, %failed) = (scalar @pids, 0);
while ($kids)
{
	for my $sql (
		q{SELECT profiling.rename_benchmark('red', 'green')}, q{SELECT profiling.rename_benchmark('blue', 'red')},
		q{SELECT profiling.merge_benchmarks(a.benchmark_id, b.benchmark_id) FROM profiling.benchmark AS a, profiling.benchmark AS b WHERE a.name = 'red' AND b.name = 'green'},
		q{SELECT profiling.delete_run((SELECT min(test_run_id) FROM profiling.test_run WHERE branch = 'busy0'))}, q{SELECT profiling.delete_branch('busy1', 'green')},
		q{DELETE FROM profiling.benchmark_alias WHERE name IN ('red', 'green', 'blue')}, q{SELECT profiling.watch_benchmark(benchmark_id) FROM profiling.benchmark WHERE name = 'green'}, q{SELECT profiling.merge_rollups(benchmark_id, '0 days', 0) FROM profiling.benchmark})
	{
		my $done = $db->query($sql);
		$corrections++ unless $done->{error};
		# A branch that no loader has come to, or that was just deleted, is told as a wrong word is.
		push @{ $failed{ $done->{error}{sqlstate} } }, "$done->{error}{message}: $sql" if $done->{error} && $done->{error}{message} !~ /^no run of branch "busy1" was found/;
	}
	append_to_file($enough, '') if $corrections > 10;
	for my $pid (@pids) { $kids-- if waitpid($pid, POSIX::WNOHANG()) == $pid; }
}
note "$corrections corrections at the same time";
delete @failed{qw(P0002 23505 55000)};
is_deeply(\%failed, {}, 'but for names and runs that are not there they fail never') or diag explain \%failed;
my @loaded = map { split /\n/, slurp_file("$dir/loader$_") } 1 .. 3;
cmp_ok(scalar @loaded, '>=', 450, @loaded . ' imports');
is_deeply([ grep { $_ ne 'ok' } @loaded ], [], 'and no loader does');
is_deeply([ grep { !/alias/ } map { join ' ', map { $_ // '' } @$_ } @{ $db->rows('SELECT * FROM profiling.check(deep => true)') } ], [], 'and nothing is wrong');

# --- rights -------------------------------------------------------------------------------------------------------------

$db->run("DELETE FROM profiling.benchmark_alias; CREATE ROLE $_ LOGIN; SELECT profiling.grant_access('$_', '$_')") for qw(reader loader admin);
$db->run(q(SELECT night('mine', n), night('yours', n) FROM generate_series(1, 3) AS n));
my @calls = (q{SELECT profiling.delete_run(run_of('mine', 1))}, q{SELECT profiling.delete_branch('main', 'mine')}, q{SELECT profiling.rename_benchmark('yours', 'ours')},
	'SELECT profiling.merge_benchmarks(' . number('mine') . ', ' . number('yours') . ')', q{SELECT profiling.delete_benchmark('ours')});
for my $access ('reader', 'loader')
{
	my $connection = Wire->connect($node, 'postgres', user => $access);
	my @said = map { $connection->query($_)->{error} } map { s/run_of\('mine', 1\)/1/r } @calls;
	is_deeply([ map { $_->{sqlstate} } @said ], [ ('42501') x 5 ], "$access: may not correct");
	is_deeply([ grep { $_->{message} !~ /^\w+\(\) needs access "admin"/ || $_->{hint} !~ /grant_access\('?$access'?, 'admin'\)/ } @said ], [], 'and is told what it takes');
	$connection->close;
}
my $admin = Wire->connect($node, 'postgres', user => 'admin');
is($admin->sqlstate($_), 'no error', "admin: $_") for @calls;
my $loader = Wire->connect($node, 'postgres', user => 'loader');
$admin->run(q{SELECT profiling.rename_benchmark('closed', 'open')});
$result = $loader->query(import_sql('closed'));
is(($result->{error}{message} // '') . $result->{notices}[0]{message}, 'benchmark "closed" is called "open" now', 'a loader finds the new name');
nothing_wrong('rights');
$_->close for $admin, $loader;

# --- the end of a store -------------------------------------------------------------------------------------------------

$_->close for $one, $two;
$db->run(q(SELECT profiling.add_partition('2026-01-01')));
$db->run('CREATE TABLE mine (profile flamegraph)');
$db->run(q(INSERT INTO mine SELECT flamegraph FROM profiling.profile_data LIMIT 3));
my $mine = $db->rows('SELECT profile::text FROM mine ORDER BY 1');
is($db->sqlstate('DROP EXTENSION flamegraph'), '2BP01', 'flamegraph is not dropped while the store is there');
is($db->sqlstate('DROP EXTENSION flamegraph_store'), 'no error', 'the store is dropped without asking, with a partition that was made later');
is_deeply($db->rows(q(SELECT relname FROM pg_class WHERE relnamespace = 'profiling'::regnamespace)), [], 'with all data; the schema stays, empty');
$db->run('CREATE EXTENSION flamegraph_store');
is($db->value('SELECT count(*) FROM profiling.profile'), 0, 'a new store can be made in it');
$db->run('DROP EXTENSION flamegraph_store; DROP SCHEMA profiling');
$db->run("DROP ROLE $_") for qw(reader loader admin);
is($db->sqlstate('DROP EXTENSION flamegraph'), '2BP01', 'flamegraph is not dropped while a table has a column of its types');
$db->run('ALTER TABLE mine ALTER COLUMN profile TYPE text; DROP EXTENSION flamegraph');
is_deeply($db->rows('SELECT profile FROM mine ORDER BY 1'), $mine, 'as text the column stays');
$db->run('CREATE EXTENSION flamegraph; ALTER TABLE mine ALTER COLUMN profile TYPE flamegraph USING profile::flamegraph');
is_deeply($db->rows('SELECT profile::text FROM mine ORDER BY 1'), $mine, 'and becomes a profile again without loss');

$db->close;
$node->stop;
done_testing();
