
--
-- jobs from the logs of others: Spark's event logs, and what monitors measured
--

-- The model of Spark's applications. Phases of a stage have the depth of the stage in the graph of its job in the
-- name of their type: precedence is between types, so these say what a stage waited for, in every job.
CREATE FUNCTION add_spark_depth(depth int, model text) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_stage CONSTANT text := format('stage[%s]', depth);
	v_task CONSTANT text := format('task[%s]', depth);
	v_parts CONSTANT text[] := ARRAY['scheduler delay', 'deserialize', 'fetch wait', 'compute', 'gc', 'shuffle write',
		'result serialize', 'getting result'];
BEGIN
	INSERT INTO jobs.phase_type (model, phase_type, description, parent_type, repeat)
	VALUES (model, v_stage, format('an attempt of a stage behind %s others of its job', depth), 'job', 'concurrent')
	ON CONFLICT DO NOTHING;
	IF NOT FOUND THEN
		RETURN;
	END IF;
	INSERT INTO jobs.phase_type (model, phase_type, description, parent_type, repeat)
	VALUES (model, v_task, 'an attempt of a task, from its launch to its end', v_stage, 'concurrent')
	ON CONFLICT DO NOTHING;
	INSERT INTO jobs.phase_type (model, phase_type, description, parent_type, repeat)
	SELECT model, format('%s[%s]', p.part, depth), p.description, v_task, 'once'
	FROM unnest(v_parts, ARRAY[
			'between the driver and the executor',
			'the task is unpacked',
			'shuffled data have not arrived yet',
			'the task runs',
			'the executor collects garbage while the task runs',
			'data for the next stage are written',
			'the result is packed',
			'the driver fetches a large result']) AS p (part, description)
	ON CONFLICT DO NOTHING;
	INSERT INTO jobs.phase_type_precedence (model, before, after)
	SELECT model, format('stage[%s]', depth - 1), v_stage WHERE depth > 0
	UNION ALL
	SELECT model, format('%s[%s]', v_parts[i], depth), format('%s[%s]', v_parts[i + 1], depth)
	FROM generate_series(1, cardinality(v_parts) - 1) AS i
	ON CONFLICT DO NOTHING;
	INSERT INTO jobs.attribution_rule (model, phase_type, resource_type, rule, cap)
	SELECT model, format('%s[%s]', r.part, depth), r.resource_type, r.rule::jobs.attribution_rule_kind, r.cap
	FROM (VALUES ('deserialize', 'cores', 'greedy', 1::float8), ('compute', 'cores', 'greedy', 1),
		('shuffle write', 'cores', 'sink', NULL), ('gc', 'gc', 'full', NULL),
		('fetch wait', 'fetch', 'full', NULL)) AS r (part, resource_type, rule, cap)
	ON CONFLICT DO NOTHING;
END
$$;
COMMENT ON FUNCTION add_spark_depth(int, text)
	IS 'adds the types, the order and the rules of stages of this depth (from 0) and of their tasks to a model; '
		'does nothing where they are';

-- Somebody else's model of that name has no place for what a log holds.
CREATE FUNCTION need_spark_model(model text) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_missing text;
BEGIN
	SELECT string_agg(m.what, ', ' ORDER BY m.place) INTO v_missing
	FROM (SELECT 1 AS place, 'phase type application, without a parent' AS what
		WHERE NOT EXISTS (SELECT FROM jobs.phase_type AS t
			WHERE t.model = need_spark_model.model AND t.phase_type = 'application' AND t.parent_type IS NULL)
		UNION ALL
		SELECT 2, 'phase type job, below application'
		WHERE NOT EXISTS (SELECT FROM jobs.phase_type AS t
			WHERE t.model = need_spark_model.model AND t.phase_type = 'job' AND t.parent_type = 'application')
		UNION ALL
		SELECT 2 + w.place, format('%s resource type %s', coalesce(w.class, 'container'), w.name)
		FROM (VALUES (1, 'executor', NULL), (2, 'cores', 'consumable'), (3, 'gc', 'blocking'),
			(4, 'fetch', 'blocking')) AS w (place, name, class)
		WHERE NOT EXISTS (SELECT FROM jobs.resource_type AS t
			WHERE t.model = need_spark_model.model AND t.resource_type = w.name
				AND t.class::text IS NOT DISTINCT FROM w.class)) AS m;
	IF v_missing IS NOT NULL THEN
		RAISE EXCEPTION 'the model "%" that is there is not that of import_spark()', need_spark_model.model USING
			ERRCODE = 'object_not_in_prerequisite_state',
			DETAIL = format('It does not have: %s.', v_missing),
			HINT = 'Give import_spark() the name of another one: model => ''spark applications''. It makes what is not '
				'there.';
	END IF;
END
$$;
COMMENT ON FUNCTION need_spark_model(text)
	IS 'an error where this model is there without the types that import_spark() needs';

