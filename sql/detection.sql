
--
-- changes between two models: baseline and target
--

CREATE FUNCTION integral_comparison(baseline perfmodel, target perfmodel,
									no_change float8 DEFAULT 0.10, change float8 DEFAULT 0.25,
									OUT result text, OUT relative_error float8, OUT confidence float8,
									OUT baseline_integral float8, OUT target_integral float8,
									OUT x_from float8, OUT x_to float8) RETURNS record
	AS 'MODULE_PATHNAME', 'detection_integral_comparison' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION integral_comparison(perfmodel, perfmodel, float8, float8)
	IS 'change of the integral over the common interval: no_change up to 10 %, maybe_ up to 25 %, else degradation or '
		'optimization; unknown without a common interval or integral; confidence: the smaller r_square';

CREATE FUNCTION integral_intervals(baseline perfmodel, target perfmodel, intervals int4 DEFAULT 20,
								   merge bool DEFAULT false, no_change float8 DEFAULT 0.10, change float8 DEFAULT 0.25,
								   OUT x_from float8, OUT x_to float8, OUT relative_error float8, OUT result text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'detection_integral_intervals' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 20;
COMMENT ON FUNCTION integral_intervals(perfmodel, perfmodel, int4, bool, float8, float8)
	IS 'the same on sub-intervals of equal width; merge: adjacent ones with the same change as one, without those that '
		'did not change';

CREATE FUNCTION integral_points(xs float8[], baseline float8[], target float8[], rule text DEFAULT 'trapezoid',
								no_change float8 DEFAULT 0.10, change float8 DEFAULT 0.25,
								OUT result text, OUT relative_error float8, OUT confidence float8,
								OUT baseline_integral float8, OUT target_integral float8,
								OUT x_from float8, OUT x_to float8) RETURNS record
	AS 'MODULE_PATHNAME', 'detection_integral_points' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION integral_points(float8[], float8[], float8[], text, float8, float8)
	IS 'change of the integral of values at shared, ascending x: rule trapezoid or simpson';

CREATE FUNCTION local_statistics(baseline perfmodel, target perfmodel, samples int4 DEFAULT 1000,
								 density float8 DEFAULT 0.05, min_points int4 DEFAULT 2, no_change float8 DEFAULT 0.10,
								 change float8 DEFAULT 0.25,
								 OUT result text, OUT relative_error float8, OUT confidence float8) RETURNS record
	AS 'MODULE_PATHNAME', 'detection_local_statistics' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION local_statistics(perfmodel, perfmodel, int4, float8, int4, float8, float8)
	IS 'change by seven statistics of both curves on sub-intervals of the common interval; relative_error: mean over '
		'them';

CREATE FUNCTION local_statistics_intervals(baseline perfmodel, target perfmodel, samples int4 DEFAULT 1000,
										   density float8 DEFAULT 0.05, min_points int4 DEFAULT 2,
										   merge bool DEFAULT false, no_change float8 DEFAULT 0.10,
										   change float8 DEFAULT 0.25,
										   OUT x_from float8, OUT x_to float8, OUT avg float8, OUT med float8,
										   OUT max float8, OUT min float8, OUT sum float8, OUT q1 float8, OUT q3 float8,
										   OUT relative_error float8, OUT score float8, OUT result text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'detection_local_statistics_intervals' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 1000 ROWS 20;
COMMENT ON FUNCTION local_statistics_intervals(perfmodel, perfmodel, int4, float8, int4, bool, float8, float8)
	IS 'the sub-intervals of local_statistics with the relative error of each statistic; merge: adjacent ones with the '
		'same change as one, without their statistics and without those that did not change';

CREATE FUNCTION local_statistics_points(xs float8[], baseline float8[], target float8[], density float8 DEFAULT 0.05,
										min_points int4 DEFAULT 2, no_change float8 DEFAULT 0.10,
										change float8 DEFAULT 0.25,
										OUT result text, OUT relative_error float8, OUT confidence float8)
	RETURNS record
	AS 'MODULE_PATHNAME', 'detection_local_statistics_points' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION local_statistics_points(float8[], float8[], float8[], float8, int4, float8, float8)
	IS 'local_statistics of values at shared, ascending x';

CREATE FUNCTION average_amount(baseline float8[], target float8[],
							   OUT result text, OUT ratio float8, OUT baseline_mean float8, OUT target_mean float8)
	RETURNS record
	AS 'MODULE_PATHNAME', 'detection_average_amount' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION average_amount(float8[], float8[])
	IS 'ratio of the means: from 2 on degradation, up to 0.5 optimization';

CREATE FUNCTION best_model_order(baseline_x float8[], baseline_y float8[], target_x float8[], target_y float8[],
								 OUT result text, OUT rate int4, OUT confidence float8,
								 OUT baseline_kind text, OUT target_kind text) RETURNS record
	AS 'MODULE_PATHNAME', 'detection_best_model_order' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION best_model_order(float8[], float8[], float8[], float8[])
	IS 'is the best parametric model of the target of another order than the baseline''s? rate: steps in the order of '
		'complexity, 0 unless both fit with r_square of at least 0.9';

CREATE FUNCTION model_difference(baseline perfmodel, target perfmodel, samples int4 DEFAULT 1000,
								 no_change float8 DEFAULT 0.10, change float8 DEFAULT 0.25,
								 OUT result text, OUT relative_error float8, OUT sum_abs_error float8,
								 OUT polynomial text, OUT fast_check text) RETURNS record
	AS 'MODULE_PATHNAME', 'detection_model_difference' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION model_difference(perfmodel, perfmodel, int4, float8, float8)
	IS 'of two formulas: change of the mean relative difference on the common interval, and of what kind the '
		'difference is: a polynomial of the least sufficient degree, and the best parametric model of it';

CREATE FUNCTION exclusive_time_outliers(baseline flamegraph, target flamegraph, cutoff float8 DEFAULT 0,
										OUT frame text, OUT delta float8, OUT share float8, OUT modified_z float8,
										OUT iqr_multiple float8, OUT stddev_multiple float8, OUT result text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'detection_exclusive_time_outliers' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 10000 ROWS 1000;
COMMENT ON FUNCTION exclusive_time_outliers(flamegraph, flamegraph, float8)
	IS 'functions whose own time changed more than that of the others: by modified z-score, interquartile range, '
		'standard deviation; share of the target''s total; rows with less than cutoff are left out; the largest '
		'increase first';

-- changes per location

CREATE FUNCTION detect_changes(locations text[], is_target bool[], xs float8[], ys float8[],
							   models text[] DEFAULT '{regressogram,moving_average,kernel_regression}',
							   methods text[] DEFAULT '{integral,local_statistics}',
							   strategy text DEFAULT 'all-nonparam', min_confidence float8 DEFAULT 0.15,
							   options jsonb DEFAULT '{}',
							   OUT location text, OUT model text, OUT method text, OUT result text, OUT severity text,
							   OUT relative_error float8, OUT confidence float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'detection_detect_changes' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION detect_changes(text[], bool[], float8[], float8[], text[], text[], text, float8, jsonb)
	IS 'changes of the locations that baseline and target have in common: models fitted to each side are compared in '
		'the pairs of the strategy (best-model, best-param, best-nonparam, all-param, all-nonparam, all-models, '
		'best-both) by methods integral, local_statistics, average_amount, best_model_order, model_difference; pairs '
		'below min_confidence have no row; severity: kind of the difference of the best parametric models';

CREATE FUNCTION detection_summary(locations text[], is_target bool[], xs float8[], ys float8[],
								  models text[] DEFAULT '{regressogram,moving_average,kernel_regression}',
								  methods text[] DEFAULT '{integral,local_statistics}',
								  strategy text DEFAULT 'all-nonparam', min_confidence float8 DEFAULT 0.15,
								  options jsonb DEFAULT '{}',
								  OUT model text, OUT method text, OUT n_locations int4, OUT degradation int4,
								  OUT optimization int4, OUT maybe int4) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'detection_summary' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 10;
COMMENT ON FUNCTION detection_summary(text[], bool[], float8[], float8[], text[], text[], text, float8, jsonb)
	IS 'how many of the common locations detect_changes reports as changed, by model and method';
