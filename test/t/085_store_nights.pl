# The store on real recordings (test/data/nights): three benchmarks, twelve nights, two branches, two events. One finding
# for the right function and stack on the right night, one row as long as it lasts, closed when it went away, nothing for
# what did not change; every method of watch; the slow library that all share. And on 40 benchmarks in which nothing ever
# changes no more nights with a finding than alpha promises.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Store;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('nights');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\njit = off\n");
$node->start;

# A database as it is before the first night, for the others to be copied from.
$node->safe_psql('postgres', 'CREATE DATABASE recorded');
$node->safe_psql('recorded', 'CREATE EXTENSION flamegraph_store CASCADE');
my $host = $node->host;
my $port = $node->port;
is(system("psql -X -q -v ON_ERROR_STOP=1 -h '$host' -p $port -d recorded -f test/data/nights/load.sql"), 0, 'the recordings are read');
$node->safe_psql('recorded', <<'SQL');
-- findings, with nights in place of runs
CREATE VIEW finding AS
SELECT name, event, branch, method, level, subject::text, kind, status,
	(first_started_at AT TIME ZONE 'UTC')::date - date '2026-10-31' AS first_night,
	(last_started_at AT TIME ZONE 'UTC')::date - date '2026-10-31' AS last_night, regression_id, closed_at
FROM profiling.regression_history;
CREATE TABLE seen AS SELECT 0 AS night, * FROM finding LIMIT 0;
SQL

sub value { my ($database, $sql) = @_; return Wire::answer($node, $database, $sql); }

# Twelve nights, and what was in the table of findings after each.
sub run_nights
{
	my ($database, $watch, @nights) = @_;
	value('postgres', "CREATE DATABASE $database TEMPLATE recorded");
	value($database, $watch) if $watch;
	my $script = '';
	for my $night (@nights)
	{
		$script .= "SELECT load_night($_);\n" for ref $night ? @$night : $night;
		my $last = ref $night ? $night->[-1] : $night;
		$script .= "CALL profiling.watch_run();\nINSERT INTO seen SELECT $last, * FROM finding;\n";
	}
	value($database, $script);
	is(value($database, q{SELECT count(*) FROM profiling.job_log WHERE outcome <> 'ok'}), 0, "$database: nothing failed");
	return;
}

#
# What a team has: the row that comes with the extension, and stacks beside functions.
#
run_nights('team', q{INSERT INTO profiling.watch (method, level) VALUES ('deviation', 'stack')}, 1 .. 12);

is(value('team', 'SELECT count(*), count(DISTINCT benchmark_id), count(DISTINCT (event, unit)) FROM profiling.profile'), '180|3|2', 'all recordings are in the store');
# parse() makes room for more from night 6 on, which also costs time: 14 samples of 360 in the nights before, 20 in those from 6 on.
is(value('team', q{SELECT DISTINCT level, subject, kind, first_night FROM finding WHERE name = 'orders' AND event = 'cpu' AND subject !~ 'parse$' ORDER BY 1}),
	join("\n", 'frame|orders.js:distance|degradation|9', 'metric||degradation|9',
		'stack|main.js;orders.js:run;orders.js:meant;orders.js:distance|degradation|9'),
	'orders: the function, its stack and the time of the run, all from night 9 on');
is(value('team', q{SELECT min(night), max(night), count(*), count(DISTINCT regression_id), bool_and(status = 'open'), max(last_night) FROM seen
	WHERE name = 'orders' AND event = 'cpu' AND level = 'frame'}), '9|12|4|1|t|12',
	'... opened on night 9, and still the same row on night 12');
is(value('team', q{SELECT string_agg(DISTINCT subject || ' ' || kind || ' ' || first_night || ' ' || last_night || ' ' || status, ', ') FROM finding
	WHERE name = 'search' AND event = 'cpu' AND level = 'frame'}), 'search.js:rank degradation 7 9 resolved', 'search: found on night 7, gone after night 9');
is(value('team', q{SELECT string_agg(night || ' ' || status, ', ' ORDER BY night) FROM seen WHERE name = 'search' AND event = 'cpu' AND level = 'frame'}),
	'7 open, 8 open, 9 open, 10 resolved, 11 resolved, 12 resolved', '... one row, which closes itself on night 10');
