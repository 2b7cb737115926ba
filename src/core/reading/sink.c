/*
 * sink.c
 *	  Where formats put what they have read (see sink.h).
 */
#include "core/reading/sink_internal.h"

#include "core/profile/path.h"

#include <math.h>

static const char unknown_frame[] = "[unknown]";

/* Events of one recording: no profiler has so many, a hostile file may. */
#define MAX_EVENTS 1000

/* --- texts --------------------------------------------------------------- */

static bool
is_control(uint8_t byte)
{
	return byte < 0x20 || byte == 0x7F;
}

/* Appends a text with its control characters as blanks. */
static bool
append_clean(FgBuffer *to, const char *text, size_t length, uint64_t *replaced)
{
	uint8_t    *copy;
	uint8_t		any = 0;

	if (length == 0)
		return true;
	if (!fg_buffer_append(to, text, length))
		return false;
	copy = to->data + to->size - length;
	/* a loop without a branch first, which compilers turn into vectors: names are mostly clean */
	for (size_t i = 0; i < length; i++)
		any |= (uint8_t) ((copy[i] < 0x20) | (copy[i] == 0x7F));
	for (size_t i = 0; any != 0 && i < length; i++)
	{
		if (!is_control(copy[i]))
			continue;
		copy[i] = ' ';
		++*replaced;
	}
	return true;
}

static char *
copy_text(FgContext *ctx, const char *text)
{
	size_t		length = strlen(text);
	FgBuffer	copy = {.ctx = ctx};
	uint64_t	replaced = 0;

	if (fg_utf8_prefix(text, length) != length)
	{
		fg_fail(ctx, FG_ERROR_ENCODING, "the name of an event is not valid UTF-8");
		return NULL;
	}
	if (append_clean(&copy, text, length, &replaced) && fg_buffer_append(&copy, "", 1))
		return (char *) copy.data;
	fg_release(ctx, copy.data);
	return NULL;
}

/* --- the stack being collected --------------------------------------------- */

void
fg_sink_clear(FgSink *sink)
{
	sink->bytes.size = 0;
	sink->nframes = 0;
	sink->has_thread = false;
	sink->timed.has_thread = false;
	sink->cleared = sink->noted;
}

bool
fg_sink_frame(FgSink *sink, const char *frame, size_t length)
{
	FgSinkFrame	span = {sink->bytes.size, length};

	if (length == 0)
	{
		frame = unknown_frame;
		span.length = sizeof(unknown_frame) - 1;
		sink->noted.unknown_frames++;
	}
	/* said before the stack is there as a whole */
	if (sink->nframes > FG_MAX_DEPTH)
		return fg_fail(sink->ctx, FG_ERROR_LIMIT, "a stack has more than %u frames", FG_MAX_DEPTH);
	if (span.length > FG_MAX_BYTES - sink->bytes.size)
		return fg_fail(sink->ctx, FG_ERROR_LIMIT, "a stack has more than %u bytes", FG_MAX_BYTES);
	if (!fg_reserve(sink->ctx, (void **) &sink->frames, &sink->frames_capacity,
					sink->nframes + 1, sizeof(FgSinkFrame)) ||
		!append_clean(&sink->bytes, frame, span.length, &sink->noted.control_characters))
		return false;
	sink->frames[sink->nframes++] = span;
	return true;
}

/* Where the last arrow in front of "end" is that is none of an operator's; 0: none. */
static size_t
last_arrow(const char *frame, size_t end)
{
	static const char operator_word[] = "operator";
	size_t		word = sizeof(operator_word) - 1;

	for (size_t at = end; at > 2; at--)
	{
		size_t		arrow = at - 2;

		if (frame[arrow] == '-' && frame[arrow + 1] == '>' &&
			(arrow < word || memcmp(frame + arrow - word, operator_word, word) != 0))
			return arrow;
	}
	return 0;
}

bool
fg_sink_inlined_frame(FgSink *sink, const char *frame, size_t length)
{
	size_t		arrow;

	while (sink->options->inlined && (arrow = last_arrow(frame, length)) > 0)
	{
		if (!fg_sink_frame(sink, frame + arrow + 2, length - arrow - 2))
			return false;
		length = arrow;
	}
	return fg_sink_frame(sink, frame, length);
}

