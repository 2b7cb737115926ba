/*
 * diff_data.c
 *	  The data of a difference within its picture, for the viewer.
 *
 * As those of one profile (data.h), with the members
 *	kind		"difference", which flamegraph_from_svg() refuses
 *	totals		before and after, which is divided by the size factor
 *	widths, level, verdicts_by, alpha, runs		as they were asked for
 *	verdicts	[state, relative, lower, upper, q] each, numbers with six digits; null or left
 *				out at the end where there is none; states are those of verdicts.h.  Where keys are
 *				not boxes their values before and after follow, as they are
 *	key_name	what such a key is called
 *	fills		the colour of each state
 *	stripe		the colour of each piece (change_parts.h)
 *	borders		of states that have one, by number
 */
#include "core/base/number.h"
#include "core/picture/data.h"
#include "core/picture/diff_internal.h"

#include "core/profile/names.h"
#include "core/svg/embedded.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Longest text of a verdict. */
#define VERDICT_SIZE	(7 * FG_UNITS_SIZE)

typedef struct Members
{
	FgDiff	   *d;
	FgNames		known;			/* verdicts by their bytes: many keys have the same */
	FgNames		texts;			/* of verdicts; different ones may be written alike */
	uint32_t   *number;			/* by node */
} Members;

/* --- verdicts ----------------------------------------------------------------------- */

/* Behind the five numbers, of which those that are not there become null. */
static size_t
key_text(const FgVerdict *verdict, char *text, size_t length)
{
	double		sides[2] = {verdict->before, verdict->after};

	for (int s = 0; s < 2; s++)
	{
		text[length++] = ',';
		length += (size_t) fg_number_print(sides[s], text + length);
	}
	return length;
}

static size_t
verdict_text(FgDiff *d, const FgVerdict *verdict, char *text)
{
	double		relative = verdict->state != FG_DIFF_SAME && verdict->before > 0 && verdict->after > 0
		? (verdict->after - verdict->before) / verdict->before : NAN;
	double		numbers[4] = {relative, NAN, NAN, verdict->q};
	size_t		length = (size_t) sprintf(text, "[%d", (int) verdict->state);
	size_t		whole = length;

	(void) fg_verdict_interval(verdict, &d->intervals, &numbers[1], &numbers[2]);
	for (int i = 0; i < 4; i++)
	{
		text[length++] = ',';
		if (isfinite(numbers[i]))
			whole = length += fg_units_rounded(numbers[i], 6, text + length);
		else
			length += (size_t) sprintf(text + length, "null");
	}
	if (fg_diff_key_name(d) != NULL)
		whole = key_text(verdict, text, length);
	text[whole] = ']';
	return whole + 1;
}

/* The number of the text of verdict i; of[k] is that of the k-th different verdict. */
static bool
number_verdict(Members *m, uint32_t i, uint32_t *of, uint32_t *number)
{
	const FgVerdict *verdict = &m->d->verdicts.list[i];
	char		text[VERDICT_SIZE];
	uint32_t	before = m->known.count;
	uint32_t	place;
	size_t		length;

	/* the state follows from the numbers in front of it */
	if (!fg_names_add(&m->known, (const char *) verdict, offsetof(FgVerdict, state), &place))
		return false;
	if (place == before)
	{
		length = verdict_text(m->d, verdict, text);
		if (!fg_names_add(&m->texts, text, length, &of[place]) || !fg_work(m->d->ctx, 1000))
			return false;
	}
	*number = of[place];
	return true;
}

/* The number of each node's verdict + 1 among the distinct ones. */
static bool
number_verdicts(Members *m)
{
	FgDiff	   *d = m->d;
	size_t		nodes = (size_t) d->both.tree.nnodes + 1;
	uint32_t   *place = fg_alloc(d->ctx, d->verdicts.count, sizeof(uint32_t));
	uint32_t   *of = fg_alloc(d->ctx, d->verdicts.count, sizeof(uint32_t));
	bool		ok = place != NULL && of != NULL;

	m->number = fg_alloc_zero(d->ctx, nodes, sizeof(uint32_t));
	ok = ok && m->number != NULL;
	for (uint32_t i = 0; ok && i < d->verdicts.count; i++)
		ok = number_verdict(m, i, of, &place[i]) && fg_check_every(d->ctx, i);
	for (size_t i = 0; ok && i < nodes; i++)
	{
		if (d->verdicts.of[i] > 0)
			m->number[i] = place[d->verdicts.of[i] - 1] + 1;
		ok = fg_check_every(d->ctx, i);
	}
	fg_release(d->ctx, place);
	fg_release(d->ctx, of);
	return ok;
}

/* --- members ------------------------------------------------------------------------ */

static void
put_verdicts(FgXml *xml, const FgNames *texts)
{
	fg_xml_put(xml, ",\"verdicts\":[");
	for (uint32_t i = 0; i < texts->count && xml->ok; i++)
	{
		fg_xml_put(xml, i == 0 ? "" : ",");
		fg_xml_bytes(xml, texts->bytes + texts->offset[i], texts->length[i]);
	}
	fg_xml_put(xml, "]");
}

