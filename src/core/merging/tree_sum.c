/*
 * tree_sum.c
 *	  A sum of profiles that grows in place (see tree_sum.h).
 */
#include "core/merging/tree_sum_internal.h"

#include "core/base/ahead.h"
#include "core/profile/algebra.h"

#include <string.h>

#define FIRST_SLOTS 1024

/* The depth half of a key (tree.h). */
#define DEPTH_BITS (~(uint64_t) UINT32_MAX)
#define ONE_DEEPER (UINT64_C(1) << 32)

/* --- the trie -------------------------------------------------------------------------------- */

bool
fg_sum_reserve_nodes(FgTreeSum *sum, uint32_t more)
{
	size_t		needed = (size_t) sum->nodes + more + FG_SUM_BLOCK;
	size_t		before = sum->edge_capacity;

	if (sum->nodes + (size_t) more > (size_t) FG_MAX_NODES + 1)
		return fg_fail(sum->ctx, FG_ERROR_LIMIT, "a profile has more than %u nodes", FG_MAX_NODES);
	if (needed <= sum->self_capacity)
		return true;
	if (!fg_reserve(sum->ctx, (void **) &sum->edge, &sum->edge_capacity, needed, sizeof(uint32_t)))
		return false;
	/* a block may reach behind the last node: to edges that there are */
	memset(sum->edge + before, 0, (sum->edge_capacity - before) * sizeof(uint32_t));
	return fg_reserve(sum->ctx, (void **) &sum->frame, &sum->frame_capacity, needed,
					  sizeof(uint32_t)) &&
		fg_reserve(sum->ctx, (void **) &sum->self, &sum->self_capacity, needed, sizeof(double));
}

bool
fg_sum_reserve_path(FgTreeSum *sum, uint32_t depth)
{
	return fg_reserve(sum->ctx, (void **) &sum->path, &sum->path_capacity, (size_t) depth + 1,
					  sizeof(FgRunEntry));
}

static uint32_t *
find_slot(const FgTreeSum *sum, uint32_t parent, uint32_t frame)
{
	uint32_t	at = fg_hash_pair(sum->ctx->seed, parent, frame) & sum->mask;

	while (sum->slot[at] != 0)
	{
		const FgRun *run = &sum->run[sum->slot[at] - 1];

		if (run->parent == parent && run->frame == frame)
			break;
		at = (at + 1) & sum->mask;
	}
	return &sum->slot[at];
}

uint32_t
fg_sum_look_up(const FgTreeSum *sum, uint32_t parent, uint32_t frame)
{
	return *find_slot(sum, parent, frame) - 1;	/* FG_NONE of 0 */
}

/* The root's run is in no slot: it follows nothing. */
static bool
grow_slots(FgTreeSum *sum)
{
	uint32_t   *old = sum->slot;
	uint32_t	mask = sum->mask == 0 ? FIRST_SLOTS - 1 : sum->mask * 2 + 1;
	uint32_t   *slot = fg_alloc_zero(sum->ctx, (size_t) mask + 1, sizeof(uint32_t));

	if (slot == NULL)
		return false;
	for (uint32_t r = 1; r < sum->runs; r++)
	{
		uint32_t	at = fg_hash_pair(sum->ctx->seed, sum->run[r].parent, sum->run[r].frame) & mask;

		while (slot[at] != 0)
			at = (at + 1) & mask;
		slot[at] = r + 1;
		if (!fg_check_every(sum->ctx, r))
		{
			fg_release(sum->ctx, slot);
			return false;
		}
	}
	sum->slot = slot;
	sum->mask = mask;
	fg_release(sum->ctx, old);
	return true;
}

/* Room for two more runs; half of the slots stay free. */
static bool
reserve_runs(FgTreeSum *sum)
{
	return fg_reserve(sum->ctx, (void **) &sum->run, &sum->run_capacity, (size_t) sum->runs + 2,
					  sizeof(FgRun)) &&
		(sum->runs + 2 <= sum->mask / 2 || grow_slots(sum));
}

