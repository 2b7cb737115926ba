/*
 * validate_resources.c
 *	  Errors of the resources of a job, of what phases are mapped to, and of what was
 *	  measured.
 */
#include "core/checking/validate_internal.h"

#include <math.h>

/* --- resources ----------------------------------------------------------------------- */

static FgProblem
resource_cycle(const FgJob *job, uint32_t resource)
{
	return fg_resource_problem(FG_PROBLEM_RESOURCE_CYCLE, &job->resources[resource]);
}

static bool
capacity_works(FgResourceClass class, double capacity)
{
	if (class != FG_RESOURCE_CONSUMABLE)
		return !fg_is_given(capacity);
	return capacity >= 0 && capacity <= FG_MAX_USAGE;
}

static bool
check_resource(FgCheck *check, uint32_t r)
{
	const FgResource *resource = &check->job->resources[r];
	FgProblem	problem = fg_resource_problem(FG_PROBLEM_UNKNOWN_RESOURCE_TYPE, resource);

	if (!fg_check_known(check, resource->type, &problem))
		return false;
	problem.code = FG_PROBLEM_UNKNOWN_RESOURCE;
	if (!fg_check_known(check, resource->parent, &problem))
		return false;
	problem.code = FG_PROBLEM_DUPLICATE_KEY;
	if (r > 0 && resource[-1].id == resource->id && !fg_check_emit(check, &problem))
		return false;
	problem.code = FG_PROBLEM_BAD_DELTA;
	problem.value = resource->delta;
	if (!(!fg_is_given(resource->delta) || (resource->delta > 0 && resource->delta <= 1)) &&
		!fg_check_emit(check, &problem))
		return false;
	if (!fg_is_known(resource->type))
		return true;
	problem.code = FG_PROBLEM_BAD_CAPACITY;
	problem.value = resource->capacity;
	problem.name = check->job->resource_types[resource->type].name;
	return capacity_works(fg_resource_class(check->job, r), resource->capacity) ||
		fg_check_emit(check, &problem);
}

bool
fg_check_resources(FgCheck *check)
{
	const FgJob *job = check->job;

	for (uint32_t r = 0; r < job->resource_count; r++)
	{
		if (!fg_check_every(check->ctx, r) || !check_resource(check, r))
			return false;
	}
	return fg_check_cycles(check, job->resource_count == 0 ? NULL : &job->resources->parent,
						   sizeof(FgResource), job->resource_count, resource_cycle);
}

/* --- mappings ------------------------------------------------------------------------ */

/*
 * Resources in preorder: what lies below one is a range of places, and ranges of two resources
 * are one within the other or apart.  So what a phase has access to is the ranges of its
 * rows, without those within others.
 */
typedef struct Mapped
{
	FgJobTree	resources;
	FgJobTree	phases;
	uint32_t   *first;			/* by phase, one more: its rows in top[] */
	uint32_t   *filled;			/* by phase: how many of them there are */
	uint32_t   *top;			/* resources, by place */
	uint32_t   *first_row;		/* by resource, one more: its rows in row[] */
	uint32_t   *row;
	uint32_t   *access;			/* by phase: the nearest one with rows, FG_NONE: everything */
} Mapped;

static bool
is_row(const FgMapping *mapping)
{
	return fg_is_known(mapping->phase) && fg_is_known(mapping->resource);
}

/* The rows by resource, and how many each phase has. */
static bool
sort_rows(FgCheck *check, Mapped *mapped)
{
	const FgJob *job = check->job;
	uint32_t	sum = 0;

	for (uint32_t i = 0; i < job->mapping_count; i++)
	{
		if (!fg_check_every(check->ctx, i))
			return false;
		if (!is_row(&job->mappings[i]))
			continue;
		mapped->first[job->mappings[i].phase + 1]++;
		mapped->first_row[job->mappings[i].resource]++;
	}
	for (uint32_t p = 0; p < job->phase_count; p++)
	{
		mapped->first[p + 1] += mapped->first[p];
		if (!fg_check_every(check->ctx, p))
			return false;
	}
	for (uint32_t r = 0; r <= job->resource_count; r++)
	{
		sum += mapped->first_row[r];
		mapped->first_row[r] = sum;
	}
	for (uint32_t i = job->mapping_count; i-- > 0;)
	{
		if (is_row(&job->mappings[i]))
			mapped->row[--mapped->first_row[job->mappings[i].resource]] = i;
		if (!fg_check_every(check->ctx, i))
			return false;
	}
	return true;
}

