/*
 * trace_v8.c
 *	  Profiles of V8 within a trace (see trace_v8.h).
 */
#include "core/browsers/trace_v8.h"

#include "core/base/order.h"

#include <math.h>

#define MAX_PROFILES 65536

/* --- life ------------------------------------------------------------------------------- */

bool
fg_trace_v8_begin(FgSink *sink, FgTraceV8 *t)
{
	FgContext  *ctx = fg_sink_context(sink);

	*t = (FgTraceV8) {.ctx = ctx, .sink = sink, .key.ctx = ctx};
	fg_v8_begin(ctx, &t->texts, &t->part);
	return fg_v8_texts_begin(ctx, &t->texts) && fg_names_begin(ctx, &t->keys);
}

static void
free_profile(FgTraceProfile *p)
{
	fg_v8_free(&p->v8);
	fg_release(p->v8.ctx, p->chunks);
}

void
fg_trace_v8_free(FgTraceV8 *t)
{
	if (t->ctx == NULL)
		return;
	for (uint32_t i = 0; i < t->count; i++)
		free_profile(&t->profiles[i]);
	fg_v8_free(&t->part);
	fg_v8_texts_free(&t->texts);
	fg_names_free(&t->keys);
	fg_release(t->ctx, t->key.data);
	fg_release(t->ctx, t->profiles);
}

/* --- an event ----------------------------------------------------------------------------- */

void
fg_trace_v8_clear(FgTraceV8 *t)
{
	FgV8Profile *part = &t->part;

	part->count = 0;
	part->open = FG_NONE;
	part->link_count = part->sample_count = part->delta_count = 0;
	part->has_samples = part->has_deltas = part->has_end = false;
	t->has_data = t->has_start = t->has_deltas = false;
}

/* Other events have times of these names as well, of any type. */
static bool
take_moment(FgJson *json, const FgJsonValue *value, bool *has, double *moment)
{
	if (value->type != FG_JSON_NUMBER)
		return true;
	*has = true;
	return fg_json_number(json, value, moment);
}

static bool
take_of_node(FgTraceV8 *t, FgJson *json, int place, const FgJsonValue *value)
{
	FgV8Profile *part = &t->part;
	FgV8Node   *node = &part->nodes[part->open];

	switch (place)
	{
		case FG_TRACE_NODE_ID:
			return fg_json_index(json, value, &node->id);
		case FG_TRACE_PARENT:
			return fg_json_index(json, value, &node->parent_id);
		case FG_TRACE_FUNCTION:
			return fg_v8_text(part, json, value, &node->function);
		case FG_TRACE_URL:
			return fg_v8_url(part, json, value);
		case FG_TRACE_LINE:
			return fg_json_number(json, value, &node->line);
		case FG_TRACE_COLUMN:
			return fg_json_number(json, value, &node->column);
		case FG_TRACE_CHILD:
			return fg_v8_children(part, json, value);
		default:
			return true;
	}
}

/* A chunk with the profile of a whole .cpuprofile inside has both lists, and DevTools reads the outer one. */
static bool
begin_deltas(FgTraceV8 *t, FgJson *json, const FgJsonValue *value)
{
	if (value->end || value->type == FG_JSON_NULL)
		return true;
	t->part.has_deltas = true;
	t->part.delta_count = 0;
	return fg_json_once(json, value, &t->has_deltas, "times");
}

bool
fg_trace_v8_take(FgTraceV8 *t, FgJson *json, int place, const FgJsonValue *value)
{
	FgV8Profile *part = &t->part;

	switch (place)
	{
		case FG_TRACE_DATA:
			t->has_data |= value->type == FG_JSON_OBJECT;
			return true;
		case FG_TRACE_START:
			return take_moment(json, value, &t->has_start, &part->start);
		case FG_TRACE_END:
			return take_moment(json, value, &part->has_end, &part->end);
		case FG_TRACE_SAMPLES:
			return fg_json_once(json, value, &part->has_samples, "samples");
		case FG_TRACE_SAMPLE:
			return fg_v8_samples(part, json, value);
		case FG_TRACE_DELTAS:
			return begin_deltas(t, json, value);
		case FG_TRACE_OWN_DELTAS:
			return t->has_deltas || fg_json_once(json, value, &part->has_deltas, "times");
		case FG_TRACE_OWN_DELTA:
			return t->has_deltas || fg_v8_deltas(part, json, value);
		case FG_TRACE_DELTA:
			return fg_v8_deltas(part, json, value);
		case FG_TRACE_NODE:
			return value->end ? fg_v8_close(part, json) : fg_v8_open(part, json);
		default:
			return part->open == FG_NONE || take_of_node(t, json, place, value);
	}
}

