/*
 * trace_samples.c
 *	  The trace event format's own samples (see trace_samples.h).
 */
#include "core/browsers/trace_samples.h"

#include "core/base/order.h"

#include <math.h>

bool
fg_trace_samples_begin(FgSink *sink, FgTraceSamples *t)
{
	FgContext  *ctx = fg_sink_context(sink);
	uint32_t	unnamed;

	*t = (FgTraceSamples) {.ctx = ctx, .sink = sink, .open = FG_NONE, .text.ctx = ctx,
	.process.ctx = ctx, .thread.ctx = ctx};
	return fg_v8_texts_begin(ctx, &t->texts) && fg_names_begin(ctx, &t->ids) &&
		fg_names_begin(ctx, &t->events) && fg_names_add(&t->events, "", 0, &unnamed);
}

void
fg_trace_samples_free(FgTraceSamples *t)
{
	if (t->ctx == NULL)
		return;
	fg_v8_texts_free(&t->texts);
	fg_names_free(&t->ids);
	fg_names_free(&t->events);
	fg_release(t->ctx, t->frames);
	fg_release(t->ctx, t->samples);
	fg_release(t->ctx, t->text.data);
	fg_release(t->ctx, t->process.data);
	fg_release(t->ctx, t->thread.data);
}

/* --- frames ----------------------------------------------------------------------------- */

/* The frame of an id, whether it was defined or not. */
static bool
find_frame(FgTraceSamples *t, const char *id, size_t length, uint32_t *number)
{
	if (!fg_names_add(&t->ids, id, length, number))
		return false;
	if (*number < t->frame_count)
		return true;
	if (!fg_reserve(t->ctx, (void **) &t->frames, &t->frame_capacity, t->frame_count + 1,
					sizeof(FgTraceFrame)))
		return false;
	t->frames[t->frame_count++] = (FgTraceFrame) {.parent = FG_NONE};
	return true;
}

static bool
begin_frame(FgTraceSamples *t, FgJson *json, const FgJsonValue *value)
{
	t->frame = (FgTraceFrame) {.parent = FG_NONE, .defined = true};
	t->is_script = false;
	t->line = t->column = NAN;
	t->text.size = 0;
	if (!fg_json_at(json, find_frame(t, value->key, value->key_length, &t->open)))
		return false;
	if (t->frames[t->open].defined)
		return fg_json_fail(json, FG_ERROR_SYNTAX, NULL, "two stack frames have one id");
	return true;
}

/* A number at the end of a text, behind a colon: its length with the colon; 0: there is none. */
static size_t
number_at_end(const char *text, size_t length, double *number)
{
	size_t		digits = 0;
	double		scale = 1;

	*number = 0;
	for (; digits < length && digits < 10 && text[length - digits - 1] >= '0' &&
		 text[length - digits - 1] <= '9'; digits++, scale *= 10)
		*number += scale * (text[length - digits - 1] - '0');
	return digits > 0 && digits < length && text[length - digits - 1] == ':' ? digits + 1 : 0;
}

/*
 * Hermes writes "serve(http://host/index.bundle?dev=false:17:3)": the function, its script, and
 * where in it.
 */
static bool
name_script_frame(FgTraceSamples *t, const char *text, size_t length)
{
	const char *open = memchr(text, '(', length);
	double		line;
	double		column;
	size_t		end = length > 0 && text[length - 1] == ')' ? length - 1 : 0;
	size_t		tail = number_at_end(text, end, &column);
	size_t		middle = tail > 0 ? number_at_end(text, end - tail, &line) : 0;
	size_t		name = open != NULL ? (size_t) (open - text) : length;

	if (middle == 0 || name + 1 >= end - tail - middle)
		return fg_names_add(&t->texts.frames, text, length, &t->frame.frame);
	return fg_v8_frame(&t->texts, text, name, open + 1, end - tail - middle - name - 1,
					   (isnan(t->line) ? line : t->line) - 1,
					   (isnan(t->column) ? column : t->column) - 1, &t->frame.frame);
}

static bool
end_frame(FgTraceSamples *t)
{
	bool		ok = fg_buffer_room(&t->text, 1);
	const char *text = (char *) t->text.data;

	ok = ok && (t->is_script ? name_script_frame(t, text, t->text.size)
				: fg_names_add(&t->texts.frames, text, t->text.size, &t->frame.frame));
	if (ok)
		t->frames[t->open] = t->frame;
	return ok;
}

/* --- values ------------------------------------------------------------------------------- */

