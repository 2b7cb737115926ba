/*
 * fuzz_job.c
 *	  Jobs drawn from the input's bytes: few types, phases, resources and measurements that
 *	  refer to each other, to nothing and to themselves, at times at the edges.
 *
 * Properties: validation ends, and says the same twice; who wants to hear of one problem is told
 * the first one; a job without errors can be prepared, its warnings are found, it has one
 * root, and no phase ends before it starts.
 */
#include "support.h"

#include "core/checking/job_rows.h"
#include "core/checking/validate.h"

#include <math.h>

#define NAMES "abcdefgh"

/* What was told: how many, how many of them errors, and a sum that depends on the order. */
typedef struct Heard
{
	uint64_t	count;
	uint64_t	errors;
	uint64_t	most;
	uint64_t	sum;
	FgProblemCode first;
} Heard;

static bool
listen(void *arg, const FgProblem *problem)
{
	Heard	   *heard = arg;

	REQUIRE(problem->code < FG_PROBLEM_CODES && fg_problem_word(problem->code) != NULL);
	if (heard->count++ == 0)
		heard->first = problem->code;
	heard->errors += fg_problem_is_error(problem->code);
	heard->sum = heard->sum * 31 + problem->code + (uint64_t) problem->phase * 7 +
		(uint64_t) problem->resource * 3;
	return heard->count != heard->most;
}

static FgSpan
name(uint8_t byte)
{
	return (FgSpan) {&NAMES[byte % 8], 1};
}

static FgSpan
name_or_none(uint8_t byte)
{
	return byte % 4 == 0 ? (FgSpan) {NULL, 0} : name(byte / 4);
}

static int64_t
time_of(uint8_t byte)
{
	static const int64_t edges[] = {INT64_MIN, INT64_MAX, INT64_C(3092581295999999999),
	-INT64_C(211813488000000000)};

	return byte >= 252 ? edges[byte - 252] : byte;
}

static double
number_of(uint8_t byte)
{
	static const double edges[] = {NAN, INFINITY, -1, 0, 1e-300, 1};

	return byte >= 250 ? edges[byte - 250] : byte / 100.0;
}

static bool
draw_model(FgJobRows *rows, FuzzInput *input)
{
	static const char *const predicates[] = {"any", "at_least:0.5", "most", ""};
	uint8_t		types = fuzz_byte(input) % 8;
	uint8_t		resource_types = fuzz_byte(input) % 5;
	uint8_t		pairs = fuzz_byte(input) % 12;
	uint8_t		rules = fuzz_byte(input) % 8;
	bool		done = true;

	for (uint8_t i = 0; done && i < types; i++)
	{
		const char *predicate = predicates[fuzz_byte(input) % 4];

		done = fg_job_add_phase_type(rows, name(i), name_or_none(fuzz_byte(input)),
									 (FgRepeat) (fuzz_byte(input) % 3),
									 (FgSpan) {fuzz_byte(input) % 3 ? NULL : predicate,
									 strlen(predicate)});
	}
	done = done && fg_job_settle_phase_types(rows);
	for (uint8_t i = 0; done && i < pairs; i++)
	{
		uint8_t		before = fuzz_byte(input);

		done = fg_job_add_precedence(rows, name(before), name(fuzz_byte(input)));
	}
	for (uint8_t i = 0; done && i < resource_types; i++)
	{
		FgSpan		parent = name_or_none(fuzz_byte(input));

		done = fg_job_add_resource_type(rows, name(i), parent,
										(FgResourceClass) (fuzz_byte(input) % 3));
	}
	done = done && fg_job_settle_resource_types(rows);
	for (uint8_t i = 0; done && i < rules; i++)
	{
		uint8_t		types_of = fuzz_byte(input);
		FgRuleKind	kind = (FgRuleKind) (fuzz_byte(input) % 4);
		double		cap = kind == FG_RULE_GREEDY ? number_of(fuzz_byte(input)) : NAN;

		done = fg_job_add_rule(rows, name(types_of), name(types_of / 8 % 5), kind, cap,
							   types_of < 200 ? NAN : number_of(fuzz_byte(input)));
	}
	return done;
}

