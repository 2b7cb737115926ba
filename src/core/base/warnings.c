/*
 * warnings.c
 *	  Warnings of an input (see warnings.h).
 */
#include "core/base/warnings.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char	fg_warning_rounded[] = "some values have more digits than a double holds, and were rounded";
const char	fg_hint_rounded[] = "Whole numbers are exact up to 9007199254740992.";

const FgWarning *
fg_warning_of(const FgWarnings *warnings, const char *text)
{
	for (size_t i = 0; i < warnings->count; i++)
	{
		if (strcmp(warnings->list[i].text, text) == 0)
			return &warnings->list[i];
	}
	return NULL;
}

void
fg_warn(FgWarnings *warnings, const FgWarning *warning)
{
	const FgWarning *known = fg_warning_of(warnings, warning->text);

	if (known != NULL)
		warnings->list[known - warnings->list].count += warning->count;
	else if (warnings->count < FG_MAX_WARNINGS)
		warnings->list[warnings->count++] = *warning;
}

void
fg_warning_detail(const FgWarning *warning, char detail[FG_WARNING_DETAIL])
{
	detail[0] = '\0';
	if (warning->count > 1 && warning->place != NULL)
		snprintf(detail, FG_WARNING_DETAIL, "There are %" PRIu64 ", the first in %s %" PRIu64 ".", warning->count,
				 warning->place, warning->first);
	else if (warning->count > 1)
		snprintf(detail, FG_WARNING_DETAIL, "There are %" PRIu64 ".", warning->count);
	else if (warning->place != NULL)
		snprintf(detail, FG_WARNING_DETAIL, "It is in %s %" PRIu64 ".", warning->place, warning->first);
	else if (warning->count == 1)
		snprintf(detail, FG_WARNING_DETAIL, "There is one.");
}
