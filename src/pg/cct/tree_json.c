/*
 * tree_json.c
 *	  flamegraph_to_json(): nested objects with name, value and children, as
 *	  d3-flame-graph and other hierarchical drawings read them.
 */
#include "pg/base/jsonb_build.h"

#include "miscadmin.h"

#include "core/profile/walk.h"

/* An object without its end; it has an array of children unless it is a leaf. */
static void
begin_node(JsonbParseState **state, const char *name, size_t size, double total, bool leaf)
{
	pushJsonbValue(state, WJB_BEGIN_OBJECT, NULL);
	fg_push_string(state, WJB_KEY, "name", 4);
	fg_push_string(state, WJB_VALUE, name, size);
	fg_push_string(state, WJB_KEY, "value", 5);
	fg_push_number(state, WJB_VALUE, total);
	if (leaf)
		return;
	fg_push_string(state, WJB_KEY, "children", 8);
	pushJsonbValue(state, WJB_BEGIN_ARRAY, NULL);
}

static JsonbValue *
end_node(JsonbParseState **state, bool leaf)
{
	if (!leaf)
		pushJsonbValue(state, WJB_END_ARRAY, NULL);
	return pushJsonbValue(state, WJB_END_OBJECT, NULL);
}

static JsonbValue *
tree_json(FgContext *ctx, const FgTree *tree)
{
	JsonbParseState *state = NULL;
	double	   *totals = fg_alloc(ctx, (size_t) tree->nnodes + 1, sizeof(double));
	uint32_t	open = 0;		/* depth of the node that has not ended */

	fg_must(ctx, fg_tree_totals(ctx, tree, totals));
	begin_node(&state, "root", 4, totals[0], tree->nnodes == 0);
	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		uint32_t	depth = fg_key_depth(tree->key[i]);
		uint32_t	frame = fg_key_frame(tree->key[i]);
		bool		leaf = i == tree->nnodes || fg_key_depth(tree->key[i + 1]) <= depth;

		CHECK_FOR_INTERRUPTS();
		for (bool childless = true; open >= depth; open--, childless = false)
			end_node(&state, childless);
		begin_node(&state, fg_frame_bytes(&tree->frames, frame),
				   fg_frame_length(&tree->frames, frame), totals[i], leaf);
		open = depth;
	}
	for (bool childless = true; open > 0; open--, childless = false)
		end_node(&state, childless);
	fg_release(ctx, totals);
	return end_node(&state, tree->nnodes == 0);
}

/*
 * Names, keys and numbers of a node take this many bytes and more.  A jsonb object ends
 * at 256 MB, and making it takes several times as much memory, so what cannot fit is
 * refused before.
 */
#define LEAST_NODE_BYTES 40

static void
check_size(const FgTree *tree)
{
	if (tree->nnodes <= JENTRY_OFFLENMASK / LEAST_NODE_BYTES)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("profile has too many nodes for jsonb: %u", tree->nnodes),
			 errhint("prune() cuts small branches off.")));
}

/*
 * PostgreSQL writes jsonb recursively and without a check for interrupts, and most
 * readers read it recursively: a deep profile ends in error 54001 from
 * check_stack_depth.
 */
PG_FUNCTION_INFO_V1(flamegraph_to_json);
Datum
flamegraph_to_json(PG_FUNCTION_ARGS)
{
	FgOperands	in;

	fg_get_operand(fcinfo, &in);
	check_size(in.a);
	PG_RETURN_JSONB_P(JsonbValueToJsonb(tree_json(&in.ctx, in.a)));
}
