/*
 * arguments.c
 *	  Arguments that may not be null (see arguments.h).
 */
#include "pg/base/arguments.h"

#include "core/base/choice.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"

Datum
fg_required(FunctionCallInfo fcinfo, int argument, const char *name)
{
	if (PG_ARGISNULL(argument))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"%s\" must not be null", name)));
	return PG_GETARG_DATUM(argument);
}

double
fg_required_number(FunctionCallInfo fcinfo, int argument, const char *name)
{
	return DatumGetFloat8(fg_required(fcinfo, argument, name));
}

int32
fg_required_int(FunctionCallInfo fcinfo, int argument, const char *name)
{
	return DatumGetInt32(fg_required(fcinfo, argument, name));
}

FgSpan
fg_required_word(FunctionCallInfo fcinfo, int argument, const char *name)
{
	return fg_datum_span(fg_required(fcinfo, argument, name));
}

int
fg_word(FgSpan word, const char *argument, const char *const *words, int count)
{
	int			place = fg_choice_find(words, count, word.bytes, word.size);
	StringInfoData hint;

	if (place >= 0)
		return place;
	initStringInfo(&hint);
	for (int i = 0; i < count; i++)
		appendStringInfo(&hint, "%s%s", i == 0 ? "" : ", ", words[i]);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unrecognized %s \"%.*s\"", argument,
					pg_mbcliplen(word.bytes, (int) Min(word.size, 100), 100), word.bytes),
			 errhint("Available: %s.", hint.data)));
	return -1;
}

int
fg_word_argument(FunctionCallInfo fcinfo, int argument, const char *name,
				 const char *const *words, int count)
{
	return fg_word(fg_required_word(fcinfo, argument, name), name, words, count);
}

uint32_t
fg_positive_argument(FunctionCallInfo fcinfo, int argument, const char *name)
{
	int32		value = fg_required_int(fcinfo, argument, name);

	if (value < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be at least 1, not %d", name, value)));
	return (uint32_t) value;
}

double
fg_alpha_argument(FunctionCallInfo fcinfo, int argument)
{
	double		alpha = fg_required_number(fcinfo, argument, "alpha");

	if (!isfinite(alpha))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("alpha must be finite")));
	if (!(alpha > 0 && alpha < 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("alpha must be between 0 and 1, not %g", alpha)));
	return alpha;
}

FgLevel
fg_level_argument(FunctionCallInfo fcinfo, int argument)
{
	FgContext	ctx = fg_current_context();
	FgSpan		word = fg_required_word(fcinfo, argument, "level");
	FgLevel		level;

	fg_must(&ctx, fg_level_parse(&ctx, word.bytes, word.size, &level));
	return level;
}

FgVariance
fg_variance_word(FgSpan word)
{
	static const char *const words[] = {"own", "moderated"};

	return (FgVariance) fg_word(word, "variance", words, lengthof(words));
}

FgVariance
fg_variance_argument(FunctionCallInfo fcinfo, int argument)
{
	if (PG_NARGS() <= argument)
		return FG_VARIANCE_OWN;
	return fg_variance_word(fg_required_word(fcinfo, argument, "variance"));
}
