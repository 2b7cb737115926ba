/*
 * arrays.c
 *	  Arrays as arguments (see arrays.h).
 */
#include "pg/base/arrays.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#include "core/base/bytes.h"
#include "core/base/series.h"

/* --- one element after the other --------------------------------------------- */

FgArray
fg_array(ArrayType *array, const char *null_message)
{
	FgArray		elements = {
		.null_message = null_message,
		.null_hint = "array_remove(..., NULL) takes nulls out."
	};
	int16		length;
	bool		by_value;
	char		alignment;

	get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &by_value, &alignment);
	deconstruct_array(array, ARR_ELEMTYPE(array), length, by_value, alignment, &elements.elements,
					  &elements.nulls, &elements.count);
	return elements;
}

FgArray
fg_array_argument(FunctionCallInfo fcinfo, int argument, const char *null_message)
{
	FgArray		none = {.count = 0};

	return PG_ARGISNULL(argument) ? none : fg_array(PG_GETARG_ARRAYTYPE_P(argument), null_message);
}

void
fg_throw_null_element(const FgArray *array)
{
	ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
			 errmsg("%s", array->null_message),
			 array->null_hint != NULL ? errhint("%s", array->null_hint) : 0));
}

/* An array whose elements have no name of their own. */
static FgArray
named_array(FunctionCallInfo fcinfo, int argument, const char *name)
{
	return fg_array_argument(fcinfo, argument, psprintf("an element of %s is null", name));
}

/* --- numbers ---------------------------------------------------------------------- */

double *
fg_doubles_argument(FunctionCallInfo fcinfo, int argument, const char *name, size_t *count)
{
	FgArray		array = named_array(fcinfo, argument, name);
	double	   *values = palloc_extended((array.count + 1) * sizeof(double), MCXT_ALLOC_HUGE);
	Datum		value;

	while (fg_array_next(&array, &value))
		values[array.next - 1] = DatumGetFloat8(value);
	*count = (size_t) array.count;
	return values;
}

double *
fg_doubles_or_nan(FunctionCallInfo fcinfo, int argument, size_t *count)
{
	FgContext	ctx = fg_current_context();
	FgArray		array = fg_array_argument(fcinfo, argument, NULL);
	double	   *values = palloc_extended((array.count + 1) * sizeof(double), MCXT_ALLOC_HUGE);

	for (; fg_array_left(&array); array.next++)
		values[array.next] = array.nulls[array.next] ? 0 : DatumGetFloat8(array.elements[array.next]);
	/* not all of them are for a model */
	if (!fg_series_check(&ctx, values, array.count))
		fg_throw(&ctx, "double precision");
	for (array.next = 0; fg_array_left(&array); array.next++)
	{
		if (array.nulls[array.next])
			values[array.next] = NAN;
	}
	*count = (size_t) array.count;
	return values;
}

/* --- texts ------------------------------------------------------------------------ */

FgSpan *
fg_words_argument(FunctionCallInfo fcinfo, int argument, const char *name, int *count)
{
	FgArray		array = named_array(fcinfo, argument, name);
	FgSpan	   *words = palloc_extended((array.count + 1) * sizeof(FgSpan), MCXT_ALLOC_HUGE);
	Datum		word;

	while (fg_array_next(&array, &word))
		words[array.next - 1] = fg_datum_span(word);
	*count = array.count;
	return words;
}

/* Texts one behind the other: text i is bytes[offset[i] .. offset[i] + length[i]). */
typedef struct Texts
{
	const char *bytes;
	size_t		size;
	size_t	   *offset;
	uint32_t   *length;
	uint32_t	count;
} Texts;

static Texts
collect_texts(FgContext *ctx, FgArray *array)
{
	FgBuffer	bytes = {.ctx = ctx};
	Texts		texts = {
		.offset = fg_alloc(ctx, array->count, sizeof(size_t)),
		.length = fg_alloc(ctx, array->count, sizeof(uint32_t))
	};
	Datum		element;

	while (fg_array_next(array, &element))
	{
		FgSpan		text = fg_datum_span(element);

		texts.offset[texts.count] = bytes.size;
		texts.length[texts.count++] = (uint32_t) text.size;
		fg_must(ctx, fg_buffer_append(&bytes, text.bytes, text.size));
	}
	texts.bytes = bytes.data != NULL ? (char *) bytes.data : "";
	texts.size = bytes.size;
	return texts;
}

/* Appends a text that is not the last one of the set. */
static void
add_to_set(FgFrames *set, const char *text, uint32_t length)
{
	uint32_t	n = set->count;

	if (n > 0 && fg_bytes_compare(fg_frame_bytes(set, n - 1), fg_frame_length(set, n - 1), text,
								  length) == 0)
		return;
	memcpy(set->bytes + set->offset[n], text, length);
	set->offset[n + 1] = set->offset[n] + length;
	set->count++;
}

FgFrames
fg_text_set(FgContext *ctx, Datum array, const char *null_message)
{
	FgArray		elements = fg_array(DatumGetArrayTypeP(array), null_message);
	Texts		texts = collect_texts(ctx, &elements);
	uint32_t   *order = fg_alloc(ctx, texts.count, sizeof(uint32_t));
	FgFrames	set;

	fg_must(ctx, fg_frames_sort(ctx, texts.bytes, texts.offset, texts.length, texts.count, order) &&
			fg_frames_alloc(ctx, &set, texts.count, texts.size));
	set.count = 0;
	set.offset[0] = 0;
	for (uint32_t i = 0; i < texts.count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		add_to_set(&set, texts.bytes + texts.offset[order[i]], texts.length[order[i]]);
	}
	return set;
}

/* --- profiles --------------------------------------------------------------------- */

static bool
read_profile(FgContext *ctx, void *arg, size_t i, FgTree *profile)
{
	const Datum *elements = arg;

	fg_datum_tree_owned(ctx, elements[i], profile);
	return true;
}

FgProfiles
fg_profiles_of(Datum *elements, size_t count)
{
	return (FgProfiles) {read_profile, elements, count};
}

FgProfiles
fg_profiles_argument(FunctionCallInfo fcinfo, int argument, const char *name)
{
	FgArray		array = fg_array_argument(fcinfo, argument,
										  psprintf("a profile of \"%s\" is null", name));
	Datum		profile;

	while (fg_array_next(&array, &profile))
		continue;
	return fg_profiles_of(array.elements, (size_t) array.count);
}
