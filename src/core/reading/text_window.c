/*
 * text_window.c
 *	  The part of a text that is looked at (see text_window.h).
 */
#include "core/reading/text_window.h"

#define BLOCK_BYTES ((size_t) FG_CHECK_BYTES / 16)

/* Behind the window: what is added to the text, a NUL, and a word that may be read. */
#define BEHIND 16

void
fg_text_window_begin(FgContext *ctx, FgTextWindow *window)
{
	*window = (FgTextWindow) {.ctx = ctx, .line = 1};
}

void
fg_text_window_free(FgTextWindow *window)
{
	fg_release(window->ctx, window->data);
}

void
fg_text_window_restart(FgTextWindow *window)
{
	FgTextWindow kept = *window;

	fg_text_window_begin(kept.ctx, window);
	window->data = kept.data;
	window->capacity = kept.capacity;
}

static bool
make_room(FgTextWindow *window, size_t more)
{
	return fg_reserve(window->ctx, (void **) &window->data, &window->capacity, window->size + more + BEHIND, 1);
}

/* The window has a block to be read; the first one without its byte order mark. */
static void
begin_block(FgTextWindow *window)
{
	static const char mark[] = "\xEF\xBB\xBF";

	memset(window->data + window->size, 0, BEHIND);
	if (window->offset == 0 && window->at == 0 && window->size >= 3 &&
		memcmp(window->data, mark, 3) == 0)
		window->at = window->line_start = 3;
}

size_t
fg_text_window_take(FgTextWindow *window, const char *bytes, size_t size, bool *full)
{
	size_t		part = BLOCK_BYTES - window->filled;

	*full = size >= part;
	if (size < part)
		part = size;
	/* a file that is smaller than a block needs no room for one */
	if (!make_room(window, part))
		return 0;
	memcpy(window->data + window->size, bytes, part);
	window->size += part;
	window->filled += part;
	if (*full)
		begin_block(window);
	return part;
}

bool
fg_text_window_end(FgTextWindow *window, const char *added)
{
	window->added = strlen(added);
	if (!make_room(window, window->added))
		return false;
	begin_block(window);
	memcpy(window->data + window->size, added, window->added);
	window->size += window->added;
	window->whole = true;
	return true;
}

/* In bytes, which vectors have most of. */
static uint64_t
count_line_feeds(const uint8_t *bytes, size_t size)
{
	uint64_t	count = 0;

	for (size_t start = 0, end; start < size; start = end)
	{
		uint8_t		some = 0;

		end = size - start > 128 ? start + 128 : size;
		for (size_t i = start; i < end; i++)
			some += bytes[i] == '\n';
		count += some;
	}
	return count;
}

/* No byte is looked at for each token. */
static void
count_lines(FgTextWindow *window, size_t end)
{
	const uint8_t *bytes = window->data;
	uint64_t	lines;

	if (end <= window->counted)
		return;
	lines = count_line_feeds(bytes + window->counted, end - window->counted);
	window->line += lines;
	for (size_t i = end; lines > 0; i--)
	{
		if (bytes[i - 1] != '\n')
			continue;
		window->line_start = window->offset + i;
		lines = 0;
	}
	window->counted = end;
}

void
fg_text_window_drop(FgTextWindow *window)
{
	count_lines(window, window->at);
	window->counted = 0;
	window->offset += window->at;
	window->size -= window->at;
	memmove(window->data, window->data + window->at, window->size);
	window->at = 0;
	window->filled = 0;
}

/* What was added is no part of the file. */
static size_t
place_in_window(const FgTextWindow *window, size_t at)
{
	size_t		size = window->size - window->added;

	return at < size ? at : size;
}

void
fg_text_window_place(FgTextWindow *window, size_t at, uint64_t *line, uint64_t *column)
{
	size_t		place = place_in_window(window, at);

	/* a line feed that is the last byte belongs to the line it ends, the end of the file to the next */
	if (place > 0)
		count_lines(window, window->whole && at >= window->size ? place : place - 1);
	*line = window->line;
	*column = window->offset + place > window->line_start ? window->offset + place - window->line_start : 1;
}

void
fg_text_window_quote(const FgTextWindow *window, size_t at)
{
	const char *bytes = (char *) window->data;
	size_t		size = window->size - window->added;
	size_t		place = place_in_window(window, at);
	size_t		start = place > 0 ? place - 1 : 0;
	const char *stop;

	/* at the end of the file no line is to blame */
	if (size == 0 || (window->whole && at >= window->size))
		return;
	while (start > 0 && bytes[start - 1] != '\n')
		start--;
	stop = memchr(bytes + start, '\n', size - start);
	fg_quote(window->ctx, bytes + start, (stop != NULL ? (size_t) (stop - bytes) : size) - start,
			 place - start);
}
