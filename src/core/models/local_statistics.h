/*
 * local_statistics.h
 *	  Detection of changes by statistics of parts: two curves at the same points, which
 *	  are cut into chunks (Stupinsky 2019, section 6.2).
 */
#ifndef FG_LOCAL_STATISTICS_H
#define FG_LOCAL_STATISTICS_H

#include "core/models/detection.h"

typedef enum FgStatistic
{
	FG_STATISTIC_AVG,
	FG_STATISTIC_MED,
	FG_STATISTIC_MAX,
	FG_STATISTIC_MIN,
	FG_STATISTIC_SUM,
	FG_STATISTIC_Q1,			/* 0.25 */
	FG_STATISTIC_Q3				/* 0.75 */
} FgStatistic;

#define FG_STATISTICS 7

typedef struct FgLocalOptions
{
	double		density;		/* points of a chunk, as a fraction of all */
	int64_t		min_points;		/* with fewer in a chunk there is only one */
	FgThresholds thresholds;
} FgLocalOptions;

#define FG_DEFAULT_LOCAL_OPTIONS ((FgLocalOptions) {0.05, 2, {0.10, 0.25}})
#define FG_DEFAULT_SAMPLES 1000

typedef struct FgLocalChunk
{
	FgChangeVerdict result;
	double		x_from;			/* of its first and its last point */
	double		x_to;
	double		relative_error; /* mean of those that are finite */
	double		score;			/* -7 to 7 */
	double		errors[FG_STATISTICS];	/* by FgStatistic */
} FgLocalChunk;

typedef struct FgLocalStatistics
{
	FgChangeVerdict result;
	double		relative_error;
	double		confidence;		/* NaN: none */
	FgLocalChunk *chunks;		/* to be freed with fg_release */
	size_t		count;
} FgLocalStatistics;

/*
 * Both curves at "samples" equally spaced points of the common interval; without one
 * FG_UNKNOWN and no chunks.  Points where a curve has no (finite) value are left out.
 */
extern bool fg_local_statistics(FgContext *ctx, const FgCurve *baseline, const FgCurve *target,
								int64_t samples, const FgLocalOptions *options,
								FgLocalStatistics *local);

/*
 * The same for values at shared x, in the order given; points where a value is NaN are
 * left out, FG_ERROR_RANGE for infinities.
 */
extern bool fg_local_statistics_points(FgContext *ctx, const double *x, const double *baseline,
									   const double *target, size_t n,
									   const FgLocalOptions *options, FgLocalStatistics *local);

/*
 * Joins adjacent chunks of the same class and leaves out what has not changed or is
 * unknown.  Errors of joined chunks are means of those that are finite (infinite when
 * none is), the score is the mean score.
 */
extern void fg_merge_chunks(FgLocalStatistics *local);

#endif							/* FG_LOCAL_STATISTICS_H */
