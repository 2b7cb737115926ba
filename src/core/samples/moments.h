/*
 * moments.h
 *	  A sample of profiles, stack by stack: in how many profiles the stack occurs,
 *	  the sum of its values there, and their squared deviations (M2).
 *
 * Stacks are sparse: one that a profile lacks has the value 0 there.  Keeping the
 * moments of the values that are there, with their own count, lets samples be
 * merged without touching the stacks of the other (Chan, Golub & LeVeque 1979);
 * the zeros come in at the end, when the number of profiles is known.  A sum and
 * no mean is kept: sums of whole counts are exact in any order, means are not.
 */
#ifndef FG_MOMENTS_H
#define FG_MOMENTS_H

#include "core/profile/tree.h"

typedef struct FgMoments
{
	FgTree		support;		/* self = number of profiles that have the stack; sums only: sum */
	double	   *sum;			/* nnodes + 1 each; NULL in a sample of sums only */
	double	   *m2;
	double	   *own;			/* of contexts: sum of self values, the root's included; or NULL */
} FgMoments;

/*
 * A sample with squared deviations: of n profiles at a level.  Its noise is the sum of the
 * squared weights of all its samples by stack, summed at the same level: the variance that
 * the sum has by drawing samples alone.
 */
typedef struct FgGroup
{
	uint64_t	n;
	const FgMoments *moments;
	const FgTree *noise;		/* NULL: not known */
} FgGroup;

/* The moments of one profile, which is taken over. */
extern bool fg_moments_of_one(FgContext *ctx, FgTree *profile, FgMoments *moments);

/*
 * The same at level node (fg_cumulate), and beside them the sum of the self values: who
 * compares contexts and shows their mean adds up once.  No value may be negative, so that
 * every node of the profile is a context with a value.
 */
extern bool fg_moments_of_contexts(FgContext *ctx, FgTree *profile, FgMoments *moments);
extern bool fg_moments_copy(FgContext *ctx, const FgMoments *moments, FgMoments *copy);
extern void fg_moments_free(FgContext *ctx, FgMoments *moments);

/* Both samples together: both of contexts with own values, or neither. */
extern bool fg_moments_merge(FgContext *ctx, const FgMoments *a, const FgMoments *b,
							 FgMoments *result);

/* Whether no moment has overflown, and the error when one has. */
extern bool fg_moments_finite(const FgMoments *moments);
extern bool fg_moments_check(FgContext *ctx, const FgMoments *moments);

/*
 * The sample variance (n >= 2) of a stack that k of n profiles have.  The n - k zeros
 * are merged with the k values that are there: the deviations between their means add
 * sum^2 / k * (n - k) / n.
 */
static inline double
fg_sample_variance(double k, double sum, double m2, double n)
{
	double		mean = k > 0 ? sum / k : 0;

	return (m2 + (k < n ? mean * mean * (k * (n - k) / n) : 0)) / (n - 1);
}

/* The sum of the profiles, by stack; of a sample of sums only a copy. */
extern bool fg_moments_sum(FgContext *ctx, const FgMoments *moments, FgTree *result);

/*
 * Mean, sample variance (divisor n - 1) or sample deviation per stack over n
 * profiles; the variance needs n >= 2, which the caller sees to.
 */
extern bool fg_moments_mean(FgContext *ctx, const FgMoments *moments, double n, FgTree *result);
extern bool fg_moments_variance(FgContext *ctx, const FgMoments *moments, double n, bool root,
								FgTree *result);

#endif							/* FG_MOMENTS_H */
