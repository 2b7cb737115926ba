/*
 * test_job_rules.c
 *	  Predicates that are functions, causes of limits, stragglers, issues with names.
 */
#include "unit.h"

#include "core/bottlenecks/causes.h"
#include "core/bottlenecks/ranking.h"
#include "core/jobs/parts.h"
#include "core/jobs/stragglers.h"

#include <math.h>
#include <stdlib.h>

#define SPAN(text) ((FgSpan) {text, sizeof(text) - 1})

/* --- questions ------------------------------------------------------------------------------ */

typedef struct Oracle
{
	uint32_t	asked;
	bool		fails;
} Oracle;

static bool
find(void *arg, FgSpan name, uint32_t *function)
{
	(void) arg;
	*function = (uint32_t) name.size;
	return true;
}

/* An answer that depends on all that is asked. */
static bool
answer_of(const FgPredicateQuestion *question)
{
	uint32_t	sum = question->function * 7 + question->resource_type * 11;

	for (uint32_t i = 0; i < question->count; i++)
		sum = sum * 31 + question->parts[i].type * 13 + question->parts[i].all * 5 +
			question->parts[i].defined * 3 + question->parts[i].limited;
	return (sum ^ sum >> 7) % 2 == 1;
}

static bool
ask(void *arg, const FgPredicateQuestion *question, bool *holds)
{
	Oracle	   *oracle = arg;

	oracle->asked++;
	*holds = answer_of(question);
	return !oracle->fails;
}

/* Draws one of few questions, as a number that tells them apart. */
static uint32_t
draw(UnitRandom *random, FgPartCount *parts, FgPredicateQuestion *question)
{
	uint32_t	count = unit_below(random, 3);
	uint32_t	number = count;

	*question = (FgPredicateQuestion) {
		.function = unit_below(random, 2), .resource_type = unit_below(random, 3), .parts = parts,
		.count = count
	};
	number = number * 6 + question->function * 3 + question->resource_type;
	for (uint32_t i = 0; i < count; i++)
	{
		parts[i] = (FgPartCount) {
			.type = i, .all = 3, .defined = unit_below(random, 4), .limited = unit_below(random, 4)
		};
		number = number * 16 + parts[i].defined * 4 + parts[i].limited;
	}
	return number;
}

static bool
remember(FgContext *ctx, void *arg)
{
	Oracle		oracle = {0};
	FgPredicateFunctions functions = {&oracle, find, ask};
	FgPredicateMemo memo;
	UnitRandom	random = {5};
	bool	   *seen = calloc(18 * 256, sizeof(bool));
	uint32_t	different = 0;
	bool		ok = true;

	(void) arg;
	fg_predicate_memo_begin(&memo, ctx, &functions);
	for (int i = 0; ok && i < 4000; i++)
	{
		FgPartCount parts[2];
		FgPredicateQuestion question;
		uint32_t	number = draw(&random, parts, &question);
		bool		holds = false;

		different += !seen[number];
		seen[number] = true;
		ok = fg_predicate_memo_ask(&memo, &question, &holds);
		CHECK(!ok || holds == answer_of(&question));
	}
	CHECK(!ok || oracle.asked == different);
	CHECK(!ok || different > 500);
	fg_predicate_memo_free(&memo);
	free(seen);
	return ok;
}

static void
test_memo(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Oracle		oracle = {.fails = true};
	FgPredicateFunctions functions = {&oracle, find, ask};
	FgPredicateMemo memo;
	FgPredicateQuestion question = {.function = 1};
	FgPredicate predicate;
	uint32_t	number;
	bool		holds;

	unit_case("questions are asked once");
	CHECK(remember(&ctx, NULL));
	CHECK_COUNT(memory.blocks, 0);
	unit_case("predicates by name");
	CHECK(fg_predicate_parse(&ctx, SPAN("function:a.b"), &predicate));
	CHECK(predicate.kind == FG_PREDICATE_FUNCTION && fg_span_equal(predicate.name, SPAN("a.b")));
	CHECK_ERROR(fg_predicate_parse(&ctx, SPAN("function:"), &predicate), &ctx, FG_ERROR_ARGUMENT);
	fg_predicate_memo_begin(&memo, &ctx, &functions);
	CHECK(fg_predicate_memo_find(&memo, &predicate, &number));
	/* what failed is not remembered */
	CHECK(!fg_predicate_memo_ask(&memo, &question, &holds));
	CHECK(!fg_predicate_memo_ask(&memo, &question, &holds));
	CHECK_COUNT(oracle.asked, 2);
	fg_predicate_memo_free(&memo);
	fg_predicate_memo_begin(&memo, &ctx, NULL);
	CHECK_ERROR(fg_predicate_memo_find(&memo, &predicate, &number), &ctx, FG_ERROR_ARGUMENT);
	fg_predicate_memo_free(&memo);
	CHECK_COUNT(memory.blocks, 0);
}

