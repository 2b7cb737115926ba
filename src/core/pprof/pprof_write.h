/*
 * pprof_write.h
 *	  A profile in pprof's format, gzipped as pprof stores its files.
 *
 * Each frame is a function with one location, each stack a sample with one value.
 * pprof counts in whole numbers of 64 bits: any other value is an error and not rounded,
 * and so are values whose absolute sum does not fit.
 */
#ifndef FG_PPROF_WRITE_H
#define FG_PPROF_WRITE_H

#include "core/base/bytes.h"
#include "core/profile/tree.h"

/*
 * Appends the file.  sample_type and unit are texts such as cpu and nanoseconds.
 * FG_ERROR_LIMIT when the packed file is longer than "limit" bytes.
 */
extern bool fg_pprof_write(FgBuffer *file, const FgTree *tree, const char *sample_type,
						   size_t sample_type_length, const char *unit, size_t unit_length,
						   size_t limit);

#endif							/* FG_PPROF_WRITE_H */
