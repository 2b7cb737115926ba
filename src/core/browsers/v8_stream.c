/*
 * v8_stream.c
 *	  The samples of a .cpuprofile while it is read (see v8_stream.h).
 */
#include "core/browsers/v8_stream.h"

#include <math.h>

/* Numbers that are taken from a list at once. */
#define AT_ONCE 128

void
fg_v8_stream_begin(FgContext *ctx, FgV8Profile *profile, FgV8Stream *s)
{
	*s = (FgV8Stream) {.ctx = ctx, .profile = profile, .spread.profile = profile, .id = FG_NONE};
	fg_kept_numbers_begin(ctx, &s->ids);
	fg_kept_numbers_begin(ctx, &s->deltas);
	fg_v8_order_begin(ctx, &s->order, NULL, NULL);
}

void
fg_v8_stream_free(FgV8Stream *s)
{
	fg_kept_numbers_free(&s->ids);
	fg_kept_numbers_free(&s->deltas);
	fg_v8_order_free(&s->order);
}

/*
 * --- samples and their times -------------------------------------------------------
 *
 * Times are those since the profile's start: tools that count it from the year 1 have microseconds of which a double
 * does not hold the last digits.
 */

static void
begin_merge(FgV8Stream *s, FgV8Take take, void *arg)
{
	s->merging = true;
	s->walk = fg_kept_numbers_walk(&s->ids, true);
	s->time = 0;
	s->order.take = take;
	s->order.arg = arg;
}

/* The node of the next sample; *more: there is one. */
static bool
next_sample(FgV8Stream *s, bool *more)
{
	double		id;

	*more = fg_kept_number_next(&s->walk, &id);
	if (!*more)
		return true;
	if ((uint32_t) id != s->id && !fg_v8_node_of(s->profile, s->merged, (uint32_t) id, &s->node))
		return false;
	s->id = (uint32_t) id;
	s->merged++;
	return true;
}

/* Times without samples are counted; that there are some is told in the end. */
static bool
merge_delta(FgV8Stream *s, double delta)
{
	bool		more;

	s->delta_count++;
	s->time += delta;
	return next_sample(s, &more) && (!more || fg_v8_order_add(&s->order, s->node, s->time));
}

static bool
too_many(FgJson *json)
{
	return fg_json_fail(json, FG_ERROR_LIMIT, NULL, "there are more than %u samples", FG_MAX_KEPT_SAMPLES);
}

/* For how many more numbers there is room at once; one where there are all, which is then refused at its place. */
static size_t
room_for(uint64_t count)
{
	uint64_t	left = FG_MAX_KEPT_SAMPLES - count;

	return left == 0 ? 1 : left < AT_ONCE ? (size_t) left : AT_ONCE;
}

bool
fg_v8_stream_sample(FgV8Stream *s, FgJson *json, const FgJsonValue *value)
{
	uint32_t	ids[AT_ONCE];
	size_t		count = 1;

	if (!fg_json_index(json, value, &ids[0]))
		return false;
	do
	{
		if (s->ids.count >= FG_MAX_KEPT_SAMPLES)
			return too_many(json);
		for (size_t i = 0; i < count; i++)
		{
			if (!fg_kept_numbers_add(&s->ids, ids[i]))
				return false;
		}
		count = fg_json_some_indices(json, ids, room_for(s->ids.count));
	} while (count > 0);
	return true;
}

static bool
take_deltas(FgV8Stream *s, const double *deltas, size_t count)
{
	for (size_t i = 0; i < count; i++)
	{
		if (!(s->merging ? merge_delta(s, deltas[i]) : fg_kept_numbers_add(&s->deltas, deltas[i])))
			return false;
	}
	return true;
}

bool
fg_v8_stream_delta(FgV8Stream *s, FgJson *json, const FgJsonValue *value)
{
	double		deltas[AT_ONCE];
	size_t		count = 1;

	if (!fg_json_number(json, value, &deltas[0]))
		return false;
	do
	{
		if (s->deltas.count + s->delta_count >= FG_MAX_KEPT_SAMPLES)
			return too_many(json);
		if (!take_deltas(s, deltas, count))
			return false;
		count = fg_json_some_numbers(json, deltas, room_for(s->deltas.count + s->delta_count));
	} while (count > 0);
	return true;
}

