/*
 * recordings.c
 *	  What the fuzz targets of the formats of recordings share (see recordings.h).
 */
#include "recordings.h"

#define MAX_BYTES (1 << 22)		/* that gzip may unpack to */

static bool
read_blocks(FgContext *ctx, const uint8_t *bytes, size_t size, size_t block,
			const FgReadOptions *options, FgRecording *recording)
{
	FgRecordingReader *reader = fg_recording_open(ctx, options);
	bool		ok = reader != NULL;

	for (size_t done = 0; ok && done < size; done += block)
	{
		size_t		count = size - done < block ? size - done : block;
		uint8_t    *copy = malloc(count);	/* exact, so that a read too far is seen */

		memcpy(copy, bytes + done, count);
		ok = fg_recording_feed(reader, copy, count);
		free(copy);
	}
	ok = ok && fg_recording_finish(reader, recording);
	fg_recording_close(reader);
	return ok;
}

static void
require_profile(FgContext *ctx, const FgRecorded *recorded)
{
	REQUIRE(fg_tree_check(ctx, &recorded->complete) && fg_tree_check(ctx, &recorded->truncated));
	fuzz_require_codec(ctx, &recorded->complete);
	if (recorded->weighed)
	{
		REQUIRE(fg_tree_check(ctx, &recorded->samples) && fg_tree_check(ctx, &recorded->noise));
		fuzz_require_codec(ctx, &recorded->samples);
		fuzz_require_codec(ctx, &recorded->noise);
	}
	else
		REQUIRE(recorded->samples.key == NULL && recorded->noise.key == NULL);
	REQUIRE(recorded->event != NULL && recorded->name != NULL && recorded->unit != NULL);
}

static void
require_same(const FgRecording *a, const FgRecording *b)
{
	REQUIRE(a->format == b->format && a->count == b->count);
	REQUIRE(memcmp(&a->noted, &b->noted, sizeof(a->noted)) == 0);
	for (size_t i = 0; i < a->count; i++)
	{
		REQUIRE(strcmp(a->profiles[i].name, b->profiles[i].name) == 0);
		REQUIRE(fuzz_same_tree(&a->profiles[i].complete, &b->profiles[i].complete));
		REQUIRE(fuzz_same_tree(&a->profiles[i].truncated, &b->profiles[i].truncated));
		REQUIRE(a->profiles[i].weighed == b->profiles[i].weighed);
		REQUIRE(!a->profiles[i].weighed ||
				(fuzz_same_tree(&a->profiles[i].samples, &b->profiles[i].samples) &&
				 fuzz_same_tree(&a->profiles[i].noise, &b->profiles[i].noise)));
	}
}

static void
require_same_error(const FgError *a, const FgError *b)
{
	/* how much memory a reader needs does depend on the blocks */
	if (a->code == FG_ERROR_MEMORY || b->code == FG_ERROR_MEMORY)
		return;
	REQUIRE(a->code == b->code && a->line == b->line && a->column == b->column);
	REQUIRE(strcmp(a->reason, b->reason) == 0);
}

/* --- samples one by one ------------------------------------------------------------- */

typedef struct Seen
{
	uint64_t	count;
	uint64_t	hash;			/* FNV-1a of what all of them say */
} Seen;

static void
see(Seen *seen, const void *bytes, size_t size)
{
	const uint8_t *next = bytes;

	for (size_t i = 0; i < size; i++)
		seen->hash = (seen->hash ^ next[i]) * UINT64_C(0x100000001B3);
}

static bool
take_sample(void *arg, const FgTimed *timed)
{
	Seen	   *seen = arg;
	double		stop = fg_timed_stop(timed, 1);

	REQUIRE(timed->has_thread == (timed->thread != NULL));
	REQUIRE(timed->start - timed->start == 0 && stop - stop == 0 && stop >= timed->start);
	REQUIRE(timed->value - timed->value == 0);
	REQUIRE(timed->path_length == 0 || timed->path != NULL);
	seen->count++;
	see(seen, &timed->number, sizeof(timed->number));
	see(seen, &timed->order, sizeof(timed->order));
	see(seen, &timed->start, sizeof(timed->start));
	see(seen, &stop, sizeof(stop));
	see(seen, timed->path, timed->path_length);
	see(seen, timed->thread, timed->thread_length);
	return true;
}

/* The blocks do not matter. */
static void
require_samples(const uint8_t *bytes, size_t size, size_t block, const FgReadOptions *profiles)
{
	FgContext	ctx = fuzz_context();
	FgContext	second = fuzz_context();
	FgRecording whole = {.count = 0};
	FgRecording blocks = {.count = 0};
	Seen		seen = {0};
	Seen		again = {0};
	FgTaker		taker = {take_sample, &seen, 0};
	FgReadOptions options = *profiles;
	bool		ok;

	options.taker = &taker;
	ok = read_blocks(&ctx, bytes, size, size + 1, &options, &whole);
	taker.arg = &again;
	if (read_blocks(&second, bytes, size, block, &options, &blocks) && ok)
	{
		REQUIRE(seen.count == again.count && seen.hash == again.hash);
		REQUIRE(whole.count == blocks.count);
	}
	else if (ctx.error.code != FG_ERROR_MEMORY && second.error.code != FG_ERROR_MEMORY)
		require_same_error(&ctx.error, &second.error);
	fg_recording_free(&ctx, &whole);
	fg_recording_free(&second, &blocks);
}

/* --- both -------------------------------------------------------------------------- */

int
fuzz_recording(FgFormat format, const uint8_t *data, size_t size)
{
	FuzzInput	input = {data, data + size};
	uint8_t		flags = fuzz_byte(&input);
	size_t		block = (size_t) fuzz_byte(&input) + 1;
	FgReadOptions options = {
		.format = format,
		.every = (flags & 1) != 0,
		.threads = (flags & 2) != 0,
		.modes = (flags & 4) != 0,
		.frame_style = (FgFrameStyle) (flags >> 3 & 3) % 3,
		.profile = flags & 32 ? 0 : -1,
		.max_depth = flags & 64 ? 3 : 0,
		.max_bytes = MAX_BYTES
	};
	size_t		length = (size_t) (input.end - input.next);
	FgContext	ctx = fuzz_context();
	FgContext	second = fuzz_context();
	FgRecording whole = {.count = 0};
	FgRecording blocks = {.count = 0};
	bool		ok = read_blocks(&ctx, input.next, length, length + 1, &options, &whole);
	bool		again = read_blocks(&second, input.next, length, block, &options, &blocks);

	if (ok && again)
	{
		REQUIRE(options.every || whole.count == 1);
		require_same(&whole, &blocks);
		for (size_t i = 0; i < whole.count; i++)
			require_profile(&ctx, &whole.profiles[i]);
	}
	else if (ok || again)
		REQUIRE((ok ? &second : &ctx)->error.code == FG_ERROR_MEMORY);
	else
	{
		REQUIRE(ctx.error.code != FG_OK && ctx.error.reason[0] != '\0');
		require_same_error(&ctx.error, &second.error);
	}
	fg_recording_free(&ctx, &whole);
	fg_recording_free(&second, &blocks);
	require_samples(input.next, length, block, &options);
	fuzz_finish();
	return 0;
}
