/*
 * plot_say.c
 *	  Sentences of plots (see plot_say.h).
 */
#include "core/plots/plot_say.h"

#include "core/base/number.h"
#include "core/svg/units.h"

#include <math.h>

FgSaid
fg_say_begin(FgContext *ctx)
{
	return (FgSaid) {.text = {.ctx = ctx}, .ok = true};
}

void
fg_say(FgSaid *said, const char *words)
{
	said->ok = said->ok && fg_text_put(&said->text, words);
}

void
fg_say_text(FgSaid *said, FgText text)
{
	said->ok = said->ok && fg_text_cut(&said->text, text);
}

void
fg_say_count(FgSaid *said, uint64_t count, const char *noun)
{
	said->ok = said->ok && fg_text_count(&said->text, count);
	fg_say(said, " ");
	fg_say(said, noun);
	if (count != 1)
		fg_say(said, "s");
}

void
fg_say_exact(FgSaid *said, double value)
{
	char		text[FG_NUMBER_SIZE];

	said->ok = said->ok && fg_buffer_append(&said->text, text, fg_number_print(value, text));
}

void
fg_say_value(FgSaid *said, double value, FgText unit)
{
	char		text[FG_UNITS_SIZE];

	if (unit.length == 0)
		said->ok = said->ok &&
			fg_buffer_append(&said->text, text, fg_units_number(value, text));
	else
		said->ok = said->ok && fg_units_value(&said->text, value, unit.bytes,
											  fg_text_shown(unit));
}

void
fg_say_signed(FgSaid *said, double value)
{
	char		text[FG_UNITS_SIZE];

	fg_say(said, value < 0 ? "-" : "+");
	said->ok = said->ok &&
		fg_buffer_append(&said->text, text, fg_units_rounded(fabs(value), 3, text));
}

void
fg_say_change(FgSaid *said, double from, double to)
{
	char		text[FG_UNITS_SIZE];

	if (from == 0)
	{
		fg_say(said, to == 0 ? "no change" : "from 0");
		return;
	}
	fg_say(said, to < from ? "-" : "+");
	said->ok = said->ok && fg_buffer_append(&said->text, text,
											fg_units_share(fabs(to - from), fabs(from), text));
}
