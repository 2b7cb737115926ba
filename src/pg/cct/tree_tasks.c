/*
 * tree_tasks.c
 *	  task_view() and task_totals(): parts of a program by name.
 *
 * Definitions come as jsonb, {"name": {"prefix": "text"}} or {"name": {"regex":
 * "expression"}}; the name of a regular expression's task may refer to its groups.
 * Each is looked at once per distinct frame.
 */
#include "pg/profile/stackquery.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

#include "core/base/order.h"
#include "core/cct/tasks.h"
#include "core/profile/names.h"
#include "pg/base/arrays.h"
#include "pg/base/pg_compat.h"
#include "pg/base/rows.h"

typedef struct Definition
{
	FgSpan		name;
	FgSpan		prefix;
	FgRegex    *regex;			/* NULL for a prefix */
	uint32_t	number;			/* of the name of a prefix that a frame has, or NO_NUMBER */
} Definition;

#define NO_NUMBER FG_NONE

/* Frames times the tasks that each carries: 64 MB, and what is done with them. */
#define MOST_CARRIED (UINT32_C(1) << 24)

/* The tasks of a profile: names in bytewise order, and which frame carries which. */
typedef struct Tasks
{
	FgFrames	names;
	FgFrameTasks of_frame;
} Tasks;

/* --- definitions ------------------------------------------------------------------- */

pg_noreturn static void
throw_definition(FgSpan name, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid definition of task \"%.*s\"",
					pg_mbcliplen(name.bytes, (int) name.size, 100), name.bytes),
			 errdetail("%s", detail),
			 errhint("Write {\"name\": {\"prefix\": \"text\"}} or {\"name\": {\"regex\": \"expression\"}}.")));
}

static FgSpan
json_span(const JsonbValue *value)
{
	return (FgSpan) {value->val.string.val, (size_t) value->val.string.len};
}

static JsonbValue *
find_key(JsonbContainer *object, const char *name)
{
	JsonbValue	key = {.type = jbvString};

	key.val.string.val = pstrdup(name);
	key.val.string.len = (int) strlen(name);
	return findJsonbValueFromContainer(object, JB_FOBJECT, &key);
}

static Definition
read_definition(FgSpan name, const JsonbValue *value)
{
	Definition	definition = {.name = name, .number = NO_NUMBER};
	JsonbValue *prefix;
	JsonbValue *regex;
	JsonbValue *rule;
	JsonbContainer *object;

	if (value->type != jbvBinary || !JsonContainerIsObject(value->val.binary.data))
		throw_definition(name, "It is not an object.");
	object = value->val.binary.data;
	prefix = find_key(object, "prefix");
	regex = find_key(object, "regex");
	if (prefix != NULL && regex != NULL)
		throw_definition(name, "It has both \"prefix\" and \"regex\".");
	rule = prefix != NULL ? prefix : regex;
	if (JsonContainerSize(object) > (rule != NULL))
		throw_definition(name, "It has a key other than \"prefix\" and \"regex\".");
	if (rule == NULL)
		throw_definition(name, "It is empty.");
	if (rule->type != jbvString)
		throw_definition(name, "Its value is not a string.");
	if (prefix != NULL)
		definition.prefix = json_span(prefix);
	else
	{
		FgSpan		expression = json_span(regex);

		definition.regex = fg_regex_compile(expression.bytes, expression.size, false,
											CurrentMemoryContext);
		fg_regex_check_template(definition.regex, name);
	}
	return definition;
}

static Definition *
read_definitions(Jsonb *tasks, int *count)
{
	Definition *definitions;
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue	value;
	FgSpan		name = {NULL, 0};

	if (!JB_ROOT_IS_OBJECT(tasks))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("tasks must be a JSON object"),
				 errhint("Write {\"name\": {\"prefix\": \"text\"}} or {\"name\": {\"regex\": \"expression\"}}.")));
	definitions = palloc((JB_ROOT_COUNT(tasks) + 1) * sizeof(Definition));
	*count = 0;
	iterator = JsonbIteratorInit(&tasks->root);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		CHECK_FOR_INTERRUPTS();
		if (token == WJB_KEY)
			name = json_span(&value);
		else if (token == WJB_VALUE)
			definitions[(*count)++] = read_definition(name, &value);
	}
	return definitions;
}

/* --- who carries what ---------------------------------------------------------------- */

