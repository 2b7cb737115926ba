
--
-- metrics of graph benchmarks, as LDBC Graphalytics defines them
--

-- What is divided here was typed in or measured by somebody: no row shall make the others unreadable.
CREATE FUNCTION quotient(part float8, whole float8) RETURNS float8
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'jobs_quotient';
COMMENT ON FUNCTION quotient(float8, float8)
	IS 'part / whole; null where the quotient is no finite number, also by 0';

CREATE FUNCTION graph_scale(vertices bigint, edges bigint) RETURNS numeric
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN graph_scale.vertices >= 0::bigint AND graph_scale.edges >= 0::bigint
			AND (graph_scale.vertices > 0::bigint OR graph_scale.edges > 0::bigint)
			THEN pg_catalog.round(pg_catalog.log(graph_scale.vertices::numeric + graph_scale.edges::numeric), 1::int4)
			END;
	END;
COMMENT ON FUNCTION graph_scale(bigint, bigint)
	IS 'size of a graph: the decimal logarithm of vertices + edges with one digit, halves up; null of an empty one';

CREATE FUNCTION graph_size_class(scale numeric) RETURNS text
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN graph_size_class.scale < 7.0::numeric THEN '2XS'::text
			WHEN graph_size_class.scale < 7.5::numeric THEN 'XS'::text
			WHEN graph_size_class.scale < 8.0::numeric THEN 'S'::text
			WHEN graph_size_class.scale < 8.5::numeric THEN 'M'::text
			WHEN graph_size_class.scale < 9.0::numeric THEN 'L'::text
			WHEN graph_size_class.scale < 9.5::numeric THEN 'XL'::text
			ELSE '2XL'::text END;
	END;
COMMENT ON FUNCTION graph_size_class(numeric)
	IS 'class of a scale, in steps of a half: 2XS below 7, then XS, S, M, L, XL, and 2XL from 9.5 on';

CREATE FUNCTION edges_per_second(edges bigint, processing_time float8) RETURNS float8
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN edges_per_second.processing_time > 0::float8
			THEN quotient(edges_per_second.edges::float8, edges_per_second.processing_time) END;
	END;
COMMENT ON FUNCTION edges_per_second(bigint, float8)
	IS 'EPS: edges per second of processing time; null unless that is positive';

CREATE FUNCTION edges_vertices_per_second(vertices bigint, edges bigint, processing_time float8) RETURNS float8
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	BEGIN ATOMIC
		SELECT CASE WHEN edges_vertices_per_second.processing_time > 0::float8
			THEN quotient(edges_vertices_per_second.vertices::float8 + edges_vertices_per_second.edges::float8,
				edges_vertices_per_second.processing_time) END;
	END;
COMMENT ON FUNCTION edges_vertices_per_second(bigint, bigint, float8)
	IS 'EVPS: vertices and edges per second of processing time; null unless that is positive';

CREATE FUNCTION sla_met(makespan float8, completed bool, sla float8 DEFAULT 3600) RETURNS bool
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT coalesce(sla_met.completed AND sla_met.makespan <= sla_met.sla, false);
	END;
COMMENT ON FUNCTION sla_met(float8, bool, float8)
	IS 'whether a run has come to its end within so many seconds; false where that is not known';

-- The state is that of avg() and stddev(): number, sum, sum of squared deviations (Youngs & Cramer 1971).
CREATE FUNCTION coefficient_of_variation_final(state float8[]) RETURNS float8
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'jobs_coefficient_of_variation';
COMMENT ON FUNCTION coefficient_of_variation_final(float8[]) IS 'final function of coefficient_of_variation()';

CREATE AGGREGATE coefficient_of_variation(value float8) (
	SFUNC = pg_catalog.float8_accum, STYPE = float8[], INITCOND = '{0,0,0}',
	COMBINEFUNC = pg_catalog.float8_combine, FINALFUNC = coefficient_of_variation_final, PARALLEL = SAFE);
COMMENT ON AGGREGATE coefficient_of_variation(float8)
	IS 'sample standard deviation / mean; null of fewer than two values, and where the mean is 0';

