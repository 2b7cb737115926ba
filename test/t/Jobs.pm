# What the tests of the extension flamegraph_jobs share.
#
#   Jobs::create($db)              # both extensions
#   Jobs::fill($db)                # a platform, two jobs, a benchmark: rows in every table
#   Jobs::contents($db)            # all rows of all tables, and the sequences: { table => "count md5" }
package Jobs;

use strict;
use warnings;

sub create
{
	my ($db) = @_;
	$db->run('CREATE EXTENSION IF NOT EXISTS flamegraph');
	$db->run('CREATE EXTENSION flamegraph_jobs');
	return;
}

# Nothing is wrong with job 1; job 2 is another one of the same platform.
sub fill
{
	my ($db) = @_;
	$db->run(<<'SQL');
INSERT INTO jobs.platform_model VALUES (E'p\\"1', 'a platform');
INSERT INTO jobs.phase_type (model, phase_type, parent_type, repeat, bottleneck_predicate) VALUES
	(E'p\\"1', 'Job', NULL, 'once', 'all'), (E'p\\"1', 'Load', 'Job', 'once', NULL), (E'p\\"1', 'Step', 'Job', 'sequential', NULL),
	(E'p\\"1', E'Work\té', 'Step', 'concurrent', 'at_least:0.5');
INSERT INTO jobs.phase_type_precedence VALUES (E'p\\"1', 'Load', 'Step');
INSERT INTO jobs.resource_type (model, resource_type, parent_type, class, unit) VALUES
	(E'p\\"1', 'machine', NULL, NULL, NULL), (E'p\\"1', 'cpu', 'machine', 'consumable', 'cores'), (E'p\\"1', 'lock', 'machine', 'blocking', NULL);
INSERT INTO jobs.attribution_rule VALUES (E'p\\"1', 'Load', 'cpu', 'greedy', 1, 0.9), (E'p\\"1', 'Load', 'lock', 'none', NULL, NULL);
INSERT INTO jobs.job (model, name, started_at, labels) VALUES (E'p\\"1', 'first', '2026-01-01 UTC', '{"night": 1}'), (E'p\\"1', 'second', NULL, '{}');
INSERT INTO jobs.phase
SELECT j, v.id, v.parent, v.type, v.instance, timestamptz '2026-01-01 UTC' + v.s * interval '1 s', timestamptz '2026-01-01 UTC' + v.e * interval '1 s'
FROM (VALUES (1, NULL, 'Job', '', 0, 100), (2, 1, 'Load', '', 0, 20), (3, 1, 'Step', '0', 20, 60), (4, 1, 'Step', '1', 60, 100),
	(5, 3, E'Work\té', 'a', 20, 50), (6, 3, E'Work\té', 'b', 20, 60), (7, 4, E'Work\té', E'a\\', 60, 100)) AS v (id, parent, type, instance, s, e), generate_series(1, 2) AS j;
INSERT INTO jobs.resource
SELECT j, v.* FROM (VALUES (1, NULL, 'machine', 'm', NULL, NULL), (2, 1, 'cpu', '', 4, 0.95), (3, 1, 'lock', '', NULL, NULL), (4, 1, 'cpu', 'other', 0, NULL::float8))
	AS v (id, parent, type, instance, capacity, delta), generate_series(1, 2) AS j;
INSERT INTO jobs.phase_resource SELECT j, v.* FROM (VALUES (1, 1), (3, 2), (3, 3), (5, 2)) AS v (p, r), generate_series(1, 2) AS j;
INSERT INTO jobs.usage_measurement
SELECT j, r, timestamptz '2026-01-01 UTC' + i * interval '10 s', timestamptz '2026-01-01 UTC' + (i + 1) * interval '10 s', CASE r WHEN 2 THEN i * 0.4 ELSE 0 END
FROM generate_series(1, 2) AS j, generate_series(0, 9) AS i, (VALUES (2), (4)) AS v (r);
INSERT INTO jobs.blocking_interval
SELECT j, 3, timestamptz '2026-01-01 UTC' + i * interval '30 s', timestamptz '2026-01-01 UTC' + i * interval '31 s' FROM generate_series(1, 2) AS j, (VALUES (1), (1), (2)) AS v (i);
CREATE SCHEMA "Rules of jobs";
GRANT USAGE ON SCHEMA "Rules of jobs" TO PUBLIC;
CREATE FUNCTION "Rules of jobs".leaf(bigint, bigint) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$ SELECT '[1]'::jsonb $$;
CREATE FUNCTION "Rules of jobs".composite(bigint, bigint, jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$ SELECT $3 $$;
CREATE FUNCTION "Rules of jobs"."extract it"(bigint, bigint, jsonb) RETURNS TABLE (source text, impact float8) LANGUAGE sql IMMUTABLE AS $$ SELECT 'leaves', jsonb_array_length($3) $$;
INSERT INTO jobs.issue_rule VALUES (E'p\\"1', '"Rules of jobs".leaf(bigint,bigint)', '"Rules of jobs".composite(bigint,bigint,jsonb)', '"Rules of jobs"."extract it"(bigint,bigint,jsonb)');
INSERT INTO jobs.graph_dataset VALUES ('D300', 4350000, 304000000, false), (E'µ\\', 0, 0, true);
INSERT INTO jobs.benchmark_run (platform, algorithm, dataset, series, machines, threads, makespan, processing_time, completed, output_valid, job_id)
VALUES ('P', 'BFS', 'D300', 's', 1, NULL, 277.9, 23.4, true, true, 1), ('P', 'BFS', 'D300', 's', 2, 8, 1e3, 12, true, NULL, NULL), ('Q', 'PR', NULL, '', 1, 1, NULL, NULL, false, false, NULL);
SQL
	return;
}

sub contents
{
	my ($db) = @_;
	my %contents;
	$db->run("SET timezone = 'UTC'");
	for my $row (@{ $db->rows("SELECT c.oid::regclass::text, c.relkind FROM pg_class AS c WHERE c.relnamespace = 'jobs'::regnamespace AND c.relkind IN ('r', 'S') ORDER BY 1") })
	{
		my ($table, $kind) = @$row;
		$contents{$table} = $kind eq 'S' ? join ' ', @{ $db->row("SELECT last_value, is_called FROM $table") }
		  : $db->value("SELECT count(*) || ' ' || md5(coalesce(string_agg(md5(t::text), '' ORDER BY md5(t::text)), '')) FROM $table AS t");
	}
	return \%contents;
}

1;
