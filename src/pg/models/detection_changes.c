/*
 * detection_changes.c
 *	  detect_changes() and detection_summary(): models per location, as Perun compares
 *	  two versions of a program (Stupinsky 2019, section 7).
 *
 * A location takes part when both sides have measured it.  Its models are fitted once
 * to each side; the strategy says which of them are compared, in pairs; each method
 * gives a verdict on each pair.
 */
#include "pg/models/detection_request.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "core/base/series.h"
#include "core/models/parametric.h"
#include "pg/models/detection.h"
#include "pg/models/detection_measurements.h"

/* --- the models of a side -------------------------------------------------------------- */

static FgSample
side_sample(FgContext *ctx, const FgMeasurement *rows, size_t count)
{
	FgSample	sample = {
		fg_alloc(ctx, count, sizeof(double)), fg_alloc(ctx, count, sizeof(double)), count
	};

	for (size_t i = 0; i < count; i++)
	{
		sample.x[i] = rows[i].x;
		sample.y[i] = rows[i].y;
	}
	fg_model_must(ctx, fg_series_sort(ctx, sample.x, sample.y, count));
	return sample;
}

typedef struct Fitted
{
	bool		exists;
	double		r_square;
	FgCurve		curve;
} Fitted;

/* By kind (core/models/model.h). */
typedef struct Side
{
	FgSample	sample;
	Fitted		model[FG_MAX_MODELS];
	int			best_formula;	/* a kind, or -1 */
} Side;

static void
fit_formulas(FgContext *ctx, const FgDetectionRequest *request, Side *side)
{
	FgParametric models[FG_FORMULAS];
	uint32_t	count;
	int			best;

	fg_model_must(ctx, fg_parametric_fit(ctx, side->sample.x, side->sample.y, side->sample.n,
										 request->formulas, models, &count, &best));
	for (uint32_t i = 0; i < count; i++)
		side->model[models[i].formula] = (Fitted) {
			true, models[i].r_square,
			fg_curve_formula(models[i].formula, models[i].b, models[i].x_start, models[i].x_end,
							 models[i].r_square)
		};
	side->best_formula = best < 0 ? -1 : (int) models[best].formula;
}

static void
fit_side(FgContext *ctx, const FgDetectionRequest *request, Side *side)
{
	memset(side->model, 0, sizeof(side->model));
	fit_formulas(ctx, request, side);
	for (int i = 0; request->strategy->nonparametric && i < request->nsmoothers; i++)
	{
		int			smoother = request->smoother[i];
		Fitted	   *fitted = &side->model[FG_FORMULAS + smoother];
		FgModel		model;

		fitted->exists = fg_smoothers[smoother] (ctx, &side->sample, request->options[smoother],
											  &model);
		if (!fitted->exists)
			continue;
		fitted->r_square = model.r_square;
		fg_model_must(ctx, fg_model_curve(ctx, &model, &fitted->curve));
	}
}

/* --- pairs of models ---------------------------------------------------------------------------- */

typedef struct Pair
{
	const char *group;			/* its line in the summary */
	int			baseline;		/* kinds */
	int			target;
} Pair;

/* The best model with a positive R^2, -1 for none; of fg_smoothers the first one named wins. */
static int
best_of(const FgDetectionRequest *request, const Side *side, bool parametric, bool nonparametric)
{
	int			best = -1;

	if (parametric && side->best_formula >= 0 && side->model[side->best_formula].r_square > 0)
		best = side->best_formula;
	for (int i = 0; nonparametric && i < request->nsmoothers; i++)
	{
		int			kind = FG_FORMULAS + request->smoother[i];
		const Fitted *fitted = &side->model[kind];

		if (fitted->exists && fitted->r_square > 0 &&
			(best < 0 || fitted->r_square > side->model[best].r_square))
			best = kind;
	}
	return best;
}

static int
add_best(const FgDetectionRequest *request, const Side *sides, const char *group, bool parametric,
		 bool nonparametric, Pair *pairs, int count)
{
	Pair		pair = {
		group,
		best_of(request, &sides[0], parametric, nonparametric),
		best_of(request, &sides[1], parametric, nonparametric)
	};

	if (pair.baseline >= 0 && pair.target >= 0)
		pairs[count++] = pair;
	return count;
}

static int
add_same(const Side *sides, int kind, Pair *pairs, int count)
{
	if (sides[0].model[kind].exists && sides[1].model[kind].exists)
		pairs[count++] = (Pair) {fg_model_word(kind), kind, kind};
	return count;
}

