/*
 * test_validate.c
 *	  Every error and warning of jobs: a job without any is changed in one place, and
 *	  exactly what follows from that has to be told; and jobs that are large and deep.
 */
#include "unit.h"

#include "core/checking/job_rows.h"
#include "core/checking/validate.h"

#include <math.h>

#define MOST 12
#define NONE INT64_MIN

typedef struct Draft
{
	struct
	{
		const char *name;		/* NULL ends the rows */
		const char *parent;
		FgRepeat	repeat;
		const char *predicate;
	}			phase_types[MOST];
	struct
	{
		const char *before;
		const char *after;
	}			precedences[MOST];
	struct
	{
		const char *name;
		const char *parent;
		FgResourceClass class;
	}			resource_types[MOST];
	struct
	{
		const char *phase;
		const char *resource;
		FgRuleKind	kind;
		double		cap;
		double		delta;
	}			rules[MOST];
	struct
	{
		int64_t		id;			/* 0 ends the rows */
		int64_t		parent;
		const char *type;
		const char *instance;
		int64_t		start;
		int64_t		end;
	}			phases[MOST];
	struct
	{
		int64_t		id;
		int64_t		parent;
		const char *type;
		double		capacity;
		double		delta;
	}			resources[MOST];
	int64_t		mappings[MOST][2];
	struct
	{
		int64_t		resource;
		int64_t		start;
		int64_t		end;
		double		usage;
	}			usages[MOST];
	int64_t		blockings[MOST][3];
} Draft;

/* Nothing is wrong with it; types stand in their order. */
static const Draft fine = {
	.phase_types = {
		{"A", "Job", FG_REPEAT_ONCE, NULL}, {"B", "Job", FG_REPEAT_CONCURRENT, "at_least:0.5"},
		{"C", "B", FG_REPEAT_ONCE, NULL}, {"D", "Job", FG_REPEAT_ONCE, NULL},
		{"Job", NULL, FG_REPEAT_ONCE, "all"}, {"S", "Job", FG_REPEAT_SEQUENTIAL, NULL}
	},
	.precedences = {{"A", "B"}, {"B", "D"}},
	.resource_types = {
		{"cpu", "machine", FG_RESOURCE_CONSUMABLE}, {"lock", NULL, FG_RESOURCE_BLOCKING},
		{"machine", NULL, FG_RESOURCE_CONTAINER}
	},
	.rules = {
		{"B", "cpu", FG_RULE_GREEDY, 1, NAN}, {"A", "lock", FG_RULE_NONE, NAN, NAN},
		{"D", "cpu", FG_RULE_GREEDY, 1, 0.5}
	},
	.phases = {
		{1, NONE, "Job", "", 0, 100}, {2, 1, "A", "", 0, 40}, {3, 1, "B", "0", 40, 80},
		{4, 1, "B", "1", 40, 90}, {5, 3, "C", "", 40, 80}, {6, 1, "S", "0", 0, 10},
		{7, 1, "S", "1", 10, 20}
	},
	.resources = {
		{1, NONE, "machine", NAN, NAN}, {2, 1, "cpu", 4, 1}, {3, 1, "lock", NAN, NAN},
		{4, NONE, "cpu", 0, 0.01}
	},
	.mappings = {{1, 1}, {3, 2}, {5, 2}},
	.usages = {{2, 0, 50, 1}, {2, 50, 100, 4}, {4, 0, 0, 0}, {4, 0, 100, 0}},
	.blockings = {{3, 5, 6}, {3, 5, 6}, {3, 0, 9}}
};

/* --- from a draft to a job ------------------------------------------------------------------- */

static FgSpan
span(const char *text)
{
	return (FgSpan) {text, text == NULL ? 0 : strlen(text)};
}

