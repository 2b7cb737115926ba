/*
 * observations.c
 *	  Functions of many profiles (see observations.h).
 */
#include "core/compare/observations.h"

#include "core/base/choice.h"
#include "core/cct/potential.h"
#include "core/profile/path.h"
#include "core/profile/transform.h"
#include "core/profile/walk.h"

#include <math.h>
#include <string.h>

#define POTENTIAL "potential:"

static const char *const metric_hint = "Available: total, self, potential:N, with N from 0 to 65535.";

static bool
parse_degree(const char *digits, size_t length, uint32_t *degree)
{
	uint32_t	value = 0;

	if (length < 1 || length > 5)
		return false;
	for (size_t i = 0; i < length; i++)
	{
		if (digits[i] < '0' || digits[i] > '9')
			return false;
		value = value * 10 + (uint32_t) (digits[i] - '0');
	}
	*degree = value;
	return value <= FG_MAX_DEPTH;
}

bool
fg_metric_parse(FgContext *ctx, const char *text, size_t length, uint32_t *metric)
{
	size_t		prefix = strlen(POTENTIAL);

	if (length == 5 && memcmp(text, "total", 5) == 0)
		*metric = FG_METRIC_TOTAL;
	else if (length == 4 && memcmp(text, "self", 4) == 0)
		*metric = FG_METRIC_SELF;
	else if (length <= prefix || memcmp(text, POTENTIAL, prefix) != 0 ||
			 !parse_degree(text + prefix, length - prefix, metric))
		return length > FG_LONGEST_SHOWN
			? fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, metric_hint, "unrecognized metric")
			: fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, metric_hint, "unrecognized metric \"%.*s\"",
						 (int) length, text);
	return true;
}

/* values[f] for each frame of the dictionary, recursion-free. */
static bool
metric_values(FgContext *ctx, const FgTree *tree, uint32_t metric, double *values)
{
	double	   *naive;
	bool		ok;

	if (metric == FG_METRIC_TOTAL)
		return fg_frame_total_values(ctx, tree, values);
	naive = fg_alloc(ctx, tree->frames.count, sizeof(double));
	ok = naive != NULL && fg_subtree_potential(ctx, tree, metric, values, naive);
	fg_release(ctx, naive);
	return ok;
}

bool
fg_observations_begin(FgContext *ctx, uint32_t metric, FgObservations *all)
{
	*all = (FgObservations) {.ctx = ctx, .metric = metric};
	return fg_names_begin(ctx, &all->names);
}

void
fg_observations_free(FgObservations *all)
{
	if (all->ctx == NULL)
		return;
	fg_names_free(&all->names);
	fg_frames_free(all->ctx, &all->frames);
	fg_release(all->ctx, all->list);
	fg_release(all->ctx, all->first);
	memset(all, 0, sizeof(*all));
}

/* --- calling contexts ------------------------------------------------------------------------ */

/* The path to the node of a walk. */
typedef struct Path
{
	char	   *bytes;
	size_t		capacity;
	size_t	   *end;			/* by depth */
} Path;

static bool
path_enter(FgContext *ctx, Path *path, const FgWalk *walk)
{
	const FgFrames *frames = &walk->tree->frames;
	size_t		start = walk->depth > 1 ? path->end[walk->depth - 1] + 1 : 0;
	size_t		length = fg_frame_length(frames, walk->frame);

	if (!fg_reserve(ctx, (void **) &path->bytes, &path->capacity, start + length, 1))
		return false;
	if (start > 0)
		path->bytes[start - 1] = FG_PATH_SEPARATOR;
	memcpy(path->bytes + start, fg_frame_bytes(frames, walk->frame), length);
	path->end[walk->depth] = start + length;
	return fg_work(ctx, start + length);
}

