/*
 * flameseries_codec.c
 *	  Series as bytes: the header and the writer (see flameseries_codec.h).
 */
#include "core/series/flameseries_codec_internal.h"

#include "core/base/sums.h"
#include "core/profile/codec.h"

#include <math.h>

/* --- the header ------------------------------------------------------------------ */

static void
store_header(uint8_t *to, const FgFlameseriesHeader *header)
{
	memset(to, 0, FG_FLAMESERIES_HEADER);
	to[0] = FG_FLAMESERIES_VERSION;
	to[1] = (uint8_t) (header->form.mode | header->form.digits << 4);
	to[2] = header->has_sums ? 0 : FG_FLAMESERIES_NO_SUMS;
	fg_store_le(to + 4, header->count, 4);
	fg_store_le(to + 8, header->values, 4);
	fg_store_le(to + 12, header->stacks, 4);
	fg_store_le(to + 16, (uint64_t) header->since, 8);
	fg_store_le(to + 24, (uint64_t) header->until, 8);
	fg_store_le(to + 32, fg_double_bits(header->form.unit), 8);
	fg_store_le(to + 40, fg_double_bits(header->total), 8);
	fg_store_le(to + 48, header->tree_size, 4);
	fg_store_le(to + 52, header->instances_size, 4);
	fg_store_le(to + 56, header->sums_size, 4);
	fg_store_le(to + 60, header->directory_size, 4);
}

static bool
check_header(FgContext *ctx, const FgFlameseriesHeader *h, size_t size)
{
	uint64_t	sections = (uint64_t) FG_FLAMESERIES_HEADER + h->tree_size + h->instances_size +
		h->sums_size + h->directory_size;

	if (!fg_values_form_valid(h->form))
		return fg_flameseries_damaged(ctx, "the form of the values is unknown");
	if (h->count > FG_FLAMESERIES_MAX_PROFILES || h->values > FG_FLAMESERIES_MAX_VALUES)
		return fg_flameseries_damaged(ctx, "there are too many profiles or values");
	if (h->stacks > h->values || h->since > h->until || isnan(h->total))
		return fg_flameseries_damaged(ctx, "the facts in the header contradict each other");
	if (sections > size)
		return fg_flameseries_damaged(ctx, "the sections are longer than the value");
	return true;
}

bool
fg_flameseries_header(FgContext *ctx, const uint8_t *bytes, size_t size,
					  FgFlameseriesHeader *header)
{
	if (size < FG_FLAMESERIES_HEADER)
		return fg_flameseries_damaged(ctx, "the header is cut short");
	if (bytes[0] != FG_FLAMESERIES_VERSION)
		return fg_fail(ctx, FG_ERROR_CORRUPT, "format version %u is unknown", bytes[0]);
	if (bytes[2] > FG_FLAMESERIES_NO_SUMS || bytes[3] != 0)
		return fg_flameseries_damaged(ctx, "the header has unknown bits");
	*header = (FgFlameseriesHeader) {
		.form = {bytes[1] & 0x0F, bytes[1] >> 4, fg_bits_double(fg_load_le(bytes + 32, 8))},
		.has_sums = bytes[2] == 0,
		.count = (uint32_t) fg_load_le(bytes + 4, 4),
		.values = (uint32_t) fg_load_le(bytes + 8, 4),
		.stacks = (uint32_t) fg_load_le(bytes + 12, 4),
		.since = (int64_t) fg_load_le(bytes + 16, 8),
		.until = (int64_t) fg_load_le(bytes + 24, 8),
		.total = fg_bits_double(fg_load_le(bytes + 40, 8)),
		.tree_size = (uint32_t) fg_load_le(bytes + 48, 4),
		.instances_size = (uint32_t) fg_load_le(bytes + 52, 4),
		.sums_size = (uint32_t) fg_load_le(bytes + 56, 4),
		.directory_size = (uint32_t) fg_load_le(bytes + 60, 4)
	};
	return check_header(ctx, header, size);
}

/* --- values by block and stack --------------------------------------------------- */

