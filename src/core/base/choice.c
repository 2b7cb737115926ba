/*
 * choice.c
 *	  Words that name a choice (see choice.h).
 */
#include "core/base/choice.h"

#include <string.h>

int
fg_choice_find(const char *const *words, int count, const char *text, size_t length)
{
	for (int i = 0; i < count; i++)
	{
		if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0)
			return i;
	}
	return -1;
}

bool
fg_choice_parse(FgContext *ctx, const FgChoice *choice, const char *text, size_t length,
				int *place)
{
	*place = fg_choice_find(choice->words, choice->count, text, length);
	if (*place >= 0)
		return true;
	if (length > FG_LONGEST_SHOWN)
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, choice->hint, "unrecognized %s",
						  choice->name);
	return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, choice->hint, "unrecognized %s \"%.*s\"",
					  choice->name, (int) length, text);
}
