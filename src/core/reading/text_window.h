/*
 * text_window.h
 *	  The part of a text that is looked at, of one that comes in blocks; for tokenizers.
 *
 * The text is taken in blocks of one size, whatever those of the caller are, so that
 * nothing depends on them.  The window is the last block, and in front of it what was left of the token that the
 * block before it had cut.  So every token lies in one piece, and memory grows with the
 * longest of them only.
 *
 * Behind the window stands a NUL, and room for a word: loops over a token need not ask at each byte whether the
 * window has ended.  A byte order mark is no part of the text.
 */
#ifndef FG_TEXT_WINDOW_H
#define FG_TEXT_WINDOW_H

#include "core/base/bytes.h"

typedef struct FgTextWindow
{
	FgContext  *ctx;
	uint8_t    *data;
	size_t		size;
	size_t		capacity;
	size_t		at;				/* behind the last byte that was consumed */
	size_t		filled;			/* how much of its last block the window has */
	bool		whole;			/* nothing comes any more */
	size_t		added;			/* bytes behind the end that are no part of the text */

	uint64_t	offset;			/* of the window in the file */
	size_t		counted;		/* how far lines are counted in the window */
	uint64_t	line;			/* there, from 1 */
	uint64_t	line_start;		/* offset */
} FgTextWindow;

extern void fg_text_window_begin(FgContext *ctx, FgTextWindow *window);
extern void fg_text_window_free(FgTextWindow *window);

/* For another text, with the same memory. */
extern void fg_text_window_restart(FgTextWindow *window);

/*
 * Takes bytes until a block is full, which "full" tells: then its tokens are read, until
 * there are no more, and fg_text_window_drop ends the block.  Returns how many bytes it took;
 * 0: an error.  fg_text_window_end makes the last block, and puts "added" behind it.
 */
extern size_t fg_text_window_take(FgTextWindow *window, const char *bytes, size_t size, bool *full);
extern bool fg_text_window_end(FgTextWindow *window, const char *added);
extern void fg_text_window_drop(FgTextWindow *window);

/* Where the text ends, which the window may not hold yet. */
static inline const uint8_t *
fg_text_window_limit(const FgTextWindow *window)
{
	return window->data + window->size;
}

/* The place of the byte in front of this one of the window, and the line around it. */
extern void fg_text_window_place(FgTextWindow *window, size_t at, uint64_t *line, uint64_t *column);
extern void fg_text_window_quote(const FgTextWindow *window, size_t at);

#endif							/* FG_TEXT_WINDOW_H */
