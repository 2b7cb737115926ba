
--
-- what sums of runs and of months are made of, and how profiles that are pending are added to them
--

CREATE FUNCTION object_id(value jsonb) RETURNS uuid
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	BEGIN ATOMIC
		SELECT md5(value::text)::uuid;
	END;
COMMENT ON FUNCTION object_id(jsonb) IS 'what stands for an object of labels or parameters in a key';

-- An expression each, so that they become part of the plan that import keeps.
CREATE FUNCTION hash_id(fg flamegraph) RETURNS uuid
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT content_hash(hash_id.fg);
	END;
COMMENT ON FUNCTION hash_id(flamegraph) IS '128-bit hash of a profile';

CREATE FUNCTION content_id(fg flamegraph, truncated flamegraph DEFAULT NULL) RETURNS uuid
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN content_id.truncated IS NULL THEN hash_id(content_id.fg)
			ELSE hash_id(content_id.fg + content_id.truncated) END;
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

CREATE FUNCTION adds_at_once(repetitions int, fg flamegraph, more flamegraph) RETURNS bool
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	BEGIN ATOMIC
		SELECT adds_at_once.repetitions < 4 AND nnodes(adds_at_once.fg) + nnodes(adds_at_once.more)::bigint < 20000;
	END;
COMMENT ON FUNCTION adds_at_once(int, flamegraph, flamegraph)
	IS 'whether a rollup of so many profiles, with this sum, takes one more into its sums; those of more profiles, or '
		'large ones, take longer to write again than what comes, and it is noted in pending';

CREATE FUNCTION added(repetitions int, fg flamegraph, more flamegraph) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN adds_at_once(added.repetitions, added.fg, added.more) THEN added.fg + added.more
					ELSE added.fg END;
	END;
COMMENT ON FUNCTION added(int, flamegraph, flamegraph)
	IS 'the sum of a rollup with one profile more, if that is added at once';

CREATE FUNCTION added_stats(repetitions int, stats flamestats, fg flamegraph, level text,
		more flamegraph) RETURNS flamestats
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN adds_at_once(added_stats.repetitions, added_stats.fg, added_stats.more)
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

-- Where what is called for each row reads tables itself, the rows come from these two. On one server they become part
-- of the query; on Citus they are what brings the rows to the server that was asked, as nothing that reads a table can
-- be called on the others.
CREATE FUNCTION rollups_of(benchmark_id bigint, run_ids bigint[]) RETURNS SETOF rollup
	LANGUAGE sql STABLE ROWS 10
	BEGIN ATOMIC
		SELECT r.* FROM rollup AS r
		WHERE r.benchmark_id = rollups_of.benchmark_id
			AND (rollups_of.run_ids IS NULL OR r.test_run_id = ANY (rollups_of.run_ids));
	END;
COMMENT ON FUNCTION rollups_of(bigint, bigint[]) IS 'the rollups of a benchmark, of some runs or (null) of all';

CREATE FUNCTION findings_of(benchmark_id bigint) RETURNS SETOF regression
	LANGUAGE sql STABLE ROWS 10
	BEGIN ATOMIC
		SELECT f.* FROM regression AS f WHERE f.benchmark_id = findings_of.benchmark_id;
	END;
COMMENT ON FUNCTION findings_of(bigint) IS 'the findings about a benchmark';

--
-- how many samples there are, and how much a value varies because it was sampled
--
-- A profile or a sum of some says it in one of four ways: it has vectors of its own (columns samples and noise); all
-- its
-- samples weigh the same (column period: samples are flamegraph / period, noise is period * flamegraph); it is empty;
-- or nobody knows. Sums stay in the first of these forms that can say it, whatever the order they are added in.
--

CREATE FUNCTION period_of(fg flamegraph, samples flamegraph, period float8) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
	BEGIN ATOMIC
		-- What is out of range here is no recording, and must not be an error each night.
		SELECT CASE WHEN period_of.samples IS NOT NULL OR period_of.period IS NULL
					OR period_of.period NOT BETWEEN 1e-100::float8 AND 1e100::float8
					OR nstacks(period_of.fg) = 0 THEN NULL
				WHEN is_positive(period_of.fg) THEN
					CASE WHEN @-@ period_of.fg <= 1e150::float8 THEN period_of.period END END;
	END;