/* The profile of this process and id, which is new if nothing was said of it. */
static FgTraceProfile *
find_profile(FgTraceV8 *t, const FgBuffer *process, const FgBuffer *id)
{
	FgTraceProfile *p;
	uint32_t	number;

	t->key.size = 0;
	if (!fg_buffer_append(&t->key, process->data, process->size) ||
		!fg_buffer_append(&t->key, "/", 1) || !fg_buffer_append(&t->key, id->data, id->size) ||
		!fg_names_add(&t->keys, (char *) t->key.data, t->key.size, &number))
		return NULL;
	if (number < t->count)
		return &t->profiles[number];
	if (t->count >= MAX_PROFILES)
	{
		fg_fail(t->ctx, FG_ERROR_LIMIT, "there are more than %d profiles", MAX_PROFILES);
		return NULL;
	}
	if (!fg_reserve(t->ctx, (void **) &t->profiles, &t->capacity, (size_t) t->count + 1,
					sizeof(FgTraceProfile)))
		return NULL;
	p = &t->profiles[t->count++];
	*p = (FgTraceProfile) {.lane = FG_NONE};
	fg_v8_begin(t->ctx, &t->texts, &p->v8);
	p->v8.has_gaps = p->v8.has_samples = p->v8.has_deltas = true;
	return p;
}

static bool
add_nodes(FgContext *ctx, FgV8Profile *to, const FgV8Profile *part)
{
	if (part->count > FG_MAX_NODES - to->count || part->link_count > FG_MAX_NODES - to->link_count)
		return fg_fail(ctx, FG_ERROR_LIMIT, "there are more than %u nodes", FG_MAX_NODES);
	if (!fg_reserve(ctx, (void **) &to->nodes, &to->node_capacity,
					(size_t) to->count + part->count, sizeof(FgV8Node)) ||
		!fg_reserve(ctx, (void **) &to->links, &to->link_capacity,
					to->link_count + part->link_count, sizeof(FgV8Link)))
		return false;
	for (size_t i = 0; i < part->link_count; i++)
		to->links[to->link_count++] = (FgV8Link) {
			.parent = part->links[i].parent + to->count,
			.child = part->links[i].child
		};
	for (uint32_t i = 0; i < part->count; i++)
		to->nodes[to->count++] = part->nodes[i];
	return true;
}

static bool
add_samples(FgContext *ctx, FgTraceProfile *p, const FgV8Profile *part, int64_t time)
{
	FgV8Profile *to = &p->v8;

	if (part->sample_count > FG_MAX_KEPT_SAMPLES - to->sample_count)
		return fg_fail(ctx, FG_ERROR_LIMIT, "there are more than %u samples", FG_MAX_KEPT_SAMPLES);
	if (!fg_reserve(ctx, (void **) &to->samples, &to->sample_capacity,
					to->sample_count + part->sample_count, sizeof(uint32_t)) ||
		!fg_reserve(ctx, (void **) &to->deltas, &to->delta_capacity,
					to->delta_count + part->sample_count, sizeof(double)) ||
		!fg_reserve(ctx, (void **) &p->chunks, &p->capacity, (size_t) p->count + 1,
					sizeof(FgTraceChunk)))
		return false;
	p->chunks[p->count++] = (FgTraceChunk) {time, to->sample_count, part->sample_count};
	for (size_t i = 0; i < part->sample_count; i++)
	{
		to->samples[to->sample_count++] = part->samples[i];
		to->deltas[to->delta_count++] = part->deltas[i];
	}
	return fg_work(ctx, part->sample_count * 16);
}

