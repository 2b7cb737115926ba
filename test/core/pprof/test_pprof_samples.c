/*
 * test_pprof_samples.c
 *	  Which lists of samples are looked for: memory goes with the stacks, whatever order samples come in, and no sample is
 *	  lost where a stack is kept more than once.
 */
#include "messages.h"

#include "core/pprof/pprof_samples.h"

/* Samples of stacks that are told apart by their number. */
typedef struct Phase
{
	uint32_t	first;			/* stack */
	uint32_t	stacks;
	uint32_t	rounds;			/* each stack once in each of them */
} Phase;

#define MAX_PHASES 8

static bool
take_sample(FgPprofSamples *samples, uint32_t stack)
{
	Message		sample = {.size = 0};
	Message		list = {.size = 0};
	FgWireInput input = {.ctx = samples->ctx, .start = sample.bytes, .name = "the message"};
	FgWire		wire;

	for (int i = 0; i < 3; i++)
		put_varint(&list, 1 + (stack >> (10 * i)) % 1024);
	put_message(&sample, 1, &list);
	list.size = 0;
	put_varint(&list, stack + 1);
	put_message(&sample, 2, &list);
	wire = (FgWire) {&input, sample.bytes, sample.bytes + sample.size};
	return fg_pprof_samples_take(samples, &wire);
}

static bool
take_phase(FgPprofSamples *samples, const Phase *phase)
{
	for (uint32_t round = 0; round < phase->rounds; round++)
	{
		for (uint32_t i = 0; i < phase->stacks; i++)
		{
			if (!take_sample(samples, phase->first + i))
				return false;
		}
	}
	return true;
}

/* Each stack has the values of all its samples, wherever they are kept. */
static void
check_sums(const FgPprofSamples *samples, const Phase *phases, uint32_t distinct)
{
	double	   *expected = calloc(distinct, sizeof(double));
	double	   *got = calloc(distinct, sizeof(double));
	uint64_t	count = 0;

	for (const Phase *phase = phases; phase->stacks > 0; phase++)
	{
		for (uint32_t i = 0; i < phase->stacks; i++)
			expected[phase->first + i] += (phase->first + i + 1.0) * phase->rounds;
	}
	for (uint32_t i = 0; i < samples->stacks; i++)
	{
		const FgPprofStack *stack = fg_pprof_stack(samples, i);
		FgReader	ids = fg_pprof_stack_ids(stack);
		uint64_t	number = 0;

		for (int k = 0; k < 3; k++)
		{
			uint64_t	id = 0;

			CHECK(fg_wire_varint(&ids.next, ids.end, &id));
			number |= (id - 1) << (10 * k);
		}
		CHECK(number < distinct && ids.next == ids.end);
		got[number] += *fg_pprof_sums(samples, i);
		count += stack->samples;
	}
	for (uint32_t i = 0; i < distinct; i++)
	{
		if (!CHECK(got[i] == expected[i]))
			break;
	}
	CHECK_COUNT(count, samples->count);
	free(expected);
	free(got);
}

/* Stacks may be kept more than once, but not much more often than there are. */
static void
check_phases(const char *name, const Phase *phases, uint32_t most)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgPprofSamples samples;
	uint32_t	distinct = 0;

	unit_case("%s", name);
	if (!CHECK(fg_pprof_samples_begin(&ctx, &samples)))
		return;
	for (const Phase *phase = phases; phase->stacks > 0; phase++)
	{
		CHECK(take_phase(&samples, phase));
		distinct = phase->first + phase->stacks > distinct ? phase->first + phase->stacks : distinct;
	}
	CHECK(fg_pprof_samples_finish(&samples));
	check_sums(&samples, phases, distinct);
	CHECK(samples.stacks >= distinct);
	if (!CHECK(samples.stacks <= most))
		printf("    %u stacks of %u are kept\n", samples.stacks, distinct);
	fg_pprof_samples_free(&samples);
	CHECK_COUNT(memory.blocks, 0);
}

#define TURN FG_PPROF_TURN

static void
test_phases(void)
{
	check_phases("few stacks, many samples", (Phase[MAX_PHASES]) {{0, 500, 40}}, 500);
	for (uint32_t stacks = 1; stacks < 20; stacks++)
		check_phases("very few stacks", (Phase[MAX_PHASES]) {{0, 10 * TURN, 1}, {stacks, stacks, 20 * TURN / stacks}}, 12 * TURN);
	check_phases("as many stacks as are looked for before anything is decided", (Phase[MAX_PHASES]) {{0, TURN, 10}}, TURN * 3);
	check_phases("each stack once", (Phase[MAX_PHASES]) {{0, 20 * TURN, 1}}, 20 * TURN);
	check_phases("each stack ten times, after all the others", (Phase[MAX_PHASES]) {{0, 20 * TURN, 10}}, 42 * TURN);
	check_phases("few stacks after many", (Phase[MAX_PHASES]) {{0, 10 * TURN, 1}, {10 * TURN, 100, 800}}, 12 * TURN);
	check_phases("others in turns",
				 (Phase[MAX_PHASES]) {{0, 3 * TURN, 1}, {0, 50, 200}, {3 * TURN, 3 * TURN, 1}, {0, 50, 200}, {0, 6 * TURN, 3}},
				 14 * TURN);
}

/* Where hardly any stack comes again, few are in the table. */
static void
test_table(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgPprofSamples samples;

	unit_case("the table of stacks that come once");
	if (!CHECK(fg_pprof_samples_begin(&ctx, &samples)))
		return;
	CHECK(take_phase(&samples, &(Phase) {0, 40 * TURN, 1}));
	CHECK_COUNT(samples.stacks, 40 * TURN);
	CHECK(samples.slots_taken < 8 * TURN);
	fg_pprof_samples_free(&samples);
	CHECK_COUNT(memory.blocks, 0);
}

static bool
run_samples(FgContext *ctx, void *arg)
{
	FgPprofSamples samples;
	bool		ok = fg_pprof_samples_begin(ctx, &samples) && take_phase(&samples, arg) && fg_pprof_samples_finish(&samples);

	fg_pprof_samples_free(&samples);
	return ok;
}

static void
test_failures(void)
{
	Phase		phase = {0, 2 * TURN, 1};

	unit_sweep_memory("samples of stacks that come once", run_samples, &phase);
	unit_sweep_interrupts("samples of stacks that come once", run_samples, &phase, 1);
}

int
main(void)
{
	test_phases();
	test_table();
	test_failures();
	return unit_finish();
}
