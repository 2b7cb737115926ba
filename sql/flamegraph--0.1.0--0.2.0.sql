-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION flamegraph UPDATE TO '0.2.0'" to load this file. \quit

-- Written by tools/upgrade_script.py: by hand is only what comes from sql/upgrade-0.1.0.sql.

-- Equal values may differ in their bytes since zstd compresses them or not; deduplication of a btree takes it as a
-- promise that they do not.
ALTER OPERATOR FAMILY flamegraph_ops USING btree DROP FUNCTION 4 (flamegraph, flamegraph);

CREATE FUNCTION takes_form_of(old regprocedure, new regprocedure) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v pg_proc;
BEGIN
	SELECT * INTO STRICT v FROM pg_proc WHERE oid = new;
	EXECUTE format('DROP FUNCTION %s', new);
	UPDATE pg_proc SET pronargs = v.pronargs, pronargdefaults = v.pronargdefaults, proargtypes = v.proargtypes,
		proallargtypes = v.proallargtypes, proargmodes = v.proargmodes, proargnames = v.proargnames,
		proargdefaults = v.proargdefaults, prorettype = v.prorettype, prosrc = v.prosrc, procost = v.procost,
		prorows = v.prorows, proisstrict = v.proisstrict
	WHERE oid = old;
END
$$;

CREATE OR REPLACE FUNCTION content_hash(fg flamegraph) RETURNS uuid
	AS 'MODULE_PATHNAME', 'flamegraph_content_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION content_hash(flamegraph)
	IS 'what stands for a profile in a key: 128 bits, those of flamegraph_hash_extended() for 1 and for 2';

CREATE OR REPLACE FUNCTION stats_sum(s flamestats) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamestats_sum' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION stats_sum(flamestats)
	IS 'the sum of the profiles, of statistics at level stack; those at other levels have none (22023)';

COMMENT ON FUNCTION frame_rules(text)
	IS 'a rule set for rename_frames: java, python, node, cpp, rust, dotnet, addresses, lines, jit_modes, threads';

CREATE FUNCTION new_tree(fg flamegraph, min_share float8 DEFAULT 0.01, max_depth int4 DEFAULT NULL,
					 bar_width int4 DEFAULT 0) RETURNS SETOF text
	AS 'MODULE_PATHNAME', 'flamegraph_tree' LANGUAGE C IMMUTABLE PARALLEL SAFE
	COST 10000 ROWS 100;

SELECT takes_form_of('tree(flamegraph, float8, int4)', 'new_tree(flamegraph, float8, int4, int4)');

COMMENT ON FUNCTION tree(flamegraph, float8, int4, int4)
	IS 'the profile as an indented text: total and own value in percent of the whole, frame; the largest branches '
		'first, those below min_share left out, or in one line where they reach it together; bar_width: columns of a '
		'bar as long as the total, solid as far as the own value';

CREATE OR REPLACE FUNCTION diff_tree(before flamegraph, after flamegraph, min_share float8 DEFAULT 0.01,
						  max_depth int4 DEFAULT NULL, bar_width int4 DEFAULT 20) RETURNS SETOF text
	AS 'MODULE_PATHNAME', 'flamegraph_diff_tree' LANGUAGE C IMMUTABLE PARALLEL SAFE
	COST 10000 ROWS 100;

COMMENT ON FUNCTION diff_tree(flamegraph, flamegraph, float8, int4, int4)
	IS 'what changed, as an indented text: after - before, in percent of before (new, gone), a bar, frame; the largest '
		'changes first, those below min_share of the sum of all changes left out, or in one line where they reach it '
		'together; the bar is solid as far as the frame itself changed';

CREATE OR REPLACE FUNCTION flamegraph_to_json(before flamegraph, after flamegraph) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'flamegraph_to_json_difference' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20000;

COMMENT ON FUNCTION flamegraph_to_json(flamegraph, flamegraph)
	IS 'the same on the nodes of both profiles, with "before", "after" and "delta" = after - before; "value" is the '
		'width of both in one picture, the sum of the larger of each stack''s two values; negative values are an error';

CREATE FUNCTION new_compare_stats(before flamestats, after flamestats, correction text DEFAULT 'bh',
							  alpha float8 DEFAULT 0.05, size_factor text DEFAULT 'none', min_mean float8 DEFAULT 5,
							  variance text DEFAULT 'own', poisson_unit float8 DEFAULT 0,
							  before_noise flamegraph DEFAULT NULL, after_noise flamegraph DEFAULT NULL,
							  OUT key stackpath, OUT mean_before float8, OUT mean_after float8, OUT delta float8,
							  OUT relative float8, OUT t float8, OUT df float8, OUT p_value float8, OUT q_value float8,
							  OUT lower float8, OUT upper float8, OUT change text, OUT significant bool,
							  OUT stddev float8)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_compare_stats' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 5000;

SELECT takes_form_of('compare_stats(flamestats, flamestats, text, float8, text, float8)', 'new_compare_stats(flamestats, flamestats, text, float8, text, float8, text, float8, flamegraph, flamegraph)');

COMMENT ON FUNCTION compare_stats(flamestats, flamestats, text, float8, text, float8, text, float8, flamegraph,
	flamegraph)
	IS 'compare_profiles with method welch, from the statistics of both groups; before_noise and after_noise: the sum '
		'of the noise of a group''s profiles, by stack';