-- What a run took, where its phases are known: whoever does not report processing times may have a phase for them.
CREATE FUNCTION makespan(job_id bigint) RETURNS float8
	LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
		SELECT extract(epoch FROM p.end_time - p.start_time)::float8 FROM jobs.phase AS p
		WHERE p.job_id = makespan.job_id AND p.parent_id IS NULL
	$$;
COMMENT ON FUNCTION makespan(bigint) IS 'seconds from the start of a job to its end; null of one without phases';

CREATE FUNCTION processing_time(job_id bigint, phase_type text) RETURNS float8
	LANGUAGE sql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
		SELECT (SELECT sum(extract(epoch FROM upper(u) - lower(u))::float8) FROM unnest(m.alive) AS u)
		FROM (SELECT range_agg(tstzrange(p.start_time, p.end_time)) AS alive FROM jobs.phase AS p
			WHERE p.job_id = processing_time.job_id AND p.phase_type = processing_time.phase_type) AS m
	$$;
COMMENT ON FUNCTION processing_time(bigint, text)
	IS 'seconds of a job in which a phase of a type was there, one or several: of the type that runs the algorithm the '
		'processing time; null without such a phase';

--
-- runs
--

CREATE VIEW run_metrics AS
SELECT r.run_id, r.platform, r.platform_version, r.algorithm, r.parameters, r.dataset, r.series, r.machines, r.threads,
	r.started_at, d.vertices, d.edges, graph_scale(d.vertices, d.edges) AS scale,
	graph_size_class(graph_scale(d.vertices, d.edges)) AS size_class,
	r.upload_time, r.makespan, r.processing_time,
	sla_met(r.makespan, r.completed, 3600::float8) AS sla_met,
	sla_met(r.makespan, r.completed, 3600::float8) AND r.output_valid IS NOT FALSE AS success,
	edges_per_second(d.edges, r.processing_time) AS eps,
	edges_vertices_per_second(d.vertices, d.edges, r.processing_time) AS evps,
	r.makespan - r.processing_time AS overhead,
	quotient(r.processing_time, r.makespan) AS processing_ratio,
	r.commit, r.job_id, r.test_run_id
FROM benchmark_run AS r LEFT JOIN graph_dataset AS d ON d.dataset = r.dataset;
COMMENT ON VIEW run_metrics IS 'the metrics of each run: size of the graph, success, speed, overhead';
COMMENT ON COLUMN run_metrics.run_id IS 'number of the run';
COMMENT ON COLUMN run_metrics.platform IS 'the platform';
COMMENT ON COLUMN run_metrics.platform_version IS 'its version';
COMMENT ON COLUMN run_metrics.algorithm IS 'the algorithm';
COMMENT ON COLUMN run_metrics.parameters IS 'its parameters';
COMMENT ON COLUMN run_metrics.dataset IS 'the graph';
COMMENT ON COLUMN run_metrics.series IS 'name of the experiment';
COMMENT ON COLUMN run_metrics.machines IS 'number of machines';
COMMENT ON COLUMN run_metrics.threads IS 'number of threads of each';
COMMENT ON COLUMN run_metrics.started_at IS 'when it began';
COMMENT ON COLUMN run_metrics.vertices IS 'vertices of the graph; null where it is not in graph_dataset';
COMMENT ON COLUMN run_metrics.edges IS 'edges of the graph';
COMMENT ON COLUMN run_metrics.scale IS 'graph_scale()';
COMMENT ON COLUMN run_metrics.size_class IS 'graph_size_class()';
COMMENT ON COLUMN run_metrics.upload_time IS 'seconds that it took to prepare the graph';
COMMENT ON COLUMN run_metrics.makespan IS 'seconds from the start of the job to its end';
COMMENT ON COLUMN run_metrics.processing_time IS 'seconds of the algorithm alone';
COMMENT ON COLUMN run_metrics.sla_met IS 'whether it has come to its end within an hour';
COMMENT ON COLUMN run_metrics.success IS 'the same, and its output is not known to be wrong';
COMMENT ON COLUMN run_metrics.eps IS 'edges per second of processing time';
COMMENT ON COLUMN run_metrics.evps IS 'vertices and edges per second of processing time';
COMMENT ON COLUMN run_metrics.overhead IS 'makespan - processing_time, in seconds';
COMMENT ON COLUMN run_metrics.processing_ratio IS 'processing_time / makespan';
COMMENT ON COLUMN run_metrics.commit IS 'commit of the platform';
COMMENT ON COLUMN run_metrics.job_id IS 'its row of jobs.job, where its phases are known';
COMMENT ON COLUMN run_metrics.test_run_id IS 'the run of flamegraph_store that it was part of';

