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
	fg_release(ranks->ctx, ranks->clean);
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

static bool
is_clean(const FgPprofCode *code, size_t frame)
{
	FgPprofText text = fg_pprof_code_frame(code, frame);

	return text.length > 0 && text.length <= FG_MAX_BYTES / FG_MAX_DEPTH &&
		code->frames[frame].control_characters == 0 && fg_utf8_prefix(text.bytes, text.length) == text.length;
}

static bool
find_clean(FgPprofRanks *ranks)
{
	ranks->clean = fg_alloc(ranks->ctx, (size_t) ranks->count + 1, sizeof(bool));
	if (ranks->clean == NULL)
		return false;
	for (uint32_t i = 1; i <= ranks->count; i++)
	{
		ranks->clean[i] = is_clean(ranks->code, ranks->frame[i]);
		if (!fg_work(ranks->ctx, fg_pprof_rank_text(ranks, i).length))
			return false;
	}
	return true;
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

		if (id < ranks->plain_count && code->first[i + 1] - frame == 1 && ranks->clean[ranks->rank[frame]])
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
	ok = rank_frames(ranks, &texts) && find_clean(ranks) && find_plain(ranks);
	fg_names_free(&texts);
	return ok;
}

/* --- stacks ----------------------------------------------------------------------------- */

/* Numbers of two bytes, as most ids of large profiles are: where they go on, and where they end. */
#define PAIRS UINT64_C(0x0080008000800080)

/* The bytes that end a number are as many as there are numbers. */
static inline size_t
count_ids(FgReader ids)
{
	size_t		count = 0;

	for (; fg_reader_left(&ids) >= sizeof(uint64_t); ids.next += sizeof(uint64_t))
		count += ((~fg_load_word(ids.next) & FG_HIGH_BITS) >> 7) * FG_EACH_BYTE(1) >> 56;
	for (; ids.next < ids.end; ids.next++)
		count += *ids.next < 0x80;
	return count;
}

/* They are known to end. */
static inline bool
write_ranks(const FgPprofRanks *ranks, FgReader ids, const FgStackLists *lists, bool wide, size_t depth)
{
	const uint32_t *plain = ranks->plain;
	uint64_t	plain_count = ranks->plain_count;
	uint8_t    *to = fg_stack_lists_next(lists) + depth * fg_stack_bytes(wide);
	uint32_t	least = UINT32_MAX;

	while (ids.next < ids.end)
	{
		uint64_t	id = 0;
		uint32_t	rank;

		if (fg_reader_left(&ids) >= sizeof(uint64_t))
		{
			uint64_t	word = fg_load_word(ids.next);
			uint64_t	pairs = (word & UINT64_C(0x007F007F007F007F)) | (word & UINT64_C(0x7F007F007F007F00)) >> 1;

			if ((word & FG_HIGH_BITS) == PAIRS)
			{
				for (unsigned i = 0; i < 4; i++, pairs >>= 16)
				{
					id = pairs & 0xFFFF;
					rank = id < plain_count ? plain[id] : 0;
					least = rank < least ? rank : least;
					to -= fg_stack_bytes(wide);
					fg_stack_put(to, wide, rank);
				}
				ids.next += sizeof(uint64_t);
				continue;
			}
		}
		fg_wire_varint(&ids.next, ids.end, &id);
		rank = id < plain_count ? plain[id] : 0;
		least = rank < least ? rank : least;
		to -= fg_stack_bytes(wide);
		fg_stack_put(to, wide, rank);
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
