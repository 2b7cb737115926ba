
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
CREATE FUNCTION merged_samples({arguments}, mix bool DEFAULT false) RETURNS flamegraph
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000
	BEGIN ATOMIC
		SELECT CASE WHEN bool_and(s.samples IS NOT NULL) THEN sum(s.samples) END
		FROM (SELECT samples_of(p.flamegraph,
				coalesce(p.period, CASE WHEN p.unit = 'samples' THEN 1::float8 END), p.samples) AS samples
			FROM profiles({passed:merged_samples}) AS p
			WHERE may_be_summed({passed:merged_samples}, mix => merged_samples.mix)) AS s;
	END
$define$::pg_catalog.text);
SELECT profiling.define($define$
COMMENT ON FUNCTION merged_samples({types}, bool)
	IS 'how many samples are behind each stack of merged(); null when nobody knows it of one of the profiles'
$define$::pg_catalog.text);

SELECT profiling.define($define$
CREATE FUNCTION merged_noise({arguments}, mix bool DEFAULT false) RETURNS flamegraph
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000
	BEGIN ATOMIC
		SELECT CASE WHEN bool_and(s.noise IS NOT NULL) THEN sum(s.noise) END
		FROM (SELECT noise_of(p.flamegraph,
				coalesce(p.period, CASE WHEN p.unit = 'samples' THEN 1::float8 END), p.noise) AS noise
			FROM profiles({passed:merged_noise}) AS p
			WHERE may_be_summed({passed:merged_noise}, mix => merged_noise.mix)) AS s;
	END
$define$::pg_catalog.text);
SELECT profiling.define($define$
COMMENT ON FUNCTION merged_noise({types}, bool)
	IS 'the variance that each stack of merged() has because it was sampled: the sum of the squared weights of the '
		'samples; null when nobody knows it of one of the profiles'
$define$::pg_catalog.text);

SELECT profiling.define($define$
CREATE FUNCTION average_samples({arguments}, mix bool DEFAULT false) RETURNS flamegraph
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000
	BEGIN ATOMIC
		SELECT CASE WHEN bool_and(s.samples IS NOT NULL) THEN sum(s.samples) / nullif(count(*), 0)::float8 END
		FROM (SELECT samples_of(p.flamegraph,
				coalesce(p.period, CASE WHEN p.unit = 'samples' THEN 1::float8 END), p.samples) AS samples
			FROM profiles({passed:average_samples}) AS p
			WHERE may_be_summed({passed:average_samples}, mix => average_samples.mix)) AS s;
	END
$define$::pg_catalog.text);
SELECT profiling.define($define$
COMMENT ON FUNCTION average_samples({types}, bool)
	IS 'how many samples a profile has on average behind each stack of average(); null when nobody knows it of one '
		'of them'
$define$::pg_catalog.text);

SELECT profiling.define($define$
CREATE FUNCTION average_noise({arguments}, mix bool DEFAULT false) RETURNS flamegraph
	LANGUAGE sql STABLE PARALLEL SAFE COST 1000000
	BEGIN ATOMIC
		SELECT CASE WHEN bool_and(s.noise IS NOT NULL)
			THEN sum(s.noise) / nullif(count(*), 0)::float8 / nullif(count(*), 0)::float8 END
		FROM (SELECT noise_of(p.flamegraph,
				coalesce(p.period, CASE WHEN p.unit = 'samples' THEN 1::float8 END), p.noise) AS noise
			FROM profiles({passed:average_noise}) AS p
			WHERE may_be_summed({passed:average_noise}, mix => average_noise.mix)) AS s;
	END
$define$::pg_catalog.text);
SELECT profiling.define($define$
COMMENT ON FUNCTION average_noise({types}, bool)
	IS 'the variance that each stack of average() has because it was sampled, as noise of functions that compare '
		'means: the sum of the squared weights of the samples by the square of the number of profiles; null when '
		'nobody knows it of one of them'
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
		permutations int DEFAULT 999, seed bigint DEFAULT 42, variance text DEFAULT NULL)
	RETURNS TABLE (key stackpath, mean_before float8, mean_after float8, delta float8, relative float8, t float8,
		df float8,
		p_value float8, q_value float8, lower float8, upper float8, change text, significant bool,
		stddev float8)
	LANGUAGE sql STABLE COST 1000000 ROWS 5000
	BEGIN ATOMIC
		SELECT c.*
		FROM (SELECT b.profiles AS before, a.profiles AS after, b.known AND a.known AS known,
				CASE WHEN b.known AND a.known THEN b.noise END AS before_noise,
				CASE WHEN b.known AND a.known THEN a.noise END AS after_noise
			FROM (SELECT pg_catalog.array_agg(p.flamegraph ORDER BY p.recorded_at, p.profile_id) AS profiles,
					pg_catalog.array_agg(n.noise ORDER BY p.recorded_at, p.profile_id) AS noise,
					pg_catalog.bool_and(n.noise IS NOT NULL) AS known,
					pg_catalog.array_agg(DISTINCT p.event || ' in ' || p.unit) AS kinds
					FROM profiles_of(compare.before) AS p,
						LATERAL (SELECT noise_of(p.flamegraph, p.period, p.noise) AS noise OFFSET 0) AS n) AS b,
				(SELECT pg_catalog.array_agg(p.flamegraph ORDER BY p.recorded_at, p.profile_id) AS profiles,
					pg_catalog.array_agg(n.noise ORDER BY p.recorded_at, p.profile_id) AS noise,
					pg_catalog.bool_and(n.noise IS NOT NULL) AS known,
					pg_catalog.array_agg(DISTINCT p.event || ' in ' || p.unit) AS kinds
					FROM profiles_of(compare.after) AS p,
						LATERAL (SELECT noise_of(p.flamegraph, p.period, p.noise) AS noise OFFSET 0) AS n) AS a
			WHERE one_event(b.kinds OPERATOR(pg_catalog.||) a.kinds) OFFSET 0) AS s,
			LATERAL compare_profiles(s.before, s.after, compare.level, compare.method, compare.correction,
				compare.alpha,
				compare.size_factor, compare.min_mean, compare.min_df, compare.permutations, compare.seed,
				COALESCE(compare.variance, CASE WHEN s.known THEN 'moderated' ELSE 'own' END), 0,
				s.before_noise, s.after_noise) AS c;
	END;
