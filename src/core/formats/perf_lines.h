/*
 * perf_lines.h
 *	  The lines of "perf script": heads of samples, and frames.
 *
 * Both are read whole or not at all.  A head that has fields which are not known, or
 * numbers that may mean several things, is refused with the reason: a field that is
 * taken for another would give wrong stacks without a word.  The spans point into the
 * line.
 */
#ifndef FG_PERF_LINES_H
#define FG_PERF_LINES_H

#include "core/base/bytes.h"

typedef struct FgPerfSpan
{
	const char *text;
	size_t		length;
} FgPerfSpan;

/* Fields that were not printed are empty. */
typedef struct FgPerfHead
{
	FgPerfSpan	command;
	FgPerfSpan	id;				/* process, process/thread or thread */
	FgPerfSpan	time;			/* with its colon */
	FgPerfSpan	period;
	FgPerfSpan	event;
	FgPerfSpan	rest;			/* behind the event */
	bool		certain;		/* processor or time are there */
	bool		other_record;	/* PERF_RECORD_... */
} FgPerfHead;

typedef struct FgPerfFrame
{
	FgPerfSpan	address;		/* without "0x" */
	FgPerfSpan	symbol;			/* without its offset */
	FgPerfSpan	object;			/* with its brackets */
	bool		in_kernel;
} FgPerfFrame;

extern FgPerfSpan fg_perf_skip_blanks(FgPerfSpan text);
extern bool fg_perf_starts_with(FgPerfSpan text, const char *start);

/* There is no symbol, or perf knows none. */
extern bool fg_perf_is_unnamed(FgPerfSpan symbol);

/*
 * The head of a sample.  Its fields come in this order, each of them or not: command,
 * process and thread, virtual machine and its processor, processor, misc, date, time,
 * period, event, rest.  NULL when it was understood, else what is wrong with it.
 */
extern const char *fg_perf_head(FgPerfSpan line, FgPerfHead *head);

/* A frame or its place without the fields that perf prints behind it, on the same line. */
extern FgPerfSpan fg_perf_strip_fields(FgPerfSpan text);

/* Is this text a frame?  It is, if an address stands in front. */
extern bool fg_perf_is_frame(FgPerfSpan text);

/* A frame; NULL when it was understood, else what is wrong with it. */
extern const char *fg_perf_frame(FgPerfSpan text, FgPerfFrame *frame);

/*
 * The rest of a head as the frame of a sample without a call chain.  "other": the rest is
 * something else, such as the text of a tracepoint.
 */
extern const char *fg_perf_only_frame(const FgPerfHead *head, FgPerfFrame *frame, bool *other);

/* The instruction of a sample with a call chain, as a text.  Its line may look like a frame. */
extern bool fg_perf_is_instruction(FgPerfSpan line);

/* A line of a sample that is no frame: a branch stack, registers, the bytes of an instruction. */
extern bool fg_perf_is_extra(FgPerfSpan line);

/*
 * What an event is, a part of its name: without modifiers and how it was recorded ("cycles:u",
 * "page-faults/period=40/"), and without the PMU of a processor's cores ("cpu_core/cycles/").
 * Other events of a PMU are known by all of it: "power/energy-pkg/".
 */
extern FgPerfSpan fg_perf_event_word(FgPerfSpan name);

#endif							/* FG_PERF_LINES_H */
