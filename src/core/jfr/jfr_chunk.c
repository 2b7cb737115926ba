/*
 * jfr_chunk.c
 *	  From the events and constants of a chunk to samples (see jfr_chunk.h).
 */
#include "core/jfr/jfr_chunk.h"

#include <math.h>

/* Marks of an event. */
enum
{
	START, TICKS, VALUE, STACK, SAMPLED_THREAD, EVENT_THREAD, FIELDS
};

/* --- life --------------------------------------------------------------------------------- */

void
fg_jfr_chunk_create(FgJfrChunk *chunk, FgSink *sink)
{
	const FgReadOptions *options = fg_sink_options(sink);

	*chunk = (FgJfrChunk) {
		.ctx = fg_sink_context(sink),
		.sink = sink,
		.counting = fg_jfr_counting(options),
		.threads = options->threads,
		.timed = fg_sink_is_timed(sink)
	};
	fg_jfr_stacks_begin(&chunk->stacks, sink);
}

static void
forget_places(FgJfrChunk *chunk)
{
	if (chunk->lanes.ctx != NULL)
		fg_pairs_free(&chunk->lanes);
	if (chunk->stands.ctx != NULL)
		fg_pairs_free(&chunk->stands);
	chunk->lanes = chunk->stands = (FgPairs) {.ctx = NULL};
}

void
fg_jfr_chunk_free(FgJfrChunk *chunk)
{
	forget_places(chunk);
	fg_jfr_stacks_free(&chunk->stacks);
	fg_jfr_metadata_free(&chunk->metadata);
	fg_release(chunk->ctx, chunk->events);
	fg_release(chunk->ctx, chunk->places);
}

void
fg_jfr_chunk_begin(FgJfrChunk *chunk, const FgJfrClock *clock)
{
	chunk->clock = *clock;
	chunk->event_count = 0;
	fg_jfr_stacks_clear(&chunk->stacks);
}

/* --- types of events ------------------------------------------------------------------------ */

static bool
is_whole_number(const FgJfrMetadata *m, const FgJfrField *field)
{
	FgJfrBasic	basic;

	if (field == NULL || field->class_at == FG_NONE || field->constant || field->array)
		return false;
	basic = m->classes[field->class_at].basic;
	return basic >= FG_JFR_SHORT && basic <= FG_JFR_LONG;
}

static double
tick_of(const FgJfrField *field)
{
	static const struct
	{
		const char *name;
		double		nanoseconds;
	}			units[] = {
		{"TICKS", 0}, {"NANOSECONDS", 1}, {"MICROSECONDS", 1e3}, {"MILLISECONDS", 1e6},
		{"SECONDS", 1e9}
	};

	for (size_t i = 0; field != NULL && i < sizeof(units) / sizeof(units[0]); i++)
	{
		if (fg_jfr_text_is(field->span, units[i].name))
			return units[i].nanoseconds;
	}
	return NAN;
}

static bool
add_plan(FgJfrChunk *chunk, uint32_t class_at, const FgJfrType *type)
{
	FgJfrMetadata *m = &chunk->metadata;
	const char *names[FIELDS] = {
		[START] = "startTime", [TICKS] = "duration", [STACK] = "stackTrace",
		[SAMPLED_THREAD] = "sampledThread", [EVENT_THREAD] = "eventThread"
	};
	FgJfrPlan  *plan;

	if (chunk->plan_count == FG_JFR_MAX_PLANS)
		return fg_fail(chunk->ctx, FG_ERROR_LIMIT,
					   "the recording describes the same events again and again");
	if (type->measure != FG_JFR_ONE && type->measure != FG_JFR_DURATION)
		names[VALUE] = fg_jfr_measure_fields[type->measure];
	plan = &chunk->plans[chunk->plan_count];
	*plan = (FgJfrPlan) {.type = type, .class_at = class_at};
	for (int i = 0; i < FIELDS; i++)
	{
		if (names[i] != NULL)
			plan->field[i] = fg_jfr_find_field(m, class_at, names[i]);
	}
	plan->has_start = is_whole_number(m, plan->field[START]);
	plan->has_duration = is_whole_number(m, plan->field[TICKS]);
	plan->tick = plan->has_duration ? tick_of(plan->field[TICKS]) : NAN;
	m->classes[class_at].plan = chunk->plan_count++;
	for (int i = STACK; i < FIELDS; i++)
	{
		if (plan->field[i] != NULL &&
			!(i == STACK ? fg_jfr_stacks_want(&chunk->stacks, plan->field[i])
			  : fg_jfr_stacks_want_thread(&chunk->stacks, plan->field[i])))
			return false;
	}
	return fg_jfr_program(m, class_at, names, FIELDS, &plan->program);
}

