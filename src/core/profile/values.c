/*
 * values.c
 *	  Exact, compact storage of a sequence of doubles (see values.h).
 */
#include "core/profile/values.h"

#include <math.h>

static const double power_of_ten[FG_MAX_DIGITS + 1] = {
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9
};

/*
 * The whole number k with k / 10^digits == value, if there is one below 2^53.
 * Division is correctly rounded, so a decimal fraction with that many digits is
 * found again from the double nearest to it.
 */
static inline bool
scaled_whole(double value, int digits, double *whole)
{
	double		scaled = value * power_of_ten[digits];

	if (!(fabs(scaled) < 0x1p53))
		return false;
	*whole = rint(scaled);
	return *whole / power_of_ten[digits] == value;
}

/* *fits: are all values whole at this scale? */
static bool
all_whole(FgContext *ctx, const double *values, size_t count, int digits, bool *fits)
{
	double		whole;

	*fits = true;
	for (size_t i = 0; i < count && *fits; i++)
	{
		*fits = scaled_whole(values[i], digits, &whole);
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

static uint64_t
greatest_common_divisor(uint64_t a, uint64_t b)
{
	while (b != 0)
	{
		uint64_t	rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static bool
common_unit(FgContext *ctx, const double *values, size_t count, int digits, double *unit_value)
{
	uint64_t	unit = 0;

	for (size_t i = 0; i < count && unit != 1; i++)
	{
		double		whole = 0;

		scaled_whole(values[i], digits, &whole);
		unit = greatest_common_divisor((uint64_t) fabs(whole), unit);
		if (!fg_check_every(ctx, i))
			return false;
	}
	*unit_value = unit == 0 ? 1 : (double) unit;
	return true;
}

bool
fg_values_form(FgContext *ctx, const double *values, size_t count, FgValueForm *form)
{
	for (int digits = 0; digits <= FG_MAX_DIGITS; digits++)
	{
		bool		fits;

		if (!all_whole(ctx, values, count, digits, &fits))
			return false;
		if (!fits)
			continue;
		form->mode = FG_VALUES_WHOLE;
		form->digits = (uint8_t) digits;
		return common_unit(ctx, values, count, digits, &form->unit);
	}
	*form = (FgValueForm) {FG_VALUES_DOUBLE, 0, 1};
	return true;
}

bool
fg_values_form_valid(FgValueForm form)
{
	if (form.mode == FG_VALUES_DOUBLE)
		return form.digits == 0 && form.unit == 1;
	return form.mode == FG_VALUES_WHOLE && form.digits <= FG_MAX_DIGITS &&
		form.unit >= 1 && form.unit < 0x1p53 && form.unit == rint(form.unit);
}

int64_t
fg_value_multiple(FgValueForm form, double value)
{
	double		whole = 0;

	scaled_whole(value, form.digits, &whole);
	return (int64_t) (form.unit == 1 ? whole : whole / form.unit);
}

double
fg_multiple_value(FgValueForm form, double multiple)
{
	double		whole = multiple * form.unit;

	return form.digits == 0 ? whole : whole / power_of_ten[form.digits];
}

static bool
append_whole(FgBuffer *buffer, FgValueForm form, const double *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
	{
		int64_t		k;

		if (!fg_buffer_room(buffer, FG_VARINT_MAX) || !fg_check_every(buffer->ctx, i))
			return false;
		k = fg_value_multiple(form, values[i]);
		fg_put_varint(buffer, (uint64_t) k << 1 ^ (uint64_t) (k >> 63));
	}
	return true;
}

static bool
append_doubles(FgBuffer *buffer, const double *values, size_t count)
{
	uint8_t    *to;

	if (!fg_buffer_room(buffer, count * 8))
		return false;
	to = buffer->data + buffer->size;
	for (size_t i = 0; i < count; i++)
	{
		uint64_t	bits = fg_double_bits(values[i]);

		for (unsigned plane = 0; plane < 8; plane++)
			to[plane * count + i] = (uint8_t) (bits >> (56 - 8 * plane));
		if (!fg_check_every(buffer->ctx, i))
			return false;
	}
	buffer->size += count * 8;
	return true;
}

bool
fg_values_append(FgBuffer *buffer, FgValueForm form, const double *values, size_t count)
{
	if (form.mode == FG_VALUES_WHOLE)
		return append_whole(buffer, form, values, count);
	return append_doubles(buffer, values, count);
}

static bool
read_whole(FgContext *ctx, FgReader *reader, FgValueForm form, double *values, size_t count)
{
	double		power = power_of_ten[form.digits];

	for (size_t i = 0; i < count; i++)
	{
		uint64_t	zigzag;
		double		whole;

		if (!fg_read_varint(reader, &zigzag))
			return false;
		whole = (double) ((int64_t) (zigzag >> 1) ^ -(int64_t) (zigzag & 1)) * form.unit;
		if (!(fabs(whole) < 0x1p53) || !fg_check_every(ctx, i))
			return false;
		values[i] = form.digits == 0 ? whole : whole / power;
	}
	return true;
}

/* Would be a second encoding of 0. */
#define NEGATIVE_ZERO (UINT64_C(1) << 63)

static bool
read_doubles(FgContext *ctx, FgReader *reader, double *values, size_t count)
{
	const uint8_t *from = reader->next;

	if (fg_reader_left(reader) / 8 < count)
		return false;
	for (size_t i = 0; i < count; i++)
	{
		uint64_t	bits = 0;

		for (unsigned plane = 0; plane < 8; plane++)
			bits = bits << 8 | from[plane * count + i];
		values[i] = fg_bits_double(bits);
		if (!isfinite(values[i]) || bits == NEGATIVE_ZERO || !fg_check_every(ctx, i))
			return false;
	}
	reader->next += count * 8;
	return true;
}

bool
fg_values_read(FgContext *ctx, FgReader *reader, FgValueForm form, double *values, size_t count)
{
	if (form.mode == FG_VALUES_WHOLE)
		return read_whole(ctx, reader, form, values, count);
	return read_doubles(ctx, reader, values, count);
}
