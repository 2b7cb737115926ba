/*
 * match.h
 *	  Which function of a document a frame of a profile means.
 *
 * Frames are what the readers of recordings write: symbols of C++, Rust and Go, methods of
 * Java, "file:function" and "function file:line:column" of V8, "function (file:line)" of
 * Python, each with or without a line.  A lambda, a closure and a clone that the compiler
 * made count for the function around them.
 *
 * A frame that names a file is of the document when the files have one name and, where the
 * frame has directories, the nearest one is the same too.  One that does not must name the
 * type, module, package or namespace that the function is in.
 */
#ifndef FG_EDITOR_MATCH_H
#define FG_EDITOR_MATCH_H

#include "core/editor/scan.h"

/* What a frame says; texts lie in "bytes". */
#define FG_MAX_MATCHED_FRAME 2000

typedef struct FgFrameName
{
	char		bytes[FG_MAX_MATCHED_FRAME + 1];
	const char *file;			/* NULL: none */
	const char *name;			/* "": no name, such as (anonymous) */
	const char *owner;			/* NULL: none */
	uint32_t	line;			/* from 1; 0: none */
	uint32_t	arguments;
	bool		whole;			/* the file itself, such as <module> */
} FgFrameName;

/* False for a frame that is too long, or empty. */
extern bool fg_frame_name(FgLanguage language, const char *frame, size_t length, FgFrameName *name);

typedef enum FgMatchKind
{
	FG_MATCH_NONE,				/* of another file */
	FG_MATCH_UNKNOWN,			/* of this file, and of none of its functions */
	FG_MATCH_FILE,				/* the file itself */
	FG_MATCH_FUNCTION
} FgMatchKind;

typedef struct FgSourceFile
{
	FgLanguage	language;
	const char *path;
	size_t		path_length;
	const char *text;
	const uint32_t *lines;		/* where each begins */
	size_t		line_count;
	const FgFunctions *functions;
	const uint32_t *by_name;	/* fg_match_order() */
} FgSourceFile;

/* The functions by name; NULL with the error set.  To be released. */
extern uint32_t *fg_match_order(FgContext *ctx, const FgFunctions *functions, const char *text);

/* *function is the first of those of that name; FG_NONE where kind is no function. */
extern FgMatchKind fg_match_frame(const FgSourceFile *document, const FgFrameName *frame,
								  uint32_t *function);

#endif							/* FG_EDITOR_MATCH_H */
