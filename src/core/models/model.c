/*
 * model.c
 *	  Performance models as bytes (see model.h).
 */
#include "core/models/model.h"

#include "core/base/bytes.h"
#include "core/base/choice.h"

#include <math.h>
#include <string.h>

static const char *const words[FG_MODEL_KINDS] = {
	"constant", "logarithmic", "linear", "quadratic", "power", "exponential",
	"regressogram", "moving_average", "kernel_regression", "sample"
};

const char *
fg_model_word(int kind)
{
	return words[kind];
}

int
fg_model_kind(const char *word, size_t length)
{
	return fg_choice_find(words, FG_MODEL_KINDS, word, length);
}

uint32_t
fg_model_columns(int kind)
{
	if (kind < FG_FORMULAS)
		return 1;
	return kind == FG_MODEL_SAMPLE ? 2 : 3;
}

/* --- encoding -------------------------------------------------------------------- */

static uint64_t
count_doubles(const FgModel *model)
{
	uint64_t	doubles = 0;

	for (uint32_t c = 0; c < fg_model_columns(model->kind); c++)
		doubles += fg_model_column_rows(model->kind, c, model->rows);
	return doubles;
}

bool
fg_model_size(FgContext *ctx, const FgModel *model, size_t *size)
{
	uint32_t	limit = model->kind == FG_MODEL_SAMPLE ? FG_MAX_BYTES : FG_MODEL_MAX_BYTES;

	if (model->parameters_size > FG_MODEL_MAX_PARAMETERS)
		return fg_fail(ctx, FG_ERROR_LIMIT, "the parameters of a model take more than %u bytes",
					   FG_MODEL_MAX_PARAMETERS);
	if (model->rows > limit ||
		FG_MODEL_HEADER + model->parameters_size + 8 * count_doubles(model) > limit)
		return fg_fail_at(ctx, FG_ERROR_LIMIT, 0, 0,
						  "Functions that return rows instead of a model have no such limit.",
						  "a model takes more than %u bytes", limit);
	*size = FG_MODEL_HEADER + model->parameters_size + (size_t) (8 * count_doubles(model));
	return true;
}

/* One NaN for all, and no -0, which prints as something else. */
static void
store_double(uint8_t *to, double value)
{
	fg_store_le(to, fg_double_bits(isnan(value) ? (double) NAN : value + 0.0), 8);
}

bool
fg_model_encode(FgContext *ctx, const FgModel *model, uint8_t *to)
{
	const double facts[5] = {
		model->x_start, model->x_end, model->r_square, model->r_square_y, model->y_start
	};

	memset(to, 0, FG_MODEL_HEADER);
	to[0] = FG_MODEL_VERSION;
	to[1] = (uint8_t) model->kind;
	fg_store_le(to + 8, model->n, 8);
	for (int i = 0; i < 5; i++)
		store_double(to + 16 + 8 * i, facts[i]);
	fg_store_le(to + 56, model->parameters_size, 8);
	fg_store_le(to + 64, model->rows, 8);
	to += FG_MODEL_HEADER;
	if (model->parameters_size > 0)
		memcpy(to, model->parameters, model->parameters_size);
	to += model->parameters_size;
	for (uint32_t c = 0; c < fg_model_columns(model->kind); c++)
	{
		uint64_t	rows = fg_model_column_rows(model->kind, c, model->rows);

		for (uint64_t i = 0; i < rows; i++, to += 8)
		{
			if (!fg_check_every(ctx, i))
				return false;
			store_double(to, model->column[c][i]);
		}
	}
	return true;
}

/* --- decoding ---------------------------------------------------------------------- */

static bool
corrupt(FgContext *ctx, const char *reason)
{
	return fg_fail(ctx, FG_ERROR_CORRUPT, "%s", reason);
}

static bool
read_header(FgContext *ctx, const uint8_t *bytes, size_t size, FgModel *model)
{
	if (size < FG_MODEL_HEADER)
		return corrupt(ctx, "the header is cut short");
	if (bytes[0] != FG_MODEL_VERSION)
		return fg_fail(ctx, FG_ERROR_CORRUPT, "format version %u is unknown", bytes[0]);
	if (bytes[1] >= FG_MODEL_KINDS || fg_load_le(bytes + 2, 6) != 0)
		return corrupt(ctx, "the header has unknown bits");
	model->kind = bytes[1];
	model->n = fg_load_le(bytes + 8, 8);
	model->x_start = fg_bits_double(fg_load_le(bytes + 16, 8));
	model->x_end = fg_bits_double(fg_load_le(bytes + 24, 8));
	model->r_square = fg_bits_double(fg_load_le(bytes + 32, 8));
	model->r_square_y = fg_bits_double(fg_load_le(bytes + 40, 8));
	model->y_start = fg_bits_double(fg_load_le(bytes + 48, 8));
	model->parameters_size = (size_t) fg_load_le(bytes + 56, 8);
	model->rows = fg_load_le(bytes + 64, 8);
	if (fg_load_le(bytes + 56, 8) > size - FG_MODEL_HEADER || model->rows > size ||
		FG_MODEL_HEADER + model->parameters_size + 8 * count_doubles(model) != size)
		return corrupt(ctx, "the sections do not fit the value");
	return true;
}

