/*
 * flamestats.h
 *	  Samples of profiles as arguments of functions.
 */
#ifndef FG_FLAMESTATS_H
#define FG_FLAMESTATS_H

#include "pg/base/values.h"

#include "core/samples/stats.h"

/* The moments behind a flamestats, borrowed or decoded into *storage. */
extern const FgMoments *fg_datum_stats(FgContext *ctx, Datum value, FgStats *stats,
									   FgMoments *storage);

/* What the first bytes tell, without reading the rest. */
extern FgStats fg_datum_stats_header(Datum value);

/*
 * An argument as a group to be compared; NULL is one of no profile, as stats() of no rows
 * is NULL, and leaves the level as it is.  Statistics of sums alone are an error.
 */
extern FgGroup fg_stats_group(FunctionCallInfo fcinfo, int argument, FgContext *ctx,
							  FgMoments *storage, FgLevel *level);

/* Two groups, neither of them empty, must be of one level. */
extern void fg_check_same_level(const FgGroup *before, const FgGroup *after,
								const FgLevel level[2]);

#endif							/* FG_FLAMESTATS_H */
