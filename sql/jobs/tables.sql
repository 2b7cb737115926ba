
--
-- what a job is made of: phases in time, resources, what was measured of them
--
-- A constraint that a row alone can break has the name of the problem as validate_job()
-- calls it. What takes more than one table is found when a job is read.
--
-- Times lie in a range in which the difference of any two of them, and twice that, is
-- exact: bad_time. Texts that are part of a key fit a page of a btree.
--

CREATE TYPE phase_repeat AS ENUM ('once', 'sequential', 'concurrent');
COMMENT ON TYPE phase_repeat
	IS 'how often a phase of a type is below one parent: once, several after each other, several at a time';
CREATE TYPE resource_class AS ENUM ('consumable', 'blocking');
COMMENT ON TYPE resource_class
	IS 'consumable: used at a rate up to a capacity; blocking: blocked or not; null where it is used: only a container';
CREATE TYPE attribution_rule_kind AS ENUM ('none', 'full', 'greedy', 'sink');
COMMENT ON TYPE attribution_rule_kind
	IS 'none: does not use it; full: waits whenever it is blocked; greedy: up to a cap, served first; sink: equal '
		'share of what the greedy ones leave';

--
-- the model of a platform: what phases and resources there can be
--

CREATE TABLE platform_model (
	model text PRIMARY KEY CHECK (model <> '' AND octet_length(model) <= 500),
	description text NOT NULL DEFAULT ''
);
COMMENT ON TABLE platform_model
	IS 'a platform: the types of the phases and resources of its jobs, and rules between them';
COMMENT ON COLUMN platform_model.model IS 'its name';
COMMENT ON COLUMN platform_model.description IS 'what it is, in words';

CREATE TABLE phase_type (
	model text NOT NULL CHECK (octet_length(model) <= 500),
	phase_type text NOT NULL CHECK (phase_type <> '' AND octet_length(phase_type) <= 500),
	description text NOT NULL DEFAULT '',
	parent_type text CHECK (octet_length(parent_type) <= 500),
	repeat phase_repeat NOT NULL DEFAULT 'once',
	bottleneck_predicate text CHECK (octet_length(bottleneck_predicate) <= 500),
	PRIMARY KEY (model, phase_type),
	CONSTRAINT root_type_repeatable CHECK (parent_type IS NOT NULL OR repeat = 'once'::phase_repeat),
	CONSTRAINT phase_type_cycle CHECK (parent_type <> phase_type)
);
CREATE UNIQUE INDEX root_type_count ON phase_type (model) WHERE parent_type IS NULL;
COMMENT ON TABLE phase_type IS 'what kinds of phases a job of a platform has, as a tree with one root';
COMMENT ON COLUMN phase_type.model IS 'the platform';
COMMENT ON COLUMN phase_type.phase_type IS 'name of the type';
COMMENT ON COLUMN phase_type.description IS 'what such a phase does, in words';
COMMENT ON COLUMN phase_type.parent_type IS 'type of the phase that it is part of; null: the whole job';
COMMENT ON COLUMN phase_type.repeat
	IS 'once, sequential or concurrent: how often it is below one parent; the root''s is once';
COMMENT ON COLUMN phase_type.bottleneck_predicate
	IS 'when a phase of this type with subphases is bottlenecked: a word of the argument predicate, which it overrides';

CREATE TABLE phase_type_precedence (
	model text NOT NULL CHECK (octet_length(model) <= 500),
	before text NOT NULL CHECK (octet_length(before) <= 500),
	after text NOT NULL CHECK (octet_length(after) <= 500),
	PRIMARY KEY (model, before, after),
	CONSTRAINT precedence_cycle CHECK (before <> after)
);
COMMENT ON TABLE phase_type_precedence IS 'which phases below one parent wait for which: a graph without cycles';
COMMENT ON COLUMN phase_type_precedence.model IS 'the platform';
COMMENT ON COLUMN phase_type_precedence.before IS 'type of the phases that have to end first';
COMMENT ON COLUMN phase_type_precedence.after IS 'type of those that begin then; both types have the same parent';

