/*
 * plot_change.c
 *	  Two models as a plot (see plot_change.h).
 *
 * Intervals are hatched, without a ground of their own, so that the curves stand out on them
 * as they do elsewhere: what became slower falls to the right, what became faster rises, and
 * what perhaps did has lines twice as far from each other.
 */
#include "core/plots/plot_change.h"

#include "core/plots/plot_curve.h"
#include "core/plots/plot_say.h"

#include <math.h>

static const FgText nothing = {NULL, 0};

/* By FgChangeVerdict; what has not changed, and what is unknown, has none. */
static const char *const textures_of[] = {
	NULL, "ch-maybe-slower", "ch-slower", "ch-maybe-faster", "ch-faster", NULL
};

static const FgTexture textures[] = {
	{"ch-maybe-slower", FG_NO_GROUND, 0xD6604D, 11, -45, 0, 0, 1, 11},
	{"ch-slower", FG_NO_GROUND, 0xD6604D, 5, -45, 0, 0, 1, 5},
	{"ch-maybe-faster", FG_NO_GROUND, 0x4393C3, 11, 45, 0, 0, 1, 11},
	{"ch-faster", FG_NO_GROUND, 0x4393C3, 5, 45, 0, 0, 1, 5}
};

#define TEXTURES (sizeof(textures) / sizeof(textures[0]))

static const FgLegendEntry legend[] = {
	{.label = "degradation", .fill = {0, "ch-slower"}, .swatch = true},
	{.label = "maybe_degradation", .fill = {0, "ch-maybe-slower"}, .swatch = true},
	{.label = "optimization", .fill = {0, "ch-faster"}, .swatch = true},
	{.label = "maybe_optimization", .fill = {0, "ch-maybe-faster"}, .swatch = true}
};

#define VERDICTS (FG_UNKNOWN + 1)

typedef struct Change
{
	FgContext  *ctx;
	const FgModelChange *given;
	FgPlotCurve curves[2];
	FgBuffer	names[2];
	FgLayer		layers[2];
	FgIntegralComparison all;
	FgIntegralComparison *parts;
	size_t		nparts;			/* merged */
	size_t		counts[VERDICTS];	/* of the parts before that */
	FgShade    *shades;
	FgSaid		said;			/* what shades point to */
	FgSaid		subtitle;
	FgSaid		footnote;
	FgSaid		description;
} Change;

/* --- comparison ---------------------------------------------------------------------- */

static bool
compare_curves(Change *c, const FgCurve *baseline, const FgCurve *target)
{
	const FgModelChange *g = c->given;

	if (!fg_integral_comparison(c->ctx, baseline, target, &g->thresholds, &c->all) ||
		!fg_integral_intervals(c->ctx, baseline, target, g->intervals, &g->thresholds, &c->parts,
							   &c->nparts))
		return false;
	for (size_t i = 0; i < c->nparts; i++)
	{
		c->counts[c->parts[i].result]++;
		if (!fg_check_every(c->ctx, i))
			return false;
	}
	return fg_integral_merge(c->ctx, c->parts, &c->nparts);
}

static bool
compare(Change *c)
{
	FgCurve		baseline;
	FgCurve		target;
	bool		ok;

	if (!fg_model_curve(c->ctx, c->given->baseline, &baseline))
		return false;
	ok = fg_model_curve(c->ctx, c->given->target, &target);
	if (ok)
	{
		ok = compare_curves(c, &baseline, &target);
		fg_curve_free(c->ctx, &target);
	}
	fg_curve_free(c->ctx, &baseline);
	return ok;
}

/* --- texts --------------------------------------------------------------------------- */

/* "+32 %", "from 0", "unknown" */
static void
say_error(FgSaid *said, double error)
{
	if (isnan(error))
		fg_say(said, "unknown");
	else if (isinf(error))
		fg_say(said, "from 0");
	else
	{
		fg_say(said, error < 0 ? "-" : "+");
		fg_say_value(said, fabs(error), (FgText) {"fraction", 8});
	}
}

/* Exactly; words for what is no number. */
static void
say_number(FgSaid *said, double value, const char *otherwise)
{
	if (isfinite(value))
		fg_say_exact(said, value);
	else
		fg_say(said, otherwise);
}

/* x from .. to, both integrals and the error, exactly. */
static void
say_part(FgSaid *said, const FgIntegralComparison *part)
{
	fg_say(said, fg_change_verdict_word(part->result));
	fg_say(said, ": x ");
	fg_say_exact(said, part->x_from);
	fg_say(said, " to ");
	fg_say_exact(said, part->x_to);
	fg_say(said, ", integral ");
	say_number(said, part->baseline_integral, "not defined");
	fg_say(said, " to ");
	say_number(said, part->target_integral, "not defined");
	fg_say(said, ", relative error ");
	say_number(said, part->relative_error, isnan(part->relative_error) ? "unknown" : "from 0");
}

