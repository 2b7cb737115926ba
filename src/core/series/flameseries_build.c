/*
 * flameseries_build.c
 *	  Series of profiles and of series (see flameseries_build.h).
 */
#include "core/series/flameseries_build.h"

#include "core/base/order.h"
#include "core/profile/walk.h"

#include <string.h>

bool
fg_flameseries_builder_begin(FgContext *ctx, FgFlameseriesBuilder *builder)
{
	*builder = (FgFlameseriesBuilder) {.ctx = ctx, .stacks = fg_tree_sum_nodes_create(ctx)};
	if (builder->stacks != NULL && fg_names_begin(ctx, &builder->instances) &&
		fg_reserve(ctx, (void **) &builder->start, &builder->start_capacity, 1, sizeof(uint32_t)))
	{
		builder->start[0] = 0;
		return true;
	}
	fg_flameseries_builder_free(builder);
	return false;
}

void
fg_flameseries_builder_free(FgFlameseriesBuilder *builder)
{
	if (builder->ctx == NULL)
		return;
	fg_tree_sum_free(builder->stacks);
	fg_names_free(&builder->instances);
	fg_release(builder->ctx, builder->at);
	fg_release(builder->ctx, builder->instance);
	fg_release(builder->ctx, builder->start);
	fg_release(builder->ctx, builder->node);
	fg_release(builder->ctx, builder->value);
	memset(builder, 0, sizeof(*builder));
}

/* --- adding ------------------------------------------------------------------ */

static bool
room_for_profile(FgFlameseriesBuilder *builder)
{
	FgContext  *ctx = builder->ctx;
	size_t		count = (size_t) builder->count + 1;

	if (count > FG_FLAMESERIES_MAX_PROFILES)
		return fg_fail(ctx, FG_ERROR_LIMIT, "a series has more than %u profiles",
					   FG_FLAMESERIES_MAX_PROFILES);
	return fg_reserve(ctx, (void **) &builder->at, &builder->at_capacity, count,
					  sizeof(int64_t)) &&
		fg_reserve(ctx, (void **) &builder->instance, &builder->instance_capacity, count,
				   sizeof(uint32_t)) &&
		fg_reserve(ctx, (void **) &builder->start, &builder->start_capacity, count + 1,
				   sizeof(uint32_t));
}

static bool
room_for_entries(FgFlameseriesBuilder *builder, size_t more)
{
	FgContext  *ctx = builder->ctx;
	size_t		count = builder->start[builder->count] + more;

	if (count > FG_FLAMESERIES_MAX_VALUES)
		return fg_fail(ctx, FG_ERROR_LIMIT, "a series has more than %u values",
					   FG_FLAMESERIES_MAX_VALUES);
	return fg_reserve(ctx, (void **) &builder->node, &builder->node_capacity, count,
					  sizeof(uint32_t)) &&
		fg_reserve(ctx, (void **) &builder->value, &builder->value_capacity, count,
				   sizeof(double));
}

static bool
name_instance(FgFlameseriesBuilder *builder, const char *name, size_t length, uint32_t *instance)
{
	uint32_t	number;

	*instance = 0;
	if (length == 0)
		return true;
	if (!fg_frame_valid(builder->ctx, name, length) ||
		!fg_names_add(&builder->instances, name, length, &number))
		return false;
	*instance = number + 1;
	return true;
}

/* One more value of the profile at hand. */
static void
append_entry(FgFlameseriesBuilder *builder, uint32_t *end, uint32_t node, double value)
{
	fg_tree_sum_node_add(builder->stacks, node, 1);
	builder->node[*end] = node;
	builder->value[(*end)++] = value;
}

/* The entries up to "end" are those of one more profile. */
static void
append_profile(FgFlameseriesBuilder *builder, int64_t at, uint32_t instance, uint32_t end)
{
	builder->at[builder->count] = at;
	builder->instance[builder->count] = instance;
	builder->start[++builder->count] = end;
}

/* node[] by node of the tree. */
static bool
add_values(FgFlameseriesBuilder *builder, int64_t at, uint32_t instance, const FgTree *tree,
		   const uint32_t *node)
{
	uint32_t	end = builder->start[builder->count];

	if (!room_for_profile(builder) || !room_for_entries(builder, (size_t) tree->nnodes + 1))
		return false;
	for (size_t i = 0; i <= tree->nnodes; i++)
	{
		if (!fg_check_every(builder->ctx, i))
			return false;
		if (tree->self[i] != 0)
			append_entry(builder, &end, node[i], tree->self[i]);
	}
	append_profile(builder, at, instance, end);
	return true;
}

