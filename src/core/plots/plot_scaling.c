/*
 * plot_scaling.c
 *	  Speed-ups as a plot (see plot_scaling.h).
 */
#include "core/plots/plot_scaling.h"

#include "core/base/series.h"
#include "core/models/amdahl.h"
#include "core/models/detection.h"
#include "core/plots/plot_curve.h"
#include "core/plots/plot_say.h"
#include "core/svg/units.h"

#include <math.h>

#define MEASURED_STYLE	0
#define LAW_STYLE		1

/* The ideal, the law, what was measured. */
#define LAYERS 3

static const FgText fraction = {"fraction", 8};
static const FgText nothing = {NULL, 0};

typedef struct Scaling
{
	FgContext  *ctx;
	const FgScaling *given;
	FgPlotOptions options;
	size_t		groups;			/* numbers of workers */
	size_t	   *first;			/* by group, groups + 1: its first pair */
	double	   *numbers;		/* by group: workers, speed-up, lower, upper; then mean time */
	double		base;			/* workers that speed-ups are against */
	double		base_time;
	double		top;			/* the largest speed-up, measured or ideal */
	bool		several;		/* times of one number of workers */
	FgAmdahl	law;
	size_t		drawn;			/* places of the law within the picture */
	double		ideal[2][FG_CURVE_PLACES];	/* x and y */
	double		curve[2][FG_CURVE_PLACES];
	size_t		straight;		/* places of the ideal: 2 where it is a straight line */
	FgText	   *more;
	FgLayer		layers[LAYERS];
	FgSaid		said;			/* what more points to */
	FgSaid		name;			/* of the law */
	FgSaid		y_label;
	FgSaid		subtitle;
	FgSaid		footnote;
	FgSaid		description;
} Scaling;

/* --- speed-ups ----------------------------------------------------------------------- */

static bool
find_groups(Scaling *s)
{
	const FgScaling *g = s->given;

	s->first = fg_alloc(s->ctx, g->n + 1, sizeof(size_t));
	if (s->first == NULL)
		return false;
	for (size_t i = 0; i < g->n; i++)
	{
		if (i == 0 || g->workers[i] > g->workers[i - 1])
			s->first[s->groups++] = i;
		if (!fg_check_every(s->ctx, i))
			return false;
	}
	s->first[s->groups] = g->n;
	return true;
}

/* One worker, else the fewest. */
static size_t
base_group(const Scaling *s)
{
	for (size_t k = 0; k < s->groups; k++)
	{
		if (s->given->workers[s->first[k]] == 1)
			return k;
	}
	return 0;
}

/* A ratio that a double cannot hold has no place anywhere. */
static bool
find_speedup(Scaling *s, size_t k)
{
	const double *times = s->given->times;
	size_t		from = s->first[k];
	size_t		to = s->first[k + 1];
	double	   *x = s->numbers;
	double	   *y = x + s->groups;
	double	   *lower = y + s->groups;
	double	   *upper = lower + s->groups;
	double		mean = upper[s->groups + k];

	x[k] = s->given->workers[from];
	y[k] = s->base_time / mean;
	lower[k] = s->base_time / times[to - 1];
	upper[k] = s->base_time / times[from];
	if (!isnormal(lower[k]) || !isnormal(upper[k]))
		return fg_fail(s->ctx, FG_ERROR_RANGE, "a time of %g cannot be compared with %g",
					   isnormal(lower[k]) ? times[from] : times[to - 1], s->base_time);
	s->top = fmax(s->top, fmax(upper[k], x[k] / s->base));
	s->several = s->several || to - from > 1;
	if (to - from == 1)
		lower[k] = upper[k] = NAN;
	return true;
}

static bool
find_speedups(Scaling *s)
{
	double	   *mean;
	size_t		base;

	s->numbers = fg_alloc(s->ctx, 5 * s->groups, sizeof(double));
	if (s->numbers == NULL)
		return false;
	mean = s->numbers + 4 * s->groups;
	for (size_t k = 0; k < s->groups; k++)
	{
		size_t		count = s->first[k + 1] - s->first[k];

		mean[k] = fg_mean(s->given->times + s->first[k], count);
		if (!fg_steps(s->ctx, count))
			return false;
	}
	if (s->groups == 0)
		return true;
	base = base_group(s);
	s->base = s->given->workers[s->first[base]];
	s->base_time = mean[base];
	for (size_t k = 0; k < s->groups; k++)
	{
		if (!find_speedup(s, k) || !fg_check_every(s->ctx, k))
			return false;
	}
	return true;
}

