/*
 * jfr_pools.c
 *	  The constants of a chunk (see jfr_pools.h).
 */
#include "core/jfr/jfr_pools.h"

#include "core/base/hash.h"

/* A text may stand in a class that stands for it, in the constants of another; no writer goes far. */
#define MAX_HOPS 8

void
fg_jfr_pools_begin(FgJfrPools *pools, FgContext *ctx)
{
	*pools = (FgJfrPools) {.ctx = ctx, .kept = {.ctx = ctx}, .texts = -1};
}

void
fg_jfr_pools_clear(FgJfrPools *pools, bool classes)
{
	for (int i = 0; i < pools->count; i++)
	{
		FgJfrPool  *pool = &pools->pools[i];

		fg_release(pools->ctx, pool->keys);
		fg_release(pools->ctx, pool->places);
		fg_release(pools->ctx, pool->slots);
		*pool = (FgJfrPool) {.class_at = pool->class_at};
	}
	pools->kept.size = 0;
	pools->constants = 0;
	if (!classes)
		return;
	pools->count = 0;
	pools->texts = -1;
}

void
fg_jfr_pools_free(FgJfrPools *pools)
{
	fg_jfr_pools_clear(pools, true);
	fg_release(pools->ctx, pools->kept.data);
	pools->kept = (FgBuffer) {.ctx = pools->ctx};
}

/* --- which are wanted ------------------------------------------------------------------- */

int
fg_jfr_pools_want(FgJfrPools *pools, uint32_t class_at)
{
	for (int i = 0; i < pools->count; i++)
	{
		if (pools->pools[i].class_at == class_at)
			return i;
	}
	if (pools->count == FG_JFR_MAX_POOLS)
	{
		fg_fail(pools->ctx, FG_ERROR_SYNTAX,
				"stacks and threads of the recording have too many classes");
		return -1;
	}
	pools->pools[pools->count] = (FgJfrPool) {.class_at = class_at};
	return pools->count++;
}

bool
fg_jfr_pools_want_text(FgJfrPools *pools, const FgJfrField *field)
{
	const FgJfrMetadata *m = pools->metadata;

	for (int hop = 0; hop < MAX_HOPS && field != NULL && field->class_at != FG_NONE; hop++)
	{
		const FgJfrClass *class = &m->classes[field->class_at];

		if (field->constant && fg_jfr_pools_want(pools, field->class_at) < 0)
			return false;
		if (class->basic == FG_JFR_STRING)
		{
			pools->texts = fg_jfr_pools_want(pools, field->class_at);
			return pools->texts >= 0;
		}
		field = class->simple && class->count > 0 ? &m->fields[class->first] : NULL;
	}
	return true;
}

static int
pool_of_class(const FgJfrPools *pools, uint32_t class_at)
{
	for (int i = 0; i < pools->count; i++)
	{
		if (pools->pools[i].class_at == class_at)
			return i;
	}
	return -1;
}

/* --- the tables --------------------------------------------------------------------------- */

static uint32_t
hash_key(const FgJfrPools *pools, const FgJfrPool *pool, uint64_t key)
{
	uint64_t	h = fg_fold_multiply(key ^ pools->ctx->seed, UINT64_C(0x9E3779B97F4A7C15));

	return (uint32_t) (h ^ h >> 32) & pool->mask;
}

/* The slot of a key, or the free one where it belongs. */
static uint32_t
slot_of(const FgJfrPools *pools, const FgJfrPool *pool, uint64_t key)
{
	uint32_t	slot = hash_key(pools, pool, key);

	while (pool->slots[slot] != 0 && pool->keys[pool->slots[slot] - 1] != key)
		slot = (slot + 1) & pool->mask;
	return slot;
}

