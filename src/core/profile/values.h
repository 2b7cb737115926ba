/*
 * values.h
 *	  Section VALUES of the encoded form (codec.h): a sequence of finite doubles
 *	  in the smallest of the forms that give them back exactly.
 */
#ifndef FG_VALUES_H
#define FG_VALUES_H

#include "core/base/bytes.h"

#define FG_VALUES_WHOLE		0
#define FG_VALUES_DOUBLE	1
#define FG_MAX_DIGITS		9

typedef struct FgValueForm
{
	uint8_t		mode;
	uint8_t		digits;			/* a value is k * unit / 10^digits */
	double		unit;
} FgValueForm;

/* The one form that belongs to these values; it depends on nothing else. */
extern bool fg_values_form(FgContext *ctx, const double *values, size_t count,
						   FgValueForm *form);

/* Could this form have been written? */
extern bool fg_values_form_valid(FgValueForm form);

extern bool fg_values_append(FgBuffer *buffer, FgValueForm form, const double *values,
							 size_t count);

/*
 * Reads exactly "count" values; false when the bytes cannot be such values (then
 * ctx->error is left alone) or when work must end.
 */
extern bool fg_values_read(FgContext *ctx, FgReader *reader, FgValueForm form, double *values,
						   size_t count);

/*
 * A value as its multiple of unit / 10^digits, and back: for who stores the multiples in another way.
 * Of mode 0 only, and only of values that the form was made for.
 */
extern int64_t fg_value_multiple(FgValueForm form, double value);
extern double fg_multiple_value(FgValueForm form, double multiple);

#endif							/* FG_VALUES_H */
