/*
 * energy.c
 *	  The energy-distance test (see energy.h).
 *
 * The sum of all distances is the same for every labelling, so one needs only two sums
 * over the smaller group: of the distances inside it, and of the rows of its members.
 */
#include "core/compare/energy.h"

#include "core/base/random.h"

#include <math.h>
#include <string.h>

/* Statistics that differ by less, relative to their terms, are ties. */
#define TIE 1e-12

typedef struct Labels
{
	FgContext  *ctx;
	const FgDistances *distances;
	size_t		n;
	size_t		k;				/* profiles of the smaller group */
	double	   *row;			/* by profile: the sum of its distances */
	double		all;			/* of all pairs */
	uint32_t   *sorted;			/* the profiles by content */
	uint32_t   *order;			/* and in some order: the first k are the group */
	double		limit;			/* what counts as at least as large */
} Labels;

/*
 * Neither the permutations that are drawn nor the rounding of a sum may depend on the
 * order in which the profiles came.
 */
static void
sort_by_content(Labels *labels)
{
	const uint64_t *content = labels->distances->content;

	for (uint32_t i = 0; i < labels->n; i++)
		labels->sorted[i] = i;
	for (size_t gap = labels->n / 2; gap > 0; gap /= 2)
	{
		for (size_t i = gap; i < labels->n; i++)
		{
			uint32_t	profile = labels->sorted[i];
			size_t		place = i;

			for (; place >= gap && content[labels->sorted[place - gap]] > content[profile];
				 place -= gap)
				labels->sorted[place] = labels->sorted[place - gap];
			labels->sorted[place] = profile;
		}
	}
}

static bool
sum_rows(Labels *labels)
{
	labels->all = 0;
	for (size_t i = 0; i < labels->n; i++)
	{
		const double *distance = fg_distances_of(labels->distances, labels->sorted[i]);
		double		sum = 0;

		if (!fg_check(labels->ctx))
			return false;
		for (size_t j = 0; j < labels->n; j++)
			sum += distance[labels->sorted[j]];
		labels->row[labels->sorted[i]] = sum;
		labels->all += sum / 2;
	}
	return true;
}

static bool
statistic(const Labels *labels, double *result)
{
	double		n = (double) labels->n;
	double		k = (double) labels->k;
	double		inside = 0;
	double		rows = 0;
	double		across;
	double		outside;

	for (size_t i = 0; i < labels->k; i++)
	{
		const double *distance = fg_distances_of(labels->distances, labels->order[i]);
		double		sum = 0;

		for (size_t j = 0; j < i; j++)
			sum += distance[labels->order[j]];
		inside += sum;
		rows += labels->row[labels->order[i]];
		if (!fg_check_every(labels->ctx, i * 64))
			return false;
	}
	across = rows - 2 * inside;
	outside = labels->all - across - inside;
	*result = 2 * across / n - 2 * inside * (n - k) / (k * n) - 2 * outside * k / ((n - k) * n);
	return true;
}

/* --- relabellings ----------------------------------------------------------------- */

/* C(n, k), or something beyond the limit. */
static double
relabellings(size_t n, size_t k)
{
	double		count = 1;

	for (size_t i = 1; i <= k && count <= FG_EXACT_RELABELLINGS; i++)
		count = count * (double) (n - k + i) / (double) i;
	return rint(count);
}

/* The next group of k in lexicographic order; false after the last. */
static bool
next_group(uint32_t *group, size_t k, size_t n)
{
	size_t		i = k;

	while (i > 0 && group[i - 1] == n - k + i - 1)
		i--;
	if (i == 0)
		return false;
	group[i - 1]++;
	for (; i < k; i++)
		group[i] = group[i - 1] + 1;
	return true;
}

static bool
enumerate(Labels *labels, double *p_value)
{
	size_t		count = 0;
	size_t		extreme = 0;
	double		value;

	for (uint32_t i = 0; i < labels->k; i++)
		labels->order[i] = i;
	do
	{
		if (!fg_check_every(labels->ctx, count * 64) || !statistic(labels, &value))
			return false;
		count++;
		extreme += value >= labels->limit;
	} while (next_group(labels->order, labels->k, labels->n));
	*p_value = (double) extreme / (double) count;
	return true;
}

/* Davison and Hinkley (1997), equation 4.11: the observed labelling counts as one more. */
static bool
draw(Labels *labels, uint32_t permutations, uint64_t seed, double *p_value)
{
	size_t		extreme = 0;
	FgRandom	random;
	double		value;

	fg_random_seed(&random, seed);
	memcpy(labels->order, labels->sorted, labels->n * sizeof(uint32_t));
	for (uint32_t i = 0; i < permutations; i++)
	{
		fg_random_shuffle(&random, labels->order, labels->n);
		if (!fg_check(labels->ctx) || !statistic(labels, &value))
			return false;
		extreme += value >= labels->limit;
	}
	*p_value = (double) (extreme + 1) / ((double) permutations + 1);
	return true;
}

/* The group that is observed: the smaller one, else that of the first profile by content. */
static bool
observe(Labels *labels, size_t before, double *result)
{
	bool		equal = before * 2 == labels->n;
	bool		first = equal ? labels->sorted[0] < before : labels->k == before;
	size_t		members = 0;

	for (size_t i = 0; i < labels->n; i++)
	{
		if ((labels->sorted[i] < before) == first)
			labels->order[members++] = labels->sorted[i];
	}
	if (!sum_rows(labels) || !statistic(labels, result))
		return false;
	/* relative to the terms of the statistic, which may cancel */
	labels->limit = *result - TIE * 4 * labels->all / (double) labels->n;
	return true;
}

static bool
run_test(Labels *labels, size_t before, uint32_t permutations, uint64_t seed, FgEnergyTest *test)
{
	sort_by_content(labels);
	test->exact = relabellings(labels->n, labels->k) <= FG_EXACT_RELABELLINGS;
	return observe(labels, before, &test->statistic) &&
		(test->exact ? enumerate(labels, &test->p_value) :
		 draw(labels, permutations, seed, &test->p_value));
}

bool
fg_energy_test(FgContext *ctx, const FgDistances *distances, size_t before,
			   uint32_t permutations, uint64_t seed, FgEnergyTest *test)
{
	size_t		n = distances->count;
	Labels		labels = {
		.ctx = ctx, .distances = distances, .n = n, .k = before <= n - before ? before : n - before
	};
	bool		ok;

	labels.row = fg_alloc(ctx, n, sizeof(double));
	labels.sorted = fg_alloc(ctx, n, sizeof(uint32_t));
	labels.order = fg_alloc(ctx, n, sizeof(uint32_t));
	ok = labels.row != NULL && labels.sorted != NULL && labels.order != NULL &&
		run_test(&labels, before, permutations, seed, test);
	fg_release(ctx, labels.row);
	fg_release(ctx, labels.sorted);
	fg_release(ctx, labels.order);
	return ok;
}
