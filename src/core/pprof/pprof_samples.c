/*
 * pprof_samples.c
 *	  Samples of pprof's format, added up (see pprof_samples.h).
 *
 * Samples of one stack often stand together, so the bytes of the ids are compared with those of
 * the sample before, and only then looked up.
 *
 * A look-up waits for memory, and for longer than all else takes: the place of a list is asked for when
 * its sample comes, and read some samples later.
 */
#include "core/pprof/pprof_samples.h"

#include "core/base/ahead.h"
#include "core/base/hash.h"
#include "core/base/number.h"
#include "core/base/slots.h"

/* Ids that take no more lie together, so many bytes of them at first; others lie alone. */
#define LONG_IDS 4096
#define FIRST_IDS 65500

#define FIRST_SLOTS 256

/* New stacks and their ids lie behind each other: so many stacks, and bytes of ids, are asked for before they are written. */
#define STACKS_AHEAD 12
#define IDS_AHEAD 512

enum
{
	LOCATIONS = 1, VALUES = 2, LABEL = 3
};

bool
fg_pprof_samples_begin(FgContext *ctx, FgPprofSamples *samples)
{
	*samples = (FgPprofSamples) {
		.ctx = ctx, .joined = {.ctx = ctx}, .waiting_ids = {.ctx = ctx}, .stack = FG_NONE, .mask = FIRST_SLOTS - 1,
		.slots = fg_alloc_zero(ctx, FIRST_SLOTS, sizeof(uint64_t))
	};
	return samples->slots != NULL;
}

void
fg_pprof_samples_drop_slots(FgPprofSamples *samples)
{
	fg_release(samples->ctx, samples->slots);
	samples->slots = NULL;
}

void
fg_pprof_samples_drop_ids(FgPprofSamples *samples, size_t block)
{
	FgPprofBytes **ids = &samples->blocks[block].ids;

	while (*ids != NULL)
	{
		FgPprofBytes *next = (*ids)->next;

		fg_release(samples->ctx, *ids);
		*ids = next;
	}
}

void
fg_pprof_samples_drop_stacks(FgPprofSamples *samples)
{
	for (size_t i = 0; i < samples->block_count; i++)
	{
		fg_pprof_samples_drop_ids(samples, i);
		fg_release(samples->ctx, samples->blocks[i].stacks);
		samples->blocks[i].stacks = NULL;
	}
}

void
fg_pprof_samples_free(FgPprofSamples *samples)
{
	FgContext  *ctx = samples->ctx;

	fg_pprof_samples_drop_slots(samples);
	fg_pprof_samples_drop_stacks(samples);
	for (size_t i = 0; i < samples->block_count; i++)
		fg_release(ctx, samples->blocks[i].sums);
	fg_release(ctx, samples->added);
	fg_release(ctx, samples->added_bare);
	fg_release(ctx, samples->joined.data);
	fg_release(ctx, samples->values);
	fg_release(ctx, samples->waiting_ids.data);
	fg_release(ctx, samples->waiting_values);
	*samples = (FgPprofSamples) {.ctx = ctx};
}

/* --- the message ------------------------------------------------------------------------ */

/* Numbers that may have more bytes than one can have, or a last one that does not end. */
static inline bool
may_be_wrong(FgWire list)
{
	const uint8_t *at = list.next;

	if (at < list.end && list.end[-1] >= 0x80)
		return true;
	/* of ten in a row that go on, and behind which there is one more, four in a row are in a whole word */
	for (; list.end - at >= (ptrdiff_t) sizeof(uint64_t); at += sizeof(uint64_t))
	{
		uint64_t	word = fg_load_word(at);

		if ((word & word >> 8 & word >> 16 & word >> 24 & UINT64_C(0x8080808080)) != 0)
			return true;
	}
	return false;
}

static bool
check_list(FgWire list)
{
	uint64_t	number;

	if (!may_be_wrong(list))
		return true;
	while (fg_wire_more(&list))
	{
		if (!fg_wire_next(&list, &number))
			return false;
	}
	return true;
}

/* A joined list stands nowhere in the input, so what is wrong in it has to be found before. */
static bool
join_list(FgPprofSamples *s, const FgWire *list)
{
	return check_list(*list) &&
		fg_buffer_append(&s->joined, list->next, (size_t) (list->end - list->next));
}

/* Lists that stand one behind the other are one list. */
static bool
add_ids(FgPprofSamples *s, const FgWire *list)
{
	if (!fg_wire_more(&s->list))
	{
		s->list = *list;
		return true;
	}
	if (s->list.next != s->joined.data)
	{
		s->joined.size = 0;
		if (!join_list(s, &s->list))
			return false;
	}
	if (!join_list(s, list))
		return false;
	s->list.next = s->joined.data;
	s->list.end = s->joined.data + s->joined.size;
	return true;
}

