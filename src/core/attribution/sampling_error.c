/*
 * sampling_error.c
 *	  Samples groups of measurements, and compares (see sampling_error.h).
 */
#include "core/attribution/sampling_error.h"

#include <math.h>

/* Sums over measurements; of a type, each sampling and factor has its own. */
typedef struct Totals
{
	double		error;			/* all three times ticks */
	double		usage;
	double		ticks;
} Totals;

/* A measurement that counts, and the segments in it. */
typedef struct Measured
{
	uint32_t	row;
	uint32_t	first;
	uint32_t	end;
} Measured;

typedef struct Errors
{
	const FgAnalysis *analysis;
	const uint32_t *factors;
	uint32_t	factor_count;
	Totals	   *totals;			/* constant, then phase-aware; by factor */
	Measured   *measured;		/* of one resource */
	uint32_t	measured_count;
	size_t		measured_capacity;
	FgFiller	filler;
	FgSamples	samples;
	FgWorkload	workload;
} Errors;

/* Those with at least one slice that overlap the life of the root. */
static bool
find_measured(Errors *e)
{
	const FgWorkload *w = &e->workload;
	const FgAnalysis *analysis = e->analysis;
	FgTimeRange life = analysis->slices.life[analysis->job->root];

	e->measured_count = 0;
	for (uint32_t i = 0, end; i < w->segment_count; i = end)
	{
		uint32_t	row = w->segments[i].row;
		FgTimeRange period;

		for (end = i + 1; end < w->segment_count && w->segments[end].row == row;)
			end++;
		if (!fg_steps(analysis->ctx, end - i))
			return false;
		if (row == FG_NONE)
			continue;
		period = fg_period_of(&analysis->slices.grid, &analysis->job->usages[row]);
		if (period.end <= life.start || period.start >= life.end)
			continue;
		if (!fg_reserve(analysis->ctx, (void **) &e->measured, &e->measured_capacity,
						(size_t) e->measured_count + 1, sizeof(Measured)))
			return false;
		e->measured[e->measured_count++] = (Measured) {row, i, end};
	}
	return true;
}

/* The end of the group of at most "factor" measurements that begins here. */
static uint32_t
group_end(const Errors *e, uint32_t first, uint32_t factor)
{
	uint32_t	end = first + 1;

	while (end < e->measured_count && end - first < factor &&
		   e->measured[end].first == e->measured[end - 1].end)
		end++;
	return end;
}

static double
ticks_of(const Errors *e, const Measured *measured)
{
	const FgAnalysis *analysis = e->analysis;

	return (double) fg_interval_length(fg_period_of(&analysis->slices.grid,
													&analysis->job->usages[measured->row]));
}

static double
mean_usage(const Errors *e, uint32_t first, uint32_t end)
{
	double		usage = 0;
	double		ticks = 0;

	if (end - first == 1)
		return e->analysis->job->usages[e->measured[first].row].usage;
	for (uint32_t i = first; i < end; i++)
	{
		usage += e->analysis->job->usages[e->measured[i].row].usage * ticks_of(e, &e->measured[i]);
		ticks += ticks_of(e, &e->measured[i]);
	}
	return usage / ticks;
}

static void
add_error(Errors *e, Totals *totals, const Measured *measured, double sampled)
{
	double		usage = e->analysis->job->usages[measured->row].usage;
	double		ticks = ticks_of(e, measured);
	double		error = fabs(sampled - usage);

	if (error > 1e-9 * e->workload.capacity)
		totals->error += error * ticks;
	totals->usage += usage * ticks;
	totals->ticks += ticks;
}

static double
sampled_mean(const Errors *e, const Measured *measured)
{
	double		sum = 0;

	for (uint32_t i = measured->first; i < measured->end; i++)
		sum += e->samples.usage[i] * (double) fg_segment_ticks(&e->workload.segments[i]);
	return sum / ticks_of(e, measured);
}

