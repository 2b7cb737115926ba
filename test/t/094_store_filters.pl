# What the end of a night keeps from people: several findings with one cause are one group and one NOTIFY, costs that only
# moved are told to nobody, and what a busy machine makes slow waits. Real recordings: test/data/nights (three programs and
# a library that all of them use) and test/data/noise (at rest and with both cores busy). Each filter is also switched off,
# and then people are told.
use strict;
use warnings;

use FindBin;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('filters');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\njit = off\n");
$node->start;
my $data = "$FindBin::RealBin/../data";

sub value { my ($database, $sql) = @_; return Wire::answer($node, $database, $sql); }

# A copy of a database, with statements of its own, and what LISTEN gets while the last night is compared.
sub night
{
	my ($database, $template, $before) = @_;
	value('postgres', "CREATE DATABASE $database TEMPLATE $template");
	value($database, $before);
	my $db = Wire->connect($node, $database);
	$db->run('LISTEN profiling_regression');
	value($database, 'CALL profiling.watch_run()');
	return [ map { decode_json($_->[1]) } @{ $db->query('SELECT 1')->{notifications} // [] } ];
}

# How many findings each filter kept back, in the newest row of a night or of a benchmark.
sub kept
{
	my ($database, $name) = @_;
	return value($database, q{SELECT concat_ws(' ', pending, went_away, environment, shift, groups) FROM profiling.night_filters WHERE name IS NOT DISTINCT FROM }
		. (defined $name ? "'$name'" : 'NULL') . ' ORDER BY log_id DESC LIMIT 1');
}

# What a loader may write must not keep the night from telling that a machine changed.
sub extremes
{
	my ($database) = @_;
	is(value($database, q{SELECT round(exp(profiling.typical_change('{a 1e150,a 1e150}', 'a 1e-300'))::numeric, 9)}), '0.000000001', 'a function that nearly vanished');
	is(value($database, q{SELECT round(exp(profiling.typical_change('{a 1e-150,a 1e-150}', 'a 1e300'))::numeric)}), '1000000000', 'one that came out of nearly nothing');
	value($database, q{BEGIN; SELECT profiling.open_environment('h', ARRAY(SELECT ROW('h', 'stack', b.benchmark_id, b.name, 'cpu', 'samples', 'main',
		1, '', 1e300, 1e-320, c, -9)::profiling.host_change FROM profiling.benchmark AS b, unnest('{-1400,1400}'::float8[]) AS c)); ROLLBACK});
	return;
}

sub failed { my ($database) = @_; return value($database, q{SELECT count(*) FROM profiling.job_log WHERE outcome <> 'ok'}); }

#
# Eleven nights of three programs with a library, on two branches; a fourth benchmark has nothing to do with it.
#
value('postgres', 'CREATE DATABASE recorded');
value('recorded', 'CREATE EXTENSION flamegraph_store CASCADE');
my $host = $node->host;
my $port = $node->port;
is(system("psql -X -q -v ON_ERROR_STOP=1 -h '$host' -p $port -d recorded -f test/data/nights/load.sql"), 0, 'the recordings are read');
value('recorded', <<'SQL');
-- Twelve recordings of six nights; those of branch dev in the other order. One function of each is the library.
CREATE FUNCTION profile_of(benchmark text, n int, branch text) RETURNS flamegraph LANGUAGE sql AS $$
	SELECT rename_frames(r.profile, '^(orders.js:amount|search.js:rank|render.js:paint)$', 'library.js:hash')
	FROM (SELECT o.profile, row_number() OVER (ORDER BY o.night, o.repetition) AS n FROM recording AS o
		WHERE o.event = 'cpu' AND o.branch = 'main' AND o.benchmark = profile_of.benchmark) AS r
	WHERE r.n = CASE profile_of.branch WHEN 'main' THEN profile_of.n ELSE 13 - profile_of.n END
$$;
CREATE FUNCTION loaded(of_benchmark text, to_benchmark text, n int, branch text, profile flamegraph DEFAULT NULL) RETURNS bigint LANGUAGE sql AS $$
	SELECT profiling.import_flamegraph(to_benchmark, coalesce(loaded.profile, r.profile), started_at => timestamptz '2026-11-01 UTC' + n * interval '1 day',
		branch => loaded.branch, commit => 'commit' || n)
	FROM profile_of(of_benchmark, n, loaded.branch) AS r (profile)
$$;
-- what is below a function costs more
CREATE FUNCTION slower(fg flamegraph, functions text, factor float8 DEFAULT 4) RETURNS flamegraph LANGUAGE sql AS $$
	SELECT fg + (factor - 1) * filter_stacks(fg, ('*;' || functions || ';*')::stackquery)
$$;
SELECT loaded(b, b, n, v) FROM unnest('{orders,search,render}'::text[]) AS b, unnest('{main,dev}'::text[]) AS v, generate_series(1, 11) AS n;
SELECT loaded('orders', 'other', n, 'dev') FROM generate_series(1, 11) AS n;
CALL profiling.watch_run();
SQL
is(value('recorded', 'SELECT count(*) FROM profiling.regression'), 0, 'the nights before are quiet');
extremes('recorded');

#
# one cause, one message
#
my $library = <<'SQL';
SELECT loaded(b, b, 12, v, slower(profile_of(b, 12, v), '"library.js:hash"')) FROM unnest('{orders,search,render}'::text[]) AS b, unnest('{main,dev}'::text[]) AS v;
SELECT loaded('orders', 'other', 12, 'dev', slower(profile_of('orders', 12, 'dev'), '"orders.js:distance"'));
SQL
my $told = night('library', 'recorded', $library);
is(failed('library'), 0, 'library: nothing failed');
is(value('library', q{SELECT findings, benchmarks, names, branches, subjects[1], kind, previous_commit, first_commit FROM profiling.open_group ORDER BY findings DESC}),
	"6|3|{orders,render,search}|{dev,main}|library.js:hash|degradation|commit11|commit12\n1|1|{other}|{dev}|orders.js:distance|degradation|commit11|commit12",
	'a library that became slower is one group, of three benchmarks and two branches; a function of another benchmark is one of its own');
is(scalar @$told, 2, '... and one message each');
my ($large) = sort { $b->{benchmarks} <=> $a->{benchmarks} } @$told;
is_deeply([ @{$large}{qw(opened closed benchmarks kind cause)} ], [ 6, 0, 3, 'degradation', '' ], '... which says of what');
is_deeply([ sort keys %$large ], [qw(benchmark_id benchmark_ids benchmarks cause closed group_id kind opened regression_ids relative test_run_id)],
	'... in numbers and words of ours: every role may listen, so it has no names');
is(value('library', "SELECT array_agg(regression_id ORDER BY regression_id) FROM profiling.regression WHERE group_id = $large->{group_id}"),
	'{' . join(',', @{ $large->{regression_ids} }) . '}', '... of all its findings');
is(kept('library'), '0 0 0 0 5', '... and five findings were told with another one');
is(value('library', q{SELECT count(*) FILTER (WHERE notified_at IS NULL), count(DISTINCT group_id), count(*) FILTER (WHERE cause <> '') FROM profiling.regression}), '0|2|0',
	'everybody was told, and no cost only moved');
value('library', 'CALL profiling.watch_run()');
is(value('library', q{SELECT count(*) FROM profiling.regression_group}), 2, 'once more the same night: no other group');

$told = night('alone', 'recorded', $library . q{UPDATE profiling.watch SET options = '{"groups": "false"}' WHERE watch_id = 0});
is(failed('alone'), 0, 'alone: nothing failed');
is(join(' ', map { $_->{opened} } @$told), '1 1 1 1 1 1 1', 'without this filter each finding is a message');
is(value('alone', 'SELECT count(*), max(findings) FROM profiling.open_group'), '7|1', '... and a row');
is(kept('alone'), '0 0 0 0 0', '... and nothing was kept back');

#
# costs that only moved
#
# On branch main half of what search spends in score goes to a new function; on dev, too, and there the library is slower.
my $moves = <<'SQL';
INSERT INTO profiling.domain VALUES ('*;"search.js:score"|"search.js:score_fast";*', 'scoring');
SELECT loaded('search', 'search', 12, v, p.fg - 0.5 * f.fg + rename_frames(0.5 * f.fg, '^search.js:score$', 'search.js:score_fast')
	+ CASE v WHEN 'dev' THEN 2 ELSE 0 END * filter_stacks(p.fg, '*;"library.js:hash";*'))
FROM unnest('{main,dev}'::text[]) AS v, profile_of('search', 12, v) AS p (fg), LATERAL (SELECT filter_stacks(p.fg, '*;"search.js:score";*')) AS f (fg);
SQL
my $moved = q{SELECT branch, subject, cause, counterpart, notified_at IS NOT NULL FROM profiling.regression WHERE kind = 'degradation' ORDER BY branch, subject::text};
$told = night('shift', 'recorded', $moves);
is(failed('shift'), 0, 'shift: nothing failed');
is(value('shift', $moved), "dev|library.js:hash||{}|t\ndev|search.js:score_fast|shift|{search.js:score}|f\nmain|search.js:score_fast|shift|{search.js:score}|f",
	'a function that took over a part of another one only moved a cost, within its caller or within a domain; a slower library beside it did not');
is(value('shift', q{SELECT DISTINCT name, subject, counterpart FROM profiling.cost_shift WHERE kind = 'degradation'}), 'search|search.js:score_fast|{search.js:score}', '... in a view');
is(join(' ', map { ($_->{opened}, value('shift', "SELECT subject FROM profiling.regression WHERE regression_id IN (" . join(',', @{ $_->{regression_ids} }) . ')')) } @$told), '1 library.js:hash',
	'... and people are told of the library only');
is(value('shift', 'SELECT subjects FROM profiling.open_group'), '{library.js:hash}', '... and read of it only');
is(kept('shift'), '0 0 0 4 0', '... which kept back what shrank on two branches, and what took it over');
is(kept('shift', 'search'), '0 0 0 4 0', '... all of one benchmark');
is(value('shift', q{UPDATE profiling.regression SET status = 'resolved', closed_at = now() - interval '1 day' * CASE WHEN n > 2 THEN 6 ELSE 8 END FROM
	(SELECT regression_id AS id, row_number() OVER (ORDER BY regression_id) AS n FROM profiling.regression WHERE cause = 'shift') AS n WHERE regression_id = n.id;
	UPDATE profiling.watch SET options = '{"notify_shift": "true"}' WHERE watch_id = 0; CALL profiling.watch_run();
	SELECT bool_and((notified_at IS NULL) = (closed_at < now() - interval '7 days')), count(notified_at) FROM profiling.regression WHERE cause = 'shift'}), 't|2',
	'... and when they want to read of moved costs, they are not told of old ones');

$told = night('no_shift', 'recorded', $moves . q{UPDATE profiling.watch SET options = '{"shift_share": 0}' WHERE watch_id = 0});
is(value('no_shift', $moved), "dev|library.js:hash||{}|t\ndev|search.js:score_fast||{}|t\nmain|search.js:score_fast||{}|t", 'without this filter they are told of both');
$told = night('shift_told', 'recorded', $moves . q{UPDATE profiling.watch SET options = '{"notify_shift": "true"}' WHERE watch_id = 0});
is(value('shift_told', $moved), "dev|library.js:hash||{}|t\ndev|search.js:score_fast|shift|{search.js:score}|t\nmain|search.js:score_fast|shift|{search.js:score}|t",
	'... or of what moved as such, where they want to be');
is(scalar(grep { $_->{cause} eq 'shift' && $_->{kind} eq 'degradation' } @$told), 1, '... in a message of its own');

#
# the machine, not the code
#
value('postgres', 'CREATE DATABASE noise');
value('noise', 'CREATE EXTENSION flamegraph_store CASCADE');
my $folder = PostgreSQL::Test::Utils::tempdir();
open my $out, '>', "$folder/noise.tsv" or die $!;
for my $load (qw(idle500 busy500))
{
	mkdir "$folder/$load";
	for my $kind (qw(c javascript python))
	{
		system("tar -C '$folder/$load' -xf '$data/noise/$load/$kind.tar'") == 0 or die "no $kind.tar";
		for my $file (sort glob "$folder/$load/$kind/{0,1}?-1.gz")
		{
			my ($night, $repetition) = $file =~ /(\d+)-(\d)\.gz$/;
			next if $night > 12 || $load eq 'busy500' && $night != 11;
			open my $in, '<:raw', $file or die $!;
			print $out join("\t", $load, $kind, $night, $repetition, '\\\\x' . unpack('H*', join '', <$in>)), "\n";
		}
	}
}
close $out;
value('noise', <<"SQL");
CREATE TABLE recorded (load text, kind text, night int, repetition int, data bytea);
\\copy recorded FROM '$folder/noise.tsv'
CREATE TABLE recording AS
SELECT r.load, r.kind, r.night, r.repetition, c.event, c.unit, c.period, c.complete FROM recorded AS r, LATERAL read_recording(r.data) AS c;
CREATE FUNCTION loaded(load text, n int) RETURNS bigint LANGUAGE sql AS \$\$
	SELECT count(profiling.import_flamegraph(r.kind, r.complete, started_at => timestamptz '2026-01-01 UTC' + r.night * interval '1 day', commit => 'commit' || r.night,
		event => r.event, unit => r.unit, period => r.period, repetition => r.repetition, labels => '{"host": "builder"}'))
	FROM recording AS r WHERE r.load = loaded.load AND r.night = loaded.n
\$\$;
UPDATE profiling.watch SET alpha = 0.2;
SELECT loaded('idle500', n) FROM generate_series(1, 10) AS n;
CALL profiling.watch_run();
SQL
my $busy = q{SELECT loaded('busy500', 11)};
my $waiting = q{SELECT kind, cause, status, count(*) > 0, bool_and(notified_at IS NULL) FROM profiling.regression WHERE last_test_run_id = first_test_run_id GROUP BY 1, 2, 3 ORDER BY 1 DESC};

$told = night('rest', 'noise', q{SELECT loaded('idle500', 11)});
is(value('rest', q{SELECT count(*) FROM profiling.regression WHERE kind = 'environment' OR cause <> ''}), 0, 'a night at rest is no other machine');
$told = night('busy', 'noise', $busy);
is(failed('busy'), 0, 'busy: nothing failed');
is(value('busy', $waiting), "environment|environment|open|t|f\ndegradation|environment|pending|t|t", 'when other programs run beside, that is one finding, and the others wait');
is(join(' ', map { "$_->{opened} $_->{kind}" } @$told), '1 environment', '... and people are told of the machine only');
like(value('busy', q{SELECT note FROM profiling.regression WHERE kind = 'environment'}), qr/^2 benchmarks on host "builder" changed together, by factors from [2-9]\.\d+ to [2-9]\.\d+: javascript, python$/,
	'... with the host, and by how much');
my $held = value('busy', q{SELECT count(*) FROM profiling.regression WHERE status = 'pending'});
is(kept('busy'), "0 0 $held 0 0", '... which kept the others back');
is(value('busy', q{SELECT max(open_findings) FROM profiling.benchmark_overview}), 0, '... and it is no finding of a benchmark');
night('new_host', 'noise', $busy . q{; UPDATE profiling.test_run SET labels = '{"host": "before"}' WHERE started_at < '2026-01-12 UTC'});
is(failed('new_host'), 0, 'new_host: nothing failed');
is(value('new_host', $waiting), value('busy', $waiting), '... and when the host is another one that is slower, it is the same');
value('busy', q{SELECT loaded('idle500', 12); CALL profiling.watch_run()});
is(value('busy', q{SELECT status FROM profiling.regression WHERE kind = 'environment'}), 'resolved', '... which ends with the next quiet night');
like(kept('busy'), qr/^0 \Q@{[ value('busy', q{SELECT count(*) FROM profiling.regression WHERE status = 'went_away'}) ]}\E 0 0 /, '... and what waited has gone away');

$told = night('not_watched', 'noise', $busy . q{; UPDATE profiling.watch SET options = '{"environment": "false"}'});
is(value('not_watched', q{SELECT DISTINCT kind, cause, status, notified_at IS NOT NULL FROM profiling.regression}), 'degradation||open|t', 'without this filter people are told of what it made slow');
# A fixed loop that stands still says that it is the code.
$told = night('reference', 'noise', $busy . q{; UPDATE profiling.watch SET options = '{"reference": "c"}'});
is(value('reference', q{SELECT count(*) FROM profiling.regression WHERE kind = 'environment'}), 0, 'a reference that did not change denies it');
$told = night('reference_moved', 'noise', $busy . q{; UPDATE profiling.watch SET options = '{"reference": "python"}'});
is(value('reference_moved', q{SELECT b.name FROM profiling.regression JOIN profiling.benchmark AS b USING (benchmark_id) WHERE kind = 'environment'}), 'python', '... and one that changed makes it certain');

#
# the speed of the machine
#
my $slow = <<'SQL';
SELECT loaded(b, b, 12, v, 2 * profile_of(b, 12, v)) FROM unnest('{orders,search,render}'::text[]) AS b, unnest('{main,dev}'::text[]) AS v;
SELECT loaded('orders', 'other', 12, 'dev', 2 * profile_of('orders', 12, 'dev'));
SQL
night('slow_host', 'recorded', $slow . q{UPDATE profiling.watch SET options = '{"environment": "false"}'});
cmp_ok(value('slow_host', 'SELECT count(*) FROM profiling.regression'), '>', 3, 'on a machine that is half as fast everything is slower');
night('host_speed', 'recorded', $slow . q{UPDATE profiling.watch SET options = '{"environment": "false", "size_factor": "host"}'});
is(failed('host_speed'), 0, 'host_speed: nothing failed');
is(value('host_speed', 'SELECT count(*) FROM profiling.regression'), 0, '... and nothing is at the speed of all its benchmarks');

# A finding of the night before, which is gone: on the slow night it only looks as if it were there.
my $gone = q{WITH run AS (SELECT r.*, row_number() OVER (PARTITION BY r.branch ORDER BY r.started_at DESC) AS age FROM profiling.rollup AS r JOIN profiling.benchmark AS b USING (benchmark_id)
		WHERE b.name = 'orders' AND r.event = 'cpu' AND r.branch = 'main' AND r.span = 'run'), opened AS (
	INSERT INTO profiling.regression (benchmark_id, event, unit, branch, first_test_run_id, last_test_run_id, method, level, subject, subject_id, expected, actual, diff, relative, kind)
	SELECT benchmark_id, event, unit, branch, test_run_id, test_run_id, 'deviation', 'frame', 'orders.js:run', md5('orders.js:run')::uuid, e, 1.5 * e, 0.5 * e, 0.5, 'degradation'
	FROM run, LATERAL (SELECT frame_total(flamegraph, 'orders.js:run') / repetitions AS e) AS x WHERE age = 2 RETURNING 1)
	SELECT count(*) FROM opened};
my $still_there = q{SELECT s.is_there FROM profiling.regression AS f JOIN profiling.rollup AS r USING (benchmark_id, event, unit, branch),
	LATERAL profiling.seen_again(r.benchmark_id, r.event, r.unit, r.branch, r.test_run_id) AS s WHERE f.subject = 'orders.js:run' AND s.regression_id = f.regression_id ORDER BY r.started_at DESC LIMIT 1};
is(value('host_speed', $gone), 1, 'a finding of the night before');
is(value('host_speed', $still_there), 'f', '... is followed at the speed of the host');
is(value('host_speed', q{UPDATE profiling.watch SET options = '{"environment": "false"}'; } . $still_there), 't', '... where the watch row says so');

$node->stop;
done_testing();
