/*
 * type_order.c
 *	  Comparison and hashing of our types: all are canonical, so all are compared
 *	  and hashed by their bytes, which of profiles, series and statistics are the encoded
 *	  form's.  No collation plays a part.
 */
#include "pg/base/values.h"

#include "access/detoast.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "port/pg_bswap.h"
#include "utils/uuid.h"

#include "core/profile/frames.h"
#include "core/profile/path.h"
#include "core/samples/stats.h"
#include "core/series/flameseries_codec.h"
#include "pg/base/stored.h"

/* A type whose values may be stored compressed. */
typedef struct StoredType
{
	const char *name;
	const FgEncoding *encoding;
} StoredType;

static const StoredType flamegraph = {"flamegraph", &fg_codec_encoding};
static const StoredType flameseries = {"flameseries", &fg_flameseries_encoding};
static const StoredType flamestats = {"flamestats", &fg_stats_encoding};

/* Bytes compared or hashed between two interrupt checks. */
#define BLOCK_BYTES FG_CHECK_BYTES

static int
compare_bytes(const char *a, size_t alen, const char *b, size_t blen)
{
	size_t		shorter = Min(alen, blen);

	for (size_t done = 0; done < shorter; done += BLOCK_BYTES)
	{
		int			order = memcmp(a + done, b + done, Min(shorter - done, BLOCK_BYTES));

		if (order != 0)
			return order;
		CHECK_FOR_INTERRUPTS();
	}
	return (alen > blen) - (alen < blen);
}

static int
compare_varlenas(const struct varlena *left, const struct varlena *right)
{
	int			order = compare_bytes(VARDATA_ANY(left), VARSIZE_ANY_EXHDR(left),
									  VARDATA_ANY(right), VARSIZE_ANY_EXHDR(right));

	return (order > 0) - (order < 0);
}

/*
 * Sorts and index scans call these in a context that lives as long as they do:
 * copies made by detoasting are given back at once, as core's types do.
 */
static int
compare_arguments(FunctionCallInfo fcinfo)
{
	struct varlena *left = PG_GETARG_VARLENA_PP(0);
	struct varlena *right = PG_GETARG_VARLENA_PP(1);
	int			order = compare_varlenas(left, right);

	PG_FREE_IF_COPY(left, 0);
	PG_FREE_IF_COPY(right, 1);
	return order;
}

/* Values of different length differ, which needs no detoasting. */
static bool
arguments_equal(FunctionCallInfo fcinfo)
{
	if (toast_raw_datum_size(PG_GETARG_DATUM(0)) != toast_raw_datum_size(PG_GETARG_DATUM(1)))
		return false;
	return compare_arguments(fcinfo) == 0;
}

static struct varlena *
encoded_argument(FunctionCallInfo fcinfo, int argument, const StoredType *type)
{
	return fg_datum_encoded(PG_GETARG_DATUM(argument), type->encoding, type->name);
}

static int
compare_values(FunctionCallInfo fcinfo, const StoredType *type)
{
	struct varlena *left = encoded_argument(fcinfo, 0, type);
	struct varlena *right = encoded_argument(fcinfo, 1, type);
	int			order = compare_varlenas(left, right);

	PG_FREE_IF_COPY(left, 0);
	PG_FREE_IF_COPY(right, 1);
	return order;
}

/* Most values that differ do so in their headers, which needs no detoasting. */
static bool
values_equal(FunctionCallInfo fcinfo, const StoredType *type)
{
	size_t		header = type->encoding->header;
	struct varlena *left = fg_datum_start(PG_GETARG_DATUM(0), type->encoding, type->name, header);
	struct varlena *right = fg_datum_start(PG_GETARG_DATUM(1), type->encoding, type->name, header);
	bool		equal = compare_varlenas(left, right) == 0;

	pfree(left);
	pfree(right);
	return equal && compare_values(fcinfo, type) == 0;
}

PG_FUNCTION_INFO_V1(stackpath_eq);
Datum
stackpath_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(arguments_equal(fcinfo));
}

PG_FUNCTION_INFO_V1(stackpath_ne);
Datum
stackpath_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!arguments_equal(fcinfo));
}

PG_FUNCTION_INFO_V1(stackpath_lt);
Datum
stackpath_lt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_arguments(fcinfo) < 0);
}