/* What the strategy compares at one location. */
static int
choose_pairs(const FgDetectionRequest *request, const Side *sides, Pair *pairs)
{
	const FgDetectionStrategy *strategy = request->strategy;
	int			count = 0;

	if (strategy->apart)
	{
		count = add_best(request, sides, "best-param", true, false, pairs, count);
		return add_best(request, sides, "best-nonparam", false, true, pairs, count);
	}
	if (strategy->best)
		return add_best(request, sides, strategy->word, strategy->parametric,
						strategy->nonparametric, pairs, count);
	for (int i = 0; strategy->nonparametric && i < request->nsmoothers; i++)
		count = add_same(sides, FG_FORMULAS + request->smoother[i], pairs, count);
	for (int kind = 0; strategy->parametric && kind < FG_FORMULAS; kind++)
		count = add_same(sides, kind, pairs, count);
	return count;
}

/* --- verdicts ---------------------------------------------------------------------------------------- */

typedef struct Verdict
{
	FgSpan		location;
	const char *group;
	char		model[64];		/* empty: the method needs none */
	FgDetectionMethod method;
	FgChangeVerdict result;
	const char *severity;		/* NULL: none */
	double		relative_error;
	double		confidence;
} Verdict;

typedef void (*Report) (void *to, const Verdict *verdict);

typedef struct Detection
{
	FgContext	ctx;
	const FgDetectionRequest *request;
	Report		report;
	void	   *to;
} Detection;

static bool
changed(FgChangeVerdict result)
{
	return result != FG_NO_CHANGE && result != FG_UNKNOWN;
}

/* How the best parametric models of the two sides differ. */
static const char *
severity(Detection *detection, const Side *sides)
{
	FgModelDifference difference;

	if (sides[0].best_formula < 0 || sides[1].best_formula < 0)
		return NULL;
	fg_model_must(&detection->ctx,
				  fg_model_difference(&detection->ctx,
									  &sides[0].model[sides[0].best_formula].curve,
									  &sides[1].model[sides[1].best_formula].curve,
									  detection->request->samples,
									  &detection->request->local.thresholds, &difference));
	return difference.fast_check < 0 ? NULL : fg_model_word(difference.fast_check);
}

static void
report(Detection *detection, const Side *sides, Verdict *verdict)
{
	verdict->severity = changed(verdict->result) ? severity(detection, sides) : NULL;
	detection->report(detection->to, verdict);
}

static void
judge_pair(Detection *detection, const Side *sides, const Pair *pair, Verdict *verdict)
{
	const FgDetectionRequest *request = detection->request;
	FgContext  *ctx = &detection->ctx;
	const FgCurve *baseline = &sides[0].model[pair->baseline].curve;
	const FgCurve *target = &sides[1].model[pair->target].curve;
	FgIntegralComparison comparison;
	FgLocalStatistics local;
	FgModelDifference difference;

	switch (verdict->method)
	{
		case FG_INTEGRAL:
			fg_model_must(ctx, fg_integral_comparison(ctx, baseline, target,
													  &request->local.thresholds, &comparison));
			verdict->result = comparison.result;
			verdict->relative_error = comparison.relative_error;
			return;
		case FG_LOCAL_STATISTICS:
			fg_model_must(ctx, fg_local_statistics(ctx, baseline, target, request->samples,
												   &request->local, &local));
			verdict->result = local.result;
			verdict->relative_error = local.relative_error;
			return;
		default:
			fg_model_must(ctx, fg_model_difference(ctx, baseline, target, request->samples,
												   &request->local.thresholds, &difference));
			verdict->result = difference.result;
			verdict->relative_error = difference.relative_error;
			return;
	}
}

/* The confidence counts to two decimals, as in Perun. */
static bool
confident(const FgDetectionRequest *request, double confidence)
{
	return rint(confidence * 100) / 100 >= request->min_confidence;
}

static void
compare_pair(Detection *detection, FgSpan location, const Side *sides, const Pair *pair)
{
	const FgDetectionRequest *request = detection->request;
	double		confidence = fg_confidence(&sides[0].model[pair->baseline].curve,
										   &sides[1].model[pair->target].curve);
	Verdict		verdict = {.location = location, .group = pair->group, .confidence = confidence};

	if (!confident(request, confidence))
		return;
	if (pair->baseline == pair->target)
		strlcpy(verdict.model, fg_model_word(pair->baseline), sizeof(verdict.model));
	else
		snprintf(verdict.model, sizeof(verdict.model), "%s/%s", fg_model_word(pair->baseline),
				 fg_model_word(pair->target));
	for (int i = 0; i < request->nmethods; i++)
	{
		verdict.method = request->method[i];
		if (verdict.method == FG_AVERAGE_AMOUNT || verdict.method == FG_BEST_MODEL_ORDER)
			continue;
		if (verdict.method == FG_MODEL_DIFFERENCE_METHOD &&
			(pair->baseline >= FG_FORMULAS || pair->target >= FG_FORMULAS))
			continue;
		judge_pair(detection, sides, pair, &verdict);
		report(detection, sides, &verdict);
	}
}

