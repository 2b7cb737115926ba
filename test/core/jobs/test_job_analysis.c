/*
 * test_job_analysis.c
 *	  The analysis of jobs: the worked example of the thesis (Hegeman 2024, Figures 4.6 to
 *	  4.9), failures of memory, interrupts, times and numbers at their ends, deep trees.
 *	  The golden files and drawn jobs go through SQL (014_golden_jobs, 102_jobs_analysis).
 */
#include "unit.h"

#include "core/attribution/algorithms.h"
#include "core/attribution/attribution_difference.h"
#include "core/attribution/sampling_error.h"
#include "core/attribution/suggest.h"
#include "core/bottlenecks/bottleneck_issues.h"
#include "core/bottlenecks/durations.h"
#include "core/bottlenecks/imbalance.h"
#include "core/bottlenecks/ranking.h"
#include "core/bottlenecks/timeline.h"

#include <math.h>

#define S INT64_C(1000000)
#define SPAN(text) ((FgSpan) {(text), sizeof(text) - 1})

static const FgJobOptions by_default = FG_DEFAULT_JOB_OPTIONS;

/* --- the example --------------------------------------------------------------------------- */

enum
{
	G1, G2, G3, JOB, S1, S2, TYPES
};

static FgPhaseType example_types[TYPES] = {
	{.name = {"G1", 2}, .parent = JOB}, {.name = {"G2", 2}, .parent = JOB},
	{.name = {"G3", 2}, .parent = JOB}, {.name = {"Job", 3}, .parent = FG_NONE},
	{.name = {"S1", 2}, .parent = JOB}, {.name = {"S2", 2}, .parent = JOB}
};

static FgResourceType example_resource_types[] = {
	{.name = {"cpu", 3}, .parent = FG_NONE, .class = FG_RESOURCE_CONSUMABLE},
	{.name = {"lock", 4}, .parent = FG_NONE, .class = FG_RESOURCE_BLOCKING}
};

static FgRule example_rules[] = {
	{G1, 0, FG_RULE_GREEDY, 40, NAN}, {G2, 0, FG_RULE_GREEDY, 40, NAN},
	{G3, 0, FG_RULE_GREEDY, 80, NAN}, {G1, 1, FG_RULE_NONE, NAN, NAN},
	{G2, 1, FG_RULE_NONE, NAN, NAN}, {G3, 1, FG_RULE_NONE, NAN, NAN}
};

static FgPhase example_phases[] = {
	{1, FG_NONE, JOB, {"", 0}, 0, 12 * S}, {2, 0, G1, {"", 0}, 2 * S, 6 * S},
	{3, 0, G2, {"", 0}, 8 * S, 10 * S}, {4, 0, G3, {"", 0}, 9 * S, 12 * S},
	{5, 0, S1, {"", 0}, 0, 5 * S}, {6, 0, S2, {"", 0}, 3 * S, 12 * S}
};

static FgResource example_resources[] = {
	{1, FG_NONE, 0, 100, NAN}, {2, FG_NONE, 1, NAN, NAN}
};

static FgUsage example_usages[] = {
	{0, 0, 3 * S, 40}, {0, 3 * S, 6 * S, 50}, {0, 6 * S, 9 * S, 30}, {0, 9 * S, 12 * S, 80}
};

static FgBlocking example_blockings[] = {{1, 3 * S, 4 * S}, {1, 7 * S, 10 * S}};

static FgJob
example(void)
{
	return (FgJob) {
		.phase_types = example_types, .phase_type_count = TYPES,
		.resource_types = example_resource_types, .resource_type_count = 2,
		.rules = example_rules, .rule_count = COUNT(example_rules),
		.phases = example_phases, .phase_count = COUNT(example_phases),
		.resources = example_resources, .resource_count = 2,
		.usages = example_usages, .usage_count = COUNT(example_usages),
		.blockings = example_blockings, .blocking_count = COUNT(example_blockings)
	};
}

