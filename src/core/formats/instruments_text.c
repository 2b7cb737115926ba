/*
 * instruments_text.c
 *	  The text of a deep copy from Instruments' call tree (see instruments.h).
 *
 * A line has cells between tabs.  The heading names them: the first one is what a node took
 * with all that it called ("Weight", "Running Time", "Bytes Used"), one may be what it took
 * itself ("Self Weight", "Self (ms)"), one is its name, indented by its depth.
 *
 * What a node took itself is its value, where it is there.  Else it is what is left of the
 * whole without what it called; sizes are printed with few digits, so that less than nothing
 * may be left, which is noted.
 */
#include "core/formats/instruments.h"

#include "core/base/bytes.h"
#include "core/base/number.h"
#include "core/reading/text_lines.h"

#include <math.h>

#define MAX_CELLS 16
#define NO_CELL (-1)

/* Of what the outermost nodes took so much is there in the lines of a whole copy, however they were rounded. */
#define MOST_OWN 0.99

typedef enum Measure
{
	NO_MEASURE,					/* a plain number */
	NANOSECONDS,
	CYCLES,
	BYTES
} Measure;

/* A node that is open: what is to come may be in it. */
typedef struct Node
{
	size_t		name;			/* in the names */
	size_t		length;
	double		value;			/* its own, as far as is known */
	double		count;			/* of blocks */
} Node;

struct FgInstrumentsText
{
	FgSink	   *sink;
	FgContext  *ctx;
	FgTextLines lines;
	bool		has_heading;
	int			whole;			/* cells */
	int			self;
	int			count;
	int			name;
	Measure		self_measure;	/* where the heading says it */
	Measure		whole_measure;
	char		event[32];		/* the heading of the values */
	Measure		measure;		/* of the first value */
	bool		has_profile;
	uint32_t	profile;
	uint32_t	counts;
	size_t		indent;			/* of the first name */
	Node	   *open;
	size_t		depth;
	size_t		capacity;
	FgBuffer	names;			/* of the open nodes */
	uint64_t	rounded;		/* functions that took less than nothing */
	double		outermost;		/* what the outermost nodes took with all below them */
	double		own;			/* what all nodes took themselves */
};

typedef struct Cells
{
	const char *text[MAX_CELLS];
	size_t		length[MAX_CELLS];
	int			count;
} Cells;

/* --- cells -------------------------------------------------------------------------------- */

static bool
is_space(const char *text, size_t length, size_t *size)
{
	/* tables of later versions are filled up with spaces as wide as a digit */
	*size = length >= 3 && memcmp(text, "\xE2\x80\x87", 3) == 0 ? 3
		: length >= 2 && memcmp(text, "\xC2\xA0", 2) == 0 ? 2 : 1;
	return *size > 1 || (length > 0 && text[0] == ' ');
}

static void
split(const char *line, size_t length, Cells *cells)
{
	size_t		start = 0;

	cells->count = 0;
	for (size_t i = 0; i <= length; i++)
	{
		if (i < length && line[i] != '\t')
			continue;
		if (cells->count < MAX_CELLS)
		{
			cells->text[cells->count] = line + start;
			cells->length[cells->count++] = i - start;
		}
		start = i + 1;
	}
}

static bool
is_cell(const Cells *cells, int cell, const char *text)
{
	return cells->length[cell] == strlen(text) && memcmp(cells->text[cell], text, strlen(text)) == 0;
}

typedef struct Heading
{
	const char *text;
	Measure		measure;
} Heading;

static const Heading wholes[] = {
	{"Weight", NO_MEASURE}, {"Running Time", NO_MEASURE}, {"Running Time (ms)", NANOSECONDS},
	{"Bytes Used", NO_MEASURE}, {NULL, NO_MEASURE}
};

static const Heading selves[] = {
	{"Self Weight", NO_MEASURE}, {"Self", NO_MEASURE}, {"Self (ms)", NANOSECONDS}, {NULL, NO_MEASURE}
};

static const Heading names[] = {
	{"Symbol Name", NO_MEASURE}, {"Symbol Names", NO_MEASURE}, {NULL, NO_MEASURE}
};