bool
fg_jfr_chunk_describe(FgJfrChunk *chunk, FgJfrBytes *bytes)
{
	FgJfrMetadata *m = &chunk->metadata;

	fg_jfr_metadata_free(m);
	chunk->plan_count = 0;
	if (!fg_jfr_metadata_read(chunk->ctx, m, bytes))
		return false;
	fg_jfr_stacks_described(&chunk->stacks, m);
	for (uint32_t i = 0; i < m->class_count; i++)
	{
		const FgJfrType *type = m->classes[i].name.there
			? fg_jfr_type(m->classes[i].name.bytes, m->classes[i].name.length) : NULL;

		if (type != NULL && m->classes[i].count > 0 && !add_plan(chunk, i, type))
			return false;
		if (!fg_check_every(chunk->ctx, i))
			return false;
	}
	return true;
}

/* --- events --------------------------------------------------------------------------------- */

/* The number at a mark, 0 where there is none. */
static inline uint64_t
number_at(const FgJfrBytes *bytes, const uint8_t *mark)
{
	FgJfrBytes	at = {.next = mark, .end = bytes->end};
	uint64_t	number = 0;

	return mark != NULL && fg_jfr_take_number(&at, &number) ? number : 0;
}

static double
nanoseconds_of(const FgJfrChunk *chunk, const FgJfrPlan *plan, int64_t ticks)
{
	double		nanoseconds = plan->tick == 0 ? trunc((double) ticks / chunk->clock.ticks)
		: (double) ticks * plan->tick;

	return nanoseconds >= 0 && nanoseconds <= (double) FG_JFR_LONGEST ? nanoseconds : NAN;
}

static bool
take_value(FgJfrChunk *chunk, const FgJfrPlan *plan, const FgJfrBytes *bytes, const uint8_t *mark,
		   FgJfrEvent *event)
{
	FgJfrMeasure measure = plan->type->measure;
	FgJfrBytes	at = *bytes;

	event->value = 1;
	if (measure == FG_JFR_ONE)
		return true;
	if (measure == FG_JFR_DURATION)
	{
		event->value = nanoseconds_of(chunk, plan, event->duration);
		if (!isnan(event->value))
			return true;
		return fg_jfr_broken(bytes, plan->field[TICKS] == NULL ? "an event before has no duration"
							 : "the duration of an event before is not one");
	}
	at.next = mark;
	if (mark != NULL &&
		fg_jfr_field_number(&chunk->metadata, plan->field[VALUE], &at, &event->value))
		return true;
	return fg_fail(chunk->ctx, FG_ERROR_SYNTAX, "an event %s has no %s", plan->type->name,
				   fg_jfr_measure_fields[measure]);
}

/* Of two threads the one that is written last, unless it is null. */
static uint64_t
take_thread(const FgJfrBytes *bytes, const uint8_t *const *marks)
{
	bool		later = marks[EVENT_THREAD] > marks[SAMPLED_THREAD];
	uint64_t	key = number_at(bytes, marks[later ? EVENT_THREAD : SAMPLED_THREAD]);

	return key != 0 ? key : number_at(bytes, marks[later ? SAMPLED_THREAD : EVENT_THREAD]);
}

