/*
 * text.c
 *	  The text of a document that an editor has open, and places in it.
 */
#include "core/editor/text.h"

static bool
add_line(FgSourceText *text, size_t offset)
{
	if (!fg_reserve(text->bytes.ctx, (void **) &text->lines, &text->line_capacity,
					text->line_count + 1, sizeof(*text->lines)))
		return false;
	text->lines[text->line_count++] = (uint32_t) offset;
	return true;
}

/* Finds the lines behind the one that is known last. */
static bool
find_lines(FgSourceText *text)
{
	const uint8_t *bytes = text->bytes.data;
	size_t		size = text->bytes.size;

	for (size_t at = text->lines[text->line_count - 1]; at < size; at++)
	{
		if (at % FG_CHECK_BYTES == 0 && !fg_check(text->bytes.ctx))
			return false;
		if (bytes[at] != '\n' && (bytes[at] != '\r' || bytes[at + 1] == '\n'))
			continue;
		if (!add_line(text, at + 1))
			return false;
	}
	return true;
}

bool
fg_text_begin(FgContext *ctx, FgSourceText *text, const char *bytes, size_t size)
{
	*text = (FgSourceText) {.bytes = {.ctx = ctx}};
	if (size >= UINT32_MAX / 2)
		return fg_fail(ctx, FG_ERROR_LIMIT, "the document is too large");
	if (fg_buffer_append(&text->bytes, bytes, size) && fg_buffer_append(&text->bytes, "", 1))
	{
		text->bytes.size--;
		if (add_line(text, 0) && find_lines(text))
			return true;
	}
	fg_text_free(text);
	return false;
}

void
fg_text_free(FgSourceText *text)
{
	FgContext  *ctx = text->bytes.ctx;

	fg_release(ctx, text->bytes.data);
	fg_release(ctx, text->lines);
	*text = (FgSourceText) {.bytes = {.ctx = ctx}};
}

/* The line that has the byte. */
static uint32_t
line_of(const FgSourceText *text, size_t offset)
{
	size_t		low = 0;
	size_t		high = text->line_count;

	while (high - low > 1)
	{
		size_t		middle = low + (high - low) / 2;

		if (text->lines[middle] <= offset)
			low = middle;
		else
			high = middle;
	}
	return (uint32_t) low;
}

bool
fg_text_replace(FgSourceText *text, FgPosition from, FgPosition to, const char *bytes, size_t size)
{
	FgBuffer   *buffer = &text->bytes;
	size_t		start = fg_text_offset(text, from);
	size_t		end = fg_text_offset(text, to);
	uint32_t	line;

	if (end < start)
	{
		size_t		other = start;

		start = end;
		end = other;
	}
	if (size >= UINT32_MAX / 2 - buffer->size)
		return fg_fail(buffer->ctx, FG_ERROR_LIMIT, "the document is too large");
	if (!fg_buffer_room(buffer, size + 1))
		return false;
	memmove(buffer->data + start + size, buffer->data + end, buffer->size - end + 1);
	if (size > 0)
		memcpy(buffer->data + start, bytes, size);
	buffer->size += size - (end - start);
	/* The line before may end with a CR, which an LF that comes behind it makes longer. */
	line = line_of(text, start > 0 ? start - 1 : 0);
	text->line_count = line + 1;
	return find_lines(text);
}

size_t
fg_text_line_end(const FgSourceText *text, uint32_t line)
{
	const uint8_t *bytes = text->bytes.data;
	size_t		end;

	if (line + 1 >= text->line_count)
		return text->bytes.size;
	end = text->lines[line + 1] - 1;
	return bytes[end] == '\n' && end > text->lines[line] && bytes[end - 1] == '\r' ? end - 1 : end;
}

/* Bytes of the character that begins so; what is no UTF-8 counts byte by byte. */
static size_t
character_bytes(uint8_t lead)
{
	return lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

size_t
fg_text_offset(const FgSourceText *text, FgPosition place)
{
	const uint8_t *bytes = text->bytes.data;
	size_t		at;
	size_t		end;

	if (place.line >= text->line_count)
		return text->bytes.size;
	at = text->lines[place.line];
	end = fg_text_line_end(text, place.line);
	for (uint32_t units = 0; at < end && units < place.character;)
	{
		size_t		count = character_bytes(bytes[at]);

		units += count == 4 ? 2 : 1;
		if (units > place.character)
			break;
		at = count < end - at ? at + count : end;
	}
	return at;
}

FgPosition
fg_text_place(const FgSourceText *text, size_t offset)
{
	const uint8_t *bytes = text->bytes.data;
	FgPosition		place = {line_of(text, offset), 0};
	size_t		at = text->lines[place.line];

	while (at < offset && at < text->bytes.size)
	{
		size_t		count = character_bytes(bytes[at]);

		place.character += count == 4 ? 2 : 1;
		at += count;
	}
	return place;
}
