/*
 * forest.c
 *	  Profiles over common names (see forest.h).
 */
#include "core/compare/forest.h"

#include "core/compare/observations.h"
#include "core/profile/walk.h"

#include <string.h>

#define SUFFIX_LENGTH 4			/* of "_[j]" */

size_t
fg_mode_strip(const char *frame, size_t length, char *mode)
{
	static const char modes[] = {'j', 'i', '0', '1'};
	const char *suffix;

	*mode = '-';
	if (length <= SUFFIX_LENGTH)
		return length;
	suffix = frame + length - SUFFIX_LENGTH;
	if (suffix[0] != '_' || suffix[1] != '[' || suffix[3] != ']' ||
		memchr(modes, suffix[2], sizeof(modes)) == NULL)
		return length;
	*mode = suffix[2];
	return length - SUFFIX_LENGTH;
}

bool
fg_forest_begin(FgContext *ctx, uint32_t metric, bool strip_modes, FgForest *forest)
{
	*forest = (FgForest) {.ctx = ctx, .metric = metric, .strip_modes = strip_modes};
	return fg_names_begin(ctx, &forest->names);
}

static void
part_free(FgContext *ctx, FgForestPart *part)
{
	fg_release(ctx, part->frame);
	fg_release(ctx, part->parent);
	fg_release(ctx, part->last);
	fg_release(ctx, part->depth);
	fg_release(ctx, part->total);
	fg_release(ctx, part->self);
	fg_release(ctx, part->mode);
}

void
fg_forest_free(FgForest *forest)
{
	if (forest->ctx == NULL)
		return;
	for (size_t i = 0; i < fg_forest_parts(forest); i++)
		part_free(forest->ctx, &forest->parts[i]);
	fg_release(forest->ctx, forest->parts);
	fg_names_free(&forest->names);
	fg_frames_free(forest->ctx, &forest->frames);
	memset(forest, 0, sizeof(*forest));
}

/* --- what is kept ----------------------------------------------------------------- */

/* Of a dictionary: common numbers, compile modes, and which frames are the one asked for. */
typedef struct Naming
{
	uint32_t   *number;
	char	   *mode;
	uint8_t    *wanted;
} Naming;

static bool
name_frames(FgForest *forest, const FgFrames *frames, const FgVicinity *vicinity, Naming *naming)
{
	FgContext  *ctx = forest->ctx;

	naming->number = fg_alloc(ctx, frames->count, sizeof(uint32_t));
	naming->mode = fg_alloc(ctx, frames->count, 1);
	naming->wanted = fg_alloc_zero(ctx, frames->count, 1);
	if (naming->number == NULL || naming->mode == NULL || naming->wanted == NULL)
		return false;
	for (uint32_t f = 0; f < frames->count; f++)
	{
		const char *bytes = fg_frame_bytes(frames, f);
		size_t		length = fg_frame_length(frames, f);

		naming->mode[f] = '-';
		if (forest->strip_modes)
			length = fg_mode_strip(bytes, length, &naming->mode[f]);
		if (!fg_check_every(ctx, f) ||
			!fg_names_add(&forest->names, bytes, length, &naming->number[f]))
			return false;
		naming->wanted[f] = vicinity != NULL && vicinity->length == length &&
			memcmp(vicinity->frame, bytes, length) == 0;
	}
	return true;
}

/*
 * Below: a node is near when the nearest wanted node above it, or itself, is.  nearest[d]
 * is the depth of that on the current path, 0 for none.
 */
static bool
mark_below(FgContext *ctx, const FgTree *tree, const Naming *naming, uint64_t reach, uint8_t *keep)
{
	uint32_t   *nearest = fg_alloc(ctx, (size_t) fg_tree_depth_bound(tree) + 1, sizeof(uint32_t));
	FgWalk		walk;
	bool		ok = nearest != NULL;

	if (!fg_walk_begin(ctx, tree, &walk))
		ok = false;
	if (ok)
		nearest[0] = 0;
	while (ok && fg_walk_next(&walk))
	{
		uint32_t	d = walk.depth;

		nearest[d] = naming->wanted[walk.frame] ? d : nearest[d - 1];
		keep[walk.node] = nearest[d] > 0 && d - nearest[d] <= reach;
	}
	fg_release(ctx, nearest);
	return fg_walk_end(&walk) && ok;
}

