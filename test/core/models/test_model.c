/*
 * test_model.c
 *	  The encoded form of models: every byte by hand, there and back, damaged in every
 *	  way; and models as functions.
 */
#include "unit.h"

#include "core/models/model.h"

#include <float.h>
#include <math.h>

static double ascending[] = {1, 2, 2, 4, 8};
static double measured[] = {3, 5, 4, 9, 17};
static double partly[] = {NAN, 4, 6, 9, NAN};
static double counted[] = {1, 0, 2, 1};
static double stepped[] = {3, NAN, 4.5, 9};
static double coefficients[] = {1, 2, 0.5};

#define MODEL(word, points, places, ...) \
	{.kind = word, .n = points, .x_start = 1, .x_end = 8, .r_square = 0.75, .r_square_y = NAN, \
	 .y_start = NAN, .parameters = "{\"a\": 1}", .parameters_size = 8, .rows = places, \
	 .column = {__VA_ARGS__}}

/* One of each kind. */
static const FgModel models[FG_MODEL_KINDS] = {
	MODEL(FG_CONSTANT, 7, 1, coefficients),
	MODEL(FG_LOGARITHMIC, 7, 2, coefficients),
	MODEL(FG_LINEAR, 7, 2, coefficients),
	MODEL(FG_QUADRATIC, 7, 3, coefficients),
	MODEL(FG_POWER, 7, 2, coefficients),
	MODEL(FG_EXPONENTIAL, 7, 2, coefficients),
	MODEL(FG_MODEL_REGRESSOGRAM, 4, 4, ascending, counted, stepped),
	MODEL(FG_MODEL_MOVING_AVERAGE, 5, 5, ascending, measured, partly),
	MODEL(FG_MODEL_KERNEL_REGRESSION, 9, 5, ascending, partly, measured),
	MODEL(FG_MODEL_SAMPLE, 5, 5, measured, ascending)
};

#define ROOM 512

static size_t
encode(const FgModel *model, uint8_t *bytes)
{
	FgContext	ctx = fg_malloc_context();
	size_t		size = 0;

	CHECK(fg_model_size(&ctx, model, &size) && size <= ROOM);
	CHECK(fg_model_encode(&ctx, model, bytes));
	return size;
}

/* The bytes are copied, so that a read too far is seen. */
static bool
decode(FgContext *ctx, const uint8_t *bytes, size_t size, FgModel *model, uint8_t **copy)
{
	*copy = malloc(size + (size == 0));
	memcpy(*copy, bytes, size);
	return fg_model_decode(ctx, *copy, size, model);
}

/* --- words and sizes ------------------------------------------------------------------ */

static void
test_kinds(void)
{
	static const char *const words[] = {
		"constant", "logarithmic", "linear", "quadratic", "power", "exponential", "regressogram",
		"moving_average", "kernel_regression", "sample"
	};

	unit_case("words of kinds, there and back");
	CHECK_COUNT(FG_MODEL_KINDS, COUNT(words));
	for (int kind = 0; kind < FG_MODEL_KINDS; kind++)
	{
		CHECK(strcmp(fg_model_word(kind), words[kind]) == 0);
		CHECK_COUNT(fg_model_kind(words[kind], strlen(words[kind])), kind);
		CHECK(fg_model_kind(words[kind], strlen(words[kind]) - 1) == -1);
	}
	CHECK(fg_model_kind("", 0) == -1);
	CHECK(fg_model_kind("linearly", 8) == -1);
	unit_case("columns of kinds");
	CHECK_COUNT(fg_model_columns(FG_EXPONENTIAL), 1);
	CHECK_COUNT(fg_model_columns(FG_MODEL_REGRESSOGRAM), 3);
	CHECK_COUNT(fg_model_columns(FG_MODEL_KERNEL_REGRESSION), 3);
	CHECK_COUNT(fg_model_columns(FG_MODEL_SAMPLE), 2);
	CHECK_COUNT(fg_model_column_rows(FG_MODEL_REGRESSOGRAM, 0, 4), 5);
	CHECK_COUNT(fg_model_column_rows(FG_MODEL_REGRESSOGRAM, 1, 4), 4);
	CHECK_COUNT(fg_model_column_rows(FG_MODEL_SAMPLE, 0, 4), 4);
}

