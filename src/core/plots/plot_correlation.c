/*
 * plot_correlation.c
 *	  Correlations as a plot (see plot_correlation.h).
 */
#include "core/plots/plot_correlation.h"

#include "core/plots/plot_say.h"
#include "core/svg/units.h"

#include <math.h>

typedef struct Correlation
{
	FgContext  *ctx;
	const FgCorrelationPlot *given;
	size_t		points;
	FgText	   *headings;
	FgText	   *facts;
	FgLayer    *layers;
	FgSaid		said;			/* what facts point to */
	FgSaid		x_label;
	FgSaid		subtitle;
	FgSaid		footnote;
	FgSaid		description;
} Correlation;

/* --- texts --------------------------------------------------------------------------- */

/* Three decimals: more say nothing of so few runs, and have no room. */
static void
say_coefficient(FgSaid *said, const char *name, double value)
{
	char		number[FG_UNITS_SIZE];
	double		rounded = round(value * 1000) / 1000 + 0.0;

	fg_say(said, name);
	fg_say(said, " ");
	if (isnan(value))
		fg_say(said, "none");
	else
		said->ok = said->ok &&
			fg_buffer_append(&said->text, number, fg_units_rounded(rounded, 3, number));
}

/* "r 0.953, ρ 0.945, n 20": as short as a small panel is narrow. */
static bool
write_facts(Correlation *c)
{
	size_t		ends[FG_MOST_PANELS];
	size_t		at = 0;

	for (size_t p = 0; p < c->given->npanels; p++)
	{
		const FgCorrelationPanel *panel = &c->given->panels[p];

		say_coefficient(&c->said, "r", panel->pearson);
		say_coefficient(&c->said, ", \xCF\x81", panel->spearman);
		fg_say(&c->said, ", n ");
		fg_say_exact(&c->said, (double) panel->n);
		ends[p] = c->said.text.size;
		c->points += panel->n;
		if (!c->said.ok || !fg_steps(c->ctx, 16))
			return false;
	}
	for (size_t p = 0; p < c->given->npanels; at = ends[p++])
	{
		c->headings[p] = c->given->panels[p].benchmark;
		c->facts[p] = (FgText) {(const char *) c->said.text.data + at, ends[p] - at};
	}
	return true;
}

static void
write_subtitle(Correlation *c)
{
	const FgCorrelationScore *score = &c->given->score;
	FgSaid	   *said = &c->subtitle;

	if (c->given->npanels == 0)
		return;
	fg_say_text(said, c->given->frame);
	if (score->benchmarks == 0)
	{
		fg_say(said, ": no benchmark has three runs with it");
		return;
	}
	say_coefficient(said, score->benchmarks == 1 ? ": Pearson" : ": mean of Pearson", score->score);
	fg_say(said, " over ");
	fg_say_count(said, score->n, "run");
	if (score->benchmarks == 1)
		return;
	fg_say(said, " of ");
	fg_say_count(said, score->benchmarks, "benchmark");
}

static void
write_footnote(Correlation *c)
{
	FgSaid	   *said = &c->footnote;

	if (c->given->npanels == 0)
		fg_say(said, "nothing to draw");
	else
		fg_say_count(said, c->points, "run");
	if (c->given->missing > 0)
	{
		fg_say(said, "; ");
		fg_say_exact(said, (double) c->given->missing);
		fg_say(said, " dropped (no metric)");
	}
	if (c->given->without > 0)
	{
		fg_say(said, "; ");
		fg_say_exact(said, (double) c->given->without);
		fg_say(said, " left out (without the function)");
	}
	if (c->given->npanels > 0)
		fg_say(said, "\nr: Pearson's coefficient, \xCF\x81: Spearman's (Pearson's of the ranks), n: runs");
}