CREATE VIEW variability AS
SELECT m.platform, m.platform_version, m.algorithm, m.parameters, m.dataset, m.series, m.machines, m.threads,
	m.n, CASE WHEN m.large THEN m.large_mean ELSE m.mean END AS mean,
	CASE WHEN m.large THEN m.large_stddev ELSE m.stddev END AS stddev,
	CASE WHEN m.large THEN quotient(m.large_stddev, m.large_mean) ELSE m.cv END AS cv
FROM (SELECT r.platform, r.platform_version, r.algorithm, r.parameters, r.dataset, r.series, r.machines, r.threads,
		count(*) FILTER (WHERE r.success AND r.processing_time IS NOT NULL) AS n,
		-- the squares of such times are no float8: one row of this kind would make all others unreadable
		coalesce(bool_or(r.processing_time > 1e150::float8) FILTER (WHERE r.success), false) AS large,
		avg(r.processing_time) FILTER (WHERE r.success AND r.processing_time <= 1e150::float8) AS mean,
		stddev_samp(r.processing_time) FILTER (WHERE r.success AND r.processing_time <= 1e150::float8) AS stddev,
		coefficient_of_variation(r.processing_time) FILTER (WHERE r.success AND r.processing_time <= 1e150::float8)
			AS cv,
		avg(r.processing_time::numeric) FILTER (WHERE r.success)::float8 AS large_mean,
		stddev_samp(r.processing_time::numeric) FILTER (WHERE r.success)::float8 AS large_stddev
	FROM run_metrics AS r
	GROUP BY r.platform, r.platform_version, r.algorithm, r.parameters, r.dataset, r.series, r.machines, r.threads)
	AS m;
COMMENT ON VIEW variability IS 'how much processing times of repetitions differ; of those that succeeded';
COMMENT ON COLUMN variability.platform IS 'the platform';
COMMENT ON COLUMN variability.platform_version IS 'its version';
COMMENT ON COLUMN variability.algorithm IS 'the algorithm';
COMMENT ON COLUMN variability.parameters IS 'its parameters';
COMMENT ON COLUMN variability.dataset IS 'the graph';
COMMENT ON COLUMN variability.series IS 'name of the experiment';
COMMENT ON COLUMN variability.machines IS 'number of machines';
COMMENT ON COLUMN variability.threads IS 'number of threads of each';
COMMENT ON COLUMN variability.n IS 'number of repetitions that succeeded';
COMMENT ON COLUMN variability.mean IS 'mean processing time, in seconds; null where none succeeded';
COMMENT ON COLUMN variability.stddev IS 'its sample standard deviation, in seconds; null of one';
COMMENT ON COLUMN variability.cv IS 'stddev / mean; null of one';

CREATE VIEW stress_test_limit AS
SELECT DISTINCT ON (s.platform) s.platform, CASE WHEN NOT s.success THEN s.dataset END AS dataset,
	CASE WHEN NOT s.success THEN s.vertices END AS vertices, CASE WHEN NOT s.success THEN s.edges END AS edges,
	CASE WHEN NOT s.success THEN s.scale END AS scale, CASE WHEN NOT s.success THEN s.size_class END AS size_class
FROM (SELECT m.platform, m.dataset, m.vertices, m.edges, m.scale, m.size_class, bool_or(m.success) AS success
	FROM run_metrics AS m GROUP BY m.platform, m.dataset, m.vertices, m.edges, m.scale, m.size_class) AS s
