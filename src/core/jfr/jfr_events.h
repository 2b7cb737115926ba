/*
 * jfr_events.h
 *	  What the events of Java Flight Recorder mean, whichever form they come in: as JSON
 *	  (jfr_json.c) or in the binary file (jfr_binary.c).
 *
 * A recording has events of some hundred types, each with its fields, some with the
 * thread and the stack.  Those of a table become profiles.  A selection is the name of
 * a type, or one of the words cpu, alloc, lock, io, exception and error, which gather
 * the types that measure the same, or of those that one type alone has (cpu_time, and wall,
 * inuse_space, malloc and native_lock of async-profiler); "every" gives a profile for each word.
 *
 * Two things would be counted twice in a word.  The JDK has two ways to estimate what was
 * allocated; whichever comes first in the recording is the one that counts.  And it reports
 * an Error as a thrown exception as well, so that errors have a word of their own.
 *
 * A frame is Class.method, with dots where the JVM's names have slashes; with frame_style
 * function:line also :LINE, where the method has lines; with modes a suffix behind all that
 * says how it was compiled, as async-profiler does.
 */
#ifndef FG_JFR_EVENTS_H
#define FG_JFR_EVENTS_H

#include "core/base/bytes.h"
#include "core/reading/sink.h"

/* Which field of an event is its value. */
typedef enum FgJfrMeasure
{
	FG_JFR_ONE,					/* each event counts 1 */
	FG_JFR_WEIGHT,
	FG_JFR_TLAB_SIZE,
	FG_JFR_ALLOCATION_SIZE,
	FG_JFR_DURATION,
	FG_JFR_SAMPLING_PERIOD,		/* a span of time, as the duration is */
	FG_JFR_SAMPLES,
	FG_JFR_SIZE,
	FG_JFR_MEASURES
} FgJfrMeasure;

/* The names of these fields; "" for FG_JFR_ONE. */
extern const char *const fg_jfr_measure_fields[FG_JFR_MEASURES];

typedef struct FgJfrType
{
	const char *name;
	const char *event;
	const char *unit;
	FgJfrMeasure measure;
} FgJfrType;

/* The type of this name; NULL: none that becomes a profile. */
extern const FgJfrType *fg_jfr_type(const char *name, size_t length);

/* What of the options and of the events before decides how an event counts. */
typedef struct FgJfrCounting
{
	bool		by_type;		/* the selection is the name of a type */
	FgJfrMeasure allocations;	/* the way to estimate them that counts; FG_JFR_ONE: none yet */
} FgJfrCounting;

extern FgJfrCounting fg_jfr_counting(const FgReadOptions *options);

/* Is this a way to estimate allocations that is not the one that was met first? */
extern bool fg_jfr_counted_otherwise(FgJfrCounting *counting, const FgJfrType *type);

extern FgKind fg_jfr_kind(const FgJfrCounting *counting, const FgJfrType *type);

/* Class.method; either may be empty. */
extern bool fg_jfr_frame_name(FgBuffer *frame, const char *class_name, size_t class_length,
							  const char *method, size_t method_length);

/* :LINE, where there is one: JFR says 0 or -1 where a method has no lines. */
extern bool fg_jfr_frame_line(FgBuffer *frame, double line);

/* The suffix of a mode that JFR gives this name, mostly none. */
extern bool fg_jfr_frame_mode(FgBuffer *frame, const char *mode, size_t length);

/*
 * An instant in nanoseconds since 1970 that recordings may have: of the years 1900 to 2190, so
 * that differences of two fit 64 bits.
 */
extern bool fg_jfr_is_instant(int64_t nanoseconds);

/* The longest duration, in nanoseconds. */
#define FG_JFR_LONGEST (INT64_C(1) << 62)

/* One of the two forms; jfr.c tells them apart and begins the one that it is. */
extern const FgFormatReader fg_jfr_json_reader;
extern const FgFormatReader fg_jfr_binary_reader;

#endif							/* FG_JFR_EVENTS_H */
