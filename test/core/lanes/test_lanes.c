/*
 * test_lanes.c
 *	  Lanes without a server: pieces of time and their means, memory, interrupts, limits.
 *	  Where marks are is tested in SQL (114_jobs_pictures.pl).
 */
#include "unit.h"

#include "core/lanes/lanes.h"

#include <math.h>

#define TEXT(words) {words, sizeof(words) - 1}
#define MOST 60000

static FgLaneRow rows[MOST];
static uint32_t numbers[MOST];

/* Rows of one series after the other, each a second long and as high as its number modulo 7. */
static void
make_rows(uint32_t n, uint32_t nseries)
{
	for (uint32_t i = 0; i < n; i++)
	{
		rows[i] = (FgLaneRow) {0, i % nseries, i, i + 1.0, i % 7};
		numbers[i] = i;
	}
}

static void
test_exact(void)
{
	FgContext	ctx = fg_malloc_context();
	FgLaneCells cells;
	static const FgLaneRow few[] = {
		{0, 0, 1, 4, 2}, {0, 1, 2, 3, 5}, {0, 0, 3, 9, 1}, {0, 1, 6, 6, 7}
	};

	unit_case("few pieces are exact");
	for (uint32_t i = 0; i < 4; i++)
		numbers[i] = i;
	CHECK(fg_lane_cells_make(&ctx, few, numbers, 4, 2, 0, 8, 100, &cells));
	CHECK(cells.exact);
	CHECK_COUNT(cells.count, 6);
	/* 0..1, 1..2, 2..3, 3..4, 4..6, 6..8: what is beyond 8 is not there */
	for (uint32_t c = 0; c < 6; c++)
	{
		static const double edges[] = {0, 1, 2, 3, 4, 6};
		static const double first[] = {NAN, 2, 2, 3, 1, 1};

		unit_note("piece %u", c);
		CHECK(cells.edges[c] == edges[c]);
		CHECK(isnan(first[c]) ? isnan(cells.height[2 * c]) != 0
			  : cells.height[2 * c] == first[c]);
		CHECK(c == 2 ? cells.height[2 * c + 1] == 5 : isnan(cells.height[2 * c + 1]) != 0);
	}
	fg_lane_cells_free(&ctx, &cells);
}

static void
test_means(void)
{
	FgContext	ctx = fg_malloc_context();
	FgLaneCells cells;
	double		sum = 0;

	unit_case("means keep the sum");
	make_rows(MOST, 2);
	CHECK(fg_lane_cells_make(&ctx, rows, numbers, MOST, 2, 0, MOST, 77, &cells));
	CHECK(!cells.exact);
	CHECK_COUNT(cells.count, 77);
	for (uint32_t i = 0; i < 2 * cells.count; i++)
		sum += cells.height[i] * (cells.edges[i / 2 + 1] - cells.edges[i / 2]);
	for (uint32_t i = 0; i < MOST; i++)
		sum -= rows[i].value;
	CHECK(fabs(sum) < 1e-6);
	fg_lane_cells_free(&ctx, &cells);
}

typedef struct Sample
{
	uint32_t	n;
	uint32_t	nlanes;
	uint32_t	nseries;
} Sample;

static bool
draw_sample(FgContext *ctx, void *arg)
{
	static FgLane lanes[FG_MOST_LANES + 1];
	static FgLaneSeries series[FG_MOST_FILLED + 4];
	const Sample *sample = arg;
	FgLanes		all = {
		.name = TEXT("Timeline"), .lanes = lanes, .nlanes = sample->nlanes, .series = series,
		.nseries = sample->nseries, .rows = rows, .nrows = sample->n
	};
	FgPlotOptions options = fg_plot_defaults();
	FgBuffer	svg = {.ctx = ctx};
	bool		ok;

	for (uint32_t l = 0; l < sample->nlanes; l++)
		lanes[l] = (FgLane) {TEXT("<lane>"), TEXT("group"), 0, 10, l == 0 ? 100 : 0};
	for (uint32_t s = 0; s < sample->nseries; s++)
		series[s] = (FgLaneSeries) {TEXT("s"), s == 2 ? FG_LANE_LINE : FG_LANE_PART};
	ok = fg_lanes_svg(&all, &options, &svg);
	fg_release(ctx, svg.data);
	return ok;
}

static void
test_sweeps(void)
{
	Sample		sample = {20, 2, 3};

	make_rows(MOST, 3);
	unit_case("memory runs out");
	unit_sweep_memory("few", draw_sample, &sample);
	sample.n = MOST;
	unit_case("interrupts");
	unit_sweep_interrupts("many", draw_sample, &sample, 2);
}

static void
test_limits(void)
{
	FgContext	ctx = fg_malloc_context();
	Sample		sample = {0, FG_MOST_LANES, 3};

	unit_case("limits");
	CHECK(draw_sample(&ctx, &sample));
	sample.nlanes++;
	CHECK_ERROR(draw_sample(&ctx, &sample), &ctx, FG_ERROR_ARGUMENT);
	sample = (Sample) {0, 1, FG_MOST_FILLED + 1};
	CHECK(draw_sample(&ctx, &sample));
	sample.nseries++;
	CHECK_ERROR(draw_sample(&ctx, &sample), &ctx, FG_ERROR_ARGUMENT);
}

int
main(void)
{
	test_exact();
	test_means();
	test_sweeps();
	test_limits();
	return unit_finish();
}
