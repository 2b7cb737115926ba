/*
 * fuzz_flameseries.c
 *	  The decoders of series, their sums and the validator on arbitrary bytes.
 *
 * Properties: what the validator accepts gives its profiles, each canonical, and the sum of a
 * window is the one of the profiles in it, where values are whole; what only the decoder accepts
 * can be used without a crash.
 */
#include "support.h"

#include "core/base/sums.h"
#include "core/samples/accumulator.h"
#include "core/series/flameseries_build.h"
#include "core/series/flameseries_codec.h"
#include "core/series/flameseries_codec_windows.h"

static bool
is_failure(const FgContext *ctx)
{
	return ctx->error.code == FG_ERROR_CORRUPT || ctx->error.code == FG_ERROR_LIMIT ||
		ctx->error.code == FG_ERROR_MEMORY || ctx->error.code == FG_ERROR_RANGE;
}

/* Each profile, and their sum. */
static void
require_profiles(FgContext *ctx, const FgFlameseries *series, const uint8_t *bytes, size_t size,
				 bool whole)
{
	FgFlameseriesProfiles profiles;
	FgAccumulator sum;
	FgTree		tree;
	const FgTree *total;
	bool		ok = true;

	if (!fg_flameseries_profiles_begin(ctx, series, &profiles))
		return;
	fg_accumulator_init(ctx, &sum, FG_ACCUMULATE_SUM);
	for (uint32_t p = 0; ok && p < series->count && p < 1000; p++)
	{
		ok = fg_flameseries_profile(&profiles, p, &tree);
		if (ok)
		{
			REQUIRE(fg_tree_check(ctx, &tree));
			ok = fg_accumulator_add(&sum, &tree);
		}
	}
	fg_flameseries_profiles_end(&profiles);
	total = ok ? fg_accumulator_total(&sum) : NULL;
	if (total != NULL && series->count <= 1000 &&
		fg_flameseries_sum(ctx, bytes, size, &FG_FLAMESERIES_WHOLE, &tree))
	{
		REQUIRE(fg_tree_check(ctx, &tree));
		REQUIRE(!whole || fuzz_same_tree(total, &tree));
		fg_tree_free(ctx, &tree);
	}
	fg_accumulator_free(&sum);
}

/* Are all values whole, and their sums exact? */
static bool
is_whole(const FgFlameseries *series)
{
	double		norm = 0;

	for (uint32_t e = 0; e < series->start[series->count]; e++)
		if (!fg_sums_exactly(&norm, series->value[e]))
			return false;
	return true;
}

static void
use(FgContext *ctx, const uint8_t *bytes, size_t size)
{
	FgFlameseriesWindow window = {1, 50, NULL};
	FgFlameseries series;
	FgTree		tree;

	if (fg_flameseries_sum(ctx, bytes, size, &window, &tree))
		fg_tree_free(ctx, &tree);
	else
		REQUIRE(is_failure(ctx));
	if (fg_flameseries_instances(ctx, bytes, size, &tree))
		fg_tree_free(ctx, &tree);
	if (fg_flameseries_decode(ctx, bytes, size, &series))
		fg_flameseries_free(ctx, &series);
	else
		REQUIRE(is_failure(ctx));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FgContext	ctx = fuzz_context();
	uint8_t    *bytes = malloc(size + (size == 0));	/* exact, so that a read too far is seen */
	FgFlameseries series;

	memcpy(bytes, data, size);
	use(&ctx, bytes, size);
	if (fg_flameseries_validate(&ctx, bytes, size, &series))
	{
		require_profiles(&ctx, &series, bytes, size, is_whole(&series));
		fg_flameseries_free(&ctx, &series);
	}
	else
		REQUIRE(is_failure(&ctx));
	free(bytes);
	fuzz_finish();
	return 0;
}
