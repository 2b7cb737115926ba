/*
 * v8_profile.c
 *	  V8's profiles: nodes, frames, samples (see v8_profile.h).
 */
#include "core/browsers/v8_profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* --- life ------------------------------------------------------------------------- */

bool
fg_v8_texts_begin(FgContext *ctx, FgV8Texts *texts)
{
	*texts = (FgV8Texts) {.name.ctx = ctx};
	return fg_names_begin(ctx, &texts->texts) && fg_names_begin(ctx, &texts->frames);
}

void
fg_v8_texts_free(FgV8Texts *texts)
{
	if (texts->name.ctx == NULL)
		return;
	fg_names_free(&texts->texts);
	fg_names_free(&texts->frames);
	fg_release(texts->name.ctx, texts->name.data);
}

void
fg_v8_begin(FgContext *ctx, FgV8Texts *texts, FgV8Profile *p)
{
	*p = (FgV8Profile) {.ctx = ctx, .texts = texts, .open = FG_NONE, .unknown = FG_NONE};
}

void
fg_v8_free(FgV8Profile *p)
{
	fg_release(p->ctx, p->nodes);
	fg_release(p->ctx, p->links);
	fg_release(p->ctx, p->samples);
	fg_release(p->ctx, p->deltas);
	fg_release(p->ctx, p->ids);
	fg_id_index_free(p->ctx, &p->index);
}

/* --- names of frames ------------------------------------------------------------- */

static bool
is_slash(char byte)
{
	return byte == '/' || byte == '\\';
}

/* The part of a URL that names the file on every machine. */
static void
short_url(const char *url, size_t length, size_t *start, size_t *end)
{
	static const char modules[] = "node_modules";
	size_t		size = sizeof(modules) - 1;

	*start = 0;
	*end = length;
	if (length >= 5 && memcmp(url, "node:", 5) == 0)
		return;
	for (size_t i = 0; i < length; i++)
	{
		if (url[i] == '?' || url[i] == '#')
			*end = i;
		if (*end < length)
			break;
	}
	for (size_t i = *end; i > 0; i--)
	{
		if (is_slash(url[i - 1]) && i < *end && *start == 0)
			*start = i;
		if (i > size + 1 && is_slash(url[i - 1]) && is_slash(url[i - size - 2]) &&
			memcmp(url + i - size - 1, modules, size) == 0)
		{
			*start = i;
			return;
		}
	}
}

static const char *
text_of(const FgV8Profile *p, uint32_t number, size_t *length)
{
	const FgNames *texts = &p->texts->texts;

	*length = number == FG_NONE ? 0 : texts->length[number];
	return number == FG_NONE ? "" : texts->bytes + texts->offset[number];
}

/* Appends what stands for the name of a function without one. */
static bool
append_place(FgBuffer *name, double line, double column)
{
	char		place[80] = "(anonymous)";

	if (line >= 0 && column >= 0)
		snprintf(place, sizeof(place), "(anonymous):%.0f:%.0f", line + 1, column + 1);
	else if (line >= 0)
		snprintf(place, sizeof(place), "(anonymous):%.0f", line + 1);
	return fg_buffer_append(name, place, strlen(place));
}

bool
fg_v8_frame(FgV8Texts *texts, const char *function, size_t function_length, const char *url,
			size_t length, double line, double column, uint32_t *frame)
{
	FgBuffer   *name = &texts->name;
	bool		is_body;
	size_t		start;
	size_t		end;

	short_url(url, length, &start, &end);
	is_body = function_length == 0 && end > start && line == 0 && column == 0;
	name->size = 0;
	if (!fg_buffer_room(name, 1) || !fg_buffer_append(name, url + start, end - start) ||
		(end > start && !is_body && !fg_buffer_append(name, ":", 1)))
		return false;
	if (!is_body && !(function_length > 0 ? fg_buffer_append(name, function, function_length)
					  : append_place(name, line, column)))
		return false;
	return fg_names_add(&texts->frames, (char *) name->data, name->size, frame);
}

static bool
name_frame(FgV8Profile *p, FgV8Node *node)
{
	size_t		function_length;
	size_t		length;
	const char *function = text_of(p, node->function, &function_length);
	const char *url = text_of(p, node->url, &length);

	return fg_v8_frame(p->texts, function, function_length, url, length, node->line, node->column,
					   &node->frame);
}

/* --- reading ---------------------------------------------------------------------- */

