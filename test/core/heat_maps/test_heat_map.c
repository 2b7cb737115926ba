/*
 * test_heat_map.c
 *	  Heat maps without a server: colours, scales, limits, what fails on the way.  Where cells
 *	  are and what they say is tested in SQL (075_heat_maps.pl).
 */
#include "groups.h"
#include "unit.h"

#include "core/heat_maps/heat_map_pairs.h"
#include "core/heat_maps/heat_map_profiles.h"
#include "core/svg/axis.h"

#include <math.h>

#define TEXT(words) {words, sizeof(words) - 1}

/* --- colours ------------------------------------------------------------------------- */

/* CIE L* of a colour, by its relative luminance (WCAG: contrast with black is 20 Y + 1). */
static double
lightness(FgColor color)
{
	double		y = (fg_contrast(color, 0) - 1) / 20;

	return y > 216.0 / 24389 ? 116 * cbrt(y) - 16 : y * 24389 / 27;
}

static void
test_colors(void)
{
	unit_case("text on every colour");
	for (int i = 0; i <= 1000; i++)
	{
		unit_note("share %d / 1000", i);
		for (int scale = 0; scale < 2; scale++)
		{
			FgColor		color = fg_heat_color((FgHeatScale) scale, i / 1000.0);

			CHECK(fg_contrast(color, fg_text_color(color)) >= 4.5);
		}
	}
	unit_case("nine steps of equal lightness, from light to dark");
	for (int i = 0; i <= 8; i++)
		CHECK(fabs(lightness(fg_heat_color(FG_HEAT_SEQUENTIAL, i / 8.0)) - (96 - 10 * i)) < 0.3);
	for (int i = 1; i <= 200; i++)
		CHECK(lightness(fg_heat_color(FG_HEAT_SEQUENTIAL, i / 200.0)) <
			  lightness(fg_heat_color(FG_HEAT_SEQUENTIAL, (i - 1) / 200.0)));
	unit_case("white in the middle, darker to both ends, as dark below as above");
	CHECK_COUNT(fg_heat_color(FG_HEAT_DIVERGING, 0.5), 0xFFFFFF);
	for (int i = 1; i <= 100; i++)
	{
		double		below = lightness(fg_heat_color(FG_HEAT_DIVERGING, 0.5 - i / 200.0));
		double		above = lightness(fg_heat_color(FG_HEAT_DIVERGING, 0.5 + i / 200.0));

		CHECK(below < lightness(fg_heat_color(FG_HEAT_DIVERGING, 0.5 - (i - 1) / 200.0)));
		CHECK(above < lightness(fg_heat_color(FG_HEAT_DIVERGING, 0.5 + (i - 1) / 200.0)));
		CHECK(fabs(below - above) < 7);
	}
	unit_case("beyond the ends");
	for (int scale = 0; scale < 2; scale++)
	{
		CHECK_COUNT(fg_heat_color((FgHeatScale) scale, -1),
					fg_heat_color((FgHeatScale) scale, 0));
		CHECK_COUNT(fg_heat_color((FgHeatScale) scale, 1.5),
					fg_heat_color((FgHeatScale) scale, 1));
	}
}

/* The white of a diverging scale is at 0, because its ends are as far away. */
static void
test_middle(void)
{
	FgContext	ctx = fg_malloc_context();
	UnitRandom	random = {7};

	unit_case("0 is in the middle");
	for (int i = 0; i < 2000; i++)
	{
		double		end = ldexp(1 + (double) unit_below(&random, 1000000) / 1e6,
								(int) unit_below(&random, 600) - 300);
		FgAxis		axis;

		unit_note("%g", end);
		CHECK(fg_axis_make(&ctx, FG_SCALE_LINEAR, -end, end, 1, &axis));
		CHECK_NEAR(fg_axis_share(&axis, 0), 0.5, 1e-12);
	}
}

/* --- rows ---------------------------------------------------------------------------- */

#define MOST 20001

static FgText columns[MOST];
static FgText lines[MOST];
static double values[MOST];
static char texts[MOST][12];
static FgHeatPairs pairs = {.columns = columns, .lines = lines, .values = values};
static FgHeatOptions options;

static FgText
text_of(uint32_t number)
{
	return (FgText) {texts[number], (size_t) snprintf(texts[number], sizeof(texts[0]), "t%u", number)};
}

