/*
 * otlp.c
 *	  Profiles of OpenTelemetry (OTLP, ProfilesData or a request that exports it), as the
 *	  development version of the protocol has them; gzip is undone before.
 *
 * The dictionary stands behind the profiles that refer to it, and one message may have millions
 * of samples.  So the message is kept until its end, and then read twice: first the dictionary
 * (otlp_tables.h), then profile by profile.  Memory is that of the message, of the numbers in the
 * dictionary, and of the result.
 *
 * The collector writes many messages into a file, each behind its length in four bytes, with a
 * dictionary of its own.  They are read one after the other, and only one is in memory.
 *
 * A sample has values, or times of which each stands for 1, or both.  A value with a time is one
 * of a sample; a value without one is a sum that was made before.  Samples stand together by their
 * stacks; where their times are wanted, those of a profile are put in order first.
 *
 * JSON is written again as such a message, of what is read here (otlp_json.h).
 */
#include "core/pprof/otlp_json.h"
#include "core/pprof/otlp_message.h"
#include "core/pprof/otlp_tables.h"

#include "core/base/order.h"
#include "core/reading/numbered.h"

#include <inttypes.h>
#include <stdio.h>

/* Whole numbers beyond it are no doubles. */
#define MAX_EXACT (INT64_C(1) << 53)

/* Where a stack went last. */
typedef struct Met
{
	bool		met;
	FgStackPlace place;
} Met;

typedef struct Type
{
	uint64_t	type;			/* texts */
	uint64_t	unit;
} Type;

/* Whose a sample is. */
typedef struct Origin
{
	uint64_t	stack;
	FgOtlpText	thread_name;
	bool		has_thread_id;
	int64_t		thread_id;
} Origin;

/* One that waits for those before it. */
typedef struct Kept
{
	uint64_t	time;
	double		value;
	Origin		origin;
} Kept;

typedef struct Sample
{
	Origin		origin;
	int64_t    *values;
	size_t		value_count;
	size_t		value_room;
	uint64_t   *times;
	size_t		time_count;
	size_t		time_room;
} Sample;

typedef struct Otlp
{
	FgSink	   *sink;
	FgContext  *ctx;
	bool		begun;
	bool		many;			/* messages behind their lengths */
	uint8_t		head[FG_OTLP_HEAD_BYTES];	/* of the next one */
	size_t		head_size;
	size_t		wanted;			/* bytes of the message */
	uint64_t	place;			/* of the next byte of the input */
	FgBuffer	message;
	FgOtlpJson *json;			/* what it comes from; NULL: it comes as it is */
	FgWireInput input;
	bool		has_dictionary;
	FgOtlpTables tables;
	FgNumbered	numbered;		/* stacks by the numbers of their frames */
	uint64_t	profiles;		/* so far */
	uint64_t	samples;		/* of this one, so far */
	bool		has_zero;
	uint64_t	zero;			/* the first time of all */

	/* of the profile that is read */
	uint32_t	profile;		/* of the result */
	double		period;			/* in nanoseconds, 0: not known */
	Met		   *met;			/* by stack */
	Kept	   *kept;
	uint32_t	kept_count;
	size_t		kept_room;
	Sample		sample;
	FgBuffer	names;
	FgBuffer	thread;
} Otlp;

/* --- samples -------------------------------------------------------------------------------- */

static bool
fail_sample(const Otlp *o, FgErrorCode code, const char *hint, const char *what)
{
	return fg_fail_at(o->ctx, code, 0, 0, hint, "sample %" PRIu64 " of profile %" PRIu64 " %s",
					  o->samples, o->profiles, what);
}

static bool
take_values(Otlp *o, const FgWire *wire, const FgWireField *field)
{
	Sample	   *sample = &o->sample;
	FgWire		list;
	uint64_t	number;

	if (!fg_wire_list(wire, field, &list) ||
		!fg_reserve(o->ctx, (void **) &sample->values, &sample->value_room,
					sample->value_count + field->size, sizeof(int64_t)))
		return false;
	while (fg_wire_more(&list))
	{
		if (!fg_wire_next(&list, &number))
			return false;
		sample->values[sample->value_count++] = (int64_t) number;
	}
	return true;
}

