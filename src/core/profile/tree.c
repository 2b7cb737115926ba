/*
 * tree.c
 *	  Calling context trees in preorder: canonical form, facts, totals (see
 *	  tree.h).
 */
#include "core/profile/tree.h"

#include "core/base/sums.h"

#include <math.h>
#include <string.h>

bool
fg_tree_alloc(FgContext *ctx, FgTree *tree, uint32_t nnodes)
{
	memset(tree, 0, sizeof(*tree));
	if (nnodes > FG_MAX_NODES)
		return fg_fail(ctx, FG_ERROR_LIMIT, "a profile has more than %u nodes", FG_MAX_NODES);
	return fg_tree_alloc_unlimited(ctx, tree, nnodes);
}

bool
fg_tree_alloc_unlimited(FgContext *ctx, FgTree *tree, uint64_t nnodes)
{
	memset(tree, 0, sizeof(*tree));
	tree->key = fg_alloc(ctx, (size_t) nnodes + 1, sizeof(uint64_t));
	if (tree->key == NULL)
		return false;
	tree->self = fg_alloc(ctx, (size_t) nnodes + 1, sizeof(double));
	if (tree->self == NULL)
	{
		fg_tree_free(ctx, tree);
		return false;
	}
	tree->nnodes = (uint32_t) nnodes;
	tree->key[0] = FG_ROOT_KEY;
	tree->self[0] = 0;
	return true;
}

bool
fg_tree_empty(FgContext *ctx, FgTree *tree)
{
	if (!fg_tree_alloc(ctx, tree, 0))
		return false;
	if (fg_frames_alloc(ctx, &tree->frames, 0, 0))
		return true;
	fg_tree_free(ctx, tree);
	return false;
}

bool
fg_tree_copy(FgContext *ctx, const FgTree *tree, FgTree *copy)
{
	size_t		nodes = (size_t) tree->nnodes + 1;

	if (!fg_tree_alloc(ctx, copy, tree->nnodes))
		return false;
	if (fg_copy(ctx, copy->key, tree->key, nodes * sizeof(uint64_t)) &&
		fg_copy(ctx, copy->self, tree->self, nodes * sizeof(double)) &&
		fg_frames_copy(ctx, &tree->frames, &copy->frames))
		return true;
	fg_tree_free(ctx, copy);
	return false;
}

void
fg_tree_free(FgContext *ctx, FgTree *tree)
{
	fg_frames_free(ctx, &tree->frames);
	fg_release(ctx, tree->key);
	fg_release(ctx, tree->self);
	memset(tree, 0, sizeof(*tree));
}

/*
 * Marks dead nodes by setting their key to UINT64_MAX, from the right: a node
 * lives when it has a value or when the next living node is deeper, that is,
 * below it.  Returns the number of living nodes.
 */
static bool
mark_dead(FgContext *ctx, FgTree *tree, uint32_t *alive)
{
	uint32_t	next_depth = 0;
	uint32_t	count = 0;

	for (uint32_t i = tree->nnodes; i > 0; i--)
	{
		uint32_t	depth = fg_key_depth(tree->key[i]);

		if (!fg_check_every(ctx, i))
			return false;
		if (tree->self[i] == 0 && next_depth <= depth)
			tree->key[i] = UINT64_MAX;
		else
		{
			next_depth = depth;
			count++;
		}
	}
	*alive = count;
	return true;
}

static bool
close_gaps(FgContext *ctx, FgTree *tree, uint32_t alive)
{
	uint32_t	to = 1;

	for (uint32_t from = 1; from <= tree->nnodes; from++)
	{
		if (!fg_check_every(ctx, from))
			return false;
		if (tree->key[from] == UINT64_MAX)
			continue;
		tree->key[to] = tree->key[from];
		tree->self[to] = tree->self[from];
		to++;
	}
	tree->nnodes = alive;
	return true;
}

/* number[f] = 1 for each frame that occurs. */
static bool
mark_used(FgContext *ctx, const FgTree *tree, uint32_t *number, uint32_t *used)
{
	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		number[fg_key_frame(tree->key[i])] = 1;
		if (!fg_check_every(ctx, i))
			return false;
	}
	*used = 0;
	for (uint32_t f = 0; f < tree->frames.count; f++)
		*used += number[f];
	return true;
}

/* Moves the used frames together and numbers them. */
static bool
close_frames(FgContext *ctx, FgFrames *frames, uint32_t *number)
{
	uint32_t	used = 0;
	uint32_t	end = 0;

	for (uint32_t f = 0; f < frames->count; f++)
	{
		uint32_t	length = fg_frame_length(frames, f);

		if (!fg_work(ctx, length))
			return false;
		if (number[f] == 0)
			continue;
		number[f] = used;
		memmove(frames->bytes + end, fg_frame_bytes(frames, f), length);
		frames->offset[used++] = end;
		end += length;
	}
	frames->offset[used] = end;
	frames->count = used;
	return true;
}

