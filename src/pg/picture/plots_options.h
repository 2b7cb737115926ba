/*
 * plots_options.h
 *	  Arguments and options that plots have in common.
 */
#ifndef FG_PLOTS_OPTIONS_H
#define FG_PLOTS_OPTIONS_H

#include "pg/picture/pictures_options.h"

#include "core/plots/plot.h"

/* Numbers of an array; null elements are NaN, infinite ones error 22003. */
typedef struct FgNumbers
{
	double	   *values;			/* NULL: the argument is null */
	size_t		count;
} FgNumbers;

extern FgNumbers fg_numbers_argument(FunctionCallInfo fcinfo, int argument, const char *name);

/* Elements of a text[], none of them null; NULL: the argument is null. */
extern FgText *fg_texts_argument(FunctionCallInfo fcinfo, int argument, const char *name,
								 size_t *count);

/* Error 2202E unless "count" is "expected". */
extern void fg_same_length(const char *name, size_t count, const char *other, size_t expected);

/* The options that all plots take; a picture may know others besides. */
#define FG_PLOT_KEYS	10
extern const char *const fg_plot_keys[FG_PLOT_KEYS];

/* Checks the keys, of which "more" are the picture's own, and reads those of all plots. */
extern Jsonb *fg_plot_options(FunctionCallInfo fcinfo, int argument, const char *function,
							  const char *const *more, int count, FgPlotOptions *options);

/* width and height, which follow each other. */
extern void fg_size_arguments(FunctionCallInfo fcinfo, int first, FgPlotOptions *options);

#endif							/* FG_PLOTS_OPTIONS_H */
