
--
-- Hotelling's T2: do two groups of profiles differ, and in which stacks?
--

CREATE FUNCTION hotelling_test(before flamegraph[], after flamegraph[], alpha float8 DEFAULT 0.01,
							   level text DEFAULT 'stack', min_df int4 DEFAULT 1,
							   OUT status text, OUT n1 int4, OUT n2 int4, OUT p int4, OUT kept int4, OUT dropped int4,
							   OUT dropped_weight float8, OUT t2 float8, OUT f float8, OUT df1 int4, OUT df2 int4,
							   OUT p_value float8, OUT f_critical float8) RETURNS record
	AS 'MODULE_PATHNAME', 'flamegraph_hotelling_test' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION hotelling_test(flamegraph[], flamegraph[], float8, text, int4)
	IS 'do the means of two groups of profiles differ? One p-value for all stacks, by Hotelling''s T2; status: ok, '
		'too_many_stacks, singular, no_variation or too_few_profiles; level: stack, node, frame or self; min_df: '
		'stacks in fewer profiles of both groups together are dropped';

CREATE FUNCTION hotelling_intervals(before flamegraph[], after flamegraph[], alpha float8 DEFAULT 0.01,
									level text DEFAULT 'stack', min_df int4 DEFAULT 1,
									OUT key stackpath, OUT delta float8, OUT lower float8, OUT upper float8,
									OUT variance float8, OUT significant bool, OUT certain bool) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_hotelling_intervals' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 100;
COMMENT ON FUNCTION hotelling_intervals(flamegraph[], flamegraph[], float8, text, int4)
	IS 'the difference of the means of each stack with its simultaneous confidence interval; significant: 0 lies '
		'outside; certain: a constant of each group, and not the same';

CREATE FUNCTION reduced_difference(before flamegraph[], after flamegraph[], alpha float8 DEFAULT 0.01,
								   level text DEFAULT 'stack', min_df int4 DEFAULT 1, method text DEFAULT 'hotelling',
								   variance text DEFAULT 'own')
	RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_reduced_difference' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION reduced_difference(flamegraph[], flamegraph[], float8, text, int4, text, text)
	IS 'the difference of the means at the significant stacks: of hotelling_intervals, or with method welch of '
		'compare_profiles with that variance; NULL when nothing could be tested';
