/*
 * flameseries_codec_windows.c
 *	  Windows of encoded series (see flameseries_codec_windows.h).
 */
#include "core/series/flameseries_codec_windows.h"

#include "core/profile/codec.h"
#include "core/profile/walk.h"
#include "core/series/flameseries_codec_internal.h"

#include <math.h>

struct FgFlameseriesReader
{
	FgContext  *ctx;
	FgFlameseriesSections sections;
	FgTree		tree;			/* without its frames until somebody asks for them */
	bool		has_frames;
	FgFrames	instances;
	bool		has_instances;	/* they are read when somebody asks */
};

/* --- opening ---------------------------------------------------------------------- */

static bool
count_stacks(const FgFlameseriesReader *reader)
{
	uint32_t	stacks = 0;

	for (size_t i = 0; i <= reader->tree.nnodes; i++)
	{
		stacks += reader->tree.self[i] != 0;
		if (!fg_check_every(reader->ctx, i))
			return false;
	}
	return stacks == reader->sections.header.stacks ||
		fg_flameseries_damaged(reader->ctx, "the tree has another number of stacks");
}

/* The nodes of the shared tree; their frames are numbers of its dictionary. */
static bool
decode_nodes(FgFlameseriesReader *reader)
{
	FgSections	sections;

	return fg_flameseries_whole_section(reader->ctx, &reader->sections.tree,
										reader->sections.header.tree_size) &&
		fg_codec_sections(reader->ctx, reader->sections.tree.next,
						  reader->sections.header.tree_size, &sections) &&
		fg_codec_decode_nodes(reader->ctx, &sections, &reader->tree);
}

/* For who needs the names themselves. */
static bool
decode_frames(FgFlameseriesReader *reader)
{
	if (!reader->has_frames)
		reader->has_frames = fg_codec_frames(reader->ctx, reader->sections.tree.next,
											 reader->sections.header.tree_size,
											 &reader->tree.frames);
	return reader->has_frames;
}

FgFlameseriesReader *
fg_flameseries_open(FgContext *ctx, const uint8_t *bytes, size_t size)
{
	FgFlameseriesReader *reader = fg_alloc_zero(ctx, 1, sizeof(FgFlameseriesReader));

	if (reader == NULL)
		return NULL;
	reader->ctx = ctx;
	if ((size >= FG_FLAMESERIES_HEADER || fg_flameseries_damaged(ctx, "the header is cut short")) &&
		fg_flameseries_sections(ctx, bytes, size, &reader->sections) &&
		decode_nodes(reader) && count_stacks(reader))
		return reader;
	fg_flameseries_close(reader);
	return NULL;
}

void
fg_flameseries_close(FgFlameseriesReader *reader)
{
	FgContext  *ctx = reader->ctx;

	fg_tree_free(ctx, &reader->tree);
	if (reader->has_instances)
		fg_frames_free(ctx, &reader->instances);
	fg_release(ctx, reader);
}

uint32_t
fg_flameseries_stacks(const FgFlameseriesReader *reader)
{
	return reader->sections.header.stacks;
}

const FgFrames *
fg_flameseries_instance_names(FgFlameseriesReader *reader)
{
	if (!reader->has_instances)
		reader->has_instances = fg_flameseries_read_instances(reader->ctx, &reader->sections,
															  &reader->instances);
	return reader->has_instances ? &reader->instances : NULL;
}

/* --- the profiles in a window ------------------------------------------------------- */

/* A block, which of its profiles are in the window, and their times and instances. */
typedef struct Part
{
	FgFlameseriesBlock block;
	int64_t		at[FG_BLOCK_PROFILES];
	uint32_t	instance[FG_BLOCK_PROFILES];
	bool		chosen[FG_BLOCK_PROFILES];
	uint32_t	count;			/* chosen ones */
} Part;

