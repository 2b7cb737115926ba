/*
 * verdicts.h
 *	  What a comparison says about each box of a difference.
 *
 * A verdict is about a key of the comparison's level: a calling context, a stack, or a
 * function wherever it is.  Boxes of one function share its verdict at the levels of
 * functions.
 */
#ifndef FG_VERDICTS_H
#define FG_VERDICTS_H

#include "core/compare/deviation.h"
#include "core/compare/difference.h"
#include "core/samples/level.h"

/* What decides whether a change is more than noise. */
typedef enum FgVerdictsBy
{
	FG_VERDICTS_NONE,			/* nothing: one recording a side */
	FG_VERDICTS_SAMPLING,		/* one a side, sampling noise only (sampling.h) */
	FG_VERDICTS_RUNS,			/* groups of runs (welch.h, max_t.h) */
	FG_VERDICTS_HISTORY			/* one run against those before it (deviation.h) */
} FgVerdictsBy;

/* Increases and decreases have classes by ratio, from their first state on. */
typedef enum FgDiffState
{
	FG_DIFF_SAME,
	FG_DIFF_NOISE,
	FG_DIFF_UNTESTED,
	FG_DIFF_INCREASE,
	FG_DIFF_APPEARED = FG_DIFF_INCREASE + 4,
	FG_DIFF_DECREASE,
	FG_DIFF_DISAPPEARED = FG_DIFF_DECREASE + 4,
	FG_DIFF_STATES
} FgDiffState;

#define FG_DIFF_CLASSES 4

/* Class c reaches to this ratio of the larger to the smaller value; the last one has no end. */
extern const double fg_class_ends[FG_DIFF_CLASSES - 1];

/* Where nothing is tested, a smaller ratio is the same. */
#define FG_SAME_RATIO 1.05

typedef struct FgVerdict
{
	double		before;			/* of the key */
	double		after;
	double		delta;
	double		error;			/* of delta; NaN: not known */
	double		df;
	double		q;				/* NaN: not tested */
	FgDiffState state;
} FgVerdict;

typedef struct FgVerdicts
{
	FgVerdict  *list;
	uint32_t	count;
	uint32_t   *of;				/* by node of a tree: place in the list + 1; 0: none */
	uint32_t	tested;
	uint32_t	significant;
} FgVerdicts;

/*
 * For the nodes of a tree that has all keys.  The root, "all", has no verdict.  Significant is
 * what has q <= alpha.
 */
extern bool fg_verdicts(FgContext *ctx, const FgTree *tree, const FgWelchComparison *comparison,
						FgLevel level, FgVerdictsBy by, double alpha, FgVerdicts *verdicts);
extern void fg_verdicts_free(FgContext *ctx, FgVerdicts *verdicts);

/* Deviations as a comparison of the history's mean with the run; its keys are taken over. */
extern bool fg_comparison_of_deviations(FgContext *ctx, FgDeviations *deviations,
										FgWelchComparison *comparison);

/*
 * The interval of after - before at confidence 1 - alpha (difference.h); false where there is
 * none.  Asked for what is shown only, because quantiles take their time.
 */
extern bool fg_verdict_interval(const FgVerdict *verdict, FgIntervals *intervals, double *lower,
								double *upper);

extern bool fg_is_increase(FgDiffState state);
extern bool fg_is_decrease(FgDiffState state);

#endif							/* FG_VERDICTS_H */
