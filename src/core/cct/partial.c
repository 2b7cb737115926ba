/*
 * partial.c
 *	  Merging partial stacks into complete ones (see partial.h).
 *
 * A node t of the profile is a candidate of a node p of the partial trie when the
 * path to t ends with the path to p.  The trie is an automaton (Aho & Corasick
 * 1975): the state of t is the deepest such p, it follows from the state of t's
 * parent, and the other ones are p's chain of failure links, each the longest
 * proper suffix of the one before that is in the trie, too.
 *
 * Of the candidates of p only their number (0, 1, more) and the one are needed.  A
 * candidate of p is one of its whole chain, so counting along the chain can stop
 * where there are more already: every p is counted twice at most.
 *
 * Numbers never decrease, so p is judged once, at the end of the round in which
 * its first candidate came: with one candidate, beyond the threshold, all stacks
 * through p have found their place; else those that end in p are ambiguous, and the
 * children of p that have candidates are judged.  What has no candidate waits.
 */
#include "core/cct/partial.h"

#include "core/base/pairs.h"
#include "core/profile/builder.h"
#include "core/profile/transform.h"
#include "core/profile/walk.h"

#include <string.h>

/* Failure links between two remembered transitions, see next_state. */
#define REMEMBER_EVERY 16

/* Remembered transitions, for each node of the profile and of the trie. */
#define REMEMBER_PER_NODE 4

/* No frame of the builder has these numbers. */
#define NO_CHILD		FG_NONE
#define MANY_CHILDREN	(FG_NONE - 1)

typedef enum Verdict
{
	WAITING,					/* unmatched so far */
	OPEN,						/* judged: ambiguous, its children go on */
	PLACED						/* merged, with all below */
} Verdict;

typedef struct Merge
{
	FgContext  *ctx;
	const FgTree *tree;
	const FgTree *partial;
	uint32_t	threshold;

	/* the result under construction; its frames have the builder's numbers */
	FgBuilder  *builder;
	uint32_t   *state;			/* by node of the result */
	size_t		state_capacity;
	uint32_t	nodes;			/* of the result that have a state, without the root */

	/*
	 * The automaton; its states are the nodes of the partial trie.  Most have one
	 * child, which is the next node: only the others need the table.
	 */
	FgPairs		children;		/* (parent, frame) -> index of child[] */
	uint32_t   *child;
	size_t		child_capacity;
	uint32_t   *root_child;		/* by frame: that of the root, or 0 */
	uint8_t    *deeper;			/* by frame: does it occur below the first level? */
	uint32_t   *only;			/* the frame of the only child, NO_CHILD or MANY_CHILDREN */
	FgPairs		remembered;		/* (state, frame) -> index of next[] */
	uint32_t   *next;
	size_t		next_capacity;
	uint64_t	most_remembered;
	uint32_t   *name;			/* the builder's number of each frame of the trie */
	uint32_t   *tree_name;		/* and of the complete stacks */
	uint32_t	nframes;		/* of the trie and of the complete stacks */
	uint32_t   *above;			/* parent */
	uint32_t   *failure;
	uint32_t   *chain;			/* failure links to the root */
	uint32_t   *end;			/* behind the last node of its subtree */

	uint8_t    *verdict;
	uint8_t    *candidates;		/* 0, 1, 2 for more */
	uint32_t   *candidate;		/* the first one */
	uint32_t   *news;			/* states whose first candidate came in this round */
	uint32_t	nnews;

	uint32_t   *image;			/* by depth, for copies of subtrees */
} Merge;

/* --- the automaton ----------------------------------------------------------------- */

static bool
remember(Merge *m, uint32_t state, uint32_t frame, uint32_t next)
{
	uint32_t	index;

	if (m->remembered.count >= m->most_remembered)
		return true;
	if (!fg_pairs_add(&m->remembered, state, frame, &index) ||
		!fg_reserve(m->ctx, (void **) &m->next, &m->next_capacity, (size_t) index + 1,
					sizeof(uint32_t)))
		return false;
	m->next[index] = next;
	return true;
}

