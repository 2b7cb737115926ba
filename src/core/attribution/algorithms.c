/*
 * algorithms.c
 *	  Single steps of the analysis (see algorithms.h).
 */
#include "core/attribution/algorithms.h"

#include <stdlib.h>

#define FG_MOST_SUBPHASES 65536

bool
fg_algorithm1(FgContext *ctx, double mean, double capacity, const double *greedy,
			  const uint32_t *sinks, uint32_t count, FgSamples *samples)
{
	FgFiller	filler = {.ctx = ctx};
	FgSegment  *segments = fg_alloc(ctx, (size_t) count + 1, sizeof(FgSegment));
	bool		ok = segments != NULL && fg_samples_reserve(ctx, samples, count);

	for (uint32_t i = 0; ok && i <= count; i++)
	{
		ok = fg_check_every(ctx, i);
		segments[i] = (FgSegment) {
			i, i < count ? greedy[i] : 0, i < count ? sinks[i] : 0, 0
		};
	}
	ok = ok && (count == 0 || fg_upsample_period(&filler, segments, 0, count, capacity, mean,
												 samples));
	fg_filler_free(&filler);
	fg_release(ctx, segments);
	return ok;
}

static int
compare_names(const void *a, const void *b)
{
	return fg_span_compare(((const FgSubphase *) a)->name, ((const FgSubphase *) b)->name);
}

/* Asks a function about subphases in the order of their types. */
static bool
ask(FgContext *ctx, const FgPredicate *predicate, const FgPredicateFunctions *functions,
	FgSpan resource_type, const FgSubphase *subphases, size_t count, bool *holds)
{
	FgPartCount *parts = fg_alloc_zero(ctx, count, sizeof(FgPartCount));
	FgPredicateQuestion question = {.resource_name = resource_type, .parts = parts};
	size_t		defined = 0;
	bool		ok = parts != NULL && functions->find(functions->arg, predicate->name,
													  &question.function);

	*holds = false;
	for (size_t i = 0; ok && i < count; i++)
	{
		FgPartCount *at;

		if (i == 0 || compare_names(&subphases[i], &subphases[i - 1]) != 0)
		{
			parts[question.count] = (FgPartCount) {
				.name = subphases[i].name, .type = question.count
			};
			question.count++;
		}
		at = &parts[question.count - 1];
		at->all++;
		at->defined += subphases[i].defined;
		at->limited += subphases[i].defined && subphases[i].bottlenecked;
		defined += subphases[i].defined;
	}
	ok = ok && (defined == 0 || functions->ask(functions->arg, &question, holds));
	fg_release(ctx, parts);
	return ok;
}

bool
fg_predicate_of(FgContext *ctx, const FgPredicate *predicate,
				const FgPredicateFunctions *functions, FgSpan resource_type,
				FgSubphase *subphases, size_t count, bool *holds)
{
	uint32_t	defined = 0;
	uint32_t	bottlenecked = 0;

	/* values of an array that a user wrote: not many, and qsort() does not poll */
	if (count > FG_MOST_SUBPHASES)
		return fg_fail(ctx, FG_ERROR_LIMIT, "more than %d subphases", FG_MOST_SUBPHASES);
	if (count > 1)
		qsort(subphases, count, sizeof(FgSubphase), compare_names);
	if (predicate->kind == FG_PREDICATE_FUNCTION)
		return fg_steps(ctx, count) &&
			ask(ctx, predicate, functions, resource_type, subphases, count, holds);
	*holds = false;
	for (size_t i = 0; i < count && !*holds; i++)
	{
		if (predicate->by_type && i > 0 && compare_names(&subphases[i], &subphases[i - 1]) != 0)
		{
			*holds = fg_predicate_holds(predicate, defined, bottlenecked);
			defined = bottlenecked = 0;
		}
		defined += subphases[i].defined;
		bottlenecked += subphases[i].defined && subphases[i].bottlenecked;
	}
	*holds = *holds || fg_predicate_holds(predicate, defined, bottlenecked);
	return fg_steps(ctx, count);
}
