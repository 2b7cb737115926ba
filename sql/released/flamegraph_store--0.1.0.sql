/* flamegraph_store: what a team runs, tables and functions around flamegraph */

-- complain if the script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION flamegraph_store" to load this file. \quit

-- While this script runs the search path is: schema profiling, the schema of
-- flamegraph, pg_temp. Tables, views and functions with BEGIN ATOMIC bind to what they
-- name here, and every function and operator that they name matches its arguments
-- exactly, so that nobody can put a better match in its place. Functions in PL/pgSQL
-- look for names when they run, in pg_catalog only; procedures that commit can keep
-- no setting and qualify every name. What needs a function or an operator of flamegraph
-- is therefore in a function with BEGIN ATOMIC.
--
-- Why there are no foreign keys between these tables, no keys on the partitioned
-- parent and one pg_extension_config_dump a statement: docs/decisions.md, "The store".

-- Who can put functions into one of the two schemas could let the store run them. So schema
-- profiling is new or empty and of whoever creates the store, and nobody else may
-- create anything in it or in the schema of flamegraph. Names are looked up in
-- pg_catalog from the first statement on.
DO LANGUAGE plpgsql $$
DECLARE
	v_path CONSTANT pg_catalog.text := pg_catalog.current_setting('search_path');
	n record;
	v_role record;
	v_objects pg_catalog.text;
BEGIN
	PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
	SELECT x.extnamespace AS store, f.oid AS flamegraph, f.extnamespace AS types, f.extowner AS types_owner,
		s.nspname AS types_name,
		(SELECT r.oid FROM pg_roles AS r WHERE r.rolname = current_user) AS me
	INTO STRICT n
	FROM pg_extension AS x, pg_extension AS f JOIN pg_namespace AS s ON s.oid = f.extnamespace
	WHERE x.extname = 'flamegraph_store' AND f.extname = 'flamegraph';

	-- Owners first. A grant or a schema of pg_database_owner is the owner's of the database.
	FOR v_role IN
		SELECT m.schema, m.role = 0 AS everybody, m.owns, r.rolname
		FROM (SELECT c.schema, c.owns, CASE WHEN c.role = g.oid THEN d.datdba ELSE c.role END AS role
			FROM (SELECT s.oid AS schema, true AS owns, s.nspowner AS role FROM pg_namespace AS s
				UNION ALL
				SELECT s.oid, false, a.grantee FROM pg_namespace AS s, aclexplode(s.nspacl) AS a
				WHERE a.privilege_type = 'CREATE' AND a.grantee <> s.nspowner) AS c,
				pg_roles AS g, pg_database AS d
			WHERE g.rolname = 'pg_database_owner' AND d.datname = current_database()
				AND (c.schema = n.store OR c.schema = n.types)) AS m
			LEFT JOIN pg_roles AS r ON r.oid = m.role
		WHERE NOT coalesce(r.rolsuper OR r.oid = n.me OR r.oid = n.types_owner AND m.schema <> n.store, false)
		ORDER BY m.schema <> n.store, NOT m.owns, m.role LIMIT 1
	LOOP
		IF v_role.schema = n.store AND v_role.owns THEN
			RAISE EXCEPTION USING
				ERRCODE = 'insufficient_privilege',
				MESSAGE = format('schema "profiling" belongs to role "%s"', v_role.rolname),
				DETAIL = 'The owner of a schema can put functions in the way of those of the store.',
				HINT = format('Connect as role %I to create the extension, or drop the schema first.', v_role.rolname);
		END IF;
		RAISE EXCEPTION USING
			ERRCODE = 'insufficient_privilege',
			MESSAGE = CASE WHEN v_role.everybody THEN 'everybody' ELSE format('role "%s"', v_role.rolname) END
				|| format(' may create objects in schema "%s"', CASE WHEN v_role.schema = n.store THEN 'profiling'
					ELSE n.types_name END),
			DETAIL = CASE WHEN v_role.schema = n.store THEN 'Functions could be put in the way of those of the store.'
				ELSE 'Extension flamegraph is there; '
					'functions could be put in the way of those that the store calls.' END,
			HINT = CASE WHEN v_role.owns THEN format('Connect as role %I to create the store', v_role.rolname)
				ELSE format('REVOKE CREATE ON SCHEMA %I FROM %s', CASE WHEN v_role.schema = n.store THEN 'profiling'
					ELSE n.types_name END,
					CASE WHEN v_role.everybody THEN 'PUBLIC' ELSE quote_ident(v_role.rolname) END) END
				|| CASE WHEN v_role.schema = n.store THEN '.'
					ELSE ', or have flamegraph in a schema of its own: '
						'CREATE SCHEMA flamegraph; CREATE EXTENSION flamegraph SCHEMA flamegraph.' END;
	END LOOP;

	SELECT string_agg(o.name, ', ') INTO v_objects
	FROM (SELECT pg_describe_object(d.classid, d.objid, 0) AS name
		FROM pg_depend AS d
		WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = n.store AND d.classid <> 'pg_extension'::regclass
			AND NOT EXISTS (SELECT FROM pg_depend AS m
				WHERE m.classid = d.classid AND m.objid = d.objid AND m.deptype = 'e'
					AND m.refclassid = 'pg_extension'::regclass AND m.refobjid = n.flamegraph)
		ORDER BY 1 LIMIT 5) AS o;
	IF v_objects IS NOT NULL THEN
		RAISE EXCEPTION USING
			ERRCODE = 'object_not_in_prerequisite_state',
			MESSAGE = 'schema "profiling" is not empty',
			DETAIL = format('Among what is there: %s.', v_objects),
			HINT = 'Drop what is there, or move it to another schema.';
	END IF;
	PERFORM set_config('search_path', v_path, true);
END
$$;

--
-- what was measured: benchmarks, runs, profiles, observations
--
-- Text that is part of a key is never null and short enough for a btree page;
-- jsonb enters keys as the md5 of its text.
--

-- Tables that people write to say which words there are; the constraint's name would not.
CREATE FUNCTION word_works(what text, word text, VARIADIC words text[]) RETURNS bool
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF word <> ALL (words) THEN
		RAISE EXCEPTION 'unrecognized % "%"', what, word USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Available: ' || array_to_string(words, ', ') || '.';
	END IF;
	RETURN true;
END
$$;
COMMENT ON FUNCTION word_works(text, text, text[])
	IS 'true; an error that lists the words for one that is not among them';

CREATE TABLE benchmark (
	benchmark_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	suite text NOT NULL DEFAULT '' CHECK (octet_length(suite) <= 1000),
	name text NOT NULL CHECK (name <> '' AND octet_length(name) <= 1000),
	parameters jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(parameters) = 'object'),
	parameters_id uuid NOT NULL,
	metric_direction text NOT NULL DEFAULT 'lower' CHECK (word_works('metric_direction'::text, metric_direction,
		'lower'::text, 'higher'::text)),
	created_at timestamptz NOT NULL DEFAULT now(),
	CONSTRAINT benchmark_key UNIQUE (suite, name, parameters_id)
);
COMMENT ON TABLE benchmark IS 'what is measured again and again: a program, a test, a service';
COMMENT ON COLUMN benchmark.benchmark_id IS 'number; carried by every table that is joined with profiles';
COMMENT ON COLUMN benchmark.suite IS 'group of benchmarks, '''' when there is none';
COMMENT ON COLUMN benchmark.name IS 'name within the suite';
COMMENT ON COLUMN benchmark.parameters
	IS 'object of parameters; the same name with other parameters is another benchmark';
COMMENT ON COLUMN benchmark.parameters_id IS 'md5 of the text of parameters, their part in the key';
COMMENT ON COLUMN benchmark.metric_direction
	IS '''lower'': a lower metric is better (times); ''higher'': a higher one is (throughputs)';
COMMENT ON COLUMN benchmark.created_at IS 'when it was first loaded';

CREATE TABLE benchmark_alias (
	suite text NOT NULL DEFAULT '' CHECK (octet_length(suite) <= 1000),
	name text NOT NULL CHECK (name <> '' AND octet_length(name) <= 1000),
	parameters jsonb CHECK (jsonb_typeof(parameters) = 'object'),
	parameters_id uuid NOT NULL,
	new_suite text NOT NULL DEFAULT '' CHECK (octet_length(new_suite) <= 1000),
	new_name text NOT NULL CHECK (new_name <> '' AND octet_length(new_name) <= 1000),
	new_parameters jsonb CHECK (jsonb_typeof(new_parameters) = 'object'),
	created_at timestamptz NOT NULL DEFAULT now(),
	CHECK ((parameters IS NULL) = (new_parameters IS NULL)),
	PRIMARY KEY (suite, name, parameters_id)
);
COMMENT ON TABLE benchmark_alias
	IS 'names that benchmarks had before they were renamed or merged: what is loaded under them goes to the new ones';
COMMENT ON COLUMN benchmark_alias.suite IS 'the old suite';
COMMENT ON COLUMN benchmark_alias.name IS 'the old name';
COMMENT ON COLUMN benchmark_alias.parameters IS 'the old parameters; null: any, and they stay what they are';
COMMENT ON COLUMN benchmark_alias.parameters_id
	IS 'md5 of the text of parameters, of ''null'' when they are null: their part in the key';
COMMENT ON COLUMN benchmark_alias.new_suite IS 'the suite now';
COMMENT ON COLUMN benchmark_alias.new_name IS 'the name now';
COMMENT ON COLUMN benchmark_alias.new_parameters IS 'the parameters now; null: those that come';
COMMENT ON COLUMN benchmark_alias.created_at IS 'when it was renamed or merged';

CREATE TABLE test_run (
	test_run_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	started_at timestamptz NOT NULL CHECK (isfinite(started_at)),
	branch text NOT NULL DEFAULT '' CHECK (octet_length(branch) <= 500),
	commit text NOT NULL DEFAULT '' CHECK (octet_length(commit) <= 500),
	version text NOT NULL DEFAULT '' CHECK (octet_length(version) <= 500),
	labels jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(labels) = 'object'),
	labels_id uuid NOT NULL,
	CONSTRAINT test_run_key UNIQUE (started_at, branch, commit, version, labels_id)
);
CREATE INDEX test_run_commit_idx ON test_run (commit);
COMMENT ON TABLE test_run
	IS 'one run of a suite; branch, commit and version together are the executable, which selections do not mix '
		'unless asked to';
COMMENT ON COLUMN test_run.test_run_id IS 'number; the order of runs is that of started_at, not of numbers';
COMMENT ON COLUMN test_run.started_at IS 'when the run began; the order of histories';
COMMENT ON COLUMN test_run.branch IS 'branch of the program''s repository, '''' when unknown';
COMMENT ON COLUMN test_run.commit IS 'commit of the program''s repository, '''' when unknown';
COMMENT ON COLUMN test_run.version IS 'release of the program, '''' when unknown';
COMMENT ON COLUMN test_run.labels IS 'object of whatever else describes the run: host, compiler, configuration';
COMMENT ON COLUMN test_run.labels_id IS 'md5 of the text of labels, their part in the key';

CREATE TABLE profile (
	benchmark_id bigint NOT NULL,
	profile_id bigint GENERATED ALWAYS AS IDENTITY,
	test_run_id bigint NOT NULL,
	event text NOT NULL CHECK (event <> '' AND octet_length(event) <= 250),
	unit text NOT NULL CHECK (unit <> '' AND octet_length(unit) <= 250),
	period float8 CHECK (period > 0::float8 AND period < 'infinity'::float8),
	recorded_at timestamptz NOT NULL CHECK (isfinite(recorded_at)),
	duration interval,
	instance text NOT NULL DEFAULT '' CHECK (octet_length(instance) <= 500),
	repetition int NOT NULL DEFAULT 0,
	labels jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(labels) = 'object'),
	metric float8 CHECK (metric > '-infinity'::float8 AND metric < 'infinity'::float8),
	metric_unit text NOT NULL DEFAULT '' CHECK (octet_length(metric_unit) <= 250),
	source text NOT NULL DEFAULT '' CHECK (octet_length(source) <= 1000),
	total float8 NOT NULL,
	nodes int NOT NULL,
	frames int NOT NULL,
	truncated_share float8 CHECK (truncated_share BETWEEN 0::float8 AND 1::float8),
	reshaped bool NOT NULL,
	content_id uuid NOT NULL,
	PRIMARY KEY (benchmark_id, profile_id),
	CONSTRAINT profile_key UNIQUE (benchmark_id, test_run_id, event, unit, instance, repetition, content_id)
);
CREATE INDEX profile_test_run_idx ON profile (test_run_id);
CREATE INDEX profile_recorded_idx ON profile (recorded_at);
COMMENT ON TABLE profile
	IS 'one profile: what is known about it in numbers and words; the flamegraph is in profile_data';
COMMENT ON COLUMN profile.benchmark_id IS 'the benchmark';
COMMENT ON COLUMN profile.profile_id IS 'number of the profile, unique in the store';
COMMENT ON COLUMN profile.test_run_id IS 'the run';
COMMENT ON COLUMN profile.event IS 'what was sampled: cpu, wall, alloc, lock, io, exception, …';
COMMENT ON COLUMN profile.unit IS 'unit of the values: samples, nanoseconds, bytes, …';
COMMENT ON COLUMN profile.period IS 'what one sample stands for, in unit; null when the recording does not say';
COMMENT ON COLUMN profile.recorded_at IS 'when it was recorded; decides about the partition and how long it is kept';
COMMENT ON COLUMN profile.duration IS 'length of the recording';
COMMENT ON COLUMN profile.instance IS 'which of several processes or machines, '''' when there is one';
COMMENT ON COLUMN profile.repetition IS 'number of the repetition within the run';
COMMENT ON COLUMN profile.labels IS 'labels of the run, so that a selection need not join';
COMMENT ON COLUMN profile.metric IS 'the high-level number of the run, in metric_unit: a time, a throughput';
COMMENT ON COLUMN profile.metric_unit IS 'unit of metric';
COMMENT ON COLUMN profile.source IS 'name of the file it came from, when it was loaded first';
COMMENT ON COLUMN profile.total IS 'total(flamegraph), in unit: stacks that were cut off are not in it';
COMMENT ON COLUMN profile.nodes IS 'nnodes(flamegraph)';
COMMENT ON COLUMN profile.frames IS 'nframes(flamegraph)';
COMMENT ON COLUMN profile.truncated_share
	IS 'share of the recording that is in stacks that were cut off; a fraction, null for an empty recording';
COMMENT ON COLUMN profile.reshaped
	IS 'whether the stored profile differs from the recording: by frame rules or max_depth';
COMMENT ON COLUMN profile.content_id
	IS '128-bit hash of the recording as it came, before frame rules: a repeated load is recognised by it';

-- Partitions come from add_partition(); they carry the key and the index by frames.
-- The parent has neither, nor anything else that ATTACH would clone: a dump could not
-- be restored.
CREATE TABLE profile_data (
	benchmark_id bigint NOT NULL,
	profile_id bigint NOT NULL,
	recorded_at timestamptz NOT NULL,
	flamegraph flamegraph NOT NULL,
	truncated flamegraph
) PARTITION BY RANGE (recorded_at);
COMMENT ON TABLE profile_data IS 'the profiles themselves, by month';
COMMENT ON COLUMN profile_data.benchmark_id IS 'the benchmark';
COMMENT ON COLUMN profile_data.profile_id IS 'the row of profile';
COMMENT ON COLUMN profile_data.recorded_at IS 'that of profile';
COMMENT ON COLUMN profile_data.flamegraph IS 'the profile, in profile.unit, frame rules applied';
COMMENT ON COLUMN profile_data.truncated IS 'stacks that were cut off, kept apart; null when there are none';

CREATE TABLE profile_data_default PARTITION OF profile_data (PRIMARY KEY (benchmark_id, profile_id)) DEFAULT;
CREATE INDEX profile_data_default_flamegraph_idx ON profile_data_default USING gin (flamegraph);
ALTER TABLE profile_data_default SET (parallel_workers = 4);
COMMENT ON TABLE profile_data_default
	IS 'profiles of months without a partition; maintain() moves them, prune() puts what it keeps of an old month '
		'here';

-- recorded_at is that of profile_data, so that a condition on it leaves partitions out. What is known about
-- benchmark and run comes by LEFT JOINs on their keys: a query that does not ask for it does not pay for it.
CREATE VIEW profile_full AS
SELECT p.benchmark_id, p.profile_id, p.test_run_id, b.suite, b.name AS benchmark, b.parameters, t.branch, t.commit,
	t.version, t.started_at, p.event, p.unit, p.period, d.recorded_at, p.duration, p.instance, p.repetition, p.labels,
	p.metric, p.metric_unit, p.source, p.total, p.nodes, p.frames, p.truncated_share, p.reshaped, p.content_id,
	d.flamegraph, d.truncated
FROM profile AS p JOIN profile_data AS d
		ON d.benchmark_id = p.benchmark_id AND d.profile_id = p.profile_id AND d.recorded_at = p.recorded_at
	LEFT JOIN benchmark AS b ON b.benchmark_id = p.benchmark_id
	LEFT JOIN test_run AS t ON t.test_run_id = p.test_run_id;
COMMENT ON VIEW profile_full IS 'profile and profile_data together, with the names of the benchmark and the run';

-- its columns say what those of the tables say
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
				WHEN v.attname::text IN ('flamegraph', 'truncated') THEN 'profile_data'
				ELSE 'profile' END)::pg_catalog.regclass::pg_catalog.oid
		WHERE v.attrelid OPERATOR(pg_catalog.=) 'profiling.profile_full'::pg_catalog.regclass::pg_catalog.oid
			AND v.attnum OPERATOR(pg_catalog.>) 0
	LOOP
		EXECUTE pg_catalog.format('COMMENT ON COLUMN profiling.profile_full.%I IS %L', c.attname, c.comment);
	END LOOP;
END
$do$;

CREATE TABLE observation (
	benchmark_id bigint NOT NULL,
	observation_id bigint GENERATED ALWAYS AS IDENTITY,
	test_run_id bigint NOT NULL,
	location text NOT NULL CHECK (location <> '' AND octet_length(location) <= 2000),
	x float8 NOT NULL CHECK (x > '-infinity'::float8 AND x < 'infinity'::float8),
	y float8 NOT NULL CHECK (y > '-infinity'::float8 AND y < 'infinity'::float8),
	unit text NOT NULL DEFAULT '' CHECK (octet_length(unit) <= 250),
	load_id uuid,
	ordinal int,
	PRIMARY KEY (benchmark_id, observation_id),
	CONSTRAINT observation_key UNIQUE (benchmark_id, test_run_id, load_id, ordinal)
);
COMMENT ON TABLE observation IS 'one measured point of a function, from which performance models are fitted';
COMMENT ON COLUMN observation.benchmark_id IS 'the benchmark';
COMMENT ON COLUMN observation.observation_id IS 'number of the observation';
COMMENT ON COLUMN observation.test_run_id IS 'the run';
COMMENT ON COLUMN observation.location IS 'the function, or what else is measured';
COMMENT ON COLUMN observation.x IS 'the independent variable: a size of the input';
COMMENT ON COLUMN observation.y IS 'what was measured, in unit';
COMMENT ON COLUMN observation.unit IS 'unit of y';
COMMENT ON COLUMN observation.load_id
	IS '128-bit hash of the arrays it was loaded with: a repeated load is recognised by it; null for rows that came '
		'by COPY';
COMMENT ON COLUMN observation.ordinal IS 'position in these arrays';

CREATE TABLE fitted_model (
	benchmark_id bigint NOT NULL,
	test_run_id bigint NOT NULL,
	location text NOT NULL CHECK (location <> '' AND octet_length(location) <= 2000),
	kind text NOT NULL CHECK (octet_length(kind) <= 100),
	unit text NOT NULL DEFAULT '' CHECK (octet_length(unit) <= 250),
	model perfmodel NOT NULL,
	r_square float8,
	PRIMARY KEY (benchmark_id, test_run_id, location, kind, unit)
);
COMMENT ON TABLE fitted_model IS 'best models of a run, so that the next run is compared without the observations';
COMMENT ON COLUMN fitted_model.benchmark_id IS 'the benchmark';
COMMENT ON COLUMN fitted_model.test_run_id IS 'the run';
COMMENT ON COLUMN fitted_model.location IS 'the function, as in observation';
COMMENT ON COLUMN fitted_model.kind IS 'kind(model): linear, regressogram, …';
COMMENT ON COLUMN fitted_model.unit IS 'unit of y';
COMMENT ON COLUMN fitted_model.model IS 'the model';
COMMENT ON COLUMN fitted_model.r_square IS 'r_square(model): 1 is a perfect fit';

-- What the nightly comparison reads. Written by import in the same transaction as
-- the profile: sums are linear and moments merge, so it is always exact. Sums grow
-- with every repetition; so that importing one costs no more than itself, the ones
-- after the fourth are only noted in pending, and added by fold_rollups() together.
CREATE TABLE rollup (
	benchmark_id bigint NOT NULL,
	event text NOT NULL,
	unit text NOT NULL,
	branch text NOT NULL,
	test_run_id bigint NOT NULL,
	span text NOT NULL DEFAULT 'run' CHECK (span IN ('run', 'month')),
	started_at timestamptz NOT NULL,
	run_ids bigint[] NOT NULL,
	flamegraph flamegraph NOT NULL,
	stats_stack flamestats,
	stats_node flamestats,
	stats_frame flamestats,
	stats_self flamestats,
	repetitions int NOT NULL,
	total float8 NOT NULL,
	truncated_total float8 NOT NULL,
	metric_count int NOT NULL,
	metric_sum float8,
	metric_unit text NOT NULL DEFAULT '',
	checked_at timestamptz,
	compared_with int,
	compared_since bigint,
	not_compared text,
	pending bigint[] NOT NULL DEFAULT '{}',
	CHECK ((repetitions - pg_catalog.cardinality(pending) = 1) = (stats_stack IS NULL)
		AND (stats_stack IS NULL) = (stats_node IS NULL)
		AND (stats_stack IS NULL) = (stats_frame IS NULL) AND (stats_stack IS NULL) = (stats_self IS NULL)),
	PRIMARY KEY (benchmark_id, event, unit, branch, test_run_id)
);
CREATE INDEX rollup_history_idx ON rollup (benchmark_id, event, unit, branch, started_at);
CREATE INDEX rollup_unchecked_idx ON rollup (benchmark_id) WHERE checked_at IS NULL;
CREATE INDEX rollup_pending_idx ON rollup (benchmark_id) WHERE pending OPERATOR(pg_catalog.<>) '{}'::bigint[];
COMMENT ON TABLE rollup
	IS 'sum and moments of the profiles of a run, per benchmark, event and unit; old ones merged to months';
