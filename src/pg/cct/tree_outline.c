/*
 * tree_outline.c
 *	  tree(): a profile as an indented text, for psql.
 */
#include "pg/base/values.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/cct/outline.h"
#include "pg/base/rows.h"

/* Deeper nodes are not indented further but say how deep they are. */
#define MOST_INDENTS 60

static void
append_share(StringInfo line, double part, double whole)
{
	double		percent = whole == 0 ? NAN : 100 * (part / whole);

	if (fabs(percent) < 0.005)
		percent = 0;			/* not -0.00 */
	if (isfinite(percent))
		appendStringInfo(line, "%7.2f%%", percent);
	else
		appendStringInfo(line, "%8s", "-");
}

/* "  60.00%   10.00%    parse": total, self, and the frame as deep as it is called. */
static void
outline_line(StringInfo line, const FgTree *tree, const FgOutlineRow *row, double total)
{
	uint32_t	indents = row->depth - 1 < MOST_INDENTS ? row->depth - 1 : MOST_INDENTS;

	append_share(line, row->total, total);
	appendStringInfoChar(line, ' ');
	if (row->hidden == 0)
		append_share(line, row->self, total);
	else
		appendStringInfoSpaces(line, 8);
	appendStringInfoSpaces(line, 2 + 2 * (int) indents);
	if (row->depth - 1 > MOST_INDENTS)
		appendStringInfo(line, "[%u] ", row->depth);
	if (row->hidden != 0)
		appendStringInfo(line, "(%u more)", row->hidden);
	else if (row->node == 0)
		appendStringInfoString(line, "(empty stack)");
	else
	{
		uint32_t	frame = fg_key_frame(tree->key[row->node]);

		appendBinaryStringInfo(line, fg_frame_bytes(&tree->frames, frame),
							   (int) fg_frame_length(&tree->frames, frame));
	}
}

PG_FUNCTION_INFO_V1(flamegraph_tree);
Datum
flamegraph_tree(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgOperands	in;
	FgFacts		facts;
	FgOutlineRow *outline;
	StringInfoData line;
	double		min_share;
	uint32_t	count;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	min_share = PG_GETARG_FLOAT8(1);
	if (!(min_share >= 0 && min_share <= 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("min_share must be between 0 and 1"),
				 errhint("Shares are fractions: 0.05 is five percent.")));
	if (!PG_ARGISNULL(2) && PG_GETARG_INT32(2) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("max_depth must not be negative: %d", PG_GETARG_INT32(2)),
				 errhint("NULL stands for no limit.")));
	fg_get_operand(fcinfo, &in);
	fg_must(&in.ctx, fg_tree_facts(&in.ctx, in.a, &facts) &&
			fg_outline(&in.ctx, in.a, min_share,
					   PG_ARGISNULL(2) ? FG_MAX_DEPTH : (uint32_t) PG_GETARG_INT32(2), &outline,
					   &count));
	initStringInfo(&line);
	for (uint32_t i = 0; i < count; i++)
	{
		Datum		value;
		bool		null = false;

		fg_rows_begin_row(&rows);
		resetStringInfo(&line);
		outline_line(&line, in.a, &outline[i], facts.total);
		value = PointerGetDatum(cstring_to_text_with_len(line.data, line.len));
		fg_rows_end_row(&rows, &value, &null);
	}
	return (Datum) 0;
}