CREATE FUNCTION add_spark_model(depths int DEFAULT 1, model text DEFAULT 'spark') RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF depths IS NULL OR depths < 0 OR depths > 100 THEN
		RAISE EXCEPTION 'the number of depths must be from 0 to 100, not %', coalesce(depths::text, 'null')
			USING ERRCODE = 'invalid_parameter_value',
				HINT = 'import_spark() adds what a log needs; deeper stages than 99 count as 99.';
	END IF;
	IF model IS NULL OR model = '' THEN
		RAISE EXCEPTION 'the model must have a name' USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Without the argument model it is called spark.';
	END IF;
	INSERT INTO jobs.platform_model (model, description)
	VALUES (model, 'Apache Spark: application, jobs, stage attempts by depth, tasks and their parts')
	ON CONFLICT DO NOTHING;
	IF NOT FOUND THEN
		PERFORM jobs.need_spark_model(model);
	ELSE
		INSERT INTO jobs.phase_type (model, phase_type, description, parent_type, repeat)
		VALUES (model, 'application', 'from the start of the application to its end', NULL, 'once'),
			(model, 'job', 'an action of the application', 'application', 'sequential')
		ON CONFLICT DO NOTHING;
		INSERT INTO jobs.resource_type (model, resource_type, description, parent_type, class, unit)
		VALUES (model, 'executor', 'a process that runs tasks', NULL, NULL, NULL),
			(model, 'cores', 'processor time of its tasks', 'executor', 'consumable', 'cores'),
			(model, 'gc', 'garbage collection while a task runs', 'executor', 'blocking', NULL),
			(model, 'fetch', 'shuffled data that have not arrived', 'executor', 'blocking', NULL)
		ON CONFLICT DO NOTHING;
		INSERT INTO jobs.attribution_rule (model, phase_type, resource_type, rule)
		VALUES (model, 'application', 'cores', 'none'), (model, 'application', 'gc', 'none'),
			(model, 'application', 'fetch', 'none')
		ON CONFLICT DO NOTHING;
	END IF;
	FOR d IN 0 .. depths - 1 LOOP
		PERFORM jobs.add_spark_depth(d, model);
	END LOOP;
END
$$;
COMMENT ON FUNCTION add_spark_model(int, text)
	IS 'adds this model for Spark''s applications with stages of so many depths, as import_spark() does by itself; '
		'rows that are there stay as they are, so rules can be changed before and after';

CREATE FUNCTION import_spark(name text, events text, model text DEFAULT 'spark') RETURNS bigint
	LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'jobs_import_spark';
COMMENT ON FUNCTION import_spark(text, text, text)
	IS 'a Spark event log (JSON lines of Spark 1.4 to 4.x, rolled logs one behind the other) as a job of this model, '
		'which is made where it is not there; '
		'name: of the job, null: that of the application; the number of the job. A NOTICE counts what was not complete';

CREATE FUNCTION import_spark(name text, events bytea, model text DEFAULT 'spark') RETURNS bigint
	LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'jobs_import_spark';
COMMENT ON FUNCTION import_spark(text, bytea, text)
	IS 'the same for a log in bytes, packed with gzip or not';

CREATE FUNCTION consumable_resource(job_id bigint, resource text) RETURNS bigint
	LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_found bigint[];
	v_names text;
BEGIN
	SELECT array_agg(r.resource_id ORDER BY r.resource_id), string_agg(format('%s (%s:%s)', r.resource_id,
		r.resource_type, r.instance), ', ' ORDER BY r.resource_id) FILTER (WHERE r.rank <= 10)
	INTO v_found, v_names
	FROM (SELECT n.resource_id, n.resource_type, n.instance, row_number() OVER (ORDER BY n.resource_id) AS rank
		FROM jobs.job AS j
		JOIN jobs.resource AS n ON n.job_id = j.job_id
		JOIN jobs.resource_type AS t ON t.model = j.model AND t.resource_type = n.resource_type
		WHERE j.job_id = consumable_resource.job_id AND t.class = 'consumable'
			AND consumable_resource.resource
				IN (n.resource_type, n.instance, n.resource_type || ':' || n.instance, n.resource_id::text)) AS r;
	IF cardinality(v_found) = 1 THEN
		RETURN v_found[1];
	END IF;
	IF v_found IS NOT NULL THEN
		RAISE EXCEPTION 'job % has % consumable resources "%"', job_id, cardinality(v_found), resource
			USING ERRCODE = 'invalid_parameter_value',
				HINT = format('Name one of them by its number or as TYPE:INSTANCE: %s.', v_names);
	END IF;
	IF NOT EXISTS (SELECT FROM jobs.job AS j WHERE j.job_id = consumable_resource.job_id) THEN
		RAISE EXCEPTION 'there is no job %', job_id
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Jobs are the rows of jobs.job.';
	END IF;
	RAISE EXCEPTION 'job % has no consumable resource "%"', job_id, resource
		USING ERRCODE = 'invalid_parameter_value',
			HINT = 'A resource is named by its type, its instance, TYPE:INSTANCE or its number; insert it into '
				'jobs.resource first, with its capacity.';
END
$$;
COMMENT ON FUNCTION consumable_resource(bigint, text)
	IS 'the number of the consumable resource of a job with this type, instance, TYPE:INSTANCE or number; an error '
		'when it is not exactly one';

CREATE FUNCTION import_usage(job_id bigint, resource text, csv text, column_name text DEFAULT NULL,
							 series text DEFAULT NULL, scale float8 DEFAULT 1) RETURNS bigint
	LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'jobs_import_usage';
COMMENT ON FUNCTION import_usage(bigint, text, text, text, text, float8)
	IS 'what a monitor measured of a resource (consumable_resource): sadf -d or -j, sar, JSON of Prometheus'' '
		'query_range, or lines of time and value; column_name and series choose where there are several, values are '
		'multiplied by scale; the number of measurements inserted. Times without a zone are the session''s';
