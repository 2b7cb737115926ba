/*
 * indexes.c
 *	  The GIN operator classes over frames of stacks and profiles.
 *
 * GIN keys are never raw frames, which may be a megabyte where an index tuple
 * ends at 2.7 kB: a frame that is longer than a key may be is its first bytes and
 * hexadecimal digits of a hash, and a match is rechecked.  Keys are compared bytewise,
 * so a prefix is a range of keys.
 *
 * Keys of stacks are 250 bytes at most, 234 of the frame and 16 digits.  Those of profiles
 * and series are 20, 12 of the frame and 8 digits: each row has hundreds or thousands of
 * frames, which were most of what is written to the log for a profile, and more than the
 * bytes of a series.  Rechecking reads the names of a row.
 *
 * Indexes of profiles that 0.1.0 has made have keys of up to 250 bytes, and new ones beside
 * them, so frames are looked for under both.
 */
#include "pg/profile/indexes.h"

#include "access/gin.h"
#include "access/stratnum.h"
#include "common/hashfn.h"
#include "miscadmin.h"

#include "core/profile/frames.h"
#include "core/profile/path.h"
#include "pg/base/arrays.h"
#include "pg/profile/stackquery.h"

#define KEY_MAX		250

typedef struct KeyShape
{
	size_t		most;			/* at most KEY_MAX */
	size_t		prefix;
	int			digits;			/* of the hash, behind the prefix */
} KeyShape;

static const KeyShape long_keys = {KEY_MAX, 234, 16};
static const KeyShape short_keys = {20, 12, 8};

#define STRATEGY_HAS		1
#define STRATEGY_HAS_ANY	2
#define STRATEGY_HAS_ALL	3
#define STRATEGY_MATCHES	4
#define STRATEGY_HAS_PATH	5

/* --- keys ------------------------------------------------------------------------------ */

static Datum
frame_key(const KeyShape *shape, const char *frame, size_t length)
{
	char		key[KEY_MAX];
	uint64		hash;

	if (length <= shape->most)
		return PointerGetDatum(fg_varlena(frame, length));
	hash = DatumGetUInt64(hash_any_extended((const unsigned char *) frame, (int) length, 0));
	memcpy(key, frame, shape->prefix);
	for (int i = 0; i < shape->digits; i++)
		key[shape->prefix + i] = "0123456789abcdef"[hash >> (60 - 4 * i) & 15];
	return PointerGetDatum(fg_varlena(key, shape->most));
}

/*
 * A key is too short to be compressed or stored elsewhere, so it is compared as it is: that is done a dozen times
 * for each.  A text that somebody calls these functions with may be.
 */
static inline FgSpan
key_span(Datum key)
{
	const struct varlena *bytes = (const struct varlena *) DatumGetPointer(key);

	if (VARATT_IS_EXTERNAL(bytes) || VARATT_IS_COMPRESSED(bytes))
		return fg_datum_span(key);
	return (FgSpan) {VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes)};
}

static inline int
compare_keys(Datum x, Datum y)
{
	FgSpan		a = key_span(x);
	FgSpan		b = key_span(y);
	int			order = memcmp(a.bytes, b.bytes, Min(a.size, b.size));

	return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

PG_FUNCTION_INFO_V1(gin_frame_compare);
Datum
gin_frame_compare(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(compare_keys(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)));
}

/* 0: the key starts with the prefix; > 0: it and all keys behind it do not. */
PG_FUNCTION_INFO_V1(gin_frame_compare_prefix);
Datum
gin_frame_compare_prefix(PG_FUNCTION_ARGS)
{
	FgSpan		prefix = key_span(PG_GETARG_DATUM(0));
	FgSpan		key = key_span(PG_GETARG_DATUM(1));
	int			order;

	if (key.size > prefix.size)
		key.size = prefix.size;
	order = fg_bytes_compare(key.bytes, key.size, prefix.bytes, prefix.size);
	PG_RETURN_INT32((order > 0) - (order < 0));
}

