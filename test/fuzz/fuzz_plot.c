/*
 * fuzz_plot.c
 *	  Plots and trends of numbers and texts made of the input's bytes.
 *
 * Properties: what is drawn is text of XML with elements of ours only and tags that match; each
 * number of a place is finite and no text is far from the picture; a second drawing is the same.
 */
#include "markup.h"
#include "support.h"

#include "core/plots/plot_rows.h"
#include "core/plots/plot_trend.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MOST 80

typedef struct Columns
{
	size_t		n;
	double		x[MOST];
	double		y[MOST];
	double		lower[MOST];
	double		upper[MOST];
	FgText		series[MOST];
	FgText		panels[MOST];
	size_t		changes[MOST];
	FgFinding	findings[MOST];
} Columns;

/* Small numbers, those in which sums and scales go wrong, and any bits. */
static double
take_number(FuzzInput *input)
{
	static const double special[] = {0, -0.0, NAN, DBL_MIN, 5e-324, 1e-200, 1e200, -1e200, 1e199,
		1e15, 0.1, 1e9, -1e9, 253402300799, -62135596800, 86400};
	unsigned	kind = fuzz_byte(input);
	uint64_t	bits = 0;
	double		number;

	if (kind < 160)
		return (double) kind - 40;
	if (kind < 200)
		return special[kind % (sizeof(special) / sizeof(special[0]))];
	if (kind < 230)
		return fuzz_byte(input) * pow(10, fuzz_byte(input) % 40 - 20.0);
	for (int i = 0; i < 8; i++)
		bits = bits << 8 | fuzz_byte(input);
	memcpy(&number, &bits, sizeof(number));
	/* the glue refuses what is infinite */
	return isinf(number) ? NAN : number;
}

static FgText
take_text(FuzzInput *input)
{
	size_t		length = fuzz_byte(input) % 32;
	FgText		text = {(const char *) input->next, 0};

	while (text.length < length && input->next < input->end)
	{
		text.length++;
		input->next++;
	}
	return text;
}

static void
take_columns(FuzzInput *input, unsigned given, Columns *c)
{
	for (c->n = 0; c->n < MOST && input->next < input->end; c->n++)
	{
		size_t		i = c->n;

		c->x[i] = take_number(input);
		c->y[i] = take_number(input);
		c->lower[i] = given & 1 ? take_number(input) : 0;
		c->upper[i] = given & 1 ? take_number(input) : 0;
		/* few of them, so that rows share theirs */
		c->series[i] = given & 2 && i % 4 == 0 ? take_text(input) :
			i > 0 ? c->series[i - 1] : (FgText) {"", 0};
		c->panels[i] = given & 4 && i % 8 == 0 ? take_text(input) :
			i > 0 ? c->panels[i - 1] : (FgText) {"", 0};
	}
}

static FgPlotOptions
take_options(FuzzInput *input)
{
	FgPlotOptions o = fg_plot_defaults();
	unsigned	flags = fuzz_byte(input);

	o.width = 200 + 8 * fuzz_byte(input);
	o.height = 100 + 4 * fuzz_byte(input);
	o.columns = fuzz_byte(input) % 5;
	o.x_scale = flags & 1 ? FG_SCALE_LOG : FG_SCALE_LINEAR;
	o.y_scale = flags & 2 ? FG_SCALE_LOG : FG_SCALE_LINEAR;
	o.y_zero = (flags & 6) == 4;
	o.grid = flags & 8;
	o.legend = flags & 16;
	o.free_y = flags & 32;
	o.theme = (FgTheme) (flags / 64 % 3);
	o.title = take_text(input);
	o.subtitle = take_text(input);
	o.notes = take_text(input);
	o.x_label = take_text(input);
	o.y_label = take_text(input);
	o.unit = take_text(input);
	return o;
}

/* Numbers of places are plain, and a text begins within the picture or beside its edge. */
static void
require_places(const char *svg, size_t size, const FgPlotOptions *o)
{
	const char *end = svg + size;

	for (const char *at = svg; at + 6 < end; at++)
	{
		double		x;

		if (memcmp(at, "<text ", 6) == 0 && sscanf(at, "<text x=\"%lf\"", &x) == 1)
			REQUIRE(x >= -1 && x <= o->width + 1);
		if (*at == '<' && at[1] != '/')
			REQUIRE(sscanf(at, "<%*[a-z] x=\"%lf", &x) != 1 || fabs(x) < 1e5);
	}
}

static bool
draw(const Columns *c, unsigned given, const FgPlotOptions *o, FgBuffer *svg)
{
	if (given & 8)
	{
		FgTrend		trend = {.n = c->n, .start = given & 16 ? c->x : NULL, .y = c->y,
			.mean = given & 64 ? c->lower : NULL, .lower = given & 1 ? c->lower : NULL,
			.upper = given & 1 ? c->upper : NULL, .window = 2 + given % 7, .k = 1 + given % 3,
			.labels = given & 2 ? c->series : NULL, .panels = given & 4 ? c->panels : NULL,
			.changes = c->changes, .nchanges = given & 32 ? c->n / 3 : 0,
			.findings = c->findings, .nfindings = given & 32 ? c->n / 2 : 0};

		return fg_trend_svg(&trend, o, svg);
	}
	return fg_plot_rows_svg(&(FgPlotRows) {.n = c->n, .x = c->x, .y = c->y,
							.lower = given & 1 ? c->lower : NULL,
							.upper = given & 1 ? c->upper : NULL,
							.series = given & 2 ? c->series : NULL,
							.panels = given & 4 ? c->panels : NULL,
							.mark = (FgMark) (given / 16 % 4)}, o, svg);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static Columns columns;
	FgContext	ctx = fuzz_context();
	FuzzInput	input = {data, data + size};
	unsigned	given = fuzz_byte(&input);
	FgPlotOptions options = take_options(&input);
	FgBuffer	svg[2] = {{.ctx = &ctx}, {.ctx = &ctx}};

	take_columns(&input, given, &columns);
	for (size_t i = 0; i < columns.n; i++)
	{
		columns.changes[i] = i * 7 % columns.n;
		columns.findings[i] = (FgFinding) {i * 5 % columns.n, columns.series[i],
			columns.panels[i]};
	}
	if (draw(&columns, given, &options, &svg[0]))
	{
		fuzz_require_svg((const char *) svg[0].data, svg[0].size);
		require_places((const char *) svg[0].data, svg[0].size, &options);
		if (draw(&columns, given, &options, &svg[1]))
			REQUIRE(svg[0].size == svg[1].size &&
					memcmp(svg[0].data, svg[1].data, svg[0].size) == 0);
	}
	else
		REQUIRE(ctx.error.code == FG_ERROR_MEMORY || ctx.error.code == FG_ERROR_ARGUMENT ||
				ctx.error.code == FG_ERROR_RANGE || ctx.error.code == FG_ERROR_LIMIT);
	fg_release(&ctx, svg[0].data);
	fg_release(&ctx, svg[1].data);
	fuzz_finish();
	return 0;
}
