/*
 * metrics.c
 *	  Metrics of functions (see metrics.h).
 */
#include "core/cct/metrics.h"

#include "core/base/pairs.h"
#include "core/profile/walk.h"

#include <string.h>

/* By frame: the outermost node counted last, and the thread met last. */
typedef struct Seen
{
	uint32_t	outermost;
	uint32_t	thread;
} Seen;

static bool
count_call(FgPairs *calls, uint32_t caller, uint32_t callee, FgFrameMetrics *metrics)
{
	uint32_t	known = calls->count;
	uint32_t	number;

	if (!fg_pairs_add(calls, caller, callee, &number))
		return false;
	if (number == known)
	{
		metrics[caller].callees++;
		metrics[callee].callers++;
	}
	return true;
}

static void
count_node(const FgWalk *walk, const double *total, Seen *seen, FgFrameMetrics *metrics)
{
	FgFrameMetrics *m = &metrics[walk->frame];
	Seen	   *s = &seen[walk->frame];

	m->nodes++;
	m->self += walk->tree->self[walk->node];
	if (!fg_walk_below(walk, s->outermost))
	{
		s->outermost = walk->node;
		m->recursion_free++;
		m->total += total[walk->node];
	}
	/* a first frame's nodes are contiguous, so a thread met before is the last one */
	if (walk->depth > 1 && s->thread != walk->path[1])
	{
		s->thread = walk->path[1];
		m->threads++;
	}
}

static bool
count_nodes(FgContext *ctx, const FgTree *tree, const double *total, Seen *seen, FgPairs *calls,
			FgFrameMetrics *metrics)
{
	FgWalk		walk;
	bool		ok = fg_walk_begin(ctx, tree, &walk);

	while (ok && fg_walk_next(&walk))
	{
		count_node(&walk, total, seen, metrics);
		if (walk.depth > 1)
			ok = count_call(calls, fg_key_frame(tree->key[fg_walk_parent(&walk)]), walk.frame,
							metrics);
	}
	return fg_walk_end(&walk) && ok;
}

bool
fg_frame_metrics(FgContext *ctx, const FgTree *tree, FgFrameMetrics *metrics)
{
	uint32_t	nframes = tree->frames.count;
	double	   *total = fg_alloc(ctx, (size_t) tree->nnodes + 1, sizeof(double));
	Seen	   *seen = fg_alloc_zero(ctx, nframes, sizeof(Seen));
	FgPairs		calls;
	double		check = 0;
	bool		ok = fg_pairs_begin(ctx, &calls) && total != NULL && seen != NULL;

	memset(metrics, 0, nframes * sizeof(FgFrameMetrics));
	ok = ok && fg_tree_totals(ctx, tree, total) &&
		count_nodes(ctx, tree, total, seen, &calls, metrics);
	fg_pairs_free(&calls);
	fg_release(ctx, total);
	fg_release(ctx, seen);
	for (uint32_t f = 0; ok && f < nframes; f++)
		check += metrics[f].total * 0 + metrics[f].self * 0;
	if (check != 0)
		return fg_fail(ctx, FG_ERROR_RANGE, "an inclusive value is out of range");
	return ok;
}
