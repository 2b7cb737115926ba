/*
 * otlp_samples.c
 *	  Samples of OTLP (see otlp_samples.h).
 */
#include "core/pprof/otlp_samples.h"

#include "core/base/number.h"
#include "core/base/order.h"

#include <inttypes.h>
#include <stdio.h>

/* --- samples -------------------------------------------------------------------------------- */

static bool
fail_sample(const FgOtlpSamples *o, FgErrorCode code, const char *hint, const char *what)
{
	return fg_fail_at(o->ctx, code, 0, 0, hint, "sample %" PRIu64 " of profile %" PRIu64 " %s",
					  o->samples, o->profiles, what);
}

static bool
take_values(FgOtlpSamples *o, const FgWire *wire, const FgWireField *field)
{
	FgOtlpSample *sample = &o->sample;
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
take_times(FgOtlpSamples *o, const FgWire *wire, const FgWireField *field)
{
	FgOtlpSample *sample = &o->sample;

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

bool
fg_otlp_is_text(FgOtlpText text, const char *word)
{
	return text.length == strlen(word) && memcmp(text.bytes, word, text.length) == 0;
}

/* The thread of a sample; other attributes are only counted. */
static bool
take_attribute(FgOtlpSamples *o, uint64_t index)
{
	const FgOtlpAttribute *attribute;
	FgOtlpText	key;

	if (index >= o->tables->attribute_count)
		return fail_sample(o, FG_ERROR_SYNTAX, NULL, "has an attribute that does not exist");
	attribute = &o->tables->attributes[index];
	if (!fg_otlp_text(o->tables, attribute->key, "attribute", &key))
		return false;
	if (attribute->is_text && fg_otlp_is_text(key, "thread.name"))
		o->sample.origin.thread_name = attribute->text;
	else if (attribute->is_number && fg_otlp_is_text(key, "thread.id"))
	{
		o->sample.origin.has_thread_id = true;
		o->sample.origin.thread_id = attribute->number;
	}
	else
		fg_sink_noted(o->sink)->labels++;
	return true;
}

static bool
take_attributes(FgOtlpSamples *o, const FgWire *wire, const FgWireField *field)
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
take_sample(FgOtlpSamples *o, FgWire *message)
{
	enum {STACK = 1, TIMES = 5};
	FgOtlpSample *sample = &o->sample;

	sample->origin = (FgOtlpOrigin) {.thread_name = {"", 0}};
	sample->value_count = sample->time_count = 0;
	while (fg_wire_more(message))
	{
		FgWireField field;

		if (!fg_wire_take(message, &field) ||
			(field.number == STACK && !fg_wire_number(message, &field, &sample->origin.stack)) ||
			(field.number == o->schema.attributes && !take_attributes(o, message, &field)) ||
			(field.number == o->schema.values && !take_values(o, message, &field)) ||
			(field.number == TIMES && !take_times(o, message, &field)) ||
			!fg_work(o->ctx, field.size))
			return false;
	}
	return true;
}

/* --- what a sample adds --------------------------------------------------------------------- */

/* "NAME-ID" as perf has it, or what there is of both. */
static bool
name_thread(FgOtlpSamples *o)
{
	const FgOtlpOrigin *origin = &o->sample.origin;
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
collect(FgOtlpSamples *o)
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
	return fg_otlp_collect(o->tables, o->sample.origin.stack, sink);
}

static bool
keep(FgOtlpSamples *o, uint64_t time, double value)
{
	if (o->kept_count >= FG_MAX_KEPT_SAMPLES)
		return fg_fail(o->ctx, FG_ERROR_LIMIT, "a profile has more than %u samples", FG_MAX_KEPT_SAMPLES);
	if (!fg_reserve(o->ctx, (void **) &o->kept, &o->kept_room, (size_t) o->kept_count + 1, sizeof(FgOtlpKept)))
		return false;
	o->kept[o->kept_count++] = (FgOtlpKept) {time, value, o->sample.origin};
	return true;
}

static int
compare_times(const void *arg, uint32_t a, uint32_t b)
{
	const FgOtlpKept *kept = arg;

	return (kept[a].time > kept[b].time) - (kept[a].time < kept[b].time);
}

static bool
add_kept(FgOtlpSamples *o, const FgOtlpKept *kept)
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
add_all_kept(FgOtlpSamples *o)
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
note(FgOtlpSamples *o, const FgStackPlace *place)
{
	FgNoted    *noted = fg_sink_noted(o->sink);

	noted->unknown_frames += place->unknown_frames;
	noted->control_characters += place->control_characters;
}

/* Where the stack of the sample goes; it is kept unless threads are frames. */
static bool
find_place(FgOtlpSamples *o, FgStackPlace *place)
{
	uint64_t	number = o->sample.origin.stack;
	bool		threads = fg_sink_options(o->sink)->threads;
	FgOtlpMet  *met = number < o->tables->stack_count && !threads ? &o->met[number] : NULL;
	FgNumberedStack stack = {.order = FG_LEAF_FIRST};

	if (met != NULL && met->met && met->place.number == o->profile)
	{
		*place = met->place;
		return true;
	}
	if (!fg_otlp_number(o->tables, number) || (threads && !name_thread(o)))
		return false;
	stack.numbers = o->tables->numbers;
	stack.count = o->tables->number_count;
	stack.thread = threads && o->thread.size > 0 ? (char *) o->thread.data : NULL;
	stack.thread_length = o->thread.size;
	if (!fg_numbered_place(&o->numbered, o->profile, &stack, place))
		return false;
	if (o->sample.time_count == 0)
		note(o, place);
	if (met != NULL)
		*met = (FgOtlpMet) {true, *place};
	return true;
}

static bool
add_values(FgOtlpSamples *o, const FgStackPlace *place)
{
	const FgOtlpSample *sample = &o->sample;

	for (size_t i = 0; i < sample->value_count; i++)
	{
		double		value = fg_number_of(o->ctx, sample->values[i]);

		if (!(sample->time_count > 0 ? fg_sink_sample_at(o->sink, place, value)
			  : fg_sink_add_at(o->sink, place, value)) ||
			!fg_steps(o->ctx, 1))
			return false;
	}
	return true;
}

/* Of a profile that nobody wants, but which has to be right. */
static bool
pass_sample(FgOtlpSamples *o)
{
	const FgOtlpSample *sample = &o->sample;

	fg_sink_noted(o->sink)->other_events += sample->value_count > 0 ? sample->value_count : sample->time_count;
	return collect(o);
}

static bool
check_sample(const FgOtlpSamples *o)
{
	const FgOtlpSample *sample = &o->sample;

	if (sample->value_count == 0 && sample->time_count == 0)
		return fail_sample(o, FG_ERROR_SYNTAX, NULL, "has neither values nor times");
	if (sample->value_count > 0 && sample->time_count > 0 && sample->value_count != sample->time_count)
		return fail_sample(o, FG_ERROR_SYNTAX, NULL, "has not as many times as values");
	if (fg_sink_is_timed(o->sink) && sample->time_count == 0)
		return fail_sample(o, FG_ERROR_ARGUMENT, "It is a sum; read_recording reads it.", "has no times");
	return true;
}

static bool
keep_all(FgOtlpSamples *o)
{
	const FgOtlpSample *sample = &o->sample;

	for (size_t i = 0; i < sample->time_count; i++)
	{
		int64_t		value = sample->value_count > 0 ? sample->values[i] : 1;

		if (!keep(o, sample->times[i], fg_number_of(o->ctx, value)) || !fg_steps(o->ctx, 1))
			return false;
	}
	return true;
}

bool
fg_otlp_samples_add(FgOtlpSamples *o, FgWire *message)
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

/* --- profiles and messages ------------------------------------------------------------------ */

bool
fg_otlp_samples_end_profile(FgOtlpSamples *o)
{
	return o->kept_count == 0 || add_all_kept(o);
}

bool
fg_otlp_samples_begin_message(FgOtlpSamples *o, FgOtlpSchema schema)
{
	o->schema = schema;
	fg_numbered_forget(&o->numbered);
	o->met = fg_alloc_zero(o->ctx, o->tables->stack_count + 1, sizeof(FgOtlpMet));
	return o->met != NULL;
}

void
fg_otlp_samples_end_message(FgOtlpSamples *o)
{
	fg_release(o->ctx, o->met);
	o->met = NULL;
}

void
fg_otlp_samples_begin(FgOtlpSamples *o, FgSink *sink, FgOtlpTables *tables)
{
	*o = (FgOtlpSamples) {.sink = sink, .ctx = fg_sink_context(sink), .tables = tables};
	o->thread.ctx = o->ctx;
	fg_numbered_begin(&o->numbered, sink, fg_otlp_name, tables);
}

void
fg_otlp_samples_free(FgOtlpSamples *o)
{
	fg_otlp_samples_end_message(o);
	fg_numbered_free(&o->numbered);
	fg_release(o->ctx, o->kept);
	fg_release(o->ctx, o->sample.values);
	fg_release(o->ctx, o->sample.times);
	fg_release(o->ctx, o->thread.data);
}
