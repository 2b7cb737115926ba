/*
 * module.c
 *	  What happens when the library is loaded.
 */
#include "pg/base/pg_compat.h"

#include "utils/guc.h"

#include "pg/base/blocks.h"
#include "pg/base/linalg.h"

FG_MODULE_MAGIC("flamegraph");

extern PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
	fg_blocks_init();
	fg_linalg_init();
	fg_reserve_settings("flamegraph");
}
