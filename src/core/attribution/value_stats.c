/*
 * value_stats.c
 *	  Moments and quantiles of values with multiplicities (see value_stats.h).
 */
#include "core/attribution/value_stats.h"

#include "core/base/bytes.h"
#include "core/base/series.h"

#include <math.h>

bool
fg_values_add(FgContext *ctx, FgValues *values, double value, uint64_t times)
{
	if (!fg_reserve(ctx, (void **) &values->values, &values->value_capacity, values->count + 1,
					sizeof(double)) ||
		!fg_reserve(ctx, (void **) &values->times, &values->times_capacity, values->count + 1,
					sizeof(uint64_t)))
		return false;
	values->values[values->count] = value;
	values->times[values->count++] = times;
	return fg_steps(ctx, 1);
}

void
fg_values_free(FgContext *ctx, FgValues *values)
{
	fg_release(ctx, values->values);
	fg_release(ctx, values->times);
	*values = (FgValues) {.values = NULL};
}

/* The value of this rank, counted from 0, of values in this order. */
static double
value_at(const FgValues *values, const FgSortKey *order, uint64_t rank)
{
	size_t		i = 0;

	while (i + 1 < values->count && rank >= values->times[order[i].item])
		rank -= values->times[order[i++].item];
	return values->values[order[i].item];
}

static double
quantile(const FgValues *values, const FgSortKey *order, uint64_t n, double p)
{
	double		position = p * (double) (n - 1);
	double		below = floor(position);
	double		low = value_at(values, order, (uint64_t) below);
	double		high = value_at(values, order, (uint64_t) ceil(position));

	return low + (position - below) * (high - low);
}

static bool
sort(FgContext *ctx, const FgValues *values, FgSortKey *keys, FgSortKey *spare)
{
	/* the bits of doubles that are not negative stand in the order of the numbers */
	for (size_t i = 0; i < values->count; i++)
		keys[i] = (FgSortKey) {(int64_t) fg_double_bits(values->values[i] + 0.0), (uint32_t) i};
	return fg_sort_keys(ctx, keys, values->count, spare);
}

static void
add_moments(const FgValues *values, FgValueStats *stats)
{
	FgDouble2	sum = {0, 0};
	FgDouble2	squares = {0, 0};

	for (size_t i = 0; i < values->count; i++)
	{
		fg_sum_twice(&sum, values->values[i] * (double) values->times[i]);
		stats->n += values->times[i];
	}
	stats->sum = sum.high + sum.low;
	stats->mean = stats->n > 0 ? stats->sum / (double) stats->n : NAN;
	for (size_t i = 0; i < values->count; i++)
	{
		double		deviation = values->values[i] - stats->mean;

		fg_sum_twice(&squares, deviation * deviation * (double) values->times[i]);
	}
	stats->sd = stats->n > 1 ?
		sqrt((squares.high + squares.low) / (double) (stats->n - 1)) : NAN;
	stats->cv = stats->mean > 0 ? stats->sd / stats->mean : NAN;
}

bool
fg_values_stats(FgContext *ctx, const FgValues *values, FgValueStats *stats)
{
	FgSortKey  *keys = fg_alloc(ctx, values->count, sizeof(FgSortKey));
	FgSortKey  *spare = fg_alloc(ctx, values->count, sizeof(FgSortKey));
	bool		ok = keys != NULL && spare != NULL && sort(ctx, values, keys, spare);

	*stats = (FgValueStats) {.n = 0};
	add_moments(values, stats);
	for (int i = 0; ok && i < 5; i++)
		stats->quartiles[i] = stats->n > 0 ? quantile(values, keys, stats->n, i / 4.0) : NAN;
	fg_release(ctx, keys);
	fg_release(ctx, spare);
	return ok && fg_steps(ctx, values->count * 4);
}
