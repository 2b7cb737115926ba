/*
 * tree_outline.c
 *	  tree(), summary(): a profile as an indented text, and in a few lines, for psql.
 */
#include "pg/base/values.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "core/base/number.h"
#include "core/cct/hot.h"
#include "core/cct/outline.h"
#include "core/profile/path.h"
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

/* --- summary ------------------------------------------------------------------------- */

#define MOST_COLUMNS 80
#define MOST_STACKS 9			/* and a line before them */

/* Enough bytes of the end of a stack for as many columns. */
#define MOST_BYTES (4 * MOST_COLUMNS)

/* The last bytes of a frame, from the beginning of a character on. */
static FgSpan
frame_end(const FgFrames *frames, uint32_t number)
{
	FgSpan		frame = {fg_frame_bytes(frames, number), fg_frame_length(frames, number)};

	if (frame.size <= MOST_BYTES)
		return frame;
	frame.bytes += frame.size - MOST_BYTES;
	frame.size = MOST_BYTES;
	for (; (*frame.bytes & 0xC0) == 0x80; frame.size--)
		frame.bytes++;
	return frame;
}

/*
 * The last frames of the stack of a node, as many as may fit: the last ones say what was
 * going on.  *all is whether that is the whole stack.
 */
static StringInfoData
last_frames(const FgTree *tree, uint32_t node, bool *all)
{
	const int	most = MOST_COLUMNS;
	uint32_t	frames[MOST_COLUMNS];
	uint32_t	depth = fg_key_depth(tree->key[node]);
	size_t		bytes = 0;
	int			count = 0;
	FgContext	ctx = fg_current_context();
	FgBuffer	text = {.ctx = &ctx};
	StringInfoData result;

	for (uint32_t i = node; depth > 0 && count < most && bytes < MOST_BYTES; i--)
	{
		if (i % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
		if (fg_key_depth(tree->key[i]) != depth)
			continue;
		frames[count++] = fg_key_frame(tree->key[i]);
		bytes += fg_frame_length(&tree->frames, frames[count - 1]) + 1;
		depth--;
	}
	*all = depth == 0;
	for (int i = count - 1; i >= 0; i--)
	{
		FgSpan		frame = frame_end(&tree->frames, frames[i]);

		*all = *all && frame.size == fg_frame_length(&tree->frames, frames[i]);
		fg_must(&ctx, fg_path_print_frame(&text, frame.bytes, frame.size) &&
				(i == 0 || fg_path_print_separator(&text)));
	}
	initStringInfo(&result);
	if (text.size > 0)
		appendBinaryStringInfo(&result, (char *) text.data, (int) text.size);
	return result;
}

static int
columns_of(const char *character)
{
	int			columns = pg_dsplen(character);

	return columns < 0 ? 1 : columns;
}

/* The end of a text that fits, with "..." before it when something is missing. */
static void
append_end(StringInfo line, StringInfo text, bool all, int columns)
{
	const char *from = text->data;
	const char *end = text->data + text->len;
	int			width = 0;

	if (text->len > MOST_BYTES)
	{
		from = end - MOST_BYTES;
		while ((*from & 0xC0) == 0x80)	/* not in the middle of a character */
			from++;
		all = false;
	}
	for (const char *c = from; c < end; c += pg_mblen(c))
		width += columns_of(c);
	if (width > columns)
		all = false;
	for (; width > (all ? columns : columns - 3); from += pg_mblen(from))
		width -= columns_of(from);
	if (!all)
		appendStringInfoString(line, "...");
	for (; from < end; from++)
		appendStringInfoChar(line, (uint8) *from < ' ' || *from == 0x7F ? ' ' : *from);
}

/* "        75   41.67%  main;parse;read": value, share of the total, stack. */
static void
summary_line(StringInfo line, const FgTree *tree, uint32_t node, double total)
{
	char		number[FG_NUMBER_SIZE];
	int			start = line->len;
	bool		all;
	StringInfoData stack = last_frames(tree, node, &all);
	double		percent = total == 0 ? 0 : 100 * (tree->self[node] / total);

	fg_number_print(tree->self[node], number);
	appendStringInfo(line, "\n%10s ", number);
	if (isfinite(percent) && fabs(percent) >= 1e6)
		appendStringInfo(line, "%.2e%%", percent);
	else
		append_share(line, tree->self[node], total);
	appendStringInfoString(line, "  ");
	if (node == 0)
		appendStringInfoString(line, "(empty stack)");
	else
		append_end(line, &stack, all, MOST_COLUMNS - (line->len - start - 1));
	pfree(stack.data);
}

PG_FUNCTION_INFO_V1(flamegraph_summary);
Datum
flamegraph_summary(PG_FUNCTION_ARGS)
{
	int32		most = PG_GETARG_INT32(1);
	FgOperands	in;
	FgFacts		facts;
	uint32_t	nodes[MOST_STACKS];
	uint32_t	count;
	char		number[FG_NUMBER_SIZE];
	StringInfoData text;

	if (most < 0 || most > MOST_STACKS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("max_stacks must be between 0 and %d, not %d", MOST_STACKS, most),
				 errhint("hot_contexts() and stacks() show as many as you like.")));
	fg_get_operand(fcinfo, &in);
	fg_must(&in.ctx, fg_tree_facts(&in.ctx, in.a, &facts) &&
			fg_largest_stacks(&in.ctx, in.a, (uint32_t) most, nodes, &count));
	fg_finite(facts.total, "the total");
	fg_number_print(facts.total + 0.0, number);
	initStringInfo(&text);
	appendStringInfo(&text, "total %s, stacks %u, frames %u, depth %u", number, facts.nstacks,
					 in.a->frames.count, facts.depth);
	for (uint32_t i = 0; i < count; i++)
		summary_line(&text, in.a, nodes[i], facts.total);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(text.data, text.len));
}
