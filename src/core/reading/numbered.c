/*
 * numbered.c
 *	  Stacks of numbered frames (see numbered.h).
 */
#include "core/reading/numbered.h"

/* A frame of the stack that was walked last, from its root; sums are up to here. */
typedef struct Step
{
	uint32_t	number;
	uint32_t	node;
	uint32_t	unknown_frames;
	uint32_t	control_characters;
} Step;

struct FgNumberedTree
{
	FgKnownFrame *known;		/* by number + 1; one without a number is not known yet */
	size_t		known_count;
	size_t		known_capacity;
	Step	   *steps;
	size_t		depth;
	size_t		step_capacity;
	uint32_t	root;			/* the node that the steps begin at: of a thread, or 0 */
};

void
fg_numbered_begin(FgNumbered *n, FgSink *sink, FgNameFrame name, void *arg)
{
	*n = (FgNumbered) {.ctx = fg_sink_context(sink), .sink = sink, .name = name, .arg = arg};
}

void
fg_numbered_free(FgNumbered *n)
{
	for (size_t i = 0; i < n->count; i++)
	{
		fg_release(n->ctx, n->trees[i].known);
		fg_release(n->ctx, n->trees[i].steps);
	}
	if (n->ctx != NULL)
		fg_release(n->ctx, n->trees);
	*n = (FgNumbered) {.count = 0};
}

void
fg_numbered_forget(FgNumbered *n)
{
	for (size_t i = 0; i < n->count; i++)
		n->trees[i].known_count = n->trees[i].depth = 0;
}

static bool
find_tree(FgNumbered *n, size_t at, FgNumberedTree **tree)
{
	if (at >= n->count)
	{
		if (!fg_reserve(n->ctx, (void **) &n->trees, &n->capacity, at + 1, sizeof(FgNumberedTree)))
			return false;
		while (n->count <= at)
			n->trees[n->count++] = (FgNumberedTree) {.depth = 0};
	}
	*tree = &n->trees[at];
	return true;
}

/* Room for the frame with this number, and all below. */
static bool
reserve_known(FgNumbered *n, FgNumberedTree *tree, size_t at)
{
	if (!fg_reserve(n->ctx, (void **) &tree->known, &tree->known_capacity, at + 1, sizeof(FgKnownFrame)))
		return false;
	for (; tree->known_count <= at; tree->known_count++)
	{
		tree->known[tree->known_count] = (FgKnownFrame) {.number = FG_NONE};
		if (!fg_check_every(n->ctx, tree->known_count))
			return false;
	}
	return true;
}

static bool
know(FgNumbered *n, FgNumberedTree *tree, const FgStackPlace *place, uint32_t number,
	 const FgKnownFrame **known)
{
	/* FG_NONE is the first */
	size_t		at = (uint32_t) (number + 1);
	const char *name;
	size_t		length;

	if (at >= tree->known_count && !reserve_known(n, tree, at))
		return false;
	*known = &tree->known[at];
	return (*known)->number != FG_NONE ||
		(n->name(n->arg, number, &name, &length) &&
		 fg_sink_know(n->sink, place->number, place->truncated, name, length, &tree->known[at]));
}

static bool
find_root(FgNumbered *n, const FgNumberedStack *stack, FgStackPlace *place)
{
	FgKnownFrame known;

	/* a thread without a name is no frame that is not known */
	if (stack->thread == NULL)
		return true;
	if (!fg_sink_know(n->sink, place->number, place->truncated, stack->thread, stack->thread_length, &known))
		return false;
	place->control_characters = known.control_characters;
	return fg_sink_step(n->sink, place->number, place->truncated, &known, &place->node);
}

/* From the root. */
static inline uint32_t
number_at(const FgNumberedStack *stack, size_t at)
{
	return stack->numbers[stack->order == FG_ROOT_FIRST ? at : stack->count - 1 - at];
}

/* Goes on from where the stack leaves the one before; "place" stands at the root. */
static bool
walk(FgNumbered *n, FgNumberedTree *tree, const FgNumberedStack *stack, FgStackPlace *place)
{
	size_t		count = stack->count;
	size_t		most = tree->root != place->node ? 0 : count < tree->depth ? count : tree->depth;
	size_t		same = 0;
	Step		step = {.node = place->node};

	if (count == 0)
		return true;
	while (same < most && tree->steps[same].number == number_at(stack, same))
		same++;
	tree->root = place->node;
	tree->depth = same;
	if (!fg_reserve(n->ctx, (void **) &tree->steps, &tree->step_capacity, count, sizeof(Step)))
		return false;
	if (same > 0)
		step = tree->steps[same - 1];
	while (tree->depth < count)
	{
		const FgKnownFrame *known;

		step.number = number_at(stack, tree->depth);
		if (!know(n, tree, place, step.number, &known) ||
			!fg_sink_step(n->sink, place->number, place->truncated, known, &step.node))
			return false;
		step.unknown_frames += known->unknown;
		step.control_characters += known->control_characters;
		tree->steps[tree->depth++] = step;
	}
	place->node = step.node;
	place->unknown_frames += step.unknown_frames;
	place->control_characters += step.control_characters;
	return true;
}

bool
fg_numbered_place(FgNumbered *n, uint32_t profile, const FgNumberedStack *stack, FgStackPlace *place)
{
	FgNumberedTree *tree;

	*place = (FgStackPlace) {
		.number = profile,
		.truncated = stack->truncated || fg_sink_is_deep(n->sink, stack->count),
		.without_stack = stack->count == 0
	};
	if (stack->count > FG_MAX_DEPTH)
		return fg_fail(n->ctx, FG_ERROR_LIMIT, "a stack has more than %u frames", FG_MAX_DEPTH);
	return find_tree(n, (size_t) profile * 2 + place->truncated, &tree) &&
		find_root(n, stack, place) && walk(n, tree, stack, place);
}