/* The child of a state with this frame, 0 when there is none. */
static inline uint32_t
child_of(const Merge *m, uint32_t state, uint32_t frame)
{
	uint32_t	index;

	if (state == 0)
		return m->root_child[frame];
	if (m->only[state] == frame)
		return state + 1;
	if (m->only[state] != MANY_CHILDREN)
		return 0;
	index = fg_pairs_find(&m->children, state, frame);
	return index == FG_NONE ? 0 : m->child[index];
}

/*
 * The state after "frame".  In a text the failure links that are followed are paid
 * for by the states entered before; in a tree each child of a deep recursion would
 * follow all of them again.  So every sixteenth state of a chain remembers where it
 * led, and a frame that only starts partial stacks needs no link at all.  What is
 * left, a recursion with many different children each of which also occurs inside
 * partial stacks, takes time in the square of the depth, but not memory.
 */
static bool
next_state(Merge *m, uint32_t state, uint32_t frame, uint32_t *next)
{
	uint32_t	from = state;

	if (!m->deeper[frame])
	{
		*next = m->root_child[frame];
		return true;
	}
	for (;; state = m->failure[state])
	{
		*next = child_of(m, state, frame);
		if (*next != 0 || state == 0)
			break;
		if (m->chain[state] % REMEMBER_EVERY == 0)
		{
			uint32_t	known = fg_pairs_find(&m->remembered, state, frame);

			if (known != FG_NONE)
			{
				*next = m->next[known];
				break;
			}
		}
		if (!fg_steps(m->ctx, 1))
			return false;
	}
	for (; from != state; from = m->failure[from])
	{
		if (m->chain[from] % REMEMBER_EVERY == 0 && !remember(m, from, frame, *next))
			return false;
	}
	return true;
}

static bool
name_frames(Merge *m, const FgTree *tree, uint32_t *name)
{
	for (uint32_t f = 0; f < tree->frames.count; f++)
	{
		if (!fg_steps(m->ctx, 1) ||
			!fg_builder_frame(m->builder, fg_frame_bytes(&tree->frames, f),
							  fg_frame_length(&tree->frames, f), &name[f]))
			return false;
		if (name[f] >= m->nframes)
			m->nframes = name[f] + 1;
	}
	return true;
}

/* Enters a node as a child of a state that has others. */
static bool
enter_sibling(Merge *m, uint32_t node)
{
	uint32_t	index;

	if (!fg_pairs_add(&m->children, m->above[node],
					  m->name[fg_key_frame(m->partial->key[node])], &index) ||
		!fg_reserve(m->ctx, (void **) &m->child, &m->child_capacity, (size_t) index + 1,
					sizeof(uint32_t)))
		return false;
	m->child[index] = node;
	return true;
}

static bool
enter_child_of(Merge *m, uint32_t state, uint32_t node)
{
	uint32_t	frame = m->name[fg_key_frame(m->partial->key[node])];

	if (state == 0)
	{
		m->root_child[frame] = node;
		return true;
	}
	m->deeper[frame] = 1;
	if (m->only[state] == NO_CHILD)
		m->only[state] = frame;
	else
	{
		if (m->only[state] != MANY_CHILDREN && !enter_sibling(m, state + 1))
			return false;
		m->only[state] = MANY_CHILDREN;
		return enter_sibling(m, node);
	}
	return true;
}

/* The nodes of the trie, and how far their subtrees go. */
static bool
enter_partial(Merge *m)
{
	const FgTree *partial = m->partial;
	FgWalk		walk;
	bool		ok = fg_walk_begin(m->ctx, partial, &walk);

	while (ok && fg_walk_next(&walk))
	{
		m->above[walk.node] = fg_walk_parent(&walk);
		m->end[walk.node] = walk.node + 1;
		m->only[walk.node] = NO_CHILD;
		ok = enter_child_of(m, m->above[walk.node], walk.node);
	}
	ok = fg_walk_end(&walk) && ok;
	for (uint32_t i = partial->nnodes; ok && i > 0; i--)
	{
		if (m->end[m->above[i]] < m->end[i])
			m->end[m->above[i]] = m->end[i];
		ok = fg_steps(m->ctx, 1);
	}
	return ok;
}

