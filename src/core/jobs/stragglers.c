/*
 * stragglers.c
 *	  Medians of groups of siblings, and who is above them (see stragglers.h).
 */
#include "core/jobs/stragglers.h"

#include "core/jobs/keys_sort.h"

#include <math.h>

typedef struct Finder
{
	FgContext  *ctx;
	const FgJob *job;
	double		threshold;
	FgStragglerEmit emit;
	void	   *arg;
	FgSortKey  *keys;			/* the children of one phase, by type */
	FgSortKey  *durations;		/* of one group, in microseconds */
	FgSortKey  *spare;
	size_t		key_capacity;
	size_t		duration_capacity;
	size_t		spare_capacity;
} Finder;

static int64_t
duration_of(const FgJob *job, uint32_t phase)
{
	return job->phases[phase].end - job->phases[phase].start;
}

/* The median of durations[0 .. count). */
static bool
find_median(Finder *f, const FgSortKey *group, size_t count, double *median)
{
	int64_t		lower;
	int64_t		upper;

	for (size_t i = 0; i < count; i++)
		f->durations[i] = (FgSortKey) {duration_of(f->job, group[i].item), group[i].item};
	if (!fg_sort_keys(f->ctx, f->durations, count, f->spare))
		return false;
	lower = f->durations[(count - 1) / 2].key;
	upper = f->durations[count / 2].key;
	*median = ((double) lower + (double) upper) / 2;
	return fg_steps(f->ctx, count);
}

/* Siblings of one type. */
static bool
visit_group(Finder *f, uint32_t parent, const FgSortKey *group, size_t count)
{
	double		median;

	if (!find_median(f, group, count, &median))
		return false;
	for (size_t i = 0; i < count; i++)
	{
		double		duration = (double) duration_of(f->job, group[i].item);
		FgStraggler straggler = {
			group[i].item, parent, duration / 1e6, median / 1e6,
			median > 0 ? duration / median : NAN
		};

		if (duration > median * (1 + f->threshold) * (1 + 1e-9) &&
			!f->emit(f->arg, &straggler))
			return false;
	}
	return fg_steps(f->ctx, count);
}

static bool
visit_parent(Finder *f, uint32_t parent, uint32_t type)
{
	const FgJobTree *tree = &f->job->phase_tree;
	uint32_t	first = tree->first_child[parent];
	size_t		most = tree->first_child[parent + 1] - first;
	size_t		count = 0;

	if (!fg_reserve(f->ctx, (void **) &f->keys, &f->key_capacity, most, sizeof(FgSortKey)) ||
		!fg_reserve(f->ctx, (void **) &f->durations, &f->duration_capacity, most,
					sizeof(FgSortKey)) ||
		!fg_reserve(f->ctx, (void **) &f->spare, &f->spare_capacity, most, sizeof(FgSortKey)))
		return false;
	for (size_t i = 0; i < most; i++)
	{
		uint32_t	child = tree->child[first + i];

		if (type == FG_NONE || f->job->phases[child].type == type)
			f->keys[count++] = (FgSortKey) {f->job->phases[child].type, child};
	}
	if (!fg_steps(f->ctx, most) || !fg_sort_keys(f->ctx, f->keys, count, f->spare))
		return false;
	for (size_t group = 0, end; group < count; group = end)
	{
		for (end = group + 1; end < count && f->keys[end].key == f->keys[group].key;)
			end++;
		if (!visit_group(f, parent, f->keys + group, end - group))
			return false;
	}
	return true;
}

bool
fg_stragglers(FgContext *ctx, const FgJob *job, uint32_t type, double threshold,
			  FgStragglerEmit emit, void *arg)
{
	Finder		f = {.ctx = ctx, .job = job, .threshold = threshold, .emit = emit, .arg = arg};
	bool		ok = true;

	for (uint32_t p = 0; ok && p < job->phase_count; p++)
		ok = fg_check_every(ctx, p) && (fg_phase_is_leaf(job, p) || visit_parent(&f, p, type));
	fg_release(ctx, f.keys);
	fg_release(ctx, f.durations);
	fg_release(ctx, f.spare);
	return ok;
}
