/*
 * speedscope_stacks.c
 *	  The stacks of a speedscope file (see speedscope_stacks.h).
 */
#include "core/formats/speedscope_stacks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* The builder's values (builder.h) of a stack over positions. */
enum
{
	VALUE, SAMPLES, NOISE
};

/* --- life ----------------------------------------------------------------------------- */

bool
fg_speedscope_begin(FgSpeedscopeStacks *s, FgSink *sink)
{
	FgContext  *ctx = fg_sink_context(sink);

	s->sink = sink;
	s->ctx = s->names.ctx = s->lane_names.ctx = s->positions.ctx = ctx;
	s->timed = fg_sink_is_timed(sink);
	s->builder = fg_builder_create(ctx);
	return s->builder != NULL && fg_pairs_begin(ctx, &s->positions);
}

void
fg_speedscope_free(FgSpeedscopeStacks *s)
{
	if (s->builder != NULL)
		fg_builder_free(s->builder);
	fg_pairs_free(&s->positions);
	fg_release(s->ctx, s->names.data);
	fg_release(s->ctx, s->frames);
	fg_release(s->ctx, s->references);
	fg_release(s->ctx, s->ups);
	fg_release(s->ctx, s->taken);
	fg_release(s->ctx, s->lane_names.data);
	fg_release(s->ctx, s->lanes);
	fg_release(s->ctx, s->images);
	fg_release(s->ctx, s->renamed);
}

/* --- stacks over positions ----------------------------------------------------------- */

/* The builder numbers nodes from 1 as they come. */
static bool
note_parent(FgSpeedscopeStacks *s, uint32_t node, uint32_t parent, uint32_t position)
{
	if (node < s->up_count)
		return true;
	if (!fg_reserve(s->ctx, (void **) &s->ups, &s->up_capacity, (size_t) node + 1,
					sizeof(FgSpeedscopeUp)))
		return false;
	for (; s->up_count < node; s->up_count++)
		s->ups[s->up_count] = (FgSpeedscopeUp) {0, FG_NONE};
	s->ups[s->up_count++] = (FgSpeedscopeUp) {parent, position};
	return true;
}

/* A position that has not come before, as a frame of the builder, which numbers them alike. */
static bool
add_position(FgSpeedscopeStacks *s, uint32_t position, uint32_t *number)
{
	char		text[16];
	int			length = snprintf(text, sizeof(text), "%" PRIu32, position);
	FgSpeedscopeReference reference = {.position = position};
	uint32_t	pair;

	if (!fg_builder_frame(s->builder, text, (size_t) length, number) ||
		!fg_reserve(s->ctx, (void **) &s->references, &s->reference_capacity,
					s->reference_count + 1, sizeof(FgSpeedscopeReference)) ||
		!fg_pairs_add(&s->positions, position, 0, &pair))
		return false;
	fg_json_place(s->json, &reference.line, &reference.column);
	s->references[s->reference_count++] = reference;
	return true;
}

bool
fg_speedscope_child(FgSpeedscopeStacks *s, uint32_t parent, uint32_t position, uint32_t *node)
{
	uint32_t	number = fg_pairs_find(&s->positions, position, 0);

	if (number == FG_NONE && !add_position(s, position, &number))
		return false;
	return fg_json_at(s->json, fg_builder_child(s->builder, parent, number, node)) &&
		(!s->timed || note_parent(s, *node, parent, position));
}

bool
fg_speedscope_add_value(FgSpeedscopeStacks *s, uint32_t node, double value)
{
	s->samples++;
	return fg_json_at(s->json, fg_builder_add_value(s->builder, node, value));
}

bool
fg_speedscope_add_weight(FgSpeedscopeStacks *s, uint32_t node, double weight)
{
	FgSum		sum = {.value = 0};

	fg_sum_add(&sum, &s->weights, weight);
	return fg_speedscope_add_value(s, node, weight) &&
		fg_builder_add_further(s->builder, SAMPLES, sum.samples) &&
		(!isfinite(s->weights.squares) ||
		 fg_builder_add_further(s->builder, NOISE, sum.noise));
}

