/*
 * usage_file.c
 *	  Samples of one resource from the files of monitors (see usage_file.h).
 */
#include "core/jobs/usage_file_internal.h"

#include "core/formats/json_stream.h"

#include <math.h>

/* A moment later than the one before. */
static bool
check_later(FgUsageFile *f, int64_t time)
{
	if (!f->begun || time > f->last)
		return true;
	return fg_fail_at(f->ctx, FG_ERROR_SYNTAX, f->line, f->column,
					  "Times have to increase. Where clocks are set back once a year, write times with a zone; name one series of several.",
					  "a time is not later than the one before");
}

bool
fg_usage_sample(FgUsageFile *f, int64_t time, int64_t interval, double value)
{
	double		usage = value * f->options->scale;
	int64_t		start = interval >= 0 ? time - interval : f->begun ? f->last : time;

	if (!check_later(f, time))
		return false;
	/* sadf rounds times and intervals to seconds */
	if (f->begun && start < f->last)
		start = f->last;
	f->begun = true;
	f->last = time;
	if (isnan(value))
		return true;
	if (!(usage >= 0 && isfinite(usage)))
		return fg_fail_at(f->ctx, FG_ERROR_RANGE, f->line, f->column,
						  "Usage is a rate or a level, from 0 on. Take rate() or irate() of counters.",
						  usage < 0 ? "the usage is negative" : "the usage is infinite");
	return fg_work(f->ctx, 0) && f->options->take(f->options->arg, start, time, usage);
}

bool
fg_usage_file_read(FgContext *ctx, const char *bytes, size_t size, const FgUsageFileOptions *options)
{
	FgUsageFile file = {.ctx = ctx, .options = options};

	return fg_json_begins(bytes, size) ? fg_usage_prometheus(&file, bytes, size)
		: fg_usage_table(&file, bytes, size);
}
