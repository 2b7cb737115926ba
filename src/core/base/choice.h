/*
 * choice.h
 *	  Parameters as users write them: words that name a choice, and numbers that may
 *	  be left out.
 */
#ifndef FG_CHOICE_H
#define FG_CHOICE_H

#include "core/base/context.h"

/* A whole number that the caller did not give; for doubles a NaN says the same. */
#define FG_NOT_GIVEN INT64_MIN

/* Longer words are not repeated in errors: cutting one could leave half of a character. */
#define FG_LONGEST_SHOWN 60

/* A parameter that is one of some words. */
typedef struct FgChoice
{
	const char *name;			/* of the parameter, for errors */
	const char *hint;			/* "Available: " and all words, static text */
	const char *const *words;
	int			count;
} FgChoice;

/* The place of a word among others, -1 when it is none of them. */
extern int	fg_choice_find(const char *const *words, int count, const char *text, size_t length);

/* The same for a parameter: a word that does not exist is FG_ERROR_ARGUMENT. */
extern bool fg_choice_parse(FgContext *ctx, const FgChoice *choice, const char *text,
							size_t length, int *place);

#endif							/* FG_CHOICE_H */
