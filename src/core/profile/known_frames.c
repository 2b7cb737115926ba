/*
 * known_frames.c
 *	  Dictionaries among names that are known (see known_frames.h).
 */
#include "core/profile/known_frames.h"

#include "core/base/words.h"
#include "core/profile/codec.h"

#include <string.h>

/* As many bytes in common, or more: such names are looked up.  They are compared eight at once. */
#define MOST_SHARED 127
#define AT_ONCE 8
#define EIGHT_BYTES UINT64_C(0x0101010101010101)

/* A look-up for every other sorted name, and some, cost as much as sorting in what is new. */
#define MISSED_AT_LEAST 64

bool
fg_known_frames_begin(FgContext *ctx, FgNames *names, FgKnownFrames *known)
{
	*known = (FgKnownFrames) {.ctx = ctx, .names = names};
	return fg_frames_alloc(ctx, &known->sorted, 0, 0);
}

static void
free_order(FgKnownFrames *known)
{
	FgContext  *ctx = known->ctx;

	fg_frames_free(ctx, &known->sorted);
	fg_release(ctx, known->number);
	fg_release(ctx, known->shared);
	fg_release(ctx, known->next);
	known->number = NULL;
	known->shared = NULL;
	known->next = NULL;
}

void
fg_known_frames_free(FgKnownFrames *known)
{
	if (known->ctx == NULL)
		return;
	free_order(known);
	fg_release(known->ctx, known->found);
	fg_release(known->ctx, known->text);
	memset(known, 0, sizeof(*known));
}

static inline uint64_t
difference_at(const char *a, const char *b, uint32_t i)
{
	return fg_load_word(a + i) ^ fg_load_word(b + i);
}

/* How many bytes are the same; the last eight may be compared in part twice. */
static inline uint32_t
common_bytes(const char *a, const char *b, uint32_t length)
{
	uint32_t	i = 0;
	uint64_t	difference;

	if (length < 8)
	{
		while (i < length && a[i] == b[i])
			i++;
		return i;
	}
	for (; length - i > 8; i += 8)
	{
		difference = difference_at(a, b, i);
		if (difference != 0)
			return i + (uint32_t) __builtin_ctzll(difference) / 8;
	}
	difference = difference_at(a, b, length - 8);
	return difference == 0 ? length : length - 8 + (uint32_t) __builtin_ctzll(difference) / 8;
}

/* --- sorting in ------------------------------------------------------------------------------ */

/* Names from "first" on as a dictionary; order[i] is the number of the i-th. */
static bool
sort_rest(FgKnownFrames *known, uint32_t first, FgFrames *rest, uint32_t *order)
{
	const FgNames *names = known->names;
	FgContext  *ctx = known->ctx;
	uint32_t	count = names->count - first;
	size_t		bytes = count > 0 ? names->size - names->offset[first] : 0;

	if (count > 0 && !fg_frames_sort(ctx, names->bytes, names->offset + first,
									 names->length + first, count, order))
		return false;
	if (!fg_frames_alloc(ctx, rest, count, bytes))
		return false;
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t	length;

		order[i] += first;
		length = names->length[order[i]];
		memcpy(rest->bytes + rest->offset[i], names->bytes + names->offset[order[i]], length);
		rest->offset[i + 1] = rest->offset[i] + length;
		if (!fg_work(ctx, length))
		{
			fg_frames_free(ctx, rest);
			return false;
		}
	}
	return true;
}

/* What each name has in common with the one before. */
static bool
compare_neighbours(FgKnownFrames *known)
{
	const FgFrames *sorted = &known->sorted;

	for (uint32_t i = 0; i < sorted->count; i++)
	{
		const char *name = fg_frame_bytes(sorted, i);
		uint32_t	length = fg_frame_length(sorted, i);
		uint32_t	before = i > 0 ? fg_frame_length(sorted, i - 1) : 0;
		uint32_t	most = before < length ? before : length;
		uint32_t	shared = 0;

		most = most < MOST_SHARED ? most : MOST_SHARED;
		if (i > 0)
			shared = common_bytes(name, fg_frame_bytes(sorted, i - 1), most);
		known->shared[i] = (uint8_t) shared;
		known->next[i] = shared < length ? (uint8_t) name[shared] : 0;
		if (!fg_work(known->ctx, shared))
			return false;
	}
	memset(known->shared + sorted->count, 0, AT_ONCE);
	known->next[sorted->count] = UINT8_MAX;
	return true;
}

