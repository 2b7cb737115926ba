/*
 * folded.h
 *	  The folded text format: a line per stack, frames joined by ';', a space, the
 *	  value.
 *
 * Grammar (both readers): LF ends a line; CR, blanks and tabs at its end are
 * dropped; empty lines, "#" and lines that start with "# " are skipped; the last
 * space separates the value; nothing else is trimmed.  An empty stack (" 5") is
 * the virtual root.  Values are finite decimals (number.h); equal stacks add up.
 *
 * The text form of the type (FG_FOLDED_EXACT) undoes escapes as path.h says,
 * and "\#" at the start of a line is a hash.  Files of other tools
 * (FG_FOLDED_FOREIGN) have no escapes; there an empty frame becomes "[unknown]",
 * a control character a space, and both are counted.
 */
#ifndef FG_FOLDED_H
#define FG_FOLDED_H

#include "core/base/bytes.h"
#include "core/base/warnings.h"
#include "core/profile/builder.h"
#include "core/profile/tree.h"

typedef enum FgFoldedDialect
{
	FG_FOLDED_EXACT,
	FG_FOLDED_FOREIGN
} FgFoldedDialect;

typedef struct FgFoldedOptions
{
	FgFoldedDialect dialect;
	bool		skip_bad_lines; /* count lines that are wrong in themselves instead of failing */
	bool		check_encoding; /* the bytes are not known to be UTF-8 */
} FgFoldedOptions;

typedef struct FgFoldedReport
{
	uint64_t	lines;
	uint64_t	comments;
	uint64_t	blank;
	uint64_t	samples;
	uint64_t	skipped;
	uint64_t	first_skipped;	/* line number, 0 if none */
	char		first_reason[200];
	uint64_t	unknown_frames; /* empty frames that became [unknown] */
	uint64_t	control_characters;
	uint64_t	two_values;		/* foreign text: samples whose last frame ends in a whole number */
	uint64_t	rounded;		/* foreign text: whole numbers of more digits than a double holds */
	uint64_t	first_rounded;	/* line number, 0 if none */
} FgFoldedReport;

/*
 * What is probably wrong with foreign text that was read, by numbers from 0; false: there is no more.
 * Where all samples, two at least, end in two whole numbers, they are the values before and
 * after, as difffolded.pl and inferno-diff-folded write them.
 */
extern bool fg_folded_warning(const FgFoldedReport *report, size_t number, FgWarning *warning);

/*
 * Reads a whole text.  Errors carry line and column: FG_ERROR_SYNTAX,
 * FG_ERROR_RANGE (a number too large or too small, which can be skipped, or a sum that
 * overflows, which cannot), FG_ERROR_ENCODING, FG_ERROR_LIMIT.  A byte order mark at the
 * start is dropped from foreign text.
 */
extern bool fg_folded_parse(FgContext *ctx, const char *text, size_t length,
							FgFoldedOptions options, FgTree *tree, FgFoldedReport *report);

/*
 * The same line by line, for text that comes in blocks (formats/folded_file.c): a line
 * without its end, already trimmed, and its number.  Stacks of max_depth frames
 * and more (0: none) go to the second builder.  Of a stable line the builders may keep
 * the place (builder.h); one that is known to be UTF-8 without NUL is not looked through again.
 */
typedef struct FgFoldedTarget
{
	FgBuilder  *complete;
	FgBuilder  *truncated;
	uint32_t	max_depth;
	bool		stable;
	bool		is_utf8;
	FgBuffer	scratch;
} FgFoldedTarget;

extern bool fg_folded_line(FgContext *ctx, FgFoldedTarget *target, const char *line,
						   size_t length, uint64_t number, FgFoldedReport *report);

/*
 * Does a value seem to be followed by backslash and n, as in the SQL literal 'a 5\nb 6'
 * without an E in front of it?  That is a legal frame.
 */
extern bool fg_folded_escaped_end(FgContext *ctx, const char *text, size_t length, bool *found);

/*
 * Appends the text form: stacks in canonical order, lines joined by LF, none
 * after the last.  Stops with *complete = false as soon as the text is longer
 * than "limit" bytes.
 *
 * FG_FOLDED_EXACT reads back as the same tree.  FG_FOLDED_FOREIGN escapes
 * nothing and writes a semicolon inside a frame as ':', counted in *replaced.
 */
extern bool fg_folded_print(FgBuffer *text, const FgTree *tree, FgFoldedDialect dialect,
							size_t limit, bool *complete, uint64_t *replaced);

#endif							/* FG_FOLDED_H */