/* What an encoding is made of, and what it needs on the way. */
typedef struct Writer
{
	FgContext  *ctx;
	const FgFlameseries *series;
	FgFlameseriesHeader header;
	uint32_t   *stack;			/* by node: the number of its stack */
	uint32_t   *profile;		/* by entry */
	uint32_t   *order;			/* entries by block, then by stack, then by profile */
	double	   *sum;			/* by stack: of multiples, or of doubles */
	FgBuffer	directory;
	FgBuffer	blocks;
} Writer;

static bool
number_stacks(Writer *w)
{
	const FgTree *tree = &w->series->tree;

	w->stack = fg_alloc(w->ctx, (size_t) tree->nnodes + 1, sizeof(uint32_t));
	for (size_t i = 0; w->stack != NULL && i <= tree->nnodes; i++)
	{
		w->stack[i] = w->header.stacks;
		w->header.stacks += tree->self[i] != 0;
		if (!fg_check_every(w->ctx, i))
			return false;
	}
	return w->stack != NULL;
}

static bool
number_profiles(Writer *w)
{
	const FgFlameseries *series = w->series;

	w->profile = fg_alloc(w->ctx, w->header.values, sizeof(uint32_t));
	for (uint32_t p = 0; w->profile != NULL && p < series->count; p++)
	{
		for (uint32_t e = series->start[p]; e < series->start[p + 1]; e++)
			w->profile[e] = p;
		if (!fg_steps(w->ctx, series->start[p + 1] - series->start[p]))
			return false;
	}
	return w->profile != NULL;
}

/* The entries by stack; those of one stack keep their order. */
static bool
sort_by_stack(Writer *w, uint32_t *by_stack)
{
	const FgFlameseries *series = w->series;
	uint32_t   *place = fg_alloc_zero(w->ctx, (size_t) w->header.stacks + 1, sizeof(uint32_t));
	bool		ok = place != NULL;

	for (size_t i = 0, sum = 0; ok && i <= series->tree.nnodes; i++)
	{
		if (series->tree.self[i] == 0)
			continue;
		place[w->stack[i]] = (uint32_t) sum;
		sum += (size_t) series->tree.self[i];
		ok = fg_steps(w->ctx, 1);
	}
	for (uint32_t e = 0; ok && e < w->header.values; e++)
	{
		by_stack[place[w->stack[series->node[e]]]++] = e;
		ok = fg_check_every(w->ctx, e);
	}
	fg_release(w->ctx, place);
	return ok;
}

/* These by block: the second pass of a radix sort. */
static bool
sort_by_block(Writer *w, const uint32_t *by_stack)
{
	const FgFlameseries *series = w->series;
	uint32_t	blocks = (series->count + FG_BLOCK_PROFILES - 1) / FG_BLOCK_PROFILES;
	uint32_t   *place = fg_alloc(w->ctx, blocks, sizeof(uint32_t));
	bool		ok = place != NULL;

	for (uint32_t b = 0; ok && b < blocks; b++)
		place[b] = series->start[b * FG_BLOCK_PROFILES];
	for (uint32_t i = 0; ok && i < w->header.values; i++)
	{
		uint32_t	e = by_stack[i];

		w->order[place[w->profile[e] / FG_BLOCK_PROFILES]++] = e;
		ok = fg_check_every(w->ctx, i);
	}
	fg_release(w->ctx, place);
	return ok;
}

static bool
order_entries(Writer *w)
{
	uint32_t   *by_stack = fg_alloc(w->ctx, w->header.values, sizeof(uint32_t));
	bool		ok;

	w->order = fg_alloc(w->ctx, w->header.values, sizeof(uint32_t));
	ok = by_stack != NULL && w->order != NULL && number_profiles(w) &&
		sort_by_stack(w, by_stack) && sort_by_block(w, by_stack);
	fg_release(w->ctx, by_stack);
	return ok;
}

/* --- blocks ---------------------------------------------------------------------- */

/* The column of order[from .. end), and what it adds to its stack's sum. */
static bool
append_column(Writer *w, uint32_t first, uint32_t profiles, uint32_t gap, uint32_t from,
			  uint32_t end)
{
	bool		doubles = w->header.form.mode == FG_VALUES_DOUBLE;
	double	   *sum = &w->sum[w->stack[w->series->node[w->order[from]]]];
	uint8_t		place[FG_BLOCK_PROFILES];
	int64_t		multiple[FG_BLOCK_PROFILES];
	int64_t		whole = 0;

	for (uint32_t i = from; i < end; i++)
	{
		double		value = w->series->value[w->order[i]];

		place[i - from] = (uint8_t) (w->profile[w->order[i]] - first);
		if (doubles)
		{
			multiple[i - from] = (int64_t) fg_double_bits(value);
			*sum += value;
		}
		else
			whole += multiple[i - from] = fg_value_multiple(w->header.form, value);
	}
	*sum += (double) whole;
	return fg_column_append(&w->blocks, gap, profiles, place, multiple, end - from, doubles);
}

