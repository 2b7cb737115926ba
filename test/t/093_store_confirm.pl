# What keeps a night from waking people: findings that wait for later runs, or for repetitions, and went away; over
# recordings of pgbench with and without an index, one a night. Told is what was confirmed, once, also after a crash.
use strict;
use warnings;

use FindBin;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Store;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\njit = off\nrestart_after_crash = on\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
Store::create($db);
$db->run('CREATE TABLE recorded (version text, n int, profile flamegraph)');
open my $in, '<', "$FindBin::RealBin/../data/pgbench/profiles.tsv" or die $!;
while (my $line = <$in>)
{
	chomp $line;
	my ($version, $n, $profile) = split /\t/, $line;
	my %escape = (n => "\n", t => "\t", '\\' => '\\');
	$profile =~ s/\\([nt\\])/$escape{$1}/g;
	$db->run("INSERT INTO recorded VALUES (" . join(', ', Wire::literal($version), $n, Wire::literal($profile)) . ')');
}
close $in;
$db->run(<<'SQL');
CREATE FUNCTION night(benchmark text, n int, version text DEFAULT 'index', recording int DEFAULT NULL, repetition int DEFAULT 0) RETURNS bigint LANGUAGE sql AS $$
	SELECT profiling.import_flamegraph(night.benchmark, r.profile, started_at => timestamptz '2026-01-01 UTC' + night.n * interval '1 day', branch => 'main',
		commit => 'commit' || night.n, repetition => night.repetition, metric => total(r.profile) * 0.01, metric_unit => 's')
	FROM recorded AS r WHERE r.version = night.version AND r.n = coalesce(night.recording, night.n)
$$;
INSERT INTO profiling.watch (benchmark, confirm) VALUES ('outlier', 1), ('real', 1), ('real twice', 2), ('repeated', 1), ('together', 1), ('wild', 1);
SELECT night(b, n) FROM unnest('{outlier,plain,real,real twice,repeated,asked,together,wild}'::text[]) AS b, generate_series(1, 12) AS n;
SQL

my $listener = Wire->connect($node, 'postgres');
$listener->run('LISTEN profiling_regression');

