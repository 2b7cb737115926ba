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

#endif							/* FG_FLAMESTATS_H */
