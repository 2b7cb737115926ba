/*
 * world.c
 *		Stacks of a program, and recordings of it (see world.h).
 */
#include <stdlib.h>
#include <string.h>

#include "world.h"

/*
 * How a recording is put together, in thousandths of its nodes: the common
 * stacks are in every recording of the program; the pool holds the rare
 * stacks, of which each recording catches one third; fresh stacks are seen in
 * this recording only.  Two recordings then share about 85 % of their nodes,
 * and the union over many recordings keeps growing, as it does in reality.
 */
#define COMMON_PER_MILLE	770
#define POOL_FACTOR			3

/* --- the tree of the stacks seen so far --- */

static uint32_t
tree_slot(const Tree *tree, uint32_t parent, uint32_t frame)
{
	uint64_t	h = ((uint64_t) parent << 32 | frame) * UINT64_C(0x9E3779B97F4A7C15);
	uint32_t	slot = (uint32_t) (h >> 32) & tree->slot_mask;

	while (tree->slot[slot] != 0)
	{
		const Node *node = &tree->node[tree->slot[slot]];

		if (node->parent == parent && node->frame == frame)
			break;
		slot = (slot + 1) & tree->slot_mask;
	}
	return slot;
}

static void
tree_init(Tree *tree, uint32_t n_nodes)
{
	uint32_t	slots = 1024;

	while (slots < 2 * n_nodes)
		slots *= 2;
	tree->slot = xrealloc(NULL, slots * sizeof(*tree->slot));
	memset(tree->slot, 0, slots * sizeof(*tree->slot));
	tree->slot_mask = slots - 1;
	tree->node_room = n_nodes;
	tree->node = xrealloc(NULL, tree->node_room * sizeof(*tree->node));
	memset(&tree->node[ROOT_NODE], 0, sizeof(Node));
	tree->n_nodes = 1;
}

static uint32_t
tree_child(Tree *tree, uint32_t parent, uint32_t frame)
{
	uint32_t	slot = tree_slot(tree, parent, frame);
	Node	   *node;

	if (tree->slot[slot] != 0)
		return tree->slot[slot];
	if (tree->n_nodes == tree->node_room)
		fail("tree is full");
	node = &tree->node[tree->n_nodes];
	node->parent = parent;
	node->frame = frame;
	node->depth = tree->node[parent].depth + 1;
	node->epoch = 0;
	node->taken = 0;
	tree->slot[slot] = tree->n_nodes;
	return tree->n_nodes++;
}

void
tree_truncate(Tree *tree, uint32_t n_nodes)
{
	while (tree->n_nodes > n_nodes)
	{
		const Node *node = &tree->node[--tree->n_nodes];

		tree->slot[tree_slot(tree, node->parent, node->frame)] = 0;
	}
}

/* --- the stacks of a program --- */

/* Power law over the rank, with some noise so that the ranking is not the discovery order. */
static uint32_t
draw_weight(FgRandom *rng, uint32_t index, uint32_t n_stacks)
{
	uint64_t	weight = (uint64_t) n_stacks * (64 + rng_below(rng, 448)) / 256;

	weight = weight / (2 * ((uint64_t) index + 1));
	if (rng_chance(rng, 20))
		weight *= 1 + rng_below(rng, 30);
	return (uint32_t) (1 + weight);
}

static void
world_add(World *world, uint32_t *room, uint32_t end)
{
	if (world->n_stacks == *room)
	{
		*room *= 2;
		world->stack_end = xrealloc(world->stack_end, *room * sizeof(uint32_t));
	}
	world->tree.node[end].taken = 1;
	world->stack_end[world->n_stacks++] = end;
}

/* The stack that ends at "leaf"; callers with work of their own were caught in it now and then. */
static void
world_add_callers(World *world, uint32_t *room, FgRandom *rng, uint32_t leaf)
{
	const Node *nodes = world->tree.node;

	for (uint32_t end = leaf; end != ROOT_NODE; end = nodes[end].parent)
	{
		if (end != leaf && (nodes[end].taken != 0 ||
							!world->program.graph[nodes[end].frame].hot ||
							!rng_chance(rng, 40)))
			continue;
		world_add(world, room, end);
	}
}