/* --- intersections -------------------------------------------------------------------------- */

static void
test_intersections(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	UnitRandom	random = {11};

	unit_case("intersections of intervals");
	for (int round = 0; round < 200; round++)
	{
		FgTimeRanges lists[3] = {{.list = NULL}, {.list = NULL}, {.list = NULL}};
		FgTimeRanges spare = {.list = NULL};
		int			in[100] = {0};

		for (int l = 0; l < 2; l++)
		{
			for (uint32_t n = unit_below(&random, 12); n > 0; n--)
			{
				int64_t		start = unit_below(&random, 80);

				CHECK(fg_intervals_add(&ctx, &lists[l], start, start + unit_below(&random, 15)));
			}
			CHECK(fg_intervals_unite(&ctx, &lists[l], &spare));
			for (size_t i = 0; i < lists[l].count; i++)
			{
				for (int64_t t = lists[l].list[i].start; t < lists[l].list[i].end; t++)
					in[t]++;
			}
		}
		CHECK(fg_intervals_intersect(&ctx, &lists[0], &lists[1], &lists[2]));
		for (size_t i = 0; i < lists[2].count; i++)
		{
			CHECK(i == 0 || lists[2].list[i].start > lists[2].list[i - 1].end);
			for (int64_t t = lists[2].list[i].start; t < lists[2].list[i].end; t++)
				in[t] += 10;
		}
		for (int t = 0; t < 100; t++)
			CHECK(in[t] == 0 || in[t] == 1 || in[t] == 12);
		for (int l = 0; l < 3; l++)
			fg_intervals_free(&ctx, &lists[l]);
		fg_intervals_free(&ctx, &spare);
	}
	CHECK_COUNT(memory.blocks, 0);
}

/* --- a job ---------------------------------------------------------------------------------- */

enum {CHILDREN = 40, S = 1000000};

/* Children of two types, on one resource that is used up by some of them. */
typedef struct Example
{
	FgPhaseType types[3];
	FgResourceType resource_types[1];
	FgRule		rules[1];
	FgPhase		phases[CHILDREN + 1];
	FgResource	resources[1];
	FgUsage		usages[10];
	FgJob		job;
} Example;

static void
make_example(Example *e)
{
	UnitRandom	random = {3};

	memset(e, 0, sizeof(*e));
	e->types[0] = (FgPhaseType) {.name = SPAN("a"), .parent = FG_NONE};
	e->types[1] = (FgPhaseType) {.name = SPAN("b"), .parent = 0, .repeat = FG_REPEAT_CONCURRENT};
	e->types[2] = (FgPhaseType) {.name = SPAN("c"), .parent = 0, .repeat = FG_REPEAT_CONCURRENT};
	e->resource_types[0] =
		(FgResourceType) {.name = SPAN("cpu"), .parent = FG_NONE, .class = FG_RESOURCE_CONSUMABLE};
	e->rules[0] = (FgRule) {1, 0, FG_RULE_GREEDY, 3, NAN};
	e->resources[0] = (FgResource) {.id = 1, .parent = FG_NONE, .capacity = 10, .delta = NAN};
	e->phases[0] = (FgPhase) {0, FG_NONE, 0, SPAN(""), 0, 100 * S};
	for (uint32_t i = 1; i <= CHILDREN; i++)
	{
		int64_t		start = unit_below(&random, 90) * S;

		e->phases[i] = (FgPhase) {
			i, 0, 1 + i % 2, SPAN(""), start, start + unit_below(&random, 30) * S
		};
	}
	for (uint32_t i = 0; i < 10; i++)
		e->usages[i] = (FgUsage) {0, i * 10 * S, (i + 1) * 10 * S, i % 3 == 0 ? 10 : i};
	e->job = (FgJob) {
		.phase_types = e->types, .phase_type_count = 3, .resource_types = e->resource_types,
		.resource_type_count = 1, .rules = e->rules, .rule_count = 1, .phases = e->phases,
		.phase_count = CHILDREN + 1, .resources = e->resources, .resource_count = 1,
		.usages = e->usages, .usage_count = 10
	};
}

