
--
-- one run against those before it
--

CREATE FUNCTION deviation_scores(history flamegraph[], current flamegraph, window_size int4 DEFAULT 10,
								 metric text DEFAULT 'total', poisson_unit float8 DEFAULT 1, min_std float8 DEFAULT 0,
								 zero_std text DEFAULT 'inf', variance text DEFAULT 'own',
								 history_noise flamegraph[] DEFAULT NULL, current_noise flamegraph DEFAULT NULL,
								 OUT key stackpath, OUT expected float8, OUT stddev float8, OUT actual float8,
								 OUT diff float8, OUT score float8, OUT raw_score float8, OUT p_value float8,
								 OUT q_value float8, OUT status text, OUT n int4, OUT df float8)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_deviation_scores' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 2000;
COMMENT ON FUNCTION deviation_scores(flamegraph[], flamegraph, int4, text, float8, float8, text, text, flamegraph[],
									 flamegraph)
	IS 'each function of one run against the last window_size of a history, oldest first: by how many standard '
		'deviations its total, self or potential:N differs from the mean; the deviation of score is at least min_std '
		'and that of a count of samples worth poisson_unit each, that of raw_score is not; p_value and q_value (bh) by '
		't with df degrees of freedom; status + new, - gone; the highest score first; variance moderated: functions '
		'lend each other their variance (Smyth 2004); noise: sums of squared weights of samples (recording_noise), no '
		'variance is below them, and with moderated it is the factor over them that functions lend; then stddev is '
		'what the test used';

CREATE FUNCTION deviation_scores(history flamestats, current flamegraph, poisson_unit float8 DEFAULT 1,
								 min_std float8 DEFAULT 0, zero_std text DEFAULT 'inf', variance text DEFAULT 'own',
								 history_noise flamegraph DEFAULT NULL, current_noise flamegraph DEFAULT NULL,
								 OUT key stackpath, OUT expected float8, OUT stddev float8, OUT actual float8,
								 OUT diff float8, OUT score float8, OUT raw_score float8, OUT p_value float8,
								 OUT q_value float8, OUT status text, OUT n int4, OUT df float8)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_deviation_scores_stats' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 5000;
COMMENT ON FUNCTION deviation_scores(flamestats, flamegraph, float8, float8, text, text, flamegraph, flamegraph)
	IS 'the same from the statistics of all earlier runs, at their level; history_noise: the sum over these runs, by '
		'stack';

CREATE FUNCTION run_scores(history flamegraph[], current flamegraph, level text DEFAULT 'frame',
						   variance text DEFAULT 'moderated', poisson_unit float8 DEFAULT 1, min_std float8 DEFAULT 0,
						   zero_std text DEFAULT 'inf', current_unit float8 DEFAULT NULL,
						   history_noise flamegraph[] DEFAULT NULL, current_noise flamegraph DEFAULT NULL,
						   repetitions flamegraph[] DEFAULT NULL,
						   value_history flamegraph[] DEFAULT NULL, value_current flamegraph DEFAULT NULL,
						   OUT key stackpath, OUT expected float8, OUT stddev float8, OUT actual float8,
						   OUT diff float8, OUT score float8, OUT raw_score float8, OUT p_value float8,
						   OUT q_value float8, OUT status text, OUT n int4, OUT df float8,
						   OUT measured float8, OUT value_before float8, OUT value_after float8)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_run_scores' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 200000 ROWS 2000;
COMMENT ON FUNCTION run_scores(flamegraph[], flamegraph, text, text, float8, float8, text, float8, flamegraph[],
	flamegraph, flamegraph[], flamegraph[], flamegraph)
	IS 'each key of a level of one run against all of a history, as deviation_scores compares them, when both are '
		'means of repetitions of fixed work: with variance moderated, what all functions of a run have in common (the '
		'speed of the machine) is taken away first as far as it varied before, so values are at the history''s speed; '
		'no variance is below that of counts of samples worth poisson_unit in the means before (current_unit: in the '
		'current one), or below the noise of these means, or from three repetitions on below what their variance gives '
		'the current mean; measured: the current value as it was recorded; value_before, value_after: the mean of '
		'value_history and value_current, the same runs in another unit, else of what was tested, as recorded';

CREATE FUNCTION run_difference(history flamegraph[], current flamegraph, variance text DEFAULT 'moderated',
							   poisson_unit float8 DEFAULT 1, current_unit float8 DEFAULT NULL,
							   history_noise flamegraph[] DEFAULT NULL, current_noise flamegraph DEFAULT NULL,
							   repetitions flamegraph[] DEFAULT NULL) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_run_difference' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 200000;
COMMENT ON FUNCTION run_difference(flamegraph[], flamegraph, text, float8, float8, flamegraph[], flamegraph,
	flamegraph[])
	IS 'a run less the mean of its history, by stack, at the speed at which run_scores() with the same arguments '
		'compares them';

CREATE FUNCTION change_origins(keys stackpath[], difference flamegraph, level text DEFAULT 'frame') RETURNS stackpath[]
	AS 'MODULE_PATHNAME', 'flamegraph_change_origins' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION change_origins(stackpath[], flamegraph, text)
	IS 'of functions (level frame) or calling contexts (node) that changed together, because they call each other, '
		'those whose change comes from themselves: each stack''s difference belongs to the innermost of them, and one '
		'to which less than half of its inclusive difference belongs leaves, the least first; of functions in a circle '
		'of calls that is the one with most of its own; at least one stays; keys of levels stack and self all do; '
		'difference: that of the profiles';