static bool
add_model(FgJobRows *rows, const Draft *draft)
{
	bool		done = true;

	for (int i = 0; done && draft->phase_types[i].name != NULL; i++)
		done = fg_job_add_phase_type(rows, span(draft->phase_types[i].name),
									 span(draft->phase_types[i].parent),
									 draft->phase_types[i].repeat,
									 span(draft->phase_types[i].predicate));
	done = done && fg_job_settle_phase_types(rows);
	for (int i = 0; done && draft->precedences[i].before != NULL; i++)
		done = fg_job_add_precedence(rows, span(draft->precedences[i].before),
									 span(draft->precedences[i].after));
	for (int i = 0; done && draft->resource_types[i].name != NULL; i++)
		done = fg_job_add_resource_type(rows, span(draft->resource_types[i].name),
										span(draft->resource_types[i].parent),
										draft->resource_types[i].class);
	done = done && fg_job_settle_resource_types(rows);
	for (int i = 0; done && draft->rules[i].phase != NULL; i++)
		done = fg_job_add_rule(rows, span(draft->rules[i].phase), span(draft->rules[i].resource),
							   draft->rules[i].kind, draft->rules[i].cap, draft->rules[i].delta);
	return done;
}

static const int64_t *
parent_or_none(const int64_t *parent)
{
	return *parent == NONE ? NULL : parent;
}

static bool
add_rows(FgJobRows *rows, const Draft *draft)
{
	bool		done = true;

	for (int i = 0; done && draft->phases[i].id != 0; i++)
		done = fg_job_add_phase(rows, draft->phases[i].id, parent_or_none(&draft->phases[i].parent),
								span(draft->phases[i].type), span(draft->phases[i].instance),
								draft->phases[i].start, draft->phases[i].end);
	done = done && fg_job_settle_phases(rows);
	for (int i = 0; done && draft->resources[i].id != 0; i++)
		done = fg_job_add_resource(rows, draft->resources[i].id,
								   parent_or_none(&draft->resources[i].parent),
								   span(draft->resources[i].type), draft->resources[i].capacity,
								   draft->resources[i].delta);
	done = done && fg_job_settle_resources(rows);
	for (int i = 0; done && draft->mappings[i][0] != 0; i++)
		done = fg_job_add_mapping(rows, draft->mappings[i][0], draft->mappings[i][1]);
	for (int i = 0; done && draft->usages[i].resource != 0; i++)
		done = fg_job_add_usage(rows, draft->usages[i].resource, draft->usages[i].start,
								draft->usages[i].end, draft->usages[i].usage);
	for (int i = 0; done && draft->blockings[i][0] != 0; i++)
		done = fg_job_add_blocking(rows, draft->blockings[i][0], draft->blockings[i][1],
								   draft->blockings[i][2]);
	return done && fg_job_rows_settle(rows);
}

/* Words of codes and the ids they are about, with blanks between: "bad_usage:2". */
typedef struct Told
{
	char		text[400];
	size_t		errors;
	size_t		most;			/* it wants to hear of no more than that; 0: all */
	size_t		count;
} Told;

static bool
listen(void *arg, const FgProblem *problem)
{
	Told	   *told = arg;
	size_t		length = strlen(told->text);

	length += (size_t) snprintf(told->text + length, sizeof(told->text) - length, "%s%s",
								length == 0 ? "" : " ", fg_problem_word(problem->code));
	if (problem->has_phase)
		length += (size_t) snprintf(told->text + length, sizeof(told->text) - length, ":p%d",
									(int) problem->phase);
	if (problem->has_resource)
		snprintf(told->text + length, sizeof(told->text) - length, ":r%d", (int) problem->resource);
	told->errors += fg_problem_is_error(problem->code);
	return ++told->count != told->most;
}

typedef struct Asked
{
	const Draft *draft;
	int64_t		slice;
	size_t		most;
	Told		told;
} Asked;

/* An operation of the sweeps: makes the job, validates it, warns when nothing is wrong. */
static bool
ask(FgContext *ctx, void *arg)
{
	Asked	   *asked = arg;
	FgJob		job;
	FgJobRows	rows;
	FgJobOptions options = FG_DEFAULT_JOB_OPTIONS;
	bool		done;

	asked->told = (Told) {.most = asked->most};
	options.slice = asked->slice;
	done = fg_job_rows_begin(ctx, 1, &job, &rows) && add_model(&rows, asked->draft) &&
		add_rows(&rows, asked->draft) && fg_job_validate(ctx, &job, listen, &asked->told);
	if (done && asked->told.errors == 0)
		done = fg_job_prepare(ctx, &job) &&
			fg_job_warn(ctx, &job, &options, listen, &asked->told);
	fg_job_free(ctx, &job);
	fg_job_rows_free(&rows);
	fg_job_rows_free_job(&rows);
	return done;
}