bool
fg_v8_open(FgV8Profile *p, FgJson *json)
{
	FgV8Node	node = {
		.parent = p->open, .parent_id = FG_NONE, .id = FG_NONE, .function = FG_NONE, .url = FG_NONE,
		.frame = FG_NONE, .line = -1, .column = -1
	};

	if (p->count >= FG_MAX_NODES)
		return fg_json_fail(json, FG_ERROR_LIMIT, NULL, "there are more than %u nodes", FG_MAX_NODES);
	if (!fg_reserve(p->ctx, (void **) &p->nodes, &p->node_capacity, (size_t) p->count + 1,
					sizeof(FgV8Node)))
		return false;
	p->open = p->count;
	p->nodes[p->count++] = node;
	return true;
}

bool
fg_v8_close(FgV8Profile *p, FgJson *json)
{
	const FgV8Node *node = &p->nodes[p->open];

	if (node->id == FG_NONE && !p->by_place)
		return fg_json_fail(json, FG_ERROR_SYNTAX, NULL, "a node has no id");
	p->open = node->parent;
	return true;
}

bool
fg_v8_text(FgV8Profile *p, FgJson *json, const FgJsonValue *value, uint32_t *number)
{
	*number = FG_NONE;
	return value->length == 0 ||
		fg_json_at(json, fg_names_add(&p->texts->texts, value->text, value->length, number));
}

bool
fg_v8_url(FgV8Profile *p, FgJson *json, const FgJsonValue *value)
{
	uint32_t	last = p->open > 0 ? p->nodes[p->open - 1].url : FG_NONE;
	const FgNames *texts = &p->texts->texts;

	if (last == FG_NONE || texts->length[last] != value->length ||
		memcmp(texts->bytes + texts->offset[last], value->text, value->length) != 0)
		return fg_v8_text(p, json, value, &p->nodes[p->open].url);
	p->nodes[p->open].url = last;
	return true;
}

bool
fg_v8_children(FgV8Profile *p, FgJson *json, const FgJsonValue *value)
{
	FgV8Link	link = {.parent = p->open};

	if (!fg_json_index(json, value, &link.child))
		return false;
	do
	{
		/* a tree has fewer links than nodes */
		if (p->link_count >= FG_MAX_NODES)
			return fg_json_fail(json, FG_ERROR_LIMIT, NULL, "there are more than %u nodes",
								FG_MAX_NODES);
		if (!fg_reserve(p->ctx, (void **) &p->links, &p->link_capacity, p->link_count + 1,
						sizeof(FgV8Link)))
			return false;
		p->links[p->link_count++] = link;
	} while (fg_json_next_index(json, &link.child));
	return true;
}

static bool
too_many(FgJson *json)
{
	return fg_json_fail(json, FG_ERROR_LIMIT, NULL, "there are more than %u samples",
						FG_MAX_KEPT_SAMPLES);
}

bool
fg_v8_samples(FgV8Profile *p, FgJson *json, const FgJsonValue *value)
{
	uint32_t	id;

	if (!fg_json_index(json, value, &id))
		return false;
	do
	{
		if (p->sample_count >= FG_MAX_KEPT_SAMPLES)
			return too_many(json);
		if (!fg_reserve(p->ctx, (void **) &p->samples, &p->sample_capacity, p->sample_count + 1,
						sizeof(uint32_t)))
			return false;
		p->samples[p->sample_count++] = id;
	} while (fg_json_next_index(json, &id));
	return true;
}

bool
fg_v8_deltas(FgV8Profile *p, FgJson *json, const FgJsonValue *value)
{
	double		delta;

	if (!fg_json_number(json, value, &delta))
		return false;
	do
	{
		if (p->delta_count >= FG_MAX_KEPT_SAMPLES)
			return too_many(json);
		if (!fg_reserve(p->ctx, (void **) &p->deltas, &p->delta_capacity, p->delta_count + 1,
						sizeof(double)))
			return false;
		p->deltas[p->delta_count++] = delta;
	} while (fg_json_next_number(json, &delta));
	return true;
}

/* --- the tree ----------------------------------------------------------------------- */

static bool
unknown_node(FgV8Profile *p, const char *who, uint64_t number, uint64_t id)
{
	return fg_fail(p->ctx, FG_ERROR_SYNTAX, "%s %" PRIu64 " refers to node %" PRIu64
				   ", which does not exist", who, number, id);
}

