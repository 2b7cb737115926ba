/*
 * units.c
 *	  Numbers for people (see units.h).
 */
#include "core/svg/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One step of a scale: a name and how many of the scale's least step it is, exactly. */
typedef struct Step
{
	const char *name;
	double		size;
} Step;

static const Step seconds[] = {
	{" ns", 1}, {" \xC2\xB5s", 1e3}, {" ms", 1e6}, {" s", 1e9}, {" min", 6e10}, {" h", 3.6e12}
};

static const Step bytes[] = {
	{" B", 1}, {" KiB", 0x1p10}, {" MiB", 0x1p20}, {" GiB", 0x1p30}, {" TiB", 0x1p40},
	{" PiB", 0x1p50}, {" EiB", 0x1p60}
};

static const Step prefixes[] = {
	{"", 1}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"P", 1e15}, {"E", 1e18}, {"Z", 1e21},
	{"Y", 1e24}
};

/* Units that are not written as they are: the scale, and their step on it. */
static const struct
{
	const char *unit;
	const Step *scale;
	int			steps;
	const Step *own;
}			units[] = {
	{"nanoseconds", seconds, 6, &seconds[0]}, {"microseconds", seconds, 6, &seconds[1]},
	{"milliseconds", seconds, 6, &seconds[2]}, {"seconds", seconds, 6, &seconds[3]},
	{"bytes", bytes, 7, &bytes[0]}
};

#define COUNT(array) ((int) (sizeof(array) / sizeof((array)[0])))

/* --- digits ------------------------------------------------------------------------ */

/*
 * What is rounded: a decimal half is a half in every unit, though no double may be that (1.005),
 * and goes up.  A scaled number is off by some 2^-53 of itself; whole numbers that one could see
 * this of stay as they are.
 */
static double
raised(double size)
{
	return size < 1e12 || (size >= 1e15 && size < 1e300) ? size * (1 + 1e-15) : size;
}

/* Of a raised number. */
static double
whole_of(double size)
{
	return floor(size + 0.5);
}

static const double powers[] = {1, 10, 100, 1e3, 1e4, 1e5, 1e6};

/* Decimals that make three significant digits of a number from 1e-4 to 100. */
static int
decimals_of(double size)
{
	int			decimals = 0;

	for (double s = size; s < 99.95 && decimals < 6; decimals++)
		s *= 10;
	return decimals;
}

/* Below this a number is written with an exponent. */
#define LEAST_PLAIN 0.9995e-4

/* The number as it will be written. */
static double
rounded(double given)
{
	double		size = raised(given);
	double		scale;

	if (size < LEAST_PLAIN)
		return size;
	scale = powers[decimals_of(size)];
	return whole_of(size * scale) / scale;
}

/* "1.23e-07", whatever the decimal point of the locale is. */
static size_t
print_scientific(double size, char *to)
{
	char		text[FG_UNITS_SIZE];
	char	   *start = to;
	const char *exponent;

	snprintf(text, sizeof(text), "%.2e", size);
	exponent = strchr(text, 'e');
	*to++ = text[0];
	*to++ = '.';
	*to++ = exponent[-2];
	*to++ = exponent[-1];
	while (to[-1] == '0')
		to--;
	if (to[-1] == '.')
		to--;
	to += strlen(strcpy(to, exponent));
	return (size_t) (to - start);
}

