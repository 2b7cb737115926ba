/*
 * heat_map_layout.c
 *	  Which columns are drawn together, where everything is, and the scale of the numbers
 *	  (see heat_map_internal.h).
 */
#include "core/heat_maps/heat_map_internal.h"

#include "core/base/series.h"
#include "core/svg/units.h"

#define TICK			4		/* length of its line, and what is free behind it */
#define NAME_GAP		6		/* between a name and the cells */
#define LEAST_WIDTH		40		/* of all cells */
#define LABEL_COLUMNS	24		/* of the longest label */
#define NAMES_SHARE		0.4		/* of the picture's width */
#define BAR				12
#define PADDING			6		/* of a number in its cell, left and right together */

static double
column_width(const FgHeatDrawing *d)
{
	return FG_COLUMN_WIDTH * d->document.font_size;
}

/* --- names -------------------------------------------------------------------------- */

static FgLabel
fit(const FgHeatDrawing *d, FgText text, double columns, FgTruncate how, double *pixels)
{
	FgLabel		label = fg_label_fit(text.bytes, text.length, (size_t) columns, how);
	size_t		width = fg_columns(text.bytes + label.start, label.end - label.start);

	*pixels = (double) (width + label.cut_start + label.cut_end) * column_width(d);
	return label;
}

FgLabel
fg_heat_name(const FgHeatDrawing *d, uint32_t line, double *pixels)
{
	double		columns = floor(NAMES_SHARE * d->options->width / column_width(d));

	return fit(d, d->map->lines[line], columns, d->truncate, pixels);
}

FgLabel
fg_heat_label(const FgHeatDrawing *d, uint32_t column, double *pixels)
{
	return fit(d, d->map->columns[column * d->each], LABEL_COLUMNS, FG_TRUNCATE_END, pixels);
}

static bool
measure_names(FgHeatDrawing *d)
{
	for (uint32_t l = 0; l < d->map->nlines; l++)
	{
		double		pixels;

		(void) fg_heat_name(d, l, &pixels);
		d->names = fmax(d->names, pixels);
		if (!fg_work(d->ctx, d->map->lines[l].length))
			return false;
	}
	return true;
}

/* --- columns ------------------------------------------------------------------------ */

static bool
place_columns(FgHeatDrawing *d)
{
	uint32_t	room = (uint32_t) ((d->right - d->left) / FG_HEAT_LEAST);

	d->each = d->map->ncolumns / room + (d->map->ncolumns % room != 0);
	d->shown = d->map->ncolumns / d->each + (d->map->ncolumns % d->each != 0);
	for (uint32_t c = 0; c < d->shown; c++)
	{
		d->label_at[c] = fg_heat_x(d, c) / 2 + fg_heat_x(d, c + 1) / 2;
		(void) fg_heat_label(d, c, &d->label_width[c]);
		if (!fg_work(d->ctx, d->map->columns[c * d->each].length))
			return false;
	}
	return fg_labels_arrange(d->ctx, d->label_at, d->label_width, d->shown,
							 d->document.font_size + 2, &d->labels);
}

/* Room that labels need beside the cells; false: there is enough. */
static bool
widen(FgHeatDrawing *d)
{
	double		left = FG_MARGIN;	/* how far labels go beyond the picture's margins */
	double		right = d->options->width - FG_MARGIN;
	double		missing;

	d->depth = d->document.font_size;
	for (uint32_t c = 0; c < d->shown; c += d->labels.every)
	{
		double		width = d->label_width[c];
		double		before = d->labels.turned ? width / sqrt(2) : width / 2;

		left = fmin(left, d->label_at[c] - before);
		if (!d->labels.turned)
			right = fmax(right, d->label_at[c] + width / 2);
		else
			d->depth = fmax(d->depth, before + d->document.font_size);
	}
	missing = right - (d->options->width - FG_MARGIN);
	d->left += FG_MARGIN - left;
	d->right -= missing;
	d->right = fmax(d->right, d->left + LEAST_WIDTH);
	return left < FG_MARGIN || missing > 0;
}

static bool
find_columns(FgHeatDrawing *d)
{
	size_t		most = d->options->width / FG_HEAT_LEAST + 1;
	size_t		count = d->map->ncolumns < most ? d->map->ncolumns : most;

	d->label_at = fg_alloc(d->ctx, count, sizeof(double));
	d->label_width = fg_alloc(d->ctx, count, sizeof(double));
	if (d->label_at == NULL || d->label_width == NULL)
		return false;
	d->left = FG_MARGIN + d->names + NAME_GAP;
	d->right = d->options->width - FG_MARGIN;
	if (!place_columns(d))
		return false;
	for (int turn = 0; turn < 2 && widen(d); turn++)
	{
		if (!place_columns(d))
			return false;
	}
	(void) widen(d);
	return place_columns(d);
}

/* --- numbers ------------------------------------------------------------------------ */

