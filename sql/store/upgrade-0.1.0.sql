--
-- noise of recordings
--

ALTER TABLE profile_data ADD COLUMN samples flamegraph, ADD COLUMN noise flamegraph;
ALTER TABLE rollup ADD COLUMN samples flamegraph, ADD COLUMN noise flamegraph, ADD COLUMN period float8;
-- What period_of() says, where all profiles are still known and have the same one.
UPDATE rollup AS r SET period = s.period
FROM (SELECT o.benchmark_id, o.event, o.unit, o.branch, o.test_run_id, min(p.period) AS period
	FROM rollup AS o JOIN profile AS p ON p.benchmark_id = o.benchmark_id AND p.event = o.event AND p.unit = o.unit
		AND p.test_run_id = ANY (o.run_ids)
	GROUP BY o.benchmark_id, o.event, o.unit, o.branch, o.test_run_id, o.repetitions
	HAVING count(*) FILTER (WHERE p.period IS NOT NULL OR p.nodes = 0) = o.repetitions
		AND count(*) = o.repetitions AND min(p.period) = max(p.period)) AS s
WHERE s.benchmark_id = r.benchmark_id AND s.event = r.event AND s.unit = r.unit AND s.branch = r.branch
	AND s.test_run_id = r.test_run_id AND s.period BETWEEN 1e-100::float8 AND 1e100::float8
	AND CASE WHEN nstacks(r.flamegraph) = 0 THEN false
		WHEN is_positive(r.flamegraph) THEN @-@ r.flamegraph <= 1e150::float8 END;
-- replaced: profiles, profiles_of, selected_profiles

-- Who may import profiles of benchmarks may ingest those of services.
INSERT INTO kept_rights SELECT 'store_incoming', k.role FROM kept_rights AS k WHERE k.name = 'store_profile';

--
-- findings: what is behind them, and what becomes of them
--

-- made anew: found_in_models
ALTER TABLE watch DROP CONSTRAINT watch_method_check,
	ADD CONSTRAINT watch_method_check CHECK (word_works('method'::text, method, 'deviation'::text,
		'welch'::text, 'hotelling'::text, 'energy'::text, 'change_point'::text, 'correlation'::text, 'integral'::text,
		'local_statistics'::text, 'drift'::text));
ALTER TABLE watch ADD COLUMN confirm int NOT NULL DEFAULT 0 CHECK (confirm >= 0 AND confirm <= 1000);
ALTER TABLE regression
	ADD COLUMN samples float8,
	ADD COLUMN cause text NOT NULL DEFAULT '' CHECK (cause IN ('', 'shift', 'environment')),
	ADD COLUMN counterpart stackpath[] NOT NULL DEFAULT '{}',
	ADD COLUMN group_id bigint,
	ADD COLUMN seen int NOT NULL DEFAULT 1,
	-- Of what was found before, somebody was told.
	ADD COLUMN notified_at timestamptz,
	ADD COLUMN last_repetitions int,
	ADD COLUMN baseline text NOT NULL DEFAULT '';
UPDATE regression SET notified_at = opened_at;
ALTER TABLE regression DROP CONSTRAINT regression_kind_check,
	ADD CONSTRAINT regression_kind_check CHECK (kind IN ('degradation', 'optimization', 'environment'));
DROP INDEX regression_open_key;
CREATE UNIQUE INDEX regression_open_key ON regression (benchmark_id, event, unit, branch, method, level, subject_id)
	WHERE status IN ('open', 'acknowledged', 'pending');
DROP INDEX profile_test_run_idx;
ALTER TABLE profile DROP CONSTRAINT profile_key,
	ADD CONSTRAINT profile_key UNIQUE (test_run_id, benchmark_id, event, unit, instance, repetition, content_id);
ALTER TYPE means ADD ATTRIBUTE moments flamestats, ADD ATTRIBUTE samples flamegraph[], ADD ATTRIBUTE repetitions int[],
	ADD ATTRIBUTE samples_known bool, ADD ATTRIBUTE repeated flamegraph[];
ALTER TYPE tested_key ADD ATTRIBUTE samples_before float8, ADD ATTRIBUTE samples_after float8,
	ADD ATTRIBUTE samples float8;
ALTER TYPE changes ADD ATTRIBUTE pending int, ADD ATTRIBUTE went_away int, ADD ATTRIBUTE shifted int,
	ADD ATTRIBUTE untested text;
ALTER TABLE job_log ADD COLUMN kept_back jsonb NOT NULL DEFAULT '{}';
ALTER TYPE finding ADD ATTRIBUTE samples float8, ADD ATTRIBUTE cause text, ADD ATTRIBUTE counterpart stackpath[];
-- replaced: detect, found, with_team
-- replaced: watches_of
