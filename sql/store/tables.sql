
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
	-- By run first, so that this is its index, too. Beside one of the run alone the planner may take that for the whole
	-- key as long as the table has not been analyzed: an import would look for its profile among all of its run.
	CONSTRAINT profile_key UNIQUE (test_run_id, benchmark_id, event, unit, instance, repetition, content_id)
);
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
	truncated flamegraph,
	samples flamegraph,
	noise flamegraph
) PARTITION BY RANGE (recorded_at);
-- The values are compressed already: PostgreSQL need not try.
ALTER TABLE profile_data ALTER flamegraph SET STORAGE EXTERNAL, ALTER truncated SET STORAGE EXTERNAL,
	ALTER samples SET STORAGE EXTERNAL, ALTER noise SET STORAGE EXTERNAL;
COMMENT ON TABLE profile_data IS 'the profiles themselves, by month';
COMMENT ON COLUMN profile_data.benchmark_id IS 'the benchmark';
COMMENT ON COLUMN profile_data.profile_id IS 'the row of profile';
COMMENT ON COLUMN profile_data.recorded_at IS 'that of profile';
COMMENT ON COLUMN profile_data.flamegraph IS 'the profile, in profile.unit, frame rules applied';
COMMENT ON COLUMN profile_data.truncated IS 'stacks that were cut off, kept apart; null when there are none';
COMMENT ON COLUMN profile_data.samples
	IS 'number of samples per stack of flamegraph, where samples weigh differently; null: flamegraph / period, or '
		'unknown';
COMMENT ON COLUMN profile_data.noise
	IS 'sum of the squared weights of the samples per stack, in unit squared: the variance of flamegraph by chance '
		'alone; null: period * flamegraph, or unknown';

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
	d.flamegraph, d.truncated, d.samples, d.noise
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
				WHEN v.attname::text IN ('flamegraph', 'truncated', 'samples', 'noise') THEN 'profile_data'
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
-- after the fourth, and large ones after the first, are only noted in pending, and added
-- by fold_rollups() together.
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
	samples flamegraph,
	noise flamegraph,
	period float8,
	CHECK ((repetitions - pg_catalog.cardinality(pending) = 1) = (stats_stack IS NULL)
		AND (stats_stack IS NULL) = (stats_node IS NULL)
		AND (stats_stack IS NULL) = (stats_frame IS NULL) AND (stats_stack IS NULL) = (stats_self IS NULL)),
	PRIMARY KEY (benchmark_id, event, unit, branch, test_run_id)
);
CREATE INDEX rollup_history_idx ON rollup (benchmark_id, event, unit, branch, started_at);
CREATE INDEX rollup_unchecked_idx ON rollup (benchmark_id) WHERE checked_at IS NULL;
CREATE INDEX rollup_pending_idx ON rollup (benchmark_id) WHERE pending OPERATOR(pg_catalog.<>) '{}'::bigint[];
ALTER TABLE rollup ALTER flamegraph SET STORAGE EXTERNAL, ALTER stats_stack SET STORAGE EXTERNAL,
	ALTER stats_node SET STORAGE EXTERNAL, ALTER stats_frame SET STORAGE EXTERNAL,
	ALTER stats_self SET STORAGE EXTERNAL, ALTER samples SET STORAGE EXTERNAL, ALTER noise SET STORAGE EXTERNAL;
-- Each import of a run with many repetitions writes pending again: to compress it took a seventh of that.
ALTER TABLE rollup ALTER pending SET STORAGE EXTERNAL;
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
