/*
 * recording.c
 *	  Drives the reading of a recording: gzip, recognition, the format (see
 *	  recording.h).
 */
#include "core/formats/recording.h"

#include "core/base/bytes.h"
#include "core/formats/formats.h"
#include "core/formats/lookalikes.h"
#include "core/reading/gunzip.h"
#include "core/reading/json_stream.h"
#include "core/reading/text_lines.h"

/* How many bytes say whether the input is gzip. */
#define MAGIC_BYTES 2

/* How much of a JSON document, or of comments, is kept at most until the format shows. */
#define MAX_LONG_HEAD (FG_HEAD_BYTES * 256)

typedef enum Packing
{
	PACKING_UNKNOWN,
	PLAIN,
	GZIP
} Packing;

struct FgRecordingReader
{
	FgContext  *ctx;
	const FgReadOptions *options;
	FgSink	   *sink;
	Packing		packing;
	char		magic[MAGIC_BYTES];
	size_t		magic_size;
	FgGunzip   *gunzip;
	FgBuffer	head;			/* until the format is known */
	size_t		head_size;		/* how much of it is wanted */
	const FgFormatReader *format;	/* NULL: not known yet */
	void	   *state;			/* of the format */
	uint64_t	rounded;		/* ctx->rounded before it */
};

/* --- which format ------------------------------------------------------------- */

static bool
fail_lookalike(FgRecordingReader *r, const FgLookalike *lookalike)
{
	return fg_fail_at(r->ctx, FG_ERROR_SYNTAX, 0, 0, lookalike->hint, "%s", lookalike->what);
}

static bool
fail_unknown(FgRecordingReader *r)
{
	const char *head = (char *) r->head.data;
	size_t		size = r->head.size;
	char		shown[25];
	size_t		count = 0;

	if (r->options->discreet)
		return fg_fail_at(r->ctx, FG_ERROR_SYNTAX, 0, 0, fg_hint_formats, "its format was not recognised%s",
						  r->packing == GZIP ? " after unpacking gzip" : "");
	for (; count < size && count < sizeof(shown) - 1; count++)
		shown[count] = head[count] >= 0x20 && head[count] < 0x7F ? head[count] : '.';
	shown[count] = '\0';
	return fg_fail_at(r->ctx, FG_ERROR_SYNTAX, 0, 0, fg_hint_formats,
					  "its format was not recognised%s; it starts with \"%s\"",
					  r->packing == GZIP ? " after unpacking gzip" : "", shown);
}

static const FgFormatReader *
format_by_content(const FgBuffer *head, bool whole)
{
	for (int i = FG_FORMAT_AUTO + 1; head->size > 0 && i < FG_FORMAT_COUNT; i++)
	{
		const FgFormatReader *reader = fg_formats[i].reader;

		if (reader->recognise != NULL && reader->recognise((char *) head->data, head->size, whole))
			return reader;
	}
	return NULL;
}

/* Frames in a style that the format does not have would look as if there were nothing to show. */
static bool
check_style(const FgRecordingReader *r)
{
	const FgFormatFacts *facts = &fg_formats[r->format->format];

	if (r->options->frame_style == FG_FRAME_LINE && !facts->has_lines)
		return fg_fail_at(r->ctx, FG_ERROR_ARGUMENT, 0, 0, fg_hint_lines, "format %s has no lines",
						  facts->word);
	if (r->options->frame_style == FG_FRAME_ADDRESS && !facts->has_addresses)
		return fg_fail_at(r->ctx, FG_ERROR_ARGUMENT, 0, 0, fg_hint_addresses,
						  "format %s has no addresses", facts->word);
	return true;
}

/* Whoever wants the samples one by one wants to know when they were. */
static bool
check_times(const FgRecordingReader *r)
{
	const FgFormatFacts *facts = &fg_formats[r->format->format];

	if (r->options->taker == NULL || facts->has_times)
		return true;
	return fg_fail_at(r->ctx, FG_ERROR_ARGUMENT, 0, 0, fg_hint_times, "format %s has no times",
					  facts->word);
}

/*
 * What the head shows so far.  A lookalike may begin like folded stacks or perf's text; the
 * other formats are known for certain.
 */
