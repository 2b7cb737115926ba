/*
 * precedence.c
 *	  A topological order of phase types (see precedence.h).
 */
#include "core/jobs/precedence.h"

/* Lists by one end of each precedence the other one: in list[first[t] ..] those of type t. */
static bool
list_ends(FgContext *ctx, const FgJob *job, bool by_after, uint32_t *first, uint32_t *list)
{
	uint32_t	sum = 0;

	for (uint32_t i = 0; i < job->precedence_count; i++)
		first[by_after ? job->precedences[i].after : job->precedences[i].before]++;
	for (uint32_t t = 0; t <= job->phase_type_count; t++)
	{
		sum += first[t];
		first[t] = sum;
	}
	for (uint32_t i = job->precedence_count; i-- > 0;)
	{
		FgPrecedence p = job->precedences[i];

		list[--first[by_after ? p.after : p.before]] = by_after ? p.before : p.after;
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

/*
 * Types that wait for nothing, then those that wait for nothing else (Kahn 1962).  Of types
 * that stand equally the one with the smaller index comes first only by chance of the
 * queue, which is the same each time.
 */
static bool
sort_all(FgContext *ctx, const FgJob *job, const FgPrecedenceOrder *order, uint32_t *queue,
		 uint32_t *waits)
{
	uint32_t	types = job->phase_type_count;
	uint32_t   *first = fg_alloc_zero(ctx, (size_t) types + 1, sizeof(uint32_t));
	uint32_t   *after = fg_alloc(ctx, job->precedence_count, sizeof(uint32_t));
	bool		ok = first != NULL && after != NULL && list_ends(ctx, job, false, first, after);
	uint32_t	end = 0;

	for (uint32_t t = 0; ok && t < types; t++)
	{
		waits[t] = order->first_before[t + 1] - order->first_before[t];
		if (waits[t] == 0)
			queue[end++] = t;
	}
	for (uint32_t i = 0; ok && i < end; i++)
	{
		for (uint32_t a = first[queue[i]]; a < first[queue[i] + 1]; a++)
		{
			if (--waits[after[a]] == 0)
				queue[end++] = after[a];
		}
		ok = fg_steps(ctx, first[queue[i] + 1] - first[queue[i]] + 1);
	}
	fg_release(ctx, first);
	fg_release(ctx, after);
	if (ok && end < types)
		return fg_fail(ctx, FG_ERROR_ARGUMENT, "the precedence of phase types has a cycle");
	return ok;
}

/* The sorted types by their parents. */
static void
group_by_parent(const FgJob *job, const uint32_t *sorted, FgPrecedenceOrder *order)
{
	uint32_t	types = job->phase_type_count;
	uint32_t	sum = 0;

	for (uint32_t t = 0; t < types; t++)
	{
		if (job->phase_types[t].parent != FG_NONE)
			order->first[job->phase_types[t].parent]++;
	}
	for (uint32_t t = 0; t <= types; t++)
	{
		sum += order->first[t];
		order->first[t] = sum;
	}
	for (uint32_t i = types; i-- > 0;)
	{
		uint32_t	parent = job->phase_types[sorted[i]].parent;

		if (parent != FG_NONE)
			order->type[--order->first[parent]] = sorted[i];
	}
	for (uint32_t t = 0; t < types; t++)
	{
		for (uint32_t i = order->first[t]; i < order->first[t + 1]; i++)
			order->place[order->type[i]] = i - order->first[t];
	}
}

bool
fg_precedence_order(FgContext *ctx, const FgJob *job, FgPrecedenceOrder *order)
{
	uint32_t	types = job->phase_type_count;
	uint32_t   *sorted = fg_alloc(ctx, types, sizeof(uint32_t));
	uint32_t   *waits = fg_alloc(ctx, types, sizeof(uint32_t));
	bool		ok;

	*order = (FgPrecedenceOrder) {
		.type = fg_alloc(ctx, types, sizeof(uint32_t)),
		.first = fg_alloc_zero(ctx, (size_t) types + 1, sizeof(uint32_t)),
		.place = fg_alloc(ctx, types, sizeof(uint32_t)),
		.before = fg_alloc(ctx, job->precedence_count, sizeof(uint32_t)),
		.first_before = fg_alloc_zero(ctx, (size_t) types + 1, sizeof(uint32_t))
	};
	ok = sorted != NULL && waits != NULL && order->type != NULL && order->first != NULL &&
		order->place != NULL && order->before != NULL && order->first_before != NULL &&
		list_ends(ctx, job, true, order->first_before, order->before) &&
		sort_all(ctx, job, order, sorted, waits);
	if (ok)
		group_by_parent(job, sorted, order);
	fg_release(ctx, sorted);
	fg_release(ctx, waits);
	return ok;
}

void
fg_precedence_order_free(FgContext *ctx, FgPrecedenceOrder *order)
{
	fg_release(ctx, order->type);
	fg_release(ctx, order->first);
	fg_release(ctx, order->place);
	fg_release(ctx, order->before);
	fg_release(ctx, order->first_before);
}