static bool
add_values(FgPprofSamples *s, FgWire *list)
{
	if (s->values == NULL)
		s->values = fg_alloc(s->ctx, FG_PPROF_MAX_TYPES, sizeof(int64_t));
	if (s->values == NULL)
		return false;
	while (fg_wire_more(list))
	{
		uint64_t	value;

		if (!fg_wire_next(list, &value))
			return false;
		if (s->value_count < FG_PPROF_MAX_TYPES)
			s->values[s->value_count] = (int64_t) value;
		s->value_count++;
	}
	return true;
}

/* Tags of lists that are packed. */
#define TAG(field) ((field) << 3 | FG_WIRE_BYTES)

/* One list of ids and one of values, as most samples are.  false: there is something else, and nothing is taken. */
static inline bool
take_short(FgPprofSamples *s, const FgWire *message, FgWire *values)
{
	const uint8_t *ids = message->next;
	size_t		size = (size_t) (message->end - ids);
	const uint8_t *behind;

	if (size < 4 || ids[0] != TAG(LOCATIONS) || ids[1] >= 0x80 || ids[1] > size - 4)
		return false;
	behind = ids + 2 + ids[1];
	if (behind[0] != TAG(VALUES) || behind[1] >= 0x80 || message->end - behind != 2 + behind[1])
		return false;
	s->list = (FgWire) {message->input, ids + 2, behind};
	*values = (FgWire) {message->input, behind + 2, message->end};
	return true;
}

static bool
take_fields(FgPprofSamples *s, FgWire *message, uint64_t *labels)
{
	FgWire		values;

	s->value_count = 0;
	if (take_short(s, message, &values))
		return add_values(s, &values);
	s->list = (FgWire) {message->input, message->next, message->next};
	while (fg_wire_more(message))
	{
		FgWireField field;
		FgWire		list;

		if (!fg_wire_take(message, &field))
			return false;
		if (field.number == LOCATIONS || field.number == VALUES)
		{
			if (!fg_wire_list(message, &field, &list))
				return false;
			if (!(field.number == VALUES ? add_values(s, &list) : add_ids(s, &list)))
				return false;
		}
		else if (field.number == LABEL)
		{
			if (!fg_wire_inner(message, &field, &list))
				return false;
			++*labels;
		}
	}
	return true;
}

/* --- stacks ----------------------------------------------------------------------------- */

static inline bool
is_always_looked_for(uint32_t hash)
{
	return hash <= UINT32_MAX / FG_PPROF_SPARSE;
}

static inline bool
is_looked_for(const FgPprofSamples *s, uint32_t hash)
{
	return !s->sparse || is_always_looked_for(hash);
}

/*
 * Are lists found so rarely that looking for all of them is wasted?  Of few lists that come again and again there may be
 * none that is always looked for.
 */
static void
decide_what_to_look_for(FgPprofSamples *s)
{
	if (s->turn < FG_PPROF_TURN)
		return;
	s->sparse = s->told >= FG_PPROF_TURN / FG_PPROF_SPARSE / 2 && s->found <= s->told / (s->sparse ? 8 : 16);
	s->turn = s->told = s->found = 0;
}

/* The stack with these ids, FG_NONE when it is new. */
static inline uint32_t
find_stack(const FgPprofSamples *s, const uint8_t *ids, size_t size, uint32_t hash)
{
	for (uint32_t at = hash & s->mask; s->slots[at] != 0; at = (at + 1) & s->mask)
	{
		uint32_t	number = (uint32_t) s->slots[at] - 1;
		const FgPprofStack *stack;

		if ((uint32_t) (s->slots[at] >> 32) != hash)
			continue;
		stack = fg_pprof_stack(s, number);
		if (stack->size == size && memcmp(stack->ids, ids, size) == 0)
			return number;
	}
	return FG_NONE;
}

static FgPprofBytes *
add_ids_room(FgPprofSamples *s, size_t size)
{
	FgPprofBlock *block = &s->blocks[s->block_count - 1];
	FgPprofBytes *room = fg_alloc(s->ctx, 1, sizeof(FgPprofBytes) + size);

	if (room == NULL)
		return NULL;
	room->next = block->ids;
	block->ids = room;
	return room;
}

/*
 * A copy that stays; NULL: there is no memory.  A block gets as much room as the ids of all before it have taken, as it
 * has room for as many stacks.
 */
