-- Our side of the analysis of jobs. Variables: runs, slow_runs.
\set ON_ERROR_STOP on
\o /dev/null
\ir ../settings.sql

SELECT bench.measure('job_three', 'ours', phases, 1, :runs, bench.three(job_id)) FROM bench.job WHERE cuts = 1 AND stretch = 1;
SELECT bench.measure(m.measure, 'ours', phases, 1, :runs, format('SELECT count(*) FROM jobs.%s(%s)', m.function, job_id))
FROM bench.job, (VALUES ('job_consumption', 'phase_consumption'), ('job_bottlenecks', 'bottlenecks'),
    ('job_issues', 'performance_issues')) AS m (measure, function)
WHERE cuts = 1 AND stretch = 1;

-- The page of a job: fourteen replays, two pictures and a flame chart of all leaves. Once, as it takes minutes for the largest.
SELECT bench.measure('job_page', 'ours', phases, 1, 1, format('SELECT octet_length(jobs.report_html(%s))', job_id), false)
FROM bench.job WHERE (cuts = 1 AND stretch = 1) OR phases = (SELECT max(phases) FROM bench.job);
INSERT INTO bench.sample (measure, side, size, work, seconds)
SELECT 'job_page_bytes', side, size, trim(answer, '()')::float8, 0 FROM bench.sample WHERE measure = 'job_page';

-- As a server is set up that nobody has configured.
SET work_mem = '4MB';
SELECT bench.measure('job_three_default', 'ours', phases, 1, :runs, bench.three(job_id)) FROM bench.job WHERE cuts = 1 AND stretch = 1;
SELECT bench.measure('grow_job', 'ours', phases, 1, CASE WHEN phases > 100000 THEN :slow_runs ELSE :runs END, bench.three(job_id))
FROM bench.job WHERE cuts = 2 ORDER BY phases;

-- The same events over a longer time, with slices of a millisecond: the size is how many times as long.
SELECT bench.measure('grow_job_duration', 'ours', stretch, 1, :runs, bench.three(job_id, '''1 ms'''))
FROM bench.job WHERE cuts = 1 ORDER BY stretch;

-- --- answers, not timed ------------------------------------------------------------------------------------------------

CREATE TEMPORARY VIEW the_job AS SELECT job_id FROM bench.job WHERE cuts = 1 AND stretch = 1;
INSERT INTO bench.answer
SELECT v.measure, 'ours', v.answer
FROM (SELECT sum(consumption * (1 + phase_id % 97) * (1 + resource_id % 89)) AS c,
          sum(available * (1 + phase_id % 97) * (1 + resource_id % 89)) AS a
      FROM the_job AS j, jobs.phase_consumption(j.job_id)) AS s,
    LATERAL (VALUES ('job_consumption', c), ('job_available', a)) AS v (measure, answer);
INSERT INTO bench.answer
SELECT v.measure, 'ours', v.answer
-- Neighbours that differ in their causes, which the peers do not know, are one row.
FROM (SELECT count(*) FILTER (WHERE NOT b.goes_on) AS n,
          sum(extract(epoch FROM b.end_time - b.start_time)::float8 * (1 + b.phase_id % 97) * (1 + length(b.resource_type))) AS s
      FROM (SELECT i.*, coalesce(lag(i.end_time) OVER (PARTITION BY i.phase_id, i.resource_type ORDER BY i.start_time) = i.start_time, false)
                AS goes_on
            FROM the_job AS j, jobs.bottlenecks(j.job_id) AS i) AS b) AS b,
    LATERAL (VALUES ('job_bottleneck_rows', n), ('job_bottlenecks', s)) AS v (measure, answer);
INSERT INTO bench.answer
SELECT v.measure, 'ours', v.answer
FROM (SELECT count(*) AS n, sum(estimated_impact * (1 + phase_id % 97) * (1 + length(source))) AS s
      FROM the_job AS j, jobs.performance_issues(j.job_id)) AS b,
    LATERAL (VALUES ('job_issue_rows', n), ('job_issues', s)) AS v (measure, answer);
\o
