# How soon what runs on a large value ends after a cancel by another session and after its own timeout, as a table. The
# promise is 100 ms on an idle machine, outside PostgreSQL's own TOAST code and LAPACK. A benchmark and no test: other work
# on the machine is in every figure; what tests prove is counted work (test/t/031_polls.pl).
#
# cancel.sh runs it. FLAMEGRAPH_CANCELS sets how often each operation is cancelled, at times spread over its duration;
# FLAMEGRAPH_CANCEL_ONLY picks operations by name; FLAMEGRAPH_CANCEL_BITS is the size: 2^21 stacks.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

use lib "$FindBin::RealBin/../../test/t";
use Wire;

my $rounds = $ENV{FLAMEGRAPH_CANCELS} // 3;
my $only = $ENV{FLAMEGRAPH_CANCEL_ONLY};
my $bits = $ENV{FLAMEGRAPH_CANCEL_BITS} // 21;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', <<'CONF');
fsync = off
shared_buffers = 512MB
max_wal_size = 4GB
jit = off
max_parallel_workers_per_gather = 0
log_min_error_statement = panic
CONF
$node->start;

my $db = Wire->connect($node, 'postgres');
my $other = Wire->connect($node, 'postgres');
$db->run('CREATE EXTENSION flamegraph');

# A tree of 2^21 stacks, seven frames deep, the stacks in an order that is none (an odd factor permutes the numbers
# below a power of two), as rows and as folded text; a chain nearly as deep as a stack may be, with a
# value at every 16th level, so that it is built quickly.
my $last = 2**$bits - 1;
$db->run(<<"SQL");
CREATE UNLOGGED TABLE rows_of AS
  SELECT i, 'main;a' || (i >> 20 & 15) || ';b' || (i >> 16 & 15) || ';c' || (i >> 12 & 15) || ';d' || (i >> 8 & 15)
         || ';e' || (i >> 4 & 15) || ';f' || (i & 15) AS stack, (i % 1000 + 1)::float8 AS value
  FROM (SELECT n::int8 * 2654435761 & $last AS i FROM generate_series(0, $last) AS n) AS mixed;
CREATE UNLOGGED TABLE texts (data text);
ALTER TABLE texts ALTER data SET STORAGE EXTERNAL;
INSERT INTO texts SELECT string_agg(stack || ' ' || value, E'\\n') FROM rows_of;
CREATE UNLOGGED TABLE big (name text, fg flamegraph);
ALTER TABLE big ALTER fg SET STORAGE EXTERNAL;
INSERT INTO big SELECT 'a', flamegraph_from_folded(data) FROM texts;
INSERT INTO big SELECT 'b', fg * 0.3 FROM big WHERE name = 'a';
INSERT INTO big SELECT 'chain', flamegraph_agg(path, n)
  FROM (SELECT n, stackpath(array_fill('f'::text, ARRAY[n])) AS path FROM generate_series(1, 65535, 16) AS n) AS s;
INSERT INTO big SELECT 'short chain', flamegraph_agg(array_fill('f'::text, ARRAY[16000]), 1);
INSERT INTO big SELECT 'frames', flamegraph_agg(ARRAY['main', 'frame ' || md5(n::text), 'leaf'], n) FROM generate_series(1, 400000) AS n;
INSERT INTO big SELECT 'fractions', flamegraph_agg(stack, value / 7.0) FROM rows_of WHERE i % 2 = 0;
CREATE UNLOGGED TABLE points AS
  SELECT i, (i::int8 * 7919 % 1000003)::float8 AS x, sin(i) * 100 + i % 97 AS y FROM generate_series(1, 1000000) AS i;
CREATE UNLOGGED TABLE series AS
  SELECT n, array_agg(x) AS xs, array_agg(y) AS ys, array_agg('f' || i % 500) AS locations, array_agg(i % 2 = 0) AS is_target
  FROM (VALUES (8000), (100000), (1000000)) AS v (n), points WHERE i <= n GROUP BY n;
CREATE UNLOGGED TABLE fits AS SELECT fit(xs, ys, 'kernel_regression') AS a, fit(xs, ys, 'regressogram', '{"buckets": 1000000}') AS b FROM series WHERE n = 1000000;
CREATE UNLOGGED TABLE runs AS
  SELECT run, flamegraph_agg(ARRAY['function ' || f], 1 + run::int8 * f * 7919 % 1009) AS fg
  FROM generate_series(1, 2000) AS run, generate_series(1, 300) AS f GROUP BY run;
CREATE UNLOGGED TABLE samples AS
  SELECT array_agg(fg) FILTER (WHERE run % 2 = 0) AS before, array_agg(fg) FILTER (WHERE run % 2 = 1) AS after FROM runs;
