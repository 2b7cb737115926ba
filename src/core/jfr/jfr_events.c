/*
 * jfr_events.c
 *	  Types, values and frames of Java Flight Recorder (see jfr_events.h).
 */
#include "core/jfr/jfr_events.h"

#include <stdio.h>

const char *const fg_jfr_measure_fields[FG_JFR_MEASURES] = {
	"", "weight", "tlabSize", "allocationSize", "duration", "samplingPeriod", "samples", "size"
};

static const FgJfrType types[] = {
	{"jdk.ExecutionSample", "cpu", "samples", FG_JFR_ONE},
	{"jdk.NativeMethodSample", "cpu", "samples", FG_JFR_ONE},
	{"jdk.ObjectAllocationSample", "alloc", "bytes", FG_JFR_WEIGHT},
	{"jdk.ObjectAllocationInNewTLAB", "alloc", "bytes", FG_JFR_TLAB_SIZE},
	{"jdk.ObjectAllocationOutsideTLAB", "alloc", "bytes", FG_JFR_ALLOCATION_SIZE},
	{"jdk.JavaMonitorEnter", "lock", "nanoseconds", FG_JFR_DURATION},
	{"jdk.JavaMonitorWait", "lock", "nanoseconds", FG_JFR_DURATION},
	{"jdk.ThreadPark", "lock", "nanoseconds", FG_JFR_DURATION},
	{"jdk.FileRead", "io", "nanoseconds", FG_JFR_DURATION},
	{"jdk.FileWrite", "io", "nanoseconds", FG_JFR_DURATION},
	{"jdk.SocketRead", "io", "nanoseconds", FG_JFR_DURATION},
	{"jdk.SocketWrite", "io", "nanoseconds", FG_JFR_DURATION},
	{"jdk.JavaExceptionThrow", "exception", "samples", FG_JFR_ONE},
	{"jdk.JavaErrorThrow", "error", "samples", FG_JFR_ONE},
	{"jdk.CPUTimeSample", "cpu_time", "nanoseconds", FG_JFR_SAMPLING_PERIOD},
	/* async-profiler's own */
	{"profiler.WallClockSample", "wall", "samples", FG_JFR_SAMPLES},
	{"profiler.LiveObject", "inuse_space", "bytes", FG_JFR_ALLOCATION_SIZE},
	{"profiler.Malloc", "malloc", "bytes", FG_JFR_SIZE},
	{"profiler.NativeLock", "native_lock", "nanoseconds", FG_JFR_DURATION}
};

#define TYPES (sizeof(types) / sizeof(types[0]))

const FgJfrType *
fg_jfr_type(const char *name, size_t length)
{
	for (size_t i = 0; i < TYPES; i++)
	{
		if (strlen(types[i].name) == length && memcmp(types[i].name, name, length) == 0)
			return &types[i];
	}
	return NULL;
}

FgJfrCounting
fg_jfr_counting(const FgReadOptions *options)
{
	return (FgJfrCounting) {
		.by_type = options->selection != NULL &&
			(strncmp(options->selection, "jdk.", 4) == 0 || strncmp(options->selection, "profiler.", 9) == 0)
	};
}

bool
fg_jfr_counted_otherwise(FgJfrCounting *counting, const FgJfrType *type)
{
	FgJfrMeasure way = type->measure == FG_JFR_ALLOCATION_SIZE ? FG_JFR_TLAB_SIZE : type->measure;

	if (counting->by_type || strcmp(type->event, "alloc") != 0)
		return false;
	if (counting->allocations == FG_JFR_ONE)
		counting->allocations = way;
	return way != counting->allocations;
}

FgKind
fg_jfr_kind(const FgJfrCounting *counting, const FgJfrType *type)
{
	return (FgKind) {type->event, counting->by_type ? type->name : type->event, type->unit,
		type->measure == FG_JFR_ONE ? 1 : 0};
}

/* --- frames ---------------------------------------------------------------------------- */

bool
fg_jfr_frame_name(FgBuffer *frame, const char *class_name, size_t class_length, const char *method,
				  size_t method_length)
{
	size_t		start = frame->size;

	if (!fg_buffer_append(frame, class_name, class_length))
		return false;
	for (size_t i = start; i < frame->size; i++)
	{
		if (frame->data[i] == '/')
			frame->data[i] = '.';
	}
	return (class_length == 0 || method_length == 0 || fg_buffer_append(frame, ".", 1)) &&
		fg_buffer_append(frame, method, method_length);
}

bool
fg_jfr_frame_line(FgBuffer *frame, double line)
{
	char		text[32];
	int			length;

	if (!(line > 0) || line >= 1e9)
		return true;
	length = snprintf(text, sizeof(text), ":%.0f", line);
	return fg_buffer_append(frame, text, (size_t) length);
}

bool
fg_jfr_frame_mode(FgBuffer *frame, const char *mode, size_t length)
{
	static const char *const suffixes[][2] = {
		{"JIT compiled", "_[j]"},
		{"Inlined", "_[i]"},
		{"Interpreted", "_[0]"},
		{"C1 compiled", "_[1]"},	/* async-profiler's files */
		{"Kernel", "_[k]"}
	};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
	{
		if (strlen(suffixes[i][0]) == length && memcmp(suffixes[i][0], mode, length) == 0)
			return fg_buffer_append(frame, suffixes[i][1], strlen(suffixes[i][1]));
	}
	return true;
}

bool
fg_jfr_is_instant(int64_t nanoseconds)
{
	/* 1900-01-01 and 2191-01-01 */
	return nanoseconds >= INT64_C(-2208988800) * 1000000000 &&
		nanoseconds < INT64_C(6974121600) * 1000000000;
}
