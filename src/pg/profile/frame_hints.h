/*
 * frame_hints.h
 *	  What to say to somebody who asks for a frame that a profile does not have.
 */
#ifndef FG_FRAME_HINTS_H
#define FG_FRAME_HINTS_H

#include "pg/base/values.h"

/*
 * A NOTICE that the frame does not occur, with the names that come nearest.  Once for
 * each call in a statement, not for each row: it is marked in fn_extra, which the
 * function must not use for anything else.
 */
extern void fg_note_missing_frame(FunctionCallInfo fcinfo, const FgFrames *frames, FgSpan name);

#endif							/* FG_FRAME_HINTS_H */
