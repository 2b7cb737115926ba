/*
 * job_rows.c
 *	  Makes a job of rows (see job_rows.h).
 */
#include "core/checking/job_rows_internal.h"

#define CHUNK_BYTES 65536

struct FgTextChunk
{
	FgTextChunk *next;
	size_t		used;
	size_t		size;
	char		bytes[];
};

bool
fg_job_rows_begin(FgContext *ctx, int64_t id, FgJob *job, FgJobRows *rows)
{
	memset(job, 0, sizeof(*job));
	memset(rows, 0, sizeof(*rows));
	job->id = id;
	rows->ctx = ctx;
	rows->job = job;
	for (int i = 0; i < FG_MISSING_KINDS; i++)
	{
		if (!fg_pairs_begin(ctx, &rows->missing[i].pairs))
			return false;
	}
	return true;
}

/* --- what all tables need ------------------------------------------------------------ */

static bool
copy_text(FgJobRows *rows, FgSpan text, FgSpan *copy)
{
	FgTextChunk *chunk = rows->texts;

	*copy = (FgSpan) {"", 0};
	if (text.size == 0)
		return true;
	if (chunk == NULL || chunk->size - chunk->used < text.size)
	{
		size_t		size = text.size > CHUNK_BYTES ? text.size : CHUNK_BYTES;

		chunk = fg_alloc(rows->ctx, sizeof(FgTextChunk) + size, 1);
		if (chunk == NULL)
			return false;
		*chunk = (FgTextChunk) {.next = rows->texts, .size = size};
		rows->texts = chunk;
	}
	memcpy(chunk->bytes + chunk->used, text.bytes, text.size);
	*copy = (FgSpan) {chunk->bytes + chunk->used, text.size};
	chunk->used += text.size;
	return fg_work(rows->ctx, text.size);
}

bool
fg_job_rows_room(FgJobRows *rows, void *array, int table, uint32_t count, size_t size)
{
	if (count < FG_UNKNOWN && count < rows->capacity[table])
		return true;
	if (count >= FG_UNKNOWN - 1)
		return fg_fail(rows->ctx, FG_ERROR_LIMIT, "a job has too many rows");
	return fg_reserve(rows->ctx, array, &rows->capacity[table], (size_t) count + 1, size);
}

bool
fg_job_rows_problem(FgJobRows *rows, const FgProblem *problem)
{
	FgJob	   *job = rows->job;

	if (!fg_reserve(rows->ctx, (void **) &rows->found, &rows->found_capacity,
					(size_t) job->found_count + 1, sizeof(FgProblem)))
		return false;
	rows->found[job->found_count] = *problem;
	if (!copy_text(rows, problem->name, &rows->found[job->found_count].name) ||
		!copy_text(rows, problem->second, &rows->found[job->found_count].second))
		return false;
	job->found_count++;
	job->found = rows->found;
	return true;
}

/* Notes the parent of row number "row". */
static bool
keep_parent(FgJobRows *rows, uint32_t row, FgSpan name, const int64_t *id)
{
	FgParents  *parents = &rows->parents;

	if (!fg_reserve(rows->ctx, (void **) &parents->given, &parents->given_capacity,
					(size_t) row + 1, sizeof(bool)))
		return false;
	parents->given[row] = name.bytes != NULL || id != NULL;
	if (name.bytes != NULL)
		return fg_reserve(rows->ctx, (void **) &parents->names, &parents->name_capacity,
						  (size_t) row + 1, sizeof(FgSpan)) &&
			copy_text(rows, name, &parents->names[row]);
	if (id == NULL)
		return true;
	if (!fg_reserve(rows->ctx, (void **) &parents->ids, &parents->id_capacity, (size_t) row + 1,
					sizeof(int64_t)))
		return false;
	parents->ids[row] = *id;
	return true;
}

/* --- types --------------------------------------------------------------------------- */

