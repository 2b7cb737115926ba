/*
 * detection.c
 *	  Changes between two models: integral_comparison(), integral_intervals(),
 *	  integral_points(), average_amount(), best_model_order(), model_difference().
 */
#include "pg/models/models_sample.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/models/detection.h"
#include "core/models/parametric.h"
#include "pg/base/arguments.h"
#include "pg/base/arrays.h"
#include "pg/base/rows.h"
#include "pg/models/detection.h"

Datum
fg_result_datum(FgChangeVerdict result)
{
	return CStringGetTextDatum(fg_change_verdict_word(result));
}

FgThresholds
fg_thresholds_arguments(FgContext *ctx, FunctionCallInfo fcinfo, int first)
{
	FgThresholds thresholds = FG_DEFAULT_THRESHOLDS;

	if (!PG_ARGISNULL(first))
		thresholds.no_change = PG_GETARG_FLOAT8(first);
	if (!PG_ARGISNULL(first + 1))
		thresholds.change = PG_GETARG_FLOAT8(first + 1);
	fg_model_must(ctx, fg_thresholds_check(ctx, &thresholds));
	return thresholds;
}

void
fg_datum_curve(FgContext *ctx, Datum value, FgCurve *curve)
{
	FgModel		model;

	fg_datum_model(ctx, value, &model);
	fg_model_must(ctx, fg_model_curve(ctx, &model, curve));
}

/* --- integrals -------------------------------------------------------------------------- */

static Datum
comparison_record(FunctionCallInfo fcinfo, const FgIntegralComparison *comparison)
{
	Datum		values[7];
	bool		nulls[7] = {false};

	values[0] = fg_result_datum(comparison->result);
	values[1] = fg_number_or_null(comparison->relative_error, &nulls[1]);
	values[2] = fg_number_or_null(comparison->confidence, &nulls[2]);
	values[3] = fg_finite_or_null(comparison->baseline_integral, "an integral", &nulls[3]);
	values[4] = fg_finite_or_null(comparison->target_integral, "an integral", &nulls[4]);
	values[5] = fg_number_or_null(comparison->x_from, &nulls[5]);
	values[6] = fg_number_or_null(comparison->x_to, &nulls[6]);
	return fg_record_datum(fcinfo, values, nulls);
}

PG_FUNCTION_INFO_V1(detection_integral_comparison);
Datum
detection_integral_comparison(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgThresholds thresholds = fg_thresholds_arguments(&ctx, fcinfo, 2);
	FgIntegralComparison comparison;
	FgCurve		baseline;
	FgCurve		target;

	fg_datum_curve(&ctx, PG_GETARG_DATUM(0), &baseline);
	fg_datum_curve(&ctx, PG_GETARG_DATUM(1), &target);
	fg_model_must(&ctx, fg_integral_comparison(&ctx, &baseline, &target, &thresholds,
											   &comparison));
	return comparison_record(fcinfo, &comparison);
}

PG_FUNCTION_INFO_V1(detection_integral_intervals);
Datum
detection_integral_intervals(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgContext	ctx = fg_current_context();
	FgThresholds thresholds = fg_thresholds_arguments(&ctx, fcinfo, 4);
	FgIntegralComparison *parts;
	FgCurve		baseline;
	FgCurve		target;
	size_t		count;

	fg_datum_curve(&ctx, PG_GETARG_DATUM(0), &baseline);
	fg_datum_curve(&ctx, PG_GETARG_DATUM(1), &target);
	fg_model_must(&ctx, fg_integral_intervals(&ctx, &baseline, &target, PG_GETARG_INT32(2),
											  &thresholds, &parts, &count));
	if (PG_GETARG_BOOL(3))
		fg_model_must(&ctx, fg_integral_merge(&ctx, parts, &count));
	for (size_t i = 0; i < count; i++)
	{
		Datum		values[4];
		bool		nulls[4] = {false};

		fg_rows_begin_row(&rows);
		values[0] = Float8GetDatum(parts[i].x_from);
		values[1] = Float8GetDatum(parts[i].x_to);
		values[2] = fg_number_or_null(parts[i].relative_error, &nulls[2]);
		values[3] = fg_result_datum(parts[i].result);
		fg_rows_end_row(&rows, values, nulls);
	}
	return (Datum) 0;
}

/* Three arrays of one length. */
FgSharedPoints
fg_shared_arguments(FgContext *ctx, FunctionCallInfo fcinfo, bool ascending)
{
	bool		positions = PG_ARGISNULL(0);
	size_t		nbaseline;
	size_t		ntarget;
	size_t		n;
	double	   *x = fg_doubles_or_nan(fcinfo, 0, &n);
	double	   *baseline = fg_doubles_or_nan(fcinfo, 1, &nbaseline);
	double	   *target = fg_doubles_or_nan(fcinfo, 2, &ntarget);
	size_t		kept = 0;
	FgSharedPoints shared;

	if (nbaseline != ntarget || (!positions && n != nbaseline))
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("xs has %zu elements, baseline %zu, target %zu", n, nbaseline, ntarget),
				 errhint("The two curves share each x; NULL for xs stands for positions.")));
	if (positions)
		x = fg_alloc(ctx, nbaseline, sizeof(double));
	for (size_t i = 0; i < nbaseline; i++)
	{
		double		position = positions ? (double) (i + 1) : x[i];

		fg_must(ctx, fg_check_every(ctx, i));
		if (isnan(position))
			continue;
		x[kept] = position;
		baseline[kept] = baseline[i];
		target[kept++] = target[i];
	}
	fg_model_must(ctx, fg_shared_points_copy(ctx, x, baseline, target, kept, ascending, &shared));
	return shared;
}

