/*
 * fuzz_spark.c
 *	  Event logs of Spark.
 *
 * Properties: whatever is in the log, the rows make a job: parents before children, parts one
 * behind the other in their task, periods of usage one behind the other, no name twice
 * below a parent (validation looks for it); blocks of any size give the same rows.
 */
#include "support.h"

#include "core/profile/frames.h"
#include "core/traces/spark.h"

#include <math.h>

#define MAX_UNPACKED (1 << 22)

/* What came out: enough to compare, and the phase whose children come. */
typedef struct Seen
{
	uint64_t	sum;			/* depends on the order */
	int64_t		phases;
	FgSparkPhase task;			/* the last one */
	FgSparkPhase last;
	int64_t		resource;
	int64_t		usage_end;
} Seen;

static void
add(Seen *seen, uint64_t value)
{
	seen->sum = (seen->sum ^ value) * UINT64_C(0x9E3779B97F4A7C15) + 1;
}

static void
add_text(Seen *seen, FgSpan text)
{
	for (size_t i = 0; i < text.size; i++)
	{
		REQUIRE((unsigned char) text.bytes[i] >= 0x20 && text.bytes[i] != 0x7F);
		add(seen, (unsigned char) text.bytes[i]);
	}
	REQUIRE(text.size == 0 || fg_utf8_prefix(text.bytes, text.size) == text.size);
}

static bool
see_phase(void *arg, const FgSparkPhase *phase)
{
	Seen	   *seen = arg;

	REQUIRE(phase->id == ++seen->phases && phase->parent < phase->id);
	REQUIRE((phase->parent == 0) == (phase->id == 1) && phase->start <= phase->end);
	REQUIRE(phase->depth <= FG_SPARK_DEPTH && phase->instance.size <= 1000);
	if (phase->kind >= FG_SPARK_TASK_PART)
	{
		REQUIRE(phase->parent == seen->task.id && phase->end <= seen->task.end);
		REQUIRE(phase->start == (seen->last.id == seen->task.id ? seen->task.start : seen->last.end));
	}
	if (phase->kind == FG_SPARK_TASK)
		seen->task = *phase;
	seen->last = *phase;
	add(seen, (uint64_t) phase->parent ^ (uint64_t) phase->start * 3 ^ (uint64_t) phase->end * 5);
	add_text(seen, phase->instance);
	return true;
}

static bool
see_resource(void *arg, const FgSparkResource *resource)
{
	Seen	   *seen = arg;

	REQUIRE(resource->id > seen->resource && resource->parent < resource->id);
	REQUIRE(resource->kind == FG_SPARK_EXECUTOR_CORES ? resource->capacity > 0
			: isnan(resource->capacity));
	seen->resource = resource->id;
	add_text(seen, resource->instance);
	return true;
}

static bool
see_access(void *arg, int64_t phase, int64_t resource)
{
	Seen	   *seen = arg;

	REQUIRE(phase == seen->task.id && resource > 0 && resource <= seen->resource);
	add(seen, (uint64_t) resource);
	return true;
}

static bool
see_usage(void *arg, int64_t resource, int64_t start, int64_t end, double usage)
{
	Seen	   *seen = arg;

	REQUIRE(start < end && usage >= 0 && usage < 1e9);
	if (resource == seen->last.id)
		REQUIRE(start >= seen->usage_end);
	seen->last.id = resource;
	seen->usage_end = end;
	add(seen, (uint64_t) start ^ fg_double_bits(usage));
	return true;
}

static bool
see_blocked(void *arg, int64_t resource, int64_t start, int64_t end)
{
	REQUIRE(start < end);
	add(arg, (uint64_t) resource ^ (uint64_t) start ^ (uint64_t) end);
	return true;
}

static bool
read_blocks(FgContext *ctx, const uint8_t *bytes, size_t size, size_t block, Seen *seen,
			FgSparkCounts *counts)
{
	FgSparkSink sink = {seen, see_phase, see_resource, see_access, see_usage, see_blocked};
	FgSpark    *spark = fg_spark_open(ctx, MAX_UNPACKED);
	FgSparkSummary summary;
	bool		ok = spark != NULL;

	memset(seen, 0, sizeof(*seen));
	for (size_t done = 0; ok && done < size; done += block)
	{
		size_t		count = size - done < block ? size - done : block;
		char	   *copy = malloc(count);	/* exact, so that a read too far is seen */

		memcpy(copy, bytes + done, count);
		ok = fg_spark_feed(spark, copy, count);
		free(copy);
	}
	ok = ok && fg_spark_finish(spark, &summary);
	if (ok)
	{
		*counts = summary.counts;
		ok = fg_spark_emit(spark, &sink);
		REQUIRE(!ok || seen->phases > 0);
	}
	fg_spark_close(spark);
	return ok;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FgContext	whole = fuzz_context();
	FgContext	cut = fuzz_context();
	FgSparkCounts counts[2];
	Seen		seen[2];
	bool		ok = read_blocks(&whole, data, size, size + 1, &seen[0], &counts[0]);
	bool		again = read_blocks(&cut, data, size, 7, &seen[1], &counts[1]);

	REQUIRE(ok == again && whole.error.code == cut.error.code);
	if (ok)
	{
		REQUIRE(seen[0].sum == seen[1].sum && seen[0].phases == seen[1].phases);
		REQUIRE(counts[0].unreadable == counts[1].unreadable &&
				counts[0].incomplete == counts[1].incomplete);
	}
	else
		REQUIRE(whole.error.reason[0] != '\0');
	fuzz_finish();
	return 0;
}
