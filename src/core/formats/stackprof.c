/*
 * stackprof.c
 *	  Profiles of stackprof, Ruby, as JSON (stackprof --json, or JSON.generate of its
 *	  results).
 *
 * Sums by function are in each file, stacks only where it was recorded with raw: true: a
 * list of numbers, for each stack how many frames it has, their ids from the root, and how
 * many samples in a row it had.  Frames are a list by id, times one by sample; as these
 * may stand behind the stacks, what is kept of them is four bytes a number.
 *
 * Each sample stands for the interval of the timer; of the mode object, for as many
 * objects; of custom, for itself.  What the collector of garbage did is stacks of their
 * own, as in stackprof.  A frame is its name; with frame_style function:line also the line
 * at which the sample was, where the file has raw_lines.
 */
#include "core/reading/numbered.h"

#include "core/base/bytes.h"
#include "core/profile/names.h"
#include "core/reading/json_stream.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct Name
{
	size_t		start;			/* in "names" */
	size_t		length;
	bool		known;			/* it is in the list of frames */
} Name;

/* What the next number of the list of stacks is. */
typedef enum Expected
{
	LENGTH,
	ID,
	COUNT
} Expected;

/* Numbers of one list. */
typedef struct Numbers
{
	uint32_t   *items;
	size_t		count;
	size_t		capacity;
} Numbers;

typedef struct Stackprof
{
	FgSink	   *sink;
	FgContext  *ctx;
	FgJson	   *json;
	FgBuffer	mode;
	double		interval;
	bool		has_interval;
	double		missed;
	double		samples;		/* as the file says */
	FgNames		ids;			/* texts of ids, of frames and of stacks */
	Name	   *frames;			/* by number of the id */
	size_t		frame_count;
	size_t		frame_capacity;
	FgBuffer	names;
	uint32_t	frame;			/* the one that is being read */
	bool		has_frames;
	bool		frames_are_whole;
	Expected	expected;
	uint32_t	missing;		/* ids of the stack that is being read */
	Numbers		raw;
	Numbers		lines;
	double	   *deltas;
	size_t		delta_count;
	size_t		delta_capacity;
	bool		has_raw;
	bool		has_lines;
	bool		has_deltas;
	FgBuffer	text;			/* a name with its line */
	FgNumbered	numbered;		/* stacks by the numbers of their frames */
} Stackprof;

enum
{
	MODE = 1, INTERVAL, SAMPLES, MISSED, FRAMES, RAW, RAW_LINES, DELTAS,
	FRAME, NAME, RAW_NUMBER, RAW_LINE, DELTA
};

static const FgJsonRule rules[] = {
	{FG_JSON_ROOT, "mode", MODE, FG_JSON_STRING},
	{FG_JSON_ROOT, "interval", INTERVAL, FG_JSON_NUMBER | FG_JSON_NULL},
	{FG_JSON_ROOT, "samples", SAMPLES, FG_JSON_NUMBER},
	{FG_JSON_ROOT, "missed_samples", MISSED, FG_JSON_NUMBER},
	{FG_JSON_ROOT, "frames", FRAMES, FG_JSON_OBJECT},
	{FG_JSON_ROOT, "raw", RAW, FG_JSON_ARRAY | FG_JSON_NULL},
	{FG_JSON_ROOT, "raw_lines", RAW_LINES, FG_JSON_ARRAY | FG_JSON_NULL},
	{FG_JSON_ROOT, "raw_timestamp_deltas", DELTAS, FG_JSON_ARRAY | FG_JSON_NULL},
	{FRAMES, FG_JSON_OTHER_KEYS, FRAME, FG_JSON_OBJECT},
	{FRAME, "name", NAME, FG_JSON_STRING | FG_JSON_NULL},
	{RAW, NULL, RAW_NUMBER, FG_JSON_NUMBER},
	{RAW_LINES, NULL, RAW_LINE, FG_JSON_NUMBER},
	{DELTAS, NULL, DELTA, FG_JSON_NUMBER},
	{0, NULL, 0, 0}
};

