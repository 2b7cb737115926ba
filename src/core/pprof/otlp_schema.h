/*
 * otlp_schema.h
 *	  Which schema a message of OTLP profiles has.
 *
 * Versions 1.8 and 1.9 of the protocol number values and attributes of a sample otherwise than version
 * 1.10 and later ones do; both were released by writers (async-profiler 4.3 and 4.4 have the first), and
 * nothing in a message says which it is.  A message has the earlier schema when each of its samples can
 * be read so, and one of them cannot be read in the other way; else it has the current one.  What tells
 * them apart: a link is one number, and one of the links that there are; attributes are some of
 * those that there are; and a sample has values or times.
 */
#ifndef FG_OTLP_SCHEMA_H
#define FG_OTLP_SCHEMA_H

#include "core/reading/wire.h"

/* Numbers of fields of a sample; its stack is 1 and its times are 5 in both. */
typedef struct FgOtlpSchema
{
	uint32_t	attributes;
	uint32_t	values;
} FgOtlpSchema;

extern const FgOtlpSchema fg_otlp_current_schema;

/* The whole message, whose dictionary has so many attributes and links. */
extern bool fg_otlp_find_schema(FgContext *ctx, FgWire message, size_t attributes, size_t links, FgOtlpSchema *schema);

/* FG_ERROR_SYNTAX: what has this number, from 1, is written as before version 1.8. */
extern bool fg_otlp_fail_earlier(FgContext *ctx, const char *what, uint64_t number);

#endif							/* FG_OTLP_SCHEMA_H */
