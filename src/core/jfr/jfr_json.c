/*
 * jfr_json.c
 *	  Java Flight Recorder: what `jfr print --json` prints (jfr_events.h says what it means).
 */
#include "core/jfr/jfr_events.h"

#include "core/base/number.h"
#include "core/reading/json_stream.h"

/*
 * "jfr print" leaves out all frames but the first of a stack unless it is told otherwise,
 * and does not say so in the file.  Fewer stacks than this prove nothing.
 */
#define PRINTED_FRAMES 5
#define PROVEN_STACKS 10

/* --- the event that is being read ------------------------------------------------------ */

/* A text that may be missing. */
typedef struct Text
{
	FgBuffer	buffer;
	bool		there;
} Text;

typedef struct Jfr
{
	FgSink	   *sink;
	FgContext  *ctx;
	FgJson	   *json;
	FgJfrCounting counting;
	bool		wants_lines;
	bool		wants_modes;
	bool		wants_threads;
	bool		timed;
	bool		has_zero;		/* of the times */
	int64_t		zero;			/* nanoseconds of the first event */
	bool		has_events;
	uint32_t	depth;			/* frames of the event that is being read */
	uint32_t	deepest;
	uint64_t	cut_stacks;		/* those that have PRINTED_FRAMES */

	const FgJfrType *type;		/* NULL: none of ours, or not known yet */
	bool		type_known;
	bool		truncated;
	Text		measured[FG_JFR_MEASURES];
	Text		start;
	Text		java_name;
	Text		os_name;

	/* the frame that is being read */
	Text		class_name;
	Text		method_name;
	Text		mode;
	double		line;
	FgBuffer	frame;
} Jfr;

static void
forget(Text *text)
{
	text->buffer.size = 0;
	text->there = false;
}

static bool
set_text(Text *text, const FgJsonValue *value)
{
	forget(text);
	text->there = value->type == FG_JSON_STRING || value->type == FG_JSON_NUMBER;
	return !text->there || fg_buffer_append(&text->buffer, value->text, value->length);
}

/* --- frames -------------------------------------------------------------------------------- */

static void
begin_frame(Jfr *jfr)
{
	forget(&jfr->class_name);
	forget(&jfr->method_name);
	forget(&jfr->mode);
	jfr->line = -1;
}

static bool
end_frame(Jfr *jfr)
{
	FgBuffer   *frame = &jfr->frame;
	const FgBuffer *class_name = &jfr->class_name.buffer;
	const FgBuffer *method = &jfr->method_name.buffer;
	const FgBuffer *mode = &jfr->mode.buffer;

	frame->size = 0;
	return fg_jfr_frame_name(frame, (char *) class_name->data, class_name->size,
							 (char *) method->data, method->size) &&
		(!jfr->wants_lines || fg_jfr_frame_line(frame, jfr->line)) &&
		(!jfr->wants_modes || !jfr->mode.there ||
		 fg_jfr_frame_mode(frame, (char *) mode->data, mode->size)) &&
		fg_sink_frame(jfr->sink, (char *) frame->data, frame->size);
}

/* --- events --------------------------------------------------------------------------------- */

static void
begin_event(Jfr *jfr)
{
	jfr->type = NULL;
	jfr->type_known = false;
	jfr->truncated = false;
	jfr->depth = 0;
	for (int i = 0; i < FG_JFR_MEASURES; i++)
		forget(&jfr->measured[i]);
	forget(&jfr->start);
	forget(&jfr->java_name);
	forget(&jfr->os_name);
	fg_sink_clear(jfr->sink);
}

/* "PT1H2M3.000058518S" in nanoseconds. */
static bool
parse_duration(FgContext *ctx, const char *text, size_t length, double *nanoseconds)
{
	static const struct
	{
		char		letter;
		uint64_t	seconds;
	}			units[] = {{'H', 3600}, {'M', 60}, {'S', 1}};
	const char *end = text + length;
	uint64_t	total = 0;
	size_t		unit = 0;

	if (length < 3 || memcmp(text, "PT", 2) != 0)
		return false;
	for (text += 2; text < end; text++)
	{
		uint64_t	number = 0;
		uint64_t	fraction = 0;
		uint64_t	digit_value = 100000000;
		const char *start = text;

		for (; text < end && *text >= '0' && *text <= '9' && number < 1000000000000; text++)
			number = number * 10 + (uint64_t) (*text - '0');
		if (text == start)
			return false;
		if (text < end && *text == '.')
		{
			for (text++; text < end && *text >= '0' && *text <= '9'; text++, digit_value /= 10)
				fraction += (uint64_t) (*text - '0') * digit_value;
		}
		while (unit < 3 && (text == end || *text != units[unit].letter))
			unit++;
		/* 10^12 hours do not fit */
		if (unit == 3 || number > 1000000000 || (fraction > 0 && unit != 2))
			return false;
		total += number * units[unit++].seconds * 1000000000 + fraction;
		if (total > UINT64_C(1) << 62)
			return false;
	}
	*nanoseconds = fg_number_of_unsigned(ctx, total);
	return true;
}

