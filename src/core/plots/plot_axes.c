/*
 * plot_axes.c
 *	  What a panel of a plot has besides its marks: frame, grid, labels, shades, rules.
 *
 * Lines are of one grey that stands out on light and on dark; those of the grid are faint.
 */
#include "core/plots/plot_internal.h"

#include "core/svg/label.h"

#include <string.h>

#define TICK	4

/* --- writing ------------------------------------------------------------------------ */

static void
put_line(FgPlotDrawing *d, double x1, double y1, double x2, double y2, const char *rest)
{
	FgXml	   *xml = &d->document.xml;

	fg_xml_put(xml, "<line");
	fg_xml_pixels(xml, "x1", x1);
	fg_xml_pixels(xml, "y1", y1);
	fg_xml_pixels(xml, "x2", x2);
	fg_xml_pixels(xml, "y2", y2);
	fg_xml_put(xml, rest);
	fg_xml_put(xml, "/>\n");
}

/* The text itself, behind the opening tag. */
static void
put_cut(FgPlotDrawing *d, FgText text, bool cut)
{
	FgXml	   *xml = &d->document.xml;

	fg_xml_text(xml, text.bytes, text.length, FG_MOST_SHOWN);
	if (cut)
		fg_xml_put(xml, "\xE2\x80\xA6");
	fg_xml_put(xml, "</text>\n");
}

static void
put_text(FgPlotDrawing *d, FgText text, double x, double y, const char *anchor, double room,
		 FgTruncate how)
{
	FgXml	   *xml = &d->document.xml;
	FgText		shown = {text.bytes, fg_text_shown(text)};
	double		columns = floor(room / (FG_COLUMN_WIDTH * d->document.font_size));
	FgLabel		label = fg_label_fit(shown.bytes, shown.length, columns < 1 ? 1 : (size_t) columns,
									 how);

	fg_xml_put(xml, "<text unicode-bidi=\"isolate\"");
	fg_xml_pixels(xml, "x", x);
	fg_xml_pixels(xml, "y", y);
	fg_xml_format(xml, " text-anchor=\"%s\"", anchor);
	fg_xml_put(xml, label.cut_start ? ">\xE2\x80\xA6" : ">");
	shown.length = label.end;
	put_cut(d, (FgText) {shown.bytes + label.start, label.end - label.start},
			label.cut_end || label.end < text.length);
}

void
fg_plot_put_text(FgPlotDrawing *d, FgText text, double x, double y, const char *anchor,
				 double room)
{
	put_text(d, text, x, y, anchor, room, FG_TRUNCATE_END);
}

static void
begin_words(FgPlotDrawing *d, const char *more)
{
	fg_xml_put(&d->document.xml, "<g class=\"p\"");
	fg_put_fill(&d->document.xml, fg_foreground(d->options->theme));
	fg_xml_put(&d->document.xml, more);
	fg_xml_put(&d->document.xml, ">\n");
}

static void
end_group(FgPlotDrawing *d)
{
	fg_xml_put(&d->document.xml, "</g>\n");
}

/* --- lines -------------------------------------------------------------------------- */

static void
begin_lines(FgPlotDrawing *d, const char *more)
{
	fg_xml_format(&d->document.xml, "<g stroke=\"#%06x\"%s>\n", fg_series_color(FG_PLAIN_STYLE),
				  more);
}

/* Across the panel at each tick of y, from top to bottom at each of x that has a label. */
static void
put_grid(FgPlotDrawing *d, const FgPlotPanel *panel, uint32_t p)
{
	begin_lines(d, " stroke-opacity=\".25\"");
	for (uint32_t i = 0; i < panel->y.count; i++)
	{
		double		y = fg_plot_y(d, p, panel->y.ticks[i].at);

		put_line(d, panel->left, y, panel->left + d->width, y, "");
	}
	for (uint32_t i = 0; i < panel->nlabels; i += d->labels.every)
	{
		double		x = panel->left + d->label_at[panel->first_label + i];

		put_line(d, x, panel->top, x, panel->top + d->height, "");
	}
	end_group(d);
}