CREATE TABLE resource_type (
	model text NOT NULL CHECK (octet_length(model) <= 500),
	resource_type text NOT NULL CHECK (resource_type <> '' AND octet_length(resource_type) <= 500),
	description text NOT NULL DEFAULT '',
	parent_type text CHECK (octet_length(parent_type) <= 500),
	class resource_class,
	unit text,
	PRIMARY KEY (model, resource_type),
	CONSTRAINT resource_type_cycle CHECK (parent_type <> resource_type)
);
COMMENT ON TABLE resource_type IS 'what kinds of resources a platform has, as trees';
COMMENT ON COLUMN resource_type.model IS 'the platform';
COMMENT ON COLUMN resource_type.resource_type IS 'name of the type';
COMMENT ON COLUMN resource_type.description IS 'what it is, in words';
COMMENT ON COLUMN resource_type.parent_type IS 'type of what it is part of; null: of nothing';
COMMENT ON COLUMN resource_type.class
	IS 'consumable: used at a rate up to a capacity; blocking: blocked or not; null: a container of others';
COMMENT ON COLUMN resource_type.unit IS 'unit of usage and capacity: cores, percent, B/s, …';

CREATE TABLE attribution_rule (
	model text NOT NULL CHECK (octet_length(model) <= 500),
	phase_type text NOT NULL CHECK (octet_length(phase_type) <= 500),
	resource_type text NOT NULL CHECK (octet_length(resource_type) <= 500),
	rule attribution_rule_kind NOT NULL,
	cap float8,
	delta float8,
	CONSTRAINT duplicate_rule PRIMARY KEY (model, phase_type, resource_type),
	CONSTRAINT bad_cap CHECK ((rule = 'greedy'::attribution_rule_kind) = (cap IS NOT NULL)
		AND (cap IS NULL OR cap > 0::float8 AND cap < 'infinity'::float8)),
	CONSTRAINT bad_delta CHECK (delta > 0::float8 AND delta <= 1::float8)
);
COMMENT ON TABLE attribution_rule
	IS 'how phases of a type use resources of a type; holds for the types below, too, that have no rule of their own. '
		'Without any: full for blocking, sink for consumable resources';
COMMENT ON COLUMN attribution_rule.model IS 'the platform';
COMMENT ON COLUMN attribution_rule.phase_type IS 'type of the phases';
COMMENT ON COLUMN attribution_rule.resource_type IS 'type of the resources';
COMMENT ON COLUMN attribution_rule.rule
	IS 'none: does not use it; full: waits whenever it is blocked; greedy: up to cap, served first; sink: equal share '
		'of what the greedy ones leave';
COMMENT ON COLUMN attribution_rule.cap IS 'what one phase uses at most, in the unit of the resource; of greedy only';
COMMENT ON COLUMN attribution_rule.delta
	IS 'share of what it may get from which on a phase is held up by it; null: the argument delta';

--
-- one job
--

CREATE TABLE job (
	job_id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
	model text NOT NULL CHECK (octet_length(model) <= 500),
	name text NOT NULL DEFAULT '',
	test_run_id bigint,
	started_at timestamptz CHECK (isfinite(started_at)),
	labels jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(labels) = 'object')
);
CREATE INDEX job_model_idx ON job (model);
COMMENT ON TABLE job IS 'one job that ran; a row that is deleted takes all rows of the job with it';
COMMENT ON COLUMN job.job_id IS 'number; carried by every row of the job';
COMMENT ON COLUMN job.model IS 'the platform that it ran on';
COMMENT ON COLUMN job.name IS 'what it is called';
COMMENT ON COLUMN job.test_run_id IS 'the run of flamegraph_store that it was part of, where that is installed';
COMMENT ON COLUMN job.started_at IS 'when it began; null: as its root phase says';
COMMENT ON COLUMN job.labels IS 'object of whatever else describes it';

