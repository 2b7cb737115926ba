/*
 * timeline.h
 *	  The samples of a recording one by one, with their times, for who takes them
 *	  (FgTaker of recorded.h) instead of profiles.
 *
 * A sample either says when it stops, or it lasts until the next one of its thread and
 * event.  Of those the last one of each thread is kept until the next comes; memory
 * goes with the threads and not with the samples.
 *
 * How long a sample lasts that no other follows is not always in the file.  It is then
 * typical of its event: the median of the first 4,096 gaps above 0 between neighbours
 * of a thread, which is known only at the end (FgRecorded.gap).
 */
#ifndef FG_TIMELINE_H
#define FG_TIMELINE_H

#include "core/reading/recorded.h"

/* Gaps of an event from which the typical one is taken. */
#define FG_TIMELINE_GAPS 4096

/* Threads times events: no recording has so many, a hostile one may. */
#define FG_MAX_LANES (UINT32_C(1) << 20)

/* Bytes of the stacks that are kept, over all threads. */
#define FG_MAX_PENDING_BYTES (UINT32_C(1) << 28)

typedef struct FgTimeline FgTimeline;

extern FgTimeline *fg_timeline_create(FgContext *ctx, const FgTaker *taker);
extern void fg_timeline_free(FgTimeline *timeline);

/* Takes the next sample of the file; its order is set here. */
extern bool fg_timeline_add(FgTimeline *timeline, FgTimed *timed);

/* Hands on what was kept. */
extern bool fg_timeline_finish(FgTimeline *timeline);

/* The typical gap of an event in ticks; 0 when no thread has two samples of it. */
extern bool fg_timeline_gap(FgTimeline *timeline, uint32_t number, double *gap);

/*
 * A clock for each thread that starts at 0: *before becomes what it says, then it goes
 * on by "ticks".
 */
extern bool fg_timeline_advance(FgTimeline *timeline, const char *thread, size_t length,
								double ticks, double *before);

#endif							/* FG_TIMELINE_H */
