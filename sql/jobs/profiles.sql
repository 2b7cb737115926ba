
--
-- jobs are profiles
--

CREATE FUNCTION job_profile(
		job_id bigint,
		measure text DEFAULT 'time',
		resource_type text DEFAULT NULL,
		instances boolean DEFAULT false,
		slice interval DEFAULT NULL,
		origin timestamptz DEFAULT NULL,
		sampling text DEFAULT 'phase_aware',
		delta float8 DEFAULT 0.95,
		predicate text DEFAULT 'any',
		use_greedy boolean DEFAULT true,
		use_blocking boolean DEFAULT true
	) RETURNS flamegraph
	LANGUAGE c STABLE PARALLEL SAFE COST 10000
	AS 'MODULE_PATHNAME', 'jobs_job_profile';
COMMENT ON FUNCTION job_profile(bigint, text, text, boolean, interval, timestamptz, text, float8, text, boolean,
	boolean)
	IS 'a job as a profile: stacks are the phase types from the root to a leaf, with instances type:instance; values '
		'are sums over leaves. measure: time (seconds of life), usage and available (of a consumable resource_type, '
		'in its unit times seconds), waiting (seconds, for a blocking resource_type or any), bottleneck (seconds in '
		'which a resource_type, or any, limits the leaf). An error (22023) for another measure, for a resource_type '
		'that is missing, not in the model or of the wrong class';

--
-- into the store, where it is installed
--
-- Nothing here depends on flamegraph_store: its functions are looked up when publish() runs, in schema profiling, which
-- is the store's while the extension is there. All of it runs with the rights of the caller, in one transaction.
--

CREATE FUNCTION need_store() RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF NOT EXISTS (SELECT FROM pg_extension AS x WHERE x.extname = 'flamegraph_store') THEN
		RAISE EXCEPTION 'there is no store to publish to' USING
			ERRCODE = 'feature_not_supported',
			DETAIL = 'Extension flamegraph_store is not installed in this database.',
			HINT = 'CREATE EXTENSION flamegraph_store';
	END IF;
	IF NOT has_schema_privilege('profiling', 'USAGE') THEN
		RAISE EXCEPTION 'jobs.publish() needs access "loader" to the store' USING
			ERRCODE = 'insufficient_privilege',
			HINT = format('The owner of the store grants it: SELECT profiling.grant_access(%L, %L)', current_user,
				'loader');
	END IF;
	PERFORM profiling.need_access('jobs.publish'::text, 'loader'::text);
	IF NOT has_column_privilege('jobs.job', 'test_run_id', 'UPDATE') THEN
		RAISE EXCEPTION 'jobs.publish() needs access "loader" to jobs' USING
			ERRCODE = 'insufficient_privilege',
			DETAIL = 'It writes into column test_run_id of jobs.job which run the job is.',
			HINT = format('The owner of the tables grants it: SELECT jobs.grant_access(%L, %L)', current_user,
				'loader');
	END IF;
END
$$;
COMMENT ON FUNCTION need_store() IS 'an error where there is no store, or the caller may not load into it';

CREATE FUNCTION published_profiles(job_id bigint, OUT event text, OUT unit text, OUT measure text,
		OUT resource_type text) RETURNS SETOF record
	LANGUAGE sql STABLE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
		SELECT e.event, e.unit, e.measure, e.resource_type
		FROM (SELECT 'job-time', 'seconds', 'time', NULL::text
			UNION ALL
			SELECT 'job-' || m.measure || '-' || t.resource_type,
				CASE m.measure WHEN 'usage' THEN coalesce(nullif(t.unit, ''), 'units') || ' x seconds'
					ELSE 'seconds' END, m.measure, t.resource_type
			FROM jobs.job AS j JOIN jobs.resource_type AS t ON t.model = j.model,
				(VALUES ('usage', 'consumable'), ('bottleneck', 'consumable'), ('bottleneck', 'blocking'))
					AS m (measure, class)
			WHERE j.job_id = published_profiles.job_id AND t.class::text = m.class
				AND EXISTS (SELECT FROM jobs.resource AS r WHERE r.job_id = published_profiles.job_id
					AND r.resource_type = t.resource_type)) AS e (event, unit, measure, resource_type)
		-- The order in which every import takes its locks.
		ORDER BY e.event COLLATE "C", e.unit COLLATE "C"
	$$;
