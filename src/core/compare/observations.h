/*
 * observations.h
 *	  What each function had in each of many profiles, for statistics over runs.
 *
 * Profiles are read one at a time and leave a number for each of their functions
 * behind, so memory follows the functions that occur and not the nodes.
 */
#ifndef FG_OBSERVATIONS_H
#define FG_OBSERVATIONS_H

#include "core/profile/names.h"
#include "core/profile/tree.h"

/*
 * A metric of functions is the potential of a degree (potential.h): within reach of no
 * call (self), of so many calls, of all calls (total).
 */
#define FG_METRIC_SELF	0
#define FG_METRIC_TOTAL UINT32_MAX

/*
 * Not of functions but of calling contexts: inclusive values.  The names are their paths
 * (path.h) then; FG_ERROR_LIMIT when these do not fit a dictionary.
 */
#define FG_METRIC_NODE	(UINT32_MAX - 1)

/* 'total', 'self' or 'potential:N'; else FG_ERROR_ARGUMENT. */
extern bool fg_metric_parse(FgContext *ctx, const char *text, size_t length, uint32_t *metric);

/* Also of a function that occurs with the value 0. */
typedef struct FgObservation
{
	uint32_t	frame;
	uint32_t	profile;
	double		value;
} FgObservation;

typedef struct FgObservations
{
	FgContext  *ctx;
	uint32_t	metric;
	FgNames		names;
	FgObservation *list;		/* after the end: by frame, then in the order of reading */
	size_t		count;
	size_t		capacity;
	FgFrames	frames;			/* after the end; list[i].frame is a number of it */
	size_t	   *first;			/* by frame, frames.count + 1: where its observations start */
} FgObservations;

extern bool fg_observations_begin(FgContext *ctx, uint32_t metric, FgObservations *all);
extern bool fg_observations_add(FgObservations *all, const FgTree *tree, uint32_t profile);
extern bool fg_observations_end(FgObservations *all);
extern void fg_observations_free(FgObservations *all);

#endif							/* FG_OBSERVATIONS_H */