static void
tells(const char *name, const Draft *draft, const char *expected)
{
	FgContext	ctx = fg_malloc_context();
	Asked		asked = {.draft = draft};

	unit_case("%s", name);
	CHECK(ask(&ctx, &asked));
	CHECK_TEXT(asked.told.text, strlen(asked.told.text), expected);
}

/* One change, in "d". */
#define CHANGED(name, expected, ...) \
	do { \
		Draft		d = fine; \
		__VA_ARGS__; \
		tells(name, &d, expected); \
	} while (0)

/* --- each code ------------------------------------------------------------------------------- */

static void
test_model(void)
{
	tells("nothing is wrong", &fine, "");
	CHANGED("a parent type that does not exist", "unknown_phase_type",
			d.phase_types[0].parent = "X", d.precedences[0].before = NULL);
	CHANGED("two root types", "root_type_count", d.phase_types[5].parent = NULL,
			d.phase_types[5].repeat = FG_REPEAT_ONCE, d.phases[5].id = 0);
	CHANGED("a root type that is repeated", "root_type_repeatable",
			d.phase_types[4].repeat = FG_REPEAT_SEQUENTIAL);
	CHANGED("types below themselves", "phase_type_cycle phase_type_mismatch:p3 "
			"phase_type_mismatch:p4", d.phase_types[1].parent = "C", d.precedences[0].before = NULL);
	CHANGED("a type below itself", "resource_type_cycle", d.resource_types[2].parent = "cpu");
	CHANGED("a resource type that does not exist", "unknown_resource_type",
			d.resource_types[2].parent = "X");
	CHANGED("a predicate that does not exist", "bad_predicate", d.phase_types[1].predicate = "most");
	CHANGED("a predicate of more than all", "bad_predicate",
			d.phase_types[1].predicate = "at_least:1.5");
	CHANGED("a type that is there twice", "duplicate_key", d.phase_types[3].name = "C",
			d.rules[2].phase = NULL, d.precedences[1].before = NULL);
	CHANGED("a precedence of what does not exist", "unknown_phase_type", d.precedences[1].after = "X");
	CHANGED("a precedence of no siblings", "precedence_not_siblings", d.precedences[1].after = "C");
	CHANGED("a precedence of the root", "precedence_not_siblings", d.precedences[1].after = "Job");
	CHANGED("precedences in a circle", "precedence_cycle", d.precedences[2].before = "D",
			d.precedences[2].after = "A", d.precedences[3].before = "D",
			d.precedences[3].after = "S", d.precedences[4].before = NULL);
	CHANGED("a type that waits for itself", "precedence_cycle", d.precedences[1].after = "B");
}

static void
test_rules(void)
{
	CHANGED("a rule for what does not exist", "unknown_phase_type", d.rules[0].phase = "X");
	CHANGED("a rule for no resource", "unknown_resource_type", d.rules[0].resource = "X");
	CHANGED("two rules", "duplicate_rule", d.rules[2].phase = "B");
	CHANGED("greedy on a lock", "rule_class_mismatch", d.rules[0].resource = "lock");
	CHANGED("full on a processor", "rule_class_mismatch", d.rules[0].kind = FG_RULE_FULL,
			d.rules[0].cap = NAN);
	CHANGED("sink on a machine", "rule_class_mismatch", d.rules[0].kind = FG_RULE_SINK,
			d.rules[0].cap = NAN, d.rules[0].resource = "machine");
	CHANGED("no cap", "bad_cap", d.rules[0].cap = NAN);
	CHANGED("a cap of 0", "bad_cap", d.rules[0].cap = 0);
	CHANGED("an infinite cap", "bad_cap", d.rules[0].cap = INFINITY);
	CHANGED("a cap of a rule without one", "bad_cap", d.rules[1].cap = 1);
	CHANGED("a delta of 0", "bad_delta", d.rules[2].delta = 0);
	CHANGED("a delta above 1", "bad_delta", d.rules[2].delta = 1.0000001);
}