static const Heading counts[] = {{"Count", NO_MEASURE}, {NULL, NO_MEASURE}};

static int
find_cell(const Cells *cells, const Heading *headings, Measure *measure)
{
	for (int i = 0; i < cells->count; i++)
	{
		for (const Heading *heading = headings; heading->text != NULL; heading++)
		{
			if (!is_cell(cells, i, heading->text))
				continue;
			*measure = heading->measure;
			return i;
		}
	}
	return NO_CELL;
}

bool
fg_instruments_is_heading(const char *line, size_t length)
{
	Cells		cells;
	Measure		measure;

	split(line, length, &cells);
	return cells.count > 1 && find_cell(&cells, wholes, &measure) == 0 &&
		find_cell(&cells, names, &measure) != NO_CELL;
}

/* --- numbers ---------------------------------------------------------------------------------- */

typedef struct Unit
{
	const char *text;
	Measure		measure;
	double		factor;
} Unit;

static const Unit units[] = {
	{"ns", NANOSECONDS, 1}, {"us", NANOSECONDS, 1e3}, {"\xC2\xB5s", NANOSECONDS, 1e3},
	{"\xCE\xBCs", NANOSECONDS, 1e3}, {"ms", NANOSECONDS, 1e6}, {"s", NANOSECONDS, 1e9},
	{"min", NANOSECONDS, 60e9}, {"h", NANOSECONDS, 3600e9},
	{"cycles", CYCLES, 1}, {"c", CYCLES, 1}, {"Kc", CYCLES, 1e3}, {"Mc", CYCLES, 1e6},
	{"Gc", CYCLES, 1e9}, {"Tc", CYCLES, 1e12},
	{"Bytes", BYTES, 1}, {"KB", BYTES, 0x1p10}, {"KiB", BYTES, 0x1p10}, {"MB", BYTES, 0x1p20},
	{"MiB", BYTES, 0x1p20}, {"GB", BYTES, 0x1p30}, {"GiB", BYTES, 0x1p30}, {"TB", BYTES, 0x1p40},
	{"TiB", BYTES, 0x1p40}
};

static bool
fail(FgInstrumentsText *r, const char *hint, const char *reason)
{
	return fg_fail_at(r->ctx, FG_ERROR_SYNTAX, r->lines.number, 1, hint, "%s", reason);
}

static void
skip_spaces(const char **text, size_t *length)
{
	size_t		size;

	while (*length > 0 && is_space(*text, *length, &size))
	{
		*text += size;
		*length -= size;
	}
}

/* What the number is in: the heading says it, or the word behind the number. */
static const Unit *
find_unit(const char *text, size_t length, Measure measure)
{
	static const Unit plain = {"", NO_MEASURE, 1};
	static const Unit milliseconds = {"", NANOSECONDS, 1e6};
	size_t		size;
	size_t		end = 0;

	while (end < length && !is_space(text + end, length - end, &size))
		end++;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
	{
		if (strlen(units[i].text) == end && memcmp(units[i].text, text, end) == 0)
			return &units[i];
	}
	/* behind a plain number a share may follow */
	if (end > 0 && (text[end - 1] != '%' || end == 1))
		return NULL;
	return measure == NANOSECONDS ? &milliseconds : &plain;
}

/* "4.93 s  100.0%", "404.75 Mc", "693", or "-" for nothing. */
static bool
take_number(FgInstrumentsText *r, const Cells *cells, int cell, Measure *measure, double *value)
{
	const char *text = cells->text[cell];
	size_t		length = cells->length[cell];
	size_t		digits = 0;
	const Unit *unit;

	*value = 0;
	skip_spaces(&text, &length);
	if (length == 1 && text[0] == '-')
		return true;
	while (digits < length && ((text[digits] >= '0' && text[digits] <= '9') || text[digits] == '.'))
		digits++;
	if (digits == 0 || fg_number_parse(r->ctx, text, digits, value) != FG_NUMBER_OK)
		return r->ctx->error.code != FG_ERROR_MEMORY &&
			fail(r, "Copy the table with numbers as English writes them.", "a value is not a number");
	text += digits;
	length -= digits;
	skip_spaces(&text, &length);
	unit = find_unit(text, length, *measure);
	if (unit == NULL)
		return fail(r, NULL, "the unit of a value is not known");
	*measure = unit->measure;
	*value = unit->factor == 1 ? *value : round(*value * unit->factor);
	return true;
}

