/*
 * trace_samples.h
 *	  The trace event format's own samples: a list "samples", each of a thread, events of a
 *	  moment that have a stack, and "stackFrames", which name their parents.  Hermes and Go
 *	  write them.
 *
 * Hermes gives its samples no name and the weight 1: each stands for the time until the next
 * one of its thread, as in V8's profiles, and its frames are named as there.  Samples with a
 * name are those of an event of the system, of which each counts its weight, and events of a
 * moment are samples by their name, of which each counts 1.
 *
 * An event has its stack as the frame of an id (sf), or as a list of texts from the root (stack),
 * which become frames as well.
 */
#ifndef FG_TRACE_SAMPLES_H
#define FG_TRACE_SAMPLES_H

#include "core/browsers/trace_lanes.h"
#include "core/browsers/v8_profile.h"

enum
{
	FG_TRACE_STACK_FRAMES = 200,
	FG_TRACE_STACK_FRAME, FG_TRACE_FRAME_NAME, FG_TRACE_FRAME_CATEGORY, FG_TRACE_FRAME_PARENT,
	FG_TRACE_FRAME_LINE, FG_TRACE_FRAME_COLUMN, FG_TRACE_GLOBAL_SAMPLES, FG_TRACE_GLOBAL_SAMPLE,
	FG_TRACE_SAMPLE_NAME, FG_TRACE_SAMPLE_TIME, FG_TRACE_SAMPLE_PROCESS, FG_TRACE_SAMPLE_THREAD,
	FG_TRACE_SAMPLE_WEIGHT, FG_TRACE_SAMPLE_FRAME,
	FG_TRACE_EVENT_FRAME, FG_TRACE_EVENT_STACK, FG_TRACE_EVENT_TEXT, FG_TRACE_END_STACK,
	FG_TRACE_SAMPLES_END
};

/* The rules of the first two stand with those of the document. */
#define FG_TRACE_SAMPLES_ROOT \
	{FG_JSON_ROOT, "stackFrames", FG_TRACE_STACK_FRAMES, FG_JSON_OBJECT | FG_JSON_NULL}, \
	{FG_JSON_ROOT, "samples", FG_TRACE_GLOBAL_SAMPLES, FG_JSON_ARRAY | FG_JSON_NULL}

/* The last ones of an event. */
#define FG_TRACE_SAMPLES_OF(event) \
	{event, "sf", FG_TRACE_EVENT_FRAME, FG_JSON_STRING | FG_JSON_NUMBER | FG_JSON_NULL}, \
	{event, "stack", FG_TRACE_EVENT_STACK, FG_JSON_ANY}, \
	{event, "esf", FG_TRACE_END_STACK, FG_JSON_ANY}, \
	{event, "estack", FG_TRACE_END_STACK, FG_JSON_ANY}

#define FG_TRACE_SAMPLES_RULES \
	{FG_TRACE_EVENT_STACK, NULL, FG_TRACE_EVENT_TEXT, FG_JSON_STRING | FG_JSON_NUMBER}, \
	{FG_TRACE_STACK_FRAMES, FG_JSON_OTHER_KEYS, FG_TRACE_STACK_FRAME, FG_JSON_OBJECT}, \
	{FG_TRACE_STACK_FRAME, "name", FG_TRACE_FRAME_NAME, FG_JSON_STRING | FG_JSON_NULL}, \
	{FG_TRACE_STACK_FRAME, "category", FG_TRACE_FRAME_CATEGORY, FG_JSON_STRING | FG_JSON_NULL}, \
	{FG_TRACE_STACK_FRAME, "parent", FG_TRACE_FRAME_PARENT, FG_JSON_STRING | FG_JSON_NUMBER | FG_JSON_NULL}, \
	{FG_TRACE_STACK_FRAME, "funcLine", FG_TRACE_FRAME_LINE, FG_JSON_STRING | FG_JSON_NUMBER | FG_JSON_NULL}, \
	{FG_TRACE_STACK_FRAME, "funcColumn", FG_TRACE_FRAME_COLUMN, FG_JSON_STRING | FG_JSON_NUMBER | FG_JSON_NULL}, \
	{FG_TRACE_GLOBAL_SAMPLES, NULL, FG_TRACE_GLOBAL_SAMPLE, FG_JSON_OBJECT}, \
	{FG_TRACE_GLOBAL_SAMPLE, "name", FG_TRACE_SAMPLE_NAME, FG_JSON_STRING | FG_JSON_NULL}, \
	{FG_TRACE_GLOBAL_SAMPLE, "ts", FG_TRACE_SAMPLE_TIME, FG_JSON_STRING | FG_JSON_NUMBER}, \
	{FG_TRACE_GLOBAL_SAMPLE, "pid", FG_TRACE_SAMPLE_PROCESS, FG_JSON_STRING | FG_JSON_NUMBER | FG_JSON_NULL}, \
	{FG_TRACE_GLOBAL_SAMPLE, "tid", FG_TRACE_SAMPLE_THREAD, FG_JSON_STRING | FG_JSON_NUMBER | FG_JSON_NULL}, \
	{FG_TRACE_GLOBAL_SAMPLE, "weight", FG_TRACE_SAMPLE_WEIGHT, FG_JSON_STRING | FG_JSON_NUMBER}, \
	{FG_TRACE_GLOBAL_SAMPLE, "sf", FG_TRACE_SAMPLE_FRAME, FG_JSON_STRING | FG_JSON_NUMBER | FG_JSON_NULL}

