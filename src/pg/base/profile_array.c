/*
 * profile_array.c
 *	  Arguments of type flamegraph[] (see profile_array.h).
 */
#include "pg/base/profile_array.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

static bool
read_element(FgContext *ctx, void *arg, size_t i, FgTree *profile)
{
	const Datum *elements = arg;

	fg_datum_tree_owned(ctx, elements[i], profile);
	return true;
}

/* The array is detoasted, its elements stay where they are in it. */
FgProfiles
fg_profiles_argument(FunctionCallInfo fcinfo, int argument, const char *name)
{
	FgProfiles	profiles = {.read = read_element};
	ArrayType  *array;
	Datum	   *elements;
	bool	   *nulls;
	int			count;
	int16		length;
	bool		by_value;
	char		alignment;

	if (PG_ARGISNULL(argument))
		return profiles;
	array = PG_GETARG_ARRAYTYPE_P(argument);
	get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &by_value, &alignment);
	deconstruct_array(array, ARR_ELEMTYPE(array), length, by_value, alignment, &elements, &nulls,
					  &count);
	for (int i = 0; i < count; i++)
	{
		if (i % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("a profile of \"%s\" is null", name),
					 errhint("array_remove(..., NULL) takes nulls out.")));
	}
	profiles.arg = elements;
	profiles.count = (size_t) count;
	return profiles;
}