INSERT INTO big SELECT 'small', cut_depth(fg, 5) FROM big WHERE name = 'a';
SQL
note "$_->[0]: $_->[1] nodes, $_->[2] bytes" for @{ $db->rows('SELECT name, nnodes(fg), pg_column_size(fg) FROM big') };

sub value { return "(SELECT fg FROM big WHERE name = '$_[0]')"; }

# Most take some hundred milliseconds. OFFSET 0 and count(stack) keep the planner from leaving work out.
my ($a, $b, $small, $chain, $short_chain, $frames) = map { value($_) } ('a', 'b', 'small', 'chain', 'short chain', 'frames');
my @operations = (
	'parse folded text' => 'SELECT total(flamegraph_from_folded(data)) FROM texts',
	'build from shuffled rows' => 'SELECT nnodes(flamegraph_agg(stack, value)) FROM rows_of',
	'sum' => "SELECT nnodes(sum(fg)) FROM (SELECT fg FROM big WHERE name IN ('a', 'b') UNION ALL SELECT fg * 2 FROM big WHERE name IN ('a', 'b')) AS s",
	'avg' => "SELECT nnodes(avg(fg)) FROM big WHERE name IN ('a', 'b', 'fractions')",
	'difference' => "SELECT nnodes($a - $b)",
	'scale' => "SELECT nnodes($a * 0.1)",
	'distance and similarity' => "SELECT distance($a, $b), distance($a, $b, 2), similarity($a, $b)",
	'text out, packed' => "SELECT octet_length($b\::text)",
	'text in, packed' => "SELECT nnodes(packed::text::flamegraph) FROM (SELECT $b\::text AS packed OFFSET 0) AS p",
	'folded text out' => "SELECT octet_length(flamegraph_to_folded($a))",
	'folded text of a deep chain' => "SELECT octet_length(flamegraph_to_folded($chain))",
	'stacks()' => "SELECT count(stack) FROM stacks($a)",
	'nodes()' => "SELECT count(stack) FROM nodes($a)",
	'nodes() of a deep chain' => "SELECT count(stack) FROM nodes($short_chain)",
	'subtree_potential of large degree' => "SELECT count(*) FROM subtree_potential($a, 2147483647)",
	'subtree_potential, many frames' => "SELECT count(*) FROM subtree_potential($frames, 3)",
	'sum, many frames' => "SELECT nframes($frames + $frames * 2)",
	'positive part' => "SELECT nnodes(positive_part($a - $b))",
	'recursion edges' => "SELECT recursion_edge_count($a), (SELECT count(*) FROM recursion_pairs($chain))",
	'node_potential' => "SELECT count(stack) FROM node_potential($a, 3)",
	'frame_metrics' => "SELECT count(*) FROM frame_metrics($a)",
	'frame_metrics, many frames' => "SELECT count(*) FROM frame_metrics($frames)",
	'callees, many of them' => "SELECT count(*) FROM callees($frames, 'main')",
	'call_edges, many of them' => "SELECT count(*) FROM call_edges($frames)",
	'call_sites' => "SELECT count(*) FROM call_sites($frames, 'main')",
	'thread_metrics' => "SELECT count(*) FROM thread_metrics($a, '*{2}')",
	'task_view' => "SELECT nnodes(task_view($a, '{\"t\": {\"prefix\": \"b\"}}'))",
	'task_totals, many tasks' => "SELECT count(*) FROM task_totals(k_context($frames, 1), '{\"\\\\1\": {\"regex\": \"frame (....)\"}}')",
	'task_view, many definitions' => 'SELECT nnodes(task_view(' . value('a') . ", (SELECT jsonb_object_agg('t' || i, '{\"prefix\": \"\"}'::jsonb) FROM generate_series(1, 50000) AS i)))",
	'merge_partial' => "SELECT nnodes(merged) FROM merge_partial($a, strip_outer($b, 3))",
	'hot_contexts' => "SELECT count(stack) FROM hot_contexts($a, 0)",
	'subsuming_frames' => "SELECT count(*) FROM subsuming_frames($frames) AS f, subsuming_frames($a) AS a",
	'compare_baseline, many frames' => "SELECT count(*) FROM compare_baseline($frames, $frames * 2)",
	'editor_metrics, many frames' => "SELECT count(*) FROM editor_metrics($frames, frames($frames), baseline => $frames)",
	'compare_profiles' => "SELECT count(key) FROM compare_profiles(ARRAY[$a, $b], ARRAY[$b, $a], 'node')",
	'compare_profiles by maxt, many keys' => "SELECT count(*) FROM compare_profiles(ARRAY[$frames, $frames * 2], ARRAY[$frames * 3, $frames * 5], 'node', 'maxt')",
	'compare_profiles by maxt, many permutations' => "SELECT count(*) FROM compare_profiles(array_fill(cut_depth($a, 3), ARRAY[30]), array_fill(cut_depth($b, 3), ARRAY[30]), method => 'maxt', permutations => 100000)",
	'compare_stats' => "SELECT count(key) FROM compare_stats((SELECT stats(fg, 'node') FROM big WHERE name IN ('a', 'b')), (SELECT stats(fg, 'node') FROM big WHERE name IN ('a', 'fractions')))",
	'stats' => "SELECT profile_count(stats(fg, 'node')) FROM big WHERE name IN ('a', 'b', 'fractions')",
	'entries' => "SELECT count(key) FROM entries((SELECT stats(fg, 'node') FROM big WHERE name = 'a'))",
	'tree' => "SELECT count(*) FROM tree($a, 0)",
	'flamegraph_to_json' => "SELECT jsonb_typeof(flamegraph_to_json(fg)) FROM (SELECT cut_depth($a, 5) AS fg) AS c",
	'moving_average, automatic window' => "SELECT kind(fit(xs, ys, 'moving_average')) FROM series WHERE n = 1000000",
	'moving_average, medians' => "SELECT kind(fit(xs, ys, 'moving_average', '{\"method\": \"smm\", \"window_size\": 100001}')) FROM series WHERE n = 100000",
	'moving_average_agg, weights' => "SELECT kind(moving_average_agg(x, y, '{\"window_size\": 1001, \"window_type\": \"parzen\"}')) FROM points WHERE i <= 100000",
	'regressogram_agg, medians' => "SELECT kind(regressogram_agg(x, y, '{\"statistic\": \"median\"}')) FROM points",
	'kernel_regression, gaussian' => "SELECT kind(fit(xs, ys, 'kernel_regression', '{\"kernel\": \"gaussian\"}')) FROM series WHERE n = 100000",
	'kernel_regression, search' => "SELECT kind(fit(xs, ys, 'kernel_regression', '{\"rule\": \"cv_ls\", \"method\": \"local_linear\"}')) FROM series WHERE n = 100000",
	'kernel_regression, polynomials' => "SELECT kind(fit(xs, ys, 'kernel_regression', '{\"method\": \"local_polynomial\", \"bandwidth\": 1e5}')) FROM series WHERE n = 8000",
	'parametric_regression_agg' => 'SELECT kind(parametric_regression_agg(x, y)) FROM points',
	'parametric_models, bisection' => "SELECT count(*) FROM parametric_models((SELECT xs FROM series WHERE n = 1000000), (SELECT ys FROM series WHERE n = 1000000), method => 'bisection')",
	'perfmodel out and in' => 'SELECT kind(t::perfmodel) FROM (SELECT a::text AS t FROM fits OFFSET 0) AS f',
	'integral_comparison' => 'SELECT c.result FROM fits, integral_comparison(a, b) AS c, generate_series(1, 20)',
	'integral_intervals' => 'SELECT count(*) FROM fits, integral_intervals(a, b, 100000)',
	'local_statistics' => 'SELECT c.result FROM fits, local_statistics(a, b, 1000000) AS c',
	'detect_changes' => 'SELECT count(*) FROM series, detect_changes(locations, is_target, xs, ys) WHERE n = 1000000',
	'energy_test' => "SELECT p_value FROM energy_test(ARRAY[$a, $b], ARRAY[$b * 2, $a])",
	'hotelling_test' => 'SELECT t.t2 FROM samples, hotelling_test(before, after) AS t',
	'hotelling_test, too many stacks' => "SELECT t.status FROM hotelling_test(ARRAY[$a, $b], ARRAY[$b * 2, $a * 3]) AS t",
	'hotelling_intervals, too many stacks' => "SELECT count(key) FROM hotelling_intervals(ARRAY[$a, $b], ARRAY[$b * 2, $a * 3])",
	'reduced_difference' => "SELECT nnodes(reduced_difference(ARRAY[$a, $b], ARRAY[$b * 2, $a * 3], method => 'welch'))",
	'deviation_scores, many profiles' => "SELECT count(*) FROM deviation_scores(array_fill($small, ARRAY[2000]), $small * 2, 2000)",
	'deviation_scores, many frames' => "SELECT count(*) FROM deviation_scores(ARRAY[$frames, $frames * 2], $frames * 3)",
	'deviation_scores of statistics' => "SELECT count(key) FROM deviation_scores((SELECT stats(fg, 'node') FROM big WHERE name IN ('a', 'b')), $a)",
	'sample_check' => "SELECT count(*) FROM sample_check(ARRAY[$a, $b, $a, $b, $a])",
	'frame_correlation, many frames' => "SELECT count(*) FROM frame_correlation(ARRAY[$frames, $frames * 2, $frames * 3], ARRAY[1, 2, 4])",
	'frame_correlation, many profiles' => "SELECT count(*) FROM frame_correlation(array_fill($small, ARRAY[2000]), (SELECT array_agg(i::float8) FROM generate_series(1, 2000) AS i))",
	'expand_context' => "SELECT count(*) FROM expand_context(ARRAY[$b, $b * 2], $a, 'main', options => '{\"max_breadth\": 16}')",
	'expand_context to callers' => "SELECT count(*) FROM expand_context(ARRAY[$b, $b * 2], $a, 'f7', 'parent', options => '{\"max_breadth\": 16}')",
	'regression_report' => "SELECT count(*) FROM regression_report(ARRAY[$b, $b * 2], $a)",
	'regression_report, many profiles' => "SELECT count(*) FROM regression_report(array_fill($small, ARRAY[500]), $small * 2, options => '{\"window_size\": 500}')",
	'change_points of profiles' => "SELECT count(*) FROM change_points(ARRAY[$a, $b, $a, $b], 2, 0, 0.5)",
	'change_points of many profiles' => "SELECT count(*) FROM change_points(array_fill($small, ARRAY[200]) || array_fill($small * 2, ARRAY[200]), min_effect => 0.1)",
	'change_points' => 'SELECT count(*) FROM change_points((SELECT array_agg(n % 7 + n / 1000 ORDER BY n) FROM generate_series(1, 3000) AS n)::float8[], permutations => 99)');

