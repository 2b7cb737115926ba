/*
 * test_job_rows.c
 *	  Jobs of rows in any order: against the order that a comparison gives, ids of any
 *	  distance, and what does not exist.
 */
#include "unit.h"

#include "core/checking/job_rows.h"

#include <math.h>

#define ROWS 300

static FgSpan
span(const char *text)
{
	return (FgSpan) {text, strlen(text)};
}

static const FgSpan none = {NULL, 0};

/* What was added, in the order in which it came. */
typedef struct Given
{
	int64_t		ids[ROWS];
	int64_t		parents[ROWS];
	FgUsage		usages[ROWS];	/* "resource" is a place in ids */
	uint32_t	count;
	int			order;			/* of the usages: 0 sorted, 1 by time, 2 any */
} Given;

/* Ids in a row, some apart, or all over the numbers; each once. */
static void
draw(UnitRandom *random, Given *given, int round)
{
	given->count = 1 + unit_below(random, ROWS);
	given->order = round % 3;
	for (uint32_t i = 0; i < given->count; i++)
	{
		int64_t		spread = round % 2 == 0 ? 1 : INT64_C(28000000000000000);

		given->ids[i] = (int64_t) i * spread - (round % 5) * spread;
		given->parents[i] = i == 0 ? 0 : given->ids[unit_below(random, i)];
	}
	/* parents stay what they are, by id */
	for (uint32_t i = given->count; round % 4 != 0 && i-- > 1;)
	{
		uint32_t	j = 1 + unit_below(random, i);
		int64_t		id = given->ids[i];
		int64_t		parent = given->parents[i];

		given->ids[i] = given->ids[j];
		given->parents[i] = given->parents[j];
		given->ids[j] = id;
		given->parents[j] = parent;
	}
	for (uint32_t i = 0; i < given->count; i++)
	{
		uint32_t	resource = given->order == 0 ? i : unit_below(random, given->count);
		int64_t		start = given->order == 2 ? (int64_t) unit_below(random, 5) - 2 : (int64_t) i;

		given->usages[i] = (FgUsage) {resource, start, start + unit_below(random, 3), i};
	}
}

static bool
add(FgJobRows *rows, const Given *given)
{
	bool		done = fg_job_add_phase_type(rows, span("P"), none, FG_REPEAT_ONCE, none) &&
		fg_job_settle_phase_types(rows) &&
		fg_job_add_resource_type(rows, span("R"), none, FG_RESOURCE_CONSUMABLE) &&
		fg_job_settle_resource_types(rows);

	for (uint32_t i = 0; done && i < given->count; i++)
		done = fg_job_add_phase(rows, given->ids[i], i == 0 ? NULL : &given->parents[i], span("P"),
								span("an instance"), given->ids[i], 0);
	done = done && fg_job_settle_phases(rows);
	for (uint32_t i = 0; done && i < given->count; i++)
		done = fg_job_add_resource(rows, given->ids[i], i == 0 ? NULL : &given->parents[i],
								   span("R"), 1, NAN);
	done = done && fg_job_settle_resources(rows);
	for (uint32_t i = 0; done && i < given->count; i++)
		done = fg_job_add_mapping(rows, given->ids[i], given->parents[i]) &&
			fg_job_add_usage(rows, given->ids[given->usages[i].resource], given->usages[i].start,
							 given->usages[i].end, given->usages[i].usage) &&
			fg_job_add_blocking(rows, given->ids[given->usages[i].resource],
								given->usages[i].start, given->usages[i].end);
	return done && fg_job_rows_settle(rows);
}

/* Each phase has the time that was given with its id, and the parent of that id. */
static void
check_nodes(const FgJob *job, const Given *given)
{
	CHECK_COUNT(job->phase_count, given->count);
	CHECK_COUNT(job->resource_count, given->count);
	CHECK_COUNT(job->found_count, 0);
	for (uint32_t i = 0; i < given->count; i++)
	{
		const FgPhase *phase = &job->phases[i];
		uint32_t	came = 0;

		while (given->ids[came] != phase->id)
			came++;
		CHECK(i == 0 || phase[-1].id < phase->id);
		CHECK(phase->start == phase->id);
		CHECK(job->resources[i].id == phase->id && job->resources[i].parent == phase->parent);
		if (came == 0)
			CHECK(phase->parent == FG_NONE);
		else
			CHECK(job->phases[phase->parent].id == given->parents[came]);
	}
}

