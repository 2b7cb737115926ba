/*
 * pprof_ranks.c
 *	  Frames of pprof's format by their texts (see pprof_ranks.h).
 */
#include "core/pprof/pprof_ranks.h"

#include "core/base/ahead.h"
#include "core/profile/names.h"
#include "core/reading/byte_scan.h"

#include <string.h>

/* Bytes of ids and of ranks that are asked for before they are needed. */
#define AHEAD 512

/* What is known of an id is a location of several frames, by its number. */
#define SEVERAL (UINT32_C(1) << 31)

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

/* What is to be known of the id of a location. */
static uint32_t
plain_location(const FgPprofRanks *ranks, size_t location)
{
	const FgPprofCode *code = ranks->code;
	size_t		first = code->first[location];
	size_t		end = code->first[location + 1];

	for (size_t f = first; f < end; f++)
	{
		if (!ranks->clean[ranks->rank[f]])
			return 0;
	}
	return end - first == 1 ? ranks->rank[first] : SEVERAL | (uint32_t) location;
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

		if (id < ranks->plain_count)
			ranks->plain[id] = plain_location(ranks, i);
		if (!fg_steps(ranks->ctx, 1 + code->first[i + 1] - code->first[i]))
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

/* Where the stack that is written goes on. */
typedef struct Writing
{
	const FgPprofRanks *ranks;
	uint8_t    *to;
	size_t		room;			/* frames */
} Writing;

static inline uint32_t
plain_of(const FgPprofRanks *ranks, uint64_t id)
{
	return id < ranks->plain_count ? ranks->plain[id] : 0;
}

static inline void
put_rank(Writing *w, bool wide, uint32_t rank)
{
	fg_stack_put(w->to, wide, rank);
	w->to += fg_stack_bytes(wide);
}

/* The frames of a location that has several. */
static bool
put_several(Writing *w, bool wide, uint32_t location)
{
	const FgPprofCode *code = w->ranks->code;
	size_t		first = code->first[location];

	if (code->first[location + 1] - first > w->room)
		return false;
	w->room -= code->first[location + 1] - first;
	for (size_t f = code->first[location + 1]; f > first; f--)
		put_rank(w, wide, w->ranks->rank[f - 1]);
	return true;
}

static inline bool
put_plain(Writing *w, bool wide, uint32_t plain)
{
	if (plain >= SEVERAL)
		return put_several(w, wide, plain - SEVERAL);
	if (plain == 0 || w->room == 0)
		return false;
	w->room--;
	put_rank(w, wide, plain);
	return true;
}

/* The last id of a list in which all end; one of more than two bytes is rare. */
static inline uint64_t
take_last(FgReader *ids)
{
	const uint8_t *at = ids->end - 1;
	uint64_t	id = *at;

	for (; at > ids->next && at[-1] >= 0x80; at--)
		id = id << 7 | (at[-1] & 0x7F);
	ids->end = at;
	return id;
}

/* Numbers of two bytes, as most ids of large profiles are: where they go on, and where they end. */
#define PAIRS UINT64_C(0x0080008000800080)

/* So many of them are in a word. */
#define AT_ONCE 4

/* The last four ids, which have two bytes each. */
static inline bool
put_pairs(Writing *w, bool wide, uint64_t word)
{
	uint64_t	pairs = (word & UINT64_C(0x007F007F007F007F)) | (word & UINT64_C(0x7F007F007F007F00)) >> 1;
	uint32_t	plain[AT_ONCE];
	bool		single = w->room >= AT_ONCE;

	for (unsigned i = 0; i < AT_ONCE; i++)
	{
		plain[i] = plain_of(w->ranks, pairs >> (48 - 16 * i) & 0xFFFF);
		single &= plain[i] - 1 < SEVERAL - 1;
	}
	for (unsigned i = 0; i < AT_ONCE && !single; i++)
	{
		if (!put_plain(w, wide, plain[i]))
			return false;
	}
	if (!single)
		return true;
	w->room -= AT_ONCE;
	for (unsigned i = 0; i < AT_ONCE; i++)
		put_rank(w, wide, plain[i]);
	return true;
}

/* From the outermost frame, which is the last one of the list. */
static inline bool
write_ranks(Writing *w, FgReader ids, bool wide)
{
	while (ids.next < ids.end)
	{
		uint64_t	word = fg_reader_left(&ids) >= sizeof(word) ? fg_load_word(ids.end - sizeof(word)) : 0;
		bool		pairs = (word & FG_HIGH_BITS) == PAIRS;

		if (!(pairs ? put_pairs(w, wide, word) : put_plain(w, wide, plain_of(w->ranks, take_last(&ids)))))
			return false;
		ids.end -= pairs ? sizeof(word) : 0;
	}
	return true;
}

bool
fg_pprof_ranks_write(const FgPprofRanks *ranks, FgReader ids, const FgStackLists *lists, size_t *depth)
{
	Writing		w = {.ranks = ranks, .to = fg_stack_lists_next(lists), .room = FG_MAX_DEPTH};
	bool		ok;

	/* stacks lie behind each other, here and there */
	fg_ask_ahead(ids.next, AHEAD);
	fg_ask_ahead_to_write(w.to, AHEAD);
	ok = lists->wide ? write_ranks(&w, ids, true) : write_ranks(&w, ids, false);
	*depth = FG_MAX_DEPTH - w.room;
	return ok;
}
