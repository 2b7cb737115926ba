-- The golden job in bench.golden_*, as gen_job.py writes it (times in microseconds after 2000), and jobs made of it.
\set ON_ERROR_STOP on

CREATE UNLOGGED TABLE bench.golden_phase_type (phase_type text, parent_type text, repeat jobs.phase_repeat);
CREATE UNLOGGED TABLE bench.golden_precedence (before text, after text);
CREATE UNLOGGED TABLE bench.golden_phase (phase_id bigint, parent_id bigint, phase_type text, instance text, s bigint, e bigint);
CREATE UNLOGGED TABLE bench.golden_resource_type (resource_type text, parent_type text, class jobs.resource_class, unit text);
CREATE UNLOGGED TABLE bench.golden_resource (resource_id bigint, parent_id bigint, resource_type text, instance text, capacity float8);
CREATE UNLOGGED TABLE bench.golden_usage (resource_id bigint, s bigint, e bigint, usage float8);
CREATE UNLOGGED TABLE bench.golden_blocking (resource_id bigint, s bigint, e bigint);
CREATE UNLOGGED TABLE bench.golden_rule (phase_type text, resource_type text, rule jobs.attribution_rule_kind, cap float8);
CREATE UNLOGGED TABLE bench.golden_phase_resource (phase_id bigint, resource_id bigint);

-- Jobs that were made: how many times the supersteps, how much longer everything takes, into how many a measurement was cut.
CREATE UNLOGGED TABLE bench.job (job_id bigint, tiles int, stretch int, cuts int, phases bigint, measurements bigint);