bool
fg_sink_thread(FgSink *sink, const char *thread, size_t length)
{
	sink->thread.size = 0;
	sink->has_thread = true;
	return length == 0 ? fg_buffer_append(&sink->thread, unknown_frame, sizeof(unknown_frame) - 1)
		: append_clean(&sink->thread, thread, length, &sink->noted.control_characters);
}

static bool
append_to_path(FgBuffer *path, const void *frame, size_t length)
{
	return (path->size == 0 || fg_buffer_append(path, "", 1)) &&
		fg_buffer_append(path, frame, length);
}

static bool
make_path(FgSink *sink, FgStackOrder order)
{
	sink->path.size = 0;
	if (sink->has_thread &&
		!append_to_path(&sink->path, sink->thread.data, sink->thread.size))
		return false;
	for (size_t i = 0; i < sink->nframes; i++)
	{
		const FgSinkFrame *span = &sink->frames[order == FG_ROOT_FIRST ? i : sink->nframes - 1 - i];

		if (!append_to_path(&sink->path, sink->bytes.data + span->offset, span->length))
			return false;
	}
	return true;
}

/* The frames that the path before had in the same places need no second look. */
static bool
check_path(FgSink *sink)
{
	const char *path = (char *) sink->path.data;
	size_t		size = sink->path.size;
	size_t		common = 0;
	FgPathWalk	walk;

	/* a sample mostly has the stack of the one before */
	if (size > 0 && size == sink->checked.size && memcmp(sink->checked.data, path, size) == 0)
		return true;
	if (sink->checked.size > 0 && size > 0)
		common = fg_path_common((char *) sink->checked.data, sink->checked.size, path, size);
	sink->checked.size = 0;
	if (size == 0)
		return true;
	walk = fg_path_walk(path, size);
	while (fg_path_next(&walk))
	{
		if ((size_t) (walk.frame - path) >= common &&
			!fg_frame_valid(sink->ctx, walk.frame, walk.length))
			return false;
	}
	return fg_buffer_append(&sink->checked, path, size);
}

/* Hands the collected stack to the taker, with the checks that a builder makes. */
static bool
take_stack(FgSink *sink, uint32_t number, FgStackOrder order, double value)
{
	if (!make_path(sink, order) || !fg_work(sink->ctx, sink->path.size))
		return false;
	if (sink->nframes + sink->has_thread > FG_MAX_DEPTH)
		return fg_fail(sink->ctx, FG_ERROR_LIMIT, "a stack has more than %u frames", FG_MAX_DEPTH);
	if (!check_path(sink))
		return false;
	if (!isfinite(value) || !isfinite(sink->timed.start) ||
		(!sink->timed.until_next && !isfinite(sink->timed.stop)))
		return fg_fail(sink->ctx, FG_ERROR_RANGE, "a sample's value or time is too large");
	sink->timed.number = number;
	sink->timed.path = (char *) sink->path.data;
	sink->timed.path_length = sink->path.size;
	sink->timed.value = value;
	sink->timed.thread = sink->timed.has_thread ? (char *) sink->lane.data : NULL;
	sink->timed.thread_length = sink->timed.has_thread ? sink->lane.size : 0;
	sink->noted.samples++;
	sink->noted.without_stack += sink->nframes == 0;
	return fg_timeline_add(sink->timeline, &sink->timed);
}

bool
fg_sink_is_deep(const FgSink *sink, size_t frames)
{
	uint32_t	max_depth = sink->options->max_depth;

	return max_depth > 0 && frames >= max_depth;
}

/* What goes with a value that the builder has got: notes, and the further values. */
static bool
count_stack(FgSink *sink, uint32_t number, bool without_stack, bool truncated, const FgSum *sum)
{
	FgSinkProfile *profile = &sink->profiles[number];

	sink->noted.samples++;
	sink->noted.without_stack += without_stack;
	if (truncated || sum->samples == 0)
		return true;
	return fg_builder_add_further(profile->complete, FG_SINK_SAMPLES, sum->samples) &&
		(!isfinite(profile->weights.squares) ||
		 fg_builder_add_further(profile->complete, FG_SINK_NOISE, sum->noise));
}

