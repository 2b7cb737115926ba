# The nightly comparison of the store, over simulated nights: recorded profiles, and made up ones for each method. One
# finding for the right function on the right night, one row as long as it lasts, closed when it goes away; nothing for a
# quiet benchmark, across branches or events, and in nights without a change no more often than alpha says. Two sessions at
# once, a benchmark that fails, a server that is killed.
use strict;
use warnings;

use FindBin;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes ();

use lib $FindBin::RealBin;
use Store;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\njit = off\n");
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
$db->run($Store::uniform . <<'SQL');
-- A night's run of a benchmark: the recording of that number, with some stacks three times.
CREATE FUNCTION night(benchmark text, n int, slow stackquery DEFAULT NULL, branch text DEFAULT 'main', event text DEFAULT 'cpu',
	version text DEFAULT 'index', started_at timestamptz DEFAULT '2026-01-01') RETURNS bigint LANGUAGE sql AS $$
	SELECT profiling.import_flamegraph(benchmark, CASE WHEN slow IS NULL THEN r.profile ELSE r.profile + 2 * filter_stacks(r.profile, slow) END,
		started_at => night.started_at + n * interval '1 day', branch => night.branch, commit => 'commit' || n, event => night.event)
	FROM recorded AS r WHERE r.version = night.version AND r.n = night.n
$$;
-- findings with the night that a run belongs to
CREATE VIEW finding AS
SELECT regression_id AS id, name, event, branch, method, level, subject::text, kind, status, team,
	(first_started_at AT TIME ZONE 'UTC')::date - date '2026-01-01' AS first_night, (last_started_at AT TIME ZONE 'UTC')::date - date '2026-01-01' AS last_night,
	expected, actual, diff, relative, score, p_value, q_value, lower, upper
FROM profiling.regression_history;
-- made up counts: normal with the variance of a count
CREATE FUNCTION noise(mean float8, key text) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
	SELECT greatest(0, round(mean + sqrt(mean) * sqrt(-2 * ln(uniform(key, 1))) * cos(2 * pi() * uniform(key, 2))))
$$;
CREATE FUNCTION made_up(benchmark text, n int, slow float8 DEFAULT 1, metric float8 DEFAULT NULL, repetitions int DEFAULT 1, branch text DEFAULT 'main',
	commit text DEFAULT NULL) RETURNS void LANGUAGE sql AS $$
	SELECT profiling.import_flamegraph(benchmark, format(E'main;parse;read %s\nmain;parse;lex %s\nmain;parse %s\nmain;render;draw %s\nmain;render;text %s\n'
			'main;net;send %s\nmain %s', noise(400 * slow, run || 'read'), noise(300, run || 'lex'), noise(80, run || 'parse'), noise(600, run || 'draw'),
			noise(200, run || 'text'), noise(60, run || 'send'), noise(20, run || 'main'))::flamegraph,
		started_at => timestamptz '2026-01-01 UTC' + n * interval '1 day', branch => made_up.branch, commit => coalesce(made_up.commit, 'commit' || n),
		repetition => r, metric => made_up.metric, metric_unit => CASE WHEN made_up.metric IS NULL THEN '' ELSE 's' END)
	FROM generate_series(1, repetitions) AS r, concat_ws(' ', made_up.benchmark, made_up.branch, n, r, '') AS run
$$;
SQL
is($db->value('SELECT count(*) FROM recorded'), 48, 'the recordings are there');

sub watch_run { $db->run('CALL profiling.watch_run()'); return; }
sub findings { return $db->rows("SELECT $_[0] FROM finding WHERE $_[1] ORDER BY id"); }

# --- simulated nights ------------------------------------------------------------------------------------------------