/* Hermes writes numbers as strings. */
static bool
take_number(FgJson *json, const FgJsonValue *value, double *number)
{
	FgJsonValue plain = *value;

	if (value->type == FG_JSON_NULL)
		return true;
	plain.type = FG_JSON_NUMBER;
	return fg_json_number(json, &plain, number);
}

static bool
set_text(FgBuffer *text, const FgJsonValue *value)
{
	text->size = 0;
	return value->type == FG_JSON_NULL || fg_buffer_append(text, value->text, value->length);
}

/* The frame that a value refers to. */
static bool
take_reference(FgTraceSamples *t, FgJson *json, const FgJsonValue *value, uint32_t *number)
{
	*number = FG_NONE;
	return value->type == FG_JSON_NULL ||
		fg_json_at(json, find_frame(t, value->text, value->length, number));
}

static void
begin_sample(FgTraceSamples *t)
{
	t->sample = (FgTraceSample) {.weight = 1, .frame = FG_NONE};
	t->process.size = t->thread.size = 0;
	t->has_time = false;
}

static bool
keep_sample(FgTraceSamples *t, FgJson *json)
{
	if (t->count >= FG_MAX_KEPT_SAMPLES)
		return fg_json_fail(json, FG_ERROR_LIMIT, NULL, "there are more than %u samples",
							FG_MAX_KEPT_SAMPLES);
	if (!fg_reserve(t->ctx, (void **) &t->samples, &t->capacity, (size_t) t->count + 1,
					sizeof(FgTraceSample)))
		return false;
	t->unnamed += t->sample.event == 0;
	t->samples[t->count++] = t->sample;
	return true;
}

static bool
end_sample(FgTraceSamples *t, FgTraceLanes *lanes, FgJson *json)
{
	if (!t->has_time)
		return fg_json_fail(json, FG_ERROR_SYNTAX, NULL, "a sample has no time (ts)");
	if (t->sample.event == 0 && t->sample.weight != 1)
		return fg_json_fail(json, FG_ERROR_SYNTAX, "What it counts is said by its name.",
							"a sample without a name has the weight %g", t->sample.weight);
	return fg_trace_lane(lanes, &t->process, &t->thread, &t->sample.lane) && keep_sample(t, json);
}

/* --- events with a stack ------------------------------------------------------------------- */

void
fg_trace_samples_clear(FgTraceSamples *t)
{
	t->moment = (FgTraceMoment) {.frame = FG_NONE};
}

bool
fg_trace_samples_has_stack(const FgTraceSamples *t)
{
	return t->moment.has_id || t->moment.has_texts || t->moment.is_other || t->moment.at_end;
}

/*
 * The frame with this text below the one that the stack has so far.  Its id is one that no file
 * has: the number of that frame and the text, behind a byte that UTF-8 does not know.
 */
static bool
take_text(FgTraceSamples *t, const FgJsonValue *value)
{
	uint32_t	parent = t->moment.frame;
	uint32_t	number;

	t->text.size = 0;
	if (!fg_buffer_append(&t->text, "\xFF", 1) || !fg_buffer_append(&t->text, &parent, sizeof(parent)) ||
		!fg_buffer_append(&t->text, value->text, value->length) ||
		!find_frame(t, (char *) t->text.data, t->text.size, &number))
		return false;
	t->moment.frame = number;
	if (t->frames[number].defined)
		return true;
	t->frames[number] = (FgTraceFrame) {.parent = parent, .defined = true};
	return fg_names_add(&t->texts.frames, value->text, value->length, &t->frames[number].frame);
}

static bool
take_stack(FgTraceSamples *t, FgJson *json, const FgJsonValue *value)
{
	FgTraceMoment *moment = &t->moment;

	if (value->end || value->type == FG_JSON_NULL)
		return true;
	if (moment->has_texts)
		return fg_json_fail(json, FG_ERROR_SYNTAX, NULL, "an event has two stacks");
	moment->has_texts = value->type == FG_JSON_ARRAY;
	moment->is_other = !moment->has_texts;
	if (!moment->has_id)
		moment->frame = FG_NONE;
	return true;
}

bool
fg_trace_samples_keep(FgTraceSamples *t, FgJson *json, const FgBuffer *name, uint32_t lane, double time)
{
	const FgTraceMoment *moment = &t->moment;

	if (moment->is_other)
		return fg_json_fail(json, FG_ERROR_SYNTAX, "It is a list of texts, from the root on.",
							"the stack of an event is no list");
	if (moment->has_id && moment->has_texts)
		return fg_json_fail(json, FG_ERROR_SYNTAX, NULL, "an event has a stack and a stack frame");
	t->sample = (FgTraceSample) {.time = time, .weight = 1, .lane = lane, .frame = moment->frame};
	return (name->size == 0 ||
			fg_names_add(&t->events, (char *) name->data, name->size, &t->sample.event)) &&
		keep_sample(t, json);
}

