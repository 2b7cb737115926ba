/*
 * world.h
 *		What one program can do - its stacks in a tree, the common and the rare ones - and
 *		recordings of it.
 */
#ifndef GENERATOR_WORLD_H
#define GENERATOR_WORLD_H

#include "program.h"

#define ROOT_NODE		0		/* the virtual root of the tree */

typedef struct
{
	uint32_t	parent;
	uint32_t	frame;
	uint32_t	depth;
	uint32_t	epoch;			/* the profile that last touched the node */
	uint32_t	taken;			/* the profile that last took the stack ending here */
} Node;

typedef struct
{
	Node	   *node;
	uint32_t	n_nodes;
	uint32_t	node_room;
	uint32_t   *slot;			/* hash of (parent, frame), open addressing */
	uint32_t	slot_mask;
} Tree;

typedef struct
{
	Program		program;
	Tree		tree;
	uint32_t	wanted_nodes;
	uint32_t	fresh_per_mille;
	uint32_t	n_stacks;		/* in order of discovery: popular ones first */
	uint32_t   *stack_end;		/* node at which the stack ends */
	uint32_t   *stack_weight;	/* its usual count */
	uint32_t	n_common;
} World;

typedef struct
{
	uint32_t	end;
	uint32_t	value;
	uint32_t	first;			/* index of its ranks, for sorting */
	uint32_t	depth;
} Sample;

typedef struct
{
	Sample	   *sample;
	uint32_t	n_samples;
	uint32_t	room;
	uint32_t	n_nodes;
	uint32_t   *ranks;
	size_t		ranks_room;
} Profile;

/* A world for recordings of exactly "wanted_nodes" nodes. */
extern void make_world(World *world, uint32_t wanted_nodes, uint32_t n_frames,
					   uint32_t fresh_per_mille, uint64_t seed);

/*
 * One recording, of exactly the wanted number of nodes: the last stack is cut
 * to fit.  The tree is left with the fresh nodes of this recording in it; the
 * caller takes them back after writing (tree_truncate).  "epoch" counts recordings
 * from 1.
 */
extern void make_profile(Profile *profile, World *world, uint64_t seed, uint64_t profile_seed,
						 uint32_t epoch, bool sorted);

/* Take back the newest nodes; exact because linear probing is undone in reverse. */
extern void tree_truncate(Tree *tree, uint32_t n_nodes);

/* Frames of a sample, root first. */
extern void sample_frames(const World *world, const Sample *sample, uint32_t *frames);

#endif							/* GENERATOR_WORLD_H */
