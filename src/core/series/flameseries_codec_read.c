/*
 * flameseries_codec_read.c
 *	  Bytes as series: sections, blocks, columns, and all of them decoded (see
 *	  flameseries_codec.h).
 */
#include "core/series/flameseries_codec_internal.h"

#include "core/profile/codec.h"
#include "core/series/flameseries_build.h"

#include <math.h>

bool
fg_flameseries_damaged(FgContext *ctx, const char *reason)
{
	return fg_fail(ctx, FG_ERROR_CORRUPT, "%s", reason);
}

/* --- sections ---------------------------------------------------------------------- */

static FgReader
take_section(FgReader *reader, size_t size)
{
	size_t		taken = size < fg_reader_left(reader) ? size : fg_reader_left(reader);
	FgReader	section = {reader->next, reader->next + taken};

	reader->next += taken;
	return section;
}

bool
fg_flameseries_sections(FgContext *ctx, const uint8_t *bytes, size_t size,
						FgFlameseriesSections *sections)
{
	FgFlameseriesHeader *header = &sections->header;
	FgReader	reader = {bytes + FG_FLAMESERIES_HEADER, bytes + size};

	if (!fg_flameseries_header(ctx, bytes, SIZE_MAX, header))
		return false;
	sections->tree = take_section(&reader, header->tree_size);
	sections->instances = take_section(&reader, header->instances_size);
	sections->sums = take_section(&reader, header->sums_size);
	sections->directory = take_section(&reader, header->directory_size);
	sections->blocks = reader;
	return true;
}

bool
fg_flameseries_whole_section(FgContext *ctx, const FgReader *section, uint32_t size)
{
	return fg_reader_left(section) == size || fg_flameseries_damaged(ctx, "a section is cut short");
}

static bool
decode_section(FgContext *ctx, FgReader section, uint32_t size, FgTree *tree)
{
	return fg_flameseries_whole_section(ctx, &section, size) &&
		fg_codec_decode(ctx, section.next, size, tree);
}

bool
fg_flameseries_tree(FgContext *ctx, const uint8_t *bytes, size_t size, FgTree *tree)
{
	FgFlameseriesSections sections;

	return size < FG_FLAMESERIES_HEADER ? fg_flameseries_damaged(ctx, "the header is cut short")
		: fg_flameseries_sections(ctx, bytes, size, &sections) &&
		decode_section(ctx, sections.tree, sections.header.tree_size, tree);
}

bool
fg_flameseries_instances(FgContext *ctx, const uint8_t *bytes, size_t size, FgTree *instances)
{
	FgFlameseriesSections sections;

	return size < FG_FLAMESERIES_HEADER ? fg_flameseries_damaged(ctx, "the header is cut short")
		: fg_flameseries_sections(ctx, bytes, size, &sections) &&
		decode_section(ctx, sections.instances, sections.header.instances_size, instances);
}

bool
fg_flameseries_read_instances(FgContext *ctx, const FgFlameseriesSections *sections,
							  FgFrames *names)
{
	FgTree		tree;

	if (!decode_section(ctx, sections->instances, sections->header.instances_size, &tree))
		return false;
	if (tree.nnodes != tree.frames.count)
	{
		fg_tree_free(ctx, &tree);
		return fg_flameseries_damaged(ctx, "the instances are damaged");
	}
	*names = tree.frames;
	memset(&tree.frames, 0, sizeof(tree.frames));
	fg_tree_free(ctx, &tree);
	return true;
}

uint32_t *
fg_flameseries_stack_nodes(FgContext *ctx, const FgTree *tree, uint32_t stacks)
{
	uint32_t   *nodes = fg_alloc(ctx, stacks, sizeof(uint32_t));
	uint32_t	count = 0;

	for (size_t i = 0; nodes != NULL && i <= tree->nnodes; i++)
	{
		bool		more = fg_check_every(ctx, i);

		if (tree->self[i] != 0 && count < stacks)
			nodes[count] = (uint32_t) i;
		count += tree->self[i] != 0;
		if (!more)
		{
			fg_release(ctx, nodes);
			return NULL;
		}
	}
	if (nodes == NULL || count == stacks)
		return nodes;
	fg_release(ctx, nodes);
	fg_flameseries_damaged(ctx, "the tree has another number of stacks");
	return NULL;
}

