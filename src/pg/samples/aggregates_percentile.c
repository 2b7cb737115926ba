/*
 * aggregates_percentile.c
 *	  percentile() and median(): of each stack over many profiles.
 *
 * The state is an array of profiles, which grows in place as an expanded object, and
 * which other processes and servers know.  Its first element is no input: its only value,
 * that of the empty stack, is the fraction that was asked for.
 */
#include "pg/base/values.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/expandeddatum.h"
#include "utils/lsyscache.h"

#include "core/samples/percentile.h"
#include "pg/base/arrays.h"
#include "pg/base/expanded.h"

static double
check_fraction(double fraction)
{
	if (!(fraction >= 0 && fraction <= 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the fraction of a percentile must be between 0 and 1"),
				 errhint("Shares are fractions: 0.95 is the 95th percentile.")));
	return fraction;
}

static Datum
percentile(const FgProfiles *profiles, double fraction)
{
	FgContext	ctx = fg_current_context();
	FgTree		result;

	fg_must(&ctx, fg_percentile(&ctx, profiles, fraction, &result));
	return fg_tree_datum_free(&ctx, &result);
}

PG_FUNCTION_INFO_V1(flamegraph_percentile);
Datum
flamegraph_percentile(PG_FUNCTION_ARGS)
{
	FgProfiles	profiles = fg_profiles_argument(fcinfo, 0, "profiles");
	double		fraction = check_fraction(PG_GETARG_FLOAT8(1));

	if (profiles.count == 0)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(percentile(&profiles, fraction));
}

/* --- the state -------------------------------------------------------------------------- */

static ExpandedArrayHeader *
append_profile(ExpandedArrayHeader *state, Datum profile)
{
	int			at = state->ndims == 0 ? 1 : state->lbound[0] + state->dims[0];
	Datum		grown = array_set_element(EOHPGetRWDatum(&state->hdr), 1, &at,
										  PointerGetDatum(PG_DETOAST_DATUM(profile)), false, -1,
										  state->typlen, state->typbyval, state->typalign);

	return (ExpandedArrayHeader *) DatumGetEOHP(grown);
}

static Datum
fraction_datum(double fraction)
{
	FgContext	ctx = fg_current_context();
	FgTree		tree;

	fg_must(&ctx, fg_tree_empty(&ctx, &tree));
	tree.self[0] = fraction;
	return fg_tree_datum_free(&ctx, &tree);
}

/* The state as our own object: the one passed when it may be changed, or a copy. */
static ExpandedArrayHeader *
own_state(FunctionCallInfo fcinfo, MemoryContext memory)
{
	Datum		state = PG_GETARG_DATUM(0);

	if (!VARATT_IS_EXTERNAL_EXPANDED_RW(DatumGetPointer(state)))
		state = expand_array(state, memory, NULL);
	return (ExpandedArrayHeader *) DatumGetEOHP(state);
}

static ExpandedArrayHeader *
begin_state(FunctionCallInfo fcinfo, MemoryContext memory, double fraction)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, 1);

	return append_profile(construct_empty_expanded_array(type, memory, NULL),
						  fraction_datum(fraction));
}

/* What a state holds: the elements behind the first one, which says the fraction. */
typedef struct Collected
{
	Datum	   *profiles;
	size_t		count;
	double		fraction;
} Collected;

static Collected
collected_of(Datum state)
{
	AnyArrayType *array = DatumGetAnyArrayP(state);
	Datum	   *elements;
	bool	   *nulls;
	int			count;
	uint32_t	nframes;
	Collected	collected;

	if (VARATT_IS_EXPANDED_HEADER(array))
	{
		deconstruct_expanded_array(&array->xpn);
		elements = array->xpn.dvalues;
		nulls = array->xpn.dnulls;
		count = array->xpn.nelems;
	}
	else
	{
		FgArray		flat = fg_array(&array->flt, NULL);

		elements = flat.elements;
		nulls = flat.nulls;
		count = flat.count;
	}
	for (int i = 0; nulls != NULL && i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("a profile of the state is null")));
	}
	collected.profiles = elements + 1;
	collected.count = count == 0 ? 0 : (size_t) count - 1;
	collected.fraction = count == 0 ? 0
		: check_fraction(fg_datum_facts(elements[0], &nframes).total);
	return collected;
}

/* --- the aggregates ---------------------------------------------------------------------- */

static Datum
accumulate(FunctionCallInfo fcinfo, double fraction)
{
	MemoryContext memory = fg_aggregate_memory(fcinfo);
	ExpandedArrayHeader *state;

	if (PG_ARGISNULL(0))
		state = begin_state(fcinfo, memory, fraction);
	else
		state = own_state(fcinfo, memory);
	return EOHPGetRWDatum(&append_profile(state, PG_GETARG_DATUM(1))->hdr);
}

PG_FUNCTION_INFO_V1(flamegraph_median_accum);
Datum
flamegraph_median_accum(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(1))
		return fg_unchanged_state(fcinfo);
	return accumulate(fcinfo, 0.5);
}

static void
check_same_fraction(double a, double b)
{
	if (a != b)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the fraction of a percentile must be the same in all rows")));
}

PG_FUNCTION_INFO_V1(flamegraph_percentile_accum);
Datum
flamegraph_percentile_accum(PG_FUNCTION_ARGS)
{
	double		fraction;

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		return fg_unchanged_state(fcinfo);
	fraction = check_fraction(PG_GETARG_FLOAT8(2));
	if (!PG_ARGISNULL(0))
	{
		int			first = 1;
		bool		null;
		uint32_t	nframes;
		Datum		element = array_get_element(PG_GETARG_DATUM(0), 1, &first, -1, -1, false,
												TYPALIGN_INT, &null);

		if (!null)
			check_same_fraction(fg_datum_facts(element, &nframes).total, fraction);
	}
	return accumulate(fcinfo, fraction);
}

PG_FUNCTION_INFO_V1(flamegraph_percentile_combine);
Datum
flamegraph_percentile_combine(PG_FUNCTION_ARGS)
{
	MemoryContext memory = fg_aggregate_memory(fcinfo);
	ExpandedArrayHeader *state;
	Collected	more;

	if (PG_ARGISNULL(1))
		return fg_unchanged_state(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_DATUM(PG_GETARG_DATUM(1));
	more = collected_of(PG_GETARG_DATUM(1));
	check_same_fraction(collected_of(PG_GETARG_DATUM(0)).fraction, more.fraction);
	state = own_state(fcinfo, memory);
	for (size_t i = 0; i < more.count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		state = append_profile(state, more.profiles[i]);
	}
	return EOHPGetRWDatum(&state->hdr);
}

PG_FUNCTION_INFO_V1(flamegraph_percentile_final);
Datum
flamegraph_percentile_final(PG_FUNCTION_ARGS)
{
	Collected	collected = collected_of(PG_GETARG_DATUM(0));
	FgProfiles	profiles = fg_profiles_of(collected.profiles, collected.count);

	if (collected.count == 0)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(percentile(&profiles, collected.fraction));
}
