/*
 * formats.h
 *	  What the rows of the table of formats come to (format_table.h).
 */
#ifndef FG_FORMATS_H
#define FG_FORMATS_H

#include "core/reading/sink.h"

typedef struct FgFormatFacts
{
	const char *word;
	const char *title;			/* what it is called */
	bool		has_lines;		/* of frames, for frame_style function:line ... */
	bool		has_addresses;	/* ... and for address */
	bool		has_times;		/* of samples */
	const FgFormatReader *reader;	/* NULL: FG_FORMAT_AUTO */
} FgFormatFacts;

/* By FgFormat; from 1 on they are in the order in which they are asked. */
extern const FgFormatFacts fg_formats[FG_FORMAT_COUNT];

/* Hints that list formats. */
extern const char fg_hint_formats[];
extern const char fg_hint_lines[];
extern const char fg_hint_addresses[];
extern const char fg_hint_times[];

#endif							/* FG_FORMATS_H */
