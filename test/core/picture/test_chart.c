/*
 * test_chart.c
 *	  Flame charts: samples in any order, what is refused, failures.  What boxes look like is
 *	  tested in SQL (test/t/066_flame_chart.pl), with another layout.
 */
#include "naive.h"

#include "core/picture/chart.h"

#include <math.h>

#define SAMPLES 300

typedef struct Case
{
	FgChartOptions options;
	uint32_t	first;			/* the sample that comes first; the others follow, around the end */
} Case;

/* Stacks that share much, two threads, overlaps, moments. */
static bool
add_sample(FgChart *chart, uint32_t i)
{
	char		stack[40];
	int			length = snprintf(stack, sizeof(stack), "main%cf%u%cg%u", '\0', i / 20, '\0', i % 7);
	double		start = i / 4.0;

	return fg_chart_add(chart, (FgText) {stack, (size_t) length}, start, start + i % 5 / 8.0,
						i % 2 == 0 ? (FgText) {"even", 4} : (FgText) {NULL, 0});
}

static bool
draw(FgContext *ctx, const Case *c, FgBuffer *svg)
{
	FgChart		chart;
	bool		ok = fg_chart_begin(ctx, &chart);

	for (uint32_t i = 0; ok && i < SAMPLES; i++)
		ok = add_sample(&chart, (c->first + i) % SAMPLES);
	ok = ok && fg_chart_svg(&chart, &c->options, svg);
	fg_chart_free(&chart);
	return ok;
}

static bool
run(FgContext *ctx, void *arg)
{
	FgBuffer	svg = {.ctx = ctx};
	bool		ok = draw(ctx, arg, &svg);

	fg_release(ctx, svg.data);
	return ok;
}

static void
test_order(void)
{
	FgContext	ctx = fg_malloc_context();
	Case		sorted = {fg_chart_defaults(), 0};
	Case		turned = {fg_chart_defaults(), 117};
	FgBuffer	a = {.ctx = &ctx};
	FgBuffer	b = {.ctx = &ctx};

	unit_case("samples in any order");
	if (CHECK(draw(&ctx, &sorted, &a)) && CHECK(draw(&ctx, &turned, &b)))
		CHECK_BYTES(a.data, a.size, b.data, b.size);
	fg_release(&ctx, a.data);
	fg_release(&ctx, b.data);
}

static void
check_refused(double start, double stop, FgErrorCode code)
{
	FgContext	ctx = fg_malloc_context();
	FgChart		chart;

	unit_case("a sample from %g to %g", start, stop);
	CHECK(fg_chart_begin(&ctx, &chart));
	CHECK(!fg_chart_add(&chart, (FgText) {"a", 1}, start, stop, (FgText) {NULL, 0}));
	CHECK(ctx.error.code == code);
	CHECK_COUNT(chart.count, 0);
	fg_chart_free(&chart);
}

int
main(void)
{
	Case		c = {fg_chart_defaults(), 50};

	test_order();
	check_refused(2, 1, FG_ERROR_ARGUMENT);
	check_refused(NAN, 1, FG_ERROR_RANGE);
	check_refused(0, NAN, FG_ERROR_RANGE);
	check_refused(-INFINITY, 1, FG_ERROR_RANGE);
	check_refused(-1.7e308, 1.7e308, FG_ERROR_RANGE);
	unit_sweep_memory("fg_chart_svg", run, &c);
	unit_sweep_interrupts("fg_chart_svg", run, &c, 1);
	return unit_finish();
}
