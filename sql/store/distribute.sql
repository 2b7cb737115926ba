
--
-- on several machines
--
-- Citus keeps a store on several servers. Nothing else in the store knows of it: the same tables, views and functions
-- do on one server and on many, if they keep to a few rules, which a test of the catalogs looks after
-- (docs/internals.md, "On several machines").
--

-- What lies where stands here once: whoever adds a table adds its line.
CREATE FUNCTION distribution(OUT table_name text, OUT kind text, OUT key text) RETURNS SETOF record
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

CREATE FUNCTION need_citus() RETURNS void
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

CREATE FUNCTION is_on_citus(name text) RETURNS bool
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

-- Citus plans no SQL function that has arguments and reads its tables; in PL/pgSQL it plans each statement by itself.
-- On one server the SQL functions are better: they are bound to what they name, and become part of the queries that
-- call them. What PostgreSQL prints of a body names everything with its schema and casts every argument, so that a
-- better match cannot be put in its place there either.
CREATE FUNCTION body_for_citus(function regprocedure) RETURNS text
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

CREATE FUNCTION functions_for_citus() RETURNS SETOF regprocedure
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

CREATE FUNCTION use_plpgsql(function regprocedure) RETURNS void
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

CREATE FUNCTION distribute_table(table_name text, kind text, key text, shards int, first text) RETURNS void
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

CREATE FUNCTION distribute(shards int DEFAULT NULL) RETURNS TABLE (table_name text, kind text)
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
