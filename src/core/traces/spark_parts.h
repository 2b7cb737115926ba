/*
 * spark_parts.h
 *	  The parts of a Spark task, by the arithmetic of the task timeline in Spark's own UI
 *	  (org.apache.spark.ui.jobs.StagePage, org.apache.spark.status.AppStatusUtils):
 *
 *	  getting result = finish - start of getting the result, 0 when it came with the status
 *	  scheduler delay = max(0, duration - deserialize - run - serialize - getting result)
 *	  compute = run - fetch wait - shuffle write [- gc]
 *
 * The UI draws gc as part of the computing; here it is a part of its own.  All times are
 * whole milliseconds, shuffle write cut down to them as there.
 */
#ifndef FG_SPARK_PARTS_H
#define FG_SPARK_PARTS_H

#include <stdbool.h>
#include <stdint.h>

/* In the order in which they lie in the task. */
typedef enum FgSparkPart
{
	FG_PART_SCHEDULER_DELAY,
	FG_PART_DESERIALIZE,
	FG_PART_FETCH_WAIT,
	FG_PART_COMPUTE,
	FG_PART_GC,
	FG_PART_SHUFFLE_WRITE,
	FG_PART_SERIALIZE,
	FG_PART_GETTING_RESULT,
	FG_SPARK_PARTS
} FgSparkPart;

typedef struct FgSparkTimes
{
	int64_t		launch;			/* ms after 1970-01-01 */
	int64_t		finish;			/* not before the launch */
	int64_t		getting_result; /* its start; 0 or less: the result came with the status */
	bool		measured;		/* the log has the task's metrics */
	int64_t		deserialize;	/* these in ms */
	int64_t		run;
	int64_t		serialize;
	int64_t		fetch_wait;
	int64_t		gc;
	int64_t		write_ns;
} FgSparkTimes;

/*
 * Lengths that add up to finish - launch exactly.  A task without metrics is all compute,
 * as the UI has it.  Where the log says more than fits, parts give way: serialize, then run
 * to the whole task, gc, then shuffle write to the run; then, and for negative times, the
 * result is false.
 */
extern bool fg_spark_parts(const FgSparkTimes *times, int64_t parts[FG_SPARK_PARTS]);

#endif							/* FG_SPARK_PARTS_H */