/* --- the law ------------------------------------------------------------------------- */

/* Least squares are those of all times, not of their means. */
static bool
find_law(Scaling *s)
{
	size_t		n = s->given->n;
	double	   *relative;
	bool		ok;

	s->law = (FgAmdahl) {.fixed = NAN, .serial = NAN};
	if (s->groups < FG_LEAST_SCALES)
		return true;
	relative = fg_alloc(s->ctx, n, sizeof(double));
	ok = relative != NULL;
	for (size_t i = 0; ok && i < n; i++)
	{
		relative[i] = s->given->times[i] / s->base_time;
		ok = fg_check_every(s->ctx, i);
	}
	ok = ok && fg_amdahl_fit(s->ctx, s->given->workers, relative, n, s->base, &s->law);
	fg_release(s->ctx, relative);
	return ok;
}

/* Equally far from each other on the picture. */
static double
place_at(const Scaling *s, size_t i, size_t places)
{
	double		lo = s->numbers[0];
	double		hi = s->numbers[s->groups - 1];

	if (s->options.x_scale != FG_SCALE_LOG || i == 0 || i == places - 1)
		return fg_spaced(lo, hi, i, places - 1);
	return exp(fg_spaced(log(lo), log(hi), i, places - 1));
}

/* A law with a negative share goes up to infinity: its curve ends where the picture does. */
static void
fill_curves(Scaling *s)
{
	s->straight = s->options.x_scale == s->options.y_scale ? 2 : FG_CURVE_PLACES;
	for (size_t i = 0; s->groups > 0 && i < FG_CURVE_PLACES; i++)
	{
		double		y;

		if (i < s->straight)
		{
			s->ideal[0][i] = place_at(s, i, s->straight);
			s->ideal[1][i] = s->ideal[0][i] / s->base;
		}
		s->curve[0][i] = place_at(s, i, FG_CURVE_PLACES);
		y = fg_amdahl_speedup(&s->law, s->curve[0][i]);
		s->curve[1][i] = y <= s->top * (1 + 1e-9) ? y : NAN;
		s->drawn += !isnan(s->curve[1][i]);
	}
}

static bool
has_law(const Scaling *s)
{
	return !isnan(s->law.fixed);
}

static bool
is_within(const Scaling *s)
{
	return s->law.serial >= 0 && s->law.serial <= 1;
}

/* --- texts --------------------------------------------------------------------------- */

/* "1 worker", "2.5 workers" */
static void
say_workers(FgSaid *said, double workers)
{
	fg_say_exact(said, workers);
	fg_say(said, workers == 1 ? " worker" : " workers");
}

static double
efficiency_of(const Scaling *s, size_t k)
{
	return s->numbers[s->groups + k] / (s->numbers[k] / s->base);
}

static void
say_more(const Scaling *s, FgSaid *said, size_t k)
{
	size_t		count = s->first[k + 1] - s->first[k];

	fg_say(said, "efficiency ");
	fg_say_value(said, efficiency_of(s, k), fraction);
	fg_say(said, " (");
	fg_say_exact(said, efficiency_of(s, k));
	fg_say(said, "); ");
	if (count > 1)
	{
		fg_say_count(said, count, "time");
		fg_say(said, ", mean ");
	}
	else
		fg_say(said, "time ");
	fg_say_exact(said, s->numbers[4 * s->groups + k]);
	if (s->given->unit.length > 0)
		fg_say(said, " ");
	fg_say_text(said, s->given->unit);
}