/* Failure links, the shallow states first: order[] is them by depth. */
static bool
link_states(Merge *m, uint32_t *order)
{
	const FgTree *partial = m->partial;

	for (uint32_t i = 0; i < partial->nnodes; i++)
	{
		uint32_t	p = order[i];
		uint32_t	above = m->above[p];

		m->failure[p] = 0;
		if (above != 0 && !next_state(m, m->failure[above],
									  m->name[fg_key_frame(partial->key[p])], &m->failure[p]))
			return false;
		m->chain[p] = m->chain[m->failure[p]] + 1;
	}
	return true;
}

static bool
make_automaton(Merge *m)
{
	const FgTree *partial = m->partial;
	uint32_t	depths = fg_tree_depth_bound(partial) + 2;
	uint32_t   *start = fg_alloc_zero(m->ctx, depths, sizeof(uint32_t));
	uint32_t   *order = fg_alloc(m->ctx, partial->nnodes, sizeof(uint32_t));
	bool		ok = start != NULL && order != NULL && enter_partial(m);

	for (uint32_t i = 1; ok && i <= partial->nnodes; i++)
	{
		start[fg_key_depth(partial->key[i]) + 1]++;
		ok = fg_steps(m->ctx, 1);
	}
	for (uint32_t d = 1; ok && d < depths; d++)
		start[d] += start[d - 1];
	for (uint32_t i = 1; ok && i <= partial->nnodes; i++)
	{
		order[start[fg_key_depth(partial->key[i])]++] = i;
		ok = fg_steps(m->ctx, 1);
	}
	ok = ok && link_states(m, order);
	fg_release(m->ctx, start);
	fg_release(m->ctx, order);
	return ok;
}

/* --- matching ---------------------------------------------------------------------- */

/* The node is a candidate of its state and of the chain behind it. */
static bool
count_candidate(Merge *m, uint32_t node)
{
	for (uint32_t p = m->state[node]; p != 0 && m->candidates[p] < 2; p = m->failure[p])
	{
		if (m->candidates[p]++ == 0)
		{
			m->candidate[p] = node;
			m->news[m->nnews++] = p;
		}
		if (!fg_steps(m->ctx, 1))
			return false;
	}
	return true;
}

/* The complete stacks; their nodes keep their numbers, as they come in preorder. */
static bool
enter_nodes(Merge *m)
{
	const FgTree *tree = m->tree;
	FgWalk		walk;
	bool		ok = fg_walk_begin(m->ctx, tree, &walk);

	while (ok && fg_walk_next(&walk))
	{
		uint32_t	parent = fg_walk_parent(&walk);
		uint32_t	node;

		ok = fg_builder_child(m->builder, parent, m->tree_name[walk.frame], &node) &&
			(tree->self[node] == 0 || fg_builder_add_value(m->builder, node, tree->self[node])) &&
			next_state(m, m->state[parent], m->tree_name[walk.frame], &m->state[node]) &&
			count_candidate(m, node);
	}
	return fg_walk_end(&walk) && ok;
}

static bool
enter_tree(Merge *m)
{
	const FgTree *tree = m->tree;
	bool		ok;

	ok = fg_reserve(m->ctx, (void **) &m->state, &m->state_capacity, (size_t) tree->nnodes + 1,
				   sizeof(uint32_t)) &&
		(tree->self[0] == 0 || fg_builder_add_value(m->builder, 0, tree->self[0]));
	if (ok)
		m->state[0] = 0;
	ok = ok && enter_nodes(m);
	m->nodes = tree->nnodes;
	return ok;
}

/* --- judging ------------------------------------------------------------------------ */

/*
 * Is the next node of the complete stacks the wanted child?  Mostly it is, and it
 * lies beside its parent, where the builder's table is far away.
 */
