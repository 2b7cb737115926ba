# The library of linear algebra is loaded by those processes only that have something to factorise, and starts no
# threads there but those that flamegraph.blas_threads allows: in a backend, in the next one, in a parallel worker.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Wire;

plan skip_all => 'no /proc on this system' unless -r '/proc/self/status' && -r '/proc/self/maps';

# What the server's own environment says must not matter.
$ENV{OPENBLAS_NUM_THREADS} = 8;
$ENV{OMP_NUM_THREADS} = 8;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\nmax_worker_processes = 16\n");
$node->start;

my $setup = Wire->connect($node, 'postgres');
$setup->run(<<'SQL');
CREATE EXTENSION flamegraph;
CREATE TABLE run AS SELECT version, n, format(E'main;a %s\nmain;b %s\nmain;c %s', 10 + n % 7 + version, n * n % 11 + 5, n * 3 % 5 + 1)::flamegraph AS fg
FROM generate_series(1, 2) AS version, generate_series(1, 12) AS n;
CREATE ROLE somebody LOGIN;
GRANT SELECT ON run TO somebody;
SQL
$setup->close;

my $test = <<'SQL';
SELECT status || ' ' || round(p_value::numeric, 6) FROM hotelling_test(
  (SELECT array_agg(fg) FROM run WHERE version = 1), (SELECT array_agg(fg) FROM run WHERE version = 2))
SQL

sub threads
{
	my ($db) = @_;
	return $db->value(q{SELECT substring(pg_read_file('/proc/self/status') FROM 'Threads:\s+(\d+)')});
}

# The libraries of this kind that the process has mapped.
sub libraries
{
	my ($db) = @_;
	return $db->value(q{SELECT coalesce(string_agg(DISTINCT m[1], ' ' ORDER BY m[1]), 'none')
		FROM regexp_matches(pg_read_file('/proc/self/maps'), '(flamegraph_linalg|openblas|lapacke?)[^/]*\n', 'g') AS m});
}

my $expected;
for my $backend ('a backend', 'the next one')
{
	my $db = Wire->connect($node, 'postgres');
	is($db->value('SELECT sum(total(fg)) FROM run') > 0, 1, "$backend: total()");
	is($db->value('SHOW flamegraph.blas_threads'), 1, "$backend: one thread is the default");
	is(threads($db), 1, "$backend: one thread after total()");
	is(libraries($db), 'none', "$backend: no linear algebra after total()");
	my ($too_few) = @{ $db->row("SELECT status FROM hotelling_test('{}', NULL)") };
	is("$too_few " . libraries($db), 'too_few_profiles none', "$backend: nor where there is nothing to factorise");
	my $result = $db->value($test);
	like($result, qr/^ok \d/, "$backend: hotelling_test()");
	$expected //= $result;
	is($result, $expected, "$backend: the same p-value");
	like(libraries($db), qr/flamegraph_linalg.*lapack/, "$backend: linear algebra after hotelling_test()");
	is(threads($db), 1, "$backend: one thread after hotelling_test()");
	SKIP:
	{
		skip 'modules tell their names from PostgreSQL 18 on', 1 if $db->value('SHOW server_version_num') < 180000;
		my $version = $db->value(q{SELECT extversion FROM pg_extension WHERE extname = 'flamegraph'});
		is_deeply($db->rows(q{SELECT module_name, version FROM pg_get_loaded_modules() WHERE file_name LIKE 'flamegraph%' ORDER BY 1}),
			[ [ 'flamegraph', $version ], [ 'flamegraph_linalg', $version ] ], "$backend: both modules have a name and a version");
	}
	$db->run('SET flamegraph.blas_threads = 2');
	is($db->value($test), $expected, "$backend: a change of the setting comes too late");
	is(threads($db), 1, "$backend: still one thread");
	$db->close;
}

# More threads for those who ask for them; on one processor the library has no use for them.
{
	my $db = Wire->connect($node, 'postgres');
	$db->run('SET flamegraph.blas_threads = 2');
	is($db->value($test), $expected, 'two threads: the same p-value');
	cmp_ok(threads($db), '<=', 2, 'two threads at most');
	# Signals are for the server's own thread: all others block the cancel request (2), the alarm (14) and SIGUSR1 (10).
	my $blocked = $db->value(q{SELECT count(*) FROM pg_ls_dir('/proc/self/task') AS t
		WHERE ('x' || lpad(substring(pg_read_file('/proc/self/task/' || t || '/status') FROM 'SigBlk:\s+(\w+)'), 16, '0'))::bit(64)::bigint
			  & (1 << 1 | 1 << 13 | 1 << 9) = (1 << 1 | 1 << 13 | 1 << 9)});
	is($blocked, threads($db) - 1, 'threads of the library take no signals');
	for my $value (0, -1, 1025)
	{
		is($db->query("SET flamegraph.blas_threads = $value")->{error}{sqlstate}, '22023', "blas_threads = $value is out of range");
	}
	$db->close;
}

# A parallel worker loads what its leader has, before anything of ours runs in it.
{
	my $db = Wire->connect($node, 'postgres');
	my $force = $db->value("SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')");
	for my $leader ('', 'a leader that has the library')
	{
		$db->value($test) if $leader;
		$db->run("SET $force = on; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0");
		my $row = $db->row(<<'SQL');
SELECT substring(pg_read_file('/proc/self/status') FROM '\nPid:\s+(\d+)'), status || ' ' || round(p_value::numeric, 6),
       substring(pg_read_file('/proc/self/status') FROM 'Threads:\s+(\d+)')
FROM (SELECT array_agg(fg) FILTER (WHERE version = 1) AS a, array_agg(fg) FILTER (WHERE version = 2) AS b FROM run) AS t, hotelling_test(a, b)
SQL
		my $name = 'a parallel worker' . ($leader && " of $leader");
		$db->run("RESET $force");
		isnt($row->[0], $db->value('SELECT pg_backend_pid()'), "$name: another process");
		is($row->[1], $expected, "$name: the same p-value");
		is($row->[2], 1, "$name: one thread");
	}
	$db->close;
}

# Threads are the administrator's to give.
{
	my $db = Wire->connect($node, 'postgres', user => 'somebody');
	is($db->value($test), $expected, 'an ordinary user: the test');
	is($db->query('SET flamegraph.blas_threads = 2')->{error}{sqlstate}, '42501', 'an ordinary user may not set blas_threads');
	$db->close;
}

$node->stop;
done_testing();
