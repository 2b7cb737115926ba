/*
 * sink_end.c
 *	  The life of a sink, and the trees that it ends with (see sink.h).
 */
#include "core/reading/sink_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* So many samples, each of another stack, are a file that was summed up before. */
#define MIN_SUMMED 20

/* --- a selection that is not there --------------------------------------------- */

/* "a, b and others", short enough for an error. */
static void
print_listed(const FgSink *sink, char *to, size_t size)
{
	size_t		at = 0;

	to[0] = '\0';
	for (size_t i = 0; i < sink->nlisted; i++)
	{
		const char *name = sink->listed[i];
		size_t		length = strlen(name);
		size_t		shown = fg_utf8_prefix(name, length < 40 ? length : 40);

		if (at + shown + sizeof(", and others") > size)
		{
			snprintf(to + at, size - at, " and others");
			return;
		}
		at += (size_t) snprintf(to + at, size - at, "%s%.*s", i > 0 ? ", " : "", (int) shown, name);
	}
}

static bool
fail_selection(FgSink *sink)
{
	static const char hint[] = "Name one that the recording has.";
	const char *wanted = sink->options->selection;
	char		listed[110];
	size_t		length;

	print_listed(sink, listed, sizeof(listed));
	if (sink->count > 1)
		return fg_fail_at(sink->ctx, FG_ERROR_ARGUMENT, 0, 0, "Name one of them.",
						  "the recording has several events: %s", listed);
	if (wanted == NULL)
		wanted = sink->default_name;
	if (wanted == NULL)
		wanted = "";
	length = strlen(wanted);
	return fg_fail_at(sink->ctx, FG_ERROR_ARGUMENT, 0, 0, hint,
					  "the recording has no event \"%.*s\"; it has %s",
					  (int) fg_utf8_prefix(wanted, length < 40 ? length : 40), wanted, listed);
}

static bool
finish_tree(FgContext *ctx, FgBuilder *builder, FgTree *tree)
{
	return builder != NULL ? fg_builder_finish(builder, tree) : fg_tree_empty(ctx, tree);
}

static bool
finish_further(FgContext *ctx, FgBuilder *builder, int number, FgTree *tree)
{
	if (builder == NULL)
		return fg_tree_empty(ctx, tree);
	return fg_builder_tree(builder, number, tree) && fg_tree_prune_zeros(ctx, tree);
}

/* Has each of many samples a stack of its own? */
static bool
was_summed(const FgTree *samples)
{
	uint64_t	stacks = 0;

	for (uint32_t i = 0; i <= samples->nnodes; i++)
	{
		if (samples->self[i] > 1)
			return false;
		stacks += samples->self[i] == 1;
	}
	return stacks >= MIN_SUMMED;
}

/*
 * The period, where the samples weigh the same and nobody has said it, or what cannot
 * be had from a period.
 */
static bool
finish_weights(FgSink *sink, FgSinkProfile *profile, FgRecorded *recorded)
{
	FgContext  *ctx = sink->ctx;
	const FgWeights *weights = &profile->weights;

	if (weights->count == 0 || weights->unknown || !isfinite(weights->squares))
		return true;
	if (!finish_further(ctx, profile->complete, FG_SINK_SAMPLES, &recorded->samples))
		return false;
	if (sink->may_be_summed && was_summed(&recorded->samples))
	{
		fg_tree_free(ctx, &recorded->samples);
		return true;
	}
	/* one sample alone does not say what others would weigh */
	if (!weights->differ && recorded->period == 0 && weights->count > 1 && weights->first > 0)
		recorded->period = weights->first;
	recorded->weighed = weights->differ || recorded->period == 0 ||
		recorded->period != weights->first;
	if (recorded->weighed)
		return finish_further(ctx, profile->complete, FG_SINK_NOISE, &recorded->noise);
	fg_tree_free(ctx, &recorded->samples);
	return true;
}

/* Leaves the stacks of max_depth frames and more, or all others. */
static bool
keep_stacks(FgContext *ctx, FgTree *tree, uint32_t max_depth, bool deep)
{
	for (uint32_t i = 0; i <= tree->nnodes; i++)
	{
		if ((fg_key_depth(tree->key[i]) >= max_depth) != deep)
			tree->self[i] = 0;
		if (!fg_check_every(ctx, i))
			return false;
	}
	return fg_tree_prune_zeros(ctx, tree);
}

static bool
split_given(FgSink *sink, FgSinkProfile *profile, FgRecorded *recorded)
{
	uint32_t	max_depth = sink->options->max_depth;

	recorded->complete = profile->given;
	profile->given = (FgTree) {.nnodes = 0};
	if (max_depth == 0)
		return fg_tree_empty(sink->ctx, &recorded->truncated);
	return fg_tree_copy(sink->ctx, &recorded->complete, &recorded->truncated) &&
		keep_stacks(sink->ctx, &recorded->complete, max_depth, false) &&
		keep_stacks(sink->ctx, &recorded->truncated, max_depth, true);
}

static void
free_builder(FgBuilder **builder)
{
	if (*builder != NULL)
		fg_builder_free(*builder);
	*builder = NULL;
}

