/*
 * fuzz_chart.c
 *	  Flame charts of samples made of the input's bytes, with hostile names.
 *
 * Properties: samples in any order make the same picture; tags match; every box lies within
 * the picture; as many boxes are drawn as the limit allows.
 */
#include "support.h"

#include "core/picture/chart.h"

#include <string.h>

#define MOST_SAMPLES 400

typedef struct Sample
{
	FgText		stack;
	FgText		thread;
	double		start;
	double		stop;
} Sample;

/* A text of the input's bytes, up to 15 of them. */
static FgText
take_text(FuzzInput *input)
{
	size_t		length = fuzz_byte(input) % 16;
	FgText		text = {(const char *) input->next, 0};

	while (text.length < length && input->next < input->end)
	{
		text.length++;
		input->next++;
	}
	return text;
}

static size_t
take_samples(FuzzInput *input, Sample *samples)
{
	size_t		count = 0;
	double		at = 0;

	while (count < MOST_SAMPLES && input->next < input->end)
	{
		Sample	   *sample = &samples[count++];

		at += fuzz_byte(input) / 16.0 - 2;
		sample->start = at;
		sample->stop = at + fuzz_byte(input) / 8.0;
		sample->stack = take_text(input);
		sample->thread = take_text(input);
		at = fuzz_byte(input) % 4 == 0 ? sample->start : sample->stop;
	}
	return count;
}

/* The picture of the samples from one end or the other; a stack that is none is left out. */
static bool
draw(FgContext *ctx, const Sample *samples, size_t count, bool backwards,
	 const FgChartOptions *options, FgBuffer *svg)
{
	FgChart		chart;
	bool		ok = fg_chart_begin(ctx, &chart);

	for (size_t i = 0; ok && i < count; i++)
	{
		const Sample *sample = &samples[backwards ? count - 1 - i : i];

		ok = fg_chart_add(&chart, sample->stack, sample->start, sample->stop, sample->thread) ||
			ctx->error.code == FG_ERROR_SYNTAX || ctx->error.code == FG_ERROR_ENCODING;
	}
	ok = ok && fg_chart_svg(&chart, options, svg) && fg_buffer_append(svg, "", 1);
	fg_chart_free(&chart);
	return ok;
}

/* Tags open and close; a box has a width, and lies below the last one's parent at the right edge. */
static void
require_boxes(const char *svg, const FgChartOptions *options)
{
	const char *end = strstr(svg, "<metadata>");
	uint32_t	boxes = 0;
	int			open = 0;

	for (const char *at = strchr(svg, '<'); at != NULL && at != end; at = strchr(at + 1, '<'))
	{
		const char *close = strchr(at, '>');
		double		x;
		double		y;
		double		width;

		REQUIRE(close != NULL);
		open += at[1] == '/' ? -1 : close[-1] == '/' ? 0 : 1;
		REQUIRE(open >= 0);
		boxes += strncmp(at, "<g class=\"f", 11) == 0;
		if (sscanf(at, "<rect x=\"%lf\" y=\"%lf\" width=\"%lf\"", &x, &y, &width) != 3)
			continue;
		REQUIRE(x >= 10 && width >= 0 && x + width <= options->look.width - 9.99);
	}
	REQUIRE(end != NULL || open == 0);
	REQUIRE(boxes <= options->look.max_boxes);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static Sample samples[MOST_SAMPLES];
	FuzzInput	input = {bytes, bytes + size};
	FgContext	ctx = fg_malloc_context();
	FgBuffer	svg[2] = {{.ctx = &ctx}, {.ctx = &ctx}};
	FgChartOptions options = fg_chart_defaults();
	unsigned	choice = fuzz_byte(&input);
	size_t		count;

	options.merge = choice % 2 == 0;
	options.max_gap = choice % 8 / 4;
	options.look.interactive = choice % 16 < 8;
	options.look.min_width = choice % 32 < 16 ? 0 : 3;
	options.look.max_boxes = choice % 64 < 32 ? 20000 : 5;
	options.has_from = choice >= 128;
	options.from = choice % 5;
	count = take_samples(&input, samples);
	if (draw(&ctx, samples, count, false, &options, &svg[0]))
	{
		REQUIRE(draw(&ctx, samples, count, true, &options, &svg[1]));
		REQUIRE(svg[0].size == svg[1].size && memcmp(svg[0].data, svg[1].data, svg[0].size) == 0);
		require_boxes((const char *) svg[0].data, &options);
	}
	fg_release(&ctx, svg[0].data);
	fg_release(&ctx, svg[1].data);
	return 0;
}
