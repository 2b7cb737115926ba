--
-- noise of recordings
--

ALTER TABLE profile_data ADD COLUMN samples flamegraph, ADD COLUMN noise flamegraph;
ALTER TABLE rollup ADD COLUMN samples flamegraph, ADD COLUMN noise flamegraph;
-- replaced: profiles, profiles_of, selected_profiles

--
-- findings: what is behind them, and what becomes of them
--

-- made anew: found_in_models
ALTER TABLE watch ADD COLUMN confirm int NOT NULL DEFAULT 0 CHECK (confirm >= 0 AND confirm <= 1000);
ALTER TABLE regression
	ADD COLUMN samples float8,
	ADD COLUMN cause text NOT NULL DEFAULT '' CHECK (cause IN ('', 'shift', 'environment')),
	ADD COLUMN counterpart stackpath[] NOT NULL DEFAULT '{}',
	ADD COLUMN group_id bigint,
	ADD COLUMN seen int NOT NULL DEFAULT 1,
	-- Of what was found before, somebody was told.
	ADD COLUMN notified_at timestamptz;
UPDATE regression SET notified_at = opened_at;
ALTER TABLE regression DROP CONSTRAINT regression_kind_check,
	ADD CONSTRAINT regression_kind_check CHECK (kind IN ('degradation', 'optimization', 'environment'));
DROP INDEX regression_open_key;
CREATE UNIQUE INDEX regression_open_key ON regression (benchmark_id, event, unit, branch, method, level, subject_id)
	WHERE status IN ('open', 'acknowledged', 'pending');
ALTER TYPE finding ADD ATTRIBUTE samples float8, ADD ATTRIBUTE cause text, ADD ATTRIBUTE counterpart stackpath[];
-- replaced: detect, found, with_team
-- replaced: watches_of