ORDER BY s.platform, s.success, s.vertices::numeric + s.edges::numeric, s.dataset COLLATE "C";
COMMENT ON VIEW stress_test_limit
	IS 'the smallest graph, by vertices + edges, with which no run of a platform succeeded; null where there is none';
COMMENT ON COLUMN stress_test_limit.platform IS 'the platform';
COMMENT ON COLUMN stress_test_limit.dataset IS 'the graph; null: there is none';
COMMENT ON COLUMN stress_test_limit.vertices IS 'its vertices';
COMMENT ON COLUMN stress_test_limit.edges IS 'its edges';
COMMENT ON COLUMN stress_test_limit.scale IS 'graph_scale()';
COMMENT ON COLUMN stress_test_limit.size_class IS 'graph_size_class()';

CREATE VIEW platform_comparison AS
SELECT c.algorithm, c.parameters, c.dataset, c.machines, c.threads, c.metric, c.platform, c.platform_version,
	c.n, c.value,
	rank() OVER (PARTITION BY c.algorithm, c.parameters, c.dataset, c.machines, c.threads, c.metric
		ORDER BY CASE WHEN c.metric = 'evps'::text THEN - c.value ELSE c.value END) AS rank,
	quotient(c.value, CASE WHEN c.metric = 'evps'::text THEN max(c.value) OVER same ELSE min(c.value) OVER same END)
		AS ratio_to_best
FROM (SELECT m.algorithm, m.parameters, m.dataset, m.machines, m.threads, m.platform, m.platform_version, v.metric,
		count(*) AS n, CASE WHEN max(v.value) > 1e150::float8 THEN avg(v.value::numeric)::float8
			ELSE avg(v.value) FILTER (WHERE v.value <= 1e150::float8) END AS value
	FROM run_metrics AS m, LATERAL (VALUES ('makespan'::text, m.makespan),
		('processing_time'::text, m.processing_time), ('evps'::text, m.evps)) AS v (metric, value)
	WHERE m.success AND v.value IS NOT NULL
	GROUP BY m.algorithm, m.parameters, m.dataset, m.machines, m.threads, m.platform, m.platform_version, v.metric) AS c
WINDOW same AS (PARTITION BY c.algorithm, c.parameters, c.dataset, c.machines, c.threads, c.metric);
COMMENT ON VIEW platform_comparison
	IS 'platforms beside each other, by algorithm, graph and size of the cluster: a row for each platform and metric';
COMMENT ON COLUMN platform_comparison.algorithm IS 'the algorithm';
COMMENT ON COLUMN platform_comparison.parameters IS 'its parameters';
COMMENT ON COLUMN platform_comparison.dataset IS 'the graph';
COMMENT ON COLUMN platform_comparison.machines IS 'number of machines';
COMMENT ON COLUMN platform_comparison.threads IS 'number of threads of each';
COMMENT ON COLUMN platform_comparison.metric IS 'makespan, processing_time (both in seconds) or evps';
COMMENT ON COLUMN platform_comparison.platform IS 'the platform';
COMMENT ON COLUMN platform_comparison.platform_version IS 'its version';
COMMENT ON COLUMN platform_comparison.n IS 'number of runs that succeeded';
COMMENT ON COLUMN platform_comparison.value IS 'mean of the metric over them';
COMMENT ON COLUMN platform_comparison.rank IS '1: the best, with the smallest time or the largest rate';
COMMENT ON COLUMN platform_comparison.ratio_to_best IS 'value / value of the best';

