/*
 * text.h
 *	  The text of a document that an editor has open, and places in it.
 *
 * The language server protocol counts lines from 0 and characters in units of UTF-16; the
 * text is UTF-8.  A line ends with LF, CR LF or CR.  A place behind the end of its line is
 * the end of the line, and one behind the last line is the end of the text, as the protocol
 * has it; a place within a character is the begin of it.
 *
 * The text has a NUL behind it, and the lines are always those of the text.
 */
#ifndef FG_EDITOR_TEXT_H
#define FG_EDITOR_TEXT_H

#include "core/base/bytes.h"

typedef struct FgPosition
{
	uint32_t	line;
	uint32_t	character;
} FgPosition;

typedef struct FgSourceText
{
	FgBuffer	bytes;
	uint32_t   *lines;			/* where each begins; the first one at 0 */
	size_t		line_count;
	size_t		line_capacity;
} FgSourceText;

extern bool fg_text_begin(FgContext *ctx, FgSourceText *text, const char *bytes, size_t size);
extern void fg_text_free(FgSourceText *text);

/* Puts bytes in the place of those between two places, in whatever order these are. */
extern bool fg_text_replace(FgSourceText *text, FgPosition from, FgPosition to, const char *bytes, size_t size);

extern size_t fg_text_offset(const FgSourceText *text, FgPosition place);
extern FgPosition fg_text_place(const FgSourceText *text, size_t offset);

/* The end of a line, before what ends it. */
extern size_t fg_text_line_end(const FgSourceText *text, uint32_t line);

#endif							/* FG_EDITOR_TEXT_H */