static bool
read_part(FgFlameseriesReader *reader, const FgFlameseriesWindow *window, Part *part)
{
	const FgFrames *instances = fg_flameseries_instance_names(reader);

	if (instances == NULL ||
		!fg_flameseries_block_profiles(reader->ctx, &part->block, instances->count, part->at,
									   part->instance))
		return false;
	part->count = 0;
	for (uint32_t p = 0; p < part->block.profiles; p++)
	{
		part->chosen[p] = fg_flameseries_in_window(window, part->at[p], part->instance[p]);
		part->count += part->chosen[p];
	}
	return true;
}

/*
 * The next block that has profiles in the window; false behind the last one or, with *ok, after
 * an error.
 */
static bool
next_part(FgFlameseriesReader *reader, FgFlameseriesBlocks *blocks,
		  const FgFlameseriesWindow *window, Part *part, bool *ok)
{
	while (fg_flameseries_next_block(reader->ctx, blocks, &part->block, ok))
	{
		if (part->block.at >= window->until && window->until != INT64_MAX)
			return false;
		if (part->block.next_at < window->since)
			continue;
		*ok = read_part(reader, window, part);
		if (!*ok || part->count > 0)
			return *ok;
	}
	return false;
}

static FgFlameseriesColumns
part_columns(const FgFlameseriesReader *reader, const Part *part)
{
	return (FgFlameseriesColumns) {
		.bytes = part->block.bytes,
		.profiles = part->block.profiles,
		.stacks = reader->sections.header.stacks,
		.doubles = reader->sections.header.form.mode == FG_VALUES_DOUBLE
	};
}

bool
fg_flameseries_all_times(const FgFlameseriesReader *reader, const FgFlameseriesWindow *window)
{
	const FgFlameseriesHeader *header = &reader->sections.header;

	return window->since <= header->since &&
		(window->until > header->until || window->until == INT64_MAX);
}

bool
fg_flameseries_first_time(FgFlameseriesReader *reader, const FgFlameseriesWindow *window,
						  int64_t *at, bool *found)
{
	FgFlameseriesBlocks blocks = fg_flameseries_blocks(&reader->sections);
	uint32_t	p = 0;
	Part		part;
	bool		ok;

	*found = next_part(reader, &blocks, window, &part, &ok);
	if (!*found)
		return ok;
	while (!part.chosen[p])
		p++;
	*at = part.at[p];
	return true;
}

/* --- sums ------------------------------------------------------------------------ */

/* Section SUMS, for everything. */
static bool
read_sums(FgFlameseriesReader *reader, double *sums)
{
	FgContext  *ctx = reader->ctx;
	FgReader	section = reader->sections.sums;
	FgValueForm form;

	if (fg_reader_left(&section) != reader->sections.header.sums_size ||
		fg_reader_left(&section) < 9)
		return fg_flameseries_damaged(ctx, "the sums are cut short");
	form = (FgValueForm) {section.next[0] & 0x0F, section.next[0] >> 4,
	fg_bits_double(fg_load_le(section.next + 1, 8))};
	section.next += 9;
	ctx->error.code = FG_OK;
	if (fg_values_form_valid(form) &&
		fg_values_read(ctx, &section, form, sums, reader->sections.header.stacks) &&
		fg_reader_left(&section) == 0)
		return true;
	return ctx->error.code == FG_OK && fg_flameseries_damaged(ctx, "the sums are damaged");
}

/* Doubles are added one after the other: their sum depends on the order. */
static void
add_doubles(const FgStackColumn *column, const uint8_t *place, const bool *chosen, double *sum)
{
	for (uint32_t i = 0; i < column->count; i++)
		if (place == NULL || chosen[place[i]])
			*sum += fg_bits_double(fg_load_le(column->packed + 8 * (size_t) i, 8));
}

static bool
add_chosen(FgFlameseriesReader *reader, const FgStackColumn *column, bool doubles,
		   const bool *chosen, double *sum)
{
	uint8_t		place[FG_BLOCK_PROFILES];
	int64_t		whole = 0;
	bool		ok;

	ok = doubles ? fg_column_places(column, place)
		: fg_column_sum_chosen(column, chosen, &whole);
	if (!ok)
		return fg_flameseries_damaged(reader->ctx, "the places of a column are damaged");
	if (doubles)
		add_doubles(column, place, chosen, sum);
	else
		*sum += (double) whole;
	return true;
}

