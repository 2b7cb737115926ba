/*
 * multiplicity.h
 *	  Many tests at once: p-values adjusted for their number.
 *
 * With thousands of stacks, one in twenty differs "at the 5 % level" by chance.
 * Benjamini and Hochberg (1995) bound the share of false ones among those called
 * different; Holm (1979) and Bonferroni the probability of any false one, Holm's being
 * never larger.
 */
#ifndef FG_MULTIPLICITY_H
#define FG_MULTIPLICITY_H

#include "core/base/context.h"

typedef enum FgCorrection
{
	FG_CORRECT_BH,
	FG_CORRECT_HOLM,
	FG_CORRECT_BONFERRONI,
	FG_CORRECT_NONE
} FgCorrection;

/*
 * The adjusted p-values q of p, which may be the same array.  A NaN is no test: it is
 * not counted, and stays.
 */
extern bool fg_adjust(FgContext *ctx, const double *p, uint32_t count, FgCorrection correction,
					  double *q);

#endif							/* FG_MULTIPLICITY_H */