/* Puts a run into the ring of those that follow another one. */
static void
link_run(FgTreeSum *sum, uint32_t run, uint32_t elder)
{
	FgRun	   *all = sum->run;
	uint32_t	parent = all[run].parent;

	if (all[parent].child == FG_NONE)
	{
		all[parent].child = all[run].next = all[run].previous = run;
		return;
	}
	if (elder == FG_NONE)
		elder = all[parent].child;
	all[run].previous = elder;
	all[run].next = all[elder].next;
	all[all[elder].next].previous = run;
	all[elder].next = run;
}

/*
 * The last run of the path ends after "length" nodes, and one that follows has the rest.  What
 * follows that must not notice, so the upper part is the one that gets a new number.
 */
static void
cut_run(FgTreeSum *sum, uint32_t length)
{
	uint32_t	lower = sum->path[sum->top].run;
	uint32_t	upper = sum->runs++;
	FgRun	   *run = sum->run;

	*find_slot(sum, run[lower].parent, run[lower].frame) = upper + 1;
	run[upper] = run[lower];
	run[upper].length = length;
	run[upper].child = lower;
	if (run[upper].next == lower)
		run[upper].next = run[upper].previous = upper;
	run[run[upper].next].previous = upper;
	run[run[upper].previous].next = upper;
	if (run[run[upper].parent].child == lower)
		run[run[upper].parent].child = upper;
	run[lower].parent = upper;
	run[lower].first += length;
	run[lower].length -= length;
	run[lower].frame = sum->frame[run[lower].first];
	run[lower].edge = sum->edge[run[lower].first];
	run[lower].next = run[lower].previous = lower;
	*find_slot(sum, upper, run[lower].frame) = lower + 1;
	sum->path[sum->top].run = upper;
}

bool
fg_sum_begin_run(FgTreeSum *sum, uint32_t depth, uint32_t frame, uint32_t edge, uint32_t elder)
{
	FgRunEntry	last = sum->path[sum->top];
	uint32_t	run;

	if (!reserve_runs(sum))
		return false;
	if (depth - last.depth < sum->run[last.run].length)
	{
		cut_run(sum, depth - last.depth);
		elder = FG_NONE;
	}
	run = sum->runs++;
	sum->run[run] = (FgRun) {
		.parent = sum->path[sum->top].run,
		.frame = frame,
		.edge = edge,
		.first = sum->nodes,
		.child = FG_NONE
	};
	link_run(sum, run, elder);
	*find_slot(sum, sum->run[run].parent, frame) = run + 1;
	fg_sum_enter(sum, run, depth);
	return true;
}

/* --- order ------------------------------------------------------------------------------------ */

/* It is worth it when there are half as many again. */
static bool
in_order(const FgTreeSum *sum)
{
	return sum->runs < FIRST_SLOTS || sum->runs - sum->ordered_runs <= sum->ordered_runs / 2;
}

/* order[] has the runs as a walk meets them; number[] says where. */
static bool
walk_runs(FgTreeSum *sum, uint32_t *order, uint32_t *number)
{
	const FgRun *all = sum->run;
	uint32_t	run = 0;

	for (uint32_t i = 0; i < sum->runs; i++)
	{
		order[i] = run;
		number[run] = i;
		if (!fg_check_every(sum->ctx, i))
			return false;
		if (all[run].child != FG_NONE)
		{
			run = all[run].child;
			continue;
		}
		while (run != 0 && all[run].next == all[all[run].parent].child)
			run = all[run].parent;
		if (run != 0)
			run = all[run].next;
	}
	return true;
}

static uint32_t
renumbered(uint32_t run, const uint32_t *number)
{
	return run != FG_NONE ? number[run] : FG_NONE;
}