$db->run(q{INSERT INTO profiling.owner (pattern, team, priority) VALUES ('*;ExecScan;*;ExecInterpExpr', 'executor', 1), ('*', 'everybody', 0)});
my $listener = Wire->connect($node, 'postgres');
$listener->run('LISTEN profiling_regression');
my (@payloads, @opened);
for my $n (1 .. 20)
{
	my $bad = $n >= 13 ? q{'*;ExecInterpExpr'} : 'NULL';
	my $gone = $n >= 13 && $n <= 15 ? q{'*;ExecInterpExpr'} : 'NULL';
	$db->run(<<"SQL");
SELECT night('quiet', $n), night('slower', $n, $bad), night('mended', $n, $gone);
-- another branch, with another program
SELECT night('quiet', $n, branch => 'dev', version => 'noindex', started_at => '2026-01-01 06:00');
-- a second event: only it regresses
SELECT night('allocates', $n), night('allocates', $n, $bad, event => 'alloc');
SQL
	watch_run();
	push @opened, [ $n, $_ ] for @{ $db->rows("SELECT name, event, subject FROM finding WHERE first_night = $n AND last_night = $n") };
	push @payloads, @{ $listener->query('SELECT 1')->{notifications} // [] };
}
is_deeply([ map { [ $_->[0], join ' ', @{ $_->[1] } ] } @opened ],
	[ [ 13, 'slower cpu ExecInterpExpr' ], [ 13, 'mended cpu ExecInterpExpr' ], [ 13, 'allocates alloc ExecInterpExpr' ] ],
	'one finding for each change, for the function that changed, on the night it did');
is_deeply(findings('name, event, branch, method, level, subject, kind, status, first_night, last_night, team', 'true'), [
		[ qw(slower cpu main deviation frame ExecInterpExpr degradation open 13 20 executor) ],
		[ qw(mended cpu main deviation frame ExecInterpExpr degradation resolved 13 15 executor) ],
		[ qw(allocates alloc main deviation frame ExecInterpExpr degradation open 13 20 executor) ],
	], 'a row each, for as long as it lasts; one is closed; nothing for the quiet benchmark, the other event and the other branch');
is($db->value(q{SELECT bool_and(abs(diff - (actual - expected)) < 1e-9 AND abs(relative - diff / expected) < 1e-9 AND relative BETWEEN 0.8 AND 1.5
	AND q_value BETWEEN p_value AND 0.01) FROM finding}), 't', 'the numbers agree with each other, and a function with three times the own value and the same below it has about doubled');
is($db->value(q{SELECT count(*) FROM profiling.regression WHERE (closed_at IS NULL) = (status = 'open')}), 3, 'closed with a date');
is_deeply([ map { [ $_->[0], @{ decode_json($_->[1]) }{qw(opened closed)} ] } @payloads ],
	[ map { [ 'profiling_regression', @$_ ] } ([ 3, 0 ], [ 0, 1 ]) ], 'one notification for what was opened, which is one function in three places, and one for what was closed');
is_deeply([ sort keys %{ decode_json($payloads[0][1]) } ], [qw(benchmark_id benchmark_ids benchmarks cause closed group_id kind opened regression_ids relative test_run_id)],
	'with ids and what the worst is, and without names');
my $run = decode_json($payloads[0][1])->{test_run_id};
is($db->value("SELECT commit FROM profiling.test_run WHERE test_run_id = $run"), 'commit13', 'of the run');
is_deeply($db->row(q{SELECT count(*), count(*) FILTER (WHERE outcome = 'ok'), count(*) FILTER (WHERE finished_at IS NULL) FROM profiling.job_log}), [ 100, 100, 0 ],
	'the log has each benchmark and night');

my $everything = q{SELECT md5(string_agg(r::text, '' ORDER BY r.regression_id)) || (SELECT md5(string_agg(test_run_id || checked_at::text, '' ORDER BY o.benchmark_id, o.event, o.test_run_id)) FROM profiling.rollup AS o)
	FROM profiling.regression AS r};
my $before = $db->value($everything);
watch_run();
is($db->value($everything), $before, 'run twice: the same rows');
is_deeply($db->row(q{SELECT w.* FROM profiling.benchmark AS b, profiling.watch_benchmark(b.benchmark_id) AS w WHERE b.name = 'slower'}), [ 0, 0, 0, 0 ], 'and so for one benchmark');

# detect() writes nothing and says the same.
is_deeply($db->rows(q{SELECT d.method, d.level, d.subject, d.kind, d.team FROM profiling.benchmark AS b JOIN profiling.test_run AS t ON t.commit = 'commit13' AND t.branch = 'main',
	profiling.detect(b.benchmark_id, t.test_run_id) AS d WHERE b.name = 'mended'}), [ [qw(deviation frame ExecInterpExpr degradation executor)] ], 'detect() finds it, too');
is($db->value(q{SELECT count(*) FROM profiling.benchmark AS b, profiling.detect(b.benchmark_id) AS d WHERE b.name = 'quiet'}), 0, 'and nothing in the newest quiet run');
is($db->value($everything), $before, 'and writes nothing');

# What a person has said stays.
$db->run(q{UPDATE profiling.regression AS r SET status = 'acknowledged', note = 'we know' FROM profiling.benchmark AS b WHERE b.benchmark_id = r.benchmark_id AND b.name = 'slower'});
$db->run(q{SELECT night('slower', 21, '*;ExecInterpExpr')});
watch_run();
is_deeply(findings('status, last_night', "name = 'slower'"), [ [ 'acknowledged', 21 ] ], 'what was acknowledged is kept up to date');
$db->run(q{SELECT night('slower', 22)});
watch_run();
is_deeply(findings('status, last_night', "name = 'slower'"), [ [ 'resolved', 21 ] ], 'and closed');

# A late repetition of an old run does not turn the clock back; one of the newest run is looked at.
$db->run(q{SELECT night('mended', 14, '*;ExecSort;*')});
watch_run();
is($db->value(q{SELECT count(*) FROM profiling.rollup WHERE checked_at IS NULL}), 0, 'a late profile counts as looked at');
is($db->value(q{SELECT count(*) FROM finding WHERE name = 'mended'}), 1, 'and opens nothing');

# --- methods ---------------------------------------------------------------------------------------------------------

# A benchmark with a row for it, 14 quiet nights and 8 slow ones; after each night what is open.
sub nights
{
	my ($name, $watch, %options) = @_;
	my $slow = $options{slow} // 1.6;
	$db->run("INSERT INTO profiling.watch (benchmark, $watch->[0]) VALUES ('$name', $watch->[1])") if $watch;
	my @first;
	for my $n (1 .. 22)
	{
		my $factor = $n > 14 ? $slow : 1;
		my $metric = $options{metric} ? $options{metric}->($factor, $n) : 'NULL';
		$db->run("SELECT made_up('$name', $n, $factor, $metric, " . ($options{repetitions} // 1) . ')');
		watch_run();
		push @first, $n if !@first && $db->value("SELECT count(*) FROM finding WHERE name = '$name'") > 0;
	}
	return $first[0];
}
# row 0 watches with deviation; a method has a row of its own in addition
$db->run(q{UPDATE profiling.watch SET enabled = false WHERE watch_id = 0});

is(nights('deviation_self', [ 'method, level', q{'deviation', 'self'} ]), 15, 'deviation, own values: on the night');
is_deeply(findings('method, level, subject, first_night, last_night, status', q{name = 'deviation_self'}), [ [qw(deviation self read 15 22 open)] ], 'one row');
is(nights('deviation_stack', [ 'method, level', q{'deviation', 'stack'} ]), 15, 'deviation, stacks: on the night');
is_deeply(findings('level, subject', q{name = 'deviation_stack'}), [ [ 'stack', 'main;parse;read' ] ], 'the stack that changed');
is(nights('deviation_node', [ 'method, level', q{'deviation', 'node'} ]), 15, 'deviation, calling contexts: on the night');
is_deeply(findings('level, subject', q{name = 'deviation_node'}), [ [ 'node', 'main;parse;read' ] ], 'the innermost one that changed');
is(nights('repeated', [ 'method', q{'deviation'} ], repetitions => 3), 15, 'with repetitions: on the night');
is_deeply(findings('subject', q{name = 'repeated'}), [ ['read'] ], 'their mean is what is compared');
cmp_ok($db->value(q{SELECT expected FROM finding WHERE name = 'repeated'}), '<', 500, 'not their sum');

my $night = nights('welch', [ 'method, level', q{'welch', 'frame'} ], slow => 2);
ok($night >= 15 && $night <= 17, "welch: soon ($night)");
is_deeply(findings('method, subject, status, last_night, lower > 0 AND lower < upper', q{name = 'welch' AND kind = 'degradation'}), [ [qw(welch read open 22 t)] ], 'one row, with the interval of the night it was found');
$night = nights('hotelling', [ 'method, level', q{'hotelling', 'self'} ], slow => 2);
ok(defined $night && $night >= 15 && $night <= 18, 'hotelling: when it has three runs');
ok($db->value(q{SELECT count(*) FROM finding WHERE name = 'hotelling' AND subject = 'read' AND status = 'open'}) == 1, 'one row for the function');
# Seven functions vary, and n runs can test n - 2 of them: two runs before three are too few, and so up to eight in all.
is_deeply($db->rows(q{SELECT night, regexp_replace(detail, '^.* closed, watch row \d+ ', '') FROM (SELECT row_number() OVER (ORDER BY l.log_id) AS night, l.detail
	FROM profiling.job_log AS l JOIN profiling.benchmark AS b USING (benchmark_id) WHERE b.name = 'hotelling' AND l.step = 'watch') AS n WHERE detail LIKE '%could not%' ORDER BY night}),
	[ map { [ $_, '(hotelling) could not test event "cpu", branch "main": too_many_stacks' ] } 5 .. 8 ], 'the log says when it could not test');
$night = nights('energy', [ 'method, level', q{'energy', 'frame'} ], slow => 2);
ok(defined $night && $night >= 17 && $night <= 20, 'energy: when it has enough runs');
is_deeply(findings('method, subject, status', q{name = 'energy' AND kind = 'degradation'}), [ [qw(energy read open)] ], 'one row for the function');
$night = nights('change_point', [ 'method, level', q{'change_point', 'frame'} ], slow => 2);
ok(defined $night && $night >= 17, 'change_point: after a few runs');
is_deeply(findings('method, subject, first_night, status', q{name = 'change_point' AND kind = 'degradation'}), [ [qw(change_point read 15 open)] ], 'dated back to the run in which it changed');

sub seconds { my ($factor, $n) = @_; return 10 * $factor + ($n % 3) * 0.05; }
is(nights('correlation', [ 'method, level', q{'correlation', 'self'} ], metric => \&seconds), 15, 'correlation: on the night on which the metric changed');
is_deeply(findings('method, subject, status', q{name = 'correlation'}), [ [qw(correlation read open)] ], 'the function that goes with it');
is(nights('seconds', [ 'method, level', q{'deviation', 'metric'} ], metric => \&seconds), 15, 'a metric: on the night');
is_deeply(findings('level, subject, kind, round(expected), round(actual)', q{name = 'seconds'}), [ [ 'metric', '', 'degradation', 10, 16 ] ], 'a higher time is worse');
$db->run(q{SELECT profiling.ensure_benchmark('', 'throughput')});
$db->run(q{UPDATE profiling.benchmark SET metric_direction = 'higher' WHERE name = 'throughput'});
is(nights('throughput', [ 'method, level', q{'deviation', 'metric'} ], metric => \&seconds), 15, 'a throughput: on the night');
is_deeply(findings('level, kind, round(expected), round(actual), diff > 0', q{name = 'throughput'}), [ [ 'metric', 'optimization', 10, 16, 't' ] ], 'a higher one is better');
is(nights('with_metric', [ 'method', q{'deviation'} ], metric => \&seconds), 15, 'a metric beside functions');
is_deeply(findings('level, subject', q{name = 'with_metric'}), [ [ 'frame', 'read' ], [ 'metric', '' ] ], 'is one more key of the family');
is(nights('gaps', [ 'method, level', q{'deviation', 'metric'} ], metric => sub { my ($factor, $n) = @_; return $n % 4 == 0 ? 'NULL' : seconds($factor, $n); }), 15,
	'a metric that some runs lack: on the night');
is_deeply(findings('level, subject, first_night, last_night, status', q{name = 'gaps'}), [ [ 'metric', '', 15, 22, 'open' ] ], 'runs without it neither count nor close');
is(nights('one_way', [ 'method, direction', q{'deviation', 'optimization'} ]), undef, 'direction optimization: a degradation is none');

# baselines
is(nights('by_commit', [ 'method, baseline', q{'deviation', 'version:1'} ]), undef, 'a baseline that nothing is of: no finding');
$db->run(<<'SQL');
INSERT INTO profiling.watch (benchmark, method, baseline) VALUES ('of_commit', 'deviation', 'commit:base'), ('of_branch', 'deviation', 'branch:release');
SELECT made_up('of_commit', n, commit => 'baseline') FROM generate_series(1, 12) AS n;
SELECT made_up('of_branch', n, branch => 'release') FROM generate_series(1, 12) AS n;
SQL
watch_run();
$db->run(q{SELECT made_up(b, n, 1.6, branch => 'topic') FROM (VALUES ('of_commit'), ('of_branch')) AS v (b), generate_series(13, 13) AS n});
watch_run();
is_deeply(findings('name, branch, subject', q{name LIKE 'of\_%'}), [ [qw(of_commit topic read)], [qw(of_branch topic read)] ], 'a commit and a branch as baselines');

# several new runs at once: Welch
$db->run(<<'SQL');
INSERT INTO profiling.watch (benchmark, method) VALUES ('at_once', 'deviation');
SELECT made_up('at_once', n) FROM generate_series(1, 12) AS n;
SQL
watch_run();
$db->run(q{SELECT made_up('at_once', n, 1.6) FROM generate_series(13, 17) AS n});
watch_run();
is_deeply(findings('subject, first_night, last_night, lower < diff AND diff < upper', q{name = 'at_once'}), [ [qw(read 13 17 t)] ], 'several new runs are compared as a group');
# all at once, the first time
$db->run(<<'SQL');
INSERT INTO profiling.watch (benchmark, method) VALUES ('first_time', 'deviation');
SELECT made_up('first_time', n, CASE WHEN n > 12 THEN 1.6 ELSE 1 END, commit => CASE WHEN n > 12 THEN 'new' ELSE 'old' END) FROM generate_series(1, 17) AS n;
SQL
watch_run();
is_deeply(findings('subject, first_night', q{name = 'first_time'}), [ [qw(read 13)] ], 'without a history the newest executable is compared with what is before it');

# profiles without samples, and profiles in bytes whose sampling is not known
$db->run(<<'SQL');
INSERT INTO profiling.watch (benchmark, method) VALUES ('empty', 'deviation'), ('bytes', 'deviation');
SELECT profiling.import_flamegraph(b, CASE WHEN b = 'bytes' THEN format(E'main;f %s\nmain;g 512', 65536 + n * 37 % 1024)::flamegraph ELSE '' END,
	started_at => timestamptz '2026-01-01 UTC' + n * interval '1 day', branch => 'main', event => 'alloc', unit => 'bytes')
FROM generate_series(1, 12) AS n, unnest('{empty,bytes}'::text[]) AS b;
SQL
watch_run();
$db->run(<<'SQL');
SELECT profiling.import_flamegraph(b, CASE WHEN b = 'bytes' THEN E'main;f 131072\nmain;g 512'::flamegraph ELSE '' END, started_at => '2026-01-14 UTC', branch => 'main', event => 'alloc',
	unit => 'bytes') FROM unnest('{empty,bytes}'::text[]) AS b;
SQL
watch_run();
is_deeply(findings('name, event, subject', q{name IN ('empty', 'bytes')}), [ [qw(bytes alloc f)] ], 'bytes, and profiles without samples');

# Hundreds of findings at once: a payload of NOTIFY has less than 8000 bytes, and ours less than 2000.
$db->run(<<'SQL');
INSERT INTO profiling.watch (benchmark, method, level, min_share) VALUES ('many', 'deviation', 'self', 0);
SELECT profiling.import_flamegraph('many', (SELECT flamegraph_agg('main;' || repeat('long', 20) || f, 1000 + (n * 37 + f * 11) % 30) FROM generate_series(1, 300) AS f),
	started_at => timestamptz '2026-01-01 UTC' + n * interval '1 day', branch => 'main')
FROM generate_series(1, 12) AS n;
SQL
watch_run();
$listener->query('SELECT 1');
$db->run(q{SELECT profiling.import_flamegraph('many', (SELECT flamegraph_agg('main;' || repeat('long', 20) || f, 4000) FROM generate_series(1, 300) AS f), started_at => '2026-01-14 UTC', branch => 'main')});
watch_run();
my ($notified) = @{ $listener->query('SELECT 1')->{notifications} // [] };
cmp_ok(length $notified->[1], '<', 2000, 'the payload is short');
is_deeply([ @{ decode_json($notified->[1]) }{qw(opened closed)}, scalar @{ decode_json($notified->[1])->{regression_ids} } ], [ 300, 0, 50 ], 'it counts all findings and names 50');

# observations
$db->run(q{INSERT INTO profiling.watch (benchmark, method, level) VALUES ('models', 'integral', 'location'), ('models', 'local_statistics', 'location')});
for my $n (1 .. 6)
{
	my $slow = $n == 4 || $n == 5 ? 2 : 1;
	$db->run(<<"SQL");
SELECT profiling.import_observations('models', array_agg(l), array_agg(x), array_agg(CASE l WHEN 'sort' THEN $slow ELSE 1 END * (5 + 3 * x) + (x::int * 7 % 3) * 0.01),
	started_at => timestamptz '2026-01-01 UTC' + $n * interval '1 day', branch => 'main', unit => 'ms')
FROM (SELECT l, x::float8 FROM unnest('{sort,scan}'::text[]) AS l, generate_series(1, 40) AS x) AS o
SQL
	watch_run();
}
is_deeply(findings('method, level, subject, kind, status, first_night, last_night, p_value IS NULL', q{name = 'models'}),
	[ [ 'integral', 'location', 'sort', 'degradation', 'resolved', 4, 5, 't' ], [ 'local_statistics', 'location', 'sort', 'degradation', 'resolved', 4, 5, 't' ] ],
	'integral and local_statistics: models of observations, opened and closed');
is($db->value(q{SELECT count(*) FROM profiling.model_change WHERE name = 'models' AND kind = 'linear' AND previous_kind = 'linear' AND result = 'optimization' AND location = 'sort'}), 1,
	'model_change shows the newest step');

# Points of too few sizes for a model are nothing to wait for, until there are more of them.
sub points { return $db->run("SELECT profiling.import_observations('two sizes', '{f,f}', '{$_[0]}', '{3,4}', started_at => '2026-01-05 UTC')"); }
my $waits = q{SELECT count(*) FROM profiling.benchmark WHERE name = 'two sizes' AND benchmark_id = ANY (profiling.benchmarks_to_watch())};
points('1,2');
is($db->value($waits), 0, 'two sizes: no model is waited for');
points('2,3');
is($db->value($waits), 1, 'a third size: it is');
watch_run();
is($db->value($waits), 0, 'until it is fitted');
cmp_ok($db->value(q{SELECT count(*) FROM profiling.fitted_model JOIN profiling.benchmark USING (benchmark_id) WHERE name = 'two sizes'}), '>', 0, '... as it was');

# a false positive
$db->run(q{UPDATE profiling.regression AS r SET status = 'false_positive', closed_at = now() FROM profiling.benchmark AS b WHERE b.benchmark_id = r.benchmark_id AND b.name = 'change_point'});
$db->run(q{SELECT made_up('change_point', 23, 2)});
watch_run();
is($db->value(q{SELECT count(*) FROM finding WHERE name = 'change_point' AND subject = 'read' AND status <> 'false_positive'}), 0, 'what was called a false positive is not opened again');
is($db->value(q{SELECT count(*) FROM profiling.job_log WHERE outcome = 'failed'}), 0, 'nothing has failed so far');

# --- failures, sessions at once --------------------------------------------------------------------------------------

# Rows that cannot be applied are refused. Those that came before there was a constraint for it, or around it, stop what
# they are for and nothing else: neither the options of one, nor the pattern of another, at which the counting of families fails.
for my $case ([ q{(benchmark) VALUES ('shop\\')}, '22025', 'the pattern "shop\\" ends in a backslash' ],
	[ q{(suite) VALUES ('%\\\\\\')}, '22025', 'the pattern "%\\\\\\" ends in a backslash' ],
	[ q{(event) VALUES ('\\')}, '22025', 'the pattern "\\" ends in a backslash' ],
	[ q{(watch_id, options) OVERRIDING SYSTEM VALUE VALUES (77, '{"windowsize": 3}')}, '22023', 'unrecognized option "windowsize" of watch row 77' ],
	[ q{(watch_id, options) OVERRIDING SYSTEM VALUE VALUES (77, '{"recent": "all"}')}, '22023', 'option "recent" of watch row 77 cannot be "all"' ],
	[ q{(watch_id, options) OVERRIDING SYSTEM VALUE VALUES (77, '{"recent": 3.5}')}, '22023', 'option "recent" of watch row 77 cannot be "3.5"' ],
	[ q{(watch_id, options) OVERRIDING SYSTEM VALUE VALUES (77, '{"history": -1}')}, '22023', 'option "history" of watch row 77 cannot be "-1"' ],
	[ q{(watch_id, options) OVERRIDING SYSTEM VALUE VALUES (77, '{"permutations": 2147483648}')}, '22023', 'option "permutations" of watch row 77 cannot be "2147483648"' ],
	[ q{(watch_id, options) OVERRIDING SYSTEM VALUE VALUES (77, '{"min_std": 1e999}')}, '22023', 'option "min_std" of watch row 77 cannot be "1' . '0' x 99 . '"' ],
	[ q{(watch_id, options) OVERRIDING SYSTEM VALUE VALUES (77, '{"zero_std": [1]}')}, '22023', 'option "zero_std" of watch row 77 cannot be "[1]"' ],
	[ q{(method, level) VALUES ('deviation', 'location')}, '23514', 'new row for relation "watch" violates check constraint "watch_location_needs_models"' ],
	[ q{(min_effect) VALUES (1e300)}, '23514', 'new row for relation "watch" violates check constraint "watch_min_effect_check"' ])
{
	my ($row, $state, $message) = @$case;
	my $result = $db->query("INSERT INTO profiling.watch $row");
	is_deeply([ @{ $result->{error} // {} }{qw(sqlstate message)} ], [ $state, $message ], "refused: $row");
}
for my $row (q{(benchmark) VALUES ('a\\\\')}, q{(benchmark) VALUES ('a\\_b\\%')}, q{(benchmark) VALUES ('')},
	q{(options) VALUES ('{"recent": null, "seed": -7, "min_std": 1e300, "poisson_unit": 0.5, "normalised": true, "zero_std": "zero", "history": "12"}')})
{
	is($db->sqlstate("BEGIN; INSERT INTO profiling.watch $row; ROLLBACK"), 'no error', "accepted: $row");
}
is($db->sqlstate(q{INSERT INTO profiling.frame_rule (benchmark, pattern, replacement) VALUES ('b\\', 'a', 'b')}), '22025', 'so are frame rules with such a pattern');
isnt($db->sqlstate(q{INSERT INTO profiling.frame_rule (pattern, replacement) VALUES ('(', 'b')}), 'no error', '... or with one that is no regular expression');

$db->run(<<'SQL');
UPDATE profiling.watch SET enabled = true WHERE watch_id = 0;
ALTER TABLE profiling.watch DROP CONSTRAINT watch_options_work, DROP CONSTRAINT watch_patterns_work;
INSERT INTO profiling.watch (benchmark, method, options) VALUES ('broken', 'deviation', '{"windowsize": 3}');
INSERT INTO profiling.watch (benchmark, method) VALUES ('dangling\', 'deviation');
ALTER TABLE profiling.watch ADD CONSTRAINT watch_patterns_work CHECK (profiling.pattern_works(suite) AND profiling.pattern_works(benchmark) AND profiling.pattern_works(event)) NOT VALID;
ALTER TABLE profiling.watch ADD CONSTRAINT watch_options_work CHECK (profiling.options_work(watch_id, options)) NOT VALID;
INSERT INTO profiling.job_log (step, outcome, detail) VALUES ('watch_run', 'ok', '99999999999 families of tests');
SELECT made_up('broken', n), made_up('danglings', n), made_up('works', n) FROM generate_series(1, 13) AS n;
SQL
sub warnings { return map { [ @{$_}{qw(message detail hint)} ] } grep { ($_->{severity} // '') eq 'WARNING' } @{ $db->query('CALL profiling.watch_run()')->{notices} // [] }; }
is_deeply([ warnings() ], [ [ '2 benchmarks were not compared', '2 failed, 0 skipped.', 'SELECT * FROM profiling.night_health says why.' ] ], 'the night ends with a warning');
is_deeply($db->rows(q{SELECT problem, benchmark, detail FROM profiling.night_health WHERE problem IN ('failed', 'skipped') ORDER BY benchmark}), [
		[ 'failed', 'broken', 'The comparison failed: 22023 unrecognized option "windowsize" of watch row ' . $db->value(q{SELECT watch_id FROM profiling.watch WHERE benchmark = 'broken'}) . '.' ],
		[ 'failed', 'danglings', 'The comparison failed: 22025 LIKE pattern must not end with escape character.' ],
	], 'and the view says what');
is_deeply($db->rows(q{SELECT benchmark, verdict, left(reason, 30) FROM profiling.verdict('commit13') WHERE benchmark IN ('broken', 'danglings', 'works')}), [
		[ 'broken', 'not_examined', 'the comparison failed: 22023 u' ],
		[ 'danglings', 'not_examined', 'the comparison failed: 22025 L' ],
		[ 'works', 'ok', 'compared with 10 runs before i' ],
	], 'a verdict, too');
is_deeply($db->rows(q{SELECT b.name, outcome, detail FROM profiling.job_log JOIN profiling.benchmark AS b USING (benchmark_id) WHERE b.name IN ('broken', 'danglings', 'works') ORDER BY log_id}), [
		[ 'broken', 'failed', '22023 unrecognized option "windowsize" of watch row ' . $db->value(q{SELECT watch_id FROM profiling.watch WHERE benchmark = 'broken'}) ],
		[ 'danglings', 'failed', '22025 LIKE pattern must not end with escape character' ],
		[ 'works', 'ok', '13 runs, 0 opened, 0 updated, 0 closed' ],
	], 'a benchmark that fails is recorded, the others are done');
is($db->value(q{SELECT count(*) FROM profiling.rollup AS r JOIN profiling.benchmark AS b USING (benchmark_id) WHERE r.checked_at IS NULL AND b.name NOT IN ('broken', 'danglings')}), 0, 'all of them');
$db->run(q{DELETE FROM profiling.watch WHERE benchmark IN ('broken', 'dangling\\')});
is_deeply([ warnings() ], [], 'mended, there is no warning');
is($db->value(q{SELECT count(*) FROM profiling.rollup WHERE checked_at IS NULL}), 0, 'mended, it is done the next time');

# All three are called alone, and the error says so; from a procedure that is called alone they work.
for my $name ('watch_run', 'maintain', 'prune')
{
	my $error = $db->query("BEGIN; CALL profiling.$name()")->{error};
	is($error->{sqlstate}, '2D000', "$name() is called alone");
	like($error->{context}, qr/$name\(\) commits as it goes: call it alone, with autocommit on/, '... and the error says how');
	$db->run('ROLLBACK');
	$error = $db->query("SELECT 1; CALL profiling.$name()")->{error};
	like($error->{context}, qr/call it alone/, '... also where several statements are one message');
}
$db->run('CREATE PROCEDURE nightly() LANGUAGE plpgsql AS $$ BEGIN CALL profiling.maintain(); CALL profiling.watch_run(); CALL profiling.prune(); END $$');
is($db->sqlstate('CALL nightly()'), 'no error', 'a procedure may call them');
is($db->query_binary("CALL profiling.$_()")->{error}, undef, "and drivers that parse, bind and execute: $_()") for 'watch_run', 'maintain', 'prune';

# Two at once: each benchmark once, and findings once.
$db->run(q{SELECT made_up('pair' || b, n, CASE WHEN n = 13 THEN 2 ELSE 1 END) FROM generate_series(1, 12) AS b, generate_series(1, 12) AS n});
watch_run();
$db->run(q{SELECT made_up('pair' || b, 13, 2) FROM generate_series(1, 12) AS b});
$db->run(<<'SQL');
CREATE FUNCTION slow_down() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.05); RETURN NEW; END $$;
CREATE TRIGGER slow_down BEFORE INSERT ON profiling.job_log FOR EACH ROW EXECUTE FUNCTION slow_down();
SQL
my $log = $db->value('SELECT max(log_id) FROM profiling.job_log');
my $other = Wire->connect($node, 'postgres');
$_->start('CALL profiling.watch_run()') for $db, $other;
is($_->finish->{error}, undef, 'no error') for $db, $other;
is_deeply($db->row(qq{SELECT count(*), count(DISTINCT benchmark_id) FROM profiling.job_log WHERE log_id > $log AND step = 'watch' AND outcome = 'ok'}), [ 12, 12 ], 'each benchmark was looked at once');
is($db->value(qq{SELECT count(DISTINCT substring(detail FROM '^[0-9]+ families')) FROM profiling.job_log WHERE log_id > $log AND step = 'watch_run'}), 1, 'both share one alpha');
is_deeply($db->row(q{SELECT count(*), count(DISTINCT name) FROM finding WHERE name LIKE 'pair%' AND subject = 'read' AND status = 'open'}), [ 12, 12 ], 'and has one finding');

# A benchmark that is locked is left to who has it.
$db->run(q{SELECT made_up('works', 14)});
$other->run(q{BEGIN; SELECT profiling.watch_benchmark(benchmark_id) FROM profiling.benchmark WHERE name = 'works'});
is_deeply([ warnings() ], [ [ '1 benchmark was not compared', '0 failed, 1 skipped.', 'SELECT * FROM profiling.night_health says why.' ] ], 'a benchmark that is locked is a warning');
is($db->value(q{SELECT detail FROM profiling.night_health WHERE problem = 'skipped'}), 'The comparison was skipped: another session is at it.', 'and seen');
is($db->value(q{SELECT outcome || ' ' || detail FROM profiling.job_log WHERE step = 'watch' ORDER BY log_id DESC LIMIT 1}), 'skipped another session is at it', 'a locked benchmark is skipped');
$other->run('ROLLBACK');
watch_run();
is($db->value(q{SELECT outcome FROM profiling.job_log WHERE step = 'watch' ORDER BY log_id DESC LIMIT 1}), 'ok', 'and done the next time');

# --- a server that is killed -----------------------------------------------------------------------------------------

$db->run(q{SELECT made_up('pair' || b, 14, 2), made_up('works', 14 + b) FROM generate_series(1, 12) AS b});
$log = $db->value('SELECT max(log_id) FROM profiling.job_log');
$db->start('CALL profiling.watch_run()');
my $until = Time::HiRes::time() + 600;
Time::HiRes::sleep(0.02) while $other->value("SELECT count(*) FROM profiling.job_log WHERE log_id > $log AND step = 'watch'") < 4 && Time::HiRes::time() < $until;
$node->stop('immediate');
$node->start;
$db = Wire->connect($node, 'postgres');
my $done = $db->value("SELECT count(*) FROM profiling.job_log WHERE log_id > $log AND step = 'watch' AND outcome = 'ok'");
ok($done >= 4 && $done < 13, "killed in the middle: $done benchmarks were done and are");
is($db->value(qq{SELECT count(*) FROM profiling.job_log AS l WHERE log_id > $log AND step = 'watch'
	AND EXISTS (SELECT FROM profiling.rollup AS r WHERE r.benchmark_id = l.benchmark_id AND r.checked_at IS NULL)}), 0, 'none of them half');
is($db->value(q{SELECT count(DISTINCT benchmark_id) FROM profiling.rollup WHERE checked_at IS NULL}), 13 - $done, 'the others wait');
watch_run();
is($db->value(q{SELECT count(*) FROM profiling.rollup WHERE checked_at IS NULL}), 0, 'the next run goes on with them');
is_deeply($db->rows(qq{SELECT DISTINCT detail, finished_at IS NULL FROM profiling.job_log WHERE log_id > $log AND step = 'watch_run'}), [ [ '13 families of tests', 'f' ] ],
	'as the same night');
is_deeply($db->row(q{SELECT count(*), count(DISTINCT name), min(last_night) FROM finding WHERE name LIKE 'pair%' AND subject = 'read' AND status = 'open'}), [ 12, 12, 14 ], 'and the findings are still one row each');
is($db->value('SELECT count(*) FROM profiling."check"()'), 0, 'the store is sound');

# --- nights without a change -----------------------------------------------------------------------------------------

$db->run('DROP TRIGGER slow_down ON profiling.job_log');

# Nights of 40 benchmarks in which anything is found.
my $night_number = 10;
sub nights_with_findings
{
	my ($nights) = @_;
	my $last = $db->value('SELECT max(regression_id) FROM profiling.regression');
	my $count = 0;
	for (1 .. $nights)
	{
		$night_number++;
		$db->run("SELECT made_up('null' || b, $night_number, metric => 10 + noise(400, 'metric $night_number ' || b) / 400) FROM generate_series(1, 40) AS b");
		watch_run();
		my $newest = $db->value('SELECT max(regression_id) FROM profiling.regression');
		$count++ if $newest > $last;
		$last = $newest;
	}
	return $count;
}
$db->run(<<'SQL');
SELECT made_up('null' || b, n, metric => 10 + noise(400, format('metric %s %s', n, b)) / 400) FROM generate_series(1, 40) AS b, generate_series(1, 10) AS n;
UPDATE profiling.watch SET alpha = 0.05, min_effect = 0, min_share = 0 WHERE watch_id = 0;
SQL
watch_run();
# Of 20 nights more than 4 have a finding with a probability of 0.003 only.
my $with_findings = nights_with_findings(20);
note "$with_findings of 20 nights without a change have a finding at alpha 0.05";
cmp_ok($with_findings, '<=', 4, 'in nights without a change there is a finding no more often than alpha says');
is($db->value(q{SELECT max(detail) FROM profiling.job_log WHERE step = 'watch_run' AND detail LIKE '40 %'}), '40 families of tests', 'the families of 40 benchmarks share alpha');

# Counts vary less than the test allows for; a metric does not: of 40 tests at 0.3 / 40 any is positive with probability
# 1 - (1 - 0.3 / 40)^40 = 0.26. Between 1 and 11 of 20 nights with probability 0.996.
$db->run(q{UPDATE profiling.watch SET alpha = 0.3, level = 'metric' WHERE watch_id = 0});
$with_findings = nights_with_findings(20);
note "$with_findings of 20 nights without a change have a finding at alpha 0.3";
ok($with_findings >= 1 && $with_findings <= 11, 'and where the test is exact, about as often');
$db->run(q{UPDATE profiling.watch SET alpha = 0.01, level = 'frame' WHERE watch_id = 0});

# Something found in every one of 40 benchmarks is still found.
$db->run(q{SELECT made_up('null' || b, 80, CASE b WHEN 7 THEN 2 ELSE 1 END, metric => 10 + noise(400, 'metric 80 ' || b) / 400) FROM generate_series(1, 40) AS b});
watch_run();
is($db->value(q{SELECT count(*) FROM finding WHERE name = 'null7' AND subject = 'read' AND first_night = 80}), 1, 'a change in one of 40 benchmarks is found');

# --- times of the future, values at the edge ---------------------------------------------------------------------------

# A run of the year 9999, as a wrong clock or a file with a wrong date makes it: it ends nothing, for as long as its time has not come.
$db->run(<<'SQL');
CREATE FUNCTION move_run(benchmark text, n int, started_at timestamptz) RETURNS void LANGUAGE sql AS $$
	WITH run AS (SELECT r.benchmark_id, r.test_run_id FROM profiling.rollup AS r JOIN profiling.benchmark AS b USING (benchmark_id) JOIN profiling.test_run AS t USING (test_run_id)
		WHERE b.name = move_run.benchmark AND t.commit = 'commit' || move_run.n),
	moved AS (INSERT INTO profiling.test_run (started_at, branch, commit, labels_id) SELECT move_run.started_at, 'main', move_run.benchmark || 'commit' || move_run.n, md5('')::uuid RETURNING test_run_id),
	profiles AS (UPDATE profiling.profile AS p SET test_run_id = m.test_run_id FROM run AS u, moved AS m WHERE p.benchmark_id = u.benchmark_id AND p.test_run_id = u.test_run_id)
	UPDATE profiling.rollup AS r SET started_at = move_run.started_at, test_run_id = m.test_run_id, run_ids = ARRAY[m.test_run_id] FROM run AS u, moved AS m
	WHERE r.benchmark_id = u.benchmark_id AND r.test_run_id = u.test_run_id;
$$;
SELECT made_up('honest', n), made_up('blinded', n), made_up('blinded_before', n) FROM generate_series(1, 12) AS n;
SELECT made_up('blinded', 100), made_up('blinded_before', 100);
SELECT move_run('blinded', 100, '9999-01-01 UTC'), move_run('blinded_before', 100, '9999-01-01 UTC');
-- one that was compared by a version that took it for the newest
UPDATE profiling.rollup SET checked_at = now() WHERE started_at = '9999-01-01 UTC' AND benchmark_id = (SELECT benchmark_id FROM profiling.benchmark WHERE name = 'blinded_before');
SQL
watch_run();
is_deeply($db->rows(q{SELECT b.name, count(*) FROM profiling.rollup AS r JOIN profiling.benchmark AS b USING (benchmark_id) WHERE r.checked_at IS NULL GROUP BY 1}), [ [ 'blinded', 1 ] ],
	'a run of the future is not looked at');
is($db->value(q{SELECT count(*) FROM unnest(profiling.benchmarks_to_watch())}), 0, '... nor waited for');
is_deeply($db->rows(q{SELECT name, last_commit FROM profiling.benchmark_overview WHERE name IN ('honest', 'blinded') ORDER BY 1}), [ [qw(blinded commit12)], [qw(honest commit12)] ], '... and is the newest one for no view');
is_deeply($db->rows(q{SELECT name, commit FROM profiling.latest_profile WHERE name IN ('honest', 'blinded') ORDER BY 1}), [ [qw(blinded commit12)], [qw(honest commit12)] ], '... and for no profile');
is_deeply($db->rows(q{SELECT DISTINCT commit FROM profiling.selected(benchmark => 'blinded', runs => 1)}), [ ['commit12'] ], '... nor for a selection by runs');
like($db->value(q{SELECT profiling.report_text(benchmark_id) FROM profiling.benchmark WHERE name = 'blinded'}), qr/Commit:\*\* commit12\n/, '... nor for a report');
$db->run(q{SELECT made_up(b, 13, 3) FROM unnest('{honest,blinded,blinded_before}'::text[]) AS b});
watch_run();
is_deeply(findings('name, subject, kind, first_night', q{name IN ('honest', 'blinded', 'blinded_before') AND subject = 'read'}),
	[ map { [ $_, qw(read degradation 13) ] } qw(honest blinded blinded_before) ], 'a change is found in all of them');
is($db->value(q{SELECT count(*) FROM profiling.detect((SELECT benchmark_id FROM profiling.benchmark WHERE name = 'blinded')) AS d WHERE d.subject = 'read'}), 1, 'detect() asks for the same newest run');
# Its time has come: it counts as any run, and is the one in which the change has gone.
$db->run(q{UPDATE profiling.rollup SET started_at = '2026-01-20 UTC' WHERE started_at = '9999-01-01 UTC'; UPDATE profiling.test_run SET started_at = '2026-01-20 UTC' WHERE started_at = '9999-01-01 UTC'});
watch_run();
is_deeply(findings('name, status', q{name IN ('honest', 'blinded') AND subject = 'read' AND kind = 'degradation'}), [ [qw(honest open)], [qw(blinded resolved)] ], 'once its time has come it counts as any run');
is($db->value(q{SELECT count(*) FROM profiling.rollup WHERE checked_at IS NULL}), 0, '... and is looked at');

# Values at the edge of float8 end the night of nobody else, and no view.
$db->run(<<'SQL');
SELECT profiling.import_flamegraph('extreme', format(E'main;f %s\nmain;g %s', CASE WHEN n > 10 THEN '1e200' ELSE '1e-200' END, 100)::flamegraph,
	started_at => timestamptz '2026-01-01 UTC' + n * interval '1 day', branch => 'main', metric => CASE n % 3 WHEN 0 THEN 1.7e308 WHEN 1 THEN -1.7e308 ELSE 5e-324 END, metric_unit => 's')
FROM generate_series(1, 12) AS n;
SELECT profiling.import_flamegraph('sum_out_of_range', CASE WHEN r > 4 THEN E'a 8e307\nb -8e307' ELSE E'a 1\nb 1' END::flamegraph, started_at => '2026-01-01 UTC', repetition => r) FROM generate_series(1, 9) AS r;
SELECT made_up('beside_it', n, CASE WHEN n > 12 THEN 3 ELSE 1 END, commit => CASE WHEN n > 12 THEN 'new' ELSE 'old' END) FROM generate_series(1, 13) AS n;
SQL
watch_run();
is_deeply(findings('name, subject', q{name = 'beside_it' AND subject = 'read'}), [ [qw(beside_it read)] ], 'extreme values of one benchmark leave the others alone');
for my $view (qw(benchmark_trend benchmark_overview latest_profile hot_frame regression_history team_regression model_change))
{
	is($db->sqlstate("SELECT * FROM profiling.$view"), 'no error', "extreme values do not end $view");
}
# A function that PostgreSQL cannot put in the place of its call takes a microsecond, in a window once for each row of each frame.
$db->run(q{SET track_functions = 'all'; BEGIN});
cmp_ok($db->value('SELECT count(metric_mean + total) FROM profiling.benchmark_trend'), '>', 100, 'rows with the band of the runs before');
is($db->value('SELECT count(*) FROM pg_stat_xact_user_functions'), 0, '... call no function of ours');
$db->run('COMMIT; RESET track_functions');
is($db->value(q{SELECT flamegraph IS NULL FROM profiling.latest_profile WHERE name = 'sum_out_of_range'}), 't', 'a sum that is out of range is null there');
is_deeply($db->row(q{SELECT profiling.ratio(6, 3), profiling.ratio(1, 0), profiling.ratio(1e300, -1e-300), profiling.ratio(5e-324, 3), profiling.ratio(NULL, 1), profiling.ratio(-1e-300, 1e-300)}),
	[ 2, undef, '-Infinity', 0, undef, -1 ], 'quotients beyond float8 are infinite or 0');

done_testing();
