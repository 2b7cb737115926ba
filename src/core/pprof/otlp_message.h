/*
 * otlp_message.h
 *	  What a message of OTLP profiles begins with, and how it is told from one of pprof.
 */
#ifndef FG_OTLP_MESSAGE_H
#define FG_OTLP_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

/* Fields of the whole message. */
enum
{
	FG_OTLP_RESOURCES = 1, FG_OTLP_DICTIONARY = 2
};

/* Of many messages each stands behind its length; no tag of a message begins so. */
#define FG_OTLP_HEAD_BYTES 4
#define FG_OTLP_FIRST_TAG 8

/* As FgFormatReader.recognise, for both forms. */
extern bool fg_otlp_recognise(const char *head, size_t size, bool whole);

#endif							/* FG_OTLP_MESSAGE_H */
