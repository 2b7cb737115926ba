/*
 * svg_copy.h
 *	  Puts a picture of ours into a page: a strict reader, and a writer of what it read.
 *
 * The text may come from anybody.  It is read as SVG of our own making: one element svg
 * with the id of a picture, elements and attributes that our writers use, names of nothing
 * but parts of itself, text without hidden characters.  Whatever else it holds is an error
 * (FG_ERROR_ARGUMENT, with the byte's position), so nothing has to be cleaned and nothing
 * is left out in silence.  What passes means the same to readers of XML and of HTML.
 *
 * Scripts and styles are left out: the page has one copy of each, whose hash its policy
 * names.  Ids get the number of the picture, so equal pictures can stand in one page.
 */
#ifndef FG_SVG_COPY_H
#define FG_SVG_COPY_H

#include "core/svg/document.h"

/* What the picture has that was left out. */
typedef struct FgSvgParts
{
	bool		data;			/* of a viewer */
	bool		chart;			/* of that of flame charts (chart_data.h) */
} FgSvgParts;

/* number, from 1: which picture of the page this is. */
extern bool fg_svg_copy(FgXml *to, FgText svg, uint32_t number, FgSvgParts *parts);

#endif							/* FG_SVG_COPY_H */
