# A database with jobs is dumped and restored by psql, by pg_restore and by two jobs of it, by a role that is no superuser, and goes
# through pg_upgrade: every row, every sequence, members and rights are what they were, and new jobs get new numbers. So
# it does when flamegraph is in a schema of its own.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Jobs;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\n");
$node->start;
my $dir = PostgreSQL::Test::Utils::tempdir();
my $super = Wire->connect($node, 'postgres');
$super->run('CREATE ROLE keeper LOGIN; CREATE ROLE somebody LOGIN; CREATE ROLE reporter LOGIN; CREATE ROLE loads LOGIN');

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

# What belongs to the extension and whose it is, what is on its tables, and who may do what.
sub catalog
{
	my ($db) = @_;
	return {
		members => $db->rows(<<'SQL'),
SELECT pg_describe_object(d.classid, d.objid, d.objsubid), CASE WHEN d.classid = 'pg_class'::regclass THEN (SELECT pg_get_userbyid(c.relowner) FROM pg_class AS c WHERE c.oid = d.objid) END
FROM pg_depend AS d WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'flamegraph_jobs') ORDER BY 1
SQL
		constraints => $db->rows("SELECT conrelid::regclass, conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'jobs'::regnamespace ORDER BY 1, 2"),
		indexes => $db->rows("SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'jobs' ORDER BY 1, 2"),
		triggers => $db->rows("SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = 'jobs.job'::regclass ORDER BY 1"),
		rights => $db->rows(<<'SQL'),
SELECT c.relname, r.rolname, p, has_schema_privilege(r.oid, c.relnamespace, 'USAGE'), has_table_privilege(r.oid, c.oid, p)
FROM pg_class AS c, pg_roles AS r, unnest('{SELECT,INSERT,DELETE}'::text[]) AS p WHERE c.relnamespace = 'jobs'::regnamespace AND c.relkind IN ('r', 'v')
  AND r.rolname IN ('keeper', 'somebody', 'reporter', 'loads') ORDER BY 1, 2, 3
SQL
	};
}

sub goes_on
{
	my ($db, $what, $expected) = @_;
	my ($last) = $expected->{'jobs.job_job_id_seq'} =~ /^(\d+)/;
	is($db->value(q{INSERT INTO jobs.job (model) VALUES (E'p\\\\"1') RETURNING job_id}), $last + 1, "$what: the next number");
	is($db->value('SELECT count(*) FROM jobs.validate_job(1)'), '0', "$what: nothing is wrong with a job");
	is($db->value("SELECT string_agg(DISTINCT source || round(estimated_impact), ' ') FROM jobs.performance_issues(1) WHERE phase_id = 1 AND issue NOT IN ('bottleneck', 'imbalance')"), 'leaves4', "$what: a rule of a user runs");
	is($db->value('SELECT extract::oid::regprocedure FROM jobs.issue_rule_function'), '"Rules of jobs"."extract it"(bigint,bigint,jsonb)', "$what: its functions are found");
	$db->run('DELETE FROM jobs.job');
	is($db->value('SELECT count(*) FROM jobs.usage_measurement'), '0', "$what: rows go with their jobs");
	return;
}

for my $schema ('public', 'Profile Types')
{
	my $source = $schema eq 'public' ? 'source' : 'apart';
	$super->run("CREATE DATABASE $source TEMPLATE template0 OWNER keeper");
	my $db = Wire->connect($node, $source, user => 'keeper');
	if ($schema ne 'public') { $db->run(qq{CREATE SCHEMA "$schema"; CREATE EXTENSION flamegraph SCHEMA "$schema"}); }
	Jobs::create($db);
	Jobs::fill($db);
	$db->run("SELECT jobs.grant_access('reporter', 'reader'), jobs.grant_access('loads', 'loader')");
	my $expected = Jobs::contents($db);
	my $catalog = catalog($db);
	is_deeply([ grep { ($_->[1] // 'keeper') ne 'keeper' } @{ $catalog->{members} } ], [], "$schema: tables and views belong to who created the extension");
	unlike($expected->{$_}, qr/^0 /, "$schema: $_ has rows") for grep { !/_seq$/ } sort keys %$expected;
	$db->close;

	shell("$schema: pg_dump", qq{pg_dump -f $dir/$source.sql $source && pg_dump -Fc -f $dir/$source.dump $source});
	my %restore = (
		psql => "psql -U keeper -qX -v ON_ERROR_STOP=1 -f $dir/$source.sql -d",
		pg_restore => "pg_restore -U keeper --exit-on-error $dir/$source.dump -d",
		'pg_restore -j 2' => "pg_restore -U keeper --exit-on-error -j 2 $dir/$source.dump -d");
	for my $how (sort keys %restore)
	{
		my $what = "$schema, $how";
		$super->run('DROP DATABASE IF EXISTS target');
		$super->run('CREATE DATABASE target TEMPLATE template0 OWNER keeper');
		shell($what, "$restore{$how} target");
		$db = Wire->connect($node, 'target', user => 'keeper');
		is_deeply(Jobs::contents($db), $expected, "$what: rows and sequences");
		is_deeply(catalog($db), $catalog, "$what: members, constraints, indexes and rights");
		my $reader = Wire->connect($node, 'target', user => 'reporter');
		is($reader->sqlstate('SELECT count(*) FROM jobs.run_metrics, jobs.validate_job(1)'), 'no error', "$what: the reader reads");
		$reader->close;
		my $other = Wire->connect($node, 'target', user => 'somebody');
		is($other->sqlstate('SELECT count(*) FROM jobs.phase'), '42501', "$what: others do not");
		$other->close;
		goes_on($db, $what, $expected);
		$db->close;
	}
}

# --- pg_upgrade ------------------------------------------------------------------------------------------------------

{
	my ($expected, $catalog) = do { my $db = Wire->connect($node, 'source'); my @c = (Jobs::contents($db), catalog($db)); $db->close; @c };
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
	is_deeply(Jobs::contents($db), $expected, 'pg_upgrade: rows and sequences');
	is_deeply(catalog($db), $catalog, 'pg_upgrade: members, constraints, indexes and rights');
	goes_on($db, 'pg_upgrade', $expected);
	$db->close;
	$new->stop;
}

done_testing();
