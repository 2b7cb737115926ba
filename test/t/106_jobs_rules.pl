# What users add to the analysis of jobs, and what compares jobs: predicates that are functions (how they are found, with whose
# rights they run, how often they are called), issue rules of three functions, stragglers, differences between two jobs.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

use lib $FindBin::RealBin;
use GoldenJobs;
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

# A fraction of the subphases is counted in whole ones: 7 of 100 are 0.07 of them, though 0.07 * 100 is more than 7 in binary.
is($db->value("SELECT jobs.predicate_holds('at_least:$_->[0]', array_fill('A'::text, ARRAY[$_->[1]]), array_fill(true, ARRAY[$_->[2]]) || array_fill(false, ARRAY[$_->[1] - $_->[2]]))"),
	$_->[3], "$_->[2] of $_->[1]: at_least:$_->[0]") for [ 0.07, 100, 7, 't' ], [ 0.07, 100, 6, 'f' ], [ 0.3, 10, 3, 't' ], [ 0.3, 10, 2, 'f' ], [ 0.3, 7, 2, 'f' ], [ 1, 3, 3, 't' ];

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
# Nor is a thousandth, which 1047000 * (1 + 0.001) in binary is less than; a microsecond more is.
$db->run(q{INSERT INTO jobs.job (job_id, model) VALUES (21, E'p\\\\"1');
	INSERT INTO jobs.phase SELECT 21, i, nullif(1, i), CASE i WHEN 1 THEN 'Job' ELSE 'Step' END, i::text, t, t + d * interval '1 us'
	FROM (VALUES (1, 9e6), (2, 1047000), (3, 1047000), (4, 1047000), (5, 1048047), (6, 1048048)) AS v (i, d), (VALUES (timestamptz '2026-01-01 UTC')) AS w (t)});
is($db->value("SELECT string_agg(phase_id::text, ' ') FROM jobs.stragglers(21, threshold => 0.001)"), '6', 'whatever binary numbers make of it');
is($db->value("SELECT count(*) FROM jobs.stragglers(20) WHERE group_phase_id = 10 AND ratio IS NULL AND median = 0"), $db->value("SELECT count(*) FROM jobs.phase WHERE job_id = 20 AND parent_id = 10 AND end_time > start_time"), 'a median of nothing');
is($db->sqlstate("SELECT * FROM jobs.stragglers($_)"), '22023', "refused: $_") for "20, 'Nothing'", '20, threshold => -0.1', "20, threshold => 'NaN'", "20, threshold => 'inf'", '99';
is($db->sqlstate("SELECT * FROM jobs.stragglers($_)"), '22004', "refused: $_") for 'NULL', '20, threshold => NULL';

# --- issue rules -----------------------------------------------------------------------------------------------------

# Both built-in rules written again find what these do, in all golden jobs.
$db->run(slurp_file("$FindBin::RealBin/jobs_rules.sql"));
$db->run('DELETE FROM jobs.issue_rule; SET search_path = rules, public');
for my $rule (qw(bottleneck imbalance))
{
	$db->run("INSERT INTO jobs.issue_rule VALUES ('my $rule', '${rule}_leaf(bigint,bigint)', 'rules.${rule}_composite(bigint, int8, jsonb)', '${rule}_extract(bigint,bigint,jsonb)'::regprocedure)");
}
$db->run('RESET search_path');
is_deeply($db->rows("SELECT * FROM jobs.issue_rule WHERE rule = 'my imbalance'"), [ [ 'my imbalance', 'rules.imbalance_leaf(bigint,bigint)', 'rules.imbalance_composite(bigint,bigint,pg_catalog.jsonb)', 'rules.imbalance_extract(bigint,bigint,pg_catalog.jsonb)' ] ],
	'functions are stored with their schemas');