static void
test_phases(void)
{
	CHANGED("a type that does not exist", "unknown_phase_type:p6", d.phases[5].type = "X");
	CHANGED("a parent that does not exist", "unknown_phase:p6", d.phases[5].parent = 77);
	CHANGED("an id that is there twice", "duplicate_key:p7", d.phases[5].id = 7);
	CHANGED("forever", "bad_time:p7", d.phases[6].end = INT64_MAX);
	CHANGED("since ever", "bad_time:p6", d.phases[5].start = INT64_MIN);
	CHANGED("the year 100000", "bad_time:p7", d.phases[6].end = INT64_C(3092581296000000000));
	CHANGED("an end before the start", "phase_end_before_start:p7", d.phases[6].end = 9);
	CHANGED("no root", "root_count phase_cycle:p1 phase_type_mismatch:p1", d.phases[0].parent = 1);
	CHANGED("no phase", "root_count", d.phases[0].id = 0, d.mappings[0][0] = 0);
	CHANGED("two roots", "root_count:p8",
			d.phases[7].id = 8, d.phases[7].parent = NONE, d.phases[7].type = "Job",
			d.phases[7].instance = "", d.phases[8].id = 0);
	CHANGED("phases below each other", "phase_cycle:p3 phase_type_mismatch:p3",
			d.phases[2].parent = 5);
	CHANGED("a type in the wrong place", "phase_type_mismatch:p5", d.phases[4].parent = 2);
	CHANGED("a type below no parent", "root_count:p7 phase_type_mismatch:p7",
			d.phases[6].parent = NONE);
	CHANGED("once is not twice", "repeated_once_type:p7", d.phases[6].type = "A");
	CHANGED("the same instance", "duplicate_instance:p7", d.phases[6].instance = "0");
	CHANGED("the same instance of once", "repeated_once_type:p7 duplicate_instance:p7",
			d.phases[6].type = "A", d.phases[6].instance = "");
}

static void
test_resources(void)
{
	CHANGED("a type that does not exist", "unknown_resource_type:r2", d.resources[1].type = "X");
	CHANGED("a parent that does not exist", "unknown_resource:r2", d.resources[1].parent = 77,
			d.mappings[1][0] = 0);
	CHANGED("an id that is there twice", "duplicate_key:r3", d.resources[1].id = 3,
			d.resources[2].type = "cpu", d.resources[2].capacity = 1, d.mappings[1][0] = 0,
			d.usages[0].resource = 0, d.blockings[0][0] = 0, d.rules[2].phase = NULL);
	CHANGED("no capacity", "bad_capacity:r2", d.resources[1].capacity = NAN);
	CHANGED("less than none", "bad_capacity:r2", d.resources[1].capacity = -1);
	CHANGED("an infinite one", "bad_capacity:r2", d.resources[1].capacity = INFINITY);
	CHANGED("one of a lock", "bad_capacity:r3", d.resources[2].capacity = 1);
	CHANGED("a delta of 0", "bad_delta:r2", d.resources[1].delta = 0);
	CHANGED("resources below each other", "resource_cycle:r1", d.resources[0].parent = 2);
	CHANGED("a mapping of no phase", "unknown_phase:p77", d.mappings[1][0] = 77);
	CHANGED("to no resource", "unknown_resource:r77", d.mappings[1][1] = 77);
	CHANGED("to more than the parent has", "mapping_not_subset:p3:r4", d.mappings[1][1] = 4,
			d.mappings[2][1] = 4);
	CHANGED("to what the parent has not, below it", "mapping_not_subset:p5:r3", d.mappings[2][1] = 3);
}

