
--
-- times and quotients
--
-- A clock that goes wrong, or a file with a wrong date, must not end a history: whatever
-- asks for the newest run, or for runs before another one, leaves out what is to come.
--

CREATE FUNCTION has_begun(started_at timestamptz) RETURNS bool
	LANGUAGE sql STABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT has_begun.started_at <= now() + '24 hours'::interval;
	END;
COMMENT ON FUNCTION has_begun(timestamptz)
	IS 'false for a time that is more than a day in the future, so that a clock may be wrong by a time zone: import '
		'refuses such a run, and one that is there does not count before its time has come';

-- A quotient of two measured numbers can be beyond float8; that is no reason for the
-- others to be missing from a night or a view.
CREATE FUNCTION ratio(part float8, whole float8) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN ratio.whole = 0::float8 THEN NULL
			WHEN abs(ratio.whole) < 1::float8 AND abs(ratio.part) > abs(ratio.whole) * 1.7e308::float8
				THEN CASE WHEN sign(ratio.part) = sign(ratio.whole) THEN 'infinity'::float8 ELSE '-infinity'::float8 END
			WHEN abs(ratio.whole) > 1::float8 AND abs(ratio.part) < abs(ratio.whole) * 5e-324::float8 THEN 0::float8
			ELSE ratio.part / ratio.whole END;
	END;
COMMENT ON FUNCTION ratio(float8, float8)
	IS 'part / whole; null for a whole of 0, infinite or 0 where the quotient is beyond what a number can be';

-- Clients show messages as they are, not like values: what somebody else has loaded must not write on the terminal of
-- who has mistyped a name.
CREATE FUNCTION printable(words text) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT regexp_replace(printable.words,
			'[\u0001-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]'::text, '?'::text, 'g'::text);
	END;
COMMENT ON FUNCTION printable(text)
	IS 'stored words as a message may quote them: a ? for each control character and change of direction';

--
-- what is watched, what was found, who is told
--
-- These tables are written by people. A row that cannot be applied is refused here, with
-- a word about why: at night it would fail for every benchmark that it matches.
--

CREATE FUNCTION pattern_works(pattern text) RETURNS bool
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
COMMENT ON FUNCTION pattern_works(text)
	IS 'true; an error for a pattern that LIKE refuses: one that ends in a backslash which stands for nothing';

CREATE FUNCTION season_of(baseline text, OUT period interval, OUT periods int)
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT (m.parts)[1]::interval, (m.parts)[3]::int
		FROM (SELECT regexp_match(season_of.baseline, '^season:(0*[1-9][0-9]{0,3} (minute|hour|day|week|month|year)s?)'
			'\*(0*[1-9][0-9]{0,2})$'::text) AS parts) AS m;
	END;
COMMENT ON FUNCTION season_of(text) IS 'what a baseline season:INTERVAL*N says; nulls for what is none';

CREATE FUNCTION season_phases(baseline text, started_at timestamptz)
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

CREATE FUNCTION baseline_works(baseline text) RETURNS bool
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
COMMENT ON FUNCTION baseline_works(text) IS 'true; an error for what is no baseline of a watch row';

CREATE FUNCTION status_works(status text, closed_at timestamptz) RETURNS bool
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
COMMENT ON FUNCTION status_works(text, timestamptz)
	IS 'true; an error for what is no status of a finding, and for one without the date that it needs';

CREATE FUNCTION pattern_reaches(pattern stackquery) RETURNS bool
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
COMMENT ON FUNCTION pattern_reaches(stackquery)
	IS 'true; a NOTICE for a pattern of an owner that can match stacks of one frame only';