/* Sizes need no columns. */
static void
test_limits(void)
{
	FgContext	ctx = fg_malloc_context();
	FgModel		model = models[FG_MODEL_MOVING_AVERAGE];
	uint64_t	most = (FG_MODEL_MAX_BYTES - FG_MODEL_HEADER - 8) / 24;
	size_t		size;

	unit_case("the largest model");
	model.rows = most;
	CHECK(fg_model_size(&ctx, &model, &size));
	CHECK_COUNT(size, FG_MODEL_HEADER + 8 + 24 * most);
	model.rows = most + 1;
	CHECK_ERROR(fg_model_size(&ctx, &model, &size), &ctx, FG_ERROR_LIMIT);
	unit_case("counts beyond any memory");
	model.rows = UINT64_MAX / 24 + 2;
	CHECK_ERROR(fg_model_size(&ctx, &model, &size), &ctx, FG_ERROR_LIMIT);
	model.rows = UINT64_MAX;
	CHECK_ERROR(fg_model_size(&ctx, &model, &size), &ctx, FG_ERROR_LIMIT);
	unit_case("the largest parameters");
	model.rows = 0;
	model.parameters_size = FG_MODEL_MAX_PARAMETERS;
	CHECK(fg_model_size(&ctx, &model, &size));
	CHECK_COUNT(size, FG_MODEL_HEADER + FG_MODEL_MAX_PARAMETERS);
	model.parameters_size++;
	CHECK_ERROR(fg_model_size(&ctx, &model, &size), &ctx, FG_ERROR_LIMIT);
	model.parameters_size = SIZE_MAX;
	CHECK_ERROR(fg_model_size(&ctx, &model, &size), &ctx, FG_ERROR_LIMIT);
	unit_case("samples have room for more");
	model.kind = FG_MODEL_SAMPLE;
	model.parameters_size = 2;
	model.rows = (FG_MAX_BYTES - FG_MODEL_HEADER - 2) / 16;
	CHECK(fg_model_size(&ctx, &model, &size));
	model.rows++;
	CHECK_ERROR(fg_model_size(&ctx, &model, &size), &ctx, FG_ERROR_LIMIT);
}

/* --- there and back ---------------------------------------------------------------------- */

static void
check_same(const FgModel *got, const FgModel *expected)
{
	CHECK_COUNT(got->kind, expected->kind);
	CHECK_COUNT(got->n, expected->n);
	CHECK_DOUBLE(got->x_start, expected->x_start);
	CHECK_DOUBLE(got->x_end, expected->x_end);
	CHECK_DOUBLE(got->r_square, expected->r_square);
	CHECK_DOUBLE(got->r_square_y, expected->r_square_y);
	CHECK_DOUBLE(got->y_start, expected->y_start);
	CHECK_BYTES(got->parameters, got->parameters_size, expected->parameters,
				expected->parameters_size);
	CHECK_COUNT(got->rows, expected->rows);
	for (uint32_t c = 0; c < fg_model_columns(expected->kind); c++)
	{
		for (uint64_t i = 0; i < fg_model_column_rows(expected->kind, c, expected->rows); i++)
			CHECK_DOUBLE(got->column[c][i], expected->column[c][i]);
	}
}

static void
test_round_trip(void)
{
	for (int kind = 0; kind < FG_MODEL_KINDS; kind++)
	{
		FgContext	ctx = fg_malloc_context();
		uint8_t		bytes[ROOM];
		size_t		size = encode(&models[kind], bytes);
		uint8_t    *copy;
		FgModel		model;

		unit_case("there and back: %s", fg_model_word(kind));
		if (CHECK(decode(&ctx, bytes, size, &model, &copy)))
		{
			check_same(&model, &models[kind]);
			fg_model_free(&ctx, &model);
			CHECK(model.column[0] == NULL && model.column[1] == NULL && model.column[2] == NULL);
		}
		free(copy);
	}
}

