# A job that was read is kept for the next function of its transaction, and never longer than its rows are what a reading would
# find: not after a change of one's own or of somebody else's, not for another user, and not around row security.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Jobs;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('kept');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\nautovacuum = off\nlog_min_error_statement = panic\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
my $other = Wire->connect($node, 'postgres');
Jobs::create($db);
Jobs::fill($db);
$db->run(<<'SQL');
CREATE ROLE reader LOGIN;
CREATE ROLE stranger LOGIN;
GRANT reader, stranger TO CURRENT_USER;
SELECT jobs.grant_access('reader', 'reader');
GRANT USAGE ON SCHEMA jobs TO stranger;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA jobs TO stranger;
SQL

# Seconds of the leaf "Load", as an analysis has them; how often this transaction has read the table of phases.
my $load = "(SELECT duration FROM jobs.bottleneck_durations(1) WHERE phase_id = 2 AND resource_type IS NULL)";
my $reads = "(SELECT seq_scan + idx_scan FROM pg_stat_xact_user_tables WHERE relid = 'jobs.phase'::regclass)";
sub load { return $db->value("SELECT $load") }
sub lasts { my ($seconds) = @_; return "UPDATE jobs.phase SET end_time = start_time + $seconds * interval '1 s' WHERE job_id = 1 AND phase_id = 2" }

# --- it is kept ---

$db->run('BEGIN');
load();
my $once = $db->value("SELECT $reads");
cmp_ok($once, '>', 0, 'a function reads the phases');
load();
$db->run("SELECT count(*) FROM jobs.performance_issues(1), jobs.phase_consumption(1)");
is($db->value("SELECT $reads"), $once, 'the next ones do not');
$db->run("SELECT count(*) FROM jobs.phase_imbalance(2)");
my $second = $db->value("SELECT $reads");
cmp_ok($second, '>', $once, 'another job is read');
load();
cmp_ok($db->value("SELECT $reads"), '>', $second, 'one at a time is kept');
$db->run('COMMIT');
is(load(), 20, 'what it says');
$db->run('BEGIN; INSERT INTO jobs.usage_measurement SELECT 1, 2, at, at, 0 FROM (SELECT timestamptz \'2027-01-01 UTC\' + i * interval \'1 s\' AS at FROM generate_series(1, 20000) AS i) AS v');
$db->run("SET LOCAL work_mem = '64kB'");
load();
$once = $db->value("SELECT $reads");
load();
cmp_ok($db->value("SELECT $reads"), '>', $once, 'one that is larger than work_mem is not kept');
$db->run('ROLLBACK');

# --- changes of one's own ---

$db->run('BEGIN');
is(load(), 20, 'before a change');
$db->run(lasts(15));
is(load(), 15, 'after it');
$db->run('SAVEPOINT s; ' . lasts(10));
is(load(), 10, 'after one below a savepoint');
$db->run('ROLLBACK TO s');
is(load(), 15, 'after that was taken back');
$db->run('SAVEPOINT t; ' . lasts(11));
is(load(), 11, 'after another one');
$db->run('RELEASE t');
is(load(), 11, 'after its release');
$db->run('ROLLBACK');
is(load(), 20, 'after the end of all');

$db->run('BEGIN');
load();
$db->run("ALTER TABLE jobs.phase RENAME TO phases; CREATE VIEW jobs.phase AS SELECT job_id, phase_id, parent_id, phase_type, instance, start_time, end_time - interval '1 s' * (phase_id = 2)::int AS end_time FROM jobs.phases");
is(load(), 19, 'after a view took the place of a table');
$db->run('ROLLBACK');

$db->run(<<'SQL');
CREATE FUNCTION pg_temp.both() RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE v_first float8; v_inner float8; v_last float8;
BEGIN
	v_first := (SELECT duration FROM jobs.bottleneck_durations(1) WHERE phase_id = 2 AND resource_type IS NULL);
	BEGIN
		UPDATE jobs.phase SET end_time = start_time + interval '7 s' WHERE job_id = 1 AND phase_id = 2;
		v_inner := (SELECT duration FROM jobs.bottleneck_durations(1) WHERE phase_id = 2 AND resource_type IS NULL);
		RAISE EXCEPTION 'taken back';
	EXCEPTION WHEN raise_exception THEN NULL;
	END;
	v_last := (SELECT duration FROM jobs.bottleneck_durations(1) WHERE phase_id = 2 AND resource_type IS NULL);
	RETURN ARRAY[v_first, v_inner, v_last];