note '| operation | takes, ms | ended early | after a cancel, ms | ready, ms | after a timeout, ms |';
note '|---|--:|--:|--:|--:|--:|';
my ($max_cancel, $max_timeout, $max_ready) = (0, 0, 0);
while (my ($name, $sql) = splice @operations, 0, 2)
{
	next if defined $only && $name !~ /$only/;

	# How long it takes when left alone. An operation that fails by itself (a text beyond 1 GB) has a duration, too.
	$db->query($sql);
	my $begin = time;
	$db->query($sql);
	my $duration = time - $begin;

	my ($hits, $unexpected, $worst_cancel, $worst_timeout, $worst_ready) = (0, '', 0, 0, 0);
	for my $round (1 .. $rounds)
	{
		my $delay = $duration * ($round - 0.5) / $rounds;

		# By another session.
		$db->start($sql);
		sleep $delay;
		my $asked = time;
		$other->start('SELECT pg_cancel_backend(' . $db->pid . ')');
		my $result = $db->finish;
		$other->finish;
		if (my $error = $result->{error})
		{
			if ($error->{sqlstate} eq '57014')
			{
				$hits++;
				my ($late, $ready) = ($result->{errored} - $asked, $result->{finished} - $asked);
				note sprintf '%s: cancelled after %.0f ms: %.0f ms, ready after %.0f ms', $name, 1e3 * $delay, 1e3 * $late, 1e3 * $ready;
				$worst_cancel = $late if $late > $worst_cancel;
				$worst_ready = $ready if $ready > $worst_ready;
			}
			elsif ($error->{sqlstate} ne '54000') { $unexpected .= " $error->{sqlstate} $error->{message}"; }
		}
		# The signal may arrive after the end; it must not hit the next statement.
		$db->query('SELECT 1') for 1 .. 2;

		# By its own timeout.
		my $timeout = int(1e3 * $delay) || 1;
		$db->run("SET statement_timeout = $timeout");
		$db->start($sql);
		$result = $db->finish;
		if (my $error = $result->{error})
		{
			if ($error->{sqlstate} eq '57014')
			{
				$hits++;
				my $late = $result->{errored} - $db->{started} - $timeout / 1e3;
				note sprintf '%s: timeout %d ms: %.0f ms late', $name, $timeout, 1e3 * $late;
				$worst_timeout = $late if $late > $worst_timeout;
			}
			elsif ($error->{sqlstate} ne '54000') { $unexpected .= " $error->{sqlstate} $error->{message}"; }
		}
		# A timeout may fire when the statement has just ended; PostgreSQL then cancels the next one.
		$db->query('SET statement_timeout = 0') for 1 .. 2;
	}
	is($unexpected, '', "$name: no other error");
	note sprintf '| %s | %.0f | %d | %.0f | %.0f | %.0f |', $name,
	  1e3 * $duration, $hits, map { 1e3 * $_ } $worst_cancel, $worst_ready, $worst_timeout;
	$max_cancel = $worst_cancel if $worst_cancel > $max_cancel;
	$max_ready = $worst_ready if $worst_ready > $max_ready;
	$max_timeout = $worst_timeout if $worst_timeout > $max_timeout;
}
note sprintf '| the largest | | | %.0f | %.0f | %.0f |', map { 1e3 * $_ } $max_cancel, $max_ready, $max_timeout;

$db->close;
$other->close;
$node->stop;
done_testing();