static bool
event_value(Jfr *jfr, double *number)
{
	FgJfrMeasure measure = jfr->type->measure;
	const Text *text = &jfr->measured[measure];
	FgJsonValue value = {
		.type = FG_JSON_NUMBER, .text = (const char *) text->buffer.data, .length = text->buffer.size
	};

	*number = 1;
	if (measure == FG_JFR_ONE)
		return true;
	if (!text->there)
		return fg_json_fail(jfr->json, FG_ERROR_SYNTAX, NULL, "an event %s has no %s",
							jfr->type->name, fg_jfr_measure_fields[measure]);
	if (measure != FG_JFR_DURATION && measure != FG_JFR_SAMPLING_PERIOD)
		return fg_json_number(jfr->json, &value, number);
	if (parse_duration(jfr->ctx, value.text, value.length, number))
		return true;
	return fg_json_fail(jfr->json, FG_ERROR_SYNTAX, NULL, "\"%.*s\" is not a duration",
						value.length < 40 ? (int) value.length : 40, value.text);
}

static bool
set_thread(Jfr *jfr)
{
	const FgBuffer *name = jfr->java_name.there && jfr->java_name.buffer.size > 0
		? &jfr->java_name.buffer : &jfr->os_name.buffer;

	if (jfr->wants_threads &&
		!fg_sink_thread(jfr->sink, (const char *) name->data, name->size))
		return false;
	return !jfr->timed || name->size == 0 ||
		fg_json_at(jfr->json, fg_sink_lane(jfr->sink, (const char *) name->data, name->size));
}

/* The number of "digits" digits; false when there are others. */
static bool
parse_digits(const char **text, const char *end, int digits, int *number)
{
	*number = 0;
	for (; digits > 0; digits--, ++*text)
	{
		if (*text >= end || **text < '0' || **text > '9')
			return false;
		*number = *number * 10 + (**text - '0');
	}
	return true;
}

static bool
parse_letter(const char **text, const char *end, char letter)
{
	return *text < end && *(*text)++ == letter;
}

/* Days since 1970-01-01 in the Gregorian calendar; years begin in March, so that leap days are last. */
static int64_t
days_since_1970(int year, int month, int day)
{
	int64_t		y = year - (month <= 2);
	int64_t		day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return y * 365 + y / 4 - y / 100 + y / 400 + day_of_year - 719468;
}

/* "Z" or "+01:00", in seconds. */
static bool
parse_zone(const char *text, const char *end, int *seconds)
{
	int			hours;
	int			minutes;
	bool		west;

	*seconds = 0;
	if (end - text == 1)
		return *text == 'Z';
	if (end - text != 6 || (*text != '+' && *text != '-'))
		return false;
	west = *text++ == '-';
	if (!parse_digits(&text, end, 2, &hours) || !parse_letter(&text, end, ':') ||
		!parse_digits(&text, end, 2, &minutes))
		return false;
	*seconds = (hours * 60 + minutes) * (west ? -60 : 60);
	return true;
}

