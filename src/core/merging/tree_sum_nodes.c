/*
 * tree_sum_nodes.c
 *	  The nodes of profiles in a trie of runs (see tree_sum_nodes.h).
 */
#include "core/merging/tree_sum_nodes.h"

#include "core/merging/tree_sum_internal.h"
#include "core/profile/codec.h"

/* So many runs are looked at before the table is asked: most of a large trie are not the profile's. */
#define HOPS 2

FgTreeSum *
fg_tree_sum_nodes_create(FgContext *ctx)
{
	FgTreeSum  *sum = fg_tree_sum_create(ctx);

	if (sum != NULL)
		fg_known_frames_begin(ctx, &sum->names, &sum->known);
	return sum;
}

void
fg_tree_sum_node_add(FgTreeSum *sum, uint32_t node, double value)
{
	sum->self[node] += value;
}

/* --- a profile -------------------------------------------------------------------------------- */

/* The run of a node at this depth, below the place at hand, that has this frame; or FG_NONE. */
static uint32_t
find_run(const FgTreeSum *sum, uint32_t depth, uint32_t frame, uint32_t elder)
{
	uint32_t	first = fg_sum_first_run(sum, depth, elder);
	uint32_t	at = first;

	if (first == FG_NONE)
		return FG_NONE;
	for (int hop = 0; hop < HOPS; hop++)
	{
		if (sum->run[at].frame == frame)
			return at;
		at = sum->run[at].next;
		if (at == first)
			return FG_NONE;
	}
	return fg_sum_look_up(sum, sum->path[sum->top].run, frame);
}

/* Is node j the only one below node j - 1, or the first? */
static inline bool
goes_down(const FgTree *tree, uint32_t j, uint32_t depth)
{
	return j <= tree->nnodes && fg_key_depth(tree->key[j]) == depth;
}

/* Nodes from j on that are in the run, of which the first is; how many there are. */
static uint32_t
match_run(const FgTreeSum *sum, const FgTree *tree, const uint32_t *number, uint32_t j,
		  const FgRun *run, uint32_t *node)
{
	uint32_t	depth = fg_key_depth(tree->key[j]);
	uint32_t	k = 0;

	do
	{
		node[j + k] = run->first + k;
		k++;
	} while (k < run->length && goes_down(tree, j + k, depth + k) &&
			 sum->frame[run->first + k] == number[fg_key_frame(tree->key[j + k])]);
	return k;
}

/* Nodes from j on, which the sum lacks, as far as each is below the one before. */
static bool
append_run(FgTreeSum *sum, const FgTree *tree, const uint32_t *number, uint32_t j, uint32_t elder,
		   uint32_t *node, uint32_t *appended)
{
	uint32_t	depth = fg_key_depth(tree->key[j]);
	uint32_t	k = 0;

	do
	{
		uint32_t	frame = number[fg_key_frame(tree->key[j + k])];

		/* who asks for nodes asks for no edges, so that they have none */
		if (!fg_sum_reserve_nodes(sum, 1) ||
			(k == 0 && !fg_sum_begin_run(sum, depth, frame, 0, elder)))
			return false;
		node[j + k] = sum->nodes;
		fg_sum_append(sum, frame, 0, 0);
		k++;
	} while (goes_down(tree, j + k, depth + k));
	*appended = k;
	return fg_steps(sum->ctx, 8 * (size_t) k);
}

/* number[] by frame of the tree's dictionary. */
static bool
find_nodes(FgTreeSum *sum, const FgTree *tree, const uint32_t *number, uint32_t *node)
{
	uint32_t	j = 1;

	if (!fg_sum_reserve_path(sum, fg_tree_depth_bound(tree) + 1))
		return false;
	fg_sum_begin_path(sum);
	node[0] = 0;
	while (j <= tree->nnodes)
	{
		uint32_t	depth = fg_key_depth(tree->key[j]);
		uint32_t	frame = number[fg_key_frame(tree->key[j])];
		uint32_t	elder = fg_sum_climb(sum, depth - 1);
		uint32_t	run = find_run(sum, depth, frame, elder);
		uint32_t	done;

		if (run != FG_NONE)
		{
			fg_sum_enter(sum, run, depth);
			done = match_run(sum, tree, number, j, &sum->run[run], node);
		}
		else if (!append_run(sum, tree, number, j, elder, node, &done))
			return false;
		j += done;
		if (!fg_steps(sum->ctx, done))
			return false;
	}
	return true;
}

bool
fg_tree_sum_nodes_of(FgTreeSum *sum, const FgTree *tree, uint32_t *node)
{
	const uint32_t *number;

	return fg_known_frames_number_all(&sum->known, &tree->frames, &number) &&
		find_nodes(sum, tree, number, node);
}

bool
fg_tree_sum_nodes_of_encoded(FgTreeSum *sum, const uint8_t *bytes, size_t size, FgTree *tree,
							 const uint32_t **node)
{
	FgContext  *ctx = sum->ctx;
	FgSections	sections;
	const uint32_t *number;

	ctx->error.code = FG_OK;
	if (!fg_codec_sections(ctx, bytes, size, &sections))
		return false;
	if (!fg_known_frames_number(&sum->known, sections.dictionary, sections.header.nframes, &number))
		return ctx->error.code == FG_OK
			? fg_fail(ctx, FG_ERROR_CORRUPT, "the frame dictionary is damaged") : false;
	if (!fg_reserve(ctx, (void **) &sum->number, &sum->number_capacity,
					(size_t) sections.header.facts.nnodes + 1, sizeof(uint32_t)) ||
		!fg_codec_decode_nodes(ctx, &sections, tree))
		return false;
	*node = sum->number;
	if (find_nodes(sum, tree, number, sum->number))
		return true;
	fg_tree_free(ctx, tree);
	return false;
}

/* --- the end ---------------------------------------------------------------------------------- */

bool
fg_tree_sum_nodes_finish(FgTreeSum *sum, FgTree *tree, uint32_t **place)
{
	FgContext  *ctx = sum->ctx;
	uint32_t   *frame_place = fg_alloc(ctx, sum->names.count, sizeof(uint32_t));
	bool		ok;

	memset(tree, 0, sizeof(*tree));
	*place = fg_alloc(ctx, sum->nodes, sizeof(uint32_t));
	ok = frame_place != NULL && *place != NULL && fg_tree_alloc(ctx, tree, sum->nodes - 1);
	if (ok)
	{
		fg_frames_free(ctx, &tree->frames);
		ok = fg_names_sort(&sum->names, &tree->frames, frame_place) &&
			fg_sum_make_nodes(sum, frame_place, tree, *place);
	}
	fg_release(ctx, frame_place);
	if (ok)
		return true;
	fg_release(ctx, *place);
	*place = NULL;
	fg_tree_free(ctx, tree);
	return false;
}