/* Draws stacks until the tree has all_nodes; those of the first common_nodes are the common ones. */
static void
draw_stacks(World *world, uint64_t seed, uint64_t common_nodes, uint64_t all_nodes)
{
	FgRandom	rng;
	uint32_t	frames[MAX_DEPTH];
	uint32_t	room = 1024;
	uint64_t	tries = 0;

	world->stack_end = xrealloc(NULL, room * sizeof(uint32_t));
	world->n_stacks = 0;
	world->n_common = 0;
	rng_seed(&rng, seed, 3);
	while (world->tree.n_nodes - 1 < all_nodes)
	{
		uint32_t	depth = draw_stack(&world->program, &rng, frames);
		uint32_t	at = ROOT_NODE;

		if (++tries > UINT64_C(2000) * 1000000)
			fail("the call graph has too few distinct stacks; try more --frames");
		for (uint32_t i = 0; i < depth; i++)
			at = tree_child(&world->tree, at, frames[i]);
		if (world->tree.node[at].taken != 0)
			continue;
		world_add_callers(world, &room, &rng, at);
		if (world->tree.n_nodes - 1 <= common_nodes)
			world->n_common = world->n_stacks;
	}
}

void
make_world(World *world, uint32_t wanted_nodes, uint32_t n_frames,
		   uint32_t fresh_per_mille, uint64_t seed)
{
	FgRandom	rng;
	uint64_t	common_nodes = (uint64_t) wanted_nodes * COMMON_PER_MILLE / 1000;
	uint64_t	all_nodes = common_nodes +
		((uint64_t) wanted_nodes - common_nodes) * POOL_FACTOR;

	world->wanted_nodes = wanted_nodes;
	world->fresh_per_mille = fresh_per_mille;
	make_program(&world->program, n_frames, seed);
	/* room for the fresh stacks of one recording as well */
	tree_init(&world->tree, (uint32_t) all_nodes + wanted_nodes + 4 * MAX_DEPTH);
	draw_stacks(world, seed, common_nodes, all_nodes);

	world->stack_weight = xrealloc(NULL, world->n_stacks * sizeof(uint32_t));
	rng_seed(&rng, seed, 4);
	for (uint32_t i = 0; i < world->n_stacks; i++)
	{
		world->stack_weight[i] = draw_weight(&rng, i, world->n_common);
		world->tree.node[world->stack_end[i]].taken = 0;
	}
}

/* --- one recording --- */

/* The whole part of the square root: no libm, so no machine differs. */
static uint32_t
square_root(uint32_t x)
{
	uint32_t	root = 0;

	for (uint32_t bit = UINT32_C(1) << 15; bit > 0; bit >>= 1)
	{
		uint32_t	try = root | bit;

		if ((uint64_t) try * try <= x)
			root = try;
	}
	return root;
}

/* A count near "weight", with the spread of counting: variance about the mean. */
static uint32_t
draw_count(FgRandom *rng, uint32_t weight)
{
	uint32_t	root = square_root(weight);
	uint32_t	spread;
	uint32_t	shift;

	/* the sum of four uniform draws of width w has variance w^2 / 3 */
	spread = root * 7 / 4 + 1;
	shift = 0;
	for (int i = 0; i < 4; i++)
		shift += rng_below(rng, spread + 1);
	if (weight + shift <= 2 * spread + 1)
		return 1;
	return weight + shift - 2 * spread;
}

static void
profile_add(Profile *profile, World *world, FgRandom *rng, uint32_t epoch,
			uint32_t end, uint32_t weight)
{
	Tree	   *tree = &world->tree;
	Sample	   *sample;

	for (uint32_t at = end; at != ROOT_NODE && tree->node[at].epoch != epoch;
		 at = tree->node[at].parent)
	{
		tree->node[at].epoch = epoch;
		profile->n_nodes++;
	}
	if (profile->n_samples == profile->room)
	{
		profile->room = profile->room * 2 + 1024;
		profile->sample = xrealloc(profile->sample, profile->room * sizeof(Sample));
	}
	tree->node[end].taken = epoch;
	sample = &profile->sample[profile->n_samples++];
	sample->end = end;
	sample->depth = tree->node[end].depth;
	sample->value = draw_count(rng, weight);
}

/* How many nodes this stack would add. */
static uint32_t
new_nodes(const World *world, uint32_t epoch, uint32_t end)
{
	const Node *node = world->tree.node;
	uint32_t	count = 0;

	for (uint32_t at = end; at != ROOT_NODE && node[at].epoch != epoch;
		 at = node[at].parent)
		count++;
	return count;
}

void
sample_frames(const World *world, const Sample *sample, uint32_t *frames)
{
	uint32_t	at = sample->end;

	for (uint32_t d = sample->depth; d > 0; d--)
	{
		frames[d - 1] = world->tree.node[at].frame;
		at = world->tree.node[at].parent;
	}
}

/* qsort has no argument for the ranks. */
static const uint32_t *sort_ranks;

static int
compare_samples(const void *a, const void *b)
{
	const Sample *x = a;
	const Sample *y = b;
	uint32_t	depth = x->depth < y->depth ? x->depth : y->depth;

	for (uint32_t i = 0; i < depth; i++)
	{
		uint32_t	p = sort_ranks[x->first + i];
		uint32_t	q = sort_ranks[y->first + i];

		if (p != q)
			return p < q ? -1 : 1;
	}
	return x->depth < y->depth ? -1 : x->depth > y->depth;
}

