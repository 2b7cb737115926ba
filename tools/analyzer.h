/*
 * Read by clang-tidy before every file of the core and the glue (tools/lint.sh): its analyser sees one file at a
 * time and would follow the path on which fg_fail() returns true, which there is none of.
 */
#include "core/base/context.h"

#define fg_fail(...) ((void) fg_fail(__VA_ARGS__), false)
#define fg_fail_at(...) ((void) fg_fail_at(__VA_ARGS__), false)
