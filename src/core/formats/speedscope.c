/*
 * speedscope.c
 *	  Files of speedscope, which many profilers write: sampled and evented profiles.
 *
 * Stacks refer to frames by their position in a list that may stand at the end of
 * the file (speedscope_stacks.h).  Samples and their weights are two lists, in any
 * order; what is kept of them is twelve bytes a sample.
 *
 * Without an index the profiles of the file are added up: they are the threads of a
 * process, mostly.  They must then have one unit.
 *
 * A frame is its name; with frame_style function:line also :LINE.
 */
#include "core/formats/speedscope_stacks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* A frame of a sample, and the node it leads to. */
typedef struct Step
{
	uint32_t	position;
	uint32_t	node;
} Step;

typedef struct Speedscope
{
	FgSink	   *sink;
	FgContext  *ctx;
	FgJson	   *json;
	FgSpeedscopeStacks stacks;

	/* the shared frame that is being read */
	bool		has_frames;
	bool		frame_named;
	double		frame_line;

	/* the profile that is being read */
	double		start;			/* of its first sample */
	bool		chosen;
	char		unit[32];
	bool		has_unit;
	bool		has_samples;
	bool		has_weights;
	bool		has_events;
	uint32_t	node;			/* of the sample that is being read */
	size_t		node_depth;
	Step	   *steps;			/* its frames, and behind them those of the one before */
	size_t		step_capacity;
	FgJsonMark	mark;			/* of the sample before */
	bool		again;			/* it is the same */
	size_t		common;			/* steps that are those of the sample before */
	size_t		before;			/* its depth */
	uint32_t   *nodes;
	size_t		node_count;
	size_t		node_capacity;
	double	   *sample_weights;
	size_t		weight_count;
	size_t		weight_capacity;

	/* the event that is being read, and the frames that are open */
	char		event;
	uint32_t	event_frame;
	double		event_at;
	bool		has_at;
	uint32_t   *open;			/* nodes */
	uint32_t   *open_frames;	/* positions */
	size_t		depth;
	size_t		open_capacity;
	size_t		open_frames_capacity;
	double		last_at;
	bool		has_last;

	/* of all profiles that were added up */
	bool		has_profiles;
	int			profiles;
	bool		found;
} Speedscope;

/* --- stacks over positions ----------------------------------------------------------- */

static void
begin_sample(Speedscope *s)
{
	s->again = fg_json_again(s->json, &s->mark);
	if (s->again)
		return;
	s->before = s->node_depth;
	s->node = 0;
	s->node_depth = 0;
	s->common = 0;
}

/* Samples share most of their frames with the one before; those are not looked up again. */
static bool
add_step(Speedscope *s, uint32_t position)
{
	size_t		depth = s->node_depth++;

	if (s->common == depth && depth < s->before && s->steps[depth].position == position)
	{
		s->common++;
		s->node = s->steps[depth].node;
		return true;
	}
	if (!fg_speedscope_child(&s->stacks, s->node, position, &s->node) ||
		!fg_reserve(s->ctx, (void **) &s->steps, &s->step_capacity, depth + 1, sizeof(Step)))
		return false;
	s->steps[depth] = (Step) {position, s->node};
	return true;
}

static bool
take_sample_frames(Speedscope *s, const FgJsonValue *value)
{
	static const char hint[] =
		"A sample is a list of the positions of its frames, such as [0, 3]; some scripts write [[3]] in the place of [3].";
	uint32_t	position;

	if (value->type != FG_JSON_NUMBER)
		return fg_json_fail(s->json, FG_ERROR_SYNTAX, hint, "a frame of a sample is %s and not a number",
							value->type == FG_JSON_ARRAY ? "a list" : "something else");
	if (!s->chosen)
		return true;
	if (!fg_json_index(s->json, value, &position))
		return false;
	do
	{
		if (!add_step(s, position))
			return false;
	} while (fg_json_next_index(s->json, &position));
	return true;
}

