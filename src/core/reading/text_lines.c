/*
 * text_lines.c
 *	  Lines of text that comes in blocks (see text_lines.h).
 */
#include "core/reading/text_lines.h"

#include "core/profile/frames.h"
#include "core/reading/byte_scan.h"

static const char byte_order_mark[] = "\xEF\xBB\xBF";

#define MARK_SIZE (sizeof(byte_order_mark) - 1)

static size_t
trimmed(const char *line, size_t length)
{
	while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t' ||
						  line[length - 1] == '\r'))
		length--;
	return length;
}

void
fg_text_lines_begin(FgTextLines *lines, FgContext *ctx, FgTakeLine take, void *arg)
{
	memset(lines, 0, sizeof(*lines));
	lines->ctx = lines->partial.ctx = ctx;
	lines->take = take;
	lines->arg = arg;
}

/* The line that failed, unless it is another one that is to blame, or none. */
static bool
fail_line(FgTextLines *lines, const char *line, size_t length)
{
	const FgError *error = &lines->ctx->error;

	if (error->line == lines->number && error->code != FG_ERROR_MEMORY &&
		error->code != FG_ERROR_CANCELLED)
		fg_quote(lines->ctx, line, length, error->column > 0 ? (size_t) error->column - 1 : 0);
	return false;
}

static bool
take_line(FgTextLines *lines, const char *line, size_t length)
{
	const char *nul = NULL;

	if (lines->number++ == 0 && length >= MARK_SIZE && memcmp(line, byte_order_mark, MARK_SIZE) == 0)
	{
		line += MARK_SIZE;
		length -= MARK_SIZE;
	}
	length = trimmed(line, length);
	if (lines->has_nul)
		nul = memchr(line, '\0', length);
	if (nul != NULL)
		return fg_fail_at(lines->ctx, FG_ERROR_ENCODING, lines->number, (uint64_t) (nul - line) + 1,
						  "The file is damaged, or it is not the text of this format.",
						  "byte 0x00 does not belong to UTF-8 text") || fail_line(lines, line, length);
	return fg_work(lines->ctx, length) &&
		(lines->take(lines->arg, line, length, lines->number) || fail_line(lines, line, length));
}

static bool
take_partial(FgTextLines *lines)
{
	size_t		size = lines->partial.size;

	lines->partial.size = 0;
	lines->in_block = false;
	return take_line(lines, (char *) lines->partial.data, size);
}

static bool
keep_partial(FgTextLines *lines, const char *bytes, size_t size)
{
	if (size > FG_MAX_BYTES - lines->partial.size)
		return fg_fail_at(lines->ctx, FG_ERROR_LIMIT, lines->number + 1, 0, NULL,
						  "the line is longer than %u bytes", FG_MAX_BYTES);
	return fg_buffer_append(&lines->partial, bytes, size);
}

/* NULL: the line does not end here.  Many lines are so short that most of memchr's time would be its call. */
static inline const char *
find_line_end(const char *bytes, const char *end)
{
	for (int i = 0; i < 2 && end - bytes >= (ptrdiff_t) sizeof(uint64_t); i++, bytes += sizeof(uint64_t))
	{
		uint64_t	word = fg_load_word(bytes) ^ FG_EACH_BYTE('\n');
		uint64_t	found = (word - FG_EACH_BYTE(1)) & ~word & FG_HIGH_BITS;

		if (found != 0)
			return bytes + __builtin_ctzll(found) / 8;
	}
	return memchr(bytes, '\n', (size_t) (end - bytes));
}

bool
fg_text_lines_feed(FgTextLines *lines, const char *bytes, size_t size)
{
	const char *end = bytes + size;

	lines->has_nul = lines->has_nul || (size > 0 && memchr(bytes, '\0', size) != NULL);
	while (bytes < end)
	{
		const char *stop = find_line_end(bytes, end);
		size_t		length = (size_t) ((stop != NULL ? stop : end) - bytes);

		if ((stop == NULL || lines->partial.size > 0) && !keep_partial(lines, bytes, length))
			return false;
		if (stop == NULL)
			return true;
		lines->in_block = lines->partial.size == 0;
		if (!(lines->in_block ? take_line(lines, bytes, length) : take_partial(lines)))
			return false;
		bytes = stop + 1;
	}
	return true;
}

bool
fg_text_lines_finish(FgTextLines *lines)
{
	lines->ended = lines->partial.size == 0;
	return lines->partial.size == 0 || take_partial(lines);
}

void
fg_text_lines_free(FgTextLines *lines)
{
	fg_release(lines->ctx, lines->partial.data);
}

/* --- the first lines ------------------------------------------------------------ */

FgHeadLine
fg_head_lines(const char *head, size_t size, bool whole)
{
	size_t		mark = size >= MARK_SIZE && memcmp(head, byte_order_mark, MARK_SIZE) == 0
		? MARK_SIZE : 0;

	return (FgHeadLine) {.next = head + mark, .end = head + size, .whole = whole};
}

bool
fg_head_next(FgHeadLine *walk)
{
	const char *stop;

	if (walk->next >= walk->end)
		return false;
	stop = memchr(walk->next, '\n', (size_t) (walk->end - walk->next));
	if (stop == NULL && !walk->whole)
		return false;
	walk->line = walk->next;
	walk->length = (size_t) ((stop != NULL ? stop : walk->end) - walk->next);
	walk->next = stop != NULL ? stop + 1 : walk->end;
	walk->length = trimmed(walk->line, walk->length);
	return true;
}

bool
fg_head_next_content(FgHeadLine *walk)
{
	while (fg_head_next(walk))
	{
		if (walk->length > 0 && walk->line[0] != '#')
			return true;
	}
	return false;
}

bool
fg_head_is_text(const char *head, size_t size)
{
	return memchr(head, '\0', size) == NULL;
}