/* A frame that occurs twice gives two equal keys; GIN removes them. */
PG_FUNCTION_INFO_V1(gin_extract_stackpath);
Datum
gin_extract_stackpath(PG_FUNCTION_ARGS)
{
	FgSpan		path = PG_GETARG_SPAN(0);
	int32	   *nkeys = (int32 *) PG_GETARG_POINTER(1);
	FgPathWalk	walk = fg_path_walk(path.bytes, path.size);
	Datum	   *keys = palloc((fg_path_depth(path.bytes, path.size) + 1) * sizeof(Datum));

	*nkeys = 0;
	while (fg_path_next(&walk))
	{
		CHECK_FOR_INTERRUPTS();
		keys[(*nkeys)++] = frame_key(&long_keys, walk.frame, walk.length);
	}
	PG_RETURN_POINTER(keys);
}

static int
compare_for_qsort(const void *a, const void *b)
{
	return compare_keys(*(const Datum *) a, *(const Datum *) b);
}

/* Whether this frame and the one before have the same prefix, so that their hashes may decide. */
static bool
is_alike(const KeyShape *shape, const FgFrames *frames, uint32_t f)
{
	return f > 0 && fg_frame_length(frames, f - 1) >= shape->prefix && fg_frame_length(frames, f) >= shape->prefix &&
		memcmp(fg_frame_bytes(frames, f - 1), fg_frame_bytes(frames, f), shape->prefix) == 0;
}

/* In order, as the frames are: GIN sorts keys that are not by calls of its own. */
static Datum *
keys_of(const KeyShape *shape, const FgFrames *frames, int32 *nkeys)
{
	Datum	   *keys = palloc((frames->count + 1) * sizeof(Datum));
	uint32_t	first = 0;		/* of those that are alike */

	for (uint32_t f = 0; f < frames->count; f++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!is_alike(shape, frames, f))
		{
			qsort(keys + first, f - first, sizeof(Datum), compare_for_qsort);
			first = f;
		}
		keys[f] = frame_key(shape, fg_frame_bytes(frames, f), fg_frame_length(frames, f));
	}
	qsort(keys + first, frames->count - first, sizeof(Datum), compare_for_qsort);
	*nkeys = (int32) frames->count;
	return keys;
}

Datum *
fg_gin_series_keys(const FgFrames *frames, int32 *nkeys)
{
	return keys_of(&short_keys, frames, nkeys);
}

static Datum
extract_flamegraph(FunctionCallInfo fcinfo, const KeyShape *shape)
{
	FgContext	ctx = fg_current_context();
	FgFrames	storage;
	const FgFrames *frames = fg_datum_frames(&ctx, PG_GETARG_DATUM(0), &storage);

	PG_RETURN_POINTER(keys_of(shape, frames, (int32 *) PG_GETARG_POINTER(1)));
}

/* What 0.1.0 calls, and its queries look for no other keys. */
PG_FUNCTION_INFO_V1(gin_extract_flamegraph);
Datum
gin_extract_flamegraph(PG_FUNCTION_ARGS)
{
	return extract_flamegraph(fcinfo, &long_keys);
}

PG_FUNCTION_INFO_V1(gin_extract_flamegraph_short);
Datum
gin_extract_flamegraph_short(PG_FUNCTION_ARGS)
{
	return extract_flamegraph(fcinfo, &short_keys);
}

/* --- queries ----------------------------------------------------------------------------- */

/*
 * What is sought: keys in groups.  A row qualifies when each group has a key that
 * is there.  ?, ?& have a group a key, ?| one group, ~ one for each level that
 * demands a frame it names.
 */
typedef struct KeySearch
{
	const KeyShape *shape;
	bool		long_too;		/* keys that 0.1.0 has made may be there */
	Datum	   *keys;
	bool	   *partial;
	Pointer    *group;			/* number of the group, as GIN's extra data */
	int			count;
	int			capacity;
	int			ngroups;
} KeySearch;

static void
search_add_key(KeySearch *search, Datum key, bool prefix)
{
	if (search->count == search->capacity)
	{
		search->capacity = search->capacity * 2 + 8;
		search->keys = search->keys == NULL ? palloc(search->capacity * sizeof(Datum))
			: repalloc(search->keys, search->capacity * sizeof(Datum));
		search->partial = search->partial == NULL ? palloc(search->capacity * sizeof(bool))
			: repalloc(search->partial, search->capacity * sizeof(bool));
		search->group = search->group == NULL ? palloc(search->capacity * sizeof(Pointer))
			: repalloc(search->group, search->capacity * sizeof(Pointer));
	}
	search->keys[search->count] = key;
	search->partial[search->count] = prefix;
	search->group[search->count] = (Pointer) (intptr_t) search->ngroups;
	search->count++;
}

