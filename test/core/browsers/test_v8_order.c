/*
 * test_v8_order.c
 *	  Samples of V8 in order of their times, of which only a window is known.
 *
 * A second way: all samples are kept and put in order by insertion.
 */
#include "unit.h"

#include "core/browsers/v8_order.h"

#include <math.h>

typedef struct Sample
{
	double		time;
	uint32_t	node;
} Sample;

typedef struct Seen
{
	const Sample *expected;		/* in order */
	uint32_t	count;
	uint32_t	seen;
	double		end;
	bool		same;
} Seen;

static bool
see(void *arg, uint32_t node, double time, double stop)
{
	Seen	   *s = arg;
	const Sample *sample = &s->expected[s->seen++];

	s->same &= s->seen <= s->count && node == sample->node && time == sample->time &&
		stop == (s->seen < s->count ? sample[1].time : fmax(s->end, time));
	return true;
}

static void
insert(Sample *sorted, uint32_t count, Sample sample)
{
	for (; count > 0 && sorted[count - 1].time > sample.time; count--)
		sorted[count] = sorted[count - 1];
	sorted[count] = sample;
}

/* Samples of which each comes at most "late" places too late; "steps": how much time goes on. */
static void
check_order(UnitRandom *random, uint32_t count, uint32_t late, uint32_t steps, double end)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Sample	   *sorted = malloc((count + 1) * sizeof(Sample));
	Seen		seen = {.expected = sorted, .count = count, .end = end, .same = true};
	FgV8Order	order;

	unit_case("%u samples, %u late, times that go on by %u", count, late, steps);
	fg_v8_order_begin(&ctx, &order, see, &seen);
	for (uint32_t i = 0; i < count; i++)
	{
		Sample		sample = {(double) ((i - unit_below(random, late < i ? late + 1 : i + 1)) * steps / 4), i};

		insert(sorted, i, sample);
		CHECK(fg_v8_order_add(&order, sample.node, sample.time));
	}
	CHECK(fg_v8_order_finish(&order, end));
	CHECK(seen.same);
	CHECK_COUNT(seen.seen, count);
	fg_v8_order_free(&order);
	free(sorted);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_order(void)
{
	UnitRandom	random = {11};
	uint32_t	window = FG_V8_WINDOW;

	for (uint32_t late = 0; late < 16; late += 3)
	{
		/* of many equal times the first sample is the earlier one */
		check_order(&random, 1, late, 4, 0);
		check_order(&random, 200, late, 1, -INFINITY);
		check_order(&random, 200, late, 4, 10000);
	}
	check_order(&random, window, 2, 4, 0);
	check_order(&random, window + 1, 2, 4, 0);
	check_order(&random, 3 * window + 5, 2, 4, 0);
	check_order(&random, 0, 0, 0, 0);
}

/* What was handed on cannot be taken back. */
static void
test_too_late(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	uint32_t	window = FG_V8_WINDOW;
	Sample	   *sorted = malloc((window + 3) * sizeof(Sample));
	Seen		seen = {.expected = sorted, .count = window + 3};
	FgV8Order	order;
	char		expected[80];

	for (uint32_t i = 0; i < window + 3; i++)
		sorted[i] = (Sample) {i, i};
	unit_case("a sample that is out of order by more than half a window");
	fg_v8_order_begin(&ctx, &order, see, &seen);
	for (uint32_t i = 0; i <= window; i++)
		CHECK(fg_v8_order_add(&order, i, i));
	CHECK_COUNT(seen.seen, window / 2);
	CHECK(fg_v8_order_add(&order, 1, window / 2));
	CHECK(!fg_v8_order_add(&order, 1, window / 2 - 0.5));
	snprintf(expected, sizeof(expected), "sample %u is out of order by more than %u samples", window + 3, window / 2);
	CHECK_TEXT(ctx.error.reason, strlen(ctx.error.reason), expected);
	CHECK(ctx.error.code == FG_ERROR_LIMIT);
	fg_v8_order_free(&order);
	free(sorted);
	CHECK_COUNT(memory.blocks, 0);
}

int
main(void)
{
	test_order();
	test_too_late();
	return unit_finish();
}
