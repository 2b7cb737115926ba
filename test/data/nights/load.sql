-- The recordings of this folder as a table, and a function that loads a night of them into the store as CI would. Run
-- from the top of the tree, in a database with the extension flamegraph_store; a second time does no harm.
DO $$ BEGIN
    IF to_regclass('recording') IS NOT NULL THEN
        DROP TABLE recording;
    END IF;
END $$;
CREATE TABLE recording (
    night       int NOT NULL,
    benchmark   text NOT NULL,
    branch      text NOT NULL,
    commit      text NOT NULL,
    event       text NOT NULL,
    unit        text NOT NULL,
    period      float8,         -- what a sample stands for, in unit
    repetition  int NOT NULL,
    metric      float8,         -- processor time of the run in milliseconds
    profile     flamegraph NOT NULL
);
\copy recording FROM 'test/data/nights/profiles.tsv'

CREATE OR REPLACE FUNCTION load_night(night int) RETURNS bigint LANGUAGE sql AS $$
    SELECT count(profiling.import_flamegraph(
        suite => 'nights', benchmark => r.benchmark, fg => r.profile,
        started_at => timestamptz '2026-10-31 02:00 UTC' + r.night * interval '1 day', branch => r.branch, commit => r.commit,
        event => r.event, unit => r.unit, period => r.period, repetition => r.repetition,
        metric => r.metric, metric_unit => CASE WHEN r.metric IS NULL THEN '' ELSE 'ms' END))
    -- A table has no order, and of two runs of a night the one that was loaded last is the newest.
    FROM (SELECT o.* FROM recording AS o WHERE o.night = load_night.night
        ORDER BY o.benchmark, o.branch, o.event DESC, o.repetition) AS r
$$;