CREATE FUNCTION watch_options(OUT name text, OUT kind text, OUT lowest float8, OUT highest float8,
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

CREATE FUNCTION options_work(watch_id bigint, options jsonb) RETURNS bool
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
COMMENT ON FUNCTION options_work(bigint, jsonb)
	IS 'true; an error for options that a watch row cannot have: unknown names, values of another type or beyond the '
		'limits';

CREATE TABLE watch (
	watch_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	suite text NOT NULL DEFAULT '%',
	benchmark text NOT NULL DEFAULT '%',
	event text NOT NULL DEFAULT '%',
	method text NOT NULL DEFAULT 'deviation' CHECK (word_works('method'::text, method, 'deviation'::text,
		'welch'::text, 'hotelling'::text, 'energy'::text, 'change_point'::text, 'correlation'::text, 'integral'::text,
		'local_statistics'::text, 'drift'::text)),
	level text NOT NULL DEFAULT 'frame' CHECK (word_works('level'::text, level, 'metric'::text, 'stack'::text,
		'node'::text, 'frame'::text, 'self'::text, 'location'::text)),
	baseline text NOT NULL DEFAULT 'window:10' CHECK (baseline_works(baseline)),
	alpha float8 NOT NULL DEFAULT 0.01 CHECK (alpha >= 1e-100::float8 AND alpha < 1::float8),
	min_share float8 NOT NULL DEFAULT 0.01 CHECK (min_share = 0::float8 OR min_share >= 1e-12::float8
		AND min_share <= 1::float8),
	min_effect float8 NOT NULL DEFAULT 0.05 CHECK (min_effect = 0::float8 OR min_effect >= 1e-12::float8
		AND min_effect <= 1e9::float8),
	direction text NOT NULL DEFAULT 'both' CHECK (word_works('direction'::text, direction, 'both'::text,
		'degradation'::text, 'optimization'::text)),
	options jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(options) = 'object'),
	enabled bool NOT NULL DEFAULT true,
	confirm int NOT NULL DEFAULT 0 CHECK (confirm >= 0 AND confirm <= 1000),
	CONSTRAINT watch_patterns_work CHECK (pattern_works(suite) AND pattern_works(benchmark) AND pattern_works(event)),
	CONSTRAINT watch_options_work CHECK (options_work(watch_id, options)),
	CONSTRAINT watch_location_needs_models CHECK (level <> 'location' OR method IN ('integral', 'local_statistics'))
);
COMMENT ON TABLE watch
	IS 'how new runs are compared with history; for each method the rows with the most specific pattern win, one for '
		'each level';
COMMENT ON COLUMN watch.watch_id IS 'number; 0 is the row that comes with the extension';
COMMENT ON COLUMN watch.suite IS 'pattern of LIKE for the suite';
COMMENT ON COLUMN watch.benchmark IS 'pattern of LIKE for the name of the benchmark';
COMMENT ON COLUMN watch.event IS 'pattern of LIKE for the event';
COMMENT ON COLUMN watch.method
	IS 'deviation, welch, hotelling, energy, change_point, correlation, integral, local_statistics or drift';
COMMENT ON COLUMN watch.level IS 'what is compared: metric, stack, node, frame, self or location';
COMMENT ON COLUMN watch.baseline
	IS 'window:N (the N runs before), season:INTERVAL*N (the runs nearest to the same phase of the N periods before), '
		'commit:SHA, version:V or branch:NAME; history is of the same branch, event and unit unless this says '
		'otherwise';
COMMENT ON COLUMN watch.alpha IS 'accepted share of false findings';
COMMENT ON COLUMN watch.min_share IS 'findings below this share of the profile are left out; a fraction';
COMMENT ON COLUMN watch.min_effect
	IS 'findings that changed by less, relative to what was expected, are left out; a fraction';
COMMENT ON COLUMN watch.direction IS 'both, degradation or optimization';
COMMENT ON COLUMN watch.options IS 'further parameters of the method';
COMMENT ON COLUMN watch.enabled IS 'false: what this row is the most specific one for is not watched';
COMMENT ON COLUMN watch.confirm
	IS 'how many later runs must show a finding in the same direction before it is open and told; 0: the first one '
		'is enough';

-- The row that works for everybody. It may be changed like any other; only
-- deleting it is refused, because a dump that is restored would bring it back.
INSERT INTO watch (watch_id) OVERRIDING SYSTEM VALUE VALUES (0);

CREATE FUNCTION watch_shipped_row() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		-- A dump is being restored: its row replaces the one that CREATE EXTENSION has just made.
		DELETE FROM profiling.watch WHERE watch_id = NEW.watch_id;
		RETURN NEW;
	END IF;
	IF pg_trigger_depth() > 1 THEN
		RETURN OLD;
	END IF;
	RAISE EXCEPTION USING
		ERRCODE = 'restrict_violation',
		MESSAGE = 'the watch row of the extension cannot be deleted',
		HINT = 'To watch nothing by default: UPDATE profiling.watch SET enabled = false WHERE watch_id = 0.';
