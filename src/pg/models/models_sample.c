/*
 * models_sample.c
 *	  Points for models (see models_sample.h), and what the aggregates over points
 *	  share: transition and combine function.
 *
 * The state is a perfmodel of kind sample, held as an expanded object in the
 * aggregate's context, so that a row costs an append.  Every fit sorts its points, so
 * the order of rows and the split over workers do not matter.
 */
#include "pg/models/models_sample.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

#include "core/base/series.h"
#include "pg/base/arrays.h"
#include "pg/base/expanded.h"

/* --- arrays ---------------------------------------------------------------------- */

FgSample
fg_sample_arguments(FgContext *ctx, FunctionCallInfo fcinfo, int xs, int ys)
{
	bool		positions = PG_ARGISNULL(xs);
	FgArray		x = fg_array_argument(fcinfo, xs, NULL);
	FgArray		y = fg_array_argument(fcinfo, ys, NULL);
	FgSample	sample = {NULL, NULL, 0};

	if (!positions && x.count != y.count)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("xs has %d elements, ys has %d", x.count, y.count),
				 errhint("Each x belongs to one y; NULL for xs stands for positions.")));
	sample.x = fg_alloc(ctx, y.count, sizeof(double));
	sample.y = fg_alloc(ctx, y.count, sizeof(double));
	for (int i = 0; i < y.count; i++)
	{
		if (i % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
		if (y.nulls[i] || (!positions && x.nulls[i]))
			continue;
		sample.x[sample.n] = positions ? i + 1 : DatumGetFloat8(x.elements[i]);
		sample.y[sample.n++] = DatumGetFloat8(y.elements[i]);
	}
	fg_model_must(ctx, fg_series_check(ctx, sample.x, sample.n) &&
				  fg_series_check(ctx, sample.y, sample.n) &&
				  fg_series_sort(ctx, sample.x, sample.y, sample.n));
	return sample;
}

/* --- the expanded state ------------------------------------------------------------- */

typedef struct ExpandedSample
{
	FgExpanded	base;
	FgModel		model;			/* of kind sample */
	size_t		x_capacity;
	size_t		y_capacity;
	Jsonb	   *options;		/* those of the last row, to tell equal ones by their bytes */
} ExpandedSample;

static bool
encode(FgExpanded *object, uint8_t **bytes, size_t *size)
{
	ExpandedSample *sample = (ExpandedSample *) object;

	sample->model.n = sample->model.rows;
	if (!fg_model_size(&object->ctx, &sample->model, size))
		return false;
	*bytes = fg_alloc(&object->ctx, *size, 1);
	return *bytes != NULL && fg_model_encode(&object->ctx, &sample->model, *bytes);
}

static const FgExpandedKind kind = {"perfmodel", sizeof(ExpandedSample), NULL, encode};

static ExpandedSample *
sample_create(MemoryContext parent)
{
	ExpandedSample *sample = fg_expanded_create(parent, &kind);

	sample->model = (FgModel) {
		.kind = FG_MODEL_SAMPLE,
		.x_start = NAN,
		.x_end = NAN,
		.r_square = NAN,
		.r_square_y = NAN,
		.y_start = NAN
	};
	return sample;
}

static void
add_point(ExpandedSample *sample, double x, double y)
{
	FgModel    *model = &sample->model;
	double		point[2] = {x, y};

	fg_expanded_change(&sample->base);
	fg_model_must(&sample->base.ctx, fg_series_check(&sample->base.ctx, point, 2) &&
				  fg_reserve(&sample->base.ctx, (void **) &model->column[0], &sample->x_capacity,
							 (size_t) model->rows + 1, sizeof(double)) &&
				  fg_reserve(&sample->base.ctx, (void **) &model->column[1], &sample->y_capacity,
							 (size_t) model->rows + 1, sizeof(double)));
	model->column[0][model->rows] = x;
	model->column[1][model->rows++] = y;
}

/* All rows of a group must have the same options. */
static void
set_options(ExpandedSample *sample, const char *text, size_t size)
{
	FgModel    *model = &sample->model;
	char	   *copy;

	if (model->parameters == NULL)
	{
		copy = MemoryContextAlloc(sample->base.header.eoh_context, size + 1);
		memcpy(copy, text, size);
		fg_expanded_change(&sample->base);
		model->parameters = copy;
		model->parameters_size = size;
	}
	else if (model->parameters_size != size || memcmp(model->parameters, text, size) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the options of a model differ between rows"),
				 errhint("Group by what they depend on.")));
}

