/*
 * access.c
 *	  Lists of what leaves use (see access.h).
 *
 * Access is a list of ranges in the preorder of the resources.  Equal lists get equal
 * numbers: a list is numbered like a word in a trie, whose edges are FgPairs.
 */
#include "core/jobs/access.h"

#include "core/base/pairs.h"
#include "core/jobs/intervals.h"
#include "core/jobs/keys_sort.h"

#include <math.h>

typedef struct Access
{
	FgContext  *ctx;
	const FgJob *job;
	const FgJobOptions *options;
	FgUses	   *uses;
	uint32_t   *first_mapping;	/* by phase: its rows in mapped[] */
	uint32_t   *mapped;			/* resources */
	FgTimeRanges ranges;			/* of places in the tree of resources; of all sets */
	size_t	   *first_range;	/* by set, one more */
	size_t		set_count;
	size_t		set_capacity;
	uint32_t   *set_of;			/* by phase */
	FgPairs		trie;			/* of sets */
	FgPairs		set_numbers;	/* (node of the trie, 0) of each set */
	FgPairs		kinds;			/* (set, phase type) of each list */
	FgPairs		rules;			/* (phase type, resource type) of each rule */
	FgPairs		asked;			/* the same of all that were asked for */
	uint32_t   *answer;			/* by number of these: the rule, FG_NONE for none */
	size_t		answer_capacity;
	uint32_t   *ruled;			/* by phase type: the nearest one with rules, or FG_NONE */
	uint32_t   *rank;			/* by resource: its place by type */
	FgSortKey  *keys;
	FgSortKey  *spare;
	FgUse	   *sorted;
} Access;

/* --- rules ---------------------------------------------------------------------------- */

/* Types without any rule need not be looked at when rules are looked for. */
static bool
skip_unruled(Access *a)
{
	const FgJob *job = a->job;
	const FgJobTree *tree = &job->phase_type_tree;

	a->ruled = fg_alloc(a->ctx, job->phase_type_count, sizeof(uint32_t));
	if (a->ruled == NULL)
		return false;
	for (uint32_t t = 0; t < job->phase_type_count; t++)
		a->ruled[t] = FG_NONE;
	for (uint32_t i = 0; i < job->rule_count; i++)
	{
		uint32_t	number;

		a->ruled[job->rules[i].phase_type] = job->rules[i].phase_type;
		if (!fg_pairs_add(&a->rules, job->rules[i].phase_type, job->rules[i].resource_type,
						  &number) || !fg_check_every(a->ctx, i))
			return false;
		if (number != i)
			return fg_fail(a->ctx, FG_ERROR_ARGUMENT, "two rules for the same types");
	}
	for (uint32_t i = 0; i < tree->count; i++)
	{
		uint32_t	t = tree->order[i];

		if (a->ruled[t] == FG_NONE && job->phase_types[t].parent != FG_NONE)
			a->ruled[t] = a->ruled[job->phase_types[t].parent];
	}
	return true;
}

static uint32_t
look_up(const Access *a, uint32_t phase_type, uint32_t resource_type)
{
	for (uint32_t t = a->ruled[phase_type]; t != FG_NONE;)
	{
		uint32_t	rule = fg_pairs_find(&a->rules, t, resource_type);
		uint32_t	parent = a->job->phase_types[t].parent;

		if (rule != FG_NONE)
			return rule;
		t = parent == FG_NONE ? FG_NONE : a->ruled[parent];
	}
	return FG_NONE;
}

static bool
rule_for(Access *a, uint32_t phase_type, uint32_t resource_type, uint32_t *rule)
{
	uint32_t	before = a->asked.count;
	uint32_t	number;

	if (!fg_pairs_add(&a->asked, phase_type, resource_type, &number))
		return false;
	if (number == before)
	{
		if (!fg_reserve(a->ctx, (void **) &a->answer, &a->answer_capacity, (size_t) number + 1,
						sizeof(uint32_t)))
			return false;
		a->answer[number] = look_up(a, phase_type, resource_type);
	}
	*rule = a->answer[number];
	return true;
}

/* --- access --------------------------------------------------------------------------- */

static bool
group_mappings(Access *a)
{
	const FgJob *job = a->job;
	uint32_t	sum = 0;

	a->first_mapping = fg_alloc_zero(a->ctx, (size_t) job->phase_count + 1, sizeof(uint32_t));
	a->mapped = fg_alloc(a->ctx, job->mapping_count, sizeof(uint32_t));
	if (a->first_mapping == NULL || a->mapped == NULL)
		return false;
	for (uint32_t m = 0; m < job->mapping_count; m++)
		a->first_mapping[job->mappings[m].phase]++;
	for (uint32_t p = 0; p <= job->phase_count; p++)
	{
		sum += a->first_mapping[p];
		a->first_mapping[p] = sum;
	}
	for (uint32_t m = job->mapping_count; m-- > 0;)
	{
		a->mapped[--a->first_mapping[job->mappings[m].phase]] = job->mappings[m].resource;
		if (!fg_check_every(a->ctx, m))
			return false;
	}
	return true;
}