/* The methods that do not look at pairs. */
static void
compare_sides(Detection *detection, FgSpan location, const Side *sides, FgDetectionMethod method)
{
	Verdict		verdict = {
		.location = location, .method = method, .relative_error = NAN, .confidence = NAN
	};
	FgAverageAmount amount;
	FgModelOrder order;

	if (method == FG_AVERAGE_AMOUNT)
	{
		fg_model_must(&detection->ctx,
					  fg_average_amount(&detection->ctx, sides[0].sample.y, sides[0].sample.n,
										sides[1].sample.y, sides[1].sample.n, &amount));
		verdict.result = amount.result;
		verdict.relative_error = fg_relative(amount.target_mean, amount.baseline_mean);
		report(detection, sides, &verdict);
	}
	else if (sides[0].best_formula >= 0 && sides[1].best_formula >= 0)
	{
		order = fg_best_model_order((FgFormula) sides[0].best_formula,
									sides[0].model[sides[0].best_formula].r_square,
									(FgFormula) sides[1].best_formula,
									sides[1].model[sides[1].best_formula].r_square);
		verdict.result = order.result;
		verdict.confidence = order.confidence;
		if (confident(detection->request, order.confidence))
			report(detection, sides, &verdict);
	}
}

static void
compare_location(Detection *detection, FgSpan location, Side *sides)
{
	const FgDetectionRequest *request = detection->request;
	Pair		pairs[FG_MAX_MODELS];
	int			count;

	for (int side = 0; side < 2; side++)
		fit_side(&detection->ctx, request, &sides[side]);
	count = choose_pairs(request, sides, pairs);
	for (int i = 0; i < count; i++)
		compare_pair(detection, location, sides, &pairs[i]);
	for (int i = 0; i < request->nmethods; i++)
	{
		if (request->method[i] == FG_AVERAGE_AMOUNT || request->method[i] == FG_BEST_MODEL_ORDER)
			compare_sides(detection, location, sides, request->method[i]);
	}
}

/* Each location in a memory context of its own; returns how many both sides have. */
static int
compare_all(Detection *detection, const FgMeasurement *rows, size_t count)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext location = AllocSetContextCreate(caller, "models of a location",
												   ALLOCSET_DEFAULT_SIZES);
	int			common = 0;

	detection->ctx = fg_context_in(location);
	for (size_t start = 0, middle, end; start < count; start = end)
	{
		Side		sides[2];

		CHECK_FOR_INTERRUPTS();
		for (middle = start; middle < count && !rows[middle].is_target &&
			 fg_same_location(&rows[middle], &rows[start]); middle++)
		{
			if (middle % FG_CHECK_NODES == 0)
				CHECK_FOR_INTERRUPTS();
		}
		for (end = middle; end < count && fg_same_location(&rows[end], &rows[start]); end++)
		{
			if (end % FG_CHECK_NODES == 0)
				CHECK_FOR_INTERRUPTS();
		}
		if (middle == start || end == middle)
			continue;
		common++;
		MemoryContextSwitchTo(location);
		sides[0].sample = side_sample(&detection->ctx, rows + start, middle - start);
		sides[1].sample = side_sample(&detection->ctx, rows + middle, end - middle);
		compare_location(detection, rows[start].location, sides);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(location);
	}
	MemoryContextDelete(location);
	return common;
}

/* --- detect_changes -------------------------------------------------------------------------------------- */

static Datum
text_datum(const char *bytes, size_t size)
{
	return PointerGetDatum(cstring_to_text_with_len(bytes, (int) size));
}

static void
add_row(void *to, const Verdict *verdict)
{
	FgRows	   *rows = to;
	Datum		values[7];
	bool		nulls[7] = {false};

	fg_rows_begin_row(rows);
	values[0] = text_datum(verdict->location.bytes, verdict->location.size);
	nulls[1] = verdict->model[0] == '\0';
	values[1] = CStringGetTextDatum(verdict->model);
	values[2] = CStringGetTextDatum(fg_detection_method_word(verdict->method));
	values[3] = fg_result_datum(verdict->result);
	nulls[4] = verdict->severity == NULL;
	values[4] = nulls[4] ? (Datum) 0 : CStringGetTextDatum(verdict->severity);
	values[5] = fg_number_or_null(verdict->relative_error, &nulls[5]);
	values[6] = fg_number_or_null(verdict->confidence, &nulls[6]);
	fg_rows_end_row(rows, values, nulls);
}