bool
fg_trace_samples_take(FgTraceSamples *t, FgTraceLanes *lanes, FgJson *json, int place,
					  const FgJsonValue *value)
{
	switch (place)
	{
		case FG_TRACE_STACK_FRAMES:
			return fg_json_once(json, value, &t->has_frames, "stack frames");
		case FG_TRACE_STACK_FRAME:
			return value->end ? fg_json_at(json, end_frame(t)) : begin_frame(t, json, value);
		case FG_TRACE_FRAME_NAME:
			return set_text(&t->text, value);
		case FG_TRACE_FRAME_CATEGORY:
			t->is_script = fg_json_equals(value, "JavaScript");
			return true;
		case FG_TRACE_FRAME_PARENT:
			return take_reference(t, json, value, &t->frame.parent);
		case FG_TRACE_FRAME_LINE:
			return take_number(json, value, &t->line);
		case FG_TRACE_FRAME_COLUMN:
			return take_number(json, value, &t->column);
		case FG_TRACE_GLOBAL_SAMPLES:
			return fg_json_once(json, value, &t->has_list, "samples");
		case FG_TRACE_GLOBAL_SAMPLE:
			if (value->end)
				return fg_json_at(json, end_sample(t, lanes, json));
			begin_sample(t);
			return true;
		case FG_TRACE_SAMPLE_NAME:
			return fg_json_at(json, value->length == 0 ||
							  fg_names_add(&t->events, value->text, value->length, &t->sample.event));
		case FG_TRACE_SAMPLE_TIME:
			t->has_time = true;
			return take_number(json, value, &t->sample.time);
		case FG_TRACE_SAMPLE_PROCESS:
			return set_text(&t->process, value);
		case FG_TRACE_SAMPLE_THREAD:
			return set_text(&t->thread, value);
		case FG_TRACE_SAMPLE_WEIGHT:
			return take_number(json, value, &t->sample.weight);
		case FG_TRACE_SAMPLE_FRAME:
			return take_reference(t, json, value, &t->sample.frame);
		case FG_TRACE_EVENT_FRAME:
			if (value->type == FG_JSON_NULL)
				return true;
			t->moment.has_id = true;
			return take_reference(t, json, value, &t->moment.frame);
		case FG_TRACE_EVENT_STACK:
			return take_stack(t, json, value);
		case FG_TRACE_EVENT_TEXT:
			return fg_json_at(json, take_text(t, value));
		case FG_TRACE_END_STACK:
			t->moment.at_end = true;
			return true;
		default:
			return true;
	}
}

/* --- stacks --------------------------------------------------------------------------------- */

double
fg_trace_samples_zero(const FgTraceSamples *t)
{
	double		zero = INFINITY;

	for (uint32_t i = 0; i < t->count; i++)
		zero = fmin(zero, t->samples[i].time);
	return zero;
}

/* By event, by thread, by time; equal ones as in the file. */
static int
compare_samples(const void *arg, uint32_t a, uint32_t b)
{
	const FgTraceSample *x = (const FgTraceSample *) arg + a;
	const FgTraceSample *y = (const FgTraceSample *) arg + b;

	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	return (x->time > y->time) - (x->time < y->time);
}

/* The stack of a frame, leaf first. */
static bool
collect_stack(FgTraceSamples *t, uint32_t leaf)
{
	const FgNames *frames = &t->texts.frames;
	size_t		depth = 0;

	for (uint32_t at = leaf; at != FG_NONE; at = t->frames[at].parent)
	{
		const FgTraceFrame *frame = &t->frames[at];

		if (!frame->defined)
			return fg_fail(t->ctx, FG_ERROR_SYNTAX, "there is no stack frame \"%.*s\"",
						   (int) (t->ids.length[at] < 40 ? t->ids.length[at] : 40),
						   t->ids.bytes + t->ids.offset[at]);
		if (depth++ >= t->frame_count)
			return fg_fail(t->ctx, FG_ERROR_SYNTAX, "a stack frame is below itself");
		if (depth > FG_MAX_DEPTH)
			return fg_fail(t->ctx, FG_ERROR_LIMIT, "a stack is deeper than %d", FG_MAX_DEPTH);
		if (!fg_sink_frame(t->sink, frames->bytes + frames->offset[frame->frame],
						   frames->length[frame->frame]))
			return false;
	}
	return fg_work(t->ctx, depth * 16);
}