/* All columns of a block that is in the window: no place is looked at. */
static bool
add_block(FgFlameseriesReader *reader, const Part *part, double *sums)
{
	FgFlameseriesColumns columns = part_columns(reader, part);
	FgStackColumn column;
	uint32_t	stack;
	bool		ok = true;

	do
	{
		if (!columns.doubles &&
			!fg_steps(reader->ctx, fg_column_sums(&columns.bytes, columns.profiles, columns.stacks,
												  &columns.next, sums)))
			return false;
		if (!fg_flameseries_next_column(reader->ctx, &columns, &column, &stack, &ok))
			return ok;
		if (columns.doubles)
			add_doubles(&column, NULL, NULL, &sums[stack]);
		else
			sums[stack] += (double) fg_column_sum(&column);
	} while (true);
}

static bool
add_part(FgFlameseriesReader *reader, const Part *part, double *sums)
{
	FgFlameseriesColumns columns = part_columns(reader, part);
	FgStackColumn column;
	uint32_t	stack;
	bool		ok;

	if (part->count == part->block.profiles)
		return add_block(reader, part, sums);
	while (fg_flameseries_next_column(reader->ctx, &columns, &column, &stack, &ok))
		if (!add_chosen(reader, &column, columns.doubles, part->chosen, &sums[stack]))
			return false;
	return ok;
}

static bool
add_parts(FgFlameseriesReader *reader, const FgFlameseriesWindow *window, double *sums)
{
	FgFlameseriesBlocks blocks = fg_flameseries_blocks(&reader->sections);
	FgValueForm form = reader->sections.header.form;
	Part		part;
	bool		ok;

	while (next_part(reader, &blocks, window, &part, &ok))
		if (!add_part(reader, &part, sums))
			return false;
	for (uint32_t i = 0; ok && i < reader->sections.header.stacks; i++)
	{
		if (form.mode == FG_VALUES_WHOLE)
			sums[i] = fg_multiple_value(form, sums[i]);
		ok = fg_check_every(reader->ctx, i);
	}
	return ok;
}

/* Gives the tree the sums in place of the numbers of profiles. */
static bool
put_sums(FgContext *ctx, const double *sums, FgTree *tree)
{
	for (size_t i = 0; i <= tree->nnodes; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		if (tree->self[i] == 0)
			continue;
		tree->self[i] = *sums++;
		if (!isfinite(tree->self[i]))
			return fg_fail(ctx, FG_ERROR_RANGE, "the sum of a stack does not fit a double");
	}
	return fg_tree_prune_zeros(ctx, tree);
}

/* Into a tree that has the nodes and frames of the shared one. */
static bool
sum_into(FgFlameseriesReader *reader, const FgFlameseriesWindow *window, FgTree *tree)
{
	const FgFlameseriesHeader *header = &reader->sections.header;
	FgContext  *ctx = reader->ctx;
	double	   *sums = fg_alloc_zero(ctx, header->stacks, sizeof(double));
	bool		everything = header->has_sums && window->wanted == NULL &&
		fg_flameseries_all_times(reader, window);
	bool		ok;

	if (sums == NULL)
		return false;
	ok = (everything ? read_sums(reader, sums) : add_parts(reader, window, sums)) &&
		put_sums(ctx, sums, tree);
	fg_release(ctx, sums);
	return ok;
}

bool
fg_flameseries_window_sum(FgFlameseriesReader *reader, const FgFlameseriesWindow *window,
						  FgTree *sum)
{
	if (!decode_frames(reader) || !fg_tree_copy(reader->ctx, &reader->tree, sum))
		return false;
	if (sum_into(reader, window, sum))
		return true;
	fg_tree_free(reader->ctx, sum);
	return false;
}