/* The layout that model.h describes. */
static void
test_layout(void)
{
	static const uint8_t expected[] =
		"\x01\x02\0\0\0\0\0\0"		/* version, linear */
		"\x07\0\0\0\0\0\0\0"		/* n */
		"\0\0\0\0\0\0\xF0\x3F"		/* x_start = 1 */
		"\0\0\0\0\0\0\x20\x40"		/* x_end = 8 */
		"\0\0\0\0\0\0\xE8\x3F"		/* r_square = 0.75 */
		"\0\0\0\0\0\0\xF8\x7F"		/* r_square_y: none */
		"\0\0\0\0\0\0\xF8\x7F"		/* y_start: none */
		"\x08\0\0\0\0\0\0\0"		/* bytes of the parameters */
		"\x02\0\0\0\0\0\0\0"		/* rows */
		"{\"a\": 1}"
		"\0\0\0\0\0\0\xF0\x3F"		/* 1 */
		"\0\0\0\0\0\0\0\x40";		/* 2 */
	double		special[] = {-0.0, -NAN, 0};
	uint8_t		bytes[ROOM];
	FgModel		model = models[FG_QUADRATIC];

	unit_case("every byte of a line");
	CHECK_BYTES(bytes, encode(&models[FG_LINEAR], bytes), expected, sizeof(expected) - 1);
	unit_case("one zero, one NaN");
	model.parameters_size = 0;
	model.column[0] = special;
	CHECK_COUNT(encode(&model, bytes), FG_MODEL_HEADER + 24);
	CHECK_BYTES(bytes + FG_MODEL_HEADER, 24,
				"\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\xF8\x7F" "\0\0\0\0\0\0\0\0", 24);
}

/* --- damaged bytes ------------------------------------------------------------------------- */

static void
check_damaged(const uint8_t *bytes, size_t size)
{
	FgContext	ctx = fg_malloc_context();
	uint8_t    *copy;
	FgModel		model;

	CHECK_ERROR(decode(&ctx, bytes, size, &model, &copy), &ctx, FG_ERROR_CORRUPT);
	CHECK(model.column[0] == NULL && model.column[1] == NULL && model.column[2] == NULL);
	free(copy);
}

/* Accepted or not, nothing breaks, and what is accepted keeps the invariants. */
static void
try_damaged(const uint8_t *bytes, size_t size)
{
	FgContext	ctx = fg_malloc_context();
	uint8_t    *copy;
	FgModel		model;
	FgCurve		curve;

	if (decode(&ctx, bytes, size, &model, &copy))
	{
		CHECK(fg_model_check(&ctx, &model));
		if (fg_model_curve(&ctx, &model, &curve))
		{
			fg_curve_value(&curve, 3);
			fg_curve_integral(&curve, curve.start, curve.end);
			fg_curve_integral(&curve, -1e300, 1e300);
			fg_curve_free(&ctx, &curve);
		}
		fg_model_free(&ctx, &model);
	}
	else
		CHECK_COUNT(ctx.error.code, FG_ERROR_CORRUPT);
	free(copy);
}

static void
test_damaged(void)
{
	for (int kind = 0; kind < FG_MODEL_KINDS; kind++)
	{
		uint8_t		bytes[ROOM] = {0};
		size_t		size = encode(&models[kind], bytes);

		unit_case("cut short, and too long: %s", fg_model_word(kind));
		for (size_t length = 0; length < size; length++)
		{
			unit_note("[%zu bytes]", length);
			check_damaged(bytes, length);
		}
		check_damaged(bytes, size + 1);
		check_damaged(bytes, size + 8);
		unit_case("every byte changed: %s", fg_model_word(kind));
		for (size_t i = 0; i < size; i++)
		{
			static const uint8_t changes[] = {0x01, 0x80, 0x7F, 0xFF};

			unit_note("[byte %zu]", i);
			for (size_t c = 0; c < COUNT(changes); c++)
			{
				bytes[i] ^= changes[c];
				try_damaged(bytes, size);
				bytes[i] ^= changes[c];
			}
		}
		unit_case("unknown version, kind and bits: %s", fg_model_word(kind));
		for (size_t i = 0; i < 8; i++)
		{
			uint8_t		was = bytes[i];

			unit_note("[byte %zu]", i);
			bytes[i] = i == 1 ? FG_MODEL_KINDS : 2;
			check_damaged(bytes, size);
			bytes[i] = 0xFF;
			check_damaged(bytes, size);
			bytes[i] = was;
		}
	}
}

