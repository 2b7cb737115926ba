/*
 * job_profile.c
 *	  Values of leaves, added up over stacks of phase types (see job_profile.h).
 */
#include "core/bottlenecks/job_profile.h"

#include "core/attribution/attribution.h"
#include "core/base/bytes.h"
#include "core/base/choice.h"
#include "core/bottlenecks/bottlenecks.h"
#include "core/profile/builder.h"

static const char *const measures[FG_JOB_MEASURES] = {
	"time", "usage", "available", "waiting", "bottleneck"
};

bool
fg_job_measure_parse(FgContext *ctx, FgSpan word, FgJobMeasure *measure)
{
	static const FgChoice choice = {
		"measure", "Available: time, usage, available, waiting, bottleneck.", measures,
		FG_JOB_MEASURES
	};
	int			place;

	if (!fg_choice_parse(ctx, &choice, word.bytes, word.size, &place))
		return false;
	*measure = (FgJobMeasure) place;
	return true;
}

/* --- options --------------------------------------------------------------------------- */

static bool
refuse_type(FgContext *ctx, const char *hint, FgJobMeasure measure, const char *what)
{
	return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, hint, "measure \"%s\" %s", measures[measure],
					  what);
}

/* Usages of different types have different units, so they have no sum. */
static bool
check_options(const FgAnalysis *analysis, const FgJobProfileOptions *options)
{
	static const char consumable[] =
		"Give resource_type the name of a consumable resource type of the job's model.";
	FgContext  *ctx = analysis->ctx;
	FgJobMeasure measure = options->measure;
	FgResourceClass class = options->resource_type == FG_NONE ? FG_RESOURCE_CONTAINER :
		analysis->job->resource_types[options->resource_type].class;

	if (measure == FG_MEASURE_USAGE || measure == FG_MEASURE_AVAILABLE)
	{
		if (options->resource_type == FG_NONE)
			return refuse_type(ctx, consumable, measure, "needs a resource type");
		return class == FG_RESOURCE_CONSUMABLE ||
			refuse_type(ctx, consumable, measure, "needs a consumable resource type");
	}
	if (options->resource_type == FG_NONE)
		return true;
	if (measure == FG_MEASURE_TIME)
		return refuse_type(ctx, "Leave resource_type out: phases last as long for all of them.",
						   measure, "takes no resource type");
	if (measure == FG_MEASURE_WAITING && class != FG_RESOURCE_BLOCKING)
		return refuse_type(ctx, "Phases wait for blocking resources only; without resource_type "
						   "it is any of them.", measure, "needs a blocking resource type");
	return class != FG_RESOURCE_CONTAINER ||
		refuse_type(ctx, "It is a container of others; without resource_type it is any of them.",
					measure, "needs a consumable or blocking resource type");
}

/* --- values ---------------------------------------------------------------------------- */

typedef struct Profiler
{
	const FgAnalysis *analysis;
	const FgJobProfileOptions *options;
	FgConsumption *by_slot;		/* of usage and available */
	FgBottlenecks bottlenecks;	/* of bottleneck, of leaves alone */
	FgTimeRanges times;
	FgTimeRanges spare;
	FgBuilder  *builder;
	FgBuffer	name;
	uint32_t   *frame_of_type;	/* FG_NONE: not needed yet */
	uint32_t   *node;			/* by phase */
} Profiler;

static int64_t
length_of(const FgTimeRange *list, size_t count)
{
	int64_t		ticks = 0;

	for (size_t i = 0; i < count; i++)
		ticks += fg_interval_length(list[i]);
	return ticks;
}

/* The parts of a consumption of one type. */
static double
consumed(const Profiler *p, uint32_t leaf)
{
	const FgUses *uses = &p->analysis->uses;
	const FgUseList *list = fg_uses_of(uses, leaf);
	double		sum = 0;

	for (uint32_t i = 0; i < list->consumable; i++)
	{
		const FgConsumption *part = &p->by_slot[uses->first_slot[leaf] + i];
		uint32_t	resource = uses->uses[list->first + i].resource;

		if (p->analysis->job->resources[resource].type == p->options->resource_type)
			sum += p->options->measure == FG_MEASURE_USAGE ? part->used : part->available;
	}
	return sum;
}