static bool
write_more(Scaling *s)
{
	size_t	   *ends = fg_alloc(s->ctx, s->groups, sizeof(size_t));
	size_t		at = 0;
	bool		ok;

	s->more = fg_alloc(s->ctx, s->groups, sizeof(FgText));
	ok = ends != NULL && s->more != NULL;
	for (size_t k = 0; ok && k < s->groups; k++)
	{
		say_more(s, &s->said, k);
		ends[k] = s->said.text.size;
		ok = s->said.ok && fg_steps(s->ctx, 16);
	}
	/* the buffer does not move any more */
	for (size_t k = 0; ok && k < s->groups; at = ends[k++])
	{
		s->more[k] = (FgText) {(const char *) s->said.text.data + at, ends[k] - at};
		ok = fg_check_every(s->ctx, k);
	}
	fg_release(s->ctx, ends);
	return ok;
}

static void
write_name(Scaling *s)
{
	fg_say(&s->name, "Amdahl's law, serial share ");
	if (isnan(s->law.serial))
		fg_say(&s->name, "not defined");
	else
		fg_say_value(&s->name, s->law.serial, fraction);
	if (!isnan(s->law.r_square))
	{
		char		number[FG_UNITS_SIZE];

		fg_say(&s->name, ", R\xC2\xB2 = ");
		s->name.ok = s->name.ok &&
			fg_buffer_append(&s->name.text, number, fg_units_rounded(s->law.r_square, 4, number));
	}
}

/* The verdict: how far it went, and how far it can go. */
static void
write_subtitle(Scaling *s)
{
	FgSaid	   *said = &s->subtitle;
	size_t		last = s->groups - 1;

	if (s->groups == 0)
		return;
	say_workers(said, s->numbers[last]);
	fg_say(said, ": speed-up ");
	fg_say_value(said, s->numbers[s->groups + last], nothing);
	fg_say(said, ", efficiency ");
	fg_say_value(said, efficiency_of(s, last), fraction);
	if (!has_law(s) || !is_within(s))
		return;
	fg_say(said, "; serial share ");
	fg_say_value(said, s->law.serial, fraction);
	if (s->law.fixed > 0)
	{
		fg_say(said, ", so at most ");
		fg_say_value(said, 1 / s->law.fixed, nothing);
	}
}

/* What a share that is none means. */
static void
say_outside(const Scaling *s, FgSaid *said)
{
	if (s->law.fixed < 0)
		fg_say(said, "; outside of 0 to 1: more workers are faster than their number explains");
	else
		fg_say(said, "; outside of 0 to 1: more workers take longer");
	if (s->drawn < FG_CURVE_PLACES)
		fg_say(said, ". Its curve ends where it leaves the picture");
}

static void
say_law(const Scaling *s, FgSaid *said)
{
	if (s->groups == 0)
		return;
	if (!has_law(s))
	{
		fg_say(said, s->groups < FG_LEAST_SCALES
			   ? "\nNo Amdahl's law: that takes times of three numbers of workers."
			   : "\nNo Amdahl's law: the times are too far apart for least squares.");
		return;
	}
	fg_say(said, "\nAmdahl (1967): t(n) = t(1) (s + (1 - s) / n), s by least squares of the times: ");
	if (isnan(s->law.serial))
		fg_say(said, "none, since t(1) would not be positive");
	else
		fg_say_value(said, s->law.serial, nothing);
	if (!is_within(s))
		say_outside(s, said);
	fg_say(said, ".");
}

static void
write_footnote(Scaling *s)
{
	FgSaid	   *said = &s->footnote;

	if (s->groups == 0)
		fg_say(said, "nothing to draw");
	else
	{
		fg_say_count(said, s->given->n, "time");
		fg_say(said, " of ");
		fg_say_count(said, s->groups, "number");
		fg_say(said, s->base == 1 ? " of workers, against " : " of workers; none of 1: against ");
		fg_say(said, s->several ? "the mean time of " : "the time of ");
		say_workers(said, s->base);
		fg_say(said, ", ");
		fg_say_value(said, s->base_time, s->given->unit);
	}
	if (s->given->missing > 0)
	{
		fg_say(said, "; ");
		fg_say_exact(said, (double) s->given->missing);
		fg_say(said, " dropped (null or not a number)");
	}
	if (s->groups > FG_MOST_POINTS)
		fg_say(said, "; so many points are drawn without their ranges");
	say_law(s, said);
}