/* Left and lower edge, ticks, the line of 0. */
static void
put_frame(FgPlotDrawing *d, const FgPlotPanel *panel, uint32_t p)
{
	double		bottom = panel->top + d->height;
	double		zero = d->options->y_scale == FG_SCALE_LOG ? 0 : fg_axis_share(&panel->y, 0);

	begin_lines(d, "");
	put_line(d, panel->left, panel->top, panel->left, bottom, "");
	put_line(d, panel->left, bottom, panel->left + d->width, bottom, "");
	if (zero > 0 && zero < 1)
		put_line(d, panel->left, fg_plot_y(d, p, 0), panel->left + d->width, fg_plot_y(d, p, 0),
				 "");
	for (uint32_t i = 0; i < panel->y.count; i++)
	{
		double		y = fg_plot_y(d, p, panel->y.ticks[i].at);

		put_line(d, panel->left - TICK, y, panel->left, y, "");
	}
	for (uint32_t i = 0; i < panel->nlabels; i += d->labels.every)
	{
		double		x = panel->left + d->label_at[panel->first_label + i];

		put_line(d, x, bottom, x, bottom + TICK, "");
	}
	end_group(d);
}

/* --- labels ------------------------------------------------------------------------- */

static bool
put_y_labels(FgPlotDrawing *d, const FgPlotPanel *panel, uint32_t p)
{
	FgXml	   *xml = &d->document.xml;
	double		at[FG_MOST_TICKS];
	FgLabels	labels;

	for (uint32_t i = 0; i < panel->y.count; i++)
		at[i] = fg_plot_y(d, p, panel->y.ticks[i].at);
	if (!fg_labels_stack(d->ctx, at, panel->y.count, d->document.font_size + 2, &labels))
		return false;
	begin_words(d, " text-anchor=\"end\"");
	for (uint32_t i = 0; i < panel->y.count; i += labels.every)
	{
		fg_xml_put(xml, "<text class=\"ay\"");
		fg_xml_pixels(xml, "x", panel->left - TICK - 4);
		fg_xml_pixels(xml, "y", at[i] + d->document.font_size / 3.0);
		fg_xml_put(xml, ">");
		put_cut(d, (FgText) {panel->y.ticks[i].label, panel->y.ticks[i].length}, false);
	}
	end_group(d);
	return true;
}

static void
put_x_labels(FgPlotDrawing *d, const FgPlotPanel *panel)
{
	FgXml	   *xml = &d->document.xml;
	double		y = panel->top + d->height + TICK + 2;

	begin_words(d, d->labels.turned ? " text-anchor=\"end\"" : " text-anchor=\"middle\"");
	for (uint32_t i = 0; i < panel->nlabels; i += d->labels.every)
	{
		double		x = panel->left + d->label_at[panel->first_label + i];
		bool		cut;
		FgText		text = fg_plot_label(d, panel, i, &cut);

		fg_xml_put(xml, "<text class=\"ax\" unicode-bidi=\"isolate\"");
		if (d->labels.turned)
		{
			fg_xml_put(xml, " transform=\"translate(");
			fg_xml_hundredths(xml, fg_hundredths(x + d->document.font_size / 3.0));
			fg_xml_put(xml, " ");
			fg_xml_hundredths(xml, fg_hundredths(y + d->document.font_size / 2.0));
			fg_xml_put(xml, ")rotate(-45)\"");
		}
		else
		{
			fg_xml_pixels(xml, "x", x);
			fg_xml_pixels(xml, "y", y + d->document.font_size);
		}
		fg_xml_put(xml, ">");
		put_cut(d, text, cut);
	}
	end_group(d);
}