/* "2026-11-20T19:16:38.895863616Z" in nanoseconds since 1970. */
static bool
parse_instant(const char *text, size_t length, int64_t *nanoseconds)
{
	const char *end = length > 0 ? text + length : text;
	int64_t		fraction = 0;
	int64_t		digit_value = 100000000;
	int			part[6];
	int			zone;

	if (!parse_digits(&text, end, 4, &part[0]))
		return false;
	for (int i = 1; i < 6; i++)
	{
		if (!parse_letter(&text, end, "--T::"[i - 1]) || !parse_digits(&text, end, 2, &part[i]))
			return false;
	}
	if (text < end && *text == '.')
	{
		for (text++; text < end && *text >= '0' && *text <= '9'; text++, digit_value /= 10)
			fraction += (*text - '0') * digit_value;
	}
	/* between the first and the last of these, nanoseconds fit 64 bits */
	if (part[0] < 1900 || part[0] > 2190 || part[1] < 1 || part[1] > 12 || part[2] < 1 ||
		part[2] > 31 || !parse_zone(text, end, &zone))
		return false;
	*nanoseconds = (days_since_1970(part[0], part[1], part[2]) * 86400 + part[3] * 3600 +
					part[4] * 60 + part[5] - zone) * 1000000000 + fraction;
	return true;
}

/* An event has a duration, or (a sample) lasts until the next of its thread. */
static bool
set_time(Jfr *jfr)
{
	const FgBuffer *start = &jfr->start.buffer;
	const FgBuffer *duration = &jfr->measured[FG_JFR_DURATION].buffer;
	int64_t		time;
	double		ticks;

	if (!jfr->timed)
		return true;
	if (!parse_instant((const char *) start->data, jfr->start.there ? start->size : 0, &time))
		return fg_json_fail(jfr->json, FG_ERROR_SYNTAX, NULL, jfr->start.there
							? "the start time of an event %s is not one"
							: "an event %s has no start time", jfr->type->name);
	if (!jfr->has_zero)
		jfr->zero = time;
	jfr->has_zero = true;
	time -= jfr->zero;
	if (jfr->measured[FG_JFR_DURATION].there &&
		parse_duration(jfr->ctx, (const char *) duration->data, duration->size, &ticks))
		fg_sink_time(jfr->sink, (double) time, (double) time + ticks);
	else
		fg_sink_time_until_next(jfr->sink, (double) time, 0);
	return true;
}

static void
count_frames(Jfr *jfr)
{
	jfr->cut_stacks += jfr->depth == PRINTED_FRAMES;
	if (jfr->depth > jfr->deepest)
		jfr->deepest = jfr->depth;
}

static bool
end_event(Jfr *jfr)
{
	const FgJfrType *type = jfr->type;
	FgKind		kind;
	uint32_t	profile;
	double		value;

	if (!jfr->type_known)
		return fg_json_fail(jfr->json, FG_ERROR_SYNTAX, NULL, "an event has no type");
	if (type == NULL)
	{
		fg_sink_noted(jfr->sink)->comments++;
		return true;
	}
	if (fg_jfr_counted_otherwise(&jfr->counting, type))
	{
		fg_sink_noted(jfr->sink)->other_events++;
		return true;
	}
	kind = fg_jfr_kind(&jfr->counting, type);
	count_frames(jfr);
	return fg_sink_profile(jfr->sink, &kind, &profile) && event_value(jfr, &value) &&
		set_thread(jfr) && set_time(jfr) &&
		fg_json_at(jfr->json, fg_sink_sample(jfr->sink, profile, FG_LEAF_FIRST, jfr->truncated,
											 value));
}

/* --- reading ---------------------------------------------------------------------------------- */

enum
{
	RECORDING = 1, EVENTS, EVENT, TYPE, VALUES,
	STACK_TRACE, SAMPLED_THREAD, EVENT_THREAD, FIELD_WEIGHT, FIELD_TLAB_SIZE,
	FIELD_ALLOCATION_SIZE, FIELD_DURATION, FIELD_SAMPLING_PERIOD, FIELD_SAMPLES, FIELD_SIZE, START_TIME,
	JAVA_NAME, OS_NAME,
	TRUNCATED, FRAMES, FRAME, METHOD, LINE_NUMBER, MODE, CLASS, METHOD_NAME, CLASS_NAME
};

