
--
-- what is watched, what was found, who is told
--

CREATE TABLE watch (
	watch_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	suite text NOT NULL DEFAULT '%',
	benchmark text NOT NULL DEFAULT '%',
	event text NOT NULL DEFAULT '%',
	method text NOT NULL DEFAULT 'deviation' CHECK (method IN ('deviation', 'welch', 'hotelling', 'energy',
		'change_point', 'correlation', 'integral', 'local_statistics')),
	level text NOT NULL DEFAULT 'frame' CHECK (level IN ('metric', 'stack', 'node', 'frame', 'self', 'location')),
	baseline text NOT NULL DEFAULT 'window:10'
		CHECK (baseline ~ '^(window:0*[1-9][0-9]{0,5}|commit:.+|version:.+|branch:.*)$'),
	alpha float8 NOT NULL DEFAULT 0.01 CHECK (alpha > 0 AND alpha < 1),
	min_share float8 NOT NULL DEFAULT 0.01 CHECK (min_share >= 0 AND min_share <= 1),
	min_effect float8 NOT NULL DEFAULT 0.05 CHECK (min_effect >= 0 AND min_effect < 'infinity'),
	direction text NOT NULL DEFAULT 'both' CHECK (direction IN ('both', 'degradation', 'optimization')),
	options jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(options) = 'object'),
	enabled bool NOT NULL DEFAULT true
);
COMMENT ON TABLE watch IS 'how new runs are compared with history; for each method the rows with the most specific pattern win, one for each level';
COMMENT ON COLUMN watch.watch_id IS 'number; 0 is the row that comes with the extension';
COMMENT ON COLUMN watch.suite IS 'pattern of LIKE for the suite';
COMMENT ON COLUMN watch.benchmark IS 'pattern of LIKE for the name of the benchmark';
COMMENT ON COLUMN watch.event IS 'pattern of LIKE for the event';
COMMENT ON COLUMN watch.method IS 'deviation, welch, hotelling, energy, change_point, correlation, integral or local_statistics';
COMMENT ON COLUMN watch.level IS 'what is compared: metric, stack, node, frame, self or location';
COMMENT ON COLUMN watch.baseline IS 'window:N (the N runs before), commit:SHA, version:V or branch:NAME; history is of the same branch, event and unit unless this says otherwise';
COMMENT ON COLUMN watch.alpha IS 'accepted share of false findings';
COMMENT ON COLUMN watch.min_share IS 'findings below this share of the profile are left out; a fraction';
COMMENT ON COLUMN watch.min_effect IS 'findings that changed by less, relative to what was expected, are left out; a fraction';
COMMENT ON COLUMN watch.direction IS 'both, degradation or optimization';
COMMENT ON COLUMN watch.options IS 'further parameters of the method';
COMMENT ON COLUMN watch.enabled IS 'false: what this row is the most specific one for is not watched';

-- The row that works for everybody. It may be changed like any other; only
-- deleting it is refused, because a dump that is restored would bring it back.
INSERT INTO watch (watch_id) OVERRIDING SYSTEM VALUE VALUES (0);

CREATE FUNCTION watch_shipped_row() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		-- A dump is being restored: its row replaces the one that CREATE EXTENSION has just made.
		DELETE FROM watch WHERE watch_id = NEW.watch_id;
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
	p_value float8 CHECK (p_value BETWEEN 0 AND 1),
	q_value float8 CHECK (q_value BETWEEN 0 AND 1),
	lower float8,
	upper float8,
	kind text NOT NULL CHECK (kind IN ('degradation', 'optimization')),
	status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'acknowledged', 'resolved', 'false_positive')),
	opened_at timestamptz NOT NULL DEFAULT now(),
	closed_at timestamptz,
	note text NOT NULL DEFAULT '',
	team text NOT NULL DEFAULT '',
	PRIMARY KEY (benchmark_id, regression_id),
	CHECK ((closed_at IS NULL) = (status IN ('open', 'acknowledged')))
);
CREATE UNIQUE INDEX regression_open_key ON regression (benchmark_id, event, unit, branch, method, level, subject_id)
	WHERE status IN ('open', 'acknowledged');
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
COMMENT ON COLUMN regression.level IS 'what the subject is: metric (of the run), frame, self (a function without what it calls), stack, node (a context) or location';
COMMENT ON COLUMN regression.subject IS 'what changed: a stack, or a path of one frame; empty for the metric';
COMMENT ON COLUMN regression.subject_id IS '128-bit hash of subject, its part in the key';
COMMENT ON COLUMN regression.expected IS 'value by the history, in unit';
COMMENT ON COLUMN regression.actual IS 'value of the last run, in unit';
COMMENT ON COLUMN regression.diff IS 'actual - expected, in unit';
COMMENT ON COLUMN regression.relative IS 'diff / expected, a fraction';
COMMENT ON COLUMN regression.score IS 'how unusual, by the method: standard deviations, a statistic';
COMMENT ON COLUMN regression.p_value IS 'probability of such a change by chance, when it was found; null where the method has none';
COMMENT ON COLUMN regression.q_value IS 'p_value adjusted for the number of tests of that night';
COMMENT ON COLUMN regression.lower IS 'lower end of the interval of diff when it was found, in unit; null where the method has none';
COMMENT ON COLUMN regression.upper IS 'upper end of the interval of diff when it was found, in unit; null where the method has none';
COMMENT ON COLUMN regression.kind IS 'degradation or optimization';
COMMENT ON COLUMN regression.status IS 'open, acknowledged, resolved or false_positive';
COMMENT ON COLUMN regression.opened_at IS 'when it was found';
COMMENT ON COLUMN regression.closed_at IS 'when it went away or was closed; null while it is open or acknowledged';
COMMENT ON COLUMN regression.note IS 'for people';
COMMENT ON COLUMN regression.team IS 'by owner, '''' when no pattern matches';

CREATE TABLE owner (
	owner_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	pattern stackquery NOT NULL,
	team text NOT NULL CHECK (team <> ''),
	priority int NOT NULL DEFAULT 0,
	CONSTRAINT owner_key UNIQUE (pattern)
);
COMMENT ON TABLE owner IS 'which team findings are assigned to';
COMMENT ON COLUMN owner.owner_id IS 'number';
COMMENT ON COLUMN owner.pattern IS 'the team''s stacks';
COMMENT ON COLUMN owner.team IS 'the team';
COMMENT ON COLUMN owner.priority IS 'of several patterns that match, the highest priority wins, then the lowest owner_id';

CREATE TABLE frame_rule (
	rule_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	ordinal int NOT NULL DEFAULT 0,
	suite text NOT NULL DEFAULT '%',
	benchmark text NOT NULL DEFAULT '%',
	pattern text NOT NULL,
	replacement text NOT NULL,
	-- A rule that cannot be applied is refused here, not at the next import.
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
COMMENT ON TABLE frame_commit IS 'last commit per code path; filled from git log by client/frame-commits';
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
	detail text NOT NULL DEFAULT ''
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