/* Eight bytes each, packed or alone; how many there are is enough where nobody asks when. */
static bool
take_times(Otlp *o, const FgWire *wire, const FgWireField *field)
{
	Sample	   *sample = &o->sample;

	if ((field->type != FG_WIRE_BYTES && field->type != FG_WIRE_64) || field->size % 8 != 0)
		return fg_wire_wrong(wire, field);
	if (!fg_sink_is_timed(o->sink))
	{
		sample->time_count += field->size / 8;
		return true;
	}
	if (!fg_reserve(o->ctx, (void **) &sample->times, &sample->time_room,
					sample->time_count + field->size / 8, sizeof(uint64_t)))
		return false;
	for (size_t at = 0; at < field->size; at += 8)
		sample->times[sample->time_count++] = fg_load_le(field->bytes + at, 8);
	return true;
}

static bool
is_text(FgOtlpText text, const char *word)
{
	return text.length == strlen(word) && memcmp(text.bytes, word, text.length) == 0;
}

/* The thread of a sample; other attributes are only counted. */
static bool
take_attribute(Otlp *o, uint64_t index)
{
	const FgOtlpAttribute *attribute;
	FgOtlpText	key;

	if (index >= o->tables.attribute_count)
		return fail_sample(o, FG_ERROR_SYNTAX, NULL, "has an attribute that does not exist");
	attribute = &o->tables.attributes[index];
	if (!fg_otlp_text(&o->tables, attribute->key, "attribute", &key))
		return false;
	if (attribute->is_text && is_text(key, "thread.name"))
		o->sample.origin.thread_name = attribute->text;
	else if (attribute->is_number && is_text(key, "thread.id"))
	{
		o->sample.origin.has_thread_id = true;
		o->sample.origin.thread_id = attribute->number;
	}
	else
		fg_sink_noted(o->sink)->labels++;
	return true;
}

static bool
take_attributes(Otlp *o, const FgWire *wire, const FgWireField *field)
{
	FgWire		list;
	uint64_t	index;

	if (!fg_wire_list(wire, field, &list))
		return false;
	while (fg_wire_more(&list))
	{
		if (!fg_wire_next(&list, &index) || !take_attribute(o, index))
			return false;
	}
	return true;
}

static bool
take_sample(Otlp *o, FgWire *message)
{
	enum {STACK = 1, ATTRIBUTES, LINK, VALUES, TIMES};
	Sample	   *sample = &o->sample;

	sample->origin = (Origin) {.thread_name = {"", 0}};
	sample->value_count = sample->time_count = 0;
	while (fg_wire_more(message))
	{
		FgWireField field;

		if (!fg_wire_take(message, &field) ||
			(field.number == STACK && !fg_wire_number(message, &field, &sample->origin.stack)) ||
			(field.number == ATTRIBUTES && !take_attributes(o, message, &field)) ||
			(field.number == VALUES && !take_values(o, message, &field)) ||
			(field.number == TIMES && !take_times(o, message, &field)) ||
			!fg_work(o->ctx, field.size))
			return false;
	}
	return true;
}

/* --- what a sample adds --------------------------------------------------------------------- */

/* "NAME-ID" as perf has it, or what there is of both. */
static bool
name_thread(Otlp *o)
{
	const Origin *origin = &o->sample.origin;
	char		id[24];
	int			length = origin->has_thread_id
		? snprintf(id, sizeof(id), "%s%" PRId64, origin->thread_name.length > 0 ? "-" : "", origin->thread_id)
		: 0;

	o->thread.size = 0;
	return fg_buffer_append(&o->thread, origin->thread_name.bytes, origin->thread_name.length) &&
		fg_buffer_append(&o->thread, id, (size_t) length) && fg_buffer_room(&o->thread, 1);
}

/* The stack in the sink, with its thread where that is wanted. */
static bool
collect(Otlp *o)
{
	FgSink	   *sink = o->sink;
	bool		timed = fg_sink_is_timed(sink);
	const char *thread;

	fg_sink_clear(sink);
	if ((timed || fg_sink_options(sink)->threads) && !name_thread(o))
		return false;
	thread = (char *) o->thread.data;
	if (o->thread.size > 0 &&
		((fg_sink_options(sink)->threads && !fg_sink_thread(sink, thread, o->thread.size)) ||
		 (timed && !fg_sink_lane(sink, thread, o->thread.size))))
		return false;
	return fg_otlp_collect(&o->tables, o->sample.origin.stack, sink);
}

