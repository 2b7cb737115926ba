/*
 * test_job_profile.c
 *	  Jobs as profiles: the worked example of the thesis (Hegeman 2024, Figures 4.6 to 4.9),
 *	  frames of instances and of names that no frame may have, arguments, failures of memory,
 *	  interrupts, deep trees.  Golden and drawn jobs go through SQL (108_jobs_profile).
 */
#include "unit.h"

#include "core/bottlenecks/job_profile.h"

#include <math.h>

#define S INT64_C(1000000)

enum
{
	G1, G2, G3, JOB, S1, S2, TYPES
};

enum
{
	BUS, CPU, LOCK, MACHINE, RESOURCE_TYPES
};

static FgPhaseType types[TYPES] = {
	{.name = {"G1", 2}, .parent = JOB}, {.name = {"G2", 2}, .parent = JOB},
	{.name = {"G3", 2}, .parent = JOB}, {.name = {"Job", 3}, .parent = FG_NONE},
	{.name = {"S1", 2}, .parent = JOB}, {.name = {"S2", 2}, .parent = JOB}
};

static FgResourceType resource_types[RESOURCE_TYPES] = {
	{.name = {"bus", 3}, .parent = FG_NONE, .class = FG_RESOURCE_BLOCKING},
	{.name = {"cpu", 3}, .parent = FG_NONE, .class = FG_RESOURCE_CONSUMABLE},
	{.name = {"lock", 4}, .parent = FG_NONE, .class = FG_RESOURCE_BLOCKING},
	{.name = {"machine", 7}, .parent = FG_NONE, .class = FG_RESOURCE_CONTAINER}
};

static FgRule rules[] = {
	{G1, CPU, FG_RULE_GREEDY, 40, NAN}, {G2, CPU, FG_RULE_GREEDY, 40, NAN},
	{G3, CPU, FG_RULE_GREEDY, 80, NAN}, {G1, LOCK, FG_RULE_NONE, NAN, NAN},
	{G2, LOCK, FG_RULE_NONE, NAN, NAN}, {G3, LOCK, FG_RULE_NONE, NAN, NAN}
};

static const FgPhase phases[] = {
	{1, FG_NONE, JOB, {"", 0}, 0, 12 * S}, {2, 0, G1, {"a", 1}, 2 * S, 6 * S},
	{3, 0, G2, {"x;y", 3}, 8 * S, 10 * S}, {4, 0, G3, {"1\r\n2", 4}, 9 * S, 12 * S},
	{5, 0, S1, {"", 0}, 0, 5 * S}, {6, 0, S2, {"b", 1}, 3 * S, 12 * S}
};

static FgResource resources[] = {
	{1, FG_NONE, CPU, 100, NAN}, {2, FG_NONE, LOCK, NAN, NAN}
};

static FgUsage usages[] = {
	{0, 0, 3 * S, 40}, {0, 3 * S, 6 * S, 50}, {0, 6 * S, 9 * S, 30}, {0, 9 * S, 12 * S, 80}
};

static FgBlocking blockings[] = {{1, 3 * S, 4 * S}, {1, 7 * S, 10 * S}};

static FgJob
example(FgPhase *own)
{
	memcpy(own, phases, sizeof(phases));
	return (FgJob) {
		.phase_types = types, .phase_type_count = TYPES,
		.resource_types = resource_types, .resource_type_count = RESOURCE_TYPES,
		.rules = rules, .rule_count = COUNT(rules), .phases = own, .phase_count = COUNT(phases),
		.resources = resources, .resource_count = COUNT(resources),
		.usages = usages, .usage_count = COUNT(usages),
		.blockings = blockings, .blocking_count = COUNT(blockings)
	};
}

static bool
profile_of(FgContext *ctx, FgJob *job, const FgJobOptions *options,
		   const FgJobProfileOptions *profile, FgTree *tree)
{
	FgAnalysis	analysis = {.ctx = ctx};
	bool		ok = fg_job_prepare(ctx, job) && fg_analysis_begin(ctx, job, options, &analysis) &&
		fg_job_profile(&analysis, profile, tree);

	fg_analysis_free(&analysis);
	fg_job_free(ctx, job);
	return ok;
}

static bool
profile_example(FgContext *ctx, FgJobMeasure measure, uint32_t type, bool instances, FgTree *tree)
{
	FgJobOptions options = FG_DEFAULT_JOB_OPTIONS;
	FgJobProfileOptions profile = {measure, type, instances};
	FgPhase		own[COUNT(phases)];
	FgJob		job = example(own);

	return profile_of(ctx, &job, &options, &profile, tree);
}

