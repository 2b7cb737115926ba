# schedule() with the real pg_cron: the job runs by itself, in a background worker, and writes findings. Takes up to a
# minute, because that is as often as pg_cron looks. Without pg_cron: an error that says what to put into a crontab.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Store;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\nmax_worker_processes = 16\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
Store::create($db);

# --- without pg_cron -------------------------------------------------------------------------------------------------

my $error = $db->query('SELECT * FROM profiling.schedule()')->{error};
is($error->{sqlstate}, '0A000', 'without pg_cron schedule() is an error');
like($error->{hint}, qr/crontab line: 15 2 \* \* \* psql -d 'postgres' -c 'CALL profiling\.maintain\(\)' -c 'CALL profiling\.watch_run\(\)' -c 'CALL profiling\.prune\(\)'/,
	'that says what to put into a crontab');
like($db->query(q{SELECT * FROM profiling.schedule('0 4 * * *')})->{error}{hint}, qr/crontab line: 0 4 \* \* \* psql/, 'at the time that was asked for');
is($db->sqlstate('SELECT profiling.unschedule()'), '0A000', 'and so is unschedule()');

# The crontab's line, without its times.
my ($line) = $error->{hint} =~ /(psql .*)$/;
{
	local $ENV{PGHOST} = $node->host;
	local $ENV{PGPORT} = $node->port;
	is(system("$line >/dev/null 2>&1"), 0, 'which works');
}
is($db->value(q{SELECT count(*) FROM profiling.job_log WHERE step = 'watch_run'}), 1, 'and compares');

# --- with it ---------------------------------------------------------------------------------------------------------

if ($db->value(q{SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_cron'}) == 0)
{
	note 'pg_cron is not installed: tools/deps.sh installs the package postgresql-MAJOR-cron where there is one';
	SKIP: { skip 'pg_cron is not installed', 1; }
	done_testing();
	exit;
}
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'pg_cron'\ncron.use_background_workers = on\n");
$node->restart;
$db = Wire->connect($node, 'postgres');
is($db->sqlstate('SELECT * FROM profiling.schedule()'), '0A000', 'pg_cron must be installed in this database');
$db->run('CREATE EXTENSION pg_cron');

is_deeply($db->rows('SELECT job, command FROM profiling.schedule()'), [
		[ 'profiling maintain', 'CALL profiling.maintain()' ],
		[ 'profiling watch_run', 'CALL profiling.watch_run()' ],
		[ 'profiling prune', 'CALL profiling.prune()' ],
	], 'three jobs');
is_deeply($db->rows('SELECT jobname, schedule, command, database FROM cron.job ORDER BY jobid'), [
		[ 'profiling maintain', '15 2 * * *', 'CALL profiling.maintain()', 'postgres' ],
		[ 'profiling watch_run', '15 2 * * *', 'CALL profiling.watch_run()', 'postgres' ],
		[ 'profiling prune', '15 2 * * *', 'CALL profiling.prune()', 'postgres' ],
	], 'as pg_cron has them');
isnt($db->sqlstate(q{SELECT * FROM profiling.schedule('every night')}), 'no error', 'what is no schedule is refused');

# Something to find, and each minute from now on.
$db->run(<<'SQL');
SELECT profiling.import_flamegraph('b', format(E'main;read %s\nmain;draw %s', 300 + n * 7 % 20, 500 + n * 13 % 30)::flamegraph,
	started_at => timestamptz '2026-01-01 UTC' + n * interval '1 day', branch => 'main', commit => 'c' || n)
FROM generate_series(1, 12) AS n;
SQL
$db->run('CALL profiling.watch_run()');
$db->run(<<'SQL');
SELECT profiling.import_flamegraph('b', E'main;read 900\nmain;draw 510', started_at => '2026-01-14 UTC', branch => 'main', commit => 'c13');
SQL
is($db->value('SELECT count(*) FROM profiling.regression'), 0, 'nothing has been found yet');
$db->run(q{LISTEN profiling_regression; SELECT * FROM profiling.schedule('* * * * *')});
is($db->value('SELECT count(*) FROM cron.job'), 3, 'scheduled again: still three jobs');
my $notifications;
for (1 .. 600)
{
	$notifications = $db->query('SELECT pg_sleep(1)')->{notifications};
	last if $notifications;
}
is(scalar @{ $notifications // [] }, 1, 'the job has run, and told so');
is_deeply($db->rows(q{SELECT name, subject::text, first_commit FROM profiling.open_regression}), [ [ 'b', 'read', 'c13' ] ], 'it has written the finding');
for (1 .. 600)
{
	last if $db->value(q{SELECT count(*) FROM cron.job_run_details WHERE status NOT IN ('succeeded', 'failed')}) == 0;
	$db->run('SELECT pg_sleep(0.5)');
}
is_deeply($db->rows(q{SELECT DISTINCT command, status FROM cron.job_run_details WHERE status <> 'succeeded'}), [], 'all three jobs have succeeded')
  or diag(explain($db->rows('SELECT command, status, return_message FROM cron.job_run_details')));

is($db->value('SELECT profiling.unschedule()'), 3, 'and are taken out again');
is($db->value('SELECT count(*) FROM cron.job'), 0, 'all of them');
is($db->value('SELECT profiling.unschedule()'), 0, 'once');

done_testing();
