# Series of profiles: the bytes of version 1 that are checked in, for ever; what a second reader, in Python, finds in them and in
# random ones; how much of a stored series is read for what; that a group is flattened once; parallel plans.
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
$node->append_conf('postgresql.conf', "fsync = off\njit = off\nautovacuum = off\ntimezone = 'UTC'\nmax_worker_processes = 16\nmax_parallel_workers = 8\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
$db->run('CREATE EXTENSION flamegraph');
my $serial = 'SET max_parallel_workers_per_gather = 0';

# --- bytes of version 1 ----------------------------------------------------------------------------------------------
# NAME.tsv has the profiles: time, instance, folded text with "|" between its lines. NAME.hex has the bytes.

my $python = sub {
	my ($hex) = @_;
	my ($out, $err);
	IPC::Run::run([ 'python3', "$FindBin::RealBin/../clients/flameseries.py" ], \join("\n", @$hex, ''), \$out, \$err) or diag($err);
	return $out;
};

# The same lines out of SQL: profiles with their stacks, and the bits of their values.
my $lines = <<'SQL';
SELECT coalesce(string_agg(format(E'profile %s %s\n%s', (extract(epoch FROM p.at - timestamptz '2000-01-01 UTC') * 1000000)::int8, p.instance,
  (SELECT string_agg(format(E'%s %s\n', s.stack, encode(float8send(s.value), 'hex')), '' ORDER BY s.n) FROM stacks(p.profile) WITH ORDINALITY AS s (stack, value, n))), '' ORDER BY p.n), '')
FROM profiles(SERIES) WITH ORDINALITY AS p (at, instance, profile, n)
SQL
sub lines_of { return $db->value($lines =~ s/SERIES/$_[0]/r); }

my @golden = map { m{([^/]+)\.tsv$} } glob "$FindBin::RealBin/../data/series/*.tsv";
cmp_ok(scalar @golden, '>=', 4, 'there are checked-in series');
$db->run('CREATE TABLE profile (name text, at timestamptz, instance text, fg flamegraph)');
for my $name (@golden)
{
	for my $line (split /\n/, slurp_file("$FindBin::RealBin/../data/series/$name.tsv"))
	{
		my ($at, $instance, $folded) = split /\t/, $line, 3;
		$folded =~ s/\|/\n/g;
		$db->run('INSERT INTO profile VALUES (' . join(', ', map { Wire::literal($_) } $name, $at, $instance, $folded) . ')');
	}
	my $made = "(SELECT flameseries_agg(at, fg, instance) FROM profile WHERE name = '$name')";
	my $bytes = "$FindBin::RealBin/../data/series/$name.hex";
	my $hex = slurp_file($bytes) =~ s/\s//gr;
	my $stored = "('flameseries:1:' || replace(encode(decode('$hex', 'hex'), 'base64'), E'\\n', ''))::flameseries";
	is($db->value("SELECT $stored = $made"), 't', "$name: the bytes that are checked in are read, and are those that are made");
	is($python->([$hex]), lines_of($stored) . "\n", "$name: a second reader finds the same profiles");
	is($db->value("SELECT sum(x, NULL) <-> (SELECT sum(fg) FROM profile WHERE name = '$name') <= 1e-12 * norm(sum(x, NULL)) FROM (SELECT $stored AS x) AS v"), 't', "$name: and their sum is right");
}

# --- random series ----------------------------------------------------------------------------------------------------

$db->run(<<'SQL');
CREATE TABLE random AS
SELECT kind, p, timestamptz '2026-11-26 UTC' + (hashint4(p) % 3000) * interval '0.7 s' AS at, (ARRAY['', 'pod-1', 'pod-2', 'zz'])[1 + abs(hashint4(p + 1) % 4)] AS instance,
  (SELECT flamegraph_agg(ARRAY['main', 'f' || abs(hashint4(p * 31 + i) % 9), 'a rather long name of a function ' || abs(hashint4(p * 37 + i) % (10 + 40 * (p % 3)))],
     CASE kind WHEN 0 THEN 1 + abs(hashint4(p + i * 1000) % 9) WHEN 1 THEN hashint4(p + i) WHEN 2 THEN hashint4(p + i) % 1000 / 1000.0 ELSE hashint4(p + i) / 3.0 END)
   FROM generate_series(1, 1 + abs(hashint4(p + 2) % 40)) AS i) AS fg
FROM generate_series(0, 3) AS kind, generate_series(1, 700) AS p;
CREATE TABLE series AS SELECT kind, flameseries_agg(at, fg, instance) AS fs FROM random GROUP BY kind;
SQL
my @series = @{ $db->rows("SELECT kind, encode(flameseries_send(fs), 'hex') FROM series ORDER BY kind") };
my @read = split /\n\n/, $python->([ map { $_->[1] } @series ]);
for my $i (0 .. $#series)
{
	is("$read[$i]\n", lines_of("(SELECT fs FROM series WHERE kind = $i)"), "random series of kind $i: a second reader finds the same profiles");
}

# --- how much is read -------------------------------------------------------------------------------------------------
# 30,000 profiles of 20 stacks out of 500, stored as they are.

$db->run(<<'SQL');
CREATE TABLE large (fs flameseries);
ALTER TABLE large ALTER fs SET STORAGE EXTERNAL;
INSERT INTO large SELECT flameseries_agg(timestamptz '2026-11-26 UTC' + p * interval '1 s', fg, 'pod-' || p % 20)
FROM (SELECT p, flamegraph_agg(ARRAY['main', 'f' || abs(hashint4(p * 31 + i) % 500)], 1 + abs(hashint4(p + i) % 100000)) AS fg FROM generate_series(1, 30000) AS p, generate_series(1, 20) AS i GROUP BY p) AS v;
ANALYZE large;
SQL
sub buffers
{
	my ($sql) = @_;
	$db->rows($sql);
	my $plan = decode_json($db->value("EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) $sql"))->[0]{Plan};
	return $plan->{'Shared Hit Blocks'} + $plan->{'Shared Read Blocks'};
}
$db->run($serial);
my $pages = $db->value('SELECT pg_column_size(fs) / 8192 FROM large');
cmp_ok($pages, '>', 100, 'a series of more than a hundred pages');
for my $fact ('profile_count(fs)', 'since(fs)', 'until(fs)')
{
	my $n = buffers("SELECT $fact FROM large");
	cmp_ok($n, '<=', 8, "$fact: $n buffers of $pages");
}
for my $head ('sum(fs, NULL)', "sum(fs, '-infinity', '2027-01-01')", 'instances(fs)', "fs ? 'f77'", "fs \@> 'main;f77'", "fs ~ '*;f7*'", "has_all_frames(fs, '{f1,f2}')")
{
	my $n = buffers("SELECT $head FROM large");
	cmp_ok($n, '<=', 30, "$head: $n buffers of $pages");
}
cmp_ok(buffers('SELECT sum(fs) FROM large'), '<=', 30, 'sum(fs) over rows');
# To see that the count counts.
cmp_ok(buffers("SELECT sum(fs, '2026-11-26 01:00Z') FROM large"), '>', $pages, 'the sum of a part reads blocks');

# --- one flattening a group --------------------------------------------------------------------------------------------

sub flattens
{
	my ($sql) = @_;
	$db->run('SET client_min_messages = debug1');
	my $result = $db->query($sql);
	$db->run('RESET client_min_messages');
	die $result->{error}{message} if $result->{error};
	return scalar grep { $_->{message} eq 'flattened a state of type flameseries' } @{ $result->{notices} };
}
is(flattens('SELECT flameseries_send(flameseries_agg(at, fg)) FROM random'), 1, 'flameseries_agg: flattened once');
is(flattens('SELECT kind, flameseries_agg(at, fg, instance) FROM random GROUP BY kind'), 4, 'flameseries_agg: once for each of 4 groups');
is(flattens('SELECT flameseries_send(flameseries_agg(fs)) FROM series'), 1, 'flameseries_agg(flameseries): once');
is(flattens('SELECT sum(fs) FROM series'), 0, 'sum(flameseries) makes no series');

# --- in parallel, and by partitions ------------------------------------------------------------------------------------

$db->run('ALTER TABLE random SET (parallel_workers = 3); ALTER TABLE series SET (parallel_workers = 3); SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 3');
for my $case ([ 'flameseries_agg(at, fg)', 'random', 'flameseries' ], [ 'flameseries_agg(at, fg, instance)', 'random', 'flameseries' ], [ 'flameseries_agg(fs)', 'series', 'flameseries' ], [ 'sum(fs)', 'series WHERE kind < 3', 'flamegraph' ])
{
	my ($aggregate, $from, $type) = @$case;
	for my $group ('', $aggregate =~ /^sum/ ? () : ' GROUP BY kind')
	{
		my $sql = "SELECT $aggregate AS x FROM $from$group";
		my @nodes;
		my $walk;
		$walk = sub { push @nodes, $_[0]; $walk->($_) for @{ $_[0]{Plans} // [] } };
		$walk->(decode_json($db->value("EXPLAIN (ANALYZE, FORMAT JSON) $sql"))->[0]{Plan});
		my %step = map { $_->{'Partial Mode'} => 1 } grep { $_->{'Partial Mode'} } @nodes;
		ok($step{Partial} && $step{Finalize} && grep({ ($_->{'Workers Launched'} // 0) > 0 } @nodes), "$aggregate$group: in parallel, in two steps");
		my $all = "SELECT string_agg(md5(${type}_send(x)), ' ' ORDER BY md5(${type}_send(x))) FROM ($sql) AS y";
		my $parallel = $db->value($all);
		$db->run($serial);
		is($parallel, $db->value($all), '... bit for bit');
		$db->run('SET max_parallel_workers_per_gather = 3');
	}
}

$db->close;
$node->stop;
done_testing();
