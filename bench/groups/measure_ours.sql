-- Our side of groups of profiles. Variables: n, runs, slow_runs, frame, sizes, matrix, columns.
--
-- Arguments are arrays in a table: detoasting and decoding are timed, unless said otherwise.
\set ON_ERROR_STOP on
\o /dev/null
\ir ../settings.sql
-- tests warn of too few profiles
SET client_min_messages = error;

-- --- per key, verdicts, sequences --------------------------------------------------------------------------------------

CREATE TEMPORARY TABLE question (measure text, runs int, kind text, columns text, source text);
INSERT INTO question VALUES
    ('group_welch_stack', :runs, 'usual', 'count(*), sum(t)', 'compare_profiles(before, after)'),
    ('group_welch_node', :runs, 'usual', 'count(*), sum(t)', 'compare_profiles(before, after, ''node'')'),
    ('group_maxt_stack', :slow_runs, 'usual', 'count(*), sum(t)', 'compare_profiles(before, after, ''stack'', ''maxt'')'),
    ('group_maxt_node', :slow_runs, 'close', 'count(*), sum(t)', 'compare_profiles(before, after, ''node'', ''maxt'')'),
    ('group_energy', :slow_runs, 'usual', 'min(p_value)', 'energy_test(before, after)'),
    ('group_changes', :runs, 'usual', 'count(*), sum(change_at)', 'change_points(every)'),
    ('group_correlation', :runs, 'usual', 'count(*), sum(score)',
     'LATERAL (SELECT array_agg(i::float8) AS metric FROM generate_series(1, cardinality(every)) AS i) AS m, frame_correlation(every, metric)');
SELECT bench.measure(measure, 'ours', :n, 1, runs, format($$
    SELECT %s FROM bench.sample_of AS s, %s WHERE kind = %L AND s.n = %s
$$, columns, source, kind, :n))
FROM question;

-- Growth over recordings, of the questions above on the usual ones.
SELECT bench.measure('grow_' || measure, 'ours', s.n, 1, CASE WHEN s.n > 100 THEN :slow_runs ELSE q.runs END, format($$
    SELECT %s FROM bench.sample_of AS s, %s WHERE kind = 'usual' AND s.n = %s
$$, columns, source, s.n))
FROM question AS q, unnest(:'sizes'::int[]) AS s (n) ORDER BY q.measure, s.n;

SELECT bench.measure('group_stats_' || level, 'ours', :n, 1, :runs, format($$
    SELECT pg_column_size(stats(fg, %L)) FROM bench.run WHERE kind = 'usual' AND run <= %s
$$, level, :n))
FROM unnest(ARRAY['stack', 'node']) AS level;
SELECT bench.measure('grow_group_stats', 'ours', s.n, 1, :runs, format($$
    SELECT pg_column_size(stats(fg, 'node')) FROM bench.run WHERE kind = 'usual' AND run <= %s
$$, s.n))
FROM unnest(:'sizes'::int[]) AS s (n);
SELECT bench.measure('group_compare_stats_' || level, 'ours', :n, 1, :runs, format($$
    SELECT count(*), sum(t) FROM bench.stats_of, compare_stats(before, after) WHERE level = %L
$$, level))
FROM unnest(ARRAY['stack', 'node']) AS level;

SELECT bench.measure('group_numbers', 'ours', :n, 1, :runs,
    'SELECT count(*) FROM (SELECT array_agg(n % 7 + n / 500) AS series FROM generate_series(1, 1000) AS n) AS s, change_points(series)');

-- --- one run against those before it ---------------------------------------------------------------------------------------

DELETE FROM question;
INSERT INTO question VALUES
    ('deviation', :runs, '', 'count(*), sum(diff)', 'deviation_scores(history, current, window_size => s.n)'),
    ('deviation_potential', :runs, '', 'count(*), sum(diff)', 'deviation_scores(history, current, window_size => s.n, metric => ''potential:2'')'),
    ('expand', :runs, '', 'count(*), sum(diff)', format('expand_context(history, current, %L, options => ''{"window_size": 1000}'')', :'frame')),
    ('report', :runs, '', 'count(*), sum(diff)', 'regression_report(history, current, options => ''{"window_size": 1000}'')');
