/*
 * gathering.c
 *	  The sum of many small profiles, node by node (see gathering.h).
 */
#include "core/samples/gathering.h"

#include "core/profile/builder.h"
#include "core/profile/codec.h"
#include "core/profile/names.h"

/* Of the counts in the header; the bytes behind it may be the same where these differ. */
#define COUNTS_AT 2
#define COUNTS_SIZE 22

typedef struct Shape
{
	uint8_t		counts[COUNTS_SIZE];
	uint32_t	nodes;			/* where those of its stacks begin, in the order of the values */
} Shape;

/* Shapes are kept when one in so many profiles has one of them. */
#define WORTH_KEEPING 8

struct FgGathering
{
	FgContext  *ctx;
	FgBuilder  *builder;
	bool		remembers;
	size_t		shape_bytes;	/* limit */
	uint64_t	asked;
	uint64_t	known;
	FgNames		bytes;			/* of the shapes, from the sizes of the sections on; numbers them */
	Shape	   *shapes;
	size_t		shapes_capacity;
	uint32_t   *nodes;			/* of the builder */
	size_t		nodes_capacity;
	size_t		nodes_count;
	/* of the profile at hand */
	uint32_t   *frame;			/* by frame: its number in the builder */
	size_t		frame_capacity;
	uint32_t   *place;			/* by node: the builder's */
	size_t		place_capacity;
	uint32_t   *path;			/* by depth: the builder's node */
	size_t		path_capacity;
	double	   *values;
	size_t		values_capacity;
};

FgGathering *
fg_gathering_create(FgContext *ctx, size_t shape_bytes)
{
	FgGathering *g = fg_alloc_zero(ctx, 1, sizeof(FgGathering));

	if (g == NULL)
		return NULL;
	g->ctx = ctx;
	g->remembers = true;
	g->shape_bytes = shape_bytes;
	g->builder = fg_builder_create(ctx);
	if (g->builder != NULL && fg_names_begin(ctx, &g->bytes))
		return g;
	fg_gathering_free(g);
	return NULL;
}

/* Only those that were there are used: the rest of the object goes on. */
static void
forget_shapes(FgGathering *g)
{
	fg_names_free(&g->bytes);
	fg_release(g->ctx, g->shapes);
	fg_release(g->ctx, g->nodes);
	g->shapes = NULL;
	g->nodes = NULL;
	g->remembers = false;
}

void
fg_gathering_free(FgGathering *g)
{
	if (g == NULL)
		return;
	forget_shapes(g);
	if (g->builder != NULL)
		fg_builder_free(g->builder);
	fg_release(g->ctx, g->frame);
	fg_release(g->ctx, g->place);
	fg_release(g->ctx, g->path);
	fg_release(g->ctx, g->values);
	fg_release(g->ctx, g);
}

/* --- shapes ---------------------------------------------------------------------------------- */

/*
 * Some hundred bytes, at least 16.  Two halves that do not wait for each other; the last bytes may
 * be read twice.
 */
static uint32_t
hash_shape(uint64_t seed, const char *p, size_t length)
{
	uint64_t	secret = seed ^ UINT64_C(0x9E3779B97F4A7C15);
	const char *last = p + length - 16;
	uint64_t	a = fg_fold_multiply(seed ^ length, secret);
	uint64_t	b = secret;

	for (; p + 16 < last; p += 32)
	{
		a = fg_fold_multiply(fg_load_word(p) ^ a, fg_load_word(p + 8) ^ secret);
		b = fg_fold_multiply(fg_load_word(p + 16) ^ b, fg_load_word(p + 24) ^ seed);
	}
	if (p < last)
		a = fg_fold_multiply(fg_load_word(p) ^ a, fg_load_word(p + 8) ^ secret);
	b = fg_fold_multiply(fg_load_word(last) ^ b, fg_load_word(last + 8) ^ seed);
	a = fg_fold_multiply(a ^ secret, b);
	return (uint32_t) (a >> 32 ^ a);
}

static uint32_t
find_shape(const FgGathering *g, const uint8_t *bytes, size_t end, uint32_t *hash)
{
	const char *name = (const char *) bytes + FG_SIZES_AT;
	size_t		length = end - FG_SIZES_AT;
	uint32_t	number;

	*hash = hash_shape(g->ctx->seed, name, length);
	number = fg_names_find(&g->bytes, name, length, *hash);
	if (number != FG_NONE &&
		memcmp(g->shapes[number].counts, bytes + COUNTS_AT, COUNTS_SIZE) != 0)
		return FG_NONE;
	return number;
}

static bool
add_values(FgGathering *g, const Shape *shape, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
	{
		if (!fg_builder_add_value(g->builder, g->nodes[shape->nodes + i], g->values[i]))
			return false;
	}
	return true;
}

