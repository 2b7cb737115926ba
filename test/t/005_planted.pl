# What somebody plants in a schema of the search path is never run and never bound: better-matching functions and operators,
# in the schema of flamegraph, in profiling and in jobs, before CREATE EXTENSION and after it.
#
# First an installed extension is asked which of its calls a planted function could win (test/t/Traps.pm). Then exactly these
# are planted, and all three extensions are created beside them: pg_depend shows what their bodies and views were bound to. Then
# more of them are planted in these schemas, the store works for some nights, and a job is looked at.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Jobs;
use Store;
use Traps;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'UTC'\n");
$node->start;
my @all = qw(flamegraph flamegraph_store flamegraph_jobs);

# --- the traps are set where they catch -------------------------------------------------------------------------------

my $control = Wire->connect($node, 'postgres');
$control->run("CREATE DATABASE $_") for qw(control clean planted);
$control = Wire->connect($node, 'control');
# An extension of one function that binds by a best match, as this test must be able to fail.
my $by_best_match = <<'SQL';
CREATE FUNCTION careless(x float8, names text[], o jsonb) RETURNS text LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
		SELECT concat_ws(' ', x / 2, nullif(x, 0), cardinality(names), count(x), o -> '"key"') FROM (VALUES (1)) AS v;
	END;
SQL
$control->run("CREATE EXTENSION flamegraph; $by_best_match ALTER EXTENSION flamegraph ADD FUNCTION careless");
my $caught = Traps::signatures($control, 'flamegraph');
my %caught = map { ("$_->{name}(" . join(', ', @{ $_->{args} }) . ')') => 1 } @$caught;
for my $signature ('concat_ws(text, double precision, double precision, integer, bigint, jsonb)', '/(double precision, integer)',
	'=(double precision, integer)', 'cardinality(text[])', 'count(double precision)', '->(jsonb, jsonb)')
{
	ok($caught{$signature}, "found as a call that could be captured: $signature") or note join "\n", sort keys %caught;
}
$control->run('ALTER EXTENSION flamegraph DROP FUNCTION public.careless(float8, text[], jsonb); DROP FUNCTION public.careless(float8, text[], jsonb)');
Traps::plant($control, 'public', $caught);
$control->run("SET search_path = public; $by_best_match");
cmp_ok(scalar @{ Traps::bound($control) }, '>=', 5, 'and captured, once planted') or note explain Traps::bound($control);

# --- before CREATE EXTENSION --------------------------------------------------------------------------------------------

my $clean = Wire->connect($node, 'clean');
Store::create($clean);
Jobs::create($clean);
my $traps = Traps::signatures($clean, @all);
cmp_ok(scalar @$traps, '>=', 100, 'calls in bodies, views, defaults and checks: ' . @$traps . ' signatures');

my $db = Wire->connect($node, 'planted');
# What has the very signature of one of its functions would make CREATE EXTENSION fail, for all to see.
my %own = map { $_->[0] => 1 } @{ $clean->rows(<<'SQL') };
SELECT proname || '(' || array_to_string(ARRAY(SELECT format_type(t, NULL) FROM unnest(proargtypes) WITH ORDINALITY AS u (t, n) ORDER BY n), ', ') || ')'
FROM pg_proc JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e' WHERE refobjid = (SELECT oid FROM pg_extension WHERE extname = 'flamegraph')
SQL
my $before = Traps::plant($db, 'public', [ grep { !$own{ "$_->{name}(" . join(', ', @{ $_->{args} }) . ')' } } @$traps ]);
note "$before planted before flamegraph";
$db->run('SET search_path = public; CREATE EXTENSION flamegraph');
is_deeply(Traps::bound($db), [], 'flamegraph is bound to nothing planted');
my $more = Traps::plant($db, 'public', $traps);
note "$more planted before flamegraph_store";
$db->run('SET search_path = public; CREATE EXTENSION flamegraph_store');
is_deeply(Traps::bound($db), [], 'flamegraph_store is bound to nothing planted');
$db->run('SET search_path = public; CREATE EXTENSION flamegraph_jobs');
is_deeply(Traps::bound($db), [], 'flamegraph_jobs is bound to nothing planted');
is(Traps::hits($db), 0, 'and nothing planted was run by the scripts');
$db->run('SET search_path = pg_catalog');
Jobs::fill($db);