static void
sort_profile(Profile *profile, const World *world)
{
	size_t		total = 0;

	for (uint32_t i = 0; i < profile->n_samples; i++)
		total += profile->sample[i].depth;
	if (total > UINT32_MAX)
		fail("profile too large to sort");
	if (total > profile->ranks_room)
	{
		profile->ranks_room = total;
		profile->ranks = xrealloc(profile->ranks, total * sizeof(uint32_t));
	}
	total = 0;
	for (uint32_t i = 0; i < profile->n_samples; i++)
	{
		Sample	   *sample = &profile->sample[i];
		uint32_t	at = sample->end;

		sample->first = (uint32_t) total;
		for (uint32_t d = sample->depth; d > 0; d--)
		{
			profile->ranks[total + d - 1] = world->program.rank[world->tree.node[at].frame];
			at = world->tree.node[at].parent;
		}
		total += sample->depth;
	}
	sort_ranks = profile->ranks;
	qsort(profile->sample, profile->n_samples, sizeof(Sample), compare_samples);
}

static void
shuffle_profile(Profile *profile, FgRandom *rng)
{
	for (uint32_t i = profile->n_samples; i > 1; i--)
	{
		uint32_t	j = rng_below(rng, i);
		Sample		other = profile->sample[j];

		profile->sample[j] = profile->sample[i - 1];
		profile->sample[i - 1] = other;
	}
}

/* The rare stacks of this recording, drawn from the pool until the next one would be too much. */
static void
add_pool(Profile *profile, World *world, FgRandom *rng, uint32_t epoch)
{
	uint32_t	wanted = world->wanted_nodes;
	uint32_t	before_fresh = wanted -
		(uint32_t) ((uint64_t) wanted * world->fresh_per_mille / 1000);
	uint32_t	n_pool = world->n_stacks - world->n_common;
	uint32_t   *pool = xrealloc(NULL, n_pool * sizeof(uint32_t));

	for (uint32_t i = 0; i < n_pool; i++)
		pool[i] = world->n_common + i;
	for (uint32_t i = 0; i < n_pool; i++)
	{
		uint32_t	j = i + rng_below(rng, n_pool - i);
		uint32_t	stack = pool[j];

		pool[j] = pool[i];
		pool[i] = stack;
		if (profile->n_nodes + new_nodes(world, epoch, world->stack_end[stack]) > before_fresh)
			break;
		profile_add(profile, world, rng, epoch, world->stack_end[stack],
					world->stack_weight[stack]);
	}
	free(pool);
}

/* Stacks of this recording alone, until it has the wanted nodes. */
static void
add_fresh(Profile *profile, World *world, FgRandom *rng, uint32_t epoch)
{
	Tree	   *tree = &world->tree;
	uint32_t	frames[MAX_DEPTH];
	uint64_t	tries = 0;

	while (profile->n_nodes < world->wanted_nodes)
	{
		uint32_t	depth = draw_stack(&world->program, rng, frames);
		uint32_t	at = ROOT_NODE;
		uint32_t	left = world->wanted_nodes - profile->n_nodes;

		if (++tries > UINT64_C(100) * 1000000)
			fail("the call graph has too few distinct stacks; try more --frames");
		for (uint32_t i = 0; i < depth && left > 0; i++)
		{
			at = tree_child(tree, at, frames[i]);
			if (tree->node[at].epoch != epoch)
				left--;
		}
		if (tree->node[at].taken == epoch)
			continue;			/* already in this recording */
		profile_add(profile, world, rng, epoch, at, 1);
	}
}

void
make_profile(Profile *profile, World *world, uint64_t seed, uint64_t profile_seed,
			 uint32_t epoch, bool sorted)
{
	/* mixed, so that neither seed is a shifted copy of the other */
	uint64_t	mixed = seed ^ (profile_seed * UINT64_C(0xA24BAED4963EE407));
	FgRandom	rng;
	FgRandom	order_rng;
	FgRandom	fresh_rng;

	rng_seed(&rng, mixed, 5);
	rng_seed(&fresh_rng, mixed, 6);
	rng_seed(&order_rng, mixed, 7);
	profile->n_samples = 0;
	profile->n_nodes = 0;
	for (uint32_t i = 0; i < world->n_common; i++)
		profile_add(profile, world, &rng, epoch, world->stack_end[i],
					world->stack_weight[i]);
	add_pool(profile, world, &rng, epoch);
	add_fresh(profile, world, &fresh_rng, epoch);

	if (sorted)
		sort_profile(profile, world);
	else
		shuffle_profile(profile, &order_rng);
}
