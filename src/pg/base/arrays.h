/*
 * arrays.h
 *	  Arrays as arguments.
 */
#ifndef FG_ARRAYS_H
#define FG_ARRAYS_H

#include "pg/base/values.h"

#include "miscadmin.h"
#include "utils/array.h"

#include "core/samples/profiles.h"

/* --- one element after the other --------------------------------------------- */

/*
 * The elements of an array, however many dimensions it has.  They stay where they are in
 * the detoasted array.
 */
typedef struct FgArray
{
	Datum	   *elements;
	bool	   *nulls;
	int			count;
	int			next;			/* the element that comes next */
	const char *null_message;	/* the error about one that is null */
	const char *null_hint;		/* its hint, or NULL */
} FgArray;

/* No message is needed where null elements are no error. */
extern FgArray fg_array(ArrayType *array, const char *null_message);

/* The same for an argument; a null array is an empty one. */
extern FgArray fg_array_argument(FunctionCallInfo fcinfo, int argument, const char *null_message);

pg_noreturn extern void fg_throw_null_element(const FgArray *array);

/* Is there an element left?  Checks for interrupts. */
static inline bool
fg_array_left(const FgArray *array)
{
	CHECK_FOR_INTERRUPTS();
	return array->next < array->count;
}

/* Gives the next element, and false after the last one; a null one is error 22004. */
static inline bool
fg_array_next(FgArray *array, Datum *element)
{
	if (!fg_array_left(array))
		return false;
	if (array->nulls[array->next])
		fg_throw_null_element(array);
	*element = array->elements[array->next++];
	return true;
}

/* --- whole arrays ---------------------------------------------------------------- */

/* One float8[] argument whose elements may not be null. */
extern double *fg_doubles_argument(FunctionCallInfo fcinfo, int argument, const char *name,
								   size_t *count);

/* The same with NaN for null elements; those that are NaN or infinite are errors 22003. */
extern double *fg_doubles_or_nan(FunctionCallInfo fcinfo, int argument, size_t *count);

/* The elements of a text[] argument, none of them null. */
extern FgSpan *fg_words_argument(FunctionCallInfo fcinfo, int argument, const char *name,
								 int *count);

/*
 * The texts of a text[] as a dictionary: sorted bytewise, each once.  A null element
 * is error 22004 with this message.
 */
extern FgFrames fg_text_set(FgContext *ctx, Datum array, const char *null_message);

/*
 * A flamegraph[] argument, decoded one element at a time (core/samples/profiles.h).
 */
extern FgProfiles fg_profiles_argument(FunctionCallInfo fcinfo, int argument, const char *name);

/* The same for values at hand, none of them null. */
extern FgProfiles fg_profiles_of(Datum *elements, size_t count);

#endif							/* FG_ARRAYS_H */
