/*
 * spark_events.h
 *	  The events of a Spark event log: one JSON object a line, as JsonProtocol of Spark 1.4
 *	  to 4.x writes them.
 *
 * Lines come in blocks of any size.  What a line says is handed on when it is whole; a
 * line that is not JSON, or is cut off, is counted and left out.  Lines of events that
 * nobody here needs, most bytes of many logs, are not parsed when their name stands first,
 * as Spark writes it.  Memory grows with the longest string of a line at most.
 */
#ifndef FG_SPARK_EVENTS_H
#define FG_SPARK_EVENTS_H

#include "core/base/bytes.h"
#include "core/base/span.h"

typedef enum FgSparkEventKind
{
	FG_SPARK_LOG_START,
	FG_SPARK_APPLICATION_START,
	FG_SPARK_APPLICATION_END,
	FG_SPARK_JOB_START,
	FG_SPARK_JOB_END,
	FG_SPARK_STAGE_SUBMITTED,
	FG_SPARK_STAGE_COMPLETED,
	FG_SPARK_TASK_START,
	FG_SPARK_TASK_END,
	FG_SPARK_EXECUTOR_ADDED,
	FG_SPARK_OTHER				/* of Spark, but not needed */
} FgSparkEventKind;

/* Whole numbers of events; times in milliseconds after 1970-01-01 00:00 UTC. */
typedef enum FgSparkNumber
{
	FG_SPARK_TIMESTAMP,
	FG_SPARK_JOB_ID,
	FG_SPARK_SUBMISSION,		/* of a job */
	FG_SPARK_COMPLETION,
	FG_SPARK_STAGE_ID,			/* of a task */
	FG_SPARK_STAGE_ATTEMPT,
	FG_SPARK_INFO_ID,			/* of a stage */
	FG_SPARK_INFO_ATTEMPT,
	FG_SPARK_INFO_SUBMISSION,
	FG_SPARK_INFO_COMPLETION,
	FG_SPARK_TASK_ID,
	FG_SPARK_TASK_INDEX,
	FG_SPARK_TASK_ATTEMPT,
	FG_SPARK_LAUNCH,
	FG_SPARK_GETTING_RESULT,
	FG_SPARK_FINISH,
	FG_SPARK_CORES,
	FG_SPARK_DESERIALIZE,		/* of a task's metrics; ms, or ns where it says so */
	FG_SPARK_DESERIALIZE_CPU_NS,
	FG_SPARK_RUN,
	FG_SPARK_CPU_NS,
	FG_SPARK_GC_TIME,
	FG_SPARK_SERIALIZE,
	FG_SPARK_FETCH_WAIT,
	FG_SPARK_WRITE_NS,
	FG_SPARK_NUMBERS
} FgSparkNumber;

typedef enum FgSparkText
{
	FG_SPARK_VERSION,
	FG_SPARK_APPLICATION_NAME,
	FG_SPARK_APPLICATION_ID,
	FG_SPARK_APPLICATION_ATTEMPT,
	FG_SPARK_STAGE_NAME,
	FG_SPARK_TASK_EXECUTOR,
	FG_SPARK_EXECUTOR,
	FG_SPARK_REASON,			/* why a task ended */
	FG_SPARK_TEXTS
} FgSparkText;

typedef enum FgSparkFlag
{
	FG_SPARK_SPECULATIVE,
	FG_SPARK_FAILED,
	FG_SPARK_KILLED,
	FG_SPARK_METRICS,			/* the task has metrics */
	FG_SPARK_STAGE_LIST,		/* the job has a list of stages, which may be empty */
	FG_SPARK_FLAGS
} FgSparkFlag;

/*
 * What a line says.  Members that it does not have, or has with a value of another type,
 * are missing: has[] is false, texts are empty, flags are false.  Texts are UTF-8 of at
 * most FG_SPARK_TEXT bytes (cut behind a character) without control characters, which
 * become blanks.
 */
#define FG_SPARK_TEXT 200

typedef struct FgSparkEvent
{
	FgSparkEventKind kind;
	uint64_t	line;
	int64_t		number[FG_SPARK_NUMBERS];
	bool		has[FG_SPARK_NUMBERS];
	bool		flag[FG_SPARK_FLAGS];
	FgSpan		text[FG_SPARK_TEXTS];
	const int64_t *stages;		/* of a job */
	size_t		stage_count;
	const int64_t *parents;		/* of a stage */
	size_t		parent_count;
} FgSparkEvent;

/* It lives during the call; false, with the error set, ends the work. */
typedef bool (*FgSparkTake) (void *arg, const FgSparkEvent *event);

typedef struct FgSparkLines
{
	uint64_t	lines;			/* that are not empty */
	uint64_t	events;			/* of Spark */
	uint64_t	unknown;		/* events of others */
	uint64_t	unreadable;
	uint64_t	first_unreadable;	/* its line, from 1 */
} FgSparkLines;

typedef struct FgSparkReader FgSparkReader;

extern FgSparkReader *fg_spark_reader_open(FgContext *ctx, FgSparkTake take, void *arg);
extern bool fg_spark_reader_feed(FgSparkReader *reader, const char *bytes, size_t size);

/* The last line may have no line feed. */
extern bool fg_spark_reader_finish(FgSparkReader *reader, FgSparkLines *lines);
extern void fg_spark_reader_close(FgSparkReader *reader);

#endif							/* FG_SPARK_EVENTS_H */