static const uint8_t *
keep_ids(FgPprofSamples *s, const uint8_t *ids, size_t size)
{
	uint8_t    *to;

	if (size >= s->ids_left)
	{
		bool		alone = size > LONG_IDS;
		size_t		room_size = alone ? size : s->ids_size > FIRST_IDS ? (size_t) s->ids_size : FIRST_IDS;
		FgPprofBytes *room = add_ids_room(s, room_size);

		if (room == NULL)
			return NULL;
		if (alone)
			return memcpy(room->bytes, ids, size);
		s->ids_next = room->bytes;
		s->ids_left = room_size;
	}
	to = s->ids_next;
	fg_ask_ahead_to_write(to, IDS_AHEAD);
	s->ids_next += size;
	s->ids_left -= size;
	return memcpy(to, ids, size);
}

static bool
add_block(FgPprofSamples *s)
{
	FgPprofBlock *block = &s->blocks[s->block_count];
	size_t		room = (size_t) FG_PPROF_FIRST << s->block_count;

	block->stacks = fg_alloc(s->ctx, room, sizeof(FgPprofStack));
	if (block->stacks == NULL)
		return false;
	s->block_count++;
	s->ids_left = 0;
	block->sums = fg_alloc(s->ctx, room * s->width, sizeof(double));
	return block->sums != NULL;
}

static bool
add_stack(FgPprofSamples *s, const uint8_t *ids, const FgPprofWaiting *waiting)
{
	FgPprofStack stack = {.first = waiting->number, .size = waiting->size};
	uint32_t	at;

	if (waiting->size > FG_MAX_BYTES - s->ids_size)
		return fg_fail(s->ctx, FG_ERROR_LIMIT, "the stacks of the profile take more than %u bytes",
					   FG_MAX_BYTES);
	/* a third of the slots stays free */
	if (s->slots_taken >= s->mask / 3 * 2 && !fg_slots_grow(s->ctx, &s->slots, &s->mask))
		return false;
	fg_pprof_block(s->stacks, &at);
	if (at == 0 && !add_block(s))
		return false;
	stack.ids = keep_ids(s, ids, stack.size);
	if (stack.ids == NULL)
		return false;
	s->stack = s->stacks++;
	*fg_pprof_stack(s, s->stack) = stack;
	fg_ask_ahead_to_write(fg_pprof_stack(s, s->stack), STACKS_AHEAD * sizeof(FgPprofStack));
	memset(fg_pprof_sums(s, s->stack), 0, s->width * sizeof(double));
	s->ids_size += stack.size;
	if (is_looked_for(s, waiting->hash))
	{
		fg_slots_put(s->slots, s->mask, (uint64_t) waiting->hash << 32 | s->stacks);
		s->slots_taken++;
	}
	return true;
}

/* The values of a sample that has waited, to those of its stack. */
static void
add_values_to(FgPprofSamples *s, const FgPprofWaiting *waiting, const double *values)
{
	double	   *sums = fg_pprof_sums(s, s->stack);

	fg_pprof_stack(s, s->stack)->samples++;
	for (size_t i = 0; i < s->width; i++)
	{
		/* a sample that counts for another type only */
		if (values[i] == 0 && s->width > 1)
			continue;
		sums[i] += values[i];
		s->added[i]++;
		s->added_bare[i] += waiting->size == 0;
	}
}

/* The stack of a list that is not that of the sample before. */
static inline bool
choose_stack(FgPprofSamples *s, const uint8_t *ids, const FgPprofWaiting *waiting)
{
	bool		tells = is_always_looked_for(waiting->hash);

	s->stack = is_looked_for(s, waiting->hash) ? find_stack(s, ids, waiting->size, waiting->hash) : FG_NONE;
	s->turn++;
	s->told += tells;
	s->found += tells && s->stack != FG_NONE;
	return s->stack != FG_NONE || add_stack(s, ids, waiting);
}

bool
fg_pprof_samples_finish(FgPprofSamples *s)
{
	for (size_t i = 0; i < s->waiting_count; i++)
	{
		const FgPprofWaiting *waiting = &s->waiting[i];

		if (!waiting->again && !choose_stack(s, s->waiting_ids.data + waiting->start, waiting))
			return false;
		add_values_to(s, waiting, s->waiting_values + i * s->width);
	}
	s->waiting_count = s->waiting_ids.size = 0;
	decide_what_to_look_for(s);
	return true;
}

