/*
 * jsonb_build.c
 *	  Values for jsonb (see jsonb_build.h).
 */
#include "pg/base/jsonb_build.h"

#include <math.h>

#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "core/base/number.h"

void
fg_push_string(JsonbParseState **state, JsonbIteratorToken token, const char *bytes, size_t size)
{
	JsonbValue	value = {.type = jbvString};

	value.val.string.val = unconstify(char *, bytes);
	value.val.string.len = (int) size;
	pushJsonbValue(state, token, &value);
}

void
fg_push_number(JsonbParseState **state, JsonbIteratorToken token, double number)
{
	JsonbValue	value = {.type = jbvNumeric};
	char		text[FG_NUMBER_SIZE];

	if (!isfinite(number))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("a number is out of range for JSON"),
				 errdetail("JSON has neither infinities nor NaN.")));
	fg_number_print(number, text);
	value.val.numeric = DatumGetNumeric(DirectFunctionCall3(numeric_in, CStringGetDatum(text),
															ObjectIdGetDatum(InvalidOid),
															Int32GetDatum(-1)));
	pushJsonbValue(state, token, &value);
}
