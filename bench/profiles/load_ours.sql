-- The values, stored as a user's table would store them: plain columns. The recordings are already there: run.sh
-- loads them with the clock running.
\set ON_ERROR_STOP on
SET client_min_messages = warning;

CREATE UNLOGGED TABLE bench.fg (nodes int, fg flamegraph);
INSERT INTO bench.fg SELECT nodes, flamegraph_from_folded(data) FROM bench.folded WHERE ordering = 'sorted' ORDER BY nodes;
CREATE UNLOGGED TABLE bench.profile_external (profile_id int, fg flamegraph);
ALTER TABLE bench.profile_external ALTER fg SET STORAGE EXTERNAL;
INSERT INTO bench.profile_external SELECT profile_id, flamegraph_from_folded(data) FROM bench.recording ORDER BY profile_id;
DROP TABLE bench.recording;
-- Ten nodes, two stacks, a profile.
CREATE UNLOGGED TABLE bench.small (profile_id int, fg flamegraph);
INSERT INTO bench.small SELECT profile_id, flamegraph_from_folded(string_agg(stack || ' ' || value, E'\n'))
FROM bench.small_row GROUP BY profile_id ORDER BY profile_id;
VACUUM ANALYZE bench.fg, bench.profile, bench.profile_external, bench.small;

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
    IF EXISTS (SELECT FROM bench.small WHERE nnodes(fg) <> 10 OR nstacks(fg) <> 2) THEN
        RAISE 'a small profile has not ten nodes';
    END IF;
    SELECT nstacks(fg) AS stacks, total(fg) AS total INTO ours FROM (SELECT sum(fg) AS fg FROM bench.small) AS s;
    SELECT count(*)::int AS stacks, sum(value) AS total INTO peer
    FROM (SELECT stack, sum(value) AS value FROM bench.small_row GROUP BY stack) AS s;
    IF ours IS DISTINCT FROM peer THEN
        RAISE 'sum(fg) and GROUP BY of small profiles disagree: % and %', ours, peer;
    END IF;
END
$$;