/* --- the tree --------------------------------------------------------------------------------- */

static bool
take_heading(FgInstrumentsText *r, const Cells *cells)
{
	Measure		none;

	r->has_heading = true;
	r->whole = find_cell(cells, wholes, &r->whole_measure);
	r->self = find_cell(cells, selves, &r->self_measure);
	r->count = find_cell(cells, counts, &none);
	r->name = find_cell(cells, names, &none);
	if (r->whole == NO_CELL || r->name == NO_CELL || cells->length[r->whole] >= sizeof(r->event))
		return fail(r, "Its first line is that of Instruments: Weight, Self Weight, Symbol Name.",
					"the deep copy has no heading");
	memcpy(r->event, cells->text[r->whole], cells->length[r->whole]);
	r->event[cells->length[r->whole]] = '\0';
	return true;
}

/* The unit of the first value is that of all. */
static bool
begin_profiles(FgInstrumentsText *r, Measure measure)
{
	static const FgKind count_kind = {"alloc_objects", "Count", "count", 0};
	static const char *const unit_names[] = {"samples", "nanoseconds", "cycles", "bytes"};
	FgKind		kind = {measure == BYTES ? "alloc" : "cpu", r->event, unit_names[measure], 0};

	r->has_profile = true;
	r->measure = measure;
	return fg_sink_default(r->sink, r->event) && fg_sink_profile(r->sink, &kind, &r->profile) &&
		(r->count == NO_CELL || fg_sink_profile(r->sink, &count_kind, &r->counts));
}

/* A node ends: its stack has what it took itself. */
static bool
close_node(FgInstrumentsText *r)
{
	Node	   *node = &r->open[r->depth - 1];

	r->rounded += node->value < 0 || node->count < 0;
	if (node->value > 0 || node->count > 0)
	{
		fg_sink_clear(r->sink);
		for (size_t i = 0; i < r->depth; i++)
		{
			if (!fg_sink_frame(r->sink, (char *) r->names.data + r->open[i].name, r->open[i].length))
				return false;
		}
		if ((node->value > 0 && !fg_sink_add(r->sink, r->profile, FG_ROOT_FIRST, false, node->value)) ||
			(node->count > 0 && !fg_sink_add(r->sink, r->counts, FG_ROOT_FIRST, false, node->count)))
			return false;
	}
	r->names.size = node->name;
	r->depth--;
	return fg_work(r->ctx, r->depth * 16 + 16);
}

static bool
open_node(FgInstrumentsText *r, const char *name, size_t length, Node node)
{
	if (r->depth >= FG_MAX_DEPTH)
		return fg_fail_at(r->ctx, FG_ERROR_LIMIT, r->lines.number, 1, NULL, "a stack is deeper than %d",
						  FG_MAX_DEPTH);
	if (!fg_reserve(r->ctx, (void **) &r->open, &r->capacity, r->depth + 1, sizeof(Node)))
		return false;
	node.name = r->names.size;
	node.length = length;
	r->open[r->depth++] = node;
	return fg_buffer_append(&r->names, name, length) && fg_buffer_room(&r->names, 1);
}

/* The depth of a name, which then is without its indent. */
static bool
find_depth(FgInstrumentsText *r, const char **name, size_t *length, size_t *depth)
{
	size_t		indent = 0;

	while (*length > 0 && **name == ' ')
	{
		(*name)++;
		(*length)--;
		indent++;
	}
	if (*length == 0)
		return fail(r, NULL, "a line has no name");
	if (r->depth == 0 && r->names.size == 0 && !r->has_profile)
		r->indent = indent;
	*depth = indent - r->indent;
	if (indent < r->indent || *depth > r->depth)
		return fail(r, "A node is indented by one space more than the one that called it.",
					"a name is indented too far, or less than the first one");
	return true;
}