-- A class is finished by who finishes every graph of it on machines of one kind: failures on one graph of the class are
-- what stress_test_limit is for, and no limit of a benchmark.
CREATE VIEW renewal AS
WITH graphs AS (
	SELECT d.dataset, graph_scale(d.vertices, d.edges) AS scale,
		graph_size_class(graph_scale(d.vertices, d.edges)) AS size_class,
		count(*) OVER (PARTITION BY graph_size_class(graph_scale(d.vertices, d.edges))) AS graphs,
		row_number() OVER (PARTITION BY graph_size_class(graph_scale(d.vertices, d.edges))
			ORDER BY d.vertices::numeric + d.edges::numeric DESC, d.dataset COLLATE "C") AS rank
	FROM graph_dataset AS d WHERE graph_scale(d.vertices, d.edges) IS NOT NULL
), finished AS (
	SELECT s.algorithm, s.platform, s.platform_version, s.machines, s.threads, g.size_class,
		max(s.makespan) FILTER (WHERE g.rank = 1::bigint) AS makespan
	FROM (SELECT m.algorithm, m.platform, m.platform_version, m.machines, m.threads, m.dataset,
			avg(m.makespan) AS makespan
		FROM run_metrics AS m WHERE m.success
		GROUP BY m.algorithm, m.platform, m.platform_version, m.machines, m.threads, m.dataset) AS s
		JOIN graphs AS g ON g.dataset = s.dataset
	GROUP BY s.algorithm, s.platform, s.platform_version, s.machines, s.threads, g.size_class, g.graphs
	HAVING count(*) = g.graphs
)
SELECT DISTINCT ON (f.algorithm) f.algorithm, g.size_class, g.scale, g.dataset, f.platform, f.platform_version,
	f.machines, f.threads, f.makespan
FROM finished AS f JOIN graphs AS g ON g.size_class = f.size_class AND g.rank = 1::bigint
ORDER BY f.algorithm, g.scale DESC, f.makespan, f.platform COLLATE "C", f.platform_version COLLATE "C", f.machines,
	f.threads;
COMMENT ON VIEW renewal
	IS 'per algorithm the largest class of which a platform, on machines and threads of one number, finishes all '
		'graphs of graph_dataset within the hour, and who finishes its largest graph fastest: the class that a new '
		'version of the benchmark would take as its limit (Hegeman 2024, sections 3.3 and 3.5, for BFS on one machine)';
COMMENT ON COLUMN renewal.algorithm IS 'the algorithm';
COMMENT ON COLUMN renewal.size_class IS 'the class';
COMMENT ON COLUMN renewal.scale IS 'its scale';
COMMENT ON COLUMN renewal.dataset IS 'the largest graph of the class';
COMMENT ON COLUMN renewal.platform IS 'the platform that finishes it fastest';
COMMENT ON COLUMN renewal.platform_version IS 'its version';
COMMENT ON COLUMN renewal.machines IS 'on so many machines';
COMMENT ON COLUMN renewal.threads IS 'with so many threads of each';
COMMENT ON COLUMN renewal.makespan IS 'mean makespan of its runs that succeeded, in seconds';

CREATE FUNCTION speedup(along text DEFAULT 'machines', scaling text DEFAULT 'strong', OUT series text,
		OUT platform text, OUT platform_version text, OUT algorithm text, OUT parameters jsonb, OUT dataset text,
		OUT resources int, OUT n bigint, OUT processing_time float8, OUT baseline_resources int,
		OUT speedup float8, OUT slowdown float8, OUT ideal float8)
	RETURNS SETOF record LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
	IF along IS NULL OR along NOT IN ('machines', 'threads') THEN
		RAISE EXCEPTION 'unrecognized along "%"', along
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Available: machines, threads.';
	END IF;
	IF scaling IS NULL OR scaling NOT IN ('strong', 'weak') THEN
		RAISE EXCEPTION 'unrecognized scaling "%"', scaling
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Available: strong, weak.';
	END IF;
	RETURN QUERY
	SELECT b.series, b.platform, b.platform_version, b.algorithm, b.parameters, b.dataset, b.resources, b.n, b.time,
		b.base, jobs.quotient(b.base_time, b.time), jobs.quotient(b.time, b.base_time),
		CASE WHEN b.base IS NULL THEN NULL WHEN scaling = 'strong' THEN b.resources::float8 / b.base ELSE 1 END
	FROM (SELECT t.*, min(t.resources) FILTER (WHERE t.time IS NOT NULL) OVER same AS base,
			first_value(t.time) OVER (same ORDER BY t.time IS NULL, t.resources) AS base_time
		FROM (SELECT m.series, m.platform, m.platform_version, m.algorithm, m.parameters,
				CASE scaling WHEN 'strong' THEN m.dataset END AS dataset,
				CASE along WHEN 'machines' THEN m.machines ELSE m.threads END AS resources,
				count(m.processing_time) FILTER (WHERE m.success) AS n,
				CASE WHEN max(m.processing_time) FILTER (WHERE m.success) > 1e150
					THEN avg(m.processing_time::numeric) FILTER (WHERE m.success)::float8
					ELSE avg(m.processing_time) FILTER (WHERE m.success AND m.processing_time <= 1e150) END AS time
			FROM jobs.run_metrics AS m
			GROUP BY 1, 2, 3, 4, 5, 6, 7) AS t
		WHERE t.resources IS NOT NULL
		WINDOW same AS (PARTITION BY t.series, t.platform, t.platform_version, t.algorithm, t.parameters, t.dataset))
		AS b
	ORDER BY b.series COLLATE "C", b.platform COLLATE "C", b.platform_version COLLATE "C", b.algorithm COLLATE "C",
		b.parameters, b.dataset COLLATE "C", b.resources;
