/*
 * test_what_if.c
 *	  The replay of jobs: steps of workers that run at a time, each step followed by a
 *	  commit.  Drawn jobs and resources go through SQL (107_jobs_what_if).
 */
#include "unit.h"

#include "core/bottlenecks/what_if.h"

#include <math.h>

#define SPAN(text) {(text), sizeof(text) - 1}
#define MOST 20000

static const FgJobOptions by_default = FG_DEFAULT_JOB_OPTIONS;

enum
{
	COMMIT, JOB, STEP, WORKER, TYPES
};

static FgPhaseType types[TYPES] = {
	{.name = SPAN("commit"), .parent = STEP}, {.name = SPAN("job"), .parent = FG_NONE},
	{.name = SPAN("step"), .parent = JOB, .repeat = FG_REPEAT_SEQUENTIAL},
	{.name = SPAN("worker"), .parent = STEP, .repeat = FG_REPEAT_CONCURRENT}
};
static FgPrecedence precedences[] = {{WORKER, COMMIT}};
static FgResourceType resource_types[] = {
	{.name = SPAN("lock"), .parent = FG_NONE, .class = FG_RESOURCE_BLOCKING}
};
static FgResource resources[] = {{1, FG_NONE, 0, NAN, NAN}};
static FgBlocking blockings[] = {{0, 2, 6}};
static FgPhase phases[MOST];

/* Steps of workers of 4, 6, 8 and so on; a commit of 3 begins 1 after the last of them. */
static FgJob
make_job(uint32_t steps, uint32_t workers)
{
	int64_t		time = 0;
	uint32_t	n = 1;

	for (uint32_t s = 0; s < steps; s++)
	{
		uint32_t	step = n++;

		for (uint32_t w = 0; w < workers; w++, n++)
			phases[n] = (FgPhase) {n, step, WORKER, SPAN(""), time + 1, time + 5 + 2 * w};
		phases[n] = (FgPhase) {n, step, COMMIT, SPAN(""), time + 4 + 2 * workers,
			time + 7 + 2 * workers};
		phases[step] = (FgPhase) {step, 0, STEP, SPAN(""), time, phases[n].end + 1};
		time = phases[step].end + 2;
		n++;
	}
	phases[0] = (FgPhase) {0, FG_NONE, JOB, SPAN(""), 0, time};
	return (FgJob) {
		.phase_types = types, .phase_type_count = TYPES, .precedences = precedences,
		.precedence_count = 1, .resource_types = resource_types, .resource_type_count = 1,
		.phases = phases, .phase_count = n, .resources = resources, .resource_count = 1,
		.blockings = blockings, .blocking_count = 1
	};
}

static const FgWhatIf nothing = {
	.remove = FG_NONE, .scale = FG_NONE, .factor = 1, .balance = FG_NONE
};

static FgWhatIf
balance(uint32_t type)
{
	FgWhatIf	change = nothing;

	change.balance = type;
	return change;
}

static FgWhatIf
scale(uint32_t type, double factor)
{
	FgWhatIf	change = nothing;

	change.scale = type;
	change.factor = factor;
	return change;
}

static FgWhatIf
remove_type(uint32_t type)
{
	FgWhatIf	change = nothing;

	change.remove = type;
	return change;
}

static bool
simulate(FgContext *ctx, FgJob job, FgWhatIf change, FgTimeRange *times)
{
	FgAnalysis	analysis = {.ctx = ctx};
	bool		ok = fg_job_prepare(ctx, &job) &&
		fg_analysis_begin(ctx, &job, &by_default, &analysis) &&
		fg_what_if(&analysis, &change, times);

	fg_analysis_free(&analysis);
	fg_job_free(ctx, &job);
	return ok;
}

static int64_t
makespan(FgJob job, FgWhatIf change)
{
	static FgTimeRange times[MOST];
	UnitMemory	memory = {0};
	FgContext	ctx = unit_context(&memory);

	CHECK(simulate(&ctx, job, change, times));
	return fg_interval_length(times[0]);
}

static void
test_changes(void)
{
	/* a step takes 1 + 8 + 1 + 3 + 1, and what follows it comes 2 later */
	FgJob		job = make_job(3, 3);
	FgWhatIf	both = remove_type(0);
	static FgTimeRange times[MOST];
	UnitMemory	memory = {0};
	FgContext	ctx = unit_context(&memory);

	unit_case("changes");
	CHECK(simulate(&ctx, job, nothing, times));
	for (uint32_t p = 0; p < job.phase_count; p++)
		CHECK(times[p].start == phases[p].start && times[p].end == phases[p].end);
	CHECK_COUNT((uint64_t) makespan(job, nothing), 48);
	CHECK_COUNT((uint64_t) makespan(job, balance(WORKER)), 48 - 3 * 2);
	CHECK_COUNT((uint64_t) makespan(job, scale(WORKER, 0.5)), 48 - 3 * 4);
	CHECK_COUNT((uint64_t) makespan(job, scale(STEP, 0)), 48 - 3 * (8 + 3));
	CHECK_COUNT((uint64_t) makespan(job, scale(COMMIT, 2)), 48 + 3 * 3);
	/* blocked from 2 to 6: of the workers of the first step 3, 4 and 4 */
	CHECK_COUNT((uint64_t) makespan(job, remove_type(0)), 48 - 4);
	/* what is left of them is scaled: 8 - 4 to 2 in the first step, 8 to 4 in the others */
	both.scale = WORKER;
	both.factor = 0.5;
	CHECK_COUNT((uint64_t) makespan(job, both), 48 - 6 - 2 * 4);
}

static void
test_refusals(void)
{
	FgJob		job = make_job(2, 2);
	FgWhatIf	both = balance(WORKER);
	static FgTimeRange times[MOST];
	UnitMemory	memory = {0};
	FgContext	ctx = unit_context(&memory);

	unit_case("refusals");
	CHECK_ERROR(simulate(&ctx, job, balance(JOB), times), &ctx, FG_ERROR_ARGUMENT);
	CHECK_ERROR(simulate(&ctx, job, balance(STEP), times), &ctx, FG_ERROR_ARGUMENT);
	CHECK_ERROR(simulate(&ctx, job, scale(WORKER, 1e300), times), &ctx, FG_ERROR_RANGE);
	both.remove = 0;
	CHECK_ERROR(simulate(&ctx, job, both, times), &ctx, FG_ERROR_ARGUMENT);
	CHECK_COUNT(memory.blocks, 0);
}

/* --- failures ------------------------------------------------------------------------------ */

static bool
all_changes(FgContext *ctx, void *arg)
{
	static FgTimeRange times[MOST];
	FgJob		job = *(FgJob *) arg;

	return simulate(ctx, job, remove_type(0), times) &&
		simulate(ctx, job, balance(WORKER), times) &&
		simulate(ctx, job, scale(JOB, 0.5), times);
}

static void
test_failures(void)
{
	FgJob		job = make_job(3, 3);

	unit_sweep_memory("changes of a job", all_changes, &job);
	job = make_job(100, 180);
	unit_sweep_interrupts("changes of a large job", all_changes, &job, 3);
}

int
main(void)
{
	test_changes();
	test_refusals();
	test_failures();
	return unit_finish();
}