bool
fg_speedscope_begin_lane(FgSpeedscopeStacks *s)
{
	/* each takes a few bytes of the file, and samples refer to it by 32 bits */
	if (s->lane_count >= FG_MAX_KEPT_SAMPLES)
		return fg_speedscope_too_many(s);
	if (!fg_reserve(s->ctx, (void **) &s->lanes, &s->lane_capacity, s->lane_count + 1,
					sizeof(FgSpeedscopeName)))
		return false;
	s->lanes[s->lane_count++] = (FgSpeedscopeName) {s->lane_names.size, 0};
	return true;
}

bool
fg_speedscope_too_many(FgSpeedscopeStacks *s)
{
	return fg_json_fail(s->json, FG_ERROR_LIMIT, NULL, "profile %d has more than %u samples",
						s->number, FG_MAX_KEPT_SAMPLES);
}

bool
fg_speedscope_take(FgSpeedscopeStacks *s, uint32_t node, double start, double stop, double value)
{
	if (s->taken_count >= FG_MAX_KEPT_SAMPLES)
		return fg_speedscope_too_many(s);
	if (!(stop >= start))
		return fg_json_fail(s->json, FG_ERROR_SYNTAX, NULL, "a weight of profile %d is negative",
							s->number);
	if (!fg_reserve(s->ctx, (void **) &s->taken, &s->taken_capacity, s->taken_count + 1,
					sizeof(FgSpeedscopeTimed)))
		return false;
	s->taken[s->taken_count++] = (FgSpeedscopeTimed) {node, (uint32_t) s->lane_count - 1, start, stop, value};
	s->samples++;
	return true;
}

/* --- names for positions ------------------------------------------------------------------------- */

static bool
check_references(FgSpeedscopeStacks *s)
{
	for (size_t i = 0; i < s->reference_count; i++)
	{
		const FgSpeedscopeReference *reference = &s->references[i];

		if (reference->position >= s->frame_count)
			return fg_fail_at(s->ctx, FG_ERROR_SYNTAX, reference->line, reference->column, NULL,
							  "there is no frame %" PRIu32 ", the file has %zu of them",
							  reference->position, s->frame_count);
	}
	return true;
}

/* The stack of each node with a value, from the finished trees over positions. */
static bool
add_trees(FgSpeedscopeStacks *s, const FgTree *trees, uint32_t profile)
{
	const FgTree *tree = &trees[VALUE];
	uint32_t	depth_bound = fg_tree_depth_bound(tree);

	s->images = fg_alloc(s->ctx, (size_t) depth_bound + 1, sizeof(uint32_t));
	s->renamed = fg_alloc(s->ctx, tree->frames.count, sizeof(uint32_t));
	if (s->images == NULL || s->renamed == NULL)
		return false;
	for (uint32_t f = 0; f < tree->frames.count; f++)
	{
		const char *text = fg_frame_bytes(&tree->frames, f);
		uint32_t	length = fg_frame_length(&tree->frames, f);

		s->renamed[f] = 0;
		for (uint32_t i = 0; i < length; i++)
			s->renamed[f] = s->renamed[f] * 10 + (uint32_t) (text[i] - '0');
	}
	for (uint32_t i = 0; i <= tree->nnodes; i++)
	{
		uint32_t	depth = fg_key_depth(tree->key[i]);
		FgSum		sum = {tree->self[i], trees[SAMPLES].self[i], trees[NOISE].self[i]};

		if (depth > 0)
			s->images[depth] = s->renamed[fg_key_frame(tree->key[i])];
		if (!fg_check_every(s->ctx, i))
			return false;
		if (sum.value == 0 && sum.samples == 0)
			continue;
		fg_sink_clear(s->sink);
		for (uint32_t d = 1; d <= depth; d++)
		{
			const FgSpeedscopeName *name = &s->frames[s->images[d]];

			if (!fg_sink_frame(s->sink, (char *) s->names.data + name->start, name->length))
				return false;
		}
		if (!fg_sink_sum(s->sink, profile, FG_ROOT_FIRST, false, &sum) ||
			!fg_work(s->ctx, (size_t) depth * 16))
			return false;
	}
	return true;
}

