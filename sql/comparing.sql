
--
-- samples of profiles: their statistics, and two samples compared
--

CREATE FUNCTION stats_level(s flamestats) RETURNS text
	AS 'MODULE_PATHNAME', 'flamestats_level' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION stats_level(flamestats) IS 'what the statistics are of: stack, node (contexts with what they call), frame (functions with what they call) or self (functions themselves)';

CREATE FUNCTION entries(s flamestats, OUT key stackpath, OUT n int8, OUT mean float8, OUT stddev float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamestats_entries' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 5000;
COMMENT ON FUNCTION entries(flamestats) IS 'the statistics as rows: n profiles have the key; mean and deviation over all profiles, 0 where it is missing; stddev is NULL for one profile';

CREATE FUNCTION compare_stats(before flamestats, after flamestats, correction text DEFAULT 'bh', alpha float8 DEFAULT 0.05,
							  size_factor text DEFAULT 'none', min_mean float8 DEFAULT 5,
							  OUT key stackpath, OUT mean_before float8, OUT mean_after float8, OUT delta float8, OUT relative float8,
							  OUT t float8, OUT df float8, OUT p_value float8, OUT q_value float8, OUT lower float8, OUT upper float8,
							  OUT change text, OUT significant bool) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_compare_stats' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 5000;
COMMENT ON FUNCTION compare_stats(flamestats, flamestats, text, float8, text, float8) IS 'compare_profiles with method welch, from the statistics of both groups';

CREATE FUNCTION compare_profiles(before flamegraph[], after flamegraph[], level text DEFAULT 'stack', method text DEFAULT 'welch',
								 correction text DEFAULT 'bh', alpha float8 DEFAULT 0.05, size_factor text DEFAULT 'none',
								 min_mean float8 DEFAULT 5, min_df int4 DEFAULT 1, permutations int4 DEFAULT 999, seed int8 DEFAULT 42,
								 OUT key stackpath, OUT mean_before float8, OUT mean_after float8, OUT delta float8, OUT relative float8,
								 OUT t float8, OUT df float8, OUT p_value float8, OUT q_value float8, OUT lower float8, OUT upper float8,
								 OUT change text, OUT significant bool) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_compare_profiles' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 5000;
COMMENT ON FUNCTION compare_profiles(flamegraph[], flamegraph[], text, text, text, float8, text, float8, int4, int4, int8) IS 'two groups of profiles, key by key: Welch''s t-test, q_value by correction bh, holm, bonferroni or none, or by method maxt; keys that fewer than min_df profiles have are left out; smallest p_value first; relative is delta / mean_before, infinite where that does not fit a float8';
