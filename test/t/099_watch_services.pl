# Services that are watched: drawn ones, of which the truth is known. What does not change has no finding, however its load and the time
# of day move it, and one pod that is odd has none; a function that grew has one, by as much as it grew, which waits for the next hour,
# opens, and closes when it is gone; a deploy has one that names both versions. The same from sums of minutes and of hours. Calls that
# are repeated, killed, side by side; late profiles, clocks; hours that have too little; who may; rows of service_watch that cannot be.
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
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\nrestart_after_crash = on\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
Store::create($db);
$db->run($Store::uniform);

# Of pod number pod, in twenty functions below four handlers: what a function takes depends on the hour (of day), a little on the day and
# on the pod, and is then a number of samples. Seven days of the same hours, and then hours of today, which are drawn when they are asked
# for. All of them are over; the earliest of today is called 3, the last one 1. Hours are numbered from the one that is not over, so that
# the same is drawn at any time.
$db->run(<<'SQL');
CREATE TABLE here AS SELECT date_trunc('hour', now()) AS hour;
CREATE FUNCTION normal(key text) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
	SELECT sqrt(-2 * ln(uniform(key, 1))) * cos(2 * pi() * uniform(key, 2))
$$;
CREATE FUNCTION drawn(service text, pod int, at timestamptz, load float8, grown text, factor float8) RETURNS flamegraph LANGUAGE sql STABLE AS $$
	SELECT flamegraph_agg(format('main;h%s;f%s', f % 4, f)::stackpath, greatest(1, round(m + sqrt(m) * normal(concat(service, pod, '.', n, '.', f)))))
	FROM (SELECT f, n, load * 4000 / (f + 2) * exp(0.01 * normal(concat(service, f, '.', n)) + 0.03 * normal(concat(service, f, pod)))
			* (1 + 0.4 * sin((n % 24 + 24) % 24 + f)) * CASE WHEN 'f' || f = grown THEN factor ELSE 1 END AS m
		FROM generate_series(0, 19) AS f, (SELECT (extract(epoch FROM at - hour) / 3600)::int AS n FROM here) AS o) AS k
$$;
CREATE FUNCTION send(service text, at timestamptz, load float8 DEFAULT 1, grown text DEFAULT '', factor float8 DEFAULT 1, pods int[] DEFAULT '{1,2,3,4}',
	labels jsonb DEFAULT '{}', per_hour int DEFAULT 4) RETURNS int LANGUAGE sql AS $$
	SELECT profiling.ingest_batch(array_agg(service), array_agg(drawn(service, pod, at, load, grown, factor)),
		array_agg(at + n * interval '10 minutes' + pod * interval '1 s'), array_agg('pod-' || pod), array_agg(labels))
	FROM unnest(pods) AS pod, generate_series(1, per_hour) AS n
$$;
CREATE FUNCTION today(service text, hours_ago int, load float8 DEFAULT 1, grown text DEFAULT '', factor float8 DEFAULT 1, pods int[] DEFAULT '{1,2,3,4}',
	labels jsonb DEFAULT '{}', per_hour int DEFAULT 4) RETURNS int LANGUAGE sql AS $$
	SELECT send(service, hour - hours_ago * interval '1 hour', load, grown, factor, pods, labels, per_hour) FROM here
$$;
CREATE FUNCTION history(service text, labels jsonb DEFAULT '{}', days int DEFAULT 7, load float8 DEFAULT 1) RETURNS int LANGUAGE sql AS $$
	SELECT sum(send(service, hour - d * interval '1 day' - h * interval '1 hour', load * (0.5 + uniform(service, d)), labels => labels))::int
	FROM here, generate_series(1, days) AS d, generate_series(1, 3) AS h
$$;
INSERT INTO profiling.retention (service, raw, minutes, hours, days) VALUES ('%', NULL, NULL, NULL, NULL);
SQL

