# Parallel plans: every aggregate runs in workers on a table of 100 toasted profiles, and says what it says serially:
# bit for bit on whole counts, to 1e-9 for variance and deviation. Both are also compared with PostgreSQL's own
# aggregates over the profiles' rows, an absent stack being 0. avg, variance and stddev of one column share one state.
use strict;
use warnings;

use FindBin;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf',
	"fsync = off\njit = off\nmax_worker_processes = 16\nmax_parallel_workers = 8\nmax_parallel_workers_per_gather = 2\n");
$node->start;

my $db = Wire->connect($node, 'postgres');
# VACUUM stands in no transaction, not even in that of statements sent together.
sub value { return $_[0] =~ /\bVACUUM\b/ ? $node->safe_psql('postgres', $_[0]) : $db->text($_[0]); }

my $serial = 'SET max_parallel_workers_per_gather = 0; ';

sub plan_nodes
{
	my ($sql, $before, $options) = @_;
	my $json = value(($before // '') . "; EXPLAIN (FORMAT JSON" . ($options // '') . ") $sql");
	my @nodes;
	my $walk;
	$walk = sub { push @nodes, $_[0]; $walk->($_) for @{ $_[0]{Plans} // [] } };
	$walk->(decode_json($json)->[0]{Plan});
	return @nodes;
}

# A plan in two steps, with workers between them that did start.
sub is_parallel
{
	my ($name, $sql, $before) = @_;
	my @nodes = plan_nodes($sql, $before, ', ANALYZE');
	my %step = map { $_->{'Partial Mode'} => 1 } grep { $_->{'Partial Mode'} } @nodes;
	my ($gather) = grep { $_->{'Node Type'} =~ /^Gather/ } @nodes;
	ok($step{Partial} && $step{Finalize} && $gather && $gather->{'Workers Launched'} > 0, "$name: in parallel, in two steps")
	  or diag(join ' > ', map { ($_->{'Partial Mode'} // '') . " $_->{'Node Type'}" } @nodes);
	return;
}

# 100 profiles of some 400 stacks that 7 groups share in part; values are whole counts, signed in every fifth. The
# column is EXTERNAL, so what is stored is out of line whatever it compresses to. A few rows are NULL, one is empty.
value(<<'SQL');
CREATE EXTENSION flamegraph;
CREATE TABLE profile (id int, grp int, fg flamegraph, fraction flamegraph);
ALTER TABLE profile ALTER fg SET STORAGE external, ALTER fraction SET STORAGE external;
INSERT INTO profile
SELECT p, p % 7, fg, fg / 7 FROM (SELECT p, (SELECT flamegraph_agg(ARRAY['main', 'a' || i % 5, 'b' || (i + p) % 17, 'function number ' || (i * 31 + p * (p % 11)) % 601],
		(i * p) % 997 - CASE WHEN p % 5 = 0 THEN 500 ELSE 0 END) FROM generate_series(1, 400) AS i) AS fg
	FROM generate_series(1, 100) AS p) AS x;
UPDATE profile SET fg = NULL, fraction = NULL WHERE id IN (13, 77);
UPDATE profile SET fg = '', fraction = '' WHERE id = 50;
ALTER TABLE profile SET (parallel_workers = 4);
CREATE TABLE sample AS SELECT p.id, p.grp, s.stack, s.stack::text AS stack_text, frames(s.stack) AS stack_frames, s.value FROM profile p, stacks(p.fg) AS s;
ALTER TABLE sample SET (parallel_workers = 4);
-- stacks that are toasted themselves
CREATE TABLE deep AS SELECT p AS id, stackpath(array_agg(CASE WHEN i < 75 THEN 'common' ELSE md5((p % 5)::text || i) END ORDER BY i)) AS stack, p AS value
	FROM generate_series(1, 1000) AS p, generate_series(1, 150) AS i GROUP BY p;
ALTER TABLE deep SET (parallel_workers = 4);
VACUUM ANALYZE profile;
VACUUM ANALYZE sample;
VACUUM ANALYZE deep;
SQL
cmp_ok(value(q{SELECT pg_relation_size(reltoastrelid) FROM pg_class WHERE oid = 'profile'::regclass}), '>',
	value(q{SELECT pg_relation_size('profile')}), 'most of the profiles are out of line');

# --- serial = parallel -----------------------------------------------------------------------------------------------

my @exact = map { "$_(fg)" } qw(sum avg min max support_count);
my @near = qw(variance(fg) stddev(fg) sum(fraction) avg(fraction) variance(fraction) stddev(fraction));
for my $aggregate (@exact, @near, 'min(fraction)', 'max(fraction)', 'support_count(fraction)', 'sum(cut_depth(fg, 2))',
	'sum(fg) FILTER (WHERE id % 3 = 0)')
{
	my $exact = !grep { $_ eq $aggregate } @near;
	for my $group ('', ' GROUP BY grp')
	{
		my $sql = "SELECT $aggregate AS x FROM profile$group";
		is_parallel("$aggregate$group", $sql);
		my $grouped = $group ? "SELECT grp, $aggregate AS x FROM profile GROUP BY grp" : "SELECT 0 AS grp, $aggregate AS x FROM profile";
		# Both answers meet in a table: one from a parallel plan, one from a serial one.
		value("DROP TABLE IF EXISTS p, s; CREATE TABLE p AS $grouped; $serial CREATE TABLE s AS $grouped");
		my $same = $exact ? 'p.x = s.x AND flamegraph_send(p.x) = flamegraph_send(s.x)' : 'p.x <-> s.x <= 1e-9 * norm(s.x)';
		is(value("SELECT count(*) FROM p JOIN s USING (grp) WHERE $same AND norm(s.x) > 0"), $group ? 7 : 1,
			$exact ? '... bit for bit' : '... to 1e-9');
	}
}
# Workers alone, and a leader that combines what several levels have made.
for my $settings ('SET parallel_leader_participation = off', 'SET max_parallel_workers_per_gather = 1', 'SET enable_hashagg = off')
{
	for my $aggregate (@exact)
	{
		my $sql = "SELECT md5(string_agg(flamegraph_send(x)::text, ',' ORDER BY grp)) FROM (SELECT grp, $aggregate AS x FROM profile GROUP BY grp) AS y";
		is(value("$settings; $sql"), value("$serial $sql"), "$aggregate with $settings");
	}
}

# Rows. They are cheap, so a planner that is left alone does not bother with 100 of them.
my $eager = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0';
for my $case ([ 'flamegraph_agg(stack, value)', 'sample', 'flamegraph_send' ], [ 'flamegraph_agg(stack_text, value)', 'sample', 'flamegraph_send' ],
	[ 'flamegraph_agg(stack_frames, value)', 'sample', 'flamegraph_send' ], [ 'flamegraph_agg(stack, value)', 'deep', 'flamegraph_send' ],
	[ 'lca_agg(stack)', 'sample', 'stackpath_send' ], [ 'lca_agg(stack)', 'deep', 'stackpath_send' ])
{
	my ($aggregate, $table, $send) = @$case;
	for my $group ('', $table eq 'deep' ? () : ' GROUP BY grp')
	{
		my $sql = "SELECT $aggregate AS x FROM $table$group";
		is_parallel("$aggregate of $table$group", $sql, $eager);
		my $all = "SELECT string_agg(md5($send(x)), ',' ORDER BY $send(x)) FROM ($sql) AS y";
		is(value("$eager; $all"), value("$serial $all"), '... bit for bit');
	}
}
is_parallel('flamegraph_agg of 39,000 rows, planner left alone', 'SELECT flamegraph_agg(stack, value) FROM sample');
is(value('SELECT lca_agg(stack) FROM sample'), 'main', 'the longest common prefix');
is(value('SELECT depth(lca_agg(stack)) FROM deep'), 74, '... of deep stacks');
is(value('SELECT (SELECT sum(fg) FROM profile) = (SELECT flamegraph_agg(stack, value) FROM sample)'), 't', 'profiles and their rows have one sum');

# --- against PostgreSQL's own aggregates ------------------------------------------------------------------------------
# Every stack of every profile of the group, 0 where it is absent. numeric is exact.

value(<<'SQL');
CREATE TABLE expected AS
WITH member AS (SELECT grp, id FROM profile WHERE fg IS NOT NULL AND grp IN (0, 1, 5)),
	 known AS (SELECT DISTINCT grp, stack FROM sample),
	 full_row AS (SELECT m.grp, k.stack, coalesce(s.value, 0)::numeric AS value
				  FROM member m JOIN known k USING (grp) LEFT JOIN sample s ON s.id = m.id AND s.stack = k.stack)
SELECT grp, stack, sum(value) AS sum, avg(value) AS avg, min(value) AS min, max(value) AS max, count(*) FILTER (WHERE value <> 0) AS support_count,
	   variance(value) AS variance, stddev(value) AS stddev
FROM full_row GROUP BY grp, stack;
SQL
cmp_ok(value('SELECT count(*) FROM expected'), '>', 1000, 'stacks to compare');
for my $name (qw(sum avg min max support_count variance stddev))
{
	for my $before ('', $serial)
	{
		my $sql = "SELECT count(*), count(g.value) FROM (SELECT grp, stack, $name FROM expected WHERE $name <> 0) AS e FULL JOIN "
		  . "(SELECT grp, s.* FROM (SELECT grp, $name(fg) AS x FROM profile WHERE grp IN (0, 1, 5) GROUP BY grp) AS y, stacks(x) AS s) AS g USING (grp, stack)";
		my ($all, $got) = split /\|/, value("$before$sql");
		is($got, $all, "$name: as many stacks as PostgreSQL" . ($before ? ', serially' : ''));
		is(value("$before$sql WHERE (abs(g.value - e.$name) <= 1e-9 * abs(e.$name)) IS NOT TRUE"), '0|0', '... and the same values');
	}
}

# Few profiles, equal profiles, values that differ by little of their size.
is(value(q{SELECT variance(fg) IS NULL, stddev(fg) IS NULL, avg(fg), sum(fg) FROM (VALUES ('a;b 3'::flamegraph)) AS v (fg)}), 't|t|a;b 3|a;b 3', 'one profile has no variance');
is(value(q{SELECT variance(fg) IS NULL, stddev(fg) IS NULL FROM (VALUES ('a;b 3'::flamegraph), (NULL)) AS v (fg)}), 't|t', 'a NULL is no profile');
is(value(q{SELECT variance(fg) IS NULL, stddev(fg) IS NULL, avg(fg) IS NULL, sum(fg) IS NULL, min(fg) IS NULL, max(fg) IS NULL, support_count(fg) IS NULL FROM profile WHERE fg IS NULL}),
	't|t|t|t|t|t|t', 'of no profile everything is NULL');
is(value(q{SELECT variance(fg) = '', stddev(fg) = '', avg(fg) FROM (VALUES ('a;b 3'::flamegraph), ('a;b 3')) AS v (fg)}), 't|t|a;b 3', 'equal profiles have the variance 0');
is(value(q{SELECT variance(fg), stddev(fg), avg(fg), min(fg) = '', max(fg) FROM (VALUES ('a;b 4'::flamegraph), ('')) AS v (fg)}), 'a;b 8|a;b 2.8284271247461903|a;b 2|t|a;b 4', 'an absent stack is 0');
cmp_ok(value(q{SELECT abs((variance(fg) -> 'a') / 0.25025025025025025 - 1) FROM (SELECT flamegraph_agg('a'::stackpath, 1e9 + i % 2) AS fg FROM generate_series(1, 1000) AS i GROUP BY i) AS x}),
	'<=', 1e-9, 'small deviations of large values');
# The error of algorithms that merge samples is at most n kappa u (Chan, Golub & LeVeque 1983): 100 values, 2.4e7 times as large as they
# deviate, and u = 1.1e-16 make 2.7e-7. The sum of squares less the square of the sum would have no digit.
cmp_ok(value(q{SELECT abs(((SELECT variance(flamegraph 'a 1' * (1e8 + i / 7.0)) FROM generate_series(1, 100) AS i) -> 'a') - v) / v FROM (SELECT variance(1e8::float8 + i / 7.0) AS v FROM generate_series(1, 100) AS i) AS z}),
	'<=', 2.7e-7, '... and fractions');

# --- one state for avg, variance and stddev --------------------------------------------------------------------------
# The arguments of a shared transition are evaluated once a row, so a function that tells of its calls counts them.

value(<<'SQL');
CREATE FUNCTION told(flamegraph) RETURNS flamegraph LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE NOTICE 'told'; RETURN $1; END $$;
SQL
sub evaluations
{
	my ($targets) = @_;
	my (undef, undef, $messages) = $node->psql('postgres', "$serial SELECT $targets FROM profile WHERE id <= 10");
	return scalar(() = $messages =~ /NOTICE:  told/g);
}
is(evaluations('avg(told(fg))'), 10, 'one aggregate evaluates its argument once a row');
is(evaluations('variance(told(fg)), stddev(told(fg))'), 10, 'variance and stddev share their state');
is(evaluations('avg(told(fg)), variance(told(fg))'), 10, 'avg and variance do');
is(evaluations('stddev(told(fg)), avg(told(fg)), variance(told(fg))'), 10, 'all three do');
is(evaluations('stats(told(fg)), stddev(told(fg)), avg(told(fg))'), 10, 'so does stats');
is(evaluations('avg(told(fg)), sum(told(fg))'), 20, 'others do not');
is(evaluations(q{avg(told(fg)), stats(told(fg), 'stack')}), 20, 'nor stats at a level');

# Sharing or not, in parallel or not, in either order: the same results.
for my $group ('', ' GROUP BY grp')
{
	my $together = "SELECT avg(fg) AS a, variance(fg) AS v, stddev(fg) AS d FROM profile$group";
	is_parallel("avg, variance and stddev together$group", $together);
	my $grp = $group ? 'grp' : '0 AS grp';
	value("DROP TABLE IF EXISTS p, s, q; CREATE TABLE p AS SELECT $grp, avg(fg) AS a, variance(fg) AS v, stddev(fg) AS d FROM profile$group; "
		  . "$serial CREATE TABLE s AS SELECT $grp, stddev(fg) AS d, avg(fg) AS a, variance(fg) AS v FROM profile$group; "
		  . "CREATE TABLE q AS SELECT * FROM (SELECT $grp, avg(fg) AS a FROM profile$group) x JOIN (SELECT $grp, variance(fg) AS v FROM profile$group) y USING (grp) "
		  . "JOIN (SELECT $grp, stddev(fg) AS d FROM profile$group) z USING (grp)");
	my $rows = $group ? 7 : 1;
	is(value('SELECT count(*) FROM p JOIN s USING (grp) JOIN q USING (grp) WHERE p.a = s.a AND s.a = q.a'), $rows, '... avg bit for bit');
	is(value('SELECT count(*) FROM s JOIN q USING (grp) WHERE s.v = q.v AND s.d = q.d'), $rows, '... variance and stddev of serial plans, too');
	is(value('SELECT count(*) FROM p JOIN s USING (grp) WHERE p.v <-> s.v <= 1e-9 * norm(s.v) AND p.d <-> s.d <= 1e-9 * norm(s.d)'), $rows,
		'... and to 1e-9 of parallel ones');
}
# Statistics at every level: the same entries, one by one; counts and means of whole counts bit for bit.
for my $stats ('stats(fg)', 'stats(fraction)', map { "stats(fg, '$_')" } qw(stack node frame self))
{
	for my $group ('', ' GROUP BY grp')
	{
		my $sql = 'SELECT ' . ($group ? 'grp' : '0 AS grp') . ", $stats AS s FROM profile$group";
		is_parallel("$stats$group", $sql);
		value("DROP TABLE IF EXISTS p, s; CREATE TABLE p AS $sql; $serial CREATE TABLE s AS $sql");
		my $same = $stats =~ /fraction/ ? 'abs(a.mean - b.mean) <= 1e-9 * abs(b.mean)' : 'a.mean = b.mean';
		is(value('SELECT count(*) FROM p JOIN s USING (grp) WHERE profile_count(p.s) = profile_count(s.s) AND stats_level(p.s) = stats_level(s.s) '
			  . "AND NOT EXISTS (SELECT FROM entries(p.s) a FULL JOIN entries(s.s) b USING (key) WHERE (a.n = b.n AND $same AND "
			  . 'abs(a.stddev - b.stddev) <= 1e-9 * b.stddev) IS NOT TRUE) AND EXISTS (SELECT FROM entries(s.s))'), $group ? 7 : 1,
			'... the same entries');
	}
}
# Levels may differ between the rows of several processes, too.
for my $before ('', $serial)
{
	my (undef, undef, $error) = $node->psql('postgres', "$before SELECT stats(fg, CASE WHEN id <= 50 THEN 'node' ELSE 'frame' END) FROM profile", on_error_stop => 0);
	like($error, qr/statistics at levels "\w+" and "\w+" cannot be merged/, 'two levels' . ($before ? ', serially' : ''));
}
# What is compared does not depend on the plan either.
is(value(<<'SQL'), 't|t', 'compare_stats of a parallel aggregate is compare_profiles');
SELECT count(*) > 1000, bool_and((abs(a.p_value - b.p_value) <= 1e-9 AND abs(a.q_value - b.q_value) <= 1e-9 AND a.delta = b.delta AND (abs(a.t - b.t) <= 1e-9 * (1 + abs(b.t)))) IS TRUE)
FROM (SELECT array_agg(fg) FILTER (WHERE id % 2 = 0) AS before, array_agg(fg) FILTER (WHERE id % 2 = 1) AS after FROM profile WHERE fg IS NOT NULL) x,
	(SELECT stats(fg, 'node') FILTER (WHERE id % 2 = 0) AS s1, stats(fg, 'node') FILTER (WHERE id % 2 = 1) AS s2 FROM profile) y,
	compare_stats(s1, s2) a FULL JOIN LATERAL compare_profiles(before, after, 'node') b USING (key)
SQL

# Partial results of partitions, before they are put together.
value(<<'SQL');
CREATE TABLE part (id int, grp int, fg flamegraph) PARTITION BY HASH (id);
CREATE TABLE part0 PARTITION OF part FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE part1 PARTITION OF part FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE part2 PARTITION OF part FOR VALUES WITH (MODULUS 3, REMAINDER 2);
INSERT INTO part SELECT id, grp, fg FROM profile;
ANALYZE part;
SQL
for my $aggregate (@exact)
{
	my $sql = "SELECT md5(string_agg(flamegraph_send(x)::text, ',' ORDER BY grp)) FROM (SELECT grp, $aggregate AS x FROM %s GROUP BY grp) AS y";
	is(value("SET enable_partitionwise_aggregate = on; $serial" . sprintf $sql, 'part'), value($serial . sprintf $sql, 'profile'), "$aggregate of partitions");
}
value("ALTER TABLE part$_ SET (parallel_workers = 2)") for 0 .. 2;
for my $aggregate (@exact)
{
	my $sql = "SELECT md5(flamegraph_send($aggregate)) FROM %s";
	is_parallel("$aggregate of partitions", sprintf $sql, 'part');
	is(value(sprintf $sql, 'part'), value($serial . sprintf $sql, 'profile'), '... bit for bit');
}

$node->stop;
done_testing();
