/*
 * markup.h
 *	  What every picture has to be, whatever names are in it: text of XML with elements of ours
 *	  only and tags that match, the constant script, no character that deceives.
 */
#ifndef FUZZ_MARKUP_H
#define FUZZ_MARKUP_H

#include <stddef.h>

extern void fuzz_require_svg(const char *svg, size_t size);

#endif							/* FUZZ_MARKUP_H */