/* Adds the collected stack. */
static bool
add_stack(FgSink *sink, uint32_t number, FgStackOrder order, bool truncated, const FgSum *sum)
{
	FgBuilder  *builder;

	if (sink->timeline != NULL)
		return take_stack(sink, number, order, sum->value);
	truncated |= fg_sink_is_deep(sink, sink->nframes);
	builder = fg_sink_builder(sink, number, truncated);
	if (builder == NULL || !make_path(sink, order))
		return false;
	/* columns of the path mean nothing to who reads the error */
	if (!fg_builder_add(builder, (char *) sink->path.data, sink->path.size, FG_PATH_SEPARATOR,
						false, sum->value))
	{
		sink->ctx->error.column = 0;
		return false;
	}
	return count_stack(sink, number, sink->nframes == 0, truncated, sum);
}

bool
fg_sink_sum(FgSink *sink, uint32_t number, FgStackOrder order, bool truncated, const FgSum *sum)
{
	if (number != FG_UNWANTED)
		return add_stack(sink, number, order, truncated, sum);
	sink->noted.other_events++;
	return true;
}

bool
fg_sink_add(FgSink *sink, uint32_t number, FgStackOrder order, bool truncated, double value)
{
	if (number != FG_UNWANTED)
		sink->profiles[number].weights.unknown = true;
	return fg_sink_sum(sink, number, order, truncated, &(FgSum) {.value = value});
}

bool
fg_sink_sample(FgSink *sink, uint32_t number, FgStackOrder order, bool truncated, double weight)
{
	FgSum		sum = {.value = 0};

	if (number != FG_UNWANTED)
		fg_sum_add(&sum, &sink->profiles[number].weights, weight);
	return fg_sink_sum(sink, number, order, truncated, &sum);
}

bool
fg_sink_know(FgSink *sink, uint32_t number, bool truncated, const char *frame, size_t length,
			 FgKnownFrame *known)
{
	FgBuilder  *builder = fg_sink_builder(sink, number, truncated);
	uint64_t	replaced = 0;

	known->unknown = length == 0;
	sink->path.size = 0;
	if (builder == NULL ||
		!(known->unknown
		  ? fg_buffer_append(&sink->path, unknown_frame, sizeof(unknown_frame) - 1)
		  : append_clean(&sink->path, frame, length, &replaced)))
		return false;
	known->control_characters = (uint32_t) replaced;
	return fg_builder_frame(builder, (char *) sink->path.data, sink->path.size, &known->number);
}

bool
fg_sink_step(FgSink *sink, uint32_t number, bool truncated, const FgKnownFrame *known,
			 uint32_t *node)
{
	FgBuilder  *builder = fg_sink_builder(sink, number, truncated);

	return builder != NULL && fg_builder_child(builder, *node, known->number, node);
}

bool
fg_sink_reserve(FgSink *sink, uint32_t number, bool truncated, size_t nodes)
{
	FgBuilder  *builder = fg_sink_builder(sink, number, truncated);

	return builder != NULL && fg_builder_reserve(builder, nodes);
}

bool
fg_sink_steps(FgSink *sink, const FgStackPlace *place, const uint32_t *frames, size_t count, uint32_t *nodes)
{
	FgBuilder  *builder = fg_sink_builder(sink, place->number, place->truncated);

	return builder != NULL && fg_builder_children(builder, place->node, frames, count, nodes);
}

FgStackPlace
fg_sink_place(const FgSink *sink, uint32_t number, bool truncated)
{
	const FgSinkProfile *profile = &sink->profiles[number];

	truncated |= fg_sink_is_deep(sink, sink->nframes);
	return (FgStackPlace) {
		.number = number,
		.node = fg_builder_newest(truncated ? profile->truncated : profile->complete),
		.truncated = truncated,
		.without_stack = sink->nframes == 0,
		.unknown_frames = sink->noted.unknown_frames - sink->cleared.unknown_frames,
		.control_characters = sink->noted.control_characters - sink->cleared.control_characters
	};
}

void
fg_sink_repeated(FgSink *sink, const FgStackPlace *place, uint64_t samples)
{
	sink->noted.unknown_frames += place->unknown_frames * samples;
	sink->noted.control_characters += place->control_characters * samples;
	sink->noted.samples += samples;
	sink->noted.without_stack += place->without_stack ? samples : 0;
}