COMMENT ON COLUMN rollup.benchmark_id IS 'the benchmark';
COMMENT ON COLUMN rollup.event IS 'that of the profiles';
COMMENT ON COLUMN rollup.unit IS 'that of the profiles: values of different units are never summed';
COMMENT ON COLUMN rollup.branch IS 'branch of the run';
COMMENT ON COLUMN rollup.test_run_id IS 'the run; of a month the newest one';
COMMENT ON COLUMN rollup.span IS '''run'', or ''month'' for runs that were merged';
COMMENT ON COLUMN rollup.started_at IS 'when the run began; of a month the newest one';
COMMENT ON COLUMN rollup.run_ids IS 'the runs in it, sorted; of a run itself';
COMMENT ON COLUMN rollup.flamegraph
	IS 'sum of the profiles in it but for pending, in unit; summed(flamegraph, benchmark_id, pending) is that of all: '
		'divide by repetitions for the mean';
COMMENT ON COLUMN rollup.stats_stack
	IS 'moments of the profiles by stacks but for pending; null for a single profile, whose moments follow from it: '
		'stats_of(stats_stack, flamegraph, ''stack'')';
COMMENT ON COLUMN rollup.stats_node IS 'the same by calling contexts, inclusive';
COMMENT ON COLUMN rollup.stats_frame IS 'the same by functions, inclusive';
COMMENT ON COLUMN rollup.stats_self IS 'the same by functions, exclusive';
COMMENT ON COLUMN rollup.repetitions IS 'number of profiles in it';
COMMENT ON COLUMN rollup.total IS 'sum of their totals, in unit';
COMMENT ON COLUMN rollup.truncated_total IS 'sum of what is in stacks that were cut off, in unit';
COMMENT ON COLUMN rollup.metric_count IS 'number of profiles with a metric';
COMMENT ON COLUMN rollup.metric_sum IS 'sum of their metrics, in metric_unit; null when there are none';
COMMENT ON COLUMN rollup.metric_unit IS 'unit of the metrics';
COMMENT ON COLUMN rollup.checked_at
	IS 'when the nightly comparison has looked at it; null again when a profile was added';
COMMENT ON COLUMN rollup.compared_with
	IS 'how many earlier runs the nightly comparison had for it; null when nothing was compared';
COMMENT ON COLUMN rollup.compared_since
	IS 'the oldest of the new runs with which it was compared as one group; of a run that was compared alone itself';
COMMENT ON COLUMN rollup.not_compared
	IS 'why it, or its metric, was not compared when the night has looked at it; null when nothing was left out';
COMMENT ON COLUMN rollup.pending
	IS 'profile_id of profiles that flamegraph and the moments do not have yet; all other columns have them';

--
-- times and quotients
--
-- A clock that goes wrong, or a file with a wrong date, must not end a history: whatever
-- asks for the newest run, or for runs before another one, leaves out what is to come.
--

CREATE FUNCTION has_begun(started_at timestamptz) RETURNS bool
	LANGUAGE sql STABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT has_begun.started_at <= now() + '1 day'::interval;
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
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
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

CREATE FUNCTION baseline_works(baseline text) RETURNS bool
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF baseline !~ '^(window:0*[1-9][0-9]{0,5}|commit:.+|version:.+|branch:.*)$' THEN
		RAISE EXCEPTION 'unrecognized baseline "%"', baseline USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Available: window:N (N from 1 to 999999), commit:SHA, version:V, branch:NAME.';
	END IF;
	RETURN true;
END
$$;
COMMENT ON FUNCTION baseline_works(text) IS 'true; an error for what is no baseline of a watch row';

CREATE FUNCTION status_works(status text, closed_at timestamptz) RETURNS bool
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	PERFORM profiling.word_works('status'::text, status, 'open'::text, 'acknowledged'::text, 'resolved'::text,
		'false_positive'::text);
	IF closed_at IS NULL AND status IN ('resolved', 'false_positive') THEN
		RAISE EXCEPTION 'a finding with status "%" has a date in closed_at', status
			USING ERRCODE = 'check_violation', HINT = format('SET status = %L, closed_at = now()', status);
	END IF;
	IF closed_at IS NOT NULL AND status IN ('open', 'acknowledged') THEN
		RAISE EXCEPTION 'a finding with status "%" has no date in closed_at', status
			USING ERRCODE = 'check_violation', HINT = format('SET status = %L, closed_at = NULL', status);
	END IF;
	RETURN true;
END
$$;
COMMENT ON FUNCTION status_works(text, timestamptz)
	IS 'true; an error for what is no status of a finding, and for one without the date that it needs';

CREATE FUNCTION pattern_reaches(pattern stackquery) RETURNS bool
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
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
	LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 13
	BEGIN ATOMIC
		VALUES ('recent'::text, 'whole'::text, 0::float8, 999999::float8, NULL::text[]),
			('poisson_unit', 'number', 0, 1.7e308, NULL),
			('min_std', 'number', 0, 1.7e308, NULL),
			('zero_std', 'word', NULL, NULL, '{inf,zero}'),
			('min_df', 'whole', 1, 999999, NULL),
			('normalised', 'word', NULL, NULL, '{true,false}'),
			('permutations', 'whole', 1, 10000000, NULL),
			('seed', 'whole', -9e18, 9e18, NULL),
			('min_segment', 'whole', 2, 999999, NULL),
			('history', 'whole', 0, 999999, NULL),
			('correlation', 'word', NULL, NULL, '{pearson,spearman}'),
			('min_score', 'number', -1, 1, NULL),
			('model', 'word', NULL, NULL,
				'{regressogram,moving_average,kernel_regression,constant,logarithmic,linear,quadratic,power,'
				'exponential}');
	END;
COMMENT ON FUNCTION watch_options()
	IS 'the options of watch rows: whole numbers and numbers with their limits, words with what they may be';

CREATE FUNCTION options_work(watch_id bigint, options jsonb) RETURNS bool
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
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
			WHEN length(v_value) > 400 OR v_value !~ '^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?$' THEN false
			WHEN o.kind = 'whole' THEN v_value ~ '^-?[0-9]+$'
				AND v_value::numeric BETWEEN o.lowest::numeric AND o.highest::numeric
			ELSE v_value::numeric BETWEEN o.lowest::numeric AND o.highest::numeric END;
		IF NOT v_works THEN
			RAISE EXCEPTION 'option "%" of watch row % cannot be "%"', o.name, options_work.watch_id, left(v_value, 100)
				USING ERRCODE = 'invalid_parameter_value', HINT = CASE o.kind
					WHEN 'word' THEN 'Available: ' || array_to_string(o.words, ', ') || '.'
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
		'local_statistics'::text)),
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
	IS 'deviation, welch, hotelling, energy, change_point, correlation, integral or local_statistics';
COMMENT ON COLUMN watch.level IS 'what is compared: metric, stack, node, frame, self or location';
COMMENT ON COLUMN watch.baseline
	IS 'window:N (the N runs before), commit:SHA, version:V or branch:NAME; history is of the same branch, event and '
		'unit unless this says otherwise';
COMMENT ON COLUMN watch.alpha IS 'accepted share of false findings';
COMMENT ON COLUMN watch.min_share IS 'findings below this share of the profile are left out; a fraction';
COMMENT ON COLUMN watch.min_effect
	IS 'findings that changed by less, relative to what was expected, are left out; a fraction';
COMMENT ON COLUMN watch.direction IS 'both, degradation or optimization';
COMMENT ON COLUMN watch.options IS 'further parameters of the method';
COMMENT ON COLUMN watch.enabled IS 'false: what this row is the most specific one for is not watched';

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
	kind text NOT NULL CHECK (kind IN ('degradation', 'optimization')),
	status text NOT NULL DEFAULT 'open',
	opened_at timestamptz NOT NULL DEFAULT now(),
	closed_at timestamptz,
	note text NOT NULL DEFAULT '',
	team text NOT NULL DEFAULT '',
	PRIMARY KEY (benchmark_id, regression_id),
	CONSTRAINT regression_status_works CHECK (status_works(status, closed_at))
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

--
-- getting data in
--
-- Import runs no DDL and takes its locks in one order: benchmark, run, and then
-- profile and rollup in the order of (event, unit). Several imports in one
-- transaction should keep to one order of benchmarks, or be a transaction each.
-- Before all of these it takes the lock that keeps corrections out: what one of them
-- takes away or renames is looked up before or after it, never in between.
--
-- Who loads neither reads profiles nor touches sums. All of import runs with the rights of
-- its caller but for store_profile(), which puts a new profile where it belongs and adds it
-- to the sum of its run: whole, and once.
--

CREATE FUNCTION object_id(value jsonb) RETURNS uuid
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	BEGIN ATOMIC
		SELECT md5(value::text)::uuid;
	END;
COMMENT ON FUNCTION object_id(jsonb) IS 'what stands for an object of labels or parameters in a key';

CREATE FUNCTION content_id(fg flamegraph, truncated flamegraph DEFAULT NULL) RETURNS uuid
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT (lpad(to_hex(flamegraph_hash_extended(v, 1::bigint)), 16, '0'::text)
				|| lpad(to_hex(flamegraph_hash_extended(v, 2::bigint)), 16, '0'::text))::uuid
		FROM (VALUES (coalesce(fg + truncated, fg))) AS t (v);
	END;
COMMENT ON FUNCTION content_id(flamegraph, flamegraph)
	IS '128-bit hash of a profile, with what was cut off: the same wherever the depth limit was set';

CREATE FUNCTION stats_of(stats flamestats, fg flamegraph, level text) RETURNS flamestats
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN stats_of.stats IS NOT NULL THEN stats_of.stats
					ELSE (SELECT stats(v, stats_of.level) FROM (VALUES (stats_of.fg)) AS t (v)) END;
	END;
COMMENT ON FUNCTION stats_of(flamestats, flamegraph, text)
	IS 'moments of a rollup at a level: its column stats_LEVEL, or those of its single profile';

CREATE FUNCTION adds_at_once(repetitions int) RETURNS bool
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT adds_at_once.repetitions < 4;
	END;
COMMENT ON FUNCTION adds_at_once(int)
	IS 'whether a rollup of so many profiles takes one more into its sums; beyond that they are larger than what '
		'comes, and it is noted in pending';

CREATE FUNCTION added(repetitions int, fg flamegraph, more flamegraph) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN adds_at_once(added.repetitions) THEN added.fg + added.more ELSE added.fg END;
	END;
COMMENT ON FUNCTION added(int, flamegraph, flamegraph)
	IS 'the sum of a rollup with one profile more, if that is added at once';

CREATE FUNCTION added_stats(repetitions int, stats flamestats, fg flamegraph, level text,
		more flamegraph) RETURNS flamestats
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN adds_at_once(added_stats.repetitions)
			THEN stats_of(added_stats.stats, added_stats.fg, added_stats.level)
				+ stats_of(NULL::flamestats, added_stats.more, added_stats.level)
			ELSE added_stats.stats END;
	END;
COMMENT ON FUNCTION added_stats(int, flamestats, flamegraph, text, flamegraph)
	IS 'stats_of() a rollup with one profile more, if that is added at once';

CREATE FUNCTION summed(fg flamegraph, benchmark_id bigint, pending bigint[]) RETURNS flamegraph
	LANGUAGE sql STABLE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN pg_catalog.cardinality(summed.pending) = 0 THEN summed.fg
					ELSE summed.fg + coalesce((SELECT sum(d.flamegraph) FROM profile_data AS d
						WHERE d.benchmark_id = summed.benchmark_id AND d.profile_id = ANY (summed.pending)),
							''::flamegraph) END;
	END;
COMMENT ON FUNCTION summed(flamegraph, bigint, bigint[])
	IS 'sum of all profiles of a rollup, from its columns: with those that are only noted in pending';

CREATE FUNCTION fold_rollup(benchmark_id bigint, event text, unit text, branch text, test_run_id bigint,
		pending bigint[]) RETURNS void
	LANGUAGE sql
	BEGIN ATOMIC
		UPDATE rollup AS r SET
			flamegraph = r.flamegraph + p.fg,
			stats_stack = stats_of(r.stats_stack, r.flamegraph, 'stack'::text) + p.stack,
			stats_node = stats_of(r.stats_node, r.flamegraph, 'node'::text) + p.node,
			stats_frame = stats_of(r.stats_frame, r.flamegraph, 'frame'::text) + p.frame,
			stats_self = stats_of(r.stats_self, r.flamegraph, 'self'::text) + p.self,
			pending = '{}'::bigint[]
		FROM (SELECT sum(d.flamegraph) AS fg, stats(d.flamegraph, 'stack'::text) AS stack,
			stats(d.flamegraph, 'node'::text) AS node,
				stats(d.flamegraph, 'frame'::text) AS frame, stats(d.flamegraph, 'self'::text) AS self
			FROM profile_data AS d WHERE d.benchmark_id = fold_rollup.benchmark_id
				AND d.profile_id = ANY (fold_rollup.pending)
			HAVING count(*) > 0) AS p
		WHERE r.benchmark_id = fold_rollup.benchmark_id AND r.event = fold_rollup.event AND r.unit = fold_rollup.unit
			AND r.branch = fold_rollup.branch AND r.test_run_id = fold_rollup.test_run_id;
	END;
COMMENT ON FUNCTION fold_rollup(bigint, text, text, text, bigint, bigint[])
	IS 'adds these profiles to the sums and moments of one rollup, which has noted no others';

CREATE FUNCTION fold_rollups(benchmark_id bigint, test_run_id bigint DEFAULT NULL) RETURNS int
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	g record;
	v_pending bigint[];
	v_folded int := 0;
BEGIN
	-- In the order in which imports take their locks.
	FOR g IN
		SELECT r.event, r.unit, r.branch, r.test_run_id FROM profiling.rollup AS r
		WHERE r.benchmark_id = fold_rollups.benchmark_id AND r.pending <> '{}'
			AND (fold_rollups.test_run_id IS NULL OR r.test_run_id = fold_rollups.test_run_id)
		ORDER BY r.event COLLATE "C", r.unit COLLATE "C", r.branch COLLATE "C", r.test_run_id
	LOOP
		SELECT r.pending INTO v_pending FROM profiling.rollup AS r
		WHERE r.benchmark_id = fold_rollups.benchmark_id AND r.event = g.event AND r.unit = g.unit
			AND r.branch = g.branch
			AND r.test_run_id = g.test_run_id AND r.pending <> '{}'
		FOR UPDATE;
		CONTINUE WHEN NOT FOUND;
		PERFORM profiling.fold_rollup(fold_rollups.benchmark_id, g.event, g.unit, g.branch, g.test_run_id, v_pending);
		v_folded := v_folded + cardinality(v_pending);
	END LOOP;
	RETURN v_folded;
END
$$;
COMMENT ON FUNCTION fold_rollups(bigint, bigint)
	IS 'adds the pending profiles of a benchmark''s rollups (of one run, or of all) to their sums and moments; '
		'returns how many profiles that were';

CREATE FUNCTION refuse_future(moment timestamptz, what text) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RAISE EXCEPTION '% lies in the future', what USING
		ERRCODE = 'datetime_field_overflow',
		DETAIL = format('It is %s.', moment),
		HINT = 'Look at the clock of the machine that recorded the profile, or at the dates of its files.';
END
$$;
COMMENT ON FUNCTION refuse_future(timestamptz, text) IS 'the error for a time that has not begun, by has_begun()';

CREATE FUNCTION keep_corrections_out() RETURNS void
	LANGUAGE sql
	BEGIN ATOMIC
		SELECT pg_advisory_xact_lock_shared(hashtextextended('flamegraph_store correction'::text, 0::bigint));
	END;
COMMENT ON FUNCTION keep_corrections_out()
	IS 'waits for a correction that is at work (delete_run() and the like), and lets none begin before the end of the '
		'transaction';

CREATE FUNCTION benchmark_in_words(suite text, name text, parameters jsonb) RETURNS text
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN profiling.printable(format('"%s"', name)
		|| CASE suite WHEN '' THEN '' ELSE format(' of suite "%s"', suite) END
		|| CASE parameters WHEN '{}' THEN '' ELSE format(' with parameters %s', parameters) END);
END
$$;
COMMENT ON FUNCTION benchmark_in_words(text, text, jsonb) IS 'a benchmark as messages call it';

CREATE FUNCTION called_now(INOUT suite text, INOUT name text, INOUT parameters jsonb, OUT benchmark_id bigint)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	a record;
BEGIN
	-- An alias can lead to another one. Should somebody have made a circle by hand, it ends, too.
	FOR hop IN 1 .. 20 LOOP
		SELECT b.benchmark_id INTO called_now.benchmark_id FROM profiling.benchmark AS b
		WHERE b.suite = called_now.suite AND b.name = called_now.name
			AND b.parameters_id = profiling.object_id(called_now.parameters);
		EXIT WHEN FOUND;
		SELECT o.* INTO a FROM profiling.benchmark_alias AS o
		WHERE o.suite = called_now.suite AND o.name = called_now.name
			AND (o.parameters IS NULL OR o.parameters_id = profiling.object_id(called_now.parameters))
		ORDER BY o.parameters IS NULL LIMIT 1;
		EXIT WHEN NOT FOUND;
		called_now.suite := a.new_suite;
		called_now.name := a.new_name;
		called_now.parameters := coalesce(a.new_parameters, called_now.parameters);
	END LOOP;
END
$$;
COMMENT ON FUNCTION called_now(text, text, jsonb)
	IS 'what a benchmark is called now, by benchmark_alias, and its number; null when there is none';

CREATE FUNCTION ensure_benchmark(suite text, name text, parameters jsonb DEFAULT '{}') RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_suite CONSTANT text := coalesce(ensure_benchmark.suite, '');
	v_parameters CONSTANT jsonb := coalesce(ensure_benchmark.parameters, '{}');
	n record;
BEGIN
	IF ensure_benchmark.name IS NULL THEN
		RAISE EXCEPTION 'the name of a benchmark cannot be null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	PERFORM profiling.keep_corrections_out();
	-- Mostly it is there, and a sequence that moves on for nothing would be a pity.
	FOR i IN 1 .. 2 LOOP
		n := profiling.called_now(v_suite, ensure_benchmark.name, v_parameters);
		IF i = 1 AND (n.suite, n.name, n.parameters) <> (v_suite, ensure_benchmark.name, v_parameters) THEN
			RAISE NOTICE 'benchmark % is called % now',
				profiling.benchmark_in_words(v_suite, ensure_benchmark.name, v_parameters),
				profiling.benchmark_in_words(n.suite, n.name, n.parameters) USING
				DETAIL = 'What is loaded under the old name goes there, by profiling.benchmark_alias.';
		END IF;
		IF n.benchmark_id IS NOT NULL THEN
			RETURN n.benchmark_id;
		END IF;
		INSERT INTO profiling.benchmark AS b (suite, name, parameters, parameters_id)
		VALUES (n.suite, n.name, n.parameters, profiling.object_id(n.parameters))
		ON CONFLICT ON CONSTRAINT benchmark_key DO NOTHING
		RETURNING b.benchmark_id INTO n.benchmark_id;
		IF FOUND THEN
			RETURN n.benchmark_id;
		END IF;
	END LOOP;
	RAISE EXCEPTION 'benchmark was deleted by a concurrent transaction' USING ERRCODE = 'serialization_failure';
END
$$;
COMMENT ON FUNCTION ensure_benchmark(text, text, jsonb)
	IS 'number of a benchmark, which is made if there is none; a name that it had before it was renamed or merged is '
		'as good, and brings a NOTICE';

CREATE FUNCTION ensure_test_run(started_at timestamptz, branch text DEFAULT '', commit text DEFAULT '',
		version text DEFAULT '', labels jsonb DEFAULT '{}') RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_branch CONSTANT text := coalesce(ensure_test_run.branch, '');
	v_commit CONSTANT text := coalesce(ensure_test_run.commit, '');
	v_version CONSTANT text := coalesce(ensure_test_run.version, '');
	v_labels CONSTANT jsonb := coalesce(ensure_test_run.labels, '{}');
	v_labels_id CONSTANT uuid := profiling.object_id(v_labels);
	v_id bigint;
BEGIN
	IF ensure_test_run.started_at IS NULL THEN
		RAISE EXCEPTION 'the start of a run cannot be null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	IF NOT profiling.has_begun(ensure_test_run.started_at) THEN
		PERFORM profiling.refuse_future(ensure_test_run.started_at, 'started_at'::text);
	END IF;
	PERFORM profiling.keep_corrections_out();
	FOR i IN 1 .. 2 LOOP
		SELECT r.test_run_id INTO v_id FROM profiling.test_run AS r
		WHERE r.started_at = ensure_test_run.started_at AND r.branch = v_branch AND r.commit = v_commit
			AND r.version = v_version AND r.labels_id = v_labels_id;
		IF FOUND THEN
			RETURN v_id;
		END IF;
		INSERT INTO profiling.test_run AS r (started_at, branch, commit, version, labels, labels_id)
		VALUES (ensure_test_run.started_at, v_branch, v_commit, v_version, v_labels, v_labels_id)
		ON CONFLICT ON CONSTRAINT test_run_key DO NOTHING
		RETURNING r.test_run_id INTO v_id;
		IF FOUND THEN
			RETURN v_id;
		END IF;
	END LOOP;
	RAISE EXCEPTION 'run was deleted by a concurrent transaction' USING ERRCODE = 'serialization_failure';
END
$$;
COMMENT ON FUNCTION ensure_test_run(timestamptz, text, text, text, jsonb)
	IS 'number of a run, which is made if there is none';

CREATE FUNCTION frame_rules_of(suite text, benchmark text) RETURNS text[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT pg_catalog.array_agg(ARRAY[r.pattern, r.replacement] ORDER BY r.ordinal, r.rule_id)
		FROM frame_rule AS r
		WHERE frame_rules_of.suite LIKE r.suite AND frame_rules_of.benchmark LIKE r.benchmark;
	END;
COMMENT ON FUNCTION frame_rules_of(text, text)
	IS 'the frame rules of a benchmark in their order, as rename_frames() takes them; null when there are none';

CREATE FUNCTION depth_pattern(max_depth jsonb) RETURNS text
	LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF jsonb_typeof(max_depth) = 'number' AND max_depth::numeric BETWEEN 1 AND 65535
			AND max_depth::numeric = trunc(max_depth::numeric) THEN
		RETURN '*{' || max_depth::int || ',}';
	END IF;
	RAISE EXCEPTION 'option "max_depth" must be a whole number from 1 to 65535'
		USING ERRCODE = 'invalid_parameter_value';
END
$$;
COMMENT ON FUNCTION depth_pattern(jsonb) IS 'pattern of the stacks that a profiler with this limit has cut off';

CREATE FUNCTION unless_empty(fg flamegraph) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN nstacks(unless_empty.fg) > 0 THEN unless_empty.fg END;
	END;
COMMENT ON FUNCTION unless_empty(flamegraph) IS 'the profile, null for an empty one: nothing was cut off';

CREATE FUNCTION reshaped(fg flamegraph, truncated flamegraph, max_depth jsonb, rules text[],
		OUT whole flamegraph, OUT cut flamegraph, OUT differs bool)
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		-- Each step is computed once: OFFSET 0 keeps it from being copied into what uses it.
		-- No IS DISTINCT FROM: a dump shows it without the schema of its operator, and pg_upgrade would not find that.
		SELECT t.whole, t.cut,
			t.whole <> reshaped.fg OR (t.cut IS NULL) <> (reshaped.truncated IS NULL)
				OR coalesce(t.cut <> reshaped.truncated, false)
		FROM (SELECT r.whole, unless_empty(r.cut) AS cut
			FROM (SELECT CASE WHEN reshaped.rules IS NULL THEN d.whole
				ELSE rename_frames(d.whole, reshaped.rules) END AS whole,
					CASE WHEN reshaped.rules IS NULL THEN d.cut ELSE rename_frames(d.cut, reshaped.rules) END AS cut
				FROM (SELECT CASE WHEN q.query IS NULL THEN reshaped.fg
					ELSE exclude_stacks(reshaped.fg, q.query) END AS whole,
						CASE WHEN q.query IS NULL THEN reshaped.truncated
							ELSE coalesce(reshaped.truncated + filter_stacks(reshaped.fg, q.query),
								filter_stacks(reshaped.fg, q.query)) END AS cut
					FROM (SELECT depth_pattern(reshaped.max_depth)::stackquery AS query OFFSET 0) AS q OFFSET 0) AS d
				OFFSET 0) AS r OFFSET 0) AS t;
	END;
COMMENT ON FUNCTION reshaped(flamegraph, flamegraph, jsonb, text[])
	IS 'a recording as it is stored: stacks of max_depth frames apart as cut off, frames renamed by the rules; '
		'whether that made a difference; null for cut when nothing is';

CREATE FUNCTION measures_of(fg flamegraph, truncated flamegraph,
		OUT total float8, OUT truncated_total float8, OUT truncated_share float8, OUT nodes int,
			OUT frames int) RETURNS SETOF record
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1
	BEGIN ATOMIC
		SELECT total(measures_of.fg), coalesce(total(measures_of.truncated), 0::float8),
			-- Of absolute values: a difference can have a total of 0.
			coalesce(@-@ measures_of.truncated,
				0::float8) / nullif((@-@ measures_of.fg) + coalesce(@-@ measures_of.truncated, 0::float8), 0::float8),
			nnodes(measures_of.fg), nframes(measures_of.fg);
	END;
COMMENT ON FUNCTION measures_of(flamegraph, flamegraph) IS 'what profile and rollup say about a profile in numbers';

CREATE FUNCTION known_profile(facts profile) RETURNS bigint
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN (SELECT p.profile_id FROM profiling.profile AS p
		WHERE p.benchmark_id = facts.benchmark_id AND p.test_run_id = facts.test_run_id AND p.event = facts.event
			AND p.unit = facts.unit
			AND p.instance = facts.instance AND p.repetition = facts.repetition AND p.content_id = facts.content_id);
END
$$;
COMMENT ON FUNCTION known_profile(profile)
	IS 'the profile_id that is there already for these facts, by their key; null for none';

CREATE FUNCTION notice_duplicate(facts profile) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_source CONSTANT text := (SELECT p.source FROM profiling.profile AS p
		WHERE p.benchmark_id = facts.benchmark_id AND p.profile_id = facts.profile_id);
BEGIN
	IF v_source <> facts.source THEN
		RAISE NOTICE 'profile is in the store already' USING
			ERRCODE = 'unique_violation',
			COLUMN = 'source',
			DETAIL = format('It is profile %s, which came %s.', facts.profile_id,
				CASE v_source WHEN '' THEN 'without a source'
					ELSE format('from "%s"', profiling.printable(v_source)) END),
			HINT = 'Equal recordings of one run count once. If they are repetitions, give each a number of its own.';
	ELSE
		RAISE NOTICE 'profile is in the store already' USING
			ERRCODE = 'unique_violation',
			DETAIL = format('It is profile %s.', facts.profile_id);
	END IF;
END
$$;
COMMENT ON FUNCTION notice_duplicate(profile)
	IS 'the NOTICE of a repeated import, whose SQLSTATE is 23505; where the source is another one it names the first, '
		'and says column "source"';

CREATE FUNCTION notice_units(facts profile, branch text, started_at timestamptz) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	b record;
BEGIN
	FOR b IN
		SELECT u.what, u.new_unit, u.old_unit, u.test_run_id, u.run_at
		FROM (SELECT o.* FROM (SELECT 'the profile' AS what, facts.unit AS new_unit, r.unit AS old_unit, r.test_run_id,
					r.started_at AS run_at
				FROM profiling.rollup AS r
				WHERE r.benchmark_id = facts.benchmark_id AND r.event = facts.event AND r.branch = notice_units.branch
					AND (r.started_at, r.test_run_id) < (notice_units.started_at, facts.test_run_id)
				-- a run can have profiles of several units
				ORDER BY r.started_at DESC, r.test_run_id DESC, r.unit <> facts.unit LIMIT 1) AS o
			UNION ALL
			SELECT o.* FROM (SELECT 'the metric', facts.metric_unit, r.metric_unit, r.test_run_id, r.started_at
				FROM profiling.rollup AS r
				WHERE r.benchmark_id = facts.benchmark_id AND r.event = facts.event AND r.branch = notice_units.branch
					AND (r.started_at, r.test_run_id) < (notice_units.started_at, facts.test_run_id)
					AND r.metric_count > 0 AND facts.metric IS NOT NULL
				ORDER BY r.started_at DESC, r.test_run_id DESC, r.metric_unit <> facts.metric_unit LIMIT 1) AS o) AS u
		WHERE u.new_unit <> u.old_unit
	LOOP
		RAISE NOTICE '% is in %, that of the run before in %', b.what,
			coalesce('"' || nullif(b.new_unit, '') || '"', 'no unit'),
			coalesce('"' || profiling.printable(nullif(b.old_unit, '')) || '"', 'no unit') USING
			ERRCODE = 'invalid_parameter_value',
			DETAIL = format('The run before is number %s, of %s. What has another unit is not compared with it.',
				b.test_run_id, b.run_at),
			HINT = format('If the unit is wrong, take the new run away by profiling.delete_run(%s) and load it again.',
				facts.test_run_id);
	END LOOP;
END
$$;
COMMENT ON FUNCTION notice_units(profile, text, timestamptz)
	IS 'the NOTICE for a profile, or its metric, whose unit is not that of the newest run before it of the same '
		'benchmark, event and branch; its SQLSTATE is 22023';

CREATE FUNCTION add_to_rollup(facts profile, branch text, started_at timestamptz, fg flamegraph,
		truncated_total float8) RETURNS bool
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_pending int;
	v_is_first bool;
BEGIN
	INSERT INTO profiling.rollup AS r (benchmark_id, event, unit, branch, test_run_id, started_at, run_ids, flamegraph,
		repetitions,
		total, truncated_total, metric_count, metric_sum, metric_unit)
	VALUES (facts.benchmark_id, facts.event, facts.unit, add_to_rollup.branch, facts.test_run_id,
		add_to_rollup.started_at, ARRAY[facts.test_run_id], fg, 1,
		facts.total, add_to_rollup.truncated_total, CASE WHEN facts.metric IS NULL THEN 0 ELSE 1 END,
		facts.metric, CASE WHEN facts.metric IS NULL THEN '' ELSE facts.metric_unit END)
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
		pending = CASE WHEN profiling.adds_at_once(r.repetitions) THEN r.pending ELSE r.pending || facts.profile_id END,
		repetitions = r.repetitions + 1,
		total = r.total + EXCLUDED.total,
		truncated_total = r.truncated_total + EXCLUDED.truncated_total,
		metric_count = r.metric_count + EXCLUDED.metric_count,
		metric_sum = coalesce(r.metric_sum + EXCLUDED.metric_sum, r.metric_sum, EXCLUDED.metric_sum),
		metric_unit = CASE WHEN r.metric_count = 0 THEN EXCLUDED.metric_unit ELSE r.metric_unit END,
		checked_at = NULL
	WHERE r.metric_unit = EXCLUDED.metric_unit OR r.metric_count = 0 OR EXCLUDED.metric_count = 0
	RETURNING cardinality(r.pending) - greatest(100, r.repetitions / 2),
		r.repetitions = 1 OR r.metric_count = 1 AND facts.metric IS NOT NULL INTO v_pending, v_is_first;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'metrics of one run have different units' USING
			ERRCODE = 'invalid_parameter_value',
			DETAIL = format('This one is in "%s"; benchmark %s, run %s has others.', facts.metric_unit,
				facts.benchmark_id,
				facts.test_run_id);
	END IF;
	-- Seldom enough that folding costs each of them the same, however many there are.
	IF v_pending >= 0 THEN
		PERFORM profiling.fold_rollups(facts.benchmark_id, facts.test_run_id);
	END IF;
	RETURN v_is_first;
END
$$;
COMMENT ON FUNCTION add_to_rollup(profile, text, timestamptz, flamegraph, float8)
	IS 'adds a profile that has just been stored to the rollup of its run; fg: its column of profile_data; returns '
		'whether it is the first one there, or the first one with a metric';

-- With the rights of the owner. What could disagree with something else is not believed: labels, branch and start are
-- those of the run, totals and counts those of the values; there is no way to the sums but by a new row of profile.
CREATE FUNCTION store_profile(facts profile, fg flamegraph, truncated flamegraph) RETURNS bigint
	LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	run record;
	m record;
	v_fg profiling.profile_data.flamegraph%TYPE;
BEGIN
	IF store_profile.fg IS NULL THEN
		RAISE EXCEPTION 'the profile to import cannot be null' USING ERRCODE = 'null_value_not_allowed';
	END IF;
	PERFORM profiling.keep_corrections_out();
	IF current_setting('transaction_isolation') <> 'read committed' THEN
		-- An old snapshot still shows what a correction has taken away; a lock of the row fails (40001).
		PERFORM FROM profiling.benchmark AS b WHERE b.benchmark_id = facts.benchmark_id FOR KEY SHARE;
		PERFORM FROM profiling.test_run AS t WHERE t.test_run_id = facts.test_run_id FOR KEY SHARE;
	END IF;
	SELECT t.started_at, t.branch, t.labels INTO run FROM profiling.test_run AS t
		WHERE t.test_run_id = facts.test_run_id;
	IF NOT FOUND OR NOT EXISTS (SELECT FROM profiling.benchmark AS b WHERE b.benchmark_id = facts.benchmark_id) THEN
		RAISE EXCEPTION 'there is no such benchmark, or no such run' USING
			ERRCODE = 'foreign_key_violation',
			DETAIL = format('Benchmark %s, run %s.', facts.benchmark_id, facts.test_run_id);
	END IF;
	IF NOT profiling.has_begun(run.started_at) THEN
		PERFORM profiling.refuse_future(run.started_at, 'started_at'::text);
	END IF;
	IF NOT profiling.has_begun(facts.recorded_at) THEN
		PERFORM profiling.refuse_future(facts.recorded_at, 'recorded_at'::text);
	END IF;

	SELECT * INTO m FROM profiling.measures_of(store_profile.fg, store_profile.truncated);
	facts.total := m.total;
	INSERT INTO profiling.profile AS p (benchmark_id, test_run_id, event, unit, period, recorded_at, duration, instance,
		repetition,
		labels, metric, metric_unit, source, total, nodes, frames, truncated_share, reshaped, content_id)
	VALUES (facts.benchmark_id, facts.test_run_id, facts.event, facts.unit, facts.period, facts.recorded_at,
		facts.duration,
		facts.instance, facts.repetition, run.labels, facts.metric, facts.metric_unit, facts.source,
		m.total, m.nodes, m.frames, m.truncated_share, facts.reshaped, facts.content_id)
	ON CONFLICT ON CONSTRAINT profile_key DO NOTHING
	RETURNING p.profile_id INTO facts.profile_id;
	IF NOT FOUND THEN
		-- Another loader was at it, and has committed while we waited.
		facts.profile_id := profiling.known_profile(facts);
		PERFORM profiling.notice_duplicate(facts);
		RETURN facts.profile_id;
	END IF;
	INSERT INTO profiling.profile_data (benchmark_id, profile_id, recorded_at, flamegraph, truncated)
	VALUES (facts.benchmark_id, facts.profile_id, facts.recorded_at, store_profile.fg, store_profile.truncated);
	-- It is compressed there already.
	SELECT d.flamegraph INTO STRICT v_fg FROM profiling.profile_data AS d
	WHERE d.benchmark_id = facts.benchmark_id AND d.profile_id = facts.profile_id AND d.recorded_at = facts.recorded_at;
	-- Last, because its lock is what other loaders of the same run wait for.
	IF profiling.add_to_rollup(facts, run.branch, run.started_at, v_fg, m.truncated_total) THEN
		PERFORM profiling.notice_units(facts, run.branch, run.started_at);
	END IF;
	RETURN facts.profile_id;
END
$$;
COMMENT ON FUNCTION store_profile(profile, flamegraph, flamegraph)
	IS 'stores a profile that is new and adds it to the rollup of its run, with the rights of the owner; of facts it '
		'takes benchmark, run, event, unit, period, recorded_at, duration, instance, repetition, metric, source, '
		'reshaped and content_id; returns profile_id; a profile that is there already is left alone, with a NOTICE';
-- grant_access() lets loaders and admins.
REVOKE ALL ON FUNCTION store_profile(profile, flamegraph, flamegraph) FROM PUBLIC;

CREATE FUNCTION import_options(options jsonb) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_options CONSTANT jsonb := coalesce(import_options.options, '{}');
	v_bad CONSTANT text := (SELECT min(k) FROM jsonb_object_keys(v_options) AS k WHERE k <> 'max_depth');
BEGIN
	IF v_bad IS NULL THEN
		RETURN v_options;
	END IF;
	RAISE EXCEPTION 'unrecognized option "%"', v_bad
		USING ERRCODE = 'invalid_parameter_value', HINT = 'Available options: max_depth.';
END
$$;
COMMENT ON FUNCTION import_options(jsonb) IS 'the options of an import; an error for a key that is none';

CREATE FUNCTION import_flamegraph(benchmark text, fg flamegraph, truncated flamegraph DEFAULT NULL,
		suite text DEFAULT '', parameters jsonb DEFAULT '{}', started_at timestamptz DEFAULT now(),
		branch text DEFAULT '', commit text DEFAULT '', version text DEFAULT '', labels jsonb DEFAULT '{}',
		event text DEFAULT 'cpu', unit text DEFAULT NULL, period float8 DEFAULT NULL,
		recorded_at timestamptz DEFAULT NULL, duration interval DEFAULT NULL, instance text DEFAULT '',
		repetition int DEFAULT 0, metric float8 DEFAULT NULL, metric_unit text DEFAULT '',
		source text DEFAULT '', options jsonb DEFAULT '{}') RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_options jsonb;
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
	-- of the benchmark as it is called now
	v_rules := (SELECT profiling.frame_rules_of(b.suite, b.name) FROM profiling.benchmark AS b
		WHERE b.benchmark_id = p.benchmark_id);
	IF v_options ? 'max_depth' OR v_rules IS NOT NULL THEN
		SELECT s.whole, s.cut, s.differs INTO v_fg, v_truncated, p.reshaped
		FROM profiling.reshaped(v_fg, v_truncated, v_options -> 'max_depth', v_rules) AS s;
	END IF;
	RETURN profiling.store_profile(p, v_fg, v_truncated);
END
$$;
COMMENT ON FUNCTION import_flamegraph(text, flamegraph, flamegraph, text, jsonb, timestamptz, text, text, text, jsonb,
	text, text, float8, timestamptz, interval, text, int, float8, text, text, jsonb)
	IS 'puts a profile into the store, with benchmark and run as needed, and adds it to the rollup of its run; '
		'returns profile_id; a profile that is there already is left alone, with a NOTICE';

CREATE FUNCTION recorded_profiles(data bytea, format text, options jsonb,
		OUT event text, OUT name text, OUT unit text, OUT period float8, OUT complete flamegraph,
			OUT truncated flamegraph) RETURNS SETOF record
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100000 ROWS 3
	BEGIN ATOMIC
		SELECT r.event, r.name, r.unit, r.period, r.complete, r.truncated
		FROM read_recording(recorded_profiles.data, recorded_profiles.format, recorded_profiles.options) AS r;
	END;
COMMENT ON FUNCTION recorded_profiles(bytea, text, jsonb)
	IS 'what read_recording() finds in a recording, for import_profile(); the options ask for the events as they are '
		'stored';

CREATE FUNCTION import_profile(benchmark text, data bytea, format text DEFAULT 'auto',
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
			duration => import_profile.duration, instance => import_profile.instance,
			repetition => import_profile.repetition, metric => import_profile.metric,
			metric_unit => import_profile.metric_unit, source => import_profile.source, options => '{}'::jsonb);
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
COMMENT ON FUNCTION import_profile(text, bytea, text, text, jsonb, timestamptz, text, text, text, jsonb, text, text,
	float8, timestamptz, interval, text, int, float8, text, text, jsonb)
	IS 'reads a recording and puts its profiles into the store, one for each event; returns the profile_id of the '
		'event asked for, else of the first one; the options are those of read_recording()';

CREATE FUNCTION import_observations(benchmark text, location text[], x float8[], y float8[],
		suite text DEFAULT '', parameters jsonb DEFAULT '{}', started_at timestamptz DEFAULT now(),
		branch text DEFAULT '', commit text DEFAULT '', version text DEFAULT '', labels jsonb DEFAULT '{}',
		unit text DEFAULT '', repetition int DEFAULT 0) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
	INSERT INTO profiling.observation (benchmark_id, test_run_id, location, x, y, unit, load_id, ordinal)
	SELECT v_benchmark_id, v_test_run_id, u.l, u.x, u.y, v_unit, v_load_id, u.n
	FROM unnest(import_observations.location, import_observations.x, import_observations.y) WITH ORDINALITY AS u (l, x,
		y, n)
	ORDER BY u.n
	ON CONFLICT ON CONSTRAINT observation_key DO NOTHING;
	GET DIAGNOSTICS v_loaded = ROW_COUNT;
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

--
-- months: partitions come ahead of time, and whole ones go
--
-- All of this is for the owner of the tables. maintain() and prune() commit as they
-- go, so they are called alone and keep no search path: every name and operator is
-- qualified, and what they do is in functions that have one.
--

CREATE FUNCTION month_start(month date) RETURNS timestamptz
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	BEGIN ATOMIC
		SELECT date_trunc('month'::text, month::timestamp) AT TIME ZONE 'UTC';
	END;
COMMENT ON FUNCTION month_start(date)
	IS 'when a month begins: months are those of UTC, whatever the session''s time zone is';

CREATE FUNCTION month_of(moment timestamptz) RETURNS date
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	BEGIN ATOMIC
		SELECT date_trunc('month'::text, moment AT TIME ZONE 'UTC')::date;
	END;
COMMENT ON FUNCTION month_of(timestamptz) IS 'first day of the month, in UTC, that a moment belongs to';

CREATE FUNCTION partition_months(OUT partition text, OUT month date) RETURNS SETOF record
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT c.relname::text, to_date(right(c.relname::text, 6), 'YYYYMM'::text)
		FROM pg_catalog.pg_inherits AS i JOIN pg_catalog.pg_class AS c ON c.oid = i.inhrelid
		WHERE i.inhparent = 'profile_data'::regclass::oid AND c.relname::text ~ '^profile_data_[0-9]{6}$'::text
		ORDER BY 2;
	END;
COMMENT ON FUNCTION partition_months()
	IS 'the partitions of profile_data and their months; the default partition is not one';

CREATE FUNCTION add_partition(month date) RETURNS text
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = '5s' AS $$
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
	IF EXISTS (SELECT FROM profiling.partition_months() AS p WHERE p.partition = v_name) THEN
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
COMMENT ON FUNCTION add_partition(date)
	IS 'makes the partition of the month that this day is in, moves its rows out of the default partition, and '
		'returns its name; does nothing when it is there';

CREATE FUNCTION log_job(step text, outcome text, started_at timestamptz, detail text DEFAULT '',
		benchmark_id bigint DEFAULT NULL) RETURNS void
	LANGUAGE sql
	BEGIN ATOMIC
		INSERT INTO job_log (started_at, finished_at, benchmark_id, step, outcome, detail)
		VALUES (log_job.started_at, clock_timestamp(), log_job.benchmark_id, log_job.step, log_job.outcome,
			log_job.detail);
	END;
COMMENT ON FUNCTION log_job(text, text, timestamptz, text, bigint) IS 'writes a line into job_log';

CREATE FUNCTION runs_to_keep(keep_runs int DEFAULT 30, OUT benchmark_id bigint, OUT event text,
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
		-- what an open finding refers to
		SELECT f.benchmark_id, f.event, u.test_run_id
		FROM regression AS f, pg_catalog.unnest(ARRAY[f.first_test_run_id, f.last_test_run_id]) AS u (test_run_id)
		WHERE f.status IN ('open', 'acknowledged')
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
		'findings refer to, and runs that baselines name';

CREATE AGGREGATE merged_stats(flamestats) (
	SFUNC = flamestats_combine,
	STYPE = flamestats,
	COMBINEFUNC = flamestats_combine,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE merged_stats(flamestats) IS 'several samples of one level as one; NULL when there are none';

-- Rows of one metric_unit, or without a metric, all of them folded, locked by the caller. Merged in the order of their
-- runs, so that the same runs make the same bytes whenever they are merged.
CREATE FUNCTION merge_rows(benchmark_ids bigint[], event text, unit text, branch text, metric_unit text,
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
			metric_unit, checked_at)
		SELECT merge_rows.benchmark_ids[1], merge_rows.event, merge_rows.unit, merge_rows.branch, f.test_run_id,
			merge_rows.span, f.started_at,
			(SELECT pg_catalog.array_agg(DISTINCT u.id ORDER BY u.id) FROM gone AS o,
				pg_catalog.unnest(o.run_ids) AS u (id)), f.flamegraph,
			CASE WHEN f.repetitions > 1 THEN f.stats_stack END, CASE WHEN f.repetitions > 1 THEN f.stats_node END,
			CASE WHEN f.repetitions > 1 THEN f.stats_frame END, CASE WHEN f.repetitions > 1 THEN f.stats_self END,
			f.repetitions, f.total, f.truncated_total, f.metric_count, f.metric_sum, merge_rows.metric_unit,
			CASE merge_rows.span WHEN 'month' THEN now() END
		FROM facts AS f;
	END;
COMMENT ON FUNCTION merge_rows(bigint[], text, text, text, text, bigint[], text)
	IS 'puts one rollup, of a month or of a run, in the place of these ones; it is of the first of the benchmarks';

CREATE FUNCTION merge_month(benchmark_id bigint, event text, unit text, branch text, metric_unit text,
		test_run_ids bigint[]) RETURNS void
	LANGUAGE sql
	BEGIN ATOMIC
		SELECT merge_rows(ARRAY[merge_month.benchmark_id], merge_month.event, merge_month.unit, merge_month.branch,
			merge_month.metric_unit, merge_month.test_run_ids, 'month'::text);
	END;
COMMENT ON FUNCTION merge_month(bigint, text, text, text, text, bigint[])
	IS 'puts one rollup of a month in the place of these ones';

CREATE FUNCTION merge_rollups(benchmark_id bigint, merge_after interval DEFAULT '1 year',
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
		CONTINUE WHEN NOT EXISTS (SELECT FROM profiling.rollup AS r
			WHERE r.benchmark_id = merge_rollups.benchmark_id AND r.event = g.event AND r.unit = g.unit
				AND r.branch = g.branch AND r.test_run_id = ANY (v_ids) AND r.span = 'run');
		PERFORM profiling.merge_month(merge_rollups.benchmark_id, g.event, g.unit, g.branch, g.metric_unit, v_ids);
		v_merged := v_merged + 1;
	END LOOP;
	RETURN v_merged;
END
$$;
COMMENT ON FUNCTION merge_rollups(bigint, interval, int)
	IS 'merges the rollups of a benchmark that are older than this to months, but for runs_to_keep(); returns how '
		'many months were written';

CREATE FUNCTION months_wanted(months int, keep interval) RETURNS date[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		-- What somebody has loaded with a date beyond these stays in the default partition: nobody but the owner
		-- decides how
		-- many partitions there are.
		SELECT pg_catalog.array_agg(t.m ORDER BY t.m)
		FROM (SELECT (month_of(now()) + g::float8 * '1 month'::interval)::date
			FROM generate_series(0, months_wanted.months) AS g
			UNION SELECT DISTINCT month_of(d.recorded_at) FROM profile_data_default AS d
			WHERE d.recorded_at >= month_start(month_of(now() - months_wanted.keep))
				AND d.recorded_at < month_start((month_of(now()) + (greatest(months_wanted.months,
					0) + 1)::float8 * '1 month'::interval)::date)
			EXCEPT SELECT p.month FROM partition_months() AS p) AS t (m);
	END;
COMMENT ON FUNCTION months_wanted(int, interval)
	IS 'months that maintain() makes partitions for: this one, the next ones, and of the older ones those younger '
		'than keep with rows in the default partition';

CREATE FUNCTION maintain_month(month date) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_started CONSTANT timestamptz := clock_timestamp();
	v_name text;
BEGIN
	FOR attempt IN 1 .. 5 LOOP
		BEGIN
			v_name := profiling.add_partition(maintain_month.month);
			PERFORM profiling.log_job('maintain'::text, 'ok'::text, v_started, 'partition ' || v_name, NULL::bigint);
			RETURN;
		EXCEPTION
			WHEN lock_not_available OR deadlock_detected THEN
				IF attempt = 5 THEN
					PERFORM profiling.log_job('maintain'::text, 'failed'::text, v_started,
						format('partition of %s: %s', to_char(maintain_month.month, 'YYYY-MM'), SQLERRM), NULL::bigint);
				END IF;
			WHEN OTHERS THEN
				PERFORM profiling.log_job('maintain'::text, 'failed'::text, v_started,
					format('partition of %s: %s', to_char(maintain_month.month, 'YYYY-MM'), SQLERRM), NULL::bigint);
				RETURN;
		END;
		PERFORM pg_sleep(attempt);
	END LOOP;
END
$$;
COMMENT ON FUNCTION maintain_month(date) IS 'add_partition() with retries; a failure is recorded in job_log';

CREATE FUNCTION maintain_benchmark(benchmark_id bigint, merge_after interval, keep_runs int) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_started CONSTANT timestamptz := clock_timestamp();
	v_merged int;
BEGIN
	v_merged := profiling.merge_rollups(maintain_benchmark.benchmark_id, maintain_benchmark.merge_after,
		maintain_benchmark.keep_runs);
	IF v_merged > 0 THEN
		PERFORM profiling.log_job('maintain'::text, 'ok'::text, v_started, format('%s months of rollups', v_merged),
			maintain_benchmark.benchmark_id);
	END IF;
EXCEPTION WHEN OTHERS THEN
	PERFORM profiling.log_job('maintain'::text, 'failed'::text, v_started, 'rollups: ' || SQLERRM,
		maintain_benchmark.benchmark_id);
END
$$;
COMMENT ON FUNCTION maintain_benchmark(bigint, interval, int) IS 'merge_rollups(); a failure is recorded in job_log';

CREATE FUNCTION benchmark_ids() RETURNS bigint[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(b.benchmark_id ORDER BY b.benchmark_id), '{}'::bigint[])
			FROM benchmark AS b;
	END;
COMMENT ON FUNCTION benchmark_ids() IS 'all benchmarks, for loops that commit';

CREATE PROCEDURE maintain(months int DEFAULT 3, keep interval DEFAULT '90 days', merge_after interval DEFAULT '1 year',
	keep_runs int DEFAULT 30)
	LANGUAGE plpgsql AS $$
DECLARE
	v_months date[];
	v_month date;
	v_ids bigint[];
	v_id bigint;
BEGIN
	PERFORM profiling.need_owner('maintain'::pg_catalog.text);
	v_months := profiling.months_wanted(months, keep);
	CALL profiling.commit_or_say('maintain() commits as it goes: call it alone, with autocommit on'
		::pg_catalog.text);
	IF v_months IS NOT NULL THEN
		FOREACH v_month IN ARRAY v_months LOOP
			PERFORM profiling.maintain_month(v_month);
			COMMIT;
		END LOOP;
	END IF;
	v_ids := profiling.benchmark_ids();
	FOREACH v_id IN ARRAY v_ids LOOP
		PERFORM profiling.maintain_benchmark(v_id, merge_after, keep_runs);
		COMMIT;
	END LOOP;
END
$$;
COMMENT ON PROCEDURE maintain(int, interval, interval, int)
	IS 'partitions for this month and the next ones, rows moved out of the default partition for months younger than '
		'keep, rollups older than merge_after merged to months; called alone, by the owner';

CREATE FUNCTION fold_before(before timestamptz) RETURNS int
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN (SELECT sum(profiling.fold_rollups(o.benchmark_id, o.test_run_id))
		FROM (SELECT DISTINCT r.benchmark_id, r.test_run_id
			FROM profiling.rollup AS r JOIN profiling.profile AS p ON p.benchmark_id = r.benchmark_id
				AND p.profile_id = ANY (r.pending)
			WHERE r.pending <> '{}' AND p.recorded_at < fold_before.before
			ORDER BY 1, 2) AS o);
END
$$;
COMMENT ON FUNCTION fold_before(timestamptz)
	IS 'fold_rollups() of all runs with pending profiles that were recorded before this; returns how many profiles '
		'were added';

CREATE FUNCTION prune_month(month date, keep_runs int) RETURNS bigint
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
	EXECUTE format('INSERT INTO profiling.profile_data_default SELECT d.* FROM profiling.%I AS d'
		' WHERE EXISTS (SELECT FROM profiling.profile AS p JOIN profiling.runs_to_keep($1) AS k'
		' ON k.benchmark_id = p.benchmark_id AND k.event = p.event AND k.test_run_id = p.test_run_id'
		' WHERE p.benchmark_id = d.benchmark_id AND p.profile_id = d.profile_id)', v_name) USING prune_month.keep_runs;
	GET DIAGNOSTICS v_kept = ROW_COUNT;
	EXECUTE format('DROP TABLE profiling.%I', v_name);
	RETURN v_kept;
END
$$;
COMMENT ON FUNCTION prune_month(date, int)
	IS 'drops the partition of a month and keeps what runs_to_keep() names in the default partition; returns how many '
		'rows that were';

CREATE FUNCTION prune_rows(before timestamptz, keep_runs int, max_rows int DEFAULT 5000) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_deleted bigint;
	v_rows bigint;
BEGIN
	PERFORM profiling.keep_corrections_out();
	PERFORM profiling.fold_before(prune_rows.before);
	-- profiles that are kept in the default partition no longer
	DELETE FROM profiling.profile_data_default AS d USING (
		SELECT o.benchmark_id, o.profile_id
		FROM profiling.profile_data_default AS o
		WHERE o.recorded_at < prune_rows.before AND NOT EXISTS (
			SELECT FROM profiling.profile AS p JOIN profiling.runs_to_keep(prune_rows.keep_runs) AS k
				ON k.benchmark_id = p.benchmark_id AND k.event = p.event AND k.test_run_id = p.test_run_id
			WHERE p.benchmark_id = o.benchmark_id AND p.profile_id = o.profile_id)
			-- what has come since
			AND NOT EXISTS (SELECT FROM profiling.rollup AS r WHERE r.benchmark_id = o.benchmark_id
				AND r.pending <> '{}' AND o.profile_id = ANY (r.pending))
		LIMIT prune_rows.max_rows) AS old
	WHERE d.benchmark_id = old.benchmark_id AND d.profile_id = old.profile_id;
	GET DIAGNOSTICS v_deleted = ROW_COUNT;
	-- what was known about profiles that are gone
	DELETE FROM profiling.profile AS p USING (
		SELECT o.benchmark_id, o.profile_id
		FROM profiling.profile AS o
		WHERE o.recorded_at < prune_rows.before AND NOT EXISTS (SELECT FROM profiling.profile_data AS d
			WHERE d.benchmark_id = o.benchmark_id AND d.profile_id = o.profile_id AND d.recorded_at = o.recorded_at)
		LIMIT prune_rows.max_rows) AS old
	WHERE p.benchmark_id = old.benchmark_id AND p.profile_id = old.profile_id;
	GET DIAGNOSTICS v_rows = ROW_COUNT;
	v_deleted := v_deleted + v_rows;
	DELETE FROM profiling.observation AS o USING (
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
		LIMIT prune_rows.max_rows) AS old
	WHERE o.benchmark_id = old.benchmark_id AND o.observation_id = old.observation_id;
	GET DIAGNOSTICS v_rows = ROW_COUNT;
	v_deleted := v_deleted + v_rows;
	DELETE FROM profiling.job_log AS l USING (
		SELECT o.log_id FROM profiling.job_log AS o WHERE o.started_at < prune_rows.before
			LIMIT prune_rows.max_rows) AS old
	WHERE l.log_id = old.log_id;
	GET DIAGNOSTICS v_rows = ROW_COUNT;
	RETURN v_deleted + v_rows;
END
$$;
COMMENT ON FUNCTION prune_rows(timestamptz, int, int)
	IS 'a batch of what prune() deletes row by row: small rows of dropped profiles, what the default partition keeps '
		'no longer, observations, the log; returns how many rows went';

CREATE FUNCTION prune_step(month date, before timestamptz, keep_runs int) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_started CONSTANT timestamptz := clock_timestamp();
	v_what CONSTANT text := coalesce('partition of ' || to_char(prune_step.month, 'YYYY-MM'), 'rows');
	v_count bigint;
BEGIN
	FOR attempt IN 1 .. 5 LOOP
		BEGIN
			IF prune_step.month IS NULL THEN
				v_count := profiling.prune_rows(prune_step.before, prune_step.keep_runs, 5000);
				IF v_count > 0 THEN
					PERFORM profiling.log_job('prune'::text, 'ok'::text, v_started, format('%s rows deleted', v_count),
						NULL::bigint);
				END IF;
				RETURN v_count;
			END IF;
			v_count := profiling.prune_month(prune_step.month, prune_step.keep_runs);
			PERFORM profiling.log_job('prune'::text, 'ok'::text, v_started,
				format('%s dropped, %s rows kept', v_what, v_count), NULL::bigint);
			RETURN v_count;
		EXCEPTION
			WHEN lock_not_available OR deadlock_detected THEN
				IF attempt = 5 THEN
					PERFORM profiling.log_job('prune'::text, 'failed'::text, v_started, v_what || ': ' || SQLERRM,
						NULL::bigint);
				END IF;
			WHEN OTHERS THEN
				PERFORM profiling.log_job('prune'::text, 'failed'::text, v_started, v_what || ': ' || SQLERRM,
					NULL::bigint);
				RETURN 0;
		END;
		PERFORM pg_sleep(attempt);
	END LOOP;
	RETURN 0;
END
$$;
COMMENT ON FUNCTION prune_step(date, timestamptz, int)
	IS 'prune_month(), or prune_rows() for no month, with retries; a failure is recorded in job_log';

CREATE FUNCTION months_to_prune(before timestamptz) RETURNS date[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(p.month ORDER BY p.month), '{}'::date[]) FROM partition_months() AS p
		WHERE month_start((p.month + '1 month'::interval)::date) <= months_to_prune.before;
	END;
COMMENT ON FUNCTION months_to_prune(timestamptz) IS 'months with a partition that ended before this';

CREATE PROCEDURE prune(keep interval DEFAULT '90 days', keep_runs int DEFAULT 30)
	LANGUAGE plpgsql AS $$
DECLARE
	v_before timestamptz;
	v_months date[];
	v_month date;
BEGIN
	IF keep IS NULL OR keep OPERATOR(pg_catalog.<) '0'::pg_catalog.interval OR keep_runs IS NULL
		OR keep_runs OPERATOR(pg_catalog.<) 0 THEN
		RAISE EXCEPTION 'keep and keep_runs cannot be null or negative' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	PERFORM profiling.need_owner('prune'::pg_catalog.text);
	-- Whole months: a month goes when its last day is old enough.
	v_before := profiling.month_start(profiling.month_of(pg_catalog.now() OPERATOR(pg_catalog.-) keep));
	v_months := profiling.months_to_prune(v_before);
	CALL profiling.commit_or_say('prune() commits as it goes: call it alone, with autocommit on'
		::pg_catalog.text);
	FOREACH v_month IN ARRAY v_months LOOP
		PERFORM profiling.prune_step(v_month, v_before, keep_runs);
		COMMIT;
	END LOOP;
	WHILE profiling.prune_step(NULL::pg_catalog.date, v_before, keep_runs) OPERATOR(pg_catalog.>) 0 LOOP
		COMMIT;
	END LOOP;
END
$$;
COMMENT ON PROCEDURE prune(interval, int)
	IS 'drops whole months that ended longer ago than keep, but for runs_to_keep(), which go to the default '
		'partition; called alone, by the owner';

--
-- is everything right, and how large is it
--

CREATE VIEW storage AS
SELECT d.benchmark_id, b.suite, b.name, d.month, count(*) AS profiles, sum(p.nodes)::bigint AS nodes,
	sum(d.bytes)::bigint AS bytes,
	sum(d.bytes)::float8 / nullif(sum(p.nodes), 0::bigint)::float8 AS bytes_per_node
FROM (SELECT o.benchmark_id, o.profile_id, month_of(o.recorded_at) AS month,
		pg_catalog.pg_column_size(o.flamegraph) + coalesce(pg_catalog.pg_column_size(o.truncated), 0) AS bytes
	FROM profile_data AS o) AS d
	JOIN profile AS p ON p.benchmark_id = d.benchmark_id AND p.profile_id = d.profile_id
	JOIN benchmark AS b ON b.benchmark_id = d.benchmark_id
GROUP BY d.benchmark_id, b.suite, b.name, d.month;
COMMENT ON VIEW storage IS 'what profiles take per benchmark and month: values as stored, without indexes and rollups';
COMMENT ON COLUMN storage.benchmark_id IS 'the benchmark';
COMMENT ON COLUMN storage.suite IS 'its suite';
COMMENT ON COLUMN storage.name IS 'its name';
COMMENT ON COLUMN storage.month IS 'first day of the month, in UTC';
COMMENT ON COLUMN storage.profiles IS 'number of profiles';
COMMENT ON COLUMN storage.nodes IS 'nodes of their calling context trees';
COMMENT ON COLUMN storage.bytes IS 'bytes as stored, compressed';
COMMENT ON COLUMN storage.bytes_per_node IS 'bytes / nodes';

CREATE FUNCTION "check"(deep bool DEFAULT false, OUT problem text, OUT table_name text, OUT benchmark_id bigint,
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
		WHERE NOT EXISTS (SELECT FROM benchmark AS b WHERE b.benchmark_id = o.benchmark_id)
		UNION ALL
		SELECT 'no test_run', o.table_name, o.benchmark_id, o.id, 'test_run_id '::text || o.test_run_id::text
		FROM (SELECT 'profile' AS table_name, p.benchmark_id, p.profile_id AS id, p.test_run_id FROM profile AS p
			UNION ALL SELECT 'observation', o.benchmark_id, o.observation_id, o.test_run_id FROM observation AS o
			UNION ALL SELECT 'fitted_model', m.benchmark_id, m.test_run_id, m.test_run_id FROM fitted_model AS m
			UNION ALL SELECT 'rollup', r.benchmark_id, r.test_run_id, pg_catalog.unnest(r.run_ids) FROM rollup AS r
			UNION ALL SELECT 'regression', f.benchmark_id, f.regression_id,
				pg_catalog.unnest(ARRAY[f.first_test_run_id, f.last_test_run_id])
				FROM regression AS f) AS o
		WHERE NOT EXISTS (SELECT FROM test_run AS t WHERE t.test_run_id = o.test_run_id)
		UNION ALL
		SELECT 'no profile_data', 'profile', p.benchmark_id, p.profile_id, ''
		FROM profile AS p
		WHERE NOT EXISTS (SELECT FROM profile_data AS d WHERE d.benchmark_id = p.benchmark_id
			AND d.profile_id = p.profile_id)
		UNION ALL
		SELECT 'no profile', 'profile_data', d.benchmark_id, d.profile_id, ''
		FROM profile_data AS d
		WHERE NOT EXISTS (SELECT FROM profile AS p WHERE p.benchmark_id = d.benchmark_id
			AND p.profile_id = d.profile_id)
		UNION ALL
		-- twice, in two partitions: their keys cannot see each other
		SELECT 'several rows', 'profile_data', d.benchmark_id, d.profile_id, count(*)::text || ' rows'::text
		FROM profile_data AS d GROUP BY d.benchmark_id, d.profile_id HAVING count(*) > 1
		UNION ALL
		SELECT 'no rollup', 'profile', p.benchmark_id, min(p.profile_id),
			pg_catalog.format('run %s, %s, %s', p.test_run_id, p.event, p.unit)
		FROM profile AS p
		WHERE NOT EXISTS (SELECT FROM rollup AS r WHERE r.benchmark_id = p.benchmark_id AND r.event = p.event
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
		FROM rollup AS r JOIN test_run AS t ON t.test_run_id = r.test_run_id,
			LATERAL (SELECT summed(r.flamegraph, r.benchmark_id, r.pending) AS fg,
				r.repetitions - pg_catalog.cardinality(r.pending) AS folded OFFSET 0) AS v,
			LATERAL (VALUES
				('branch', r.branch = t.branch),
				('started_at', r.started_at = t.started_at),
				('total', abs(r.total - total(v.fg)) <= 1e-9::float8 * (@-@ v.fg)),
				('repetitions', v.folded = 1 OR v.folded = profile_count(r.stats_stack)
					AND v.folded = profile_count(r.stats_node)
					AND v.folded = profile_count(r.stats_frame) AND v.folded = profile_count(r.stats_self))
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
		WHERE NOT EXISTS (SELECT FROM benchmark AS b WHERE b.suite = a.new_suite AND b.name = a.new_name
				AND (a.new_parameters IS NULL OR b.parameters = a.new_parameters))
			AND NOT EXISTS (SELECT FROM benchmark_alias AS n WHERE n.suite = a.new_suite AND n.name = a.new_name)
		UNION ALL
		-- the sum of a run whose profiles are all here
		SELECT 'wrong sum', 'rollup', r.benchmark_id, r.test_run_id,
			pg_catalog.format('%s, %s: off by %s', r.event, r.unit, s.off)
		FROM rollup AS r, LATERAL (
			SELECT count(*) AS profiles, CASE WHEN "check".deep THEN distance(sum(d.flamegraph),
				summed(r.flamegraph, r.benchmark_id, r.pending), 1::float8)
				ELSE abs(sum(p.total) - r.total) END AS off, sum(abs(p.total)) AS size
			FROM profile AS p LEFT JOIN profile_data AS d
				ON "check".deep AND d.benchmark_id = p.benchmark_id AND d.profile_id = p.profile_id
					AND d.recorded_at = p.recorded_at
			WHERE p.benchmark_id = r.benchmark_id AND p.event = r.event AND p.unit = r.unit
				AND p.test_run_id = ANY (r.run_ids)) AS s
		WHERE s.profiles = r.repetitions AND s.off > 1e-9::float8 * s.size OR s.profiles > r.repetitions
		UNION ALL
		-- Later ones would all be older. Their profiles may be in the default partition for good.
		SELECT 'of the future', 'test_run', NULL::bigint, t.test_run_id, 'started_at '::text || t.started_at::text
		FROM test_run AS t WHERE NOT has_begun(t.started_at)
		UNION ALL
		SELECT 'of the future', 'profile', p.benchmark_id, p.profile_id, 'recorded_at '::text || p.recorded_at::text
		FROM profile AS p WHERE NOT has_begun(p.recorded_at);
	END;
COMMENT ON FUNCTION "check"(bool)
	IS 'what is wrong in the store: rows without the rows they belong to, copies and sums that differ, times that lie '
		'in the future; deep: every profile is read and its content hashed; no rows when all is well';

--
-- who may do what
--
-- Nobody but the owner may use the schema until somebody is told so. Functions run
-- with their caller's rights, but for store_profile(); these are the rights that the
-- three kinds of users need.
--

CREATE FUNCTION grantee(role_name name) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- GRANT takes some words for more than names, "public" for everybody even in what quote_ident() makes of it.
	IF role_name = 'public' THEN
		RAISE EXCEPTION 'access to the store is granted to roles, not to everybody'
			USING ERRCODE = 'invalid_grant_operation',
				HINT = 'Grant it to a role and make others its members: '
					'CREATE ROLE profile_reader NOLOGIN; GRANT profile_reader TO name.';
	END IF;
	IF role_name IS NULL OR NOT EXISTS (SELECT FROM pg_roles AS r WHERE r.rolname = role_name) THEN
		RAISE EXCEPTION 'role "%" does not exist', role_name
			USING ERRCODE = 'undefined_object',
				HINT = 'The argument is the name of a role, as it is in pg_roles; '
					'current_user without quotes is your own.';
	END IF;
	RETURN quote_ident(role_name);
END
$$;
COMMENT ON FUNCTION grantee(name) IS 'the role as GRANT takes it; an error for what is no role';

CREATE FUNCTION granted_function() RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT 'store_profile(profile, flamegraph, flamegraph)'::regprocedure::text;
	END;
COMMENT ON FUNCTION granted_function()
	IS 'store_profile() with its arguments, as GRANT takes it: the one function that is for those alone who may load';

CREATE FUNCTION grant_access(role_name name, access text) RETURNS void
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
		EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', profiling.granted_function(), v_role);
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
		RETURN;
	END IF;
	EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA profiling TO %s', v_role);
	IF access = 'admin' THEN
		EXECUTE format('GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA profiling TO %s', v_role);
	END IF;
END
$$;
COMMENT ON FUNCTION grant_access(name, text)
	IS 'grants a role what a reader, a loader or an admin of the store needs; for the owner of the tables';

CREATE FUNCTION revoke_access(role_name name) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_role CONSTANT text := profiling.grantee(role_name);
BEGIN
	EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA profiling FROM %s', v_role);
	EXECUTE format('REVOKE ALL ON FUNCTION %s FROM %s', profiling.granted_function(), v_role);
	EXECUTE format('REVOKE ALL ON SCHEMA profiling FROM %s', v_role);
END
$$;
COMMENT ON FUNCTION revoke_access(name) IS 'takes back what grant_access() has granted';

--
-- errors that say what is missing
--

CREATE FUNCTION need_access(what text, access text) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_may CONSTANT bool := CASE access
		WHEN 'reader' THEN has_table_privilege('profiling.rollup'::regclass, 'SELECT')
		WHEN 'loader' THEN has_any_column_privilege('profiling.test_run'::regclass, 'INSERT')
			AND has_function_privilege(profiling.granted_function(), 'EXECUTE')
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
COMMENT ON FUNCTION need_access(text, text)
	IS 'an error where the caller has not got an access of grant_access() that a function needs';

CREATE FUNCTION need_owner(what text) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_owner CONSTANT oid := (SELECT c.relowner FROM pg_class AS c WHERE c.oid = 'profiling.profile_data'::regclass);
BEGIN
	IF NOT pg_has_role(v_owner, 'USAGE') THEN
		RAISE EXCEPTION '%() is for the owner of the store', what USING
			ERRCODE = 'insufficient_privilege',
			DETAIL = 'It makes and drops partitions, which no access of grant_access() allows.',
			HINT = format('Call it as role %I, or as a member of it.', pg_get_userbyid(v_owner));
	END IF;
END
$$;
COMMENT ON FUNCTION need_owner(text) IS 'an error for callers who do not have the rights of the owner of the tables';

-- Nothing in SQL tells whether there is a transaction block: times differ for those who parse, bind and execute, too.
-- But the error of PostgreSQL comes with the statement that it was in.
CREATE PROCEDURE commit_or_say(words text)
	LANGUAGE plpgsql AS $$
BEGIN
	COMMIT;
END
$$;
COMMENT ON PROCEDURE commit_or_say(text)
	IS 'commits; where that is not allowed, in a transaction block or a function, these words are in the context of '
		'the error';

--
-- a selection of profiles: the same named arguments everywhere
--
-- The list stands here once. define() puts it into the functions that take it, and
-- profiles_of() reads the same names from an object.
--

CREATE FUNCTION selection_arguments(OUT ordinal int, OUT name text, OUT type text,
		OUT default_value text) RETURNS SETOF record
	LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 11
	BEGIN ATOMIC
		VALUES
			(1, 'benchmark', 'text', '''%'''),
			(2, 'suite', 'text', '''%'''),
			(3, 'branch', 'text', 'NULL'),
			(4, 'commits', 'text[]', 'NULL'),
			(5, 'version', 'text', 'NULL'),
			(6, 'event', 'text', '''cpu'''),
			(7, 'instances', 'text[]', 'NULL'),
			(8, 'labels', 'jsonb', '''{}'''),
			(9, 'since', 'timestamptz', 'NULL'),
			(10, 'until', 'timestamptz', 'NULL'),
			(11, 'runs', 'int', 'NULL');
	END;
COMMENT ON FUNCTION selection_arguments()
	IS 'the arguments that select profiles, the same everywhere: benchmark and suite (patterns of LIKE), branch, '
		'commits (whole, or their first 7 characters or more), version, event, instances, labels (all of these), '
		'since and until (started_at, the end not included), runs (the newest of each benchmark that have begun); '
		'NULL: any';

-- Only while this script runs, in its search path: what it calls itself is qualified. {arguments}: the declarations;
-- {types}: for COMMENT; {passed:f}: hands the arguments of function f on.
CREATE FUNCTION define(statement text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	a CONSTANT record := (SELECT r FROM (SELECT
		pg_catalog.string_agg(pg_catalog.format('%s %s DEFAULT %s', s.name, s.type, s.default_value), ', '
			ORDER BY s.ordinal) AS arguments,
		pg_catalog.string_agg(s.type, ', ' ORDER BY s.ordinal) AS types,
		pg_catalog.string_agg(pg_catalog.format('%s => \1.%s', s.name, s.name), ', ' ORDER BY s.ordinal) AS passed
		FROM profiling.selection_arguments() AS s) AS r);
BEGIN
	EXECUTE pg_catalog.regexp_replace(pg_catalog.replace(pg_catalog.replace(define.statement, '{arguments}',
		a.arguments), '{types}', a.types),
		'\{passed:(\w+)\}', a.passed, 'g');
END
$$;

SELECT profiling.define($define$
CREATE FUNCTION selected({arguments}) RETURNS TABLE (benchmark_id bigint, profile_id bigint, recorded_at timestamptz,
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
				AND (selected.commits IS NULL OR EXISTS (SELECT FROM pg_catalog.unnest(selected.commits) AS c
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
	END
$define$);
SELECT profiling.define($define$
COMMENT ON FUNCTION selected({types})
	IS 'the selected profiles in numbers and words, with what is known about their benchmarks and runs; '
		'selection_arguments() lists the arguments'
$define$);

--
-- why a selection is empty
--
-- A word that is nowhere in the store is mostly a slip of the pen. Nothing is an answer, too, so this is a NOTICE.
--

CREATE FUNCTION nearest_names(word text, names text[]) RETURNS text[]
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_word CONSTANT text := left(translate(lower(nearest_names.word), '%', ''), 100);
BEGIN
	-- How much of their pairs of letters two names share; one that contains the other is near.
	RETURN ARRAY(
		SELECT n.name
		FROM (SELECT u.name, CASE WHEN v_word = '' THEN 0
				WHEN strpos(u.lowered, v_word) > 0 OR u.lowered <> '' AND strpos(v_word, u.lowered) > 0 THEN 1
				ELSE (SELECT 2.0 * count(*) / (length(v_word) + length(u.lowered) + 2)
					FROM (SELECT substr(' ' || v_word || ' ', i, 2) FROM generate_series(1, length(v_word) + 1) AS i
						INTERSECT ALL
						SELECT substr(' ' || u.lowered || ' ', i, 2)
						FROM generate_series(1, length(u.lowered) + 1) AS i) AS shared) END AS nearness
			FROM (SELECT o.name, left(lower(o.name), 100) AS lowered FROM unnest(nearest_names.names) AS o (name)) AS u)
			AS n
		WHERE n.nearness >= 0.4
		ORDER BY n.nearness DESC, length(n.name), n.name COLLATE "C" LIMIT 3);
END
$$;
COMMENT ON FUNCTION nearest_names(text, text[])
	IS 'at most three of the names, those that are most like a word: in any case of letters, by the pairs of letters '
		'that both have';

CREATE FUNCTION quoted_names(names text[]) RETURNS text
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN (SELECT string_agg('"' || profiling.printable(left(n, 100)) || '"', ', ' ORDER BY i)
		FROM unnest(quoted_names.names) WITH ORDINALITY AS u (n, i));
END
$$;
COMMENT ON FUNCTION quoted_names(text[]) IS 'names as a sentence lists them';

CREATE FUNCTION names_hint(word text, names text[]) RETURNS text
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
		ELSE 'There is none.' END;
END
$$;
COMMENT ON FUNCTION names_hint(text, text[])
	IS 'a hint for a word that is none of these names: the nearest ones, or else some of them';

SELECT profiling.define($define$
CREATE FUNCTION missing_word({arguments}, OUT kind text, OUT word text, OUT names text[])
	LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	kind := 'suite';
	word := missing_word.suite;
	names := ARRAY(SELECT DISTINCT b.suite COLLATE "C" FROM profiling.benchmark AS b ORDER BY 1);
	IF NOT EXISTS (SELECT FROM unnest(names) AS n WHERE n LIKE coalesce(word, '%')) THEN
		RETURN;
	END IF;
	kind := 'benchmark';
	word := missing_word.benchmark;
	names := ARRAY(SELECT DISTINCT b.name COLLATE "C" FROM profiling.benchmark AS b
		WHERE b.suite LIKE coalesce(missing_word.suite, '%') ORDER BY 1);
	IF NOT EXISTS (SELECT FROM unnest(names) AS n WHERE n LIKE coalesce(word, '%')) THEN
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
	IF NOT EXISTS (SELECT FROM profiling.selected(benchmark => missing_word.benchmark,
			suite => missing_word.suite, branch => missing_word.branch, commits => missing_word.commits,
			version => missing_word.version, event => missing_word.event)) THEN
		RETURN;
	END IF;
	kind := NULL;
END
$$
$define$::pg_catalog.text);
SELECT profiling.define($define$
COMMENT ON FUNCTION missing_word({types})
	IS 'the first word of a selection that nothing has that the words before it select: which argument it is, and the '
		'names that are there; kind null when each of them is there'
$define$::pg_catalog.text);

SELECT profiling.define($define$
CREATE FUNCTION something_selected({arguments}) RETURNS bool
	LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	m record;
	v_of text := '';
BEGIN
	IF EXISTS (SELECT FROM profiling.selected({passed:something_selected})) THEN
		RETURN true;
	END IF;
	m := profiling.missing_word({passed:something_selected});
	IF NOT EXISTS (SELECT FROM profiling.benchmark) THEN
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
$$
$define$::pg_catalog.text);
SELECT profiling.define($define$
COMMENT ON FUNCTION something_selected({types})
	IS 'whether a selection has a profile; a NOTICE says why when it has none. In a subquery of its own a query asks '
		'this once'
$define$::pg_catalog.text);

SELECT profiling.define($define$
CREATE FUNCTION selected_profiles({arguments}) RETURNS SETOF profile_full
	LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
	BEGIN ATOMIC
		-- the columns of profile_full; what the selection has joined need not be joined again
		SELECT s.benchmark_id, s.profile_id, s.test_run_id, s.suite, s.benchmark, s.parameters, s.branch, s.commit,
			s.version, s.started_at, s.event, s.unit, p.period, d.recorded_at, p.duration, p.instance, p.repetition,
			p.labels, p.metric, p.metric_unit, p.source, p.total, p.nodes, p.frames, p.truncated_share, p.reshaped,
			p.content_id, d.flamegraph, d.truncated
		FROM profiling.selected({passed:selected_profiles}) AS s
			JOIN profile AS p ON p.benchmark_id = s.benchmark_id AND p.profile_id = s.profile_id
			JOIN profile_data AS d ON d.benchmark_id = p.benchmark_id AND d.profile_id = p.profile_id
				AND d.recorded_at = p.recorded_at;
	END
$define$);
SELECT profiling.define($define$
COMMENT ON FUNCTION selected_profiles({types}) IS 'the selected profiles, without a word when there are none'
$define$);

SELECT profiling.define($define$
CREATE FUNCTION profiles({arguments}) RETURNS SETOF profile_full
	LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
	BEGIN ATOMIC
		SELECT p.* FROM profiling.selected_profiles({passed:profiles}) AS p
		WHERE (SELECT something_selected({passed:profiles}));
	END
$define$);
SELECT profiling.define($define$
COMMENT ON FUNCTION profiles({types})
	IS 'the selected profiles; selection_arguments() lists the arguments; a NOTICE when there are none'
$define$);

CREATE FUNCTION selection_value(selection jsonb, name text, type text) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_value CONSTANT jsonb := nullif(selection -> selection_value.name, 'null');
	v_kind CONSTANT text := jsonb_typeof(v_value);
	v_is_right CONSTANT bool := CASE selection_value.type
		WHEN 'text[]' THEN v_kind = 'array' AND NOT EXISTS (SELECT FROM jsonb_array_elements(v_value) AS e
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
COMMENT ON FUNCTION selection_value(jsonb, text, text)
	IS 'the value of a key of a selection, its type checked; null when it is missing or null';

CREATE FUNCTION selection_time(selection jsonb, name text) RETURNS timestamptz
	LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
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
COMMENT ON FUNCTION selection_time(jsonb, text) IS 'a time in a selection';

CREATE FUNCTION checked_selection(selection jsonb) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_bad text;
BEGIN
	IF selection IS NULL OR jsonb_typeof(selection) <> 'object' THEN
		RAISE EXCEPTION 'a selection must be an object' USING ERRCODE = 'invalid_parameter_value',
			HINT = 'For example {"benchmark": "shop", "commits": ["1a2b3c4"]}.';
	END IF;
	SELECT min(k) INTO v_bad FROM jsonb_object_keys(selection) AS k
		WHERE k NOT IN (SELECT s.name FROM profiling.selection_arguments() AS s);
	IF v_bad IS NOT NULL THEN
		RAISE EXCEPTION 'unrecognized key "%" of a selection', v_bad USING ERRCODE = 'invalid_parameter_value',
			HINT = (SELECT 'Available: ' || string_agg(s.name, ', ' ORDER BY s.ordinal) || '.'
				FROM profiling.selection_arguments() AS s);
	END IF;
	RETURN selection;
END
$$;
COMMENT ON FUNCTION checked_selection(jsonb) IS 'the selection itself; an error for what is no selection';

-- Each argument is taken from the object by its type; a key that is not there has the default of the argument.
DO $do$
BEGIN
	EXECUTE (SELECT pg_catalog.concat('CREATE FUNCTION profiles_of(selection jsonb) RETURNS SETOF profile_full '
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
COMMENT ON FUNCTION profiles_of(jsonb)
	IS 'the profiles of a selection that is written as an object, with the names and defaults of '
		'selection_arguments()';

CREATE FUNCTION one_kind(units text[], executables text[], mix bool) RETURNS bool
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF cardinality(units) > 1 THEN
		RAISE EXCEPTION 'the selected profiles have different units' USING ERRCODE = 'invalid_parameter_value',
			DETAIL = format('They are in %s.', profiling.printable(array_to_string(units[:10], ', '))),
				HINT = 'Select one event, or benchmarks of one unit; bottlenecks(measure => ''share'') compares '
					'functions over several.';
	END IF;
	IF NOT coalesce(mix, false) AND cardinality(executables) > 1 THEN
		RAISE EXCEPTION 'the selected profiles are of different executables or events'
			USING ERRCODE = 'invalid_parameter_value',
			DETAIL = format('There are %s, among them: %s.', cardinality(executables),
				profiling.printable(array_to_string(executables[:3], '; '))),
			HINT = 'Select one commit, or ask for a mixture by the argument mix => true.';
	END IF;
	RETURN true;
END
$$;
COMMENT ON FUNCTION one_kind(text[], text[], bool)
	IS 'true; an error for profiles that must not be summed: different units never, different executables or events '
		'only when mix is true';

SELECT profiling.define($define$
CREATE FUNCTION may_be_summed({arguments}, mix bool DEFAULT false) RETURNS bool
	LANGUAGE sql STABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT profiling.one_kind(pg_catalog.array_agg(DISTINCT s.unit COLLATE "C"),
			pg_catalog.array_agg(DISTINCT pg_catalog.concat_ws(', ', 'event '::text || s.event, 'branch '::text
				|| nullif(s.branch, ''::text),
				'commit '::text || nullif(s.commit, ''::text), 'version '::text
					|| nullif(s.version, ''::text)) COLLATE "C"),
			may_be_summed.mix)
		FROM profiling.selected({passed:may_be_summed}) AS s;
	END
$define$);
SELECT profiling.define($define$
COMMENT ON FUNCTION may_be_summed({types}, bool)
	IS 'true; an error when the selected profiles have different units, or, but for mix, are of different executables '
		'(branch, commit and version) or events'
$define$);

--
-- questions over many profiles
--

SELECT profiling.define($define$
CREATE FUNCTION merged({arguments}, mix bool DEFAULT false) RETURNS flamegraph
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000
	BEGIN ATOMIC
		SELECT sum(p.flamegraph) FROM profiles({passed:merged}) AS p
		WHERE may_be_summed({passed:merged}, mix => merged.mix);
	END
$define$::pg_catalog.text);
SELECT profiling.define($define$
COMMENT ON FUNCTION merged({types}, bool)
	IS 'the sum of the selected profiles, in their unit; error 22023 for different units and, unless mix, for '
		'different executables or events; null for none'
$define$::pg_catalog.text);

SELECT profiling.define($define$
CREATE FUNCTION average({arguments}, mix bool DEFAULT false) RETURNS flamegraph
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000
	BEGIN ATOMIC
		SELECT sum(p.flamegraph) / nullif(count(*), 0)::float8 FROM profiles({passed:average}) AS p
		WHERE may_be_summed({passed:average}, mix => average.mix);
	END
$define$::pg_catalog.text);
SELECT profiling.define($define$
COMMENT ON FUNCTION average({types}, bool)
	IS 'the mean of the selected profiles, in their unit, each with the same weight; errors as merged()'
$define$::pg_catalog.text);

SELECT profiling.define($define$
CREATE FUNCTION complete({arguments}) RETURNS flamegraph
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000
	BEGIN ATOMIC
		SELECT CASE WHEN s.truncated IS NULL THEN s.whole ELSE (SELECT m.merged
			FROM merge_partial(s.whole, s.truncated, 1) AS m) END
		FROM (SELECT sum(p.flamegraph) AS whole, sum(p.truncated) AS truncated FROM profiles({passed:complete}) AS p
			WHERE may_be_summed({passed:complete}, mix => false)) AS s;
	END
$define$::pg_catalog.text);
SELECT profiling.define($define$
COMMENT ON FUNCTION complete({types})
	IS 'the sum of the selected profiles of one executable with stacks that were cut off put where exactly one '
		'calling context fits; the others are left out, merge_partial() shows them'
$define$::pg_catalog.text);

CREATE FUNCTION one_of(name text, word text, VARIADIC allowed text[]) RETURNS bool
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF word = ANY (allowed) THEN
		RETURN true;
	END IF;
	RAISE EXCEPTION 'unrecognized % "%"', name, coalesce(word, 'NULL') USING ERRCODE = 'invalid_parameter_value',
		HINT = 'Available: ' || array_to_string(allowed, ', ') || '.';
END
$$;
COMMENT ON FUNCTION one_of(text, text, text[]) IS 'true; an error for a word that is not in the list';

-- what a benchmark's metric says about its cost: the larger, the slower
CREATE FUNCTION cost_of(metric float8, metric_direction text) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN cost_of.metric_direction = 'higher' THEN - cost_of.metric ELSE cost_of.metric END;
	END;
COMMENT ON FUNCTION cost_of(float8, text) IS 'a metric as a cost: throughputs are negated';

CREATE FUNCTION enough_points(benchmark_of text[], min_profiles int) RETURNS bool
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_most CONSTANT bigint := (SELECT max(g.n)
		FROM (SELECT count(*) AS n FROM unnest(benchmark_of) AS b GROUP BY b) AS g);
BEGIN
	IF v_most < min_profiles THEN
		RAISE NOTICE 'no benchmark has % profiles with a metric', min_profiles USING
			ERRCODE = '02000', DETAIL = format('The most that one has are %s.', v_most),
			HINT = 'The argument min_profiles asks for fewer; of few points chance ranks highest.';
	END IF;
	RETURN true;
END
$$;
COMMENT ON FUNCTION enough_points(text[], int)
	IS 'true; a NOTICE when no benchmark has as many points as a correlation asks for';

SELECT profiling.define($define$
CREATE FUNCTION correlate({arguments}, method text DEFAULT 'pearson', min_profiles int DEFAULT 10,
		max_rows int DEFAULT 20)
	RETURNS TABLE (frame text, score float8, benchmarks int, n int)
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 20
	BEGIN ATOMIC
		SELECT c.frame, c.score, c.benchmarks, c.n
		FROM (SELECT pg_catalog.array_agg(p.flamegraph ORDER BY s.started_at, s.profile_id) AS profiles,
				pg_catalog.array_agg(cost_of(s.metric, s.metric_direction) ORDER BY s.started_at,
					s.profile_id) AS costs,
				pg_catalog.array_agg(pg_catalog.format('%s, %s, %s, %s', s.benchmark_id, s.event, s.unit, s.metric_unit)
					ORDER BY s.started_at, s.profile_id) AS benchmark_of
			FROM selected({passed:correlate}) AS s
				JOIN profile_data AS p ON p.benchmark_id = s.benchmark_id AND p.profile_id = s.profile_id
					AND p.recorded_at = s.recorded_at
			WHERE s.metric IS NOT NULL AND (SELECT something_selected({passed:correlate}))) AS a,
			frame_correlation(a.profiles, a.costs, a.benchmark_of, 'self'::text, correlate.method,
				correlate.min_profiles,
				'skip'::text, 'avg'::text, 'positive'::text) AS c
		WHERE enough_points(a.benchmark_of, correlate.min_profiles)
		ORDER BY c.score DESC, c.benchmarks DESC, c.frame COLLATE "C"
		LIMIT correlate.max_rows;
	END
$define$::pg_catalog.text);
SELECT profiling.define($define$
COMMENT ON FUNCTION correlate({types}, text, int, int)
	IS 'functions whose own value goes with the metric of the runs, over any number of benchmarks: score is the mean '
		'over the benchmarks of the correlation (pearson or spearman) in each, where a higher throughput is a lower '
		'cost; benchmarks: how many it rests on, n: how many profiles; a benchmark counts for functions that '
		'min_profiles of its profiles contain: of three points chance ranks highest'
$define$::pg_catalog.text);

-- The words for the value of a function, wherever one is asked for.
CREATE FUNCTION checked_measure(measure text, others text[]) RETURNS text
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF measure = 'share' THEN
		RETURN 'total_share';
	END IF;
	IF measure IN ('self', 'total', 'self_share', 'total_share') OR measure = ANY (others)
			OR measure ~ '^potential:[0-9]{1,5}$' THEN
		RETURN measure;
	END IF;
	RAISE EXCEPTION 'unrecognized measure "%"', coalesce(measure, 'NULL') USING ERRCODE = 'invalid_parameter_value',
		HINT = 'Available: ' || array_to_string('{self,total,self_share,total_share (or share),potential:N}' || others,
			', ') || '.';
END
$$;
COMMENT ON FUNCTION checked_measure(text, text[])
	IS 'a measure, share as total_share: self is what a function itself has, total with what it calls, both in the '
		'unit of the profiles; their shares are fractions of the profile; potential:N within N calls; others: words '
		'that are measures here only; an error for what is none';

CREATE FUNCTION potential_degree(measure text) RETURNS int
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN CASE WHEN measure LIKE 'potential:%' THEN substr(measure, 11)::int END;
END
$$;
COMMENT ON FUNCTION potential_degree(text) IS 'N of potential:N, null for the other measures';

SELECT profiling.define($define$
CREATE FUNCTION sums_per_benchmark({arguments}, OUT sums flamegraph[], OUT whole flamegraph)
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000
	BEGIN ATOMIC
		SELECT pg_catalog.array_agg(s.fg), sum(s.fg)
		FROM (SELECT sum(p.flamegraph) AS fg FROM selected_profiles({passed:sums_per_benchmark}) AS p
			GROUP BY p.benchmark_id) AS s;
	END
$define$::pg_catalog.text);
SELECT profiling.define($define$
COMMENT ON FUNCTION sums_per_benchmark({types})
	IS 'the sum of the selected profiles of each benchmark, and of all; not asked whether they may be summed'
$define$::pg_catalog.text);

CREATE FUNCTION hottest(sums flamegraph[], whole flamegraph, measure text, degree int, max_rows int)
	RETURNS TABLE (frame text, value float8, share float8, benchmarks int)
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 100000 ROWS 20
	BEGIN ATOMIC
		SELECT m.frame, m.value, m.share, (SELECT count(*) FROM pg_catalog.unnest(hottest.sums) AS u (fg)
			WHERE has_frame(u.fg, m.frame))::int
		FROM (
			SELECT t.frame, CASE WHEN hottest.measure = 'self' THEN t.self ELSE t.total END AS value,
				CASE WHEN hottest.measure = 'self' THEN t.self_share ELSE t.total_share END AS share
			FROM top(hottest.whole, NULL::int) AS t WHERE hottest.measure IN ('self', 'total')
			UNION ALL
			SELECT p.frame, p.potential, p.share FROM subtree_potential(hottest.whole, hottest.degree) AS p
				WHERE hottest.degree IS NOT NULL
		) AS m
		ORDER BY m.value DESC, m.frame COLLATE "C"
		LIMIT hottest.max_rows;
	END;
COMMENT ON FUNCTION hottest(flamegraph[], flamegraph, text, int, int)
	IS 'the functions of a profile with the largest self, total or potential, and in how many of the sums of '
		'benchmarks they are';

CREATE FUNCTION self_share(fg flamegraph, frame text) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 5000
	BEGIN ATOMIC
		SELECT ratio(frame_self(self_share.fg, self_share.frame), total(self_share.fg));
	END;
COMMENT ON FUNCTION self_share(flamegraph, text) IS 'what share of a profile is spent in a function itself';

SELECT profiling.define($define$
CREATE FUNCTION hottest_by_share({arguments}, measure text DEFAULT 'total_share', max_rows int DEFAULT 20)
	RETURNS TABLE (frame text, value float8, share float8, benchmarks int)
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 20
	BEGIN ATOMIC
		WITH part AS MATERIALIZED (
			-- what has several events or units has a share in each, which are one together
			SELECT s.benchmark_id, s.fg, (count(*) OVER (PARTITION BY s.benchmark_id))::float8 AS parts
			FROM (SELECT p.benchmark_id, sum(p.flamegraph) AS fg
				FROM selected_profiles({passed:hottest_by_share}) AS p
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
	END
$define$::pg_catalog.text);
SELECT profiling.define($define$
COMMENT ON FUNCTION hottest_by_share({types}, text, int)
	IS 'the functions with the largest mean share over the selected benchmarks, 0 where they do not occur: each '
		'benchmark counts as much as the others, whatever its unit'
$define$::pg_catalog.text);

SELECT profiling.define($define$
CREATE FUNCTION bottlenecks({arguments}, measure text DEFAULT 'potential:3', max_rows int DEFAULT 20)
	RETURNS TABLE (frame text, value float8, share float8, benchmarks int)
	LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000000 ROWS 20 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_measure CONSTANT text := profiling.checked_measure(bottlenecks.measure, '{correlation}'::text[]);
	v_sums record;
BEGIN
	IF NOT profiling.something_selected({passed:bottlenecks}) THEN
		RETURN;
	END IF;
	IF v_measure IN ('self_share', 'total_share') THEN
		RETURN QUERY
		SELECT h.frame, h.value, h.share, h.benchmarks
		FROM profiling.hottest_by_share({passed:bottlenecks}, measure => v_measure, max_rows => bottlenecks.max_rows)
			AS h
		ORDER BY h.value DESC, h.frame COLLATE "C";
		RETURN;
	END IF;
	IF v_measure <> 'correlation' THEN
		PERFORM profiling.may_be_summed({passed:bottlenecks}, mix => true);
	END IF;
	v_sums := profiling.sums_per_benchmark({passed:bottlenecks});
	IF v_measure = 'correlation' THEN
		RETURN QUERY
		SELECT c.frame, c.score, profiling.self_share(v_sums.whole, c.frame), c.benchmarks
		FROM profiling.correlate({passed:bottlenecks}, method => 'pearson'::text, min_profiles => 10,
			max_rows => bottlenecks.max_rows) AS c
		ORDER BY c.score DESC, c.frame COLLATE "C";
	ELSE
		RETURN QUERY
		SELECT h.frame, h.value, h.share, h.benchmarks
		FROM profiling.hottest(v_sums.sums, v_sums.whole, v_measure, profiling.potential_degree(v_measure),
			bottlenecks.max_rows) AS h
		ORDER BY h.value DESC, h.frame COLLATE "C";
	END IF;
END
$$
$define$::pg_catalog.text);
SELECT profiling.define($define$
COMMENT ON FUNCTION bottlenecks({types}, text, int)
	IS 'where most is spent over all selected profiles: measure self, total, potential:N (within N calls) in their '
		'unit, and the share of the whole; total_share (or share) and self_share: the mean share over the benchmarks, '
		'of any units; correlation (with the metric), and the share of the function itself; benchmarks that have it'
$define$::pg_catalog.text);

SELECT profiling.define($define$
CREATE FUNCTION in_runs(min_runs int DEFAULT 2, {arguments})
	RETURNS TABLE (frame text, runs int, of_runs int, share float8)
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000 ROWS 500
	BEGIN ATOMIC
		WITH part AS MATERIALIZED (
			SELECT s.test_run_id, s.fg, (count(*) FILTER (WHERE total(s.fg) <> 0::float8)
				OVER (PARTITION BY s.test_run_id))::float8 AS parts
			FROM (SELECT p.test_run_id, sum(p.flamegraph) AS fg FROM profiles({passed:in_runs}) AS p
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
	END
$define$::pg_catalog.text);
SELECT profiling.define($define$
COMMENT ON FUNCTION in_runs(int, {types})
	IS 'functions that occur in at least min_runs of the selected runs: in how many of them, of how many that are '
		'selected, and the mean of the function''s share with what it calls, 0 where it does not occur'
$define$::pg_catalog.text);

CREATE FUNCTION one_event(kinds text[]) RETURNS bool
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_kinds CONSTANT text[] := ARRAY(SELECT DISTINCT k FROM unnest(kinds) AS k ORDER BY k);
BEGIN
	IF cardinality(v_kinds) > 1 THEN
		RAISE EXCEPTION 'the selected profiles have different units or events'
			USING ERRCODE = 'invalid_parameter_value',
			DETAIL = format('They are %s.', profiling.printable(array_to_string(v_kinds[:10], ', '))),
				HINT = 'Select one event on both sides.';
	END IF;
	RETURN true;
END
$$;
COMMENT ON FUNCTION one_event(text[]) IS 'true; an error for profiles of different events or units';

CREATE FUNCTION compare(before jsonb, after jsonb, level text DEFAULT 'node', method text DEFAULT 'welch',
		correction text DEFAULT 'bh',
		alpha float8 DEFAULT 0.05, size_factor text DEFAULT 'none', min_mean float8 DEFAULT 5, min_df int DEFAULT 1,
		permutations int DEFAULT 999, seed bigint DEFAULT 42)
	RETURNS TABLE (key stackpath, mean_before float8, mean_after float8, delta float8, relative float8, t float8,
		df float8,
		p_value float8, q_value float8, lower float8, upper float8, change text, significant bool)
	LANGUAGE sql STABLE COST 1000000 ROWS 5000
	BEGIN ATOMIC
		SELECT c.*
		FROM (SELECT b.profiles AS before, a.profiles AS after
			FROM (SELECT pg_catalog.array_agg(p.flamegraph ORDER BY p.recorded_at, p.profile_id) AS profiles,
				pg_catalog.array_agg(DISTINCT p.event || ' in ' || p.unit) AS kinds
					FROM profiles_of(compare.before) AS p) AS b,
				(SELECT pg_catalog.array_agg(p.flamegraph ORDER BY p.recorded_at, p.profile_id) AS profiles,
					pg_catalog.array_agg(DISTINCT p.event || ' in ' || p.unit) AS kinds
					FROM profiles_of(compare.after) AS p) AS a
			WHERE one_event(b.kinds OPERATOR(pg_catalog.||) a.kinds) OFFSET 0) AS s,
			LATERAL compare_profiles(s.before, s.after, compare.level, compare.method, compare.correction,
				compare.alpha,
				compare.size_factor, compare.min_mean, compare.min_df, compare.permutations, compare.seed) AS c;
	END;
COMMENT ON FUNCTION compare(jsonb, jsonb, text, text, text, float8, text, float8, int, int, bigint)
	IS 'which stacks, calling contexts or functions differ between two selections, written as objects: '
		'compare_profiles() of them; each profile is an observation';

--
-- where does a function occur
--

CREATE FUNCTION quoted_frame(frame text) RETURNS text
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	BEGIN ATOMIC
		SELECT '"' || replace(replace(frame, '\'::text, '\\'::text), '"'::text, '\"'::text) || '"';
	END;
COMMENT ON FUNCTION quoted_frame(text) IS 'a frame as it stands in a stackquery, whatever characters it has';

CREATE FUNCTION frame_pattern(what text) RETURNS stackquery
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	BEGIN ATOMIC
		SELECT (CASE WHEN strpos(what, ';'::text) > 0 THEN what
			WHEN what LIKE '%_*' THEN '*;' || quoted_frame(left(what, -1)) || '*;*'
			ELSE '*;' || quoted_frame(what) || ';*' END)::stackquery;
	END;
COMMENT ON FUNCTION frame_pattern(text)
	IS 'what frame_search() looks for: text with a semicolon is a stackquery, foo* is any frame that begins with foo, '
		'all else is a frame as it stands';

CREATE FUNCTION occurs(what text) RETURNS bool
	LANGUAGE sql STABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT EXISTS (SELECT FROM profile_data AS d WHERE d.flamegraph ~ frame_pattern(occurs.what));
	END;
COMMENT ON FUNCTION occurs(text) IS 'whether any profile of the store has what frame_search() looks for';

-- One profile is enough, and planned for one the index looks dearer than it is.
CREATE FUNCTION search_works(what text, per text, sort text) RETURNS bool
	LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
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
COMMENT ON FUNCTION search_works(text, text, text)
	IS 'true; an error for words that frame_search() does not know; a NOTICE for a frame that no profile has';

SELECT profiling.define($define$
CREATE FUNCTION frame_search(what text, min_share float8 DEFAULT 0, per text DEFAULT 'profile', {arguments},
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
			FROM profile_data AS d JOIN selected({passed:frame_search}) AS s
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
			FROM selected({passed:frame_search}) AS s
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
				AND something_selected({passed:frame_search}))
			AND (coalesce(frame_search.min_share, 0::float8) <= 0::float8
				OR ratio(c.samples, c.total) >= frame_search.min_share)
		ORDER BY CASE WHEN frame_search.sort = 'time' THEN c.started_at END, ratio(c.samples, c.total) DESC NULLS LAST,
			c.suite COLLATE "C", c.benchmark COLLATE "C", c.run, c.profile;
	END
$define$::pg_catalog.text);
SELECT profiling.define($define$
COMMENT ON FUNCTION frame_search(text, float8, text, {types}, text)
	IS 'where a function occurs: what is a frame, foo* for all that begin so, or (with a semicolon) a stackquery; '
		'samples of the stacks that have it, in their unit, and their share of the total; per profile, run or '
		'benchmark (started_at: of the newest run that has it); sort: the largest share first, or by time'
$define$::pg_catalog.text);

--
-- one function over time
--

CREATE FUNCTION value_of_sample(benchmark_id bigint, event text, unit text, test_run_id bigint,
		fg flamegraph) RETURNS float8
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce((SELECT max(p.period) FROM profile AS p WHERE p.benchmark_id = value_of_sample.benchmark_id
				AND p.test_run_id = value_of_sample.test_run_id AND p.event = value_of_sample.event
					AND p.unit = value_of_sample.unit),
			CASE WHEN value_of_sample.unit = 'samples' THEN 1::float8 END,
			(SELECT min(abs(s.value)) FROM stacks(value_of_sample.fg) AS s), 0::float8);
	END;
COMMENT ON FUNCTION value_of_sample(bigint, text, text, bigint, flamegraph)
	IS 'what one sample of a run stands for, in unit: the period, 1 for samples, else the smallest value that a stack '
		'has; values vary at least as counts of such samples do';

CREATE FUNCTION frame_value(fg flamegraph, frame text, measure text) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE frame_value.measure WHEN 'total'::text THEN frame_total(frame_value.fg, frame_value.frame)
			WHEN 'self'::text THEN frame_self(frame_value.fg, frame_value.frame)
			WHEN 'total_share'::text THEN ratio(frame_total(frame_value.fg, frame_value.frame), total(frame_value.fg))
			WHEN 'self_share'::text THEN self_share(frame_value.fg, frame_value.frame)
			ELSE coalesce((SELECT p.potential FROM subtree_potential(frame_value.fg,
				potential_degree(frame_value.measure)) AS p
				WHERE p.frame = frame_value.frame), 0::float8) END;
	END;
COMMENT ON FUNCTION frame_value(flamegraph, text, text)
	IS 'total, self, their shares or potential:N of a function, 0 where it does not occur; shares null in an empty '
		'profile';

CREATE FUNCTION trend_branch(benchmark_id bigint, event text, branch text) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_branch text := trend_branch.branch;
	v_units text[];
	v_words text[];
BEGIN
	IF v_branch IS NULL THEN
		SELECT r.branch INTO v_branch FROM profiling.rollup AS r
		WHERE r.benchmark_id = trend_branch.benchmark_id AND r.event = trend_branch.event
			AND profiling.has_begun(r.started_at)
		ORDER BY r.started_at DESC, r.test_run_id DESC LIMIT 1;
	END IF;
	SELECT array_agg(DISTINCT r.unit) INTO v_units FROM profiling.rollup AS r
	WHERE r.benchmark_id = trend_branch.benchmark_id AND r.event = trend_branch.event AND r.branch = v_branch
		AND r.span = 'run';
	IF v_units IS NULL THEN
		v_words := ARRAY(SELECT DISTINCT format('event "%s" on branch "%s"', r.event, r.branch) COLLATE "C"
			FROM profiling.rollup AS r WHERE r.benchmark_id = trend_branch.benchmark_id AND r.span = 'run' ORDER BY 1);
		RAISE NOTICE 'benchmark % has no run of event "%"%', trend_branch.benchmark_id, trend_branch.event,
				coalesce(' on branch "' || trend_branch.branch || '"', '')
			USING ERRCODE = '02000', DETAIL = CASE WHEN v_words = '{}' THEN 'It has no run.'
				ELSE 'It has ' || profiling.printable(array_to_string(v_words[:10], ', ')) || '.' END;
	END IF;
	PERFORM profiling.one_kind(v_units, NULL::text[], true);
	RETURN v_branch;
END
$$;
COMMENT ON FUNCTION trend_branch(bigint, text, text)
	IS 'the branch that frame_trend() shows: that of the newest run when none is given; a NOTICE when it has no run, '
		'an error for several units';

CREATE FUNCTION trend_has(benchmark_id bigint, frame text, event text, branch text) RETURNS bool
	LANGUAGE sql STABLE COST 100000
	BEGIN ATOMIC
		SELECT EXISTS (SELECT FROM rollup AS r
			WHERE r.benchmark_id = trend_has.benchmark_id AND r.event = trend_has.event AND r.branch = trend_has.branch
				AND r.span = 'run' AND has_frame(summed(r.flamegraph, r.benchmark_id, r.pending), trend_has.frame));
	END;
COMMENT ON FUNCTION trend_has(bigint, text, text, text) IS 'whether any run that frame_trend() shows has the frame';

-- callers() has a NOTICE with the nearest names for a frame that does not occur.
CREATE FUNCTION trend_misses(benchmark_id bigint, frame text, event text, branch text) RETURNS bigint
	LANGUAGE sql STABLE COST 10000
	BEGIN ATOMIC
		SELECT count(*)
		FROM (SELECT summed(r.flamegraph, r.benchmark_id, r.pending) AS fg FROM rollup AS r
			WHERE r.benchmark_id = trend_misses.benchmark_id AND r.event = trend_misses.event
				AND r.branch = trend_misses.branch AND r.span = 'run'
			ORDER BY r.started_at DESC, r.test_run_id DESC LIMIT 1) AS newest, callers(newest.fg, trend_misses.frame);
	END;
COMMENT ON FUNCTION trend_misses(bigint, text, text, text)
	IS '0, and a NOTICE with the names of the newest run that are nearest to a frame that it does not have';

CREATE FUNCTION frame_trend(benchmark_id bigint, frame text, measure text DEFAULT 'total', window_size int DEFAULT 10,
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
			profiling.ratio(profiling.value_of_sample(r.benchmark_id, r.event, r.unit, r.test_run_id, r.fg),
				CASE WHEN v_is_share THEN r.total ELSE r.repetitions END) AS of_sample
		FROM (SELECT o.*, profiling.summed(o.flamegraph, o.benchmark_id, o.pending) AS fg
			FROM profiling.rollup AS o OFFSET 0) AS r JOIN profiling.test_run AS t ON t.test_run_id = r.test_run_id
		WHERE r.benchmark_id = frame_trend.benchmark_id AND r.event = frame_trend.event AND r.branch = v_branch
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
COMMENT ON FUNCTION frame_trend(bigint, text, text, int, float8, text, text)
	IS 'one function over the runs of a branch (null: that of the newest run), repetitions averaged: value (total, '
		'self or potential:N, in the unit of the profiles; total_share (or share), self_share: fractions of the run), '
		'mean of the window_size runs before, the deviation that scores are divided by, the band mean -+ k deviations, '
		'and whether the value lies outside; a score of k lies on the band';

DROP FUNCTION profiling.define(text);

--
-- the nightly comparison
--
-- A family is what one watch row tests of one (benchmark, event, unit, branch): all its
-- keys, and the metric. Within a family Benjamini & Hochberg, between the families of
-- a night Bonferroni: a q_value is p adjusted for both, so that of all findings of a
-- night at most the share alpha is false; of nights without any change at most the
-- share alpha has a finding.
--

CREATE FUNCTION pattern_weight(pattern text) RETURNS int
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN strpos(pattern, '%'::text) = 0 THEN 100000
			ELSE 0 END + length(replace(pattern, '%'::text, ''::text));
	END;
COMMENT ON FUNCTION pattern_weight(text)
	IS 'how specific a pattern of LIKE is: one without % before one with, then the longer one';

CREATE FUNCTION watches_of(benchmark_id bigint, event text) RETURNS SETOF watch
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
COMMENT ON FUNCTION watches_of(bigint, text)
	IS 'the watch rows that are in force: for each method those of the most specific pattern (benchmark before suite '
		'before event), one for each level, of several the newest';

CREATE FUNCTION checked_options(watch watch) RETURNS jsonb
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- Those that a constraint let pass, as one that was added later does.
	PERFORM profiling.options_work((watch).watch_id, (watch).options);
	RETURN (watch).options;
END
$$;
COMMENT ON FUNCTION checked_options(watch) IS 'the options of a watch row; an error for those that cannot be';

CREATE FUNCTION metric_profile(metric float8) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT flamegraph_agg(stackpath 'metric', metric_profile.metric) WHERE metric_profile.metric IS NOT NULL;
	END;
COMMENT ON FUNCTION metric_profile(float8)
	IS 'a metric as a profile of one frame, so that every test of profiles is one of metrics, too';

CREATE FUNCTION metric_profiles(costs float8[]) RETURNS flamegraph[]
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(metric_profile(u.cost) ORDER BY u.n), '{}'::flamegraph[])
			FROM pg_catalog.unnest(costs) WITH ORDINALITY AS u (cost, n) WHERE u.cost IS NOT NULL;
	END;
COMMENT ON FUNCTION metric_profiles(float8[]) IS 'metrics as profiles of one frame, without those that are null';


--
-- histories: means of runs
--

CREATE FUNCTION runs_before(benchmark_id bigint, event text, unit text, branch text, test_run_id bigint,
		baseline text DEFAULT 'window:10') RETURNS bigint[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(h.test_run_id ORDER BY h.started_at, h.test_run_id), '{}'::bigint[])
		FROM (SELECT r.test_run_id, r.started_at
			FROM rollup AS r JOIN test_run AS t ON t.test_run_id = r.test_run_id
				JOIN test_run AS n ON n.test_run_id = runs_before.test_run_id
			WHERE r.benchmark_id = runs_before.benchmark_id AND r.event = runs_before.event
				AND r.unit = runs_before.unit AND r.span = 'run'
				AND CASE
					WHEN runs_before.baseline LIKE 'window:%' THEN r.branch = runs_before.branch
					WHEN runs_before.baseline LIKE 'branch:%' THEN r.branch = substr(runs_before.baseline, 8)
					WHEN runs_before.baseline LIKE 'commit:%' THEN starts_with(t.commit,
						substr(runs_before.baseline, 8))
					ELSE t.version = substr(runs_before.baseline, 9) END
				AND (r.started_at, r.test_run_id) < (n.started_at, n.test_run_id) AND has_begun(r.started_at)
			ORDER BY r.started_at DESC, r.test_run_id DESC
			LIMIT CASE WHEN runs_before.baseline LIKE 'window:%' THEN substr(runs_before.baseline, 8)::int
				WHEN runs_before.baseline LIKE 'branch:%' THEN 10 ELSE 100 END) AS h;
	END;
COMMENT ON FUNCTION runs_before(bigint, text, text, text, bigint, text)
	IS 'the history of a run by a baseline, oldest first: runs that are older than it; of branch:NAME the newest 10, '
		'of a commit or a version at most 100';

CREATE FUNCTION mean_profile(fg flamegraph, benchmark_id bigint, pending bigint[], repetitions int) RETURNS flamegraph
	LANGUAGE sql STABLE COST 10000
	BEGIN ATOMIC
		SELECT summed(mean_profile.fg, mean_profile.benchmark_id,
			mean_profile.pending) / mean_profile.repetitions::float8;
	END;
COMMENT ON FUNCTION mean_profile(flamegraph, bigint, bigint[], int)
	IS 'the mean of the profiles of a rollup, from its columns';

CREATE TYPE means AS (fgs flamegraph[], costs float8[], metric_unit text, of_sample float8);
COMMENT ON TYPE means
	IS 'runs in their order, each as the mean profile of its repetitions, so that n counts runs; costs: their '
		'metrics, throughputs negated; metric_unit: null when there are several; of_sample: what a sample of the last '
		'one is worth in its mean';

CREATE FUNCTION run_means(benchmark_id bigint, event text, unit text, run_ids bigint[]) RETURNS means
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(CASE r.repetitions WHEN 1 THEN r.flamegraph
					ELSE mean_profile(r.flamegraph, r.benchmark_id, r.pending, r.repetitions) END ORDER BY u.n),
						'{}'::flamegraph[]),
			coalesce(pg_catalog.array_agg(cost_of(ratio(r.metric_sum, r.metric_count::float8), b.metric_direction)
				ORDER BY u.n), '{}'::float8[]),
			CASE WHEN pg_catalog.count(DISTINCT r.metric_unit) FILTER (WHERE r.metric_count > 0) = 1
				THEN max(r.metric_unit) FILTER (WHERE r.metric_count > 0) END,
			min(value_of_sample(r.benchmark_id, r.event, r.unit, r.test_run_id,
				summed(r.flamegraph, r.benchmark_id, r.pending))
					/ r.repetitions::float8) FILTER (WHERE u.n = pg_catalog.cardinality(run_means.run_ids))
		FROM pg_catalog.unnest(run_means.run_ids) WITH ORDINALITY AS u (id, n)
			JOIN rollup AS r ON r.benchmark_id = run_means.benchmark_id AND r.event = run_means.event
				AND r.unit = run_means.unit
				AND r.test_run_id = u.id AND r.span = 'run'
			JOIN benchmark AS b ON b.benchmark_id = r.benchmark_id;
	END;
COMMENT ON FUNCTION run_means(bigint, text, text, bigint[]) IS 'the means of some runs';

CREATE FUNCTION recent_runs(watch watch) RETURNS int
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN coalesce((profiling.checked_options(watch) ->> 'recent')::int,
		CASE (watch).method WHEN 'welch' THEN 2 WHEN 'hotelling' THEN 3 WHEN 'energy' THEN 5 ELSE 1 END);
END
$$;
COMMENT ON FUNCTION recent_runs(watch) IS 'how many of the newest runs a watch row compares at least';

CREATE FUNCTION compared_runs(watch watch, benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
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
	-- A sequence is that of one branch, and a change in it needs some runs on both sides.
	before_ids := profiling.runs_before(compared_runs.benchmark_id, compared_runs.event, compared_runs.unit,
		compared_runs.branch, ids[1],
		CASE WHEN v_method = 'change_point' THEN 'window:' || coalesce((v_options ->> 'history')::int, 40)
			WHEN v_method = 'correlation' AND (watch).baseline NOT LIKE 'window:%' THEN 'window:10'
			ELSE (watch).baseline END);
END
$$;
COMMENT ON FUNCTION compared_runs(watch, bigint, text, text, text, bigint[])
	IS 'the runs that a watch row compares, and the history that it compares them with; no history: there are too few '
		'runs for its method';

CREATE FUNCTION metric_unit_of(benchmark_id bigint, event text, test_run_id bigint, before means,
		after means) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	IF (before).metric_unit = (after).metric_unit AND (after).costs[cardinality((after).costs)] IS NOT NULL
			AND cardinality(array_remove((before).costs, NULL)) >= 2
			-- of several events one has it
			AND metric_unit_of.event = (SELECT r.event FROM profiling.rollup AS r
				WHERE r.benchmark_id = metric_unit_of.benchmark_id AND r.test_run_id = metric_unit_of.test_run_id
					AND r.metric_count > 0
				ORDER BY r.event <> 'cpu', r.event COLLATE "C", r.unit COLLATE "C" LIMIT 1) THEN
		RETURN (after).metric_unit;
	END IF;
	RETURN NULL;
END
$$;
COMMENT ON FUNCTION metric_unit_of(bigint, text, bigint, means, means)
	IS 'the unit of the metric of a run and of those before it; null when there is nothing to compare, or when it '
		'belongs to another event';

--
-- tests: every key of one family, with its p-value
--
-- gated: the p-value is that of one test of whole profiles, the rows are where the
-- difference lies.
--

CREATE TYPE tested_key AS (key stackpath, expected float8, actual float8, score float8, p_value float8, lower float8,
	upper float8,
	gated bool, first_at int);
COMMENT ON TYPE tested_key
	IS 'what a method says about a key: expected, actual, its statistic, p_value, the interval of the difference; '
		'gated: the p-value is that of one test of all keys, which were found by it; first_at: position of the first '
		'changed run in before || after';

CREATE FUNCTION count_noise(expected float8, of_sample float8) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT sqrt(count_noise.of_sample * greatest(abs(count_noise.expected), count_noise.of_sample));
	END;
COMMENT ON FUNCTION count_noise(float8, float8)
	IS 'standard deviation of a value that is a count of samples worth of_sample each';

CREATE FUNCTION tested_by_deviation(before flamegraph[], current flamegraph, level text, of_sample float8,
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
COMMENT ON FUNCTION tested_by_deviation(flamegraph[], flamegraph, text, float8, float8, text)
	IS 'every key of a run against the runs before it, by deviation scores';

CREATE FUNCTION tested_by_welch(before flamegraph[], after flamegraph[], level text, of_sample float8, alpha float8)
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
COMMENT ON FUNCTION tested_by_welch(flamegraph[], flamegraph[], text, float8, float8)
	IS 'every key of two groups of runs, by Welch''s test';

CREATE FUNCTION hotelling_p(before flamegraph[], after flamegraph[], level text, alpha float8,
		min_df int) RETURNS float8
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT h.p_value FROM hotelling_test(hotelling_p.before, hotelling_p.after, hotelling_p.alpha,
			hotelling_p.level, hotelling_p.min_df) AS h;
	END;
COMMENT ON FUNCTION hotelling_p(flamegraph[], flamegraph[], text, float8, int)
	IS 'probability that two groups of runs differ so much by chance, all keys jointly';

CREATE FUNCTION means_of(profiles flamegraph[], level text) RETURNS TABLE (key stackpath, mean float8)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT e.key, e.mean FROM entries((SELECT stats(u.fg, means_of.level)
			FROM pg_catalog.unnest(means_of.profiles) AS u (fg))) AS e;
	END;
COMMENT ON FUNCTION means_of(flamegraph[], text) IS 'the mean of every key of some runs';

CREATE FUNCTION tested_by_hotelling(before flamegraph[], after flamegraph[], level text, alpha float8, min_df int)
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8, lower float8, upper float8)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT i.key, coalesce(b.mean, 0::float8), coalesce(b.mean, 0::float8) + i.delta,
			ratio(i.delta, sqrt(i.variance)), i.lower, i.upper
		FROM hotelling_intervals(tested_by_hotelling.before, tested_by_hotelling.after, tested_by_hotelling.alpha,
			tested_by_hotelling.level,
				tested_by_hotelling.min_df) AS i
			LEFT JOIN means_of(tested_by_hotelling.before, tested_by_hotelling.level) AS b ON b.key = i.key
		WHERE i.significant;
	END;
COMMENT ON FUNCTION tested_by_hotelling(flamegraph[], flamegraph[], text, float8, int)
	IS 'the keys in which two groups of runs differ, when hotelling_p() says that they do';

CREATE FUNCTION energy_p(before flamegraph[], after flamegraph[], normalised bool, permutations int,
		seed bigint) RETURNS float8
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT e.p_value FROM energy_test(energy_p.before, energy_p.after, energy_p.normalised, energy_p.permutations,
			energy_p.seed) AS e;
	END;
COMMENT ON FUNCTION energy_p(flamegraph[], flamegraph[], bool, int, bigint)
	IS 'probability that two groups of runs differ so much by chance, by the energy test';

CREATE FUNCTION last_change(profiles flamegraph[], min_segment int, alpha float8, permutations int, seed bigint,
		OUT from_at int, OUT change_at int, OUT p_value float8)
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT c.from_at, c.change_at, c.p_value
		FROM (SELECT c.change_at, c.p_value, coalesce(pg_catalog.lag(c.change_at) OVER (ORDER BY c.change_at),
			1) AS from_at
			FROM change_points(last_change.profiles, last_change.min_segment, 0::float8, last_change.alpha,
				last_change.permutations, last_change.seed) AS c) AS c
		ORDER BY c.change_at DESC LIMIT 1;
	END;
COMMENT ON FUNCTION last_change(flamegraph[], int, float8, int, bigint)
	IS 'the last change point of a sequence of runs, and where what lies before it begins';

CREATE FUNCTION tested_by_parts(first flamegraph[], second flamegraph[], level text, of_sample float8, alpha float8,
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
COMMENT ON FUNCTION tested_by_parts(flamegraph[], flamegraph[], text, float8, float8, float8, text)
	IS 'the keys in which the second part of a sequence of runs differs from the first one, and its last run still '
		'does';

CREATE FUNCTION tested_by_correlation(before flamegraph[], after flamegraph[], costs float8[], level text,
		correlation text, min_score float8)
	RETURNS TABLE (key stackpath, expected float8, actual float8, score float8)
	LANGUAGE sql STABLE ROWS 1000
	BEGIN ATOMIC
		SELECT k.key, coalesce(b.mean, 0::float8), coalesce(a.mean, 0::float8), c.score
		FROM frame_correlation(tested_by_correlation.before OPERATOR(pg_catalog.||) tested_by_correlation.after,
			tested_by_correlation.costs, NULL::text[],
				tested_by_correlation.level, tested_by_correlation.correlation, 3, 'skip'::text, 'avg'::text,
					'positive'::text) AS c
			CROSS JOIN LATERAL (SELECT stackpath(ARRAY[c.frame]) AS key) AS k
			LEFT JOIN means_of(tested_by_correlation.before, tested_by_correlation.level) AS b ON b.key = k.key
			LEFT JOIN means_of(tested_by_correlation.after, tested_by_correlation.level) AS a ON a.key = k.key
		WHERE c.score >= tested_by_correlation.min_score;
	END;
COMMENT ON FUNCTION tested_by_correlation(flamegraph[], flamegraph[], float8[], text, text, float8)
	IS 'functions that go with what the runs cost';

CREATE FUNCTION tested_key_by_key(watch watch, level text, before flamegraph[], after flamegraph[], of_sample float8)
	RETURNS SETOF tested_key
	LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_options CONSTANT jsonb := profiling.checked_options(watch);
	v_at CONSTANT int := cardinality(before) + 1;
BEGIN
	IF cardinality(before) < 2 OR (watch).method = 'welch' AND cardinality(after) < 2 THEN
		RETURN;
	ELSIF (watch).method = 'deviation' AND cardinality(after) = 1 THEN
		RETURN QUERY
		SELECT d.key, d.expected, d.actual, d.score, d.p_value, NULL::float8, NULL::float8, false, v_at
		FROM profiling.tested_by_deviation(before, after[1], tested_key_by_key.level, tested_key_by_key.of_sample,
			coalesce((v_options ->> 'min_std')::float8, 0), coalesce(v_options ->> 'zero_std', 'inf')) AS d;
	ELSE
		RETURN QUERY
		SELECT c.key, c.expected, c.actual, c.score, c.p_value, c.lower, c.upper, false, v_at
		FROM profiling.tested_by_welch(before, after, tested_key_by_key.level, tested_key_by_key.of_sample,
			(watch).alpha) AS c;
	END IF;
END
$$;
COMMENT ON FUNCTION tested_key_by_key(watch, text, flamegraph[], flamegraph[], float8)
	IS 'tested() by deviation and welch, where each key has a p-value of its own';

CREATE FUNCTION tested_jointly(watch watch, level text, before flamegraph[], after flamegraph[], alpha float8)
	RETURNS SETOF tested_key
	LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_min_df CONSTANT int := coalesce((profiling.checked_options(watch) ->> 'min_df')::int, 1);
	v_p CONSTANT float8 := profiling.hotelling_p(before, after, tested_jointly.level, tested_jointly.alpha, v_min_df);
BEGIN
	IF v_p <= tested_jointly.alpha THEN
		RETURN QUERY
		SELECT i.key, i.expected, i.actual, i.score, v_p, i.lower, i.upper, true, cardinality(before) + 1
		FROM profiling.tested_by_hotelling(before, after, tested_jointly.level, tested_jointly.alpha, v_min_df) AS i;
	END IF;
END
$$;
COMMENT ON FUNCTION tested_jointly(watch, text, flamegraph[], flamegraph[], float8)
	IS 'tested() by hotelling: all keys jointly, then those in which the runs differ';

CREATE FUNCTION tested_in_parts(watch watch, level text, before flamegraph[], after flamegraph[], of_sample float8,
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
		SELECT c.key, c.expected, c.actual, c.score, v_p, c.lower, c.upper, true, v_at
		FROM profiling.tested_by_parts((before || after)[v_from : v_at - 1], (before || after)[v_at : v_to],
			tested_in_parts.level,
			tested_in_parts.of_sample, (watch).alpha, coalesce((v_options ->> 'min_std')::float8, 0),
			coalesce(v_options ->> 'zero_std', 'inf')) AS c;
	END IF;
END
$$;
COMMENT ON FUNCTION tested_in_parts(watch, text, flamegraph[], flamegraph[], float8, float8)
	IS 'tested() by energy and change_point: whole profiles before and after, then the keys in which these two parts '
		'differ';

CREATE FUNCTION tested_by_cost(watch watch, level text, before flamegraph[], after flamegraph[], costs float8[],
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
		SELECT c.key, c.expected, c.actual, c.score, v_p, NULL::float8, NULL::float8, true, v_before + 1
		FROM profiling.tested_by_correlation(before, after, costs, tested_by_cost.level,
			coalesce(v_options ->> 'correlation', 'pearson'),
				coalesce((v_options ->> 'min_score')::float8, 0.8::float8)) AS c;
	END IF;
END
$$;
COMMENT ON FUNCTION tested_by_cost(watch, text, flamegraph[], flamegraph[], float8[], float8)
	IS 'tested() by correlation: the metrics, then the functions that go with them';

CREATE FUNCTION tested(watch watch, level text, before flamegraph[], after flamegraph[], costs float8[],
		of_sample float8, alpha float8)
	RETURNS SETOF tested_key
	LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_of_sample CONSTANT float8 := coalesce((profiling.checked_options(watch) ->> 'poisson_unit')::float8,
		tested.of_sample);
BEGIN
	CASE (watch).method
		WHEN 'deviation', 'welch' THEN
			RETURN QUERY SELECT * FROM profiling.tested_key_by_key(watch, tested.level, before, after, v_of_sample);
		WHEN 'hotelling' THEN
			RETURN QUERY SELECT * FROM profiling.tested_jointly(watch, tested.level, before, after, tested.alpha);
		WHEN 'energy', 'change_point' THEN
			RETURN QUERY SELECT * FROM profiling.tested_in_parts(watch, tested.level, before, after, v_of_sample,
				tested.alpha);
		WHEN 'correlation' THEN
			RETURN QUERY SELECT * FROM profiling.tested_by_cost(watch, tested.level, before, after, costs,
				tested.alpha);
	END CASE;
END
$$;
COMMENT ON FUNCTION tested(watch, text, flamegraph[], flamegraph[], float8[], float8, float8)
	IS 'what a watch row''s method says about every key of these run means; alpha: what the family has';

CREATE FUNCTION tested_family(watch watch, level text, with_metric bool, before means, after means, alpha float8,
		size float8)
	RETURNS TABLE (found_level text, tested tested_key)
	LANGUAGE plpgsql STABLE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	IF tested_family.level <> 'metric' THEN
		RETURN QUERY
		SELECT tested_family.level, t
		FROM profiling.tested(watch, tested_family.level, (before).fgs, (after).fgs, (before).costs || (after).costs,
			(after).of_sample, tested_family.alpha) AS t
		-- What cannot become a finding is not tested: with a share of min_share it is one, from half of that on it
		-- counts as a test.
		WHERE t.gated OR greatest(abs(t.actual), abs(t.expected)) >= (watch).min_share / 2 * tested_family.size;
	END IF;
	IF with_metric THEN
		RETURN QUERY
		SELECT 'metric', t
		FROM profiling.tested(watch, 'self'::text, profiling.metric_profiles((before).costs),
			profiling.metric_profiles((after).costs), NULL::float8[], 0::float8, tested_family.alpha) AS t;
	END IF;
END
$$;
COMMENT ON FUNCTION tested_family(watch, text, bool, means, means, float8, float8)
	IS 'what a watch row tests of some runs and those before them: the keys of its level that are large enough for '
		'the size of a profile, and with_metric the metric';

--
-- a finding: what regression says of it
--

CREATE TYPE finding AS (event text, unit text, branch text, first_test_run_id bigint, last_test_run_id bigint,
	method text, level text,
	subject stackpath, subject_id uuid, expected float8, actual float8, diff float8, relative float8, score float8,
	p_value float8, q_value float8, lower float8, upper float8, kind text, team text);
COMMENT ON TYPE finding IS 'a change that was found in a benchmark; the columns are those of regression';

CREATE FUNCTION subject_of(level text, key stackpath) RETURNS stackpath
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN subject_of.level = 'metric' THEN ''::stackpath ELSE subject_of.key END;
	END;
COMMENT ON FUNCTION subject_of(text, stackpath)
	IS 'what a finding is about: the key that was tested, nothing for the metric';

CREATE FUNCTION subject_id(subject stackpath) RETURNS uuid
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	BEGIN ATOMIC
		SELECT md5(subject::text)::uuid;
	END;
COMMENT ON FUNCTION subject_id(stackpath) IS 'what stands for a subject in the key of findings';

CREATE FUNCTION team_of(level text, subject stackpath, fg flamegraph) RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce((SELECT o.team FROM owner AS o
			WHERE team_of.subject ~ o.pattern
				-- A function is its owner's by where it is called, too: patterns match the stacks that lead to it.
				OR team_of.level IN ('frame', 'self') AND callers_of(team_of.fg, leaf(team_of.subject)) ~ o.pattern
			ORDER BY o.priority DESC, o.owner_id LIMIT 1), '');
	END;
COMMENT ON FUNCTION team_of(text, stackpath, flamegraph)
	IS 'the team whose pattern matches a finding: its subject, or for a function any stack of the profile that leads '
		'to it; the highest priority wins, then the lowest owner_id; empty for none';

CREATE FUNCTION with_team(finding finding, fg flamegraph) RETURNS finding
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	finding.team := profiling.team_of((finding).level, (finding).subject, fg);
	RETURN finding;
END
$$;
COMMENT ON FUNCTION with_team(finding, flamegraph)
	IS 'a finding with the team whose it is; fg: the profile it was found in, null for a model';

CREATE FUNCTION open_finding(benchmark_id bigint, finding finding, fg flamegraph) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	f CONSTANT profiling.finding := profiling.with_team(finding, fg);
	v_id bigint;
BEGIN
	-- What somebody has called a false positive stays one as long as it is the same change.
	IF EXISTS (SELECT FROM profiling.regression AS r WHERE r.benchmark_id = open_finding.benchmark_id
		AND r.event = f.event
			AND r.unit = f.unit AND r.branch = f.branch AND r.method = f.method AND r.level = f.level
			AND r.subject_id = f.subject_id AND r.kind = f.kind AND r.status = 'false_positive'
			AND abs(r.actual - f.actual) <= 0.5 * abs(r.diff)) THEN
		RETURN NULL;
	END IF;
	INSERT INTO profiling.regression AS r (benchmark_id, event, unit, branch, first_test_run_id, last_test_run_id,
		method, level,
		subject, subject_id, expected, actual, diff, relative, score, p_value, q_value, lower, upper, kind, team)
	SELECT open_finding.benchmark_id, f.*
	-- Open already: one row for as long as it lasts, which seen_again() brings up to date.
	ON CONFLICT (benchmark_id, event, unit, branch, method, level, subject_id)
		WHERE status IN ('open', 'acknowledged') DO NOTHING
	RETURNING r.regression_id INTO v_id;
	RETURN v_id;
END
$$;
COMMENT ON FUNCTION open_finding(bigint, finding, flamegraph)
	IS 'puts a finding into regression, with its team; null when it is open already or was called a false positive';


--
-- of nested findings the one that explains the others
--

CREATE FUNCTION change_of(key stackpath, level text, delta flamegraph) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
	BEGIN ATOMIC
		SELECT CASE WHEN change_of.level = 'frame' THEN frame_total(change_of.delta, leaf(change_of.key))
			ELSE total_at(change_of.delta, change_of.key) END;
	END;
COMMENT ON FUNCTION change_of(stackpath, text, flamegraph)
	IS 'by how much a function (level frame) or a calling context changed, with what it calls; delta: the difference '
		'of the profiles';

CREATE FUNCTION change_besides(key stackpath, keys stackpath[], level text, delta flamegraph) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN s.others IS NULL THEN s.change
			WHEN change_besides.level = 'frame' THEN
				-- what it has without stacks that go on to one of the others
				frame_total(exclude_stacks(change_besides.delta,
					('*;' || quoted_frame(leaf(change_besides.key)) || ';*;'
					|| (SELECT string_agg(quoted_frame(leaf(o.key)), '|'::text)
						FROM pg_catalog.unnest(s.others) AS o (key)) || ';*')::stackquery),
					leaf(change_besides.key))
			ELSE s.change - coalesce((SELECT sum(change_of(o.key, change_besides.level, change_besides.delta))
				FROM pg_catalog.unnest(s.others) AS o (key)
				WHERE NOT EXISTS (SELECT FROM pg_catalog.unnest(s.others) AS n (key) WHERE n.key <> o.key
					AND o.key <@ n.key)), 0::float8) END
		FROM (SELECT c.change, (SELECT pg_catalog.array_agg(k.key)
			FROM pg_catalog.unnest(change_besides.keys) AS k (key)
				WHERE k.key <> change_besides.key AND (change_besides.level = 'frame' OR k.key <@ change_besides.key)
					AND sign(change_of(k.key, change_besides.level, change_besides.delta)) = sign(c.change)) AS others
			FROM (SELECT change_of(change_besides.key, change_besides.level,
				change_besides.delta) AS change OFFSET 0) AS c OFFSET 0) AS s;
	END;
COMMENT ON FUNCTION change_besides(stackpath, stackpath[], text, flamegraph)
	IS 'what is left of the change of a function or a calling context when that of the others, further down the '
		'stacks and in the same direction, is taken away';

CREATE FUNCTION origins(keys stackpath[], level text, delta flamegraph, OUT origins stackpath[])
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
	v_key profiling.regression.subject%TYPE;
	v_diff float8;
	v_rest float8;
BEGIN
	origins := keys;
	IF level NOT IN ('frame', 'node') OR cardinality(keys) < 2 THEN
		RETURN;
	END IF;
	-- The largest first: where two contain each other, one has to stay.
	origins := ARRAY(SELECT k FROM unnest(keys) AS k ORDER BY abs(profiling.change_of(k, level, delta)) DESC, k);
	FOREACH v_key IN ARRAY origins LOOP
		v_diff := profiling.change_of(v_key, level, delta);
		v_rest := profiling.change_besides(v_key, origins, level, delta);
		IF abs(v_rest) < abs(v_diff) / 2 OR sign(v_rest) <> sign(v_diff) OR v_diff = 0 THEN
			origins := array_remove(origins, v_key);
		END IF;
	END LOOP;
END
$$;
COMMENT ON FUNCTION origins(stackpath[], text, flamegraph)
	IS 'of functions (level frame) or calling contexts (node) that changed, those whose change is not, by more than '
		'half, that of others further down the stacks; delta: the difference of the profiles';

CREATE FUNCTION mean_total(profiles flamegraph[]) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
	BEGIN ATOMIC
		SELECT avg(total(u.fg)) FROM pg_catalog.unnest(mean_total.profiles) AS u (fg);
	END;
COMMENT ON FUNCTION mean_total(flamegraph[]) IS 'the mean of the totals of some profiles';

-- Not IMMUTABLE: the planner would work it out for every family, and few of them ask for it.
CREATE FUNCTION change_between(before flamegraph[], after flamegraph[]) RETURNS flamegraph
	LANGUAGE sql STABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT (SELECT avg(u.fg) FROM pg_catalog.unnest(change_between.after) AS u (fg)) - (SELECT avg(u.fg)
			FROM pg_catalog.unnest(change_between.before) AS u (fg));
	END;
COMMENT ON FUNCTION change_between(flamegraph[], flamegraph[]) IS 'the mean of some profiles less that of others';


--
-- one family
--

CREATE FUNCTION significant(watch watch, level text, with_metric bool, before means, after means, families int)
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
		SELECT r.found_level, r.tested, r.p, least(1, families * CASE WHEN (r.tested).gated THEN r.p
			ELSE min(r.p * r.tests / r.place) OVER (ORDER BY r.place DESC ROWS UNBOUNDED PRECEDING) END) AS q
		FROM ranked AS r
	)
	SELECT a.found_level, a.tested, a.p, a.q
	FROM adjusted AS a CROSS JOIN LATERAL (SELECT (a.tested).expected, (a.tested).actual) AS v
	WHERE a.q <= (watch).alpha AND v.actual <> v.expected
		AND abs(v.actual - v.expected) >= (watch).min_effect * abs(v.expected)
		AND (a.found_level = 'metric' OR greatest(abs(v.actual), abs(v.expected)) >= (watch).min_share * v_size);
END
$$;
COMMENT ON FUNCTION significant(watch, text, bool, means, means, int)
	IS 'what differs in some runs from those before them, more than a watch row lets pass, by p adjusted for the '
		'tests of the family and the number of families';

CREATE FUNCTION finding_of(benchmark_id bigint, event text, unit text, branch text, method text, metric_unit text,
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
	RETURN f;
END
$$;
COMMENT ON FUNCTION finding_of(bigint, text, text, text, text, text, bigint[], float8[], text, tested_key, float8)
	IS 'a key that changed as a finding; ids: the runs before and those compared, with their costs; a metric in its '
		'own unit and direction';

CREATE FUNCTION found(watch watch, benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		families int DEFAULT 1)
	RETURNS SETOF finding
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_method CONSTANT text := (watch).method;
	v_level CONSTANT text := CASE WHEN v_method = 'correlation' AND (watch).level NOT IN ('frame', 'self') THEN 'frame'
		ELSE (watch).level END;
	v_runs record;
	v_last bigint;
	v_before profiling.means;
	v_after profiling.means;
	v_metric_unit text;
	v_with_metric bool;
BEGIN
	IF v_level = 'location' OR v_method IN ('integral', 'local_statistics') THEN
		RAISE EXCEPTION 'method % of watch row % cannot compare at level %', v_method, (watch).watch_id, v_level USING
			ERRCODE = 'invalid_parameter_value',
			HINT = 'Observations have level location and methods integral and local_statistics.';
	END IF;
	v_runs := profiling.compared_runs(watch, found.benchmark_id, found.event, found.unit, found.branch, found.run_ids);
	IF cardinality(v_runs.before_ids) < 2 THEN
		RETURN;
	END IF;
	v_last := v_runs.ids[cardinality(v_runs.ids)];
	v_before := profiling.run_means(found.benchmark_id, found.event, found.unit, v_runs.before_ids);
	v_after := profiling.run_means(found.benchmark_id, found.event, found.unit, v_runs.ids);
	v_metric_unit := profiling.metric_unit_of(found.benchmark_id, found.event, v_last, v_before, v_after);
	IF v_metric_unit IS NULL AND (v_method = 'correlation' OR v_level = 'metric') THEN
		RETURN;
	END IF;
	-- The metric is one more key of such a family, unless it has a row of its own.
	v_with_metric := v_level = 'metric' OR v_metric_unit IS NOT NULL AND v_method IN ('deviation', 'welch')
		AND NOT EXISTS (SELECT FROM profiling.watches_of(found.benchmark_id, found.event) AS o
			WHERE o.method = v_method AND o.level = 'metric');
	RETURN QUERY
	WITH significant AS MATERIALIZED (
		SELECT s.found_level AS level, (s.tested).key AS key, s.*
		FROM profiling.significant(watch, v_level, v_with_metric, v_before, v_after, greatest(found.families, 1)) AS s
	), origin AS (
		-- The difference of the profiles is worked out only when it is asked for.
		SELECT CASE WHEN count(*) > 1
			THEN profiling.origins(array_agg(g.key), v_level, profiling.change_between(v_before.fgs, v_after.fgs))
			ELSE array_agg(g.key) END AS keys
		FROM significant AS g WHERE g.level <> 'metric'
	)
	SELECT f.* FROM significant AS g
		CROSS JOIN LATERAL profiling.finding_of(found.benchmark_id, found.event, found.unit, found.branch, v_method,
			v_metric_unit,
			v_runs.before_ids || v_runs.ids, v_before.costs || v_after.costs, g.level, g.tested, g.q) AS f
	WHERE (g.level = 'metric' OR array_position((SELECT o.keys FROM origin AS o), g.key) IS NOT NULL)
		AND (watch).direction IN ('both', f.kind)
	ORDER BY g.level, g.p, abs((g.tested).score) DESC, g.key;
END
$$;
COMMENT ON FUNCTION found(watch, bigint, text, text, text, bigint[], int)
	IS 'the findings of one family, without their teams: these runs against their history by a watch row; families: '
		'how many there are tonight, which share alpha';


--
-- what is open: still there?
--

CREATE FUNCTION scored_again(benchmark_id bigint, regression_ids bigint[], before flamegraph[], current flamegraph,
		of_sample float8)
	RETURNS TABLE (regression_id bigint, actual float8, score float8, p_value float8)
	LANGUAGE sql STABLE ROWS 5
	BEGIN ATOMIC
		SELECT r.regression_id, d.actual, d.score, d.p_value
		FROM (SELECT r.level FROM regression AS r WHERE r.benchmark_id = scored_again.benchmark_id
			AND r.regression_id = scored_again.regression_ids[1]) AS g
			CROSS JOIN LATERAL (SELECT CASE WHEN g.level = 'metric' THEN 'self' ELSE g.level END AS level) AS l
			JOIN regression AS r ON r.benchmark_id = scored_again.benchmark_id
				AND r.regression_id = ANY (scored_again.regression_ids)
			LEFT JOIN tested_by_deviation(scored_again.before, scored_again.current, l.level, scored_again.of_sample,
				0::float8, 'inf'::text) AS d
				ON d.key = CASE WHEN r.level = 'metric' THEN 'metric'::stackpath ELSE r.subject END;
	END;
COMMENT ON FUNCTION scored_again(bigint, bigint[], flamegraph[], flamegraph, float8)
	IS 'how much the subjects of some findings of one level deviate in a run from runs before';

CREATE FUNCTION seen_again(benchmark_id bigint, event text, unit text, branch text, test_run_id bigint)
	RETURNS TABLE (regression_id bigint, is_there bool, actual float8, score float8)
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	g record;
	v_before record;
	v_after CONSTANT record := profiling.run_means(seen_again.benchmark_id, seen_again.event, seen_again.unit,
		ARRAY[seen_again.test_run_id]);
	v_higher CONSTANT bool := (SELECT b.metric_direction = 'higher' FROM profiling.benchmark AS b
		WHERE b.benchmark_id = seen_again.benchmark_id);
BEGIN
	FOR g IN
		SELECT r.first_test_run_id, r.level, array_agg(r.regression_id) AS ids
		FROM profiling.regression AS r
		WHERE r.benchmark_id = seen_again.benchmark_id AND r.event = seen_again.event AND r.branch = seen_again.branch
			AND r.unit = CASE r.level WHEN 'metric' THEN v_after.metric_unit ELSE seen_again.unit END
			AND r.status IN ('open', 'acknowledged') AND r.level <> 'location'
		GROUP BY 1, 2
	LOOP
		v_before := profiling.run_means(seen_again.benchmark_id, seen_again.event, seen_again.unit,
			profiling.runs_before(seen_again.benchmark_id, seen_again.event, seen_again.unit, seen_again.branch,
				g.first_test_run_id, 'window:10'::text));
		RETURN QUERY
		SELECT r.regression_id, coalesce(
				sign(s.sign * coalesce(d.actual, 0) - r.expected) = sign(r.diff)
				AND abs(s.sign * coalesce(d.actual, 0) - r.expected) >= 0.5 * w.min_effect * abs(r.expected)
				-- The runs before may be gone, or have had it too, if it was found late: then half of what the finding
				-- was last.
				AND (coalesce(d.p_value <= 0.05, false) OR abs(s.sign * coalesce(d.actual,
					0) - r.expected) >= 0.5 * abs(r.diff)), false),
			s.sign * coalesce(d.actual, 0), s.sign * d.score
		FROM profiling.regression AS r
			CROSS JOIN LATERAL (SELECT CASE WHEN r.level = 'metric' AND v_higher THEN -1 ELSE 1 END AS sign) AS s
			CROSS JOIN LATERAL (SELECT coalesce((SELECT max(o.min_effect)
				FROM profiling.watches_of(r.benchmark_id, r.event) AS o WHERE o.method = r.method),
				0) AS min_effect) AS w
			JOIN profiling.scored_again(seen_again.benchmark_id, g.ids,
				CASE g.level WHEN 'metric' THEN profiling.metric_profiles(v_before.costs) ELSE v_before.fgs END,
				CASE g.level WHEN 'metric' THEN profiling.metric_profile(v_after.costs[1]) ELSE v_after.fgs[1] END,
				CASE g.level WHEN 'metric' THEN 0::float8 ELSE v_after.of_sample END) AS d
					ON d.regression_id = r.regression_id
		WHERE r.benchmark_id = seen_again.benchmark_id AND r.regression_id = ANY (g.ids)
			-- a run without a metric says nothing about it
			AND (r.level <> 'metric' OR v_after.costs[1] IS NOT NULL);
	END LOOP;
END
$$;
COMMENT ON FUNCTION seen_again(bigint, text, text, text, bigint)
	IS 'for each open finding of a branch whether a run still has it: it differs from what was expected in the same '
		'direction, by at least half of min_effect, and from the 10 runs before the finding''s first one (p <= 0.05) '
		'or by half of what it did last';

--
-- observations: performance models
--

CREATE FUNCTION fit_run(benchmark_id bigint, test_run_id bigint) RETURNS int
	LANGUAGE sql
	BEGIN ATOMIC
		WITH fitted AS (
			INSERT INTO fitted_model (benchmark_id, test_run_id, location, kind, unit, model, r_square)
			SELECT fit_run.benchmark_id, fit_run.test_run_id, p.location, kind(f.model), p.unit, f.model,
				r_square(f.model)
			FROM (SELECT o.location, o.unit, pg_catalog.array_agg(o.x ORDER BY o.observation_id) AS xs,
				pg_catalog.array_agg(o.y ORDER BY o.observation_id) AS ys
					FROM observation AS o
					WHERE o.benchmark_id = fit_run.benchmark_id AND o.test_run_id = fit_run.test_run_id
					GROUP BY o.location, o.unit HAVING pg_catalog.count(DISTINCT o.x) >= 3) AS p,
				LATERAL (VALUES (fit(p.xs, p.ys, 'parametric_regression'::text, '{}'::jsonb)),
					(fit(p.xs, p.ys, 'regressogram'::text, '{}'::jsonb)),
					(fit(p.xs, p.ys, 'moving_average'::text, '{}'::jsonb)),
						(fit(p.xs, p.ys, 'kernel_regression'::text, '{}'::jsonb))) AS f (model)
			WHERE f.model IS NOT NULL
			ON CONFLICT DO NOTHING
			RETURNING 1
		)
		SELECT count(*)::int FROM fitted;
	END;
COMMENT ON FUNCTION fit_run(bigint, bigint)
	IS 'fits the models of a run''s observations, for every location with three or more different x: the best '
		'formula, a regressogram, a moving average and a kernel regression; returns how many are new';

CREATE FUNCTION unfitted_runs(benchmark_id bigint) RETURNS bigint[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(t.test_run_id ORDER BY t.started_at, t.test_run_id), '{}'::bigint[])
		FROM test_run AS t
		WHERE has_begun(t.started_at) AND t.test_run_id IN (
			SELECT o.test_run_id FROM observation AS o
			WHERE o.benchmark_id = unfitted_runs.benchmark_id
				AND NOT EXISTS (SELECT FROM fitted_model AS m
					WHERE m.benchmark_id = unfitted_runs.benchmark_id AND m.test_run_id = o.test_run_id)
			GROUP BY o.test_run_id, o.location, o.unit HAVING pg_catalog.count(DISTINCT o.x) >= 3);
	END;
COMMENT ON FUNCTION unfitted_runs(bigint) IS 'runs that fit_run() can fit models to and has not yet, oldest first';

CREATE FUNCTION models_before(benchmark_id bigint, branch text, test_run_id bigint,
		baseline text DEFAULT 'window:10') RETURNS bigint
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT t.test_run_id
		FROM test_run AS t, test_run AS n
		WHERE n.test_run_id = models_before.test_run_id AND (t.started_at, t.test_run_id) < (n.started_at,
			n.test_run_id) AND has_begun(t.started_at)
			AND EXISTS (SELECT FROM fitted_model AS m WHERE m.benchmark_id = models_before.benchmark_id
				AND m.test_run_id = t.test_run_id)
			AND CASE
				WHEN models_before.baseline LIKE 'window:%' THEN t.branch = models_before.branch
				WHEN models_before.baseline LIKE 'branch:%' THEN t.branch = substr(models_before.baseline, 8)
				WHEN models_before.baseline LIKE 'commit:%' THEN starts_with(t.commit,
					substr(models_before.baseline, 8))
				ELSE t.version = substr(models_before.baseline, 9) END
		ORDER BY t.started_at DESC, t.test_run_id DESC LIMIT 1;
	END;
COMMENT ON FUNCTION models_before(bigint, text, bigint, text)
	IS 'the newest run with models that a baseline names, before a run';

CREATE FUNCTION found_in_models(watch watch, benchmark_id bigint, branch text, test_run_id bigint,
		before_run_id bigint DEFAULT NULL)
	RETURNS SETOF finding
	LANGUAGE sql STABLE ROWS 5
	BEGIN ATOMIC
		SELECT ''::text, m.unit, found_in_models.branch, found_in_models.test_run_id, found_in_models.test_run_id,
			(found_in_models.watch).method, 'location'::text, s.subject, subject_id(s.subject),
			c.expected, c.actual, c.actual - c.expected, c.relative_error, c.confidence,
			NULL::float8, NULL::float8, NULL::float8, NULL::float8, c.result, NULL::text
		FROM fitted_model AS m
			CROSS JOIN LATERAL (SELECT stackpath(ARRAY[m.location]) AS subject) AS s
			JOIN fitted_model AS b ON b.benchmark_id = m.benchmark_id AND b.location = m.location AND b.unit = m.unit
				AND b.kind = m.kind AND b.test_run_id = coalesce(found_in_models.before_run_id,
					models_before(found_in_models.benchmark_id, found_in_models.branch, found_in_models.test_run_id,
						(found_in_models.watch).baseline)),
			LATERAL (
				SELECT i.result, i.relative_error, i.confidence, i.baseline_integral AS expected,
					i.target_integral AS actual
				FROM integral_comparison(b.model, m.model, 0.1::float8, 0.25::float8) AS i
				WHERE (found_in_models.watch).method = 'integral'
				UNION ALL
				SELECT l.result, l.relative_error, l.confidence, i.baseline_integral, i.target_integral
				FROM local_statistics(b.model, m.model, 1000, 0.05::float8, 2, 0.1::float8, 0.25::float8) AS l,
					integral_comparison(b.model, m.model, 0.1::float8, 0.25::float8) AS i
				WHERE (found_in_models.watch).method = 'local_statistics'
			) AS c
		WHERE m.benchmark_id = found_in_models.benchmark_id AND m.test_run_id = found_in_models.test_run_id
			AND m.kind = coalesce(checked_options(found_in_models.watch) ->> 'model'::text, 'regressogram'::text)
			AND c.result IN ('degradation', 'optimization')
				AND abs(c.relative_error) >= (found_in_models.watch).min_effect
			AND (found_in_models.watch).direction IN ('both', c.result)
		ORDER BY abs(c.relative_error) DESC, m.location COLLATE "C";
	END;
COMMENT ON FUNCTION found_in_models(watch, bigint, text, bigint, bigint)
	IS 'locations whose fitted model differs from that of the baseline, by integral or local_statistics: thresholds '
		'and no test, so there is no p_value; expected and actual are integrals of the models, score is the '
		'confidence; without their teams';

CREATE FUNCTION open_locations(benchmark_id bigint, branch text, method text, test_run_id bigint)
	RETURNS TABLE (regression_id bigint, first_test_run_id bigint, subject_id uuid, unit text, kind text)
	LANGUAGE sql STABLE ROWS 5
	BEGIN ATOMIC
		SELECT r.regression_id, r.first_test_run_id, r.subject_id, r.unit, r.kind
		FROM regression AS r
		WHERE r.benchmark_id = open_locations.benchmark_id AND r.branch = open_locations.branch
			AND r.method = open_locations.method
			AND r.level = 'location' AND r.status IN ('open', 'acknowledged')
			AND EXISTS (SELECT FROM fitted_model AS m WHERE m.benchmark_id = open_locations.benchmark_id
				AND m.test_run_id = open_locations.test_run_id
				AND m.unit = r.unit AND m.location = leaf(r.subject));
	END;
COMMENT ON FUNCTION open_locations(bigint, text, text, bigint)
	IS 'open findings in models of a branch, for locations that a run has models of';

--
-- one benchmark
--

CREATE FUNCTION new_runs(benchmark_id bigint) RETURNS TABLE (event text, unit text, branch text, run_ids bigint[],
		checked_ids bigint[], repetitions int[], is_newest bool)
	LANGUAGE sql STABLE ROWS 3
	BEGIN ATOMIC
		SELECT g.event, g.unit, g.branch,
			-- Where there is no history yet, the newest run is compared with the others.
			CASE WHEN g.checked >= 2 OR g.n = 1 THEN g.ids ELSE g.ids[g.n - g.newest + 1 :] END,
			g.ids, g.repetitions, g.is_newest
		FROM (SELECT u.event, u.unit, u.branch, u.ids, u.repetitions, pg_catalog.cardinality(u.ids) AS n, c.checked,
				CASE WHEN pg_catalog.cardinality(u.ids) + c.checked - u.of_newest >= 2 THEN u.of_newest
					ELSE 1 END AS newest,
				NOT coalesce(c.last > u.last, false) AS is_newest
			FROM (SELECT r.event, r.unit, r.branch, pg_catalog.array_agg(r.test_run_id ORDER BY r.started_at,
				r.test_run_id) AS ids,
						pg_catalog.array_agg(r.repetitions ORDER BY r.started_at, r.test_run_id) AS repetitions,
							max(r.started_at) AS last,
						-- how many of the newest executable
						(count(*) FILTER (WHERE (t.commit, t.version) = (n.commit, n.version)))::int AS of_newest
					FROM rollup AS r JOIN test_run AS t ON t.test_run_id = r.test_run_id
						CROSS JOIN LATERAL (SELECT v.commit, v.version
							FROM rollup AS o JOIN test_run AS v ON v.test_run_id = o.test_run_id
							WHERE o.benchmark_id = r.benchmark_id AND o.event = r.event AND o.unit = r.unit
								AND o.branch = r.branch
								AND o.checked_at IS NULL AND o.span = 'run' AND has_begun(o.started_at)
							ORDER BY o.started_at DESC, o.test_run_id DESC LIMIT 1) AS n
					WHERE r.benchmark_id = new_runs.benchmark_id AND r.checked_at IS NULL AND r.span = 'run'
						AND has_begun(r.started_at)
					GROUP BY r.event, r.unit, r.branch) AS u
				CROSS JOIN LATERAL (SELECT count(*)::int AS checked, max(r.started_at) AS last FROM rollup AS r
					WHERE r.benchmark_id = new_runs.benchmark_id AND r.event = u.event AND r.unit = u.unit
						AND r.branch = u.branch
						AND r.checked_at IS NOT NULL AND r.span = 'run' AND has_begun(r.started_at)) AS c) AS g
		ORDER BY g.event COLLATE "C", g.unit COLLATE "C", g.branch COLLATE "C";
	END;
COMMENT ON FUNCTION new_runs(bigint)
	IS 'runs that were not compared yet and have begun, per event, unit and branch; run_ids: those to compare (all, '
		'or without a history those of the newest executable, or the newest); is_newest: false when a newer run was '
		'compared already';

CREATE FUNCTION families_of(benchmark_id bigint) RETURNS int
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT count(*)::int FROM new_runs(families_of.benchmark_id) AS n,
			watches_of(families_of.benchmark_id, n.event) AS w
		WHERE w.method NOT IN ('integral', 'local_statistics');
	END;
COMMENT ON FUNCTION families_of(bigint) IS 'how many families of tests the new runs of a benchmark are';

CREATE TYPE changes AS (opened int, updated int, closed int, ids bigint[]);
COMMENT ON TYPE changes IS 'what became of the findings of a benchmark tonight; ids: those that were opened or closed';

CREATE FUNCTION opened(so_far changes, benchmark_id bigint, finding finding, fg flamegraph) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_id CONSTANT bigint := profiling.open_finding(opened.benchmark_id, opened.finding, opened.fg);
BEGIN
	IF v_id IS NOT NULL THEN
		so_far.opened := so_far.opened + 1;
		so_far.ids := so_far.ids || v_id;
	END IF;
	RETURN so_far;
END
$$;
COMMENT ON FUNCTION opened(changes, bigint, finding, flamegraph) IS 'open_finding(), counted';

CREATE FUNCTION resolved(so_far changes, benchmark_id bigint, regression_id bigint) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	UPDATE profiling.regression AS r SET status = 'resolved', closed_at = now()
	WHERE r.benchmark_id = resolved.benchmark_id AND r.regression_id = resolved.regression_id;
	so_far.closed := so_far.closed + 1;
	so_far.ids := so_far.ids || resolved.regression_id;
	RETURN so_far;
END
$$;
COMMENT ON FUNCTION resolved(changes, bigint, bigint) IS 'closes a finding that is not there any more, counted';

CREATE FUNCTION watch_group(so_far changes, benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		families int)
	RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_run CONSTANT bigint := run_ids[cardinality(run_ids)];
	w profiling.watch;
	f profiling.finding;
	s record;
	v_fg profiling.rollup.flamegraph%TYPE;
BEGIN
	SELECT profiling.summed(r.flamegraph, r.benchmark_id, r.pending) INTO v_fg FROM profiling.rollup AS r
	WHERE r.benchmark_id = watch_group.benchmark_id AND r.event = watch_group.event AND r.unit = watch_group.unit
		AND r.branch = watch_group.branch AND r.test_run_id = v_run;
	-- Before anything is closed: what ends tonight shall not be opened as its opposite.
	FOR w IN SELECT * FROM profiling.watches_of(watch_group.benchmark_id, watch_group.event) AS o
		WHERE o.method NOT IN ('integral', 'local_statistics')
	LOOP
		FOR f IN SELECT * FROM profiling.found(w, watch_group.benchmark_id, watch_group.event, watch_group.unit,
			watch_group.branch, watch_group.run_ids, watch_group.families)
		LOOP
			so_far := profiling.opened(so_far, watch_group.benchmark_id, f, v_fg);
		END LOOP;
	END LOOP;
	FOR s IN SELECT a.* FROM profiling.seen_again(watch_group.benchmark_id, watch_group.event, watch_group.unit,
			watch_group.branch, v_run) AS a
		WHERE a.regression_id <> ALL (so_far.ids)
	LOOP
		IF s.is_there THEN
			UPDATE profiling.regression AS r SET last_test_run_id = v_run, actual = s.actual,
				diff = s.actual - r.expected,
				relative = profiling.ratio(s.actual - r.expected, abs(r.expected)), score = s.score
			WHERE r.benchmark_id = watch_group.benchmark_id AND r.regression_id = s.regression_id;
			so_far.updated := so_far.updated + 1;
		ELSE
			so_far := profiling.resolved(so_far, watch_group.benchmark_id, s.regression_id);
		END IF;
	END LOOP;
	RETURN so_far;
END
$$;
COMMENT ON FUNCTION watch_group(changes, bigint, text, text, text, bigint[], int)
	IS 'compares the new runs of one event, unit and branch with history: opens, updates and closes findings';

CREATE FUNCTION watch_locations(so_far changes, watch watch, benchmark_id bigint, branch text,
		test_run_id bigint) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	o record;
	f profiling.finding;
	v_none CONSTANT profiling.rollup.flamegraph%TYPE := NULL;
BEGIN
	-- Open ones are compared with what was before them.
	FOR o IN SELECT * FROM profiling.open_locations(watch_locations.benchmark_id, watch_locations.branch,
		(watch).method,
		watch_locations.test_run_id)
	LOOP
		UPDATE profiling.regression AS r SET last_test_run_id = watch_locations.test_run_id, actual = c.actual,
			diff = c.diff,
			relative = c.relative, score = c.score
		FROM profiling.found_in_models(watch, watch_locations.benchmark_id, watch_locations.branch,
			watch_locations.test_run_id,
			profiling.models_before(watch_locations.benchmark_id, watch_locations.branch, o.first_test_run_id,
				(watch).baseline)) AS c
		WHERE r.benchmark_id = watch_locations.benchmark_id AND r.regression_id = o.regression_id
			AND c.subject_id = o.subject_id AND c.unit = o.unit AND c.kind = o.kind;
		IF FOUND THEN
			so_far.updated := so_far.updated + 1;
		ELSE
			so_far := profiling.resolved(so_far, watch_locations.benchmark_id, o.regression_id);
		END IF;
	END LOOP;
	FOR f IN SELECT * FROM profiling.found_in_models(watch, watch_locations.benchmark_id, watch_locations.branch,
			watch_locations.test_run_id, NULL::bigint) AS c
		-- back to what was before a finding that ends with this run
		WHERE NOT EXISTS (SELECT FROM profiling.regression AS r
			WHERE r.benchmark_id = watch_locations.benchmark_id AND r.regression_id = ANY (so_far.ids)
				AND r.method = c.method
				AND r.status = 'resolved' AND r.level = 'location' AND r.subject_id = c.subject_id AND r.unit = c.unit
				AND r.branch = c.branch)
	LOOP
		so_far := profiling.opened(so_far, watch_locations.benchmark_id, f, v_none);
	END LOOP;
	RETURN so_far;
END
$$;
COMMENT ON FUNCTION watch_locations(changes, watch, bigint, text, bigint)
	IS 'compares the models of a run with those before it by a watch row: opens, updates and closes findings';

CREATE FUNCTION watch_models(so_far changes, benchmark_id bigint, test_run_id bigint) RETURNS changes
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_branch CONSTANT text := (SELECT t.branch FROM profiling.test_run AS t
		WHERE t.test_run_id = watch_models.test_run_id);
	w profiling.watch;
BEGIN
	PERFORM profiling.fit_run(watch_models.benchmark_id, watch_models.test_run_id);
	FOR w IN SELECT * FROM profiling.watches_of(watch_models.benchmark_id, ''::text) AS o
		WHERE o.method IN ('integral', 'local_statistics')
	LOOP
		so_far := profiling.watch_locations(so_far, w, watch_models.benchmark_id, v_branch, watch_models.test_run_id);
	END LOOP;
	RETURN so_far;
END
$$;
COMMENT ON FUNCTION watch_models(changes, bigint, bigint)
	IS 'fits the models of a run and compares them with those before';

--
-- what was compared, for those who ask for a verdict
--

CREATE FUNCTION metric_left_out(benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		before_ids bigint[]) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_last CONSTANT bigint := run_ids[cardinality(run_ids)];
	n record;
	b record;
BEGIN
	SELECT r.metric_count > 0 AS has_one, r.metric_unit AS unit,
		-- of several events one has it
		r.metric_count = 0 OR metric_left_out.event = (SELECT o.event FROM profiling.rollup AS o
			WHERE o.benchmark_id = r.benchmark_id AND o.test_run_id = v_last AND o.metric_count > 0
			ORDER BY o.event <> 'cpu', o.event COLLATE "C", o.unit COLLATE "C" LIMIT 1) AS is_here
	INTO n FROM profiling.rollup AS r
	WHERE r.benchmark_id = metric_left_out.benchmark_id AND r.event = metric_left_out.event
		AND r.unit = metric_left_out.unit AND r.branch = metric_left_out.branch AND r.test_run_id = v_last;
	-- A run before it that was not compared for its metric makes several units, too.
	SELECT count(*) FILTER (WHERE r.metric_count > 0) AS metrics,
		coalesce((array_agg(r.metric_count > 0 ORDER BY u.n DESC))[1], false) AS last_has_one,
		string_agg(DISTINCT format('"%s"', r.metric_unit), ', ') FILTER (WHERE r.metric_count > 0) AS units
	INTO b FROM unnest(before_ids || metric_left_out.run_ids[:cardinality(metric_left_out.run_ids) - 1])
			WITH ORDINALITY AS u (id, n)
		JOIN profiling.rollup AS r ON r.benchmark_id = metric_left_out.benchmark_id
			AND r.event = metric_left_out.event AND r.unit = metric_left_out.unit AND r.test_run_id = u.id
			AND r.span = 'run';
	RETURN CASE WHEN b.metrics < 1 OR NOT n.is_here THEN NULL
		WHEN NOT n.has_one AND b.last_has_one THEN 'it has no metric, and the run before it has one'
		WHEN n.has_one AND b.units <> format('"%s"', n.unit)
			THEN format('its metric is in "%s", those of the runs before it are in %s', n.unit, b.units) END;
END
$$;
COMMENT ON FUNCTION metric_left_out(bigint, text, text, text, bigint[], bigint[])
	IS 'why the metric of new runs cannot be compared with the runs before them, though these have one; else null';

CREATE FUNCTION needed_before(watch watch, of_new int, families int) RETURNS int
	LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_least CONSTANT float8 := (watch).alpha / greatest(families, 1);
	v_recent CONSTANT int := greatest(of_new, profiling.recent_runs(watch));
	v_segment CONSTANT int := coalesce((profiling.checked_options(watch) ->> 'min_segment')::int, 5);
	v_all int := CASE (watch).method WHEN 'change_point' THEN 2 * v_segment ELSE 2 + v_recent END;
	v_part int;
BEGIN
	IF (watch).method NOT IN ('energy', 'change_point') THEN
		-- The deviation of two runs has one degree of freedom: at the alpha of a night not even ten times as many
		-- samples stand out, so that nothing was found says nothing.
		RETURN CASE (watch).method WHEN 'deviation' THEN 3 ELSE 2 END;
	END IF;
	-- The p-value of a permutation test is at least one over the number of ways to make two groups of these sizes; two
	-- of the same size may change places. A thousand runs are more than there will be.
	LOOP
		v_part := CASE (watch).method WHEN 'change_point' THEN v_all / 2 ELSE v_recent END;
		EXIT WHEN v_all >= 1000
			OR (SELECT sum(ln((v_all - v_part + i)::float8 / i)) FROM generate_series(1, v_part) AS i)
			- CASE WHEN (watch).method = 'change_point' OR v_all = 2 * v_part THEN ln(2::float8) ELSE 0 END
			>= - ln(v_least) - 1e-9;
		v_all := v_all + 1;
	END LOOP;
	RETURN v_all - CASE (watch).method WHEN 'change_point' THEN of_new ELSE v_recent END;
END
$$;
COMMENT ON FUNCTION needed_before(watch, int, int)
	IS 'how many runs a watch row must have before new ones to be able to find anything: 2, 3 for deviations, or as '
		'many as a permutation test needs for a p-value of alpha';

CREATE FUNCTION history_of(watch watch, benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
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
	SELECT count(*) INTO v_n FROM profiling.rollup AS r
	WHERE r.benchmark_id = history_of.benchmark_id AND r.event = history_of.event AND r.unit = history_of.unit
		AND r.span = 'run' AND r.test_run_id = ANY (before_ids) AND (r.metric_count > 0 OR NOT v_metric);
	lacks := greatest(0, v_needed - v_n);
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
COMMENT ON FUNCTION history_of(watch, bigint, text, text, text, bigint[], int)
	IS 'the runs that a watch row compares new runs with, how many it lacks, and that in words';

CREATE FUNCTION other_unit(benchmark_id bigint, event text, unit text, branch text, test_run_id bigint) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN (SELECT format('the unit of the profiles is "%s", that of the runs before it "%s"', other_unit.unit, o.unit)
		FROM profiling.rollup AS o JOIN profiling.test_run AS n ON n.test_run_id = other_unit.test_run_id
		WHERE o.benchmark_id = other_unit.benchmark_id AND o.event = other_unit.event AND o.unit <> other_unit.unit
			AND o.branch = other_unit.branch AND o.span = 'run'
			AND (o.started_at, o.test_run_id) < (n.started_at, n.test_run_id)
		ORDER BY o.started_at DESC, o.test_run_id DESC, o.unit COLLATE "C" LIMIT 1);
END
$$;
COMMENT ON FUNCTION other_unit(bigint, text, text, text, bigint)
	IS 'words about runs before a run whose profiles of the same event have another unit; null when there are none';

CREATE FUNCTION comparison_of(benchmark_id bigint, event text, unit text, branch text, run_ids bigint[], families int,
		OUT compared_with int, OUT not_compared text)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	w profiling.watch;
	h record;
	v_least int;
	v_before bigint[];
	v_metric bool := false;
BEGIN
	not_compared := 'no watch row is in force for it';
	FOR w IN SELECT o.* FROM profiling.watches_of(comparison_of.benchmark_id, comparison_of.event) AS o
		WHERE o.method NOT IN ('integral', 'local_statistics')
	LOOP
		v_metric := v_metric OR w.method IN ('deviation', 'welch', 'correlation') OR w.level = 'metric';
		h := profiling.history_of(w, comparison_of.benchmark_id, comparison_of.event, comparison_of.unit,
			comparison_of.branch, run_ids, families);
		IF h.lacks = 0 AND cardinality(h.before_ids) > coalesce(compared_with, 0) THEN
			compared_with := cardinality(h.before_ids);
			v_before := h.before_ids;
		ELSIF h.lacks > 0 AND (v_least IS NULL OR h.lacks < v_least) THEN
			v_least := h.lacks;
			not_compared := h.words;
		END IF;
	END LOOP;
	IF compared_with IS NOT NULL THEN
		not_compared := CASE WHEN v_metric THEN profiling.metric_left_out(comparison_of.benchmark_id,
			comparison_of.event, comparison_of.unit, comparison_of.branch, run_ids, v_before) END;
	ELSIF v_least IS NOT NULL THEN
		not_compared := coalesce(profiling.other_unit(comparison_of.benchmark_id, comparison_of.event,
			comparison_of.unit, comparison_of.branch, run_ids[1]), not_compared);
	END IF;
END
$$;
COMMENT ON FUNCTION comparison_of(bigint, text, text, text, bigint[], int)
	IS 'with how many earlier runs the watch rows in force compare new runs, null for none; what is left out, and why';

CREATE FUNCTION mark_checked(benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		checked_ids bigint[], repetitions int[], is_newest bool, families int) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	c CONSTANT record := profiling.comparison_of(mark_checked.benchmark_id, mark_checked.event, mark_checked.unit,
		mark_checked.branch, mark_checked.run_ids, families);
BEGIN
	UPDATE profiling.rollup AS r SET checked_at = now(),
		compared_with = CASE WHEN NOT is_newest THEN r.compared_with WHEN u.is_compared THEN c.compared_with END,
		compared_since = CASE WHEN NOT is_newest THEN r.compared_since
			WHEN u.is_compared AND c.compared_with IS NOT NULL THEN mark_checked.run_ids[1] END,
		-- A late repetition changes nothing about what a run was compared with when it was new.
		not_compared = CASE WHEN NOT is_newest AND r.compared_with IS NULL
				THEN coalesce(r.not_compared, 'a newer run was compared before it was loaded')
			WHEN NOT is_newest THEN r.not_compared
			WHEN NOT u.is_compared THEN 'it is one of the first runs: later ones are compared with it'
			ELSE c.not_compared END
	FROM (SELECT o.test_run_id, o.repetitions, o.test_run_id = ANY (mark_checked.run_ids) AS is_compared
		FROM unnest(checked_ids, mark_checked.repetitions) AS o (test_run_id, repetitions)) AS u
	WHERE r.benchmark_id = mark_checked.benchmark_id AND r.event = mark_checked.event AND r.unit = mark_checked.unit
		AND r.branch = mark_checked.branch AND r.test_run_id = u.test_run_id
		-- A repetition that came meanwhile is looked at the next time.
		AND r.repetitions = u.repetitions;
END
$$;
COMMENT ON FUNCTION mark_checked(bigint, text, text, text, bigint[], bigint[], int[], bool, int)
	IS 'writes into the rollups of new runs that the night has looked at them, and with what they were compared; the '
		'arguments are a row of new_runs()';

CREATE FUNCTION watch_benchmark(benchmark_id bigint, families int DEFAULT NULL, OUT runs int, OUT opened int,
		OUT updated int, OUT closed int)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_id CONSTANT bigint := watch_benchmark.benchmark_id;
	v_families int := watch_benchmark.families;
	v_done profiling.changes := ROW(0, 0, 0, '{}'::bigint[]);
	g record;
	v_run bigint;
	v_newest bigint;
BEGIN
	PERFORM profiling.need_access('watch_benchmark'::text, 'admin'::text);
	PERFORM profiling.keep_corrections_out();
	-- Somebody else is at it; what is new is seen by that session, or the next time.
	IF NOT pg_try_advisory_xact_lock(hashtextextended('flamegraph_store watch', v_id)) THEN
		opened := 0;
		updated := 0;
		closed := 0;
		RETURN;
	END IF;
	runs := 0;
	v_families := coalesce(v_families, profiling.families_of(v_id));
	PERFORM profiling.fold_rollups(v_id, NULL::bigint);

	FOR g IN SELECT * FROM profiling.new_runs(v_id) LOOP
		runs := runs + cardinality(g.checked_ids);
		IF g.is_newest THEN
			v_newest := g.run_ids[cardinality(g.run_ids)];
			v_done := profiling.watch_group(v_done, v_id, g.event, g.unit, g.branch, g.run_ids, v_families);
		END IF;
		PERFORM profiling.mark_checked(v_id, g.event, g.unit, g.branch, g.run_ids, g.checked_ids, g.repetitions,
			g.is_newest, v_families);
	END LOOP;
	FOREACH v_run IN ARRAY profiling.unfitted_runs(v_id) LOOP
		runs := runs + 1;
		v_newest := v_run;
		v_done := profiling.watch_models(v_done, v_id, v_run);
	END LOOP;

	opened := v_done.opened;
	updated := v_done.updated;
	closed := v_done.closed;
	IF opened + closed > 0 THEN
		PERFORM pg_notify('profiling_regression', json_build_object('benchmark_id', v_id, 'test_run_id', v_newest,
			'opened', opened, 'closed', closed, 'regression_ids', v_done.ids[:50])::text);
	END IF;
END
$$;
COMMENT ON FUNCTION watch_benchmark(bigint, int)
	IS 'compares the new runs of a benchmark with history by its watch rows, opens, updates and closes findings and '
		'sends one NOTIFY profiling_regression with ids; returns how many runs were looked at (null: another session '
		'is at it) and what became of findings; families: how many families of tests there are tonight, by default '
		'those of this benchmark';

CREATE FUNCTION detect(benchmark_id bigint, test_run_id bigint DEFAULT NULL) RETURNS SETOF finding
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
	SELECT count(*) INTO v_families FROM profiling.rollup AS r, profiling.watches_of(r.benchmark_id, r.event) AS w
	WHERE r.benchmark_id = detect.benchmark_id AND r.test_run_id = v_run AND r.span = 'run'
		AND w.method NOT IN ('integral', 'local_statistics');
	RETURN QUERY
	SELECT d.*
	FROM profiling.rollup AS r, profiling.watches_of(r.benchmark_id, r.event) AS w,
		LATERAL profiling.found(w, r.benchmark_id, r.event, r.unit, r.branch, ARRAY[v_run], v_families) AS f,
		LATERAL profiling.with_team(f, profiling.summed(r.flamegraph, r.benchmark_id, r.pending)) AS d
	WHERE r.benchmark_id = detect.benchmark_id AND r.test_run_id = v_run AND r.span = 'run'
		AND w.method NOT IN ('integral', 'local_statistics')
	UNION ALL
	SELECT d.*
	FROM profiling.test_run AS t, profiling.watches_of(detect.benchmark_id, ''::text) AS w,
		LATERAL profiling.found_in_models(w, detect.benchmark_id, t.branch, v_run, NULL::bigint) AS f,
		LATERAL profiling.with_team(f, v_none) AS d
	WHERE t.test_run_id = v_run AND w.method IN ('integral', 'local_statistics');
END
$$;
COMMENT ON FUNCTION detect(bigint, bigint)
	IS 'what the nightly comparison finds in one run (by default the newest) of a benchmark; nothing is written; the '
		'columns are those of regression';


--
-- all benchmarks
--

CREATE FUNCTION benchmarks_to_watch() RETURNS bigint[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(b.benchmark_id ORDER BY b.benchmark_id), '{}'::bigint[])
		FROM benchmark AS b
		WHERE EXISTS (SELECT FROM rollup AS r WHERE r.benchmark_id = b.benchmark_id AND r.checked_at IS NULL
			AND has_begun(r.started_at))
			OR pg_catalog.cardinality(unfitted_runs(b.benchmark_id)) > 0;
	END;
COMMENT ON FUNCTION benchmarks_to_watch() IS 'benchmarks with runs that were not compared yet, for a loop that commits';

CREATE FUNCTION families_or_none(benchmark_id bigint) RETURNS int
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN profiling.families_of(families_or_none.benchmark_id);
EXCEPTION WHEN OTHERS THEN
	-- watch_step() comes to the same error, and records it.
	RETURN 0;
END
$$;
COMMENT ON FUNCTION families_or_none(bigint)
	IS 'families_of() a benchmark, 0 where that fails: what is wrong with one benchmark does not keep the others from '
		'being compared';

CREATE FUNCTION begin_night(OUT log_id bigint, OUT families int)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	SELECT coalesce(sum(profiling.families_or_none(b.id)), 0) INTO families
		FROM unnest(profiling.benchmarks_to_watch()) AS b (id);
	-- A night that was cut short goes on, and two sessions at once share one: alpha is that of all its families.
	SELECT greatest(begin_night.families, max(substring(l.detail FROM '^([0-9]{1,9}) families')::int)) INTO families
		FROM profiling.job_log AS l
	WHERE l.step = 'watch_run' AND l.finished_at IS NULL AND l.started_at > now() - interval '1 day';
	INSERT INTO profiling.job_log AS l (step, outcome, detail) VALUES ('watch_run', 'ok', families
		|| ' families of tests')
	RETURNING l.log_id INTO log_id;
END
$$;
COMMENT ON FUNCTION begin_night()
	IS 'writes into job_log that a night begins, and how many families of tests it has: those of the benchmarks with '
		'new runs, or of a night that has not ended, if that is more';

CREATE FUNCTION end_night(log_id bigint) RETURNS void
	LANGUAGE sql
	BEGIN ATOMIC
		UPDATE job_log AS l SET finished_at = clock_timestamp()
		WHERE l.step = 'watch_run' AND l.finished_at IS NULL AND l.log_id <= end_night.log_id;
	END;
COMMENT ON FUNCTION end_night(bigint)
	IS 'writes into job_log that a night has ended, and those before it that were cut short';

CREATE FUNCTION watch_step(benchmark_id bigint, families int) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_started CONSTANT timestamptz := clock_timestamp();
	v_done record;
	v_detail text;
BEGIN
	v_done := profiling.watch_benchmark(watch_step.benchmark_id, watch_step.families);
	IF v_done.runs IS NULL THEN
		PERFORM profiling.log_job('watch'::text, 'skipped'::text, v_started, 'another session is at it'::text,
			watch_step.benchmark_id);
	ELSIF v_done.runs > 0 THEN
		PERFORM profiling.log_job('watch'::text, 'ok'::text, v_started,
			format('%s runs, %s opened, %s updated, %s closed', v_done.runs, v_done.opened, v_done.updated,
			v_done.closed),
			watch_step.benchmark_id);
	END IF;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS v_detail = PG_EXCEPTION_DETAIL;
	PERFORM profiling.log_job('watch'::text, 'failed'::text, v_started,
		concat_ws(' ', SQLSTATE, SQLERRM, nullif(v_detail, '')), watch_step.benchmark_id);
END
$$;
COMMENT ON FUNCTION watch_step(bigint, int)
	IS 'watch_benchmark(); what it did, or why it failed, is recorded in job_log';

CREATE FUNCTION warn_of_night(log_id bigint) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	n record;
BEGIN
	SELECT count(*) AS missed, count(*) FILTER (WHERE l.outcome = 'failed') AS failed INTO n
	FROM (SELECT DISTINCT ON (o.benchmark_id) o.outcome FROM profiling.job_log AS o
		WHERE o.step = 'watch' AND o.log_id > warn_of_night.log_id
		ORDER BY o.benchmark_id, o.log_id DESC) AS l
	WHERE l.outcome <> 'ok';
	IF n.missed > 0 THEN
		RAISE WARNING '% not compared', CASE n.missed WHEN 1 THEN '1 benchmark was'
			ELSE format('%s benchmarks were', n.missed) END
			USING DETAIL = format('%s failed, %s skipped.', n.failed, n.missed - n.failed),
				HINT = 'SELECT * FROM profiling.night_health says why.';
	END IF;
END
$$;
COMMENT ON FUNCTION warn_of_night(bigint)
	IS 'a WARNING when the last comparison of a benchmark since this line of job_log failed or was skipped';

CREATE PROCEDURE watch_run()
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
	PERFORM profiling.end_night(v_night.log_id);
	COMMIT;
	PERFORM profiling.warn_of_night(v_night.log_id);
END
$$;
COMMENT ON PROCEDURE watch_run()
	IS 'every night: compares the new runs of all benchmarks, each in a transaction of its own; what fails is '
		'recorded in job_log and the others go on, with a WARNING at the end; called alone';

--
-- what is to be said of a commit
--
-- CI asks for a verdict and goes on by it: so there is a row for whatever was loaded, and one without a finding is only
-- called good when something was compared.
--

CREATE FUNCTION runs_of_commit(commit text) RETURNS bigint[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(t.test_run_id ORDER BY t.test_run_id), '{}'::bigint[])
		FROM test_run AS t
		WHERE t.commit = runs_of_commit.commit
			OR length(runs_of_commit.commit) >= 7 AND starts_with(t.commit, runs_of_commit.commit)
				AND NOT EXISTS (SELECT FROM test_run AS w WHERE w.commit = runs_of_commit.commit);
	END;
COMMENT ON FUNCTION runs_of_commit(text)
	IS 'the runs of a commit, which is given whole or, if none has that one, by at least 7 characters';

CREATE FUNCTION percent(part float8) RETURNS text
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN CASE WHEN part IS NULL THEN 'new' WHEN abs(part) >= 1e6 THEN format('by a factor of %s', part + 1)
		ELSE format('%s %%', to_char(100 * part::numeric, 'SGFM99999999990')) END;
END
$$;
COMMENT ON FUNCTION percent(float8) IS 'a relative change in words; new for null, what nothing was expected of';

CREATE FUNCTION worst_finding(benchmark_id bigint, event text, unit text, branch text, run_ids bigint[]) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN (SELECT format('%s %s (%s)', CASE f.level WHEN 'metric' THEN 'the metric'
			ELSE format('%s "%s"', f.level, CASE WHEN length(f.subject::text) > 200
				THEN '…' || right(f.subject::text, 199) ELSE f.subject::text END) END,
			profiling.percent(f.relative), f.method)
		FROM profiling.regression AS f
		WHERE f.benchmark_id = worst_finding.benchmark_id AND f.event = worst_finding.event
			AND (f.unit = worst_finding.unit OR f.level = 'metric') AND f.branch = worst_finding.branch
			AND f.first_test_run_id = ANY (run_ids) AND f.kind = 'degradation' AND f.status IN ('open', 'acknowledged')
		ORDER BY abs(f.relative) DESC NULLS FIRST, f.regression_id LIMIT 1);
END
$$;
COMMENT ON FUNCTION worst_finding(bigint, text, text, text, bigint[])
	IS 'the largest of the open degradations that were first seen in some runs: level, subject, relative change, '
		'method';

CREATE FUNCTION not_watched(benchmark_id bigint) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN coalesce((SELECT CASE l.outcome WHEN 'failed' THEN 'the comparison failed: ' || l.detail
			WHEN 'skipped' THEN 'the comparison was skipped: ' || l.detail END
		FROM profiling.job_log AS l WHERE l.benchmark_id = not_watched.benchmark_id AND l.step = 'watch'
		ORDER BY l.log_id DESC LIMIT 1), 'watch_run() was not called since it was loaded');
END
$$;
COMMENT ON FUNCTION not_watched(bigint) IS 'why a benchmark has runs that the night has not looked at';

CREATE FUNCTION optimizations_only(benchmark_id bigint, event text) RETURNS bool
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- Observations, which have no event, are compared by methods of their own.
	RETURN (SELECT coalesce(bool_and(w.direction = 'optimization'), false)
		FROM profiling.watches_of(optimizations_only.benchmark_id, optimizations_only.event) AS w
		WHERE (w.method IN ('integral', 'local_statistics')) = (optimizations_only.event = ''));
END
$$;
COMMENT ON FUNCTION optimizations_only(bigint, text)
	IS 'whether no watch row in force would find a degradation, because of its direction: then having none says '
		'nothing';

CREATE FUNCTION compared_in_words(compared_with int, group_size bigint, gone bigint, earlier bigint) RETURNS text
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN concat_ws('; ', format('compared with %s %s before it', compared_with,
			CASE compared_with WHEN 1 THEN 'run' ELSE 'runs' END)
			|| CASE WHEN group_size > 1 THEN format(', as one of %s new runs', group_size) ELSE '' END,
		CASE WHEN gone > 0 THEN format('%s of its findings closed since', gone) END,
		CASE WHEN earlier > 0 THEN format('%s of earlier runs still open', earlier) END);
END
$$;
COMMENT ON FUNCTION compared_in_words(int, bigint, bigint, bigint) IS 'the reason of the verdict ok';

CREATE FUNCTION counted_findings(benchmark_id bigint, event text, unit text, branch text, run_ids bigint[],
		newest_id bigint, since_id bigint, OUT here int, OUT gone bigint, OUT of_group bigint, OUT earlier bigint)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	SELECT count(*) FILTER (WHERE o.is_open AND o.is_here), count(*) FILTER (WHERE o.is_here AND NOT o.is_open),
		count(*) FILTER (WHERE o.is_open AND NOT o.is_here AND o.first_id = since_id),
		count(*) FILTER (WHERE o.is_open AND NOT o.is_here AND o.is_earlier)
	INTO here, gone, of_group, earlier
	FROM (SELECT f.status IN ('open', 'acknowledged') AS is_open, f.first_test_run_id = ANY (run_ids) AS is_here,
			f.first_test_run_id AS first_id, (t.started_at, t.test_run_id) < (n.started_at, n.test_run_id) AS is_earlier
		FROM profiling.regression AS f LEFT JOIN profiling.test_run AS t ON t.test_run_id = f.first_test_run_id
			LEFT JOIN profiling.test_run AS n ON n.test_run_id = newest_id
		WHERE f.benchmark_id = counted_findings.benchmark_id AND f.event = counted_findings.event
			AND (f.unit = counted_findings.unit OR f.level IN ('metric', 'location'))
			AND f.branch = counted_findings.branch AND f.kind = 'degradation') AS o;
END
$$;
COMMENT ON FUNCTION counted_findings(bigint, text, text, text, bigint[], bigint, bigint)
	IS 'degradations: here: open ones that were first seen in some runs; gone: closed ones of these; of_group: open '
		'ones of the runs with which the newest was compared as a group; earlier: open ones that were seen before';

CREATE FUNCTION judged_profiles(run_ids bigint[])
	RETURNS TABLE (benchmark_id bigint, event text, unit text, branch text, verdict text, reason text, findings int)
	LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT g.benchmark_id, g.event, g.unit, g.branch,
		CASE WHEN c.here > 0 THEN 'regressed' WHEN w.words IS NULL THEN 'ok' ELSE 'not_examined' END,
		CASE WHEN c.here > 0 THEN CASE WHEN c.here > 1 THEN 'the worst: ' ELSE '' END
				|| profiling.worst_finding(g.benchmark_id, g.event, g.unit, g.branch, judged_profiles.run_ids)
			ELSE coalesce(w.words, profiling.compared_in_words(r.compared_with, s.group_size, c.gone, c.earlier)) END,
		c.here
	FROM (SELECT o.benchmark_id, o.event, o.unit, o.branch, bool_or(o.span = 'run' AND o.checked_at IS NULL) AS is_new,
			(array_agg(o.test_run_id ORDER BY o.started_at DESC, o.test_run_id DESC))[1] AS newest_id
		FROM profiling.rollup AS o WHERE o.run_ids && judged_profiles.run_ids GROUP BY 1, 2, 3, 4) AS g
		JOIN profiling.rollup AS r ON r.benchmark_id = g.benchmark_id AND r.event = g.event AND r.unit = g.unit
			AND r.branch = g.branch AND r.test_run_id = g.newest_id
		CROSS JOIN LATERAL profiling.counted_findings(g.benchmark_id, g.event, g.unit, g.branch,
			judged_profiles.run_ids, r.test_run_id, r.compared_since) AS c
		CROSS JOIN LATERAL (SELECT count(*) AS group_size FROM profiling.rollup AS o
			WHERE o.benchmark_id = r.benchmark_id AND o.event = r.event AND o.unit = r.unit AND o.branch = r.branch
				AND o.compared_since = r.compared_since) AS s
		CROSS JOIN LATERAL (SELECT CASE
			WHEN NOT profiling.has_begun(r.started_at) THEN format('the run lies in the future: %s', r.started_at)
			WHEN g.is_new THEN profiling.not_watched(g.benchmark_id)
			WHEN r.span = 'month' THEN 'its runs were merged to a month, and what they were compared with is not kept'
			WHEN r.not_compared IS NOT NULL THEN r.not_compared
			WHEN r.compared_with IS NULL THEN 'nothing is known about a comparison'
			WHEN profiling.optimizations_only(g.benchmark_id, g.event) THEN 'the watch rows look for optimizations only'
			WHEN c.of_group > 0 THEN format('one of %s runs that were compared together, and %s first seen in the '
				'oldest of them: which one changed is not known', s.group_size,
				CASE c.of_group WHEN 1 THEN 'a finding was' ELSE format('%s findings were', c.of_group) END)
			END AS words) AS w;
END
$$;
COMMENT ON FUNCTION judged_profiles(bigint[])
	IS 'what is to be said of some runs of one commit by their profiles: a row for each benchmark, event, unit and '
		'branch, by the newest run; one that was not looked at yet leaves the verdict open';

CREATE FUNCTION judged_models(run_ids bigint[])
	RETURNS TABLE (benchmark_id bigint, event text, unit text, branch text, verdict text, reason text, findings int)
	LANGUAGE plpgsql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT g.benchmark_id, '', '', g.branch,
		CASE WHEN c.here > 0 THEN 'regressed' WHEN w.words IS NULL THEN 'ok' ELSE 'not_examined' END,
		CASE WHEN c.here > 0 THEN CASE WHEN c.here > 1 THEN 'the worst: ' ELSE '' END || (SELECT format(
				'location "%s" %s (%s)', f.subject, profiling.percent(f.relative), f.method)
				FROM profiling.regression AS f WHERE f.benchmark_id = g.benchmark_id AND f.level = 'location'
					AND f.branch = g.branch AND f.kind = 'degradation' AND f.status IN ('open', 'acknowledged')
					AND f.first_test_run_id = ANY (judged_models.run_ids)
				ORDER BY abs(f.relative) DESC NULLS FIRST, f.regression_id LIMIT 1)
			ELSE coalesce(w.words, profiling.compared_in_words(1, 1::bigint, c.gone, c.earlier)) END,
		c.here
	FROM (SELECT o.benchmark_id, t.branch, (array_agg(t.test_run_id ORDER BY t.started_at DESC,
			t.test_run_id DESC))[1] AS newest_id, max(t.started_at) AS started_at
		FROM (SELECT DISTINCT p.benchmark_id, p.test_run_id FROM profiling.observation AS p
			WHERE p.test_run_id = ANY (judged_models.run_ids)) AS o
			JOIN profiling.test_run AS t ON t.test_run_id = o.test_run_id GROUP BY 1, 2) AS g
		CROSS JOIN LATERAL profiling.counted_findings(g.benchmark_id, ''::text, ''::text, g.branch,
			judged_models.run_ids, g.newest_id, NULL::bigint) AS c
		CROSS JOIN LATERAL (SELECT count(*) AS rows,
			max(profiling.models_before(g.benchmark_id, g.branch, g.newest_id, a.baseline)) AS before_id
			FROM profiling.watches_of(g.benchmark_id, ''::text) AS a
			WHERE a.method IN ('integral', 'local_statistics')) AS a
		CROSS JOIN LATERAL (SELECT CASE
			WHEN NOT profiling.has_begun(g.started_at) THEN format('the run lies in the future: %s', g.started_at)
			WHEN g.newest_id = ANY (profiling.unfitted_runs(g.benchmark_id)) THEN profiling.not_watched(g.benchmark_id)
			WHEN a.rows = 0 THEN 'no watch row compares observations, by integral or local_statistics'
			WHEN NOT EXISTS (SELECT FROM profiling.fitted_model AS m WHERE m.benchmark_id = g.benchmark_id
				AND m.test_run_id = g.newest_id) THEN 'no location has 3 different x, so there is no model'
			WHEN a.before_id IS NULL THEN 'too little history: no run before it has models'
			WHEN profiling.optimizations_only(g.benchmark_id, ''::text)
				THEN 'the watch rows look for optimizations only' END AS words) AS w;
END
$$;
COMMENT ON FUNCTION judged_models(bigint[])
	IS 'what is to be said of some runs of one commit by the models of their observations, event '''': a row for each '
		'benchmark and branch';

