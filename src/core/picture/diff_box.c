/*
 * diff_box.c
 *	  A box of a difference: colour, tooltip, stripe, label.
 */
#include "core/picture/diff_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Hundredths of pixels. */
#define STRIPE_HEIGHT	300
#define STRIPE_EDGE		100
#define LEAST_STRIPED	800		/* narrower boxes have no stripe */
#define LEAST_BORDERED	300

FgVerdict
fg_diff_verdict(const FgDiff *d, uint32_t node)
{
	uint32_t	number = d->verdicts.of[node];

	return number > 0 ? d->verdicts.list[number - 1]
		: (FgVerdict) {.error = NAN, .df = NAN, .q = NAN, .state = FG_DIFF_SAME};
}

void
fg_change_words(double before, double after, char words[FG_UNITS_SIZE])
{
	if (fg_is_unchanged(before, after) || (before > 0 && !isfinite(100 * (after / before))))
		words[0] = '\0';
	else if (before == 0)
		strcpy(words, "new");
	else if (after == 0)
		strcpy(words, "gone");
	else
	{
		words[0] = '+';
		(void) fg_units_share(after - before, before, words + (after > before));
	}
}

/* --- tooltip ------------------------------------------------------------------------ */

static double
with_digits(double value, int digits)
{
	char		text[FG_UNITS_SIZE];

	(void) fg_units_rounded(value, digits, text);
	return strtod(text, NULL);
}

/* With so many digits, decimal halves away from 0, as few() of viewer/text.js does it. */
static double
rounded(double value, int digits)
{
	return with_digits(fabs(value) < 1e300 ? value * (1 + 1e-15) : value, digits);
}

/* With three digits of the six that the data have (diff_data.c), so that the viewer writes it, too. */
static double
few_digits(double value)
{
	return rounded(with_digits(value, 6), 3);
}

static void
put_signed(FgXml *xml, double value)
{
	if (value >= 0)
		fg_xml_put(xml, "+");
	fg_xml_number(xml, value);
}

/* "before 100 (10 %), after 150 (14 %): +50, +50 %" */
static void
put_change(FgDiff *d, double before, double after)
{
	FgXml	   *xml = &d->drawing.document.xml;
	char		words[FG_UNITS_SIZE];

	fg_xml_put(xml, "before ");
	fg_drawing_put_value(&d->drawing, before);
	fg_xml_put(xml, " (");
	fg_drawing_put_share(&d->drawing, before, d->both.total[FG_BEFORE][0]);
	fg_xml_put(xml, "), after ");
	fg_drawing_put_value(&d->drawing, after);
	fg_xml_put(xml, " (");
	fg_drawing_put_share(&d->drawing, after, d->both.total[FG_AFTER][0]);
	fg_xml_put(xml, "): ");
	put_signed(xml, fg_is_unchanged(before, after) ? 0 : rounded(after - before, 6));
	fg_change_words(before, after, words);
	if (words[0] == '\0')
		return;
	fg_xml_put(xml, ", ");
	fg_xml_text(xml, words, strlen(words), sizeof(words));
}

const char *
fg_diff_key_name(const FgDiff *d)
{
	static const char *const names[FG_LEVELS] = {
		[FG_LEVEL_STACK] = "self", [FG_LEVEL_FRAME] = "the function, everywhere",
		[FG_LEVEL_SELF] = "the function's self, everywhere"
	};

	return names[d->options->level];
}

/* The key that the colour is about, where that is not the box itself. */
static void
put_key(FgDiff *d, uint32_t node, const FgVerdict *verdict)
{
	const char *name = fg_diff_key_name(d);

	if (name == NULL || d->verdicts.of[node] == 0)
		return;
	fg_xml_format(&d->drawing.document.xml, "\n%s: ", name);
	put_change(d, verdict->before, verdict->after);
}