CREATE TABLE phase (
	job_id bigint NOT NULL,
	phase_id bigint NOT NULL,
	parent_id bigint,
	phase_type text NOT NULL CHECK (octet_length(phase_type) <= 500),
	instance text NOT NULL DEFAULT '' CHECK (octet_length(instance) <= 1000),
	start_time timestamptz NOT NULL,
	end_time timestamptz NOT NULL,
	PRIMARY KEY (job_id, phase_id),
	CONSTRAINT phase_end_before_start CHECK (end_time >= start_time),
	CONSTRAINT phase_cycle CHECK (parent_id <> phase_id),
	CONSTRAINT bad_time CHECK (start_time > '-infinity'::timestamptz
		AND end_time < '100000-01-01 00:00:00+00'::timestamptz)
);
CREATE UNIQUE INDEX duplicate_instance ON phase (job_id, parent_id, phase_type, instance);
CREATE UNIQUE INDEX root_count ON phase (job_id) WHERE parent_id IS NULL;
COMMENT ON TABLE phase IS 'what a job did when: a tree with one root, the job itself; phases without parts are leaves';
COMMENT ON COLUMN phase.job_id IS 'the job';
COMMENT ON COLUMN phase.phase_id IS 'number of the phase within the job';
COMMENT ON COLUMN phase.parent_id IS 'the phase that it is part of; null: the whole job';
COMMENT ON COLUMN phase.phase_type IS 'its type, one of those of the platform';
COMMENT ON COLUMN phase.instance IS 'which of several of its type below one parent: a machine, a thread, a step';
COMMENT ON COLUMN phase.start_time IS 'when it began';
COMMENT ON COLUMN phase.end_time IS 'when it had ended: the first moment that is not part of it';

CREATE TABLE resource (
	job_id bigint NOT NULL,
	resource_id bigint NOT NULL,
	parent_id bigint,
	resource_type text NOT NULL CHECK (octet_length(resource_type) <= 500),
	instance text NOT NULL DEFAULT '' CHECK (octet_length(instance) <= 1000),
	capacity float8,
	delta float8,
	PRIMARY KEY (job_id, resource_id),
	CONSTRAINT bad_capacity CHECK (capacity >= 0::float8 AND capacity < 'infinity'::float8),
	CONSTRAINT bad_delta CHECK (delta > 0::float8 AND delta <= 1::float8),
	CONSTRAINT resource_cycle CHECK (parent_id <> resource_id)
);
COMMENT ON TABLE resource IS 'what a job had: machines and what is in them, locks, queues, as trees';
COMMENT ON COLUMN resource.job_id IS 'the job';
COMMENT ON COLUMN resource.resource_id IS 'number of the resource within the job';
COMMENT ON COLUMN resource.parent_id IS 'what it is part of; null: of nothing';
COMMENT ON COLUMN resource.resource_type IS 'its type, one of those of the platform';
COMMENT ON COLUMN resource.instance IS 'which of several of its type: a machine, a device';
COMMENT ON COLUMN resource.capacity
	IS 'the most that can be used, in the unit of the type; of consumable ones, null for others';
COMMENT ON COLUMN resource.delta
	IS 'share of the capacity from which on it is saturated; null: the argument delta';

CREATE TABLE phase_resource (
	job_id bigint NOT NULL,
	phase_id bigint NOT NULL,
	resource_id bigint NOT NULL,
	PRIMARY KEY (job_id, phase_id, resource_id)
);
COMMENT ON TABLE phase_resource
	IS 'what a phase may use: these resources with all that is below them; without rows what its parent may, a root '
		'without rows everything';
COMMENT ON COLUMN phase_resource.job_id IS 'the job';
COMMENT ON COLUMN phase_resource.phase_id IS 'the phase';
COMMENT ON COLUMN phase_resource.resource_id IS 'the resource; one that the parent of the phase may use, too';