/* Samples at each of the twelve slices, as Figure 4.7c and the text give them. */
static bool
check_samples(void *arg, const FgWorkload *w, const FgSamples *samples)
{
	static const double expected[] = {
		80. / 3, 80. / 3, 200. / 3, 40, 60, 50, 50, 0, 40, 100, 70, 70
	};
	size_t	   *seen = arg;

	for (uint32_t i = 0; i < w->segment_count; i++)
	{
		for (int64_t t = w->segments[i].start; t < w->segments[i + 1].start; t += S)
		{
			CHECK_NEAR(samples->usage[i], expected[t / S], 1e-12);
			++*seen;
		}
	}
	return true;
}

static void
test_example(void)
{
	/* of G1, G2, G3, S1, S2 and all, from the samples of the figures by hand */
	static const double used[] = {600, 160, 220. / 3, 620. / 3, 90, 70};
	static const double available[] = {980, 160, 220. / 3, 680. / 3, 290, 230};
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgJob		job = example();
	FgAnalysis	analysis;
	FgConsumptions consumptions;
	size_t		seen = 0;

	unit_case("the worked example");
	CHECK(fg_job_prepare(&ctx, &job));
	CHECK(fg_analysis_begin(&ctx, &job, &by_default, &analysis));
	CHECK(fg_visit_resources(&analysis, FG_NONE, check_samples, &seen));
	CHECK_COUNT(seen, 12);
	CHECK(fg_consumptions_make(&analysis, &consumptions));
	for (uint32_t p = 0; p < job.phase_count; p++)
	{
		CHECK_COUNT(consumptions.first[p + 1] - consumptions.first[p], 1);
		CHECK_NEAR(consumptions.rows[p].consumption.used, used[p], 1e-12);
		CHECK_NEAR(consumptions.rows[p].consumption.available, available[p], 1e-12);
	}
	fg_consumptions_free(&ctx, &consumptions);
	fg_analysis_free(&analysis);
	fg_job_free(&ctx, &job);
	CHECK_COUNT(memory.blocks, 0);
}

/* --- drawn jobs ---------------------------------------------------------------------------- */

#define MOST 4000

typedef struct Drawn
{
	FgJob		job;
	FgPhaseType types[3];
	FgPrecedence precedence;
	FgResourceType resource_types[3];
	FgRule		rules[2];
	FgPhase		phases[MOST];
	FgResource	resources[6];
	FgMapping	mappings[MOST];
	FgUsage		usages[MOST];
	FgBlocking	blockings[MOST];
} Drawn;

static void
draw_usages(Drawn *d, UnitRandom *random, uint32_t periods)
{
	FgJob	   *job = &d->job;

	for (uint32_t r = 0; r < 6; r++)
	{
		bool		blocking = r % 3 == 2;

		d->resources[r] = (FgResource) {
			r + 1, r < 3 ? FG_NONE : r - 3, r % 3, r % 3 == 1 ? 4 : NAN, r == 4 ? 0.9 : NAN
		};
		for (uint32_t i = 0; i < periods && r % 3 != 0; i++)
		{
			int64_t		start = i * 100 + (blocking ? unit_below(random, 60) : 0);

			if (blocking)
				d->blockings[job->blocking_count++] =
					(FgBlocking) {r, start, start + unit_below(random, 40)};
			else
				d->usages[job->usage_count++] =
					(FgUsage) {r, start, start + 100, unit_below(random, 500) / 100.0};
		}
	}
}

