/*
 * json.c
 *	  Text that is put together, as JSON and as Markdown.
 */
#include "lsp.h"

#include <stdlib.h>
#include <string.h>

#include "core/profile/frames.h"

/* Of a name in a hover. */
#define SHOWN_BYTES 160

void
out_bytes(Out *out, const char *bytes, size_t size)
{
	if (out->capacity - out->size <= size)
	{
		out->capacity = out->capacity / 2 * 3 + size + 256;
		out->text = must_alloc(realloc(out->text, out->capacity));
	}
	memcpy(out->text + out->size, bytes, size);
	out->size += size;
	out->text[out->size] = '\0';
}

void
out_put(Out *out, const char *text)
{
	out_bytes(out, text, strlen(text));
}

void
out_format(Out *out, const char *format,...)
{
	va_list		args;
	char	   *text;

	va_start(args, format);
	text = format_list(format, args);
	va_end(args);
	out_put(out, text);
	free(text);
}

void
out_free(Out *out)
{
	free(out->text);
	*out = (Out) {.text = NULL};
}

char *
copy_text(const char *text, size_t length)
{
	char	   *copy = must_alloc(malloc(length + 1));

	if (length > 0)
		memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

void
out_string(Out *out, const char *text)
{
	size_t		length = strlen(text);

	out_put(out, "\"");
	while (length > 0)
	{
		size_t		plain = 0;
		size_t		valid = fg_utf8_prefix(text, length);

		while (plain < valid && (unsigned char) text[plain] >= 0x20 && text[plain] != '"' && text[plain] != '\\' &&
			   text[plain] != 0x7F)
			plain++;
		out_bytes(out, text, plain);
		text += plain;
		length -= plain;
		if (length == 0)
			break;
		if (plain == valid)
			out_put(out, "\\ufffd");	/* no UTF-8 */
		else
			out_format(out, "\\u%04x", (unsigned) (unsigned char) *text);
		text++;
		length--;
	}
	out_put(out, "\"");
}

void
out_code(Out *out, const char *name)
{
	char	   *text = printable(name);
	size_t		length = strlen(text);
	size_t		shown = length < SHOWN_BYTES ? length : SHOWN_BYTES;
	size_t		ticks = 0;
	size_t		most = 0;

	while (shown < length && ((unsigned char) text[shown] & 0xC0) == 0x80)
		shown--;
	for (size_t i = 0; i < shown; i++)
	{
		ticks = text[i] == '`' ? ticks + 1 : 0;
		most = ticks > most ? ticks : most;
	}
	/* A run of backticks that the name does not have, and blanks, which do not count, around it. */
	for (size_t i = 0; i <= most; i++)
		out_put(out, "`");
	out_put(out, most > 0 || shown == 0 ? " " : "");
	out_bytes(out, text, shown);
	out_put(out, shown < length ? "…" : "");
	out_put(out, most > 0 || shown == 0 ? " " : "");
	for (size_t i = 0; i <= most; i++)
		out_put(out, "`");
	free(text);
}