static void
write_description(Scaling *s)
{
	FgSaid	   *said = &s->description;

	fg_say(said, "Scaling over ");
	fg_say_count(said, s->groups, "number");
	fg_say(said, " of workers.");
	if (s->subtitle.text.size == 0)
		return;
	fg_say(said, " ");
	fg_say_text(said, fg_text_of(&s->subtitle.text));
	fg_say(said, ".");
	if (isnan(s->law.serial))
		return;
	fg_say(said, " Serial share ");
	fg_say_exact(said, s->law.serial);
	fg_say(said, ".");
}

static void
write_y_label(Scaling *s)
{
	fg_say(&s->y_label, "speed-up");
	if (s->groups == 0 || s->base == 1)
		return;
	fg_say(&s->y_label, " over ");
	say_workers(&s->y_label, s->base);
}

static bool
write_texts(Scaling *s)
{
	write_name(s);
	write_subtitle(s);
	write_footnote(s);
	write_description(s);
	write_y_label(s);
	return s->name.ok && s->y_label.ok && s->subtitle.ok && s->footnote.ok && s->description.ok && write_more(s);
}

/* --- plot ---------------------------------------------------------------------------- */

static size_t
make_layers(Scaling *s)
{
	size_t		groups = s->groups;
	size_t		count = 0;

	if (groups == 0)
		return 0;
	s->layers[count++] = (FgLayer) {
		.mark = FG_MARK_LINE, .style = FG_PLAIN_STYLE, .dashes = fg_dotted, .bare = true,
		.name = {"ideal", 5}, .n = s->straight, .x = s->ideal[0], .y = s->ideal[1]
	};
	if (s->drawn > 0)
		s->layers[count++] = (FgLayer) {
			.mark = FG_MARK_LINE, .style = LAW_STYLE, .bare = true,
			.name = fg_text_of(&s->name.text), .n = FG_CURVE_PLACES, .x = s->curve[0],
			.y = s->curve[1]
		};
	s->layers[count++] = (FgLayer) {
		.mark = FG_MARK_POINTS, .style = MEASURED_STYLE,
		.name = s->several ? (FgText) {"measured: mean, least to largest", 32} :
			(FgText) {"measured", 8},
		.n = groups, .x = s->numbers, .y = s->numbers + groups,
		.lower = s->several ? s->numbers + 2 * groups : NULL,
		.upper = s->several ? s->numbers + 3 * groups : NULL, .more = s->more
	};
	return count;
}

static bool
draw(Scaling *s, FgBuffer *svg)
{
	FgPlot		plot = {
		.name = {"Scaling", 7}, .npanels = 1, .layers = s->layers, .nlayers = make_layers(s),
		.subtitle = fg_text_of(&s->subtitle.text), .footnote = fg_text_of(&s->footnote.text),
		.description = fg_text_of(&s->description.text)
	};

	s->options.x_label = (FgText) {"workers", 7};
	s->options.y_label = fg_text_of(&s->y_label.text);
	return fg_plot_svg(&plot, &s->options, svg);
}

static void
release(Scaling *s)
{
	void	   *all[] = {
		s->first, s->numbers, s->more, s->said.text.data, s->name.text.data,
		s->y_label.text.data, s->subtitle.text.data, s->footnote.text.data,
		s->description.text.data
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		fg_release(s->ctx, all[i]);
}

bool
fg_scaling_svg(const FgScaling *scaling, const FgPlotOptions *options, FgBuffer *svg)
{
	FgContext  *ctx = svg->ctx;
	Scaling		s = {
		.ctx = ctx, .given = scaling, .options = *options, .said = fg_say_begin(ctx),
		.name = fg_say_begin(ctx), .y_label = fg_say_begin(ctx), .subtitle = fg_say_begin(ctx),
		.footnote = fg_say_begin(ctx), .description = fg_say_begin(ctx)
	};
	bool		ok = find_groups(&s) && find_speedups(&s) && find_law(&s);

	if (ok)
		fill_curves(&s);
	ok = ok && write_texts(&s) && draw(&s, svg);
	release(&s);
	return ok;
}
