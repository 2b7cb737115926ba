/*
 * indexes.h
 *	  Keys of GIN indexes over frames.
 */
#ifndef FG_INDEXES_H
#define FG_INDEXES_H

#include "pg/base/values.h"

/* A key for each frame of a series, and how many these are. */
extern Datum *fg_gin_series_keys(const FgFrames *frames, int32 *nkeys);

#endif							/* FG_INDEXES_H */
