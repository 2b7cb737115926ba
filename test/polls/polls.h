/*
 * polls.h
 *	  Included in front of every file of the test build that counts work between
 *	  interrupt polls (see polls.c).
 *
 * gcc calls us in every basic block of our code.  What a library does in one call is
 * not seen like that; so that no loop hides in one, the calls that take their time in
 * proportion to some bytes count these.
 */
#ifndef FG_POLLS_H
#define FG_POLLS_H

#ifdef FG_POLLS_PG
#include "postgres.h"

#include "common/base64.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#endif

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Work since the last poll: basic blocks, and blocks of 16 bytes. */
extern uint64_t fg_polls_work __attribute__((visibility("hidden")));
extern void fg_polls_poll(void) __attribute__((visibility("hidden")));

/* What a call costs is added before it, "after" it what only the result tells. */
#define FG_POLLS_BYTES(n) (fg_polls_work += (uint64_t) (n) / 16)

#undef memcpy
#define memcpy(to, from, n) \
	__extension__({ size_t fg_n_ = (n); FG_POLLS_BYTES(fg_n_); __builtin_memcpy((to), (from), fg_n_); })
#undef memmove
#define memmove(to, from, n) \
	__extension__({ size_t fg_n_ = (n); FG_POLLS_BYTES(fg_n_); __builtin_memmove((to), (from), fg_n_); })
#undef memset
#define memset(to, byte, n) \
	__extension__({ size_t fg_n_ = (n); FG_POLLS_BYTES(fg_n_); __builtin_memset((to), (byte), fg_n_); })
#undef memcmp
#define memcmp(a, b, n) \
	__extension__({ size_t fg_n_ = (n); FG_POLLS_BYTES(fg_n_); __builtin_memcmp((a), (b), fg_n_); })
#undef memchr
#define memchr(bytes, byte, n) \
	__extension__({ \
		const char *fg_bytes_ = (const char *) (bytes); \
		size_t		fg_n_ = (n); \
		void	   *fg_found_ = __builtin_memchr(fg_bytes_, (byte), fg_n_); \
		FG_POLLS_BYTES(fg_found_ != NULL ? (size_t) ((char *) fg_found_ - fg_bytes_) : fg_n_); \
		fg_found_; \
	})
#undef strlen
#define strlen(text) \
	__extension__({ size_t fg_length_ = __builtin_strlen(text); FG_POLLS_BYTES(fg_length_); fg_length_; })

/* A byte costs these more. */
#undef inflate
#define inflate(stream, flush) \
	__extension__({ \
		z_stream   *fg_stream_ = (stream); \
		uInt		fg_room_ = fg_stream_->avail_out; \
		int			fg_result_ = (inflate)(fg_stream_, (flush)); \
		fg_polls_work += fg_room_ - fg_stream_->avail_out; \
		fg_result_; \
	})
#undef deflate
#define deflate(stream, flush) \
	__extension__({ \
		z_stream   *fg_stream_ = (stream); \
		uInt		fg_rest_ = fg_stream_->avail_in; \
		int			fg_result_ = (deflate)(fg_stream_, (flush)); \
		fg_polls_work += 8 * (uint64_t) (fg_rest_ - fg_stream_->avail_in); \
		fg_result_; \
	})

#ifdef FG_POLLS_PG

static inline __attribute__((unused)) void
fg_polls_real_check(void)
{
	CHECK_FOR_INTERRUPTS();
}

#undef CHECK_FOR_INTERRUPTS
#define CHECK_FOR_INTERRUPTS() (fg_polls_poll(), fg_polls_real_check())

#define pg_b64_encode(from, n, to, room) \
	(fg_polls_work += (uint64_t) (n), (pg_b64_encode)((from), (n), (to), (room)))
#define pg_b64_decode(from, n, to, room) \
	(fg_polls_work += (uint64_t) (n), (pg_b64_decode)((from), (n), (to), (room)))
#define hash_any_extended(bytes, n, seed) \
	__extension__({ int fg_n_ = (n); fg_polls_work += (uint64_t) fg_n_ / 4; \
		(hash_any_extended)((bytes), fg_n_, (seed)); })
#undef palloc0
#define palloc0(n) \
	__extension__({ Size fg_n_ = (n); FG_POLLS_BYTES(fg_n_); (palloc0)(fg_n_); })

#endif
#endif							/* FG_POLLS_H */
