# The facts of a profile are read from its header: total() and the like fetch a few pages of a value that takes
# dozens, whether it is stored compressed (pglz) or as it is; a function of the whole value fetches all of them.
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
# Without it, and with no other session at work, the counts are the same each time.
$node->append_conf('postgresql.conf', "fsync = off\nautovacuum = off\nmax_parallel_workers_per_gather = 0\n");
$node->start;

my $db = Wire->connect($node, 'postgres');
$db->run('CREATE EXTENSION flamegraph');

# One profile of 131,072 stacks with values that are no round numbers, once in each way to store it; two rows of
# each, so that similarity() has something to compare.
# profiles() returns values that are not compressed, as releases before 0.2 stored them.
my @columns = ('own', 'external', 'pglz');
$db->run(<<'SQL');
SET default_toast_compression = 'pglz';
CREATE TABLE pglz (id int, fg flamegraph);
CREATE TABLE own (id int, fg flamegraph);
CREATE TABLE external (id int, fg flamegraph);
ALTER TABLE external ALTER fg SET STORAGE EXTERNAL;
INSERT INTO external
  SELECT id, flamegraph_agg('main;a' || i / 4096 || ';b' || i / 256 || ';c' || i / 16 || ';d' || i, (i * 7919 + id) % 100003 + 1)
  FROM generate_series(1, 131072) AS i, generate_series(1, 2) AS id GROUP BY id;
INSERT INTO own SELECT id, fg FROM external;
INSERT INTO pglz
  SELECT s.id, p.profile FROM (SELECT id, flameseries_agg(now(), fg) AS fs FROM external GROUP BY id) AS s, LATERAL profiles(s.fs) AS p;
ANALYZE pglz;
ANALYZE own;
ANALYZE external;
SQL

# Buffers touched by a statement, whether they were read or found.
sub buffers
{
	my ($sql) = @_;
	# The second time: the first one also loads the catalogs.
	$db->rows($sql);
	my $plan = decode_json($db->value("EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) $sql"))->[0]{Plan};
	return $plan->{'Shared Hit Blocks'} + $plan->{'Shared Read Blocks'};
}

my $rows = 2;
for my $table (@columns)
{
	my ($stored, $size, $compression) = @{ $db->row("SELECT pg_column_size(fg), octet_length(flamegraph_send(fg)), pg_column_compression(fg) FROM $table WHERE id = 1") };
	is($compression, $table eq 'pglz' ? 'pglz' : undef, "$table: the value is stored as meant");
	cmp_ok($stored, '<', $size, "$table: smaller than it is");
	cmp_ok($stored, '>', 30 * 8192, "$table: it takes more than thirty pages");

	my $heap = buffers("SELECT id FROM $table");
	for my $fact ('total(fg)', 'nstacks(fg)', 'nnodes(fg)', 'nframes(fg)', 'depth(fg)', '@-@ fg', 'norm(fg)')
	{
		my $n = buffers("SELECT $fact FROM $table");
		cmp_ok($n - $heap, '>', 0, "$table: $fact reads the value");
		# Index pages of the TOAST table on the way down, and a chunk or two.
		cmp_ok(($n - $heap) / $rows, '<=', 6, "$table: $fact reads $n buffers for $rows values");
	}
	is(buffers("SELECT total(fg), nstacks(fg) FROM $table WHERE id = 1") < 20, 1, "$table: several facts, still few");

	# To see that the count counts.
	for my $whole ('norm(fg, 2)', 'nnodes(positive_part(fg))', "fg -> 'main'")
	{
		cmp_ok((buffers("SELECT $whole FROM $table") - $heap) / $rows, '>', $stored / 8192, "$table: $whole reads it all");
	}
	cmp_ok(buffers("SELECT similarity(a.fg, b.fg) FROM $table AS a, $table AS b WHERE a.id = 1 AND b.id = 2"),
		'>', 2 * $stored / 8192, "$table: similarity reads both");
}

# The header says what the rest says.
for my $table (@columns)
{
	is( $db->value("SELECT bool_and(total(fg) = (SELECT sum(value) FROM stacks(fg)) AND nstacks(fg) = (SELECT count(*) FROM stacks(fg)) "
			  . "AND nnodes(fg) = n.count AND nframes(fg) = n.frames AND depth(fg) = n.depth AND \@-\@ fg = norm(fg, 1)) "
			  . "FROM $table, LATERAL (SELECT count(*), count(DISTINCT frame) AS frames, max(depth) AS depth FROM node_facts(fg)) AS n"),
		't', "$table: the facts are right");
}

$db->close;
$node->stop;
done_testing();