static bool
keep(Otlp *o, uint64_t time, double value)
{
	if (o->kept_count >= FG_MAX_KEPT_SAMPLES)
		return fg_fail(o->ctx, FG_ERROR_LIMIT, "a profile has more than %u samples", FG_MAX_KEPT_SAMPLES);
	if (!fg_reserve(o->ctx, (void **) &o->kept, &o->kept_room, (size_t) o->kept_count + 1, sizeof(Kept)))
		return false;
	o->kept[o->kept_count++] = (Kept) {time, value, o->sample.origin};
	return true;
}

static int
compare_times(const void *arg, uint32_t a, uint32_t b)
{
	const Kept *kept = arg;

	return (kept[a].time > kept[b].time) - (kept[a].time < kept[b].time);
}

static bool
add_kept(Otlp *o, const Kept *kept)
{
	if (!o->has_zero)
		o->zero = kept->time;
	o->has_zero = true;
	o->sample.origin = kept->origin;
	if (!collect(o))
		return false;
	fg_sink_time_until_next(o->sink, kept->time >= o->zero ? (double) (kept->time - o->zero)
							: -(double) (o->zero - kept->time), o->period);
	return fg_sink_sample(o->sink, o->profile, FG_LEAF_FIRST, false, kept->value);
}

/* The samples of a profile, in the order of their times. */
static bool
add_all_kept(Otlp *o)
{
	uint32_t   *order = fg_alloc(o->ctx, (size_t) o->kept_count + 1, sizeof(uint32_t));
	bool		ok = order != NULL && fg_order_by(o->ctx, o->kept_count, compare_times, o->kept, order);

	for (uint32_t i = 0; ok && i < o->kept_count; i++)
		ok = add_kept(o, &o->kept[order[i]]) && fg_steps(o->ctx, 1);
	fg_release(o->ctx, order);
	o->kept_count = 0;
	return ok;
}

/* --- samples without their times ------------------------------------------------------------ */

/* What a place has to be noted for, for one who adds several values there. */
static void
note(Otlp *o, const FgStackPlace *place)
{
	FgNoted    *noted = fg_sink_noted(o->sink);

	noted->unknown_frames += place->unknown_frames;
	noted->control_characters += place->control_characters;
}

/* Where the stack of the sample goes; it is kept unless threads are frames. */
static bool
find_place(Otlp *o, FgStackPlace *place)
{
	uint64_t	number = o->sample.origin.stack;
	bool		threads = fg_sink_options(o->sink)->threads;
	Met		   *met = number < o->tables.stack_count && !threads ? &o->met[number] : NULL;
	FgNumberedStack stack = {.order = FG_LEAF_FIRST};

	if (met != NULL && met->met && met->place.number == o->profile)
	{
		*place = met->place;
		return true;
	}
	if (!fg_otlp_number(&o->tables, number) || (threads && !name_thread(o)))
		return false;
	stack.numbers = o->tables.numbers;
	stack.count = o->tables.number_count;
	stack.thread = threads && o->thread.size > 0 ? (char *) o->thread.data : NULL;
	stack.thread_length = o->thread.size;
	if (!fg_numbered_place(&o->numbered, o->profile, &stack, place))
		return false;
	if (o->sample.time_count == 0)
		note(o, place);
	if (met != NULL)
		*met = (Met) {true, *place};
	return true;
}

static bool
check_value(const Otlp *o, int64_t value)
{
	return (value <= MAX_EXACT && value >= -MAX_EXACT) ||
		fail_sample(o, FG_ERROR_RANGE, NULL, "has a value that is too large to be kept exactly");
}

static bool
add_values(Otlp *o, const FgStackPlace *place)
{
	const Sample *sample = &o->sample;

	for (size_t i = 0; i < sample->value_count; i++)
	{
		int64_t		value = sample->values[i];

		if (!check_value(o, value) ||
			!(sample->time_count > 0 ? fg_sink_sample_at(o->sink, place, (double) value)
			  : fg_sink_add_at(o->sink, place, (double) value)) ||
			!fg_steps(o->ctx, 1))
			return false;
	}
	return true;
}

/* Of a profile that nobody wants, but which has to be right. */
static bool
pass_sample(Otlp *o)
{
	const Sample *sample = &o->sample;

	for (size_t i = 0; i < sample->value_count; i++)
	{
		if (!check_value(o, sample->values[i]) || !fg_steps(o->ctx, 1))
			return false;
	}
	fg_sink_noted(o->sink)->other_events += sample->value_count > 0 ? sample->value_count : sample->time_count;
	return collect(o);
}

