/*
 * plot_words.c
 *	  Panels and series by their names (see plot_words.h).
 */
#include "core/plots/plot_words.h"

#include <string.h>

bool
fg_text_equal(FgText a, FgText b)
{
	return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

bool
fg_plot_word(FgContext *ctx, FgPlotWords *words, FgText text, uint32_t *number)
{
	for (uint32_t i = 0; i < words->count; i++)
	{
		*number = i;
		if (fg_text_equal(words->texts[i], text))
			return fg_work(ctx, text.length);
	}
	if (words->count == words->limit)
		return words->limit == FG_SERIES
			? fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0,
						 "Give some of them panels of their own (panel_of).",
						 "a plot has at most %d series", FG_SERIES)
			: fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, "Draw several plots.",
						 "a plot has at most %d panels", FG_MOST_PANELS);
	*number = words->count;
	words->texts[words->count++] = text;
	return true;
}
