/*
 * plot_trend_texts.c
 *	  What a trend says in words (see plot_trend_internal.h).
 */
#include "core/plots/plot_trend_internal.h"

#include <math.h>
#include <string.h>

static FgText
text_in(const FgTrendDrawing *d, size_t from, size_t to)
{
	/* where nothing was said at all there is no place to point to */
	if (to == from)
		return (FgText) {"", 0};
	return (FgText) {(const char *) d->said.text.data + from, to - from};
}

/* Exactly, or up to the minute. */
static void
say_time(FgSaid *said, double seconds, bool exactly)
{
	char		text[FG_TICK_SIZE];

	(void) fg_time_print(seconds, text);
	if (!exactly)
		*strrchr(text, ':') = '\0';
	fg_say(said, text);
	fg_say(said, " UTC");
}

void
fg_trend_say_run(const FgTrendDrawing *d, FgSaid *said, size_t run)
{
	size_t		element = fg_trend_element(d, run);

	if (d->trend->labels != NULL && d->trend->labels[element].length > 0)
		fg_say_text(said, d->trend->labels[element]);
	else if (d->trend->start != NULL)
		say_time(said, d->trend->start[element], false);
	else
	{
		fg_say(said, "run ");
		fg_say_exact(said, d->x[run]);
	}
}

/* --- titles of marks ------------------------------------------------------------------ */

static void
say_score(const FgTrendDrawing *d, FgSaid *said, size_t run)
{
	if (isnan(d->score[run]))
		fg_say(said, d->y[run] > d->upper[run] ? "above" : "below");
	else
		fg_say_signed(said, d->score[run]);
}

/* What the place does not say of a run, and what was to be expected. */
static void
say_more(const FgTrendDrawing *d, FgSaid *said, size_t run)
{
	size_t		element = fg_trend_element(d, run);
	bool		labels = d->trend->labels != NULL;

	if (labels && d->names == NULL)
	{
		fg_say_text(said, d->trend->labels[element]);
		fg_say(said, "; ");
	}
	if (labels && d->trend->start != NULL)
	{
		say_time(said, d->trend->start[element], true);
		fg_say(said, "; ");
	}
	if (!isnan(d->mean[run]))
	{
		fg_say(said, "mean ");
		fg_say_exact(said, d->mean[run]);
	}
	if (d->lower != NULL && !isnan(d->lower[run]) && !isnan(d->upper[run]))
	{
		fg_say(said, isnan(d->mean[run]) ? "band " : ", band ");
		fg_say_exact(said, d->lower[run]);
		fg_say(said, " to ");
		fg_say_exact(said, d->upper[run]);
	}
	if (!isnan(d->score[run]))
	{
		fg_say(said, ", score ");
		fg_say_signed(said, d->score[run]);
	}
	if (d->is_outside[run])
		fg_say(said, ": outside");
}

/* Titles are written of lines with few points, and of points outside. */
static bool
write_more(FgTrendDrawing *d, size_t *ends)
{
	for (uint32_t p = 0; p < d->panels.count; p++)
	{
		bool		few = d->first[p + 1] - d->first[p] <= FG_MOST_VERTICES;

		for (size_t i = d->first[p]; i < d->first[p + 1]; i++)
		{
			if (few || d->is_outside[i])
				say_more(d, &d->said, i);
			ends[i] = d->said.text.size;
			if (!d->said.ok || !fg_steps(d->ctx, 16))
				return false;
		}
	}
	return true;
}

static bool
write_words(FgTrendDrawing *d, size_t *ends)
{
	size_t		n = 0;

	for (size_t i = 0; i < d->kept; i++)
	{
		if (d->is_outside[i])
		{
			say_score(d, &d->said, i);
			ends[n++] = d->said.text.size;
		}
		if (!d->said.ok || !fg_steps(d->ctx, 16))
			return false;
	}
	return true;
}

/* --- vertical lines ------------------------------------------------------------------- */

/* "+12 %"; of findings their numbers. */
static void
say_label(FgSaid *said, const FgTrendMark *mark)
{
	if (mark->findings == 0 && isnan(mark->before))
		fg_say(said, "change");
	else if (mark->findings == 0)
		fg_say_change(said, mark->before, mark->after);
	else
		fg_say_exact(said, (double) mark->finding + 1);
}

