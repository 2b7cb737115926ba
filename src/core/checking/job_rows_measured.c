/*
 * job_rows_measured.c
 *	  The rows of a job that refer to phases and resources, of which there are many (see
 *	  job_rows.h).
 */
#include "core/checking/job_rows_internal.h"

/* --- adding -------------------------------------------------------------------------- */

/* One problem for each table and id, which counts the rows. */
static bool
missing_id(FgJobRows *rows, FgMissing *missing, FgJobTable table, FgProblemCode code, int64_t id)
{
	FgProblem	problem = {.code = code, .table = table, .count = 1};
	uint64_t	key = (uint64_t) id;
	uint32_t	before = missing->pairs.count;
	uint32_t	number;

	if (!fg_pairs_add(&missing->pairs, (uint32_t) (key >> 32), (uint32_t) key, &number))
		return false;
	if (number < before)
	{
		rows->found[missing->problem[number]].count++;
		return true;
	}
	if (!fg_reserve(rows->ctx, (void **) &missing->problem, &missing->capacity,
					(size_t) number + 1, sizeof(uint32_t)))
		return false;
	missing->problem[number] = rows->job->found_count;
	problem.has_phase = code == FG_PROBLEM_UNKNOWN_PHASE;
	problem.has_resource = code == FG_PROBLEM_UNKNOWN_RESOURCE;
	problem.phase = problem.has_phase ? id : 0;
	problem.resource = problem.has_resource ? id : 0;
	return fg_job_rows_problem(rows, &problem);
}

bool
fg_job_add_mapping(FgJobRows *rows, int64_t phase, int64_t resource)
{
	FgJob	   *job = rows->job;
	FgMapping	mapping = {fg_job_rows_phase(rows, phase), fg_job_rows_resource(rows, resource)};

	if (!fg_job_rows_room(rows, &job->mappings, FG_ROWS_MAPPINGS, job->mapping_count,
						  sizeof(mapping)) ||
		(mapping.phase == FG_UNKNOWN && !missing_id(rows, &rows->missing[0], FG_TABLE_MAPPING,
													FG_PROBLEM_UNKNOWN_PHASE, phase)) ||
		(mapping.resource == FG_UNKNOWN && !missing_id(rows, &rows->missing[1], FG_TABLE_MAPPING,
													   FG_PROBLEM_UNKNOWN_RESOURCE, resource)))
		return false;
	job->mappings[job->mapping_count++] = mapping;
	return fg_steps(rows->ctx, 1);
}

bool
fg_job_add_usage(FgJobRows *rows, int64_t resource, int64_t start, int64_t end, double usage)
{
	FgJob	   *job = rows->job;
	FgUsage		row = {fg_job_rows_resource(rows, resource), start, end, usage};

	if (!fg_job_rows_room(rows, &job->usages, FG_ROWS_USAGES, job->usage_count, sizeof(row)) ||
		(row.resource == FG_UNKNOWN && !missing_id(rows, &rows->missing[2], FG_TABLE_USAGE,
												   FG_PROBLEM_UNKNOWN_RESOURCE, resource)))
		return false;
	job->usages[job->usage_count++] = row;
	return fg_steps(rows->ctx, 1);
}

bool
fg_job_add_blocking(FgJobRows *rows, int64_t resource, int64_t start, int64_t end)
{
	FgJob	   *job = rows->job;
	FgBlocking	row = {fg_job_rows_resource(rows, resource), start, end};

	if (!fg_job_rows_room(rows, &job->blockings, FG_ROWS_BLOCKINGS, job->blocking_count,
						  sizeof(row)) ||
		(row.resource == FG_UNKNOWN && !missing_id(rows, &rows->missing[3], FG_TABLE_BLOCKING,
												   FG_PROBLEM_UNKNOWN_RESOURCE, resource)))
		return false;
	job->blockings[job->blocking_count++] = row;
	return fg_steps(rows->ctx, 1);
}

/* --- sorting ------------------------------------------------------------------------- */

