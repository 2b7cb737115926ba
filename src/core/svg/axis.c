/*
 * axis.c
 *	  Linear and logarithmic scales, and the place of labels (see axis.h).
 */
#include "core/svg/axis.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values that differ by less than this, of the larger one, are drawn as the same. */
#define LEAST_RANGE	1e-9

/* From here on numbers have an exponent; below the second one, too. */
#define MOST_PLAIN	1e9
#define LEAST_PLAIN	1e-3

/* --- exact decimals ----------------------------------------------------------------- */

/* digits * 10^exponent */
typedef struct Decimal
{
	int64_t		digits;
	int			exponent;
} Decimal;

/* The nearest double; the text has no point, so no locale matters. */
static double
decimal_value(Decimal number)
{
	char		text[FG_TICK_SIZE];

	snprintf(text, sizeof(text), "%" PRId64 "e%d", number.digits, number.exponent);
	return strtod(text, NULL);
}

/* In values of the data. */
static double
place_of(Decimal number, double unit)
{
	double		value = decimal_value(number);

	return unit < 1 ? value / rint(1 / unit) : value * unit;
}

/* Digits in groups of three in front of the point. */
static size_t
print_plain(Decimal number, char *to)
{
	char		digits[FG_TICK_SIZE];
	int			decimals = number.exponent < 0 ? -number.exponent : 0;
	int64_t		size = number.digits < 0 ? -number.digits : number.digits;
	int			n;
	char	   *start = to;

	for (int i = 0; i < number.exponent; i++)
		size *= 10;
	n = snprintf(digits, sizeof(digits), "%0*" PRId64, decimals + 1, size);
	if (number.digits < 0)
		*to++ = '-';
	for (int i = 0; i < n; i++)
	{
		if (i == n - decimals)
			*to++ = '.';
		else if (i > 0 && i < n - decimals && (n - decimals - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return (size_t) (to - start);
}

/* "2.5e-7" */
static size_t
print_exponent(Decimal number, char *to)
{
	char		digits[24];
	char	   *start = to;
	int			n;

	if (number.digits == 0)
		return (size_t) snprintf(to, FG_TICK_SIZE, "0");
	for (; number.digits % 10 == 0; number.exponent++)
		number.digits /= 10;
	n = snprintf(digits, sizeof(digits), "%" PRId64,
				 number.digits < 0 ? -number.digits : number.digits);
	if (number.digits < 0)
		*to++ = '-';
	*to++ = digits[0];
	if (n > 1)
		to += sprintf(to, ".%s", digits + 1);
	to += sprintf(to, "e%d", number.exponent + n - 1);
	return (size_t) (to - start);
}

/* --- ticks -------------------------------------------------------------------------- */

static void
set_ticks(const Decimal *numbers, uint32_t count, double unit, FgAxis *axis)
{
	double		largest = fabs(decimal_value(numbers[count - 1]));
	double		smallest = fabs(decimal_value(numbers[0]));
	bool		plain;

	if (smallest > largest || axis->scale != FG_SCALE_LOG)
		smallest = largest = fmax(smallest, largest);
	plain = largest < MOST_PLAIN && smallest >= LEAST_PLAIN;
	axis->count = count;
	for (uint32_t i = 0; i < count; i++)
	{
		FgTick	   *tick = &axis->ticks[i];

		tick->at = place_of(numbers[i], unit);
		tick->length = plain ? print_plain(numbers[i], tick->label)
			: print_exponent(numbers[i], tick->label);
	}
}

/* The place-th step: 1, 2, 5, 10, 20, ... */
static Decimal
step_of(int place)
{
	static const int mantissas[] = {1, 2, 5};
	int			third = place >= 0 ? place % 3 : (place % 3 + 3) % 3;

	return (Decimal) {mantissas[third], (place - third) / 3};
}

static Decimal
times(Decimal step, int64_t factor)
{
	return (Decimal) {step.digits * factor, step.exponent};
}

/* The multiples of a step around the data: from *first on so many. */
static int64_t
multiples(Decimal step, double lo, double hi, double unit, int64_t *first)
{
	int64_t		from = (int64_t) floor(lo / unit / decimal_value(step));
	int64_t		to = (int64_t) ceil(hi / unit / decimal_value(step));

	/* Quotients are rounded; what counts is the tick that is drawn. */
	while (place_of(times(step, from), unit) > lo)
		from--;
	while (place_of(times(step, from + 1), unit) <= lo)
		from++;
	while (place_of(times(step, to), unit) < hi)
		to++;
	while (place_of(times(step, to - 1), unit) >= hi)
		to--;
	*first = from;
	return to - from + 1;
}

/* Multiples of a step in values, or of a step in exponents of ten. */
static void
round_ticks(double lo, double hi, double unit, int finest, bool exponents, FgAxis *axis)
{
	int			place = finest;
	int64_t		first;
	int64_t		count;
	Decimal		numbers[FG_MOST_TICKS] = {{.digits = 0}};

	while ((count = multiples(step_of(place), lo, hi, unit, &first)) > FG_MOST_TICKS)
		place++;
	for (int64_t i = 0; i < count; i++)
	{
		numbers[i] = times(step_of(place), first + i);
		if (exponents)
			numbers[i] = (Decimal) {1, (int) decimal_value(numbers[i])};
	}
	set_ticks(numbers, (uint32_t) count, exponents ? axis->unit : unit, axis);
}

static void
linear_ticks(double lo, double hi, FgAxis *axis)
{
	double		range = (hi - lo) / axis->unit;

	round_ticks(lo, hi, axis->unit, 3 * ((int) floor(log10(range / FG_MOST_TICKS)) - 1), false,
				axis);
}

/* --- logarithmic scales -------------------------------------------------------------- */

/* The last of 1, 2, 5 times powers of ten that is not above a value; their places ascend. */
static int
place_below(double value, double unit)
{
	int			place = 3 * (int) floor(log10(value / unit));

	while (place_of(step_of(place), unit) > value)
		place--;
	while (place_of(step_of(place + 1), unit) <= value)
		place++;
	return place;
}

static void
log_ticks(double lo, double hi, FgAxis *axis)
{
	int			first = place_below(lo, axis->unit);
	int			last = place_below(hi, axis->unit);
	Decimal		numbers[FG_MOST_TICKS] = {{.digits = 0}};

	if (place_of(step_of(last), axis->unit) < hi)
		last++;
	if (last - first + 1 < FG_LEAST_TICKS)
		linear_ticks(lo, hi, axis);
	else if (last - first + 1 > FG_MOST_TICKS)
	{
		int			lower = (int) floor(first / 3.0);
		int			upper = (int) ceil(last / 3.0);

		round_ticks(lower, upper, 1, 0, true, axis);
	}
	else
	{
		for (int p = first; p <= last; p++)
			numbers[p - first] = step_of(p);
		set_ticks(numbers, (uint32_t) (last - first + 1), axis->unit, axis);
	}
}

/* --- axes --------------------------------------------------------------------------- */

/* Ends that are too close to each other go apart. */
static void
widen(FgScale scale, double unit, double *lo, double *hi)
{
	double		middle = *lo / 2 + *hi / 2;
	double		size = fmax(fabs(*lo), fabs(*hi));
	double		more = size / 10;

	if (scale == FG_SCALE_TIME)
		return;
	if (*hi - *lo >= LEAST_RANGE * size && *hi - *lo >= 1 / FG_AXIS_LARGEST)
		return;
	if (size < 1 / FG_AXIS_LARGEST)
		more = unit;
	*lo = middle - more;
	*hi = middle + more;
}

bool
fg_axis_make(FgContext *ctx, FgScale scale, double lo, double hi, double unit, FgAxis *axis)
{
	if (!(fabs(lo) <= FG_AXIS_LARGEST && fabs(hi) <= FG_AXIS_LARGEST) ||
		(scale == FG_SCALE_LOG && !(lo >= 1 / FG_AXIS_LARGEST)))
		return fg_fail_at(ctx, FG_ERROR_RANGE, 0, 0,
						  "Plots take numbers up to 1e200, on logarithmic scales from 1e-200 on.",
						  "a number cannot be drawn");
	*axis = (FgAxis) {.scale = scale, .unit = unit};
	widen(scale, unit, &lo, &hi);
	if (scale == FG_SCALE_TIME)
		fg_axis_times(lo, hi, axis);
	else if (scale == FG_SCALE_LOG)
		log_ticks(lo, hi, axis);
	else
		linear_ticks(lo, hi, axis);
	axis->first = axis->ticks[0].at;
	axis->last = axis->ticks[axis->count - 1].at;
	if (scale == FG_SCALE_LOG)
	{
		axis->first = log10(axis->first);
		axis->last = log10(axis->last);
	}
	return true;
}

double
fg_axis_share(const FgAxis *axis, double value)
{
	if (axis->scale == FG_SCALE_LOG)
		value = log10(value);
	return (value - axis->first) / (axis->last - axis->first);
}

/* --- labels ------------------------------------------------------------------------- */

/* Do every so many-th of labels with such widths (NULL: all "line") not touch? */
static bool
have_room(FgContext *ctx, const double *at, const double *width, size_t count, double line,
		  size_t every, bool *room)
{
	*room = true;
	for (size_t i = every; *room && i < count; i += every)
	{
		double		needed = width == NULL ? line : width[i] / 2 + width[i - every] / 2 + line / 2;

		*room = fabs(at[i] - at[i - every]) >= needed;
		if (!fg_steps(ctx, 1))
			return false;
	}
	return true;
}

/* The least "every" with room. */
static bool
thin(FgContext *ctx, const double *at, size_t count, double line, uint32_t *every)
{
	bool		room = false;

	for (*every = 1; *every < count; *every += 1 + *every / 16)
	{
		if (!have_room(ctx, at, NULL, count, line, *every, &room))
			return false;
		if (room)
			break;
	}
	return true;
}

bool
fg_labels_arrange(FgContext *ctx, const double *at, const double *width, size_t count, double line,
				  FgLabels *labels)
{
	bool		room;

	*labels = (FgLabels) {.every = 1};
	if (!have_room(ctx, at, width, count, line, 1, &room))
		return false;
	if (room)
		return true;
	labels->turned = true;
	return thin(ctx, at, count, line * sqrt(2), &labels->every);
}

bool
fg_labels_stack(FgContext *ctx, const double *at, size_t count, double line, FgLabels *labels)
{
	*labels = (FgLabels) {.every = 1};
	return thin(ctx, at, count, line, &labels->every);
}
