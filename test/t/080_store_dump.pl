# A store with partitions that were made at run time is dumped and restored by psql, by pg_restore and by two jobs of it:
# every row of every table, sequences, partitions with their indexes and settings, and rights are what they were, and the
# store goes on working. So it does when flamegraph is in a schema of its own. Changes of the extension's own watch row
# survive.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Store;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\n");
$node->start;
my $dir = PostgreSQL::Test::Utils::tempdir();
my $super = Wire->connect($node, 'postgres');
# The store belongs to a role that is no superuser.
$super->run('CREATE ROLE keeper LOGIN; CREATE ROLE somebody LOGIN; CREATE ROLE reporter LOGIN');

sub shell
{
	my ($what, $command) = @_;
	local $ENV{PGHOST} = $node->host;
	local $ENV{PGPORT} = $node->port;
	my $output = `bash -c 'set -o pipefail; $command' 2>&1`;
	is($?, 0, $what) or diag($output);
	unlike($output, qr/ERROR/, "$what: no error") or diag($output);
	return;
}

# What the catalogs say about the partitions, and who may read.
sub catalog
{
	my ($db) = @_;
	return {
		partitions => $db->rows(<<'SQL'),
SELECT c.relname, pg_get_expr(c.relpartbound, c.oid), c.reloptions, pg_get_userbyid(c.relowner), obj_description(c.oid),
  (SELECT string_agg(pg_get_indexdef(i.indexrelid), ', ' ORDER BY i.indexrelid::regclass::text) FROM pg_index AS i WHERE i.indrelid = c.oid),
  (SELECT string_agg(conname || ' ' || pg_get_constraintdef(oid), ', ' ORDER BY conname) FROM pg_constraint WHERE conrelid = c.oid)
FROM pg_inherits JOIN pg_class AS c ON c.oid = inhrelid WHERE inhparent IN ('profiling.profile_data'::regclass, 'profiling.incoming'::regclass, 'profiling.block'::regclass) ORDER BY 1
SQL
		members => $db->rows(<<'SQL'),
SELECT pg_describe_object(classid, objid, objsubid) FROM pg_depend
WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'flamegraph_store') ORDER BY 1
SQL
		rights => $db->rows(<<'SQL'),
SELECT c.relname, r.rolname, has_schema_privilege(r.oid, c.relnamespace, 'USAGE'), has_table_privilege(r.oid, c.oid, 'SELECT')
FROM pg_class AS c, pg_roles AS r WHERE c.relnamespace = 'profiling'::regnamespace AND c.relkind IN ('r', 'p', 'v')
  AND r.rolname IN ('keeper', 'somebody', 'reporter') AND (c.relkind <> 'r' OR c.relname !~ '_[0-9]{6,10}$') ORDER BY 1, 2
SQL
	};
}

