/*
 * pprof_ranks.c
 *	  Frames of pprof's format by their texts (see pprof_ranks.h).
 */
#include "core/pprof/pprof_ranks.h"

#include "core/profile/names.h"
#include "core/reading/byte_scan.h"

#include <string.h>

/* Bytes of ids of which one word tells where numbers end. */
#define BLOCK 64

void
fg_pprof_ranks_free(FgPprofRanks *ranks)
{
	if (ranks->ctx == NULL)
		return;
	fg_release(ranks->ctx, ranks->rank);
	fg_release(ranks->ctx, ranks->frame);
	fg_release(ranks->ctx, ranks->plain);
	*ranks = (FgPprofRanks) {.ctx = NULL};
}

/* --- frames ----------------------------------------------------------------------------- */

/* The place of each frame among the texts. */
static bool
rank_frames(FgPprofRanks *ranks, FgNames *texts)
{
	const FgPprofCode *code = ranks->code;
	uint32_t   *place;
	FgFrames	sorted = {.count = 0};
	bool		ok = true;

	for (size_t i = 0; ok && i < code->frame_count; i++)
	{
		FgPprofText text = fg_pprof_code_frame(code, i);

		ok = fg_names_add(texts, text.bytes, text.length, &ranks->rank[i]);
	}
	place = ok ? fg_alloc(ranks->ctx, (size_t) texts->count + 1, sizeof(uint32_t)) : NULL;
	ok = place != NULL && fg_names_sort(texts, &sorted, place);
	for (size_t i = 0; ok && i < code->frame_count; i++)
	{
		ranks->rank[i] = place[ranks->rank[i]] + 1;
		ranks->frame[ranks->rank[i]] = (uint32_t) i;
		ok = fg_check_every(ranks->ctx, i);
	}
	ranks->count = texts->count;
	fg_frames_free(ranks->ctx, &sorted);
	fg_release(ranks->ctx, place);
	return ok;
}

/* Can nothing be wrong with it, and is nothing to be told of it, in however deep a stack? */
static bool
is_plain(const FgPprofCode *code, size_t frame)
{
	FgPprofText text = fg_pprof_code_frame(code, frame);

	return text.length > 0 && text.length <= FG_MAX_BYTES / FG_MAX_DEPTH &&
		code->frames[frame].control_characters == 0 && fg_utf8_prefix(text.bytes, text.length) == text.length;
}

static bool
find_plain(FgPprofRanks *ranks)
{
	const FgPprofCode *code = ranks->code;
	size_t		count = code->location_ids.count;

	ranks->plain_count = (uint64_t) count * 2 + 1;
	ranks->plain = fg_alloc_zero(ranks->ctx, (size_t) ranks->plain_count, sizeof(uint32_t));
	if (ranks->plain == NULL)
		return false;
	for (size_t i = 0; i < count; i++)
	{
		uint64_t	id = code->location_ids.ids[i];
		size_t		frame = code->first[i];

		if (id < ranks->plain_count && code->first[i + 1] - frame == 1 && is_plain(code, frame))
			ranks->plain[id] = ranks->rank[frame];
		if (!fg_work(ranks->ctx, 64))
			return false;
	}
	return true;
}

bool
fg_pprof_ranks_make(FgContext *ctx, FgPprofRanks *ranks, const FgPprofCode *code)
{
	FgNames		texts;
	bool		ok;

	*ranks = (FgPprofRanks) {
		.ctx = ctx, .code = code, .rank = fg_alloc(ctx, code->frame_count + 1, sizeof(uint32_t)),
		.frame = fg_alloc(ctx, code->frame_count + 1, sizeof(uint32_t))
	};
	if (ranks->rank == NULL || ranks->frame == NULL || !fg_names_begin(ctx, &texts))
		return false;
	ok = rank_frames(ranks, &texts) && find_plain(ranks);
	fg_names_free(&texts);
	return ok;
}

/* --- stacks ----------------------------------------------------------------------------- */

/* The bytes from "at" on, and zeros behind the last one. */
static inline uint64_t
load_bytes(FgReader ids, const uint8_t *at)
{
	size_t		left = (size_t) (ids.end - at);

	if (left >= sizeof(uint64_t))
		return fg_load_word(at);
	if (fg_reader_left(&ids) >= sizeof(uint64_t))
		return fg_load_word(ids.end - sizeof(uint64_t)) >> (64 - 8 * left);
	return fg_names_load_short((const char *) at, left);
}

/* A 1 in each byte that ends a number, of those there are. */
static inline uint64_t
ends_in_word(FgReader ids, const uint8_t *at)
{
	size_t		left = (size_t) (ids.end - at);
	uint64_t	ends = (~load_bytes(ids, at) & FG_HIGH_BITS) >> 7;

	return left >= sizeof(uint64_t) ? ends : ends & ((UINT64_C(1) << 8 * left) - 1);
}

/* A bit for each byte of a block that ends a number. */
static inline uint64_t
ends_in_block(FgReader ids, const uint8_t *block)
{
	uint64_t	bits = 0;

	for (unsigned i = 0; i < BLOCK && block + i < ids.end; i += sizeof(uint64_t))
		bits |= (ends_in_word(ids, block + i) * UINT64_C(0x0102040810204080) >> 56) << i;
	return bits;
}

static inline size_t
count_ids(FgReader ids)
{
	size_t		count = 0;

	for (const uint8_t *at = ids.next; at < ids.end; at += sizeof(uint64_t))
	{
		count += ends_in_word(ids, at) * FG_EACH_BYTE(1) >> 56;
		if (ids.end - at < (ptrdiff_t) sizeof(uint64_t))
			break;
	}
	return count;
}

/* The number between these bytes; most have two, others one, and which is not to be guessed. */
static inline uint64_t
number_in(const uint8_t *first, const uint8_t *last)
{
	uint64_t	number;

	if (last - first > 1)
	{
		fg_wire_varint(&first, last + 1, &number);
		return number;
	}
	return (*first & 0x7F) | ((uint64_t) *last << 7 & (0 - (uint64_t) (last - first)));
}

/* They are known to end. */
static inline bool
write_ranks(const FgPprofRanks *ranks, FgReader ids, const FgStackLists *lists, bool wide, size_t depth)
{
	const uint32_t *plain = ranks->plain;
	uint64_t	plain_count = ranks->plain_count;
	const uint8_t *first = ids.next;
	uint8_t    *to = fg_stack_lists_next(lists) + depth * fg_stack_bytes(wide);
	uint32_t	least = UINT32_MAX;

	for (const uint8_t *block = ids.next; block < ids.end; block = ids.end - block > BLOCK ? block + BLOCK : ids.end)
	{
		for (uint64_t ends = ends_in_block(ids, block); ends != 0; ends &= ends - 1)
		{
			const uint8_t *last = block + __builtin_ctzll(ends);
			uint64_t	id = number_in(first, last);
			uint32_t	rank = id < plain_count ? plain[id] : 0;

			first = last + 1;
			least = rank < least ? rank : least;
			to -= fg_stack_bytes(wide);
			fg_stack_put(to, wide, rank);
		}
	}
	return least > 0;
}

bool
fg_pprof_ranks_write(const FgPprofRanks *ranks, FgReader ids, const FgStackLists *lists, size_t *depth)
{
	*depth = count_ids(ids);
	if (*depth > FG_MAX_DEPTH)
		return false;
	return lists->wide ? write_ranks(ranks, ids, lists, true, *depth) : write_ranks(ranks, ids, lists, false, *depth);
}
