/*
 * run_time.c
 *	  The time of the run when none is given: when the oldest recording was changed.
 */
#include "load.h"

#include <stdlib.h>

/* What a timestamptz can hold, from the year 1 on, in which no file was changed. */
#define LAST_YEAR 294276

static char *
time_text(const struct timespec *time)
{
	struct tm	parts;

	if (gmtime_r(&time->tv_sec, &parts) == NULL || parts.tm_year < 1 - 1900 ||
		parts.tm_year > LAST_YEAR - 1900)
		return NULL;
	return format_text("%04d-%02d-%02d %02d:%02d:%02d.%06ld+00", parts.tm_year + 1900,
					   parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
					   time->tv_nsec / 1000);
}

char *
time_of_change(const File *file)
{
	return time_text(&file->modified);
}

/* Older before younger; of the same time, the first in the list. */
static int
compare_times(const void *a, const void *b)
{
	const File *x = *(File *const *) a;
	const File *y = *(File *const *) b;

	if (x->modified.tv_sec != y->modified.tv_sec)
		return x->modified.tv_sec < y->modified.tv_sec ? -1 : 1;
	if (x->modified.tv_nsec != y->modified.tv_nsec)
		return x->modified.tv_nsec < y->modified.tv_nsec ? -1 : 1;
	return x < y ? -1 : x > y;
}

static File **
by_age(Files *files)
{
	File	  **order = must_alloc(calloc(files->count + 1, sizeof(File *)));

	for (size_t i = 0; i < files->count; i++)
		order[i] = &files->list[i];
	qsort(order, files->count, sizeof(File *), compare_times);
	return order;
}

/* Its time if it can be read; else NULL, and it has failed. */
static char *
time_of_file(FgContext *ctx, File *file, const Options *options)
{
	FgRecording recording;
	char	   *text;

	if (file->kind != REGULAR)
		return time_text(&file->modified);
	if (!read_file(ctx, file, options, &recording))
		return NULL;
	text = time_text(&file->modified);
	if (text == NULL)
	{
		fail_file(file, "its time is out of range; --run gives another");
		fg_recording_free(ctx, &recording);
		return NULL;
	}
	file->recording = must_alloc(malloc(sizeof(FgRecording)));
	*file->recording = recording;
	return text;
}

bool
is_to_come(const struct timespec *time)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return time->tv_sec > now.tv_sec + 24 * 3600;
}

char *
oldest_time(Files *files, const Options *options, bool *to_come)
{
	FgContext	ctx = fg_malloc_context();
	File	  **order = by_age(files);
	char	   *text = NULL;

	*to_come = false;
	for (size_t i = 0; i < files->count && text == NULL; i++)
	{
		if (order[i]->outcome != NOT_DONE)
			continue;
		text = time_of_file(&ctx, order[i], options);
		*to_come = is_to_come(&order[i]->modified);
	}
	free(order);
	return text;
}