COMMENT ON FUNCTION published_profiles(bigint)
	IS 'the profiles of a job that publish() puts into the store: job-time, and for each type of its resources '
		'job-usage-TYPE (consumable ones) and job-bottleneck-TYPE, with their units and the arguments of job_profile()';

CREATE FUNCTION published_profile(job_id bigint, measure text, resource_type text) RETURNS flamegraph
	LANGUAGE sql STABLE COST 10000
	BEGIN ATOMIC
		SELECT job_profile(published_profile.job_id, published_profile.measure, published_profile.resource_type, false,
			NULL::interval, NULL::timestamptz, 'phase_aware'::text, 0.95::float8, 'any'::text, true, true);
	END;
COMMENT ON FUNCTION published_profile(bigint, text, text)
	IS 'job_profile() with the options by default: a row of published_profiles()';

CREATE FUNCTION no_profile() RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT NULL::flamegraph;
	END;
COMMENT ON FUNCTION no_profile() IS 'null, of type flamegraph, for arguments of functions whose type has to be said';

CREATE TYPE publication AS (benchmark text, suite text, parameters jsonb, started_at timestamptz, branch text,
	commit text, version text, labels jsonb, repetition int);
COMMENT ON TYPE publication IS 'as what a job goes into the store';

CREATE FUNCTION publication_of(job job, given publication) RETURNS publication
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_labels CONSTANT jsonb := job.labels;
	p jobs.publication := given;
BEGIN
	IF p.repetition IS NULL AND v_labels ->> 'repetition' !~ '^[0-9]{1,9}$' THEN
		RAISE EXCEPTION 'label "repetition" of job % is not a number', job.job_id USING
			ERRCODE = 'invalid_parameter_value',
			HINT = 'It counts the jobs of one run, from 0; the argument repetition goes before the label.';
	END IF;
	IF p.repetition NOT BETWEEN 0 AND 999999999 THEN
		RAISE EXCEPTION 'repetition must be from 0 to 999999999, not %', p.repetition USING
			ERRCODE = 'invalid_parameter_value', HINT = 'It counts the jobs of one run, from 0.';
	END IF;
	p.benchmark := coalesce(p.benchmark, v_labels ->> 'benchmark', nullif(job.name, ''), job.model);
	p.suite := coalesce(p.suite, v_labels ->> 'suite', job.model);
	p.parameters := coalesce(p.parameters, v_labels -> 'parameters', '{}');
	p.started_at := coalesce(p.started_at, (v_labels ->> 'run_started_at')::timestamptz, job.started_at,
		(SELECT h.start_time FROM jobs.phase AS h WHERE h.job_id = job.job_id AND h.parent_id IS NULL));
	p.branch := coalesce(p.branch, v_labels ->> 'branch', '');
	p.commit := coalesce(p.commit, v_labels ->> 'commit', '');
	p.version := coalesce(p.version, v_labels ->> 'version', '');
	p.labels := coalesce(p.labels, v_labels
		- '{benchmark,suite,parameters,run_started_at,branch,commit,version,repetition}'::text[]);
	p.repetition := coalesce(p.repetition, (v_labels ->> 'repetition')::int, 0);
	RETURN p;
END
$$;
COMMENT ON FUNCTION publication_of(job, publication)
	IS 'as what a job goes into the store: what is given, else what its labels say, else what it is called';

-- A job may be one of a run that is in the store already: then it says which, and all else follows.
CREATE FUNCTION publication_in_run(job job, given publication, wanted publication) RETURNS publication
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_known CONSTANT text[] := '{benchmark,suite,parameters,run_started_at,branch,commit,version,repetition}';
	p jobs.publication := wanted;
	r record;
	v_differs text;
	v_label text;