END
$$;
COMMENT ON FUNCTION speedup(text, text)
	IS 'how much faster a series is with more machines or threads than with the fewest that succeeded: mean processing '
		'time there / here; strong: of one graph, weak: of graphs that grow with the resources';

--
-- is an output right?
--

CREATE FUNCTION output_matches(reference float8, output float8) RETURNS bool
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'jobs_output_matches';
COMMENT ON FUNCTION output_matches(float8, float8)
	IS 'whether a value differs from that of the reference by at most 0.01 %; infinite ones match themselves, NaN '
		'nothing';

-- The columns of a relation that hold vertices and values, and as what they are compared.
CREATE FUNCTION output_columns(relation regclass, OUT vertex name, OUT vertex_type regtype, OUT value name,
		OUT value_type regtype)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_columns CONSTANT name[] := ARRAY(SELECT a.attname FROM pg_attribute AS a
		WHERE a.attrelid = relation AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum);
BEGIN
	IF cardinality(v_columns) < 2 THEN
		RAISE EXCEPTION '% has no two columns', relation USING ERRCODE = 'undefined_column',
			HINT = 'An output has a column vertex and a column value, or these as its first two columns.';
	END IF;
	vertex := v_columns[1];
	value := v_columns[2];
	IF 'vertex' = ANY (v_columns) AND 'value' = ANY (v_columns) THEN
		vertex := 'vertex';
		value := 'value';
	END IF;
	SELECT max(coalesce(nullif(t.typbasetype, 0), t.oid)) FILTER (WHERE a.attname = output_columns.vertex),
		max(coalesce(nullif(t.typbasetype, 0), t.oid)) FILTER (WHERE a.attname = output_columns.value)
	INTO vertex_type, value_type
	FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid WHERE a.attrelid = relation AND a.attnum > 0;
END
$$;
COMMENT ON FUNCTION output_columns(regclass)
	IS 'the columns vertex and value of an output, else its first two, with their types';

CREATE FUNCTION common_type(a regtype, b regtype) RETURNS text
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	AS $$
		SELECT CASE WHEN a = ANY ('{int2,int4,int8}'::regtype[]) AND b = ANY ('{int2,int4,int8}'::regtype[]) THEN 'int8'
			WHEN a = ANY ('{text,varchar,bpchar,name}'::regtype[]) AND b = ANY ('{text,varchar,bpchar,name}'::regtype[])
				THEN 'text COLLATE "C"'
			WHEN a = b AND a = ANY ('{bool,uuid,oid}'::regtype[]) THEN 'text COLLATE "C"'
			ELSE 'numeric' END
	$$;
COMMENT ON FUNCTION common_type(regtype, regtype)
	IS 'as what values of two types are compared exactly: int8, numeric, or text byte by byte, also uuid and the like';

CREATE FUNCTION need_comparable(a_column name, a regtype, b_column name, b regtype, numbers bool) RETURNS void
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_numbers CONSTANT regtype[] := '{int2,int4,int8,numeric,float4,float8}';
	v_words CONSTANT regtype[] := '{text,varchar,bpchar,name}';