static void
test_measurements(void)
{
	CHANGED("of no resource", "unknown_resource:r77", d.usages[0].resource = 77,
			d.usages[1].resource = 77);
	CHANGED("usage of a lock", "usage_on_non_consumable:r3", d.usages[2].resource = 3,
			d.usages[3].resource = 3);
	CHANGED("a block on a processor", "blocking_on_non_blocking:r4", d.blockings[2][0] = 4);
	CHANGED("negative", "bad_usage:r2", d.usages[0].usage = -1e-300);
	CHANGED("no number", "bad_usage:r2", d.usages[0].usage = NAN);
	CHANGED("infinite", "bad_usage:r2", d.usages[0].usage = INFINITY);
	CHANGED("an end before the start", "measurement_end_before_start:r2", d.usages[1].end = 49);
	CHANGED("an infinite end", "bad_time:r2", d.usages[1].end = INT64_MAX);
	CHANGED("two at a time", "overlapping_measurements:r2", d.usages[1].start = 49);
	CHANGED("a point within a period", "overlapping_measurements:r4", d.usages[2].start = 50,
			d.usages[2].end = 50);
	CHANGED("a point twice", "overlapping_measurements:r4", d.usages[3].end = 0);
	CHANGED("a block that ends before it starts", "blocking_end_before_start:r3",
			d.blockings[2][2] = -1);
	CHANGED("since ever", "bad_time:r3", d.blockings[2][1] = INT64_MIN);
}

static void
test_warnings(void)
{
	FgContext	ctx = fg_malloc_context();
	Draft		sliced = fine;
	Asked		asked = {.draft = &sliced, .slice = 60};

	CHANGED("before its parent", "child_outside_parent:p2", d.phases[1].start = -1,
			d.usages[0].start = -1);
	CHANGED("after it", "child_outside_parent:p5", d.phases[4].end = 81);
	CHANGED("at the same time", "sequential_overlap:p7", d.phases[6].start = 9);
	CHANGED("before its turn", "precedence_violated:p3", d.phases[2].start = 39);
	CHANGED("without time", "empty_phase:p7", d.phases[6].end = 10);
	CHANGED("a capacity that is too small", "usage_above_capacity:r2", d.usages[1].usage = 4.5);
	CHANGED("a gap", "unmeasured_life:p2:r2", d.usages[0].end = 39);
	CHANGED("no measurement at all", "unmeasured_life:p2:r2", d.usages[0].resource = 0);
	CHANGED("a rule that another one hides", "unused_rule", d.rules[2].phase = "C",
			d.rules[3] = d.rules[0], d.rules[0].phase = "S", d.rules[0].resource = "cpu",
			d.rules[3].phase = "Job", d.rules[3].cap = 2, d.rules[4].phase = "A",
			d.rules[4].resource = "cpu", d.rules[4].kind = FG_RULE_SINK, d.rules[4].cap = NAN,
			d.rules[4].delta = NAN, d.rules[5].phase = "B", d.rules[5].resource = "cpu",
			d.rules[5].kind = FG_RULE_SINK, d.rules[5].cap = NAN, d.rules[5].delta = NAN);

	/* by hand: 40, 50, 51 and 80 go to 60, 90 goes to 120, 10 and 20 to 0 */
	unit_case("slices");
	sliced.usages[1].end = 51;
	CHECK(ask(&ctx, &asked));
	CHECK_TEXT(asked.told.text, strlen(asked.told.text),
			   "empty_phase:p3 empty_phase:p5 empty_phase:p6 empty_phase:p7 empty_measurement:r2 "
			   "unmeasured_life:p4:r2");
}

/* --- some of them, and failures ---------------------------------------------------------------- */

static void
test_first(void)
{
	FgContext	ctx = fg_malloc_context();
	Draft		d = fine;
	Asked		asked = {.draft = &d, .most = 1};

	unit_case("who wants to hear of one is told of one");
	d.phases[5].type = "X";
	d.phases[6].end = 0;
	d.usages[0].usage = -1;
	CHECK(ask(&ctx, &asked));
	CHECK_TEXT(asked.told.text, strlen(asked.told.text), "unknown_phase_type:p6");
}

