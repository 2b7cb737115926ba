/*
 * bar.h
 *	  Bars of text, in eighths of a column, for outlines on a terminal.
 */
#ifndef FG_BAR_H
#define FG_BAR_H

#include "core/base/bytes.h"

/*
 * Appends "columns" columns: a bar as long as "total" is of 1, of which "self" is solid
 * (U+2588, and U+2589 to U+258F for its last eighths) and the rest light (U+2591), then
 * blanks.  What is not 0 is at least an eighth; what is beyond 1, or self beyond total, is
 * cut; NaN and negative values are nothing.  Without blocks, for texts that are not UTF-8,
 * the bar is made of "#" and ".", in whole columns.
 */
extern bool fg_bar_put(FgBuffer *text, double total, double self, uint32_t columns, bool blocks);

#endif							/* FG_BAR_H */
