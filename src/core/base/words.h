/*
 * words.h
 *	  Parameters as users write them: words that name a choice, and numbers that may
 *	  be left out.
 */
#ifndef FG_WORDS_H
#define FG_WORDS_H

#include "core/base/context.h"

/* A whole number that the caller did not give; for doubles a NaN says the same. */
#define FG_NOT_GIVEN INT64_MIN

/*
 * The place of a word in a list; FG_ERROR_ARGUMENT for one that is not in it.  "what"
 * names the parameter, the hint the choices.
 */
extern bool fg_word_find(FgContext *ctx, const char *what, const char *hint,
						 const char *const *words, int count, const char *text, size_t length,
						 int *place);

#endif							/* FG_WORDS_H */