static inline bool
next_is_child(const Merge *m, uint32_t parent, uint32_t frame)
{
	const FgTree *tree = m->tree;

	return parent < tree->nnodes &&
		fg_key_depth(tree->key[parent + 1]) > fg_key_depth(tree->key[parent]) &&
		m->tree_name[fg_key_frame(tree->key[parent + 1])] == frame;
}

/* A node of the result below another one; a new one gets its state. */
static bool
enter_child(Merge *m, uint32_t parent, uint32_t frame, uint32_t *node)
{
	if (next_is_child(m, parent, frame))
	{
		*node = parent + 1;
		return true;
	}
	if (!fg_builder_child(m->builder, parent, frame, node))
		return false;
	if (*node <= m->nodes)
		return true;
	m->nodes = *node;
	return fg_reserve(m->ctx, (void **) &m->state, &m->state_capacity, (size_t) *node + 1,
					  sizeof(uint32_t)) &&
		next_state(m, m->state[parent], frame, &m->state[*node]);
}

/* A subtree of the partial trie goes to the candidate of its top. */
static bool
place(Merge *m, uint32_t top)
{
	const FgTree *partial = m->partial;
	uint32_t	depth = fg_key_depth(partial->key[top]);

	m->image[0] = m->candidate[top];
	for (uint32_t p = top; p < m->end[top]; p++)
	{
		uint32_t	at = fg_key_depth(partial->key[p]) - depth;

		if (!fg_steps(m->ctx, 1) ||
			(p > top && !enter_child(m, m->image[at - 1], m->name[fg_key_frame(partial->key[p])],
									 &m->image[at])) ||
			(partial->self[p] != 0 &&
			 !fg_builder_add_value(m->builder, m->image[at], partial->self[p])))
			return false;
		m->verdict[p] = PLACED;
	}
	return true;
}

/*
 * Ends a round: judges what has got its first candidate.  That one's parent is a
 * candidate of the state above, and came before; so parents are judged first.
 */
static bool
judge(Merge *m, bool *placed)
{
	*placed = false;
	for (uint32_t i = 0; i < m->nnews; i++)
	{
		uint32_t	p = m->news[i];

		if (!fg_steps(m->ctx, 1))
			return false;
		if (m->verdict[p] != WAITING)
			continue;
		m->verdict[p] = OPEN;
		if (m->candidates[p] > 1 || fg_key_depth(m->partial->key[p]) <= m->threshold)
			continue;
		if (!place(m, p))
			return false;
		*placed = true;
	}
	m->nnews = 0;
	return true;
}

static bool
merge_rounds(Merge *m, uint32_t *rounds)
{
	for (*rounds = 0;; ++*rounds)
	{
		uint32_t	first = m->nodes + 1;
		bool		placed;

		if (!judge(m, &placed))
			return false;
		if (!placed)
			return true;
		for (uint32_t node = first; node <= m->nodes; node++)
		{
			if (!count_candidate(m, node))
				return false;
		}
	}
}

/* --- results ------------------------------------------------------------------------- */

static bool
select_verdict(Merge *m, Verdict wanted, FgTree *result)
{
	size_t		nodes = (size_t) m->partial->nnodes + 1;
	uint8_t    *keep = fg_alloc(m->ctx, nodes, 1);
	bool		ok = keep != NULL;

	for (size_t i = 0; ok && i < nodes; i++)
	{
		keep[i] = m->verdict[i] == wanted;
		ok = fg_check_every(m->ctx, i);
	}
	ok = ok && fg_select_stacks(m->ctx, m->partial, keep, result);
	fg_release(m->ctx, keep);
	return ok;
}

