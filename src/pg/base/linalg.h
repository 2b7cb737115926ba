/*
 * linalg.h
 *	  Linear algebra in the server: a module of its own, loaded on first use.
 */
#ifndef FG_PG_LINALG_H
#define FG_PG_LINALG_H

#include "pg/base/pg_compat.h"

#include "core/compare/linalg.h"

/* When the main module is loaded: the setting flamegraph.blas_threads. */
extern void fg_linalg_init(void);

/* Loads the module, unless this process has done so; throws when there is none. */
extern const FgLinalg *fg_linalg(void);

#endif							/* FG_PG_LINALG_H */