/* --- blocks and columns ---------------------------------------------------------------- */

FgFlameseriesBlocks
fg_flameseries_blocks(const FgFlameseriesSections *sections)
{
	return (FgFlameseriesBlocks) {
		.directory = sections->directory,
		.blocks = sections->blocks,
		.count = sections->header.count,
		.at = sections->header.since,
		.until = sections->header.until
	};
}

/* A later time; false when there is none. */
static bool
read_time(FgReader *reader, int64_t *at)
{
	uint64_t	more;

	if (!fg_read_varint(reader, &more) || more > (uint64_t) INT64_MAX - (uint64_t) *at)
		return false;
	*at = (int64_t) ((uint64_t) *at + more);
	return true;
}

/* The entry of the directory after the ones read; its time only. */
static bool
peek_time(const FgFlameseriesBlocks *blocks, int64_t *at)
{
	FgReader	ahead = blocks->directory;

	if (blocks->next >= blocks->count)
	{
		*at = blocks->until;
		return true;
	}
	return read_time(&ahead, at);
}

bool
fg_flameseries_next_block(FgContext *ctx, FgFlameseriesBlocks *blocks,
						  FgFlameseriesBlock *block, bool *ok)
{
	uint32_t	left = blocks->count - blocks->next;
	uint32_t	size;

	*ok = true;
	if (left == 0 && fg_reader_left(&blocks->directory) == 0 &&
		fg_reader_left(&blocks->blocks) == 0)
		return false;
	*ok = left > 0 && read_time(&blocks->directory, &blocks->at) &&
		fg_read_varint32(&blocks->directory, &size) && size <= fg_reader_left(&blocks->blocks);
	if (!*ok)
		return fg_flameseries_damaged(ctx, "the directory of blocks is damaged");
	block->first = blocks->next;
	block->profiles = left < FG_BLOCK_PROFILES ? left : FG_BLOCK_PROFILES;
	block->at = block->next_at = blocks->at;
	block->bytes = take_section(&blocks->blocks, size);
	blocks->next += block->profiles;
	*ok = peek_time(blocks, &block->next_at) && block->next_at >= block->at;
	return *ok || fg_flameseries_damaged(ctx, "the times of blocks are damaged");
}

bool
fg_flameseries_block_profiles(FgContext *ctx, FgFlameseriesBlock *block, uint32_t instances,
						 int64_t at[FG_BLOCK_PROFILES], uint32_t instance[FG_BLOCK_PROFILES])
{
	at[0] = block->at;
	for (uint32_t p = 1; p < block->profiles; p++)
	{
		at[p] = at[p - 1];
		if (!read_time(&block->bytes, &at[p]) || at[p] > block->next_at)
			return fg_flameseries_damaged(ctx, "the times of a block are damaged");
	}
	for (uint32_t p = 0; p < block->profiles; p++)
		if (!fg_read_varint32(&block->bytes, &instance[p]) || instance[p] > instances)
			return fg_flameseries_damaged(ctx, "the instances of a block are damaged");
	return fg_steps(ctx, 2 * (size_t) block->profiles);
}

bool
fg_flameseries_next_column(FgContext *ctx, FgFlameseriesColumns *columns,
						   FgStackColumn *column, uint32_t *stack, bool *ok)
{
	*ok = true;
	if (fg_reader_left(&columns->bytes) == 0)
		return false;
	*ok = fg_column_read(&columns->bytes, columns->profiles, columns->doubles, column) &&
		columns->next + column->gap < columns->stacks;
	if (!*ok)
		return fg_flameseries_damaged(ctx, "a column of values is damaged");
	*stack = (uint32_t) (columns->next + column->gap);
	columns->next = (uint64_t) *stack + 1;
	return *ok = fg_steps(ctx, column->count);
}

/* --- a whole series -------------------------------------------------------------------- */

/* What is decoded, and where the entries of each profile of a block go. */
typedef struct Decoder
{
	FgContext  *ctx;
	FgFlameseriesSections sections;
	uint32_t   *nodes;			/* by stack */
	FgFlameseries   *series;
	uint32_t	entries;		/* read so far */
} Decoder;