/* n rows of so many lines. */
static void
make_rows(uint32_t n, uint32_t nlines)
{
	options = fg_heat_defaults();
	pairs.n = n;
	for (uint32_t i = 0; i < n; i++)
	{
		columns[i] = text_of(i / nlines);
		lines[i] = text_of(i % nlines);
		values[i] = i % 7 == 3 ? NAN : (double) (i * 7919 % 1009) - 100;
	}
}

static bool
draw_rows(FgContext *ctx, void *arg)
{
	FgBuffer	svg = {.ctx = ctx};
	bool		ok = fg_heat_pairs_svg(&pairs, &options, &svg);

	(void) arg;
	fg_release(ctx, svg.data);
	return ok;
}

static void
test_sweeps(void)
{
	static char long_name[5000];

	make_rows(60, 5);
	memset(long_name, 'x', sizeof(long_name));
	lines[1] = lines[6] = (FgText) {long_name, sizeof(long_name)};
	columns[3] = (FgText) TEXT("</title>\x01");
	options.unit = (FgText) TEXT("seconds");
	unit_case("memory runs out: rows");
	unit_sweep_memory("rows", draw_rows, NULL);
	make_rows(MOST, 3);
	unit_case("interrupts");
	unit_sweep_interrupts("rows", draw_rows, NULL, 2);
}

static void
test_limits(void)
{
	FgContext	ctx = fg_malloc_context();

	unit_case("limits");
	make_rows(FG_HEAT_MOST_LINES + 1, FG_HEAT_MOST_LINES + 1);
	CHECK_ERROR(draw_rows(&ctx, NULL), &ctx, FG_ERROR_ARGUMENT);
	make_rows(FG_HEAT_MOST_LINES, FG_HEAT_MOST_LINES);
	CHECK(draw_rows(&ctx, NULL));
	make_rows(2 * FG_HEAT_MOST_LINES, FG_HEAT_MOST_LINES);
	for (uint32_t i = 0; i < FG_HEAT_MOST_LINES; i++)
		columns[i] = text_of(2 + i % 150);
	CHECK_ERROR(draw_rows(&ctx, NULL), &ctx, FG_ERROR_LIMIT);
	make_rows(10, 2);
	values[4] = 1e200;
	CHECK(draw_rows(&ctx, NULL));
	values[4] = -1.1e200;
	CHECK_ERROR(draw_rows(&ctx, NULL), &ctx, FG_ERROR_RANGE);
	unit_case("a pair that comes twice");
	make_rows(10, 2);
	columns[7] = columns[3];
	CHECK_ERROR(draw_rows(&ctx, NULL), &ctx, FG_ERROR_ARGUMENT);
	CHECK(strstr(ctx.error.reason, "elements 4 and 8") != NULL);
	unit_case("sums of large numbers");
	make_rows(2000, 1);
	for (int i = 0; i < 2000; i++)
		values[i] = i % 2 == 0 ? 1e200 : -1e200;
	CHECK(draw_rows(&ctx, NULL));
}

static char *
svg_of_rows(FgContext *ctx)
{
	FgBuffer	svg = {.ctx = ctx};

	CHECK(fg_heat_pairs_svg(&pairs, &options, &svg) && fg_buffer_append(&svg, "", 1));
	return (char *) svg.data;
}

static void
test_identity(void)
{
	FgContext	ctx = fg_malloc_context();
	char	   *first;
	char	   *again;
	char	   *other;

	unit_case("same numbers, same bytes; others have another id");
	make_rows(20, 2);
	first = svg_of_rows(&ctx);
	again = svg_of_rows(&ctx);
	CHECK(strcmp(first, again) == 0);
	values[5] += 1e-9;
	other = svg_of_rows(&ctx);
	CHECK(memcmp(strstr(first, "id=\"fg"), strstr(other, "id=\"fg"), 14) != 0);
	fg_release(&ctx, first);
	fg_release(&ctx, again);
	fg_release(&ctx, other);
}

/* --- profiles ------------------------------------------------------------------------ */

typedef struct Runs
{
	Groups		groups;
	FgHeatRuns	runs;
	uint32_t	column[8];
	FgText		labels[9];
} Runs;

