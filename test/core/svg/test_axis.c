/*
 * test_axis.c
 *	  Scales of plots against ticks of exact arithmetic (test/clients/axes.py), and where
 *	  labels stand.
 */
#include "recordings.h"

#include "core/svg/axis.h"

#include <math.h>

#define FILE_OF_AXES "test/data/golden/axes.tsv"

/* --- ticks ------------------------------------------------------------------------- */

/* All labels, and the day that times have in common, with bars between them. */
static void
write_labels(const FgAxis *axis, char *to)
{
	for (uint32_t i = 0; i < axis->count; i++)
	{
		CHECK_COUNT(strlen(axis->ticks[i].label), axis->ticks[i].length);
		to += sprintf(to, "%s%s", i == 0 ? "" : "|", axis->ticks[i].label);
	}
	if (axis->day[0] != '\0')
		sprintf(to, "|%s", axis->day);
}

static FgScale
scale_of(const char *word)
{
	return strcmp(word, "time") == 0 ? FG_SCALE_TIME
		: strcmp(word, "log") == 0 ? FG_SCALE_LOG : FG_SCALE_LINEAR;
}

/* The data lie between the first and the last tick, and positions follow the scale. */
static void
check_places(const FgAxis *axis, double lo, double hi)
{
	double		first = axis->ticks[0].at;
	double		last = axis->ticks[axis->count - 1].at;
	double		middle = axis->scale == FG_SCALE_LOG ? sqrt(first) * sqrt(last)
		: first / 2 + last / 2;

	CHECK(first <= lo && last >= hi);
	CHECK(axis->count >= FG_LEAST_TICKS && axis->count <= FG_MOST_TICKS);
	CHECK_DOUBLE(fg_axis_share(axis, first), 0);
	CHECK_DOUBLE(fg_axis_share(axis, last), 1);
	CHECK(fabs(fg_axis_share(axis, middle) - 0.5) < 1e-6);
	for (uint32_t i = 1; i < axis->count; i++)
		CHECK(axis->ticks[i].at > axis->ticks[i - 1].at);
}

static void
check_row(FgContext *ctx, char *row)
{
	char	   *fields[5];
	char		labels[FG_MOST_TICKS * (FG_TICK_SIZE + 1) + FG_TICK_SIZE];
	FgAxis		axis;
	int			n = 0;

	for (char *field = strtok(row, "\t"); field != NULL && n < 5; field = strtok(NULL, "\t"))
		fields[n++] = field;
	if (!CHECK_COUNT(n, 5))
		return;
	unit_note("%s %s %s %s", fields[0], fields[1], fields[2], fields[3]);
	CHECK(fg_axis_make(ctx, scale_of(fields[0]), atof(fields[1]), atof(fields[2]), atof(fields[3]),
					   &axis));
	write_labels(&axis, labels);
	CHECK_TEXT(labels, strlen(labels), fields[4]);
	check_places(&axis, atof(fields[1]), atof(fields[2]));
}

static void
test_ticks(void)
{
	FgContext	ctx = fg_malloc_context();
	size_t		size;
	char	   *text = recording_file(FILE_OF_AXES, &size);
	char	   *next = text;
	uint32_t	rows = 0;

	unit_case("ticks");
	for (; next < text + size; rows++)
	{
		char	   *row = next;
		char	   *end = strchr(row, '\n');

		*end = '\0';
		next = end + 1;
		check_row(&ctx, row);
	}
	CHECK(rows > 400);
	free(text);
}