is($db->value("SELECT pg_typeof(leaf) || ' ' || leaf FROM jobs.issue_rule_function WHERE rule = 'my bottleneck'"), 'regprocedure rules.bottleneck_leaf(bigint,bigint)', 'and shown as what they are');
$db->run(q{SELECT setval('jobs.job_job_id_seq', 1000); SET search_path = jobs, public; SET extra_float_digits = 1});
my @golden = GoldenJobs::load_folder($db, $ENV{GOLDEN_JOBS_DIR} // "$FindBin::RealBin/../data/golden/jobs");
$db->run('RESET search_path');
cmp_ok(scalar @golden, '>', 30, 'golden jobs');
my %rows;
for my $job (@golden)
{
	my ($name, $id) = @$job;
	$db->run("CREATE TEMP TABLE found AS SELECT * FROM jobs.performance_issues($id)");
	my $apart = $db->rows(q{SELECT phase_id, source, a.estimated_impact, b.estimated_impact, a.issue FROM (SELECT * FROM found WHERE issue !~ '^my') AS a
		FULL JOIN (SELECT *, substr(issue, 4) AS built_in FROM found WHERE issue ~ '^my') AS b USING (phase_id, source)
		WHERE (a.issue = b.built_in) IS NOT TRUE OR abs(a.estimated_impact - b.estimated_impact) > 1e-9 * (1 + a.estimated_impact) OR a.relative_impact IS DISTINCT FROM b.relative_impact AND abs(a.relative_impact / b.relative_impact - 1) > 1e-9});
	is_deeply($apart, [], "$name: both rules in SQL find the same");
	is($db->value(q{SELECT count(*) FROM (SELECT rank, row_number() OVER (PARTITION BY phase_id ORDER BY round(estimated_impact * 1e6) DESC, issue COLLATE "C", source COLLATE "C") AS expected FROM found) AS r WHERE rank <> expected}), '0', "$name: all are ranked together");
	$rows{ $_->[0] } += $_->[1] for @{ $db->rows('SELECT issue, count(*) FROM found GROUP BY 1') };
	$db->run('DROP TABLE found');
}
cmp_ok($rows{$_} // 0, '>', 50, "there are issues: $_ ($rows{$_})") for 'bottleneck', 'imbalance', 'my bottleneck', 'my imbalance';

# A rule sees each phase once, the parts before the whole, and the records of the parts in their order.
$db->run(<<'SQL');
DELETE FROM jobs.issue_rule;
CREATE TABLE rules.seen (n int GENERATED ALWAYS AS IDENTITY, what text, phase bigint, records jsonb);
CREATE FUNCTION rules.see_leaf(bigint, bigint) RETURNS jsonb LANGUAGE sql AS $$ INSERT INTO rules.seen (what, phase) VALUES ('leaf', $2); SELECT CASE $2 WHEN 5 THEN NULL ELSE jsonb_build_array($2, '{"a": [1, {}]}'::jsonb) END $$;
CREATE FUNCTION rules.see_composite(bigint, bigint, jsonb) RETURNS jsonb LANGUAGE sql AS $$ INSERT INTO rules.seen (what, phase, records) VALUES ('composite', $2, $3); SELECT jsonb_build_array(-$2) $$;
CREATE FUNCTION rules.see_extract(bigint, bigint, jsonb, OUT what name, OUT cost numeric) RETURNS SETOF record LANGUAGE sql AS $$
	INSERT INTO rules.seen (what, phase, records) VALUES ('extract', $2, $3);
	SELECT v.* FROM (VALUES ('twice'::name, 2.5), ('twice', 2.5), ('nothing', 0), ('less', -1)) AS v WHERE $2 = 1 $$;
INSERT INTO jobs.issue_rule VALUES ('aaa', 'rules.see_leaf(bigint,bigint)', 'rules.see_composite(bigint,bigint,jsonb)', 'rules.see_extract(bigint,bigint,jsonb)');
SQL
is_deeply($db->rows("SELECT * FROM jobs.performance_issues(1) WHERE issue = 'aaa'" =~ s/\*/phase_id, source, estimated_impact, relative_impact/r), [ [ 1, 'twice', '2.5', '0.025' ], [ 1, 'twice', '2.5', '0.025' ] ], 'rows of other types, columns by place, only what costs something');
is($db->value("SELECT string_agg(phase || CASE WHEN records IS NULL THEN '' ELSE records::text END, ' ' ORDER BY phase) FROM rules.seen WHERE what <> 'extract'"),
	'1[2, {"a": [1, {}]}, -3, -4] 2 3[6, {"a": [1, {}]}] 4[7, {"a": [1, {}]}] 5 6 7', 'records');
is($db->value("SELECT count(*) || ' ' || count(DISTINCT phase) FROM rules.seen WHERE what = 'extract'"), '7 7', 'each phase is looked at once');
is($db->value('SELECT records FROM rules.seen WHERE what = $$extract$$ AND phase = 5'), '[]', 'without records, too');
is($db->value('SELECT count(*) FROM rules.seen AS c JOIN jobs.phase AS p ON p.job_id = 1 AND p.phase_id = c.phase JOIN rules.seen AS w ON w.phase = p.parent_id WHERE c.n > w.n'), '0', 'parts come before the whole');

# What goes wrong.
my $warning = $db->query("UPDATE jobs.issue_rule SET leaf = 'rules.nobody(bigint,bigint)'");
is($warning->{notices}[0]{sqlstate}, '42883', 'a warning for a function that does not exist');
$error = error_of($db, 'SELECT * FROM jobs.performance_issues(1)');
is("$error->{sqlstate} $error->{message}", '42883 function rules.nobody(bigint,bigint) does not exist', 'and an error when it is needed');
is($db->value('SELECT count(*) FROM jobs.issue_rule_function WHERE leaf IS NULL'), '1', 'the view says so');
is($db->sqlstate('SELECT * FROM jobs.bottleneck_issues(1), jobs.imbalance_issues(1)'), 'no error', 'other analyses go on');
$db->run(<<'SQL');
CREATE FUNCTION rules.scalar(bigint, bigint) RETURNS jsonb LANGUAGE sql AS $$ SELECT '1'::jsonb $$;
CREATE FUNCTION rules.object(bigint, bigint) RETURNS jsonb LANGUAGE sql AS $$ SELECT '{}'::jsonb $$;
CREATE FUNCTION rules.json(bigint, bigint) RETURNS json LANGUAGE sql AS $$ SELECT '[]'::json $$;
CREATE FUNCTION rules.good(bigint, bigint) RETURNS jsonb LANGUAGE sql AS $$ SELECT NULL::jsonb $$;
CREATE FUNCTION rules.null_source(bigint, bigint, jsonb) RETURNS TABLE (s text, i float8) LANGUAGE sql AS $$ SELECT NULL::text, 1::float8 $$;
CREATE FUNCTION rules.null_impact(bigint, bigint, jsonb) RETURNS TABLE (s text, i float8) LANGUAGE sql AS $$ SELECT 'x', NULL::float8 $$;
CREATE FUNCTION rules.nan(bigint, bigint, jsonb) RETURNS TABLE (s text, i float8) LANGUAGE sql AS $$ SELECT 'x', 'NaN'::float8 $$;
CREATE FUNCTION rules.words(bigint, bigint, jsonb) RETURNS TABLE (s text, i text) LANGUAGE sql AS $$ SELECT 'x', 'much' $$;
CREATE FUNCTION rules.again(bigint, bigint, jsonb) RETURNS TABLE (s text, i float8) LANGUAGE sql AS $$ SELECT source, estimated_impact FROM jobs.performance_issues($1) $$;
CREATE FUNCTION rules.slow(bigint, bigint) RETURNS jsonb LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(60); RETURN '[]'; END $$;
SQL
for my $case ([ leaf => 'scalar(bigint,bigint)', '22023', 'no array' ], [ leaf => 'object(bigint,bigint)', '22023', 'no array' ], [ leaf => 'json(bigint,bigint)', '22023', 'returns json, not jsonb' ], [ leaf => 'see_composite(bigint,bigint,jsonb)', '22023', 'other arguments' ],
	[ composite => 'see_leaf(bigint,bigint)', '22023', 'other arguments' ], [ extract => 'null_source(bigint,bigint,jsonb)', '22023', 'without a source' ], [ extract => 'null_impact(bigint,bigint,jsonb)', '22023', 'finite impact' ],
	[ extract => 'nan(bigint,bigint,jsonb)', '22023', 'finite impact' ], [ extract => 'words(bigint,bigint,jsonb)', '22P02', 'much' ], [ extract => 'again(bigint,bigint,jsonb)', '54001', 'stack depth' ])
{
	my ($column, $function, $state, $message) = @$case;
	$db->run("UPDATE jobs.issue_rule SET leaf = 'rules.good(bigint,bigint)', composite = 'rules.see_composite(bigint,bigint,jsonb)', extract = 'rules.see_extract(bigint,bigint,jsonb)'; UPDATE jobs.issue_rule SET $column = 'rules.$function'");
	$error = error_of($db, 'SELECT * FROM jobs.performance_issues(1)');
	is($error->{sqlstate}, $state, "refused: $function");
	like($error->{message}, qr/\Q$message/, "  $error->{message}");
}
is($db->sqlstate("INSERT INTO jobs.issue_rule SELECT '$_', leaf, composite, extract FROM jobs.issue_rule"), '23514', "no rule $_") for '', 'bottleneck', 'imbalance';
is($db->sqlstate("UPDATE jobs.issue_rule SET leaf = '$_'"), '22P02', "no name of a function: $_") for 'no function at all', '-', '1242', 'f', 'f(', 'f(bigint,';
is($db->sqlstate("UPDATE jobs.issue_rule SET leaf = 'a.b.c.d(bigint)'"), '42601', '... nor with too many dots');
is($db->sqlstate('SELECT jobs.name_rule_functions()'), '39P01', 'the trigger is no function to call');
is($db->sqlstate('CREATE TEMP TABLE other (leaf text); CREATE TRIGGER t AFTER INSERT ON other FOR EACH ROW EXECUTE FUNCTION jobs.name_rule_functions(); INSERT INTO other VALUES (1)'), '39P01', 'nor for other triggers');

# Rights: it runs as whoever asks, who needs EXECUTE; whose function it is counts.
$db->run("CREATE FUNCTION rules.me(bigint, bigint, jsonb) RETURNS TABLE (s text, i float8) LANGUAGE sql AS 'SELECT current_user::text, 1'");
$db->run("UPDATE jobs.issue_rule SET leaf = 'rules.good(bigint,bigint)', composite = 'rules.see_composite(bigint,bigint,jsonb)', extract = 'rules.me(bigint,bigint,jsonb)'; GRANT INSERT ON rules.seen TO reads, writes");
is($reads->value("SELECT DISTINCT source FROM jobs.performance_issues(1) WHERE issue = 'aaa'"), 'reads', 'with the rights of the caller');
for my $function ('good(bigint, bigint)', 'see_composite(bigint, bigint, jsonb)', 'me(bigint, bigint, jsonb)')
{
	$db->run("REVOKE EXECUTE ON FUNCTION rules.$function FROM PUBLIC");
	is($reads->sqlstate('SELECT * FROM jobs.performance_issues(1)'), '42501', "without EXECUTE on $function");
	$db->run("GRANT EXECUTE ON FUNCTION rules.$function TO PUBLIC");
}
is($reads->sqlstate($_), '42501', "a reader may not: $_") for "INSERT INTO jobs.issue_rule VALUES ('x', 'a', 'b', 'c')", 'DELETE FROM jobs.issue_rule';
$writes->run("CREATE FUNCTION rules.mine(bigint, bigint, jsonb) RETURNS TABLE (s text, i float8) LANGUAGE sql AS 'SELECT current_user::text, 1'; UPDATE jobs.issue_rule SET extract = 'rules.mine(bigint,bigint,jsonb)'");
for my $who ([ keeper => $db ], [ reads => $reads ])
{
	$error = error_of($who->[1], 'SELECT * FROM jobs.performance_issues(1)');
	like("$error->{sqlstate} $error->{message}", qr/^42501 function rules\.mine belongs to role "writes"/, "$who->[0] does not run what somebody wrote into the table");
}
is($writes->value("SELECT DISTINCT source FROM jobs.performance_issues(1) WHERE issue = 'aaa'"), 'writes', 'its owner does');
$db->run("UPDATE jobs.issue_rule SET leaf = 'rules.slow(bigint,bigint)', extract = 'rules.me(bigint,bigint,jsonb)'");
$db->start('SELECT * FROM jobs.performance_issues(1)');
for (1 .. 1000)
{
	last if $super->value("SELECT count(*) FROM pg_stat_activity WHERE usename = 'keeper' AND wait_event = 'PgSleep'");
	select undef, undef, undef, 0.01;
}
$super->run("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'keeper'");
is($db->finish->{error}{sqlstate}, '57014', 'a rule is cancelled');
$db->run('DELETE FROM jobs.issue_rule');
is($db->value("SELECT count(*) FROM jobs.performance_issues(1) WHERE issue NOT IN ('bottleneck', 'imbalance')"), '0', 'without rules there are the two built-in ones');

# --- two jobs --------------------------------------------------------------------------------------------------------

# By the definition, from other functions than compare_jobs() uses.
sub measures
{
	my ($job, $options) = @_;
	my $common = "$job, $options";
	return "SELECT phase_type, NULL AS resource_type, 'duration' AS measure, sum(extract(epoch FROM end_time - start_time)::float8) AS value FROM jobs.phase WHERE job_id = $job GROUP BY 1
		UNION ALL SELECT phase_type, NULL, 'phases', count(*) FROM jobs.phase WHERE job_id = $job GROUP BY 1
		UNION ALL SELECT p.phase_type, r.resource_type, 'consumption', sum(c.consumption) FROM jobs.phase_consumption($common) AS c JOIN jobs.phase AS p ON p.job_id = $job AND p.phase_id = c.phase_id JOIN jobs.resource AS r ON r.job_id = $job AND r.resource_id = c.resource_id GROUP BY 1, 2
		UNION ALL SELECT p.phase_type, b.resource_type, 'bottleneck_time', sum(extract(epoch FROM b.end_time - b.start_time)::float8) FROM jobs.bottlenecks($common) AS b JOIN jobs.phase AS p ON p.job_id = $job AND p.phase_id = b.phase_id GROUP BY 1, 2
		UNION ALL SELECT i.phase_type, NULL, 'imbalance', i.estimated_impact FROM jobs.imbalance_issues($common) AS i JOIN jobs.phase AS p ON p.job_id = $job AND p.phase_id = i.phase_id WHERE p.parent_id IS NULL";
}

# Two jobs of one model, and golden ones of different models.
$db->run("UPDATE jobs.phase SET end_time = end_time + interval '7 s' WHERE job_id = 2 AND phase_id IN (1, 4, 7); UPDATE jobs.usage_measurement SET usage = usage / 2 WHERE job_id = 2");
my @pairs = ([ 1, 2 ], [ 2, 1 ], [ 1, 1 ], [ 1, 20 ], map { [ map { $_->[1] } @golden[ $_, $_ + 1 ] ] } 0 .. $#golden - 1);
my %found;
for my $pair (@pairs)
{
	my ($baseline, $target) = @$pair;
	for my $options ("predicate => 'any'", "delta => 0.5, predicate => 'majority', use_blocking => false")
	{
		my $wrong = $db->rows("WITH b AS (" . measures($baseline, $options) . '), t AS (' . measures($target, $options) . qq{),
			e AS (SELECT phase_type, coalesce(resource_type, '') AS resource_type, measure, sum(b) AS b, sum(t) AS t FROM (SELECT phase_type, resource_type, measure, value AS b, 0 AS t FROM b UNION ALL SELECT phase_type, resource_type, measure, 0, value FROM t) AS u GROUP BY 1, 2, 3),
			c AS (SELECT *, coalesce(resource_type, '') AS key FROM jobs.compare_jobs($baseline, $target, $options))
			SELECT * FROM e FULL JOIN c ON c.phase_type = e.phase_type AND c.key = e.resource_type AND c.measure = e.measure
			WHERE abs(coalesce(e.b, 0) - c.baseline) > 1e-9 * (1 + c.baseline) OR abs(coalesce(e.t, 0) - c.target) > 1e-9 * (1 + c.target)
				OR c.phase_type IS NULL OR e.phase_type IS NULL AND (c.baseline > 0 OR c.target > 0)
				OR c.delta <> c.target - c.baseline OR c.relative IS DISTINCT FROM c.delta / nullif(c.baseline, 0)});
		is_deeply($wrong, [], "compare_jobs($baseline, $target, $options)");
		my $issues = sub { "SELECT p.phase_type, i.issue, i.source, sum(i.estimated_impact) AS impact FROM jobs.performance_issues($_[0], $options) AS i JOIN jobs.phase AS p USING (phase_id) WHERE p.job_id = $_[0] GROUP BY 1, 2, 3" };
		$wrong = $db->rows('WITH b AS (' . $issues->($baseline) . '), t AS (' . $issues->($target) . qq{), c AS (SELECT * FROM jobs.compare_issues($baseline, $target, $options))
			SELECT * FROM (b FULL JOIN t USING (phase_type, issue, source)) FULL JOIN c USING (phase_type, issue, source)
			WHERE c.change IS DISTINCT FROM CASE WHEN b.impact IS NULL THEN 'new' WHEN t.impact IS NULL THEN 'gone' WHEN abs(t.impact - b.impact) < 5e-7 THEN NULL WHEN t.impact > b.impact THEN 'grown' ELSE 'shrunk' END
				OR c.baseline <> coalesce(b.impact, 0) OR c.target <> coalesce(t.impact, 0) OR c.delta <> c.target - c.baseline OR c.relative IS DISTINCT FROM c.delta / b.impact});
		is_deeply($wrong, [], "compare_issues($baseline, $target, $options)");
		$found{ $_->[0] } += $_->[1] for @{ $db->rows("SELECT change, count(*) FROM jobs.compare_issues($baseline, $target, $options) GROUP BY 1") };
	}
}
cmp_ok($found{$_} // 0, '>', 10, "issues that are $_") for qw(new gone grown shrunk);
is($db->value('SELECT count(*) FROM jobs.compare_issues(1, 1)'), '0', 'a job has the issues that it has');
is($db->value("SELECT baseline || ' ' || target || ' ' || delta || ' ' || relative FROM jobs.compare_jobs(1, 2) WHERE phase_type = 'Job' AND measure = 'duration'"), '100 107 7 0.07', 'a job that takes seven seconds more');
is($db->sqlstate("SELECT * FROM jobs.$_"), '22023', "refused: $_") for 'compare_jobs(1, 99)', 'compare_jobs(99, 1)', 'compare_issues(1, 99)', "compare_jobs(1, 2, predicate => 'most')";
is($db->sqlstate("SELECT * FROM jobs.$_"), '22004', "refused: $_") for 'compare_jobs(1, NULL)', 'compare_issues(NULL, 1)';
is($reads->sqlstate('SELECT * FROM jobs.compare_jobs(1, 2), jobs.compare_issues(1, 2), jobs.stragglers(1)'), 'no error', 'a reader compares');
$db->run("SELECT jobs.revoke_access('reads')");
is($reads->sqlstate("SELECT * FROM jobs.$_(1, 2)"), '42501', "others do not: $_") for qw(compare_jobs compare_issues);

$_->close for $db, $reads, $writes, $super;
$node->stop;
done_testing();
