/*
 * axis_time.c
 *	  Scales of time: ticks at round times of the proleptic Gregorian calendar in UTC, without
 *	  leap seconds, as PostgreSQL counts (see axis.h).
 */
#include "core/svg/axis.h"

#include <math.h>
#include <stdio.h>

#define MINUTE	60
#define HOUR	3600
#define DAY		86400
#define WEEK	(7 * DAY)

/* Monday, 1970-01-05. */
#define FIRST_MONDAY	(4 * DAY)

/* Steps are so many seconds, or so many months. */
typedef struct Step
{
	int64_t		seconds;		/* 0: months */
	int64_t		months;
} Step;

static const Step steps[] = {
	{1, 0}, {2, 0}, {5, 0}, {10, 0}, {20, 0}, {30, 0}, {MINUTE, 0}, {2 * MINUTE, 0},
	{5 * MINUTE, 0}, {10 * MINUTE, 0}, {20 * MINUTE, 0}, {30 * MINUTE, 0}, {HOUR, 0},
	{2 * HOUR, 0}, {3 * HOUR, 0}, {6 * HOUR, 0}, {12 * HOUR, 0}, {DAY, 0}, {2 * DAY, 0},
	{3 * DAY, 0}, {WEEK, 0}, {2 * WEEK, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 6}, {0, 12}, {0, 24},
	{0, 60}, {0, 120}, {0, 240}, {0, 600}, {0, 1200}, {0, 2400}, {0, 6000}, {0, 12000},
	{0, 24000}, {0, 60000}, {0, 120000}, {0, 240000}, {0, 600000}, {0, 1200000}, {0, 2400000}
};

#define STEPS ((int) (sizeof(steps) / sizeof(steps[0])))

/* --- calendar ------------------------------------------------------------------------ */

static int64_t
floor_divide(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/*
 * Days from 1970-01-01 to the first of a month, counted from January of the year 0.  Years
 * begin in March here, so that the day of a leap year is the last one.
 */
static int64_t
days_of_month(int64_t month)
{
	int64_t		year = floor_divide(month - 2, 12);
	int64_t		of_year = month - 2 - 12 * year;

	return 365 * year + floor_divide(year, 4) - floor_divide(year, 100) +
		floor_divide(year, 400) + (153 * of_year + 2) / 5 - 719468;
}

/* The month that a day is in, counted likewise. */
static int64_t
month_of_day(int64_t day)
{
	int64_t		month = (int64_t) floor((double) (day + 719528) / 365.2425 * 12);

	while (days_of_month(month) > day)
		month--;
	while (days_of_month(month + 1) <= day)
		month++;
	return month;
}

/*
 * "2026-11-23", or its first "parts" parts; years before the first one as PostgreSQL writes
 * them, "0044-03-15 BC".
 */
static size_t
print_date(int64_t day, int parts, char *to)
{
	int64_t		month = month_of_day(day);
	int64_t		year = floor_divide(month, 12);
	int			n = sprintf(to, "%04lld", (long long) (year > 0 ? year : 1 - year));

	if (parts > 1)
		n += sprintf(to + n, "-%02d", (int) (month - 12 * year) + 1);
	if (parts > 2)
		n += sprintf(to + n, "-%02d", (int) (day - days_of_month(month)) + 1);
	if (year <= 0)
		n += sprintf(to + n, " BC");
	return (size_t) n;
}

size_t
fg_time_print(double seconds, char *to)
{
	double		whole = floor(seconds);
	int			micros = (int) rint((seconds - whole) * 1e6);
	int64_t		second = (int64_t) whole + (micros == 1000000);
	int64_t		day = floor_divide(second, DAY);
	int			rest = (int) (second - day * DAY);
	size_t		n = print_date(day, 3, to);

	n += (size_t) sprintf(to + n, " %02d:%02d:%02d", rest / HOUR, rest / MINUTE % 60, rest % 60);
	if (micros % 1000000 == 0)
		return n;
	n += (size_t) sprintf(to + n, ".%06d", micros);
	while (to[n - 1] == '0')
		to[--n] = '\0';
	return n;
}

/* --- ticks --------------------------------------------------------------------------- */

/* Multiples of a step are counted from here. */
static int64_t
origin_of(Step step)
{
	return step.seconds % WEEK == 0 ? FIRST_MONDAY : 0;
}

static int64_t
tick_of(Step step, int64_t multiple)
{
	if (step.seconds > 0)
		return origin_of(step) + multiple * step.seconds;
	return days_of_month(multiple * step.months) * DAY;
}

/* The last multiple of a step that is not after a time. */
static int64_t
multiple_before(Step step, double time)
{
	int64_t		second = (int64_t) floor(time);

	if (step.seconds > 0)
		return floor_divide(second - origin_of(step), step.seconds);
	return floor_divide(month_of_day(floor_divide(second, DAY)), step.months);
}

/* "15:08" or "15:08:12" where the day is said elsewhere; "2026", "2026-11" for whole ones. */
static size_t
print_tick(Step step, int64_t second, bool same_day, char *to)
{
	int64_t		day = floor_divide(second, DAY);
	int			rest = (int) (second - day * DAY);
	size_t		n = 0;

	if (step.seconds == 0)
		return print_date(day, step.months % 12 == 0 ? 1 : 2, to);
	if (step.seconds % DAY == 0)
		return print_date(day, 3, to);
	if (!same_day)
	{
		n = print_date(day, 3, to);
		to[n++] = ' ';
	}
	n += (size_t) sprintf(to + n, "%02d:%02d", rest / HOUR, rest / MINUTE % 60);
	if (step.seconds < MINUTE)
		n += (size_t) sprintf(to + n, ":%02d", rest % 60);
	return n;
}

/* The finest step with so few ticks; the data may end exactly at one. */
static Step
choose_step(double lo, double hi, int64_t *first, int64_t *last)
{
	for (int s = 0;; s++)
	{
		*first = multiple_before(steps[s], lo);
		*last = multiple_before(steps[s], hi);
		*last += (double) tick_of(steps[s], *last) < hi;
		if (*last - *first + 1 <= FG_MOST_TICKS || s == STEPS - 1)
			return steps[s];
	}
}

void
fg_axis_times(double lo, double hi, FgAxis *axis)
{
	int64_t		first;
	int64_t		last;
	Step		step;
	bool		same_day;

	/* Less than that has not enough seconds. */
	if (hi - lo < 2)
	{
		lo = floor(lo) - 1;
		hi = lo + 4;
	}
	step = choose_step(lo, hi, &first, &last);
	axis->unit = 1;
	axis->count = (uint32_t) (last - first + 1);
	same_day = step.seconds > 0 && step.seconds < DAY &&
		floor_divide(tick_of(step, first), DAY) == floor_divide(tick_of(step, last), DAY);
	if (same_day)
		(void) print_date(floor_divide(tick_of(step, first), DAY), 3, axis->day);
	for (uint32_t i = 0; i < axis->count; i++)
	{
		int64_t		second = tick_of(step, first + i);

		axis->ticks[i].at = (double) second;
		axis->ticks[i].length = print_tick(step, second, same_day, axis->ticks[i].label);
	}
}
