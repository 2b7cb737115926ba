# The night: two versions of a real job, recorded by tools/record-job (test/data/jobs/night), published night by night and
# compared. Ten nights open nothing; the second version, whose packing takes longer, opens findings for the phases that pack
# and for no others; they last as long as it does. The same by single comparisons of profiles.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('night');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\njit = off\ntimezone = 'UTC'\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
$db->run('CREATE EXTENSION flamegraph_jobs CASCADE; CREATE EXTENSION flamegraph_store');
# Numbers of other jobs are taken.
$db->run("INSERT INTO jobs.platform_model VALUES ('other'); INSERT INTO jobs.job (model) SELECT 'other' FROM generate_series(1, 7)");
my ($host, $port) = ($node->host, $node->port);
is(system("psql -X -q -h '$host' -p $port -d postgres -f test/data/jobs/night/load.sql"), 0, 'the recordings are read');
is($db->value("SELECT count(*) FROM jobs.job WHERE model = 'report'"), '36', 'three jobs in each of twelve nights');
is_deeply($db->rows("SELECT j.job_id, v.code FROM jobs.job AS j, jobs.validate_job(j.job_id) AS v WHERE j.model = 'report' AND v.severity = 'error'"), [], 'they are valid');

# The jobs of a night, and what is found in them; a row is one finding. What is told goes to @told.
my @told;
sub night
{
	my ($night) = @_;
	$db->run("SELECT jobs.publish(job_id) FROM jobs.job WHERE labels ->> 'commit' = 'night$night'");
	my $result = $db->query('CALL profiling.watch_run()');
	is($result->{error}, undef, "night $night is compared");
	push @told, map { @{ $_->{notifications} // [] } } $result, $db->query('SELECT 1');
	return $db->rows("SELECT event, level, subject::text, kind FROM profiling.regression_history WHERE first_commit = 'night$night' ORDER BY 1, 2, 3");
}

$db->run('LISTEN profiling_regression');
my $packs = 'job/make/gzip';
is_deeply(night($_), [], "night $_: nothing") for 1 .. 10;
is($db->value("SELECT count(DISTINCT test_run_id) FROM jobs.job WHERE test_run_id IS NOT NULL"), '10', 'a run a night');

my $found = night(11);
my %events = map { $_->[0] => 1 } grep { $_->[1] eq 'frame' } @$found;
ok($events{$_}, "night 11: found in event $_") for 'job-time', 'job-usage-job_cpu';
is_deeply([ grep { $_->[1] ne 'metric' && ($_->[2] ne $packs || $_->[3] ne 'degradation') } @$found ], [], 'and nothing but the phases that pack');
is_deeply($db->rows('SELECT subjects FROM profiling.open_group'), [ ["{$packs}"] ], 'one cause');
my ($expected, $actual) = @{ $db->row("SELECT expected, actual FROM profiling.open_regression WHERE event = 'job-time' AND level = 'frame'") };
# seconds of packing, a mean over repetitions, and of those a mean over nights
is(sprintf('%.6f %.6f', $expected, $actual), sprintf('%.6f %.6f', @{ $db->row(<<"SQL") }), 'in seconds');
SELECT avg(s) FILTER (WHERE night <= 10), avg(s) FILTER (WHERE night = 11)
FROM (SELECT ltrim(j.labels ->> 'commit', 'night')::int AS night, sum(extract(epoch FROM p.end_time - p.start_time)::float8) / 3 AS s
	FROM jobs.job AS j JOIN jobs.phase AS p USING (job_id) WHERE p.phase_type = '$packs' GROUP BY 1) AS n
SQL
is($db->value('SELECT min(metric) FROM profiling.benchmark_trend WHERE commit = $$night11$$ AND event = $$job-time$$'),
	$db->value("SELECT avg(extract(epoch FROM p.end_time - p.start_time)::float8) FROM jobs.job AS j JOIN jobs.phase AS p USING (job_id) WHERE p.parent_id IS NULL AND j.labels ->> 'commit' = 'night11'"), 'the metric is the makespan');

is_deeply(night(12), [], 'night 12: nothing new');
is_deeply([ map { $_->[0] } @told ], ['profiling_regression'], 'one message in all');
is_deeply($db->rows('SELECT DISTINCT status, last_commit FROM profiling.regression_history'), [ [ 'open', 'night12' ] ], 'what is found lasts');
is_deeply($db->rows("SELECT outcome FROM profiling.job_log WHERE outcome <> 'ok'"), [], 'nothing failed');

# Both versions by hand: is it noise, and where is it?
my $profiles = q{ARRAY(SELECT jobs.job_profile(job_id) FROM jobs.job WHERE model = 'report' AND ltrim(labels ->> 'commit', 'night')::int };
is_deeply($db->rows("SELECT key::text FROM compare_profiles($profiles <= 10), $profiles > 10)) WHERE significant"), [ ["job;job/make;$packs"] ], 'compare_profiles names the phases');
is($db->value("SELECT leaf(key) FROM deviation_scores($profiles <= 10), (SELECT avg(jobs.job_profile(job_id)) FROM jobs.job WHERE labels ->> 'commit' = 'night11'), metric => 'self', poisson_unit => 0) ORDER BY score DESC LIMIT 1"), $packs, 'and so do deviation scores');
is($db->value("SELECT string_agg(change_at::text, ' ') FROM change_points(ARRAY(SELECT jobs.job_profile(job_id) FROM jobs.job WHERE model = 'report' ORDER BY job_id))"), '31', 'and the first job of the second version is the change point');

$db->close;
$node->stop;
done_testing();