static bool
make_shades(Change *c)
{
	size_t	   *ends = fg_alloc(c->ctx, 2 * c->nparts, sizeof(size_t));
	size_t		at = 0;
	bool		ok;

	c->shades = fg_alloc(c->ctx, c->nparts, sizeof(FgShade));
	ok = ends != NULL && c->shades != NULL;
	for (size_t i = 0; ok && i < c->nparts; i++)
	{
		say_error(&c->said, c->parts[i].relative_error);
		ends[2 * i] = c->said.text.size;
		say_part(&c->said, &c->parts[i]);
		ends[2 * i + 1] = c->said.text.size;
		ok = c->said.ok && fg_steps(c->ctx, 16);
	}
	/* the buffer does not move any more */
	for (size_t i = 0; ok && i < c->nparts; at = ends[2 * i + 1], i++)
	{
		const char *text = (const char *) c->said.text.data;
		const FgIntegralComparison *part = &c->parts[i];

		c->shades[i] = (FgShade) {
			.from = part->x_from, .to = part->x_to,
			.fill = {FG_NO_GROUND, textures_of[part->result]},
			.label = {text + at, ends[2 * i] - at},
			.title = {text + ends[2 * i], ends[2 * i + 1] - ends[2 * i]}
		};
		ok = fg_check_every(c->ctx, i);
	}
	fg_release(c->ctx, ends);
	return ok;
}

/* The verdict over all. */
static void
write_subtitle(Change *c)
{
	const FgIntegralComparison *all = &c->all;
	FgSaid	   *said = &c->subtitle;

	fg_say(said, fg_change_verdict_word(all->result));
	if (isnan(all->x_from))
	{
		fg_say(said, ": the models share no interval");
		return;
	}
	fg_say(said, ": integral ");
	if (isnan(all->relative_error))
		fg_say(said, "not defined");
	else
		say_error(said, all->relative_error);
	fg_say(said, " over x ");
	fg_say_value(said, all->x_from, nothing);
	fg_say(said, " to ");
	fg_say_value(said, all->x_to, nothing);
	if (isnan(all->confidence))
		return;
	fg_say(said, "; the smaller R\xC2\xB2 is ");
	fg_say_value(said, all->confidence, nothing);
}

static void
write_footnote(Change *c)
{
	static const FgText fraction = {"fraction", 8};
	FgSaid	   *said = &c->footnote;
	bool		first = true;

	if (!isnan(c->all.x_from))
	{
		fg_say_count(said, (uint64_t) c->given->intervals, "interval");
		for (int v = 0; v < VERDICTS; v++)
		{
			if (c->counts[v] == 0)
				continue;
			fg_say(said, first ? ": " : ", ");
			fg_say_exact(said, (double) c->counts[v]);
			fg_say(said, " ");
			fg_say(said, fg_change_verdict_word((FgChangeVerdict) v));
			first = false;
		}
		fg_say(said, ". ");
	}
	fg_say(said, "No change up to ");
	fg_say_value(said, c->given->thresholds.no_change, fraction);
	fg_say(said, ", maybe up to ");
	fg_say_value(said, c->given->thresholds.change, fraction);
	fg_say(said, "; numbers above: relative errors of the integrals");
}

static bool
write_texts(Change *c)
{
	write_subtitle(c);
	write_footnote(c);
	fg_say(&c->description, "Two models. ");
	if (isnan(c->all.x_from))
		fg_say_text(&c->description, fg_text_of(&c->subtitle.text));
	else
		say_part(&c->description, &c->all);
	fg_say(&c->description, ".");
	return c->subtitle.ok && c->footnote.ok && c->description.ok;
}

/* --- plot ---------------------------------------------------------------------------- */

static bool
make_layers(Change *c, FgScale scale)
{
	static const char *const sides[] = {"baseline: ", "target: "};
	const FgModel *models[] = {c->given->baseline, c->given->target};

	for (uint32_t side = 0; side < 2; side++)
	{
		FgPlotCurve *curve = &c->curves[side];

		if (!fg_plot_curve(c->ctx, models[side], scale, side, curve) ||
			!fg_text_put(&c->names[side], sides[side]) ||
			!fg_buffer_append(&c->names[side], curve->name.data, curve->name.size))
			return false;
		c->layers[side] = curve->layer;
		c->layers[side].name = fg_text_of(&c->names[side]);
	}
	return true;
}

static bool
draw(Change *c, const FgPlotOptions *options, FgBuffer *svg)
{
	FgPlot		plot = {
		.name = {"Models", 6}, .npanels = 1, .layers = c->layers, .nlayers = 2,
		.shades = c->shades, .nshades = c->nparts, .textures = textures, .ntextures = TEXTURES,
		.legend = legend, .nlegend = sizeof(legend) / sizeof(legend[0]),
		.subtitle = fg_text_of(&c->subtitle.text), .footnote = fg_text_of(&c->footnote.text),
		.description = fg_text_of(&c->description.text)
	};

	return fg_plot_svg(&plot, options, svg);
}

static void
release(Change *c)
{
	for (int side = 0; side < 2; side++)
	{
		fg_plot_curve_free(c->ctx, &c->curves[side]);
		fg_release(c->ctx, c->names[side].data);
	}
	fg_release(c->ctx, c->parts);
	fg_release(c->ctx, c->shades);
	fg_release(c->ctx, c->said.text.data);
	fg_release(c->ctx, c->subtitle.text.data);
	fg_release(c->ctx, c->footnote.text.data);
	fg_release(c->ctx, c->description.text.data);
}

bool
fg_model_change_svg(const FgModelChange *change, const FgPlotOptions *options, FgBuffer *svg)
{
	FgContext  *ctx = svg->ctx;
	Change		c = {
		.ctx = ctx, .given = change, .names = {{.ctx = ctx}, {.ctx = ctx}},
		.said = fg_say_begin(ctx), .subtitle = fg_say_begin(ctx), .footnote = fg_say_begin(ctx),
		.description = fg_say_begin(ctx)
	};
	bool		ok = compare(&c) && make_layers(&c, options->x_scale) && make_shades(&c) &&
		write_texts(&c) && draw(&c, options, svg);

	release(&c);
	return ok;
}
