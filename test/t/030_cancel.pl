# A cancel ends what runs, from end to end: by another session and by statement_timeout, with SQLSTATE 57014; the session
# goes on to work and its memory is free again.
#
# Each operation here would take minutes or hours if nothing stopped it, so a cancel is never too late, and no clock is
# looked at. How soon an operation ends is proven by counted work in 031_polls.pl, for every function, and measured by
# "make bench-cancel".
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

use lib $FindBin::RealBin;
use Wire;

# Of the harness, for a statement that nothing ends.
local $SIG{ALRM} = sub { die 'a statement was not cancelled' };
alarm 1800;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', <<'CONF');
fsync = off
jit = off
max_parallel_workers_per_gather = 0
log_min_error_statement = panic
CONF
$node->start;

my $db = Wire->connect($node, 'postgres');
my $other = Wire->connect($node, 'postgres');
$db->run(<<'SQL');
CREATE EXTENSION flamegraph;
CREATE TABLE profile AS SELECT flamegraph_agg('main;a' || i % 100 || ';b' || i, i) AS fg FROM generate_series(1, 20000) AS i;
CREATE TABLE series AS SELECT array_agg(i::float8) AS xs, array_agg(sin(i) * 100 + i % 97) AS ys FROM generate_series(1, 300000) AS i;
SQL

my %operation = (
	'an aggregate over rows without end' => "SELECT nnodes(flamegraph_agg('main;f' || i % 100000, i)) FROM generate_series(1, 10000000000) AS i",
	'a sum of profiles without end' => 'SELECT nnodes(sum(fg)) FROM profile, generate_series(1, 10000000000)',
	'permutations of a series' => 'SELECT count(*) FROM change_points((SELECT array_agg(n % 7 + n / 1000 ORDER BY n) FROM generate_series(1, 20000) AS n)::float8[], permutations => 1000000)',
	'permutations of profiles' => "SELECT count(*) FROM profile, compare_profiles(array_fill(fg, ARRAY[60]), array_fill(fg * 2, ARRAY[60]), method => 'maxt', permutations => 100000)",
	'heat maps of many runs' => 'SELECT count(heat_map_svg(array_fill(CASE WHEN i > 0 THEN fg END, ARRAY[50]))) FROM profile, generate_series(1, 10000000000) AS i',
	'samples of a flame chart without end' => "SELECT length(flame_chart_svg(('main;f' || i % 1000)::stackpath, i, i + 1)) FROM generate_series(1, 10000000000) AS i",
	'the search for a bandwidth' => q{SELECT kind(fit(xs, ys, 'kernel_regression', '{"kernel": "gaussian", "rule": "cv_ls", "method": "local_linear"}')) FROM series},
	'a pattern of many alternatives' => "SELECT count(*) FROM profile WHERE fg ~ (SELECT string_agg('q_' || g || '%', '|') FROM generate_series(1, 200000) AS g)::stackquery",
	'rows of a function without end' => 'SELECT count(stack) FROM profile, generate_series(1, 10000000000) AS i, nodes(CASE WHEN i > 0 THEN fg END)');

# What is lent to nobody goes back to the system first: kept memory that was not given back would stay.
sub used_bytes
{
	$db->run('SET flamegraph.kept_memory = 0');
	my $used = $db->value('SELECT sum(used_bytes) FROM pg_backend_memory_contexts');
	$db->run('RESET flamegraph.kept_memory');
	return $used;
}

# The statement has begun, so a signal ends it and not another one.
sub wait_until_active
{
	while ($other->value('SELECT count(*) FROM pg_stat_activity WHERE pid = ' . $db->pid . " AND state = 'active'") != 1) { sleep 0.01; }
	sleep 0.1;
	return;
}

for my $name (sort keys %operation)
{
	my $sql = $operation{$name};
	used_bytes() for 1 .. 2;
	my $before = used_bytes();

	$db->start($sql);
	wait_until_active();
	is($other->value('SELECT pg_cancel_backend(' . $db->pid . ')'), 't', "$name: asked to end");
	my $error = $db->finish->{error};
	is($error && "$error->{sqlstate} $error->{message}", '57014 canceling statement due to user request', "$name: ends by pg_cancel_backend");

	$db->run("SET statement_timeout = '200ms'");
	$error = $db->query($sql)->{error};
	$db->run('SET statement_timeout = 0');
	is($error && "$error->{sqlstate} $error->{message}", '57014 canceling statement due to statement timeout', "$name: ends by statement_timeout");

	is($db->value("SELECT total(flamegraph 'a;b 1')"), '1', "$name: the session goes on");
	is($db->value("SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'expanded profile'"), '0', "$name: no expanded object is left");
	cmp_ok(used_bytes() - $before, '<', 1024 * 1024, "$name: the memory is free again");
}

$db->close;
$other->close;
$node->stop;
done_testing();