# --- after it -------------------------------------------------------------------------------------------------------------

# What users do, bound before anything is planted in their own path: the test is about what happens inside.
$db->run('CREATE SCHEMA users; GRANT USAGE ON SCHEMA users TO PUBLIC; SET search_path = pg_catalog');
my @asked = (
	load => <<'SQL',
profiling.import_profile(benchmark => 'b' || b::text, data => convert_to(E'main;work ' || (100 + 3 * (night * (b + 2) % 7) + CASE WHEN night > 8 THEN 200 ELSE 0 END)::text
		|| E'\nmain;rest 50\nmain;gc ' || (10 + night % 3)::text || E'\nmain;io 7', 'UTF8'), format => 'folded', suite => 's', started_at => timestamptz '2026-01-01 UTC' + make_interval(days => night),
		commit => md5(night::text), metric => 1 + night % 3 + CASE WHEN night > 8 THEN 5 ELSE 0 END, metric_unit => 's', repetition => r, options => '{"max_depth": 64}')
	FROM generate_series(1, 2) AS b, generate_series(1, 10) AS night, generate_series(0, 5) AS r
SQL
	load_values => q(profiling.import_flamegraph(benchmark => 'v', fg => 'a;b 1', truncated => 'c;d 2', parameters => '{"n": 1}', started_at => '2026-01-01 UTC', labels => '{"host": "x"}')),
	load_points => q(profiling.import_observations(benchmark => 'b1', suite => 's', location => ARRAY['f', 'f', 'f', 'f', 'f'], x => ARRAY[1, 2, 3, 4, 5]::float8[], y => y, started_at => timestamptz '2026-01-01 UTC' + make_interval(days => n))
	FROM (VALUES (9, ARRAY[1, 2, 3, 4, 5]::float8[]), (10, ARRAY[1, 4, 9, 16, 25]::float8[])) AS v (n, y)),
	partitions => q(profiling.add_partition(month => '2026-02-01')),
	fold => 'profiling.fold_rollups(benchmark_id => b.benchmark_id) FROM profiling.benchmark AS b',
	# Services: what is put together and planned when it is called is in no stored tree, so it can only be run.
	load_service => q(profiling.ingest(service => 'shop', fg => (E'main;work ' || (10 + n % 7)::text || E'\nmain;rest 5')::flamegraph, recorded_at => date_trunc('hour', now()) - interval '1 hour' - n / 30 * interval '1 day' + n % 30 * interval '2 min',
		duration => interval '10 s', instance => 'pod-' || (n % 3)::text, labels => jsonb_build_object('version', CASE WHEN n >= 15 THEN 'v1' ELSE 'v2' END)) FROM generate_series(0, 179) AS n),
	load_batch => q(profiling.ingest_batch(services => ARRAY['shop', 'desk'], profiles => ARRAY['main;late 3', 'a;b 1']::flamegraph[], recorded_at => ARRAY['2026-01-03 00:00:30 UTC', '2026-01-03 UTC']::timestamptz[])),
	window => q(profiling.window_profile(service => 'shop', instances => NULL)),
	window_top => q(profiling.window_top(service => 'shop', max_rows => 3)),
	window_trend => q(profiling.window_trend(frame => 'work', step => '10 min', service => 'shop')),
	window_search => q(profiling.window_search(what => 'work')),
	window_instances => q(profiling.window_instances(service => 'shop')),
	window_compare => q(profiling.window_compare(before => '{"service": "shop", "version": "v1"}', after => '{"service": "shop", "version": "v2"}')),
	checks => 'profiling.check(deep => true)',
	keep => 'profiling.runs_to_keep(keep_runs => 3)',
	months => q(profiling.merge_rollups(benchmark_id => b.benchmark_id, merge_after => '1 day', keep_runs => 3) FROM profiling.benchmark AS b WHERE name = 'v'),
	profiles => q(profiling.profiles(benchmark => 'b%', since => '2026-01-02 UTC', runs => 3, commits => ARRAY[md5('9')])),
	profiles_of => q(profiling.profiles_of(selection => '{"benchmark": "b1", "since": "2026-01-02 UTC", "commits": ["45c48cce2e2d7fbdea1afc51c7c6ad26"], "labels": {}, "runs": 2}')),
	merged => q(profiling.merged(benchmark => 'b1', mix => true)),
	average => q(profiling.average(benchmark => 'b1', mix => true)),
	merged_samples => q(profiling.merged_samples(benchmark => 'b1', mix => true)),
	merged_noise => q(profiling.merged_noise(benchmark => 'b1', mix => true)),
	average_samples => q(profiling.average_samples(benchmark => 'b1', mix => true)),
	average_noise => q(profiling.average_noise(benchmark => 'b1', mix => true)),
	complete => q(profiling.complete(benchmark => 'b1', runs => 1)),
	bottlenecks => q(profiling.bottlenecks(benchmark => 'b%')),
	totals => q(profiling.bottlenecks(benchmark => 'b%', measure => 'total')),
	shares => q(profiling.bottlenecks(benchmark => '%', event => NULL, measure => 'share')),
	in_runs => q(profiling.in_runs(min_runs => 3, benchmark => 'b%')),
	nothing => q(profiling.merged(benchmark => 'b', branch => 'nowhere')),
	nothing_of_commit => q(profiling.merged(version => '', commits => ARRAY['1234567'])),
	nothing_since => q(profiling.merged(commits => ARRAY[md5('9')], since => now())),
	correlate => q(profiling.correlate(benchmark => 'b%')),
	compare => q(profiling.compare(before => '{"benchmark": "b1", "until": "2026-01-08 UTC"}', after => '{"benchmark": "b1", "since": "2026-01-09 UTC"}')),
	detect => 'profiling.detect(benchmark_id => b.benchmark_id) FROM profiling.benchmark AS b',
	search => q(profiling.frame_search(what => 'work*')),
	search_nowhere => q(profiling.frame_search(what => 'nowhere', sort => 'time')),
	runs => q(profiling.frame_search(what => '*;work', min_share => 0.1, per => 'run', benchmark => 'b1')),
	trend => q(profiling.frame_trend(benchmark_id => b.benchmark_id, frame => 'work') FROM profiling.benchmark AS b),
	trend_by_name => q(profiling.frame_trend(benchmark => 'b1', frame => 'work', measure => 'share')),
	report_by_name => q(profiling.report(benchmark => 'b1')),
	report_text_by_name => q(profiling.report_text(benchmark => 'b1')),
	detect_by_name => q(profiling.detect(benchmark => 'b1')),
	watch_by_name => q(profiling.watch_benchmark(benchmark => 'b1')),
	rules => q(profiling.use_frame_rules(name => 'cpp', benchmark => 'b1')),
	report => q(profiling.report(benchmark_id => b.benchmark_id) FROM profiling.benchmark AS b WHERE name = 'b1'),
	report_text => q(profiling.report_text(benchmark_id => b.benchmark_id) FROM profiling.benchmark AS b WHERE name = 'b1'),
	report_html => q(profiling.report_html(benchmark_id => b.benchmark_id) FROM profiling.benchmark AS b WHERE name = 'b1'),
	report_html_by_name => q(profiling.report_html(benchmark => 'b1')),
	night_html => 'profiling.night_html()',
	benchmark_html => q(profiling.benchmark_html(benchmark_id => b.benchmark_id) FROM profiling.benchmark AS b WHERE name = 'b1'),
	benchmark_html_by_name => q(profiling.benchmark_html(benchmark => 'b1')),
	trend_svg => q(profiling.trend_svg(benchmark_id => b.benchmark_id) FROM profiling.benchmark AS b WHERE name = 'b1'),
	trend_svg_by_name => q(profiling.trend_svg(benchmark => 'b1', frame => 'work')),
	verdict => q(profiling.verdict(commit => md5('9'), benchmark => 'b%')),
	watch_one => 'profiling.watch_benchmark(benchmark_id => b.benchmark_id) FROM profiling.benchmark AS b',
	moments => 'profiling.merged_stats(profiling.stats_of(r.stats_frame, r.flamegraph, $$frame$$)) FROM profiling.rollup AS r',
	(map { $_ => "v FROM profiling.$_ AS v" } qw(profile_full storage benchmark_overview benchmark_trend latest_profile open_regression regression_history team_regression hot_frame model_change night_health)),
	decompose => q(public.decompose(before => 'a 1', after => E'a 2\nb 3')),
	contexts => q(public.k_contexts(fg => 'a;b;c 1', k => 2)),
	grant => q(profiling.grant_access(role_name => r, access => a) FROM (VALUES ('loads', 'loader'), ('reads', 'reader'), ('rules', 'admin')) AS v (r, a)),
	delete_run => q(profiling.delete_run(test_run_id => r.test_run_id, benchmark_id => NULL, whole_months => true) FROM (SELECT min(test_run_id) AS test_run_id FROM profiling.rollup) AS r),
	rename => q(profiling.rename_benchmark(old_name => 'v', new_name => 'w')),
	renamed => q(profiling.import_flamegraph(benchmark => 'v', fg => 'a;b 7', parameters => '{"n": 1}', started_at => '2026-01-01 UTC')),
	merge => q(profiling.merge_benchmarks(from_id => b.f, into_id => b.i) FROM (SELECT max(benchmark_id) FILTER (WHERE name = 'b2') AS f, max(benchmark_id) FILTER (WHERE name = 'b1') AS i FROM profiling.benchmark) AS b),
	delete_branch => q(profiling.delete_branch(branch => '', benchmark => 'w%')),
	delete_number => q(profiling.delete_benchmark(benchmark_id => b.benchmark_id) FROM profiling.benchmark AS b WHERE name = 'w'),
	delete_name => q(profiling.delete_benchmark(name => 'b1', suite => 's')),
	revoke => q(profiling.revoke_access(role_name => 'reads')),
	(map { ("jobs_$_->[0]" => $_->[1]) } ([ grant => q(jobs.grant_access(role_name => r, access => a) FROM (VALUES ('reads', 'reader')) AS v (r, a)) ], [ validate => 'jobs.validate_job(job_id => j.job_id) FROM jobs.job AS j' ],
		[ issues => 'jobs.performance_issues(job_id => j.job_id) FROM jobs.job AS j' ], [ profile => 'jobs.job_profile(job_id => j.job_id) FROM jobs.job AS j' ], [ limits => 'jobs.bottleneck_report_svg(job_id => j.job_id) FROM jobs.job AS j' ], [ used => 'jobs.usage_svg(job_id => j.job_id, resource_id => 2) FROM jobs.job AS j' ], [ page => 'jobs.report_html(job_id => j.job_id) FROM jobs.job AS j' ], [ publish => q(jobs.publish(job_id => j.job_id, started_at => '2026-01-01 UTC', repetition => j.job_id::int) FROM jobs.job AS j) ], [ speedup => 'jobs.speedup()' ], [ output => q(jobs.validate_output(algorithm => 'WCC', reference => 'jobs.phase_resource', output => 'jobs.phase_resource')) ],
		(map { [ $_ => "v FROM jobs.$_ AS v" ] } qw(run_metrics variability stress_test_limit platform_comparison renewal phase_overview phase_timeline phase_bottleneck phase_breakdown phase_usage phase_issue)), [ variation => 'jobs.coefficient_of_variation(v.makespan) FROM jobs.benchmark_run AS v' ],
		[ import_spark => "jobs.import_spark(name => 's', events => pg_catalog.pg_read_file('$FindBin::RealBin/../data/jobs/spark-events.json'))" ],
		[ import_usage => q(jobs.import_usage(job_id => r.job_id, resource => 'cores:' || r.instance, csv => E'1767571200,0.1\n1767571201,0.2')
			FROM jobs.resource AS r JOIN jobs.job AS j ON j.job_id = r.job_id WHERE j.name = 's' AND r.resource_type = 'cores') ],
		[ delete => 'jobs.revoke_access(role_name => r) FROM (VALUES (name $$reads$$)) AS v (r)' ])));
