/*
 * division.c
 *	  Dividing a sequence where it changes (see division.h).
 *
 * Of a segment in some order, let W(k) be the sum of the distances among its first k
 * elements, and P(t, v) that of element v to the first t.  The parts [0, t) and [t, k)
 * have across the distances P(t, t) + ... + P(t, k - 1), and what is left of W(k) is inside
 * the second part: each pair (t, k) costs O(1) once P(t, .) is there, and that comes from
 * P(t - 1, .) by adding one row of distances.
 */
#include "core/compare/division.h"

#include "core/base/random.h"

#include <math.h>
#include <string.h>

/* Statistics that differ by less, relative to their terms, are ties. */
#define TIE 1e-12

typedef struct Segment
{
	size_t		start;
	size_t		length;
	double		all;			/* the distances of all pairs */
	size_t		cut;			/* best one: elements before it; 0 for none */
	double		statistic;
} Segment;

/* Arrays of n elements, of which each segment uses its own part. */
typedef struct Work
{
	FgContext  *ctx;
	const FgSequence *sequence;
	const FgChangeOptions *options;
	FgRandom	random;
	Segment    *segments;
	size_t		nsegments;
	uint32_t   *order;			/* numbers from 0 in the segment */
	double	   *value;			/* of a series, in this order */
	double	   *inside;			/* W(k), n + 1 */
	double	   *across;			/* P(t, .) */
	double	   *inverse;		/* 1 / i, n + 1; 0 for 0 */
} Work;

/* --- the best cut of a segment in its current order ----------------------------------- */

/* sum[i] += the distance of element t to element i, both in the current order, from <= i < to. */
static void
add_distances(const Work *work, const Segment *segment, size_t t, size_t from, size_t to,
			  double *sum)
{
	const uint32_t *order = work->order + segment->start;

	if (work->sequence->values != NULL)
	{
		for (size_t i = from; i < to; i++)
			sum[i] += fabs(work->value[i] - work->value[t]);
	}
	else
	{
		const double *distance = fg_distances_of(work->sequence->distances,
												 segment->start + order[t]) + segment->start;

		for (size_t i = from; i < to; i++)
			sum[i] += distance[order[i]];
	}
}

/* W(k) for all k: element k - 1 brings its distances to those before it. */
static bool
sum_inside(Work *work, const Segment *segment)
{
	size_t		n = segment->length;

	memset(work->inside, 0, (n + 1) * sizeof(double));
	for (size_t t = 0; t < n; t++)
	{
		if (!fg_check(work->ctx))
			return false;
		add_distances(work, segment, t, t + 1, n, work->inside + 1);
	}
	for (size_t k = 1; k <= n; k++)
		work->inside[k] += work->inside[k - 1];
	return true;
}

/* The largest Q of [0, t) against [t, k) for all k, with its factors sorted out. */
static double
best_end(const Work *work, size_t t, size_t n)
{
	const double *inside = work->inside;
	const double *across = work->across;
	const double *inverse = work->inverse;
	size_t		least = (size_t) work->options->min_segment;
	double		first = 2 * inside[t] * inverse[t - 1];
	double		best = -INFINITY;
	double		sum = 0;

	for (size_t k = t; k < t + least - 1; k++)
		sum += across[k];
	for (size_t k = t + least; k <= n; k++)
	{
		size_t		m = k - t;
		double		second;
		double		q;

		sum += across[k - 1];
		second = 2 * (inside[k] - inside[t] - sum) * inverse[m - 1];
		q = (2 * sum - (double) m * first - (double) t * second) * inverse[k];
		best = q > best ? q : best;
	}
	return best;
}

static bool
best_cut(Work *work, const Segment *segment, size_t *cut, double *statistic)
{
	const uint32_t *order = work->order + segment->start;
	size_t		n = segment->length;
	size_t		least = (size_t) work->options->min_segment;

	*cut = 0;
	*statistic = -INFINITY;
	for (size_t i = 0; work->sequence->values != NULL && i < n; i++)
		work->value[i] = work->sequence->values[segment->start + order[i]];
	if (!sum_inside(work, segment))
		return false;
	memset(work->across, 0, n * sizeof(double));
	for (size_t t = 1; t + least <= n; t++)
	{
		double		q;

		add_distances(work, segment, t - 1, t, n, work->across);
		if (!fg_check(work->ctx))
			return false;
		if (t < least)
			continue;
		q = best_end(work, t, n);
		if (q > *statistic)
		{
			*statistic = q;
			*cut = t;
		}
	}
	return true;
}

static bool
can_be_cut(const Work *work, size_t length)
{
	return length / 2 >= (size_t) work->options->min_segment;
}

static bool
add_segment(Work *work, size_t start, size_t length)
{
	Segment    *segment = &work->segments[work->nsegments++];

	*segment = (Segment) {.start = start, .length = length};
	if (!can_be_cut(work, length))
		return true;
	for (size_t i = 0; i < length; i++)
		work->order[start + i] = (uint32_t) i;
	if (!best_cut(work, segment, &segment->cut, &segment->statistic))
		return false;
	segment->all = work->inside[length];
	return isfinite(segment->all) ||
		fg_fail(work->ctx, FG_ERROR_RANGE, "the sum of the distances does not fit a double");
}

