/*
 * subsuming.c
 *	  Subsuming methods (see subsuming.h).
 *
 * The shallowest node of a method names the candidates for its dominating methods:
 * what is above it, each at its nearest.  At every other node of the method a
 * candidate is looked up on the current path, in one step, and dropped when it is not
 * there.  Only the nearest "reach" callers of the shallowest node are taken: when the
 * smallest distance that survives is within reach, no farther candidate can beat it.
 * Methods for which this does not hold are tried again with twice the reach, which
 * for real profiles is a handful.  So the time is that of a few passes, where
 * following each path to the root would take nodes * depth steps; methods that only
 * occur deep down, dominated from far away or by none, can still make it take that.
 */
#include "core/cct/subsuming.h"

#include "core/profile/walk.h"

#include <math.h>
#include <string.h>

#define FIRST_REACH 8

/* Candidates of all methods of one pass; further methods wait for the next one. */
#define LEAST_ROOM (UINT32_C(1) << 20)

typedef struct Candidate
{
	uint32_t	frame;
	uint32_t	distance;		/* greatest so far */
} Candidate;

typedef enum MethodState
{
	METHOD_OPEN,				/* not met in this pass */
	METHOD_TRIED,
	METHOD_WAITS,				/* there was no room */
	METHOD_DONE
} MethodState;

typedef struct Method
{
	MethodState state;
	uint32_t	reach;
	bool		whole;			/* the candidates are all there are */
	uint32_t	shallowest;		/* node */
	uint32_t	count;
	size_t		first;			/* of its candidates */
} Method;

typedef struct Step
{
	uint32_t	frame;
	uint32_t	replaced;
} Step;

typedef struct Search
{
	FgContext  *ctx;
	const FgTree *tree;
	Method	   *methods;		/* by frame */
	uint32_t   *deepest;		/* by frame: depth of its deepest node on the path, or 0 */
	Step	   *path;
	Candidate  *candidates;
	size_t		ncandidates;
	size_t		capacity;
	size_t		room;
} Search;

/* --- heights ---------------------------------------------------------------------- */

/* tallest[d]: the greatest height below the node at depth d - 1, plus 1, from the right. */
static bool
find_heights(Search *s, uint32_t *tallest, FgSubsuming *methods)
{
	const uint64_t *key = s->tree->key;

	for (uint32_t i = s->tree->nnodes; i > 0; i--)
	{
		FgSubsuming *method = &methods[fg_key_frame(key[i])];
		uint32_t   *shallowest = &s->methods[fg_key_frame(key[i])].shallowest;
		uint32_t	depth = fg_key_depth(key[i]);
		uint32_t	height = tallest[depth + 1];

		if (!fg_check_every(s->ctx, i))
			return false;
		if (*shallowest == 0 || depth <= fg_key_depth(key[*shallowest]))
			*shallowest = i;
		tallest[depth + 1] = 0;
		if (tallest[depth] <= height)
			tallest[depth] = height + 1;
		if (method->height < height)
			method->height = height;
	}
	return true;
}

/* --- distances --------------------------------------------------------------------- */

/* The callers of a method's shallowest node, each at its nearest. */
static bool
take_candidates(Search *s, uint32_t frame, uint32_t depth)
{
	Method	   *method = &s->methods[frame];
	uint32_t	calls = depth - 1 < method->reach ? depth - 1 : method->reach;

	if (s->ncandidates > 0 && s->ncandidates + calls > s->room)
	{
		method->state = METHOD_WAITS;
		return true;
	}
	if (!fg_reserve(s->ctx, (void **) &s->candidates, &s->capacity, s->ncandidates + calls,
					sizeof(Candidate)))
		return false;
	method->state = METHOD_TRIED;
	method->whole = depth - 1 <= method->reach;
	method->first = s->ncandidates;
	for (uint32_t distance = 1; distance <= calls; distance++)
	{
		uint32_t	above = s->path[depth - distance].frame;

		if (above != frame && s->deepest[above] == depth - distance)
			s->candidates[s->ncandidates++] = (Candidate) {above, distance};
	}
	method->count = (uint32_t) (s->ncandidates - method->first);
	return fg_steps(s->ctx, calls);
}

/* Keeps the candidates that are above this node, too. */
static bool
keep_candidates(Search *s, Method *method, uint32_t depth)
{
	Candidate  *candidates;

	if (method->count == 0)
		return true;
	candidates = s->candidates + method->first;
	for (uint32_t i = 0; i < method->count;)
	{
		uint32_t	above = s->deepest[candidates[i].frame];

		if (above == 0)
		{
			candidates[i] = candidates[--method->count];
			continue;
		}
		if (depth - above > candidates[i].distance)
			candidates[i].distance = depth - above;
		i++;
	}
	return fg_steps(s->ctx, method->count);
}

