/*
 * tree_sum_internal.h
 *	  The trie of runs, for who adds to it (tree_sum.c, tree_sum_encoded.c, tree_sum_nodes.c).
 *
 * A place in the trie is a run and a node of it.  While a profile is added, path[] has the runs
 * from the root to the place at hand, each with the depth of its first node.
 */
#ifndef FG_TREE_SUM_INTERNAL_H
#define FG_TREE_SUM_INTERNAL_H

#include "core/base/bytes.h"
#include "core/base/pairs.h"
#include "core/merging/known_frames.h"
#include "core/merging/tree_sum.h"
#include "core/profile/names.h"

/* Nodes that are compared at once; arrays of nodes have so many more than they need. */
#define FG_SUM_BLOCK 8

/* A rank that no node of a profile with one byte a rank has. */
#define FG_SUM_NO_RANK UINT8_MAX

/* The runs that follow one are a ring, which begins with its child. */
typedef struct FgRun
{
	uint32_t	parent;			/* the run that it follows */
	uint32_t	frame;			/* of its first node */
	uint32_t	first;			/* its first node */
	uint32_t	length;
	uint32_t	edge;			/* that leads to its first node */
	uint32_t	child;			/* FG_NONE when it has none */
	uint32_t	next;
	uint32_t	previous;
} FgRun;

/* So many runs are looked at before the table is asked. */
#define FG_SUM_HOPS 6

typedef struct FgRunEntry
{
	uint32_t	run;
	uint32_t	depth;			/* of its first node */
} FgRunEntry;

struct FgTreeSum
{
	FgContext  *ctx;
	FgNames		names;			/* frames under their numbers in the sum */
	FgPairs		edges;			/* frame and frame of a child; FG_NONE for the root */

	/* by node, the root first */
	uint32_t	nodes;			/* the root counted */
	uint32_t   *frame;
	uint32_t   *edge;
	double	   *self;
	size_t		frame_capacity;
	size_t		edge_capacity;
	size_t		self_capacity;

	FgRun	   *run;
	uint32_t	runs;
	size_t		run_capacity;
	uint32_t   *slot;			/* by (parent, frame): run + 1, 0 for none */
	uint32_t	mask;
	uint32_t	ordered_runs;	/* how many there were when they were put in order */
	uint64_t	begun;			/* encoded profiles, those that were refused among them */
	uint64_t	added;

	/* of the profile at hand */
	FgRunEntry *path;
	size_t		path_capacity;
	uint32_t	top;			/* index of the last entry */
	uint32_t   *number;			/* by its frame: the sum's */
	uint32_t   *before;			/* of the tree before */
	size_t		number_capacity;
	size_t		before_capacity;
	uint32_t	numbered;		/* how many */
	uint32_t   *given;			/* by frame of the sum: its own, or FG_NONE */
	size_t		given_capacity;
	uint32_t	given_count;	/* that have been set */

	FgKnownFrames known;		/* of tree_sum_nodes.c, or zeros */
	struct FgSumDictionaries *dictionaries; /* of tree_sum_frames.c, or NULL */
	struct FgSumCalls *calls;	/* of tree_sum_encoded.c, or NULL */
};

extern void fg_sum_dictionaries_free(FgTreeSum *sum);
extern void fg_sum_calls_free(FgTreeSum *sum);

/* number[] by frame of a tree, given[] by frame of the sum. */
extern bool fg_sum_number_frames(FgTreeSum *sum, const FgFrames *frames);

/*
 * (*number)[] by frame of an encoded profile, of which this is DICTIONARY; it holds until the next
 * profile is added.  False when the section is damaged, with no error, or when work had to end.
 */
extern bool fg_sum_number_dictionary(FgTreeSum *sum, FgReader section, uint32_t count,
									 const uint32_t **number);

/* Room for a path down to this depth. */
extern bool fg_sum_reserve_path(FgTreeSum *sum, uint32_t depth);

/* Room for more nodes. */
extern bool fg_sum_reserve_nodes(FgTreeSum *sum, uint32_t more);

/* The run that follows another one and begins with this frame, by the table; or FG_NONE. */
extern uint32_t fg_sum_look_up(const FgTreeSum *sum, uint32_t parent, uint32_t frame);

/*
 * Begins a run of nodes that are appended next, and makes it the last of the path.  It follows the
 * node at depth - 1, the depth of the place at hand; the run of that is cut when it goes on there.
 * "elder" is the sibling that the profile has before it, or FG_NONE.
 */
extern bool fg_sum_begin_run(FgTreeSum *sum, uint32_t depth, uint32_t frame, uint32_t edge,
							 uint32_t elder);

/*
 * Puts runs and nodes in the order of a walk when there are many new ones: profiles come in this
 * order, and then they read memory from its one end to the other.  Not while a profile is added.
 */
extern bool fg_sum_put_in_order(FgTreeSum *sum);

/*
 * The nodes in the order of a tree: keys of frames by their places, and where each node of the sum
 * is in the tree, unless that is NULL.  There is room; frames are left alone.
 */
extern bool fg_sum_make_nodes(FgTreeSum *sum, const uint32_t *frame_place, FgTree *tree,
							  uint32_t *node_place);

/* Appends a node to the run that was begun, the last of the path; there is room. */
static inline void
fg_sum_append(FgTreeSum *sum, uint32_t frame, uint32_t edge, double self)
{
	sum->frame[sum->nodes] = frame;
	sum->edge[sum->nodes] = edge;
	sum->self[sum->nodes] = self;
	sum->nodes++;
	sum->run[sum->path[sum->top].run].length++;
}

/* The path is the root. */
static inline void
fg_sum_begin_path(FgTreeSum *sum)
{
	sum->top = 0;
	sum->path[0] = (FgRunEntry) {0, 0};
}

/* The node at a depth that the last run of the path has. */
static inline uint32_t
fg_sum_node_at(const FgTreeSum *sum, uint32_t depth)
{
	FgRunEntry	last = sum->path[sum->top];

	return sum->run[last.run].first + depth - last.depth;
}

/* Is the node at this depth the last one of its run, which is the last of the path? */
static inline bool
fg_sum_ends_at(const FgTreeSum *sum, uint32_t depth)
{
	FgRunEntry	last = sum->path[sum->top];

	return depth + 1 - last.depth == sum->run[last.run].length;
}

/*
 * Leaves the runs that begin below this depth, which the last one left then has.  The uppermost
 * that is left, or FG_NONE.
 */
static inline uint32_t
fg_sum_climb(FgTreeSum *sum, uint32_t depth)
{
	uint32_t	left = FG_NONE;

	while (sum->path[sum->top].depth > depth)
		left = sum->path[sum->top--].run;
	return left;
}

/* Enters a run that follows the place at hand. */
static inline void
fg_sum_enter(FgTreeSum *sum, uint32_t run, uint32_t depth)
{
	sum->path[++sum->top] = (FgRunEntry) {run, depth};
}

/*
 * Where the runs are that may have the node at this depth, whose parent is the place at hand:
 * the ring begins behind its elder sibling, as it is most likely the next one.  FG_NONE when there
 * are none; a branch within a run has no other child.
 */
static inline uint32_t
fg_sum_first_run(const FgTreeSum *sum, uint32_t depth, uint32_t elder)
{
	if (!fg_sum_ends_at(sum, depth - 1))
		return FG_NONE;
	return elder == FG_NONE ? sum->run[sum->path[sum->top].run].child : sum->run[elder].next;
}

#endif							/* FG_TREE_SUM_INTERNAL_H */
