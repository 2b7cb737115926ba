/*
 * tasks.c
 *	  task_view() and task_totals(): parts of a program by name.
 *
 * Definitions come as jsonb, {"name": {"prefix": "text"}} or {"name": {"regex":
 * "expression"}}; the name of a regular expression's task may refer to its groups.
 * Each is looked at once per distinct frame.
 */
#include "stackquery.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

#include "core/bytes.h"
#include "core/order.h"
#include "core/tasks.h"
#include "rows.h"

typedef struct Definition
{
	FgSpan		name;
	FgSpan		prefix;
	FgRegex    *regex;			/* NULL for a prefix */
	size_t		offset;			/* of the name among the carriers' names, for a prefix */
} Definition;

/* Which frame carries which name: by frame, names not yet distinct. */
typedef struct Carriers
{
	FgContext  *ctx;
	FgBuffer	names;
	uint32_t   *frame;
	size_t		frame_capacity;
	size_t	   *offset;
	size_t		offset_capacity;
	uint32_t   *length;
	size_t		length_capacity;
	uint32_t	count;
} Carriers;

/* The tasks of a profile: names in bytewise order, and which frame carries which. */
typedef struct Tasks
{
	FgFrames	names;
	FgFrameTasks of_frame;
} Tasks;

/* --- definitions ------------------------------------------------------------------- */

static void
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
	Definition	definition = {.name = name};
	JsonbValue *prefix;
	JsonbValue *regex;
	JsonbContainer *object;

	if (value->type != jbvBinary || !JsonContainerIsObject(value->val.binary.data))
		throw_definition(name, "It is not an object.");
	object = value->val.binary.data;
	prefix = find_key(object, "prefix");
	regex = find_key(object, "regex");
	if (prefix != NULL && regex != NULL)
		throw_definition(name, "It has both \"prefix\" and \"regex\".");
	if (JsonContainerSize(object) > (prefix != NULL || regex != NULL))
		throw_definition(name, "It has a key other than \"prefix\" and \"regex\".");
	if (prefix == NULL && regex == NULL)
		throw_definition(name, "It is empty.");
	if ((prefix != NULL ? prefix : regex)->type != jbvString)
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
		if (token == WJB_KEY)
			name = json_span(&value);
		else if (token == WJB_VALUE)
			definitions[(*count)++] = read_definition(name, &value);
	}
	return definitions;
}

/* --- who carries what ---------------------------------------------------------------- */

/* The frame carries the name at this place. */
static void
add_carrier(Carriers *carriers, uint32_t frame, size_t offset, size_t length)
{
	FgContext  *ctx = carriers->ctx;
	size_t		needed = (size_t) carriers->count + 1;

	fg_must(ctx, fg_reserve(ctx, (void **) &carriers->frame, &carriers->frame_capacity, needed,
							sizeof(uint32_t)) &&
			fg_reserve(ctx, (void **) &carriers->offset, &carriers->offset_capacity, needed,
					   sizeof(size_t)) &&
			fg_reserve(ctx, (void **) &carriers->length, &carriers->length_capacity, needed,
					   sizeof(uint32_t)));
	carriers->frame[carriers->count] = frame;
	carriers->offset[carriers->count] = offset;
	carriers->length[carriers->count] = (uint32_t) length;
	carriers->count++;
}

static size_t
add_name(Carriers *carriers, const char *name, size_t length)
{
	size_t		offset = carriers->names.size;

	fg_must(carriers->ctx, fg_buffer_append(&carriers->names, name, length));
	return offset;
}

static void
match_frame(Carriers *carriers, uint32_t frame, FgSpan bytes, const Definition *definition,
			StringInfo expanded)
{
	if (definition->regex == NULL)
	{
		FgSpan		prefix = definition->prefix;

		if (prefix.size == 0 || (bytes.size >= prefix.size &&
								 memcmp(bytes.bytes, prefix.bytes, prefix.size) == 0))
			add_carrier(carriers, frame, definition->offset, definition->name.size);
		return;
	}
	resetStringInfo(expanded);
	if (fg_regex_expand(definition->regex, bytes.bytes, bytes.size, definition->name, expanded))
		add_carrier(carriers, frame, add_name(carriers, expanded->data, (size_t) expanded->len),
					(size_t) expanded->len);
}

