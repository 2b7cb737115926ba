/*
 * spark.h
 *	  A Spark event log as a job (job.h): application > job > stage attempt > task > parts.
 *
 * The lines of the log may come in any order (rolled logs, put together as a shell lists
 * them); what comes out depends on the times and ids in them only.  Lines that say the same
 * thing twice are taken once.  What is not complete is left out or, if complete things
 * lie in it, ends with the log; all of it is counted (FgSparkCounts).
 *
 * Whose a stage attempt is: of the jobs that list the stage, the first by id that was
 * active when the attempt was submitted, as Spark's scheduler has it.  Stages that were
 * skipped never were submitted and have no phase.
 *
 * The order of stages: an attempt has the depth 0 when no stage of its job had been
 * submitted before that it reads from (its parents), else one more than the deepest of
 * these and of its own earlier attempts.  Phases of depth D have a phase type of that depth,
 * so that precedence between types, D before D + 1, says for every job what a stage waited
 * for, and the heaviest path through the types is one through the job's stages.  Depths
 * above FG_SPARK_DEPTH count as that.
 *
 * Memory: some 150 bytes a task; phases are handed out one by one.
 */
#ifndef FG_SPARK_H
#define FG_SPARK_H

#include "core/base/context.h"
#include "core/base/span.h"
#include "core/traces/spark_events.h"
#include "core/traces/spark_parts.h"

#define FG_SPARK_DEPTH 99

typedef enum FgSparkPhaseKind
{
	FG_SPARK_APPLICATION,
	FG_SPARK_JOB,
	FG_SPARK_STAGE,
	FG_SPARK_TASK,
	FG_SPARK_TASK_PART			/* the first one; FG_SPARK_TASK_PART + FgSparkPart */
} FgSparkPhaseKind;

#define FG_SPARK_PHASE_KINDS (FG_SPARK_TASK_PART + FG_SPARK_PARTS)

/* Parents come before children, ids count from 1.  Times: microseconds after 2000-01-01. */
typedef struct FgSparkPhase
{
	int64_t		id;
	int64_t		parent;			/* 0: none */
	FgSparkPhaseKind kind;
	uint32_t	depth;			/* of stages and what is in them */
	FgSpan		instance;		/* lives during the call */
	int64_t		start;
	int64_t		end;			/* not before the start */
} FgSparkPhase;

typedef enum FgSparkResourceKind
{
	FG_SPARK_EXECUTOR_BOX,		/* the executor, a container */
	FG_SPARK_EXECUTOR_CORES,
	FG_SPARK_EXECUTOR_GC,
	FG_SPARK_EXECUTOR_FETCH,
	FG_SPARK_RESOURCE_KINDS
} FgSparkResourceKind;

typedef struct FgSparkResource
{
	int64_t		id;
	int64_t		parent;			/* 0: none */
	FgSparkResourceKind kind;
	FgSpan		instance;		/* Spark's id of the executor */
	double		capacity;		/* of cores, else NaN */
} FgSparkResource;

/* Any of them may return false, with the error set, which ends the work. */
typedef struct FgSparkSink
{
	void	   *arg;
	bool		(*phase) (void *arg, const FgSparkPhase *phase);
	bool		(*resource) (void *arg, const FgSparkResource *resource);
	bool		(*access) (void *arg, int64_t phase, int64_t resource);
	/* cores in use, on the average of [start, end); disjoint for one resource */
	bool		(*usage) (void *arg, int64_t resource, int64_t start, int64_t end, double usage);
	bool		(*blocked) (void *arg, int64_t resource, int64_t start, int64_t end);
} FgSparkSink;

/* What was not as it should be; all 0 for a log that is complete. */
typedef struct FgSparkCounts
{
	uint64_t	unreadable;		/* lines */
	uint64_t	first_unreadable;
	uint64_t	unknown;		/* events of others than Spark */
	uint64_t	incomplete;		/* events without an id or a time that they need */
	uint64_t	running_jobs;	/* these end with the log */
	uint64_t	running_stages;
	uint64_t	running_tasks;	/* these are left out, as are the next three */
	uint64_t	lost_stages;	/* attempts of which no job is known */
	uint64_t	lost_tasks;		/* of which no stage attempt is known */
	uint64_t	doubled_tasks;	/* with the index and attempt of another one in their stage */
	uint64_t	contradictory;	/* tasks whose parts were cut to fit */
	uint64_t	reversed;		/* jobs and stages that ended before they started: empty now */
	uint64_t	unsized;		/* executors whose number of cores is not known */
	bool		running;		/* the application */
	bool		cut;			/* gzip that ends in the middle or is damaged there */
} FgSparkCounts;

typedef struct FgSparkSummary
{
	FgSpan		name;			/* of the application; "" when the log does not say */
	FgSpan		id;
	FgSpan		version;		/* of Spark */
	int64_t		start;			/* microseconds after 2000-01-01 */
	uint32_t	depths;			/* how many */
	FgSparkCounts counts;
} FgSparkSummary;

typedef struct FgSpark FgSpark;

/* Plain text, or gzip that unpacks to at most max_bytes. */
extern FgSpark *fg_spark_open(FgContext *ctx, uint64_t max_bytes);
extern bool fg_spark_feed(FgSpark *spark, const char *bytes, size_t size);

/*
 * At the end of the log.  FG_ERROR_SYNTAX for one without events of Spark, without a time
 * in them, or of several applications.  The texts of the summary live as long as "spark".
 */
extern bool fg_spark_finish(FgSpark *spark, FgSparkSummary *summary);

/* After that: everything, resources first.  The counts of the summary are final then. */
extern bool fg_spark_emit(FgSpark *spark, const FgSparkSink *sink);

extern void fg_spark_close(FgSpark *spark);

#endif							/* FG_SPARK_H */