/* The ranges that are ranges.list[first ..] get the number of the set that has them. */
static bool
number_set(Access *a, size_t first, uint32_t *set)
{
	uint32_t	node = FG_NONE;

	for (size_t i = first; i < a->ranges.count; i++)
	{
		if (!fg_pairs_add(&a->trie, node, (uint32_t) a->ranges.list[i].start, &node) ||
			!fg_pairs_add(&a->trie, node, (uint32_t) a->ranges.list[i].end, &node))
			return false;
	}
	if (!fg_pairs_add(&a->set_numbers, node, 0, set))
		return false;
	if (*set < a->set_count)
	{
		a->ranges.count = first;
		return true;
	}
	if (!fg_reserve(a->ctx, (void **) &a->first_range, &a->set_capacity, a->set_count + 2,
					sizeof(size_t)))
		return false;
	a->first_range[a->set_count++] = first;
	a->first_range[a->set_count] = a->ranges.count;
	return true;
}

static bool
own_set(Access *a, uint32_t phase, FgTimeRanges *mine, FgTimeRanges *spare)
{
	const FgJobTree *tree = &a->job->resource_tree;
	size_t		first = a->ranges.count;

	fg_intervals_clear(mine);
	for (uint32_t m = a->first_mapping[phase]; m < a->first_mapping[phase + 1]; m++)
	{
		uint32_t	resource = a->mapped[m];

		if (!fg_intervals_add(a->ctx, mine, tree->place[resource],
							  (int64_t) tree->last[resource] + 1) || !fg_steps(a->ctx, 1))
			return false;
	}
	if (!fg_intervals_unite(a->ctx, mine, spare))
		return false;
	for (size_t i = 0; i < mine->count; i++)
	{
		if (!fg_intervals_add(a->ctx, &a->ranges, mine->list[i].start, mine->list[i].end))
			return false;
	}
	return number_set(a, first, &a->set_of[phase]);
}

static bool
make_sets(Access *a)
{
	const FgJob *job = a->job;
	FgTimeRanges mine = {.list = NULL};
	FgTimeRanges spare = {.list = NULL};
	bool		ok = group_mappings(a) &&
		(a->set_of = fg_alloc(a->ctx, job->phase_count, sizeof(uint32_t))) != NULL;

	/* a root without rows has everything */
	ok = ok && fg_intervals_add(a->ctx, &a->ranges, 0, job->resource_count) &&
		number_set(a, 0, &a->set_of[job->root]);
	for (uint32_t i = 0; ok && i < job->phase_count; i++)
	{
		uint32_t	p = job->phase_tree.order[i];

		if (a->first_mapping[p] < a->first_mapping[p + 1])
			ok = own_set(a, p, &mine, &spare);
		else if (p != job->root)
			a->set_of[p] = a->set_of[job->phases[p].parent];
		ok = ok && fg_check_every(a->ctx, i);
	}
	fg_intervals_free(a->ctx, &mine);
	fg_intervals_free(a->ctx, &spare);
	return ok;
}

/* --- lists ----------------------------------------------------------------------------- */

/* Resources by type, consumable ones before blocking ones. */
static bool
rank_resources(Access *a)
{
	const FgJob *job = a->job;
	uint32_t	count = job->resource_count;

	a->rank = fg_alloc(a->ctx, count, sizeof(uint32_t));
	a->keys = fg_alloc(a->ctx, count, sizeof(FgSortKey));
	a->spare = fg_alloc(a->ctx, count, sizeof(FgSortKey));
	a->sorted = fg_alloc(a->ctx, count, sizeof(FgUse));
	if (a->rank == NULL || a->keys == NULL || a->spare == NULL || a->sorted == NULL)
		return false;
	for (uint32_t r = 0; r < count; r++)
	{
		bool		blocking = fg_resource_class(job, r) == FG_RESOURCE_BLOCKING;

		a->keys[r] = (FgSortKey) {
			job->resources[r].type + (blocking ? (int64_t) job->resource_type_count : 0), r
		};
	}
	if (!fg_sort_keys(a->ctx, a->keys, count, a->spare))
		return false;
	for (uint32_t i = 0; i < count; i++)
		a->rank[a->keys[i].item] = i;
	return true;
}

