# Profiles of services through faults: server processes and servers that are killed while profiles come, are compacted and become
# sums; compactions side by side, and with a loader that sends the same again; readers in the way of partitions; clocks that jump;
# many instances, many labels, a stream that cannot be compacted; a second server by logical replication.
#
# What was confirmed to a loader is there, once; what was not is there or not, and can be sent again. The values of profiles are numbers
# or powers of two, so that the sum and the number of all say what is missing and what is there twice.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes ();

use lib $FindBin::RealBin;
use Store;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(allows_streaming => 'logical');
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nrestart_after_crash = on\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
Store::create($db);
$db->run(q{INSERT INTO profiling.retention (service, raw, minutes, hours, days) VALUES ('%', NULL, NULL, NULL, NULL)});

# The sum of a service, whatever it is in, and how many profiles it has: they must agree with what was sent.
sub there
{
	my ($connection, $service) = @_;
	return $connection->value(qq{SELECT concat_ws(' ', total(profiling.window_profile('$service')), (SELECT sum(profiles) FROM profiling.window_trend('main', '1 day', '$service')))});
}

sub reconnected
{
	# The other sessions end, this one, too: only then there is a new server to connect to.
	1 while sysread $db->{socket}, my $rest, 1000;
	$node->poll_query_until('postgres', 'SELECT true') or die 'PostgreSQL has not come back';
	$db = Wire->connect($node, 'postgres');
	return;
}

# --- killed while profiles come -------------------------------------------------------------------------------------------------

# A loader sends one profile at a time, and is stopped in the middle of a statement. What it was told to be stored is there.
my $batch = q{SELECT profiling.ingest_batch(array_agg('kill'::text), array_agg(format('main %%s', n)::flamegraph), array_agg(timestamptz '2020-01-01 UTC' + n * interval '10 s')) FROM generate_series(%d, %d) AS n};
my $loader = Wire->connect($node, 'postgres');
my $pid = $loader->value('SELECT pg_backend_pid()');
is($loader->value(sprintf $batch, 1, 500), 500, 'a loader sends profiles');
$loader->run('BEGIN');
is($loader->value(sprintf $batch, 501, 600), 100, '... and more, which it has not committed');
is(kill('KILL', $pid), 1, '... when its server process is killed');
reconnected();
is(there($db, 'kill'), 500 * 501 / 2 . ' 500', 'what was committed is there, the rest is not');
is($db->value(sprintf $batch, 1, 600), 100, 'sent again, what was missing is new');
is(there($db, 'kill'), 600 * 601 / 2 . ' 600', '... and all is there once');

# --- killed while it is compacted, and while it becomes sums --------------------------------------------------------------------

# Steps are stopped when they have done all of their work but for the commit.
sub killed_in
{
	my ($step, $what) = @_;
	my $session = Wire->connect($node, 'postgres');
	my $of = $session->value('SELECT pg_backend_pid()');
	$session->run('BEGIN');
	cmp_ok($session->value($step), '>', 0, "$what has done its work");
	kill 'KILL', $of;
	reconnected();
	is(there($db, 'kill'), 600 * 601 / 2 . ' 600', "$what is killed: everything is there once");
	cmp_ok($db->value($step), '>', 0, '... and it is done again');
	is(there($db, 'kill'), 600 * 601 / 2 . ' 600', '... and everything is there once');
	return;
}

my $stream = q{SELECT profiling.%s(service_id, stream_id, %s) FROM profiling.stream JOIN profiling.service USING (service_id) WHERE name = 'kill'};
killed_in(sprintf($stream, 'compact_stream', qq{'2020-01-01 0$_:05'}), 'a compaction') for 0, 1;
killed_in(sprintf($stream, 'merge_stream', q{'2020-01-01'}), 'what makes one block of those of a day');
killed_in(sprintf($stream, 'thin_stream', qq{'$_->[0]', '2020-01-01'}), "what makes sums of $_->[1]") for [ 'raw', 'minutes' ], [ 'minute', 'hours' ], [ 'hour', 'days' ];
my ($gone) = sprintf $stream, 'thin_stream', q{'day', '2020-01-01'};
my $session = Wire->connect($node, 'postgres');
$session->run('BEGIN');
is($session->value($gone), 600, 'what drops what is too old');
kill 'KILL', $session->value('SELECT pg_backend_pid()');
reconnected();
is(there($db, 'kill'), 600 * 601 / 2 . ' 600', '... is killed, and it is still there');
is($db->value($gone), 600, '... and goes');