/* A root, workers below it, threads below these; machines with a cpu and a lock each. */
static void
draw(Drawn *d, uint64_t seed, uint32_t workers, uint32_t threads)
{
	UnitRandom	random = {seed};
	uint32_t	periods = 10;
	int64_t		end = periods * 100;
	FgJob	   *job = &d->job;

	memset(d, 0, sizeof(*d));
	d->types[0] = (FgPhaseType) {.name = SPAN("job"), .parent = FG_NONE};
	d->types[1] = (FgPhaseType) {.name = SPAN("thread"), .parent = 2, .repeat = FG_REPEAT_CONCURRENT};
	d->types[2] = (FgPhaseType) {
		.name = SPAN("worker"), .parent = 0, .repeat = FG_REPEAT_SEQUENTIAL,
		.predicate = SPAN("majority_any")
	};
	d->resource_types[0] = (FgResourceType) {SPAN("a machine"), FG_NONE, FG_RESOURCE_CONTAINER};
	d->resource_types[1] = (FgResourceType) {SPAN("cpu"), 0, FG_RESOURCE_CONSUMABLE};
	d->resource_types[2] = (FgResourceType) {SPAN("lock"), 0, FG_RESOURCE_BLOCKING};
	d->rules[0] = (FgRule) {1, 1, FG_RULE_GREEDY, 1, 0.8};
	d->rules[1] = (FgRule) {2, 1, FG_RULE_SINK, NAN, NAN};
	*job = (FgJob) {
		.phase_types = d->types, .phase_type_count = 3, .precedences = &d->precedence,
		.resource_types = d->resource_types, .resource_type_count = 3, .rules = d->rules,
		.rule_count = 2, .phases = d->phases, .resources = d->resources, .resource_count = 6,
		.mappings = d->mappings, .usages = d->usages, .blockings = d->blockings
	};
	draw_usages(d, &random, periods);
	d->phases[job->phase_count++] = (FgPhase) {1, FG_NONE, 0, {"", 0}, 0, end};
	for (uint32_t w = 0; w < workers; w++)
	{
		uint32_t	worker = job->phase_count++;

		d->phases[worker] = (FgPhase) {worker + 1, 0, 2, {"", 0}, w * end / workers, end};
		d->mappings[job->mapping_count++] = (FgMapping) {worker, w % 3};
		for (uint32_t t = 0; t < threads; t++)
		{
			uint32_t	thread = job->phase_count++;
			int64_t		start = unit_below(&random, (uint32_t) end);

			d->phases[thread] =
				(FgPhase) {thread + 1, worker, 1, {"", 0}, start, start + unit_below(&random, 200)};
		}
	}
}

static bool
count_duration(void *arg, const FgBottleneckDuration *duration)
{
	CHECK(duration->bottleneck_time <= duration->duration + 1e-9);
	++*(size_t *) arg;
	return true;
}

static bool
count_moment(void *arg, uint32_t phase, FgTimeRange time, const uint32_t *types, size_t count)
{
	CHECK(phase < MOST && time.start < time.end && (count == 0 || types != NULL));
	++*(size_t *) arg;
	return true;
}

static bool
count_error(void *arg, const FgSamplingError *error)
{
	/* each measurement by itself is restored, unless it was above the capacity */
	CHECK(error->factor > 1 || error->sampling != FG_USAGE_CONSTANT || error->average_error == 0);
	++*(size_t *) arg;
	return true;
}

static bool
count_suggestion(void *arg, const FgSuggestion *suggestion)
{
	CHECK(suggestion->error_suggested < suggestion->error_now);
	CHECK((suggestion->kind == FG_RULE_GREEDY) == (suggestion->cap > 0));
	++*(size_t *) arg;
	return true;
}

static bool
count_consumption(void *arg, uint32_t phase_type, uint32_t resource_type,
				  const FgConsumption *consumption)
{
	CHECK(phase_type < 3 && resource_type < 3 && consumption->used >= 0);
	++*(size_t *) arg;
	return true;
}

