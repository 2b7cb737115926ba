/*
 * stats.c
 *	  Samples of profiles as bytes (see stats.h).
 */
#include "core/samples/stats.h"

#include "core/base/bytes.h"
#include "core/profile/codec.h"
#include "core/profile/values.h"

#include <math.h>

/* --- encoding ---------------------------------------------------------------- */

/* The values of the stacks among all nodes, without gaps. */
static double *
gather(FgContext *ctx, const FgTree *support, const double *values, size_t *count)
{
	double	   *gathered = fg_alloc(ctx, (size_t) support->nnodes + 1, sizeof(double));

	*count = 0;
	for (uint32_t i = 0; gathered != NULL && i <= support->nnodes; i++)
	{
		if (!fg_check_every(ctx, i))
		{
			fg_release(ctx, gathered);
			return NULL;
		}
		if (support->self[i] != 0)
			gathered[(*count)++] = values[i];
	}
	return gathered;
}

static bool
append_column(FgBuffer *buffer, const FgTree *support, const double *values)
{
	size_t		count;
	double	   *gathered = gather(buffer->ctx, support, values, &count);
	FgValueForm form;
	bool		ok;

	ok = gathered != NULL && fg_buffer_room(buffer, 9) &&
		fg_values_form(buffer->ctx, gathered, count, &form);
	if (ok)
	{
		buffer->data[buffer->size] = (uint8_t) (form.mode | form.digits << 4);
		fg_store_le(buffer->data + buffer->size + 1, fg_double_bits(form.unit), 8);
		buffer->size += 9;
		ok = fg_values_append(buffer, form, gathered, count);
	}
	fg_release(buffer->ctx, gathered);
	return ok;
}

bool
fg_stats_encode(FgContext *ctx, const FgStats *stats, const FgMoments *moments, size_t reserve,
				uint8_t **buffer, size_t *size)
{
	FgBuffer	out = {.ctx = ctx};
	size_t		tree_size;
	uint8_t    *header;

	if (!fg_codec_encode(ctx, &moments->support, reserve + FG_STATS_HEADER, &out.data, &tree_size))
		return false;
	out.size = out.capacity = reserve + FG_STATS_HEADER + tree_size;
	if (!stats->sums_only && (!append_column(&out, &moments->support, moments->sum) ||
							  !append_column(&out, &moments->support, moments->m2)))
	{
		fg_release(ctx, out.data);
		return false;
	}
	header = out.data + reserve;
	memset(header, 0, FG_STATS_HEADER);
	header[0] = FG_STATS_VERSION;
	header[1] = (uint8_t) stats->level;
	header[2] = stats->sums_only ? FG_STATS_SUMS_ONLY : 0;
	fg_store_le(header + 8, stats->n, 8);
	fg_store_le(header + 16, tree_size, 8);
	*buffer = out.data;
	*size = out.size - reserve;
	if (*size <= FG_MAX_BYTES)
		return true;
	fg_release(ctx, out.data);
	return fg_fail(ctx, FG_ERROR_LIMIT, "the statistics take %zu bytes, the limit is %u", *size,
				   FG_MAX_BYTES);
}

/* --- decoding ---------------------------------------------------------------- */

bool
fg_stats_header(FgContext *ctx, const uint8_t *bytes, size_t size, FgStats *stats)
{
	if (size < FG_STATS_HEADER)
		return fg_fail(ctx, FG_ERROR_CORRUPT, "the header is cut short");
	if (bytes[0] != FG_STATS_VERSION)
		return fg_fail(ctx, FG_ERROR_CORRUPT, "format version %u is unknown", bytes[0]);
	if (bytes[1] >= FG_LEVELS || bytes[2] > FG_STATS_SUMS_ONLY ||
		fg_load_le(bytes + 3, 5) != 0)
		return fg_fail(ctx, FG_ERROR_CORRUPT, "the header has unknown bits");
	stats->level = (FgLevel) bytes[1];
	stats->sums_only = bytes[2] == FG_STATS_SUMS_ONLY;
	stats->n = fg_load_le(bytes + 8, 8);
	if (stats->n == 0 || stats->n > FG_STATS_MAX_N)
		return fg_fail(ctx, FG_ERROR_CORRUPT, "the number of profiles is impossible");
	return true;
}

static bool
read_form(FgReader *reader, FgValueForm *form)
{
	if (fg_reader_left(reader) < 9)
		return false;
	form->mode = reader->next[0] & 0x0F;
	form->digits = reader->next[0] >> 4;
	form->unit = fg_bits_double(fg_load_le(reader->next + 1, 8));
	reader->next += 9;
	return fg_values_form_valid(*form);
}