COMMENT ON FUNCTION period_of(flamegraph, flamegraph, float8)
	IS 'what each sample of a profile stands for, where that says how many there are: not where it has samples of its '
		'own, or none at all, or a negative value';

CREATE FUNCTION samples_of(fg flamegraph, period float8, samples flamegraph) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN samples_of.samples IS NOT NULL THEN samples_of.samples
					WHEN nstacks(samples_of.fg) = 0 THEN samples_of.fg
					ELSE samples_of.fg / period_of(samples_of.fg, NULL::flamegraph, samples_of.period) END;
	END;
COMMENT ON FUNCTION samples_of(flamegraph, float8, flamegraph)
	IS 'number of samples per stack of a profile or a rollup, from its columns flamegraph, period and samples; null '
		'when nobody knows';

CREATE FUNCTION noise_of(fg flamegraph, period float8, noise flamegraph) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN noise_of.noise IS NOT NULL THEN noise_of.noise
					WHEN nstacks(noise_of.fg) = 0 THEN noise_of.fg
					ELSE noise_of.fg * period_of(noise_of.fg, NULL::flamegraph, noise_of.period) END;
	END;
COMMENT ON FUNCTION noise_of(flamegraph, float8, flamegraph)
	IS 'sum of the squared weights of the samples per stack of a profile or a rollup, the variance that it has because '
		'it was sampled, from its columns flamegraph, period and noise; null when nobody knows';

CREATE FUNCTION summed_samples(fg flamegraph, period float8, samples flamegraph, benchmark_id bigint,
		pending bigint[]) RETURNS flamegraph
	LANGUAGE sql STABLE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN pg_catalog.cardinality(summed_samples.pending) = 0
			THEN samples_of(summed_samples.fg, summed_samples.period, summed_samples.samples)
			ELSE samples_of(summed_samples.fg, summed_samples.period, summed_samples.samples)
				+ (SELECT CASE WHEN bool_and(o.samples IS NOT NULL) IS NOT FALSE
						THEN coalesce(sum(o.samples), ''::flamegraph) END
					FROM (SELECT samples_of(d.flamegraph, p.period, d.samples) AS samples
						FROM profile_data AS d JOIN profile AS p ON p.benchmark_id = d.benchmark_id
							AND p.profile_id = d.profile_id
						WHERE d.benchmark_id = summed_samples.benchmark_id
							AND d.profile_id = ANY (summed_samples.pending)) AS o) END;
	END;
COMMENT ON FUNCTION summed_samples(flamegraph, float8, flamegraph, bigint, bigint[])
	IS 'number of samples per stack of all profiles of a rollup, from its columns, as summed() has their values; null '
		'when nobody knows';

CREATE FUNCTION summed_noise(fg flamegraph, period float8, noise flamegraph, benchmark_id bigint,
		pending bigint[]) RETURNS flamegraph
	LANGUAGE sql STABLE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN pg_catalog.cardinality(summed_noise.pending) = 0
			THEN noise_of(summed_noise.fg, summed_noise.period, summed_noise.noise)
			ELSE noise_of(summed_noise.fg, summed_noise.period, summed_noise.noise)
				+ (SELECT CASE WHEN bool_and(o.noise IS NOT NULL) IS NOT FALSE
						THEN coalesce(sum(o.noise), ''::flamegraph) END
					FROM (SELECT noise_of(d.flamegraph, p.period, d.noise) AS noise
						FROM profile_data AS d JOIN profile AS p ON p.benchmark_id = d.benchmark_id
							AND p.profile_id = d.profile_id
						WHERE d.benchmark_id = summed_noise.benchmark_id
							AND d.profile_id = ANY (summed_noise.pending)) AS o) END;
	END;