/* How a leaf of this type uses a resource; kind none when it does not. */
static bool
use_of(Access *a, uint32_t phase_type, uint32_t resource, FgUse *use)
{
	const FgJobOptions *options = a->options;
	FgResourceClass class = fg_resource_class(a->job, resource);
	uint32_t	rule;

	*use = (FgUse) {.resource = resource, .rule = FG_NONE, .delta = options->delta};
	use->kind = class == FG_RESOURCE_BLOCKING ? FG_RULE_FULL : FG_RULE_SINK;
	if (class == FG_RESOURCE_CONTAINER || (class == FG_RESOURCE_BLOCKING && !options->use_blocking))
	{
		use->kind = FG_RULE_NONE;
		return true;
	}
	if (!rule_for(a, phase_type, a->job->resources[resource].type, &rule))
		return false;
	if (rule == FG_NONE)
		return true;
	use->rule = rule;
	use->kind = a->job->rules[rule].kind;
	if (!isnan(a->job->rules[rule].delta))
		use->delta = a->job->rules[rule].delta;
	if (use->kind == FG_RULE_GREEDY && !options->use_greedy)
		use->kind = FG_RULE_SINK;
	if (use->kind == FG_RULE_GREEDY)
		use->cap = a->job->rules[rule].cap;
	return true;
}

/* Appends the uses of the resources in one set. */
static bool
collect_uses(Access *a, uint32_t set, uint32_t phase_type)
{
	FgUses	   *uses = a->uses;

	for (size_t i = a->first_range[set]; i < a->first_range[set + 1]; i++)
	{
		for (int64_t place = a->ranges.list[i].start; place < a->ranges.list[i].end; place++)
		{
			FgUse		use;

			if (!use_of(a, phase_type, a->job->resource_tree.order[place], &use) ||
				!fg_steps(a->ctx, 1))
				return false;
			if (use.kind == FG_RULE_NONE)
				continue;
			if (!fg_reserve(a->ctx, (void **) &uses->uses, &uses->use_capacity,
							uses->use_count + 1, sizeof(FgUse)))
				return false;
			uses->uses[uses->use_count++] = use;
		}
	}
	return uses->use_count < FG_UNKNOWN ||
		fg_fail(a->ctx, FG_ERROR_LIMIT, "too many phases use too many resources");
}

static bool
sort_uses(Access *a, FgUseList *list)
{
	/* there may be no array yet */
	FgUse	   *uses = list->count == 0 ? NULL : a->uses->uses + list->first;

	for (uint32_t i = 0; i < list->count; i++)
	{
		a->keys[i] = (FgSortKey) {a->rank[uses[i].resource], i};
		list->consumable += uses[i].kind != FG_RULE_FULL;
	}
	if (!fg_sort_keys(a->ctx, a->keys, list->count, a->spare))
		return false;
	for (uint32_t i = 0; i < list->count; i++)
		a->sorted[i] = uses[a->keys[i].item];
	return fg_copy(a->ctx, uses, a->sorted, list->count * sizeof(FgUse));
}

static bool
list_for(Access *a, uint32_t leaf, uint32_t *number)
{
	FgUses	   *uses = a->uses;
	uint32_t	type = a->job->phases[leaf].type;
	FgUseList	list = {.first = (uint32_t) uses->use_count};

	if (!fg_pairs_add(&a->kinds, a->set_of[leaf], type, number))
		return false;
	if (*number < uses->list_count)
		return true;
	if (!fg_reserve(a->ctx, (void **) &uses->lists, &uses->list_capacity, uses->list_count + 1,
					sizeof(FgUseList)) || !collect_uses(a, a->set_of[leaf], type))
		return false;
	list.count = (uint32_t) (uses->use_count - list.first);
	if (!sort_uses(a, &list))
		return false;
	uses->lists[uses->list_count++] = list;
	return true;
}

static bool
make_lists(Access *a)
{
	const FgJob *job = a->job;
	FgUses	   *uses = a->uses;
	uint64_t	slots = 0;

	uses->list_of = fg_alloc(a->ctx, job->phase_count, sizeof(uint32_t));
	uses->first_slot = fg_alloc(a->ctx, (size_t) job->phase_count + 1, sizeof(uint32_t));
	if (uses->list_of == NULL || uses->first_slot == NULL)
		return false;
	for (uint32_t p = 0; p < job->phase_count; p++)
	{
		uses->list_of[p] = FG_NONE;
		uses->first_slot[p] = (uint32_t) slots;
		if (fg_phase_is_leaf(job, p))
		{
			if (!list_for(a, p, &uses->list_of[p]))
				return false;
			slots += uses->lists[uses->list_of[p]].consumable;
		}
		if (slots >= FG_UNKNOWN)
			return fg_fail(a->ctx, FG_ERROR_LIMIT, "too many phases use too many resources");
		if (!fg_check_every(a->ctx, p))
			return false;
	}
	uses->first_slot[job->phase_count] = (uint32_t) slots;
	return true;
}

