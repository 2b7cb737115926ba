
--
-- fitting models: from arrays as rows or as a perfmodel, and from rows as a perfmodel
--

CREATE FUNCTION moving_average(xs float8[], ys float8[], window_size int4 DEFAULT NULL, method text DEFAULT 'sma',
							   options jsonb DEFAULT '{}',
							   OUT x float8, OUT y float8, OUT fitted float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'models_moving_average' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1000;
COMMENT ON FUNCTION moving_average(float8[], float8[], int4, text, jsonb)
	IS 'moving averages, points sorted by x and y: sma simple or weighted, smm median, ema exponential; window_size '
		'NULL: chosen by R^2; options center, min_periods, window_type, beta (sma, smm), com, span, halflife, alpha, '
		'adjust (ema); xs NULL: positions; fitted NULL: too few points in the window';

CREATE FUNCTION regressogram(xs float8[], ys float8[], buckets int4 DEFAULT NULL, rule text DEFAULT 'doane',
							 statistic text DEFAULT 'mean',
							 OUT bucket int4, OUT x_from float8, OUT x_to float8, OUT points int4,
							 OUT fitted float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'models_regressogram' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 20;
COMMENT ON FUNCTION regressogram(float8[], float8[], int4, text, text)
	IS 'mean or median of y in buckets of equal width, their number given or by rule: auto, doane, fd, rice, scott, '
		'sqrt, sturges; fitted NULL: an empty bucket';

CREATE FUNCTION kernel_regression(xs float8[], ys float8[], kernel text DEFAULT 'epanechnikov',
								  bandwidth float8 DEFAULT NULL, rule text DEFAULT 'scott',
								  method text DEFAULT 'nadaraya_watson', degree int4 DEFAULT 3,
								  at_x float8[] DEFAULT NULL, candidates float8[] DEFAULT NULL,
								  OUT x float8, OUT y float8, OUT fitted float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'models_kernel_regression' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 1000;
COMMENT ON FUNCTION kernel_regression(float8[], float8[], text, float8, text, text, int4, float8[], float8[])
	IS 'kernel regression at the sorted points, or at at_x (y is NULL then): method nadaraya_watson, local_linear or '
		'local_polynomial of a degree; kernel gaussian, epanechnikov, tricube, gaussian4, epanechnikov4; bandwidth '
		'given, or by rule scott, silverman, cv_ls, aic, the last two also over candidates';

CREATE FUNCTION parametric_models(xs float8[], ys float8[], models text[] DEFAULT NULL, method text DEFAULT 'full',
								  steps int4 DEFAULT 3,
								  OUT model perfmodel, OUT kind text, OUT coefficients float8[], OUT r_square float8,
								  OUT r_square_y float8, OUT n_used int4, OUT x_start float8, OUT x_end float8,
								  OUT best bool) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'models_parametric' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 6;
COMMENT ON FUNCTION parametric_models(float8[], float8[], text[], text, int4)
	IS 'least squares fits: constant, logarithmic, linear, quadratic, power, exponential (NULL: all); method full: '
		'each on all points, in the order of complexity, the best one marked; interval: the best of each of "steps" '
		'parts; bisection: of parts halved while their best models differ';

CREATE FUNCTION fit(xs float8[], ys float8[], model text, options jsonb DEFAULT '{}') RETURNS perfmodel
	AS 'MODULE_PATHNAME', 'models_fit' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION fit(float8[], float8[], text, jsonb)
	IS 'a model as a value: moving_average, regressogram, kernel_regression, parametric_regression (the best), or one '
		'formula by name; options are the arguments of these functions; NULL without points, or when the formula does '
		'not exist on them';

CREATE FUNCTION perfmodel_sample_accum(perfmodel, float8, float8) RETURNS perfmodel
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION perfmodel_sample_accum(perfmodel, float8, float8) IS 'aggregate transition function';
CREATE FUNCTION perfmodel_sample_accum(perfmodel, float8, float8, jsonb) RETURNS perfmodel
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION perfmodel_sample_accum(perfmodel, float8, float8, jsonb) IS 'aggregate transition function';
CREATE FUNCTION perfmodel_sample_combine(perfmodel, perfmodel) RETURNS perfmodel
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION perfmodel_sample_combine(perfmodel, perfmodel) IS 'aggregate combine function';
CREATE FUNCTION perfmodel_moving_average(perfmodel) RETURNS perfmodel
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION perfmodel_moving_average(perfmodel) IS 'aggregate final function';
CREATE FUNCTION perfmodel_regressogram(perfmodel) RETURNS perfmodel
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION perfmodel_regressogram(perfmodel) IS 'aggregate final function';
CREATE FUNCTION perfmodel_kernel_regression(perfmodel) RETURNS perfmodel
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION perfmodel_kernel_regression(perfmodel) IS 'aggregate final function';
CREATE FUNCTION perfmodel_parametric_regression(perfmodel) RETURNS perfmodel
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION perfmodel_parametric_regression(perfmodel) IS 'aggregate final function';

CREATE AGGREGATE moving_average_agg(x float8, y float8) (
	SFUNC = perfmodel_sample_accum, STYPE = perfmodel, FINALFUNC = perfmodel_moving_average,
	COMBINEFUNC = perfmodel_sample_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_average_agg(float8, float8)
	IS 'the moving average of these points, as fit(..., ''moving_average''); rows with a null are skipped; NULL for '
		'none';
CREATE AGGREGATE moving_average_agg(x float8, y float8, options jsonb) (
	SFUNC = perfmodel_sample_accum, STYPE = perfmodel, FINALFUNC = perfmodel_moving_average,
	COMBINEFUNC = perfmodel_sample_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_average_agg(float8, float8, jsonb)
	IS 'the same with options, which must be equal in all rows';
CREATE AGGREGATE regressogram_agg(x float8, y float8) (
	SFUNC = perfmodel_sample_accum, STYPE = perfmodel, FINALFUNC = perfmodel_regressogram,
	COMBINEFUNC = perfmodel_sample_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE regressogram_agg(float8, float8)
	IS 'the regressogram of these points, as fit(..., ''regressogram''); rows with a null are skipped; NULL for none';
CREATE AGGREGATE regressogram_agg(x float8, y float8, options jsonb) (
	SFUNC = perfmodel_sample_accum, STYPE = perfmodel, FINALFUNC = perfmodel_regressogram,
	COMBINEFUNC = perfmodel_sample_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE regressogram_agg(float8, float8, jsonb)
	IS 'the same with options, which must be equal in all rows';
CREATE AGGREGATE kernel_regression_agg(x float8, y float8) (
	SFUNC = perfmodel_sample_accum, STYPE = perfmodel, FINALFUNC = perfmodel_kernel_regression,
	COMBINEFUNC = perfmodel_sample_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE kernel_regression_agg(float8, float8)
	IS 'the kernel regression of these points, as fit(..., ''kernel_regression''); rows with a null are skipped; NULL '
		'for none';
CREATE AGGREGATE kernel_regression_agg(x float8, y float8, options jsonb) (
	SFUNC = perfmodel_sample_accum, STYPE = perfmodel, FINALFUNC = perfmodel_kernel_regression,
	COMBINEFUNC = perfmodel_sample_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE kernel_regression_agg(float8, float8, jsonb)
	IS 'the same with options, which must be equal in all rows';
CREATE AGGREGATE parametric_regression_agg(x float8, y float8) (
	SFUNC = perfmodel_sample_accum, STYPE = perfmodel, FINALFUNC = perfmodel_parametric_regression,
	COMBINEFUNC = perfmodel_sample_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE parametric_regression_agg(float8, float8)
	IS 'the best parametric model of these points, as fit(..., ''parametric_regression''); rows with a null are '
		'skipped; NULL for fewer than three';
CREATE AGGREGATE parametric_regression_agg(x float8, y float8, options jsonb) (
	SFUNC = perfmodel_sample_accum, STYPE = perfmodel, FINALFUNC = perfmodel_parametric_regression,
	COMBINEFUNC = perfmodel_sample_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE parametric_regression_agg(float8, float8, jsonb)
	IS 'the same with options, which must be equal in all rows';

-- facts and values of a model

CREATE FUNCTION predict(m perfmodel, x float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'perfmodel_predict' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION predict(perfmodel, float8)
	IS 'the value of the model at x; NULL where it has none: outside the interval of a step function, or of a formula '
		'that is not defined there';
CREATE FUNCTION points(m perfmodel, OUT x float8, OUT y float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'perfmodel_points' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 100;
COMMENT ON FUNCTION points(perfmodel)
	IS 'the curve to be drawn: its points; of a regressogram both ends of each step; of a formula 101 points over its '
		'interval';
CREATE FUNCTION coefficients(m perfmodel) RETURNS float8[]
	AS 'MODULE_PATHNAME', 'perfmodel_coefficients' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION coefficients(perfmodel) IS 'b0, b1, ... of a formula; NULL for other models';
CREATE FUNCTION integral(m perfmodel) RETURNS float8
	AS 'MODULE_PATHNAME', 'perfmodel_integral' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION integral(perfmodel)
	IS 'the exact integral of the model over its interval; NULL where it is not defined';
CREATE FUNCTION integral(m perfmodel, a float8, b float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'perfmodel_integral_between' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION integral(perfmodel, float8, float8)
	IS 'the exact integral of the model from a to b, negative when b is below a; NULL where it is not defined';
CREATE FUNCTION r_square(m perfmodel) RETURNS float8
	AS 'MODULE_PATHNAME', 'perfmodel_r_square' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION r_square(perfmodel)
	IS 'goodness of fit, 1 for a perfect one; of power and exponential models measured on log y; NULL for fewer than '
		'two points';
CREATE FUNCTION kind(m perfmodel) RETURNS text
	AS 'MODULE_PATHNAME', 'perfmodel_kind' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION kind(perfmodel)
	IS 'constant, logarithmic, linear, quadratic, power, exponential, regressogram, moving_average or '
		'kernel_regression';
CREATE FUNCTION x_start(m perfmodel) RETURNS float8
	AS 'MODULE_PATHNAME', 'perfmodel_x_start' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION x_start(perfmodel) IS 'start of the interval of the model';
CREATE FUNCTION x_end(m perfmodel) RETURNS float8
	AS 'MODULE_PATHNAME', 'perfmodel_x_end' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION x_end(perfmodel) IS 'end of the interval of the model';

-- parts

CREATE FUNCTION kernel_value(kernel text, z float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'models_kernel_value' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION kernel_value(text, float8) IS 'a kernel at z; kernels of second order have variance 1';
CREATE FUNCTION window_weights(window_type text, window_size int4) RETURNS float8[]
	AS 'MODULE_PATHNAME', 'models_window_weights' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION window_weights(text, int4)
	IS 'weights of a window: boxcar, triang, bartlett, blackman, hamming, blackmanharris, nuttall, parzen, bohman, '
		'barthann, kaiser (beta 14)';
CREATE FUNCTION bandwidth_objective(xs float8[], ys float8[], bandwidth float8, kernel text, method text, degree int4,
									OUT cv_ls float8, OUT aicc float8) RETURNS record
	AS 'MODULE_PATHNAME', 'models_bandwidth_objective' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION bandwidth_objective(float8[], float8[], float8, text, text, int4)
	IS 'what the searches for a bandwidth minimise: mean squared leave-one-out error, and corrected AIC; infinite '
		'where a point has no estimate';