static bool
renumber_nodes(FgContext *ctx, FgTree *tree, const uint32_t *number)
{
	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		uint64_t	key = tree->key[i];

		tree->key[i] = (key & ~(uint64_t) UINT32_MAX) | number[fg_key_frame(key)];
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

/* Rewrites the dictionary and the keys so that only used frames remain. */
static bool
drop_unused_frames(FgContext *ctx, FgTree *tree)
{
	uint32_t   *number = fg_alloc_zero(ctx, tree->frames.count, sizeof(uint32_t));
	uint32_t	used;
	bool		ok = number != NULL && mark_used(ctx, tree, number, &used);

	if (ok && used < tree->frames.count)
		ok = close_frames(ctx, &tree->frames, number) && renumber_nodes(ctx, tree, number);
	fg_release(ctx, number);
	return ok;
}

bool
fg_tree_prune_zeros(FgContext *ctx, FgTree *tree)
{
	uint32_t	alive;

	if (!mark_dead(ctx, tree, &alive))
		return false;
	if (alive < tree->nnodes && !close_gaps(ctx, tree, alive))
		return false;
	return drop_unused_frames(ctx, tree);
}

bool
fg_tree_facts(FgContext *ctx, const FgTree *tree, FgFacts *facts)
{
	uint32_t	previous = 0;

	memset(facts, 0, sizeof(*facts));
	facts->nnodes = tree->nnodes;
	facts->nstacks = tree->self[0] != 0;
	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		uint32_t	depth = fg_key_depth(tree->key[i]);

		facts->nstacks += tree->self[i] != 0;
		facts->nleaves += depth <= previous;
		if (depth > facts->depth)
			facts->depth = depth;
		previous = depth;
		if (!fg_check_every(ctx, i))
			return false;
	}
	facts->nleaves += tree->nnodes > 0;
	return fg_sums(ctx, tree->self, (size_t) tree->nnodes + 1, &facts->total, &facts->norm);
}

static bool
corrupt(FgContext *ctx, const char *reason)
{
	return fg_fail(ctx, FG_ERROR_CORRUPT, "%s", reason);
}

static bool
check_frames(FgContext *ctx, const FgFrames *frames)
{
	for (uint32_t f = 0; f < frames->count; f++)
	{
		const char *frame = fg_frame_bytes(frames, f);
		uint32_t	length = fg_frame_length(frames, f);

		if (!fg_work(ctx, length))
			return false;
		if (!fg_frame_valid(ctx, frame, length))
		{
			ctx->error.code = FG_ERROR_CORRUPT;
			return false;
		}
		if (f > 0 && fg_bytes_compare(fg_frame_bytes(frames, f - 1),
									  fg_frame_length(frames, f - 1), frame, length) >= 0)
			return corrupt(ctx, "the frames are not in strictly increasing order");
	}
	return true;
}

/* last[d] is the frame of the latest node at depth d on the current path. */
static bool
check_nodes(FgContext *ctx, const FgTree *tree, uint32_t *last, uint8_t *used)
{
	uint32_t	previous = 0;

	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		uint32_t	depth = fg_key_depth(tree->key[i]);
		uint32_t	frame = fg_key_frame(tree->key[i]);

		if (depth == 0 || depth > previous + 1 || depth > fg_tree_depth_bound(tree))
			return corrupt(ctx, "a node has an impossible depth");
		if (frame >= tree->frames.count)
			return corrupt(ctx, "a node has an unknown frame");
		if (depth <= previous && frame <= last[depth])
			return corrupt(ctx, "siblings are not in strictly increasing order");
		if (depth <= previous && tree->self[i - 1] == 0)
			return corrupt(ctx, "a leaf has no value");
		if (!isfinite(tree->self[i]))
			return corrupt(ctx, "a value is not finite");
		last[depth] = frame;
		used[frame] = 1;
		previous = depth;
		if (!fg_check_every(ctx, i))
			return false;
	}
	if (tree->nnodes > 0 && tree->self[tree->nnodes] == 0)
		return corrupt(ctx, "a leaf has no value");
	for (uint32_t f = 0; f < tree->frames.count; f++)
	{
		if (!used[f])
			return corrupt(ctx, "a frame is not used");
	}
	return true;
}

bool
fg_tree_check(FgContext *ctx, const FgTree *tree)
{
	uint32_t   *last;
	uint8_t    *used;
	bool		ok;

	if (tree->key[0] != FG_ROOT_KEY || !isfinite(tree->self[0]))
		return corrupt(ctx, "the root is not valid");
	if (!check_frames(ctx, &tree->frames))
		return false;
	last = fg_alloc_zero(ctx, (size_t) fg_tree_depth_bound(tree) + 1, sizeof(uint32_t));
	used = fg_alloc_zero(ctx, tree->frames.count, 1);
	ok = last != NULL && used != NULL && check_nodes(ctx, tree, last, used);
	fg_release(ctx, last);
	fg_release(ctx, used);
	return ok;
}

