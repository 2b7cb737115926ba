/*
 * bar.c
 *	  Bars of text (see bar.h).
 */
#include "core/svg/bar.h"

#include <math.h>
#include <string.h>

#define EIGHTHS 8

static uint32_t
eighths_of(double share, uint32_t columns)
{
	double		eighths;

	if (!(share > 0))
		return 0;
	eighths = rint(fmin(share, 1) * columns * EIGHTHS);
	return eighths < 1 ? 1 : (uint32_t) eighths;
}

/* "count" times the same text. */
static bool
put_columns(FgBuffer *text, const char *column, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!fg_buffer_append(text, column, strlen(column)))
			return false;
	return true;
}

bool
fg_bar_put(FgBuffer *text, double total, double self, uint32_t columns, bool blocks)
{
	uint32_t	all = columns == 0 ? 0 : eighths_of(total, columns);
	uint32_t	solid = columns == 0 || !(self > 0) ? 0
		: eighths_of(fmin(self, total), columns);
	uint32_t	part = blocks ? solid % EIGHTHS : 0;
	uint32_t	used = blocks ? (solid + EIGHTHS - 1) / EIGHTHS : (solid + EIGHTHS / 2) / EIGHTHS;
	uint32_t	bar = (all + EIGHTHS / 2) / EIGHTHS;
	char		last[4] = {'\xE2', '\x96', (char) (0x90 - part), 0};

	if (solid > 0 && used == 0)
		used = 1;
	if (bar < used || all == solid)
		bar = used;
	if (bar == 0 && all > 0)
		bar = 1;
	return put_columns(text, blocks ? "\xE2\x96\x88" : "#", used - (part > 0)) &&
		put_columns(text, last, part > 0) &&
		put_columns(text, blocks ? "\xE2\x96\x91" : ".", bar - used) &&
		put_columns(text, " ", columns - bar);
}