static bool
append_columns(Writer *w, uint32_t first, uint32_t profiles)
{
	const FgFlameseries *series = w->series;
	uint32_t	end = series->start[first + profiles];
	uint32_t	next = 0;

	for (uint32_t i = series->start[first], j = i; i < end; i = j)
	{
		uint32_t	node = series->node[w->order[i]];

		while (j < end && series->node[w->order[j]] == node)
			j++;
		if (!append_column(w, first, profiles, w->stack[node] - next, i, j) ||
			!fg_steps(w->ctx, j - i))
			return false;
		next = w->stack[node] + 1;
	}
	return true;
}

static bool
append_block(Writer *w, uint32_t first, uint32_t profiles)
{
	const FgFlameseries *series = w->series;
	int64_t		before = series->at[first < FG_BLOCK_PROFILES ? 0 : first - FG_BLOCK_PROFILES];
	size_t		start = w->blocks.size;

	for (uint32_t p = first + 1; p < first + profiles; p++)
		if (!fg_append_varint(&w->blocks, (uint64_t) series->at[p] - (uint64_t) series->at[p - 1]))
			return false;
	for (uint32_t p = first; p < first + profiles; p++)
		if (!fg_append_varint(&w->blocks, series->instance[p]))
			return false;
	return append_columns(w, first, profiles) &&
		fg_append_varint(&w->directory, (uint64_t) series->at[first] - (uint64_t) before) &&
		fg_append_varint(&w->directory, w->blocks.size - start);
}

static bool
append_blocks(Writer *w)
{
	uint32_t	count = w->series->count;

	w->sum = fg_alloc_zero(w->ctx, w->header.stacks, sizeof(double));
	if (w->sum == NULL)
		return false;
	for (uint32_t p = 0; p < count; p += FG_BLOCK_PROFILES)
		if (!append_block(w, p, count - p < FG_BLOCK_PROFILES ? count - p : FG_BLOCK_PROFILES))
			return false;
	return true;
}

/* --- the sections ------------------------------------------------------------------ */

/* Instances as a profile: the number of each one's profiles. */
static bool
instance_tree(FgContext *ctx, const FgFlameseries *series, FgTree *tree)
{
	bool		ok = true;

	if (!fg_tree_alloc(ctx, tree, series->instances.count))
		return false;
	for (uint32_t i = 0; i < series->instances.count; i++)
	{
		tree->key[i + 1] = fg_key(1, i);
		tree->self[i + 1] = 0;
		ok = ok && fg_check_every(ctx, i);
	}
	for (uint32_t p = 0; ok && p < series->count; p++)
	{
		tree->self[series->instance[p]]++;
		ok = fg_check_every(ctx, p);
	}
	if (ok && fg_frames_copy(ctx, &series->instances, &tree->frames) && fg_steps(ctx, series->count))
		return true;
	fg_tree_free(ctx, tree);
	return false;
}

/* Section INSTANCES behind what the buffer holds. */
static bool
append_instances(Writer *w, FgBuffer *out)
{
	FgTree		tree;
	uint8_t    *bytes = NULL;
	size_t		size;
	bool		ok;

	if (!instance_tree(w->ctx, w->series, &tree))
		return false;
	ok = fg_codec_encode(w->ctx, &tree, 0, &bytes, &size);
	fg_tree_free(w->ctx, &tree);
	ok = ok && fg_buffer_append(out, bytes, size);
	w->header.instances_size = ok ? (uint32_t) size : 0;
	fg_release(w->ctx, bytes);
	return ok;
}