/* Everything that there is, of one analysis. */
static bool
analyse(FgAnalysis *a, FgAnalysis *other, size_t *seen)
{
	static const uint32_t factors[] = {1, 3};
	const FgSuggestLimits limits = {.factor = 3, .type = FG_NONE, .most = 6};
	uint64_t	tried = 0;
	FgContext  *ctx = a->ctx;
	FgConsumptions consumptions = {.rows = NULL};
	FgBottlenecks bottlenecks = {.tracks = NULL};
	FgIssue    *issues = NULL;
	size_t		count = 0;
	FgAttributionDifference difference;
	bool		ok = fg_consumptions_make(a, &consumptions) &&
		fg_consumption_summary(a, &consumptions, count_consumption, seen) &&
		fg_bottlenecks_make(a, false, &bottlenecks) &&
		fg_bottleneck_timelines(a, &bottlenecks, count_moment, seen) &&
		fg_bottleneck_summary(a, &bottlenecks, count_duration, seen) &&
		fg_rank_issues(a, &bottlenecks, &issues, &count) &&
		fg_sampling_errors(a, factors, 2, FG_NONE, count_error, seen) &&
		fg_suggest_rules(a, &limits, count_suggestion, seen, &tried) &&
		fg_attribution_difference(a, other, 2, 1, &difference);

	*seen += count;
	fg_release(ctx, issues);
	fg_consumptions_free(ctx, &consumptions);
	fg_bottlenecks_free(ctx, &bottlenecks);
	return ok;
}

static bool
everything(FgContext *ctx, void *arg)
{
	FgJob		job = ((Drawn *) arg)->job;
	FgJobOptions options = by_default;
	FgAnalysis	a = {.ctx = ctx};
	FgAnalysis	other = {.ctx = ctx};
	size_t		seen = 0;
	bool		ok = fg_job_prepare(ctx, &job);

	options.slice = 10;
	options.predicate = (FgPredicate) {.kind = FG_PREDICATE_AT_LEAST, .fraction = 0.3};
	ok = ok && fg_analysis_begin(ctx, &job, &options, &a);
	options.use_greedy = false;
	options.sampling = FG_USAGE_LINEAR;
	ok = ok && fg_analysis_begin(ctx, &job, &options, &other) && analyse(&a, &other, &seen);
	fg_analysis_free(&a);
	fg_analysis_free(&other);
	fg_job_free(ctx, &job);
	return ok && seen > 0;
}

static void
test_failures(void)
{
	Drawn	   *drawn = malloc(sizeof(Drawn));

	draw(drawn, 1, 6, 5);
	unit_sweep_memory("all analyses", everything, drawn);
	draw(drawn, 2, 20, 150);
	unit_sweep_interrupts("all analyses", everything, drawn, 3);
	free(drawn);
}

/* --- ends of numbers -------------------------------------------------------------------------- */

static bool
begin_with(FgContext *ctx, int64_t start, int64_t end, const FgJobOptions *options)
{
	FgJob		job = example();
	FgPhase		phases[COUNT(example_phases)];
	FgAnalysis	analysis = {.ctx = ctx};
	bool		ok;

	memcpy(phases, example_phases, sizeof(phases));
	phases[0].start = start;
	phases[0].end = end;
	job.phases = phases;
	ok = fg_job_prepare(ctx, &job) && fg_analysis_begin(ctx, &job, options, &analysis);
	fg_analysis_free(&analysis);
	fg_job_free(ctx, &job);
	return ok;
}