/* Room for one more; half of the slots stay free. */
static bool
grow(FgJfrPools *pools, FgJfrPool *pool)
{
	FgContext  *ctx = pools->ctx;
	size_t		size = pool->slots == NULL ? 64 : ((size_t) pool->mask + 1) * 2;

	if (!fg_reserve(ctx, (void **) &pool->keys, &pool->key_room, (size_t) pool->count + 1,
					sizeof(uint64_t)) ||
		!fg_reserve(ctx, (void **) &pool->places, &pool->place_room, (size_t) pool->count + 1,
					sizeof(uint32_t)))
		return false;
	if (pool->slots != NULL && pool->count < size / 4)
		return true;
	fg_release(ctx, pool->slots);
	pool->slots = fg_alloc_zero(ctx, size, sizeof(uint32_t));
	if (pool->slots == NULL)
		return false;
	pool->mask = (uint32_t) (size - 1);
	for (uint32_t i = 0; i < pool->count; i++)
	{
		pool->slots[slot_of(pools, pool, pool->keys[i])] = i + 1;
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

static bool
enter(FgJfrPools *pools, FgJfrPool *pool, uint64_t key, const uint8_t *constant, size_t size)
{
	uint32_t	slot;

	if (size > FG_JFR_MAX_KEPT - pools->kept.size)
		return fg_fail(pools->ctx, FG_ERROR_LIMIT,
					   "the constants of a chunk of the recording take more than %zu bytes",
					   FG_JFR_MAX_KEPT);
	if (pools->constants++ >= FG_JFR_MAX_CONSTANTS)
		return fg_fail(pools->ctx, FG_ERROR_LIMIT,
					   "a chunk of the recording has more than %u constants", FG_JFR_MAX_CONSTANTS);
	if (!grow(pools, pool))
		return false;
	slot = slot_of(pools, pool, key);
	if (pool->slots[slot] != 0)
		return true;
	pool->keys[pool->count] = key;
	pool->places[pool->count++] = (uint32_t) pools->kept.size;
	pool->slots[slot] = pool->count;
	return fg_buffer_append(&pools->kept, constant, size);
}

/* The constants of one class in a checkpoint. */
static bool
enter_class(FgJfrPools *pools, FgJfrBytes *bytes)
{
	uint64_t	id;
	uint64_t	count;
	uint32_t	class_at;
	uint32_t	program;
	int			pool;

	if (!fg_jfr_number(bytes, &id) || !fg_jfr_count(bytes, &count))
		return false;
	class_at = fg_jfr_find_class(pools->metadata, id);
	if (class_at == FG_NONE)
		return fg_jfr_broken(bytes, "there are constants of a class that is not described");
	if (!fg_jfr_class_program(pools->metadata, class_at, &program))
		return false;
	pool = pool_of_class(pools, class_at);
	for (; count > 0; count--)
	{
		uint64_t	key;
		const uint8_t *constant;

		if (!fg_jfr_number(bytes, &key))
			return false;
		constant = bytes->next;
		if (!fg_jfr_pass(pools->metadata, program, bytes, NULL) ||
			!fg_work(pools->ctx, (size_t) (bytes->next - constant)))
			return false;
		if (pool >= 0 &&
			!enter(pools, &pools->pools[pool], key, constant, (size_t) (bytes->next - constant)))
			return false;
	}
	return true;
}

bool
fg_jfr_pools_enter(FgJfrPools *pools, FgJfrBytes *bytes)
{
	uint64_t	ignored;
	uint64_t	classes;

	/* its time, its duration, how far it is to the one before, and a byte: what kind it is */
	for (int i = 0; i < 3; i++)
	{
		if (!fg_jfr_number(bytes, &ignored))
			return false;
	}
	if (!fg_jfr_skip(bytes, 1) || !fg_jfr_count(bytes, &classes))
		return false;
	for (; classes > 0; classes--)
	{
		if (!enter_class(pools, bytes))
			return false;
	}
	return bytes->next == bytes->end ||
		fg_jfr_broken(bytes, "a list of constants is shorter than what holds it");
}

/* --- looking up ----------------------------------------------------------------------------- */

uint32_t
fg_jfr_pools_find(FgJfrPools *pools, int pool, uint64_t key)
{
	const FgJfrPool *p = pool >= 0 ? &pools->pools[pool] : NULL;
	uint32_t	number = p != NULL && p->slots != NULL ? p->slots[slot_of(pools, p, key)] : 0;

	if (number > 0)
		return number - 1;
	/* 0 is how null is written */
	pools->missing += key != 0;
	return FG_NONE;
}

FgJfrBytes
fg_jfr_pools_constant(const FgJfrPools *pools, int pool, uint32_t number)
{
	uint32_t	place = pools->pools[pool].places[number];

	return fg_jfr_bytes(pools->ctx, pools->kept.data + place, pools->kept.size - place, 0);
}

/* Goes on to the constant that a key stands for; false: it is null. */
static bool
follow(FgJfrPools *pools, uint32_t class_at, uint64_t key, FgJfrBytes *bytes)
{
	int			pool = pool_of_class(pools, class_at);
	uint32_t	number = fg_jfr_pools_find(pools, pool, key);

	if (number == FG_NONE)
		return false;
	*bytes = fg_jfr_pools_constant(pools, pool, number);
	return true;
}

bool
fg_jfr_pools_text(FgJfrPools *pools, const FgJfrField *field, const uint8_t *at, FgBuffer *buffer,
				  FgJfrText *text)
{
	const FgJfrMetadata *m = pools->metadata;
	FgJfrBytes	bytes = {.ctx = pools->ctx, .next = at, .start = at};
	FgJfrCoding coding = FG_JFR_NULL;
	uint64_t	key;

	*text = (FgJfrText) {"", 0, false};
	if (field == NULL || at == NULL)
		return true;
	bytes.end = pools->kept.data + pools->kept.size;
	for (int hop = 0; hop < MAX_HOPS && field->class_at != FG_NONE && !field->array; hop++)
	{
		const FgJfrClass *class = &m->classes[field->class_at];

		if (field->constant && coding != FG_JFR_KEY)
		{
			if (!fg_jfr_number(&bytes, &key))
				return false;
			if (!follow(pools, field->class_at, key, &bytes))
				return true;
		}
		if (class->basic == FG_JFR_STRING)
		{
			if (!fg_jfr_take_text(&bytes, buffer, text, &coding, &key))
				return false;
			if (coding != FG_JFR_KEY || !follow(pools, field->class_at, key, &bytes))
				return true;
			continue;
		}
		if (!class->simple || class->count == 0)
			return true;
		field = &m->fields[class->first];
	}
	return true;
}