ok(value('team', q{SELECT bool_and(closed_at IS NOT NULL) FROM finding WHERE name = 'search'}) eq 't', '... with the date');
is(value('team', q{SELECT count(*) FROM finding WHERE name = 'render'}), 0, 'render: nothing');
is(value('team', q{SELECT string_agg(DISTINCT branch, ',') FROM finding}), 'main', 'nothing on the branch codec, and nothing between the branches');
is(value('team', q{SELECT DISTINCT name, level, subject, kind, first_night, last_night, status FROM finding WHERE event = 'alloc' ORDER BY 2}),
	join("\n", map { "orders|$_|degradation|6|12|open" } 'frame|orders.js:parse', 'stack|main.js;orders.js:run;map;orders.js:parse'),
	'allocation: the function that allocates more from night 6 on');
is(value('team', q{SELECT count(*) FROM seen WHERE night < 9 AND name = 'orders' AND event <> 'alloc' AND (night < 6 OR subject !~ 'parse$')}), 0, '... in the event alloc only');
is(value('team', 'CALL profiling.watch_run(); SELECT count(*) FROM (TABLE finding EXCEPT SELECT ' . join(', ',
			qw(name event branch method level subject kind status first_night last_night regression_id closed_at)) . ' FROM seen WHERE night = 12) AS x'),
	0, 'once more the same night: no change');

# The library.
my $slowest = q{SELECT frame, benchmarks FROM profiling.correlate(suite => 'nights', branch => 'codec', min_profiles => 10) WHERE benchmarks = 3 LIMIT 1};
is(value('team', $slowest), 'codec.js:scramble|3', 'correlate names the library that makes all three benchmarks slow');
is(value('team', q{SELECT frame FROM profiling.bottlenecks(suite => 'nights', branch => 'codec', measure => 'correlation') WHERE benchmarks = 3 LIMIT 1}),
	'codec.js:scramble', '... and so does bottlenecks');
cmp_ok(value('team', q{SELECT score FROM profiling.correlate(suite => 'nights', branch => 'codec', min_profiles => 10) WHERE frame = 'codec.js:scramble'}), '>', 0.8,
	'... with a high score');

# What dashboards and people read.
is(value('team', q{SELECT name, event, open_findings FROM profiling.benchmark_overview WHERE open_findings > 0 ORDER BY 1, 2}), "orders|alloc|2\norders|cpu|3", 'the overview counts what is open');
like(value('team', q{SELECT profiling.report_text(benchmark_id) FROM profiling.benchmark WHERE name = 'orders'}), qr/orders\.js:distance/, 'the report names the function');

# A method that needs several runs may find a change late, when runs before it have it, too: it is not closed for that.
value('team', <<'SQL');
UPDATE profiling.regression AS r SET first_test_run_id = t.test_run_id FROM profiling.test_run AS t
WHERE r.subject = 'orders.js:distance' AND t.started_at = '2026-11-11 02:00 UTC' AND t.branch = 'main';
UPDATE profiling.rollup SET checked_at = NULL WHERE started_at = '2026-11-12 02:00 UTC';
CALL profiling.watch_run();
SQL
is(value('team', q{SELECT first_night, last_night, status FROM finding WHERE subject = 'orders.js:distance'}), '11|12|open', 'what was found late stays open while it is there');

