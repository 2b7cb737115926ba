-- The recorded profiles, one row each. Run by demo/run.sh from the top of the tree, in an empty database.
SET client_min_messages = warning;

CREATE EXTENSION flamegraph;

-- The whole load is one transaction: "profile" is there with its rows or not at all.
BEGIN;
CREATE TABLE profile (
    version text NOT NULL,      -- before or after the change
    run     int NOT NULL,
    profile flamegraph NOT NULL,
    PRIMARY KEY (version, run)
);
\copy profile (version, run, profile) FROM 'test/data/pgbench/profiles.tsv'
COMMIT;

ANALYZE profile;
