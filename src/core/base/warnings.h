/*
 * warnings.h
 *	  What is no error, but should be known of what was read.
 *
 * Each kind is told once, by a text of its own: how often it was met, and where first, as far as who reads has
 * counted that.
 */
#ifndef FG_WARNINGS_H
#define FG_WARNINGS_H

#include <stddef.h>
#include <stdint.h>

/* Kinds that one input has at most; no reader knows as many. */
#define FG_MAX_WARNINGS 12

/* Longest detail, the final NUL included. */
#define FG_WARNING_DETAIL 120

/* All texts are static. */
typedef struct FgWarning
{
	const char *text;			/* a sentence without a final stop */
	const char *hint;
	uint64_t	count;			/* 0: not counted */
	const char *place;			/* "line", "sample", ...; NULL: the first one is not known */
	uint64_t	first;			/* its number, from 1 */
} FgWarning;

typedef struct FgWarnings
{
	FgWarning	list[FG_MAX_WARNINGS];
	size_t		count;
} FgWarnings;

/* Adds one; of the same text the counts are added up, and the first place stays. */
extern void fg_warn(FgWarnings *warnings, const FgWarning *warning);

/* The one with this text; NULL: there is none. */
extern const FgWarning *fg_warning_of(const FgWarnings *warnings, const char *text);

/* "There are 3, the first in line 7.", as far as that is known; "": nothing is. */
extern void fg_warning_detail(const FgWarning *warning, char detail[FG_WARNING_DETAIL]);

/* Of whole numbers that no double is (number.h). */
extern const char fg_warning_rounded[];
extern const char fg_hint_rounded[];

#endif							/* FG_WARNINGS_H */
