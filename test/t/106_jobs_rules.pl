# What users add to the analysis of jobs, and what compares jobs: predicates that are functions (how they are found, with whose
# rights they run, how often they are called), stragglers.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

use lib $FindBin::RealBin;
use Jobs;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\n");
$node->start;
my $super = Wire->connect($node, 'postgres');
$super->run("CREATE ROLE $_ LOGIN") for qw(keeper reads writes);
$super->run('CREATE DATABASE jobs OWNER keeper');
my $db = Wire->connect($node, 'jobs', user => 'keeper');
Jobs::create($db);
Jobs::fill($db);
$db->run("SELECT jobs.grant_access('reads', 'reader'), jobs.grant_access('writes', 'admin')");
$db->run('CREATE SCHEMA rules; GRANT USAGE ON SCHEMA rules TO reads; GRANT USAGE, CREATE ON SCHEMA rules TO writes');

sub error_of { my ($connection, $sql) = @_; return $connection->query($sql)->{error} // { sqlstate => 'no error', message => '', detail => '', hint => '' }; }

# How many rows two queries do not have in common.
sub difference { my ($a, $b) = @_; return $db->value("WITH a AS ($a), b AS ($b) SELECT count(*) FROM ((TABLE a EXCEPT ALL TABLE b) UNION ALL (TABLE b EXCEPT ALL TABLE a)) AS d"); }

# --- predicates ------------------------------------------------------------------------------------------------------

my $arguments = '(phase_types text[], defined bool[], bottlenecked bool[], resource_type text)';

$db->run('UPDATE jobs.phase_type SET bottleneck_predicate = NULL');

# What it is told: all parts of the phase, by type, limited ones first; and each question once.
$db->run(<<"SQL");
CREATE SEQUENCE rules.calls;
CREATE TABLE rules.asked (types text[], able bool[], limited bool[], resource text);
CREATE FUNCTION rules.notes$arguments RETURNS bool LANGUAGE plpgsql AS \$\$ BEGIN
	PERFORM nextval('rules.calls'); INSERT INTO rules.asked SELECT phase_types, defined, bottlenecked, resource_type; RETURN false; END \$\$;
INSERT INTO jobs.job (job_id, model) VALUES (10, E'p\\\\"1');
INSERT INTO jobs.phase SELECT 10, v.* FROM (VALUES (1, NULL::int, 'Job', '', timestamptz '2026-01-01 UTC', timestamptz '2026-01-01 UTC' + interval '1000 s')) AS v;
INSERT INTO jobs.phase SELECT 10, 1 + i, 1, 'Step', i::text, t + (i - 1) * interval '10 s', t + i * interval '10 s' FROM generate_series(1, 100) AS i, (VALUES (timestamptz '2026-01-01 UTC')) AS v (t);
INSERT INTO jobs.phase SELECT 10, 100 * s + 100 + w, 1 + s, E'Work\\té', w::text, t + (s - 1) * interval '10 s', t + ((s - 1) * 10 + w) * interval '1 s'
	FROM generate_series(1, 100) AS s, generate_series(1, 3) AS w, (VALUES (timestamptz '2026-01-01 UTC')) AS v (t);
INSERT INTO jobs.resource VALUES (10, 1, NULL, 'lock', '', NULL, NULL), (10, 2, NULL, 'lock', 'other', NULL, NULL);
INSERT INTO jobs.phase_resource SELECT 10, phase_id, r FROM jobs.phase, generate_series(1, 2) AS r WHERE job_id = 10 AND parent_id > 1 AND (r = 1 OR instance = '3');
INSERT INTO jobs.blocking_interval SELECT 10, 2, t + i * interval '10 s' + interval '1.2 s', t + i * interval '10 s' + interval '1.8 s' FROM generate_series(0, 99) AS i, (VALUES (timestamptz '2026-01-01 UTC')) AS v (t);
INSERT INTO jobs.blocking_interval SELECT 10, 1, t + i * interval '10 s', t + i * interval '10 s' + interval '1.5 s' FROM generate_series(0, 99) AS i, (VALUES (timestamptz '2026-01-01 UTC')) AS v (t);
SQL
is($db->value("SELECT count(*) FROM jobs.bottlenecks(10, predicate => 'function:rules.notes') WHERE phase_id < 102"), '0', 'a function that always says no');
# of a step: 3 alive and waiting; 2 alive and waiting (from 1 s), one of them (1.5 s), none (1.8 s); 1 alive (2 s). Of the job: 1 of 100 steps alive, not limited, always.
is_deeply([ map { $_->[0] } @{ $db->rows("SELECT array_length(types, 1) || ' ' || array_length(array_positions(able, true), 1) || ' ' || coalesce(array_length(array_positions(limited, true), 1), 0) || ' ' || resource || ' ' || count(*) FROM rules.asked GROUP BY types, able, limited, resource ORDER BY 1") } ],
	[ '100 1 0 lock 1', '3 1 0 lock 1', '3 2 0 lock 1', '3 2 1 lock 1', '3 2 2 lock 1', '3 3 3 lock 1' ], 'each question is asked once');
is($db->value("SELECT last_value FROM rules.calls"), '6', 'six calls for a hundred steps');
is($db->value("SELECT string_agg(DISTINCT limited::text, ' ') FROM rules.asked WHERE able = '{t,t,f}'"), '{f,f,f} {t,f,f} {t,t,f}', 'parts that are limited come first, those that are not defined last');

# The words as functions say what the words say.
my %words = (
	any => 'true = ANY (bottlenecked)',
	all => 'true = ANY (bottlenecked) AND bottlenecked @> defined AND (SELECT bool_and(b OR NOT d) FROM unnest(defined, bottlenecked) AS u (d, b))',
	strict_majority => '(SELECT 2 * count(*) FILTER (WHERE b) > count(*) FILTER (WHERE d) FROM unnest(defined, bottlenecked) AS u (d, b))');
for my $word (sort keys %words)
{
	$db->run("CREATE FUNCTION rules.is_$word$arguments RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT $words{$word}'");
	for my $call (qw(bottlenecks bottleneck_timeline bottleneck_durations bottleneck_summary))
	{
		is($db->value("SELECT count(*) > 0 FROM jobs.$call(10, predicate => '$word')"), 't', "$call by $word: rows");
		is(difference("SELECT * FROM jobs.$call(10, predicate => 'function:rules.is_$word')", "SELECT * FROM jobs.$call(10, predicate => '$word')"), '0', "$call by $word: a function says what the word does");
	}
}
isnt(difference("SELECT * FROM jobs.bottlenecks(10, predicate => 'all')", 'SELECT * FROM jobs.bottlenecks(10)'), '0', 'words differ in this job');

# How it is found.
$db->run(qq{CREATE SCHEMA "Odd ""schema"; CREATE FUNCTION "Odd ""schema"."is ""any"$arguments RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT true = ANY (bottlenecked)'});
is($db->value(q{SELECT count(*) FROM jobs.bottlenecks(1, predicate => 'function:"Odd ""schema"."is ""any"')}), $db->value('SELECT count(*) FROM jobs.bottlenecks(1)'), 'names in quotes');
is($db->value(q{SELECT count(*) FROM jobs.bottlenecks(1, predicate => 'function:RULES . Is_Any')}), $db->value('SELECT count(*) FROM jobs.bottlenecks(1)'), 'names without quotes are in small letters');
$db->run(qq{CREATE FUNCTION pg_temp.mine$arguments RETURNS bool LANGUAGE sql AS 'SELECT true = ANY (bottlenecked)'});
is($db->sqlstate("SELECT * FROM jobs.bottlenecks(1, predicate => 'function:pg_temp.mine')"), 'no error', 'functions of the session');
$db->run(<<"SQL");
CREATE FUNCTION rules.other(text[], bool[], bool[]) RETURNS bool LANGUAGE sql AS 'SELECT true';
CREATE FUNCTION rules.number$arguments RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION rules.several$arguments RETURNS SETOF bool LANGUAGE sql AS 'SELECT true';
CREATE PROCEDURE rules.procedure$arguments LANGUAGE sql AS 'SELECT true';
CREATE FUNCTION rules.nothing$arguments RETURNS bool LANGUAGE sql AS 'SELECT NULL::bool';
CREATE FUNCTION rules.fails$arguments RETURNS bool LANGUAGE plpgsql AS \$\$ BEGIN RAISE EXCEPTION 'on its own' USING ERRCODE = 'UE001'; END \$\$;
CREATE FUNCTION rules.strict$arguments RETURNS bool LANGUAGE sql STRICT AS 'SELECT resource_type IS NOT NULL AND true = ANY (bottlenecked)';
SQL
my @refused = (
	'function:' => '22023', 'function:f' => '22023', 'function:a.b.c' => '22023', 'function:rules.' => '22023', 'function:"rules' => '22023', 'function:rules.is_any()' => '22023',
	'function:nowhere.f' => '22023', 'function:rules.nobody' => '22023', 'function:rules.other' => '22023', 'function:rules.number' => '22023', 'function:rules.several' => '22023', 'function:rules.procedure' => '22023',
	'function:rules.nothing' => '22004');
while (my ($predicate, $state) = splice @refused, 0, 2)
{
	my $error = error_of($db, "SELECT * FROM jobs.bottlenecks(1, predicate => '$predicate')");
	is_deeply([ @$error{qw(sqlstate detail)} ], [ $state, 'bad_predicate' ], "refused: $predicate ($error->{message})");
}
like(error_of($db, "SELECT * FROM jobs.bottlenecks(1, predicate => 'function:rules.nobody')")->{hint}, qr/exactly these arguments and returns boolean/, '  with a hint');
is(error_of($db, "SELECT * FROM jobs.bottlenecks(1, predicate => 'function:rules.fails')")->{sqlstate}, 'UE001', 'its own errors come through');
is($db->value("SELECT count(*) FROM jobs.bottlenecks(1, predicate => 'function:rules.strict')"), $db->value('SELECT count(*) FROM jobs.bottlenecks(1)'), 'a strict one');
is($db->value(q{SELECT jobs.predicate_holds('function:rules.is_strict_majority', '{A,B,A}', '{t,NULL,f}') }), 'f', 'on values: one of two');
is($db->value(q{SELECT jobs.predicate_holds('function:rules.is_strict_majority', '{A,B,A}', '{t,NULL,t}')}), 't', 'two of two');
is($db->value(q{SELECT jobs.predicate_holds('function:rules.fails', '{A,B}', '{NULL,NULL}')}), 'f', 'nobody is asked about nothing');
my $parallel = $db->value("SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')");
$db->run("SET $parallel = on");
$db->run("CREATE TEMP TABLE enough AS SELECT 1 AS n; CREATE FUNCTION pg_temp.reads$arguments RETURNS bool LANGUAGE sql AS 'SELECT cardinality(array_positions(bottlenecked, true)) >= n FROM enough'");
is($db->sqlstate("SELECT count(*) FROM jobs.$_(1, predicate => 'function:pg_temp.reads')"), 'no error', "a function that is not safe in a worker, in a parallel query: $_") for qw(bottlenecks bottleneck_timeline bottleneck_durations bottleneck_summary);
is($db->sqlstate("SELECT jobs.predicate_holds('function:pg_temp.reads', '{A}', '{t}') FROM jobs.job"), 'no error', '  on values');
$db->run("RESET $parallel");

# In a row of the model: whose function it is counts, and validate_job() says what is wrong.
$db->run("UPDATE jobs.phase_type SET bottleneck_predicate = 'function:rules.is_all' WHERE parent_type IS NOT NULL");
is(difference("SELECT * FROM jobs.bottlenecks(1, predicate => 'all')", "SELECT * FROM jobs.bottlenecks(1, predicate => 'function:rules.is_all')"), '0', 'of phase types');
for my $name ('rules.nobody', 'nobody')
{
	$db->run("BEGIN; UPDATE jobs.phase_type SET bottleneck_predicate = 'function:$name' WHERE phase_type = 'Step'");
	is_deeply($db->rows('SELECT severity, code FROM jobs.validate_job(1)'), [ [ 'error', 'bad_predicate' ] ], "validate_job tells of $name");
	my $error = error_of($db, 'SELECT * FROM jobs.phase_consumption(1)');
	is_deeply([ @$error{qw(sqlstate detail)} ], [ '23514', 'bad_predicate' ], "  and every analysis refuses it ($error->{message})");
	$db->run('ROLLBACK');
}
my $reads = Wire->connect($node, 'jobs', user => 'reads');
my $writes = Wire->connect($node, 'jobs', user => 'writes');
is($reads->sqlstate('SELECT * FROM jobs.bottlenecks(1)'), 'no error', 'a reader runs a function of the owner');
$writes->run("CREATE FUNCTION rules.trap$arguments RETURNS bool LANGUAGE plpgsql AS \$\$ BEGIN RAISE EXCEPTION 'run by %', current_user; END \$\$; UPDATE jobs.phase_type SET bottleneck_predicate = 'function:rules.trap' WHERE phase_type = 'Step'");
for my $who ([ keeper => $db ], [ reads => $reads ])
{
	my $error = error_of($who->[1], 'SELECT * FROM jobs.bottlenecks(1)');
	is_deeply([ @$error{qw(sqlstate detail)} ], [ '42501', 'bad_predicate' ], "$who->[0] does not run what somebody wrote into the model ($error->{message})");
}
like(error_of($writes, 'SELECT * FROM jobs.bottlenecks(1)')->{message}, qr/run by writes/, 'its owner does');
like(error_of($reads, "SELECT * FROM jobs.bottlenecks(10, predicate => 'function:rules.trap')")->{detail}, qr/bad_predicate/, 'the model counts before the argument');
$db->run('UPDATE jobs.phase_type SET bottleneck_predicate = NULL');
like(error_of($reads, "SELECT * FROM jobs.bottlenecks(1, predicate => 'function:rules.trap')")->{message}, qr/run by reads/, 'who names a function runs it, with rights of one\'s own');
$db->run('REVOKE EXECUTE ON FUNCTION rules.is_any FROM PUBLIC');
my $error = error_of($reads, "SELECT * FROM jobs.bottlenecks(1, predicate => 'function:rules.is_any')");
is_deeply([ @$error{qw(sqlstate detail)} ], [ '42501', 'bad_predicate' ], 'without EXECUTE');
like($error->{hint}, qr/EXECUTE on it granted to role reads/, '  with a hint');
$error = error_of($reads, q{SELECT * FROM jobs.bottlenecks(1, predicate => 'function:"Odd ""schema"."is ""any"')});
is_deeply([ @$error{qw(sqlstate detail)} ], [ '42501', 'bad_predicate' ], 'without USAGE of its schema');

# It can be cancelled.
$db->run("CREATE FUNCTION rules.sleeps$arguments RETURNS bool LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN true; END'");
$db->start("SELECT * FROM jobs.bottlenecks(1, predicate => 'function:rules.sleeps')");
for (1 .. 1000)
{
	last if $super->value("SELECT count(*) FROM pg_stat_activity WHERE usename = 'keeper' AND wait_event = 'PgSleep'");
	select undef, undef, undef, 0.01;
}
$super->run("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'keeper'");
is($db->finish->{error}{sqlstate}, '57014', 'a predicate is cancelled');

# --- stragglers ------------------------------------------------------------------------------------------------------

# By the definition, in SQL.
my $stragglers = q{WITH d AS (SELECT p.*, extract(epoch FROM end_time - start_time)::float8 AS duration FROM jobs.phase AS p WHERE job_id = 20),
	m AS (SELECT parent_id, phase_type, percentile_cont(0.5) WITHIN GROUP (ORDER BY duration) AS median FROM d GROUP BY 1, 2)
	SELECT phase_id, parent_id, duration, median, duration / nullif(median, 0) FROM d JOIN m USING (parent_id, phase_type)
	WHERE duration - median > %s * median + 1e-9 * duration AND (%s) ORDER BY 1};
$db->run(<<'SQL');
INSERT INTO jobs.job (job_id, model) VALUES (20, E'p\\"1');
INSERT INTO jobs.phase SELECT 20, 1, NULL, 'Job', '', t, t + interval '1000 s' FROM (VALUES (timestamptz '2026-01-01 UTC')) AS v (t);
INSERT INTO jobs.phase SELECT 20, 1 + i, 1, 'Step', i::text, t, t + i * interval '10 s' FROM generate_series(1, 9) AS i, (VALUES (timestamptz '2026-01-01 UTC')) AS v (t);
INSERT INTO jobs.phase SELECT 20, 100 * s + w, 1 + s, E'Work\té', w::text, t, t + CASE s WHEN 9 THEN (w - 6) % 2 * (w - 6) ELSE (s * w * w * 7919) % 97 END * interval '1 s'
	FROM generate_series(1, 9) AS s, generate_series(1, 1 + s) AS w, (VALUES (timestamptz '2026-01-01 UTC')) AS v (t) WHERE s < 9 OR w >= 6;
INSERT INTO jobs.phase SELECT 20, 1000 + w, 2, E'Work\té', 'x' || w, t, t + CASE w WHEN 3 THEN interval '1.1 s' WHEN 4 THEN interval '1.1001 s' ELSE interval '1 s' END
	FROM generate_series(1, 8) AS w, (VALUES (timestamptz '2026-01-01 UTC')) AS v (t);
DELETE FROM jobs.phase WHERE job_id = 20 AND phase_id IN (101, 102);
SQL
for my $case ([ '20', '0.1', 'true' ], [ "20, 'Step'", '0.1', "phase_type = 'Step'" ], [ "20, threshold => 0", '0', 'true' ], [ qq{20, E'Work\té', 0.5}, '0.5', qq{phase_type = E'Work\té'} ], [ '20, threshold => 1e300', '1e300', 'true' ])
{
	my $rows = $db->rows(sprintf $stragglers, @$case[ 1, 2 ]);
	is_deeply($db->rows("SELECT * FROM jobs.stragglers($case->[0]) ORDER BY 1"), $rows, "stragglers($case->[0]): " . @$rows . ' rows');
}
is($db->value("SELECT string_agg(phase_id::text, ' ') FROM jobs.stragglers(20) WHERE group_phase_id = 2"), '1004', 'exactly ten percent are not more than that');
is($db->value("SELECT count(*) FROM jobs.stragglers(20) WHERE group_phase_id = 10 AND ratio IS NULL AND median = 0"), $db->value("SELECT count(*) FROM jobs.phase WHERE job_id = 20 AND parent_id = 10 AND end_time > start_time"), 'a median of nothing');
is($db->sqlstate("SELECT * FROM jobs.stragglers($_)"), '22023', "refused: $_") for "20, 'Nothing'", '20, threshold => -0.1', "20, threshold => 'NaN'", "20, threshold => 'inf'", '99';
is($db->sqlstate("SELECT * FROM jobs.stragglers($_)"), '22004', "refused: $_") for 'NULL', '20, threshold => NULL';

$_->close for $db, $reads, $writes, $super;
$node->stop;
done_testing();
