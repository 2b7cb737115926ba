/*
 * jfr_chunk.c
 *	  From the events and constants of a chunk to samples (see jfr_chunk.h).
 */
#include "core/jfr/jfr_chunk.h"

#include "core/base/number.h"

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
		.timed = fg_sink_is_timed(sink),
		.by_thread = options->threads || fg_sink_is_timed(sink)
	};
	fg_jfr_stacks_begin(&chunk->stacks, sink);
}

static void
forget_groups(FgJfrChunk *chunk)
{
	FgPairs    *tables[] = {&chunk->keys, &chunk->lanes, &chunk->stands};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
	{
		if (tables[i]->ctx != NULL)
			fg_pairs_free(tables[i]);
		*tables[i] = (FgPairs) {.ctx = NULL};
	}
}

void
fg_jfr_chunk_free(FgJfrChunk *chunk)
{
	forget_groups(chunk);
	fg_jfr_stacks_free(&chunk->stacks);
	fg_jfr_metadata_free(&chunk->metadata);
	fg_release(chunk->ctx, chunk->groups);
	fg_release(chunk->ctx, chunk->events);
}

bool
fg_jfr_chunk_begin(FgJfrChunk *chunk, const FgJfrClock *clock)
{
	chunk->clock = *clock;
	chunk->count = 0;
	chunk->event_count = 0;
	chunk->group = FG_NONE;
	fg_jfr_stacks_clear(&chunk->stacks);
	forget_groups(chunk);
	return fg_pairs_begin(chunk->ctx, &chunk->keys) && fg_pairs_begin(chunk->ctx, &chunk->lanes) &&
		fg_pairs_begin(chunk->ctx, &chunk->stands);
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
	plan->value_tick = tick_of(plan->field[VALUE]);
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

static double
nanoseconds_of(const FgJfrChunk *chunk, double tick, double ticks)
{
	double		nanoseconds = tick == 0 ? trunc(ticks / chunk->clock.ticks) : ticks * tick;

	return nanoseconds >= 0 && nanoseconds <= (double) FG_JFR_LONGEST ? nanoseconds : NAN;
}

/* What is read of an event. */
typedef struct Event
{
	int64_t		start;			/* ticks */
	int64_t		duration;
	double		value;
	uint64_t	stack;
	uint64_t	thread;
	uint32_t	plan;
} Event;

static bool
take_value(FgJfrChunk *chunk, const FgJfrPlan *plan, const FgJfrBytes *bytes, const uint8_t *mark,
		   Event *event)
{
	FgJfrMeasure measure = plan->type->measure;
	FgJfrBytes	at = *bytes;

	event->value = 1;
	if (measure == FG_JFR_ONE)
		return true;
	if (measure == FG_JFR_DURATION)
	{
		event->value = nanoseconds_of(chunk, plan->tick, fg_number_of(chunk->ctx, event->duration));
		if (!isnan(event->value))
			return true;
		return fg_jfr_broken(bytes, plan->field[TICKS] == NULL ? "an event before has no duration"
							 : "the duration of an event before is not one");
	}
	at.next = mark;
	if (mark != NULL &&
		fg_jfr_field_number(&chunk->metadata, plan->field[VALUE], &at, &event->value))
	{
		if (measure == FG_JFR_SAMPLING_PERIOD)
			event->value = nanoseconds_of(chunk, plan->value_tick, event->value);
		return !isnan(event->value) ||
			fg_jfr_broken(bytes, "the sampling period of an event before is no span of time");
	}
	return fg_fail(chunk->ctx, FG_ERROR_SYNTAX, "an event %s has no %s", plan->type->name,
				   fg_jfr_measure_fields[measure]);
}

/* Of two threads the one that is written last, unless it is null. */
static uint64_t
take_thread(const FgJfrMarked *marked)
{
	bool		later = marked->place[EVENT_THREAD] > marked->place[SAMPLED_THREAD];
	uint64_t	key = marked->number[later ? EVENT_THREAD : SAMPLED_THREAD];

	return key != 0 ? key : marked->number[later ? SAMPLED_THREAD : EVENT_THREAD];
}

/* The number of the group of an event, which is made when it is new. */
static bool
find_group(FgJfrChunk *chunk, const Event *event, uint32_t *group)
{
	const FgJfrGroup *before = chunk->group != FG_NONE ? &chunk->groups[chunk->group] : NULL;
	uint64_t	thread = chunk->by_thread ? event->thread : 0;
	uint32_t	known = chunk->stands.count;
	uint32_t	key;
	uint32_t	lane = event->plan;

	*group = chunk->group;
	/* samples of a thread that runs often have the same stack */
	if (before != NULL && before->stack == event->stack && before->plan == event->plan && before->thread == thread)
		return true;
	if (chunk->by_thread &&
		(!fg_pairs_add(&chunk->keys, (uint32_t) (thread >> 32), (uint32_t) thread, &key) ||
		 !fg_pairs_add(&chunk->lanes, key, event->plan, &lane)))
		return false;
	if (!fg_pairs_add(&chunk->keys, (uint32_t) (event->stack >> 32), (uint32_t) event->stack, &key) ||
		!fg_pairs_add(&chunk->stands, key, lane, group))
		return false;
	chunk->group = *group;
	if (*group < known)
		return true;
	if (known >= FG_JFR_MAX_EVENTS)
		return fg_fail(chunk->ctx, FG_ERROR_LIMIT,
					   "the events of a chunk of the recording have more than %u stacks", FG_JFR_MAX_EVENTS);
	if (!fg_reserve(chunk->ctx, (void **) &chunk->groups, &chunk->group_room, (size_t) known + 1, sizeof(FgJfrGroup)))
		return false;
	chunk->groups[known] = (FgJfrGroup) {.stack = event->stack, .thread = thread, .plan = event->plan};
	return true;
}

static bool
keep_event(FgJfrChunk *chunk, const Event *event, uint32_t group)
{
	if (chunk->event_count >= FG_JFR_MAX_EVENTS)
		return fg_fail(chunk->ctx, FG_ERROR_LIMIT,
					   "a chunk of the recording has more than %u events", FG_JFR_MAX_EVENTS);
	if (!fg_reserve(chunk->ctx, (void **) &chunk->events, &chunk->event_room,
					chunk->event_count + 1, sizeof(FgJfrEvent)))
		return false;
	chunk->events[chunk->event_count++] = (FgJfrEvent) {event->start, event->duration, event->value, group};
	return true;
}

/* When an event ended, as unsigned numbers in the order of signed ones, which wrap around as in Java. */
static uint64_t
end_of(int64_t start, int64_t duration)
{
	return ((uint64_t) start + (uint64_t) duration) ^ UINT64_C(1) << 63;
}

/* Adds an event to its group, and to what is known of its type. */
static bool
add_to_group(FgJfrChunk *chunk, FgJfrPlan *plan, const Event *event)
{
	uint64_t	end = end_of(event->start, event->duration);
	uint32_t	group;

	if (plan->weights.count == 0 || end < plan->first_end)
	{
		plan->first_end = end;
		plan->first = chunk->count;
	}
	chunk->count++;
	if (!find_group(chunk, event, &group))
		return false;
	fg_sum_add(&chunk->groups[group].sum, &plan->weights, event->value);
	return !chunk->timed || keep_event(chunk, event, group);
}

bool
fg_jfr_chunk_event(FgJfrChunk *chunk, uint64_t type, FgJfrBytes *bytes)
{
	uint32_t	class_at = fg_jfr_find_class(&chunk->metadata, type);
	uint32_t	number = class_at == FG_NONE ? FG_NONE : chunk->metadata.classes[class_at].plan;
	FgJfrMarked marked;
	FgJfrPlan  *plan;
	Event		event = {.plan = number};

	if (number == FG_NONE)
	{
		fg_sink_noted(chunk->sink)->comments++;
		return true;
	}
	plan = &chunk->plans[number];
	if (!fg_jfr_take(&chunk->metadata, plan->program, bytes, &marked))
		return false;
	if (plan->has_start)
		event.start = (int64_t) marked.number[START];
	else if (chunk->timed)
		return fg_fail(chunk->ctx, FG_ERROR_SYNTAX, "an event %s has no start time",
					   plan->type->name);
	if (plan->has_duration)
		event.duration = (int64_t) marked.number[TICKS];
	event.stack = marked.number[STACK];
	event.thread = take_thread(&marked);
	return take_value(chunk, plan, bytes, marked.place[VALUE], &event) && add_to_group(chunk, plan, &event);
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
		uint64_t	end = end_of(chunk->events[i].start, chunk->events[i].duration);

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
	double		duration = nanoseconds_of(chunk, plan->tick, (double) event->duration);
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
set_thread(FgJfrChunk *chunk, const FgJfrGroup *group)
{
	FgJfrText	name;

	if (!chunk->threads && !chunk->timed)
		return true;
	return fg_jfr_stacks_thread(&chunk->stacks, group->thread, &name) &&
		(!chunk->threads || fg_sink_thread(chunk->sink, name.bytes, name.length)) &&
		(!chunk->timed || name.length == 0 || fg_sink_lane(chunk->sink, name.bytes, name.length));
}

/* Which profile the events of a plan go to, as soon as the first of them is met. */
static bool
ask_profile(FgJfrChunk *chunk, FgJfrPlan *plan, bool *counted)
{
	FgKind		kind;

	*counted = !fg_jfr_counted_otherwise(&chunk->counting, plan->type);
	if (!*counted || plan->asked)
		return true;
	kind = fg_jfr_kind(&chunk->counting, plan->type);
	plan->asked = true;
	return fg_sink_profile(chunk->sink, &kind, &plan->profile);
}

static bool
add_event(FgJfrChunk *chunk, const FgJfrEvent *event)
{
	const FgJfrGroup *group = &chunk->groups[event->group];
	FgJfrPlan  *plan = &chunk->plans[group->plan];
	bool		counted;
	bool		truncated;

	if (!ask_profile(chunk, plan, &counted))
		return false;
	if (!counted)
	{
		fg_sink_noted(chunk->sink)->other_events++;
		return true;
	}
	if (!set_time(chunk, plan, event))
		return false;
	if (plan->profile == FG_UNWANTED)
		return fg_sink_sample(chunk->sink, FG_UNWANTED, FG_LEAF_FIRST, false, event->value);
	return fg_jfr_stacks_collect(&chunk->stacks, group->stack, &truncated) && set_thread(chunk, group) &&
		fg_sink_sample(chunk->sink, plan->profile, FG_LEAF_FIRST, truncated, event->value);
}

/* All events one by one, in the order in which they ended. */
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

/* --- sums ------------------------------------------------------------------------------------------ */

static bool
is_behind(const FgJfrPlan *plan, const FgJfrPlan *other)
{
	return plan->first_end != other->first_end ? plan->first_end > other->first_end
		: plan->first > other->first;
}

/* The plan whose first event comes next behind that of "before"; NULL: there is none. */
static FgJfrPlan *
next_plan(FgJfrChunk *chunk, const FgJfrPlan *before)
{
	FgJfrPlan  *next = NULL;

	for (uint32_t i = 0; i < chunk->plan_count; i++)
	{
		FgJfrPlan  *plan = &chunk->plans[i];

		if (plan->weights.count == 0 || (before != NULL && !is_behind(plan, before)))
			continue;
		if (next == NULL || is_behind(next, plan))
			next = plan;
	}
	return next;
}

/* The profiles of all plans, and the weights of their events. */
static bool
add_weights(FgJfrChunk *chunk)
{
	FgJfrPlan  *plan = NULL;

	while ((plan = next_plan(chunk, plan)) != NULL)
	{
		bool		counted;

		if (!ask_profile(chunk, plan, &counted))
			return false;
		if (!counted)
			plan->profile = FG_UNWANTED;
		if (plan->profile == FG_UNWANTED)
			fg_sink_noted(chunk->sink)->other_events += plan->weights.count;
		else
			fg_sink_weigh(chunk->sink, plan->profile, &plan->weights);
		plan->weights = (FgWeights) {.count = 0};
	}
	return true;
}

static bool
add_group(FgJfrChunk *chunk, const FgJfrGroup *group)
{
	const FgJfrPlan *plan = &chunk->plans[group->plan];
	FgJfrText	name = {"", 0, false};
	FgStackPlace place;
	bool		truncated;

	if (plan->profile == FG_UNWANTED)
		return true;
	if (fg_jfr_stacks_are_plain(&chunk->stacks))
		return (!chunk->threads || fg_jfr_stacks_thread(&chunk->stacks, group->thread, &name)) &&
			fg_jfr_stacks_place(&chunk->stacks, group->stack, chunk->threads ? &name : NULL, plan->profile, &place) &&
			fg_sink_sum_at(chunk->sink, &place, &group->sum);
	if (!fg_jfr_stacks_collect(&chunk->stacks, group->stack, &truncated) || !set_thread(chunk, group) ||
		!fg_sink_sum(chunk->sink, plan->profile, FG_LEAF_FIRST, truncated, &group->sum))
		return false;
	place = fg_sink_place(chunk->sink, plan->profile, truncated);
	fg_sink_repeated(chunk->sink, &place, (uint64_t) group->sum.samples - 1);
	return true;
}

static bool
add_groups(FgJfrChunk *chunk)
{
	bool		ok = add_weights(chunk);

	for (uint32_t i = 0; ok && i < chunk->stands.count; i++)
		ok = fg_work(chunk->ctx, 0) && add_group(chunk, &chunk->groups[i]);
	return ok;
}

bool
fg_jfr_chunk_finish(FgJfrChunk *chunk)
{
	if (!(chunk->timed ? add_events(chunk) : add_groups(chunk)))
		return false;
	forget_groups(chunk);
	if (chunk->stacks.pools.missing > 0)
		fg_sink_warn(chunk->sink, &(FgWarning) {
			.text = "some stacks, methods or threads are not in the recording",
			.hint = "They count as null, as in jfr print; the recording is damaged, or the JVM has lost them.",
			.count = chunk->stacks.pools.missing
		});
	return true;
}
