/*
 * plot_say.h
 *	  Sentences of plots: subtitles, footnotes, tooltips.
 *
 * Errors stay, as in xml.h: after the first one nothing more is said, and who asks last asks
 * "ok".  This is plain text; fg_xml_text escapes it when it is written.
 */
#ifndef FG_PLOT_SAY_H
#define FG_PLOT_SAY_H

#include "core/svg/document.h"

typedef struct FgSaid
{
	FgBuffer	text;
	bool		ok;
} FgSaid;

extern FgSaid fg_say_begin(FgContext *ctx);

extern void fg_say(FgSaid *said, const char *words);
extern void fg_say_text(FgSaid *said, FgText text);

/* "1,234 runs"; with "s" at the end unless there is one. */
extern void fg_say_count(FgSaid *said, uint64_t count, const char *noun);

/* The number that reads back as the same; and three digits of it with its unit. */
extern void fg_say_exact(FgSaid *said, double value);
extern void fg_say_value(FgSaid *said, double value, FgText unit);

/* "+3.2", "-1.5" */
extern void fg_say_signed(FgSaid *said, double value);

/* "+12 %" from one number to another; "from 0" where that is no number. */
extern void fg_say_change(FgSaid *said, double from, double to);

#endif							/* FG_PLOT_SAY_H */
