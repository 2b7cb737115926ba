/*
 * stack_rows.h
 *	  Stacks as numbers of frames, and sums by pair that are counted stack by stack: what
 *	  tests of tallies compare with.
 */
#ifndef STACK_ROWS_H
#define STACK_ROWS_H

#include "naive.h"

#include "core/cct/tally.h"

#define MOST_FRAMES 64

/* A sum, with what says how far rounding may take another one: nowhere for whole numbers. */
typedef struct Sum
{
	long double value;
	long double weight;
	bool		fraction;
} Sum;

extern void sum_add(Sum *sum, double value);
extern bool is_sum(double got, const Sum *sum);

typedef struct Row
{
	uint32_t	a;
	uint32_t	b;
	Sum			sum;
	size_t		last;			/* the stack counted last, plus 1 */
} Row;

typedef struct Rows
{
	Row		   *rows;
	uint32_t	count;
} Rows;

extern Row *find_row(const Rows *rows, uint32_t a, uint32_t b);
extern Row *add_row(Rows *rows, uint32_t a, uint32_t b);

/* The pair is in this stack: counts once, however often this is said. */
extern void count_stack(Rows *rows, uint32_t a, uint32_t b, size_t stack, double value);

/*
 * These rows and no other, the largest first, equal ones by pair; FG_NONE is the last
 * number.  Empties the rows.
 */
extern void check_tally(const FgTally *tally, Rows *rows);

/* A stack as frame numbers of a tree, and the nodes on its way. */
typedef struct Stack
{
	uint32_t	depth;
	uint32_t	frame[MOST_FRAMES];
	uint32_t	node[MOST_FRAMES];
	double		value;
} Stack;

extern Stack stack_of(const FgTree *tree, const NaiveEntry *entry);
extern bool contains(const Stack *stack, uint32_t frame);

#endif							/* STACK_ROWS_H */