CREATE FUNCTION sample_check(profiles flamegraph[], level text DEFAULT 'stack',
							 OUT check_name text, OUT statistic float8, OUT p_value float8, OUT verdict text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_sample_check' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 4;
COMMENT ON FUNCTION sample_check(flamegraph[], text)
	IS 'do runs, in their order, behave as the tests assume? drift (Kendall''s tau of the totals), autocorrelation (of '
		'the ranks of the totals, lag 1), outliers (number of outlying totals), normality (share of the keys that are '
		'far from normal); verdict ok, suspicious or too_few_profiles';

CREATE FUNCTION frame_correlation(profiles flamegraph[], metric float8[], benchmark_of text[] DEFAULT NULL,
								  level text DEFAULT 'self', method text DEFAULT 'pearson', min_profiles int4 DEFAULT 3,
								  missing text DEFAULT 'skip', combine text DEFAULT 'avg', sign text DEFAULT 'positive',
								  OUT frame text, OUT score float8, OUT benchmarks int4, OUT n int4)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_frame_correlation' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 2000;
COMMENT ON FUNCTION frame_correlation(flamegraph[], float8[], text[], text, text, int4, text, text, text)
	IS 'functions whose values follow the metric of the runs: correlation in each benchmark with at least min_profiles '
		'profiles that have the function, combined over benchmarks; level self, frame, total (the same as '
		'frame), potential:N or node (calling contexts; frame is their path), method pearson or spearman, missing '
		'skip or zero, combine avg, max, min or median, '
		'sign positive, negative or both; the strongest first';

CREATE FUNCTION correlation_points(profiles flamegraph[], metric float8[], frame text, benchmark_of text[] DEFAULT NULL,
								   level text DEFAULT 'self', missing text DEFAULT 'skip',
								   OUT benchmark text, OUT n int4, OUT coefficient float8, OUT samples float8[],
								   OUT metrics float8[]) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_correlation_points' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 10;
COMMENT ON FUNCTION correlation_points(flamegraph[], float8[], text, text[], text, text)
	IS 'what frame_correlation saw of one function in each benchmark: the points, and Pearson''s coefficient';

CREATE FUNCTION expand_context(history flamegraph[], current flamegraph, start text, direction text DEFAULT 'child',
							   selection text DEFAULT 'greedy', options jsonb DEFAULT '{}',
							   history_noise flamegraph[] DEFAULT NULL, current_noise flamegraph DEFAULT NULL,
							   OUT trace int4, OUT step int4, OUT frame text, OUT context stackpath, OUT diff float8,
							   OUT candidate_diff float8, OUT score float8, OUT raw_score float8, OUT status text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_expand_context' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 20;
COMMENT ON FUNCTION expand_context(flamegraph[], flamegraph, text, text, text, jsonb, flamegraph[], flamegraph)
	IS 'where a function changed: from it to what it calls (direction child) or to its callers (parent), following the '
		'max_breadth contexts of the highest score at each step; selection greedy or informed (also recency of '
		'commits, compile modes, new depths); candidate_diff is the function''s in the context, diff that of the '
		'context''s other end; score is that of deviation_scores, with option variance (own, moderated: contexts '
		'borrow from all functions) and the noise of the profiles as there';

CREATE FUNCTION expand_context(profiles flamegraph[], metric float8[], benchmark_of text[], start text,
							   direction text DEFAULT 'child', options jsonb DEFAULT '{}',
							   OUT trace int4, OUT step int4, OUT frame text, OUT context stackpath, OUT diff float8,
							   OUT candidate_diff float8, OUT score float8, OUT raw_score float8, OUT status text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_expand_context_correlation' LANGUAGE C IMMUTABLE PARALLEL SAFE
	COST 100000 ROWS 20;
COMMENT ON FUNCTION expand_context(flamegraph[], float8[], text[], text, text, jsonb)
	IS 'in which contexts a function follows the metric of the runs: the same search by the score of frame_correlation';

CREATE FUNCTION expand_step(history flamegraph[], current flamegraph, start stackpath, direction text DEFAULT 'child',
							options jsonb DEFAULT '{}', history_noise flamegraph[] DEFAULT NULL,
							current_noise flamegraph DEFAULT NULL,
							OUT frame text, OUT context stackpath, OUT diff float8, OUT candidate_diff float8,
							OUT score float8, OUT raw_score float8, OUT recency float8, OUT mode_shift float8,
							OUT depth_novelty float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_expand_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 20;
COMMENT ON FUNCTION expand_step(flamegraph[], flamegraph, stackpath, text, jsonb, flamegraph[], flamegraph)
	IS 'one step of such a search from any context, with every measure: for selections of your own in a recursive '
		'query';

CREATE FUNCTION regression_report(history flamegraph[], current flamegraph, candidates int4 DEFAULT 10,
								  selection text DEFAULT 'deviation', options jsonb DEFAULT '{}',
								  history_noise flamegraph[] DEFAULT NULL, current_noise flamegraph DEFAULT NULL,
								  OUT rank int4, OUT section text, OUT trace int4, OUT step int4, OUT frame text,
								  OUT expected float8, OUT actual float8, OUT diff float8, OUT candidate_diff float8,
								  OUT score float8, OUT raw_score float8, OUT status text) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_regression_report' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 200;
COMMENT ON FUNCTION regression_report(flamegraph[], flamegraph, int4, text, jsonb, flamegraph[], flamegraph)
	IS 'the functions that deviate most from earlier runs (section candidate), each with the contexts in which it does '
		'(child, parent); selection deviation or informed; option variance and noise as expand_context has them';