END $$
SQL
is($db->value('SELECT pg_temp.both()'), '{20,7,20}', 'within a function, with an exception that takes a change back');
$db->run('BEGIN');
load();
$db->run('DELETE FROM jobs.job WHERE job_id = 1');
my $gone = $db->query("SELECT $load");
like($gone->{error}{message}, qr/job 1/, 'after its deletion it is not there');
$db->run('ROLLBACK');
$db->run('BEGIN');
load();
$db->run("UPDATE jobs.resource SET capacity = 0.5 WHERE job_id = 1 AND resource_id = 2; UPDATE jobs.phase_type SET repeat = 'once' WHERE phase_type = 'Step'");
like($db->query("SELECT $load")->{error}{detail} // '', qr/repeated_once_type/, 'what makes it wrong is found');
is($db->query('ROLLBACK')->{error}, undef, 'the transaction ends');

# --- changes of others ---

$db->run('BEGIN');
is(load(), 20, 'before somebody else\'s change');
$other->run(lasts(18));
is(load(), 18, 'after it');
$db->run('COMMIT; BEGIN ISOLATION LEVEL REPEATABLE READ');
is(load(), 18, 'with one snapshot for the whole transaction: before');
$other->run('BEGIN; ' . lasts(17));
is(load(), 18, 'during');
$other->run('COMMIT');
is(load(), 18, 'after');
$db->run('COMMIT');
is(load(), 17, 'and in the next one');
$other->run('BEGIN; ' . lasts(16));
$db->run('BEGIN');
is(load(), 17, 'before a change is committed that was under way');
$other->run('COMMIT');
is(load(), 16, 'after');
$db->run('COMMIT');
$other->run(lasts(20));

# --- others' rights ---

$db->run('BEGIN');
load();
$db->run('SET LOCAL ROLE stranger');
is($db->query("SELECT $load")->{error}{sqlstate}, '42501', 'what another role has read is not for one without rights');
$db->run('ROLLBACK');
$db->run('BEGIN');
$db->run('SET LOCAL ROLE reader');
load();
$db->run('RESET ROLE; REVOKE SELECT ON jobs.phase FROM reader; SET LOCAL ROLE reader');
is($db->query("SELECT $load")->{error}{sqlstate}, '42501', 'nor for one that has lost its rights');
$db->run('ROLLBACK');
$db->run('BEGIN; SET LOCAL ROLE reader');
is(load(), 20, 'before a policy');
$db->run("RESET ROLE; ALTER TABLE jobs.phase ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON jobs.phase USING (phase_id <> current_setting('my.phase', true)::int);
SELECT set_config('my.phase', '7', true); SET LOCAL ROLE reader");
is($db->value("SELECT count(DISTINCT phase_id) FROM jobs.bottleneck_durations(1)"), 6, 'with a policy: what it lets through');
$db->run("SELECT set_config('my.phase', '6', true)");
is($db->value("SELECT count(*) FROM jobs.bottleneck_durations(1) WHERE phase_id = 6"), 0, 'and what it lets through later');
$db->run('ROLLBACK');

# --- errors and open portals ---

$db->run('BEGIN');
load();
$db->run('SAVEPOINT s');
ok($db->query("SELECT * FROM jobs.upsample_usage(1, sampling => 'linear')")->{error}, 'an error while it is used');
$db->run('ROLLBACK TO s');
is(load(), 20, 'then as before');
$db->run("DECLARE c CURSOR FOR SELECT count(*) OVER (), phase_id FROM jobs.phase_imbalance(1)");
my $before = $db->row('FETCH c');
$db->run("SELECT count(*) FROM jobs.phase_imbalance(2)");
is($db->row('FETCH c')->[0], $before->[0], 'a cursor goes on while another job is read');
$db->run('COMMIT');
is(load(), 20, 'and in the next transaction');

$db->close;
$other->close;
$node->stop;
done_testing();