/* Resources come by place, so one within another comes behind it. */
static bool
collect_tops(FgCheck *check, Mapped *mapped)
{
	const FgJob *job = check->job;

	for (uint32_t i = 0; i < job->resource_count; i++)
	{
		uint32_t	resource = mapped->resources.order[i];

		for (uint32_t m = mapped->first_row[resource]; m < mapped->first_row[resource + 1]; m++)
		{
			uint32_t	phase = job->mappings[mapped->row[m]].phase;
			uint32_t   *top = &mapped->top[mapped->first[phase]];
			uint32_t	count = mapped->filled[phase];

			if (!fg_steps(check->ctx, 1))
				return false;
			if (count == 0 || mapped->resources.last[top[count - 1]] < i)
				top[mapped->filled[phase]++] = resource;
		}
	}
	return true;
}

static bool
has_access(const Mapped *mapped, uint32_t phase, uint32_t resource)
{
	const uint32_t *top = &mapped->top[mapped->first[phase]];
	uint32_t	place = mapped->resources.place[resource];
	uint32_t	low = 0;
	uint32_t	high = mapped->filled[phase];

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (mapped->resources.last[top[middle]] < place)
			low = middle + 1;
		else
			high = middle;
	}
	return low < mapped->filled[phase] && mapped->resources.place[top[low]] <= place;
}