/* A model of another kind can be handed to these functions by name. */
static void
must_be_sample(const FgModel *model)
{
	if (model->kind != FG_MODEL_SAMPLE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the state of an aggregate over points must be a sample")));
}

/* Another state: of a worker, or one that came flat. */
static void
add_state(ExpandedSample *sample, Datum value)
{
	ExpandedSample *expanded = fg_expanded_of(value, &kind);
	FgContext	ctx = fg_current_context();
	FgModel		flat;
	const FgModel *other = &flat;

	if (expanded != NULL)
		other = &expanded->model;
	else
		fg_datum_model(&ctx, value, &flat);
	must_be_sample(other);
	set_options(sample, other->parameters, other->parameters_size);
	for (uint64_t i = 0; i < other->rows; i++)
	{
		if (i % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
		add_point(sample, other->column[0][i], other->column[1][i]);
	}
	if (other == &flat)
		fg_model_free(&ctx, &flat);
}

static ExpandedSample *
own_state(FunctionCallInfo fcinfo)
{
	MemoryContext aggregate = fg_aggregate_memory(fcinfo);
	ExpandedSample *sample = fg_aggregate_state(fcinfo, &kind);

	if (sample != NULL)
		return sample;
	sample = sample_create(aggregate);
	if (!PG_ARGISNULL(0))
		add_state(sample, PG_GETARG_DATUM(0));
	return sample;
}

/* --- transition ------------------------------------------------------------------------ */

static void
set_row_options(FunctionCallInfo fcinfo, ExpandedSample *sample)
{
	StringInfoData text;
	Jsonb	   *options;

	if (PG_NARGS() < 4 || PG_ARGISNULL(3))
	{
		set_options(sample, "{}", 2);
		return;
	}
	options = PG_GETARG_JSONB_P(3);
	/* the state keeps them as its parameters, which are an object */
	if (!JB_ROOT_IS_OBJECT(options))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("options of an aggregate must be a JSON object"),
				 errhint("Write {\"option\": value, ...}.")));
	if (sample->options != NULL && VARSIZE(options) == VARSIZE(sample->options) &&
		memcmp(options, sample->options, VARSIZE(options)) == 0)
		return;
	initStringInfo(&text);
	JsonbToCString(&text, &options->root, VARSIZE(options));
	set_options(sample, text.data, (size_t) text.len);
	pfree(text.data);
	if (sample->options == NULL)
	{
		sample->options = MemoryContextAlloc(sample->base.header.eoh_context, VARSIZE(options));
		memcpy(sample->options, options, VARSIZE(options));
	}
}

PG_FUNCTION_INFO_V1(perfmodel_sample_accum);
Datum
perfmodel_sample_accum(PG_FUNCTION_ARGS)
{
	ExpandedSample *sample = own_state(fcinfo);

	set_row_options(fcinfo, sample);
	if (!PG_ARGISNULL(1) && !PG_ARGISNULL(2))
		add_point(sample, PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2));
	return fg_expanded_datum(&sample->base);
}

PG_FUNCTION_INFO_V1(perfmodel_sample_combine);
Datum
perfmodel_sample_combine(PG_FUNCTION_ARGS)
{
	ExpandedSample *sample;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		return fg_expanded_datum(&own_state(fcinfo)->base);
	}
	sample = own_state(fcinfo);
	add_state(sample, PG_GETARG_DATUM(1));
	return fg_expanded_datum(&sample->base);
}

bool
fg_sample_state(FgContext *ctx, FunctionCallInfo fcinfo, FgSample *sample, Jsonb **options)
{
	ExpandedSample *state;
	FgModel		flat;
	const FgModel *model = &flat;
	char	   *text;

	if (PG_ARGISNULL(0))
		return false;
	state = fg_expanded_of(PG_GETARG_DATUM(0), &kind);
	if (state != NULL)
		model = &state->model;
	else
		fg_datum_model(ctx, PG_GETARG_DATUM(0), &flat);
	must_be_sample(model);
	text = pnstrdup(model->parameters, model->parameters_size);
	*options = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
	sample->n = (size_t) model->rows;
	sample->x = fg_alloc(ctx, sample->n, sizeof(double));
	sample->y = fg_alloc(ctx, sample->n, sizeof(double));
	if (sample->n == 0)
		return true;
	fg_model_must(ctx, fg_copy(ctx, sample->x, model->column[0], sample->n * sizeof(double)) &&
				  fg_copy(ctx, sample->y, model->column[1], sample->n * sizeof(double)) &&
				  fg_series_sort(ctx, sample->x, sample->y, sample->n));
	return true;
}
