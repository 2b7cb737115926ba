/*
 * path.h
 *	  Stack paths: the frames of one call stack, root first.
 *
 * A path is stored as its frames joined by NUL bytes, the empty path as no
 * bytes.  Frames hold no NUL and are not empty, so memcmp order is the canonical
 * order (frame by frame, a prefix first), and a path is an ancestor of another
 * when it is a prefix that ends where a frame ends.
 *
 * In text, frames are joined by ';'.  "\;" is a semicolon inside a frame, "\\" a
 * backslash; any other backslash is itself, so Windows paths and PHP names read
 * as they stand.  Output escapes only what would be misread.
 */
#ifndef FG_PATH_H
#define FG_PATH_H

#include "core/base/bytes.h"

#define FG_PATH_SEPARATOR	'\0'

/* A walk over the frames of a path: while (fg_path_next(&walk)) ... */
typedef struct FgPathWalk
{
	const char *next;			/* NULL when there is no further frame */
	const char *end;
	const char *frame;
	size_t		length;
} FgPathWalk;

extern FgPathWalk fg_path_walk(const char *path, size_t length);
extern bool fg_path_next(FgPathWalk *walk);

extern uint32_t fg_path_depth(const char *path, size_t length);

/* Is a the same as b or an ancestor of it? */
extern bool fg_path_contains(const char *a, size_t alen, const char *b, size_t blen);

/*
 * Cuts the frames [start, start + count) out of a path; both within its depth.
 */
extern void fg_path_slice(const char *path, size_t length, uint32_t start, uint32_t count,
						  const char **slice, size_t *slice_length);

/* Bytes of the longest common prefix of two paths that ends where a frame ends. */
extern size_t fg_path_common(const char *a, size_t alen, const char *b, size_t blen);

/*
 * The first position >= start at which the frames of "part" follow each other in
 * the path; FG_NONE when there is none.  The empty path is found at start.  The
 * interrupt hook may end the search: then ctx->error.code is FG_ERROR_CANCELLED and the
 * answer means nothing.
 */
extern uint32_t fg_path_position(FgContext *ctx, const char *path, size_t length,
								 const char *part, size_t part_length, uint32_t start);

/* Does the text go on with an escape, whose second character is meant? */
static inline bool
fg_path_escapes(const char *text, const char *end)
{
	return *text == '\\' && text + 1 < end && (text[1] == ';' || text[1] == '\\');
}

/*
 * Appends the path that a text stands for.  column is the place of text in its
 * line, for errors.
 */
extern bool fg_path_parse(FgBuffer *path, const char *text, size_t length, uint64_t column);

/* Appends the text of a frame, of the separator behind it, of a whole path. */
extern bool fg_path_print_frame(FgBuffer *text, const char *frame, size_t length);
extern bool fg_path_print_separator(FgBuffer *text);
extern bool fg_path_print(FgBuffer *text, const char *path, size_t length);

#endif							/* FG_PATH_H */
