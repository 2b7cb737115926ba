/*
 * framing.h
 *	  Messages with a head, as the language server protocol has them: where each begins and
 *	  ends in a stream of bytes.
 *
 * A head is lines "Name: value" that end with CR LF, and an empty one.  Content-Length says
 * how many bytes follow; other names are left alone.  A head that is wrong is the end of the
 * stream, because nobody can tell where the next one begins.
 */
#ifndef FG_EDITOR_FRAMING_H
#define FG_EDITOR_FRAMING_H

#include "core/base/context.h"

/* Of a head in all; no client sends more than two short lines. */
#define FG_MAX_MESSAGE_HEAD 1024

typedef struct FgFraming
{
	char		head[FG_MAX_MESSAGE_HEAD];
	size_t		head_size;
	uint64_t	left;			/* bytes of the message that are still to come */
	bool		inside;			/* a message has begun */
} FgFraming;

typedef enum FgFramingStep
{
	FG_FRAMING_MORE,			/* all bytes were taken */
	FG_FRAMING_BEGIN,			/* of a message of "left" bytes */
	FG_FRAMING_BODY,			/* "body" and "body_size" are a part of it */
	FG_FRAMING_END,				/* of a message */
	FG_FRAMING_ERROR			/* ctx->error has it */
} FgFramingStep;

/*
 * Takes bytes from *bytes on, as far as one step goes.  To be called until it wants more,
 * also when no bytes are left: a message may end there.
 */
extern FgFramingStep fg_framing_step(FgContext *ctx, FgFraming *framing, const char **bytes,
									 size_t *size, const char **body, size_t *body_size);

#endif							/* FG_EDITOR_FRAMING_H */