PG_FUNCTION_INFO_V1(detection_detect_changes);
Datum
detection_detect_changes(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgContext	ctx = fg_current_context();
	FgDetectionRequest request = fg_detection_request(&ctx, fcinfo);
	Detection	detection = {.request = &request, .report = add_row, .to = &rows};
	size_t		count;
	FgMeasurement *measurements = fg_measurements(&ctx, fcinfo, &count);

	compare_all(&detection, measurements, count);
	return (Datum) 0;
}

/* --- detection_summary ---------------------------------------------------------------------------------------- */

/* Lines of the summary: a group of pairs, or none, and a method. */
typedef struct Line
{
	const char *group;
	FgDetectionMethod method;
	int			degradation;
	int			optimization;
	int			maybe;
} Line;

typedef struct Summary
{
	Line		line[(FG_MAX_MODELS + 1) * FG_DETECTION_METHODS];
	int			count;
} Summary;

static void
count_verdict(void *to, const Verdict *verdict)
{
	Summary    *summary = to;

	for (int i = 0; i < summary->count; i++)
	{
		Line	   *line = &summary->line[i];

		if (line->method != verdict->method || (line->group == NULL) != (verdict->group == NULL) ||
			(line->group != NULL && strcmp(line->group, verdict->group) != 0))
			continue;
		line->degradation += verdict->result == FG_DEGRADATION;
		line->optimization += verdict->result == FG_OPTIMIZATION;
		line->maybe += verdict->result == FG_MAYBE_DEGRADATION ||
			verdict->result == FG_MAYBE_OPTIMIZATION;
	}
}

static void
add_lines(const FgDetectionRequest *request, const char *group, bool parametric, Summary *summary)
{
	for (int i = 0; i < request->nmethods; i++)
	{
		FgDetectionMethod method = request->method[i];
		bool		of_pairs = method != FG_AVERAGE_AMOUNT && method != FG_BEST_MODEL_ORDER;

		if (of_pairs != (group != NULL) || (method == FG_MODEL_DIFFERENCE_METHOD && !parametric))
			continue;
		summary->line[summary->count++] = (Line) {.group = group, .method = method};
	}
}

/* A line for everything that is compared, whether or not a location has it. */
static void
start_summary(const FgDetectionRequest *request, Summary *summary)
{
	const FgDetectionStrategy *strategy = request->strategy;

	summary->count = 0;
	if (strategy->apart)
	{
		add_lines(request, "best-param", true, summary);
		add_lines(request, "best-nonparam", false, summary);
	}
	else if (strategy->best)
		add_lines(request, strategy->word, strategy->parametric, summary);
	else
	{
		for (int i = 0; strategy->nonparametric && i < request->nsmoothers; i++)
			add_lines(request, fg_model_word(FG_FORMULAS + request->smoother[i]), false, summary);
		for (int kind = 0; strategy->parametric && kind < FG_FORMULAS; kind++)
		{
			if (request->formulas & FG_FORMULA_BIT(kind))
				add_lines(request, fg_model_word(kind), true, summary);
		}
	}
	add_lines(request, NULL, true, summary);
}

PG_FUNCTION_INFO_V1(detection_summary);
Datum
detection_summary(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgContext	ctx = fg_current_context();
	FgDetectionRequest request = fg_detection_request(&ctx, fcinfo);
	Summary		summary;
	Detection	detection = {.request = &request, .report = count_verdict, .to = &summary};
	size_t		count;
	FgMeasurement *measurements = fg_measurements(&ctx, fcinfo, &count);
	int			common;

	start_summary(&request, &summary);
	common = compare_all(&detection, measurements, count);
	for (int i = 0; i < summary.count; i++)
	{
		const Line *line = &summary.line[i];
		Datum		values[6];
		bool		nulls[6] = {false};

		fg_rows_begin_row(&rows);
		nulls[0] = line->group == NULL;
		values[0] = nulls[0] ? (Datum) 0 : CStringGetTextDatum(line->group);
		values[1] = CStringGetTextDatum(fg_detection_method_word(line->method));
		values[2] = Int32GetDatum(common);
		values[3] = Int32GetDatum(line->degradation);
		values[4] = Int32GetDatum(line->optimization);
		values[5] = Int32GetDatum(line->maybe);
		fg_rows_end_row(&rows, values, nulls);
	}
	return (Datum) 0;
}