/* Nodes that stand in their parents may have no numbers: they get some that none refers to. */
static bool
index_nodes(FgV8Profile *p)
{
	size_t		same[2];

	p->ids = fg_alloc(p->ctx, p->count, sizeof(uint64_t));
	if (p->ids == NULL)
		return false;
	for (uint32_t i = 0; i < p->count; i++)
		p->ids[i] = p->nodes[i].id != FG_NONE ? p->nodes[i].id : (UINT64_C(1) << 32) + i;
	return fg_id_index_make(p->ctx, &p->index, p->ids, p->count, same) ||
		(same[1] > 0 && fg_fail(p->ctx, FG_ERROR_SYNTAX, "two nodes have the id %" PRIu64,
								p->ids[same[1]]));
}

static bool
link_parents(FgV8Profile *p)
{
	for (uint32_t i = 0; i < p->count; i++)
	{
		FgV8Node   *node = &p->nodes[i];
		size_t		at;

		if (!fg_check_every(p->ctx, i) || !name_frame(p, node))
			return false;
		if (node->parent_id == FG_NONE)
			continue;
		at = fg_id_index_find(&p->index, node->parent_id);
		node->cut = at == SIZE_MAX && p->has_gaps;
		if (node->cut)
			continue;
		if (at == SIZE_MAX)
			return unknown_node(p, "node", p->ids[i], node->parent_id);
		node->parent = (uint32_t) at;
	}
	return true;
}

static bool
link_children(FgV8Profile *p)
{
	for (size_t i = 0; i < p->link_count; i++)
	{
		FgV8Link	link = p->links[i];
		size_t		child = fg_id_index_find(&p->index, link.child);

		if (!fg_check_every(p->ctx, i))
			return false;
		if (child == SIZE_MAX)
			return unknown_node(p, "node", p->ids[link.parent], link.child);
		if (p->nodes[child].parent != FG_NONE && p->nodes[child].parent != link.parent)
			return fg_fail(p->ctx, FG_ERROR_SYNTAX, "node %" PRIu32 " has two parents",
						   link.child);
		p->nodes[child].parent = link.parent;
	}
	return true;
}

/* What stands for all nodes that are not there. */
static bool
add_unknown(FgV8Profile *p, size_t *at)
{
	FgV8Node	node = {.parent = FG_NONE, .id = FG_NONE, .cut = true};

	*at = p->unknown != FG_NONE ? p->unknown : p->count;
	if (p->unknown != FG_NONE)
		return true;
	if (!fg_reserve(p->ctx, (void **) &p->nodes, &p->node_capacity, (size_t) p->count + 1,
					sizeof(FgV8Node)) ||
		!fg_names_add(&p->texts->frames, "", 0, &node.frame))
		return false;
	p->unknown = p->count;
	p->nodes[p->count++] = node;
	return true;
}

bool
fg_v8_node_of(FgV8Profile *p, uint64_t sample, uint32_t id, uint32_t *node)
{
	size_t		at = fg_id_index_find(&p->index, id);

	if (at == SIZE_MAX)
		return unknown_node(p, "sample", sample + 1, id);
	*node = (uint32_t) at;
	return true;
}

static bool
resolve_samples(FgV8Profile *p)
{
	for (size_t i = 0; i < p->sample_count; i++)
	{
		size_t		at = fg_id_index_find(&p->index, p->samples[i]);

		if (!fg_check_every(p->ctx, i) ||
			(at == SIZE_MAX && p->has_gaps && !add_unknown(p, &at)))
			return false;
		if (at == SIZE_MAX && !p->may_lack_nodes)
			return unknown_node(p, "sample", i + 1, p->samples[i]);
		p->samples[i] = at == SIZE_MAX ? FG_NONE : (uint32_t) at;
		if (at != SIZE_MAX)
			p->nodes[at].samples++;
	}
	return true;
}

bool
fg_v8_resolve(FgV8Profile *p)
{
	return index_nodes(p) && link_parents(p) && link_children(p) && resolve_samples(p);
}

static bool
is_root(const FgV8Profile *p, const FgV8Node *node)
{
	static const char root[] = "(root)";
	const FgNames *frames = &p->texts->frames;

	return node->parent == FG_NONE && frames->length[node->frame] == sizeof(root) - 1 &&
		memcmp(frames->bytes + frames->offset[node->frame], root, sizeof(root) - 1) == 0;
}