static void
test_failures(void)
{
	Draft		wrong = fine;
	Asked		asked = {.draft = &fine};
	Asked		asked_wrong = {.draft = &wrong};

	wrong.mappings[0][0] = 77;
	wrong.phases[2].parent = 5;
	wrong.precedences[1].after = "A";
	wrong.usages[0].start = 60;
	unit_sweep_memory("a job without problems", ask, &asked);
	unit_sweep_memory("a job with some", ask, &asked_wrong);
	unit_sweep_interrupts("a job without problems", ask, &asked, 1);
}

/* --- large ones -------------------------------------------------------------------------------- */

typedef struct Large
{
	uint32_t	chains;
	uint32_t	depth;
	bool		cycle;			/* the first of the last chain hangs on its last */
	Told		told;
} Large;

/* Chains of phases below one root, numbered from the deepest; each has a type of its depth. */
static bool
ask_large(FgContext *ctx, void *arg)
{
	Large	   *large = arg;
	FgPhase    *phases = fg_alloc(ctx, (size_t) large->chains * large->depth + 1, sizeof(FgPhase));
	FgPhaseType *types = fg_alloc(ctx, (size_t) large->depth + 1, sizeof(FgPhaseType));
	char	   *names = fg_alloc(ctx, (size_t) large->depth + 1, 8);
	FgJob		job = {.phases = phases, .phase_types = types,
		.phase_count = large->chains * large->depth + 1, .phase_type_count = large->depth + 1};
	FgJobOptions options = FG_DEFAULT_JOB_OPTIONS;
	bool		done = phases != NULL && types != NULL && names != NULL;

	large->told = (Told) {.most = 0};
	for (uint32_t d = 0; done && d <= large->depth; d++)
	{
		snprintf(names + 8 * d, 8, "%07u", d);
		types[d] = (FgPhaseType) {
			{names + 8 * d, 7}, d == 0 ? FG_NONE : d - 1,
			d == 1 ? FG_REPEAT_CONCURRENT : FG_REPEAT_ONCE, {NULL, 0}
		};
	}
	for (uint32_t p = 0; done && p < job.phase_count; p++)
	{
		uint32_t	d = p == 0 ? 0 : (p - 1) % large->depth + 1;

		phases[p] = (FgPhase) {
			.id = p, .parent = d == 0 ? FG_NONE : d == 1 ? 0 : p - 1, .type = d,
			.instance = {d == 1 ? (const char *) &phases[p].id : "", d == 1 ? 8 : 0}, .end = 1
		};
	}
	if (done && large->cycle)
		phases[job.phase_count - large->depth].parent = job.phase_count - 1;
	done = done && fg_job_validate(ctx, &job, listen, &large->told);
	if (done && !large->cycle)
		done = fg_job_prepare(ctx, &job) && fg_job_warn(ctx, &job, &options, listen, &large->told);
	fg_job_free(ctx, &job);
	fg_release(ctx, phases);
	fg_release(ctx, types);
	fg_release(ctx, names);
	return done;
}

static void
test_large(void)
{
	FgContext	ctx = fg_malloc_context();
	Large		large = {.chains = (uint32_t) unit_rounds(100), .depth = 10000};
	char		expected[80];

	unit_case("a million phases, or a fifth of them, ten thousand deep");
	CHECK(ask_large(&ctx, &large));
	CHECK_TEXT(large.told.text, strlen(large.told.text), "");

	unit_case("one chain of them is a cycle");
	large.cycle = true;
	CHECK(ask_large(&ctx, &large));
	snprintf(expected, sizeof(expected), "phase_cycle:p%u phase_type_mismatch:p%u",
			 (large.chains - 1) * large.depth + 1, (large.chains - 1) * large.depth + 1);
	CHECK_TEXT(large.told.text, strlen(large.told.text), expected);

	unit_case("cancelled");
	large.cycle = false;
	large.chains = 8;
	unit_sweep_interrupts("large", ask_large, &large, 10);
}

int
main(void)
{
	test_model();
	test_rules();
	test_phases();
	test_resources();
	test_measurements();
	test_warnings();
	test_first();
	test_failures();
	test_large();
	return unit_finish();
}
