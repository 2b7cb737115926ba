-- A job: the build of this project with make -j2, recorded by tools/record-job. Run by demo/run.sh from the top of the tree.
\pset format aligned
\pset tuples_only off
SET client_min_messages = warning;
CREATE EXTENSION flamegraph_jobs;
\echo
\echo 'Jobs of many parts, too. The extension flamegraph_jobs knows what each part did when, and what was measured of the machine;'
\echo 'here the commands of the build of this project, make -j2 on two cores (recorded by tools/record-job). Where did time go?'
\echo
\cd test/data/jobs/build
\i load.sql
\cd ../../../..
SELECT phase_type, count(*) AS phases, round(sum(extract(epoch FROM end_time - start_time)), 1) AS seconds
FROM jobs.phase WHERE job_id = :job_id GROUP BY 1 HAVING sum(end_time - start_time) > interval '0.2 s' ORDER BY 3 DESC, 1;

\echo 'What limits it, and what would it gain at most to change that? make waits for a token all the time, as both processors are'
\echo 'busy. Balance of the two slots would gain next to nothing: make balances well.'
\echo
SELECT issue, source, round(estimated_impact::numeric, 2) AS seconds, round(100 * relative_impact::numeric, 1) AS percent
FROM jobs.performance_issues(:job_id) WHERE phase_id = 1 AND relative_impact > 0.001 ORDER BY rank;

\echo 'And what would it gain to leave out clang-14, the code for the just-in-time compiler? A replay of the job says:'
\echo
SELECT change, round(extract(epoch FROM s.end_time - s.start_time), 1) AS makespan
FROM (VALUES (1, '{}'::jsonb), (2, '{"remove": "jobserver", "scale": ["job/slot/command/clang-14", 0]}')) AS c (n, change),
    jobs.simulate(:job_id, change) AS s
WHERE phase_id = 1 ORDER BY n;
\pset format unaligned
\pset tuples_only on
SELECT flamegraph_svg(jobs.job_profile(:job_id), 'The build of this project, make -j2', 's') \g tmp/demo/build.svg
SELECT jobs.report_html(:job_id) \g tmp/demo/job.html