/* --- samples with times ------------------------------------------------------------------------- */

/* How many of a unit make a second; 0 when it is no unit of time. */
static double
ticks_of_unit(const char *unit)
{
	static const struct
	{
		const char *unit;
		double		ticks;
	}			units[] = {
		{"nanoseconds", 1e9}, {"microseconds", 1e6}, {"milliseconds", 1e3}, {"seconds", 1}
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
	{
		if (strcmp(unit, units[i].unit) == 0)
			return units[i].ticks;
	}
	return 0;
}

static bool
hand_on(FgSpeedscopeStacks *s, const FgSpeedscopeTimed *timed, uint32_t profile)
{
	const FgSpeedscopeName *lane = &s->lanes[timed->profile];
	const char *names = (char *) s->lane_names.data;
	size_t		depth = 0;

	fg_sink_clear(s->sink);
	for (uint32_t node = timed->node; node != 0; node = s->ups[node].parent, depth++)
	{
		const FgSpeedscopeName *name = &s->frames[s->ups[node].position];

		if (!fg_sink_frame(s->sink, (char *) s->names.data + name->start, name->length))
			return false;
	}
	if (lane->length > 0 && !fg_sink_lane(s->sink, names + lane->start, lane->length))
		return false;
	fg_sink_time(s->sink, timed->start, timed->stop);
	return fg_sink_add(s->sink, profile, FG_LEAF_FIRST, false, timed->value) &&
		fg_work(s->ctx, depth * 16);
}

static bool
hand_on_samples(FgSpeedscopeStacks *s, uint32_t profile)
{
	double		ticks = ticks_of_unit(s->common_unit);

	if (ticks == 0)
		return fg_fail(s->ctx, FG_ERROR_ARGUMENT, "the unit of the profiles, %s, is no time",
					   s->common_unit);
	fg_sink_ticks(s->sink, ticks);
	for (size_t i = 0; i < s->taken_count; i++)
	{
		if (!hand_on(s, &s->taken[i], profile))
			return false;
	}
	return true;
}

/* --- the profile ---------------------------------------------------------------------------------- */

static const char *
event_of_unit(const char *unit)
{
	return strcmp(unit, "bytes") == 0 ? "alloc" : "cpu";
}

bool
fg_speedscope_name(FgSpeedscopeStacks *s)
{
	const char *unit = strcmp(s->common_unit, "none") == 0 ? "samples" : s->common_unit;
	FgKind		kind = {event_of_unit(s->common_unit), "", unit, 0};
	uint32_t	profile;
	FgTree		trees[FG_BUILDER_VALUES] = {{.nnodes = 0}};
	bool		ok = true;

	if (!check_references(s) || !fg_sink_whole(s->sink, &kind, &profile))
		return false;
	if (profile == FG_UNWANTED)
		return true;
	if (s->timed)
		return hand_on_samples(s, profile);
	fg_sink_may_be_summed(s->sink);
	for (int i = 0; ok && i < FG_BUILDER_VALUES; i++)
		ok = fg_builder_tree(s->builder, i, &trees[i]);
	fg_sink_weights(s->sink, profile, &s->weights);
	ok = ok && add_trees(s, trees, profile);
	for (int i = 0; i < FG_BUILDER_VALUES; i++)
		fg_tree_free(s->ctx, &trees[i]);
	fg_sink_noted(s->sink)->samples = s->samples;
	return ok;
}
