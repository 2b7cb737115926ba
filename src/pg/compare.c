/*
 * compare.c
 *	  Comparison and hashing of stackpath and flamegraph: both are canonical, so
 *	  both are compared and hashed by their bytes.  No collation plays a part.
 */
#include "glue.h"

#include "access/detoast.h"
#include "common/hashfn.h"

#include "core/frames.h"
#include "core/path.h"

static int
compare_arguments(FunctionCallInfo fcinfo)
{
	Datum		a = PG_GETARG_DATUM(0);
	Datum		b = PG_GETARG_DATUM(1);
	FgSpan		left = fg_datum_span(a);
	FgSpan		right = fg_datum_span(b);
	int			order = fg_bytes_compare(left.bytes, left.size, right.bytes, right.size);

	return (order > 0) - (order < 0);
}

/* Values of different length differ, which needs no detoasting. */
static bool
arguments_equal(FunctionCallInfo fcinfo)
{
	if (toast_raw_datum_size(PG_GETARG_DATUM(0)) != toast_raw_datum_size(PG_GETARG_DATUM(1)))
		return false;
	return compare_arguments(fcinfo) == 0;
}

#define COMPARISON(type, name, test) \
	PG_FUNCTION_INFO_V1(type##_##name); \
	Datum \
	type##_##name(PG_FUNCTION_ARGS) \
	{ \
		PG_RETURN_BOOL(test); \
	} \
	extern int	fg_no_semicolon

COMPARISON(stackpath, eq, arguments_equal(fcinfo));
COMPARISON(stackpath, ne, !arguments_equal(fcinfo));
COMPARISON(stackpath, lt, compare_arguments(fcinfo) < 0);
COMPARISON(stackpath, le, compare_arguments(fcinfo) <= 0);
COMPARISON(stackpath, gt, compare_arguments(fcinfo) > 0);
COMPARISON(stackpath, ge, compare_arguments(fcinfo) >= 0);
COMPARISON(flamegraph, eq, arguments_equal(fcinfo));
COMPARISON(flamegraph, ne, !arguments_equal(fcinfo));
COMPARISON(flamegraph, lt, compare_arguments(fcinfo) < 0);
COMPARISON(flamegraph, le, compare_arguments(fcinfo) <= 0);
COMPARISON(flamegraph, gt, compare_arguments(fcinfo) > 0);
COMPARISON(flamegraph, ge, compare_arguments(fcinfo) >= 0);
COMPARISON(flamestats, eq, arguments_equal(fcinfo));
COMPARISON(flamestats, ne, !arguments_equal(fcinfo));

static Datum
hash_argument(FunctionCallInfo fcinfo)
{
	FgSpan		bytes = PG_GETARG_SPAN(0);

	return hash_any((const unsigned char *) bytes.bytes, (int) bytes.size);
}

static Datum
hash_argument_extended(FunctionCallInfo fcinfo)
{
	FgSpan		bytes = PG_GETARG_SPAN(0);

	return hash_any_extended((const unsigned char *) bytes.bytes, (int) bytes.size,
							 (uint64) PG_GETARG_INT64(1));
}

PG_FUNCTION_INFO_V1(stackpath_cmp);
Datum
stackpath_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(compare_arguments(fcinfo));
}

PG_FUNCTION_INFO_V1(stackpath_hash);
Datum
stackpath_hash(PG_FUNCTION_ARGS)
{
	return hash_argument(fcinfo);
}

PG_FUNCTION_INFO_V1(stackpath_hash_extended);
Datum
stackpath_hash_extended(PG_FUNCTION_ARGS)
{
	return hash_argument_extended(fcinfo);
}

PG_FUNCTION_INFO_V1(flamegraph_cmp);
Datum
flamegraph_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(compare_arguments(fcinfo));
}

PG_FUNCTION_INFO_V1(flamegraph_hash);
Datum
flamegraph_hash(PG_FUNCTION_ARGS)
{
	return hash_argument(fcinfo);
}

PG_FUNCTION_INFO_V1(flamegraph_hash_extended);
Datum
flamegraph_hash_extended(PG_FUNCTION_ARGS)
{
	return hash_argument_extended(fcinfo);
}

/* --- ancestors and descendants --------------------------------------------- */

PG_FUNCTION_INFO_V1(stackpath_contains);
Datum
stackpath_contains(PG_FUNCTION_ARGS)
{
	FgSpan		a = PG_GETARG_SPAN(0);
	FgSpan		b = PG_GETARG_SPAN(1);

	PG_RETURN_BOOL(fg_path_contains(a.bytes, a.size, b.bytes, b.size));
}

PG_FUNCTION_INFO_V1(stackpath_contained);
Datum
stackpath_contained(PG_FUNCTION_ARGS)
{
	FgSpan		a = PG_GETARG_SPAN(0);
	FgSpan		b = PG_GETARG_SPAN(1);

	PG_RETURN_BOOL(fg_path_contains(b.bytes, b.size, a.bytes, a.size));
}
