# The store on Citus: a coordinator and workers on this machine, beside a database on one server. What test/data/citus.sql
# asks is answered the same by both, row by row. A server process killed in distribute(), a worker that is down, one that
# comes and takes shards over: clear errors, nothing lost, nothing doubled. Runs where Citus is installed.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes ();

use lib $FindBin::RealBin;
use Wire;

chomp(my $share = `pg_config --sharedir`);
plan skip_all => "Citus is not installed ($share/extension has no citus.control)" unless -e "$share/extension/citus.control";

my @nodes = map { PostgreSQL::Test::Cluster->new($_) } 'coordinator', 'worker1', 'worker2', 'worker3';
for my $node (@nodes)
{
	$node->init;
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'citus'\nlisten_addresses = '127.0.0.1'\nwal_level = logical\n"
		  . "fsync = off\njit = off\nrestart_after_crash = on\nmax_prepared_transactions = 60\nmax_worker_processes = 16\nmax_replication_slots = 10\nmax_wal_senders = 10\n"
		  . "citus.node_conninfo = 'sslmode=disable'\ncitus.shard_count = 4\ncitus.enable_statistics_collection = off\ntimezone = 'UTC'\n");
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION citus');
}
my ($coordinator, @workers) = @nodes;
my $reserve = pop @workers;

sub add { my ($db, $node) = @_; $db->run("SELECT citus_add_node('127.0.0.1', " . $node->port . ')'); return; }

my $there = Wire->connect($coordinator, 'postgres');
$there->run("SELECT citus_set_coordinator_host('127.0.0.1', " . $coordinator->port . ')');
add($there, $_) for @workers;
# Where Citus is loaded but not installed, the store is on one server.
$coordinator->safe_psql('postgres', 'CREATE DATABASE here');
my $here = Wire->connect($coordinator, 'here');
for my $db ($there, $here) { $db->run('CREATE EXTENSION flamegraph'); $db->run('CREATE EXTENSION flamegraph_store'); }

my $error = $here->query('SELECT profiling.distribute()')->{error};
is("$error->{sqlstate} $error->{message}", '0A000 Citus is not installed in database "here"', 'without Citus it is refused');
like($error->{hint}, qr/shared_preload_libraries.*citus_add_node/, '... with what to do');
is($there->sqlstate('SELECT profiling.distribute(0)'), '22023', 'no shards are refused, too');

# --- questions -------------------------------------------------------------------------------------------------------

