# Corrections of the store: what is left after delete_run(), delete_branch(), delete_benchmark(), rename_benchmark() and
# merge_benchmarks() equals, byte by byte, a second store that was loaded without the wrong part, or under the right name,
# from the start. Then findings, loaders and corrections at the same time, rights, and what DROP EXTENSION leaves.
use strict;
use warnings;

use FindBin;
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

use lib $FindBin::RealBin;
use Store;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\ndeadlock_timeout = '100ms'\nmax_connections = 40\n");
$node->start;
my $dir = PostgreSQL::Test::Utils::tempdir();
my $databases = 0;

# A store in a database of its own: an empty one, or a copy of one that is loaded with everything.
sub new_store
{
	my ($template) = @_;
	my $name = 'store' . $databases++;
	$node->safe_psql('postgres', "CREATE DATABASE $name TEMPLATE " . ($template // 'empty'));
	my $db = Wire->connect($node, $name);
	$db->run("SET timezone = 'UTC'; SET client_min_messages = warning");
	return $db;
}

# Random profiles, in a random order, the same in every store: benchmarks a, b and c, runs of two branches in two years, two
# events, up to seven repetitions (some are pending), values that are no whole numbers, stacks that were cut off, metrics in
# some; recordings that occur twice. The condition leaves some out, name says under which name one is loaded.
sub fill
{
	my ($db, %o) = @_;
	my $where = $o{where} // 'true';
	my $name = $o{name} // 'b';
	my $value = $o{whole} ? 'floor(1 + 50 * %s)' : 'round((1 + 50 * %s)::numeric, 3)';
	my ($x, $y) = map { sprintf $value, "public.uniform(key || '$_')" } 'x', 'y';
	$db->run(<<"SQL");
DO \$do\$
DECLARE
	l record;
	v flamegraph;
	own bool;
BEGIN
	FOR l IN
		SELECT *, b || ' ' || n || ' ' || r || ' ' || e AS key
		FROM unnest('{a,b,c}'::text[]) AS b, generate_series(0, 35) AS n, generate_series(0, 6) AS r, unnest('{cpu,alloc}'::text[]) AS e
		WHERE public.uniform(b || n || e || 'has') < 0.8 AND r <= 7 * public.uniform(b || n) AND (e = 'cpu' OR r < 3)
		ORDER BY public.uniform(b || n || r || e || 'order')
	LOOP
		CONTINUE WHEN NOT coalesce((SELECT $where FROM (SELECT l.b, l.n, l.r, l.e, l.key) AS v), false);
		v := (SELECT format(E'main;%s %s\\nmain;%s;%s %s\\nmain;deep;er 1', chr(97 + floor(4 * public.uniform(key || 1))::int), $x,
			chr(97 + floor(4 * public.uniform(key || 2))::int), chr(97 + floor(4 * public.uniform(key || 3))::int), $y)::flamegraph FROM (SELECT l.key) AS v);
		-- Samples that weigh 2 each, as vectors, or 2 or 4 by the period; of a few nobody knows.
		own := public.uniform(l.key || 'own') < 0.3;
		PERFORM profiling.import_flamegraph((SELECT $name FROM (SELECT l.b, l.n, l.r, l.e, l.key) AS v), v, samples => CASE WHEN own THEN v / 2 END, noise => CASE WHEN own THEN v * 2 END,
			period => CASE WHEN NOT own AND public.uniform(l.key || 'unknown') > 0.03 THEN CASE WHEN public.uniform(l.b || l.n || 'period') < 0.7 THEN 2 ELSE 2 ^ (1 + l.r % 2) END END,
			truncated => CASE WHEN l.r % 3 = 0 THEN 'cut 0.1'::flamegraph END, suite => 's', parameters => CASE l.b WHEN 'c' THEN '{"n": 1}'::jsonb ELSE '{}' END,
			started_at => timestamptz '2021-01-05 02:00 UTC' + l.n * interval '12 days', branch => CASE l.n % 3 WHEN 2 THEN 'dev' ELSE 'main' END, commit => md5(l.n::text), labels => '{"host": "h"}',
			event => l.e, unit => CASE l.e WHEN 'cpu' THEN 'samples' ELSE 'bytes' END, repetition => l.r, metric => CASE WHEN l.e = 'cpu' AND l.n % 2 = 0 THEN 1 + public.uniform(l.key || 'm') END,
			metric_unit => 's', source => l.key);
		IF l.r = 0 AND l.e = 'cpu' AND l.n % 5 = 0 THEN
			PERFORM profiling.import_observations((SELECT $name FROM (SELECT l.b, l.n, l.r, l.e, l.key) AS v), ARRAY['f', 'f', 'f', 'f', 'g'], ARRAY[1, 2, 3, 4, 1]::float8[], ARRAY(SELECT i * (1 + public.uniform(l.key || i)) FROM generate_series(1, 5) AS i),
				suite => 's', parameters => CASE l.b WHEN 'c' THEN '{"n": 1}'::jsonb ELSE '{}' END, started_at => timestamptz '2021-01-05 02:00 UTC' + l.n * interval '12 days', branch => CASE l.n % 3 WHEN 2 THEN 'dev' ELSE 'main' END,
				commit => md5(l.n::text), labels => '{"host": "h"}', unit => 'ms');
		END IF;
	END LOOP;
END
\$do\$
SQL
	return;
}

# Everything that was loaded and what was made of it, by names and not by numbers; values as their bytes.
my $run = q(format('%s %s', t.started_at, t.branch));
my %content = (
	profiles => "SELECT concat_ws('|', b.suite, b.name, b.parameters, $run, p.event, p.unit, p.instance, p.repetition, p.source, p.metric, p.metric_unit, p.total, p.nodes, p.truncated_share, p.content_id,
		md5(flamegraph_send(d.flamegraph)), md5(flamegraph_send(d.truncated)), p.period, md5(flamegraph_send(d.samples)), md5(flamegraph_send(d.noise))) FROM profiling.profile AS p JOIN profiling.profile_data AS d USING (benchmark_id, profile_id) JOIN profiling.benchmark AS b USING (benchmark_id)
		JOIN profiling.test_run AS t USING (test_run_id)",
	rollups => "SELECT concat_ws('|', b.suite, b.name, b.parameters, $run, r.event, r.unit, r.branch, r.span, r.started_at, (SELECT string_agg(u.started_at::text, ' ' ORDER BY u.started_at, u.branch) FROM profiling.test_run AS u WHERE u.test_run_id = ANY (r.run_ids)),
		md5(flamegraph_send(r.flamegraph)), md5(flamestats_send(r.stats_stack)), md5(flamestats_send(r.stats_node)), md5(flamestats_send(r.stats_frame)), md5(flamestats_send(r.stats_self)), format('%s %s %s', r.period, md5(flamegraph_send(r.samples)), md5(flamegraph_send(r.noise))), r.repetitions, r.total, r.truncated_total, r.metric_count,
		r.metric_sum, r.metric_unit, (SELECT string_agg(p.source, ' ' ORDER BY o.n) FROM unnest(r.pending) WITH ORDINALITY AS o (id, n) JOIN profiling.profile AS p ON p.profile_id = o.id))
		FROM profiling.rollup AS r JOIN profiling.benchmark AS b USING (benchmark_id) JOIN profiling.test_run AS t USING (test_run_id)",
	observations => "SELECT concat_ws('|', b.suite, b.name, b.parameters, $run, o.location, o.x, o.y, o.unit, o.load_id, o.ordinal) FROM profiling.observation AS o JOIN profiling.benchmark AS b USING (benchmark_id) JOIN profiling.test_run AS t USING (test_run_id)",
	models => "SELECT concat_ws('|', b.suite, b.name, b.parameters, $run, m.location, m.kind, m.unit, m.model, m.r_square) FROM profiling.fitted_model AS m JOIN profiling.benchmark AS b USING (benchmark_id) JOIN profiling.test_run AS t USING (test_run_id)",
	runs => "SELECT concat_ws('|', $run, t.commit, t.labels) FROM profiling.test_run AS t",
	benchmarks => "SELECT concat_ws('|', b.suite, b.name, b.parameters) FROM profiling.benchmark AS b");