static void
put_runs(FgDiff *d)
{
	FgXml	   *xml = &d->drawing.document.xml;
	const FgDiffInput *input = d->input;

	if (input->by == FG_VERDICTS_SAMPLING)
		fg_xml_put(xml, "sampling noise only");
	else
	{
		fg_xml_count(xml, input->runs[FG_BEFORE]);
		fg_xml_put(xml, input->by == FG_VERDICTS_HISTORY ? " runs before" : " + ");
	}
	if (input->by != FG_VERDICTS_RUNS)
		return;
	fg_xml_count(xml, input->runs[FG_AFTER]);
	fg_xml_put(xml, " runs");
}

/* "95 % interval +31 to +69, q = 0.003, 20 + 20 runs: significant" */
static void
put_verdict(FgDiff *d, const FgVerdict *verdict)
{
	FgXml	   *xml = &d->drawing.document.xml;
	double		lower;
	double		upper;

	fg_xml_put(xml, "\n");
	if (isnan(verdict->q))
	{
		fg_xml_put(xml, "not tested: that needs two runs a side");
		return;
	}
	if (fg_verdict_interval(verdict, &d->intervals, &lower, &upper) && isfinite(lower) &&
		isfinite(upper))
	{
		fg_xml_number(xml, rounded(100 * (1 - d->options->alpha), 6));
		fg_xml_put(xml, " % interval ");
		put_signed(xml, few_digits(lower));
		fg_xml_put(xml, " to ");
		put_signed(xml, few_digits(upper));
		fg_xml_put(xml, ", ");
	}
	fg_xml_put(xml, "q = ");
	fg_xml_number(xml, few_digits(verdict->q));
	fg_xml_put(xml, ", ");
	put_runs(d);
	fg_xml_put(xml, verdict->q <= d->options->alpha ? ": significant" : ": not significant");
}

static void
put_parts(FgDiff *d, uint32_t node)
{
	static const FgPiece pieces[] = {FG_APPEARED, FG_GROWN, FG_SHRUNK, FG_DISAPPEARED};
	FgXml	   *xml = &d->drawing.document.xml;

	for (int p = 0; p < 4; p++)
	{
		fg_xml_format(xml, p == 0 ? "\n%s " : ", %s ", fg_piece_word(pieces[p]));
		fg_xml_number(xml, d->parts.total[pieces[p]][node]);
	}
}

static void
put_tooltip(FgDiff *d, const FgPanel *panel, const FgBox *box)
{
	FgXml	   *xml = &d->drawing.document.xml;
	uint32_t	node = fg_panel_number(panel, box->node);
	FgVerdict	verdict = fg_diff_verdict(d, node);

	fg_xml_put(xml, "<title>");
	if (box->hidden > 0)
		fg_drawing_put_hidden(&d->drawing, box);
	else
	{
		fg_drawing_put_name(&d->drawing, panel->tree.key[box->node]);
		fg_xml_put(xml, "\n");
		put_change(d, d->both.total[FG_BEFORE][node], d->both.total[FG_AFTER][node]);
		put_key(d, node, &verdict);
		/* what is the same needs no test, but may have one */
		if (d->input->by != FG_VERDICTS_NONE && d->verdicts.of[node] > 0 &&
			!(verdict.state == FG_DIFF_SAME && isnan(verdict.q)))
			put_verdict(d, &verdict);
		put_parts(d, node);
	}
	fg_xml_put(xml, "</title>");
}

/* --- stripe ------------------------------------------------------------------------- */

static void
put_piece(FgDiff *d, FgPlace place, FgPiece piece)
{
	FgXml	   *xml = &d->drawing.document.xml;

	fg_put_rect(xml, place);
	fg_document_put_fill(&d->drawing.document,
						 fg_stripe_fill(d->options->look.palette, (int) piece));
	fg_xml_put(xml, " class=\"s\"/>");
}

/* The pieces that a panel's widths are made of. */
static unsigned
pieces_of(const FgDiff *d, const FgPanel *panel)
{
	return panel == &d->main ? d->pieces : FG_PIECE(d->elided);
}

