/*
 * options.h
 *	  Options in jsonb: a key that is not known and a value of a wrong type are errors
 *	  22023, with a hint that names the keys.  A null is as if the key were not there.
 */
#ifndef FG_OPTIONS_H
#define FG_OPTIONS_H

#include "core/svg/document.h"
#include "pg/base/values.h"

#include "utils/jsonb.h"

/* Is it an object with these keys only?  "what" names it in messages. */
extern void fg_options_check(Jsonb *options, const char *what, const char *const *keys, int count);

/* False when there is no such key. */
extern bool fg_option_double(Jsonb *options, const char *key, double *value);
extern bool fg_option_int(Jsonb *options, const char *key, int32 *value);
extern bool fg_option_bool(Jsonb *options, const char *key, bool *value);
extern bool fg_option_word(Jsonb *options, const char *key, FgSpan *value);

/* What is shown or looked for as it is, not one of some words. */
extern bool fg_option_text(Jsonb *options, const char *key, FgText *value);

/* An object, as options of its own. */
extern bool fg_option_object(Jsonb *options, const char *key, Jsonb **value);

/* An array of numbers, palloc'ed; an array of texts likewise. */
extern bool fg_option_doubles(Jsonb *options, const char *key, double **values, size_t *count);
extern bool fg_option_words(Jsonb *options, const char *key, FgSpan **values, size_t *count);

#endif							/* FG_OPTIONS_H */