/* The ticks in which a leaf waits: for a resource of one type, or for any. */
static bool
waited(Profiler *p, uint32_t leaf, int64_t *ticks)
{
	const FgAnalysis *analysis = p->analysis;
	const FgUses *uses = &analysis->uses;
	const FgUseList *list = fg_uses_of(uses, leaf);
	const FgActivity *activity = &analysis->activity;
	uint32_t	first = activity->first[leaf];

	if (p->options->resource_type == FG_NONE)
	{
		*ticks = fg_interval_length(analysis->slices.life[leaf]) -
			length_of(activity->active.list + first, activity->first[leaf + 1] - first);
		return true;
	}
	fg_intervals_clear(&p->times);
	for (uint32_t i = list->consumable; i < list->count; i++)
	{
		uint32_t	resource = uses->uses[list->first + i].resource;

		if (analysis->job->resources[resource].type == p->options->resource_type &&
			!fg_waiting_add(analysis->ctx, &analysis->slices, leaf, resource, &p->times))
			return false;
	}
	if (!fg_intervals_unite(analysis->ctx, &p->times, &p->spare))
		return false;
	*ticks = length_of(p->times.list, p->times.count);
	return true;
}

/* The ticks in which a resource of one type limits a leaf, or any does. */
static bool
limited(Profiler *p, uint32_t leaf, int64_t *ticks)
{
	const FgBottlenecks *bottlenecks = &p->bottlenecks;

	*ticks = 0;
	if (p->options->resource_type == FG_NONE)
	{
		fg_intervals_clear(&p->times);
		if (!fg_bottleneck_free_times(p->analysis, bottlenecks, leaf, &p->times, &p->spare))
			return false;
		*ticks = fg_interval_length(p->analysis->slices.life[leaf]) -
			length_of(p->times.list, p->times.count);
		return true;
	}
	for (uint32_t t = 0; t < bottlenecks->count[leaf]; t++)
	{
		const FgTrack *track = &bottlenecks->tracks[bottlenecks->first[leaf] + t];

		if (track->type == p->options->resource_type)
			*ticks = fg_track_ticks(bottlenecks, track);
	}
	return fg_steps(p->analysis->ctx, bottlenecks->count[leaf]);
}

static bool
measures_ticks(FgJobMeasure measure)
{
	return measure != FG_MEASURE_USAGE && measure != FG_MEASURE_AVAILABLE;
}

/* Times are ticks here, so that sums of them are exact. */
static bool
value_of(Profiler *p, uint32_t leaf, double *value)
{
	int64_t		ticks = 0;
	bool		ok = true;

	if (!measures_ticks(p->options->measure))
	{
		*value = consumed(p, leaf);
		return fg_steps(p->analysis->ctx, fg_uses_of(&p->analysis->uses, leaf)->consumable);
	}
	if (p->options->measure == FG_MEASURE_TIME)
		ticks = fg_interval_length(p->analysis->slices.life[leaf]);
	else if (p->options->measure == FG_MEASURE_WAITING)
		ok = waited(p, leaf, &ticks);
	else
		ok = limited(p, leaf, &ticks);
	*value = (double) ticks;
	return ok;
}

/* --- stacks ---------------------------------------------------------------------------- */

static bool
append_name(FgBuffer *name, FgSpan text)
{
	size_t		start = name->size;

	if (!fg_buffer_append(name, text.bytes, text.size))
		return false;
	for (size_t i = start; i < name->size; i++)
	{
		if (name->data[i] == '\n' || name->data[i] == '\r')
			name->data[i] = ' ';
	}
	return true;
}

static bool
make_frame(Profiler *p, FgSpan type, FgSpan instance, uint32_t *frame)
{
	p->name.size = 0;
	return append_name(&p->name, type) &&
		(instance.size == 0 ||
		 (fg_buffer_append(&p->name, ":", 1) && append_name(&p->name, instance))) &&
		fg_builder_frame(p->builder, (const char *) p->name.data, p->name.size, frame);
}

