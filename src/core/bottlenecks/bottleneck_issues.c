/*
 * bottleneck_issues.c
 *	  Algorithm 5 as a rule of the framework (see bottleneck_issues.h).
 */
#include "core/bottlenecks/bottleneck_issues.h"

#include "core/bottlenecks/issues.h"
#include "core/jobs/precedence.h"

typedef struct Record
{
	uint32_t	source;			/* a resource type */
	double		impact;			/* ticks */
} Record;

/* Of the children of one type, for one source. */
typedef struct Weight
{
	double		sum;
	uint32_t	count;			/* children with a record */
} Weight;

typedef struct Issues
{
	const FgAnalysis *analysis;
	const FgBottlenecks *leaves;
	FgBottleneckIssueEmit emit;
	void	   *arg;
	FgPrecedenceOrder order;
	uint32_t   *place;			/* by resource type: among the sources of the phase at hand */
	uint32_t   *of_phase;		/* by resource type: the phase that place[] is about */
	uint32_t   *sources;
	size_t		source_count;
	size_t		source_capacity;
	Weight	   *weights;		/* by source, then by the place of the type of the children */
	size_t		weight_capacity;
	double	   *best;			/* by that place: the heaviest path that ends there */
	size_t		best_capacity;
} Issues;

static bool
add_record(FgRecords *to, uint32_t source, double impact)
{
	Record	   *record = fg_records_add(to);

	if (record == NULL)
		return false;
	*record = (Record) {source, impact};
	return true;
}

static bool
leaf(void *arg, uint32_t phase, FgRecords *to)
{
	Issues	   *s = arg;
	const FgTrack *tracks = s->leaves->tracks + s->leaves->first[phase];

	for (uint32_t t = 0; t < s->leaves->count[phase]; t++)
	{
		if (!add_record(to, tracks[t].type, (double) fg_track_ticks(s->leaves, &tracks[t])) ||
			!fg_steps(to->ctx, (size_t) tracks[t].count + 1))
			return false;
	}
	return true;
}

/* --- weights ---------------------------------------------------------------------------- */

/* Room for the weights of one more source, for "types" types of children. */
static bool
add_source(Issues *s, uint32_t phase, uint32_t source, uint32_t types)
{
	FgContext  *ctx = s->analysis->ctx;
	size_t		first = s->source_count * types;

	if (!fg_reserve(ctx, (void **) &s->sources, &s->source_capacity, s->source_count + 1,
					sizeof(uint32_t)) ||
		!fg_reserve(ctx, (void **) &s->weights, &s->weight_capacity, first + types,
					sizeof(Weight)))
		return false;
	for (uint32_t t = 0; t < types; t++)
		s->weights[first + t] = (Weight) {0, 0};
	s->of_phase[source] = phase;
	s->place[source] = (uint32_t) s->source_count;
	s->sources[s->source_count++] = source;
	return fg_steps(ctx, types);
}

static bool
weigh_children(Issues *s, uint32_t phase, const FgChildRecords *children, uint32_t count,
			   uint32_t types)
{
	const FgJob *job = s->analysis->job;

	s->source_count = 0;
	for (uint32_t c = 0; c < count; c++)
	{
		const Record *records = children[c].records;
		uint32_t	place = s->order.place[job->phases[children[c].phase].type];

		for (size_t i = 0; i < children[c].count; i++)
		{
			uint32_t	source = records[i].source;
			Weight	   *weight;

			if (s->of_phase[source] != phase && !add_source(s, phase, source, types))
				return false;
			weight = &s->weights[(size_t) s->place[source] * types + place];
			weight->sum += records[i].impact;
			weight->count++;
		}
		if (!fg_steps(s->analysis->ctx, children[c].count + 1))
			return false;
	}
	return true;
}

static double
weight_of(const FgJob *job, uint32_t type, const Weight *weight)
{
	if (weight->count < 2 || job->phase_types[type].repeat == FG_REPEAT_SEQUENTIAL)
		return weight->sum;
	return weight->sum / weight->count;
}

/* The heaviest path through the types below "parent", for one source. */
static bool
heaviest_path(Issues *s, uint32_t parent, const Weight *weights, double *heaviest)
{
	const FgPrecedenceOrder *order = &s->order;
	uint32_t	first = order->first[parent];
	uint32_t	types = order->first[parent + 1] - first;

	*heaviest = 0;
	for (uint32_t i = 0; i < types; i++)
	{
		uint32_t	type = order->type[first + i];
		double		before = 0;

		for (uint32_t b = order->first_before[type]; b < order->first_before[type + 1]; b++)
		{
			double		there = s->best[order->place[order->before[b]]];

			before = there > before ? there : before;
		}
		s->best[i] = before + weight_of(s->analysis->job, type, &weights[i]);
		*heaviest = s->best[i] > *heaviest ? s->best[i] : *heaviest;
		if (!fg_steps(s->analysis->ctx,
					  (size_t) order->first_before[type + 1] - order->first_before[type] + 1))
			return false;
	}
	return true;
}

static bool
composite(void *arg, uint32_t phase, const FgChildRecords *children, uint32_t count,
		  FgRecords *to)
{
	Issues	   *s = arg;
	uint32_t	type = s->analysis->job->phases[phase].type;
	uint32_t	types = s->order.first[type + 1] - s->order.first[type];

	if (!weigh_children(s, phase, children, count, types) ||
		!fg_reserve(to->ctx, (void **) &s->best, &s->best_capacity, types, sizeof(double)))
		return false;
	for (size_t i = 0; i < s->source_count; i++)
	{
		double		impact;

		if (!heaviest_path(s, type, s->weights + i * types, &impact) ||
			!add_record(to, s->sources[i], impact))
			return false;
	}
	return true;
}

static bool
extract(void *arg, uint32_t phase, const void *bytes, size_t count)
{
	const Record *records = bytes;
	Issues	   *s = arg;
	double		tick = (double) s->analysis->slices.grid.slice;

	for (size_t i = 0; i < count; i++)
	{
		if (records[i].impact > 0 &&
			!s->emit(s->arg, phase, records[i].source, records[i].impact * tick / 1e6))
			return false;
	}
	return fg_steps(s->analysis->ctx, count);
}

bool
fg_bottleneck_issues(const FgAnalysis *analysis, const FgBottlenecks *leaves,
					 FgBottleneckIssueEmit emit, void *arg)
{
	static const FgIssueRule rule = {sizeof(Record), leaf, composite, extract};
	FgContext  *ctx = analysis->ctx;
	uint32_t	types = analysis->job->resource_type_count;
	Issues		s = {.analysis = analysis, .leaves = leaves, .emit = emit, .arg = arg};
	bool		ok = fg_precedence_order(ctx, analysis->job, &s.order) &&
		(s.place = fg_alloc(ctx, types, sizeof(uint32_t))) != NULL &&
		(s.of_phase = fg_alloc(ctx, types, sizeof(uint32_t))) != NULL;

	for (uint32_t t = 0; ok && t < types; t++)
		s.of_phase[t] = FG_NONE;
	ok = ok && fg_apply_rule(ctx, analysis->job, &rule, &s);
	fg_precedence_order_free(ctx, &s.order);
	fg_release(ctx, s.place);
	fg_release(ctx, s.of_phase);
	fg_release(ctx, s.sources);
	fg_release(ctx, s.weights);
	fg_release(ctx, s.best);
	return ok;
}