sub contents
{
	my ($db) = @_;
	return { map { $_ => [ sort map { $_->[0] } @{ $db->rows($content{$_}) } ] } keys %content };
}

sub nothing_wrong
{
	my ($db, $what) = @_;
	is_deeply([ map { join ' ', map { $_ // '' } @$_ } @{ $db->rows('SELECT * FROM profiling.check(deep => true)') } ], [], "$what: nothing is wrong");
	return;
}

sub same_stores
{
	my ($got, $expected, $what) = @_;
	nothing_wrong($got, $what);
	my ($x, $y) = (contents($got), contents($expected));
	for my $table (sort keys %content)
	{
		is_deeply($x->{$table}, $y->{$table}, "$what: $table are those of a store without the mistake");
	}
	cmp_ok(scalar @{ $x->{rollups} }, '>', 10, "$what: and there are some");
	return;
}

sub months { $_->run("CALL profiling.maintain(0, '0 days', '1 year', $_[0])") for @_[ 1 .. $#_ ]; return; }
sub fit { $_->run('SELECT profiling.fit_run(o.benchmark_id, o.test_run_id) FROM (SELECT DISTINCT benchmark_id, test_run_id FROM profiling.observation ORDER BY 1, 2) AS o') for @_; return; }
sub run_id { return $_[0]->value("SELECT test_run_id FROM profiling.test_run WHERE commit = md5('$_[1]')"); }
sub benchmark_id { return $_[0]->value("SELECT benchmark_id FROM profiling.benchmark WHERE name = '$_[1]'"); }

{
	$node->safe_psql('postgres', 'CREATE DATABASE empty');
	my $db = Wire->connect($node, 'empty');
	Store::create($db);
	$db->run($Store::uniform);
	$db->close;
	$db = new_store();
	fill($db);
	$db->close;
	$node->safe_psql('postgres', 'ALTER DATABASE store0 RENAME TO loaded');
}

# --- runs ---------------------------------------------------------------------------------------------------------------

{
	my ($db, $truth) = (new_store('loaded'), new_store());
	fill($truth, where => 'n NOT IN (3, 17, 35)');
	fit($db, $truth);
	for my $n (3, 17, 35)
	{
		my $row = $db->row('SELECT * FROM profiling.delete_run(' . run_id($db, $n) . ')');
		is("$row->[0] $row->[1] $row->[4]", '0 1 0', 'delete_run: one run');
	}
	same_stores($db, $truth, 'runs that nothing was merged of');
	# Samples and noise of each sum, counted profile by profile.
	my $laws = $db->row(<<'SQL');
SELECT count(*) FILTER (WHERE v.known AND v.samples IS NOT NULL AND abs(total(v.samples) - v.n) + abs(total(v.noise) - v.squares) <= 1e-9 * (v.n + v.squares)),
	count(*) FILTER (WHERE NOT v.known AND v.samples IS NULL AND v.noise IS NULL), count(*), count(v.period) > 10, count(v.own) > 10
FROM (SELECT profiling.summed_samples(r.flamegraph, r.period, r.samples, r.benchmark_id, r.pending) AS samples, r.period, r.samples AS own,
		profiling.summed_noise(r.flamegraph, r.period, r.noise, r.benchmark_id, r.pending) AS noise, s.*
	FROM profiling.rollup AS r, LATERAL (SELECT bool_and(d.samples IS NOT NULL OR p.period IS NOT NULL) AS known,
			sum(CASE WHEN d.samples IS NOT NULL THEN total(d.samples) ELSE p.total / p.period END) AS n,
			sum(CASE WHEN d.noise IS NOT NULL THEN total(d.noise) ELSE p.total * p.period END) AS squares
		FROM profiling.profile AS p JOIN profiling.profile_data AS d USING (benchmark_id, profile_id)
		WHERE p.benchmark_id = r.benchmark_id AND p.event = r.event AND p.unit = r.unit AND p.test_run_id = r.test_run_id) AS s) AS v
SQL
	is($laws->[0] + $laws->[1], $laws->[2], 'samples and noise of all sums are those of their profiles');
	cmp_ok($laws->[1], '>', 3, 'unknown where they are unknown of one');
	is_deeply([ @$laws[ 3, 4 ] ], [ 't', 't' ], 'by one period, and by vectors');
	months(5, $db, $truth);
	cmp_ok($db->value(q(SELECT count(*) FROM profiling.rollup WHERE span = 'month' AND cardinality(run_ids) > 1)), '>', 5, 'there are months');
	same_stores($db, $truth, 'and their months');
}
{
	# In months, with what is there of every other run: computed anew.
	my ($db, $truth) = (new_store('loaded'), new_store());
	fill($truth, where => 'n NOT IN (3, 4, 10)');
	fit($db, $truth);
	months(5, $db, $truth);
	my $rebuilt = 0;
	$rebuilt += $db->row('SELECT * FROM profiling.delete_run(' . run_id($db, $_) . ')')->[4] for 4, 3, 10;
	cmp_ok($rebuilt, '>', 3, "$rebuilt months computed anew");
	fit($db);
	same_stores($db, $truth, 'runs that were merged to months');
	# of one benchmark only
	$truth = new_store();
	fill($truth, where => q(n NOT IN (3, 4, 10) AND NOT (n = 6 AND b = 'b')));
	fit($truth);
	months(5, $truth);
	is($db->row('SELECT * FROM profiling.delete_run(' . run_id($db, 6) . ', ' . benchmark_id($db, 'b') . ')')->[1], 0, 'a run of one benchmark: others keep it');
	fit($db);
	same_stores($db, $truth, 'a run of one benchmark');
	# loaded again, it is a row beside its month until maintain() comes
	my $again = new_store();
	fill($again, where => 'n NOT IN (3, 4, 10)');
	fill($db, where => q(n = 6 AND b = 'b'));
	fit($db, $again);
	months(5, $db, $again);
	nothing_wrong($db, 'and loaded again');
	is_deeply(contents($db)->{profiles}, contents($again)->{profiles}, 'and all is there');

	# Profiles that are gone: the runs of a month cannot be told apart.
	$db->run('SELECT profiling.fold_rollups(benchmark_id) FROM profiling.benchmark');
	$db->run(q(DELETE FROM profiling.profile_data AS d USING profiling.profile AS p JOIN profiling.test_run AS t USING (test_run_id)
		WHERE d.benchmark_id = p.benchmark_id AND d.profile_id = p.profile_id AND t.started_at < '2021-03-01'));
	$db->run(q(DELETE FROM profiling.profile AS p WHERE NOT EXISTS (SELECT FROM profiling.profile_data AS d WHERE d.profile_id = p.profile_id)));
	nothing_wrong($db, 'pruned');
	my $before = contents($db);
	my $result = $db->query('SELECT profiling.delete_run(' . run_id($db, 1) . ')');
	is($result->{error}{sqlstate}, '55000', 'a run in a month whose profiles are gone: an error');
	like($result->{error}{message}, qr/^run \d+ cannot be told apart any more from other runs$/, 'that says so');
	is_deeply(contents($db), $before, 'and changes nothing');
	cmp_ok($db->row('SELECT * FROM profiling.delete_run(' . run_id($db, 1) . ', whole_months => true)')->[1], '==', 1, 'whole months go');
	nothing_wrong($db, 'whole months');
}

# --- branches, benchmarks -----------------------------------------------------------------------------------------------

{
	my ($db, $truth) = (new_store('loaded'), new_store());
	fill($truth, where => 'n % 3 <> 2');
	fit($db, $truth);
	months(5, $db, $truth);
	my $row = $db->row(q(SELECT * FROM profiling.delete_branch('dev')));
	is($row->[1], 12, 'delete_branch: its runs');
	same_stores($db, $truth, 'a branch');
	$truth = new_store();
	fill($truth, where => q(n % 3 <> 2 AND b <> 'a' AND NOT (n % 3 < 2 AND b = 'c')));
	fit($truth);
	months(5, $truth);
	$db->run(q(SELECT profiling.delete_benchmark('a', 's'); SELECT profiling.delete_branch('main', 'c%', 's'); SELECT profiling.delete_benchmark('c', 's')));
	same_stores($db, $truth, 'two benchmarks');
}

# --- another name -------------------------------------------------------------------------------------------------------

{
	my ($db, $truth) = (new_store(), new_store());
	$_->run(q(INSERT INTO profiling.frame_rule (benchmark, pattern, replacement) VALUES ('sort%', '^deep$', 'shallow'))) for $db, $truth;
	fill($db, name => q(CASE b WHEN 'b' THEN 'sort1' ELSE b END), where => 'n < 20');
	fill($truth, name => q(CASE b WHEN 'b' THEN 'sort2' ELSE b END), where => 'n < 20');
	fit($db, $truth);
	months(5, $db, $truth);
	is($db->row(q(SELECT * FROM profiling.rename_benchmark('sort1', 'sort2', 's')))->[0], 1, 'rename_benchmark: one');
	same_stores($db, $truth, 'renamed');
	# under the old name from here on
	fill($db, name => q(CASE b WHEN 'b' THEN 'sort1' ELSE b END));
	fill($truth, name => q(CASE b WHEN 'b' THEN 'sort2' ELSE b END));
	same_stores($db, $truth, 'loaded under the old name');
	fit($db, $truth);
	months(5, $db, $truth);
	same_stores($db, $truth, 'loaded under the old name, and its months');
	is_deeply($db->rows('SELECT suite, name, new_suite, new_name FROM profiling.benchmark_alias'), [ [ 's', 'sort1', 's', 'sort2' ] ], 'by an alias');
}

{
	# What was merged stays merged when the name goes and comes back; what others have named writes nothing on a terminal.
	my $db = new_store();
	$db->run(q(SELECT profiling.import_flamegraph(E'a\x1b', 'a 1', parameters => p, started_at => '2026-01-01') FROM unnest('{"{}","{\"n\": 1}"}'::jsonb[]) AS p));
	$db->run('SELECT profiling.merge_benchmarks(min(benchmark_id), max(benchmark_id)) FROM profiling.benchmark');
	$db->run(qq(SELECT profiling.rename_benchmark($_))) for q(E'a\x1b', 'c'), q('c', E'a\x1b');
	$db->run(q(SELECT profiling.import_flamegraph(E'a\x1b', 'a 2', started_at => '2026-01-02')));
	is_deeply($db->rows('SELECT parameters, (SELECT count(*) FROM profiling.profile) FROM profiling.benchmark'), [ [ '{"n": 1}', 2 ] ], 'a name that comes back leads to the benchmark it was merged into');
	is($db->value('SELECT profiling.benchmark_in_words(suite, name, parameters) FROM profiling.benchmark'), '"a?" with parameters {"n": 1}', 'as messages call it');
	nothing_wrong($db, 'renamed and back');
}

# --- two that are one ---------------------------------------------------------------------------------------------------
# Profiles of b are loaded under two names, at random, and some under both.

my $both = q(CASE WHEN b <> 'b' THEN b WHEN public.uniform(key || 'typo') < 0.4 THEN 'typo' ELSE 'b' END);
sub split_names
{
	my ($db, %o) = @_;
	fill($db, %o, name => $both);
	fill($db, %o, name => q('b'), where => q(b = 'b' AND public.uniform(key || 'twice') < 0.3));
	fill($db, %o, name => q('typo'), where => q(b = 'b' AND public.uniform(key || 'twice2') < 0.2));
	return;
}
for my $case ([ 'runs', undef, undef ], [ 'months of all runs', 0, undef ], [ 'some months', 5, 5 ])
{
	my ($what, $before, $after) = @$case;
	my ($db, $truth) = (new_store(), new_store());
	# Moments of sums that were merged in another order are equal to rounding; whole numbers have sums without any.
	split_names($db, whole => defined $after);
	fill($truth, whole => defined $after);
	fit($db, $truth);
	months($before, $db) if defined $before;
	my $row = $db->row('SELECT * FROM profiling.merge_benchmarks(' . benchmark_id($db, 'typo') . ', ' . benchmark_id($db, 'b') . ')');
	cmp_ok($row->[4], '>', 3, "merge_benchmarks, $what: $row->[4] rollups computed anew");
	nothing_wrong($db, 'merged');
	months($before, $truth) if defined $before;
	months($after, $db) if defined $after;
	if (!defined $after)
	{
		same_stores($db, $truth, "merged, $what");
		next;
	}
	my ($x, $y) = (contents($db), contents($truth));
	is_deeply($x->{$_}, $y->{$_}, "merged, $what: $_") for 'profiles', 'runs', 'observations', 'models', 'benchmarks';
	s/(\|[0-9a-f]{32}){5}(?=\|)// for @{ $x->{rollups} }, @{ $y->{rollups} };
	is_deeply($x->{rollups}, $y->{rollups}, "merged, $what: rollups but for their values");
	my $values = q(SELECT b.name, r.event, r.branch, r.started_at, md5(flamegraph_send(r.flamegraph)), (SELECT string_agg(concat_ws(' ', e.key, e.n, round(e.mean::numeric, 9), round(e.stddev::numeric, 9)), ',' ORDER BY e.key)
		FROM entries(r.stats_node) AS e) FROM profiling.rollup AS r JOIN profiling.benchmark AS b USING (benchmark_id) ORDER BY 1, 2, 3, 4);
	is_deeply($db->rows($values), $truth->rows($values), "merged, $what: sums, and moments to nine digits");
	# what CI still calls by the old name
	fill($db, name => $both, where => q(b = 'b' AND n > 30), whole => 1);
	is_deeply(contents($db), do { $_->{rollups} = contents($db)->{rollups} for my $c = contents($truth); $c }, 'and loads under the old name find what is there');
}
{
	# Profiles are gone: rollups are merged as they are.
	my ($db, $truth) = (new_store(), new_store());
	fill($db, name => $both, whole => 1);
	fill($truth, whole => 1);
	for my $store ($db, $truth)
	{
		months(5, $store);
		$store->run('SELECT profiling.fold_rollups(benchmark_id) FROM profiling.benchmark');
		$store->run('DELETE FROM profiling.profile_data; DELETE FROM profiling.profile');
	}
	$db->run('SELECT profiling.merge_benchmarks(' . benchmark_id($db, 'typo') . ', ' . benchmark_id($db, 'b') . ')');
	nothing_wrong($db, 'merged without profiles');
	my $sums = q(SELECT b.name, r.event, r.branch, profiling.month_of(r.started_at), sum(r.repetitions), md5(flamegraph_send(sum(r.flamegraph))), sum(r.total), round(sum(r.metric_sum)::numeric, 6), sum(r.metric_count)
		FROM profiling.rollup AS r JOIN profiling.benchmark AS b USING (benchmark_id) GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4);
	is_deeply($db->rows($sums), $truth->rows($sums), 'merged without profiles: the sums of each month');
	is($db->value(q(SELECT count(*) FROM profiling.benchmark WHERE name = 'typo')), 0, 'and one benchmark');
}

$node->stop;
done_testing();