/* The rest is among the sorted ones then; map_old and map_rest say where. */
static bool
take_order(FgKnownFrames *known, FgFrames *all, const uint32_t *map_old, const uint32_t *map_rest,
		   const uint32_t *order, uint32_t rest)
{
	FgContext  *ctx = known->ctx;
	uint32_t	old = known->sorted.count;
	uint32_t   *number = fg_alloc(ctx, all->count, sizeof(uint32_t));
	bool		ok = number != NULL;

	for (uint32_t i = 0; ok && i < old; i++)
	{
		number[map_old[i]] = known->number[i];
		ok = fg_check_every(ctx, i);
	}
	for (uint32_t i = 0; ok && i < rest; i++)
	{
		number[map_rest[i]] = order[i];
		ok = fg_check_every(ctx, i);
	}
	if (!ok)
	{
		fg_release(ctx, number);
		fg_frames_free(ctx, all);
		return false;
	}
	free_order(known);
	known->sorted = *all;
	known->number = number;
	known->shared = fg_alloc(ctx, (size_t) all->count + AT_ONCE, 1);
	known->next = fg_alloc(ctx, (size_t) all->count + 1, 1);
	return known->shared != NULL && known->next != NULL && compare_neighbours(known);
}

/* Sorts all names in that have come since. */
static bool
sort_in(FgKnownFrames *known)
{
	FgContext  *ctx = known->ctx;
	uint32_t	old = known->sorted.count;
	uint32_t	rest = known->names->count - old;
	uint32_t   *maps = fg_alloc(ctx, (size_t) old + 2 * (size_t) rest, sizeof(uint32_t));
	FgFrames	new_ones = {0};
	FgFrames	all = {0};
	bool		ok;

	known->missed = 0;
	ok = maps != NULL && sort_rest(known, old, &new_ones, maps + old + rest);
	ok = ok && fg_frames_union(ctx, &known->sorted, &new_ones, &all, maps, maps + old);
	fg_frames_free(ctx, &new_ones);
	ok = ok && take_order(known, &all, maps, maps + old, maps + old + rest, rest);
	fg_release(ctx, maps);
	return ok;
}

bool
fg_known_frames_finish(FgKnownFrames *known, FgFrames *frames, uint32_t *place)
{
	if (known->sorted.count < known->names->count && !sort_in(known))
		return false;
	for (uint32_t i = 0; i < known->sorted.count; i++)
	{
		place[known->number[i]] = i;
		if (!fg_check_every(known->ctx, i))
			return false;
	}
	*frames = known->sorted;
	memset(&known->sorted, 0, sizeof(known->sorted));
	return true;
}

/* --- a frame that is looked up ---------------------------------------------------------------- */

static bool
look_up(FgKnownFrames *known, const char *name, uint32_t length, uint32_t *number)
{
	FgNames    *names = known->names;
	uint32_t	hash = fg_names_hash(names, name, length);

	if (!fg_work(known->ctx, length))
		return false;
	*number = fg_names_find(names, name, length, hash);
	if (*number != FG_NONE)
		return true;
	return fg_frame_valid(known->ctx, name, length) &&
		fg_names_append(names, name, length, hash, number);
}

bool
fg_known_frames_number_all(FgKnownFrames *known, const FgFrames *frames, const uint32_t **number)
{
	if (!fg_reserve(known->ctx, (void **) &known->found, &known->found_capacity, frames->count,
					sizeof(uint32_t)))
		return false;
	for (uint32_t f = 0; f < frames->count; f++)
	{
		uint32_t	length = fg_frame_length(frames, f);

		if (f > 0 && fg_bytes_compare(fg_frame_bytes(frames, f - 1), fg_frame_length(frames, f - 1),
									  fg_frame_bytes(frames, f), length) >= 0)
			return fg_fail(known->ctx, FG_ERROR_CORRUPT, "the frame dictionary is damaged");
		if (!look_up(known, fg_frame_bytes(frames, f), length, &known->found[f]))
			return false;
	}
	*number = known->found;
	return true;
}