bool
fg_flameseries_sum(FgContext *ctx, const uint8_t *bytes, size_t size,
				   const FgFlameseriesWindow *window, FgTree *sum)
{
	FgFlameseriesReader *reader = fg_flameseries_open(ctx, bytes, size);
	bool		ok;

	if (reader == NULL)
		return false;
	ok = decode_frames(reader) && sum_into(reader, window, &reader->tree);
	if (ok)
	{
		*sum = reader->tree;
		memset(&reader->tree, 0, sizeof(reader->tree));
	}
	fg_flameseries_close(reader);
	return ok;
}

bool
fg_flameseries_chosen_sum(FgFlameseriesReader *reader, const uint8_t *chosen, double *sum)
{
	uint32_t	stacks = reader->sections.header.stacks;
	FgContext  *ctx = reader->ctx;
	double	   *sums = fg_alloc(ctx, stacks, sizeof(double));
	bool		ok = sums != NULL && read_sums(reader, sums);

	*sum = 0;
	for (uint32_t i = 0; ok && i < stacks; i++)
	{
		*sum += chosen[i] ? sums[i] : 0;
		ok = fg_check_every(ctx, i);
	}
	fg_release(ctx, sums);
	return ok && (isfinite(*sum) ||
				  fg_fail(ctx, FG_ERROR_RANGE, "the sum of a function does not fit a double"));
}

/* --- trends ---------------------------------------------------------------------- */

/* The profiles of a part that are in the window, as rows of the trend; row[p] is that of profile p. */
static bool
add_rows(FgFlameseriesReader *reader, const Part *part, FgFlameseriesTrend *trend,
		 uint32_t row[FG_BLOCK_PROFILES])
{
	for (uint32_t p = 0; p < part->block.profiles; p++)
	{
		if (!part->chosen[p])
			continue;
		if (trend->count == reader->sections.header.count)
			return fg_flameseries_damaged(reader->ctx, "there are more profiles than the header says");
		row[p] = trend->count++;
		trend->at[row[p]] = part->at[p];
		trend->instance[row[p]] = part->instance[p];
	}
	return true;
}

static bool
add_to_rows(FgFlameseriesReader *reader, const Part *part, const FgStackColumn *column,
			const uint32_t row[FG_BLOCK_PROFILES], double *values)
{
	bool		doubles = reader->sections.header.form.mode == FG_VALUES_DOUBLE;
	uint8_t		place[FG_BLOCK_PROFILES];
	int64_t		multiple[FG_BLOCK_PROFILES];

	if (!fg_column_places(column, place))
		return fg_flameseries_damaged(reader->ctx, "the places of a column are damaged");
	fg_column_multiples(column, multiple);
	for (uint32_t i = 0; i < column->count; i++)
		if (part->chosen[place[i]])
			values[row[place[i]]] += doubles ? fg_bits_double((uint64_t) multiple[i])
				: (double) multiple[i];
	return true;
}

static bool
trend_of_part(FgFlameseriesReader *reader, const Part *part, const uint8_t *chosen,
			  FgFlameseriesTrend *trend)
{
	FgFlameseriesColumns columns = part_columns(reader, part);
	uint32_t	row[FG_BLOCK_PROFILES];
	FgStackColumn column;
	uint32_t	stack;
	bool		ok;

	if (!add_rows(reader, part, trend, row))
		return false;
	while (fg_flameseries_next_column(reader->ctx, &columns, &column, &stack, &ok))
		if (chosen[stack] && !add_to_rows(reader, part, &column, row, trend->value))
			return false;
	return ok;
}

/* Multiples become values. */
static bool
finish_trend(FgFlameseriesReader *reader, FgFlameseriesTrend *trend)
{
	FgValueForm form = reader->sections.header.form;

	for (uint32_t i = 0; i < trend->count; i++)
	{
		if (form.mode == FG_VALUES_WHOLE)
			trend->value[i] = fg_multiple_value(form, trend->value[i]);
		if (!isfinite(trend->value[i]))
			return fg_fail(reader->ctx, FG_ERROR_RANGE, "the value of a profile does not fit a double");
		if (!fg_check_every(reader->ctx, i))
			return false;
	}
	return true;
}

