# Jobs as profiles. job_profile() of every golden job is what SQL adds up over phases from the functions that say when a leaf
# lives, waits, uses and is limited; totals are those of the root; names that no frame may have, arguments that do not fit,
# rights; and profiles of jobs go through what takes profiles. publish() puts them into the store: where, as what, once, by whom.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use GoldenJobs;
use Jobs;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\njit = off\ntimezone = 'UTC'\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
$db->run('CREATE EXTENSION flamegraph_jobs CASCADE; SET extra_float_digits = 1; SET search_path = jobs, public');
my @jobs = GoldenJobs::load_folder($db, $ENV{GOLDEN_JOBS_DIR} // "$FindBin::RealBin/../data/golden/jobs");
cmp_ok(scalar @jobs, '>', 30, 'there are golden jobs');

# --- the profile of a job is a sum over its leaves ---------------------------------------------------------------------

my $seconds = 'extract(epoch FROM x.end_time - x.start_time)::float8';
my $of_type = 'JOIN resource AS r ON r.job_id = {j} AND r.resource_id = x.resource_id AND r.resource_type = {t}';
# The length of the union of intervals.
my $united = q{(SELECT sum(extract(epoch FROM upper(u) - lower(u))::float8)
	FROM unnest(range_agg(tstzrange(x.start_time, x.end_time))) AS u)};
# By measure: the classes of the types it is asked of ('': none), and its value by leaf. {j}: the job, {t}: the type, {o}: options.
my %oracle = (
	time => [ [''], 'SELECT x.phase_id, x.duration AS v FROM bottleneck_durations({j}{o}) AS x WHERE x.resource_type IS NULL' ],
	usage => [ ['consumable'], "SELECT x.phase_id, sum(x.usage * $seconds) AS v FROM attribute_usage({j}{o}) AS x $of_type GROUP BY 1" ],
	available => [ ['consumable'], "SELECT x.phase_id, sum(x.available_capacity * $seconds) AS v FROM attribute_usage({j}{o}) AS x $of_type GROUP BY 1" ],
	waiting => [ [ '', 'blocking' ], "SELECT x.phase_id, $united AS v FROM blocked_intervals({j}{o}) AS x JOIN resource AS r ON r.job_id = {j}
		AND r.resource_id = x.resource_id AND coalesce(r.resource_type = {t}, true) GROUP BY 1" ],
	bottleneck => [ [ '', 'consumable', 'blocking' ], "SELECT x.phase_id, $united AS v FROM bottlenecks({j}{o}) AS x
		WHERE coalesce(x.resource_type = {t}, true) GROUP BY 1" ]);
my $differ = q{
WITH RECURSIVE tree AS (
	SELECT phase_id, ARRAY[frame] AS stack FROM named WHERE parent_id IS NULL
	UNION ALL SELECT p.phase_id, t.stack || p.frame FROM named AS p JOIN tree AS t ON p.parent_id = t.phase_id),
named AS MATERIALIZED (SELECT p.phase_id, p.parent_id, translate(p.phase_type || CASE WHEN {i} AND p.instance <> '' THEN ':' || p.instance
	ELSE '' END, E'\r\n', '  ') AS frame FROM phase AS p WHERE p.job_id = {j}),
expected AS (SELECT t.stack, sum(v.v) AS v FROM tree AS t JOIN ({values}) AS v USING (phase_id)
	WHERE NOT EXISTS (SELECT FROM named AS c WHERE c.parent_id = t.phase_id) GROUP BY 1),
got AS (SELECT frames(s.stack) AS stack, s.value AS v FROM stacks(job_profile({j}, {m}, {t}, {i}{o})) AS s)
SELECT {m}, {t}, stack, e.v, g.v FROM expected AS e FULL JOIN got AS g USING (stack)
WHERE abs(coalesce(e.v, 0) - coalesce(g.v, 0)) > 1e-9 * greatest(1, abs(e.v), abs(g.v)) LIMIT 1};

sub differences
{
	my ($job, $options, $instances) = @_;
	my @found;
	my $types = $db->rows("SELECT t.class, t.resource_type FROM resource_type AS t JOIN job AS j USING (model) WHERE j.job_id = $job");
	for my $measure (sort keys %oracle)
	{
		my ($classes, $values) = @{ $oracle{$measure} };
		my @types = map { my $class = $_; $class eq '' ? 'NULL::text' : map { Wire::literal($_->[1]) } grep { ($_->[0] // '') eq $class } @$types } @$classes;
		for my $type (@types)
		{
			my %with = (j => $job, t => $type, o => $options, i => $instances, m => "'$measure'", values => $values);
			my $sql = $differ;
			1 while $sql =~ s/\{(\w+)\}/$with{$1}/g;
			my $result = $db->query($sql);
			push @found, $result->{error} ? $result->{error}{message} : map { join ' ', map { $_ // 'null' } @$_ } @{ $result->{rows} };
		}
	}
	return join "\n", @found;
}

for my $job (@jobs)
{
	my ($name, $id) = @$job;
	is(differences($id, '', 'false'), '', "$name: values are sums over leaves");
	is(differences($id, q(, slice => '0.7 s', use_blocking => false, delta => 0.5), 'true'), '', "$name: of instances, with options");
}

my $ids = join ', ', map { $_->[1] } @jobs;
is_deeply($db->rows(qq{
	SELECT j.job_id, t.resource_type FROM job AS j JOIN resource_type AS t USING (model),
		LATERAL (SELECT coalesce(sum(c.consumption), 0) AS used, coalesce(sum(c.available), 0) AS available
			FROM phase_consumption(j.job_id) AS c JOIN phase AS p ON p.job_id = j.job_id AND p.phase_id = c.phase_id
				JOIN resource AS r ON r.job_id = j.job_id AND r.resource_id = c.resource_id
			WHERE p.parent_id IS NULL AND r.resource_type = t.resource_type) AS c
	WHERE t.class = 'consumable' AND j.job_id IN ($ids)
		AND (abs(total(job_profile(j.job_id, 'usage', t.resource_type)) - c.used) > 1e-9 * (1 + c.used)
			OR abs(total(job_profile(j.job_id, 'available', t.resource_type)) - c.available) > 1e-9 * (1 + c.available))}), [], 'the total is the consumption of the root');
is_deeply($db->rows(qq{
	SELECT j.job_id FROM job AS j WHERE j.job_id IN ($ids) AND (total(job_profile(j.job_id, 'bottleneck')) > total(job_profile(j.job_id)) * (1 + 1e-12)
		OR total(job_profile(j.job_id, 'waiting')) > total(job_profile(j.job_id, 'bottleneck')) * (1 + 1e-12))}), [], 'who waits is limited, who is limited lives');

# --- names --------------------------------------------------------------------------------------------------------------

$db->run(<<'SQL');
INSERT INTO platform_model VALUES ('hostile');
INSERT INTO phase_type (model, phase_type, parent_type, repeat) VALUES ('hostile', E'a;b\\', NULL, 'once'),
	('hostile', E'</title><script>\u202e', E'a;b\\', 'concurrent'), ('hostile', E'two\r\nlines', E'a;b\\', 'concurrent');
INSERT INTO job (job_id, model, name) VALUES (900, 'hostile', 'hostile');
INSERT INTO phase VALUES (900, 1, NULL, E'a;b\\', ';', '2026-01-01', '2026-01-01 00:01'), (900, 2, 1, E'</title><script>\u202e', E'x\ny', '2026-01-01', '2026-01-01 00:00:10'),
	(900, 3, 1, E'two\r\nlines', '', '2026-01-01', '2026-01-01 00:00:01.5'), (900, 4, 1, E'two\r\nlines', '2', '2026-01-01', '2026-01-01');
SQL
is($db->value('SELECT job_profile(900)::text'), "a\\;b\\\\;</title><script>\x{e2}\x{80}\x{ae} 10\na\\;b\\\\;two  lines 1.5", 'hostile names');
is($db->value('SELECT job_profile(900, instances => true)::text'), "a\\;b\\:\\;;</title><script>\x{e2}\x{80}\x{ae}:x y 10\na\\;b\\:\\;;two  lines 1.5", 'hostile instances');
is(differences(900, '', 'true'), '', 'the oracle agrees');

# --- arguments ----------------------------------------------------------------------------------------------------------

my $example = $db->value("SELECT job_id FROM job WHERE name = 'thesis_worked_example'");
for my $wrong (
	[ "'times'", '22023', qr/^unrecognized measure "times"$/, qr/time, usage, available, waiting, bottleneck/ ],
	[ 'NULL', '22004', qr/"measure" must not be null/, qr/^$/ ],
	[ "'time', 'cpu'", '22023', qr/takes no resource type/, qr/Leave resource_type out/ ],
	[ "'usage'", '22023', qr/needs a resource type/, qr/consumable/ ],
	[ "'usage', 'lock'", '22023', qr/needs a consumable resource type/, qr/consumable/ ],
	[ "'available', ''", '22023', qr/has no resource type ""/, qr/jobs\.resource_type/ ],
	[ "'waiting', 'cpu'", '22023', qr/needs a blocking resource type/, qr/blocking resources only/ ],
	[ "'bottleneck', 'disk'", '22023', qr/has no resource type "disk"/, qr/jobs\.resource_type/ ],
	[ "'time', NULL, NULL", '22004', qr/"instances" must not be null/, qr/^$/ ],
	[ "delta => 0", '22023', qr/delta/, qr/./ ])
{
	my ($arguments, $state, $message, $hint) = @$wrong;
	my $error = $db->query("SELECT job_profile($example, $arguments)")->{error} // {};
	is($error->{sqlstate}, $state, "refused: $arguments");
	like($error->{message} // '', $message, '  what');
	like($error->{hint} // '', $hint, '  hint');
}
is($db->sqlstate('SELECT job_profile(NULL)'), '22004', 'no job');
is($db->sqlstate('SELECT job_profile(77777)'), '22023', 'a job that does not exist');
is($db->value("SELECT pg_typeof(job_profile($example))"), 'flamegraph', 'a value of type flamegraph');

# What takes profiles takes these.
is($db->value("SELECT count(*) FROM compare_profiles(ARRAY(SELECT job_profile($example) * f FROM unnest('{1,1.01,0.99}'::float8[]) AS f),
	ARRAY(SELECT job_profile($example) * f FROM unnest('{2,2.01,1.99}'::float8[]) AS f)) WHERE significant"), '5', 'compare_profiles');
like($db->value("SELECT flamegraph_svg(job_profile($example, 'bottleneck'))"), qr/^<\?xml|^<svg/, 'flamegraph_svg');

# --- into the store -------------------------------------------------------------------------------------------------------

$db->close;
my $super = Wire->connect($node, 'postgres');
$super->run("CREATE ROLE $_ LOGIN") for qw(keeper mallory loads_jobs loads_store reads_jobs publishes);
$super->run('CREATE DATABASE store OWNER keeper');
$db = Wire->connect($node, 'store', user => 'keeper');
$db->run("SET timezone = 'UTC'");
Jobs::create($db);
Jobs::fill($db);

# What there is in the store, and of jobs.
sub stored
{
	return '' if $db->value(q{SELECT to_regclass('profiling.profile') IS NULL}) eq 't';
	return join '|', @{ $db->row(q{SELECT (SELECT count(*) FROM profiling.profile), (SELECT count(*) FROM profiling.test_run),
		(SELECT count(*) FROM profiling.benchmark), (SELECT string_agg(j::text, ';') FROM jobs.job AS j)}) };
}

sub refused
{
	my ($connection, $call, $state, $message, $hint) = @_;
	my $before = stored();
	my $error = $connection->query("SELECT jobs.publish($call)")->{error} // {};
	is($error->{sqlstate} // 'no error', $state, "refused: $call");
	like($error->{message} // '', $message, '  what');
	like($error->{hint} // '', $hint, '  hint');
	is(stored(), $before, '  and nothing is half done');
	return;
}

# A schema of that name is no store.
$super->run('GRANT CREATE ON DATABASE store TO mallory');
my $mallory = Wire->connect($node, 'store', user => 'mallory');
$mallory->run("CREATE SCHEMA profiling; GRANT USAGE ON SCHEMA profiling TO PUBLIC; CREATE FUNCTION profiling.need_access(text, text) RETURNS void LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''trapped''; END'");
refused($db, '1', '0A000', qr/^there is no store to publish to$/, qr/CREATE EXTENSION flamegraph_store/);
$mallory->run('DROP SCHEMA profiling CASCADE');
$mallory->close;
$db->run('CREATE EXTENSION flamegraph_store');

# Who may: loaders of both.
$db->run("SELECT jobs.grant_access(r, 'loader') FROM unnest('{loads_jobs,publishes}'::name[]) AS r; SELECT jobs.grant_access(r, 'reader') FROM unnest('{reads_jobs,loads_store}'::name[]) AS r;
	SELECT profiling.grant_access(r, 'loader') FROM unnest('{loads_store,publishes}'::name[]) AS r; SELECT profiling.grant_access('reads_jobs', 'reader')");
my %as = map { $_ => Wire->connect($node, 'store', user => $_) } qw(mallory loads_jobs loads_store reads_jobs publishes);
refused($as{mallory}, '1', '42501', qr/permission denied for schema jobs/, qr/^$/);
refused($as{loads_jobs}, '1', '42501', qr/needs access "loader" to the store/, qr/profiling\.grant_access\('loads_jobs', 'loader'\)/);
refused($as{reads_jobs}, '1', '42501', qr/needs access "loader" to the store/, qr/profiling\.grant_access\('reads_jobs', 'loader'\)/);
refused($as{loads_store}, '1', '42501', qr/needs access "loader" to jobs/, qr/jobs\.grant_access\('loads_store', 'loader'\)/);
is($as{publishes}->sqlstate("UPDATE jobs.job SET name = 'x'"), '42501', 'a loader changes nothing else of a job');

# What is put there.
my $published = $as{publishes}->query('SELECT jobs.publish(1)');
is_deeply([ $published->{error}, $published->{notices} ], [ undef, [] ], 'published');
is($db->value('SELECT test_run_id FROM jobs.job WHERE job_id = 1'), $published->{rows}[0][0], 'the job says which run it is');
is_deeply($db->rows(<<'SQL'), [], 'the profiles are those of job_profile()');
SELECT p.event FROM (VALUES ('job-time', 'seconds', jobs.job_profile(1)), ('job-usage-cpu', 'cores x seconds', jobs.job_profile(1, 'usage', 'cpu')),
	('job-bottleneck-cpu', 'seconds', jobs.job_profile(1, 'bottleneck', 'cpu')), ('job-bottleneck-lock', 'seconds', jobs.job_profile(1, 'bottleneck', 'lock'))) AS v (event, unit, fg)
	FULL JOIN (profiling.profile AS p JOIN profiling.profile_data AS d USING (benchmark_id, profile_id)) ON p.event = v.event
WHERE (p.unit = v.unit AND d.flamegraph = v.fg AND p.metric = 100 AND p.metric_unit = 's' AND p.duration = '100 s' AND p.recorded_at = '2026-01-01 UTC' AND p.repetition = 0
	AND p.source = 'job 1') IS NOT TRUE
SQL
is_deeply($db->rows('SELECT suite, name, parameters, started_at, branch, commit, version, labels FROM profiling.benchmark, profiling.test_run'), [ [ 'p\\"1', 'first', '{}', '2026-01-01 00:00:00+00', '', '', '', '{"night": 1}' ] ], 'as what');
$published = $as{publishes}->query('SELECT jobs.publish(1)');
is_deeply([ $published->{error}, $published->{rows}, $published->{notices} ], [ undef, [ ['1'] ], [] ], 'once more');
is($db->value('SELECT count(*) FROM profiling.profile'), '4', 'is once');

# Names: arguments go before labels, labels before what the job is called.
$db->run(q{UPDATE jobs.job SET labels = '{"branch": "main", "commit": "abc", "version": "1.2", "benchmark": "b", "suite": "s", "parameters": {"n": 1}, "repetition": 3, "run_started_at": "2026-01-01 02:00 UTC", "host": "h"}' WHERE job_id = 2});
is($db->sqlstate('BEGIN; SELECT jobs.publish(2)'), 'no error', 'published by labels');
my $as_what = 'SELECT DISTINCT b.suite, b.name, b.parameters, t.started_at, t.branch, t.commit, t.version, t.labels, p.repetition FROM profiling.profile AS p JOIN profiling.benchmark AS b USING (benchmark_id) JOIN profiling.test_run AS t USING (test_run_id) WHERE p.source = \'job 2\'';
is_deeply($db->rows($as_what), [ [ 's', 'b', '{"n": 1}', '2026-01-01 02:00:00+00', 'main', 'abc', '1.2', '{"host": "h"}', '3' ] ], 'as the labels say');
$db->run('ROLLBACK');
is($db->sqlstate(q{BEGIN; SELECT jobs.publish(2, 'c', 't', '{}', '2026-01-02 UTC', 'dev', 'def', '', '{}', 0)}), 'no error', 'published by arguments');
is_deeply($db->rows($as_what), [ [ 't', 'c', '{}', '2026-01-02 00:00:00+00', 'dev', 'def', '', '{}', '0' ] ], 'as the arguments say');
$db->run('ROLLBACK');
$db->run(q{UPDATE jobs.job SET labels = '{"repetition": "two"}' WHERE job_id = 2});
refused($db, '2', '22023', qr/label "repetition" of job 2 is not a number/, qr/argument repetition/);
$db->run(q{UPDATE jobs.job SET labels = '{}' WHERE job_id = 2});

refused($db, '2, repetition => -1', '22023', qr/repetition must be from 0 to 999999999, not -1/, qr/from 0/);

# Another job of the same run.
refused($db, q(2, 'first', labels => '{"night": 1}', started_at => '2026-01-01 UTC'), '23505', qr/^job 1 is repetition 0 of run 1$/, qr/repetition => 1/);
is($db->value(q{SELECT jobs.publish(2, 'first', labels => '{"night": 1}', started_at => '2026-01-01 UTC', repetition => 1)}), '1', 'as its next repetition');
is($db->value('SELECT repetitions FROM profiling.rollup WHERE event = $$job-time$$'), '2', 'both are one run');
is($db->value('SELECT count(*) || $$/$$ || min(repetitions) FROM profiling.rollup'), '4/2', 'for all events, though their profiles are equal');
refused($db, q(2, 'first', repetition => 2), '23505', qr/^job 2 is repetition 1 of run 1$/, qr/number of its own/);
refused($db, q(2, 'first', commit => 'other', repetition => 1), '22023', qr/belongs to run 1 of the store, which has another commit/, qr/profiling\.delete_run\(1\)/);

# What has changed since.
$db->run("UPDATE jobs.phase SET end_time = end_time - interval '1 s' WHERE job_id = 2 AND phase_id = 7");
refused($db, q(2, 'first', repetition => 1), '23505', qr/job 2 was published before, and its profiles have changed since/, qr/profiling\.delete_run\(1\)/);
$db->run('SELECT profiling.delete_run(1)');
my $run = $db->value(q{SELECT jobs.publish(2, 'first', started_at => '2026-01-01 UTC', repetition => 1)});
is($db->value("SELECT string_agg(DISTINCT test_run_id::text, ' ') FROM profiling.profile"), $run, 'after the run was taken away it can be');
is($db->value('SELECT test_run_id FROM jobs.job WHERE job_id = 2'), $run, 'the job says so');

# Two sessions that ask for the same place of a run: the second one waits, and is told who has it.
for my $copy (3, 4)
{
	$db->run("INSERT INTO jobs.job (job_id, model, name) SELECT $copy, model, name FROM jobs.job WHERE job_id = 1;"
		. join ';', map { my ($table, $columns) = @$_; "INSERT INTO jobs.$table (job_id, $columns) SELECT $copy, $columns FROM jobs.$table WHERE job_id = 1" }
		[ phase => 'phase_id, parent_id, phase_type, instance, start_time, end_time' ], [ resource => 'resource_id, parent_id, resource_type, instance, capacity' ],
		[ phase_resource => 'phase_id, resource_id' ], [ usage_measurement => 'resource_id, start_time, end_time, usage' ],
		[ blocking_interval => 'resource_id, start_time, end_time' ]);
}
my $same = q('first', started_at => '2026-01-01 UTC', repetition => 9);
$db->run("BEGIN; SELECT jobs.publish(3, $same)");
$as{publishes}->start("SELECT jobs.publish(4, $same)");
ok($node->poll_query_until('store', "SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"), 'the same place: one waits');
$db->run('COMMIT');
my $late = $as{publishes}->finish;
is($late->{error}{sqlstate}, '23505', 'the same place: refused');
like($late->{error}{message}, qr/^job 3 is repetition 9 of run $run$/, 'the same place: and told');

# A job of a run that is in the store already.
$db->run(q{SELECT profiling.import_flamegraph('first', 'a 1', started_at => '2026-01-03 UTC', commit => 'c3', labels => '{"x": 1}'); UPDATE jobs.job SET test_run_id = (SELECT test_run_id FROM profiling.test_run WHERE commit = 'c3') WHERE job_id = 1});
is($db->value('SELECT jobs.publish(1)'), $db->value(q{SELECT test_run_id FROM profiling.test_run WHERE commit = 'c3'}), 'joins its run');
is($db->value(q{SELECT string_agg(DISTINCT event, ' ' ORDER BY event) FROM profiling.profile JOIN profiling.test_run USING (test_run_id) WHERE commit = 'c3'}), 'cpu job-bottleneck-cpu job-bottleneck-lock job-time job-usage-cpu', 'beside what is there');

# A number of a run that has come from another store: the job says what it is.
for my $label ([ commit => 'other' ], [ version => '9' ], [ branch => 'dev' ], [ run_started_at => '2026-01-04 UTC' ], [ x => '2' ])
{
	$db->run(qq(UPDATE jobs.job SET test_run_id = (SELECT test_run_id FROM profiling.test_run WHERE commit = 'c3'), labels = '{"$label->[0]": "$label->[1]"}' WHERE job_id = 3));
	refused($db, '3, repetition => 5', '22023', qr/^job 3 names run \d+ of the store, but its label "$label->[0]" is not that of the run$/, qr/SET test_run_id = NULL WHERE job_id = 3\b/);
}
$db->run(q(UPDATE jobs.job SET labels = '{"commit": "c3", "run_started_at": "2026-01-03 UTC", "night": 5}' WHERE job_id = 3));
is($db->value('SELECT jobs.publish(3, $$first$$, repetition => 5)'), $db->value(q{SELECT test_run_id FROM profiling.test_run WHERE commit = 'c3'}), 'labels that agree');

# A root that ends later, though no leaf does.
$db->run("UPDATE jobs.phase SET end_time = end_time + interval '100 s' WHERE job_id = 3 AND parent_id IS NULL");
refused($db, q(3, 'first', repetition => 5), '23505', qr/job 3 was published before, and its makespan has changed since/, qr/profiling\.delete_run\(\d+\)/);

# What is wrong with a job, and with arguments.
$db->run("UPDATE jobs.resource SET capacity = NULL WHERE job_id = 2 AND resource_id = 2");
refused($db, '2', '23514', qr/resource 2 of job 2/, qr/validate_job/);
refused($db, '77', '22023', qr/job 77 does not exist/, qr/jobs\.job/);
refused($db, 'NULL', '22004', qr/"job_id" must not be null/, qr/^$/);
refused($db, q(1, started_at => '2999-01-01'), '22023', qr/another started_at/, qr/delete_run/);

# The extension does not depend on the store.
is($db->sqlstate('DROP EXTENSION flamegraph_store'), 'no error', 'the store can go');
is($db->sqlstate('SELECT jobs.publish(1)'), '0A000', 'and is missed then');

$_->close for $db, values %as;
$super->close;
$node->stop;
done_testing();
