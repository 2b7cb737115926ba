/*
 * tree_outline.c
 *	  tree(), diff_tree(), summary(): a profile, or what changed from one to another, as an
 *	  indented text, and a profile in a few lines, for psql.
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
#include "core/svg/bar.h"
#include "core/svg/units.h"
#include "pg/base/arguments.h"
#include "pg/base/rows.h"

/* Deeper nodes are not indented further but say how deep they are. */
#define MOST_INDENTS 60

#define MOST_BAR_COLUMNS 1000

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

/* Two blanks, and the frame as deep as it is called. */
static void
append_name(StringInfo line, const FgTree *tree, const FgOutlineRow *row)
{
	uint32_t	indents = row->depth - 1 < MOST_INDENTS ? row->depth - 1 : MOST_INDENTS;

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

/* A blank and a bar; nothing for no columns. */
static void
append_bar(StringInfo line, double total, double self, uint32_t columns)
{
	FgContext	ctx = fg_current_context();
	FgBuffer	bar = {.ctx = &ctx};

	if (columns == 0)
		return;
	fg_must(&ctx, fg_bar_put(&bar, total, self, columns, GetDatabaseEncoding() == PG_UTF8));
	appendStringInfoChar(line, ' ');
	appendBinaryStringInfo(line, (char *) bar.data, (int) bar.size);
}

/* "  60.00%   10.00%    parse": total, self, a bar of both, and the frame. */
static void
outline_line(StringInfo line, const FgTree *tree, const FgOutlineRow *row, double total,
			 uint32_t bar_width)
{
	append_share(line, row->total, total);
	appendStringInfoChar(line, ' ');
	if (row->hidden == 0)
		append_share(line, row->self, total);
	else
		appendStringInfoSpaces(line, 8);
	append_bar(line, total == 0 ? 0 : fabs(row->total / total),
			   total == 0 ? 0 : fabs(row->self / total), bar_width);
	append_name(line, tree, row);
}

/* Arguments of both outlines. */
typedef struct OutlineArguments
{
	double		min_share;
	uint32_t	max_depth;
	uint32_t	bar_width;
} OutlineArguments;

/* From "argument" on; tree() of an earlier version has no bar_width. */
static OutlineArguments
outline_arguments(FunctionCallInfo fcinfo, int argument)
{
	OutlineArguments a = {PG_GETARG_FLOAT8(argument), FG_MAX_DEPTH, 0};
	int32		bar_width = 0;

	if (!(a.min_share >= 0 && a.min_share <= 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("min_share must be between 0 and 1"),
				 errhint("Shares are fractions: 0.05 is five percent.")));
	if (!PG_ARGISNULL(argument + 1))
	{
		if (PG_GETARG_INT32(argument + 1) < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("max_depth must not be negative: %d", PG_GETARG_INT32(argument + 1)),
					 errhint("NULL stands for no limit.")));
		a.max_depth = (uint32_t) PG_GETARG_INT32(argument + 1);
	}
	if (PG_NARGS() > argument + 2)
		bar_width = fg_required_int(fcinfo, argument + 2, "bar_width");
	if (bar_width < 0 || bar_width > MOST_BAR_COLUMNS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bar_width must be between 0 and %d, not %d", MOST_BAR_COLUMNS,
						bar_width),
				 errhint("It is in columns; 0 stands for no bars.")));
	a.bar_width = (uint32_t) bar_width;
	return a;
}

static void
end_line(FgRows *rows, StringInfo line)
{
	Datum		value = PointerGetDatum(cstring_to_text_with_len(line->data, line->len));
	bool		null = false;

	fg_rows_end_row(rows, &value, &null);
	resetStringInfo(line);
}

PG_FUNCTION_INFO_V1(flamegraph_tree);
Datum
flamegraph_tree(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	OutlineArguments arguments;
	FgOperands	in;
	FgFacts		facts;
	FgOutlineRow *outline;
	StringInfoData line;
	uint32_t	count;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	arguments = outline_arguments(fcinfo, 1);
	fg_get_operand(fcinfo, &in);
	fg_must(&in.ctx, fg_tree_facts(&in.ctx, in.a, &facts) &&
			fg_outline(&in.ctx, in.a, arguments.min_share, arguments.max_depth, &outline,
					   &count));
	initStringInfo(&line);
	for (uint32_t i = 0; i < count; i++)
	{
		fg_rows_begin_row(&rows);
		outline_line(&line, in.a, &outline[i], facts.total, arguments.bar_width);
		end_line(&rows, &line);
	}
	return (Datum) 0;
}

/* --- changes ------------------------------------------------------------------------- */

/* "+50 %", "new", "gone": how large a change is of what was before. */
static void
append_relative(StringInfo line, double before, double change, bool is_new, bool is_gone)
{
	char		share[FG_UNITS_SIZE + 1] = "+";
	char	   *text = share + 1;

	fg_units_share(change, fabs(before), text);
	if (is_new || is_gone)
		text = is_new ? "new" : "gone";
	else if (text[0] == '-' && text[1] == '<')	/* too little for a sign to say anything */
		text++;
	else if (change > 0 && text[0] != '-' && text[0] != '<')
		text--;
	appendStringInfo(line, " %8s", text);
}

/*
 * "     +50    +50 % bar parse": the change, of what was before, and the frame.  The bar is
 * solid as far as the frame itself changed in the same direction.
 */
static void
change_line(StringInfo line, const FgTreeUnion *both, const FgOutlineRow *row, double whole,
			uint32_t bar_width)
{
	double		self = row->self * row->total > 0 ? fabs(row->self) : 0;
	double		before = row->node == 0 ? both->self[FG_BEFORE][0]
		: both->total[FG_BEFORE][row->node];
	char		number[FG_UNITS_SIZE + 1] = "+";
	int			sign = row->total > 0 ? 0 : 1;

	fg_units_number(row->total + 0.0, number + 1);	/* not -0 */
	appendStringInfo(line, "%9s", number + sign);
	if (row->hidden != 0)
		appendStringInfoSpaces(line, 9);
	else if (row->node == 0)
		append_relative(line, before, row->total, before == 0, both->self[FG_AFTER][0] == 0);
	else
		append_relative(line, before, row->total, both->node[FG_BEFORE][row->node] == FG_NONE,
						both->node[FG_AFTER][row->node] == FG_NONE);
	append_bar(line, fabs(row->total / whole), self / whole, bar_width);
	append_name(line, &both->tree, row);
}

PG_FUNCTION_INFO_V1(flamegraph_diff_tree);
Datum
flamegraph_diff_tree(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	OutlineArguments arguments;
	FgOperands	in;
	FgTreeUnion both;
	FgFacts		facts;
	FgOutlineRow *outline;
	StringInfoData line;
	uint32_t	count;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		return (Datum) 0;
	arguments = outline_arguments(fcinfo, 2);
	fg_get_operands(fcinfo, &in);
	fg_must(&in.ctx, fg_tree_union(&in.ctx, in.a, in.b, &both) &&
			fg_outline_changes(&in.ctx, &both, arguments.min_share, arguments.max_depth,
							   &outline, &count) &&
			fg_tree_facts(&in.ctx, &both.tree, &facts));
	initStringInfo(&line);
	for (uint32_t i = 0; i < count; i++)
	{
		fg_rows_begin_row(&rows);
		change_line(&line, &both, &outline[i], facts.norm, arguments.bar_width);
		end_line(&rows, &line);
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