sub watch { $db->run(q{CALL profiling.watch_services('0 s')}); return; }
sub findings { return $db->text("SELECT name, subject, status, seen FROM profiling.regression_history WHERE name LIKE '$_[0]' ORDER BY name COLLATE \"C\", subject::text COLLATE \"C\""); }
sub reason { return $db->value("SELECT coalesce(not_compared, 'compared with ' || compared_with) FROM profiling.watched_service WHERE service = " . Wire::literal($_[0])); }
my $hostile = q{a'%_\\;"µ} . "\n{}\$\$";
my $listener = Wire->connect($node, 'postgres');
$listener->run('LISTEN profiling_regression');
sub heard { return scalar @{ $listener->query('SELECT 1')->{notifications} // [] }; }

# --- what is found --------------------------------------------------------------------------------------------------------------

$db->run("SELECT history(s) FROM unnest('{calm,grown,halved,odd,wild load,minutes,hours}'::text[]) AS s");
$db->run(q{SELECT history('deploy', '{"version": "v1", "commit": "c1"}'), history('rolled', '{"version": "v1"}'), history('young', days => 2)});
$db->run('SELECT history(' . Wire::literal($hostile) . ')');
sub hour
{
	my ($ago, $grown) = @_;
	$db->run("SELECT today('calm', $ago), today('wild load', $ago, load => 6), today('odd', $ago, pods => '{1,2,3}'), today('odd', $ago, 1, 'f2', 8, '{4}'), today('young', $ago)");
	$db->run(sprintf q{SELECT today(s, %d, 1, 'f3', %s) FROM unnest(ARRAY['grown', 'minutes', 'hours', %s]) AS s}, $ago, $grown, Wire::literal($hostile));
	$db->run(sprintf q{SELECT today('halved', %d, 1, 'f0', %s)}, $ago, 1 / $grown);
	return;
}
hour(3, 1.5);
$db->run(q{SELECT today('deploy', 3, labels => '{"version": "v1", "commit": "c1"}'), today('rolled', 3, labels => '{"version": "v1"}')});
# Sums of minutes and of hours in the place of the days before; what is compared is the same.
$db->run(q{INSERT INTO profiling.retention (service, raw, minutes, hours, days) VALUES ('minutes', '4 hours', NULL, NULL, NULL), ('hours', '4 hours', '4 hours', NULL, NULL)});
my $detected = q{SELECT subject, unit, round(expected::numeric, 6), round(actual::numeric, 6), round(log(p_value::numeric), 4), kind, samples FROM profiling.detect_service('%s', (SELECT hour - interval '3 hours' FROM here))};
my %before = map { $_ => $db->text(sprintf $detected, $_) } qw(minutes hours);
$db->run(q{CALL profiling.compact('0 s')});
is($db->value("SELECT string_agg(DISTINCT resolution, ' ' ORDER BY resolution) FROM profiling.block JOIN profiling.service USING (service_id) WHERE name IN ('minutes', 'hours')"), 'hour minute raw', 'some services have sums of hours and of minutes');
for my $of (qw(minutes hours))
{
	like($before{$of}, qr/^f3\|% of samples\|.*\|degradation\|/, "service $of: the function that grew is detected");
	is($db->text(sprintf $detected, $of), $before{$of}, '... and the same when its days are sums');
}

watch();
is(findings('%'), join("\n", map { "$_|pending|1" } "$hostile|f3", 'grown|f3', 'halved|f0', 'hours|f3', 'minutes|f3'), 'functions that changed have findings, which wait for the next hour; others have none');
is($db->value("SELECT count(*) FROM profiling.regression WHERE status <> 'pending'"), 0, '... and nobody is told');
is(heard(), 0, '... of them');
is(reason('calm'), 'compared with 7', 'a service was compared with seven days');
is(reason('young'), 'too little history: 2 hours by baseline "season:1 day*7" with at least 10 profiles, 3 are needed', 'why a young one was not');
my $rows = $db->text('SELECT * FROM profiling.service_hour ORDER BY service_id') . $db->text('SELECT * FROM profiling.regression ORDER BY regression_id');
watch();
is($db->text('SELECT * FROM profiling.service_hour ORDER BY service_id') . $db->text('SELECT * FROM profiling.regression ORDER BY regression_id'), $rows, 'called again, nothing is done again');

# The next hour, not compacted yet.
hour(2, 1.5);
$db->run(q{SELECT today('deploy', 2, pods => '{1,2,3,4}', labels => '{"version": "v1", "commit": "c1"}'), today('deploy', 2, 1, 'f2', 1.6, '{11,12,13,14}', '{"version": "v2", "commit": "c2"}')});
$db->run(q{SELECT today('rolled', 2, pods => '{1,2,3,4}', labels => '{"version": "v1"}'), today('rolled', 2, pods => '{11,12,13,14}', labels => '{"version": "v2"}')});
watch();
is($db->text(q{SELECT name, subject, kind, unit, suite, baseline, abs(relative - 0.5) < 0.12, seen FROM profiling.open_regression WHERE name = 'grown'}), 'grown|f3|degradation|% of samples|production|season:1 day*7|t|2',
	'the next hour shows it: it is open, in the view that has those of benchmarks, by how much it grew');
is($db->text(q{SELECT subject, kind, abs(relative + 1 / 3.0) < 0.1 FROM profiling.open_regression WHERE name = 'halved'}), 'f0|optimization|t', 'a function that had a quarter of all, and shrank, is the only one that did');
cmp_ok(heard(), '>', 0, 'people are told');
is($db->value('SELECT count(*) FROM profiling.open_group WHERE names @> ARRAY[\'grown\', \'minutes\']'), 1, 'one function that grew in several services is one group');
is($db->text(q{SELECT subject, kind, status, baseline, first_version, first_commit, abs(relative - 0.6) < 0.15 FROM profiling.regression_history WHERE name = 'deploy'}), 'f2|degradation|pending|version:v1|v2|c2|t', 'a version that came has a finding, with both versions');
is($db->value(q{SELECT deploy FROM profiling.watched_service WHERE service = 'deploy'}), 'version "v2": 4 instances, 4 with "v1", compared', '... and what was compared is said');
is($db->value(q{SELECT deploy FROM profiling.watched_service WHERE service = 'rolled'}), 'version "v2": 4 instances, 4 with "v1", compared', 'one that changes nothing was compared');
is(findings('rolled') . findings('calm') . findings('wild load') . findings('odd') . findings('young'), '', '... and has no finding, as what did not change, what has six times the load, and what has an odd pod');

# Of a service there are no commits to rank; what changed in its labels is said, and how to look further.
sub suspected
{
	my $got = $db->query("SELECT s.* FROM profiling.regression_history AS r, LATERAL profiling.suspects(r.regression_id) AS s WHERE r.name = " . Wire::literal($_[0]));
	return scalar(@{ $got->{rows} }) . ' ' . join ' ', map { $_ // '' } @{ ($got->{notices} // [{}])->[0] }{qw(message detail hint)};
}
like(suspected('deploy'), qr/^0 finding \d+ is of a service.*labels that the day before had not: \{"commit": "c2", "version": "v2"\}\.? What.*window_compare\('\{.*"version": "v1".*\}', '\{.*"version": "v2".*\}'\)/, 'suspects of a deploy: what came, and what to compare');
like(suspected('grown'), qr/^0 .*The labels of its profiles .* are those of the day before.*window_compare/, '... of a function that grew: nothing came');
like(suspected($hostile), qr/^0 .*window_compare/, '... of a name that is a pattern');
$db->run($1) if suspected($hostile) =~ /(SELECT \* FROM profiling\.window_compare\(.*\))\./s;

# The report on it is of the hour and those that it was compared with; the pages are those of a run.
my $reported = q{FROM profiling.benchmark WHERE name = 'grown'};
is($db->text(q{SELECT r.frame, r.actual > 1.3 * r.expected, r.actual < 1.7 * r.expected FROM profiling.benchmark AS b, LATERAL profiling.report(b.benchmark_id) AS r WHERE b.name = 'grown' AND r.section = 'candidate' AND r.rank <= 3 AND r.frame = 'f3'}),
	'f3|t|t', 'the report has the function that grew, by how much');
like($db->value("SELECT profiling.report_text(benchmark_id) $reported"), qr/Benchmark group:\** production.*Benchmark name:\** grown.*Event:\** cpu, in % of samples.*Compared with:\** 7 hours before\n.*\| [123] \| f3 \|/s, '... as text');
like($db->value("SELECT profiling.report_html(benchmark_id) $reported"), qr/<svg.*f3.*7 hours before against this hour/s, '... and as a page, with the picture of the difference');
is($db->sqlstate(q{SELECT profiling.report(benchmark_id, options => '{"event": "wall"}') FROM profiling.benchmark WHERE name = 'grown'}), '22023', '... not of an event that has no finding');

# That on a deploy is of the pods with the new version against those with the one before, as what was found: f2 has 1.6 times its share.
$reported = q{FROM profiling.benchmark WHERE name = 'deploy'};
is($db->text(q{SELECT r.frame, abs(r.actual / r.expected - 1.6) < 0.15, abs(r.expected - g.expected) < 0.1, abs(r.actual - g.actual) < 0.1
	FROM profiling.benchmark AS b JOIN profiling.regression_history AS g USING (benchmark_id), LATERAL profiling.report(b.benchmark_id) AS r
	WHERE b.name = 'deploy' AND r.section = 'candidate' AND r.rank = 1}), 'f2|t|t|t', 'the report on a deploy has the function that grew, as much as the finding says');
like($db->value("SELECT profiling.report_text(benchmark_id) $reported"), qr/Version:\** v2.*Compared with:\** 4 instances with the version before\n.*\| 1 \| f2 \|/s, '... as text');
like($db->value("SELECT profiling.report_html(benchmark_id) $reported"), qr/<svg.*f2.*4 instances with the version before against those with the new version/s, '... and as a page');
unlike($db->value("SELECT profiling.report_html(benchmark_id) $reported"), qr/Since when|There is nothing to show/, '... without the trend of a metric, which a service has not');
unlike($db->value("SELECT profiling.report_html(benchmark_id) $reported"), qr/expected mean and band/, '... without a trend, which pods of one hour have none');
like($db->value("SELECT profiling.report_html(benchmark_id) FROM profiling.benchmark WHERE name = 'grown'"), qr/expected mean and band/, '... as hours have');

# What somebody calls a false positive stays one; the others are gone in the last hour.
$db->run(q{UPDATE profiling.regression SET status = 'false_positive', closed_at = now() WHERE benchmark_id = (SELECT benchmark_id FROM profiling.benchmark WHERE name = 'minutes')});
hour(1, 1);
$db->run(q{SELECT today('deploy', 1, 1, 'f2', 1.6, '{11,12,13,14}', '{"version": "v2", "commit": "c2"}'), today('rolled', 1, pods => '{11,12,13,14}', labels => '{"version": "v2"}')});
watch();
is(findings('grown') . ' ' . findings('halved') . ' ' . findings('minutes'), 'grown|f3|resolved|2 halved|f0|resolved|2 minutes|f3|false_positive|2', 'they are closed when they are gone');
is(findings('deploy'), 'deploy|f2|open|2', 'that of the deploy is confirmed by the hour after, which has the new version only');
is($db->value(q{SELECT coalesce(deploy, 'nothing') FROM profiling.watched_service WHERE service = 'deploy'}), 'nothing', '... in which the version is not compared again');
is($db->value("SELECT name FROM profiling.open_regression WHERE name NOT IN ('deploy')"), undef, 'nothing else is open');
is($db->text('SELECT * FROM profiling.check()'), '', 'profiling.check() finds nothing');
is($db->value(q{SELECT count(*) FROM profiling.job_log WHERE outcome = 'failed'}), 0, 'nothing has failed');
is($db->value("SELECT count(*) FROM profiling.service_hour GROUP BY service_id, hour HAVING count(*) > 1"), undef, 'each hour was looked at once');

# --- what comes late, and clocks -------------------------------------------------------------------------------------------------

my $calm = q{SELECT count(*), max(profiles) FROM profiling.service_hour JOIN profiling.service USING (service_id) WHERE name = 'calm'};
is($db->text($calm), '3|16', 'three hours of a service were looked at');
$db->run(q{SELECT today('calm', 3, 1, 'f3', 9, '{7}')});
watch();
is($db->text($calm), '3|16', 'profiles that come late to an hour that was looked at change nothing');
$db->run(q{INSERT INTO profiling.service_hour (service_id, event, unit, hour) SELECT service_id, 'cpu', 'samples', hour + interval '20 hours' FROM profiling.service, here WHERE name = 'young'});
$db->run(q{DELETE FROM profiling.service_hour WHERE hour = (SELECT hour - interval '1 hour' FROM here) AND service_id = (SELECT service_id FROM profiling.service WHERE name = 'young')});
watch();
is($db->value(q{SELECT count(*) FROM profiling.service_hour JOIN profiling.service USING (service_id), here WHERE name = 'young' AND service_hour.hour = here.hour - interval '1 hour'}), 1, 'hours that a clock has had too early do not keep those of now from being looked at');

# --- too little ------------------------------------------------------------------------------------------------------------------

$db->run(q{SELECT today('two pods', 1, pods => '{1,2}', per_hour => 6), today('few', 1, per_hour => 2), profiling.ingest_batch(array_fill('empty'::text, '{12}'), array_fill(''::flamegraph, '{12}'),
	array_agg(hour - n * interval '1 min'), array_agg('pod-' || n)) FROM here, generate_series(1, 12) AS n GROUP BY hour});
$db->run(q{SELECT today('canary', 2, labels => '{"version": "a"}'), today('canary', 1, labels => '{"version": "a"}'), today('canary', 1, pods => '{9}', labels => '{"version": "b"}', per_hour => 12)});
$db->run(q{SELECT today('cold', 1, labels => '{"version": "a"}')});
watch();
is(reason('two pods'), 'it has 2 instances, 3 are needed', 'too few instances');
is(reason('few'), 'it has 8 profiles, 10 are needed', 'too few profiles');
is(reason('empty'), 'its profiles have no samples', 'empty profiles');
is($db->value(q{SELECT deploy FROM profiling.watched_service WHERE service = 'canary'}), 'version "b": 1 instances, 4 with "a", 3 of each are needed', 'a canary');
is($db->value(q{SELECT deploy FROM profiling.watched_service WHERE service = 'cold'}), undef, 'the first version that there ever is is no deploy');

# --- several services that stand out in one hour --------------------------------------------------------------------------------

# Ten comparisons, three of which stand out by themselves: 10 * p / alpha is 0.9, 1.9 and 3.5, so that two are selected; of the versions
# four were compared, and of these 4 * p / alpha is 4, which the first place does not allow.
$db->run(q{INSERT INTO profiling.service_hour (service_id, event, unit, hour, compared_with, deploys)
	SELECT 1000 + n, 'cpu', 'samples', timestamptz '2021-01-01 UTC', CASE WHEN n <= 10 THEN 7 END, CASE WHEN n <= 4 THEN 1 ELSE 0 END FROM generate_series(1, 11) AS n;
INSERT INTO profiling.service_candidate (service_id, event, unit, hour, comparison, families, p_value, alpha) SELECT 1000 + n, 'cpu', 'samples', timestamptz '2021-01-01 UTC', c, 12, p, a
	FROM (VALUES (1, 'days', 0.0009, 0.01), (2, 'days', 0.019, 0.1), (3, 'days', 0.0035, 0.01), (4, 'version', 0.01, 0.01)) AS v (n, c, p, a)});
is($db->text(q{SELECT s.* FROM unnest('{days,version}'::text[]) AS c, profiling.selected_services('2021-01-01 UTC', c) AS s}), "10|2\n4|0", 'of families of an hour those are selected that Benjamini and Hochberg find, each by its own alpha');
$db->run(q{DELETE FROM profiling.service_hour WHERE service_id >= 1000; DELETE FROM profiling.service_candidate});

# Among a hundred million services hardly anything is found; when all of the hour were compared there are three, and two stand out.
$db->run(q{DELETE FROM profiling.service_hour; DELETE FROM profiling.regression});
my $three = q{FROM profiling.service, here WHERE name IN ('grown', 'minutes', 'calm')};
$db->run("SELECT profiling.watch_hour(service_id, 'cpu', 'samples', hour - interval '3 hours', 100000000) $three");
# What is certain enough for that is taken away, as if it were not.
$db->run('DELETE FROM profiling.regression');
my $stands = $db->text('SELECT name, p_value <= 0.01 FROM profiling.service_candidate JOIN profiling.service USING (service_id) ORDER BY 1');
is($stands, "grown|t\nminutes|t", 'two services stand out by themselves');
$db->run('CREATE TABLE stood AS SELECT * FROM profiling.service_candidate JOIN profiling.service USING (service_id)');
is($db->value(q{SELECT (profiling.select_services(hour - interval '3 hours')).pending FROM here}), 2, 'of three that were compared they are selected');
is(findings('%'), "grown|f3|pending|1\nminutes|f3|pending|1", '... and found');
is($db->value('SELECT bool_and(abs(r.q_value / (s.p_value * 3 / 2) - 1) < 1e-9) FROM profiling.regression_history AS r JOIN stood AS s ON s.name = r.name'), 't', '... each at two thirds of alpha');
is($db->value('SELECT count(*) FROM profiling.service_candidate'), 0, '... and nothing waits any more');

# --- killed, and side by side ----------------------------------------------------------------------------------------------------

$db->run(q{DELETE FROM profiling.service_hour; DELETE FROM profiling.regression; DROP TABLE stood});
my $one = q{SELECT (profiling.watch_hour(service_id, 'cpu', 'samples', hour - interval '2 hours', 1)).pending FROM profiling.service, here WHERE name = 'grown'};
my $session = Wire->connect($node, 'postgres');
$session->run('BEGIN');
is($session->value($one), 1, 'a session has found something');
watch();
is($db->value(q{SELECT count(*) FROM profiling.service_hour JOIN profiling.service USING (service_id) WHERE name = 'grown'}), 0, '... and while it has the service in hand, others leave that to it');
kill 'KILL', $session->value('SELECT pg_backend_pid()');
1 while sysread $db->{socket}, my $rest, 1000;
$node->poll_query_until('postgres', 'SELECT true') or die 'PostgreSQL has not come back';
$db = Wire->connect($node, 'postgres');
is(findings('grown'), '', '... when it is killed, nothing is there');
watch();
is(findings('grown'), 'grown|f3|resolved|2', '... and the next call does it');
watch();
is($db->value(q{SELECT count(*) FROM profiling.service_hour JOIN profiling.service USING (service_id) WHERE name = 'grown'}), 3, '... once');

# --- runs that nothing is left of -------------------------------------------------------------------------------------------------

# A finding names the hours it begins and ends with; those between, and the first without it, are left when they are old.
$db->run(q{UPDATE profiling.test_run SET started_at = started_at - interval '365 days'});
$db->run(q{SELECT profiling.import_flamegraph('mine', 'a 1', started_at => hour - interval '365 days', labels => '{"service": "calm"}') FROM here});
my $runs = 'SELECT count(*) FROM profiling.test_run';
my $named = q{(SELECT first_test_run_id FROM profiling.regression UNION SELECT last_test_run_id FROM profiling.regression UNION SELECT test_run_id FROM profiling.profile)};
cmp_ok($db->value("$runs WHERE test_run_id NOT IN $named"), '>', 0, 'there are hours of services that no finding names');
my $kept = $db->value("$runs WHERE test_run_id IN $named");
cmp_ok($kept, '>', 1, '... and others');
$db->run('CALL profiling.prune()');
is($db->value($runs), $kept, 'prune() leaves the first, and keeps the others, and a run of a benchmark with such a label');
is($db->text('SELECT * FROM profiling.check()'), '', '... and nothing is missing');

# --- who may, and what -----------------------------------------------------------------------------------------------------------

$db->run('CREATE ROLE reads LOGIN; CREATE ROLE loads LOGIN; CREATE ROLE keeps LOGIN; CREATE ROLE nobody LOGIN');
$db->run("SELECT profiling.grant_access('reads', 'reader'), profiling.grant_access('loads', 'loader'), profiling.grant_access('keeps', 'admin')");
for my $case ([ 'reads', 'no error', '42501' ], [ 'loads', '42501', '42501' ], [ 'keeps', 'no error', 'no error' ], [ 'nobody', '42501', '42501' ])
{
	my $as = Wire->connect($node, 'postgres', user => $case->[0]);
	is($as->sqlstate('SELECT * FROM profiling.watched_service'), $case->[1], "$case->[0] looks");
	is($as->sqlstate('CALL profiling.watch_services()'), $case->[2], "$case->[0] watches");
	is($as->sqlstate("SELECT count(*) FROM profiling.detect_service('calm')"), $case->[1], "$case->[0] detects");
	is($as->sqlstate("INSERT INTO profiling.service_watch (service) VALUES ('$case->[0]')"), $case->[2], "$case->[0] says what is watched");
}
my %refused = (
	'CALL profiling.watch_services(NULL)' => '22023', q{CALL profiling.watch_services('-1 s')} => '22023', 'BEGIN; CALL profiling.watch_services()' => '2D000',
	q{SELECT profiling.detect_service('clam')} => '42704', 'SELECT profiling.detect_service(NULL)' => '42704', q{SELECT profiling.detect_service('calm', 'infinity')} => '22023',
	map({ ("INSERT INTO profiling.service_watch ($_->[0]) VALUES ($_->[1])" => '22023') } [ 'level', q{'metric'} ], [ 'direction', q{'up'} ], [ 'baseline', q{'window:10'} ], [ 'baseline', q{'season:1 month*3'} ],
		[ 'baseline', q{'season:1 day*61'} ], [ 'baseline', q{'season:50 weeks*8'} ], [ 'baseline', q{'season:10 minutes*7'} ]),
	map({ ("INSERT INTO profiling.service_watch ($_->[0]) VALUES ($_->[1])" => '23514') } [ 'alpha', 0 ], [ 'alpha', q{'NaN'} ], [ 'min_share', 2 ], [ 'min_effect', q{'infinity'} ], [ 'confirm', -1 ], [ 'min_instances', 0 ], [ 'min_profiles', 0 ]),
	q{INSERT INTO profiling.service_watch (service) VALUES ('a\\')} => '22025');
for my $statement (sort keys %refused)
{
	is($db->sqlstate($statement), $refused{$statement}, "refused: $statement");
	$db->run('ROLLBACK') if $statement =~ /BEGIN/;
}
like($db->query(q{SELECT profiling.detect_service('clam')})->{error}{hint}, qr/calm/, 'the hint has the name that was meant');

# The row with the most specific patterns is in force; without one the defaults are, which those of the table are, too.
$db->run('DELETE FROM profiling.service_watch');
my $none = $db->text(q{SELECT * FROM profiling.service_watch_of('shop', 'cpu')});
$db->run('INSERT INTO profiling.service_watch DEFAULT VALUES');
is($db->text('SELECT * FROM profiling.service_watch'), $none, 'without a row the defaults of the table are in force');
$db->run(q{INSERT INTO profiling.service_watch (service, event, confirm) VALUES ('shop%', '%', 2), ('shop%', 'cpu', 3), ('shop', '%', 4), ('sho%', 'cpu', 5)});
is($db->text(q{SELECT (profiling.service_watch_of('shop', 'cpu')).confirm, (profiling.service_watch_of('shopping', 'cpu')).confirm, (profiling.service_watch_of('shopping', 'wall')).confirm,
	(profiling.service_watch_of('shows', 'cpu')).confirm, (profiling.service_watch_of('other', 'cpu')).confirm}), '4|3|2|5|1', 'the most specific one is in force');
$db->run(q{INSERT INTO profiling.service_watch (service, enabled) VALUES ('calm', false); INSERT INTO profiling.service_watch (service, min_instances) VALUES ('two pods', 1)});
$db->run(q{DELETE FROM profiling.service_hour USING profiling.service AS s WHERE s.service_id = service_hour.service_id AND s.name IN ('calm', 'two pods')});
watch();
is(reason('calm'), 'service_watch says that it is not watched', 'a service is switched off');
like(reason('two pods'), qr/^too little history: 0 hours/, 'one of two pods is watched when the row says that this is enough');

done_testing();