COMMENT ON FUNCTION summed_noise(flamegraph, float8, flamegraph, bigint, bigint[])
	IS 'sum of the squared weights of the samples per stack of all profiles of a rollup, from its columns, as summed() '
		'has their values; null when nobody knows';

CREATE FUNCTION both_period(fg flamegraph, period float8, samples flamegraph, more flamegraph, more_period float8,
		more_samples flamegraph) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
	BEGIN ATOMIC
		SELECT CASE WHEN nstacks(both_period.fg) = 0 AND both_period.samples IS NULL THEN both_period.more_period
				WHEN nstacks(both_period.more) = 0 AND both_period.more_samples IS NULL THEN both_period.period
				WHEN both_period.period = both_period.more_period THEN both_period.period END;
	END;
COMMENT ON FUNCTION both_period(flamegraph, float8, flamegraph, flamegraph, float8, flamegraph)
	IS 'column period of the sum of two profiles or sums: of the one that is not empty, or that of both';

CREATE FUNCTION both_samples(fg flamegraph, period float8, samples flamegraph, more flamegraph, more_period float8,
		more_samples flamegraph) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN nstacks(both_samples.fg) = 0 AND both_samples.samples IS NULL THEN both_samples.more_samples
				WHEN nstacks(both_samples.more) = 0 AND both_samples.more_samples IS NULL THEN both_samples.samples
				WHEN both_samples.period = both_samples.more_period THEN NULL
				ELSE coalesce(both_samples.samples, both_samples.fg / both_samples.period)
					+ coalesce(both_samples.more_samples, both_samples.more / both_samples.more_period) END;
	END;
COMMENT ON FUNCTION both_samples(flamegraph, float8, flamegraph, flamegraph, float8, flamegraph)
	IS 'column samples of the sum of two profiles or sums: null where one period says it, and where nobody knows';

CREATE FUNCTION both_noise(fg flamegraph, period float8, noise flamegraph, more flamegraph, more_period float8,
		more_noise flamegraph) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN nstacks(both_noise.fg) = 0 AND both_noise.noise IS NULL THEN both_noise.more_noise
				WHEN nstacks(both_noise.more) = 0 AND both_noise.more_noise IS NULL THEN both_noise.noise
				WHEN both_noise.period = both_noise.more_period THEN NULL
				ELSE coalesce(both_noise.noise, both_noise.fg * both_noise.period)
					+ coalesce(both_noise.more_noise, both_noise.more * both_noise.more_period) END;
	END;
COMMENT ON FUNCTION both_noise(flamegraph, float8, flamegraph, flamegraph, float8, flamegraph)
	IS 'column noise of the sum of two profiles or sums, null where samples is';

CREATE TYPE recorded AS (flamegraph flamegraph, period float8, samples flamegraph, noise flamegraph);
COMMENT ON TYPE recorded IS 'a profile or a sum of some, and what is known of its samples, in the columns of rollup';

CREATE FUNCTION both_recorded(one recorded, other recorded) RETURNS recorded
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT ROW((one).flamegraph + (other).flamegraph,
			both_period((one).flamegraph, (one).period, (one).samples, (other).flamegraph, (other).period,
				(other).samples),
			both_samples((one).flamegraph, (one).period, (one).samples, (other).flamegraph, (other).period,
				(other).samples),
			both_noise((one).flamegraph, (one).period, (one).noise, (other).flamegraph, (other).period,
				(other).noise))::recorded;
	END;
COMMENT ON FUNCTION both_recorded(recorded, recorded) IS 'the sum of two';

