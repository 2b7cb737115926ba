/*
 * framing.c
 *	  Messages with a head, as the language server protocol has them.
 */
#include "core/editor/framing.h"

#include <string.h>

static bool
same_letters(const char *a, const char *b, size_t length)
{
	for (size_t i = 0; i < length; i++)
	{
		char		letter = a[i] >= 'A' && a[i] <= 'Z' ? (char) (a[i] + 'a' - 'A') : a[i];

		if (letter != b[i])
			return false;
	}
	return true;
}

/* Digits with blanks around them. */
static bool
read_length(const char *at, const char *end, uint64_t *value)
{
	size_t		digits = 0;

	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*value = 0;
	for (; at < end && *at >= '0' && *at <= '9' && digits < 18; digits++)
		*value = *value * 10 + (uint64_t) (*at++ - '0');
	return digits > 0 && at == end;
}

static bool
read_head(FgContext *ctx, FgFraming *framing)
{
	static const char name[] = "content-length:";
	const char *line = framing->head;
	const char *end = framing->head + framing->head_size - 2;
	bool		known = false;

	while (line < end)
	{
		const char *stop = memchr(line, '\r', (size_t) (end - line));

		if (stop == NULL || stop[1] != '\n' || memchr(line, ':', (size_t) (stop - line)) == NULL)
			return fg_fail(ctx, FG_ERROR_SYNTAX, "a line of a message's head is not \"Name: value\"");
		if ((size_t) (stop - line) >= sizeof(name) - 1 && same_letters(line, name, sizeof(name) - 1))
		{
			if (known || !read_length(line + sizeof(name) - 1, stop, &framing->left))
				return fg_fail(ctx, FG_ERROR_SYNTAX, "Content-Length is not one number of bytes");
			known = true;
		}
		line = stop + 2;
	}
	return known || fg_fail(ctx, FG_ERROR_SYNTAX, "a message has no Content-Length");
}

static bool
head_ends(const FgFraming *framing)
{
	size_t		size = framing->head_size;
	const char *head = framing->head;

	if (size == 2)
		return memcmp(head, "\r\n", 2) == 0;
	return size >= 4 && memcmp(head + size - 4, "\r\n\r\n", 4) == 0;
}

FgFramingStep
fg_framing_step(FgContext *ctx, FgFraming *framing, const char **bytes, size_t *size,
				const char **body, size_t *body_size)
{
	if (framing->inside)
	{
		if (framing->left == 0)
		{
			framing->inside = false;
			return FG_FRAMING_END;
		}
		if (*size == 0)
			return FG_FRAMING_MORE;
		*body = *bytes;
		*body_size = framing->left < *size ? (size_t) framing->left : *size;
		*bytes += *body_size;
		*size -= *body_size;
		framing->left -= *body_size;
		return FG_FRAMING_BODY;
	}
	while (*size > 0)
	{
		if (framing->head_size == sizeof(framing->head))
		{
			fg_fail(ctx, FG_ERROR_LIMIT, "the head of a message is longer than %d bytes", FG_MAX_MESSAGE_HEAD);
			return FG_FRAMING_ERROR;
		}
		framing->head[framing->head_size++] = *(*bytes)++;
		(*size)--;
		if (framing->head[framing->head_size - 1] == '\n' &&
			(framing->head_size == 1 || framing->head[framing->head_size - 2] != '\r'))
		{
			fg_fail(ctx, FG_ERROR_SYNTAX, "a line of a message's head does not end with CR LF");
			return FG_FRAMING_ERROR;
		}
		if (!head_ends(framing))
			continue;
		if (!read_head(ctx, framing))
			return FG_FRAMING_ERROR;
		framing->head_size = 0;
		framing->inside = true;
		return FG_FRAMING_BEGIN;
	}
	return FG_FRAMING_MORE;
}