/* --- the walk ---------------------------------------------------------------------------------- */

/* An entry of a dictionary. */
typedef struct Entry
{
	uint32_t	shared;
	uint32_t	more;
	const char *rest;			/* the bytes behind what is shared */
} Entry;

/*
 * Where the walk is: the last sorted name that comes before the frame at hand, or is it, and how
 * many bytes they have in common.  FG_NONE: in front of the first.
 */
typedef struct Walk
{
	FgKnownFrames *known;
	uint32_t	at;
	uint32_t	common;
	bool		found;
	bool		walks;			/* false: all are looked up */
	uint32_t	previous;		/* the number of the frame before, or FG_NONE */
} Walk;

static bool
read_entry(const Walk *walk, FgReader *reader, Entry *entry)
{
	const FgNames *names = walk->known->names;

	if (fg_reader_left(reader) < 1)
		return false;
	entry->shared = *reader->next++;
	if (entry->shared > FG_MAX_SHARED ||
		entry->shared > (walk->previous != FG_NONE ? names->length[walk->previous] : 0) ||
		!fg_read_varint32(reader, &entry->more) || entry->more == 0 ||
		entry->more > fg_reader_left(reader) || entry->more > FG_MAX_FRAME - entry->shared)
		return false;
	entry->rest = (const char *) reader->next;
	reader->next += entry->more;
	return true;
}

/* Puts the frame together, behind the one before. */
static bool
make_text(Walk *walk, const Entry *entry)
{
	FgKnownFrames *known = walk->known;
	const FgNames *names = known->names;

	if (!fg_reserve(known->ctx, (void **) &known->text, &known->text_capacity,
					(size_t) entry->shared + entry->more, 1))
		return false;
	if (entry->shared > 0)
		memcpy(known->text, names->bytes + names->offset[walk->previous], entry->shared);
	memcpy(known->text + entry->shared, entry->rest, entry->more);
	return true;
}

/*
 * What the next frame has in common with the name at hand; an entry says no more than
 * FG_MAX_SHARED of what it shares.  Where the frame before is not that name, the text has been made.
 */
static void
begin_entry(Walk *walk, const Entry *entry)
{
	const FgFrames *sorted = &walk->known->sorted;
	const char *rest = walk->found ? entry->rest : walk->known->text + entry->shared;
	uint32_t	left;

	if (walk->found || entry->shared < walk->common)
		walk->common = entry->shared;
	if (walk->common < FG_MAX_SHARED)
		return;
	left = fg_frame_length(sorted, walk->at) - walk->common;
	left = left < entry->more ? left : entry->more;
	walk->common += common_bytes(fg_frame_bytes(sorted, walk->at) + walk->common, rest, left);
}

/*
 * Compares what is left of the frame with what is left of a sorted name.  *common, of both, grows
 * when the name comes first.
 */
static inline int
compare_rest(const FgFrames *sorted, uint32_t name, const char *rest, uint32_t left, uint32_t *common)
{
	const char *other = fg_frame_bytes(sorted, name) + *common;
	uint32_t	other_left = fg_frame_length(sorted, name) - *common;
	uint32_t	shorter = left < other_left ? left : other_left;
	uint32_t	same = common_bytes(rest, other, shorter);

	if (same == shorter && left == other_left)
		return 0;
	if (same < shorter ? (uint8_t) other[same] > (uint8_t) rest[same] : other_left > left)
		return -1;
	*common += same;
	return 1;
}

/*
 * The first name from *next on that has no more in common with the one before it than this: in a
 * word, the lowest byte that turns negative when more is taken from it.
 */