/* --- the other way round ------------------------------------------------------------------ */

static bool
group_leaves(FgContext *ctx, const FgJob *job, FgUses *uses)
{
	uint32_t   *first = fg_alloc_zero(ctx, uses->list_count + 1, sizeof(uint32_t));
	uint32_t	sum = 0;

	uses->first_leaf = first;
	uses->leaf = fg_alloc(ctx, job->phase_count, sizeof(uint32_t));
	if (first == NULL || uses->leaf == NULL)
		return false;
	for (uint32_t p = 0; p < job->phase_count; p++)
	{
		if (uses->list_of[p] != FG_NONE)
			first[uses->list_of[p]]++;
	}
	for (size_t l = 0; l <= uses->list_count; l++)
	{
		sum += first[l];
		first[l] = sum;
	}
	for (uint32_t p = job->phase_count; p-- > 0;)
	{
		if (uses->list_of[p] != FG_NONE)
			uses->leaf[--first[uses->list_of[p]]] = p;
		if (!fg_check_every(ctx, p))
			return false;
	}
	return true;
}

static bool
group_uses(FgContext *ctx, const FgJob *job, FgUses *uses)
{
	uint32_t   *first = fg_alloc_zero(ctx, (size_t) job->resource_count + 1, sizeof(uint32_t));
	uint32_t	sum = 0;

	uses->first_by_resource = first;
	uses->by_resource = fg_alloc(ctx, uses->use_count, sizeof(uint32_t));
	uses->list_by_resource = fg_alloc(ctx, uses->use_count, sizeof(uint32_t));
	if (first == NULL || uses->by_resource == NULL || uses->list_by_resource == NULL)
		return false;
	for (size_t i = 0; i < uses->use_count; i++)
	{
		if (uses->uses[i].kind != FG_RULE_FULL)
			first[uses->uses[i].resource]++;
	}
	for (uint32_t r = 0; r <= job->resource_count; r++)
	{
		sum += first[r];
		first[r] = sum;
	}
	for (size_t l = uses->list_count; l-- > 0;)
	{
		const FgUseList *list = &uses->lists[l];

		for (uint32_t i = 0; i < list->consumable; i++)
		{
			uint32_t	at = --first[uses->uses[list->first + i].resource];

			uses->by_resource[at] = list->first + i;
			uses->list_by_resource[at] = (uint32_t) l;
		}
		if (!fg_steps(ctx, (size_t) list->consumable + 1))
			return false;
	}
	return true;
}

/* --- beginning and end -------------------------------------------------------------------- */

static void
access_free(Access *a)
{
	FgPairs    *const pairs[] = {&a->trie, &a->set_numbers, &a->kinds, &a->rules, &a->asked};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		fg_pairs_free(pairs[i]);
	fg_intervals_free(a->ctx, &a->ranges);
	fg_release(a->ctx, a->first_mapping);
	fg_release(a->ctx, a->mapped);
	fg_release(a->ctx, a->first_range);
	fg_release(a->ctx, a->set_of);
	fg_release(a->ctx, a->answer);
	fg_release(a->ctx, a->ruled);
	fg_release(a->ctx, a->rank);
	fg_release(a->ctx, a->keys);
	fg_release(a->ctx, a->spare);
	fg_release(a->ctx, a->sorted);
}

bool
fg_uses_make(FgContext *ctx, const FgJob *job, const FgJobOptions *options, FgUses *uses)
{
	Access		a = {.ctx = ctx, .job = job, .options = options, .uses = uses};
	bool		ok;

	*uses = (FgUses) {.uses = NULL};
	ok = fg_pairs_begin(ctx, &a.trie) && fg_pairs_begin(ctx, &a.set_numbers) &&
		fg_pairs_begin(ctx, &a.kinds) && fg_pairs_begin(ctx, &a.rules) &&
		fg_pairs_begin(ctx, &a.asked) && skip_unruled(&a) && make_sets(&a) &&
		rank_resources(&a) && make_lists(&a) && group_leaves(ctx, job, uses) &&
		group_uses(ctx, job, uses);
	access_free(&a);
	return ok;
}

void
fg_uses_free(FgContext *ctx, FgUses *uses)
{
	fg_release(ctx, uses->uses);
	fg_release(ctx, uses->lists);
	fg_release(ctx, uses->list_of);
	fg_release(ctx, uses->leaf);
	fg_release(ctx, uses->first_leaf);
	fg_release(ctx, uses->first_slot);
	fg_release(ctx, uses->by_resource);
	fg_release(ctx, uses->list_by_resource);
	fg_release(ctx, uses->first_by_resource);
}