CREATE TABLE usage_measurement (
	job_id bigint NOT NULL,
	resource_id bigint NOT NULL,
	start_time timestamptz NOT NULL,
	end_time timestamptz NOT NULL,
	usage float8 NOT NULL,
	PRIMARY KEY (job_id, resource_id, start_time, end_time),
	CONSTRAINT measurement_end_before_start CHECK (end_time >= start_time),
	CONSTRAINT bad_usage CHECK (usage >= 0::float8 AND usage < 'infinity'::float8),
	CONSTRAINT bad_time CHECK (start_time > '-infinity'::timestamptz
		AND end_time < '100000-01-01 00:00:00+00'::timestamptz)
);
COMMENT ON TABLE usage_measurement
	IS 'how much of a consumable resource was used on average in a period; periods of one resource do not overlap';
COMMENT ON COLUMN usage_measurement.job_id IS 'the job';
COMMENT ON COLUMN usage_measurement.resource_id IS 'the resource';
COMMENT ON COLUMN usage_measurement.start_time IS 'begin of the period; of a sample at a point in time its end, too';
COMMENT ON COLUMN usage_measurement.end_time IS 'end of the period';
COMMENT ON COLUMN usage_measurement.usage IS 'average usage in it, in the unit of the type of the resource';

CREATE TABLE blocking_interval (
	job_id bigint NOT NULL,
	resource_id bigint NOT NULL,
	start_time timestamptz NOT NULL,
	end_time timestamptz NOT NULL,
	CONSTRAINT blocking_end_before_start CHECK (end_time >= start_time),
	CONSTRAINT bad_time CHECK (start_time > '-infinity'::timestamptz
		AND end_time < '100000-01-01 00:00:00+00'::timestamptz)
);
CREATE INDEX blocking_interval_idx ON blocking_interval (job_id, resource_id, start_time, end_time);
-- It has no key: the same interval may come twice. A subscriber still has to find its rows.
ALTER TABLE blocking_interval REPLICA IDENTITY FULL;
COMMENT ON TABLE blocking_interval IS 'when a blocking resource held up those that need it; intervals may overlap';
COMMENT ON COLUMN blocking_interval.job_id IS 'the job';
COMMENT ON COLUMN blocking_interval.resource_id IS 'the resource';
COMMENT ON COLUMN blocking_interval.start_time IS 'since when it was blocked';
COMMENT ON COLUMN blocking_interval.end_time IS 'the first moment at which it was not';

--
-- benchmarks of graph processing
--

CREATE TABLE graph_dataset (
	dataset text PRIMARY KEY CHECK (dataset <> '' AND octet_length(dataset) <= 1000),
	vertices bigint NOT NULL CHECK (vertices >= 0::bigint),
	edges bigint NOT NULL CHECK (edges >= 0::bigint),
	directed bool NOT NULL DEFAULT false
);
COMMENT ON TABLE graph_dataset IS 'the graphs that benchmarks run on';
COMMENT ON COLUMN graph_dataset.dataset IS 'name of the graph';
COMMENT ON COLUMN graph_dataset.vertices IS 'number of vertices';
COMMENT ON COLUMN graph_dataset.edges IS 'number of edges';
COMMENT ON COLUMN graph_dataset.directed IS 'whether edges have a direction';

