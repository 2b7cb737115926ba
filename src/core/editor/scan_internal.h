/*
 * scan_internal.h
 *	  What the parts of the scanner share: tokens, and functions as they are found.
 */
#ifndef FG_EDITOR_SCAN_INTERNAL_H
#define FG_EDITOR_SCAN_INTERNAL_H

#include "core/editor/scan.h"

typedef enum FgTokenKind
{
	FG_SOURCE_END, FG_SOURCE_WORD, FG_SOURCE_NUMBER, FG_SOURCE_STRING, FG_SOURCE_SIGN,
	FG_SOURCE_TEMPLATE,			/* the ${ of a template literal */
	FG_SOURCE_LINE				/* the end of a line of Go that ends a statement */
} FgTokenKind;

/* Signs are single characters, but for these. */
enum
{
	FG_SIGN_SCOPE = 1,			/* :: */
	FG_SIGN_ARROW,				/* => */
	FG_SIGN_RESULT,				/* -> */
	FG_SIGN_OTHER				/* == <= >= != and the like */
};

typedef struct FgToken
{
	FgTokenKind kind;
	int			sign;
	uint32_t	at;
	uint32_t	length;
} FgToken;

typedef struct FgLexer
{
	FgContext  *ctx;
	FgLanguage	language;
	const char *text;
	size_t		size;
	size_t		at;
	FgToken		last;			/* for what depends on it: regular expressions, ends of lines */
	int			directive;		/* of C's preprocessor, met before the token: 'i'f, 'e'lse, end: 'f'; 0: none */
} FgLexer;

extern bool fg_next_token(FgLexer *lexer, FgToken *token);

/* Goes on in a template literal, behind the } that ended its ${; false in *inside when it has ended. */
extern bool fg_skip_template(FgLexer *lexer, bool *inside);

extern bool fg_is_word_byte(uint8_t byte);

/* Adds a function; *number is FG_NONE when there are too many. */
extern bool fg_add_function(FgContext *ctx, FgFunctions *functions, const FgFunction *function,
							uint32_t *number);

extern bool fg_scan_python(FgContext *ctx, const char *text, size_t size, FgFunctions *functions);

#endif							/* FG_EDITOR_SCAN_INTERNAL_H */
