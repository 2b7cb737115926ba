/*
 * heat_map_pairs.c
 *	  Rows become cells of a heat map (see heat_map_pairs.h).
 */
#include "core/heat_maps/heat_map_pairs.h"

#include "core/base/pairs.h"
#include "core/plots/plot_say.h"
#include "core/profile/names.h"

#include <math.h>

/* Texts by number, in the order in which they first come. */
typedef struct Words
{
	FgNames		names;
	FgText	   *texts;
} Words;

typedef struct Rows
{
	FgContext  *ctx;
	const FgHeatPairs *pairs;
	Words		lines;
	Words		columns;
	FgPairs		seen;
	FgHeatCell *cells;
	size_t		empty;			/* rows without a number */
	size_t		largest;		/* the row with the largest one */
	double		lo;
	double		hi;
	FgSaid		subtitle;
	FgSaid		footnote;
	FgSaid		description;
} Rows;

/* --- cells -------------------------------------------------------------------------- */

static bool
number_of(FgContext *ctx, Words *words, FgText text, uint32_t *number)
{
	if (!fg_names_add(&words->names, text.bytes, text.length, number) ||
		!fg_work(ctx, text.length))
		return false;
	words->texts[*number] = text;
	return true;
}

/* Up to here every pair was new, so a pair has the number of its row. */
static bool
note_pair(Rows *r, size_t i)
{
	uint32_t	number;

	if (!fg_pairs_add(&r->seen, r->cells[i].line, r->cells[i].column, &number))
		return false;
	if (number < i)
		return fg_fail_at(r->ctx, FG_ERROR_ARGUMENT, 0, 0,
						  "Group by both, and give the sum or the mean.",
						  "elements %u and %zu have the same column and line", number + 1, i + 1);
	return true;
}

static bool
take_row(Rows *r, size_t i)
{
	const FgHeatPairs *pairs = r->pairs;
	FgHeatCell *cell = &r->cells[i];

	cell->value = pairs->values[i];
	if (!number_of(r->ctx, &r->lines, pairs->lines[i], &cell->line) ||
		!number_of(r->ctx, &r->columns, pairs->columns[i], &cell->column) || !note_pair(r, i))
		return false;
	if (isnan(cell->value))
	{
		r->empty++;
		return true;
	}
	if (!(cell->value <= r->hi))
		r->largest = i;
	r->lo = fmin(r->lo, cell->value);
	r->hi = fmax(r->hi, cell->value);
	return true;
}

static bool
take_rows(Rows *r)
{
	size_t		n = r->pairs->n;

	r->lines.texts = fg_alloc(r->ctx, n, sizeof(FgText));
	r->columns.texts = fg_alloc(r->ctx, n, sizeof(FgText));
	r->cells = fg_alloc(r->ctx, n, sizeof(FgHeatCell));
	if (r->lines.texts == NULL || r->columns.texts == NULL || r->cells == NULL)
		return false;
	for (size_t i = 0; i < n; i++)
	{
		if (!take_row(r, i))
			return false;
	}
	return true;
}

/* --- texts -------------------------------------------------------------------------- */

static void
say_size(FgSaid *said, const Rows *r, const char *between)
{
	fg_say_count(said, r->lines.names.count, "line");
	fg_say(said, between);
	fg_say_count(said, r->columns.names.count, "column");
}

static void
say_footnote(Rows *r)
{
	FgSaid	   *said = &r->footnote;
	uint64_t	cells = (uint64_t) r->lines.names.count * r->columns.names.count;
	uint64_t	given = r->pairs->n;

	if (given == 0)
	{
		fg_say(said, "nothing to draw");
		return;
	}
	fg_say_count(said, cells, "cell");
	if (cells > given)
	{
		fg_say(said, "; not given: ");
		said->ok = said->ok && fg_text_count(&said->text, cells - given);
	}
	if (r->empty > 0)
	{
		fg_say(said, "; null or not a number: ");
		said->ok = said->ok && fg_text_count(&said->text, r->empty);
	}
}

static bool
say_all(Rows *r, FgText unit)
{
	const FgHeatPairs *pairs = r->pairs;
	bool		numbers = r->lo <= r->hi;

	say_size(&r->subtitle, r, ", ");
	if (numbers)
	{
		fg_say(&r->subtitle, "; from ");
		fg_say_value(&r->subtitle, r->lo, unit);
		fg_say(&r->subtitle, " to ");
		fg_say_value(&r->subtitle, r->hi, unit);
	}
	fg_say(&r->description, "Heat map of ");
	say_size(&r->description, r, " and ");
	fg_say(&r->description, ".");
	if (numbers)
	{
		fg_say(&r->description, " The largest value is ");
		fg_say_value(&r->description, r->hi, unit);
		fg_say(&r->description, ": ");
		fg_say_text(&r->description, pairs->lines[r->largest]);
		fg_say(&r->description, ", ");
		fg_say_text(&r->description, pairs->columns[r->largest]);
	}
	say_footnote(r);
	return r->subtitle.ok && r->footnote.ok && r->description.ok;
}

/* --- picture ------------------------------------------------------------------------ */

static bool
draw(Rows *r, const FgHeatOptions *options, FgBuffer *svg)
{
	FgHeatMap	map;

	if (!take_rows(r) || !say_all(r, options->unit))
		return false;
	map = (FgHeatMap) {
		.subtitle = fg_text_of(&r->subtitle.text), .description = fg_text_of(&r->description.text),
		.footnote = fg_text_of(&r->footnote.text), .lines = r->lines.texts,
		.nlines = r->lines.names.count, .columns = r->columns.texts,
		.ncolumns = r->columns.names.count, .cells = r->cells, .ncells = r->pairs->n,
		.truncate = FG_TRUNCATE_QUALIFIER
	};
	return fg_heat_map_svg(&map, options, svg);
}

bool
fg_heat_pairs_svg(const FgHeatPairs *pairs, const FgHeatOptions *options, FgBuffer *svg)
{
	FgContext  *ctx = svg->ctx;
	Rows		r = {
		.ctx = ctx, .pairs = pairs, .lo = INFINITY, .hi = -INFINITY, .seen.ctx = ctx,
		.subtitle = fg_say_begin(ctx), .footnote = fg_say_begin(ctx),
		.description = fg_say_begin(ctx)
	};
	bool		ok = fg_names_begin(ctx, &r.lines.names) &&
		fg_names_begin(ctx, &r.columns.names) && fg_pairs_begin(ctx, &r.seen) &&
		draw(&r, options, svg);

	fg_names_free(&r.lines.names);
	fg_names_free(&r.columns.names);
	fg_pairs_free(&r.seen);
	fg_release(ctx, r.lines.texts);
	fg_release(ctx, r.columns.texts);
	fg_release(ctx, r.cells);
	fg_release(ctx, r.subtitle.text.data);
	fg_release(ctx, r.footnote.text.data);
	fg_release(ctx, r.description.text.data);
	return ok;
}
