/*
 * scan.h
 *	  The functions of a source file: where each begins and ends, what it is called, and the
 *	  type, module or namespace that it is in.
 *
 * No compiler: what tells a function in each of these languages is a name followed by an
 * argument list and a body, and the brackets around them.  Comments, strings and the lines
 * of C's preprocessor are left out.  Whatever the bytes are, the scanner ends, and what it
 * says lies within them; a function is within the one that it names as the outer one.
 */
#ifndef FG_EDITOR_SCAN_H
#define FG_EDITOR_SCAN_H

#include "core/base/context.h"

typedef enum FgLanguage
{
	FG_LANGUAGE_NONE, FG_LANGUAGE_C, FG_LANGUAGE_CPP, FG_LANGUAGE_RUST, FG_LANGUAGE_GO,
	FG_LANGUAGE_JAVA, FG_LANGUAGE_JAVASCRIPT, FG_LANGUAGE_PYTHON
} FgLanguage;

/* Bytes of the text. */
typedef struct FgSlice
{
	uint32_t	at;
	uint32_t	length;			/* 0: none */
} FgSlice;

#define FG_ARGUMENTS_UNKNOWN UINT32_MAX

typedef struct FgFunction
{
	FgSlice		name;			/* none: it has no name, and "at" is where it begins */
	FgSlice		owner;			/* the type, module or namespace right around it */
	uint32_t	start;			/* of its head, or its name */
	uint32_t	end;			/* behind its body */
	uint32_t	arguments;
	uint32_t	outer;			/* the function around it, or FG_NONE */
} FgFunction;

/* A file that has more is not looked at any further, and "cut" says so. */
#define FG_MAX_FUNCTIONS 20000

typedef struct FgFunctions
{
	FgFunction *items;
	size_t		count;
	size_t		capacity;
	FgSlice		package;		/* of Go and Java */
	bool		cut;			/* too many, or too deep */
} FgFunctions;

/* By the client's name of a language ("cpp"), else by the end of the file's name. */
extern FgLanguage fg_language_of(const char *id, size_t id_length, const char *path,
								 size_t path_length);

extern bool fg_scan_functions(FgContext *ctx, FgLanguage language, const char *text, size_t size,
							  FgFunctions *functions);
extern void fg_functions_free(FgContext *ctx, FgFunctions *functions);

/* Is it one of these words? The last one is NULL. */
extern bool fg_word_in(const char *const *words, const char *text, size_t length);

/* The innermost function around a byte, or FG_NONE. */
extern uint32_t fg_function_at(const FgFunctions *functions, size_t offset);

#endif							/* FG_EDITOR_SCAN_H */
