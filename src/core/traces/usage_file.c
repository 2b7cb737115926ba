/*
 * usage_file.c
 *	  Samples of one resource from the files of monitors (see usage_file.h).
 */
#include "core/traces/usage_file_internal.h"

#include "core/reading/json_stream.h"

#include <math.h>
#include <stdio.h>

void
fg_usage_list(char *list, FgSpan name, FgSpan value)
{
	char		item[FG_USAGE_LIST];
	size_t		used = strlen(list);
	size_t		length = name.size + (name.bytes != NULL) + value.size;

	if (length == 0 || used + length + 3 > FG_USAGE_LIST)
		return;
	snprintf(item, sizeof(item), "%.*s%s%.*s", (int) name.size, name.bytes != NULL ? name.bytes : "",
			 name.bytes != NULL ? "=" : "", (int) value.size, value.bytes);
	/* a byte 0 of a damaged file ends it */
	length = strlen(item);
	if (length == 0)
		return;
	for (const char *at = list; (at = strstr(at, item)) != NULL; at++)
	{
		if ((at == list || at[-1] == ' ') && (at[length] == '\0' || at[length] == ','))
			return;
	}
	snprintf(list + used, FG_USAGE_LIST - used, "%s%s", used > 0 ? ", " : "", item);
}

bool
fg_usage_no_series(FgUsageFile *file, const char *list)
{
	return fg_fail_at(file->ctx, FG_ERROR_ARGUMENT, 0, 0,
					  "The argument series names one that is there.",
					  list[0] != '\0' ? "nothing is of this series; there are %s"
					  : "nothing is of this series", list);
}

/* A moment later than the one before. */
static bool
check_later(FgUsageFile *f, int64_t time)
{
	bool		named = f->options->series.bytes != NULL;

	if (!f->begun || time > f->last)
		return true;
	return fg_fail_at(f->ctx, FG_ERROR_SYNTAX, f->line, f->column,
					  named ? "Times have to increase. Where clocks are set back once a year, write times with a zone; where other columns tell series apart as well, name them: series => 'name=value,...'."
					  : "Times have to increase. Where clocks are set back once a year, write times with a zone; name one series of several.",
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

	if (fg_usage_is_sar(bytes, size))
		return fg_usage_sar(&file, bytes, size);
	if (fg_usage_is_sadf(bytes, size))
		return fg_usage_sadf(&file, bytes, size);
	return fg_json_begins(bytes, size) ? fg_usage_prometheus(&file, bytes, size)
		: fg_usage_table(&file, bytes, size);
}
