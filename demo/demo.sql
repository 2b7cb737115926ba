-- The main job on real profiles: what is in them, where the time goes, what the change did to it.
-- Run by demo/run.sh after load.sql; in "make psql" each statement can be tried by itself.
\pset footer off
\pset null '-'
\set QUIET on

\echo
\echo 'These are CPU profiles of one PostgreSQL backend under the same work, recorded without and with an index'
\echo 'on the column it looks up. Each one is a value in a row; their sum is a profile again:'
\echo
SELECT version,
       count(*) AS profiles,
       round(avg(nnodes(profile))) AS nodes_each,
       nnodes(sum(profile)) AS nodes_of_the_sum,
       total(sum(profile)) AS samples
FROM profile
GROUP BY version
ORDER BY version DESC;

\echo 'Without the index these call stacks took most of the time (samples per run, on the average):'
\echo
SELECT round(value::numeric, 1) AS samples,
       to_char(100 * value / total(mean), '990.0"%"') AS share,
       '… ' || array_to_string((frames(stack))[greatest(depth(stack) - 2, 1):], ' > ') AS the_last_three_frames
FROM (SELECT avg(profile) AS mean FROM profile WHERE version = 'noindex') m,
     LATERAL stacks(mean)
ORDER BY value DESC, stack
LIMIT 8;

\echo 'What a function costs together with what it calls, down to two levels, wherever it is called from (subtree'
\echo 'potential; recursion is counted once):'
\echo
SELECT frame, round(potential::numeric) AS potential, to_char(100 * share, '990.0"%"') AS share
FROM subtree_potential((SELECT sum(profile) FROM profile WHERE version = 'noindex'), 2)
ORDER BY potential DESC, frame
LIMIT 8;

\echo 'What the index did: the difference of the two averages, split into what was saved and what was added:'
\echo
WITH mean AS (
    SELECT avg(profile) FILTER (WHERE version = 'noindex') AS before,
           avg(profile) FILTER (WHERE version = 'index') AS after
    FROM profile
)
SELECT round(total(before)::numeric, 1) AS before,
       round(total(after)::numeric, 1) AS after,
       round(total(positive_part(before - after))::numeric, 1) AS saved,
       round(total(negative_part(before - after))::numeric, 1) AS added
FROM mean;

\echo 'The stacks that the averages differ in most:'
\echo
WITH mean AS (
    SELECT avg(profile) FILTER (WHERE version = 'noindex') AS before,
           avg(profile) FILTER (WHERE version = 'index') AS after
    FROM profile
)
SELECT round(value::numeric, 1) AS change,
       '… ' || array_to_string((frames(stack))[greatest(depth(stack) - 2, 1):], ' > ') AS the_last_three_frames
FROM mean, LATERAL stacks(after - before)
ORDER BY abs(value) DESC, stack
LIMIT 8;

\echo 'Is that more than noise? Two profiles of one group are more alike than two of different groups (1 = equal):'
\echo
SELECT CASE WHEN a.version = b.version THEN 'within ' || a.version ELSE 'across the groups' END AS pairs,
       count(*) AS n,
       round(min(similarity(a.profile, b.profile))::numeric, 3) AS lowest,
       round(avg(similarity(a.profile, b.profile))::numeric, 3) AS mean,
       round(max(similarity(a.profile, b.profile))::numeric, 3) AS highest
FROM profile a
JOIN profile b ON (a.version, a.run) < (b.version, b.run)
GROUP BY 1
ORDER BY 1;

\echo 'The verdict. Do the groups differ at all (energy test: how many of 999 random divisions of the 48 profiles differ as'
\echo 'much), and how many call stacks and functions changed, if one in twenty of those named may be wrong?'
\echo
CREATE TEMP VIEW compared AS
SELECT array_agg(profile ORDER BY run) FILTER (WHERE version = 'noindex') AS before,
       array_agg(profile ORDER BY run) FILTER (WHERE version = 'index') AS after
FROM profile;
SELECT e.p_value,
       (SELECT count(*) FILTER (WHERE significant) || ' of ' || count(*) FROM compare_profiles(before, after)) AS stacks,
       (SELECT count(*) FILTER (WHERE significant) || ' of ' || count(*) FROM compare_profiles(before, after, 'frame')) AS functions
FROM compared, energy_test(before, after) AS e;

\echo 'Which functions, with what they call, and how sure: samples per run and the 95 % interval of the change (those that'
\echo 'changed by more than half):'
\echo
SELECT key AS function, round(mean_before::numeric, 1) AS before, round(mean_after::numeric, 1) AS after,
       round(delta::numeric, 1) AS change, format('%s to %s', round(lower::numeric, 1), round(upper::numeric, 1)) AS between,
       to_char(q_value, '9.9EEEE') AS q_value
FROM compared, compare_profiles(before, after, 'frame')
WHERE significant AND coalesce(abs(relative), 1) > 0.5
ORDER BY abs(delta) DESC
LIMIT 10;

\echo 'The stacks that changed most, of those that are significant:'
\echo
SELECT round(mean_before::numeric, 1) AS before, round(mean_after::numeric, 1) AS after, to_char(q_value, '9.9EEEE') AS q_value,
       '… ' || array_to_string((frames(key))[greatest(depth(key) - 2, 1):], ' > ') AS the_last_three_frames
FROM compared, compare_profiles(before, after)
WHERE significant
ORDER BY abs(delta) DESC
LIMIT 5;
