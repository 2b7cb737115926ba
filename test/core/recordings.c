/*
 * recordings.c
 *	  For tests of recordings (see recordings.h).
 */
#include "recordings.h"

#include "core/profile/folded.h"

bool
recording_read(FgContext *ctx, const void *bytes, size_t size, size_t block,
			   const FgReadOptions *options, FgRecording *recording)
{
	FgRecordingReader *reader = fg_recording_open(ctx, options);
	bool		ok = reader != NULL;

	memset(recording, 0, sizeof(*recording));
	if (block == 0)
		block = size;
	for (size_t done = 0; ok && done < size; done += block)
	{
		size_t		count = size - done < block ? size - done : block;
		char	   *copy = malloc(count);

		memcpy(copy, (const char *) bytes + done, count);
		ok = fg_recording_feed(reader, copy, count);
		free(copy);
	}
	ok = ok && fg_recording_finish(reader, recording);
	fg_recording_close(reader);
	return ok;
}

FgError
recording_fails(const void *bytes, size_t size, const FgReadOptions *options, FgErrorCode code,
				const char *reason)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgRecording recording;

	CHECK_ERROR(recording_read(&ctx, bytes, size, 0, options, &recording), &ctx, code);
	if (!CHECK(strstr(ctx.error.reason, reason) != NULL))
		printf("    line %u, column %u: %s\n", (unsigned) ctx.error.line,
			   (unsigned) ctx.error.column, ctx.error.reason);
	CHECK_COUNT(memory.blocks, 0);
	return ctx.error;
}

bool
recording_is(FgContext *ctx, const FgTree *tree, const char *expected)
{
	FgBuffer	text = {.ctx = ctx};
	bool		complete = false;
	bool		ok;

	CHECK(fg_tree_check(ctx, tree));
	CHECK(fg_folded_print(&text, tree, FG_FOLDED_EXACT, SIZE_MAX, &complete, NULL) && complete);
	ok = CHECK_TEXT(text.data, text.size, expected);
	fg_release(ctx, text.data);
	return ok;
}

char *
recording_file(const char *path, size_t *size)
{
	FILE	   *file = fopen(path, "rb");
	char	   *bytes = NULL;
	size_t		capacity = 0;

	*size = 0;
	if (!CHECK(file != NULL))
		return calloc(1, 1);
	do
	{
		capacity += 1 << 16;
		bytes = realloc(bytes, capacity);
		*size += fread(bytes + *size, 1, capacity - *size, file);
	} while (*size == capacity);
	fclose(file);
	return bytes;
}

void
recording_weighs(FgContext *ctx, const FgRecorded *recorded, const char *samples, const char *noise)
{
	if (!CHECK(recorded->weighed == (samples != NULL)) || samples == NULL)
		return;
	recording_is(ctx, &recorded->samples, samples);
	recording_is(ctx, &recorded->noise, noise);
}

static bool same_tree(const FgTree *a, const FgTree *b);

void
recording_warns(const FgRecording *recording, const char *expected)
{
	const FgWarnings *warnings = &recording->warnings;
	size_t		count = 0;

	for (const char *at = expected; at != NULL; at = strchr(at, '|') != NULL ? strchr(at, '|') + 1 : NULL)
	{
		char		words[200];

		snprintf(words, sizeof(words), "%.*s", (int) strcspn(at, "|"), at);
		CHECK(count < warnings->count && strstr(warnings->list[count].text, words) != NULL);
		count++;
	}
	CHECK_COUNT(warnings->count, count);
}

void
recording_is_file(FgContext *ctx, const FgTree *tree, const char *path)
{
	size_t		size;
	char	   *folded = recording_file(path, &size);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording expected;

	options.format = FG_FORMAT_FOLDED;
	unit_note("%s", path);
	CHECK(fg_tree_check(ctx, tree));
	if (CHECK(recording_read(ctx, folded, size, 0, &options, &expected)))
	{
		CHECK(same_tree(tree, &expected.profiles[0].complete));
		fg_recording_free(ctx, &expected);
	}
	unit_note("%s", "");
	free(folded);
}

/* --- any blocks, one result --------------------------------------------------- */

