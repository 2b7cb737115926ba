
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
		ELSE 'The store has none yet.' END;
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
	IF EXISTS (SELECT 1 FROM profiling.selected({passed:something_selected})) THEN
		RETURN true;
	END IF;
	m := profiling.missing_word({passed:something_selected});
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
			p.content_id, d.flamegraph, d.truncated, d.samples, d.noise
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
COMMENT ON FUNCTION selection_value(jsonb, text, text)
	IS 'the value of a key of a selection, its type checked; null when it is missing or null';

CREATE FUNCTION selection_time(selection jsonb, name text) RETURNS timestamptz
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