static void
put_fill(FgXml *xml, uint32_t id, FgFill fill)
{
	if (fill.texture != NULL)
		fg_xml_format(xml, "\"url(#fg%08x-%s)\"", id, fill.texture);
	else
		fg_xml_format(xml, "\"#%06x\"", fill.color);
}

static void
put_colors(FgXml *xml, uint32_t id, FgPalette palette)
{
	for (int s = 0; s < FG_DIFF_STATES; s++)
	{
		fg_xml_put(xml, s == 0 ? ",\"fills\":[" : ",");
		put_fill(xml, id, fg_diff_fill(palette, (FgDiffState) s));
	}
	for (int p = 0; p < FG_PIECES; p++)
	{
		fg_xml_put(xml, p == 0 ? "],\"stripe\":[" : ",");
		put_fill(xml, id, fg_stripe_fill(palette, p));
	}
	fg_xml_format(xml, "],\"borders\":{\"%d\":\"#%06x\",\"%d\":\"#%06x\"}", FG_DIFF_APPEARED,
				  fg_diff_border(palette, FG_DIFF_APPEARED), FG_DIFF_DISAPPEARED,
				  fg_diff_border(palette, FG_DIFF_DISAPPEARED));
}

static void
put_members(FgXml *xml, const void *arg)
{
	static const char *const by[] = {"none", "sampling", "runs", "history"};
	const Members *m = arg;
	const FgDiff *d = m->d;

	fg_xml_put(xml, ",\"kind\":\"difference\",\"totals\":[");
	fg_xml_number(xml, d->both.total[FG_BEFORE][0]);
	fg_xml_put(xml, ",");
	fg_xml_number(xml, d->both.total[FG_AFTER][0]);
	fg_xml_format(xml, "],\"widths\":\"%s\",\"level\":\"%s\",\"verdicts_by\":\"%s\",\"alpha\":",
				  fg_widths_words[d->options->widths], fg_level_word(d->options->level),
				  by[d->input->by]);
	fg_xml_number(xml, d->options->alpha);
	fg_xml_put(xml, ",\"runs\":[");
	fg_xml_count(xml, d->input->runs[FG_BEFORE]);
	fg_xml_put(xml, ",");
	fg_xml_count(xml, d->input->runs[FG_AFTER]);
	fg_xml_put(xml, "]");
	if (fg_diff_key_name(d) != NULL)
		fg_xml_format(xml, ",\"key_name\":\"%s\"", fg_diff_key_name(d));
	put_verdicts(xml, &m->texts);
	put_colors(xml, d->drawing.document.id, d->options->look.palette);
}

/* --- the element -------------------------------------------------------------------- */

static FgView
view_of(const FgDiff *d)
{
	const FgFlameOptions *o = &d->options->look;

	return (FgView) {
		.dark = o->theme == FG_THEME_DARK, .min_width = o->min_width, .max_boxes = o->max_boxes,
		.max_rows = o->max_rows, .frame_height = o->frame_height, .font_size = o->font_size,
		.truncate = o->truncate, .top = d->main.top, .rows = d->main.boxes.rows,
		.marked = d->drawing.highlight
	};
}

/* The inclusive widths of all nodes, and before them those that the panel left out: 0. */
static bool
widths_of(const FgDiff *d, double **widths)
{
	*widths = fg_alloc(d->ctx, (size_t) d->both.tree.nnodes + 1, sizeof(double));
	return *widths != NULL &&
		fg_sum_of_parts(d->ctx, &d->parts, d->pieces, d->both.tree.nnodes, *widths);
}

void
fg_diff_put_data(FgDiff *d)
{
	const FgFlameOptions *o = &d->options->look;
	FgXml	   *xml = &d->drawing.document.xml;
	Members		m = {.d = d};
	FgTree		before = d->both.tree;
	FgDataSides sides = {
		.after = d->both.self[FG_AFTER],
		.total = {d->both.total[FG_BEFORE], d->both.total[FG_AFTER]},
		.put_members = put_members, .arg = &m
	};
	FgDataOptions options = {
		.unit = o->unit, .search = o->search, .zoom = o->zoom, .max_nodes = o->max_nodes,
		.view = view_of(d), .sides = &sides
	};
	double	   *widths = NULL;

	before.self = d->both.self[FG_BEFORE];
	xml->ok = xml->ok && fg_names_begin(d->ctx, &m.known) && fg_names_begin(d->ctx, &m.texts) &&
		number_verdicts(&m) && widths_of(d, &widths);
	sides.verdict = m.number;
	fg_data_write(xml, &before, widths, &options);
	fg_names_free(&m.known);
	fg_names_free(&m.texts);
	fg_release(d->ctx, m.number);
	fg_release(d->ctx, widths);
	fg_document_script(&d->drawing.document, fg_viewer_script);
}
