/*
 * jsonb_build.h
 *	  Strings and numbers for jsonb that is built value by value (pushJsonbValue).
 */
#ifndef FG_JSONB_BUILD_H
#define FG_JSONB_BUILD_H

#include "pg/base/values.h"

#include "utils/jsonb.h"

/* The bytes are not copied: they have to live until the jsonb is complete. */
extern void fg_push_string(JsonbParseState **state, JsonbIteratorToken token, const char *bytes,
						   size_t size);

/* The number as the text form of the profile has it: no digit is lost. */
extern void fg_push_number(JsonbParseState **state, JsonbIteratorToken token, double number);

#endif							/* FG_JSONB_BUILD_H */
