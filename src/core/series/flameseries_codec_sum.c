/*
 * flameseries_codec_sum.c
 *	  Sums of windows of encoded series (see flameseries_codec.h).
 */
#include "core/series/flameseries_codec_internal.h"

#include "core/profile/codec.h"

#include <math.h>

typedef struct Sum
{
	FgContext  *ctx;
	FgFlameseriesSections sections;
	const FgFlameseriesWindow *window;
	uint32_t	instances;
	double	   *sum;			/* by stack: of multiples, or of doubles */
} Sum;

static bool
is_everything(const FgFlameseriesHeader *header, const FgFlameseriesWindow *window)
{
	return window->wanted == NULL && window->since <= header->since &&
		(window->until > header->until || window->until == INT64_MAX);
}

/* Section SUMS, for everything. */
static bool
read_sums(Sum *s)
{
	FgReader	reader = s->sections.sums;
	FgValueForm form;

	if (fg_reader_left(&reader) != s->sections.header.sums_size || fg_reader_left(&reader) < 9)
		return fg_flameseries_damaged(s->ctx, "the sums are cut short");
	form = (FgValueForm) {reader.next[0] & 0x0F, reader.next[0] >> 4,
	fg_bits_double(fg_load_le(reader.next + 1, 8))};
	reader.next += 9;
	s->ctx->error.code = FG_OK;
	if (fg_values_form_valid(form) &&
		fg_values_read(s->ctx, &reader, form, s->sum, s->sections.header.stacks) &&
		fg_reader_left(&reader) == 0)
		return true;
	return s->ctx->error.code == FG_OK && fg_flameseries_damaged(s->ctx, "the sums are damaged");
}

/* Which profiles of a block are in the window; *all, if each of them is. */
static bool
choose(Sum *s, FgFlameseriesBlock *block, bool chosen[FG_BLOCK_PROFILES], bool *all)
{
	int64_t		at[FG_BLOCK_PROFILES];
	uint32_t	instance[FG_BLOCK_PROFILES];

	if (!fg_flameseries_block_profiles(s->ctx, block, s->instances, at, instance))
		return false;
	*all = true;
	for (uint32_t p = 0; p < block->profiles; p++)
	{
		chosen[p] = fg_flameseries_in_window(s->window, at[p], instance[p]);
		*all &= chosen[p];
	}
	return true;
}

static bool
add_chosen(Sum *s, const FgStackColumn *column, const bool chosen[FG_BLOCK_PROFILES], double *sum)
{
	uint8_t		place[FG_BLOCK_PROFILES];
	int64_t		multiple[FG_BLOCK_PROFILES];
	int64_t		whole = 0;

	if (!fg_column_places(column, place))
		return fg_flameseries_damaged(s->ctx, "the places of a column are damaged");
	fg_column_multiples(column, multiple);
	for (uint32_t i = 0; i < column->count; i++)
	{
		if (!chosen[place[i]])
			continue;
		if (s->sections.header.form.mode == FG_VALUES_DOUBLE)
			*sum += fg_bits_double((uint64_t) multiple[i]);
		else
			whole = (int64_t) ((uint64_t) whole + (uint64_t) multiple[i]);
	}
	*sum += (double) whole;
	return true;
}

static void
add_column(const FgStackColumn *column, bool doubles, double *sum)
{
	if (!doubles)
	{
		*sum += (double) fg_column_sum(column);
		return;
	}
	for (uint32_t i = 0; i < column->count; i++)
		*sum += fg_bits_double(fg_load_le(column->packed + 8 * (size_t) i, 8));
}

static bool
add_block(Sum *s, FgFlameseriesBlock *block)
{
	bool		chosen[FG_BLOCK_PROFILES];
	FgFlameseriesColumns columns;
	FgStackColumn	column;
	uint32_t	stack;
	bool		all;
	bool		ok;

	if (!choose(s, block, chosen, &all))
		return false;
	columns = (FgFlameseriesColumns) {
		.bytes = block->bytes,
		.profiles = block->profiles,
		.stacks = s->sections.header.stacks,
		.doubles = s->sections.header.form.mode == FG_VALUES_DOUBLE
	};
	while (fg_flameseries_next_column(s->ctx, &columns, &column, &stack, &ok))
	{
		if (all)
			add_column(&column, columns.doubles, &s->sum[stack]);
		else if (!add_chosen(s, &column, chosen, &s->sum[stack]))
			return false;
	}
	return ok;
}

static bool
add_blocks(Sum *s)
{
	FgFlameseriesBlocks blocks = fg_flameseries_blocks(&s->sections);
	FgFlameseriesBlock block;
	bool		ok;

	while (fg_flameseries_next_block(s->ctx, &blocks, &block, &ok))
	{
		bool		outside = block.next_at < s->window->since ||
			(block.at >= s->window->until && s->window->until != INT64_MAX);

		if (!outside && !add_block(s, &block))
			return false;
	}
	for (uint32_t i = 0; ok && i < s->sections.header.stacks; i++)
		if (s->sections.header.form.mode == FG_VALUES_WHOLE)
			s->sum[i] = fg_multiple_value(s->sections.header.form, s->sum[i]);
	return ok;
}

static bool
sum_stacks(Sum *s)
{
	FgTree		instances;

	s->sum = fg_alloc_zero(s->ctx, s->sections.header.stacks, sizeof(double));
	if (s->sum == NULL)
		return false;
	if (s->sections.header.has_sums && is_everything(&s->sections.header, s->window))
		return read_sums(s);
	if (!fg_codec_decode(s->ctx, s->sections.instances.next, fg_reader_left(&s->sections.instances),
						 &instances))
		return false;
	s->instances = instances.nnodes;
	fg_tree_free(s->ctx, &instances);
	return add_blocks(s);
}

/* Gives the tree the sums in place of the numbers of profiles. */
static bool
put_sums(const Sum *s, FgTree *tree)
{
	uint32_t	stack = 0;

	for (size_t i = 0; i <= tree->nnodes; i++)
	{
		if (!fg_check_every(s->ctx, i))
			return false;
		if (tree->self[i] == 0)
			continue;
		if (stack == s->sections.header.stacks)
			return fg_flameseries_damaged(s->ctx, "the tree has another number of stacks");
		tree->self[i] = s->sum[stack++];
		if (!isfinite(tree->self[i]))
			return fg_fail(s->ctx, FG_ERROR_RANGE, "the sum of a stack does not fit a double");
	}
	if (stack != s->sections.header.stacks)
		return fg_flameseries_damaged(s->ctx, "the tree has another number of stacks");
	return fg_tree_prune_zeros(s->ctx, tree);
}

bool
fg_flameseries_sum(FgContext *ctx, const uint8_t *bytes, size_t size,
				   const FgFlameseriesWindow *window, FgTree *sum)
{
	Sum			s = {.ctx = ctx, .window = window};
	bool		ok;

	if (!fg_flameseries_tree(ctx, bytes, size, sum))
		return false;
	ok = fg_flameseries_sections(ctx, bytes, size, &s.sections) && sum_stacks(&s) &&
		put_sums(&s, sum);
	fg_release(ctx, s.sum);
	if (ok)
		return true;
	fg_tree_free(ctx, sum);
	return false;
}