static bool
find_format(FgRecordingReader *r, bool whole, const FgLookalike **lookalike)
{
	r->format = format_by_content(&r->head, whole);
	*lookalike = NULL;
	if (r->format == NULL || r->format->unsure)
		*lookalike = fg_lookalike((char *) r->head.data, r->head.size);
	return r->format != NULL || *lookalike != NULL;
}

/* No bytes, or only blanks, empty lines and a byte order mark. */
static bool
is_blank(const FgBuffer *head)
{
	FgHeadLine	walk;

	if (head->size == 0)
		return true;
	walk = fg_head_lines((char *) head->data, head->size, true);
	while (fg_head_next(&walk))
	{
		if (walk.length > 0)
			return false;
	}
	return true;
}

/* Hands what has come in so far to the format that it belongs to. */
static bool
begin_format(FgRecordingReader *r, bool whole)
{
	const FgLookalike *lookalike;

	if (whole && is_blank(&r->head))
		return fg_fail(r->ctx, FG_ERROR_SYNTAX, "the recording is empty");
	if (!find_format(r, whole, &lookalike))
		return fail_unknown(r);
	if (lookalike != NULL)
		return fail_lookalike(r, lookalike);
	if (!check_style(r) || !check_times(r))
		return false;
	r->state = r->format->begin(r->sink);
	return r->state != NULL &&
		r->format->feed(r->state, (char *) r->head.data, r->head.size);
}

/* --- bytes ----------------------------------------------------------------------- */

static bool
feed_format(FgRecordingReader *r, const char *bytes, size_t size)
{
	return size == 0 || r->format->feed(r->state, bytes, size);
}

/* Comments and nothing else so far: perf's header of a machine of many processors is longer than a head. */
static bool
is_all_comments(const char *head, size_t size)
{
	FgHeadLine	walk = fg_head_lines(head, size, false);

	return fg_head_is_text(head, size) && !fg_head_next_content(&walk) &&
		(walk.next == walk.end || walk.next[0] == '#');
}

/*
 * May more bytes show the format?  A tool may write the keys of a JSON document in any
 * order, so that what tells the formats apart stands behind a long list.
 */
static bool
wants_longer_head(FgRecordingReader *r)
{
	const char *head = (char *) r->head.data;
	const FgLookalike *lookalike;
	bool		found;

	if (r->head.size >= MAX_LONG_HEAD)
		return false;
	if (is_all_comments(head, r->head.size))
		return true;
	if (!fg_json_begins(head, r->head.size))
		return false;
	found = find_format(r, false, &lookalike);
	r->format = NULL;
	return !found;
}

/* Unpacked bytes; the first FG_HEAD_BYTES or more are kept until they show the format. */
static bool
take_unpacked(void *arg, const char *bytes, size_t size)
{
	FgRecordingReader *r = arg;

	while (r->format == NULL && size > 0)
	{
		size_t		missing = r->head_size - r->head.size;

		if (missing > size)
			missing = size;
		if (!fg_buffer_append(&r->head, bytes, missing))
			return false;
		bytes += missing;
		size -= missing;
		if (r->head.size < r->head_size)
			return true;
		if (wants_longer_head(r))
			r->head_size *= 4;
		else if (!begin_format(r, false))
			return false;
	}
	return r->format == NULL || feed_format(r, bytes, size);
}

static bool
take_packed(FgRecordingReader *r, const char *bytes, size_t size)
{
	return r->packing == GZIP ? fg_gunzip_feed(r->gunzip, (const uint8_t *) bytes, size)
		: take_unpacked(r, bytes, size);
}

static bool
begin_packing(FgRecordingReader *r)
{
	bool		is_gzip = r->magic_size == MAGIC_BYTES && memcmp(r->magic, "\x1F\x8B", MAGIC_BYTES) == 0;

	r->packing = is_gzip ? GZIP : PLAIN;
	if (is_gzip)
	{
		r->gunzip = fg_gunzip_create(r->ctx, r->options->max_bytes,
									 "Raise max_bytes of read_recording or flamegraph-load if the file can be trusted.",
									 take_unpacked, r);
		if (r->gunzip == NULL)
			return false;
	}
	return take_packed(r, r->magic, r->magic_size);
}

