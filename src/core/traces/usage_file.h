/*
 * usage_file.h
 *	  What monitors measured of one resource, from their own files: periods and the usage in
 *	  each.
 *
 * Formats, told apart by what stands in them:
 *	  sadf -d (sysstat): lines of fields parted by ';', sections with a header line "# ...";
 *	  a row holds for the interval before its time;
 *	  JSON of sadf -j, whose rows hold for their interval, too;
 *	  the text of sar itself, of locales with English words, dates of C, en_US or ISO and decimal
 *	  points; a row holds since the time before;
 *	  JSON of Prometheus' query_range (a matrix);
 *	  lines of time and value, parted by ',', ';' or tabs, with or without a header: what
 *	  Prometheus' and Grafana's tables are exported as, and what anybody can write.
 * A sample of the last two holds since the one before; the first one is a point in time.
 *
 * Times: seconds after 1970-01-01 UTC, or milliseconds (from 1e11 on), microseconds (from
 * 1e14), or ISO 8601 with Z, UTC, GMT or an offset; without any of these in the caller's
 * time zone.  They have to increase.  A value that is empty, NaN or null is not known: it
 * leaves a gap.
 */
#ifndef FG_USAGE_FILE_H
#define FG_USAGE_FILE_H

#include "core/base/context.h"
#include "core/base/span.h"

typedef struct FgUsageFileOptions
{
	/* bytes NULL: the only one, or 100 - %idle of sadf; of sadf -j KEY or GROUP.KEY */
	FgSpan		column;
	/*
	 * A CPU, a device; LABEL=VALUE,...; in a table the value of the only column beside time and
	 * value, or NAME=VALUE,...; NULL: the only one, all CPUs.
	 */
	FgSpan		series;
	double		scale;			/* of the values; above 0 and finite */
	/* A time of the caller's zone in UTC; both microseconds after 2000-01-01 00:00. */
	int64_t		(*local) (void *arg, int64_t time);
	/* Periods in order, disjoint; the first one of point samples is empty. */
	bool		(*take) (void *arg, int64_t start, int64_t end, double usage);
	void	   *arg;
} FgUsageFileOptions;

/*
 * Errors have line and column: FG_ERROR_SYNTAX, FG_ERROR_RANGE for usage below 0 or
 * infinite, FG_ERROR_ARGUMENT when column or series has to be named or is not there.
 */
extern bool fg_usage_file_read(FgContext *ctx, const char *bytes, size_t size,
							   const FgUsageFileOptions *options);

#endif							/* FG_USAGE_FILE_H */
