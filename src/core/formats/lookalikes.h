/*
 * lookalikes.h
 *	  Files that people take for one of our formats: what they are, and the way around.
 *
 * Some of them begin like a format that is read (a first line that ends in a number is a
 * folded stack), so they are looked for before the formats are.
 */
#ifndef FG_LOOKALIKES_H
#define FG_LOOKALIKES_H

#include <stddef.h>

typedef struct FgLookalike
{
	const char *what;			/* "this is ...", "these are ..." */
	const char *hint;
} FgLookalike;

/* Which of them a recording is that begins with these bytes; NULL: none. */
extern const FgLookalike *fg_lookalike(const char *head, size_t size);

#endif							/* FG_LOOKALIKES_H */