/* One value per node; 0 where there is no stack. */
static double *
read_column(FgContext *ctx, FgReader *reader, const FgTree *support, uint32_t nstacks)
{
	size_t		nodes = (size_t) support->nnodes + 1;
	double	   *column = fg_alloc_zero(ctx, nodes, sizeof(double));
	double	   *values = fg_alloc(ctx, nstacks, sizeof(double));
	FgValueForm form;
	size_t		next = 0;
	bool		ok = column != NULL && values != NULL;

	if (ok)
		ctx->error.code = FG_OK;
	if (ok && !(read_form(reader, &form) && fg_values_read(ctx, reader, form, values, nstacks)))
		ok = ctx->error.code == FG_OK && fg_fail(ctx, FG_ERROR_CORRUPT, "the moments are damaged");
	for (size_t i = 0; ok && i < nodes; i++)
	{
		ok = fg_check_every(ctx, i);
		if (support->self[i] != 0)
			column[i] = values[next++];
	}
	fg_release(ctx, values);
	if (ok)
		return column;
	fg_release(ctx, column);
	return NULL;
}

static bool
moments_possible(FgContext *ctx, const FgStats *stats, const FgMoments *moments)
{
	for (uint32_t i = 0; i <= moments->support.nnodes; i++)
	{
		double		k = moments->support.self[i];

		if (k < 0 || k > (double) stats->n || k != rint(k) || moments->m2[i] < 0)
			return fg_fail(ctx, FG_ERROR_CORRUPT, "the moments are impossible");
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

/*
 * At level node the empty stack has no value, and functions are stacks of one frame.
 * What else sums of profiles at a level may be, any vector may be.
 */
static bool
possible_at_level(FgContext *ctx, const FgTree *support, FgLevel level)
{
	bool		possible = level == FG_LEVEL_STACK || support->self[0] == 0;
	bool		functions = level == FG_LEVEL_FRAME || level == FG_LEVEL_SELF;

	for (uint32_t i = 1; functions && possible && i <= support->nnodes; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		possible = fg_key_depth(support->key[i]) == 1;
	}
	return possible || fg_fail(ctx, FG_ERROR_CORRUPT, "the stacks are impossible at level %s",
							   fg_level_word(level));
}

static bool
read_moments(FgContext *ctx, FgReader *reader, const FgStats *stats, FgMoments *moments)
{
	FgFacts		facts;

	if (!fg_tree_facts(ctx, &moments->support, &facts))
		return false;
	moments->sum = read_column(ctx, reader, &moments->support, facts.nstacks);
	moments->m2 = moments->sum != NULL
		? read_column(ctx, reader, &moments->support, facts.nstacks) : NULL;
	if (moments->m2 == NULL)
		return false;
	return moments_possible(ctx, stats, moments);
}

/* Foreign bytes must be those that we would write. */
static bool
check_canonical(FgContext *ctx, const FgStats *stats, const FgMoments *moments,
				const uint8_t *bytes, size_t size)
{
	uint8_t    *canonical;
	size_t		canonical_size;
	bool		same;

	if (!fg_stats_encode(ctx, stats, moments, 0, &canonical, &canonical_size))
		return false;
	same = canonical_size == size && memcmp(canonical, bytes, size) == 0;
	fg_release(ctx, canonical);
	return same || fg_fail(ctx, FG_ERROR_CORRUPT, "the encoding is not canonical");
}

bool
fg_stats_decode(FgContext *ctx, const uint8_t *bytes, size_t size, bool foreign, FgStats *stats,
				FgMoments *moments)
{
	FgReader	reader;
	uint64_t	tree_size;
	bool		ok;

	memset(moments, 0, sizeof(*moments));
	if (!fg_stats_header(ctx, bytes, size, stats))
		return false;
	tree_size = fg_load_le(bytes + 16, 8);
	if (tree_size > size - FG_STATS_HEADER)
		return fg_fail(ctx, FG_ERROR_CORRUPT, "the sections are longer than the value");
	reader.next = bytes + FG_STATS_HEADER;
	reader.end = bytes + size;
	if (!(foreign ? fg_codec_validate(ctx, reader.next, tree_size, &moments->support)
		  : fg_codec_decode(ctx, reader.next, tree_size, &moments->support)))
		return false;
	reader.next += tree_size;
	ok = possible_at_level(ctx, &moments->support, stats->level) &&
		(stats->sums_only || read_moments(ctx, &reader, stats, moments));
	if (ok && fg_reader_left(&reader) != 0)
		ok = fg_fail(ctx, FG_ERROR_CORRUPT, "there are bytes behind the last section");
	if (ok && foreign)
		ok = check_canonical(ctx, stats, moments, bytes, size);
	if (!ok)
		fg_moments_free(ctx, moments);
	return ok;
}

/* --- parts to compress -------------------------------------------------------- */

static void
stats_parts(const uint8_t *bytes, size_t size, FgStoredParts *parts)
{
	size_t		tree_size = (size_t) fg_load_le(bytes + 16, 8);

	fg_codec_inner_parts(bytes + FG_STATS_HEADER, tree_size, parts);
	fg_stored_part(parts, size - FG_STATS_HEADER - tree_size, false);
}

const FgEncoding fg_stats_encoding = {FG_STATS_HEADER, stats_parts};