static bool
check_sample(const Otlp *o)
{
	const Sample *sample = &o->sample;

	if (sample->value_count == 0 && sample->time_count == 0)
		return fail_sample(o, FG_ERROR_SYNTAX, NULL, "has neither values nor times");
	if (sample->value_count > 0 && sample->time_count > 0 && sample->value_count != sample->time_count)
		return fail_sample(o, FG_ERROR_SYNTAX, NULL, "has not as many times as values");
	if (fg_sink_is_timed(o->sink) && sample->time_count == 0)
		return fail_sample(o, FG_ERROR_ARGUMENT, "It is a sum; read_recording reads it.", "has no times");
	return true;
}

static bool
keep_all(Otlp *o)
{
	const Sample *sample = &o->sample;

	for (size_t i = 0; i < sample->time_count; i++)
	{
		int64_t		value = sample->value_count > 0 ? sample->values[i] : 1;

		if (!check_value(o, value) || !keep(o, sample->times[i], (double) value) || !fg_steps(o->ctx, 1))
			return false;
	}
	return true;
}

static bool
add_sample(Otlp *o, FgWire *message)
{
	FgStackPlace place;

	o->samples++;
	if (!take_sample(o, message) || !check_sample(o))
		return false;
	if (fg_sink_is_timed(o->sink))
		return keep_all(o);
	if (o->profile == FG_UNWANTED)
		return pass_sample(o);
	return find_place(o, &place) &&
		(o->sample.value_count > 0 ? add_values(o, &place)
		 : fg_sink_samples_at(o->sink, &place, 1, o->sample.time_count));
}

/* --- profiles ------------------------------------------------------------------------------- */

static bool
take_type(const FgWire *wire, const FgWireField *field, Type *type)
{
	FgWire		message;

	if (!fg_wire_inner(wire, field, &message))
		return false;
	while (fg_wire_more(&message))
	{
		FgWireField inner;
		uint64_t	number;

		if (!fg_wire_take(&message, &inner))
			return false;
		if (inner.number > 2)
			continue;
		if (!fg_wire_number(&message, &inner, &number))
			return false;
		*(inner.number == 1 ? &type->type : &type->unit) = number;
	}
	return true;
}

/* Adds a copy that ends with NUL to the names; none of these is long. */
static bool
add_name(Otlp *o, uint64_t index)
{
	FgOtlpText	text;

	if (!fg_otlp_text(&o->tables, index, "profile", &text))
		return false;
	if (text.length > 1000 || memchr(text.bytes, '\0', text.length) != NULL ||
		fg_utf8_prefix(text.bytes, text.length) != text.length)
		return fg_fail(o->ctx, FG_ERROR_SYNTAX, "the type of profile %" PRIu64 " is no text", o->profiles);
	return fg_buffer_append(&o->names, text.bytes, text.length) && fg_buffer_append(&o->names, "", 1);
}

/* The words of the store for types that have other names here. */
static const char *
event_of(const char *type)
{
	return strcmp(type, "alloc_space") == 0 || strcmp(type, "allocated_space") == 0 ? "alloc"
		: strcmp(type, "delay") == 0 ? "lock" : type;
}

static bool
begin_profile(Otlp *o, Type sample_type, Type period_type, int64_t period)
{
	FgKind		kind;
	size_t		unit;

	o->names.size = 0;
	if (!add_name(o, sample_type.type))
		return false;
	unit = o->names.size;
	if (!add_name(o, sample_type.unit))
		return false;
	kind.name = (char *) o->names.data;
	kind.event = event_of(kind.name);
	kind.unit = kind.name + unit;
	kind.period = period_type.type == sample_type.type && period_type.unit == sample_type.unit && period > 0
		? (double) period : 0;
	if (o->profiles == 1 && !fg_sink_default(o->sink, kind.name))
		return false;
	return fg_sink_profile(o->sink, &kind, &o->profile);
}

/* How long a sample stands for, where the profile says it. */
static bool
find_period(Otlp *o, Type type, int64_t period)
{
	FgOtlpText	unit;

	if (!fg_otlp_text(&o->tables, type.unit, "profile", &unit))
		return false;
	o->period = period > 0 && is_text(unit, "nanoseconds") ? (double) period : 0;
	return true;
}