/*
 * Above: a node is near when a wanted one below it is.  What a node is still to keep of
 * its callers it hands on, so paths that many nodes share are climbed once.
 */
static bool
mark_above(FgContext *ctx, const FgTree *tree, const Naming *naming, uint64_t reach, uint8_t *keep)
{
	uint32_t   *left = fg_alloc_zero(ctx, (size_t) tree->nnodes + 1, sizeof(uint32_t));
	uint32_t   *parents = fg_alloc(ctx, (size_t) tree->nnodes + 1, sizeof(uint32_t));
	uint32_t	most = (uint32_t) (reach < FG_MAX_DEPTH ? reach : FG_MAX_DEPTH) + 1;
	bool		ok = left != NULL && parents != NULL && fg_tree_parents(ctx, tree, parents);

	for (uint32_t i = ok ? tree->nnodes : 0; ok && i > 0; i--)
	{
		ok = fg_check_every(ctx, i);
		if (naming->wanted[fg_key_frame(tree->key[i])])
			left[i] = most;
		keep[i] = left[i] > 0;
		if (left[i] > 1 && left[parents[i]] < left[i] - 1)
			left[parents[i]] = left[i] - 1;
	}
	fg_release(ctx, left);
	fg_release(ctx, parents);
	return ok;
}

static bool
mark_nodes(const FgForest *forest, const FgTree *tree, const FgVicinity *vicinity,
		   const Naming *naming, uint8_t *keep)
{
	/* a potential of some degree looks below callers, too */
	bool		whole = vicinity == NULL ||
		(vicinity->upwards && forest->metric != FG_METRIC_TOTAL && forest->metric != FG_METRIC_SELF);
	uint64_t	below = forest->metric == FG_METRIC_TOTAL ? 0 : forest->metric;

	keep[0] = 0;
	if (whole)
	{
		memset(keep + 1, 1, tree->nnodes);
		return fg_check(forest->ctx);
	}
	if (vicinity->upwards)
		return mark_above(forest->ctx, tree, naming, vicinity->reach, keep);
	return mark_below(forest->ctx, tree, naming, vicinity->reach + below, keep);
}

/* --- a profile ---------------------------------------------------------------------- */

static bool
part_alloc(const FgForest *forest, size_t count, FgForestPart *part)
{
	FgContext  *ctx = forest->ctx;
	bool		ok;

	*part = (FgForestPart) {
		.frame = fg_alloc(ctx, count, sizeof(uint32_t)),
		.parent = fg_alloc(ctx, count, sizeof(uint32_t)),
		.last = fg_alloc(ctx, count, sizeof(uint32_t)),
		.depth = fg_alloc(ctx, count, sizeof(uint32_t)),
		.total = fg_alloc(ctx, count, sizeof(double))
	};
	ok = part->frame != NULL && part->parent != NULL && part->last != NULL &&
		part->depth != NULL && part->total != NULL;
	if (forest->metric != FG_METRIC_TOTAL)
		ok = (part->self = fg_alloc(ctx, count, sizeof(double))) != NULL && ok;
	if (forest->strip_modes)
		ok = (part->mode = fg_alloc(ctx, count, 1)) != NULL && ok;
	return ok;
}

/* What begins at this depth is not below the nodes at it or under it that are open. */
static inline void
close_nodes(FgForestPart *part, const uint32_t *open, uint32_t *nopen, uint32_t depth)
{
	while (*nopen > 0 && part->depth[open[*nopen - 1]] >= depth)
		part->last[open[--*nopen]] = part->count - 1;
}

/*
 * place[node] is its number among those kept; open[] has room for all of these, and holds
 * those on the current path.
 */
