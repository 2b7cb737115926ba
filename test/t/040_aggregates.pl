# Aggregates over profiles: a parallel plan gives the bytes that a serial one gives; the state stays expanded, so
# that each group is flattened once; windows, groups by hash and by sort, FILTER, NULL, no rows, sums of sums,
# DISTINCT and GROUP BY on profiles.
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
$node->init;
# Compiled, as it is for users who have not switched it off: the other scripts have no JIT.
$node->append_conf('postgresql.conf', "jit = on\nmax_worker_processes = 16\nmax_parallel_workers = 8\n");
$node->start;

my $db = Wire->connect($node, 'postgres');
$db->run('CREATE EXTENSION flamegraph');
# A state that is not kept expanded costs a factor of the number of rows: better an error than hours.
$db->run(q{SET statement_timeout = '600s'});
$db->run(<<'SQL');
-- 100 profiles of some 2,000 stacks, each large enough for TOAST; whole counts; 5 groups, one of them NULL
CREATE TABLE profile (id int, grp int, fg flamegraph);
INSERT INTO profile
  SELECT p, NULLIF(p % 5, 4),
    (SELECT flamegraph_agg('main;a' || i % 7 || ';b' || i % 61 || ';c' || (i * 31 + p * 17) % 2003, (i * p) % 1000 - 200)
     FROM generate_series(1, 2000) AS i)
  FROM generate_series(1, 100) AS p;
ALTER TABLE profile SET (parallel_workers = 2);
-- the same stacks as rows, of both kinds
CREATE TABLE sample AS SELECT id, grp, stack, value FROM profile, stacks(fg);
ALTER TABLE sample SET (parallel_workers = 2);
-- fractions whose sums do not depend on the order: quarters
CREATE TABLE quarter AS SELECT id, grp, fg * 0.25 AS fg FROM profile;
ALTER TABLE quarter SET (parallel_workers = 2);
ANALYZE;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SQL

cmp_ok($db->value('SELECT avg(pg_column_size(fg)) FROM profile'), '>', 4000, 'the profiles are kept in TOAST');

sub serial { $db->run('SET max_parallel_workers_per_gather = 0'); return; }
sub parallel { $db->run('SET max_parallel_workers_per_gather = 2'); return; }