static FgFlameseriesColumns
columns_of(const Decoder *d, const FgFlameseriesBlock *block)
{
	return (FgFlameseriesColumns) {
		.bytes = block->bytes,
		.profiles = block->profiles,
		.stacks = d->sections.header.stacks,
		.doubles = d->sections.header.form.mode == FG_VALUES_DOUBLE
	};
}

/* How many entries each profile of the block has, and so where they start. */
static bool
count_entries(Decoder *d, const FgFlameseriesBlock *block)
{
	uint32_t   *start = d->series->start + block->first;
	FgFlameseriesColumns columns = columns_of(d, block);
	uint32_t	counts[FG_BLOCK_PROFILES] = {0};
	uint8_t		place[FG_BLOCK_PROFILES];
	FgStackColumn	column;
	uint32_t	stack;
	bool		ok;

	while (fg_flameseries_next_column(d->ctx, &columns, &column, &stack, &ok))
	{
		if (!fg_column_places(&column, place))
			return fg_flameseries_damaged(d->ctx, "the places of a column are damaged");
		for (uint32_t i = 0; i < column.count; i++)
			counts[place[i]]++;
		if (column.count > d->sections.header.values - d->entries)
			return fg_flameseries_damaged(d->ctx, "there are more values than the header says");
		d->entries += column.count;
	}
	for (uint32_t p = 0; ok && p < block->profiles; p++)
		start[p + 1] = start[p] + counts[p];
	return ok;
}

/* Could a writer have written it? */
static bool
legal_double(int64_t bits, double *value)
{
	*value = fg_bits_double((uint64_t) bits);
	return *value != 0 && isfinite(*value);
}

static bool
legal_multiple(FgValueForm form, int64_t multiple, double *value)
{
	double		whole = (double) multiple * form.unit;

	*value = fg_multiple_value(form, (double) multiple);
	return multiple != 0 && fabs(whole) < 0x1p53;
}

/* Puts the values of a column into place; "next" is where each profile's next entry goes. */
static bool
fill_column(Decoder *d, const FgStackColumn *column, uint32_t node,
			uint32_t next[FG_BLOCK_PROFILES])
{
	FgValueForm form = d->sections.header.form;
	uint8_t		place[FG_BLOCK_PROFILES];
	int64_t		multiple[FG_BLOCK_PROFILES];

	fg_column_places(column, place);
	fg_column_multiples(column, multiple);
	for (uint32_t i = 0; i < column->count; i++)
	{
		uint32_t	e = next[place[i]]++;
		double	   *value = &d->series->value[e];

		d->series->node[e] = node;
		if (!(form.mode == FG_VALUES_DOUBLE ? legal_double(multiple[i], value)
			  : legal_multiple(form, multiple[i], value)))
			return fg_flameseries_damaged(d->ctx, "a value is zero or too large");
	}
	return true;
}

static bool
decode_block(Decoder *d, FgFlameseriesBlock *block)
{
	FgFlameseries   *series = d->series;
	uint32_t	next[FG_BLOCK_PROFILES];
	FgFlameseriesColumns columns;
	FgStackColumn	column;
	uint32_t	stack = 0;
	bool		ok;

	if (!fg_flameseries_block_profiles(d->ctx, block, series->instances.count,
									   series->at + block->first,
									   series->instance + block->first) ||
		!count_entries(d, block))
		return false;
	for (uint32_t p = 0; p < block->profiles; p++)
		next[p] = series->start[block->first + p];
	columns = columns_of(d, block);
	while (fg_flameseries_next_column(d->ctx, &columns, &column, &stack, &ok))
		if (!fill_column(d, &column, d->nodes[stack], next))
			return false;
	return ok;
}

static bool
decode_blocks(Decoder *d)
{
	FgFlameseriesBlocks blocks = fg_flameseries_blocks(&d->sections);
	FgFlameseriesBlock block;
	bool		ok;

	while (fg_flameseries_next_block(d->ctx, &blocks, &block, &ok))
		if (!decode_block(d, &block))
			return false;
	if (ok && d->entries != d->sections.header.values)
		return fg_flameseries_damaged(d->ctx, "there are fewer values than the header says");
	return ok;
}