static void
test_what_cannot_be_drawn(void)
{
	FgContext	ctx = fg_malloc_context();
	FgAxis		axis;

	unit_case("what cannot be drawn");
	CHECK_ERROR(fg_axis_make(&ctx, FG_SCALE_LINEAR, 0, 1e201, 1, &axis), &ctx, FG_ERROR_RANGE);
	CHECK_ERROR(fg_axis_make(&ctx, FG_SCALE_LINEAR, -1e201, 0, 1, &axis), &ctx, FG_ERROR_RANGE);
	CHECK_ERROR(fg_axis_make(&ctx, FG_SCALE_LOG, 0, 1, 1, &axis), &ctx, FG_ERROR_RANGE);
	CHECK_ERROR(fg_axis_make(&ctx, FG_SCALE_LOG, 1e-201, 1, 1, &axis), &ctx, FG_ERROR_RANGE);
	CHECK_ERROR(fg_axis_make(&ctx, FG_SCALE_LINEAR, NAN, 1, 1, &axis), &ctx, FG_ERROR_RANGE);
}

/* The ends of what a timestamp can be, in seconds. */
static void
test_times_far_away(void)
{
	FgContext	ctx = fg_malloc_context();
	FgAxis		axis;

	unit_case("times far away");
	CHECK(fg_axis_make(&ctx, FG_SCALE_TIME, -210866803200.0, 9224318015999.0, 1, &axis));
	check_places(&axis, -210866803200.0, 9224318015999.0);
	CHECK_TEXT(axis.ticks[0].label, axis.ticks[0].length, "50001 BC");
	CHECK(fg_axis_make(&ctx, FG_SCALE_TIME, -210866803200.0, -210866803199.0, 1, &axis));
	CHECK_TEXT(axis.day, strlen(axis.day), "");
	CHECK_TEXT(axis.ticks[1].label, axis.ticks[1].length, "4714-11-24 BC 00:00:00");
}

static void
test_times_in_words(void)
{
	static const struct
	{
		double		seconds;
		const char *written;
	}			rows[] = {
		{0, "1970-01-01 00:00:00"}, {1795446492, "2026-11-23 15:08:12"},
		{951782400, "2000-02-29 00:00:00"}, {951868799.5, "2000-02-29 23:59:59.5"},
		{-0.25, "1969-12-31 23:59:59.75"}, {0.9999999, "1970-01-01 00:00:01"},
		{-2203891200, "1900-03-01 00:00:00"}, {-62135596800, "0001-01-01 00:00:00"},
		{-62135596801, "0001-12-31 BC 23:59:59"}
	};
	char		text[FG_TICK_SIZE];

	unit_case("times in words");
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		size_t		length = fg_time_print(rows[i].seconds, text);

		CHECK_TEXT(text, length, rows[i].written);
	}
}

/* --- labels ------------------------------------------------------------------------ */

static FgLabels
arranged(double step, double width, size_t count)
{
	FgContext	ctx = fg_malloc_context();
	FgLabels	labels = {false, 0};
	double	   *at = malloc(count * sizeof(double));
	double	   *widths = malloc(count * sizeof(double));

	for (size_t i = 0; i < count; i++)
	{
		at[i] = 40 + step * (double) i;
		widths[i] = width;
	}
	CHECK(fg_labels_arrange(&ctx, at, widths, count, 14, &labels));
	free(at);
	free(widths);
	return labels;
}

static void
test_labels(void)
{
	FgLabels	labels;

	unit_case("labels");
	labels = arranged(60, 53, 9);
	CHECK(!labels.turned && labels.every == 1);
	labels = arranged(60, 54, 9);
	CHECK(labels.turned && labels.every == 1);
	labels = arranged(20, 54, 9);
	CHECK(labels.turned && labels.every == 1);
	labels = arranged(19, 54, 9);
	CHECK(labels.turned && labels.every == 2);
	labels = arranged(0.01, 54, 100000);
	CHECK(labels.turned && labels.every >= 1980 && labels.every < 2200);
	labels = arranged(0, 54, 5);
	CHECK(labels.every >= 5);
}

int
main(void)
{
	test_ticks();
	test_what_cannot_be_drawn();
	test_times_far_away();
	test_times_in_words();
	test_labels();
	return unit_finish();
}