/* Sizes that agree with each other only when they overflow. */
static void
test_sizes(void)
{
	uint8_t		bytes[ROOM];
	size_t		size = encode(&models[FG_MODEL_SAMPLE], bytes);
	uint64_t	rows = models[FG_MODEL_SAMPLE].rows;

	unit_case("rows that overflow");
	for (unsigned bit = 60; bit < 64; bit++)
	{
		fg_store_le(bytes + 64, rows + (UINT64_C(1) << bit), 8);
		check_damaged(bytes, size);
	}
	fg_store_le(bytes + 64, UINT64_MAX, 8);
	check_damaged(bytes, size);
	unit_case("parameters that overflow");
	fg_store_le(bytes + 64, rows, 8);
	fg_store_le(bytes + 56, UINT64_MAX - FG_MODEL_HEADER, 8);
	check_damaged(bytes, size);
	fg_store_le(bytes + 56, UINT64_MAX, 8);
	check_damaged(bytes, size);
	unit_case("parameters that take the place of columns");
	fg_store_le(bytes + 56, 8 + 16 * rows, 8);
	fg_store_le(bytes + 64, 0, 8);
	{
		FgContext	ctx = fg_malloc_context();
		uint8_t    *copy;
		FgModel		model;

		CHECK(decode(&ctx, bytes, size, &model, &copy));
		CHECK_COUNT(model.parameters_size, size - FG_MODEL_HEADER);
		fg_model_free(&ctx, &model);
		free(copy);
	}
	fg_store_le(bytes + 64, 1, 8);
	check_damaged(bytes, size);
}

/* --- invariants ------------------------------------------------------------------------------ */

static void
check_refused(const char *name, const FgModel *model)
{
	FgContext	ctx = fg_malloc_context();
	uint8_t		bytes[ROOM];

	unit_case("refused: %s", name);
	CHECK_ERROR(fg_model_check(&ctx, model), &ctx, FG_ERROR_CORRUPT);
	check_damaged(bytes, encode(model, bytes));
}

static void
check_accepted(const char *name, const FgModel *model)
{
	FgContext	ctx = fg_malloc_context();

	unit_case("accepted: %s", name);
	CHECK(fg_model_check(&ctx, model));
}

static void
test_facts(void)
{
	FgModel		model = models[FG_LINEAR];

	model.x_start = NAN;
	check_refused("no start", &model);
	model.x_start = -INFINITY;
	check_refused("an infinite start", &model);
	model.x_start = 9;
	check_refused("a start behind the end", &model);
	model.x_start = 8;
	check_accepted("an interval of one point", &model);
	model.x_end = INFINITY;
	check_refused("an infinite end", &model);
	model = models[FG_LINEAR];
	model.r_square = -INFINITY;
	check_refused("an infinite R^2", &model);
	model.r_square = NAN;
	check_accepted("no R^2", &model);
	model.r_square_y = INFINITY;
	check_refused("an infinite R^2 of y", &model);
	model = models[FG_MODEL_REGRESSOGRAM];
	model.y_start = INFINITY;
	check_refused("an infinite y_start", &model);
	model = models[FG_MODEL_SAMPLE];
	model.x_start = model.x_end = model.r_square = NAN;
	check_accepted("a sample without facts", &model);
}

static void
test_formulas(void)
{
	double		b[] = {1, 2, 3};
	FgModel		model = models[FG_LINEAR];

	model.column[0] = b;
	model.rows = 1;
	check_refused("a line of one coefficient", &model);
	model.rows = 3;
	check_refused("a line of three coefficients", &model);
	model = models[FG_CONSTANT];
	model.rows = 2;
	check_refused("a constant of two coefficients", &model);
	model = models[FG_QUADRATIC];
	model.rows = 2;
	check_refused("a parabola of two coefficients", &model);
	model.rows = 3;
	model.column[0] = b;
	b[2] = NAN;
	check_refused("a coefficient that is missing", &model);
	b[2] = INFINITY;
	check_refused("a coefficient that is infinite", &model);
}

