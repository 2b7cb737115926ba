/*
 * expanded_flamegraph.c
 *	  The expanded form of a flamegraph (see expanded_flamegraph.h).
 */
#include "pg/base/expanded_flamegraph.h"

#include "utils/expandeddatum.h"
#include "utils/memutils.h"

#include "core/profile/codec.h"
#include "pg/base/errors.h"

#define FG_EXPANDED_MAGIC 0x464C4752	/* "FLGR" */

struct ExpandedFlamegraph
{
	ExpandedObjectHeader header;
	int			magic;
	FgContext	ctx;			/* allocates in header.eoh_context */
	FgAccumulator total;
	FgBuilder  *builder;		/* stacks added one by one, or NULL */
	uint8_t    *flat;			/* the encoded total until something is added */
	size_t		flat_size;
};

/*
 * How often an object was flattened, for the test that demands one flattening a
 * group: losing the expanded form on the way is silent and costs a factor of
 * the number of rows.
 */
static int64 flatten_count = 0;

PG_FUNCTION_INFO_V1(flamegraph_flatten_count);
Datum
flamegraph_flatten_count(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(flatten_count);
}

static void
forget_flat(ExpandedFlamegraph *expanded)
{
	fg_release(&expanded->ctx, expanded->flat);
	expanded->flat = NULL;
}

static Size
expanded_flat_size(ExpandedObjectHeader *header)
{
	ExpandedFlamegraph *expanded = (ExpandedFlamegraph *) header;

	if (expanded->flat == NULL)
	{
		const FgTree *tree = fg_expanded_tree(expanded);

		fg_must(&expanded->ctx, fg_codec_encode(&expanded->ctx, tree, 0, &expanded->flat,
												&expanded->flat_size));
		flatten_count++;
	}
	return expanded->flat_size + VARHDRSZ;
}

static void
expanded_flatten_into(ExpandedObjectHeader *header, void *result, Size size)
{
	ExpandedFlamegraph *expanded = (ExpandedFlamegraph *) header;

	if (expanded->flat == NULL || size != expanded->flat_size + VARHDRSZ)
		elog(ERROR, "flattened size of a flamegraph changed");
	SET_VARSIZE(result, size);
	memcpy(VARDATA(result), expanded->flat, expanded->flat_size);
}

static const ExpandedObjectMethods expanded_methods = {
	expanded_flat_size,
	expanded_flatten_into
};

ExpandedFlamegraph *
fg_datum_expanded(Datum value)
{
	ExpandedFlamegraph *expanded;

	if (!VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(value)))
		return NULL;
	expanded = (ExpandedFlamegraph *) DatumGetEOHP(value);
	if (expanded->header.eoh_methods != &expanded_methods || expanded->magic != FG_EXPANDED_MAGIC)
		return NULL;
	return expanded;
}

ExpandedFlamegraph *
fg_expanded_create(MemoryContext parent, FgAccumulation kind)
{
	MemoryContext memory = AllocSetContextCreate(parent, "expanded flamegraph",
												 ALLOCSET_START_SMALL_SIZES);
	ExpandedFlamegraph *expanded = MemoryContextAllocZero(memory, sizeof(ExpandedFlamegraph));

	EOH_init_header(&expanded->header, &expanded_methods, memory);
	expanded->magic = FG_EXPANDED_MAGIC;
	expanded->ctx = fg_context_in(memory);
	fg_accumulator_init(&expanded->ctx, &expanded->total, kind);
	return expanded;
}

FgContext *
fg_expanded_context(ExpandedFlamegraph *expanded)
{
	return &expanded->ctx;
}

FgAccumulation
fg_expanded_kind(const ExpandedFlamegraph *expanded)
{
	return expanded->total.kind;
}

Datum
fg_expanded_datum(ExpandedFlamegraph *expanded)
{
	return EOHPGetRWDatum(&expanded->header);
}

static void
drain_builder(ExpandedFlamegraph *expanded)
{
	FgBuilder  *builder = expanded->builder;
	FgTree		tree;

	if (builder == NULL)
		return;
	fg_must(&expanded->ctx, fg_builder_finish(builder, &tree));
	expanded->builder = NULL;
	fg_builder_free(builder);
	fg_must(&expanded->ctx, fg_accumulator_add(&expanded->total, &tree));
}

const FgTree *
fg_expanded_tree(ExpandedFlamegraph *expanded)
{
	const FgTree *tree;

	drain_builder(expanded);
	tree = fg_accumulator_total(&expanded->total);
	fg_must(&expanded->ctx, tree != NULL);
	return tree;
}

void
fg_expanded_add_tree(ExpandedFlamegraph *expanded, FgTree *tree)
{
	forget_flat(expanded);
	fg_must(&expanded->ctx, fg_accumulator_add(&expanded->total, tree));
}

void
fg_expanded_add_stack(ExpandedFlamegraph *expanded, const char *path, size_t length, double value)
{
	FgContext  *ctx = &expanded->ctx;

	forget_flat(expanded);
	if (expanded->builder == NULL)
		expanded->builder = fg_builder_create(ctx);
	fg_must(ctx, expanded->builder != NULL &&
			fg_builder_add(expanded->builder, path, length, '\0', false, value));
}