/* What is said of all samples may stand behind them. */
static bool
take_profile_head(Otlp *o, FgWire message)
{
	enum {SAMPLE_TYPE = 1, PERIOD_TYPE = 5, PERIOD = 6};
	Type		sample_type = {0, 0};
	Type		period_type = {0, 0};
	uint64_t	period = 0;

	while (fg_wire_more(&message))
	{
		FgWireField field;

		if (!fg_wire_take(&message, &field) ||
			(field.number == SAMPLE_TYPE && !take_type(&message, &field, &sample_type)) ||
			(field.number == PERIOD_TYPE && !take_type(&message, &field, &period_type)) ||
			(field.number == PERIOD && !fg_wire_number(&message, &field, &period)) ||
			!fg_steps(o->ctx, 1))
			return false;
	}
	return begin_profile(o, sample_type, period_type, (int64_t) period) &&
		find_period(o, period_type, (int64_t) period);
}

static bool
take_profile(Otlp *o, FgWire *message)
{
	enum {SAMPLES = 2};

	o->profiles++;
	o->samples = 0;
	if (!take_profile_head(o, *message))
		return false;
	while (fg_wire_more(message))
	{
		FgWireField field;
		FgWire		sample;

		if (!fg_wire_take(message, &field))
			return false;
		if (field.number == SAMPLES &&
			(!fg_wire_inner(message, &field, &sample) || !add_sample(o, &sample)))
			return false;
	}
	return o->kept_count == 0 || add_all_kept(o);
}

static bool
take_scope(Otlp *o, FgWire *message)
{
	enum {PROFILES = 2};

	while (fg_wire_more(message))
	{
		FgWireField field;
		FgWire		profile;

		if (!fg_wire_take(message, &field))
			return false;
		if (field.number == PROFILES &&
			(!fg_wire_inner(message, &field, &profile) || !take_profile(o, &profile)))
			return false;
	}
	return true;
}

static bool
take_resource(Otlp *o, FgWire *message)
{
	enum {SCOPES = 2};

	while (fg_wire_more(message))
	{
		FgWireField field;
		FgWire		scope;

		if (!fg_wire_take(message, &field))
			return false;
		if (field.number == SCOPES &&
			(!fg_wire_inner(message, &field, &scope) || !take_scope(o, &scope)))
			return false;
	}
	return true;
}

/* --- the message ---------------------------------------------------------------------------- */

/* The dictionary, or the profiles. */
static bool
take_all(Otlp *o, uint32_t wanted)
{
	const uint8_t *bytes = o->message.data;
	FgWire		wire = {&o->input, bytes, bytes};

	/* an empty message may have no memory */
	if (o->message.size > 0)
		wire.end += o->message.size;
	while (fg_wire_more(&wire))
	{
		FgWireField field;
		FgWire		inner;

		if (!fg_wire_take(&wire, &field))
			return false;
		if (field.number != wanted)
			continue;
		if (!fg_wire_inner(&wire, &field, &inner) ||
			!(wanted == FG_OTLP_RESOURCES ? take_resource(o, &inner) : fg_otlp_tables_take(&o->tables, &inner)))
			return false;
		o->has_dictionary |= wanted == FG_OTLP_DICTIONARY;
	}
	return true;
}

static bool
check_dictionary(const Otlp *o)
{
	static const char hint[] = "It may hold traces, logs or metrics, or profiles of an earlier version of the protocol.";

	if (!o->has_dictionary)
		return fg_fail_at(o->ctx, FG_ERROR_SYNTAX, 0, 0, hint, "the message has no dictionary of profiles");
	if (o->tables.text_count == 0 || o->tables.texts[0].length > 0)
		return fg_fail_at(o->ctx, FG_ERROR_SYNTAX, 0, 0, hint,
						  "the first text of the dictionary is not the empty one");
	return true;
}

/* The message that has come, which is then forgotten. */
static bool
take_message(Otlp *o)
{
	o->input.start = o->message.data;
	o->input.place = o->place - o->message.size;
	o->has_dictionary = false;
	if (!take_all(o, FG_OTLP_DICTIONARY) || !check_dictionary(o))
		return false;
	o->met = fg_alloc_zero(o->ctx, o->tables.stack_count + 1, sizeof(Met));
	fg_numbered_forget(&o->numbered);
	if (o->met == NULL || !take_all(o, FG_OTLP_RESOURCES))
		return false;
	fg_release(o->ctx, o->met);
	o->met = NULL;
	fg_otlp_tables_free(&o->tables);
	fg_otlp_tables_begin(o->ctx, &o->tables, fg_sink_options(o->sink)->frame_style);
	o->message.size = o->head_size = 0;
	return true;
}