static bool
draw_nodes(FgJobRows *rows, FuzzInput *input)
{
	uint8_t		phases = fuzz_byte(input) % 32;
	uint8_t		resources = fuzz_byte(input) % 8;
	bool		done = true;

	for (uint8_t i = 0; done && i < phases; i++)
	{
		uint8_t		above = fuzz_byte(input);
		uint8_t		type = fuzz_byte(input);
		uint8_t		start = fuzz_byte(input);
		int64_t		parent = above % 40;

		done = fg_job_add_phase(rows, above >= 240 ? i ^ 1 : i, i == 0 || above == 255 ? NULL : &parent,
								name(type), (FgSpan) {NAMES, type / 8 % 8u}, time_of(start),
								time_of(fuzz_byte(input)));
	}
	done = done && fg_job_settle_phases(rows);
	for (uint8_t i = 0; done && i < resources; i++)
	{
		uint8_t		above = fuzz_byte(input);
		int64_t		parent = above % 9;
		uint8_t		type = fuzz_byte(input);
		double		capacity = number_of(fuzz_byte(input));

		done = fg_job_add_resource(rows, above >= 240 ? -i : i, above % 2 ? NULL : &parent,
								   name(type % 5), type % 2 ? NAN : capacity,
								   above < 200 ? NAN : capacity);
	}
	return done && fg_job_settle_resources(rows);
}

static bool
draw_rows(FgJobRows *rows, FuzzInput *input)
{
	bool		done = true;

	for (int i = 0; done && i < 64 && input->next < input->end; i++)
	{
		uint8_t		kind = fuzz_byte(input);
		int64_t		resource = kind / 3 % 8;
		uint8_t		a = fuzz_byte(input);
		uint8_t		b = fuzz_byte(input);

		if (kind % 3 == 0)
			done = fg_job_add_mapping(rows, a % 33, b % 9);
		else if (kind % 3 == 1)
			done = fg_job_add_usage(rows, resource, time_of(a), time_of(b),
									number_of(fuzz_byte(input)));
		else
			done = fg_job_add_blocking(rows, resource, time_of(a), time_of(b));
	}
	return done && fg_job_rows_settle(rows);
}

static void
check_job(FgContext *ctx, FgJob *job)
{
	Heard		all = {0};
	Heard		again = {0};
	Heard		one = {.most = 1};
	FgJobOptions options = FG_DEFAULT_JOB_OPTIONS;

	if (!fg_job_validate(ctx, job, listen, &all))
	{
		REQUIRE(ctx->error.code == FG_ERROR_MEMORY);
		return;
	}
	REQUIRE(fg_job_validate(ctx, job, listen, &again) && again.sum == all.sum);
	REQUIRE(fg_job_validate(ctx, job, listen, &one));
	REQUIRE(one.count == (all.count > 0) && one.first == all.first);
	REQUIRE(all.errors == all.count);
	if (all.count > 0)
		return;
	for (uint32_t p = 0; p < job->phase_count; p++)
		REQUIRE(job->phases[p].end >= job->phases[p].start && job->phases[p].type < FG_UNKNOWN);
	REQUIRE(fg_job_prepare(ctx, job) && job->phases[job->root].parent == FG_NONE);
	all = (Heard) {0};
	REQUIRE(fg_job_warn(ctx, job, &options, listen, &all) && all.errors == 0);
	options.slice = 10;
	REQUIRE(fg_job_warn(ctx, job, &options, listen, &all));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FgContext	ctx = fuzz_context();
	FuzzInput	input = {data, data + size};
	FgJob		job;
	FgJobRows	rows;
	bool		done = fg_job_rows_begin(&ctx, 1, &job, &rows) && draw_model(&rows, &input) &&
		draw_nodes(&rows, &input) && draw_rows(&rows, &input);

	REQUIRE(done || ctx.error.code == FG_ERROR_MEMORY);
	if (done)
		check_job(&ctx, &job);
	fg_job_free(&ctx, &job);
	fg_job_rows_free(&rows);
	fg_job_rows_free_job(&rows);
	fuzz_finish();
	return 0;
}