/* --- frames ----------------------------------------------------------------------- */

static bool
find_frame(Stackprof *s, const char *id, size_t length, uint32_t *number)
{
	if (!fg_names_add(&s->ids, id, length, number))
		return false;
	if (*number < s->frame_count)
		return true;
	if (!fg_reserve(s->ctx, (void **) &s->frames, &s->frame_capacity, s->frame_count + 1,
					sizeof(Name)))
		return false;
	s->frames[s->frame_count++] = (Name) {0, 0, false};
	return true;
}

static bool
begin_frame(Stackprof *s, const FgJsonValue *value)
{
	if (!find_frame(s, value->key, value->key_length, &s->frame))
		return false;
	if (s->frames[s->frame].known)
		return fg_json_fail(s->json, FG_ERROR_SYNTAX, NULL, "there are two frames %.*s",
							(int) value->key_length, value->key);
	s->frames[s->frame].known = true;
	return true;
}

static bool
name_frame(Stackprof *s, const FgJsonValue *value)
{
	Name	   *name = &s->frames[s->frame];

	if (value->type != FG_JSON_STRING)
		return true;
	name->start = s->names.size;
	name->length = value->length;
	return fg_buffer_append(&s->names, value->text, value->length);
}

/* --- lists of numbers ---------------------------------------------------------------- */

static bool
too_many(Stackprof *s)
{
	return fg_json_fail(s->json, FG_ERROR_LIMIT, NULL, "a list has more than %u numbers",
						FG_MAX_KEPT_SAMPLES);
}

static bool
append_number(Stackprof *s, Numbers *list, uint32_t number)
{
	if (list->count >= FG_MAX_KEPT_SAMPLES)
		return too_many(s);
	if (!fg_reserve(s->ctx, (void **) &list->items, &list->capacity, list->count + 1,
					sizeof(uint32_t)))
		return false;
	list->items[list->count++] = number;
	return true;
}

static bool
take_id(Stackprof *s, const FgJsonValue *value, uint32_t *number)
{
	if (!find_frame(s, value->text, value->length, number))
		return false;
	if (s->frames_are_whole && !s->frames[*number].known)
		return fg_json_fail(s->json, FG_ERROR_SYNTAX, NULL, "there is no frame %.*s",
							(int) (value->length < 40 ? value->length : 40), value->text);
	s->missing--;
	return true;
}

static bool
take_raw(Stackprof *s, const FgJsonValue *value)
{
	uint32_t	number;

	if (s->expected == ID)
	{
		if (!take_id(s, value, &number))
			return false;
		s->expected = s->missing > 0 ? ID : COUNT;
		return append_number(s, &s->raw, number);
	}
	if (!fg_json_index(s->json, value, &number))
		return false;
	if (s->expected == COUNT)
		s->expected = LENGTH;
	else if (number > FG_MAX_DEPTH)
		return fg_json_fail(s->json, FG_ERROR_LIMIT, NULL, "a stack is deeper than %d", FG_MAX_DEPTH);
	else
	{
		s->missing = number;
		s->expected = number > 0 ? ID : COUNT;
	}
	return append_number(s, &s->raw, number);
}

static bool
end_raw(Stackprof *s)
{
	return s->expected == LENGTH ||
		fg_json_fail(s->json, FG_ERROR_SYNTAX, NULL, "the list raw ends within a stack");
}

static bool
take_line(Stackprof *s, const FgJsonValue *value)
{
	uint32_t	number;

	/* where nobody asks for lines, they need not be kept */
	return fg_sink_options(s->sink)->frame_style != FG_FRAME_LINE ||
		(fg_json_index(s->json, value, &number) && append_number(s, &s->lines, number));
}

static bool
take_delta(Stackprof *s, const FgJsonValue *value)
{
	if (!fg_sink_is_timed(s->sink))
		return true;
	if (s->delta_count >= FG_MAX_KEPT_SAMPLES)
		return too_many(s);
	return fg_reserve(s->ctx, (void **) &s->deltas, &s->delta_capacity, s->delta_count + 1,
					  sizeof(double)) &&
		fg_json_number(s->json, value, &s->deltas[s->delta_count]) && ++s->delta_count;
}

