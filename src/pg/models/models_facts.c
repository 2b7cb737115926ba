/*
 * models_facts.c
 *	  predict(), points(), coefficients(), integral() and the facts of a perfmodel.
 */
#include "pg/models/perfmodel.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "pg/base/rows.h"
#include "pg/models/detection.h"

/* Points that a formula is drawn with. */
#define FORMULA_POINTS 101

static Datum
number_result(FunctionCallInfo fcinfo, double value)
{
	if (isnan(value))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(value + 0.0);	/* not -0 */
}

static double
check_argument(double value, const char *name)
{
	if (!isfinite(value))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("%s must be finite", name)));
	return value;
}

/* Overflow is an error, never an infinity. */
static double
check_result(double value)
{
	if (isinf(value))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("a value of the model is out of range")));
	return value;
}

PG_FUNCTION_INFO_V1(perfmodel_predict);
Datum
perfmodel_predict(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgCurve		curve;

	fg_datum_curve(&ctx, PG_GETARG_DATUM(0), &curve);
	return number_result(fcinfo,
						 check_result(fg_curve_value(&curve, check_argument(PG_GETARG_FLOAT8(1), "x"))));
}

static void
add_point(FgRows *rows, double x, double y)
{
	Datum		values[2];
	bool		nulls[2] = {false};

	fg_rows_begin_row(rows);
	values[0] = Float8GetDatum(x);
	values[1] = fg_number_or_null(check_result(y), &nulls[1]);
	fg_rows_end_row(rows, values, nulls);
}

PG_FUNCTION_INFO_V1(perfmodel_points);
Datum
perfmodel_points(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgContext	ctx = fg_current_context();
	FgCurve		curve;

	fg_datum_curve(&ctx, PG_GETARG_DATUM(0), &curve);
	if (curve.kind == FG_CURVE_FORMULA)
	{
		for (int i = 0; i < FORMULA_POINTS; i++)
		{
			double		x = fg_spaced(curve.start, curve.end, i, FORMULA_POINTS - 1);

			add_point(&rows, x, fg_curve_value(&curve, x));
		}
		return (Datum) 0;
	}
	for (size_t i = 0; i < curve.n; i++)
	{
		add_point(&rows, curve.x[i], curve.y[i]);
		if (curve.kind == FG_CURVE_STEPS)
			add_point(&rows, curve.x[i + 1], curve.y[i]);
	}
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(perfmodel_coefficients);
Datum
perfmodel_coefficients(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgModel		model;
	Datum		elements[3];

	fg_datum_model(&ctx, PG_GETARG_DATUM(0), &model);
	if (model.kind >= FG_FORMULAS)
		PG_RETURN_NULL();
	for (uint64_t i = 0; i < model.rows; i++)
		elements[i] = Float8GetDatum(model.column[0][i]);
	PG_RETURN_ARRAYTYPE_P(construct_array(elements, (int) model.rows, FLOAT8OID, sizeof(float8),
										  FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

PG_FUNCTION_INFO_V1(perfmodel_integral);
Datum
perfmodel_integral(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgCurve		curve;

	fg_datum_curve(&ctx, PG_GETARG_DATUM(0), &curve);
	return number_result(fcinfo, check_result(fg_curve_integral(&curve, curve.start, curve.end)));
}

PG_FUNCTION_INFO_V1(perfmodel_integral_between);
Datum
perfmodel_integral_between(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	double		from = check_argument(PG_GETARG_FLOAT8(1), "a");
	double		to = check_argument(PG_GETARG_FLOAT8(2), "b");
	FgCurve		curve;

	fg_datum_curve(&ctx, PG_GETARG_DATUM(0), &curve);
	return number_result(fcinfo, check_result(fg_curve_integral(&curve, from, to)));
}

/* --- facts ---------------------------------------------------------------------------- */

static FgModel
model_argument(FunctionCallInfo fcinfo)
{
	FgContext	ctx = fg_current_context();
	FgModel		model;

	fg_datum_model(&ctx, PG_GETARG_DATUM(0), &model);
	return model;
}

PG_FUNCTION_INFO_V1(perfmodel_r_square);
Datum
perfmodel_r_square(PG_FUNCTION_ARGS)
{
	return number_result(fcinfo, model_argument(fcinfo).r_square);
}

PG_FUNCTION_INFO_V1(perfmodel_x_start);
Datum
perfmodel_x_start(PG_FUNCTION_ARGS)
{
	return number_result(fcinfo, model_argument(fcinfo).x_start);
}

PG_FUNCTION_INFO_V1(perfmodel_x_end);
Datum
perfmodel_x_end(PG_FUNCTION_ARGS)
{
	return number_result(fcinfo, model_argument(fcinfo).x_end);
}

PG_FUNCTION_INFO_V1(perfmodel_kind);
Datum
perfmodel_kind(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(fg_model_word(model_argument(fcinfo).kind)));
}