/* Fields of events may have any type: other events than ours may call theirs the same. */
static const FgJsonRule rules[] = {
	{FG_JSON_ROOT, "recording", RECORDING, FG_JSON_OBJECT},
	{RECORDING, "events", EVENTS, FG_JSON_ARRAY},
	{EVENTS, NULL, EVENT, FG_JSON_OBJECT},
	{EVENT, "type", TYPE, FG_JSON_STRING},
	{EVENT, "values", VALUES, FG_JSON_OBJECT},
	{VALUES, "stackTrace", STACK_TRACE, FG_JSON_ANY},
	{VALUES, "sampledThread", SAMPLED_THREAD, FG_JSON_ANY},
	{VALUES, "eventThread", EVENT_THREAD, FG_JSON_ANY},
	{VALUES, "weight", FIELD_WEIGHT, FG_JSON_ANY},
	{VALUES, "tlabSize", FIELD_TLAB_SIZE, FG_JSON_ANY},
	{VALUES, "allocationSize", FIELD_ALLOCATION_SIZE, FG_JSON_ANY},
	{VALUES, "duration", FIELD_DURATION, FG_JSON_ANY},
	{VALUES, "samplingPeriod", FIELD_SAMPLING_PERIOD, FG_JSON_ANY},
	{VALUES, "samples", FIELD_SAMPLES, FG_JSON_ANY},
	{VALUES, "size", FIELD_SIZE, FG_JSON_ANY},
	{VALUES, "startTime", START_TIME, FG_JSON_ANY},
	{SAMPLED_THREAD, "javaName", JAVA_NAME, FG_JSON_ANY},
	{SAMPLED_THREAD, "osName", OS_NAME, FG_JSON_ANY},
	{EVENT_THREAD, "javaName", JAVA_NAME, FG_JSON_ANY},
	{EVENT_THREAD, "osName", OS_NAME, FG_JSON_ANY},
	{STACK_TRACE, "truncated", TRUNCATED, FG_JSON_ANY},
	{STACK_TRACE, "frames", FRAMES, FG_JSON_ANY},
	{FRAMES, NULL, FRAME, FG_JSON_OBJECT | FG_JSON_NULL},
	{FRAME, "method", METHOD, FG_JSON_ANY},
	{FRAME, "lineNumber", LINE_NUMBER, FG_JSON_ANY},
	{FRAME, "type", MODE, FG_JSON_ANY},
	{METHOD, "type", CLASS, FG_JSON_ANY},
	{METHOD, "name", METHOD_NAME, FG_JSON_ANY},
	{CLASS, "name", CLASS_NAME, FG_JSON_ANY},
	{0, NULL, 0, 0}
};

static bool
take_frame_value(Jfr *jfr, int place, const FgJsonValue *value)
{
	switch (place)
	{
		case FRAME:
			if (value->end)
				return end_frame(jfr);
			jfr->depth++;
			begin_frame(jfr);
			/* a frame that is null, say */
			return value->type == FG_JSON_OBJECT || end_frame(jfr);
		case LINE_NUMBER:
			return value->type != FG_JSON_NUMBER ||
				fg_json_number(jfr->json, value, &jfr->line);
		case MODE:
			return set_text(&jfr->mode, value);
		case METHOD_NAME:
			return set_text(&jfr->method_name, value);
		case CLASS_NAME:
			return set_text(&jfr->class_name, value);
		default:
			return true;
	}
}

static bool
take_value(void *arg, int place, const FgJsonValue *value)
{
	Jfr		   *jfr = arg;

	/* most events of a recording are none of ours; the JDK writes the type first */
	if (jfr->type_known && jfr->type == NULL && place > VALUES)
		return true;
	if (place >= FRAME)
		return take_frame_value(jfr, place, value);
	switch (place)
	{
		case EVENTS:
			jfr->has_events = true;
			return true;
		case EVENT:
			if (value->end)
				return end_event(jfr);
			begin_event(jfr);
			return true;
		case TYPE:
			jfr->type = fg_jfr_type(value->text, value->length);
			jfr->type_known = true;
			return true;
		case TRUNCATED:
			jfr->truncated = value->truth;
			return true;
		case FIELD_WEIGHT:
			return set_text(&jfr->measured[FG_JFR_WEIGHT], value);
		case FIELD_TLAB_SIZE:
			return set_text(&jfr->measured[FG_JFR_TLAB_SIZE], value);
		case FIELD_ALLOCATION_SIZE:
			return set_text(&jfr->measured[FG_JFR_ALLOCATION_SIZE], value);
		case FIELD_DURATION:
			return set_text(&jfr->measured[FG_JFR_DURATION], value);
		case FIELD_SAMPLING_PERIOD:
			return set_text(&jfr->measured[FG_JFR_SAMPLING_PERIOD], value);
		case FIELD_SAMPLES:
			return set_text(&jfr->measured[FG_JFR_SAMPLES], value);
		case FIELD_SIZE:
			return set_text(&jfr->measured[FG_JFR_SIZE], value);
		case START_TIME:
			return !jfr->timed || set_text(&jfr->start, value);
		case JAVA_NAME:
			return set_text(&jfr->java_name, value);
		case OS_NAME:
			return set_text(&jfr->os_name, value);
		default:
			return true;
	}
}