void
fg_plot_put_words(FgPlotDrawing *d)
{
	double		room = d->options->width - 2.0 * FG_MARGIN;
	uint32_t	line = fg_document_line_height(&d->document);
	double		wide = d->plot->npanels == 1 ? d->panels[0].left + d->width / 2
		: d->options->width / 2.0;

	begin_words(d, "");
	if (d->y_words.size > 0)
		fg_plot_put_text(d, fg_text_of(&d->y_words), FG_MARGIN,
						 d->top - line + d->document.font_size, "start", room);
	if (d->x_words.size > 0)
		fg_plot_put_text(d, fg_text_of(&d->x_words), wide,
						 d->bottom - line + d->document.font_size, "middle",
						 2 * fmin(wide, d->options->width - wide));
	end_group(d);
}

/* --- shades and rules --------------------------------------------------------------- */

static double
clamped(double value, double lo, double hi)
{
	return fmin(fmax(value, lo), hi);
}

/* Above the middle of its shade, in the first line where no other words are; else nowhere. */
static void
put_shade_label(FgPlotDrawing *d, const FgShade *shade, double middle, double *ends)
{
	const FgPlotPanel *panel = &d->panels[shade->panel];
	double		width = (double) fg_columns(shade->label.bytes, shade->label.length) *
		FG_COLUMN_WIDTH * d->document.font_size;
	double		left = clamped(middle - width / 2, panel->left - d->left,
							   panel->left + d->width + d->right - width);

	for (uint32_t line = 0; line < FG_SHADE_LINES; line++)
	{
		if (left < ends[line] + 4)
			continue;
		ends[line] = left + width;
		begin_words(d, "");
		fg_plot_put_text(d, shade->label, left,
						 panel->top - 6 - (double) line * fg_document_line_height(&d->document),
						 "start", width + 1);
		end_group(d);
		return;
	}
}

static void
put_shade(FgPlotDrawing *d, const FgShade *shade, double *ends)
{
	FgXml	   *xml = &d->document.xml;
	const FgPlotPanel *panel = &d->panels[shade->panel];
	double		right = panel->left + d->width;
	double		x1 = clamped(fg_plot_x(d, shade->panel, shade->from), panel->left, right);
	double		x2 = clamped(fg_plot_x(d, shade->panel, shade->to), panel->left, right);

	fg_xml_put(xml, "<g class=\"h\"><rect");
	fg_xml_pixels(xml, "x", x1);
	fg_xml_pixels(xml, "y", panel->top);
	fg_xml_pixels(xml, "width", x2 - x1);
	fg_xml_pixels(xml, "height", d->height);
	fg_document_put_fill(&d->document, shade->fill);
	fg_xml_put(xml, "><title>");
	fg_xml_text(xml, shade->title.bytes, shade->title.length, FG_MOST_SHOWN);
	fg_xml_put(xml, "</title></rect></g>\n");
	put_shade_label(d, shade, x1 / 2 + x2 / 2, ends);
}

/* From left to right. */
static bool
put_shades(FgPlotDrawing *d, uint32_t panel)
{
	double		ends[FG_SHADE_LINES];

	for (uint32_t line = 0; line < FG_SHADE_LINES; line++)
		ends[line] = -INFINITY;
	for (size_t s = 0; s < d->plot->nshades; s++)
	{
		if (d->plot->shades[s].panel == panel)
			put_shade(d, &d->plot->shades[s], ends);
		if (!fg_steps(d->ctx, 16) || !d->document.xml.ok)
			return false;
	}
	return true;
}

/* Words above a panel; more of them would be read by nobody. */
#define MOST_WORDS 200

typedef struct Words
{
	uint32_t	line;
	double		from;
	double		to;
} Words;

typedef struct Taken
{
	uint32_t	count;
	Words		words[MOST_WORDS];
} Taken;

static bool
is_taken(const Taken *taken, uint32_t line, double from, double to)
{
	for (uint32_t i = 0; i < taken->count; i++)
	{
		const Words *words = &taken->words[i];

		if (words->line == line && from < words->to + 4 && words->from < to + 4)
			return true;
	}
	return false;
}

