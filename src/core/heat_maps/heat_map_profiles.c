/*
 * heat_map_profiles.c
 *	  Values of profiles become cells of a heat map (see heat_map_profiles.h).
 */
#include "core/heat_maps/heat_map_profiles.h"

#include "core/base/order.h"
#include "core/base/series.h"
#include "core/plots/plot_say.h"
#include "core/profile/path.h"
#include "core/profile/walk.h"
#include "core/samples/keys.h"
#include "core/svg/axis.h"
#include "core/svg/units.h"

#include <math.h>

/* A sum of squares as squares * 4^exponent, so that none overflows or vanishes. */
typedef struct Squares
{
	double		squares;
	int			exponent;
} Squares;

typedef struct Heat
{
	FgContext  *ctx;
	const FgHeatRuns *runs;
	FgKeys		keys;
	FgKeptProfiles at_level;	/* the profiles, from one reading to the next */
	double	   *values;			/* of key k in profile i: values[i * keys.count + k] */
	bool		kept;			/* else values are those of one profile, and read twice */
	Squares    *squares;		/* by key */
	double	   *absolute;		/* by key: sum of absolute values */
	double	   *norm;			/* by key: root of the sum of squares */
	uint32_t   *order;			/* of keys */
	uint32_t   *row;			/* by key; FG_NONE: it is not drawn */
	uint32_t	nrows;
	bool		negative;		/* there are such values */
	FgBuffer	bytes;			/* of names */
	size_t	   *start;			/* by row: of its name in them */
	FgText	   *names;
	FgHeatCell *cells;
	size_t		ncells;
	double		hi;				/* the largest value that is drawn, and its cell */
	FgHeatCell	largest;
	FgSaid		subtitle;
	FgSaid		footnote;
	FgSaid		description;
} Heat;

/* --- values ------------------------------------------------------------------------- */

static bool
read_values(Heat *h, size_t i, double **values)
{
	FgDouble2	none = {0, 0};
	FgTree		vector;
	bool		ok;

	*values = h->kept ? h->values + i * h->keys.count : h->values;
	if (!fg_check(h->ctx) ||
		!fg_kept_take(h->ctx, &h->at_level, &h->runs->profiles, i, h->runs->level, &vector))
		return false;
	ok = fg_keys_values_of(h->ctx, &h->keys, &vector, *values, &none);
	fg_tree_free(h->ctx, &vector);
	return ok;
}

static void
add_square(Squares *sum, double value)
{
	int			exponent;

	if (value == 0)
		return;
	(void) frexp(value, &exponent);
	if (sum->squares == 0)
		sum->exponent = exponent;
	if (exponent > sum->exponent)
	{
		sum->squares = ldexp(sum->squares, 2 * (sum->exponent - exponent));
		sum->exponent = exponent;
	}
	value = ldexp(value, -sum->exponent);
	sum->squares += value * value;
}

static bool
add_profile(Heat *h, size_t i)
{
	double	   *values;

	if (!read_values(h, i, &values))
		return false;
	for (uint32_t k = 0; k < h->keys.count; k++)
	{
		if (!(fabs(values[k]) <= FG_AXIS_LARGEST))
			return fg_fail_at(h->ctx, FG_ERROR_RANGE, 0, 0, "Plots take numbers up to 1e200.",
							  "a number cannot be drawn");
		add_square(&h->squares[k], values[k]);
		h->absolute[k] += fabs(values[k]);
		h->negative |= values[k] < 0;
		if (!fg_check_every(h->ctx, k))
			return false;
	}
	return true;
}

static bool
allocate(Heat *h)
{
	size_t		keys = h->keys.count;
	size_t		runs = h->runs->profiles.count;

	h->kept = runs == 0 || keys <= h->runs->memory / sizeof(double) / runs;
	h->values = fg_alloc(h->ctx, h->kept ? runs * keys : keys, sizeof(double));
	h->squares = fg_alloc_zero(h->ctx, keys, sizeof(Squares));
	h->absolute = fg_alloc_zero(h->ctx, keys, sizeof(double));
	h->norm = fg_alloc(h->ctx, keys, sizeof(double));
	h->order = fg_alloc(h->ctx, keys, sizeof(uint32_t));
	h->row = fg_alloc(h->ctx, keys, sizeof(uint32_t));
	return h->values != NULL && h->squares != NULL && h->absolute != NULL && h->norm != NULL &&
		h->order != NULL && h->row != NULL;
}

/* --- rows --------------------------------------------------------------------------- */

static bool
choose_rows(Heat *h)
{
	for (uint32_t k = 0; k < h->keys.count; k++)
	{
		h->norm[k] = ldexp(sqrt(h->squares[k].squares), h->squares[k].exponent);
		h->row[k] = FG_NONE;
		if (!fg_check_every(h->ctx, k))
			return false;
	}
	if (!fg_order_descending(h->ctx, h->norm, h->keys.count, h->order))
		return false;
	h->nrows = h->keys.count < h->runs->max_rows ? h->keys.count : h->runs->max_rows;
	for (uint32_t r = 0; r < h->nrows; r++)
		h->row[h->order[r]] = r;
	return true;
}