bool
fg_flameseries_add(FgFlameseriesBuilder *builder, int64_t at, const char *instance, size_t length,
			  const FgTree *tree)
{
	uint32_t   *node;
	uint32_t	number;
	bool		ok;

	if (!name_instance(builder, instance, length, &number))
		return false;
	node = fg_alloc(builder->ctx, (size_t) tree->nnodes + 1, sizeof(uint32_t));
	ok = node != NULL && fg_tree_sum_nodes_of(builder->stacks, tree, node) &&
		add_values(builder, at, number, tree, node);
	fg_release(builder->ctx, node);
	return ok;
}

bool
fg_flameseries_add_encoded(FgFlameseriesBuilder *builder, int64_t at, const char *instance,
						   size_t length, const uint8_t *bytes, size_t size)
{
	const uint32_t *node;
	uint32_t	number;
	FgTree		tree;
	bool		ok;

	if (!name_instance(builder, instance, length, &number) ||
		!fg_tree_sum_nodes_of_encoded(builder->stacks, bytes, size, &tree, &node))
		return false;
	ok = add_values(builder, at, number, &tree, node);
	fg_tree_free(builder->ctx, &tree);
	return ok;
}

/* The profiles of a series, by maps of its nodes and its instances. */
static bool
add_profiles(FgFlameseriesBuilder *builder, const FgFlameseries *series,
			 const FgFlameseriesWindow *window, const uint32_t *node_map, uint32_t *instance_map)
{
	for (uint32_t p = 0; p < series->count; p++)
	{
		uint32_t	from = series->instance[p];
		uint32_t	end = builder->start[builder->count];
		uint32_t	entries = series->start[p + 1] - series->start[p];

		if (!fg_steps(builder->ctx, entries))
			return false;
		if (!fg_flameseries_in_window(window, series->at[p], from))
			continue;
		if (from != 0 && instance_map[from] == 0 &&
			!name_instance(builder, fg_frame_bytes(&series->instances, from - 1),
						   fg_frame_length(&series->instances, from - 1), &instance_map[from]))
			return false;
		if (!room_for_profile(builder) || !room_for_entries(builder, entries))
			return false;
		for (uint32_t e = series->start[p]; e < series->start[p + 1]; e++)
			append_entry(builder, &end, node_map[series->node[e]], series->value[e]);
		append_profile(builder, series->at[p], instance_map[from], end);
	}
	return true;
}

bool
fg_flameseries_add_series(FgFlameseriesBuilder *builder, const FgFlameseries *series,
						  const FgFlameseriesWindow *window)
{
	FgContext  *ctx = builder->ctx;
	uint32_t   *instance_map = fg_alloc_zero(ctx, (size_t) series->instances.count + 1,
											 sizeof(uint32_t));
	uint32_t   *node_map = fg_alloc(ctx, (size_t) series->tree.nnodes + 1, sizeof(uint32_t));
	bool		ok;

	ok = instance_map != NULL && node_map != NULL &&
		fg_tree_sum_nodes_of(builder->stacks, &series->tree, node_map) &&
		add_profiles(builder, series, window, node_map, instance_map);
	fg_release(ctx, node_map);
	fg_release(ctx, instance_map);
	return ok;
}

/* --- the one order ------------------------------------------------------------- */

typedef struct Places
{
	const FgFlameseriesBuilder *builder;
	uint32_t   *node;			/* by node of the trie: its place in the tree */
	uint32_t   *instance;		/* by name: its place among the instances */
} Places;

static uint32_t
instance_place(const Places *places, uint32_t profile)
{
	uint32_t	instance = places->builder->instance[profile];

	return instance == 0 ? 0 : places->instance[instance - 1] + 1;
}

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

static int
compare_entries(const Places *places, uint32_t a, uint32_t b)
{
	const FgFlameseriesBuilder *builder = places->builder;
	uint32_t	i = builder->start[a];
	uint32_t	j = builder->start[b];

	for (; i < builder->start[a + 1] && j < builder->start[b + 1]; i++, j++)
	{
		uint32_t	node_i = places->node[builder->node[i]];
		uint32_t	node_j = places->node[builder->node[j]];

		if (node_i != node_j)
			return COMPARE(node_i, node_j);
		if (builder->value[i] != builder->value[j])
			return COMPARE(builder->value[i], builder->value[j]);
	}
	return COMPARE(builder->start[a + 1] - i, builder->start[b + 1] - j);
}

static int
compare_profiles(const void *arg, uint32_t a, uint32_t b)
{
	const Places *places = arg;
	int			order = COMPARE(places->builder->at[a], places->builder->at[b]);

	if (order == 0)
		order = COMPARE(instance_place(places, a), instance_place(places, b));
	return order != 0 ? order : compare_entries(places, a, b);
}

/* --- the series ---------------------------------------------------------------- */

