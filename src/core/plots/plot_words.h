/*
 * plot_words.h
 *	  The panels and series of a plot: texts in the order in which they first come.
 */
#ifndef FG_PLOT_WORDS_H
#define FG_PLOT_WORDS_H

#include "core/plots/plot.h"

typedef struct FgPlotWords
{
	uint32_t	count;
	uint32_t	limit;			/* FG_SERIES or FG_MOST_PANELS */
	FgText		texts[FG_MOST_PANELS];
} FgPlotWords;

extern bool fg_text_equal(FgText a, FgText b);

/* The number of a text, which may be a new one; FG_ERROR_ARGUMENT beyond the limit. */
extern bool fg_plot_word(FgContext *ctx, FgPlotWords *words, FgText text, uint32_t *number);

#endif							/* FG_PLOT_WORDS_H */
