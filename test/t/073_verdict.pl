# flamegraph-load --wait-verdict: the gate of a job of CI in one command. Who may compare does so at once, who may not
# waits for watch_run(); what is printed is what profiling.verdict() says of the commit, and the exit status goes by it.
use strict;
use warnings;

use FindBin;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

use lib $FindBin::RealBin;
use Wire;

my $dir = PostgreSQL::Test::Utils::tempdir();

sub load_is
{
	my ($arguments, $status, $out, $err, $name) = @_;
	my ($said, $warned) = ('', '');
	IPC::Run::run([ 'flamegraph-load', @$arguments ], '<', \undef, '>', \$said, '2>', \$warned);
	is($? >> 8, $status, "$name: exit status") or diag("$said$warned");
	like($said, $out, "$name: output");
	like($warned, $err, "$name: errors");
	return;
}

{
	local $ENV{PGHOST} = "$dir/no_server";
	my @b = ('--benchmark', 'b', 'f');
	load_is([ '--wait-verdict', @b ], 2, qr/^$/, qr/--wait-verdict needs --commit/, 'no commit');
	load_is([ '--wait-verdict', '--commit', '', @b ], 2, qr/^$/, qr/--commit must not be empty/, 'an empty commit');
	load_is([ '--wait-verdict', '--commit', 'c', '-n', @b ], 2, qr/^$/, qr/cannot be given with --dry-run/, 'a dry run');
	load_is([ '--wait-verdict=soon', '--commit', 'c', @b ], 2, qr/^$/, qr/--wait-verdict must be a whole number/, 'no number');
}

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
if (!$node->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'flamegraph_store'"))
{
	$node->stop;
	done_testing();
	exit;
}
$ENV{PGHOST} = $node->host;
$ENV{PGPORT} = $node->port;
$ENV{PGDATABASE} = 'postgres';
$node->safe_psql('postgres', <<'SQL');
CREATE EXTENSION flamegraph_store CASCADE;
CREATE ROLE loads LOGIN;
CREATE ROLE asks LOGIN;
CREATE ROLE compares LOGIN;
SELECT profiling.grant_access('loads', 'loader'), profiling.grant_access('asks', 'loader'), profiling.grant_access('asks', 'reader'),
	profiling.grant_access('compares', 'admin');
SQL
my $db = Wire->connect($node, 'postgres');

# The arguments for a run of a benchmark on a day: two files, in which f has this value; in the second one a little more.
sub run_of
{
	my ($benchmark, $day, $f, @more) = @_;
	my @files;
	for my $i (0, 1)
	{
		push @files, "$dir/$day-$f-$i.folded";
		open my $out, '>', $files[-1] or die $!;
		printf $out "main;f %d\nmain;g %d\nmain 50\n", $f + 3 * $i + $day % 2, 200 - $i;
		close $out;
	}
	return ('--benchmark', $benchmark, '--run', sprintf('2026-01-%02d 02:00 UTC', $day), '--commit', sprintf('%07d', $day), '--branch', 'main', '--repetition', 'auto',
		@more, @files);
}

# Three runs of a benchmark that were compared.
sub history_of
{
	my ($benchmark) = @_;
	for my $day (1 .. 3)
	{
		load_is([ run_of($benchmark, $day, 100) ], 0, qr/^loaded 2/, qr/^$/, "$benchmark, day $day");
	}
	$db->run('CALL profiling.watch_run()');
	return;
}

# --- compared at once ------------------------------------------------------------------------------------------------------

my @w = ('-U', 'compares', '--wait-verdict');
load_is([ @w, run_of('p%e', 1, 100) ], 4, qr/^loaded 2 files .*\np%e, cpu: not_examined: too little history: 0 runs .*\n$/, qr/^$/, 'the first run');
load_is([ @w, run_of('p%e', 2, 100) ], 4, qr/^loaded 2 files .*\np%e, cpu: not_examined: too little history: 1 run .*\n$/, qr/^$/, 'the second run');
load_is([ @w, run_of('p%e', 3, 100) ], 4, qr/^loaded 2 files .*\np%e, cpu: not_examined: too little history: 2 runs .*\n$/, qr/^$/, 'the third run');
load_is([ @w, run_of('p%e', 4, 100) ], 0, qr/^loaded 2 files .*\np%e, cpu: ok: compared with 3 runs before it\n$/, qr/^$/, 'the fourth run');
load_is([ @w, run_of('p%e', 4, 100) ], 0, qr/^loaded 0 files .*in the store already: 2 files.*\np%e, cpu: ok: /, qr/^$/, 'once more');
load_is([ @w, '-q', run_of('p%e', 4, 100) ], 0, qr/^$/, qr/^$/, 'quiet');
# a name that the other one matches as a pattern, and a branch, of the same commit
load_is([ @w, run_of('pxe', 4, 100) ], 4, qr/\npxe, cpu: not_examined: too little history: 0 runs/, qr/^$/, 'another benchmark');
load_is([ @w, run_of('p%e', 4, 100, '--branch', 'dev') ], 4, qr/\np%e, cpu: not_examined: [^\n]*\n$/, qr/^$/, 'another branch');
load_is([ @w, run_of('p%e', 4, 100) ], 0, qr/failed: 0\np%e, cpu: ok: [^\n]*\n$/, qr/^$/, 'are not mixed up with it');
load_is([ @w, run_of('p%e', 5, 300) ], 3, qr/\np%e, cpu: regressed: (?:the worst: )?frame "f" \+\d+ % \(deviation\)\n$/, qr/^$/, 'a slower run');
load_is([ @w, '-q', run_of('p%e', 5, 300) ], 3, qr/^p%e, cpu: regressed: [^\n]*\n$/, qr/^$/, 'quiet, with a finding');
load_is([ @w, run_of('broken', 6, 300), "$dir/nowhere" ], 1, qr/failed: 1\n$/, qr/nowhere: No such file/, 'a file that fails: there is no verdict');

# The comparison fails: that is told, and not called good.
$db->run(<<'SQL');
CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no room' USING HINT = 'buy some'; END $$
SQL
my $refuse = 'CREATE TRIGGER refuse BEFORE INSERT ON profiling.regression FOR EACH ROW EXECUTE FUNCTION public.refuse()';
history_of('fails');
$db->run($refuse);
load_is([ @w, run_of('fails', 4, 300) ], 4, qr/\nfails, cpu: not_examined: .*\n$/, qr/^flamegraph-load: the comparison failed: ERROR:  no room HINT:  buy some$/m,
	'a comparison that fails');
$db->run('DROP TRIGGER refuse ON profiling.regression');
load_is([ @w, run_of('fails', 4, 300) ], 3, qr/regressed/, qr/^$/, 'the next time it does not');

# CI goes on with a name that the store does not have any more.
$db->run("SELECT profiling.rename_benchmark('fails', 'new name')");
load_is([ @w, run_of('fails', 5, 100) ], 0, qr/\nnew name, cpu: ok: /, qr/: NOTICE:  .*new name/, 'a benchmark that was renamed');

# --- somebody else compares ------------------------------------------------------------------------------------------------

load_is([ '-U', 'loads', '--wait-verdict', run_of('w', 1, 100) ], 1, qr/^$/,
	qr/--wait-verdict needs access "reader", too; .* SELECT profiling\.grant_access\('loads', 'reader'\)$/, 'a loader that may not ask');
is($db->value("SELECT count(*) FROM profiling.benchmark WHERE name = 'w'"), 0, 'has loaded nothing');
history_of('w');
{
	my $begin = time;
	load_is([ '-U', 'asks', '--wait-verdict=1', run_of('w', 4, 100) ], 4, qr/\nw, cpu: not_examined: watch_run\(\) was not called since it was loaded\n$/,
		qr/^flamegraph-load: waiting 1 s at most for a comparison, profiling\.watch_run\(\)\n$/, 'nobody compares');
	cmp_ok(time - $begin, '>=', 1, 'after a second');
}
load_is([ '-U', 'asks', '--wait-verdict=0', run_of('w', 4, 100) ], 4, qr/\nw, cpu: not_examined: watch_run/, qr/^$/, 'without waiting');
$db->run('CALL profiling.watch_run()');

# Starts to wait, and lets the rest be done meanwhile; status and what was printed.
sub while_waiting
{
	my ($do, @arguments) = @_;
	my ($said, $warned) = ('', '');
	my $end = IPC::Run::timeout(180);
	my $loader = IPC::Run::start([ 'flamegraph-load', '-U', 'asks', '--wait-verdict=120', @arguments ], '>', \$said, '2>', \$warned, $end);
	$loader->pump until $warned =~ /waiting/;
	$do->();
	$loader->finish;
	return ($loader->result || 0, $said);
}

{
	my ($status, $said) = while_waiting(sub { $db->run('CALL profiling.watch_run()') }, run_of('w', 5, 400));
	is($status, 3, 'compared while it waited: exit status') or diag($said);
	like($said, qr/\nw, cpu: regressed: /, 'compared while it waited');
	history_of('wf');
	$db->run($refuse);
	($status, $said) = while_waiting(sub { $db->run('CALL profiling.watch_run()') }, run_of('wf', 4, 400));
	is($status, 4, 'the comparison failed while it waited: exit status') or diag($said);
	like($said, qr/\nwf, cpu: not_examined: the comparison failed: .*no room/, 'the comparison failed while it waited');
	$db->run('DROP TRIGGER refuse ON profiling.regression');
}

# The server is restarted meanwhile.
history_of('wr');
{
	my ($status, $said) = while_waiting(sub {
		$db->close;
		$node->restart;
		$db = Wire->connect($node, 'postgres');
		$db->run('CALL profiling.watch_run()');
	}, run_of('wr', 4, 400));
	is($status, 3, 'a server that was restarted: exit status') or diag($said);
	like($said, qr/\nwr, cpu: regressed: /, 'a server that was restarted');
}

$db->close;
$node->stop;
done_testing();