static bool
same_text(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static bool
same_tree(const FgTree *a, const FgTree *b)
{
	size_t		nodes = (size_t) a->nnodes + 1;

	return a->nnodes == b->nnodes && fg_frames_equal(&a->frames, &b->frames) &&
		memcmp(a->key, b->key, nodes * sizeof(uint64_t)) == 0 &&
		memcmp(a->self, b->self, nodes * sizeof(double)) == 0;
}

static bool
same_recording(const FgRecording *a, const FgRecording *b)
{
	if (a->format != b->format || a->gzip != b->gzip || a->count != b->count ||
		memcmp(&a->noted, &b->noted, sizeof(a->noted)) != 0)
		return false;
	for (size_t i = 0; i < a->count; i++)
	{
		const FgRecorded *x = &a->profiles[i];
		const FgRecorded *y = &b->profiles[i];

		if (!same_text(x->event, y->event) || !same_text(x->name, y->name) ||
			!same_text(x->unit, y->unit) || x->period != y->period ||
			!same_tree(&x->complete, &y->complete) || !same_tree(&x->truncated, &y->truncated) ||
			x->weighed != y->weighed)
			return false;
		if (x->weighed && (!same_tree(&x->samples, &y->samples) || !same_tree(&x->noise, &y->noise)))
			return false;
	}
	return true;
}

typedef struct Outcome
{
	bool		ok;
	FgError		error;
	FgRecording recording;
} Outcome;

static bool
same_outcome(const Outcome *a, const Outcome *b)
{
	if (a->ok != b->ok)
		return false;
	if (a->ok)
		return same_recording(&a->recording, &b->recording);
	return a->error.code == b->error.code && a->error.line == b->error.line &&
		a->error.column == b->error.column && same_text(a->error.reason, b->error.reason) &&
		same_text(a->error.quote, b->error.quote);
}

/* In two blocks, the first of "first" bytes; or one by one. */
static Outcome
read_cut(FgContext *ctx, const char *bytes, size_t size, size_t first, bool one_by_one,
		 const FgReadOptions *options)
{
	Outcome		outcome = {.ok = false};
	FgRecordingReader *reader = fg_recording_open(ctx, options);

	outcome.ok = reader != NULL;
	if (one_by_one)
	{
		for (size_t i = 0; outcome.ok && i < size; i++)
			outcome.ok = fg_recording_feed(reader, bytes + i, 1);
	}
	else
		outcome.ok = outcome.ok && fg_recording_feed(reader, bytes, first) &&
			fg_recording_feed(reader, bytes + first, size - first);
	outcome.ok = outcome.ok && fg_recording_finish(reader, &outcome.recording);
	outcome.error = ctx->error;
	fg_recording_close(reader);
	return outcome;
}

void
recording_check_blocks(const void *bytes, size_t size, size_t step, const FgReadOptions *options)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Outcome		whole = read_cut(&ctx, bytes, size, size, false, options);
	Outcome		single = read_cut(&ctx, bytes, size, 0, true, options);

	CHECK(same_outcome(&whole, &single));
	fg_recording_free(&ctx, &single.recording);
	for (size_t first = 1; first < size; first += unit_stride(step))
	{
		Outcome		cut = read_cut(&ctx, bytes, size, first, false, options);

		unit_note("first block of %zu bytes", first);
		CHECK(same_outcome(&whole, &cut));
		fg_recording_free(&ctx, &cut.recording);
	}
	unit_note("%s", "");
	fg_recording_free(&ctx, &whole.recording);
	CHECK_COUNT(memory.blocks, 0);
}

/* --- failures in every place ---------------------------------------------------- */

typedef struct Sweep
{
	const void *bytes;
	size_t		size;
	const FgReadOptions *options;
} Sweep;

static bool
read_swept(FgContext *ctx, void *arg)
{
	const Sweep *sweep = arg;
	FgRecording recording;

	if (!recording_read(ctx, sweep->bytes, sweep->size, 0, sweep->options, &recording))
		return false;
	fg_recording_free(ctx, &recording);
	return true;
}

void
recording_sweep(const char *name, const void *bytes, size_t size, const FgReadOptions *options,
				size_t min_polls)
{
	Sweep		sweep = {bytes, size, options};

	unit_sweep_memory(name, read_swept, &sweep);
	unit_sweep_interrupts(name, read_swept, &sweep, min_polls);
}