/* The type of a name, by binary search; names are given every "stride" bytes. */
static uint32_t
find_name(const FgSpan *names, size_t stride, uint32_t count, FgSpan name)
{
	uint32_t	low = 0;
	uint32_t	high = count;

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (fg_span_compare(*(const FgSpan *) ((const char *) names + middle * stride), name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < count && fg_span_equal(*(const FgSpan *) ((const char *) names + low * stride), name))
		return low;
	return FG_UNKNOWN;
}

static uint32_t
find_phase_type(FgJobRows *rows, FgSpan name)
{
	const FgJob *job = rows->job;

	if (rows->last_type < job->phase_type_count &&
		fg_span_equal(job->phase_types[rows->last_type].name, name))
		return rows->last_type;
	rows->last_type = job->phase_type_count == 0 ? FG_UNKNOWN
		: find_name(&job->phase_types->name, sizeof(FgPhaseType), job->phase_type_count, name);
	return rows->last_type;
}

static uint32_t
find_resource_type(const FgJobRows *rows, FgSpan name)
{
	const FgJob *job = rows->job;

	return job->resource_type_count == 0 ? FG_UNKNOWN
		: find_name(&job->resource_types->name, sizeof(FgResourceType), job->resource_type_count,
					name);
}

/* A type that is not there: "name" is missing, "second" is the type whose row names it. */
static bool
missing_type(FgJobRows *rows, FgProblemCode code, FgJobTable table, FgSpan name, FgSpan second)
{
	FgProblem	problem = {.code = code, .table = table, .name = name, .second = second};

	return fg_job_rows_problem(rows, &problem);
}

bool
fg_job_add_phase_type(FgJobRows *rows, FgSpan name, FgSpan parent, FgRepeat repeat,
					  FgSpan predicate)
{
	FgJob	   *job = rows->job;
	FgPhaseType type = {.parent = FG_NONE, .repeat = repeat, .predicate = {NULL, 0}};

	if (!fg_job_rows_room(rows, &job->phase_types, FG_ROWS_PHASE_TYPES, job->phase_type_count,
						  sizeof(type)) ||
		!copy_text(rows, name, &type.name) ||
		(predicate.bytes != NULL && !copy_text(rows, predicate, &type.predicate)) ||
		!keep_parent(rows, job->phase_type_count, parent, NULL))
		return false;
	job->phase_types[job->phase_type_count++] = type;
	return true;
}

bool
fg_job_settle_phase_types(FgJobRows *rows)
{
	FgJob	   *job = rows->job;

	for (uint32_t t = 0; t < job->phase_type_count; t++)
	{
		FgPhaseType *type = &job->phase_types[t];

		if (!fg_check_every(rows->ctx, t))
			return false;
		if (t > 0 && fg_span_compare(type[-1].name, type->name) > 0)
			return fg_fail(rows->ctx, FG_ERROR_ARGUMENT, "phase types are not sorted by name");
		if (!rows->parents.given[t])
			continue;
		type->parent = find_phase_type(rows, rows->parents.names[t]);
		if (type->parent == FG_UNKNOWN &&
			!missing_type(rows, FG_PROBLEM_UNKNOWN_PHASE_TYPE, FG_TABLE_PHASE_TYPE,
						  rows->parents.names[t], type->name))
			return false;
	}
	return true;
}

bool
fg_job_add_precedence(FgJobRows *rows, FgSpan before, FgSpan after)
{
	FgJob	   *job = rows->job;
	FgPrecedence row = {find_phase_type(rows, before), find_phase_type(rows, after)};

	if (!fg_job_rows_room(rows, &job->precedences, FG_ROWS_PRECEDENCES, job->precedence_count,
						  sizeof(row)))
		return false;
	if (row.before == FG_UNKNOWN && !missing_type(rows, FG_PROBLEM_UNKNOWN_PHASE_TYPE,
												  FG_TABLE_PRECEDENCE, before, after))
		return false;
	if (row.after == FG_UNKNOWN && !missing_type(rows, FG_PROBLEM_UNKNOWN_PHASE_TYPE,
												 FG_TABLE_PRECEDENCE, after, before))
		return false;
	job->precedences[job->precedence_count++] = row;
	return true;
}

bool
fg_job_add_resource_type(FgJobRows *rows, FgSpan name, FgSpan parent, FgResourceClass class)
{
	FgJob	   *job = rows->job;
	FgResourceType type = {.parent = FG_NONE, .class = class};

	if (!fg_job_rows_room(rows, &job->resource_types, FG_ROWS_RESOURCE_TYPES,
						  job->resource_type_count, sizeof(type)) ||
		!copy_text(rows, name, &type.name) ||
		!keep_parent(rows, job->resource_type_count, parent, NULL))
		return false;
	job->resource_types[job->resource_type_count++] = type;
	return true;
}

bool
fg_job_settle_resource_types(FgJobRows *rows)
{
	FgJob	   *job = rows->job;

	for (uint32_t t = 0; t < job->resource_type_count; t++)
	{
		FgResourceType *type = &job->resource_types[t];

		if (!fg_check_every(rows->ctx, t))
			return false;
		if (t > 0 && fg_span_compare(type[-1].name, type->name) > 0)
			return fg_fail(rows->ctx, FG_ERROR_ARGUMENT, "resource types are not sorted by name");
		if (!rows->parents.given[t])
			continue;
		type->parent = find_resource_type(rows, rows->parents.names[t]);
		if (type->parent == FG_UNKNOWN &&
			!missing_type(rows, FG_PROBLEM_UNKNOWN_RESOURCE_TYPE, FG_TABLE_RESOURCE_TYPE,
						  rows->parents.names[t], type->name))
			return false;
	}
	return true;
}

bool
fg_job_add_rule(FgJobRows *rows, FgSpan phase_type, FgSpan resource_type, FgRuleKind kind,
				double cap, double delta)
{
	FgJob	   *job = rows->job;
	FgRule		rule = {
		.phase_type = find_phase_type(rows, phase_type),
		.resource_type = find_resource_type(rows, resource_type),
		.kind = kind, .cap = cap, .delta = delta
	};

	if (!fg_job_rows_room(rows, &job->rules, FG_ROWS_RULES, job->rule_count, sizeof(rule)))
		return false;
	if (rule.phase_type == FG_UNKNOWN && !missing_type(rows, FG_PROBLEM_UNKNOWN_PHASE_TYPE,
													   FG_TABLE_RULE, phase_type, resource_type))
		return false;
	if (rule.resource_type == FG_UNKNOWN &&
		!missing_type(rows, FG_PROBLEM_UNKNOWN_RESOURCE_TYPE, FG_TABLE_RULE, resource_type,
					  phase_type))
		return false;
	job->rules[job->rule_count++] = rule;
	return true;
}

/* --- phases and resources ------------------------------------------------------------ */

/* The place of an id among ascending ones, given every "stride" bytes; near "guess" at best. */
static uint32_t
find_id(const int64_t *ids, size_t stride, uint32_t count, int64_t id)
{
	const char *first = (const char *) ids;
	uint32_t	low = 0;
	uint32_t	high = count;
	uint64_t	guess;

	if (count == 0)
		return FG_UNKNOWN;
	/* ids are most often numbers in a row */
	guess = (uint64_t) id - (uint64_t) *ids;
	if (guess < count && *(const int64_t *) (first + guess * stride) == id &&
		(guess == 0 || *(const int64_t *) (first + (guess - 1) * stride) < id))
		return (uint32_t) guess;
	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (*(const int64_t *) (first + middle * stride) < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && *(const int64_t *) (first + low * stride) == id ? low : FG_UNKNOWN;
}

uint32_t
fg_job_rows_phase(FgJobRows *rows, int64_t id)
{
	const FgJob *job = rows->job;

	if (rows->last_phase >= job->phase_count || job->phases[rows->last_phase].id != id)
		rows->last_phase = find_id(job->phase_count == 0 ? NULL : &job->phases->id,
								   sizeof(FgPhase), job->phase_count, id);
	return rows->last_phase;
}

uint32_t
fg_job_rows_resource(FgJobRows *rows, int64_t id)
{
	const FgJob *job = rows->job;

	if (rows->last_resource >= job->resource_count || job->resources[rows->last_resource].id != id)
		rows->last_resource = find_id(job->resource_count == 0 ? NULL : &job->resources->id,
									  sizeof(FgResource), job->resource_count, id);
	return rows->last_resource;
}

/*
 * The order of "count" rows by their ids, as items of keys; NULL in *keys when they are sorted
 * already.
 */
static bool
order_by_id(FgContext *ctx, const int64_t *ids, size_t stride, uint32_t count, FgSortKey **keys)
{
	const char *first = (const char *) ids;
	FgSortKey  *spare;
	bool		sorted = true;

	*keys = NULL;
	for (uint32_t i = 1; sorted && i < count; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		sorted = *(const int64_t *) (first + (i - 1) * stride) <=
			*(const int64_t *) (first + i * stride);
	}
	if (sorted)
		return true;
	*keys = fg_alloc(ctx, count, sizeof(FgSortKey));
	spare = fg_alloc(ctx, count, sizeof(FgSortKey));
	for (uint32_t i = 0; *keys != NULL && i < count; i++)
		(*keys)[i] = (FgSortKey) {*(const int64_t *) (first + i * stride), i};
	sorted = *keys != NULL && spare != NULL && fg_sort_keys(ctx, *keys, count, spare);
	fg_release(ctx, spare);
	return sorted;
}

bool
fg_permute(FgContext *ctx, void **array, size_t size, uint32_t count, const FgSortKey *keys)
{
	char	   *to = fg_alloc(ctx, count, size);

	for (uint32_t i = 0; to != NULL && i < count; i++)
	{
		memcpy(to + i * size, (const char *) *array + keys[i].item * size, size);
		if (!fg_check_every(ctx, i))
		{
			fg_release(ctx, to);
			return false;
		}
	}
	if (to == NULL)
		return false;
	fg_release(ctx, *array);
	*array = to;
	return true;
}

bool
fg_job_add_phase(FgJobRows *rows, int64_t id, const int64_t *parent, FgSpan type, FgSpan instance,
				 int64_t start, int64_t end)
{
	FgJob	   *job = rows->job;
	FgPhase		phase = {
		.id = id, .parent = FG_NONE, .type = find_phase_type(rows, type), .start = start, .end = end
	};
	FgProblem	problem = {
		.code = FG_PROBLEM_UNKNOWN_PHASE_TYPE, .table = FG_TABLE_PHASE, .has_phase = true,
		.phase = id, .name = type
	};

	if (!fg_job_rows_room(rows, &job->phases, FG_ROWS_PHASES, job->phase_count, sizeof(phase)) ||
		!copy_text(rows, instance, &phase.instance) ||
		!keep_parent(rows, job->phase_count, (FgSpan) {NULL, 0}, parent) ||
		(phase.type == FG_UNKNOWN && !fg_job_rows_problem(rows, &problem)))
		return false;
	job->phases[job->phase_count++] = phase;
	return fg_steps(rows->ctx, 1);
}

/* Parents still stand in the order in which rows came: "keys" says where each came from. */
static inline uint32_t
came_as(const FgSortKey *keys, uint32_t i)
{
	return keys == NULL ? i : keys[i].item;
}

bool
fg_job_settle_phases(FgJobRows *rows)
{
	FgJob	   *job = rows->job;
	FgSortKey  *keys;
	bool		settled = order_by_id(rows->ctx, job->phase_count == 0 ? NULL : &job->phases->id,
									  sizeof(FgPhase), job->phase_count, &keys) &&
		(keys == NULL ||
		 fg_permute(rows->ctx, (void **) &job->phases, sizeof(FgPhase), job->phase_count, keys));

	rows->capacity[FG_ROWS_PHASES] = 0;
	for (uint32_t p = 0; settled && p < job->phase_count; p++)
	{
		uint32_t	row = came_as(keys, p);
		FgProblem	problem = {
			.code = FG_PROBLEM_UNKNOWN_PHASE, .table = FG_TABLE_PHASE, .has_phase = true,
			.phase = job->phases[p].id
		};

		settled = fg_check_every(rows->ctx, p);
		if (!settled || !rows->parents.given[row])
			continue;
		job->phases[p].parent = fg_job_rows_phase(rows, rows->parents.ids[row]);
		problem.other = rows->parents.ids[row];
		settled = job->phases[p].parent != FG_UNKNOWN || fg_job_rows_problem(rows, &problem);
	}
	fg_release(rows->ctx, keys);
	return settled;
}

bool
fg_job_add_resource(FgJobRows *rows, int64_t id, const int64_t *parent, FgSpan type,
					double capacity, double delta)
{
	FgJob	   *job = rows->job;
	FgResource	resource = {
		.id = id, .parent = FG_NONE, .type = find_resource_type(rows, type),
		.capacity = capacity, .delta = delta
	};
	FgProblem	problem = {
		.code = FG_PROBLEM_UNKNOWN_RESOURCE_TYPE, .table = FG_TABLE_RESOURCE,
		.has_resource = true, .resource = id, .name = type
	};

	if (!fg_job_rows_room(rows, &job->resources, FG_ROWS_RESOURCES, job->resource_count,
						  sizeof(resource)) ||
		!keep_parent(rows, job->resource_count, (FgSpan) {NULL, 0}, parent) ||
		(resource.type == FG_UNKNOWN && !fg_job_rows_problem(rows, &problem)))
		return false;
	job->resources[job->resource_count++] = resource;
	return fg_steps(rows->ctx, 1);
}

bool
fg_job_settle_resources(FgJobRows *rows)
{
	FgJob	   *job = rows->job;
	FgSortKey  *keys;
	bool		settled = order_by_id(rows->ctx,
									  job->resource_count == 0 ? NULL : &job->resources->id,
									  sizeof(FgResource), job->resource_count, &keys) &&
		(keys == NULL || fg_permute(rows->ctx, (void **) &job->resources, sizeof(FgResource),
								 job->resource_count, keys));

	rows->capacity[FG_ROWS_RESOURCES] = 0;
	for (uint32_t r = 0; settled && r < job->resource_count; r++)
	{
		uint32_t	row = came_as(keys, r);
		FgProblem	problem = {
			.code = FG_PROBLEM_UNKNOWN_RESOURCE, .table = FG_TABLE_RESOURCE,
			.has_resource = true, .resource = job->resources[r].id
		};

		settled = fg_check_every(rows->ctx, r);
		if (!settled || !rows->parents.given[row])
			continue;
		job->resources[r].parent = fg_job_rows_resource(rows, rows->parents.ids[row]);
		problem.other = rows->parents.ids[row];
		settled = job->resources[r].parent != FG_UNKNOWN || fg_job_rows_problem(rows, &problem);
	}
	fg_release(rows->ctx, keys);
	return settled;
}

/* --- the end ------------------------------------------------------------------------- */

void
fg_job_rows_free(FgJobRows *rows)
{
	fg_release(rows->ctx, rows->parents.names);
	fg_release(rows->ctx, rows->parents.ids);
	fg_release(rows->ctx, rows->parents.given);
	rows->parents = (FgParents) {.names = NULL};
	for (int i = 0; i < FG_MISSING_KINDS; i++)
	{
		fg_pairs_free(&rows->missing[i].pairs);
		fg_release(rows->ctx, rows->missing[i].problem);
		rows->missing[i].problem = NULL;
	}
}

void
fg_job_rows_free_job(FgJobRows *rows)
{
	FgJob	   *job = rows->job;
	void	   *arrays[] = {
		job->phase_types, job->precedences, job->resource_types, job->rules, job->phases,
		job->resources, job->mappings, job->usages, job->blockings, rows->found
	};

	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		fg_release(rows->ctx, arrays[i]);
	while (rows->texts != NULL)
	{
		FgTextChunk *next = rows->texts->next;

		fg_release(rows->ctx, rows->texts);
		rows->texts = next;
	}
}
