/*
 * origins.c
 *	  Which of several changes that contain each other explain the others (see origins.h).
 *
 * Of the tree only its places are kept: the nodes of a key, each with the difference of
 * the nodes whose nearest place it is.  A round takes a key away and walks its places.
 */
#include "core/compare/origins.h"

#include "core/profile/path.h"
#include "core/profile/walk.h"

#include <math.h>
#include <string.h>

typedef struct Places
{
	FgContext  *ctx;
	FgOriginKey *keys;
	uint32_t	nkeys;
	uint32_t	count;			/* places are 1 .. count, 0 is above all of them */
	uint32_t   *key;			/* by place */
	uint32_t   *above;			/* by place: the next one up the stack */
	uint32_t   *next;			/* by place: of the same holder */
	double	   *sum;			/* by place */
	double	   *below;			/* by place: with the places below it */
	bool	   *outermost;		/* by place: of its key */
	uint32_t   *first;			/* by key: the places whose difference is its own */
	double	   *own;			/* by key: their sum */
	double	   *inclusive;		/* by key */
} Places;

/* --- keys in the tree ------------------------------------------------------------------ */

static void
last_frame(const FgOriginKey *key, const char **frame, size_t *length)
{
	const char *end = key->path + key->length;

	*frame = end;
	while (*frame > key->path && (*frame)[-1] != FG_PATH_SEPARATOR)
		(*frame)--;
	*length = (size_t) (end - *frame);
}

/* by_frame[f] or by_node[i] becomes the number of a key; of equal keys the last one's. */
static bool
number_frames(FgContext *ctx, const FgTree *tree, const FgOriginKey *keys, uint32_t count,
			  uint32_t *by_frame)
{
	for (uint32_t f = 0; f < tree->frames.count; f++)
		by_frame[f] = FG_NONE;
	for (uint32_t k = 0; k < count; k++)
	{
		const char *frame;
		size_t		length;
		uint32_t	f;

		last_frame(&keys[k], &frame, &length);
		f = fg_frames_find(&tree->frames, frame, length);
		if (f != FG_NONE)
			by_frame[f] = k;
		if (!fg_work(ctx, keys[k].length))
			return false;
	}
	return true;
}

static bool
number_nodes(FgContext *ctx, const FgTree *tree, const FgOriginKey *keys, uint32_t count,
			 uint32_t *by_node)
{
	for (uint32_t i = 0; i <= tree->nnodes; i++)
		by_node[i] = FG_NONE;
	for (uint32_t k = 0; k < count; k++)
	{
		uint32_t	node = fg_tree_find(tree, keys[k].path, keys[k].length);

		if (node != FG_NONE)
			by_node[node] = k;
		if (!fg_work(ctx, keys[k].length))
			return false;
	}
	return true;
}

/* --- places ------------------------------------------------------------------------------- */

static bool
places_begin(FgContext *ctx, uint32_t nnodes, FgOriginKey *keys, uint32_t count, Places *p)
{
	size_t		room = (size_t) nnodes + 2;	/* the empty stack may be a key, too */

	*p = (Places) {.ctx = ctx, .keys = keys, .nkeys = count};
	p->key = fg_alloc(ctx, room, sizeof(uint32_t));
	p->above = fg_alloc(ctx, room, sizeof(uint32_t));
	p->next = fg_alloc(ctx, room, sizeof(uint32_t));
	p->sum = fg_alloc_zero(ctx, room, sizeof(double));
	p->below = fg_alloc(ctx, room, sizeof(double));
	p->outermost = fg_alloc(ctx, room, sizeof(bool));
	p->first = fg_alloc_zero(ctx, count, sizeof(uint32_t));
	p->own = fg_alloc_zero(ctx, count, sizeof(double));
	p->inclusive = fg_alloc_zero(ctx, count, sizeof(double));
	return p->key != NULL && p->above != NULL && p->next != NULL && p->sum != NULL &&
		p->below != NULL && p->outermost != NULL && p->first != NULL && p->own != NULL &&
		p->inclusive != NULL;
}

static void
places_free(Places *p)
{
	fg_release(p->ctx, p->key);
	fg_release(p->ctx, p->above);
	fg_release(p->ctx, p->next);
	fg_release(p->ctx, p->sum);
	fg_release(p->ctx, p->below);
	fg_release(p->ctx, p->outermost);
	fg_release(p->ctx, p->first);
	fg_release(p->ctx, p->own);
	fg_release(p->ctx, p->inclusive);
}

static uint32_t
add_place(Places *p, uint32_t key, uint32_t above, bool outermost)
{
	uint32_t	place = ++p->count;

	p->key[place] = key;
	p->above[place] = above;
	p->outermost[place] = outermost;
	return place;
}

/*
 * number[] is by frame or by node; at[] by node becomes its nearest place, and met[] by key
 * its outermost node that came last.
 */