static void
test_buckets(void)
{
	double		edges[] = {1, 2, 2, 4, 8};
	double		points[] = {1, 0, 2, 1};
	double		values[] = {3, NAN, 4.5, 9};
	FgModel		model = models[FG_MODEL_REGRESSOGRAM];

	model.column[0] = edges;
	model.column[1] = points;
	model.column[2] = values;
	check_accepted("edges that are equal, an empty bucket", &model);
	model.rows = 0;
	model.n = 0;
	check_refused("no bucket", &model);
	model.rows = 4;
	model.n = 5;
	check_refused("points that are missing", &model);
	model.n = 4;
	points[0] = 0.5;
	points[2] = 2.5;
	check_refused("half a point", &model);
	points[0] = 2;
	points[2] = 2;
	points[3] = -1;
	model.n = 3;
	check_refused("less than no point", &model);
	points[3] = NAN;
	check_refused("points that are missing in a bucket", &model);
	points[3] = INFINITY;
	check_refused("infinite points", &model);
	points[0] = points[3] = 1;
	model.n = 4;
	values[1] = 3;
	check_refused("a value of an empty bucket", &model);
	values[1] = values[2] = NAN;
	check_refused("no value of a bucket that is not empty", &model);
	values[2] = -INFINITY;
	check_refused("an infinite value", &model);
	values[2] = 4.5;
	edges[1] = 2.5;
	check_refused("edges that fall", &model);
	edges[1] = NAN;
	check_refused("an edge that is missing", &model);
	edges[1] = 2;
	edges[4] = INFINITY;
	check_refused("an infinite edge behind the last bucket", &model);
	edges[4] = 3;
	check_refused("a last edge that falls", &model);
	edges[4] = 7;
	check_refused("edges that end before the interval", &model);
	edges[4] = 8;
	edges[0] = 0;
	check_refused("edges that start before the interval", &model);
}

static void
test_points(void)
{
	double		x[] = {1, 2, 2, 4, 8};
	double		y[] = {3, NAN, 4, 9, 17};
	double		fitted[] = {NAN, 4, 6, 9, NAN};
	FgModel		model = models[FG_MODEL_MOVING_AVERAGE];
	FgModel		sample = models[FG_MODEL_SAMPLE];

	for (int kind = FG_MODEL_MOVING_AVERAGE; kind <= FG_MODEL_KERNEL_REGRESSION; kind++)
	{
		model.kind = kind;
		model.column[0] = x;
		model.column[1] = y;
		model.column[2] = fitted;
		check_accepted("points without y or fitted value", &model);
		x[3] = 1.5;
		check_refused("x that fall", &model);
		x[3] = NAN;
		check_refused("an x that is missing", &model);
		x[3] = 4;
		y[1] = INFINITY;
		check_refused("an infinite y", &model);
		y[1] = NAN;
		fitted[4] = INFINITY;
		check_refused("an infinite fitted value", &model);
		fitted[4] = NAN;
	}
	model.rows = 0;
	check_accepted("no points", &model);
	sample.column[0] = x;
	sample.column[1] = y;
	check_refused("a sample without a y", &sample);
	y[1] = 1;
	x[3] = -7;
	check_accepted("a sample in no order", &sample);
	x[3] = INFINITY;
	check_refused("a sample with an infinite x", &sample);
}

/* --- as functions ---------------------------------------------------------------------------- */

