/*
 * building_folded.c
 *	  flamegraph_from_folded() and flamegraph_to_folded(): the folded text of other tools.
 */
#include "pg/base/values.h"

#include "utils/memutils.h"

#include "core/profile/folded.h"
#include "pg/base/arguments.h"

static void
report_cleaning(const FgFoldedReport *report)
{
	FgWarnings	warnings = {.count = 0};
	FgWarning	warning;

	while (fg_folded_warning(report, warnings.count, &warning))
		fg_warn(&warnings, &warning);
	fg_report_warnings(&warnings);
	if (report->unknown_frames == 0 && report->control_characters == 0)
		return;
	ereport(NOTICE,
			(errmsg("folded text was cleaned"),
			 errdetail("Empty frames replaced by [unknown]: " UINT64_FORMAT
					   ". Control characters replaced by a space: " UINT64_FORMAT ".",
					   report->unknown_frames, report->control_characters)));
}

static void
report_skipping(const FgFoldedReport *report)
{
	if (report->skipped == 0)
		return;
	ereport(WARNING,
			(errmsg("lines of folded text were skipped"),
			 errdetail("Skipped " UINT64_FORMAT " of " UINT64_FORMAT
					   " lines, the first of them line " UINT64_FORMAT ": %s.",
					   report->skipped, report->lines, report->first_skipped,
					   report->first_reason)));
}

static Datum
from_folded(FunctionCallInfo fcinfo, bool check_encoding)
{
	static const char *const actions[] = {"error", "skip"};
	FgSpan		data = PG_GETARG_SPAN(0);
	int			action = fg_word(PG_GETARG_SPAN(1), "on_error", actions, lengthof(actions));
	FgContext	ctx = fg_current_context();
	FgFoldedOptions options = {FG_FOLDED_FOREIGN, action == 1, check_encoding};
	FgFoldedReport report;
	FgTree		tree;

	if (!fg_folded_parse(&ctx, data.bytes, data.size, options, &tree, &report))
		fg_report(&ctx, "flamegraph", FG_FROM_TEXT, NULL);
	report_cleaning(&report);
	report_skipping(&report);
	PG_RETURN_DATUM(fg_tree_datum_free(&ctx, &tree));
}

PG_FUNCTION_INFO_V1(flamegraph_from_folded);
Datum
flamegraph_from_folded(PG_FUNCTION_ARGS)
{
	return from_folded(fcinfo, false);
}

PG_FUNCTION_INFO_V1(flamegraph_from_folded_bytes);
Datum
flamegraph_from_folded_bytes(PG_FUNCTION_ARGS)
{
	return from_folded(fcinfo, true);
}

PG_FUNCTION_INFO_V1(flamegraph_to_folded);
Datum
flamegraph_to_folded(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgTree		storage;
	const FgTree *tree = fg_datum_tree(&ctx, PG_GETARG_DATUM(0), &storage);
	bool		raw = PG_GETARG_BOOL(1);
	FgBuffer	text = {.ctx = &ctx};
	size_t		limit = MaxAllocSize - VARHDRSZ;
	bool		complete;
	uint64_t	replaced;

	fg_must(&ctx, fg_folded_print(&text, tree, raw ? FG_FOLDED_FOREIGN : FG_FOLDED_EXACT, limit,
								  &complete, &replaced));
	if (!complete)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("folded text is too long"),
				 errdetail("The limit is %zu bytes.", limit),
				 errhint("Cast to text for the packed form, or read the stacks as rows with stacks().")));
	if (replaced > 0)
		ereport(NOTICE,
				(errmsg("frames were changed for other tools"),
				 errdetail("Semicolons inside frames replaced by \":\": " UINT64_FORMAT ".",
						   replaced)));
	PG_RETURN_TEXT_P(fg_varlena(text.data, text.size));
}
