-- Statements with tests of groups of profiles that are cancelled. Variables: frame, matrix.
\set ON_ERROR_STOP on
\o /dev/null
CREATE TEMPORARY TABLE long_statement (name text, query text);
-- All recordings there are.
INSERT INTO long_statement
SELECT name, format('SELECT count(*) FROM bench.sample_of AS s, %s WHERE kind = ''usual'' AND s.n = %s', source, (SELECT max(n) FROM bench.sample_of))
FROM (VALUES
    ('welch', 'compare_profiles(before, after, ''node'')'),
    ('maxt', 'compare_profiles(before, after, ''node'', ''maxt'')'),
    ('maxt, many permutations', 'compare_profiles(before, after, ''stack'', ''maxt'', permutations => 100000)'),
    ('energy', 'energy_test(before, after)'),
    ('change_points', 'change_points(every)'),
    ('too many stacks', 'hotelling_test(before, after)'),
    ('deviation_scores', 'deviation_scores(history, current, window_size => 1000)'),
    ('correlation', 'LATERAL (SELECT array_agg(i::float8) AS metric FROM generate_series(1, cardinality(every)) AS i) AS m, frame_correlation(every, metric)'),
    ('expand_context', format('expand_context(history, current, %L, options => ''{"window_size": 1000, "max_breadth": 10}'')', :'frame')),
    ('report', 'regression_report(history, current, 50, options => ''{"window_size": 1000}'')'),
    ('check', 'sample_check(every)')
) AS v (name, source);
INSERT INTO long_statement VALUES
    ('stats', 'SELECT pg_column_size(stats(fg, ''node'')) FROM bench.run WHERE kind = ''usual'''),
    ('compare_stats', 'SELECT count(*) FROM bench.stats_of, compare_stats(before, after)'),
    ('change_points of numbers', 'SELECT count(*) FROM (SELECT array_agg(n % 7 + n / 1000) AS series FROM generate_series(1, 5000) AS n) AS s, change_points(series)');
\o
\set measure group_cancel
\set size 1
\ir ../measure_cancel.sql

-- What LAPACK does in one call cannot be interrupted.
\o /dev/null
DELETE FROM long_statement;
INSERT INTO long_statement
SELECT depth, format('SELECT count(*) FROM bench.matrix_sample AS m, hotelling_test(before, after) WHERE depth = %L AND m.p = %s', depth, p)
FROM bench.matrix_sample WHERE depth = 'frame' AND p = :matrix;
\o
\set measure hotelling_cancel
\set size :matrix
\ir ../measure_cancel.sql

\o /dev/null
DELETE FROM long_statement;
INSERT INTO long_statement
SELECT depth, format('SELECT count(*) FROM bench.matrix_sample AS m, hotelling_test(before, after) WHERE depth = %L', depth)
FROM bench.matrix_sample WHERE depth = 'singular';
\o
\set measure hotelling_cancel_singular
\ir ../measure_cancel.sql