/* The value of Job;NAME, 0 when there is no such stack. */
static double
value_of(const FgTree *tree, const char *name)
{
	char		path[40];
	/* frames are joined by NUL */
	int			length = snprintf(path, sizeof(path), "Job%c%s", '\0', name);
	uint32_t	node = fg_tree_find(tree, path, (size_t) length);

	return node == FG_NONE ? 0 : tree->self[node];
}

static void
test_measures(void)
{
	/* by measure, of G1, G2, G3, S1, S2: from the figures by hand */
	static const struct
	{
		FgJobMeasure measure;
		uint32_t	type;
		double		values[5];
	}			cases[] = {
		{FG_MEASURE_TIME, FG_NONE, {4, 2, 3, 5, 9}},
		{FG_MEASURE_USAGE, CPU, {160, 220. / 3, 620. / 3, 90, 70}},
		{FG_MEASURE_AVAILABLE, CPU, {160, 220. / 3, 680. / 3, 290, 230}},
		{FG_MEASURE_WAITING, FG_NONE, {0, 0, 0, 1, 4}},
		{FG_MEASURE_WAITING, LOCK, {0, 0, 0, 1, 4}},
		{FG_MEASURE_WAITING, BUS, {0, 0, 0, 0, 0}},
		{FG_MEASURE_BOTTLENECK, FG_NONE, {4, 2, 1, 1, 4}},
		{FG_MEASURE_BOTTLENECK, CPU, {4, 2, 1, 0, 0}},
		{FG_MEASURE_BOTTLENECK, LOCK, {0, 0, 0, 1, 4}}
	};
	static const char *const names[] = {"G1", "G2", "G3", "S1", "S2"};
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);

	for (size_t c = 0; c < COUNT(cases); c++)
	{
		FgTree		tree;

		unit_case("the worked example, case %zu", c);
		CHECK(profile_example(&ctx, cases[c].measure, cases[c].type, false, &tree));
		CHECK(fg_tree_check(&ctx, &tree));
		for (int i = 0; i < 5; i++)
			CHECK_NEAR(value_of(&tree, names[i]), cases[c].values[i], 1e-12);
		fg_tree_free(&ctx, &tree);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static void
test_frames(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		tree;

	unit_case("frames of instances");
	CHECK(profile_example(&ctx, FG_MEASURE_TIME, FG_NONE, true, &tree));
	CHECK(fg_tree_check(&ctx, &tree));
	CHECK_COUNT(tree.nnodes, 6);
	CHECK_DOUBLE(value_of(&tree, "G1:a"), 4);
	CHECK_DOUBLE(value_of(&tree, "G2:x;y"), 2);
	CHECK_DOUBLE(value_of(&tree, "G3:1  2"), 3);
	CHECK_DOUBLE(value_of(&tree, "S1"), 5);
	CHECK_DOUBLE(tree.self[fg_tree_find(&tree, "Job", 3)], 0);
	fg_tree_free(&ctx, &tree);
	CHECK_COUNT(memory.blocks, 0);
}

/* Ticks add up exactly: a hundred thousand leaves of a tenth of a second are 10,000 s. */
static void
test_sums(void)
{
	enum {leaves = 100000};
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgJobOptions options = FG_DEFAULT_JOB_OPTIONS;
	FgJobProfileOptions profile = {FG_MEASURE_TIME, FG_NONE, false};
	FgPhase    *own = calloc(leaves + 1, sizeof(FgPhase));
	FgPhase		first[COUNT(phases)];
	FgJob		job = example(first);
	FgTree		tree;

	unit_case("sums are exact");
	own[0] = phases[0];
	for (uint32_t i = 1; i <= leaves; i++)
		own[i] = (FgPhase) {i + 1, 0, G1, {"", 0}, i, i + S / 10};
	job.phases = own;
	job.phase_count = leaves + 1;
	CHECK(profile_of(&ctx, &job, &options, &profile, &tree));
	CHECK_DOUBLE(value_of(&tree, "G1"), leaves / 10.0);
	fg_tree_free(&ctx, &tree);
	options.slice = 1000;
	CHECK(profile_of(&ctx, &job, &options, &profile, &tree));
	CHECK_DOUBLE(value_of(&tree, "G1"), leaves / 10.0);
	fg_tree_free(&ctx, &tree);
	CHECK_COUNT(memory.blocks, 0);
	free(own);
}

static void
test_arguments(void)
{
	static const struct
	{
		FgJobMeasure measure;
		uint32_t	type;
	}			wrong[] = {
		{FG_MEASURE_TIME, CPU}, {FG_MEASURE_USAGE, FG_NONE}, {FG_MEASURE_USAGE, LOCK},
		{FG_MEASURE_AVAILABLE, FG_NONE}, {FG_MEASURE_AVAILABLE, MACHINE},
		{FG_MEASURE_WAITING, CPU}, {FG_MEASURE_WAITING, MACHINE}, {FG_MEASURE_BOTTLENECK, MACHINE}
	};
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgJobMeasure measure;
	FgTree		tree;

	for (size_t i = 0; i < COUNT(wrong); i++)
	{
		unit_case("a measure and a resource type that do not fit, case %zu", i);
		ctx.error = (FgError) {0};
		CHECK_ERROR(profile_example(&ctx, wrong[i].measure, wrong[i].type, false, &tree), &ctx,
					FG_ERROR_ARGUMENT);
		CHECK(ctx.error.hint != NULL);
		CHECK_COUNT(memory.blocks, 0);
	}
	unit_case("measures by name");
	CHECK(fg_job_measure_parse(&ctx, (FgSpan) {"waiting", 7}, &measure));
	CHECK(measure == FG_MEASURE_WAITING);
	CHECK_ERROR(fg_job_measure_parse(&ctx, (FgSpan) {"waitin", 6}, &measure), &ctx,
				FG_ERROR_ARGUMENT);
}

/* Stacks have 65,535 frames at most, jobs may be nested deeper. */
static void
test_depth(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgJobOptions options = FG_DEFAULT_JOB_OPTIONS;
	FgJobProfileOptions profile = {FG_MEASURE_BOTTLENECK, FG_NONE, true};
	FgPhaseType *chain_types = calloc(FG_MAX_DEPTH + 1, sizeof(FgPhaseType));
	FgPhase    *chain = calloc(FG_MAX_DEPTH + 1, sizeof(FgPhase));
	FgPhase		own[COUNT(phases)];
	FgJob		job = example(own);
	FgTree		tree;

	unit_case("a chain");
	for (uint32_t i = 0; i <= FG_MAX_DEPTH; i++)
	{
		chain_types[i] = (FgPhaseType) {.name = {"D", 1}, .parent = i == 0 ? FG_NONE : i - 1};
		chain[i] = (FgPhase) {i, i == 0 ? FG_NONE : i - 1, i, {"", 0}, 0, 12 * S};
	}
	job.phase_types = chain_types;
	job.phases = chain;
	job.rule_count = 0;
	job.phase_type_count = job.phase_count = FG_MAX_DEPTH;
	CHECK(profile_of(&ctx, &job, &options, &profile, &tree));
	CHECK_COUNT(tree.nnodes, FG_MAX_DEPTH);
	/* the lock for four seconds, and from 10 to 12 the cpu, which is measured as 80 from 9 on */
	CHECK_DOUBLE(tree.self[FG_MAX_DEPTH], 6);
	fg_tree_free(&ctx, &tree);
	job.phase_type_count = job.phase_count = FG_MAX_DEPTH + 1;
	CHECK_ERROR(profile_of(&ctx, &job, &options, &profile, &tree), &ctx, FG_ERROR_LIMIT);
	CHECK_COUNT(memory.blocks, 0);
	free(chain_types);
	free(chain);
}

static bool
all_measures(FgContext *ctx, void *arg)
{
	(void) arg;
	for (int measure = 0; measure < FG_JOB_MEASURES; measure++)
	{
		bool		usage = measure == FG_MEASURE_USAGE || measure == FG_MEASURE_AVAILABLE;
		bool		times = measure == FG_MEASURE_TIME;
		FgTree		tree;

		if (!usage)
		{
			if (!profile_example(ctx, (FgJobMeasure) measure, FG_NONE, false, &tree))
				return false;
			fg_tree_free(ctx, &tree);
		}
		if (!profile_example(ctx, (FgJobMeasure) measure, usage ? CPU : times ? FG_NONE : LOCK, true,
							 &tree))
			return false;
		fg_tree_free(ctx, &tree);
	}
	return true;
}

int
main(void)
{
	test_measures();
	test_frames();
	test_sums();
	test_arguments();
	test_depth();
	unit_sweep_memory("all measures", all_measures, NULL);
	unit_sweep_interrupts("all measures", all_measures, NULL, 1);
	return unit_finish();
}