for my $schema ('public', 'Profile Types')
{
	my $source = $schema eq 'public' ? 'source' : 'apart';
	$super->run("CREATE DATABASE $source TEMPLATE template0 OWNER keeper");
	my $db = Wire->connect($node, $source, user => 'keeper');
	if ($schema ne 'public') { $db->run(qq{CREATE SCHEMA "$schema"; SET search_path = "$schema"; CREATE EXTENSION flamegraph SCHEMA "$schema"}); }
	Store::create($db);
	Store::fill($db);
	$db->run("SELECT profiling.grant_access('reporter', 'reader')");
	is($db->value("SELECT count(*) FROM profiling.check(true)"), '0', "$schema: nothing is wrong before");
	is_deeply([ map { $_->[0] } grep { $_->[1] eq 't' } @{ Store::weights($db) } ], [ 'month', 'run' ], "$schema: runs and months have samples");
	is_deeply([ map { $_->[0] } grep { $_->[2] eq 't' } @{ Store::weights($db) } ], [ 'run' ], "$schema: runs have one period");
	my $expected = Store::contents($db);
	my $catalog = catalog($db);
	cmp_ok(scalar @{ $catalog->{partitions} }, '>=', 8, "$schema: there are partitions");
	for my $table (sort keys %$expected)
	{
		unlike($expected->{$table}, qr/^0 /, "$schema: $table has rows") unless $table =~ /(profile_data|incoming|block)_/ || $table =~ /job_log$/;
	}
	$db->close;

	shell("$schema: pg_dump", qq{pg_dump -f $dir/$source.sql $source && pg_dump -Fc -f $dir/$source.dump $source});
	# By the store's owner: whoever creates an extension owns its tables, also where a dump creates it.
	my %restore = (
		psql => "psql -U keeper -qX -v ON_ERROR_STOP=1 -f $dir/$source.sql -d",
		pg_restore => "pg_restore -U keeper --exit-on-error $dir/$source.dump -d",
		'pg_restore -j 2' => "pg_restore --role=keeper --exit-on-error -j 2 $dir/$source.dump -d");
	# Where the types are says nothing about how an archive is read.
	my @how = $schema eq 'public' || $ENV{FLAMEGRAPH_TEST_LONG} ? sort keys %restore : 'psql';
	for my $how (@how)
	{
		my $what = "$schema, $how";
		$super->run('DROP DATABASE IF EXISTS target');
		$super->run('CREATE DATABASE target TEMPLATE template0 OWNER keeper');
		shell($what, "$restore{$how} target");
		$db = Wire->connect($node, 'target');
		$db->run(qq{SET search_path = "$schema"}) if $schema ne 'public';
		my $got = Store::contents($db);
		is($got->{$_} // 'missing', $expected->{$_}, "$what: $_") for sort keys %$expected;
		is(scalar keys %$got, scalar keys %$expected, "$what: no other tables");
		is_deeply(catalog($db), $catalog, "$what: partitions, members and rights");
		is($db->value('SELECT count(*) FROM profiling.check(true)'), '0', "$what: nothing is wrong");
		is($db->value('SELECT alpha FROM profiling.watch WHERE watch_id = 0'), '0.005', "$what: the changed watch row");
		$db->close;

		# It goes on: numbers follow, partitions come and go, what was loaded is known.
		$db = Wire->connect($node, 'target', user => 'keeper');
		$db->run(qq{SET search_path = "$schema"}) if $schema ne 'public';
		my $again = $db->query("SELECT profiling.import_flamegraph('large', flamegraph_agg('main;a' || i / 4096 || ';b' || i / 256 || ';c' || i / 16 || ';d' || i, sqrt(i)), "
			  . "started_at => '2021-02-01 UTC') FROM generate_series(1, 30000) AS i");
		is($again->{notices}[0]{message}, 'profile is in the store already', "$what: a repeated load");
		my ($last) = $expected->{'profiling.profile_profile_id_seq'} =~ /^(\d+)/;
		is($db->value("SELECT profiling.import_flamegraph('new', 'a 1', started_at => '2021-06-01 UTC')"), $last + 1, "$what: the next number");
		is($db->query("SELECT profiling.ingest('s', fg => 'other 1', recorded_at => recorded_at, instance => 'p', labels => '{}') FROM profiling.incoming WHERE instance = 'p'")->{notices}[0]{message},
			'the profile is in the store already', "$what: a repeated profile of a service");
		$db->run('CALL profiling.compact()');
		is($db->value("SELECT count(*) FROM profiling.incoming WHERE recorded_at < date_trunc('hour', now()) - interval '1 hour'"), '0', "$what: blocks are made");
		$db->run("SELECT profiling.add_partition('2021-07-01')");
		$db->run("CALL profiling.prune('0 days', 0)");
		is($db->value("SELECT count(*) FROM profiling.partition_months() WHERE month < '2021-08-01'"), '0', "$what: months go");
		is($db->value("SELECT count(*) FROM profiling.job_log WHERE outcome <> 'ok'"), '0', "$what: nothing failed");
		$db->close;
		my $reader = Wire->connect($node, 'target', user => 'reporter');
		is($reader->sqlstate('SELECT count(*) FROM profiling.profile'), 'no error', "$what: the reader reads");
		$reader->close;
		my $other = Wire->connect($node, 'target', user => 'somebody');
		is($other->sqlstate('SELECT count(*) FROM profiling.profile'), '42501', "$what: others do not");
		$other->close;
	}
}

# --- pg_upgrade ------------------------------------------------------------------------------------------------------

{
	my $expected = do { my $db = Wire->connect($node, 'source'); my $c = Store::contents($db); $db->close; $c };
	# It takes every database with it; one is looked at.
	$super->run('DROP DATABASE target');
	$super->run('DROP DATABASE apart') unless $ENV{FLAMEGRAPH_TEST_LONG};
	$super->close;
	$node->stop;
	my $new = PostgreSQL::Test::Cluster->new('new');
	$new->init;
	$new->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\n");
	my $bindir = `pg_config --bindir`;
	chomp $bindir;
	my $where = PostgreSQL::Test::Utils::tempdir_short();
	# an option since 15
	my $no_sync = `pg_upgrade --help` =~ /--no-sync/ ? '--no-sync' : '';
	my $log = `cd $where && pg_upgrade $no_sync -b $bindir -B $bindir -d @{[ $node->data_dir ]} -D @{[ $new->data_dir ]} -s $where -p @{[ $node->port ]} -P @{[ $new->port ]} 2>&1`;
	is($?, 0, 'pg_upgrade') or diag($log);
	$new->start;
	my $db = Wire->connect($new, 'source');
	my $got = Store::contents($db);
	is($got->{$_} // 'missing', $expected->{$_}, "pg_upgrade: $_") for sort keys %$expected;
	is($db->value('SELECT count(*) FROM profiling.check(true)'), '0', 'pg_upgrade: nothing is wrong');
	is($db->sqlstate("SELECT profiling.add_partition('2030-01-01'), profiling.import_flamegraph('new', 'a 1')"), 'no error', 'pg_upgrade: it goes on');
	$db->close;
	$new->stop;
}

done_testing();
