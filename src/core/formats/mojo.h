/*
 * mojo.h
 *	  The binary files of Austin (MOJO, versions 1 to 4), event by event, in blocks of any
 *	  size.
 *
 * What comes out is what austin's text has: comments, and samples with their thread, frames
 * "file:function:line" and metrics.  Names and frames are defined once in each process and
 * then referred to, so memory goes with them and with the threads, not with the samples.
 */
#ifndef FG_MOJO_H
#define FG_MOJO_H

#include "core/base/context.h"

typedef struct FgMojoFrame
{
	const char *text;
	size_t		length;
} FgMojoFrame;

/* Texts and numbers live during the call. */
typedef struct FgMojoSample
{
	const char *thread;			/* "P12;T0:34" */
	size_t		thread_length;
	const uint32_t *frames;		/* numbers (fg_mojo_frame), root first */
	size_t		frame_count;
	bool		has_time;
	bool		has_memory;
	bool		idle;
	bool		repeated;		/* thread and frames are those of the sample before */
	double		time;			/* microseconds */
	double		memory;			/* bytes */
} FgMojoSample;

typedef bool (*FgMojoTakeSample) (void *arg, const FgMojoSample *sample);

/* "# KEY: VALUE". */
typedef bool (*FgMojoTakeComment) (void *arg, const char *line, size_t length);

typedef struct FgMojo FgMojo;

extern FgMojo *fg_mojo_open(FgContext *ctx, FgMojoTakeSample sample, FgMojoTakeComment comment,
							void *arg);
extern bool fg_mojo_feed(FgMojo *mojo, const char *bytes, size_t size);
extern bool fg_mojo_finish(FgMojo *mojo);

/* The text of a frame, which has one number, and no other one. */
extern FgMojoFrame fg_mojo_frame(const FgMojo *mojo, uint32_t number);
extern void fg_mojo_close(FgMojo *mojo);

#define FG_MOJO_MAGIC "MOJ"

#endif							/* FG_MOJO_H */
