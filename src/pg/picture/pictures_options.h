/*
 * pictures_options.h
 *	  Arguments and options that pictures have in common.
 */
#ifndef FG_PICTURES_OPTIONS_H
#define FG_PICTURES_OPTIONS_H

#include "pg/base/values.h"

#include "utils/jsonb.h"

#include "core/picture/flame_options.h"

extern FgText fg_text_argument(FunctionCallInfo fcinfo, int argument);
extern uint32_t fg_width_argument(FunctionCallInfo fcinfo, int argument);
extern double fg_min_width_argument(FunctionCallInfo fcinfo, int argument);

/* The words of argument "color". */
extern FgColorMode fg_color_argument(FunctionCallInfo fcinfo, int argument);

/* title at "first" and unit behind it; width, min_width, interactive from "rest" on. */
extern void fg_look_arguments(FunctionCallInfo fcinfo, int first, int rest, FgFlameOptions *look);

/* What options say of the look: all but a highlight. */
extern void fg_look_options(Jsonb *options, FgFlameOptions *look);

/* The keys of those, and behind them the ones that only boxes coloured by name have. */
extern const char *const fg_look_keys[];

#define FG_LOOK_KEYS		11	/* of every picture of boxes */
#define FG_COLORED_KEYS		12	/* ... with palette */
#define FG_FLAME_KEYS		13	/* ... with highlight */

/* A text of what "buffer" holds behind the header of a varlena. */
extern Datum fg_picture_text(FgContext *ctx, FgBuffer *svg);

/* A buffer with room for that header. */
extern FgBuffer fg_picture_buffer(FgContext *ctx);

#endif							/* FG_PICTURES_OPTIONS_H */