static bool
collect_sample(FgTraceSamples *t, FgTraceLanes *lanes, const FgTraceSample *sample)
{
	const FgReadOptions *options = fg_sink_options(t->sink);
	bool		timed = fg_sink_is_timed(t->sink);

	fg_sink_clear(t->sink);
	if ((options->threads || timed) && !fg_trace_lane_text(lanes, sample->lane))
		return false;
	if (options->threads &&
		!fg_sink_thread(t->sink, (char *) lanes->text.data, lanes->text.size))
		return false;
	if (timed && !fg_sink_lane(t->sink, (char *) lanes->text.data, lanes->text.size))
		return false;
	return collect_stack(t, sample->frame);
}

/* Of one event and thread: a stack that was met before is not collected again. */
typedef struct Group
{
	FgStackPlace *places;		/* by frame, the last one that of no stack */
	uint32_t   *met;			/* in which group, from 1 */
	uint32_t	number;
} Group;

static bool
add_sample(FgTraceSamples *t, FgTraceLanes *lanes, Group *group, const FgTraceSample *sample,
		   uint32_t profile, double weight)
{
	size_t		at = sample->frame == FG_NONE ? t->frame_count : sample->frame;

	if (profile != FG_UNWANTED && !fg_sink_is_timed(t->sink) && group->met[at] == group->number)
		return fg_sink_sample_at(t->sink, &group->places[at], weight);
	if (!collect_sample(t, lanes, sample) ||
		!fg_sink_sample(t->sink, profile, FG_LEAF_FIRST, false, weight))
		return false;
	if (profile == FG_UNWANTED || fg_sink_is_timed(t->sink))
		return true;
	group->places[at] = fg_sink_place(t->sink, profile, false);
	group->met[at] = group->number;
	return true;
}

/* The profile of a named event. */
static bool
find_profile(FgTraceSamples *t, uint32_t event, uint32_t *profile)
{
	FgKind		kind = {.unit = "events"};

	t->text.size = 0;
	if (!fg_buffer_append(&t->text, t->events.bytes + t->events.offset[event],
						  t->events.length[event]) || !fg_buffer_append(&t->text, "", 1))
		return false;
	/* a name ends at a NUL; the sink makes blanks of the other control characters */
	for (size_t i = 0; i + 1 < t->text.size; i++)
	{
		if (t->text.data[i] == '\0')
			t->text.data[i] = ' ';
	}
	kind.event = kind.name = (char *) t->text.data;
	return fg_sink_profile(t->sink, &kind, profile);
}

static bool
is_same(const FgTraceSample *a, const FgTraceSample *b)
{
	return a->event == b->event && a->lane == b->lane;
}

static bool
add_ordered(FgTraceSamples *t, FgTraceLanes *lanes, const uint32_t *order, Group *group,
			uint32_t unnamed, bool counts, double zero)
{
	uint32_t	profile = unnamed;

	for (uint32_t i = 0; i < t->count; i++)
	{
		const FgTraceSample *sample = &t->samples[order[i]];
		const FgTraceSample *next = i + 1 < t->count ? &t->samples[order[i + 1]] : sample;
		bool		begins = i == 0 || !is_same(sample, &t->samples[order[i - 1]]);
		double		span = is_same(sample, next) ? next->time - sample->time : 0;

		if (!fg_check_every(t->ctx, i))
			return false;
		group->number += begins;
		if (begins && sample->event != 0 && !find_profile(t, sample->event, &profile))
			return false;
		fg_sink_time(t->sink, (sample->time - zero) * 1000, (sample->time + span - zero) * 1000);
		if (!add_sample(t, lanes, group, sample, profile,
						sample->event != 0 ? sample->weight : counts ? 1 : span))
			return false;
	}
	return true;
}

bool
fg_trace_samples_add(FgTraceSamples *t, FgTraceLanes *lanes, uint32_t profile, bool counts,
					 double zero)
{
	uint32_t   *order = fg_alloc(t->ctx, t->count, sizeof(uint32_t));
	Group		group = {
		.places = fg_alloc(t->ctx, t->frame_count + 1, sizeof(FgStackPlace)),
		.met = fg_alloc_zero(t->ctx, t->frame_count + 1, sizeof(uint32_t))
	};
	bool		ok = order != NULL && group.places != NULL && group.met != NULL &&
		fg_order_by(t->ctx, t->count, compare_samples, t->samples, order) &&
		add_ordered(t, lanes, order, &group, profile, counts, zero);

	fg_release(t->ctx, order);
	fg_release(t->ctx, group.places);
	fg_release(t->ctx, group.met);
	return ok;
}