static bool
part_fill(FgContext *ctx, const FgTree *tree, const Naming *naming, const double *totals,
		  const uint8_t *keep, uint32_t *place, uint32_t *open, FgForestPart *part)
{
	uint32_t	nopen = 0;
	FgWalk		walk;

	if (!fg_walk_begin(ctx, tree, &walk))
		return false;
	while (fg_walk_next(&walk))
	{
		uint32_t	parent = fg_walk_parent(&walk);
		uint32_t	n = part->count;

		close_nodes(part, open, &nopen, walk.depth);
		if (!keep[walk.node])
			continue;
		place[walk.node] = n;
		part->frame[n] = naming->number[walk.frame];
		part->parent[n] = keep[parent] ? place[parent] : FG_NO_NODE;
		open[nopen++] = n;
		part->depth[n] = walk.depth;
		part->total[n] = totals[walk.node];
		if (part->self != NULL)
			part->self[n] = tree->self[walk.node];
		if (part->mode != NULL)
			part->mode[n] = naming->mode[walk.frame];
		part->count++;
	}
	close_nodes(part, open, &nopen, 0);
	return fg_walk_end(&walk);
}

static bool
part_make(FgForest *forest, const FgTree *tree, const FgVicinity *vicinity, const Naming *naming,
		  FgForestPart *part)
{
	FgContext  *ctx = forest->ctx;
	size_t		nodes = (size_t) tree->nnodes + 1;
	double	   *totals = fg_alloc(ctx, nodes, sizeof(double));
	uint8_t    *keep = fg_alloc(ctx, nodes, 1);
	uint32_t   *place = fg_alloc(ctx, nodes, sizeof(uint32_t));
	uint32_t   *open = NULL;
	size_t		kept = 0;
	bool		ok = totals != NULL && keep != NULL && place != NULL &&
		fg_tree_totals(ctx, tree, totals) && mark_nodes(forest, tree, vicinity, naming, keep);

	for (size_t i = 0; ok && i < nodes; i++)
		kept += keep[i];
	ok = ok && part_alloc(forest, kept, part) &&
		(open = fg_alloc(ctx, kept, sizeof(uint32_t))) != NULL &&
		part_fill(ctx, tree, naming, totals, keep, place, open, part);
	fg_release(ctx, open);
	fg_release(ctx, totals);
	fg_release(ctx, keep);
	fg_release(ctx, place);
	return ok;
}

static bool
make_part(FgForest *forest, const FgTree *tree, const FgVicinity *vicinity, FgForestPart *part)
{
	FgContext  *ctx = forest->ctx;
	Naming		naming = {NULL, NULL, NULL};
	bool		ok = name_frames(forest, &tree->frames, vicinity, &naming) &&
		part_make(forest, tree, vicinity, &naming, part);

	fg_release(ctx, naming.number);
	fg_release(ctx, naming.mode);
	fg_release(ctx, naming.wanted);
	if (!ok)
		part_free(ctx, part);
	return ok;
}

bool
fg_forest_add(FgForest *forest, const FgTree *tree, const FgVicinity *vicinity)
{
	FgForestPart part = {0};

	if (!fg_reserve(forest->ctx, (void **) &forest->parts, &forest->capacity, forest->count + 1,
					sizeof(FgForestPart)) ||
		!make_part(forest, tree, vicinity, &part))
		return false;
	forest->parts[forest->count++] = part;
	return true;
}

bool
fg_forest_add_noise(FgForest *forest, const FgTree *before, const FgTree *now,
					const FgVicinity *vicinity)
{
	FgForestPart first = {0};
	FgForestPart second = {0};

	if (!fg_reserve(forest->ctx, (void **) &forest->parts, &forest->capacity, forest->count + 2,
					sizeof(FgForestPart)) ||
		(before != NULL && !make_part(forest, before, vicinity, &first)))
		return false;
	if (now != NULL && !make_part(forest, now, vicinity, &second))
	{
		part_free(forest->ctx, &first);
		return false;
	}
	forest->parts[forest->count] = first;
	forest->parts[forest->count + 1] = second;
	forest->noise = true;
	return true;
}

bool
fg_forest_end(FgForest *forest)
{
	FgContext  *ctx = forest->ctx;
	uint32_t   *place = fg_alloc(ctx, forest->names.count, sizeof(uint32_t));
	bool		ok = place != NULL && fg_names_sort(&forest->names, &forest->frames, place);

	for (size_t i = 0; ok && i < fg_forest_parts(forest); i++)
	{
		FgForestPart *part = &forest->parts[i];

		for (uint32_t n = 0; ok && n < part->count; n++)
		{
			ok = fg_check_every(ctx, n);
			part->frame[n] = place[part->frame[n]];
		}
	}
	fg_release(ctx, place);
	fg_names_free(&forest->names);
	return ok;
}
