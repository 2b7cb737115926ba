/*
 * issues.c
 *	  Algorithm 3 as a loop over phases with a stack of records (see issues.h).
 */
#include "core/bottlenecks/issues.h"

/* Phases whose parent has not been asked yet, and how many records each has on the stack. */
typedef struct Pending
{
	uint32_t	phase;
	size_t		count;
} Pending;

typedef struct Walk
{
	FgContext  *ctx;
	const FgJob *job;
	const FgIssueRule *rule;
	void	   *arg;
	FgRecords	stack;
	FgRecords	fresh;			/* of the phase at hand */
	Pending    *pending;
	size_t		pending_count;
	size_t		pending_capacity;
	FgChildRecords *children;
	size_t		child_capacity;
} Walk;

void *
fg_records_add(FgRecords *records)
{
	if (!fg_reserve(records->ctx, (void **) &records->bytes, &records->capacity,
					records->count + 1, records->size))
		return NULL;
	return records->bytes + records->size * records->count++;
}

/*
 * The children of a phase are the last ones on the stack.  The walk is from the end of the
 * preorder, so the first child came last.
 */
static bool
combine(Walk *w, uint32_t phase, uint32_t count)
{
	size_t		at = w->stack.count;

	if (!fg_reserve(w->ctx, (void **) &w->children, &w->child_capacity, count,
					sizeof(FgChildRecords)))
		return false;
	for (uint32_t c = 0; c < count; c++)
	{
		const Pending *child = &w->pending[--w->pending_count];

		at -= child->count;
		w->children[c] =
			(FgChildRecords) {child->phase, w->stack.bytes + at * w->stack.size, child->count};
		if (!fg_steps(w->ctx, 1))
			return false;
	}
	if (!w->rule->composite(w->arg, phase, w->children, count, &w->fresh))
		return false;
	w->stack.count = at;
	return true;
}

static bool
push(Walk *w, uint32_t phase)
{
	FgRecords  *stack = &w->stack;
	size_t		count = w->fresh.count;

	if (!fg_reserve(w->ctx, (void **) &stack->bytes, &stack->capacity, stack->count + count,
					stack->size) ||
		!fg_reserve(w->ctx, (void **) &w->pending, &w->pending_capacity, w->pending_count + 1,
					sizeof(Pending)))
		return false;
	if (count > 0 &&
		!fg_copy(w->ctx, stack->bytes + stack->count * stack->size, w->fresh.bytes,
				 count * stack->size))
		return false;
	stack->count += count;
	w->pending[w->pending_count++] = (Pending) {phase, count};
	return fg_work(w->ctx, count * stack->size);
}

static bool
visit(Walk *w, uint32_t phase)
{
	const FgJobTree *tree = &w->job->phase_tree;
	uint32_t	children = tree->first_child[phase + 1] - tree->first_child[phase];

	w->fresh.count = 0;
	return (children == 0 ? w->rule->leaf(w->arg, phase, &w->fresh) :
			combine(w, phase, children)) &&
		w->rule->extract(w->arg, phase, w->fresh.bytes, w->fresh.count) && push(w, phase);
}

bool
fg_apply_rule(FgContext *ctx, const FgJob *job, const FgIssueRule *rule, void *arg)
{
	Walk		w = {
		.ctx = ctx, .job = job, .rule = rule, .arg = arg,
		.stack = {.ctx = ctx, .size = rule->record_size},
		.fresh = {.ctx = ctx, .size = rule->record_size}
	};
	bool		ok = true;

	for (uint32_t i = job->phase_count; ok && i-- > 0;)
		ok = fg_check_every(ctx, i) && visit(&w, job->phase_tree.order[i]);
	fg_release(ctx, w.stack.bytes);
	fg_release(ctx, w.fresh.bytes);
	fg_release(ctx, w.pending);
	fg_release(ctx, w.children);
	return ok;
}