static bool
read_columns(FgContext *ctx, const uint8_t *bytes, FgModel *model)
{
	for (uint32_t c = 0; c < fg_model_columns(model->kind); c++)
	{
		uint64_t	rows = fg_model_column_rows(model->kind, c, model->rows);

		model->column[c] = fg_alloc(ctx, (size_t) rows, sizeof(double));
		if (model->column[c] == NULL)
			return false;
		for (uint64_t i = 0; i < rows; i++, bytes += 8)
		{
			if (!fg_check_every(ctx, (size_t) i))
				return false;
			model->column[c][i] = fg_bits_double(fg_load_le(bytes, 8));
		}
	}
	return true;
}

bool
fg_model_decode(FgContext *ctx, const uint8_t *bytes, size_t size, FgModel *model)
{
	memset(model, 0, sizeof(*model));
	if (!read_header(ctx, bytes, size, model))
		return false;
	model->parameters = (const char *) bytes + FG_MODEL_HEADER;
	if (read_columns(ctx, bytes + FG_MODEL_HEADER + model->parameters_size, model) &&
		fg_model_check(ctx, model))
		return true;
	fg_model_free(ctx, model);
	return false;
}

void
fg_model_free(FgContext *ctx, FgModel *model)
{
	for (int c = 0; c < FG_MODEL_COLUMNS; c++)
	{
		fg_release(ctx, model->column[c]);
		model->column[c] = NULL;
	}
}

/* --- checks --------------------------------------------------------------------------- */

/* Finite values, or none where that is allowed; ascending where wanted. */
static bool
check_column(FgContext *ctx, const double *values, uint64_t rows, bool may_lack, bool ascending)
{
	for (uint64_t i = 0; i < rows; i++)
	{
		if (!fg_check_every(ctx, (size_t) i))
			return false;
		if (isinf(values[i]) || (isnan(values[i]) && !may_lack))
			return corrupt(ctx, "a value of the model is not finite");
		if (ascending && i > 0 && values[i] < values[i - 1])
			return corrupt(ctx, "the points of the model do not ascend");
	}
	return true;
}

static bool
check_formula(FgContext *ctx, const FgModel *model)
{
	static const uint64_t coefficients[FG_FORMULAS] = {1, 2, 2, 3, 2, 2};

	if (model->rows != coefficients[model->kind])
		return corrupt(ctx, "the number of coefficients is wrong");
	return check_column(ctx, model->column[0], model->rows, false, false);
}

static bool
check_buckets(FgContext *ctx, const FgModel *model)
{
	double		points = 0;

	if (model->rows == 0)
		return corrupt(ctx, "a regressogram has no bucket");
	for (uint64_t i = 0; i < model->rows; i++)
	{
		double		count = model->column[1][i];

		if (!(count >= 0) || count != rint(count) ||
			(count == 0) != (isnan(model->column[2][i]) != 0))
			return corrupt(ctx, "the points of a bucket are impossible");
		points += count;
		if (!fg_check_every(ctx, (size_t) i))
			return false;
	}
	if (points != (double) model->n)
		return corrupt(ctx, "the points of the buckets do not add up");
	if (!check_column(ctx, model->column[0], model->rows + 1, false, true) ||
		!check_column(ctx, model->column[2], model->rows, true, false))
		return false;
	if (model->column[0][0] != model->x_start || model->column[0][model->rows] != model->x_end)
		return corrupt(ctx, "the edges do not span the interval of the model");
	return true;
}

bool
fg_model_check(FgContext *ctx, const FgModel *model)
{
	if (model->kind != FG_MODEL_SAMPLE &&
		!(isfinite(model->x_start) && isfinite(model->x_end) && model->x_start <= model->x_end))
		return corrupt(ctx, "the interval of the model is impossible");
	if (isinf(model->r_square) || isinf(model->r_square_y) || isinf(model->y_start))
		return corrupt(ctx, "a fact of the model is not finite");
	if (model->kind < FG_FORMULAS)
		return check_formula(ctx, model);
	if (model->kind == FG_MODEL_REGRESSOGRAM)
		return check_buckets(ctx, model);
	if (model->kind == FG_MODEL_SAMPLE)
		return check_column(ctx, model->column[0], model->rows, false, false) &&
			check_column(ctx, model->column[1], model->rows, false, false);
	return check_column(ctx, model->column[0], model->rows, false, true) &&
		check_column(ctx, model->column[1], model->rows, true, false) &&
		check_column(ctx, model->column[2], model->rows, true, false);
}

/* --- as a function -------------------------------------------------------------------- */

bool
fg_model_curve(FgContext *ctx, const FgModel *model, FgCurve *curve)
{
	if (model->kind < FG_FORMULAS)
	{
		*curve = fg_curve_formula((FgFormula) model->kind, model->column[0], model->x_start,
								  model->x_end, model->r_square);
		return true;
	}
	if (model->kind == FG_MODEL_SAMPLE)
		return fg_fail(ctx, FG_ERROR_ARGUMENT, "a sample is not a fitted model");
	if (model->kind == FG_MODEL_REGRESSOGRAM)
		return fg_curve_steps(ctx, model->column[0], model->column[2], (size_t) model->rows,
							  model->r_square, curve);
	return fg_curve_points(ctx, model->column[0], model->column[2], (size_t) model->rows,
						   model->r_square, curve);
}
