/*
 * tree_json.c
 *	  flamegraph_to_json(): nested objects with name, value and children, as
 *	  d3-flame-graph and other hierarchical drawings read them; of two profiles with both
 *	  values and their difference.
 */
#include "pg/base/jsonb_build.h"

#include "miscadmin.h"

#include "core/merging/tree_union.h"
#include "core/svg/drawing.h"

/* What is written: a profile, or two on one tree. */
typedef struct Source
{
	const FgTree *tree;
	const double *value;		/* inclusive, by node */
	const FgTreeUnion *both;	/* or NULL */
} Source;

static void
push_field(JsonbParseState **state, const char *key, double number)
{
	fg_push_string(state, WJB_KEY, key, strlen(key));
	fg_push_number(state, WJB_VALUE, number);
}

/* An object without its end; it has an array of children unless it is a leaf. */
static void
begin_node(JsonbParseState **state, const Source *source, uint32_t node, bool leaf)
{
	const FgFrames *frames = &source->tree->frames;
	uint32_t	frame = fg_key_frame(source->tree->key[node]);

	pushJsonbValue(state, WJB_BEGIN_OBJECT, NULL);
	fg_push_string(state, WJB_KEY, "name", 4);
	if (node == 0)
		fg_push_string(state, WJB_VALUE, "root", 4);
	else
		fg_push_string(state, WJB_VALUE, fg_frame_bytes(frames, frame),
					   fg_frame_length(frames, frame));
	push_field(state, "value", source->value[node]);
	if (source->both != NULL)
	{
		double		before = source->both->total[FG_BEFORE][node];
		double		after = source->both->total[FG_AFTER][node];

		push_field(state, "before", before);
		push_field(state, "after", after);
		push_field(state, "delta", after - before);
	}
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
tree_json(FgContext *ctx, const FgTree *tree, const FgTreeUnion *both)
{
	JsonbParseState *state = NULL;
	double	   *totals = fg_alloc(ctx, (size_t) tree->nnodes + 1, sizeof(double));
	Source		source = {tree, totals, both};
	uint32_t	open = 0;		/* depth of the node that has not ended */

	fg_must(ctx, fg_tree_totals(ctx, tree, totals));
	begin_node(&state, &source, 0, tree->nnodes == 0);
	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		uint32_t	depth = fg_key_depth(tree->key[i]);
		bool		leaf = i == tree->nnodes || fg_key_depth(tree->key[i + 1]) <= depth;

		CHECK_FOR_INTERRUPTS();
		for (bool childless = true; open >= depth; open--, childless = false)
			end_node(&state, childless);
		begin_node(&state, &source, i, leaf);
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

/* What to do about a profile that is too deep, instead of what to do about PostgreSQL's stack. */
static void
hint_at_depth(void *arg)
{
	(void) arg;
	if (geterrcode() == ERRCODE_STATEMENT_TOO_COMPLEX)
		errhint("jsonb is made recursively, a level for each frame: cut_depth() makes the profile "
				"less deep, and so does collapse_recursion().");
}

/*
 * PostgreSQL writes jsonb recursively and without a check for interrupts, and most
 * readers read it recursively: a deep profile ends in error 54001 from
 * check_stack_depth.
 */
static Jsonb *
write_json(JsonbValue *value)
{
	ErrorContextCallback callback = {error_context_stack, hint_at_depth, NULL};
	Jsonb	   *json;

	error_context_stack = &callback;
	json = JsonbValueToJsonb(value);
	error_context_stack = callback.previous;
	return json;
}

PG_FUNCTION_INFO_V1(flamegraph_to_json);
Datum
flamegraph_to_json(PG_FUNCTION_ARGS)
{
	FgOperands	in;

	fg_get_operand(fcinfo, &in);
	check_size(in.a);
	PG_RETURN_JSONB_P(write_json(tree_json(&in.ctx, in.a, NULL)));
}

PG_FUNCTION_INFO_V1(flamegraph_to_json_difference);
Datum
flamegraph_to_json_difference(PG_FUNCTION_ARGS)
{
	static const char hint[] = "Widths are the larger of both values, which are not negative.";
	FgOperands	in;
	FgTreeUnion both;

	fg_get_operands(fcinfo, &in);
	fg_must(&in.ctx, fg_check_not_negative(&in.ctx, in.a, hint) &&
			fg_check_not_negative(&in.ctx, in.b, hint) &&
			fg_tree_union(&in.ctx, in.a, in.b, &both));
	check_size(&both.tree);
	PG_RETURN_JSONB_P(write_json(tree_json(&in.ctx, &both.tree, &both)));
}