static bool
end_sample(Speedscope *s)
{
	if (!s->again)
		fg_json_ended(s->json, &s->mark);
	if (!s->chosen)
		return true;
	if (s->node_count >= FG_MAX_KEPT_SAMPLES)
		return fg_speedscope_too_many(&s->stacks);
	if (!fg_reserve(s->ctx, (void **) &s->nodes, &s->node_capacity, s->node_count + 1,
					sizeof(uint32_t)))
		return false;
	s->nodes[s->node_count++] = s->node;
	return true;
}

static bool
take_weights(Speedscope *s, const FgJsonValue *value)
{
	double		weight;

	if (!s->chosen)
		return true;
	if (!fg_json_number(s->json, value, &weight))
		return false;
	do
	{
		if (s->weight_count >= FG_MAX_KEPT_SAMPLES)
			return fg_speedscope_too_many(&s->stacks);
		if (!fg_reserve(s->ctx, (void **) &s->sample_weights, &s->weight_capacity,
						s->weight_count + 1, sizeof(double)))
			return false;
		s->sample_weights[s->weight_count++] = weight;
	} while (fg_json_next_number(s->json, &weight));
	return true;
}

/* One sample follows the other. */
static bool
take_samples(Speedscope *s)
{
	double		at = s->start;

	for (size_t i = 0; i < s->node_count; i++)
	{
		double		weight = s->sample_weights[i];

		if (!fg_check_every(s->ctx, i) ||
			!fg_speedscope_take(&s->stacks, s->nodes[i], at, at + weight, weight))
			return false;
		at += weight;
	}
	return true;
}

static bool
add_samples(Speedscope *s)
{
	if (s->node_count != s->weight_count)
		return fg_json_fail(s->json, FG_ERROR_SYNTAX, NULL,
							"profile %d has %zu samples and %zu weights", s->stacks.number,
							s->node_count, s->weight_count);
	if (s->stacks.timed)
		return take_samples(s);
	for (size_t i = 0; i < s->node_count; i++)
	{
		if (!fg_check_every(s->ctx, i) ||
			!fg_speedscope_add_weight(&s->stacks, s->nodes[i], s->sample_weights[i]))
			return false;
	}
	return true;
}

/* --- events ------------------------------------------------------------------------------ */

static bool
open_frame(Speedscope *s)
{
	uint32_t	parent = s->depth > 0 ? s->open[s->depth - 1] : 0;

	if (!fg_reserve(s->ctx, (void **) &s->open, &s->open_capacity, s->depth + 1,
					sizeof(uint32_t)) ||
		!fg_reserve(s->ctx, (void **) &s->open_frames, &s->open_frames_capacity, s->depth + 1,
					sizeof(uint32_t)) ||
		!fg_speedscope_child(&s->stacks, parent, s->event_frame, &s->open[s->depth]))
		return false;
	s->open_frames[s->depth++] = s->event_frame;
	return true;
}

static bool
close_frame(Speedscope *s)
{
	if (s->depth == 0 || s->open_frames[s->depth - 1] != s->event_frame)
		return fg_json_fail(s->json, FG_ERROR_SYNTAX, NULL,
							"frame %" PRIu32 " is closed, but it is not the one that was opened last",
							s->event_frame);
	s->depth--;
	return true;
}

/* The time since the event before belongs to the frames that were open. */
static bool
add_span(Speedscope *s)
{
	uint32_t	node = s->open[s->depth - 1];
	double		span = s->event_at - s->last_at;

	return s->stacks.timed ? fg_speedscope_take(&s->stacks, node, s->last_at, s->event_at, span)
		: fg_speedscope_add_value(&s->stacks, node, span);
}

static bool
end_event(Speedscope *s)
{
	if (!s->chosen)
		return true;
	if (s->event_frame == FG_NONE || !s->has_at || (s->event != 'O' && s->event != 'C'))
		return fg_json_fail(s->json, FG_ERROR_SYNTAX,
							"An event has type \"O\" or \"C\", frame and at.", "an event is not complete");
	if (s->has_last && s->event_at < s->last_at)
		return fg_json_fail(s->json, FG_ERROR_SYNTAX, NULL,
							"an event is earlier than the one before it");
	s->stacks.weights.unknown = true;
	if (s->depth > 0 && s->event_at > s->last_at && !add_span(s))
		return false;
	s->last_at = s->event_at;
	s->has_last = true;
	return s->event == 'O' ? open_frame(s) : close_frame(s);
}

