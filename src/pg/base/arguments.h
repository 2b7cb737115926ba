/*
 * arguments.h
 *	  Arguments of functions that are not strict because a null array is an empty one:
 *	  what else they are called with may not be null, which is error 22004.
 */
#ifndef FG_ARGUMENTS_H
#define FG_ARGUMENTS_H

#include "pg/base/values.h"

#include "core/compare/moderation.h"
#include "core/samples/level.h"

extern Datum fg_required(FunctionCallInfo fcinfo, int argument, const char *name);
extern double fg_required_number(FunctionCallInfo fcinfo, int argument, const char *name);
extern int32 fg_required_int(FunctionCallInfo fcinfo, int argument, const char *name);
extern FgSpan fg_required_word(FunctionCallInfo fcinfo, int argument, const char *name);

/* The position of a word in a list, else error 22023 with a hint that names them all. */
extern int	fg_word(FgSpan word, const char *argument, const char *const *words, int count);

/* The same for an argument. */
extern int	fg_word_argument(FunctionCallInfo fcinfo, int argument, const char *name,
							 const char *const *words, int count);

/* An integer that is at least 1. */
extern uint32_t fg_positive_argument(FunctionCallInfo fcinfo, int argument, const char *name);

/* A probability that is neither 0 nor 1. */
extern double fg_alpha_argument(FunctionCallInfo fcinfo, int argument);

/* 'own' or 'moderated'. */
extern FgVariance fg_variance_word(FgSpan word);

/* The same for an argument; own where the SQL of an earlier version calls, without the argument. */
extern FgVariance fg_variance_argument(FunctionCallInfo fcinfo, int argument);

/* The word for a level. */
extern FgLevel fg_level_argument(FunctionCallInfo fcinfo, int argument);

#endif							/* FG_ARGUMENTS_H */