/* --- causes --------------------------------------------------------------------------------- */

typedef struct Pieces
{
	const FgTimeRange *times;	/* what they have to cover, one after the other */
	int64_t		at;
	FgCause		last;
	uint32_t	seen[FG_CAUSES];
} Pieces;

static bool
take_piece(void *arg, FgTimeRange time, FgCause cause)
{
	Pieces	   *pieces = arg;

	CHECK(time.start < time.end && time.start >= pieces->at);
	CHECK(time.start > pieces->at || cause != pieces->last);
	pieces->at = time.end;
	pieces->last = cause;
	pieces->seen[cause]++;
	return true;
}

/* All tracks with their causes; the predicate is a function, so some are not known. */
static bool
visit_causes(const FgAnalysis *analysis, uint32_t *seen)
{
	FgBottlenecks plain = {.tracks = NULL};
	FgBottlenecks bottlenecks = {.tracks = NULL};
	bool		ok = fg_bottlenecks_make(analysis, false, &plain) &&
		fg_bottlenecks_make_causes(analysis, &bottlenecks);

	CHECK(!ok || plain.track_count == bottlenecks.track_count);
	for (size_t t = 0; ok && t < bottlenecks.track_count; t++)
	{
		Pieces		pieces = {.at = INT64_MIN, .last = FG_CAUSES};

		/* causes change nothing of the times */
		CHECK(fg_track_ticks(&plain, &plain.tracks[t]) ==
			  fg_track_ticks(&bottlenecks, &bottlenecks.tracks[t]));
		ok = fg_causes_visit(analysis, &bottlenecks, t, take_piece, &pieces);
		for (int c = 0; c < FG_CAUSES; c++)
			seen[c] += pieces.seen[c];
	}
	fg_bottlenecks_free(analysis->ctx, &plain);
	fg_bottlenecks_free(analysis->ctx, &bottlenecks);
	return ok;
}

static bool
find_causes(FgContext *ctx, void *arg)
{
	Example		example;
	Oracle		oracle = {0};
	FgPredicateFunctions functions = {&oracle, find, ask};
	FgJobOptions options = FG_DEFAULT_JOB_OPTIONS;
	FgAnalysis	analysis = {.ctx = ctx};
	uint32_t   *seen = arg;
	bool		ok;

	make_example(&example);
	options.predicate = (FgPredicate) {.kind = FG_PREDICATE_FUNCTION, .name = SPAN("x")};
	options.functions = &functions;
	ok = fg_job_prepare(ctx, &example.job) &&
		fg_analysis_begin(ctx, &example.job, &options, &analysis) &&
		visit_causes(&analysis, seen);
	fg_analysis_free(&analysis);
	fg_job_free(ctx, &example.job);
	return ok;
}

static void
test_causes(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	uint32_t	seen[FG_CAUSES] = {0};

	unit_case("causes");
	CHECK(find_causes(&ctx, seen));
	CHECK(seen[FG_CAUSE_ALLOCATION] > 0 && seen[FG_CAUSE_CONTENDED] > 0);
	CHECK(seen[FG_CAUSE_SATURATED] > 0 && seen[FG_CAUSE_UNKNOWN] > 0);
	CHECK_COUNT(seen[FG_CAUSE_BLOCKING], 0);
	CHECK_COUNT(memory.blocks, 0);
}

/* --- stragglers ----------------------------------------------------------------------------- */

