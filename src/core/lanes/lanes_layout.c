/*
 * lanes_layout.c
 *	  Where lanes are: the pieces of time in each, axes, columns and rows of the picture.
 */
#include "core/lanes/lanes_internal.h"

#include "core/svg/units.h"

#include <math.h>
#include <string.h>

#define BAND		16			/* height of a lane that is no chart */
#define GAP			5			/* below a lane */
#define CHART_GAP	14
#define HEADING		24			/* of a group */
#define MOST_NAME	0.3			/* of the width, that names of lanes take */

/* --- what there is of each lane --------------------------------------------------------- */

/* Numbers of rows by lane, and where those of each lane begin. */
static bool
sort_rows(FgLanesDrawing *d, uint32_t *begin)
{
	const FgLanes *lanes = d->lanes;

	d->rows = fg_alloc(d->ctx, lanes->nrows + 1, sizeof(uint32_t));
	if (d->rows == NULL)
		return false;
	for (size_t i = 0; i < lanes->nrows; i++)
	{
		begin[lanes->rows[i].lane + 2]++;
		if (!fg_check_every(d->ctx, i))
			return false;
	}
	for (uint32_t l = 2; l <= lanes->nlanes + 1; l++)
		begin[l] += begin[l - 1];
	for (size_t i = 0; i < lanes->nrows; i++)
	{
		d->rows[begin[lanes->rows[i].lane + 1]++] = (uint32_t) i;
		if (!fg_check_every(d->ctx, i))
			return false;
	}
	return true;
}

/* From the first start to the last stop of anything. */
static bool
time_axis(FgLanesDrawing *d)
{
	const FgLanes *lanes = d->lanes;
	double		lo = INFINITY;
	double		hi = -INFINITY;
	double		unit = 1;
	FgBuffer	name = {.ctx = d->ctx};
	bool		ok;

	for (size_t i = 0; i < lanes->nrows; i++)
	{
		lo = fmin(lo, lanes->rows[i].start);
		hi = fmax(hi, lanes->rows[i].stop);
		if (!fg_check_every(d->ctx, i))
			return false;
	}
	for (uint32_t l = 0; l < lanes->nlanes; l++)
	{
		lo = fmin(lo, isnan(lanes->lanes[l].from) ? lo : lanes->lanes[l].from);
		hi = fmax(hi, isnan(lanes->lanes[l].to) ? hi : lanes->lanes[l].to);
	}
	if (!(lo <= hi))
		lo = hi = 0;
	ok = fg_units_scale(&name, fmax(fabs(lo), fabs(hi)), "seconds", 7, &unit) &&
		fg_axis_make(d->ctx, FG_SCALE_LINEAR, lo, hi, unit, &d->x) &&
		fg_text_cut(&d->x_words, d->options->x_label) &&
		(d->options->x_label.length == 0 || fg_text_put(&d->x_words, ", ")) &&
		fg_buffer_append(&d->x_words, name.data, name.size);
	fg_release(d->ctx, name.data);
	return ok;
}

/* The highest stack and the highest line of a chart. */
static double
largest_of(const FgLanesDrawing *d, const FgLaneCells *cells)
{
	double		largest = 0;

	for (uint32_t c = 0; c < cells->count; c++)
	{
		double		stack = 0;

		for (uint32_t s = 0; s < cells->nseries; s++)
		{
			double		height = cells->height[(size_t) c * cells->nseries + s];

			if (isnan(height))
				continue;
			if (d->lanes->series[s].kind == FG_LANE_LINE)
				largest = fmax(largest, height);
			else
				stack += height;
		}
		largest = fmax(largest, stack);
	}
	return largest;
}

static bool
make_cells(FgLanesDrawing *d)
{
	const FgLanes *lanes = d->lanes;
	uint32_t   *begin = fg_alloc_zero(d->ctx, (size_t) lanes->nlanes + 2, sizeof(uint32_t));
	uint32_t	columns = (uint32_t) fmax(d->width / FG_LANE_COLUMN, 10);
	bool		ok = begin != NULL && sort_rows(d, begin);

	for (uint32_t l = 0; ok && l < lanes->nlanes; l++)
	{
		ok = fg_lane_cells_make(d->ctx, lanes->rows, d->rows + begin[l], begin[l + 1] - begin[l],
								lanes->nseries, d->x.first, d->x.last, columns, &d->cells[l]);
		d->means |= ok && !d->cells[l].exact;
	}
	fg_release(d->ctx, begin);
	return ok;
}

