# A database that an earlier release has made, with values of every type and a filled store, works with the library of
# this one before anybody calls ALTER EXTENSION UPDATE; updated, it keeps every row, and its objects are those of a
# fresh one, one by one. The scripts of the releases are in sql/released, and nothing in them changes any more.
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
my $super = Wire->connect($node, 'postgres');
# The store belongs to a role that is no superuser.
$super->run('CREATE ROLE keeper LOGIN; CREATE ROLE loads LOGIN');

# What pg_dump says about each object that belongs to an extension, with its comment, rights and place in the dump of
# the extension's configuration; without the numbers that differ from database to database. Its order is that of names.
sub members
{
	my ($database) = @_;
	local $ENV{PGHOST} = $node->host;
	local $ENV{PGPORT} = $node->port;
	my $dump = `pg_dump --binary-upgrade --schema-only --no-sync $database`;
	is($?, 0, "$database: pg_dump") or return '';
	my @lines = grep { !/^(--|\\(un)?restrict|\s*$)|binary_upgrade_set_(next|missing)/ } split /\n/, $dump;
	# configuration() compares these tables by name.
	s/(binary_upgrade_create_empty_extension\(.*)'\{[0-9,]+\}'/$1tables/ for @lines;
	return join "\n", grep { !/pg_(type|class|enum|authid)_oid|relfilenode|^SET rel(frozenxid|minmxid)|^WHERE oid = / } @lines;
}

# The lines that only the first of two texts has.
sub only_in
{
	my ($first, $second) = @_;
	my %has;
	$has{$_}++ for split /\n/, $second;
	return grep { !$has{$_} || !$has{$_}-- } split /\n/, $first;
}

# The tables whose rows a dump keeps, and the condition of each.
sub configuration
{
	my ($db) = @_;
	return $db->rows(<<'SQL');
SELECT e.extname, c.oid::regclass::text, c.condition FROM pg_extension AS e, unnest(e.extconfig, e.extcondition) AS c (oid, condition)
ORDER BY 1, 2
SQL
}

sub database
{
	my ($name) = @_;
	$super->run("DROP DATABASE IF EXISTS $name");
	$super->run("CREATE DATABASE $name TEMPLATE template0 OWNER keeper");
	# Before PostgreSQL 15 the superuser owns the schema, and everybody may create there.
	my $inside = Wire->connect($node, $name);
	$inside->run('ALTER SCHEMA public OWNER TO keeper; REVOKE CREATE ON SCHEMA public FROM PUBLIC');
	$inside->close;
	return Wire->connect($node, $name, user => 'keeper');
}

my $values = <<'SQL';
CREATE TABLE value (id int, stack stackpath, query stackquery, profile flamegraph, sample flamestats, model perfmodel);
INSERT INTO value
SELECT i, stackpath(ARRAY['main', 'f;' || i]), ('main;*;f' || i)::stackquery, p.profile, (SELECT stats(v, 'node') FROM (VALUES (p.profile), (p.profile * 2)) AS t (v)),
  fit(ARRAY[1, 2, 3, 4], ARRAY[i, 2 * i, 3 * i, 4.5 * i], 'linear')
FROM generate_series(1, 50) AS i, LATERAL (SELECT flamegraph_agg(stackpath(ARRAY['main', 'f' || j % i, 'g' || j]), (j * i)::float8 / 7) AS profile
  FROM generate_series(1, 20 * i) AS j) AS p;
INSERT INTO value (id, profile) VALUES (51, 'main;a_frame_of_more_than_twenty_bytes 1'), (52, 'main;a_frame_of_more_than_some_bytes 1'),
  (53, ('main;' || repeat('x', 300) || ' 1')::flamegraph), (54, ('main;' || repeat('x', 299) || 'y 1')::flamegraph);
CREATE INDEX ON value (stack);
CREATE INDEX ON value USING gin (profile);
CREATE INDEX ON value USING hash (stack);
CREATE VIEW summed AS SELECT sum(profile) AS profile, avg(profile) AS mean FROM value;
SQL

# What users have stored calls functions as the release had them.
my $calls = <<'SQL';
CREATE VIEW compared AS SELECT c.* FROM compare_profiles(ARRAY(SELECT profile FROM value WHERE id < 6 ORDER BY id),
  ARRAY(SELECT profile * 2 FROM value WHERE id > 44 ORDER BY id), level => 'frame', seed => 7) AS c;
CREATE VIEW scored AS SELECT d.* FROM deviation_scores(ARRAY(SELECT profile FROM value WHERE id < 12 ORDER BY id),
  (SELECT profile FROM value WHERE id = 12), 8, zero_std => 'zero') AS d;
CREATE FUNCTION read(data bytea) RETURNS bigint LANGUAGE sql
BEGIN ATOMIC SELECT count(*) FROM read_recording(data) AS r WHERE r.complete IS NOT NULL; END;
SQL

sub called
{
	my ($db) = @_;
	return $db->rows(<<'SQL');
SELECT 'compared', count(*), md5(string_agg(c::text, '' ORDER BY c.key)) FROM compared AS c
UNION ALL SELECT 'scored', count(*), md5(string_agg(d::text, '' ORDER BY d.key)) FROM scored AS d
UNION ALL SELECT 'read', read('a;b 3'), NULL
SQL
}

# Frames that are longer than keys of the index are now, and keys that 0.1.0 made.
my $by_long_frames = <<'SQL';
SELECT string_agg(n || ': ' || ids, ', ' ORDER BY n) FROM (
SELECT 1 AS n, string_agg(id::text, ' ' ORDER BY id) AS ids FROM value WHERE profile ? 'a_frame_of_more_than_twenty_bytes'
UNION ALL SELECT 2, string_agg(id::text, ' ' ORDER BY id) FROM value WHERE profile ~ '*;a_frame_of_more_than_s*'
UNION ALL SELECT 3, string_agg(id::text, ' ' ORDER BY id) FROM value WHERE profile ?| ARRAY[repeat('x', 300), 'a_frame_of_more_than_some_bytes']
UNION ALL SELECT 4, string_agg(id::text, ' ' ORDER BY id) FROM value WHERE profile ?& ARRAY['main', repeat('x', 299) || 'y']
UNION ALL SELECT 5, string_agg(id::text, ' ' ORDER BY id) FROM value WHERE profile @> stackpath(ARRAY['main', 'a_frame_of_more_than_twenty_bytes'])
UNION ALL SELECT 6, string_agg(id::text, ' ' ORDER BY id) FROM value WHERE profile ~ 'main|a_frame_of_more_than_twenty_bytes;!main' AND id > 50) AS s
SQL

# Bytes of every value, and answers that go through indexes, aggregates and a view.
sub answers
{
	my ($db) = @_;
	$db->run('SET enable_seqscan = off');
	return $db->rows(<<'SQL');
SELECT 'value', id::text, md5(concat(stackpath_send(stack), stackquery_send(query), flamegraph_send(profile), flamestats_send(sample), perfmodel_send(model))) FROM value
UNION ALL SELECT 'index', '', string_agg(id::text, ' ' ORDER BY id) FROM value WHERE profile ? 'f3'
UNION ALL SELECT 'range', '', count(*)::text FROM value WHERE stack <@ 'main'
UNION ALL SELECT 'view', '', md5(concat(flamegraph_send(profile), flamegraph_send(mean))) FROM summed
ORDER BY 1, 2
SQL
}

my %default = map { @$_ } @{ $super->rows("SELECT name, default_version FROM pg_available_extensions WHERE name LIKE 'flamegraph%'") };
is_deeply([ @default{qw(flamegraph_store flamegraph_jobs)} ], [ ($default{flamegraph}) x 2 ], 'all extensions have one version');
my @released = map { $_->[0] } @{ $super->rows(<<"SQL") };
SELECT v.version FROM pg_available_extension_versions AS v WHERE v.name = 'flamegraph' AND v.version <> '$default{flamegraph}' ORDER BY v.version
SQL

my $fresh = database('fresh');
Store::create($fresh);
my $configuration = configuration($fresh);
$fresh->run($values);
$fresh->close;
my $objects = members('fresh');
cmp_ok(scalar(() = $objects =~ /^CREATE (?:FUNCTION|AGGREGATE|OPERATOR|TABLE|VIEW) /mg), '>', 500, 'an upgrade is compared by many objects');
diag('no earlier release: nothing to upgrade from') if !@released;

for my $version (@released)
{
	my $db = database('old');
	$db->run("CREATE EXTENSION flamegraph VERSION '$version'; CREATE EXTENSION flamegraph_store VERSION '$version'");

	# with this library, and the SQL of that release
	$db->run($values);
	$db->run($calls);
	Store::fill($db);
	$db->run(q{SELECT profiling.grant_access('loads', 'loader')});
	is($db->sqlstate('CALL profiling.watch_run()'), 'no error', "$version: the night runs before the update");
	is($db->value('SELECT count(*) FROM profiling.check(true)'), '0', "$version: nothing is wrong before the update");
	my $columns = Store::columns($db);
	is($db->value("SET enable_seqscan = off; $by_long_frames"), '1: 51, 2: 52, 3: 52 53, 4: 54, 5: 51, 6: 51 52 53 54', "$version: long frames are found by the SQL of that release");
	my ($answers, $rows, $called) = (answers($db), Store::contents($db), called($db));

	is($db->sqlstate('ALTER EXTENSION flamegraph UPDATE'), 'no error', "$version: flamegraph is updated");
	is($db->value('SELECT count(*) FROM profiling.check(true)'), '0', "$version: the old store works with the new types");
	is($db->sqlstate('ALTER EXTENSION flamegraph_store UPDATE'), 'no error', "$version: flamegraph_store is updated");
	is_deeply(answers($db), $answers, "$version: values and answers are what they were");
	is($db->value($by_long_frames), '1: 51, 2: 52, 3: 52 53, 4: 54, 5: 51, 6: 51 52 53 54', "$version: long frames are found in the index of that release");
	$db->run('INSERT INTO value (id, profile) SELECT id + 50, profile FROM value WHERE id > 50');
	is($db->value($by_long_frames), '1: 51 101, 2: 52 102, 3: 52 53 102 103, 4: 54 104, 5: 51 101, 6: 51 52 53 54 101 102 103 104', "$version: and beside them those that came later");
	$db->run('DELETE FROM value WHERE id > 100');
	is_deeply(called($db), $called, "$version: stored calls of functions that have more arguments and columns now");
	my $now = Store::contents($db, $columns);
	is($now->{$_} // 'missing', $rows->{$_}, "$version: rows of $_") for sort keys %$rows;
	is($db->value('SELECT count(*) FROM profiling.check(true)'), '0', "$version: nothing is wrong after the update");
	is_deeply(configuration($db), $configuration, "$version: what a dump keeps");
	is_deeply($db->row('SELECT count(*) FILTER (WHERE period = 1e7) > 10, count(*) FILTER (WHERE period IS NULL), count(samples) FROM profiling.rollup'),
		[ 't', 1, 0 ], "$version: sums know the period of their profiles");
	# Nights with samples follow those without.
	my $loader = Wire->connect($node, 'old', user => 'loads');
	is($loader->sqlstate(q{SELECT profiling.import_flamegraph('b1', 'main;f_1 6', started_at => timestamptz '2021-10-01 UTC' + n * interval '1 day', branch => 'main', repetition => r,
		samples => 'main;f_1 2', noise => 'main;f_1 20') FROM generate_series(0, 2) AS n, generate_series(0, 5) AS r}), 'no error', "$version: who could load can load, and samples, too");
	$loader->close;
	is($db->value(q{SELECT string_agg(DISTINCT concat_ws(' ', profiling.summed_samples(flamegraph, period, samples, benchmark_id, pending),
		profiling.summed_noise(flamegraph, period, noise, benchmark_id, pending)), '|') FROM profiling.rollup WHERE started_at >= '2021-10-01 UTC'}),
		'main;f 12 main;f 120', "$version: and they are summed up, frames renamed");
	Store::fill_samples($db);
	is_deeply([ map { $_->[0] } grep { $_->[1] eq 't' } @{ Store::weights($db) } ], [ 'month', 'run' ], "$version: runs and months have samples");
	is($db->sqlstate('CALL profiling.watch_run()'), 'no error', "$version: the night goes on");
	is($db->value(q{SELECT count(*) FROM profiling.job_log WHERE outcome = 'failed'}), '0', "$version: with all benchmarks");
	is($db->value('SELECT count(*) FROM profiling.check(true)'), '0', "$version: nothing is wrong after it");
	$db->close;

	# Without the partitions that the store has made since.
	my $empty = database('old');
	$empty->run("CREATE EXTENSION flamegraph VERSION '$version'; CREATE EXTENSION flamegraph_store VERSION '$version'");
	$empty->run('ALTER EXTENSION flamegraph UPDATE; ALTER EXTENSION flamegraph_store UPDATE');
	$empty->run($values);
	$empty->close;
	my $updated = members('old');
	is_deeply([ only_in($updated, $objects) ], [], "$version: updated, it has nothing that a fresh one has not");
	is_deeply([ only_in($objects, $updated) ], [], "$version: updated, it has all that a fresh one has");

	# By a superuser, as after pg_upgrade, which makes extensions the superuser's: what is new is of the owner of the store.
	my $of_keeper = database('old');
	$of_keeper->run("CREATE EXTENSION flamegraph VERSION '$version'; CREATE EXTENSION flamegraph_store VERSION '$version'");
	my $by_super = Wire->connect($node, 'old');
	$by_super->run('ALTER EXTENSION flamegraph UPDATE; ALTER EXTENSION flamegraph_store UPDATE');
	is_deeply($by_super->rows(<<'SQL'), [], "$version: updated by a superuser, all is its owner's");
SELECT pg_describe_object(s.classid, s.objid, 0)
FROM pg_depend AS d JOIN pg_extension AS x ON x.extname = 'flamegraph_store' AND d.refclassid = 'pg_extension'::regclass AND d.refobjid = x.oid
	JOIN pg_shdepend AS s ON s.dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND s.classid = d.classid AND s.objid = d.objid
WHERE d.deptype = 'e' AND s.deptype = 'o' AND s.refobjid <> 'keeper'::regrole
UNION SELECT p.oid::regprocedure::text FROM pg_proc AS p WHERE p.pronamespace = 'profiling'::regnamespace AND p.proowner <> 'keeper'::regrole
UNION SELECT c.oid::regclass::text FROM pg_class AS c WHERE c.relnamespace = 'profiling'::regnamespace AND c.relowner <> 'keeper'::regrole ORDER BY 1
SQL
	$by_super->close;
	Store::fill_services($of_keeper);
	is($of_keeper->value('SELECT count(*) FROM profiling.check(true)'), '0', "$version: ... and it works");
	$of_keeper->close;
}

$super->close;
$node->stop;
done_testing();
