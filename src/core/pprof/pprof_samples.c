/*
 * pprof_samples.c
 *	  Samples of pprof's format, added up (see pprof_samples.h).
 *
 * Samples of one stack often stand together, so the bytes of the ids are compared with those of
 * the sample before, and only then looked up.
 */
#include "core/pprof/pprof_samples.h"

/* The first double that is too large for an int64_t. */
#define INT64_END 9223372036854775808.0

enum
{
	LOCATIONS = 1, VALUES = 2, LABEL = 3
};

bool
fg_pprof_samples_begin(FgContext *ctx, FgPprofSamples *samples)
{
	*samples = (FgPprofSamples) {.ctx = ctx, .joined = {.ctx = ctx}, .stack = FG_NONE};
	return fg_names_begin(ctx, &samples->ids);
}

void
fg_pprof_samples_free(FgPprofSamples *samples)
{
	FgContext  *ctx = samples->ctx;

	fg_names_free(&samples->ids);
	fg_release(ctx, samples->stacks);
	fg_release(ctx, samples->sums);
	fg_release(ctx, samples->added);
	fg_release(ctx, samples->added_bare);
	fg_release(ctx, samples->joined.data);
	fg_release(ctx, samples->values);
	*samples = (FgPprofSamples) {.ctx = ctx};
}

/* --- the message ------------------------------------------------------------------------ */

static bool
check_list(FgWire list)
{
	uint64_t	number;

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

static bool
take_fields(FgPprofSamples *s, FgWire *message, uint64_t *labels)
{
	s->list = (FgWire) {message->input, message->next, message->next};
	s->value_count = 0;
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

static bool
add_stack(FgPprofSamples *s, const char *ids, size_t size, uint32_t hash)
{
	size_t		count = (size_t) s->ids.count + 1;
	double	   *sums;

	if (size > FG_MAX_BYTES - s->ids.size)
		return fg_fail(s->ctx, FG_ERROR_LIMIT, "the stacks of the profile take more than %u bytes",
					   FG_MAX_BYTES);
	if (!check_list(s->list) ||
		!fg_reserve(s->ctx, (void **) &s->stacks, &s->stack_room, count, sizeof(FgPprofStack)) ||
		!fg_reserve(s->ctx, (void **) &s->sums, &s->sums_room, count * s->width + 1, sizeof(double)) ||
		!fg_names_append(&s->ids, ids, size, hash, &s->stack))
		return false;
	s->stacks[s->stack] = (FgPprofStack) {s->count, 0};
	sums = s->sums + s->stack * s->width;
	for (size_t i = 0; i < s->width; i++)
		sums[i] = 0;
	return true;
}

/* The stack of the sample. */
static bool
find_stack(FgPprofSamples *s)
{
	const char *ids = (const char *) s->list.next;
	size_t		size = (size_t) (s->list.end - s->list.next);
	const FgNames *known = &s->ids;
	uint32_t	hash;

	if (s->stack != FG_NONE && known->length[s->stack] == size &&
		memcmp(known->bytes + known->offset[s->stack], ids, size) == 0)
		return true;
	hash = fg_names_hash(known, ids, size);
	s->stack = fg_names_find(known, ids, size, hash);
	return s->stack != FG_NONE || add_stack(s, ids, size, hash);
}

/* --- values ----------------------------------------------------------------------------- */

static bool
begin_sums(FgPprofSamples *s)
{
	s->width = s->value_count;
	s->added = fg_alloc_zero(s->ctx, s->width, sizeof(uint64_t));
	s->added_bare = fg_alloc_zero(s->ctx, s->width, sizeof(uint64_t));
	return s->added != NULL && s->added_bare != NULL;
}

/* From here on samples do not count. */
static bool
find_fault(FgPprofSamples *s, FgPprofFault fault, size_t value)
{
	s->fault = fault;
	s->fault_sample = s->count;
	s->fault_value = value;
	return true;
}

static bool
add_sample(FgPprofSamples *s)
{
	uint64_t	bare = s->list.next == s->list.end;
	double	   *sums;

	if (s->count == 0 && s->value_count <= FG_PPROF_MAX_TYPES && !begin_sums(s))
		return false;
	if (s->value_count != s->width || s->value_count > FG_PPROF_MAX_TYPES)
		return find_fault(s, FG_PPROF_VALUES, s->value_count);
	if (!find_stack(s))
		return false;
	s->stacks[s->stack].samples++;
	sums = s->sums + s->stack * s->width;
	for (size_t i = 0; i < s->width; i++)
	{
		double		value = (double) s->values[i];

		if (value >= INT64_END || (int64_t) value != s->values[i])
		{
			s->inexact = s->values[i];
			return find_fault(s, FG_PPROF_INEXACT, i);
		}
		/* a sample that counts for another type only */
		if (value == 0 && s->width > 1)
			continue;
		sums[i] += value;
		s->added[i]++;
		s->added_bare[i] += bare;
	}
	return true;
}

uint64_t
fg_pprof_samples_bytes(const FgPprofSamples *s)
{
	/* of a list also its place, its length and two slots */
	return s->ids.size +
		s->ids.count * (sizeof(FgPprofStack) + s->width * sizeof(double) + 28);
}

bool
fg_pprof_samples_take(FgPprofSamples *s, FgWire *message)
{
	uint64_t	labels = 0;

	if (!take_fields(s, message, &labels))
		return false;
	if (s->fault == FG_PPROF_RIGHT)
	{
		s->labels += labels;
		if (!add_sample(s))
			return false;
		s->count++;
	}
	/* the ids of a sample that counts were checked; damage is to be found in the others, too */
	return (s->fault == FG_PPROF_RIGHT || check_list(s->list)) && fg_steps(s->ctx, s->width);
}