static Carriers
find_carriers(FgContext *ctx, const FgFrames *frames, Definition *definitions, int count)
{
	Carriers	carriers = {.ctx = ctx, .names = {.ctx = ctx}};
	StringInfoData expanded;

	initStringInfo(&expanded);
	for (int d = 0; d < count; d++)
	{
		if (definitions[d].regex == NULL)
			definitions[d].offset = add_name(&carriers, definitions[d].name.bytes,
											 definitions[d].name.size);
	}
	for (uint32_t f = 0; f < frames->count; f++)
	{
		FgSpan		bytes = {fg_frame_bytes(frames, f), fg_frame_length(frames, f)};

		for (int d = 0; d < count; d++)
		{
			CHECK_FOR_INTERRUPTS();
			match_frame(&carriers, f, bytes, &definitions[d], &expanded);
		}
	}
	return carriers;
}

/* Numbers the names in their order; task[i] is that of carrier i. */
static void
number_names(const Carriers *carriers, uint32_t *task, FgFrames *names)
{
	FgContext  *ctx = carriers->ctx;
	const char *bytes = carriers->names.data != NULL ? (char *) carriers->names.data : "";
	uint32_t   *order = fg_alloc(ctx, carriers->count, sizeof(uint32_t));
	uint32_t   *first = fg_alloc(ctx, carriers->count, sizeof(uint32_t));
	uint32_t	distinct = 0;
	size_t		size = 0;

	fg_must(ctx, fg_frames_sort(ctx, bytes, carriers->offset, carriers->length, carriers->count,
								order));
	for (uint32_t i = 0; i < carriers->count; i++)
	{
		uint32_t	before = distinct > 0 ? first[distinct - 1] : 0;

		if (i % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		if (distinct == 0 ||
			fg_bytes_compare(bytes + carriers->offset[before], carriers->length[before],
							 bytes + carriers->offset[order[i]], carriers->length[order[i]]) != 0)
		{
			first[distinct++] = order[i];
			size += carriers->length[order[i]];
		}
		task[order[i]] = distinct - 1;
	}
	fg_must(ctx, fg_frames_alloc(ctx, names, distinct, size));
	for (uint32_t t = 0; t < distinct; t++)
	{
		memcpy(names->bytes + names->offset[t], bytes + carriers->offset[first[t]],
			   carriers->length[first[t]]);
		names->offset[t + 1] = names->offset[t] + carriers->length[first[t]];
	}
	fg_release(ctx, order);
	fg_release(ctx, first);
}

/* The tasks of each frame, each once; carriers come frame by frame. */
static Tasks
find_tasks(FgContext *ctx, const FgTree *tree, Jsonb *json)
{
	int			ndefinitions;
	Definition *definitions = read_definitions(json, &ndefinitions);
	Carriers	carriers = find_carriers(ctx, &tree->frames, definitions, ndefinitions);
	uint32_t   *task = fg_alloc(ctx, carriers.count, sizeof(uint32_t));
	uint32_t   *seen;			/* by task: 1 + the frame that it was seen at */
	Tasks		tasks;
	uint32_t	next = 0;
	uint32_t	count = 0;

	number_names(&carriers, task, &tasks.names);
	seen = fg_alloc_zero(ctx, tasks.names.count, sizeof(uint32_t));
	tasks.of_frame.ntasks = tasks.names.count;
	tasks.of_frame.first = fg_alloc(ctx, (size_t) tree->frames.count + 1, sizeof(uint32_t));
	tasks.of_frame.task = fg_alloc(ctx, carriers.count, sizeof(uint32_t));
	for (uint32_t f = 0; f < tree->frames.count; f++)
	{
		CHECK_FOR_INTERRUPTS();
		tasks.of_frame.first[f] = count;
		for (; next < carriers.count && carriers.frame[next] == f; next++)
		{
			if (seen[task[next]] == f + 1)
				continue;
			seen[task[next]] = f + 1;
			tasks.of_frame.task[count++] = task[next];
		}
	}
	tasks.of_frame.first[tree->frames.count] = count;
	fg_release(ctx, seen);
	fg_release(ctx, task);
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
		if (t % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		selected[t] = fg_frames_find(&wanted, fg_frame_bytes(&tasks->names, t),
									 fg_frame_length(&tasks->names, t)) != UINT32_MAX;
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