/* Rows of usages and blockings begin with the same three members. */
typedef struct Period
{
	uint32_t	resource;
	int64_t		start;
	int64_t		end;
} Period;

_Static_assert(offsetof(FgUsage, end) == offsetof(Period, end) &&
			   offsetof(FgUsage, start) == offsetof(Period, start) &&
			   offsetof(FgBlocking, end) == offsetof(Period, end) &&
			   offsetof(FgBlocking, start) == offsetof(Period, start), "periods begin alike");

static inline Period
period_at(const void *rows, size_t size, uint32_t i)
{
	Period		period;

	memcpy(&period, (const char *) rows + i * size, sizeof(period));
	return period;
}

static inline bool
in_order(Period a, Period b)
{
	if (a.resource != b.resource)
		return a.resource < b.resource;
	return a.start != b.start ? a.start < b.start : a.end <= b.end;
}

static bool
are_sorted(FgContext *ctx, const void *rows, size_t size, uint32_t count, bool *sorted)
{
	Period		last = {0};

	*sorted = true;
	for (uint32_t i = 0; *sorted && i < count; i++)
	{
		Period		period = period_at(rows, size, i);

		*sorted = i == 0 || in_order(last, period);
		last = period;
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

typedef enum SortedBy
{
	BY_END, BY_START, BY_RESOURCE
} SortedBy;

/* Stable: from the last member to the first, all three are sorted by. */
static bool
sort_by(FgContext *ctx, const void *rows, size_t size, uint32_t count, SortedBy member,
		FgSortKey *keys, FgSortKey *spare)
{
	for (uint32_t i = 0; i < count; i++)
	{
		Period		period = period_at(rows, size, keys[i].item);

		keys[i].key = member == BY_RESOURCE ? (int64_t) period.resource
			: member == BY_START ? period.start : period.end;
		if (!fg_check_every(ctx, i))
			return false;
	}
	return fg_sort_keys(ctx, keys, count, spare);
}

/*
 * What a monitor logs is in the order of time, of all resources at once: then sorting by
 * resource does.
 */
static bool
sort_periods(FgContext *ctx, void **rows, size_t size, uint32_t count)
{
	FgSortKey  *keys = fg_alloc(ctx, count, sizeof(FgSortKey));
	FgSortKey  *spare = fg_alloc(ctx, count, sizeof(FgSortKey));
	bool		done = keys != NULL && spare != NULL;
	bool		sorted = false;

	for (uint32_t i = 0; done && i < count; i++)
		keys[i] = (FgSortKey) {0, i};
	done = done && sort_by(ctx, *rows, size, count, BY_RESOURCE, keys, spare) &&
		fg_permute(ctx, rows, size, count, keys) && are_sorted(ctx, *rows, size, count, &sorted);
	if (done && !sorted)
	{
		for (uint32_t i = 0; i < count; i++)
			keys[i].item = i;
		done = sort_by(ctx, *rows, size, count, BY_END, keys, spare) &&
			sort_by(ctx, *rows, size, count, BY_START, keys, spare) &&
			sort_by(ctx, *rows, size, count, BY_RESOURCE, keys, spare) &&
			fg_permute(ctx, rows, size, count, keys);
	}
	fg_release(ctx, keys);
	fg_release(ctx, spare);
	return done;
}

bool
fg_job_rows_settle(FgJobRows *rows)
{
	FgJob	   *job = rows->job;
	bool		usages_sorted;
	bool		blockings_sorted;

	if (!are_sorted(rows->ctx, job->usages, sizeof(FgUsage), job->usage_count, &usages_sorted) ||
		!are_sorted(rows->ctx, job->blockings, sizeof(FgBlocking), job->blocking_count,
					&blockings_sorted) ||
		(!usages_sorted &&
		 !sort_periods(rows->ctx, (void **) &job->usages, sizeof(FgUsage), job->usage_count)) ||
		(!blockings_sorted && !sort_periods(rows->ctx, (void **) &job->blockings,
											sizeof(FgBlocking), job->blocking_count)))
		return false;
	fg_job_rows_free(rows);
	return true;
}