/* --- the test -------------------------------------------------------------------------------- */

/* Shuffles inside each segment; has one of them a cut at least as good as the limit? */
static bool
shuffle_all(Work *work, double limit, bool *reached)
{
	*reached = false;
	for (size_t i = 0; i < work->nsegments && !*reached; i++)
	{
		const Segment *segment = &work->segments[i];
		size_t		cut;
		double		statistic;

		if (!can_be_cut(work, segment->length))
			continue;
		fg_random_shuffle(&work->random, work->order + segment->start, segment->length);
		if (!fg_check(work->ctx) || !best_cut(work, segment, &cut, &statistic))
			return false;
		*reached = statistic >= limit;
	}
	return true;
}

/*
 * (b + 1) / (m + 1), of the cut with the largest statistic of all segments (Matteson and
 * James 2014, section 3.2).  Ends as soon as it is above alpha: then nobody asks how far.
 */
static bool
test_cut(Work *work, const Segment *segment, double *p_value)
{
	double		limit = segment->statistic - TIE * 4 * segment->all / (double) segment->length;
	double		all = (double) work->options->permutations + 1;
	double		extreme = 0;

	for (int32_t i = 0; i < work->options->permutations; i++)
	{
		bool		reached;

		if (!shuffle_all(work, limit, &reached))
			return false;
		extreme += reached;
		if ((extreme + 1) / all > work->options->alpha)
			break;
	}
	*p_value = (extreme + 1) / all;
	return true;
}

/* --- the divisions -------------------------------------------------------------------------------- */

static Segment *
best_segment(const Work *work)
{
	Segment    *best = NULL;

	for (size_t i = 0; i < work->nsegments; i++)
	{
		Segment    *segment = &work->segments[i];

		if (segment->cut > 0 && (best == NULL || segment->statistic > best->statistic))
			best = segment;
	}
	return best;
}

static void
insert_point(FgChangePoint *points, size_t *count, FgChangePoint point)
{
	size_t		place = (*count)++;

	for (; place > 0 && points[place - 1].at > point.at; place--)
		points[place] = points[place - 1];
	points[place] = point;
}

static bool
divide(Work *work, FgChangePoint *points, size_t *count)
{
	if (!add_segment(work, 0, work->sequence->n))
		return false;
	for (;;)
	{
		Segment    *segment = best_segment(work);
		Segment		whole;
		double		p_value;

		if (segment == NULL)
			return true;
		if (!test_cut(work, segment, &p_value))
			return false;
		if (p_value > work->options->alpha)
			return true;
		whole = *segment;
		insert_point(points, count, (FgChangePoint) {
			.at = whole.start + whole.cut, .statistic = whole.statistic, .p_value = p_value
		});
		*segment = work->segments[--work->nsegments];
		if (!add_segment(work, whole.start, whole.cut) ||
			!add_segment(work, whole.start + whole.cut, whole.length - whole.cut))
			return false;
	}
}

static bool
allocate(Work *work)
{
	FgContext  *ctx = work->ctx;
	size_t		n = work->sequence->n;

	work->segments = fg_alloc(ctx, n / (size_t) work->options->min_segment + 2, sizeof(Segment));
	work->order = fg_alloc(ctx, n, sizeof(uint32_t));
	work->value = fg_alloc(ctx, n, sizeof(double));
	work->inside = fg_alloc(ctx, n + 1, sizeof(double));
	work->across = fg_alloc(ctx, n, sizeof(double));
	work->inverse = fg_alloc_zero(ctx, n + 1, sizeof(double));
	if (work->segments == NULL || work->order == NULL || work->value == NULL ||
		work->inside == NULL || work->across == NULL || work->inverse == NULL)
		return false;
	for (size_t i = 1; i <= n; i++)
		work->inverse[i] = 1 / (double) i;
	return true;
}

bool
fg_divisions(FgContext *ctx, const FgSequence *sequence, const FgChangeOptions *options,
			 FgChangePoint **points, size_t *count)
{
	Work		work = {.ctx = ctx, .sequence = sequence, .options = options};
	bool		ok;

	*count = 0;
	*points = fg_alloc(ctx, sequence->n / (size_t) options->min_segment + 1, sizeof(FgChangePoint));
	fg_random_seed(&work.random, options->seed);
	ok = *points != NULL && allocate(&work) && divide(&work, *points, count);
	fg_release(ctx, work.segments);
	fg_release(ctx, work.order);
	fg_release(ctx, work.value);
	fg_release(ctx, work.inside);
	fg_release(ctx, work.across);
	fg_release(ctx, work.inverse);
	if (!ok)
	{
		fg_release(ctx, *points);
		*points = NULL;
	}
	return ok;
}
