/*
 * module.h
 *	  What the module of linear algebra offers to the main module.
 *
 * The symbol carries a number, to be raised with every change of FgLinalg: after an
 * upgrade of the files an old session must not take the new table for its own.
 */
#ifndef FG_LINALG_MODULE_H
#define FG_LINALG_MODULE_H

#include "core/compare/linalg.h"

#define FG_LINALG_LIBRARY	"$libdir/flamegraph_linalg"
#define FG_LINALG_SYMBOL	flamegraph_linalg_1
#define FG_LINALG_NAME		"flamegraph_linalg_1"

typedef const FgLinalg *(*FgLinalgEntry) (void);

extern PGDLLEXPORT const FgLinalg *FG_LINALG_SYMBOL(void);

#endif							/* FG_LINALG_MODULE_H */