static void
begin_event(Speedscope *s)
{
	s->event = '\0';
	s->event_frame = FG_NONE;
	s->has_at = false;
}

/* --- profiles ------------------------------------------------------------------------------- */

/* The name of a profile is that of a thread, mostly. */
static bool
take_lane(Speedscope *s, const FgJsonValue *value)
{
	FgSpeedscopeName *lane;

	if (!s->stacks.timed || !s->chosen)
		return true;
	lane = &s->stacks.lanes[s->stacks.lane_count - 1];
	*lane = (FgSpeedscopeName) {s->stacks.lane_names.size, value->length};
	return fg_buffer_append(&s->stacks.lane_names, value->text, value->length);
}

static bool
begin_profile(Speedscope *s)
{
	int			wanted = fg_sink_options(s->sink)->profile;

	s->stacks.number = s->profiles++;
	s->chosen = wanted < 0 || wanted == s->stacks.number;
	s->found = s->found || s->chosen;
	s->has_unit = s->has_samples = s->has_weights = s->has_events = s->has_last = false;
	s->node_count = s->weight_count = s->depth = 0;
	s->start = 0;
	/* of a profile that is not chosen samples have no nodes */
	s->mark = (FgJsonMark) {.length = 0};
	return !s->stacks.timed || !s->chosen || fg_speedscope_begin_lane(&s->stacks);
}

static bool
take_unit(Speedscope *s, const FgJsonValue *value)
{
	if (value->length >= sizeof(s->unit) || memchr(value->text, '\0', value->length) != NULL)
		return fg_json_fail(s->json, FG_ERROR_SYNTAX, NULL, "this is not a unit");
	memcpy(s->unit, value->text, value->length);
	s->unit[value->length] = '\0';
	s->has_unit = true;
	return true;
}

static bool
end_profile(Speedscope *s)
{
	if (!s->chosen)
		return true;
	if (!s->has_unit)
		strcpy(s->unit, "none");
	if (s->stacks.common_unit[0] == '\0')
		strcpy(s->stacks.common_unit, s->unit);
	if (strcmp(s->stacks.common_unit, s->unit) != 0)
		return fg_json_fail(s->json, FG_ERROR_ARGUMENT, "Choose one profile by its index, from 0.",
							"the profiles have several units, %s and %s", s->stacks.common_unit,
							s->unit);
	if (s->depth > 0)
		return fg_json_fail(s->json, FG_ERROR_SYNTAX, NULL,
							"profile %d ends with %zu open frames", s->stacks.number, s->depth);
	if ((s->has_samples || s->has_weights) && s->has_last)
		return fg_json_fail(s->json, FG_ERROR_SYNTAX, "A profile is of type \"sampled\" or \"evented\".",
							"profile %d has both samples and events", s->stacks.number);
	if (s->has_samples || s->has_weights)
		return add_samples(s);
	if (!s->has_events)
		return fg_json_fail(s->json, FG_ERROR_SYNTAX, NULL,
							"profile %d has neither samples nor events", s->stacks.number);
	return true;
}

/* --- the shared frames -------------------------------------------------------------------------- */

static bool
begin_frame(Speedscope *s)
{
	FgSpeedscopeName name = {s->stacks.names.size, 0};

	if (s->stacks.frame_count >= FG_NONE ||
		!fg_reserve(s->ctx, (void **) &s->stacks.frames, &s->stacks.frame_capacity,
					s->stacks.frame_count + 1, sizeof(FgSpeedscopeName)))
		return false;
	s->stacks.frames[s->stacks.frame_count] = name;
	s->frame_named = false;
	s->frame_line = 0;
	return true;
}

static bool
take_name(Speedscope *s, const FgJsonValue *value)
{
	if (s->frame_named)
		return fg_json_fail(s->json, FG_ERROR_SYNTAX, NULL, "a frame has two names");
	s->frame_named = true;
	return fg_buffer_append(&s->stacks.names, value->text, value->length);
}