/* --- the reader ---------------------------------------------------------------------------------- */

static void
json_free(void *state)
{
	Jfr		   *jfr = state;

	if (jfr == NULL)
		return;
	fg_json_close(jfr->json);
	for (int i = 0; i < FG_JFR_MEASURES; i++)
		fg_release(jfr->ctx, jfr->measured[i].buffer.data);
	fg_release(jfr->ctx, jfr->start.buffer.data);
	fg_release(jfr->ctx, jfr->java_name.buffer.data);
	fg_release(jfr->ctx, jfr->os_name.buffer.data);
	fg_release(jfr->ctx, jfr->class_name.buffer.data);
	fg_release(jfr->ctx, jfr->method_name.buffer.data);
	fg_release(jfr->ctx, jfr->mode.buffer.data);
	fg_release(jfr->ctx, jfr->frame.data);
	fg_release(jfr->ctx, jfr);
}

static void *
json_begin(FgSink *sink)
{
	FgContext  *ctx = fg_sink_context(sink);
	const FgReadOptions *options = fg_sink_options(sink);
	Jfr		   *jfr = fg_alloc_zero(ctx, 1, sizeof(Jfr));

	if (jfr == NULL)
		return NULL;
	jfr->sink = sink;
	jfr->ctx = ctx;
	for (int i = 0; i < FG_JFR_MEASURES; i++)
		jfr->measured[i].buffer.ctx = ctx;
	jfr->start.buffer.ctx = jfr->java_name.buffer.ctx = jfr->os_name.buffer.ctx = ctx;
	jfr->class_name.buffer.ctx = jfr->method_name.buffer.ctx = jfr->mode.buffer.ctx = ctx;
	jfr->frame.ctx = ctx;
	jfr->counting = fg_jfr_counting(options);
	jfr->wants_lines = options->frame_style == FG_FRAME_LINE;
	jfr->wants_modes = options->modes;
	jfr->wants_threads = options->threads;
	jfr->timed = fg_sink_is_timed(sink);
	fg_sink_ticks(sink, 1e9);
	jfr->json = fg_json_open(ctx, "JFR recording", rules, take_value, jfr);
	if (jfr->json != NULL && fg_sink_default(sink, "cpu"))
		return jfr;
	json_free(jfr);
	return NULL;
}

static bool
json_feed(void *state, const char *bytes, size_t size)
{
	return fg_json_feed(((Jfr *) state)->json, bytes, size);
}

/* Also where most stacks are less deep, as those of a small program are: the others are cut off as well. */
static void
warn_of_cut_stacks(const Jfr *jfr)
{
	if (jfr->deepest != PRINTED_FRAMES || jfr->cut_stacks < PROVEN_STACKS)
		return;
	fg_sink_warn(jfr->sink, &(FgWarning) {
		.text = "no stack has more than five frames",
		.hint = "jfr print leaves the others out unless it is told otherwise; load the .jfr file "
			"itself, or the output of jfr print --json --stack-depth 2048."
	});
}

static bool
json_finish(void *state)
{
	Jfr		   *jfr = state;

	if (!fg_json_finish(jfr->json))
		return false;
	warn_of_cut_stacks(jfr);
	if (jfr->has_events)
		return true;
	return fg_fail_at(jfr->ctx, FG_ERROR_SYNTAX, 0, 0,
					  "Load the .jfr file itself, or the output of "
					  "\"jfr print --json --stack-depth 2048\".",
					  "the JFR recording has no list of events");
}

static bool
json_recognise(const char *head, size_t size, bool whole)
{
	(void) whole;
	return fg_json_begins(head, size) && fg_json_holds(head, size, "\"recording\"") &&
		fg_json_holds(head, size, "\"events\"");
}

const FgFormatReader fg_jfr_json_reader = {
	.format = FG_FORMAT_JFR,
	.recognise = json_recognise,
	.begin = json_begin,
	.feed = json_feed,
	.finish = json_finish,
	.free = json_free
};
