/*
 * plot_style.h
 *	  How the series of a plot look: colour, dashes of lines, shapes of points; each of them
 *	  alone tells series apart.
 *
 * The colours are those of Okabe and Ito (2008), as dark or light as they have to be for a
 * contrast of at least 3:1 on the background of light and of dark pictures.
 */
#ifndef FG_PLOT_STYLE_H
#define FG_PLOT_STYLE_H

#include "core/svg/document.h"

#define FG_SERIES 8

/* What belongs to no series: ideal lines, rules, axes. */
#define FG_PLAIN_STYLE FG_SERIES

extern FgColor fg_series_color(uint32_t style);

/* The attribute stroke-dasharray with a blank in front, or "". */
extern const char *fg_series_dashes(uint32_t style);

/* Lines of means, ideals and the like, whatever their series is. */
extern const char fg_dotted[];

/* An element without its end, so that a title can follow; hundredths of pixels. */
extern void fg_put_shape(FgXml *xml, uint32_t style, int64_t x, int64_t y, int64_t radius);

/* What ends it. */
extern const char *fg_shape_end(uint32_t style);

/* The diamond of points that stand out. */
#define FG_DIAMOND 3

#endif							/* FG_PLOT_STYLE_H */