typedef struct FgTraceFrame
{
	uint32_t	parent;			/* FG_NONE: none */
	uint32_t	frame;
	bool		defined;		/* and not only referred to */
} FgTraceFrame;

typedef struct FgTraceSample
{
	double		time;			/* microseconds */
	double		weight;
	uint32_t	event;			/* of "events"; 0: it has no name */
	uint32_t	lane;
	uint32_t	frame;			/* FG_NONE: no stack */
} FgTraceSample;

/* The stacks of the event that is being read. */
typedef struct FgTraceMoment
{
	bool		has_id;			/* sf */
	bool		has_texts;		/* stack */
	bool		is_other;		/* "stack" is no list */
	bool		at_end;			/* esf, estack */
	uint32_t	frame;			/* FG_NONE: none */
} FgTraceMoment;

typedef struct FgTraceSamples
{
	FgContext  *ctx;
	FgSink	   *sink;
	FgV8Texts	texts;
	FgNames		ids;			/* of frames */
	FgTraceFrame *frames;		/* by the number of their ids */
	size_t		frame_count;
	size_t		frame_capacity;
	FgNames		events;			/* 0 is the empty name */
	FgTraceSample *samples;
	uint32_t	count;
	size_t		capacity;
	uint32_t	unnamed;		/* how many have no name */
	FgTraceMoment moment;
	bool		has_list;
	bool		has_frames;

	/* what is being read */
	uint32_t	open;
	FgTraceFrame frame;
	bool		is_script;
	double		line;
	double		column;
	FgBuffer	text;
	FgBuffer	process;
	FgBuffer	thread;
	FgTraceSample sample;
	bool		has_time;
} FgTraceSamples;

extern bool fg_trace_samples_begin(FgSink *sink, FgTraceSamples *samples);
extern void fg_trace_samples_free(FgTraceSamples *samples);

extern bool fg_trace_samples_take(FgTraceSamples *samples, FgTraceLanes *lanes, FgJson *json,
								  int place, const FgJsonValue *value);

/* Another event begins. */
extern void fg_trace_samples_clear(FgTraceSamples *samples);

/* Does the event have stacks? */
extern bool fg_trace_samples_has_stack(const FgTraceSamples *samples);

/* Takes the event as a sample by this name, at this time in microseconds. */
extern bool fg_trace_samples_keep(FgTraceSamples *samples, FgJson *json, const FgBuffer *name,
								  uint32_t lane, double time);

/* The earliest time of a sample in microseconds; INFINITY: there is none. */
extern double fg_trace_samples_zero(const FgTraceSamples *samples);

/*
 * Adds the samples without a name to the profile (FG_UNWANTED where there are none), by their
 * time or by their number, and those with a name to profiles of their own.  Times of samples count from "zero", in
 * microseconds.
 */
extern bool fg_trace_samples_add(FgTraceSamples *samples, FgTraceLanes *lanes, uint32_t profile,
								 bool counts, double zero);

#endif							/* FG_TRACE_SAMPLES_H */
