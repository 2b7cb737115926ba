--
-- two samples of profiles compared
--

CREATE FUNCTION compare_stats(before flamestats, after flamestats, correction text DEFAULT 'bh',
							  alpha float8 DEFAULT 0.05, size_factor text DEFAULT 'none', min_mean float8 DEFAULT 5,
							  variance text DEFAULT 'own', poisson_unit float8 DEFAULT 0,
							  before_noise flamegraph DEFAULT NULL, after_noise flamegraph DEFAULT NULL,
							  OUT key stackpath, OUT mean_before float8, OUT mean_after float8, OUT delta float8,
							  OUT relative float8, OUT t float8, OUT df float8, OUT p_value float8, OUT q_value float8,
							  OUT lower float8, OUT upper float8, OUT change text, OUT significant bool,
							  OUT stddev float8)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_compare_stats' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 5000;
COMMENT ON FUNCTION compare_stats(flamestats, flamestats, text, float8, text, float8, text, float8, flamegraph,
	flamegraph)
	IS 'compare_profiles with method welch, from the statistics of both groups; before_noise and after_noise: the sum '
		'of the noise of a group''s profiles, by stack';

CREATE FUNCTION compare_profiles(before flamegraph[], after flamegraph[], level text DEFAULT 'stack',
								 method text DEFAULT 'welch', correction text DEFAULT 'bh', alpha float8 DEFAULT 0.05,
								 size_factor text DEFAULT 'none', min_mean float8 DEFAULT 5, min_df int4 DEFAULT 1,
								 permutations int4 DEFAULT 999, seed int8 DEFAULT 42, variance text DEFAULT 'own',
								 poisson_unit float8 DEFAULT 0, before_noise flamegraph[] DEFAULT NULL,
								 after_noise flamegraph[] DEFAULT NULL,
								 OUT key stackpath, OUT mean_before float8, OUT mean_after float8, OUT delta float8,
								 OUT relative float8, OUT t float8, OUT df float8, OUT p_value float8,
								 OUT q_value float8, OUT lower float8, OUT upper float8, OUT change text,
								 OUT significant bool, OUT stddev float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_compare_profiles' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 5000;
COMMENT ON FUNCTION compare_profiles(flamegraph[], flamegraph[], text, text, text, float8, text, float8, int4, int4,
	int8, text, float8, flamegraph[], flamegraph[])
	IS 'two groups of profiles, key by key: a t-test, q_value by correction bh, holm, bonferroni or none, or by method '
		'maxt; keys that fewer than min_df profiles have are left out; smallest p_value first; relative is delta / '
		'mean_before, infinite where that does not fit a float8. variance own: Welch''s test; moderated: keys lend '
		'each other their variance (Smyth 2004, with a trend over the mean), so that three runs a side are enough. '
		'poisson_unit (the value of one sample) and noise (of each profile, the sum of squared weights of samples by '
		'stack: read_recording, recording_noise) are floors of variances. stddev: the deviation of one run that t '
		'uses, delta / t / sqrt(1 / n1 + 1 / n2)';

CREATE FUNCTION size_factor(before flamegraph, after flamegraph, method text, min_mean float8 DEFAULT 5) RETURNS float8
	AS 'MODULE_PATHNAME', 'flamegraph_size_factor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION size_factor(flamegraph, flamegraph, text, float8)
	IS 'by what values of after must be divided to compare with before, both means: none (1), median_ratio (of stacks '
		'whose mean over both is at least min_mean), total; NULL when there is no such stack or a total is not '
		'positive';