/* --- reading --------------------------------------------------------------------------- */

static bool
take_list(Stackprof *s, int place, const FgJsonValue *value)
{
	switch (place)
	{
		case FRAMES:
			s->frames_are_whole = value->end;
			return fg_json_once(s->json, value, &s->has_frames, "frames");
		case RAW:
			return fg_json_once(s->json, value, &s->has_raw, "stacks (raw)") && (!value->end || end_raw(s));
		case RAW_LINES:
			return fg_json_once(s->json, value, &s->has_lines, "lines (raw_lines)");
		default:
			return fg_json_once(s->json, value, &s->has_deltas, "times (raw_timestamp_deltas)");
	}
}

static bool
take_interval(Stackprof *s, const FgJsonValue *value)
{
	if (value->type == FG_JSON_NULL)
		return true;
	if (!fg_json_number(s->json, value, &s->interval))
		return false;
	s->has_interval = true;
	return s->interval > 0 ||
		fg_json_fail(s->json, FG_ERROR_SYNTAX, NULL, "the interval is not above 0");
}

static bool
take_value(void *arg, int place, const FgJsonValue *value)
{
	Stackprof  *s = arg;

	switch (place)
	{
		case MODE:
			s->mode.size = 0;
			return fg_buffer_append(&s->mode, value->text, value->length);
		case INTERVAL:
			return take_interval(s, value);
		case SAMPLES:
			return fg_json_number(s->json, value, &s->samples);
		case MISSED:
			return fg_json_number(s->json, value, &s->missed);
		case FRAMES:
		case RAW:
		case RAW_LINES:
		case DELTAS:
			return take_list(s, place, value);
		case FRAME:
			return value->end || fg_json_at(s->json, begin_frame(s, value));
		case NAME:
			return name_frame(s, value);
		case RAW_NUMBER:
			return fg_json_at(s->json, take_raw(s, value));
		case RAW_LINE:
			return take_line(s, value);
		case DELTA:
			return take_delta(s, value);
		default:
			return true;
	}
}

/* --- what it counts ------------------------------------------------------------------------ */

typedef struct Mode
{
	const char *word;
	FgKind		kind;			/* its period: where the file has no interval; 0: it has to have one */
	bool		is_counted;		/* a sample counts 1, whatever the interval */
	bool		is_timer;
} Mode;