/*
 * below[d] is what the subtrees at depth d, right of here, hand to their parent.
 * Double-double sums agree with the header to the last digit, and cost little
 * beside the memory traffic.
 */
static bool
sum_subtrees(FgContext *ctx, const FgTree *tree, double scale, FgDouble2 *below, double *totals,
			 bool *finite)
{
	double		check = 0;

	for (uint32_t i = tree->nnodes + 1; i-- > 0;)
	{
		uint32_t	depth = fg_key_depth(tree->key[i]);
		FgDouble2	total = below[depth + 1];
		FgDouble2	self = {tree->self[i] * scale, 0};

		if (!fg_check_every(ctx, i))
			return false;
		fg_double2_add(&total, self);
		totals[i] = total.high / scale;
		below[depth + 1] = (FgDouble2) {0, 0};
		fg_double2_add(&below[depth], total);
		check += totals[i] * 0; /* NaN as soon as one total is not finite */
	}
	below[0] = (FgDouble2) {0, 0};
	*finite = check == 0;
	return true;
}

/*
 * The same where plain sums are exact: of whole numbers whose absolute values add up to
 * less than 2^53.  Counts of samples are such, and these sums take a third of the time.
 * "exact" is left unset where others are needed.
 */
static bool
sum_whole_numbers(FgContext *ctx, const FgTree *tree, double *below, double *totals, bool *exact)
{
	double		norm = 0;

	*exact = false;
	for (uint32_t i = tree->nnodes + 1; i-- > 0;)
	{
		uint32_t	depth = fg_key_depth(tree->key[i]);
		double		self = tree->self[i];

		if (!fg_check_every(ctx, i))
			return false;
		if (!fg_sums_exactly(&norm, self))
			return true;
		totals[i] = below[depth + 1] + self;
		below[depth + 1] = 0;
		below[depth] += totals[i];
	}
	*exact = true;
	return true;
}

static bool
sum_any_numbers(FgContext *ctx, const FgTree *tree, size_t depths, double *totals)
{
	FgDouble2  *below = fg_alloc_zero(ctx, depths, sizeof(FgDouble2));
	bool		finite = false;
	bool		ok = below != NULL && sum_subtrees(ctx, tree, 1, below, totals, &finite);

	/* a sum may overflow on the way to one that does not */
	if (ok && !finite)
	{
		memset(below, 0, depths * sizeof(FgDouble2));
		ok = sum_subtrees(ctx, tree, 0x1p-32, below, totals, &finite);
	}
	fg_release(ctx, below);
	if (ok && !finite)
		return fg_fail(ctx, FG_ERROR_RANGE, "an inclusive value is out of range");
	return ok;
}

bool
fg_tree_totals(FgContext *ctx, const FgTree *tree, double *totals)
{
	size_t		depths = (size_t) fg_tree_depth_bound(tree) + 2;
	double	   *below = fg_alloc_zero(ctx, depths, sizeof(double));
	bool		exact = false;
	bool		ok = below != NULL && sum_whole_numbers(ctx, tree, below, totals, &exact);

	fg_release(ctx, below);
	return ok && (exact || sum_any_numbers(ctx, tree, depths, totals));
}

bool
fg_subtree_total(FgContext *ctx, const FgTree *tree, uint32_t node, double *total)
{
	uint32_t	depth = fg_key_depth(tree->key[node]);
	uint32_t	end = node + 1;
	double		norm;

	while (end <= tree->nnodes && fg_key_depth(tree->key[end]) > depth)
	{
		if (!fg_check_every(ctx, end))
			return false;
		end++;
	}
	return fg_sums(ctx, tree->self + node, end - node, total, &norm);
}

/*
 * The child of "parent" with this frame.  Skipping whole subtrees would need an
 * index; a scan over keys runs at memory speed and costs nothing to keep.
 */
static uint32_t
find_child(const FgTree *tree, uint32_t parent, uint32_t frame)
{
	uint32_t	depth = fg_key_depth(tree->key[parent]);
	uint64_t	wanted = fg_key(depth + 1, frame);

	for (uint32_t i = parent + 1; i <= tree->nnodes; i++)
	{
		if (tree->key[i] == wanted)
			return i;
		if (fg_key_depth(tree->key[i]) <= depth)
			break;
	}
	return FG_NONE;
}

uint32_t
fg_tree_find(const FgTree *tree, const char *path, size_t length)
{
	const char *end = length > 0 ? path + length : path;	/* no arithmetic on NULL */
	uint32_t	node = 0;

	if (length == 0)
		return 0;
	for (;;)
	{
		const char *stop = memchr(path, '\0', (size_t) (end - path));
		size_t		size = stop != NULL ? (size_t) (stop - path) : (size_t) (end - path);
		uint32_t	frame = fg_frames_find(&tree->frames, path, size);

		if (frame == FG_NONE)
			return FG_NONE;
		node = find_child(tree, node, frame);
		if (node == FG_NONE || stop == NULL)
			return node;
		path = stop + 1;
	}
}