CREATE FUNCTION new_compare_profiles(before flamegraph[], after flamegraph[], level text DEFAULT 'stack',
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

SELECT takes_form_of('compare_profiles(flamegraph[], flamegraph[], text, text, text, float8, text, float8, int4, int4, int8)', 'new_compare_profiles(flamegraph[], flamegraph[], text, text, text, float8, text, float8, int4, int4, int8, text, float8, flamegraph[], flamegraph[])');

COMMENT ON FUNCTION compare_profiles(flamegraph[], flamegraph[], text, text, text, float8, text, float8, int4, int4,
	int8, text, float8, flamegraph[], flamegraph[])
	IS 'two groups of profiles, key by key: a t-test, q_value by correction bh, holm, bonferroni or none, or by method '
		'maxt; keys that fewer than min_df profiles have are left out; smallest p_value first; relative is delta / '
		'mean_before, infinite where that does not fit a float8. variance own: Welch''s test; moderated: keys lend '
		'each other their variance (Smyth 2004, with a trend over the mean), so that three runs a side are enough. '
		'poisson_unit (the value of one sample) and noise (of each profile, the sum of squared weights of samples by '
		'stack: read_recording, recording_noise) are floors of variances. stddev: the deviation of one run that t '
		'uses, delta / t / sqrt(1 / n1 + 1 / n2)';

CREATE FUNCTION new_reduced_difference(before flamegraph[], after flamegraph[], alpha float8 DEFAULT 0.01,
								   level text DEFAULT 'stack', min_df int4 DEFAULT 1, method text DEFAULT 'hotelling',
								   variance text DEFAULT 'own')
	RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_reduced_difference' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;

SELECT takes_form_of('reduced_difference(flamegraph[], flamegraph[], float8, text, int4, text)', 'new_reduced_difference(flamegraph[], flamegraph[], float8, text, int4, text, text)');

COMMENT ON FUNCTION reduced_difference(flamegraph[], flamegraph[], float8, text, int4, text, text)
	IS 'the difference of the means at the significant stacks: of hotelling_intervals, or with method welch of '
		'compare_profiles with that variance; NULL when nothing could be tested';

CREATE FUNCTION new_deviation_scores(history flamegraph[], current flamegraph, window_size int4 DEFAULT 10,
								 metric text DEFAULT 'total', poisson_unit float8 DEFAULT 1, min_std float8 DEFAULT 0,
								 zero_std text DEFAULT 'inf', variance text DEFAULT 'own',
								 history_noise flamegraph[] DEFAULT NULL, current_noise flamegraph DEFAULT NULL,
								 OUT key stackpath, OUT expected float8, OUT stddev float8, OUT actual float8,
								 OUT diff float8, OUT score float8, OUT raw_score float8, OUT p_value float8,
								 OUT q_value float8, OUT status text, OUT n int4, OUT df float8)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_deviation_scores' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 2000;

SELECT takes_form_of('deviation_scores(flamegraph[], flamegraph, int4, text, float8, float8, text)', 'new_deviation_scores(flamegraph[], flamegraph, int4, text, float8, float8, text, text, flamegraph[], flamegraph)');

COMMENT ON FUNCTION deviation_scores(flamegraph[], flamegraph, int4, text, float8, float8, text, text, flamegraph[],
									 flamegraph)
	IS 'each function of one run against the last window_size of a history, oldest first: by how many standard '
		'deviations its total, self or potential:N differs from the mean; the deviation of score is at least min_std '
		'and that of a count of samples worth poisson_unit each, that of raw_score is not; p_value and q_value (bh) by '
		't with df degrees of freedom; status + new, - gone; the highest score first; variance moderated: functions '
		'lend each other their variance (Smyth 2004); noise: sums of squared weights of samples (recording_noise), no '
		'variance is below them, and with moderated it is the factor over them that functions lend; then stddev is '
		'what the test used';

CREATE FUNCTION new_deviation_scores(history flamestats, current flamegraph, poisson_unit float8 DEFAULT 1,
								 min_std float8 DEFAULT 0, zero_std text DEFAULT 'inf', variance text DEFAULT 'own',
								 history_noise flamegraph DEFAULT NULL, current_noise flamegraph DEFAULT NULL,
								 OUT key stackpath, OUT expected float8, OUT stddev float8, OUT actual float8,
								 OUT diff float8, OUT score float8, OUT raw_score float8, OUT p_value float8,
								 OUT q_value float8, OUT status text, OUT n int4, OUT df float8)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_deviation_scores_stats' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 5000;

SELECT takes_form_of('deviation_scores(flamestats, flamegraph, float8, float8, text)', 'new_deviation_scores(flamestats, flamegraph, float8, float8, text, text, flamegraph, flamegraph)');

COMMENT ON FUNCTION deviation_scores(flamestats, flamegraph, float8, float8, text, text, flamegraph, flamegraph)
	IS 'the same from the statistics of all earlier runs, at their level; history_noise: the sum over these runs, by '
		'stack';

CREATE OR REPLACE FUNCTION run_scores(history flamegraph[], current flamegraph, level text DEFAULT 'frame',
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

CREATE OR REPLACE FUNCTION run_difference(history flamegraph[], current flamegraph, variance text DEFAULT 'moderated',
							   poisson_unit float8 DEFAULT 1, current_unit float8 DEFAULT NULL,
							   history_noise flamegraph[] DEFAULT NULL, current_noise flamegraph DEFAULT NULL,
							   repetitions flamegraph[] DEFAULT NULL) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_run_difference' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 200000;

COMMENT ON FUNCTION run_difference(flamegraph[], flamegraph, text, float8, float8, flamegraph[], flamegraph,
	flamegraph[])
	IS 'a run less the mean of its history, by stack, at the speed at which run_scores() with the same arguments '
		'compares them';

CREATE OR REPLACE FUNCTION change_origins(keys stackpath[], difference flamegraph, level text DEFAULT 'frame') RETURNS stackpath[]
	AS 'MODULE_PATHNAME', 'flamegraph_change_origins' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION change_origins(stackpath[], flamegraph, text)
	IS 'of functions (level frame) or calling contexts (node) that changed together, because they call each other, '
		'those whose change comes from themselves: each stack''s difference belongs to the innermost of them, and one '
		'to which less than half of its inclusive difference belongs leaves, the least first; of functions in a circle '
		'of calls that is the one with most of its own; at least one stays; keys of levels stack and self all do; '
		'difference: that of the profiles';

COMMENT ON FUNCTION frame_correlation(flamegraph[], float8[], text[], text, text, int4, text, text, text)
	IS 'functions whose values follow the metric of the runs: correlation in each benchmark with at least min_profiles '
		'profiles that have the function, combined over benchmarks; level self, frame, total (the same as '
		'frame), potential:N or node (calling contexts; frame is their path), method pearson or spearman, missing '
		'skip or zero, combine avg, max, min or median, '
		'sign positive, negative or both; the strongest first';

CREATE FUNCTION new_expand_context(history flamegraph[], current flamegraph, start text, direction text DEFAULT 'child',
							   selection text DEFAULT 'greedy', options jsonb DEFAULT '{}',
							   history_noise flamegraph[] DEFAULT NULL, current_noise flamegraph DEFAULT NULL,
							   OUT trace int4, OUT step int4, OUT frame text, OUT context stackpath, OUT diff float8,
							   OUT candidate_diff float8, OUT score float8, OUT raw_score float8, OUT status text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_expand_context' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 20;

SELECT takes_form_of('expand_context(flamegraph[], flamegraph, text, text, text, jsonb)', 'new_expand_context(flamegraph[], flamegraph, text, text, text, jsonb, flamegraph[], flamegraph)');

COMMENT ON FUNCTION expand_context(flamegraph[], flamegraph, text, text, text, jsonb, flamegraph[], flamegraph)
	IS 'where a function changed: from it to what it calls (direction child) or to its callers (parent), following the '
		'max_breadth contexts of the highest score at each step; selection greedy or informed (also recency of '
		'commits, compile modes, new depths); candidate_diff is the function''s in the context, diff that of the '
		'context''s other end; score is that of deviation_scores, with option variance (own, moderated: contexts '
		'borrow from all functions) and the noise of the profiles as there';

CREATE FUNCTION new_expand_step(history flamegraph[], current flamegraph, start stackpath, direction text DEFAULT 'child',
							options jsonb DEFAULT '{}', history_noise flamegraph[] DEFAULT NULL,
							current_noise flamegraph DEFAULT NULL,
							OUT frame text, OUT context stackpath, OUT diff float8, OUT candidate_diff float8,
							OUT score float8, OUT raw_score float8, OUT recency float8, OUT mode_shift float8,
							OUT depth_novelty float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_expand_step' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 20;

SELECT takes_form_of('expand_step(flamegraph[], flamegraph, stackpath, text, jsonb)', 'new_expand_step(flamegraph[], flamegraph, stackpath, text, jsonb, flamegraph[], flamegraph)');

COMMENT ON FUNCTION expand_step(flamegraph[], flamegraph, stackpath, text, jsonb, flamegraph[], flamegraph)
	IS 'one step of such a search from any context, with every measure: for selections of your own in a recursive '
		'query';

CREATE FUNCTION new_regression_report(history flamegraph[], current flamegraph, candidates int4 DEFAULT 10,
								  selection text DEFAULT 'deviation', options jsonb DEFAULT '{}',
								  history_noise flamegraph[] DEFAULT NULL, current_noise flamegraph DEFAULT NULL,
								  OUT rank int4, OUT section text, OUT trace int4, OUT step int4, OUT frame text,
								  OUT expected float8, OUT actual float8, OUT diff float8, OUT candidate_diff float8,
								  OUT score float8, OUT raw_score float8, OUT status text) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_regression_report' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 200;

SELECT takes_form_of('regression_report(flamegraph[], flamegraph, int4, text, jsonb)', 'new_regression_report(flamegraph[], flamegraph, int4, text, jsonb, flamegraph[], flamegraph)');

COMMENT ON FUNCTION regression_report(flamegraph[], flamegraph, int4, text, jsonb, flamegraph[], flamegraph)
	IS 'the functions that deviate most from earlier runs (section candidate), each with the contexts in which it does '
		'(child, parent); selection deviation or informed; option variance and noise as expand_context has them';

CREATE FUNCTION new_read_recording(data bytea, format text DEFAULT 'auto', options jsonb DEFAULT '{}',
							   OUT file_format text, OUT event text, OUT name text, OUT unit text, OUT period float8,
							   OUT complete flamegraph, OUT truncated flamegraph,
							   OUT samples flamegraph, OUT noise flamegraph) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_read_recording' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000 ROWS 3;

SELECT takes_form_of('read_recording(bytea, text, jsonb)', 'new_read_recording(bytea, text, jsonb)');

COMMENT ON FUNCTION read_recording(bytea, text, jsonb)
	IS 'every event of a recording (recording_formats() lists the formats; gzip or not): what the samples count '
		'(event), the name in the file, the unit of the values, the value of one sample in it (NULL: unknown), the '
		'profile, and the stacks that were cut off; where samples weigh differently also how many each stack of the '
		'profile has, and the sum of their squared weights, else NULL: with a period, complete / period and '
		'recording_noise(complete, period)';

CREATE OR REPLACE FUNCTION recording_samples(data bytea, format text DEFAULT 'auto', options jsonb DEFAULT '{}',
								  OUT file_format text, OUT event text, OUT unit text, OUT thread text,
								  OUT start_at float8, OUT stop_at float8, OUT stack stackpath, OUT value float8)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_recording_samples' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 100000 ROWS 10000;

COMMENT ON FUNCTION recording_samples(bytea, text, jsonb)
	IS 'the samples of a recording (of the formats with times in recording_formats(); gzip or not) one '
		'by one in order of time: what they count (event) in which unit, the thread (NULL: the file names none), start '
		'and stop in seconds since the first of them, the stack, and what read_recording adds up for it; events '
		'go by the names under which a store keeps them (stored_names); options are those of read_recording, and '
		'interval: seconds. Where a file does not say how long a sample lasts (perf, samples of JFR), it lasts '
		'until the next one of its thread and event, but at most two periods, and the last one a period: '
		'interval, else the period of a clock, else the median of the first 4,096 gaps above 0 between samples of '
		'a thread';

CREATE OR REPLACE FUNCTION recording_formats(OUT format text, OUT title text, OUT recognised bool, OUT times bool, OUT lines bool,
								  OUT addresses bool) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_recording_formats' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 20;

COMMENT ON FUNCTION recording_formats()
	IS 'the formats that read_recording reads, by the word of its argument format, in the order in which they are '
		'tried: what is read; whether it is recognised by its content or has to be named; whether its samples have '
		'times (for recording_samples), its frames lines and addresses (for the option frame_style)';

CREATE OR REPLACE FUNCTION recording_noise(fg flamegraph, period float8) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_recording_noise' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION recording_noise(flamegraph, float8)
	IS 'the variance that each stack has because it was sampled, period * fg, in squares of the unit: a value of n '
		'samples that weigh period each is period * n, and n is about Poisson; period: what one sample stands for';

CREATE OR REPLACE FUNCTION flamegraph_from_jfr(data bytea, event text DEFAULT 'jdk.ExecutionSample',
									modes bool DEFAULT false, threads bool DEFAULT false,
									OUT complete flamegraph, OUT truncated flamegraph) RETURNS record
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION flamegraph_from_jfr(bytea, text, bool, bool)
	IS 'reads a file of Java Flight Recorder, or the bytes of its JSON, gzipped or not; the rest is as for JSON';

CREATE OR REPLACE FUNCTION flamegraph_to_firefox(fg flamegraph, name text, unit text) RETURNS jsonb
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION flamegraph_to_firefox(flamegraph, text, text)
	IS 'a file for the Firefox Profiler (profiler.firefox.com) with one thread of this name; unit: samples, count, '
		'none, nanoseconds, microseconds, milliseconds, seconds, bytes; times are written in milliseconds';

CREATE OR REPLACE FUNCTION flamegraph_svg(fg flamegraph, title text DEFAULT NULL, unit text DEFAULT 'samples',
							   width int4 DEFAULT 1200, min_width float8 DEFAULT 0.5, orientation text DEFAULT 'icicle',
							   color text DEFAULT 'frame', sort text DEFAULT 'name', interactive bool DEFAULT true,
							   options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_svg' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION flamegraph_svg(flamegraph, text, text, int4, float8, text, text, text, bool, jsonb)
	IS 'the profile as a flame graph in SVG: a box per node, as wide as its inclusive value, data-n as by nodes() '
		'(0: all); boxes thinner than min_width pixels are put together or left out, and counted; orientation icicle '
		'or flame; color frame, module, kind, self, depth or none; sort name or value; interactive: with the data of '
		'all nodes, which flamegraph_from_svg() reads; negative values are an error';

CREATE OR REPLACE FUNCTION sandwich_svg(fg flamegraph, frame text, title text DEFAULT NULL, unit text DEFAULT 'samples',
							 width int4 DEFAULT 1200, min_width float8 DEFAULT 0.5, color text DEFAULT 'frame',
							 interactive bool DEFAULT true, options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_sandwich_svg' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20000;

COMMENT ON FUNCTION sandwich_svg(flamegraph, text, text, text, int4, float8, text, bool, jsonb)
	IS 'one function in SVG, as wide as its recursion-free total: below it what it calls, data-n as by '
		'nodes(focus(fg, frame)), above it who calls it, data-n as by nodes(invert(callers_of(fg, frame))); shares '
		'are those of the whole profile, of which interactive holds all nodes; a frame that does not occur gives a '
		'picture that says so; negative values are an error';

CREATE OR REPLACE FUNCTION flamegraph_from_svg(data text) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flamegraph_from_svg' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION flamegraph_from_svg(text)
	IS 'the profile that a picture of flamegraph_svg(interactive => true) holds, exactly; an error when the picture '
		'holds no data, or not all of them';

CREATE OR REPLACE FUNCTION svg_script_hash(picture text DEFAULT 'flame_graph') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_svg_script_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION svg_script_hash(text)
	IS 'the hash of the script in pictures, as Content-Security-Policy has it: script-src ''sha256-...''; it is the '
		'same for all pictures of one version: that of flame_graph, differences and parts, or that of flame_chart';

CREATE OR REPLACE FUNCTION format_value(value float8, unit text) RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_format_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION format_value(float8, text)
	IS 'a value for people, with three significant digits: nanoseconds, microseconds, milliseconds and seconds as ns '
		'to h, bytes as B to EiB, fraction as percent; any other unit behind a number in groups of three digits, from '
		'a million on with a prefix (M, G, T, P, E, Z, Y)';

CREATE OR REPLACE FUNCTION nested_set(fg flamegraph, min_share float8 DEFAULT 0, max_depth int4 DEFAULT NULL,
						   OUT level int4, OUT value float8, OUT self float8, OUT label text) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_nested_set' LANGUAGE C IMMUTABLE PARALLEL SAFE
	COST 10000 ROWS 10000;

COMMENT ON FUNCTION nested_set(flamegraph, float8, int4)
	IS 'the rows of Grafana''s flame graph panel, parents before children: level, inclusive and own value, frame; '
		'level 0 is the total; nodes below min_share of the total or deeper than max_depth frames are left out, what '
		'is above keeps its values; negative values are an error';

CREATE OR REPLACE FUNCTION nested_set(before flamegraph, after flamegraph, min_share float8 DEFAULT 0,
						   max_depth int4 DEFAULT NULL,
						   OUT level int4, OUT value float8, OUT self float8, OUT label text,
						   OUT value_right float8, OUT self_right float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flamegraph_nested_set_difference' LANGUAGE C IMMUTABLE PARALLEL SAFE
	COST 10000 ROWS 10000;

COMMENT ON FUNCTION nested_set(flamegraph, flamegraph, float8, int4)
	IS 'the same of two profiles, on the nodes of both: value and self are those before, value_right and self_right '
		'those after; left out are nodes below min_share of the total on both sides';

CREATE OR REPLACE FUNCTION flamegraph_diff_svg(before flamegraph, after flamegraph, title text DEFAULT NULL,
									unit text DEFAULT 'samples', widths text DEFAULT 'union', level text DEFAULT 'node',
									size_factor text DEFAULT 'none', poisson_unit float8 DEFAULT NULL,
									alpha float8 DEFAULT 0.05, width int4 DEFAULT 1200, min_width float8 DEFAULT 0.5,
									interactive bool DEFAULT true, options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_diff_svg' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20000;

COMMENT ON FUNCTION flamegraph_diff_svg(flamegraph, flamegraph, text, text, text, text, text, float8, float8, int4,
	float8, bool, jsonb)
	IS 'the difference of two profiles in SVG: boxes over the stacks of both, each the sum of what is common, grown, '
		'appeared, shrunk and disappeared (its stripe); widths union (the larger value), after, before or change; '
		'colour: how the value of the key changed that level names (node, stack, frame, self), in classes by ratio; '
		'values of after are divided by the size_factor none, total or median_ratio. With poisson_unit, the value of '
		'one sample, a change is grey unless an exact conditional binomial test of the two counts, corrected after '
		'Benjamini and Hochberg over all keys, has q <= alpha: sampling noise only. Negative values are an error';

CREATE OR REPLACE FUNCTION flamegraph_diff_svg(before flamegraph[], after flamegraph[], title text DEFAULT NULL,
									unit text DEFAULT 'samples', widths text DEFAULT 'union', level text DEFAULT 'node',
									size_factor text DEFAULT 'none', method text DEFAULT 'welch',
									correction text DEFAULT 'bh', alpha float8 DEFAULT 0.05, width int4 DEFAULT 1200,
									min_width float8 DEFAULT 0.5, interactive bool DEFAULT true,
									options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_diff_svg_groups' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;

COMMENT ON FUNCTION flamegraph_diff_svg(flamegraph[], flamegraph[], text, text, text, text, text, text, text, float8,
	int4, float8, bool, jsonb)
	IS 'two groups of profiles: drawn are their means, and a key has a colour where compare_profiles(before, after, '
		'level, method, correction, alpha, size_factor) calls it significant';

CREATE OR REPLACE FUNCTION flamegraph_diff_svg(before flamegraph[], after flamegraph, title text DEFAULT NULL,
									unit text DEFAULT 'samples', widths text DEFAULT 'union',
									window_size int4 DEFAULT 10, poisson_unit float8 DEFAULT 1,
									alpha float8 DEFAULT 0.05, width int4 DEFAULT 1200, min_width float8 DEFAULT 0.5,
									interactive bool DEFAULT true, options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_diff_svg_history' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;

COMMENT ON FUNCTION flamegraph_diff_svg(flamegraph[], flamegraph, text, text, text, int4, float8, float8, int4, float8,
	bool, jsonb)
	IS 'one run against the mean of the last window_size ones before it, oldest first: a function has a colour, in all '
		'its boxes, where deviation_scores(before, after, window_size, poisson_unit) has q_value <= alpha';

CREATE OR REPLACE FUNCTION flamegraph_diff_svg(before flamestats, after flamestats, title text DEFAULT NULL,
									unit text DEFAULT 'samples', widths text DEFAULT 'union',
									size_factor text DEFAULT 'none', correction text DEFAULT 'bh',
									alpha float8 DEFAULT 0.05, width int4 DEFAULT 1200, min_width float8 DEFAULT 0.5,
									interactive bool DEFAULT true, options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_diff_svg_stats' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;

COMMENT ON FUNCTION flamegraph_diff_svg(flamestats, flamestats, text, text, text, text, text, float8, int4, float8,
	bool, jsonb)
	IS 'two groups from their statistics at level node or stack: a key has a colour where compare_stats(before, after, '
		'correction, alpha, size_factor) calls it significant; the mean self value of a node is its mean without '
		'those of its children';

CREATE OR REPLACE FUNCTION flamegraph_parts_svg(before flamegraph, after flamegraph, title text DEFAULT NULL,
									 unit text DEFAULT 'samples', color text DEFAULT 'frame', width int4 DEFAULT 1200,
									 min_width float8 DEFAULT 0.5, interactive bool DEFAULT true,
									 options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_parts_svg' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20000;

COMMENT ON FUNCTION flamegraph_parts_svg(flamegraph, flamegraph, text, text, text, int4, float8, bool, jsonb)
	IS 'the parts of a change (decompose) as four flame graphs on one scale in SVG: appeared and grown, with shares of '
		'after, disappeared and shrunk, with shares of before; colours as in flamegraph_svg';

CREATE OR REPLACE FUNCTION flamegraph_parts_svg(before flamegraph[], after flamegraph[], title text DEFAULT NULL,
									 unit text DEFAULT 'samples', color text DEFAULT 'frame', width int4 DEFAULT 1200,
									 min_width float8 DEFAULT 0.5, interactive bool DEFAULT true,
									 options jsonb DEFAULT '{}', alpha float8 DEFAULT 0.05) RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_parts_svg_groups' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;

COMMENT ON FUNCTION flamegraph_parts_svg(flamegraph[], flamegraph[], text, text, text, int4, float8, bool, jsonb,
		float8)
	IS 'the same of two groups: the parts of the difference of their means at the stacks that '
		'reduced_difference(before, after, alpha, method => ''welch'') keeps';

CREATE OR REPLACE FUNCTION plot_svg(xs float8[], ys float8[], series text[] DEFAULT NULL, lower float8[] DEFAULT NULL,
						 upper float8[] DEFAULT NULL, panel_of text[] DEFAULT NULL, mark text DEFAULT 'points',
						 title text DEFAULT NULL, x_label text DEFAULT NULL, y_label text DEFAULT NULL,
						 unit text DEFAULT NULL, width int4 DEFAULT 800, height int4 DEFAULT 400,
						 options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_plot_svg' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION plot_svg(float8[], float8[], text[], float8[], float8[], text[], text, text, text, text, text, int4,
	int4, jsonb)
	IS 'pairs of numbers in SVG: mark points, line, steps or bars (lines and steps in the order of xs; null xs: 1, 2, '
		'...), a colour, shape and dashes per series, a panel per panel_of, lower and upper as ranges or bands; pairs '
		'with a null or NaN are dropped and counted; more than 5,000 points become cells of 4 x 4 pixels by count; '
		'unit is that of ys, as in format_value(); options: x_scale and y_scale linear or log, y_zero, grid, legend, '
		'columns (panels a row), free_y, labels (names of xs 1, 2, ...), subtitle, notes, theme';

CREATE OR REPLACE FUNCTION model_svg(xs float8[], ys float8[], models perfmodel[] DEFAULT NULL, confidence float8 DEFAULT 0.95,
						  title text DEFAULT NULL, x_label text DEFAULT NULL, y_label text DEFAULT NULL,
						  unit text DEFAULT NULL, width int4 DEFAULT 800, height int4 DEFAULT 400,
						  options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_model_svg' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20000;

COMMENT ON FUNCTION model_svg(float8[], float8[], perfmodel[], float8, text, text, text, text, int4, int4, jsonb)
	IS 'measurements and their models in SVG: points, each model''s curve with its formula and R^2, and the band of '
		'the mean at that confidence (formulas: t in the scale of the fit, taken back; regressograms of means: mean +- '
		't s / sqrt(n) of each bucket; other models have none); without models the best formula and a regressogram';

CREATE OR REPLACE FUNCTION trend_svg(starts timestamptz[], ys float8[], mean float8[] DEFAULT NULL, lower float8[] DEFAULT NULL,
						  upper float8[] DEFAULT NULL, window_size int4 DEFAULT 10, k float8 DEFAULT 2,
						  change_at int4[] DEFAULT NULL, labels text[] DEFAULT NULL, findings jsonb DEFAULT '[]',
						  panel_of text[] DEFAULT NULL, title text DEFAULT NULL, y_label text DEFAULT NULL,
						  unit text DEFAULT NULL, width int4 DEFAULT 800, height int4 DEFAULT 400,
						  options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_trend_svg' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION trend_svg(timestamptz[], float8[], float8[], float8[], float8[], int4, float8, int4[], text[],
	jsonb, text[], text, text, text, int4, int4, jsonb)
	IS 'measurements of runs in SVG, in the order of their starts: mean and band lower .. upper as given, else of the '
		'window_size values before (mean +- k deviations); those outside as diamonds with their score; change_at '
		'(positions from 1, as change_points() has them): a line, the means before and after; labels: runs at equal '
		'distances, else a scale of time in UTC; findings [{"at": 17, "label": "...", "kind": "..."}]: flags, listed '
		'below; panel_of: a panel for each; pairs with a null or NaN are dropped and counted; options as plot_svg() '
		'without x_scale';

CREATE OR REPLACE FUNCTION scaling_svg(workers float8[], times float8[], title text DEFAULT NULL, unit text DEFAULT NULL,
							width int4 DEFAULT 800, height int4 DEFAULT 400, options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_scaling_svg' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION scaling_svg(float8[], float8[], text, text, int4, int4, jsonb)
	IS 'how much faster more workers are, in SVG: the mean time of 1 worker (of the fewest, where there is none of 1) '
		'over that of each number of workers, from the least to the largest where there are several; the ideal; of '
		'three numbers of workers on Amdahl''s law, t(n) = t(1) (s + (1 - s) / n), with the serial share s of the '
		'least squares of the times; pairs with a null or NaN are dropped and counted; unit is that of times, as in '
		'format_value(); options as plot_svg()';

CREATE OR REPLACE FUNCTION correlation_svg(profiles flamegraph[], metric float8[], frame text, benchmark_of text[] DEFAULT NULL,
								level text DEFAULT 'self', missing text DEFAULT 'skip', title text DEFAULT NULL,
								x_label text DEFAULT NULL, y_label text DEFAULT NULL, width int4 DEFAULT 800,
								options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_correlation_svg' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;

COMMENT ON FUNCTION correlation_svg(flamegraph[], float8[], text, text[], text, text, text, text, text, int4, jsonb)
	IS 'what a function costs against the metric of its runs, in SVG: the points of correlation_points(), a panel with '
		'scales of its own for each benchmark, and the coefficients of Pearson and Spearman; above it their mean, as '
		'frame_correlation() has it; level self, frame, total, potential:N or node, missing skip or zero; options as '
		'plot_svg(), free_y also for x';

CREATE OR REPLACE FUNCTION heat_map_svg(columns text[], lines text[], cells float8[], title text DEFAULT NULL,
							 unit text DEFAULT NULL, scale text DEFAULT 'sequential', width int4 DEFAULT 800,
							 options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_heat_map_svg' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION heat_map_svg(text[], text[], float8[], text, text, text, int4, jsonb)
	IS 'numbers by column and line as colours, in SVG: an element of each array is a cell; columns and lines in the '
		'order in which they first come; a cell that is not given, null or NaN is hatched; a column and line that '
		'come twice: error 22023; columns narrower than 4 pixels are averaged; scale sequential (light to dark) or '
		'diverging (blue, white at 0, red); options: subtitle, notes, theme, legend, cell_height (18), truncate '
		'(names of lines: qualifier, end, start)';

CREATE OR REPLACE FUNCTION heat_map_svg(profiles flamegraph[], labels text[] DEFAULT NULL, level text DEFAULT 'self',
							 max_rows int4 DEFAULT 30, title text DEFAULT NULL, unit text DEFAULT NULL,
							 scale text DEFAULT 'sequential', width int4 DEFAULT 800, options jsonb DEFAULT '{}')
	RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_heat_map_svg_profiles' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50000;

COMMENT ON FUNCTION heat_map_svg(flamegraph[], text[], text, int4, text, text, text, int4, jsonb)
	IS 'functions (level self or frame), calling contexts (node) or stacks (stack) by runs as colours, in SVG: the '
		'max_rows with the largest sums of squares, largest first; what the others have is said; a null profile is '
		'a hatched column; labels of runs, else their numbers from 1; scale and options as in the other form';

CREATE OR REPLACE FUNCTION model_change_svg(baseline perfmodel, target perfmodel, intervals int4 DEFAULT 20,
								 no_change float8 DEFAULT 0.10, change float8 DEFAULT 0.25, title text DEFAULT NULL,
								 x_label text DEFAULT NULL, y_label text DEFAULT NULL, unit text DEFAULT NULL,
								 width int4 DEFAULT 800, height int4 DEFAULT 400, options jsonb DEFAULT '{}')
	RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_model_change_svg' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20000;

COMMENT ON FUNCTION model_change_svg(perfmodel, perfmodel, int4, float8, float8, text, text, text, text, int4, int4,
	jsonb)
	IS 'two models and where they differ, in SVG: both curves, the intervals of integral_intervals(merge => true) '
		'hatched by result with their relative errors above, the result of integral_comparison() over all; options as '
		'plot_svg()';

CREATE OR REPLACE FUNCTION flame_chart_accum(internal, stackpath, float8, float8) RETURNS internal
	AS 'MODULE_PATHNAME', 'flamegraph_chart_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION flame_chart_accum(internal, stackpath, float8, float8) IS 'aggregate transition function';

CREATE OR REPLACE FUNCTION flame_chart_accum(internal, stackpath, float8, float8, text) RETURNS internal
	AS 'MODULE_PATHNAME', 'flamegraph_chart_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION flame_chart_accum(internal, stackpath, float8, float8, text) IS 'aggregate transition function';

CREATE OR REPLACE FUNCTION flame_chart_accum(internal, stackpath, float8, float8, text, jsonb) RETURNS internal
	AS 'MODULE_PATHNAME', 'flamegraph_chart_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION flame_chart_accum(internal, stackpath, float8, float8, text, jsonb)
	IS 'aggregate transition function';

CREATE OR REPLACE FUNCTION flame_chart_final(internal) RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_chart_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION flame_chart_final(internal) IS 'aggregate final function';

CREATE AGGREGATE flame_chart_svg(stack stackpath, start_at float8, stop_at float8) (
	SFUNC = flame_chart_accum,
	STYPE = internal,
	FINALFUNC = flame_chart_final,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE flame_chart_svg(stackpath, float8, float8)
	IS 'the samples as a flame chart in SVG: time to the right, stacks downwards; samples that follow each other and '
		'touch share the boxes of the frames that their stacks begin with, overlapping ones stand in lanes of their '
		'own; data-n as by nodes() of flamegraph_agg(stack, stop_at - start_at). Rows with a null are left out, those '
		'without duration are counted; NULL when there are none';

CREATE AGGREGATE flame_chart_svg(stack stackpath, start_at float8, stop_at float8, thread text) (
	SFUNC = flame_chart_accum,
	STYPE = internal,
	FINALFUNC = flame_chart_final,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE flame_chart_svg(stackpath, float8, float8, text)
	IS 'the same with a lane for each thread, in the order of their first samples, and the share of the time for which '
		'it was busy; a null or empty name is that of no thread';

CREATE AGGREGATE flame_chart_svg(stack stackpath, start_at float8, stop_at float8, thread text, options jsonb) (
	SFUNC = flame_chart_accum,
	STYPE = internal,
	FINALFUNC = flame_chart_final,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE flame_chart_svg(stackpath, float8, float8, text, jsonb)
	IS 'the same with options, one set for all rows: title, unit (seconds), width (1200), min_width (0.5), color, '
		'from_time and to_time (what is drawn), interactive, max_boxes, max_samples (of the data for the viewer, '
		'1,000,000), max_gap (between samples that still touch, 0), merge (false: boxes of its own for each row), '
		'palette, theme, truncate';

CREATE OR REPLACE FUNCTION html_report(title text, sections jsonb, options jsonb DEFAULT '{}') RETURNS text
	AS 'MODULE_PATHNAME', 'flamegraph_html_report' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION html_report(text, jsonb, jsonb)
	IS 'a page of HTML with a policy of its own that lets nothing else in; it shows everything without its script. '
		'sections: an array of objects with one of heading, text (paragraphs), facts (an object, or an array of '
		'[name, value]), table (an array of objects) with columns, svg (a picture of this extension, another is an '
		'error 22023), details (a title) with sections and open; caption for table and svg; anchor: a name that links '
		'lead to. columns: name, label, kind (text, number, share, bar, stack, spark, arrow, status), unit, '
		'signed (true: a plus sign before what is above 0), link (the field with an anchor). options: subtitle, notes, '
		'theme (auto, light, dark), contents (true)';

CREATE OR REPLACE FUNCTION gin_extract_flamegraph(flamegraph, internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'gin_extract_flamegraph_short' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE OR REPLACE FUNCTION gin_flamegraph_extract_query(flamegraph, internal, int2, internal, internal, internal, internal)
	RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE OR REPLACE FUNCTION gin_flamegraph_consistent(internal, int2, flamegraph, int4, internal, internal, internal, internal)
	RETURNS bool
	AS 'MODULE_PATHNAME', 'gin_flameseries_consistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE OR REPLACE FUNCTION gin_flamegraph_triconsistent(internal, int2, flamegraph, int4, internal, internal, internal)
	RETURNS "char"
	AS 'MODULE_PATHNAME', 'gin_flameseries_triconsistent' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE flameseries;

CREATE OR REPLACE FUNCTION flameseries_in(cstring) RETURNS flameseries
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000;

CREATE OR REPLACE FUNCTION flameseries_out(flameseries) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;

CREATE OR REPLACE FUNCTION flameseries_recv(internal) RETURNS flameseries
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000;

CREATE OR REPLACE FUNCTION flameseries_send(flameseries) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

CREATE TYPE flameseries (
	INPUT = flameseries_in,
	OUTPUT = flameseries_out,
	RECEIVE = flameseries_recv,
	SEND = flameseries_send,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = int4,
	STORAGE = extended
);

COMMENT ON TYPE flameseries
	IS 'profiles with their times and instances over one shared tree; in text one packed word';

COMMENT ON FUNCTION flameseries_in(cstring) IS 'I/O';

COMMENT ON FUNCTION flameseries_out(flameseries) IS 'I/O';

COMMENT ON FUNCTION flameseries_recv(internal) IS 'I/O';

COMMENT ON FUNCTION flameseries_send(flameseries) IS 'I/O';

CREATE OR REPLACE FUNCTION flameseries_eq(flameseries, flameseries) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 100;

CREATE OR REPLACE FUNCTION flameseries_ne(flameseries, flameseries) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 100;

CREATE OR REPLACE FUNCTION flameseries_lt(flameseries, flameseries) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 100;

CREATE OR REPLACE FUNCTION flameseries_le(flameseries, flameseries) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 100;

CREATE OR REPLACE FUNCTION flameseries_gt(flameseries, flameseries) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 100;

CREATE OR REPLACE FUNCTION flameseries_ge(flameseries, flameseries) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 100;

CREATE OR REPLACE FUNCTION flameseries_cmp(flameseries, flameseries) RETURNS int4
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE COST 100;

CREATE OR REPLACE FUNCTION flameseries_hash(flameseries) RETURNS int4
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

CREATE OR REPLACE FUNCTION flameseries_hash_extended(flameseries, int8) RETURNS int8
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION flameseries_eq(flameseries, flameseries) IS 'implementation of = operator';

COMMENT ON FUNCTION flameseries_ne(flameseries, flameseries) IS 'implementation of <> operator';

COMMENT ON FUNCTION flameseries_lt(flameseries, flameseries) IS 'implementation of < operator';

COMMENT ON FUNCTION flameseries_le(flameseries, flameseries) IS 'implementation of <= operator';

COMMENT ON FUNCTION flameseries_gt(flameseries, flameseries) IS 'implementation of > operator';

COMMENT ON FUNCTION flameseries_ge(flameseries, flameseries) IS 'implementation of >= operator';

COMMENT ON FUNCTION flameseries_cmp(flameseries, flameseries) IS 'less-equal-greater';

COMMENT ON FUNCTION flameseries_hash(flameseries) IS 'hash';

COMMENT ON FUNCTION flameseries_hash_extended(flameseries, int8) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = flameseries, RIGHTARG = flameseries, FUNCTION = flameseries_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);

CREATE OPERATOR <> (
	LEFTARG = flameseries, RIGHTARG = flameseries, FUNCTION = flameseries_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);

CREATE OPERATOR < (
	LEFTARG = flameseries, RIGHTARG = flameseries, FUNCTION = flameseries_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);

CREATE OPERATOR <= (
	LEFTARG = flameseries, RIGHTARG = flameseries, FUNCTION = flameseries_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);

CREATE OPERATOR > (
	LEFTARG = flameseries, RIGHTARG = flameseries, FUNCTION = flameseries_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);

CREATE OPERATOR >= (
	LEFTARG = flameseries, RIGHTARG = flameseries, FUNCTION = flameseries_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);

COMMENT ON OPERATOR = (flameseries, flameseries) IS 'the same profiles at the same times';

COMMENT ON OPERATOR <> (flameseries, flameseries) IS 'not equal';

COMMENT ON OPERATOR < (flameseries, flameseries) IS 'less than in an arbitrary total order';

COMMENT ON OPERATOR <= (flameseries, flameseries) IS 'less than or equal in an arbitrary total order';

COMMENT ON OPERATOR > (flameseries, flameseries) IS 'greater than in an arbitrary total order';

COMMENT ON OPERATOR >= (flameseries, flameseries) IS 'greater than or equal in an arbitrary total order';

CREATE OPERATOR CLASS flameseries_ops DEFAULT FOR TYPE flameseries USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 flameseries_cmp(flameseries, flameseries);

COMMENT ON OPERATOR CLASS flameseries_ops USING btree
	IS 'for ORDER BY, GROUP BY and DISTINCT; series are too large for an index';

COMMENT ON OPERATOR FAMILY flameseries_ops USING btree IS 'for ORDER BY, GROUP BY and DISTINCT';

CREATE OPERATOR CLASS flameseries_ops DEFAULT FOR TYPE flameseries USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 flameseries_hash(flameseries),
	FUNCTION 2 flameseries_hash_extended(flameseries, int8);

COMMENT ON OPERATOR CLASS flameseries_ops USING hash IS 'equality of series';

COMMENT ON OPERATOR FAMILY flameseries_ops USING hash IS 'equality of series';

CREATE OR REPLACE FUNCTION flameseries_accum(flameseries, timestamptz, flamegraph) RETURNS flameseries
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION flameseries_accum(flameseries, timestamptz, flamegraph) IS 'aggregate transition function';

CREATE OR REPLACE FUNCTION flameseries_accum(flameseries, timestamptz, flamegraph, text) RETURNS flameseries
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION flameseries_accum(flameseries, timestamptz, flamegraph, text) IS 'aggregate transition function';

CREATE OR REPLACE FUNCTION flameseries_combine(flameseries, flameseries) RETURNS flameseries
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000;

COMMENT ON FUNCTION flameseries_combine(flameseries, flameseries) IS 'aggregate transition and combine function';

CREATE OR REPLACE FUNCTION flameseries_sum_accum(flamegraph, flameseries) RETURNS flamegraph
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION flameseries_sum_accum(flamegraph, flameseries) IS 'aggregate transition function';

CREATE AGGREGATE flameseries_agg(at timestamptz, fg flamegraph) (
	SFUNC = flameseries_accum,
	STYPE = flameseries,
	COMBINEFUNC = flameseries_combine,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE flameseries_agg(timestamptz, flamegraph)
	IS 'the profiles as a series, each with its time; null profiles are left out; NULL when there are none';

CREATE AGGREGATE flameseries_agg(at timestamptz, fg flamegraph, instance text) (
	SFUNC = flameseries_accum,
	STYPE = flameseries,
	COMBINEFUNC = flameseries_combine,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE flameseries_agg(timestamptz, flamegraph, text)
	IS 'the same with the name of the machine, pod or process that each profile is of; null or empty: none';

CREATE AGGREGATE flameseries_agg(fs flameseries) (
	SFUNC = flameseries_combine,
	STYPE = flameseries,
	COMBINEFUNC = flameseries_combine,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE flameseries_agg(flameseries)
	IS 'all profiles of the series as one series, in which equal profiles stay as many as they were';

CREATE AGGREGATE sum(fs flameseries) (
	SFUNC = flameseries_sum_accum,
	STYPE = flamegraph,
	COMBINEFUNC = flamegraph_sum_accum,
	PARALLEL = SAFE
);

COMMENT ON AGGREGATE sum(flameseries) IS 'the sum of all profiles of all series; NULL when there are none';

CREATE OR REPLACE FUNCTION profile_count(fs flameseries) RETURNS int4
	AS 'MODULE_PATHNAME', 'flameseries_profile_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION profile_count(flameseries) IS 'number of profiles';

CREATE OR REPLACE FUNCTION since(fs flameseries) RETURNS timestamptz
	AS 'MODULE_PATHNAME', 'flameseries_since' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION since(flameseries) IS 'time of the first profile; NULL when there is none';

CREATE OR REPLACE FUNCTION until(fs flameseries) RETURNS timestamptz
	AS 'MODULE_PATHNAME', 'flameseries_until' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION until(flameseries) IS 'time of the last profile; NULL when there is none';

CREATE OR REPLACE FUNCTION instances(fs flameseries) RETURNS text[]
	AS 'MODULE_PATHNAME', 'flameseries_instances' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;

COMMENT ON FUNCTION instances(flameseries)
	IS 'whom its profiles are of, in bytewise order; an empty name first when some are of nobody';

CREATE OR REPLACE FUNCTION sum(fs flameseries, since timestamptz, until timestamptz DEFAULT NULL,
					instances text[] DEFAULT NULL) RETURNS flamegraph
	AS 'MODULE_PATHNAME', 'flameseries_sum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION sum(flameseries, timestamptz, timestamptz, text[])
	IS 'the sum of the profiles from since up to, but not including, until, of these instances; NULL: no bound, all';

CREATE OR REPLACE FUNCTION slice(fs flameseries, since timestamptz DEFAULT NULL, until timestamptz DEFAULT NULL,
					  instances text[] DEFAULT NULL) RETURNS flameseries
	AS 'MODULE_PATHNAME', 'flameseries_slice' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;

COMMENT ON FUNCTION slice(flameseries, timestamptz, timestamptz, text[])
	IS 'the profiles from since up to, but not including, until, of these instances, as a series';

CREATE OR REPLACE FUNCTION top(fs flameseries, since timestamptz, until timestamptz, max_rows int4 DEFAULT 20,
					instances text[] DEFAULT NULL,
					OUT frame text, OUT self float8, OUT self_share float8,
					OUT total float8, OUT total_share float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flameseries_top' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 20;

COMMENT ON FUNCTION top(flameseries, timestamptz, timestamptz, int4, text[])
	IS 'the frames in which most is spent in the window, as top(flamegraph) of its sum';

CREATE OR REPLACE FUNCTION step_sums(fs flameseries, step interval, since timestamptz DEFAULT NULL,
						  until timestamptz DEFAULT NULL, instances text[] DEFAULT NULL,
						  OUT at timestamptz, OUT profile flamegraph) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flameseries_step_sums' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 60;

COMMENT ON FUNCTION step_sums(flameseries, interval, timestamptz, timestamptz, text[])
	IS 'the sums of the profiles of each step that has some: at is when it begins, in UTC on full minutes, hours, days '
		'or on Mondays';

CREATE OR REPLACE FUNCTION profiles(fs flameseries, OUT at timestamptz, OUT instance text, OUT profile flamegraph)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flameseries_profiles' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000 ROWS 1500;

COMMENT ON FUNCTION profiles(flameseries) IS 'its profiles, by time and instance';

CREATE OR REPLACE FUNCTION trend(fs flameseries, frame text, level text DEFAULT 'total', since timestamptz DEFAULT NULL,
					  until timestamptz DEFAULT NULL, instances text[] DEFAULT NULL,
					  OUT at timestamptz, OUT instance text, OUT value float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flameseries_trend' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1500;

COMMENT ON FUNCTION trend(flameseries, text, text, timestamptz, timestamptz, text[])
	IS 'the value of a function in each profile, 0 where it does not occur; level total: with what it calls, once for '
		'a recursion; self: itself';

CREATE OR REPLACE FUNCTION trend(fs flameseries, path stackpath, level text DEFAULT 'total', since timestamptz DEFAULT NULL,
					  until timestamptz DEFAULT NULL, instances text[] DEFAULT NULL,
					  OUT at timestamptz, OUT instance text, OUT value float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'flameseries_trend_path' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1500;

COMMENT ON FUNCTION trend(flameseries, stackpath, text, timestamptz, timestamptz, text[])
	IS 'the same of a calling context; the empty path is all that a profile has';

CREATE OR REPLACE FUNCTION frame_sum(fs flameseries, frame text, level text DEFAULT 'total', since timestamptz DEFAULT NULL,
						  until timestamptz DEFAULT NULL, instances text[] DEFAULT NULL) RETURNS float8
	AS 'MODULE_PATHNAME', 'flameseries_frame_sum' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION frame_sum(flameseries, text, text, timestamptz, timestamptz, text[])
	IS 'the value of a function in all profiles of a window together, the sum of trend(); NULL where it does not occur';

CREATE OR REPLACE FUNCTION stats(fs flameseries, level text) RETURNS flamestats
	AS 'MODULE_PATHNAME', 'flameseries_stats' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000;

COMMENT ON FUNCTION stats(flameseries, text)
	IS 'statistics of its profiles at a level, as stats(flamegraph, level) of all of them; NULL when there are none';

CREATE OR REPLACE FUNCTION has_frame(fs flameseries, frame text) RETURNS bool
	AS 'MODULE_PATHNAME', 'flameseries_has_frame' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION has_frame(flameseries, text) IS 'does some profile have this frame? The ? operator as a function';

CREATE OR REPLACE FUNCTION has_any_frame(fs flameseries, frames text[]) RETURNS bool
	AS 'MODULE_PATHNAME', 'flameseries_has_any_frame' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION has_any_frame(flameseries, text[])
	IS 'do its profiles have any of these frames? The ?| operator as a function, where a NULL array is an empty one';

CREATE OR REPLACE FUNCTION has_all_frames(fs flameseries, frames text[]) RETURNS bool
	AS 'MODULE_PATHNAME', 'flameseries_has_all_frames' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION has_all_frames(flameseries, text[])
	IS 'do its profiles together have all of these frames? The ?& operator as a function, where a NULL array is an '
		'empty one';

CREATE OPERATOR ? (
	LEFTARG = flameseries, RIGHTARG = text, FUNCTION = has_frame,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);

COMMENT ON OPERATOR ? (flameseries, text) IS 'some profile has this frame';

CREATE OR REPLACE FUNCTION flameseries_has_any_frame(flameseries, text[]) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION flameseries_has_any_frame(flameseries, text[]) IS 'implementation of ?| operator';

CREATE OPERATOR ?| (
	LEFTARG = flameseries, RIGHTARG = text[], FUNCTION = flameseries_has_any_frame,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);

COMMENT ON OPERATOR ?| (flameseries, text[]) IS 'some profile has any of these frames';

CREATE OR REPLACE FUNCTION flameseries_has_all_frames(flameseries, text[]) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION flameseries_has_all_frames(flameseries, text[]) IS 'implementation of ?& operator';

CREATE OPERATOR ?& (
	LEFTARG = flameseries, RIGHTARG = text[], FUNCTION = flameseries_has_all_frames,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);

COMMENT ON OPERATOR ?& (flameseries, text[]) IS 'the profiles together have all of these frames';

CREATE OR REPLACE FUNCTION flameseries_has_path(flameseries, stackpath) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION flameseries_has_path(flameseries, stackpath) IS 'implementation of @> operator';

CREATE OR REPLACE FUNCTION stackpath_in_flameseries(stackpath, flameseries) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;

COMMENT ON FUNCTION stackpath_in_flameseries(stackpath, flameseries) IS 'implementation of <@ operator';

CREATE OPERATOR @> (
	LEFTARG = flameseries, RIGHTARG = stackpath, FUNCTION = flameseries_has_path, COMMUTATOR = <@,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);

COMMENT ON OPERATOR @> (flameseries, stackpath) IS 'a stack of some profile begins with the path';

CREATE OPERATOR <@ (
	LEFTARG = stackpath, RIGHTARG = flameseries, FUNCTION = stackpath_in_flameseries, COMMUTATOR = @>,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);

COMMENT ON OPERATOR <@ (stackpath, flameseries) IS 'begins a stack of some profile';

CREATE OR REPLACE FUNCTION matches(fs flameseries, query stackquery) RETURNS bool
	AS 'MODULE_PATHNAME', 'flameseries_matches' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION matches(flameseries, stackquery)
	IS 'does a stack of some profile match the pattern? The ~ operator as a function';

CREATE OR REPLACE FUNCTION stackquery_matches_flameseries(stackquery, flameseries) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;

COMMENT ON FUNCTION stackquery_matches_flameseries(stackquery, flameseries) IS 'implementation of ~ operator';

CREATE OPERATOR ~ (
	LEFTARG = flameseries, RIGHTARG = stackquery, FUNCTION = matches, COMMUTATOR = ~,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);

COMMENT ON OPERATOR ~ (flameseries, stackquery) IS 'a stack of some profile matches the pattern';

CREATE OPERATOR ~ (
	LEFTARG = stackquery, RIGHTARG = flameseries, FUNCTION = stackquery_matches_flameseries, COMMUTATOR = ~,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);

COMMENT ON OPERATOR ~ (stackquery, flameseries) IS 'is matched by a stack of some profile of';

CREATE OR REPLACE FUNCTION gin_extract_flameseries(flameseries, internal) RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gin_extract_flameseries(flameseries, internal) IS 'GIN support';

CREATE OR REPLACE FUNCTION gin_flameseries_extract_query(flameseries, internal, int2, internal, internal, internal, internal)
	RETURNS internal
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gin_flameseries_extract_query(flameseries, internal, int2, internal, internal, internal, internal)
	IS 'GIN support';

CREATE OR REPLACE FUNCTION gin_flameseries_consistent(internal, int2, flameseries, int4, internal, internal, internal, internal)
	RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION
	gin_flameseries_consistent(internal, int2, flameseries, int4, internal, internal, internal, internal)
	IS 'GIN support';

CREATE OR REPLACE FUNCTION gin_flameseries_triconsistent(internal, int2, flameseries, int4, internal, internal, internal)
	RETURNS "char"
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gin_flameseries_triconsistent(internal, int2, flameseries, int4, internal, internal, internal)
	IS 'GIN support';

CREATE OPERATOR CLASS gin_flameseries_ops DEFAULT FOR TYPE flameseries USING gin AS
	OPERATOR 1 ? (flameseries, text),
	OPERATOR 2 ?| (flameseries, text[]),
	OPERATOR 3 ?& (flameseries, text[]),
	OPERATOR 4 ~ (flameseries, stackquery),
	OPERATOR 5 @> (flameseries, stackpath),
	FUNCTION 1 gin_frame_compare(text, text),
	FUNCTION 2 gin_extract_flameseries(flameseries, internal),
	FUNCTION 3 gin_flameseries_extract_query(flameseries, internal, int2, internal, internal, internal, internal),
	FUNCTION 4 gin_flameseries_consistent(internal, int2, flameseries, int4, internal, internal, internal, internal),
	FUNCTION 5 gin_frame_compare_prefix(text, text, int2, internal),
	FUNCTION 6 gin_flameseries_triconsistent(internal, int2, flameseries, int4, internal, internal, internal),
	STORAGE text;

COMMENT ON OPERATOR CLASS gin_flameseries_ops USING gin IS 'series by the frames of their profiles: ? ?| ?& ~ @>';

COMMENT ON OPERATOR FAMILY gin_flameseries_ops USING gin IS 'series by the frames of their profiles';

DROP FUNCTION takes_form_of(regprocedure, regprocedure);
