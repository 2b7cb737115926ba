/*
 * history_origins.c
 *	  change_origins(): of changes that contain each other those that explain the others
 *	  (core/compare/origins.h).
 */
#include "pg/base/arguments.h"

#include "catalog/pg_type.h"

#include "core/compare/origins.h"
#include "pg/base/arrays.h"

/* The paths stay where the array has them. */
static FgOriginKey *
read_keys(FgArray *array)
{
	FgOriginKey *keys = palloc(((size_t) array->count + 1) * sizeof(FgOriginKey));
	Datum		element;
	int			count = 0;

	while (fg_array_next(array, &element))
	{
		FgSpan		path = fg_datum_span(element);

		keys[count++] = (FgOriginKey) {path.bytes, path.size, true};
	}
	return keys;
}

PG_FUNCTION_INFO_V1(flamegraph_change_origins);
Datum
flamegraph_change_origins(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	FgLevel		level = fg_level_argument(fcinfo, 2);
	FgArray		paths = fg_array(array, "a key of the array is null");
	FgOriginKey *keys = read_keys(&paths);
	FgTree		storage;
	int			count = 0;

	/* Keys of the other levels contain nothing but themselves. */
	if (level == FG_LEVEL_FRAME || level == FG_LEVEL_NODE)
		fg_must(&ctx, fg_origins(&ctx, fg_datum_tree(&ctx, PG_GETARG_DATUM(1), &storage), level,
								 keys, (uint32_t) paths.count));
	for (int i = 0; i < paths.count; i++)
	{
		if (keys[i].stays)
			paths.elements[count++] = paths.elements[i];
	}
	PG_RETURN_ARRAYTYPE_P(construct_array(paths.elements, count, ARR_ELEMTYPE(array), -1, false,
										  TYPALIGN_INT));
}