# Times of the test itself, and the last digits of what depends on the order of addition, may differ.
sub alike
{
	my ($x, $y) = map { ($_ // '\N') =~ s/20\d\d-(?!0[12])\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d)?(?:\.\d+)?)?(?:\+00| UTC)?/NOW/gr } @_;
	return 1 if $x eq $y;
	my $number = qr/([-+]?\d+\.?\d*(?:e[-+]?\d+)?)/;
	my @x = split $number, $x;
	my @y = split $number, $y;
	return 0 if @x != @y;
	for my $i (0 .. $#x)
	{
		next if $x[$i] eq $y[$i];
		return 0 if $i % 2 == 0 || abs($x[$i] - $y[$i]) > 1e-9 * (abs($x[$i]) + abs($y[$i])) / 2;
	}
	return 1;
}

sub said { my ($r) = @_; return join '; ', map { "$_->{sqlstate} $_->{message}" } @{ $r->{notices} }, $r->{error} // (); }

sub same
{
	my ($sql, $name) = @_;
	my @r = map { $_->query($sql) } $here, $there;
	my @rows = map { [ sort map { join '|', map { $_ // '\N' } @$_ } @{ $_->{rows} } ] } @r;
	my ($words, $others) = map { said($_) } @r;
	my @differ = grep { !alike($rows[0][$_], $rows[1][$_]) } 0 .. (@{ $rows[0] } > @{ $rows[1] } ? $#{ $rows[0] } : $#{ $rows[1] });
	# What Citus says of partitions that it takes over is no answer.
	$others =~ s/(?:; )?00000 (?:Copying data from local table\.\.\.|copying the data has completed)//g;
	ok(!@differ && $words eq $others, $name // substr($sql =~ s/\s+/ /gr, 0, 100))
	  or diag("here: $words\nthere: $others $r[1]{error}{detail}\n" . join '', map { "- $rows[0][$_]\n+ $rows[1][$_]\n" =~ s/(.{1,600}).*/$1/gr } @differ[ 0 .. ($#differ > 2 ? 2 : $#differ) ]);
	return;
}

my @questions;
for my $paragraph (split /\n\s*\n/, slurp_file("$FindBin::RealBin/../data/citus.sql"))
{
	my $sql = join "\n", grep { !/^--/ } split /\n/, $paragraph;
	push @questions, $sql if $sql =~ /\S/;
}
# The first profiles are there before the tables are distributed.
my ($first) = grep { $questions[$_] =~ /^SELECT count\(profiling\.import_flamegraph/ } 0 .. $#questions;
same($_) for splice @questions, 0, $first + 1;

# --- distributing, and being killed ----------------------------------------------------------------------------------

my $contents = 'SELECT count(*), md5(string_agg(p.profile_id || p.flamegraph::text, chr(10) ORDER BY p.benchmark_id, p.profile_id)) FROM profiling.profile_full AS p';
my $before = $there->row($contents);
my $killed = Wire->connect($coordinator, 'postgres');
my $pid = $killed->pid;
$killed->start('SELECT profiling.distribute()');
my $on_worker = Wire->connect($workers[0], 'postgres');
for (1 .. 1000)
{
	last if $on_worker->value("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'citus_internal%' AND xact_start IS NOT NULL AND backend_type = 'client backend'") > 0;
	Time::HiRes::sleep(0.02);
}
kill 'KILL', $pid;
eval { $killed->finish };
$coordinator->poll_query_until('postgres', 'SELECT true') or die 'the coordinator does not come back';
($there, $here) = map { Wire->connect($coordinator, $_) } 'postgres', 'here';
is($there->value('SELECT count(*) FROM pg_dist_partition'), '0', 'killed in the middle of it: no table is distributed');
is_deeply($there->row($contents), $before, '... and all rows are there');
is_deeply($there->rows('SELECT kind, count(*) FROM profiling.distribute() GROUP BY 1 ORDER BY 1'), [ [ 'distributed', 12 ], [ 'reference', 14 ] ], 'the next call distributes all of them');
is_deeply($there->row($contents), $before, '... with all rows');
is_deeply($there->rows('SELECT * FROM profiling.distribute()'), [], 'called again it does nothing');
is_deeply($there->rows(<<'SQL'), [], 'every table of the store is what distribution() says');
SELECT d.table_name, d.kind, p.partmethod FROM profiling.distribution() AS d LEFT JOIN pg_dist_partition AS p ON p.logicalrelid = ('profiling.' || d.table_name)::regclass
WHERE d.kind <> CASE p.partmethod WHEN 'n' THEN 'reference' WHEN 'h' THEN 'distributed' ELSE 'local' END
SQL
is($there->value("SELECT count(DISTINCT colocationid) FROM pg_dist_partition WHERE partmethod = 'h'"), '1', 'what belongs to a benchmark or a service is on one server');

same($_) for @questions;

is($there->sqlstate('SELECT profiling.merge_benchmarks(1, 2)'), '0A000', 'benchmarks are not merged');

# --- who may load ----------------------------------------------------------------------------------------------------

$there->run("CREATE ROLE citus_loader LOGIN; SELECT profiling.grant_access('citus_loader', 'loader')");
my $loader = Wire->connect($coordinator, 'postgres', user => 'citus_loader');
is($loader->sqlstate("SELECT profiling.import_flamegraph('loaded', 'a;b 1', started_at => '2026-01-05 UTC')"), 'no error', 'a loader loads');
is($loader->sqlstate('SELECT count(*) FROM profiling.rollup'), '42501', '... and reads nothing');
$here->run("SELECT profiling.import_flamegraph('loaded', 'a;b 1', started_at => '2026-01-05 UTC')");
$loader->close;

# --- a worker that is down -------------------------------------------------------------------------------------------

my $load = "SELECT profiling.import_flamegraph('down ' || %d, 'a;b 1', started_at => '2026-01-06 UTC')";
same(sprintf($load, $_), "benchmark $_ is there") for 1 .. 6;
my $more = "SELECT profiling.import_flamegraph('down ' || %d, 'a;c 2', started_at => '2026-01-07 UTC')";
# A service whose profiles come every minute, and whose hours become blocks.
my $profiles = q{SELECT profiling.ingest_batch(array_agg('pods ' || s), array_agg(format('a;b %%s', n)::flamegraph), array_agg(timestamptz '2026-01-06 UTC' + n * interval '1 minute')) FROM generate_series(1, 6) AS s, generate_series(%d, %d) AS n};
$_->run(q{INSERT INTO profiling.retention (service, raw, minutes, hours, days) VALUES ('pods%', NULL, NULL, NULL, NULL)}) for $here, $there;
same(sprintf($profiles, 1, 100), 'six services send profiles');
my $sums = q{SELECT s.name, profiling.window_profile(s.name), (SELECT sum(profiles) FROM profiling.window_trend('b', '1 day', s.name)) FROM unnest(ARRAY(SELECT name FROM profiling.service WHERE name LIKE 'pods%')) AS s (name)};
same($sums, '... which are there');

# A compaction is killed when it has done its work on a worker.
my $compacted = Wire->connect($coordinator, 'postgres');
my ($service, $stream) = @{ $there->row(q{SELECT s.service_id, t.stream_id FROM profiling.service AS s JOIN profiling.stream AS t USING (service_id) WHERE s.name = 'pods 3'}) };
$compacted->run('BEGIN');
is($compacted->value("SELECT profiling.compact_stream($service, $stream, '2026-01-06 00:30 UTC')"), '59', 'an hour becomes a block');
kill 'KILL', $compacted->pid;
eval { $compacted->finish };
$coordinator->poll_query_until('postgres', 'SELECT true') or die 'the coordinator does not come back';
($there, $here) = map { Wire->connect($coordinator, $_) } 'postgres', 'here';
same($sums, '... and is killed: everything is there once');
$_->run('CALL profiling.compact()') for $here, $there;
is($there->value(q{SELECT count(*) FROM profiling.incoming JOIN profiling.service USING (service_id) WHERE name LIKE 'pods%'}), '0', 'the next one makes all of the blocks');
same($sums, '... and everything is there once');
$workers[1]->stop('immediate');
$there->close;
$there = Wire->connect($coordinator, 'postgres');
my @lost = grep { my $one = sprintf $profiles, 101, 200; $there->sqlstate($one =~ s/generate_series\(1, 6\)/generate_series($_, $_)/r) ne 'no error' } 1 .. 6;
cmp_ok(scalar @lost, '>', 0, 'profiles of services on a worker that is down fail');
like($there->query('CALL profiling.compact()')->{error}{message} // '', qr/connection to the remote node|could not establish any connections/, '... and so does compact(), and says so');
my @failed = grep { $there->sqlstate(sprintf $more, $_) ne 'no error' } 1 .. 6;
# A row of test_run is on all servers: nothing is loaded while one of them is away.
ok(@failed > 0, 'loads fail while a worker is down');
like($there->query(sprintf $more, $failed[0])->{error}{message}, qr/connection to the remote node .*:\d+ failed|could not establish any connections/, '... and name it');
$workers[1]->start;
$there->close;
$there = Wire->connect($coordinator, 'postgres');
$there->run(sprintf $more, $_) for @failed;
$here->run(sprintf $more, $_) for 1 .. 6;
same('SELECT suite, benchmark, commit, event, total, flamegraph FROM profiling.profile_full', 'loaded again when it is back: nothing is lost or doubled');
same('SELECT * FROM profiling.check(true)', '... and everything fits together');
same(sprintf($profiles, 101, 101), 'a service sends when it is back');
$there->run(sprintf $profiles, 102, 200);
$here->run(sprintf $profiles, 102, 200);
same($sums, 'profiles sent again when it is back: nothing is lost or doubled');
$_->run('CALL profiling.compact()') for $here, $there;
same($sums, '... and compacted');

# --- a server more ---------------------------------------------------------------------------------------------------

add($there, $reserve);
# Tables of an extension are not in citus_shards.
my $placements = 'FROM pg_dist_shard AS s JOIN pg_dist_placement AS p USING (shardid) JOIN pg_dist_node AS n USING (groupid) WHERE s.logicalrelid = ';
$there->run(q{SELECT replicate_reference_tables('block_writes')});
my $shard = $there->row("SELECT s.shardid, n.nodename, n.nodeport ${placements}'profiling.rollup'::regclass ORDER BY n.nodeport DESC, s.shardid LIMIT 1");
is($there->sqlstate("SELECT citus_move_shard_placement($shard->[0], '$shard->[1]', $shard->[2], '127.0.0.1', " . $reserve->port . ", 'block_writes')"), 'no error', 'a shard moves to it');
is($there->value("SELECT count(*) ${placements}'profiling.profile_data'::regclass AND n.nodeport = " . $reserve->port), '1', '... with all that belongs to its benchmarks');
same('SELECT suite, benchmark, commit, event, total, flamegraph FROM profiling.profile_full', '... and all profiles are there');
same(sprintf($load, $_) =~ s/01-06/01-09/r, "benchmark $_ gets another run") for 1 .. 3;
same('SELECT * FROM profiling.check(true)', '... and everything fits together');

same($sums, '... and all that services have sent');

# --- retention ---------------------------------------------------------------------------------------------------------

$_->run(q{CALL profiling.prune('0 days', 1)}) for $here, $there;
is($there->value(q{SELECT count(*) FROM profiling.job_log WHERE step = 'prune' AND outcome <> 'ok'}), '0', 'retention takes what is old');
same('SELECT suite, benchmark, commit, event, total, flamegraph FROM profiling.profile_full', '... and leaves the same profiles');
same('SELECT * FROM profiling.check(true)', '... which fit together');

# --- a dump of all servers -------------------------------------------------------------------------------------------

my $dump = "$PostgreSQL::Test::Utils::tmp_check/citus.dump";
$coordinator->command_ok([ 'pg_dump', '-Fc', '-f', $dump, '-d', $coordinator->connstr('postgres') ], 'the coordinator is dumped');
$there->close;
$coordinator->safe_psql('postgres', 'CREATE DATABASE restored');
$coordinator->command_ok([ 'pg_restore', '--exit-on-error', '-d', $coordinator->connstr('restored'), $dump ], '... and restored');
$there = Wire->connect($coordinator, 'restored');
is($there->value('SELECT count(*) FROM pg_dist_partition'), '0', '... into tables on one server');
my $restored = sub {
	same('SELECT suite, benchmark, commit, event, total, flamegraph FROM profiling.profile_full', 'all profiles are there');
	same($sums, '... and what services have sent');
	same('SELECT * FROM profiling.check(true)', '... and everything fits together');
};
$restored->();
# A server by itself has all shards.
$there->run("SELECT citus_set_coordinator_host('127.0.0.1', " . $coordinator->port . ')');
$there->run("SELECT citus_set_node_property('127.0.0.1', " . $coordinator->port . ", 'shouldhaveshards', true)");
$there->run('SELECT profiling.distribute()');
cmp_ok($there->value('SELECT count(*) FROM pg_dist_partition'), '>', 20, 'they are distributed again');
$restored->();

$_->close for $there, $here, $on_worker;
$_->stop for @nodes;
done_testing();
