-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION flamegraph_store UPDATE TO '0.2.0'" to load this file. \quit

-- Written by tools/upgrade_script.py: by hand is only what comes from sql/store/upgrade-0.1.0.sql.

CREATE TABLE kept_rights AS
SELECT p.proname::text AS name, g.rolname::text AS role
FROM pg_catalog.pg_proc AS p CROSS JOIN LATERAL pg_catalog.aclexplode(p.proacl) AS a
	JOIN pg_catalog.pg_roles AS g ON g.oid OPERATOR(pg_catalog.=) a.grantee
WHERE p.pronamespace OPERATOR(pg_catalog.=) 'profiling'::pg_catalog.regnamespace
	AND a.grantee OPERATOR(pg_catalog.<>) p.proowner AND a.privilege_type OPERATOR(pg_catalog.=) 'EXECUTE';

DROP ROUTINE add_to_rollup(profile, text, timestamptz, flamegraph, float8),
	added(int, flamegraph, flamegraph),
	added_stats(int, flamestats, flamegraph, text, flamegraph),
	adds_at_once(int),
	change_besides(stackpath, stackpath[], text, flamegraph),
	change_of(stackpath, text, flamegraph),
	compare(jsonb, jsonb, text, text, text, float8, text, float8, int, int, bigint),
	compared_in_words(int, bigint, bigint, bigint),
	counted_findings(bigint, text, text, text, bigint[], bigint, bigint),
	end_night(bigint),
	found(watch, bigint, text, text, text, bigint[], int),
	found_in_models(watch, bigint, text, bigint, bigint),
	granted_function(),
	import_flamegraph(text, flamegraph, flamegraph, text, jsonb, timestamptz, text, text, text, jsonb, text, text, float8, timestamptz, interval, text, int, float8, text, text, jsonb),
	import_observations(text, text[], float8[], float8[], text, jsonb, timestamptz, text, text, text, jsonb, text, int),
	judged(text, text, text, text, text),
	judged_models(bigint[]),
	judged_profiles(bigint[]),
	log_job(text, text, timestamptz, text, bigint),
	open_finding(bigint, finding, flamegraph),
	open_locations(bigint, text, text, bigint),
	opened(changes, bigint, finding, flamegraph),
	recorded_profiles(bytea, text, jsonb),
	report(bigint, bigint, jsonb),
	report(text, bigint, jsonb),
	report_head(bigint, bigint, text, text, text, int, int),
	report_inputs(bigint, bigint, jsonb),
	run_means(bigint, text, text, bigint[]),
	scheduled_jobs(),
	scored_again(bigint, bigint[], flamegraph[], flamegraph, float8),
	significant(watch, text, bool, means, means, int),
	store_profile(profile, flamegraph, flamegraph),
	tested(watch, text, flamegraph[], flamegraph[], float8[], float8, float8),
	tested_key_by_key(watch, text, flamegraph[], flamegraph[], float8),
	value_of_sample(bigint, text, text, bigint, flamegraph),
	verdict(text, text, text, text, text),
	worst_finding(bigint, text, text, text, bigint[]);

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

ALTER TABLE profile_data ALTER flamegraph SET STORAGE EXTERNAL, ALTER truncated SET STORAGE EXTERNAL,
	ALTER samples SET STORAGE EXTERNAL, ALTER noise SET STORAGE EXTERNAL;

COMMENT ON COLUMN profile_data.samples
	IS 'number of samples per stack of flamegraph, where samples weigh differently; null: flamegraph / period, or '
		'unknown';

COMMENT ON COLUMN profile_data.noise
	IS 'sum of the squared weights of the samples per stack, in unit squared: the variance of flamegraph by chance '
		'alone; null: period * flamegraph, or unknown';

CREATE OR REPLACE VIEW profile_full AS
SELECT p.benchmark_id, p.profile_id, p.test_run_id, b.suite, b.name AS benchmark, b.parameters, t.branch, t.commit,
	t.version, t.started_at, p.event, p.unit, p.period, d.recorded_at, p.duration, p.instance, p.repetition, p.labels,
	p.metric, p.metric_unit, p.source, p.total, p.nodes, p.frames, p.truncated_share, p.reshaped, p.content_id,
	d.flamegraph, d.truncated, d.samples, d.noise
FROM profile AS p JOIN profile_data AS d
		ON d.benchmark_id = p.benchmark_id AND d.profile_id = p.profile_id AND d.recorded_at = p.recorded_at
	LEFT JOIN benchmark AS b ON b.benchmark_id = p.benchmark_id
	LEFT JOIN test_run AS t ON t.test_run_id = p.test_run_id;

DO $do$
DECLARE
	c pg_catalog.record;
BEGIN
	FOR c IN
		SELECT v.attname, pg_catalog.col_description(r.attrelid, r.attnum::int) AS comment
		FROM pg_catalog.pg_attribute AS v JOIN pg_catalog.pg_attribute AS r
			ON r.attname OPERATOR(pg_catalog.=) CASE WHEN v.attname OPERATOR(pg_catalog.=) 'benchmark'::name
				THEN 'name'::name ELSE v.attname END
			AND r.attrelid OPERATOR(pg_catalog.=) ('profiling.' OPERATOR(pg_catalog.||) CASE
				WHEN v.attname::text IN ('suite', 'benchmark', 'parameters') THEN 'benchmark'
				WHEN v.attname::text IN ('branch', 'commit', 'version', 'started_at') THEN 'test_run'
				WHEN v.attname::text IN ('flamegraph', 'truncated', 'samples', 'noise') THEN 'profile_data'
				ELSE 'profile' END)::pg_catalog.regclass::pg_catalog.oid
		WHERE v.attrelid OPERATOR(pg_catalog.=) 'profiling.profile_full'::pg_catalog.regclass::pg_catalog.oid
			AND v.attnum OPERATOR(pg_catalog.>) 0
	LOOP
		EXECUTE pg_catalog.format('COMMENT ON COLUMN profiling.profile_full.%I IS %L', c.attname, c.comment);
	END LOOP;
END
$do$;

ALTER TABLE rollup ALTER flamegraph SET STORAGE EXTERNAL, ALTER stats_stack SET STORAGE EXTERNAL,
	ALTER stats_node SET STORAGE EXTERNAL, ALTER stats_frame SET STORAGE EXTERNAL,
	ALTER stats_self SET STORAGE EXTERNAL, ALTER samples SET STORAGE EXTERNAL, ALTER noise SET STORAGE EXTERNAL;

ALTER TABLE rollup ALTER pending SET STORAGE EXTERNAL;

COMMENT ON COLUMN rollup.pending
	IS 'profile_id of profiles that flamegraph, the moments, samples, noise and period do not have yet; all other '
		'columns have them';

COMMENT ON COLUMN rollup.samples
	IS 'number of samples per stack of flamegraph; null when period says it, or nobody knows: '
		'samples_of(flamegraph, period, samples); of all profiles: '
		'summed_samples(flamegraph, period, samples, benchmark_id, pending)';

COMMENT ON COLUMN rollup.noise
	IS 'sum of the squared weights of the samples per stack of flamegraph, null when samples is: noise_of() and '
		'summed_noise()';

COMMENT ON COLUMN rollup.period
	IS 'what each sample of flamegraph stands for, in unit; null when samples has their numbers, when there are none, '
		'or when nobody knows';

CREATE OR REPLACE FUNCTION has_begun(started_at timestamptz) RETURNS bool
	LANGUAGE sql STABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT has_begun.started_at <= now() + '24 hours'::interval;
	END;

CREATE OR REPLACE FUNCTION pattern_works(pattern text) RETURNS bool
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	SET standard_conforming_strings = on AS $$
BEGIN
	-- an odd number of them: the last one has no character to stand before
	IF pattern ~ '(^|[^\\])(\\\\)*\\$' THEN
		RAISE EXCEPTION 'the pattern "%" ends in a backslash', pattern USING ERRCODE = 'invalid_escape_sequence',
			DETAIL = 'In a pattern of LIKE a backslash takes the special meaning from the character after it.',
			HINT = 'Write two of them for a backslash as it stands.';
	END IF;
	RETURN true;
END
$$;

CREATE OR REPLACE FUNCTION season_of(baseline text, OUT period interval, OUT periods int)
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT (m.parts)[1]::interval, (m.parts)[3]::int
		FROM (SELECT regexp_match(season_of.baseline, '^season:(0*[1-9][0-9]{0,3} (minute|hour|day|week|month|year)s?)'
			'\*(0*[1-9][0-9]{0,2})$'::text) AS parts) AS m;
	END;

COMMENT ON FUNCTION season_of(text) IS 'what a baseline season:INTERVAL*N says; nulls for what is none';

CREATE OR REPLACE FUNCTION season_phases(baseline text, started_at timestamptz)
	RETURNS TABLE (phase timestamptz, tolerance interval)
	LANGUAGE sql STABLE ROWS 4
	BEGIN ATOMIC
		-- In UTC a day has 24 hours, for everybody.
		SELECT (season_phases.started_at AT TIME ZONE 'UTC' - s.period * g.n::float8) AT TIME ZONE 'UTC',
			make_interval(secs => extract(epoch FROM s.period / 20::float8)::float8)
		FROM season_of(season_phases.baseline) AS s
			CROSS JOIN LATERAL pg_catalog.generate_series(1, s.periods) AS g (n);
	END;

COMMENT ON FUNCTION season_phases(text, timestamptz)
	IS 'by a baseline season:INTERVAL*N: when a run would have begun in each of the periods before, and how far from '
		'that another one may have begun; no rows for other baselines';

CREATE OR REPLACE FUNCTION baseline_works(baseline text) RETURNS bool
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_season CONSTANT record := profiling.season_of(baseline);
BEGIN
	IF v_season.period * v_season.periods::float8 <= interval '100 years' THEN
		RETURN true;
	ELSIF baseline LIKE 'season:%' THEN
		RAISE EXCEPTION 'baseline "%" is no season', baseline USING ERRCODE = 'invalid_parameter_value',
			HINT = 'It is season:INTERVAL*N, such as season:7 days*4: a number of minutes, hours, days, weeks, months '
				'or years, and how many of them to go back, from 1 to 999; 100 years in all.';
	ELSIF baseline !~ '^(window:0*[1-9][0-9]{0,5}|commit:.+|version:.+|branch:.*)$' THEN
		RAISE EXCEPTION 'unrecognized baseline "%"', baseline USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Available: window:N (N from 1 to 999999), season:INTERVAL*N, commit:SHA, version:V, branch:NAME.';
	END IF;
	RETURN true;
END
$$;

CREATE OR REPLACE FUNCTION status_works(status text, closed_at timestamptz) RETURNS bool
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	PERFORM profiling.word_works('status'::text, status, 'open'::text, 'acknowledged'::text, 'resolved'::text,
		'false_positive'::text, 'pending'::text, 'went_away'::text);
	IF closed_at IS NULL AND status IN ('resolved', 'false_positive', 'went_away') THEN
		RAISE EXCEPTION 'a finding with status "%" has a date in closed_at', status
			USING ERRCODE = 'check_violation', HINT = format('SET status = %L, closed_at = now()', status);
	END IF;
	IF closed_at IS NOT NULL AND status IN ('open', 'acknowledged', 'pending') THEN
		RAISE EXCEPTION 'a finding with status "%" has no date in closed_at', status
			USING ERRCODE = 'check_violation', HINT = format('SET status = %L, closed_at = NULL', status);
	END IF;
	RETURN true;
END
$$;

CREATE OR REPLACE FUNCTION pattern_reaches(pattern stackquery) RETURNS bool
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	SET standard_conforming_strings = on AS $$
DECLARE
	-- without what is in quotes
	v_bare CONSTANT text := regexp_replace(pattern::text, '"([^"\\]|\\.)*"', 'q', 'g');
BEGIN
	IF v_bare !~ '[;{]' AND v_bare !~ '^\*' THEN
		RAISE NOTICE 'pattern "%" matches stacks of one frame only', pattern USING
			DETAIL = 'Of functions it matches those of this name, not what they call, and no stack or context below.',
			HINT = format('For every stack through such a frame write *;%s;*', pattern);
	END IF;
	RETURN true;
END
$$;

CREATE OR REPLACE FUNCTION watch_options(OUT name text, OUT kind text, OUT lowest float8, OUT highest float8,
		OUT words text[]) RETURNS SETOF record
	LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 21
	BEGIN ATOMIC
		VALUES ('recent'::text, 'whole'::text, 0::float8, 999999::float8, NULL::text[]),
			('poisson_unit', 'number', 0, 1.7e308, NULL),
			('min_std', 'number', 0, 1.7e308, NULL),
			('zero_std', 'word', NULL, NULL, '{inf,zero}'),
			('variance', 'word', NULL, NULL, '{own,moderated}'),
			('min_df', 'whole', 1, 999999, NULL),
			('normalised', 'word', NULL, NULL, '{true,false}'),
			('permutations', 'whole', 1, 10000000, NULL),
			('seed', 'whole', -9e18, 9e18, NULL),
			('min_segment', 'whole', 2, 999999, NULL),
			('history', 'whole', 0, 999999, NULL),
			('correlation', 'word', NULL, NULL, '{pearson,spearman}'),
			('min_score', 'number', -1, 1, NULL),
			('ago', 'age', NULL, NULL, NULL),
			('model', 'word', NULL, NULL,
				'{regressogram,moving_average,kernel_regression,constant,logarithmic,linear,quadratic,power,'
				'exponential}'),
			('reference', 'text', 1, 1000, NULL),
			('environment', 'word', NULL, NULL, '{true,false}'),
			('shift_share', 'number', 0, 1, NULL),
			('notify_shift', 'word', NULL, NULL, '{true,false}'),
			('size_factor', 'word', NULL, NULL, '{none,host}'),
			('groups', 'word', NULL, NULL, '{true,false}'),
			('families', 'word', NULL, NULL, '{selected,bonferroni}');
	END;

COMMENT ON FUNCTION watch_options()
	IS 'the options of watch rows: whole numbers and numbers with their limits, words with what they may be, texts '
		'with how many bytes they may have';

CREATE OR REPLACE FUNCTION options_work(watch_id bigint, options jsonb) RETURNS bool
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	SET standard_conforming_strings = on AS $$
#variable_conflict use_column
DECLARE
	v_bad text;
	o record;
	v_value text;
	v_works bool;
BEGIN
	IF options_work.options = '{}' OR jsonb_typeof(options_work.options) <> 'object' THEN
		RETURN true;
	END IF;
	SELECT min(k) INTO v_bad FROM jsonb_object_keys(options_work.options) AS k
		WHERE k NOT IN (SELECT a.name FROM profiling.watch_options() AS a);
	IF v_bad IS NOT NULL THEN
		RAISE EXCEPTION 'unrecognized option "%" of watch row %', v_bad, options_work.watch_id
			USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Available: ' || (SELECT string_agg(a.name, ', ') FROM profiling.watch_options() AS a) || '.';
	END IF;
	FOR o IN SELECT a.* FROM profiling.watch_options() AS a LOOP
		v_value := options_work.options ->> o.name;
		CONTINUE WHEN v_value IS NULL;
		-- Numbers have at most 400 characters, so that the longest one that is not too large can be read.
		v_works := CASE
			WHEN o.kind = 'word' THEN v_value = ANY (o.words)
			-- so far back that PostgreSQL still has a date for it
			WHEN o.kind = 'age' THEN CASE WHEN v_value ~ '^0*[1-9][0-9]{0,3} (day|week|month|year)s?$'
				THEN v_value::interval <= interval '100 years' ELSE false END
			WHEN o.kind = 'text' THEN octet_length(v_value) BETWEEN o.lowest AND o.highest
			WHEN length(v_value) > 400 OR v_value !~ '^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?$' THEN false
			WHEN o.kind = 'whole' THEN v_value ~ '^-?[0-9]+$'
				AND v_value::numeric BETWEEN o.lowest::numeric AND o.highest::numeric
			ELSE v_value::numeric BETWEEN o.lowest::numeric AND o.highest::numeric END;
		IF NOT v_works THEN
			RAISE EXCEPTION 'option "%" of watch row % cannot be "%"', o.name, options_work.watch_id, left(v_value, 100)
				USING ERRCODE = 'invalid_parameter_value', HINT = CASE o.kind
					WHEN 'word' THEN 'Available: ' || array_to_string(o.words, ', ') || '.'
					WHEN 'age' THEN 'It is a number of days, weeks, months or years, such as 60 days, at most '
						'100 years.'
					WHEN 'text' THEN format('It has from %s to %s bytes.', o.lowest, o.highest)
					WHEN 'whole' THEN format('It is a whole number from %s to %s.', o.lowest::numeric,
						o.highest::numeric)
					ELSE format('It is a number from %s to %s.', o.lowest, o.highest) END;
		END IF;
	END LOOP;
	RETURN true;
END
$$;

COMMENT ON COLUMN watch.method
	IS 'deviation, welch, hotelling, energy, change_point, correlation, integral, local_statistics or drift';

COMMENT ON COLUMN watch.baseline
	IS 'window:N (the N runs before), season:INTERVAL*N (the runs nearest to the same phase of the N periods before), '
		'commit:SHA, version:V or branch:NAME; history is of the same branch, event and unit unless this says '
		'otherwise';

COMMENT ON COLUMN watch.confirm
	IS 'how many later runs must show a finding in the same direction before it is open and told; 0: the first one '
		'is enough';

COMMENT ON COLUMN regression.kind IS 'degradation, optimization, or environment: the machine and not the code';

COMMENT ON COLUMN regression.status
	IS 'open, acknowledged, resolved or false_positive; pending: not confirmed by later runs yet; went_away: gone '
		'before it was confirmed';

COMMENT ON COLUMN regression.closed_at
	IS 'when it went away or was closed; null while it is open, acknowledged or pending';

COMMENT ON COLUMN regression.samples
	IS 'how many samples of the new run are behind actual; null when the recordings do not say';

COMMENT ON COLUMN regression.cause
	IS 'shift: the cost moved here from counterpart; environment: the machine changed, not the code; else empty';

COMMENT ON COLUMN regression.counterpart IS 'of a shift the subjects that moved the other way';

COMMENT ON COLUMN regression.group_id IS 'the row of regression_group: findings with one cause';

COMMENT ON COLUMN regression.seen IS 'how many runs have shown it';

COMMENT ON COLUMN regression.last_repetitions
	IS 'how many repetitions the last run had then: later ones show it again, or not; null for a model';

COMMENT ON COLUMN regression.baseline
	IS 'what it was compared with, of services: a season, or version:V of the instances that had the one before; else '
		'empty: the watch row says it';

COMMENT ON COLUMN regression.notified_at IS 'when somebody was told, null: nobody yet';

COMMENT ON TABLE frame_commit IS 'last commit per code path; filled from git log by flamegraph-commits';

COMMENT ON COLUMN job_log.kept_back
	IS 'how many findings each filter kept from people, of a benchmark or, in the line of a night, in all: pending, '
		'went_away, environment, shift, groups; view night_filters';

CREATE TABLE commit_change (
	commit text NOT NULL CHECK (octet_length(commit) <= 500),
	parent text NOT NULL DEFAULT '',
	committed_at timestamptz NOT NULL,
	file text NOT NULL CHECK (octet_length(file) <= 1000),
	added int,
	deleted int,
	subject text NOT NULL DEFAULT '',
	PRIMARY KEY (commit, file)
);

CREATE INDEX commit_change_committed_idx ON commit_change (committed_at);

COMMENT ON TABLE commit_change IS 'what each commit changed, file by file; filled from git log by flamegraph-commits';

COMMENT ON COLUMN commit_change.commit IS 'the commit';

COMMENT ON COLUMN commit_change.parent IS 'its first parent, with which it is compared; empty for one that has none';

COMMENT ON COLUMN commit_change.committed_at IS 'when it was made';

COMMENT ON COLUMN commit_change.file
	IS 'file in the repository; a commit that changed none has a row with an empty name';

COMMENT ON COLUMN commit_change.added IS 'lines that were added; null for a file that is no text';

COMMENT ON COLUMN commit_change.deleted IS 'lines that were deleted; null for a file that is no text';

COMMENT ON COLUMN commit_change.subject IS 'first line of its message';

CREATE OR REPLACE FUNCTION hash_id(fg flamegraph) RETURNS uuid
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT content_hash(hash_id.fg);
	END;

COMMENT ON FUNCTION hash_id(flamegraph) IS '128-bit hash of a profile';

CREATE OR REPLACE FUNCTION content_id(fg flamegraph, truncated flamegraph DEFAULT NULL) RETURNS uuid
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN content_id.truncated IS NULL THEN hash_id(content_id.fg)
			ELSE hash_id(content_id.fg + content_id.truncated) END;
	END;

CREATE OR REPLACE FUNCTION adds_at_once(repetitions int, fg flamegraph, more flamegraph) RETURNS bool
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT adds_at_once.repetitions < 4 AND nnodes(adds_at_once.fg) + nnodes(adds_at_once.more)::bigint < 20000;
	END;

COMMENT ON FUNCTION adds_at_once(int, flamegraph, flamegraph)
	IS 'whether a rollup of so many profiles, with this sum, takes one more into its sums; those of more profiles, or '
		'large ones, take longer to write again than what comes, and it is noted in pending';

CREATE OR REPLACE FUNCTION added(repetitions int, fg flamegraph, more flamegraph) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN adds_at_once(added.repetitions, added.fg, added.more) THEN added.fg + added.more
					ELSE added.fg END;
	END;

COMMENT ON FUNCTION added(int, flamegraph, flamegraph)
	IS 'the sum of a rollup with one profile more, if that is added at once';

CREATE OR REPLACE FUNCTION added_stats(repetitions int, stats flamestats, fg flamegraph, level text,
		more flamegraph) RETURNS flamestats
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN adds_at_once(added_stats.repetitions, added_stats.fg, added_stats.more)
			THEN stats_of(added_stats.stats, added_stats.fg, added_stats.level)
				+ stats_of(NULL::flamestats, added_stats.more, added_stats.level)
			ELSE added_stats.stats END;
	END;

COMMENT ON FUNCTION added_stats(int, flamestats, flamegraph, text, flamegraph)
	IS 'stats_of() a rollup with one profile more, if that is added at once';

CREATE OR REPLACE FUNCTION rollups_of(benchmark_id bigint, run_ids bigint[]) RETURNS SETOF rollup
	LANGUAGE sql STABLE ROWS 10
	BEGIN ATOMIC
		SELECT r.* FROM rollup AS r
		WHERE r.benchmark_id = rollups_of.benchmark_id
			AND (rollups_of.run_ids IS NULL OR r.test_run_id = ANY (rollups_of.run_ids));
	END;

COMMENT ON FUNCTION rollups_of(bigint, bigint[]) IS 'the rollups of a benchmark, of some runs or (null) of all';

CREATE OR REPLACE FUNCTION findings_of(benchmark_id bigint) RETURNS SETOF regression
	LANGUAGE sql STABLE ROWS 10
	BEGIN ATOMIC
		SELECT f.* FROM regression AS f WHERE f.benchmark_id = findings_of.benchmark_id;
	END;

COMMENT ON FUNCTION findings_of(bigint) IS 'the findings about a benchmark';

CREATE OR REPLACE FUNCTION period_of(fg flamegraph, samples flamegraph, period float8) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
	BEGIN ATOMIC
		-- What is out of range here is no recording, and must not be an error each night.
		SELECT CASE WHEN period_of.samples IS NOT NULL OR period_of.period IS NULL
					OR period_of.period NOT BETWEEN 1e-100::float8 AND 1e100::float8
					OR nstacks(period_of.fg) = 0 THEN NULL
				WHEN is_positive(period_of.fg) THEN
					CASE WHEN @-@ period_of.fg <= 1e150::float8 THEN period_of.period END END;
	END;

COMMENT ON FUNCTION period_of(flamegraph, flamegraph, float8)
	IS 'what each sample of a profile stands for, where that says how many there are: not where it has samples of its '
		'own, or none at all, or a negative value';

CREATE OR REPLACE FUNCTION samples_of(fg flamegraph, period float8, samples flamegraph) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN samples_of.samples IS NOT NULL THEN samples_of.samples
					WHEN nstacks(samples_of.fg) = 0 THEN samples_of.fg
					ELSE samples_of.fg / period_of(samples_of.fg, NULL::flamegraph, samples_of.period) END;
	END;

COMMENT ON FUNCTION samples_of(flamegraph, float8, flamegraph)
	IS 'number of samples per stack of a profile or a rollup, from its columns flamegraph, period and samples; null '
		'when nobody knows';

CREATE OR REPLACE FUNCTION noise_of(fg flamegraph, period float8, noise flamegraph) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN noise_of.noise IS NOT NULL THEN noise_of.noise
					WHEN nstacks(noise_of.fg) = 0 THEN noise_of.fg
					ELSE noise_of.fg * period_of(noise_of.fg, NULL::flamegraph, noise_of.period) END;
	END;

COMMENT ON FUNCTION noise_of(flamegraph, float8, flamegraph)
	IS 'sum of the squared weights of the samples per stack of a profile or a rollup, the variance that it has because '
		'it was sampled, from its columns flamegraph, period and noise; null when nobody knows';

CREATE OR REPLACE FUNCTION summed_samples(fg flamegraph, period float8, samples flamegraph, benchmark_id bigint,
		pending bigint[]) RETURNS flamegraph
	LANGUAGE sql STABLE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN pg_catalog.cardinality(summed_samples.pending) = 0
			THEN samples_of(summed_samples.fg, summed_samples.period, summed_samples.samples)
			ELSE samples_of(summed_samples.fg, summed_samples.period, summed_samples.samples)
				+ (SELECT CASE WHEN bool_and(o.samples IS NOT NULL) IS NOT FALSE
						THEN coalesce(sum(o.samples), ''::flamegraph) END
					FROM (SELECT samples_of(d.flamegraph, p.period, d.samples) AS samples
						FROM profile_data AS d JOIN profile AS p ON p.benchmark_id = d.benchmark_id
							AND p.profile_id = d.profile_id
						WHERE d.benchmark_id = summed_samples.benchmark_id
							AND d.profile_id = ANY (summed_samples.pending)) AS o) END;
	END;

COMMENT ON FUNCTION summed_samples(flamegraph, float8, flamegraph, bigint, bigint[])
	IS 'number of samples per stack of all profiles of a rollup, from its columns, as summed() has their values; null '
		'when nobody knows';

CREATE OR REPLACE FUNCTION summed_noise(fg flamegraph, period float8, noise flamegraph, benchmark_id bigint,
		pending bigint[]) RETURNS flamegraph
	LANGUAGE sql STABLE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN pg_catalog.cardinality(summed_noise.pending) = 0
			THEN noise_of(summed_noise.fg, summed_noise.period, summed_noise.noise)
			ELSE noise_of(summed_noise.fg, summed_noise.period, summed_noise.noise)
				+ (SELECT CASE WHEN bool_and(o.noise IS NOT NULL) IS NOT FALSE
						THEN coalesce(sum(o.noise), ''::flamegraph) END
					FROM (SELECT noise_of(d.flamegraph, p.period, d.noise) AS noise
						FROM profile_data AS d JOIN profile AS p ON p.benchmark_id = d.benchmark_id
							AND p.profile_id = d.profile_id
						WHERE d.benchmark_id = summed_noise.benchmark_id
							AND d.profile_id = ANY (summed_noise.pending)) AS o) END;
	END;

COMMENT ON FUNCTION summed_noise(flamegraph, float8, flamegraph, bigint, bigint[])
	IS 'sum of the squared weights of the samples per stack of all profiles of a rollup, from its columns, as summed() '
		'has their values; null when nobody knows';

CREATE OR REPLACE FUNCTION both_period(fg flamegraph, period float8, samples flamegraph, more flamegraph, more_period float8,
		more_samples flamegraph) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
	BEGIN ATOMIC
		SELECT CASE WHEN nstacks(both_period.fg) = 0 AND both_period.samples IS NULL THEN both_period.more_period
				WHEN nstacks(both_period.more) = 0 AND both_period.more_samples IS NULL THEN both_period.period
				WHEN both_period.period = both_period.more_period THEN both_period.period END;
	END;

COMMENT ON FUNCTION both_period(flamegraph, float8, flamegraph, flamegraph, float8, flamegraph)
	IS 'column period of the sum of two profiles or sums: of the one that is not empty, or that of both';

CREATE OR REPLACE FUNCTION both_samples(fg flamegraph, period float8, samples flamegraph, more flamegraph, more_period float8,
		more_samples flamegraph) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN nstacks(both_samples.fg) = 0 AND both_samples.samples IS NULL THEN both_samples.more_samples
				WHEN nstacks(both_samples.more) = 0 AND both_samples.more_samples IS NULL THEN both_samples.samples
				WHEN both_samples.period = both_samples.more_period THEN NULL
				ELSE coalesce(both_samples.samples, both_samples.fg / both_samples.period)
					+ coalesce(both_samples.more_samples, both_samples.more / both_samples.more_period) END;
	END;

COMMENT ON FUNCTION both_samples(flamegraph, float8, flamegraph, flamegraph, float8, flamegraph)
	IS 'column samples of the sum of two profiles or sums: null where one period says it, and where nobody knows';

CREATE OR REPLACE FUNCTION both_noise(fg flamegraph, period float8, noise flamegraph, more flamegraph, more_period float8,
		more_noise flamegraph) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN nstacks(both_noise.fg) = 0 AND both_noise.noise IS NULL THEN both_noise.more_noise
				WHEN nstacks(both_noise.more) = 0 AND both_noise.more_noise IS NULL THEN both_noise.noise
				WHEN both_noise.period = both_noise.more_period THEN NULL
				ELSE coalesce(both_noise.noise, both_noise.fg * both_noise.period)
					+ coalesce(both_noise.more_noise, both_noise.more * both_noise.more_period) END;
	END;

COMMENT ON FUNCTION both_noise(flamegraph, float8, flamegraph, flamegraph, float8, flamegraph)
	IS 'column noise of the sum of two profiles or sums, null where samples is';

CREATE TYPE recorded AS (flamegraph flamegraph, period float8, samples flamegraph, noise flamegraph);

COMMENT ON TYPE recorded IS 'a profile or a sum of some, and what is known of its samples, in the columns of rollup';

CREATE OR REPLACE FUNCTION both_recorded(one recorded, other recorded) RETURNS recorded
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT ROW((one).flamegraph + (other).flamegraph,
			both_period((one).flamegraph, (one).period, (one).samples, (other).flamegraph, (other).period,
				(other).samples),
			both_samples((one).flamegraph, (one).period, (one).samples, (other).flamegraph, (other).period,
				(other).samples),
			both_noise((one).flamegraph, (one).period, (one).noise, (other).flamegraph, (other).period,
				(other).noise))::recorded;
	END;

COMMENT ON FUNCTION both_recorded(recorded, recorded) IS 'the sum of two';

CREATE AGGREGATE recorded_sum(recorded) (
	SFUNC = both_recorded,
	STYPE = recorded,
	INITCOND = '("",,,)',
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE recorded_sum(recorded) IS 'the sum of all, an empty profile for none';

CREATE OR REPLACE FUNCTION recorded_of(benchmark_id bigint, profile_ids bigint[]) RETURNS recorded
	LANGUAGE sql STABLE COST 100000
	BEGIN ATOMIC
		-- Those of one kind are summed up at once: few kinds are left.
		SELECT recorded_sum(ROW(k.fg, k.period, k.samples, k.noise)::recorded ORDER BY k.own, k.period)
		FROM (SELECT o.own, o.period, sum(o.flamegraph) AS fg, sum(o.samples) AS samples, sum(o.noise) AS noise
			FROM (SELECT d.flamegraph, d.samples, d.noise, d.samples IS NOT NULL AS own,
					period_of(d.flamegraph, d.samples, p.period) AS period
				FROM profile_data AS d JOIN profile AS p ON p.benchmark_id = d.benchmark_id
					AND p.profile_id = d.profile_id
				WHERE d.benchmark_id = recorded_of.benchmark_id AND d.profile_id = ANY (recorded_of.profile_ids)) AS o
			GROUP BY o.own, o.period) AS k;
	END;

COMMENT ON FUNCTION recorded_of(bigint, bigint[]) IS 'the sum of some profiles, with what is known of their samples';

CREATE OR REPLACE FUNCTION recorded_kinds(benchmark_id bigint, profile_ids bigint[], OUT own bool, OUT period float8)
	RETURNS SETOF record LANGUAGE sql STABLE COST 10000 ROWS 1
	BEGIN ATOMIC
		SELECT DISTINCT d.samples IS NOT NULL, period_of(d.flamegraph, d.samples, p.period)
		FROM profile_data AS d JOIN profile AS p ON p.benchmark_id = d.benchmark_id AND p.profile_id = d.profile_id
		WHERE d.benchmark_id = recorded_kinds.benchmark_id AND d.profile_id = ANY (recorded_kinds.profile_ids);
	END;

COMMENT ON FUNCTION recorded_kinds(bigint, bigint[])
	IS 'the kinds of which recorded_of() has sums: profiles with samples of their own, and those of one period, or of '
		'none';

CREATE OR REPLACE FUNCTION added_period(repetitions int, fg flamegraph, period float8, samples flamegraph, more flamegraph,
		more_period float8, more_samples flamegraph) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
	BEGIN ATOMIC
		SELECT CASE WHEN adds_at_once(added_period.repetitions, added_period.fg, added_period.more)
			THEN both_period(added_period.fg, added_period.period, added_period.samples, added_period.more,
				added_period.more_period, added_period.more_samples)
			ELSE added_period.period END;
	END;

COMMENT ON FUNCTION added_period(int, flamegraph, float8, flamegraph, flamegraph, float8, flamegraph)
	IS 'column period of a rollup with one profile more, if that is added at once';

CREATE OR REPLACE FUNCTION added_samples(repetitions int, fg flamegraph, period float8, samples flamegraph, more flamegraph,
		more_period float8, more_samples flamegraph) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN adds_at_once(added_samples.repetitions, added_samples.fg, added_samples.more)
			THEN both_samples(added_samples.fg, added_samples.period, added_samples.samples, added_samples.more,
				added_samples.more_period, added_samples.more_samples)
			ELSE added_samples.samples END;
	END;

COMMENT ON FUNCTION added_samples(int, flamegraph, float8, flamegraph, flamegraph, float8, flamegraph)
	IS 'column samples of a rollup with one profile more, if that is added at once';

CREATE OR REPLACE FUNCTION added_noise(repetitions int, fg flamegraph, period float8, noise flamegraph, more flamegraph,
		more_period float8, more_noise flamegraph) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN adds_at_once(added_noise.repetitions, added_noise.fg, added_noise.more)
			THEN both_noise(added_noise.fg, added_noise.period, added_noise.noise, added_noise.more,
				added_noise.more_period, added_noise.more_noise)
			ELSE added_noise.noise END;
	END;

COMMENT ON FUNCTION added_noise(int, flamegraph, float8, flamegraph, flamegraph, float8, flamegraph)
	IS 'column noise of a rollup with one profile more, if that is added at once';

CREATE OR REPLACE FUNCTION weights_facts(fg flamegraph, samples flamegraph, noise flamegraph, OUT positive bool, OUT unsigned bool,
		OUT total float8, OUT sample_count float8, OUT squares float8, OUT complete bool)
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		-- Numbers of samples and noise are positive wherever there is a sample, also one that weighs nothing.
		SELECT is_positive(weights_facts.samples) AND is_positive(weights_facts.noise),
			is_positive(weights_facts.fg),
			@-@ weights_facts.fg, @-@ weights_facts.samples, @-@ weights_facts.noise,
			nstacks(weights_facts.samples + absolute(weights_facts.fg) + weights_facts.noise)
				= nstacks(weights_facts.samples);
	END;

COMMENT ON FUNCTION weights_facts(flamegraph, flamegraph, flamegraph)
	IS 'what weights_work() looks at: whether nothing is negative, the sums, and whether samples has all stacks';

CREATE OR REPLACE FUNCTION weights_work(fg flamegraph, samples flamegraph, noise flamegraph) RETURNS bool
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	f record;
BEGIN
	IF samples IS NULL AND noise IS NULL THEN
		RETURN true;
	END IF;
	IF samples IS NULL OR noise IS NULL THEN
		RAISE EXCEPTION 'samples and noise come together, or not at all' USING ERRCODE = 'null_value_not_allowed',
			HINT = 'Where all samples weigh the same, the argument "period" says as much.';
	END IF;
	f := profiling.weights_facts(fg, samples, noise);
	IF NOT f.positive THEN
		RAISE EXCEPTION 'numbers of samples and noise cannot be negative' USING
			ERRCODE = 'invalid_parameter_value';
	END IF;
	IF greatest(f.total, f.sample_count) > 1e140 OR f.squares > 1e280 THEN
		RAISE EXCEPTION 'samples or noise are out of range' USING ERRCODE = 'numeric_value_out_of_range';
	END IF;
	-- A sum of numbers is at most the root of their count times the sum of their squares (Cauchy and Schwarz), and if
	-- none is negative at least the root of the latter. A clock that is set back makes a negative weight.
	IF NOT f.complete OR f.total > sqrt(f.sample_count) * sqrt(f.squares) * (1 + 1e-9) + 1e-140
			OR f.unsigned AND sqrt(f.squares) > f.total * (1 + 1e-9) + 1e-140 THEN
		RAISE EXCEPTION 'samples and noise are not those of the profile' USING
			ERRCODE = 'invalid_parameter_value',
			DETAIL = CASE WHEN NOT f.complete THEN 'A stack has a value, or noise, and no samples.'
				ELSE format('No %s samples have the sum %s and the sum of squares %s.', f.sample_count, f.total,
					f.squares) END,
			HINT = 'samples: how many a stack has; noise: the sum of the squares of what they weigh.';
	END IF;
	RETURN true;
END
$$;

COMMENT ON FUNCTION weights_work(flamegraph, flamegraph, flamegraph)
	IS 'true; an error for numbers of samples and sums of their squared weights that the profile cannot have';

CREATE OR REPLACE FUNCTION folded_sums(benchmark_id bigint, event text, unit text, branch text, test_run_id bigint,
		pending bigint[], recorded recorded, OUT folded int, OUT flamegraph flamegraph, OUT period float8,
		OUT samples flamegraph, OUT noise flamegraph, OUT stats_stack flamestats, OUT stats_node flamestats,
		OUT stats_frame flamestats, OUT stats_self flamestats) RETURNS SETOF record
	LANGUAGE sql STABLE COST 100000 ROWS 1
	BEGIN ATOMIC
		-- One statement, so that what is made of the profiles need not go through variables.
		SELECT r.repetitions - pg_catalog.cardinality(r.pending), r.flamegraph + o.fg,
			both_period(r.flamegraph, r.period, r.samples, o.fg, (folded_sums.recorded).period,
				(folded_sums.recorded).samples),
			both_samples(r.flamegraph, r.period, r.samples, o.fg, (folded_sums.recorded).period,
				(folded_sums.recorded).samples),
			both_noise(r.flamegraph, r.period, r.noise, o.fg, (folded_sums.recorded).period,
				(folded_sums.recorded).noise),
			stats_of(r.stats_stack, r.flamegraph, 'stack'::text) + o.stack,
			stats_of(r.stats_node, r.flamegraph, 'node'::text) + o.node,
			stats_of(r.stats_frame, r.flamegraph, 'frame'::text) + o.frame,
			stats_of(r.stats_self, r.flamegraph, 'self'::text) + o.self
		FROM (SELECT coalesce((folded_sums.recorded).flamegraph, stats_sum(m.stack)) AS fg, m.stack, m.node, m.frame,
				m.self
			FROM (SELECT stats(d.flamegraph, 'stack'::text) AS stack, stats(d.flamegraph, 'node'::text) AS node,
					stats(d.flamegraph, 'frame'::text) AS frame, stats(d.flamegraph, 'self'::text) AS self
				FROM profile_data AS d
				WHERE d.benchmark_id = folded_sums.benchmark_id AND d.profile_id = ANY (folded_sums.pending)
				HAVING count(*) > 0) AS m OFFSET 0) AS o, rollup AS r
		WHERE r.benchmark_id = folded_sums.benchmark_id AND r.event = folded_sums.event
			AND r.unit = folded_sums.unit AND r.branch = folded_sums.branch
			AND r.test_run_id = folded_sums.test_run_id;
	END;

COMMENT ON FUNCTION folded_sums(bigint, text, text, text, bigint, bigint[], recorded)
	IS 'sums and moments of one rollup with some profiles more, and how many profiles it has in its own; recorded: '
		'the sum of those profiles, as recorded_of() has it; its flamegraph may be null, and follows from the moments';

CREATE OR REPLACE FUNCTION fold_rollup(benchmark_id bigint, event text, unit text, branch text, test_run_id bigint,
		pending bigint[]) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	k record;
	m record;
	s record;
BEGIN
	SELECT count(*) AS kinds, bool_or(k.own) AS own, min(k.period) AS period INTO k
	FROM profiling.recorded_kinds(fold_rollup.benchmark_id, fold_rollup.pending) AS k;
	IF k.kinds > 1 OR k.own THEN
		SELECT profiling.recorded_of(fold_rollup.benchmark_id, fold_rollup.pending) AS recorded INTO m;
	ELSE
		SELECT ROW(NULL, k.period, NULL, NULL)::profiling.recorded AS recorded INTO m;
	END IF;
	SELECT * INTO s FROM profiling.folded_sums(fold_rollup.benchmark_id, fold_rollup.event, fold_rollup.unit,
		fold_rollup.branch, fold_rollup.test_run_id, fold_rollup.pending, m.recorded);
	UPDATE profiling.rollup AS r SET
		flamegraph = s.flamegraph,
		period = s.period,
		samples = s.samples,
		noise = s.noise,
		stats_stack = s.stats_stack,
		stats_node = s.stats_node,
		stats_frame = s.stats_frame,
		stats_self = s.stats_self,
		-- It is never null; but Citus 13.2 ends the server over an assignment that is nothing but a slice.
		pending = coalesce(r.pending[cardinality(fold_rollup.pending) + 1 :], '{}'::bigint[])
	WHERE r.benchmark_id = fold_rollup.benchmark_id AND r.event = fold_rollup.event AND r.unit = fold_rollup.unit
		AND r.branch = fold_rollup.branch AND r.test_run_id = fold_rollup.test_run_id
		AND r.pending[1 : cardinality(fold_rollup.pending)] = fold_rollup.pending
		AND r.repetitions - cardinality(r.pending) = s.folded;
END
$$;

COMMENT ON FUNCTION fold_rollup(bigint, text, text, text, bigint, bigint[])
	IS 'adds these profiles to the sums and moments of one rollup; nothing unless they are the first that it has '
		'noted, so that none is added twice';

CREATE OR REPLACE FUNCTION frame_rules_of(suite text, benchmark text) RETURNS text[]
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN (SELECT array_agg(ARRAY[r.pattern, r.replacement] ORDER BY r.ordinal, r.rule_id)
		FROM profiling.frame_rule AS r
		WHERE frame_rules_of.suite LIKE r.suite AND frame_rules_of.benchmark LIKE r.benchmark);
END
$$;

CREATE OR REPLACE FUNCTION add_to_rollup(facts profile, branch text, started_at timestamptz, fg flamegraph,
		truncated_total float8, samples flamegraph, noise flamegraph) RETURNS bool
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_is_first bool;
BEGIN
	INSERT INTO profiling.rollup AS r (benchmark_id, event, unit, branch, test_run_id, started_at, run_ids, flamegraph,
		repetitions,
		total, truncated_total, metric_count, metric_sum, metric_unit, period, samples, noise)
	VALUES (facts.benchmark_id, facts.event, facts.unit, add_to_rollup.branch, facts.test_run_id,
		add_to_rollup.started_at, ARRAY[facts.test_run_id], fg, 1,
		facts.total, add_to_rollup.truncated_total, CASE WHEN facts.metric IS NULL THEN 0 ELSE 1 END,
		facts.metric, CASE WHEN facts.metric IS NULL THEN '' ELSE facts.metric_unit END,
		profiling.period_of(fg, add_to_rollup.samples, facts.period), add_to_rollup.samples, add_to_rollup.noise)
	ON CONFLICT (benchmark_id, event, unit, branch, test_run_id) DO UPDATE SET
		flamegraph = profiling.added(r.repetitions, r.flamegraph, EXCLUDED.flamegraph),
		stats_stack = profiling.added_stats(r.repetitions, r.stats_stack, r.flamegraph, 'stack'::text,
			EXCLUDED.flamegraph),
		stats_node = profiling.added_stats(r.repetitions, r.stats_node, r.flamegraph, 'node'::text,
			EXCLUDED.flamegraph),
		stats_frame = profiling.added_stats(r.repetitions, r.stats_frame, r.flamegraph, 'frame'::text,
			EXCLUDED.flamegraph),
		stats_self = profiling.added_stats(r.repetitions, r.stats_self, r.flamegraph, 'self'::text,
			EXCLUDED.flamegraph),
		period = profiling.added_period(r.repetitions, r.flamegraph, r.period, r.samples, EXCLUDED.flamegraph,
			EXCLUDED.period, EXCLUDED.samples),
		samples = profiling.added_samples(r.repetitions, r.flamegraph, r.period, r.samples, EXCLUDED.flamegraph,
			EXCLUDED.period, EXCLUDED.samples),
		noise = profiling.added_noise(r.repetitions, r.flamegraph, r.period, r.noise, EXCLUDED.flamegraph,
			EXCLUDED.period, EXCLUDED.noise),
		pending = CASE WHEN profiling.adds_at_once(r.repetitions, r.flamegraph, EXCLUDED.flamegraph) THEN r.pending
			ELSE r.pending || facts.profile_id END,
		repetitions = r.repetitions + 1,
		total = r.total + EXCLUDED.total,
		truncated_total = r.truncated_total + EXCLUDED.truncated_total,
		metric_count = r.metric_count + EXCLUDED.metric_count,
		metric_sum = coalesce(r.metric_sum + EXCLUDED.metric_sum, r.metric_sum, EXCLUDED.metric_sum),
		metric_unit = CASE WHEN r.metric_count = 0 THEN EXCLUDED.metric_unit ELSE r.metric_unit END,
		checked_at = NULL
	WHERE r.metric_unit = EXCLUDED.metric_unit OR r.metric_count = 0 OR EXCLUDED.metric_count = 0
	RETURNING r.repetitions = 1 OR r.metric_count = 1 AND facts.metric IS NOT NULL INTO v_is_first;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'metrics of one run have different units' USING
			ERRCODE = 'invalid_parameter_value',
			DETAIL = format('This one is in "%s"; benchmark %s, run %s has others.', facts.metric_unit,
				facts.benchmark_id,
				facts.test_run_id);
	END IF;
	RETURN v_is_first;
END
$$;

COMMENT ON FUNCTION add_to_rollup(profile, text, timestamptz, flamegraph, float8, flamegraph, flamegraph)
	IS 'adds a profile that has just been stored to the rollup of its run; fg, samples, noise: its columns of '
		'profile_data; returns whether it is the first one there, or the first one with a metric';

CREATE OR REPLACE FUNCTION pending_too_many(facts profile, branch text) RETURNS bigint[]
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- Seldom enough that writing the sums again costs each of them about the same, however many there are; and often
	-- enough that the others are not done long before who folds the last ones.
	RETURN (SELECT r.pending FROM profiling.rollup AS r
		WHERE r.benchmark_id = facts.benchmark_id AND r.event = facts.event AND r.unit = facts.unit
			AND r.branch = pending_too_many.branch AND r.test_run_id = facts.test_run_id
			AND cardinality(r.pending) + 1 >= greatest(100, r.repetitions / 5));
END
$$;

COMMENT ON FUNCTION pending_too_many(profile, text)
	IS 'what the rollup of a profile has noted, when it is time to fold that before the profile is added; else null';

CREATE OR REPLACE FUNCTION fold_in_time(facts profile, branch text) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_pending bigint[];
BEGIN
	IF profiling.pending_too_many(facts, fold_in_time.branch) IS NULL
			OR NOT pg_try_advisory_xact_lock(hashtextextended('flamegraph_store fold', facts.test_run_id)) THEN
		RETURN;
	END IF;
	-- who had the lock has folded them, perhaps
	v_pending := profiling.pending_too_many(facts, fold_in_time.branch);
	IF v_pending IS NULL THEN
		RETURN;
	END IF;
	PERFORM profiling.fold_rollup(facts.benchmark_id, facts.event, facts.unit, fold_in_time.branch, facts.test_run_id,
		v_pending);
END
$$;

COMMENT ON FUNCTION fold_in_time(profile, text)
	IS 'adds what the rollup of a profile has noted to its sums and moments when that has become much, and nobody else '
		'is at it';

CREATE OR REPLACE FUNCTION need_begun(at timestamptz, what text) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF NOT profiling.has_begun(at) THEN
		PERFORM profiling.refuse_future(at, what);
	END IF;
END
$$;

COMMENT ON FUNCTION need_begun(timestamptz, text) IS 'an error for a time that is to come, by the name of the argument';

CREATE OR REPLACE FUNCTION store_profile(facts profile, fg flamegraph, truncated flamegraph, samples flamegraph DEFAULT NULL,
		noise flamegraph DEFAULT NULL) RETURNS bigint
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	run record;
	m record;
	d record;
BEGIN
	IF store_profile.fg IS NULL THEN
		RAISE EXCEPTION 'the profile to import cannot be null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	PERFORM profiling.weights_work(store_profile.fg, store_profile.samples, store_profile.noise);
	PERFORM profiling.keep_corrections_out();
	IF current_setting('transaction_isolation') <> 'read committed' THEN
		-- An old snapshot still shows what a correction has taken away; a lock of the row fails (40001).
		PERFORM FROM profiling.benchmark AS b WHERE b.benchmark_id = facts.benchmark_id FOR KEY SHARE;
		PERFORM FROM profiling.test_run AS t WHERE t.test_run_id = facts.test_run_id FOR KEY SHARE;
	END IF;
	SELECT t.started_at, t.branch, t.labels INTO run FROM profiling.test_run AS t
		WHERE t.test_run_id = facts.test_run_id;
	IF NOT FOUND OR NOT EXISTS (SELECT 1 FROM profiling.benchmark AS b WHERE b.benchmark_id = facts.benchmark_id) THEN
		RAISE EXCEPTION 'there is no such benchmark, or no such run' USING
			ERRCODE = 'foreign_key_violation',
			DETAIL = format('Benchmark %s, run %s.', facts.benchmark_id, facts.test_run_id);
	END IF;
	PERFORM profiling.need_begun(run.started_at, 'started_at'::text);
	PERFORM profiling.need_begun(facts.recorded_at, 'recorded_at'::text);

	SELECT * INTO m FROM profiling.measures_of(store_profile.fg, store_profile.truncated);
	facts.total := m.total;
	INSERT INTO profiling.profile AS p (benchmark_id, test_run_id, event, unit, period, recorded_at, duration, instance,
		repetition,
		labels, metric, metric_unit, source, total, nodes, frames, truncated_share, reshaped, content_id)
	VALUES (facts.benchmark_id, facts.test_run_id, facts.event, facts.unit, facts.period, facts.recorded_at,
		facts.duration, facts.instance, facts.repetition, run.labels, facts.metric, facts.metric_unit, facts.source,
		m.total, m.nodes, m.frames, m.truncated_share, facts.reshaped, facts.content_id)
	ON CONFLICT ON CONSTRAINT profile_key DO NOTHING
	RETURNING p.profile_id INTO facts.profile_id;
	IF NOT FOUND THEN
		-- Another loader was at it, and has committed while we waited.
		facts.profile_id := profiling.known_profile(facts);
		PERFORM profiling.notice_duplicate(facts);
		RETURN facts.profile_id;
	END IF;
	INSERT INTO profiling.profile_data (benchmark_id, profile_id, recorded_at, flamegraph, truncated, samples, noise)
	VALUES (facts.benchmark_id, facts.profile_id, facts.recorded_at, store_profile.fg, store_profile.truncated,
		store_profile.samples, store_profile.noise);
	-- They are compressed there already.
	SELECT o.flamegraph, o.samples, o.noise INTO STRICT d FROM profiling.profile_data AS o
	WHERE o.benchmark_id = facts.benchmark_id AND o.profile_id = facts.profile_id AND o.recorded_at = facts.recorded_at;
	PERFORM profiling.fold_in_time(facts, run.branch);
	-- Last, because its lock is what other loaders of the same run wait for.
	IF profiling.add_to_rollup(facts, run.branch, run.started_at, d.flamegraph, m.truncated_total, d.samples,
			d.noise) THEN
		PERFORM profiling.notice_units(facts, run.branch, run.started_at);
	END IF;
	RETURN facts.profile_id;
END
$$;

COMMENT ON FUNCTION store_profile(profile, flamegraph, flamegraph, flamegraph, flamegraph)
	IS 'stores a profile that is new and adds it to the rollup of its run, with the rights of the owner; of facts it '
		'takes benchmark, run, event, unit, period, recorded_at, duration, instance, repetition, metric, source, '
		'reshaped and content_id; returns profile_id; a profile that is there already is left alone, with a NOTICE';

REVOKE ALL ON FUNCTION store_profile(profile, flamegraph, flamegraph, flamegraph, flamegraph) FROM PUBLIC;

CREATE OR REPLACE FUNCTION import_flamegraph(benchmark text, fg flamegraph, truncated flamegraph DEFAULT NULL,
		suite text DEFAULT '', parameters jsonb DEFAULT '{}', started_at timestamptz DEFAULT now(),
		branch text DEFAULT '', commit text DEFAULT '', version text DEFAULT '', labels jsonb DEFAULT '{}',
		event text DEFAULT 'cpu', unit text DEFAULT NULL, period float8 DEFAULT NULL,
		recorded_at timestamptz DEFAULT NULL, duration interval DEFAULT NULL, instance text DEFAULT '',
		repetition int DEFAULT 0, metric float8 DEFAULT NULL, metric_unit text DEFAULT '',
		source text DEFAULT '', options jsonb DEFAULT '{}', samples flamegraph DEFAULT NULL,
		noise flamegraph DEFAULT NULL) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_options jsonb;
	v_no CONSTANT profiling.profile_data.truncated%TYPE := NULL;
	v_samples profiling.profile_data.samples%TYPE := import_flamegraph.samples;
	v_noise profiling.profile_data.noise%TYPE := import_flamegraph.noise;
	v_fg profiling.profile_data.flamegraph%TYPE := import_flamegraph.fg;
	v_truncated profiling.profile_data.truncated%TYPE := profiling.unless_empty(import_flamegraph.truncated);
	v_rules text[];
	p profiling.profile;
BEGIN
	PERFORM profiling.need_access('import_flamegraph'::text, 'loader'::text);
	IF import_flamegraph.fg IS NULL THEN
		RAISE EXCEPTION 'the profile to import cannot be null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	v_options := profiling.import_options(import_flamegraph.options);
	p.event := coalesce(import_flamegraph.event, 'cpu');
	p.unit := coalesce(import_flamegraph.unit, 'samples');
	p.period := import_flamegraph.period;
	p.recorded_at := coalesce(import_flamegraph.recorded_at, import_flamegraph.started_at, now());
	p.duration := import_flamegraph.duration;
	p.instance := coalesce(import_flamegraph.instance, '');
	p.repetition := coalesce(import_flamegraph.repetition, 0);
	p.metric := import_flamegraph.metric;
	p.metric_unit := coalesce(import_flamegraph.metric_unit, '');
	p.source := coalesce(import_flamegraph.source, '');
	p.benchmark_id := profiling.ensure_benchmark(import_flamegraph.suite, import_flamegraph.benchmark,
		import_flamegraph.parameters);
	p.test_run_id := profiling.ensure_test_run(coalesce(import_flamegraph.started_at, now()), import_flamegraph.branch,
		import_flamegraph.commit, import_flamegraph.version, import_flamegraph.labels);

	-- Before anything is renamed or split: another rule must not make the same recording a new one.
	p.content_id := profiling.content_id(v_fg, v_truncated);
	p.profile_id := profiling.known_profile(p);
	IF p.profile_id IS NOT NULL THEN
		PERFORM profiling.notice_duplicate(p);
		RETURN p.profile_id;
	END IF;

	p.reshaped := false;
	v_rules := (SELECT profiling.frame_rules_of(b.suite, b.name) FROM profiling.benchmark AS b
		WHERE b.benchmark_id = p.benchmark_id); -- as it is called now
	IF v_options ? 'max_depth' OR v_rules IS NOT NULL THEN
		SELECT s.whole, s.cut, s.differs INTO v_fg, v_truncated, p.reshaped
		FROM profiling.reshaped(v_fg, v_truncated, v_options -> 'max_depth', v_rules) AS s;
		v_samples := (SELECT s.whole FROM profiling.reshaped(v_samples, v_no, v_options -> 'max_depth', v_rules) AS s);
		v_noise := (SELECT s.whole FROM profiling.reshaped(v_noise, v_no, v_options -> 'max_depth', v_rules) AS s);
	END IF;
	RETURN profiling.store_profile(p, v_fg, v_truncated, v_samples, v_noise);
END
$$;

COMMENT ON FUNCTION import_flamegraph(text, flamegraph, flamegraph, text, jsonb, timestamptz, text, text, text, jsonb,
	text, text, float8, timestamptz, interval, text, int, float8, text, text, jsonb, flamegraph, flamegraph)
	IS 'puts a profile into the store, with benchmark and run as needed, and adds it to the rollup of its run; '
		'returns profile_id; a profile that is there already is left alone, with a NOTICE; samples, noise: how many '
		'samples the stacks of fg have, and the sum of their squared weights, where these differ';

CREATE OR REPLACE FUNCTION recorded_profiles(data bytea, format text, options jsonb,
		OUT event text, OUT name text, OUT unit text, OUT period float8, OUT complete flamegraph,
			OUT truncated flamegraph, OUT samples flamegraph, OUT noise flamegraph) RETURNS SETOF record
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100000 ROWS 3
	BEGIN ATOMIC
		SELECT r.event, r.name, r.unit, r.period, r.complete, r.truncated, r.samples, r.noise
		FROM read_recording(recorded_profiles.data, recorded_profiles.format, recorded_profiles.options) AS r;
	END;

COMMENT ON FUNCTION recorded_profiles(bytea, text, jsonb)
	IS 'what read_recording() finds in a recording, for import_profile(); the options ask for the events as they are '
		'stored';

CREATE OR REPLACE FUNCTION import_profile(benchmark text, data bytea, format text DEFAULT 'auto',
		suite text DEFAULT '', parameters jsonb DEFAULT '{}', started_at timestamptz DEFAULT now(),
		branch text DEFAULT '', commit text DEFAULT '', version text DEFAULT '', labels jsonb DEFAULT '{}',
		event text DEFAULT NULL, unit text DEFAULT NULL, period float8 DEFAULT NULL,
		recorded_at timestamptz DEFAULT NULL, duration interval DEFAULT NULL, instance text DEFAULT '',
		repetition int DEFAULT 0, metric float8 DEFAULT NULL, metric_unit text DEFAULT '',
		source text DEFAULT '', options jsonb DEFAULT '{}') RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_event CONSTANT text := coalesce(import_profile.event, 'cpu');
	v_options CONSTANT jsonb := jsonb_build_object('stored_names', true, 'event', import_profile.event)
		|| coalesce(import_profile.options, '{}');
	r record;
	v_profile_id bigint;
	v_result bigint;
	v_place int;
	v_best int;
BEGIN
	PERFORM profiling.need_access('import_profile'::text, 'loader'::text);
	IF import_profile.data IS NULL THEN
		RAISE EXCEPTION 'the recording to import cannot be null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	FOR r IN
		WITH recorded AS MATERIALIZED (
			SELECT row_number() OVER () AS n, min(f.unit) OVER () <> max(f.unit) OVER () AS several_units, f.*
			FROM profiling.recorded_profiles(import_profile.data, coalesce(import_profile.format, 'auto'),
				v_options) AS f
		)
		-- The order of the locks, which is that of flamegraph-load, too.
		SELECT * FROM recorded AS o ORDER BY o.event COLLATE "C", o.unit COLLATE "C", o.name COLLATE "C"
	LOOP
		IF r.several_units AND import_profile.unit IS NOT NULL THEN
			RAISE EXCEPTION 'the profiles of this recording have different units' USING
				ERRCODE = 'invalid_parameter_value',
				HINT = 'Leave the argument "unit" out, or pick one event by the options.';
		END IF;
		v_profile_id := profiling.import_flamegraph(
			benchmark => import_profile.benchmark, fg => r.complete, truncated => r.truncated,
			suite => import_profile.suite, parameters => import_profile.parameters,
			started_at => import_profile.started_at, branch => import_profile.branch,
			commit => import_profile.commit, version => import_profile.version, labels => import_profile.labels,
			event => r.event, unit => coalesce(import_profile.unit, r.unit),
			period => coalesce(import_profile.period, nullif(r.period, 0)), recorded_at => import_profile.recorded_at,
			duration => import_profile.duration, instance => import_profile.instance, source => import_profile.source,
			repetition => import_profile.repetition, metric => import_profile.metric, options => '{}'::jsonb,
			metric_unit => import_profile.metric_unit, samples => r.samples, noise => r.noise);
		-- The event that was asked for, else what the recording has first.
		v_place := CASE WHEN v_event IN (r.event, r.name) THEN 0 ELSE r.n END;
		IF v_result IS NULL OR v_place < v_best THEN
			v_result := v_profile_id;
			v_best := v_place;
		END IF;
	END LOOP;
	IF v_result IS NULL THEN
		RAISE EXCEPTION 'the recording holds no profile' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	RETURN v_result;
END
$$;

CREATE OR REPLACE FUNCTION import_observations(benchmark text, location text[], x float8[], y float8[],
		suite text DEFAULT '', parameters jsonb DEFAULT '{}', started_at timestamptz DEFAULT now(),
		branch text DEFAULT '', commit text DEFAULT '', version text DEFAULT '', labels jsonb DEFAULT '{}',
		unit text DEFAULT '', repetition int DEFAULT 0) RETURNS bigint
	-- The text that they are recognised by has all digits.
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 AS $$
#variable_conflict use_column
DECLARE
	v_n CONSTANT int := coalesce(cardinality(import_observations.location), 0);
	v_unit CONSTANT text := coalesce(import_observations.unit, '');
	v_benchmark_id bigint;
	v_test_run_id bigint;
	v_load_id uuid;
	v_loaded bigint;
BEGIN
	PERFORM profiling.need_access('import_observations'::text, 'loader'::text);
	IF coalesce(cardinality(import_observations.x), 0) <> v_n
		OR coalesce(cardinality(import_observations.y), 0) <> v_n THEN
		RAISE EXCEPTION 'location, x and y must have the same length' USING
			ERRCODE = 'array_subscript_error',
			DETAIL = format('They have %s, %s and %s elements.', v_n,
				coalesce(cardinality(import_observations.x), 0), coalesce(cardinality(import_observations.y), 0));
	END IF;
	IF array_position(import_observations.location, NULL) IS NOT NULL
			OR array_position(import_observations.x, NULL) IS NOT NULL
			OR array_position(import_observations.y, NULL) IS NOT NULL THEN
		RAISE EXCEPTION 'location, x and y cannot hold nulls' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	v_benchmark_id := profiling.ensure_benchmark(import_observations.suite, import_observations.benchmark,
		import_observations.parameters);
	v_test_run_id := profiling.ensure_test_run(coalesce(import_observations.started_at, now()),
		import_observations.branch,
		import_observations.commit, import_observations.version, import_observations.labels);
	v_load_id := profiling.object_id(to_jsonb(ROW(v_unit, coalesce(import_observations.repetition, 0),
		import_observations.location, import_observations.x, import_observations.y)));
	-- What is returned is counted: on Citus the row count of an INSERT .. SELECT is that of the rows offered.
	WITH loaded AS (
		INSERT INTO profiling.observation (benchmark_id, test_run_id, location, x, y, unit, load_id, ordinal)
		SELECT v_benchmark_id, v_test_run_id, u.l, u.x, u.y, v_unit, v_load_id, u.n
		FROM unnest(import_observations.location, import_observations.x, import_observations.y) WITH ORDINALITY
			AS u (l, x, y, n)
		ORDER BY u.n
		ON CONFLICT ON CONSTRAINT observation_key DO NOTHING
		RETURNING 1
	)
	SELECT count(*) INTO v_loaded FROM loaded;
	IF v_loaded < v_n THEN
		RAISE NOTICE 'observations are in the store already' USING
			ERRCODE = 'unique_violation',
			DETAIL = format('%s of %s were loaded before.', v_n - v_loaded, v_n);
	END IF;
	RETURN v_loaded;
END
$$;

COMMENT ON FUNCTION import_observations(text, text[], float8[], float8[], text, jsonb, timestamptz, text, text, text,
	jsonb, text, int)
	IS 'puts measured points into the store; returns how many are new: arrays that were loaded before are left alone, '
		'with a NOTICE';

CREATE OR REPLACE FUNCTION add_partition(month date) RETURNS text
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s' SET datestyle = 'ISO' AS $$
#variable_conflict use_column
DECLARE
	v_month CONSTANT date := date_trunc('month', add_partition.month::timestamp);
	v_name CONSTANT text := 'profile_data_' || to_char(v_month, 'YYYYMM');
	v_from CONSTANT timestamptz := profiling.month_start(v_month);
	v_to CONSTANT timestamptz := profiling.month_start((v_month + interval '1 month')::date);
BEGIN
	IF add_partition.month IS NULL OR v_month NOT BETWEEN date '1000-01-01' AND date '9999-11-01' THEN
		RAISE EXCEPTION 'no partition can be made for month %', coalesce(add_partition.month::text, 'NULL')
			USING ERRCODE = 'invalid_parameter_value';
	END IF;
	-- Loaders wait here. ATTACH would let them in, but one that has chosen the default partition for its row by then
	-- would fail as soon as it is allowed to write.
	LOCK TABLE ONLY profiling.profile_data IN SHARE ROW EXCLUSIVE MODE;
	IF EXISTS (SELECT 1 FROM profiling.partition_months() AS p WHERE p.partition = v_name) THEN
		RETURN v_name;
	END IF;
	LOCK TABLE profiling.profile_data_default IN ACCESS EXCLUSIVE MODE;

	EXECUTE format('CREATE TABLE profiling.%I (LIKE profiling.profile_data INCLUDING COMPRESSION INCLUDING STORAGE,'
		' CONSTRAINT of_month CHECK (recorded_at >= %L AND recorded_at < %L)) WITH (parallel_workers = 4)', v_name,
			v_from, v_to);
	EXECUTE format('COMMENT ON TABLE profiling.%I IS %L', v_name, 'profiles recorded in '
		|| to_char(v_month, 'YYYY-MM'));
	EXECUTE format('ALTER TABLE profiling.%I OWNER TO %I', v_name,
		(SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'profiling.profile_data'::regclass));
	EXECUTE format('WITH moved AS (DELETE FROM profiling.profile_data_default '
		'WHERE recorded_at >= %L AND recorded_at < %L RETURNING *)'
		' INSERT INTO profiling.%I SELECT * FROM moved', v_from, v_to, v_name);
	EXECUTE format('ALTER TABLE profiling.%I ADD PRIMARY KEY (benchmark_id, profile_id)', v_name);
	EXECUTE format('CREATE INDEX %I ON profiling.%I USING gin (flamegraph)', v_name || '_flamegraph_idx', v_name);
	-- The check spares ATTACH reading the table.
	EXECUTE format('ALTER TABLE profiling.profile_data ATTACH PARTITION profiling.%I FOR VALUES FROM (%L) TO (%L)',
		v_name, v_from, v_to);
	EXECUTE format('ALTER TABLE profiling.%I DROP CONSTRAINT of_month', v_name);
	RETURN v_name;
END
$$;

CREATE OR REPLACE FUNCTION log_job(step text, outcome text, started_at timestamptz, detail text DEFAULT '',
		benchmark_id bigint DEFAULT NULL, kept_back jsonb DEFAULT '{}') RETURNS void
	LANGUAGE sql
	BEGIN ATOMIC
		INSERT INTO job_log (started_at, finished_at, benchmark_id, step, outcome, detail, kept_back)
		VALUES (log_job.started_at, clock_timestamp(), log_job.benchmark_id, log_job.step, log_job.outcome,
			log_job.detail, log_job.kept_back);
	END;

COMMENT ON FUNCTION log_job(text, text, timestamptz, text, bigint, jsonb) IS 'writes a line into job_log';

CREATE OR REPLACE FUNCTION runs_to_keep(keep_runs int DEFAULT 30, OUT benchmark_id bigint, OUT event text,
		OUT test_run_id bigint) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		-- the newest ones: as many as were asked for, and as any watch row looks back
		SELECT n.benchmark_id, n.event, n.test_run_id
		FROM (SELECT DISTINCT r.benchmark_id, r.event, r.test_run_id,
				dense_rank() OVER (PARTITION BY r.benchmark_id, r.event, r.branch ORDER BY r.started_at DESC,
					r.test_run_id DESC) AS age
			FROM rollup AS r WHERE r.span = 'run') AS n
		WHERE n.age <= greatest(runs_to_keep.keep_runs,
			(SELECT 1 + max(substring(w.baseline FROM '^window:([0-9]+)$'::text)::int) FROM watch AS w WHERE w.enabled))
		UNION
		-- what a season goes back to
		SELECT r.benchmark_id, r.event, r.test_run_id
		FROM rollup AS r JOIN benchmark AS b ON b.benchmark_id = r.benchmark_id
			JOIN watch AS w ON b.suite LIKE w.suite AND b.name LIKE w.benchmark AND r.event LIKE w.event AND w.enabled
			CROSS JOIN LATERAL season_of(w.baseline) AS s
		WHERE r.span = 'run' AND r.started_at >= (now() AT TIME ZONE 'UTC'
			- s.period * (s.periods::float8 + 0.05::float8)) AT TIME ZONE 'UTC'
		UNION
		-- what a finding refers to that is open or pending
		SELECT f.benchmark_id, f.event, u.test_run_id
		FROM regression AS f, pg_catalog.unnest(ARRAY[f.first_test_run_id, f.last_test_run_id]) AS u (test_run_id)
		WHERE f.status IN ('open', 'acknowledged', 'pending')
		UNION
		-- what a baseline names
		SELECT r.benchmark_id, r.event, r.test_run_id
		FROM rollup AS r JOIN benchmark AS b ON b.benchmark_id = r.benchmark_id
			JOIN test_run AS t ON t.test_run_id = r.test_run_id
			JOIN watch AS w ON b.suite LIKE w.suite AND b.name LIKE w.benchmark AND r.event LIKE w.event AND w.enabled
		WHERE CASE WHEN w.baseline LIKE 'commit:%' THEN starts_with(t.commit, substr(w.baseline, 8))
				   WHEN w.baseline LIKE 'version:%' THEN t.version = substr(w.baseline, 9)
				   ELSE false END;
	END;

COMMENT ON FUNCTION runs_to_keep(int)
	IS 'what retention keeps however old it is: the newest runs of each benchmark, event and branch, runs that open '
		'findings refer to, and runs that baselines name or go back to';

CREATE OR REPLACE FUNCTION merge_rows(benchmark_ids bigint[], event text, unit text, branch text, metric_unit text,
		test_run_ids bigint[], span text) RETURNS void
	LANGUAGE sql
	BEGIN ATOMIC
		WITH gone AS (
			DELETE FROM rollup AS r
			WHERE r.benchmark_id = ANY (merge_rows.benchmark_ids) AND r.event = merge_rows.event
				AND r.unit = merge_rows.unit
				AND r.branch = merge_rows.branch AND r.test_run_id = ANY (merge_rows.test_run_ids)
			RETURNING r.*
		), facts AS (
			SELECT (pg_catalog.array_agg(o.test_run_id ORDER BY o.started_at DESC,
				o.test_run_id DESC))[1] AS test_run_id,
				max(o.started_at) AS started_at, sum(o.repetitions)::int AS repetitions,
					sum(o.total ORDER BY o.started_at, o.test_run_id) AS total,
				sum(o.truncated_total ORDER BY o.started_at, o.test_run_id) AS truncated_total,
					sum(o.metric_count)::int AS metric_count,
				sum(o.metric_sum ORDER BY o.started_at, o.test_run_id) AS metric_sum,
				sum(o.flamegraph ORDER BY o.started_at, o.test_run_id) AS flamegraph,
				recorded_sum(ROW(o.flamegraph, o.period, o.samples, o.noise)::recorded
					ORDER BY o.started_at, o.test_run_id) AS recorded,
				merged_stats(stats_of(o.stats_stack, o.flamegraph, 'stack'::text)
					ORDER BY o.started_at, o.test_run_id) AS stats_stack,
				merged_stats(stats_of(o.stats_node, o.flamegraph, 'node'::text)
					ORDER BY o.started_at, o.test_run_id) AS stats_node,
				merged_stats(stats_of(o.stats_frame, o.flamegraph, 'frame'::text)
					ORDER BY o.started_at, o.test_run_id) AS stats_frame,
				merged_stats(stats_of(o.stats_self, o.flamegraph, 'self'::text)
					ORDER BY o.started_at, o.test_run_id) AS stats_self
			FROM gone AS o
		)
		INSERT INTO rollup AS r (benchmark_id, event, unit, branch, test_run_id, span, started_at, run_ids, flamegraph,
			stats_stack, stats_node, stats_frame, stats_self, repetitions, total, truncated_total, metric_count,
				metric_sum,
			metric_unit, checked_at, period, samples, noise)
		SELECT merge_rows.benchmark_ids[1], merge_rows.event, merge_rows.unit, merge_rows.branch, f.test_run_id,
			merge_rows.span, f.started_at,
			(SELECT pg_catalog.array_agg(DISTINCT u.id ORDER BY u.id) FROM gone AS o,
				pg_catalog.unnest(o.run_ids) AS u (id)), f.flamegraph,
			CASE WHEN f.repetitions > 1 THEN f.stats_stack END, CASE WHEN f.repetitions > 1 THEN f.stats_node END,
			CASE WHEN f.repetitions > 1 THEN f.stats_frame END, CASE WHEN f.repetitions > 1 THEN f.stats_self END,
			f.repetitions, f.total, f.truncated_total, f.metric_count, f.metric_sum, merge_rows.metric_unit,
			CASE merge_rows.span WHEN 'month' THEN now() END,
			(f.recorded).period, (f.recorded).samples, (f.recorded).noise
		FROM facts AS f;
	END;

CREATE OR REPLACE FUNCTION merge_rollups(benchmark_id bigint, merge_after interval DEFAULT '1 year',
		keep_runs int DEFAULT 30) RETURNS int
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_cutoff CONSTANT timestamptz := profiling.month_start(profiling.month_of(now() - merge_rollups.merge_after));
	g record;
	v_keep_events text[];
	v_keep_runs bigint[];
	v_ids bigint[];
	v_merged int := 0;
BEGIN
	PERFORM profiling.keep_corrections_out();
	-- It goes by months, and the night by runs: each would wait for the other.
	PERFORM pg_advisory_xact_lock(hashtextextended('flamegraph_store months', merge_rollups.benchmark_id));
	SELECT array_agg(k.event), array_agg(k.test_run_id) INTO v_keep_events, v_keep_runs
	FROM profiling.runs_to_keep(merge_rollups.keep_runs) AS k WHERE k.benchmark_id = merge_rollups.benchmark_id;
	FOR g IN
		SELECT r.event, r.unit, r.branch, r.metric_unit, profiling.month_of(r.started_at) AS month
		FROM profiling.rollup AS r
		WHERE r.benchmark_id = merge_rollups.benchmark_id AND r.span = 'run' AND r.started_at < v_cutoff
		GROUP BY 1, 2, 3, 4, 5
		ORDER BY 1, 2, 3, 4, 5
	LOOP
		-- Locked, so that an import into one of these runs waits, and then makes a row of its own.
		SELECT array_agg(l.test_run_id) INTO v_ids
		FROM (SELECT r.test_run_id FROM profiling.rollup AS r
			WHERE r.benchmark_id = merge_rollups.benchmark_id AND r.event = g.event AND r.unit = g.unit
				AND r.branch = g.branch AND r.metric_unit = g.metric_unit AND profiling.month_of(r.started_at) = g.month
				AND (r.span = 'month' OR (r.event, r.test_run_id) NOT IN (SELECT *
					FROM unnest(v_keep_events, v_keep_runs)))
			ORDER BY r.test_run_id FOR UPDATE) AS l;
		CONTINUE WHEN v_ids IS NULL;
		PERFORM profiling.fold_rollups(merge_rollups.benchmark_id, u.id) FROM unnest(v_ids) AS u (id);
		CONTINUE WHEN NOT EXISTS (SELECT 1 FROM profiling.rollup AS r
			WHERE r.benchmark_id = merge_rollups.benchmark_id AND r.event = g.event AND r.unit = g.unit
				AND r.branch = g.branch AND r.test_run_id = ANY (v_ids) AND r.span = 'run');
		PERFORM profiling.merge_month(merge_rollups.benchmark_id, g.event, g.unit, g.branch, g.metric_unit, v_ids);
		v_merged := v_merged + 1;
	END LOOP;
	RETURN v_merged;
END
$$;

CREATE OR REPLACE FUNCTION months_wanted(months int, keep interval) RETURNS date[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		-- What somebody has loaded with a date beyond these stays in the default partition: nobody but the owner
		-- decides how many partitions there are.
		SELECT pg_catalog.array_agg(t.m ORDER BY t.m)
		FROM (SELECT (month_of(now()) + g::float8 * '1 month'::interval)::date
			FROM generate_series(0, months_wanted.months) AS g
			UNION SELECT DISTINCT month_of(d.recorded_at) FROM profile_data_default AS d
			WHERE d.recorded_at >= month_start(month_of(now() - months_wanted.keep))
				AND d.recorded_at < month_start((month_of(now()) + (greatest(months_wanted.months,
					0) + 1)::float8 * '1 month'::interval)::date)
			EXCEPT SELECT p.month FROM partition_months() AS p) AS t (m);
	END;

CREATE OR REPLACE FUNCTION fold_before(before timestamptz) RETURNS int
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	o record;
	v_folded int;
BEGIN
	FOR o IN
		SELECT DISTINCT r.benchmark_id, r.test_run_id
		FROM profiling.rollup AS r JOIN profiling.profile AS p ON p.benchmark_id = r.benchmark_id
			AND p.profile_id = ANY (r.pending)
		WHERE r.pending <> '{}' AND p.recorded_at < fold_before.before
		ORDER BY 1, 2
	LOOP
		v_folded := coalesce(v_folded, 0) + profiling.fold_rollups(o.benchmark_id, o.test_run_id);
	END LOOP;
	RETURN v_folded;
END
$$;

CREATE OR REPLACE FUNCTION prune_month(month date, keep_runs int) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s' AS $$
#variable_conflict use_column
DECLARE
	v_name text;
	v_kept bigint;
BEGIN
	PERFORM profiling.keep_corrections_out();
	-- Before it is decided what to keep: nothing comes into this month any more.
	LOCK TABLE ONLY profiling.profile_data IN ACCESS EXCLUSIVE MODE;
	SELECT p.partition INTO v_name FROM profiling.partition_months() AS p WHERE p.month = prune_month.month;
	IF NOT FOUND THEN
		RETURN 0;
	END IF;
	-- A sum needs its profiles until they are in it.
	PERFORM profiling.fold_before(profiling.month_start((prune_month.month + interval '1 month')::date));
	EXECUTE format('ALTER TABLE profiling.profile_data DETACH PARTITION profiling.%I', v_name);
	EXECUTE format('WITH runs AS MATERIALIZED (SELECT k.* FROM profiling.runs_to_keep($1) AS k),'
		' kept AS (INSERT INTO profiling.profile_data_default SELECT d.* FROM profiling.%I AS d'
		' WHERE EXISTS (SELECT 1 FROM profiling.profile AS p JOIN runs AS k'
		' ON k.benchmark_id = p.benchmark_id AND k.event = p.event AND k.test_run_id = p.test_run_id'
		' WHERE p.benchmark_id = d.benchmark_id AND p.profile_id = d.profile_id) RETURNING 1)'
		' SELECT count(*) FROM kept', v_name) INTO v_kept USING prune_month.keep_runs;
	EXECUTE format('DROP TABLE profiling.%I', v_name);
	RETURN v_kept;
END
$$;

CREATE OR REPLACE FUNCTION service_runs_to_leave(before timestamptz) RETURNS bigint[]
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_all CONSTANT bigint[] := ARRAY(SELECT t.test_run_id FROM profiling.test_run AS t
		-- What watch_services() looks at is a day old at most.
		WHERE t.started_at < least(service_runs_to_leave.before, now() - interval '2 days')
			AND t.labels ? 'service' AND t.started_at = profiling.hour_of(t.started_at));
	-- In steps: Citus joins no table that is everywhere with what is missing in one that is in parts.
	v_named CONSTANT bigint[] := ARRAY(
		SELECT f.first_test_run_id FROM profiling.regression AS f WHERE f.method = 'service'
		UNION SELECT f.last_test_run_id FROM profiling.regression AS f WHERE f.method = 'service');
BEGIN
	RETURN ARRAY(SELECT a.id FROM unnest(v_all) AS a (id) EXCEPT SELECT n.id FROM unnest(v_named) AS n (id));
END
$$;

COMMENT ON FUNCTION service_runs_to_leave(timestamptz)
	IS 'runs before this that stand for hours of services and that no finding begins or ends with any more; among them '
		'those of benchmarks that somebody has given the label service';

CREATE OR REPLACE FUNCTION prune_profiles(before timestamptz, keep_runs int, max_rows int) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_deleted bigint;
	v_rows bigint;
BEGIN
	-- What goes is chosen once: a table that is not analyzed yet looks as if it had one row, and a subquery would then
	-- be run again for each row of another one.
	-- profiles that are kept in the default partition no longer
	WITH kept AS MATERIALIZED (
		SELECT k.benchmark_id, k.event, k.test_run_id FROM profiling.runs_to_keep(prune_profiles.keep_runs) AS k
	), old AS MATERIALIZED (
		SELECT o.benchmark_id, o.profile_id
		FROM profiling.profile_data_default AS o
		WHERE o.recorded_at < prune_profiles.before AND NOT EXISTS (
			SELECT 1 FROM profiling.profile AS p JOIN kept AS k
				ON k.benchmark_id = p.benchmark_id AND k.event = p.event AND k.test_run_id = p.test_run_id
			WHERE p.benchmark_id = o.benchmark_id AND p.profile_id = o.profile_id)
			-- what has come since
			AND NOT EXISTS (SELECT 1 FROM profiling.rollup AS r WHERE r.benchmark_id = o.benchmark_id
				AND r.pending <> '{}' AND o.profile_id = ANY (r.pending))
		LIMIT prune_profiles.max_rows
	)
	DELETE FROM profiling.profile_data_default AS d USING old
	WHERE d.benchmark_id = old.benchmark_id AND d.profile_id = old.profile_id;
	GET DIAGNOSTICS v_deleted = ROW_COUNT;
	-- what was known about profiles that are gone
	WITH old AS MATERIALIZED (
		SELECT o.benchmark_id, o.profile_id
		FROM profiling.profile AS o
		WHERE o.recorded_at < prune_profiles.before AND NOT EXISTS (SELECT 1 FROM profiling.profile_data AS d
			WHERE d.benchmark_id = o.benchmark_id AND d.profile_id = o.profile_id AND d.recorded_at = o.recorded_at)
		LIMIT prune_profiles.max_rows
	)
	DELETE FROM profiling.profile AS p USING old
	WHERE p.benchmark_id = old.benchmark_id AND p.profile_id = old.profile_id;
	GET DIAGNOSTICS v_rows = ROW_COUNT;
	RETURN v_deleted + v_rows;
END
$$;

COMMENT ON FUNCTION prune_profiles(timestamptz, int, int)
	IS 'deletes what the default partition keeps no longer, and rows of profiles that are gone, as many of each at '
		'most; returns how many';

CREATE OR REPLACE FUNCTION prune_rows(before timestamptz, keep_runs int, max_rows int DEFAULT 5000) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_deleted bigint;
	v_rows bigint;
BEGIN
	PERFORM profiling.keep_corrections_out();
	PERFORM profiling.fold_before(prune_rows.before);
	v_deleted := profiling.prune_profiles(prune_rows.before, prune_rows.keep_runs, prune_rows.max_rows);
	WITH old AS MATERIALIZED (
		SELECT v.benchmark_id, v.observation_id
		FROM profiling.observation AS v JOIN profiling.test_run AS t ON t.test_run_id = v.test_run_id
		WHERE t.started_at < prune_rows.before
			AND (v.benchmark_id, v.test_run_id) NOT IN (SELECT k.benchmark_id, k.test_run_id
				FROM profiling.runs_to_keep(prune_rows.keep_runs) AS k)
			-- of benchmarks without profiles the newest runs, too
			AND (v.benchmark_id, v.test_run_id) NOT IN (
				SELECT r.benchmark_id, r.test_run_id
				FROM (SELECT DISTINCT w.benchmark_id, w.test_run_id,
						dense_rank() OVER (PARTITION BY w.benchmark_id, u.branch ORDER BY u.started_at DESC,
							u.test_run_id DESC) AS age
					FROM (SELECT DISTINCT benchmark_id, test_run_id FROM profiling.observation) AS w
						JOIN profiling.test_run AS u ON u.test_run_id = w.test_run_id) AS r
				WHERE r.age <= prune_rows.keep_runs)
		LIMIT prune_rows.max_rows
	)
	DELETE FROM profiling.observation AS o USING old
	WHERE o.benchmark_id = old.benchmark_id AND o.observation_id = old.observation_id;
	GET DIAGNOSTICS v_rows = ROW_COUNT;
	v_deleted := v_deleted + v_rows;
	DELETE FROM profiling.job_log AS l USING (
		SELECT o.log_id FROM profiling.job_log AS o WHERE o.started_at < prune_rows.before
			LIMIT prune_rows.max_rows) AS old
	WHERE l.log_id = old.log_id;
	GET DIAGNOSTICS v_rows = ROW_COUNT;
	RETURN v_deleted + v_rows + profiling.leave_test_runs(profiling.service_runs_to_leave(prune_rows.before));
END
$$;

COMMENT ON FUNCTION prune_rows(timestamptz, int, int)
	IS 'a batch of what prune() deletes row by row: small rows of dropped profiles, what the default partition keeps '
		'no longer, observations, runs of hours of services that no finding names, the log; returns how many rows went';

CREATE TABLE service (
	service_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name text NOT NULL CHECK (name <> '' AND octet_length(name) <= 500),
	labels jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(labels) = 'object'),
	created_at timestamptz NOT NULL DEFAULT now(),
	CONSTRAINT service_key UNIQUE (name)
);

COMMENT ON TABLE service IS 'what runs in production and is profiled all the time';

COMMENT ON COLUMN service.service_id IS 'number of the service';

COMMENT ON COLUMN service.name IS 'its name';

COMMENT ON COLUMN service.labels IS 'object of what people want to note: owner, tier, repository';

COMMENT ON COLUMN service.created_at IS 'when its first profile came';

CREATE TABLE stream (
	service_id bigint NOT NULL,
	stream_id bigint GENERATED ALWAYS AS IDENTITY,
	event text NOT NULL CHECK (event <> '' AND octet_length(event) <= 250),
	unit text NOT NULL CHECK (unit <> '' AND octet_length(unit) <= 250),
	period float8 NOT NULL DEFAULT 0 CHECK (period >= 0::float8 AND period < 'infinity'::float8),
	labels jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(labels) = 'object'),
	labels_id uuid NOT NULL,
	created_at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (service_id, stream_id),
	CONSTRAINT stream_key UNIQUE (service_id, event, unit, period, labels_id)
);

COMMENT ON TABLE stream IS 'profiles of a service that are of one kind: of one event, unit, period and set of labels';

COMMENT ON COLUMN stream.service_id IS 'the service';

COMMENT ON COLUMN stream.stream_id IS 'number of the stream, unique in the store';

COMMENT ON COLUMN stream.event IS 'what was sampled: cpu, wall, alloc, lock, io, exception, …';

COMMENT ON COLUMN stream.unit IS 'unit of the values: samples, nanoseconds, bytes, …';

COMMENT ON COLUMN stream.period IS 'what one sample stands for, in unit; 0 when samples differ or nobody knows';

COMMENT ON COLUMN stream.labels
	IS 'object of what rarely changes: region, version, commit; what differs from pod to pod is the instance';

COMMENT ON COLUMN stream.labels_id IS 'md5 of the text of labels, their part in the key';

COMMENT ON COLUMN stream.created_at IS 'when its first profile came';

CREATE OR REPLACE FUNCTION sum_of_sizes(fg flamegraph) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT @-@ sum_of_sizes.fg;
	END;

COMMENT ON FUNCTION sum_of_sizes(flamegraph) IS 'the sum of the absolute values of a profile';

CREATE OR REPLACE FUNCTION can_be_added(fg flamegraph) RETURNS bool
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	-- Sums of billions of them and fourth powers of those are numbers. The universe is 4.4e26 nanoseconds old.
	v_most CONSTANT float8 := 1e60;
	v_size float8;
BEGIN
	BEGIN
		v_size := profiling.sum_of_sizes(fg);
	EXCEPTION WHEN numeric_value_out_of_range THEN
		v_size := 'infinity';
	END;
	IF v_size > v_most THEN
		RAISE EXCEPTION 'the values of a profile of a service are too large' USING
			ERRCODE = 'numeric_value_out_of_range',
			DETAIL = format('The sum of their absolute values is %s.',
				CASE WHEN v_size = 'infinity' THEN 'more than a number can be' ELSE v_size::text END),
			HINT = format('Up to %s is taken, so that the profiles of all services can be added up.', v_most);
	END IF;
	RETURN true;
END
$$;

COMMENT ON FUNCTION can_be_added(flamegraph)
	IS 'true, also for null; an error for a profile whose values are too large to be added up with those of others';

CREATE TABLE incoming (
	service_id bigint NOT NULL,
	stream_id bigint NOT NULL,
	recorded_at timestamptz NOT NULL CHECK (isfinite(recorded_at)),
	duration interval,
	instance text NOT NULL DEFAULT ''
		-- In a series it is a frame, and these have no line ends.
		CHECK (octet_length(instance) <= 500 AND strpos(instance, chr(10)) = 0 AND strpos(instance, chr(13)) = 0),
	flamegraph flamegraph NOT NULL,
	noise flamegraph,
	CONSTRAINT incoming_can_be_added CHECK (can_be_added(flamegraph) AND (noise IS NULL OR can_be_added(noise)))
) PARTITION BY RANGE (recorded_at);

ALTER TABLE incoming ALTER flamegraph SET STORAGE EXTERNAL, ALTER noise SET STORAGE EXTERNAL;

COMMENT ON TABLE incoming IS 'profiles that are in no block yet, by hour';

COMMENT ON COLUMN incoming.service_id IS 'the service';

COMMENT ON COLUMN incoming.stream_id IS 'the stream';

COMMENT ON COLUMN incoming.recorded_at IS 'when it was recorded';

COMMENT ON COLUMN incoming.duration IS 'length of the recording';

COMMENT ON COLUMN incoming.instance IS 'which machine, pod or process, '''' when there is one';

COMMENT ON COLUMN incoming.flamegraph IS 'the profile, in stream.unit';

COMMENT ON COLUMN incoming.noise
	IS 'sum of the squared weights of the samples per stack, in unit squared, where samples weigh differently; '
		'null: stream.period * flamegraph, or unknown';

CREATE TABLE incoming_default PARTITION OF incoming (PRIMARY KEY (service_id, stream_id, recorded_at, instance))
	DEFAULT;

COMMENT ON TABLE incoming_default IS 'profiles of hours without a partition';

CREATE TABLE block (
	service_id bigint NOT NULL,
	stream_id bigint NOT NULL,
	resolution text NOT NULL CHECK (resolution IN ('raw', 'minute', 'hour', 'day')),
	since timestamptz NOT NULL,
	until timestamptz NOT NULL,
	part int NOT NULL DEFAULT 0,
	series flameseries NOT NULL,
	noise flameseries,
	counts flameseries,
	profiles bigint NOT NULL,
	stacks bigint NOT NULL,
	total float8 NOT NULL,
	CHECK (since < until AND (counts IS NULL) = (resolution = 'raw'))
) PARTITION BY RANGE (since);

ALTER TABLE block ALTER series SET STORAGE EXTERNAL, ALTER noise SET STORAGE EXTERNAL,
	ALTER counts SET STORAGE EXTERNAL;

COMMENT ON TABLE block IS 'series of profiles: of a stream and a span of time, by day';

COMMENT ON COLUMN block.service_id IS 'the service';

COMMENT ON COLUMN block.stream_id IS 'the stream';

COMMENT ON COLUMN block.resolution
	IS 'raw: profiles as they came, of hours of a day; minute: sums of minutes, of a day; hour, day: sums of hours and '
		'days, of a month';

COMMENT ON COLUMN block.since IS 'when the span begins, in UTC';

COMMENT ON COLUMN block.until IS 'when it ends, which belongs to the next one';

COMMENT ON COLUMN block.part IS 'number of the block, where several begin at the same time';

COMMENT ON COLUMN block.series IS 'the profiles or sums, in stream.unit';

COMMENT ON COLUMN block.noise
	IS 'their noise, of those that have it; a sum has it when all of its profiles have; null: of none, stream.period '
		'says it, or unknown';

COMMENT ON COLUMN block.counts
	IS 'of sums how many profiles are in each, as value of the empty stack; null for raw profiles';

COMMENT ON COLUMN block.profiles IS 'how many profiles there were';

COMMENT ON COLUMN block.stacks IS 'sum of the numbers of stacks: values that series has';

COMMENT ON COLUMN block.total IS 'total of all, in stream.unit';

CREATE TABLE block_default PARTITION OF block (PRIMARY KEY (service_id, stream_id, resolution, since, part)) DEFAULT;

CREATE INDEX block_default_series_idx ON block_default USING gin (series);

COMMENT ON TABLE block_default IS 'blocks of days without a partition';

CREATE OR REPLACE FUNCTION ages_work(raw interval, minutes interval, hours interval, days interval) RETURNS bool
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_forever CONSTANT interval := interval '100000 years';
BEGIN
	IF least(raw, minutes, hours, days) < interval '0' OR raw < interval '1 hour' THEN
		RAISE EXCEPTION 'profiles are kept as they came for an hour at least, and no age is negative'
			USING ERRCODE = 'invalid_parameter_value';
	END IF;
	-- What is as old as that is of a time that there is.
	IF greatest(raw, minutes, hours, days) > interval '1000 years' THEN
		RAISE EXCEPTION 'an age of retention is at most 1000 years' USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Null is for ever.';
	END IF;
	IF NOT (coalesce(raw, v_forever) <= coalesce(minutes, v_forever)
			AND coalesce(minutes, v_forever) <= coalesce(hours, v_forever)
			AND coalesce(hours, v_forever) <= coalesce(days, v_forever)) THEN
		RAISE EXCEPTION 'raw, minutes, hours and days are ages, each as old as the one before or older' USING
			ERRCODE = 'invalid_parameter_value',
			DETAIL = format('They are %s, %s, %s and %s.', coalesce(raw::text, 'null'),
				coalesce(minutes::text, 'null'), coalesce(hours::text, 'null'), coalesce(days::text, 'null')),
			HINT = 'Null is for ever. Two ages that are the same leave out the sums between them.';
	END IF;
	RETURN true;
END
$$;

COMMENT ON FUNCTION ages_work(interval, interval, interval, interval)
	IS 'true; an error for ages of retention that do not follow each other';

CREATE TABLE retention (
	service text NOT NULL DEFAULT '%',
	event text NOT NULL DEFAULT '%',
	raw interval DEFAULT '2 days',
	minutes interval DEFAULT '14 days',
	hours interval DEFAULT '90 days',
	days interval DEFAULT '1 year',
	PRIMARY KEY (service, event),
	CONSTRAINT retention_patterns_work CHECK (pattern_works(service) AND pattern_works(event)),
	CONSTRAINT retention_ages_work CHECK (ages_work(raw, minutes, hours, days))
);

COMMENT ON TABLE retention
	IS 'up to which age production profiles are kept as they came, and as sums of minutes, hours and days; the row '
		'with the most specific patterns is in force, service before event; without one the defaults are';

COMMENT ON COLUMN retention.service IS 'pattern of LIKE for the name of the service';

COMMENT ON COLUMN retention.event IS 'pattern of LIKE for the event';

COMMENT ON COLUMN retention.raw
	IS 'age up to which profiles stay as they came, and up to which late ones are taken; null: for ever';

COMMENT ON COLUMN retention.minutes IS 'age up to which there are sums of minutes; null: for ever';

COMMENT ON COLUMN retention.hours IS 'age up to which there are sums of hours; null: for ever';

COMMENT ON COLUMN retention.days IS 'age up to which there are sums of days, and then nothing; null: for ever';

CREATE OR REPLACE FUNCTION retention_of(service text, event text, OUT raw interval, OUT minutes interval, OUT hours interval,
		OUT days interval)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	SELECT r.raw, r.minutes, r.hours, r.days INTO raw, minutes, hours, days
	FROM profiling.retention AS r
	WHERE retention_of.service LIKE r.service AND retention_of.event LIKE r.event
	ORDER BY profiling.pattern_weight(r.service) DESC, profiling.pattern_weight(r.event) DESC, r.service, r.event
	LIMIT 1;
	IF NOT FOUND THEN
		raw := '2 days';
		minutes := '14 days';
		hours := '90 days';
		days := '1 year';
	END IF;
END
$$;

COMMENT ON FUNCTION retention_of(text, text) IS 'the ages of retention that are in force for a service and an event';

CREATE OR REPLACE VIEW service_storage AS
SELECT s.service_id, s.name AS service, t.event, t.unit, k.resolution, min(k.since) AS since, max(k.until) AS until,
	count(*) AS blocks, sum(k.profiles)::bigint AS profiles, sum(k.bytes)::bigint AS bytes,
	sum(k.bytes)::float8 / nullif(sum(k.profiles), 0::numeric)::float8 AS bytes_per_profile
FROM (SELECT b.service_id, b.stream_id, b.resolution, b.since, b.until, b.profiles,
		pg_catalog.pg_column_size(b.series)::bigint + coalesce(pg_catalog.pg_column_size(b.noise), 0)::bigint
			+ coalesce(pg_catalog.pg_column_size(b.counts), 0)::bigint AS bytes
	FROM block AS b
	UNION ALL
	SELECT i.service_id, i.stream_id, 'incoming', i.recorded_at, i.recorded_at, 1::bigint,
		pg_catalog.pg_column_size(i.flamegraph)::bigint + coalesce(pg_catalog.pg_column_size(i.noise), 0)::bigint
	FROM incoming AS i) AS k
	JOIN stream AS t ON t.service_id = k.service_id AND t.stream_id = k.stream_id
	JOIN service AS s ON s.service_id = t.service_id
GROUP BY s.service_id, s.name, t.event, t.unit, k.resolution;

COMMENT ON VIEW service_storage
	IS 'what production profiles take per service, event and resolution: values as stored, without indexes';

COMMENT ON COLUMN service_storage.service_id IS 'the service';

COMMENT ON COLUMN service_storage.service IS 'its name';

COMMENT ON COLUMN service_storage.event IS 'that of the profiles';

COMMENT ON COLUMN service_storage.unit IS 'that of the profiles';

COMMENT ON COLUMN service_storage.resolution IS 'incoming, or that of the blocks';

COMMENT ON COLUMN service_storage.since IS 'when the first span begins';

COMMENT ON COLUMN service_storage.until IS 'when the last span ends';

COMMENT ON COLUMN service_storage.blocks IS 'number of blocks; of incoming profiles';

COMMENT ON COLUMN service_storage.profiles IS 'how many profiles there were';

COMMENT ON COLUMN service_storage.bytes IS 'bytes as stored, compressed';

COMMENT ON COLUMN service_storage.bytes_per_profile IS 'bytes / profiles';

CREATE OR REPLACE FUNCTION service_baseline_works(baseline text) RETURNS bool
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	SET standard_conforming_strings = on AS $$
DECLARE
	v_season CONSTANT record := profiling.season_of(baseline);
BEGIN
	IF coalesce(baseline !~ ' (hour|day|week)s?\*' OR v_season.periods > 60
			OR v_season.period * v_season.periods > interval '366 days', true) THEN
		RAISE EXCEPTION 'baseline "%" is none of a service', baseline USING ERRCODE = 'invalid_parameter_value',
			HINT = 'It is season:INTERVAL*N, such as season:1 day*7 or season:7 days*4: a number of hours, days or '
				'weeks, and how many of them to go back, from 1 to 60; a year in all.';
	END IF;
	RETURN true;
END
$$;

COMMENT ON FUNCTION service_baseline_works(text) IS 'true; an error for what is no baseline of a row of service_watch';

CREATE TABLE service_watch (
	service text NOT NULL DEFAULT '%',
	event text NOT NULL DEFAULT '%',
	level text NOT NULL DEFAULT 'frame' CHECK (word_works('level'::text, level, 'stack'::text, 'node'::text,
		'frame'::text, 'self'::text)),
	baseline text NOT NULL DEFAULT 'season:1 day*7',
	alpha float8 NOT NULL DEFAULT 0.01 CHECK (alpha >= 1e-100::float8 AND alpha < 1::float8),
	min_share float8 NOT NULL DEFAULT 0.01 CHECK (min_share = 0::float8 OR min_share >= 1e-12::float8
		AND min_share <= 1::float8),
	min_effect float8 NOT NULL DEFAULT 0.05 CHECK (min_effect = 0::float8 OR min_effect >= 1e-12::float8
		AND min_effect <= 1e9::float8),
	direction text NOT NULL DEFAULT 'both' CHECK (word_works('direction'::text, direction, 'both'::text,
		'degradation'::text, 'optimization'::text)),
	confirm int NOT NULL DEFAULT 1 CHECK (confirm >= 0 AND confirm <= 1000),
	min_instances int NOT NULL DEFAULT 3 CHECK (min_instances >= 1 AND min_instances <= 1000000),
	min_profiles int NOT NULL DEFAULT 10 CHECK (min_profiles >= 1 AND min_profiles <= 1000000000),
	deploys bool NOT NULL DEFAULT true,
	enabled bool NOT NULL DEFAULT true,
	PRIMARY KEY (service, event),
	CONSTRAINT service_watch_patterns_work CHECK (pattern_works(service) AND pattern_works(event)),
	CONSTRAINT service_watch_baseline_works CHECK (service_baseline_works(baseline))
);

COMMENT ON TABLE service_watch
	IS 'how hours of services are compared with those of earlier days; the row with the most specific patterns is in '
		'force, service before event; without one the defaults are: every service is watched';

COMMENT ON COLUMN service_watch.service IS 'pattern of LIKE for the name of the service';

COMMENT ON COLUMN service_watch.event IS 'pattern of LIKE for the event';

COMMENT ON COLUMN service_watch.level IS 'what is compared: stack, node, frame or self';

COMMENT ON COLUMN service_watch.baseline
	IS 'season:INTERVAL*N: an hour is compared with those that began INTERVAL, 2 INTERVAL, … N INTERVAL before; '
		'three of them are needed';

COMMENT ON COLUMN service_watch.alpha
	IS 'accepted share of hours with a false finding in any service, before it is confirmed, and of such hours with '
		'versions that came; where several services stand out in an hour, the accepted mean share of false ones among '
		'the findings of each';

COMMENT ON COLUMN service_watch.min_share IS 'findings below this share of the profile are left out; a fraction';

COMMENT ON COLUMN service_watch.min_effect
	IS 'findings that changed by less, relative to what was expected, are left out; a fraction';

COMMENT ON COLUMN service_watch.direction IS 'both, degradation or optimization';

COMMENT ON COLUMN service_watch.confirm
	IS 'how many later hours must show a finding in the same direction before it is open and told; 0: the first one '
		'is enough';

COMMENT ON COLUMN service_watch.min_instances
	IS 'hours, and versions, with fewer instances are not compared';

COMMENT ON COLUMN service_watch.min_profiles IS 'hours, and versions, with fewer profiles are not compared';

COMMENT ON COLUMN service_watch.deploys
	IS 'whether instances with a version that comes are compared with those that have another one, within an hour';

COMMENT ON COLUMN service_watch.enabled IS 'false: what this row is the most specific one for is not watched';

CREATE OR REPLACE FUNCTION service_watch_of(service text, event text) RETURNS service_watch
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_row profiling.service_watch;
BEGIN
	SELECT w.* INTO v_row FROM profiling.service_watch AS w
	WHERE service_watch_of.service LIKE w.service AND service_watch_of.event LIKE w.event
	ORDER BY profiling.pattern_weight(w.service) DESC, profiling.pattern_weight(w.event) DESC, w.service, w.event
	LIMIT 1;
	IF NOT FOUND THEN
		v_row.service := '%';
		v_row.event := '%';
		v_row.level := 'frame';
		v_row.baseline := 'season:1 day*7';
		v_row.alpha := 0.01;
		v_row.min_share := 0.01;
		v_row.min_effect := 0.05;
		v_row.direction := 'both';
		v_row.confirm := 1;
		v_row.min_instances := 3;
		v_row.min_profiles := 10;
		v_row.deploys := true;
		v_row.enabled := true;
	END IF;
	RETURN v_row;
END
$$;

COMMENT ON FUNCTION service_watch_of(text, text)
	IS 'the row of service_watch that is in force for a service and an event; where there is none one of the defaults';

CREATE TABLE service_hour (
	service_id bigint NOT NULL,
	event text NOT NULL,
	unit text NOT NULL,
	hour timestamptz NOT NULL,
	checked_at timestamptz NOT NULL DEFAULT now(),
	instances bigint NOT NULL DEFAULT 0,
	profiles bigint NOT NULL DEFAULT 0,
	compared_with int,
	not_compared text,
	deploy text,
	deploys int NOT NULL DEFAULT 0,
	PRIMARY KEY (service_id, event, unit, hour)
);

COMMENT ON TABLE service_hour IS 'hours of services that watch_services() has looked at, for 30 days';

COMMENT ON COLUMN service_hour.service_id IS 'the service';

COMMENT ON COLUMN service_hour.event IS 'that of the profiles';

COMMENT ON COLUMN service_hour.unit IS 'that of the profiles';

COMMENT ON COLUMN service_hour.hour IS 'when the hour began';

COMMENT ON COLUMN service_hour.checked_at IS 'when it was looked at';

COMMENT ON COLUMN service_hour.instances IS 'how many instances it had then';

COMMENT ON COLUMN service_hour.profiles IS 'how many profiles it had then';

COMMENT ON COLUMN service_hour.compared_with
	IS 'with how many earlier hours it was compared; null: with none';

COMMENT ON COLUMN service_hour.not_compared IS 'why it was not compared with earlier ones; null where it was';

COMMENT ON COLUMN service_hour.deploy
	IS 'versions that came from half an hour before this hour to half an hour after it began: with which they were '
		'compared, or why not; null: none came';

COMMENT ON COLUMN service_hour.deploys IS 'how many of them were compared';

CREATE TABLE service_candidate (
	service_id bigint NOT NULL,
	event text NOT NULL,
	unit text NOT NULL,
	hour timestamptz NOT NULL,
	comparison text NOT NULL CHECK (comparison IN ('days', 'version')),
	version text NOT NULL DEFAULT '',
	before text NOT NULL DEFAULT '',
	first timestamptz,
	families float8 NOT NULL CHECK (families >= 1::float8),
	p_value float8 NOT NULL CHECK (p_value BETWEEN 0::float8 AND 1::float8),
	alpha float8 NOT NULL CHECK (alpha > 0::float8),
	found_at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (service_id, event, unit, hour, comparison, version)
);

COMMENT ON TABLE service_candidate
	IS 'comparisons of an hour that stand out by themselves, until all services of the hour were compared and some of '
		'them are selected; empty between calls of watch_services()';

COMMENT ON COLUMN service_candidate.service_id IS 'the service';

COMMENT ON COLUMN service_candidate.event IS 'that of the profiles';

COMMENT ON COLUMN service_candidate.unit IS 'that of the profiles';

COMMENT ON COLUMN service_candidate.hour IS 'when the hour began';

COMMENT ON COLUMN service_candidate.comparison
	IS 'days: with the same hour of earlier days; version: of a version that came with the one before it';

COMMENT ON COLUMN service_candidate.version IS 'the version that came, else empty';

COMMENT ON COLUMN service_candidate.before IS 'the one before it';

COMMENT ON COLUMN service_candidate.first IS 'when it came; null for a comparison with days';

COMMENT ON COLUMN service_candidate.families IS 'how many comparisons it was tested among so far';

COMMENT ON COLUMN service_candidate.p_value
	IS 'the smallest p-value adjusted within the comparison, of what is large enough to be a finding; at most alpha';

COMMENT ON COLUMN service_candidate.alpha IS 'that of the row of service_watch';

COMMENT ON COLUMN service_candidate.found_at IS 'when it was compared';

CREATE OR REPLACE VIEW watched_service AS
SELECT h.service_id, s.name AS service, h.event, h.unit, h.hour, h.checked_at, h.instances, h.profiles,
	h.compared_with, h.not_compared, h.deploy
FROM (SELECT DISTINCT ON (o.service_id, o.event, o.unit) o.*
		FROM service_hour AS o ORDER BY o.service_id, o.event, o.unit, o.hour DESC) AS h
	JOIN service AS s ON s.service_id = h.service_id;

COMMENT ON VIEW watched_service
	IS 'the newest hour of each service and event that watch_services() has looked at: whether it was compared, or '
		'why not';

COMMENT ON COLUMN watched_service.service_id IS 'the service';

COMMENT ON COLUMN watched_service.service IS 'its name';

COMMENT ON COLUMN watched_service.event IS 'that of the profiles';

COMMENT ON COLUMN watched_service.unit IS 'that of the profiles';

COMMENT ON COLUMN watched_service.hour IS 'when the hour began';

COMMENT ON COLUMN watched_service.checked_at IS 'when it was looked at';

COMMENT ON COLUMN watched_service.instances IS 'how many instances it had then';

COMMENT ON COLUMN watched_service.profiles IS 'how many profiles it had then';

COMMENT ON COLUMN watched_service.compared_with IS 'with how many earlier hours it was compared; null: with none';

COMMENT ON COLUMN watched_service.not_compared IS 'why it was not compared with earlier ones; null where it was';

COMMENT ON COLUMN watched_service.deploy
	IS 'versions that came from half an hour before this hour to half an hour after it began: with which they were '
		'compared, or why not; null: none came';

CREATE OR REPLACE FUNCTION moments_in(series flameseries, since timestamptz, until timestamptz, OUT at timestamptz,
		OUT instance text)
	RETURNS SETOF record LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1000
	BEGIN ATOMIC
		SELECT t.at, t.instance
		FROM trend(moments_in.series, ''::stackpath, 'total'::text, moments_in.since, moments_in.until, NULL::text[])
			AS t;
	END;

COMMENT ON FUNCTION moments_in(flameseries, timestamptz, timestamptz)
	IS 'the times and instances of the profiles of a series that are in a window';

CREATE OR REPLACE FUNCTION hour_of(moment timestamptz) RETURNS timestamptz
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT date_trunc('hour'::text, hour_of.moment AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
	END;

COMMENT ON FUNCTION hour_of(timestamptz) IS 'when the hour begins, in UTC, that a moment belongs to';

CREATE OR REPLACE FUNCTION need_arrays(lengths int[]) RETURNS void
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF EXISTS (SELECT 1 FROM unnest(lengths) AS l WHERE l <> lengths[1]) THEN
		RAISE EXCEPTION 'the arrays of a batch must have the same length' USING ERRCODE = 'array_subscript_error',
			DETAIL = format('They have %s elements.', array_to_string(lengths, ', '));
	END IF;
END
$$;

COMMENT ON FUNCTION need_arrays(int[]) IS 'an error for arrays of different lengths';

CREATE OR REPLACE FUNCTION need_in_time(service text, event text, recorded_at timestamptz) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_raw CONSTANT interval := (profiling.retention_of(service, event)).raw;
BEGIN
	-- In UTC, as spans_to_thin() does: a day of 25 hours would let in what sums have already.
	IF recorded_at < (now() AT TIME ZONE 'UTC' - v_raw) AT TIME ZONE 'UTC' THEN
		RAISE EXCEPTION 'a profile of service "%" comes too late', profiling.printable(service) USING
			ERRCODE = 'datetime_field_overflow',
			DETAIL = format('It is of %s; single profiles of event "%s" are kept for %s, what is older are sums.',
				recorded_at, profiling.printable(event), v_raw),
			HINT = 'Look at the clock of the machine that recorded it, or give the service more time in '
				'profiling.retention.';
	END IF;
END
$$;

COMMENT ON FUNCTION need_in_time(text, text, timestamptz)
	IS 'an error for a profile that is older than its service keeps single ones';

CREATE OR REPLACE FUNCTION need_words(what text, words text[], most int) RETURNS void
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_word text;
BEGIN
	FOREACH v_word IN ARRAY words LOOP
		IF v_word IS NULL THEN
			RAISE EXCEPTION 'the % of a profile cannot be null', what USING ERRCODE = 'null_value_not_allowed';
		ELSIF v_word = '' THEN
			RAISE EXCEPTION 'the % of a profile cannot be empty', what USING ERRCODE = 'invalid_parameter_value',
				HINT = format('It is a word of up to %s bytes.', most);
		ELSIF octet_length(v_word) > most THEN
			RAISE EXCEPTION 'the % of a profile is too long', what USING ERRCODE = 'invalid_parameter_value',
				DETAIL = format('It has %s bytes and begins with "%s".', octet_length(v_word),
					profiling.printable(left(v_word, 60))),
				HINT = format('Up to %s bytes are kept.', most) || CASE what WHEN 'service' THEN ' What tells '
					'profiles of one service from each other belongs into labels, and pods into instance.'
					ELSE '' END;
		END IF;
	END LOOP;
END
$$;

COMMENT ON FUNCTION need_words(text, text[], int)
	IS 'an error for words that are null, empty or longer than so many bytes; what: what they are, such as service';

CREATE OR REPLACE FUNCTION need_labels(labels jsonb[], periods float8[]) RETURNS void
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_labels jsonb;
	v_period float8;
BEGIN
	FOREACH v_labels IN ARRAY labels LOOP
		IF jsonb_typeof(v_labels) IS DISTINCT FROM 'object' THEN
			RAISE EXCEPTION 'the labels of a profile must be an object' USING ERRCODE = 'invalid_parameter_value',
				DETAIL = format('They are %s.', coalesce(profiling.printable(left(v_labels::text, 60)), 'null')),
				HINT = 'For example {"version": "1.2", "region": "eu"}; without labels it is {}.';
		END IF;
	END LOOP;
	FOREACH v_period IN ARRAY periods LOOP
		IF coalesce(v_period < 0 OR v_period >= 'infinity', true) THEN
			RAISE EXCEPTION 'the period of a profile cannot be %', coalesce(v_period::text, 'null')
				USING ERRCODE = 'invalid_parameter_value',
					HINT = 'It is what one sample stands for, in the unit of the profile; 0: nobody knows.';
		END IF;
	END LOOP;
END
$$;

COMMENT ON FUNCTION need_labels(jsonb[], float8[])
	IS 'an error for labels that are no object, and for periods that are negative, infinite or no number';

CREATE OR REPLACE FUNCTION ensure_services(names text[]) RETURNS bigint[]
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_ids bigint[];
BEGIN
	-- Mostly all are there. The second time they are.
	FOR i IN 1 .. 2 LOOP
		SELECT array_agg(s.service_id ORDER BY u.n) INTO v_ids
		FROM unnest(names) WITH ORDINALITY AS u (name, n) LEFT JOIN profiling.service AS s ON s.name = u.name;
		EXIT WHEN array_position(v_ids, NULL) IS NULL;
		PERFORM profiling.need_words('service'::text, ARRAY(SELECT DISTINCT u.name
			FROM unnest(names, v_ids) AS u (name, id) WHERE u.id IS NULL), 500);
		-- In one order, so that two loaders that bring the same new ones wait for each other and not in a ring.
		INSERT INTO profiling.service AS s (name)
		SELECT DISTINCT u.name FROM unnest(names, v_ids) AS u (name, id) WHERE u.id IS NULL ORDER BY 1
		ON CONFLICT ON CONSTRAINT service_key DO NOTHING;
	END LOOP;
	RETURN v_ids;
END
$$;

COMMENT ON FUNCTION ensure_services(text[])
	IS 'the numbers of services by their names, in the same order, made where they are not there';

CREATE OR REPLACE FUNCTION ensure_streams(services text[], events text[], units text[], periods float8[], labels jsonb[],
		OUT service_id bigint, OUT stream_id bigint, OUT n int) RETURNS SETOF record
	LANGUAGE plpgsql ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	-- In steps: on Citus a query cannot join what others of its transaction have written over several connections.
	v_service_ids CONSTANT bigint[] := profiling.ensure_services(services);
	v_labels_ids CONSTANT uuid[] := ARRAY(SELECT profiling.object_id(u.labels)
		FROM unnest(ensure_streams.labels) WITH ORDINALITY AS u (labels, n) ORDER BY u.n);
	v_ids bigint[];
	v_found int[];
	v_missing int[];
BEGIN
	FOR i IN 1 .. 2 LOOP
		SELECT array_agg(t.stream_id), array_agg(u.n::int) INTO v_ids, v_found
		FROM unnest(v_service_ids, events, units, periods, v_labels_ids)
				WITH ORDINALITY AS u (service_id, event, unit, period, labels_id, n)
			JOIN profiling.stream AS t ON t.service_id = u.service_id AND t.event = u.event AND t.unit = u.unit
				AND t.period = u.period AND t.labels_id = u.labels_id;
		v_missing := ARRAY(SELECT generate_series(1, cardinality(services)) EXCEPT SELECT unnest(v_found));
		EXIT WHEN v_missing = '{}';
		PERFORM profiling.need_words('event'::text, ARRAY(SELECT DISTINCT u.event
				FROM unnest(events) WITH ORDINALITY AS u (event, n) JOIN unnest(v_missing) AS m (n) ON m.n = u.n), 250),
			profiling.need_words('unit'::text, ARRAY(SELECT DISTINCT u.unit
				FROM unnest(units) WITH ORDINALITY AS u (unit, n) JOIN unnest(v_missing) AS m (n) ON m.n = u.n), 250),
			profiling.need_labels(ARRAY(SELECT u.labels FROM unnest(ensure_streams.labels) WITH ORDINALITY
				AS u (labels, n) JOIN unnest(v_missing) AS m (n) ON m.n = u.n), ARRAY(SELECT DISTINCT u.period
				FROM unnest(periods) WITH ORDINALITY AS u (period, n) JOIN unnest(v_missing) AS m (n) ON m.n = u.n));
		INSERT INTO profiling.stream (service_id, event, unit, period, labels, labels_id)
		SELECT DISTINCT ON (u.service_id, u.event, u.unit, u.period, u.labels_id) u.service_id, u.event, u.unit,
			u.period, u.labels, u.labels_id
		-- Not by subscripts: who calls may number his arrays as he likes.
		FROM unnest(v_service_ids, events, units, periods, ensure_streams.labels, v_labels_ids)
				WITH ORDINALITY AS u (service_id, event, unit, period, labels, labels_id, n)
			JOIN unnest(v_missing) AS m (n) ON m.n = u.n
		ORDER BY u.service_id, u.event, u.unit, u.period, u.labels_id
		ON CONFLICT ON CONSTRAINT stream_key DO NOTHING;
	END LOOP;
	RETURN QUERY SELECT v_service_ids[f.n], f.stream_id, f.n FROM unnest(v_ids, v_found) AS f (stream_id, n);
END
$$;

COMMENT ON FUNCTION ensure_streams(text[], text[], text[], float8[], jsonb[])
	IS 'services and streams by what they are called, made where they are not there; n: the position in the arrays';

CREATE OR REPLACE FUNCTION need_profiles(services text[], events text[], units text[], periods float8[], labels jsonb[],
		recorded_at timestamptz[], instances text[], profiles flamegraph[]) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_oldest record;
BEGIN
	IF EXISTS (SELECT 1
			FROM unnest(services, events, units, periods, labels, need_profiles.recorded_at, instances)
				AS u (service, event, unit, period, labels, at, instance)
			WHERE u.service IS NULL OR u.event IS NULL OR u.unit IS NULL OR u.period IS NULL OR u.labels IS NULL
				OR u.at IS NULL OR u.instance IS NULL)
		OR array_position(need_profiles.profiles, NULL) IS NOT NULL THEN
		RAISE EXCEPTION 'a profile to ingest has a service, an event, a unit, a time and a value, none of them null'
			USING ERRCODE = 'null_value_not_allowed';
	END IF;
	PERFORM profiling.need_words('instance'::text, ARRAY(SELECT u.instance FROM unnest(instances) AS u (instance)
		WHERE octet_length(u.instance) > 500 LIMIT 1), 500);
	-- One that no series takes would keep all others of its stream and hour from becoming a block.
	IF EXISTS (SELECT 1 FROM unnest(instances) AS u (instance)
			WHERE strpos(u.instance, chr(10)) > 0 OR strpos(u.instance, chr(13)) > 0) THEN
		RAISE EXCEPTION 'the instance of a profile has a line end' USING ERRCODE = 'invalid_parameter_value',
			HINT = 'It is the name of a machine, pod or process, in one line.';
	END IF;
	PERFORM profiling.need_begun((SELECT max(u.at) FROM unnest(need_profiles.recorded_at) AS u (at)),
		'recorded_at'::text);
	IF EXISTS (SELECT 1 FROM unnest(need_profiles.recorded_at) AS u (at) WHERE u.at = '-infinity') THEN
		RAISE EXCEPTION 'recorded_at cannot be infinite' USING ERRCODE = 'datetime_field_overflow',
			HINT = 'It is when the profile was recorded; now, where it is left out.';
	END IF;
	FOR v_oldest IN
		SELECT u.service, u.event, min(u.at) AS at
		FROM unnest(services, events, need_profiles.recorded_at) AS u (service, event, at) GROUP BY 1, 2
	LOOP
		PERFORM profiling.need_in_time(v_oldest.service, v_oldest.event, v_oldest.at);
	END LOOP;
END
$$;

COMMENT ON FUNCTION need_profiles(text[], text[], text[], float8[], jsonb[], timestamptz[], text[], flamegraph[])
	IS 'an error for profiles of which something is missing, or whose time is to come or too long ago';

CREATE OR REPLACE FUNCTION drop_known(service_ids bigint[], stream_ids bigint[], recorded_at timestamptz[], instances text[])
	RETURNS int
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_first timestamptz;
	v_last timestamptz;
	v_day timestamptz;
	v_there bool;
	v_dropped int;
BEGIN
	SELECT profiling.hour_of(min(a.at)), profiling.hour_of(max(a.at)), profiling.span_of('minute'::text, min(a.at))
	INTO v_first, v_last, v_day
	FROM unnest(drop_known.recorded_at) AS a (at);
	-- Mostly no block reaches to their hour yet. Planned with what it is asked for, so that it opens only their days.
	EXECUTE 'SELECT EXISTS (SELECT 1
			FROM profiling.block AS b
				JOIN (SELECT DISTINCT u.service_id, u.stream_id, profiling.hour_of(u.at) AS hour
					FROM unnest($1, $2, $3) AS u (service_id, stream_id, at)) AS a
					ON a.service_id = b.service_id AND a.stream_id = b.stream_id
						AND b.since <= a.hour AND b.until > a.hour
			WHERE b.resolution = ''raw'' AND b.since BETWEEN $6 AND $5 AND b.until > $4)'
		INTO v_there USING service_ids, stream_ids, drop_known.recorded_at, v_first, v_last, v_day;
	IF NOT v_there THEN
		RETURN 0;
	END IF;
	EXECUTE 'WITH gone AS (
			DELETE FROM profiling.incoming AS i USING (
				SELECT a.service_id, a.stream_id, a.at, a.instance
				FROM unnest($1, $2, $3, $6) AS a (service_id, stream_id, at, instance)
					JOIN (SELECT b.service_id, b.stream_id, m.at, m.instance
						FROM (SELECT h.service_id, h.stream_id, min(h.at) AS first, max(h.at) AS last
								FROM unnest($1, $2, $3) AS h (service_id, stream_id, at) GROUP BY 1, 2) AS w
							JOIN profiling.block AS b ON b.service_id = w.service_id AND b.stream_id = w.stream_id
								AND b.since <= w.last AND b.until > w.first
							CROSS JOIN LATERAL profiling.moments_in(b.series, w.first,
								w.last + interval ''1 microsecond'') AS m
						WHERE b.resolution = ''raw'' AND b.since BETWEEN $7 AND $5 AND b.until > $4)
						AS k ON k.service_id = a.service_id AND k.stream_id = a.stream_id AND k.at = a.at
							AND k.instance = a.instance) AS known
			WHERE i.service_id = known.service_id AND i.stream_id = known.stream_id AND i.recorded_at = known.at
				AND i.instance = known.instance
				AND i.recorded_at >= $4 AND i.recorded_at < $5 + interval ''1 hour''
			RETURNING 1
		)
		SELECT count(*) FROM gone'
	INTO v_dropped
	USING service_ids, stream_ids, drop_known.recorded_at, v_first, v_last, instances, v_day;
	RETURN v_dropped;
END
$$;

COMMENT ON FUNCTION drop_known(bigint[], bigint[], timestamptz[], text[])
	IS 'takes those of these profiles out of incoming that are in a block already; returns how many that were';

CREATE OR REPLACE FUNCTION store_incoming(services text[], events text[], units text[], periods float8[], labels jsonb[],
		recorded_at timestamptz[], durations interval[], instances text[], profiles flamegraph[], noises flamegraph[])
	RETURNS int
	-- Whoever may load has no rights on these tables.
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_n CONSTANT int := coalesce(cardinality(store_incoming.profiles), 0);
	v_order int[];
	v_service_ids bigint[];
	v_stream_ids bigint[];
	v_at timestamptz[];
	v_instances text[];
BEGIN
	PERFORM profiling.need_arrays(ARRAY[v_n, coalesce(cardinality(services), 0), coalesce(cardinality(events), 0),
		coalesce(cardinality(units), 0), coalesce(cardinality(periods), 0), coalesce(cardinality(labels), 0),
		coalesce(cardinality(store_incoming.recorded_at), 0), coalesce(cardinality(durations), 0),
		coalesce(cardinality(instances), 0), coalesce(cardinality(noises), 0)]);
	IF v_n = 0 THEN
		RETURN 0;
	END IF;
	PERFORM profiling.need_profiles(services, events, units, periods, labels, store_incoming.recorded_at, instances,
		store_incoming.profiles);
	SELECT array_agg(t.service_id), array_agg(t.stream_id), array_agg(t.n) INTO v_service_ids, v_stream_ids, v_order
	FROM profiling.ensure_streams(services, events, units, periods, labels) AS t;
	WITH arrived AS (
		INSERT INTO profiling.incoming AS i (service_id, stream_id, recorded_at, duration, instance, flamegraph, noise)
		SELECT t.service_id, t.stream_id, u.at, u.duration, u.instance, u.fg, u.noise
		FROM unnest(v_service_ids, v_stream_ids, v_order) AS t (service_id, stream_id, n)
			JOIN unnest(store_incoming.recorded_at, durations, instances, store_incoming.profiles, noises)
				WITH ORDINALITY AS u (at, duration, instance, fg, noise, n) ON u.n = t.n
		-- of one moment the first one
		ORDER BY t.service_id, t.stream_id, u.at, u.instance, u.n
		ON CONFLICT DO NOTHING
		RETURNING i.service_id, i.stream_id, i.recorded_at, i.instance
	)
	SELECT array_agg(a.service_id), array_agg(a.stream_id), array_agg(a.recorded_at), array_agg(a.instance)
	INTO v_service_ids, v_stream_ids, v_at, v_instances FROM arrived AS a;
	IF current_setting('transaction_isolation') <> 'read committed' THEN
		-- An old snapshot shows no block that was made since, and that may have one of these. Whoever makes one updates
		-- the row of its stream; where somebody has, a lock of it fails (40001).
		PERFORM FROM profiling.stream AS t
			JOIN unnest(v_service_ids, v_stream_ids) AS a (service_id, stream_id) ON a.service_id = t.service_id
				AND a.stream_id = t.stream_id
		WHERE t.xmax <> '0'::xid FOR SHARE OF t;
	END IF;
	RETURN coalesce(cardinality(v_at), 0)
		- profiling.drop_known(v_service_ids, v_stream_ids, v_at, v_instances);
END
$$;

COMMENT ON FUNCTION store_incoming(text[], text[], text[], float8[], jsonb[], timestamptz[], interval[], text[],
	flamegraph[], flamegraph[])
	IS 'puts profiles into incoming, with services and streams as needed, with the rights of the owner; those that are '
		'there already, by stream, instance and time, are left alone; returns how many are new';

REVOKE ALL ON FUNCTION store_incoming(text[], text[], text[], float8[], jsonb[], timestamptz[], interval[], text[],
	flamegraph[], flamegraph[]) FROM PUBLIC;

CREATE OR REPLACE FUNCTION with_truncated(fg flamegraph, truncated flamegraph) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN nstacks(with_truncated.truncated) > 0
			THEN with_truncated.fg + (SELECT flamegraph_agg('[truncated]'::stackpath || s.stack, s.value)
				FROM stacks(with_truncated.truncated) AS s)
			ELSE with_truncated.fg END;
	END;

COMMENT ON FUNCTION with_truncated(flamegraph, flamegraph)
	IS 'a profile with the stacks that were cut off below a frame "[truncated]"';

CREATE OR REPLACE FUNCTION tell_known(known bigint, of_all bigint) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF known > 0 THEN
		RAISE NOTICE '%', CASE WHEN of_all = 1 THEN 'the profile is in the store already'
				ELSE 'profiles are in the store already' END USING
			ERRCODE = 'unique_violation',
			DETAIL = CASE WHEN of_all = 1 THEN 'There is one of this stream, instance and time.'
				ELSE format('Of %s of %s there is one of the same stream, instance and time.', known, of_all) END;
	END IF;
END
$$;

COMMENT ON FUNCTION tell_known(bigint, bigint) IS 'a NOTICE about profiles that were ingested before';

CREATE OR REPLACE FUNCTION ingest(service text, fg flamegraph, recorded_at timestamptz DEFAULT now(),
		duration interval DEFAULT NULL, instance text DEFAULT '', labels jsonb DEFAULT '{}', event text DEFAULT 'cpu',
		unit text DEFAULT NULL, period float8 DEFAULT NULL, truncated flamegraph DEFAULT NULL,
		noise flamegraph DEFAULT NULL, options jsonb DEFAULT '{}') RETURNS int
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_options CONSTANT jsonb := profiling.import_options(ingest.options);
	v_fg profiling.incoming.flamegraph%TYPE := ingest.fg;
	v_cut profiling.incoming.flamegraph%TYPE := profiling.unless_empty(ingest.truncated);
	v_noise profiling.incoming.noise%TYPE := ingest.noise;
	v_new int;
BEGIN
	PERFORM profiling.need_access('ingest'::text, 'loader'::text);
	IF v_fg IS NULL THEN
		RAISE EXCEPTION 'the profile to ingest cannot be null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	IF v_options ? 'max_depth' THEN
		SELECT s.whole, s.cut INTO v_fg, v_cut
		FROM profiling.reshaped(v_fg, v_cut, v_options -> 'max_depth', NULL::text[]) AS s;
	END IF;
	-- Of what was cut off nobody says how its samples weigh.
	IF v_cut IS NOT NULL THEN
		v_fg := profiling.with_truncated(v_fg, v_cut);
		v_noise := NULL;
	END IF;
	v_new := profiling.store_incoming(ARRAY[ingest.service], ARRAY[coalesce(ingest.event, 'cpu')],
		ARRAY[coalesce(ingest.unit, 'samples')], ARRAY[coalesce(ingest.period, 0::float8)],
		ARRAY[coalesce(ingest.labels, '{}')], ARRAY[coalesce(ingest.recorded_at, now())], ARRAY[ingest.duration],
		ARRAY[coalesce(ingest.instance, '')], ARRAY[v_fg], ARRAY[v_noise]);
	PERFORM profiling.tell_known(1 - v_new, 1::bigint);
	RETURN v_new;
END
$$;

COMMENT ON FUNCTION ingest(text, flamegraph, timestamptz, interval, text, jsonb, text, text, float8, flamegraph,
	flamegraph, jsonb)
	IS 'takes a profile of a service in production; returns 1, or 0 with a NOTICE when there is one of this stream, '
		'instance and time already; truncated: stacks that were cut off, which are kept below a frame "[truncated]"; '
		'noise: the sum of the squared weights of the samples, where these differ';

CREATE OR REPLACE FUNCTION ingest(service text, data bytea, recorded_at timestamptz DEFAULT now(),
		duration interval DEFAULT NULL, instance text DEFAULT '', labels jsonb DEFAULT '{}', event text DEFAULT NULL,
		unit text DEFAULT NULL, period float8 DEFAULT NULL, format text DEFAULT 'auto', options jsonb DEFAULT '{}')
	RETURNS int
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_options CONSTANT jsonb := jsonb_build_object('stored_names', true, 'event', ingest.event)
		|| coalesce(ingest.options, '{}');
	r record;
	v_new int := 0;
	v_found int := 0;
BEGIN
	PERFORM profiling.need_access('ingest'::text, 'loader'::text);
	IF ingest.data IS NULL THEN
		RAISE EXCEPTION 'the recording to ingest cannot be null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	FOR r IN
		WITH recorded AS MATERIALIZED (
			SELECT f.*, count(*) OVER (PARTITION BY f.event, f.unit) AS alike,
				min(f.unit) OVER () <> max(f.unit) OVER () AS several_units
			FROM profiling.recorded_profiles(ingest.data, coalesce(ingest.format, 'auto'), v_options) AS f
		)
		SELECT * FROM recorded AS o ORDER BY o.event COLLATE "C", o.unit COLLATE "C"
	LOOP
		IF r.several_units AND ingest.unit IS NOT NULL THEN
			RAISE EXCEPTION 'the profiles of this recording have different units' USING
				ERRCODE = 'invalid_parameter_value',
				HINT = 'Leave the argument "unit" out, or pick one event.';
		END IF;
		-- The second one of a moment would be taken for the first one that comes again.
		IF r.alike > 1 THEN
			RAISE EXCEPTION 'the recording has several profiles of event "%" in %', profiling.printable(r.event),
				profiling.printable(r.unit) USING ERRCODE = 'invalid_parameter_value',
				HINT = 'Pick one of them by the argument "event" or by options of read_recording().';
		END IF;
		v_new := v_new + profiling.ingest(service => ingest.service, fg => r.complete,
			recorded_at => ingest.recorded_at, duration => ingest.duration, instance => ingest.instance,
			labels => ingest.labels, event => r.event, unit => coalesce(ingest.unit, r.unit),
			period => coalesce(ingest.period, r.period), truncated => r.truncated, noise => r.noise,
			options => '{}'::jsonb);
		v_found := v_found + 1;
	END LOOP;
	IF v_found = 0 THEN
		RAISE EXCEPTION 'the recording holds no profile' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	RETURN v_new;
END
$$;

COMMENT ON FUNCTION ingest(text, bytea, timestamptz, interval, text, jsonb, text, text, float8, text, jsonb)
	IS 'reads a recording of a service in production and takes its profiles, one for each event (or the event asked '
		'for); returns how many are new; the options are those of read_recording()';

CREATE OR REPLACE FUNCTION ingest_batch(services text[], profiles flamegraph[], recorded_at timestamptz[],
		instances text[] DEFAULT NULL, labels jsonb[] DEFAULT NULL, events text[] DEFAULT NULL,
		units text[] DEFAULT NULL, periods float8[] DEFAULT NULL, durations interval[] DEFAULT NULL,
		noises flamegraph[] DEFAULT NULL) RETURNS int
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_n CONSTANT int := coalesce(cardinality(ingest_batch.profiles), 0);
	v_no_noise CONSTANT profiling.incoming.noise%TYPE := NULL;
	v_new int;
BEGIN
	PERFORM profiling.need_access('ingest_batch'::text, 'loader'::text);
	v_new := profiling.store_incoming(ingest_batch.services,
		coalesce(ingest_batch.events, array_fill('cpu'::text, ARRAY[v_n])),
		coalesce(ingest_batch.units, array_fill('samples'::text, ARRAY[v_n])),
		coalesce(ingest_batch.periods, array_fill(0::float8, ARRAY[v_n])),
		coalesce(ingest_batch.labels, array_fill('{}'::jsonb, ARRAY[v_n])), ingest_batch.recorded_at,
		coalesce(ingest_batch.durations, array_fill(NULL::interval, ARRAY[v_n])),
		coalesce(ingest_batch.instances, array_fill(''::text, ARRAY[v_n])), ingest_batch.profiles,
		coalesce(ingest_batch.noises, array_fill(v_no_noise, ARRAY[v_n])));
	PERFORM profiling.tell_known((v_n - v_new)::bigint, v_n::bigint);
	RETURN v_new;
END
$$;

COMMENT ON FUNCTION ingest_batch(text[], flamegraph[], timestamptz[], text[], jsonb[], text[], text[], float8[],
	interval[], flamegraph[])
	IS 'takes many profiles in one statement, an element of each array for each; arrays that are null stand for the '
		'defaults of ingest(); returns how many are new';

CREATE OR REPLACE FUNCTION production_partitions(parent text, OUT partition text, OUT since timestamptz, OUT until timestamptz)
	RETURNS SETOF record LANGUAGE plpgsql STABLE ROWS 50 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT p.name, p.since, p.since + CASE parent WHEN 'incoming' THEN interval '1 hour' ELSE interval '24 hours' END
	FROM (SELECT c.relname::text AS name, to_timestamp(rpad(substring(c.relname FROM '[0-9]+$'), 10, '0')
			|| ' +00', 'YYYYMMDDHH24 TZH') AS since
		FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
		WHERE i.inhparent = format('profiling.%I', parent)::regclass AND c.relname ~ '_[0-9]{8}([0-9]{2})?$') AS p
	ORDER BY p.since;
END
$$;

COMMENT ON FUNCTION production_partitions(text)
	IS 'the partitions of incoming, by hour, or of block, by day, and their spans; the default partition is not one';

CREATE OR REPLACE FUNCTION add_production_partition(parent text, since timestamptz) RETURNS text
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' SET datestyle = 'ISO' AS $$
#variable_conflict use_column
DECLARE
	v_is_hour CONSTANT bool := parent = 'incoming';
	v_from CONSTANT timestamptz := date_trunc(CASE WHEN v_is_hour THEN 'hour' ELSE 'day' END, since, 'UTC');
	v_to CONSTANT timestamptz := v_from + CASE WHEN v_is_hour THEN interval '1 hour' ELSE interval '24 hours' END;
	v_name CONSTANT text := parent || '_' || to_char(v_from AT TIME ZONE 'UTC',
		CASE WHEN v_is_hour THEN 'YYYYMMDDHH24' ELSE 'YYYYMMDD' END);
	v_there bool;
BEGIN
	PERFORM profiling.one_of('table'::text, parent, VARIADIC '{incoming,block}'::text[]);
	-- Writers wait here: one that has chosen the default partition by then would fail. See add_partition().
	EXECUTE format('LOCK TABLE ONLY profiling.%I IN SHARE ROW EXCLUSIVE MODE', parent);
	IF EXISTS (SELECT 1 FROM profiling.production_partitions(parent) AS p WHERE p.partition = v_name) THEN
		RETURN v_name;
	END IF;
	EXECUTE format('LOCK TABLE profiling.%I IN ACCESS EXCLUSIVE MODE', parent || '_default');
	-- What is there is compacted soon, or dropped by age. Moving it would take longer than anybody should wait.
	EXECUTE format('SELECT EXISTS (SELECT 1 FROM profiling.%I WHERE %I >= $1 AND %2$I < $2)', parent || '_default',
		CASE WHEN v_is_hour THEN 'recorded_at' ELSE 'since' END) INTO v_there USING v_from, v_to;
	IF v_there THEN
		RETURN NULL;
	END IF;
	EXECUTE format('CREATE TABLE profiling.%I (LIKE profiling.%I INCLUDING COMPRESSION INCLUDING STORAGE '
		'INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', v_name, parent);
	EXECUTE format('COMMENT ON TABLE profiling.%I IS %L', v_name, CASE WHEN v_is_hour THEN 'profiles recorded in the '
		'hour from ' || to_char(v_from AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC'
		ELSE 'blocks of spans that begin on ' || to_char(v_from AT TIME ZONE 'UTC', 'YYYY-MM-DD') END);
	EXECUTE format('ALTER TABLE profiling.%I OWNER TO %I', v_name,
		(SELECT pg_get_userbyid(c.relowner) FROM pg_class AS c WHERE c.oid = format('profiling.%I', parent)::regclass));
	EXECUTE format('ALTER TABLE profiling.%I ADD PRIMARY KEY (%s)', v_name, CASE WHEN v_is_hour
		THEN 'service_id, stream_id, recorded_at, instance' ELSE 'service_id, stream_id, resolution, since, part' END);
	IF NOT v_is_hour THEN
		EXECUTE format('CREATE INDEX %I ON profiling.%I USING gin (series)', v_name || '_series_idx', v_name);
	END IF;
	EXECUTE format('ALTER TABLE profiling.%I ATTACH PARTITION profiling.%I FOR VALUES FROM (%L) TO (%L)', parent,
		v_name, v_from, v_to);
	RETURN v_name;
END
$$;

COMMENT ON FUNCTION add_production_partition(text, timestamptz)
	IS 'makes the partition of incoming or block for the hour or day that a moment is in, and returns its name; null '
		'where the default partition has rows of it; does nothing when it is there';

CREATE OR REPLACE FUNCTION drop_production_partition(parent text, partition text) RETURNS bool
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms' AS $$
#variable_conflict use_column
DECLARE
	v_is_empty bool;
BEGIN
	PERFORM profiling.one_of('table'::text, parent, VARIADIC '{incoming,block}'::text[]);
	IF NOT EXISTS (SELECT 1 FROM profiling.production_partitions(parent) AS p
			WHERE p.partition = drop_production_partition.partition) THEN
		RETURN false;
	END IF;
	-- Nobody can put a row into it any more when it is looked at.
	EXECUTE format('LOCK TABLE ONLY profiling.%I, profiling.%I IN ACCESS EXCLUSIVE MODE', parent, partition);
	EXECUTE format('SELECT NOT EXISTS (SELECT 1 FROM profiling.%I)', partition) INTO v_is_empty;
	IF v_is_empty THEN
		EXECUTE format('DROP TABLE profiling.%I', partition);
	END IF;
	RETURN v_is_empty;
END
$$;

COMMENT ON FUNCTION drop_production_partition(text, text)
	IS 'drops a partition of incoming or block that is empty; returns whether it was';

CREATE OR REPLACE FUNCTION partitions_wanted(hours int, OUT parent text, OUT since timestamptz) RETURNS SETOF record
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT w.parent, w.since
	FROM (SELECT 'incoming' AS parent, profiling.hour_of(now()) + make_interval(hours => g) AS since
			FROM generate_series(0, partitions_wanted.hours) AS g
		UNION
		SELECT 'block', profiling.span_of(r.resolution, i.hour)
		FROM (SELECT DISTINCT date_trunc('day', d.recorded_at, 'UTC') AS hour FROM profiling.incoming AS d
				UNION SELECT date_trunc('day', now(), 'UTC')) AS i,
			(VALUES ('minute'), ('hour')) AS r (resolution)
		-- Whoever sends profiles of the past does not decide how many partitions there are.
		WHERE i.hour BETWEEN now() - interval '400 days' AND now()) AS w
	WHERE NOT EXISTS (SELECT 1 FROM profiling.production_partitions(w.parent) AS p WHERE p.since = w.since)
	ORDER BY 1, 2;
END
$$;

COMMENT ON FUNCTION partitions_wanted(int)
	IS 'partitions that are not there: of incoming for this hour and as many of the next, of block for the days and '
		'months that there are profiles of';

CREATE OR REPLACE FUNCTION span_of(resolution text, moment timestamptz) RETURNS timestamptz
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT date_trunc(CASE span_of.resolution WHEN 'raw' THEN 'hour' WHEN 'minute' THEN 'day' ELSE 'month' END,
			span_of.moment AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
	END;

COMMENT ON FUNCTION span_of(text, timestamptz)
	IS 'when the span of a resolution begins that a moment is in: an hour, where profiles are as they came, the day of '
		'sums of minutes, or the month of others';

CREATE OR REPLACE FUNCTION span_end(resolution text, since timestamptz) RETURNS timestamptz
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT (span_end.since AT TIME ZONE 'UTC' + CASE span_end.resolution WHEN 'raw' THEN '1 hour'::interval
			WHEN 'minute' THEN '1 day'::interval ELSE '1 month'::interval END) AT TIME ZONE 'UTC';
	END;

COMMENT ON FUNCTION span_end(text, timestamptz) IS 'when such a span ends';

CREATE OR REPLACE FUNCTION values_of_block() RETURNS bigint
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT 4000000::bigint;
	END;

COMMENT ON FUNCTION values_of_block()
	IS 'how many values a block has at most, unless a single profile has more, where a profile itself is five and each '
		'two bytes of its instance are one: some 8 MB';

CREATE OR REPLACE FUNCTION values_of_small_block() RETURNS bigint
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT 65536::bigint;
	END;

COMMENT ON FUNCTION values_of_small_block()
	IS 'a block of raw profiles with as many values and profiles together, or eight times as many bytes, is not merged '
		'with others any more: some hundred kilobytes';

CREATE OR REPLACE FUNCTION may_compact(service_id bigint, stream_id bigint) RETURNS bool
	LANGUAGE sql VOLATILE
	BEGIN ATOMIC
		SELECT pg_try_advisory_xact_lock(hashtextextended('flamegraph_store compact '::text
			|| may_compact.service_id::text || ' '::text || may_compact.stream_id::text, 0::bigint));
	END;

COMMENT ON FUNCTION may_compact(bigint, bigint)
	IS 'takes the lock of a stream until the end of the transaction; false when another compaction has it';

CREATE OR REPLACE FUNCTION types_schema() RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN (SELECT quote_ident(n.nspname) FROM pg_extension AS x JOIN pg_namespace AS n ON n.oid = x.extnamespace
		WHERE x.extname = 'flamegraph');
END
$$;

COMMENT ON FUNCTION types_schema()
	IS 'the schema of the extension flamegraph, quoted, for statements that are put together';

CREATE OR REPLACE FUNCTION move_to_blocks(service_id bigint, stream_id bigint, since timestamptz, until timestamptz,
		max_values bigint) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_moved bigint;
BEGIN
	EXECUTE replace($query$
		WITH moved AS (
			DELETE FROM profiling.incoming AS i
			WHERE i.service_id = $1 AND i.stream_id = $2 AND i.recorded_at >= $3 AND i.recorded_at < $4
			RETURNING i.recorded_at, i.instance, i.flamegraph, i.noise
		), there AS MATERIALIZED (
			SELECT b.since, max(b.part) AS part FROM profiling.block AS b
			WHERE b.service_id = $1 AND b.stream_id = $2 AND b.resolution = 'raw' AND b.since >= $3 AND b.since < $4
			GROUP BY b.since
		), known AS MATERIALIZED (
			SELECT m.at, m.instance
			FROM profiling.block AS b CROSS JOIN LATERAL profiling.moments_in(b.series, $3, $4) AS m
			WHERE b.service_id = $1 AND b.stream_id = $2 AND b.resolution = 'raw' AND b.since >= $6 AND b.since < $4
				AND b.until > $3
		), fresh AS MATERIALIZED (
			-- What COPY has brought a second time is in a block already.
			SELECT m.recorded_at, m.instance, m.flamegraph, m.noise, types.nstacks(m.flamegraph)::bigint AS stacks
			FROM moved AS m
			WHERE NOT EXISTS (SELECT 1 FROM known AS k WHERE k.at = m.recorded_at AND k.instance = m.instance)
		), numbered AS MATERIALIZED (
			SELECT f.*, profiling.span_of('minute', f.recorded_at) AS day,
				-- Instances may all differ, and then they are most of the block.
				floor(sum(f.stacks + 5 + octet_length(f.instance) / 2) OVER (ORDER BY f.recorded_at, f.instance)
					/ $5::numeric) AS piece
			FROM fresh AS f
		), made AS (
			SELECT n.piece, profiling.hour_of(min(n.recorded_at)) AS since,
				profiling.span_end('raw', profiling.hour_of(max(n.recorded_at))) AS until,
				types.flameseries_agg(n.recorded_at, n.flamegraph, n.instance) AS series,
				types.flameseries_agg(n.recorded_at, n.noise, n.instance) AS noise, count(*) AS profiles,
				sum(n.stacks)::bigint AS stacks, sum(types.total(n.flamegraph)) AS total
			FROM numbered AS n GROUP BY n.day, n.piece
		), written AS (
			INSERT INTO profiling.block AS b (service_id, stream_id, resolution, since, until, part, series, noise,
				profiles, stacks, total)
			SELECT $1, $2, 'raw', m.since, m.until, coalesce(t.part, -1)
				+ (row_number() OVER (PARTITION BY m.since ORDER BY m.piece))::int,
				m.series, m.noise, m.profiles, m.stacks, m.total
			FROM made AS m LEFT JOIN there AS t ON t.since = m.since
			RETURNING 1
		)
		SELECT count(*) FROM fresh WHERE (SELECT count(*) FROM written) >= 0
		$query$, 'types.', profiling.types_schema() || '.')
	INTO v_moved USING move_to_blocks.service_id, move_to_blocks.stream_id, move_to_blocks.since, move_to_blocks.until,
		move_to_blocks.max_values, profiling.span_of('minute'::text, move_to_blocks.since);
	RETURN v_moved;
END
$$;

COMMENT ON FUNCTION move_to_blocks(bigint, bigint, timestamptz, timestamptz, bigint)
	IS 'moves the profiles of a stream and of hours from incoming into a new block of each day, or several ones where '
		'one would have more values than this; returns how many these were; what is in a block already is dropped';

CREATE OR REPLACE FUNCTION merge_small_blocks(service_id bigint, stream_id bigint, day timestamptz, max_values bigint,
		small bigint, every bool) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_since CONSTANT timestamptz := profiling.span_of('minute'::text, merge_small_blocks.day);
	v_until CONSTANT timestamptz := profiling.span_end('minute'::text, v_since);
	v_times timestamptz[];
	v_parts int[];
	v_pieces numeric[];
	v_profiles bigint;
BEGIN
	-- In two steps: on Citus a result of one cannot be read by the other within a block that catches errors.
	WITH there AS (
		SELECT b.since, b.part, b.stacks, b.stacks + b.profiles AS weight,
			sum(b.stacks + b.profiles) OVER (ORDER BY b.stacks + b.profiles, b.since, b.part) AS so_far
		FROM profiling.block AS b
		WHERE b.service_id = merge_small_blocks.service_id AND b.stream_id = merge_small_blocks.stream_id
			AND b.resolution = 'raw' AND b.since >= v_since AND b.since < v_until
			AND b.stacks + b.profiles < merge_small_blocks.small
			AND pg_column_size(b.series) < profiling.values_of_small_block() * 8
	), chosen AS (
		-- The smallest ones, up to the last that is no larger than all before it. So whatever is written again
		-- becomes part of something twice as large, and of what is left each is larger than all smaller ones.
		SELECT t.since, t.part,
			floor(sum(t.stacks) OVER (ORDER BY t.since, t.part) / merge_small_blocks.max_values::numeric) AS piece
		FROM there AS t
		WHERE merge_small_blocks.every
			OR t.so_far <= (SELECT max(o.so_far) FROM there AS o WHERE o.weight <= o.so_far - o.weight)
	)
	SELECT array_agg(c.since), array_agg(c.part), array_agg(c.piece) INTO v_times, v_parts, v_pieces FROM chosen AS c;
	IF cardinality(v_times) IS NULL OR cardinality(v_times) < 2 THEN
		RETURN 0;
	END IF;
	EXECUTE replace($query$
		WITH taken AS (
			DELETE FROM profiling.block AS b
			WHERE b.service_id = $1 AND b.stream_id = $2 AND b.resolution = 'raw'
				AND b.since >= $3 AND b.since < $4 AND (b.since, b.part) IN (SELECT * FROM unnest($5, $6))
			RETURNING b.since, b.part, b.until, b.series, b.noise, b.profiles, b.stacks, b.total
		), written AS (
			INSERT INTO profiling.block AS b (service_id, stream_id, resolution, since, until, part, series, noise,
				profiles, stacks, total)
			-- The place of the first one is free again.
			SELECT $1, $2, 'raw', min(t.since), max(t.until), (array_agg(t.part ORDER BY t.since, t.part))[1],
				types.flameseries_agg(t.series), types.flameseries_agg(t.noise), sum(t.profiles)::bigint,
				sum(t.stacks)::bigint, sum(t.total)
			FROM taken AS t JOIN unnest($5, $6, $7) AS c (since, part, piece) ON c.since = t.since AND c.part = t.part
			GROUP BY c.piece
			RETURNING b.profiles
		)
		SELECT coalesce(sum(w.profiles), 0::numeric)::bigint FROM written AS w
		$query$, 'types.', profiling.types_schema() || '.')
	INTO v_profiles USING merge_small_blocks.service_id, merge_small_blocks.stream_id, v_since, v_until, v_times,
		v_parts, v_pieces;
	RETURN v_profiles;
EXCEPTION WHEN numeric_value_out_of_range OR program_limit_exceeded THEN
	-- The sum is more than a number can be, or their instances are more than a series holds: they stay apart.
	RETURN 0;
END
$$;

COMMENT ON FUNCTION merge_small_blocks(bigint, bigint, timestamptz, bigint, bigint, bool)
	IS 'makes one of the blocks of a stream and a day that have fewer values and profiles than small, and are not '
		'large because of their instances, of every one or of the smallest that together are as large as the next one; '
		'several where it would have more values than max_values; returns of how many profiles';

CREATE OR REPLACE FUNCTION step_of(resolution text) RETURNS interval
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE step_of.resolution WHEN 'minute' THEN '1 minute'::interval WHEN 'hour' THEN '1 hour'::interval
			WHEN 'day' THEN '1 day'::interval END;
	END;

COMMENT ON FUNCTION step_of(text) IS 'of how long the sums of a resolution are; null for raw profiles';

CREATE OR REPLACE FUNCTION step_begin(step interval, moment timestamptz) RETURNS timestamptz
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		-- A Monday. A timestamp without time zone, so that nobody's days are 23 hours long.
		SELECT date_bin(step_begin.step, step_begin.moment AT TIME ZONE 'UTC', '2001-01-01'::timestamp)
			AT TIME ZONE 'UTC';
	END;

COMMENT ON FUNCTION step_begin(interval, timestamptz)
	IS 'when the step begins that a moment is in: in UTC, on full minutes, hours and days, and Mondays';

CREATE OR REPLACE FUNCTION counts_in(series flameseries, counts flameseries, OUT at timestamptz, OUT profiles float8)
	RETURNS SETOF record LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1000
	BEGIN ATOMIC
		SELECT t.at, CASE WHEN counts_in.counts IS NULL THEN 1::float8 ELSE t.value END
		FROM trend(coalesce(counts_in.counts, counts_in.series), ''::stackpath) AS t;
	END;

COMMENT ON FUNCTION counts_in(flameseries, flameseries)
	IS 'how many profiles there are at each time of a block, from its columns series and counts';

CREATE OR REPLACE FUNCTION thin_blocks(service_id bigint, stream_id bigint, resolution text, since timestamptz,
		until timestamptz, target text, max_values bigint) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_profiles bigint;
BEGIN
	EXECUTE replace($query$
		WITH gone AS (
			DELETE FROM profiling.block AS b
			WHERE b.service_id = $1 AND b.stream_id = $2 AND b.resolution = $3 AND b.since >= $4 AND b.since < $5
			RETURNING b.series, b.noise, b.counts, b.profiles
		), taken AS (
			-- Sums of other days of the month, or of profiles that came before others of this day did.
			DELETE FROM profiling.block AS b
			WHERE b.service_id = $1 AND b.stream_id = $2 AND b.resolution = $6 AND b.since = $8
				AND EXISTS (SELECT 1 FROM gone)
			RETURNING b.series, b.noise, b.counts, b.profiles
		), pieces AS MATERIALIZED (
			SELECT g.* FROM gone AS g UNION ALL SELECT t.* FROM taken AS t
		), sums AS (
			SELECT s.at, types.sum(s.profile) AS profile
			FROM pieces AS p, LATERAL types.step_sums(p.series, profiling.step_of($6), $9, $9, $10) AS s
			GROUP BY s.at
		), counts AS (
			SELECT c.at, types.flamegraph_agg(''::types.stackpath, c.n) AS profile
			FROM (SELECT profiling.step_begin(profiling.step_of($6), n.at) AS at, sum(n.profiles) AS n
				FROM pieces AS p, LATERAL profiling.counts_in(p.series, p.counts) AS n GROUP BY 1) AS c GROUP BY c.at
		), bare AS MATERIALIZED (
			-- Steps with something that has no noise. A sum has noise when all that is in it has.
			SELECT profiling.step_begin(profiling.step_of($6), m.at) AS at
			FROM pieces AS p, LATERAL profiling.moments_in(p.series, $9, $9) AS m
			EXCEPT ALL SELECT profiling.step_begin(profiling.step_of($6), m.at)
			FROM pieces AS p, LATERAL profiling.moments_in(p.noise, $9, $9) AS m
		), noises AS (
			SELECT s.at, types.sum(s.profile) AS profile
			FROM pieces AS p, LATERAL types.step_sums(p.noise, profiling.step_of($6), $9, $9, $10) AS s
			WHERE s.at NOT IN (SELECT b.at FROM bare AS b) GROUP BY s.at
		), numbered AS (
			SELECT s.at, s.profile, c.profile AS count, n.profile AS noise, types.nstacks(s.profile)::bigint AS stacks,
				floor(sum(types.nstacks(s.profile)) OVER (ORDER BY s.at)::numeric / $7::numeric)::int AS part
			FROM sums AS s JOIN counts AS c ON c.at = s.at LEFT JOIN noises AS n ON n.at = s.at
		), written AS (
			INSERT INTO profiling.block AS b (service_id, stream_id, resolution, since, until, part, series, noise,
				counts, profiles, stacks, total)
			SELECT $1, $2, $6, $8, profiling.span_end($6, $8), n.part, types.flameseries_agg(n.at, n.profile),
				types.flameseries_agg(n.at, n.noise), types.flameseries_agg(n.at, n.count),
				sum(types.total(n.count))::bigint, sum(n.stacks)::bigint, sum(types.total(n.profile))
			FROM numbered AS n GROUP BY n.part
			RETURNING 1
		)
		SELECT coalesce(sum(g.profiles), 0::numeric)::bigint FROM gone AS g
		WHERE (SELECT count(*) FROM written) >= 0::bigint
		$query$, 'types.', profiling.types_schema() || '.')
	INTO v_profiles USING thin_blocks.service_id, thin_blocks.stream_id, thin_blocks.resolution, thin_blocks.since,
		thin_blocks.until, thin_blocks.target, thin_blocks.max_values,
		profiling.span_of(thin_blocks.target, thin_blocks.since), NULL::timestamptz, NULL::text[];
	RETURN v_profiles;
END
$$;

COMMENT ON FUNCTION thin_blocks(bigint, bigint, text, timestamptz, timestamptz, text, bigint)
	IS 'puts sums of the steps of a coarser resolution in the place of the blocks of a stream that begin in this time; '
		'returns of how many profiles';

CREATE OR REPLACE FUNCTION compact_stream(service_id bigint, stream_id bigint, hour timestamptz, hours int DEFAULT 1)
	RETURNS bigint LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_since CONSTANT timestamptz := profiling.hour_of(compact_stream.hour);
	v_until CONSTANT timestamptz := v_since + make_interval(hours => compact_stream.hours);
	v_values bigint := profiling.values_of_block();
	v_moved bigint;
BEGIN
	IF NOT profiling.may_compact(compact_stream.service_id, compact_stream.stream_id) THEN
		RETURN NULL;
	END IF;
	WHILE v_moved IS NULL LOOP
		BEGIN
			v_moved := profiling.move_to_blocks(compact_stream.service_id, compact_stream.stream_id, v_since, v_until,
				v_values);
		EXCEPTION WHEN numeric_value_out_of_range OR program_limit_exceeded THEN
			-- A series keeps the sum of its profiles, which here is more than a number can be. Each of them is none, so
			-- that smaller blocks hold them, at the latest one for each profile. Of several hours each is tried alone.
			IF v_values = 1 OR compact_stream.hours > 1 THEN
				RAISE;
			END IF;
			v_values := greatest(v_values / 16, 1);
		END;
	END LOOP;
	IF v_moved > 0 THEN
		-- So that store_incoming() can see it from an old snapshot.
		UPDATE profiling.stream AS t SET created_at = t.created_at
		WHERE t.service_id = compact_stream.service_id AND t.stream_id = compact_stream.stream_id;
		PERFORM profiling.merge_small_blocks(compact_stream.service_id, compact_stream.stream_id, v_since,
			profiling.values_of_block(), profiling.values_of_small_block(), false);
	END IF;
	RETURN v_moved;
END
$$;

COMMENT ON FUNCTION compact_stream(bigint, bigint, timestamptz, int)
	IS 'puts what a stream has in incoming of the hour that a moment is in, and of the hours after it, into a block, '
		'and this together with small ones of the same day; several where the sum of a block is more than a number can '
		'be; returns how many profiles that were, null when another compaction has the stream in hand';

CREATE OR REPLACE FUNCTION merge_stream(service_id bigint, stream_id bigint, day timestamptz) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF NOT profiling.may_compact(merge_stream.service_id, merge_stream.stream_id) THEN
		RETURN NULL;
	END IF;
	RETURN profiling.merge_small_blocks(merge_stream.service_id, merge_stream.stream_id, merge_stream.day,
		profiling.values_of_block(), profiling.values_of_small_block(), true);
END
$$;

COMMENT ON FUNCTION merge_stream(bigint, bigint, timestamptz)
	IS 'makes one block of the small ones that a stream has of the day that a moment is in; returns of how many '
		'profiles, null when another compaction has the stream in hand';

CREATE OR REPLACE FUNCTION thin_stream(service_id bigint, stream_id bigint, resolution text, since timestamptz) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_target CONSTANT text := CASE thin_stream.resolution WHEN 'raw' THEN 'minute' WHEN 'minute' THEN 'hour'
		WHEN 'hour' THEN 'day' END;
	-- raw profiles by days, sums of minutes by their days, those of hours by their months
	v_span CONSTANT text := CASE thin_stream.resolution WHEN 'raw' THEN 'minute' ELSE thin_stream.resolution END;
	v_since CONSTANT timestamptz := profiling.span_of(v_span, thin_stream.since);
	v_until CONSTANT timestamptz := profiling.span_end(v_span, v_since);
	v_profiles bigint;
BEGIN
	IF NOT profiling.may_compact(thin_stream.service_id, thin_stream.stream_id) THEN
		RETURN NULL;
	END IF;
	IF v_target IS NOT NULL THEN
		RETURN profiling.thin_blocks(thin_stream.service_id, thin_stream.stream_id, thin_stream.resolution, v_since,
			v_until, v_target, profiling.values_of_block());
	END IF;
	WITH gone AS (
		DELETE FROM profiling.block AS b
		WHERE b.service_id = thin_stream.service_id AND b.stream_id = thin_stream.stream_id
			AND b.resolution = thin_stream.resolution AND b.since >= v_since AND b.since < v_until
		RETURNING b.profiles
	)
	SELECT coalesce(sum(g.profiles), 0) INTO v_profiles FROM gone AS g;
	RETURN v_profiles;
END
$$;

COMMENT ON FUNCTION thin_stream(bigint, bigint, text, timestamptz)
	IS 'puts sums of the next resolution in the place of the blocks of a stream, of the day or month that a moment is '
		'in, or nothing in the place of sums of days; returns of how many profiles, null when another compaction has '
		'the stream in hand';

CREATE OR REPLACE FUNCTION hours_to_compact(before timestamptz, OUT service_id bigint, OUT stream_id bigint, OUT hour timestamptz,
		OUT profiles bigint)
	RETURNS SETOF record LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT i.service_id, i.stream_id, hour_of(i.recorded_at), count(*)
		FROM incoming AS i WHERE i.recorded_at < hour_of(hours_to_compact.before)
		GROUP BY 1, 2, 3
		ORDER BY 3, 1, 2;
	END;

COMMENT ON FUNCTION hours_to_compact(timestamptz)
	IS 'the streams and hours with profiles in incoming, of hours that ended before this, and how many these are';

CREATE OR REPLACE FUNCTION spans_to_compact(before timestamptz, OUT service_id bigint, OUT stream_id bigint, OUT since timestamptz,
		OUT hours int)
	RETURNS SETOF record LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_max_profiles CONSTANT bigint := 1000;
	v_profiles bigint;
	v_day timestamptz;
	h record;
BEGIN
	FOR h IN
		SELECT k.*, date_trunc('day', k.hour, 'UTC') AS day FROM profiling.hours_to_compact(before) AS k
		ORDER BY 5, 1, 2, 3
	LOOP
		IF (service_id, stream_id, v_day) = (h.service_id, h.stream_id, h.day)
			AND v_profiles + h.profiles <= v_max_profiles THEN
			hours := extract(epoch FROM h.hour - since)::int / 3600 + 1;
			v_profiles := v_profiles + h.profiles;
			CONTINUE;
		END IF;
		IF since IS NOT NULL THEN
			RETURN NEXT;
		END IF;
		service_id := h.service_id;
		stream_id := h.stream_id;
		since := h.hour;
		hours := 1;
		v_day := h.day;
		v_profiles := h.profiles;
	END LOOP;
	IF since IS NOT NULL THEN
		RETURN NEXT;
	END IF;
END
$$;

COMMENT ON FUNCTION spans_to_compact(timestamptz)
	IS 'hours_to_compact() in pieces: hours of a stream that follow each other in a day, as many as have a thousand '
		'profiles together, or one';

CREATE OR REPLACE FUNCTION days_to_merge(before timestamptz, OUT service_id bigint, OUT stream_id bigint, OUT day timestamptz)
	RETURNS SETOF record LANGUAGE sql STABLE ROWS 100
	BEGIN ATOMIC
		SELECT b.service_id, b.stream_id, span_of('minute'::text, b.since)
		FROM block AS b
		WHERE b.resolution = 'raw' AND b.stacks + b.profiles < values_of_small_block()
			AND pg_catalog.pg_column_size(b.series) < values_of_small_block() * 8
			AND b.since < span_of('minute'::text, days_to_merge.before)
		GROUP BY 1, 2, 3
		-- The sum of a block is a number: what has none would be tried again and again.
		HAVING count(*) > 1 AND sum(abs(b.total) / 1000000::float8) < 1e302::float8
		ORDER BY 3, 1, 2;
	END;

COMMENT ON FUNCTION days_to_merge(timestamptz)
	IS 'the streams and days, over before this, that have several small blocks of raw profiles';

CREATE OR REPLACE FUNCTION spans_to_thin(resolution text, OUT service_id bigint, OUT stream_id bigint, OUT since timestamptz)
	RETURNS SETOF record LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_span CONSTANT text := CASE spans_to_thin.resolution WHEN 'raw' THEN 'minute' ELSE spans_to_thin.resolution END;
	v_names text[];
	v_events text[];
	v_ages interval[];
BEGIN
	-- In steps: on Citus nothing that reads a table is called for rows that are on other servers.
	SELECT array_agg(k.name), array_agg(k.event) INTO v_names, v_events
	FROM (SELECT DISTINCT s.name, t.event
		FROM profiling.service AS s JOIN profiling.stream AS t ON t.service_id = s.service_id) AS k;
	SELECT array_agg(CASE spans_to_thin.resolution WHEN 'raw' THEN r.raw WHEN 'minute' THEN r.minutes
		WHEN 'hour' THEN r.hours ELSE r.days END ORDER BY k.n) INTO v_ages
	FROM unnest(v_names, v_events) WITH ORDINALITY AS k (name, event, n)
		CROSS JOIN LATERAL profiling.retention_of(k.name, k.event) AS r;
	RETURN QUERY
	SELECT p.service_id, p.stream_id, p.since
	FROM (SELECT DISTINCT b.service_id, b.stream_id, profiling.span_of(v_span, b.since) AS since
			FROM profiling.block AS b WHERE b.resolution = spans_to_thin.resolution) AS p
		JOIN profiling.stream AS t ON t.service_id = p.service_id AND t.stream_id = p.stream_id
		JOIN profiling.service AS s ON s.service_id = p.service_id
		JOIN unnest(v_names, v_events, v_ages) AS a (name, event, age) ON a.name = s.name AND a.event = t.event
	-- The whole of it is old enough.
	WHERE profiling.span_end(v_span, p.since) <= (now() AT TIME ZONE 'UTC' - a.age) AT TIME ZONE 'UTC'
	ORDER BY p.since, p.service_id, p.stream_id;
END
$$;

COMMENT ON FUNCTION spans_to_thin(text)
	IS 'the streams with blocks of a resolution, and days or months of them that are older than retention lets them '
		'stay as they are';

CREATE OR REPLACE FUNCTION compact_step(step text, name text, service_id bigint, stream_id bigint, since timestamptz,
		hours int DEFAULT 1) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_started CONSTANT timestamptz := clock_timestamp();
BEGIN
	CASE step
		WHEN 'partition' THEN
			PERFORM profiling.add_production_partition(name, since);
		WHEN 'drop' THEN
			PERFORM profiling.drop_production_partition(CASE WHEN name LIKE 'incoming%' THEN 'incoming'
				ELSE 'block' END, name);
		WHEN 'compact' THEN
			RETURN profiling.compact_stream(service_id, stream_id, since, hours);
		WHEN 'merge' THEN
			RETURN profiling.merge_stream(service_id, stream_id, since);
		ELSE
			RETURN profiling.thin_stream(service_id, stream_id, name, since);
	END CASE;
	RETURN 0;
EXCEPTION
	-- Somebody reads or loads. The next call tries again; until then the default partition serves.
	WHEN lock_not_available THEN
		IF step IN ('partition', 'drop') THEN
			RETURN NULL;
		END IF;
		RAISE;
	WHEN OTHERS THEN
		-- The others are not to wait for the hour that fails.
		IF hours > 1 THEN
			RETURN (SELECT sum(profiling.compact_step(step, name, service_id, stream_id,
				since + make_interval(hours => h), 1)) FROM generate_series(0, hours - 1) AS h);
		END IF;
		PERFORM profiling.log_job('compact'::text, 'failed'::text, v_started, concat_ws(' ', step, nullif(name, step),
			CASE WHEN service_id IS NOT NULL THEN format('of service %s, stream %s', service_id, stream_id) END,
			to_char(since AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI')) || ': ' || SQLERRM, NULL::bigint);
		RETURN NULL;
END
$$;

COMMENT ON FUNCTION compact_step(text, text, bigint, bigint, timestamptz, int)
	IS 'one step of compact(); a failure is recorded in job_log, and null returned';

CREATE OR REPLACE FUNCTION steps_of_compaction(phase text, before timestamptz, OUT names text[], OUT services bigint[],
		OUT streams bigint[], OUT times timestamptz[], OUT hours int[])
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_days timestamptz[];
BEGIN
	CASE phase
		WHEN 'partition' THEN
			SELECT array_agg(w.parent), array_agg(w.since) INTO names, times
			FROM profiling.partitions_wanted(24) AS w;
		WHEN 'compact' THEN
			SELECT array_agg(h.service_id), array_agg(h.stream_id), array_agg(h.since), array_agg(h.hours)
			INTO services, streams, times, hours
			FROM profiling.spans_to_compact(before) AS h;
		WHEN 'merge' THEN
			SELECT array_agg(d.service_id), array_agg(d.stream_id), array_agg(d.day) INTO services, streams, times
			FROM profiling.days_to_merge(before) AS d;
		WHEN 'drop' THEN
			v_days := ARRAY(SELECT DISTINCT date_trunc('day', b.since, 'UTC') FROM profiling.block AS b);
			SELECT array_agg(p.partition), array_agg(p.since) INTO names, times
			-- Whoever has a snapshot from before a partition was emptied does not see yet where its rows have gone. A
			-- deletion leaves them to him, a table that is dropped does not: so it stays for the next hour.
			FROM (SELECT i.partition, i.since FROM profiling.production_partitions('incoming'::text) AS i
					WHERE i.until <= profiling.hour_of(before) - interval '1 hour'
				UNION ALL
				-- the one of today is wanted, and those of this month soon may be
				SELECT b.partition, b.since FROM profiling.production_partitions('block'::text) AS b
				WHERE b.until <= date_trunc('day', now(), 'UTC') - interval '1 day'
					AND b.since <> profiling.span_of('hour'::text, now())
					AND date_trunc('day', b.since, 'UTC') <> ALL (v_days)
					-- Sums of hours and days of a month begin with it, and come when its days are old.
					AND NOT EXISTS (SELECT 1 FROM unnest(v_days) AS d (day)
						WHERE profiling.span_of('hour'::text, d.day) = b.since)) AS p;
		ELSE
			SELECT array_agg(t.service_id), array_agg(t.stream_id), array_agg(t.since) INTO services, streams, times
			FROM profiling.spans_to_thin(phase) AS t;
	END CASE;
	times := coalesce(times, '{}');
END
$$;

COMMENT ON FUNCTION steps_of_compaction(text, timestamptz)
	IS 'what compact() has to do in a phase: drop, partition, compact, merge or a resolution';

CREATE OR REPLACE PROCEDURE compact(lag interval DEFAULT '5 minutes')
	LANGUAGE plpgsql AS $$
DECLARE
	v_phase pg_catalog.text;
	v_before timestamptz;
	v_steps record;
	v_started timestamptz;
	v_done bigint;
	v_profiles bigint;
	v_count bigint;
BEGIN
	IF lag IS NULL OR lag OPERATOR(pg_catalog.<) '0'::pg_catalog.interval THEN
		RAISE EXCEPTION 'lag cannot be null or negative' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	PERFORM profiling.need_owner('compact'::pg_catalog.text);
	v_before := pg_catalog.now() OPERATOR(pg_catalog.-) lag;
	CALL profiling.commit_or_say('compact() commits as it goes: call it alone, with autocommit on'
		::pg_catalog.text);
	-- What this call empties is dropped by a later one: see steps_of_compaction().
	FOREACH v_phase IN ARRAY '{drop,partition,compact,merge,raw,minute,hour,day}'::pg_catalog.text[] LOOP
		v_started := pg_catalog.clock_timestamp();
		v_profiles := 0;
		v_count := 0;
		v_steps := profiling.steps_of_compaction(v_phase, v_before);
		FOR i IN 1 .. pg_catalog.cardinality(v_steps.times) LOOP
			v_done := profiling.compact_step(v_phase, COALESCE(v_steps.names[i], v_phase), v_steps.services[i],
				v_steps.streams[i], v_steps.times[i], COALESCE(v_steps.hours[i], 1));
			IF v_done OPERATOR(pg_catalog.>) 0 THEN
				v_profiles := v_profiles OPERATOR(pg_catalog.+) v_done;
				v_count := v_count OPERATOR(pg_catalog.+) 1;
			END IF;
			COMMIT;
		END LOOP;
		IF v_profiles OPERATOR(pg_catalog.>) 0 THEN
			PERFORM profiling.log_job('compact'::pg_catalog.text, 'ok'::pg_catalog.text, v_started,
				profiling.compacted_in_words(v_phase, v_profiles, v_count), NULL::pg_catalog.int8);
			COMMIT;
		END IF;
	END LOOP;
END
$$;

COMMENT ON PROCEDURE compact(interval)
	IS 'makes blocks of the profiles in incoming whose hour ended this long ago, sums of what is older than retention '
		'lets it stay as it is, and partitions for the hours to come; called alone, by the owner, every few minutes';

CREATE OR REPLACE FUNCTION compacted_in_words(phase text, profiles bigint, steps bigint) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT profiles::text || ' profiles '::text || CASE phase WHEN 'compact' THEN 'into blocks'
			WHEN 'merge' THEN 'into larger blocks'
			WHEN 'raw' THEN 'into sums of minutes' WHEN 'minute' THEN 'into sums of hours'
			WHEN 'hour' THEN 'into sums of days' ELSE 'gone by age' END || ', '::text || steps::text
			|| ' times a stream and a span'::text;
	END;

COMMENT ON FUNCTION compacted_in_words(text, bigint, bigint) IS 'what a phase of compact() has done, for job_log';

CREATE OR REPLACE VIEW storage AS
SELECT d.benchmark_id, b.suite, b.name, d.month, count(*) AS profiles, sum(p.nodes)::bigint AS nodes,
	sum(d.bytes)::bigint AS bytes,
	sum(d.bytes)::float8 / nullif(sum(p.nodes), 0::bigint)::float8 AS bytes_per_node
FROM (SELECT o.benchmark_id, o.profile_id, month_of(o.recorded_at) AS month,
		pg_catalog.pg_column_size(o.flamegraph) + coalesce(pg_catalog.pg_column_size(o.truncated), 0)
			+ coalesce(pg_catalog.pg_column_size(o.samples), 0) + coalesce(pg_catalog.pg_column_size(o.noise),
				0) AS bytes
	FROM profile_data AS o) AS d
	JOIN profile AS p ON p.benchmark_id = d.benchmark_id AND p.profile_id = d.profile_id
	JOIN benchmark AS b ON b.benchmark_id = d.benchmark_id
GROUP BY d.benchmark_id, b.suite, b.name, d.month;

CREATE OR REPLACE FUNCTION rollup_profiles() RETURNS TABLE (benchmark_id bigint, test_run_id bigint, event text, unit text,
		flamegraph flamegraph, period float8, samples flamegraph, noise flamegraph, pending bigint[], repetitions int,
		profile_ids bigint[])
	LANGUAGE sql STABLE ROWS 100
	BEGIN ATOMIC
		SELECT r.benchmark_id, r.test_run_id, r.event, r.unit, r.flamegraph, r.period, r.samples, r.noise, r.pending,
			r.repetitions, s.ids
		FROM rollup AS r, LATERAL (
			SELECT pg_catalog.array_agg(p.profile_id ORDER BY p.profile_id) AS ids
			FROM profile AS p JOIN profile_data AS d ON d.benchmark_id = p.benchmark_id
				AND d.profile_id = p.profile_id AND d.recorded_at = p.recorded_at
			WHERE p.benchmark_id = r.benchmark_id AND p.event = r.event AND p.unit = r.unit
				AND p.test_run_id = ANY (r.run_ids)) AS s;
	END;

COMMENT ON FUNCTION rollup_profiles() IS 'every rollup with the profiles of it that are there';

CREATE OR REPLACE FUNCTION wrong_samples(deep bool, OUT problem text, OUT table_name text, OUT benchmark_id bigint, OUT id bigint,
		OUT detail text)
	RETURNS SETOF record LANGUAGE sql STABLE ROWS 10
	BEGIN ATOMIC
		SELECT 'wrong copy', 'profile', d.benchmark_id, d.profile_id, 'samples and noise'
		FROM profile_data AS d, LATERAL (SELECT f.positive AND f.complete AS are_right
			FROM weights_facts(d.flamegraph, d.samples, d.noise) AS f) AS w
		WHERE (d.samples IS NOT NULL OR d.noise IS NOT NULL) AND w.are_right IS NOT TRUE
		UNION ALL
		SELECT 'wrong copy', 'rollup', r.benchmark_id, r.test_run_id, 'samples, noise and period'
		FROM rollup AS r
		WHERE (r.samples IS NULL) <> (r.noise IS NULL) OR r.samples IS NOT NULL AND r.period IS NOT NULL
		UNION ALL
		-- One that says nothing is not wrong: it may have been summed up before anybody asked.
		SELECT 'wrong sum', 'rollup', r.benchmark_id, r.test_run_id,
			pg_catalog.format('%s, %s: samples off by %s, noise by %s', r.event, r.unit, o.samples_off, o.noise_off)
		FROM rollup_profiles() AS r, LATERAL (
			SELECT recorded_of(r.benchmark_id, r.profile_ids) AS recorded OFFSET 0) AS k, LATERAL (
			SELECT samples_of((k.recorded).flamegraph, (k.recorded).period, (k.recorded).samples) AS samples,
				noise_of((k.recorded).flamegraph, (k.recorded).period, (k.recorded).noise) AS noise OFFSET 0) AS e,
					LATERAL (
			SELECT distance(e.samples, summed_samples(r.flamegraph, r.period, r.samples, r.benchmark_id, r.pending),
					1::float8) AS samples_off,
				distance(e.noise, summed_noise(r.flamegraph, r.period, r.noise, r.benchmark_id, r.pending),
					1::float8) AS noise_off OFFSET 0) AS o
		WHERE wrong_samples.deep AND pg_catalog.cardinality(r.profile_ids) = r.repetitions
			AND (o.samples_off > 1e-9::float8 * (@-@ e.samples) OR o.noise_off > 1e-9::float8 * (@-@ e.noise));
	END;

COMMENT ON FUNCTION wrong_samples(bool) IS 'what check() says of numbers of samples and of their squared weights';

CREATE OR REPLACE FUNCTION wrong_blocks(deep bool, OUT problem text, OUT table_name text, OUT benchmark_id bigint, OUT id bigint,
		OUT detail text)
	RETURNS SETOF record LANGUAGE sql STABLE ROWS 10
	BEGIN ATOMIC
		SELECT 'no service', 'stream', NULL::bigint, t.stream_id, 'service_id '::text || t.service_id::text
		FROM stream AS t WHERE NOT EXISTS (SELECT 1 FROM service AS s WHERE s.service_id = t.service_id)
		UNION ALL
		SELECT 'no stream', o.table_name, NULL::bigint, o.stream_id, 'service_id '::text || o.service_id::text
		FROM (SELECT DISTINCT 'block' AS table_name, b.service_id, b.stream_id FROM block AS b
			UNION ALL SELECT DISTINCT 'incoming', i.service_id, i.stream_id FROM incoming AS i) AS o
		WHERE NOT EXISTS (SELECT 1 FROM stream AS t WHERE t.service_id = o.service_id AND t.stream_id = o.stream_id)
		UNION ALL
		SELECT 'wrong copy', 'block', NULL::bigint, b.stream_id,
			pg_catalog.format('%s from %s: profiles', b.resolution, b.since)
		FROM block AS b
		WHERE CASE WHEN b.counts IS NULL THEN profile_count(b.series)::float8
			ELSE total(sum(b.counts, NULL::timestamptz, NULL::timestamptz, NULL::text[])) END <> b.profiles::float8
		UNION ALL
		SELECT 'wrong copy', 'block', NULL::bigint, b.stream_id,
			pg_catalog.format('%s from %s: total', b.resolution, b.since)
		FROM block AS b, LATERAL (SELECT sum(b.series, NULL::timestamptz, NULL::timestamptz, NULL::text[]) AS profile
			OFFSET 0) AS s
		WHERE wrong_blocks.deep AND abs(total(s.profile) - b.total) > 1e-9::float8 * (@-@ s.profile)
		UNION ALL
		SELECT 'several rows', 'block', NULL::bigint, k.stream_id, pg_catalog.format('%s at %s', k.instance, k.at)
		FROM (SELECT b.stream_id, m.instance, m.at
			FROM block AS b, LATERAL moments_in(b.series, NULL::timestamptz, NULL::timestamptz) AS m
			WHERE wrong_blocks.deep AND b.resolution = 'raw') AS k
		GROUP BY k.stream_id, k.instance, k.at HAVING count(*) > 1;
	END;

COMMENT ON FUNCTION wrong_blocks(bool) IS 'what check() says of services in production';

CREATE OR REPLACE FUNCTION "check"(deep bool DEFAULT false, OUT problem text, OUT table_name text, OUT benchmark_id bigint,
		OUT id bigint, OUT detail text)
	RETURNS SETOF record LANGUAGE sql STABLE ROWS 10
	BEGIN ATOMIC
		-- orphans
		SELECT 'no benchmark', o.table_name, o.benchmark_id, o.id, ''
		FROM (SELECT 'profile' AS table_name, p.benchmark_id, p.profile_id AS id FROM profile AS p
			UNION ALL SELECT 'observation', o.benchmark_id, o.observation_id FROM observation AS o
			UNION ALL SELECT 'fitted_model', m.benchmark_id, m.test_run_id FROM fitted_model AS m
			UNION ALL SELECT 'rollup', r.benchmark_id, r.test_run_id FROM rollup AS r
			UNION ALL SELECT 'regression', f.benchmark_id, f.regression_id FROM regression AS f) AS o
		WHERE NOT EXISTS (SELECT 1 FROM benchmark AS b WHERE b.benchmark_id = o.benchmark_id)
		UNION ALL
		SELECT 'no test_run', o.table_name, o.benchmark_id, o.id, 'test_run_id '::text || o.test_run_id::text
		FROM (SELECT 'profile' AS table_name, p.benchmark_id, p.profile_id AS id, p.test_run_id FROM profile AS p
			UNION ALL SELECT 'observation', o.benchmark_id, o.observation_id, o.test_run_id FROM observation AS o
			UNION ALL SELECT 'fitted_model', m.benchmark_id, m.test_run_id, m.test_run_id FROM fitted_model AS m
			UNION ALL SELECT 'rollup', r.benchmark_id, r.test_run_id, pg_catalog.unnest(r.run_ids) FROM rollup AS r
			UNION ALL SELECT 'regression', f.benchmark_id, f.regression_id,
				pg_catalog.unnest(ARRAY[f.first_test_run_id, f.last_test_run_id])
				FROM regression AS f) AS o
		WHERE NOT EXISTS (SELECT 1 FROM test_run AS t WHERE t.test_run_id = o.test_run_id)
		UNION ALL
		SELECT 'no profile_data', 'profile', p.benchmark_id, p.profile_id, ''
		FROM profile AS p
		WHERE NOT EXISTS (SELECT 1 FROM profile_data AS d WHERE d.benchmark_id = p.benchmark_id
			AND d.profile_id = p.profile_id)
		UNION ALL
		SELECT 'no profile', 'profile_data', d.benchmark_id, d.profile_id, ''
		FROM profile_data AS d
		WHERE NOT EXISTS (SELECT 1 FROM profile AS p WHERE p.benchmark_id = d.benchmark_id
			AND p.profile_id = d.profile_id)
		UNION ALL
		-- twice, in two partitions: their keys cannot see each other
		SELECT 'several rows', 'profile_data', d.benchmark_id, d.profile_id, count(*)::text || ' rows'::text
		FROM profile_data AS d GROUP BY d.benchmark_id, d.profile_id HAVING count(*) > 1
		UNION ALL
		SELECT 'no rollup', 'profile', p.benchmark_id, min(p.profile_id),
			pg_catalog.format('run %s, %s, %s', p.test_run_id, p.event, p.unit)
		FROM profile AS p
		WHERE NOT EXISTS (SELECT 1 FROM rollup AS r WHERE r.benchmark_id = p.benchmark_id AND r.event = p.event
			AND r.unit = p.unit
			AND p.test_run_id = ANY (r.run_ids))
		GROUP BY p.benchmark_id, p.test_run_id, p.event, p.unit
		UNION ALL
		-- copies
		SELECT 'wrong copy', 'profile', p.benchmark_id, p.profile_id, w.detail
		FROM profile AS p JOIN profile_data AS d ON d.benchmark_id = p.benchmark_id AND d.profile_id = p.profile_id,
			LATERAL (VALUES
				('recorded_at', d.recorded_at = p.recorded_at),
				('total', total(d.flamegraph) = p.total),
				('nodes', nnodes(d.flamegraph) = p.nodes),
				('frames', nframes(d.flamegraph) = p.frames),
				('truncated_share', coalesce(@-@ d.truncated,
					0::float8) / nullif((@-@ d.flamegraph) + coalesce(@-@ d.truncated, 0::float8), 0::float8)
					IS NOT DISTINCT FROM p.truncated_share),
				('content_id', CASE WHEN "check".deep AND NOT p.reshaped THEN content_id(d.flamegraph,
					d.truncated) = p.content_id ELSE true END)
			) AS w (detail, is_right)
		WHERE NOT w.is_right
		UNION ALL
		SELECT 'wrong copy', 'profile', p.benchmark_id, p.profile_id, 'labels'
		FROM profile AS p JOIN test_run AS t ON t.test_run_id = p.test_run_id
		WHERE p.labels <> t.labels
		UNION ALL
		SELECT 'wrong copy', 'rollup', r.benchmark_id, r.test_run_id, w.detail
		FROM (SELECT o.*, o.repetitions - pg_catalog.cardinality(o.pending) AS folded,
				coalesce(o.flamegraph + d.fg, o.flamegraph) AS fg
			-- summed(), as part of the query
			FROM rollup AS o, LATERAL (
				SELECT sum(d.flamegraph) AS fg FROM profile_data AS d
				WHERE pg_catalog.cardinality(o.pending) > 0 AND d.benchmark_id = o.benchmark_id
					AND d.profile_id = ANY (o.pending)) AS d) AS r
			JOIN test_run AS t ON t.test_run_id = r.test_run_id,
			LATERAL (VALUES
				('branch', r.branch = t.branch),
				('started_at', r.started_at = t.started_at),
				('total', abs(r.total - total(r.fg)) <= 1e-9::float8 * (@-@ r.fg)),
				('repetitions', r.folded = 1 OR r.folded = profile_count(r.stats_stack)
					AND r.folded = profile_count(r.stats_node)
					AND r.folded = profile_count(r.stats_frame) AND r.folded = profile_count(r.stats_self))
			) AS w (detail, is_right)
		WHERE NOT w.is_right
		UNION ALL
		SELECT 'wrong copy', 'benchmark', b.benchmark_id, b.benchmark_id, 'parameters_id'
		FROM benchmark AS b WHERE b.parameters_id <> object_id(b.parameters)
		UNION ALL
		SELECT 'wrong copy', 'test_run', NULL::bigint, t.test_run_id, 'labels_id'
		FROM test_run AS t WHERE t.labels_id <> object_id(t.labels)
		UNION ALL
		-- Loads find the benchmark before the alias.
		SELECT 'hidden alias', 'benchmark_alias', b.benchmark_id, NULL::bigint,
			benchmark_in_words(a.suite, a.name, b.parameters)
		FROM benchmark_alias AS a JOIN benchmark AS b ON b.suite = a.suite AND b.name = a.name
			AND (a.parameters IS NULL OR a.parameters_id = b.parameters_id)
		UNION ALL
		SELECT 'no benchmark', 'benchmark_alias', NULL::bigint, NULL::bigint,
			benchmark_in_words(a.new_suite, a.new_name, coalesce(a.new_parameters, '{}'::jsonb))
		FROM benchmark_alias AS a
		WHERE NOT EXISTS (SELECT 1 FROM benchmark AS b WHERE b.suite = a.new_suite AND b.name = a.new_name
				AND (a.new_parameters IS NULL OR b.parameters = a.new_parameters))
			AND NOT EXISTS (SELECT 1 FROM benchmark_alias AS n WHERE n.suite = a.new_suite AND n.name = a.new_name)
		UNION ALL
		-- the sum of a run whose profiles are all here, or of a month with those of its runs that came later
		SELECT 'wrong sum', 'rollup', r.benchmark_id, r.test_run_id,
			pg_catalog.format('%s, %s: off by %s', r.event, r.unit, s.off)
		FROM (SELECT o.benchmark_id, o.test_run_id, o.event, o.unit, o.run_ids, o.repetitions + l.repetitions
					AS repetitions, o.total + l.total AS total,
				coalesce(o.flamegraph + d.fg, o.flamegraph) + l.fg AS fg
			FROM rollup AS o, LATERAL (
				SELECT sum(d.flamegraph) AS fg FROM profile_data AS d
				WHERE pg_catalog.cardinality(o.pending) > 0 AND d.benchmark_id = o.benchmark_id
					AND d.profile_id = ANY (o.pending)) AS d, LATERAL (
				SELECT coalesce(sum(k.repetitions), 0::bigint) AS repetitions, coalesce(sum(k.total),
						0::float8) AS total,
					coalesce(sum(coalesce(k.flamegraph + d.fg, k.flamegraph)), ''::flamegraph) AS fg
				FROM rollup AS k, LATERAL (
					SELECT sum(d.flamegraph) AS fg FROM profile_data AS d
					WHERE pg_catalog.cardinality(k.pending) > 0 AND d.benchmark_id = k.benchmark_id
						AND d.profile_id = ANY (k.pending)) AS d
				WHERE o.span = 'month' AND k.benchmark_id = o.benchmark_id AND k.event = o.event
					AND k.unit = o.unit AND k.branch = o.branch AND k.test_run_id = ANY (o.run_ids)
					AND k.test_run_id <> o.test_run_id) AS l
			WHERE NOT EXISTS (SELECT 1 FROM rollup AS m, pg_catalog.unnest(m.run_ids) AS u (id)
				WHERE m.span = 'month' AND m.benchmark_id = o.benchmark_id AND m.event = o.event AND m.unit = o.unit
					AND m.branch = o.branch AND u.id = o.test_run_id
					AND m.test_run_id <> o.test_run_id)) AS r, LATERAL (
			SELECT count(*) AS profiles, CASE WHEN "check".deep THEN distance(sum(CASE WHEN "check".deep
					THEN d.flamegraph END), r.fg, 1::float8)
				ELSE abs(sum(p.total) - r.total) END AS off, sum(abs(p.total)) AS size
			FROM profile AS p LEFT JOIN profile_data AS d
				ON d.benchmark_id = p.benchmark_id AND d.profile_id = p.profile_id AND d.recorded_at = p.recorded_at
			WHERE p.benchmark_id = r.benchmark_id AND p.event = r.event AND p.unit = r.unit
				AND p.test_run_id = ANY (r.run_ids)) AS s
		WHERE s.profiles = r.repetitions AND s.off > 1e-9::float8 * s.size OR s.profiles > r.repetitions
		UNION ALL
		SELECT w.problem, w.table_name, w.benchmark_id, w.id, w.detail FROM wrong_samples("check".deep) AS w
		UNION ALL
		SELECT w.problem, w.table_name, w.benchmark_id, w.id, w.detail FROM wrong_blocks("check".deep) AS w
		UNION ALL
		-- Later ones would all be older. Their profiles may be in the default partition for good.
		SELECT 'of the future', 'test_run', NULL::bigint, t.test_run_id, 'started_at '::text || t.started_at::text
		FROM test_run AS t WHERE NOT has_begun(t.started_at)
		UNION ALL
		SELECT 'of the future', 'profile', p.benchmark_id, p.profile_id, 'recorded_at '::text || p.recorded_at::text
		FROM profile AS p WHERE NOT has_begun(p.recorded_at);
	END;

CREATE OR REPLACE FUNCTION grantee(role_name name) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- GRANT takes some words for more than names, "public" for everybody even in what quote_ident() makes of it.
	IF role_name = 'public' THEN
		RAISE EXCEPTION 'access to the store is granted to roles, not to everybody'
			USING ERRCODE = 'invalid_grant_operation',
				HINT = 'Grant it to a role and make others its members: '
					'CREATE ROLE profile_reader NOLOGIN; GRANT profile_reader TO name.';
	END IF;
	IF role_name IS NULL OR NOT EXISTS (SELECT 1 FROM pg_roles AS r WHERE r.rolname = role_name) THEN
		RAISE EXCEPTION 'role "%" does not exist', role_name
			USING ERRCODE = 'undefined_object',
				HINT = 'The argument is the name of a role, as it is in pg_roles; '
					'current_user without quotes is your own.';
	END IF;
	RETURN quote_ident(role_name);
END
$$;

CREATE OR REPLACE FUNCTION granted_functions() RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT 'store_profile'::regproc::oid::regprocedure::text || ', '::text
			|| 'store_incoming'::regproc::oid::regprocedure::text;
	END;

COMMENT ON FUNCTION granted_functions()
	IS 'store_profile() and store_incoming() with their arguments, as GRANT takes them: the functions that are for '
		'those alone who may load';

CREATE OR REPLACE FUNCTION grant_access(role_name name, access text) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_role text;
BEGIN
	IF access IS NULL OR access NOT IN ('reader', 'loader', 'admin') THEN
		RAISE EXCEPTION 'unrecognized access "%"', access
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Available: reader, loader, admin.';
	END IF;
	v_role := profiling.grantee(role_name);
	EXECUTE format('GRANT USAGE ON SCHEMA profiling TO %s', v_role);
	IF access IN ('loader', 'admin') THEN
		EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', profiling.granted_functions(), v_role);
	END IF;
	IF access = 'loader' THEN
		-- Finding what is there takes reading these. What is new is said without its number: that comes from the
		-- sequence.
		EXECUTE format('GRANT SELECT ON profiling.benchmark, profiling.benchmark_alias, profiling.test_run, '
			'profiling.profile, profiling.observation, profiling.frame_rule TO %s', v_role);
		EXECUTE format('GRANT INSERT (suite, name, parameters, parameters_id) ON profiling.benchmark TO %s', v_role);
		EXECUTE format('GRANT INSERT (started_at, branch, commit, version, labels, labels_id) '
			'ON profiling.test_run TO %s', v_role);
		EXECUTE format('GRANT INSERT (benchmark_id, test_run_id, location, x, y, unit, load_id, ordinal) '
			'ON profiling.observation TO %s', v_role);
		-- Citus hands no rights on columns on, and locks the rows of tables that every server has a copy of as an
		-- UPDATE does.
		IF profiling.is_on_citus('test_run'::text) THEN
			EXECUTE format('GRANT INSERT, UPDATE ON profiling.benchmark, profiling.test_run TO %s', v_role);
			EXECUTE format('GRANT INSERT ON profiling.observation TO %s', v_role);
		END IF;
		RETURN;
	END IF;
	EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA profiling TO %s', v_role);
	IF access = 'admin' THEN
		EXECUTE format('GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA profiling TO %s', v_role);
	END IF;
END
$$;

CREATE OR REPLACE FUNCTION revoke_access(role_name name) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_role CONSTANT text := profiling.grantee(role_name);
BEGIN
	EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA profiling FROM %s', v_role);
	EXECUTE format('REVOKE ALL ON FUNCTION %s FROM %s', profiling.granted_functions(), v_role);
	EXECUTE format('REVOKE ALL ON SCHEMA profiling FROM %s', v_role);
END
$$;

CREATE OR REPLACE FUNCTION need_access(what text, access text) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_may CONSTANT bool := CASE access
		WHEN 'reader' THEN has_table_privilege('profiling.rollup'::regclass, 'SELECT')
		-- Those that run with the rights of the owner, by their names: to look for them reads all of pg_proc, for each
		-- profile that is loaded.
		WHEN 'loader' THEN has_any_column_privilege('profiling.test_run'::regclass, 'INSERT')
			AND (SELECT bool_and(has_function_privilege(p.oid, 'EXECUTE')) FROM pg_proc AS p
				WHERE p.proname IN ('store_profile', 'store_incoming')
					AND p.pronamespace = 'profiling'::regnamespace AND p.prosecdef)
		ELSE has_table_privilege('profiling.regression'::regclass, 'INSERT') END;
BEGIN
	IF NOT v_may THEN
		RAISE EXCEPTION '%() needs access "%" to the store', what, access USING
			ERRCODE = 'insufficient_privilege',
			HINT = format('The owner of the store grants it: SELECT profiling.grant_access(%L, %L)', current_user,
				access);
	END IF;
END
$$;

CREATE OR REPLACE FUNCTION selected(benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL, commits text[] DEFAULT NULL, version text DEFAULT NULL, event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, runs int DEFAULT NULL) RETURNS TABLE (benchmark_id bigint, profile_id bigint, recorded_at timestamptz,
		test_run_id bigint,
		suite text, benchmark text, parameters jsonb, metric_direction text, branch text, commit text, version text,
			started_at timestamptz,
		event text, unit text, metric float8, metric_unit text, total float8)
	LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
	BEGIN ATOMIC
		SELECT s.benchmark_id, s.profile_id, s.recorded_at, s.test_run_id, s.suite, s.name, s.parameters,
			s.metric_direction,
			s.branch, s.commit, s.version,
			s.started_at, s.event, s.unit, s.metric, s.metric_unit, s.total
		FROM (SELECT p.benchmark_id, p.profile_id, p.recorded_at, p.test_run_id, b.suite, b.name, b.parameters,
				b.metric_direction,
			t.branch, t.commit, t.version,
				t.started_at, p.event, p.unit, p.metric, p.metric_unit, p.total,
				CASE WHEN selected.runs IS NOT NULL
					THEN dense_rank() OVER (PARTITION BY p.benchmark_id ORDER BY t.started_at DESC,
						t.test_run_id DESC) END AS age
			FROM profile AS p JOIN benchmark AS b ON b.benchmark_id = p.benchmark_id
				JOIN test_run AS t ON t.test_run_id = p.test_run_id
			WHERE b.name LIKE coalesce(selected.benchmark, '%'::text)
				AND b.suite LIKE coalesce(selected.suite, '%'::text)
				AND (selected.branch IS NULL OR t.branch = selected.branch)
				AND (selected.commits IS NULL OR EXISTS (SELECT 1 FROM pg_catalog.unnest(selected.commits) AS c
					WHERE t.commit = c OR length(c) >= 7 AND starts_with(t.commit, c)))
				AND (selected.version IS NULL OR t.version = selected.version)
				AND (selected.event IS NULL OR p.event = selected.event)
				AND (selected.instances IS NULL OR p.instance = ANY (selected.instances))
				AND (selected.labels IS NULL OR p.labels @> selected.labels)
				AND (selected.since IS NULL OR t.started_at >= selected.since)
				AND (selected.until IS NULL OR t.started_at < selected.until)
				-- The newest run is none whose time has not come.
				AND (selected.runs IS NULL OR has_begun(t.started_at))) AS s
		WHERE selected.runs IS NULL OR s.age <= selected.runs;
	END;

CREATE OR REPLACE FUNCTION names_hint(word text, names text[]) RETURNS text
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_near CONSTANT text[] := profiling.nearest_names(names_hint.word, names_hint.names);
BEGIN
	RETURN CASE WHEN cardinality(v_near) > 0 THEN format('Perhaps you meant %s.', profiling.quoted_names(v_near))
		WHEN cardinality(names_hint.names) > 5 THEN format('There are %s, among them %s.',
			cardinality(names_hint.names), profiling.quoted_names(names_hint.names[:5]))
		WHEN cardinality(names_hint.names) > 1 THEN format('There are %s.', profiling.quoted_names(names_hint.names))
		WHEN cardinality(names_hint.names) = 1 THEN format('There is only %s.',
			profiling.quoted_names(names_hint.names))
		ELSE 'The store has none yet.' END;
END
$$;

CREATE OR REPLACE FUNCTION missing_word(benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL, commits text[] DEFAULT NULL, version text DEFAULT NULL, event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, runs int DEFAULT NULL, OUT kind text, OUT word text, OUT names text[])
	LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	kind := 'suite';
	word := missing_word.suite;
	names := ARRAY(SELECT DISTINCT b.suite COLLATE "C" FROM profiling.benchmark AS b ORDER BY 1);
	IF NOT EXISTS (SELECT 1 FROM unnest(names) AS n WHERE n LIKE coalesce(word, '%')) THEN
		RETURN;
	END IF;
	kind := 'benchmark';
	word := missing_word.benchmark;
	names := ARRAY(SELECT DISTINCT b.name COLLATE "C" FROM profiling.benchmark AS b
		WHERE b.suite LIKE coalesce(missing_word.suite, '%') ORDER BY 1);
	IF NOT EXISTS (SELECT 1 FROM unnest(names) AS n WHERE n LIKE coalesce(word, '%')) THEN
		RETURN;
	END IF;
	kind := 'event';
	word := missing_word.event;
	names := ARRAY(SELECT DISTINCT s.event COLLATE "C"
		FROM profiling.selected(benchmark => missing_word.benchmark, suite => missing_word.suite,
			event => NULL::text) AS s ORDER BY 1);
	IF word <> ALL (names) THEN
		RETURN;
	END IF;
	kind := 'branch';
	word := missing_word.branch;
	names := ARRAY(SELECT DISTINCT s.branch COLLATE "C"
		FROM profiling.selected(benchmark => missing_word.benchmark, suite => missing_word.suite,
			event => missing_word.event) AS s ORDER BY 1);
	IF word <> ALL (names) THEN
		RETURN;
	END IF;
	kind := 'version';
	word := missing_word.version;
	names := ARRAY(SELECT DISTINCT s.version COLLATE "C"
		FROM profiling.selected(benchmark => missing_word.benchmark, suite => missing_word.suite,
			branch => missing_word.branch, event => missing_word.event) AS s ORDER BY 1);
	IF word <> ALL (names) THEN
		RETURN;
	END IF;
	kind := 'commit';
	word := array_to_string(missing_word.commits, ', ');
	names := '{}';
	IF NOT EXISTS (SELECT 1 FROM profiling.selected(benchmark => missing_word.benchmark,
			suite => missing_word.suite, branch => missing_word.branch, commits => missing_word.commits,
			version => missing_word.version, event => missing_word.event)) THEN
		RETURN;
	END IF;
	kind := NULL;
END
$$;

CREATE OR REPLACE FUNCTION something_selected(benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL, commits text[] DEFAULT NULL, version text DEFAULT NULL, event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, runs int DEFAULT NULL) RETURNS bool
	LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	m record;
	v_of text := '';
BEGIN
	IF EXISTS (SELECT 1 FROM profiling.selected(benchmark => something_selected.benchmark, suite => something_selected.suite, branch => something_selected.branch, commits => something_selected.commits, version => something_selected.version, event => something_selected.event, instances => something_selected.instances, labels => something_selected.labels, since => something_selected.since, until => something_selected.until, runs => something_selected.runs)) THEN
		RETURN true;
	END IF;
	m := profiling.missing_word(benchmark => something_selected.benchmark, suite => something_selected.suite, branch => something_selected.branch, commits => something_selected.commits, version => something_selected.version, event => something_selected.event, instances => something_selected.instances, labels => something_selected.labels, since => something_selected.since, until => something_selected.until, runs => something_selected.runs);
	IF NOT EXISTS (SELECT 1 FROM profiling.benchmark) THEN
		RAISE NOTICE 'no profile is selected' USING ERRCODE = '02000', DETAIL = 'The store has no benchmark yet.';
		RETURN false;
	END IF;
	IF m.kind IS NULL THEN
		RAISE NOTICE 'no profile is selected' USING ERRCODE = '02000',
			DETAIL = format('Benchmark, event, branch, version and commit are there; none of their profiles is left by '
				'%s.',
				concat_ws(', ', CASE WHEN instances IS NOT NULL THEN 'instances' END,
					CASE WHEN labels <> '{}' THEN 'labels' END, CASE WHEN since IS NOT NULL THEN 'since' END,
					CASE WHEN until IS NOT NULL THEN 'until' END, CASE WHEN runs IS NOT NULL THEN 'runs' END));
		RETURN false;
	END IF;
	v_of := concat_ws(', ', CASE WHEN m.kind <> 'suite' THEN 'suite "' || nullif(suite, '%') || '"' END,
		CASE WHEN m.kind NOT IN ('suite', 'benchmark') THEN 'benchmark "' || nullif(benchmark, '%') || '"' END,
		CASE WHEN m.kind NOT IN ('suite', 'benchmark', 'event') THEN 'event "' || event || '"' END,
		CASE WHEN m.kind IN ('version', 'commit') THEN 'branch "' || branch || '"' END,
		CASE WHEN m.kind = 'commit' THEN 'version "' || version || '"' END);
	RAISE NOTICE 'no profile is selected' USING ERRCODE = '02000',
		DETAIL = format('There is no %s "%s"%s.', m.kind, m.word, coalesce(' for ' || nullif(v_of, ''), '')),
		HINT = CASE WHEN m.kind = 'commit' THEN 'Commits are given whole, or by their first 7 characters or more.'
			ELSE profiling.names_hint(m.word, m.names) END;
	RETURN false;
END
$$;

CREATE OR REPLACE FUNCTION selected_profiles(benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL, commits text[] DEFAULT NULL, version text DEFAULT NULL, event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, runs int DEFAULT NULL) RETURNS SETOF profile_full
	LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
	BEGIN ATOMIC
		-- the columns of profile_full; what the selection has joined need not be joined again
		SELECT s.benchmark_id, s.profile_id, s.test_run_id, s.suite, s.benchmark, s.parameters, s.branch, s.commit,
			s.version, s.started_at, s.event, s.unit, p.period, d.recorded_at, p.duration, p.instance, p.repetition,
			p.labels, p.metric, p.metric_unit, p.source, p.total, p.nodes, p.frames, p.truncated_share, p.reshaped,
			p.content_id, d.flamegraph, d.truncated, d.samples, d.noise
		FROM profiling.selected(benchmark => selected_profiles.benchmark, suite => selected_profiles.suite, branch => selected_profiles.branch, commits => selected_profiles.commits, version => selected_profiles.version, event => selected_profiles.event, instances => selected_profiles.instances, labels => selected_profiles.labels, since => selected_profiles.since, until => selected_profiles.until, runs => selected_profiles.runs) AS s
			JOIN profile AS p ON p.benchmark_id = s.benchmark_id AND p.profile_id = s.profile_id
			JOIN profile_data AS d ON d.benchmark_id = p.benchmark_id AND d.profile_id = p.profile_id
				AND d.recorded_at = p.recorded_at;
	END;

CREATE OR REPLACE FUNCTION profiles(benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL, commits text[] DEFAULT NULL, version text DEFAULT NULL, event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, runs int DEFAULT NULL) RETURNS SETOF profile_full
	LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
	BEGIN ATOMIC
		SELECT p.* FROM profiling.selected_profiles(benchmark => profiles.benchmark, suite => profiles.suite, branch => profiles.branch, commits => profiles.commits, version => profiles.version, event => profiles.event, instances => profiles.instances, labels => profiles.labels, since => profiles.since, until => profiles.until, runs => profiles.runs) AS p
		WHERE (SELECT something_selected(benchmark => profiles.benchmark, suite => profiles.suite, branch => profiles.branch, commits => profiles.commits, version => profiles.version, event => profiles.event, instances => profiles.instances, labels => profiles.labels, since => profiles.since, until => profiles.until, runs => profiles.runs));
	END;

CREATE OR REPLACE FUNCTION selection_value(selection jsonb, name text, type text) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_value CONSTANT jsonb := nullif(selection -> selection_value.name, 'null');
	v_kind CONSTANT text := jsonb_typeof(v_value);
	v_is_right CONSTANT bool := CASE selection_value.type
		WHEN 'text[]' THEN v_kind = 'array' AND NOT EXISTS (SELECT 1 FROM jsonb_array_elements(v_value) AS e
			WHERE jsonb_typeof(e) <> 'string')
		WHEN 'jsonb' THEN v_kind = 'object'
		WHEN 'int' THEN v_kind = 'number' AND v_value::numeric = trunc(v_value::numeric)
			AND abs(v_value::numeric) < 2147483648
		ELSE v_kind = 'string' END;
BEGIN
	IF v_value IS NULL OR v_is_right THEN
		RETURN v_value;
	END IF;
	RAISE EXCEPTION '"%" of a selection must be %', selection_value.name, CASE selection_value.type
		WHEN 'text[]' THEN 'an array of strings'
			WHEN 'jsonb' THEN 'an object' WHEN 'int' THEN 'a whole number'
				WHEN 'timestamptz' THEN 'a string that holds a time' ELSE 'a string' END
		USING ERRCODE = 'invalid_parameter_value', DETAIL = format('It is %s.', left(v_value::text, 200));
END
$$;

CREATE OR REPLACE FUNCTION selection_time(selection jsonb, name text) RETURNS timestamptz
	LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	SET standard_conforming_strings = on AS $$
DECLARE
	v_text CONSTANT text := profiling.selection_value(selection_time.selection, selection_time.name,
		'timestamptz'::text) #>> '{}';
BEGIN
	-- What is no time at all is told here. To catch the errors of the conversion, too, would take a subtransaction, and
	-- there are none in a parallel query.
	IF v_text !~* '[0-9]|^\s*(now|today|tomorrow|yesterday|epoch|[-+]?infinity)\s*$' THEN
		RAISE EXCEPTION '"%" of a selection must be a string that holds a time', selection_time.name
			USING ERRCODE = 'invalid_parameter_value', DETAIL = format('It is "%s".', left(v_text, 200));
	END IF;
	RETURN v_text::timestamptz;
END
$$;

DO $do$
BEGIN
	EXECUTE (SELECT pg_catalog.concat('CREATE OR REPLACE FUNCTION profiles_of(selection jsonb) RETURNS SETOF profile_full '
		'LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000'
		' BEGIN ATOMIC SELECT p.* FROM (SELECT profiling.checked_selection(profiles_of.selection) AS o OFFSET 0) AS s, '
		'LATERAL profiling.profiles(',
		pg_catalog.string_agg(pg_catalog.format(a.name OPERATOR(pg_catalog.||) ' => ' OPERATOR(pg_catalog.||) CASE
			WHEN a.type OPERATOR(pg_catalog.=) 'text' AND a.default_value OPERATOR(pg_catalog.<>) 'NULL' THEN
				'CASE WHEN s.o ? %1$L::text THEN profiling.selection_value(s.o, %1$L::text, %2$L::text) #>> '
					'''{}''::text[] ELSE %3$s::text END'
			WHEN a.type OPERATOR(pg_catalog.=) 'text' THEN
				'profiling.selection_value(s.o, %1$L::text, %2$L::text) #>> ''{}''::text[]'
			WHEN a.type OPERATOR(pg_catalog.=) 'text[]' THEN
				'CASE WHEN profiling.selection_value(s.o, %1$L::text, %2$L::text) IS NOT NULL THEN '
					'ARRAY(SELECT jsonb_array_elements_text(s.o -> %1$L::text)) END'
			WHEN a.type OPERATOR(pg_catalog.=) 'jsonb' THEN
				'coalesce(profiling.selection_value(s.o, %1$L::text, %2$L::text), ''{}''::jsonb)'
			WHEN a.type OPERATOR(pg_catalog.=) 'timestamptz' THEN 'profiling.selection_time(s.o, %1$L::text)'
			ELSE 'profiling.selection_value(s.o, %1$L::text, %2$L::text)::%2$s' END, a.name, a.type, a.default_value),
				', ' ORDER BY a.ordinal),
		') AS p; END') FROM profiling.selection_arguments() AS a);
END
$do$;

CREATE OR REPLACE FUNCTION merged(benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL, commits text[] DEFAULT NULL, version text DEFAULT NULL, event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, runs int DEFAULT NULL, mix bool DEFAULT false) RETURNS flamegraph
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000
	BEGIN ATOMIC
		SELECT sum(p.flamegraph) FROM profiles(benchmark => merged.benchmark, suite => merged.suite, branch => merged.branch, commits => merged.commits, version => merged.version, event => merged.event, instances => merged.instances, labels => merged.labels, since => merged.since, until => merged.until, runs => merged.runs) AS p
		WHERE may_be_summed(benchmark => merged.benchmark, suite => merged.suite, branch => merged.branch, commits => merged.commits, version => merged.version, event => merged.event, instances => merged.instances, labels => merged.labels, since => merged.since, until => merged.until, runs => merged.runs, mix => merged.mix);
	END;

CREATE OR REPLACE FUNCTION average(benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL, commits text[] DEFAULT NULL, version text DEFAULT NULL, event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, runs int DEFAULT NULL, mix bool DEFAULT false) RETURNS flamegraph
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000
	BEGIN ATOMIC
		SELECT sum(p.flamegraph) / nullif(count(*), 0)::float8 FROM profiles(benchmark => average.benchmark, suite => average.suite, branch => average.branch, commits => average.commits, version => average.version, event => average.event, instances => average.instances, labels => average.labels, since => average.since, until => average.until, runs => average.runs) AS p
		WHERE may_be_summed(benchmark => average.benchmark, suite => average.suite, branch => average.branch, commits => average.commits, version => average.version, event => average.event, instances => average.instances, labels => average.labels, since => average.since, until => average.until, runs => average.runs, mix => average.mix);
	END;

CREATE OR REPLACE FUNCTION merged_samples(benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL, commits text[] DEFAULT NULL, version text DEFAULT NULL, event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, runs int DEFAULT NULL, mix bool DEFAULT false) RETURNS flamegraph
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000
	BEGIN ATOMIC
		SELECT CASE WHEN bool_and(s.samples IS NOT NULL) THEN sum(s.samples) END
		FROM (SELECT samples_of(p.flamegraph,
				coalesce(p.period, CASE WHEN p.unit = 'samples' THEN 1::float8 END), p.samples) AS samples
			FROM profiles(benchmark => merged_samples.benchmark, suite => merged_samples.suite, branch => merged_samples.branch, commits => merged_samples.commits, version => merged_samples.version, event => merged_samples.event, instances => merged_samples.instances, labels => merged_samples.labels, since => merged_samples.since, until => merged_samples.until, runs => merged_samples.runs) AS p
			WHERE may_be_summed(benchmark => merged_samples.benchmark, suite => merged_samples.suite, branch => merged_samples.branch, commits => merged_samples.commits, version => merged_samples.version, event => merged_samples.event, instances => merged_samples.instances, labels => merged_samples.labels, since => merged_samples.since, until => merged_samples.until, runs => merged_samples.runs, mix => merged_samples.mix)) AS s;
	END;

COMMENT ON FUNCTION merged_samples(text, text, text, text[], text, text, text[], jsonb, timestamptz, timestamptz, int, bool)
	IS 'how many samples are behind each stack of merged(); null when nobody knows it of one of the profiles';

CREATE OR REPLACE FUNCTION merged_noise(benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL, commits text[] DEFAULT NULL, version text DEFAULT NULL, event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, runs int DEFAULT NULL, mix bool DEFAULT false) RETURNS flamegraph
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000
	BEGIN ATOMIC
		SELECT CASE WHEN bool_and(s.noise IS NOT NULL) THEN sum(s.noise) END
		FROM (SELECT noise_of(p.flamegraph,
				coalesce(p.period, CASE WHEN p.unit = 'samples' THEN 1::float8 END), p.noise) AS noise
			FROM profiles(benchmark => merged_noise.benchmark, suite => merged_noise.suite, branch => merged_noise.branch, commits => merged_noise.commits, version => merged_noise.version, event => merged_noise.event, instances => merged_noise.instances, labels => merged_noise.labels, since => merged_noise.since, until => merged_noise.until, runs => merged_noise.runs) AS p
			WHERE may_be_summed(benchmark => merged_noise.benchmark, suite => merged_noise.suite, branch => merged_noise.branch, commits => merged_noise.commits, version => merged_noise.version, event => merged_noise.event, instances => merged_noise.instances, labels => merged_noise.labels, since => merged_noise.since, until => merged_noise.until, runs => merged_noise.runs, mix => merged_noise.mix)) AS s;
	END;

COMMENT ON FUNCTION merged_noise(text, text, text, text[], text, text, text[], jsonb, timestamptz, timestamptz, int, bool)
	IS 'the variance that each stack of merged() has because it was sampled: the sum of the squared weights of the '
		'samples; null when nobody knows it of one of the profiles';

CREATE OR REPLACE FUNCTION average_samples(benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL, commits text[] DEFAULT NULL, version text DEFAULT NULL, event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, runs int DEFAULT NULL, mix bool DEFAULT false) RETURNS flamegraph
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000
	BEGIN ATOMIC
		SELECT CASE WHEN bool_and(s.samples IS NOT NULL) THEN sum(s.samples) / nullif(count(*), 0)::float8 END
		FROM (SELECT samples_of(p.flamegraph,
				coalesce(p.period, CASE WHEN p.unit = 'samples' THEN 1::float8 END), p.samples) AS samples
			FROM profiles(benchmark => average_samples.benchmark, suite => average_samples.suite, branch => average_samples.branch, commits => average_samples.commits, version => average_samples.version, event => average_samples.event, instances => average_samples.instances, labels => average_samples.labels, since => average_samples.since, until => average_samples.until, runs => average_samples.runs) AS p
			WHERE may_be_summed(benchmark => average_samples.benchmark, suite => average_samples.suite, branch => average_samples.branch, commits => average_samples.commits, version => average_samples.version, event => average_samples.event, instances => average_samples.instances, labels => average_samples.labels, since => average_samples.since, until => average_samples.until, runs => average_samples.runs, mix => average_samples.mix)) AS s;
	END;

COMMENT ON FUNCTION average_samples(text, text, text, text[], text, text, text[], jsonb, timestamptz, timestamptz, int, bool)
	IS 'how many samples a profile has on average behind each stack of average(); null when nobody knows it of one '
		'of them';

CREATE OR REPLACE FUNCTION average_noise(benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL, commits text[] DEFAULT NULL, version text DEFAULT NULL, event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, runs int DEFAULT NULL, mix bool DEFAULT false) RETURNS flamegraph
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000
	BEGIN ATOMIC
		SELECT CASE WHEN bool_and(s.noise IS NOT NULL)
			THEN sum(s.noise) / nullif(count(*), 0)::float8 / nullif(count(*), 0)::float8 END
		FROM (SELECT noise_of(p.flamegraph,
				coalesce(p.period, CASE WHEN p.unit = 'samples' THEN 1::float8 END), p.noise) AS noise
			FROM profiles(benchmark => average_noise.benchmark, suite => average_noise.suite, branch => average_noise.branch, commits => average_noise.commits, version => average_noise.version, event => average_noise.event, instances => average_noise.instances, labels => average_noise.labels, since => average_noise.since, until => average_noise.until, runs => average_noise.runs) AS p
			WHERE may_be_summed(benchmark => average_noise.benchmark, suite => average_noise.suite, branch => average_noise.branch, commits => average_noise.commits, version => average_noise.version, event => average_noise.event, instances => average_noise.instances, labels => average_noise.labels, since => average_noise.since, until => average_noise.until, runs => average_noise.runs, mix => average_noise.mix)) AS s;
	END;

COMMENT ON FUNCTION average_noise(text, text, text, text[], text, text, text[], jsonb, timestamptz, timestamptz, int, bool)
	IS 'the variance that each stack of average() has because it was sampled, as noise of functions that compare '
		'means: the sum of the squared weights of the samples by the square of the number of profiles; null when '
		'nobody knows it of one of them';

CREATE OR REPLACE FUNCTION complete(benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL, commits text[] DEFAULT NULL, version text DEFAULT NULL, event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, runs int DEFAULT NULL) RETURNS flamegraph
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000
	BEGIN ATOMIC
		SELECT CASE WHEN s.truncated IS NULL THEN s.whole ELSE (SELECT m.merged
			FROM merge_partial(s.whole, s.truncated, 1) AS m) END
		FROM (SELECT sum(p.flamegraph) AS whole, sum(p.truncated) AS truncated FROM profiles(benchmark => complete.benchmark, suite => complete.suite, branch => complete.branch, commits => complete.commits, version => complete.version, event => complete.event, instances => complete.instances, labels => complete.labels, since => complete.since, until => complete.until, runs => complete.runs) AS p
			WHERE may_be_summed(benchmark => complete.benchmark, suite => complete.suite, branch => complete.branch, commits => complete.commits, version => complete.version, event => complete.event, instances => complete.instances, labels => complete.labels, since => complete.since, until => complete.until, runs => complete.runs, mix => false)) AS s;
	END;

CREATE OR REPLACE FUNCTION sums_per_benchmark(benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL, commits text[] DEFAULT NULL, version text DEFAULT NULL, event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, runs int DEFAULT NULL, OUT sums flamegraph[], OUT whole flamegraph)
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000
	BEGIN ATOMIC
		SELECT pg_catalog.array_agg(s.fg), sum(s.fg)
		FROM (SELECT sum(p.flamegraph) AS fg FROM selected_profiles(benchmark => sums_per_benchmark.benchmark, suite => sums_per_benchmark.suite, branch => sums_per_benchmark.branch, commits => sums_per_benchmark.commits, version => sums_per_benchmark.version, event => sums_per_benchmark.event, instances => sums_per_benchmark.instances, labels => sums_per_benchmark.labels, since => sums_per_benchmark.since, until => sums_per_benchmark.until, runs => sums_per_benchmark.runs) AS p
			GROUP BY p.benchmark_id) AS s;
	END;

CREATE OR REPLACE FUNCTION hottest_by_share(benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL, commits text[] DEFAULT NULL, version text DEFAULT NULL, event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, runs int DEFAULT NULL, measure text DEFAULT 'total_share', max_rows int DEFAULT 20)
	RETURNS TABLE (frame text, value float8, share float8, benchmarks int)
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 20
	BEGIN ATOMIC
		WITH part AS MATERIALIZED (
			-- what has several events or units has a share in each, which are one together
			SELECT s.benchmark_id, s.fg, (count(*) OVER (PARTITION BY s.benchmark_id))::float8 AS parts
			FROM (SELECT p.benchmark_id, sum(p.flamegraph) AS fg
				FROM selected_profiles(benchmark => hottest_by_share.benchmark, suite => hottest_by_share.suite, branch => hottest_by_share.branch, commits => hottest_by_share.commits, version => hottest_by_share.version, event => hottest_by_share.event, instances => hottest_by_share.instances, labels => hottest_by_share.labels, since => hottest_by_share.since, until => hottest_by_share.until, runs => hottest_by_share.runs) AS p
				GROUP BY p.benchmark_id, p.event, p.unit) AS s
			WHERE total(s.fg) <> 0::float8
		), f AS (
			SELECT t.frame, sum(CASE WHEN hottest_by_share.measure = 'self_share' THEN t.self_share
				ELSE t.total_share END / p.parts) AS share, pg_catalog.count(DISTINCT p.benchmark_id)::int AS benchmarks
			FROM part AS p, top(p.fg, NULL::int) AS t GROUP BY t.frame
		), mean AS (
			SELECT f.frame, f.benchmarks,
				f.share / (SELECT pg_catalog.count(DISTINCT p.benchmark_id)::float8 FROM part AS p) AS share
			FROM f
		)
		SELECT m.frame, m.share, m.share, m.benchmarks FROM mean AS m
		ORDER BY m.share DESC, m.frame COLLATE "C"
		LIMIT hottest_by_share.max_rows;
	END;

CREATE OR REPLACE FUNCTION in_runs(min_runs int DEFAULT 2, benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL, commits text[] DEFAULT NULL, version text DEFAULT NULL, event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, runs int DEFAULT NULL)
	RETURNS TABLE (frame text, runs int, of_runs int, share float8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 500
	BEGIN ATOMIC
		WITH part AS MATERIALIZED (
			SELECT s.test_run_id, s.fg, (count(*) FILTER (WHERE total(s.fg) <> 0::float8)
				OVER (PARTITION BY s.test_run_id))::float8 AS parts
			FROM (SELECT p.test_run_id, sum(p.flamegraph) AS fg FROM profiles(benchmark => in_runs.benchmark, suite => in_runs.suite, branch => in_runs.branch, commits => in_runs.commits, version => in_runs.version, event => in_runs.event, instances => in_runs.instances, labels => in_runs.labels, since => in_runs.since, until => in_runs.until, runs => in_runs.runs) AS p
				GROUP BY p.test_run_id, p.event, p.unit) AS s
		), f AS (
			SELECT t.frame, pg_catalog.count(DISTINCT p.test_run_id)::int AS runs,
				sum(t.total_share / p.parts) AS share
			FROM part AS p, top(p.fg, NULL::int) AS t GROUP BY t.frame
		)
		SELECT f.frame, f.runs, n.of_runs, f.share / n.of_runs::float8
		FROM f, (SELECT pg_catalog.count(DISTINCT p.test_run_id)::int AS of_runs FROM part AS p) AS n
		WHERE f.runs >= coalesce(in_runs.min_runs, 1)
		ORDER BY f.runs DESC, f.share DESC, f.frame COLLATE "C";
	END;

CREATE OR REPLACE FUNCTION compare(before jsonb, after jsonb, level text DEFAULT 'node', method text DEFAULT 'welch',
		correction text DEFAULT 'bh',
		alpha float8 DEFAULT 0.05, size_factor text DEFAULT 'none', min_mean float8 DEFAULT 5, min_df int DEFAULT 1,
		permutations int DEFAULT 999, seed bigint DEFAULT 42, variance text DEFAULT NULL)
	RETURNS TABLE (key stackpath, mean_before float8, mean_after float8, delta float8, relative float8, t float8,
		df float8,
		p_value float8, q_value float8, lower float8, upper float8, change text, significant bool,
		stddev float8)
	LANGUAGE sql STABLE COST 1000000 ROWS 5000
	BEGIN ATOMIC
		SELECT c.*
		FROM (SELECT b.profiles AS before, a.profiles AS after, b.known AND a.known AS known,
				CASE WHEN b.known AND a.known THEN b.noise END AS before_noise,
				CASE WHEN b.known AND a.known THEN a.noise END AS after_noise
			FROM (SELECT pg_catalog.array_agg(p.flamegraph ORDER BY p.recorded_at, p.profile_id) AS profiles,
					pg_catalog.array_agg(n.noise ORDER BY p.recorded_at, p.profile_id) AS noise,
					pg_catalog.bool_and(n.noise IS NOT NULL) AS known,
					pg_catalog.array_agg(DISTINCT p.event || ' in ' || p.unit) AS kinds
					FROM profiles_of(compare.before) AS p,
						LATERAL (SELECT noise_of(p.flamegraph, p.period, p.noise) AS noise OFFSET 0) AS n) AS b,
				(SELECT pg_catalog.array_agg(p.flamegraph ORDER BY p.recorded_at, p.profile_id) AS profiles,
					pg_catalog.array_agg(n.noise ORDER BY p.recorded_at, p.profile_id) AS noise,
					pg_catalog.bool_and(n.noise IS NOT NULL) AS known,
					pg_catalog.array_agg(DISTINCT p.event || ' in ' || p.unit) AS kinds
					FROM profiles_of(compare.after) AS p,
						LATERAL (SELECT noise_of(p.flamegraph, p.period, p.noise) AS noise OFFSET 0) AS n) AS a
			WHERE one_event(b.kinds OPERATOR(pg_catalog.||) a.kinds) OFFSET 0) AS s,
			LATERAL compare_profiles(s.before, s.after, compare.level, compare.method, compare.correction,
				compare.alpha,
				compare.size_factor, compare.min_mean, compare.min_df, compare.permutations, compare.seed,
				COALESCE(compare.variance, CASE WHEN s.known THEN 'moderated' ELSE 'own' END), 0,
				s.before_noise, s.after_noise) AS c;
	END;

COMMENT ON FUNCTION compare(jsonb, jsonb, text, text, text, float8, text, float8, int, int, bigint, text)
	IS 'which stacks, calling contexts or functions differ between two selections, written as objects: '
		'compare_profiles() of them; each profile is an observation. Where the noise of all profiles is known (or the '
		'period of their samples), it is the floor of variances, and these are moderated unless variance says own';

CREATE OR REPLACE FUNCTION occurs(what text) RETURNS bool
	LANGUAGE sql STABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT EXISTS (SELECT 1 FROM profile_data AS d WHERE d.flamegraph ~ frame_pattern(occurs.what));
	END;

CREATE OR REPLACE FUNCTION search_works(what text, per text, sort text) RETURNS bool
	LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	SET enable_seqscan = off SET standard_conforming_strings = on AS $$
DECLARE
	v_text CONSTANT text := trim(what, '*%');
BEGIN
	PERFORM profiling.one_of('group'::text, per, VARIADIC '{profile,run,benchmark}'::text[]);
	PERFORM profiling.one_of('sort'::text, sort, VARIADIC '{share,time}'::text[]);
	IF what LIKE '%;%' OR profiling.occurs(what) THEN
		RETURN true;
	END IF;
	RAISE NOTICE 'no profile has % "%"', CASE WHEN what LIKE '%_*' THEN 'a frame that begins with' ELSE 'the frame' END,
			CASE WHEN what LIKE '%_*' THEN left(what, -1) ELSE what END
		USING ERRCODE = '02000', DETAIL = CASE WHEN regexp_replace(what, '(.)\*$', '\1') ~ '[*%]'
			THEN 'Only "*" at the end stands for any text; elsewhere "*" and "%" are characters of the name.'
			ELSE 'Names are looked for as they are written.' END,
		HINT = CASE WHEN v_text = '' THEN 'Write the beginning of a name and "*" behind it.'
			ELSE format('For all names that have "%s" in them write %L.', v_text, '*;~' || profiling.quoted_frame(
				regexp_replace(v_text, '([][\\^$.|?*+(){}])', '\\\1', 'g')) || ';*') END;
	RETURN true;
END
$$;

CREATE OR REPLACE FUNCTION frame_search(what text, min_share float8 DEFAULT 0, per text DEFAULT 'profile', benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL, commits text[] DEFAULT NULL, version text DEFAULT NULL, event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL, runs int DEFAULT NULL,
		sort text DEFAULT 'share')
	RETURNS TABLE (suite text, benchmark text, test_run_id bigint, commit text, profile_id bigint, event text,
		samples float8, total float8, share float8, started_at timestamptz)
	LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
	BEGIN ATOMIC
		WITH found AS (
			SELECT s.benchmark_id, s.suite, s.benchmark, s.event, s.unit, s.total, s.started_at,
				CASE WHEN frame_search.per <> 'benchmark' THEN s.test_run_id END AS run,
				CASE WHEN frame_search.per <> 'benchmark' THEN s.commit END AS commit,
				CASE WHEN frame_search.per = 'profile' THEN s.profile_id END AS profile,
				total(filter_stacks(d.flamegraph, frame_pattern(frame_search.what))) AS samples
			FROM profile_data AS d JOIN selected(benchmark => frame_search.benchmark, suite => frame_search.suite, branch => frame_search.branch, commits => frame_search.commits, version => frame_search.version, event => frame_search.event, instances => frame_search.instances, labels => frame_search.labels, since => frame_search.since, until => frame_search.until, runs => frame_search.runs) AS s
				ON s.benchmark_id = d.benchmark_id AND s.profile_id = d.profile_id AND s.recorded_at = d.recorded_at
			WHERE d.flamegraph ~ frame_pattern(frame_search.what)
		), grouped AS (
			SELECT f.benchmark_id, f.suite, f.benchmark, f.event, f.unit, f.run, f.commit, f.profile,
				sum(f.samples) AS samples, sum(f.total) AS found_total, max(f.started_at) AS started_at
			FROM found AS f GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
		), whole AS (
			-- of a run or a benchmark, profiles without the frame count, too; they need not be read
			SELECT s.benchmark_id, s.event, s.unit, CASE WHEN frame_search.per = 'run' THEN s.test_run_id END AS run,
				sum(s.total) AS total
			FROM selected(benchmark => frame_search.benchmark, suite => frame_search.suite, branch => frame_search.branch, commits => frame_search.commits, version => frame_search.version, event => frame_search.event, instances => frame_search.instances, labels => frame_search.labels, since => frame_search.since, until => frame_search.until, runs => frame_search.runs) AS s
			WHERE frame_search.per <> 'profile'
			GROUP BY 1, 2, 3, 4
		), compared AS (
			SELECT g.*, CASE WHEN frame_search.per = 'profile' THEN g.found_total ELSE w.total END AS total
			FROM grouped AS g LEFT JOIN whole AS w ON w.benchmark_id = g.benchmark_id AND w.event = g.event
				AND w.unit = g.unit
				AND w.run IS NOT DISTINCT FROM g.run
		)
		SELECT c.suite, c.benchmark, c.run, c.commit, c.profile, c.event, c.samples, c.total, ratio(c.samples, c.total),
			c.started_at
		FROM compared AS c
		WHERE (SELECT search_works(frame_search.what, frame_search.per, frame_search.sort)
				AND something_selected(benchmark => frame_search.benchmark, suite => frame_search.suite, branch => frame_search.branch, commits => frame_search.commits, version => frame_search.version, event => frame_search.event, instances => frame_search.instances, labels => frame_search.labels, since => frame_search.since, until => frame_search.until, runs => frame_search.runs))
			AND (coalesce(frame_search.min_share, 0::float8) <= 0::float8
				OR ratio(c.samples, c.total) >= frame_search.min_share)
		ORDER BY CASE WHEN frame_search.sort = 'time' THEN c.started_at END, ratio(c.samples, c.total) DESC NULLS LAST,
			c.suite COLLATE "C", c.benchmark COLLATE "C", c.run, c.profile;
	END;

CREATE OR REPLACE FUNCTION value_of_sample(benchmark_id bigint, event text, unit text, test_run_id bigint,
		fg flamegraph, noise flamegraph DEFAULT NULL) RETURNS float8
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce((SELECT max(p.period) FROM profile AS p WHERE p.benchmark_id = value_of_sample.benchmark_id
				AND p.test_run_id = value_of_sample.test_run_id AND p.event = value_of_sample.event
					AND p.unit = value_of_sample.unit),
			CASE WHEN value_of_sample.unit = 'samples' THEN 1::float8 END,
			CASE WHEN value_of_sample.noise IS NOT NULL
				-- a clock that is set back makes a negative weight, and may make a negative total
				THEN ratio(total(value_of_sample.noise), @-@ value_of_sample.fg) END,
			(SELECT min(abs(s.value)) FROM stacks(value_of_sample.fg) AS s), 0::float8);
	END;

COMMENT ON FUNCTION value_of_sample(bigint, text, text, bigint, flamegraph, flamegraph)
	IS 'what one sample of a run stands for, in unit: the period, 1 for samples, the mean weight that its noise says, '
		'else the smallest value that a stack has; values vary at least as counts of such samples do';

CREATE OR REPLACE FUNCTION trend_has(benchmark_id bigint, frame text, event text, branch text) RETURNS bool
	LANGUAGE sql STABLE COST 100000
	BEGIN ATOMIC
		SELECT EXISTS (SELECT 1 FROM rollups_of(trend_has.benchmark_id, NULL::bigint[]) AS r
			WHERE r.event = trend_has.event AND r.branch = trend_has.branch
				AND r.span = 'run' AND has_frame(summed(r.flamegraph, r.benchmark_id, r.pending), trend_has.frame));
	END;

CREATE OR REPLACE FUNCTION trend_misses(benchmark_id bigint, frame text, event text, branch text) RETURNS bigint
	LANGUAGE sql STABLE COST 10000
	BEGIN ATOMIC
		SELECT count(*)
		FROM (SELECT summed(r.flamegraph, r.benchmark_id, r.pending) AS fg
			FROM rollups_of(trend_misses.benchmark_id, NULL::bigint[]) AS r
			WHERE r.event = trend_misses.event
				AND r.branch = trend_misses.branch AND r.span = 'run'
			ORDER BY r.started_at DESC, r.test_run_id DESC LIMIT 1) AS newest, callers(newest.fg, trend_misses.frame);
	END;

CREATE OR REPLACE FUNCTION frame_trend(benchmark_id bigint, frame text, measure text DEFAULT 'total', window_size int DEFAULT 10,
		k float8 DEFAULT 2,
		event text DEFAULT 'cpu', branch text DEFAULT NULL)
	RETURNS TABLE (test_run_id bigint, started_at timestamptz, commit text, value float8, mean float8, stddev float8,
		lower float8,
		upper float8, score float8, outside bool)
	LANGUAGE plpgsql STABLE COST 100000 ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_measure CONSTANT text := profiling.checked_measure(frame_trend.measure, '{}'::text[]);
	v_is_share CONSTANT bool := v_measure LIKE '%share';
	v_no_noise CONSTANT profiling.rollup.flamegraph%TYPE := NULL;
	v_branch text;
BEGIN
	IF frame_trend.window_size IS NULL OR frame_trend.window_size < 2 THEN
		RAISE EXCEPTION 'window_size must be at least 2' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	v_branch := profiling.trend_branch(frame_trend.benchmark_id, frame_trend.event, frame_trend.branch);
	IF NOT profiling.trend_has(frame_trend.benchmark_id, frame_trend.frame, frame_trend.event, v_branch) THEN
		PERFORM profiling.trend_misses(frame_trend.benchmark_id, frame_trend.frame, frame_trend.event, v_branch);
	END IF;
	RETURN QUERY
	WITH run AS MATERIALIZED (
		-- of a run's sum: divided by the number of profiles, a share by nothing
		SELECT r.test_run_id, r.started_at, t.commit,
			profiling.frame_value(r.fg, frame_trend.frame, v_measure)
				/ CASE WHEN v_is_share THEN 1 ELSE r.repetitions END AS value,
			profiling.ratio(profiling.value_of_sample(r.benchmark_id, r.event, r.unit, r.test_run_id, r.fg, v_no_noise),
				CASE WHEN v_is_share THEN r.total ELSE r.repetitions END) AS of_sample
		FROM (SELECT o.*, profiling.summed(o.flamegraph, o.benchmark_id, o.pending) AS fg
			FROM profiling.rollups_of(frame_trend.benchmark_id, NULL::bigint[]) AS o OFFSET 0) AS r
			JOIN profiling.test_run AS t ON t.test_run_id = r.test_run_id
		WHERE r.event = frame_trend.event AND r.branch = v_branch
			AND r.span = 'run'
	), moving AS (
		SELECT r.*, avg(r.value) OVER w AS mean, stddev_samp(r.value) OVER w AS spread
		FROM run AS r
		WINDOW w AS (ORDER BY r.started_at, r.test_run_id ROWS BETWEEN frame_trend.window_size PRECEDING
			AND 1 PRECEDING)
	), scored AS (
		-- the deviation that deviation_scores() divides by: at least that of a count of samples
		SELECT m.*, CASE WHEN m.spread IS NOT NULL
			THEN greatest(m.spread, sqrt(m.of_sample * greatest(m.mean, m.of_sample))) END AS floored
		FROM moving AS m
	)
	SELECT s.test_run_id, s.started_at, s.commit, s.value, s.mean, s.floored, s.mean - frame_trend.k * s.floored,
		s.mean + frame_trend.k * s.floored, (s.value - s.mean) / nullif(s.floored, 0),
		abs(s.value - s.mean) > frame_trend.k * s.floored
	FROM scored AS s
	ORDER BY s.started_at, s.test_run_id;
END
$$;

CREATE OR REPLACE FUNCTION window_streams(
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL)
	RETURNS TABLE (service_id bigint, stream_id bigint, name text, kind text, unit text, period float8)
	LANGUAGE sql STABLE PARALLEL SAFE ROWS 20
	BEGIN ATOMIC
		SELECT t.service_id, t.stream_id, s.name, t.event, t.unit,
			-- a sample is one of them
			CASE WHEN t.period = 0::float8 AND t.unit = 'samples' THEN 1::float8 ELSE t.period END
		FROM service AS s JOIN stream AS t ON t.service_id = s.service_id
		WHERE s.name LIKE coalesce(window_streams.service, '%'::text)
			AND (window_streams.event IS NULL OR t.event = window_streams.event)
			AND (window_streams.labels IS NULL OR t.labels @> window_streams.labels)
			AND (window_streams.version IS NULL OR t.labels ->> 'version'::text = window_streams.version)
			AND (window_streams.commits IS NULL OR EXISTS (SELECT 1 FROM pg_catalog.unnest(window_streams.commits) AS c
				WHERE t.labels ->> 'commit'::text = c
					OR length(c) >= 7 AND starts_with(t.labels ->> 'commit'::text, c)));
	END;

COMMENT ON FUNCTION window_streams(text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'the streams that a window selects; since, until and instances say nothing about them';

CREATE OR REPLACE FUNCTION window_blocks(
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL)
	RETURNS TABLE (service_id bigint, stream_id bigint, name text, kind text, unit text, period float8,
		resolution text, first timestamptz, ended timestamptz, is_whole bool, series flameseries, noise flameseries,
		counts flameseries, profiles bigint, total float8)
	LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
	BEGIN ATOMIC
		SELECT s.service_id, s.stream_id, s.name, s.kind, s.unit, s.period, b.resolution, b.since, b.until,
			window_blocks.instances IS NULL AND b.since >= coalesce(window_blocks.since, '-infinity'::timestamptz)
				AND b.until <= coalesce(window_blocks.until, 'infinity'::timestamptz),
			b.series, b.noise, b.counts, b.profiles, b.total
		FROM window_streams(
			window_blocks.service, window_blocks.since, window_blocks.until, window_blocks.event,
			window_blocks.instances, window_blocks.labels, window_blocks.version, window_blocks.commits) AS s
			JOIN block AS b ON b.service_id = s.service_id AND b.stream_id = s.stream_id
		WHERE b.until > coalesce(window_blocks.since, '-infinity'::timestamptz)
			-- What reaches into the window from before it begins in its day (profiles as they came, sums of minutes) or
			-- at the begin of its month: other partitions are not planned for.
			AND (b.since >= span_of('minute'::text, coalesce(window_blocks.since, '-infinity'::timestamptz))
				OR b.since = span_of('hour'::text, coalesce(window_blocks.since, '-infinity'::timestamptz)))
			AND b.since < coalesce(window_blocks.until, 'infinity'::timestamptz);
	END;

COMMENT ON FUNCTION window_blocks(text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'the blocks that a window reaches into; is_whole: all that is in it belongs to the window';

CREATE OR REPLACE FUNCTION window_incoming(
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL)
	RETURNS TABLE (service_id bigint, stream_id bigint, name text, kind text, unit text, period float8,
		recorded_at timestamptz, instance text, flamegraph flamegraph, noise flamegraph)
	LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
	BEGIN ATOMIC
		SELECT s.service_id, s.stream_id, s.name, s.kind, s.unit, s.period, i.recorded_at, i.instance, i.flamegraph,
			i.noise
		FROM window_streams(
			window_incoming.service, window_incoming.since, window_incoming.until, window_incoming.event,
			window_incoming.instances, window_incoming.labels, window_incoming.version, window_incoming.commits) AS s
			JOIN incoming AS i ON i.service_id = s.service_id AND i.stream_id = s.stream_id
		WHERE i.recorded_at >= coalesce(window_incoming.since, '-infinity'::timestamptz)
			AND i.recorded_at < coalesce(window_incoming.until, 'infinity'::timestamptz)
			AND (window_incoming.instances IS NULL OR i.instance = ANY (window_incoming.instances));
	END;

COMMENT ON FUNCTION window_incoming(text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'the profiles of a window that are in no block yet';

CREATE OR REPLACE FUNCTION asked_sums(service text, since timestamptz, until timestamptz, event text, instances text[],
		labels jsonb, version text, commits text[])
	RETURNS TABLE (answer timestamptz)
	LANGUAGE sql STABLE PARALLEL SAFE COST 100 ROWS 1
	BEGIN ATOMIC
		-- Of those that are in the window: sums of a month may be before and after it.
		SELECT max((t.at AT TIME ZONE 'UTC' + step_of(b.resolution)) AT TIME ZONE 'UTC')
		FROM window_blocks(
			asked_sums.service, asked_sums.since, asked_sums.until, asked_sums.event,
			asked_sums.instances, asked_sums.labels, asked_sums.version, asked_sums.commits) AS b,
			LATERAL trend(b.counts, ''::stackpath, 'total'::text, asked_sums.since, asked_sums.until, NULL::text[])
				AS t
		WHERE b.resolution <> 'raw';
	END;

COMMENT ON FUNCTION asked_sums(text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'sums_until() as part of a query, which plans it';

CREATE OR REPLACE FUNCTION sums_until(
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL) RETURNS timestamptz
	LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_answer timestamptz;
BEGIN
	EXECUTE 'SELECT o.answer FROM profiling.asked_sums($1, $2, $3, $4, $5, $6, $7, $8) AS o' INTO v_answer
		USING sums_until.service, sums_until.since, sums_until.until, sums_until.event, sums_until.instances,
			sums_until.labels, sums_until.version, sums_until.commits;
	RETURN v_answer;
END
$$;

COMMENT ON FUNCTION sums_until(text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'up to when a window has sums in the place of single profiles; null where it has none';

CREATE OR REPLACE FUNCTION window_works(
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL, one_unit bool DEFAULT true) RETURNS bool
	LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_units text[];
	v_event text := window_works.event;
	v_names text[];
	v_sums timestamptz;
BEGIN
	IF window_works.since >= window_works.until THEN
		RAISE EXCEPTION 'a window begins before it ends' USING ERRCODE = 'invalid_parameter_value',
			DETAIL = format('This one is from %s to %s.', window_works.since, window_works.until);
	END IF;
	IF array_position(window_works.instances, NULL) IS NOT NULL THEN
		RAISE EXCEPTION 'the name of an instance is null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	v_units := ARRAY(SELECT DISTINCT s.unit FROM profiling.window_streams(
		window_works.service, window_works.since, window_works.until, window_works.event,
		window_works.instances, window_works.labels, window_works.version, window_works.commits) AS s ORDER BY 1);
	IF v_units = '{}' THEN
		v_names := ARRAY(SELECT s.name FROM profiling.service AS s ORDER BY s.name COLLATE "C");
		IF NOT EXISTS (SELECT 1 FROM unnest(v_names) AS n WHERE n LIKE coalesce(window_works.service, '%')) THEN
			RAISE NOTICE 'no profile is in the window' USING ERRCODE = '02000',
				DETAIL = CASE WHEN v_names = '{}' THEN 'No service has sent a profile yet.'
					ELSE format('There is no service "%s".', profiling.printable(window_works.service)) END,
				HINT = profiling.names_hint(window_works.service, v_names);
		ELSE
			v_names := ARRAY(SELECT DISTINCT t.event COLLATE "C"
				FROM profiling.stream AS t JOIN profiling.service AS s ON s.service_id = t.service_id
				WHERE s.name LIKE coalesce(window_works.service, '%') ORDER BY 1);
			RAISE NOTICE 'no profile is in the window' USING ERRCODE = '02000',
				DETAIL = CASE WHEN v_event = ANY (v_names) THEN 'None has these labels, this version or these '
					'commits.'
					ELSE format('There is no event "%s" of it.', profiling.printable(v_event)) END,
				HINT = CASE WHEN v_event = ANY (v_names) THEN 'Versions and commits are what labels have under these '
					'names.' ELSE profiling.names_hint(v_event, v_names) END;
		END IF;
		RETURN true;
	END IF;
	IF one_unit AND cardinality(v_units) > 1 THEN
		RAISE EXCEPTION 'the profiles of this window have different units' USING ERRCODE = 'invalid_parameter_value',
			DETAIL = format('They are in %s.', profiling.printable(array_to_string(v_units[:10], ', '))),
			HINT = 'Choose one event, or services of one unit.';
	END IF;
	v_sums := CASE WHEN window_works.instances IS NOT NULL THEN profiling.sums_until(
		window_works.service, window_works.since, window_works.until, window_works.event,
		window_works.instances, window_works.labels, window_works.version, window_works.commits) END;
	IF v_sums IS NOT NULL THEN
		RAISE EXCEPTION 'instances are not known any more for all of this window' USING
			ERRCODE = 'invalid_parameter_value',
			DETAIL = format('Before %s there are sums of all instances.', v_sums),
			HINT = format('Begin later: since => %L. Table profiling.retention says how long single profiles are '
				'kept.', v_sums);
	END IF;
	RETURN true;
END
$$;

COMMENT ON FUNCTION window_works(text, timestamptz, timestamptz, text, text[], jsonb, text, text[], bool)
	IS 'true; an error for a window that has no answer: of different units, or of instances where only sums are '
		'left; a NOTICE when nothing can be in it';

CREATE OR REPLACE FUNCTION asked_profile(service text, since timestamptz, until timestamptz, event text, instances text[],
		labels jsonb, version text, commits text[])
	RETURNS TABLE (answer flamegraph)
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 1
	BEGIN ATOMIC
		SELECT sum(p.profile)
		FROM (SELECT sum(b.series) AS profile
				FROM window_blocks(
					asked_profile.service, asked_profile.since, asked_profile.until, asked_profile.event,
					asked_profile.instances, asked_profile.labels, asked_profile.version,
					asked_profile.commits) AS b WHERE b.is_whole
			UNION ALL
			SELECT sum(b.series, asked_profile.since, asked_profile.until, asked_profile.instances)
			FROM window_blocks(
				asked_profile.service, asked_profile.since, asked_profile.until, asked_profile.event,
				asked_profile.instances, asked_profile.labels, asked_profile.version,
				asked_profile.commits) AS b WHERE NOT b.is_whole
			UNION ALL
			SELECT sum(i.flamegraph) FROM window_incoming(
				asked_profile.service, asked_profile.since, asked_profile.until, asked_profile.event,
				asked_profile.instances, asked_profile.labels, asked_profile.version,
				asked_profile.commits) AS i) AS p
		WHERE (SELECT window_works(
			asked_profile.service, asked_profile.since, asked_profile.until, asked_profile.event,
			asked_profile.instances, asked_profile.labels, asked_profile.version, asked_profile.commits, true));
	END;

COMMENT ON FUNCTION asked_profile(text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'window_profile() as part of a query, which plans it';

CREATE OR REPLACE FUNCTION window_profile(
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL) RETURNS flamegraph
	LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000000 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_answer profiling.incoming.flamegraph%TYPE;
	v_there bool;
BEGIN
	EXECUTE 'SELECT o.answer FROM profiling.asked_profile($1, $2, $3, $4, $5, $6, $7, $8) AS o' INTO v_answer
		USING window_profile.service, window_profile.since, window_profile.until, window_profile.event,
			window_profile.instances, window_profile.labels, window_profile.version, window_profile.commits;
	IF v_answer IS NOT NULL AND profiling.unless_empty(v_answer) IS NULL THEN
		-- The sum of profiles that are empty, or that of a block that has none in the window it reaches into.
		EXECUTE 'SELECT EXISTS (SELECT 1
			FROM profiling.window_values('''', ''total'', $1, $2, $3, $4, $5, $6, $7, $8))' INTO v_there
			USING window_profile.service, window_profile.since, window_profile.until, window_profile.event,
				window_profile.instances, window_profile.labels, window_profile.version, window_profile.commits;
	END IF;
	RETURN CASE WHEN v_there IS NOT FALSE THEN v_answer END;
END
$$;

COMMENT ON FUNCTION window_profile(text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'the sum of the profiles of a window, in their unit; null for none; error 22023 for different units, and for '
		'instances where only sums are left';

CREATE OR REPLACE FUNCTION asked_noise(service text, since timestamptz, until timestamptz, event text, instances text[],
		labels jsonb, version text, commits text[])
	RETURNS TABLE (answer flamegraph)
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 1
	BEGIN ATOMIC
		SELECT CASE WHEN pg_catalog.bool_and(k.noise IS NOT NULL) THEN sum(k.noise) END
		FROM (SELECT noise_of(sum(p.profile), p.period,
					CASE WHEN sum(p.with_noise) = sum(p.profiles) THEN sum(p.noise) END) AS noise
			FROM (SELECT b.stream_id, b.period,
						sum(b.series, asked_noise.since, asked_noise.until, asked_noise.instances) AS profile,
						sum(b.noise, asked_noise.since, asked_noise.until, asked_noise.instances) AS noise,
						profile_count(slice(b.series, asked_noise.since, asked_noise.until,
						asked_noise.instances))
							AS profiles,
						coalesce(profile_count(slice(b.noise, asked_noise.since, asked_noise.until,
							asked_noise.instances)), 0) AS with_noise
					FROM window_blocks(
						asked_noise.service, asked_noise.since, asked_noise.until, asked_noise.event,
						asked_noise.instances, asked_noise.labels, asked_noise.version, asked_noise.commits) AS b
				UNION ALL
				SELECT i.stream_id, i.period, i.flamegraph, i.noise, 1, (i.noise IS NOT NULL)::int
				FROM window_incoming(
					asked_noise.service, asked_noise.since, asked_noise.until, asked_noise.event,
					asked_noise.instances, asked_noise.labels, asked_noise.version, asked_noise.commits) AS i) AS p
			WHERE (SELECT window_works(
				asked_noise.service, asked_noise.since, asked_noise.until, asked_noise.event,
				asked_noise.instances, asked_noise.labels, asked_noise.version, asked_noise.commits, true))
			GROUP BY p.stream_id, p.period HAVING sum(p.profiles) > 0::bigint) AS k;
	END;

COMMENT ON FUNCTION asked_noise(text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'window_noise() as part of a query, which plans it';

CREATE OR REPLACE FUNCTION window_noise(
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL) RETURNS flamegraph
	LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000000 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_answer profiling.incoming.noise%TYPE;
BEGIN
	IF window_noise.since >= window_noise.until THEN
		-- Of such a window a plan may have nothing left that would ask whether it works.
		PERFORM profiling.window_works(window_noise.service, window_noise.since, window_noise.until);
	END IF;
	EXECUTE 'SELECT o.answer FROM profiling.asked_noise($1, $2, $3, $4, $5, $6, $7, $8) AS o' INTO v_answer
		USING window_noise.service, window_noise.since, window_noise.until, window_noise.event,
			window_noise.instances, window_noise.labels, window_noise.version, window_noise.commits;
	RETURN v_answer;
END
$$;

COMMENT ON FUNCTION window_noise(text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'the variance that each stack of window_profile() has because it was sampled: the sum of the squared weights of '
		'the samples; null when nobody knows it of one of the profiles';

CREATE OR REPLACE FUNCTION window_top(
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL, max_rows int DEFAULT 20)
	RETURNS TABLE (frame text, self float8, self_share float8, total float8, total_share float8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 20
	BEGIN ATOMIC
		SELECT t.frame, t.self, t.self_share, t.total, t.total_share
		FROM (SELECT window_profile(
			window_top.service, window_top.since, window_top.until, window_top.event,
			window_top.instances, window_top.labels, window_top.version, window_top.commits) AS profile OFFSET 0) AS w,
			LATERAL top(w.profile, window_top.max_rows) AS t;
	END;

COMMENT ON FUNCTION window_top(text, timestamptz, timestamptz, text, text[], jsonb, text, text[], int)
	IS 'the functions in which most is spent in a window: top() of window_profile()';

CREATE OR REPLACE FUNCTION window_values(frame text, level text,
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL)
	RETURNS TABLE (at timestamptz, value float8, total float8, profiles float8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 10000
	BEGIN ATOMIC
		SELECT v.at, v.value, v.total, coalesce(v.profiles, 1::float8)
		FROM window_blocks(
			window_values.service, window_values.since, window_values.until, window_values.event,
			window_values.instances, window_values.labels, window_values.version, window_values.commits) AS b,
			-- one after another they are of the same profiles
			LATERAL ROWS FROM (
				trend(b.series, window_values.frame, window_values.level, window_values.since, window_values.until,
					window_values.instances),
				trend(b.series, ''::stackpath, 'total'::text, window_values.since, window_values.until,
					window_values.instances),
				trend(b.counts, ''::stackpath, 'total'::text, window_values.since, window_values.until,
				NULL::text[]))
			AS v (at, instance, value, same_at, same_instance, total, count_at, count_instance, profiles)
		UNION ALL
		SELECT i.recorded_at, frame_value(i.flamegraph, window_values.frame, window_values.level),
			total(i.flamegraph), 1::float8
		FROM window_incoming(
			window_values.service, window_values.since, window_values.until, window_values.event,
			window_values.instances, window_values.labels, window_values.version, window_values.commits) AS i;
	END;

COMMENT ON FUNCTION window_values(text, text, text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'what a function, and everything, comes to in each profile or sum of a window, and of how many profiles';

CREATE OR REPLACE FUNCTION asked_trend(frame text, step interval, service text, since timestamptz, until timestamptz,
		event text, instances text[], labels jsonb, version text, commits text[], level text)
	RETURNS TABLE (at timestamptz, value float8, share float8, total float8, profiles bigint)
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 1000
	BEGIN ATOMIC
		SELECT s.at, s.value, ratio(s.value, s.total), s.total, s.profiles
		FROM (SELECT step_begin(coalesce(asked_trend.step, '1 minute'::interval), v.at) AS at,
			sum(v.value) AS value,
				sum(v.total) AS total, sum(v.profiles)::bigint AS profiles
			FROM window_values(asked_trend.frame, asked_trend.level,
				asked_trend.service, asked_trend.since, asked_trend.until, asked_trend.event,
				asked_trend.instances, asked_trend.labels, asked_trend.version, asked_trend.commits) AS v
			WHERE (SELECT window_works(
				asked_trend.service, asked_trend.since, asked_trend.until, asked_trend.event,
				asked_trend.instances, asked_trend.labels, asked_trend.version, asked_trend.commits, true))
				AND (SELECT one_of('level'::text, asked_trend.level, 'total'::text, 'self'::text))
			GROUP BY 1) AS s
		ORDER BY s.at;
	END;

COMMENT ON FUNCTION asked_trend(text, interval, text, timestamptz, timestamptz, text, text[], jsonb, text, text[], text)
	IS 'window_trend() as part of a query, which plans it';

CREATE OR REPLACE FUNCTION window_trend(frame text, step interval DEFAULT '1 minute',
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL, level text DEFAULT 'total')
	RETURNS TABLE (at timestamptz, value float8, share float8, total float8, profiles bigint)
	LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000000 ROWS 1000
	SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF window_trend.since >= window_trend.until THEN
		-- Of such a window a plan may have nothing left that would ask whether it works.
		PERFORM profiling.window_works(window_trend.service, window_trend.since, window_trend.until);
	END IF;
	RETURN QUERY EXECUTE 'SELECT o.* FROM profiling.asked_trend($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS o'
		USING window_trend.frame, window_trend.step, window_trend.service, window_trend.since, window_trend.until,
			window_trend.event, window_trend.instances, window_trend.labels, window_trend.version,
			window_trend.commits, window_trend.level;
END
$$;

COMMENT ON FUNCTION window_trend(text, interval, text, timestamptz, timestamptz, text, text[], jsonb, text, text[],
	text)
	IS 'what a function comes to over the time of a window, step by step: its value with what it calls (level self: '
		'without), the share of the total, the total, and how many profiles there are; steps without any are left '
		'out, and where only sums are left steps are as long as these';

CREATE OR REPLACE FUNCTION asked_instances(service text, since timestamptz, until timestamptz, event text, instances text[],
		labels jsonb, version text, commits text[])
	RETURNS TABLE (name text, pod text, first timestamptz, last timestamptz)
	LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 100
	BEGIN ATOMIC
		SELECT k.name, k.instance, min(k.since), max(k.until)
		FROM (SELECT b.name, t.instance, min(t.at) AS since, max(t.at) AS until
				FROM window_blocks(
					asked_instances.service, asked_instances.since, asked_instances.until, asked_instances.event,
					asked_instances.instances, asked_instances.labels, asked_instances.version,
					asked_instances.commits) AS b,
					LATERAL trend(b.series, ''::stackpath, 'total'::text, asked_instances.since,
					asked_instances.until,
						asked_instances.instances) AS t
				WHERE b.resolution = 'raw'
				GROUP BY b.name, t.instance
			UNION ALL
			SELECT i.name, i.instance, i.recorded_at, i.recorded_at
			FROM window_incoming(
				asked_instances.service, asked_instances.since, asked_instances.until, asked_instances.event,
				asked_instances.instances, asked_instances.labels, asked_instances.version,
				asked_instances.commits) AS i) AS k
		GROUP BY k.name, k.instance
		ORDER BY k.name COLLATE "C", k.instance COLLATE "C";
	END;

COMMENT ON FUNCTION asked_instances(text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'window_instances() as part of a query, which plans it';

CREATE OR REPLACE FUNCTION planned_instances(service text, since timestamptz, until timestamptz, event text, instances text[],
		labels jsonb, version text, commits text[])
	RETURNS TABLE (name text, pod text, first timestamptz, last timestamptz)
	LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 100
	SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- A series with this hour in it would say the same.
	IF array_position(planned_instances.instances, NULL) IS NOT NULL
		OR planned_instances.since >= planned_instances.until THEN
		PERFORM profiling.window_works(since => planned_instances.since, until => planned_instances.until,
			instances => planned_instances.instances);
	END IF;
	RETURN QUERY EXECUTE 'SELECT o.* FROM profiling.asked_instances($1, $2, $3, $4, $5, $6, $7, $8) AS o'
		USING planned_instances.service, planned_instances.since, planned_instances.until, planned_instances.event,
			planned_instances.instances, planned_instances.labels, planned_instances.version, planned_instances.commits;
END
$$;

COMMENT ON FUNCTION planned_instances(text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'window_instances() planned with what it is asked for; its results are not called as its arguments are';

CREATE OR REPLACE FUNCTION window_instances(
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL)
	RETURNS TABLE (service text, instance text, since timestamptz, until timestamptz)
	LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 100
	BEGIN ATOMIC
		SELECT o.* FROM planned_instances(
			window_instances.service, window_instances.since, window_instances.until, window_instances.event,
			window_instances.instances, window_instances.labels, window_instances.version,
			window_instances.commits) AS o;
	END;

COMMENT ON FUNCTION window_instances(text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'who has sent profiles in a window, and the times of the first and the last one; where only sums are left '
		'nobody knows';

CREATE OR REPLACE FUNCTION is_one_frame(what text) RETURNS bool
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT NOT (is_one_frame.what LIKE '%;%' OR is_one_frame.what LIKE '%_*');
	END;

COMMENT ON FUNCTION is_one_frame(text) IS 'whether what window_search() looks for is a frame as it stands';

CREATE OR REPLACE FUNCTION matched_times(series flameseries, what text, since timestamptz, until timestamptz, instances text[],
		OUT first timestamptz, OUT last timestamptz)
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100000
	BEGIN ATOMIC
		SELECT min(m.at), max(m.at)
		FROM (SELECT p.at
				FROM profiles(CASE WHEN NOT is_one_frame(matched_times.what)
					THEN slice(matched_times.series, matched_times.since, matched_times.until,
					matched_times.instances) END)
					AS p
				WHERE p.profile ~ frame_pattern(matched_times.what)
			UNION ALL
			-- one function is a column
			SELECT t.at
			FROM trend(CASE WHEN is_one_frame(matched_times.what) THEN matched_times.series END, matched_times.what,
				'total'::text, matched_times.since, matched_times.until, matched_times.instances) AS t
			WHERE t.value <> 0::float8) AS m;
	END;

COMMENT ON FUNCTION matched_times(flameseries, text, timestamptz, timestamptz, text[])
	IS 'when the first and the last profile of a series is that has what window_search() looks for';

CREATE OR REPLACE FUNCTION matched_value(series flameseries, is_whole bool, what text, since timestamptz, until timestamptz,
		instances text[]) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100000
	BEGIN ATOMIC
		-- One function is read from the sums beside the tree.
		SELECT CASE WHEN is_one_frame(matched_value.what)
				THEN frame_sum(matched_value.series, matched_value.what, 'total'::text, matched_value.since,
					matched_value.until, matched_value.instances)
			WHEN NOT matched_value.is_whole
				THEN (SELECT total(v.profile)
					FROM (SELECT filter_stacks(sum(matched_value.series, matched_value.since, matched_value.until,
						matched_value.instances), frame_pattern(matched_value.what)) AS profile OFFSET 0) AS v
					WHERE nstacks(v.profile) > 0) END;
	END;

COMMENT ON FUNCTION matched_value(flameseries, bool, text, timestamptz, timestamptz, text[])
	IS 'the value of what window_search() looks for in the part of a series that is in the window; null where it is '
		'not there, and for a pattern in a whole series, which is added to others first';

CREATE OR REPLACE FUNCTION window_totals(
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL)
	RETURNS TABLE (name text, kind text, unit text, total float8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 20
	BEGIN ATOMIC
		SELECT w.name, w.kind, w.unit, sum(w.total)
		FROM (SELECT b.name, b.kind, b.unit, CASE WHEN b.is_whole THEN b.total
					ELSE total(sum(b.series, window_totals.since, window_totals.until, window_totals.instances)) END
					AS total
				FROM window_blocks(
					window_totals.service, window_totals.since, window_totals.until, window_totals.event,
					window_totals.instances, window_totals.labels, window_totals.version, window_totals.commits) AS b
			UNION ALL
			SELECT i.name, i.kind, i.unit, total(i.flamegraph)
			FROM window_incoming(
				window_totals.service, window_totals.since, window_totals.until, window_totals.event,
				window_totals.instances, window_totals.labels, window_totals.version, window_totals.commits) AS i) AS w
		GROUP BY w.name, w.kind, w.unit;
	END;

COMMENT ON FUNCTION window_totals(text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'the total of each service, event and unit of a window';

CREATE OR REPLACE FUNCTION search_candidates(what text, since timestamptz, until timestamptz, instances text[])
	RETURNS TABLE (service_id bigint, stream_id bigint, first timestamptz, ended timestamptz, is_whole bool,
		series flameseries)
	LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
	BEGIN ATOMIC
		SELECT b.service_id, b.stream_id, b.since, b.until, search_candidates.instances IS NULL
				AND b.since >= coalesce(search_candidates.since, '-infinity'::timestamptz)
				AND b.until <= coalesce(search_candidates.until, 'infinity'::timestamptz), b.series
		FROM block AS b
		WHERE b.until > coalesce(search_candidates.since, '-infinity'::timestamptz)
			-- as in window_blocks()
			AND (b.since >= span_of('minute'::text, coalesce(search_candidates.since, '-infinity'::timestamptz))
				OR b.since = span_of('hour'::text, coalesce(search_candidates.since, '-infinity'::timestamptz)))
			AND b.since < coalesce(search_candidates.until, 'infinity'::timestamptz)
			-- One function is found by its name, without the tree.
			AND (is_one_frame(search_candidates.what) AND b.series ? search_candidates.what
				OR NOT is_one_frame(search_candidates.what) AND b.series ~ frame_pattern(search_candidates.what));
	END;

COMMENT ON FUNCTION search_candidates(text, timestamptz, timestamptz, text[])
	IS 'the blocks that a window reaches into and that have what window_search() looks for; is_whole: all that is in '
		'it belongs to the window';

CREATE OR REPLACE FUNCTION asked_search(what text, min_share float8, service text, since timestamptz, until timestamptz,
		event text, instances text[], labels jsonb, version text, commits text[])
	RETURNS TABLE (name text, kind text, unit text, first_at timestamptz, last_at timestamptz, value float8,
		total float8, share float8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 20
	BEGIN ATOMIC
		WITH candidates AS MATERIALIZED (
			-- By itself, so that it is planned as a search of the index and not for each stream.
			SELECT c.* FROM search_candidates(
				asked_search.what, asked_search.since, asked_search.until, asked_search.instances) AS c
		), blocks AS MATERIALIZED (
			-- For a pattern whole blocks have it because their trees do, and are added up before it is looked for.
			SELECT s.name, s.kind, s.unit, f.first, f.ended, f.series,
				f.is_whole AND NOT is_one_frame(asked_search.what) AS is_added,
				matched_value(f.series, f.is_whole, asked_search.what, asked_search.since, asked_search.until,
					asked_search.instances) AS value
			FROM window_streams(
				asked_search.service, asked_search.since, asked_search.until, asked_search.event,
				asked_search.instances, asked_search.labels, asked_search.version, asked_search.commits) AS s
				JOIN candidates AS f ON f.service_id = s.service_id AND f.stream_id = s.stream_id
		), incoming AS (
			SELECT i.name, i.kind, i.unit, min(i.recorded_at) AS first, max(i.recorded_at) AS last,
				sum(total(filter_stacks(i.flamegraph, frame_pattern(asked_search.what)))) AS value
			FROM window_incoming(
				asked_search.service, asked_search.since, asked_search.until, asked_search.event,
				asked_search.instances, asked_search.labels, asked_search.version, asked_search.commits) AS i
			WHERE i.flamegraph ~ frame_pattern(asked_search.what)
			GROUP BY i.name, i.kind, i.unit
		), spans AS (
			SELECT b.name, b.kind, b.unit, min(b.ended) AS first_before, max(b.first) AS last_from,
				coalesce(sum(b.value), 0::float8) + coalesce(total(filter_stacks(
					sum(b.series) FILTER (WHERE b.is_added), frame_pattern(asked_search.what))), 0::float8) AS value
			FROM blocks AS b WHERE b.is_added OR b.value IS NOT NULL GROUP BY b.name, b.kind, b.unit
		), ends AS (
			-- Each has it somewhere: only those that begin before one has ended, or end when all have begun, say when.
			SELECT s.name, s.kind, s.unit, s.value, min(t.first) AS first, max(t.last) AS last
			FROM spans AS s JOIN blocks AS b ON b.name = s.name AND b.kind = s.kind AND b.unit = s.unit
				AND (b.is_added OR b.value IS NOT NULL) AND (b.first < s.first_before OR b.ended > s.last_from)
				CROSS JOIN LATERAL matched_times(b.series, asked_search.what, asked_search.since,
					asked_search.until, asked_search.instances) AS t
			GROUP BY s.name, s.kind, s.unit, s.value
		), found AS (
			SELECT f.name, f.kind, f.unit, min(f.first) AS first, max(f.last) AS last, sum(f.value) AS value
			FROM (SELECT e.name, e.kind, e.unit, e.first, e.last, e.value FROM ends AS e
				UNION ALL SELECT i.name, i.kind, i.unit, i.first, i.last, i.value FROM incoming AS i) AS f
			GROUP BY f.name, f.kind, f.unit
		)
		SELECT f.name, f.kind, f.unit, f.first, f.last, f.value, w.total, ratio(f.value, w.total)
		FROM found AS f JOIN window_totals(
				asked_search.service, asked_search.since, asked_search.until, asked_search.event,
				asked_search.instances, asked_search.labels, asked_search.version, asked_search.commits) AS w
			ON w.name = f.name AND w.kind = f.kind AND w.unit = f.unit
		WHERE (SELECT window_works(
			asked_search.service, asked_search.since, asked_search.until, asked_search.event,
			asked_search.instances, asked_search.labels, asked_search.version, asked_search.commits, false))
			AND (coalesce(asked_search.min_share, 0::float8) <= 0::float8
				OR ratio(f.value, w.total) >= asked_search.min_share)
		ORDER BY ratio(f.value, w.total) DESC NULLS LAST, f.name COLLATE "C", f.kind COLLATE "C", f.unit COLLATE "C";
	END;

COMMENT ON FUNCTION asked_search(text, float8, text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'window_search() as part of a query, which plans it';

CREATE OR REPLACE FUNCTION planned_search(what text, min_share float8, service text, since timestamptz, until timestamptz,
		event text, instances text[], labels jsonb, version text, commits text[])
	RETURNS TABLE (name text, kind text, unit text, first_at timestamptz, last_at timestamptz, value float8,
		total float8, share float8)
	LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000000 ROWS 20
	SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN QUERY EXECUTE 'SELECT o.* FROM profiling.asked_search($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS o'
		USING planned_search.what, planned_search.min_share, planned_search.service, planned_search.since,
			planned_search.until, planned_search.event, planned_search.instances, planned_search.labels,
			planned_search.version, planned_search.commits;
END
$$;

COMMENT ON FUNCTION planned_search(text, float8, text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'window_search() planned with what it is asked for; its results are not called as its arguments are';

CREATE OR REPLACE FUNCTION window_search(what text, min_share float8 DEFAULT 0,
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL)
	RETURNS TABLE (service text, event text, unit text, first_at timestamptz, last_at timestamptz,
		value float8, total float8, share float8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 20
	BEGIN ATOMIC
		SELECT o.* FROM planned_search(
			window_search.what, window_search.min_share, window_search.service, window_search.since,
			window_search.until, window_search.event, window_search.instances, window_search.labels,
			window_search.version, window_search.commits) AS o;
	END;

COMMENT ON FUNCTION window_search(text, float8, text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'which services have a function in a window, the largest share first: what is a frame, foo* for all that '
		'begin so, or (with a semicolon) a stackquery; times of the first and the last profile that has it (of sums: '
		'when their step begins), the value of the stacks with it and its share of the total';

CREATE OR REPLACE FUNCTION checked_window(selection jsonb) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_names CONSTANT text[] := '{service,since,until,event,instances,labels,version,commits}';
	v_bad text;
BEGIN
	IF selection IS NULL OR jsonb_typeof(selection) <> 'object' THEN
		RAISE EXCEPTION 'a window must be an object' USING ERRCODE = 'invalid_parameter_value',
			HINT = 'For example {"service": "shop", "since": "2026-11-26 10:00Z", "until": "2026-11-26 11:00Z"}.';
	END IF;
	SELECT min(k) INTO v_bad FROM jsonb_object_keys(selection) AS k WHERE k <> ALL (v_names);
	IF v_bad IS NOT NULL THEN
		RAISE EXCEPTION 'unrecognized key "%" of a window', v_bad USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Available: ' || array_to_string(v_names, ', ') || '.';
	END IF;
	RETURN selection;
END
$$;

COMMENT ON FUNCTION checked_window(jsonb) IS 'the window itself; an error for what is none';

CREATE OR REPLACE FUNCTION asked_pieces(step interval, service text, since timestamptz, until timestamptz, event text,
		instances text[], labels jsonb, version text, commits text[])
	RETURNS TABLE (stream_id bigint, kind text, unit text, period float8, at timestamptz, instance text,
		profile flamegraph, profiles float8, noise flamegraph, with_noise float8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 10000
	BEGIN ATOMIC
		SELECT b.stream_id, b.kind, b.unit, b.period, step_begin(asked_pieces.step, p.at), p.instance, p.profile,
			CASE WHEN b.counts IS NULL THEN 1::float8 ELSE 0::float8 END, NULL::flamegraph, 0::float8
		FROM window_blocks(
			asked_pieces.service, asked_pieces.since, asked_pieces.until, asked_pieces.event,
			asked_pieces.instances, asked_pieces.labels, asked_pieces.version, asked_pieces.commits) AS b,
			LATERAL profiles(slice(b.series, asked_pieces.since, asked_pieces.until,
				asked_pieces.instances)) AS p
		UNION ALL
		-- the number of the profiles in sums comes by itself, as noise does
		SELECT b.stream_id, b.kind, b.unit, b.period, step_begin(asked_pieces.step, c.at), '', NULL::flamegraph,
			c.value, NULL::flamegraph, CASE WHEN n.at IS NULL THEN 0::float8 ELSE c.value END
		FROM window_blocks(
			asked_pieces.service, asked_pieces.since, asked_pieces.until, asked_pieces.event,
			asked_pieces.instances, asked_pieces.labels, asked_pieces.version, asked_pieces.commits) AS b,
			LATERAL (SELECT t.at, t.value
				FROM trend(b.counts, ''::stackpath, 'total'::text, asked_pieces.since, asked_pieces.until,
					NULL::text[]) AS t) AS c
			LEFT JOIN LATERAL (SELECT m.at FROM moments_in(b.noise, asked_pieces.since, asked_pieces.until) AS m) AS n
				ON n.at = c.at
		UNION ALL
		SELECT b.stream_id, b.kind, b.unit, b.period, step_begin(asked_pieces.step, p.at), p.instance,
			NULL::flamegraph, 0::float8, p.profile, CASE WHEN b.counts IS NULL THEN 1::float8 ELSE 0::float8 END
		FROM window_blocks(
			asked_pieces.service, asked_pieces.since, asked_pieces.until, asked_pieces.event,
			asked_pieces.instances, asked_pieces.labels, asked_pieces.version, asked_pieces.commits) AS b,
			LATERAL profiles(slice(b.noise, asked_pieces.since, asked_pieces.until, asked_pieces.instances)) AS p
		UNION ALL
		SELECT i.stream_id, i.kind, i.unit, i.period, step_begin(asked_pieces.step, i.recorded_at), i.instance,
			i.flamegraph, 1::float8, i.noise, (i.noise IS NOT NULL)::int::float8
		FROM window_incoming(
			asked_pieces.service, asked_pieces.since, asked_pieces.until, asked_pieces.event,
			asked_pieces.instances, asked_pieces.labels, asked_pieces.version, asked_pieces.commits) AS i;
	END;

COMMENT ON FUNCTION asked_pieces(interval, text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'window_pieces() as part of a query, which plans it';

CREATE OR REPLACE FUNCTION window_pieces(step interval,
		service text DEFAULT '%', since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
		event text DEFAULT 'cpu', instances text[] DEFAULT NULL, labels jsonb DEFAULT '{}', version text DEFAULT NULL,
		commits text[] DEFAULT NULL)
	RETURNS TABLE (stream_id bigint, kind text, unit text, period float8, at timestamptz, instance text,
		profile flamegraph, profiles float8, noise flamegraph, with_noise float8)
	LANGUAGE plpgsql STABLE PARALLEL SAFE COST 100000 ROWS 10000
	SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN QUERY EXECUTE 'SELECT o.* FROM profiling.asked_pieces($1, $2, $3, $4, $5, $6, $7, $8, $9) AS o'
		USING window_pieces.step, window_pieces.service, window_pieces.since, window_pieces.until,
			window_pieces.event, window_pieces.instances, window_pieces.labels, window_pieces.version,
			window_pieces.commits;
END
$$;

COMMENT ON FUNCTION window_pieces(interval, text, timestamptz, timestamptz, text, text[], jsonb, text, text[])
	IS 'the profiles of a window, their numbers and their noise, each by itself, with the step that they are in';

CREATE OR REPLACE FUNCTION window_observations(selection jsonb, step interval DEFAULT '10 minutes')
	RETURNS TABLE (kind text, at timestamptz, instance text, profile flamegraph, noise flamegraph, profiles float8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 100
	BEGIN ATOMIC
		SELECT p.kind || ' in '::text || p.unit, p.at, p.instance, sum(p.profile) / sum(p.profiles),
			noise_of(sum(p.profile), p.period, CASE WHEN sum(p.with_noise) = sum(p.profiles) THEN sum(p.noise) END)
				/ sum(p.profiles) / sum(p.profiles), sum(p.profiles)
		FROM (SELECT checked_window(window_observations.selection) AS o OFFSET 0) AS s,
			LATERAL (SELECT CASE WHEN s.o ? 'service'::text
						THEN selection_value(s.o, 'service'::text, 'text'::text) #>> '{}'::text[] ELSE '%'::text END
					AS service, selection_time(s.o, 'since'::text) AS since, selection_time(s.o,
					'until'::text) AS until,
				CASE WHEN s.o ? 'event'::text
						THEN selection_value(s.o, 'event'::text, 'text'::text) #>> '{}'::text[] ELSE 'cpu'::text END
					AS event,
				CASE WHEN selection_value(s.o, 'instances'::text, 'text[]'::text) IS NOT NULL
						THEN ARRAY(SELECT jsonb_array_elements_text(s.o -> 'instances'::text)) END AS instances,
				coalesce(selection_value(s.o, 'labels'::text, 'jsonb'::text), '{}'::jsonb) AS labels,
				selection_value(s.o, 'version'::text, 'text'::text) #>> '{}'::text[] AS version,
				CASE WHEN selection_value(s.o, 'commits'::text, 'text[]'::text) IS NOT NULL
						THEN ARRAY(SELECT jsonb_array_elements_text(s.o -> 'commits'::text)) END AS commits
				OFFSET 0) AS w,
			LATERAL (SELECT window_works(
				w.service, w.since, w.until, w.event,
				w.instances, w.labels, w.version, w.commits, true) AS works OFFSET 0) AS k,
			LATERAL window_pieces(coalesce(window_observations.step, '10 minutes'::interval),
				w.service, w.since, w.until, w.event,
				w.instances, w.labels, w.version, w.commits) AS p
		WHERE k.works
		GROUP BY p.stream_id, p.kind, p.unit, p.period, p.at, p.instance
		HAVING sum(p.profiles) > 0::float8;
	END;

COMMENT ON FUNCTION window_observations(jsonb, interval)
	IS 'what window_compare() compares: for each instance and step of a window, written as an object, the mean of '
		'its profiles, its noise (null when nobody knows), and of how many it is';

CREATE OR REPLACE FUNCTION window_compare(before jsonb, after jsonb, step interval DEFAULT '10 minutes',
		level text DEFAULT 'node', method text DEFAULT 'welch', correction text DEFAULT 'bh',
		alpha float8 DEFAULT 0.05, size_factor text DEFAULT 'none', min_mean float8 DEFAULT 5, min_df int DEFAULT 1,
		permutations int DEFAULT 999, seed bigint DEFAULT 42, variance text DEFAULT 'moderated')
	RETURNS TABLE (key stackpath, mean_before float8, mean_after float8, delta float8, relative float8, t float8,
		df float8, p_value float8, q_value float8, lower float8, upper float8, change text, significant bool,
		stddev float8)
	LANGUAGE sql STABLE COST 1000000 ROWS 5000
	BEGIN ATOMIC
		SELECT c.*
		FROM (SELECT b.profiles AS before, a.profiles AS after,
				CASE WHEN b.known AND a.known THEN b.noise END AS before_noise,
				CASE WHEN b.known AND a.known THEN a.noise END AS after_noise
			FROM (SELECT pg_catalog.array_agg(p.profile ORDER BY p.at, p.instance) AS profiles,
						pg_catalog.array_agg(p.noise ORDER BY p.at, p.instance) AS noise,
						pg_catalog.bool_and(p.noise IS NOT NULL) AS known,
						pg_catalog.array_agg(DISTINCT p.kind) AS kinds
					FROM window_observations(window_compare.before, window_compare.step) AS p) AS b,
				(SELECT pg_catalog.array_agg(p.profile ORDER BY p.at, p.instance) AS profiles,
						pg_catalog.array_agg(p.noise ORDER BY p.at, p.instance) AS noise,
						pg_catalog.bool_and(p.noise IS NOT NULL) AS known,
						pg_catalog.array_agg(DISTINCT p.kind) AS kinds
					FROM window_observations(window_compare.after, window_compare.step) AS p) AS a
			WHERE one_event(b.kinds OPERATOR(pg_catalog.||) a.kinds) OFFSET 0) AS s,
			LATERAL compare_profiles(s.before, s.after, window_compare.level, window_compare.method,
				window_compare.correction, window_compare.alpha, window_compare.size_factor,
				window_compare.min_mean,
				window_compare.min_df, window_compare.permutations, window_compare.seed,
				coalesce(window_compare.variance, 'moderated'::text), 0, s.before_noise, s.after_noise) AS c;
	END;

COMMENT ON FUNCTION window_compare(jsonb, jsonb, interval, text, text, text, float8, text, float8, int, int, bigint,
	text)
	IS 'which stacks, calling contexts or functions differ between two windows, written as objects: '
		'compare_profiles() of the mean profiles of each instance and step, with moderated variances, and with the '
		'noise as their floor where it is known';

CREATE OR REPLACE FUNCTION watches_of(benchmark_id bigint, event text) RETURNS SETOF watch
	LANGUAGE sql STABLE ROWS 2
	BEGIN ATOMIC
		SELECT DISTINCT ON (w.method, w.level) w.*
		FROM (SELECT w.watch_id, rank() OVER (PARTITION BY w.method ORDER BY
					ARRAY[pattern_weight(w.benchmark), pattern_weight(w.suite), pattern_weight(w.event)] DESC) AS place
			FROM watch AS w JOIN benchmark AS b ON b.name LIKE w.benchmark AND b.suite LIKE w.suite
				AND watches_of.event LIKE w.event
			WHERE b.benchmark_id = watches_of.benchmark_id) AS best
			JOIN watch AS w ON w.watch_id = best.watch_id
		WHERE best.place = 1 AND w.enabled
		ORDER BY w.method, w.level, w.watch_id DESC;
	END;

CREATE OR REPLACE FUNCTION runs_in_season(benchmark_id bigint, event text, unit text, branch text, test_run_id bigint,
		baseline text) RETURNS bigint[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(h.test_run_id ORDER BY h.started_at, h.test_run_id), '{}'::bigint[])
		FROM (SELECT DISTINCT ON (p.phase) r.test_run_id, r.started_at
			FROM test_run AS n
				CROSS JOIN LATERAL season_phases(runs_in_season.baseline, n.started_at) AS p
				JOIN rollup AS r ON r.benchmark_id = runs_in_season.benchmark_id AND r.event = runs_in_season.event
					AND r.unit = runs_in_season.unit AND r.branch = runs_in_season.branch AND r.span = 'run'
					AND r.started_at BETWEEN p.phase - p.tolerance AND p.phase + p.tolerance
			WHERE n.test_run_id = runs_in_season.test_run_id
				AND (r.started_at, r.test_run_id) < (n.started_at, n.test_run_id) AND has_begun(r.started_at)
			ORDER BY p.phase, greatest(r.started_at - p.phase, p.phase - r.started_at), r.test_run_id DESC) AS h;
	END;

COMMENT ON FUNCTION runs_in_season(bigint, text, text, text, bigint, text)
	IS 'the history of a run by a baseline season:INTERVAL*N, oldest first: of each of the N periods before it the run '
		'nearest to the same phase, at most a twentieth of the period away';

CREATE OR REPLACE FUNCTION runs_before(benchmark_id bigint, event text, unit text, branch text, test_run_id bigint,
		baseline text DEFAULT 'window:10') RETURNS bigint[]
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	IF runs_before.baseline LIKE 'season:%' THEN
		RETURN profiling.runs_in_season(runs_before.benchmark_id, runs_before.event, runs_before.unit,
			runs_before.branch, runs_before.test_run_id, runs_before.baseline);
	END IF;
	RETURN (
		SELECT coalesce(array_agg(h.test_run_id ORDER BY h.started_at, h.test_run_id), '{}'::bigint[])
		FROM (SELECT r.test_run_id, r.started_at
			FROM profiling.rollup AS r JOIN profiling.test_run AS t ON t.test_run_id = r.test_run_id
				JOIN profiling.test_run AS n ON n.test_run_id = runs_before.test_run_id
			WHERE r.benchmark_id = runs_before.benchmark_id AND r.event = runs_before.event
				AND r.unit = runs_before.unit AND r.span = 'run'
				AND CASE
					WHEN runs_before.baseline LIKE 'window:%' THEN r.branch = runs_before.branch
					WHEN runs_before.baseline LIKE 'branch:%' THEN r.branch = substr(runs_before.baseline, 8)
					WHEN runs_before.baseline LIKE 'commit:%' THEN starts_with(t.commit,
						substr(runs_before.baseline, 8))
					ELSE t.version = substr(runs_before.baseline, 9) END
				AND (r.started_at, r.test_run_id) < (n.started_at, n.test_run_id) AND profiling.has_begun(r.started_at)
			ORDER BY r.started_at DESC, r.test_run_id DESC
			LIMIT CASE WHEN runs_before.baseline LIKE 'window:%' THEN substr(runs_before.baseline, 8)::int
				WHEN runs_before.baseline LIKE 'branch:%' THEN 10 ELSE 100 END) AS h);
END
$$;

COMMENT ON FUNCTION runs_before(bigint, text, text, text, bigint, text)
	IS 'the history of a run by a baseline, oldest first: runs that are older than it; of branch:NAME the newest 10, '
		'of a commit or a version at most 100, of season:INTERVAL*N one of each period';

CREATE OR REPLACE FUNCTION has_samples(samples flamegraph, benchmark_id bigint, pending bigint[]) RETURNS bool
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT has_samples.samples IS NOT NULL OR pg_catalog.cardinality(has_samples.pending) > 0
			AND EXISTS (SELECT 1 FROM profile_data AS d WHERE d.benchmark_id = has_samples.benchmark_id
				AND d.profile_id = ANY (has_samples.pending) AND d.samples IS NOT NULL);
	END;

COMMENT ON FUNCTION has_samples(flamegraph, bigint, bigint[])
	IS 'do the samples of a rollup, from its columns, weigh differently, and are their numbers known?';

CREATE OR REPLACE FUNCTION nullif_incomplete(profiles flamegraph[]) RETURNS flamegraph[]
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT nullif_incomplete.profiles WHERE pg_catalog.array_position(nullif_incomplete.profiles, NULL) IS NULL;
	END;

COMMENT ON FUNCTION nullif_incomplete(flamegraph[]) IS 'an array, or null when an element of it is null';

CREATE OR REPLACE FUNCTION repeated_profiles(benchmark_id bigint, event text, unit text, test_run_id bigint,
		of_samples bool) RETURNS flamegraph[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT nullif_incomplete(pg_catalog.array_agg(CASE WHEN repeated_profiles.of_samples
			THEN samples_of(d.flamegraph, p.period, d.samples) ELSE d.flamegraph END ORDER BY p.profile_id))
		FROM profile AS p JOIN profile_data AS d ON d.benchmark_id = p.benchmark_id AND d.profile_id = p.profile_id
		WHERE p.benchmark_id = repeated_profiles.benchmark_id AND p.event = repeated_profiles.event
			AND p.unit = repeated_profiles.unit AND p.test_run_id = repeated_profiles.test_run_id
		HAVING pg_catalog.count(*) >= 3;
	END;

COMMENT ON FUNCTION repeated_profiles(bigint, text, text, bigint, bool)
	IS 'the profiles of a run, or their numbers of samples, when there are three or more of them';

COMMENT ON TYPE means
	IS 'runs in their order, each as the mean profile of its repetitions, so that n counts runs; costs: their '
		'metrics, throughputs negated; metric_unit: null when there are several; of_sample: what a sample of the last '
		'one is worth in its mean; moments: those of all runs of a history of which some were merged to months, else '
		'null; samples: where samples weigh differently, their mean numbers, null when a run does '
		'not have them; samples_known: these, or all samples weigh the same; repeated: of a single run its profiles, '
		'or their numbers of samples, three or more of them';

CREATE OR REPLACE FUNCTION metric_means(costs float8[]) RETURNS means
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT ROW(metric_profiles(metric_means.costs), metric_means.costs, NULL, 0, NULL, NULL, NULL, false,
			NULL)::means;
	END;

COMMENT ON FUNCTION metric_means(float8[]) IS 'metrics as the means of runs, of which nobody knows samples';

CREATE OR REPLACE FUNCTION mean_samples(fg flamegraph, period float8, samples flamegraph, benchmark_id bigint, pending bigint[],
		repetitions int) RETURNS flamegraph
	LANGUAGE sql STABLE COST 10000
	BEGIN ATOMIC
		SELECT CASE mean_samples.repetitions
			WHEN 1 THEN summed_samples(mean_samples.fg, mean_samples.period, mean_samples.samples,
				mean_samples.benchmark_id, mean_samples.pending)
			ELSE summed_samples(mean_samples.fg, mean_samples.period, mean_samples.samples,
				mean_samples.benchmark_id, mean_samples.pending) / mean_samples.repetitions::float8 END;
	END;

COMMENT ON FUNCTION mean_samples(flamegraph, float8, flamegraph, bigint, bigint[], int)
	IS 'the mean numbers of samples of the profiles of a rollup, from its columns';

CREATE OR REPLACE FUNCTION run_means(benchmark_id bigint, event text, unit text, run_ids bigint[]) RETURNS means
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN (
		SELECT ROW(
			coalesce(array_agg(CASE r.repetitions WHEN 1 THEN r.flamegraph
				ELSE profiling.mean_profile(r.flamegraph, r.benchmark_id, r.pending, r.repetitions) END
				ORDER BY r.n), '{}'),
			coalesce(array_agg(profiling.cost_of(profiling.ratio(r.metric_sum, r.metric_count::float8),
				b.metric_direction) ORDER BY r.n), '{}'),
			CASE WHEN count(DISTINCT r.metric_unit) FILTER (WHERE r.metric_count > 0) = 1
				THEN max(r.metric_unit) FILTER (WHERE r.metric_count > 0) END,
			min(profiling.value_of_sample(r.benchmark_id, r.event, r.unit, r.test_run_id,
				profiling.summed(r.flamegraph, r.benchmark_id, r.pending), CASE WHEN r.noise IS NOT NULL
					THEN profiling.summed_noise(r.flamegraph, r.period, r.noise, r.benchmark_id, r.pending) END)
					/ r.repetitions) FILTER (WHERE r.n = cardinality(run_means.run_ids)),
			NULL,
			CASE WHEN bool_or(r.any_samples) THEN
				profiling.nullif_incomplete(array_agg(profiling.mean_samples(r.flamegraph, r.period, r.samples,
					r.benchmark_id, r.pending, r.repetitions) ORDER BY r.n) FILTER (WHERE r.any_samples)) END,
			array_agg(r.repetitions ORDER BY r.n),
			bool_and(r.unit = 'samples' OR r.samples IS NOT NULL OR r.period IS NOT NULL),
			CASE WHEN cardinality(run_means.run_ids) = 1 AND max(r.repetitions) >= 3
				THEN profiling.repeated_profiles(run_means.benchmark_id, run_means.event, run_means.unit,
					run_means.run_ids[1], bool_or(r.any_samples)) END)::profiling.means
		-- Whether any of them has samples is asked first, as all of their values are divided where one has.
		FROM (SELECT o.*, u.n,
				bool_or(profiling.has_samples(o.samples, o.benchmark_id, o.pending)) OVER () AS any_samples
			FROM unnest(run_means.run_ids) WITH ORDINALITY AS u (id, n)
				JOIN profiling.rollups_of(run_means.benchmark_id, run_means.run_ids) AS o ON o.event = run_means.event
					AND o.unit = run_means.unit AND o.test_run_id = u.id AND o.span = 'run') AS r
			JOIN profiling.benchmark AS b ON b.benchmark_id = r.benchmark_id);
END
$$;

COMMENT ON FUNCTION run_means(bigint, text, text, bigint[]) IS 'the means of some runs';

CREATE OR REPLACE FUNCTION recent_runs(watch watch) RETURNS int
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN coalesce((profiling.checked_options(watch) ->> 'recent')::int,
		CASE (watch).method WHEN 'welch' THEN 2 WHEN 'hotelling' THEN 3 WHEN 'energy' THEN 5 WHEN 'drift' THEN 5
			ELSE 1 END);
END
$$;

CREATE OR REPLACE FUNCTION compared_runs(watch watch, benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		OUT before_ids bigint[], OUT ids bigint[])
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_options CONSTANT jsonb := profiling.checked_options(watch);
	v_method CONSTANT text := (watch).method;
	v_recent CONSTANT int := profiling.recent_runs(watch);
BEGIN
	ids := compared_runs.run_ids;
	IF v_method NOT IN ('change_point', 'correlation') AND v_recent > cardinality(ids) THEN
		-- Methods that need several runs take those just before, too.
		ids := profiling.runs_before(compared_runs.benchmark_id, compared_runs.event, compared_runs.unit,
			compared_runs.branch,
			ids[1], 'window:' || v_recent - cardinality(ids)) || ids;
		IF cardinality(ids) < v_recent THEN
			before_ids := '{}';
			RETURN;
		END IF;
	END IF;
	IF v_method = 'drift' THEN
		before_ids := profiling.runs_long_before(compared_runs.benchmark_id, compared_runs.event, compared_runs.unit,
			compared_runs.branch, ids[cardinality(ids)], profiling.ago_of(watch));
		RETURN;
	ELSIF (watch).baseline LIKE 'season:%' AND v_method NOT IN ('change_point', 'correlation') THEN
		-- Each of the runs has its phase; none of them is history.
		before_ids := ARRAY(SELECT DISTINCT b.id
			FROM unnest(ids) AS r (id), unnest(profiling.runs_before(compared_runs.benchmark_id, compared_runs.event,
				compared_runs.unit, compared_runs.branch, r.id, (watch).baseline)) AS b (id)
			WHERE b.id <> ALL (ids));
		before_ids := ARRAY(SELECT t.test_run_id FROM profiling.test_run AS t
			WHERE t.test_run_id = ANY (before_ids) ORDER BY t.started_at, t.test_run_id);
		RETURN;
	END IF;
	-- A sequence is that of one branch, and a change in it needs some runs on both sides.
	before_ids := profiling.runs_before(compared_runs.benchmark_id, compared_runs.event, compared_runs.unit,
		compared_runs.branch, ids[1],
		CASE WHEN v_method = 'change_point' THEN 'window:' || coalesce((v_options ->> 'history')::int, 40)
			WHEN v_method = 'correlation' AND (watch).baseline NOT LIKE 'window:%' THEN 'window:10'
			ELSE (watch).baseline END);
END
$$;

CREATE OR REPLACE FUNCTION ago_of(watch watch) RETURNS interval
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN coalesce(profiling.checked_options(watch) ->> 'ago', '60 days')::interval;
END
$$;

COMMENT ON FUNCTION ago_of(watch) IS 'how old the runs are at least that a watch row of method drift compares with';

CREATE OR REPLACE FUNCTION runs_long_before(benchmark_id bigint, event text, unit text, branch text, test_run_id bigint,
		ago interval) RETURNS bigint[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(h.test_run_id ORDER BY h.started_at, h.test_run_id), '{}'::bigint[])
		FROM (SELECT r.test_run_id, r.started_at, sum(pg_catalog.cardinality(r.run_ids))
					OVER (ORDER BY r.started_at DESC, r.test_run_id DESC) - pg_catalog.cardinality(r.run_ids) AS newer
			FROM rollup AS r JOIN test_run AS n ON n.test_run_id = runs_long_before.test_run_id
			WHERE r.benchmark_id = runs_long_before.benchmark_id AND r.event = runs_long_before.event
				AND r.unit = runs_long_before.unit AND r.branch = runs_long_before.branch
				AND r.started_at <= (n.started_at AT TIME ZONE 'UTC' - runs_long_before.ago) AT TIME ZONE 'UTC') AS h
		WHERE h.newer < 10;
	END;

COMMENT ON FUNCTION runs_long_before(bigint, text, text, text, bigint, interval)
	IS 'the newest runs of a branch that are at least so much older than a run, oldest first: 10 of them, or as many '
		'more as the oldest month has that is needed for 10; a month is named by its newest run';

CREATE OR REPLACE FUNCTION moments_of(benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		level text) RETURNS flamestats
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT merged_stats(CASE
			-- The profiles of a month are its runs; else the mean of a run, and of a month, is one observation.
			WHEN r.span = 'month' AND r.repetitions = pg_catalog.cardinality(r.run_ids)
					AND r.pending OPERATOR(pg_catalog.=) '{}'::bigint[] AND r.repetitions > 1
				THEN CASE moments_of.level WHEN 'stack' THEN r.stats_stack WHEN 'node' THEN r.stats_node
					WHEN 'frame' THEN r.stats_frame ELSE r.stats_self END
			ELSE (SELECT stats(p.fg, moments_of.level)
				FROM (SELECT mean_profile(r.flamegraph, r.benchmark_id, r.pending, r.repetitions) AS fg) AS p) END)
		FROM rollups_of(moments_of.benchmark_id, moments_of.run_ids) AS r
		WHERE r.event = moments_of.event AND r.unit = moments_of.unit
			AND r.branch = moments_of.branch AND r.test_run_id = ANY (moments_of.run_ids);
	END;

COMMENT ON FUNCTION moments_of(bigint, text, text, text, bigint[], text)
	IS 'the moments of some rollups, each run one observation; a month in which runs have repetitions is one, too';

CREATE OR REPLACE FUNCTION drift_means(benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		level text) RETURNS means
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_all profiling.means;
	v_months bool;
BEGIN
	v_all := profiling.run_means(drift_means.benchmark_id, drift_means.event, drift_means.unit, drift_means.run_ids);
	SELECT coalesce(bool_or(r.span = 'month'), false) INTO v_months FROM profiling.rollup AS r
	WHERE r.benchmark_id = drift_means.benchmark_id AND r.event = drift_means.event AND r.unit = drift_means.unit
		AND r.branch = drift_means.branch AND r.test_run_id = ANY (drift_means.run_ids);
	IF NOT v_months THEN
		RETURN v_all;
	END IF;
	SELECT array_agg(profiling.mean_profile(r.flamegraph, r.benchmark_id, r.pending, r.repetitions) ORDER BY u.n),
		array_agg(profiling.cost_of(profiling.ratio(r.metric_sum, r.metric_count), b.metric_direction) ORDER BY u.n),
		CASE WHEN count(DISTINCT r.metric_unit) FILTER (WHERE r.metric_count > 0) = 1
			THEN max(r.metric_unit) FILTER (WHERE r.metric_count > 0) END
	INTO v_all.fgs, v_all.costs, v_all.metric_unit
	FROM unnest(drift_means.run_ids) WITH ORDINALITY AS u (id, n)
		JOIN profiling.rollups_of(drift_means.benchmark_id, drift_means.run_ids) AS r ON r.event = drift_means.event
			AND r.unit = drift_means.unit AND r.branch = drift_means.branch AND r.test_run_id = u.id
		JOIN profiling.benchmark AS b ON b.benchmark_id = r.benchmark_id;
	IF drift_means.level <> 'metric' THEN
		v_all.moments := profiling.moments_of(drift_means.benchmark_id, drift_means.event, drift_means.unit,
			drift_means.branch, drift_means.run_ids, drift_means.level);
	END IF;
	RETURN v_all;
END
$$;

COMMENT ON FUNCTION drift_means(bigint, text, text, text, bigint[], text)
	IS 'run_means() of runs of which some were merged to months: a month is one mean profile, and moments has all runs';

CREATE OR REPLACE FUNCTION tested_by_drift(before flamestats, after flamegraph[], of_sample float8, alpha float8)
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8, p_value float8, lower float8,
		upper float8)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT c.key, c.mean_before, c.mean_after, c.t, c.p_value, c.lower, c.upper
		FROM compare_stats(tested_by_drift.before,
			(SELECT stats(u.fg, stats_level(tested_by_drift.before))
				FROM pg_catalog.unnest(tested_by_drift.after) AS u (fg)),
			'none'::text, tested_by_drift.alpha, 'none'::text, 5::float8,
			poisson_unit => coalesce(tested_by_drift.of_sample, 0::float8)) AS c;
	END;

COMMENT ON FUNCTION tested_by_drift(flamestats, flamegraph[], float8, float8)
	IS 'every key of some runs against the moments of runs of long ago, by Welch''s test; no variance is below that of '
		'counts of samples worth of_sample';

COMMENT ON TYPE tested_key
	IS 'what a method says about a key: expected, actual, its statistic, p_value, the interval of the difference; '
		'gated: the p-value is that of one test of all keys, which were found by it; first_at: position of the first '
		'changed run in before || after; samples_before, samples_after: what was tested, where that are numbers of '
		'samples, of one run at the speed of the history; samples: how many of the new runs are behind the key';

CREATE OR REPLACE FUNCTION tested_by_deviation(before flamegraph[], current flamegraph, level text, of_sample float8,
		min_std float8, zero_std text)
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8, p_value float8)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT d.key, d.expected, d.actual, d.score, d.p_value
		FROM deviation_scores((SELECT stats(u.fg, tested_by_deviation.level)
			FROM pg_catalog.unnest(tested_by_deviation.before) AS u (fg)),
			tested_by_deviation.current, tested_by_deviation.of_sample, tested_by_deviation.min_std,
				tested_by_deviation.zero_std) AS d;
	END;

CREATE OR REPLACE FUNCTION variance_of(watch watch, before means, after means) RETURNS text
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
		SELECT coalesce((variance_of.watch).options ->> 'variance'::text,
			CASE WHEN (variance_of.before).samples_known AND (variance_of.after).samples_known
				THEN 'moderated'::text ELSE 'own'::text END);
	END;

COMMENT ON FUNCTION variance_of(watch, means, means)
	IS 'option variance of a watch row; moderated where it says nothing and the samples of all compared runs are known';

CREATE OR REPLACE FUNCTION test_unit(means means, by_samples bool) RETURNS float8
	LANGUAGE sql IMMUTABLE
	BEGIN ATOMIC
		SELECT CASE WHEN test_unit.by_samples
			THEN (SELECT avg(1::float8 / u.r::float8) FROM pg_catalog.unnest((test_unit.means).repetitions) AS u (r))
			ELSE (test_unit.means).of_sample END;
	END;

COMMENT ON FUNCTION test_unit(means, bool)
	IS 'what one sample is worth in these means, or in their mean numbers of samples';

CREATE OR REPLACE FUNCTION scored_run(history flamegraph[], current flamegraph, level text, variance text, unit float8,
		min_std float8, zero_std text, unit_now float8, repeated flamegraph[], before flamegraph[], after flamegraph)
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8, p_value float8, samples_before float8,
		samples_after float8, samples float8)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT s.key, s.value_before, s.value_after, s.score, s.p_value, s.expected, s.actual,
			s.measured / nullif(scored_run.unit_now, 0::float8)
		FROM run_scores(scored_run.history, scored_run.current, scored_run.level, scored_run.variance,
				scored_run.unit, scored_run.min_std, scored_run.zero_std, scored_run.unit_now, NULL::flamegraph[],
				NULL::flamegraph, scored_run.repeated, scored_run.before, scored_run.after) AS s;
	END;

COMMENT ON FUNCTION scored_run(flamegraph[], flamegraph, text, text, float8, float8, text, float8, flamegraph[],
		flamegraph[], flamegraph)
	IS 'run_scores() of numbers of samples beside the means of the values before and after; before and after null: of '
		'the values themselves';

CREATE OR REPLACE FUNCTION tested_run(before means, after means, level text, variance text, of_sample float8, min_std float8,
		zero_std text)
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8, p_value float8, samples_before float8,
		samples_after float8, samples float8)
	LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_by_samples CONSTANT bool := (before).samples IS NOT NULL AND (after).samples IS NOT NULL;
	v_known CONSTANT bool := (before).samples_known AND (after).samples_known;
	v_unit_now CONSTANT float8 := CASE WHEN v_by_samples THEN profiling.test_unit(after, true)
		ELSE tested_run.of_sample END;
BEGIN
	IF coalesce(cardinality((before).fgs), 0) < 2 THEN
		-- What an open finding was compared with may have been deleted: what the run has is left to say.
		RETURN QUERY
		SELECT m.key, NULL::float8, m.mean, NULL::float8, NULL::float8, NULL::float8, NULL::float8, NULL::float8
		FROM profiling.means_of((after).fgs, tested_run.level) AS m;
		RETURN;
	ELSIF NOT coalesce(v_known, false) AND tested_run.variance = 'own' THEN
		RETURN QUERY
		SELECT d.key, d.expected, d.actual, d.score, d.p_value, NULL::float8, NULL::float8, NULL::float8
		FROM profiling.tested_by_deviation((before).fgs, (after).fgs[1], tested_run.level, tested_run.of_sample,
			tested_run.min_std, tested_run.zero_std) AS d;
		RETURN;
	END IF;
	RETURN QUERY
	SELECT d.key, d.expected, d.actual, d.score, d.p_value, CASE WHEN v_known THEN d.samples_before END,
		CASE WHEN v_known THEN d.samples_after END, CASE WHEN v_known THEN d.samples END
	FROM profiling.scored_run(
		CASE WHEN v_by_samples THEN (before).samples ELSE (before).fgs END,
		CASE WHEN v_by_samples THEN (after).samples[1] ELSE (after).fgs[1] END, tested_run.level,
		tested_run.variance,
		CASE WHEN v_by_samples THEN profiling.test_unit(before, true) ELSE tested_run.of_sample END,
		CASE WHEN v_by_samples THEN 0 ELSE tested_run.min_std END, tested_run.zero_std, v_unit_now,
		CASE WHEN v_by_samples = ((after).samples IS NOT NULL) THEN (after).repeated END,
		CASE WHEN v_by_samples THEN (before).fgs END, CASE WHEN v_by_samples THEN (after).fgs[1] END) AS d;
END
$$;

COMMENT ON FUNCTION tested_run(means, means, text, text, float8, float8, text)
	IS 'every key of a run against the runs before it, by run_scores() of numbers of samples where all runs have them; '
		'expected and actual are in the unit of the event, samples_before and samples_after are what was tested; '
		'without two runs before only actual is known';

CREATE OR REPLACE FUNCTION as_tested(t tested_key, min_effect float8) RETURNS tested_key
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_more CONSTANT float8 := t.samples_after - t.samples_before;
BEGIN
	-- Where pauses of the machine hide what the samples show, these are told at the weight that they had before.
	IF t.samples_before > 0 AND t.expected > 0 AND (sign(t.actual - t.expected) <> sign(v_more)
			OR abs(t.actual - t.expected) < min_effect * t.expected
			OR abs(v_more) < min_effect * t.samples_before) THEN
		t.actual := t.expected * (t.samples_after / t.samples_before);
	END IF;
	RETURN t;
END
$$;

COMMENT ON FUNCTION as_tested(tested_key, float8)
	IS 'a tested key whose difference in the unit of the event agrees with that of the numbers of samples that were '
		'tested: in direction, and on whether it is at least min_effect';

CREATE OR REPLACE FUNCTION tested_by_welch(before flamegraph[], after flamegraph[], level text, of_sample float8, alpha float8)
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8, p_value float8, lower float8,
		upper float8)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT c.key, c.mean_before, c.mean_after, c.t,
			-- Where nothing varied, a few samples would be a certainty.
			CASE WHEN abs(c.delta) <= 3::float8 * count_noise(c.mean_before, tested_by_welch.of_sample)
					* sqrt(1::float8 / pg_catalog.cardinality(tested_by_welch.before)::float8
						+ 1::float8 / pg_catalog.cardinality(tested_by_welch.after)::float8)
				THEN 1::float8 ELSE c.p_value END,
			c.lower, c.upper
		FROM compare_stats((SELECT stats(u.fg, tested_by_welch.level)
			FROM pg_catalog.unnest(tested_by_welch.before) AS u (fg)),
			(SELECT stats(u.fg, tested_by_welch.level) FROM pg_catalog.unnest(tested_by_welch.after) AS u (fg)),
			'none'::text, tested_by_welch.alpha, 'none'::text, 5::float8) AS c;
	END;

CREATE OR REPLACE FUNCTION noise_of_means(samples flamegraph[], repetitions int[]) RETURNS flamegraph[]
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT pg_catalog.array_agg(u.fg / u.r::float8 ORDER BY u.n)
		FROM ROWS FROM (pg_catalog.unnest(noise_of_means.samples), pg_catalog.unnest(noise_of_means.repetitions))
			WITH ORDINALITY AS u (fg, r, n);
	END;

COMMENT ON FUNCTION noise_of_means(flamegraph[], int[])
	IS 'the variance that mean numbers of samples have because they were sampled, each of so many repetitions';

CREATE OR REPLACE FUNCTION counts_of(means means, of_sample float8) RETURNS flamegraph[]
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN (counts_of.means).samples IS NULL
			THEN (SELECT pg_catalog.array_agg(u.fg / counts_of.of_sample)
				FROM pg_catalog.unnest((counts_of.means).fgs) AS u (fg) WHERE counts_of.of_sample > 0::float8)
			ELSE (SELECT pg_catalog.array_agg(u.fg * u.r::float8)
				FROM ROWS FROM (pg_catalog.unnest((counts_of.means).samples),
					pg_catalog.unnest((counts_of.means).repetitions)) AS u (fg, r)) END
		WHERE (counts_of.means).samples_known;
	END;

COMMENT ON FUNCTION counts_of(means, float8)
	IS 'the numbers of samples of some runs, not of their means; null when they are unknown; of_sample: what one is '
		'worth in the means, where all weigh the same';

CREATE OR REPLACE FUNCTION compared_groups(before flamegraph[], after flamegraph[], level text, variance text, alpha float8,
		unit float8, before_noise flamegraph[], after_noise flamegraph[], told_before flamegraph[],
		told_after flamegraph[], counts flamegraph[])
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8, p_value float8, lower float8,
		upper float8, samples_before float8, samples_after float8, samples float8)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT c.key, w.expected, w.actual, c.t, c.p_value, c.lower * w.weight, c.upper * w.weight, c.mean_before,
			c.mean_after, coalesce(n.mean, 0::float8) * pg_catalog.cardinality(compared_groups.counts)::float8
		FROM compare_profiles(compared_groups.before, compared_groups.after, compared_groups.level, 'welch'::text,
				'none'::text, compared_groups.alpha, 'none'::text, 5::float8, 1, 999, 42::bigint,
				compared_groups.variance, compared_groups.unit, compared_groups.before_noise,
				compared_groups.after_noise) AS c
			LEFT JOIN means_of(compared_groups.told_before, compared_groups.level) AS b ON b.key = c.key
			LEFT JOIN means_of(compared_groups.told_after, compared_groups.level) AS a ON a.key = c.key
			LEFT JOIN means_of(compared_groups.counts, compared_groups.level) AS n ON n.key = c.key
			-- what is told of a number: at the weight that its samples had before
			CROSS JOIN LATERAL (SELECT coalesce(b.mean, 0::float8) AS expected, coalesce(a.mean, 0::float8) AS actual,
				coalesce(ratio(b.mean, c.mean_before), ratio(a.mean, c.mean_after), 1::float8) AS weight) AS w;
	END;

COMMENT ON FUNCTION compared_groups(flamegraph[], flamegraph[], text, text, float8, float8, flamegraph[], flamegraph[],
		flamegraph[], flamegraph[], flamegraph[])
	IS 'compare_profiles() of numbers of samples, or of values, beside the means of the values that are told, and how '
		'many samples are behind them: counts, of each run';

CREATE OR REPLACE FUNCTION tested_groups(before means, after means, level text, variance text, of_sample float8, alpha float8)
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8, p_value float8, lower float8,
		upper float8, samples_before float8, samples_after float8, samples float8)
	LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_by_samples CONSTANT bool := (before).samples IS NOT NULL AND (after).samples IS NOT NULL;
	v_known CONSTANT bool := coalesce((before).samples_known AND (after).samples_known, false);
BEGIN
	IF NOT v_known AND tested_groups.variance = 'own' THEN
		RETURN QUERY
		SELECT c.key, c.expected, c.actual, c.score, c.p_value, c.lower, c.upper, NULL::float8, NULL::float8,
			NULL::float8
		FROM profiling.tested_by_welch((before).fgs, (after).fgs, tested_groups.level, tested_groups.of_sample,
			tested_groups.alpha) AS c;
		RETURN;
	END IF;
	RETURN QUERY
	SELECT c.key, c.expected, c.actual, c.score, c.p_value, c.lower, c.upper,
		CASE WHEN v_by_samples THEN c.samples_before END, CASE WHEN v_by_samples THEN c.samples_after END, c.samples
	FROM profiling.compared_groups(CASE WHEN v_by_samples THEN (before).samples ELSE (before).fgs END,
			CASE WHEN v_by_samples THEN (after).samples ELSE (after).fgs END, tested_groups.level,
			tested_groups.variance, tested_groups.alpha, CASE WHEN v_by_samples THEN 0 ELSE tested_groups.of_sample END,
			CASE WHEN v_by_samples THEN profiling.noise_of_means((before).samples, (before).repetitions) END,
			CASE WHEN v_by_samples THEN profiling.noise_of_means((after).samples, (after).repetitions) END,
			(before).fgs, (after).fgs, profiling.counts_of(after, tested_groups.of_sample)) AS c;
END
$$;

COMMENT ON FUNCTION tested_groups(means, means, text, text, float8, float8)
	IS 'every key of two groups of runs, by Welch''s test of numbers of samples where all runs have them, with their '
		'noise as floor; expected, actual, lower and upper are in the unit of the event';

CREATE OR REPLACE FUNCTION hotelling_status(before flamegraph[], after flamegraph[], level text, alpha float8,
		min_df int) RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT h.status FROM hotelling_test(hotelling_status.before, hotelling_status.after, hotelling_status.alpha,
			hotelling_status.level, hotelling_status.min_df) AS h;
	END;

COMMENT ON FUNCTION hotelling_status(flamegraph[], flamegraph[], text, float8, int)
	IS 'ok, or why hotelling_p() of the same groups of runs is null';

CREATE OR REPLACE FUNCTION tested_by_parts(first flamegraph[], second flamegraph[], level text, of_sample float8, alpha float8,
		min_std float8, zero_std text)
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8, lower float8, upper float8)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT c.key, c.mean_before, c.mean_after, c.t, c.lower, c.upper
		FROM compare_stats((SELECT stats(u.fg, tested_by_parts.level)
			FROM pg_catalog.unnest(tested_by_parts.first) AS u (fg)),
				(SELECT stats(u.fg, tested_by_parts.level) FROM pg_catalog.unnest(tested_by_parts.second) AS u (fg)),
				'bh'::text, tested_by_parts.alpha, 'none'::text, 5::float8) AS c
			-- What went away again since is no finding.
			JOIN tested_by_deviation(tested_by_parts.first,
				tested_by_parts.second[pg_catalog.cardinality(tested_by_parts.second)], tested_by_parts.level,
				tested_by_parts.of_sample, tested_by_parts.min_std, tested_by_parts.zero_std) AS d ON d.key = c.key
		WHERE c.q_value <= tested_by_parts.alpha AND sign(c.delta) = sign(d.actual - d.expected)
			AND c.delta <> 0::float8
			AND abs(d.actual - d.expected) >= abs(c.delta) / 2::float8;
	END;

CREATE OR REPLACE FUNCTION tested_key_by_key(watch watch, level text, before means, after means, of_sample float8)
	RETURNS SETOF tested_key
	LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_options CONSTANT jsonb := profiling.checked_options(watch);
	v_at CONSTANT int := cardinality((before).fgs) + 1;
BEGIN
	IF cardinality((before).fgs) < 2 OR (watch).method IN ('welch', 'drift') AND cardinality((after).fgs) < 2 THEN
		RETURN;
	ELSIF (watch).method = 'deviation' AND cardinality((after).fgs) = 1 THEN
		RETURN QUERY
		SELECT d.key, d.expected, d.actual, d.score, d.p_value, NULL::float8, NULL::float8, false, v_at,
			d.samples_before, d.samples_after, d.samples
		FROM profiling.tested_run(before, after, tested_key_by_key.level,
			profiling.variance_of(watch, before, after), tested_key_by_key.of_sample,
			coalesce((v_options ->> 'min_std')::float8, 0), coalesce(v_options ->> 'zero_std', 'inf')) AS d;
	ELSE
		RETURN QUERY
		SELECT c.key, c.expected, c.actual, c.score, c.p_value, c.lower, c.upper, false, v_at,
			c.samples_before, c.samples_after, c.samples
		FROM profiling.tested_groups(before, after, tested_key_by_key.level,
			profiling.variance_of(watch, before, after), tested_key_by_key.of_sample, (watch).alpha) AS c;
	END IF;
END
$$;

COMMENT ON FUNCTION tested_key_by_key(watch, text, means, means, float8)
	IS 'tested() by deviation and welch, where each key has a p-value of its own';

CREATE OR REPLACE FUNCTION tested_jointly(watch watch, level text, before flamegraph[], after flamegraph[], alpha float8)
	RETURNS SETOF tested_key
	LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_min_df CONSTANT int := coalesce((profiling.checked_options(watch) ->> 'min_df')::int, 1);
	v_p CONSTANT float8 := profiling.hotelling_p(before, after, tested_jointly.level, tested_jointly.alpha, v_min_df);
BEGIN
	IF v_p <= tested_jointly.alpha THEN
		RETURN QUERY
		SELECT i.key, i.expected, i.actual, i.score, v_p, i.lower, i.upper, true, cardinality(before) + 1,
			NULL::float8, NULL::float8, NULL::float8
		FROM profiling.tested_by_hotelling(before, after, tested_jointly.level, tested_jointly.alpha, v_min_df) AS i;
	END IF;
END
$$;

CREATE OR REPLACE FUNCTION tested_in_parts(watch watch, level text, before flamegraph[], after flamegraph[], of_sample float8,
		alpha float8)
	RETURNS SETOF tested_key
	LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_options CONSTANT jsonb := profiling.checked_options(watch);
	-- enough for a p-value below alpha, were it not for the number of arrangements
	v_permutations CONSTANT int := coalesce((v_options ->> 'permutations')::int,
		greatest(999, ceil(2 / greatest(tested_in_parts.alpha, 0.00002))::int - 1));
	v_seed CONSTANT bigint := coalesce((v_options ->> 'seed')::bigint, 42);
	v_to CONSTANT int := cardinality(before) + cardinality(after);
	v_p float8;
	v_from int := 1;
	v_at int := cardinality(before) + 1;
BEGIN
	IF (watch).method = 'change_point' THEN
		-- the last change, and what lies between it and the one before
		SELECT c.change_at, c.p_value, c.from_at INTO v_at, v_p, v_from
		FROM profiling.last_change(before || after, coalesce((v_options ->> 'min_segment')::int, 5),
			tested_in_parts.alpha,
			v_permutations, v_seed) AS c;
	ELSIF cardinality(before) >= 2 THEN
		v_p := profiling.energy_p(before, after, coalesce((v_options ->> 'normalised')::bool, false), v_permutations,
			v_seed);
	END IF;
	IF v_p <= tested_in_parts.alpha THEN
		RETURN QUERY
		SELECT c.key, c.expected, c.actual, c.score, v_p, c.lower, c.upper, true, v_at,
			NULL::float8, NULL::float8, NULL::float8
		FROM profiling.tested_by_parts((before || after)[v_from : v_at - 1], (before || after)[v_at : v_to],
			tested_in_parts.level,
			tested_in_parts.of_sample, (watch).alpha, coalesce((v_options ->> 'min_std')::float8, 0),
			coalesce(v_options ->> 'zero_std', 'inf')) AS c;
	END IF;
END
$$;

CREATE OR REPLACE FUNCTION tested_by_cost(watch watch, level text, before flamegraph[], after flamegraph[], costs float8[],
		alpha float8)
	RETURNS SETOF tested_key
	LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_options CONSTANT jsonb := profiling.checked_options(watch);
	v_before CONSTANT int := cardinality(before);
	v_p float8;
BEGIN
	IF v_before < 2 THEN
		RETURN;
	END IF;
	-- Has what the runs cost changed? Then the functions that go with it.
	SELECT min(d.p_value) INTO v_p
	FROM profiling.tested_by_deviation(profiling.metric_profiles(costs[:v_before]),
		profiling.metric_profile((SELECT avg(u.cost) FROM unnest(costs[v_before + 1:]) AS u (cost))), 'self'::text,
			0::float8,
		coalesce((v_options ->> 'min_std')::float8, 0), 'inf'::text) AS d;
	IF v_p <= tested_by_cost.alpha THEN
		RETURN QUERY
		SELECT c.key, c.expected, c.actual, c.score, v_p, NULL::float8, NULL::float8, true, v_before + 1,
			NULL::float8, NULL::float8, NULL::float8
		FROM profiling.tested_by_correlation(before, after, costs, tested_by_cost.level,
			coalesce(v_options ->> 'correlation', 'pearson'),
				coalesce((v_options ->> 'min_score')::float8, 0.8::float8)) AS c;
	END IF;
END
$$;

CREATE OR REPLACE FUNCTION tested(watch watch, level text, before means, after means, of_sample float8, alpha float8)
	RETURNS SETOF tested_key
	LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_of_sample CONSTANT float8 := coalesce((profiling.checked_options(watch) ->> 'poisson_unit')::float8,
		tested.of_sample);
BEGIN
	CASE (watch).method
		WHEN 'deviation', 'welch', 'drift' THEN
			RETURN QUERY SELECT * FROM profiling.tested_key_by_key(watch, tested.level, before, after, v_of_sample);
		WHEN 'hotelling' THEN
			RETURN QUERY SELECT * FROM profiling.tested_jointly(watch, tested.level, (before).fgs, (after).fgs,
				tested.alpha);
		WHEN 'energy', 'change_point' THEN
			RETURN QUERY SELECT * FROM profiling.tested_in_parts(watch, tested.level, (before).fgs, (after).fgs,
				v_of_sample,
				tested.alpha);
		WHEN 'correlation' THEN
			RETURN QUERY SELECT * FROM profiling.tested_by_cost(watch, tested.level, (before).fgs, (after).fgs,
				(before).costs || (after).costs,
				tested.alpha);
	END CASE;
END
$$;

COMMENT ON FUNCTION tested(watch, text, means, means, float8, float8)
	IS 'what a watch row''s method says about every key of these run means; alpha: what the family has';

CREATE OR REPLACE FUNCTION tested_family(watch watch, level text, with_metric bool, before means, after means, alpha float8,
		size float8)
	RETURNS TABLE (found_level text, tested tested_key)
	LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	IF (before).moments IS NOT NULL THEN
		RETURN QUERY
		SELECT tested_family.level, ROW(t.key, t.expected, t.actual, t.score, t.p_value, t.lower, t.upper, false,
			cardinality((before).fgs) + 1, NULL, NULL, NULL)::profiling.tested_key
		FROM profiling.tested_by_drift((before).moments, (after).fgs, (after).of_sample, (watch).alpha) AS t
		WHERE greatest(abs(t.actual), abs(t.expected)) >= (watch).min_share / 2 * tested_family.size;
	ELSIF tested_family.level <> 'metric' THEN
		RETURN QUERY
		SELECT tested_family.level, t
		FROM profiling.tested(watch, tested_family.level, before, after, (after).of_sample, tested_family.alpha) AS t
		-- What cannot become a finding is not tested: with a share of min_share it is one, from half of that on it
		-- counts as a test.
		WHERE t.gated OR greatest(abs(t.actual), abs(t.expected)) >= (watch).min_share / 2 * tested_family.size;
	END IF;
	IF with_metric THEN
		RETURN QUERY
		SELECT 'metric', t
		FROM profiling.tested(watch, 'self'::text, profiling.metric_means((before).costs),
			profiling.metric_means((after).costs), 0::float8, tested_family.alpha) AS t;
	END IF;
END
$$;

CREATE OR REPLACE FUNCTION with_team(finding finding, fg flamegraph) RETURNS finding
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	finding.team := profiling.team_of((finding).level, (finding).subject, fg);
	RETURN finding;
END
$$;

CREATE OR REPLACE FUNCTION open_finding(benchmark_id bigint, finding finding, fg flamegraph, confirm int DEFAULT 0) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	f CONSTANT profiling.finding := profiling.with_team(finding, fg);
	v_new profiling.regression;
BEGIN
	-- What somebody has called a false positive stays one as long as it is the same change.
	IF EXISTS (SELECT 1 FROM profiling.regression AS r WHERE r.benchmark_id = open_finding.benchmark_id
		AND r.event = f.event
			AND r.unit = f.unit AND r.branch = f.branch AND r.method = f.method AND r.level = f.level
			AND r.subject_id = f.subject_id AND r.kind = f.kind AND r.status = 'false_positive'
			AND abs(r.actual - f.actual) <= 0.5 * abs(r.diff)) THEN
		RETURN NULL;
	END IF;
	INSERT INTO profiling.regression AS r (benchmark_id, event, unit, branch, first_test_run_id, last_test_run_id,
		method, level,
		subject, subject_id, expected, actual, diff, relative, score, p_value, q_value, lower, upper, kind, team,
			samples,
		cause, counterpart)
	SELECT open_finding.benchmark_id, f.*
	-- Open already: one row for as long as it lasts, which seen_again() brings up to date.
	ON CONFLICT (benchmark_id, event, unit, branch, method, level, subject_id)
		WHERE status IN ('open', 'acknowledged', 'pending') DO NOTHING
	RETURNING r.* INTO v_new;
	IF FOUND THEN
		PERFORM profiling.wait_or_open(v_new, open_finding.confirm);
	END IF;
	RETURN v_new.regression_id;
END
$$;

COMMENT ON FUNCTION open_finding(bigint, finding, flamegraph, int)
	IS 'puts a finding into regression, with its team, pending until more than confirm runs have shown it; null when '
		'it is open already or was called a false positive';

CREATE OR REPLACE FUNCTION origins(keys stackpath[], level text, delta flamegraph, OUT origins stackpath[])
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN origins.level IN ('frame', 'node')
				THEN change_origins(origins.keys, origins.delta, origins.level)
			ELSE origins.keys END;
	END;

CREATE OR REPLACE FUNCTION run_change(history flamegraph[], current flamegraph, variance text, unit float8, unit_now float8,
		repeated flamegraph[]) RETURNS flamegraph
	LANGUAGE sql STABLE PARALLEL SAFE COST 200000
	BEGIN ATOMIC
		SELECT run_difference(run_change.history, run_change.current, run_change.variance, run_change.unit,
			run_change.unit_now, NULL::flamegraph[], NULL::flamegraph, run_change.repeated);
	END;

COMMENT ON FUNCTION run_change(flamegraph[], flamegraph, text, float8, float8, flamegraph[])
	IS 'a run less those before it, as scored_run() compares them';

CREATE OR REPLACE FUNCTION tested_change(watch watch, before means, after means) RETURNS flamegraph
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_by_samples CONSTANT bool := (before).samples IS NOT NULL AND (after).samples IS NOT NULL;
	v_known CONSTANT bool := coalesce((before).samples_known AND (after).samples_known, false);
	v_variance CONSTANT text := profiling.variance_of(watch, before, after);
	v_of_sample CONSTANT float8 := coalesce((profiling.checked_options(watch) ->> 'poisson_unit')::float8,
		(after).of_sample);
BEGIN
	IF (watch).method IN ('deviation', 'welch', 'drift') AND cardinality((after).fgs) > 1 AND v_by_samples
			AND (before).moments IS NULL THEN
		RETURN profiling.change_between((before).samples, (after).samples);
	ELSIF (watch).method <> 'deviation' OR cardinality((after).fgs) <> 1 OR cardinality((before).fgs) < 2
			OR NOT v_known AND v_variance = 'own' THEN
		RETURN profiling.change_between((before).fgs, (after).fgs);
	END IF;
	RETURN profiling.run_change(
		CASE WHEN v_by_samples THEN (before).samples ELSE (before).fgs END,
		CASE WHEN v_by_samples THEN (after).samples[1] ELSE (after).fgs[1] END, v_variance,
		CASE WHEN v_by_samples THEN profiling.test_unit(before, true) ELSE v_of_sample END,
		CASE WHEN v_by_samples THEN profiling.test_unit(after, true) ELSE v_of_sample END,
		CASE WHEN v_by_samples = ((after).samples IS NOT NULL) THEN (after).repeated END);
END
$$;

COMMENT ON FUNCTION tested_change(watch, means, means)
	IS 'the difference of the profiles that a watch row''s method saw: of the numbers of samples where these were '
		'tested (tested_run), at the speed of the history';

CREATE OR REPLACE FUNCTION significant(watch watch, level text, with_metric bool, before means, after means, families float8)
	RETURNS TABLE (found_level text, tested tested_key, p float8, q float8)
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_size CONSTANT float8 := greatest(profiling.mean_total((after).fgs), profiling.mean_total((before).fgs));
BEGIN
	RETURN QUERY
	WITH ranked AS (
		SELECT t.found_level, t.tested, coalesce((t.tested).p_value, 1) AS p,
			row_number() OVER (ORDER BY coalesce((t.tested).p_value, 1)) AS place, count(*) OVER () AS tests
		FROM profiling.tested_family(watch, significant.level, with_metric, before, after, (watch).alpha / families,
			v_size) AS t
	), adjusted AS (
		SELECT r.found_level, r.tested, r.p, CASE WHEN (r.tested).gated THEN r.p
			ELSE least(1, min(r.p * r.tests / r.place) OVER (ORDER BY r.place DESC ROWS UNBOUNDED PRECEDING)) END AS q
		FROM ranked AS r
	)
	SELECT a.found_level, v.as_tested, a.p, a.q
	FROM adjusted AS a
		CROSS JOIN LATERAL (SELECT t AS as_tested, (t).expected, (t).actual
			FROM profiling.as_tested(a.tested, (watch).min_effect) AS t) AS v
	WHERE a.q <= (watch).alpha AND v.actual <> v.expected
		AND abs(v.actual - v.expected) >= (watch).min_effect * abs(v.expected)
		AND (a.found_level = 'metric' OR greatest(abs(v.actual), abs(v.expected)) >= (watch).min_share * v_size);
END
$$;

COMMENT ON FUNCTION significant(watch, text, bool, means, means, float8)
	IS 'what differs in some runs from those before them, more than a watch row lets pass, as if there were one family '
		'of tests: q is p adjusted for the tests of this one; families: those that share the alpha of tests of whole '
		'profiles';

CREATE OR REPLACE FUNCTION finding_of(benchmark_id bigint, event text, unit text, branch text, method text, metric_unit text,
		ids bigint[],
		costs float8[], level text, tested tested_key, q float8) RETURNS finding
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	t CONSTANT profiling.tested_key := tested;
	v_metric CONSTANT bool := finding_of.level = 'metric';
	-- Of a throughput the cost is its negative.
	v_sign CONSTANT int := CASE WHEN v_metric AND (SELECT b.metric_direction = 'higher' FROM profiling.benchmark AS b
		WHERE b.benchmark_id = finding_of.benchmark_id) THEN -1 ELSE 1 END;
	f profiling.finding;
BEGIN
	f.event := finding_of.event;
	f.cause := '';
	f.counterpart := '{}';
	f.unit := CASE WHEN v_metric THEN finding_of.metric_unit ELSE finding_of.unit END;
	f.branch := finding_of.branch;
	-- Runs without a metric are no part of its history.
	f.first_test_run_id := CASE WHEN v_metric THEN (ARRAY(SELECT u.id
		FROM unnest(ids, costs) WITH ORDINALITY AS u (id, cost, n)
			WHERE u.cost IS NOT NULL ORDER BY u.n))[t.first_at]
		ELSE ids[t.first_at] END;
	f.last_test_run_id := ids[cardinality(ids)];
	f.method := finding_of.method;
	f.level := finding_of.level;
	f.subject := profiling.subject_of(finding_of.level, t.key);
	f.subject_id := profiling.subject_id(f.subject);
	f.expected := v_sign * t.expected;
	f.actual := v_sign * t.actual;
	f.diff := v_sign * (t.actual - t.expected);
	f.relative := profiling.ratio(f.diff, abs(t.expected));
	f.score := v_sign * t.score;
	f.p_value := t.p_value;
	f.q_value := finding_of.q;
	f.lower := CASE v_sign WHEN 1 THEN t.lower ELSE - t.upper END;
	f.upper := CASE v_sign WHEN 1 THEN t.upper ELSE - t.lower END;
	f.kind := CASE WHEN t.actual > t.expected THEN 'degradation' ELSE 'optimization' END;
	f.samples := t.samples;
	RETURN f;
END
$$;

CREATE OR REPLACE FUNCTION divided(means means, factor float8) RETURNS means
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT ROW(
			(SELECT pg_catalog.array_agg(u.fg / divided.factor ORDER BY u.n)
				FROM pg_catalog.unnest((divided.means).fgs) WITH ORDINALITY AS u (fg, n)),
			(divided.means).costs, (divided.means).metric_unit, (divided.means).of_sample, (divided.means).moments,
			(SELECT pg_catalog.array_agg(u.fg / divided.factor ORDER BY u.n)
				FROM pg_catalog.unnest((divided.means).samples) WITH ORDINALITY AS u (fg, n)),
			(divided.means).repetitions, (divided.means).samples_known,
			(SELECT pg_catalog.array_agg(u.fg / divided.factor ORDER BY u.n)
				FROM pg_catalog.unnest((divided.means).repeated) WITH ORDINALITY AS u (fg, n)))::means;
	END;

COMMENT ON FUNCTION divided(means, float8)
	IS 'runs with all values and numbers of samples divided by a factor, not metrics';

CREATE OR REPLACE FUNCTION at_host_speed(watch watch, benchmark_id bigint, event text, unit text, branch text,
		before_ids bigint[], run_ids bigint[]) RETURNS means
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_means CONSTANT profiling.means := profiling.run_means(at_host_speed.benchmark_id, at_host_speed.event,
		at_host_speed.unit, at_host_speed.run_ids);
BEGIN
	IF profiling.checked_options(watch) ->> 'size_factor' IS DISTINCT FROM 'host' OR cardinality(before_ids) = 0 THEN
		RETURN v_means;
	END IF;
	RETURN profiling.divided(v_means, profiling.host_factor(at_host_speed.benchmark_id, at_host_speed.event,
		at_host_speed.unit, at_host_speed.branch, at_host_speed.before_ids, at_host_speed.run_ids));
END
$$;

COMMENT ON FUNCTION at_host_speed(watch, bigint, text, text, text, bigint[], bigint[])
	IS 'the means of new runs; with the watch option size_factor host, divided by how much slower all benchmarks of '
		'their host were than at the time of the runs before';

CREATE OR REPLACE FUNCTION found_between(watch watch, benchmark_id bigint, event text, unit text, branch text, level text,
		metric_unit text, with_metric bool, ids bigint[], before means, after means, families float8,
		OUT findings finding[], OUT p_value float8)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	WITH outstanding AS MATERIALIZED (
		SELECT s.* FROM profiling.significant(watch, found_between.level, with_metric, before, after,
			greatest(found_between.families, 1)) AS s
	), significant AS (
		SELECT o.found_level AS level, (o.tested).key AS key, o.tested, o.p,
			least(1, greatest(found_between.families, 1) * o.q) AS q
		FROM outstanding AS o WHERE greatest(found_between.families, 1) * o.q <= (watch).alpha
	), origin AS (
		-- The difference of the profiles is worked out only when it is asked for.
		SELECT CASE WHEN count(*) > 1
			THEN profiling.origins(array_agg(g.key), found_between.level, profiling.tested_change(watch, before, after))
			ELSE array_agg(g.key) END AS keys
		FROM significant AS g WHERE g.level <> 'metric'
	)
	SELECT array_agg(s ORDER BY g.level, g.p, abs((g.tested).score) DESC, g.key),
		(SELECT min(o.q) FROM outstanding AS o) INTO findings, p_value
	FROM significant AS g
		CROSS JOIN LATERAL profiling.finding_of(found_between.benchmark_id, found_between.event,
			found_between.unit, found_between.branch, (watch).method, metric_unit,
			ids, (before).costs || (after).costs, g.level, g.tested, g.q) AS f
		CROSS JOIN LATERAL profiling.shifted(watch, f, before, after) AS s
	WHERE (g.level = 'metric' OR array_position((SELECT o.keys FROM origin AS o), g.key) IS NOT NULL)
		AND (watch).direction IN ('both', f.kind);
END
$$;

COMMENT ON FUNCTION found_between(watch, bigint, text, text, text, text, text, bool, bigint[], means, means, float8)
	IS 'found_in_family() of these runs and those before them; ids: those of all of them';

CREATE OR REPLACE FUNCTION found_in_family(watch watch, benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		families float8, OUT findings finding[], OUT p_value float8)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_method CONSTANT text := (watch).method;
	v_level CONSTANT text := CASE WHEN v_method = 'correlation' AND (watch).level NOT IN ('frame', 'self') THEN 'frame'
		ELSE (watch).level END;
	v_runs record;
	v_before profiling.means;
	v_after profiling.means;
	v_metric_unit text;
	v_with_metric bool;
BEGIN
	v_runs := profiling.compared_runs(watch, found_in_family.benchmark_id, found_in_family.event, found_in_family.unit,
		found_in_family.branch, found_in_family.run_ids);
	IF cardinality(v_runs.before_ids) < 2 - (v_method = 'drift')::int THEN
		RETURN;
	END IF;
	v_before := CASE WHEN v_method = 'drift' THEN profiling.drift_means(found_in_family.benchmark_id,
			found_in_family.event, found_in_family.unit, found_in_family.branch, v_runs.before_ids, v_level)
		ELSE profiling.run_means(found_in_family.benchmark_id, found_in_family.event, found_in_family.unit,
			v_runs.before_ids) END;
	v_after := profiling.at_host_speed(watch, found_in_family.benchmark_id, found_in_family.event,
		found_in_family.unit, found_in_family.branch, v_runs.before_ids, v_runs.ids);
	v_metric_unit := profiling.metric_unit_of(found_in_family.benchmark_id, found_in_family.event,
		v_runs.ids[cardinality(v_runs.ids)], v_before, v_after);
	IF v_metric_unit IS NULL AND (v_method = 'correlation' OR v_level = 'metric') THEN
		RETURN;
	END IF;
	-- The metric is one more key of such a family, unless it has a row of its own.
	v_with_metric := v_level = 'metric' OR v_metric_unit IS NOT NULL AND v_method IN ('deviation', 'welch')
		AND NOT EXISTS (SELECT 1 FROM profiling.watches_of(found_in_family.benchmark_id, found_in_family.event) AS o
			WHERE o.method = v_method AND o.level = 'metric');
	SELECT b.findings, b.p_value INTO findings, p_value
	FROM profiling.found_between(watch, found_in_family.benchmark_id, found_in_family.event, found_in_family.unit,
		found_in_family.branch, v_level, v_metric_unit, v_with_metric, v_runs.before_ids || v_runs.ids, v_before,
		v_after, found_in_family.families) AS b;
END
$$;

COMMENT ON FUNCTION found_in_family(watch, bigint, text, text, text, bigint[], float8)
	IS 'the findings of one family, without their teams, when so many families share alpha, and the smallest p-value '
		'adjusted within the family, of what is large enough to be a finding; null when that is above alpha';

CREATE OR REPLACE FUNCTION found(watch watch, benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		families float8 DEFAULT 1)
	RETURNS SETOF finding
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	IF (watch).level = 'location' OR (watch).method IN ('integral', 'local_statistics') THEN
		RAISE EXCEPTION 'method % of watch row % cannot compare at level %', (watch).method, (watch).watch_id,
			(watch).level USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Observations have level location and methods integral and local_statistics.';
	END IF;
	RETURN QUERY
	SELECT u.* FROM unnest((profiling.found_in_family(watch, found.benchmark_id, found.event, found.unit, found.branch,
		found.run_ids, found.families)).findings) AS u;
END
$$;

COMMENT ON FUNCTION found(watch, bigint, text, text, text, bigint[], float8)
	IS 'the findings of one family, without their teams: these runs against their history by a watch row; families: '
		'how many there are tonight, which share alpha; fewer of those that were selected';

CREATE OR REPLACE FUNCTION scored_again(benchmark_id bigint, regression_ids bigint[], before means, after means,
		of_sample float8)
	RETURNS TABLE (regression_id bigint, actual float8, score float8, p_value float8, expected float8)
	LANGUAGE sql STABLE ROWS 5
	BEGIN ATOMIC
		SELECT r.regression_id, d.actual, d.score, d.p_value, d.expected
		FROM (SELECT r.level FROM regression AS r WHERE r.benchmark_id = scored_again.benchmark_id
			AND r.regression_id = scored_again.regression_ids[1]) AS g
			CROSS JOIN LATERAL (SELECT CASE WHEN g.level = 'metric' THEN 'self' ELSE g.level END AS level) AS l
			JOIN regression AS r ON r.benchmark_id = scored_again.benchmark_id
				AND r.regression_id = ANY (scored_again.regression_ids)
			LEFT JOIN tested_run(scored_again.before, scored_again.after, l.level,
				CASE WHEN (scored_again.before).samples_known AND (scored_again.after).samples_known
					THEN 'moderated'::text ELSE 'own'::text END, scored_again.of_sample, 0::float8, 'inf'::text) AS d
				ON d.key = CASE WHEN r.level = 'metric' THEN 'metric'::stackpath ELSE r.subject END;
	END;

COMMENT ON FUNCTION scored_again(bigint, bigint[], means, means, float8)
	IS 'how much the subjects of some findings of one level deviate in a run from runs before';

CREATE OR REPLACE FUNCTION watch_behind(benchmark_id bigint, event text, method text, level text) RETURNS watch
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT o FROM watches_of(watch_behind.benchmark_id, watch_behind.event) AS o
		WHERE o.method = watch_behind.method
		ORDER BY o.level = watch_behind.level DESC, o.watch_id DESC LIMIT 1;
	END;

COMMENT ON FUNCTION watch_behind(bigint, text, text, text)
	IS 'the watch row in force that findings of a method and level are of: that of the level, else (for a metric) '
		'another one of the method; null for none';

CREATE OR REPLACE FUNCTION followed_against(watch watch, benchmark_id bigint, event text, unit text, branch text,
		first_test_run_id bigint, test_run_id bigint) RETURNS bigint[]
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_season CONSTANT record := profiling.season_of((watch).baseline);
	v_first CONSTANT profiling.test_run := (SELECT t FROM profiling.test_run AS t
		WHERE t.test_run_id = followed_against.first_test_run_id);
	v_since CONSTANT interval := (SELECT t.started_at FROM profiling.test_run AS t
		WHERE t.test_run_id = followed_against.test_run_id) - v_first.started_at;
	v_ids bigint[];
BEGIN
	IF v_season.period IS NULL OR (watch).method IN ('change_point', 'correlation', 'drift') THEN
		RETURN profiling.runs_before(followed_against.benchmark_id, followed_against.event, followed_against.unit,
			followed_against.branch, followed_against.first_test_run_id,
			CASE WHEN (watch).method IN ('deviation', 'welch', 'hotelling', 'energy') THEN (watch).baseline
				ELSE 'window:10' END);
	END IF;
	-- Each run has a phase of its own. Those since the finding was first seen are no history of it.
	v_ids := profiling.runs_before(followed_against.benchmark_id, followed_against.event, followed_against.unit,
		followed_against.branch, followed_against.test_run_id, regexp_replace((watch).baseline, '[0-9]+$',
			least(999, v_season.periods + ceil(extract(epoch FROM v_since)
				/ extract(epoch FROM v_season.period)))::int::text));
	v_ids := ARRAY(SELECT t.test_run_id FROM profiling.test_run AS t
		WHERE t.test_run_id = ANY (v_ids) AND (t.started_at, t.test_run_id) < (v_first.started_at, v_first.test_run_id)
		ORDER BY t.started_at DESC, t.test_run_id DESC LIMIT v_season.periods);
	RETURN ARRAY(SELECT t.test_run_id FROM profiling.test_run AS t WHERE t.test_run_id = ANY (v_ids)
		ORDER BY t.started_at, t.test_run_id);
END
$$;

COMMENT ON FUNCTION followed_against(watch, bigint, text, text, text, bigint, bigint)
	IS 'the history that a later run is compared with to see whether it still has a finding: that of the finding''s '
		'first run by the baseline of its watch row; of a season, runs before that one at the phase of the later run';

CREATE OR REPLACE FUNCTION at_phase(value float8, expected float8, expected_first float8) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN at_phase.expected > 0::float8 AND at_phase.expected_first > 0::float8
			THEN at_phase.value * (at_phase.expected_first / at_phase.expected) ELSE at_phase.value END;
	END;

COMMENT ON FUNCTION at_phase(float8, float8, float8)
	IS 'a value of one phase of a season, of which expected is usual, as it would be at the phase of which '
		'expected_first is';

CREATE OR REPLACE FUNCTION has_open(benchmark_id bigint, event text) RETURNS bool
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT EXISTS (SELECT 1 FROM regression AS r
			WHERE r.benchmark_id = has_open.benchmark_id AND r.event = has_open.event
				AND r.status IN ('open', 'acknowledged', 'pending') AND r.level <> 'location');
	END;

COMMENT ON FUNCTION has_open(bigint, text) IS 'has a benchmark findings that later runs are followed for?';

CREATE OR REPLACE FUNCTION seen_again(benchmark_id bigint, event text, unit text, branch text, test_run_id bigint)
	RETURNS TABLE (regression_id bigint, is_there bool, actual float8, score float8)
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	g record;
	v_watch profiling.watch;
	v_ids bigint[];
	v_before profiling.means;
	v_now profiling.means;
	v_after CONSTANT profiling.means := CASE WHEN profiling.has_open(seen_again.benchmark_id, seen_again.event)
		THEN profiling.run_means(benchmark_id, event, unit, ARRAY[test_run_id]) END;
	v_higher CONSTANT bool := (SELECT b.metric_direction = 'higher' FROM profiling.benchmark AS b
		WHERE b.benchmark_id = seen_again.benchmark_id);
BEGIN
	FOR g IN
		SELECT r.first_test_run_id, r.level, r.method, array_agg(r.regression_id) AS ids
		FROM profiling.regression AS r
		WHERE r.benchmark_id = seen_again.benchmark_id AND r.event = seen_again.event AND r.branch = seen_again.branch
			AND r.unit = CASE r.level WHEN 'metric' THEN v_after.metric_unit ELSE seen_again.unit END
			AND r.status IN ('open', 'acknowledged', 'pending') AND r.level <> 'location'
			AND r.kind <> 'environment'
		GROUP BY 1, 2, 3
	LOOP
		v_watch := profiling.watch_behind(seen_again.benchmark_id, seen_again.event, g.method, g.level);
		v_ids := profiling.followed_against(v_watch, seen_again.benchmark_id, seen_again.event, seen_again.unit,
			seen_again.branch, g.first_test_run_id, seen_again.test_run_id);
		IF cardinality(v_ids) < 2 THEN
			v_ids := profiling.runs_before(seen_again.benchmark_id, seen_again.event, seen_again.unit,
				seen_again.branch, g.first_test_run_id, 'window:10'::text);
		END IF;
		v_before := profiling.run_means(seen_again.benchmark_id, seen_again.event, seen_again.unit, v_ids);
		v_now := CASE WHEN v_watch.options ->> 'size_factor' = 'host' THEN
			profiling.at_host_speed(v_watch, seen_again.benchmark_id, seen_again.event, seen_again.unit,
				seen_again.branch, v_ids, ARRAY[seen_again.test_run_id]) ELSE v_after END;
		RETURN QUERY
		SELECT r.regression_id, coalesce(
				sign(a.actual - r.expected) = sign(r.diff)
				AND abs(a.actual - r.expected) >= 0.5 * w.min_effect * abs(r.expected)
				-- The runs before may be gone, or have had it too, if it was found late: then half of what the finding
				-- was last.
				AND (coalesce(d.p_value <= 0.05, false) OR abs(a.actual - r.expected) >= 0.5 * abs(r.diff)), false),
			a.actual, s.sign * d.score
		FROM profiling.findings_of(seen_again.benchmark_id) AS r
			CROSS JOIN LATERAL (SELECT CASE WHEN r.level = 'metric' AND v_higher THEN -1 ELSE 1 END AS sign) AS s
			CROSS JOIN LATERAL (SELECT coalesce((SELECT max(o.min_effect) FROM profiling.watches_of(r.benchmark_id,
				r.event) AS o WHERE o.method = r.method), 0) AS min_effect) AS w
			JOIN profiling.scored_again(seen_again.benchmark_id, g.ids,
				CASE g.level WHEN 'metric' THEN profiling.metric_means(v_before.costs) ELSE v_before END,
				CASE g.level WHEN 'metric' THEN profiling.metric_means(v_after.costs) ELSE v_now END,
				CASE g.level WHEN 'metric' THEN 0 ELSE v_after.of_sample END) AS d ON d.regression_id = r.regression_id
			CROSS JOIN LATERAL (SELECT CASE WHEN v_watch.baseline LIKE 'season:%'
				THEN profiling.at_phase(s.sign * coalesce(d.actual, 0), s.sign * d.expected, r.expected)
				ELSE s.sign * coalesce(d.actual, 0) END AS actual) AS a
		WHERE r.regression_id = ANY (g.ids)
			-- a run without a metric says nothing about it
			AND (r.level <> 'metric' OR v_after.costs[1] IS NOT NULL);
	END LOOP;
END
$$;

COMMENT ON FUNCTION seen_again(bigint, text, text, text, bigint)
	IS 'for each finding of a branch that is open or pending whether a run still has it: it differs from what was '
		'expected in the same direction, by at least half of min_effect, and from the runs before the finding''s first '
		'one by the baseline of its watch row (p <= 0.05) or by half of what it did last; of a season, actual is told '
		'as at the phase of the first one';

CREATE OR REPLACE FUNCTION unfitted_runs(benchmark_id bigint) RETURNS bigint[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(t.test_run_id ORDER BY t.started_at, t.test_run_id), '{}'::bigint[])
		FROM test_run AS t
		WHERE has_begun(t.started_at) AND t.test_run_id IN (
			SELECT o.test_run_id FROM observation AS o
			WHERE o.benchmark_id = unfitted_runs.benchmark_id
				AND NOT EXISTS (SELECT 1 FROM fitted_model AS m
					WHERE m.benchmark_id = unfitted_runs.benchmark_id AND m.test_run_id = o.test_run_id)
			GROUP BY o.test_run_id, o.location, o.unit HAVING pg_catalog.count(DISTINCT o.x) >= 3);
	END;

CREATE OR REPLACE FUNCTION models_before(benchmark_id bigint, branch text, test_run_id bigint,
		baseline text DEFAULT 'window:10') RETURNS bigint
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT t.test_run_id
		FROM test_run AS t, test_run AS n
		WHERE n.test_run_id = models_before.test_run_id AND (t.started_at, t.test_run_id) < (n.started_at,
			n.test_run_id) AND has_begun(t.started_at)
			AND EXISTS (SELECT 1 FROM fitted_model AS m WHERE m.benchmark_id = models_before.benchmark_id
				AND m.test_run_id = t.test_run_id)
			AND CASE
				WHEN models_before.baseline LIKE 'window:%' THEN t.branch = models_before.branch
				WHEN models_before.baseline LIKE 'season:%' THEN t.branch = models_before.branch
					AND EXISTS (SELECT 1 FROM season_phases(models_before.baseline, n.started_at) AS p
						WHERE t.started_at BETWEEN p.phase - p.tolerance AND p.phase + p.tolerance)
				WHEN models_before.baseline LIKE 'branch:%' THEN t.branch = substr(models_before.baseline, 8)
				WHEN models_before.baseline LIKE 'commit:%' THEN starts_with(t.commit,
					substr(models_before.baseline, 8))
				ELSE t.version = substr(models_before.baseline, 9) END
		ORDER BY t.started_at DESC, t.test_run_id DESC LIMIT 1;
	END;

CREATE OR REPLACE FUNCTION compared_models(watch watch, benchmark_id bigint, branch text, test_run_id bigint,
		before_run_id bigint)
	RETURNS SETOF finding
	LANGUAGE sql STABLE ROWS 5
	BEGIN ATOMIC
		SELECT ''::text, m.unit, compared_models.branch, compared_models.test_run_id, compared_models.test_run_id,
			(compared_models.watch).method, 'location'::text, stackpath(ARRAY[m.location]),
			subject_id(stackpath(ARRAY[m.location])),
			c.expected, c.actual, c.actual - c.expected, c.relative_error, c.confidence,
			NULL::float8, NULL::float8, NULL::float8, NULL::float8, c.result, NULL::text,
			NULL::float8, ''::text, '{}'::stackpath[]
		FROM fitted_model AS m
			JOIN fitted_model AS b ON b.benchmark_id = m.benchmark_id AND b.location = m.location AND b.unit = m.unit
				AND b.kind = m.kind AND b.test_run_id = compared_models.before_run_id,
			LATERAL (
				SELECT i.result, i.relative_error, i.confidence, i.baseline_integral AS expected,
					i.target_integral AS actual
				FROM integral_comparison(b.model, m.model, 0.1::float8, 0.25::float8) AS i
				WHERE (compared_models.watch).method = 'integral'
				UNION ALL
				SELECT l.result, l.relative_error, l.confidence, i.baseline_integral, i.target_integral
				FROM local_statistics(b.model, m.model, 1000, 0.05::float8, 2, 0.1::float8, 0.25::float8) AS l,
					integral_comparison(b.model, m.model, 0.1::float8, 0.25::float8) AS i
				WHERE (compared_models.watch).method = 'local_statistics'
			) AS c
		WHERE m.benchmark_id = compared_models.benchmark_id AND m.test_run_id = compared_models.test_run_id
			AND m.kind = coalesce(checked_options(compared_models.watch) ->> 'model'::text, 'regressogram'::text)
			AND c.result IN ('degradation', 'optimization')
				AND abs(c.relative_error) >= (compared_models.watch).min_effect
			AND (compared_models.watch).direction IN ('both', c.result)
		ORDER BY abs(c.relative_error) DESC, m.location COLLATE "C";
	END;

COMMENT ON FUNCTION compared_models(watch, bigint, text, bigint, bigint)
	IS 'found_in_models() against the models of one run';

CREATE OR REPLACE FUNCTION found_in_models(watch watch, benchmark_id bigint, branch text, test_run_id bigint,
		before_run_id bigint DEFAULT NULL)
	RETURNS SETOF finding
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_before CONSTANT bigint := coalesce(before_run_id, profiling.models_before(found_in_models.benchmark_id,
		found_in_models.branch, found_in_models.test_run_id, (watch).baseline));
BEGIN
	IF v_before IS NOT NULL THEN
		RETURN QUERY
		SELECT c.* FROM profiling.compared_models(watch, found_in_models.benchmark_id, found_in_models.branch,
			found_in_models.test_run_id, v_before) AS c;
	END IF;
END
$$;

COMMENT ON FUNCTION found_in_models(watch, bigint, text, bigint, bigint)
	IS 'locations whose fitted model differs from that of the baseline, by integral or local_statistics: thresholds '
		'and no test, so there is no p_value; expected and actual are integrals of the models, score is the '
		'confidence; without their teams';

CREATE OR REPLACE FUNCTION open_locations(benchmark_id bigint, branch text, method text, test_run_id bigint)
	RETURNS TABLE (regression_id bigint, first_test_run_id bigint, subject_id uuid, unit text, kind text, status text)
	LANGUAGE sql STABLE ROWS 5
	BEGIN ATOMIC
		SELECT r.regression_id, r.first_test_run_id, r.subject_id, r.unit, r.kind, r.status
		FROM regression AS r
		WHERE r.benchmark_id = open_locations.benchmark_id AND r.branch = open_locations.branch
			AND r.method = open_locations.method
			AND r.level = 'location' AND r.status IN ('open', 'acknowledged', 'pending')
			AND EXISTS (SELECT 1 FROM fitted_model AS m WHERE m.benchmark_id = open_locations.benchmark_id
				AND m.test_run_id = open_locations.test_run_id
				AND m.unit = r.unit AND m.location = leaf(r.subject));
	END;

COMMENT ON FUNCTION open_locations(bigint, text, text, bigint)
	IS 'findings in models of a branch that are open or pending, for locations that a run has models of';

CREATE OR REPLACE FUNCTION families_of(benchmark_id bigint) RETURNS int
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN (
		SELECT count(*)::int FROM profiling.new_runs(families_of.benchmark_id) AS n,
			profiling.watches_of(families_of.benchmark_id, n.event) AS w
		WHERE w.method NOT IN ('integral', 'local_statistics')
			-- What has no history is not tested, and takes nothing of alpha.
			AND n.is_newest AND cardinality((profiling.compared_runs(w, families_of.benchmark_id, n.event, n.unit,
				n.branch, n.run_ids)).before_ids) >= 2 - (w.method = 'drift')::int);
END
$$;

COMMENT ON FUNCTION families_of(bigint)
	IS 'how many families of tests the new runs of a benchmark are: those that have a history to be compared with';

COMMENT ON TYPE changes
	IS 'what became of the findings of a benchmark tonight; ids: those that are new or were closed; pending: new ones '
		'that wait for later runs; went_away: those that were gone before these came; shifted: those of the opened '
		'ones that nobody is told of, because their cost only moved; untested: what could not be tested, and why, '
		'in words';

CREATE OR REPLACE FUNCTION changes_in_words(runs int, done changes) RETURNS text
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN concat_ws(', ', format('%s runs, %s opened, %s updated, %s closed', runs, (done).opened, (done).updated,
		(done).closed),
		CASE WHEN (done).pending > 0 THEN (done).pending || ' pending' END,
		CASE WHEN (done).went_away > 0 THEN (done).went_away || ' went away' END,
		CASE WHEN (done).shifted > 0 THEN (done).shifted || ' shifted' END, (done).untested);
END
$$;

COMMENT ON FUNCTION changes_in_words(int, changes) IS 'what became of the findings of a benchmark, for job_log';

CREATE OR REPLACE FUNCTION kept_back(done changes) RETURNS jsonb
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
			'pending'::text, nullif((kept_back.done).pending, 0),
			'went_away'::text, nullif((kept_back.done).went_away, 0),
			'shift'::text, nullif((kept_back.done).shifted, 0)));
	END;

COMMENT ON FUNCTION kept_back(changes)
	IS 'how many findings the filters of one benchmark kept from people, for job_log.kept_back; without those that '
		'kept none';

CREATE OR REPLACE FUNCTION opened_now(so_far changes, finding regression) RETURNS changes
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	so_far.opened := so_far.opened + 1;
	so_far.shifted := so_far.shifted + (NOT profiling.is_told(finding))::int;
	RETURN so_far;
END
$$;

COMMENT ON FUNCTION opened_now(changes, regression) IS 'counts a finding that is open from now on';

CREATE OR REPLACE FUNCTION opened(so_far changes, benchmark_id bigint, finding finding, fg flamegraph, confirm int) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_id CONSTANT bigint := profiling.open_finding(opened.benchmark_id, opened.finding, opened.fg, opened.confirm);
	v_new CONSTANT profiling.regression := (SELECT r FROM profiling.regression AS r
		WHERE r.benchmark_id = opened.benchmark_id AND r.regression_id = v_id);
BEGIN
	IF v_id IS NULL THEN
		RETURN so_far;
	END IF;
	so_far.ids := so_far.ids || v_id;
	IF v_new.status <> 'pending' THEN
		RETURN profiling.opened_now(so_far, v_new);
	END IF;
	so_far.pending := so_far.pending + 1;
	RETURN so_far;
END
$$;

COMMENT ON FUNCTION opened(changes, bigint, finding, flamegraph, int) IS 'open_finding(), counted';

CREATE OR REPLACE FUNCTION resolved(so_far changes, benchmark_id bigint, regression_id bigint) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	-- Who was told that it is there is told that it is gone.
	UPDATE profiling.regression AS r SET status = 'resolved', closed_at = now(), notified_at = NULL
	WHERE r.benchmark_id = resolved.benchmark_id AND r.regression_id = resolved.regression_id;
	so_far.closed := so_far.closed + 1;
	so_far.ids := so_far.ids || resolved.regression_id;
	RETURN so_far;
END
$$;

CREATE OR REPLACE FUNCTION seen_or_gone(so_far changes, benchmark_id bigint, unit text, regression_id bigint, is_there bool,
		actual float8, score float8, run_ids bigint[]) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	f CONSTANT profiling.regression := (SELECT r FROM profiling.regression AS r
		WHERE r.benchmark_id = seen_or_gone.benchmark_id AND r.regression_id = seen_or_gone.regression_id);
	v_more CONSTANT int := CASE WHEN is_there THEN profiling.seen_more(f, seen_or_gone.unit, seen_or_gone.run_ids) END;
BEGIN
	-- One that is open already does not depend on the last repetitions alone.
	IF f.status = 'pending' AND (NOT is_there OR v_more = 0) THEN
		RETURN profiling.went_away(so_far, f.benchmark_id, f.regression_id);
	ELSIF NOT is_there THEN
		RETURN profiling.resolved(so_far, f.benchmark_id, f.regression_id);
	END IF;
	UPDATE profiling.regression AS r SET actual = seen_or_gone.actual, diff = seen_or_gone.actual - r.expected,
		relative = profiling.ratio(seen_or_gone.actual - r.expected, abs(r.expected)), score = seen_or_gone.score
	WHERE r.benchmark_id = f.benchmark_id AND r.regression_id = f.regression_id;
	RETURN profiling.seen_by(so_far, f.benchmark_id, f.regression_id, v_more, run_ids[cardinality(run_ids)]);
END
$$;

COMMENT ON FUNCTION seen_or_gone(changes, bigint, text, bigint, bool, float8, float8, bigint[])
	IS 'brings a finding up to date after seen_again(), or closes it, counted';

CREATE OR REPLACE FUNCTION not_tested(watch watch, benchmark_id bigint, event text, unit text, branch text, run_ids bigint[])
	RETURNS text
	-- The test itself has told the session already.
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET client_min_messages = 'warning' AS $$
#variable_conflict use_column
DECLARE
	v_runs record;
	v_status text;
BEGIN
	IF (watch).method <> 'hotelling' OR (watch).level = 'metric' THEN
		RETURN NULL;
	END IF;
	v_runs := profiling.compared_runs(watch, not_tested.benchmark_id, not_tested.event, not_tested.unit,
		not_tested.branch, not_tested.run_ids);
	-- Too little history is what not_compared says.
	IF cardinality(v_runs.before_ids) < 2 THEN
		RETURN NULL;
	END IF;
	v_status := profiling.hotelling_status(
		(profiling.run_means(not_tested.benchmark_id, not_tested.event, not_tested.unit, v_runs.before_ids)).fgs,
		(profiling.run_means(not_tested.benchmark_id, not_tested.event, not_tested.unit, v_runs.ids)).fgs,
		(watch).level, (watch).alpha, coalesce((profiling.checked_options(watch) ->> 'min_df')::int, 1));
	RETURN CASE WHEN v_status <> 'ok' THEN format('watch row %s (hotelling) could not test event "%s", branch "%s": %s',
		(watch).watch_id, not_tested.event, not_tested.branch, v_status) END;
END
$$;

COMMENT ON FUNCTION not_tested(watch, bigint, text, text, text, bigint[])
	IS 'why a watch row of method hotelling could not test new runs, such as too many stacks for so few runs, in words '
		'for job_log; null where it could, and for other methods';

CREATE OR REPLACE FUNCTION watch_group(so_far changes, benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		families int)
	RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_run CONSTANT bigint := run_ids[cardinality(run_ids)];
	v_fg CONSTANT profiling.rollup.flamegraph%TYPE := profiling.profile_of_run(watch_group.benchmark_id,
		watch_group.event, watch_group.unit, watch_group.branch, v_run);
	w profiling.watch;
	f profiling.finding;
	s record;
	v_family record;
BEGIN
	-- Before anything is closed: what ends tonight shall not be opened as its opposite.
	FOR w IN SELECT * FROM profiling.watches_of(watch_group.benchmark_id, watch_group.event) AS o
		WHERE o.method NOT IN ('integral', 'local_statistics')
	LOOP
		v_family := profiling.found_in_family(w, watch_group.benchmark_id, watch_group.event, watch_group.unit,
			watch_group.branch, watch_group.run_ids, watch_group.families::float8);
		FOREACH f IN ARRAY coalesce(v_family.findings, '{}') LOOP
			so_far := profiling.opened(so_far, watch_group.benchmark_id, f, v_fg, w.confirm);
		END LOOP;
		PERFORM profiling.propose_family(w, watch_group.benchmark_id, watch_group.event, watch_group.unit,
			watch_group.branch, watch_group.run_ids, watch_group.families, v_family.p_value);
		so_far.untested := nullif(concat_ws(', ', so_far.untested, profiling.not_tested(w, watch_group.benchmark_id,
			watch_group.event, watch_group.unit, watch_group.branch, watch_group.run_ids)), '');
	END LOOP;
	FOR s IN SELECT a.* FROM profiling.seen_again(watch_group.benchmark_id, watch_group.event, watch_group.unit,
			watch_group.branch, v_run) AS a
		WHERE a.regression_id <> ALL (so_far.ids)
	LOOP
		so_far := profiling.seen_or_gone(so_far, watch_group.benchmark_id, watch_group.unit, s.regression_id,
			s.is_there,
			s.actual, s.score, watch_group.run_ids);
	END LOOP;
	RETURN so_far;
END
$$;

CREATE OR REPLACE FUNCTION watch_locations(so_far changes, watch watch, benchmark_id bigint, branch text,
		test_run_id bigint) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	o record;
	f profiling.finding;
	v_ended bigint[];
	v_none CONSTANT profiling.rollup.flamegraph%TYPE := NULL;
BEGIN
	-- Open ones are compared with what was before them.
	FOR o IN SELECT * FROM profiling.open_locations(watch_locations.benchmark_id, watch_locations.branch,
		(watch).method,
		watch_locations.test_run_id)
	LOOP
		SELECT c.* INTO f
		FROM profiling.found_in_models(watch, watch_locations.benchmark_id, watch_locations.branch,
			watch_locations.test_run_id,
			profiling.models_before(watch_locations.benchmark_id, watch_locations.branch, o.first_test_run_id,
				(watch).baseline)) AS c
		WHERE c.subject_id = o.subject_id AND c.unit = o.unit AND c.kind = o.kind LIMIT 1;
		IF FOUND THEN
			UPDATE profiling.regression AS r
			SET actual = f.actual, diff = f.diff, relative = f.relative, score = f.score
			WHERE r.benchmark_id = watch_locations.benchmark_id AND r.regression_id = o.regression_id;
			so_far := profiling.seen_by(so_far, watch_locations.benchmark_id, o.regression_id, 1,
				watch_locations.test_run_id);
		ELSIF o.status = 'pending' THEN
			so_far := profiling.went_away(so_far, watch_locations.benchmark_id, o.regression_id);
		ELSE
			so_far := profiling.resolved(so_far, watch_locations.benchmark_id, o.regression_id);
		END IF;
	END LOOP;
	v_ended := so_far.ids;
	FOR f IN SELECT * FROM profiling.found_in_models(watch, watch_locations.benchmark_id, watch_locations.branch,
			watch_locations.test_run_id, NULL::bigint) AS c
	LOOP
		-- back to what was before a finding that ends with this run
		CONTINUE WHEN EXISTS (SELECT 1 FROM profiling.regression AS r
			WHERE r.benchmark_id = watch_locations.benchmark_id AND r.regression_id = ANY (v_ended)
				AND r.method = f.method
				AND r.status IN ('resolved', 'went_away') AND r.level = 'location' AND r.subject_id = f.subject_id
				AND r.unit = f.unit AND r.branch = f.branch);
		so_far := profiling.opened(so_far, watch_locations.benchmark_id, f, v_none, (watch).confirm);
	END LOOP;
	RETURN so_far;
END
$$;

CREATE OR REPLACE FUNCTION history_of(watch watch, benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		families int,
		OUT before_ids bigint[], OUT lacks int, OUT words text)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_method CONSTANT text := (watch).method;
	v_metric CONSTANT bool := v_method = 'correlation' OR (watch).level = 'metric';
	v_needed CONSTANT int := profiling.needed_before(watch, cardinality(run_ids), families);
	-- runs that go with the new ones into the group that is compared
	v_besides CONSTANT int := CASE WHEN v_method IN ('change_point', 'correlation') THEN 0
		ELSE greatest(0, profiling.recent_runs(watch) - cardinality(run_ids)) END;
	v_n int;
BEGIN
	before_ids := (profiling.compared_runs(watch, history_of.benchmark_id, history_of.event, history_of.unit,
		history_of.branch, run_ids)).before_ids;
	SELECT coalesce(sum(cardinality(r.run_ids)), 0) INTO v_n FROM profiling.rollup AS r
	WHERE r.benchmark_id = history_of.benchmark_id AND r.event = history_of.event AND r.unit = history_of.unit
		AND (r.span = 'run' OR v_method = 'drift' AND r.branch = history_of.branch) AND r.test_run_id = ANY (before_ids)
		AND (r.metric_count > 0 OR NOT v_metric);
	lacks := greatest(0, v_needed - v_n);
	IF v_method = 'drift' THEN
		words := format('too little history: %s %s at least %s before it, %s are needed, and %s of today', v_n,
			CASE v_n WHEN 1 THEN 'run' ELSE 'runs' END, profiling.ago_of(watch), v_needed,
			profiling.recent_runs(watch));
		RETURN;
	END IF;
	IF lacks > 0 AND cardinality(before_ids) = 0 AND v_besides > 0 THEN
		v_n := cardinality(profiling.runs_before(history_of.benchmark_id, history_of.event, history_of.unit,
			history_of.branch, run_ids[1], 'window:10'::text));
	END IF;
	words := format('too little history: %s %s before it%s, %s are needed', v_n,
		CASE v_n WHEN 1 THEN 'run' ELSE 'runs' END || CASE WHEN v_metric THEN ' with a metric' ELSE '' END,
		CASE WHEN v_method IN ('change_point', 'correlation') OR (watch).baseline LIKE 'window:%'
				AND cardinality(before_ids) < substr((watch).baseline, 8)::int THEN ''
			ELSE format(' by baseline "%s"', (watch).baseline) END, v_needed + v_besides);
END
$$;

CREATE OR REPLACE FUNCTION compare_new_runs(benchmark_id bigint, families int, OUT runs int, OUT done changes)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_id CONSTANT bigint := compare_new_runs.benchmark_id;
	v_families CONSTANT int := coalesce(compare_new_runs.families, profiling.families_of(v_id));
	g record;
	v_run bigint;
BEGIN
	done := ROW(0, 0, 0, '{}'::bigint[], 0, 0, 0, NULL);
	-- Somebody else is at it; what is new is seen by that session, or the next time.
	IF NOT pg_try_advisory_xact_lock(hashtextextended('flamegraph_store watch', v_id)) THEN
		RETURN;
	END IF;
	-- merge_rollups() takes the same rows in another order.
	PERFORM pg_advisory_xact_lock(hashtextextended('flamegraph_store months', v_id));
	runs := 0;
	PERFORM profiling.fold_rollups(v_id, NULL::bigint);
	FOR g IN SELECT * FROM profiling.new_runs(v_id) LOOP
		runs := runs + cardinality(g.checked_ids);
		IF g.is_newest THEN
			done := profiling.watch_group(done, v_id, g.event, g.unit, g.branch, g.run_ids, v_families);
		END IF;
		PERFORM profiling.mark_checked(v_id, g.event, g.unit, g.branch, g.run_ids, g.checked_ids, g.repetitions,
			g.is_newest, v_families);
	END LOOP;
	FOREACH v_run IN ARRAY profiling.unfitted_runs(v_id) LOOP
		runs := runs + 1;
		done := profiling.watch_models(done, v_id, v_run);
	END LOOP;
END
$$;

COMMENT ON FUNCTION compare_new_runs(bigint, int)
	IS 'compares the new runs of a benchmark with history by its watch rows, opens, updates and closes findings, and '
		'tells nobody; runs: how many were looked at, null when another session is at it; families: how many families '
		'of tests there are tonight, null for those of this benchmark';

CREATE OR REPLACE FUNCTION watch_benchmark(benchmark_id bigint, families int DEFAULT NULL, OUT runs int, OUT opened int,
		OUT updated int, OUT closed int)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_started CONSTANT timestamptz := clock_timestamp();
	v_all record;
	v_done profiling.changes;
	v_night bigint;
BEGIN
	PERFORM profiling.need_access('watch_benchmark'::text, 'admin'::text);
	PERFORM profiling.keep_corrections_out();
	v_all := profiling.compare_new_runs(watch_benchmark.benchmark_id, watch_benchmark.families);
	v_done := v_all.done;
	runs := v_all.runs;
	opened := v_done.opened;
	updated := v_done.updated;
	closed := v_done.closed;
	IF runs > 0 THEN
		-- a night of one benchmark
		INSERT INTO profiling.job_log AS l (started_at, benchmark_id, step, outcome, detail, kept_back)
		VALUES (v_started, watch_benchmark.benchmark_id, 'watch_benchmark', 'ok',
			profiling.changes_in_words(runs, v_done), profiling.kept_back(v_done))
		RETURNING l.log_id INTO v_night;
		PERFORM profiling.finish_night(v_night);
	END IF;
END
$$;

COMMENT ON FUNCTION watch_benchmark(bigint, int)
	IS 'compares the new runs of a benchmark with history by its watch rows, opens, updates and closes findings and '
		'sends NOTIFY profiling_regression with ids; returns how many runs were looked at (null: another session '
		'is at it) and what became of findings; families: how many families of tests there are tonight, by default '
		'those of this benchmark';

CREATE OR REPLACE FUNCTION detect(benchmark_id bigint, test_run_id bigint DEFAULT NULL) RETURNS SETOF finding
	LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_run bigint := detect.test_run_id;
	v_families int;
	v_none CONSTANT profiling.rollup.flamegraph%TYPE := NULL;
BEGIN
	IF v_run IS NULL THEN
		SELECT t.test_run_id INTO v_run FROM profiling.test_run AS t
		WHERE t.test_run_id IN (
				SELECT r.test_run_id FROM profiling.rollup AS r WHERE r.benchmark_id = detect.benchmark_id
					AND r.span = 'run'
				UNION SELECT o.test_run_id FROM profiling.fitted_model AS o WHERE o.benchmark_id = detect.benchmark_id)
			AND profiling.has_begun(t.started_at)
		ORDER BY t.started_at DESC, t.test_run_id DESC LIMIT 1;
	END IF;
	SELECT count(*) INTO v_families
	FROM profiling.rollups_of(detect.benchmark_id, ARRAY[v_run]) AS r,
		profiling.watches_of(r.benchmark_id, r.event) AS w
	WHERE r.span = 'run' AND w.method NOT IN ('integral', 'local_statistics');
	RETURN QUERY
	SELECT d.*
	FROM profiling.rollups_of(detect.benchmark_id, ARRAY[v_run]) AS r,
		profiling.watches_of(r.benchmark_id, r.event) AS w,
		LATERAL profiling.found(w, r.benchmark_id, r.event, r.unit, r.branch, ARRAY[v_run],
			v_families::float8) AS f,
		LATERAL profiling.with_team(f, profiling.summed(r.flamegraph, r.benchmark_id, r.pending)) AS d
	WHERE r.span = 'run' AND w.method NOT IN ('integral', 'local_statistics')
	UNION ALL
	SELECT d.*
	FROM profiling.test_run AS t, profiling.watches_of(detect.benchmark_id, ''::text) AS w,
		LATERAL profiling.found_in_models(w, detect.benchmark_id, t.branch, v_run, NULL::bigint) AS f,
		LATERAL profiling.with_team(f, v_none) AS d
	WHERE t.test_run_id = v_run AND w.method IN ('integral', 'local_statistics');
END
$$;

CREATE OR REPLACE FUNCTION benchmarks_to_watch() RETURNS bigint[]
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_all CONSTANT bigint[] := ARRAY(SELECT b.benchmark_id FROM profiling.benchmark AS b);
	v_new CONSTANT bigint[] := ARRAY(SELECT DISTINCT r.benchmark_id FROM profiling.rollup AS r
		WHERE r.checked_at IS NULL AND profiling.has_begun(r.started_at));
BEGIN
	RETURN ARRAY(SELECT b.id FROM unnest(v_all) AS b (id)
		WHERE b.id = ANY (v_new) OR cardinality(profiling.unfitted_runs(b.id)) > 0 ORDER BY b.id);
END
$$;

CREATE OR REPLACE FUNCTION watch_step(benchmark_id bigint, families int) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_started CONSTANT timestamptz := clock_timestamp();
	v_done record;
	v_detail text;
BEGIN
	PERFORM profiling.keep_corrections_out();
	v_done := profiling.compare_new_runs(watch_step.benchmark_id, watch_step.families);
	IF v_done.runs IS NULL THEN
		PERFORM profiling.log_job('watch'::text, 'skipped'::text, v_started, 'another session is at it'::text,
			watch_step.benchmark_id);
	ELSIF v_done.runs > 0 THEN
		PERFORM profiling.log_job('watch'::text, 'ok'::text, v_started,
			profiling.changes_in_words(v_done.runs, v_done.done), watch_step.benchmark_id,
			profiling.kept_back(v_done.done));
	END IF;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS v_detail = PG_EXCEPTION_DETAIL;
	PERFORM profiling.log_job('watch'::text, 'failed'::text, v_started,
		concat_ws(' ', SQLSTATE, SQLERRM, nullif(v_detail, '')), watch_step.benchmark_id);
END
$$;

COMMENT ON FUNCTION watch_step(bigint, int)
	IS 'compare_new_runs(); what it did, or why it failed, is recorded in job_log';

CREATE OR REPLACE PROCEDURE watch_run()
	LANGUAGE plpgsql AS $$
DECLARE
	v_night pg_catalog.record;
	v_ids bigint[];
	v_id bigint;
BEGIN
	PERFORM profiling.need_access('watch_run'::pg_catalog.text, 'admin'::pg_catalog.text);
	v_night := profiling.begin_night();
	v_ids := profiling.benchmarks_to_watch();
	CALL profiling.commit_or_say('watch_run() commits as it goes: call it alone, with autocommit on'
		::pg_catalog.text);
	FOREACH v_id IN ARRAY v_ids LOOP
		PERFORM profiling.watch_step(v_id, v_night.families);
		COMMIT;
	END LOOP;
	PERFORM profiling.finish_night(v_night.log_id);
	COMMIT;
	PERFORM profiling.warn_of_night(v_night.log_id);
END
$$;

COMMENT ON PROCEDURE watch_run()
	IS 'every night: compares the new runs of all benchmarks, each in a transaction of its own, and then tells what '
		'was found; what fails is recorded in job_log and the others go on, with a WARNING at the end; called alone';

CREATE OR REPLACE FUNCTION confirm_of(benchmark_id bigint, event text, method text) RETURNS int
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT CASE WHEN confirm_of.method = 'service'
			THEN (SELECT (service_watch_of(b.name, confirm_of.event)).confirm FROM benchmark AS b
				WHERE b.benchmark_id = confirm_of.benchmark_id)
			ELSE (SELECT coalesce(max(w.confirm), 0) FROM watches_of(confirm_of.benchmark_id, confirm_of.event) AS w
				WHERE w.method = confirm_of.method) END;
	END;

COMMENT ON FUNCTION confirm_of(bigint, text, text)
	IS 'how many later runs must show a finding of a method, by the watch rows in force, or of a service that of '
		'service_watch';

CREATE OR REPLACE FUNCTION value_in(fg flamegraph, level text, subject stackpath) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT coalesce((SELECT e.mean FROM entries((SELECT stats(f.fg, value_in.level)
			FROM (VALUES (value_in.fg)) AS f (fg))) AS e WHERE e.key = value_in.subject), 0::float8);
	END;

COMMENT ON FUNCTION value_in(flamegraph, text, stackpath)
	IS 'what a profile has of the subject of a finding, at its level; 0 for what is not in it';

CREATE OR REPLACE FUNCTION shows(finding regression, fg flamegraph, metric float8) RETURNS bool
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_diff CONSTANT float8 := CASE (finding).level WHEN 'metric' THEN metric
		ELSE profiling.value_in(fg, (finding).level, (finding).subject) END - (finding).expected;
BEGIN
	RETURN coalesce(sign(v_diff) = sign((finding).diff) AND abs(v_diff) >= 0.5 * abs((finding).diff), false);
END
$$;

COMMENT ON FUNCTION shows(regression, flamegraph, float8)
	IS 'whether a profile, or the metric that came with it, differs from what was expected in the direction of a '
		'finding, by at least half of what it did last';

CREATE OR REPLACE FUNCTION runs_that_show(finding regression, run_ids bigint[]) RETURNS int
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN (SELECT count(DISTINCT r.test_run_id)
		FROM profiling.rollups_of((finding).benchmark_id, runs_that_show.run_ids) AS r
		WHERE r.event = (finding).event AND r.branch = (finding).branch
			AND r.span = 'run' AND r.test_run_id = ANY (runs_that_show.run_ids)
			AND CASE (finding).level WHEN 'metric' THEN r.metric_unit ELSE r.unit END = (finding).unit
			AND profiling.shows(finding, CASE WHEN (finding).level <> 'metric' THEN profiling.mean_profile(r.flamegraph,
				r.benchmark_id, r.pending, r.repetitions) END,
				profiling.ratio(r.metric_sum, r.metric_count::float8)));
END
$$;

COMMENT ON FUNCTION runs_that_show(regression, bigint[]) IS 'how many of some runs show a finding, each by itself';

CREATE OR REPLACE FUNCTION later_repetitions(benchmark_id bigint, event text, unit text, test_run_id bigint, known int,
		OUT later int, OUT fg flamegraph, OUT metric float8)
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT count(*)::int, avg(d.flamegraph), avg(p.metric)
		FROM (SELECT o.benchmark_id, o.profile_id, o.recorded_at, o.metric FROM profile AS o
				WHERE o.benchmark_id = later_repetitions.benchmark_id AND o.event = later_repetitions.event
					AND o.unit = later_repetitions.unit AND o.test_run_id = later_repetitions.test_run_id
				ORDER BY o.profile_id OFFSET later_repetitions.known) AS p
			JOIN profile_data AS d ON d.benchmark_id = p.benchmark_id AND d.profile_id = p.profile_id
				AND d.recorded_at = p.recorded_at
		WHERE later_repetitions.known IS NOT NULL;
	END;

COMMENT ON FUNCTION later_repetitions(bigint, text, text, bigint, int)
	IS 'the mean of the repetitions of a run that were loaded after so many others; later: how many these are';

CREATE OR REPLACE FUNCTION repetitions_of(finding regression) RETURNS int
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT max(r.repetitions) FROM rollup AS r
		WHERE r.benchmark_id = (repetitions_of.finding).benchmark_id AND r.event = (repetitions_of.finding).event
			AND r.branch = (repetitions_of.finding).branch
			AND r.test_run_id = (repetitions_of.finding).last_test_run_id
			AND (r.unit = (repetitions_of.finding).unit OR (repetitions_of.finding).level = 'metric');
	END;

COMMENT ON FUNCTION repetitions_of(regression)
	IS 'how many repetitions the last run of a finding has; null for a model';

CREATE OR REPLACE FUNCTION wait_or_open(finding regression, confirm int) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_seen int := 1;
	v_ids bigint[];
	v_repetitions CONSTANT int := profiling.repetitions_of(finding);
BEGIN
	-- Several runs that were compared together may confirm each other.
	IF confirm > 0 AND (finding).first_test_run_id <> (finding).last_test_run_id THEN
		v_ids := ARRAY(SELECT r.test_run_id FROM profiling.rollup AS r
			JOIN profiling.test_run AS a ON a.test_run_id = (finding).first_test_run_id
			JOIN profiling.test_run AS z ON z.test_run_id = (finding).last_test_run_id
			WHERE r.benchmark_id = (finding).benchmark_id AND r.event = (finding).event
				AND r.branch = (finding).branch AND r.span = 'run'
				AND (r.started_at, r.test_run_id) >= (a.started_at, a.test_run_id)
				AND (r.started_at, r.test_run_id) <= (z.started_at, z.test_run_id));
		v_seen := greatest(1, profiling.runs_that_show(finding, v_ids));
	END IF;
	UPDATE profiling.regression AS r SET seen = v_seen, last_repetitions = v_repetitions,
		status = CASE WHEN v_seen <= confirm THEN 'pending' ELSE 'open' END
	WHERE r.benchmark_id = (finding).benchmark_id AND r.regression_id = (finding).regression_id;
END
$$;

COMMENT ON FUNCTION wait_or_open(regression, int)
	IS 'writes into a new finding how many runs show it: open when these are more than confirm, else pending';

CREATE OR REPLACE FUNCTION seen_more(finding regression, unit text, run_ids bigint[]) RETURNS int
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_run CONSTANT bigint := run_ids[cardinality(run_ids)];
	l record;
BEGIN
	IF v_run <> (finding).last_test_run_id THEN
		RETURN 1 + CASE WHEN (finding).status = 'pending' AND cardinality(run_ids) > 1
			THEN profiling.runs_that_show(finding, array_remove(array_remove(run_ids, v_run),
				(finding).last_test_run_id)) ELSE 0 END;
	END IF;
	-- The same run again: by what was loaded since.
	l := profiling.later_repetitions((finding).benchmark_id, (finding).event, seen_more.unit, v_run,
		(finding).last_repetitions);
	RETURN CASE WHEN l.later = 0 THEN NULL WHEN profiling.shows(finding, l.fg, l.metric) THEN l.later ELSE 0 END;
END
$$;

COMMENT ON FUNCTION seen_more(regression, text, bigint[])
	IS 'how many new runs show a finding, of which the newest does, or how many later repetitions of the run that has '
		'shown it; null for the same run without any';

CREATE OR REPLACE FUNCTION went_away(so_far changes, benchmark_id bigint, regression_id bigint) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	UPDATE profiling.regression AS r SET status = 'went_away', closed_at = now()
	WHERE r.benchmark_id = went_away.benchmark_id AND r.regression_id = went_away.regression_id;
	so_far.went_away := so_far.went_away + 1;
	so_far.ids := so_far.ids || went_away.regression_id;
	RETURN so_far;
END
$$;

COMMENT ON FUNCTION went_away(changes, bigint, bigint)
	IS 'closes a finding that was gone before it was confirmed, counted';

CREATE OR REPLACE FUNCTION seen_by(so_far changes, benchmark_id bigint, regression_id bigint, more int, run_id bigint)
	RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	r profiling.regression;
	v_opens bool;
	v_repetitions int;
BEGIN
	SELECT o.* INTO r FROM profiling.regression AS o
	WHERE o.benchmark_id = seen_by.benchmark_id AND o.regression_id = seen_by.regression_id;
	v_opens := r.status = 'pending' AND more > 0
		AND r.seen + more > profiling.confirm_of(r.benchmark_id, r.event, r.method);
	r.last_test_run_id := run_id;
	v_repetitions := profiling.repetitions_of(r);
	UPDATE profiling.regression AS o SET last_test_run_id = run_id, seen = o.seen + coalesce(more, 0),
		last_repetitions = v_repetitions, status = CASE WHEN v_opens THEN 'open' ELSE o.status END,
		-- It is there on another night, too: it was not the machine.
		cause = CASE WHEN v_opens AND o.cause = 'environment' THEN '' ELSE o.cause END
	WHERE o.benchmark_id = seen_by.benchmark_id AND o.regression_id = seen_by.regression_id;
	IF v_opens THEN
		SELECT o.* INTO r FROM profiling.regression AS o
		WHERE o.benchmark_id = seen_by.benchmark_id AND o.regression_id = seen_by.regression_id;
		RETURN profiling.opened_now(so_far, r);
	END IF;
	so_far.updated := so_far.updated + 1;
	RETURN so_far;
END
$$;

COMMENT ON FUNCTION seen_by(changes, bigint, bigint, int, bigint)
	IS 'writes into a finding that a run, and so many runs or repetitions more than before, show it; a pending one '
		'that this confirms is open; counted';

CREATE TABLE candidate (
	benchmark_id bigint NOT NULL,
	event text NOT NULL,
	unit text NOT NULL,
	branch text NOT NULL,
	watch_id bigint NOT NULL,
	run_ids bigint[] NOT NULL,
	families int NOT NULL CHECK (families > 0),
	p_value float8 NOT NULL CHECK (p_value BETWEEN 0::float8 AND 1::float8),
	alpha float8 NOT NULL CHECK (alpha > 0::float8),
	found_at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (benchmark_id, event, unit, branch, watch_id)
);

COMMENT ON TABLE candidate
	IS 'families of tests of the night that stand out by themselves, until the end of the night selects some of them; '
		'empty by day';

COMMENT ON COLUMN candidate.benchmark_id IS 'the benchmark';

COMMENT ON COLUMN candidate.event IS 'that of the profiles';

COMMENT ON COLUMN candidate.unit IS 'that of the profiles';

COMMENT ON COLUMN candidate.branch IS 'that of the runs';

COMMENT ON COLUMN candidate.watch_id IS 'the row of watch whose tests they are';

COMMENT ON COLUMN candidate.run_ids IS 'the new runs that were compared';

COMMENT ON COLUMN candidate.families IS 'how many families the night has';

COMMENT ON COLUMN candidate.p_value
	IS 'the smallest p-value adjusted within the family, of what is large enough to be a finding; at most alpha';

COMMENT ON COLUMN candidate.alpha IS 'that of the row of watch';

COMMENT ON COLUMN candidate.found_at IS 'when the runs were compared';

CREATE OR REPLACE FUNCTION propose_family(watch watch, benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		families int, p_value float8) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	-- of a night that was cut short, and older than what was compared now
	DELETE FROM profiling.candidate AS c WHERE c.benchmark_id = propose_family.benchmark_id
		AND c.event = propose_family.event AND c.unit = propose_family.unit AND c.branch = propose_family.branch
		AND c.watch_id = (watch).watch_id;
	IF families < 2 OR coalesce(p_value > (watch).alpha, true)
			OR profiling.checked_options(watch) ->> 'families' IS NOT DISTINCT FROM 'bonferroni' THEN
		RETURN;
	END IF;
	INSERT INTO profiling.candidate (benchmark_id, event, unit, branch, watch_id, run_ids, families, p_value, alpha)
	VALUES (propose_family.benchmark_id, propose_family.event, propose_family.unit, propose_family.branch,
		(watch).watch_id, propose_family.run_ids, propose_family.families, propose_family.p_value, (watch).alpha);
END
$$;

COMMENT ON FUNCTION propose_family(watch, bigint, text, text, text, bigint[], int, float8)
	IS 'keeps a family whose smallest adjusted p-value is at most alpha for the end of the night, unless there is no '
		'other one, or the watch option families is bonferroni';

CREATE OR REPLACE FUNCTION candidates_of(log_id bigint) RETURNS SETOF candidate
	LANGUAGE sql STABLE ROWS 10
	BEGIN ATOMIC
		SELECT c.* FROM candidate AS c JOIN job_log AS l ON l.log_id = candidates_of.log_id
			AND (l.benchmark_id IS NULL OR l.benchmark_id = c.benchmark_id);
	END;

COMMENT ON FUNCTION candidates_of(bigint)
	IS 'the candidates of a night, or of one benchmark, by its line in job_log';

CREATE OR REPLACE FUNCTION selected_families(log_id bigint, OUT families int, OUT selected int)
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		-- One that is smaller than another has no larger need, so that the last one that has what it needs counts.
		SELECT max(p.families), coalesce(max(p.place) FILTER (WHERE p.need <= p.place::float8), 0::bigint)::int
		FROM (SELECT c.families, c.p_value / c.alpha * max(c.families) OVER ()::float8 AS need,
				row_number() OVER (ORDER BY c.p_value / c.alpha) AS place
			FROM candidates_of(selected_families.log_id) AS c) AS p;
	END;

COMMENT ON FUNCTION selected_families(bigint)
	IS 'how many of the families of a night stand out, by Benjamini & Hochberg among families: the largest R of which '
		'each has a p-value of at most alpha * R / families';

CREATE OR REPLACE FUNCTION profile_of_run(benchmark_id bigint, event text, unit text, branch text, test_run_id bigint)
	RETURNS flamegraph
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT summed(r.flamegraph, r.benchmark_id, r.pending)
		FROM rollups_of(profile_of_run.benchmark_id, ARRAY[profile_of_run.test_run_id]) AS r
		WHERE r.event = profile_of_run.event
			AND r.unit = profile_of_run.unit AND r.branch = profile_of_run.branch
			AND r.test_run_id = profile_of_run.test_run_id;
	END;

COMMENT ON FUNCTION profile_of_run(bigint, text, text, text, bigint) IS 'a run: the sum of its repetitions';

CREATE OR REPLACE FUNCTION adjust_finding(candidate candidate, finding finding) RETURNS bool
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	c CONSTANT profiling.candidate := candidate;
	f CONSTANT profiling.finding := finding;
BEGIN
	UPDATE profiling.regression AS r SET q_value = CASE WHEN r.status IN ('open', 'pending') THEN f.q_value
		ELSE r.q_value END
	WHERE r.benchmark_id = c.benchmark_id AND r.event = f.event AND r.unit = f.unit AND r.branch = f.branch
		AND r.method = f.method AND r.level = f.level AND r.subject_id = f.subject_id
		AND (r.opened_at = c.found_at OR r.closed_at >= c.found_at);
	RETURN FOUND;
END
$$;

COMMENT ON FUNCTION adjust_finding(candidate, finding)
	IS 'whether the comparison of a candidate has opened a finding already, which gets its new q_value, or closed it: '
		'what ends is not opened as its opposite';

CREATE OR REPLACE FUNCTION take_explained(so_far changes, candidate candidate, method text, baseline text, level text,
		subject_ids uuid[]) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	c CONSTANT profiling.candidate := candidate;
	v_gone profiling.regression[];
	g record;
BEGIN
	WITH gone AS (
		DELETE FROM profiling.regression AS r
		WHERE r.benchmark_id = c.benchmark_id AND r.event = c.event AND r.unit = c.unit AND r.branch = c.branch
			AND r.method = take_explained.method AND r.baseline = take_explained.baseline
			AND r.level = take_explained.level AND r.subject_id <> ALL (take_explained.subject_ids)
			AND r.opened_at = c.found_at AND r.notified_at IS NULL AND r.status IN ('open', 'pending')
		RETURNING r
	)
	SELECT array_agg(o.r) INTO v_gone FROM gone AS o;
	SELECT count(*) FILTER (WHERE o.status = 'pending') AS pending,
		count(*) FILTER (WHERE o.status = 'open' AND NOT profiling.is_told(o)) AS shifted INTO g
	FROM unnest(v_gone) AS o;
	so_far.pending := so_far.pending - g.pending;
	so_far.shifted := so_far.shifted - g.shifted;
	RETURN so_far;
END
$$;

COMMENT ON FUNCTION take_explained(changes, candidate, text, text, text, uuid[])
	IS 'takes away what the comparison of a candidate has opened at first and is explained by these subjects, which '
		'were found now, counted';

CREATE OR REPLACE FUNCTION find_in_selected(so_far changes, candidate candidate, families float8) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	c CONSTANT profiling.candidate := candidate;
	w CONSTANT profiling.watch := (SELECT o FROM profiling.watch AS o WHERE o.watch_id = (candidate).watch_id);
	v_fg CONSTANT profiling.rollup.flamegraph%TYPE := profiling.profile_of_run(c.benchmark_id, c.event, c.unit,
		c.branch, c.run_ids[cardinality(c.run_ids)]);
	f profiling.finding;
	v_level text;
	v_subjects uuid[] := '{}';
BEGIN
	IF w.watch_id IS NULL THEN
		RETURN so_far;
	END IF;
	FOR f IN SELECT * FROM profiling.found(w, c.benchmark_id, c.event, c.unit, c.branch, c.run_ids, families) LOOP
		IF f.level <> 'metric' THEN
			v_level := f.level;
			v_subjects := v_subjects || f.subject_id;
		END IF;
		CONTINUE WHEN profiling.adjust_finding(c, f);
		so_far := profiling.opened(so_far, c.benchmark_id, f, v_fg, w.confirm);
	END LOOP;
	RETURN profiling.take_explained(so_far, c, w.method, ''::text, v_level, v_subjects);
END
$$;

COMMENT ON FUNCTION find_in_selected(changes, candidate, float8)
	IS 'tests a family that was selected again, by what alpha has for each of fewer families, and opens what that '
		'finds more, counted';

CREATE OR REPLACE FUNCTION night_selection(log_id bigint) RETURNS text
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	s CONSTANT record := profiling.selected_families(night_selection.log_id);
	c profiling.candidate;
	v_started CONSTANT timestamptz := clock_timestamp();
	v_done profiling.changes := ROW(0, 0, 0, '{}'::bigint[], 0, 0, 0, NULL);
BEGIN
	-- One alone is tested as Bonferroni has it, and was.
	FOR c IN SELECT o.* FROM profiling.candidates_of(night_selection.log_id) AS o
		WHERE s.selected > 1 AND o.p_value / o.alpha * s.families <= s.selected
		ORDER BY o.benchmark_id, o.event COLLATE "C", o.unit COLLATE "C", o.branch COLLATE "C", o.watch_id
	LOOP
		BEGIN
			v_done := profiling.find_in_selected(v_done, c, s.families::float8 / s.selected);
		EXCEPTION WHEN OTHERS THEN
			-- What is wrong with one of them does not keep the others from being found.
			PERFORM profiling.log_job('night_selection'::text, 'failed'::text, v_started,
				concat_ws(' ', SQLSTATE, SQLERRM), c.benchmark_id);
		END;
	END LOOP;
	FOR c IN SELECT o.* FROM profiling.candidates_of(night_selection.log_id) AS o LOOP
		DELETE FROM profiling.candidate AS d
		WHERE d.benchmark_id = c.benchmark_id AND d.event = c.event AND d.unit = c.unit AND d.branch = c.branch
			AND d.watch_id = c.watch_id AND d.found_at = c.found_at;
	END LOOP;
	PERFORM profiling.count_kept(night_selection.log_id, 'pending'::text, v_done.pending);
	PERFORM profiling.count_kept(night_selection.log_id, 'shift'::text, v_done.shifted);
	RETURN CASE WHEN s.selected > 1 THEN format('%s of %s families selected, %s findings more', s.selected, s.families,
		v_done.opened + v_done.pending) ELSE '' END;
END
$$;

COMMENT ON FUNCTION night_selection(bigint)
	IS 'a step of finish_night(), the first one: tests the families that stand out together at alpha * R / families '
		'and opens what that finds more (selected_families); words for job_log, or empty';

CREATE TABLE domain (
	pattern stackquery PRIMARY KEY,
	name text NOT NULL CHECK (name <> ''),
	CONSTRAINT domain_pattern_reaches CHECK (pattern_reaches(pattern))
);

COMMENT ON TABLE domain IS 'parts of the program within which cost may move without being a regression';

COMMENT ON COLUMN domain.pattern IS 'the stacks of this part';

COMMENT ON COLUMN domain.name IS 'what it is called';

CREATE OR REPLACE FUNCTION change_of_key(key stackpath, level text, delta flamegraph) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
	BEGIN ATOMIC
		SELECT coalesce(CASE change_of_key.level
			WHEN 'frame' THEN frame_total(change_of_key.delta, leaf(change_of_key.key))
			WHEN 'self' THEN frame_self(change_of_key.delta, leaf(change_of_key.key))
			WHEN 'stack' THEN value_at(change_of_key.delta, change_of_key.key)
			ELSE total_at(change_of_key.delta, change_of_key.key) END, 0::float8);
	END;

COMMENT ON FUNCTION change_of_key(stackpath, text, flamegraph)
	IS 'by how much a key of a level changed; delta: the difference of the profiles';

CREATE OR REPLACE FUNCTION contexts_above(key stackpath, level text, height int, delta flamegraph) RETURNS stackpath[]
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		-- By their text: pg_upgrade makes functions before the operators that sort stacks.
		WITH word AS (
			SELECT DISTINCT subpath(s.stack, 0, greatest(s.at - contexts_above.height + 1, 1))::text AS path
			FROM (SELECT c.stack, CASE WHEN contexts_above.level IN ('frame', 'self')
					THEN position_of(c.stack, contexts_above.key) ELSE depth(contexts_above.key) - 1 END AS at
				FROM stacks(contexts_above.delta) AS c
				WHERE CASE WHEN contexts_above.level IN ('frame', 'self')
					THEN has_frame(c.stack, leaf(contexts_above.key)) ELSE c.stack <@ contexts_above.key END) AS s
			WHERE s.at > 0
		), prefix AS (
			SELECT w.path::stackpath AS path FROM word AS w
		)
		SELECT pg_catalog.array_agg(p.path) FROM prefix AS p
		WHERE NOT EXISTS (SELECT 1 FROM prefix AS o WHERE o.path <> p.path AND p.path <@ o.path)
			AND (SELECT count(*) FROM prefix) <= 100;
	END;

COMMENT ON FUNCTION contexts_above(stackpath, text, int, flamegraph)
	IS 'the calling contexts that many levels above a function or a context, none within another; null when there are '
		'none, or more than 100 places';

CREATE OR REPLACE FUNCTION within_domain(fg flamegraph, paths stackpath[], pattern stackquery) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN within_domain.pattern IS NOT NULL THEN filter_stacks(within_domain.fg, within_domain.pattern)
			WHEN within_domain.paths IS NOT NULL THEN (SELECT coalesce(flamegraph_agg(s.stack, s.value), ''::flamegraph)
				FROM stacks(within_domain.fg) AS s
				WHERE EXISTS (SELECT 1 FROM pg_catalog.unnest(within_domain.paths) AS p (path) WHERE s.stack <@ p.path))
			ELSE within_domain.fg END;
	END;

COMMENT ON FUNCTION within_domain(flamegraph, stackpath[], stackquery)
	IS 'the part of a profile that is in a domain: that of a pattern, that below some contexts, or all of it';

CREATE OR REPLACE FUNCTION values_in_domain(profiles flamegraph[], paths stackpath[], pattern stackquery) RETURNS float8[]
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT pg_catalog.array_agg(CASE WHEN values_in_domain.pattern IS NOT NULL
				THEN total(filter_stacks(u.fg, values_in_domain.pattern))
			WHEN values_in_domain.paths IS NOT NULL THEN (SELECT coalesce(sum(total_at(u.fg, p.path)), 0::float8)
				FROM pg_catalog.unnest(values_in_domain.paths) AS p (path))
			ELSE total(u.fg) END ORDER BY u.n)
		FROM pg_catalog.unnest(values_in_domain.profiles) WITH ORDINALITY AS u (fg, n);
	END;

COMMENT ON FUNCTION values_in_domain(flamegraph[], stackpath[], stackquery)
	IS 'what each of some profiles spends in a domain; no pattern and no paths: all of it';

CREATE OR REPLACE FUNCTION domains_of(key stackpath, level text, delta flamegraph)
	RETURNS TABLE (paths stackpath[], pattern stackquery)
	LANGUAGE sql STABLE ROWS 5
	BEGIN ATOMIC
		SELECT d.paths, d.pattern
		FROM (SELECT contexts_above(domains_of.key, domains_of.level, h.height, domains_of.delta) AS paths,
				NULL::stackquery AS pattern, h.height AS place FROM generate_series(1, 3) AS h (height)
			UNION ALL
			SELECT NULL::stackpath[], o.pattern, 4 FROM domain AS o
			WHERE abs(change_of_key(domains_of.key, domains_of.level, filter_stacks(domains_of.delta, o.pattern)))
				>= abs(change_of_key(domains_of.key, domains_of.level, domains_of.delta)) / 2::float8) AS d
		WHERE d.paths IS NOT NULL OR d.pattern IS NOT NULL
		UNION ALL SELECT NULL::stackpath[], NULL::stackquery;
	END;

COMMENT ON FUNCTION domains_of(stackpath, text, flamegraph)
	IS 'within what the cost of a finding may have moved: the contexts up to 3 levels above it, the rows of domain '
		'with at least half of its change, and the whole profile';

CREATE OR REPLACE FUNCTION moved_back(watch watch, level text, key stackpath, change float8, before means, after means,
		delta flamegraph) RETURNS stackpath[]
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_keys CONSTANT profiling.regression.counterpart%TYPE := ARRAY(SELECT (t.tested).key
		FROM profiling.tested_family(watch, moved_back.level, false, before, after, (watch).alpha, 0::float8) AS t
		WHERE (t.tested).p_value <= (watch).alpha AND sign((t.tested).actual - (t.tested).expected) = - sign(change));
	v_moved float8;
	v_origins profiling.regression.counterpart%TYPE;
BEGIN
	v_origins := profiling.origins(v_keys, moved_back.level, delta);
	SELECT array_agg(o.key ORDER BY abs(o.change) DESC, o.key::text), abs(sum(o.change)) INTO v_origins, v_moved
	FROM (SELECT u.key, profiling.change_of_key(u.key, moved_back.level, delta) AS change
		FROM unnest(v_origins) AS u (key)) AS o
	WHERE sign(o.change) = - sign(moved_back.change) AND abs(o.change) >= 0.1 * abs(moved_back.change);
	RETURN CASE WHEN v_moved >= 0.5 * abs(moved_back.change) THEN v_origins[:10] END;
END
$$;

COMMENT ON FUNCTION moved_back(watch, text, stackpath, float8, means, means, flamegraph)
	IS 'the keys of a level that changed significantly the other way in a domain, whose difference of profiles delta '
		'is, by at least half of a change together; null when there are none';

CREATE OR REPLACE FUNCTION is_still(watch watch, before float8[], after float8[], of_sample float8) RETURNS bool
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN NOT EXISTS (SELECT 1 FROM profiling.tested(watch, 'self'::text, profiling.metric_means(before),
			profiling.metric_means(after), of_sample, (watch).alpha) AS t
		WHERE t.p_value <= (watch).alpha);
END
$$;

COMMENT ON FUNCTION is_still(watch, float8[], float8[], float8)
	IS 'whether what some runs spend in a domain does not differ significantly from what those before them do';

CREATE OR REPLACE FUNCTION shifted(watch watch, finding finding, before means, after means) RETURNS finding
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_share CONSTANT float8 := coalesce((profiling.checked_options(watch) ->> 'shift_share')::float8, 0.2);
	v_level CONSTANT text := (finding).level;
	v_key CONSTANT profiling.regression.subject%TYPE := (finding).subject;
	v_delta profiling.rollup.flamegraph%TYPE;
	v_within profiling.rollup.flamegraph%TYPE;
	v_before float8[];
	v_after float8[];
	v_change float8;
	d record;
BEGIN
	IF v_share = 0 OR v_level NOT IN ('frame', 'self', 'stack', 'node') THEN
		RETURN finding;
	END IF;
	IF (watch).method NOT IN ('deviation', 'welch') THEN
		watch.method := CASE cardinality((after).fgs) WHEN 1 THEN 'deviation' ELSE 'welch' END;
	END IF;
	v_delta := profiling.change_between((before).fgs, (after).fgs);
	FOR d IN SELECT * FROM profiling.domains_of(v_key, v_level, v_delta) LOOP
		v_before := profiling.values_in_domain((before).fgs, d.paths, d.pattern);
		v_after := profiling.values_in_domain((after).fgs, d.paths, d.pattern);
		v_within := profiling.within_domain(v_delta, d.paths, d.pattern);
		v_change := profiling.change_of_key(v_key, v_level, v_within);
		CONTINUE WHEN abs((SELECT avg(u.v) FROM unnest(v_after) AS u (v)) - (SELECT avg(u.v)
				FROM unnest(v_before) AS u (v))) >= v_share * abs(v_change)
			OR NOT profiling.is_still(watch, v_before, v_after, (after).of_sample);
		finding.counterpart := coalesce(profiling.moved_back(watch, v_level, v_key, v_change, before, after, v_within),
			-- A function that went into its caller leaves no other function with what it calls.
			CASE v_level WHEN 'frame' THEN profiling.moved_back(watch, 'self'::text, v_key, v_change, before, after,
				v_within) END, '{}');
		IF cardinality((finding).counterpart) > 0 THEN
			finding.cause := 'shift';
			RETURN finding;
		END IF;
	END LOOP;
	RETURN finding;
END
$$;

COMMENT ON FUNCTION shifted(watch, finding, means, means)
	IS 'a finding with cause shift and the subjects that moved the other way, if there is a domain (domains_of) that '
		'did not change significantly and by less than shift_share (0.2) of what the finding did; else as it was';

CREATE OR REPLACE VIEW cost_shift AS
SELECT f.benchmark_id, f.regression_id, b.suite, b.name, b.parameters, f.event, f.unit, f.branch, f.method, f.level,
	f.subject, f.counterpart, f.kind, f.status, f.expected, f.actual, f.diff, f.relative, f.opened_at, f.closed_at,
	f.first_test_run_id, o.commit AS first_commit, f.team
FROM regression AS f JOIN benchmark AS b ON b.benchmark_id = f.benchmark_id
	LEFT JOIN test_run AS o ON o.test_run_id = f.first_test_run_id
WHERE f.cause = 'shift';

COMMENT ON VIEW cost_shift
	IS 'findings whose cost only moved: something else in the same part of the program changed the other way as much';

DO $do$
DECLARE
	c pg_catalog.record;
BEGIN
	FOR c IN
		SELECT v.attname, pg_catalog.col_description(r.attrelid, r.attnum::int) AS comment
		FROM pg_catalog.pg_attribute AS v JOIN pg_catalog.pg_attribute AS r
			ON r.attname OPERATOR(pg_catalog.=) CASE WHEN v.attname OPERATOR(pg_catalog.=) 'first_commit'::name
				THEN 'commit'::name ELSE v.attname END
			AND r.attrelid OPERATOR(pg_catalog.=) ('profiling.' OPERATOR(pg_catalog.||) CASE
				WHEN v.attname::text IN ('suite', 'name', 'parameters') THEN 'benchmark'
				WHEN v.attname OPERATOR(pg_catalog.=) 'first_commit'::name THEN 'test_run'
				ELSE 'regression' END)::pg_catalog.regclass::pg_catalog.oid
		WHERE v.attrelid OPERATOR(pg_catalog.=) 'profiling.cost_shift'::pg_catalog.regclass::pg_catalog.oid
			AND v.attnum OPERATOR(pg_catalog.>) 0
	LOOP
		EXECUTE pg_catalog.format('COMMENT ON COLUMN profiling.cost_shift.%I IS %L', c.attname, c.comment);
	END LOOP;
END
$do$;

CREATE TYPE host_change AS (host text, level text, benchmark_id bigint, name text, event text, unit text, branch text,
	test_run_id bigint, metric_unit text, expected float8, actual float8, change float8, score float8);

COMMENT ON TYPE host_change
	IS 'how the total (level stack) or the metric of a benchmark''s newest run compares with the median of the 10 runs '
		'before it on the same host, or of a new host on any: change is the logarithm of their quotient, of a '
		'throughput the negative one, score that in standard deviations';

CREATE OR REPLACE FUNCTION host_of(labels jsonb) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT coalesce(host_of.labels ->> 'host'::text, '');
	END;

COMMENT ON FUNCTION host_of(jsonb) IS 'the host of a run, by its labels; empty when they do not say';

CREATE OR REPLACE FUNCTION history_on_host(benchmark_id bigint, event text, unit text, branch text, test_run_id bigint,
		host text, OUT totals float8[], OUT metrics float8[])
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_host text;
	v_runs int;
BEGIN
	-- What ran elsewhere until yesterday is compared with that: all of it changes together when the machine is another.
	FOREACH v_host IN ARRAY ARRAY[history_on_host.host, NULL] LOOP
		SELECT array_agg(h.total) FILTER (WHERE h.total > 0 AND h.total < 1e300),
			array_agg(h.metric) FILTER (WHERE h.metric > 0 AND h.metric < 1e300), count(*)
		INTO totals, metrics, v_runs
		FROM (SELECT profiling.ratio(r.total, r.repetitions::float8) AS total,
				CASE r.metric_unit WHEN n.metric_unit THEN profiling.ratio(r.metric_sum, r.metric_count::float8) END
					AS metric
			FROM profiling.rollup AS n JOIN profiling.rollup AS r ON r.benchmark_id = n.benchmark_id
				AND r.event = n.event AND r.unit = n.unit AND r.branch = n.branch AND r.span = 'run'
				AND (r.started_at, r.test_run_id) < (n.started_at, n.test_run_id)
				JOIN profiling.test_run AS t ON t.test_run_id = r.test_run_id
					AND profiling.host_of(t.labels) = coalesce(v_host, profiling.host_of(t.labels))
			WHERE n.benchmark_id = history_on_host.benchmark_id AND n.event = history_on_host.event
				AND n.unit = history_on_host.unit AND n.branch = history_on_host.branch
				AND n.test_run_id = history_on_host.test_run_id
			ORDER BY r.started_at DESC, r.test_run_id DESC LIMIT 10) AS h;
		EXIT WHEN v_runs >= 5;
	END LOOP;
END
$$;

COMMENT ON FUNCTION history_on_host(bigint, text, text, text, bigint, text)
	IS 'totals and metrics of the 10 runs before one on the same branch and host, or where the host has fewer than 5 '
		'on any host; those that have a logarithm';

CREATE OR REPLACE FUNCTION log_change(value float8, before float8[], OUT expected float8, OUT change float8, OUT score float8)
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		WITH logs AS (SELECT ln(u.v) AS v FROM pg_catalog.unnest(log_change.before) AS u (v)),
			middle AS (SELECT percentile_cont(0.5::float8) WITHIN GROUP (ORDER BY l.v) AS v, count(*) AS n
				FROM logs AS l),
			spread AS (SELECT 1.4826::float8 * percentile_cont(0.5::float8) WITHIN GROUP (ORDER BY abs(l.v - m.v)) AS v
				FROM logs AS l, middle AS m)
		SELECT exp(m.v), c.v - m.v,
			-- Totals of a few runs are sometimes the same; a machine is not.
			(c.v - m.v) / (greatest(s.v, 0.01::float8) * sqrt(1::float8 + 1::float8 / m.n::float8))
		FROM middle AS m, spread AS s,
			-- Where this is part of a larger query, WHERE may come after what is selected.
			(SELECT ln(CASE WHEN log_change.value > 0::float8 AND log_change.value < 1e300::float8
				THEN log_change.value END) AS v) AS c
		WHERE m.n >= 5 AND c.v IS NOT NULL;
	END;

COMMENT ON FUNCTION log_change(float8, float8[])
	IS 'the logarithm of a value less the median of those of at least 5 before, and that in standard deviations, '
		'estimated by the median absolute deviation, at least 0.01; expected: the median';

CREATE OR REPLACE FUNCTION newest_checked(since timestamptz) RETURNS TABLE (host text, benchmark_id bigint, name text,
		metric_direction text, event text, unit text, branch text, test_run_id bigint, started_at timestamptz,
		total float8, repetitions int, metric_count int, metric_sum float8, metric_unit text)
	LANGUAGE sql STABLE ROWS 100
	BEGIN ATOMIC
		SELECT DISTINCT ON (r.benchmark_id, r.event, r.unit, r.branch) host_of(t.labels), r.benchmark_id, b.name,
			b.metric_direction, r.event, r.unit, r.branch, r.test_run_id, r.started_at, r.total, r.repetitions,
			r.metric_count, r.metric_sum, r.metric_unit
		FROM rollup AS r JOIN test_run AS t ON t.test_run_id = r.test_run_id
			JOIN benchmark AS b ON b.benchmark_id = r.benchmark_id
		WHERE r.checked_at >= newest_checked.since AND r.span = 'run' AND has_begun(r.started_at)
		ORDER BY r.benchmark_id, r.event, r.unit, r.branch, r.started_at DESC, r.test_run_id DESC;
	END;

COMMENT ON FUNCTION newest_checked(timestamptz)
	IS 'the newest run of each benchmark, event, unit and branch, of those that were looked at since a time';

CREATE OR REPLACE FUNCTION host_changes(since timestamptz) RETURNS SETOF host_change
	LANGUAGE sql STABLE ROWS 100
	BEGIN ATOMIC
		SELECT n.host, v.level, n.benchmark_id, n.name, n.event, n.unit, n.branch, n.test_run_id, n.metric_unit,
			c.expected, v.value, v.sign * c.change, v.sign * c.score
		FROM newest_checked(host_changes.since) AS n
			CROSS JOIN LATERAL history_on_host(n.benchmark_id, n.event, n.unit, n.branch, n.test_run_id, n.host) AS h
			CROSS JOIN LATERAL (VALUES ('stack', ratio(n.total, n.repetitions::float8), h.totals, 1::float8),
				('metric', ratio(n.metric_sum, n.metric_count::float8), h.metrics,
					CASE n.metric_direction WHEN 'higher' THEN -1::float8 ELSE 1::float8 END))
				AS v (level, value, before, sign)
			CROSS JOIN LATERAL log_change(v.value, v.before) AS c
		WHERE c.change IS NOT NULL
			AND (NOT EXISTS (SELECT 1 FROM watch AS w WHERE w.options ->> 'environment'::text = 'false')
			OR NOT EXISTS (SELECT 1 FROM watches_of(n.benchmark_id, n.event) AS w
				WHERE w.options ->> 'environment'::text = 'false'));
	END;

COMMENT ON FUNCTION host_changes(timestamptz)
	IS 'how the newest runs of all benchmarks that were looked at since a time compare with those before on their '
		'hosts, but for benchmarks with a watch row whose option environment is false';

CREATE OR REPLACE FUNCTION typical_change(before flamegraph[], current flamegraph) RETURNS float8
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT min(s.change) FILTER (WHERE s.below >= s.whole / 2::float8)
		FROM (SELECT f.change, sum(f.expected) OVER (ORDER BY f.change, f.n) AS below, sum(f.expected) OVER () AS whole
			FROM (SELECT b.mean AS expected, row_number() OVER () AS n,
					ln(least(greatest(ratio(coalesce(a.mean, 0::float8), b.mean), 1e-9::float8), 1e9::float8)) AS change
				FROM means_of(typical_change.before, 'self'::text) AS b
					LEFT JOIN means_of(ARRAY[typical_change.current], 'self'::text) AS a ON a.key = b.key
				WHERE b.mean BETWEEN 1e-150::float8 AND 1e150::float8) AS f) AS s;
	END;

COMMENT ON FUNCTION typical_change(flamegraph[], flamegraph)
	IS 'the logarithm of the factor by which the typical function of a run changed: the median over the functions, '
		'weighted by what each of them cost itself before; that a few functions changed does not move it';

CREATE OR REPLACE FUNCTION is_everywhere(change host_change, total_change float8) RETURNS bool
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	c CONSTANT profiling.host_change := change;
	v_before CONSTANT record := profiling.run_means(c.benchmark_id, c.event, c.unit, profiling.runs_before(
		c.benchmark_id, c.event, c.unit, c.branch, c.test_run_id, 'window:10'::text));
	v_now CONSTANT record := profiling.run_means(c.benchmark_id, c.event, c.unit, ARRAY[c.test_run_id]);
BEGIN
	-- What a few functions have more than the typical one is the code's.
	RETURN (total_change - coalesce(profiling.typical_change(v_before.fgs, v_now.fgs[1]), 0)) * sign(c.change)
		<= abs(c.change) / 2;
END
$$;

COMMENT ON FUNCTION is_everywhere(host_change, float8)
	IS 'whether at most half of the change of a benchmark is that of a few functions; total_change: the change of its '
		'total, 0 when it is not known';

CREATE OR REPLACE FUNCTION one_for_each(changes host_change[], host text, level text) RETURNS host_change[]
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN ARRAY(SELECT c.c FROM (SELECT u AS c, row_number() OVER w AS place,
			count(*) OVER (PARTITION BY u.benchmark_id) AS rows
		FROM unnest(changes) AS u WHERE u.host = one_for_each.host AND u.level = one_for_each.level
		WINDOW w AS (PARTITION BY u.benchmark_id ORDER BY u.change, u.event, u.unit, u.branch)) AS c
		WHERE c.place = (c.rows + 1) / 2 ORDER BY (c.c).benchmark_id);
END
$$;

COMMENT ON FUNCTION one_for_each(host_change[], text, text)
	IS 'the changes of a host and level, for each benchmark its middle one';

CREATE OR REPLACE FUNCTION host_median(changes host_change[], OUT change float8, OUT score float8, OUT moved host_change[],
		OUT n int)
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
BEGIN
	SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY u.change), percentile_cont(0.5) WITHIN GROUP (ORDER BY u.score),
		count(*) INTO change, score, n
	FROM unnest(changes) AS u;
	moved := ARRAY(SELECT u FROM unnest(changes) AS u WHERE sign(u.change) = sign(host_median.change)
		AND abs(u.change) BETWEEN abs(host_median.change) / 3 AND abs(host_median.change) * 3 AND abs(u.score) >= 3
		-- the most typical first
		ORDER BY abs(u.change - host_median.change), u.benchmark_id);
END
$$;

COMMENT ON FUNCTION host_median(host_change[])
	IS 'the median change and score of some benchmarks, and those that moved like it: the same way, by a third to '
		'three times as much on the logarithmic scale and by at least 3 standard deviations, the most typical one '
		'first';

CREATE OR REPLACE FUNCTION moved_host(changes host_change[], host text, level text, refs text[]) RETURNS host_change[]
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_all CONSTANT profiling.host_change[] := profiling.one_for_each(changes, host, level);
	v_refs CONSTANT profiling.host_change[] := ARRAY(SELECT u FROM unnest(v_all) AS u WHERE u.name = ANY (refs));
	m record;
BEGIN
	IF cardinality(v_refs) > 0 THEN
		-- A fixed loop knows: when it stands still, it is the code.
		m := profiling.host_median(v_refs);
		RETURN CASE WHEN abs(m.change) >= ln(1.05::float8) AND abs(m.score) >= 4 THEN m.moved ELSE '{}' END;
	END IF;
	m := profiling.host_median(v_all);
	IF m.n < 3 OR abs(m.change) < ln(1.1::float8) OR abs(m.score) < 3 OR 2 * cardinality(m.moved) <= m.n THEN
		RETURN '{}';
	END IF;
	-- Of many benchmarks 20 say what the others do.
	m.moved := ARRAY(SELECT v FROM unnest(m.moved[:20]) AS v WHERE profiling.is_everywhere(v, coalesce((SELECT t.change
		FROM unnest(changes) AS t WHERE t.level = 'stack' AND t.benchmark_id = v.benchmark_id AND t.event = v.event
			AND t.unit = v.unit AND t.branch = v.branch), 0)));
	RETURN CASE WHEN 2 * cardinality(m.moved) > least(m.n, 20) THEN m.moved ELSE '{}' END;
END
$$;

COMMENT ON FUNCTION moved_host(host_change[], text, text, text[])
	IS 'the benchmarks that show that a host changed, the most typical one first; none when it did not: with '
		'references (refs: names) when they moved by 5 percent and 4 standard deviations, else when the median of at '
		'least 3 benchmarks moved by 10 percent and 3, and more than half of them like it and everywhere '
		'(is_everywhere)';

CREATE OR REPLACE FUNCTION open_environments(host text) RETURNS SETOF regression
	LANGUAGE sql STABLE ROWS 1
	BEGIN ATOMIC
		SELECT r.* FROM regression AS r JOIN test_run AS t ON t.test_run_id = r.first_test_run_id
		WHERE r.kind = 'environment' AND r.status IN ('open', 'acknowledged')
			AND host_of(t.labels) = open_environments.host;
	END;

COMMENT ON FUNCTION open_environments(text) IS 'findings about a host that are open';

CREATE OR REPLACE FUNCTION open_environment(host text, moved host_change[]) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	c CONSTANT profiling.host_change := moved[1];
	v_nothing CONSTANT profiling.regression.subject%TYPE := '';
	o profiling.regression;
BEGIN
	FOR o IN SELECT f.* FROM profiling.open_environments(open_environment.host) AS f LOOP
		UPDATE profiling.regression AS r SET last_test_run_id = c.test_run_id, seen = r.seen + 1
		WHERE r.benchmark_id = o.benchmark_id AND r.regression_id = o.regression_id;
	END LOOP;
	IF FOUND THEN
		RETURN;
	END IF;
	INSERT INTO profiling.regression AS r (benchmark_id, event, unit, branch, first_test_run_id, last_test_run_id,
		method, level, subject, subject_id, expected, actual, diff, relative, score, kind, cause, note)
	SELECT c.benchmark_id, c.event, CASE c.level WHEN 'metric' THEN c.metric_unit ELSE c.unit END, c.branch,
		c.test_run_id, c.test_run_id, 'environment', c.level, v_nothing, profiling.subject_id(v_nothing), c.expected,
		c.actual, c.actual - c.expected, profiling.ratio(c.actual - c.expected, c.expected), c.score, 'environment',
		'environment', format('%s benchmarks%s changed together, by factors from %s to %s: %s', cardinality(moved),
			CASE open_environment.host WHEN '' THEN '' ELSE format(' on host "%s"', open_environment.host) END,
			round(exp(greatest(least(min(u.change), 700), -700))::numeric, 2),
			round(exp(greatest(least(max(u.change), 700), -700))::numeric, 2),
			left(string_agg(u.name, ', ' ORDER BY u.name COLLATE "C"), 500))
	FROM unnest(moved) AS u
	ON CONFLICT (benchmark_id, event, unit, branch, method, level, subject_id)
		WHERE status IN ('open', 'acknowledged', 'pending') DO NOTHING;
END
$$;

COMMENT ON FUNCTION open_environment(text, host_change[])
	IS 'puts into regression that a host changed, on the most typical of the benchmarks that show it; or brings what '
		'is open about it up to date';

CREATE OR REPLACE FUNCTION hold_back(host text, since timestamptz) RETURNS int
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_held int := 0;
	f record;
BEGIN
	FOR f IN
		SELECT r.benchmark_id, r.regression_id, r.event, r.method, r.level
		FROM profiling.regression AS r JOIN profiling.test_run AS t ON t.test_run_id = r.last_test_run_id
		WHERE r.opened_at >= since AND r.status IN ('open', 'pending') AND r.notified_at IS NULL
			AND r.kind <> 'environment' AND profiling.host_of(t.labels) = hold_back.host
		ORDER BY r.benchmark_id, r.regression_id
	LOOP
		CONTINUE WHEN profiling.watch_option(f.benchmark_id, f.event, f.method, f.level, 'environment'::text) = 'false';
		UPDATE profiling.regression AS r SET status = 'pending',
			-- A cost that only moved stays one, whatever the machine did.
			cause = CASE r.cause WHEN 'shift' THEN r.cause ELSE 'environment' END
		WHERE r.benchmark_id = f.benchmark_id AND r.regression_id = f.regression_id;
		v_held := v_held + 1;
	END LOOP;
	RETURN v_held;
END
$$;

COMMENT ON FUNCTION hold_back(text, timestamptz)
	IS 'makes the findings of a host that were opened since a time pending, until a later run shows them, too; returns '
		'how many';

CREATE OR REPLACE FUNCTION night_environment(log_id bigint) RETURNS text
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_night CONSTANT profiling.job_log := (SELECT l FROM profiling.job_log AS l
		WHERE l.log_id = night_environment.log_id);
	v_since CONSTANT timestamptz := (SELECT l.started_at FROM profiling.job_log AS l
		WHERE l.log_id = profiling.first_of_night(night_environment.log_id));
	v_changes CONSTANT profiling.host_change[] := ARRAY(SELECT c FROM profiling.host_changes(v_since) AS c);
	v_refs CONSTANT text[] := ARRAY(SELECT DISTINCT w.options ->> 'reference' FROM profiling.watch AS w
		WHERE w.enabled AND w.options ? 'reference');
	v_moved profiling.host_change[];
	v_held int := 0;
	v_hosts int := 0;
	h record;
	o profiling.regression;
BEGIN
	-- One benchmark alone says nothing about its machine.
	IF v_night.benchmark_id IS NOT NULL THEN
		RETURN '';
	END IF;
	FOR h IN SELECT u.host, count(DISTINCT u.benchmark_id) AS benchmarks, bool_or(u.name = ANY (v_refs)) AS has_ref
		FROM unnest(v_changes) AS u GROUP BY 1 ORDER BY 1
	LOOP
		v_moved := profiling.moved_host(v_changes, h.host, 'stack'::text, v_refs);
		IF cardinality(v_moved) = 0 THEN
			v_moved := profiling.moved_host(v_changes, h.host, 'metric'::text, v_refs);
		END IF;
		IF cardinality(v_moved) > 0 THEN
			v_hosts := v_hosts + 1;
			v_held := v_held + profiling.hold_back(h.host, v_since);
			PERFORM profiling.open_environment(h.host, v_moved);
		ELSIF h.benchmarks >= 3 OR h.has_ref THEN
			FOR o IN SELECT f.* FROM profiling.open_environments(h.host) AS f LOOP
				UPDATE profiling.regression AS r SET status = 'resolved', closed_at = now(), notified_at = NULL
				WHERE r.benchmark_id = o.benchmark_id AND r.regression_id = o.regression_id;
			END LOOP;
		END IF;
	END LOOP;
	PERFORM profiling.count_kept(night_environment.log_id, 'environment'::text, v_held);
	RETURN CASE WHEN v_hosts > 0 THEN format('%s hosts changed, %s findings wait', v_hosts, v_held) ELSE '' END;
END
$$;

COMMENT ON FUNCTION night_environment(bigint)
	IS 'a step of finish_night(): hosts on which unrelated benchmarks changed together (moved_host) get one finding of '
		'kind environment, closed when they do not any more; what else was found on them waits as pending; words for '
		'job_log, or empty';

CREATE OR REPLACE FUNCTION total_between(benchmark_id bigint, host text, since timestamptz, until timestamptz) RETURNS float8
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT percentile_cont(0.5::float8) WITHIN GROUP (ORDER BY ln(k.total))
		FROM (SELECT ratio(r.total, r.repetitions::float8) AS total,
				rank() OVER (ORDER BY r.event, r.unit, r.branch) AS place
			FROM rollup AS r JOIN test_run AS t ON t.test_run_id = r.test_run_id
			WHERE r.benchmark_id = total_between.benchmark_id AND r.span = 'run'
				AND host_of(t.labels) = total_between.host
				AND r.started_at BETWEEN total_between.since AND total_between.until) AS k
		-- of several events and branches one
		WHERE k.place = 1 AND k.total > 0::float8 AND k.total < 1e300::float8;
	END;

COMMENT ON FUNCTION total_between(bigint, text, timestamptz, timestamptz)
	IS 'the logarithm of the median total of a benchmark''s runs on a host in a time; of the first event and branch';

CREATE OR REPLACE FUNCTION host_factor(benchmark_id bigint, event text, unit text, branch text, before_ids bigint[],
		run_ids bigint[]) RETURNS float8
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_host CONSTANT text := (SELECT profiling.host_of(t.labels) FROM profiling.test_run AS t
		WHERE t.test_run_id = run_ids[cardinality(run_ids)]);
	v_of CONSTANT text := profiling.watch_option(host_factor.benchmark_id, host_factor.event, NULL::text, NULL::text,
		'reference'::text);
	v_factor float8;
BEGIN
	WITH spans AS (
		SELECT u.is_new, min(t.started_at) - interval '12 hours' AS since,
			max(t.started_at) + interval '12 hours' AS until
		FROM (SELECT o.id, false AS is_new FROM unnest(before_ids) AS o (id)
			UNION ALL SELECT n.id, true FROM unnest(run_ids) AS n (id)) AS u
			JOIN profiling.test_run AS t ON t.test_run_id = u.id GROUP BY 1
	), changes AS (
		SELECT b.name = v_of AS is_reference, profiling.total_between(b.benchmark_id, v_host, n.since, n.until)
			- profiling.total_between(b.benchmark_id, v_host, o.since, least(o.until, n.since)) AS change
		FROM profiling.benchmark AS b, spans AS n, spans AS o WHERE n.is_new AND NOT o.is_new
	)
	SELECT CASE WHEN count(*) FILTER (WHERE c.is_reference) > 0
			THEN percentile_cont(0.5) WITHIN GROUP (ORDER BY c.change) FILTER (WHERE c.is_reference)
		WHEN count(*) >= 3 THEN percentile_cont(0.5) WITHIN GROUP (ORDER BY c.change) ELSE 0 END INTO v_factor
	FROM changes AS c WHERE c.change IS NOT NULL;
	RETURN exp(least(greatest(v_factor, -230), 230));
END
$$;

COMMENT ON FUNCTION host_factor(bigint, text, text, text, bigint[], bigint[])
	IS 'by what values of some runs must be divided to be compared with earlier runs, when their host was faster or '
		'slower: the median over all benchmarks of the host of the quotient of their totals, within 12 hours of these '
		'runs and in the time of the earlier ones; that of the benchmark of the option reference where there is one; 1 '
		'where fewer than 3 benchmarks say something';

CREATE TABLE regression_group (
	group_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	log_id bigint NOT NULL,
	opened_at timestamptz NOT NULL DEFAULT now(),
	first_test_run_id bigint NOT NULL
);

CREATE INDEX regression_group_idx ON regression (group_id) WHERE group_id IS NOT NULL;

COMMENT ON TABLE regression_group IS 'findings with one cause: those of regression that have its number';

COMMENT ON COLUMN regression_group.group_id IS 'number of the group';

COMMENT ON COLUMN regression_group.log_id IS 'the night: its line in job_log';

COMMENT ON COLUMN regression_group.opened_at IS 'when it was made';

COMMENT ON COLUMN regression_group.first_test_run_id IS 'the oldest of the runs in which its findings were first seen';

CREATE OR REPLACE FUNCTION watch_option(benchmark_id bigint, event text, method text, level text, name text) RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT w.options ->> watch_option.name FROM watches_of(watch_option.benchmark_id, watch_option.event) AS w
		WHERE w.method = coalesce(watch_option.method, w.method) AND w.options ? watch_option.name
		ORDER BY w.level = watch_option.level DESC NULLS LAST, w.watch_id DESC LIMIT 1;
	END;

COMMENT ON FUNCTION watch_option(bigint, text, text, text, text)
	IS 'an option of the watch row in force that a finding of this method and level comes from, or of another row of '
		'the method that has it; method null: of any; null when none has it';

CREATE OR REPLACE FUNCTION is_told(finding regression) RETURNS bool
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT CASE WHEN (is_told.finding).cause = 'shift' THEN coalesce(watch_option((is_told.finding).benchmark_id,
			(is_told.finding).event, (is_told.finding).method, (is_told.finding).level, 'notify_shift'::text) = 'true',
			false) ELSE true END;
	END;

COMMENT ON FUNCTION is_told(regression)
	IS 'whether people are told of a finding that is open: not of a cost that only moved, unless the option '
		'notify_shift asks for it';

CREATE OR REPLACE FUNCTION cause_name(level text, subject stackpath) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN cause_name.level <> 'metric' THEN leaf(cause_name.subject) END;
	END;

COMMENT ON FUNCTION cause_name(text, stackpath)
	IS 'the function that a finding is about, of a stack the one that it leads to; null for the metric';

CREATE OR REPLACE FUNCTION significant_change(before flamegraph[], current flamegraph, of_sample float8) RETURNS flamegraph
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT flamegraph_agg(c.key, c.diff / c.size)
		FROM (SELECT d.key, d.diff, sum(abs(d.diff)) OVER () AS size
			FROM deviation_scores((SELECT stats(u.fg, 'self'::text)
				FROM pg_catalog.unnest(significant_change.before) AS u (fg)), significant_change.current,
				significant_change.of_sample, 0::float8, 'inf'::text) AS d
			WHERE d.p_value <= 0.01::float8 AND abs(d.diff) BETWEEN 1e-150::float8 AND 1e150::float8) AS c;
	END;

COMMENT ON FUNCTION significant_change(flamegraph[], flamegraph, float8)
	IS 'by how much the own value of each function differs from that of the runs before (p <= 0.01), as a share of all '
		'these differences, so that benchmarks of any size and unit are alike; null when none differs';

CREATE OR REPLACE FUNCTION change_of_family(benchmark_id bigint, event text, unit text, branch text, first_id bigint,
		last_id bigint) RETURNS flamegraph
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_before CONSTANT record := profiling.run_means(change_of_family.benchmark_id, change_of_family.event,
		change_of_family.unit, profiling.runs_before(change_of_family.benchmark_id, change_of_family.event,
			change_of_family.unit, change_of_family.branch, first_id, 'window:10'::text));
	v_after CONSTANT record := profiling.run_means(change_of_family.benchmark_id, change_of_family.event,
		change_of_family.unit, ARRAY[last_id]);
BEGIN
	IF cardinality(v_before.fgs) < 3 OR cardinality(v_after.fgs) = 0 THEN
		RETURN NULL;
	END IF;
	RETURN profiling.significant_change(v_before.fgs, v_after.fgs[1], v_after.of_sample);
END
$$;

COMMENT ON FUNCTION change_of_family(bigint, text, text, text, bigint, bigint)
	IS 'significant_change() of the last run of a finding against the 10 runs before its first one; null when there '
		'are fewer than 3';

CREATE OR REPLACE FUNCTION are_alike(a flamegraph, b flamegraph) RETURNS bool
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT coalesce(similarity(are_alike.a, are_alike.b) >= 0.5::float8, false);
	END;

COMMENT ON FUNCTION are_alike(flamegraph, flamegraph)
	IS 'whether two changes share more than half; false where one is null';

CREATE OR REPLACE FUNCTION same_token(labels int[], tokens text[]) RETURNS int[]
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_labels int[];
BEGIN
	LOOP
		-- the least label of a token, then of all that had the same label before
		v_labels := ARRAY(SELECT min(t.least) OVER (PARTITION BY t.label) FROM (
				SELECT u.n, u.label, CASE WHEN u.token IS NULL THEN u.label
					ELSE min(u.label) OVER (PARTITION BY u.token) END AS least
				FROM unnest(labels, tokens) WITH ORDINALITY AS u (label, token, n)) AS t ORDER BY t.n);
		EXIT WHEN v_labels = labels;
		labels := v_labels;
	END LOOP;
	RETURN labels;
END
$$;

COMMENT ON FUNCTION same_token(int[], text[])
	IS 'labels of sets in which those that have one token, not null, are one set with all that were in theirs';

CREATE OR REPLACE FUNCTION like_families(keys text[], changes flamegraph[]) RETURNS text[]
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_labels int[] := ARRAY(SELECT generate_series(1, cardinality(keys)));
	p record;
BEGIN
	FOR p IN
		SELECT a.n AS first, b.n AS second
		FROM unnest(changes) WITH ORDINALITY AS a (change, n) JOIN unnest(changes) WITH ORDINALITY AS b (change, n)
			ON a.n < b.n AND profiling.are_alike(a.change, b.change)
	LOOP
		-- When all are alike, most pairs say what is known: a library became slower in a thousand benchmarks.
		CONTINUE WHEN v_labels[p.first] = v_labels[p.second];
		v_labels := ARRAY(SELECT CASE WHEN u.label = v_labels[p.second] THEN v_labels[p.first] ELSE u.label END
			FROM unnest(v_labels) WITH ORDINALITY AS u (label, n) ORDER BY u.n);
	END LOOP;
	RETURN ARRAY(SELECT keys[u.label] FROM unnest(v_labels) WITH ORDINALITY AS u (label, n) ORDER BY u.n);
END
$$;

COMMENT ON FUNCTION like_families(text[], flamegraph[])
	IS 'for each of these families, by their keys, one whose change is alike, or alike to one that is, and so on';

CREATE TYPE grouped_finding AS (benchmark_id bigint, regression_id bigint, family text, subject text, size float8,
	apart text);

COMMENT ON TYPE grouped_finding
	IS 'what night_groups() knows about a finding: its benchmark, event and branch as one text, cause_name(), the size '
		'of its change, and what keeps it out of groups of others: shift, or its number (environment, option groups)';

CREATE OR REPLACE FUNCTION last_of_families(findings grouped_finding[]) RETURNS TABLE (family text, benchmark_id bigint,
		event text, unit text, branch text, first_test_run_id bigint, last_test_run_id bigint)
	LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT DISTINCT ON (f.family) f.family, o.benchmark_id, o.event,
		CASE o.level WHEN 'metric' THEN u.unit ELSE o.unit END, o.branch, o.first_test_run_id, o.last_test_run_id
	FROM unnest(findings) AS f JOIN profiling.regression AS o ON o.benchmark_id = f.benchmark_id
			AND o.regression_id = f.regression_id
		CROSS JOIN LATERAL (SELECT min(c.unit) AS unit FROM profiling.rollup AS c
			WHERE c.benchmark_id = o.benchmark_id AND c.event = o.event AND c.branch = o.branch
				AND c.test_run_id = o.last_test_run_id) AS u
	WHERE f.apart = '' ORDER BY f.family, o.level = 'metric', o.regression_id;
END
$$;

COMMENT ON FUNCTION last_of_families(grouped_finding[])
	IS 'of each family of findings that go together one finding: what is compared of the family';

CREATE OR REPLACE FUNCTION families_alike(findings grouped_finding[]) RETURNS TABLE (family text, kin text)
	LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_keys text[];
	v_kin text[];
BEGIN
	v_keys := ARRAY(SELECT DISTINCT f.family FROM unnest(findings) AS f WHERE f.apart = '' ORDER BY 1);
	v_kin := v_keys;
	IF cardinality(v_keys) > 1 THEN
		v_kin := profiling.like_families(v_keys, ARRAY(SELECT profiling.change_of_family(r.benchmark_id, r.event,
				r.unit, r.branch, r.first_test_run_id, r.last_test_run_id)
			FROM profiling.last_of_families(findings) AS r ORDER BY r.family));
	END IF;
	RETURN QUERY SELECT u.family, u.kin FROM unnest(v_keys, v_kin) AS u (family, kin);
END
$$;

COMMENT ON FUNCTION families_alike(grouped_finding[])
	IS 'for each family with a finding that is not apart one with the same change: profiles before and after differ '
		'alike (are_alike)';

CREATE OR REPLACE FUNCTION cause_labels(findings grouped_finding[]) RETURNS int[]
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_labels int[] := ARRAY(SELECT generate_series(1, cardinality(findings)));
	v_kin jsonb;
	v_of_kin jsonb;
BEGIN
	SELECT coalesce(jsonb_object_agg(a.family, a.kin), '{}') INTO v_kin FROM profiling.families_alike(findings) AS a;
	SELECT coalesce(jsonb_object_agg(k.kin, k.families), '{}') INTO v_of_kin
	FROM (SELECT a.value AS kin, count(*) AS families FROM jsonb_each_text(v_kin) AS a GROUP BY 1) AS k;
	v_labels := profiling.same_token(v_labels, ARRAY(SELECT f.apart || ' ' || f.subject
		FROM unnest(findings) WITH ORDINALITY AS f ORDER BY f.ordinality));
	-- One run of a benchmark is one change, but for functions that changed in other benchmarks, too.
	v_labels := profiling.same_token(v_labels, ARRAY(SELECT CASE
			WHEN (v_of_kin ->> (v_kin ->> o.family))::int > 1 AND o.apart = '' THEN v_kin ->> o.family
			WHEN o.families = 1 THEN concat_ws(' ', o.family, o.apart) END
		FROM (SELECT f.ordinality, f.family, f.apart, CASE WHEN f.subject IS NULL THEN 0
				ELSE dense_rank() OVER (PARTITION BY f.apart, f.subject ORDER BY f.family)
					+ dense_rank() OVER (PARTITION BY f.apart, f.subject ORDER BY f.family DESC) - 1 END AS families
			FROM unnest(findings) WITH ORDINALITY AS f) AS o ORDER BY o.ordinality));
	-- The metric goes with the largest change of its family.
	RETURN profiling.same_token(v_labels, ARRAY(SELECT CASE WHEN f.place = 1 OR f.subject IS NULL
			THEN concat_ws(' ', f.family, f.apart) END
		FROM (SELECT o.*, row_number() OVER (PARTITION BY o.family, o.apart, o.subject IS NULL
			ORDER BY o.size DESC NULLS LAST) AS place FROM unnest(findings) WITH ORDINALITY AS o) AS f
		ORDER BY f.ordinality));
END
$$;

COMMENT ON FUNCTION cause_labels(grouped_finding[])
	IS 'for each of these findings the number of its group: those of the same function are one, and those of families '
		'that changed alike; what is left of a family is one, and the metric goes with its largest change';

CREATE OR REPLACE FUNCTION night_groups(log_id bigint) RETURNS text
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_findings profiling.grouped_finding[];
	v_labels int[];
	v_used bigint[];
	v_groups int := 0;
	v_id bigint;
	g record;
BEGIN
	v_used := ARRAY(SELECT DISTINCT r.group_id FROM profiling.regression AS r WHERE r.group_id IS NOT NULL);
	DELETE FROM profiling.regression_group AS o WHERE o.group_id <> ALL (v_used);
	v_findings := ARRAY(SELECT ROW(r.benchmark_id, r.regression_id,
			concat_ws(E'\x1f', r.benchmark_id, r.event, r.branch),
			r.kind || ' ' || profiling.cause_name(r.level, r.subject), abs(r.diff),
			CASE WHEN r.kind = 'environment' OR profiling.watch_option(r.benchmark_id, r.event, r.method, r.level,
				'groups'::text) = 'false' THEN format('alone %s', r.regression_id)
				ELSE r.cause END)::profiling.grouped_finding
		FROM profiling.untold_findings(night_groups.log_id) AS r
		WHERE r.status = 'open' AND r.group_id IS NULL ORDER BY r.benchmark_id, r.regression_id);
	v_labels := profiling.cause_labels(v_findings);
	FOR g IN
		SELECT array_agg(f.benchmark_id) AS benchmark_ids, array_agg(f.regression_id) AS ids,
			(array_agg(t.test_run_id ORDER BY t.started_at, t.test_run_id))[1] AS first_id
		FROM unnest(v_findings) WITH ORDINALITY AS f JOIN profiling.regression AS r
				ON r.benchmark_id = f.benchmark_id AND r.regression_id = f.regression_id
			LEFT JOIN profiling.test_run AS t ON t.test_run_id = r.first_test_run_id
		GROUP BY v_labels[f.ordinality] ORDER BY min(f.ordinality)
	LOOP
		INSERT INTO profiling.regression_group AS n (log_id, first_test_run_id)
		VALUES (night_groups.log_id, g.first_id) RETURNING n.group_id INTO v_id;
		UPDATE profiling.regression AS r SET group_id = v_id
		WHERE r.benchmark_id = ANY (g.benchmark_ids) AND r.regression_id = ANY (g.ids);
		v_groups := v_groups + 1;
	END LOOP;
	RETURN CASE WHEN v_groups < cardinality(v_findings)
		THEN format('%s findings in %s groups', cardinality(v_findings), v_groups) ELSE '' END;
END
$$;

COMMENT ON FUNCTION night_groups(bigint)
	IS 'a step of finish_night(): puts the findings of a night that have one cause into groups; words for job_log, or '
		'empty';

CREATE OR REPLACE VIEW open_group AS
SELECT g.group_id, g.kind, g.subjects, g.findings, g.benchmarks, g.names, g.events, g.branches, g.relative,
	g.opened_at, t.test_run_id AS first_test_run_id, t.started_at AS first_started_at, g.previous_commit,
	t.commit AS first_commit, g.team, g.notified_at, g.regression_ids
FROM (SELECT f.group_id, (pg_catalog.array_agg(f.kind ORDER BY f.place))[1] AS kind,
		pg_catalog.array_agg(f.name ORDER BY f.place) FILTER (WHERE f.is_first) AS subjects,
		count(*) AS findings, pg_catalog.count(DISTINCT f.benchmark_id) AS benchmarks,
		pg_catalog.array_agg(DISTINCT b.name) AS names, pg_catalog.array_agg(DISTINCT f.event) AS events,
		pg_catalog.array_agg(DISTINCT f.branch) AS branches,
		(pg_catalog.array_agg(f.relative ORDER BY f.place))[1] AS relative, min(f.opened_at) AS opened_at,
		(pg_catalog.array_agg(f.team ORDER BY f.place))[1] AS team, max(f.notified_at) AS notified_at,
		pg_catalog.array_agg(f.regression_id ORDER BY f.place) AS regression_ids,
		(pg_catalog.array_agg(f.previous_commit ORDER BY o.started_at, f.first_test_run_id, f.place))[1]
			AS previous_commit,
		(pg_catalog.array_agg(f.first_test_run_id ORDER BY o.started_at, f.first_test_run_id, f.place))[1] AS first_id
	FROM (SELECT n.*, n.name IS NOT NULL AND row_number() OVER (PARTITION BY n.group_id,
				CASE WHEN n.group_id IS NULL THEN n.regression_id END, n.name ORDER BY n.place) = 1 AS is_first
		FROM (SELECT r.*, cause_name(r.level, r.subject) AS name, row_number() OVER (ORDER BY
				CASE r.kind WHEN 'environment' THEN 0 WHEN 'degradation' THEN 1 ELSE 2 END,
				abs(r.relative) DESC NULLS FIRST, r.level = 'metric', r.regression_id) AS place
			-- of every finding, as the rows of a benchmark are on one server
			FROM (SELECT q.*, p.commit AS previous_commit
				FROM (SELECT e.*, a.branch AS first_branch, a.started_at AS first_started_at
					FROM regression AS e LEFT JOIN test_run AS a ON a.test_run_id = e.first_test_run_id
					WHERE e.status IN ('open', 'acknowledged') AND e.cause <> 'shift') AS q
					LEFT JOIN LATERAL (SELECT v.commit
						FROM rollup AS u JOIN test_run AS v ON v.test_run_id = u.test_run_id
						WHERE u.benchmark_id = q.benchmark_id AND u.event = q.event AND u.branch = q.first_branch
							AND u.span = 'run'
							AND (u.started_at, u.test_run_id) < (q.first_started_at, q.first_test_run_id)
						ORDER BY u.started_at DESC, u.test_run_id DESC LIMIT 1) AS p ON true) AS r) AS n) AS f
		JOIN benchmark AS b ON b.benchmark_id = f.benchmark_id
		LEFT JOIN test_run AS o ON o.test_run_id = f.first_test_run_id
	GROUP BY f.group_id, CASE WHEN f.group_id IS NULL THEN f.regression_id END) AS g
	LEFT JOIN test_run AS t ON t.test_run_id = g.first_id;

COMMENT ON VIEW open_group
	IS 'what is open or acknowledged, a row for each cause: findings of one group, in how many benchmarks, the worst '
		'change and between which commits it came; what was found before there were groups has a row for each finding; '
		'without costs that only moved (cost_shift)';

COMMENT ON COLUMN open_group.group_id IS 'the row of regression_group; null for a finding without a group';

COMMENT ON COLUMN open_group.kind IS 'that of its worst finding: environment, degradation or optimization';

COMMENT ON COLUMN open_group.subjects
	IS 'the functions that changed, the worst first, a stack by the one that it leads to; null when it is the metric '
		'alone';

COMMENT ON COLUMN open_group.findings IS 'number of its findings that are open or acknowledged';

COMMENT ON COLUMN open_group.benchmarks IS 'number of their benchmarks';

COMMENT ON COLUMN open_group.names IS 'names of these benchmarks';

COMMENT ON COLUMN open_group.events IS 'events of the profiles';

COMMENT ON COLUMN open_group.branches IS 'branches of the runs';

COMMENT ON COLUMN open_group.relative
	IS 'the worst relative change, a fraction of what was expected; null for what nothing was expected of';

COMMENT ON COLUMN open_group.opened_at IS 'when the first of the findings was found';

COMMENT ON COLUMN open_group.first_test_run_id IS 'the oldest run in which one of them was first seen';

COMMENT ON COLUMN open_group.first_started_at IS 'when that run began';

COMMENT ON COLUMN open_group.previous_commit
	IS 'commit of the run before it of the same benchmark, event and branch: the change came after that one';

COMMENT ON COLUMN open_group.first_commit IS 'commit of that run: the change came with it or before it';

COMMENT ON COLUMN open_group.team IS 'team of the worst finding';

COMMENT ON COLUMN open_group.notified_at IS 'when somebody was told last; null: nobody yet';

COMMENT ON COLUMN open_group.regression_ids IS 'the findings, the worst first';

CREATE OR REPLACE FUNCTION news_of(findings regression[]) RETURNS json
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	-- Any role of the database may listen: no names. A payload has at most 8000 bytes.
	RETURN (SELECT json_build_object('benchmark_id', w.benchmark_ids[1], 'test_run_id', w.test_run_ids[1],
			'opened', w.opened, 'closed', w.closed, 'regression_ids', to_json(w.ids[:50]), 'group_id', w.group_id,
			'kind', w.kinds[1], 'cause', w.causes[1], 'relative', w.relatives[1]::text,
			'benchmarks', w.benchmarks, 'benchmark_ids', to_json(w.all_benchmark_ids[:20]))
		FROM (SELECT max(f.group_id) AS group_id, count(*) FILTER (WHERE f.status = 'open') AS opened,
				count(*) FILTER (WHERE f.status <> 'open') AS closed, count(DISTINCT f.benchmark_id) AS benchmarks,
				array_agg(DISTINCT f.benchmark_id) AS all_benchmark_ids,
				array_agg(f.benchmark_id ORDER BY f.place) AS benchmark_ids,
				array_agg(f.test_run_id ORDER BY f.place) AS test_run_ids,
				array_agg(f.regression_id ORDER BY f.regression_id) AS ids, array_agg(f.kind ORDER BY f.place) AS kinds,
				array_agg(f.cause ORDER BY f.place) AS causes, array_agg(f.relative ORDER BY f.place) AS relatives
			FROM (SELECT r.*, profiling.run_of_news(r) AS test_run_id, row_number() OVER (ORDER BY r.status <> 'open',
					CASE r.kind WHEN 'environment' THEN 0 WHEN 'degradation' THEN 1 ELSE 2 END,
					abs(r.relative) DESC NULLS FIRST, r.level = 'metric', r.regression_id) AS place
				FROM unnest(findings) AS r) AS f) AS w);
END
$$;

COMMENT ON FUNCTION news_of(regression[])
	IS 'what is told about the findings of one group that were opened or closed: ids, counts, and of the worst one its '
		'benchmark, run, kind, cause and relative change (as text: it can be infinite); no names';

CREATE OR REPLACE FUNCTION night_notify(log_id bigint) RETURNS text
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_kept int := 0;
	v_more int := 0;
	v_now timestamptz;
	g record;
BEGIN
	FOR g IN
		SELECT array_agg(f) AS findings, f.is_told FROM (SELECT r AS f, r.benchmark_id, r.regression_id, r.group_id,
				profiling.is_told(r) AS is_told
			FROM profiling.untold_findings(night_notify.log_id) AS r) AS f
		GROUP BY f.is_told, f.group_id, CASE WHEN f.group_id IS NULL OR NOT f.is_told THEN f.benchmark_id END
		ORDER BY min(f.benchmark_id), min(f.regression_id)
	LOOP
		IF g.is_told THEN
			PERFORM pg_notify('profiling_regression', profiling.news_of(g.findings)::text);
			v_more := v_more + cardinality(g.findings) - 1;
			v_now := clock_timestamp();
			UPDATE profiling.regression AS r SET notified_at = v_now
			FROM unnest(g.findings) AS f WHERE r.benchmark_id = f.benchmark_id AND r.regression_id = f.regression_id;
		ELSE
			v_kept := v_kept + (SELECT count(*) FROM unnest(g.findings) AS f JOIN profiling.job_log AS l
				ON l.log_id = night_notify.log_id AND f.status = 'open' AND f.opened_at >= l.started_at);
		END IF;
	END LOOP;
	PERFORM profiling.count_kept(night_notify.log_id, 'groups'::text, v_more);
	RETURN CASE WHEN v_kept > 0 THEN format('%s shifted', v_kept) ELSE '' END;
END
$$;

COMMENT ON FUNCTION night_notify(bigint)
	IS 'a step of finish_night(): sends one NOTIFY profiling_regression for each group of findings of which nobody was '
		'told, and writes down that they were; costs that only moved are not told (option notify_shift); words for '
		'job_log, or empty';

CREATE OR REPLACE FUNCTION untold_findings(log_id bigint) RETURNS SETOF regression
	LANGUAGE sql ROWS 10
	BEGIN ATOMIC
		SELECT r.* FROM regression AS r JOIN job_log AS l ON l.log_id = untold_findings.log_id
			AND (l.benchmark_id IS NULL OR l.benchmark_id = r.benchmark_id)
			-- Findings of a night that is under way wait for its end.
			AND (l.step <> 'watch_services' OR r.method = 'service')
		WHERE r.notified_at IS NULL AND (r.status = 'open'
			-- That a cost has moved back, of which nobody was told, is no news for ever: not when notify_shift is set.
			OR r.status = 'resolved' AND (r.cause <> 'shift' OR r.closed_at > now() - '7 days'::interval))
		ORDER BY r.benchmark_id, r.regression_id
		-- Another session has it in hand, and tells it.
		FOR UPDATE OF r SKIP LOCKED;
	END;

COMMENT ON FUNCTION untold_findings(bigint)
	IS 'findings that were opened or closed and nobody was told of, those whose cost only moved for a week after they '
		'were closed; log_id: the line of job_log of a night, or of one benchmark: then those of this one; locks them';

CREATE OR REPLACE FUNCTION run_of_news(finding regression) RETURNS bigint
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF (finding).status <> 'resolved' THEN
		RETURN (finding).last_test_run_id;
	END IF;
	-- It was closed in the transaction in which the run without it was looked at.
	RETURN coalesce((SELECT r.test_run_id FROM profiling.rollup AS r
		WHERE r.benchmark_id = (finding).benchmark_id AND r.event = (finding).event AND r.branch = (finding).branch
			AND (r.unit = (finding).unit OR (finding).level = 'metric') AND r.checked_at = (finding).closed_at
		ORDER BY r.started_at DESC, r.test_run_id DESC LIMIT 1), (finding).last_test_run_id);
END
$$;

COMMENT ON FUNCTION run_of_news(regression)
	IS 'the run that the news of a finding is about: the last one that has it, or of a closed one the first that has '
		'it not';

CREATE OR REPLACE FUNCTION first_of_night(log_id bigint) RETURNS bigint
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(min(l.log_id), first_of_night.log_id) FROM job_log AS n JOIN job_log AS l
			ON l.step = 'watch_run' AND n.step = 'watch_run' AND l.log_id < n.log_id AND l.finished_at IS NULL
				AND l.started_at > n.started_at - '1 day'::interval
		WHERE n.log_id = first_of_night.log_id;
	END;

COMMENT ON FUNCTION first_of_night(bigint)
	IS 'the line of job_log with which a night began: its own, or that of one that was cut short within the day '
		'before, which it ends';

CREATE OR REPLACE FUNCTION count_kept(log_id bigint, filter text, findings bigint) RETURNS void
	LANGUAGE sql
	BEGIN ATOMIC
		UPDATE job_log AS l SET kept_back = l.kept_back || pg_catalog.jsonb_build_object(count_kept.filter,
			coalesce((l.kept_back ->> count_kept.filter)::bigint, 0::bigint) + count_kept.findings)
		WHERE l.log_id = count_kept.log_id AND count_kept.findings <> 0::bigint;
	END;

COMMENT ON FUNCTION count_kept(bigint, text, bigint)
	IS 'adds to what a filter kept from people, in a line of job_log; below 0 for findings that are others now';

CREATE OR REPLACE FUNCTION count_benchmarks(log_id bigint) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_first CONSTANT bigint := profiling.first_of_night(count_benchmarks.log_id);
BEGIN
	PERFORM profiling.count_kept(count_benchmarks.log_id, k.filter, k.findings)
	FROM (SELECT e.key AS filter, sum(e.value::bigint)::bigint AS findings
		FROM profiling.job_log AS n JOIN profiling.job_log AS l ON l.log_id > v_first
			CROSS JOIN LATERAL jsonb_each_text(l.kept_back) AS e
		WHERE n.log_id = count_benchmarks.log_id AND n.step = 'watch_run' AND l.step = 'watch'
			-- Most lines have nothing to add.
			AND l.kept_back <> '{}' GROUP BY 1) AS k;
END
$$;

COMMENT ON FUNCTION count_benchmarks(bigint)
	IS 'adds up in the line of a night what the filters of its benchmarks kept from people';

CREATE OR REPLACE FUNCTION night_step(log_id bigint, step text) RETURNS text
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_started CONSTANT timestamptz := clock_timestamp();
	v_detail text;
BEGIN
	RETURN CASE step
		WHEN 'night_selection' THEN profiling.night_selection(log_id)
		WHEN 'night_environment' THEN profiling.night_environment(log_id)
		WHEN 'night_groups' THEN profiling.night_groups(log_id)
		ELSE profiling.night_notify(log_id) END;
EXCEPTION WHEN OTHERS THEN
	-- What was found is told nevertheless, now or by the next night.
	GET STACKED DIAGNOSTICS v_detail = PG_EXCEPTION_DETAIL;
	PERFORM profiling.log_job(step, 'failed'::text, v_started, concat_ws(' ', SQLSTATE, SQLERRM, nullif(v_detail, '')),
		NULL::bigint);
	RETURN '';
END
$$;

COMMENT ON FUNCTION night_step(bigint, text)
	IS 'one step of finish_night(), by its name, and what it says for job_log; why it failed is recorded there, and '
		'the others go on';

CREATE OR REPLACE FUNCTION finish_night(log_id bigint) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_step text;
	v_words text := '';
BEGIN
	-- Findings are opened here, too, and groups made: none of what a correction has just removed.
	PERFORM profiling.keep_corrections_out();
	PERFORM profiling.count_benchmarks(finish_night.log_id);
	FOREACH v_step IN ARRAY ARRAY['night_selection', 'night_environment', 'night_groups', 'night_notify'] LOOP
		v_words := concat_ws(', ', nullif(v_words, ''), nullif(profiling.night_step(finish_night.log_id, v_step), ''));
	END LOOP;
	UPDATE profiling.job_log AS l SET finished_at = clock_timestamp(),
		detail = concat_ws(', ', l.detail, CASE l.log_id WHEN finish_night.log_id THEN nullif(v_words, '') END)
	FROM profiling.job_log AS n
	WHERE n.log_id = finish_night.log_id AND (l.log_id = n.log_id
		-- and nights before it that were cut short
		OR n.step = 'watch_run' AND l.step = 'watch_run' AND l.finished_at IS NULL AND l.log_id < n.log_id);
END
$$;

COMMENT ON FUNCTION finish_night(bigint)
	IS 'the end of a night, or of the comparison of one benchmark, by its line in job_log: families that stand out '
		'together are tested again, what moved many benchmarks is seen, findings with one cause are made a group, and '
		'what nobody was told of is told; writes into job_log '
		'that it has ended';

CREATE OR REPLACE VIEW night_filters AS
SELECT l.log_id, l.started_at, l.finished_at, l.benchmark_id, b.suite, b.name, b.parameters,
	coalesce((l.kept_back ->> 'pending'::text)::bigint, 0::bigint) AS pending,
	coalesce((l.kept_back ->> 'went_away'::text)::bigint, 0::bigint) AS went_away,
	coalesce((l.kept_back ->> 'environment'::text)::bigint, 0::bigint) AS environment,
	coalesce((l.kept_back ->> 'shift'::text)::bigint, 0::bigint) AS shift,
	coalesce((l.kept_back ->> 'groups'::text)::bigint, 0::bigint) AS groups
FROM job_log AS l LEFT JOIN benchmark AS b ON b.benchmark_id = l.benchmark_id
WHERE l.step IN ('watch_run', 'watch', 'watch_benchmark') AND l.outcome = 'ok';

COMMENT ON VIEW night_filters
	IS 'how many findings each filter kept from people: a row for each night (benchmark_id null), for each benchmark '
		'of it, and for each that was compared alone';

COMMENT ON COLUMN night_filters.log_id IS 'the line of job_log';

COMMENT ON COLUMN night_filters.started_at IS 'when the night, or the comparison of the benchmark, began';

COMMENT ON COLUMN night_filters.finished_at IS 'when it ended; null for a night that was cut short';

COMMENT ON COLUMN night_filters.benchmark_id IS 'the benchmark; null for all of a night';

COMMENT ON COLUMN night_filters.suite IS 'its suite';

COMMENT ON COLUMN night_filters.name IS 'its name';

COMMENT ON COLUMN night_filters.parameters IS 'its parameters';

COMMENT ON COLUMN night_filters.pending IS 'findings that wait for later runs from then on (watch.confirm)';

COMMENT ON COLUMN night_filters.went_away IS 'findings that had waited, and were gone in the next run';

COMMENT ON COLUMN night_filters.environment
	IS 'findings that wait because their machine changed; of a night, not of a benchmark';

COMMENT ON COLUMN night_filters.shift IS 'findings that were opened and not told, because their cost only moved';

COMMENT ON COLUMN night_filters.groups
	IS 'findings that were told in the message of another one, with which they have a cause; of a night, or of a '
		'benchmark that was compared alone';

CREATE OR REPLACE FUNCTION service_sum(service_id bigint, event text, unit text, since timestamptz, until timestamptz,
		OUT profile flamegraph, OUT profiles bigint, OUT total float8, OUT of_sample float8)
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT sum(p.profile), coalesce(sum(p.profiles), 0::float8)::bigint, coalesce(sum(total(p.profile)), 0::float8),
			-- That of a mean sample, where they weigh differently; nothing is known of what one alone does not say.
			CASE WHEN pg_catalog.bool_and(p.squares IS NOT NULL) THEN ratio(sum(p.squares), sum(total(p.profile))) END
		FROM (SELECT sum(k.profile) AS profile, sum(coalesce(k.in_sums, k.entries::float8)) AS profiles,
				-- The noise of a stream is known where all of its profiles have it: of some it is too little.
				CASE WHEN sum(k.with_noise) = sum(k.entries) THEN sum(k.squares)
					ELSE sum(total(k.profile)) * nullif(k.period, 0::float8) END AS squares
			FROM (SELECT t.stream_id, sum(b.series, service_sum.since, service_sum.until, NULL::text[]) AS profile,
						total(sum(b.noise, service_sum.since, service_sum.until, NULL::text[])) AS squares,
						CASE WHEN t.period = 0::float8 AND t.unit = 'samples' THEN 1::float8 ELSE t.period END
							AS period,
						total(sum(b.counts, service_sum.since, service_sum.until, NULL::text[])) AS in_sums,
						profile_count(slice(coalesce(b.counts, b.series), service_sum.since, service_sum.until,
							NULL::text[])) AS entries,
						coalesce(profile_count(slice(b.noise, service_sum.since, service_sum.until,
							NULL::text[])), 0) AS with_noise
					FROM stream AS t JOIN block AS b ON b.service_id = t.service_id AND b.stream_id = t.stream_id
					WHERE t.service_id = service_sum.service_id AND t.event = service_sum.event
						AND t.unit = service_sum.unit
						-- Of a day nobody knows the hours.
						AND b.resolution <> 'day' AND b.until > service_sum.since AND b.since < service_sum.until
						AND b.since > service_sum.since - '32 days'::interval
				UNION ALL
				SELECT t.stream_id, i.flamegraph, total(i.noise),
					CASE WHEN t.period = 0::float8 AND t.unit = 'samples' THEN 1::float8 ELSE t.period END,
					NULL::float8, 1, (i.noise IS NOT NULL)::int
				FROM stream AS t JOIN incoming AS i ON i.service_id = t.service_id AND i.stream_id = t.stream_id
				WHERE t.service_id = service_sum.service_id AND t.event = service_sum.event
					AND t.unit = service_sum.unit
					AND i.recorded_at >= service_sum.since AND i.recorded_at < service_sum.until) AS k
			WHERE k.entries > 0 GROUP BY k.stream_id, k.period) AS p;
	END;

COMMENT ON FUNCTION service_sum(bigint, text, text, timestamptz, timestamptz)
	IS 'the sum of the profiles of a service in some time, of one event and unit, of how many it is, its total, and '
		'what a sample stands for, null when nobody knows';

CREATE OR REPLACE FUNCTION service_instances(service_id bigint, event text, unit text, version text, since timestamptz,
		until timestamptz, most int, OUT instances text[], OUT n bigint)
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT pg_catalog.array_agg(d.instance ORDER BY d.place) FILTER (WHERE d.place
			<= service_instances.most::bigint), count(*)
		-- By chance, but the same ones in the next hour.
		FROM (SELECT k.instance, row_number() OVER (ORDER BY md5(k.instance), k.instance COLLATE "C") AS place
			FROM (SELECT u.instance
					FROM stream AS t JOIN block AS b ON b.service_id = t.service_id AND b.stream_id = t.stream_id
						CROSS JOIN LATERAL (SELECT CASE WHEN b.since >= service_instances.since
								AND b.until <= service_instances.until THEN b.series
							ELSE slice(b.series, service_instances.since, service_instances.until, NULL::text[])
							END AS series
							OFFSET 0) AS s
						CROSS JOIN LATERAL pg_catalog.unnest(CASE
							WHEN instances(s.series) OPERATOR(pg_catalog.<>) '{}'::text[] THEN instances(s.series)
							WHEN profile_count(s.series) > 0 THEN '{""}'::text[] END)
							AS u (instance)
					WHERE t.service_id = service_instances.service_id AND t.event = service_instances.event
						AND t.unit = service_instances.unit AND b.resolution = 'raw'
						AND (service_instances.version IS NULL
							OR t.labels ->> 'version'::text = service_instances.version)
						AND b.until > service_instances.since
						AND b.since < service_instances.until
						AND b.since >= span_of('minute'::text, service_instances.since)
				UNION
				SELECT i.instance
				FROM stream AS t JOIN incoming AS i ON i.service_id = t.service_id AND i.stream_id = t.stream_id
				WHERE t.service_id = service_instances.service_id AND t.event = service_instances.event
					AND t.unit = service_instances.unit
					AND (service_instances.version IS NULL
						OR t.labels ->> 'version'::text = service_instances.version)
					AND i.recorded_at >= service_instances.since AND i.recorded_at < service_instances.until) AS k)
			AS d;
	END;

COMMENT ON FUNCTION service_instances(bigint, text, text, text, timestamptz, timestamptz, int)
	IS 'how many instances a service has in some time, and so many of them; version null: of any';

CREATE OR REPLACE FUNCTION service_pods(service_id bigint, event text, unit text, version text, since timestamptz,
		until timestamptz, instances text[]) RETURNS TABLE (instance text, profile flamegraph, profiles bigint)
	LANGUAGE sql STABLE ROWS 50
	BEGIN ATOMIC
		SELECT k.instance, sum(k.profile), sum(k.profiles)
		FROM (SELECT u.instance, sum(o.series, NULL::timestamptz, NULL::timestamptz, ARRAY[u.instance]) AS profile,
					profile_count(slice(o.series, NULL::timestamptz, NULL::timestamptz, ARRAY[u.instance])) AS profiles
				FROM stream AS t JOIN block AS b ON b.service_id = t.service_id AND b.stream_id = t.stream_id
					-- These first, and then each of them: a block may have a million others.
					CROSS JOIN LATERAL (SELECT slice(b.series, service_pods.since, service_pods.until,
						service_pods.instances) AS series OFFSET 0) AS o
					CROSS JOIN LATERAL pg_catalog.unnest(service_pods.instances) AS u (instance)
				WHERE t.service_id = service_pods.service_id AND t.event = service_pods.event
					AND t.unit = service_pods.unit AND b.resolution = 'raw'
					AND (service_pods.version IS NULL OR t.labels ->> 'version'::text = service_pods.version)
					AND b.until > service_pods.since AND b.since < service_pods.until
					AND b.since >= span_of('minute'::text, service_pods.since)
					AND (u.instance = '' OR u.instance = ANY (instances(o.series)))
			UNION ALL
			SELECT i.instance, i.flamegraph, 1
			FROM stream AS t JOIN incoming AS i ON i.service_id = t.service_id AND i.stream_id = t.stream_id
			WHERE t.service_id = service_pods.service_id AND t.event = service_pods.event
				AND t.unit = service_pods.unit
				AND (service_pods.version IS NULL OR t.labels ->> 'version'::text = service_pods.version)
				AND i.recorded_at >= service_pods.since AND i.recorded_at < service_pods.until
				AND i.instance = ANY (service_pods.instances)) AS k
		GROUP BY k.instance;
	END;

COMMENT ON FUNCTION service_pods(bigint, text, text, text, timestamptz, timestamptz, text[])
	IS 'the sum of the profiles of each of some instances of a service in some time, and of how many it is; version '
		'null: of any';

CREATE OR REPLACE FUNCTION as_shares(profiles flamegraph[]) RETURNS flamegraph[]
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(u.fg / (total(u.fg) / 100::float8) ORDER BY u.n), '{}'::flamegraph[])
		FROM pg_catalog.unnest(as_shares.profiles) WITH ORDINALITY AS u (fg, n) WHERE total(u.fg) > 0::float8;
	END;

COMMENT ON FUNCTION as_shares(flamegraph[])
	IS 'profiles in percent of their totals, without those that have nothing';

CREATE OR REPLACE FUNCTION service_history(watch service_watch, service_id bigint, event text, unit text, hour timestamptz,
		first timestamptz) RETURNS flamegraph[]
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_season CONSTANT record := profiling.season_of((watch).baseline);
	-- Days that have a finding are no history of it.
	v_since CONSTANT int := floor(extract(epoch FROM hour - first) / extract(epoch FROM v_season.period))::int + 1;
	v_start timestamptz;
	v_sum record;
	v_all profiling.means;
BEGIN
	FOR k IN REVERSE v_since + v_season.periods - 1 .. v_since LOOP
		-- A day has 24 hours, as in the names of blocks: the hour of UTC.
		v_start := (hour AT TIME ZONE 'UTC' - v_season.period * k) AT TIME ZONE 'UTC';
		v_sum := profiling.service_sum(service_id, event, unit, v_start, v_start + interval '1 hour');
		IF v_sum.profiles >= (watch).min_profiles THEN
			v_all.fgs := v_all.fgs || v_sum.profile;
		END IF;
	END LOOP;
	RETURN profiling.as_shares(v_all.fgs);
END
$$;

COMMENT ON FUNCTION service_history(service_watch, bigint, text, text, timestamptz, timestamptz)
	IS 'the hours that an hour of a service is compared with, in shares, oldest first; of those before the hour first';

CREATE OR REPLACE FUNCTION means_of_shares(profiles flamegraph[], of_sample float8, repeated flamegraph[])
	RETURNS means
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT ROW(means_of_shares.profiles, NULL, NULL, coalesce(means_of_shares.of_sample, 0::float8), NULL, NULL,
			pg_catalog.array_fill(1, ARRAY[pg_catalog.cardinality(means_of_shares.profiles)]),
			means_of_shares.of_sample IS NOT NULL,
			CASE WHEN pg_catalog.cardinality(means_of_shares.repeated) >= 3 THEN means_of_shares.repeated END)::means;
	END;

COMMENT ON FUNCTION means_of_shares(flamegraph[], float8, flamegraph[])
	IS 'hours or instances as tests take runs; of_sample: what a sample is worth; repeated: of an hour its instances';

CREATE OR REPLACE FUNCTION as_watch(watch service_watch, method text) RETURNS watch
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	w profiling.watch;
BEGIN
	w.watch_id := -1;
	w.method := as_watch.method;
	w.level := (as_watch.watch).level;
	w.baseline := (as_watch.watch).baseline;
	w.alpha := (as_watch.watch).alpha;
	w.min_share := (as_watch.watch).min_share;
	w.min_effect := (as_watch.watch).min_effect;
	w.direction := (as_watch.watch).direction;
	w.confirm := (as_watch.watch).confirm;
	w.options := '{"variance": "moderated"}';
	RETURN w;
END
$$;

COMMENT ON FUNCTION as_watch(service_watch, text)
	IS 'a row of service_watch as one of watch that compares by a method, for the tests of benchmarks';

CREATE OR REPLACE FUNCTION at_speed_of(reference flamegraph[], profiles flamegraph[]) RETURNS flamegraph[]
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100000
	BEGIN ATOMIC
		-- Of stacks with a fifth of a percent, as smaller ones are there by chance in short times; where there are
		-- none, of those with a twentieth.
		SELECT pg_catalog.array_agg(u.fg / coalesce(nullif(size_factor(r.mean, u.fg, 'median_ratio'::text,
			0.2::float8), 0::float8), nullif(size_factor(r.mean, u.fg, 'median_ratio'::text, 0.05::float8), 0::float8),
			1::float8) ORDER BY u.n)
		FROM (SELECT avg(o.fg) AS mean FROM pg_catalog.unnest(at_speed_of.reference) AS o (fg) OFFSET 0) AS r,
			pg_catalog.unnest(at_speed_of.profiles) WITH ORDINALITY AS u (fg, n);
	END;

COMMENT ON FUNCTION at_speed_of(flamegraph[], flamegraph[])
	IS 'profiles in shares, each divided by the quotient that most of its stacks have to the mean of others: where '
		'something grows, the shares of everything else are smaller, and what they are of is another total';

CREATE OR REPLACE FUNCTION at_common_speed(means means, reference means) RETURNS means
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF cardinality((reference).fgs) > 0 THEN
		means.fgs := profiling.at_speed_of((reference).fgs, (means).fgs);
		means.repeated := profiling.at_speed_of((reference).fgs, (means).repeated);
	END IF;
	RETURN means;
END
$$;

COMMENT ON FUNCTION at_common_speed(means, means)
	IS 'hours or instances as parts of what is 100 percent of the mean of others';

CREATE OR REPLACE FUNCTION in_most_pods(pods flamegraph[], level text, subject stackpath, expected float8, diff float8)
	RETURNS bool
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100000
	BEGIN ATOMIC
		SELECT coalesce(percentile_cont(0.5::float8) WITHIN GROUP (ORDER BY sign(in_most_pods.diff)
			* (value_in(u.fg, in_most_pods.level, in_most_pods.subject) - in_most_pods.expected))
				>= abs(in_most_pods.diff) / 2::float8, true)
		FROM pg_catalog.unnest(in_most_pods.pods) AS u (fg);
	END;

COMMENT ON FUNCTION in_most_pods(flamegraph[], text, stackpath, float8, float8)
	IS 'whether the median of some instances differs from what was expected as a finding does, by at least half of '
		'that: one odd instance moves the mean and not the median';

CREATE OR REPLACE FUNCTION findings_in_service(watch service_watch, method text, event text, unit text, before means, after means,
		pods flamegraph[], families float8, OUT findings finding[], OUT p_value float8)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	f profiling.finding;
	r CONSTANT record := profiling.found_between(profiling.as_watch(watch, findings_in_service.method),
		NULL::bigint, findings_in_service.event, '% of ' || findings_in_service.unit, ''::text, (watch).level,
		NULL::text, false,
		array_fill(NULL::bigint, ARRAY[cardinality((before).fgs) + cardinality((after).fgs)]), before, after, families);
BEGIN
	findings := '{}';
	p_value := r.p_value;
	FOREACH f IN ARRAY coalesce(r.findings, '{}') LOOP
		CONTINUE WHEN NOT profiling.in_most_pods(findings_in_service.pods, f.level, f.subject, f.expected, f.diff);
		f.method := 'service';
		findings := findings || f;
	END LOOP;
END
$$;

COMMENT ON FUNCTION findings_in_service(service_watch, text, text, text, means, means, flamegraph[], float8)
	IS 'found_between() of hours or instances of a service at a common speed: what differs, and in most of some '
		'instances, as findings without their runs';

CREATE OR REPLACE FUNCTION found_in_service(watch service_watch, method text, event text, unit text, before means, after means,
		pods flamegraph[], families float8, OUT findings finding[], OUT p_value float8)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_before CONSTANT profiling.means := profiling.at_common_speed(before, before);
	v_after CONSTANT profiling.means := profiling.at_common_speed(after, before);
	v_pods profiling.means;
	r record;
BEGIN
	v_pods.fgs := profiling.at_speed_of((before).fgs, pods);
	r := profiling.findings_in_service(watch, found_in_service.method, found_in_service.event, found_in_service.unit,
		v_before, v_after, v_pods.fgs, found_in_service.families);
	findings := r.findings;
	IF r.p_value IS NOT NULL AND found_in_service.families > 1 THEN
		r := profiling.findings_in_service(watch, found_in_service.method, found_in_service.event,
			found_in_service.unit, v_before, v_after, v_pods.fgs, 1::float8);
	END IF;
	-- Of what could be a finding if it were the only service: an odd pod selects nothing.
	p_value := (SELECT min(f.q_value) FROM unnest(r.findings) AS f);
END
$$;

COMMENT ON FUNCTION found_in_service(service_watch, text, text, text, means, means, flamegraph[], float8)
	IS 'what differs between hours or instances of a service, by a method of watch, as findings without their runs; '
		'pods: instances of which most have to show it; families: how many such tests share alpha; p_value: the '
		'smallest adjusted one in this comparison of what would be a finding without others, null for none';

CREATE TYPE hour_facts AS (service_id bigint, event text, unit text, hour timestamptz, instances bigint,
	profiles bigint, profile flamegraph, of_sample float8, pods flamegraph[], not_compared text);

COMMENT ON TYPE hour_facts
	IS 'an hour of a service: profile in shares, pods: some of its instances in shares; of_sample: what a sample is '
		'worth in profile; not_compared: why it is too little to compare';

CREATE OR REPLACE FUNCTION hour_of_service(watch service_watch, service_id bigint, event text, unit text, hour timestamptz)
	RETURNS hour_facts
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_until CONSTANT timestamptz := hour + interval '1 hour';
	s CONSTANT record := profiling.service_sum(service_id, event, unit, hour, v_until);
	-- That many say what others would.
	i CONSTANT record := profiling.service_instances(service_id, event, unit, NULL::text, hour, v_until, 50);
	h profiling.hour_facts := ROW(service_id, event, unit, hour, i.n, s.profiles, NULL, NULL, NULL, NULL);
BEGIN
	h.not_compared := CASE
		WHEN s.profiles < (watch).min_profiles THEN format('it has %s profiles, %s are needed', s.profiles,
			(watch).min_profiles)
		WHEN i.n < (watch).min_instances THEN format('it has %s instances, %s are needed', i.n, (watch).min_instances)
		WHEN s.total <= 0 THEN 'its profiles have no samples' END;
	IF h.not_compared IS NULL THEN
		h.profile := (profiling.as_shares(ARRAY[s.profile]))[1];
		h.of_sample := s.of_sample / (s.total / 100);
		h.pods := profiling.as_shares(ARRAY(SELECT p.profile FROM profiling.service_pods(service_id, event, unit,
			NULL::text, hour, v_until, i.instances) AS p ORDER BY p.instance COLLATE "C"));
	END IF;
	RETURN h;
END
$$;

COMMENT ON FUNCTION hour_of_service(service_watch, bigint, text, text, timestamptz)
	IS 'what watch_services() knows of an hour of a service';

CREATE OR REPLACE FUNCTION found_in_hour(watch service_watch, hour hour_facts, families float8, OUT findings finding[],
		OUT p_value float8, OUT compared_with int, OUT not_compared text)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	h CONSTANT profiling.hour_facts := hour;
	v_none CONSTANT profiling.hour_facts.pods%TYPE := NULL;
	v_history profiling.means;
BEGIN
	not_compared := h.not_compared;
	IF not_compared IS NOT NULL THEN
		RETURN;
	END IF;
	v_history := profiling.means_of_shares(profiling.service_history(watch, h.service_id, h.event, h.unit, h.hour,
		h.hour), h.of_sample, v_none);
	compared_with := cardinality(v_history.fgs);
	-- As of runs: the deviation of two says nothing.
	IF compared_with < 3 THEN
		not_compared := format('too little history: %s %s by baseline "%s" with at least %s profiles, 3 are needed',
			compared_with, CASE compared_with WHEN 1 THEN 'hour' ELSE 'hours' END,
			(watch).baseline, (watch).min_profiles);
		compared_with := NULL;
		RETURN;
	END IF;
	SELECT f.findings, f.p_value INTO findings, p_value
	FROM profiling.found_in_service(watch, 'deviation'::text, h.event, h.unit, v_history,
		profiling.means_of_shares(ARRAY[h.profile], h.of_sample, h.pods), h.pods, families) AS f;
END
$$;

COMMENT ON FUNCTION found_in_hour(service_watch, hour_facts, float8)
	IS 'compares an hour of a service with those of its baseline: the findings, without runs, and with how many hours '
		'it was compared, or why not';

CREATE OR REPLACE FUNCTION new_versions(service_id bigint, event text, unit text, hour timestamptz, OUT version text,
		OUT first timestamptz, OUT before text, OUT versions bigint)
	RETURNS SETOF record LANGUAGE sql STABLE ROWS 1
	BEGIN ATOMIC
		WITH seen AS (
			SELECT k.version, min(k.hour) AS hour, min(k.first) AS first, sum(k.profiles) AS profiles
			FROM (SELECT t.labels ->> 'version'::text AS version, b.since AS hour, since(o.series) AS first,
						coalesce(profile_count(o.series), 0)::bigint AS profiles
					FROM stream AS t JOIN block AS b ON b.service_id = t.service_id AND b.stream_id = t.stream_id
						-- of others it is enough to know that there is one
						CROSS JOIN LATERAL (SELECT CASE WHEN b.until > new_versions.hour - '1 hour'::interval
							THEN slice(b.series, new_versions.hour - '1 hour'::interval,
								new_versions.hour + '1 hour'::interval, NULL::text[]) END AS series OFFSET 0) AS o
					WHERE t.service_id = new_versions.service_id AND t.event = new_versions.event
						AND t.unit = new_versions.unit AND b.resolution = 'raw'
						-- A block has a profile in its last hour, and if it reaches into the day before, then into
						-- that before these two hours.
						AND b.until > new_versions.hour - '24 hours'::interval
						AND b.since >= span_of('minute'::text, new_versions.hour - '24 hours'::interval)
						AND b.since < new_versions.hour + '1 hour'::interval
				UNION ALL
				SELECT t.labels ->> 'version'::text, hour_of(i.recorded_at), i.recorded_at,
					CASE WHEN i.recorded_at >= new_versions.hour - '1 hour'::interval THEN 1::bigint
						ELSE 0::bigint END
				FROM stream AS t JOIN incoming AS i ON i.service_id = t.service_id AND i.stream_id = t.stream_id
				WHERE t.service_id = new_versions.service_id AND t.event = new_versions.event
					AND t.unit = new_versions.unit AND i.recorded_at >= new_versions.hour - '24 hours'::interval
					AND i.recorded_at < new_versions.hour + '1 hour'::interval) AS k
			WHERE k.version IS NOT NULL
			GROUP BY k.version
		), fresh AS (
			SELECT s.version, s.first, count(*) OVER () AS versions
			FROM seen AS s
			-- Half an hour from then is over; of those before, the hour before has looked at them.
			WHERE s.hour >= new_versions.hour - '1 hour'::interval
				AND s.first >= new_versions.hour - '30 minutes'::interval
				AND s.first < new_versions.hour + '30 minutes'::interval
				-- The first one that a service ever has is not new.
				AND EXISTS (SELECT 1 FROM seen AS e WHERE e.hour < s.hour OR e.first < s.first)
			ORDER BY s.version COLLATE "C" LIMIT 10
		)
		SELECT f.version, f.first, (SELECT o.version FROM seen AS o
				WHERE o.profiles > 0::numeric AND (o.hour < hour_of(f.first) OR o.first < f.first)
				ORDER BY o.profiles DESC, o.version COLLATE "C" LIMIT 1), f.versions
		FROM fresh AS f ORDER BY f.version COLLATE "C";
	END;

COMMENT ON FUNCTION new_versions(bigint, text, text, timestamptz)
	IS 'versions of a service that came in the hour around the beginning of an hour, and were not there for a day, '
		'when they came, and the one that most others have, null where there is none; at most ten of versions';

CREATE OR REPLACE FUNCTION pods_of_version(service_id bigint, event text, unit text, version text, first timestamptz, OUT n bigint,
		OUT profiles bigint, OUT shares flamegraph[])
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	-- The same time for all versions, so that what changes with it is not what is found.
	v_since CONSTANT timestamptz := first - interval '30 minutes';
	v_until CONSTANT timestamptz := first + interval '30 minutes';
	v_pods CONSTANT record := profiling.service_instances(pods_of_version.service_id, pods_of_version.event,
		pods_of_version.unit, pods_of_version.version, v_since, v_until, 50);
BEGIN
	n := v_pods.n;
	SELECT coalesce(sum(p.profiles), 0), profiling.as_shares(coalesce(array_agg(p.profile
		ORDER BY p.instance COLLATE "C"), '{}'))
	INTO profiles, shares
	FROM profiling.service_pods(pods_of_version.service_id, pods_of_version.event, pods_of_version.unit,
		pods_of_version.version, v_since, v_until, v_pods.instances) AS p;
END
$$;

COMMENT ON FUNCTION pods_of_version(bigint, text, text, text, timestamptz)
	IS 'the instances that have a version half an hour before and after a version came: how many, and of at most 50 '
		'how many profiles they have together and the shares of each that has samples';

CREATE OR REPLACE FUNCTION found_in_deploy(watch service_watch, hour hour_facts, version text, before text, first timestamptz,
		families float8, OUT findings finding[], OUT p_value float8, OUT words text)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	h CONSTANT profiling.hour_facts := hour;
	v_none CONSTANT profiling.hour_facts.pods%TYPE := NULL;
	v_needed CONSTANT int := greatest((watch).min_instances, 2);
	v_name CONSTANT text := format('version "%s"', profiling.printable(version));
	v_old record;
	v_new record;
	v_before profiling.means;
	v_after profiling.means;
BEGIN
	IF before IS NULL THEN
		words := v_name || ': no instance has an earlier one';
		RETURN;
	END IF;
	v_old := profiling.pods_of_version(h.service_id, h.event, h.unit, before, first);
	v_new := profiling.pods_of_version(h.service_id, h.event, h.unit, version, first);
	words := format('%s: %s instances, %s with "%s"', v_name, v_new.n, v_old.n, profiling.printable(before));
	IF least(v_old.n, v_new.n) < v_needed THEN
		words := format('%s, %s of each are needed', words, v_needed);
		RETURN;
	END IF;
	IF least(v_old.profiles, v_new.profiles) < (watch).min_profiles THEN
		words := format('%s, with %s and %s profiles, %s are needed', words, v_new.profiles, v_old.profiles,
			(watch).min_profiles);
		RETURN;
	END IF;
	v_before := profiling.means_of_shares(v_old.shares, NULL::float8, v_none);
	v_after := profiling.means_of_shares(v_new.shares, NULL::float8, v_none);
	IF least(cardinality(v_before.fgs), cardinality(v_after.fgs)) < v_needed THEN
		words := words || ', with profiles that have no samples';
		RETURN;
	END IF;
	SELECT f.findings, f.p_value INTO findings, p_value
	FROM profiling.found_in_service(watch, 'welch'::text, h.event, h.unit, v_before, v_after, v_none, families) AS f;
	words := words || ', compared';
END
$$;

COMMENT ON FUNCTION found_in_deploy(service_watch, hour_facts, text, text, timestamptz, float8)
	IS 'compares instances with a version with those that have the one before, half an hour before and after it came: '
		'the findings, without runs, null where there is no verdict, and in words what was compared, or why not';

CREATE OR REPLACE FUNCTION service_run(service text, hour timestamptz, version text, commit text) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN profiling.ensure_test_run(hour, ''::text, commit, version, jsonb_build_object('service', service));
END
$$;

COMMENT ON FUNCTION service_run(text, timestamptz, text, text)
	IS 'the run that stands for an hour of a service, which is made if there is none';

CREATE OR REPLACE FUNCTION service_labels(service_id bigint, event text, unit text, hour timestamptz, version text,
		OUT only_version text, OUT only_commit text)
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT CASE WHEN min(k.version) = max(k.version) THEN min(k.version) ELSE '' END,
			CASE WHEN min(k.commit) = max(k.commit) THEN min(k.commit) ELSE '' END
		FROM (SELECT coalesce(t.labels ->> 'version'::text, ''::text) AS version,
				coalesce(t.labels ->> 'commit'::text, ''::text) AS commit
			FROM stream AS t
			WHERE t.service_id = service_labels.service_id AND t.event = service_labels.event
				AND t.unit = service_labels.unit
				AND (service_labels.version IS NULL OR t.labels ->> 'version'::text = service_labels.version)
				AND (EXISTS (SELECT 1 FROM block AS b
						WHERE b.service_id = t.service_id AND b.stream_id = t.stream_id AND b.resolution = 'raw'
							AND b.until > service_labels.hour AND b.since <= service_labels.hour
							AND b.since >= span_of('minute'::text, service_labels.hour)
							AND profile_count(slice(b.series, service_labels.hour,
								service_labels.hour + '1 hour'::interval, NULL::text[])) > 0)
					OR EXISTS (SELECT 1 FROM incoming AS i
						WHERE i.service_id = t.service_id AND i.stream_id = t.stream_id
							AND i.recorded_at >= service_labels.hour
							AND i.recorded_at < service_labels.hour + '1 hour'::interval))) AS k;
	END;

COMMENT ON FUNCTION service_labels(bigint, text, text, timestamptz, text)
	IS 'the version and the commit that all of an hour of a service has, or of a version in it; empty where they '
		'differ';

CREATE OR REPLACE FUNCTION opened_in_service(so_far changes, service text, hour hour_facts, findings finding[], version text,
		baseline text, confirm int) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	h CONSTANT profiling.hour_facts := hour;
	v_known CONSTANT int := cardinality((so_far).ids);
	v_labels record;
	v_benchmark bigint;
	v_run bigint;
	f profiling.finding;
BEGIN
	IF coalesce(cardinality(findings), 0) = 0 THEN
		RETURN so_far;
	END IF;
	v_labels := profiling.service_labels(h.service_id, h.event, h.unit, h.hour, opened_in_service.version);
	v_benchmark := profiling.ensure_benchmark('production'::text, opened_in_service.service, '{}'::jsonb);
	v_run := profiling.service_run(opened_in_service.service, h.hour,
		coalesce(opened_in_service.version, v_labels.only_version, ''), coalesce(v_labels.only_commit, ''));
	FOREACH f IN ARRAY findings LOOP
		f.first_test_run_id := v_run;
		f.last_test_run_id := v_run;
		so_far := profiling.opened(so_far, v_benchmark, f, h.profile, confirm);
	END LOOP;
	UPDATE profiling.regression AS r SET baseline = opened_in_service.baseline
	WHERE r.benchmark_id = v_benchmark AND r.regression_id = ANY ((so_far).ids[v_known + 1 :]);
	RETURN so_far;
END
$$;

COMMENT ON FUNCTION opened_in_service(changes, text, hour_facts, finding[], text, text, int)
	IS 'opens findings of an hour of a service, counted; baseline: what it was compared with';

CREATE OR REPLACE FUNCTION service_seen_again(watch service_watch, benchmark_id bigint, hour hour_facts)
	RETURNS TABLE (regression_id bigint, is_there bool, actual float8, score float8)
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	h CONSTANT profiling.hour_facts := hour;
	v_none CONSTANT profiling.hour_facts.pods%TYPE := NULL;
	g record;
	v_before profiling.means;
	v_after profiling.means;
BEGIN
	FOR g IN
		SELECT t.started_at, r.level, array_agg(r.regression_id) AS ids
		FROM profiling.findings_of(service_seen_again.benchmark_id) AS r
			JOIN profiling.test_run AS t ON t.test_run_id = r.first_test_run_id
		WHERE r.event = h.event AND r.unit = '% of ' || h.unit AND r.method = 'service' AND t.started_at < h.hour
			AND r.status IN ('open', 'acknowledged', 'pending')
		GROUP BY 1, 2
	LOOP
		v_before := profiling.means_of_shares(profiling.service_history(watch, h.service_id, h.event, h.unit, h.hour,
			g.started_at), h.of_sample, v_none);
		v_after := profiling.at_common_speed(profiling.means_of_shares(ARRAY[h.profile], h.of_sample, h.pods),
			v_before);
		v_before := profiling.at_common_speed(v_before, v_before);
		RETURN QUERY
		SELECT r.regression_id, coalesce(sign(a.actual - r.expected) = sign(r.diff)
				AND abs(a.actual - r.expected) >= 0.5 * (watch).min_effect * abs(r.expected)
				-- As seen_again(): by the hours before it, or where these are too few by what it did last.
				AND (coalesce(d.p_value <= 0.05, false) OR abs(a.actual - r.expected) >= 0.5 * abs(r.diff)), false),
			a.actual, d.score
		FROM profiling.findings_of(service_seen_again.benchmark_id) AS r
			JOIN profiling.scored_again(service_seen_again.benchmark_id, g.ids, v_before, v_after,
				(v_after).of_sample) AS d ON d.regression_id = r.regression_id
			CROSS JOIN LATERAL (SELECT profiling.at_phase(coalesce(d.actual, 0), d.expected, r.expected) AS actual) AS a
		WHERE r.regression_id = ANY (g.ids);
	END LOOP;
END
$$;

COMMENT ON FUNCTION service_seen_again(service_watch, bigint, hour_facts)
	IS 'for each finding of a service that is open or pending whether a later hour still has it, as seen_again()';

CREATE OR REPLACE FUNCTION followed_in_service(so_far changes, watch service_watch, service text, hour hour_facts)
	RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	h CONSTANT profiling.hour_facts := hour;
	-- the number that it has by now, whatever it is called
	v_benchmark CONSTANT bigint := (profiling.called_now('production'::text, followed_in_service.service,
		'{}'::jsonb)).benchmark_id;
	v_labels record;
	v_run bigint;
	s record;
BEGIN
	IF h.not_compared IS NOT NULL OR v_benchmark IS NULL OR NOT profiling.has_open(v_benchmark, h.event) THEN
		RETURN so_far;
	END IF;
	v_labels := profiling.service_labels(h.service_id, h.event, h.unit, h.hour, NULL::text);
	FOR s IN SELECT a.* FROM profiling.service_seen_again(watch, v_benchmark, h) AS a
		WHERE a.regression_id <> ALL ((so_far).ids) ORDER BY a.regression_id
	LOOP
		v_run := coalesce(v_run, profiling.service_run(followed_in_service.service, h.hour,
			coalesce(v_labels.only_version, ''), coalesce(v_labels.only_commit, '')));
		so_far := profiling.seen_or_gone(so_far, v_benchmark, '% of ' || h.unit, s.regression_id, s.is_there,
			s.actual, s.score, ARRAY[v_run]);
	END LOOP;
	RETURN so_far;
END
$$;

COMMENT ON FUNCTION followed_in_service(changes, service_watch, text, hour_facts)
	IS 'brings the findings of a service up to date by an hour, or closes them, counted';

CREATE OR REPLACE FUNCTION propose_service(watch service_watch, hour hour_facts, comparison text, version text, before text,
		first timestamptz, families float8, p_value float8) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	-- Alone in its hour it was tested with all of alpha.
	IF families <= 1 OR coalesce(p_value > (watch).alpha, true) THEN
		RETURN;
	END IF;
	INSERT INTO profiling.service_candidate (service_id, event, unit, hour, comparison, version, before, first,
		families, p_value, alpha)
	VALUES ((hour).service_id, (hour).event, (hour).unit, (hour).hour, propose_service.comparison,
		propose_service.version, propose_service.before, propose_service.first, propose_service.families,
		propose_service.p_value, (watch).alpha)
	ON CONFLICT DO NOTHING;
END
$$;

COMMENT ON FUNCTION propose_service(service_watch, hour_facts, text, text, text, timestamptz, float8, float8)
	IS 'keeps a comparison whose smallest adjusted p-value is at most alpha until all of its hour are there';

CREATE OR REPLACE FUNCTION check_deploys(INOUT so_far changes, watch service_watch, service text, hour hour_facts,
		families float8, OUT words text, OUT compared int)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	h CONSTANT profiling.hour_facts := hour;
	v record;
	d record;
BEGIN
	compared := 0;
	FOR v IN SELECT n.*, row_number() OVER () AS place
		FROM profiling.new_versions(h.service_id, h.event, h.unit, h.hour) AS n WHERE (watch).deploys
	LOOP
		-- No more services have one in this hour than there are.
		d := profiling.found_in_deploy(watch, h, v.version, v.before, v.first, families * v.versions);
		words := concat_ws('; ', words, d.words, CASE WHEN v.place = 10 AND v.versions > 10
			THEN format('%s more versions are not compared', v.versions - 10) END);
		CONTINUE WHEN d.findings IS NULL;
		compared := compared + 1;
		so_far := profiling.opened_in_service(so_far, service, h, d.findings, v.version, 'version:' || v.before,
			(watch).confirm);
		PERFORM profiling.propose_service(watch, h, 'version'::text, v.version, v.before, v.first,
			families * v.versions, d.p_value);
	END LOOP;
END
$$;

COMMENT ON FUNCTION check_deploys(changes, service_watch, text, hour_facts, float8)
	IS 'compares versions that came around the beginning of an hour of a service with the one before them, and opens '
		'what differs, counted; compared: how many they were';

CREATE OR REPLACE FUNCTION check_hour(so_far changes, service_id bigint, event text, unit text, hour timestamptz, families int)
	RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_service CONSTANT text := (SELECT s.name FROM profiling.service AS s WHERE s.service_id = check_hour.service_id);
	w CONSTANT profiling.service_watch := profiling.service_watch_of(v_service, check_hour.event);
	v_families CONSTANT float8 := greatest(check_hour.families, 1);
	h profiling.hour_facts;
	d record;
	f record;
BEGIN
	-- of another session, or of a call before this one
	IF EXISTS (SELECT 1 FROM profiling.service_hour AS o WHERE o.service_id = check_hour.service_id
			AND o.event = check_hour.event AND o.unit = check_hour.unit AND o.hour >= check_hour.hour) THEN
		RETURN so_far;
	END IF;
	IF NOT w.enabled THEN
		INSERT INTO profiling.service_hour (service_id, event, unit, hour, not_compared)
		VALUES (check_hour.service_id, check_hour.event, check_hour.unit, check_hour.hour,
			'service_watch says that it is not watched');
		RETURN so_far;
	END IF;
	h := profiling.hour_of_service(w, check_hour.service_id, check_hour.event, check_hour.unit, check_hour.hour);
	d := profiling.check_deploys(so_far, w, v_service, h, v_families);
	so_far := d.so_far;
	f := profiling.found_in_hour(w, h, v_families);
	so_far := profiling.opened_in_service(so_far, v_service, h, f.findings, NULL::text, w.baseline, w.confirm);
	PERFORM profiling.propose_service(w, h, 'days'::text, ''::text, ''::text, NULL::timestamptz, v_families, f.p_value);
	so_far := profiling.followed_in_service(so_far, w, v_service, h);
	INSERT INTO profiling.service_hour (service_id, event, unit, hour, instances, profiles, compared_with,
		not_compared, deploy, deploys)
	VALUES (check_hour.service_id, check_hour.event, check_hour.unit, check_hour.hour, h.instances, h.profiles,
		f.compared_with, f.not_compared, d.words, d.compared);
	RETURN so_far;
END
$$;

COMMENT ON FUNCTION check_hour(changes, bigint, text, text, timestamptz, int)
	IS 'compares an hour of a service by the row of service_watch that is in force: opens, updates and closes '
		'findings, counted; nothing for an hour that was looked at, or is older than one that was';

CREATE OR REPLACE FUNCTION selected_services(hour timestamptz, comparison text, OUT families bigint, OUT selected bigint)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	-- What had no history was not tested, and takes nothing of alpha.
	SELECT CASE selected_services.comparison WHEN 'days' THEN count(*) FILTER (WHERE o.compared_with > 0)
		ELSE coalesce(sum(o.deploys), 0) END INTO families
	FROM profiling.service_hour AS o WHERE o.hour = selected_services.hour;
	SELECT coalesce(max(p.place) FILTER (WHERE p.need <= p.place), 0) INTO selected
	FROM (SELECT c.p_value / c.alpha * selected_services.families AS need,
			row_number() OVER (ORDER BY c.p_value / c.alpha) AS place
		FROM profiling.service_candidate AS c
		WHERE c.hour = selected_services.hour AND c.comparison = selected_services.comparison) AS p;
END
$$;

COMMENT ON FUNCTION selected_services(timestamptz, text)
	IS 'how many comparisons were made in an hour, and how many of them stand out, by Benjamini & Hochberg among them: '
		'the largest R of which each has a p-value of at most alpha * R / families';

CREATE OR REPLACE FUNCTION find_in_service(so_far changes, candidate service_candidate, families float8) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	c CONSTANT profiling.service_candidate := candidate;
	v_service CONSTANT text := (SELECT s.name FROM profiling.service AS s WHERE s.service_id = c.service_id);
	w CONSTANT profiling.service_watch := profiling.service_watch_of(v_service, c.event);
	h CONSTANT profiling.hour_facts := profiling.hour_of_service(w, c.service_id, c.event, c.unit, c.hour);
	v_baseline CONSTANT text := CASE c.comparison WHEN 'days' THEN w.baseline ELSE 'version:' || c.before END;
	v_as CONSTANT profiling.candidate := ROW((profiling.called_now('production'::text, v_service,
		'{}'::jsonb)).benchmark_id, c.event, '% of ' || c.unit, '', -1, '{}', 1, c.p_value, c.alpha, c.found_at);
	v_found profiling.finding[];
	v_new profiling.finding[] := '{}';
	f profiling.finding;
BEGIN
	IF NOT w.enabled THEN
		RETURN so_far;
	END IF;
	v_found := CASE c.comparison WHEN 'days' THEN (profiling.found_in_hour(w, h, families)).findings
		ELSE (profiling.found_in_deploy(w, h, c.version, c.before, c.first, families)).findings END;
	FOREACH f IN ARRAY coalesce(v_found, '{}') LOOP
		f.branch := '';
		CONTINUE WHEN profiling.adjust_finding(v_as, f);
		v_new := v_new || f;
	END LOOP;
	so_far := profiling.opened_in_service(so_far, v_service, h, v_new,
		CASE c.comparison WHEN 'version' THEN c.version END, v_baseline, w.confirm);
	RETURN profiling.take_explained(so_far, v_as, 'service'::text, v_baseline, w.level,
		ARRAY(SELECT o.subject_id FROM unnest(v_found) AS o));
END
$$;

COMMENT ON FUNCTION find_in_service(changes, service_candidate, float8)
	IS 'makes a comparison that was selected again, by what alpha has for each of fewer families, and opens what that '
		'finds more, counted';

CREATE OR REPLACE FUNCTION select_services(hour timestamptz) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_started CONSTANT timestamptz := clock_timestamp();
	v_done profiling.changes := profiling.no_changes();
	v_days CONSTANT record := profiling.selected_services(select_services.hour, 'days'::text);
	v_versions CONSTANT record := profiling.selected_services(select_services.hour, 'version'::text);
	s record;
	c profiling.service_candidate;
BEGIN
	FOR c IN SELECT o.* FROM profiling.service_candidate AS o WHERE o.hour = select_services.hour
		ORDER BY o.service_id, o.event, o.unit, o.comparison, o.version
	LOOP
		-- Somebody else is at it, and selects when he is done.
		CONTINUE WHEN NOT pg_try_advisory_xact_lock(hashtextextended('flamegraph_store watch service', c.service_id));
		s := CASE c.comparison WHEN 'days' THEN v_days ELSE v_versions END;
		DELETE FROM profiling.service_candidate AS d
		WHERE d.service_id = c.service_id AND d.event = c.event AND d.unit = c.unit AND d.hour = c.hour
			AND d.comparison = c.comparison AND d.version = c.version;
		CONTINUE WHEN s.selected = 0 OR c.p_value / c.alpha * s.families > s.selected
			OR s.families::float8 / s.selected >= c.families;
		BEGIN
			v_done := profiling.find_in_service(v_done, c, s.families::float8 / s.selected);
		EXCEPTION WHEN OTHERS THEN
			-- What is wrong with one of them does not keep the others from being found.
			PERFORM profiling.log_job('watch_services'::text, 'failed'::text, v_started, format('%s %s (selection of '
				'service %s, event "%s", hour %s)', SQLSTATE, SQLERRM, c.service_id, c.event, c.hour), NULL::bigint);
		END;
	END LOOP;
	RETURN v_done;
END
$$;

COMMENT ON FUNCTION select_services(timestamptz)
	IS 'when all services of an hour were compared: tests those that stand out together at alpha * R / families and '
		'opens what that finds more, counted (selected_services)';

CREATE OR REPLACE FUNCTION detect_service(service text, hour timestamptz DEFAULT NULL, event text DEFAULT 'cpu')
	RETURNS SETOF finding
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_names CONSTANT text[] := ARRAY(SELECT s.name FROM profiling.service AS s ORDER BY s.name COLLATE "C");
	v_id CONSTANT bigint := (SELECT s.service_id FROM profiling.service AS s WHERE s.name = detect_service.service);
	v_hour CONSTANT timestamptz := profiling.hour_of(coalesce(detect_service.hour, now() - interval '1 hour'));
	w CONSTANT profiling.service_watch := profiling.service_watch_of(detect_service.service, detect_service.event);
	v_unit text;
	h profiling.hour_facts;
	v record;
	f profiling.finding;
	r record;
BEGIN
	IF v_id IS NULL THEN
		RAISE EXCEPTION 'there is no service "%"', profiling.printable(detect_service.service)
			USING ERRCODE = 'undefined_object',
				HINT = profiling.names_hint(detect_service.service, v_names);
	ELSIF NOT isfinite(v_hour) THEN
		RAISE EXCEPTION 'hour cannot be infinite' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	FOR v_unit IN SELECT DISTINCT t.unit COLLATE "C" FROM profiling.stream AS t
		WHERE t.service_id = v_id AND t.event = detect_service.event ORDER BY 1
	LOOP
		h := profiling.hour_of_service(w, v_id, detect_service.event, v_unit, v_hour);
		r := profiling.found_in_hour(w, h, 1);
		IF r.not_compared IS NOT NULL THEN
			RAISE NOTICE 'the hour from % is not compared with earlier ones', v_hour USING DETAIL = r.not_compared;
		END IF;
		FOREACH f IN ARRAY coalesce(r.findings, '{}') LOOP
			RETURN NEXT profiling.with_team(f, h.profile);
		END LOOP;
		FOR v IN SELECT n.* FROM profiling.new_versions(v_id, detect_service.event, v_unit, v_hour) AS n WHERE w.deploys
		LOOP
			FOREACH f IN ARRAY coalesce((profiling.found_in_deploy(w, h, v.version, v.before,
				v.first, v.versions)).findings, '{}') LOOP
				RETURN NEXT profiling.with_team(f, h.profile);
			END LOOP;
		END LOOP;
	END LOOP;
END
$$;

COMMENT ON FUNCTION detect_service(text, timestamptz, text)
	IS 'what watch_services() finds in one hour of a service, by default the last one that is over, if it is the only '
		'service; nothing is written; the columns are those of regression, without runs; a NOTICE says why an hour is '
		'not compared';

CREATE OR REPLACE FUNCTION hours_to_watch(before timestamptz, OUT service_id bigint, OUT event text, OUT unit text,
		OUT hour timestamptz, OUT families int) RETURNS SETOF record
	LANGUAGE sql STABLE ROWS 100
	BEGIN ATOMIC
		SELECT h.service_id, h.event, h.unit, h.hour, (count(*) OVER (PARTITION BY h.hour))::int
		FROM (SELECT DISTINCT t.service_id, t.event, t.unit, k.hour
			-- Blocks are looked into only for hours after the last one that was looked at.
			FROM (SELECT b.service_id, b.stream_id, hour_of(m.at) AS hour
					FROM stream AS s JOIN block AS b ON b.service_id = s.service_id AND b.stream_id = s.stream_id
						LEFT JOIN (SELECT o.service_id, o.event, o.unit, max(o.hour) AS hour FROM service_hour AS o
							GROUP BY o.service_id, o.event, o.unit) AS d
							ON d.service_id = s.service_id AND d.event = s.event AND d.unit = s.unit
						CROSS JOIN LATERAL moments_in(b.series, greatest(d.hour + '1 hour'::interval,
							hour_of(hours_to_watch.before) - '24 hours'::interval), hour_of(hours_to_watch.before)) AS m
					WHERE b.resolution = 'raw' AND b.since < hour_of(hours_to_watch.before)
						AND b.since >= span_of('minute'::text, hour_of(hours_to_watch.before) - '24 hours'::interval)
						AND b.until > greatest(d.hour + '1 hour'::interval,
							hour_of(hours_to_watch.before) - '24 hours'::interval)
				UNION
				SELECT i.service_id, i.stream_id, hour_of(i.recorded_at) FROM incoming AS i
				WHERE i.recorded_at >= hour_of(hours_to_watch.before) - '24 hours'::interval
					AND i.recorded_at < hour_of(hours_to_watch.before)) AS k
				JOIN stream AS t ON t.service_id = k.service_id AND t.stream_id = k.stream_id) AS h
			LEFT JOIN (SELECT o.service_id, o.event, o.unit, max(o.hour) AS hour FROM service_hour AS o
				GROUP BY o.service_id, o.event, o.unit) AS c
				ON c.service_id = h.service_id AND c.event = h.event AND c.unit = h.unit
		WHERE h.hour > coalesce(c.hour, '-infinity'::timestamptz)
		ORDER BY 4, 1, 2, 3;
	END;

COMMENT ON FUNCTION hours_to_watch(timestamptz)
	IS 'hours of services that are over, of the day before a time, and were not looked at, nor a later one; families: '
		'how many there are of this hour';

CREATE OR REPLACE FUNCTION watch_hour(service_id bigint, event text, unit text, hour timestamptz, families int) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_started CONSTANT timestamptz := clock_timestamp();
	v_none CONSTANT profiling.changes := profiling.no_changes();
	v_detail text;
BEGIN
	PERFORM profiling.keep_corrections_out();
	-- Somebody else is at it.
	IF NOT pg_try_advisory_xact_lock(hashtextextended('flamegraph_store watch service', watch_hour.service_id)) THEN
		RETURN v_none;
	END IF;
	RETURN profiling.check_hour(v_none, watch_hour.service_id, watch_hour.event, watch_hour.unit, watch_hour.hour,
		watch_hour.families);
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS v_detail = PG_EXCEPTION_DETAIL;
	PERFORM profiling.log_job('watch_services'::text, 'failed'::text, v_started, concat_ws(' ', SQLSTATE, SQLERRM,
		nullif(v_detail, ''), format('(service "%s", event "%s", hour %s)', (SELECT s.name FROM profiling.service AS s
			WHERE s.service_id = watch_hour.service_id), watch_hour.event, watch_hour.hour)), NULL::bigint);
	RETURN v_none;
END
$$;

COMMENT ON FUNCTION watch_hour(bigint, text, text, timestamptz, int)
	IS 'check_hour(), unless another session is at the service; why it failed is recorded in job_log';

CREATE OR REPLACE FUNCTION add_changes(so_far changes, more changes) RETURNS changes
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT ROW((add_changes.so_far).opened + (add_changes.more).opened,
			(add_changes.so_far).updated + (add_changes.more).updated,
			(add_changes.so_far).closed + (add_changes.more).closed, '{}'::bigint[],
			(add_changes.so_far).pending + (add_changes.more).pending,
			(add_changes.so_far).went_away + (add_changes.more).went_away,
			(add_changes.so_far).shifted + (add_changes.more).shifted, NULL)::changes;
	END;

COMMENT ON FUNCTION add_changes(changes, changes) IS 'what became of the findings of two benchmarks, without their ids';

CREATE OR REPLACE FUNCTION finish_services(started timestamptz, hours int, done changes) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_id bigint;
	v_words text;
BEGIN
	PERFORM profiling.keep_corrections_out();
	DELETE FROM profiling.service_hour AS h WHERE h.hour < finish_services.started - interval '30 days';
	-- What a session that was killed has found and not told is told, too.
	INSERT INTO profiling.job_log AS l (started_at, step, outcome, detail, kept_back)
	VALUES (finish_services.started, 'watch_services', 'ok',
		replace(profiling.changes_in_words(finish_services.hours, finish_services.done), ' runs,', ' hours,'),
		profiling.kept_back(finish_services.done))
	RETURNING l.log_id INTO v_id;
	v_words := concat_ws(', ', nullif(profiling.night_step(v_id, 'night_groups'), ''),
		nullif(profiling.night_step(v_id, 'night_notify'), ''));
	UPDATE profiling.job_log AS l SET finished_at = clock_timestamp(), detail = concat_ws(', ', l.detail,
		nullif(v_words, ''))
	WHERE l.log_id = v_id;
END
$$;

COMMENT ON FUNCTION finish_services(timestamptz, int, changes)
	IS 'the end of watch_services(): findings with one cause are made a group, and what nobody was told of is told; '
		'writes into job_log what was done';

CREATE OR REPLACE FUNCTION no_changes() RETURNS changes
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT ROW(0, 0, 0, '{}'::bigint[], 0, 0, 0, NULL)::changes;
	END;

COMMENT ON FUNCTION no_changes() IS 'counts of findings, of which none was looked at yet';

CREATE OR REPLACE FUNCTION begin_services(lag interval, OUT services bigint[], OUT events text[], OUT units text[],
		OUT hours timestamptz[], OUT families int[], OUT done changes)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_hour timestamptz;
BEGIN
	PERFORM profiling.need_access('watch_services'::text, 'admin'::text);
	IF lag IS NULL OR lag < interval '0' OR NOT isfinite(now() - lag) THEN
		RAISE EXCEPTION 'lag cannot be null, negative or infinite' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	-- The clock has been put back: these hours are still to come.
	DELETE FROM profiling.service_hour AS h WHERE h.hour > now();
	SELECT array_agg(h.service_id), array_agg(h.event), array_agg(h.unit), coalesce(array_agg(h.hour), '{}'),
		array_agg(h.families) INTO services, events, units, hours, families
	FROM profiling.hours_to_watch(now() - lag) AS h;
	-- of a call that was killed between the last service of an hour and its selection
	done := profiling.no_changes();
	FOR v_hour IN SELECT DISTINCT c.hour FROM profiling.service_candidate AS c WHERE c.hour <> ALL (hours) ORDER BY 1
	LOOP
		done := profiling.add_changes(done, profiling.select_services(v_hour));
	END LOOP;
END
$$;

COMMENT ON FUNCTION begin_services(interval)
	IS 'the hours that watch_services() has to look at, for a loop that commits; an error for callers and arguments '
		'that cannot be; done: what was found in hours that a call before has left without their selection';

CREATE OR REPLACE FUNCTION ends_hour(hours timestamptz[], place int) RETURNS bool
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT ends_hour.hours[ends_hour.place + 1] IS DISTINCT FROM ends_hour.hours[ends_hour.place];
	END;

COMMENT ON FUNCTION ends_hour(timestamptz[], int) IS 'whether this one of some hours is the last that is the same';

CREATE OR REPLACE PROCEDURE watch_services(lag interval DEFAULT '10 minutes')
	LANGUAGE plpgsql AS $$
DECLARE
	v_started timestamptz;
	v_hours pg_catalog.record;
	v_done profiling.changes;
BEGIN
	v_started := pg_catalog.clock_timestamp();
	v_hours := profiling.begin_services(lag);
	CALL profiling.commit_or_say('watch_services() commits as it goes: call it alone, with autocommit on'
		::pg_catalog.text);
	v_done := v_hours.done;
	FOR i IN 1 .. pg_catalog.cardinality(v_hours.hours) LOOP
		v_done := profiling.add_changes(v_done, profiling.watch_hour(v_hours.services[i], v_hours.events[i],
			v_hours.units[i], v_hours.hours[i], v_hours.families[i]));
		COMMIT;
		IF profiling.ends_hour(v_hours.hours, i) THEN
			v_done := profiling.add_changes(v_done, profiling.select_services(v_hours.hours[i]));
			COMMIT;
		END IF;
	END LOOP;
	PERFORM profiling.finish_services(v_started, pg_catalog.cardinality(v_hours.hours), v_done);
	COMMIT;
END
$$;

COMMENT ON PROCEDURE watch_services(interval)
	IS 'every hour: compares the hours of services that ended this long ago with those of earlier days, and versions '
		'that came with those before them, each hour of a service in a transaction of its own, and then tells what was '
		'found; what fails is recorded in job_log and the others go on; called alone';

CREATE OR REPLACE FUNCTION runs_of_commit(commit text) RETURNS bigint[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(t.test_run_id ORDER BY t.test_run_id), '{}'::bigint[])
		FROM test_run AS t
		WHERE t.commit = runs_of_commit.commit
			OR length(runs_of_commit.commit) >= 7 AND starts_with(t.commit, runs_of_commit.commit)
				AND NOT EXISTS (SELECT 1 FROM test_run AS w WHERE w.commit = runs_of_commit.commit);
	END;

CREATE OR REPLACE FUNCTION waits(finding regression, confirm int) RETURNS bool
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT (waits.finding).status = 'pending' OR (waits.finding).status IN ('open', 'acknowledged')
			AND (waits.finding).seen <= waits.confirm;
	END;

COMMENT ON FUNCTION waits(regression, int)
	IS 'whether a finding is not confirmed by later runs or repetitions: it is pending, or not more than confirm runs '
		'have shown it';

CREATE OR REPLACE FUNCTION worst_finding(benchmark_id bigint, event text, unit text, branch text, run_ids bigint[], confirm int,
		that_wait bool) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN (SELECT format('%s %s (%s)', CASE f.level WHEN 'metric' THEN 'the metric'
			ELSE format('%s "%s"', f.level, CASE WHEN length(f.subject::text) > 200
				THEN '…' || right(f.subject::text, 199) ELSE f.subject::text END) END,
			profiling.percent(f.relative), f.method)
		FROM profiling.findings_of(worst_finding.benchmark_id) AS f
		WHERE f.event = worst_finding.event
			AND (f.unit = worst_finding.unit OR f.level = 'metric') AND f.branch = worst_finding.branch
			AND f.first_test_run_id = ANY (run_ids) AND f.kind = 'degradation' AND f.cause <> 'shift'
			AND f.status IN ('open', 'acknowledged', 'pending') AND profiling.waits(f, confirm) = that_wait
		ORDER BY abs(f.relative) DESC NULLS FIRST, f.regression_id LIMIT 1);
END
$$;

COMMENT ON FUNCTION worst_finding(bigint, text, text, text, bigint[], int, bool)
	IS 'the largest of the open degradations that were first seen in some runs, or of those that wait for later ones: '
		'level, subject, relative change, method';

CREATE OR REPLACE FUNCTION waiting_in_words(benchmark_id bigint, event text, run_ids bigint[], confirm int, worst text)
	RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN (SELECT format('%s is pending: %s of %s runs or later repetitions have shown it', worst, min(f.seen),
			1 + greatest(confirm, 1, max(profiling.confirm_of(f.benchmark_id, f.event, f.method))))
		FROM profiling.findings_of(waiting_in_words.benchmark_id) AS f
		WHERE f.event = waiting_in_words.event
			AND f.first_test_run_id = ANY (run_ids) AND f.kind = 'degradation' AND f.cause <> 'shift'
			AND profiling.waits(f, confirm));
END
$$;

COMMENT ON FUNCTION waiting_in_words(bigint, text, bigint[], int, text) IS 'the reason of the verdict pending';

CREATE OR REPLACE FUNCTION compared_in_words(compared_with int, group_size bigint, gone bigint, earlier bigint, shifted bigint)
	RETURNS text
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN concat_ws('; ', format('compared with %s %s before it', compared_with,
			CASE compared_with WHEN 1 THEN 'run' ELSE 'runs' END)
			|| CASE WHEN group_size > 1 THEN format(', as one of %s new runs', group_size) ELSE '' END,
		CASE WHEN gone > 0 THEN format('%s of its findings closed since', gone) END,
		CASE WHEN earlier > 0 THEN format('%s of earlier runs still open', earlier) END,
		CASE WHEN shifted > 0 THEN format('cost moved within it in %s', CASE shifted WHEN 1 THEN '1 place'
			ELSE shifted || ' places' END) END);
END
$$;

COMMENT ON FUNCTION compared_in_words(int, bigint, bigint, bigint, bigint) IS 'the reason of the verdict ok';

CREATE OR REPLACE FUNCTION counted_findings(benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		newest_id bigint, since_id bigint, confirm int, OUT here int, OUT gone bigint, OUT of_group bigint,
		OUT earlier bigint, OUT waiting int, OUT shifted bigint)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	SELECT count(*) FILTER (WHERE o.is_open AND o.is_here AND NOT o.is_shift AND NOT o.waits),
		count(*) FILTER (WHERE o.is_here AND NOT o.is_open AND NOT o.waits),
		count(*) FILTER (WHERE o.is_open AND NOT o.is_here AND o.first_id = since_id),
		count(*) FILTER (WHERE o.is_open AND NOT o.is_here AND o.is_earlier),
		count(*) FILTER (WHERE o.is_here AND NOT o.is_shift AND o.waits),
		count(*) FILTER (WHERE o.is_here AND o.is_shift AND (o.is_open OR o.waits))
	INTO here, gone, of_group, earlier, waiting, shifted
	FROM (SELECT f.status IN ('open', 'acknowledged') AS is_open, profiling.waits(f, confirm) AS waits,
			f.cause = 'shift' AS is_shift, f.first_test_run_id = ANY (run_ids) AS is_here,
			f.first_test_run_id AS first_id, (t.started_at, t.test_run_id) < (n.started_at, n.test_run_id) AS is_earlier
		FROM profiling.findings_of(counted_findings.benchmark_id) AS f
			LEFT JOIN profiling.test_run AS t ON t.test_run_id = f.first_test_run_id
			LEFT JOIN profiling.test_run AS n ON n.test_run_id = newest_id
		WHERE f.event = counted_findings.event
			AND (f.unit = counted_findings.unit OR f.level IN ('metric', 'location'))
			AND f.branch = counted_findings.branch AND f.kind = 'degradation') AS o;
END
$$;

COMMENT ON FUNCTION counted_findings(bigint, text, text, text, bigint[], bigint, bigint, int)
	IS 'degradations: here: open ones that were first seen in some runs; gone: closed ones of these; of_group: open '
		'ones of the runs with which the newest was compared as a group; earlier: open ones that were seen before; '
		'waiting: those seen first in these runs that are not confirmed; shifted: of these, cost that only moved';

CREATE OR REPLACE FUNCTION newest_of_runs(run_ids bigint[]) RETURNS TABLE (benchmark_id bigint, event text, unit text,
		branch text, is_new bool, test_run_id bigint, span text, started_at timestamptz, compared_with int,
		compared_since bigint, not_compared text, group_size bigint)
	LANGUAGE sql STABLE ROWS 10
	BEGIN ATOMIC
		SELECT g.benchmark_id, g.event, g.unit, g.branch, g.is_new, r.test_run_id, r.span, r.started_at,
			r.compared_with, r.compared_since, r.not_compared, s.group_size
		FROM (SELECT o.benchmark_id, o.event, o.unit, o.branch,
				bool_or(o.span = 'run' AND o.checked_at IS NULL) AS is_new,
				(pg_catalog.array_agg(o.test_run_id ORDER BY o.started_at DESC, o.test_run_id DESC))[1] AS newest_id
			FROM rollup AS o WHERE o.run_ids OPERATOR(pg_catalog.&&) newest_of_runs.run_ids
			GROUP BY o.benchmark_id, o.event, o.unit, o.branch) AS g
			JOIN rollup AS r ON r.benchmark_id = g.benchmark_id AND r.event = g.event AND r.unit = g.unit
				AND r.branch = g.branch AND r.test_run_id = g.newest_id
			CROSS JOIN LATERAL (SELECT count(*) AS group_size FROM rollup AS o
				WHERE o.benchmark_id = r.benchmark_id AND o.event = r.event AND o.unit = r.unit AND o.branch = r.branch
					AND o.compared_since = r.compared_since) AS s;
	END;

COMMENT ON FUNCTION newest_of_runs(bigint[])
	IS 'of some runs the newest of each benchmark, event, unit and branch: what it was compared with, and together '
		'with how many others; is_new: whether the night has yet to look at one of them';

CREATE OR REPLACE FUNCTION judged_profiles(run_ids bigint[], confirm int)
	RETURNS TABLE (benchmark_id bigint, event text, unit text, branch text, verdict text, reason text, findings int)
	LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT g.benchmark_id, g.event, g.unit, g.branch,
		CASE WHEN c.here > 0 THEN 'regressed' WHEN c.waiting > 0 THEN 'pending' WHEN w.words IS NULL THEN 'ok'
			ELSE 'not_examined' END,
		CASE WHEN c.here + c.waiting > 0 THEN CASE WHEN greatest(c.here, c.waiting * (c.here = 0)::int) > 1
				THEN 'the worst: ' ELSE '' END
			|| CASE WHEN c.here > 0 THEN n.worst ELSE profiling.waiting_in_words(g.benchmark_id, g.event,
				judged_profiles.run_ids, judged_profiles.confirm, n.worst) END
			ELSE coalesce(w.words, profiling.compared_in_words(g.compared_with, g.group_size, c.gone, c.earlier,
				c.shifted)) END,
		CASE WHEN c.here > 0 THEN c.here ELSE c.waiting END
	FROM profiling.newest_of_runs(judged_profiles.run_ids) AS g
		CROSS JOIN LATERAL profiling.counted_findings(g.benchmark_id, g.event, g.unit, g.branch,
			judged_profiles.run_ids, g.test_run_id, g.compared_since, judged_profiles.confirm) AS c
		CROSS JOIN LATERAL (SELECT CASE WHEN c.here + c.waiting > 0 THEN profiling.worst_finding(g.benchmark_id,
			g.event,
			g.unit, g.branch, judged_profiles.run_ids, judged_profiles.confirm, c.here = 0) END AS worst) AS n
		CROSS JOIN LATERAL (SELECT CASE
			WHEN NOT profiling.has_begun(g.started_at) THEN format('the run lies in the future: %s', g.started_at)
			WHEN g.is_new THEN profiling.not_watched(g.benchmark_id)
			WHEN g.span = 'month' THEN 'its runs were merged to a month, and what they were compared with is not kept'
			WHEN g.not_compared IS NOT NULL THEN g.not_compared
			WHEN g.compared_with IS NULL THEN 'nothing is known about a comparison'
			WHEN profiling.optimizations_only(g.benchmark_id, g.event) THEN 'the watch rows look for optimizations only'
			WHEN c.of_group > 0 THEN format('one of %s runs that were compared together, and %s first seen in the '
				'oldest of them: which one changed is not known', g.group_size,
				CASE c.of_group WHEN 1 THEN 'a finding was' ELSE format('%s findings were', c.of_group) END)
			END AS words) AS w;
END
$$;

COMMENT ON FUNCTION judged_profiles(bigint[], int)
	IS 'what is to be said of some runs of one commit by their profiles: a row for each benchmark, event, unit and '
		'branch, by the newest run; one that was not looked at yet leaves the verdict open';

CREATE OR REPLACE FUNCTION newest_observed(run_ids bigint[]) RETURNS TABLE (benchmark_id bigint, branch text, newest_id bigint,
		started_at timestamptz, models bigint)
	LANGUAGE sql STABLE ROWS 10
	BEGIN ATOMIC
		SELECT g.benchmark_id, g.branch, g.newest_id, g.started_at, m.models
		FROM (SELECT o.benchmark_id, t.branch, (pg_catalog.array_agg(t.test_run_id ORDER BY t.started_at DESC,
				t.test_run_id DESC))[1] AS newest_id, max(t.started_at) AS started_at
			FROM (SELECT DISTINCT p.benchmark_id, p.test_run_id FROM observation AS p
				WHERE p.test_run_id = ANY (newest_observed.run_ids)) AS o
				JOIN test_run AS t ON t.test_run_id = o.test_run_id GROUP BY o.benchmark_id, t.branch) AS g
			CROSS JOIN LATERAL (SELECT count(*) AS models FROM fitted_model AS m
				WHERE m.benchmark_id = g.benchmark_id AND m.test_run_id = g.newest_id) AS m;
	END;

COMMENT ON FUNCTION newest_observed(bigint[])
	IS 'of some runs the newest with observations of each benchmark and branch, and how many models it has';

CREATE OR REPLACE FUNCTION judged_models(run_ids bigint[], confirm int)
	RETURNS TABLE (benchmark_id bigint, event text, unit text, branch text, verdict text, reason text, findings int)
	LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT g.benchmark_id, '', '', g.branch,
		CASE WHEN c.here > 0 THEN 'regressed' WHEN c.waiting > 0 THEN 'pending' WHEN w.words IS NULL THEN 'ok'
			ELSE 'not_examined' END,
		CASE WHEN c.here > 0 THEN CASE WHEN c.here > 1 THEN 'the worst: ' ELSE '' END || n.worst
			WHEN c.waiting > 0 THEN CASE WHEN c.waiting > 1 THEN 'the worst: ' ELSE '' END
				|| profiling.waiting_in_words(g.benchmark_id, ''::text, judged_models.run_ids, judged_models.confirm,
					n.worst)
			ELSE coalesce(w.words, profiling.compared_in_words(1, 1::bigint, c.gone, c.earlier, c.shifted)) END,
		CASE WHEN c.here > 0 THEN c.here ELSE c.waiting END
	FROM profiling.newest_observed(judged_models.run_ids) AS g
		CROSS JOIN LATERAL profiling.counted_findings(g.benchmark_id, ''::text, ''::text, g.branch,
			judged_models.run_ids, g.newest_id, NULL::bigint, judged_models.confirm) AS c
		CROSS JOIN LATERAL (SELECT (SELECT format('location "%s" %s (%s)', f.subject, profiling.percent(f.relative),
				f.method)
			FROM profiling.findings_of(g.benchmark_id) AS f WHERE f.level = 'location'
				AND f.branch = g.branch AND f.kind = 'degradation' AND f.status IN ('open', 'acknowledged', 'pending')
				AND profiling.waits(f, judged_models.confirm) = (c.here = 0)
				AND f.first_test_run_id = ANY (judged_models.run_ids)
			ORDER BY abs(f.relative) DESC NULLS FIRST, f.regression_id LIMIT 1) AS worst) AS n
		CROSS JOIN LATERAL (SELECT count(*) AS rows,
			max(profiling.models_before(g.benchmark_id, g.branch, g.newest_id, a.baseline)) AS before_id
			FROM profiling.watches_of(g.benchmark_id, ''::text) AS a
			WHERE a.method IN ('integral', 'local_statistics')) AS a
		CROSS JOIN LATERAL (SELECT CASE
			WHEN NOT profiling.has_begun(g.started_at) THEN format('the run lies in the future: %s', g.started_at)
			WHEN g.newest_id = ANY (profiling.unfitted_runs(g.benchmark_id)) THEN profiling.not_watched(g.benchmark_id)
			WHEN a.rows = 0 THEN 'no watch row compares observations, by integral or local_statistics'
			WHEN g.models = 0 THEN 'no location has 3 different x, so there is no model'
			WHEN a.before_id IS NULL THEN 'too little history: no run before it has models'
			WHEN profiling.optimizations_only(g.benchmark_id, ''::text)
				THEN 'the watch rows look for optimizations only' END AS words) AS w;
END
$$;

COMMENT ON FUNCTION judged_models(bigint[], int)
	IS 'what is to be said of some runs of one commit by the models of their observations, event '''': a row for each '
		'benchmark and branch';

CREATE OR REPLACE FUNCTION refuse_commit(commit text) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_ids CONSTANT bigint[] := profiling.runs_of_commit(refuse_commit.commit);
BEGIN
	IF cardinality(v_ids) = 0 THEN
		RAISE EXCEPTION 'no run has commit "%"', refuse_commit.commit USING ERRCODE = 'no_data_found',
			HINT = 'A commit is given whole, or by at least its first 7 characters; it is what was loaded with '
				'--commit, see profiling.test_run.';
	END IF;
	RAISE EXCEPTION 'nothing of commit "%" was loaded that is asked for', refuse_commit.commit
		USING ERRCODE = 'no_data_found', DETAIL = coalesce('It has ' || profiling.printable((SELECT
				string_agg(o.words, '; ')
			FROM (SELECT DISTINCT format('%s%s, event "%s", branch "%s"', nullif(b.suite, '') || ' ', b.name, j.event,
					j.branch) AS words
				FROM (SELECT * FROM profiling.judged_profiles(v_ids, 0) UNION ALL SELECT *
					FROM profiling.judged_models(v_ids, 0)) AS j
					JOIN profiling.benchmark AS b ON b.benchmark_id = j.benchmark_id ORDER BY 1 LIMIT 10) AS o)) || '.',
			'It has a run, and no profile in it.');
END
$$;

CREATE OR REPLACE FUNCTION judged(of_commit text, of_benchmark text, of_suite text, of_branch text, of_event text, confirm int)
	RETURNS TABLE (benchmark text, event text, verdict text, reason text, findings int)
	LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_ids bigint[];
BEGIN
	PERFORM profiling.need_access('verdict'::text, 'reader'::text);
	v_ids := profiling.runs_of_commit(of_commit);
	IF coalesce(of_commit, '') = '' THEN
		RAISE EXCEPTION 'the commit cannot be null or empty' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	IF coalesce(confirm, -1) < 0 THEN
		RAISE EXCEPTION 'confirm cannot be null or negative' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	RETURN QUERY
	SELECT j.name, j.event, j.verdict, concat_ws(': ', nullif(concat_ws(', ',
			CASE WHEN min(j.suite) OVER w <> max(j.suite) OVER w THEN format('suite "%s"', j.suite) END,
			CASE WHEN min(j.parameters::text) OVER w <> max(j.parameters::text) OVER w
				THEN format('parameters %s', j.parameters) END,
			CASE WHEN min(j.branch) OVER w <> max(j.branch) OVER w THEN format('branch "%s"', j.branch) END,
			CASE WHEN min(j.unit) OVER w <> max(j.unit) OVER w THEN format('unit "%s"', j.unit) END), ''), j.reason),
		j.findings
	FROM (SELECT b.suite, b.name, b.parameters, o.*
		FROM (SELECT p.* FROM profiling.judged_profiles(v_ids, confirm) AS p
			UNION ALL SELECT m.* FROM profiling.judged_models(v_ids, confirm) AS m) AS o
			JOIN profiling.benchmark AS b ON b.benchmark_id = o.benchmark_id
		WHERE b.name LIKE coalesce(of_benchmark, '%') AND b.suite LIKE coalesce(of_suite, '%')
			AND (of_branch IS NULL OR o.branch = of_branch) AND (of_event IS NULL OR o.event = of_event)) AS j
	WINDOW w AS (PARTITION BY j.name, j.event)
	ORDER BY j.name COLLATE "C", j.event COLLATE "C", j.suite COLLATE "C", j.parameters::text COLLATE "C",
		j.branch COLLATE "C", j.unit COLLATE "C";
	IF NOT FOUND THEN
		PERFORM profiling.refuse_commit(of_commit);
	END IF;
END
$$;

COMMENT ON FUNCTION judged(text, text, text, text, text, int) IS 'verdict(), whose arguments and columns share names';

CREATE OR REPLACE FUNCTION verdict(commit text, benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL,
		event text DEFAULT NULL, confirm int DEFAULT 0)
	RETURNS TABLE (benchmark text, event text, verdict text, reason text, findings int)
	LANGUAGE sql STABLE ROWS 10
	BEGIN ATOMIC
		SELECT j.benchmark, j.event, j.verdict, j.reason, j.findings
		FROM judged(verdict.commit, verdict.benchmark, verdict.suite, verdict.branch, verdict.event,
			verdict.confirm) AS j;
	END;

COMMENT ON FUNCTION verdict(text, text, text, text, text, int)
	IS 'for CI: what became of a commit (whole, or its first 7 characters or more), a row for each benchmark, event, '
		'unit and branch that has a run of it; verdict: regressed (open degradations that were first seen in it), '
		'pending (these were not confirmed yet), ok (compared, none) or not_examined; confirm: how many later runs, or '
		'later repetitions of its run, must show what is called regressed; reason says more; benchmark and suite are '
		'patterns of LIKE; error P0002 for a commit without a run';

CREATE TABLE commit_function (
	commit text NOT NULL CHECK (octet_length(commit) <= 500),
	file text NOT NULL CHECK (octet_length(file) <= 1000),
	function text NOT NULL CHECK (octet_length(function) <= 500),
	lines int NOT NULL DEFAULT 0,
	PRIMARY KEY (commit, file, function)
);

CREATE INDEX commit_function_function_idx ON commit_function (function);

COMMENT ON TABLE commit_function
	IS 'functions that commits changed, as git names them above a change; filled by flamegraph-commits --functions';

COMMENT ON COLUMN commit_function.commit IS 'the commit; one that changed no function has a row with empty names';

COMMENT ON COLUMN commit_function.file IS 'file in the repository';

COMMENT ON COLUMN commit_function.function IS 'name of the function, without arguments';

COMMENT ON COLUMN commit_function.lines IS 'lines in it that were added or deleted, about';

CREATE OR REPLACE FUNCTION function_of_frame(frame text) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		-- without what compilers and the modes of the JVM put behind a name, and without line numbers
		SELECT nullif(regexp_replace(CASE
			-- parser.py:read
			WHEN s.name ~ '^[^ ]+\.[A-Za-z0-9]+:[A-Za-z_]\w*$'::text
				THEN regexp_replace(s.name, '^.*:'::text, ''::text)
			-- void acme::read<int>(int)
			WHEN s.name ~ '^[^(]*[^( ]\('::text
				THEN regexp_replace(regexp_replace(split_part(s.name, '('::text, 1), '<.*$'::text, ''::text),
					'^.* '::text, ''::text)
			-- read (lib/parser.py, read lib/parser.c
			ELSE split_part(s.name, ' '::text, 1) END, '^.*[.:/#>$]'::text, ''::text), ''::text)
		FROM (SELECT regexp_replace(regexp_replace(function_of_frame.frame,
			'(_\[[a-z0-9]\]|\.(constprop|isra|part|cold|localalias|lto_priv)(\.[0-9]+)*)+$'::text, ''::text),
			'(:[0-9]+){1,2}\)?$'::text, ''::text) AS name) AS s;
	END;

COMMENT ON FUNCTION function_of_frame(text)
	IS 'the name of the function in a frame, without file, line, package, class, arguments and suffixes of compilers; '
		'null when there is none';

CREATE OR REPLACE FUNCTION file_of_frame(frame text) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT (regexp_match(regexp_replace(file_of_frame.frame,
			'(\.(constprop|isra|part|cold|localalias|lto_priv)(\.[0-9]+)*)+$'::text, ''::text),
			'(?:^|[ (])([^ ():]+\.[A-Za-z0-9_]+)(?=[:)]|$)'::text))[1];
	END;

COMMENT ON FUNCTION file_of_frame(text)
	IS 'what looks like the path of a file in a frame, such as lib/parser.py in read (lib/parser.py:12); null when '
		'there is none';

CREATE OR REPLACE FUNCTION changed_stacks(level text, subject stackpath, delta flamegraph)
	RETURNS TABLE (n bigint, frames text[], place int, value float8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 1000
	BEGIN ATOMIC
		SELECT row_number() OVER (ORDER BY abs(s.value) DESC, s.stack::text COLLATE "C"), frames(s.stack),
			CASE WHEN changed_stacks.level = 'frame'
					THEN pg_catalog.array_position(frames(s.stack), leaf(changed_stacks.subject))
				WHEN changed_stacks.level IN ('stack', 'node') THEN depth(changed_stacks.subject)
				ELSE depth(s.stack) END, s.value
		FROM stacks(changed_stacks.delta) AS s
		WHERE CASE WHEN changed_stacks.level = 'frame' THEN has_frame(s.stack, leaf(changed_stacks.subject))
			WHEN changed_stacks.level = 'self' THEN leaf(s.stack) = leaf(changed_stacks.subject)
			WHEN changed_stacks.level = 'stack' THEN s.stack = changed_stacks.subject
			WHEN changed_stacks.level = 'node' THEN changed_stacks.subject @> s.stack
			ELSE changed_stacks.level = 'metric' END
		-- pg_upgrade makes functions before the operators that sort stacks
		ORDER BY abs(s.value) DESC, s.stack::text COLLATE "C" LIMIT 5000;
	END;

COMMENT ON FUNCTION changed_stacks(text, stackpath, flamegraph)
	IS 'the 5,000 stacks through the subject of a finding that changed most; place: where the subject stands in them, '
		'of a metric their last frame; delta: the difference of the profiles';

CREATE OR REPLACE FUNCTION excess(of_change float8, of_before float8) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN excess.of_before < 0.9::float8 AND excess.of_change > excess.of_before
			THEN least(1::float8, (excess.of_change - excess.of_before) / (1::float8 - excess.of_before))
			ELSE 0::float8 END;
	END;

COMMENT ON FUNCTION excess(float8, float8)
	IS 'how much more of a change than of what there was before is in one place, as a fraction of what it could be; 0 '
		'where nearly all was there before';

CREATE OR REPLACE FUNCTION changed_frames(level text, subject stackpath, before flamegraph, delta flamegraph)
	RETURNS TABLE (frame text, share float8, weight float8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 100000 ROWS 1000
	BEGIN ATOMIC
		WITH s AS MATERIALIZED (
			SELECT c.*, true AS changed
			FROM changed_stacks(changed_frames.level, changed_frames.subject, changed_frames.delta) AS c
			UNION ALL
			SELECT c.*, false
			FROM changed_stacks(changed_frames.level, changed_frames.subject, changed_frames.before) AS c
		), whole AS (
			SELECT s.changed, CASE WHEN sum(s.value) > 0::float8 THEN sum(s.value)
					ELSE sum(s.value) FILTER (WHERE s.value > 0::float8) END AS value,
				coalesce(sum(s.value) FILTER (WHERE pg_catalog.cardinality(s.frames) = s.place), 0::float8) AS self
			FROM s GROUP BY s.changed
		), u AS (
			-- each frame once in a stack: above the subject at the place that is nearest to it
			SELECT s.n, s.changed, s.value, f.frame,
				s.place - max(f.place) FILTER (WHERE f.place <= s.place) AS distance
			FROM s CROSS JOIN LATERAL pg_catalog.unnest(s.frames) WITH ORDINALITY AS f (frame, place)
			GROUP BY s.n, s.changed, s.value, s.place, f.frame
		), f AS (
			SELECT u.frame, min(u.distance) FILTER (WHERE u.changed) AS distance,
				sum(u.value / w.value) FILTER (WHERE u.changed) AS share,
				coalesce(sum(u.value / w.value) FILTER (WHERE u.changed AND u.distance = 0), 0::float8) AS own,
				coalesce(sum(u.value / w.value * 0.5::float8 * 0.7::float8 ^ least(u.distance - 1, 60)::float8)
					FILTER (WHERE u.changed AND u.distance > 0), 0::float8) AS above,
				coalesce(sum(u.value / w.value) FILTER (WHERE u.changed AND u.distance IS NULL), 0::float8) AS below,
				excess(sum(u.value / w.value) FILTER (WHERE u.changed AND u.distance > 0),
					sum(u.value / w.value) FILTER (WHERE NOT u.changed AND u.distance > 0)) AS excess
			FROM u JOIN whole AS w ON w.changed = u.changed AND w.value > 0::float8
			GROUP BY u.frame
		)
		SELECT f.frame, least(1::float8, f.share), least(1::float8, greatest(f.above,
			0.9::float8 * f.excess * 0.8::float8 ^ least(f.distance - 1, 60)::float8,
			f.own * (1::float8 - 0.5::float8 * greatest(max(f.excess) OVER (), alike.value)), 0.7::float8 * f.below))
		FROM f CROSS JOIN (SELECT CASE WHEN changed_frames.level = 'frame'
						AND max(w.self / w.value) FILTER (WHERE NOT w.changed) < 0.9::float8 THEN 1::float8 - excess(
					max(w.self / w.value) FILTER (WHERE w.changed), max(w.self / w.value) FILTER (WHERE NOT w.changed))
				ELSE 0::float8 END AS value
			FROM whole AS w WHERE w.value > 0::float8) AS alike
		WHERE f.share > 0::float8
		UNION ALL
		-- nothing is known of the profiles: what the subject says
		SELECT f.frame, NULL::float8,
			max(0.5::float8 ^ least(depth(changed_frames.subject) - f.place, 60)::float8)
		FROM pg_catalog.unnest(frames(changed_frames.subject)) WITH ORDINALITY AS f (frame, place)
		WHERE NOT EXISTS (SELECT 1 FROM whole AS w WHERE w.changed AND w.value > 0::float8)
		GROUP BY f.frame;
	END;

COMMENT ON FUNCTION changed_frames(text, stackpath, flamegraph, flamegraph)
	IS 'the frames through which the change of a finding flows; share: of the change, a fraction, null when the '
		'profiles are not known; weight: from 0 to 1, how likely it is that the change comes from there; before: the '
		'profile before, delta: by how much it changed, negated for what became less';

CREATE OR REPLACE FUNCTION files_of_frames(frames text[], files text[]) RETURNS TABLE (frame text, file text)
	LANGUAGE sql STABLE COST 100000 ROWS 100
	BEGIN ATOMIC
		SELECT f.frame, c.file
		FROM pg_catalog.unnest(files_of_frames.frames) AS f (frame)
			JOIN frame_commit AS c ON stackpath(ARRAY[f.frame]) ~ c.pattern
		WHERE c.file = ANY (files_of_frames.files)
		UNION
		-- the path in the frame may be a part of the file's, or the file's a part of it
		SELECT f.frame, p.file
		FROM pg_catalog.unnest(files_of_frames.frames) AS f (frame)
			CROSS JOIN LATERAL (SELECT file_of_frame(f.frame) AS path) AS o
			JOIN pg_catalog.unnest(files_of_frames.files) AS p (file) ON p.file = o.path
				OR right(p.file, length(o.path) + 1) = '/'::text || o.path
				OR right(o.path, length(p.file) + 1) = '/'::text || p.file
		UNION
		-- what commits changed in other functions of the same name tells where it stands; a name of many files tells
		-- nothing
		SELECT f.frame, d.file
		FROM pg_catalog.unnest(files_of_frames.frames) AS f (frame)
			CROSS JOIN LATERAL (SELECT min(n.file) AS file FROM commit_function AS n
				WHERE n.function = function_of_frame(f.frame) HAVING min(n.file) = max(n.file)) AS d
		WHERE file_of_frame(f.frame) IS NULL AND d.file = ANY (files_of_frames.files);
	END;

COMMENT ON FUNCTION files_of_frames(text[], text[])
	IS 'which of some files frames belong to: by the patterns of frame_commit, by the path in the frame, or, where it '
		'has none, as the one file in which commits changed a function of this name';

CREATE OR REPLACE FUNCTION is_no_code(file text) RETURNS bool
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT is_no_code.file = ''::text OR is_no_code.file ~* ('(^|/)(docs?|documentation|man|tests?|testdata|specs?|'
			'__tests__|examples?|expected)/|(^|/)(readme|changelog|changes|news|license|licence|copying|authors|'
			'codeowners)[^/]*$|\.(md|rst|txt|adoc|[1-8]|png|jpe?g|svg|gif)$')::text;
	END;

COMMENT ON FUNCTION is_no_code(text)
	IS 'true for a file of the documentation or the tests, by its name: one that hardly makes a program slower';

CREATE OR REPLACE FUNCTION commit_evidence(commits text[], frames text[], shares float8[], weights float8[])
	RETURNS TABLE (commit text, frame text, what text, function text, file text, share float8, weight float8)
	LANGUAGE sql STABLE ROWS 100
	BEGIN ATOMIC
		WITH f AS MATERIALIZED (
			SELECT u.frame, u.share, u.weight, function_of_frame(u.frame) AS function
			FROM ROWS FROM (pg_catalog.unnest(commit_evidence.frames), pg_catalog.unnest(commit_evidence.shares),
				pg_catalog.unnest(commit_evidence.weights)) AS u (frame, share, weight)
		), c AS MATERIALIZED (
			SELECT h.commit, h.file, h.subject, EXISTS (SELECT 1 FROM commit_function AS n
				WHERE n.commit = h.commit AND n.file = h.file) AS by_function
			FROM commit_change AS h WHERE h.commit = ANY (commit_evidence.commits)
		)
		SELECT n.commit, f.frame, 'function'::text, f.function, n.file, f.share,
			f.weight * (1::float8 - 1::float8 / (1::float8 + n.lines::float8))
				* CASE WHEN is_no_code(n.file) THEN 0.3::float8 ELSE 1::float8 END
		FROM f JOIN commit_function AS n ON n.function = f.function
			OR right(n.function, length(f.function) + 2) = '::'::text || f.function
		WHERE n.commit = ANY (commit_evidence.commits)
		UNION ALL
		-- where it is known which functions of a file were changed, the others are less suspect
		SELECT c.commit, f.frame, 'file'::text, f.function, c.file, f.share,
			f.weight * CASE WHEN c.by_function THEN 0.2::float8 ELSE 0.6::float8 END
		FROM files_of_frames(commit_evidence.frames, ARRAY(SELECT DISTINCT c.file FROM c WHERE c.file <> ''::text)) AS m
			JOIN f ON f.frame = m.frame JOIN c ON c.file = m.file
		UNION ALL
		-- a name that is no word of a language is hardly there by chance
		SELECT s.commit, f.frame, 'message'::text, f.function, NULL::text, f.share, f.weight
			* CASE WHEN f.function ~ '[a-z].*[A-Z_0-9]|_'::text THEN 0.4::float8 ELSE 0.15::float8 END
		FROM (SELECT DISTINCT c.commit, c.subject FROM c) AS s JOIN f ON length(f.function) >= 3
			AND strpos(s.subject, f.function) > 0
		WHERE f.function = ANY (regexp_split_to_array(s.subject, '[^A-Za-z0-9_$]+'::text));
	END;

COMMENT ON FUNCTION commit_evidence(text[], text[], float8[], float8[])
	IS 'what speaks for each of some commits: functions and files on the stacks of a change that it touched, and those '
		'that its message names; weight: from 0 to 1';

CREATE OR REPLACE FUNCTION known_commit(name text) RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT CASE WHEN EXISTS (SELECT 1 FROM commit_change AS c WHERE c.commit = known_commit.name)
				THEN known_commit.name
			WHEN known_commit.name ~ '^[0-9a-f]{7,}$'::text THEN (SELECT min(c.commit) FROM commit_change AS c
				WHERE starts_with(c.commit, known_commit.name) HAVING min(c.commit) = max(c.commit)) END;
	END;

COMMENT ON FUNCTION known_commit(text)
	IS 'the commit of commit_change that a run names, with all its characters or, from seven on, the first ones of one '
		'commit only; null when it is not there';

CREATE OR REPLACE FUNCTION first_parents(commit text) RETURNS TABLE (commit text, place int)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		WITH RECURSIVE line (commit, place) AS (
			SELECT first_parents.commit, 1 WHERE first_parents.commit IS NOT NULL
			UNION ALL
			SELECT p.parent, l.place + 1
			FROM line AS l CROSS JOIN LATERAL (SELECT c.parent FROM commit_change AS c WHERE c.commit = l.commit
				LIMIT 1) AS p
			WHERE p.parent <> ''::text AND l.place < 10000
		)
		SELECT l.commit, l.place FROM line AS l;
	END;

COMMENT ON FUNCTION first_parents(text)
	IS 'a commit, its first parent, the first parent of that, and so on, 10,000 of them at most; place: from 1';

CREATE OR REPLACE FUNCTION commits_between(before_run bigint, first_run bigint, OUT way text, OUT commits text[])
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_before record;
	v_first record;
	v_base int;
	v_since timestamptz;
	v_until timestamptz;
BEGIN
	way := 'parents';
	commits := '{}';
	SELECT t.started_at, t.commit, profiling.known_commit(t.commit) AS known INTO v_before
	FROM profiling.test_run AS t WHERE t.test_run_id = before_run;
	SELECT t.started_at, t.commit, profiling.known_commit(t.commit) AS known INTO v_first
	FROM profiling.test_run AS t WHERE t.test_run_id = first_run;
	IF v_first.commit <> '' AND v_first.commit = v_before.commit OR v_first.known = v_before.known THEN
		way := 'same';
		RETURN;
	END IF;
	-- what the first run has and the one before it has not
	SELECT min(l.place) INTO v_base FROM profiling.first_parents(v_first.known) AS l
		WHERE l.commit IN (SELECT o.commit FROM profiling.first_parents(v_before.known) AS o);
	IF v_base IS NOT NULL THEN
		commits := ARRAY(SELECT l.commit FROM profiling.first_parents(v_first.known) AS l WHERE l.place < v_base
			ORDER BY l.place);
		way := CASE WHEN v_base = 1 THEN 'back' ELSE way END;
		RETURN;
	END IF;
	way := 'times';
	v_since := coalesce((SELECT max(c.committed_at) FROM profiling.commit_change AS c
		WHERE c.commit = v_before.known), v_before.started_at);
	v_until := coalesce((SELECT max(c.committed_at) FROM profiling.commit_change AS c
		WHERE c.commit = v_first.known), v_first.started_at);
	commits := ARRAY(SELECT c.commit FROM profiling.commit_change AS c
		WHERE c.committed_at > v_since AND c.committed_at <= v_until
		GROUP BY c.commit ORDER BY max(c.committed_at) DESC, c.commit LIMIT 10000);
END
$$;

COMMENT ON FUNCTION commits_between(bigint, bigint)
	IS 'the commits that a run has and an earlier one has not, the newest first; way: ''parents'' by the chain of '
		'first parents, ''times'' by when they were made, where that chain is not known, ''same'' (none) for two '
		'runs of one commit, ''back'' (none) for a run of an older commit; ''times'' and none for a run that is '
		'not there';

CREATE OR REPLACE FUNCTION tell_range(before_run bigint, first_run bigint, way text, commits int)
	RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_before CONSTANT text := (SELECT left(profiling.printable(t.commit), 100) FROM profiling.test_run AS t
		WHERE t.test_run_id = before_run);
	v_first CONSTANT text := (SELECT left(profiling.printable(t.commit), 100) FROM profiling.test_run AS t
		WHERE t.test_run_id = first_run);
BEGIN
	CASE way
	WHEN 'same' THEN
		RAISE NOTICE 'no commit lies between runs % and %: both are of commit "%"', before_run, first_run, v_first
			USING HINT = 'What changed is not in the repository: the machine, its configuration or the data.';
	WHEN 'back' THEN
		RAISE NOTICE 'run % is of a commit ("%") that run % before it ("%") has already', first_run, v_first,
			before_run, v_before USING HINT = 'What was taken back may be the reason; nothing new is suspect.';
	WHEN 'times' THEN
		RAISE NOTICE 'the commits between "%" and "%" are not known by their parents, so those that were made between '
			'them are listed', v_before, v_first
			USING HINT = 'flamegraph-commits reads them from a clone that has them, and whose history is whole.';
		IF commits = 0 THEN
			RAISE NOTICE 'no commit is known that was made between runs % and %', before_run, first_run;
		END IF;
	ELSE
	END CASE;
END
$$;

COMMENT ON FUNCTION tell_range(bigint, bigint, text, int)
	IS 'says by a NOTICE where the commits between two runs are not those that are asked for; way as in '
		'commits_between()';

CREATE OR REPLACE FUNCTION mean_of(fgs flamegraph[]) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT avg(o.fg) FROM pg_catalog.unnest(mean_of.fgs) AS o (fg);
	END;

COMMENT ON FUNCTION mean_of(flamegraph[]) IS 'the mean of some profiles';

CREATE OR REPLACE FUNCTION signed_change(before flamegraph[], current flamegraph[], increases bool) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT change_between(signed_change.before, signed_change.current)
			* CASE WHEN signed_change.increases THEN 1::float8 ELSE -1::float8 END;
	END;

COMMENT ON FUNCTION signed_change(flamegraph[], flamegraph[], bool)
	IS 'change_between() two groups of runs, negated for what became less';

CREATE OR REPLACE FUNCTION suspect_profiles(regression_id bigint, OUT benchmark_id bigint, OUT method text, OUT level text,
		OUT subject stackpath, OUT kind text,
		OUT before_run bigint, OUT first_run bigint, OUT before flamegraph, OUT delta flamegraph)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	r profiling.regression;
	v_unit text;
	v_ids bigint[];
	v_before profiling.means;
BEGIN
	SELECT f.* INTO r FROM profiling.regression AS f WHERE f.regression_id = suspect_profiles.regression_id;
	IF NOT FOUND THEN
		RETURN;
	END IF;
	benchmark_id := r.benchmark_id;
	method := r.method;
	level := r.level;
	subject := r.subject;
	kind := r.kind;
	first_run := r.first_test_run_id;
	-- a finding of the metric has the metric's unit
	SELECT o.unit INTO v_unit FROM profiling.rollup AS o
	WHERE o.benchmark_id = r.benchmark_id AND o.event = r.event AND o.test_run_id = r.first_test_run_id
		AND o.span = 'run'
	ORDER BY (o.unit = r.unit) DESC, o.unit COLLATE "C" LIMIT 1;
	v_ids := profiling.runs_before(r.benchmark_id, r.event, v_unit, r.branch, r.first_test_run_id, 'window:10'::text);
	IF cardinality(v_ids) = 0 THEN
		-- the first run of a branch: those of other branches before it
		v_ids := ARRAY(SELECT o.test_run_id
			FROM profiling.rollup AS o JOIN profiling.test_run AS t ON t.test_run_id = r.first_test_run_id
			WHERE o.benchmark_id = r.benchmark_id AND o.event = r.event AND o.unit = v_unit
				AND o.span = 'run' AND o.started_at < t.started_at
			ORDER BY o.started_at DESC, o.test_run_id DESC LIMIT 1);
	END IF;
	before_run := v_ids[cardinality(v_ids)];
	IF r.level = 'location' THEN
		RETURN;
	END IF;
	v_before := profiling.run_means(r.benchmark_id, r.event, v_unit, v_ids);
	before := profiling.mean_of(v_before.fgs);
	IF cardinality(v_ids) > 0 THEN
		-- A throughput that falls is time that grows.
		delta := profiling.signed_change(v_before.fgs, (profiling.run_means(r.benchmark_id, r.event, v_unit,
				ARRAY[r.first_test_run_id])).fgs,
			CASE WHEN r.level = 'metric' THEN r.kind <> 'optimization' ELSE coalesce(r.diff, 1) > 0 END);
	END IF;
END
$$;

COMMENT ON FUNCTION suspect_profiles(bigint)
	IS 'a finding, the last run before it and its first one, and by how much the profiles differ: the mean of the '
		'first run less that of the 10 runs before, negated for what became less; null where they are not '
		'there any more';

CREATE OR REPLACE FUNCTION reason_of(what text, function text, file text, share float8) RETURNS jsonb
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object('what', reason_of.what,
			'function', printable(reason_of.function), 'file', printable(reason_of.file),
			'share', round(reason_of.share::numeric, 3)));
	END;

COMMENT ON FUNCTION reason_of(text, text, text, float8) IS 'a reason of suspects(), without what is null';

CREATE OR REPLACE FUNCTION ranked_commits(commits text[], way text, level text, subject stackpath, before flamegraph,
		delta flamegraph)
	RETURNS TABLE (place bigint, commit text, score float8, reasons jsonb)
	LANGUAGE sql STABLE COST 1000000 ROWS 20
	BEGIN ATOMIC
		WITH f AS MATERIALIZED (
			SELECT coalesce(pg_catalog.array_agg(a.frame), '{}'::text[]) AS frames,
				pg_catalog.array_agg(a.share) AS shares, pg_catalog.array_agg(a.weight) AS weights
			FROM (SELECT c.* FROM changed_frames(ranked_commits.level, ranked_commits.subject, ranked_commits.before,
					ranked_commits.delta) AS c
				WHERE c.weight >= 0.001::float8 ORDER BY c.weight DESC, c.frame COLLATE "C" LIMIT 1000) AS a
		), e AS MATERIALIZED (
			SELECT x.*, row_number() OVER (PARTITION BY x.commit
				ORDER BY x.weight DESC, x.what COLLATE "C", x.frame COLLATE "C", x.file COLLATE "C") AS place
			FROM (SELECT v.*, row_number() OVER (PARTITION BY v.commit, v.frame, v.what = 'message'
					ORDER BY v.weight DESC, v.what COLLATE "C" DESC, v.file COLLATE "C") AS twice
				FROM f CROSS JOIN LATERAL commit_evidence(ranked_commits.commits, f.frames, f.shares, f.weights) AS v)
				AS x
			WHERE x.twice = 1
		), s AS (
			SELECT k.commit, k.n, CASE WHEN t.code THEN 0.01::float8 ELSE 0::float8 END
					+ CASE WHEN t.code THEN 0.99::float8 ELSE 0.2::float8 END * coalesce(a.score, 0::float8) AS score,
				CASE WHEN ranked_commits.way = 'times' THEN pg_catalog.jsonb_build_array(
					reason_of('range by times'::text, NULL::text, NULL::text, NULL::float8)) ELSE '[]'::jsonb END
				|| coalesce(a.reasons, pg_catalog.jsonb_build_array(reason_of(CASE WHEN t.code
					THEN 'nothing on the changed stacks'::text ELSE 'documentation and tests only'::text END,
					NULL::text, NULL::text, NULL::float8))) AS reasons
			FROM pg_catalog.unnest(ranked_commits.commits) WITH ORDINALITY AS k (commit, n)
				CROSS JOIN LATERAL (SELECT coalesce(bool_or(NOT is_no_code(c.file)), false) AS code
					FROM commit_change AS c WHERE c.commit = k.commit) AS t
				-- the best reason, and a quarter of what the others add
				LEFT JOIN LATERAL (SELECT max(e.weight) + 0.25::float8 * (1::float8 - max(e.weight)) * (1::float8
						-- exp() of less is an error
						- exp(greatest(coalesce(sum(ln(1::float8 - least(e.weight, 0.999::float8)))
							FILTER (WHERE e.place > 1), 0::float8), -700::float8))) AS score,
					pg_catalog.jsonb_agg(reason_of(e.what, e.function, e.file, e.share) ORDER BY e.place)
						FILTER (WHERE e.place <= 5) AS reasons
					FROM e WHERE e.commit = k.commit HAVING count(*) > 0) AS a ON true
		)
		SELECT row_number() OVER (ORDER BY s.score DESC, s.n), s.commit, s.score, s.reasons FROM s;
	END;

COMMENT ON FUNCTION ranked_commits(text[], text, text, stackpath, flamegraph, flamegraph)
	IS 'commits by what speaks for each having changed a subject, with their reasons; delta: the difference of the '
		'profiles, negated for what became less';

CREATE OR REPLACE FUNCTION labels_between(service_id bigint, event text, unit text, since timestamptz, until timestamptz)
	RETURNS text[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(DISTINCT t.labels::text), '{}'::text[])
		FROM stream AS t
		WHERE t.service_id = labels_between.service_id AND t.event = labels_between.event
			AND t.unit = labels_between.unit
			AND (EXISTS (SELECT 1 FROM block AS b
					WHERE b.service_id = t.service_id AND b.stream_id = t.stream_id
						AND b.since > labels_between.since - '32 days'::interval
						AND b.since < labels_between.until AND b.until > labels_between.since
						-- A block of raw profiles may be of hours before and after, but of none between.
						AND (b.resolution <> 'raw' OR profile_count(slice(b.series, labels_between.since,
							labels_between.until, NULL::text[])) > 0))
				OR EXISTS (SELECT 1 FROM incoming AS i
					WHERE i.service_id = t.service_id AND i.stream_id = t.stream_id
						AND i.recorded_at >= labels_between.since AND i.recorded_at < labels_between.until));
	END;

COMMENT ON FUNCTION labels_between(bigint, text, text, timestamptz, timestamptz)
	IS 'the sets of labels, as text, that the profiles of a service have in some time; of older ones in the days or '
		'months that touch it';

CREATE OR REPLACE FUNCTION pattern_for(name text) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT regexp_replace(pattern_for.name, '([\\%_])'::text, '\\\1'::text, 'g'::text);
	END;

COMMENT ON FUNCTION pattern_for(text) IS 'the pattern of LIKE that one name matches';

CREATE OR REPLACE FUNCTION tell_service(regression_id bigint) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	f record;
	v_hour timestamptz;
	v_now text[];
	v_before text[];
	v_came text;
	v_gone text;
BEGIN
	SELECT b.name, s.service_id, t.started_at, r.event, substr(r.unit, length('% of ') + 1) AS unit, t.version,
		r.baseline INTO f
	FROM profiling.regression AS r JOIN profiling.benchmark AS b ON b.benchmark_id = r.benchmark_id
		JOIN profiling.test_run AS t ON t.test_run_id = r.first_test_run_id
		LEFT JOIN profiling.service AS s ON s.name = t.labels ->> 'service'
	WHERE r.regression_id = tell_service.regression_id;
	v_hour := f.started_at;
	v_now := profiling.labels_between(f.service_id, f.event, f.unit, v_hour, v_hour + interval '1 hour');
	v_before := profiling.labels_between(f.service_id, f.event, f.unit, v_hour - interval '24 hours', v_hour);
	v_came := (SELECT string_agg(o.l, ', ') FROM (SELECT unnest(v_now) EXCEPT SELECT unnest(v_before)
		ORDER BY 1 LIMIT 5) AS o (l));
	v_gone := (SELECT string_agg(o.l, ', ') FROM (SELECT unnest(v_before) EXCEPT SELECT unnest(v_now)
		ORDER BY 1 LIMIT 5) AS o (l));
	RAISE NOTICE 'finding % is of a service, and of an hour in which many versions may run: no commits are ranked',
		tell_service.regression_id USING
		DETAIL = CASE WHEN v_now = '{}' OR v_before = '{}' THEN 'Its profiles of then are not there any more.'
			WHEN v_came IS NULL AND v_gone IS NULL THEN format('The labels of its profiles in the hour from %s are '
				'those of the day before: what changed is not in them.', v_hour)
			ELSE format('In the hour from %s %s.', v_hour, concat_ws(' and ',
				'there are labels that the day before had not: ' || profiling.printable(v_came),
				'those are gone that the day before had: ' || profiling.printable(v_gone))) END,
		HINT = format('What else differs: SELECT * FROM profiling.window_compare(%L, %L).',
			profiling.window_before(profiling.pattern_for(f.name), f.event, v_hour, f.baseline),
			profiling.window_since(profiling.pattern_for(f.name), f.event, v_hour, f.baseline, f.version));
END
$$;

COMMENT ON FUNCTION tell_service(bigint)
	IS 'says by a NOTICE what changed in a service between the first hour of a finding and the day before: the labels '
		'that came and went, such as version and commit, and how to compare the two';

CREATE OR REPLACE FUNCTION window_before(service text, event text, hour timestamptz, baseline text) RETURNS jsonb
	LANGUAGE sql STABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN starts_with(window_before.baseline, 'version:'::text)
			THEN pg_catalog.jsonb_build_object('service', window_before.service, 'event', window_before.event,
				'since', window_before.hour - '30 minutes'::interval, 'until', window_before.hour + '1 hour'::interval,
				'version', substr(window_before.baseline, 9))
			ELSE pg_catalog.jsonb_build_object('service', window_before.service, 'event', window_before.event,
				'since', window_before.hour - '24 hours'::interval,
				'until', window_before.hour - '23 hours'::interval) END;
	END;

COMMENT ON FUNCTION window_before(text, text, timestamptz, text)
	IS 'the window before that a finding of a service is to be compared with by hand: the version before it, or the '
		'same hour of the day before';

CREATE OR REPLACE FUNCTION window_since(service text, event text, hour timestamptz, baseline text, version text) RETURNS jsonb
	LANGUAGE sql STABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN starts_with(window_since.baseline, 'version:'::text)
			THEN pg_catalog.jsonb_build_object('service', window_since.service, 'event', window_since.event,
				'since', window_since.hour - '30 minutes'::interval, 'until', window_since.hour + '1 hour'::interval,
				'version', window_since.version)
			ELSE pg_catalog.jsonb_build_object('service', window_since.service, 'event', window_since.event,
				'since', window_since.hour, 'until', window_since.hour + '1 hour'::interval) END;
	END;

COMMENT ON FUNCTION window_since(text, text, timestamptz, text, text)
	IS 'the window of a finding of a service: the new version around the hour, or the hour';

CREATE OR REPLACE FUNCTION suspects(regression_id bigint, max_rows int DEFAULT 10)
	RETURNS TABLE (rank int, commit text, score float8, reasons jsonb)
	LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	p record;
	c record;
BEGIN
	PERFORM profiling.need_access('suspects', 'reader');
	IF max_rows < 1 THEN
		RAISE EXCEPTION 'max_rows must be at least 1' USING ERRCODE = 'invalid_parameter_value',
			HINT = 'NULL returns every commit.';
	END IF;
	SELECT s.* INTO p FROM profiling.suspect_profiles(suspects.regression_id) AS s;
	IF p.benchmark_id IS NULL THEN
		RAISE EXCEPTION 'there is no finding %', coalesce(suspects.regression_id::text, 'NULL') USING
			ERRCODE = 'no_data_found', HINT = 'Findings have their numbers in profiling.regression.regression_id.';
	END IF;
	IF p.kind = 'environment' THEN
		RAISE NOTICE 'finding % is about the machine, so no commit is suspect', regression_id;
		RETURN;
	END IF;
	IF p.method = 'service' THEN
		PERFORM profiling.tell_service(regression_id);
		RETURN;
	END IF;
	IF p.before_run IS NULL THEN
		RAISE NOTICE 'no run is known before the first one of finding %', regression_id USING
			HINT = 'Its runs were merged to months, or removed.';
		RETURN;
	END IF;
	IF NOT EXISTS (SELECT 1 FROM profiling.commit_change) THEN
		RAISE NOTICE 'the store knows no commits' USING
			HINT = 'flamegraph-commits -f -d DATABASE REPOSITORY reads them from a clone of the repository.';
		RETURN;
	END IF;
	SELECT b.* INTO c FROM profiling.commits_between(p.before_run, p.first_run) AS b;
	PERFORM profiling.tell_range(p.before_run, p.first_run, c.way, cardinality(c.commits));
	RETURN QUERY
	SELECT r.place::int, r.commit, r.score, r.reasons
	FROM profiling.ranked_commits(c.commits, c.way, p.level, p.subject, p.before, p.delta) AS r
	ORDER BY r.place LIMIT max_rows;
END
$$;

COMMENT ON FUNCTION suspects(bigint, int)
	IS 'the commits between the last run without a finding and the first one with it, the most suspect first: rank, '
		'score from 0 (nothing speaks for it) to 1, and the reasons: functions and files on the stacks that changed '
		'which the commit touched, with the share of the change that flows through them, and those that its message '
		'names; what the commits changed comes from flamegraph-commits';

CREATE OR REPLACE FUNCTION replay_runs(benchmark_id bigint, event text, unit text, branch text,
		test_run_ids bigint[]) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	p profiling.profile;
	v record;
BEGIN
	FOR p IN SELECT o.* FROM profiling.profile AS o
		WHERE o.benchmark_id = replay_runs.benchmark_id AND o.event = replay_runs.event
			AND o.unit = replay_runs.unit AND o.test_run_id = ANY (replay_runs.test_run_ids)
		ORDER BY o.profile_id
	LOOP
		SELECT d.flamegraph, d.truncated, d.samples, d.noise, t.started_at INTO v
		FROM profiling.profile_data AS d, profiling.test_run AS t
		WHERE d.benchmark_id = p.benchmark_id AND d.profile_id = p.profile_id AND d.recorded_at = p.recorded_at
			AND t.test_run_id = p.test_run_id;
		CONTINUE WHEN NOT FOUND;
		PERFORM profiling.fold_in_time(p, replay_runs.branch);
		PERFORM profiling.add_to_rollup(p, replay_runs.branch, v.started_at, v.flamegraph,
			(SELECT m.truncated_total FROM profiling.measures_of(v.flamegraph, v.truncated) AS m), v.samples, v.noise);
	END LOOP;
END
$$;

CREATE OR REPLACE FUNCTION leave_rollups(benchmark_id bigint, run_ids bigint[], whole_months bool,
		OUT deleted bigint, OUT rebuilt bigint)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	g record;
	t record;
	v_months bigint[];
	v_rest bigint[];
BEGIN
	rebuilt := 0;
	FOR g IN
		SELECT DISTINCT r.event, r.unit, r.branch FROM profiling.rollup AS r
		WHERE r.benchmark_id = leave_rollups.benchmark_id AND r.run_ids && leave_rollups.run_ids
			AND NOT r.run_ids <@ leave_rollups.run_ids
		ORDER BY 1, 2, 3
	LOOP
		v_months := ARRAY(SELECT DISTINCT u.id FROM profiling.rollup AS r, unnest(r.run_ids) AS u (id)
			WHERE r.benchmark_id = leave_rollups.benchmark_id AND r.event = g.event AND r.unit = g.unit
				AND r.branch = g.branch AND r.run_ids && leave_rollups.run_ids AND r.span = 'month');
		t := profiling.touched_rollups(ARRAY[leave_rollups.benchmark_id], g.event, g.unit, g.branch, v_months);
		IF t.present <> t.repetitions AND NOT coalesce(leave_rollups.whole_months, false) THEN
			PERFORM profiling.refuse_months(format('run %s',
				(SELECT min(u.id) FROM unnest(leave_rollups.run_ids) AS u (id) WHERE u.id = ANY (t.months))),
				leave_rollups.benchmark_id, g.event, g.branch, 'With the argument whole_months => true the sums of '
				'these months go, but for runs whose profiles are here.'::text);
		END IF;
		v_rest := ARRAY(SELECT u.id FROM unnest(t.runs) AS u (id) WHERE u.id <> ALL (leave_rollups.run_ids));
		DELETE FROM profiling.rollup AS r WHERE r.benchmark_id = leave_rollups.benchmark_id AND r.event = g.event
			AND r.unit = g.unit AND r.branch = g.branch AND r.test_run_id = ANY (t.keys);
		PERFORM profiling.replay_runs(leave_rollups.benchmark_id, g.event, g.unit, g.branch, v_rest);
		PERFORM profiling.merge_replayed(leave_rollups.benchmark_id, g.event, g.unit, g.branch, v_rest);
		rebuilt := rebuilt + cardinality(t.keys);
	END LOOP;
	DELETE FROM profiling.rollup AS r
	WHERE r.benchmark_id = leave_rollups.benchmark_id AND r.run_ids <@ leave_rollups.run_ids;
	GET DIAGNOSTICS deleted = ROW_COUNT;
END
$$;

CREATE OR REPLACE FUNCTION leave_findings(benchmark_id bigint, run_ids bigint[]) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_deleted bigint;
BEGIN
	-- Of the runs from the first to the last one that it was seen in.
	UPDATE profiling.regression AS f SET first_test_run_id = s.first_id, last_test_run_id = s.last_id
	FROM (SELECT o.regression_id, (array_agg(c.test_run_id ORDER BY c.started_at, c.test_run_id))[1] AS first_id,
			(array_agg(c.test_run_id ORDER BY c.started_at DESC, c.test_run_id DESC))[1] AS last_id
		FROM profiling.regression AS o JOIN profiling.test_run AS a ON a.test_run_id = o.first_test_run_id
			JOIN profiling.test_run AS z ON z.test_run_id = o.last_test_run_id
			CROSS JOIN LATERAL profiling.runs_of_finding(o.benchmark_id, o.event, o.branch, o.level,
				leave_findings.run_ids) AS c
		WHERE o.benchmark_id = leave_findings.benchmark_id
			AND (o.first_test_run_id = ANY (leave_findings.run_ids)
				OR o.last_test_run_id = ANY (leave_findings.run_ids))
			AND (c.started_at, c.test_run_id) >= (a.started_at, a.test_run_id)
			AND (c.started_at, c.test_run_id) <= (z.started_at, z.test_run_id)
		GROUP BY o.regression_id) AS s
	WHERE f.benchmark_id = leave_findings.benchmark_id AND f.regression_id = s.regression_id;
	-- Nobody but the runs that go has seen these.
	DELETE FROM profiling.regression AS f WHERE f.benchmark_id = leave_findings.benchmark_id
		AND (f.first_test_run_id = ANY (leave_findings.run_ids) OR f.last_test_run_id = ANY (leave_findings.run_ids));
	GET DIAGNOSTICS v_deleted = ROW_COUNT;
	-- What one of them has closed, being the newest then, is open again. The next night looks at it.
	UPDATE profiling.regression AS f SET closed_at = NULL,
		status = CASE f.status WHEN 'went_away' THEN 'pending' ELSE 'open' END
	WHERE f.benchmark_id = leave_findings.benchmark_id AND f.status IN ('resolved', 'went_away')
		AND f.level <> 'location'
		AND EXISTS (SELECT 1 FROM profiling.rollup AS r
			WHERE r.benchmark_id = f.benchmark_id AND r.event = f.event AND r.branch = f.branch AND r.span = 'run'
				AND (r.unit = f.unit OR f.level = 'metric') AND r.checked_at = f.closed_at
				AND r.test_run_id = ANY (leave_findings.run_ids)
				AND NOT EXISTS (SELECT 1 FROM profiling.rollup AS n
					WHERE n.benchmark_id = r.benchmark_id AND n.event = r.event AND n.unit = r.unit
						AND n.branch = r.branch AND n.checked_at = r.checked_at
						AND n.test_run_id <> ALL (leave_findings.run_ids)
						AND (n.started_at, n.test_run_id) > (r.started_at, r.test_run_id)))
		AND NOT EXISTS (SELECT 1 FROM profiling.regression AS o
			WHERE o.benchmark_id = f.benchmark_id AND o.event = f.event AND o.unit = f.unit AND o.branch = f.branch
				AND o.method = f.method AND o.level = f.level AND o.subject_id = f.subject_id
				AND o.regression_id <> f.regression_id
				AND (o.status IN ('open', 'acknowledged', 'pending') OR o.closed_at = f.closed_at
					AND o.regression_id > f.regression_id));
	RETURN v_deleted;
END
$$;

CREATE OR REPLACE FUNCTION look_again(benchmark_id bigint, run_ids bigint[]) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	-- A group that was compared together begins with another run.
	UPDATE profiling.rollup AS r SET compared_since = (SELECT o.test_run_id FROM profiling.rollup AS o
			WHERE o.benchmark_id = r.benchmark_id AND o.event = r.event AND o.unit = r.unit AND o.branch = r.branch
				AND o.compared_since = r.compared_since AND o.test_run_id <> ALL (look_again.run_ids)
			ORDER BY o.started_at, o.test_run_id LIMIT 1)
	WHERE r.benchmark_id = look_again.benchmark_id AND r.compared_since = ANY (look_again.run_ids);
	-- The newest run that is left is compared again, with what is left.
	UPDATE profiling.rollup AS r SET checked_at = NULL
	FROM (SELECT DISTINCT ON (o.event, o.unit, o.branch) o.event, o.unit, o.branch, o.test_run_id
		FROM profiling.rollup AS o
		WHERE o.benchmark_id = look_again.benchmark_id AND o.span = 'run'
			AND o.test_run_id <> ALL (look_again.run_ids) AND profiling.has_begun(o.started_at)
			AND EXISTS (SELECT 1 FROM profiling.rollup AS g
				WHERE g.benchmark_id = o.benchmark_id AND g.event = o.event AND g.unit = o.unit
					AND g.branch = o.branch AND g.span = 'run' AND g.test_run_id = ANY (look_again.run_ids)
					-- looked at before, though it may be to be looked at again
					AND (g.checked_at IS NOT NULL OR g.compared_with IS NOT NULL OR g.not_compared IS NOT NULL))
		ORDER BY o.event, o.unit, o.branch, o.started_at DESC, o.test_run_id DESC) AS n
	WHERE r.benchmark_id = look_again.benchmark_id AND r.event = n.event AND r.unit = n.unit
		AND r.branch = n.branch AND r.test_run_id = n.test_run_id;
	-- Its models are fitted again, for the same reason, if they can be.
	DELETE FROM profiling.fitted_model AS m USING (
		SELECT DISTINCT ON (t.branch) t.test_run_id
		FROM profiling.test_run AS t
		WHERE t.test_run_id <> ALL (look_again.run_ids) AND profiling.has_begun(t.started_at)
			AND t.test_run_id IN (SELECT o.test_run_id FROM profiling.fitted_model AS o
				WHERE o.benchmark_id = look_again.benchmark_id)
			AND t.branch IN (SELECT g.branch FROM profiling.fitted_model AS o
				JOIN profiling.test_run AS g ON g.test_run_id = o.test_run_id
				WHERE o.benchmark_id = look_again.benchmark_id AND g.test_run_id = ANY (look_again.run_ids))
		ORDER BY t.branch, t.started_at DESC, t.test_run_id DESC) AS n
	WHERE m.benchmark_id = look_again.benchmark_id AND m.test_run_id = n.test_run_id
		AND NOT EXISTS (SELECT 1 FROM profiling.fitted_model AS k
			WHERE k.benchmark_id = m.benchmark_id AND k.test_run_id = m.test_run_id
				AND (SELECT count(DISTINCT o.x) FROM profiling.observation AS o
					WHERE o.benchmark_id = k.benchmark_id AND o.test_run_id = k.test_run_id
						AND o.location = k.location AND o.unit = k.unit) < 3);
END
$$;

CREATE OR REPLACE FUNCTION leave_test_runs(run_ids bigint[]) RETURNS int
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_used CONSTANT bigint[] := ARRAY(SELECT DISTINCT u.id FROM profiling.rollup AS r, unnest(r.run_ids) AS u (id)
		WHERE r.run_ids && leave_test_runs.run_ids);
	v_named CONSTANT bigint[] := ARRAY(
		SELECT p.test_run_id FROM profiling.profile AS p WHERE p.test_run_id = ANY (leave_test_runs.run_ids)
		UNION SELECT o.test_run_id FROM profiling.observation AS o WHERE o.test_run_id = ANY (leave_test_runs.run_ids)
		UNION SELECT m.test_run_id FROM profiling.fitted_model AS m WHERE m.test_run_id = ANY (leave_test_runs.run_ids)
		UNION SELECT f.first_test_run_id FROM profiling.regression AS f
			WHERE f.first_test_run_id = ANY (leave_test_runs.run_ids)
		UNION SELECT f.last_test_run_id FROM profiling.regression AS f
			WHERE f.last_test_run_id = ANY (leave_test_runs.run_ids));
	v_deleted int;
BEGIN
	DELETE FROM profiling.test_run AS t WHERE t.test_run_id = ANY (leave_test_runs.run_ids)
		AND t.test_run_id <> ALL (v_used) AND t.test_run_id <> ALL (v_named);
	GET DIAGNOSTICS v_deleted = ROW_COUNT;
	RETURN v_deleted;
END
$$;

CREATE OR REPLACE FUNCTION delete_run(test_run_id bigint, benchmark_id bigint DEFAULT NULL,
		whole_months bool DEFAULT false) RETURNS correction
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_run CONSTANT bigint := delete_run.test_run_id;
	v_done profiling.correction := profiling.nothing_corrected();
	v_ids bigint[];
	v_id bigint;
BEGIN
	PERFORM profiling.begin_correction('delete_run'::text);
	IF NOT EXISTS (SELECT 1 FROM profiling.test_run AS t WHERE t.test_run_id = v_run) THEN
		RAISE EXCEPTION 'there is no run %', coalesce(v_run::text, 'NULL') USING
			ERRCODE = 'no_data_found', HINT = 'The numbers of runs are in profiling.test_run.';
	END IF;
	v_ids := ARRAY(SELECT u.id FROM unnest(profiling.benchmarks_of_run(v_run)) AS u (id)
		WHERE delete_run.benchmark_id IS NULL OR u.id = delete_run.benchmark_id ORDER BY 1);
	IF delete_run.benchmark_id IS NOT NULL AND cardinality(v_ids) = 0 THEN
		RAISE EXCEPTION 'run % has nothing of benchmark %', v_run, delete_run.benchmark_id USING
			ERRCODE = 'no_data_found', HINT = 'The numbers of benchmarks are in profiling.benchmark.';
	END IF;
	FOREACH v_id IN ARRAY v_ids LOOP
		v_done := profiling.take_runs(v_done, v_id, ARRAY[v_run], delete_run.whole_months);
	END LOOP;
	v_done.runs := profiling.leave_test_runs(ARRAY[v_run]);
	PERFORM profiling.log_correction(format('delete_run(%s)', v_run), v_done, delete_run.benchmark_id);
	RETURN v_done;
END
$$;

CREATE OR REPLACE FUNCTION delete_benchmark(benchmark_id bigint) RETURNS correction
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_id CONSTANT bigint := delete_benchmark.benchmark_id;
	v_done profiling.correction := profiling.nothing_corrected();
	v_runs bigint[];
	b record;
BEGIN
	PERFORM profiling.begin_correction('delete_benchmark'::text);
	DELETE FROM profiling.benchmark AS o WHERE o.benchmark_id = v_id RETURNING o.* INTO b;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'there is no benchmark %', coalesce(v_id::text, 'NULL') USING
			ERRCODE = 'no_data_found', HINT = 'The numbers of benchmarks are in profiling.benchmark.';
	END IF;
	v_done.benchmarks := 1;
	v_runs := profiling.runs_of_benchmark(v_id);
	DELETE FROM profiling.profile_data AS d WHERE d.benchmark_id = v_id;
	DELETE FROM profiling.profile AS p WHERE p.benchmark_id = v_id;
	GET DIAGNOSTICS v_done.profiles = ROW_COUNT;
	DELETE FROM profiling.rollup AS r WHERE r.benchmark_id = v_id;
	GET DIAGNOSTICS v_done.rollups = ROW_COUNT;
	DELETE FROM profiling.observation AS o WHERE o.benchmark_id = v_id;
	GET DIAGNOSTICS v_done.observations = ROW_COUNT;
	DELETE FROM profiling.fitted_model AS m WHERE m.benchmark_id = v_id;
	GET DIAGNOSTICS v_done.models = ROW_COUNT;
	DELETE FROM profiling.regression AS f WHERE f.benchmark_id = v_id;
	GET DIAGNOSTICS v_done.findings = ROW_COUNT;
	DELETE FROM profiling.candidate AS c WHERE c.benchmark_id = v_id;
	DELETE FROM profiling.job_log AS l WHERE l.benchmark_id = v_id;
	-- Aliases that lead nowhere would make it anew.
	LOOP
		DELETE FROM profiling.benchmark_alias AS a
		WHERE NOT EXISTS (SELECT 1 FROM profiling.benchmark AS o WHERE o.suite = a.new_suite AND o.name = a.new_name
				AND (a.new_parameters IS NULL OR o.parameters = a.new_parameters))
			AND NOT EXISTS (SELECT 1 FROM profiling.benchmark_alias AS n
				WHERE n.suite = a.new_suite AND n.name = a.new_name);
		EXIT WHEN NOT FOUND;
	END LOOP;
	v_done.runs := profiling.leave_test_runs(v_runs);
	PERFORM profiling.log_correction(format('delete_benchmark(%s) %s', v_id,
		profiling.benchmark_in_words(b.suite, b.name, b.parameters)), v_done, NULL::bigint);
	RETURN v_done;
END
$$;

CREATE OR REPLACE FUNCTION name_is_free(suite text, name text, old_suite text, old_name text) RETURNS bool
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_pairs text;
BEGIN
	SELECT string_agg(format('SELECT profiling.merge_benchmarks(%s, %s);', f.benchmark_id, i.benchmark_id), ' '
		ORDER BY f.benchmark_id) INTO v_pairs
	FROM profiling.benchmark AS f JOIN profiling.benchmark AS i ON i.parameters_id = f.parameters_id
	WHERE f.suite = old_suite AND f.name = old_name AND i.suite = name_is_free.suite AND i.name = name_is_free.name;
	IF v_pairs IS NOT NULL THEN
		RAISE EXCEPTION 'there is a benchmark % already', profiling.benchmark_in_words(name_is_free.suite,
				name_is_free.name, '{}'::jsonb) USING
			ERRCODE = 'unique_violation',
			HINT = format('To make one of two: %s', v_pairs);
	END IF;
	IF EXISTS (SELECT 1 FROM profiling.benchmark_alias AS a WHERE a.suite = name_is_free.suite
			AND a.name = name_is_free.name AND (a.new_suite, a.new_name) <> (old_suite, old_name)) THEN
		RAISE EXCEPTION 'what is loaded for benchmark % goes to another one', profiling.benchmark_in_words(
				name_is_free.suite, name_is_free.name, '{}'::jsonb) USING
			ERRCODE = 'unique_violation',
			HINT = format('To let the name free: DELETE FROM profiling.benchmark_alias WHERE suite = %L AND name = %L.',
				name_is_free.suite, name_is_free.name);
	END IF;
	RETURN true;
END
$$;

CREATE OR REPLACE FUNCTION rename_benchmark(old_name text, new_name text, suite text DEFAULT '',
		new_suite text DEFAULT NULL) RETURNS correction
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_suite CONSTANT text := coalesce(rename_benchmark.suite, '');
	v_new_suite CONSTANT text := coalesce(rename_benchmark.new_suite, rename_benchmark.suite, '');
	v_done profiling.correction := profiling.nothing_corrected();
BEGIN
	PERFORM profiling.begin_correction('rename_benchmark'::text);
	IF rename_benchmark.new_name IS NULL OR (v_suite, old_name) = (v_new_suite, rename_benchmark.new_name) THEN
		RAISE EXCEPTION 'the new name must be another one, and cannot be null'
			USING ERRCODE = 'invalid_parameter_value';
	END IF;
	IF NOT EXISTS (SELECT 1 FROM profiling.benchmark AS b WHERE b.suite = v_suite AND b.name = old_name) THEN
		PERFORM profiling.refuse_name(v_suite, old_name);
	END IF;
	PERFORM profiling.name_is_free(v_new_suite, rename_benchmark.new_name, v_suite, old_name);
	UPDATE profiling.benchmark AS b SET suite = v_new_suite, name = rename_benchmark.new_name
	WHERE b.suite = v_suite AND b.name = old_name;
	GET DIAGNOSTICS v_done.benchmarks = ROW_COUNT;
	-- The new name has been an old one of the same benchmark, and is its own again; what was merged stays so.
	DELETE FROM profiling.benchmark_alias AS a WHERE a.suite = v_new_suite AND a.name = rename_benchmark.new_name
		AND (a.parameters IS NULL OR a.parameters = a.new_parameters
			OR EXISTS (SELECT 1 FROM profiling.benchmark AS b
				WHERE b.suite = a.suite AND b.name = a.name AND b.parameters_id = a.parameters_id));
	UPDATE profiling.benchmark_alias AS a SET new_suite = v_new_suite, new_name = rename_benchmark.new_name
	WHERE a.new_suite = v_suite AND a.new_name = old_name;
	INSERT INTO profiling.benchmark_alias AS a (suite, name, parameters_id, new_suite, new_name)
	VALUES (v_suite, old_name, profiling.object_id('null'::jsonb), v_new_suite, rename_benchmark.new_name)
	ON CONFLICT (suite, name, parameters_id) DO UPDATE SET new_suite = EXCLUDED.new_suite,
		new_name = EXCLUDED.new_name;
	PERFORM profiling.tell_lost_patterns(v_suite, old_name, v_new_suite, rename_benchmark.new_name);
	PERFORM profiling.log_correction(format('rename_benchmark() %s to %s',
		profiling.benchmark_in_words(v_suite, old_name, '{}'::jsonb),
		profiling.benchmark_in_words(v_new_suite, rename_benchmark.new_name, '{}'::jsonb)), v_done, NULL::bigint);
	RETURN v_done;
END
$$;

CREATE OR REPLACE FUNCTION move_rollups(from_id bigint, into_id bigint, OUT profiles bigint, OUT rollups bigint,
		OUT rebuilt bigint)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_equal CONSTANT bigint[] := ARRAY(SELECT e.profile_id FROM profiling.equal_profiles(from_id, into_id) AS e);
	v_both CONSTANT bigint[] := ARRAY[into_id, from_id];
	v_groups jsonb := '[]';
	g record;
	t record;
BEGIN
	rebuilt := 0;
	FOR g IN
		SELECT o.event, o.unit, o.branch, profiling.shared_runs(from_id, into_id, o.event, o.unit, o.branch) AS shared
		FROM (SELECT DISTINCT r.event, r.unit, r.branch FROM profiling.rollup AS r WHERE r.benchmark_id = from_id) AS o
		ORDER BY 1, 2, 3
	LOOP
		CONTINUE WHEN cardinality(g.shared) = 0;
		t := profiling.touched_rollups(v_both, g.event, g.unit, g.branch, g.shared);
		rebuilt := rebuilt + cardinality(t.keys);
		v_groups := v_groups || jsonb_build_object('event', g.event, 'unit', g.unit, 'branch', g.branch,
			'runs', CASE WHEN t.present = t.repetitions THEN t.runs ELSE '{}' END, 'months', t.months,
			'checked', profiling.checked_runs(v_both, g.event, g.unit, g.branch, t.keys));
		IF t.present = t.repetitions THEN
			-- All profiles are here: one after the other, when they have moved.
			DELETE FROM profiling.rollup AS r WHERE r.benchmark_id = ANY (v_both) AND r.event = g.event
				AND r.unit = g.unit AND r.branch = g.branch AND r.test_run_id = ANY (t.keys);
			CONTINUE;
		END IF;
		IF EXISTS (SELECT 1 FROM profiling.equal_profiles(from_id, into_id) AS e
				WHERE e.event = g.event AND e.unit = g.unit AND e.test_run_id = ANY (t.runs)) THEN
			PERFORM profiling.refuse_months('a profile that both benchmarks have'::text, into_id, g.event, g.branch,
				'delete_run(…, benchmark_id) takes the run away from one of them.'::text);
		END IF;
		PERFORM profiling.join_rollups(from_id, into_id, g.event, g.unit, g.branch, t.keys, t.months);
	END LOOP;
	UPDATE profiling.rollup AS r SET benchmark_id = into_id WHERE r.benchmark_id = from_id;
	GET DIAGNOSTICS rollups = ROW_COUNT;
	profiles := profiling.move_profiles(from_id, into_id, v_equal);
	FOR g IN SELECT * FROM jsonb_to_recordset(v_groups) AS o (event text, unit text, branch text, runs bigint[],
		months bigint[], checked bigint[])
	LOOP
		PERFORM profiling.replay_runs(into_id, g.event, g.unit, g.branch, g.runs);
		PERFORM profiling.merge_replayed(into_id, g.event, g.unit, g.branch,
			ARRAY(SELECT u.id FROM unnest(g.months) AS u (id) WHERE u.id = ANY (g.runs)));
		UPDATE profiling.rollup AS r SET checked_at = now()
		WHERE r.benchmark_id = into_id AND r.event = g.event AND r.unit = g.unit AND r.branch = g.branch
			AND r.test_run_id = ANY (g.checked) AND r.checked_at IS NULL;
	END LOOP;
END
$$;

CREATE OR REPLACE FUNCTION move_models(from_id bigint, into_id bigint, OUT observations bigint, OUT models bigint)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	-- Runs that both have points of: the models are of all of these.
	v_runs CONSTANT bigint[] := ARRAY(SELECT DISTINCT m.test_run_id FROM profiling.fitted_model AS m
		WHERE m.benchmark_id IN (from_id, into_id)
			AND EXISTS (SELECT 1 FROM profiling.observation AS o WHERE o.benchmark_id = from_id
				AND o.test_run_id = m.test_run_id)
			AND EXISTS (SELECT 1 FROM profiling.observation AS o WHERE o.benchmark_id = into_id
				AND o.test_run_id = m.test_run_id) ORDER BY 1);
BEGIN
	DELETE FROM profiling.observation AS o USING profiling.observation AS i
	WHERE o.benchmark_id IN (from_id, into_id) AND i.benchmark_id IN (from_id, into_id)
		AND o.benchmark_id <> i.benchmark_id AND i.test_run_id = o.test_run_id AND i.load_id = o.load_id
		AND i.ordinal = o.ordinal AND i.observation_id < o.observation_id;
	UPDATE profiling.observation AS o SET benchmark_id = into_id WHERE o.benchmark_id = from_id;
	GET DIAGNOSTICS observations = ROW_COUNT;
	DELETE FROM profiling.fitted_model AS m
	WHERE m.benchmark_id IN (from_id, into_id) AND m.test_run_id = ANY (v_runs);
	-- Of points that are gone one model stays.
	DELETE FROM profiling.fitted_model AS m USING profiling.fitted_model AS i
	WHERE m.benchmark_id = from_id AND i.benchmark_id = into_id AND i.test_run_id = m.test_run_id
		AND i.location = m.location AND i.kind = m.kind AND i.unit = m.unit;
	UPDATE profiling.fitted_model AS m SET benchmark_id = into_id WHERE m.benchmark_id = from_id;
	GET DIAGNOSTICS models = ROW_COUNT;
	models := models + coalesce((SELECT sum(profiling.fit_run(into_id, u.id)) FROM unnest(v_runs) AS u (id)), 0);
END
$$;

CREATE OR REPLACE FUNCTION move_findings(from_id bigint, into_id bigint) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_moved bigint;
BEGIN
	-- Open in both: one row from the first run to the last one.
	WITH twin AS (
		DELETE FROM profiling.regression AS f USING profiling.regression AS o
		WHERE f.benchmark_id = from_id AND f.status IN ('open', 'acknowledged', 'pending') AND o.benchmark_id = into_id
			AND o.status IN ('open', 'acknowledged', 'pending') AND o.event = f.event AND o.unit = f.unit
			AND o.branch = f.branch AND o.method = f.method AND o.level = f.level AND o.subject_id = f.subject_id
		RETURNING o.regression_id AS kept_id, f.first_test_run_id, f.last_test_run_id,
			f.status
	)
	UPDATE profiling.regression AS r SET
		status = CASE r.status WHEN 'pending' THEN w.status ELSE r.status END,
		first_test_run_id = (SELECT t.test_run_id FROM profiling.test_run AS t
			WHERE t.test_run_id IN (r.first_test_run_id, w.first_test_run_id)
			ORDER BY t.started_at, t.test_run_id LIMIT 1),
		last_test_run_id = (SELECT t.test_run_id FROM profiling.test_run AS t
			WHERE t.test_run_id IN (r.last_test_run_id, w.last_test_run_id)
			ORDER BY t.started_at DESC, t.test_run_id DESC LIMIT 1)
	FROM twin AS w WHERE r.benchmark_id = into_id AND r.regression_id = w.kept_id;
	UPDATE profiling.regression AS f SET benchmark_id = into_id WHERE f.benchmark_id = from_id;
	GET DIAGNOSTICS v_moved = ROW_COUNT;
	RETURN v_moved;
END
$$;

CREATE OR REPLACE FUNCTION merge_look_again(from_id bigint, into_id bigint) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	UPDATE profiling.rollup AS r SET checked_at = NULL
	FROM (SELECT DISTINCT ON (o.event, o.unit, o.branch) o.benchmark_id, o.event, o.unit, o.branch, o.test_run_id
		FROM profiling.rollup AS o
		WHERE o.benchmark_id IN (from_id, into_id) AND o.span = 'run' AND profiling.has_begun(o.started_at)
			AND EXISTS (SELECT 1 FROM profiling.rollup AS g WHERE g.benchmark_id = from_id AND g.event = o.event
				AND g.unit = o.unit AND g.branch = o.branch)
		ORDER BY o.event, o.unit, o.branch, o.started_at DESC, o.test_run_id DESC) AS n
	WHERE r.benchmark_id = n.benchmark_id AND r.event = n.event AND r.unit = n.unit AND r.branch = n.branch
		AND r.test_run_id = n.test_run_id;
END
$$;

CREATE OR REPLACE FUNCTION may_be_merged(from_id bigint, into_id bigint) RETURNS bool
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_missing bigint;
BEGIN
	SELECT u.id INTO v_missing FROM unnest(ARRAY[from_id, into_id]) AS u (id)
	WHERE NOT EXISTS (SELECT 1 FROM profiling.benchmark AS b WHERE b.benchmark_id = u.id) LIMIT 1;
	IF FOUND THEN
		RAISE EXCEPTION 'there is no benchmark %', coalesce(v_missing::text, 'NULL') USING
			ERRCODE = 'no_data_found', HINT = 'The numbers of benchmarks are in profiling.benchmark.';
	END IF;
	IF from_id = into_id THEN
		RAISE EXCEPTION 'a benchmark cannot be merged with itself' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	IF (SELECT count(DISTINCT b.metric_direction) > 1 FROM profiling.benchmark AS b
			WHERE b.benchmark_id IN (from_id, into_id)) THEN
		RAISE EXCEPTION 'the metrics of the two benchmarks have opposite directions' USING
			ERRCODE = 'invalid_parameter_value',
			HINT = 'UPDATE profiling.benchmark SET metric_direction = … makes them agree.';
	END IF;
	RETURN true;
END
$$;

CREATE OR REPLACE FUNCTION merge_benchmarks(from_id bigint, into_id bigint) RETURNS correction
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_done profiling.correction := profiling.nothing_corrected();
	f record;
	i record;
	v_rollups record;
	v_models record;
BEGIN
	IF profiling.is_on_citus('profile'::text) THEN
		RAISE EXCEPTION 'benchmarks cannot be merged in a store on Citus' USING
			ERRCODE = 'feature_not_supported',
			DETAIL = 'Their rows may be on different servers, and do not move between them.',
			HINT = 'Load the profiles of the one under the name of the other, and delete it.';
	END IF;
	PERFORM profiling.begin_correction('merge_benchmarks'::text);
	PERFORM profiling.may_be_merged(from_id, into_id);
	PERFORM profiling.merge_look_again(from_id, into_id);
	v_rollups := profiling.move_rollups(from_id, into_id);
	v_done.profiles := v_rollups.profiles;
	v_done.rollups := v_rollups.rollups;
	v_done.rebuilt := v_rollups.rebuilt;
	v_models := profiling.move_models(from_id, into_id);
	v_done.observations := v_models.observations;
	v_done.models := v_models.models;
	v_done.findings := profiling.move_findings(from_id, into_id);
	DELETE FROM profiling.candidate AS c WHERE c.benchmark_id = from_id;
	UPDATE profiling.job_log AS l SET benchmark_id = into_id WHERE l.benchmark_id = from_id;
	DELETE FROM profiling.benchmark AS b WHERE b.benchmark_id = from_id RETURNING b.* INTO f;
	v_done.benchmarks := 1;
	UPDATE profiling.benchmark AS b SET created_at = least(b.created_at, f.created_at)
	WHERE b.benchmark_id = into_id RETURNING b.* INTO i;
	UPDATE profiling.benchmark_alias AS a SET new_suite = i.suite, new_name = i.name, new_parameters = i.parameters
	WHERE a.new_suite = f.suite AND a.new_name = f.name AND a.new_parameters = f.parameters;
	INSERT INTO profiling.benchmark_alias AS a (suite, name, parameters, parameters_id, new_suite, new_name,
		new_parameters)
	VALUES (f.suite, f.name, f.parameters, f.parameters_id, i.suite, i.name, i.parameters)
	ON CONFLICT (suite, name, parameters_id) DO UPDATE SET new_suite = EXCLUDED.new_suite,
		new_name = EXCLUDED.new_name, new_parameters = EXCLUDED.new_parameters;
	PERFORM profiling.tell_lost_patterns(f.suite, f.name, i.suite, i.name);
	PERFORM profiling.log_correction(format('merge_benchmarks(%s, %s) %s into %s', from_id, into_id,
		profiling.benchmark_in_words(f.suite, f.name, f.parameters),
		profiling.benchmark_in_words(i.suite, i.name, i.parameters)), v_done, into_id);
	RETURN v_done;
END
$$;

CREATE OR REPLACE FUNCTION scheduled_jobs(OUT ordinal int, OUT job text, OUT command text, OUT cron text) RETURNS SETOF record
	LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 5
	BEGIN ATOMIC
		VALUES (1, 'profiling maintain', 'CALL profiling.maintain()', NULL),
			(2, 'profiling watch_run', 'CALL profiling.watch_run()', NULL),
			(3, 'profiling prune', 'CALL profiling.prune()', NULL),
			(4, 'profiling compact', 'CALL profiling.compact()', '*/5 * * * *'),
			(5, 'profiling watch_services', 'CALL profiling.watch_services()', '12 * * * *');
	END;

COMMENT ON FUNCTION scheduled_jobs()
	IS 'what schedule() registers: a job each, because procedures that commit must be called alone; cron: when, where '
		'that is not the argument of schedule()';

CREATE OR REPLACE FUNCTION cron_schema(cron text) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- Its functions are in schema cron whatever schema the extension was created in.
	IF EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'pg_cron') THEN
		IF NOT has_schema_privilege('cron', 'USAGE') THEN
			RAISE EXCEPTION 'role "%" may not use pg_cron', current_user USING
				ERRCODE = 'insufficient_privilege',
				HINT = format('A superuser grants it: GRANT USAGE ON SCHEMA cron TO %I', current_user);
		END IF;
		RETURN 'cron';
	END IF;
	RAISE EXCEPTION 'pg_cron is not installed in database "%"', current_database() USING
		ERRCODE = 'feature_not_supported',
		HINT = format('Install it, or use cron.schedule_in_database() from the database that has it, '
				'or the crontab lines: %s',
			(SELECT string_agg(l.line, ' and ' ORDER BY l.ordinal)
				FROM (SELECT min(j.ordinal) AS ordinal, format('%s psql -d %s %s', coalesce(j.cron, cron_schema.cron),
						quote_literal(current_database()),
						string_agg(format('-c %L', j.command), ' ' ORDER BY j.ordinal)) AS line
					FROM profiling.scheduled_jobs() AS j GROUP BY j.cron) AS l));
END
$$;

CREATE OR REPLACE FUNCTION schedule(cron text DEFAULT '15 2 * * *') RETURNS TABLE (job_id bigint, job text, command text)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	j record;
	v_schema CONSTANT text := profiling.cron_schema(coalesce(schedule.cron, '15 2 * * *'));
BEGIN
	FOR j IN SELECT * FROM profiling.scheduled_jobs() AS s ORDER BY s.ordinal LOOP
		EXECUTE format('SELECT %I.schedule($1, $2, $3)', v_schema) INTO job_id USING j.job,
			coalesce(j.cron, schedule.cron, '15 2 * * *'), j.command;
		job := j.job;
		command := j.command;
		RETURN NEXT;
	END LOOP;
	PERFORM profiling.warn_of_cron();
END
$$;

COMMENT ON FUNCTION schedule(text)
	IS 'registers maintain, watch_run and prune with pg_cron, compact for every five minutes and watch_services for '
		'every hour, as jobs of the caller, whose schedule is in GMT before pg_cron 1.5, with a WARNING when pg_cron '
		'is not likely to be let in; called again it changes the schedule; error 0A000 with a crontab line where '
		'pg_cron is not installed in this database';

CREATE OR REPLACE FUNCTION failed_steps() RETURNS SETOF health_problem
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_waiting CONSTANT bigint[] := profiling.benchmarks_to_watch();
BEGIN
	RETURN QUERY
	SELECT l.outcome, b.suite, b.name, NULL::text, l.started_at, CASE l.outcome
		WHEN 'failed' THEN format('The comparison failed: %s.', l.detail)
		ELSE format('The comparison was skipped: %s.', l.detail) END
	FROM (SELECT DISTINCT ON (o.benchmark_id) o.* FROM profiling.job_log AS o
			WHERE o.step = 'watch' AND o.benchmark_id IS NOT NULL ORDER BY o.benchmark_id, o.log_id DESC) AS l
		JOIN profiling.benchmark AS b ON b.benchmark_id = l.benchmark_id
	-- Somebody may have compared it by hand since.
	WHERE l.outcome <> 'ok' AND l.benchmark_id = ANY (v_waiting)
	UNION ALL
	SELECT l.outcome, b.suite, b.name, NULL::text, l.started_at, format('A step of %s() failed: %s.', l.step, l.detail)
	FROM profiling.job_log AS l LEFT JOIN profiling.benchmark AS b ON b.benchmark_id = l.benchmark_id
	WHERE l.step NOT IN ('watch', 'compact') AND l.outcome = 'failed'
		AND l.started_at > now() - interval '2 days';
END
$$;

COMMENT ON FUNCTION failed_steps()
	IS 'benchmarks whose last comparison failed or was skipped, and what the end of a night, maintain() and prune() '
		'failed at in two days';

CREATE OR REPLACE FUNCTION not_compacted() RETURNS SETOF health_problem
	LANGUAGE plpgsql STABLE ROWS 2 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_done timestamptz;
	v_left record;
BEGIN
	-- compact() tries again every few minutes, and has a line in the log each time: one row for each thing.
	RETURN QUERY
	SELECT 'compact', 'production'::text, s.name, t.event, f.at, format('A step of compact() failed %s: %s. Nothing is '
			'lost: profiles stay as they are until it can be done.%s', CASE f.times
				WHEN 1 THEN 'once' ELSE format('%s times in two days', f.times) END, f.detail,
			CASE WHEN f.detail LIKE '%out of range%' THEN ' Their sum is more than a number can be: send this event in '
				'a larger unit, and give the service a row of profiling.retention with raw null.' ELSE '' END)
	FROM (SELECT l.detail, max(l.started_at) AS at, count(*) AS times,
				substring(l.detail FROM 'of service ([0-9]{1,18}),')::bigint AS service_id,
				substring(l.detail FROM 'stream ([0-9]{1,18}) ')::bigint AS stream_id
			FROM profiling.job_log AS l
			WHERE l.step = 'compact' AND l.outcome = 'failed' AND l.started_at > now() - interval '2 days'
			GROUP BY l.detail) AS f
		LEFT JOIN profiling.service AS s ON s.service_id = f.service_id
		LEFT JOIN profiling.stream AS t ON t.service_id = f.service_id AND t.stream_id = f.stream_id;
	SELECT max(l.started_at) INTO v_done FROM profiling.job_log AS l WHERE l.step = 'compact' AND l.outcome = 'ok';
	IF v_done > now() - interval '3 hours' THEN
		RETURN;
	END IF;
	SELECT count(*) AS profiles, min(i.recorded_at) AS since INTO v_left
	FROM profiling.incoming AS i WHERE i.recorded_at < now() - interval '3 hours';
	IF v_left.profiles > 0 THEN
		RETURN NEXT ROW('compact', NULL, NULL, NULL, v_left.since, format('%s of services, the oldest of %s, %s in no '
			'block yet, which takes ten times the room; compact() %s.',
			CASE v_left.profiles WHEN 1 THEN 'A profile' ELSE v_left.profiles || ' profiles' END, v_left.since,
			CASE v_left.profiles WHEN 1 THEN 'is' ELSE 'are' END,
			coalesce('last did something at ' || v_done::text, 'has not done anything yet')))
			::profiling.health_problem;
	END IF;
END
$$;

COMMENT ON FUNCTION not_compacted()
	IS 'what compact() failed at in two days, and profiles of services that are older than three hours and in no block '
		'when it has done nothing for as long';

CREATE OR REPLACE FUNCTION missed_jobs() RETURNS SETOF health_problem
	LANGUAGE plpgsql STABLE ROWS 2 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_new CONSTANT int := cardinality(profiling.benchmarks_to_watch());
	v_called timestamptz;
	v_month CONSTANT date := profiling.month_of(now());
BEGIN
	SELECT max(l.started_at) INTO v_called FROM profiling.job_log AS l WHERE l.step = 'watch_run';
	IF v_new > 0 AND coalesce(v_called < now() - interval '2 days', true) THEN
		RETURN NEXT ROW('not_watched', NULL, NULL, NULL, v_called, format('%s %s runs that were not compared; '
			'watch_run() was %s.', v_new, CASE v_new WHEN 1 THEN 'benchmark has' ELSE 'benchmarks have' END,
			coalesce('last called at ' || v_called::text, 'never called')))::profiling.health_problem;
	END IF;
	SELECT max(l.started_at) INTO v_called FROM profiling.job_log AS l WHERE l.step = 'maintain' AND l.outcome = 'ok';
	-- It has a partition to make each month.
	IF EXISTS (SELECT 1 FROM profiling.profile) AND (coalesce(v_called < now() - interval '35 days', true)
			OR NOT EXISTS (SELECT 1 FROM profiling.partition_months() AS p WHERE p.month = v_month)) THEN
		RETURN NEXT ROW('maintain', NULL, NULL, NULL, v_called, format('maintain() %s, and there is %s partition for '
			'%s.', coalesce('last did something at ' || v_called::text, 'has not done anything yet'),
			CASE WHEN EXISTS (SELECT 1 FROM profiling.partition_months() AS p WHERE p.month = v_month) THEN 'a'
				ELSE 'no' END, to_char(v_month, 'YYYY-MM')))::profiling.health_problem;
	END IF;
END
$$;

CREATE OR REPLACE FUNCTION switched_off(benchmark_id bigint, event text) RETURNS bool
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN NOT EXISTS (SELECT 1 FROM profiling.watches_of(switched_off.benchmark_id, switched_off.event))
		AND EXISTS (SELECT 1 FROM profiling.watch AS w JOIN profiling.benchmark AS b ON b.name LIKE w.benchmark
				AND b.suite LIKE w.suite AND switched_off.event LIKE w.event
			WHERE b.benchmark_id = switched_off.benchmark_id AND NOT w.enabled);
EXCEPTION WHEN OTHERS THEN
	-- A watch row that cannot be applied makes its benchmarks fail, which is seen, and not this view.
	RETURN false;
END
$$;

CREATE OR REPLACE FUNCTION stopped_benchmarks() RETURNS SETOF health_problem
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_row record;
BEGIN
	FOR v_row IN
		SELECT g.benchmark_id, b.suite, b.name, g.event, g.newest, format('The newest run began at %s; usually there '
			'are %s between two runs.', g.newest, CASE WHEN g.gap < 172800 THEN format('%s hours', round(g.gap / 3600))
				ELSE format('%s days', round(g.gap / 86400)) END) AS words
		FROM (SELECT o.benchmark_id, o.event, max(o.started_at) AS newest, count(*) AS runs,
				percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM o.gap)::float8) AS gap
			FROM (SELECT d.*, d.started_at - lead(d.started_at) OVER w AS gap, row_number() OVER w AS age
				FROM (SELECT DISTINCT r.benchmark_id, r.event, r.started_at FROM profiling.rollup AS r
					WHERE r.span = 'run' AND profiling.has_begun(r.started_at)) AS d
				WINDOW w AS (PARTITION BY d.benchmark_id, d.event ORDER BY d.started_at DESC)) AS o
			WHERE o.age <= 20 GROUP BY 1, 2) AS g
			JOIN profiling.benchmark AS b ON b.benchmark_id = g.benchmark_id
		-- In seconds: three gaps before now may lie before the first time that there is.
		WHERE g.runs >= 3 AND extract(epoch FROM now() - g.newest)::float8 > greatest(3 * g.gap, 172800)
	LOOP
		-- Asked of those that are left, not of every run.
		CONTINUE WHEN profiling.switched_off(v_row.benchmark_id, v_row.event);
		RETURN NEXT ROW('stopped', v_row.suite, v_row.name, v_row.event, v_row.newest, v_row.words)
			::profiling.health_problem;
	END LOOP;
END
$$;

CREATE OR REPLACE FUNCTION changed_units() RETURNS SETOF health_problem
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN QUERY
	SELECT 'unit_changed', b.suite, b.name, n.event, r.started_at, format('On branch "%s" %s.', n.branch, w.words)
	FROM profiling.newest_rollups() AS n
		JOIN profiling.benchmark AS b ON b.benchmark_id = n.benchmark_id
		JOIN LATERAL profiling.rollups_of(n.benchmark_id, ARRAY[n.test_run_id]) AS r ON r.event = n.event
			AND r.unit = n.unit AND r.branch = n.branch
		CROSS JOIN LATERAL (SELECT array_agg(o.unit ORDER BY o.unit COLLATE "C") AS units,
			max(o.metric_unit) FILTER (WHERE o.metric_count > 0) AS metric_unit
			FROM profiling.rollups_of(n.benchmark_id, ARRAY[n.before_id]) AS o
			WHERE o.event = n.event AND o.branch = n.branch) AS p
		CROSS JOIN LATERAL (VALUES
			(n.unit <> ALL (p.units), format('the profiles are in "%s", those of the run before in "%s"', n.unit,
				array_to_string(p.units, '", "'))),
			(r.metric_count > 0 AND r.metric_unit <> p.metric_unit,
				format('the metric is in "%s", that of the run before in "%s"', r.metric_unit, p.metric_unit)),
			(r.metric_count = 0 AND p.metric_unit IS NOT NULL,
				format('there is no metric, and the run before has one in "%s"', p.metric_unit))) AS w (is_so, words)
	WHERE w.is_so;
END
$$;

CREATE OR REPLACE FUNCTION not_compared_runs() RETURNS SETOF health_problem
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_row record;
BEGIN
	FOR v_row IN
		SELECT n.benchmark_id, b.suite, b.name, n.event, r.started_at,
			format('On branch "%s" the newest run was not compared%s: %s.', n.branch,
				CASE WHEN r.compared_with IS NULL THEN '' ELSE ' as a whole' END, r.not_compared) AS words
		FROM profiling.newest_rollups() AS n
			JOIN profiling.benchmark AS b ON b.benchmark_id = n.benchmark_id
			JOIN profiling.rollup AS r ON r.benchmark_id = n.benchmark_id AND r.event = n.event AND r.unit = n.unit
				AND r.branch = n.branch AND r.test_run_id = n.test_run_id
		WHERE r.checked_at IS NOT NULL AND r.not_compared IS NOT NULL
	LOOP
		CONTINUE WHEN profiling.switched_off(v_row.benchmark_id, v_row.event);
		RETURN NEXT ROW('not_compared', v_row.suite, v_row.name, v_row.event, v_row.started_at, v_row.words)
			::profiling.health_problem;
	END LOOP;
END
$$;

CREATE OR REPLACE FUNCTION failed_cron_jobs() RETURNS SETOF health_problem
	LANGUAGE plpgsql STABLE ROWS 3 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF NOT EXISTS (SELECT 1 FROM pg_extension AS x WHERE x.extname = 'pg_cron') THEN
		RETURN;
	END IF;
	RETURN QUERY EXECUTE $cron$
		SELECT 'cron', NULL::text, NULL::text, NULL::text, d.start_time, format('pg_cron could not run %s: %s.%s',
			d.command, coalesce(nullif(btrim(d.return_message, E' .\n'), ''), 'no message'),
			CASE WHEN d.return_message LIKE '%connection%' THEN ' With cron.use_background_workers = on and a restart '
				'of the server it needs no connection.' ELSE '' END)
		FROM (SELECT DISTINCT ON (r.command) r.* FROM cron.job_run_details AS r
			WHERE r.database = current_database() AND r.command = ANY ($1)
				AND r.status IN ('failed', 'succeeded')
				AND EXISTS (SELECT 1 FROM cron.job AS j WHERE j.jobid = r.jobid)
			ORDER BY r.command, r.runid DESC) AS d
		WHERE d.status = 'failed'
	$cron$ USING ARRAY(SELECT j.command FROM profiling.scheduled_jobs() AS j);
EXCEPTION WHEN insufficient_privilege OR undefined_table OR undefined_column THEN
	-- Who may not read the table of pg_cron is told nothing about it; others see what is wrong.
	RETURN;
END
$$;

CREATE OR REPLACE VIEW night_health AS
SELECT h.problem, h.suite, h.benchmark, h.event, h.at, h.detail
FROM (SELECT p.* FROM failed_steps() AS p
	UNION ALL SELECT p.* FROM missed_jobs() AS p
	UNION ALL SELECT p.* FROM not_compacted() AS p
	UNION ALL SELECT p.* FROM failed_cron_jobs() AS p
	UNION ALL SELECT p.* FROM stopped_benchmarks() AS p
	UNION ALL SELECT p.* FROM changed_units() AS p
	UNION ALL SELECT p.* FROM not_compared_runs() AS p
	UNION ALL SELECT p.* FROM odd_times() AS p) AS h;

COMMENT ON COLUMN night_health.problem
	IS 'failed, skipped, not_watched, maintain, compact, cron, stopped, unit_changed, not_compared, future, old or '
		'default_partition';

CREATE OR REPLACE VIEW benchmark_trend AS
SELECT m.benchmark_id, b.suite, b.name, b.parameters, m.event, m.unit, m.branch, m.test_run_id, m.started_at, t.commit,
	m.metric, m.metric_unit,
	m.metric_mean, m.metric_mean - 2::float8 * m.metric_stddev AS metric_lower,
		m.metric_mean + 2::float8 * m.metric_stddev AS metric_upper,
	m.total, m.repetitions
FROM (SELECT r.benchmark_id, r.event, r.unit, r.branch, r.test_run_id, r.started_at, r.metric, r.metric_unit, r.total,
	r.repetitions,
		avg(r.metric) FILTER (WHERE abs(r.metric) < 1e150::float8) OVER w AS metric_mean,
		stddev_samp(r.metric) FILTER (WHERE abs(r.metric) < 1e150::float8) OVER w AS metric_stddev
	FROM (SELECT o.benchmark_id, o.event, o.unit, o.branch, o.test_run_id, o.started_at,
		ratio(o.metric_sum, o.metric_count::float8) AS metric,
			o.metric_unit, ratio(o.total, o.repetitions::float8) AS total, o.repetitions
		FROM rollup AS o WHERE o.span = 'run') AS r
	WINDOW w AS (PARTITION BY r.benchmark_id, r.event, r.unit, r.branch, r.metric_unit ORDER BY r.started_at,
		r.test_run_id
		ROWS BETWEEN 10 PRECEDING AND 1 PRECEDING)) AS m
	JOIN benchmark AS b ON b.benchmark_id = m.benchmark_id
	JOIN test_run AS t ON t.test_run_id = m.test_run_id;

CREATE OR REPLACE VIEW benchmark_overview AS
SELECT k.benchmark_id, b.suite, b.name, b.parameters, k.event, k.unit, n.branch, k.runs,
	n.started_at AS last_started_at, t.commit AS last_commit,
	n.metric, n.metric_unit, h.mean AS metric_mean, ratio(n.metric - h.mean, h.stddev) AS metric_score, n.total,
	(SELECT count(*) FROM regression AS f WHERE f.benchmark_id = k.benchmark_id AND f.event = k.event
		AND f.status IN ('open', 'acknowledged') AND f.kind <> 'environment'
		AND (f.unit = k.unit OR f.level = 'metric')) AS open_findings,
	n.truncated_share
FROM (SELECT r.benchmark_id, r.event, r.unit, sum(pg_catalog.cardinality(r.run_ids))::bigint AS runs FROM rollup AS r
	GROUP BY 1, 2, 3) AS k
	JOIN benchmark AS b ON b.benchmark_id = k.benchmark_id
	CROSS JOIN LATERAL (SELECT r.branch, r.test_run_id, r.started_at,
		ratio(r.metric_sum, r.metric_count::float8) AS metric, r.metric_unit,
			ratio(r.total, r.repetitions::float8) AS total,
			CASE WHEN abs(r.total) < 1e300::float8
				AND abs(r.truncated_total) < 1e300::float8 THEN ratio(r.truncated_total,
				r.total + r.truncated_total) END AS truncated_share
		FROM rollup AS r WHERE r.benchmark_id = k.benchmark_id AND r.event = k.event AND r.unit = k.unit
			AND has_begun(r.started_at)
		ORDER BY r.started_at DESC, r.test_run_id DESC LIMIT 1) AS n
	JOIN test_run AS t ON t.test_run_id = n.test_run_id
	CROSS JOIN LATERAL (SELECT avg(summable(w.metric)) AS mean, stddev_samp(summable(w.metric)) AS stddev
		FROM (SELECT ratio(r.metric_sum, r.metric_count::float8) AS metric
			FROM rollup AS r WHERE r.benchmark_id = k.benchmark_id AND r.event = k.event AND r.unit = k.unit
				AND r.branch = n.branch
				AND r.span = 'run' AND r.metric_unit = n.metric_unit
					AND (r.started_at, r.test_run_id) < (n.started_at, n.test_run_id)
			ORDER BY r.started_at DESC, r.test_run_id DESC LIMIT 10) AS w) AS h;

COMMENT ON COLUMN benchmark_overview.open_findings
	IS 'number of findings that are open or acknowledged, but for those about the machine';

CREATE OR REPLACE FUNCTION latest_rollups() RETURNS SETOF rollup
	LANGUAGE sql STABLE ROWS 100
	BEGIN ATOMIC
		SELECT r.*
		FROM (SELECT DISTINCT ON (o.benchmark_id, o.event, o.unit) o.benchmark_id, o.event, o.unit, o.branch,
				o.test_run_id
			FROM rollup AS o WHERE has_begun(o.started_at)
			ORDER BY o.benchmark_id, o.event, o.unit, o.started_at DESC, o.test_run_id DESC) AS k
			JOIN rollup AS r ON r.benchmark_id = k.benchmark_id AND r.event = k.event AND r.unit = k.unit
				AND r.branch = k.branch AND r.test_run_id = k.test_run_id;
	END;

COMMENT ON FUNCTION latest_rollups() IS 'the rollup of the newest run of each benchmark, event and unit';

CREATE OR REPLACE VIEW latest_profile AS
SELECT r.benchmark_id, b.suite, b.name, b.parameters, r.event, r.unit, r.branch, r.test_run_id, r.started_at, t.commit,
	t.version, r.repetitions,
	ratio(r.total, r.repetitions::float8) AS total,
	CASE r.repetitions WHEN 1 THEN r.flamegraph ELSE mean_or_null(r.flamegraph, r.benchmark_id, r.pending,
		r.repetitions) END AS flamegraph
FROM latest_rollups() AS r
	JOIN benchmark AS b ON b.benchmark_id = r.benchmark_id
	JOIN test_run AS t ON t.test_run_id = r.test_run_id;

CREATE OR REPLACE VIEW regression_history AS
SELECT f.benchmark_id, f.regression_id, b.suite, b.name, b.parameters, f.event, f.unit, f.branch, f.method, f.level,
	f.subject, f.kind, f.status, f.team,
	f.expected, f.actual, f.diff, f.relative, f.score, f.p_value, f.q_value, f.lower, f.upper, f.opened_at, f.closed_at,
	f.first_test_run_id, o.started_at AS first_started_at, o.commit AS first_commit,
	f.last_test_run_id, l.started_at AS last_started_at, l.commit AS last_commit, f.note,
	f.samples, f.cause, f.counterpart, f.group_id, f.seen, f.notified_at, f.baseline, o.version AS first_version
FROM regression AS f JOIN benchmark AS b ON b.benchmark_id = f.benchmark_id
	LEFT JOIN test_run AS o ON o.test_run_id = f.first_test_run_id
	LEFT JOIN test_run AS l ON l.test_run_id = f.last_test_run_id;

CREATE OR REPLACE VIEW open_regression AS
SELECT o.* FROM regression_history AS o WHERE o.status IN ('open', 'acknowledged');

CREATE OR REPLACE VIEW pending_regression AS
SELECT p.* FROM regression_history AS p WHERE p.status = 'pending';

COMMENT ON VIEW pending_regression
	IS 'findings that wait for later runs to show them, which nobody was told of, with the names of their benchmarks '
		'and the commits of their runs';

DO $do$
DECLARE
	c pg_catalog.record;
BEGIN
	FOR c IN
		SELECT a.attname, v.name AS view,
			coalesce(pg_catalog.col_description('profiling.regression'::pg_catalog.regclass::pg_catalog.oid,
			r.attnum::int),
			CASE WHEN a.attname OPERATOR(pg_catalog.=) 'suite'::name THEN 'suite of the benchmark'
			WHEN a.attname OPERATOR(pg_catalog.=) 'name'::name THEN 'name of the benchmark'
			WHEN a.attname OPERATOR(pg_catalog.=) 'parameters'::name THEN 'parameters of the benchmark'
			WHEN a.attname OPERATOR(pg_catalog.=) 'first_started_at'::name
				THEN 'when the run that it was first seen in began'
			WHEN a.attname OPERATOR(pg_catalog.=) 'first_commit'::name THEN 'commit of that run'
			WHEN a.attname OPERATOR(pg_catalog.=) 'first_version'::name THEN 'version of that run'
			WHEN a.attname OPERATOR(pg_catalog.=) 'last_started_at'::name
				THEN 'when the last run that it was seen in began'
			WHEN a.attname OPERATOR(pg_catalog.=) 'last_commit'::name THEN 'commit of that run' END) AS comment
		FROM (VALUES ('regression_history'), ('open_regression'), ('pending_regression')) AS v (name)
			JOIN pg_catalog.pg_class AS k
				ON k.relnamespace OPERATOR(pg_catalog.=) 'profiling'::pg_catalog.regnamespace::pg_catalog.oid
				AND k.relname OPERATOR(pg_catalog.=) v.name::name
			JOIN pg_catalog.pg_attribute AS a ON a.attrelid OPERATOR(pg_catalog.=) k.oid
				AND a.attnum OPERATOR(pg_catalog.>) 0
			LEFT JOIN pg_catalog.pg_attribute AS r
				ON r.attrelid OPERATOR(pg_catalog.=) 'profiling.regression'::pg_catalog.regclass::pg_catalog.oid
				AND r.attname OPERATOR(pg_catalog.=) a.attname
	LOOP
		EXECUTE pg_catalog.format('COMMENT ON COLUMN profiling.%I.%I IS %L', c.view, c.attname, c.comment);
	END LOOP;
END
$do$;

CREATE OR REPLACE VIEW model_change AS
SELECT n.benchmark_id, b.suite, b.name, b.parameters, n.location, n.unit, n.branch, n.test_run_id, n.started_at,
	n.commit, p.test_run_id AS previous_test_run_id, p.kind AS previous_kind, n.kind, p.r_square AS previous_r_square,
	n.r_square,
	p.model AS previous_model, n.model, i.relative_error, i.result
FROM (SELECT DISTINCT ON (m.benchmark_id, m.location, m.unit) m.*, r.branch, r.started_at, r.commit
	FROM fitted_model AS m JOIN test_run AS r ON r.test_run_id = m.test_run_id
	WHERE m.kind IN ('constant', 'logarithmic', 'linear', 'quadratic', 'power', 'exponential')
		AND has_begun(r.started_at)
	ORDER BY m.benchmark_id, m.location, m.unit, r.started_at DESC, r.test_run_id DESC) AS n
	JOIN benchmark AS b ON b.benchmark_id = n.benchmark_id
	CROSS JOIN LATERAL (SELECT m.test_run_id, m.kind, m.r_square, m.model
		FROM fitted_model AS m JOIN test_run AS r ON r.test_run_id = m.test_run_id
		WHERE m.benchmark_id = n.benchmark_id AND m.location = n.location AND m.unit = n.unit AND r.branch = n.branch
			AND m.kind IN ('constant', 'logarithmic', 'linear', 'quadratic', 'power', 'exponential')
			AND (r.started_at, r.test_run_id) < (n.started_at, n.test_run_id)
		ORDER BY r.started_at DESC, r.test_run_id DESC LIMIT 1) AS p
	CROSS JOIN LATERAL integral_comparison(p.model, n.model, 0.1::float8, 0.25::float8) AS i;

CREATE OR REPLACE FUNCTION deploy_inputs(service_id bigint, event text, unit text, hour timestamptz, version text, before text,
		OUT history flamegraph[], OUT current flamegraph, OUT starts timestamptz[])
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_first CONSTANT timestamptz := (SELECT n.first FROM profiling.new_versions(deploy_inputs.service_id,
		deploy_inputs.event, deploy_inputs.unit, deploy_inputs.hour) AS n WHERE n.version = deploy_inputs.version);
	v_old record;
	v_new record;
BEGIN
	IF v_first IS NULL THEN
		RETURN;
	END IF;
	v_old := profiling.pods_of_version(deploy_inputs.service_id, deploy_inputs.event, deploy_inputs.unit,
		deploy_inputs.before, v_first);
	v_new := profiling.pods_of_version(deploy_inputs.service_id, deploy_inputs.event, deploy_inputs.unit,
		deploy_inputs.version, v_first);
	IF least(cardinality(v_old.shares), cardinality(v_new.shares)) < 2 THEN
		RETURN;
	END IF;
	history := profiling.at_speed_of(v_old.shares, v_old.shares);
	current := profiling.mean_of(profiling.at_speed_of(v_old.shares, v_new.shares));
	starts := array_fill(deploy_inputs.hour, ARRAY[cardinality(history) + 1]);
END
$$;

COMMENT ON FUNCTION deploy_inputs(bigint, text, text, timestamptz, text, text)
	IS 'what a report on a deploy is made from: the pods with the version before and the mean of those with the new '
		'one, of which found_in_deploy() is; nothing where they are not there any more';

CREATE OR REPLACE FUNCTION service_inputs(benchmark_id bigint, test_run_id bigint, event text, OUT run_id bigint, OUT unit text,
		OUT history flamegraph[], OUT current flamegraph, OUT of_sample float8, OUT starts timestamptz[])
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	r record;
	w profiling.service_watch;
	h profiling.hour_facts;
	v_season record;
	v_since int;
	v_start timestamptz;
	v_sum record;
	v_raw profiling.means;
BEGIN
	SELECT f.unit, f.baseline, a.started_at AS first, a.version, s.service_id, s.name, t.test_run_id, t.started_at
	INTO r
	FROM profiling.regression AS f JOIN profiling.test_run AS a ON a.test_run_id = f.first_test_run_id
		JOIN profiling.test_run AS t ON t.test_run_id = coalesce(service_inputs.test_run_id, f.last_test_run_id)
		JOIN profiling.service AS s ON s.name = t.labels ->> 'service'
	WHERE f.benchmark_id = service_inputs.benchmark_id AND f.event = service_inputs.event AND f.method = 'service'
		AND t.started_at >= a.started_at
	ORDER BY t.started_at DESC, f.regression_id DESC LIMIT 1;
	IF NOT FOUND THEN
		RETURN;
	END IF;
	unit := r.unit;
	w := profiling.service_watch_of(r.name, service_inputs.event);
	h := profiling.hour_of_service(w, r.service_id, service_inputs.event, substr(unit, length('% of ') + 1),
		r.started_at);
	IF h.profile IS NULL THEN
		RETURN;
	END IF;
	run_id := r.test_run_id;
	IF r.started_at = r.first AND r.baseline LIKE 'version:%' THEN
		SELECT d.history, d.current, d.starts INTO history, current, starts
		FROM profiling.deploy_inputs(r.service_id, h.event, h.unit, r.first, r.version,
			substr(r.baseline, length('version:') + 1)) AS d;
		IF history IS NOT NULL THEN
			RETURN;
		END IF;
	END IF;
	v_season := profiling.season_of(w.baseline);
	-- as service_history(): days that have a finding are no history of it
	v_since := floor(extract(epoch FROM r.started_at - r.first) / extract(epoch FROM v_season.period))::int + 1;
	starts := '{}';
	FOR k IN REVERSE v_since + v_season.periods - 1 .. v_since LOOP
		v_start := (r.started_at AT TIME ZONE 'UTC' - v_season.period * k) AT TIME ZONE 'UTC';
		v_sum := profiling.service_sum(r.service_id, h.event, h.unit, v_start, v_start + interval '1 hour');
		IF v_sum.profiles >= w.min_profiles AND v_sum.total > 0 THEN
			v_raw.fgs := v_raw.fgs || v_sum.profile;
			starts := starts || v_start;
		END IF;
	END LOOP;
	v_raw.fgs := profiling.as_shares(v_raw.fgs);
	history := coalesce(profiling.at_speed_of(v_raw.fgs, v_raw.fgs), '{}');
	current := coalesce((profiling.at_speed_of(v_raw.fgs, ARRAY[h.profile]))[1], h.profile);
	of_sample := h.of_sample;
	starts := starts || r.started_at;
END
$$;

COMMENT ON FUNCTION service_inputs(bigint, bigint, text)
	IS 'what a report on a service is made from: an hour that a finding begins or ends with, by default the newest, '
		'and those of its baseline, in percent at a common speed; of the hour of a deploy what deploy_inputs() has; '
		'starts: when each began, the hour itself last; nothing where none is there any more';

CREATE OR REPLACE FUNCTION report_inputs(benchmark_id bigint, test_run_id bigint, options jsonb, OUT run_id bigint, OUT event text,
		OUT unit text,
		OUT branch text, OUT window_size int, OUT history flamegraph[], OUT current flamegraph, OUT candidates int,
			OUT selection text, OUT others jsonb, OUT starts timestamptz[])
	-- The searches compute with the numbers in others.
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 AS $$
#variable_conflict use_column
DECLARE
	v_options CONSTANT jsonb := coalesce(report_inputs.options, '{}');
	v_means record;
	s record;
BEGIN
	event := coalesce(v_options ->> 'event', 'cpu');
	candidates := coalesce((v_options ->> 'candidates')::int, 10);
	selection := coalesce(v_options ->> 'selection', 'deviation');
	window_size := coalesce((v_options ->> 'window_size')::int, 10);
	SELECT r.test_run_id, r.unit, r.branch INTO run_id, unit, branch FROM profiling.rollup AS r
	WHERE r.benchmark_id = report_inputs.benchmark_id AND r.event = report_inputs.event AND r.span = 'run'
		AND CASE WHEN report_inputs.test_run_id IS NULL THEN profiling.has_begun(r.started_at)
			ELSE r.test_run_id = report_inputs.test_run_id END
		AND (v_options ->> 'unit' IS NULL OR r.unit = v_options ->> 'unit')
	ORDER BY r.started_at DESC, r.test_run_id DESC, r.unit COLLATE "C" LIMIT 1;
	IF NOT FOUND THEN
		s := profiling.service_inputs(report_inputs.benchmark_id, report_inputs.test_run_id, event);
		IF s.run_id IS NULL THEN
			RAISE EXCEPTION 'there is no run to report on' USING ERRCODE = 'invalid_parameter_value',
				DETAIL = format('Benchmark %s, run %s, event %s.', coalesce(report_inputs.benchmark_id::text, 'NULL'),
					coalesce(report_inputs.test_run_id::text, 'of any number'), event);
		END IF;
		run_id := s.run_id;
		unit := s.unit;
		branch := '';
		history := s.history;
		current := s.current;
		starts := s.starts;
		window_size := greatest(cardinality(history), 1);
		others := jsonb_build_object('poisson_unit', coalesce(s.of_sample, 0))
			|| (v_options - ARRAY['event', 'unit', 'candidates', 'selection']);
		RETURN;
	END IF;
	IF window_size NOT BETWEEN 1 AND 999999 THEN
		RAISE EXCEPTION 'option "window_size" must be between 1 and 999999' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	v_means := profiling.run_means(report_inputs.benchmark_id, event, unit, ARRAY[run_id]);
	current := v_means.fgs[1];
	others := v_options - ARRAY['event', 'unit', 'candidates', 'selection'];
	IF NOT others ? 'poisson_unit' THEN
		others := others || jsonb_build_object('poisson_unit', v_means.of_sample);
	END IF;
	v_means := profiling.run_means(report_inputs.benchmark_id, event, unit,
		profiling.runs_before(report_inputs.benchmark_id, event, unit, branch, run_id, 'window:' || window_size));
	history := v_means.fgs;
	IF selection = 'informed' AND NOT others ? 'ages' THEN
		others := others || jsonb_build_object('ages', profiling.ages_of(current, run_id));
	END IF;
END
$$;

COMMENT ON FUNCTION report_inputs(bigint, bigint, jsonb)
	IS 'what a report on a run is made from: the mean profiles of the window_size runs before on its branch, oldest '
		'first, its own, and the options of the searches; of a service that of service_inputs(), with starts';

CREATE OR REPLACE FUNCTION compared_sides(starts timestamptz[], OUT before text, OUT now text)
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	IF starts IS NULL THEN
		before := 'runs before';
		now := 'this run';
	ELSIF starts[1] < starts[cardinality(starts)] OR cardinality(starts) < 2 THEN
		before := 'hours before';
		now := 'this hour';
	ELSE
		before := 'instances with the version before';
		now := 'those with the new version';
	END IF;
END
$$;

COMMENT ON FUNCTION compared_sides(timestamptz[])
	IS 'what a report calls the two sides that it compares, by the starts of report_inputs(): runs of a benchmark, '
		'hours of a service, or the instances of a deploy, which are of one hour';

CREATE OR REPLACE FUNCTION report_rows(history flamegraph[], current flamegraph, candidates int, selection text, others jsonb)
	RETURNS TABLE (rank int, section text, trace int, step int, frame text, expected float8, actual float8, diff float8,
		candidate_diff float8,
		score float8, raw_score float8, status text)
	LANGUAGE sql STABLE ROWS 100
	BEGIN ATOMIC
		SELECT r.* FROM regression_report(report_rows.history, report_rows.current, report_rows.candidates,
			report_rows.selection,
			report_rows.others) AS r;
	END;

CREATE OR REPLACE FUNCTION report(benchmark_id bigint, test_run_id bigint DEFAULT NULL, options jsonb DEFAULT '{}')
	RETURNS TABLE (rank int, section text, trace int, step int, frame text, expected float8, actual float8, diff float8,
		candidate_diff float8,
		score float8, raw_score float8, status text)
	LANGUAGE sql STABLE ROWS 100
	BEGIN ATOMIC
		SELECT r.* FROM report_inputs(report.benchmark_id, report.test_run_id, report.options) AS i,
			report_rows(i.history, i.current, i.candidates, i.selection, i.others) AS r;
	END;

COMMENT ON FUNCTION report(bigint, bigint, jsonb)
	IS 'regression_report() of a run (by default the newest) against the window_size (10) runs before on its branch; '
		'options: event (cpu), unit, candidates (10), selection (deviation or informed, whose ages come from '
		'frame_commit), and those of the searches';

CREATE OR REPLACE FUNCTION report_head(benchmark_id bigint, test_run_id bigint, branch text, event text, unit text,
		window_size int, runs int, starts timestamptz[])
	RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	h record;
	v_unit CONSTANT text := profiling.markdown_cell(report_head.unit);
	v_side CONSTANT record := profiling.compared_sides(report_head.starts);
BEGIN
	SELECT b.suite, b.name, b.parameters, t.started_at, t.commit, t.version INTO h
	FROM profiling.benchmark AS b, profiling.test_run AS t
	WHERE b.benchmark_id = report_head.benchmark_id AND t.test_run_id = report_head.test_run_id;
	IF NOT FOUND THEN
		RETURN NULL;
	END IF;
	RETURN '# Result' || E'\n\n'
		'The code paths that changed the most in ' || v_side.now || ', against the ' || v_side.before || E'.\n\n'
		'- **Expected:** mean of the ' || v_side.before || ', in ' || v_unit || E'\n'
		'- **Actual:** value of ' || v_side.now || E'\n'
		'- **Diff:** actual - expected' || E'\n'
		'- **Score:** diff in standard deviations of the ' || v_side.before || '; a score of 2 lies on the edge of the'
		' band of 2 deviations' || E'\n'
		'- **Status:** `+` seen for the first time, `-` not seen any more' || E'\n\n'
		'Child traces are read from the bottom: the candidate stands there and each row above is called by the one'
		' below it. Parent traces are read from the top: each row calls the one above it.'
		' Candidate diff and score are the candidate''s in the call stack so far.' || E'\n\n'
		'## Parameters' || E'\n\n'
		'- **Benchmark group:** ' || profiling.markdown_cell(h.suite) || E'\n'
		'- **Benchmark name:** ' || profiling.markdown_cell(h.name) || E'\n'
		|| CASE WHEN h.parameters <> '{}'
			THEN '- **Benchmark parameters:** ' || profiling.markdown_cell(h.parameters::text) || E'\n' ELSE '' END
		|| '- **Git branch:** ' || profiling.markdown_cell(report_head.branch) || E'\n'
		'- **Commit:** ' || profiling.markdown_cell(h.commit) || E'\n'
		|| CASE WHEN h.version <> '' THEN '- **Version:** ' || profiling.markdown_cell(h.version) || E'\n' ELSE '' END
		|| '- **Run:** ' || report_head.test_run_id || ', '
		|| coalesce(to_char(h.started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC', 'unknown') || E'\n'
		'- **Event:** ' || profiling.markdown_cell(report_head.event) || ', in ' || v_unit || E'\n'
		|| CASE WHEN report_head.starts IS NULL THEN '- **Window:** ' || report_head.window_size
			|| ' runs, of which there are ' || report_head.runs
			ELSE '- **Compared with:** ' || report_head.runs || ' ' || v_side.before END || E'\n';
END
$$;

COMMENT ON FUNCTION report_head(bigint, bigint, text, text, text, int, int, timestamptz[])
	IS 'what report_text() says before its overview: how it is read, and of what it is; runs: how many there are in '
		'the window; starts: as compared_sides() has them; null for a benchmark or a run that is not there';

CREATE OR REPLACE FUNCTION report_text(benchmark_id bigint, test_run_id bigint DEFAULT NULL,
		options jsonb DEFAULT '{}') RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	i CONSTANT record := profiling.report_inputs(report_text.benchmark_id, report_text.test_run_id,
		report_text.options);
	v_text CONSTANT text := profiling.report_head(report_text.benchmark_id, i.run_id, i.branch, i.event, i.unit,
		i.window_size, cardinality(i.history), i.starts);
	v_overview text := '';
	v_body text := '';
	c record;
BEGIN
	-- A deviation needs two runs.
	IF cardinality(i.history) < 2 THEN
		RETURN v_text || format(E'\n## Overview\n\nNothing to report: there are fewer than two %s.\n',
			(profiling.compared_sides(i.starts)).before);
	END IF;
	FOR c IN
		WITH r AS MATERIALIZED (
			SELECT * FROM profiling.report_rows(i.history, i.current, i.candidates, i.selection, i.others)
		), traces AS (
			SELECT x.rank, x.section, x.trace,
				format(E'\n### %s trace %s\n\n| Trace | Diff | Candidate Diff | Candidate Score | Status |\n'
					'|---|--:|--:|--:|---|\n%s', initcap(x.section), x.trace,
				string_agg(format(E'| %s | %s | %s | %s | %s |\n', profiling.markdown_cell(x.frame),
					profiling.report_number(x.diff, 1), profiling.report_number(x.candidate_diff, 1),
					profiling.report_number(x.score, 4), x.status), '' ORDER BY CASE x.section
						WHEN 'child' THEN - x.step ELSE x.step END)) AS page
			FROM r AS x
			WHERE x.section IN ('child', 'parent')
			-- a trace of one row is the candidate itself
			GROUP BY x.rank, x.section, x.trace HAVING count(*) > 1
		)
		SELECT r.*, (SELECT string_agg(t.page, '' ORDER BY t.section, t.trace) FROM traces AS t
			WHERE t.rank = r.rank) AS traces
		FROM r WHERE r.section = 'candidate' ORDER BY r.rank
	LOOP
		v_overview := v_overview || format(E'| %s | %s | %s | %s |\n', c.rank, profiling.markdown_cell(c.frame),
			profiling.report_number(c.diff, 1), profiling.report_number(c.score, 4));
		v_body := v_body || format(E'\n## Candidate %s\n\n| Code Path | Expected | Actual | Diff | Score | Status |\n'
			'|---|--:|--:|--:|--:|---|\n'
			'| %s | %s | %s | %s | %s | %s |\n', c.rank, profiling.markdown_cell(c.frame),
				profiling.report_number(c.expected, 1), profiling.report_number(c.actual, 1),
			profiling.report_number(c.diff, 1), profiling.report_number(c.score, 4), c.status)
				|| coalesce(c.traces, '');
	END LOOP;
	IF v_overview = '' THEN
		RETURN v_text || E'\n## Overview\n\nNothing to report: no function deviates.\n';
	END IF;
	RETURN v_text || E'\n## Overview\n\n| Candidate | Code Path | Diff | Score |\n|--:|---|--:|--:|\n' || v_overview
		|| v_body;
END
$$;

CREATE OR REPLACE FUNCTION page_of(title text, sections jsonb, options jsonb) RETURNS text
	LANGUAGE sql IMMUTABLE COST 10000
	BEGIN ATOMIC
		SELECT html_report(page_of.title, page_of.sections, page_of.options);
	END;

COMMENT ON FUNCTION page_of(text, jsonb, jsonb) IS 'html_report()';

CREATE OR REPLACE FUNCTION page_value(value float8, unit text) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT coalesce(format_value(page_value.value, CASE page_value.unit WHEN 's' THEN 'seconds'
			WHEN 'ms' THEN 'milliseconds' WHEN 'us' THEN 'microseconds' WHEN 'ns' THEN 'nanoseconds'
			ELSE coalesce(page_value.unit, ''::text) END), '-'::text);
	END;

COMMENT ON FUNCTION page_value(float8, text) IS
	'format_value(), also with the short names of units of time; - for null';

CREATE OR REPLACE FUNCTION page_time(at timestamptz) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT lpad(extract(year FROM t.at)::text, 4, '0'::text) || '-' || lpad(extract(month FROM t.at)::text, 2,
			'0'::text)
			|| '-' || lpad(extract(day FROM t.at)::text, 2, '0'::text) || ' '
			|| lpad(extract(hour FROM t.at)::text, 2, '0'::text) || ':' || lpad(extract(minute FROM t.at)::text, 2,
				'0'::text)
			|| ' UTC'
		FROM (SELECT page_time.at AT TIME ZONE 'UTC'::text AS at) AS t;
	END;

COMMENT ON FUNCTION page_time(timestamptz) IS 'a time as pages write it, to the minute, in UTC';

CREATE OR REPLACE FUNCTION page_commit(commit text) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN page_commit.commit ~ '^([0-9a-f]{40}|[0-9a-f]{64})$'::text
			THEN pg_catalog.left(page_commit.commit, 12) ELSE nullif(page_commit.commit, ''::text) END;
	END;

COMMENT ON FUNCTION page_commit(text)
	IS 'a commit as pages write it beside other things: the first 12 digits of a hash, which git takes for all of it';

CREATE OR REPLACE FUNCTION page_percent(change float8) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN page_percent.change IS NULL THEN '-'::text
			WHEN abs(page_percent.change) > 1e6::float8 THEN CASE WHEN page_percent.change > 0::float8
				THEN 'new'::text ELSE 'gone'::text END
			ELSE CASE WHEN page_percent.change > 0::float8 THEN '+'::text ELSE ''::text END
				|| trim_scale(round(100::numeric * page_percent.change::numeric, CASE WHEN abs(page_percent.change)
					< 0.1::float8 THEN 1 ELSE 0 END))::text || ' %' END;
	END;

COMMENT ON FUNCTION page_percent(float8) IS 'a relative change as pages write it';

CREATE OR REPLACE FUNCTION page_options(options jsonb, VARIADIC known text[]) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_options CONSTANT jsonb := coalesce(options, '{}');
	v_unknown text;
BEGIN
	IF jsonb_typeof(v_options) <> 'object' THEN
		RAISE EXCEPTION 'options must be an object' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	SELECT min(k COLLATE "C") INTO v_unknown FROM jsonb_object_keys(v_options) AS k WHERE k <> ALL (known);
	IF v_unknown IS NOT NULL THEN
		RAISE EXCEPTION 'unknown option "%"', profiling.printable(left(v_unknown, 100))
			USING ERRCODE = 'invalid_parameter_value', HINT = format('The options are %s.', array_to_string(known,
				', '));
	END IF;
	RETURN v_options;
END
$$;

COMMENT ON FUNCTION page_options(jsonb, text[]) IS 'options, {} for null; an error 22023 for one that is not known';

CREATE OR REPLACE FUNCTION page_runs(options jsonb, default_runs int) RETURNS int
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF options ? 'runs' AND NOT coalesce(jsonb_typeof(options -> 'runs') = 'number'
			AND options ->> 'runs' ~ '^[0-9]{1,5}$' AND (options ->> 'runs')::int BETWEEN 2 AND 10000, false) THEN
		RAISE EXCEPTION 'option "runs" must be a number from 2 to 10000' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	RETURN coalesce((options ->> 'runs')::int, default_runs);
END
$$;

COMMENT ON FUNCTION page_runs(jsonb, int) IS 'option runs of pages: of how many runs trends are shown';

CREATE OR REPLACE FUNCTION page_trend(starts timestamptz[], ys float8[], mean float8[], lower float8[], upper float8[],
		window_size int, k float8, change_at int[], findings jsonb, panel_of text[], title text, unit text, width int,
		height int, options jsonb) RETURNS text
	LANGUAGE sql IMMUTABLE COST 10000
	BEGIN ATOMIC
		SELECT trend_svg(page_trend.starts, page_trend.ys, page_trend.mean, page_trend.lower, page_trend.upper,
			page_trend.window_size, page_trend.k, page_trend.change_at, NULL::text[], page_trend.findings,
			page_trend.panel_of, page_trend.title, NULL::text, CASE page_trend.unit WHEN 's' THEN 'seconds'
				WHEN 'ms' THEN 'milliseconds' WHEN 'us' THEN 'microseconds' WHEN 'ns' THEN 'nanoseconds'
				ELSE page_trend.unit END, page_trend.width, page_trend.height, page_trend.options);
	END;

COMMENT ON FUNCTION page_trend(timestamptz[], float8[], float8[], float8[], float8[], int, float8, int[], jsonb, text[],
	text, text, int, int, jsonb) IS 'trend_svg() over time';

CREATE OR REPLACE FUNCTION page_flame(fg flamegraph, title text, unit text) RETURNS text
	LANGUAGE sql IMMUTABLE COST 10000
	BEGIN ATOMIC
		SELECT flamegraph_svg(page_flame.fg, page_flame.title, page_flame.unit, 1200, 0.5::float8, 'icicle'::text,
			'frame'::text, 'name'::text, true, '{}'::jsonb);
	END;

COMMENT ON FUNCTION page_flame(flamegraph, text, text) IS 'flamegraph_svg()';

CREATE OR REPLACE FUNCTION page_sandwich(fg flamegraph, frame text, unit text) RETURNS text
	LANGUAGE sql IMMUTABLE COST 10000
	BEGIN ATOMIC
		SELECT sandwich_svg(page_sandwich.fg, page_sandwich.frame, NULL::text, page_sandwich.unit, 900, 0.5::float8,
			'frame'::text, false, '{}'::jsonb);
	END;

COMMENT ON FUNCTION page_sandwich(flamegraph, text, text) IS 'sandwich_svg() without the data for a viewer';

CREATE OR REPLACE FUNCTION page_heat(fgs flamegraph[], labels text[], title text, unit text) RETURNS text
	LANGUAGE sql IMMUTABLE COST 50000
	BEGIN ATOMIC
		SELECT heat_map_svg(page_heat.fgs, page_heat.labels, 'self'::text, 30, page_heat.title,
			CASE page_heat.unit WHEN 's' THEN 'seconds' WHEN 'ms' THEN 'milliseconds' WHEN 'us' THEN 'microseconds'
				WHEN 'ns' THEN 'nanoseconds' ELSE page_heat.unit END, 'sequential'::text, 900, '{}'::jsonb);
	END;

COMMENT ON FUNCTION page_heat(flamegraph[], text[], text, text) IS 'heat_map_svg() of functions by runs';

CREATE OR REPLACE FUNCTION page_difference(history flamegraph[], current flamegraph, title text, unit text, window_size int,
		poisson_unit float8) RETURNS text
	LANGUAGE sql IMMUTABLE COST 100000
	BEGIN ATOMIC
		SELECT flamegraph_diff_svg(page_difference.history, page_difference.current, page_difference.title,
			page_difference.unit, 'union'::text, page_difference.window_size, page_difference.poisson_unit,
				0.05::float8,
			1200, 0.5::float8, true, '{}'::jsonb);
	END;

COMMENT ON FUNCTION page_difference(flamegraph[], flamegraph, text, text, int, float8)
	IS 'flamegraph_diff_svg() of one run against the runs before';

CREATE OR REPLACE FUNCTION page_hot(fg flamegraph, max_rows int) RETURNS TABLE (frame text, self float8, self_share float8)
	LANGUAGE sql IMMUTABLE ROWS 20
	BEGIN ATOMIC
		SELECT t.frame, t.self, t.self_share FROM top(page_hot.fg, page_hot.max_rows) AS t
		ORDER BY t.self DESC, t.frame COLLATE "C";
	END;

COMMENT ON FUNCTION page_hot(flamegraph, int) IS 'the functions that a profile spends most in itself';

CREATE OR REPLACE FUNCTION page_hot_rows(fgs flamegraph[], max_rows int) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_frames CONSTANT text[] := ARRAY(SELECT h.frame FROM profiling.page_hot(fgs[cardinality(fgs)], max_rows) AS h);
BEGIN
	RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object('frame', h.frame, 'self', h.self, 'share', h.self_share,
		'series',
			s.series) ORDER BY h.self DESC, h.frame COLLATE "C"), '[]')
		FROM profiling.page_hot(fgs[cardinality(fgs)], max_rows) AS h
			JOIN (SELECT p.frame, jsonb_agg(p.value ORDER BY p.n) AS series
				FROM profiling.page_series(fgs, v_frames, 'self'::text) AS p GROUP BY p.frame) AS s ON s.frame =
					h.frame);
END
$$;

COMMENT ON FUNCTION page_hot_rows(flamegraph[], int)
	IS 'the functions that the last of some profiles spends most in itself, with their own value in each of them';

CREATE OR REPLACE FUNCTION page_series(fgs flamegraph[], frames text[], measure text)
	RETURNS TABLE (frame text, n bigint, value float8)
	LANGUAGE sql IMMUTABLE ROWS 100
	BEGIN ATOMIC
		SELECT f.frame, g.n, frame_value(g.fg, f.frame, page_series.measure)
		FROM pg_catalog.unnest(page_series.fgs) WITH ORDINALITY AS g (fg, n),
			pg_catalog.unnest(page_series.frames) AS f (frame);
	END;

COMMENT ON FUNCTION page_series(flamegraph[], text[], text) IS 'frame_value() of several functions in several profiles';

CREATE OR REPLACE FUNCTION page_scores(history flamegraph[], current flamegraph, window_size int, measure text, poisson_unit
	float8,
		frames text[]) RETURNS TABLE (frame text, q_value float8)
	LANGUAGE sql IMMUTABLE ROWS 100
	BEGIN ATOMIC
		SELECT f.frame, d.q_value
		FROM pg_catalog.unnest(page_scores.frames) AS f (frame) JOIN deviation_scores(page_scores.history,
			page_scores.current, page_scores.window_size, page_scores.measure, page_scores.poisson_unit, 0::float8,
			'inf'::text, 'own'::text, NULL::flamegraph[], NULL::flamegraph) AS d ON d.key = stackpath(ARRAY[f.frame]);
	END;

COMMENT ON FUNCTION page_scores(flamegraph[], flamegraph, int, text, float8, text[])
	IS 'q_value of deviation_scores() for some functions';

CREATE OR REPLACE FUNCTION page_arrows(history flamegraph[], current flamegraph, frames text[])
	RETURNS TABLE (frame text, arrow jsonb)
	LANGUAGE sql IMMUTABLE ROWS 100
	BEGIN ATOMIC
		SELECT b.frame, pg_catalog.jsonb_build_object('angle', b.shown_angle, 'red', b.red, 'green', b.green, 'blue',
			b.blue)
		FROM (SELECT sum(h.fg) / count(*)::float8 AS fg FROM pg_catalog.unnest(page_arrows.history) AS h (fg)) AS m,
			compare_baseline(m.fg, page_arrows.current) AS b
		WHERE b.frame = ANY (page_arrows.frames);
	END;

COMMENT ON FUNCTION page_arrows(flamegraph[], flamegraph, text[])
	IS 'the arrows of compare_baseline() between the mean of a history and a run, for some functions';

CREATE OR REPLACE FUNCTION run_labels(run_ids bigint[]) RETURNS text[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(pg_catalog.concat_ws(' '::text, pg_catalog.left(profiling.page_time(
			t.started_at), 16), nullif(t.commit, ''::text)) ORDER BY u.n), '{}'::text[])
		FROM pg_catalog.unnest(run_labels.run_ids) WITH ORDINALITY AS u (id, n)
			JOIN profiling.test_run AS t ON t.test_run_id = u.id;
	END;

COMMENT ON FUNCTION run_labels(bigint[]) IS 'what runs are called side by side: when they began, their commits';

CREATE OR REPLACE FUNCTION page_changes(series float8[]) RETURNS int[]
	LANGUAGE sql IMMUTABLE COST 10000
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(c.change_at ORDER BY c.change_at), '{}'::int[])
		FROM change_points(page_changes.series, 5, 0::float8, 0.01::float8, 999, 42::bigint) AS c;
	END;

COMMENT ON FUNCTION page_changes(float8[]) IS 'positions of change_points()';

CREATE OR REPLACE FUNCTION subject_text(subject stackpath) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT subject::text;
	END;

COMMENT ON FUNCTION subject_text(stackpath) IS 'a path as text';

CREATE OR REPLACE FUNCTION page_runs_of(benchmark_id bigint, event text, unit text, branch text, window_size int, k float8,
		runs int, metric text, until timestamptz)
	RETURNS TABLE (test_run_id bigint, started_at timestamptz, commit text, value float8, value_unit text, mean float8,
		stddev float8, lower float8, upper float8)
	LANGUAGE plpgsql STABLE ROWS 50 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_metric_unit CONSTANT text := (SELECT r.metric_unit FROM profiling.rollup AS r
		WHERE r.benchmark_id = page_runs_of.benchmark_id AND r.event = page_runs_of.event
			AND r.unit = page_runs_of.unit AND r.branch = page_runs_of.branch AND r.span = 'run' AND r.metric_count > 0
			AND r.started_at <= page_runs_of.until AND profiling.has_begun(r.started_at)
			AND page_runs_of.metric <> 'total'
		ORDER BY r.started_at DESC, r.test_run_id DESC LIMIT 1);
BEGIN
	RETURN QUERY
	SELECT s.test_run_id, s.started_at, t.commit, s.value, coalesce(v_metric_unit, page_runs_of.unit), s.mean, s.spread,
		s.mean - page_runs_of.k * s.spread, s.mean + page_runs_of.k * s.spread
	FROM (SELECT o.*, avg(profiling.summable(o.value)) OVER w AS mean,
			stddev_samp(profiling.summable(o.value)) OVER w AS spread
		FROM (SELECT r.test_run_id, r.started_at, CASE WHEN v_metric_unit IS NULL
					THEN profiling.ratio(r.total, r.repetitions::float8)
				WHEN r.metric_unit = v_metric_unit THEN profiling.ratio(r.metric_sum, r.metric_count::float8) END AS
					value
			FROM profiling.rollup AS r
			WHERE r.benchmark_id = page_runs_of.benchmark_id AND r.event = page_runs_of.event
				AND r.unit = page_runs_of.unit AND r.branch = page_runs_of.branch AND r.span = 'run'
				AND r.started_at <= page_runs_of.until AND profiling.has_begun(r.started_at)
			ORDER BY r.started_at DESC, r.test_run_id DESC LIMIT page_runs_of.runs + page_runs_of.window_size) AS o
		WINDOW w AS (ORDER BY o.started_at, o.test_run_id ROWS BETWEEN page_runs_of.window_size PRECEDING AND 1
			PRECEDING)
		ORDER BY o.started_at DESC, o.test_run_id DESC LIMIT page_runs_of.runs) AS s
		LEFT JOIN profiling.test_run AS t ON t.test_run_id = s.test_run_id
	ORDER BY s.started_at, s.test_run_id;
END
$$;

COMMENT ON FUNCTION page_runs_of(bigint, text, text, text, int, float8, int, text, timestamptz)
	IS 'the last so many runs of a benchmark: its metric (of benchmarks without one, and with "total", the total of '
		'their '
		'profiles), mean and deviation of the window_size runs before, and the band mean -+ k deviations';

CREATE OR REPLACE FUNCTION page_findings(benchmark_id bigint, event text, branch text, frame text, runs bigint[]) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object('at', f.at, 'kind', f.kind, 'label', f.label)
			ORDER BY f.at, f.regression_id), '[]')
		FROM (SELECT p.at, r.kind, r.regression_id, format('%s %s', CASE r.level WHEN 'metric' THEN 'the metric'
				ELSE left(profiling.subject_text(r.subject), 200) END, profiling.page_percent(r.relative)) AS label
			FROM profiling.regression AS r
				JOIN unnest(page_findings.runs) WITH ORDINALITY AS p (run, at) ON p.run = r.first_test_run_id
			WHERE r.benchmark_id = page_findings.benchmark_id AND r.event = page_findings.event
				AND r.branch = page_findings.branch AND r.status IN ('open', 'acknowledged', 'resolved')
				AND (page_findings.frame IS NULL OR r.level IN ('frame', 'self')
					AND profiling.subject_text(r.subject) = page_findings.frame)
			ORDER BY (r.level = 'metric') DESC, abs(r.diff) DESC NULLS LAST, r.regression_id LIMIT 9) AS f);
END
$$;

COMMENT ON FUNCTION page_findings(bigint, text, text, text, bigint[])
	IS 'findings that begin in one of these runs (of one function, if given; at most 9, the metric''s and the largest '
		'first), as trend_svg() takes them';

CREATE OR REPLACE FUNCTION trend_svg(benchmark_id bigint, frame text DEFAULT NULL, metric text DEFAULT NULL,
		window_size int DEFAULT 10, k float8 DEFAULT 2, event text DEFAULT 'cpu', branch text DEFAULT NULL,
		runs int DEFAULT 50) RETURNS text
	LANGUAGE plpgsql STABLE COST 100000 SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 AS $$
#variable_conflict use_column
DECLARE
	v_branch CONSTANT text := profiling.trend_branch(trend_svg.benchmark_id, trend_svg.event, trend_svg.branch);
	v_unit text;
	v_name CONSTANT text := (SELECT b.name FROM profiling.benchmark AS b
		WHERE b.benchmark_id = trend_svg.benchmark_id);
	v_measure CONSTANT text := coalesce(trend_svg.metric, CASE WHEN trend_svg.frame IS NULL THEN 'metric' ELSE 'total'
		END);
	v_values_of text := trend_svg.event;
	v record;
BEGIN
	IF trend_svg.window_size IS NULL OR trend_svg.window_size < 2 OR trend_svg.runs IS NULL OR trend_svg.runs < 1 THEN
		RAISE EXCEPTION 'window_size must be at least 2, and runs at least 1' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	IF trend_svg.frame IS NULL THEN
		PERFORM profiling.one_of('metric'::text, v_measure, VARIADIC '{metric,total}'::text[]);
	END IF;
	SELECT r.unit INTO v_unit FROM profiling.rollup AS r
	WHERE r.benchmark_id = trend_svg.benchmark_id AND r.event = trend_svg.event AND r.branch = v_branch AND r.span =
		'run'
	LIMIT 1;
	IF trend_svg.frame IS NOT NULL THEN
		SELECT array_agg(t.test_run_id ORDER BY t.started_at, t.test_run_id) AS ids,
			array_agg(t.started_at ORDER BY t.started_at, t.test_run_id) AS starts,
			array_agg(t.value ORDER BY t.started_at, t.test_run_id) AS ys,
			array_agg(t.mean ORDER BY t.started_at, t.test_run_id) AS means,
			array_agg(t.lower ORDER BY t.started_at, t.test_run_id) AS lowers,
			array_agg(t.upper ORDER BY t.started_at, t.test_run_id) AS uppers,
			CASE WHEN v_measure LIKE '%share' THEN 'fraction' ELSE v_unit END AS unit INTO v
		FROM (SELECT x.* FROM profiling.frame_trend(trend_svg.benchmark_id, trend_svg.frame, v_measure,
			trend_svg.window_size, trend_svg.k, trend_svg.event, v_branch) AS x
			ORDER BY x.started_at DESC, x.test_run_id DESC LIMIT trend_svg.runs) AS t;
	ELSE
		SELECT array_agg(t.test_run_id ORDER BY t.started_at, t.test_run_id) AS ids,
			array_agg(t.started_at ORDER BY t.started_at, t.test_run_id) AS starts,
			array_agg(t.value ORDER BY t.started_at, t.test_run_id) AS ys,
			array_agg(t.mean ORDER BY t.started_at, t.test_run_id) AS means,
			array_agg(t.lower ORDER BY t.started_at, t.test_run_id) AS lowers,
			array_agg(t.upper ORDER BY t.started_at, t.test_run_id) AS uppers, max(t.value_unit) AS unit INTO v
		FROM profiling.page_runs_of(trend_svg.benchmark_id, trend_svg.event, v_unit, v_branch, trend_svg.window_size,
			trend_svg.k, trend_svg.runs, v_measure,
			'infinity'::timestamptz) AS t;
	END IF;
	RETURN profiling.page_trend(coalesce(v.starts, '{}'), coalesce(v.ys, '{}'), coalesce(v.means, '{}'),
		coalesce(v.lowers, '{}'), coalesce(v.uppers, '{}'), trend_svg.window_size, trend_svg.k,
		profiling.page_changes(coalesce(v.ys, '{}')),
		profiling.page_findings(trend_svg.benchmark_id, trend_svg.event, v_branch, trend_svg.frame, v.ids),
			NULL::text[],
		concat_ws(': ', v_name, coalesce(trend_svg.frame, CASE v_measure WHEN 'total' THEN 'total' ELSE 'metric' END)),
		v.unit, 900, 360, '{}'::jsonb);
END
$$;

COMMENT ON FUNCTION trend_svg(bigint, text, text, int, float8, text, text, int)
	IS 'a benchmark over its last runs on a branch (null: that of the newest one), in SVG: its metric (null: the '
		'total of '
		'its profiles where there is none; metric total: always that), or one function by metric total, self, their '
		'shares or potential:N, as frame_trend() has it; mean and band of the window_size runs before, change points, '
		'and findings as flags where they begin';

CREATE OR REPLACE FUNCTION finding_rows(benchmark_id bigint, event text, branch text, closed bool) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object('what', CASE r.level WHEN 'metric' THEN 'the metric'
				ELSE profiling.subject_text(r.subject) END, 'kind', r.kind, 'status', r.status, 'change', r.relative,
			'values', format('%s to %s', profiling.page_value(r.expected, r.unit),
				profiling.page_value(r.actual, r.unit)), 'q', r.q_value,
			'since', concat_ws(', ', coalesce(profiling.page_time(r.first_started_at), 'unknown'),
				profiling.page_commit(r.first_commit)), 'event', r.event, 'branch', nullif(r.branch, ''), 'team',
					coalesce(nullif(r.team, ''), 'nobody'),
			'closed', profiling.page_time(r.closed_at), 'note', nullif(concat_ws(' ', CASE r.cause WHEN 'shift'
				THEN 'The cost moved.' WHEN 'environment' THEN 'The machine changed.' END, nullif(r.note, '')), ''))
			ORDER BY r.kind COLLATE "C", (r.level = 'metric') DESC, abs(r.diff) DESC NULLS LAST, r.regression_id), '[]')
		FROM profiling.regression_history AS r
		WHERE r.benchmark_id = finding_rows.benchmark_id
			AND (finding_rows.event IS NULL OR r.event = finding_rows.event)
			AND (finding_rows.branch IS NULL OR r.branch = finding_rows.branch)
			AND CASE WHEN finding_rows.closed THEN r.status IN ('resolved', 'false_positive', 'went_away')
				ELSE r.status IN ('open', 'acknowledged', 'pending') END);
END
$$;

COMMENT ON FUNCTION finding_rows(bigint, text, text, bool)
	IS 'open or closed findings of a benchmark (event and branch null: of all) as rows of a page';

CREATE OR REPLACE FUNCTION finding_columns(rows jsonb, closed bool) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN '[{"name": "what", "label": "What"}, {"name": "kind", "label": "Kind", "kind": "status"},
		{"name": "change", "label": "Change", "kind": "share", "signed": true},
		{"name": "values", "label": "Before and now"},
		{"name": "q", "label": "q", "kind": "number"},
		{"name": "since", "label": "Since"}, {"name": "team", "label": "Team"},
		{"name": "status", "label": "Status", "kind": "status"}]'::jsonb
		|| CASE WHEN (SELECT count(DISTINCT (r ->> 'event', r ->> 'branch')) > 1 FROM jsonb_array_elements(rows) AS r)
			THEN '[{"name": "event", "label": "Event"}, {"name": "branch", "label": "Branch"}]'::jsonb
			ELSE '[]'::jsonb END
		|| CASE WHEN closed THEN '[{"name": "closed", "label": "Closed"}]'::jsonb ELSE '[]'::jsonb END
		|| CASE WHEN EXISTS (SELECT 1 FROM jsonb_array_elements(rows) AS r WHERE r ->> 'note' IS NOT NULL)
			THEN '[{"name": "note", "label": "Note"}]'::jsonb ELSE '[]'::jsonb END;
END
$$;

COMMENT ON FUNCTION finding_columns(jsonb, bool) IS 'the columns of finding_rows() that these rows need';

CREATE OR REPLACE FUNCTION finding_section(heading text, rows jsonb, closed bool, caption text, else_words text) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN jsonb_build_array(jsonb_build_object('heading', heading), CASE WHEN rows = '[]'
		THEN jsonb_build_object('text', else_words) ELSE jsonb_strip_nulls(jsonb_build_object('caption', caption))
			|| jsonb_build_object('table', rows, 'columns', profiling.finding_columns(rows, closed)) END);
END
$$;

COMMENT ON FUNCTION finding_section(text, jsonb, bool, text, text) IS 'findings under a heading, or words for none';

CREATE OR REPLACE FUNCTION trace_sections(rows jsonb, rank int, section text) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	-- A trace of one row is the candidate itself. Child traces have it at the bottom, parent traces at the top.
	RETURN (SELECT coalesce(jsonb_agg(jsonb_build_object('table', t.steps, 'caption', t.caption, 'columns',
			'[{"name": "frame", "label": "Trace"},
			{"name": "diff", "label": "Diff", "kind": "number", "signed": true},
			{"name": "candidate_diff", "label": "Candidate diff", "kind": "number", "signed": true},
			{"name": "score", "label": "Candidate score", "kind": "number"},
			{"name": "status", "label": "Status", "kind": "status"}]'::jsonb) ORDER BY t.trace), '[]')
		FROM (SELECT (x.row ->> 'trace')::int AS trace, jsonb_agg(x.row ORDER BY CASE trace_sections.section
					WHEN 'child' THEN - (x.row ->> 'step')::int ELSE (x.row ->> 'step')::int END) AS steps,
				CASE trace_sections.section WHEN 'child' THEN
					format('Child trace %s: read from the bottom, each row is '
					'called by the one below it', x.row ->> 'trace')
				ELSE format('Parent trace %s: read from the top, each row calls the one above it', x.row ->> 'trace')
				END AS caption
			FROM jsonb_array_elements(trace_sections.rows) AS x (row)
			WHERE x.row ->> 'section' = trace_sections.section AND (x.row ->> 'rank')::int = trace_sections.rank
			GROUP BY 1, 3 HAVING count(*) > 1) AS t);
END
$$;

COMMENT ON FUNCTION trace_sections(jsonb, int, text) IS 'the child or parent traces of a candidate as tables of a page';

CREATE OR REPLACE FUNCTION verdict_text(benchmark_id bigint, event text, branch text, candidates jsonb, runs int, before text,
		unit text)
	RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	f record;
	c CONSTANT jsonb := (SELECT x FROM jsonb_array_elements(verdict_text.candidates) AS x
		WHERE (x ->> 'q')::float8 <= 0.05 ORDER BY (x ->> 'rank')::int LIMIT 1);
	v_count CONSTANT bigint := (SELECT count(*) FROM jsonb_array_elements(verdict_text.candidates) AS x
		WHERE (x ->> 'q')::float8 <= 0.05);
BEGIN
	SELECT r.*, count(*) OVER () AS findings INTO f FROM profiling.regression_history AS r
	WHERE r.benchmark_id = verdict_text.benchmark_id AND r.event = verdict_text.event
		AND r.branch = verdict_text.branch AND r.status IN ('open', 'acknowledged') AND r.kind = 'degradation'
	ORDER BY (r.level = 'metric'), abs(r.diff) DESC NULLS LAST, r.regression_id LIMIT 1;
	IF f.regression_id IS NOT NULL THEN
		RETURN format('Degraded: %s %s%s, since the run of %s%s; team: %s. %s open.', CASE f.level WHEN 'metric'
			THEN 'the metric' ELSE profiling.subject_text(f.subject) END, profiling.page_percent(f.relative),
			CASE WHEN f.level <> 'metric' THEN format(' (%s instead of %s)', profiling.page_value(f.actual, f.unit),
				profiling.page_value(f.expected, f.unit)) ELSE '' END,
			coalesce(profiling.page_time(f.first_started_at), 'unknown'),
			coalesce(' (commit ' || profiling.page_commit(f.first_commit) || ')', ''),
			coalesce(nullif(f.team, ''), 'nobody'),
			CASE f.findings WHEN 1 THEN 'One degradation is' ELSE f.findings || ' degradations are' END);
	END IF;
	IF runs < 2 THEN
		RETURN format('Nothing to compare with: there are fewer than two %s.', before);
	END IF;
	IF c IS NULL THEN
		RETURN format('Nothing stands out: no function differs from the %s %s by more than chance explains.', runs,
			before);
	END IF;
	RETURN format('%s from the %s %s (q at most 0.05), the most %s: %s instead of %s.', CASE v_count WHEN 1
		THEN 'One of the functions below differs' ELSE v_count || ' of the functions below differ' END, runs, before,
		c ->> 'frame',
		profiling.page_value((c ->> 'actual')::float8, unit), profiling.page_value((c ->> 'expected')::float8, unit));
END
$$;

COMMENT ON FUNCTION verdict_text(bigint, text, text, jsonb, int, text, text)
	IS 'a report in a sentence: what, by how much, since when, whose; before: what it is compared with, and runs: how '
		'many of them';

CREATE OR REPLACE FUNCTION run_facts(benchmark_id bigint, test_run_id bigint, branch text, event text, unit text) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN (SELECT jsonb_build_array(jsonb_build_array('Suite', nullif(b.suite, '')),
			jsonb_build_array('Benchmark', b.name))
			|| CASE WHEN b.parameters = '{}' THEN '[]'::jsonb
				ELSE jsonb_build_array(jsonb_build_array('Parameters', b.parameters::text)) END
			|| jsonb_build_array(jsonb_build_array('Branch', nullif(run_facts.branch, '')),
				jsonb_build_array('Commit', nullif(t.commit, '')))
			|| CASE WHEN t.version = '' THEN '[]'::jsonb
				ELSE jsonb_build_array(jsonb_build_array('Version', t.version)) END
			|| jsonb_build_array(jsonb_build_array('Run', format('%s, %s', t.test_run_id,
				profiling.page_time(t.started_at))),
				jsonb_build_array('Event', format('%s, in %s', run_facts.event, run_facts.unit)))
		FROM profiling.benchmark AS b, profiling.test_run AS t
		WHERE b.benchmark_id = run_facts.benchmark_id AND t.test_run_id = run_facts.test_run_id);
END
$$;

COMMENT ON FUNCTION run_facts(bigint, bigint, text, text, text) IS 'what a page is about, for its facts';

CREATE OR REPLACE FUNCTION candidate_columns(unit text) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN '[{"name": "rank", "label": "Rank", "kind": "number"}, {"name": "frame", "label": "Function", "link":
		"link"}]'
		|| jsonb_build_array(jsonb_build_object('name', 'expected', 'label', 'Expected', 'kind', 'number', 'unit',
			unit),
			jsonb_build_object('name', 'actual', 'label', 'Actual', 'kind', 'number', 'unit', unit),
			jsonb_build_object('name', 'diff', 'label', 'Diff', 'kind', 'number', 'signed', true, 'unit',
				unit))
		|| '[{"name": "score", "label": "Score", "kind": "number"}, {"name": "q", "label": "q", "kind": "number"},
			{"name": "status", "label": "Status", "kind": "status"}, {"name": "series", "label": "Values",
				"kind": "spark"},
			{"name": "arrow", "label": "Share", "kind": "arrow"}]'::jsonb;
END
$$;

COMMENT ON FUNCTION candidate_columns(text) IS 'the columns of the candidates of a report';

CREATE OR REPLACE FUNCTION candidate_section(c jsonb, rows jsonb, fg flamegraph, unit text, trend text) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN jsonb_build_object('details', format('Candidate %s: %s', c ->> 'rank', c ->> 'frame'), 'anchor',
		'candidate-' || (c ->> 'rank'), 'sections',
		jsonb_build_array(jsonb_build_object('table', jsonb_build_array(c - 'link'), 'columns',
				profiling.candidate_columns(unit) #- '{1,link}'))
		|| CASE WHEN trend IS NULL THEN '[]' ELSE jsonb_build_array(jsonb_build_object('svg', trend)) END
		|| profiling.trace_sections(rows, (c ->> 'rank')::int, 'child'::text)
		|| profiling.trace_sections(rows, (c ->> 'rank')::int, 'parent'::text)
		|| jsonb_build_array(jsonb_build_object('svg', profiling.page_sandwich(fg, c ->> 'frame', unit), 'caption',
			'Above the function its callers, below it what it calls; values are the actual ones')));
END
$$;

COMMENT ON FUNCTION candidate_section(jsonb, jsonb, flamegraph, text, text)
	IS 'all about one candidate, as a part of a page that opens; trend: a picture, null where there is none';

CREATE OR REPLACE FUNCTION how_computed(window_size int, runs int, starts timestamptz[], measure text) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_side CONSTANT record := profiling.compared_sides(starts);
BEGIN
	RETURN jsonb_build_object('details', 'How this was computed', 'sections', jsonb_build_array(
		jsonb_build_object('text',
			format('Expected is the mean of the %s %s%s; actual is the value of %s, diff their difference. Values are '
				'those of measure "%s".', runs, v_side.before, CASE WHEN starts IS NULL THEN format(' on the same '
				'branch (the window is %s), each the mean of its repetitions', window_size) ELSE '' END, v_side.now,
				measure)),
		jsonb_build_object('text',
			format('Score is diff in standard deviations of the %s, which are at least those of a count of samples: a '
				'score of 2 lies on the edge of the band of 2 deviations. q is the probability of a difference like '
				'this by chance (t test), corrected for the number of functions (Benjamini and Hochberg).',
				v_side.before)),
		jsonb_build_object('text',
			format('Status: + seen for the first time, - not seen any more. Values: of the %s, and of %s last. '
				'Share: the arrow between the share of the function before and now; up costs more.', v_side.before,
				v_side.now)),
		jsonb_build_object('text',
			'Child traces are read from the bottom: the candidate stands there and each row above is called by the '
			'one below it. Parent traces are read from the top: each row calls the one above it. Candidate diff and '
			'score '
			'are the candidate''s in the call stack so far.'),
		jsonb_build_object('text',
			'Candidates are looked for and followed as by Lundberg and Rettig (2024); report() has the same rows '
			'in SQL, report_text() in Markdown.')));
END
$$;

COMMENT ON FUNCTION how_computed(int, int, timestamptz[], text)
	IS 'how to read a report, as a part of a page that opens; starts: as compared_sides() has them';

CREATE OR REPLACE FUNCTION page_candidates(rows jsonb, fgs flamegraph[], history flamegraph[], current flamegraph, window_size int,
		measure text, poisson_unit float8) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_frames CONSTANT text[] := ARRAY(SELECT x.row ->> 'frame' FROM jsonb_array_elements(rows) AS x (row)
		WHERE x.row ->> 'section' = 'candidate');
BEGIN
	RETURN (SELECT coalesce(jsonb_agg(x.row || jsonb_build_object('q', q.q_value, 'arrow', a.arrow, 'link',
			'candidate-' || (x.row ->> 'rank'), 'series', s.series) ORDER BY (x.row ->> 'rank')::int), '[]')
		FROM jsonb_array_elements(page_candidates.rows) AS x (row)
			LEFT JOIN profiling.page_scores(page_candidates.history, page_candidates.current,
				page_candidates.window_size,
				page_candidates.measure, page_candidates.poisson_unit, v_frames) AS q ON q.frame = x.row ->> 'frame'
			LEFT JOIN profiling.page_arrows(page_candidates.history, page_candidates.current, v_frames) AS a
				ON a.frame = x.row ->> 'frame'
			LEFT JOIN (SELECT p.frame, jsonb_agg(p.value ORDER BY p.n) AS series
				FROM profiling.page_series(page_candidates.fgs, v_frames, page_candidates.measure) AS p GROUP BY
					p.frame) AS s
				ON s.frame = x.row ->> 'frame'
		WHERE x.row ->> 'section' = 'candidate');
END
$$;

COMMENT ON FUNCTION page_candidates(jsonb, flamegraph[], flamegraph[], flamegraph, int, text, float8)
	IS 'the candidates of a report with what a page has besides: q, the arrow, and their values in the last runs';

CREATE OR REPLACE FUNCTION candidate_trend(c jsonb, starts timestamptz[], window_size int, poisson_unit float8, unit text,
		findings jsonb) RETURNS text
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	-- The pods of a deploy are of one hour.
	IF starts[1] = starts[cardinality(starts)] THEN
		RETURN NULL;
	END IF;
	RETURN (SELECT profiling.page_trend(candidate_trend.starts, array_agg(m.value ORDER BY m.n),
			array_agg(m.mean ORDER BY m.n), array_agg(m.mean - 2 * m.spread ORDER BY m.n),
			array_agg(m.mean + 2 * m.spread ORDER BY m.n), candidate_trend.window_size, 2::float8, NULL::int[],
			candidate_trend.findings, NULL::text[], candidate_trend.c ->> 'frame', candidate_trend.unit, 900, 320,
			'{}'::jsonb)
		FROM (SELECT s.n, s.value, s.mean, CASE WHEN s.spread IS NOT NULL THEN greatest(s.spread,
				sqrt(candidate_trend.poisson_unit * greatest(s.mean, candidate_trend.poisson_unit))) END AS spread
			FROM (SELECT v.n, v.value, avg(v.value) OVER w AS mean, stddev_samp(v.value) OVER w AS spread
				FROM (SELECT e.n, e.value::float8 AS value
					FROM jsonb_array_elements_text(candidate_trend.c -> 'series') WITH ORDINALITY AS e (value, n)) AS v
				WINDOW w AS (ORDER BY v.n ROWS BETWEEN candidate_trend.window_size PRECEDING AND 1 PRECEDING)) AS s) AS
					m);
END
$$;

COMMENT ON FUNCTION candidate_trend(jsonb, timestamptz[], int, float8, text, jsonb)
	IS 'a candidate over the last runs, with the band that its score is about; null where these are of one time';

CREATE OR REPLACE FUNCTION metric_trend(benchmark_id bigint, event text, unit text, branch text, window_size int, runs int,
		until timestamptz, title text) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN (SELECT profiling.page_trend(t.starts, t.ys, t.means, t.lowers, t.uppers, metric_trend.window_size,
		2::float8,
			profiling.page_changes(t.ys), profiling.page_findings(metric_trend.benchmark_id, metric_trend.event,
				metric_trend.branch, NULL::text, t.ids), NULL::text[], metric_trend.title, t.unit, 900, 360,
					'{}'::jsonb)
		FROM (SELECT array_agg(x.test_run_id ORDER BY x.started_at, x.test_run_id) AS ids,
				array_agg(x.started_at ORDER BY x.started_at, x.test_run_id) AS starts,
				array_agg(x.value ORDER BY x.started_at, x.test_run_id) AS ys,
				array_agg(x.mean ORDER BY x.started_at, x.test_run_id) AS means,
				array_agg(x.lower ORDER BY x.started_at, x.test_run_id) AS lowers,
				array_agg(x.upper ORDER BY x.started_at, x.test_run_id) AS uppers, max(x.value_unit) AS unit
			FROM profiling.page_runs_of(metric_trend.benchmark_id, metric_trend.event, metric_trend.unit,
				metric_trend.branch, metric_trend.window_size, 2::float8, metric_trend.runs, 'metric'::text,
				metric_trend.until) AS x) AS t
		WHERE t.ids IS NOT NULL);
END
$$;

COMMENT ON FUNCTION metric_trend(bigint, text, text, text, int, int, timestamptz, text)
	IS 'the metric of a benchmark over its last runs up to a time, with change points and findings';

CREATE OR REPLACE FUNCTION since_when(benchmark_id bigint, event text, unit text, branch text, window_size int, runs int,
		run_id bigint, title text) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN jsonb_build_array(jsonb_build_object('heading', 'Since when'), jsonb_build_object('svg',
		profiling.metric_trend(benchmark_id, event, unit, branch, window_size, runs,
			(SELECT t.started_at FROM profiling.test_run AS t WHERE t.test_run_id = run_id), title)));
END
$$;

COMMENT ON FUNCTION since_when(bigint, text, text, text, int, int, bigint, text)
	IS 'metric_trend() up to a run, as a part of a page';

CREATE OR REPLACE FUNCTION where_section(history flamegraph[], current flamegraph, name text, unit text, window_size int,
		poisson_unit float8, starts timestamptz[]) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_side CONSTANT record := profiling.compared_sides(starts);
BEGIN
	RETURN jsonb_build_array(jsonb_build_object('heading', 'Where'), jsonb_build_object('svg',
		CASE WHEN cardinality(history) > 0 THEN profiling.page_difference(history, current, format(
			'%s %s against %s', cardinality(history), v_side.before, v_side.now), unit, window_size, poisson_unit)
		ELSE profiling.page_flame(current, name, unit) END));
END
$$;

COMMENT ON FUNCTION where_section(flamegraph[], flamegraph, text, text, int, float8, timestamptz[])
	IS 'a run against the runs before as a picture of a page, or alone where there are none; starts: as '
		'compared_sides() has them';

CREATE OR REPLACE FUNCTION candidate_sections(benchmark_id bigint, event text, branch text, unit text, candidates jsonb, rows
	jsonb,
		current flamegraph, ids bigint[], starts timestamptz[], window_size int, poisson_unit float8) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF candidates = '[]' THEN
		RETURN candidates;
	END IF;
	RETURN jsonb_build_array(jsonb_build_object('heading', 'Candidates'))
		|| (SELECT jsonb_agg(profiling.candidate_section(c, rows, current, unit, profiling.candidate_trend(c, starts,
				window_size, poisson_unit, unit, profiling.page_findings(benchmark_id, event, branch, c ->> 'frame',
					ids)))
				ORDER BY n)
			FROM jsonb_array_elements(candidates) WITH ORDINALITY AS e (c, n));
END
$$;

COMMENT ON FUNCTION candidate_sections(bigint, text, text, text, jsonb, jsonb, flamegraph, bigint[], timestamptz[], int,
	float8) IS 'all candidates of a report as parts of a page';

CREATE OR REPLACE FUNCTION page_history(benchmark_id bigint, event text, unit text, branch text, run_id bigint, runs int,
		history flamegraph[], current flamegraph, service_starts timestamptz[], OUT ids bigint[],
		OUT starts timestamptz[], OUT fgs flamegraph[])
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	IF service_starts IS NOT NULL THEN
		-- Hours of a service are no runs, but for that which has the finding.
		starts := service_starts;
		ids := array_fill(NULL::bigint, ARRAY[cardinality(history)]) || page_history.run_id;
		fgs := history || current;
		RETURN;
	END IF;
	ids := profiling.runs_before(page_history.benchmark_id, page_history.event, page_history.unit,
		page_history.branch, page_history.run_id, 'window:' || greatest(runs - 1, 1)) || page_history.run_id;
	starts := ARRAY(SELECT t.started_at FROM unnest(ids) WITH ORDINALITY AS u (id, n)
		JOIN profiling.test_run AS t ON t.test_run_id = u.id ORDER BY u.n);
	IF cardinality(history) >= 2 THEN
		fgs := (profiling.run_means(page_history.benchmark_id, page_history.event, page_history.unit, ids)).fgs;
	END IF;
END
$$;

COMMENT ON FUNCTION page_history(bigint, text, text, text, bigint, int, flamegraph[], flamegraph, timestamptz[])
	IS 'the runs that the trends of a page show: their numbers, starts and mean profiles, where there are enough to '
		'compare; of a service its hours';

CREATE OR REPLACE FUNCTION report_html(benchmark_id bigint, test_run_id bigint DEFAULT NULL, options jsonb DEFAULT '{}') RETURNS
	text
	LANGUAGE plpgsql STABLE COST 100000 SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 AS $$
#variable_conflict use_column
DECLARE
	v_options CONSTANT jsonb := coalesce(report_html.options, '{}');
	v_runs CONSTANT int := profiling.page_runs(v_options, 30);
	v_theme CONSTANT jsonb := jsonb_strip_nulls(jsonb_build_object('theme', v_options -> 'theme'));
	i CONSTANT record := profiling.report_inputs(report_html.benchmark_id, report_html.test_run_id,
		v_options - '{theme,runs}'::text[]);
	v_measure CONSTANT text := coalesce(i.others ->> 'metric', 'total');
	v_unit_of CONSTANT float8 := (i.others ->> 'poisson_unit')::float8;
	v_facts CONSTANT jsonb := profiling.run_facts(report_html.benchmark_id, i.run_id, i.branch, i.event, i.unit);
	v_name CONSTANT text := (SELECT b.name FROM profiling.benchmark AS b
		WHERE b.benchmark_id = report_html.benchmark_id);
	v_shown CONSTANT record := profiling.page_history(report_html.benchmark_id, i.event, i.unit, i.branch, i.run_id,
		v_runs, i.history, i.current, i.starts);
	v_ids CONSTANT bigint[] := v_shown.ids;
	v_starts CONSTANT timestamptz[] := v_shown.starts;
	v_earlier CONSTANT int := cardinality(i.history);
	v_before CONSTANT text := (profiling.compared_sides(i.starts)).before;
	v_rows jsonb := '[]';
	v_candidates jsonb := '[]';
	v_sections jsonb;
	v_open CONSTANT jsonb := profiling.finding_rows(report_html.benchmark_id, i.event, i.branch, false);
BEGIN
	-- A deviation needs two runs.
	IF v_earlier >= 2 THEN
		v_rows := (SELECT coalesce(jsonb_agg(to_jsonb(r)), '[]') FROM profiling.report_rows(i.history, i.current,
			i.candidates,
			i.selection, i.others) AS r);
		v_candidates := profiling.page_candidates(v_rows, v_shown.fgs, i.history, i.current, i.window_size, v_measure,
			v_unit_of);
	END IF;
	v_sections := jsonb_build_array(jsonb_build_object('facts', v_facts || jsonb_build_array(CASE WHEN i.starts IS NULL
		THEN jsonb_build_array('Window', format('%s runs, of which there are %s', i.window_size, v_earlier))
		ELSE jsonb_build_array('Compared with', format('%s %s', v_earlier, v_before)) END)));
	IF v_candidates <> '[]' THEN
		v_sections := v_sections || jsonb_build_array(jsonb_build_object('heading', 'Overview'),
			jsonb_build_object('table', v_candidates, 'columns', profiling.candidate_columns(i.unit), 'caption',
				'The functions that differ most from the ' || v_before));
	END IF;
	v_sections := v_sections || profiling.where_section(i.history, i.current, v_name, i.unit, i.window_size, v_unit_of,
		i.starts);
	v_sections := v_sections || CASE WHEN i.starts IS NULL
			THEN profiling.since_when(report_html.benchmark_id, i.event, i.unit, i.branch, i.window_size, v_runs,
				i.run_id, v_name)
			ELSE '[]' END
		|| profiling.finding_section('Whose'::text, v_open, false,
			'Open findings of this benchmark, event and branch'::text, 'No finding is open.'::text);
	v_sections := v_sections || profiling.candidate_sections(report_html.benchmark_id, i.event, i.branch, i.unit,
		v_candidates,
		v_rows, i.current, v_ids, v_starts, i.window_size, v_unit_of);
	v_sections := v_sections || profiling.how_computed(i.window_size, v_earlier, i.starts, v_measure);
	RETURN profiling.page_of(format('%s: run %s, %s', v_name, i.run_id,
		profiling.page_time(v_starts[cardinality(v_starts)])),
		v_sections, v_theme || jsonb_build_object('subtitle', profiling.verdict_text(report_html.benchmark_id, i.event,
			i.branch, v_candidates, v_earlier, v_before, i.unit)));
END
$$;

COMMENT ON FUNCTION report_html(bigint, bigint, jsonb)
	IS 'report() as a page of HTML (Lundberg & Rettig 2024, appendix B): the verdict, what it is of, the candidates '
		'with q '
		'and their last values, where the difference is, since when, whose findings are open, and each candidate with '
		'its '
		'trend, its traces and its callers and callees; the options of report(), theme (auto, light, dark) and runs '
		'(30) '
		'of trends';

CREATE OR REPLACE FUNCTION newest_day() RETURNS timestamptz
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT date_trunc('day'::text, max(r.started_at) AT TIME ZONE 'UTC'::text) AT TIME ZONE 'UTC'::text
		FROM rollup AS r WHERE r.span = 'run' AND has_begun(r.started_at);
	END;

COMMENT ON FUNCTION newest_day() IS 'the begin of the newest day, in UTC, on which there are runs';

CREATE OR REPLACE FUNCTION series_of_night(since timestamptz)
	RETURNS TABLE (benchmark_id bigint, event text, unit text, branch text)
	LANGUAGE sql STABLE ROWS 100
	BEGIN ATOMIC
		SELECT DISTINCT ON (r.benchmark_id, r.branch) r.benchmark_id, r.event, r.unit, r.branch
		FROM rollup AS r
		WHERE r.span = 'run' AND r.started_at >= series_of_night.since AND has_begun(r.started_at)
		-- One event of each: cpu where there is one, as the metric is the same for all.
		ORDER BY r.benchmark_id, r.branch, (r.event = 'cpu') DESC, r.event COLLATE "C", r.unit COLLATE "C";
	END;

COMMENT ON FUNCTION series_of_night(timestamptz)
	IS 'benchmarks and branches with a run since a time, one event and unit of each';

CREATE OR REPLACE FUNCTION night_lines(since timestamptz, runs int)
	RETURNS TABLE (benchmark_id bigint, suite text, name text, parameters jsonb, event text, unit text, branch text,
		test_run_id bigint, value float8, value_unit text, change float8, score float8, degradations bigint,
		optimizations bigint, starts timestamptz[], series float8[])
	LANGUAGE plpgsql STABLE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT k.benchmark_id, b.suite, b.name, b.parameters, k.event, k.unit, k.branch, n.test_run_id, n.value,
		n.value_unit,
		profiling.ratio(n.value - n.mean, abs(n.mean)), profiling.ratio(n.value - n.mean, n.stddev),
		(SELECT count(*) FROM profiling.findings_of(k.benchmark_id) AS f WHERE f.branch = k.branch
			AND f.status IN ('open', 'acknowledged') AND f.kind = 'degradation'),
		(SELECT count(*) FROM profiling.findings_of(k.benchmark_id) AS f WHERE f.branch = k.branch
			AND f.status IN ('open', 'acknowledged') AND f.kind = 'optimization'), n.starts, n.series
	FROM profiling.series_of_night(night_lines.since) AS k
		JOIN profiling.benchmark AS b ON b.benchmark_id = k.benchmark_id
		CROSS JOIN LATERAL (SELECT (array_agg(x.test_run_id ORDER BY x.started_at DESC, x.test_run_id DESC))[1] AS
			test_run_id,
				(array_agg(x.value ORDER BY x.started_at DESC, x.test_run_id DESC))[1] AS value, max(x.value_unit) AS
					value_unit,
				(array_agg(x.mean ORDER BY x.started_at DESC, x.test_run_id DESC))[1] AS mean,
				(array_agg(x.stddev ORDER BY x.started_at DESC, x.test_run_id DESC))[1] AS stddev,
				array_agg(x.started_at ORDER BY x.started_at, x.test_run_id) AS starts,
				array_agg(x.value ORDER BY x.started_at, x.test_run_id) AS series
			FROM profiling.page_runs_of(k.benchmark_id, k.event, k.unit, k.branch, 10, 2::float8, night_lines.runs,
				'metric'::text, 'infinity'::timestamptz) AS x) AS n;
END
$$;

COMMENT ON FUNCTION night_lines(timestamptz, int)
	IS 'each benchmark and branch that has runs since then: the newest run''s metric (or total) against the 10 before, '
		'open findings, the last so many values';

CREATE OR REPLACE FUNCTION night_findings(since timestamptz, shown bigint[])
	RETURNS TABLE (team text, benchmark text, what text, kind text, status text, change float8, first_at timestamptz,
		first_commit text, is_new bool, link text)
	LANGUAGE plpgsql STABLE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT coalesce(nullif(r.team, ''), 'nobody'), concat_ws(' ', r.name, nullif(nullif(r.event, 'cpu'), ''),
			nullif(r.branch, '')),
		CASE r.level WHEN 'metric' THEN 'the metric' ELSE profiling.subject_text(r.subject) END, r.kind, r.status,
		r.relative, r.first_started_at, r.first_commit, coalesce(r.last_started_at >= night_findings.since
			AND r.first_started_at >= night_findings.since, false),
		CASE WHEN r.benchmark_id = ANY (night_findings.shown) THEN 'benchmark-' || r.benchmark_id END
	FROM profiling.regression_history AS r
	WHERE r.status IN ('open', 'acknowledged')
		OR r.status = 'resolved' AND r.closed_at >= night_findings.since
	ORDER BY 1, (r.status = 'resolved'), (r.kind <> 'degradation'), abs(r.relative) DESC NULLS LAST, r.regression_id;
END
$$;

COMMENT ON FUNCTION night_findings(timestamptz, bigint[])
	IS 'findings that are open, and those that went away since, by team; is_new: first seen since then; link: to those '
		'benchmarks that the page shows';

CREATE OR REPLACE FUNCTION night_verdict(lines int, findings jsonb) RETURNS text
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	f CONSTANT record := (SELECT x FROM (SELECT
		count(*) FILTER (WHERE e ->> 'kind' = 'degradation' AND e ->> 'status' <> 'resolved') AS open,
		count(*) FILTER (WHERE e ->> 'kind' = 'degradation' AND e ->> 'status' <> 'resolved' AND (e ->> 'is_new')::bool)
			AS fresh,
		count(DISTINCT e ->> 'benchmark') FILTER (WHERE e ->> 'kind' = 'degradation' AND e ->> 'status' <> 'resolved')
			AS benchmarks,
		count(*) FILTER (WHERE e ->> 'status' = 'resolved') AS resolved
		FROM jsonb_array_elements(findings) AS e) AS x);
	v_teams CONSTANT text := (SELECT string_agg(format('%s %s', t.team, t.n), ', ' ORDER BY t.n DESC, t.team COLLATE
		"C")
		FROM (SELECT e ->> 'team' AS team, count(*) AS n FROM jsonb_array_elements(findings) AS e
			WHERE e ->> 'kind' = 'degradation' AND e ->> 'status' <> 'resolved' GROUP BY 1) AS t);
	v_worst CONSTANT jsonb := (SELECT e FROM jsonb_array_elements(findings) WITH ORDINALITY AS x (e, n)
		WHERE e ->> 'kind' = 'degradation' AND e ->> 'status' <> 'resolved'
		ORDER BY (e ->> 'is_new')::bool DESC, abs((e ->> 'change')::float8) DESC NULLS LAST, n LIMIT 1);
BEGIN
	IF f.open = 0 THEN
		RETURN format('All is well: no degradation is open in %s of this night%s.', CASE lines WHEN 1
			THEN 'the one benchmark' ELSE 'the ' || lines || ' benchmarks' END,
			CASE WHEN f.resolved > 0 THEN format('; %s went away', f.resolved) ELSE '' END);
	END IF;
	RETURN format('%s: %s of %s new. The largest: %s in %s %s, since %s. By team: %s.', CASE f.benchmarks WHEN 1
			THEN 'One benchmark is degraded' ELSE f.benchmarks || ' benchmarks are degraded' END, f.fresh,
		CASE f.open WHEN 1 THEN 'one finding is' ELSE f.open || ' findings are' END, v_worst ->> 'what',
		v_worst ->> 'benchmark', profiling.page_percent((v_worst ->> 'change')::float8), v_worst ->> 'since', v_teams);
END
$$;

COMMENT ON FUNCTION night_verdict(int, jsonb) IS 'a night in a sentence';

CREATE OR REPLACE FUNCTION night_trends(since timestamptz, runs int, shown int) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN (SELECT profiling.page_trend(array_agg(v.start ORDER BY o.n, v.at), array_agg(v.value ORDER BY o.n, v.at),
			NULL::float8[], NULL::float8[], NULL::float8[], 10, 2::float8, NULL::int[], '[]'::jsonb,
			array_agg(o.label ORDER BY o.n, v.at), 'Last runs of each benchmark'::text, NULL::text, 900, 150,
			'{"free_y": true, "columns": 3}'::jsonb)
		FROM (SELECT x.*, concat_ws(', ', concat_ws(' ', x.name, nullif(x.branch, ''), CASE WHEN x.same > 1
					THEN '(' || x.benchmark_id || ')' END), nullif(x.value_unit, '')) AS label
			FROM (SELECT l.*, row_number() OVER (ORDER BY l.degradations DESC, l.name COLLATE "C", l.branch COLLATE "C",
					l.benchmark_id) AS n, count(*) OVER (PARTITION BY l.name, l.branch, l.value_unit) AS same
				FROM profiling.night_lines(night_trends.since, night_trends.runs) AS l) AS x
			WHERE x.n <= night_trends.shown) AS o
			CROSS JOIN LATERAL unnest(o.starts, o.series) WITH ORDINALITY AS v (start, value, at));
END
$$;

COMMENT ON FUNCTION night_trends(timestamptz, int, int) IS
	'the metrics of the benchmarks of a night as small multiples';

CREATE OR REPLACE FUNCTION night_details(benchmark_id bigint, name text, event text, unit text, branch text, runs int) RETURNS
	jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_rows CONSTANT jsonb := profiling.finding_rows(benchmark_id, NULL::text, NULL::text, false);
BEGIN
	RETURN jsonb_build_object('details', concat_ws(' ', name, nullif(branch, '')), 'anchor', 'benchmark-' ||
		benchmark_id,
		'sections', jsonb_build_array(
			jsonb_build_object('table', v_rows, 'columns', profiling.finding_columns(v_rows, false)),
			jsonb_build_object('svg', profiling.metric_trend(benchmark_id, event, unit, branch, 10, runs,
				'infinity'::timestamptz, name))));
END
$$;

COMMENT ON FUNCTION night_details(bigint, text, text, text, text, int)
	IS 'a benchmark with findings, as a part of the page of a night';

CREATE OR REPLACE FUNCTION night_columns(of_findings bool) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF of_findings THEN
		RETURN '[{"name": "team", "label": "Team"},
				{"name": "benchmark", "label": "Benchmark", "link": "link"}, {"name": "what", "label": "What"},
				{"name": "change", "label": "Change", "kind": "share", "signed": true},
				{"name": "kind", "label": "Kind", "kind": "status"},
				{"name": "since", "label": "Since"}, {"name": "status", "label": "Status", "kind": "status"}]'::jsonb;
	END IF;
	RETURN '[{"name": "benchmark", "label": "Benchmark", "link": "link"}, {"name": "suite", "label": "Suite"},
				{"name": "branch", "label": "Branch"}, {"name": "metric", "label": "Metric"},
				{"name": "change", "label": "Change", "kind": "share", "signed": true},
				{"name": "score", "label": "Score", "kind": "number"},
				{"name": "degradations", "label": "Degradations", "kind": "number"},
				{"name": "optimizations", "label": "Optimizations", "kind": "number"},
				{"name": "series", "label": "Last runs", "kind": "spark"}]'::jsonb;
END
$$;

COMMENT ON FUNCTION night_columns(bool) IS 'the columns of the findings of a night, or of its benchmarks';

CREATE OR REPLACE FUNCTION all_night_details(since timestamptz) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN (SELECT jsonb_agg(profiling.night_details(d.benchmark_id, d.name, d.event, d.unit, d.branch, 50) ORDER BY
		d.degradations DESC,
		d.name COLLATE "C", d.benchmark_id)
	FROM (SELECT DISTINCT ON (l.benchmark_id) l.* FROM profiling.night_lines(all_night_details.since, 2) AS l
		WHERE l.degradations + l.optimizations > 0
		ORDER BY l.benchmark_id, l.degradations DESC, l.branch COLLATE "C") AS d);
END
$$;

COMMENT ON FUNCTION all_night_details(timestamptz) IS
	'night_details() of each benchmark that has findings; null for none';

CREATE OR REPLACE FUNCTION night_html(since timestamptz DEFAULT NULL, options jsonb DEFAULT '{}') RETURNS text
	LANGUAGE plpgsql STABLE COST 1000000 SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 AS $$
#variable_conflict use_column
DECLARE
	v_options CONSTANT jsonb := profiling.page_options(options, VARIADIC '{theme,runs}'::text[]);
	v_runs CONSTANT int := profiling.page_runs(v_options, 20);
	v_since CONSTANT timestamptz := coalesce(night_html.since, profiling.newest_day());
	v_most_trends CONSTANT int := 99;
	v_lines jsonb;
	v_findings jsonb;
	v_sections jsonb;
	v_ids bigint[];
	v_last timestamptz;
BEGIN
	SELECT coalesce(jsonb_agg(jsonb_build_object('benchmark', concat_ws(' ', l.name, CASE WHEN l.parameters <> '{}'
				THEN l.parameters::text END), 'suite', nullif(l.suite, ''), 'branch', nullif(l.branch, ''),
			'metric', profiling.page_value(l.value, l.value_unit), 'change', l.change, 'score', l.score,
			'degradations', nullif(l.degradations, 0), 'optimizations', nullif(l.optimizations, 0), 'series', l.series,
			'link', CASE WHEN l.degradations + l.optimizations > 0 THEN 'benchmark-' || l.benchmark_id END)
			ORDER BY l.degradations DESC, abs(l.score) DESC NULLS LAST, l.name COLLATE "C", l.branch COLLATE "C",
			l.benchmark_id), '[]'),
		array_agg(DISTINCT l.benchmark_id) FILTER (WHERE l.degradations + l.optimizations > 0),
		max(l.starts[cardinality(l.starts)])
	INTO v_lines, v_ids, v_last FROM profiling.night_lines(v_since, v_runs) AS l;
	SELECT coalesce(jsonb_agg(to_jsonb(f) || jsonb_build_object('since', concat_ws(', ', coalesce(
			profiling.page_time(f.first_at), 'unknown'), profiling.page_commit(f.first_commit)))), '[]')
	INTO v_findings FROM profiling.night_findings(v_since, coalesce(v_ids, '{}')) AS f;
	v_sections := '[]';
	IF v_findings <> '[]' THEN
		v_sections := v_sections || jsonb_build_array(jsonb_build_object('heading', 'Findings by team'),
			jsonb_build_object('table', v_findings, 'columns', profiling.night_columns(true)));
	END IF;
	IF v_lines <> '[]' THEN
		v_sections := v_sections || jsonb_build_array(jsonb_build_object('heading', 'Benchmarks'),
			jsonb_build_object('table', v_lines, 'caption', 'The newest run of each against the 10 before', 'columns',
				profiling.night_columns(false)),
			jsonb_build_object('heading', 'Trends'), jsonb_build_object('svg', profiling.night_trends(v_since, v_runs,
				v_most_trends)) || CASE WHEN jsonb_array_length(v_lines) > v_most_trends THEN
					jsonb_build_object('caption',
				format('The first %s of %s; the table has them all.', v_most_trends, jsonb_array_length(v_lines)))
				ELSE '{}' END);
		v_sections := v_sections || coalesce(jsonb_build_array(jsonb_build_object('heading',
			'Benchmarks with findings'))
			|| profiling.all_night_details(v_since), '[]');
	END IF;
	RETURN profiling.page_of(CASE WHEN v_since IS NULL THEN 'Night' ELSE 'Night of ' ||
		left(profiling.page_time(v_since), 10)
		END, v_sections, jsonb_strip_nulls(jsonb_build_object('theme', v_options -> 'theme', 'subtitle',
			CASE WHEN v_lines = '[]' THEN 'There are no runs.' ELSE profiling.night_verdict(jsonb_array_length(v_lines),
				v_findings) END, 'notes', 'newest run: ' || profiling.page_time(v_last))));
END
$$;

COMMENT ON FUNCTION night_html(timestamptz, jsonb)
	IS 'a night as a page of HTML: the verdict, findings by team, a line for each benchmark that has runs since then '
		'(null: the newest day in UTC that has some), their trends, and those with findings in detail; options: theme '
		'(auto, light, dark), runs (20) of lines and trends';

CREATE OR REPLACE FUNCTION benchmark_verdict(benchmark_id bigint) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	r record;
BEGIN
	SELECT h.*, count(*) OVER () AS findings INTO r FROM profiling.regression_history AS h
	WHERE h.benchmark_id = benchmark_verdict.benchmark_id AND h.status IN ('open', 'acknowledged')
		AND h.kind = 'degradation'
	ORDER BY (h.level = 'metric'), abs(h.diff) DESC NULLS LAST, h.regression_id LIMIT 1;
	RETURN coalesce(format('Degraded: %s %s since %s%s; team: %s. %s open.', CASE r.level WHEN 'metric' THEN
		'the metric'
			ELSE profiling.subject_text(r.subject) END, profiling.page_percent(r.relative),
		coalesce(profiling.page_time(r.first_started_at), 'unknown'), coalesce(' (commit '
			|| profiling.page_commit(r.first_commit) || ')', ''), coalesce(nullif(r.team, ''), 'nobody'),
			CASE r.findings WHEN 1 THEN 'One degradation is'
			ELSE r.findings || ' degradations are' END), 'No degradation is open.');
END
$$;

COMMENT ON FUNCTION benchmark_verdict(bigint) IS 'a benchmark in a sentence: what is degraded, since when, whose it is';

CREATE OR REPLACE FUNCTION benchmark_html(benchmark_id bigint, options jsonb DEFAULT '{}') RETURNS text
	LANGUAGE plpgsql STABLE COST 100000 SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 AS $$
#variable_conflict use_column
DECLARE
	v_options CONSTANT jsonb := profiling.page_options(options, VARIADIC '{theme,runs,event,branch}'::text[]);
	v_runs CONSTANT int := profiling.page_runs(v_options, 50);
	v_name CONSTANT text := (SELECT b.name FROM profiling.benchmark AS b
		WHERE b.benchmark_id = benchmark_html.benchmark_id);
	v_sections jsonb;
	n record;
	v_means record;
	v_heat bigint[];
	v_open CONSTANT jsonb := profiling.finding_rows(benchmark_html.benchmark_id, NULL::text, NULL::text, false);
	v_closed CONSTANT jsonb := profiling.finding_rows(benchmark_html.benchmark_id, NULL::text, NULL::text, true);
BEGIN
	IF v_name IS NULL THEN
		RAISE EXCEPTION 'there is no benchmark %', coalesce(benchmark_html.benchmark_id::text, 'NULL')
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Table profiling.benchmark lists them.';
	END IF;
	SELECT r.test_run_id, r.event, r.unit, r.branch, r.started_at INTO n FROM profiling.rollup AS r
	WHERE r.benchmark_id = benchmark_html.benchmark_id AND r.span = 'run' AND profiling.has_begun(r.started_at)
		AND (v_options ->> 'event' IS NULL OR r.event = v_options ->> 'event')
		AND (v_options ->> 'branch' IS NULL OR r.branch = v_options ->> 'branch')
	ORDER BY (r.event = 'cpu') DESC, r.started_at DESC, r.test_run_id DESC, r.event COLLATE "C", r.unit COLLATE "C"
		LIMIT 1;
	v_sections := '[]';
	IF n.test_run_id IS NULL THEN
		v_sections := v_sections || jsonb_build_array(jsonb_build_object('text', 'There are no runs.'));
	ELSE
		v_heat := profiling.runs_before(benchmark_html.benchmark_id, n.event, n.unit, n.branch, n.test_run_id,
			'window:29')
			|| n.test_run_id;
		v_means := profiling.run_means(benchmark_html.benchmark_id, n.event, n.unit, v_heat);
		v_sections := v_sections || jsonb_build_array(jsonb_build_object('facts', profiling.run_facts(
				benchmark_html.benchmark_id, n.test_run_id, n.branch, n.event, n.unit)),
			jsonb_build_object('heading', 'Since when'),
			jsonb_build_object('svg', profiling.metric_trend(benchmark_html.benchmark_id, n.event, n.unit, n.branch, 10,
				v_runs, 'infinity'::timestamptz, v_name)));
	END IF;
	v_sections := v_sections || profiling.finding_section('Open findings'::text, v_open, false, NULL::text,
		'None.'::text);
	IF n.test_run_id IS NOT NULL THEN
		v_sections := v_sections || jsonb_build_array(jsonb_build_object('heading', 'Where'),
			jsonb_build_object('svg', profiling.page_heat(v_means.fgs, profiling.run_labels(v_heat),
				'Functions, run by run', n.unit)),
			jsonb_build_object('table', profiling.page_hot_rows(v_means.fgs, 20), 'caption',
				'Functions by their own value in the newest run, and in the runs before', 'columns', jsonb_build_array(
				jsonb_build_object('name', 'frame', 'label', 'Function'),
				jsonb_build_object('name', 'self', 'label', 'Self', 'kind', 'bar', 'unit', n.unit),
				jsonb_build_object('name', 'share', 'label', 'Share', 'kind', 'share'),
				jsonb_build_object('name', 'series', 'label', 'Last runs', 'kind', 'spark'))),
			jsonb_build_object('svg', profiling.page_flame(v_means.fgs[cardinality(v_means.fgs)], 'The newest run',
				n.unit)));
	END IF;
	v_sections := v_sections || profiling.finding_section('Closed findings'::text, v_closed, true, NULL::text,
		'None.'::text);
	RETURN profiling.page_of(v_name, v_sections, jsonb_strip_nulls(jsonb_build_object('theme', v_options -> 'theme',
		'subtitle', profiling.benchmark_verdict(benchmark_html.benchmark_id))));
END
$$;

COMMENT ON FUNCTION benchmark_html(bigint, jsonb)
	IS 'a benchmark as a page of HTML: the verdict, its metric over the last runs with change points and findings, '
		'open '
		'findings, its functions run by run, the flame graph of the newest run, closed findings; options: theme (auto, '
		'light, dark), runs (50) of the trend, event and branch (those of the newest run, cpu first)';

CREATE OR REPLACE FUNCTION benchmark_called(name text, suite text DEFAULT '%') RETURNS bigint
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_suite CONSTANT text := coalesce(benchmark_called.suite, '%');
	v_ids CONSTANT bigint[] := ARRAY(SELECT b.benchmark_id FROM profiling.benchmark AS b
		WHERE b.name = benchmark_called.name AND b.suite LIKE v_suite ORDER BY b.benchmark_id);
BEGIN
	IF cardinality(v_ids) = 1 THEN
		RETURN v_ids[1];
	END IF;
	IF cardinality(v_ids) > 1 THEN
		RAISE EXCEPTION 'there are % benchmarks "%"', cardinality(v_ids), benchmark_called.name
			USING ERRCODE = 'too_many_rows', DETAIL = (SELECT format('They are %s.', string_agg(format(
				'%s (suite "%s", parameters %s)', b.benchmark_id, profiling.printable(b.suite),
				profiling.printable(left(b.parameters::text, 200))), ', '
				ORDER BY b.benchmark_id))
			FROM profiling.benchmark AS b WHERE b.benchmark_id = ANY (v_ids[:10])),
			HINT = 'Give the number of one of them.';
	END IF;
	-- Drivers that send every parameter as text send numbers so, too.
	IF benchmark_called.name ~ '^[0-9]{1,18}$' AND EXISTS (SELECT 1 FROM profiling.benchmark AS b
			WHERE b.benchmark_id = benchmark_called.name::bigint AND b.suite LIKE v_suite) THEN
		RETURN benchmark_called.name::bigint;
	END IF;
	RAISE EXCEPTION 'there is no benchmark "%"', coalesce(benchmark_called.name, 'NULL')
		USING ERRCODE = 'no_data_found', HINT = profiling.names_hint(benchmark_called.name,
			ARRAY(SELECT DISTINCT b.name COLLATE "C" FROM profiling.benchmark AS b
				WHERE b.suite LIKE v_suite ORDER BY 1));
END
$$;

CREATE OR REPLACE FUNCTION report(benchmark text, test_run_id bigint DEFAULT NULL, options jsonb DEFAULT '{}')
	RETURNS TABLE (rank int, section text, trace int, step int, frame text, expected float8, actual float8, diff float8,
		candidate_diff float8, score float8, raw_score float8, status text)
	LANGUAGE sql STABLE ROWS 100
	BEGIN ATOMIC
		SELECT r.* FROM profiling.report(benchmark_called(report.benchmark, '%'::text), report.test_run_id,
			report.options) AS r;
	END;

COMMENT ON FUNCTION report(text, bigint, jsonb) IS 'the same of a benchmark by its name: regression_report() of a run';

CREATE OR REPLACE FUNCTION report_html(benchmark text, test_run_id bigint DEFAULT NULL, options jsonb DEFAULT '{}') RETURNS text
	LANGUAGE sql STABLE COST 100000
	BEGIN ATOMIC
		SELECT profiling.report_html(benchmark_called(report_html.benchmark, '%'::text), report_html.test_run_id,
			report_html.options);
	END;

COMMENT ON FUNCTION report_html(text, bigint, jsonb)
	IS 'the same of a benchmark by its name: report() as a page of HTML';

CREATE OR REPLACE FUNCTION benchmark_html(benchmark text, options jsonb DEFAULT '{}') RETURNS text
	LANGUAGE sql STABLE COST 100000
	BEGIN ATOMIC
		SELECT profiling.benchmark_html(benchmark_called(benchmark_html.benchmark, '%'::text), benchmark_html.options);
	END;

COMMENT ON FUNCTION benchmark_html(text, jsonb) IS 'the same of a benchmark by its name: its page';

CREATE OR REPLACE FUNCTION trend_svg(benchmark text, frame text DEFAULT NULL, metric text DEFAULT NULL, window_size int DEFAULT 10,
		k float8 DEFAULT 2, event text DEFAULT 'cpu', branch text DEFAULT NULL, runs int DEFAULT 50) RETURNS text
	LANGUAGE sql STABLE COST 100000
	BEGIN ATOMIC
		SELECT profiling.trend_svg(benchmark_called(trend_svg.benchmark, '%'::text), trend_svg.frame, trend_svg.metric,
			trend_svg.window_size, trend_svg.k, trend_svg.event, trend_svg.branch, trend_svg.runs);
	END;

COMMENT ON FUNCTION trend_svg(text, text, text, int, float8, text, text, int)
	IS 'the same of a benchmark by its name: its metric, or one function, over its last runs';

CREATE OR REPLACE FUNCTION detect(benchmark text, test_run_id bigint DEFAULT NULL) RETURNS SETOF finding
	LANGUAGE sql STABLE ROWS 10
	BEGIN ATOMIC
		SELECT d.* FROM profiling.detect(benchmark_called(detect.benchmark, '%'::text), detect.test_run_id) AS d;
	END;

CREATE OR REPLACE FUNCTION add_frame_rules(name text, suite text, benchmark text) RETURNS int
	LANGUAGE sql
	BEGIN ATOMIC
		WITH rule AS (
			SELECT i.i AS n, s.r[i.i][1] AS pattern, s.r[i.i][2] AS replacement
			FROM (SELECT frame_rules(add_frame_rules.name) AS r OFFSET 0) AS s,
				pg_catalog.generate_subscripts(s.r, 1) AS i (i)
		), added AS (
			INSERT INTO frame_rule (ordinal, suite, benchmark, pattern, replacement)
			SELECT (SELECT coalesce(max(f.ordinal), 0) FROM frame_rule AS f) + r.n, add_frame_rules.suite,
				add_frame_rules.benchmark, r.pattern, r.replacement
			FROM rule AS r
			WHERE NOT EXISTS (SELECT 1 FROM frame_rule AS f WHERE f.suite = add_frame_rules.suite
				AND f.benchmark = add_frame_rules.benchmark AND f.pattern = r.pattern
				AND f.replacement = r.replacement)
			ORDER BY r.n
			RETURNING 1
		)
		SELECT count(*)::int FROM added;
	END;

CREATE OR REPLACE FUNCTION distribution(OUT table_name text, OUT kind text, OUT key text) RETURNS SETOF record
	LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 20
	BEGIN ATOMIC
		VALUES
			('benchmark', 'reference', NULL),
			('benchmark_alias', 'reference', NULL),
			('test_run', 'reference', NULL),
			('watch', 'reference', NULL),
			('owner', 'reference', NULL),
			('frame_rule', 'reference', NULL),
			('frame_commit', 'reference', NULL),
			('commit_change', 'reference', NULL),
			('commit_function', 'reference', NULL),
			('domain', 'reference', NULL),
			('regression_group', 'reference', NULL),
			('profile', 'distributed', 'benchmark_id'),
			('profile_data', 'distributed', 'benchmark_id'),
			('observation', 'distributed', 'benchmark_id'),
			('fitted_model', 'distributed', 'benchmark_id'),
			('rollup', 'distributed', 'benchmark_id'),
			('regression', 'distributed', 'benchmark_id'),
			('candidate', 'distributed', 'benchmark_id'),
			('service', 'reference', NULL),
			('retention', 'reference', NULL),
			('service_watch', 'reference', NULL),
			('stream', 'distributed', 'service_id'),
			('incoming', 'distributed', 'service_id'),
			('block', 'distributed', 'service_id'),
			('service_candidate', 'distributed', 'service_id'),
			('service_hour', 'distributed', 'service_id'),
			('job_log', 'local', NULL);
	END;

COMMENT ON FUNCTION distribution()
	IS 'what distribute() makes of each table: reference (a copy on every server), distributed (in shards by key, rows '
		'of one key of all such tables on one server) or local (where distribute() was called)';

CREATE OR REPLACE FUNCTION need_citus() RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF NOT EXISTS (SELECT 1 FROM pg_extension AS x WHERE x.extname = 'citus') THEN
		RAISE EXCEPTION 'Citus is not installed in database "%"', current_database() USING
			ERRCODE = 'feature_not_supported',
			HINT = 'Put citus first into shared_preload_libraries of every server, restart them, '
				'CREATE EXTENSION citus, and name the servers with citus_add_node().';
	END IF;
END
$$;

COMMENT ON FUNCTION need_citus() IS 'error 0A000 where Citus is not installed in this database';

CREATE OR REPLACE FUNCTION is_on_citus(name text) RETURNS bool
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_is bool := false;
BEGIN
	-- A table of Citus, which is not there without it.
	IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
		EXECUTE 'SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_dist_partition AS p WHERE p.logicalrelid = $1)'
			INTO v_is USING format('profiling.%I', name)::regclass;
	END IF;
	RETURN v_is;
END
$$;

COMMENT ON FUNCTION is_on_citus(text) IS 'whether distribute() has made a table of the store one of Citus';

CREATE OR REPLACE FUNCTION body_for_citus(function regprocedure) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
	SET standard_conforming_strings = on AS $$
#variable_conflict use_column
DECLARE
	p CONSTANT pg_proc := (SELECT o FROM pg_proc AS o WHERE o.oid = function);
	v_query CONSTANT text := regexp_replace(pg_get_function_sqlbody(p.oid), '^\s*BEGIN ATOMIC\s(.*);\s*END\s*$', '\1');
	-- Citus locks no rows of several shards. Who finds that somebody else has them in hand finds none of them.
	v_unlocked CONSTANT text := regexp_replace(v_query, '\s+FOR UPDATE OF \w+ SKIP LOCKED$', '');
	v_results CONSTANT text := (SELECT string_agg(quote_ident(a.name), ', ' ORDER BY a.n)
		FROM unnest(p.proargnames, p.proargmodes) WITH ORDINALITY AS a (name, mode, n) WHERE a.mode IN ('b', 'o'));
BEGIN
	-- Loops, because a query that also writes can stand in no expression.
	RETURN E'\n#variable_conflict use_column\n' || CASE
		WHEN v_unlocked <> v_query
			THEN format(E'BEGIN\nIF pg_try_advisory_xact_lock(hashtextextended(%L, 0)) THEN\nRETURN QUERY\n%s;\n'
				'END IF;\nEND', 'flamegraph_store ' || p.proname, v_unlocked)
		WHEN p.proretset THEN format(E'BEGIN\nRETURN QUERY\n%s;\nEND', v_query)
		WHEN p.prorettype = 'void'::regtype THEN format(E'BEGIN\n%s;\nEND', v_query)
		WHEN v_results IS NOT NULL
			THEN format(E'BEGIN\nFOR %s IN\n%s\nLOOP\n\tRETURN;\nEND LOOP;\nEND', v_results, v_query)
		WHEN EXISTS (SELECT 1 FROM pg_type AS t WHERE t.oid = p.prorettype AND t.typtype = 'c')
			THEN format(E'BEGIN\nRETURN (\n%s);\nEND', v_query)
		ELSE format(E'DECLARE\n\tv_value %s;\nBEGIN\nFOR v_value IN\n%s\nLOOP\n\tRETURN v_value;\n'
			'END LOOP;\nRETURN NULL;\nEND', format_type(p.prorettype, NULL), v_query)
	END || E'\n';
END
$$;

COMMENT ON FUNCTION body_for_citus(regprocedure) IS 'the body of a SQL function as one of PL/pgSQL';

CREATE OR REPLACE FUNCTION functions_for_citus() RETURNS SETOF regprocedure
	LANGUAGE plpgsql STABLE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT DISTINCT p.oid::regprocedure
	FROM pg_proc AS p
		JOIN pg_language AS l ON l.oid = p.prolang
		JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
			AND d.refclassid = 'pg_class'::regclass
		JOIN pg_class AS c ON c.oid = d.refobjid
	WHERE l.lanname = 'sql' AND p.prokind = 'f' AND (p.pronargs > 0 OR p.proretset) AND p.prosqlbody IS NOT NULL
		AND p.pronamespace = 'profiling'::regnamespace AND c.relnamespace = p.pronamespace
		AND c.relkind IN ('r', 'p', 'v');
END
$$;

COMMENT ON FUNCTION functions_for_citus()
	IS 'SQL functions of the store that read its tables or views and have arguments, or are parts of queries';

CREATE OR REPLACE FUNCTION use_plpgsql(function regprocedure) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
	SET standard_conforming_strings = on AS $$
#variable_conflict use_column
DECLARE
	p CONSTANT pg_proc := (SELECT o FROM pg_proc AS o WHERE o.oid = function);
	v_body CONSTANT text := profiling.body_for_citus(function);
	v_how CONSTANT text := format('%s%s COST %s%s', CASE p.provolatile WHEN 'i' THEN 'IMMUTABLE' WHEN 's' THEN 'STABLE'
		ELSE 'VOLATILE' END, CASE WHEN p.proisstrict THEN ' STRICT' ELSE '' END, p.procost,
		CASE WHEN p.proretset THEN format(' ROWS %s', p.prorows) ELSE '' END);
	v_inner text;
BEGIN
	-- PL/pgSQL has no result that is called as an argument is, as SQL has. Then the work is done by a second function,
	-- whose results have other names.
	IF NOT EXISTS (SELECT 1 FROM unnest(p.proargnames, p.proargmodes) AS i (name, mode)
			JOIN unnest(p.proargnames, p.proargmodes) AS o (name, mode) ON o.name = i.name
			WHERE i.mode IN ('i', 'v') AND o.mode IN ('o', 't')) THEN
		EXECUTE format('CREATE OR REPLACE FUNCTION profiling.%I(%s) RETURNS %s LANGUAGE plpgsql %s '
			'SET search_path = pg_catalog, pg_temp AS %L', p.proname, pg_get_function_arguments(p.oid),
			pg_get_function_result(p.oid), v_how, v_body);
		RETURN;
	END IF;
	v_inner := format('%s_on_citus(%s)', p.proname, (SELECT string_agg(format('%I %s', a.name,
			format_type(a.type, NULL)), ', ' ORDER BY a.n)
		FROM unnest(p.proargnames, p.proallargtypes, p.proargmodes) WITH ORDINALITY AS a (name, type, mode, n)
		WHERE a.mode IN ('i', 'v')));
	EXECUTE format('CREATE OR REPLACE FUNCTION profiling.%s RETURNS TABLE (%s) LANGUAGE plpgsql %s '
		'SET search_path = pg_catalog, pg_temp AS %L', v_inner,
		(SELECT string_agg(format('%I %s', 'found_' || a.name, format_type(a.type, NULL)), ', ' ORDER BY a.n)
			FROM unnest(p.proargnames, p.proallargtypes, p.proargmodes) WITH ORDINALITY AS a (name, type, mode, n)
			WHERE a.mode IN ('o', 't')), v_how,
		regexp_replace(v_body, '\m' || p.proname || '\.', p.proname || '_on_citus.', 'g'));
	EXECUTE format('CREATE OR REPLACE FUNCTION profiling.%I(%s) RETURNS %s LANGUAGE sql %s '
		'BEGIN ATOMIC SELECT r.* FROM profiling.%I(%s) AS r; END', p.proname, pg_get_function_arguments(p.oid),
		pg_get_function_result(p.oid), v_how, p.proname || '_on_citus',
		(SELECT string_agg(format('%I.%I', p.proname, a.name), ', ' ORDER BY a.n)
			FROM unnest(p.proargnames, p.proargmodes) WITH ORDINALITY AS a (name, mode, n)
			WHERE a.mode IN ('i', 'v')));
	IF NOT EXISTS (SELECT 1 FROM pg_depend AS d WHERE d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
			AND d.objid = (SELECT o.oid FROM pg_proc AS o WHERE o.pronamespace = 'profiling'::regnamespace
				AND o.proname = p.proname || '_on_citus')) THEN
		EXECUTE format('ALTER EXTENSION flamegraph_store ADD FUNCTION profiling.%I', p.proname || '_on_citus');
	END IF;
END
$$;

COMMENT ON FUNCTION use_plpgsql(regprocedure) IS 'makes a SQL function one of PL/pgSQL, for good';

CREATE OR REPLACE FUNCTION distribute_table(table_name text, kind text, key text, shards int, first text) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_table CONSTANT text := format('profiling.%I', distribute_table.table_name);
	v_trigger name;
BEGIN
	-- Citus has no triggers. Those of watch keep its row 0 through a restore, which is over when this is called.
	FOR v_trigger IN SELECT t.tgname FROM pg_trigger AS t WHERE t.tgrelid = v_table::regclass AND NOT t.tgisinternal
	LOOP
		EXECUTE format('DROP TRIGGER %I ON %s', v_trigger, v_table);
	END LOOP;
	IF distribute_table.kind = 'reference' THEN
		EXECUTE 'SELECT create_reference_table($1)' USING v_table;
	ELSIF first IS NULL THEN
		EXECUTE 'SELECT create_distributed_table($1, $2, shard_count => $3)'
			USING v_table, distribute_table.key,
				coalesce(distribute_table.shards, current_setting('citus.shard_count')::int);
	ELSE
		EXECUTE 'SELECT create_distributed_table($1, $2, colocate_with => $3)'
			USING v_table, distribute_table.key, first;
	END IF;
	-- The rows are copies now. Those that were left would be in the way of partitions for their months.
	EXECUTE 'SELECT truncate_local_data_after_distributing_table($1)' USING v_table::regclass;
END
$$;

COMMENT ON FUNCTION distribute_table(text, text, text, int, text)
	IS 'makes a table one of Citus, beside the first one that is distributed';

CREATE OR REPLACE FUNCTION distribute(shards int DEFAULT NULL) RETURNS TABLE (table_name text, kind text)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET client_min_messages = 'warning' AS $$
#variable_conflict use_column
DECLARE
	t record;
	v_first text;
	v_function regprocedure;
	v_loader name;
BEGIN
	PERFORM profiling.need_citus();
	PERFORM profiling.need_owner('distribute'::text);
	IF distribute.shards < 1 THEN
		RAISE EXCEPTION 'shards must be 1 or more' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	-- One connection to each server: what is made in this transaction is seen by the next statement.
	PERFORM set_config('citus.multi_shard_modify_mode', 'sequential', true);
	FOR t IN SELECT d.table_name, d.kind, d.key FROM profiling.distribution() AS d WHERE d.kind <> 'local' LOOP
		IF NOT profiling.is_on_citus(t.table_name) THEN
			PERFORM profiling.distribute_table(t.table_name, t.kind, t.key, distribute.shards, v_first);
			table_name := t.table_name;
			kind := t.kind;
			RETURN NEXT;
		END IF;
		IF t.kind = 'distributed' THEN
			v_first := coalesce(v_first, format('profiling.%I', t.table_name));
		END IF;
	END LOOP;
	-- The functions are the extension's on every server, and are called on this one.
	PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
	FOR v_function IN SELECT f FROM profiling.functions_for_citus() AS f LOOP
		PERFORM profiling.use_plpgsql(v_function);
	END LOOP;
	PERFORM set_config('citus.enable_ddl_propagation', 'on', true);
	FOR v_loader IN SELECT DISTINCT r.rolname
		FROM pg_attribute AS a CROSS JOIN LATERAL aclexplode(a.attacl) AS x JOIN pg_roles AS r ON r.oid = x.grantee
		WHERE a.attrelid = 'profiling.test_run'::regclass AND x.privilege_type = 'INSERT'
	LOOP
		PERFORM profiling.grant_access(v_loader, 'loader'::text);
	END LOOP;
END
$$;

COMMENT ON FUNCTION distribute(int)
	IS 'puts the store on all servers of a Citus cluster: small tables as a copy on each, what grows in shards by '
		'benchmark; shards: how many, by default citus.shard_count; called again it does what is left to do, as after '
		'an update; returns the tables that were local before; error 0A000 without Citus';

SELECT pg_catalog.pg_extension_config_dump('profiling.commit_change'::regclass, ''::text);

SELECT pg_catalog.pg_extension_config_dump('profiling.commit_function'::regclass, ''::text);

SELECT pg_catalog.pg_extension_config_dump('profiling.domain'::regclass, ''::text);

SELECT pg_catalog.pg_extension_config_dump('profiling.regression_group'::regclass, ''::text);

SELECT pg_catalog.pg_extension_config_dump('profiling.candidate'::regclass, ''::text);

SELECT pg_catalog.pg_extension_config_dump('profiling.service'::regclass, ''::text);

SELECT pg_catalog.pg_extension_config_dump('profiling.stream'::regclass, ''::text);

SELECT pg_catalog.pg_extension_config_dump('profiling.incoming_default'::regclass, ''::text);

SELECT pg_catalog.pg_extension_config_dump('profiling.block_default'::regclass, ''::text);

SELECT pg_catalog.pg_extension_config_dump('profiling.retention'::regclass, ''::text);

SELECT pg_catalog.pg_extension_config_dump('profiling.service_watch'::regclass, ''::text);

SELECT pg_catalog.pg_extension_config_dump('profiling.service_hour'::regclass, ''::text);

SELECT pg_catalog.pg_extension_config_dump('profiling.service_candidate'::regclass, ''::text);

SELECT pg_catalog.pg_extension_config_dump('profiling.regression_group_group_id_seq'::regclass, ''::text);

SELECT pg_catalog.pg_extension_config_dump('profiling.service_service_id_seq'::regclass, ''::text);

SELECT pg_catalog.pg_extension_config_dump('profiling.stream_stream_id_seq'::regclass, ''::text);

DO LANGUAGE plpgsql $$
DECLARE
	v_path CONSTANT pg_catalog.text := pg_catalog.current_setting('search_path');
	r pg_catalog.record;
BEGIN
	PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
	FOR r IN
		SELECT format('ALTER %s %s OWNER TO %I', o.kind, o.name, pg_get_userbyid(t.relowner)) AS command
		FROM pg_class AS t, pg_extension AS x JOIN pg_depend AS d
			ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = x.oid AND d.deptype = 'e',
			LATERAL (SELECT c.relowner AS owner, c.oid::regclass::text AS name,
					CASE c.relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END AS kind
				FROM pg_class AS c
				WHERE d.classid = 'pg_class'::regclass AND c.oid = d.objid AND c.relkind IN ('r', 'p', 'v')
				UNION ALL SELECT p.proowner, p.oid::regprocedure::text, 'ROUTINE' FROM pg_proc AS p
				WHERE d.classid = 'pg_proc'::regclass AND p.oid = d.objid
				UNION ALL SELECT y.typowner, format_type(y.oid, NULL), 'TYPE' FROM pg_type AS y
				WHERE d.classid = 'pg_type'::regclass AND y.oid = d.objid AND y.typtype IN ('c', 'd', 'e')) AS o
		WHERE t.oid = 'profiling.profile_data'::regclass AND x.extname = 'flamegraph_store' AND o.owner <> t.relowner
	LOOP
		EXECUTE r.command;
	END LOOP;
	PERFORM set_config('search_path', v_path, true);
END
$$;

DO LANGUAGE plpgsql $$
DECLARE
	v_path CONSTANT pg_catalog.text := pg_catalog.current_setting('search_path');
	r pg_catalog.record;
BEGIN
	PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
	FOR r IN
		SELECT DISTINCT c.oid::regclass AS relation, a.privilege_type AS right, g.rolname AS role
		FROM pg_class AS f CROSS JOIN LATERAL aclexplode(f.relacl) AS a JOIN pg_roles AS g ON g.oid = a.grantee,
			pg_class AS c
		WHERE f.oid = 'profiling.regression'::regclass AND a.grantee <> f.relowner
			AND c.relnamespace = f.relnamespace AND c.relkind IN ('r', 'v', 'p')
			AND a.privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
			AND NOT has_table_privilege(g.oid, c.oid, a.privilege_type)
	LOOP
		EXECUTE format('GRANT %s ON %s TO %I', r.right, r.relation, r.role);
	END LOOP;
	FOR r IN
		SELECT DISTINCT p.oid::regprocedure AS routine, k.role
		FROM profiling.kept_rights AS k JOIN pg_proc AS p ON p.proname = k.name
		WHERE p.pronamespace = 'profiling'::regnamespace AND NOT has_function_privilege(k.role, p.oid, 'EXECUTE')
	LOOP
		EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', r.routine, r.role);
	END LOOP;
	PERFORM set_config('search_path', v_path, true);
END
$$;

DROP TABLE kept_rights;

DO LANGUAGE plpgsql $$
DECLARE
	v_path CONSTANT pg_catalog.text := pg_catalog.current_setting('search_path');
	n record;
	v_foreign pg_catalog.text;
BEGIN
	PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
	SELECT x.oid AS store, x.extnamespace AS schema, f.oid AS flamegraph INTO STRICT n
	FROM pg_extension AS x, pg_extension AS f
	WHERE x.extname = 'flamegraph_store' AND f.extname = 'flamegraph';

	-- What belongs to the members (rules of views, constraints, indexes, row types) is looked at, too. Objects with
	-- oids below 16384 were made by initdb.
	WITH RECURSIVE ours (extension, classid, objid) AS (
		SELECT d.refobjid, d.classid, d.objid FROM pg_depend AS d
		WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND (d.refobjid = n.store
			OR d.refobjid = n.flamegraph AND NOT EXISTS (SELECT 1 FROM pg_shdepend AS s JOIN pg_roles AS r
				ON r.oid = s.refobjid
				WHERE s.dbid = (SELECT b.oid FROM pg_database AS b WHERE b.datname = current_database())
					AND s.classid = d.classid AND s.objid = d.objid AND s.objsubid = 0
					AND s.refclassid = 'pg_authid'::regclass AND s.deptype = 'o'
					AND NOT r.rolsuper AND r.rolname <> current_user))
		UNION
		SELECT o.extension, d.classid, d.objid
		FROM ours AS o JOIN pg_depend AS d ON d.refclassid = o.classid AND d.refobjid = o.objid
		WHERE d.deptype IN ('i', 'a')
	)
	SELECT string_agg(f.name, ', ') INTO v_foreign
	FROM (SELECT DISTINCT pg_describe_object(d.refclassid, d.refobjid, 0) AS name
		FROM ours AS o JOIN pg_depend AS d ON d.classid = o.classid AND d.objid = o.objid
		WHERE o.extension = n.store AND d.refobjid >= 16384
			AND NOT EXISTS (SELECT 1 FROM ours AS u WHERE u.classid = d.refclassid AND u.objid = d.refobjid)
			AND NOT (d.refclassid = 'pg_extension'::regclass AND d.refobjid = n.store)
			AND NOT (d.refclassid = 'pg_namespace'::regclass AND d.refobjid = n.schema)
			-- dropped and created again
			AND NOT EXISTS (SELECT 1 FROM pg_language AS l WHERE d.refclassid = 'pg_language'::regclass
				AND l.oid = d.refobjid AND l.lanname = 'plpgsql')
		ORDER BY 1 LIMIT 5) AS f;
	IF v_foreign IS NOT NULL THEN
		RAISE EXCEPTION USING
			ERRCODE = 'object_not_in_prerequisite_state',
			MESSAGE = 'extension flamegraph_store would depend on what is part neither of it nor of flamegraph',
			DETAIL = format('Among it: %s.', v_foreign),
			HINT = 'Drop these, or have flamegraph in a schema of its own: '
				'CREATE SCHEMA flamegraph; CREATE EXTENSION flamegraph SCHEMA flamegraph.';
	END IF;
	PERFORM set_config('search_path', v_path, true);
END
$$;
