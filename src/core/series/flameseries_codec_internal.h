/*
 * flameseries_codec_internal.h
 *	  Where the parts of an encoded series lie, for who reads them (flameseries_codec_*.c).
 */
#ifndef FG_FLAMESERIES_CODEC_INTERNAL_H
#define FG_FLAMESERIES_CODEC_INTERNAL_H

#include "core/base/bytes.h"
#include "core/series/flameseries_codec.h"
#include "core/series/flameseries_columns.h"

/* Records damage and returns false, unless work had to end for another reason. */
extern bool fg_flameseries_damaged(FgContext *ctx, const char *reason);

/* Where the sections lie; those that "size" cuts off are empty. */
typedef struct FgFlameseriesSections
{
	FgFlameseriesHeader header;
	FgReader	tree;
	FgReader	instances;
	FgReader	sums;
	FgReader	directory;
	FgReader	blocks;
} FgFlameseriesSections;

extern bool fg_flameseries_sections(FgContext *ctx, const uint8_t *bytes, size_t size,
							   FgFlameseriesSections *sections);

/* Are all bytes of a section there?  An error when not. */
extern bool fg_flameseries_whole_section(FgContext *ctx, const FgReader *section, uint32_t size);

/* The names out of section INSTANCES. */
extern bool fg_flameseries_read_instances(FgContext *ctx, const FgFlameseriesSections *sections,
										  FgFrames *names);

/* By stack of the tree: its node; to be released. */
extern uint32_t *fg_flameseries_stack_nodes(FgContext *ctx, const FgTree *tree, uint32_t stacks);

/* A block, and the walk over the directory that finds it. */
typedef struct FgFlameseriesBlock
{
	uint32_t	first;			/* number of its first profile */
	uint32_t	profiles;
	int64_t		at;				/* of its first profile */
	int64_t		next_at;		/* of the next block's first profile, or of the last of all */
	FgReader	bytes;
} FgFlameseriesBlock;

typedef struct FgFlameseriesBlocks
{
	FgReader	directory;
	FgReader	blocks;
	uint32_t	count;			/* profiles of the series */
	uint32_t	next;			/* number of the next block's first profile */
	int64_t		at;
	int64_t		until;
} FgFlameseriesBlocks;

extern FgFlameseriesBlocks fg_flameseries_blocks(const FgFlameseriesSections *sections);

/*
 * The next block; false behind the last one, and then or when the directory is damaged with *ok.
 */
extern bool fg_flameseries_next_block(FgContext *ctx, FgFlameseriesBlocks *blocks,
									  FgFlameseriesBlock *block, bool *ok);

/*
 * Reads the times and instances of a block's profiles; what is left of block->bytes are the
 * columns.
 */
extern bool fg_flameseries_block_profiles(FgContext *ctx, FgFlameseriesBlock *block,
										  uint32_t instances, int64_t at[FG_BLOCK_PROFILES],
									 uint32_t instance[FG_BLOCK_PROFILES]);

/*
 * The next column of a block and the number of its stack; false at the end or, with *ok, when it
 * is damaged.
 */
typedef struct FgFlameseriesColumns
{
	FgReader	bytes;
	uint32_t	profiles;
	uint32_t	stacks;
	uint64_t	next;			/* the stack that a gap of 0 means */
	bool		doubles;
} FgFlameseriesColumns;

extern bool fg_flameseries_next_column(FgContext *ctx, FgFlameseriesColumns *columns,
									   FgStackColumn *column, uint32_t *stack, bool *ok);

#endif							/* FG_FLAMESERIES_CODEC_INTERNAL_H */