static void
make_runs(Runs *r, FgLevel level, uint32_t max_rows)
{
	static const char *const before[] = {
		"main;a 5\nmain;b;a 2\nb 1\n", "main;a 1\nc;d\\;e 9\n", "", "main;a -3\nx 4\n", NULL
	};
	static const char *const after[] = {NULL};

	groups_of_texts(&r->groups, before, after);
	for (uint32_t i = 0; i < 9; i++)
		r->labels[i] = text_of(i);
	for (uint32_t i = 0; i < 4; i++)
		r->column[i] = 2 * i;
	r->runs = (FgHeatRuns) {
		.profiles = r->groups.profiles[0], .column = r->column, .labels = r->labels, .count = 9,
		.level = level, .max_rows = max_rows, .memory = FG_KEPT_MEMORY
	};
	options = fg_heat_defaults();
}

static bool
draw_runs(FgContext *ctx, void *arg)
{
	Runs	   *r = arg;
	FgBuffer	svg = {.ctx = ctx};
	bool		ok = fg_heat_runs_svg(&r->runs, &options, &svg);

	fg_release(ctx, svg.data);
	return ok;
}

/* Profiles that count how often they are read. */
typedef struct CountedReads
{
	FgProfiles	of;
	unsigned	reads;
} CountedReads;

static bool
read_counted(FgContext *ctx, void *arg, size_t i, FgTree *profile)
{
	CountedReads *counted = arg;

	counted->reads++;
	return counted->of.read(ctx, counted->of.arg, i, profile);
}

static unsigned
reads_with(FgContext *ctx, Runs *r, size_t memory)
{
	CountedReads counted = {r->groups.profiles[0], 0};

	r->runs.profiles = (FgProfiles) {read_counted, &counted, counted.of.count};
	r->runs.memory = memory;
	CHECK(draw_runs(ctx, r));
	return counted.reads;
}

static char *
svg_of_runs(FgContext *ctx, const Runs *r)
{
	FgBuffer	svg = {.ctx = ctx};

	CHECK(fg_heat_runs_svg(&r->runs, &options, &svg) && fg_buffer_append(&svg, "", 1));
	return (char *) svg.data;
}

static void
test_runs(void)
{
	FgContext	ctx = fg_malloc_context();
	Runs		r;

	for (int level = 0; level < FG_LEVELS; level++)
	{
		char	   *kept;
		char	   *again;

		make_runs(&r, (FgLevel) level, 3);
		unit_case("memory runs out: level %s", fg_level_word((FgLevel) level));
		unit_sweep_memory("runs", draw_runs, &r);
		unit_case("values that are not kept: level %s", fg_level_word((FgLevel) level));
		kept = svg_of_runs(&ctx, &r);
		r.runs.memory = 0;
		again = svg_of_runs(&ctx, &r);
		CHECK(strcmp(kept, again) == 0);
		unit_sweep_memory("runs read twice", draw_runs, &r);
		unit_case("profiles are read once where there is room: level %s", fg_level_word((FgLevel) level));
		CHECK_COUNT(reads_with(&ctx, &r, FG_KEPT_MEMORY), 4);
		CHECK_COUNT(reads_with(&ctx, &r, 0), 12);
		fg_release(&ctx, kept);
		fg_release(&ctx, again);
		groups_free(&r.groups);
	}
}

/* Squares of such numbers are beyond what a double holds, and their order is not. */
static void
test_squares(void)
{
	static const char *const before[] = {
		"a 3e-200\nb 4e-200\nc 1e-300\nd 1e199\n", "a 4e-200\nb 2.9e-200\nd -9e198\ne 1e199\n", NULL
	};
	static const char *const after[] = {NULL};
	FgContext	ctx = fg_malloc_context();
	Runs		r;
	char	   *svg;
	const char *at;

	unit_case("sums of squares that no double holds");
	make_runs(&r, FG_LEVEL_SELF, 9);
	groups_free(&r.groups);
	groups_of_texts(&r.groups, before, after);
	r.runs.profiles = r.groups.profiles[0];
	svg = svg_of_runs(&ctx, &r);
	at = svg;
	for (const char *name = "deabc"; *name != '\0' && at != NULL; name++)
	{
		char		text[] = ">?</text>";

		text[1] = *name;
		at = strstr(at, text);
		CHECK(at != NULL);
	}
	fg_release(&ctx, svg);
	groups_free(&r.groups);
}

int
main(void)
{
	test_colors();
	test_middle();
	test_sweeps();
	test_limits();
	test_identity();
	test_runs();
	test_squares();
	return unit_finish();
}
