/*
 * sandwich_marks.c
 *	  What is highlighted in a sandwich (see sandwich_marks.h).
 */
#include "core/picture/sandwich_marks.h"

#include "core/base/pairs.h"
#include "core/profile/walk.h"

#include <string.h>

typedef struct Marks
{
	FgContext  *ctx;
	const FgSandwich *sandwich;
	uint32_t	frame;			/* in the whole profile's dictionary */
	const uint32_t *parents;	/* of the whole profile */
	uint8_t *const *highlight;
	FgPairs		children[FG_HALVES];	/* (parent, frame) of node i of a half is pair i - 1 */
	uint8_t    *seen[FG_HALVES];	/* by node of a half */
	FgBuffer   *marks;
} Marks;

static bool
begin_half(Marks *m, int h)
{
	const FgTree *half = &m->sandwich->half[h];
	const uint64_t *key = m->sandwich->pair[h].key_b;
	uint32_t   *parents = fg_alloc(m->ctx, (size_t) half->nnodes + 1, sizeof(uint32_t));
	bool		ok = parents != NULL && fg_tree_parents(m->ctx, half, parents) &&
		fg_pairs_begin(m->ctx, &m->children[h]);
	uint32_t	number;

	m->seen[h] = fg_alloc_zero(m->ctx, (size_t) half->nnodes + 1, sizeof(uint8_t));
	ok = ok && m->seen[h] != NULL;
	for (uint32_t i = 1; ok && i <= half->nnodes; i++)
		ok = fg_pairs_add(&m->children[h], parents[i], fg_key_frame(key[i]), &number);
	fg_release(m->ctx, parents);
	return ok;
}

/* A node is met: the first time it gets the next number. */
static bool
meet(Marks *m, int h, uint32_t node)
{
	if (m->seen[h][node])
		return true;
	m->seen[h][node] = 1;
	return fg_buffer_append(&m->marks[h], m->highlight[h][node] != 0 ? "1" : "0", 1);
}

static uint32_t
child_of(const Marks *m, int h, uint32_t node, uint64_t key)
{
	return fg_pairs_find(&m->children[h], node, fg_key_frame(key)) + 1;
}

/* Callers of an occurrence. */
static bool
meet_callers(Marks *m, uint32_t occurrence)
{
	uint32_t	at = FG_SANDWICH_FRAME;

	for (uint32_t i = m->parents[occurrence]; i > 0; i = m->parents[i])
	{
		at = child_of(m, FG_CALLERS, at, m->sandwich->tree->key[i]);
		if (!meet(m, FG_CALLERS, at) || !fg_work(m->ctx, 64))
			return false;
	}
	return true;
}

/* Both halves; place[i] is where node i of the whole profile is below the frame, or 0. */
static bool
meet_all(Marks *m, uint32_t *place)
{
	const FgTree *tree = m->sandwich->tree;

	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		bool		below = place[m->parents[i]] != 0;

		if (!fg_check_every(m->ctx, i))
			return false;
		if (below)
			place[i] = child_of(m, FG_CALLEES, place[m->parents[i]], tree->key[i]);
		else if (fg_key_frame(tree->key[i]) == m->frame)
			place[i] = FG_SANDWICH_FRAME;
		if (place[i] != 0 && !meet(m, FG_CALLEES, place[i]))
			return false;
		if (place[i] == FG_SANDWICH_FRAME && !below && !meet_callers(m, i))
			return false;
	}
	return true;
}

bool
fg_sandwich_marks(FgContext *ctx, const FgSandwich *sandwich, uint8_t *const highlight[FG_HALVES],
				  FgBuffer marks[FG_HALVES])
{
	const FgTree *tree = sandwich->tree;
	size_t		nodes = (size_t) tree->nnodes + 1;
	uint32_t   *parents = fg_alloc(ctx, nodes, sizeof(uint32_t));
	uint32_t   *place = fg_alloc_zero(ctx, nodes, sizeof(uint32_t));
	Marks		m = {
		.ctx = ctx, .sandwich = sandwich, .parents = parents, .highlight = highlight,
		.frame = fg_key_frame(sandwich->pair[FG_CALLEES].key_b[FG_SANDWICH_FRAME]), .marks = marks
	};
	bool		ok = parents != NULL && place != NULL && fg_tree_parents(ctx, tree, parents);

	for (int h = 0; ok && h < FG_HALVES; h++)
		ok = begin_half(&m, h) && (h == FG_CALLEES || meet(&m, h, FG_SANDWICH_FRAME));
	ok = ok && meet_all(&m, place);
	for (int h = 0; h < FG_HALVES; h++)
	{
		if (m.children[h].ctx != NULL)
			fg_pairs_free(&m.children[h]);
		fg_release(ctx, m.seen[h]);
	}
	fg_release(ctx, parents);
	fg_release(ctx, place);
	return ok;
}