static inline bool
skip(const FgKnownFrames *known, uint32_t *next, uint32_t common)
{
	uint32_t	i = *next;

	for (;; i += AT_ONCE)
	{
		uint64_t	word = fg_load_word(known->shared + i);
		uint64_t	negative = (word - (common + 1) * EIGHT_BYTES) & ~word & (EIGHT_BYTES << 7);

		if (negative != 0)
		{
			*next = i + (uint32_t) __builtin_ctzll(negative) / 8;
			return true;
		}
		if (i % FG_CHECK_NODES < AT_ONCE && !fg_steps(known->ctx, FG_CHECK_NODES / AT_ONCE))
			return false;
	}
}

/*
 * Goes on to the frame, or to the last name before it; of the frame the bytes "rest" are left.
 * Behind the last name there is one that has nothing in common with it and is larger than all.
 */
static bool
go_on(Walk *walk, const char *rest, uint32_t left)
{
	const FgKnownFrames *known = walk->known;
	const char *end = rest + left;
	uint32_t	common = walk->common;
	uint32_t	i = walk->at + 1;	/* 0 in front of the first */

	while (i < known->sorted.count && common < MOST_SHARED)
	{
		int			order;
		uint32_t	before = common;

		if (!skip(known, &i, common))
			return false;
		if (known->shared[i] < common || rest == end || known->next[i] > (uint8_t) *rest)
			break;
		if (known->next[i] < (uint8_t) *rest)
		{
			i++;
			continue;
		}
		if (i == known->sorted.count)
			break;
		order = compare_rest(&known->sorted, i, rest, (uint32_t) (end - rest), &common);
		rest += common - before;
		walk->found = order == 0;
		if (order <= 0)
			break;
		i++;
	}
	walk->common = common;
	walk->at = walk->found ? i : i - 1;
	return true;
}

/* Is the frame, which is in text, behind the one before? */
static bool
follows(const Walk *walk, const Entry *entry)
{
	const FgNames *names = walk->known->names;

	return walk->previous == FG_NONE ||
		fg_bytes_compare(names->bytes + names->offset[walk->previous],
						 names->length[walk->previous], walk->known->text,
						 entry->shared + entry->more) < 0;
}

/*
 * A frame that is found is behind the one before when that was found, too, as the walk only goes
 * on; the others are compared with it.
 */
static bool
find_entry(Walk *walk, const Entry *entry, uint32_t *number)
{
	FgKnownFrames *known = walk->known;
	bool		compares = !walk->found;
	const char *rest;
	uint32_t	length = entry->shared + entry->more;

	if (compares && !make_text(walk, entry))
		return false;
	if (walk->walks)
		begin_entry(walk, entry);
	walk->found = false;
	rest = compares ? known->text + walk->common : entry->rest + (walk->common - entry->shared);
	if (walk->walks && !go_on(walk, rest, length - walk->common))
		return false;
	if (!walk->found && !compares && !make_text(walk, entry))
		return false;
	if ((!walk->found || compares) && !follows(walk, entry))
		return false;
	if (walk->found)
	{
		*number = known->number[walk->at];
		return fg_work(known->ctx, entry->more);
	}
	known->missed += walk->walks;
	return look_up(known, known->text, length, number);
}

bool
fg_known_frames_number(FgKnownFrames *known, FgReader section, uint32_t count,
					   const uint32_t **number)
{
	Walk		walk = {.known = known, .at = FG_NONE, .previous = FG_NONE};

	walk.walks = known->sorted.count / FG_KNOWN_WALK <= count;
	if (walk.walks && known->missed > known->sorted.count / 2 + MISSED_AT_LEAST &&
		!sort_in(known))
		return false;
	if (!fg_reserve(known->ctx, (void **) &known->found, &known->found_capacity, count,
					sizeof(uint32_t)))
		return false;
	for (uint32_t f = 0; f < count; f++)
	{
		Entry		entry;

		if (!read_entry(&walk, &section, &entry) || !find_entry(&walk, &entry, &known->found[f]))
			return false;
		walk.previous = known->found[f];
	}
	*number = known->found;
	return fg_reader_left(&section) == 0;
}