static bool
find_places(Places *p, const FgTree *tree, FgLevel level, const uint32_t *number, uint32_t *at,
			uint32_t *met)
{
	FgWalk		walk;

	at[0] = level == FG_LEVEL_NODE && number[0] != FG_NONE ? add_place(p, number[0], 0, true) : 0;
	p->sum[at[0]] += tree->self[0];
	if (!fg_walk_begin(p->ctx, tree, &walk))
		return false;
	while (fg_walk_next(&walk))
	{
		uint32_t	above = at[fg_walk_parent(&walk)];
		uint32_t	key = number[level == FG_LEVEL_NODE ? walk.node : walk.frame];
		bool		nested = key != FG_NONE && fg_walk_below(&walk, met[key]);

		at[walk.node] = key == FG_NONE ? above : add_place(p, key, above, !nested);
		p->sum[at[walk.node]] += tree->self[walk.node];
		if (key != FG_NONE && !nested)
			met[key] = walk.node;
	}
	return fg_walk_end(&walk);
}

static bool
read_places(Places *p, const FgTree *tree, FgLevel level)
{
	FgContext  *ctx = p->ctx;
	size_t		nodes = (size_t) tree->nnodes + 1;
	bool		by_node = level == FG_LEVEL_NODE;
	uint32_t   *number = fg_alloc(ctx, by_node ? nodes : tree->frames.count, sizeof(uint32_t));
	uint32_t   *at = fg_alloc(ctx, nodes, sizeof(uint32_t));
	uint32_t   *met = fg_alloc_zero(ctx, p->nkeys, sizeof(uint32_t));
	bool		ok = number != NULL && at != NULL && met != NULL &&
		(by_node ? number_nodes : number_frames) (ctx, tree, p->keys, p->nkeys, number) &&
		find_places(p, tree, level, number, at, met);

	fg_release(ctx, number);
	fg_release(ctx, at);
	fg_release(ctx, met);
	return ok;
}

/* Everybody holds what is innermost. */
static bool
add_up(Places *p)
{
	for (uint32_t i = 0; i <= p->count; i++)
		p->below[i] = p->sum[i];
	for (uint32_t i = p->count; i > 0; i--)
	{
		uint32_t	key = p->key[i];

		p->below[p->above[i]] += p->below[i];
		p->inclusive[key] += p->outermost[i] ? p->below[i] : 0;
		p->own[key] += p->sum[i];
		p->next[i] = p->first[key];
		p->first[key] = i;
		if (!fg_check_every(p->ctx, i))
			return false;
	}
	for (uint32_t k = 0; k < p->nkeys; k++)
	{
		if (!isfinite(p->inclusive[k]) || !isfinite(p->own[k]))
			return fg_fail(p->ctx, FG_ERROR_RANGE,
						   "the sum of a function's differences is out of range");
	}
	return true;
}

/* --- rounds --------------------------------------------------------------------------------- */

/* The part of a key's difference that is its own. */
static double
share_of(const Places *p, uint32_t k)
{
	return p->inclusive[k] == 0 ? -INFINITY : p->own[k] / p->inclusive[k];
}

/* Does a leave before b? */
static bool
less_own(const Places *p, uint32_t a, uint32_t b)
{
	double		size_a = fabs(p->inclusive[a]);
	double		size_b = fabs(p->inclusive[b]);

	if (share_of(p, a) != share_of(p, b))
		return share_of(p, a) < share_of(p, b);
	if (size_a != size_b)
		return size_a < size_b;
	return fg_bytes_compare(p->keys[a].path, p->keys[a].length,
							p->keys[b].path, p->keys[b].length) > 0;
}

/* The nearest place further up whose key stays; 0 for none. */
static uint32_t
next_holder(Places *p, uint32_t place)
{
	uint32_t	holder = p->above[place];

	while (holder != 0 && !p->keys[p->key[holder]].stays)
		holder = p->above[holder];
	p->above[place] = holder;
	return holder;
}

static bool
take_away(Places *p, uint32_t k)
{
	uint32_t	after;

	p->keys[k].stays = false;
	for (uint32_t i = p->first[k]; i != 0; i = after)
	{
		uint32_t	holder = next_holder(p, i);

		after = p->next[i];
		if (holder != 0)
		{
			uint32_t	key = p->key[holder];

			p->own[key] += p->sum[i];
			p->next[i] = p->first[key];
			p->first[key] = i;
		}
		if (!fg_steps(p->ctx, 1))
			return false;
	}
	return true;
}

static bool
explain(Places *p)
{
	for (uint32_t left = p->nkeys; left > 1; left--)
	{
		uint32_t	least = FG_NONE;

		for (uint32_t k = 0; k < p->nkeys; k++)
		{
			if (p->keys[k].stays && (least == FG_NONE || less_own(p, k, least)))
				least = k;
		}
		if (share_of(p, least) >= 0.5)
			return true;
		if (!take_away(p, least) || !fg_steps(p->ctx, p->nkeys))
			return false;
	}
	return true;
}

bool
fg_origins(FgContext *ctx, const FgTree *difference, FgLevel level, FgOriginKey *keys,
		   uint32_t count)
{
	Places		p;
	bool		ok;

	for (uint32_t k = 0; k < count; k++)
		keys[k].stays = true;
	if (count < 2)
		return true;
	ok = places_begin(ctx, difference->nnodes, keys, count, &p) &&
		read_places(&p, difference, level) && add_up(&p) && explain(&p);
	places_free(&p);
	return ok;
}
