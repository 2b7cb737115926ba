/*
 * speedscope.c
 *	  Files of speedscope, which many profilers write: sampled and evented profiles.
 *
 * Stacks refer to frames by their position in a list that may stand at the end of
 * the file, so they are built over positions first and get their names when all is
 * read.  Samples and their weights are two lists, in any order; what is kept of
 * them is twelve bytes a sample.
 *
 * Without an index the profiles of the file are added up: they are the threads of a
 * process, mostly.  They must then have one unit.
 *
 * A frame is its name; with frame_style function:line also :LINE.
 */
#include "core/reading/sink.h"

#include "core/base/bytes.h"
#include "core/base/pairs.h"
#include "core/reading/json_stream.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define NOTHING FG_NONE

/* The builder's values (builder.h) of a stack over positions. */
enum
{
	VALUE, SAMPLES, NOISE
};

/* A frame by its position, as the builder knows it: with the place of its first use. */
typedef struct Reference
{
	uint32_t	position;
	uint64_t	line;
	uint64_t	column;
} Reference;

typedef struct Name
{
	size_t		start;			/* in "names" */
	size_t		length;
} Name;

/* A frame of a sample, and the node it leads to. */
typedef struct Step
{
	uint32_t	position;
	uint32_t	node;
} Step;

/* A node of the stacks over positions, for who walks from a leaf to the root. */
typedef struct Up
{
	uint32_t	parent;
	uint32_t	position;
} Up;

/* A sample with its time, until frames have names. */
typedef struct Timed
{
	uint32_t	node;
	uint32_t	profile;		/* which of the chosen ones, in "lanes" */
	double		start;
	double		stop;
	double		value;
} Timed;

typedef struct Speedscope
{
	FgSink	   *sink;
	FgContext  *ctx;
	FgJson	   *json;

	/* the shared frames */
	FgBuffer	names;
	Name	   *frames;
	size_t		frame_count;
	size_t		frame_capacity;
	bool		has_frames;
	bool		frame_named;
	double		frame_line;

	/* the stacks over positions */
	FgBuilder  *builder;
	FgPairs		positions;		/* of frames, and 0: their number in the builder */
	Reference  *references;		/* by this number */
	size_t		reference_count;
	size_t		reference_capacity;
	uint64_t	samples;
	FgWeights	weights;

	/* the samples with their times, when somebody takes them (fg_sink_is_timed) */
	bool		timed;
	Up		   *ups;			/* by node */
	size_t		up_count;
	size_t		up_capacity;
	Timed	   *taken;
	size_t		taken_count;
	size_t		taken_capacity;
	FgBuffer	lane_names;		/* of the chosen profiles */
	Name	   *lanes;
	size_t		lane_count;
	size_t		lane_capacity;
	double		start;			/* of the profile that is being read */

	/* the profile that is being read */
	int			number;			/* from 0 */
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
	int			profiles;
	char		common_unit[32];
	bool		found;
	uint32_t   *images;			/* the node that each depth of the finished tree became */
	uint32_t   *renamed;		/* and the number of each frame */
} Speedscope;

/* --- stacks over positions ----------------------------------------------------------- */

/* The builder numbers nodes from 1 as they come. */
static bool
note_parent(Speedscope *s, uint32_t node, uint32_t parent, uint32_t position)
{
	if (node < s->up_count)
		return true;
	if (!fg_reserve(s->ctx, (void **) &s->ups, &s->up_capacity, (size_t) node + 1, sizeof(Up)))
		return false;
	for (; s->up_count < node; s->up_count++)
		s->ups[s->up_count] = (Up) {0, NOTHING};
	s->ups[s->up_count++] = (Up) {parent, position};
	return true;
}