BEGIN
	SELECT t.started_at, t.branch, t.commit, t.version, t.labels INTO r
	FROM profiling.test_run AS t WHERE t.test_run_id = job.test_run_id;
	IF NOT FOUND THEN
		RETURN p;
	END IF;
	v_differs := CASE WHEN given.started_at <> r.started_at THEN 'started_at'
		WHEN given.branch <> r.branch THEN 'branch'
		WHEN given.commit <> r.commit THEN 'commit' WHEN given.version <> r.version THEN 'version'
		WHEN given.labels <> r.labels THEN 'labels' END;
	IF v_differs IS NOT NULL THEN
		RAISE EXCEPTION 'job % belongs to run % of the store, which has another %', job.job_id, job.test_run_id,
				v_differs
			USING ERRCODE = 'invalid_parameter_value',
			HINT = format('Leave the argument out. If the run is wrong, profiling.delete_run(%s) takes it away.',
				job.test_run_id);
	END IF;
	-- Numbers of runs begin anew in another store: a job that says what it is does not join what is something else.
	v_label := CASE WHEN given.started_at IS NULL
			AND (job.labels ->> 'run_started_at')::timestamptz <> r.started_at THEN 'run_started_at'
		WHEN given.branch IS NULL AND job.labels ->> 'branch' <> r.branch THEN 'branch'
		WHEN given.commit IS NULL AND job.labels ->> 'commit' <> r.commit THEN 'commit'
		WHEN given.version IS NULL AND job.labels ->> 'version' <> r.version THEN 'version'
		WHEN given.labels IS NULL THEN (SELECT min(l.key) FROM jsonb_each(job.labels) AS l
			WHERE l.key <> ALL (v_known) AND r.labels -> l.key <> l.value) END;
	IF v_label IS NOT NULL THEN
		RAISE EXCEPTION 'job % names run % of the store, but its label "%" is not that of the run', job.job_id,
				job.test_run_id, v_label
			USING ERRCODE = 'invalid_parameter_value',
			HINT = format('If the number is of a run that was deleted or of another store, forget it: UPDATE jobs.job '
				'SET test_run_id = NULL WHERE job_id = %s. Else the argument of publish() goes before the label.',
				job.job_id);
	END IF;
	p.started_at := r.started_at;
	p.branch := r.branch;
	p.commit := r.commit;
	p.version := r.version;
	p.labels := r.labels;
	RETURN p;
END
$$;
COMMENT ON FUNCTION publication_in_run(job, publication, publication)
	IS 'the same for a job whose test_run_id is a run of the store, which says what that run is; an error where an '
		'argument or a label of the job says something else';

CREATE FUNCTION need_own_place(job_id bigint, benchmark_id bigint, test_run_id bigint, repetition int, source text)
	RETURNS void LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	o record;
	v_changed text;
BEGIN
	SELECT p.source, p.repetition INTO o FROM profiling.profile AS p
	WHERE p.benchmark_id = need_own_place.benchmark_id AND p.test_run_id = need_own_place.test_run_id
		AND p.event = 'job-time' AND (p.source = need_own_place.source) <> (p.repetition = need_own_place.repetition)
	LIMIT 1;
	IF FOUND THEN
		RAISE EXCEPTION '% is repetition % of run %', o.source, o.repetition, test_run_id USING
			ERRCODE = 'unique_violation',
			DETAIL = format('Job %s was to be repetition %s.', job_id, repetition),
			HINT = 'Give each job of a run a number of its own, and keep to it: repetition => 1.';
	END IF;
	-- A root with parts may end later without a change of any profile.
	SELECT CASE WHEN p.metric IS DISTINCT FROM jobs.makespan(job_id) THEN 'makespan has' ELSE 'profiles have' END
	INTO v_changed
	FROM jobs.published_profiles(job_id) AS e
		JOIN profiling.profile AS p ON p.event = e.event AND p.unit = e.unit
	WHERE p.benchmark_id = need_own_place.benchmark_id AND p.test_run_id = need_own_place.test_run_id
		AND p.source = need_own_place.source
		AND (p.metric IS DISTINCT FROM jobs.makespan(job_id)
			OR p.content_id <> profiling.content_id(jobs.published_profile(job_id, e.measure, e.resource_type),
				jobs.no_profile()))
	ORDER BY 1 DESC LIMIT 1;
	IF FOUND THEN
		RAISE EXCEPTION 'job % was published before, and its % changed since', job_id, v_changed USING
			ERRCODE = 'unique_violation',
			DETAIL = format('It is part of run %s.', test_run_id),
			HINT = format('profiling.delete_run(%s) takes the run away, so that its jobs can be published again.',
				test_run_id);
	END IF;