static bool
read_trend(FgFlameseriesReader *reader, const FgFlameseriesWindow *window, const uint8_t *chosen,
		   FgFlameseriesTrend *trend)
{
	FgFlameseriesBlocks blocks = fg_flameseries_blocks(&reader->sections);
	Part		part;
	bool		ok;

	while (next_part(reader, &blocks, window, &part, &ok))
		if (!trend_of_part(reader, &part, chosen, trend))
			return false;
	return ok && finish_trend(reader, trend);
}

bool
fg_flameseries_trend(FgFlameseriesReader *reader, const FgFlameseriesWindow *window,
					 const uint8_t *chosen, FgFlameseriesTrend *trend)
{
	FgContext  *ctx = reader->ctx;
	uint32_t	count = reader->sections.header.count;

	*trend = (FgFlameseriesTrend) {
		.at = fg_alloc(ctx, count, sizeof(int64_t)),
		.instance = fg_alloc(ctx, count, sizeof(uint32_t)),
		.value = fg_alloc_zero(ctx, count, sizeof(double))
	};
	if (trend->at != NULL && trend->instance != NULL && trend->value != NULL &&
		read_trend(reader, window, chosen, trend))
		return true;
	fg_flameseries_trend_free(ctx, trend);
	return false;
}

void
fg_flameseries_trend_free(FgContext *ctx, FgFlameseriesTrend *trend)
{
	fg_release(ctx, trend->at);
	fg_release(ctx, trend->instance);
	fg_release(ctx, trend->value);
	memset(trend, 0, sizeof(*trend));
}

/* --- who is asked for --------------------------------------------------------------- */

uint8_t *
fg_flameseries_choose_frame(FgFlameseriesReader *reader, const char *frame, size_t length,
							bool self)
{
	const FgTree *tree = &reader->tree;
	uint8_t    *chosen;
	uint32_t	outermost = 0;
	uint32_t	stack = tree->self[0] != 0;
	uint32_t	sought;
	FgWalk		walk;

	if (!fg_codec_find_frame(reader->ctx, reader->sections.tree.next,
							 reader->sections.header.tree_size, frame, length, &sought))
		return NULL;
	chosen = fg_alloc_zero(reader->ctx, reader->sections.header.stacks, 1);
	if (chosen == NULL || sought == FG_NONE)
		return chosen;
	if (!fg_walk_begin(reader->ctx, tree, &walk))
	{
		fg_release(reader->ctx, chosen);
		return NULL;
	}
	while (fg_walk_next(&walk))
	{
		bool		here = walk.frame == sought;
		bool		below = fg_walk_below(&walk, outermost);

		if (here && !below)
			outermost = walk.node;
		if (tree->self[walk.node] != 0)
			chosen[stack++] = here || (below && !self);
	}
	if (fg_walk_end(&walk))
		return chosen;
	fg_release(reader->ctx, chosen);
	return NULL;
}

uint8_t *
fg_flameseries_choose_path(FgFlameseriesReader *reader, const char *path, size_t length, bool self)
{
	const FgTree *tree = &reader->tree;
	uint8_t    *chosen;
	uint32_t	stack = 0;
	uint32_t	sought;

	/* the empty path, which is everything, needs no name */
	if (length > 0 && !decode_frames(reader))
		return NULL;
	sought = fg_tree_find(tree, path, length);
	chosen = fg_alloc_zero(reader->ctx, reader->sections.header.stacks, 1);
	if (chosen == NULL || sought == FG_NONE)
		return chosen;
	for (size_t i = 0; i <= tree->nnodes; i++)
	{
		bool		below = i > sought && fg_key_depth(tree->key[i]) > fg_key_depth(tree->key[sought]);

		if (i > sought && !below)
			break;
		if (tree->self[i] != 0)
			chosen[stack++] = i == sought || (below && !self);
		if (!fg_check_every(reader->ctx, i))
		{
			fg_release(reader->ctx, chosen);
			return NULL;
		}
	}
	return chosen;
}