static void
test_times(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgJobOptions options = by_default;
	FgGrid		grid = {.origin = 100, .slice = 10};
	int64_t		tick;

	unit_case("times at their ends");
	CHECK(begin_with(&ctx, 0, 12 * S, &options));
	CHECK_ERROR(begin_with(&ctx, 0, INT64_MAX, &options), &ctx, FG_ERROR_RANGE);
	CHECK_ERROR(begin_with(&ctx, INT64_MIN, 12 * S, &options), &ctx, FG_ERROR_RANGE);
	CHECK_ERROR(begin_with(&ctx, 0, FG_MAX_TICKS + 1, &options), &ctx, FG_ERROR_RANGE);
	CHECK_ERROR(begin_with(&ctx, INT64_MIN + 1, 0, &options), &ctx, FG_ERROR_RANGE);
	options.origin_given = true;
	options.origin = INT64_MAX - 1;
	CHECK_ERROR(begin_with(&ctx, 0, 12 * S, &options), &ctx, FG_ERROR_RANGE);
	options.origin = 0;
	options.slice = FG_MAX_TICKS;
	CHECK(begin_with(&ctx, 0, 12 * S, &options));
	CHECK_COUNT(memory.blocks, 0);

	unit_case("nearest bounds, halves upwards");
	for (int64_t t = 60; t < 140; t++)
	{
		CHECK(fg_grid_tick(&ctx, &grid, t, &tick));
		CHECK(tick == (int64_t) floor((2.0 * (double) (t - 100) + 10) / 20));
	}
}

static bool
add_up(void *arg, const FgWorkload *w, const FgSamples *samples)
{
	for (uint32_t i = 0; i < w->segment_count; i++)
		*(double *) arg += samples->usage[i] * (double) fg_segment_ticks(&w->segments[i]);
	return true;
}

static void
test_numbers(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgJob		job = example();
	FgUsage		usages[COUNT(example_usages)];
	FgRule		rules[COUNT(example_rules)];
	FgAnalysis	analysis;
	double		sum = 0;

	unit_case("numbers at their ends");
	memcpy(usages, example_usages, sizeof(usages));
	memcpy(rules, example_rules, sizeof(rules));
	job.usages = usages;
	job.rules = rules;
	CHECK(fg_job_prepare(&ctx, &job));
	CHECK(fg_analysis_begin(&ctx, &job, &by_default, &analysis));
	CHECK(fg_visit_resources(&analysis, FG_NONE, add_up, &sum));
	CHECK_NEAR(sum, 600e6, 1e-12);
	fg_analysis_free(&analysis);
	usages[1].usage = 1e308;
	CHECK(fg_analysis_begin(&ctx, &job, &by_default, &analysis));
	CHECK_ERROR(fg_visit_resources(&analysis, FG_NONE, add_up, &sum), &ctx, FG_ERROR_RANGE);
	fg_analysis_free(&analysis);
	usages[1].usage = 50;
	rules[1].cap = rules[2].cap = 1.5e308;
	CHECK(fg_analysis_begin(&ctx, &job, &by_default, &analysis));
	CHECK_ERROR(fg_visit_resources(&analysis, FG_NONE, add_up, &sum), &ctx, FG_ERROR_RANGE);
	fg_analysis_free(&analysis);
	fg_job_free(&ctx, &job);
	CHECK_COUNT(memory.blocks, 0);
}

/* --- trees --------------------------------------------------------------------------------------- */

/* A chain of phases of one type tree as deep: nothing recurses. */
static void
test_chain(void)
{
	enum {depth = 3000};
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgPhaseType *types = calloc(depth, sizeof(FgPhaseType));
	FgPhase    *phases = calloc(depth, sizeof(FgPhase));
	FgJob		job = example();
	FgAnalysis	analysis;
	FgBottlenecks bottlenecks;
	size_t		seen = 0;

	unit_case("a chain");
	for (uint32_t i = 0; i < depth; i++)
	{
		types[i].parent = i == 0 ? FG_NONE : i - 1;
		phases[i] = (FgPhase) {i, i == 0 ? FG_NONE : i - 1, i, {"", 0}, 0, 12 * S};
	}
	job.phase_types = types;
	job.phase_type_count = job.phase_count = depth;
	job.phases = phases;
	job.rule_count = 0;
	CHECK(fg_job_prepare(&ctx, &job));
	CHECK(fg_analysis_begin(&ctx, &job, &by_default, &analysis));
	CHECK(fg_bottlenecks_make(&analysis, false, &bottlenecks));
	CHECK(fg_bottleneck_summary(&analysis, &bottlenecks, count_duration, &seen));
	CHECK_COUNT(seen, 3 * depth);	/* cpu, lock, none */
	/* a child's times are shared: no copy for each level */
	CHECK(bottlenecks.times.count < 10);
	fg_bottlenecks_free(&ctx, &bottlenecks);
	fg_analysis_free(&analysis);
	fg_job_free(&ctx, &job);
	phases[5].parent = 7;
	CHECK_ERROR(fg_job_prepare(&ctx, &job), &ctx, FG_ERROR_ARGUMENT);
	fg_job_free(&ctx, &job);
	CHECK_COUNT(memory.blocks, 0);
	free(types);
	free(phases);
}

