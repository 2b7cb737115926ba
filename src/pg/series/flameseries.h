/*
 * flameseries.h
 *	  Series of profiles as arguments and results.
 *
 * A flameseries is a varlena whose payload is the encoded form of flameseries_codec.h, or an
 * expanded object, the state of flameseries_agg.  Times are those of timestamptz: microseconds
 * since 2000-01-01 00:00 UTC.
 */
#ifndef FG_PG_FLAMESERIES_H
#define FG_PG_FLAMESERIES_H

#include "pg/base/values.h"

#include "core/series/flameseries_codec.h"
#include "core/series/flameseries_codec_windows.h"

/* For code that cannot go on, as fg_must. */
#define fg_series_must(ctx, call) \
	do { \
		if (!(call)) \
			fg_throw(ctx, "flameseries"); \
	} while (0)

/* The encoded form of a value: detoasted, and decompressed where it is not stored so. */
extern FgSpan fg_series_encoded(Datum value);

/* What the first bytes tell, without the rest of a stored value. */
extern FgFlameseriesHeader fg_series_header(Datum value);

/* The bytes of a value up to the end of a section; of a stored one no more is fetched. */
extern FgSpan fg_series_through_tree(Datum value);
extern FgSpan fg_series_through_instances(Datum value);
extern FgSpan fg_series_through_sums(Datum value);

/* Opens all bytes of a value; they are detoasted into the current memory context. */
extern FgFlameseriesReader *fg_series_open(FgContext *ctx, Datum value);

/* The shared tree alone. */
extern void fg_series_tree(FgContext *ctx, Datum value, FgTree *tree);

extern Datum fg_series_datum(FgContext *ctx, const FgFlameseries *series);

/* The name of an instance, '' for number 0, which is none. */
extern Datum fg_instance_datum(const FgFrames *names, uint32_t instance);

/*
 * The window of a call: arguments since and until, where null means no bound, and the text[]
 * of instances, where null means all.  -1 stands for an argument that the function has not.
 */
typedef struct FgWindowArguments
{
	int			since;
	int			until;
	int			instances;
} FgWindowArguments;

/* Its times alone. */
extern FgFlameseriesWindow fg_window_times(FunctionCallInfo fcinfo, FgWindowArguments arguments);

/* The whole of it, for a series with these instances. */
extern FgFlameseriesWindow fg_window(FunctionCallInfo fcinfo, FgWindowArguments arguments,
									 const FgFrames *names);

/*
 * Whether the sums beside the tree are of the profiles in these times, of all instances: they are
 * stored, and the times leave none out.
 */
extern bool fg_series_has_sums(Datum value, const FgFlameseriesWindow *times);

/* The sum of the profiles of argument 0 that are in a window of other arguments. */
extern void fg_series_sum_argument(FunctionCallInfo fcinfo, FgContext *ctx,
								   FgWindowArguments arguments, FgTree *sum);

#endif							/* FG_PG_FLAMESERIES_H */