static bool
append_sums(Writer *w, FgBuffer *out)
{
	size_t		start = out->size;
	FgValueForm form;

	w->header.has_sums = true;
	for (uint32_t s = 0; s < w->header.stacks; s++)
	{
		if (w->header.form.mode == FG_VALUES_WHOLE)
			w->sum[s] = fg_multiple_value(w->header.form, w->sum[s]);
		w->header.has_sums &= isfinite(w->sum[s]);
		if (!fg_check_every(w->ctx, s))
			return false;
	}
	if (!w->header.has_sums)
		return true;
	if (!fg_values_form(w->ctx, w->sum, w->header.stacks, &form) || !fg_buffer_room(out, 9))
		return false;
	out->data[out->size] = (uint8_t) (form.mode | form.digits << 4);
	fg_store_le(out->data + out->size + 1, fg_double_bits(form.unit), 8);
	out->size += 9;
	if (!fg_values_append(out, form, w->sum, w->header.stacks))
		return false;
	w->header.sums_size = (uint32_t) (out->size - start);
	return true;
}

/* Everything that is worked out before the first byte is written. */
static bool
prepare(Writer *w)
{
	const FgFlameseries *series = w->series;
	double		norm;

	w->header.count = series->count;
	w->header.values = series->start[series->count];
	w->header.since = series->count > 0 ? series->at[0] : 0;
	w->header.until = series->count > 0 ? series->at[series->count - 1] : 0;
	return fg_values_form(w->ctx, series->value, w->header.values, &w->header.form) &&
		fg_sums(w->ctx, series->value, w->header.values, &w->header.total, &norm) &&
		number_stacks(w) && order_entries(w) && append_blocks(w);
}

static bool
append_sections(Writer *w, size_t reserve, FgBuffer *out)
{
	size_t		size;

	if (!fg_codec_encode(w->ctx, &w->series->tree, reserve + FG_FLAMESERIES_HEADER, &out->data,
						 &size))
		return false;
	out->size = out->capacity = reserve + FG_FLAMESERIES_HEADER + size;
	w->header.tree_size = (uint32_t) size;
	w->header.directory_size = (uint32_t) w->directory.size;
	if (!append_instances(w, out) || !append_sums(w, out) ||
		!fg_buffer_append(out, w->directory.data, w->directory.size) ||
		!fg_buffer_append(out, w->blocks.data, w->blocks.size))
		return false;
	size = out->size - reserve;
	if (size > FG_MAX_BYTES)
		return fg_fail(w->ctx, FG_ERROR_LIMIT, "the series takes %zu bytes, the limit is %u", size,
					   FG_MAX_BYTES);
	store_header(out->data + reserve, &w->header);
	return true;
}

bool
fg_flameseries_encode(FgContext *ctx, const FgFlameseries *series, size_t reserve,
					  uint8_t **buffer, size_t *size)
{
	Writer		w = {
		.ctx = ctx,
		.series = series,
		.directory = {.ctx = ctx},
		.blocks = {.ctx = ctx}
	};
	FgBuffer	out = {.ctx = ctx};
	bool		ok = prepare(&w) && append_sections(&w, reserve, &out);

	fg_release(ctx, w.stack);
	fg_release(ctx, w.profile);
	fg_release(ctx, w.order);
	fg_release(ctx, w.sum);
	fg_release(ctx, w.directory.data);
	fg_release(ctx, w.blocks.data);
	if (!ok)
	{
		fg_release(ctx, out.data);
		return false;
	}
	*buffer = out.data;
	*size = out.size - reserve;
	return true;
}

/* --- parts to compress ----------------------------------------------------------- */

static void
series_parts(const uint8_t *bytes, size_t size, FgStoredParts *parts)
{
	const uint8_t *tree = bytes + FG_FLAMESERIES_HEADER;
	size_t		tree_size = (size_t) fg_load_le(bytes + 48, 4);
	size_t		instances_size = (size_t) fg_load_le(bytes + 52, 4);
	size_t		sums_size = (size_t) fg_load_le(bytes + 56, 4);

	fg_codec_inner_parts(tree, tree_size, parts);
	fg_stored_part(parts, instances_size, true);
	fg_stored_part(parts, sums_size, false);
	fg_stored_part(parts, size - FG_FLAMESERIES_HEADER - tree_size - instances_size - sums_size,
				 false);
}

const FgEncoding fg_flameseries_encoding = {FG_FLAMESERIES_HEADER, series_parts};
