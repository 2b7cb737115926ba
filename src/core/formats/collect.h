/*
 * collect.h
 *	  The sink's beginning and end, for who drives a format (recording.c).
 */
#ifndef FG_COLLECT_H
#define FG_COLLECT_H

#include "core/formats/sink.h"

/* Events of one recording: no profiler has so many, a hostile file may. */
#define FG_MAX_EVENTS 1000

extern FgSink *fg_sink_create(FgContext *ctx, const FgReadOptions *options);

/* Makes the trees.  What it has made when it fails is in the recording, too. */
extern bool fg_sink_finish(FgSink *sink, FgRecording *recording);
extern void fg_sink_free(FgSink *sink);

#endif							/* FG_COLLECT_H */
