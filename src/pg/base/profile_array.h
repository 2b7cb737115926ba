/*
 * profile_array.h
 *	  Arguments of type flamegraph[], decoded one element at a time (core/samples/profiles.h).
 */
#ifndef FG_PROFILE_ARRAY_H
#define FG_PROFILE_ARRAY_H

#include "pg/base/glue.h"

#include "core/samples/profiles.h"

/*
 * A null array is an empty one; a null element is error 22004, which names the argument.
 */
extern FgProfiles fg_profiles_argument(FunctionCallInfo fcinfo, int argument, const char *name);

#endif							/* FG_PROFILE_ARRAY_H */