END
$$;
COMMENT ON FUNCTION watch_shipped_row() IS 'keeps the row 0 of watch through dump and restore';
CREATE TRIGGER watch_shipped_row_insert BEFORE INSERT ON watch
	FOR EACH ROW WHEN (NEW.watch_id = 0) EXECUTE FUNCTION watch_shipped_row();
CREATE TRIGGER watch_shipped_row_delete BEFORE DELETE ON watch
	FOR EACH ROW WHEN (OLD.watch_id = 0) EXECUTE FUNCTION watch_shipped_row();

CREATE TABLE regression (
	benchmark_id bigint NOT NULL,
	regression_id bigint GENERATED ALWAYS AS IDENTITY,
	event text NOT NULL,
	unit text NOT NULL,
	branch text NOT NULL DEFAULT '',
	first_test_run_id bigint NOT NULL,
	last_test_run_id bigint NOT NULL,
	method text NOT NULL CHECK (octet_length(method) <= 100),
	level text NOT NULL CHECK (level IN ('metric', 'frame', 'stack', 'node', 'self', 'location')),
	subject stackpath NOT NULL,
	subject_id uuid NOT NULL,
	expected float8,
	actual float8,
	diff float8,
	relative float8,
	score float8,
	p_value float8 CHECK (p_value BETWEEN 0::float8 AND 1::float8),
	q_value float8 CHECK (q_value BETWEEN 0::float8 AND 1::float8),
	lower float8,
	upper float8,
	kind text NOT NULL CHECK (kind IN ('degradation', 'optimization', 'environment')),
	status text NOT NULL DEFAULT 'open',
	opened_at timestamptz NOT NULL DEFAULT now(),
	closed_at timestamptz,
	note text NOT NULL DEFAULT '',
	team text NOT NULL DEFAULT '',
	samples float8,
	cause text NOT NULL DEFAULT '' CHECK (cause IN ('', 'shift', 'environment')),
	counterpart stackpath[] NOT NULL DEFAULT '{}',
	group_id bigint,
	seen int NOT NULL DEFAULT 1,
	notified_at timestamptz,
	last_repetitions int,
	baseline text NOT NULL DEFAULT '',
	PRIMARY KEY (benchmark_id, regression_id),
	CONSTRAINT regression_status_works CHECK (status_works(status, closed_at))
);
CREATE UNIQUE INDEX regression_open_key ON regression (benchmark_id, event, unit, branch, method, level, subject_id)
	WHERE status IN ('open', 'acknowledged', 'pending');
CREATE INDEX regression_team_idx ON regression (team) WHERE status IN ('open', 'acknowledged');
COMMENT ON TABLE regression IS 'findings: one row per continuing change, not one per night';
COMMENT ON COLUMN regression.benchmark_id IS 'the benchmark';
COMMENT ON COLUMN regression.regression_id IS 'number of the finding';
COMMENT ON COLUMN regression.event IS 'that of the profiles';
COMMENT ON COLUMN regression.unit IS 'unit of expected, actual, diff, lower and upper; of level metric the metric''s';
COMMENT ON COLUMN regression.branch IS 'branch of the runs: a change on two branches is two findings';
COMMENT ON COLUMN regression.first_test_run_id IS 'the run it was first seen in';
COMMENT ON COLUMN regression.last_test_run_id IS 'the last run it was seen in';
COMMENT ON COLUMN regression.method IS 'that of the watch row';
COMMENT ON COLUMN regression.level
	IS 'what the subject is: metric (of the run), frame, self (a function without what it calls), stack, node (a '
		'context) or location';
COMMENT ON COLUMN regression.subject IS 'what changed: a stack, or a path of one frame; empty for the metric';
COMMENT ON COLUMN regression.subject_id IS '128-bit hash of subject, its part in the key';
COMMENT ON COLUMN regression.expected IS 'value by the history, in unit';
COMMENT ON COLUMN regression.actual IS 'value of the last run, in unit';
COMMENT ON COLUMN regression.diff IS 'actual - expected, in unit';
COMMENT ON COLUMN regression.relative IS 'diff / expected, a fraction';
COMMENT ON COLUMN regression.score IS 'how unusual, by the method: standard deviations, a statistic';
COMMENT ON COLUMN regression.p_value
	IS 'probability of such a change by chance, when it was found; null where the method has none';
COMMENT ON COLUMN regression.q_value IS 'p_value adjusted for the number of tests of that night';
COMMENT ON COLUMN regression.lower
	IS 'lower end of the interval of diff when it was found, in unit; null where the method has none';