PG_FUNCTION_INFO_V1(detection_integral_points);
Datum
detection_integral_points(PG_FUNCTION_ARGS)
{
	static const char *const rules[] = {"trapezoid", "simpson"};
	FgContext	ctx = fg_current_context();
	FgThresholds thresholds = fg_thresholds_arguments(&ctx, fcinfo, 4);
	int			rule = PG_ARGISNULL(3) ? 0 : fg_word(PG_GETARG_SPAN(3), "rule", rules, 2);
	FgSharedPoints shared = fg_shared_arguments(&ctx, fcinfo, true);
	FgIntegralComparison comparison;

	fg_model_must(&ctx, fg_integral_points(&ctx, shared.x, shared.baseline, shared.target, shared.n,
										   (FgIntegralRule) rule, &thresholds, &comparison));
	return comparison_record(fcinfo, &comparison);
}

/* --- without curves ----------------------------------------------------------------------- */

/* An array argument without its nulls. */
static double *
present_values(FunctionCallInfo fcinfo, int argument, size_t *count)
{
	size_t		all;
	double	   *values = fg_doubles_or_nan(fcinfo, argument, &all);

	*count = 0;
	for (size_t i = 0; i < all; i++)
	{
		if (i % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
		if (!isnan(values[i]))
			values[(*count)++] = values[i];
	}
	return values;
}

PG_FUNCTION_INFO_V1(detection_average_amount);
Datum
detection_average_amount(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgAverageAmount amount;
	Datum		values[4];
	bool		nulls[4] = {false};
	size_t		nbaseline;
	size_t		ntarget;
	double	   *baseline = present_values(fcinfo, 0, &nbaseline);
	double	   *target = present_values(fcinfo, 1, &ntarget);

	fg_model_must(&ctx, fg_average_amount(&ctx, baseline, nbaseline, target, ntarget, &amount));
	values[0] = fg_result_datum(amount.result);
	values[1] = fg_number_or_null(amount.ratio, &nulls[1]);
	values[2] = fg_finite_or_null(amount.baseline_mean, "a mean", &nulls[2]);
	values[3] = fg_finite_or_null(amount.target_mean, "a mean", &nulls[3]);
	return fg_record_datum(fcinfo, values, nulls);
}

/* The best parametric model of a series; false without one. */
static bool
best_model(FgContext *ctx, const FgSample *sample, FgParametric *model)
{
	FgParametric models[FG_FORMULAS];
	uint32_t	count;
	int			best;

	fg_model_must(ctx, fg_parametric_fit(ctx, sample->x, sample->y, sample->n,
										 (1u << FG_FORMULAS) - 1, models, &count, &best));
	if (best < 0)
		return false;
	*model = models[best];
	return true;
}

PG_FUNCTION_INFO_V1(detection_best_model_order);
Datum
detection_best_model_order(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgSample	sample[2];
	FgParametric model[2];
	bool		found[2];
	FgModelOrder order;
	Datum		values[5] = {0};
	bool		nulls[5] = {false, true, true, true, true};

	for (int side = 0; side < 2; side++)
	{
		sample[side] = fg_sample_arguments(&ctx, fcinfo, 2 * side, 2 * side + 1);
		found[side] = best_model(&ctx, &sample[side], &model[side]);
		nulls[3 + side] = !found[side];
		if (found[side])
			values[3 + side] = CStringGetTextDatum(fg_model_word(model[side].formula));
	}
	values[0] = fg_result_datum(FG_UNKNOWN);
	if (found[0] && found[1])
	{
		order = fg_best_model_order(model[0].formula, model[0].r_square, model[1].formula,
									model[1].r_square);
		values[0] = fg_result_datum(order.result);
		nulls[1] = false;
		values[1] = Int32GetDatum(order.rate);
		values[2] = fg_number_or_null(order.confidence, &nulls[2]);
	}
	return fg_record_datum(fcinfo, values, nulls);
}

/* The word of a formula, or "unknown". */
static Datum
formula_or_unknown(int formula)
{
	return CStringGetTextDatum(formula == FG_NO_FORMULA ? "unknown" : fg_model_word(formula));
}

PG_FUNCTION_INFO_V1(detection_model_difference);
Datum
detection_model_difference(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgThresholds thresholds = fg_thresholds_arguments(&ctx, fcinfo, 3);
	FgModelDifference difference;
	FgCurve		baseline;
	FgCurve		target;
	Datum		values[5];
	bool		nulls[5] = {false};

	fg_datum_curve(&ctx, PG_GETARG_DATUM(0), &baseline);
	fg_datum_curve(&ctx, PG_GETARG_DATUM(1), &target);
	fg_model_must(&ctx, fg_model_difference(&ctx, &baseline, &target, PG_GETARG_INT32(2),
											&thresholds, &difference));
	values[0] = fg_result_datum(difference.result);
	values[1] = fg_number_or_null(difference.relative_error, &nulls[1]);
	values[2] = fg_finite_or_null(difference.sum_error, "the sum of the differences", &nulls[2]);
	values[3] = formula_or_unknown(difference.polynomial);
	values[4] = formula_or_unknown(difference.fast_check);
	return fg_record_datum(fcinfo, values, nulls);
}
