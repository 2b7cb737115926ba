/*
 * window.h
 *	  Weights of windows, symmetric, as scipy.signal.windows has them, except that what
 *	  rounding leaves of a 0 (below 1e-15) is 0.
 */
#ifndef FG_WINDOW_H
#define FG_WINDOW_H

#include "core/base/context.h"

typedef enum FgWindow
{
	FG_WINDOW_BOXCAR,			/* equal weights */
	FG_WINDOW_TRIANG,
	FG_WINDOW_BARTLETT,
	FG_WINDOW_BLACKMAN,
	FG_WINDOW_HAMMING,
	FG_WINDOW_BLACKMANHARRIS,
	FG_WINDOW_NUTTALL,
	FG_WINDOW_PARZEN,
	FG_WINDOW_BOHMAN,
	FG_WINDOW_BARTHANN,
	FG_WINDOW_KAISER
} FgWindow;

/* Of the kaiser window, when none is given. */
#define FG_KAISER_BETA 14.0

extern const char *fg_window_word(FgWindow window);

/* FG_ERROR_ARGUMENT for an unknown word. */
extern bool fg_window_parse(FgContext *ctx, const char *text, size_t length, FgWindow *window);

/*
 * The weights first .. first + count - 1 of a window of "width" weights: all of them,
 * or those of a very wide one that meet data.  Only kaiser reads beta.
 * FG_ERROR_ARGUMENT unless width is positive.
 */
extern bool fg_window_weights(FgContext *ctx, FgWindow window, double beta, int64_t width,
							  size_t first, size_t count, double *weights);

#endif							/* FG_WINDOW_H */
