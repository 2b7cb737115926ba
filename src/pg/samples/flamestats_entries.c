/*
 * flamestats_entries.c
 *	  entries() and stats_level(): what a flamestats holds.
 */
#include "pg/samples/flamestats.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "core/profile/walk.h"
#include "core/samples/moments.h"
#include "pg/base/node_walk.h"
#include "pg/base/rows.h"

typedef struct Entries
{
	FgNodeList	list;
	FgStats		stats;
	FgMoments	moments;
	uint32_t	next;
} Entries;

static Entries *
entries_begin(FuncCallContext *call, Datum value)
{
	Entries    *entries = MemoryContextAllocZero(call->multi_call_memory_ctx, sizeof(Entries));
	FgContext  *ctx = &entries->list.ctx;
	const FgMoments *moments;

	*ctx = fg_context_in(call->multi_call_memory_ctx);
	moments = fg_datum_stats(ctx, value, &entries->stats, &entries->moments);
	if (moments != &entries->moments)
		fg_must(ctx, fg_moments_copy(ctx, moments, &entries->moments));
	entries->list.tree = entries->moments.support;
	entries->list.parents = fg_alloc(ctx, (size_t) entries->list.tree.nnodes + 1,
									 sizeof(uint32_t));
	fg_must(ctx, fg_tree_parents(ctx, &entries->list.tree, entries->list.parents));
	return entries;
}

/* key, n, mean, stddev; sums only know neither n nor stddev. */
PG_FUNCTION_INFO_V1(flamestats_entries);
Datum
flamestats_entries(PG_FUNCTION_ARGS)
{
	FuncCallContext *call;
	Entries    *entries;
	const FgMoments *moments;
	double		n;
	uint32_t	i;
	Datum		values[4];
	bool		nulls[4] = {false};

	if (SRF_IS_FIRSTCALL())
	{
		call = fg_value_per_call_begin(fcinfo);
		call->user_fctx = entries_begin(call, PG_GETARG_DATUM(0));
	}
	call = SRF_PERCALL_SETUP();
	entries = call->user_fctx;
	moments = &entries->moments;
	n = (double) entries->stats.n;
	while (entries->next <= moments->support.nnodes && moments->support.self[entries->next] == 0)
	{
		if (++entries->next % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
	}
	if (entries->next > moments->support.nnodes)
		SRF_RETURN_DONE(call);
	i = entries->next++;
	values[0] = fg_node_list_stack(&entries->list, i);
	if (entries->stats.sums_only)
	{
		values[2] = Float8GetDatum(moments->support.self[i] / n);
		nulls[1] = nulls[3] = true;
	}
	else
	{
		double		k = moments->support.self[i];
		double		variance = n < 2 ? NAN :
			fg_sample_variance(k, moments->sum[i], moments->m2[i], n);

		values[1] = Int64GetDatum((int64) k);
		values[2] = Float8GetDatum(moments->sum[i] / n);
		values[3] = fg_finite_or_null(sqrt(variance), "a deviation", &nulls[3]);
	}
	SRF_RETURN_NEXT(call, HeapTupleGetDatum(heap_form_tuple(call->tuple_desc, values, nulls)));
}

PG_FUNCTION_INFO_V1(flamestats_level);
Datum
flamestats_level(PG_FUNCTION_ARGS)
{
	FgStats		stats = fg_datum_stats_header(PG_GETARG_DATUM(0));

	PG_RETURN_TEXT_P(cstring_to_text(fg_level_word(stats.level)));
}