bool
fg_recorded_check_total(FgContext *ctx, const FgTree *tree)
{
	double		total = 0;

	for (uint32_t i = 0; i <= tree->nnodes; i++)
	{
		total += tree->self[i];
		if (!fg_check_every(ctx, i))
			return false;
	}
	return isfinite(total) ||
		fg_fail(ctx, FG_ERROR_RANGE, "the total of all samples is out of range");
}

static bool
finish_profile(FgSink *sink, FgSinkProfile *profile, FgRecorded *recorded)
{
	FgContext  *ctx = sink->ctx;

	recorded->event = profile->event;
	recorded->name = profile->name;
	recorded->unit = profile->unit;
	recorded->period = profile->period;
	profile->event = profile->name = profile->unit = NULL;
	if (sink->timeline != NULL)
		return fg_timeline_gap(sink->timeline, (uint32_t) (profile - sink->profiles),
							   &recorded->gap);
	if (profile->given.key != NULL)
		return split_given(sink, profile, recorded);
	if (!finish_tree(ctx, profile->complete, &recorded->complete) ||
		!finish_tree(ctx, profile->truncated, &recorded->truncated) ||
		!fg_recorded_check_total(ctx, &recorded->complete) ||
		!fg_recorded_check_total(ctx, &recorded->truncated) ||
		!finish_weights(sink, profile, recorded))
		return false;
	free_builder(&profile->complete);
	free_builder(&profile->truncated);
	return true;
}

/* A recording without any sample is an empty profile. */
static bool
add_empty(FgSink *sink)
{
	const char *wanted = sink->options->selection;
	FgKind		kind = {.event = "cpu", .name = wanted != NULL ? wanted : "", .unit = "samples"};

	return sink->options->every || sink->nlisted > 0 || fg_sink_add_profile(sink, &kind);
}

bool
fg_sink_finish(FgSink *sink, FgRecording *recording)
{
	if (!add_empty(sink))
		return false;
	if (!sink->options->every && sink->count != 1)
		return fail_selection(sink);
	if (sink->timeline != NULL && !fg_timeline_finish(sink->timeline))
		return false;
	recording->noted = sink->noted;
	recording->warnings = sink->warnings;
	recording->ticks_per_second = sink->ticks;
	recording->profiles = fg_alloc_zero(sink->ctx, sink->count, sizeof(FgRecorded));
	if (recording->profiles == NULL)
		return false;
	for (size_t i = 0; i < sink->count; i++)
	{
		recording->count++;
		if (!finish_profile(sink, &sink->profiles[i], &recording->profiles[i]))
			return false;
	}
	return true;
}

FgSink *
fg_sink_create(FgContext *ctx, const FgReadOptions *options)
{
	FgSink	   *sink = fg_alloc_zero(ctx, 1, sizeof(FgSink));

	if (sink == NULL)
		return NULL;
	sink->ctx = sink->bytes.ctx = sink->thread.ctx = sink->path.ctx = ctx;
	sink->lane.ctx = sink->checked.ctx = ctx;
	sink->options = options;
	sink->ticks = 1;
	if (options->taker == NULL)
		return sink;
	sink->timeline = fg_timeline_create(ctx, options->taker);
	if (sink->timeline != NULL)
		return sink;
	fg_sink_free(sink);
	return NULL;
}

void
fg_sink_free(FgSink *sink)
{
	FgContext  *ctx;

	if (sink == NULL)
		return;
	ctx = sink->ctx;
	for (size_t i = 0; i < sink->count; i++)
	{
		FgSinkProfile *profile = &sink->profiles[i];

		fg_release(ctx, profile->event);
		fg_release(ctx, profile->name);
		fg_release(ctx, profile->unit);
		free_builder(&profile->complete);
		free_builder(&profile->truncated);
		fg_tree_free(ctx, &profile->given);
	}
	for (size_t i = 0; i < sink->nlisted; i++)
		fg_release(ctx, sink->listed[i]);
	fg_release(ctx, sink->profiles);
	fg_release(ctx, sink->default_name);
	fg_release(ctx, sink->bytes.data);
	fg_release(ctx, sink->frames);
	fg_release(ctx, sink->thread.data);
	fg_release(ctx, sink->path.data);
	fg_release(ctx, sink->lane.data);
	fg_release(ctx, sink->checked.data);
	fg_timeline_free(sink->timeline);
	fg_release(ctx, sink);
}

void
fg_noted_detail(const FgNoted *noted, char detail[FG_NOTED_DETAIL])
{
	int			at = 0;

	detail[0] = '\0';
	if (noted->unknown_frames > 0 || noted->control_characters > 0)
		at = snprintf(detail, FG_NOTED_DETAIL, "Empty frames replaced by [unknown]: %" PRIu64
					  ". Control characters replaced by a space: %" PRIu64 ".",
					  noted->unknown_frames, noted->control_characters);
	if (noted->labels > 0)
		snprintf(detail + at, FG_NOTED_DETAIL - (size_t) at, "%sLabels of samples left out: %" PRIu64 ".",
				 at > 0 ? " " : "", noted->labels);
}