/* Phases come parents first, so what the parent has access to is known. */
static bool
inherit_access(FgContext *ctx, const FgJob *job, Mapped *mapped)
{
	for (uint32_t i = 0; i < job->phase_count; i++)
	{
		uint32_t	phase = mapped->phases.order[i];
		uint32_t	parent = job->phases[phase].parent;

		mapped->access[phase] = FG_NONE;
		if (mapped->filled[phase] > 0)
			mapped->access[phase] = phase;
		else if (fg_is_known(parent))
			mapped->access[phase] = mapped->access[parent];
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

static bool
check_rows(FgCheck *check, const Mapped *mapped)
{
	const FgJob *job = check->job;

	for (uint32_t i = 0; i < job->mapping_count; i++)
	{
		const FgMapping *mapping = &job->mappings[i];
		FgProblem	problem = {
			.code = FG_PROBLEM_MAPPING_NOT_SUBSET, .table = FG_TABLE_MAPPING,
			.has_phase = true, .has_resource = true
		};
		uint32_t	parent;

		if (!fg_check_every(check->ctx, i))
			return false;
		parent = is_row(mapping) ? job->phases[mapping->phase].parent : FG_NONE;
		if (!fg_is_known(parent) || mapped->access[parent] == FG_NONE ||
			has_access(mapped, mapped->access[parent], mapping->resource))
			continue;
		problem.phase = job->phases[mapping->phase].id;
		problem.resource = job->resources[mapping->resource].id;
		problem.other = job->phases[mapped->access[parent]].id;
		if (!fg_check_emit(check, &problem))
			return false;
	}
	return true;
}

/* A tree in which what hangs on something unknown is a root. */
static bool
make_tree(FgContext *ctx, const uint32_t *parents, size_t stride, uint32_t count, FgJobTree *tree)
{
	uint32_t   *known = fg_alloc(ctx, count, sizeof(uint32_t));
	bool		made = known != NULL;

	for (uint32_t i = 0; made && i < count; i++)
	{
		uint32_t	parent = *(const uint32_t *) ((const char *) parents + i * stride);

		known[i] = fg_is_known(parent) ? parent : FG_NONE;
		made = fg_check_every(ctx, i);
	}
	made = made && fg_job_tree_make(ctx, known, sizeof(uint32_t), count, tree);
	fg_release(ctx, known);
	return made;
}

static bool
allocate_mapped(FgContext *ctx, const FgJob *job, Mapped *mapped)
{
	mapped->first = fg_alloc_zero(ctx, (size_t) job->phase_count + 1, sizeof(uint32_t));
	mapped->filled = fg_alloc_zero(ctx, job->phase_count, sizeof(uint32_t));
	mapped->top = fg_alloc(ctx, job->mapping_count, sizeof(uint32_t));
	mapped->first_row = fg_alloc_zero(ctx, (size_t) job->resource_count + 1, sizeof(uint32_t));
	mapped->row = fg_alloc(ctx, job->mapping_count, sizeof(uint32_t));
	mapped->access = fg_alloc(ctx, job->phase_count, sizeof(uint32_t));
	return mapped->first != NULL && mapped->filled != NULL && mapped->top != NULL &&
		mapped->first_row != NULL && mapped->row != NULL && mapped->access != NULL &&
		make_tree(ctx, job->resource_count == 0 ? NULL : &job->resources->parent,
				  sizeof(FgResource), job->resource_count, &mapped->resources) &&
		make_tree(ctx, job->phase_count == 0 ? NULL : &job->phases->parent, sizeof(FgPhase),
				  job->phase_count, &mapped->phases);
}

static void
free_mapped(FgContext *ctx, Mapped *mapped)
{
	fg_release(ctx, mapped->first);
	fg_release(ctx, mapped->filled);
	fg_release(ctx, mapped->top);
	fg_release(ctx, mapped->first_row);
	fg_release(ctx, mapped->row);
	fg_release(ctx, mapped->access);
	fg_job_tree_free(ctx, &mapped->resources);
	fg_job_tree_free(ctx, &mapped->phases);
}

static bool
check_known_mappings(FgCheck *check)
{
	const FgJob *job = check->job;

	for (uint32_t i = 0; i < job->mapping_count; i++)
	{
		const FgMapping *mapping = &job->mappings[i];
		FgProblem	problem = {.code = FG_PROBLEM_UNKNOWN_PHASE, .table = FG_TABLE_MAPPING};

		if (fg_is_known(mapping->phase))
		{
			problem.has_phase = true;
			problem.phase = job->phases[mapping->phase].id;
		}
		if (!fg_check_every(check->ctx, i) || !fg_check_known(check, mapping->phase, &problem))
			return false;
		problem.code = FG_PROBLEM_UNKNOWN_RESOURCE;
		if (!fg_check_known(check, mapping->resource, &problem))
			return false;
	}
	return true;
}

/* Below a cycle nothing is mapped to more or less than its parent. */
bool
fg_check_mappings(FgCheck *check)
{
	FgContext  *ctx = check->ctx;
	const FgJob *job = check->job;
	Mapped		mapped = {.first = NULL};
	bool		phases_cycle;
	bool		resources_cycle;
	bool		go_on;

	if (!check_known_mappings(check))
		return false;
	if (job->mapping_count == 0)
		return true;
	if (!fg_has_cycle(ctx, job->phase_count == 0 ? NULL : &job->phases->parent, sizeof(FgPhase),
					  job->phase_count, &phases_cycle) ||
		!fg_has_cycle(ctx, job->resource_count == 0 ? NULL : &job->resources->parent,
					  sizeof(FgResource), job->resource_count, &resources_cycle))
		return false;
	if (phases_cycle || resources_cycle)
		return true;
	go_on = allocate_mapped(ctx, job, &mapped) && sort_rows(check, &mapped) &&
		collect_tops(check, &mapped) && inherit_access(ctx, job, &mapped) &&
		check_rows(check, &mapped);
	free_mapped(ctx, &mapped);
	return go_on;
}

/* --- measurements -------------------------------------------------------------------- */

static FgProblem
time_problem(const FgJob *job, FgJobTable table, uint32_t resource, int64_t start, int64_t end)
{
	FgProblem	problem = {.table = table, .has_times = true, .start = start, .end = end};

	if (fg_is_known(resource))
	{
		problem.has_resource = true;
		problem.resource = job->resources[resource].id;
	}
	return problem;
}

/*
 * One problem for the first row of a resource that is not there or has the wrong class, with
 * the number of its rows.
 */
static bool
check_owner(FgCheck *check, FgProblem *problem, uint32_t resource, FgResourceClass class,
			FgProblemCode mismatch, uint64_t rows)
{
	problem->count = rows;
	problem->code = FG_PROBLEM_UNKNOWN_RESOURCE;
	if (!fg_check_known(check, resource, problem))
		return false;
	problem->code = mismatch;
	return !fg_is_known(resource) || !fg_is_known(check->job->resources[resource].type) ||
		fg_resource_class(check->job, resource) == class || fg_check_emit(check, problem);
}

/* Samples at the same point in time contradict each other, though nothing overlaps. */
static inline bool
overlaps(const FgUsage *usage, uint32_t i, int64_t covered)
{
	return usage[i].start < covered ||
		(i > 0 && usage[i].start == usage[i - 1].start && usage[i].end == usage[i - 1].end);
}

static inline bool
usage_works(double usage)
{
	return usage >= 0 && usage <= FG_MAX_USAGE;
}

static bool
tell_of_usage(FgCheck *check, const FgUsage *usage, uint32_t i, int64_t covered)
{
	FgProblem	problem = time_problem(check->job, FG_TABLE_USAGE, usage[i].resource,
									   usage[i].start, usage[i].end);

	if (!fg_check_times(check, &problem))
		return false;
	problem.code = FG_PROBLEM_MEASUREMENT_END_BEFORE_START;
	if (usage[i].end < usage[i].start && !fg_check_emit(check, &problem))
		return false;
	problem.code = FG_PROBLEM_OVERLAPPING_MEASUREMENTS;
	if (overlaps(usage, i, covered) && !fg_check_emit(check, &problem))
		return false;
	problem.code = FG_PROBLEM_BAD_USAGE;
	problem.value = usage[i].usage;
	return usage_works(usage[i].usage) || fg_check_emit(check, &problem);
}

static bool
check_usages_of(FgCheck *check, const FgUsage *usage, uint32_t rows)
{
	FgProblem	problem = time_problem(check->job, FG_TABLE_USAGE, usage->resource,
									   usage->start, usage->end);
	int64_t		covered = INT64_MIN;

	if (!check_owner(check, &problem, usage->resource, FG_RESOURCE_CONSUMABLE,
					 FG_PROBLEM_USAGE_ON_NON_CONSUMABLE, rows))
		return false;
	for (uint32_t i = 0; fg_is_known(usage->resource) && i < rows; i++)
	{
		bool		fine = fg_times_work(usage[i].start, usage[i].end) &&
			usage[i].end >= usage[i].start && usage_works(usage[i].usage) &&
			!overlaps(usage, i, covered);

		if (!fg_check_every(check->ctx, i) || (!fine && !tell_of_usage(check, usage, i, covered)))
			return false;
		covered = usage[i].end > covered ? usage[i].end : covered;
	}
	return true;
}

static bool
tell_of_blocking(FgCheck *check, const FgBlocking *blocking)
{
	FgProblem	problem = time_problem(check->job, FG_TABLE_BLOCKING, blocking->resource,
									   blocking->start, blocking->end);

	if (!fg_check_times(check, &problem))
		return false;
	problem.code = FG_PROBLEM_BLOCKING_END_BEFORE_START;
	return blocking->end >= blocking->start || fg_check_emit(check, &problem);
}

static bool
check_blockings_of(FgCheck *check, const FgBlocking *blocking, uint32_t rows)
{
	FgProblem	problem = time_problem(check->job, FG_TABLE_BLOCKING, blocking->resource,
									   blocking->start, blocking->end);

	if (!check_owner(check, &problem, blocking->resource, FG_RESOURCE_BLOCKING,
					 FG_PROBLEM_BLOCKING_ON_NON_BLOCKING, rows))
		return false;
	for (uint32_t i = 0; fg_is_known(blocking->resource) && i < rows; i++)
	{
		bool		fine = fg_times_work(blocking[i].start, blocking[i].end) &&
			blocking[i].end >= blocking[i].start;

		if (!fg_check_every(check->ctx, i) || (!fine && !tell_of_blocking(check, &blocking[i])))
			return false;
	}
	return true;
}

/* The end of the rows of the resource of row "start"; false when work must end. */
static bool
end_of_rows(FgContext *ctx, const uint32_t *resources, size_t stride, uint32_t start,
			uint32_t rows, uint32_t *end)
{
	const char *first = (const char *) resources;
	uint32_t	resource = *(const uint32_t *) (first + start * stride);

	for (*end = start + 1; *end < rows; (*end)++)
	{
		if (*(const uint32_t *) (first + *end * stride) != resource)
			break;
		if (!fg_check_every(ctx, *end))
			return false;
	}
	return fg_steps(ctx, 1);
}

bool
fg_check_measurements(FgCheck *check)
{
	const FgJob *job = check->job;
	uint32_t	end;

	for (uint32_t i = 0; i < job->usage_count; i = end)
	{
		if (!end_of_rows(check->ctx, &job->usages->resource, sizeof(FgUsage), i,
						 job->usage_count, &end) ||
			!check_usages_of(check, &job->usages[i], end - i))
			return false;
	}
	for (uint32_t i = 0; i < job->blocking_count; i = end)
	{
		if (!end_of_rows(check->ctx, &job->blockings->resource, sizeof(FgBlocking), i,
						 job->blocking_count, &end) ||
			!check_blockings_of(check, &job->blockings[i], end - i))
			return false;
	}
	return true;
}