static void
say_finding(const FgTrendDrawing *d, FgSaid *said, size_t number)
{
	const FgFinding *finding = &d->trend->findings[number];

	fg_say_text(said, finding->kind);
	if (finding->kind.length > 0 && finding->label.length > 0)
		fg_say(said, ": ");
	fg_say_text(said, finding->label);
	if (finding->kind.length == 0 && finding->label.length == 0)
		fg_say(said, "finding");
}

static void
say_mark(const FgTrendDrawing *d, FgSaid *said, const FgTrendMark *mark)
{
	if (mark->findings > 0)
	{
		fg_say_exact(said, (double) mark->finding + 1);
		fg_say(said, " ");
		say_finding(d, said, mark->finding);
		fg_say(said, "; ");
		fg_trend_say_run(d, said, mark->at);
		return;
	}
	fg_say(said, "change at ");
	fg_trend_say_run(d, said, mark->at);
	fg_say(said, ": mean ");
	if (!isnan(mark->before))
	{
		fg_say_exact(said, mark->before);
		fg_say(said, " before, ");
	}
	fg_say_exact(said, mark->after);
	fg_say(said, " after");
	if (!isnan(mark->before))
	{
		fg_say(said, ", ");
		fg_say_change(said, mark->before, mark->after);
	}
}

/* Label and title of each. */
static bool
write_rules(FgTrendDrawing *d, size_t *ends)
{
	for (size_t m = 0; m < d->nmarks; m++)
	{
		say_label(&d->said, &d->marks[m]);
		ends[2 * m] = d->said.text.size;
		say_mark(d, &d->said, &d->marks[m]);
		ends[2 * m + 1] = d->said.text.size;
		if (!d->said.ok || !fg_steps(d->ctx, 16))
			return false;
	}
	return true;
}

/* The buffer does not move any more. */
static bool
point_to(FgTrendDrawing *d, const size_t *ends)
{
	size_t		at = 0;

	for (size_t i = 0; i < d->kept + d->outside + 2 * d->nmarks; at = ends[i++])
	{
		FgText		text = text_in(d, at, ends[i]);
		size_t		rest = i - d->kept - d->outside;

		if (i < d->kept)
			d->more[i] = text;
		else if (i < d->kept + d->outside)
			d->words[i - d->kept] = text;
		else if (rest % 2 == 0)
			d->rules[rest / 2] = (FgPlotRule) {.label = text};
		else
			d->rules[rest / 2].title = text;
		if (!fg_check_every(d->ctx, i))
			return false;
	}
	for (size_t m = 0; m < d->nmarks; m++)
	{
		d->rules[m].panel = d->panel[fg_trend_element(d, d->marks[m].at)];
		d->rules[m].at = d->x[d->marks[m].at];
		d->rules[m].flag = d->marks[m].findings > 0;
	}
	return true;
}

static bool
write_marks(FgTrendDrawing *d)
{
	size_t		texts = d->kept + d->outside + 2 * d->nmarks;
	size_t	   *ends = fg_alloc(d->ctx, texts, sizeof(size_t));
	bool		ok;

	d->more = fg_alloc(d->ctx, d->kept + d->outside, sizeof(FgText));
	d->words = fg_alloc(d->ctx, d->outside, sizeof(FgText));
	d->rules = fg_alloc(d->ctx, d->nmarks, sizeof(FgPlotRule));
	ok = ends != NULL && d->more != NULL && d->words != NULL && d->rules != NULL &&
		write_more(d, ends) && write_words(d, ends + d->kept) &&
		write_rules(d, ends + d->kept + d->outside) && point_to(d, ends);
	fg_release(d->ctx, ends);
	return ok;
}

/* --- around the plot ------------------------------------------------------------------ */

static void
write_expected(FgTrendDrawing *d)
{
	const FgTrend *t = d->trend;
	FgSaid	   *said = &d->expected;

	if (t->mean == NULL && t->lower == NULL)
	{
		fg_say(said, "mean of the ");
		fg_say_exact(said, (double) t->window);
		fg_say(said, " before, \xC2\xB1 ");
		fg_say_exact(said, t->k);
		fg_say(said, t->k == 1 ? " deviation" : " deviations");
	}
	else
		fg_say(said, t->lower == NULL ? "expected mean" : t->mean == NULL ? "expected band"
			   : "expected mean and band");
}

