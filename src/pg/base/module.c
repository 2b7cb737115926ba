/*
 * module.c
 *	  What happens when the library is loaded.
 */
#include "pg/base/pg_compat.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "pg/base/linalg.h"

FG_MODULE_MAGIC("flamegraph");

/*
 * A profile of 60,000 nodes is some arrays of half a megabyte, and each function
 * has its own.  By default malloc gives these back to the system as soon as they
 * are free and the next call pays a page fault for every 4 kB again, which costs
 * more than the work on them.  The model of a million measurements needs 70 to 90 MB.
 */
extern PGDLLEXPORT void _PG_init(void);

void
_PG_init(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 96 << 20);
#endif
	fg_linalg_init();
}
