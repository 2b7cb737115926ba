/*
 * folded_file.c
 *	  Folded stacks of other tools as a recording: the grammar is that of
 *	  core/profile/folded.h, dialect FG_FOLDED_FOREIGN.
 */
#include "core/reading/sink.h"
#include "core/reading/text_lines.h"

#include "core/profile/folded.h"

#define BLOCK_BYTES ((size_t) 64 * 1024)

static const FgKind kind = {.event = "cpu", .name = "", .unit = "samples"};

typedef struct Folded
{
	FgContext  *ctx;
	FgSink	   *sink;
	FgTextLines lines;
	FgFoldedTarget target;
	FgFoldedReport report;
	const char *valid_end;		/* up to here the block at hand is UTF-8 */
	bool		has_callers;	/* some stack has more than one frame */
} Folded;

static bool
looks_like_number(const char *text, size_t length)
{
	bool		digits = false;

	for (size_t i = 0; i < length; i++)
	{
		digits |= text[i] >= '0' && text[i] <= '9';
		if (strchr("0123456789+-.eE", text[i]) == NULL)
			return false;
	}
	return digits;
}

/* Frames, of a line that is longer than the head. */
static bool
is_long_stack(const FgHeadLine *walk)
{
	return walk->next < walk->end && memchr(walk->next, ';', (size_t) (walk->end - walk->next)) != NULL &&
		strchr("{[<", walk->next[0]) == NULL;
}

/* The value behind the last blank of a line that is not a comment. */
static bool
recognise(const char *head, size_t size, bool whole)
{
	FgHeadLine	walk = fg_head_lines(head, size, whole);
	size_t		value;

	if (!fg_head_is_text(head, size))
		return false;
	if (!fg_head_next_content(&walk))
		return whole || is_long_stack(&walk);
	value = walk.length;
	while (value > 0 && walk.line[value - 1] != ' ')
		value--;
	return value > 0 && looks_like_number(walk.line + value, walk.length - value);
}

static bool
take_line(void *arg, const char *line, size_t length, uint64_t number)
{
	Folded	   *f = arg;
	uint64_t	comments = f->report.comments;

	/* a NUL is an error of FgTextLines */
	f->target.stable = f->lines.in_block;
	f->target.is_utf8 = f->lines.in_block && line + length <= f->valid_end;
	if (!fg_folded_line(f->ctx, &f->target, line, length, number, &f->report))
		return false;
	f->has_callers = f->has_callers ||
		(f->report.comments == comments && memchr(line, ';', length) != NULL);
	return true;
}

static void
end(void *state)
{
	Folded	   *f = state;

	fg_text_lines_free(&f->lines);
	fg_release(f->ctx, f->target.scratch.data);
	fg_release(f->ctx, f);
}

static void *
begin(FgSink *sink)
{
	FgContext  *ctx = fg_sink_context(sink);
	Folded	   *f = fg_alloc_zero(ctx, 1, sizeof(Folded));
	uint32_t	number;

	if (f == NULL)
		return NULL;
	f->ctx = ctx;
	f->sink = sink;
	fg_text_lines_begin(&f->lines, ctx, take_line, f);
	f->target.max_depth = fg_sink_options(sink)->max_depth;
	if (fg_sink_whole(sink, &kind, &number) &&
		(f->target.complete = fg_sink_builder(sink, number, false)) != NULL &&
		(f->target.truncated = fg_sink_builder(sink, number, true)) != NULL)
		return f;
	end(f);
	return NULL;
}

static bool
feed(void *state, const char *bytes, size_t size)
{
	Folded	   *f = state;

	/* Looked through once for all lines of a block, which is then in the cache. */
	for (size_t block; size > 0; bytes += block, size -= block)
	{
		block = size < BLOCK_BYTES ? size : BLOCK_BYTES;
		f->valid_end = bytes + fg_utf8_prefix(bytes, block);
		if (!fg_text_lines_feed(&f->lines, bytes, block) || !fg_builder_settle(f->target.complete) ||
			!fg_builder_settle(f->target.truncated))
			return false;
	}
	return true;
}

static bool
finish(void *state)
{
	Folded	   *f = state;
	FgNoted    *noted = fg_sink_noted(f->sink);
	FgWarning	warning;

	if (!fg_text_lines_finish(&f->lines))
		return false;
	for (size_t i = 0; fg_folded_warning(&f->report, i, &warning); i++)
		fg_sink_warn(f->sink, &warning);
	if (f->report.samples > 1 && !f->has_callers)
		fg_sink_warn(f->sink, &(FgWarning) {
			.text = "no stack has more than one frame",
			.hint = "Frames are joined by \";\"; a text whose lines end in numbers may be something else."
		});
	noted->samples = f->report.samples;
	noted->comments = f->report.comments;
	noted->unknown_frames = f->report.unknown_frames;
	noted->control_characters = f->report.control_characters;
	return true;
}

const FgFormatReader fg_folded_reader = {
	.format = FG_FORMAT_FOLDED,
	.unsure = true,
	.recognise = recognise,
	.begin = begin,
	.feed = feed,
	.finish = finish,
	.free = end
};