my @names;
for (my $i = 0; $i < @asked; $i += 2)
{
	my ($name, $what) = @asked[ $i, $i + 1 ];
	push @names, $name;
	my ($call, $from) = $what =~ /^(.*?)(\bFROM\b.*)?$/s;
	# A set-returning function in a FROM of its own, so that rows count.
	$db->run($from ? "SET search_path = public, profiling, pg_temp; CREATE FUNCTION users.ask_$name() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(*) FROM (SELECT $call AS answer $from OFFSET 0) AS s WHERE s.answer IS NOT NULL OR true; END"
		: "SET search_path = public, profiling, pg_temp; CREATE FUNCTION users.ask_$name() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(*) FROM $call AS s WHERE s IS NOT NULL OR true; END");
}
$db->run("CREATE ROLE $_ LOGIN") for qw(loads reads rules);

for my $schema ('public', 'profiling', 'jobs')
{
	for my $list ($traps, map { Traps::near_signatures($db, $_) } @all)
	{
		Traps::plant($db, $schema, $list);
	}
}
$db->run('SET search_path = pg_catalog');
cmp_ok($db->value(q(SELECT count(*) FROM pg_catalog.pg_proc WHERE prosrc ~ 'trap\.hits')), '>', 1000, 'traps in these schemas');
my $ours = q((SELECT objid FROM pg_catalog.pg_depend WHERE deptype = 'e' AND refobjid IN (SELECT oid FROM pg_catalog.pg_extension WHERE extname LIKE 'flamegraph%')));
is_deeply($db->rows(<<"SQL"), [], 'no function has a schema in its path that others may write to');
SELECT p.oid::pg_catalog.regprocedure, c.setting
FROM pg_catalog.pg_proc AS p, pg_catalog.unnest(p.proconfig) AS c (setting)
WHERE p.oid IN $ours AND c.setting LIKE 'search_path=%' AND c.setting <> 'search_path=pg_catalog, pg_temp'
SQL
is_deeply($db->rows(<<"SQL"), [], 'and every PL/pgSQL function has a path of its own, but procedures that commit');
SELECT p.oid::pg_catalog.regprocedure
FROM pg_catalog.pg_proc AS p JOIN pg_catalog.pg_language AS l ON l.oid = p.prolang
WHERE p.oid IN $ours AND l.lanname = 'plpgsql' AND p.prokind = 'f' AND p.proconfig IS NULL
SQL