static int
compare_durations(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/* By qsort(): is this child of the example's root a straggler? */
static bool
straggles(const Example *e, uint32_t child, double threshold, double *median)
{
	double		durations[CHILDREN];
	size_t		count = 0;

	for (uint32_t i = 1; i <= CHILDREN; i++)
	{
		if (e->phases[i].type == e->phases[child].type)
			durations[count++] = (double) (e->phases[i].end - e->phases[i].start) / S;
	}
	qsort(durations, count, sizeof(double), compare_durations);
	*median = (durations[(count - 1) / 2] + durations[count / 2]) / 2;
	return (double) (e->phases[child].end - e->phases[child].start) / S >
		*median * (1 + threshold) * (1 + 1e-9);
}

typedef struct Stragglers
{
	const Example *example;
	uint32_t	count;
	bool		found[CHILDREN + 1];
} Stragglers;

static bool
take_straggler(void *arg, const FgStraggler *straggler)
{
	Stragglers *s = arg;
	double		median;

	CHECK(straggles(s->example, straggler->phase, 0.25, &median));
	CHECK(straggler->median == median && straggler->parent == 0);
	CHECK(fabs(straggler->ratio - straggler->duration / median) < 1e-12);
	s->found[straggler->phase] = true;
	s->count++;
	return true;
}

static bool
find_stragglers(FgContext *ctx, void *arg)
{
	Example		example;
	Stragglers	s = {.example = &example};
	Stragglers	b = {.example = &example};
	double		median;
	bool		ok;

	(void) arg;
	make_example(&example);
	ok = fg_job_prepare(ctx, &example.job) &&
		fg_stragglers(ctx, &example.job, FG_NONE, 0.25, take_straggler, &s) &&
		fg_stragglers(ctx, &example.job, 1, 0.25, take_straggler, &b);
	for (uint32_t i = 1; ok && i <= CHILDREN; i++)
	{
		bool		is = straggles(&example, i, 0.25, &median);

		CHECK(s.found[i] == is);
		CHECK(b.found[i] == (is && example.phases[i].type == 1));
	}
	CHECK(!ok || (s.count > b.count && b.count > 0));
	fg_job_free(ctx, &example.job);
	return ok;
}

static void
test_stragglers(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);

	unit_case("stragglers");
	CHECK(find_stragglers(&ctx, NULL));
	CHECK_COUNT(memory.blocks, 0);
}

/* --- issues --------------------------------------------------------------------------------- */

/* Of equal impact: by the words of rules, ours among them, then by source. */
static bool
rank_named(FgContext *ctx, void *arg)
{
	static const char *const expected[] = {"a", "bottleneck", "c", "c", "imbalance", "imbalance", "z"};
	FgNamedIssue named[] = {
		{0, SPAN("z"), SPAN("s"), 1}, {0, SPAN("c"), SPAN("t"), 1}, {0, SPAN("a"), SPAN("s"), 1},
		{0, SPAN("c"), SPAN("s"), 1}
	};
	Example		example;
	FgJobOptions options = FG_DEFAULT_JOB_OPTIONS;
	FgAnalysis	analysis = {.ctx = ctx};
	FgBottlenecks leaves = {.tracks = NULL};
	FgIssue    *issues = NULL;
	size_t		count = 0;
	bool		ok;

	(void) arg;
	make_example(&example);
	/* two children of each type: a second more than the mean, and two seconds' limit of one of them */
	example.job.phase_count = 5;
	for (uint32_t i = 1; i <= 4; i++)
		example.phases[i] = (FgPhase) {i, 0, 1 + i % 2, SPAN(""), 0, i <= 2 ? S : 3 * S};
	example.usages[0] = (FgUsage) {0, S, 3 * S, 10};
	example.job.usage_count = 1;
	ok = fg_job_prepare(ctx, &example.job) &&
		fg_analysis_begin(ctx, &example.job, &options, &analysis) &&
		fg_bottlenecks_make(&analysis, true, &leaves) &&
		fg_rank_all_issues(&analysis, &leaves, named, 4, &issues, &count);
	for (size_t i = 0; ok && i < count && issues[i].phase == 0; i++)
	{
		const char *word = issues[i].kind == FG_ISSUE_BOTTLENECK ? "bottleneck" :
			issues[i].kind == FG_ISSUE_IMBALANCE ? "imbalance" : named[issues[i].source].rule.bytes;

		CHECK_COUNT(issues[i].rank, i + 1);
		CHECK(i < COUNT(expected) && strcmp(word, expected[i]) == 0);
		if (i == 2)
			CHECK_COUNT(issues[i].source, 3);
	}
	CHECK(!ok || (count >= COUNT(expected) && issues[COUNT(expected) - 1].phase == 0));
	fg_release(ctx, issues);
	fg_bottlenecks_free(ctx, &leaves);
	fg_analysis_free(&analysis);
	fg_job_free(ctx, &example.job);
	return ok;
}

static void
test_named_issues(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);

	unit_case("issues of rules");
	CHECK(rank_named(&ctx, NULL));
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_failures(void)
{
	uint32_t	seen[FG_CAUSES];

	unit_sweep_memory("questions", remember, NULL);
	unit_sweep_memory("causes", find_causes, seen);
	unit_sweep_memory("stragglers", find_stragglers, NULL);
	unit_sweep_memory("issues of rules", rank_named, NULL);
}

int
main(void)
{
	test_memo();
	test_intersections();
	test_causes();
	test_stragglers();
	test_named_issues();
	test_failures();
	return unit_finish();
}