SELECT bench.measure('group_' || measure, 'ours', 11, 1, runs, format($$
    SELECT %s FROM bench.sample_of AS s, %s WHERE kind = 'usual' AND s.n = 11
$$, columns, source))
FROM question;
SELECT bench.measure('grow_group_' || measure, 'ours', s.n, 1, q.runs, format($$
    SELECT %s FROM bench.sample_of AS s, %s WHERE kind = 'usual' AND s.n = %s
$$, columns, source, s.n))
FROM question AS q, unnest(:'sizes'::int[]) AS s (n) ORDER BY q.measure, s.n;

-- --- Hotelling's test -----------------------------------------------------------------------------------------------------

-- No stack is in so many profiles: they are read as often as for the test, but nothing is left to compute. One after
-- the other, so that both see the same machine; the difference is what the mathematics takes.
CREATE FUNCTION bench.measure_hotelling(wanted_depth text, wanted int, runs int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    name text := format('hotelling_%s', wanted_depth);
    test text := format('SELECT t.t2 FROM bench.matrix_sample AS m, hotelling_test(before, after) AS t WHERE m.depth = %L AND m.p = %s', wanted_depth, wanted);
    reading text := replace(test, 'after)', 'after, min_df => 2147483647)');
BEGIN
    FOR run IN 1 .. runs LOOP
        PERFORM bench.measure(name, 'ours', wanted, 1, 1, test, run = 1);
        PERFORM bench.measure(name || '_reading', 'ours', wanted, 1, 1, reading, run = 1);
    END LOOP;
    INSERT INTO bench.sample (measure, side, size, work, seconds)
    SELECT name || '_rest', 'ours', wanted, 1,
        percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) FILTER (WHERE measure = name) -
        percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) FILTER (WHERE measure = name || '_reading')
    FROM bench.sample WHERE size = wanted;
END
$$;
SELECT bench.measure_hotelling(depth, p, 3 * :runs) FROM bench.matrix_sample WHERE depth <> 'singular';

-- --- answers, not timed ---------------------------------------------------------------------------------------------------

INSERT INTO bench.answer
SELECT 'hotelling_' || depth || '_' || name, 'ours', answer
FROM bench.matrix_sample AS m, hotelling_test(before, after) AS t, (VALUES ('t2'), ('p_value')) AS v (name),
    LATERAL (SELECT CASE name WHEN 't2' THEN t2 ELSE p_value END AS answer) AS a
WHERE depth <> 'singular' AND m.p = :columns;
INSERT INTO bench.answer
SELECT format('group_%s_%s_%s', method, level, name), 'ours', answer
FROM bench.sample_of AS s, (VALUES ('welch', 'stack', 'usual'), ('welch', 'node', 'usual'), ('maxt', 'node', 'close')) AS m (method, level, wanted),
    LATERAL (SELECT sum(abs(t)) AS t, sum(p_value) AS p, sum(q_value) AS q FROM compare_profiles(before, after, level, method)) AS c,
    LATERAL (VALUES ('t', t), ('p', p), ('q', q)) AS a (name, answer)
WHERE kind = wanted AND s.n = :n;
INSERT INTO bench.answer
SELECT format('group_welch_%s_%s', level, name), 'ours from statistics', answer
FROM bench.stats_of,
    LATERAL (SELECT sum(abs(t)) AS t, sum(p_value) AS p, sum(q_value) AS q FROM compare_stats(before, after)) AS c,
    LATERAL (VALUES ('t', t), ('p', p), ('q', q)) AS a (name, answer);
INSERT INTO bench.answer
SELECT 'group_energy_statistic', 'ours', statistic FROM bench.sample_of, energy_test(before, after) WHERE kind = 'usual' AND n = :n;
-- The change that was made is found.
INSERT INTO bench.answer
SELECT 'group_change_at', side, at
FROM (SELECT 'ours' AS side, min(change_at) AS at FROM bench.sample_of, change_points(every) WHERE kind = 'usual' AND n = :n
      UNION ALL SELECT 'made', :n / 2 + 1) AS s;

\o