/* Over all nodes with their paths: takes candidates, or keeps those that are above. */
static bool
search_pass(Search *s, bool taking)
{
	const FgTree *tree = s->tree;
	uint32_t	current = 0;

	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		uint32_t	depth = fg_key_depth(tree->key[i]);
		uint32_t	frame = fg_key_frame(tree->key[i]);
		Method	   *method = &s->methods[frame];

		for (; current >= depth; current--)
			s->deepest[s->path[current].frame] = s->path[current].replaced;
		if (!taking && method->state == METHOD_TRIED && !keep_candidates(s, method, depth))
			return false;
		if (taking && method->shallowest == i && method->state == METHOD_OPEN &&
			!take_candidates(s, frame, depth))
			return false;
		s->path[depth] = (Step) {frame, s->deepest[frame]};
		s->deepest[frame] = depth;
		current = depth;
		if (!fg_check_every(s->ctx, i))
			return false;
	}
	for (; current > 0; current--)
		s->deepest[s->path[current].frame] = s->path[current].replaced;
	return true;
}

static uint32_t
smallest_distance(const Search *s, const Method *method)
{
	uint32_t	smallest = FG_NOT_DOMINATED;

	for (uint32_t i = 0; i < method->count; i++)
	{
		if (s->candidates[method->first + i].distance < smallest)
			smallest = s->candidates[method->first + i].distance;
	}
	return smallest;
}

/* What the pass has found; not settled when another one is needed. */
static bool
settle_methods(Search *s, FgSubsuming *methods, bool *settled)
{
	*settled = true;
	for (uint32_t f = 0; f < s->tree->frames.count; f++)
	{
		Method	   *method = &s->methods[f];
		uint32_t	distance;

		if (!fg_steps(s->ctx, (size_t) method->count + 1))
			return false;
		if (method->state == METHOD_DONE)
			continue;
		if (method->state == METHOD_TRIED)
		{
			distance = smallest_distance(s, method);
			if (method->whole || distance <= method->reach)
			{
				methods[f].distance = distance;
				method->state = METHOD_DONE;
				continue;
			}
			method->reach *= 2;
		}
		else if (method->state == METHOD_OPEN)
		{
			/* of a damaged value: a frame that no node has */
			methods[f].distance = FG_NOT_DOMINATED;
			method->state = METHOD_DONE;
			continue;
		}
		method->state = METHOD_OPEN;
		*settled = false;
	}
	return true;
}

static bool
find_distances(Search *s, FgSubsuming *methods)
{
	for (uint32_t f = 0; f < s->tree->frames.count; f++)
		s->methods[f].reach = FIRST_REACH;
	for (bool settled = false; !settled;)
	{
		s->ncandidates = 0;
		if (!search_pass(s, true) || !search_pass(s, false) ||
			!settle_methods(s, methods, &settled))
			return false;
	}
	return true;
}

/* --- costs ---------------------------------------------------------------------------- */

/* claim[d]: the frame that the node at depth d gives its value to, or FG_NONE. */
static bool
give_costs(FgContext *ctx, const FgTree *tree, uint32_t *claim, FgSubsuming *methods,
		   double *unclaimed)
{
	FgWalk		walk;
	double		check = 0;

	claim[0] = FG_NONE;
	*unclaimed = tree->self[0];
	if (!fg_walk_begin(ctx, tree, &walk))
		return false;
	while (fg_walk_next(&walk))
	{
		double		self = tree->self[walk.node];
		uint32_t	frame = methods[walk.frame].subsuming ? walk.frame : claim[walk.depth - 1];
		double	   *cost = frame == FG_NONE ? unclaimed : &methods[frame].cost;

		claim[walk.depth] = frame;
		*cost += self;
		check += *cost * 0;
	}
	if (!fg_walk_end(&walk))
		return false;
	return check == 0 || fg_fail(ctx, FG_ERROR_RANGE, "an induced cost is out of range");
}

static bool
search_begin(Search *s)
{
	size_t		nframes = s->tree->frames.count;

	s->methods = fg_alloc_zero(s->ctx, nframes, sizeof(Method));
	s->deepest = fg_alloc_zero(s->ctx, nframes, sizeof(uint32_t));
	s->path = fg_alloc(s->ctx, (size_t) fg_tree_depth_bound(s->tree) + 1, sizeof(Step));
	s->room = s->tree->nnodes > LEAST_ROOM ? s->tree->nnodes : LEAST_ROOM;
	return s->methods != NULL && s->deepest != NULL && s->path != NULL;
}

static void
search_end(Search *s)
{
	fg_release(s->ctx, s->methods);
	fg_release(s->ctx, s->deepest);
	fg_release(s->ctx, s->path);
	fg_release(s->ctx, s->candidates);
}

bool
fg_subsuming(FgContext *ctx, const FgTree *tree, uint32_t min_height, uint32_t min_distance,
			 FgSubsuming *methods, double *unclaimed)
{
	Search		s = {.ctx = ctx, .tree = tree};
	/* first the heights at each depth, then the claims */
	uint32_t   *by_depth = fg_alloc_zero(ctx, (size_t) fg_tree_depth_bound(tree) + 2,
										 sizeof(uint32_t));
	bool		ok = search_begin(&s) && by_depth != NULL;

	memset(methods, 0, tree->frames.count * sizeof(FgSubsuming));
	ok = ok && find_heights(&s, by_depth, methods) && find_distances(&s, methods);
	for (uint32_t f = 0; ok && f < tree->frames.count; f++)
		methods[f].subsuming = methods[f].height > min_height &&
			(methods[f].distance == FG_NOT_DOMINATED || methods[f].distance > min_distance);
	ok = ok && give_costs(ctx, tree, by_depth, methods, unclaimed);
	search_end(&s);
	fg_release(ctx, by_depth);
	return ok;
}
