-- The values, stored as a user's table would store them: plain columns, pglz.
\set ON_ERROR_STOP on
SET client_min_messages = warning;
CREATE EXTENSION flamegraph;

CREATE UNLOGGED TABLE bench.fg (nodes int, fg flamegraph);
INSERT INTO bench.fg SELECT nodes, flamegraph_from_folded(data) FROM bench.folded WHERE ordering = 'sorted' ORDER BY nodes;
CREATE UNLOGGED TABLE bench.profile (profile_id int, fg flamegraph);
INSERT INTO bench.profile SELECT profile_id, flamegraph_from_folded(data) FROM bench.recording ORDER BY profile_id;
DROP TABLE bench.recording;
VACUUM ANALYZE bench.fg, bench.profile;

-- Speed without the right answer is worth nothing: both sides hold the same data and agree on the sum.
DO $$
DECLARE
    ours record;
    peer record;
BEGIN
    IF EXISTS (SELECT FROM bench.folded JOIN bench.fg USING (nodes)
               WHERE flamegraph_from_folded(data) <> fg OR nnodes(fg) <> nodes) THEN
        RAISE 'sorted and shuffled text give different values, or the wrong number of nodes';
    END IF;
    SELECT nstacks(fg) AS stacks, total(fg) AS total INTO ours FROM (SELECT sum(fg) AS fg FROM bench.profile) AS s;
    SELECT count(*)::int AS stacks, sum(value) AS total INTO peer
    FROM (SELECT stack, sum(value) AS value FROM bench.stack_row GROUP BY stack) AS s;
    IF ours IS DISTINCT FROM peer THEN
        RAISE 'sum(fg) and GROUP BY disagree: % and %', ours, peer;
    END IF;
END
$$;