static bool
end_frame(Speedscope *s)
{
	FgSpeedscopeName *name = &s->stacks.frames[s->stacks.frame_count++];
	char		line[32];

	if (!s->frame_named)
		return fg_json_fail(s->json, FG_ERROR_SYNTAX, NULL, "a frame has no name");
	if (fg_sink_options(s->sink)->frame_style == FG_FRAME_LINE && s->frame_line > 0 &&
		s->frame_line < 1e9)
	{
		snprintf(line, sizeof(line), ":%.0f", s->frame_line);
		if (!fg_buffer_append(&s->stacks.names, line, strlen(line)))
			return false;
	}
	name->length = s->stacks.names.size - name->start;
	return true;
}

/* --- reading -------------------------------------------------------------------------------------- */

enum
{
	SHARED = 1, PROFILES,
	FRAMES, FRAME, FRAME_NAME, FRAME_LINE,
	PROFILE, UNIT, PROFILE_NAME, START_VALUE, SAMPLE_LIST, WEIGHTS, EVENTS,
	SAMPLE, SAMPLE_FRAME, WEIGHT,
	EVENT, EVENT_TYPE, EVENT_FRAME, EVENT_AT
};

static const FgJsonRule rules[] = {
	{FG_JSON_ROOT, "shared", SHARED, FG_JSON_OBJECT},
	{FG_JSON_ROOT, "profiles", PROFILES, FG_JSON_ARRAY},
	{SHARED, "frames", FRAMES, FG_JSON_ARRAY},
	{FRAMES, NULL, FRAME, FG_JSON_OBJECT},
	{FRAME, "name", FRAME_NAME, FG_JSON_STRING},
	{FRAME, "line", FRAME_LINE, FG_JSON_NUMBER | FG_JSON_NULL},
	{PROFILES, NULL, PROFILE, FG_JSON_OBJECT},
	{PROFILE, "unit", UNIT, FG_JSON_STRING},
	{PROFILE, "name", PROFILE_NAME, FG_JSON_ANY},
	{PROFILE, "startValue", START_VALUE, FG_JSON_ANY},
	{PROFILE, "samples", SAMPLE_LIST, FG_JSON_ARRAY},
	{PROFILE, "weights", WEIGHTS, FG_JSON_ARRAY},
	{PROFILE, "events", EVENTS, FG_JSON_ARRAY},
	{SAMPLE_LIST, NULL, SAMPLE, FG_JSON_ARRAY},
	{SAMPLE, NULL, SAMPLE_FRAME, FG_JSON_ANY},
	{WEIGHTS, NULL, WEIGHT, FG_JSON_NUMBER},
	{EVENTS, NULL, EVENT, FG_JSON_OBJECT},
	{EVENT, "type", EVENT_TYPE, FG_JSON_STRING},
	{EVENT, "frame", EVENT_FRAME, FG_JSON_NUMBER},
	{EVENT, "at", EVENT_AT, FG_JSON_NUMBER},
	{0, NULL, 0, 0}
};

static bool
take_event_value(Speedscope *s, int place, const FgJsonValue *value)
{
	switch (place)
	{
		case EVENT:
			if (value->end)
				return end_event(s);
			begin_event(s);
			return true;
		case EVENT_TYPE:
			s->event = value->length == 1 ? value->text[0] : '\0';
			return true;
		case EVENT_FRAME:
			return fg_json_index(s->json, value, &s->event_frame);
		default:
			s->has_at = true;
			return fg_json_number(s->json, value, &s->event_at);
	}
}