/* Keys of any length have the same first bytes. */
static void
search_add(KeySearch *search, const char *frame, size_t length, bool prefix)
{
	const KeyShape *shape = search->shape;

	search_add_key(search, prefix ? PointerGetDatum(fg_varlena(frame, Min(length, shape->prefix)))
				   : frame_key(shape, frame, length), prefix);
	if (search->long_too && !prefix && length > shape->most)
		search_add_key(search, frame_key(&long_keys, frame, length), false);
}

static void
search_array(KeySearch *search, ArrayType *array, bool all)
{
	FgArray		frames = fg_array(array, NULL);

	for (; fg_array_left(&frames); frames.next++)
	{
		FgSpan		frame;

		if (frames.nulls[frames.next])
			continue;
		frame = fg_datum_span(frames.elements[frames.next]);
		search_add(search, frame.bytes, frame.size, false);
		search->ngroups += all;
	}
}

/* All frames of a path; that they follow each other is for the recheck. */
static void
search_path(KeySearch *search, FgSpan path)
{
	FgPathWalk	walk = fg_path_walk(path.bytes, path.size);

	while (fg_path_next(&walk))
	{
		CHECK_FOR_INTERRUPTS();
		search_add(search, walk.frame, walk.length, false);
		search->ngroups++;
	}
}

/* Can the index find the frames that this level demands? */
static bool
level_is_indexable(const FgQuery *query, const FgLevelPattern *level)
{
	if (level->any || level->negated || level->min == 0)
		return false;
	for (uint32_t i = 0; i < level->nitems; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (query->items[level->first_item + i].flags & ~(uint32_t) FG_ITEM_PREFIX)
			return false;
	}
	return true;
}

static void
search_pattern(KeySearch *search, FgSpan text)
{
	FgContext	ctx = fg_current_context();
	FgQuery		query;

	if (!fg_query_parse(&ctx, text.bytes, text.size, &query))
		fg_throw(&ctx, "stackquery");
	for (uint32_t l = 0; l < query.nlevels; l++)
	{
		const FgLevelPattern *level = &query.levels[l];

		if (!level_is_indexable(&query, level))
			continue;
		for (uint32_t i = 0; i < level->nitems; i++)
		{
			const FgItem *item = &query.items[level->first_item + i];

			CHECK_FOR_INTERRUPTS();
			search_add(search, fg_item_text(&query, item), item->length,
					   (item->flags & FG_ITEM_PREFIX) != 0);
		}
		search->ngroups++;
	}
}

static Datum
extract_query(FunctionCallInfo fcinfo, const KeyShape *shape, bool long_too)
{
	int32	   *nkeys = (int32 *) PG_GETARG_POINTER(1);
	StrategyNumber strategy = PG_GETARG_UINT16(2);
	bool	  **partial = (bool **) PG_GETARG_POINTER(3);
	Pointer   **extra = (Pointer **) PG_GETARG_POINTER(4);
	int32	   *mode = (int32 *) PG_GETARG_POINTER(6);
	KeySearch	search = {.shape = shape, .long_too = long_too};
	FgSpan		frame;

	switch (strategy)
	{
		case STRATEGY_HAS:
			frame = PG_GETARG_SPAN(0);
			search_add(&search, frame.bytes, frame.size, false);
			break;
		case STRATEGY_HAS_ANY:
			search_array(&search, PG_GETARG_ARRAYTYPE_P(0), false);
			break;
		case STRATEGY_HAS_ALL:
			search_array(&search, PG_GETARG_ARRAYTYPE_P(0), true);
			break;
		case STRATEGY_MATCHES:
			search_pattern(&search, PG_GETARG_SPAN(0));
			break;
		case STRATEGY_HAS_PATH:
			search_path(&search, PG_GETARG_SPAN(0));
			break;
		default:
			elog(ERROR, "unrecognized strategy number: %d", strategy);
	}
	/* nothing demanded: every row qualifies; any frame of none: no row */
	if (search.count == 0 && strategy != STRATEGY_HAS_ANY)
		*mode = GIN_SEARCH_MODE_ALL;
	*nkeys = search.count;
	*partial = search.partial;
	*extra = search.group;
	PG_RETURN_POINTER(search.keys);
}

PG_FUNCTION_INFO_V1(gin_extract_frames_query);
Datum
gin_extract_frames_query(PG_FUNCTION_ARGS)
{
	return extract_query(fcinfo, &long_keys, false);
}