/* Adds what some samples come to, so many times. */
static inline bool
add_sum_at(FgSink *sink, const FgStackPlace *place, const FgSum *sum, size_t times)
{
	const FgSinkProfile *profile = &sink->profiles[place->number];
	FgBuilder  *builder = place->truncated ? profile->truncated : profile->complete;
	const double values[] = {
		[FG_SINK_VALUE] = sum->value, [FG_SINK_SAMPLES] = sum->samples, [FG_SINK_NOISE] = sum->noise
	};

	fg_sink_repeated(sink, place, (uint64_t) sum->samples * times);
	if (builder == NULL)
		builder = fg_sink_builder(sink, place->number, place->truncated);
	return builder != NULL &&
		fg_builder_add_values(builder, place->node, values, place->truncated ? 1
							  : isfinite(profile->weights.squares) ? FG_SINK_NOISE + 1 : FG_SINK_SAMPLES + 1,
							  times);
}

bool
fg_sink_sum_at(FgSink *sink, const FgStackPlace *place, const FgSum *sum)
{
	return add_sum_at(sink, place, sum, 1);
}

bool
fg_sink_sample_at(FgSink *sink, const FgStackPlace *place, double weight)
{
	FgSum		sum = {.value = 0};

	fg_sum_add(&sum, &sink->profiles[place->number].weights, weight);
	return add_sum_at(sink, place, &sum, 1);
}

bool
fg_sink_samples_at(FgSink *sink, const FgStackPlace *place, double weight, size_t times)
{
	const FgSum sum = {.value = weight, .samples = 1, .noise = weight * weight};
	FgSum		all = {.value = 0};

	for (size_t i = 0; i < times; i++)
		fg_sum_add(&all, &sink->profiles[place->number].weights, weight);
	return add_sum_at(sink, place, &sum, times);
}

bool
fg_sink_add_at(FgSink *sink, const FgStackPlace *place, double value)
{
	FgBuilder  *builder = fg_sink_builder(sink, place->number, place->truncated);
	const FgSum sum = {.value = value};

	sink->profiles[place->number].weights.unknown = true;
	return builder != NULL && fg_builder_add_value(builder, place->node, value) &&
		count_stack(sink, place->number, place->without_stack, place->truncated, &sum);
}

void
fg_sink_weights(FgSink *sink, uint32_t number, const FgWeights *weights)
{
	if (number != FG_UNWANTED)
		sink->profiles[number].weights = *weights;
}

void
fg_sink_weigh(FgSink *sink, uint32_t number, const FgWeights *weights)
{
	FgWeights  *all = &sink->profiles[number].weights;

	if (weights->count == 0)
		return;
	if (all->count == 0)
		all->first = weights->first;
	all->differ |= weights->differ || weights->first != all->first;
	all->count += weights->count;
	all->squares += weights->squares;
}

void
fg_sink_may_be_summed(FgSink *sink)
{
	sink->may_be_summed = true;
}

/* --- samples with times ------------------------------------------------------ */

bool
fg_sink_is_timed(const FgSink *sink)
{
	return sink->timeline != NULL;
}

void
fg_sink_ticks(FgSink *sink, double per_second)
{
	sink->ticks = per_second;
}

double
fg_sink_interval(const FgSink *sink)
{
	return sink->options->taker != NULL ? sink->options->taker->interval * sink->ticks : 0;
}

bool
fg_sink_lane(FgSink *sink, const char *thread, size_t length)
{
	uint64_t	replaced = 0;

	if (fg_utf8_prefix(thread, length) != length)
		return fg_fail(sink->ctx, FG_ERROR_ENCODING, "the name of a thread is not valid UTF-8");
	sink->lane.size = 0;
	sink->timed.has_thread = true;
	/* room, so that an empty name has a place */
	return fg_buffer_room(&sink->lane, 1) && append_clean(&sink->lane, thread, length, &replaced);
}

void
fg_sink_time(FgSink *sink, double start, double stop)
{
	sink->timed.until_next = false;
	sink->timed.start = start;
	sink->timed.stop = stop;
	sink->timed.period = 0;
}

void
fg_sink_time_until_next(FgSink *sink, double start, double period)
{
	double		interval = fg_sink_interval(sink);

	sink->timed.until_next = true;
	sink->timed.start = start;
	sink->timed.stop = NAN;
	sink->timed.period = interval > 0 ? interval : period;
}

bool
fg_sink_advance(FgSink *sink, double ticks, double *before)
{
	return fg_timeline_advance(sink->timeline, (char *) sink->lane.data, sink->lane.size, ticks,
							   before);
}

/* --- profiles -------------------------------------------------------------- */

