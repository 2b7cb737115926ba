/*
 * print.c
 *	  How text leaves the program.
 *
 * Whoever makes a recording chooses the names of files and events, and a server
 * says what it likes.  A terminal obeys control characters, and a log is read by
 * lines: so every line that holds foreign text leaves through say(), which shows
 * such characters instead of writing them.
 */
#include "client.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/profile/frames.h"

/* The longest form of a byte: "\xNN"; a character of n bytes has no more than 4n. */
#define SHOWN_BYTES 4

void *
must_alloc(void *pointer)
{
	if (pointer == NULL)
	{
		fprintf(stderr, "%s: out of memory\n", program_name);
		exit(program_failed);
	}
	return pointer;
}

/* The bytes of the first character and its code; 0 when it is not UTF-8. */
static size_t
first_character(const char *text, size_t length, uint32_t *code)
{
	unsigned char lead = (unsigned char) text[0];
	size_t		bytes = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;

	if (bytes > length || fg_utf8_prefix(text, bytes) != bytes)
		return 0;
	*code = bytes == 1 ? lead : lead & (0x7Fu >> bytes);
	for (size_t i = 1; i < bytes; i++)
		*code = *code << 6 | ((unsigned char) text[i] & 0x3F);
	return bytes;
}

/*
 * Control characters, those that change the direction of writing, and what some
 * viewers take for the end of a line.
 */
static bool
is_obeyed(uint32_t code)
{
	return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x061C ||
		code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
		(code >= 0x2066 && code <= 0x2069);
}

bool
has_control_character(const char *text)
{
	for (; *text != '\0'; text++)
	{
		if ((unsigned char) *text < 0x20 || *text == 0x7F)
			return true;
	}
	return false;
}

/* Appends one character, or a byte that is none, and returns how many bytes it took. */
static size_t
show_character(char **to, const char *text, size_t length)
{
	uint32_t	code = 0;
	size_t		bytes = first_character(text, length, &code);

	if (bytes == 0 || (bytes == 1 && is_obeyed(code)))
	{
		*to += sprintf(*to, "\\x%02X", (unsigned) (unsigned char) text[0]);
		return 1;
	}
	if (is_obeyed(code))
		*to += sprintf(*to, "\\u%04X", (unsigned) code);
	else
	{
		memcpy(*to, text, bytes);
		*to += bytes;
	}
	return bytes;
}

char *
printable(const char *text)
{
	size_t		length = strlen(text);
	char	   *shown = must_alloc(malloc(length * SHOWN_BYTES + 2));
	char	   *to = shown;

	while (length > 0)
	{
		size_t		bytes = show_character(&to, text, length);

		text += bytes;
		length -= bytes;
	}
	*to = '\0';
	return shown;
}

void
say(FILE *stream, const char *format,...)
{
	va_list		args;
	char	   *text;
	char	   *shown;

	va_start(args, format);
	text = format_list(format, args);
	va_end(args);
	shown = printable(text);
	/* one call, so that the lines of several threads do not mix */
	fprintf(stream, "%s\n", shown);
	free(shown);
	free(text);
}

char *
format_list(const char *format, va_list args)
{
	char	   *text = NULL;

	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	return must_alloc(text);
}

char *
format_text(const char *format,...)
{
	va_list		args;
	char	   *text;

	va_start(args, format);
	text = format_list(format, args);
	va_end(args);
	return text;
}

void
append_text(char **text, const char *format,...)
{
	va_list		args;
	char	   *more;
	char	   *longer;

	va_start(args, format);
	more = format_list(format, args);
	va_end(args);
	longer = format_text("%s%s", *text == NULL ? "" : *text, more);
	free(*text);
	free(more);
	*text = longer;
}