CREATE AGGREGATE recorded_sum(recorded) (
	SFUNC = both_recorded,
	STYPE = recorded,
	INITCOND = '("",,,)',
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE recorded_sum(recorded) IS 'the sum of all, an empty profile for none';

CREATE FUNCTION recorded_of(benchmark_id bigint, profile_ids bigint[]) RETURNS recorded
	LANGUAGE sql STABLE COST 100000
	BEGIN ATOMIC
		-- Those of one kind are summed up at once: few kinds are left.
		SELECT recorded_sum(ROW(k.fg, k.period, k.samples, k.noise)::recorded ORDER BY k.own, k.period)
		FROM (SELECT o.own, o.period, sum(o.flamegraph) AS fg, sum(o.samples) AS samples, sum(o.noise) AS noise
			FROM (SELECT d.flamegraph, d.samples, d.noise, d.samples IS NOT NULL AS own,
					period_of(d.flamegraph, d.samples, p.period) AS period
				FROM profile_data AS d JOIN profile AS p ON p.benchmark_id = d.benchmark_id
					AND p.profile_id = d.profile_id
				WHERE d.benchmark_id = recorded_of.benchmark_id AND d.profile_id = ANY (recorded_of.profile_ids)) AS o
			GROUP BY o.own, o.period) AS k;
	END;
COMMENT ON FUNCTION recorded_of(bigint, bigint[]) IS 'the sum of some profiles, with what is known of their samples';

CREATE FUNCTION recorded_kinds(benchmark_id bigint, profile_ids bigint[], OUT own bool, OUT period float8)
	RETURNS SETOF record LANGUAGE sql STABLE COST 10000 ROWS 1
	BEGIN ATOMIC
		SELECT DISTINCT d.samples IS NOT NULL, period_of(d.flamegraph, d.samples, p.period)
		FROM profile_data AS d JOIN profile AS p ON p.benchmark_id = d.benchmark_id AND p.profile_id = d.profile_id
		WHERE d.benchmark_id = recorded_kinds.benchmark_id AND d.profile_id = ANY (recorded_kinds.profile_ids);
	END;
COMMENT ON FUNCTION recorded_kinds(bigint, bigint[])
	IS 'the kinds of which recorded_of() has sums: profiles with samples of their own, and those of one period, or of '
		'none';

CREATE FUNCTION added_period(repetitions int, fg flamegraph, period float8, samples flamegraph, more flamegraph,
		more_period float8, more_samples flamegraph) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
	BEGIN ATOMIC
		SELECT CASE WHEN adds_at_once(added_period.repetitions, added_period.fg, added_period.more)
			THEN both_period(added_period.fg, added_period.period, added_period.samples, added_period.more,
				added_period.more_period, added_period.more_samples)
			ELSE added_period.period END;
	END;
COMMENT ON FUNCTION added_period(int, flamegraph, float8, flamegraph, flamegraph, float8, flamegraph)
	IS 'column period of a rollup with one profile more, if that is added at once';

CREATE FUNCTION added_samples(repetitions int, fg flamegraph, period float8, samples flamegraph, more flamegraph,
		more_period float8, more_samples flamegraph) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN adds_at_once(added_samples.repetitions, added_samples.fg, added_samples.more)
			THEN both_samples(added_samples.fg, added_samples.period, added_samples.samples, added_samples.more,
				added_samples.more_period, added_samples.more_samples)
			ELSE added_samples.samples END;
	END;
COMMENT ON FUNCTION added_samples(int, flamegraph, float8, flamegraph, flamegraph, float8, flamegraph)
	IS 'column samples of a rollup with one profile more, if that is added at once';

CREATE FUNCTION added_noise(repetitions int, fg flamegraph, period float8, noise flamegraph, more flamegraph,
		more_period float8, more_noise flamegraph) RETURNS flamegraph
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		SELECT CASE WHEN adds_at_once(added_noise.repetitions, added_noise.fg, added_noise.more)
			THEN both_noise(added_noise.fg, added_noise.period, added_noise.noise, added_noise.more,
				added_noise.more_period, added_noise.more_noise)
			ELSE added_noise.noise END;
	END;
COMMENT ON FUNCTION added_noise(int, flamegraph, float8, flamegraph, flamegraph, float8, flamegraph)
	IS 'column noise of a rollup with one profile more, if that is added at once';

CREATE FUNCTION weights_facts(fg flamegraph, samples flamegraph, noise flamegraph, OUT positive bool, OUT unsigned bool,
		OUT total float8, OUT sample_count float8, OUT squares float8, OUT complete bool)
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000
	BEGIN ATOMIC
		-- Numbers of samples and noise are positive wherever there is a sample, also one that weighs nothing.
		SELECT is_positive(weights_facts.samples) AND is_positive(weights_facts.noise),
			is_positive(weights_facts.fg),
			@-@ weights_facts.fg, @-@ weights_facts.samples, @-@ weights_facts.noise,
			nstacks(weights_facts.samples + absolute(weights_facts.fg) + weights_facts.noise)
				= nstacks(weights_facts.samples);
	END;
COMMENT ON FUNCTION weights_facts(flamegraph, flamegraph, flamegraph)
	IS 'what weights_work() looks at: whether nothing is negative, the sums, and whether samples has all stacks';

CREATE FUNCTION weights_work(fg flamegraph, samples flamegraph, noise flamegraph) RETURNS bool
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	f record;
BEGIN
	IF samples IS NULL AND noise IS NULL THEN
		RETURN true;
	END IF;
	IF samples IS NULL OR noise IS NULL THEN
		RAISE EXCEPTION 'samples and noise come together, or not at all' USING ERRCODE = 'null_value_not_allowed',
			HINT = 'Where all samples weigh the same, the argument "period" says as much.';
	END IF;
	f := profiling.weights_facts(fg, samples, noise);
	IF NOT f.positive THEN
		RAISE EXCEPTION 'numbers of samples and noise cannot be negative' USING
			ERRCODE = 'invalid_parameter_value';
	END IF;
	IF greatest(f.total, f.sample_count) > 1e140 OR f.squares > 1e280 THEN
		RAISE EXCEPTION 'samples or noise are out of range' USING ERRCODE = 'numeric_value_out_of_range';
	END IF;
	-- A sum of numbers is at most the root of their count times the sum of their squares (Cauchy and Schwarz), and if
	-- none is negative at least the root of the latter. A clock that is set back makes a negative weight.
	IF NOT f.complete OR f.total > sqrt(f.sample_count) * sqrt(f.squares) * (1 + 1e-9) + 1e-140
			OR f.unsigned AND sqrt(f.squares) > f.total * (1 + 1e-9) + 1e-140 THEN
		RAISE EXCEPTION 'samples and noise are not those of the profile' USING
			ERRCODE = 'invalid_parameter_value',
			DETAIL = CASE WHEN NOT f.complete THEN 'A stack has a value, or noise, and no samples.'
				ELSE format('No %s samples have the sum %s and the sum of squares %s.', f.sample_count, f.total,
					f.squares) END,
			HINT = 'samples: how many a stack has; noise: the sum of the squares of what they weigh.';
	END IF;
	RETURN true;
END
$$;
COMMENT ON FUNCTION weights_work(flamegraph, flamegraph, flamegraph)
	IS 'true; an error for numbers of samples and sums of their squared weights that the profile cannot have';

CREATE FUNCTION folded_sums(benchmark_id bigint, event text, unit text, branch text, test_run_id bigint,
		pending bigint[], recorded recorded, OUT folded int, OUT flamegraph flamegraph, OUT period float8,
		OUT samples flamegraph, OUT noise flamegraph, OUT stats_stack flamestats, OUT stats_node flamestats,
		OUT stats_frame flamestats, OUT stats_self flamestats) RETURNS SETOF record
	LANGUAGE sql STABLE COST 100000 ROWS 1
	BEGIN ATOMIC
		-- One statement, so that what is made of the profiles need not go through variables.
		SELECT r.repetitions - pg_catalog.cardinality(r.pending), r.flamegraph + o.fg,
			both_period(r.flamegraph, r.period, r.samples, o.fg, (folded_sums.recorded).period,
				(folded_sums.recorded).samples),
			both_samples(r.flamegraph, r.period, r.samples, o.fg, (folded_sums.recorded).period,
				(folded_sums.recorded).samples),
			both_noise(r.flamegraph, r.period, r.noise, o.fg, (folded_sums.recorded).period,
				(folded_sums.recorded).noise),
			stats_of(r.stats_stack, r.flamegraph, 'stack'::text) + o.stack,
			stats_of(r.stats_node, r.flamegraph, 'node'::text) + o.node,
			stats_of(r.stats_frame, r.flamegraph, 'frame'::text) + o.frame,
			stats_of(r.stats_self, r.flamegraph, 'self'::text) + o.self
		FROM (SELECT coalesce((folded_sums.recorded).flamegraph, stats_sum(m.stack)) AS fg, m.stack, m.node, m.frame,
				m.self
			FROM (SELECT stats(d.flamegraph, 'stack'::text) AS stack, stats(d.flamegraph, 'node'::text) AS node,
					stats(d.flamegraph, 'frame'::text) AS frame, stats(d.flamegraph, 'self'::text) AS self
				FROM profile_data AS d
				WHERE d.benchmark_id = folded_sums.benchmark_id AND d.profile_id = ANY (folded_sums.pending)
				HAVING count(*) > 0) AS m OFFSET 0) AS o, rollup AS r
		WHERE r.benchmark_id = folded_sums.benchmark_id AND r.event = folded_sums.event
			AND r.unit = folded_sums.unit AND r.branch = folded_sums.branch
			AND r.test_run_id = folded_sums.test_run_id;
	END;
COMMENT ON FUNCTION folded_sums(bigint, text, text, text, bigint, bigint[], recorded)
	IS 'sums and moments of one rollup with some profiles more, and how many profiles it has in its own; recorded: '
		'the sum of those profiles, as recorded_of() has it; its flamegraph may be null, and follows from the moments';

-- All sums are worked out before the row is locked, which all loaders of the run wait for; so it can have got others
-- meanwhile, which are seen by the number of profiles in them: none is ever taken out.
CREATE FUNCTION fold_rollup(benchmark_id bigint, event text, unit text, branch text, test_run_id bigint,
		pending bigint[]) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
	k record;
	m record;
	s record;
BEGIN
	SELECT count(*) AS kinds, bool_or(k.own) AS own, min(k.period) AS period INTO k
	FROM profiling.recorded_kinds(fold_rollup.benchmark_id, fold_rollup.pending) AS k;
	IF k.kinds > 1 OR k.own THEN
		SELECT profiling.recorded_of(fold_rollup.benchmark_id, fold_rollup.pending) AS recorded INTO m;
	ELSE
		SELECT ROW(NULL, k.period, NULL, NULL)::profiling.recorded AS recorded INTO m;
	END IF;
	SELECT * INTO s FROM profiling.folded_sums(fold_rollup.benchmark_id, fold_rollup.event, fold_rollup.unit,
		fold_rollup.branch, fold_rollup.test_run_id, fold_rollup.pending, m.recorded);
	UPDATE profiling.rollup AS r SET
		flamegraph = s.flamegraph,
		period = s.period,
		samples = s.samples,
		noise = s.noise,
		stats_stack = s.stats_stack,
		stats_node = s.stats_node,
		stats_frame = s.stats_frame,
		stats_self = s.stats_self,
		-- It is never null; but Citus 13.2 ends the server over an assignment that is nothing but a slice.
		pending = coalesce(r.pending[cardinality(fold_rollup.pending) + 1 :], '{}'::bigint[])
	WHERE r.benchmark_id = fold_rollup.benchmark_id AND r.event = fold_rollup.event AND r.unit = fold_rollup.unit
		AND r.branch = fold_rollup.branch AND r.test_run_id = fold_rollup.test_run_id
		AND r.pending[1 : cardinality(fold_rollup.pending)] = fold_rollup.pending
		AND r.repetitions - cardinality(r.pending) = s.folded;
END
$$;
COMMENT ON FUNCTION fold_rollup(bigint, text, text, text, bigint, bigint[])
	IS 'adds these profiles to the sums and moments of one rollup; nothing unless they are the first that it has '
		'noted, so that none is added twice';

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