/* The stack of a node, leaf first. */
static bool
collect_stack(FgV8Profile *p, FgSink *sink, uint32_t leaf, bool *cut, size_t *work)
{
	const FgNames *frames = &p->texts->frames;
	size_t		depth = 0;

	*work = 0;
	*cut = false;
	fg_sink_clear(sink);
	if (p->thread != NULL &&
		((fg_sink_options(sink)->threads && !fg_sink_thread(sink, p->thread, p->thread_length)) ||
		 (fg_sink_is_timed(sink) && !fg_sink_lane(sink, p->thread, p->thread_length))))
		return false;
	for (uint32_t at = leaf; at != FG_NONE; at = p->nodes[at].parent)
	{
		const FgV8Node *node = &p->nodes[at];
		uint32_t	length = frames->length[node->frame];

		if (depth++ > p->count)
			return fg_fail(p->ctx, FG_ERROR_SYNTAX, "node %" PRIu64 " is below itself",
						   p->ids[leaf]);
		if (depth > FG_MAX_DEPTH + 1)
			return fg_fail(p->ctx, FG_ERROR_LIMIT, "a stack is deeper than %d", FG_MAX_DEPTH);
		*cut = node->cut;
		if (is_root(p, node))
			return true;
		if (!fg_sink_frame(sink, frames->bytes + frames->offset[node->frame], length))
			return false;
		*work += length + 1;
	}
	return true;
}

/* --- values --------------------------------------------------------------------------- */

double
fg_v8_zero(const FgV8Profile *p)
{
	double		time = p->start;
	double		zero = INFINITY;

	for (size_t i = 0; i < p->delta_count; i++)
	{
		time += p->deltas[i];
		zero = time < zero ? time : zero;
	}
	return zero;
}

bool
fg_v8_spread(void *arg, uint32_t node, double time, double stop)
{
	FgV8Spread *spread = arg;

	fg_sum_add(&spread->profile->nodes[node].sum, spread->weights, stop - time);
	return true;
}

bool
fg_v8_hand_on(void *arg, uint32_t node, double time, double stop)
{
	const FgV8Handing *h = arg;
	bool		cut;
	size_t		work;

	if (!collect_stack(h->profile, h->sink, node, &cut, &work))
		return false;
	fg_sink_time(h->sink, (time - h->zero) * h->ticks, (stop - h->zero) * h->ticks);
	return fg_sink_add(h->sink, h->number, FG_LEAF_FIRST, cut, h->counts ? 1 : stop - time) &&
		fg_work(h->profile->ctx, work);
}

bool
fg_v8_check_counts(FgContext *ctx, size_t samples, size_t times)
{
	return samples == times ||
		fg_fail(ctx, FG_ERROR_SYNTAX, "there are %zu samples and %zu times between them", samples, times);
}

static bool
order_samples(FgV8Profile *p, FgV8Take take, void *arg)
{
	FgV8Order	order;
	double		time = p->start;
	bool		ok = fg_v8_check_counts(p->ctx, p->sample_count, p->delta_count);

	fg_v8_order_begin(p->ctx, &order, take, arg);
	for (size_t i = 0; ok && i < p->sample_count; i++)
	{
		time += p->deltas[i];
		ok = fg_v8_order_add(&order, p->samples[i], time) && fg_check_every(p->ctx, i);
	}
	ok = ok && fg_v8_order_finish(&order, p->has_end ? p->end : -INFINITY);
	fg_v8_order_free(&order);
	return ok;
}

bool
fg_v8_take(FgV8Profile *p, const FgV8Handing *handing)
{
	FgV8Handing of_this = *handing;

	of_this.profile = p;
	return order_samples(p, fg_v8_hand_on, &of_this);
}

bool
fg_v8_times(FgV8Profile *p, FgWeights *weights)
{
	return order_samples(p, fg_v8_spread, &(FgV8Spread) {p, weights});
}

bool
fg_v8_counts(FgV8Profile *p)
{
	for (uint32_t i = 0; i < p->count; i++)
	{
		FgV8Node   *node = &p->nodes[i];

		node->sum.value = p->has_samples ? node->samples : node->hits;
		if (!fg_check_every(p->ctx, i))
			return false;
	}
	return true;
}

bool
fg_v8_add(FgV8Profile *p, FgSink *sink, uint32_t profile)
{
	FgNoted    *noted = fg_sink_noted(sink);
	uint64_t	before = noted->samples;
	double		samples = 0;

	for (uint32_t i = 0; i < p->count; i++)
	{
		const FgV8Node *node = &p->nodes[i];
		bool		cut;
		size_t		work;

		samples += p->has_samples ? node->samples : node->hits;
		if (node->sum.value == 0 && node->sum.samples == 0)
			continue;
		if (!collect_stack(p, sink, i, &cut, &work) ||
			!fg_sink_sum(sink, profile, FG_LEAF_FIRST, cut, &node->sum) ||
			!fg_work(p->ctx, work))
			return false;
	}
	if (profile != FG_UNWANTED && samples >= 0 && samples < 1e15)
		noted->samples = before + (uint64_t) samples;
	return true;
}