static bool
take_value(void *arg, int place, const FgJsonValue *value)
{
	Speedscope *s = arg;

	if (place >= EVENT)
		return take_event_value(s, place, value);
	switch (place)
	{
		case PROFILES:
			return fg_json_once(s->json, value, &s->has_profiles, "profiles");
		case FRAMES:
			return fg_json_once(s->json, value, &s->has_frames, "frames");
		case FRAME:
			return value->end ? end_frame(s) : begin_frame(s);
		case FRAME_NAME:
			return take_name(s, value);
		case FRAME_LINE:
			return value->type != FG_JSON_NUMBER ||
				fg_json_number(s->json, value, &s->frame_line);
		case PROFILE:
			return value->end ? end_profile(s) : begin_profile(s);
		case UNIT:
			return take_unit(s, value);
		case PROFILE_NAME:
			return value->type != FG_JSON_STRING || take_lane(s, value);
		case START_VALUE:
			return !s->stacks.timed || value->type != FG_JSON_NUMBER ||
				fg_json_number(s->json, value, &s->start);
		case SAMPLE_LIST:
			return fg_json_once(s->json, value, &s->has_samples, "samples");
		case WEIGHTS:
			return fg_json_once(s->json, value, &s->has_weights, "weights");
		case EVENTS:
			return fg_json_once(s->json, value, &s->has_events, "events");
		case SAMPLE:
			if (value->end)
				return end_sample(s);
			begin_sample(s);
			return true;
		case SAMPLE_FRAME:
			return take_sample_frames(s, value);
		case WEIGHT:
			return take_weights(s, value);
		default:
			return true;
	}
}

/* --- the reader ------------------------------------------------------------------------------------ */

static void
speedscope_free(void *state)
{
	Speedscope *s = state;

	if (s == NULL)
		return;
	fg_json_close(s->json);
	fg_speedscope_free(&s->stacks);
	fg_release(s->ctx, s->nodes);
	fg_release(s->ctx, s->steps);
	fg_release(s->ctx, s->sample_weights);
	fg_release(s->ctx, s->open);
	fg_release(s->ctx, s->open_frames);
	fg_release(s->ctx, s);
}

static void *
speedscope_begin(FgSink *sink)
{
	FgContext  *ctx = fg_sink_context(sink);
	Speedscope *s = fg_alloc_zero(ctx, 1, sizeof(Speedscope));

	if (s == NULL)
		return NULL;
	s->sink = sink;
	s->ctx = ctx;
	s->json = fg_json_open(ctx, "speedscope file", rules, take_value, s);
	s->stacks.json = s->json;
	if (fg_speedscope_begin(&s->stacks, sink) && s->json != NULL)
		return s;
	speedscope_free(s);
	return NULL;
}

static bool
speedscope_feed(void *state, const char *bytes, size_t size)
{
	return fg_json_feed(((Speedscope *) state)->json, bytes, size);
}

static bool
speedscope_finish(void *state)
{
	static const char hint[] = "A speedscope file has shared frames and a list of profiles.";
	Speedscope *s = state;

	if (!fg_json_finish(s->json))
		return false;
	if (!s->has_frames || s->profiles == 0)
		return fg_fail_at(s->ctx, FG_ERROR_SYNTAX, 0, 0, hint, "the speedscope file has no %s",
						  s->has_frames ? "profile" : "frames");
	if (!s->found)
		return fg_fail_at(s->ctx, FG_ERROR_ARGUMENT, 0, 0, "The index counts from 0.",
						  "there is no profile %d, the file has %d of them",
						  fg_sink_options(s->sink)->profile, s->profiles);
	return fg_speedscope_name(&s->stacks);
}

static bool
speedscope_recognise(const char *head, size_t size, bool whole)
{
	(void) whole;
	return fg_json_begins(head, size) &&
		(fg_json_holds(head, size, "speedscope.app/file-format-schema.json") ||
		 (fg_json_holds(head, size, "\"shared\"") && fg_json_holds(head, size, "\"frames\"")) ||
		 (fg_json_holds(head, size, "\"profiles\"") &&
		  (fg_json_holds(head, size, "\"sampled\"") || fg_json_holds(head, size, "\"evented\""))));
}

const FgFormatReader fg_speedscope_reader = {
	.format = FG_FORMAT_SPEEDSCOPE,
	.recognise = speedscope_recognise,
	.begin = speedscope_begin,
	.feed = speedscope_feed,
	.finish = speedscope_finish,
	.free = speedscope_free
};
