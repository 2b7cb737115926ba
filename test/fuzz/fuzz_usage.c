/*
 * fuzz_usage.c
 *	  Files of monitors: sadf (lines and JSON), sar, Prometheus, lines of time and value.  The first byte says what is
 *	  chosen of them.
 *
 * Properties: what comes out are periods one behind the other with usages that are numbers
 * from 0 on; an error has a reason; nothing that was read too far, nothing that was kept.
 */
#include "support.h"

#include "core/traces/usage_file.h"

#include <math.h>

typedef struct Seen
{
	uint64_t	count;
	int64_t		end;
} Seen;

static int64_t
local_time(void *arg, int64_t time)
{
	(void) arg;
	return time - 3600 * INT64_C(1000000);
}

static bool
see_period(void *arg, int64_t start, int64_t end, double usage)
{
	Seen	   *seen = arg;

	REQUIRE(start <= end && usage >= 0 && isfinite(usage));
	REQUIRE(seen->count == 0 || (start >= seen->end && end > seen->end));
	seen->count++;
	seen->end = end;
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const columns[] = {NULL, NULL, "value", "%user", "rxkB/s", "a \"b\"", "user",
	"net-dev.rxkB"};
	static const char *const series[] = {NULL, "0", "eth0", "instance=a", "="};
	FgContext	ctx = fuzz_context();
	FuzzInput	input = {data, data + size};
	uint8_t		choice = fuzz_byte(&input);
	const char *column = columns[choice % 8];
	const char *one = series[choice / 8 % 5];
	Seen		seen = {0, 0};
	FgUsageFileOptions options = {
		.column = {column, column != NULL ? strlen(column) : 0},
		.series = {one, one != NULL ? strlen(one) : 0},
		.scale = choice >= 128 ? 0.01 : 1,
		.local = local_time,
		.take = see_period,
		.arg = &seen
	};
	size_t		length = (size_t) (input.end - input.next);
	char	   *copy = malloc(length + (length == 0));

	memcpy(copy, input.next, length);
	if (!fg_usage_file_read(&ctx, copy, length, &options))
		REQUIRE(ctx.error.code != FG_OK && ctx.error.reason[0] != '\0');
	free(copy);
	fuzz_finish();
	return 0;
}