COMMENT ON FUNCTION compare(jsonb, jsonb, text, text, text, float8, text, float8, int, int, bigint, text)
	IS 'which stacks, calling contexts or functions differ between two selections, written as objects: '
		'compare_profiles() of them; each profile is an observation. Where the noise of all profiles is known (or the '
		'period of their samples), it is the floor of variances, and these are moderated unless variance says own';

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
		SELECT EXISTS (SELECT 1 FROM profile_data AS d WHERE d.flamegraph ~ frame_pattern(occurs.what));
	END;
COMMENT ON FUNCTION occurs(text) IS 'whether any profile of the store has what frame_search() looks for';

-- One profile is enough, and planned for one the index looks dearer than it is.
CREATE FUNCTION search_works(what text, per text, sort text) RETURNS bool
	LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	SET enable_seqscan = off SET standard_conforming_strings = on AS $$
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
		fg flamegraph, noise flamegraph DEFAULT NULL) RETURNS float8
	LANGUAGE sql STABLE
	BEGIN ATOMIC
		SELECT coalesce((SELECT max(p.period) FROM profile AS p WHERE p.benchmark_id = value_of_sample.benchmark_id
				AND p.test_run_id = value_of_sample.test_run_id AND p.event = value_of_sample.event
					AND p.unit = value_of_sample.unit),
			CASE WHEN value_of_sample.unit = 'samples' THEN 1::float8 END,
			CASE WHEN value_of_sample.noise IS NOT NULL
				-- a clock that is set back makes a negative weight, and may make a negative total
				THEN ratio(total(value_of_sample.noise), @-@ value_of_sample.fg) END,
			(SELECT min(abs(s.value)) FROM stacks(value_of_sample.fg) AS s), 0::float8);
	END;
COMMENT ON FUNCTION value_of_sample(bigint, text, text, bigint, flamegraph, flamegraph)
	IS 'what one sample of a run stands for, in unit: the period, 1 for samples, the mean weight that its noise says, '
		'else the smallest value that a stack has; values vary at least as counts of such samples do';

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
		SELECT EXISTS (SELECT 1 FROM rollups_of(trend_has.benchmark_id, NULL::bigint[]) AS r
			WHERE r.event = trend_has.event AND r.branch = trend_has.branch
				AND r.span = 'run' AND has_frame(summed(r.flamegraph, r.benchmark_id, r.pending), trend_has.frame));
	END;
COMMENT ON FUNCTION trend_has(bigint, text, text, text) IS 'whether any run that frame_trend() shows has the frame';

-- callers() has a NOTICE with the nearest names for a frame that does not occur.
CREATE FUNCTION trend_misses(benchmark_id bigint, frame text, event text, branch text) RETURNS bigint
	LANGUAGE sql STABLE COST 10000
	BEGIN ATOMIC
		SELECT count(*)
		FROM (SELECT summed(r.flamegraph, r.benchmark_id, r.pending) AS fg
			FROM rollups_of(trend_misses.benchmark_id, NULL::bigint[]) AS r
			WHERE r.event = trend_misses.event
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
	v_no_noise CONSTANT profiling.rollup.flamegraph%TYPE := NULL;
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
			profiling.ratio(profiling.value_of_sample(r.benchmark_id, r.event, r.unit, r.test_run_id, r.fg, v_no_noise),
				CASE WHEN v_is_share THEN r.total ELSE r.repetitions END) AS of_sample
		FROM (SELECT o.*, profiling.summed(o.flamegraph, o.benchmark_id, o.pending) AS fg
			FROM profiling.rollups_of(frame_trend.benchmark_id, NULL::bigint[]) AS o OFFSET 0) AS r
			JOIN profiling.test_run AS t ON t.test_run_id = r.test_run_id
		WHERE r.event = frame_trend.event AND r.branch = v_branch
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