/* A position that has not come before, as a frame of the builder, which numbers them alike. */
static bool
add_position(Speedscope *s, uint32_t position, uint32_t *number)
{
	char		text[16];
	int			length = snprintf(text, sizeof(text), "%" PRIu32, position);
	Reference	reference = {.position = position};
	uint32_t	pair;

	if (!fg_builder_frame(s->builder, text, (size_t) length, number) ||
		!fg_reserve(s->ctx, (void **) &s->references, &s->reference_capacity,
					s->reference_count + 1, sizeof(Reference)) ||
		!fg_pairs_add(&s->positions, position, 0, &pair))
		return false;
	fg_json_place(s->json, &reference.line, &reference.column);
	s->references[s->reference_count++] = reference;
	return true;
}

/* The child of a node with the frame at this position. */
static bool
child_of(Speedscope *s, uint32_t parent, uint32_t position, uint32_t *node)
{
	uint32_t	number = fg_pairs_find(&s->positions, position, 0);

	if (number == FG_NONE && !add_position(s, position, &number))
		return false;
	return fg_json_at(s->json, fg_builder_child(s->builder, parent, number, node)) &&
		(!s->timed || note_parent(s, *node, parent, position));
}

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
	if (!child_of(s, s->node, position, &s->node) ||
		!fg_reserve(s->ctx, (void **) &s->steps, &s->step_capacity, depth + 1, sizeof(Step)))
		return false;
	s->steps[depth] = (Step) {position, s->node};
	return true;
}

static bool
take_sample_frames(Speedscope *s, const FgJsonValue *value)
{
	uint32_t	position;

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
too_many(Speedscope *s)
{
	return fg_json_fail(s->json, FG_ERROR_LIMIT, NULL, "profile %d has more than %u samples",
						s->number, FG_MAX_KEPT_SAMPLES);
}

static bool
end_sample(Speedscope *s)
{
	if (!s->again)
		fg_json_ended(s->json, &s->mark);
	if (!s->chosen)
		return true;
	if (s->node_count >= FG_MAX_KEPT_SAMPLES)
		return too_many(s);
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
			return too_many(s);
		if (!fg_reserve(s->ctx, (void **) &s->sample_weights, &s->weight_capacity,
						s->weight_count + 1, sizeof(double)))
			return false;
		s->sample_weights[s->weight_count++] = weight;
	} while (fg_json_next_number(s->json, &weight));
	return true;
}

static bool
add_value(Speedscope *s, uint32_t node, double value)
{
	s->samples++;
	return fg_json_at(s->json, fg_builder_add_value(s->builder, node, value));
}

static bool
add_weight(Speedscope *s, uint32_t node, double weight)
{
	FgSum		sum = {.value = 0};

	fg_sum_add(&sum, &s->weights, weight);
	return add_value(s, node, weight) && fg_builder_add_further(s->builder, SAMPLES, sum.samples) &&
		(!isfinite(s->weights.squares) ||
		 fg_builder_add_further(s->builder, NOISE, sum.noise));
}

/* A sample from "start" to "stop", to be handed on when frames have names. */
static bool
take(Speedscope *s, uint32_t node, double start, double stop, double value)
{
	if (s->taken_count >= FG_MAX_KEPT_SAMPLES)
		return too_many(s);
	if (!(stop >= start))
		return fg_json_fail(s->json, FG_ERROR_SYNTAX, NULL, "a weight of profile %d is negative",
							s->number);
	if (!fg_reserve(s->ctx, (void **) &s->taken, &s->taken_capacity, s->taken_count + 1,
					sizeof(Timed)))
		return false;
	s->taken[s->taken_count++] = (Timed) {node, (uint32_t) s->lane_count - 1, start, stop, value};
	s->samples++;
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

		if (!fg_check_every(s->ctx, i) || !take(s, s->nodes[i], at, at + weight, weight))
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
							"profile %d has %zu samples and %zu weights", s->number,
							s->node_count, s->weight_count);
	if (s->timed)
		return take_samples(s);
	for (size_t i = 0; i < s->node_count; i++)
	{
		if (!fg_check_every(s->ctx, i) || !add_weight(s, s->nodes[i], s->sample_weights[i]))
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
		!child_of(s, parent, s->event_frame, &s->open[s->depth]))
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

	return s->timed ? take(s, node, s->last_at, s->event_at, span) : add_value(s, node, span);
}