static bool
frame_of(Profiler *p, uint32_t phase, uint32_t *frame)
{
	const FgJob *job = p->analysis->job;
	uint32_t	type = job->phases[phase].type;
	FgSpan		name = job->phase_types[type].name;

	if (p->options->instances && job->phases[phase].instance.size > 0)
		return make_frame(p, name, job->phases[phase].instance, frame);
	if (p->frame_of_type[type] == FG_NONE &&
		!make_frame(p, name, (FgSpan) {NULL, 0}, &p->frame_of_type[type]))
		return false;
	*frame = p->frame_of_type[type];
	return true;
}

/* Parents come first, so the node of a parent is there. */
static bool
add_phase(Profiler *p, uint32_t phase)
{
	const FgJob *job = p->analysis->job;
	uint32_t	parent = job->phases[phase].parent;
	uint32_t	frame;
	double		value;

	if (!frame_of(p, phase, &frame) ||
		!fg_builder_child(p->builder, parent == FG_NONE ? 0 : p->node[parent], frame,
						  &p->node[phase]))
		return false;
	if (!fg_phase_is_leaf(job, phase))
		return true;
	return value_of(p, phase, &value) && fg_builder_add_value(p->builder, p->node[phase], value);
}

static bool
begin(Profiler *p)
{
	const FgAnalysis *analysis = p->analysis;
	FgContext  *ctx = analysis->ctx;
	const FgJob *job = analysis->job;

	p->builder = fg_builder_create(ctx);
	p->frame_of_type = fg_alloc(ctx, job->phase_type_count, sizeof(uint32_t));
	p->node = fg_alloc(ctx, job->phase_count, sizeof(uint32_t));
	if (p->builder == NULL || p->frame_of_type == NULL || p->node == NULL)
		return false;
	for (uint32_t t = 0; t < job->phase_type_count; t++)
		p->frame_of_type[t] = FG_NONE;
	if (!measures_ticks(p->options->measure))
		return fg_consumption_of_leaves(analysis, p->options->resource_type, &p->by_slot);
	return p->options->measure != FG_MEASURE_BOTTLENECK ||
		fg_bottlenecks_make(analysis, true, &p->bottlenecks);
}

static void
end(Profiler *p)
{
	FgContext  *ctx = p->analysis->ctx;

	fg_release(ctx, p->by_slot);
	fg_bottlenecks_free(ctx, &p->bottlenecks);
	fg_intervals_free(ctx, &p->times);
	fg_intervals_free(ctx, &p->spare);
	if (p->builder != NULL)
		fg_builder_free(p->builder);
	fg_release(ctx, p->name.data);
	fg_release(ctx, p->frame_of_type);
	fg_release(ctx, p->node);
}

/* Ticks of a slice become seconds. */
static bool
to_seconds(const FgAnalysis *analysis, FgTree *tree)
{
	for (uint32_t i = 0; i <= tree->nnodes; i++)
	{
		tree->self[i] = tree->self[i] * (double) analysis->slices.grid.slice / 1e6;
		if (!fg_check_every(analysis->ctx, i))
			return false;
	}
	return true;
}

bool
fg_job_profile(const FgAnalysis *analysis, const FgJobProfileOptions *options, FgTree *tree)
{
	const FgJobTree *phases = &analysis->job->phase_tree;
	Profiler	p = {.analysis = analysis, .options = options, .name = {.ctx = analysis->ctx}};
	bool		ok = check_options(analysis, options) && begin(&p);

	*tree = (FgTree) {.nnodes = 0};
	for (uint32_t i = 0; ok && i < phases->count; i++)
		ok = fg_check_every(analysis->ctx, i) && add_phase(&p, phases->order[i]);
	ok = ok && fg_builder_finish(p.builder, tree) &&
		(!measures_ticks(options->measure) || to_seconds(analysis, tree));
	end(&p);
	if (!ok)
		fg_tree_free(analysis->ctx, tree);
	return ok;
}
