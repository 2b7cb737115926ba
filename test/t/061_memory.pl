# The module leaves the memory of the process alone: what other code of the session frees goes back to the system after
# the module was loaded as it does before, and no function that tells malloc what to keep is called.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Wire;

# The test of malloc is one of malloc as it is.
delete $ENV{GLIBC_TUNABLES};
my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', 'fsync = off');
$node->start;

my $library = $node->safe_psql('postgres', q{SELECT setting FROM pg_config() WHERE name = 'PKGLIBDIR'}) . '/flamegraph.so';
my ($symbols) = run_command([ 'nm', '-D', '--undefined-only', $library ]);
like($symbols, qr/ malloc|MemoryContextAlloc/, 'nm lists what the module calls');
unlike($symbols, qr/mallopt|malloc_trim|mallinfo/, 'nothing of it tells malloc what to do');

# Pages of the process that are in memory, in kB.
sub resident
{
	my ($db) = @_;
	my ($pages) = $db->value(q{SELECT pg_read_file('/proc/self/statm', 0, 200)}) =~ /^\d+ (\d+) /;
	return $pages * 4;
}

# What stays of some twenty megabytes that PostgreSQL itself allocates and frees.
sub left_over
{
	my ($load) = @_;
	my $db = Wire->connect($node, 'postgres');
	$db->run($load);
	$db->run(q{SELECT length(repeat('x', 1000)), pg_read_file('/proc/self/statm', 0, 200)});
	my $before = resident($db);
	$db->run(q{SELECT length(repeat('x', 20000000))});
	return resident($db) - $before;
}

cmp_ok(left_over('SELECT 1'), '<', 10000, 'without the module memory that was freed goes back');
cmp_ok(left_over(q{LOAD 'flamegraph'}), '<', 10000, 'with the module, too');

$node->stop;
done_testing();