/* Is there anything to tell of a box besides that all of it is common? */
static bool
has_stripe(const FgDiff *d, const FgPanel *panel, const FgBox *box)
{
	uint32_t	node = fg_panel_number(panel, box->node);
	bool		common = (pieces_of(d, panel) & FG_PIECE(FG_COMMON)) != 0;

	return box->hidden == 0 && box->right - box->left >= LEAST_STRIPED &&
		!(common && d->parts.total[FG_COMMON][node] >= panel->total[box->node]);
}

/* Its lowest pixels, divided as the box is. */
static void
put_stripe(FgDiff *d, const FgPanel *panel, const FgBox *box, FgPlace place)
{
	FgXml	   *xml = &d->drawing.document.xml;
	uint32_t	node = fg_panel_number(panel, box->node);
	unsigned	pieces = pieces_of(d, panel);
	int64_t		left = place.x;
	double		sum = 0;

	place.y += place.height - STRIPE_HEIGHT - STRIPE_EDGE;
	place.height = STRIPE_EDGE;
	fg_put_rect(xml, place);
	fg_put_fill(xml, FG_COLOR_STRIPE_EDGE);
	fg_xml_put(xml, "/>");
	place.y += STRIPE_EDGE;
	place.height = STRIPE_HEIGHT;
	for (FgPiece p = 0; p < FG_PIECES; p++)
	{
		int64_t		start = place.x;

		if ((pieces >> p & 1) == 0)
			continue;
		sum += d->parts.total[p][node];
		place.x = left + fg_hundredths(fmin(1, sum / panel->total[box->node]) *
									   (double) (box->right - box->left) / 100);
		if (place.x > start)
			put_piece(d, (FgPlace) {start, place.y, place.x - start, place.height}, p);
	}
}

/* --- box ---------------------------------------------------------------------------- */

static void
put_background(FgDiff *d, const FgBox *box, const FgPlace *place, FgDiffState state)
{
	FgXml	   *xml = &d->drawing.document.xml;
	FgPalette	palette = d->options->look.palette;
	bool		bordered = box->hidden == 0 &&
		(state == FG_DIFF_APPEARED || state == FG_DIFF_DISAPPEARED);

	fg_put_rect(xml, *place);
	if (box->hidden > 0)
		fg_xml_format(xml, " fill=\"url(#fg%08x-m)\"", d->drawing.document.id);
	else if (box->node == 0)
		fg_put_fill(xml, FG_COLOR_ALL);
	else
		fg_document_put_fill(&d->drawing.document, fg_diff_fill(palette, state));
	if (!bordered)
		fg_drawing_put_parting(&d->drawing, place);
	else if (place->width >= LEAST_BORDERED)
		fg_xml_format(xml, " stroke=\"#%06x\" stroke-width=\"1\" stroke-dasharray=\"3 2\"",
					  fg_diff_border(palette, state));
	fg_xml_put(xml, "/>");
}

void
fg_diff_put_box(FgDiff *d, const FgPanel *panel, const FgBox *box)
{
	uint32_t	node = fg_panel_number(panel, box->node);
	FgVerdict	verdict = fg_diff_verdict(d, node);
	FgPlace		place = fg_panel_place(&d->drawing, panel, box);
	FgFill		fill = fg_diff_fill(d->options->look.palette, verdict.state);
	FgColor		text = box->hidden > 0 ? 0 : fg_text_color(fill.color);
	bool		striped = has_stripe(d, panel, box);
	char		words[FG_UNITS_SIZE] = "";

	fg_drawing_begin_box(&d->drawing, panel, box);
	put_tooltip(d, panel, box);
	put_background(d, box, &place, verdict.state);
	fg_drawing_put_outline(&d->drawing, panel, box, place, text);
	if (striped)
		put_stripe(d, panel, box, place);
	if (box->hidden == 0 && node == 0)
		fg_change_words(d->both.total[FG_BEFORE][0], d->both.total[FG_AFTER][0], words);
	else if (box->hidden == 0)
		fg_change_words(verdict.before, verdict.after, words);
	if (striped)
		place.height -= STRIPE_HEIGHT;	/* letters stand above it */
	fg_drawing_put_label(&d->drawing, panel->tree.key[box->node], box, place, fill, words);
	fg_xml_put(&d->drawing.document.xml, "</g>\n");
}