PG_FUNCTION_INFO_V1(stackpath_le);
Datum
stackpath_le(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_arguments(fcinfo) <= 0);
}

PG_FUNCTION_INFO_V1(stackpath_gt);
Datum
stackpath_gt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_arguments(fcinfo) > 0);
}

PG_FUNCTION_INFO_V1(stackpath_ge);
Datum
stackpath_ge(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_arguments(fcinfo) >= 0);
}

PG_FUNCTION_INFO_V1(flamegraph_eq);
Datum
flamegraph_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(values_equal(fcinfo, &flamegraph));
}

PG_FUNCTION_INFO_V1(flamegraph_ne);
Datum
flamegraph_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!values_equal(fcinfo, &flamegraph));
}

PG_FUNCTION_INFO_V1(flamegraph_lt);
Datum
flamegraph_lt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_values(fcinfo, &flamegraph) < 0);
}

PG_FUNCTION_INFO_V1(flamegraph_le);
Datum
flamegraph_le(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_values(fcinfo, &flamegraph) <= 0);
}

PG_FUNCTION_INFO_V1(flamegraph_gt);
Datum
flamegraph_gt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_values(fcinfo, &flamegraph) > 0);
}

PG_FUNCTION_INFO_V1(flamegraph_ge);
Datum
flamegraph_ge(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_values(fcinfo, &flamegraph) >= 0);
}

PG_FUNCTION_INFO_V1(flameseries_eq);
Datum
flameseries_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(values_equal(fcinfo, &flameseries));
}

PG_FUNCTION_INFO_V1(flameseries_ne);
Datum
flameseries_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!values_equal(fcinfo, &flameseries));
}

PG_FUNCTION_INFO_V1(flameseries_lt);
Datum
flameseries_lt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_values(fcinfo, &flameseries) < 0);
}

PG_FUNCTION_INFO_V1(flameseries_le);
Datum
flameseries_le(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_values(fcinfo, &flameseries) <= 0);
}

PG_FUNCTION_INFO_V1(flameseries_gt);
Datum
flameseries_gt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_values(fcinfo, &flameseries) > 0);
}

PG_FUNCTION_INFO_V1(flameseries_ge);
Datum
flameseries_ge(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_values(fcinfo, &flameseries) >= 0);
}

PG_FUNCTION_INFO_V1(flamestats_eq);
Datum
flamestats_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(values_equal(fcinfo, &flamestats));
}

PG_FUNCTION_INFO_V1(flamestats_ne);
Datum
flamestats_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!values_equal(fcinfo, &flamestats));
}

PG_FUNCTION_INFO_V1(stackquery_eq);
Datum
stackquery_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(arguments_equal(fcinfo));
}

PG_FUNCTION_INFO_V1(stackquery_ne);
Datum
stackquery_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!arguments_equal(fcinfo));
}

PG_FUNCTION_INFO_V1(stackquery_lt);
Datum
stackquery_lt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_arguments(fcinfo) < 0);
}

PG_FUNCTION_INFO_V1(stackquery_le);
Datum
stackquery_le(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_arguments(fcinfo) <= 0);
}

PG_FUNCTION_INFO_V1(stackquery_gt);
Datum
stackquery_gt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_arguments(fcinfo) > 0);
}

PG_FUNCTION_INFO_V1(stackquery_ge);
Datum
stackquery_ge(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_arguments(fcinfo) >= 0);
}

/*
 * Each block is hashed with the hash of those before it as seed, so up to a
 * megabyte this is PostgreSQL's hash of the bytes.
 */
static uint64
hash_bytes_blockwise(const unsigned char *bytes, size_t size, uint64 seed)
{
	size_t		done = 0;

	do
	{
		int			block = (int) Min(size - done, BLOCK_BYTES);

		seed = DatumGetUInt64(hash_any_extended(bytes + done, block, seed));
		done += (size_t) block;
		CHECK_FOR_INTERRUPTS();
	} while (done < size);
	return seed;
}

static uint64
hash_varlena(const struct varlena *value, uint64 seed)
{
	return hash_bytes_blockwise((const unsigned char *) VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value), seed);
}

static uint64
hash_argument(FunctionCallInfo fcinfo, uint64 seed)
{
	struct varlena *value = PG_GETARG_VARLENA_PP(0);
	uint64		hash = hash_varlena(value, seed);

	PG_FREE_IF_COPY(value, 0);
	return hash;
}