# --- the store at work ----------------------------------------------------------------------------------------------------

# With the worst path that a session can have.
my $path = 'SET search_path = public, profiling, pg_catalog';

sub asks
{
	my ($connection, $name, $expected) = @_;
	my $result = $connection->query("$path; SELECT users.ask_$name()");
	my @trapped = grep { $_->{message} eq 'trapped' } @{ $result->{notices} };
	ok(!$result->{error} && !@trapped, "$name works, and runs nothing planted")
	  or diag($result->{error} ? "$result->{error}{sqlstate} $result->{error}{message}" : explain \@trapped);
	return $result->{rows}[0][0] // 0;
}

sub calls
{
	my ($connection, $call) = @_;
	my $result = $connection->query($path);
	$result = $connection->query("CALL $call");
	ok(!$result->{error} && !grep({ $_->{message} eq 'trapped' } @{ $result->{notices} }), "$call works, and runs nothing planted")
	  or diag($result->{error} ? "$result->{error}{sqlstate} $result->{error}{message}" : explain $result->{notices});
	return;
}

asks($db, 'grant');
$db->run($path);
$db->run(q(INSERT INTO profiling.retention (service, raw, minutes, hours, days) VALUES ('shop', NULL, NULL, NULL, NULL), ('desk', NULL, NULL, NULL, NULL)));
my $loader = Wire->connect($node, 'planted', user => 'loads');
is(asks($loader, 'load'), 120, 'as a loader');
asks($loader, $_) for 'load', 'load_values', 'load_points', 'load_service', 'load_batch', 'load_batch';
$db->run($path);
$db->run(<<'SQL');
INSERT INTO profiling.watch (method, level, options) VALUES ('welch', 'node', '{"recent": 2}'), ('hotelling', 'node', '{"recent": 2}'), ('energy', 'stack', '{"recent": 3}'),
	('change_point', 'frame', '{}'), ('correlation', 'frame', '{"recent": 2}'), ('integral', 'frame', '{}'), ('local_statistics', 'frame', '{}');