bool
fg_trace_v8_event(FgTraceV8 *t, FgJson *json, const FgBuffer *process, const FgBuffer *id,
				  uint32_t lane, int64_t time, bool begins)
{
	const FgV8Profile *part = &t->part;
	FgTraceProfile *p;

	/* Chrome writes chunks without data when a profile ends */
	if (!t->has_data)
		return true;
	p = find_profile(t, process, id);
	if (p == NULL)
		return false;
	if (begins && p->begun)
		return fg_json_fail(json, FG_ERROR_SYNTAX, NULL, "two profiles of a process have one id");
	if (part->sample_count != part->delta_count)
		return fg_json_fail(json, FG_ERROR_SYNTAX, NULL, "a profile has %zu samples and %zu times "
							"between them", part->sample_count, part->delta_count);
	if (begins)
	{
		p->begun = true;
		p->lane = lane;
	}
	if (t->has_start)
		p->v8.start = part->start;
	if (part->has_end)
		p->v8.end = part->end;
	p->v8.has_end |= part->has_end;
	return add_nodes(t->ctx, &p->v8, part) && add_samples(t->ctx, p, part, time);
}

/* --- the whole trace ------------------------------------------------------------------------- */

static int
compare_chunks(const void *arg, uint32_t a, uint32_t b)
{
	const FgTraceChunk *chunks = arg;

	return (chunks[a].time > chunks[b].time) - (chunks[a].time < chunks[b].time);
}

static bool
is_ordered(const FgTraceProfile *p)
{
	for (uint32_t i = 1; i < p->count; i++)
	{
		if (p->chunks[i].time < p->chunks[i - 1].time)
			return false;
	}
	return true;
}

static bool
copy_chunks(FgTraceProfile *p, const uint32_t *order, uint32_t *samples, double *deltas)
{
	FgV8Profile *v8 = &p->v8;
	size_t		at = 0;

	for (uint32_t i = 0; i < p->count; i++)
	{
		const FgTraceChunk *chunk = &p->chunks[order[i]];

		for (size_t k = 0; k < chunk->count; k++, at++)
		{
			samples[at] = v8->samples[chunk->first + k];
			deltas[at] = v8->deltas[chunk->first + k];
		}
		if (!fg_work(v8->ctx, chunk->count * 16 + 16))
			return false;
	}
	return true;
}

/* Deltas add up over all samples before, so chunks have to be in the order of their times. */
static bool
order_chunks(FgTraceProfile *p)
{
	FgV8Profile *v8 = &p->v8;
	FgContext  *ctx = v8->ctx;
	uint32_t   *order = fg_alloc(ctx, p->count, sizeof(uint32_t));
	uint32_t   *samples = fg_alloc(ctx, v8->sample_count, sizeof(uint32_t));
	double	   *deltas = fg_alloc(ctx, v8->sample_count, sizeof(double));
	bool		ok = order != NULL && samples != NULL && deltas != NULL &&
		fg_order_by(ctx, p->count, compare_chunks, p->chunks, order) &&
		copy_chunks(p, order, samples, deltas);

	fg_release(ctx, order);
	fg_release(ctx, ok ? (void *) v8->samples : (void *) samples);
	fg_release(ctx, ok ? (void *) v8->deltas : (void *) deltas);
	if (!ok)
		return false;
	v8->samples = samples;
	v8->deltas = deltas;
	v8->sample_capacity = v8->delta_capacity = v8->sample_count;
	return true;
}

/* By thread, then by the time of their begin. */
static int
compare_begins(const void *arg, uint32_t a, uint32_t b)
{
	const FgTraceProfile *p = arg;

	if (p[a].lane != p[b].lane)
		return p[a].lane < p[b].lane ? -1 : 1;
	return (p[a].v8.start > p[b].v8.start) - (p[a].v8.start < p[b].v8.start);
}

static double
end_of(const FgV8Profile *v8)
{
	double		time = v8->start;

	for (size_t i = 0; i < v8->delta_count; i++)
		time += v8->deltas[i];
	return v8->has_end && v8->end > time ? v8->end : time;
}