static uint64
hash_value(FunctionCallInfo fcinfo, const StoredType *type, uint64 seed)
{
	struct varlena *value = encoded_argument(fcinfo, 0, type);
	uint64		hash = hash_varlena(value, seed);

	PG_FREE_IF_COPY(value, 0);
	return hash;
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
	PG_RETURN_UINT32((uint32) hash_argument(fcinfo, 0));
}

PG_FUNCTION_INFO_V1(stackpath_hash_extended);
Datum
stackpath_hash_extended(PG_FUNCTION_ARGS)
{
	PG_RETURN_UINT64(hash_argument(fcinfo, (uint64) PG_GETARG_INT64(1)));
}

PG_FUNCTION_INFO_V1(flamegraph_cmp);
Datum
flamegraph_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(compare_values(fcinfo, &flamegraph));
}

PG_FUNCTION_INFO_V1(flamegraph_hash);
Datum
flamegraph_hash(PG_FUNCTION_ARGS)
{
	PG_RETURN_UINT32((uint32) hash_value(fcinfo, &flamegraph, 0));
}

PG_FUNCTION_INFO_V1(flamegraph_hash_extended);
Datum
flamegraph_hash_extended(PG_FUNCTION_ARGS)
{
	PG_RETURN_UINT64(hash_value(fcinfo, &flamegraph, (uint64) PG_GETARG_INT64(1)));
}

/* Both halves of one look at the bytes: they are unpacked and read once. */
PG_FUNCTION_INFO_V1(flamegraph_content_hash);
Datum
flamegraph_content_hash(PG_FUNCTION_ARGS)
{
	struct varlena *value = encoded_argument(fcinfo, 0, &flamegraph);
	pg_uuid_t  *result = palloc(sizeof(pg_uuid_t));

	for (int half = 0; half < 2; half++)
	{
		uint64		hash = pg_hton64(hash_varlena(value, half + 1));

		memcpy(result->data + half * sizeof(hash), &hash, sizeof(hash));
	}
	PG_FREE_IF_COPY(value, 0);
	PG_RETURN_UUID_P(result);
}

PG_FUNCTION_INFO_V1(flameseries_cmp);
Datum
flameseries_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(compare_values(fcinfo, &flameseries));
}

PG_FUNCTION_INFO_V1(flameseries_hash);
Datum
flameseries_hash(PG_FUNCTION_ARGS)
{
	PG_RETURN_UINT32((uint32) hash_value(fcinfo, &flameseries, 0));
}

PG_FUNCTION_INFO_V1(flameseries_hash_extended);
Datum
flameseries_hash_extended(PG_FUNCTION_ARGS)
{
	PG_RETURN_UINT64(hash_value(fcinfo, &flameseries, (uint64) PG_GETARG_INT64(1)));
}

/* --- ancestors and descendants --------------------------------------------- */

static bool
contains(FunctionCallInfo fcinfo, int ancestor)
{
	struct varlena *a = PG_GETARG_VARLENA_PP(ancestor);
	struct varlena *b = PG_GETARG_VARLENA_PP(1 - ancestor);
	bool		result = fg_path_contains(VARDATA_ANY(a), VARSIZE_ANY_EXHDR(a),
										  VARDATA_ANY(b), VARSIZE_ANY_EXHDR(b));

	PG_FREE_IF_COPY(a, ancestor);
	PG_FREE_IF_COPY(b, 1 - ancestor);
	return result;
}

PG_FUNCTION_INFO_V1(stackpath_contains);
Datum
stackpath_contains(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(contains(fcinfo, 0));
}

PG_FUNCTION_INFO_V1(stackpath_contained);
Datum
stackpath_contained(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(contains(fcinfo, 1));
}

PG_FUNCTION_INFO_V1(stackquery_cmp);
Datum
stackquery_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(compare_arguments(fcinfo));
}

PG_FUNCTION_INFO_V1(stackquery_hash);
Datum
stackquery_hash(PG_FUNCTION_ARGS)
{
	PG_RETURN_UINT32((uint32) hash_argument(fcinfo, 0));
}

PG_FUNCTION_INFO_V1(stackquery_hash_extended);
Datum
stackquery_hash_extended(PG_FUNCTION_ARGS)
{
	PG_RETURN_UINT64(hash_argument(fcinfo, (uint64) PG_GETARG_INT64(1)));
}