INSERT INTO profiling.owner (pattern, team) VALUES ('*;work', 'a team');
INSERT INTO profiling.service_watch (service) VALUES ('shop');
INSERT INTO profiling.frame_rule (ordinal, benchmark, pattern, replacement) VALUES (1, 'b2', 'io', 'input');
INSERT INTO profiling.frame_commit (pattern, file, commit, committed_at) VALUES ('work', 'w.c', 'abc', '2026-01-01 UTC');
SQL
# First as they came, then as sums.
calls($db, q(profiling.compact('1 hour'::interval)));
$db->run(q(UPDATE profiling.retention SET raw = '2 days' WHERE service OPERATOR(pg_catalog.=) 'desk'::text));
asks($db, $_) for 'partitions', 'fold';
calls($db, $_) for 'profiling.watch_run()', q(profiling.compact('1 hour'::interval)), 'profiling.watch_services()', q(profiling.maintain(1::int, interval '100 years', interval '100 years', 30::int)), 'profiling.watch_run()';
cmp_ok($db->value('SELECT pg_catalog.count(*) FROM profiling.regression'), '>', 0, 'there are findings');
is($db->value(q(SELECT pg_catalog.string_agg(detail, ' ') FROM profiling.job_log WHERE outcome OPERATOR(pg_catalog.=) 'failed')), undef, 'and no step has failed');
my $reader = Wire->connect($node, 'planted', user => 'reads');
for my $name (grep { !/^(jobs_|load|partitions|fold|grant|revoke|months|watch_one|watch_by_name|rules|checks|delete_|rename|merge$)/ } @names)
{
	my $rows = asks($reader, $name);
	cmp_ok($rows, '>', 0, "$name has an answer") unless $name =~ /^(detect|detect_by_name|search_nowhere|model_change|keep|contexts|decompose)$/;
}
asks($db, $_) for 'watch_one', 'watch_by_name', 'rules', 'checks', 'months', 'revoke';
calls($db, q(profiling.prune(interval '100 years', 30::int)));
asks($db, $_) for 'jobs_grant', 'jobs_publish', 'jobs_import_spark', 'jobs_import_usage';
asks($reader, $_) for grep { /^jobs_/ && !/grant|delete|publish|import/ } @names;
asks($db, 'jobs_delete');
$db->run('DELETE FROM jobs.job WHERE job_id OPERATOR(pg_catalog.=) 1::bigint');
is($db->value('SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM trap.hits'), 0, 'nothing planted has run');
is_deeply(Traps::bound($db), [], 'nothing planted is bound');

done_testing();