bool
fg_jfr_chunk_event(FgJfrChunk *chunk, uint64_t type, FgJfrBytes *bytes)
{
	uint32_t	class_at = fg_jfr_find_class(&chunk->metadata, type);
	uint32_t	number = class_at == FG_NONE ? FG_NONE : chunk->metadata.classes[class_at].plan;
	const uint8_t *marks[FG_JFR_MARKS];
	const FgJfrPlan *plan;
	FgJfrEvent	event = {.plan = number};

	if (number == FG_NONE)
	{
		fg_sink_noted(chunk->sink)->comments++;
		return true;
	}
	plan = &chunk->plans[number];
	if (!fg_jfr_pass(&chunk->metadata, plan->program, bytes, marks))
		return false;
	if (chunk->event_count >= FG_JFR_MAX_EVENTS)
		return fg_fail(chunk->ctx, FG_ERROR_LIMIT,
					   "a chunk of the recording has more than %u events", FG_JFR_MAX_EVENTS);
	if (plan->has_start)
		event.start = (int64_t) number_at(bytes, marks[START]);
	else if (chunk->timed)
		return fg_fail(chunk->ctx, FG_ERROR_SYNTAX, "an event %s has no start time",
					   plan->type->name);
	if (plan->has_duration)
		event.duration = (int64_t) number_at(bytes, marks[TICKS]);
	event.stack = number_at(bytes, marks[STACK]);
	event.thread = take_thread(bytes, marks);
	if (!take_value(chunk, plan, bytes, marks[VALUE], &event) ||
		!fg_reserve(chunk->ctx, (void **) &chunk->events, &chunk->event_room,
					chunk->event_count + 1, sizeof(FgJfrEvent)))
		return false;
	chunk->events[chunk->event_count++] = event;
	return true;
}

bool
fg_jfr_chunk_checkpoint(FgJfrChunk *chunk, FgJfrBytes *bytes)
{
	return fg_jfr_pools_enter(&chunk->stacks.pools, bytes);
}

/* --- order --------------------------------------------------------------------------------------- */

typedef struct Ended
{
	uint64_t	ticks;
	uint32_t	event;
} Ended;

#define DIGIT_BITS 11
#define DIGITS (1 << DIGIT_BITS)

