# What the ten runs before a night cannot show: a pattern of weeks, which the baseline season:INTERVAL*N knows, and growth
# that is too slow to stand out, which the method drift finds, also when the runs of long ago were merged to months.
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
$node->append_conf('postgresql.conf', "fsync = off\njit = off\ntimezone = 'UTC'\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
Store::create($db);
$db->run($Store::uniform . <<'SQL');
-- made up counts: normal with the variance of a count
CREATE FUNCTION noise(mean float8, key text) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
	SELECT greatest(0, round(mean + sqrt(mean) * sqrt(-2 * ln(uniform(key, 1))) * cos(2 * pi() * uniform(key, 2))))
$$;
CREATE FUNCTION night(benchmark text, n int, read float8 DEFAULT 1, lex float8 DEFAULT 1, repetitions int DEFAULT 1) RETURNS void LANGUAGE sql AS $$
	SELECT profiling.import_flamegraph(benchmark, format(E'main;parse;read %s\nmain;parse;lex %s\nmain;render;draw %s\nmain;net;send %s',
			noise(900 * read, run || 'read'), noise(700 * lex, run || 'lex'), noise(1400, run || 'draw'), noise(200, run || 'send'))::flamegraph,
		started_at => timestamptz '2020-12-11 02:00 UTC' + n * interval '1 day' + uniform(night.benchmark || n, 3) * interval '1 hour', commit => 'commit' || n, repetition => r)
	FROM generate_series(1, repetitions) AS r, concat_ws(' ', night.benchmark, n, r, '') AS run
$$;
CREATE VIEW finding AS
SELECT name, method, level, leaf(subject) AS subject, kind, status, (first_started_at AT TIME ZONE 'UTC')::date - date '2020-12-11' AS first_night
FROM profiling.regression_history;
SQL

sub watch_run { $db->run('CALL profiling.watch_run()'); return; }
sub findings { my ($where) = @_; return $db->value("SELECT coalesce(string_agg(concat_ws(' ', method, subject, kind, first_night), ', ' ORDER BY first_night, method, subject), '') FROM finding WHERE $where"); }
sub watch { my ($columns, $values) = @_; $db->run("INSERT INTO profiling.watch ($columns) VALUES ($values)"); return; }

# --- season ---------------------------------------------------------------------------------------------------------

# Every fourteenth night there is three times as much to read: never within the ten runs before the next one.
watch('benchmark, baseline', q{'with season', 'season:14 days*4'});
sub fortnight { my ($n, $lex) = @_; $db->run("SELECT night('$_', $n, " . ($n % 14 ? 1 : 3) . ", $lex)") for 'with season', 'without'; return; }
fortnight($_, 1) for 1 .. 67;
watch_run();
for my $n (68 .. 80)
{
	fortnight($n, $n < 78 ? 1 : 2.5);
	watch_run();
}
is(findings(q{name = 'with season'}), 'deviation lex degradation 78', 'by season: the change, and nothing on the fourteenth night');
like(findings(q{name = 'without'}), qr/deviation read degradation 70.*deviation lex degradation 78/, 'by the runs before: the fourteenth night, too');
is($db->value(q{SELECT string_agg(status, ' ') FROM finding WHERE name = 'with season'}), 'open', 'it stays open');
is($db->value(q{SELECT string_agg((t.started_at AT TIME ZONE 'UTC')::date - date '2020-12-11' || '', ' ' ORDER BY t.started_at)
	FROM profiling.benchmark AS b, profiling.test_run AS n, profiling.runs_before(b.benchmark_id, 'cpu', 'samples', '', n.test_run_id, 'season:1 week*3') AS before
		JOIN profiling.test_run AS t ON t.test_run_id = ANY (before)
	WHERE b.name = 'without' AND n.commit = 'commit80' AND EXISTS (SELECT FROM profiling.rollup AS r WHERE r.benchmark_id = b.benchmark_id AND r.test_run_id = n.test_run_id)}), '59 66 73', 'season:1 week*3');

# Every seventh night there is three times as much to read. What grew in between is followed by the season, too: a seventh night
# neither looks like the change, nor hides that it is there, and is told at the size of the night on which it was first seen.
watch('benchmark, baseline', q{'% weekly', 'season:7 days*4'});
sub week { my ($n, $from, $to) = @_; $db->run("SELECT night(b, $n, " . ($n % 7 ? 1 : 3) . " * CASE WHEN b = 'long weekly' AND $n BETWEEN 38 AND 44 OR b = 'short weekly' AND $n BETWEEN 38 AND 41 THEN 1.5 ELSE 1 END) FROM unnest('{long weekly,short weekly}'::text[]) AS b"); return; }
week($_) for 1 .. 37;
watch_run();
my $weekly = q{SELECT string_agg(name || ' ' || status || ' ' || first_night || ' ' || last_night, ', ' ORDER BY name) FROM (SELECT f.name, f.status, f.first_night, (r.last_started_at AT TIME ZONE 'UTC')::date - date '2020-12-11' AS last_night
	FROM finding AS f JOIN profiling.regression_history AS r ON r.name = f.name AND leaf(r.subject) = f.subject AND (r.first_started_at AT TIME ZONE 'UTC')::date - date '2020-12-11' = f.first_night WHERE f.name LIKE '% weekly' AND f.subject = 'read') AS x};
for my $n (38 .. 41) { week($n); watch_run(); }
is($db->value($weekly), 'long weekly open 38 41, short weekly open 38 41', 'more to read is found by the season');
week(42);
watch_run();
is($db->value($weekly), 'long weekly open 38 42, short weekly resolved 38 41', 'a seventh night has it or not, as others of them tell');
cmp_ok(abs($db->value(q{SELECT actual / expected FROM profiling.regression_history WHERE name = 'long weekly' AND leaf(subject) = 'read'}) - 1.5), '<', 0.2, '... and is told at the size of the first one');
for my $n (43 .. 45) { week($n); watch_run(); }
is($db->value($weekly), 'long weekly resolved 38 44, short weekly resolved 38 41', '... until it is gone');

# A run that began more than a twentieth of the period away is another phase.
$db->run(q{SELECT profiling.import_flamegraph('odd', 'a 1'::flamegraph, started_at => timestamptz '2021-03-01 UTC' + h * interval '1 hour', commit => 'hour' || h)
	FROM unnest('{0,9,24,168}'::int[]) AS h});
is($db->value(q{SELECT string_agg(t.commit, ' ') FROM profiling.benchmark AS b, profiling.test_run AS n,
		profiling.runs_before(b.benchmark_id, 'cpu', 'samples', '', n.test_run_id, 'season:7 days*4') AS before JOIN profiling.test_run AS t ON t.test_run_id = ANY (before)
	WHERE b.name = 'odd' AND n.commit = 'hour168'}), 'hour0', 'the nearest one');
$db->run(q{SELECT profiling.import_flamegraph('odd', 'a 1'::flamegraph, started_at => timestamptz '2021-03-08 UTC' + h * interval '1 hour', commit => 'later' || h) FROM unnest('{16,17,33}'::int[]) AS h});
is($db->value(q{SELECT string_agg(n.commit || ':' || coalesce((SELECT string_agg(t.commit, ' ') FROM profiling.test_run AS t
			WHERE t.test_run_id = ANY (profiling.runs_before(b.benchmark_id, 'cpu', 'samples', '', n.test_run_id, 'season:7 days*4'))), ''), ', ' ORDER BY n.commit)
	FROM profiling.benchmark AS b, profiling.test_run AS n WHERE b.name = 'odd' AND n.commit LIKE 'later%'}), 'later16:hour9, later17:hour24, later33:', 'within 8 hours and 24 minutes');

for my $bad ('season:', 'season:7 days', 'season:7 days*0', 'season:-7 days*4', 'season:0 days*4', 'season:fortnight*2', 'season:7 days*1000', 'season:99 years*2', 'saison:7 days*4')
{
	my $error = $db->query("INSERT INTO profiling.watch (baseline) VALUES ('$bad')")->{error};
	like($error->{message}, qr/^baseline "\Q$bad\E" is no season$|^unrecognized baseline "\Q$bad\E"$/, "$bad: an error");
}

# --- drift ----------------------------------------------------------------------------------------------------------

watch('method, benchmark', q{'drift', '%'});
watch('method, benchmark, enabled', q{'deviation', 'young', false});
sub growing
{
	my ($n) = @_;
	$db->run("SELECT night('creeping', $n, 1.003 ^ $n), night('constant', $n), night('repeated', $n, 1.003 ^ $n, 1, 2)"
		. ($n > 50 ? ", night('young', $n)" : ''));
	return;
}
growing($_) for 1 .. 69;
watch_run();
for my $n (70 .. 80)
{
	growing($n);
	watch_run();
}
like(findings(q{name = 'creeping'}), qr/^drift read degradation \d+$/, 'growth of 0.3 % a night is found by drift, and not by deviation');
is(findings(q{name = 'constant'}), '', 'nothing where nothing grows');
like($db->value(q{SELECT not_compared FROM profiling.rollup AS r JOIN profiling.benchmark AS b USING (benchmark_id) WHERE b.name = 'young' ORDER BY started_at DESC LIMIT 1}),
	qr/^too little history: 0 runs at least 60 days before it, 2 are needed/, 'words for too little history');

# The same when what is old has been merged to months.
$db->run(q{SELECT profiling.merge_rollups(benchmark_id, '0 days', 20) FROM profiling.benchmark});
is($db->value(q{SELECT count(*) FROM profiling.rollup WHERE span = 'month' AND started_at < '2021-01-20'}) > 0, 1, 'runs were merged');
# What comes later into one of these runs is beside the month for a while. Both are right, and looked at together.
$db->run(q{BEGIN; CREATE TEMP TABLE late AS SELECT b.benchmark_id, b.name, t.* FROM profiling.rollup AS r JOIN profiling.benchmark AS b USING (benchmark_id) JOIN profiling.test_run AS t ON t.test_run_id = r.run_ids[1]
	WHERE r.span = 'month' AND cardinality(r.run_ids) > 2 AND b.name = 'creeping' ORDER BY r.started_at LIMIT 1;
	SELECT profiling.import_flamegraph(name, 'main;late 3', started_at => started_at, branch => branch, commit => commit, version => version, labels => labels, repetition => 9) FROM late});
is($db->value(q{SELECT count(*) FROM profiling.rollup AS r JOIN late USING (benchmark_id) WHERE late.test_run_id = ANY (r.run_ids)}), 2, 'a late profile of a run in a month has a row of its own');
my $wrong = q{SELECT string_agg(problem || ': ' || detail, ', ') FROM profiling.check(true)};
is($db->value($wrong), undef, '... and nothing is wrong');
$db->run(q{UPDATE profiling.rollup AS r SET total = total + 2, flamegraph = flamegraph + 'main;late 2' FROM late WHERE r.benchmark_id = late.benchmark_id AND r.test_run_id = late.test_run_id});
is($db->value($wrong), 'wrong sum: cpu, samples: off by 2', '... unless its sum is');
$db->run('ROLLBACK');
$db->run(q{UPDATE profiling.regression SET status = 'resolved', closed_at = now()});
growing(81);
watch_run();
is(findings(q{name = 'creeping' AND status = 'open'}), 'drift read degradation 77', 'against a month');
is(findings(q{name = 'constant'}), '', 'nothing where nothing grows, against a month');
is($db->value(q{SELECT profile_count(profiling.moments_of(b.benchmark_id, 'cpu', 'samples', '', profiling.runs_long_before(b.benchmark_id, 'cpu', 'samples', '',
		(SELECT max(test_run_id) FROM profiling.test_run), '60 days'), 'frame')) FROM profiling.benchmark AS b WHERE b.name = 'creeping'}), 20, 'a month has its runs as observations');
is($db->value(q{SELECT profile_count(profiling.moments_of(b.benchmark_id, 'cpu', 'samples', '', profiling.runs_long_before(b.benchmark_id, 'cpu', 'samples', '',
		(SELECT max(test_run_id) FROM profiling.test_run), '60 days'), 'frame')) FROM profiling.benchmark AS b WHERE b.name = 'repeated'}), 1, 'and one where runs had repetitions');

my $error = $db->query(q{INSERT INTO profiling.watch (method, options) VALUES ('drift', '{"ago": "soon"}')})->{error};
like("$error->{message} $error->{hint}", qr/^option "ago" of watch row \d+ cannot be "soon" It is a number of days/, 'ago');
for my $ago ('101 years', '9999 weeks', '9999 years')
{
	$error = $db->query(qq{INSERT INTO profiling.watch (method, options) VALUES ('drift', '{"ago": "$ago"}')})->{error};
	like("$error->{message} $error->{hint}", qr/^option "ago" of watch row \d+ cannot be "$ago" .*at most 100 years/, "$ago: nobody was there then");
}
watch('method, benchmark, options', q{'drift', 'oldest', '{"ago": "100 years"}'});
watch('method, benchmark, options', q{'drift', 'constant', '{"ago": "2 weeks", "recent": 3}'});

# --- recordings ---------------------------------------------------------------------------------------------------------

# A program of Python at rest (test/data/noise), one recording a night, its numbers of samples. Each filter is also switched
# off: the same nights by the baseline and the method that a watch row has by default.
my $folder = PostgreSQL::Test::Utils::tempdir();
is(system('tar', '-C', $folder, '-xf', "$FindBin::RealBin/../data/noise/idle500/python.tar"), 0, 'the recordings are unpacked');
open my $out, '>', "$folder/recorded.tsv" or die $!;
for my $file (sort glob "$folder/python/*.gz")
{
	open my $in, '<:raw', $file or die "$file: $!";
	print $out '\\\\x' . unpack('H*', join '', <$in>), "\n";
}
close $out;
$node->safe_psql('postgres', 'CREATE DATABASE recorded');
$node->safe_psql('recorded', <<"SQL");
SET client_min_messages = warning;
CREATE EXTENSION flamegraph_store CASCADE;
CREATE TABLE file (n int GENERATED ALWAYS AS IDENTITY, data bytea);
\\copy file (data) FROM '$folder/recorded.tsv'
CREATE TABLE recording AS SELECT f.n, r.samples FROM file AS f, LATERAL read_recording(f.data) AS r;
-- What is below a function has some times as many samples.
CREATE FUNCTION night(benchmark text, n int, function text, times float8) RETURNS bigint LANGUAGE sql AS \$\$
	SELECT profiling.import_flamegraph(benchmark, r.samples + (times - 1) * filter_stacks(r.samples, ('*;"' || function || '";*')::stackquery), period => 1,
		started_at => timestamptz '2020-12-11 02:00 UTC' + n * interval '1 day', commit => 'commit' || n, labels => jsonb_build_object('host', benchmark))
	FROM recording AS r WHERE r.n = night.n
\$\$;
CREATE VIEW finding AS SELECT name, method, leaf(subject) AS subject, kind, status, first_commit FROM profiling.regression_history;
INSERT INTO profiling.watch (benchmark, baseline) VALUES ('season', 'season:14 days*4');
INSERT INTO profiling.watch (benchmark, method) VALUES ('drift%', 'drift');
INSERT INTO profiling.watch (benchmark, enabled) VALUES ('drift%', false);
SQL
my $recorded = Wire->connect($node, 'recorded');
my $found = sub { my ($name) = @_; return join ', ', map { join ' ', @$_ } @{ $recorded->rows("SELECT method, subject, kind, first_commit FROM finding WHERE name = '$name' ORDER BY first_commit, subject") } };

# Every fourteenth night half of the time goes to what takes a sixth of it.
my $fortnightly = 'difflib.py:get_close_matches:666';
$recorded->run("SELECT night(b, n, '$fortnightly', CASE WHEN n % 14 = 0 THEN 3 ELSE 1 END) FROM unnest('{season,without season}'::text[]) AS b, generate_series(1, 69) AS n");
$recorded->run('CALL profiling.watch_run()');
$recorded->run("SELECT night(b, 70, '$fortnightly', 3) FROM unnest('{season,without season}'::text[]) AS b");
$recorded->run('CALL profiling.watch_run()');
is($found->('season'), '', 'recordings, by season: the fortnightly work is no finding');
like($found->('without season'), qr/deviation difflib\S+ degradation commit70$/, '... and is one by the runs before');
my $changed = 'program.py:expressions:62';
$recorded->run("SELECT night(b, 71, '$changed', 2) FROM unnest('{season,without season}'::text[]) AS b");
$recorded->run('CALL profiling.watch_run()');
like($found->('season'), qr/\bdegradation commit71\b/, '... but a change is one by season, too');

# A function grows by 0.5 % a night.
$recorded->run("SELECT night(b, n, '$changed', 1.005 ^ n) FROM unnest('{drift,without drift}'::text[]) AS b, generate_series(1, 75) AS n");
$recorded->run("SELECT night(b, n, '$changed', 1) FROM unnest('{drift constant}'::text[]) AS b, generate_series(1, 75) AS n");
$recorded->run('CALL profiling.watch_run()');
for my $n (76 .. 80)
{
	$recorded->run("SELECT night(b, $n, '$changed', 1.005 ^ $n) FROM unnest('{drift,without drift}'::text[]) AS b");
	$recorded->run("SELECT night('drift constant', $n, '$changed', 1)");
	$recorded->run('CALL profiling.watch_run()');
}
# What it calls grows with it.
like($found->('drift'), qr/\bdrift \Q$changed\E degradation commit\d+$/, 'recordings, by drift: what grows by 0.5 % a night is found');
is($found->('without drift'), '', '... and is not, by the runs before');
is($found->('drift constant'), '', '... and what does not grow is not found');
is($recorded->value(q{SELECT count(*) FROM profiling.job_log WHERE outcome <> 'ok'}), 0, 'nothing failed');
$recorded->close;

$db->close;
$node->stop;
done_testing();