COMMENT ON COLUMN regression.upper
	IS 'upper end of the interval of diff when it was found, in unit; null where the method has none';
COMMENT ON COLUMN regression.kind IS 'degradation, optimization, or environment: the machine and not the code';
COMMENT ON COLUMN regression.status
	IS 'open, acknowledged, resolved or false_positive; pending: not confirmed by later runs yet; went_away: gone '
		'before it was confirmed';
COMMENT ON COLUMN regression.opened_at IS 'when it was found';
COMMENT ON COLUMN regression.closed_at
	IS 'when it went away or was closed; null while it is open, acknowledged or pending';
COMMENT ON COLUMN regression.note IS 'for people';
COMMENT ON COLUMN regression.team IS 'by owner, '''' when no pattern matches';
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

CREATE TABLE owner (
	owner_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	pattern stackquery NOT NULL,
	team text NOT NULL CHECK (team <> ''),
	priority int NOT NULL DEFAULT 0,
	CONSTRAINT owner_key UNIQUE (pattern),
	CONSTRAINT owner_pattern_reaches CHECK (pattern_reaches(pattern))
);
COMMENT ON TABLE owner IS 'which team findings are assigned to';
COMMENT ON COLUMN owner.owner_id IS 'number';
COMMENT ON COLUMN owner.pattern IS 'the team''s stacks';
COMMENT ON COLUMN owner.team IS 'the team';
COMMENT ON COLUMN owner.priority
	IS 'of several patterns that match, the highest priority wins, then the lowest owner_id';

CREATE TABLE frame_rule (
	rule_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	ordinal int NOT NULL DEFAULT 0,
	suite text NOT NULL DEFAULT '%',
	benchmark text NOT NULL DEFAULT '%',
	pattern text NOT NULL,
	replacement text NOT NULL,
	CONSTRAINT frame_rule_patterns_work CHECK (pattern_works(suite) AND pattern_works(benchmark)),
	CONSTRAINT frame_rule_works CHECK (rename_frames('a 1'::flamegraph, pattern, replacement) IS NOT NULL)
);
COMMENT ON TABLE frame_rule IS 'how frames are renamed on import, as by rename_frames()';
COMMENT ON COLUMN frame_rule.rule_id IS 'number';
COMMENT ON COLUMN frame_rule.ordinal IS 'rules are applied in this order, then by rule_id';
COMMENT ON COLUMN frame_rule.suite IS 'pattern of LIKE for the suite';
COMMENT ON COLUMN frame_rule.benchmark IS 'pattern of LIKE for the name of the benchmark';
COMMENT ON COLUMN frame_rule.pattern IS 'regular expression';
COMMENT ON COLUMN frame_rule.replacement IS 'what its match becomes, as in regexp_replace()';

CREATE TABLE frame_commit (
	pattern stackquery PRIMARY KEY,
	file text NOT NULL,
	commit text NOT NULL,
	committed_at timestamptz NOT NULL
);
COMMENT ON TABLE frame_commit IS 'last commit per code path; filled from git log by flamegraph-commits';
COMMENT ON COLUMN frame_commit.pattern IS 'frames of this file: what a path of one frame matches';
COMMENT ON COLUMN frame_commit.file IS 'file in the repository';
COMMENT ON COLUMN frame_commit.commit IS 'its last commit';
COMMENT ON COLUMN frame_commit.committed_at IS 'when that was made';

CREATE TABLE job_log (
	log_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
	finished_at timestamptz,
	benchmark_id bigint,
	step text NOT NULL,
	outcome text NOT NULL CHECK (outcome IN ('ok', 'failed', 'skipped')),
	detail text NOT NULL DEFAULT '',
	kept_back jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX job_log_started_idx ON job_log (started_at);
COMMENT ON TABLE job_log IS 'what the nightly jobs did, and what failed';
COMMENT ON COLUMN job_log.log_id IS 'number';
COMMENT ON COLUMN job_log.started_at IS 'when the step began';
COMMENT ON COLUMN job_log.finished_at IS 'when it ended';
COMMENT ON COLUMN job_log.benchmark_id IS 'the benchmark; null for steps that belong to none';
COMMENT ON COLUMN job_log.step IS 'watch, maintain, prune, …';
COMMENT ON COLUMN job_log.outcome IS 'ok, failed or skipped';
COMMENT ON COLUMN job_log.detail IS 'what was done, or the error';
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