static bool
add_nodes(FgObservations *all, const FgTree *tree, uint32_t profile, const double *totals,
		  Path *path)
{
	FgWalk		walk;
	bool		ok = true;

	if (!fg_walk_begin(all->ctx, tree, &walk))
		return false;
	while (ok && fg_walk_next(&walk))
	{
		uint32_t	number;

		ok = path_enter(all->ctx, path, &walk) &&
			fg_names_add(&all->names, path->bytes, path->end[walk.depth], &number) &&
			fg_reserve(all->ctx, (void **) &all->list, &all->capacity, all->count + 1,
					   sizeof(FgObservation));
		if (ok)
			all->list[all->count++] = (FgObservation) {number, profile, totals[walk.node]};
	}
	return fg_walk_end(&walk) && ok;
}

static bool
add_contexts(FgObservations *all, const FgTree *tree, uint32_t profile)
{
	FgContext  *ctx = all->ctx;
	Path		path = {.end = fg_alloc(ctx, (size_t) fg_tree_depth_bound(tree) + 1, sizeof(size_t))};
	double	   *totals = fg_alloc(ctx, (size_t) tree->nnodes + 1, sizeof(double));
	bool		ok = path.end != NULL && totals != NULL && fg_tree_totals(ctx, tree, totals) &&
		add_nodes(all, tree, profile, totals, &path);

	fg_release(ctx, totals);
	fg_release(ctx, path.end);
	fg_release(ctx, path.bytes);
	return ok;
}

/* --- functions ------------------------------------------------------------------------------- */

static bool
add_functions(FgObservations *all, const FgTree *tree, uint32_t profile)
{
	FgContext  *ctx = all->ctx;
	uint32_t	count = tree->frames.count;
	double	   *values = fg_alloc(ctx, count, sizeof(double));
	uint32_t   *numbers = fg_alloc(ctx, count, sizeof(uint32_t));
	bool		ok = values != NULL && numbers != NULL &&
		metric_values(ctx, tree, all->metric, values) &&
		fg_names_add_frames(&all->names, &tree->frames, numbers) &&
		fg_reserve(ctx, (void **) &all->list, &all->capacity, all->count + count,
				   sizeof(FgObservation));

	for (uint32_t f = 0; ok && f < count; f++)
		all->list[all->count++] = (FgObservation) {numbers[f], profile, values[f]};
	fg_release(ctx, values);
	fg_release(ctx, numbers);
	return ok;
}

bool
fg_observations_add(FgObservations *all, const FgTree *tree, uint32_t profile)
{
	return (all->metric == FG_METRIC_NODE ? add_contexts : add_functions) (all, tree, profile);
}

/* A counting sort: linear, and what came first stays first. */
static bool
group_by_frame(FgObservations *all, const uint32_t *place, FgObservation *sorted)
{
	size_t	   *first = all->first;

	for (size_t i = 0; i < all->count; i++)
	{
		if (!fg_check_every(all->ctx, i))
			return false;
		all->list[i].frame = place[all->list[i].frame];
		first[all->list[i].frame + 1]++;
	}
	for (uint32_t f = 0; f < all->frames.count; f++)
		first[f + 1] += first[f];
	for (size_t i = 0; i < all->count; i++)
	{
		if (!fg_check_every(all->ctx, i))
			return false;
		sorted[first[all->list[i].frame]++] = all->list[i];
	}
	for (uint32_t f = all->frames.count; f > 0; f--)
		first[f] = first[f - 1];
	first[0] = 0;
	return true;
}

bool
fg_observations_end(FgObservations *all)
{
	FgContext  *ctx = all->ctx;
	uint32_t   *place = fg_alloc(ctx, all->names.count, sizeof(uint32_t));
	FgObservation *sorted = fg_alloc(ctx, all->count, sizeof(FgObservation));
	bool		ok;

	all->first = fg_alloc_zero(ctx, (size_t) all->names.count + 1, sizeof(size_t));
	ok = place != NULL && sorted != NULL && all->first != NULL &&
		fg_names_sort(&all->names, &all->frames, place) && group_by_frame(all, place, sorted);
	fg_release(ctx, place);
	if (!ok)
	{
		fg_release(ctx, sorted);
		return false;
	}
	fg_release(ctx, all->list);
	all->list = sorted;
	fg_names_free(&all->names);
	return true;
}