/* A whole number below 1e15 in groups of three digits. */
static size_t
print_grouped(double whole, char *to)
{
	char		digits[FG_UNITS_SIZE];
	int			n = snprintf(digits, sizeof(digits), "%.0f", whole);
	char	   *start = to;

	for (int i = 0; i < n; i++)
	{
		if (i > 0 && (n - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return (size_t) (to - start);
}

/* given >= 0, finite. */
static size_t
print_size(double given, char *to)
{
	double		size = raised(given);
	int			decimals;
	uint64_t	scaled;
	size_t		length;

	if (size == 0 || size >= 99.95)
		return size < 1e15 ? print_grouped(whole_of(size), to) : print_scientific(size, to);
	if (size < LEAST_PLAIN)
		return print_scientific(size, to);
	decimals = decimals_of(size);
	scaled = (uint64_t) whole_of(size * powers[decimals]);
	for (; decimals > 0 && scaled % 10 == 0; decimals--)
		scaled /= 10;
	length = (size_t) snprintf(to, FG_UNITS_SIZE, "%llu",
							   (unsigned long long) (scaled / (uint64_t) powers[decimals]));
	if (decimals > 0)
		length += (size_t) snprintf(to + length, FG_UNITS_SIZE - length, ".%0*llu", decimals,
									(unsigned long long) (scaled % (uint64_t) powers[decimals]));
	return length;
}

/* One of the factors is 1, so the result is rounded once, and is 0 only of 0. */
static double
in_step(double value, const Step *own, const Step *step)
{
	return own->size >= step->size ? value * (own->size / step->size)
		: value / (step->size / own->size);
}

/* The largest step of which the value is at least one, with all its digits and as it is written. */
static const Step *
step_of(const Step *scale, int steps, const Step *own, double value)
{
	int			s = 0;

	while (s + 1 < steps && rounded(in_step(value, own, &scale[s + 1])) >= 1 &&
		   rounded(in_step(value, own, &scale[s])) * scale[s].size >= scale[s + 1].size)
		s++;
	return &scale[s];
}

/* A value in the unit of the step "own", in which nothing is written, too. */
static size_t
print_stepped(const Step *scale, int steps, const Step *own, double value, char *to)
{
	const Step *step = value == 0 ? own : step_of(scale, steps, own, fabs(value));
	size_t		length = 0;

	if (value < 0)
		to[length++] = '-';
	length += print_size(in_step(fabs(value), own, step), to + length);
	strcpy(to + length, step->name);
	return length + strlen(step->name);
}

/* --- texts ------------------------------------------------------------------------- */

/* True with the text written for values that have no digits. */
static bool
print_odd(double value, char *to)
{
	if (isfinite(value))
		return false;
	strcpy(to, isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity");
	return true;
}

size_t
fg_units_number(double value, char *to)
{
	return print_odd(value, to) ? strlen(to)
		: print_stepped(prefixes, COUNT(prefixes), prefixes, value, to);
}

/* Digits d of d.ddd * 10^exponent. */
static size_t
print_digits(const char *digits, int count, int exponent, char *to)
{
	char	   *start = to;
	int			point = exponent >= -4 && exponent < 15 ? exponent : 0;

	if (point < 0)
	{
		memcpy(to, "0.000", 5);
		to += 1 - point;
	}
	for (int i = 0; i < count || i <= point; i++)
	{
		if (point >= 0 && i == point + 1)
			*to++ = '.';
		*to++ = i < count ? digits[i] : '0';
	}
	*to = '\0';
	if (point != exponent)
		to += sprintf(to, "e%d", exponent);
	return (size_t) (to - start);
}

/* These are exact as doubles, so a quotient or product with one is rounded once. */
static const double tens[] = {
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15
};

/* Few digits of a handy number, without printf, which took most of the time of pictures' data. */
static bool
print_handy(double size, int digits, char *to, size_t *length)
{
	char		text[8];
	int			exponent = 0;
	int			count = digits;
	uint64_t	whole;

	if (digits > 7 || size < 1e-3 || size >= 1e15)
		return false;
	while (size >= tens[exponent + 1])
		exponent++;
	while (exponent <= 0 && exponent > -3 && size * tens[-exponent] < 1)
		exponent--;
	whole = (uint64_t) rint(exponent < digits ? size * tens[digits - 1 - exponent]
							: size / tens[exponent + 1 - digits]);
	if (whole >= (uint64_t) tens[digits])
	{
		whole /= 10;
		exponent++;
	}
	for (int i = digits; i > 0; whole /= 10)
		text[--i] = (char) ('0' + whole % 10);
	while (count > 1 && text[count - 1] == '0')
		count--;
	*length = print_digits(text, count, exponent, to);
	return true;
}

size_t
fg_units_rounded(double value, int digits, char *to)
{
	char		text[FG_UNITS_SIZE];
	size_t		sign = value < 0;
	size_t		length;
	int			count = digits;

	if (print_odd(value, to))
		return strlen(to);
	if (value == 0)
		return (size_t) sprintf(to, "0");
	if (sign == 1)
		to[0] = '-';
	if (print_handy(fabs(value), digits, to + sign, &length))
		return sign + length;
	(void) snprintf(text, sizeof(text), "%.*e", digits - 1, fabs(value));
	text[1] = text[0];			/* over the point, whatever the locale writes there */
	while (count > 1 && text[count] == '0')
		count--;
	return sign + print_digits(text + 1, count, atoi(strchr(text + digits, 'e') + 1), to + sign);
}

static size_t
print_percent(double given, char *to)
{
	double		percent = raised(given);

	if (percent == 0)
		return (size_t) sprintf(to, "0 %%");
	if (percent < 0.005)
		return (size_t) sprintf(to, "<0.01 %%");
	if (percent < 9.95)
	{
		unsigned	scale = percent < 0.095 ? 100 : 10;
		unsigned	scaled = (unsigned) (percent * scale + 0.5);
		int			decimals = scale == 100 ? 2 : 1;

		if (scaled % scale != 0)
			return (size_t) sprintf(to, "%u.%0*u %%", scaled / scale, decimals, scaled % scale);
		return (size_t) sprintf(to, "%u %%", scaled / scale);
	}
	return (size_t) sprintf(to, "%.0f %%", whole_of(percent));
}

size_t
fg_units_share(double part, double whole, char *to)
{
	double		percent = 100 * (part / whole);
	size_t		sign = 0;

	if (whole == 0 || !isfinite(percent) || fabs(percent) >= 1e15)
		return (size_t) sprintf(to, "-");
	if (percent < 0)
		to[sign++] = '-';
	return sign + print_percent(fabs(percent), to + sign);
}

bool
fg_units_value(FgBuffer *text, double value, const char *unit, size_t length)
{
	char		number[FG_UNITS_SIZE];

	if (length == 8 && memcmp(unit, "fraction", 8) == 0 && isfinite(value))
		return fg_buffer_append(text, number, fg_units_share(value, 1, number));
	for (int u = 0; u < COUNT(units) && isfinite(value); u++)
	{
		if (strlen(units[u].unit) == length && memcmp(units[u].unit, unit, length) == 0)
			return fg_buffer_append(text, number,
									print_stepped(units[u].scale, units[u].steps,
												  units[u].own, value, number));
	}
	if (!fg_buffer_append(text, number, fg_units_number(value, number)))
		return false;
	return length == 0 || (fg_buffer_append(text, " ", 1) && fg_buffer_append(text, unit, length));
}

bool
fg_units_step(FgBuffer *name, int i, const char *unit, size_t length, double *size)
{
	bool		fraction = length == 8 && memcmp(unit, "fraction", 8) == 0;

	*size = 0;
	for (int u = 0; u < COUNT(units); u++)
	{
		if (strlen(units[u].unit) != length || memcmp(units[u].unit, unit, length) != 0)
			continue;
		if (i >= units[u].steps)
			return true;
		*size = units[u].scale[i].size / units[u].own->size;
		return fg_buffer_append(name, units[u].scale[i].name, strlen(units[u].scale[i].name));
	}
	if (fraction || i >= COUNT(prefixes))
		return true;
	*size = prefixes[i].size;
	return fg_buffer_append(name, prefixes[i].name, strlen(prefixes[i].name)) &&
		(length == 0 || (fg_buffer_append(name, " ", 1) && fg_buffer_append(name, unit, length)));
}

bool
fg_units_scale(FgBuffer *text, double size, const char *unit, size_t length, double *factor)
{
	const Step *step;

	*factor = 1;
	if (length == 8 && memcmp(unit, "fraction", 8) == 0)
	{
		*factor = 0.01;
		return fg_buffer_append(text, "%", 1);
	}
	for (int u = 0; u < COUNT(units); u++)
	{
		if (strlen(units[u].unit) != length || memcmp(units[u].unit, unit, length) != 0)
			continue;
		step = size == 0 ? units[u].own : step_of(units[u].scale, units[u].steps,
												  units[u].own, size);
		*factor = step->size / units[u].own->size;
		return fg_buffer_append(text, step->name + 1, strlen(step->name) - 1);
	}
	step = length == 0 ? prefixes : step_of(prefixes, COUNT(prefixes), prefixes, size);
	*factor = step->size;
	return fg_buffer_append(text, step->name, strlen(step->name)) &&
		(step == prefixes || fg_buffer_append(text, " ", 1)) &&
		fg_buffer_append(text, unit, length);
}
