-- Analyses of the largest job that are cancelled. Variables: phases, of that job.
\set ON_ERROR_STOP on
\o /dev/null
CREATE TEMPORARY TABLE long_statement (name text, query text);
INSERT INTO long_statement
SELECT name, format('SELECT count(*) FROM jobs.%s', replace(call, 'JOB', job_id::text))
FROM bench.job, (VALUES
    ('consumption', 'phase_consumption(JOB)'),
    ('bottlenecks', 'bottlenecks(JOB)'),
    ('durations', 'bottleneck_durations(JOB)'),
    ('timeline', 'bottleneck_timeline(JOB)'),
    ('issues', 'performance_issues(JOB)'),
    ('usage', 'attribute_usage(JOB)'),
    ('sampling', 'sampling_error(JOB, ARRAY[1, 2, 4, 8])')
) AS s (name, call)
WHERE phases = :phases AND stretch = 1;
\o
\set measure job_cancel
\set size :phases
\ir ../measure_cancel.sql