static bool
append(Otlp *o, const char *bytes, size_t size)
{
	if (size > FG_OTLP_MAX_BYTES - o->message.size)
		return fg_fail_at(o->ctx, FG_ERROR_LIMIT, 0, 0, "Export less at a time.",
						  "a message has more than %zu bytes", FG_OTLP_MAX_BYTES);
	o->place += size;
	return fg_work(o->ctx, size) && fg_buffer_append(&o->message, bytes, size);
}

/* A byte of a length, which stands in front of each of many messages. */
static void
take_head(Otlp *o, char byte)
{
	o->head[o->head_size++] = (uint8_t) byte;
	o->place++;
	if (o->head_size == FG_OTLP_HEAD_BYTES)
		o->wanted = (size_t) o->head[0] << 24 | (size_t) o->head[1] << 16 | (size_t) o->head[2] << 8 | o->head[3];
}

static bool
feed_many(Otlp *o, const char *bytes, size_t size)
{
	while (size > 0)
	{
		size_t		part;

		if (o->head_size < FG_OTLP_HEAD_BYTES)
		{
			take_head(o, *bytes++);
			size--;
		}
		part = o->head_size < FG_OTLP_HEAD_BYTES ? 0 : o->wanted - o->message.size;
		part = part < size ? part : size;
		if (!append(o, bytes, part) ||
			(o->head_size == FG_OTLP_HEAD_BYTES && o->message.size == o->wanted && !take_message(o)))
			return false;
		bytes += part;
		size -= part;
	}
	return true;
}

static bool
take_json(void *arg)
{
	Otlp	   *o = arg;

	o->place = o->message.size;
	return take_message(o);
}

/* The first byte tells what it is. */
static bool
begin_input(Otlp *o, char first)
{
	o->begun = true;
	o->many = (uint8_t) first < FG_OTLP_FIRST_TAG;
	if (fg_otlp_is_json(first))
		o->json = fg_otlp_json_open(o->ctx, &o->message, take_json, o);
	return !fg_otlp_is_json(first) || o->json != NULL;
}

static bool
otlp_feed(void *state, const char *bytes, size_t size)
{
	Otlp	   *o = state;

	if (size > 0 && !o->begun && !begin_input(o, bytes[0]))
		return false;
	if (o->json != NULL)
		return fg_otlp_json_feed(o->json, bytes, size);
	return o->many ? feed_many(o, bytes, size) : append(o, bytes, size);
}

static bool
otlp_finish(void *state)
{
	Otlp	   *o = state;

	if (o->many && o->head_size > 0)
		return fg_fail_at(o->ctx, FG_ERROR_SYNTAX, 0, 0, o->input.hint, "the last message ends too early");
	if (o->json != NULL ? !fg_otlp_json_finish(o->json) : !o->many && !take_message(o))
		return false;
	return o->profiles > 0 || fg_fail(o->ctx, FG_ERROR_SYNTAX, "there are no profiles");
}

static void
otlp_free(void *state)
{
	Otlp	   *o = state;

	if (o == NULL)
		return;
	fg_otlp_tables_free(&o->tables);
	fg_numbered_free(&o->numbered);
	fg_otlp_json_close(o->json);
	fg_release(o->ctx, o->message.data);
	fg_release(o->ctx, o->met);
	fg_release(o->ctx, o->kept);
	fg_release(o->ctx, o->sample.values);
	fg_release(o->ctx, o->sample.times);
	fg_release(o->ctx, o->names.data);
	fg_release(o->ctx, o->thread.data);
	fg_release(o->ctx, o);
}

static void *
otlp_begin(FgSink *sink)
{
	FgContext  *ctx = fg_sink_context(sink);
	Otlp	   *o = fg_alloc_zero(ctx, 1, sizeof(Otlp));

	if (o == NULL)
		return NULL;
	o->sink = sink;
	o->ctx = o->message.ctx = o->names.ctx = o->thread.ctx = ctx;
	o->input = (FgWireInput) {
		.ctx = ctx, .name = "the unpacked file",
		.hint = "The file may be cut off, or it holds no OTLP profiles."
	};
	fg_otlp_tables_begin(ctx, &o->tables, fg_sink_options(sink)->frame_style);
	fg_numbered_begin(&o->numbered, sink, fg_otlp_name, &o->tables);
	fg_sink_ticks(sink, 1e9);
	return o;
}

const FgFormatReader fg_otlp_reader = {
	.format = FG_FORMAT_OTLP,
	.recognise = fg_otlp_recognise,
	.begin = otlp_begin,
	.feed = otlp_feed,
	.finish = otlp_finish,
	.free = otlp_free
};