static bool
end_event(Speedscope *s)
{
	if (!s->chosen)
		return true;
	if (s->event_frame == NOTHING || !s->has_at || (s->event != 'O' && s->event != 'C'))
		return fg_json_fail(s->json, FG_ERROR_SYNTAX,
							"An event has type \"O\" or \"C\", frame and at.", "an event is not complete");
	if (s->has_last && s->event_at < s->last_at)
		return fg_json_fail(s->json, FG_ERROR_SYNTAX, NULL,
							"an event is earlier than the one before it");
	s->weights.unknown = true;
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
	s->event_frame = NOTHING;
	s->has_at = false;
}

/* --- profiles ------------------------------------------------------------------------------- */

static bool
begin_lane(Speedscope *s)
{
	/* each takes a few bytes of the file, and samples refer to it by 32 bits */
	if (s->lane_count >= FG_MAX_KEPT_SAMPLES)
		return too_many(s);
	if (!fg_reserve(s->ctx, (void **) &s->lanes, &s->lane_capacity, s->lane_count + 1,
					sizeof(Name)))
		return false;
	s->lanes[s->lane_count++] = (Name) {s->lane_names.size, 0};
	return true;
}

/* The name of a profile is that of a thread, mostly. */
static bool
take_lane(Speedscope *s, const FgJsonValue *value)
{
	Name	   *lane;

	if (!s->timed || !s->chosen)
		return true;
	lane = &s->lanes[s->lane_count - 1];
	*lane = (Name) {s->lane_names.size, value->length};
	return fg_buffer_append(&s->lane_names, value->text, value->length);
}

static bool
begin_profile(Speedscope *s)
{
	int			wanted = fg_sink_options(s->sink)->profile;

	s->number = s->profiles++;
	s->chosen = wanted < 0 || wanted == s->number;
	s->found = s->found || s->chosen;
	s->has_unit = s->has_samples = s->has_weights = s->has_events = s->has_last = false;
	s->node_count = s->weight_count = s->depth = 0;
	s->start = 0;
	/* of a profile that is not chosen samples have no nodes */
	s->mark = (FgJsonMark) {.length = 0};
	return !s->timed || !s->chosen || begin_lane(s);
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
	if (s->common_unit[0] == '\0')
		strcpy(s->common_unit, s->unit);
	if (strcmp(s->common_unit, s->unit) != 0)
		return fg_json_fail(s->json, FG_ERROR_ARGUMENT, "Choose one profile by its index, from 0.",
							"the profiles have several units, %s and %s", s->common_unit, s->unit);
	if (s->depth > 0)
		return fg_json_fail(s->json, FG_ERROR_SYNTAX, NULL,
							"profile %d ends with %zu open frames", s->number, s->depth);
	if (s->has_samples || s->has_weights)
		return add_samples(s);
	if (!s->has_events)
		return fg_json_fail(s->json, FG_ERROR_SYNTAX, NULL,
							"profile %d has neither samples nor events", s->number);
	return true;
}

/* A second list of the same name would mix with the first. */
static bool
once(Speedscope *s, const FgJsonValue *value, bool *seen, const char *what)
{
	if (value->end)
		return true;
	if (*seen)
		return fg_json_fail(s->json, FG_ERROR_SYNTAX, NULL, "there are two lists of %s", what);
	*seen = true;
	return true;
}

/* --- the shared frames -------------------------------------------------------------------------- */

static bool
begin_frame(Speedscope *s)
{
	Name		name = {s->names.size, 0};

	if (s->frame_count >= NOTHING ||
		!fg_reserve(s->ctx, (void **) &s->frames, &s->frame_capacity, s->frame_count + 1,
					sizeof(Name)))
		return false;
	s->frames[s->frame_count] = name;
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
	return fg_buffer_append(&s->names, value->text, value->length);
}

