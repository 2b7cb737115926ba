/*
 * moving_average.h
 *	  Moving averages: simple or weighted, median, exponential, with the windows, the
 *	  weights and the rules for the first values that pandas has.
 */
#ifndef FG_MOVING_AVERAGE_H
#define FG_MOVING_AVERAGE_H

#include "core/base/context.h"
#include "core/base/choice.h"
#include "core/models/window.h"

typedef enum FgAverage
{
	FG_SMA,
	FG_SMM,
	FG_EMA
} FgAverage;

/* FG_NOT_GIVEN or NaN for a number that is not given. */
typedef struct FgAverageOptions
{
	FgAverage	method;
	/* sma, smm */
	int64_t		window_size;	/* not given: chosen by R^2 */
	bool		center;
	/* all */
	int64_t		min_periods;	/* not given: all of a window; ema: 1 */
	/* sma */
	bool		weighted;		/* a window_type is given */
	FgWindow	window_type;
	double		beta;			/* not given: FG_KAISER_BETA */
	/* ema: exactly one of the four */
	double		com;
	double		span;
	double		halflife;
	double		alpha;
	bool		adjust;
} FgAverageOptions;

typedef struct FgMovingAverage
{
	double	   *fitted;			/* aligned with the points; NaN for none */
	int64_t		window_size;	/* the one used; FG_NOT_GIVEN for ema */
	double		x_start;
	double		x_end;
	double		r_square;
} FgMovingAverage;

extern const char *fg_average_word(FgAverage method);

/* FG_ERROR_ARGUMENT for an unknown word. */
extern bool fg_average_parse(FgContext *ctx, const char *text, size_t length, FgAverage *method);

/* Nothing given: centred windows of any width; for ema, one number is still missing. */
extern FgAverageOptions fg_average_defaults(FgAverage method);

/*
 * Points are sorted by (x, y) and finite.  Checks the options, too, even without points,
 * when the result has none.  FG_ERROR_RANGE when a value overflows.
 */
extern bool fg_moving_average(FgContext *ctx, const double *x, const double *y, size_t n,
							  const FgAverageOptions *options, FgMovingAverage *result);
extern void fg_moving_average_free(FgContext *ctx, FgMovingAverage *result);

#endif							/* FG_MOVING_AVERAGE_H */