# The whole server is killed at some moment of compact(): whatever it had done.
$db->run(q{SELECT profiling.ingest_batch(array_agg('crash' || n % 7), array_agg(format('main %s', n)::flamegraph), array_agg(timestamptz '2020-01-01 UTC' + n * interval '100 s')) FROM generate_series(1, 3000) AS n});
for my $after (0.05, 0.3)
{
	my $compaction = Wire->connect($node, 'postgres');
	$compaction->start('CALL profiling.compact()');
	Time::HiRes::sleep($after);
	$node->kill9;
	my $tries = 0;
	until ($node->start(fail_ok => 1))
	{
		die 'PostgreSQL does not start' if ++$tries > 600;
		Time::HiRes::sleep(0.1);
		$node->stop('fast', fail_ok => 1);
	}
	$db = Wire->connect($node, 'postgres');
	is(there($db, 'crash%'), 3000 * 3001 / 2 . ' 3000', "the server is killed after $after s of a compaction: everything is there once");
}
$db->run('CALL profiling.compact()');
is($db->value('SELECT count(*) FROM profiling.incoming'), 0, 'the next one does the rest');
is(there($db, 'crash%'), 3000 * 3001 / 2 . ' 3000', '... and everything is there once');
is($db->value(q{SELECT count(*) FROM profiling.job_log WHERE outcome = 'failed'}), 0, '... and nothing has failed');

# --- side by side ---------------------------------------------------------------------------------------------------------------

my $sent = q{SELECT profiling.ingest('%s', fg => 'main %s', recorded_at => timestamptz '2020-02-01 UTC' + %s * interval '1 min')};
$db->run(sprintf $sent, 'two', 2**$_, $_) for 0 .. 5;
$db->run(sprintf $sent, 'other', 1, 0);
my $first = Wire->connect($node, 'postgres');
$first->run('BEGIN');
my $two = q{FROM profiling.stream JOIN profiling.service USING (service_id) WHERE name = 'two'};
is($first->value("SELECT profiling.compact_stream(service_id, stream_id, '2020-02-01') $two"), 6, 'a compaction has a stream in hand');
is($db->value("SELECT profiling.compact_stream(service_id, stream_id, '2020-02-01') $two"), undef, '... which another one leaves to it');
$db->run('CALL profiling.compact()');
is($db->value(q{SELECT count(*) FROM profiling.incoming JOIN profiling.service USING (service_id) WHERE name = 'other'}), 0, '... and goes on with others');
is(there($db, 'two'), '63 6', '... all of it is there, for those who do not see the first one');
is(there($first, 'two'), '63 6', '... and for those who do');

