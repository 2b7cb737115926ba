# The analysis of drawn jobs: an oracle in Python that goes slice by slice, and laws that need no oracle. Samples restore the
# mean that was measured, prefer greedy phases to sinks and sinks to the background; a finer slice changes nothing where all
# times are multiples of it; what a phase consumes is what its leaves do. Causes and a predicate of a user, too.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use GoldenJobs;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->start;
my $db = Wire->connect($node, 'postgres');
$db->run('CREATE EXTENSION flamegraph_jobs CASCADE; SET extra_float_digits = 1; SET search_path = jobs, public');

# A predicate of a user, which the oracle has, too.
$db->run(<<'SQL');
CREATE SCHEMA oracle;
CREATE FUNCTION oracle.f(phase_types text[], defined bool[], bottlenecked bool[], resource_type text) RETURNS bool LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN resource_type IN ('net', 'gc') THEN bool_or(3 * limited > n) ELSE sum(limited) = 0 OR bool_and(limited = able) END
	FROM (SELECT count(*) AS n, count(*) FILTER (WHERE d) AS able, count(*) FILTER (WHERE b) AS limited
		FROM unnest(phase_types, defined, bottlenecked) AS u (t, d, b) GROUP BY t) AS x
$$;
SQL

my $seed = $ENV{JOBS_SEED} // 1;
my $count = $ENV{JOBS_COUNT} // 24;
my $drawn = PostgreSQL::Test::Utils::tempdir();
system('python3', "$FindBin::RealBin/jobs_oracle.py", $drawn, $seed, $count) == 0 or die 'the oracle failed';
GoldenJobs::check_folder($db, $drawn);

# --- laws --------------------------------------------------------------------------------------------------------------------

# Each law is a query for what breaks it, in all jobs that were drawn.
my $seconds = 'extract(epoch FROM s.end_time - s.start_time)::float8';
my $samples = "job AS j, upsample_usage(j.job_id) AS s JOIN resource AS r USING (resource_id)
	JOIN usage_measurement AS u ON u.resource_id = s.resource_id
		AND s.start_time < u.end_time AND u.start_time < s.end_time
	CROSS JOIN LATERAL (SELECT extract(epoch FROM least(s.end_time, u.end_time)
		- greatest(s.start_time, u.start_time))::float8 AS seconds) AS o";
my %laws = (
	'the mean of the samples is what was measured, or the capacity' => qq{
		SELECT u.job_id, u.resource_id, u.start_time FROM $samples
		WHERE r.job_id = j.job_id AND u.job_id = j.job_id
		GROUP BY u.job_id, u.resource_id, u.start_time, u.end_time, u.usage, r.capacity
		HAVING abs(sum(s.usage * o.seconds) / sum(o.seconds) - least(u.usage, r.capacity)) > 1e-9 * r.capacity},
	'sinks get something only where greedy phases have all, and the background where sinks do' => qq{
		SELECT * FROM (SELECT u.job_id, u.resource_id, u.start_time, r.capacity,
			max(s.sink_usage) AS sink, max(s.background_usage) AS background,
			coalesce(bool_or(s.greedy_usage < least(w.greedy_demand, r.capacity) - 1e-9 * r.capacity)
				FILTER (WHERE w.greedy_demand > 0), false) AS greedy_left,
			coalesce(bool_or(s.greedy_usage + s.sink_usage < r.capacity * (1 - 1e-9))
				FILTER (WHERE w.sink_count > 0), false) AS sink_left
			FROM $samples LEFT JOIN LATERAL (SELECT * FROM estimated_workload(j.job_id)) AS w
				ON w.resource_id = s.resource_id AND greatest(s.start_time, u.start_time, w.start_time)
					< least(s.end_time, u.end_time, w.end_time)
			WHERE r.job_id = j.job_id AND u.job_id = j.job_id GROUP BY 1, 2, 3, 4) AS p
		WHERE (sink > 1e-9 * capacity AND greedy_left) OR (background > 1e-9 * capacity AND (greedy_left OR sink_left))},
	'what a phase consumes is the sum over its parts' => q{
		SELECT j.job_id, p.phase_id, c.resource_id
		FROM job AS j JOIN phase AS p USING (job_id) CROSS JOIN LATERAL phase_consumption(j.job_id) AS c
			JOIN LATERAL (SELECT sum(x.consumption) AS consumption, sum(x.available) AS available
				FROM phase_consumption(j.job_id) AS x JOIN phase AS q ON q.phase_id = x.phase_id
				WHERE q.job_id = j.job_id AND q.parent_id = p.phase_id AND x.resource_id = c.resource_id) AS b ON true
		WHERE c.phase_id = p.phase_id AND b.consumption IS NOT NULL
			AND (abs(c.consumption - b.consumption) > 1e-9 * (1 + b.consumption)
				OR abs(c.available - b.available) > 1e-9 * (1 + b.available))},
	'usage is attributed or not, and no more than there is' => q{
		SELECT j.job_id, r.resource_id FROM job AS j JOIN resource AS r USING (job_id)
		CROSS JOIN LATERAL (SELECT sum(s.usage * extract(epoch FROM s.end_time - s.start_time)::float8) AS all_of_it
			FROM upsample_usage(j.job_id) AS s WHERE s.resource_id = r.resource_id) AS a
		CROSS JOIN LATERAL (SELECT coalesce(sum(s.usage * extract(epoch FROM s.end_time - s.start_time)::float8), 0) AS used
			FROM attribute_usage(j.job_id) AS s WHERE s.resource_id = r.resource_id) AS b
		CROSS JOIN LATERAL (SELECT coalesce(sum(s.usage * extract(epoch FROM s.end_time - s.start_time)::float8), 0) AS rest
			FROM unattributed_usage(j.job_id) AS s WHERE s.resource_id = r.resource_id) AS c
		WHERE abs(a.all_of_it - b.used - c.rest) > 1e-9 * (1 + a.all_of_it)},
	'finer slices change nothing where all times are whole seconds' => q{
		SELECT j.job_id, g.slice FROM job AS j, (VALUES (interval '1 s'), ('0.5 s'), ('1 ms')) AS g (slice)
		WHERE NOT EXISTS (SELECT FROM phase AS p WHERE p.job_id = j.job_id AND p.start_time <> date_trunc('second', p.start_time))
			AND NOT EXISTS (SELECT FROM usage_measurement AS u WHERE u.job_id = j.job_id
				AND (u.start_time <> date_trunc('second', u.start_time) OR u.end_time <> date_trunc('second', u.end_time)))
			AND (EXISTS (SELECT phase_id, resource_id, round(consumption::numeric, 8) FROM phase_consumption(j.job_id)
					EXCEPT SELECT phase_id, resource_id, round(consumption::numeric, 8)
						FROM phase_consumption(j.job_id, slice => g.slice))
				OR EXISTS (SELECT * FROM bottlenecks(j.job_id) EXCEPT SELECT * FROM bottlenecks(j.job_id, slice => g.slice))
				OR EXISTS (SELECT * FROM bottlenecks(j.job_id, slice => g.slice) EXCEPT SELECT * FROM bottlenecks(j.job_id)))});
for my $law (sort keys %laws)
{
	my $result = $db->query($laws{$law});
	# three of what breaks it are enough to begin with
	my @rows = map { join ' ', map { $_ // '' } @$_ } grep { defined } @{ $result->{rows} }[ 0 .. 2 ];
	is($result->{error} ? $result->{error}{message} : join(', ', @rows), '', $law);
}

done_testing();