/* The same runs and nodes in this order. */
static bool
copy_in_order(FgTreeSum *sum, const uint32_t *order, const uint32_t *number, FgTreeSum *to)
{
	to->run_capacity = sum->run_capacity;
	to->run = fg_alloc(sum->ctx, sum->run_capacity, sizeof(FgRun));
	if (to->run == NULL || !fg_sum_reserve_nodes(to, sum->nodes))
		return false;
	for (uint32_t i = 0; i < sum->runs; i++)
	{
		const FgRun *from = &sum->run[order[i]];
		uint32_t	length = from->length;

		to->run[i] = (FgRun) {
			.parent = renumbered(from->parent, number),
			.frame = from->frame,
			.first = to->nodes,
			.length = length,
			.edge = from->edge,
			.child = renumbered(from->child, number),
			.next = renumbered(from->next, number),
			.previous = renumbered(from->previous, number)
		};
		memcpy(to->frame + to->nodes, sum->frame + from->first, length * sizeof(uint32_t));
		memcpy(to->edge + to->nodes, sum->edge + from->first, length * sizeof(uint32_t));
		memcpy(to->self + to->nodes, sum->self + from->first, length * sizeof(double));
		to->nodes += length;
		if (!fg_steps(sum->ctx, length))
			return false;
	}
	to->runs = sum->runs;
	return grow_slots(to);
}

/* What was made for another order, or what that takes the place of. */
static void
free_nodes(FgTreeSum *sum)
{
	fg_release(sum->ctx, sum->frame);
	fg_release(sum->ctx, sum->edge);
	fg_release(sum->ctx, sum->self);
	fg_release(sum->ctx, sum->run);
	fg_release(sum->ctx, sum->slot);
}

bool
fg_sum_put_in_order(FgTreeSum *sum)
{
	FgContext  *ctx = sum->ctx;
	FgTreeSum	to = {.ctx = ctx, .mask = sum->mask / 2};
	uint32_t   *order;
	bool		ok;

	if (in_order(sum))
		return true;
	order = fg_alloc(ctx, sum->runs, 2 * sizeof(uint32_t));
	ok = order != NULL && walk_runs(sum, order, order + sum->runs) &&
		copy_in_order(sum, order, order + sum->runs, &to);
	fg_release(ctx, order);
	if (!ok)
	{
		free_nodes(&to);
		return false;
	}
	free_nodes(sum);
	sum->frame = to.frame;
	sum->edge = to.edge;
	sum->self = to.self;
	sum->frame_capacity = to.frame_capacity;
	sum->edge_capacity = to.edge_capacity;
	sum->self_capacity = to.self_capacity;
	sum->run = to.run;
	sum->run_capacity = to.run_capacity;
	sum->slot = to.slot;
	sum->mask = to.mask;
	sum->ordered_runs = sum->runs;
	return true;
}

/* --- beginning and end -------------------------------------------------------------------------- */

FgTreeSum *
fg_tree_sum_create(FgContext *ctx)
{
	FgTreeSum  *sum = fg_alloc_zero(ctx, 1, sizeof(FgTreeSum));

	if (sum == NULL)
		return NULL;
	sum->ctx = ctx;
	if (fg_names_begin(ctx, &sum->names) && fg_pairs_begin(ctx, &sum->edges) &&
		fg_sum_reserve_nodes(sum, 1) && reserve_runs(sum))
	{
		sum->run[sum->runs++] = (FgRun) {
			.parent = FG_NONE, .frame = FG_NONE, .edge = FG_NONE, .child = FG_NONE, .next = FG_NONE,
			.previous = FG_NONE
		};
		if (fg_sum_reserve_path(sum, 0))
		{
			fg_sum_begin_path(sum);
			fg_sum_append(sum, FG_NONE, FG_NONE, 0);
			return sum;
		}
	}
	fg_tree_sum_free(sum);
	return NULL;
}

