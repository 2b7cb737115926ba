/*
 * fuzz_codec.c
 *	  The decoder and the validator on arbitrary bytes.
 *
 * Properties: what the validator accepts is canonical and encodes to the very
 * bytes; what only the decoder accepts (stored values are not validated again)
 * can be used with every operation without a crash, and when its tree is
 * canonical, its own encoding is accepted.  What is accepted comes back from its compressed form, and
 * a damaged one does no harm.  A sum, which makes no tree of the bytes, is the same
 * tree when they are canonical; of others it may be another one.
 */
#include "support.h"

#include "core/cct/potential.h"
#include "core/merging/tree_sum.h"
#include "core/profile/algebra.h"
#include "core/profile/codec.h"
#include "core/profile/folded.h"
#include "core/profile/path.h"
#include "core/series/flameseries_build.h"
#include "core/series/flameseries_codec.h"

static void
use_sums(FgContext *ctx, const FgTree *tree)
{
	double	   *totals = fg_alloc(ctx, (size_t) tree->nnodes + 1, sizeof(double));
	double	   *potential = fg_alloc(ctx, tree->frames.count, sizeof(double));
	double	   *naive = fg_alloc(ctx, tree->frames.count, sizeof(double));
	double		norm;

	if (totals != NULL && potential != NULL && naive != NULL)
	{
		fg_tree_totals(ctx, tree, totals);
		fg_subtree_potential(ctx, tree, 2, potential, naive);
		fg_subtree_potential(ctx, tree, 70, potential, naive);
	}
	fg_norm(ctx, tree, 2, &norm);
	fg_release(ctx, totals);
	fg_release(ctx, potential);
	fg_release(ctx, naive);
}

static void
use_with_another(FgContext *ctx, const FgTree *tree, const FgTree *other)
{
	FgTree		result;
	double		similarity;

	if (fg_combine(ctx, tree, 1, other, -2, &result))
		fg_tree_free(ctx, &result);
	if (fg_similarity(ctx, tree, other, &similarity))
		REQUIRE(similarity >= 0 && similarity <= 1);
}

/* No result is expected of a tree that may break invariants, only no harm. */
static void
use(FgContext *ctx, const FgTree *tree)
{
	FgBuffer	text = {.ctx = ctx};
	FgTree		other;
	bool		complete;

	use_sums(ctx, tree);
	fg_folded_print(&text, tree, FG_FOLDED_EXACT, 100000, &complete, NULL);
	fg_release(ctx, text.data);
	use_with_another(ctx, tree, tree);
	if (fg_scale(ctx, tree, -1, &other))
	{
		use_with_another(ctx, tree, &other);
		fg_tree_free(ctx, &other);
	}
	if (fg_tree_empty(ctx, &other))
	{
		use_with_another(ctx, &other, tree);
		fg_tree_free(ctx, &other);
	}
	if (tree->frames.count > 0)
		fg_tree_find(tree, fg_frame_bytes(&tree->frames, 0), fg_frame_length(&tree->frames, 0));
}

static void
require_bytes(FgContext *ctx, const FgTree *tree, const uint8_t *data, size_t size)
{
	uint8_t    *bytes;
	size_t		encoded;

	if (!fg_codec_encode(ctx, tree, 0, &bytes, &encoded))
	{
		REQUIRE(ctx->error.code == FG_ERROR_MEMORY);
		return;
	}
	REQUIRE(encoded == size && memcmp(bytes, data, size) == 0);
	fg_release(ctx, bytes);
}

/* Into memory of its own size. */
static void
decompress(FgContext *ctx, const uint8_t *data, size_t size, const uint8_t *expected,
		   size_t expected_size)
{
	FgExtent	extent;
	uint8_t    *to;
	bool		ok;

	if (!fg_compressed_extent(ctx, &fg_codec_encoding, data, size, SIZE_MAX, &extent))
	{
		REQUIRE(expected == NULL && ctx->error.code == FG_ERROR_CORRUPT);
		return;
	}
	if (extent.whole > 10 * expected_size + 1000)
		return;
	to = malloc(extent.whole);
	ok = fg_decompress(ctx, &fg_codec_encoding, data, size, extent, to);
	if (expected != NULL)
		REQUIRE(ok && extent.whole == expected_size && memcmp(to, expected, expected_size) == 0);
	else
		REQUIRE(ok || ctx->error.code == FG_ERROR_CORRUPT || ctx->error.code == FG_ERROR_MEMORY);
	free(to);
}

/* There and back, and once more with a byte that the input chooses. */
static void
require_compression(FgContext *ctx, const uint8_t *data, size_t size)
{
	uint8_t    *compressed;
	size_t		compressed_size;

	if (!fg_compress(ctx, &fg_codec_encoding, data, size, 0, &compressed, &compressed_size))
	{
		REQUIRE(ctx->error.code == FG_ERROR_MEMORY);
		return;
	}
	if (compressed == NULL)
		return;
	decompress(ctx, compressed, compressed_size, data, size);
	compressed[(size_t) data[size - 1] * compressed_size / 256] ^= data[size - 2] | 1;
	decompress(ctx, compressed, compressed_size, NULL, size);
	fg_release(ctx, compressed);
}