static void
write_description(Correlation *c)
{
	FgSaid	   *said = &c->description;

	fg_say(said, "Correlation of a function and its runs, ");
	fg_say_count(said, c->points, "run");
	fg_say(said, " in ");
	fg_say_count(said, c->given->npanels, "panel");
	fg_say(said, ".");
	for (size_t p = 0; p < c->given->npanels; p++)
	{
		const FgCorrelationPanel *panel = &c->given->panels[p];

		if (isnan(panel->pearson))
			continue;
		fg_say(said, " ");
		fg_say_exact(said, panel->pearson);
		fg_say(said, " and ");
		fg_say_exact(said, panel->spearman);
		fg_say(said, p + 1 < c->given->npanels ? ";" : ".");
	}
}

static bool
write_texts(Correlation *c)
{
	fg_say_text(&c->x_label, c->given->level);
	fg_say(&c->x_label, " of ");
	fg_say_text(&c->x_label, c->given->frame);
	if (!write_facts(c))
		return false;
	write_subtitle(c);
	write_footnote(c);
	write_description(c);
	return c->x_label.ok && c->subtitle.ok && c->footnote.ok && c->description.ok;
}

/* --- plot ---------------------------------------------------------------------------- */

static bool
has_names(const Correlation *c)
{
	return c->given->npanels > 0 && c->given->panels[0].benchmark.bytes != NULL;
}

static bool
draw(Correlation *c, FgPlotOptions options, FgBuffer *svg)
{
	size_t		count = c->given->npanels;
	FgPlot		plot = {
		.name = {"Correlation", 11}, .panels = has_names(c) ? c->headings : NULL,
		.facts = count == 0 ? NULL : c->facts,
		.npanels = count == 0 ? 1 : (uint32_t) count, .layers = c->layers, .nlayers = count,
		.subtitle = fg_text_of(&c->subtitle.text), .footnote = fg_text_of(&c->footnote.text),
		.description = fg_text_of(&c->description.text)
	};

	for (size_t p = 0; p < count; p++)
	{
		const FgCorrelationPanel *panel = &c->given->panels[p];

		c->layers[p] = (FgLayer) {
			.mark = FG_MARK_POINTS, .panel = (uint32_t) p, .n = panel->n, .x = panel->x,
			.y = panel->y
		};
	}
	if (options.x_label.bytes == NULL)
		options.x_label = fg_text_of(&c->x_label.text);
	if (options.y_label.bytes == NULL)
		options.y_label = (FgText) {"metric of the run", 17};
	return fg_plot_svg(&plot, &options, svg);
}

bool
fg_correlation_svg(const FgCorrelationPlot *given, const FgPlotOptions *options, FgBuffer *svg)
{
	FgContext  *ctx = svg->ctx;
	Correlation c = {
		.ctx = ctx, .given = given, .said = fg_say_begin(ctx), .x_label = fg_say_begin(ctx),
		.subtitle = fg_say_begin(ctx), .footnote = fg_say_begin(ctx),
		.description = fg_say_begin(ctx)
	};
	bool		ok;

	if (given->npanels > FG_MOST_PANELS)
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, "Draw several plots.",
						  "a plot has at most %d panels, not %zu", FG_MOST_PANELS, given->npanels);
	c.headings = fg_alloc(ctx, given->npanels, sizeof(FgText));
	c.facts = fg_alloc(ctx, given->npanels, sizeof(FgText));
	c.layers = fg_alloc(ctx, given->npanels, sizeof(FgLayer));
	ok = c.headings != NULL && c.facts != NULL && c.layers != NULL && write_texts(&c) &&
		draw(&c, *options, svg);
	fg_release(ctx, c.headings);
	fg_release(ctx, c.facts);
	fg_release(ctx, c.layers);
	fg_release(ctx, c.said.text.data);
	fg_release(ctx, c.x_label.text.data);
	fg_release(ctx, c.subtitle.text.data);
	fg_release(ctx, c.footnote.text.data);
	fg_release(ctx, c.description.text.data);
	return ok;
}