/* The tasks of the frames so far, by the numbers of their names. */
typedef struct Carriers
{
	FgContext  *ctx;
	FgNames		names;
	uint32_t   *latest;			/* by name: 1 + the last frame that carries it */
	size_t		latest_capacity;
	uint32_t   *task;			/* of one frame after the other */
	size_t		task_capacity;
	uint32_t	count;
} Carriers;

static uint32_t
number_name(Carriers *carriers, const char *name, size_t length)
{
	uint32_t	known = carriers->names.count;
	uint32_t	number;

	fg_must(carriers->ctx, fg_names_add(&carriers->names, name, length, &number));
	if (number < known)
		return number;
	fg_must(carriers->ctx, fg_reserve(carriers->ctx, (void **) &carriers->latest,
									  &carriers->latest_capacity, (size_t) number + 1,
									  sizeof(uint32_t)));
	carriers->latest[number] = 0;
	return number;
}

/* The frame carries the task, which may be known already. */
static void
add_carrier(Carriers *carriers, uint32_t frame, uint32_t number)
{
	if (carriers->latest[number] == frame + 1)
		return;
	if (carriers->count == MOST_CARRIED)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the frames of the profile carry more than %u tasks together", MOST_CARRIED),
				 errdetail("A frame counts once for each task that it carries."),
				 errhint("Use fewer definitions at a time, or ones that fewer frames match.")));
	fg_must(carriers->ctx, fg_reserve(carriers->ctx, (void **) &carriers->task,
									  &carriers->task_capacity, (size_t) carriers->count + 1,
									  sizeof(uint32_t)));
	carriers->latest[number] = frame + 1;
	carriers->task[carriers->count++] = number;
}

static void
match_frame(Carriers *carriers, uint32_t frame, FgSpan bytes, Definition *definition,
			StringInfo expanded)
{
	if (definition->regex == NULL)
	{
		FgSpan		prefix = definition->prefix;

		if (bytes.size < prefix.size ||
			(prefix.size > 0 && memcmp(bytes.bytes, prefix.bytes, prefix.size) != 0))
			return;
		if (definition->number == NO_NUMBER)
			definition->number = number_name(carriers, definition->name.bytes,
											 definition->name.size);
		add_carrier(carriers, frame, definition->number);
		return;
	}
	resetStringInfo(expanded);
	if (fg_regex_expand(definition->regex, bytes.bytes, bytes.size, definition->name, expanded))
		add_carrier(carriers, frame,
					number_name(carriers, expanded->data, (size_t) expanded->len));
}

/* first[f]: where the tasks of frame f start. */
static void
find_carriers(Carriers *carriers, const FgFrames *frames, Definition *definitions, int count,
			  uint32_t *first)
{
	StringInfoData expanded;

	initStringInfo(&expanded);
	for (uint32_t f = 0; f < frames->count; f++)
	{
		FgSpan		bytes = {fg_frame_bytes(frames, f), fg_frame_length(frames, f)};

		first[f] = carriers->count;
		for (int d = 0; d < count; d++)
		{
			CHECK_FOR_INTERRUPTS();
			match_frame(carriers, f, bytes, &definitions[d], &expanded);
		}
	}
	first[frames->count] = carriers->count;
}