static const Mode *
find_mode(const Stackprof *s)
{
	static const Mode modes[] = {
		{"cpu", {"cpu", "cpu", "microseconds", 0}, false, true},
		{"wall", {"wall", "wall", "microseconds", 0}, false, true},
		{"object", {"alloc_objects", "object", "count", 1}, false, false},
		{"custom", {"custom", "custom", "samples", 1}, true, false}
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
	{
		if (s->mode.size == strlen(modes[i].word) &&
			memcmp(s->mode.data, modes[i].word, s->mode.size) == 0)
			return &modes[i];
	}
	return NULL;
}

static bool
begin_profile(Stackprof *s, const Mode *mode, double *weight, uint32_t *profile)
{
	FgKind		kind;

	if (mode == NULL)
		return fg_fail_at(s->ctx, FG_ERROR_SYNTAX, 0, 0, "Modes are cpu, wall, object and custom.",
						  "the stackprof profile has no mode that is known");
	kind = mode->kind;
	if (kind.period == 0 && !s->has_interval)
		return fg_fail(s->ctx, FG_ERROR_SYNTAX, "the stackprof profile has no interval");
	if (s->has_interval && !mode->is_counted)
		kind.period = s->interval;
	*weight = kind.period;
	return fg_sink_default(s->sink, kind.name) && fg_sink_profile(s->sink, &kind, profile);
}

/* --- stacks -------------------------------------------------------------------------------- */

static bool
name_of(void *arg, uint32_t id, const char **text, size_t *length)
{
	Stackprof  *s = arg;
	const Name *name = &s->frames[id];

	if (!name->known)
	{
		const FgNames *ids = &s->ids;

		return fg_fail(s->ctx, FG_ERROR_SYNTAX, "a stack refers to frame %.*s, which does not exist",
					   (int) (ids->length[id] < 40 ? ids->length[id] : 40),
					   ids->bytes + ids->offset[id]);
	}
	*text = s->names.size > 0 ? (char *) s->names.data + name->start : "";
	*length = name->length;
	return fg_work(s->ctx, name->length);
}

static bool
add_frame(Stackprof *s, size_t at)
{
	const char *text;
	size_t		length;
	char		line[16];

	if (!name_of(s, s->raw.items[at], &text, &length))
		return false;
	if (s->lines.count == 0 || s->lines.items[at] == 0)
		return fg_sink_frame(s->sink, text, length);
	s->text.size = 0;
	snprintf(line, sizeof(line), ":%" PRIu32, s->lines.items[at]);
	return fg_buffer_append(&s->text, text, length) &&
		fg_buffer_append(&s->text, line, strlen(line)) &&
		fg_sink_frame(s->sink, (char *) s->text.data, s->text.size);
}

/* Collects the stack whose frames begin at this place of the list. */
static bool
collect(Stackprof *s, size_t at, uint32_t length)
{
	fg_sink_clear(s->sink);
	for (uint32_t i = 0; i < length; i++)
	{
		if (!add_frame(s, at + i))
			return false;
	}
	return true;
}

/* Frames that are nothing but names need not be collected. */
static bool
add_value(Stackprof *s, uint32_t profile, size_t at, uint32_t length, double value)
{
	FgNumberedStack stack = {.numbers = s->raw.items + at, .count = length, .order = FG_ROOT_FIRST};
	FgStackPlace place;

	if (profile == FG_UNWANTED || s->lines.count > 0)
		return collect(s, at, length) && fg_sink_add(s->sink, profile, FG_ROOT_FIRST, false, value);
	return fg_numbered_place(&s->numbered, profile, &stack, &place) &&
		fg_sink_add_at(s->sink, &place, value);
}

/* The samples of the stack that was collected, the first of them "first" of all, one by one. */
static bool
take_samples(Stackprof *s, uint32_t profile, size_t first, uint32_t count, double weight,
			 double *time)
{
	double		period = find_mode(s)->is_timer ? weight : 0;

	if (count > s->delta_count - first)
		return fg_fail(s->ctx, FG_ERROR_SYNTAX, "there are more samples than times between them, %zu",
					   s->delta_count);
	for (uint32_t i = 0; i < count; i++)
	{
		*time += s->deltas[first + i];
		fg_sink_time_until_next(s->sink, *time, period);
		if (!fg_sink_add(s->sink, profile, FG_ROOT_FIRST, false, weight))
			return false;
	}
	return true;
}

static bool
add_stacks(Stackprof *s, uint32_t profile, double weight)
{
	bool		timed = fg_sink_is_timed(s->sink);
	double		time = 0;
	size_t		samples = 0;
	size_t		at = 0;

	while (at < s->raw.count)
	{
		uint32_t	length = s->raw.items[at++];
		uint32_t	count = s->raw.items[at + length];

		if (!(timed ? collect(s, at, length) && take_samples(s, profile, samples, count, weight, &time)
			  : add_value(s, profile, at, length, weight * count)) ||
			!fg_work(s->ctx, (size_t) length * 2 + (timed ? count : 1)))
			return false;
		at += length + 1;
		samples += count;
	}
	if (timed && samples != s->delta_count)
		return fg_fail(s->ctx, FG_ERROR_SYNTAX, "there are %zu samples and %zu times between them",
					   samples, s->delta_count);
	if (!timed && profile != FG_UNWANTED)
		fg_sink_noted(s->sink)->samples = samples;
	return true;
}

static bool
check_lists(const Stackprof *s)
{
	bool		with_lines = fg_sink_options(s->sink)->frame_style == FG_FRAME_LINE;

	if (!s->has_raw && s->samples > 0)
		return fg_fail_at(s->ctx, FG_ERROR_SYNTAX, 0, 0,
						  "Record with raw: true: StackProf.run(mode: :cpu, raw: true).",
						  "the stackprof profile has no stacks");
	if (with_lines && s->has_raw && !s->has_lines)
		return fg_fail_at(s->ctx, FG_ERROR_ARGUMENT, 0, 0, "stackprof writes them from 0.2.24 on.",
						  "the stackprof profile has no lines (raw_lines)");
	if (with_lines && s->lines.count != s->raw.count)
		return fg_fail(s->ctx, FG_ERROR_SYNTAX, "raw has %zu numbers, and raw_lines %zu",
					   s->raw.count, s->lines.count);
	if (fg_sink_is_timed(s->sink) && s->has_raw && !s->has_deltas)
		return fg_fail(s->ctx, FG_ERROR_ARGUMENT, "the stackprof profile has no times");
	return true;
}

/* --- the reader ---------------------------------------------------------------------------- */

static void
stackprof_free(void *state)
{
	Stackprof  *s = state;

	if (s == NULL)
		return;
	fg_json_close(s->json);
	fg_names_free(&s->ids);
	fg_numbered_free(&s->numbered);
	fg_release(s->ctx, s->mode.data);
	fg_release(s->ctx, s->frames);
	fg_release(s->ctx, s->names.data);
	fg_release(s->ctx, s->raw.items);
	fg_release(s->ctx, s->lines.items);
	fg_release(s->ctx, s->deltas);
	fg_release(s->ctx, s->text.data);
	fg_release(s->ctx, s);
}

static void *
stackprof_begin(FgSink *sink)
{
	FgContext  *ctx = fg_sink_context(sink);
	Stackprof  *s = fg_alloc_zero(ctx, 1, sizeof(Stackprof));

	if (s == NULL)
		return NULL;
	s->sink = sink;
	s->ctx = s->mode.ctx = s->names.ctx = s->text.ctx = ctx;
	fg_sink_ticks(sink, 1e6);
	fg_numbered_begin(&s->numbered, sink, name_of, s);
	s->json = fg_json_open(ctx, "stackprof profile", rules, take_value, s);
	if (s->json != NULL && fg_names_begin(ctx, &s->ids))
		return s;
	stackprof_free(s);
	return NULL;
}

static bool
stackprof_feed(void *state, const char *bytes, size_t size)
{
	return fg_json_feed(((Stackprof *) state)->json, bytes, size);
}

static bool
stackprof_finish(void *state)
{
	Stackprof  *s = state;
	const Mode *mode;
	double		weight = 0;
	uint32_t	profile;

	if (!fg_json_finish(s->json))
		return false;
	mode = find_mode(s);
	if (!check_lists(s) || !begin_profile(s, mode, &weight, &profile))
		return false;
	if (!add_stacks(s, profile, weight))
		return false;
	if (mode->is_timer && s->missed > 0)
		fg_sink_warn(s->sink, &(FgWarning) {
			.text = "stackprof missed samples, so that values are too small", .hint = "Record with a longer interval.",
			.count = s->missed < FG_MAX_KEPT_SAMPLES ? (uint64_t) s->missed : 0
		});
	return true;
}

static bool
stackprof_recognise(const char *head, size_t size, bool whole)
{
	(void) whole;
	return fg_json_begins(head, size) && fg_json_holds(head, size, "\"missed_samples\"") &&
		fg_json_holds(head, size, "\"gc_samples\"");
}

const FgFormatReader fg_stackprof_reader = {
	.format = FG_FORMAT_STACKPROF,
	.recognise = stackprof_recognise,
	.begin = stackprof_begin,
	.feed = stackprof_feed,
	.finish = stackprof_finish,
	.free = stackprof_free
};