bool
fg_recording_feed(FgRecordingReader *r, const void *bytes, size_t size)
{
	const char *next = bytes;

	while (r->packing == PACKING_UNKNOWN && size > 0)
	{
		r->magic[r->magic_size++] = *next++;
		size--;
		if (r->magic_size == MAGIC_BYTES && !begin_packing(r))
			return false;
	}
	return size == 0 || take_packed(r, next, size);
}

/* Unless the format has told where they are. */
static void
warn_of_rounded(const FgRecordingReader *r, FgWarnings *warnings)
{
	if (r->ctx->rounded > r->rounded && fg_warning_of(warnings, fg_warning_rounded) == NULL)
		fg_warn(warnings, &(FgWarning) {
			.text = fg_warning_rounded, .hint = fg_hint_rounded, .count = r->ctx->rounded - r->rounded
		});
}

bool
fg_recording_finish(FgRecordingReader *r, FgRecording *recording)
{
	memset(recording, 0, sizeof(*recording));
	if (r->packing == PACKING_UNKNOWN && !begin_packing(r))
		return false;
	if (r->packing == GZIP && !fg_gunzip_finish(r->gunzip))
		return false;
	if (r->format == NULL && !begin_format(r, true))
		return false;
	if (!r->format->finish(r->state))
		return false;
	recording->format = r->format->format;
	recording->gzip = r->packing == GZIP;
	if (fg_sink_finish(r->sink, recording))
	{
		warn_of_rounded(r, &recording->warnings);
		return true;
	}
	fg_recording_free(r->ctx, recording);
	return false;
}

FgFormat
fg_recording_format(const FgRecordingReader *r)
{
	return r->format != NULL ? r->format->format : FG_FORMAT_AUTO;
}

/* --- life ------------------------------------------------------------------------ */

FgRecordingReader *
fg_recording_open(FgContext *ctx, const FgReadOptions *options)
{
	FgRecordingReader *r = fg_alloc_zero(ctx, 1, sizeof(FgRecordingReader));

	if (r == NULL)
		return NULL;
	/* readers ask whether something has failed; in what was read before this recording it may have */
	ctx->error = (FgError) {.code = FG_OK};
	r->ctx = r->head.ctx = ctx;
	r->options = options;
	r->head_size = FG_HEAD_BYTES;
	r->rounded = ctx->rounded;
	r->sink = fg_sink_create(ctx, options);
	if (r->sink == NULL)
	{
		fg_recording_close(r);
		return NULL;
	}
	if (options->format == FG_FORMAT_AUTO)
		return r;
	r->format = fg_formats[options->format].reader;
	if (r->format == NULL)
		fg_fail(ctx, FG_ERROR_ARGUMENT, "there is no reader for this format");
	else if (check_style(r) && check_times(r))
		r->state = r->format->begin(r->sink);
	if (r->state == NULL)
	{
		fg_recording_close(r);
		return NULL;
	}
	return r;
}

void
fg_recording_close(FgRecordingReader *r)
{
	if (r == NULL)
		return;
	if (r->state != NULL)
		r->format->free(r->state);
	fg_gunzip_free(r->gunzip);
	fg_sink_free(r->sink);
	fg_release(r->ctx, r->head.data);
	fg_release(r->ctx, r);
}

void
fg_recorded_free(FgContext *ctx, FgRecorded *recorded)
{
	fg_release(ctx, recorded->event);
	fg_release(ctx, recorded->name);
	fg_release(ctx, recorded->unit);
	fg_tree_free(ctx, &recorded->complete);
	fg_tree_free(ctx, &recorded->truncated);
	fg_tree_free(ctx, &recorded->samples);
	fg_tree_free(ctx, &recorded->noise);
	*recorded = (FgRecorded) {.event = NULL};
}

void
fg_recording_free(FgContext *ctx, FgRecording *recording)
{
	for (size_t i = 0; i < recording->count; i++)
		fg_recorded_free(ctx, &recording->profiles[i]);
	fg_release(ctx, recording->profiles);
	memset(recording, 0, sizeof(*recording));
}