static bool
compare(Errors *e, uint32_t factor, Totals *constant, Totals *phase_aware)
{
	for (uint32_t first = 0, end; first < e->measured_count; first = end)
	{
		double		mean;

		end = group_end(e, first, factor);
		mean = mean_usage(e, first, end);
		if (!fg_upsample_period(&e->filler, e->workload.segments, e->measured[first].first,
								e->measured[end - 1].end, e->workload.capacity, mean,
								&e->samples))
			return false;
		for (uint32_t i = first; i < end; i++)
		{
			add_error(e, constant, &e->measured[i], mean);
			add_error(e, phase_aware, &e->measured[i], sampled_mean(e, &e->measured[i]));
		}
		if (!fg_steps(e->analysis->ctx, end - first))
			return false;
	}
	return true;
}

static bool
compare_resource(Errors *e, uint32_t resource)
{
	if (!fg_check(e->analysis->ctx) || !fg_workload_load(&e->workload, resource) ||
		!fg_samples_reserve(e->analysis->ctx, &e->samples, e->workload.segment_count) ||
		!find_measured(e))
		return false;
	for (uint32_t f = 0; f < e->factor_count; f++)
	{
		if (!compare(e, e->factors[f], &e->totals[f], &e->totals[e->factor_count + f]))
			return false;
	}
	return true;
}

static bool
emit_method(Errors *e, uint32_t type, FgUsageSampling sampling, const Totals *totals,
			FgSamplingErrorEmit emit, void *arg)
{
	for (uint32_t f = 0; f < e->factor_count; f++, totals++)
	{
		FgSamplingError error = {
			.type = type,
			.sampling = sampling,
			.factor = e->factors[f],
			.average_error = totals->error / totals->ticks,
			.average_usage = totals->usage / totals->ticks,
			.relative_error = totals->usage > 0 ? totals->error / totals->usage : NAN
		};

		if (!isfinite(totals->usage) || !isfinite(totals->error))
			return fg_fail(e->analysis->ctx, FG_ERROR_RANGE, "a sampling error is out of range");
		if (totals->ticks > 0 && !emit(arg, &error))
			return false;
	}
	return true;
}

static bool
emit_type(Errors *e, uint32_t type, FgSamplingErrorEmit emit, void *arg)
{
	return emit_method(e, type, FG_USAGE_CONSTANT, e->totals, emit, arg) &&
		emit_method(e, type, FG_USAGE_PHASE_AWARE, e->totals + e->factor_count, emit, arg);
}

static bool
compare_type(Errors *e, uint32_t type, FgSamplingErrorEmit emit, void *arg)
{
	const FgJob *job = e->analysis->job;

	memset(e->totals, 0, 2 * (size_t) e->factor_count * sizeof(Totals));
	for (uint32_t r = 0; r < job->resource_count; r++)
	{
		if (job->resources[r].type == type && !compare_resource(e, r))
			return false;
	}
	return fg_steps(e->analysis->ctx, job->resource_count) && emit_type(e, type, emit, arg);
}

bool
fg_sampling_errors(const FgAnalysis *analysis, const uint32_t *factors, uint32_t count,
				   uint32_t type, FgSamplingErrorEmit emit, void *arg)
{
	FgContext  *ctx = analysis->ctx;
	const FgJob *job = analysis->job;
	Errors		e = {
		.analysis = analysis, .factors = factors, .factor_count = count, .filler = {.ctx = ctx}
	};
	bool		ok = fg_workload_begin(analysis, &e.workload) &&
		(e.totals = fg_alloc(ctx, (size_t) count * 2, sizeof(Totals))) != NULL;

	for (uint32_t t = 0; ok && t < job->resource_type_count; t++)
	{
		if ((type == FG_NONE || type == t) &&
			job->resource_types[t].class == FG_RESOURCE_CONSUMABLE)
			ok = compare_type(&e, t, emit, arg);
	}
	fg_workload_free(&e.workload);
	fg_samples_free(ctx, &e.samples);
	fg_filler_free(&e.filler);
	fg_release(ctx, e.measured);
	fg_release(ctx, e.totals);
	return ok;
}