/* --- parts ---------------------------------------------------------------------------------------- */

static void
test_predicates(void)
{
	static const char *const wrong[] = {
		"", "most", "at_least:", "at_least:0", "at_least:1.1", "at_least:nan", "at_least:0.5x", "ANY"
	};
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgPredicate predicate;

	unit_case("predicates");
	CHECK(fg_predicate_parse(&ctx, SPAN("at_least:0.3"), &predicate));
	CHECK(fg_predicate_holds(&predicate, 10, 3));
	CHECK(!fg_predicate_holds(&predicate, 11, 3));
	CHECK(!fg_predicate_holds(&predicate, 0, 0));
	for (size_t i = 0; i < COUNT(wrong); i++)
		CHECK_ERROR(fg_predicate_parse(&ctx, (FgSpan) {wrong[i], strlen(wrong[i])}, &predicate), &ctx,
					FG_ERROR_ARGUMENT);
}

static void
test_sort(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	UnitRandom	random = {7};
	FgSortKey	keys[3000];
	FgSortKey	spare[3000];

	unit_case("sorting keys");
	for (uint32_t count = 0; count <= 3000; count += 300)
	{
		for (uint32_t i = 0; i < count; i++)
			keys[i] = (FgSortKey) {
				i % 7 == 0 ? INT64_MIN + i % 3 : (int64_t) (unit_random(&random) >> (i % 60)), i
			};
		CHECK(fg_sort_keys(&ctx, keys, count, spare));
		for (uint32_t i = 1; i < count; i++)
			CHECK(keys[i - 1].key < keys[i].key ||
				  (keys[i - 1].key == keys[i].key && keys[i - 1].item < keys[i].item));
	}
}

static void
test_union(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	UnitRandom	random = {9};

	unit_case("unions of intervals");
	for (int round = 0; round < 200; round++)
	{
		FgTimeRanges ranges = {.list = NULL};
		FgTimeRanges spare = {.list = NULL};
		bool		in[100] = {false};
		int64_t		next = 0;

		for (uint32_t n = unit_below(&random, 12); n > 0; n--)
		{
			int64_t		start = unit_below(&random, 80);
			int64_t		end = start + unit_below(&random, 15);

			CHECK(fg_intervals_add(&ctx, &ranges, start, end));
			for (int64_t t = start; t < end; t++)
				in[t] = true;
		}
		CHECK(fg_intervals_unite(&ctx, &ranges, &spare));
		for (size_t i = 0; i < ranges.count; i++)
		{
			CHECK(i == 0 || ranges.list[i].start > ranges.list[i - 1].end);
			for (; next < ranges.list[i].start; next++)
				CHECK(!in[next]);
			for (; next < ranges.list[i].end; next++)
				CHECK(in[next]);
		}
		for (; next < 100; next++)
			CHECK(!in[next]);
		fg_intervals_free(&ctx, &ranges);
		fg_intervals_free(&ctx, &spare);
	}
	CHECK_COUNT(memory.blocks, 0);
}

int
main(void)
{
	test_example();
	test_failures();
	test_times();
	test_numbers();
	test_chain();
	test_predicates();
	test_sort();
	test_union();
	return unit_finish();
}
