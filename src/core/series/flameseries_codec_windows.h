/*
 * flameseries_codec_windows.h
 *	  Questions about windows of an encoded series, answered from its bytes.
 *
 * Workload: a dashboard that asks for an hour of a day, or for one function in it.  The nodes of
 * the shared tree are decoded once, its names when a tree is made or a path looked for; of the
 * blocks only those in the window are read, and in them only the columns that are asked for.  No
 * profile is made.
 */
#ifndef FG_FLAMESERIES_CODEC_WINDOWS_H
#define FG_FLAMESERIES_CODEC_WINDOWS_H

#include "core/series/flameseries.h"

typedef struct FgFlameseriesReader FgFlameseriesReader;

/*
 * Opens bytes that outlive the reader; of them only the sections that are asked for later need
 * be there (flameseries_codec.h).  NULL with the error set.
 */
extern FgFlameseriesReader *fg_flameseries_open(FgContext *ctx, const uint8_t *bytes, size_t size);
extern void fg_flameseries_close(FgFlameseriesReader *reader);

/* How many stacks of the shared tree have a value in some profile. */
extern uint32_t fg_flameseries_stacks(const FgFlameseriesReader *reader);

/* The names of the instances; NULL with the error set. */
extern const FgFrames *fg_flameseries_instance_names(FgFlameseriesReader *reader);

/* Are all profiles in the window, as far as times tell? */
extern bool fg_flameseries_all_times(const FgFlameseriesReader *reader,
									 const FgFlameseriesWindow *window);

/*
 * The sum of the profiles in a window.  FG_ERROR_RANGE when a stack's sum does not fit a double.
 * That of everything is read from section SUMS.
 */
extern bool fg_flameseries_window_sum(FgFlameseriesReader *reader,
									  const FgFlameseriesWindow *window, FgTree *sum);

/* The same of bytes that nothing else is asked of. */
extern bool fg_flameseries_sum(FgContext *ctx, const uint8_t *bytes, size_t size,
							   const FgFlameseriesWindow *window, FgTree *sum);

/* The time of the first profile in a window. */
extern bool fg_flameseries_first_time(FgFlameseriesReader *reader,
									  const FgFlameseriesWindow *window, int64_t *at, bool *found);

/*
 * What stacks that are asked for come to in each profile of a window, 0 included: chosen[s] says
 * so of the s-th stack of the shared tree in preorder.  Sums of multiples below 2^53 are exact.
 */
typedef struct FgFlameseriesTrend
{
	uint32_t	count;
	int64_t    *at;
	uint32_t   *instance;
	double	   *value;
} FgFlameseriesTrend;

extern bool fg_flameseries_trend(FgFlameseriesReader *reader, const FgFlameseriesWindow *window,
								 const uint8_t *chosen, FgFlameseriesTrend *trend);
extern void fg_flameseries_trend_free(FgContext *ctx, FgFlameseriesTrend *trend);

/*
 * Who is asked for, to be released; NULL with the error set.  The stacks that have a frame, or
 * end in it; those that begin with a path, or are it.
 */
extern uint8_t *fg_flameseries_choose_frame(FgFlameseriesReader *reader, const char *frame,
											size_t length, bool self);
extern uint8_t *fg_flameseries_choose_path(FgFlameseriesReader *reader, const char *path,
										   size_t length, bool self);

/*
 * What the chosen stacks come to in all profiles together, from section SUMS, which has to be there.
 * FG_ERROR_RANGE when that does not fit a double.
 */
extern bool fg_flameseries_chosen_sum(FgFlameseriesReader *reader, const uint8_t *chosen,
									  double *sum);

#endif							/* FG_FLAMESERIES_CODEC_WINDOWS_H */