static bool
merge_begin(Merge *m)
{
	size_t		nodes = (size_t) m->partial->nnodes + 1;

	m->builder = fg_builder_create(m->ctx);
	m->name = fg_alloc(m->ctx, m->partial->frames.count, sizeof(uint32_t));
	m->tree_name = fg_alloc(m->ctx, m->tree->frames.count, sizeof(uint32_t));
	m->only = fg_alloc(m->ctx, nodes, sizeof(uint32_t));
	m->above = fg_alloc_zero(m->ctx, nodes, sizeof(uint32_t));
	m->failure = fg_alloc_zero(m->ctx, nodes, sizeof(uint32_t));
	m->chain = fg_alloc_zero(m->ctx, nodes, sizeof(uint32_t));
	m->end = fg_alloc_zero(m->ctx, nodes, sizeof(uint32_t));
	m->verdict = fg_alloc_zero(m->ctx, nodes, 1);
	m->candidates = fg_alloc_zero(m->ctx, nodes, 1);
	m->candidate = fg_alloc_zero(m->ctx, nodes, sizeof(uint32_t));
	m->news = fg_alloc(m->ctx, nodes, sizeof(uint32_t));
	m->image = fg_alloc(m->ctx, (size_t) fg_tree_depth_bound(m->partial) + 1, sizeof(uint32_t));
	return fg_pairs_begin(m->ctx, &m->children) && fg_pairs_begin(m->ctx, &m->remembered) &&
		m->builder != NULL && m->name != NULL && m->tree_name != NULL && m->only != NULL &&
		m->above != NULL && m->failure != NULL && m->chain != NULL && m->end != NULL &&
		m->verdict != NULL && m->candidates != NULL && m->candidate != NULL && m->news != NULL &&
		m->image != NULL;
}

static void
merge_end(Merge *m)
{
	if (m->builder != NULL)
		fg_builder_free(m->builder);
	if (m->children.ctx != NULL)
		fg_pairs_free(&m->children);
	if (m->remembered.ctx != NULL)
		fg_pairs_free(&m->remembered);
	fg_release(m->ctx, m->state);
	fg_release(m->ctx, m->child);
	fg_release(m->ctx, m->root_child);
	fg_release(m->ctx, m->deeper);
	fg_release(m->ctx, m->only);
	fg_release(m->ctx, m->next);
	fg_release(m->ctx, m->name);
	fg_release(m->ctx, m->tree_name);
	fg_release(m->ctx, m->above);
	fg_release(m->ctx, m->failure);
	fg_release(m->ctx, m->chain);
	fg_release(m->ctx, m->end);
	fg_release(m->ctx, m->verdict);
	fg_release(m->ctx, m->candidates);
	fg_release(m->ctx, m->candidate);
	fg_release(m->ctx, m->news);
	fg_release(m->ctx, m->image);
}

bool
fg_merge_partial(FgContext *ctx, const FgTree *tree, const FgTree *partial, uint32_t threshold,
				 FgPartialResult *result)
{
	Merge		m = {.ctx = ctx, .tree = tree, .partial = partial, .threshold = threshold};
	bool		ok;

	memset(result, 0, sizeof(*result));
	ok = merge_begin(&m) && name_frames(&m, tree, m.tree_name) &&
		name_frames(&m, partial, m.name);
	if (ok)
	{
		m.root_child = fg_alloc_zero(ctx, m.nframes, sizeof(uint32_t));
		m.deeper = fg_alloc_zero(ctx, m.nframes, 1);
		m.most_remembered = REMEMBER_PER_NODE * ((uint64_t) tree->nnodes + partial->nnodes);
	}
	ok = ok && m.root_child != NULL && m.deeper != NULL && make_automaton(&m) && enter_tree(&m);
	if (ok)
		m.verdict[0] = OPEN;
	ok = ok && merge_rounds(&m, &result->rounds) &&
		fg_builder_finish(m.builder, &result->merged) &&
		select_verdict(&m, OPEN, &result->ambiguous) &&
		select_verdict(&m, WAITING, &result->unmatched);
	merge_end(&m);
	if (!ok)
	{
		fg_tree_free(ctx, &result->merged);
		fg_tree_free(ctx, &result->ambiguous);
		fg_tree_free(ctx, &result->unmatched);
	}
	return ok;
}
