/*
 * groups.h
 *	  Two groups of profiles for the tests of comparisons.
 */
#ifndef GROUPS_H
#define GROUPS_H

#include "naive.h"

#include "core/compare/max_t.h"
#include "core/compare/welch.h"

#define MOST_PROFILES 64

typedef struct Groups
{
	FgContext	ctx;			/* of the trees */
	FgTree		trees[MOST_PROFILES];
	uint32_t	n[2];			/* before, after */
	FgProfiles	profiles[2];
} Groups;

/* Texts end with NULL. */
extern void groups_of_texts(Groups *groups, const char *const *before, const char *const *after);

/* n[0] + n[1] profiles over some keys of one frame with small whole values, many of them 0. */
extern void groups_random(Groups *groups, UnitRandom *random, uint32_t n1, uint32_t n2,
						  uint32_t keys);
extern void groups_free(Groups *groups);

/* The comparison by way of the moments. */
extern bool groups_compare(FgContext *ctx, const Groups *groups, const FgCompareOptions *options,
						   FgWelchComparison *comparison);

/* The row of a stack, as text with ";"; NULL when there is none. */
extern const FgDifference *groups_row(const FgWelchComparison *comparison, const char *stack);

/* The value of a row's key in a profile. */
extern double groups_value(const Groups *groups, uint32_t profile, FgLevel level,
						   const FgWelchComparison *comparison, const FgDifference *row);

#endif							/* GROUPS_H */
