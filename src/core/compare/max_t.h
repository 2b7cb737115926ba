/*
 * max_t.h
 *	  p-values adjusted by the permutation distribution of the largest t.
 *
 * Single-step maxT of Westfall and Young (1993): labels "before" and "after" are
 * exchanged between the profiles, and a key's adjusted p-value is the share of the
 * relabellings in which the largest |t| of all keys reaches that key's own.  It keeps
 * the dependence between keys, which is strong among contexts that contain each other.
 *
 * Workload: 100 profiles, 100,000 keys, 1,000 relabellings.  Of each relabelling and
 * key the sum and the sum of squares of one group is needed, which as a product of
 * matrices would be 2 * 10^10 multiplications; but labels are bits, so the sums over
 * all subsets of five profiles are tabulated, and a sum over 50 of 100
 * profiles is a look into each of 20 tables.  Keys are taken in blocks.
 */
#ifndef FG_MAX_T_H
#define FG_MAX_T_H

#include "core/compare/welch.h"

/* All relabellings are taken when there are no more than this. */
#define FG_MAX_T_EXACT	20000

#define FG_MAX_PERMUTATIONS	100000

/*
 * The comparison of welch.h, with q by relabelling of Welch's t, whatever variance and
 * floors the options name for t and p: no correction of the options is applied.  The relabellings that a seed gives depend on the order of the profiles.  With
 * fewer than two profiles in a group q is NaN.
 */
extern bool fg_max_t(FgContext *ctx, const FgProfiles *before, const FgProfiles *after,
					 const FgProfiles noise[2], const FgCompareOptions *options, uint32_t permutations, uint64_t seed,
					 FgWelchComparison *result);

#endif							/* FG_MAX_T_H */