sub watch_run { $db->run('CALL profiling.watch_run()'); return; }
sub told
{
	return [ map { my $p = decode_json($_->[1]); join ' ', $db->value("SELECT name FROM profiling.benchmark WHERE benchmark_id = $p->{benchmark_id}"),
		$p->{opened} > 0 ? 'opened' : (), $p->{closed} > 0 ? 'closed' : () } @{ $listener->query('SELECT 1')->{notifications} // [] } ];
}
sub states { return join ', ', map { join ' ', @$_ } @{ $db->rows("SELECT DISTINCT status, seen, first_commit, last_commit FROM profiling.regression_history WHERE name = '$_[0]' ORDER BY 1, 2") }; }
sub verdict { return $db->value("SELECT verdict FROM profiling.verdict('$_[0]', '$_[1]'" . ($_[2] ? ", confirm => $_[2]" : '') . ')'); }
sub kept
{
	my ($name) = @_;
	return $db->row(q{SELECT pending, went_away FROM profiling.night_filters WHERE name IS NOT DISTINCT FROM } . (defined $name ? "'$name'" : 'NULL') . ' ORDER BY log_id DESC LIMIT 1');
}
sub log_of { return $db->value("SELECT l.detail FROM profiling.job_log AS l JOIN profiling.benchmark AS b USING (benchmark_id) WHERE b.name = '$_[0]' ORDER BY l.log_id DESC LIMIT 1"); }

watch_run();
is_deeply(told(), [], 'twelve nights of nothing');
$db->run(q{SELECT night(b, 13, 'noindex', 1) FROM unnest('{outlier,plain,real,real twice}'::text[]) AS b});
watch_run();
is_deeply(told(), ['plain opened'], 'a night without the index: told where nothing has to be confirmed');
is(states($_), 'pending 1 commit13 commit13', "$_: pending") for 'outlier', 'real', 'real twice';
is_deeply($db->rows('SELECT DISTINCT name FROM profiling.open_regression'), [ ['plain'] ], 'what is pending is not open');
is_deeply($db->rows('SELECT DISTINCT name FROM profiling.pending_regression ORDER BY 1'), [ ['outlier'], ['real'], ['real twice'] ], '... and has a view of its own');
is($db->value(q{SELECT count(*) FROM profiling.regression_history WHERE name <> 'plain' AND notified_at IS NOT NULL}), 0, '... and nobody was told');
like(log_of('outlier'), qr/^1 runs, 0 opened, 0 updated, 0 closed, [1-9]\d* pending$/, 'the log counts them');
my $waits = q{SELECT count(*) FROM profiling.pending_regression WHERE name = 'outlier'};
is_deeply(kept('outlier'), [ $db->value($waits), 0 ], '... in numbers, too');
is_deeply(kept(), [ $db->value('SELECT count(*) FROM profiling.pending_regression'), 0 ], '... and those of the night');
$waits = $db->value($waits);
is(verdict('commit13', 'outlier'), 'pending', 'the verdict says so');
is(verdict('commit13', 'plain'), 'regressed', '... and what is open has regressed');
like($db->value(q{SELECT reason FROM profiling.verdict('commit13', 'outlier')}), qr/^the worst: .* is pending: 1 of 2 runs or later repetitions have shown it$/, '... in words');

$db->run(q{SELECT night(b, 14) FROM unnest('{outlier,plain}'::text[]) AS b});
$db->run(q{SELECT night(b, 14, 'noindex', 2) FROM unnest('{real,real twice}'::text[]) AS b});
watch_run();
is_deeply([ sort @{ told() } ], [ 'plain closed', 'real opened' ], 'the next night: one is told as closed, one that a second run has shown');
is(states('outlier'), 'went_away 1 commit13 commit13', 'the outlier went away');
is($db->value(q{SELECT bool_and(closed_at IS NOT NULL AND notified_at IS NULL) FROM profiling.regression_history WHERE name = 'outlier'}), 't', '... with a date, and nobody was ever told');
like(log_of('outlier'), qr/ went away$/, '... which the log counts');
is_deeply(kept('outlier'), [ 0, $waits ], '... in numbers, too');
is(kept()->[1], $waits, '... and in those of the night');
is(verdict('commit13', 'outlier'), 'ok', '... and the verdict is ok');
like(states('real'), qr/^open 2 commit13 commit14/, 'what is confirmed is open since its first run');
is(verdict('commit13', 'real'), 'regressed', '... and the verdict on that commit says so');
like(states('real twice'), qr/^pending 2 commit13 commit14/, 'with confirm = 2 it is pending still');
$db->run(q{SELECT night('real twice', 15, 'noindex', 3), night('real', 15, 'noindex', 3)});
watch_run();
is_deeply(told(), ['real twice opened'], 'the third run confirms it');
watch_run();
is_deeply(told(), [], 'once');

# --- repetitions -------------------------------------------------------------------------------------------------------

sub compare { return $db->run("SELECT profiling.watch_benchmark('$_[0]')"); }
$db->run(q{SELECT night(b, 13, 'noindex', 1) FROM unnest('{repeated,asked}'::text[]) AS b});
compare($_) for 'repeated', 'asked';
is_deeply(told(), ['asked opened'], 'one benchmark alone: told at once, unless it waits');
is(verdict('commit13', 'asked'), 'regressed', 'a job of CI asks');
is(verdict('commit13', 'asked', 1), 'pending', '... whether that is confirmed');
compare($_) for 'repeated', 'asked';
is(states('repeated'), 'pending 1 commit13 commit13', 'nothing new confirms nothing');
$db->run(q{SELECT night(b, 13, 'noindex', 4, 1) FROM unnest('{repeated,asked}'::text[]) AS b});
compare($_) for 'repeated', 'asked';
is(verdict('commit13', 'asked', 1), 'regressed', 'another repetition shows it, too');
is(verdict('commit13', 'asked', 2), 'pending', '... of two that are asked for');
is(verdict('commit13', 'repeated'), 'regressed', 'a repetition confirms what is pending');
is_deeply([ grep { /^repeated/ } @{ told() } ], ['repeated opened'], '... and it is told');
is($db->sqlstate(q{SELECT * FROM profiling.verdict('commit13', confirm => -1)}), '22023', 'a negative number of confirmations is an error');

$db->run(q{SELECT night('wild', 13, 'noindex', 5)});
compare('wild');
is(verdict('commit13', 'wild'), 'pending', 'a wild repetition');
my $last = $db->value('SELECT max(regression_id) FROM profiling.regression');
$db->run(q{SELECT night('wild', 13, 'index', 13, 1)});
compare('wild');
# The mean of both is still large: another function may wait now, and what waited has gone.
is($db->value("SELECT count(*) FROM profiling.regression WHERE regression_id <= $last AND status <> 'went_away' AND benchmark_id = "
	. q{(SELECT benchmark_id FROM profiling.benchmark WHERE name = 'wild')}), '0', 'a repetition does not show it: it went away');
isnt(verdict('commit13', 'wild'), 'regressed', '... and nobody is told of the mean');

# Several runs that come at once confirm each other, but not one of them alone the others.
$db->run(q{SELECT night('together', n, 'noindex', n - 12) FROM generate_series(13, 15) AS n});
compare('together');
like(states('together'), qr{^open [23] commit13 commit15}, 'runs at once are enough');

# --- told once, and lost never -----------------------------------------------------------------------------------------

told();
$db->run(q{UPDATE profiling.regression SET notified_at = NULL WHERE status = 'open' AND benchmark_id = (SELECT benchmark_id FROM profiling.benchmark WHERE name = 'real')});
watch_run();
is_deeply(told(), ['real opened'], 'what a night that was killed has not told is told by the next');
watch_run();
is_deeply(told(), [], '... once');
is($db->value(q{SELECT count(*) FROM profiling.job_log WHERE outcome = 'failed'}), 0, 'nothing has failed');
is($db->value('SELECT count(*) FROM profiling."check"(true)'), 0, 'the store is sound');

# A night that stands still at a place of its end, behind its last benchmark, until somebody kills it. The session that
# holds the lock ends with it.
$db->run(<<'SQL');
CREATE FUNCTION stand_still() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(14); RETURN NEW; END $$;
CREATE TRIGGER stand_still BEFORE INSERT ON profiling.regression_group FOR EACH ROW EXECUTE FUNCTION stand_still();
CREATE TRIGGER stand_still BEFORE UPDATE ON profiling.job_log FOR EACH ROW WHEN (OLD.finished_at IS NULL AND NEW.finished_at IS NOT NULL) EXECUTE FUNCTION stand_still();
SELECT night(b, n) FROM unnest('{first,second}'::text[]) AS b, generate_series(1, 12) AS n;
SQL
watch_run();
is_deeply(told(), [], 'two more benchmarks');

sub stopped_night
{
	$db->run('SELECT pg_advisory_lock(14)');
	my $night = Wire->connect($node, 'postgres');
	my $pid = $night->value('SELECT pg_backend_pid()');
	$night->start('CALL profiling.watch_run()');
	$node->poll_query_until('postgres', "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 14 AND NOT granted AND pid = $pid)") or die 'the night has not come so far';
	is($db->value(q{SELECT string_agg(b.name || ' ' || l.outcome, ', ' ORDER BY b.name) FROM profiling.job_log AS l JOIN profiling.benchmark AS b USING (benchmark_id)
		WHERE l.log_id > (SELECT max(log_id) FROM profiling.job_log WHERE step = 'watch_run')}), 'first ok, second ok', 'a night has compared all of its benchmarks');
	is_deeply(told(), [], '... and told nobody');
	return ($night, $pid);
}

sub after_the_crash
{
	my ($what, $first, $then) = @_;
	$db = Wire->connect($node, 'postgres');
	is($db->value(q{SELECT count(*) > 0 AND bool_and(status = '} . $then . q{' AND notified_at IS NULL) FROM profiling.regression_history WHERE name IN ('first', 'second')}), 't',
		"$what: what was found is there, and is marked as told to nobody");
	$listener = Wire->connect($node, 'postgres');
	$listener->run('LISTEN profiling_regression');
	watch_run();
	is_deeply(told(), [ "first $first" ], '... and the next night tells it, once for both benchmarks');
	is($db->value(q{SELECT count(*) FROM profiling.regression WHERE notified_at IS NULL AND status IN ('open', 'resolved')}), 0, '... all of it');
	is($db->value('SELECT count(*) FROM profiling.job_log WHERE finished_at IS NULL'), 0, '... and both nights have ended');
	cmp_ok($db->value('SELECT groups FROM profiling.night_filters WHERE benchmark_id IS NULL ORDER BY log_id DESC LIMIT 1'), '>', 0, '... the last of which counts what it did for both');
	watch_run();
	is_deeply(told(), [], '... once');
	return;
}

# The server process is killed before the findings are in a group. PostgreSQL then ends all others and starts again.
$db->run(q{SELECT night(b, 13, 'noindex', 1) FROM unnest('{first,second}'::text[]) AS b});
my ($night, $pid) = stopped_night();
is(kill('KILL', $pid), 1, 'kill -9 of its server process');
# The other sessions end, this one, too: only then there is a new server to connect to.
1 while sysread $db->{socket}, my $rest, 1000;
$node->poll_query_until('postgres', 'SELECT true') or die 'PostgreSQL has not come back';
after_the_crash('kill -9', 'opened', 'open');

# The whole server is killed when the message is written, and its transaction has not ended.
$db->run(q{SELECT night(b, 14) FROM unnest('{first,second}'::text[]) AS b});
($night, $pid) = stopped_night();
$node->kill9;
my $tries = 0;
# What is left of the old server has to see that it is alone.
until ($node->start(fail_ok => 1))
{
	die 'PostgreSQL does not start' if ++$tries > 600;
	select undef, undef, undef, 0.1;
	$node->stop('fast', fail_ok => 1);
}
after_the_crash('kill -9 of the postmaster', 'closed', 'resolved');
is($db->value('SELECT count(*) FROM profiling."check"(true)'), 0, 'the store is sound after all that');

$node->stop;
done_testing();