static void
require_header(FgContext *ctx, const uint8_t *data, size_t size, const FgTree *tree)
{
	FgHeader	header;
	FgFacts		facts;

	REQUIRE(fg_codec_header(ctx, data, size, &header));
	REQUIRE(fg_codec_header(ctx, data, SIZE_MAX, &header));
	REQUIRE(fg_tree_facts(ctx, tree, &facts));
	REQUIRE(facts.nnodes == header.facts.nnodes && facts.nstacks == header.facts.nstacks);
	REQUIRE(facts.nleaves == header.facts.nleaves && facts.depth == header.facts.depth);
	REQUIRE(facts.total == header.facts.total && facts.norm == header.facts.norm);
	REQUIRE(header.nframes == tree->frames.count);
}

/* The first frames, by a search of the bytes. */
static void
require_frames(FgContext *ctx, const uint8_t *data, size_t size, const FgFrames *frames)
{
	uint32_t	number;

	for (uint32_t i = 0; i < frames->count && i < 20; i++)
	{
		REQUIRE(fg_codec_find_frame(ctx, data, size, fg_frame_bytes(frames, i),
									fg_frame_length(frames, i), &number));
		REQUIRE(number == i);
	}
}

/* "tree" is what the decoder made of the bytes, NULL when it refused them. */
static void
require_sum(FgContext *ctx, const uint8_t *data, size_t size, const FgTree *tree)
{
	bool		canonical = tree != NULL && fg_tree_check(ctx, tree);
	FgTreeSum  *sum = fg_tree_sum_create(ctx);
	FgTree		result;

	if (sum != NULL && fg_tree_sum_add_encoded(sum, data, size))
	{
		if (fg_tree_sum_finish(sum, &result))
		{
			REQUIRE(!canonical || fuzz_same_tree(tree, &result));
			fg_tree_free(ctx, &result);
		}
		else
			REQUIRE(ctx->error.code == FG_ERROR_RANGE || ctx->error.code == FG_ERROR_MEMORY);
	}
	else if (canonical)
		REQUIRE(ctx->error.code == FG_ERROR_MEMORY);
	else
		REQUIRE(ctx->error.code == FG_ERROR_CORRUPT || ctx->error.code == FG_ERROR_LIMIT ||
				ctx->error.code == FG_ERROR_MEMORY);
	fg_tree_sum_free(sum);
}

/* A series of the bytes three times has the tree, which it makes without one of each. */
static void
require_series(FgContext *ctx, const uint8_t *data, size_t size, const FgTree *tree)
{
	bool		canonical = tree != NULL && fg_tree_check(ctx, tree);
	FgFlameseriesBuilder builder;
	FgFlameseries series;
	uint8_t    *bytes;
	size_t		encoded;
	bool		ok = fg_flameseries_builder_begin(ctx, &builder);

	for (int64_t at = 0; ok && at < 3; at++)
		ok = fg_flameseries_add_encoded(&builder, at, "", 0, data, size);
	REQUIRE(ok || !canonical || ctx->error.code == FG_ERROR_MEMORY);
	if (ok && fg_flameseries_build(&builder, &series))
	{
		REQUIRE(!canonical || series.tree.nnodes == tree->nnodes);
		REQUIRE(!canonical || fg_frames_equal(&series.tree.frames, &tree->frames));
		if (fg_flameseries_encode(ctx, &series, 0, &bytes, &encoded))
			fg_release(ctx, bytes);
		fg_flameseries_free(ctx, &series);
	}
	fg_flameseries_builder_free(&builder);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FgContext	ctx = fuzz_context();
	uint8_t    *bytes = malloc(size + (size == 0));	/* exact, so that a read too far is seen */
	FgHeader	header;
	FgTree		tree;
	FgTree		valid;
	uint32_t	number;
	bool		decoded;

	memcpy(bytes, data, size);
	if (size >= FG_HEADER_SIZE)
	{
		fg_codec_header(&ctx, bytes, SIZE_MAX, &header);
		fg_codec_find_frame(&ctx, bytes, size, (const char *) bytes + FG_HEADER_SIZE,
							size - FG_HEADER_SIZE, &number);
	}
	decoded = fg_codec_decode(&ctx, bytes, size, &tree);
	REQUIRE(decoded || ctx.error.code == FG_ERROR_CORRUPT || ctx.error.code == FG_ERROR_LIMIT ||
			ctx.error.code == FG_ERROR_MEMORY);
	if (fg_codec_validate(&ctx, bytes, size, &valid))
	{
		REQUIRE(decoded && fuzz_same_tree(&tree, &valid));
		REQUIRE(fg_tree_check(&ctx, &valid));
		require_bytes(&ctx, &valid, bytes, size);
		require_header(&ctx, bytes, size, &valid);
		require_frames(&ctx, bytes, size, &valid.frames);
		require_compression(&ctx, bytes, size);
		fg_tree_free(&ctx, &valid);
	}
	else
		REQUIRE(ctx.error.code == FG_ERROR_CORRUPT || ctx.error.code == FG_ERROR_LIMIT ||
				ctx.error.code == FG_ERROR_MEMORY);
	require_sum(&ctx, bytes, size, decoded ? &tree : NULL);
	require_series(&ctx, bytes, size, decoded ? &tree : NULL);
	if (decoded)
	{
		use(&ctx, &tree);
		if (fg_tree_check(&ctx, &tree))
			fuzz_require_codec(&ctx, &tree);
		fg_tree_free(&ctx, &tree);
	}
	free(bytes);
	fuzz_finish();
	return 0;
}
