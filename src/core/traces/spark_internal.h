/*
 * spark_internal.h
 *	  What the parts of spark.c share: the things that a log tells of.
 */
#ifndef FG_SPARK_INTERNAL_H
#define FG_SPARK_INTERNAL_H

#include "core/profile/names.h"
#include "core/reading/gunzip.h"
#include "core/traces/spark.h"

/* Times are milliseconds after 1970-01-01; 0 is not known. */
typedef struct FgSparkJob
{
	int64_t		id;
	int64_t		start;
	int64_t		end;
	size_t		first;			/* its stages in "listed" */
	size_t		count;
} FgSparkJob;

typedef struct FgSparkStage
{
	int64_t		id;
	int64_t		attempt;
	int64_t		start;
	int64_t		end;
	size_t		first;			/* its parents in "parents" */
	size_t		count;
	uint32_t	name;
	uint32_t	job;			/* FG_NONE: not known */
	uint32_t	depth;
	uint32_t	first_task;		/* in task_order, set with task_count */
	uint32_t	task_count;
} FgSparkStage;

typedef struct FgSparkTask
{
	int64_t		id;
	int64_t		stage;
	int64_t		stage_attempt;
	int64_t		index;
	int64_t		attempt;
	int64_t		launch;
	int64_t		finish;
	int64_t		parts[FG_SPARK_PARTS];
	int64_t		cpu_ns;			/* -1: not measured */
	int64_t		deserialize_cpu_ns;
	uint32_t	executor;
	uint32_t	owner;			/* its stage's place in "stages", FG_NONE: none */
	bool		again;			/* another line tells of the same task */
	bool		measured;
	bool		cut;			/* the parts did not fit */
	bool		speculative;
	bool		failed;
	bool		killed;
} FgSparkTask;

struct FgSpark
{
	FgContext  *ctx;
	FgSparkReader *reader;
	FgGunzip   *gunzip;			/* NULL: plain */
	uint64_t	max_bytes;
	size_t		magic_size;		/* of the bytes that tell gzip from text */
	char		magic[4];
	bool		begun;
	bool		ended;			/* gzip that is damaged: nothing is taken any more */

	FgSparkLines lines;
	FgSparkCounts counts;
	FgNames		names;			/* of stages */
	FgNames		executors;
	int64_t    *cores;			/* by executor, 0: not known */
	size_t		cores_capacity;
	char		text[3][FG_SPARK_TEXT];	/* of the summary */
	FgSpan		name;
	FgSpan		id;
	FgSpan		attempt;
	char		attempt_text[FG_SPARK_TEXT];
	FgSpan		version;
	bool		named;			/* an application start came */
	int64_t		start;			/* of the application */
	int64_t		end;
	int64_t		first_time;		/* of all times in the log */
	int64_t		last_time;

	FgSparkJob *jobs;
	size_t		job_count;
	size_t		job_capacity;
	int64_t    *listed;
	size_t		listed_count;
	size_t		listed_capacity;
	FgSparkStage *stages;
	size_t		stage_count;
	size_t		stage_capacity;
	int64_t    *parents;
	size_t		parent_count;
	size_t		parent_capacity;
	FgSparkTask *tasks;
	size_t		task_count;
	size_t		task_capacity;
	int64_t    *started;		/* ids of tasks */
	size_t		started_count;
	size_t		started_capacity;

	uint32_t   *stage_order;	/* by job, submission, id, attempt */
	uint32_t   *task_order;		/* those with an owner: by it, index, attempt */
	uint32_t	tasks_kept;
	uint32_t   *executor_order; /* by id: shorter ones first, so numbers by value */
	int64_t    *boxes;			/* by executor: its resource id */
	uint32_t	depths;
};

/* Microseconds after 2000-01-01. */
static inline int64_t
fg_spark_time(int64_t ms)
{
	return (ms - INT64_C(946684800000)) * 1000;
}

/* For sorting: below 0, 0 or above 0. */
static inline int
fg_spark_compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Jobs sorted by id and stages by id and attempt, each once; tasks told twice marked. */
extern bool fg_spark_merge(FgSpark *spark);

/* Whose stages and tasks are, depths, orders, ends; after the merge. */
extern bool fg_spark_connect(FgSpark *spark);

/* The cores in use, from the processor time of tasks. */
extern bool fg_spark_emit_usage(FgSpark *spark, const FgSparkSink *sink);

/* The resource of an executor with this kind. */
static inline int64_t
fg_spark_resource(const FgSpark *spark, uint32_t executor, FgSparkResourceKind kind)
{
	return spark->boxes[executor] + (int64_t) kind;
}

#endif							/* FG_SPARK_INTERNAL_H */
