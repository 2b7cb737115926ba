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
like($error->{hint}, qr/crontab lines: 15 2 \* \* \* psql -d 'postgres' -c 'CALL profiling\.maintain\(\)' -c 'CALL profiling\.watch_run\(\)' -c 'CALL profiling\.prune\(\)' and \*\/5 \* \* \* \* psql -d 'postgres' -c 'CALL profiling\.compact\(\)'/,
	'that says what to put into a crontab');
like($db->query(q{SELECT * FROM profiling.schedule('0 4 * * *')})->{error}{hint}, qr/crontab lines: 0 4 \* \* \* psql/, 'at the time that was asked for');
is($db->sqlstate('SELECT profiling.unschedule()'), '0A000', 'and so is unschedule()');

# The crontab's lines, without their times.
for my $line ($error->{hint} =~ /(psql .*?)(?: and |$)/g)
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
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'pg_cron'\n");
$node->restart;
$db = Wire->connect($node, 'postgres');
is($db->sqlstate('SELECT * FROM profiling.schedule()'), '0A000', 'pg_cron must be installed in this database');
$db->run('CREATE EXTENSION pg_cron');

# --- as Debian sets a server up: TCP asks for a password, and pg_cron comes by TCP ------------------------------------

sub notices { return map { [ @{$_}{qw(severity message detail hint)} ] } @{ $_[0]->query($_[1])->{notices} // [] }; }

my $hba = slurp_file($node->data_dir . '/pg_hba.conf');
sub rules
{
	my ($rules) = @_;
	open my $out, '>', $node->data_dir . '/pg_hba.conf' or die $!;
	print $out $rules;
	close $out or die $!;
	$node->reload;
	return;
}
rules(<<'HBA');
local   all             all                                     peer
host    all             all             127.0.0.1/32            scram-sha-256
host    all             all             ::1/128                 scram-sha-256
local   replication     all                                     peer
HBA
$db = Wire->connect($node, 'postgres');
my ($warning) = notices($db, 'SELECT * FROM profiling.schedule()');
is_deeply([ @{ $warning // [] }[ 0 .. 2 ] ], [ 'WARNING', 'pg_cron will hardly be able to connect for these jobs',
		'cron.use_background_workers is off, so it connects like any client, and pg_hba.conf asks for method scram-sha-256.' ],
	'schedule() warns when pg_cron will need a password');
like($warning->[3], qr/^Set cron\.use_background_workers = on and restart the server/, 'and says what to set');
is($db->value('SELECT count(*) FROM cron.job'), 5, 'the jobs are there all the same');
rules("local all all trust\nhost all all 10.0.0.0/8 trust\n");
like(([ notices($db, 'SELECT * FROM profiling.schedule()') ]->[0] // [])->[2] // '', qr/pg_hba\.conf has no plain rule that lets it in/, 'so it does without a rule');
rules("local all all trust\nhost other all localhost scram-sha-256\nhost all all 127.0.0.1/32 trust\n");
is_deeply([ notices($db, 'SELECT * FROM profiling.schedule()') ], [], 'and does not when there is a way in');

# Who may not look is not told that something is wrong; who may not schedule is told what is missing.
$db->run('CREATE ROLE keeper; GRANT keeper TO CURRENT_USER; GRANT USAGE ON SCHEMA profiling TO keeper; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA profiling TO keeper; SET ROLE keeper');
my $refused = $db->query('SELECT * FROM profiling.schedule()')->{error};
is_deeply([ @{$refused}{qw(sqlstate message hint)} ], [ '42501', 'role "keeper" may not use pg_cron', 'A superuser grants it: GRANT USAGE ON SCHEMA cron TO keeper' ],
	'without USAGE on schema cron the error says so');
is($db->query('SELECT profiling.unschedule()')->{error}{sqlstate}, '42501', 'also of unschedule()');
$db->run('RESET ROLE; GRANT USAGE ON SCHEMA cron TO keeper; SET ROLE keeper');
is_deeply([ map { [ @$_[ 0, 1 ] ] } notices($db, 'SELECT * FROM profiling.schedule()') ], [ [ 'NOTICE', 'whether pg_cron can run these jobs is not to be seen by role "keeper"' ] ],
	'who may see neither setting nor rules is told how to look');
is($db->value('SELECT profiling.unschedule()'), 5, 'and has scheduled five');
$db->run('RESET ROLE');

# The jobs are tried each minute, and cannot connect: what the warning was about, seen the next morning.
rules(<<'HBA');
local   all             all                                     trust
host    all             all             127.0.0.1/32            scram-sha-256
host    all             all             ::1/128                 scram-sha-256
HBA
$db->run(q{SELECT * FROM profiling.schedule('* * * * *')});
for (1 .. 600)
{
	last if $db->value(q{SELECT count(*) FROM cron.job_run_details WHERE status = 'failed'}) >= 3;
	$db->run('SELECT pg_sleep(0.5)');
}
is_deeply($db->rows(q{SELECT DISTINCT problem, detail FROM profiling.night_health WHERE problem = 'cron' AND detail !~ 'compact|watch_services' ORDER BY detail}), [
		map { [ 'cron', "pg_cron could not run CALL profiling.$_(): connection failed. With cron.use_background_workers = on and a restart of the server it needs no connection." ] }
		  qw(maintain prune watch_run)
	], 'night_health tells it');
is($db->value('SELECT profiling.unschedule()'), 5, 'the jobs are taken out');
is($db->value(q{SELECT count(*) FROM profiling.night_health WHERE problem = 'cron'}), 0, 'and what they were is no concern of the next morning');
rules($hba);

# --- in background workers --------------------------------------------------------------------------------------------

$node->append_conf('postgresql.conf', "cron.use_background_workers = on\n");
$node->restart;
$db = Wire->connect($node, 'postgres');
$db->run('TRUNCATE cron.job_run_details');
is_deeply([ notices($db, 'SELECT * FROM profiling.schedule()') ], [], 'no warning when it needs no connection');
$db->run('SELECT profiling.unschedule()');

is_deeply($db->rows('SELECT job, command FROM profiling.schedule()'), [
		[ 'profiling maintain', 'CALL profiling.maintain()' ],
		[ 'profiling watch_run', 'CALL profiling.watch_run()' ],
		[ 'profiling prune', 'CALL profiling.prune()' ],
		[ 'profiling compact', 'CALL profiling.compact()' ],
		[ 'profiling watch_services', 'CALL profiling.watch_services()' ],
	], 'five jobs');
is_deeply($db->rows('SELECT jobname, schedule, command, database FROM cron.job ORDER BY jobid'), [
		[ 'profiling maintain', '15 2 * * *', 'CALL profiling.maintain()', 'postgres' ],
		[ 'profiling watch_run', '15 2 * * *', 'CALL profiling.watch_run()', 'postgres' ],
		[ 'profiling prune', '15 2 * * *', 'CALL profiling.prune()', 'postgres' ],
		[ 'profiling compact', '*/5 * * * *', 'CALL profiling.compact()', 'postgres' ],
		[ 'profiling watch_services', '12 * * * *', 'CALL profiling.watch_services()', 'postgres' ],
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
is($db->value('SELECT count(*) FROM cron.job'), 5, 'scheduled again: still five jobs');
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
is_deeply($db->rows(q{SELECT DISTINCT command, status FROM cron.job_run_details WHERE status <> 'succeeded'}), [], 'all jobs have succeeded')
  or diag(explain($db->rows('SELECT command, status, return_message FROM cron.job_run_details')));

is($db->value(q{SELECT count(*) FROM profiling.night_health WHERE problem = 'cron'}), 0, 'nothing is wrong in the morning');

is($db->value('SELECT profiling.unschedule()'), 5, 'and are taken out again');
is($db->value('SELECT count(*) FROM cron.job'), 0, 'all of them');
is($db->value('SELECT profiling.unschedule()'), 0, 'once');

done_testing();