void
fg_tree_sum_free(FgTreeSum *sum)
{
	FgContext  *ctx;

	if (sum == NULL)
		return;
	ctx = sum->ctx;
	fg_sum_calls_free(sum);
	fg_sum_dictionaries_free(sum);
	fg_known_frames_free(&sum->known);
	fg_names_free(&sum->names);
	if (sum->edges.ctx != NULL)
		fg_pairs_free(&sum->edges);
	free_nodes(sum);
	fg_release(ctx, sum->path);
	fg_release(ctx, sum->number);
	fg_release(ctx, sum->before);
	fg_release(ctx, sum->given);
	fg_release(ctx, sum);
}

uint32_t
fg_tree_sum_nodes(const FgTreeSum *sum)
{
	return sum->nodes - 1;
}

/* --- a tree is added ------------------------------------------------------------------------- */

static inline bool
block_differs(const uint64_t *key, uint64_t level, const uint32_t *frame, const uint32_t *given)
{
	uint64_t	difference = 0;

	for (uint32_t k = 0; k < FG_SUM_BLOCK; k++)
		difference |= key[k] ^ (level - k * ONE_DEEPER + given[frame[k]]);
	return difference != 0;
}

static inline void
add_block(double *self, const double *more)
{
	uint64_t	bits[FG_SUM_BLOCK];
	uint64_t	any = 0;

	memcpy(bits, more, sizeof(bits));
	for (uint32_t k = 0; k < FG_SUM_BLOCK; k++)
		any |= bits[k];
	if (any == 0)
		return;
	for (uint32_t k = 0; k < FG_SUM_BLOCK; k++)
		self[k] += more[k];
}

/*
 * Each node of a tree is read once, so from memory, and the processor does not see far enough behind a run of ten: what
 * comes some lines later is asked for.
 */
static inline void
ask_ahead(const FgTree *tree, uint32_t j)
{
	enum
	{
		AHEAD = 256, LINE = 64
	};

	fg_ask_ahead(tree->key + j, AHEAD);
	fg_ask_ahead(tree->key + j, AHEAD + LINE);
	fg_ask_ahead(tree->self + j, AHEAD);
	fg_ask_ahead(tree->self + j, AHEAD + LINE);
}

/* Adds nodes j, j + 1, ... of the tree to at most "length" of the sum's; how many are the same. */
static uint32_t
add_run(FgTreeSum *sum, const FgTree *tree, uint32_t j, uint32_t node, uint32_t length)
{
	const uint64_t *key = tree->key + j;
	const uint32_t *frame = sum->frame + node;
	const uint32_t *given = sum->given;
	uint64_t	level = key[0] & DEPTH_BITS;
	uint32_t	k = 0;

	if (length > tree->nnodes + 1 - j)
		length = tree->nnodes + 1 - j;
	ask_ahead(tree, j);
	for (; length - k >= FG_SUM_BLOCK; k += FG_SUM_BLOCK)
	{
		if (block_differs(key + k, level - k * ONE_DEEPER, frame + k, given))
			break;
		add_block(sum->self + node + k, tree->self + j + k);
	}
	for (; k < length && key[k] == level - k * ONE_DEEPER + given[frame[k]]; k++)
		sum->self[node + k] += tree->self[j + k];
	return k;
}

/* Appends nodes j, j + 1, ... of the tree as far as each is the child of the one before. */
static bool
append_run(FgTreeSum *sum, const FgTree *tree, uint32_t j, uint32_t elder, uint32_t *appended)
{
	uint64_t	level = tree->key[j] & DEPTH_BITS;
	uint32_t	depth = fg_key_depth(level);
	uint32_t	parent = sum->frame[fg_sum_node_at(sum, depth - 1)];
	uint32_t	k = 0;

	do
	{
		uint32_t	frame = sum->number[fg_key_frame(tree->key[j + k])];
		uint32_t	edge;

		if (!fg_steps(sum->ctx, 1) || !fg_sum_reserve_nodes(sum, 1) ||
			!fg_pairs_add(&sum->edges, parent, frame, &edge) ||
			(k == 0 && !fg_sum_begin_run(sum, depth, frame, edge, elder)))
			return false;
		fg_sum_append(sum, frame, edge, tree->self[j + k]);
		parent = frame;
		k++;
	} while (j + k <= tree->nnodes && (tree->key[j + k] & DEPTH_BITS) == level - k * ONE_DEEPER);
	*appended = k;
	return true;
}

