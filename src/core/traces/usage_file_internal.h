/*
 * usage_file_internal.h
 *	  What the formats of usage_file.c share.
 */
#ifndef FG_USAGE_FILE_INTERNAL_H
#define FG_USAGE_FILE_INTERNAL_H

#include "core/traces/usage_file.h"

/* Room for what there is to choose from, in an error. */
#define FG_USAGE_LIST 130

typedef struct FgUsageFile
{
	FgContext  *ctx;
	const FgUsageFileOptions *options;
	bool		begun;			/* a time came */
	int64_t		last;			/* it */
	uint64_t	line;			/* of the value that is being read, for errors */
	uint64_t	column;
} FgUsageFile;

/*
 * The next sample, in µs after 2000-01-01; NaN: not known.  "interval" is how long it holds
 * for, or below 0: since the one before.  fg_usage_file_read() has given line and column.
 */
extern bool fg_usage_sample(FgUsageFile *file, int64_t time, int64_t interval, double value);

/* False, without an error, for what is no time. */
extern bool fg_usage_time(const FgUsageFile *file, FgSpan text, int64_t *time);

extern bool fg_usage_table(FgUsageFile *file, const char *bytes, size_t size);
extern bool fg_usage_prometheus(FgUsageFile *file, const char *bytes, size_t size);

/* JSON of sadf -j. */
extern bool fg_usage_is_sadf(const char *bytes, size_t size);
extern bool fg_usage_sadf(FgUsageFile *file, const char *bytes, size_t size);

/* Text of sar itself. */
extern bool fg_usage_is_sar(const char *bytes, size_t size);
extern bool fg_usage_sar(FgUsageFile *file, const char *bytes, size_t size);

/* Adds "value" or "name=value" to a list (FG_USAGE_LIST) in which it is not yet, while there is room. */
extern void fg_usage_list(char *list, FgSpan name, FgSpan value);

/* An error that says which series there are; returns false. */
extern bool fg_usage_no_series(FgUsageFile *file, const char *list);

/* Seconds after 1970 as microseconds after 2000; milliseconds and microseconds by size. */
extern bool fg_usage_epoch(double number, int64_t *time);

#endif							/* FG_USAGE_FILE_INTERNAL_H */