#
# Each method alone.
#
sub method
{
	my ($method, $level, $columns, $more) = @_;
	run_nights($method, ($more // '') . 'UPDATE profiling.watch SET enabled = false WHERE watch_id = 0;'
		. "INSERT INTO profiling.watch (method, level, event, $columns->[0]) VALUES ('$method', '$level', 'cpu', $columns->[1])", 1 .. 12);
	is(value($method, q{SELECT count(*) FROM finding WHERE name = 'render' OR branch <> 'main' OR event <> 'cpu'}), 0, "$method: nothing for what did not change");
	return value($method, q{SELECT string_agg(DISTINCT format('%s %s %s', subject, first_night, status), ', ')
		FROM finding WHERE name = 'orders' AND kind = 'degradation'});
}

# Three of four runs that have it are enough to find it.
like(method('welch', 'frame', [ 'alpha, options', q{0.05, '{"recent": 4}'} ]), qr/orders\.js:distance [89] open/, 'welch finds the function');
# Twelve profiles are too few for a hundred functions together: those of node itself become one.
like(method('hotelling', 'self', [ 'alpha, options', q{0.05, '{"recent": 4}'} ],
		q{INSERT INTO profiling.frame_rule (pattern, replacement) VALUES ('^(?!(orders|search|render|codec)\.js:[a-z]+$).*$', '(other)');}),
	qr/orders\.js:distance 9 open/, 'hotelling finds the function');
like(method('energy', 'frame', [ 'alpha, options', q{0.05, '{"recent": 3}'} ]), qr/orders\.js:distance \d+ open/, 'energy finds the function');
like(method('change_point', 'frame', [ 'alpha, options', q{0.05, '{"min_segment": 2}'} ]), qr/orders\.js:distance 9 open/, 'change_point finds the function, and that it changed on night 9');
like(method('correlation', 'self', [ 'alpha', '0.05' ]), qr/orders\.js:distance 9 open/, 'correlation finds the function that goes with the time of the runs');

# Models: how the library's cost grows with the number of passes over the text, from what the branch codec measured. The
# second half of the nights is the same library; a library that takes twice as long per pass is not.
value('postgres', 'CREATE DATABASE models TEMPLATE recorded');
value('models', <<'SQL');
CREATE TABLE measured AS
SELECT r.night, (ARRAY[5,8,4,7,9,5,6,8,4,9,6,7])[r.night]::float8 AS passes, frame_self(r.profile, 'codec.js:scramble') AS samples
FROM recording AS r WHERE r.branch = 'codec' AND r.event = 'cpu' AND r.benchmark = 'orders';
INSERT INTO profiling.watch (method, level) VALUES ('integral', 'location'), ('local_statistics', 'location');
SELECT profiling.import_observations('orders', array_agg('codec.js:scramble'::text ORDER BY night), array_agg(passes ORDER BY night),
	array_agg(samples * CASE WHEN g.run = 3 THEN 2 ELSE 1 END ORDER BY night), started_at => timestamptz '2026-11-01 UTC' + g.run * interval '1 week', unit => 'samples')
FROM measured, (VALUES (1, 1, 6), (2, 7, 12), (3, 7, 12)) AS g (run, since, until) WHERE night BETWEEN since AND until GROUP BY g.run;
CALL profiling.watch_run();
SQL
is(value('models', q{SELECT method, level, subject, kind, status, to_char(first_started_at AT TIME ZONE 'UTC', 'DD') FROM profiling.regression_history ORDER BY 1}),
	"integral|location|codec.js:scramble|degradation|open|22\nlocal_statistics|location|codec.js:scramble|degradation|open|22",
	'integral and local_statistics: the model that changed, and not the one that was measured twice');

#
# Nothing ever changes: 40 benchmarks, each with the means of recorded runs and the noise of counts, 20 nights. A night
# has a finding with at most the probability alpha; small effects and shares are not left out here.
#
my $alpha = 0.2;
value('postgres', 'CREATE DATABASE quiet TEMPLATE recorded');
value('quiet', $Store::uniform . <<"SQL");
CREATE FUNCTION poisson(mean float8, key text) RETURNS int LANGUAGE plpgsql AS \$\$
DECLARE
	v_left float8 := uniform(key);
	v_p float8 := exp(-mean);
	v_n int := 0;
BEGIN
	WHILE v_left > v_p AND v_n < 10 * mean + 100 LOOP
		v_left := v_left - v_p;
		v_n := v_n + 1;
		v_p := v_p * mean / v_n;
	END LOOP;
	RETURN v_n;
END \$\$;
CREATE TABLE expected AS
SELECT b AS n, s.stack, s.value * (0.5 + 0.05 * (b / 3)) AS mean
FROM generate_series(1, 40) AS b,
	LATERAL (SELECT avg(r.profile) AS mean FROM recording AS r
		WHERE r.event = 'cpu' AND r.branch = 'main' AND r.night <= 5 AND r.benchmark = (ARRAY['orders', 'search', 'render'])[b % 3 + 1]) AS m,
	LATERAL stacks(m.mean) AS s;
UPDATE profiling.watch SET alpha = $alpha, min_share = 0, min_effect = 0;
SQL
my $nights = 20;
value('quiet', join '', map { <<"SQL" } 1 .. $nights);
SELECT count(profiling.import_flamegraph('b' || d.n, d.fg, started_at => timestamptz '2026-10-01 UTC' + $_ * interval '1 day', commit => 'c$_'))
FROM (SELECT e.n, flamegraph_agg(e.stack, poisson(e.mean, concat_ws(' ', $_, e.n, e.stack))) AS fg FROM expected AS e GROUP BY e.n) AS d;
CALL profiling.watch_run();
SQL
is(value('quiet', q{SELECT count(*), count(DISTINCT benchmark_id) FROM profiling.rollup WHERE checked_at IS NOT NULL}), '800|40', 'the quiet nights were all looked at');
my $bad = value('quiet', 'SELECT count(DISTINCT first_test_run_id) FROM profiling.regression');
# P(X > most) < 0.001 for a binomial X of so many nights and alpha; the first two nights have no history.
my $most = binomial_bound($nights - 2, $alpha, 0.001);
note("$bad nights of $nights with a finding, alpha $alpha: at most $most are");
cmp_ok($bad, '<=', $most, 'nights without a change have a finding no more often than alpha promises');

# The same with the noise that real recordings have: each night one of those without a change, drawn anew.
value('postgres', 'CREATE DATABASE drawn TEMPLATE recorded');
value('drawn', $Store::uniform . <<"SQL" . join '', map { <<"SQL2" } 1 .. $nights);
UPDATE profiling.watch SET alpha = $alpha, min_share = 0, min_effect = 0;
CREATE TABLE unchanged AS
SELECT benchmark, profile, metric, row_number() OVER (PARTITION BY benchmark ORDER BY night, repetition) AS n, count(*) OVER (PARTITION BY benchmark) AS of
FROM recording
WHERE event = 'cpu' AND branch = 'main' AND NOT (benchmark = 'orders' AND night >= 9) AND NOT (benchmark = 'search' AND night BETWEEN 7 AND 9);
SQL
SELECT count(profiling.import_flamegraph('b' || d.b, u.profile, started_at => timestamptz '2026-10-01 UTC' + $_ * interval '1 day', commit => 'c$_',
	metric => u.metric, metric_unit => 'ms'))
FROM (SELECT b, (ARRAY['orders', 'search', 'render'])[b % 3 + 1] AS benchmark, uniform('$_ ' || b) AS x FROM generate_series(1, 40) AS b) AS d
	JOIN unchanged AS u ON u.benchmark = d.benchmark AND u.n = 1 + floor(d.x * u.of);
CALL profiling.watch_run();
SQL2
is(value('drawn', q{SELECT count(*) FROM profiling.rollup WHERE checked_at IS NOT NULL}), '800', 'nights of recordings drawn anew were all looked at');
$bad = value('drawn', 'SELECT count(DISTINCT first_test_run_id) FROM profiling.regression');
note("$bad nights of $nights with a finding, alpha $alpha: at most $most are");
cmp_ok($bad, '<=', $most, '... and have a finding no more often than alpha promises');

# ... and yet a change is found: in one of the 40 a stack of 50 samples or more is three times what it was.
value('quiet', <<"SQL");
UPDATE expected SET mean = 3 * mean WHERE n = 23 AND stack = (SELECT stack FROM expected WHERE n = 23 AND mean BETWEEN 50 AND 200 ORDER BY mean LIMIT 1);
SELECT count(profiling.import_flamegraph('b' || d.n, d.fg, started_at => '2026-10-31 UTC', commit => 'slow'))
FROM (SELECT e.n, flamegraph_agg(e.stack, poisson(e.mean, concat_ws(' ', 'slow', e.n, e.stack))) AS fg FROM expected AS e GROUP BY e.n) AS d;
CALL profiling.watch_run();
SQL
is(value('quiet', q{SELECT DISTINCT name FROM profiling.open_regression WHERE first_commit = 'slow'}), 'b23', '... and a change in one of them is found');

sub binomial_bound
{
	my ($n, $p, $tail) = @_;
	my $mass = (1 - $p)**$n;
	my $above = 1 - $mass;
	my $k = 0;
	while ($above > $tail)
	{
		$k++;
		$mass *= ($n - $k + 1) / $k * $p / (1 - $p);
		$above -= $mass;
	}
	return $k;
}

$node->stop;
done_testing();