static bool
decode_all(Decoder *d)
{
	const FgFlameseriesHeader *header = &d->sections.header;
	FgFlameseries   *series = d->series;

	if (!decode_section(d->ctx, d->sections.tree, header->tree_size, &series->tree) ||
		!fg_flameseries_read_instances(d->ctx, &d->sections, &series->instances))
		return false;
	d->nodes = fg_flameseries_stack_nodes(d->ctx, &series->tree, header->stacks);
	series->count = header->count;
	series->at = fg_alloc(d->ctx, header->count, sizeof(int64_t));
	series->instance = fg_alloc(d->ctx, header->count, sizeof(uint32_t));
	series->start = fg_alloc_zero(d->ctx, (size_t) header->count + 1, sizeof(uint32_t));
	series->node = fg_alloc(d->ctx, header->values, sizeof(uint32_t));
	series->value = fg_alloc(d->ctx, header->values, sizeof(double));
	return d->nodes != NULL && series->at != NULL && series->instance != NULL &&
		series->start != NULL && series->node != NULL && series->value != NULL && decode_blocks(d);
}

/*
 * A profile costs at least a byte, and a value at least a bit of one that all profiles of its
 * block have; but a column of equal values that all have costs three bytes, so what is allocated
 * is bounded by the limits of flameseries.h, and by nothing else.
 */
bool
fg_flameseries_decode(FgContext *ctx, const uint8_t *bytes, size_t size, FgFlameseries *series)
{
	Decoder		d = {.ctx = ctx, .series = series};
	bool		ok;

	memset(series, 0, sizeof(*series));
	if (!fg_flameseries_header(ctx, bytes, size, &d.sections.header))
		return false;
	if (size - FG_FLAMESERIES_HEADER < d.sections.header.count)
		return fg_flameseries_damaged(ctx, "there are more profiles than bytes");
	ok = fg_flameseries_sections(ctx, bytes, size, &d.sections) && decode_all(&d);
	fg_release(ctx, d.nodes);
	if (ok)
		return true;
	fg_flameseries_free(ctx, series);
	return false;
}

/* The same series, made anew: in the one order, over the one tree. */
static bool
rebuild(FgContext *ctx, const FgFlameseries *series, FgFlameseries *again)
{
	FgFlameseriesBuilder builder;
	bool		ok;

	if (!fg_flameseries_builder_begin(ctx, &builder))
		return false;
	ok = fg_flameseries_add_series(&builder, series, &FG_FLAMESERIES_WHOLE) &&
		fg_flameseries_build(&builder, again);
	fg_flameseries_builder_free(&builder);
	return ok;
}

static bool
is_canonical(FgContext *ctx, const uint8_t *bytes, size_t size, const FgFlameseries *series)
{
	FgFlameseries	again;
	uint8_t    *canonical;
	size_t		canonical_size;
	bool		same;

	if (!rebuild(ctx, series, &again))
		return false;
	same = fg_flameseries_encode(ctx, &again, 0, &canonical, &canonical_size);
	fg_flameseries_free(ctx, &again);
	if (!same)
		return false;
	same = size == canonical_size && memcmp(bytes, canonical, size) == 0;
	fg_release(ctx, canonical);
	return same || fg_flameseries_damaged(ctx, "this is not the one encoding of its series");
}

/* The tree and the instances by themselves: legal frames, and their canonical encodings. */
static bool
validate_section(FgContext *ctx, FgReader section)
{
	FgTree		tree;

	if (!fg_codec_validate(ctx, section.next, fg_reader_left(&section), &tree))
		return false;
	fg_tree_free(ctx, &tree);
	return true;
}

bool
fg_flameseries_validate(FgContext *ctx, const uint8_t *bytes, size_t size, FgFlameseries *series)
{
	FgFlameseriesSections sections;

	if (!fg_flameseries_decode(ctx, bytes, size, series))
		return false;
	if (fg_flameseries_sections(ctx, bytes, size, &sections) &&
		validate_section(ctx, sections.tree) && validate_section(ctx, sections.instances) && is_canonical(ctx, bytes, size, series))
		return true;
	fg_flameseries_free(ctx, series);
	return false;
}
