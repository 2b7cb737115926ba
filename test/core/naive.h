/*
 * naive.h
 *	  Profiles as a plain sorted list of (stack, value), to compare with: simple,
 *	  slow and obviously right.  Also random ones.
 */
#ifndef NAIVE_H
#define NAIVE_H

#include "unit.h"

/* A stack: its frames joined by NUL, as in path.h; the empty one has no frame. */
typedef struct NaiveEntry
{
	char	   *path;
	size_t		length;
	double		value;
} NaiveEntry;

typedef struct Naive
{
	NaiveEntry *entries;
	size_t		count;
} Naive;

/* Appends; only naive_settle sorts, adds equal stacks up and drops zeros. */
extern void naive_add(Naive *naive, const char *path, size_t length, double value);
extern void naive_settle(Naive *naive);
extern void naive_free(Naive *naive);

/* Compares frame by frame, bytewise, a prefix first. */
extern int	naive_compare(const NaiveEntry *a, const NaiveEntry *b);

extern Naive naive_of_tree(const FgTree *tree);

/* Reads the text of the exact dialect, without comments, on its own. */
extern Naive naive_of_text(const char *text);
extern Naive naive_combination(const Naive *a, double x, const Naive *b, double y);
extern bool naive_equal(const Naive *a, const Naive *b);

/* Checks the tree's invariants and that it holds these stacks and no other. */
extern bool naive_matches(FgContext *ctx, const Naive *naive, const FgTree *tree);

/* The tree by way of the builder, entries in this order. */
extern FgTree naive_tree(FgContext *ctx, const Naive *naive);

/* The tree of a text in the exact dialect; the text must be right. */
extern FgTree tree_of_text(FgContext *ctx, const char *text);

/* What random profiles look like. */
typedef struct NaiveShape
{
	uint32_t	stacks;
	uint32_t	depth;			/* at most */
	uint32_t	frames;			/* different ones, at most 40 */
	enum
	{
		NAIVE_COUNTS,			/* whole, positive */
		NAIVE_SIGNED,			/* whole, of either sign, cancelling now and then */
		NAIVE_DOUBLES			/* anything that is not extreme */
	}			values;
} NaiveShape;

/* By kind of values, for the names of cases. */
extern const char *const naive_kinds[];

/* One that changes with the round: few stacks and many, flat and deep, of "most" frames or of forty. */
extern NaiveShape naive_shape(UnitRandom *random, int round, int kind, uint32_t most);

extern Naive naive_random(UnitRandom *random, NaiveShape shape);
extern void naive_shuffle(UnitRandom *random, Naive *naive);

/* A frame with what is special in some format: escapes, blanks, UTF-8, controls. */
extern const char *naive_frame(uint32_t number);

/* One path of "count" frames that repeat after "period", 1 in each node. */
extern FgTree naive_chain(FgContext *ctx, uint32_t count, uint32_t period);

/*
 * A tree with many nodes and frames: "first" frames with "second" below each, the same
 * ones below all or each its own, with lines.
 */
extern FgTree naive_wide(FgContext *ctx, uint32_t first, uint32_t second, bool own);

/* The last node before it that is one less deep. */
extern uint32_t naive_parent(const FgTree *tree, uint32_t node);

/* The values of a node and of all below it, or their absolute values, added up. */
extern long double naive_sum_below(const FgTree *tree, uint32_t node, bool absolute);

/* fg_tree_facts for a context that never ends the work. */
extern void naive_facts(const FgTree *tree, FgFacts *facts);

#endif							/* NAIVE_H */
