-- Tables and the stopwatch of the benchmarks. Run by run.sh on an empty database.
\set ON_ERROR_STOP on
SET client_min_messages = warning;

CREATE SCHEMA bench;

-- All tables are unlogged: reading them is what is timed, and gigabytes of WAL would only slow the loading.

-- Folded text that is parsed. EXTERNAL: kept out of line and not compressed, so that reading it costs a copy and the
-- parser is what is measured (pglz alone would cap the rate at some 900 MB/s).
CREATE UNLOGGED TABLE bench.folded (nodes int, ordering text, data text);
ALTER TABLE bench.folded ALTER data SET STORAGE EXTERNAL;

-- The same recordings twice: as rows, in the table one would build without the extension, and (profiles/load_ours.sql) as
-- values.
CREATE UNLOGGED TABLE bench.stack_row (profile_id int, stack text, value float8);
CREATE UNLOGGED TABLE bench.recording (profile_id int, data text);
ALTER TABLE bench.recording ALTER data SET STORAGE EXTERNAL;

-- What was measured: one row a run; "work" in the row's unit (bytes, nodes, calls), see README.md. "answer" is what
-- the query returned, by which the sides are compared (profiles/check_answers.sql).
CREATE UNLOGGED TABLE bench.sample (ordinal int GENERATED ALWAYS AS IDENTITY, measure text, side text, size bigint, work float8, seconds float8, answer text);

-- Runs a query "runs" times and notes the time of each; once more before, to warm up, unless told not to.
--
-- The query goes through EXECUTE, so that it is planned and run anew each time; it must take its arguments from a
-- table, because the planner folds an immutable function of constants and the loop would then measure nothing. It
-- must return one narrow row, because sending results to a client is not what is compared.
CREATE FUNCTION bench.measure(measure text, side text, size bigint, work float8, runs int, query text, warm bool DEFAULT true) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    started timestamptz;
    result record;
BEGIN
    FOR run IN CASE WHEN warm THEN 0 ELSE 1 END .. runs LOOP
        started := clock_timestamp();
        EXECUTE query INTO STRICT result;
        IF run > 0 THEN
            INSERT INTO bench.sample (measure, side, size, work, seconds, answer)
            VALUES (measure, side, size, work, extract(epoch FROM clock_timestamp() - started), result::text);
        END IF;
    END LOOP;
END
$$;

-- Pages that a query touches, in the cache or not. Run twice: the first run may also read the catalog.
CREATE FUNCTION bench.buffers(query text) RETURNS float8
LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    FOR run IN 0 .. 1 LOOP
        EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ' || query INTO STRICT plan;
    END LOOP;
    RETURN (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::float8 + (plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::float8;
END
$$;

-- Stacks for the questions about paths: labels of letters, digits and underscores, joined by semicolons.
CREATE UNLOGGED TABLE bench.stack_text (id int GENERATED ALWAYS AS IDENTITY, stack text);

-- Two programs, whose sum is the large profile for questions about calling contexts; and recordings for stacks that are
-- cut off.
CREATE UNLOGGED TABLE bench.half_folded (data text);
CREATE UNLOGGED TABLE bench.partial_folded (data text);

-- Statements that were cancelled (measure_cancel.sql).
CREATE UNLOGGED TABLE bench.cancelled (measure text, name text, timeout int, started timestamptz, waited float8);

-- Answers of models and of tests of groups, which the sides must agree on (models/check.sql, groups/check.sql).
CREATE UNLOGGED TABLE bench.answer (measure text, side text, answer float8);