/* All charts have one scale, so that they can be compared. */
static bool
value_axes(FgLanesDrawing *d)
{
	const FgPlotOptions *o = d->options;
	double		largest = 0;
	double		unit = 1;
	bool		charts = false;

	for (uint32_t l = 0; l < d->lanes->nlanes; l++)
	{
		if (d->lanes->lanes[l].height > 0)
			largest = fmax(largest, largest_of(d, &d->cells[l]));
		charts |= d->lanes->lanes[l].height > 0;
	}
	if (!charts)
		return true;
	if (o->unit.length > 0 &&
		!fg_units_scale(&d->y_words, largest, o->unit.bytes, fg_text_shown(o->unit), &unit))
		return false;
	for (uint32_t l = 0; l < d->lanes->nlanes; l++)
	{
		if (d->lanes->lanes[l].height > 0 &&
			!fg_axis_make(d->ctx, FG_SCALE_LINEAR, 0, largest > 0 ? largest : 1, unit, &d->y[l]))
			return false;
	}
	return true;
}

/* --- places ----------------------------------------------------------------------------- */

double
fg_lanes_text_width(FgText text)
{
	return FG_COLUMN_WIDTH * FG_LANES_FONT * (double) fg_columns(text.bytes, fg_text_shown(text));
}

/* Names of lanes stand to the left, where charts have their numbers, too. */
static void
place_columns(FgLanesDrawing *d)
{
	double		names = 8 * FG_COLUMN_WIDTH * FG_LANES_FONT;

	for (uint32_t l = 0; l < d->lanes->nlanes; l++)
		names = fmax(names, fg_lanes_text_width(d->lanes->lanes[l].label));
	names = fmin(names, MOST_NAME * d->options->width);
	d->left = FG_MARGIN + ceil(names) + 8;
	d->width = fmax(d->options->width - d->left - 2 * FG_MARGIN, 20);
}

bool
fg_lanes_begins_group(const FgLanes *lanes, uint32_t l)
{
	FgText		group = lanes->lanes[l].group;

	if (l == 0 || group.length == 0)
		return group.length > 0;
	return group.length != lanes->lanes[l - 1].group.length ||
		memcmp(group.bytes, lanes->lanes[l - 1].group.bytes, group.length) != 0;
}

void
fg_lanes_place(FgLanesDrawing *d)
{
	double		y = d->start = fg_document_above(&d->document);

	for (uint32_t l = 0; l < d->lanes->nlanes; l++)
	{
		uint32_t	height = d->lanes->lanes[l].height;

		if (fg_lanes_begins_group(d->lanes, l))
			y += HEADING;
		if (height > 0 && d->y_words.size > 0)
			y += FG_LANES_UNIT;
		d->top[l] = y + (height > 0 ? 4 : 0);
		y = d->top[l] + (height > 0 ? height + CHART_GAP : BAND + GAP);
	}
	d->bottom = y;
}

double
fg_lanes_x(const FgLanesDrawing *d, double time)
{
	return d->left + d->width * fg_axis_share(&d->x, time);
}

double
fg_lanes_height(const FgLanesDrawing *d, uint32_t lane)
{
	uint32_t	height = d->lanes->lanes[lane].height;

	return height > 0 ? height : BAND;
}

double
fg_lanes_y(const FgLanesDrawing *d, uint32_t lane, double value)
{
	double		share = d->lanes->lanes[lane].height > 0 ? fg_axis_share(&d->y[lane], value)
		: fmin(value, 1);

	return d->top[lane] + fg_lanes_height(d, lane) * (1 - share);
}

bool
fg_lanes_lay_out(FgLanesDrawing *d)
{
	place_columns(d);
	return time_axis(d) && make_cells(d) && value_axes(d);
}