static bool
add_up(FgHeatDrawing *d)
{
	const FgHeatMap *map = d->map;
	uint64_t	cells = (uint64_t) map->nlines * d->shown;

	if (cells > FG_HEAT_MOST_CELLS)
		return fg_fail_at(d->ctx, FG_ERROR_LIMIT, 0, 0, "Draw fewer lines, or a narrower picture.",
						  "a heat map of %llu cells is too large, the limit is %d",
						  (unsigned long long) cells, FG_HEAT_MOST_CELLS);
	d->sums = fg_alloc_zero(d->ctx, (size_t) cells, sizeof(FgHeatSum));
	if (d->sums == NULL)
		return false;
	for (size_t i = 0; i < map->ncells; i++)
	{
		const FgHeatCell *cell = &map->cells[i];
		FgHeatSum  *sum = &d->sums[(size_t) cell->line * d->shown + cell->column / d->each];

		if (!fg_check_every(d->ctx, i))
			return false;
		if (isnan(cell->value))
			continue;
		if (!(fabs(cell->value) <= FG_AXIS_LARGEST))	/* it says why it cannot be drawn */
			return fg_axis_make(d->ctx, FG_SCALE_LINEAR, cell->value, cell->value, 1, &d->axis);
		fg_sum_twice(&sum->sum, cell->value);
		sum->count++;
	}
	return true;
}

static bool
find_range(FgHeatDrawing *d, double *lo, double *hi)
{
	*lo = INFINITY;
	*hi = -INFINITY;
	for (uint32_t l = 0; l < d->map->nlines; l++)
	{
		for (uint32_t c = 0; c < d->shown; c++)
		{
			d->empty += fg_heat_empty(d, l, c);
			if (fg_heat_empty(d, l, c))
				continue;
			*lo = fmin(*lo, fg_heat_value(d, l, c));
			*hi = fmax(*hi, fg_heat_value(d, l, c));
		}
		if (!fg_steps(d->ctx, d->shown))
			return false;
	}
	return true;
}

static bool
make_scale(FgHeatDrawing *d)
{
	FgText		unit = d->options->unit;
	double		lo;
	double		hi;
	double		size;

	if (!find_range(d, &lo, &hi))
		return false;
	d->scaled = lo <= hi;
	if (!d->scaled)
		return true;
	size = fmax(fabs(lo), fabs(hi));
	if (!fg_units_scale(&d->unit_name, size, unit.bytes, fg_text_shown(unit), &d->unit))
		return false;
	if (unit.length == 0)
		d->unit = 1;
	if (d->options->scale == FG_HEAT_DIVERGING)
		lo = -(hi = size);
	return fg_axis_make(d->ctx, FG_SCALE_LINEAR, lo, hi, d->unit, &d->axis);
}

/* --- numbers in cells --------------------------------------------------------------- */

size_t
fg_heat_print(const FgHeatDrawing *d, double value, char *to)
{
	return fg_units_number(value / d->unit, to);
}

/* Either all numbers are written or none. */
static bool
find_written(FgHeatDrawing *d)
{
	double		room = (d->right - d->left) / d->shown - PADDING;

	d->written = d->scaled && d->options->cell_height >= d->document.font_size + 4;
	for (uint32_t l = 0; d->written && l < d->map->nlines; l++)
	{
		for (uint32_t c = 0; d->written && c < d->shown; c++)
		{
			char		text[FG_UNITS_SIZE];

			if (!fg_heat_empty(d, l, c))
				d->written = (double) fg_heat_print(d, fg_heat_value(d, l, c), text) *
					column_width(d) <= room;
			if (!fg_steps(d->ctx, 100))
				return false;
		}
	}
	return true;
}

/* --- places ------------------------------------------------------------------------- */

double
fg_heat_tick_width(const FgHeatDrawing *d)
{
	size_t		columns = 0;

	for (uint32_t i = 0; i < d->axis.count; i++)
		columns = d->axis.ticks[i].length > columns ? d->axis.ticks[i].length : columns;
	return (double) columns * column_width(d);
}

static void
find_places(FgHeatDrawing *d)
{
	uint32_t	line = fg_document_line_height(&d->document);

	d->bottom = d->top + d->map->nlines * d->options->cell_height;
	d->end = d->bottom + 2 * TICK + (uint32_t) ceil(d->depth) + TICK;
	if (!d->scaled || !d->options->legend)
		return;
	d->bar = d->end + TICK + (d->options->unit.length > 0 ? line : 0);
	d->end = d->bar + BAR + TICK + line;
}

bool
fg_heat_lay_out(FgHeatDrawing *d)
{
	d->top = fg_document_above(&d->document);
	d->end = d->top;
	if (d->map->nlines > FG_HEAT_MOST_LINES)
		return fg_fail_at(d->ctx, FG_ERROR_ARGUMENT, 0, 0,
						  "Draw those that matter, or several heat maps.",
						  "a heat map has at most %d lines, not %u", FG_HEAT_MOST_LINES,
						  d->map->nlines);
	if (d->map->nlines == 0 || d->map->ncolumns == 0)
		return true;
	if (!measure_names(d) || !find_columns(d) || !add_up(d) || !make_scale(d) || !find_written(d))
		return false;
	find_places(d);
	return true;
}