/* A function by its name, anything else by its path. */
static bool
write_name(Heat *h, const FgTree *tree, const uint32_t *path, uint32_t depth)
{
	bool		alone = h->runs->level == FG_LEVEL_SELF || h->runs->level == FG_LEVEL_FRAME;
	bool		ok = depth > 0 || fg_text_put(&h->bytes, "(empty stack)");

	for (uint32_t at = 1; ok && at <= depth; at++)
	{
		uint32_t	frame = fg_key_frame(tree->key[path[at]]);
		const char *bytes = fg_frame_bytes(&tree->frames, frame);
		uint32_t	length = fg_frame_length(&tree->frames, frame);

		ok = (at == 1 || fg_path_print_separator(&h->bytes)) &&
			(alone ? fg_buffer_append(&h->bytes, bytes, length)
			 : fg_path_print_frame(&h->bytes, bytes, length)) && fg_work(h->ctx, length);
	}
	return ok;
}

/* Keys are numbered as their nodes are. */
static bool
write_names(Heat *h, FgWalk *walk, size_t *length)
{
	const FgTree *tree = &h->keys.tree;
	uint32_t	key = 0;

	do
	{
		uint32_t	node = walk->node;
		uint32_t	row;

		if (tree->self[node] == 0)
			continue;
		row = h->row[key++];
		if (row == FG_NONE)
			continue;
		h->start[row] = h->bytes.size;
		if (!write_name(h, tree, walk->path, node == 0 ? 0 : walk->depth))
			return false;
		length[row] = h->bytes.size - h->start[row];
	} while (fg_walk_next(walk));
	return true;
}

static bool
make_names(Heat *h)
{
	size_t	   *length = fg_alloc(h->ctx, h->nrows, sizeof(size_t));
	FgWalk		walk;
	bool		ok = false;

	h->start = fg_alloc(h->ctx, h->nrows, sizeof(size_t));
	h->names = fg_alloc(h->ctx, h->nrows, sizeof(FgText));
	if (length != NULL && h->start != NULL && h->names != NULL &&
		fg_walk_begin(h->ctx, &h->keys.tree, &walk))
	{
		ok = write_names(h, &walk, length);
		ok = fg_walk_end(&walk) && ok;
	}
	for (uint32_t r = 0; ok && r < h->nrows; r++)
		h->names[r] = (FgText) {(const char *) h->bytes.data + h->start[r], length[r]};
	fg_release(h->ctx, length);
	return ok;
}

/* --- cells -------------------------------------------------------------------------- */

static bool
take_cells(Heat *h, size_t i)
{
	double	   *values = h->values + i * h->keys.count;

	if (!h->kept && !read_values(h, i, &values))
		return false;
	for (uint32_t r = 0; r < h->nrows; r++)
	{
		FgHeatCell	cell = {r, h->runs->column[i], values[h->order[r]]};

		if (!(cell.value <= h->hi))
		{
			h->hi = cell.value;
			h->largest = cell;
		}
		h->cells[h->ncells++] = cell;
		if (!fg_check_every(h->ctx, r))
			return false;
	}
	return true;
}

static bool
make_cells(Heat *h)
{
	size_t		runs = h->runs->profiles.count;

	/* both are below the largest number of elements of an array */
	h->cells = fg_alloc(h->ctx, (size_t) h->nrows * runs, sizeof(FgHeatCell));
	if (h->cells == NULL)
		return false;
	for (size_t i = 0; i < runs; i++)
	{
		if (!take_cells(h, i))
			return false;
	}
	return true;
}

/* --- texts -------------------------------------------------------------------------- */

static const struct
{
	const char *values;
	const char *noun;
	bool		adds_up;		/* to the total */
}			words[FG_LEVELS] = {
	[FG_LEVEL_STACK] = {"self values of ", "stack", true},
	[FG_LEVEL_NODE] = {"total values of ", "calling context", false},
	[FG_LEVEL_FRAME] = {"total values of ", "function", false},
	[FG_LEVEL_SELF] = {"self values of ", "function", true}
};

static void
say_share(FgSaid *said, double part, double whole, const char *of)
{
	char		text[FG_UNITS_SIZE];

	said->ok = said->ok &&
		fg_buffer_append(&said->text, text, fg_units_share(part, whole, text));
	fg_say(said, of);
}

/* What the keys have that are not drawn, of all keys. */
static bool
say_left_out(Heat *h)
{
	FgSaid	   *said = &h->footnote;
	double		most = h->norm[h->order[0]];
	double		squares[2] = {0, 0};	/* drawn or not, not drawn */
	double		absolute[2] = {0, 0};

	for (uint32_t i = 0; i < h->keys.count; i++)
	{
		uint32_t	k = h->order[i];
		double		square = h->norm[k] / most * (h->norm[k] / most);

		squares[0] += square;
		squares[1] += i < h->nrows ? 0 : square;
		absolute[0] += h->absolute[k];
		absolute[1] += i < h->nrows ? 0 : h->absolute[k];
		if (!fg_check_every(h->ctx, i))
			return false;
	}
	fg_say(said, ", those with the largest sums of squares; ");
	said->ok = said->ok && fg_text_count(&said->text, h->keys.count - h->nrows);
	fg_say(said, " left out, with ");
	say_share(said, squares[1], squares[0], " of the sum of squares");
	if (words[h->runs->level].adds_up)
	{
		fg_say(said, " and ");
		say_share(said, absolute[1], absolute[0],
				  h->negative ? " of the sum of absolute values" : " of the total");
	}
	return true;
}

