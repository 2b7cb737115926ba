-- How long a cancelled statement goes on: each of long_statement is ended by a timeout, at several moments. They fail, so
-- errors stop nothing here. Variables: measure and size of the row.
\set ON_ERROR_STOP off
\o /dev/null
\ir settings.sql

SET client_min_messages = error;
SELECT statement
FROM long_statement AS q,
    unnest(ARRAY[5, 20, 50, 100, 150, 200, 300, 500]) AS timeout, generate_series(1, 3) AS turn,
    LATERAL unnest(ARRAY[
        format('INSERT INTO bench.cancelled VALUES (%L, %L, %s, clock_timestamp())', :'measure', name, timeout),
        format('SET statement_timeout = %s', timeout),
        query,
        'SET statement_timeout = 0',
        'UPDATE bench.cancelled SET waited = extract(epoch FROM clock_timestamp() - started) - timeout / 1e3 WHERE waited IS NULL'
    ]) WITH ORDINALITY AS s (statement, place)
ORDER BY turn, name, timeout, place \gexec

-- A statement that is wrong ends at once, and one that is always done in time has shown nothing.
\set ON_ERROR_STOP on
DO $$
DECLARE
    early text;
BEGIN
    SELECT string_agg(name, ', ') INTO early FROM (SELECT name FROM bench.cancelled GROUP BY name HAVING max(waited) < 0) AS s;
    IF early IS NOT NULL THEN
        RAISE 'never cancelled: %', early;
    END IF;
END
$$;

-- The longest of all; what other work on the machine made a statement wait is in it.
INSERT INTO bench.sample (measure, side, size, work, seconds)
SELECT :'measure', 'ours', :size, 1, greatest(max(waited), 0) FROM bench.cancelled WHERE measure = :'measure';
\o