bool
fg_gathering_add_known(FgGathering *g, const uint8_t *bytes, size_t size, bool *known)
{
	FgHeader	header;
	size_t		end;
	uint32_t	hash;
	uint32_t	number;

	*known = false;
	if (!g->remembers)
		return true;
	if (!fg_codec_shape(g->ctx, bytes, size, &header, &end) || !fg_work(g->ctx, end))
		return false;
	g->asked++;
	number = find_shape(g, bytes, end, &hash);
	if (number == FG_NONE)
		return true;
	*known = true;
	g->known++;
	return fg_reserve(g->ctx, (void **) &g->values, &g->values_capacity, header.facts.nstacks,
					  sizeof(double)) &&
		fg_codec_values(g->ctx, bytes + end, size - end, &header, g->values) &&
		add_values(g, &g->shapes[number], header.facts.nstacks);
}

static bool
is_leaf(const FgTree *tree, uint32_t node)
{
	return node > 0 && (node == tree->nnodes ||
						fg_key_depth(tree->key[node + 1]) <= fg_key_depth(tree->key[node]));
}

/* The builder's nodes of the tree's stacks as VALUES has them: leaves, then the others. */
static void
list_nodes(FgGathering *g, const FgTree *tree)
{
	for (int leaves = 1; leaves >= 0; leaves--)
	{
		for (uint32_t i = 0; i <= tree->nnodes; i++)
		{
			if (tree->self[i] != 0 && is_leaf(tree, i) == leaves)
				g->nodes[g->nodes_count++] = g->place[i];
		}
	}
}

/* place[] is that of the tree. */
static bool
remember_shape(FgGathering *g, const FgTree *tree, const uint8_t *bytes, size_t size)
{
	FgHeader	header;
	size_t		end;
	uint32_t	hash;
	uint32_t	number;

	if (!fg_codec_shape(g->ctx, bytes, size, &header, &end))
		return false;
	if (g->bytes.size + (g->nodes_count + header.facts.nstacks) * sizeof(uint32_t) +
		g->bytes.count * sizeof(Shape) + end > g->shape_bytes)
	{
		if (g->known < g->asked / WORTH_KEEPING)
			forget_shapes(g);
		return true;
	}
	if (find_shape(g, bytes, end, &hash) != FG_NONE)
		return true;
	if (!fg_reserve(g->ctx, (void **) &g->shapes, &g->shapes_capacity, (size_t) g->bytes.count + 1,
					sizeof(Shape)) ||
		!fg_reserve(g->ctx, (void **) &g->nodes, &g->nodes_capacity,
					g->nodes_count + header.facts.nstacks, sizeof(uint32_t)) ||
		!fg_names_append(&g->bytes, (const char *) bytes + FG_SIZES_AT, end - FG_SIZES_AT, hash,
						 &number))
		return false;
	memcpy(g->shapes[number].counts, bytes + COUNTS_AT, COUNTS_SIZE);
	g->shapes[number].nodes = (uint32_t) g->nodes_count;
	list_nodes(g, tree);
	return true;
}

/* --- trees ----------------------------------------------------------------------------------- */

static bool
reserve(FgGathering *g, const FgTree *tree)
{
	size_t		nodes = (size_t) tree->nnodes + 1;

	return fg_reserve(g->ctx, (void **) &g->frame, &g->frame_capacity, tree->frames.count,
					  sizeof(uint32_t)) &&
		fg_reserve(g->ctx, (void **) &g->place, &g->place_capacity, nodes, sizeof(uint32_t)) &&
		fg_reserve(g->ctx, (void **) &g->path, &g->path_capacity,
				   (size_t) fg_tree_depth_bound(tree) + 1, sizeof(uint32_t));
}

static bool
number_frames(FgGathering *g, const FgFrames *frames)
{
	for (uint32_t f = 0; f < frames->count; f++)
	{
		if (!fg_builder_frame(g->builder, fg_frame_bytes(frames, f), fg_frame_length(frames, f),
							  &g->frame[f]))
			return false;
	}
	return true;
}

static bool
add_nodes(FgGathering *g, const FgTree *tree)
{
	g->path[0] = 0;
	g->place[0] = 0;
	if (tree->self[0] != 0 && !fg_builder_add_value(g->builder, 0, tree->self[0]))
		return false;
	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		uint64_t	key = tree->key[i];
		uint32_t	depth = fg_key_depth(key);
		uint32_t	node;

		if (!fg_builder_child(g->builder, g->path[depth - 1], g->frame[fg_key_frame(key)], &node))
			return false;
		g->path[depth] = node;
		g->place[i] = node;
		if (tree->self[i] != 0 && !fg_builder_add_value(g->builder, node, tree->self[i]))
			return false;
	}
	return true;
}

bool
fg_gathering_add(FgGathering *g, const FgTree *tree, const uint8_t *bytes, size_t size)
{
	return reserve(g, tree) && number_frames(g, &tree->frames) && add_nodes(g, tree) &&
		(bytes == NULL || !g->remembers || remember_shape(g, tree, bytes, size));
}

bool
fg_gathering_finish(FgGathering *g, FgTree *tree)
{
	return fg_builder_finish(g->builder, tree);
}
