/*
 * pictures_options.h
 *	  Arguments and options that pictures have in common.
 */
#ifndef FG_PICTURES_OPTIONS_H
#define FG_PICTURES_OPTIONS_H

#include "pg/base/values.h"

#include "utils/jsonb.h"

#include "core/svg/flame_options.h"

extern FgText fg_text_argument(FunctionCallInfo fcinfo, int argument);
extern uint32_t fg_width_argument(FunctionCallInfo fcinfo, int argument);
extern double fg_min_width_argument(FunctionCallInfo fcinfo, int argument);

/* The words of argument "color". */
extern FgColorMode fg_color_argument(FunctionCallInfo fcinfo, int argument);

/* title at "first" and unit behind it; width, min_width, interactive from "rest" on. */
extern void fg_look_arguments(FunctionCallInfo fcinfo, int first, int rest, FgFlameOptions *look);

/* What options say of the look: all but a highlight. */
extern void fg_look_options(Jsonb *options, FgFlameOptions *look);

/* The boxes that the stackquery of option "highlight" selects; none without it. */
extern FgHighlight fg_highlight_option(FunctionCallInfo fcinfo, Jsonb *options);

/* The keys of both. */
#define FG_LOOK_KEYS		13
extern const char *const fg_look_keys[FG_LOOK_KEYS];

/* A text of what "buffer" holds behind the header of a varlena. */
extern Datum fg_picture_text(FgContext *ctx, FgBuffer *svg);

/* A buffer with room for that header. */
extern FgBuffer fg_picture_buffer(FgContext *ctx);

#endif							/* FG_PICTURES_OPTIONS_H */