/* To the right of their rule where there is room, else to its left, else a line higher. */
static bool
place_words(const FgPlotDrawing *d, const FgPlotPanel *panel, double x, double width, Taken *taken)
{
	double		start = panel->left - d->left;
	double		end = panel->left + d->width + d->right;

	for (uint32_t line = 0; line < d->rule_lines && taken->count < MOST_WORDS; line++)
	{
		const double from[] = {x + 4, x - 4 - width};

		for (int side = 0; side < 2; side++)
		{
			if (from[side] < start || from[side] + width > end ||
				is_taken(taken, line, from[side], from[side] + width))
				continue;
			taken->words[taken->count++] = (Words) {line, from[side], from[side] + width};
			return true;
		}
		/* the rule would cross words of this line */
		if (is_taken(taken, line, x, x))
			break;
	}
	return false;
}

static void
put_rule(FgPlotDrawing *d, const FgPlotRule *rule, Taken *taken)
{
	FgXml	   *xml = &d->document.xml;
	const FgPlotPanel *panel = &d->panels[rule->panel];
	FgText		label = {rule->label.bytes, fg_text_shown(rule->label)};
	double		width = fmin((double) fg_columns(label.bytes, label.length), FG_NAME_COLUMNS) *
		FG_COLUMN_WIDTH * d->document.font_size;
	double		x = fg_plot_x(d, rule->panel, rule->at);
	bool		placed = place_words(d, panel, x, width, taken);
	const Words *words = &taken->words[placed ? taken->count - 1 : 0];
	double		y = !placed ? panel->top
		: panel->top - 6.0 - words->line * fg_document_line_height(&d->document);

	fg_xml_format(xml, "<g class=\"r\" stroke=\"#%06x\" stroke-width=\"%s\"%s><title>",
				  fg_series_color(FG_PLAIN_STYLE), rule->flag ? "1" : "2",
				  rule->flag ? fg_dotted : "");
	fg_xml_text(xml, rule->title.bytes, rule->title.length, FG_MOST_SHOWN);
	fg_xml_put(xml, "</title>");
	put_line(d, x, y, x, panel->top + d->height, "");
	end_group(d);
	if (!placed)
		return;
	begin_words(d, rule->flag ? " font-weight=\"bold\"" : "");
	fg_plot_put_text(d, label, words->from, y + 6, "start", width + 1);
	end_group(d);
}

bool
fg_plot_put_rules(FgPlotDrawing *d, uint32_t panel)
{
	Taken		taken = {.count = 0};

	for (size_t r = 0; r < d->plot->nrules; r++)
	{
		if (d->plot->rules[r].panel == panel)
			put_rule(d, &d->plot->rules[r], &taken);
		if (!fg_steps(d->ctx, 16) || !d->document.xml.ok)
			return false;
	}
	return true;
}

/* --- panels ------------------------------------------------------------------------- */

/* A line above a panel, over its whole width. */
static void
put_heading(FgPlotDrawing *d, uint32_t p, FgText text, uint32_t line, const char *weight,
			FgTruncate how)
{
	const uint32_t row = p / d->columns;
	double		top = d->top + row * d->row + line * fg_document_line_height(&d->document);

	begin_words(d, weight);
	put_text(d, text, d->panels[p].left, top + d->document.font_size, "start",
			 d->width + d->right, how);
	end_group(d);
}

bool
fg_plot_put_panel(FgPlotDrawing *d, uint32_t p)
{
	const FgPlotPanel *panel = &d->panels[p];
	const FgPlot *plot = d->plot;
	FgXml	   *xml = &d->document.xml;

	if (!put_shades(d, p))
		return false;
	if (d->options->grid)
		put_grid(d, panel, p);
	put_frame(d, panel, p);
	if (plot->panels != NULL)
		/* names of panels differ in their ends: parameters of a benchmark, a method of a class */
		put_heading(d, p, plot->panels[p], 0, " font-weight=\"bold\"", FG_TRUNCATE_START);
	if (plot->facts != NULL)
		put_heading(d, p, plot->facts[p], plot->panels != NULL, "", FG_TRUNCATE_END);
	if (fg_plot_has_x_labels(d, p))
		put_x_labels(d, panel);
	return put_y_labels(d, panel, p) && xml->ok;
}