bool
fg_v8_stream_merge(FgV8Stream *s)
{
	s->spread.weights = &s->weights;
	begin_merge(s, fg_v8_spread, &s->spread);
	return fg_v8_resolve(s->profile);
}

/* --- when all has come --------------------------------------------------------------- */

/* One time more than samples is the end of the last one. */
static bool
has_stop(const FgV8Stream *s)
{
	return s->are_times && s->deltas.count == s->ids.count + 1 && s->deltas.count > 1;
}

/* The next delta of those that were kept; *last: the time that it was made of. */
static bool
next_delta(const FgV8Stream *s, FgKeptWalk *walk, double *last, double *delta)
{
	double		time;

	if (!fg_kept_number_next(walk, delta))
		return false;
	if (!s->are_times)
		return true;
	time = *delta;
	*delta = time - *last;
	*last = time;
	return true;
}

/* The earliest time of a sample; INFINITY: there is none. */
static bool
find_zero(FgV8Stream *s, double *zero)
{
	FgKeptWalk	walk = fg_kept_numbers_walk(&s->deltas, false);
	double		time = 0;
	double		last = 0;
	double		delta;

	*zero = INFINITY;
	for (size_t i = has_stop(s); i < s->deltas.count && next_delta(s, &walk, &last, &delta); i++)
	{
		time += delta;
		*zero = time < *zero ? time : *zero;
		if (!fg_check_every(s->ctx, i))
			return false;
	}
	return true;
}

static bool
merge_kept(FgV8Stream *s)
{
	FgKeptWalk	walk = fg_kept_numbers_walk(&s->deltas, true);
	FgV8Profile *p = s->profile;
	bool		stops = has_stop(s);
	double		last = 0;
	double		delta;

	for (size_t i = stops; i < s->deltas.count && next_delta(s, &walk, &last, &delta); i++)
	{
		if (!merge_delta(s, delta) || !fg_check_every(s->ctx, i))
			return false;
	}
	if (stops)
	{
		p->has_end = true;
		fg_kept_number_next(&walk, &p->end);
	}
	return true;
}

static bool
count_rest(FgV8Stream *s)
{
	bool		more = true;

	for (size_t i = 0; more; i++)
	{
		if (!next_sample(s, &more) || !fg_check_every(s->ctx, i))
			return false;
	}
	return true;
}

static bool
finish_merge(FgV8Stream *s)
{
	const FgV8Profile *p = s->profile;

	return merge_kept(s) && count_rest(s) && fg_v8_check_counts(s->ctx, s->merged, (size_t) s->delta_count) &&
		fg_v8_order_finish(&s->order, p->has_end ? p->end - p->start : -INFINITY);
}

bool
fg_v8_stream_count(FgV8Stream *s)
{
	bool		more;

	if (!fg_v8_resolve(s->profile))
		return false;
	begin_merge(s, NULL, NULL);
	for (size_t i = 0; i < s->ids.count; i++)
	{
		if (!next_sample(s, &more) || !fg_check_every(s->ctx, i))
			return false;
		s->profile->nodes[s->node].samples++;
	}
	return true;
}

/* The sums have counted the samples; doing it twice would fetch nodes from all over the memory twice. */
static bool
count_summed(FgV8Profile *p)
{
	for (uint32_t i = 0; i < p->count; i++)
	{
		p->nodes[i].samples = p->nodes[i].sum.samples;
		if (!fg_check_every(p->ctx, i))
			return false;
	}
	return true;
}

bool
fg_v8_stream_times(FgV8Stream *s)
{
	return (s->merging || fg_v8_stream_merge(s)) && finish_merge(s) && count_summed(s->profile);
}

bool
fg_v8_stream_take(FgV8Stream *s, FgV8Handing *handing)
{
	handing->profile = s->profile;
	if (!fg_v8_resolve(s->profile) || !find_zero(s, &handing->zero))
		return false;
	begin_merge(s, fg_v8_hand_on, handing);
	return finish_merge(s);
}
