/*
 * spark_parts.c
 *	  The parts of a Spark task (see spark_parts.h).
 */
#include "core/traces/spark_parts.h"

#include <string.h>

#define NS_PER_MS 1000000

/* As much of "wanted" as there is room for, which shrinks by it. */
static int64_t
place(int64_t wanted, int64_t *room, bool *fits)
{
	int64_t		given = wanted < 0 ? 0 : wanted > *room ? *room : wanted;

	*fits &= given == wanted;
	*room -= given;
	return given;
}

bool
fg_spark_parts(const FgSparkTimes *times, int64_t parts[FG_SPARK_PARTS])
{
	int64_t		room = times->finish - times->launch;
	bool		fits = true;
	int64_t		run;

	memset(parts, 0, FG_SPARK_PARTS * sizeof(int64_t));
	if (times->getting_result > 0)
		parts[FG_PART_GETTING_RESULT] = place(times->finish - times->getting_result, &room, &fits);
	if (!times->measured)
	{
		parts[FG_PART_COMPUTE] = room;
		return fits;
	}
	parts[FG_PART_DESERIALIZE] = place(times->deserialize, &room, &fits);
	run = place(times->run, &room, &fits);
	parts[FG_PART_SERIALIZE] = place(times->serialize, &room, &fits);
	parts[FG_PART_SCHEDULER_DELAY] = room;

	parts[FG_PART_FETCH_WAIT] = place(times->fetch_wait, &run, &fits);
	parts[FG_PART_SHUFFLE_WRITE] = place(times->write_ns / NS_PER_MS, &run, &fits);
	parts[FG_PART_GC] = place(times->gc, &run, &fits);
	parts[FG_PART_COMPUTE] = run;
	return fits;
}