static bool
alloc_series(FgContext *ctx, FgFlameseries *series, uint32_t count, uint32_t entries)
{
	series->at = fg_alloc(ctx, count, sizeof(int64_t));
	series->instance = fg_alloc(ctx, count, sizeof(uint32_t));
	series->start = fg_alloc(ctx, (size_t) count + 1, sizeof(uint32_t));
	series->node = fg_alloc(ctx, entries, sizeof(uint32_t));
	series->value = fg_alloc(ctx, entries, sizeof(double));
	return series->at != NULL && series->instance != NULL && series->start != NULL &&
		series->node != NULL && series->value != NULL;
}

/*
 * The entries of a profile, from "end" on.  They come in the order of the tree, as they did in the
 * profile, unless its dictionary is not sorted or has a frame twice: nobody has looked before.
 */
static bool
fill_profile(const Places *places, uint32_t profile, FgFlameseries *series, uint32_t *end)
{
	const FgFlameseriesBuilder *builder = places->builder;
	uint32_t	first = builder->start[profile];
	uint32_t	last = builder->start[profile + 1];
	bool		in_order = true;

	for (uint32_t e = first; e < last; e++)
	{
		series->node[*end] = places->node[builder->node[e]];
		in_order &= e == first || series->node[*end - 1] < series->node[*end];
		series->value[(*end)++] = builder->value[e];
	}
	if (!in_order)
		return fg_fail(builder->ctx, FG_ERROR_CORRUPT, "the frame dictionary is damaged");
	return fg_steps(builder->ctx, last - first);
}

/* The profiles in that order. */
static bool
fill_series(const Places *places, const uint32_t *order, FgFlameseries *series)
{
	const FgFlameseriesBuilder *builder = places->builder;
	uint32_t	end = 0;

	for (uint32_t p = 0; p < builder->count; p++)
	{
		uint32_t	from = order[p];

		series->at[p] = builder->at[from];
		series->instance[p] = instance_place(places, from);
		series->start[p] = end;
		if (!fill_profile(places, from, series, &end))
			return false;
	}
	series->start[builder->count] = end;
	series->count = builder->count;
	return true;
}

static bool
order_series(const Places *places, FgFlameseries *series)
{
	const FgFlameseriesBuilder *builder = places->builder;
	FgContext  *ctx = builder->ctx;
	uint32_t   *order = fg_alloc(ctx, builder->count, sizeof(uint32_t));
	bool		ok;

	ok = order != NULL &&
		fg_order_by(ctx, builder->count, compare_profiles, places, order) &&
		alloc_series(ctx, series, builder->count, builder->start[builder->count]) &&
		fill_series(places, order, series);
	fg_release(ctx, order);
	return ok;
}

/* --- the tree ------------------------------------------------------------------ */

/*
 * number[node] of the nodes with a count at or below them: their place when the others are gone.
 */
static bool
number_used(FgContext *ctx, const FgTree *tree, uint32_t *number)
{
	uint32_t	next = 0;
	FgWalk		walk;

	if (!fg_walk_begin(ctx, tree, &walk))
		return false;
	while (fg_walk_next(&walk))
	{
		if (tree->self[walk.node] == 0)
			continue;
		for (uint32_t d = walk.depth; d > 0 && number[walk.path[d]] == 0; d--)
			number[walk.path[d]] = 1;
	}
	if (!fg_walk_end(&walk))
		return false;
	for (size_t i = 1; i <= tree->nnodes; i++)
	{
		if (number[i] != 0)
			number[i] = ++next;
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

/* Takes out what only profiles outside of a window have. */
static bool
prune(Places *places, FgTree *tree)
{
	FgContext  *ctx = places->builder->ctx;
	size_t		nodes = (size_t) tree->nnodes + 1;
	uint32_t   *number = fg_alloc_zero(ctx, nodes, sizeof(uint32_t));
	bool		ok = number != NULL && number_used(ctx, tree, number);

	for (size_t i = 0; ok && i < nodes; i++)
	{
		places->node[i] = number[places->node[i]];
		ok = fg_check_every(ctx, i);
	}
	fg_release(ctx, number);
	return ok && fg_tree_prune_zeros(ctx, tree);
}

bool
fg_flameseries_build(FgFlameseriesBuilder *builder, FgFlameseries *series)
{
	FgContext  *ctx = builder->ctx;
	Places		places = {.builder = builder};
	bool		ok;

	memset(series, 0, sizeof(*series));
	places.instance = fg_alloc(ctx, builder->instances.count, sizeof(uint32_t));
	ok = places.instance != NULL &&
		fg_names_sort(&builder->instances, &series->instances, places.instance) &&
		fg_tree_sum_nodes_finish(builder->stacks, &series->tree, &places.node) &&
		prune(&places, &series->tree) &&
		order_series(&places, series);
	fg_release(ctx, places.instance);
	fg_release(ctx, places.node);
	if (ok)
		return true;
	fg_flameseries_free(ctx, series);
	return false;
}