END
$$;
COMMENT ON FUNCTION need_own_place(bigint, bigint, bigint, int, text)
	IS 'an error where another job has the place of this one in its run, or what was published of this one is not what '
		'its profiles and its makespan are now';

CREATE FUNCTION publish(job_id bigint, benchmark text DEFAULT NULL, suite text DEFAULT NULL,
		parameters jsonb DEFAULT NULL, started_at timestamptz DEFAULT NULL, branch text DEFAULT NULL,
		commit text DEFAULT NULL, version text DEFAULT NULL, labels jsonb DEFAULT NULL, repetition int DEFAULT NULL)
	RETURNS bigint LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v_source CONSTANT text := format('job %s', job_id);
	v_given CONSTANT jobs.publication := ROW(benchmark, suite, parameters, started_at, branch, commit, version, labels,
		repetition);
	v_job jobs.job;
	v_root record;
	p jobs.publication;
	v_benchmark_id bigint;
	v_test_run_id bigint;
BEGIN
	PERFORM jobs.need_store();
	-- what is wrong with the job, before anything is looked at
	PERFORM jobs.published_profile(job_id, 'time'::text, NULL::text);
	SELECT j.* INTO STRICT v_job FROM jobs.job AS j WHERE j.job_id = publish.job_id FOR NO KEY UPDATE;
	SELECT h.start_time, h.end_time INTO STRICT v_root FROM jobs.phase AS h
	WHERE h.job_id = publish.job_id AND h.parent_id IS NULL;
	p := jobs.publication_in_run(v_job, v_given, jobs.publication_of(v_job, v_given));
	v_benchmark_id := profiling.ensure_benchmark(p.suite, p.benchmark, p.parameters);
	v_test_run_id := profiling.ensure_test_run(p.started_at, p.branch, p.commit, p.version, p.labels);
	-- Two sessions must not find the same place of a run empty.
	PERFORM pg_advisory_xact_lock(hashtextextended('flamegraph_jobs publish', v_test_run_id));
	PERFORM jobs.need_own_place(job_id, v_benchmark_id, v_test_run_id, p.repetition, v_source);
	PERFORM profiling.import_flamegraph(benchmark => p.benchmark,
		fg => jobs.published_profile(publish.job_id, e.measure, e.resource_type), truncated => jobs.no_profile(),
		suite => p.suite, parameters => p.parameters, started_at => p.started_at, branch => p.branch,
		commit => p.commit, version => p.version, labels => p.labels, event => e.event, unit => e.unit,
		period => NULL::float8, recorded_at => v_root.start_time,
		duration => v_root.end_time - v_root.start_time, instance => ''::text, repetition => p.repetition,
		metric => extract(epoch FROM v_root.end_time - v_root.start_time)::float8,
		metric_unit => 's'::text, source => v_source, options => '{}'::jsonb, samples => jobs.no_profile(),
		noise => jobs.no_profile())
	FROM jobs.published_profiles(publish.job_id) AS e
	WHERE NOT EXISTS (SELECT FROM profiling.profile AS o WHERE o.benchmark_id = v_benchmark_id
		AND o.test_run_id = v_test_run_id AND o.source = v_source AND o.event = e.event AND o.unit = e.unit);
	UPDATE jobs.job AS j SET test_run_id = v_test_run_id
	WHERE j.job_id = publish.job_id AND j.test_run_id IS DISTINCT FROM v_test_run_id;
	RETURN v_test_run_id;
END
$$;
COMMENT ON FUNCTION publish(bigint, text, text, jsonb, timestamptz, text, text, text, jsonb, int)
	IS 'puts the profiles of a job into flamegraph_store, as events job-time, job-usage-TYPE and job-bottleneck-TYPE '
		'whose metric is the makespan in seconds; returns the run, which it writes into the job. Arguments that are '
		'null are those labels of the job, else benchmark is its name, suite its model, started_at its start; its '
		'other labels are those of the run. Once is enough: a job that is there is left as it is. Errors: 0A000 '
		'without the store, 42501 without access loader to both, 23505 for a job that has changed since or '
		'whose place another one has';