static bool
say_footnote(Heat *h)
{
	FgSaid	   *said = &h->footnote;
	uint64_t	null = h->runs->count - h->runs->profiles.count;

	if (h->nrows == 0)
		fg_say(said, "nothing to draw: no profile has values");
	else if (h->nrows == h->keys.count)
	{
		fg_say(said, "all ");
		fg_say_count(said, h->keys.count, words[h->runs->level].noun);
	}
	else
	{
		said->ok = said->ok && fg_text_count(&said->text, h->nrows);
		fg_say(said, " of ");
		fg_say_count(said, h->keys.count, words[h->runs->level].noun);
		if (!say_left_out(h))
			return false;
	}
	if (null > 0)
	{
		fg_say(said, "; ");
		fg_say_count(said, null, "null profile");
	}
	return true;
}

static bool
say_all(Heat *h, FgText unit)
{
	FgSaid	   *texts[] = {&h->subtitle, &h->description};

	fg_say(&h->description, "Heat map: ");
	for (int t = 0; t < 2; t++)
	{
		fg_say(texts[t], words[h->runs->level].values);
		fg_say_count(texts[t], h->nrows, words[h->runs->level].noun);
		fg_say(texts[t], " in ");
		fg_say_count(texts[t], h->runs->count, "run");
	}
	fg_say(&h->description, ".");
	if (h->ncells > 0)
	{
		fg_say(&h->description, " The largest is ");
		fg_say_value(&h->description, h->hi, unit);
		fg_say(&h->description, ": ");
		fg_say_text(&h->description, h->names[h->largest.line]);
		fg_say(&h->description, ", ");
		fg_say_text(&h->description, h->runs->labels[h->largest.column]);
	}
	return say_footnote(h) && h->subtitle.ok && h->footnote.ok && h->description.ok;
}

/* --- picture ------------------------------------------------------------------------ */

static bool
make_rows(Heat *h)
{
	if (!fg_kept_begin(h->ctx, &h->at_level, h->runs->profiles.count, h->runs->memory) ||
		!fg_keys_find(h->ctx, &h->runs->profiles, 1, h->runs->level, 1, &h->at_level, &h->keys) ||
		!allocate(h))
		return false;
	for (size_t i = 0; i < h->runs->profiles.count; i++)
	{
		if (!add_profile(h, i))
			return false;
	}
	return choose_rows(h) && make_names(h) && make_cells(h);
}

static bool
draw(Heat *h, const FgHeatOptions *options, FgBuffer *svg)
{
	bool		paths = h->runs->level == FG_LEVEL_STACK || h->runs->level == FG_LEVEL_NODE;
	FgHeatMap	map;

	if (!make_rows(h) || !say_all(h, options->unit))
		return false;
	map = (FgHeatMap) {
		.subtitle = fg_text_of(&h->subtitle.text), .description = fg_text_of(&h->description.text),
		.footnote = fg_text_of(&h->footnote.text), .lines = h->names, .nlines = h->nrows,
		.columns = h->runs->labels, .ncolumns = h->runs->count, .cells = h->cells,
		.ncells = h->ncells, .truncate = paths ? FG_TRUNCATE_START : FG_TRUNCATE_QUALIFIER
	};
	return fg_heat_map_svg(&map, options, svg);
}

static void
release(Heat *h)
{
	fg_keys_free(h->ctx, &h->keys);
	fg_kept_end(h->ctx, &h->at_level);
	fg_release(h->ctx, h->values);
	fg_release(h->ctx, h->squares);
	fg_release(h->ctx, h->absolute);
	fg_release(h->ctx, h->norm);
	fg_release(h->ctx, h->order);
	fg_release(h->ctx, h->row);
	fg_release(h->ctx, h->bytes.data);
	fg_release(h->ctx, h->start);
	fg_release(h->ctx, h->names);
	fg_release(h->ctx, h->cells);
	fg_release(h->ctx, h->subtitle.text.data);
	fg_release(h->ctx, h->footnote.text.data);
	fg_release(h->ctx, h->description.text.data);
}

bool
fg_heat_runs_svg(const FgHeatRuns *runs, const FgHeatOptions *options, FgBuffer *svg)
{
	FgContext  *ctx = svg->ctx;
	Heat		h = {
		.ctx = ctx, .runs = runs, .hi = -INFINITY, .bytes.ctx = ctx,
		.subtitle = fg_say_begin(ctx), .footnote = fg_say_begin(ctx),
		.description = fg_say_begin(ctx)
	};
	bool		ok = draw(&h, options, svg);

	release(&h);
	return ok;
}