/* What two profiles say of one moment of a thread would be counted twice. */
static bool
find_overlaps(FgTraceV8 *t)
{
	uint32_t   *order = fg_alloc(t->ctx, t->count, sizeof(uint32_t));
	uint32_t	lane = FG_NONE;
	double		end = 0;

	if (order == NULL || !fg_order_by(t->ctx, t->count, compare_begins, t->profiles, order))
	{
		fg_release(t->ctx, order);
		return false;
	}
	for (uint32_t i = 0; i < t->count; i++)
	{
		const FgTraceProfile *p = &t->profiles[order[i]];
		double		stop = end_of(&p->v8);

		if (p->v8.sample_count == 0)
			continue;
		t->overlap |= p->lane == lane && p->v8.start < end;
		end = p->lane == lane && end > stop ? end : stop;
		lane = p->lane;
	}
	fg_release(t->ctx, order);
	return true;
}

bool
fg_trace_v8_finish(FgTraceV8 *t)
{
	uint32_t	count = t->count;

	t->count = 0;
	for (uint32_t i = 0; i < count; i++)
	{
		FgTraceProfile p = t->profiles[i];

		t->profiles[i] = t->profiles[t->count];
		t->profiles[t->count] = p;
		t->without_begin |= !p.begun;
		t->count += p.begun;
	}
	for (uint32_t i = t->count; i < count; i++)
		free_profile(&t->profiles[i]);
	for (uint32_t i = 0; i < t->count; i++)
	{
		if (!is_ordered(&t->profiles[i]) && !order_chunks(&t->profiles[i]))
			return false;
	}
	return find_overlaps(t);
}

double
fg_trace_v8_zero(const FgTraceV8 *t)
{
	double		zero = INFINITY;

	for (uint32_t i = 0; i < t->count; i++)
		zero = fmin(zero, fg_v8_zero(&t->profiles[i].v8));
	return zero;
}

static bool
name_thread(FgTraceProfile *p, FgTraceLanes *lanes)
{
	if (!fg_trace_lane_text(lanes, p->lane))
		return false;
	p->v8.thread = (char *) lanes->text.data;
	p->v8.thread_length = lanes->text.size;
	return true;
}

static bool
take_profile(FgTraceV8 *t, FgTraceProfile *p, uint32_t profile, bool counts, double zero)
{
	/* times are those of the trace, in nanoseconds */
	return fg_v8_take(&p->v8, &(FgV8Handing) {
		.sink = t->sink, .number = profile, .counts = counts, .zero = zero, .ticks = 1000
	});
}

/* The first and the last profile that are asked for. */
static bool
find_range(FgTraceV8 *t, uint32_t *first, uint32_t *end)
{
	int			chosen = fg_sink_options(t->sink)->profile;

	*first = 0;
	*end = t->count;
	if (chosen < 0)
		return true;
	if ((uint32_t) chosen >= t->count)
		return fg_fail(t->ctx, FG_ERROR_ARGUMENT, "there is no profile %d, the trace has %u of them",
					   chosen, t->count);
	*first = (uint32_t) chosen;
	*end = *first + 1;
	return true;
}

bool
fg_trace_v8_add(FgTraceV8 *t, FgTraceLanes *lanes, uint32_t profile, bool counts, double zero)
{
	FgWeights	weights = {.count = 0};
	bool		timed = fg_sink_is_timed(t->sink);
	uint32_t	first;
	uint32_t	end;

	if (!find_range(t, &first, &end))
		return false;
	for (uint32_t i = first; i < end; i++)
	{
		FgV8Profile *v8 = &t->profiles[i].v8;

		if (!fg_v8_resolve(v8))
			return false;
		t->has_gaps |= v8->unknown != FG_NONE;
		for (uint32_t k = 0; k < v8->count; k++)
			t->has_gaps |= v8->nodes[k].cut;
		if (!timed && !(counts ? fg_v8_counts(v8) : fg_v8_times(v8, &weights)))
			return false;
	}
	if (!timed)
		fg_sink_weights(t->sink, profile, &weights);
	for (uint32_t i = first; i < end; i++)
	{
		FgTraceProfile *p = &t->profiles[i];

		if (!name_thread(p, lanes) ||
			!(timed ? take_profile(t, p, profile, counts, zero) : fg_v8_add(&p->v8, t->sink, profile)))
			return false;
	}
	return true;
}