/* The run of a node at this depth, below the place at hand, that has this frame; or FG_NONE. */
static uint32_t
next_run(const FgTreeSum *sum, uint32_t depth, uint32_t frame, uint32_t elder)
{
	const FgRun *run = sum->run;
	uint32_t	first = fg_sum_first_run(sum, depth, elder);
	uint32_t	at = first;

	if (first == FG_NONE)
		return FG_NONE;
	for (int hop = 0; hop < FG_SUM_HOPS; hop++)
	{
		if (run[at].frame == frame)
			return at;
		at = run[at].next;
		if (at == first)
			return FG_NONE;
	}
	return fg_sum_look_up(sum, sum->path[sum->top].run, frame);
}

bool
fg_tree_sum_add(FgTreeSum *sum, const FgTree *tree)
{
	uint32_t	j = 1;

	if (!fg_sum_number_frames(sum, &tree->frames) ||
		!fg_sum_reserve_path(sum, fg_tree_depth_bound(tree) + 1))
		return false;
	fg_sum_begin_path(sum);
	sum->self[0] += tree->self[0];
	while (j <= tree->nnodes)
	{
		uint32_t	depth = fg_key_depth(tree->key[j]);
		uint32_t	frame = sum->number[fg_key_frame(tree->key[j])];
		uint32_t	elder = fg_sum_climb(sum, depth - 1);
		uint32_t	run = next_run(sum, depth, frame, elder);
		uint32_t	done;

		if (run != FG_NONE)
		{
			fg_sum_enter(sum, run, depth);
			done = add_run(sum, tree, j, sum->run[run].first, sum->run[run].length);
		}
		else if (!append_run(sum, tree, j, elder, &done))
			return false;
		j += done;
		if (!fg_steps(sum->ctx, done))
			return false;
	}
	return fg_sum_put_in_order(sum);
}

/* --- the end --------------------------------------------------------------------------------- */

/* The runs as a tree: the first child of each and its next sibling, by frame; FG_NONE for none. */
typedef struct RunTree
{
	uint32_t   *child;
	uint32_t   *next;
} RunTree;

/* order[] has the runs but the root's by the place of their frames; a counting sort. */
static bool
order_runs(FgTreeSum *sum, const uint32_t *place, uint32_t *order)
{
	FgContext  *ctx = sum->ctx;
	uint32_t   *start = fg_alloc_zero(ctx, (size_t) sum->names.count + 1, sizeof(uint32_t));
	bool		ok = start != NULL;

	for (uint32_t r = 1; ok && r < sum->runs; r++)
	{
		start[place[sum->run[r].frame] + 1]++;
		ok = fg_check_every(ctx, r);
	}
	for (uint32_t f = 0; ok && f < sum->names.count; f++)
	{
		start[f + 1] += start[f];
		ok = fg_check_every(ctx, f);
	}
	for (uint32_t r = 1; ok && r < sum->runs; r++)
	{
		order[start[place[sum->run[r].frame]]++] = r;
		ok = fg_check_every(ctx, r);
	}
	fg_release(ctx, start);
	return ok;
}

/* From the last frame to the first, each run is put in front of its siblings. */
static bool
link_runs(FgTreeSum *sum, const uint32_t *order, RunTree *links)
{
	for (uint32_t r = 0; r < sum->runs; r++)
	{
		links->child[r] = FG_NONE;
		if (!fg_check_every(sum->ctx, r))
			return false;
	}
	for (uint32_t i = sum->runs - 1; i-- > 0;)
	{
		uint32_t	run = order[i];
		uint32_t	parent = sum->run[run].parent;

		links->next[run] = links->child[parent];
		links->child[parent] = run;
		if (!fg_check_every(sum->ctx, i))
			return false;
	}
	return true;
}