PG_FUNCTION_INFO_V1(gin_flamegraph_extract_query);
Datum
gin_flamegraph_extract_query(PG_FUNCTION_ARGS)
{
	return extract_query(fcinfo, &short_keys, true);
}

PG_FUNCTION_INFO_V1(gin_flameseries_extract_query);
Datum
gin_flameseries_extract_query(PG_FUNCTION_ARGS)
{
	return extract_query(fcinfo, &short_keys, false);
}

/* Each group: GIN_TRUE when a key is there for sure, GIN_FALSE when none is. */
static GinTernaryValue
check_groups(const GinTernaryValue *check, int nkeys, const Pointer *extra)
{
	GinTernaryValue result = GIN_TRUE;

	for (int i = 0; i < nkeys;)
	{
		Pointer		group = extra[i];
		GinTernaryValue found = GIN_FALSE;

		for (; i < nkeys && extra[i] == group; i++)
		{
			CHECK_FOR_INTERRUPTS();
			if (check[i] == GIN_TRUE || (check[i] == GIN_MAYBE && found == GIN_FALSE))
				found = check[i];
		}
		if (found == GIN_FALSE)
			return GIN_FALSE;
		if (found == GIN_MAYBE)
			result = GIN_MAYBE;
	}
	return result;
}

/*
 * Do the keys say all that is asked?  The order of frames is in no key, and a key of full
 * length may stand for another frame with the same hash.
 */
static bool
keys_are_exact(const KeyShape *shape, StrategyNumber strategy, const Datum *keys, int nkeys)
{
	if (strategy == STRATEGY_MATCHES || strategy == STRATEGY_HAS_PATH)
		return false;
	for (int i = 0; i < nkeys; i++)
	{
		if (VARSIZE_ANY_EXHDR(DatumGetPointer(keys[i])) >= shape->most)
			return false;
	}
	return true;
}

static Datum
consistent(FunctionCallInfo fcinfo, const KeyShape *shape)
{
	bool	   *check = (bool *) PG_GETARG_POINTER(0);
	StrategyNumber strategy = PG_GETARG_UINT16(1);
	int32		nkeys = PG_GETARG_INT32(3);
	Pointer    *extra = (Pointer *) PG_GETARG_POINTER(4);
	bool	   *recheck = (bool *) PG_GETARG_POINTER(5);
	Datum	   *keys = (Datum *) PG_GETARG_POINTER(6);

	*recheck = !keys_are_exact(shape, strategy, keys, nkeys);
	/* bool and GinTernaryValue agree on false and true */
	PG_RETURN_BOOL(check_groups((GinTernaryValue *) check, nkeys, extra) != GIN_FALSE);
}

PG_FUNCTION_INFO_V1(gin_frames_consistent);
Datum
gin_frames_consistent(PG_FUNCTION_ARGS)
{
	return consistent(fcinfo, &long_keys);
}

PG_FUNCTION_INFO_V1(gin_flameseries_consistent);
Datum
gin_flameseries_consistent(PG_FUNCTION_ARGS)
{
	return consistent(fcinfo, &short_keys);
}

static Datum
triconsistent(FunctionCallInfo fcinfo, const KeyShape *shape)
{
	GinTernaryValue *check = (GinTernaryValue *) PG_GETARG_POINTER(0);
	StrategyNumber strategy = PG_GETARG_UINT16(1);
	int32		nkeys = PG_GETARG_INT32(3);
	Pointer    *extra = (Pointer *) PG_GETARG_POINTER(4);
	Datum	   *keys = (Datum *) PG_GETARG_POINTER(5);
	GinTernaryValue result = check_groups(check, nkeys, extra);

	if (result == GIN_TRUE && !keys_are_exact(shape, strategy, keys, nkeys))
		result = GIN_MAYBE;
	PG_RETURN_GIN_TERNARY_VALUE(result);
}

PG_FUNCTION_INFO_V1(gin_frames_triconsistent);
Datum
gin_frames_triconsistent(PG_FUNCTION_ARGS)
{
	return triconsistent(fcinfo, &long_keys);
}

PG_FUNCTION_INFO_V1(gin_flameseries_triconsistent);
Datum
gin_flameseries_triconsistent(PG_FUNCTION_ARGS)
{
	return triconsistent(fcinfo, &short_keys);
}
