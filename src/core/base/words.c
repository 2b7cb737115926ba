/*
 * words.c
 *	  Words that name a choice (see words.h).
 */
#include "core/base/words.h"

#include <string.h>

/* Longer ones are not repeated: cutting one could leave half of a character. */
#define LONGEST_SHOWN 60

bool
fg_word_find(FgContext *ctx, const char *what, const char *hint, const char *const *words,
			 int count, const char *text, size_t length, int *place)
{
	for (int i = 0; i < count; i++)
	{
		if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0)
		{
			*place = i;
			return true;
		}
	}
	if (length > LONGEST_SHOWN)
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, hint, "unknown %s", what);
	return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, hint, "unknown %s \"%.*s\"", what,
					  (int) length, text);
}