CREATE FUNCTION refuse_commit(commit text) RETURNS void
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
				FROM (SELECT * FROM profiling.judged_profiles(v_ids) UNION ALL SELECT *
					FROM profiling.judged_models(v_ids)) AS j
					JOIN profiling.benchmark AS b ON b.benchmark_id = j.benchmark_id ORDER BY 1 LIMIT 10) AS o)) || '.',
			'It has a run, and no profile in it.');
END
$$;
COMMENT ON FUNCTION refuse_commit(text) IS 'the error for a commit that there is no verdict for';

CREATE FUNCTION judged(of_commit text, of_benchmark text, of_suite text, of_branch text, of_event text)
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
	RETURN QUERY
	SELECT j.name, j.event, j.verdict, concat_ws(': ', nullif(concat_ws(', ',
			CASE WHEN min(j.suite) OVER w <> max(j.suite) OVER w THEN format('suite "%s"', j.suite) END,
			CASE WHEN min(j.parameters::text) OVER w <> max(j.parameters::text) OVER w
				THEN format('parameters %s', j.parameters) END,
			CASE WHEN min(j.branch) OVER w <> max(j.branch) OVER w THEN format('branch "%s"', j.branch) END,
			CASE WHEN min(j.unit) OVER w <> max(j.unit) OVER w THEN format('unit "%s"', j.unit) END), ''), j.reason),
		j.findings
	FROM (SELECT b.suite, b.name, b.parameters, o.*
		FROM (SELECT p.* FROM profiling.judged_profiles(v_ids) AS p
			UNION ALL SELECT m.* FROM profiling.judged_models(v_ids) AS m) AS o
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
COMMENT ON FUNCTION judged(text, text, text, text, text) IS 'verdict(), whose arguments and columns share names';

CREATE FUNCTION verdict(commit text, benchmark text DEFAULT '%', suite text DEFAULT '%', branch text DEFAULT NULL,
		event text DEFAULT NULL)
	RETURNS TABLE (benchmark text, event text, verdict text, reason text, findings int)
	LANGUAGE sql STABLE ROWS 10
	BEGIN ATOMIC
		SELECT j.benchmark, j.event, j.verdict, j.reason, j.findings
		FROM judged(verdict.commit, verdict.benchmark, verdict.suite, verdict.branch, verdict.event) AS j;
	END;
COMMENT ON FUNCTION verdict(text, text, text, text, text)
	IS 'for CI: what became of a commit (whole, or its first 7 characters or more), a row for each benchmark, event, '
		'unit and branch that has a run of it; verdict: regressed (open degradations that were first seen in it), ok '
		'(compared, none) or not_examined; reason says more; benchmark and suite are patterns of LIKE; error P0002 for '
		'a commit without a run';

--
-- when something wrong was loaded
--
-- Runs, branches and benchmarks are taken away, renamed and merged so that what is left
-- equals a store that was loaded without them, or under the right name. A correction is
-- one transaction and alone: imports, the night and retention wait for it, and it waits
-- for them. A rollup of a run goes with its run. One of a month is computed anew from the
-- profiles of its other runs, by the same steps as import and maintain() take; where some
-- of these are gone, nobody can tell the runs apart any more, and that is an error.
--

CREATE TYPE correction AS (benchmarks int, runs int, profiles bigint, rollups bigint, rebuilt bigint,
	observations bigint, models bigint, findings bigint);
COMMENT ON TYPE correction
	IS 'how many rows a correction has taken away, or given to another benchmark; rebuilt: rollups that were computed '
		'anew';

CREATE FUNCTION begin_correction(what text) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	PERFORM profiling.need_access(what, 'admin'::text);
	IF current_setting('transaction_isolation') <> 'read committed' THEN
		RAISE EXCEPTION '%() needs a transaction of isolation level READ COMMITTED', what USING
			ERRCODE = 'feature_not_supported',
			DETAIL = 'An older snapshot does not show what others have loaded since.';
	END IF;
	PERFORM pg_advisory_xact_lock(hashtextextended('flamegraph_store correction', 0));
END
$$;
COMMENT ON FUNCTION begin_correction(text)
	IS 'refuses who may not correct, and waits until nobody else loads or watches';

--
-- rollups
--

CREATE FUNCTION replay_runs(benchmark_id bigint, event text, unit text, branch text,
		test_run_ids bigint[]) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	p profiling.profile;
	v_fg profiling.profile_data.flamegraph%TYPE;
	v_cut profiling.profile_data.truncated%TYPE;
	v_started timestamptz;
BEGIN
	FOR p IN SELECT o.* FROM profiling.profile AS o
		WHERE o.benchmark_id = replay_runs.benchmark_id AND o.event = replay_runs.event
			AND o.unit = replay_runs.unit AND o.test_run_id = ANY (replay_runs.test_run_ids)
		ORDER BY o.profile_id
	LOOP
		SELECT d.flamegraph, d.truncated, t.started_at INTO v_fg, v_cut, v_started
		FROM profiling.profile_data AS d, profiling.test_run AS t
		WHERE d.benchmark_id = p.benchmark_id AND d.profile_id = p.profile_id AND d.recorded_at = p.recorded_at
			AND t.test_run_id = p.test_run_id;
		CONTINUE WHEN NOT FOUND;
		PERFORM profiling.add_to_rollup(p, replay_runs.branch, v_started, v_fg,
			(SELECT m.truncated_total FROM profiling.measures_of(v_fg, v_cut) AS m));
	END LOOP;
END
$$;
COMMENT ON FUNCTION replay_runs(bigint, text, text, text, bigint[])
	IS 'makes the rollups of some runs, which have none, from their profiles, as import has made them';

CREATE FUNCTION merge_replayed(benchmark_id bigint, event text, unit text, branch text,
		test_run_ids bigint[]) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	g record;
BEGIN
	PERFORM profiling.fold_rollups(merge_replayed.benchmark_id, u.id)
	FROM unnest(merge_replayed.test_run_ids) AS u (id);
	FOR g IN
		SELECT r.metric_unit, profiling.month_of(r.started_at) AS month, array_agg(r.test_run_id) AS ids
		FROM profiling.rollup AS r
		WHERE r.benchmark_id = merge_replayed.benchmark_id AND r.event = merge_replayed.event
			AND r.unit = merge_replayed.unit AND r.branch = merge_replayed.branch
			AND r.test_run_id = ANY (merge_replayed.test_run_ids)
		GROUP BY 1, 2
		ORDER BY 1, 2
	LOOP
		PERFORM profiling.merge_month(merge_replayed.benchmark_id, merge_replayed.event, merge_replayed.unit,
			merge_replayed.branch, g.metric_unit, g.ids);
	END LOOP;
END
$$;
COMMENT ON FUNCTION merge_replayed(bigint, text, text, text, bigint[])
	IS 'merges the rollups of some runs to months, as maintain() does it';

CREATE FUNCTION touched_rollups(benchmark_ids bigint[], event text, unit text, branch text, run_ids bigint[],
		OUT keys bigint[], OUT runs bigint[], OUT months bigint[], OUT repetitions bigint, OUT present bigint)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	-- A run that was merged to a month has a row of its own again when something was loaded into it later.
	runs := ARRAY(SELECT DISTINCT u.id FROM profiling.rollup AS r, unnest(r.run_ids) AS u (id)
		WHERE r.benchmark_id = ANY (touched_rollups.benchmark_ids) AND r.event = touched_rollups.event
			AND r.unit = touched_rollups.unit AND r.branch = touched_rollups.branch
			AND r.run_ids && touched_rollups.run_ids ORDER BY 1);
	SELECT array_agg(DISTINCT r.test_run_id), array_agg(DISTINCT u.id),
		coalesce(array_agg(DISTINCT u.id) FILTER (WHERE r.span = 'month'), '{}')
	INTO keys, touched_rollups.runs, months
	FROM profiling.rollup AS r, unnest(r.run_ids) AS u (id)
	WHERE r.benchmark_id = ANY (touched_rollups.benchmark_ids) AND r.event = touched_rollups.event
		AND r.unit = touched_rollups.unit AND r.branch = touched_rollups.branch
		AND r.run_ids && touched_rollups.runs;
	SELECT sum(r.repetitions) INTO touched_rollups.repetitions FROM profiling.rollup AS r
	WHERE r.benchmark_id = ANY (touched_rollups.benchmark_ids) AND r.event = touched_rollups.event
		AND r.unit = touched_rollups.unit AND r.branch = touched_rollups.branch AND r.test_run_id = ANY (keys);
	SELECT count(*) INTO present
	FROM profiling.profile AS p JOIN profiling.profile_data AS d ON d.benchmark_id = p.benchmark_id
		AND d.profile_id = p.profile_id AND d.recorded_at = p.recorded_at
	WHERE p.benchmark_id = ANY (touched_rollups.benchmark_ids) AND p.event = touched_rollups.event
		AND p.unit = touched_rollups.unit AND p.test_run_id = ANY (touched_rollups.runs);
END
$$;
COMMENT ON FUNCTION touched_rollups(bigint[], text, text, text, bigint[])
	IS 'the rollups of one event, unit and branch that some runs are in, and those that share a run with these: their '
		'keys, their runs, those that are in months, how many profiles they sum up and how many of these are here';

CREATE FUNCTION refuse_months(what text, benchmark_id bigint, event text, branch text, hint text) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RAISE EXCEPTION '% cannot be told apart any more from other runs', refuse_months.what USING
		ERRCODE = 'object_not_in_prerequisite_state',
		DETAIL = (SELECT format('Benchmark %s, event "%s", branch "%s": the runs were merged to a month, and not all '
				'of its profiles are still here.',
			profiling.benchmark_in_words(b.suite, b.name, b.parameters), refuse_months.event, refuse_months.branch)
			FROM profiling.benchmark AS b WHERE b.benchmark_id = refuse_months.benchmark_id),
		HINT = refuse_months.hint;
END
$$;
COMMENT ON FUNCTION refuse_months(text, bigint, text, text, text)
	IS 'the error for a sum whose parts are gone';

CREATE FUNCTION leave_rollups(benchmark_id bigint, run_ids bigint[], whole_months bool,
		OUT deleted bigint, OUT rebuilt bigint)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	g record;
	t record;
	v_rest bigint[];
BEGIN
	rebuilt := 0;
	FOR g IN
		SELECT DISTINCT r.event, r.unit, r.branch FROM profiling.rollup AS r
		WHERE r.benchmark_id = leave_rollups.benchmark_id AND r.run_ids && leave_rollups.run_ids
			AND NOT r.run_ids <@ leave_rollups.run_ids
		ORDER BY 1, 2, 3
	LOOP
		t := profiling.touched_rollups(ARRAY[leave_rollups.benchmark_id], g.event, g.unit, g.branch,
			ARRAY(SELECT DISTINCT u.id FROM profiling.rollup AS r, unnest(r.run_ids) AS u (id)
				WHERE r.benchmark_id = leave_rollups.benchmark_id AND r.event = g.event AND r.unit = g.unit
					AND r.branch = g.branch AND r.run_ids && leave_rollups.run_ids AND r.span = 'month'));
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
COMMENT ON FUNCTION leave_rollups(bigint, bigint[], bool)
	IS 'takes runs out of the rollups of a benchmark: their own go, months are computed anew from the profiles of '
		'their other runs';

--
-- findings: what was seen in a run that is gone
--

CREATE FUNCTION runs_of_finding(benchmark_id bigint, event text, branch text, level text,
		run_ids bigint[]) RETURNS TABLE (test_run_id bigint, started_at timestamptz)
	LANGUAGE sql STABLE ROWS 100
	BEGIN ATOMIC
		SELECT t.test_run_id, t.started_at FROM test_run AS t
		WHERE t.test_run_id <> ALL (runs_of_finding.run_ids) AND t.branch = runs_of_finding.branch
			AND t.test_run_id IN (SELECT pg_catalog.unnest(r.run_ids) FROM rollup AS r
				WHERE r.benchmark_id = runs_of_finding.benchmark_id AND r.event = runs_of_finding.event
					AND r.branch = runs_of_finding.branch AND runs_of_finding.level <> 'location'
				UNION SELECT m.test_run_id FROM fitted_model AS m
				WHERE m.benchmark_id = runs_of_finding.benchmark_id AND runs_of_finding.level = 'location');
	END;
COMMENT ON FUNCTION runs_of_finding(bigint, text, text, text, bigint[])
	IS 'the runs in which a finding can have been seen, without these';

CREATE FUNCTION leave_findings(benchmark_id bigint, run_ids bigint[]) RETURNS bigint
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
	UPDATE profiling.regression AS f SET status = 'open', closed_at = NULL
	WHERE f.benchmark_id = leave_findings.benchmark_id AND f.status = 'resolved' AND f.level <> 'location'
		AND EXISTS (SELECT FROM profiling.rollup AS r
			WHERE r.benchmark_id = f.benchmark_id AND r.event = f.event AND r.branch = f.branch AND r.span = 'run'
				AND (r.unit = f.unit OR f.level = 'metric') AND r.checked_at = f.closed_at
				AND r.test_run_id = ANY (leave_findings.run_ids)
				AND NOT EXISTS (SELECT FROM profiling.rollup AS n
					WHERE n.benchmark_id = r.benchmark_id AND n.event = r.event AND n.unit = r.unit
						AND n.branch = r.branch AND n.checked_at = r.checked_at
						AND n.test_run_id <> ALL (leave_findings.run_ids)
						AND (n.started_at, n.test_run_id) > (r.started_at, r.test_run_id)))
		AND NOT EXISTS (SELECT FROM profiling.regression AS o
			WHERE o.benchmark_id = f.benchmark_id AND o.event = f.event AND o.unit = f.unit AND o.branch = f.branch
				AND o.method = f.method AND o.level = f.level AND o.subject_id = f.subject_id
				AND o.regression_id <> f.regression_id
				AND (o.status IN ('open', 'acknowledged') OR o.closed_at = f.closed_at
					AND o.regression_id > f.regression_id));
	RETURN v_deleted;
END
$$;
COMMENT ON FUNCTION leave_findings(bigint, bigint[])
	IS 'lets no finding of a benchmark refer to these runs, whose rollups are still there: those that others have '
		'seen, too, keep these; the rest goes; what a run of these has closed is open again; returns how many went';

CREATE FUNCTION look_again(benchmark_id bigint, run_ids bigint[]) RETURNS void
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
			AND EXISTS (SELECT FROM profiling.rollup AS g
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
		AND NOT EXISTS (SELECT FROM profiling.fitted_model AS k
			WHERE k.benchmark_id = m.benchmark_id AND k.test_run_id = m.test_run_id
				AND (SELECT count(DISTINCT o.x) FROM profiling.observation AS o
					WHERE o.benchmark_id = k.benchmark_id AND o.test_run_id = k.test_run_id
						AND o.location = k.location AND o.unit = k.unit) < 3);
END
$$;
COMMENT ON FUNCTION look_again(bigint, bigint[])
	IS 'lets the next night compare the newest run of each event, unit and branch again that loses one of these runs, '
		'whose rollups are still there';

--
-- taking away
--

CREATE FUNCTION leave_test_runs(run_ids bigint[]) RETURNS int
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_used CONSTANT bigint[] := ARRAY(SELECT DISTINCT u.id FROM profiling.rollup AS r, unnest(r.run_ids) AS u (id)
		WHERE r.run_ids && leave_test_runs.run_ids);
	v_deleted int;
BEGIN
	DELETE FROM profiling.test_run AS t WHERE t.test_run_id = ANY (leave_test_runs.run_ids)
		AND t.test_run_id <> ALL (v_used)
		AND NOT EXISTS (SELECT FROM profiling.profile AS p WHERE p.test_run_id = t.test_run_id)
		AND NOT EXISTS (SELECT FROM profiling.observation AS o WHERE o.test_run_id = t.test_run_id)
		AND NOT EXISTS (SELECT FROM profiling.fitted_model AS m WHERE m.test_run_id = t.test_run_id)
		AND NOT EXISTS (SELECT FROM profiling.regression AS f
			WHERE t.test_run_id IN (f.first_test_run_id, f.last_test_run_id));
	GET DIAGNOSTICS v_deleted = ROW_COUNT;
	RETURN v_deleted;
END
$$;
COMMENT ON FUNCTION leave_test_runs(bigint[])
	IS 'takes those of these runs away that nothing is left of; returns how many';

CREATE FUNCTION runs_of_benchmark(benchmark_id bigint) RETURNS bigint[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(DISTINCT o.id ORDER BY o.id), '{}'::bigint[])
		FROM (SELECT p.test_run_id AS id FROM profile AS p WHERE p.benchmark_id = runs_of_benchmark.benchmark_id
			UNION ALL SELECT pg_catalog.unnest(r.run_ids) FROM rollup AS r
				WHERE r.benchmark_id = runs_of_benchmark.benchmark_id
			UNION ALL SELECT o.test_run_id FROM observation AS o WHERE o.benchmark_id = runs_of_benchmark.benchmark_id
			UNION ALL SELECT m.test_run_id FROM fitted_model AS m WHERE m.benchmark_id = runs_of_benchmark.benchmark_id
			UNION ALL SELECT pg_catalog.unnest(ARRAY[f.first_test_run_id, f.last_test_run_id]) FROM regression AS f
				WHERE f.benchmark_id = runs_of_benchmark.benchmark_id) AS o;
	END;
COMMENT ON FUNCTION runs_of_benchmark(bigint) IS 'the runs that a benchmark has anything of';

CREATE FUNCTION benchmarks_of_run(test_run_id bigint) RETURNS bigint[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(DISTINCT o.id ORDER BY o.id), '{}'::bigint[])
		FROM (SELECT p.benchmark_id AS id FROM profile AS p WHERE p.test_run_id = benchmarks_of_run.test_run_id
			UNION ALL SELECT r.benchmark_id FROM rollup AS r WHERE benchmarks_of_run.test_run_id = ANY (r.run_ids)
			UNION ALL SELECT o.benchmark_id FROM observation AS o WHERE o.test_run_id = benchmarks_of_run.test_run_id
			UNION ALL SELECT m.benchmark_id FROM fitted_model AS m WHERE m.test_run_id = benchmarks_of_run.test_run_id
			UNION ALL SELECT f.benchmark_id FROM regression AS f
				WHERE benchmarks_of_run.test_run_id IN (f.first_test_run_id, f.last_test_run_id)) AS o;
	END;
COMMENT ON FUNCTION benchmarks_of_run(bigint) IS 'the benchmarks that have anything of a run';

CREATE FUNCTION take_runs(so_far correction, benchmark_id bigint, run_ids bigint[],
		whole_months bool) RETURNS correction
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_rows bigint;
	v_rollups record;
BEGIN
	so_far.findings := so_far.findings + profiling.leave_findings(take_runs.benchmark_id, take_runs.run_ids);
	PERFORM profiling.look_again(take_runs.benchmark_id, take_runs.run_ids);
	-- Months are computed from what is left, after it was found out whether all of it is here.
	v_rollups := profiling.leave_rollups(take_runs.benchmark_id, take_runs.run_ids, take_runs.whole_months);
	so_far.rollups := so_far.rollups + v_rollups.deleted;
	so_far.rebuilt := so_far.rebuilt + v_rollups.rebuilt;
	DELETE FROM profiling.profile_data AS d USING profiling.profile AS p
	WHERE p.benchmark_id = take_runs.benchmark_id AND p.test_run_id = ANY (take_runs.run_ids)
		AND d.benchmark_id = p.benchmark_id AND d.profile_id = p.profile_id;
	DELETE FROM profiling.profile AS p
	WHERE p.benchmark_id = take_runs.benchmark_id AND p.test_run_id = ANY (take_runs.run_ids);
	GET DIAGNOSTICS v_rows = ROW_COUNT;
	so_far.profiles := so_far.profiles + v_rows;
	DELETE FROM profiling.observation AS o
	WHERE o.benchmark_id = take_runs.benchmark_id AND o.test_run_id = ANY (take_runs.run_ids);
	GET DIAGNOSTICS v_rows = ROW_COUNT;
	so_far.observations := so_far.observations + v_rows;
	DELETE FROM profiling.fitted_model AS m
	WHERE m.benchmark_id = take_runs.benchmark_id AND m.test_run_id = ANY (take_runs.run_ids);
	GET DIAGNOSTICS v_rows = ROW_COUNT;
	so_far.models := so_far.models + v_rows;
	RETURN so_far;
END
$$;
COMMENT ON FUNCTION take_runs(correction, bigint, bigint[], bool)
	IS 'takes all that a benchmark has of these runs away, counted';

CREATE FUNCTION nothing_corrected() RETURNS correction
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT ROW(0, 0, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint)::correction;
	END;
COMMENT ON FUNCTION nothing_corrected() IS 'a correction that has not begun to count';

CREATE FUNCTION log_correction(what text, done correction, benchmark_id bigint) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	PERFORM profiling.log_job('correction'::text, 'ok'::text, now(),
		format('%s: %s', what, array_to_string(ARRAY(SELECT format('%s %s', c.value, c.key)
			FROM json_each_text(to_json(done)) WITH ORDINALITY AS c (key, value, n)
			WHERE c.value <> '0' ORDER BY c.n), ', ')), log_correction.benchmark_id);
END
$$;
COMMENT ON FUNCTION log_correction(text, correction, bigint) IS 'writes into job_log what a correction has done';

CREATE FUNCTION delete_run(test_run_id bigint, benchmark_id bigint DEFAULT NULL,
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
	IF NOT EXISTS (SELECT FROM profiling.test_run AS t WHERE t.test_run_id = v_run) THEN
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
COMMENT ON FUNCTION delete_run(bigint, bigint, bool)
	IS 'takes a run away, of all benchmarks or of one, with all that came of it; of a run that was merged to a month '
		'the month is computed anew, and an error where its profiles are gone, but for whole_months, which then takes '
		'the sum of the month away; for access admin';

CREATE FUNCTION delete_branch(branch text, benchmark text DEFAULT '%', suite text DEFAULT '%') RETURNS correction
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_done profiling.correction := profiling.nothing_corrected();
	v_branch_runs bigint[];
	v_runs bigint[];
	v_all_runs bigint[] := '{}';
	b record;
BEGIN
	PERFORM profiling.begin_correction('delete_branch'::text);
	v_branch_runs := ARRAY(SELECT t.test_run_id FROM profiling.test_run AS t WHERE t.branch = delete_branch.branch);
	FOR b IN SELECT o.benchmark_id FROM profiling.benchmark AS o
		WHERE o.name LIKE coalesce(delete_branch.benchmark, '%') AND o.suite LIKE coalesce(delete_branch.suite, '%')
		ORDER BY 1
	LOOP
		v_runs := ARRAY(SELECT u.id FROM unnest(profiling.runs_of_benchmark(b.benchmark_id)) AS u (id)
			WHERE u.id = ANY (v_branch_runs));
		CONTINUE WHEN cardinality(v_runs) = 0;
		v_done := profiling.take_runs(v_done, b.benchmark_id, v_runs, false);
		v_all_runs := v_all_runs || v_runs;
	END LOOP;
	IF cardinality(v_all_runs) = 0 THEN
		RAISE EXCEPTION 'no run of branch "%" was found', delete_branch.branch USING
			ERRCODE = 'no_data_found',
			HINT = CASE WHEN cardinality(v_branch_runs) > 0 THEN 'Its runs have nothing of the benchmarks that match.'
				ELSE profiling.names_hint(delete_branch.branch, ARRAY(SELECT DISTINCT t.branch COLLATE "C"
					FROM profiling.test_run AS t ORDER BY 1)) END;
	END IF;
	v_done.runs := profiling.leave_test_runs(v_all_runs);
	PERFORM profiling.log_correction(format('delete_branch(%L)', delete_branch.branch), v_done, NULL::bigint);
	RETURN v_done;
END
$$;
COMMENT ON FUNCTION delete_branch(text, text, text)
	IS 'takes all runs of a branch away, of benchmarks and suites by patterns of LIKE, with all that came of them; for '
		'access admin';

CREATE FUNCTION delete_benchmark(benchmark_id bigint) RETURNS correction
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
	DELETE FROM profiling.job_log AS l WHERE l.benchmark_id = v_id;
	-- Aliases that lead nowhere would make it anew.
	LOOP
		DELETE FROM profiling.benchmark_alias AS a
		WHERE NOT EXISTS (SELECT FROM profiling.benchmark AS o WHERE o.suite = a.new_suite AND o.name = a.new_name
				AND (a.new_parameters IS NULL OR o.parameters = a.new_parameters))
			AND NOT EXISTS (SELECT FROM profiling.benchmark_alias AS n
				WHERE n.suite = a.new_suite AND n.name = a.new_name);
		EXIT WHEN NOT FOUND;
	END LOOP;
	v_done.runs := profiling.leave_test_runs(v_runs);
	PERFORM profiling.log_correction(format('delete_benchmark(%s) %s', v_id,
		profiling.benchmark_in_words(b.suite, b.name, b.parameters)), v_done, NULL::bigint);
	RETURN v_done;
END
$$;
COMMENT ON FUNCTION delete_benchmark(bigint)
	IS 'takes a benchmark away with all that is known of it, its lines in job_log and the names that led to it, and '
		'the runs that had no other one; for access admin';

CREATE FUNCTION delete_benchmark(name text, suite text DEFAULT '%') RETURNS correction
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	PERFORM profiling.begin_correction('delete_benchmark'::text);
	RETURN profiling.delete_benchmark(profiling.benchmark_called(delete_benchmark.name,
		coalesce(delete_benchmark.suite, '%')));
END
$$;
COMMENT ON FUNCTION delete_benchmark(text, text)
	IS 'the same for the one benchmark of this name, in suites that match a pattern of LIKE';

--
-- another name
--

CREATE FUNCTION tell_lost_patterns(suite text, name text, new_suite text, new_name text) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_lost text;
BEGIN
	SELECT string_agg(format('%s %s', o.what, o.ids), ', ' ORDER BY o.what DESC) INTO v_lost
	FROM (SELECT p.what, string_agg(p.id::text, ', ' ORDER BY p.id) AS ids
		FROM (SELECT 'watch' AS what, w.watch_id AS id, w.suite, w.benchmark FROM profiling.watch AS w
			UNION ALL SELECT 'frame_rule', r.rule_id, r.suite, r.benchmark FROM profiling.frame_rule AS r) AS p
		WHERE tell_lost_patterns.suite LIKE p.suite AND tell_lost_patterns.name LIKE p.benchmark
			AND NOT (tell_lost_patterns.new_suite LIKE p.suite AND tell_lost_patterns.new_name LIKE p.benchmark)
		GROUP BY p.what) AS o;
	IF v_lost IS NOT NULL THEN
		RAISE NOTICE 'the patterns of some rows match the old name only' USING
			DETAIL = format('They are: %s.', v_lost),
			HINT = 'They have no effect on the benchmark any more. If they should, change their suite and benchmark.';
	END IF;
END
$$;
COMMENT ON FUNCTION tell_lost_patterns(text, text, text, text)
	IS 'the NOTICE about rows of watch and frame_rule that a benchmark loses with its name';

CREATE FUNCTION refuse_name(suite text, name text) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_suites CONSTANT text[] := ARRAY(SELECT DISTINCT b.suite COLLATE "C" FROM profiling.benchmark AS b
		WHERE b.name = refuse_name.name ORDER BY 1);
BEGIN
	RAISE EXCEPTION 'there is no benchmark "%" in suite "%"', refuse_name.name, refuse_name.suite USING
		ERRCODE = 'no_data_found',
		HINT = CASE WHEN cardinality(v_suites) > 0
			THEN format('There is one of this name in suite %s.', profiling.quoted_names(v_suites[:5]))
			ELSE profiling.names_hint(refuse_name.name, ARRAY(SELECT DISTINCT b.name COLLATE "C"
				FROM profiling.benchmark AS b WHERE b.suite = refuse_name.suite ORDER BY 1)) END;
END
$$;
COMMENT ON FUNCTION refuse_name(text, text) IS 'the error for a benchmark that is not there';

CREATE FUNCTION name_is_free(suite text, name text, old_suite text, old_name text) RETURNS bool
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
	IF EXISTS (SELECT FROM profiling.benchmark_alias AS a WHERE a.suite = name_is_free.suite
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
COMMENT ON FUNCTION name_is_free(text, text, text, text)
	IS 'true; an error where a benchmark cannot be given this name: one with the same parameters has it, or loads '
		'under it go elsewhere';

CREATE FUNCTION rename_benchmark(old_name text, new_name text, suite text DEFAULT '',
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
	IF NOT EXISTS (SELECT FROM profiling.benchmark AS b WHERE b.suite = v_suite AND b.name = old_name) THEN
		PERFORM profiling.refuse_name(v_suite, old_name);
	END IF;
	PERFORM profiling.name_is_free(v_new_suite, rename_benchmark.new_name, v_suite, old_name);
	UPDATE profiling.benchmark AS b SET suite = v_new_suite, name = rename_benchmark.new_name
	WHERE b.suite = v_suite AND b.name = old_name;
	GET DIAGNOSTICS v_done.benchmarks = ROW_COUNT;
	-- The new name has been an old one of the same benchmark, and is its own again; what was merged stays so.
	DELETE FROM profiling.benchmark_alias AS a WHERE a.suite = v_new_suite AND a.name = rename_benchmark.new_name
		AND (a.parameters IS NULL OR a.parameters = a.new_parameters
			OR EXISTS (SELECT FROM profiling.benchmark AS b
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
COMMENT ON FUNCTION rename_benchmark(text, text, text, text)
	IS 'gives a benchmark, with whatever parameters, another name or suite; what is loaded under the old one goes '
		'there, by benchmark_alias; for access admin';

--
-- two that are one
--

CREATE FUNCTION join_rollups(from_id bigint, into_id bigint, event text, unit text, branch text,
		keys bigint[], months bigint[]) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	g record;
BEGIN
	PERFORM profiling.fold_rollups(b.id, k.id) FROM unnest(ARRAY[from_id, into_id]) AS b (id), unnest(keys) AS k (id);
	FOR g IN
		SELECT o.is_month, o.part, CASE WHEN o.is_month THEN o.unit_of_metric END AS metric_unit,
			array_agg(DISTINCT o.test_run_id) AS ids,
			array_agg(DISTINCT o.unit_of_metric) FILTER (WHERE o.metric_count > 0) AS units
		FROM (SELECT r.test_run_id, r.metric_count, r.metric_unit AS unit_of_metric,
				r.run_ids && months AS is_month,
				CASE WHEN r.run_ids && months THEN profiling.month_of(r.started_at)::text
					ELSE r.test_run_id::text END AS part
			FROM profiling.rollup AS r
			WHERE r.benchmark_id IN (from_id, into_id) AND r.event = join_rollups.event
				AND r.unit = join_rollups.unit AND r.branch = join_rollups.branch AND r.test_run_id = ANY (keys)) AS o
		GROUP BY 1, 2, 3
		ORDER BY 1, 2, 3
	LOOP
		IF cardinality(g.units) > 1 THEN
			RAISE EXCEPTION 'metrics of one run have different units' USING
				ERRCODE = 'invalid_parameter_value',
				DETAIL = format('Those of run %s are in %s.', g.part, array_to_string(g.units, ', '));
		END IF;
		PERFORM profiling.merge_rows(ARRAY[into_id, from_id], join_rollups.event, join_rollups.unit,
			join_rollups.branch, coalesce(g.units[1], ''), g.ids,
			CASE WHEN g.is_month THEN 'month' ELSE 'run' END);
	END LOOP;
END
$$;
COMMENT ON FUNCTION join_rollups(bigint, bigint, text, text, text, bigint[], bigint[])
	IS 'makes one rollup of those that two benchmarks have for a run or a month, from their sums and moments; keys: '
		'these rollups; months: the runs of them that are in months';

CREATE FUNCTION shared_runs(from_id bigint, into_id bigint, event text, unit text, branch text) RETURNS bigint[]
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	-- Two sums of one month are one, too, though they share no run.
	RETURN ARRAY(SELECT DISTINCT u.id
		FROM profiling.rollup AS f JOIN profiling.rollup AS i ON i.benchmark_id = into_id AND i.event = f.event
				AND i.unit = f.unit AND i.branch = f.branch
				AND (i.run_ids && f.run_ids OR i.span = 'month' AND f.span = 'month'
					AND i.metric_unit = f.metric_unit
					AND profiling.month_of(i.started_at) = profiling.month_of(f.started_at)),
			unnest(f.run_ids || i.run_ids) AS u (id)
		WHERE f.benchmark_id = from_id AND f.event = shared_runs.event AND f.unit = shared_runs.unit
			AND f.branch = shared_runs.branch);
END
$$;
COMMENT ON FUNCTION shared_runs(bigint, bigint, text, text, text)
	IS 'the runs of the rollups of two benchmarks that must become one';

CREATE FUNCTION equal_profiles(from_id bigint, into_id bigint)
	RETURNS TABLE (benchmark_id bigint, profile_id bigint, test_run_id bigint, event text, unit text)
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT CASE WHEN f.profile_id > i.profile_id THEN f.benchmark_id ELSE i.benchmark_id END,
			greatest(f.profile_id, i.profile_id), f.test_run_id, f.event, f.unit
		FROM profile AS f JOIN profile AS i ON i.benchmark_id = equal_profiles.into_id
			AND i.test_run_id = f.test_run_id AND i.event = f.event AND i.unit = f.unit AND i.instance = f.instance
			AND i.repetition = f.repetition AND i.content_id = f.content_id
		WHERE f.benchmark_id = equal_profiles.from_id;
	END;
COMMENT ON FUNCTION equal_profiles(bigint, bigint)
	IS 'the profiles that two benchmarks both have, by their key: those of them that were loaded later';

CREATE FUNCTION move_profiles(from_id bigint, into_id bigint, ids bigint[]) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_moved bigint;
BEGIN
	DELETE FROM profiling.profile_data AS d
	WHERE d.benchmark_id IN (from_id, into_id) AND d.profile_id = ANY (ids);
	DELETE FROM profiling.profile AS p WHERE p.benchmark_id IN (from_id, into_id) AND p.profile_id = ANY (ids);
	UPDATE profiling.profile_data AS d SET benchmark_id = into_id WHERE d.benchmark_id = from_id;
	UPDATE profiling.profile AS p SET benchmark_id = into_id WHERE p.benchmark_id = from_id;
	GET DIAGNOSTICS v_moved = ROW_COUNT;
	RETURN v_moved;
END
$$;
COMMENT ON FUNCTION move_profiles(bigint, bigint, bigint[])
	IS 'gives the profiles of a benchmark to another one, without these, which both have; returns how many';

CREATE FUNCTION checked_runs(benchmark_ids bigint[], event text, unit text, branch text, keys bigint[]) RETURNS bigint[]
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.array_agg(o.id), '{}'::bigint[])
		FROM (SELECT r.test_run_id AS id FROM rollup AS r
			WHERE r.benchmark_id = ANY (checked_runs.benchmark_ids) AND r.event = checked_runs.event
				AND r.unit = checked_runs.unit AND r.branch = checked_runs.branch
				AND r.test_run_id = ANY (checked_runs.keys)
			GROUP BY r.test_run_id HAVING pg_catalog.bool_and(r.checked_at IS NOT NULL)) AS o;
	END;
COMMENT ON FUNCTION checked_runs(bigint[], text, text, text, bigint[])
	IS 'those of these rollups of some benchmarks that the night has looked at in each of them';

CREATE FUNCTION move_rollups(from_id bigint, into_id bigint, OUT profiles bigint, OUT rollups bigint,
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
		IF EXISTS (SELECT FROM profiling.equal_profiles(from_id, into_id) AS e
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
COMMENT ON FUNCTION move_rollups(bigint, bigint)
	IS 'gives profiles and rollups of a benchmark to another one; where both have a run or a month, it is computed '
		'anew from the profiles, or merged where some of these are gone';

CREATE FUNCTION move_models(from_id bigint, into_id bigint, OUT observations bigint, OUT models bigint)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	-- Runs that both have points of: the models are of all of these.
	v_runs CONSTANT bigint[] := ARRAY(SELECT DISTINCT m.test_run_id FROM profiling.fitted_model AS m
		WHERE m.benchmark_id IN (from_id, into_id)
			AND EXISTS (SELECT FROM profiling.observation AS o WHERE o.benchmark_id = from_id
				AND o.test_run_id = m.test_run_id)
			AND EXISTS (SELECT FROM profiling.observation AS o WHERE o.benchmark_id = into_id
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
COMMENT ON FUNCTION move_models(bigint, bigint)
	IS 'gives observations and models of a benchmark to another one; models of runs that both have are fitted to the '
		'points of both';

CREATE FUNCTION move_findings(from_id bigint, into_id bigint) RETURNS bigint
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_moved bigint;
BEGIN
	-- Open in both: one row from the first run to the last one.
	WITH twin AS (
		DELETE FROM profiling.regression AS f USING profiling.regression AS o
		WHERE f.benchmark_id = from_id AND f.status IN ('open', 'acknowledged') AND o.benchmark_id = into_id
			AND o.status IN ('open', 'acknowledged') AND o.event = f.event AND o.unit = f.unit
			AND o.branch = f.branch AND o.method = f.method AND o.level = f.level AND o.subject_id = f.subject_id
		RETURNING o.regression_id AS kept_id, f.first_test_run_id, f.last_test_run_id
	)
	UPDATE profiling.regression AS r SET
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
COMMENT ON FUNCTION move_findings(bigint, bigint)
	IS 'gives the findings of a benchmark to another one; of two that are open for the same one stays';

CREATE FUNCTION merge_look_again(from_id bigint, into_id bigint) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	UPDATE profiling.rollup AS r SET checked_at = NULL
	FROM (SELECT DISTINCT ON (o.event, o.unit, o.branch) o.benchmark_id, o.event, o.unit, o.branch, o.test_run_id
		FROM profiling.rollup AS o
		WHERE o.benchmark_id IN (from_id, into_id) AND o.span = 'run' AND profiling.has_begun(o.started_at)
			AND EXISTS (SELECT FROM profiling.rollup AS g WHERE g.benchmark_id = from_id AND g.event = o.event
				AND g.unit = o.unit AND g.branch = o.branch)
		ORDER BY o.event, o.unit, o.branch, o.started_at DESC, o.test_run_id DESC) AS n
	WHERE r.benchmark_id = n.benchmark_id AND r.event = n.event AND r.unit = n.unit AND r.branch = n.branch
		AND r.test_run_id = n.test_run_id;
END
$$;
COMMENT ON FUNCTION merge_look_again(bigint, bigint)
	IS 'lets the next night compare the newest run again of each event, unit and branch that a benchmark brings to '
		'another one';

CREATE FUNCTION may_be_merged(from_id bigint, into_id bigint) RETURNS bool
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_missing bigint;
BEGIN
	SELECT u.id INTO v_missing FROM unnest(ARRAY[from_id, into_id]) AS u (id)
	WHERE NOT EXISTS (SELECT FROM profiling.benchmark AS b WHERE b.benchmark_id = u.id) LIMIT 1;
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
COMMENT ON FUNCTION may_be_merged(bigint, bigint) IS 'true; an error for benchmarks that cannot become one';

CREATE FUNCTION merge_benchmarks(from_id bigint, into_id bigint) RETURNS correction
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_done profiling.correction := profiling.nothing_corrected();
	f record;
	i record;
	v_rollups record;
	v_models record;
BEGIN
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
COMMENT ON FUNCTION merge_benchmarks(bigint, bigint)
	IS 'gives all that is known of a benchmark to another one and takes the first away: runs that both have are summed '
		'up together, profiles that both have count once; what is loaded for the first goes to the other, by '
		'benchmark_alias; for access admin';

--
-- when: pg_cron, where it is there
--

CREATE FUNCTION scheduled_jobs(OUT ordinal int, OUT job text, OUT command text) RETURNS SETOF record
	LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 3
	BEGIN ATOMIC
		VALUES (1, 'profiling maintain', 'CALL profiling.maintain()'),
			(2, 'profiling watch_run', 'CALL profiling.watch_run()'),
			(3, 'profiling prune', 'CALL profiling.prune()');
	END;
COMMENT ON FUNCTION scheduled_jobs()
	IS 'what schedule() registers: a job each, because procedures that commit must be called alone';

CREATE FUNCTION cron_schema(cron text) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- Its functions are in schema cron whatever schema the extension was created in.
	IF EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_cron') THEN
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
				'or the crontab line: %s psql -d %s %s',
			cron, quote_literal(current_database()),
			(SELECT string_agg(format('-c %L', j.command), ' ' ORDER BY j.ordinal)
				FROM profiling.scheduled_jobs() AS j));
END
$$;
COMMENT ON FUNCTION cron_schema(text)
	IS 'the schema of pg_cron''s functions; error 0A000 with a crontab line where it is not installed, 42501 for a '
		'role that may not use it';

-- What may be seen of a setting or a file of the server is seen by few; who may not is told how to look.
CREATE FUNCTION setting_or_null(name text) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN current_setting(setting_or_null.name, true);
EXCEPTION WHEN insufficient_privilege THEN
	RETURN NULL;
END
$$;
COMMENT ON FUNCTION setting_or_null(text) IS 'a setting; null when it does not exist or may not be seen';

CREATE FUNCTION way_in(host text) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN (SELECT r.auth_method FROM pg_hba_file_rules AS r
		WHERE r.error IS NULL
			AND CASE WHEN way_in.host = '' OR way_in.host LIKE '/%' THEN r.type = 'local'
				ELSE r.type IN ('host', 'hostnossl') AND (r.address IN ('127.0.0.1', '::1', '0.0.0.0', '::', 'all',
					'samehost', 'samenet', 'localhost') OR r.address = way_in.host) END
			AND ('all' = ANY (r.database) OR current_database() = ANY (r.database))
			AND ('all' = ANY (r.user_name) OR current_user = ANY (r.user_name))
		ORDER BY r.line_number LIMIT 1);
EXCEPTION WHEN insufficient_privilege THEN
	RETURN NULL;
END
$$;
COMMENT ON FUNCTION way_in(text)
	IS 'by which method pg_hba.conf lets the caller in from this machine, as far as its rules are plain; null when '
		'none does, or it may not be read';

CREATE FUNCTION warn_of_cron() RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_workers CONSTANT text := profiling.setting_or_null('cron.use_background_workers'::text);
	v_method text;
BEGIN
	IF v_workers = 'on' THEN
		RETURN;
	END IF;
	v_method := profiling.way_in(coalesce(profiling.setting_or_null('cron.host'::text), 'localhost'));
	IF v_method = 'trust' THEN
		RETURN;
	END IF;
	IF v_workers IS NULL THEN
		RAISE NOTICE 'whether pg_cron can run these jobs is not to be seen by role "%"', current_user USING
			HINT = 'Where cron.use_background_workers is off it connects like any client, and needs a way in without a '
				'password. After a night SELECT * FROM profiling.night_health, or cron.job_run_details, tells.';
		RETURN;
	END IF;
	RAISE WARNING 'pg_cron will hardly be able to connect for these jobs' USING
		DETAIL = format('cron.use_background_workers is off, so it connects like any client, and pg_hba.conf %s.',
			coalesce('asks for method ' || v_method, 'has no plain rule that lets it in')),
		HINT = 'Set cron.use_background_workers = on and restart the server, or give role ' || quote_ident(current_user)
			|| ' a way in from this machine without a password. SELECT * FROM cron.job_run_details tells whether jobs '
				'run.';
END
$$;
COMMENT ON FUNCTION warn_of_cron()
	IS 'a WARNING when pg_cron has to connect for its jobs and pg_hba.conf does not let it in without a password; a '
		'NOTICE for callers who may see neither';

CREATE FUNCTION schedule(cron text DEFAULT '15 2 * * *') RETURNS TABLE (job_id bigint, job text, command text)
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	j record;
	v_schema CONSTANT text := profiling.cron_schema(coalesce(schedule.cron, '15 2 * * *'));
BEGIN
	FOR j IN SELECT * FROM profiling.scheduled_jobs() AS s ORDER BY s.ordinal LOOP
		EXECUTE format('SELECT %I.schedule($1, $2, $3)', v_schema) INTO job_id USING j.job,
			coalesce(schedule.cron, '15 2 * * *'), j.command;
		job := j.job;
		command := j.command;
		RETURN NEXT;
	END LOOP;
	PERFORM profiling.warn_of_cron();
END
$$;
COMMENT ON FUNCTION schedule(text)
	IS 'registers maintain, watch_run and prune with pg_cron, as jobs of the caller, whose schedule is in GMT before '
		'pg_cron 1.5, with a WARNING when pg_cron is not likely to be let in; called again it changes the schedule; '
		'error 0A000 with a crontab line where pg_cron is not installed in this database';

CREATE FUNCTION unschedule() RETURNS int
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_schema CONSTANT text := profiling.cron_schema('15 2 * * *'::text);
	v_count int;
BEGIN
	EXECUTE format('SELECT count(%1$I.unschedule(c.jobid)) FROM %1$I.job AS c '
		'WHERE c.jobname = ANY ($1) AND c.username = current_user'
		' AND c.database = current_database()', v_schema)
		INTO v_count USING ARRAY(SELECT j.job FROM profiling.scheduled_jobs() AS j);
	RETURN v_count;
END
$$;
COMMENT ON FUNCTION unschedule()
	IS 'takes the caller''s jobs of schedule() out of pg_cron again; returns how many there were';

--
-- what last night left open
--
-- A night goes on when a benchmark fails, and CI goes on when nothing was compared. What that leaves is seen here, and
-- nowhere has somebody to remember what should have been there.
--

CREATE TYPE health_problem AS (problem text, suite text, benchmark text, event text, at timestamptz, detail text);
COMMENT ON TYPE health_problem IS 'a row of night_health';

CREATE FUNCTION failed_steps() RETURNS SETOF health_problem
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
	WHERE l.step <> 'watch' AND l.outcome = 'failed' AND l.started_at > now() - interval '2 days';
END
$$;
COMMENT ON FUNCTION failed_steps()
	IS 'benchmarks whose last comparison failed or was skipped, and what maintain() and prune() failed at in two days';

CREATE FUNCTION missed_jobs() RETURNS SETOF health_problem
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
	IF EXISTS (SELECT FROM profiling.profile) AND (coalesce(v_called < now() - interval '35 days', true)
			OR NOT EXISTS (SELECT FROM profiling.partition_months() AS p WHERE p.month = v_month)) THEN
		RETURN NEXT ROW('maintain', NULL, NULL, NULL, v_called, format('maintain() %s, and there is %s partition for '
			'%s.', coalesce('last did something at ' || v_called::text, 'has not done anything yet'),
			CASE WHEN EXISTS (SELECT FROM profiling.partition_months() AS p WHERE p.month = v_month) THEN 'a'
				ELSE 'no' END, to_char(v_month, 'YYYY-MM')))::profiling.health_problem;
	END IF;
END
$$;
COMMENT ON FUNCTION missed_jobs()
	IS 'new runs without a call of watch_run() in two days, profiles without maintain() in 35';

CREATE FUNCTION switched_off(benchmark_id bigint, event text) RETURNS bool
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN NOT EXISTS (SELECT FROM profiling.watches_of(switched_off.benchmark_id, switched_off.event))
		AND EXISTS (SELECT FROM profiling.watch AS w JOIN profiling.benchmark AS b ON b.name LIKE w.benchmark
				AND b.suite LIKE w.suite AND switched_off.event LIKE w.event
			WHERE b.benchmark_id = switched_off.benchmark_id AND NOT w.enabled);
EXCEPTION WHEN OTHERS THEN
	-- A watch row that cannot be applied makes its benchmarks fail, which is seen, and not this view.
	RETURN false;
END
$$;
COMMENT ON FUNCTION switched_off(bigint, text)
	IS 'whether somebody has switched off the watching of a benchmark and event: no watch row is in force, and one '
		'that matches is not enabled';

CREATE FUNCTION stopped_benchmarks() RETURNS SETOF health_problem
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN QUERY
	SELECT 'stopped', b.suite, b.name, g.event, g.newest, format('The newest run began at %s; usually there are %s '
		'between two runs.', g.newest, CASE WHEN g.gap < 172800 THEN format('%s hours', round(g.gap / 3600))
			ELSE format('%s days', round(g.gap / 86400)) END)
	-- Asked of those that are left, not of every run: OFFSET 0 keeps the last condition out here.
	FROM (SELECT o.benchmark_id, o.event, max(o.started_at) AS newest, count(*) AS runs,
			percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM o.gap)::float8) AS gap
		FROM (SELECT d.*, d.started_at - lead(d.started_at) OVER w AS gap, row_number() OVER w AS age
			FROM (SELECT DISTINCT r.benchmark_id, r.event, r.started_at FROM profiling.rollup AS r
				WHERE r.span = 'run' AND profiling.has_begun(r.started_at)) AS d
			WINDOW w AS (PARTITION BY d.benchmark_id, d.event ORDER BY d.started_at DESC)) AS o
		WHERE o.age <= 20 GROUP BY 1, 2 OFFSET 0) AS g
		JOIN profiling.benchmark AS b ON b.benchmark_id = g.benchmark_id
	-- In seconds: three gaps before now may lie before the first time that there is.
	WHERE g.runs >= 3 AND extract(epoch FROM now() - g.newest)::float8 > greatest(3 * g.gap, 172800)
		AND NOT profiling.switched_off(g.benchmark_id, g.event);
END
$$;
COMMENT ON FUNCTION stopped_benchmarks()
	IS 'benchmarks and events whose newest run is older than two days and than three times the usual gap, the median '
		'of the last 20; of at least 3 runs, and not switched off';

CREATE FUNCTION newest_rollups(OUT benchmark_id bigint, OUT event text, OUT unit text, OUT branch text,
		OUT test_run_id bigint, OUT before_id bigint) RETURNS SETOF record
	LANGUAGE plpgsql STABLE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY
	SELECT r.benchmark_id, r.event, r.unit, r.branch, r.test_run_id, n.before_id
	FROM (SELECT o.benchmark_id, o.event, o.branch, o.test_run_id, o.started_at, o.age,
			lead(o.test_run_id) OVER w AS before_id,
			max(o.started_at) OVER (PARTITION BY o.benchmark_id, o.event) AS newest
		FROM (SELECT d.*, row_number() OVER (PARTITION BY d.benchmark_id, d.event, d.branch
				ORDER BY d.started_at DESC, d.test_run_id DESC) AS age
			FROM (SELECT DISTINCT u.benchmark_id, u.event, u.branch, u.test_run_id, u.started_at
				FROM profiling.rollup AS u WHERE u.span = 'run' AND profiling.has_begun(u.started_at)) AS d) AS o
		WHERE o.age <= 2
		WINDOW w AS (PARTITION BY o.benchmark_id, o.event, o.branch ORDER BY o.age)) AS n
		JOIN profiling.rollup AS r ON r.benchmark_id = n.benchmark_id AND r.event = n.event AND r.branch = n.branch
			AND r.test_run_id = n.test_run_id
	-- A branch that nobody works on any more is no problem of last night.
	WHERE n.age = 1 AND n.started_at > n.newest - interval '7 days';
END
$$;
COMMENT ON FUNCTION newest_rollups()
	IS 'the newest run of each benchmark, event and branch that had one within a week of the newest of all, and the '
		'run before it on its branch';

CREATE FUNCTION changed_units() RETURNS SETOF health_problem
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN QUERY
	SELECT 'unit_changed', b.suite, b.name, n.event, r.started_at, format('On branch "%s" %s.', n.branch, w.words)
	FROM profiling.newest_rollups() AS n
		JOIN profiling.benchmark AS b ON b.benchmark_id = n.benchmark_id
		JOIN profiling.rollup AS r ON r.benchmark_id = n.benchmark_id AND r.event = n.event AND r.unit = n.unit
			AND r.branch = n.branch AND r.test_run_id = n.test_run_id
		CROSS JOIN LATERAL (SELECT array_agg(o.unit ORDER BY o.unit COLLATE "C") AS units,
			max(o.metric_unit) FILTER (WHERE o.metric_count > 0) AS metric_unit
			FROM profiling.rollup AS o WHERE o.benchmark_id = n.benchmark_id AND o.event = n.event
				AND o.branch = n.branch AND o.test_run_id = n.before_id) AS p
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
COMMENT ON FUNCTION changed_units()
	IS 'newest runs whose profiles or metric have another unit than the run before them, or no metric';

CREATE FUNCTION not_compared_runs() RETURNS SETOF health_problem
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN QUERY
	SELECT 'not_compared', b.suite, b.name, n.event, r.started_at,
		format('On branch "%s" the newest run was not compared%s: %s.', n.branch,
			CASE WHEN r.compared_with IS NULL THEN '' ELSE ' as a whole' END, r.not_compared)
	FROM profiling.newest_rollups() AS n
		JOIN profiling.benchmark AS b ON b.benchmark_id = n.benchmark_id
		JOIN profiling.rollup AS r ON r.benchmark_id = n.benchmark_id AND r.event = n.event AND r.unit = n.unit
			AND r.branch = n.branch AND r.test_run_id = n.test_run_id
	WHERE r.checked_at IS NOT NULL AND r.not_compared IS NOT NULL
		AND NOT profiling.switched_off(n.benchmark_id, n.event);
END
$$;
COMMENT ON FUNCTION not_compared_runs()
	IS 'newest runs that the night has looked at and could not compare, but for those whose watch row is switched off';

CREATE FUNCTION odd_times() RETURNS SETOF health_problem
	LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN QUERY
	SELECT 'future', b.suite, b.name, o.event, o.moment, format('%s a time in the future, the latest %s; what '
		'has not begun does not count.',
		CASE o.rows WHEN 1 THEN 'A profile has' ELSE format('%s profiles have', o.rows) END, o.moment)
	FROM (SELECT p.benchmark_id, p.event, count(*) AS rows, max(greatest(t.started_at, p.recorded_at)) AS moment
		FROM profiling.profile AS p JOIN profiling.test_run AS t ON t.test_run_id = p.test_run_id
		WHERE NOT profiling.has_begun(t.started_at) OR NOT profiling.has_begun(p.recorded_at) GROUP BY 1, 2) AS o
		JOIN profiling.benchmark AS b ON b.benchmark_id = o.benchmark_id
	UNION ALL
	SELECT 'old', b.suite, b.name, o.event, o.moment, format('%s before 2000, the oldest at %s.',
		CASE o.rows WHEN 1 THEN 'A run began' ELSE format('%s runs began', o.rows) END, o.moment)
	FROM (SELECT r.benchmark_id, r.event, count(*) AS rows, min(r.started_at) AS moment FROM profiling.rollup AS r
		WHERE r.started_at < timestamptz '2000-01-01 00:00:00+00' GROUP BY 1, 2) AS o
		JOIN profiling.benchmark AS b ON b.benchmark_id = o.benchmark_id
	UNION ALL
	SELECT 'default_partition', NULL, NULL, NULL, min(d.recorded_at), format('%s of the last 90 days in the '
		'default partition, where retention deletes row by row; maintain() moves them.',
		CASE count(*) WHEN 1 THEN 'A profile is' ELSE format('%s profiles are', count(*)) END)
	FROM profiling.profile_data_default AS d WHERE d.recorded_at > now() - interval '90 days' HAVING count(*) > 0;
END
$$;
COMMENT ON FUNCTION odd_times()
	IS 'runs and profiles of the future, runs before 2000, and young profiles in the default partition';

CREATE FUNCTION failed_cron_jobs() RETURNS SETOF health_problem
	LANGUAGE plpgsql STABLE ROWS 3 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF NOT EXISTS (SELECT FROM pg_extension AS x WHERE x.extname = 'pg_cron') THEN
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
				AND EXISTS (SELECT FROM cron.job AS j WHERE j.jobid = r.jobid)
			ORDER BY r.command, r.runid DESC) AS d
		WHERE d.status = 'failed'
	$cron$ USING ARRAY(SELECT j.command FROM profiling.scheduled_jobs() AS j);
EXCEPTION WHEN insufficient_privilege OR undefined_table OR undefined_column THEN
	-- Who may not read the table of pg_cron is told nothing about it; others see what is wrong.
	RETURN;
END
$$;
COMMENT ON FUNCTION failed_cron_jobs()
	IS 'jobs of schedule() whose last run pg_cron reports as failed; none where its table is not there or may not be '
		'read';

CREATE VIEW night_health AS
SELECT h.problem, h.suite, h.benchmark, h.event, h.at, h.detail
FROM (SELECT p.* FROM failed_steps() AS p
	UNION ALL SELECT p.* FROM missed_jobs() AS p
	UNION ALL SELECT p.* FROM failed_cron_jobs() AS p
	UNION ALL SELECT p.* FROM stopped_benchmarks() AS p
	UNION ALL SELECT p.* FROM changed_units() AS p
	UNION ALL SELECT p.* FROM not_compared_runs() AS p
	UNION ALL SELECT p.* FROM odd_times() AS p) AS h;
COMMENT ON VIEW night_health IS 'what last night left open, a sentence each; no rows when all is well';
COMMENT ON COLUMN night_health.problem
	IS 'failed, skipped, not_watched, maintain, cron, stopped, unit_changed, not_compared, future, old or '
		'default_partition';
COMMENT ON COLUMN night_health.suite IS 'suite of the benchmark; null where it is about no benchmark';
COMMENT ON COLUMN night_health.benchmark IS 'name of the benchmark; null where it is about none';
COMMENT ON COLUMN night_health.event IS 'event of the profiles; null where it is about none';
COMMENT ON COLUMN night_health.at
	IS 'when: the run, the step that failed, the last call; null for what has never happened';
COMMENT ON COLUMN night_health.detail IS 'what is wrong, in a sentence or two';

--
-- views for dashboards
--
-- They read scalars, rollups or the newest profiles, never all profiles.
--

CREATE FUNCTION summable(value float8) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN abs(summable.value) < 1e150::float8 THEN summable.value END;
	END;
COMMENT ON FUNCTION summable(float8)
	IS 'the value; null for one so large that a sum of squares with it is beyond what a number can be, and means and '
		'deviations would be errors';

CREATE VIEW benchmark_trend AS
SELECT m.benchmark_id, b.suite, b.name, b.parameters, m.event, m.unit, m.branch, m.test_run_id, m.started_at, t.commit,
	m.metric, m.metric_unit,
	m.metric_mean, m.metric_mean - 2::float8 * m.metric_stddev AS metric_lower,
		m.metric_mean + 2::float8 * m.metric_stddev AS metric_upper,
	m.total, m.repetitions
FROM (SELECT r.benchmark_id, r.event, r.unit, r.branch, r.test_run_id, r.started_at, r.metric, r.metric_unit, r.total,
	r.repetitions,
		avg(summable(r.metric)) OVER w AS metric_mean, stddev_samp(summable(r.metric)) OVER w AS metric_stddev
	FROM (SELECT o.benchmark_id, o.event, o.unit, o.branch, o.test_run_id, o.started_at,
		ratio(o.metric_sum, o.metric_count::float8) AS metric,
			o.metric_unit, ratio(o.total, o.repetitions::float8) AS total, o.repetitions
		FROM rollup AS o WHERE o.span = 'run') AS r
	WINDOW w AS (PARTITION BY r.benchmark_id, r.event, r.unit, r.branch, r.metric_unit ORDER BY r.started_at,
		r.test_run_id
		ROWS BETWEEN 10 PRECEDING AND 1 PRECEDING)) AS m
	JOIN benchmark AS b ON b.benchmark_id = m.benchmark_id
	JOIN test_run AS t ON t.test_run_id = m.test_run_id;
COMMENT ON VIEW benchmark_trend
	IS 'each run of each benchmark, event and branch with its metric, the band of the 10 runs before, and its total: '
		'a chart is drawn from this view alone';
COMMENT ON COLUMN benchmark_trend.benchmark_id IS 'the benchmark';
COMMENT ON COLUMN benchmark_trend.suite IS 'its suite';
COMMENT ON COLUMN benchmark_trend.name IS 'its name';
COMMENT ON COLUMN benchmark_trend.parameters IS 'its parameters: one name can have several';
COMMENT ON COLUMN benchmark_trend.event IS 'that of the profiles';
COMMENT ON COLUMN benchmark_trend.unit IS 'unit of total';
COMMENT ON COLUMN benchmark_trend.branch IS 'branch of the run';
COMMENT ON COLUMN benchmark_trend.test_run_id IS 'the run';
COMMENT ON COLUMN benchmark_trend.started_at IS 'when it began';
COMMENT ON COLUMN benchmark_trend.commit IS 'its commit';
COMMENT ON COLUMN benchmark_trend.metric IS 'mean of the repetitions'' metrics, in metric_unit';
COMMENT ON COLUMN benchmark_trend.metric_unit IS 'unit of metric and of the band';
COMMENT ON COLUMN benchmark_trend.metric_mean IS 'mean metric of the 10 runs before, in metric_unit';
COMMENT ON COLUMN benchmark_trend.metric_lower IS 'metric_mean - 2 standard deviations, in metric_unit';
COMMENT ON COLUMN benchmark_trend.metric_upper IS 'metric_mean + 2 standard deviations, in metric_unit';
COMMENT ON COLUMN benchmark_trend.total IS 'mean of the repetitions'' totals, in unit';
COMMENT ON COLUMN benchmark_trend.repetitions IS 'number of profiles of the run';

CREATE VIEW benchmark_overview AS
SELECT k.benchmark_id, b.suite, b.name, b.parameters, k.event, k.unit, n.branch, k.runs,
	n.started_at AS last_started_at, t.commit AS last_commit,
	n.metric, n.metric_unit, h.mean AS metric_mean, ratio(n.metric - h.mean, h.stddev) AS metric_score, n.total,
	(SELECT count(*) FROM regression AS f WHERE f.benchmark_id = k.benchmark_id AND f.event = k.event
		AND f.status IN ('open', 'acknowledged')
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
COMMENT ON VIEW benchmark_overview
	IS 'one row for each benchmark, event and unit: how much there is, the newest run, how unusual its metric is, '
		'what is open';
COMMENT ON COLUMN benchmark_overview.benchmark_id IS 'the benchmark';
COMMENT ON COLUMN benchmark_overview.suite IS 'its suite';
COMMENT ON COLUMN benchmark_overview.name IS 'its name';
COMMENT ON COLUMN benchmark_overview.parameters IS 'its parameters: one name can have several';
COMMENT ON COLUMN benchmark_overview.event IS 'that of the profiles';
COMMENT ON COLUMN benchmark_overview.unit IS 'unit of total';
COMMENT ON COLUMN benchmark_overview.branch
	IS 'branch of the newest run; the newest ones of other branches are in benchmark_trend';
COMMENT ON COLUMN benchmark_overview.runs IS 'number of runs, on all branches';
COMMENT ON COLUMN benchmark_overview.last_started_at IS 'when the newest run began';
COMMENT ON COLUMN benchmark_overview.last_commit IS 'commit of the newest run';
COMMENT ON COLUMN benchmark_overview.metric IS 'metric of the newest run, in metric_unit; null when it has none';
COMMENT ON COLUMN benchmark_overview.metric_unit IS 'unit of metric and metric_mean';
COMMENT ON COLUMN benchmark_overview.metric_mean
	IS 'mean metric of the 10 runs before on the same branch, in metric_unit';
COMMENT ON COLUMN benchmark_overview.metric_score IS '(metric - metric_mean) / standard deviation of these 10';
COMMENT ON COLUMN benchmark_overview.total IS 'mean of the totals of the newest run''s profiles, in unit';
COMMENT ON COLUMN benchmark_overview.open_findings IS 'number of findings that are open or acknowledged';
COMMENT ON COLUMN benchmark_overview.truncated_share
	IS 'share of the newest run that is in stacks that were cut off; a fraction';

-- What a loader may write: profiles whose sum is out of range only with what comes later.
CREATE FUNCTION mean_or_null(fg flamegraph, benchmark_id bigint, pending bigint[], repetitions int) RETURNS flamegraph
	LANGUAGE plpgsql STABLE COST 10000 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN profiling.mean_profile(mean_or_null.fg, mean_or_null.benchmark_id, mean_or_null.pending,
		mean_or_null.repetitions);
EXCEPTION WHEN numeric_value_out_of_range THEN
	RETURN NULL;
END
$$;
COMMENT ON FUNCTION mean_or_null(flamegraph, bigint, bigint[], int)
	IS 'mean_profile(), null where the sum is out of range: one benchmark is no reason for a view of all to fail';

CREATE VIEW latest_profile AS
SELECT r.benchmark_id, b.suite, b.name, b.parameters, r.event, r.unit, r.branch, r.test_run_id, r.started_at, t.commit,
	t.version, r.repetitions,
	ratio(r.total, r.repetitions::float8) AS total,
	CASE r.repetitions WHEN 1 THEN r.flamegraph ELSE mean_or_null(r.flamegraph, r.benchmark_id, r.pending,
		r.repetitions) END AS flamegraph
FROM (SELECT DISTINCT ON (o.benchmark_id, o.event, o.unit) o.benchmark_id, o.event, o.unit, o.branch, o.test_run_id
	FROM rollup AS o WHERE has_begun(o.started_at)
	ORDER BY o.benchmark_id, o.event, o.unit, o.started_at DESC, o.test_run_id DESC) AS k
	JOIN rollup AS r ON r.benchmark_id = k.benchmark_id AND r.event = k.event AND r.unit = k.unit
		AND r.branch = k.branch AND r.test_run_id = k.test_run_id
	JOIN benchmark AS b ON b.benchmark_id = r.benchmark_id
	JOIN test_run AS t ON t.test_run_id = r.test_run_id;
COMMENT ON VIEW latest_profile
	IS 'the newest run of each benchmark, event and unit as the mean profile of its repetitions';
COMMENT ON COLUMN latest_profile.benchmark_id IS 'the benchmark';
COMMENT ON COLUMN latest_profile.suite IS 'its suite';
COMMENT ON COLUMN latest_profile.name IS 'its name';
COMMENT ON COLUMN latest_profile.parameters IS 'its parameters: one name can have several';
COMMENT ON COLUMN latest_profile.event IS 'what was sampled';
COMMENT ON COLUMN latest_profile.unit IS 'unit of total and flamegraph';
COMMENT ON COLUMN latest_profile.branch
	IS 'branch of the run; the newest of another branch: average(branch => …, runs => 1)';
COMMENT ON COLUMN latest_profile.test_run_id IS 'the run';
COMMENT ON COLUMN latest_profile.started_at IS 'when it began';
COMMENT ON COLUMN latest_profile.commit IS 'its commit';
COMMENT ON COLUMN latest_profile.version IS 'its release';
COMMENT ON COLUMN latest_profile.repetitions IS 'number of profiles in the mean';
COMMENT ON COLUMN latest_profile.total IS 'mean of their totals, in unit';
COMMENT ON COLUMN latest_profile.flamegraph IS 'mean of the profiles, in unit; null when their sum is out of range';

CREATE VIEW hot_frame AS
SELECT l.benchmark_id, l.suite, l.name, l.parameters, l.event, l.unit, l.branch, l.test_run_id, l.started_at, f.frame,
	f.self, f.self_share, f.total, f.total_share, f.rank
FROM latest_profile AS l, LATERAL (
	SELECT t.frame, t.self, t.self_share, t.total, t.total_share,
		(row_number() OVER (ORDER BY t.self DESC, t.frame COLLATE "C"))::int AS rank
	FROM top(l.flamegraph, 20) AS t) AS f;
COMMENT ON VIEW hot_frame IS 'the 20 functions in which the newest run of each benchmark and event spends most itself';
COMMENT ON COLUMN hot_frame.benchmark_id IS 'the benchmark';
COMMENT ON COLUMN hot_frame.suite IS 'its suite';
COMMENT ON COLUMN hot_frame.name IS 'its name';
COMMENT ON COLUMN hot_frame.parameters IS 'its parameters: one name can have several';
COMMENT ON COLUMN hot_frame.event IS 'what was sampled';
COMMENT ON COLUMN hot_frame.unit IS 'unit of self and total';
COMMENT ON COLUMN hot_frame.branch
	IS 'branch of the newest run; of another branch: bottlenecks(branch => …, runs => 1, measure => ''self'')';
COMMENT ON COLUMN hot_frame.test_run_id IS 'the run';
COMMENT ON COLUMN hot_frame.started_at IS 'when it began';
COMMENT ON COLUMN hot_frame.frame IS 'the function';
COMMENT ON COLUMN hot_frame.self IS 'what is spent in it itself, mean of the repetitions, in unit';
COMMENT ON COLUMN hot_frame.self_share IS 'self as a share of the profile; a fraction';
COMMENT ON COLUMN hot_frame.total IS 'what is spent in it and what it calls, recursion counted once, in unit';
COMMENT ON COLUMN hot_frame.total_share IS 'total as a share of the profile; a fraction';
COMMENT ON COLUMN hot_frame.rank IS '1 is the function with the largest self';

CREATE VIEW regression_history AS
SELECT f.benchmark_id, f.regression_id, b.suite, b.name, b.parameters, f.event, f.unit, f.branch, f.method, f.level,
	f.subject, f.kind, f.status, f.team,
	f.expected, f.actual, f.diff, f.relative, f.score, f.p_value, f.q_value, f.lower, f.upper, f.opened_at, f.closed_at,
	f.first_test_run_id, o.started_at AS first_started_at, o.commit AS first_commit,
	f.last_test_run_id, l.started_at AS last_started_at, l.commit AS last_commit, f.note
FROM regression AS f JOIN benchmark AS b ON b.benchmark_id = f.benchmark_id
	LEFT JOIN test_run AS o ON o.test_run_id = f.first_test_run_id
	LEFT JOIN test_run AS l ON l.test_run_id = f.last_test_run_id;
COMMENT ON VIEW regression_history IS 'all findings, with the names of their benchmarks and the commits of their runs';

CREATE VIEW open_regression AS
SELECT h.* FROM regression_history AS h WHERE h.status IN ('open', 'acknowledged');
COMMENT ON VIEW open_regression
	IS 'findings that are open or acknowledged, with the names of their benchmarks and the commits of their runs';

-- the comments of both
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
			WHEN a.attname OPERATOR(pg_catalog.=) 'last_started_at'::name
				THEN 'when the last run that it was seen in began'
			WHEN a.attname OPERATOR(pg_catalog.=) 'last_commit'::name THEN 'commit of that run' END) AS comment
		FROM (VALUES ('regression_history'), ('open_regression')) AS v (name)
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

CREATE VIEW team_regression AS
SELECT f.team, count(*) AS open, max(abs(f.relative)) AS worst, min(f.opened_at) AS oldest
FROM regression AS f
WHERE f.status IN ('open', 'acknowledged') AND f.kind = 'degradation'
GROUP BY f.team;
COMMENT ON VIEW team_regression IS 'degradations that are open or acknowledged, by team';
COMMENT ON COLUMN team_regression.team IS 'the team; empty for findings that match no owner';
COMMENT ON COLUMN team_regression.open IS 'number of open degradations';
COMMENT ON COLUMN team_regression.worst IS 'the largest relative change among them; a fraction of what was expected';
COMMENT ON COLUMN team_regression.oldest IS 'when the oldest of them was found';

CREATE VIEW model_change AS
SELECT n.benchmark_id, b.suite, b.name, b.parameters, n.location, n.unit, t.branch, n.test_run_id, t.started_at,
	t.commit, p.test_run_id AS previous_test_run_id, p.kind AS previous_kind, n.kind, p.r_square AS previous_r_square,
	n.r_square,
	p.model AS previous_model, n.model, i.relative_error, i.result
FROM (SELECT DISTINCT ON (m.benchmark_id, m.location, m.unit) m.*
	FROM fitted_model AS m JOIN test_run AS r ON r.test_run_id = m.test_run_id
	WHERE m.kind IN ('constant', 'logarithmic', 'linear', 'quadratic', 'power', 'exponential')
		AND has_begun(r.started_at)
	ORDER BY m.benchmark_id, m.location, m.unit, r.started_at DESC, r.test_run_id DESC) AS n
	JOIN test_run AS t ON t.test_run_id = n.test_run_id
	JOIN benchmark AS b ON b.benchmark_id = n.benchmark_id
	CROSS JOIN LATERAL (SELECT m.test_run_id, m.kind, m.r_square, m.model
		FROM fitted_model AS m JOIN test_run AS r ON r.test_run_id = m.test_run_id
		WHERE m.benchmark_id = n.benchmark_id AND m.location = n.location AND m.unit = n.unit AND r.branch = t.branch
			AND m.kind IN ('constant', 'logarithmic', 'linear', 'quadratic', 'power', 'exponential')
			AND (r.started_at, r.test_run_id) < (t.started_at, t.test_run_id)
		ORDER BY r.started_at DESC, r.test_run_id DESC LIMIT 1) AS p
	CROSS JOIN LATERAL integral_comparison(p.model, n.model, 0.1::float8, 0.25::float8) AS i;
COMMENT ON VIEW model_change
	IS 'the best formula of each location in the newest run and in the run before on its branch';
COMMENT ON COLUMN model_change.benchmark_id IS 'the benchmark';
COMMENT ON COLUMN model_change.suite IS 'its suite';
COMMENT ON COLUMN model_change.name IS 'its name';
COMMENT ON COLUMN model_change.parameters IS 'its parameters: one name can have several';
COMMENT ON COLUMN model_change.location IS 'the function';
COMMENT ON COLUMN model_change.unit IS 'unit of what was measured';
COMMENT ON COLUMN model_change.branch IS 'branch of both runs';
COMMENT ON COLUMN model_change.test_run_id IS 'the newest run';
COMMENT ON COLUMN model_change.started_at IS 'when it began';
COMMENT ON COLUMN model_change.commit IS 'its commit';
COMMENT ON COLUMN model_change.previous_test_run_id IS 'the run before';
COMMENT ON COLUMN model_change.previous_kind IS 'kind of its best formula: constant, linear, …';
COMMENT ON COLUMN model_change.kind IS 'kind of the newest run''s best formula';
COMMENT ON COLUMN model_change.previous_r_square IS 'how well the formula before fits; 1 is perfect';
COMMENT ON COLUMN model_change.r_square IS 'how well the newest formula fits; 1 is perfect';
COMMENT ON COLUMN model_change.previous_model IS 'the model before';
COMMENT ON COLUMN model_change.model IS 'the newest model';
COMMENT ON COLUMN model_change.relative_error
	IS 'difference of their integrals, relative to the one before; a fraction';
COMMENT ON COLUMN model_change.result
	IS 'what integral_comparison() says: no_change, maybe_degradation, degradation, maybe_optimization, optimization '
		'or unknown';

--
-- the report of Lundberg & Rettig 2024, appendix B
--

CREATE FUNCTION ages_of(fg flamegraph, test_run_id bigint) RETURNS jsonb
	LANGUAGE sql STABLE COST 10000
	BEGIN ATOMIC
		SELECT coalesce(pg_catalog.jsonb_object_agg(a.frame, a.age), '{}'::jsonb)
		FROM (SELECT f.frame, extract(epoch FROM t.started_at - max(c.committed_at))::float8 AS age
			FROM pg_catalog.unnest(frames(ages_of.fg)) AS f (frame) JOIN frame_commit AS c
				ON stackpath(ARRAY[f.frame]) ~ c.pattern
				JOIN test_run AS t ON t.test_run_id = ages_of.test_run_id
			WHERE c.committed_at <= t.started_at AND isfinite(c.committed_at)
			GROUP BY f.frame, t.started_at) AS a;
	END;
COMMENT ON FUNCTION ages_of(flamegraph, bigint)
	IS 'how many seconds before a run the code of each function of a profile was last committed, by frame_commit, as '
		'the option ages of the searches';

CREATE FUNCTION report_inputs(benchmark_id bigint, test_run_id bigint, options jsonb, OUT run_id bigint, OUT event text,
		OUT unit text,
		OUT branch text, OUT window_size int, OUT history flamegraph[], OUT current flamegraph, OUT candidates int,
			OUT selection text, OUT others jsonb)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	v_options CONSTANT jsonb := coalesce(report_inputs.options, '{}');
	v_means record;
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
		RAISE EXCEPTION 'there is no run to report on' USING ERRCODE = 'invalid_parameter_value',
			DETAIL = format('Benchmark %s, run %s, event %s.', coalesce(report_inputs.benchmark_id::text, 'NULL'),
				coalesce(report_inputs.test_run_id::text, 'of any number'), event);
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
		'first, its own, and the options of the searches';

CREATE FUNCTION report_rows(history flamegraph[], current flamegraph, candidates int, selection text, others jsonb)
	RETURNS TABLE (rank int, section text, trace int, step int, frame text, expected float8, actual float8, diff float8,
		candidate_diff float8,
		score float8, raw_score float8, status text)
	LANGUAGE sql STABLE ROWS 100
	BEGIN ATOMIC
		SELECT r.* FROM regression_report(report_rows.history, report_rows.current, report_rows.candidates,
			report_rows.selection,
			report_rows.others) AS r;
	END;
COMMENT ON FUNCTION report_rows(flamegraph[], flamegraph, int, text, jsonb)
	IS 'the rows of a report, from what report_inputs() returns';

CREATE FUNCTION report(benchmark_id bigint, test_run_id bigint DEFAULT NULL, options jsonb DEFAULT '{}')
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

-- A report is posted where Markdown is rendered, by a program that may have rights
-- there: no name in it may form markup, notify somebody or become a link. Backslashes
-- are for the renderer, &#8203; (a character without width) is for what looks for
-- mentions, references and addresses in the rendered text. Control characters of
-- Unicode are folded in UTF8 only; in other encodings their numbers are other characters.
CREATE FUNCTION markdown_cell(value text) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT coalesce(
			-- what starts a list, a rule or the underline of a heading
			regexp_replace(regexp_replace(regexp_replace(regexp_replace(replace(replace(replace(
				btrim(regexp_replace(markdown_cell.value, CASE WHEN getdatabaseencoding()::text = 'UTF8'
					THEN '[\u0001-\u0020\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]+'
						ELSE '[\u0001-\u0020\u007f]+' END, ' '::text, 'g'::text)),
				'&'::text, '&amp;'::text), '<'::text, '&lt;'::text), '>'::text, '&gt;'::text),
				'([\\|`*_\[\]#~!$])'::text, '\\\1'::text, 'g'::text),
				'(@|:(?=//)|www(?=\.)|[#!](?=[0-9])|GH-(?=[0-9]))'::text, '\1&#8203;'::text, 'gi'::text),
				'^([-+=])'::text, '\\\1'::text),
				'^([0-9]+)([.)])(?= |$)'::text, '\1\\\2'::text), ''::text);
	END;
COMMENT ON FUNCTION markdown_cell(text)
	IS 'any text as it stands in a report in Markdown: on one line, without markup, mentions or links';

CREATE FUNCTION report_number(value float8, digits int DEFAULT 1) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN value IS NULL THEN '' WHEN abs(value) < 1e15::float8 THEN trim_scale(round(value::numeric,
			digits))::text ELSE value::text END;
	END;
COMMENT ON FUNCTION report_number(float8, int) IS 'a number as a report shows it';

CREATE FUNCTION report_head(benchmark_id bigint, test_run_id bigint, branch text, event text, unit text,
		window_size int, runs int)
	RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	h CONSTANT record := (SELECT r FROM (SELECT b.suite, b.name, b.parameters, t.started_at, t.commit, t.version
		FROM profiling.benchmark AS b, profiling.test_run AS t
		WHERE b.benchmark_id = report_head.benchmark_id AND t.test_run_id = report_head.test_run_id) AS r);
	v_unit CONSTANT text := profiling.markdown_cell(report_head.unit);
BEGIN
	RETURN '# Result' || E'\n\n'
		'The code paths that changed the most in this run, against the runs before it.' || E'\n\n'
		'- **Expected:** mean of the runs before, in ' || v_unit || E'\n'
		'- **Actual:** value of this run' || E'\n'
		'- **Diff:** actual - expected' || E'\n'
		'- **Score:** diff in standard deviations of the runs before; a score of 2 lies on the edge of the band of 2'
		' deviations' || E'\n'
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
		'- **Window:** ' || report_head.window_size || ' runs, of which there are ' || report_head.runs || E'\n';
END
$$;
COMMENT ON FUNCTION report_head(bigint, bigint, text, text, text, int, int)
	IS 'what report_text() says before its overview: how it is read, and of what it is; runs: how many there are in '
		'the window';

CREATE FUNCTION report_text(benchmark_id bigint, test_run_id bigint DEFAULT NULL,
		options jsonb DEFAULT '{}') RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	i CONSTANT record := profiling.report_inputs(report_text.benchmark_id, report_text.test_run_id,
		report_text.options);
	v_text CONSTANT text := profiling.report_head(report_text.benchmark_id, i.run_id, i.branch, i.event, i.unit,
		i.window_size,
		cardinality(i.history));
	v_overview text := '';
	v_body text := '';
	c record;
BEGIN
	-- A deviation needs two runs.
	IF cardinality(i.history) < 2 THEN
		RETURN v_text || E'\n## Overview\n\nNothing to report: there are fewer than two runs before.\n';
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
COMMENT ON FUNCTION report_text(bigint, bigint, jsonb)
	IS 'report() as a Markdown page: parameters, overview, and each candidate with its call stacks (Lundberg & Rettig '
		'2024, appendix B); the same options';

--
-- a benchmark by its name
--

CREATE FUNCTION benchmark_called(name text, suite text DEFAULT '%') RETURNS bigint
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
	IF benchmark_called.name ~ '^[0-9]{1,18}$' AND EXISTS (SELECT FROM profiling.benchmark AS b
			WHERE b.benchmark_id = benchmark_called.name::bigint AND b.suite LIKE v_suite) THEN
		RETURN benchmark_called.name::bigint;
	END IF;
	RAISE EXCEPTION 'there is no benchmark "%"', coalesce(benchmark_called.name, 'NULL')
		USING ERRCODE = 'no_data_found', HINT = profiling.names_hint(benchmark_called.name,
			ARRAY(SELECT DISTINCT b.name COLLATE "C" FROM profiling.benchmark AS b
				WHERE b.suite LIKE v_suite ORDER BY 1));
END
$$;
COMMENT ON FUNCTION benchmark_called(text, text)
	IS 'the number of the benchmark of this name (in suites that match a pattern of LIKE), or of this number written '
		'as text; an error that lists them when there are several, or the nearest names when there is none';

CREATE FUNCTION frame_trend(benchmark text, frame text, measure text DEFAULT 'total', window_size int DEFAULT 10,
		k float8 DEFAULT 2, event text DEFAULT 'cpu', branch text DEFAULT NULL)
	RETURNS TABLE (test_run_id bigint, started_at timestamptz, commit text, value float8, mean float8, stddev float8,
		lower float8, upper float8, score float8, outside bool)
	LANGUAGE sql STABLE COST 100000 ROWS 100
	BEGIN ATOMIC
		SELECT t.* FROM profiling.frame_trend(benchmark_called(frame_trend.benchmark, '%'::text), frame_trend.frame,
			frame_trend.measure, frame_trend.window_size, frame_trend.k, frame_trend.event, frame_trend.branch) AS t;
	END;
COMMENT ON FUNCTION frame_trend(text, text, text, int, float8, text, text)
	IS 'the same of a benchmark by its name: one function over the runs of a branch';

CREATE FUNCTION report(benchmark text, test_run_id bigint DEFAULT NULL, options jsonb DEFAULT '{}')
	RETURNS TABLE (rank int, section text, trace int, step int, frame text, expected float8, actual float8, diff float8,
		candidate_diff float8, score float8, raw_score float8, status text)
	LANGUAGE sql STABLE ROWS 100
	BEGIN ATOMIC
		SELECT r.* FROM profiling.report(benchmark_called(report.benchmark, '%'::text), report.test_run_id,
			report.options) AS r;
	END;
COMMENT ON FUNCTION report(text, bigint, jsonb) IS 'the same of a benchmark by its name: regression_report() of a run';

CREATE FUNCTION report_text(benchmark text, test_run_id bigint DEFAULT NULL, options jsonb DEFAULT '{}') RETURNS text
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT profiling.report_text(benchmark_called(report_text.benchmark, '%'::text), report_text.test_run_id,
			report_text.options);
	END;
COMMENT ON FUNCTION report_text(text, bigint, jsonb)
	IS 'the same of a benchmark by its name: report() as a Markdown page';

CREATE FUNCTION detect(benchmark text, test_run_id bigint DEFAULT NULL) RETURNS SETOF finding
	LANGUAGE sql STABLE ROWS 10
	BEGIN ATOMIC
		SELECT d.* FROM profiling.detect(benchmark_called(detect.benchmark, '%'::text), detect.test_run_id) AS d;
	END;
COMMENT ON FUNCTION detect(text, bigint)
	IS 'the same of a benchmark by its name: what the nightly comparison finds in a run, nothing is written';

CREATE FUNCTION watch_benchmark(benchmark text, families int DEFAULT NULL, OUT runs int, OUT opened int,
		OUT updated int, OUT closed int)
	LANGUAGE sql
	BEGIN ATOMIC
		SELECT w.runs, w.opened, w.updated, w.closed
		FROM profiling.watch_benchmark(benchmark_called(watch_benchmark.benchmark, '%'::text),
			watch_benchmark.families) AS w;
	END;
COMMENT ON FUNCTION watch_benchmark(text, int)
	IS 'the same of a benchmark by its name: compares its new runs with history';

--
-- rule sets for the names of frames
--

CREATE FUNCTION add_frame_rules(name text, suite text, benchmark text) RETURNS int
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
			WHERE NOT EXISTS (SELECT FROM frame_rule AS f WHERE f.suite = add_frame_rules.suite
				AND f.benchmark = add_frame_rules.benchmark AND f.pattern = r.pattern
				AND f.replacement = r.replacement)
			ORDER BY r.n
			RETURNING 1
		)
		SELECT count(*)::int FROM added;
	END;
COMMENT ON FUNCTION add_frame_rules(text, text, text)
	IS 'adds the rules of frame_rules(name) that frame_rule has not yet for these suites and benchmarks, behind the '
		'others';

CREATE FUNCTION use_frame_rules(name text, suite text DEFAULT '%', benchmark text DEFAULT '%') RETURNS int
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- Two that do it at once shall not both find that the rules are missing.
	LOCK TABLE profiling.frame_rule IN SHARE ROW EXCLUSIVE MODE;
	RETURN profiling.add_frame_rules(coalesce(use_frame_rules.name, ''), coalesce(use_frame_rules.suite, '%'),
		coalesce(use_frame_rules.benchmark, '%'));
END
$$;
COMMENT ON FUNCTION use_frame_rules(text, text, text)
	IS 'has the frames of what is loaded from now on renamed by a shipped rule set, frame_rules(name), in suites and '
		'benchmarks that match these patterns of LIKE; returns how many rules are new: 0 the second time';

--
-- what pg_dump carries: every row of every table, and the sequences
--
-- One call a statement: two in one would update the same catalog row. Partitions
-- that add_partition() makes are no members of the extension and dumped as they are.
--

SELECT pg_catalog.pg_extension_config_dump('profiling.benchmark'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.benchmark_alias'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.test_run'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.profile'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.profile_data_default'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.observation'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.fitted_model'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.rollup'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.watch'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.regression'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.owner'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.frame_rule'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.frame_commit'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.job_log'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.benchmark_benchmark_id_seq'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.test_run_test_run_id_seq'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.profile_profile_id_seq'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.observation_observation_id_seq'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.watch_watch_id_seq'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.regression_regression_id_seq'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.owner_owner_id_seq'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.frame_rule_rule_id_seq'::regclass, ''::text);
SELECT pg_catalog.pg_extension_config_dump('profiling.job_log_log_id_seq'::regclass, ''::text);

--
-- nothing here is bound to what others have made
--
-- Views, SQL bodies, constraints and indexes name what they use by the oid it had when this script ran. All of that is
-- PostgreSQL's own, of this extension or of flamegraph as it was installed: what the owner of that extension may have
-- added to it later is somebody's own.
--

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
			OR d.refobjid = n.flamegraph AND NOT EXISTS (SELECT FROM pg_shdepend AS s JOIN pg_roles AS r
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
			AND NOT EXISTS (SELECT FROM ours AS u WHERE u.classid = d.refclassid AND u.objid = d.refobjid)
			AND NOT (d.refclassid = 'pg_extension'::regclass AND d.refobjid = n.store)
			AND NOT (d.refclassid = 'pg_namespace'::regclass AND d.refobjid = n.schema)
			-- dropped and created again
			AND NOT EXISTS (SELECT FROM pg_language AS l WHERE d.refclassid = 'pg_language'::regclass
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
