/*
 * text_lines.h
 *	  What the formats made of text lines share: blocks of bytes cut into lines,
 *	  and the first lines of a recording for recognition.
 *
 * A line comes without its LF, and without the CR, blanks and tabs at its end.  A
 * byte order mark before the first line is dropped.  Lines that are whole in a
 * block are not copied.
 */
#ifndef FG_TEXT_LINES_H
#define FG_TEXT_LINES_H

#include "core/base/bytes.h"

/*
 * Takes one line, which lives during the call; number counts from 1.  An error in this
 * line quotes it.
 */
typedef bool (*FgTakeLine) (void *arg, const char *line, size_t length, uint64_t number);

typedef struct FgTextLines
{
	FgContext  *ctx;
	FgTakeLine	take;
	void	   *arg;
	uint64_t	number;			/* of the last line taken */
	FgBuffer	partial;		/* begun in an earlier block */
	bool		in_block;		/* the line that is taken lies in the block at hand, and lives as long */
	bool		has_nul;		/* some block had one: lines are then looked at one by one */
	bool		ended;			/* once finished: the last line had its LF, or there was none */
} FgTextLines;

extern void fg_text_lines_begin(FgTextLines *lines, FgContext *ctx, FgTakeLine take, void *arg);
extern bool fg_text_lines_feed(FgTextLines *lines, const char *bytes, size_t size);

/* The last line may have no LF. */
extern bool fg_text_lines_finish(FgTextLines *lines);
extern void fg_text_lines_free(FgTextLines *lines);

/* A walk over the lines of a recording's head, trimmed in the same way. */
typedef struct FgHeadLine
{
	const char *next;
	const char *end;
	bool		whole;			/* there is no more text behind the head */
	const char *line;
	size_t		length;
} FgHeadLine;

extern FgHeadLine fg_head_lines(const char *head, size_t size, bool whole);

/* The next line; false at the end and for a line that the head's end cuts off. */
extern bool fg_head_next(FgHeadLine *walk);

/* The next line that is not empty and does not start with '#'. */
extern bool fg_head_next_content(FgHeadLine *walk);

/*
 * Could these bytes begin a text?  They may not be UTF-8: the reader then says which line is
 * not.
 */
extern bool fg_head_is_text(const char *head, size_t size);

/* The length of a text without this literal at its end, if it ends so and there is more of it. */
static inline size_t
fg_length_without(const char *text, size_t length, const char *end)
{
	size_t		of_end = strlen(end);

	return length > of_end && memcmp(text + length - of_end, end, of_end) == 0 ? length - of_end : length;
}

#endif							/* FG_TEXT_LINES_H */