# A loader is not in its way, nor it in a loader's, but with the same profile.
$db->run(q{SET statement_timeout = '60s'});
is($db->value(sprintf $sent, 'two', 64, 6), 1, 'a new profile of the same hour comes meanwhile');
my $same = Wire->connect($node, 'postgres');
$same->start(sprintf $sent, 'two', 1, 0);
$node->poll_query_until('postgres', q{SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%ingest%' AND pid <> pg_backend_pid())}) or die 'nobody waits';
$first->run('COMMIT');
is($same->finish->{rows}[0][0], 0, 'one that is sent again waits for the compaction, and is known');
is(there($db, 'two'), '127 7', '... and all is there once');
$db->run('CALL profiling.compact()');
is(there($db, 'two'), '127 7', '... also when the hour is compacted again');

# Who asks in one transaction sees one state of things.
my $reader = Wire->connect($node, 'postgres');
$reader->run('BEGIN ISOLATION LEVEL REPEATABLE READ');
is(there($reader, 'two'), '127 7', 'a reader begins');
$db->run(sprintf $sent, 'two', 128, 7);
$db->run(q{UPDATE profiling.retention SET raw = '1 day', minutes = '1 day'});
$db->run('CALL profiling.compact()');
$db->run(q{UPDATE profiling.retention SET minutes = NULL});
is($db->value('SELECT string_agg(DISTINCT resolution, $$ $$) FROM profiling.block'), 'hour', '... and everything becomes sums');
is(there($reader, 'two'), '127 7', '... which he does not see');
is(there($db, 'two'), '255 8', '... and others do');

# So does who has begun before, and asks for the first time when the partition of the profiles has been emptied. The hour that has
# just ended must be the same from the beginning to the end.
$reader->run('COMMIT');
for my $try (1 .. 2)
{
	my $hour = $db->value(q{SELECT date_trunc('hour', now()) - interval '1 hour'});
	my $first_of_hour = $db->value(qq{SELECT profiling.add_production_partition('incoming', '$hour')});
	$db->run(qq{SELECT profiling.ingest('ended', fg => 'main 3', recorded_at => '$hour', instance => 'pod-$try')});
	my $late = Wire->connect($node, 'postgres');
	$late->run('BEGIN ISOLATION LEVEL REPEATABLE READ');
	is($late->value(q{SELECT count(*) FROM profiling.service WHERE name = 'ended'}), 1, 'a reader begins with something else');
	$db->run(q{CALL profiling.compact('0')});
	next if $try == 1 && $hour ne $db->value(q{SELECT date_trunc('hour', now()) - interval '1 hour'});
	is($db->value(q{SELECT count(*) FROM profiling.incoming JOIN profiling.service USING (service_id) WHERE name = 'ended'}), 0, '... while an hour is compacted');
	is(there($late, 'ended'), 3 * $try . " $try", '... and sees its profiles where they were');
	is($db->value(qq{SELECT count(*) FROM profiling.production_partitions('incoming') AS p WHERE p.partition = '$first_of_hour'}), 1, '... whose partition is still there');
	last;
}

# The reader is in the way of partitions. Nobody waits for him for long: not the compaction, and not the loader behind it.
$reader->run('BEGIN; SELECT count(*) FROM profiling.incoming; SELECT count(*) FROM profiling.block');
$db->run(q{UPDATE profiling.retention SET raw = NULL, minutes = NULL});
my $dropping = Wire->connect($node, 'postgres');
is($dropping->value(q{SELECT profiling.compact_step('drop', p.partition, NULL, NULL, NULL) IS NULL FROM profiling.production_partitions('incoming') AS p LIMIT 1}), 't', 'a partition that is read is not dropped now');
is($dropping->value(q{SELECT profiling.compact_step('partition', 'incoming', NULL, NULL, '2020-07-01 05:00') IS NULL}), 't', '... and none is made');
is($db->value(sprintf $sent, 'three', 1, 1), 1, '... and a loader loads');
$db->run('CALL profiling.compact()');
is($db->value(q{SELECT count(*) FROM profiling.job_log WHERE outcome = 'failed'}), 0, '... without a failure');
$reader->run('COMMIT');
is($db->value(q{SELECT profiling.compact_step('partition', 'incoming', NULL, NULL, '2020-07-01 05:00')}), 0, 'when he has gone, it is');
is($db->value(q{SELECT count(*) FROM profiling.production_partitions('incoming') WHERE partition = 'incoming_2020070105'}), 1, '... there');

# --- clocks ---------------------------------------------------------------------------------------------------------------------

$db->run(q{INSERT INTO profiling.retention (service, raw, minutes, hours, days) VALUES ('clock', '2 hours', '1 day', '2 days', '3 days')});
sub clock { return $db->query(qq{SELECT profiling.ingest('clock', fg => 'main 1', recorded_at => now() + interval '$_[0]')}); }
is(clock($_)->{rows}[0][0], 1, "a clock says now, $_") for '0', '-1 hour', '30 minutes', '-119 minutes', '20 hours';
is(clock('25 hours')->{error}{sqlstate}, '22008', 'one that goes before by more than a day is refused');
is(clock('-121 minutes')->{error}{sqlstate}, '22008', 'and a profile of an hour that has become a sum');
$db->run('CALL profiling.compact()');
is(there($db, 'clock'), '5 5', 'the others are there');
is($db->value(q{SELECT count(*) FROM profiling.incoming JOIN profiling.service USING (service_id) WHERE name = 'clock' AND recorded_at > now()}), 2, '... those of the future until their hour is over');

# --- many -----------------------------------------------------------------------------------------------------------------------

is($db->value(q{SELECT profiling.ingest_batch(array_agg('fleet'::text), array_agg('main;a 1'::flamegraph), array_agg('2020-03-01 UTC'::timestamptz), array_agg('pod-' || n)) FROM generate_series(1, 5000) AS n}), 5000, 'five thousand instances');
is($db->value(q{SELECT profiling.ingest_batch(array_agg('long'::text), array_agg('main;a 1'::flamegraph), array_agg('2020-03-01 UTC'::timestamptz), array_agg(array_to_string(ARRAY(SELECT md5(n || '.' || k) FROM generate_series(1, 15) AS k), ''))) FROM generate_series(1, 17000) AS n}), 17000, 'instances whose names are 8 MB together');
is($db->value(q{SELECT profiling.ingest_batch(array_agg('labels'::text), array_agg('main;a 1'::flamegraph), array_agg('2020-03-01 UTC'::timestamptz), labels => array_agg(jsonb_build_object('version', n))) FROM generate_series(1, 1000) AS n}), 1000, 'a thousand versions');
$db->run('CALL profiling.compact()');
is(there($db, 'fleet'), '5000 5000', 'all instances are there');
is($db->value(q{SELECT cardinality(instances(series)) FROM profiling.block JOIN profiling.service USING (service_id) WHERE name = 'fleet'}), 5000, '... in one block');
is($db->value(q{SELECT total(profiling.window_profile('fleet', instances => '{pod-77,pod-4999,pod-x}'))}), 2, '... and are found in it');
is($db->text(q{SELECT count(*), sum(profiles) FROM profiling.block JOIN profiling.service USING (service_id) WHERE name = 'long'}), '2|17000', 'names of instances count in the size of a block');
is(there($db, 'long'), '17000 17000', '... and all of them are there');
is(there($db, 'labels'), '1000 1000', 'all versions are there');
is($db->value(q{SELECT total(profiling.window_profile('labels', version => '77'))}), 1, '... and are told from each other');

# One loader cannot send what would stop questions about all services. Where an owner lets it in, what cannot be added up is in
# smaller blocks, and stops no other stream. Sums that are more than a number can be are not made: the profiles stay, and the view of
# what is wrong says so, once.
is($db->query(q{SELECT profiling.ingest('huge', fg => 'main 1e308')})->{error}{sqlstate}, '22003', 'what has no sum with others is refused');
$db->run('ALTER TABLE profiling.incoming DROP CONSTRAINT incoming_can_be_added');
$db->run(qq{SELECT profiling.ingest('huge', fg => '$_->[0]', recorded_at => timestamptz '2020-03-01 UTC' + interval '$_->[1]')})
  for [ 'main 1e308', '1 min' ], [ 'main 5e307', '70 s' ], [ 'main 1e308', '2 min' ], [ 'main;b 3', '3 min' ], [ 'main 1e308', '130 s' ];
$db->run(sprintf $sent, 'zeta', 5, 1);
$db->run('CALL profiling.compact()');
$db->run('ALTER TABLE profiling.incoming ADD CONSTRAINT incoming_can_be_added CHECK (profiling.can_be_added(flamegraph) AND (noise IS NULL OR profiling.can_be_added(noise))) NOT VALID');
is($db->value(q{SELECT count(*) FROM profiling.incoming JOIN profiling.service USING (service_id) WHERE name <> 'clock'}), 0, 'profiles whose sum is more than a number can be are in blocks');
is($db->text(q{SELECT count(*) > 1, sum(profiles), bool_and(total < 'infinity') FROM profiling.block JOIN profiling.service USING (service_id) WHERE name = 'huge'}), 't|5|t', '... in several');
my $huge = q{SELECT string_agg(total(profiling.window_profile('huge', '2020-03-01 UTC', '2020-03-01 UTC'::timestamptz + u::interval))::text, ' ') FROM unnest('{65 s,119 s}'::text[]) AS u};
is($db->value($huge), '1e+308 1.5e+308', '... which answer');
is($db->query(q{SELECT total(profiling.window_profile('huge'))})->{error}{sqlstate}, '22003', '... but for what no number can be');
is($db->value(q{SELECT count(*) FROM profiling.night_health WHERE problem = 'compact'}), 0, '... and nothing is wrong');
$db->run(q{INSERT INTO profiling.retention (service, raw, minutes, hours, days) VALUES ('huge', '1 day', NULL, NULL, NULL)});
$db->run('CALL profiling.compact()') for 1 .. 2;
is($db->text(q{SELECT string_agg(DISTINCT resolution, ' '), sum(profiles) FROM profiling.block JOIN profiling.service USING (service_id) WHERE name = 'huge'}), 'raw|5', 'sums of minutes that are more are not made, and nothing is lost');
is($db->value($huge), '1e+308 1.5e+308', '... of it');
like($db->value(q{SELECT string_agg(concat_ws(' ', suite, benchmark, event, detail), '!') FROM profiling.night_health WHERE problem = 'compact'}),
	qr/^production huge cpu A step of compact\(\) failed 2 times in two days: raw of service \d+, stream \d+ 2020-03-01 00:00: [^!]*out of range[^!]*Nothing is lost[^!]*retention[^!]*$/,
	'... and what is wrong, and what to do, is said once');
$db->run(q{DELETE FROM profiling.retention WHERE service = 'huge'; DELETE FROM profiling.job_log WHERE outcome = 'failed'});

# Who does not compact is told.
$db->run(sprintf $sent, 'zeta', 6, 2);
is($db->value(q{SELECT count(*) FROM profiling.night_health WHERE problem = 'compact'}), 0, 'what has just come is no problem');
$db->run(q{DELETE FROM profiling.job_log WHERE step = 'compact'});
like($db->value(q{SELECT detail FROM profiling.night_health WHERE problem = 'compact'}), qr/^A profile of services, the oldest of 2020-02-01 00:02:00\+00, is in no block yet.*has not done anything yet/, '... what nobody has compacted is one');
$db->run('CALL profiling.compact()');
is($db->value(q{SELECT count(*) FROM profiling.night_health WHERE problem = 'compact'}), 0, '... until somebody does');

# --- a second server --------------------------------------------------------------------------------------------------------------

# Partitions are the business of each server; those that both have are replicated, and the default ones.
my $second = PostgreSQL::Test::Cluster->new('second');
$second->init;
$second->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\n");
$second->start;
my $there = Wire->connect($second, 'postgres');
Store::create($there);
$there->run(qq{SELECT profiling.add_production_partition('$_->[0]', '$_->[1]')})
  for map { [ $_->[0] =~ /^incoming/ ? 'incoming' : 'block', $_->[1] ] } @{ $db->rows(q{SELECT p.* FROM (VALUES ('incoming'), ('block')) AS v (t), profiling.production_partitions(v.t) AS p}) };
$db->run('CREATE PUBLICATION production FOR TABLE profiling.service, profiling.stream, profiling.incoming, profiling.block, profiling.retention');
$there->run('CREATE SUBSCRIPTION production CONNECTION ' . Wire::literal($node->connstr . ' dbname=postgres') . ' PUBLICATION production');
my $all = q{SELECT concat_ws(' ', (SELECT count(*) || md5(string_agg(md5(i::text), '' ORDER BY md5(i::text))) FROM profiling.incoming AS i), (SELECT count(*) || md5(string_agg(md5(b::text), '' ORDER BY md5(b::text))) FROM profiling.block AS b),
	(SELECT count(*) FROM profiling.stream), (SELECT count(*) FROM profiling.service))};
sub same_there
{
	my ($what) = @_;
	my $here = $db->value($all);
	my $until = time + 300;
	Time::HiRes::sleep(0.2) while time < $until && $here ne $there->value($all);
	is($there->value($all), $here, "replication: $what");
	return;
}
same_there('what was there');
$db->run(sprintf $sent, 'two', 256, 8);
same_there('what comes');
is(there($there, 'two'), '511 9', 'the other server answers');
$db->run(q{UPDATE profiling.retention SET raw = '1 day' WHERE service = '%'});
$db->run('CALL profiling.compact()');
same_there('what is compacted and becomes sums');
is(there($there, 'two'), '511 9', '... and answers the same');
$there->run('DROP SUBSCRIPTION production');
$there->close;
$second->stop;

is($db->value('SELECT count(*) FROM profiling.check(true)'), 0, 'the store is sound after all that');
$_->close for $first, $same, $reader, $dropping, $db;
$node->stop;
done_testing();
