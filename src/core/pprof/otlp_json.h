/*
 * otlp_json.h
 *	  OTLP profiles as JSON: each message is written again as protocol buffers, for the reader of
 *	  those (otlp.c), so that both forms mean the same.
 *
 * The form is that of OTLP: keys are in lowerCamelCase, and numbers of 64 bits may be texts.  Keys
 * that the reader does not need are left out, as unknown ones have to be; one that it needs may not
 * stand twice in an object.  A file may have many
 * messages behind each other, one a line, as the collector writes them.
 */
#ifndef FG_OTLP_JSON_H
#define FG_OTLP_JSON_H

#include "core/base/bytes.h"

/* A message of more bytes is an error, in either form. */
#ifndef FG_OTLP_MAX_MB
#define FG_OTLP_MAX_MB 512
#endif
#define FG_OTLP_MAX_BYTES ((size_t) FG_OTLP_MAX_MB << 20)

typedef struct FgOtlpJson FgOtlpJson;

/* Takes the message that has ended, and empties the buffer. */
typedef bool (*FgOtlpTake) (void *arg);

extern FgOtlpJson *fg_otlp_json_open(FgContext *ctx, FgBuffer *message, FgOtlpTake take, void *arg);
extern bool fg_otlp_json_feed(FgOtlpJson *json, const char *bytes, size_t size);
extern bool fg_otlp_json_finish(FgOtlpJson *json);
extern void fg_otlp_json_close(FgOtlpJson *json);

/* May a text that begins so be JSON?  A line feed is no such begin: messages of protocol buffers begin with it. */
extern bool fg_otlp_is_json(char first);

extern bool fg_otlp_json_recognise(const char *head, size_t size);

#endif							/* FG_OTLP_JSON_H */