BEGIN
	-- words may be numbers, as in what COPY has loaded
	IF a = ANY (v_numbers || v_words) AND b = ANY (v_numbers || v_words)
		OR NOT numbers AND a = b AND a = ANY ('{bool,uuid,oid}'::regtype[]) THEN
		RETURN;
	END IF;
	RAISE EXCEPTION 'columns "%" and "%" cannot be compared', a_column, b_column USING
		ERRCODE = 'datatype_mismatch',
		DETAIL = format('That of the reference is of type %s, that of the output of type %s.', a, b),
		HINT = CASE WHEN numbers THEN 'The values of PR, LCC and SSSP are numbers.'
			ELSE 'Both are numbers, or words, or both bool, uuid or oid; a view can cast them.' END;
END
$$;
COMMENT ON FUNCTION need_comparable(name, regtype, name, regtype, bool)
	IS 'an error where columns of a reference and an output have types that validate_output() does not compare';

CREATE FUNCTION validate_output(algorithm text, reference regclass, output regclass, OUT valid bool,
		OUT mismatches bigint)
	LANGUAGE plpgsql STABLE STRICT PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_algorithm CONSTANT text := upper(algorithm);
	r record;
	o record;
	v_vertex text;
	v_value text;
	v_same text;
	v_side CONSTANT text := '(SELECT s.vertex, min(s.value) AS value, count(*) AS n '
		'FROM (SELECT t.%I::%s AS vertex, t.%I::%s AS value FROM %s AS t) AS s GROUP BY s.vertex)';
BEGIN
	IF v_algorithm NOT IN ('BFS', 'CDLP', 'WCC', 'PR', 'LCC', 'SSSP') THEN
		RAISE EXCEPTION 'unrecognized algorithm "%"', algorithm
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Available: BFS, CDLP, WCC, PR, LCC, SSSP.';
	END IF;
	r := jobs.output_columns(reference);
	o := jobs.output_columns(output);
	PERFORM jobs.need_comparable(r.vertex, r.vertex_type, o.vertex, o.vertex_type, false),
		jobs.need_comparable(r.value, r.value_type, o.value, o.value_type, v_algorithm IN ('PR', 'LCC', 'SSSP'));
	v_vertex := jobs.common_type(r.vertex_type, o.vertex_type);
	v_value := CASE WHEN v_algorithm IN ('PR', 'LCC', 'SSSP') THEN 'float8'
		ELSE jobs.common_type(r.value_type, o.value_type) END;
	-- Components have names of their own in each output: a name on one side stands for one on the other.
	v_same := CASE WHEN v_value = 'float8' THEN 'jobs.output_matches(r.value, o.value)'
		WHEN v_algorithm = 'WCC' THEN
			'min(o.value) OVER ref = max(o.value) OVER ref AND min(r.value) OVER out = max(r.value) OVER out'
		ELSE 'r.value = o.value' END
		|| CASE WHEN v_value = 'numeric' THEN ' AND r.value <> ''NaN'' AND o.value <> ''NaN''' ELSE '' END;
	EXECUTE format('SELECT count(*) FILTER (WHERE (p.found AND p.same) IS NOT TRUE) FROM ('
			'SELECT r.n = 1 AND o.n = 1 AND r.value IS NOT NULL AND o.value IS NOT NULL AS found, %s AS same FROM '
			|| v_side || ' AS r FULL JOIN ' || v_side || ' AS o ON o.vertex = r.vertex '
			'WINDOW ref AS (PARTITION BY r.value), out AS (PARTITION BY o.value)) AS p',
		v_same, r.vertex, v_vertex, r.value, v_value, reference, o.vertex, v_vertex, o.value, v_value, output)
	INTO mismatches;
	valid := mismatches = 0;
END
$$;
COMMENT ON FUNCTION validate_output(text, regclass, regclass)
	IS 'whether the output of an algorithm (BFS, CDLP, WCC, PR, LCC, SSSP) is that of a reference, and the number of '
		'vertices that are missing, too many, there twice or wrong; reads both with the rights of the caller';
