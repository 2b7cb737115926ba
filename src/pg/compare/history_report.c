/*
 * history_report.c
 *	  regression_report(): the functions that deviate most, each with the contexts in
 *	  which it does, below and above it (Lundberg & Rettig 2024, appendix B).
 *
 * Candidates are contexts of one frame, measured as every other context is: the numbers
 * of a candidate are those of the first step of its traces.
 */
#include "pg/compare/history.h"

#include "utils/builtins.h"

#include "pg/base/arguments.h"
#include "pg/base/arrays.h"
#include "pg/base/rows.h"

#define COLUMNS 12

typedef struct Report
{
	FgRows		rows;
	const FgFrames *frames;
	const char *section;
	int32		rank;
} Report;

/* trace and step are 0 and -1 in the row of a candidate. */
static void
report_row(Report *report, uint32_t trace, int32 step_number, const FgContextStep *step)
{
	Datum		values[COLUMNS];
	bool		nulls[COLUMNS] = {false};

	fg_rows_begin_row(&report->rows);
	values[0] = Int32GetDatum(report->rank);
	values[1] = CStringGetTextDatum(report->section);
	values[2] = Int32GetDatum((int32) trace);
	values[3] = Int32GetDatum(step_number);
	nulls[2] = nulls[3] = step_number < 0;
	values[4] = fg_frame_datum(report->frames, step->frame);
	values[5] = Float8GetDatum(step->expected);
	values[6] = Float8GetDatum(step->actual);
	values[7] = Float8GetDatum(step->diff);
	values[8] = Float8GetDatum(step->candidate_diff);
	values[9] = Float8GetDatum(step->score);
	values[10] = Float8GetDatum(step->raw_score);
	values[11] = CStringGetTextDatum(step->status);
	fg_rows_end_row(&report->rows, values, nulls);
}

static bool
put_trace(void *arg, uint32_t trace, const FgContextStep *steps, size_t count)
{
	for (size_t i = 0; i < count; i++)
		report_row(arg, trace, (int32) i, &steps[i]);
	return true;
}

static void
report_candidate(Report *report, FgContext *ctx, FgExpander *expander,
				 const FgContextStep *candidate)
{
	static const char *const sections[] = {"child", "parent"};

	report->section = "candidate";
	report_row(report, 0, -1, candidate);
	for (int i = 0; i < lengthof(sections); i++)
	{
		report->section = sections[i];
		fg_expander_turn(expander, i == 1);
		fg_must(ctx, fg_expand(expander, candidate->frame, put_trace, report));
	}
}

static int32
candidates_argument(FunctionCallInfo fcinfo, int argument)
{
	int32		candidates = fg_required_int(fcinfo, argument, "candidates");

	if (candidates < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("candidates must not be negative: %d", candidates)));
	return candidates;
}

PG_FUNCTION_INFO_V1(flamegraph_regression_report);
Datum
flamegraph_regression_report(PG_FUNCTION_ARGS)
{
	static const char *const selections[] = {"deviation", "informed"};
	Report		report = {.rows = fg_rows_begin(fcinfo)};
	FgContext	ctx = fg_current_context();
	FgSearchOptions options;
	FgProfiles	history;
	FgForest	forest;
	FgExpander *expander;
	FgContextStep *steps;
	size_t		count;
	int32		candidates;

	if (PG_ARGISNULL(1))
		return (Datum) 0;
	candidates = candidates_argument(fcinfo, 2);
	options = fg_search_options(&ctx, fcinfo, 4, "regression_report");
	options.expansion.informed = fg_word_argument(fcinfo, 3, "selection", selections,
												  lengthof(selections)) == 1;
	options.strip_modes = options.strip_modes && options.expansion.informed;
	history = fg_profiles_argument(fcinfo, 0, "history");
	fg_read_history(&ctx, &history, PG_GETARG_DATUM(1),
					fg_noise_arguments(&ctx, fcinfo, 5), &options, NULL, &forest);
	report.frames = &forest.frames;
	expander = fg_expander_create(&ctx, &forest, NULL, &options.expansion);
	fg_must(&ctx, expander != NULL && fg_expand_starts(expander, &steps, &count));
	for (; report.rank < candidates && (size_t) report.rank < count;)
	{
		const FgContextStep *candidate = &steps[report.rank++];

		report_candidate(&report, &ctx, expander, candidate);
	}
	return (Datum) 0;
}