# The nodes of a plan, from the top.
sub plan_nodes
{
	my ($sql, $options) = @_;
	my $plan = decode_json($db->value('EXPLAIN (FORMAT JSON' . ($options // '') . ") $sql"))->[0]{Plan};
	my @nodes;
	my $walk;
	$walk = sub { push @nodes, $_[0]; $walk->($_) for @{ $_[0]{Plans} // [] }; };
	$walk->($plan);
	return @nodes;
}

# --- parallel = serial -----------------------------------------------------------------------------------------------

my %aggregate = (
	'sum of profiles' => [ 'sum(fg)', 'profile' ],
	'avg of profiles' => [ 'avg(fg)', 'profile' ],
	'sum of quarters' => [ 'sum(fg)', 'quarter' ],
	'avg of quarters' => [ 'avg(fg)', 'quarter' ],
	'flamegraph_agg of stacks' => [ 'flamegraph_agg(stack, value)', 'sample' ],
	'flamegraph_agg of texts' => [ 'flamegraph_agg(stack::text, value)', 'sample' ],
	'flamegraph_agg of arrays' => [ 'flamegraph_agg(frames(stack), value)', 'sample' ],
	'sum with FILTER' => [ 'sum(fg) FILTER (WHERE id % 3 = 0)', 'profile' ]);

for my $name (sort keys %aggregate)
{
	my ($expression, $table) = @{ $aggregate{$name} };
	my $whole = "SELECT encode(flamegraph_send($expression), 'hex') FROM $table";
	my $grouped = "SELECT grp, md5(flamegraph_send($expression)) FROM $table GROUP BY grp ORDER BY grp";

	parallel();
	my @nodes = plan_nodes($whole, ', ANALYZE, TIMING OFF');
	my %mode = map { $_->{'Partial Mode'} => 1 } grep { $_->{'Partial Mode'} } @nodes;
	my ($gather) = grep { $_->{'Node Type'} =~ /^Gather/ } @nodes;
	ok($gather, "$name: the plan gathers") or diag(join ', ', map { $_->{'Node Type'} } @nodes);
	is_deeply([ sort keys %mode ], [ 'Finalize', 'Partial' ], "$name: partial aggregates are combined");
	cmp_ok($gather->{'Workers Launched'} // 0, '>=', 1, "$name: workers took part");
	# The leader could have done all the work itself; without it, the workers must have.
	$db->run('SET parallel_leader_participation = off');
	my $workers_only = $db->value($whole);
	$db->run('SET parallel_leader_participation = on');
	my $parallel = $db->value($whole);
	my $parallel_groups = $db->rows($grouped);

	serial();
	ok(!(grep { $_->{'Node Type'} =~ /^Gather/ } plan_nodes($whole)), "$name: the serial plan does not gather");
	my $serial = $db->value($whole);
	ok($parallel eq $serial, "$name: parallel is serial, bit for bit");
	ok($workers_only eq $serial, "$name: by the workers alone, too");
	is_deeply($parallel_groups, $db->rows($grouped), "$name: in groups, too");
	is($db->value("SELECT count(*) FROM (SELECT $expression AS fg FROM $table) AS s WHERE nstacks(fg) > 1000"),
		'1', "$name: the result is not empty");
}

# The sum is right, by the sum of the rows in plain SQL.
is( $db->value(<<'SQL'), '0', 'sum is the sum of each stack');
SELECT count(*)
FROM (SELECT stack, sum(value) AS value FROM sample GROUP BY stack HAVING sum(value) <> 0) AS a
  FULL JOIN (SELECT s.* FROM (SELECT sum(fg) AS fg FROM profile) AS p, stacks(p.fg) AS s) AS b USING (stack)
WHERE a.value IS DISTINCT FROM b.value
SQL
is( $db->value(<<'SQL'), '0', 'avg divides by the number of profiles, a missing stack counting as 0');
SELECT count(*)
FROM (SELECT stack, sum(value) / 100 AS value FROM sample GROUP BY stack HAVING sum(value) <> 0) AS a
  FULL JOIN (SELECT s.* FROM (SELECT avg(fg) AS fg FROM profile) AS p, stacks(p.fg) AS s) AS b USING (stack)
WHERE a.value IS NULL OR b.value IS NULL OR abs(a.value - b.value) > 1e-9 * abs(a.value)
SQL
is($db->value('SELECT flamegraph_agg(stack, value) = sum(flamegraph_one) FROM (SELECT stack, value, NULL::flamegraph AS flamegraph_one FROM sample) AS s'),
	undef, 'a sum of NULLs is NULL');
is($db->value('SELECT (SELECT flamegraph_agg(stack, value) FROM sample) = (SELECT sum(fg) FROM profile)'),
	't', 'building from all stacks is the sum of the profiles');

# --- one flattening a group ------------------------------------------------------------------------------------------

# How often a statement flattens an expanded object, in all its processes.
sub flattens
{
	my ($sql) = @_;
	$db->run('SET client_min_messages = debug1');
	my $result = $db->query($sql);
	$db->run('RESET client_min_messages');
	die $result->{error}{message} if $result->{error};
	return scalar grep { $_->{message} eq 'flattened a state of type flamegraph' } @{ $result->{notices} };
}

serial();
# What is counted are results that are sent, or handed to a function that wants the bytes.
for my $sum ('sum(fg)', 'sum(fg) FILTER (WHERE id > 10)')
{
	is(flattens("SELECT flamegraph_send($sum) FROM profile"), 1, "$sum: flattened once");
	is(flattens("SELECT grp, $sum FROM profile GROUP BY grp"), 5, "$sum: flattened once for each of 5 groups");
	$db->run('SET enable_hashagg = off');
	is(flattens("SELECT grp, $sum FROM profile GROUP BY grp"), 5, "$sum: by sorting, too");
	$db->run('RESET enable_hashagg');
}
is(flattens('SELECT flamegraph_agg(stack, value) FROM sample'), 1, 'flamegraph_agg(stackpath): flattened once');
is(flattens('SELECT flamegraph_agg(stack::text, value) FROM sample'), 1, 'flamegraph_agg(text): flattened once');
is(flattens('SELECT flamegraph_agg(frames(stack), value) FROM sample'), 1, 'flamegraph_agg(text[]): flattened once');
is(flattens('SELECT id, flamegraph_agg(stack, value) FROM sample GROUP BY id'), 100, 'flamegraph_agg: 100 groups');
cmp_ok(flattens('SELECT total(sum(fg)) FROM profile'), '<=', 1, 'total(sum): at most once');
cmp_ok(flattens('SELECT avg(fg) FROM profile'), '<=', 1, 'avg: at most once');
parallel();
cmp_ok(flattens('SELECT sum(fg) FROM profile'), '<=', 4, 'parallel: once for the part of each process, once for the result');
serial();

# --- windows ---------------------------------------------------------------------------------------------------------

# A running sum, against the sum of the prefix.
is( $db->value(<<'SQL'), '30', 'sum() as a window function');
SELECT count(*)
FROM (SELECT id, sum(fg) OVER (ORDER BY id) AS running FROM profile WHERE id <= 30) AS w
WHERE running = (SELECT sum(fg) FROM profile AS p WHERE p.id <= w.id)
SQL
is( $db->value(<<'SQL'), '30', 'sum() over a moving frame');
SELECT count(*)
FROM (SELECT id, sum(fg) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) AS moving FROM profile WHERE id <= 30) AS w
WHERE moving = (SELECT sum(fg) FROM profile AS p WHERE p.id BETWEEN w.id - 2 AND w.id + 1 AND p.id <= 30)
SQL
is( $db->value(<<'SQL'), '30', 'avg() and flamegraph_agg() as window functions');
SELECT count(*)
FROM (SELECT id, avg(fg) OVER (ORDER BY id) AS a, flamegraph_agg('a;b' || id % 3, id) OVER (ORDER BY id) AS b FROM profile WHERE id <= 30) AS w
WHERE a = (SELECT avg(fg) FROM profile AS p WHERE p.id <= w.id)
  AND b = (SELECT flamegraph_agg('a;b' || p.id % 3, p.id) FROM profile AS p WHERE p.id <= w.id)
SQL
is($db->value('SELECT count(DISTINCT flamegraph_send(s)) FROM (SELECT sum(fg) OVER (PARTITION BY grp) AS s FROM profile) AS w'),
	'5', 'sum() over partitions');

# --- groups ----------------------------------------------------------------------------------------------------------

for my $table ('profile', 'quarter')
{
	my $sql = "SELECT grp, md5(flamegraph_send(sum(fg))), md5(flamegraph_send(avg(fg))), count(*) FROM $table GROUP BY grp";
	$db->run('SET enable_hashagg = on; SET enable_sort = off');
	ok((grep { ($_->{Strategy} // '') eq 'Hashed' } plan_nodes($sql)), "$table: grouped by hash");
	my @hashed = sort map { join ' ', map { $_ // 'NULL' } @$_ } @{ $db->rows($sql) };
	$db->run('SET enable_hashagg = off; SET enable_sort = on');
	ok((grep { ($_->{Strategy} // '') eq 'Sorted' } plan_nodes($sql)), "$table: grouped by sorting");
	my @sorted = sort map { join ' ', map { $_ // 'NULL' } @$_ } @{ $db->rows($sql) };
	$db->run('RESET enable_hashagg; RESET enable_sort');
	is_deeply(\@hashed, \@sorted, "$table: the same groups");
	is(scalar @hashed, 5, "$table: as many as there are");
}
# Hash groups that do not fit into memory are spilled.
$db->run("SET work_mem = '64kB'");
is( $db->value('SELECT sum(total(s)) FROM (SELECT id % 100 AS g, sum(fg) AS s FROM profile GROUP BY 1) AS x'),
	$db->value('SELECT sum(total(fg)) FROM profile'), 'groups that exceed work_mem');
$db->run('RESET work_mem');
is_deeply(
	$db->rows('SELECT grp, id % 2, total(sum(fg)) FROM profile WHERE grp IS NOT NULL GROUP BY GROUPING SETS ((grp), (id % 2), ()) ORDER BY 1, 2'),
	$db->rows('SELECT * FROM (SELECT grp, NULL::int AS odd, sum(total(fg)) FROM profile WHERE grp IS NOT NULL GROUP BY grp '
		  . 'UNION ALL SELECT NULL, id % 2, sum(total(fg)) FROM profile WHERE grp IS NOT NULL GROUP BY 2 '
		  . 'UNION ALL SELECT NULL, NULL, sum(total(fg)) FROM profile WHERE grp IS NOT NULL) AS u ORDER BY 1, 2'),
	'grouping sets');
is( $db->value('SELECT count(*) FROM (SELECT grp, sum(fg) AS s FROM profile GROUP BY CUBE (grp)) AS x WHERE s IS NOT NULL'),
	'6', 'CUBE shares a state between groupings');

# Many tiny groups: a state must not cost megabytes.
is( join(' ', @{ $db->row("SELECT count(*), sum(total(s)) FROM (SELECT i % 100000 AS g, flamegraph_agg('a;b' || i % 3, 1) AS s FROM generate_series(1, 200000) AS i GROUP BY 1) AS x") }),
	'100000 200000', '100,000 groups of flamegraph_agg');
is( join(' ', @{ $db->row("SELECT count(*), sum(total(s)), sum(total(v)) FROM (SELECT i % 20000 AS g, sum(f) AS s, avg(f) AS v FROM (SELECT i, ('a;b' || i % 3 || ' 2')::flamegraph AS f FROM generate_series(1, 40000) AS i) AS f GROUP BY 1) AS x") }),
	'20000 80000 40000', '20,000 groups of sum and avg');

# --- NULL, FILTER, no rows -------------------------------------------------------------------------------------------

my $none = 'FROM profile WHERE false';
is($db->value("SELECT sum(fg) $none"), undef, 'sum of no rows');
is($db->value("SELECT avg(fg) $none"), undef, 'avg of no rows');
is($db->value('SELECT flamegraph_agg(stack, value) FROM sample WHERE false'), undef, 'flamegraph_agg of no rows');
parallel();
is($db->value('SELECT sum(fg) FROM profile WHERE id < 0'), undef, 'sum of no rows, parallel');
is($db->value('SELECT avg(fg) FROM profile WHERE id < 0'), undef, 'avg of no rows, parallel');
# Some workers see no row that passes: their states are NULL or empty.
is( $db->value("SELECT encode(flamegraph_send(avg(fg) FILTER (WHERE id = 7)), 'hex') FROM profile"),
	$db->value("SELECT encode(flamegraph_send(fg), 'hex') FROM profile WHERE id = 7"), 'avg of one row, parallel');
serial();
is($db->value('SELECT sum(fg) FILTER (WHERE false) FROM profile'), undef, 'sum with a FILTER that nothing passes');
is($db->value('SELECT avg(fg) FILTER (WHERE false) FROM profile'), undef, 'avg with a FILTER that nothing passes');

my $values = "FROM (VALUES (1, flamegraph 'a 4'), (2, NULL), (3, ''), (4, E'a -1\\nb 3')) AS t (i, fg)";
is($db->value("SELECT sum(fg) $values"), "a 3\nb 3", 'sum skips NULL');
is($db->value("SELECT avg(fg) $values"), "a 1\nb 1", 'avg skips NULL and counts empty profiles');
is($db->value("SELECT sum(fg) FILTER (WHERE i > 1) $values"), "a -1\nb 3", 'sum with FILTER, NULL first');
is($db->value("SELECT avg(fg) FILTER (WHERE i > 1) $values"), "a -0.5\nb 1.5", 'avg with FILTER, NULL first');
is($db->value("SELECT sum(fg) FILTER (WHERE i = 2) $values"), undef, 'sum of NULL');
is($db->value("SELECT avg(fg) FILTER (WHERE i = 2) $values"), undef, 'avg of NULL');
is($db->value("SELECT sum(fg) FILTER (WHERE i = 3) $values"), '', 'sum of an empty profile');
is($db->value("SELECT sum(fg - fg) $values"), '', 'a sum that cancels is empty, not NULL');
is($db->value("SELECT avg(DISTINCT fg) FROM (VALUES (flamegraph 'a 1'), ('a 3'), ('a 1')) AS t (fg)"), 'a 2', 'avg(DISTINCT)');
is($db->value("SELECT sum(DISTINCT fg) FROM (VALUES (flamegraph 'a 1'), ('a 3'), ('a 1')) AS t (fg)"), 'a 4', 'sum(DISTINCT)');
is($db->value("SELECT sum(fg ORDER BY total(fg) DESC) FROM (VALUES (flamegraph 'a 1'), ('a 3'), ('b 1')) AS t (fg)"), "a 4\nb 1", 'sum(ORDER BY)');

my $stacks = "FROM (VALUES ('a;b', 1.5), (NULL, 2), ('c', NULL), ('a;b', 2), ('', 5), ('d', 0), ('e', 1), ('e', -1)) AS t (stack, value)";
for my $type ('stackpath', 'text')
{
	is($db->value("SELECT flamegraph_agg(stack::$type, value) $stacks"), " 5\na;b 3.5", "flamegraph_agg($type) skips NULL, drops zero");
}
is( $db->value("SELECT flamegraph_agg(a, v) FROM (VALUES (ARRAY['a;b', 'c'], 1), (NULL, 1), ('{}', 2), (ARRAY['a;b', 'c'], 1)) AS t (a, v)"),
	" 2\na\\;b;c 2", 'flamegraph_agg(text[]) takes frames as they stand');
is($db->value("SELECT flamegraph_agg(stack, value) FROM (VALUES (NULL::stackpath, 1)) AS t (stack, value)"), undef, 'flamegraph_agg of NULL stacks only');
is($db->sqlstate("SELECT flamegraph_agg('a', v) FROM (VALUES (float8 'NaN')) AS t (v)"), '22003', 'flamegraph_agg of NaN');
is($db->sqlstate("SELECT flamegraph_agg('a', v) FROM (VALUES (float8 '-Infinity')) AS t (v)"), '22003', 'flamegraph_agg of infinity');
is($db->sqlstate("SELECT flamegraph_agg('a', 1e308) FROM generate_series(1, 2)"), '22003', 'flamegraph_agg that overflows');
is($db->sqlstate("SELECT flamegraph_agg('a;;b', 1)"), '22P02', 'flamegraph_agg of a text that is no stack');
is($db->sqlstate("SELECT flamegraph_agg(ARRAY['a', NULL], 1)"), '22004', 'flamegraph_agg of an array with NULL');
is($db->sqlstate("SELECT sum(fg) FROM (VALUES (flamegraph 'a 1e308'), ('a 1e308')) AS t (fg)"), '22003', 'sum that overflows');

# --- sums of sums, DISTINCT, GROUP BY --------------------------------------------------------------------------------

is( $db->value('SELECT (SELECT sum(s) FROM (SELECT sum(fg) AS s FROM profile GROUP BY grp) AS g) = (SELECT sum(fg) FROM profile)'),
	't', 'a sum of sums is the sum');
# The inner sum arrives expanded; the outer one must not change it: it is used twice.
is( $db->value('SELECT bool_and(sum_of = twice * 0.5 AND twice = sum_of + sum_of) FROM (SELECT s AS sum_of, (SELECT sum(x) FROM (SELECT s AS x UNION ALL SELECT s) AS u) AS twice FROM (SELECT sum(fg) AS s FROM profile GROUP BY grp OFFSET 0) AS g) AS t'),
	't', 'an argument that is an expanded object is left alone');
is( $db->value('SELECT bool_and(a = b) FROM (SELECT sum(s) AS a, sum(s) AS b, max(total(s)) FROM (SELECT sum(fg) AS s FROM profile GROUP BY grp) AS g) AS t'),
	't', 'two sums of the same expanded values');
is($db->value('SELECT count(DISTINCT fg) FROM (SELECT fg FROM profile UNION ALL SELECT (fg + fg) * 0.5 FROM profile) AS t'),
	'100', 'count(DISTINCT)');
is($db->value('SELECT count(*) FROM (SELECT fg FROM profile UNION SELECT fg + flamegraph \'\' FROM profile) AS t'), '100', 'UNION');
for my $hash ('on', 'off')
{
	$db->run("SET enable_hashagg = $hash");
	is( $db->value('SELECT count(*) FROM (SELECT fg, count(*) AS n FROM (SELECT fg FROM profile UNION ALL SELECT -(-fg) FROM profile) AS t GROUP BY fg) AS g WHERE n = 2'),
		'100', "GROUP BY on profiles, enable_hashagg = $hash");
	is($db->value('SELECT count(*) FROM (SELECT DISTINCT fg FROM (SELECT fg FROM profile UNION ALL SELECT fg * 1 FROM profile) AS t) AS d'),
		'100', "DISTINCT, enable_hashagg = $hash");
}
$db->run('RESET enable_hashagg');
is($db->value('SELECT count(*) FROM profile AS a JOIN quarter AS b ON a.fg = b.fg * 4'), '100', 'a join on equality');

# --- the tree of the row at hand -------------------------------------------------------------------------------------

# Aggregates of two levels share what they decode. Grouping sets take turns, each with memory of its own, and so does a query inside
# of another one: no tree of an earlier row stays.
$db->run(q{CREATE TABLE stored AS SELECT i AS id, i % 4 AS part, flamegraph_agg(ARRAY['main', md5(((i * k) % 2000)::text), md5((k % 7)::text)], i + k) AS fg
	FROM generate_series(1, 200) AS i, generate_series(1, 1500) AS k GROUP BY i ORDER BY i % 4, i});
my $used = 'SELECT sum(used_bytes) FROM pg_backend_memory_contexts';
my $inner = q{(SELECT profile_count(stats(j.fg, 'node')) FROM stored AS j WHERE j.id = s.id)};
for my $query ("SELECT part, stats(fg, 'frame'), stats(fg, 'self') FROM (SELECT * FROM stored ORDER BY part, id OFFSET 0) AS s GROUP BY ROLLUP (part)",
	"SELECT part, stats(fg, 'frame'), sum($inner) FROM (SELECT * FROM stored ORDER BY part, id OFFSET 0) AS s GROUP BY ROLLUP (part)")
{
	# Three of four groups are through, and that of all rows is under way.
	my $before = $db->value($used);
	$db->run("BEGIN; DECLARE c CURSOR FOR $query; MOVE 3 FROM c");
	cmp_ok($db->value($used) - $before, '<', 10e6, "memory does not grow with rows: $query");
	$db->run('ROLLBACK');
}

$db->close;
$node->stop;
done_testing();