/* The list of the sample before, of "size" bytes; NULL: it has another size. */
static inline const uint8_t *
list_before(const FgPprofSamples *s, size_t size)
{
	const FgPprofStack *stack;

	if (s->waiting_count > 0)
		return s->waiting[s->waiting_count - 1].size == size
			? s->waiting_ids.data + s->waiting[s->waiting_count - 1].start : NULL;
	stack = s->stack != FG_NONE ? fg_pprof_stack(s, s->stack) : NULL;
	return stack != NULL && stack->size == size ? stack->ids : NULL;
}

/* Is it that of this sample? */
static inline bool
is_again(const FgPprofSamples *s, size_t size)
{
	const uint8_t *before = list_before(s, size);

	/* others mostly differ in their innermost frames */
	if (before == NULL || (size >= sizeof(uint64_t) && fg_load_word(before) != fg_load_word(s->list.next)))
		return false;
	return memcmp(before, s->list.next, size) == 0;
}

/* Where few lists are looked for, there is nothing to wait for. */
static bool
add_at_once(FgPprofSamples *s)
{
	FgPprofWaiting sample = {.number = s->count, .size = (size_t) (s->list.end - s->list.next)};

	if (!is_again(s, sample.size))
	{
		if (!check_list(s->list))
			return false;
		sample.hash = fg_hash_bytes(s->ctx->seed, s->list.next, sample.size);
		if (!choose_stack(s, s->list.next, &sample))
			return false;
	}
	add_values_to(s, &sample, s->waiting_values);
	decide_what_to_look_for(s);
	return true;
}

/* The sample waits, with its values. */
static bool
wait_for_stack(FgPprofSamples *s)
{
	size_t		size = (size_t) (s->list.end - s->list.next);
	bool		again = is_again(s, size);
	size_t		start = again && s->waiting_count > 0 ? s->waiting[s->waiting_count - 1].start : s->waiting_ids.size;
	uint32_t	hash = 0;

	/* a byte more, so that an empty list has a place */
	if (start == s->waiting_ids.size && (!fg_buffer_room(&s->waiting_ids, size + 1) ||
										 !fg_buffer_append(&s->waiting_ids, s->list.next, size)))
		return false;
	if (!again)
	{
		if (!check_list(s->list))
			return false;
		hash = fg_hash_bytes(s->ctx->seed, s->list.next, size);
		__builtin_prefetch(&s->slots[hash & s->mask]);
	}
	s->waiting[s->waiting_count++] = (FgPprofWaiting) {
		.number = s->count, .start = start, .size = size, .hash = hash, .again = again
	};
	return (s->waiting_count < FG_PPROF_WAITING && s->waiting_ids.size < FG_PPROF_WAITING_BYTES) ||
		fg_pprof_samples_finish(s);
}

/* --- values ----------------------------------------------------------------------------- */

static bool
begin_sums(FgPprofSamples *s)
{
	s->width = s->value_count;
	s->added = fg_alloc_zero(s->ctx, s->width, sizeof(uint64_t));
	s->added_bare = fg_alloc_zero(s->ctx, s->width, sizeof(uint64_t));
	s->waiting_values = fg_alloc(s->ctx, s->width * FG_PPROF_WAITING, sizeof(double));
	return s->added != NULL && s->added_bare != NULL && s->waiting_values != NULL;
}

static bool
add_sample(FgPprofSamples *s)
{
	double	   *values;

	if (s->count == 0 && s->value_count <= FG_PPROF_MAX_TYPES && !begin_sums(s))
		return false;
	if (s->value_count != s->width || s->value_count > FG_PPROF_MAX_TYPES)
	{
		/* from here on samples do not count */
		s->has_fault = true;
		s->fault_sample = s->count;
		s->fault_values = s->value_count;
		return true;
	}
	values = s->waiting_values + s->waiting_count * s->width;
	for (size_t i = 0; i < s->width; i++)
		values[i] = fg_number_of(s->ctx, s->values[i]);
	return s->sparse ? add_at_once(s) : wait_for_stack(s);
}

uint64_t
fg_pprof_samples_bytes(const FgPprofSamples *s)
{
	/* and its slots */
	return s->ids_size + s->stacks * (sizeof(FgPprofStack) + s->width * sizeof(double) + 24);
}

bool
fg_pprof_samples_take(FgPprofSamples *s, FgWire *message)
{
	uint64_t	labels = 0;

	if (!take_fields(s, message, &labels))
		return false;
	if (!s->has_fault)
	{
		s->labels += labels;
		if (!add_sample(s))
			return false;
		s->count++;
	}
	/* the ids of a sample that counts were checked; damage is to be found in the others, too */
	return (!s->has_fault || check_list(s->list)) && fg_steps(s->ctx, s->width);
}