/* What nodes become: their places by frame, the tree, and, unless NULL, where each node is in it. */
typedef struct Placing
{
	const uint32_t *frame_place;
	FgTree	   *tree;
	uint32_t   *node_place;
} Placing;

/* Writes the nodes of a run whose first one is at this depth. */
static bool
put_run(FgTreeSum *sum, const FgRun *run, uint32_t depth, const Placing *placing)
{
	FgTree	   *tree = placing->tree;
	uint64_t   *key = tree->key + tree->nnodes + 1;
	double	   *self = tree->self + tree->nnodes + 1;

	for (uint32_t k = 0; k < run->length; k++)
	{
		key[k] = fg_key(depth + k, placing->frame_place[sum->frame[run->first + k]]);
		self[k] = sum->self[run->first + k];
	}
	for (uint32_t k = 0; placing->node_place != NULL && k < run->length; k++)
		placing->node_place[run->first + k] = tree->nnodes + 1 + k;
	tree->nnodes += run->length;
	return fg_steps(sum->ctx, run->length);
}

/* All runs in preorder. */
static bool
put_runs(FgTreeSum *sum, const RunTree *links, const Placing *placing)
{
	FgTree	   *tree = placing->tree;
	uint32_t	run = links->child[0];
	uint32_t	depth = 1;

	tree->nnodes = 0;
	tree->key[0] = FG_ROOT_KEY;
	tree->self[0] = sum->self[0];
	if (placing->node_place != NULL)
		placing->node_place[0] = 0;
	while (run != FG_NONE && run != 0)
	{
		if (!put_run(sum, &sum->run[run], depth, placing))
			return false;
		if (links->child[run] != FG_NONE)
		{
			depth += sum->run[run].length;
			run = links->child[run];
			continue;
		}
		while (run != 0 && links->next[run] == FG_NONE)
		{
			run = sum->run[run].parent;
			depth -= sum->run[run].length;
		}
		if (run != 0)
			run = links->next[run];
	}
	return true;
}

bool
fg_sum_make_nodes(FgTreeSum *sum, const uint32_t *frame_place, FgTree *tree, uint32_t *node_place)
{
	FgContext  *ctx = sum->ctx;
	Placing		placing = {frame_place, tree, node_place};
	uint32_t   *order = fg_alloc(ctx, sum->runs, sizeof(uint32_t));
	RunTree		links = {
		.child = fg_alloc(ctx, sum->runs, sizeof(uint32_t)),
		.next = fg_alloc_zero(ctx, sum->runs, sizeof(uint32_t))
	};
	bool		ok;

	ok = order != NULL && links.child != NULL && links.next != NULL &&
		order_runs(sum, frame_place, order) && link_runs(sum, order, &links) &&
		put_runs(sum, &links, &placing);
	fg_release(ctx, order);
	fg_release(ctx, links.child);
	fg_release(ctx, links.next);
	return ok;
}

bool
fg_tree_sum_finish(FgTreeSum *sum, FgTree *tree)
{
	FgContext  *ctx = sum->ctx;
	uint32_t   *place = fg_alloc(ctx, sum->names.count, sizeof(uint32_t));
	bool		ok;

	memset(tree, 0, sizeof(*tree));
	ok = place != NULL && fg_tree_alloc(ctx, tree, sum->nodes - 1);
	if (ok)
	{
		fg_frames_free(ctx, &tree->frames);
		ok = fg_names_sort(&sum->names, &tree->frames, place) &&
			fg_sum_make_nodes(sum, place, tree, NULL) && fg_settle(ctx, tree, tree->nnodes) &&
			/* a profile that was refused may have left frames that nothing else has */
			(sum->begun == sum->added || fg_tree_prune_zeros(ctx, tree));
	}
	fg_release(ctx, place);
	if (!ok)
		fg_tree_free(ctx, tree);
	return ok;
}