CREATE TABLE benchmark_run (
	run_id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
	platform text NOT NULL DEFAULT '',
	platform_version text NOT NULL DEFAULT '',
	algorithm text NOT NULL DEFAULT '',
	parameters jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(parameters) = 'object'),
	dataset text,
	series text NOT NULL DEFAULT '',
	machines int NOT NULL DEFAULT 1 CHECK (machines > 0),
	threads int CHECK (threads > 0),
	started_at timestamptz CHECK (isfinite(started_at)),
	commit text NOT NULL DEFAULT '',
	upload_time float8 CHECK (upload_time >= 0::float8 AND upload_time < 'infinity'::float8),
	makespan float8 CHECK (makespan >= 0::float8 AND makespan < 'infinity'::float8),
	processing_time float8 CHECK (processing_time >= 0::float8 AND processing_time < 'infinity'::float8),
	completed bool NOT NULL,
	output_valid bool,
	job_id bigint,
	test_run_id bigint
);
CREATE INDEX benchmark_run_dataset_idx ON benchmark_run (dataset);
COMMENT ON TABLE benchmark_run IS 'one run of a graph benchmark';
COMMENT ON COLUMN benchmark_run.run_id IS 'number of the run';
COMMENT ON COLUMN benchmark_run.platform IS 'the platform';
COMMENT ON COLUMN benchmark_run.platform_version IS 'its version, '''' when it does not matter';
COMMENT ON COLUMN benchmark_run.algorithm IS 'the algorithm: BFS, PR, WCC, CDLP, LCC, SSSP, …';
COMMENT ON COLUMN benchmark_run.parameters IS 'object of parameters of the algorithm';
COMMENT ON COLUMN benchmark_run.dataset IS 'the graph, a row of graph_dataset';
COMMENT ON COLUMN benchmark_run.series IS 'name of the experiment: runs of one series are compared with each other';
COMMENT ON COLUMN benchmark_run.machines IS 'number of machines';
COMMENT ON COLUMN benchmark_run.threads IS 'number of threads of each; null: as many as there are';
COMMENT ON COLUMN benchmark_run.started_at IS 'when it began';
COMMENT ON COLUMN benchmark_run.commit IS 'commit of the platform, '''' when unknown';
COMMENT ON COLUMN benchmark_run.upload_time IS 'seconds that it took to prepare the graph before the job';
COMMENT ON COLUMN benchmark_run.makespan IS 'seconds from the start of the job to its end';
COMMENT ON COLUMN benchmark_run.processing_time IS 'seconds of the algorithm alone, without loading and the like';
COMMENT ON COLUMN benchmark_run.completed IS 'whether the job came to its end';
COMMENT ON COLUMN benchmark_run.output_valid IS 'whether the output is right; null: not known';
COMMENT ON COLUMN benchmark_run.job_id IS 'its row of job, where there is one';
COMMENT ON COLUMN benchmark_run.test_run_id
	IS 'the run of flamegraph_store that it was part of, where that is installed';

--
-- a job that is deleted
--

CREATE FUNCTION delete_rows_of_jobs() RETURNS trigger
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF TG_OP = 'TRUNCATE' THEN
		-- Numbers may begin again, and a new job must not find rows of an old one.
		TRUNCATE jobs.phase, jobs.resource, jobs.phase_resource, jobs.usage_measurement, jobs.blocking_interval;
		RETURN NULL;
	END IF;
	DELETE FROM jobs.phase AS r USING gone AS g WHERE r.job_id = g.job_id;
	DELETE FROM jobs.resource AS r USING gone AS g WHERE r.job_id = g.job_id;
	DELETE FROM jobs.phase_resource AS r USING gone AS g WHERE r.job_id = g.job_id;
	DELETE FROM jobs.usage_measurement AS r USING gone AS g WHERE r.job_id = g.job_id;
	DELETE FROM jobs.blocking_interval AS r USING gone AS g WHERE r.job_id = g.job_id;
	RETURN NULL;
END
$$;
COMMENT ON FUNCTION delete_rows_of_jobs()
	IS 'deletes the rows of jobs that were deleted, with the rights of who deletes them';

CREATE TRIGGER delete_rows AFTER DELETE ON job REFERENCING OLD TABLE AS gone
	FOR EACH STATEMENT EXECUTE FUNCTION delete_rows_of_jobs();
CREATE TRIGGER truncate_rows AFTER TRUNCATE ON job
	FOR EACH STATEMENT EXECUTE FUNCTION delete_rows_of_jobs();
