/*
 * support.h
 *	  What the fuzz targets share: a bounded allocator that notices leaks,
 *	  properties that abort when they do not hold, and a reader of input bytes.
 */
#ifndef FUZZ_SUPPORT_H
#define FUZZ_SUPPORT_H

#include "core/base/bytes.h"
#include "core/profile/tree.h"

#include <stdio.h>
#include <stdlib.h>

extern int	LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A violated property ends the run, so that libFuzzer keeps the input. */
#define REQUIRE(condition) \
	((condition) ? (void) 0 : fuzz_violated(__FILE__, __LINE__, #condition))

extern void fuzz_violated(const char *file, int line, const char *property)
			__attribute__((noreturn));

/*
 * A context whose live bytes are bounded; allocations above that fail, as they
 * would in a server.  fuzz_finish demands that everything was released.
 */
extern FgContext fuzz_context(void);
extern void fuzz_finish(void);

/* Equal as vectors, in one canonical form; 0 and -0 of mere prefixes are equal. */
extern bool fuzz_same_tree(const FgTree *a, const FgTree *b);

/* What fg_codec_validate promises, for a canonical tree: one encoding, both ways. */
extern void fuzz_require_codec(FgContext *ctx, const FgTree *tree);

/* Bytes of an input taken one after the other; 0 behind the end. */
typedef struct FuzzInput
{
	const uint8_t *next;
	const uint8_t *end;
} FuzzInput;

extern uint8_t fuzz_byte(FuzzInput *input);

#endif							/* FUZZ_SUPPORT_H */