static bool
end_frame(Speedscope *s)
{
	Name	   *name = &s->frames[s->frame_count++];
	char		line[32];

	if (!s->frame_named)
		return fg_json_fail(s->json, FG_ERROR_SYNTAX, NULL, "a frame has no name");
	if (fg_sink_options(s->sink)->frame_style == FG_FRAME_LINE && s->frame_line > 0 &&
		s->frame_line < 1e9)
	{
		snprintf(line, sizeof(line), ":%.0f", s->frame_line);
		if (!fg_buffer_append(&s->names, line, strlen(line)))
			return false;
	}
	name->length = s->names.size - name->start;
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
	{SAMPLE, NULL, SAMPLE_FRAME, FG_JSON_NUMBER},
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
		case FRAMES:
			return once(s, value, &s->has_frames, "frames");
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
			return !s->timed || value->type != FG_JSON_NUMBER ||
				fg_json_number(s->json, value, &s->start);
		case SAMPLE_LIST:
			return once(s, value, &s->has_samples, "samples");
		case WEIGHTS:
			return once(s, value, &s->has_weights, "weights");
		case EVENTS:
			return once(s, value, &s->has_events, "events");
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

/* --- names for positions ------------------------------------------------------------------------- */

static bool
check_references(Speedscope *s)
{
	for (size_t i = 0; i < s->reference_count; i++)
	{
		const Reference *reference = &s->references[i];

		if (reference->position >= s->frame_count)
			return fg_fail_at(s->ctx, FG_ERROR_SYNTAX, reference->line, reference->column, NULL,
							  "there is no frame %" PRIu32 ", the file has %zu of them",
							  reference->position, s->frame_count);
	}
	return true;
}

/* The stack of each node with a value, from the finished trees over positions. */
static bool
add_trees(Speedscope *s, const FgTree *trees, uint32_t profile)
{
	const FgTree *tree = &trees[VALUE];
	uint32_t	depth_bound = fg_tree_depth_bound(tree);

	s->images = fg_alloc(s->ctx, (size_t) depth_bound + 1, sizeof(uint32_t));
	s->renamed = fg_alloc(s->ctx, tree->frames.count, sizeof(uint32_t));
	if (s->images == NULL || s->renamed == NULL)
		return false;
	for (uint32_t f = 0; f < tree->frames.count; f++)
	{
		const char *text = fg_frame_bytes(&tree->frames, f);
		uint32_t	length = fg_frame_length(&tree->frames, f);

		s->renamed[f] = 0;
		for (uint32_t i = 0; i < length; i++)
			s->renamed[f] = s->renamed[f] * 10 + (uint32_t) (text[i] - '0');
	}
	for (uint32_t i = 0; i <= tree->nnodes; i++)
	{
		uint32_t	depth = fg_key_depth(tree->key[i]);
		FgSum		sum = {tree->self[i], trees[SAMPLES].self[i], trees[NOISE].self[i]};

		if (depth > 0)
			s->images[depth] = s->renamed[fg_key_frame(tree->key[i])];
		if (!fg_check_every(s->ctx, i))
			return false;
		if (sum.value == 0 && sum.samples == 0)
			continue;
		fg_sink_clear(s->sink);
		for (uint32_t d = 1; d <= depth; d++)
		{
			const Name *name = &s->frames[s->images[d]];

			if (!fg_sink_frame(s->sink, (char *) s->names.data + name->start, name->length))
				return false;
		}
		if (!fg_sink_sum(s->sink, profile, FG_ROOT_FIRST, false, &sum) ||
			!fg_work(s->ctx, (size_t) depth * 16))
			return false;
	}
	return true;
}

/* --- samples with times ------------------------------------------------------------------------- */

/* How many of a unit make a second; 0 when it is no unit of time. */
static double
ticks_of_unit(const char *unit)
{
	static const struct
	{
		const char *unit;
		double		ticks;
	}			units[] = {
		{"nanoseconds", 1e9}, {"microseconds", 1e6}, {"milliseconds", 1e3}, {"seconds", 1}
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
	{
		if (strcmp(unit, units[i].unit) == 0)
			return units[i].ticks;
	}
	return 0;
}

static bool
hand_on(Speedscope *s, const Timed *timed, uint32_t profile)
{
	const Name *lane = &s->lanes[timed->profile];
	const char *names = (char *) s->lane_names.data;
	size_t		depth = 0;

	fg_sink_clear(s->sink);
	for (uint32_t node = timed->node; node != 0; node = s->ups[node].parent, depth++)
	{
		const Name *name = &s->frames[s->ups[node].position];

		if (!fg_sink_frame(s->sink, (char *) s->names.data + name->start, name->length))
			return false;
	}
	if (lane->length > 0 && !fg_sink_lane(s->sink, names + lane->start, lane->length))
		return false;
	fg_sink_time(s->sink, timed->start, timed->stop);
	return fg_sink_add(s->sink, profile, FG_LEAF_FIRST, false, timed->value) &&
		fg_work(s->ctx, depth * 16);
}

static bool
hand_on_samples(Speedscope *s, uint32_t profile)
{
	double		ticks = ticks_of_unit(s->common_unit);

	if (ticks == 0)
		return fg_fail(s->ctx, FG_ERROR_ARGUMENT, "the unit of the profiles, %s, is no time",
					   s->common_unit);
	fg_sink_ticks(s->sink, ticks);
	for (size_t i = 0; i < s->taken_count; i++)
	{
		if (!hand_on(s, &s->taken[i], profile))
			return false;
	}
	return true;
}

static const char *
event_of_unit(const char *unit)
{
	return strcmp(unit, "bytes") == 0 ? "alloc" : "cpu";
}

static bool
name_stacks(Speedscope *s)
{
	const char *unit = strcmp(s->common_unit, "none") == 0 ? "samples" : s->common_unit;
	FgKind		kind = {event_of_unit(s->common_unit), "", unit, 0};
	uint32_t	profile;
	FgTree		trees[FG_BUILDER_VALUES] = {{.nnodes = 0}};
	bool		ok = true;

	if (!check_references(s) || !fg_sink_whole(s->sink, &kind, &profile))
		return false;
	if (profile == FG_UNWANTED)
		return true;
	if (s->timed)
		return hand_on_samples(s, profile);
	fg_sink_may_be_summed(s->sink);
	for (int i = 0; ok && i < FG_BUILDER_VALUES; i++)
		ok = fg_builder_tree(s->builder, i, &trees[i]);
	fg_sink_weights(s->sink, profile, &s->weights);
	ok = ok && add_trees(s, trees, profile);
	for (int i = 0; i < FG_BUILDER_VALUES; i++)
		fg_tree_free(s->ctx, &trees[i]);
	fg_sink_noted(s->sink)->samples = s->samples;
	return ok;
}

/* --- the reader ------------------------------------------------------------------------------------ */

static void
speedscope_free(void *state)
{
	Speedscope *s = state;

	if (s == NULL)
		return;
	fg_json_close(s->json);
	if (s->builder != NULL)
		fg_builder_free(s->builder);
	fg_pairs_free(&s->positions);
	fg_release(s->ctx, s->names.data);
	fg_release(s->ctx, s->frames);
	fg_release(s->ctx, s->ups);
	fg_release(s->ctx, s->taken);
	fg_release(s->ctx, s->lane_names.data);
	fg_release(s->ctx, s->lanes);
	fg_release(s->ctx, s->references);
	fg_release(s->ctx, s->nodes);
	fg_release(s->ctx, s->steps);
	fg_release(s->ctx, s->sample_weights);
	fg_release(s->ctx, s->open);
	fg_release(s->ctx, s->open_frames);
	fg_release(s->ctx, s->images);
	fg_release(s->ctx, s->renamed);
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
	s->names.ctx = s->lane_names.ctx = s->positions.ctx = ctx;
	s->timed = fg_sink_is_timed(sink);
	s->json = fg_json_open(ctx, "speedscope file", rules, take_value, s);
	s->builder = fg_builder_create(ctx);
	if (fg_pairs_begin(ctx, &s->positions) && s->json != NULL && s->builder != NULL)
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
	return name_stacks(s);
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