/* Where the last run of a panel lies, and since when: the verdict. */
static void
say_newest(FgTrendDrawing *d, FgSaid *said)
{
	size_t		last = d->kept - 1;
	size_t		m = d->nmarks;

	fg_say(said, "newest ");
	fg_say_value(said, d->y[last], d->options.unit);
	if (d->is_outside[last])
	{
		fg_say(said, ": outside, ");
		say_score(d, said, last);
		if (!isnan(d->score[last]))
			fg_say(said, " deviations");
	}
	else if (d->lower != NULL && !isnan(d->lower[last]))
		fg_say(said, ": as expected");
	while (m > 0 && d->marks[m - 1].findings > 0)
		m--;
	if (m == 0 || isnan(d->marks[m - 1].before))
		return;
	fg_say(said, "; last change ");
	fg_say_change(said, d->marks[m - 1].before, d->marks[m - 1].after);
	fg_say(said, " at ");
	fg_trend_say_run(d, said, d->marks[m - 1].at);
}

static void
write_subtitle(FgTrendDrawing *d)
{
	uint64_t	runs = 0;
	uint64_t	outside = 0;

	if (d->kept == 0)
		return;
	if (d->panels.count == 1)
	{
		say_newest(d, &d->subtitle);
		return;
	}
	for (uint32_t p = 0; p < d->panels.count; p++)
	{
		if (d->first[p] == d->first[p + 1])
			continue;
		runs++;
		outside += d->is_outside[d->first[p + 1] - 1];
	}
	fg_say(&d->subtitle, "newest run outside in ");
	fg_say_exact(&d->subtitle, (double) outside);
	fg_say(&d->subtitle, " of ");
	fg_say_count(&d->subtitle, runs, "panel");
}

static bool
write_footnote(FgTrendDrawing *d)
{
	const FgTrend *t = d->trend;
	FgSaid	   *said = &d->footnote;
	uint32_t	run;

	if (d->kept == 0)
		fg_say(said, "nothing to draw");
	else
		fg_say_count(said, d->kept, "run");
	if (d->outside > 0)
	{
		fg_say(said, ", ");
		fg_say_exact(said, (double) d->outside);
		fg_say(said, " outside");
	}
	if (d->kept < t->n)
	{
		fg_say(said, "; ");
		fg_say_exact(said, (double) (t->n - d->kept));
		fg_say(said, " dropped (null or not a number)");
	}
	for (size_t f = 0; f < t->nfindings && f < FG_MOST_LISTED; f++)
	{
		fg_say(said, "\n");
		fg_say_exact(said, (double) f + 1);
		fg_say(said, " ");
		say_finding(d, said, f);
		run = d->place[t->findings[f].at];
		fg_say(said, run == FG_NONE ? " (its run is not drawn)" : ", ");
		if (run != FG_NONE)
			fg_trend_say_run(d, said, run);
		if (!fg_check_every(d->ctx, f))
			return false;
	}
	if (t->nfindings > FG_MOST_LISTED)
	{
		fg_say(said, "\n");
		fg_say_count(said, t->nfindings - FG_MOST_LISTED, "more finding");
	}
	return said->ok;
}

static void
write_description(FgTrendDrawing *d)
{
	FgSaid	   *said = &d->description;

	fg_say(said, "Trend of ");
	fg_say_count(said, d->kept, "run");
	if (d->trend->panels != NULL)
	{
		fg_say(said, " in ");
		fg_say_count(said, d->panels.count, "panel");
	}
	fg_say(said, ", ");
	fg_say_exact(said, (double) d->outside);
	fg_say(said, " outside of what was expected.");
	if (d->subtitle.text.size > 0)
	{
		fg_say(said, " ");
		fg_say_text(said, fg_text_of(&d->subtitle.text));
		fg_say(said, ".");
	}
}

bool
fg_trend_write(FgTrendDrawing *d)
{
	write_expected(d);
	write_subtitle(d);
	write_description(d);
	return write_footnote(d) && d->expected.ok && d->subtitle.ok && d->description.ok &&
		write_marks(d);
}