/* Sorted, and the same rows: each usage has a number of its own. */
static void
check_usages(const FgJob *job, const Given *given)
{
	bool		seen[ROWS] = {false};

	CHECK_COUNT(job->usage_count, given->count);
	for (uint32_t i = 0; i < job->usage_count; i++)
	{
		const FgUsage *row = &job->usages[i];
		const FgUsage *came = &given->usages[(uint32_t) row->usage];

		CHECK(!seen[(uint32_t) row->usage]);
		seen[(uint32_t) row->usage] = true;
		CHECK(job->resources[row->resource].id == given->ids[came->resource]);
		CHECK(row->start == came->start && row->end == came->end);
		CHECK(job->blockings[i].resource == row->resource && job->blockings[i].start == row->start &&
			  job->blockings[i].end == row->end);
		if (i > 0)
			CHECK(row[-1].resource < row->resource ||
				  (row[-1].resource == row->resource &&
				   (row[-1].start < row->start ||
					(row[-1].start == row->start && row[-1].end <= row->end))));
	}
}

static void
test_orders(void)
{
	UnitRandom	random = {7};

	unit_case("rows in any order");
	for (int round = 0; round < 60; round++)
	{
		FgContext	ctx = fg_malloc_context();
		Given		given;
		FgJob		job;
		FgJobRows	rows;

		unit_note("round %d", round);
		draw(&random, &given, round);
		if (CHECK(fg_job_rows_begin(&ctx, 1, &job, &rows) && add(&rows, &given)))
		{
			check_nodes(&job, &given);
			check_usages(&job, &given);
		}
		fg_job_rows_free(&rows);
		fg_job_rows_free_job(&rows);
	}
}

/* --- what does not exist ------------------------------------------------------------------------ */

static bool
add_missing(FgContext *ctx, void *arg)
{
	FgJob	   *job = arg;
	FgJobRows	rows;
	int64_t		parent = INT64_MIN;
	bool		done = fg_job_rows_begin(ctx, 1, job, &rows) &&
		fg_job_settle_phase_types(&rows) && fg_job_settle_resource_types(&rows) &&
		fg_job_add_phase(&rows, 1, &parent, span("no type"), span(""), 0, 1) &&
		fg_job_settle_phases(&rows) && fg_job_settle_resources(&rows);

	for (int i = 0; done && i < 5; i++)
		done = fg_job_add_usage(&rows, i % 2 == 0 ? 8 : INT64_MAX, 9 - i, 10, 1) &&
			fg_job_add_blocking(&rows, 8, 0, 1) && fg_job_add_mapping(&rows, 1, 8);
	done = done && fg_job_rows_settle(&rows);
	if (done)
	{
		static const FgProblemCode codes[] = {
			FG_PROBLEM_UNKNOWN_PHASE_TYPE, FG_PROBLEM_UNKNOWN_PHASE, FG_PROBLEM_UNKNOWN_RESOURCE,
			FG_PROBLEM_UNKNOWN_RESOURCE, FG_PROBLEM_UNKNOWN_RESOURCE, FG_PROBLEM_UNKNOWN_RESOURCE
		};
		static const uint64_t counts[] = {0, 0, 3, 5, 5, 2};

		CHECK_COUNT(job->found_count, 6);
		for (uint32_t i = 0; i < 6; i++)
		{
			CHECK_COUNT(job->found[i].code, codes[i]);
			CHECK_COUNT(job->found[i].count, counts[i]);
		}
		CHECK_TEXT(job->found[0].name.bytes, job->found[0].name.size, "no type");
		CHECK(job->found[5].resource == INT64_MAX);
		CHECK(job->usages[0].resource == FG_UNKNOWN && job->usages[0].start == 5);
	}
	fg_job_rows_free(&rows);
	fg_job_rows_free_job(&rows);
	return done;
}

static void
test_missing(void)
{
	FgContext	ctx = fg_malloc_context();
	FgJob		job;

	unit_case("what does not exist is counted by id");
	CHECK(add_missing(&ctx, &job));
	unit_sweep_memory("missing", add_missing, &job);
}

static void
test_unsorted_types(void)
{
	FgContext	ctx = fg_malloc_context();
	FgJob		job;
	FgJobRows	rows;

	unit_case("types have to come sorted");
	CHECK(fg_job_rows_begin(&ctx, 1, &job, &rows));
	CHECK(fg_job_add_phase_type(&rows, span("b"), none, FG_REPEAT_ONCE, none));
	CHECK(fg_job_add_phase_type(&rows, span("a"), none, FG_REPEAT_ONCE, none));
	CHECK_ERROR(fg_job_settle_phase_types(&rows), &ctx, FG_ERROR_ARGUMENT);
	fg_job_rows_free(&rows);
	fg_job_rows_free_job(&rows);
}

int
main(void)
{
	test_orders();
	test_missing();
	test_unsorted_types();
	return unit_finish();
}