/* One pass of a sort by digits, which keeps the order of equal ones. */
static bool
sort_by_digit(FgContext *ctx, const Ended *from, Ended *to, size_t count, unsigned shift)
{
	size_t		first[DIGITS] = {0};
	size_t		total = 0;

	for (size_t i = 0; i < count; i++)
		first[from[i].ticks >> shift & (DIGITS - 1)]++;
	for (size_t d = 0; d < DIGITS; d++)
	{
		size_t		here = first[d];

		first[d] = total;
		total += here;
	}
	for (size_t i = 0; i < count; i++)
	{
		to[first[from[i].ticks >> shift & (DIGITS - 1)]++] = from[i];
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

/* The ends of all events; *span: the largest, *sorted: they are in order. */
static bool
take_ends(const FgJfrChunk *chunk, Ended *ends, uint64_t *span, bool *sorted)
{
	uint64_t	least = UINT64_MAX;

	*span = 0;
	*sorted = true;
	for (size_t i = 0; i < chunk->event_count; i++)
	{
		const FgJfrEvent *event = &chunk->events[i];
		/* as unsigned numbers in the order of signed ones, which wrap around as in Java */
		uint64_t	end = ((uint64_t) event->start + (uint64_t) event->duration) ^ UINT64_C(1) << 63;

		*sorted = *sorted && (i == 0 || ends[i - 1].ticks <= end);
		ends[i] = (Ended) {end, (uint32_t) i};
		least = end < least ? end : least;
		if (!fg_check_every(chunk->ctx, i))
			return false;
	}
	for (size_t i = 0; i < chunk->event_count; i++)
	{
		ends[i].ticks -= least;
		*span = ends[i].ticks > *span ? ends[i].ticks : *span;
		if (!fg_check_every(chunk->ctx, i))
			return false;
	}
	return true;
}

/* Two lists; *order becomes the one that has the events in the order of their ends. */
static bool
order_events(FgJfrChunk *chunk, Ended *lists[2], Ended **order)
{
	uint64_t	span;
	bool		sorted;

	*order = lists[0];
	if (!take_ends(chunk, lists[0], &span, &sorted) || sorted)
		return sorted;
	lists[1] = fg_alloc(chunk->ctx, chunk->event_count, sizeof(Ended));
	if (lists[1] == NULL)
		return false;
	for (unsigned shift = 0; shift < 64 && span >> shift > 0; shift += DIGIT_BITS)
	{
		Ended	   *to = *order == lists[0] ? lists[1] : lists[0];

		if (!sort_by_digit(chunk->ctx, *order, to, chunk->event_count, shift))
			return false;
		*order = to;
	}
	return true;
}

/* --- samples -------------------------------------------------------------------------------------- */

/* An event has a duration, or (a sample) lasts until the next of its thread. */
static bool
set_time(FgJfrChunk *chunk, const FgJfrPlan *plan, const FgJfrEvent *event)
{
	const FgJfrClock *clock = &chunk->clock;
	int64_t		since = (int64_t) ((uint64_t) event->start - (uint64_t) clock->start_ticks);
	double		after = trunc((double) since / clock->ticks);
	double		duration = nanoseconds_of(chunk, plan, event->duration);
	int64_t		time = clock->start;

	/* so that no sum overflows: 73 years are between the first and the last */
	if (!(fabs(after) < 0x1p61) || !fg_jfr_is_instant(time) ||
		(time > 0 && after > (double) (INT64_MAX - time)))
		return fg_fail(chunk->ctx, FG_ERROR_SYNTAX, "the start time of an event %s is not one",
					   plan->type->name);
	time += (int64_t) after;
	if (!fg_jfr_is_instant(time))
		return fg_fail(chunk->ctx, FG_ERROR_SYNTAX, "the start time of an event %s is not one",
					   plan->type->name);
	if (!chunk->has_zero)
		chunk->zero = time;
	chunk->has_zero = true;
	time -= chunk->zero;
	if (isnan(duration))
		fg_sink_time_until_next(chunk->sink, (double) time, 0);
	else
		fg_sink_time(chunk->sink, (double) time, (double) time + duration);
	return true;
}

static bool
set_thread(FgJfrChunk *chunk, const FgJfrEvent *event)
{
	FgJfrText	name;

	if (!chunk->threads && !chunk->timed)
		return true;
	return fg_jfr_stacks_thread(&chunk->stacks, event->thread, &name) &&
		(!chunk->threads || fg_sink_thread(chunk->sink, name.bytes, name.length)) &&
		(!chunk->timed || name.length == 0 || fg_sink_lane(chunk->sink, name.bytes, name.length));
}

/* The stack of an event as one sample. */
static bool
add_sample(FgJfrChunk *chunk, const FgJfrPlan *plan, const FgJfrEvent *event, bool *truncated)
{
	return fg_jfr_stacks_collect(&chunk->stacks, event->stack, truncated) &&
		set_thread(chunk, event) &&
		fg_sink_sample(chunk->sink, plan->profile, FG_LEAF_FIRST, *truncated, event->value);
}

/* The first of those that go to a place. */
static bool
add_first(FgJfrChunk *chunk, const FgJfrPlan *plan, const FgJfrEvent *event, FgStackPlace *place)
{
	FgJfrText	name = {"", 0, false};
	bool		truncated;

	if (fg_jfr_stacks_are_plain(&chunk->stacks))
		return (!chunk->threads || fg_jfr_stacks_thread(&chunk->stacks, event->thread, &name)) &&
			fg_jfr_stacks_place(&chunk->stacks, event->stack, chunk->threads ? &name : NULL,
								plan->profile, place) &&
			fg_sink_sample_at(chunk->sink, place, event->value);
	if (!add_sample(chunk, plan, event, &truncated))
		return false;
	*place = fg_sink_place(chunk->sink, plan->profile, truncated);
	return true;
}

/* Does it go to the place of the event before?  Samples of a thread that runs often do. */
static bool
is_again(const FgJfrChunk *chunk, const FgJfrEvent *event)
{
	const FgJfrEvent *before = chunk->before;

	return before != NULL && before->stack == event->stack && before->plan == event->plan &&
		(!chunk->threads || before->thread == event->thread);
}

/* The same where it may have been added before. */
static bool
add_to_profile(FgJfrChunk *chunk, const FgJfrPlan *plan, const FgJfrEvent *event)
{
	FgJfrPools *pools = &chunk->stacks.pools;
	uint32_t	known = chunk->stands.count;
	uint32_t	stack;
	uint32_t	thread;
	uint32_t	lane;

	if (is_again(chunk, event))
		return fg_sink_sample_at(chunk->sink, &chunk->places[chunk->stand], event->value);
	stack = fg_jfr_pools_find(pools, chunk->stacks.stack.pool, event->stack);
	thread = chunk->threads
		? fg_jfr_pools_find(pools, chunk->stacks.thread.pool, event->thread) : FG_NONE;
	if (!fg_pairs_add(&chunk->lanes, thread, plan->profile, &lane) ||
		!fg_pairs_add(&chunk->stands, stack, lane, &chunk->stand))
		return false;
	chunk->before = event;
	if (chunk->stand < known)
		return fg_sink_sample_at(chunk->sink, &chunk->places[chunk->stand], event->value);
	return fg_reserve(chunk->ctx, (void **) &chunk->places, &chunk->place_room,
					  (size_t) chunk->stand + 1, sizeof(FgStackPlace)) &&
		add_first(chunk, plan, event, &chunk->places[chunk->stand]);
}

static bool
add_event(FgJfrChunk *chunk, const FgJfrEvent *event)
{
	FgJfrPlan  *plan = &chunk->plans[event->plan];
	FgKind		kind;
	bool		truncated;

	if (fg_jfr_counted_otherwise(&chunk->counting, plan->type))
	{
		fg_sink_noted(chunk->sink)->other_events++;
		return true;
	}
	if (!plan->asked)
	{
		kind = fg_jfr_kind(&chunk->counting, plan->type);
		if (!fg_sink_profile(chunk->sink, &kind, &plan->profile))
			return false;
		plan->asked = true;
	}
	if (chunk->timed && !set_time(chunk, plan, event))
		return false;
	if (plan->profile == FG_UNWANTED)
		return fg_sink_sample(chunk->sink, FG_UNWANTED, FG_LEAF_FIRST, false, event->value);
	return chunk->timed ? add_sample(chunk, plan, event, &truncated)
		: add_to_profile(chunk, plan, event);
}

static bool
add_events(FgJfrChunk *chunk)
{
	Ended	   *lists[2] = {NULL, NULL};
	Ended	   *order;
	bool		ok;

	lists[0] = fg_alloc(chunk->ctx, chunk->event_count, sizeof(Ended));
	ok = lists[0] != NULL && order_events(chunk, lists, &order);
	for (size_t i = 0; ok && i < chunk->event_count; i++)
		ok = fg_work(chunk->ctx, 0) && add_event(chunk, &chunk->events[order[i].event]);
	fg_release(chunk->ctx, lists[0]);
	fg_release(chunk->ctx, lists[1]);
	return ok;
}

bool
fg_jfr_chunk_finish(FgJfrChunk *chunk)
{
	FgNoted    *noted = fg_sink_noted(chunk->sink);
	bool		ok;

	chunk->before = NULL;
	ok = fg_pairs_begin(chunk->ctx, &chunk->lanes) &&
		fg_pairs_begin(chunk->ctx, &chunk->stands) && add_events(chunk);

	forget_places(chunk);
	if (!ok)
		return false;
	if (chunk->stacks.pools.missing > 0)
	{
		noted->warning = "some stacks, methods or threads are not in the recording";
		noted->hint = "They count as null, as in jfr print; the recording is damaged, or the JVM "
			"has lost them.";
	}
	return true;
}
