# What a session is set to has no say in what the store keeps and answers: its time zone and how it writes times and numbers, in the
# days when clocks are put back; and its isolation level, while others load and compact.
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
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
Store::create($db);
$db->run(q{INSERT INTO profiling.retention (service, raw, minutes, hours, days) VALUES ('%', NULL, NULL, NULL, NULL)});

# In India times are written with IST, which PostgreSQL reads as Israel's. Numbers have one digit.
my $odd = Wire->connect($node, 'postgres');
$odd->run(q{SET TimeZone = 'Asia/Kolkata'; SET DateStyle = 'SQL, DMY'; SET IntervalStyle = 'sql_standard'; SET extra_float_digits = -15; SET bytea_output = 'escape';
	SET standard_conforming_strings = off; SET escape_string_warning = off});
my $american = Wire->connect($node, 'postgres');
$american->run(q{SET TimeZone = 'America/New_York'});

# --- what is stored -------------------------------------------------------------------------------------------------------------

my $days = q{SELECT count(*), count(*) FILTER (WHERE to_timestamp(regexp_replace(c.relname, '.*_', '') || CASE parent WHEN 'profile_data' THEN '01' ELSE '' END, CASE parent WHEN 'incoming' THEN 'YYYYMMDDHH24' ELSE 'YYYYMMDD' END) <> b.since
		OR b.until <> b.since + CASE parent WHEN 'incoming' THEN interval '1 hour' WHEN 'block' THEN interval '1 day' ELSE interval '1 month' END)
	FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid, LATERAL (SELECT i.inhparent::regclass::text AS name) AS p, LATERAL (SELECT replace(p.name, 'profiling.', '') AS parent) AS o,
		LATERAL (SELECT (t.parts)[1]::timestamptz AS since, (t.parts)[2]::timestamptz AS until FROM regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \(''([^'']+)''\) TO \(''([^'']+)''\)') AS t (parts)) AS b
	WHERE c.relkind = 'r' AND c.relname ~ '_[0-9]+$' AND i.inhparent::regclass::text IN ('profiling.profile_data', 'profiling.block', 'profiling.incoming')};
$odd->run('CALL profiling.maintain()');
$odd->run('CALL profiling.compact()');
my $partitions = $db->row($days);
cmp_ok($partitions->[0], '>=', 4 + 25 + 1, 'a session in India makes partitions');
is($partitions->[1], 0, '... that begin and end with the hours, days and months of UTC');

# Repeated loads are recognised by all digits of the numbers.
my $points = q{SELECT profiling.import_observations('points', ARRAY['f', 'f', 'f'], ARRAY[1, 2, 3], ARRAY[0.1 + 1e-15, 1.0 / 3, %s], started_at => '2020-01-01 UTC')};
is($db->value(sprintf $points, '2.0 / 3'), 3, 'points are loaded');
is($odd->value(sprintf $points, '2.0 / 3'), 0, '... and known when a session that writes fewer digits loads them again');
is($odd->value(sprintf $points, '0.6666'), 3, '... but others that it writes alike are not');

# Patterns and baselines are what they are, whatever a backslash means to the session.
for my $table (q{retention (service) VALUES ('shop-%')}, q{service_watch (service, baseline) VALUES ('shop-%', 'season:7 days*4')}, q{watch (benchmark, options) VALUES ('quick-%', '{"history": 20}')})
{
	is($odd->sqlstate("INSERT INTO profiling.$table"), 'no error', 'a row of ' . $table =~ s/ .*//r);
}
is($_->sqlstate(q{INSERT INTO profiling.retention (service) VALUES (E'shop\\\\')}), '22025', 'but no pattern that ends in a backslash') for $db, $odd;
is($odd->sqlstate(q{SELECT profiling.selection_time('{"since": "soon"}', 'since')}), '22023', '... and no word in the place of a time');
is($db->value(q{SELECT string_agg(p.oid::regprocedure::text, ', ') FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang
	WHERE p.pronamespace = 'profiling'::regnamespace AND l.lanname = 'plpgsql' AND regexp_replace(p.prosrc, $$(--[^\n]*|E'[^']*'(\s*\n\s*'[^']*')*)$$, '', 'g') ~ '\\\\'
		AND NOT 'standard_conforming_strings=on' = ANY (p.proconfig)}), undef, '... as every function says that has backslashes in its text');

# A sample is worth a sixth in the mean of six repetitions.
$db->run(q{SELECT profiling.import_flamegraph('six', fg => format(E'main;a %s\nmain;b %s', 100 + (n * 7) % 5, CASE WHEN n < 8 THEN 50 ELSE 90 END + n % 3)::flamegraph, started_at => timestamptz '2020-01-01 UTC' + n * interval '1 day', repetition => r)
	FROM generate_series(1, 8) AS n, generate_series(1, 6) AS r});
my $scores = q{SELECT string_agg(encode(float8send(score), 'hex'), ' ' ORDER BY n) FROM profiling.report('six') WITH ORDINALITY AS r (i1, i2, i3, i4, i5, i6, i7, i8, i9, score, i11, i12, n)};
is($odd->value($scores), $db->value($scores), 'reports compute with all digits');

# --- days of 23 and of 25 hours --------------------------------------------------------------------------------------------------

# On 2020-11-01 at 06:00 UTC clocks were put back in New York, and on 2020-03-08 at 07:00 UTC ahead.
sub same
{
	my ($expected, $what, $sql) = @_;
	is($db->value($sql), $expected, $what);
	is($american->value($sql), $expected, '... in New York, too');
	return;
}
$db->run(q{SELECT profiling.import_flamegraph('hourly', fg => 'main 1', started_at => t) FROM generate_series(timestamptz '2020-10-28 00:00Z', '2020-11-01 12:00Z', interval '1 hour') AS t});
my $last = q{(SELECT benchmark_id FROM profiling.benchmark WHERE name = 'hourly'), 'cpu', 'samples', '', (SELECT max(test_run_id) FROM profiling.rollup JOIN profiling.benchmark USING (benchmark_id) WHERE name = 'hourly')};
sub starts { return qq{SELECT string_agg(to_char(t.started_at AT TIME ZONE 'UTC', 'DD HH24'), ', ' ORDER BY t.started_at) FROM profiling.test_run AS t WHERE t.test_run_id = ANY ($_[0])}; }
same('29 12, 30 12, 31 12', 'a season of days', starts("profiling.runs_before($last, 'season:1 day*3')"));
same('29 12', 'the newest run three days before', starts("ARRAY[(profiling.runs_long_before($last, '3 days'))[10]]"));
same('2020-10-31 12:00 2020-10-31 13:00', 'the hour of the day before', q{SELECT string_agg(to_char((w ->> k)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'), ' ' ORDER BY k)
	FROM profiling.window_before('shop', 'cpu', '2020-11-01 12:00Z', 'season:1 day*7') AS w, unnest('{since,until}'::text[]) AS k});
same('2020-03-07 12:00 2020-03-07 13:00', '... in spring', q{SELECT string_agg(to_char((w ->> k)::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'), ' ' ORDER BY k)
	FROM profiling.window_before('shop', 'cpu', '2020-03-08 12:00Z', 'season:1 day*7') AS w, unnest('{since,until}'::text[]) AS k});

$db->run(q{SELECT profiling.ingest('zones', fg => 'main 1', recorded_at => t, labels => jsonb_build_object('version', v))
	FROM (VALUES (timestamptz '2020-10-31 11:30Z', 'new'), ('2020-10-31 12:30Z', 'old'), ('2020-11-01 11:10Z', 'old'), ('2020-11-01 11:50Z', 'new')) AS k (t, v)});
same('12 11', 'hours of a day that are to be compared', q{SELECT string_agg(to_char(hour AT TIME ZONE 'UTC', 'HH24'), ' ' ORDER BY hour) FROM profiling.hours_to_watch('2020-11-01 12:20Z')});
same('new old', 'a version that was not there for a day', q{SELECT string_agg(version || ' ' || before, ', ') FROM profiling.new_versions((SELECT service_id FROM profiling.service WHERE name = 'zones'), 'cpu', 'samples', '2020-11-01 12:00Z')});

# However old: among these are ages at which New York has another distance from UTC than now. What is too late for one session is so for
# all, as it is where the sums are made.
$db->run(q{INSERT INTO profiling.retention (service, raw, minutes, hours, days) SELECT 'age-' || n, make_interval(days => n), NULL, NULL, NULL FROM generate_series(20, 360, 40) AS n});
for my $session ($db, $american)
{
	my $taken = join ' ', map { my $n = $_; map { $session->sqlstate("SELECT profiling.need_in_time('age-$n', 'cpu', now() - make_interval(hours => 24 * $n, mins => $_))") } -30, 30 } map { 20 + 40 * $_ } 0 .. 8;
	is($taken, join(' ', ('no error 22008') x 9), 'how late a profile may come');
}
# Days that ended half an hour ago and half an hour too late for it, so many days ago.
$db->run(q{DELETE FROM profiling.retention WHERE service LIKE 'age-%';
	INSERT INTO profiling.retention (service, raw, minutes, hours, days) SELECT 'age-' || n || '-' || m, make_interval(days => n, secs => extract(epoch FROM now() - date_trunc('day', now(), 'UTC'))::int + 60 * m), NULL, NULL, NULL
		FROM generate_series(20, 360, 40) AS n, (VALUES (-30), (30)) AS v (m);
	INSERT INTO profiling.service (name) SELECT service FROM profiling.retention WHERE service LIKE 'age-%';
	INSERT INTO profiling.stream (service_id, event, unit, labels_id) SELECT service_id, 'cpu', 'samples', md5('{}')::uuid FROM profiling.service WHERE name LIKE 'age-%';
	INSERT INTO profiling.block (service_id, stream_id, resolution, since, until, series, profiles, stacks, total)
	SELECT service_id, stream_id, 'raw', d.day, d.day + interval '1 hour', flameseries_agg(d.day, 'main 1'::flamegraph), 1, 1, 1
	FROM profiling.stream JOIN profiling.service AS s USING (service_id), LATERAL (SELECT date_trunc('day', now(), 'UTC') - make_interval(days => 1 + split_part(s.name, '-', 2)::int) AS day) AS d WHERE s.name LIKE 'age-%' GROUP BY 1, 2, 4, 5});
same('9 -30', 'days that are old enough to become sums', q{SELECT count(*) || ' ' || string_agg(DISTINCT regexp_replace(s.name, '^age-[0-9]+-', ''), ' ')
	FROM profiling.spans_to_thin('raw') AS t JOIN profiling.service AS s USING (service_id)});

# --- an old snapshot ------------------------------------------------------------------------------------------------------------

# What a compaction has moved since then is neither in the incoming profiles nor in the blocks that it shows.
my $profile = q{SELECT profiling.ingest('moved', fg => 'main %d', recorded_at => timestamptz '2020-01-02 00:00Z' + interval '%d hours')};
my $there = q{SELECT total(profiling.window_profile('moved'))};
$db->run(sprintf $profile, 1, 9);
for my $level ('REPEATABLE READ', 'SERIALIZABLE')
{
	my $n = $level eq 'SERIALIZABLE' ? 4 : 2;
	my $loader = Wire->connect($node, 'postgres');
	$loader->run("BEGIN ISOLATION LEVEL $level; SELECT count(*) FROM profiling.stream");
	$db->run(sprintf $profile, $n, $n);
	$db->run('CALL profiling.compact()');
	is($loader->sqlstate(sprintf $profile, $n, $n), '40001', "\L$level\E: a profile that was moved is an error that a loader retries");
	$loader->run('ROLLBACK');
	is($loader->value("SET default_transaction_isolation = '$level'; " . sprintf $profile, $n, $n), 0, '... and then it is known');
	is($db->value($there), 2 * $n - 1, '... and there once');
	$loader->run("BEGIN ISOLATION LEVEL $level; SELECT count(*) FROM profiling.stream");
	$db->run(qq{SELECT profiling.ingest('other', fg => 'main 1', recorded_at => timestamptz '2020-01-02 00:00Z' + interval '$n hours')});
	$db->run('CALL profiling.compact()');
	is($loader->value(sprintf $profile, 0, 1), $n == 2 ? 1 : 0, 'a compaction of another stream is none of its business');
	# Who has loaded is not waited for.
	$db->run(q{SET lock_timeout = '5s'});
	$db->run(qq{SELECT profiling.ingest('moved', fg => 'main 0', recorded_at => timestamptz '2020-01-02 00:30Z' + interval '$n hours')});
	$db->run('CALL profiling.compact()');
	is($db->value(q{SELECT count(*) FROM profiling.job_log WHERE outcome = 'failed'}), 0, '... and a compaction does not wait for it');
	$loader->run('COMMIT');
}

is($db->value(q{SELECT count(*) FROM profiling.check()}), 0, 'nothing is wrong in the end');

done_testing();
