/*
 * json_tokens.h
 *	  The tokens of a JSON text that comes in blocks, and their places; for json_stream.c.
 *
 * Every token lies in the window in one piece (text_window.h), and memory grows with the longest of them only (a
 * limit).  No byte is looked at twice because a string is long.  A blank stands for the end of the text.
 *
 * Tokens are those of RFC 8259, and texts are UTF-8 without exception.  An error is where
 * "at" stands: behind the last byte that was consumed.
 */
#ifndef FG_JSON_TOKENS_H
#define FG_JSON_TOKENS_H

#include "core/reading/text_window.h"

#ifndef FG_JSON_STRING_MB
#define FG_JSON_STRING_MB	16
#endif
#define FG_JSON_MAX_STRING	((size_t) FG_JSON_STRING_MB << 20)

/* Tokens of one character are that character. */
enum
{
	FG_TOKEN_MORE = 0,			/* the window ends before the token does */
	FG_TOKEN_ERROR = 1,			/* "error" says which */
	FG_TOKEN_STRING = '"',
	FG_TOKEN_NUMBER = '0',
	FG_TOKEN_TRUE = 't',
	FG_TOKEN_FALSE = 'f',
	FG_TOKEN_NULL = 'n'
};

typedef struct FgJsonText
{
	FgContext  *ctx;
	FgTextWindow window;

	/* the token that was read last, in the window or in "decoded" */
	const char *text;			/* of a string (without its quotes) or number; a word more can be read */
	size_t		length;
	size_t		raw_length;		/* before escapes were undone */
	const char *error;			/* NULL: not UTF-8 */
	bool		failed;			/* ctx->error has it: a limit, or no memory */
	FgBuffer	decoded;
	size_t		scanned;		/* of a string that the window cut: what needs no second look */
	bool		escapes;		/* that part has some */
} FgJsonText;

extern void fg_json_text_begin(FgContext *ctx, FgJsonText *text);
extern void fg_json_text_free(FgJsonText *text);

/* For another text, with the same memory. */
extern void fg_json_text_restart(FgJsonText *text);

/* What is behind the end of the text (fg_text_window_end). */
#define FG_JSON_TEXT_END " "

extern int	fg_json_token(FgJsonText *text);

/* Takes the next byte if it is this one. */
static inline bool
fg_json_text_accept(FgJsonText *text, char byte)
{
	if (text->window.data[text->window.at] != (uint8_t) byte)
		return false;
	text->window.at++;
	return true;
}

/*
 * Behind an element of an array: goes on behind the next one if that is a whole number of
 * few digits, which mostly is all that there is in an array of numbers.
 */
extern bool fg_json_token_next_few(FgJsonText *text, uint32_t *number);

/* The same for up to fifteen digits, with a decimal point among them or without one. */
extern bool fg_json_token_next_decimal(FgJsonText *text, double *number);

/*
 * The same for a column: as many elements as there are of these kinds, up to "room".  Null, and of
 * indices also -1, come as FG_NONE and NAN.  Returns how many there are.
 */
extern size_t fg_json_token_indices(FgJsonText *text, uint32_t *numbers, size_t room);
extern size_t fg_json_token_decimals(FgJsonText *text, double *numbers, size_t room);

/* The same, where null and -1 are no elements of their own. */
extern size_t fg_json_token_few(FgJsonText *text, uint32_t *numbers, size_t room);
extern size_t fg_json_token_numbers(FgJsonText *text, double *numbers, size_t room);

#endif							/* FG_JSON_TOKENS_H */