static bool
take_values(FgInstrumentsText *r, const Cells *cells, double *whole, Node *node)
{
	Measure		measure = r->whole_measure;
	Measure		self_measure = r->self_measure;
	Measure		none = NO_MEASURE;

	if (!take_number(r, cells, r->whole, &measure, whole))
		return false;
	node->value = *whole;
	if (r->self != NO_CELL && !take_number(r, cells, r->self, &self_measure, &node->value))
		return false;
	if (r->count != NO_CELL && !take_number(r, cells, r->count, &none, &node->count))
		return false;
	if (!r->has_profile && !begin_profiles(r, measure))
		return false;
	if (measure != r->measure && *whole != 0)
		return fail(r, NULL, "values have different kinds of units");
	return true;
}

static bool
take_node(FgInstrumentsText *r, const Cells *cells)
{
	const char *name = cells->text[r->name];
	size_t		length = cells->length[r->name];
	Node		node = {0};
	double		whole = 0;
	size_t		depth = 0;

	if (!find_depth(r, &name, &length, &depth) || !take_values(r, cells, &whole, &node))
		return false;
	while (r->depth > depth)
	{
		if (!close_node(r))
			return false;
	}
	if (r->depth > 0 && r->self == NO_CELL)
		r->open[r->depth - 1].value -= whole;
	if (r->depth > 0)
		r->open[r->depth - 1].count -= node.count;
	r->outermost += depth == 0 ? whole : 0;
	r->own += node.value;
	return open_node(r, name, length, node);
}

static bool
take_line(void *arg, const char *line, size_t length, uint64_t number)
{
	FgInstrumentsText *r = arg;
	Cells		cells;

	(void) number;
	if (length == 0)
		return true;
	split(line, length, &cells);
	if (!r->has_heading)
		return take_heading(r, &cells);
	if (cells.count <= r->name)
		return fail(r, "It may have been cut off.", "a line has fewer cells than the heading");
	return take_node(r, &cells);
}

/* --- the reader ------------------------------------------------------------------------------- */

void
fg_instruments_text_free(FgInstrumentsText *r)
{
	if (r == NULL)
		return;
	fg_text_lines_free(&r->lines);
	fg_release(r->ctx, r->open);
	fg_release(r->ctx, r->names.data);
	fg_release(r->ctx, r);
}

FgInstrumentsText *
fg_instruments_text_begin(FgSink *sink)
{
	FgContext  *ctx = fg_sink_context(sink);
	FgInstrumentsText *r = fg_alloc_zero(ctx, 1, sizeof(FgInstrumentsText));

	if (r == NULL)
		return NULL;
	r->sink = sink;
	r->ctx = r->names.ctx = ctx;
	fg_text_lines_begin(&r->lines, ctx, take_line, r);
	return r;
}

bool
fg_instruments_text_feed(FgInstrumentsText *r, const char *bytes, size_t size)
{
	return fg_text_lines_feed(&r->lines, bytes, size);
}

bool
fg_instruments_text_finish(FgInstrumentsText *r)
{
	if (!fg_text_lines_finish(&r->lines))
		return false;
	while (r->depth > 0)
	{
		if (!close_node(r))
			return false;
	}
	if (!r->has_profile)
		return fg_fail_at(r->ctx, FG_ERROR_SYNTAX, 0, 0, "Copy the table with all its lines.",
						  "the deep copy of Instruments has no lines");
	/* digits are rounded, mostly to three or four of them */
	if (r->self != NO_CELL && r->own < MOST_OWN * r->outermost)
		fg_sink_warn(r->sink, &(FgWarning) {
			.text = "the functions took less than the first ones with all they called, so lines are missing",
			.hint = "Copy the whole tree with Edit, Deep Copy: Copy leaves out what is not opened."
		});
	if (r->rounded > 0)
		fg_sink_warn(r->sink, &(FgWarning) {
			.text = "some functions took less than what they called, because the sizes are rounded",
			.hint = "These count nothing themselves, so that sums are a little too large.", .count = r->rounded
		});
	return true;
}