CREATE FUNCTION bench.time_of(us bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE
RETURN timestamptz '2000-01-01 00:00:00+00' + us * interval '1 microsecond';

CREATE FUNCTION bench.make_model() RETURNS void LANGUAGE sql AS $$
    INSERT INTO jobs.platform_model (model) VALUES ('golden');
    INSERT INTO jobs.phase_type (model, phase_type, parent_type, repeat)
    SELECT 'golden', phase_type, parent_type, repeat FROM bench.golden_phase_type;
    INSERT INTO jobs.phase_type_precedence (model, before, after) SELECT 'golden', before, after FROM bench.golden_precedence;
    INSERT INTO jobs.resource_type (model, resource_type, parent_type, class, unit)
    SELECT 'golden', resource_type, parent_type, class, unit FROM bench.golden_resource_type;
    INSERT INTO jobs.attribution_rule (model, phase_type, resource_type, rule, cap)
    SELECT 'golden', phase_type, resource_type, rule, cap FROM bench.golden_rule;
$$;

-- The part of the golden job that is repeated: all supersteps, in whole periods of measurements, which are 50 ms long and
-- begin 20 ms before the job.
CREATE VIEW bench.golden_part AS
SELECT first AS s, (e - first + 54999) / 50000 * 50000 AS length
FROM (SELECT (s + 20000) / 50000 * 50000 - 20000 AS first, e FROM bench.golden_phase WHERE phase_type = 'Execute') AS x;

-- Phases below Execute come "tiles" times, each after the other; what follows them comes that much later.
CREATE FUNCTION bench.make_phases(job bigint, tiles int, stretch int) RETURNS void LANGUAGE sql AS $$
    WITH tiled AS (
        SELECT p.*, p.parent_id IS NOT NULL AND p.s >= x.s AND p.phase_type NOT IN ('Execute', 'Cleanup') AS again
        FROM bench.golden_phase AS p, bench.golden_phase AS x WHERE x.phase_type = 'Execute'
    ), copies AS (
        SELECT p.phase_id + t * 1000000 AS id, p.phase_type, p.again, t, g.length * t AS later, g.length * (tiles - 1) AS most,
            p.parent_id + CASE WHEN p.phase_type <> 'Superstep' THEN t * 1000000 ELSE 0 END AS parent,
            CASE WHEN p.phase_type = 'Superstep' THEN t || '.' || p.instance ELSE coalesce(p.instance, '') END AS instance, p.s, p.e
        FROM tiled AS p, bench.golden_part AS g, generate_series(0, CASE WHEN again THEN tiles - 1 ELSE 0 END) AS t
    )
    INSERT INTO jobs.phase (job_id, phase_id, parent_id, phase_type, instance, start_time, end_time)
    SELECT job, id, parent, phase_type, instance,
        bench.time_of(stretch * (s + CASE WHEN again THEN later WHEN phase_type = 'Cleanup' THEN most ELSE 0 END)),
        bench.time_of(stretch * (e + CASE WHEN again THEN later
            WHEN phase_type IN ('GiraphJob', 'Execute', 'Cleanup') THEN most ELSE 0 END))
    FROM copies ORDER BY t, id;
    INSERT INTO jobs.resource (job_id, resource_id, parent_id, resource_type, instance, capacity)
    SELECT job, resource_id, parent_id, resource_type, coalesce(instance, ''), capacity FROM bench.golden_resource;
    INSERT INTO jobs.phase_resource (job_id, phase_id, resource_id)
    SELECT job, p.phase_id, r.resource_id FROM bench.golden_phase_resource AS r, jobs.phase AS p
    WHERE p.job_id = job AND p.phase_id % 1000000 = r.phase_id;
$$;

-- The same of measurements, each cut into "cuts" of other values.
CREATE FUNCTION bench.make_measurements(job bigint, tiles int, stretch int, cuts int) RETURNS void LANGUAGE sql AS $$
    WITH copies AS (
        SELECT u.resource_id, u.usage, CASE WHEN u.s >= g.s + g.length THEN g.length * (tiles - 1) ELSE g.length * t END AS later, u.s,
            u.e - u.s AS length
        FROM bench.golden_usage AS u, bench.golden_part AS g,
            generate_series(0, CASE WHEN u.s >= g.s AND u.s < g.s + g.length THEN tiles - 1 ELSE 0 END) AS t
    )
    INSERT INTO jobs.usage_measurement (job_id, resource_id, start_time, end_time, usage)
    SELECT job, resource_id, bench.time_of(stretch * (s + later + length * c / cuts)),
        bench.time_of(stretch * (s + later + length * (c + 1) / cuts)), usage * (1 - 0.1 * c)
    FROM copies, generate_series(0, cuts - 1) AS c ORDER BY resource_id, 3;
    INSERT INTO jobs.blocking_interval (job_id, resource_id, start_time, end_time)
    SELECT job, resource_id, bench.time_of(stretch * (b.s + l.later)), bench.time_of(stretch * (b.e + l.later))
    FROM bench.golden_blocking AS b, bench.golden_part AS g,
        LATERAL (SELECT CASE WHEN b.s >= g.s + g.length THEN g.length * (tiles - 1) ELSE g.length * t END AS later
                 FROM generate_series(0, CASE WHEN b.s >= g.s AND b.s < g.s + g.length THEN tiles - 1 ELSE 0 END) AS t) AS l
    ORDER BY resource_id, 3;
$$;

CREATE FUNCTION bench.make_job(tiles int, stretch int, cuts int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    job bigint;
BEGIN
    INSERT INTO jobs.job (model, name) VALUES ('golden', format('%s tiles, %s times as long', tiles, stretch))
    RETURNING job_id INTO job;
    PERFORM bench.make_phases(job, tiles, stretch);
    PERFORM bench.make_measurements(job, tiles, stretch, cuts);
    INSERT INTO bench.job
    SELECT job, tiles, stretch, cuts, (SELECT count(*) FROM jobs.phase WHERE job_id = job),
        (SELECT count(*) FROM jobs.usage_measurement WHERE job_id = job) +
        (SELECT count(*) FROM jobs.blocking_interval WHERE job_id = job);
END
$$;

-- What is measured: attribution, bottlenecks and issues of a job, all rows of them.
CREATE FUNCTION bench.three(job bigint, slice text DEFAULT 'NULL') RETURNS text LANGUAGE sql STABLE
RETURN format('SELECT (SELECT count(*) FROM jobs.phase_consumption(%1$s, %2$s)),
    (SELECT count(*) FROM jobs.bottlenecks(%1$s, %2$s)), (SELECT count(*) FROM jobs.performance_issues(%1$s, %2$s))', job, slice);
