/*
 * lines.h
 *	  Frames that end in a line number, and what is called from which line.
 *
 *	parse.py:load:12		Austin, JFR: function and line
 *	render app.js:10:5		V8: line and column
 *	load (parse.py:12)		py-spy, V8's stack traces: in parentheses at the end
 *
 * The name without them is what the rule set 'lines' of frame_rules() leaves:
 * "parse.py:load", "render app.js", "load (parse.py)".
 */
#ifndef FG_LINES_H
#define FG_LINES_H

#include "core/cct/tally.h"

/* -1: the frame has no line, or one that does not fit. */
extern int32_t fg_frame_line(const char *frame, size_t length);

/*
 * The frames of a profile with and without their lines: name[f] is the number of
 * frame f's name in "names", line[f] its line or -1.
 */
typedef struct FgLineNames
{
	FgFrames	names;
	uint32_t   *name;
	int32_t    *line;
} FgLineNames;

extern bool fg_line_names(FgContext *ctx, const FgFrames *frames, FgLineNames *result);
extern void fg_line_names_free(FgContext *ctx, FgLineNames *names);

/*
 * Calls made by the function of this name: pairs (index of the line in "lines", or
 * FG_NONE for calls from a frame without a line; callee's name), finished.  A
 * function whose name has a line is that frame alone.  *total becomes the
 * function's recursion-free inclusive value over all lines.  FG_ERROR_RANGE when a
 * sum overflows.
 */
typedef struct FgCallSites
{
	FgTally		tally;
	int32_t    *lines;			/* ascending */
	double		total;
} FgCallSites;

extern bool fg_call_sites(FgContext *ctx, const FgTree *tree, const FgLineNames *names,
						  const char *function, size_t length, FgCallSites *sites);
extern void fg_call_sites_free(FgContext *ctx, FgCallSites *sites);

#endif							/* FG_LINES_H */
