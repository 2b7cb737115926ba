/*
 * test_band.c
 *	  Confidence bands of models against numpy and scipy (test/clients/bands.py).
 */
#include "unit.h"

#include "core/models/band.h"

#include <math.h>

#define CONFIDENCE 0.9
#define POINTS 10
#define PLACES 4

static double x[POINTS] = {1, 2, 2, 3, 5, 8, 9, 13, 21, 34};
static double y[POINTS] = {3.1, 4.2, 3.9, 6.4, 9.8, 17.5, 17.9, 28.2, 45.1, 69.7};
static const double places[PLACES] = {1, 4, 15.5, 34};

static const struct
{
	FgFormula	formula;
	double		b[3];
	double		lower[PLACES];
	double		upper[PLACES];
}			formulas[] = {
	{FG_CONSTANT, {20.58, 0.0, 0.0},
	{7.9711438245904525, 7.9711438245904525, 7.9711438245904525, 7.9711438245904525},
	{33.18885617540954, 33.18885617540954, 33.18885617540954, 33.18885617540954}},
	{FG_LOGARITHMIC, {-9.63968681904153, 17.261642671524253, 0.0},
	{-21.009471622918927, 8.01008111172781, 29.584228180287727, 39.74317517616292},
	{1.730097984835865, 20.569981048590236, 45.75920040724682, 62.71900179953998}},
	{FG_LINEAR, {0.3087157809984047, 2.068498389694041, 0.0},
	{1.654343664042849, 7.955741598789768, 31.746189539885954, 69.21479287048292},
	{3.100084677342042, 9.20967708075937, 32.994692102626125, 72.06052919070866}},
	{FG_QUADRATIC, {-0.23973277357125747, 2.208382126412132, -0.004208864203008034},
	{1.0977081678093086, 7.92617024694928, 31.999838986976677, 68.3866673138199},
	{2.8311728094664246, 9.126737562709007, 33.95818213511155, 71.57295769770799}},
	{FG_POWER, {2.365983654633574, 0.9478357194403413, 0.0},
	{2.0504065155571687, 8.134408034930583, 28.70959055716234, 57.91411833323141},
	{2.7301311283982623, 9.528081350849396, 35.1944582237223, 77.34279689017605}},
	{FG_EXPONENTIAL, {4.957026329349029, 1.0983970970895478, 0.0},
	{3.772958523216159, 5.249213044428378, 15.467696902636341, 58.54413054649533},
	{7.8574056226899405, 9.91798080796659, 29.144557648365463, 248.0828196878691}},
};

static FgModel
formula_model(size_t i)
{
	FgModel		model = {.kind = formulas[i].formula, .n = POINTS, .x_start = 1, .x_end = 34};

	model.rows = fg_formula_coefficients(formulas[i].formula);
	model.column[0] = (double *) formulas[i].b;
	return model;
}

static void
test_formulas(void)
{
	FgContext	ctx = fg_malloc_context();

	unit_case("bands of formulas");
	for (size_t i = 0; i < COUNT(formulas); i++)
	{
		FgModel		model = formula_model(i);
		double		lower[PLACES];
		double		upper[PLACES];
		bool		exists;

		unit_note("formula %zu", i);
		CHECK(fg_model_band(&ctx, &model, x, y, POINTS, CONFIDENCE, places, PLACES, lower, upper,
							&exists) && exists);
		for (int p = 0; p < PLACES; p++)
		{
			CHECK_NEAR(lower[p], formulas[i].lower[p], 1e-9);
			CHECK_NEAR(upper[p], formulas[i].upper[p], 1e-9);
		}
	}
}

static bool
band_exists(const FgModel *model, size_t n)
{
	FgContext	ctx = fg_malloc_context();
	double		lower[PLACES];
	double		upper[PLACES];
	bool		exists;

	CHECK(fg_model_band(&ctx, model, x, y, n, CONFIDENCE, places, PLACES, lower, upper, &exists));
	return exists;
}

static void
test_buckets(void)
{
	static const double lower[] = {4.3001462182558745, -16.70120030006788, NAN};
	static const double upper[] = {13.642710924601268, 90.00120030006788, NAN};
	double		edges[] = {1, 12, 23, 34};
	double		points[] = {7, 2, 1};
	double		values[] = {62.8 / 7, 36.65, 69.7};
	FgModel		model = {
		.kind = FG_MODEL_REGRESSOGRAM, .n = POINTS, .rows = 3, .parameters = "{}",
		.parameters_size = 2, .column = {edges, points, values}
	};
	FgContext	ctx = fg_malloc_context();
	double		got[2][3];
	bool		exists;

	unit_case("bands of buckets");
	CHECK(fg_model_band(&ctx, &model, x, y, POINTS, CONFIDENCE, NULL, 3, got[0], got[1], &exists) &&
		  exists);
	for (int b = 0; b < 3; b++)
	{
		CHECK(isnan(lower[b]) ? isnan(got[0][b]) : unit_near(got[0][b], lower[b], 1e-9));
		CHECK(isnan(upper[b]) ? isnan(got[1][b]) : unit_near(got[1][b], upper[b], 1e-9));
	}
	points[0] = 6;
	CHECK(!band_exists(&model, POINTS));
	points[0] = 7;
	model.parameters = "{\"statistic\": \"median\"}";
	model.parameters_size = strlen(model.parameters);
	CHECK(!band_exists(&model, POINTS));
}

static void
test_none(void)
{
	FgModel		model = formula_model(2);

	unit_case("no band");
	CHECK(band_exists(&model, POINTS));
	CHECK(!band_exists(&model, POINTS - 1));
	model.n = 2;
	CHECK(!band_exists(&model, 2));
	model.n = 3;
	CHECK(band_exists(&model, 3));
	model = (FgModel) {.kind = FG_MODEL_KERNEL_REGRESSION, .n = POINTS};
	CHECK(!band_exists(&model, POINTS));
}

int
main(void)
{
	test_formulas();
	test_buckets();
	test_none();
	return unit_finish();
}
