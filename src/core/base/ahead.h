/*
 * ahead.h
 *	  Memory that is asked for before it is needed.
 *
 * A loop that goes through several arrays at once, a few elements each time and with branches that are hard to foresee,
 * waits for each new line of them: the processor follows streams by itself, but it begins anew on each page, and it does not see
 * past a branch that it took wrongly.  So such a loop asks for what it will come to some steps later.  Beyond the
 * end of an array nothing happens.
 */
#ifndef FG_AHEAD_H
#define FG_AHEAD_H

#include <stdint.h>

/* So many bytes behind this place will be read. */
static inline void
fg_ask_ahead(const void *place, uintptr_t bytes)
{
	__builtin_prefetch((const void *) ((uintptr_t) place + bytes));
}

/* So many bytes behind this place will be written. */
static inline void
fg_ask_ahead_to_write(void *place, uintptr_t bytes)
{
	__builtin_prefetch((const void *) ((uintptr_t) place + bytes), 1);
}

#endif							/* FG_AHEAD_H */
