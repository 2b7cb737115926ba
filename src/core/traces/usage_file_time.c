/*
 * usage_file_time.c
 *	  The times of monitors (see usage_file.h).
 */
#include "core/traces/usage_file_internal.h"

#include "core/base/number.h"

#include <math.h>

#define EPOCH_SECONDS INT64_C(946684800)	/* 2000-01-01 after 1970-01-01 */
#define DAY_SECONDS INT64_C(86400)

/* Text that is taken from the front. */
typedef struct Cursor
{
	const char *next;
	const char *end;
} Cursor;

static bool
take_char(Cursor *c, const char *any)
{
	if (c->next == c->end || *c->next == '\0' || strchr(any, *c->next) == NULL)
		return false;
	c->next++;
	return true;
}

/* Exactly so many digits. */
static bool
take_digits(Cursor *c, int count, int *number)
{
	*number = 0;
	if (c->end - c->next < count)
		return false;
	for (int i = 0; i < count; i++, c->next++)
	{
		if (*c->next < '0' || *c->next > '9')
			return false;
		*number = *number * 10 + (*c->next - '0');
	}
	return true;
}

/* Digits behind the point, to microseconds; the rest is cut off. */
static int64_t
take_fraction(Cursor *c)
{
	int64_t		micros = 0;
	int64_t		weight = 100000;

	if (!take_char(c, ".,"))
		return 0;
	for (; c->next < c->end && *c->next >= '0' && *c->next <= '9'; c->next++, weight /= 10)
		micros += weight * (*c->next - '0');
	return micros;
}

/* Days after 2000-01-01 in the Gregorian calendar; the year begins in March here. */
static int64_t
days(int year, int month, int day)
{
	int64_t		y = month > 2 ? year : year - 1;
	int64_t		m = month > 2 ? month - 3 : month + 9;

	return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 730426;
}

static bool
is_date(int year, int month, int day)
{
	return month >= 1 && month <= 12 && day >= 1 && day <= 31 && year >= 1 &&
		(month == 12 ? day <= 31 : day <= days(year, month + 1, 1) - days(year, month, 1));
}

/* Z, UTC, GMT, +01, +0100, +01:00; false when something else follows. */
static bool
take_zone(Cursor *c, bool *has, int64_t *offset)
{
	int			hours;
	int			minutes = 0;
	int			sign;

	while (take_char(c, " "))
		;
	*offset = 0;
	*has = c->next < c->end;
	if (!*has || (take_char(c, "Zz") && c->next == c->end))
		return true;
	if (c->end - c->next == 3 && (memcmp(c->next, "UTC", 3) == 0 || memcmp(c->next, "GMT", 3) == 0))
		return true;
	sign = *c->next == '-' ? -1 : 1;
	if (!take_char(c, "+-") || !take_digits(c, 2, &hours))
		return false;
	take_char(c, ":");
	if (c->next < c->end && !take_digits(c, 2, &minutes))
		return false;
	*offset = sign * (hours * INT64_C(3600) + minutes * INT64_C(60)) * 1000000;
	return c->next == c->end && hours < 24 && minutes < 60;
}

static bool
iso_time(const FgUsageFile *file, Cursor c, int64_t *time)
{
	int			year;
	int			month;
	int			day;
	int			hour;
	int			minute;
	int			second = 0;
	bool		has_zone;
	int64_t		offset;

	if (!take_digits(&c, 4, &year) || !take_char(&c, "-") || !take_digits(&c, 2, &month) ||
		!take_char(&c, "-") || !take_digits(&c, 2, &day) || !take_char(&c, "Tt ") ||
		!take_digits(&c, 2, &hour) || !take_char(&c, ":") || !take_digits(&c, 2, &minute) ||
		(take_char(&c, ":") && !take_digits(&c, 2, &second)) || !is_date(year, month, day) ||
		hour > 23 || minute > 59 || second > 60)
		return false;
	*time = (days(year, month, day) * DAY_SECONDS + hour * 3600 + minute * 60 + second) * 1000000;
	*time += take_fraction(&c);
	if (!take_zone(&c, &has_zone, &offset))
		return false;
	*time = has_zone ? *time - offset : file->options->local(file->options->arg, *time);
	return true;
}

bool
fg_usage_epoch(double number, int64_t *time)
{
	double		micros = number < 1e11 ? number * 1e6 : number < 1e14 ? number * 1e3 : number;

	if (!(number >= 0 && micros < 2.5e17))
		return false;
	*time = (int64_t) floor(micros + 0.5) - EPOCH_SECONDS * 1000000;
	return true;
}

bool
fg_usage_time(const FgUsageFile *file, FgSpan text, int64_t *time)
{
	Cursor		c = {text.bytes, text.bytes + text.size};
	double		number;

	return iso_time(file, c, time) ||
		(fg_number_parse(file->ctx, text.bytes, text.size, &number) == FG_NUMBER_OK &&
		 fg_usage_epoch(number, time));
}