/* The tasks of each frame, each once. */
static Tasks
find_tasks(FgContext *ctx, const FgTree *tree, Jsonb *json)
{
	int			ndefinitions;
	Definition *definitions = read_definitions(json, &ndefinitions);
	Carriers	carriers = {.ctx = ctx};
	Tasks		tasks;
	uint32_t   *place;

	fg_must(ctx, fg_names_begin(ctx, &carriers.names));
	tasks.of_frame.first = fg_alloc(ctx, (size_t) tree->frames.count + 1, sizeof(uint32_t));
	find_carriers(&carriers, &tree->frames, definitions, ndefinitions, tasks.of_frame.first);
	place = fg_alloc(ctx, carriers.names.count, sizeof(uint32_t));
	fg_must(ctx, fg_names_sort(&carriers.names, &tasks.names, place));
	for (uint32_t i = 0; i < carriers.count; i++)
	{
		if (i % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
		carriers.task[i] = place[carriers.task[i]];
	}
	tasks.of_frame.ntasks = tasks.names.count;
	tasks.of_frame.task = carriers.task;
	fg_names_free(&carriers.names);
	fg_release(ctx, carriers.latest);
	fg_release(ctx, place);
	return tasks;
}

/* --- functions --------------------------------------------------------------------------- */

/* Which tasks are wanted: all of them, or those of an array. */
static uint8_t *
selected_tasks(FunctionCallInfo fcinfo, FgContext *ctx, const Tasks *tasks)
{
	uint8_t    *selected = fg_alloc(ctx, tasks->names.count, 1);
	FgFrames	wanted;

	memset(selected, 1, tasks->names.count);
	if (PG_ARGISNULL(2))
		return selected;
	wanted = fg_text_set(ctx, PG_GETARG_DATUM(2), "a task of the array is null");
	for (uint32_t t = 0; t < tasks->names.count; t++)
	{
		CHECK_FOR_INTERRUPTS();
		selected[t] = fg_frames_find(&wanted, fg_frame_bytes(&tasks->names, t),
									 fg_frame_length(&tasks->names, t)) != FG_NONE;
	}
	return selected;
}

PG_FUNCTION_INFO_V1(flamegraph_task_view);
Datum
flamegraph_task_view(PG_FUNCTION_ARGS)
{
	FgOperands	in;
	Tasks		tasks;
	uint8_t    *selected;
	uint8_t    *flags;
	FgTree		result;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	fg_get_operand(fcinfo, &in);
	tasks = find_tasks(&in.ctx, in.a, PG_GETARG_JSONB_P(1));
	selected = selected_tasks(fcinfo, &in.ctx, &tasks);
	flags = fg_alloc_zero(&in.ctx, in.a->frames.count, 1);
	for (uint32_t f = 0; f < in.a->frames.count; f++)
	{
		fg_must(&in.ctx, fg_steps(&in.ctx, tasks.of_frame.first[f + 1] - tasks.of_frame.first[f] + 1));
		for (uint32_t i = tasks.of_frame.first[f]; i < tasks.of_frame.first[f + 1]; i++)
			flags[f] |= selected[tasks.of_frame.task[i]];
	}
	fg_must(&in.ctx, fg_task_view(&in.ctx, in.a, flags, &result));
	return fg_tree_datum_free(&in.ctx, &result);
}

/* The view of one task as a value, and its total. */
static Datum
task_value(FgSubtrees *subtrees, const FgTaskRoots *roots, uint32_t task, double *samples)
{
	FgContext  *ctx = subtrees->ctx;
	FgTree		view;
	FgFacts		facts;

	fg_must(ctx, fg_subtrees_sum(subtrees, roots->node + roots->first[task],
								 roots->first[task + 1] - roots->first[task], &view) &&
			fg_tree_facts(ctx, &view, &facts));
	*samples = facts.total;
	return fg_tree_datum_free(ctx, &view);
}

/*
 * Views of nested tasks can be larger together than the profile by far, so each is
 * made when its row is, and the order comes from the roots' inclusive values.
 */
static uint32_t *
task_order(FgContext *ctx, const FgTree *tree, const FgTaskRoots *roots, uint32_t ntasks)
{
	double	   *samples = fg_alloc(ctx, ntasks, sizeof(double));
	uint32_t   *order = fg_alloc(ctx, ntasks, sizeof(uint32_t));

	fg_must(ctx, fg_task_samples(ctx, tree, roots, ntasks, samples) &&
			fg_order_descending(ctx, samples, ntasks, order));
	fg_release(ctx, samples);
	return order;
}

PG_FUNCTION_INFO_V1(flamegraph_task_totals);
Datum
flamegraph_task_totals(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgOperands	in;
	Tasks		tasks;
	FgTaskRoots roots;
	FgSubtrees	subtrees;
	FgFacts		facts;
	uint32_t   *order;

	fg_get_operand(fcinfo, &in);
	tasks = find_tasks(&in.ctx, in.a, PG_GETARG_JSONB_P(1));
	fg_must(&in.ctx, fg_task_roots(&in.ctx, in.a, &tasks.of_frame, &roots) &&
			fg_subtrees_begin(&in.ctx, in.a, &subtrees) &&
			fg_tree_facts(&in.ctx, in.a, &facts));
	order = task_order(&in.ctx, in.a, &roots, tasks.names.count);
	for (uint32_t i = 0; i < tasks.names.count; i++)
	{
		double		samples;
		Datum		value = task_value(&subtrees, &roots, order[i], &samples);
		Datum		values[4];
		bool		nulls[4] = {false};

		fg_rows_begin_row(&rows);
		values[0] = fg_frame_datum(&tasks.names, order[i]);
		values[1] = Float8GetDatum(samples);
		values[2] = fg_share(samples, facts.total, &nulls[2]);
		values[3] = value;
		fg_rows_end_row(&rows, values, nulls);
		pfree(DatumGetPointer(value));
	}
	fg_subtrees_end(&subtrees);
	return (Datum) 0;
}