static bool
same(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static bool
list_name(FgSink *sink, const char *name)
{
	for (size_t i = 0; i < sink->nlisted; i++)
	{
		if (same(sink->listed[i], name))
			return true;
	}
	if (sink->nlisted == FG_SINK_LISTED)
		return true;
	sink->listed[sink->nlisted] = copy_text(sink->ctx, name);
	return sink->listed[sink->nlisted] != NULL && ++sink->nlisted;
}

static bool
is_wanted(const FgSink *sink, const char *name)
{
	if (sink->options->every)
		return true;
	if (sink->options->selection != NULL)
		return same(sink->options->selection, name);
	return sink->default_name == NULL || same(sink->default_name, name);
}

static void
note_period(FgSinkProfile *profile, double period)
{
	if (profile->period == 0 && !profile->period_varies)
		profile->period = period;
	else if (profile->period != period)
	{
		profile->period = 0;
		profile->period_varies = true;
	}
}

/* The strings and builders of a profile that could not be finished go with the sink. */
bool
fg_sink_add_profile(FgSink *sink, const FgKind *kind)
{
	FgSinkProfile *profile;

	if (!fg_reserve(sink->ctx, (void **) &sink->profiles, &sink->capacity, sink->count + 1,
					sizeof(FgSinkProfile)))
		return false;
	profile = &sink->profiles[sink->count++];
	*profile = (FgSinkProfile) {.period = kind->period};
	return (profile->event = copy_text(sink->ctx, kind->event)) != NULL &&
		(profile->name = copy_text(sink->ctx, kind->name)) != NULL &&
		(profile->unit = copy_text(sink->ctx, kind->unit)) != NULL;
}

bool
fg_sink_profile(FgSink *sink, const FgKind *kind, uint32_t *number)
{
	*number = FG_UNWANTED;
	for (size_t i = 0; i < sink->count; i++)
	{
		FgSinkProfile *profile = &sink->profiles[i];

		if (!same(profile->name, kind->name) || !same(profile->unit, kind->unit))
			continue;
		note_period(profile, kind->period);
		*number = (uint32_t) i;
		return true;
	}
	if (!list_name(sink, kind->name))
		return false;
	if (!is_wanted(sink, kind->name))
		return true;
	if (sink->count >= MAX_EVENTS)
		return fg_fail(sink->ctx, FG_ERROR_LIMIT, "the recording has more than %d events", MAX_EVENTS);
	*number = (uint32_t) sink->count;
	return fg_sink_add_profile(sink, kind);
}

bool
fg_sink_whole(FgSink *sink, const FgKind *kind, uint32_t *number)
{
	if (sink->options->selection != NULL)
		return fg_fail_at(sink->ctx, FG_ERROR_ARGUMENT, 0, 0, "Leave the selection out.",
						  "recordings of this format have one event, without a name");
	return fg_sink_profile(sink, kind, number);
}

bool
fg_sink_default(FgSink *sink, const char *name)
{
	fg_release(sink->ctx, sink->default_name);
	sink->default_name = copy_text(sink->ctx, name);
	return sink->default_name != NULL;
}

FgBuilder *
fg_sink_builder(FgSink *sink, uint32_t number, bool truncated)
{
	FgSinkProfile *profile = &sink->profiles[number];
	FgBuilder **builder = truncated ? &profile->truncated : &profile->complete;

	if (*builder == NULL)
	{
		*builder = fg_builder_create(sink->ctx);
		if (*builder != NULL)
			fg_builder_forbid_controls(*builder);
	}
	return *builder;
}

void
fg_sink_give(FgSink *sink, uint32_t number, FgTree *tree)
{
	sink->profiles[number].given = *tree;
	*tree = (FgTree) {.nnodes = 0};
}

bool
fg_sink_tree(FgSink *sink, uint32_t number, FgTree *tree)
{
	FgFacts		facts;
	bool		ok = fg_tree_facts(sink->ctx, tree, &facts);

	sink->noted.samples += facts.nstacks;
	fg_sink_give(sink, number, tree);
	return ok;
}

FgContext *
fg_sink_context(FgSink *sink)
{
	return sink->ctx;
}

FgNoted *
fg_sink_noted(FgSink *sink)
{
	return &sink->noted;
}

void
fg_sink_warn(FgSink *sink, const FgWarning *warning)
{
	fg_warn(&sink->warnings, warning);
}

const FgReadOptions *
fg_sink_options(FgSink *sink)
{
	return sink->options;
}
