/*
 * expanded_flamegraph.c
 *	  The expanded form of a flamegraph (see expanded_flamegraph.h).
 */
#include "pg/base/expanded_flamegraph.h"

#include "core/profile/builder.h"
#include "core/profile/codec.h"

struct ExpandedFlamegraph
{
	FgExpanded	base;
	FgAccumulator total;
	FgBuilder  *builder;		/* stacks added one by one, or NULL */
};

static bool
encode(FgExpanded *object, uint8_t **bytes, size_t *size)
{
	const FgTree *tree = fg_expanded_tree((ExpandedFlamegraph *) object);

	return fg_codec_encode(&object->ctx, tree, 0, bytes, size);
}

static const FgExpandedKind kind = {"flamegraph", sizeof(ExpandedFlamegraph), &fg_codec_encoding,
	encode};

ExpandedFlamegraph *
fg_datum_expanded(Datum value)
{
	return fg_expanded_of(value, &kind);
}

ExpandedFlamegraph *
fg_expanded_flamegraph(MemoryContext parent, FgAccumulation accumulation)
{
	ExpandedFlamegraph *expanded = fg_expanded_create(parent, &kind);

	fg_accumulator_init(&expanded->base.ctx, &expanded->total, accumulation);
	return expanded;
}

ExpandedFlamegraph *
fg_aggregate_flamegraph(FunctionCallInfo fcinfo, FgAccumulation accumulation)
{
	ExpandedFlamegraph *state = fg_aggregate_state(fcinfo, &kind);

	return state != NULL && state->total.kind == accumulation ? state : NULL;
}

FgExpanded *
fg_expanded_base(ExpandedFlamegraph *expanded)
{
	return &expanded->base;
}

static void
drain_builder(ExpandedFlamegraph *expanded)
{
	FgBuilder  *builder = expanded->builder;
	FgTree		tree;

	if (builder == NULL)
		return;
	fg_expanded_must(&expanded->base, fg_builder_finish(builder, &tree));
	expanded->builder = NULL;
	fg_builder_free(builder);
	fg_expanded_must(&expanded->base, fg_accumulator_add(&expanded->total, &tree));
}

const FgTree *
fg_expanded_tree(ExpandedFlamegraph *expanded)
{
	const FgTree *tree;

	drain_builder(expanded);
	tree = fg_accumulator_total(&expanded->total);
	fg_expanded_must(&expanded->base, tree != NULL);
	return tree;
}

void
fg_expanded_add_tree(ExpandedFlamegraph *expanded, FgTree *tree)
{
	fg_expanded_change(&expanded->base);
	fg_expanded_must(&expanded->base, fg_accumulator_add(&expanded->total, tree));
}

void
fg_expanded_add_encoded(ExpandedFlamegraph *expanded, const uint8_t *bytes, size_t size)
{
	fg_expanded_change(&expanded->base);
	fg_expanded_must(&expanded->base, fg_accumulator_add_encoded(&expanded->total, bytes, size));
}

void
fg_expanded_add_stack(ExpandedFlamegraph *expanded, const char *path, size_t length, double value)
{
	FgContext  *ctx = &expanded->base.ctx;

	fg_expanded_change(&expanded->base);
	if (expanded->builder == NULL)
		expanded->builder = fg_builder_create(ctx);
	fg_expanded_must(&expanded->base, expanded->builder != NULL &&
					 fg_builder_add(expanded->builder, path, length, '\0', false, value));
}