static void
test_curves(void)
{
	FgContext	ctx = fg_malloc_context();
	FgCurve		curve;

	unit_case("a formula as a function");
	CHECK(fg_model_curve(&ctx, &models[FG_QUADRATIC], &curve));
	CHECK_COUNT(curve.kind, FG_CURVE_FORMULA);
	CHECK_DOUBLE(fg_curve_value(&curve, 2), 7);
	CHECK_DOUBLE(curve.start, 1);
	CHECK_DOUBLE(curve.end, 8);
	CHECK_DOUBLE(curve.r_square, 0.75);
	unit_case("a regressogram as a function");
	CHECK(fg_model_curve(&ctx, &models[FG_MODEL_REGRESSOGRAM], &curve));
	CHECK_COUNT(curve.kind, FG_CURVE_STEPS);
	CHECK_DOUBLE(fg_curve_value(&curve, 1.5), 3);
	CHECK_DOUBLE(fg_curve_value(&curve, 3), 4.5);
	CHECK_DOUBLE(fg_curve_value(&curve, 8), 9);
	CHECK_DOUBLE(curve.r_square, 0.75);
	fg_curve_free(&ctx, &curve);
	unit_case("a moving average as a function");
	CHECK(fg_model_curve(&ctx, &models[FG_MODEL_MOVING_AVERAGE], &curve));
	CHECK_COUNT(curve.kind, FG_CURVE_POINTS);
	CHECK_COUNT(curve.n, 2);
	CHECK_DOUBLE(curve.start, 2);
	CHECK_DOUBLE(curve.end, 4);
	CHECK_DOUBLE(fg_curve_value(&curve, 2), 5);
	CHECK_DOUBLE(fg_curve_value(&curve, 3), 7);
	fg_curve_free(&ctx, &curve);
	unit_case("a kernel regression as a function");
	CHECK(fg_model_curve(&ctx, &models[FG_MODEL_KERNEL_REGRESSION], &curve));
	CHECK_DOUBLE(fg_curve_value(&curve, 6), 13);
	fg_curve_free(&ctx, &curve);
	unit_case("a sample is no function");
	CHECK_ERROR(fg_model_curve(&ctx, &models[FG_MODEL_SAMPLE], &curve), &ctx, FG_ERROR_ARGUMENT);
}

/* --- memory and interrupts -------------------------------------------------------------------- */

typedef struct Bytes
{
	uint8_t    *bytes;
	size_t		size;
} Bytes;

static bool
run_decode(FgContext *ctx, void *arg)
{
	Bytes	   *input = arg;
	FgModel		model;
	FgCurve		curve;
	bool		ok;

	if (!fg_model_decode(ctx, input->bytes, input->size, &model))
		return false;
	ok = fg_model_curve(ctx, &model, &curve);
	if (ok)
		fg_curve_free(ctx, &curve);
	fg_model_free(ctx, &model);
	return ok;
}

static void
test_sweeps(void)
{
	FgContext	ctx = fg_malloc_context();
	size_t		n = 200000;
	double	   *x = malloc((n + 1) * sizeof(double));
	double	   *y = malloc(n * sizeof(double));
	Bytes		input;

	for (size_t i = 0; i < n; i++)
	{
		x[i] = (double) i;
		y[i] = 1;
	}
	x[n] = (double) n;
	for (int kind = FG_MODEL_REGRESSOGRAM; kind <= FG_MODEL_KERNEL_REGRESSION; kind++)
	{
		FgModel		model = models[kind];

		model.n = n;
		model.column[0] = x;
		model.column[1] = model.column[2] = y;
		model.x_start = 0;
		for (model.rows = n; model.rows > 0; model.rows = model.rows == n ? 5 : 0)
		{
			model.n = model.rows;
			model.x_end = (double) model.rows;
			CHECK(fg_model_size(&ctx, &model, &input.size));
			input.bytes = malloc(input.size);
			CHECK(fg_model_encode(&ctx, &model, input.bytes));
			if (model.rows == n)
				unit_sweep_interrupts(fg_model_word(kind), run_decode, &input, 4 * 7);
			else
				unit_sweep_memory(fg_model_word(kind), run_decode, &input);
			free(input.bytes);
		}
	}
	free(x);
	free(y);
}

int
main(void)
{
	test_kinds();
	test_limits();
	test_round_trip();
	test_layout();
	test_damaged();
	test_sizes();
	test_facts();
	test_formulas();
	test_buckets();
	test_points();
	test_curves();
	test_sweeps();
	return unit_finish();
}
