/*
 * value_stats.h
 *	  Statistics of many values of which most repeat: each comes with how often it occurs.
 */
#ifndef FG_VALUE_STATS_H
#define FG_VALUE_STATS_H

#include "core/jobs/keys_sort.h"

/* What does not exist for so few values is NaN; the sum of none is 0. */
typedef struct FgValueStats
{
	uint64_t	n;
	double		sum;
	double		mean;
	double		sd;				/* of a sample: n - 1 */
	double		cv;				/* sd / mean */
	double		quartiles[5];	/* least, three quartiles (as percentile_cont), most */
} FgValueStats;

/* Values, not negative, in any order. */
typedef struct FgValues
{
	double	   *values;
	uint64_t   *times;			/* how often each occurs */
	size_t		count;
	size_t		value_capacity;
	size_t		times_capacity;
} FgValues;

extern bool fg_values_add(FgContext *ctx, FgValues *values, double value, uint64_t times);
extern void fg_values_free(FgContext *ctx, FgValues *values);
extern bool fg_values_stats(FgContext *ctx, const FgValues *values, FgValueStats *stats);

#endif							/* FG_VALUE_STATS_H */
