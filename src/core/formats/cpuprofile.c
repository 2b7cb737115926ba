/*
 * cpuprofile.c
 *	  V8's .cpuprofile (node --cpu-prof, Chrome's JavaScript profiler).
 *
 * A tree of nodes with call frames, linked by lists of children or by parents,
 * then the node of each sample and the microseconds between them.  A sample stands
 * for the time until the next one, the last for that until the end.  V8 writes
 * samples out of order at times; they are put in order of their time.  Without
 * times the value is the number of samples.
 *
 * A frame is file:function.  The file is the part of its path that is the same on
 * every machine: what follows node_modules/, or else the name alone; names of
 * node's own modules, such as node:fs, stay as they are.  The body of a module is
 * its file, a function without a name has its place, file:(anonymous):LINE:COLUMN.
 * Lines of other functions are left out, since they move with every edit above.
 * (idle), (program) and (garbage collector) are stacks of their own, as in V8.
 */
#include "core/reading/sink.h"

#include "core/base/bytes.h"
#include "core/base/order.h"
#include "core/reading/id_index.h"
#include "core/reading/json_stream.h"

#include <inttypes.h>
#include <stdio.h>

#define NO_ID FG_NONE

typedef struct Node
{
	uint64_t	parent;			/* id while reading, then position; NO_ID: none */
	size_t		name;			/* in the buffer of names */
	size_t		name_length;
	double		hits;
	double		samples;
	FgSum		sum;
} Node;

typedef struct Link
{
	uint32_t	parent;			/* position */
	uint32_t	child;			/* id */
} Link;

/* The call frame that is being read. */
typedef struct CallFrame
{
	FgBuffer	function;
	FgBuffer	url;
	double		line;			/* from 0 */
	double		column;
} CallFrame;

typedef struct CpuProfile
{
	FgSink	   *sink;
	FgContext  *ctx;
	FgJson	   *json;
	CallFrame	frame;
	uint32_t	id;				/* of the node that is being read */
	uint32_t	parent;
	double		hits;
	FgBuffer	names;
	Node	   *nodes;
	uint64_t   *ids;
	size_t		count;
	size_t		node_capacity;
	size_t		id_capacity;
	Link	   *links;
	size_t		link_count;
	size_t		link_capacity;
	uint32_t   *samples;		/* ids, then positions */
	size_t		sample_count;
	size_t		sample_capacity;
	double	   *deltas;
	size_t		delta_count;
	size_t		delta_capacity;
	bool		has_nodes;
	bool		has_samples;
	bool		has_deltas;
	double		start;
	double		end;
	bool		has_end;
	uint32_t   *stack;
	size_t		stack_capacity;
	FgIdIndex	index;
	FgWeights	weights;
} CpuProfile;

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

/* Appends the frame's name to the buffer of names. */
static bool
append_name(CpuProfile *p)
{
	const CallFrame *frame = &p->frame;
	const char *url = (const char *) frame->url.data;
	bool		anonymous = frame->function.size == 0;
	char		place[80];
	size_t		start;
	size_t		end;

	short_url(url, frame->url.size, &start, &end);
	if (end > start && !fg_buffer_append(&p->names, url + start, end - start))
		return false;
	if (anonymous && end > start && frame->line == 0 && frame->column == 0)
		return true;
	if (end > start && !fg_buffer_append(&p->names, ":", 1))
		return false;
	if (!anonymous)
		return fg_buffer_append(&p->names, frame->function.data, frame->function.size);
	snprintf(place, sizeof(place), "(anonymous)");
	if (frame->line >= 0)
		snprintf(place, sizeof(place), "(anonymous):%.0f:%.0f", frame->line + 1,
				 frame->column + 1);
	return fg_buffer_append(&p->names, place, strlen(place));
}

/* --- reading ---------------------------------------------------------------------- */

enum
{
	NODES = 1, START_TIME, END_TIME, SAMPLES, TIME_DELTAS,
	NODE, NODE_ID, CALL_FRAME, HIT_COUNT, CHILDREN, PARENT,
	FUNCTION_NAME, URL, LINE_NUMBER, COLUMN_NUMBER,
	CHILD, SAMPLE, DELTA
};

static const FgJsonRule rules[] = {
	{FG_JSON_ROOT, "nodes", NODES, FG_JSON_ARRAY},
	{FG_JSON_ROOT, "startTime", START_TIME, FG_JSON_NUMBER},
	{FG_JSON_ROOT, "endTime", END_TIME, FG_JSON_NUMBER},
	{FG_JSON_ROOT, "samples", SAMPLES, FG_JSON_ARRAY | FG_JSON_NULL},
	{FG_JSON_ROOT, "timeDeltas", TIME_DELTAS, FG_JSON_ARRAY | FG_JSON_NULL},
	{NODES, NULL, NODE, FG_JSON_OBJECT},
	{NODE, "id", NODE_ID, FG_JSON_NUMBER},
	{NODE, "callFrame", CALL_FRAME, FG_JSON_OBJECT},
	{NODE, "hitCount", HIT_COUNT, FG_JSON_NUMBER},
	{NODE, "children", CHILDREN, FG_JSON_ARRAY},
	{NODE, "parent", PARENT, FG_JSON_NUMBER},
	{CALL_FRAME, "functionName", FUNCTION_NAME, FG_JSON_STRING},
	{CALL_FRAME, "url", URL, FG_JSON_STRING | FG_JSON_NULL},
	{CALL_FRAME, "lineNumber", LINE_NUMBER, FG_JSON_NUMBER},
	{CALL_FRAME, "columnNumber", COLUMN_NUMBER, FG_JSON_NUMBER},
	{CHILDREN, NULL, CHILD, FG_JSON_NUMBER},
	{SAMPLES, NULL, SAMPLE, FG_JSON_NUMBER},
	{TIME_DELTAS, NULL, DELTA, FG_JSON_NUMBER},
	{0, NULL, 0, 0}
};

static bool
begin_node(CpuProfile *p)
{
	p->id = p->parent = NO_ID;
	p->hits = 0;
	p->frame.function.size = p->frame.url.size = 0;
	p->frame.line = p->frame.column = -1;
	return true;
}

static bool
end_node(CpuProfile *p)
{
	Node		node = {.parent = p->parent, .name = p->names.size, .hits = p->hits};

	if (p->id == NO_ID)
		return fg_json_fail(p->json, FG_ERROR_SYNTAX, NULL, "a node has no id");
	if (p->count >= FG_MAX_NODES)
		return fg_json_fail(p->json, FG_ERROR_LIMIT, NULL, "there are more than %u nodes",
							FG_MAX_NODES);
	if (!append_name(p))
		return false;
	node.name_length = p->names.size - node.name;
	if (!fg_reserve(p->ctx, (void **) &p->nodes, &p->node_capacity, p->count + 1, sizeof(Node)) ||
		!fg_reserve(p->ctx, (void **) &p->ids, &p->id_capacity, p->count + 1, sizeof(uint64_t)))
		return false;
	p->ids[p->count] = p->id;
	p->nodes[p->count++] = node;
	return true;
}

static bool
add_child(CpuProfile *p, const FgJsonValue *value)
{
	Link		link = {.parent = (uint32_t) p->count};

	/* a tree has fewer links than nodes; there is no node yet for the last one */
	if (p->link_count >= FG_MAX_NODES)
		return fg_json_fail(p->json, FG_ERROR_LIMIT, NULL, "there are more than %u nodes",
							FG_MAX_NODES);
	if (!fg_json_index(p->json, value, &link.child) ||
		!fg_reserve(p->ctx, (void **) &p->links, &p->link_capacity, p->link_count + 1,
					sizeof(Link)))
		return false;
	p->links[p->link_count++] = link;
	return true;
}

static bool
too_many(CpuProfile *p)
{
	return fg_json_fail(p->json, FG_ERROR_LIMIT, NULL, "there are more than %u samples",
						FG_MAX_KEPT_SAMPLES);
}

static bool
add_sample(CpuProfile *p, const FgJsonValue *value)
{
	if (p->sample_count >= FG_MAX_KEPT_SAMPLES)
		return too_many(p);
	return fg_reserve(p->ctx, (void **) &p->samples, &p->sample_capacity, p->sample_count + 1,
					  sizeof(uint32_t)) &&
		fg_json_index(p->json, value, &p->samples[p->sample_count]) && ++p->sample_count;
}

static bool
add_delta(CpuProfile *p, const FgJsonValue *value)
{
	if (p->delta_count >= FG_MAX_KEPT_SAMPLES)
		return too_many(p);
	return fg_reserve(p->ctx, (void **) &p->deltas, &p->delta_capacity, p->delta_count + 1,
					  sizeof(double)) &&
		fg_json_number(p->json, value, &p->deltas[p->delta_count]) && ++p->delta_count;
}

static bool
set_text(FgBuffer *text, const FgJsonValue *value)
{
	text->size = 0;
	return fg_buffer_append(text, value->text, value->length);
}

/* A second list of the same name would mix with the first. */
static bool
once(CpuProfile *p, const FgJsonValue *value, bool *seen, const char *what)
{
	if (value->end || value->type == FG_JSON_NULL)
		return true;
	if (*seen)
		return fg_json_fail(p->json, FG_ERROR_SYNTAX, NULL, "there are two lists of %s", what);
	*seen = true;
	return true;
}

static bool
take_value(void *arg, int place, const FgJsonValue *value)
{
	CpuProfile *p = arg;

	switch (place)
	{
		case NODES:
			return once(p, value, &p->has_nodes, "nodes");
		case SAMPLES:
			return once(p, value, &p->has_samples, "samples");
		case TIME_DELTAS:
			return once(p, value, &p->has_deltas, "time deltas");
		case START_TIME:
			return fg_json_number(p->json, value, &p->start);
		case END_TIME:
			p->has_end = true;
			return fg_json_number(p->json, value, &p->end);
		case NODE:
			return value->end ? end_node(p) : begin_node(p);
		case NODE_ID:
			return fg_json_index(p->json, value, &p->id);
		case PARENT:
			return fg_json_index(p->json, value, &p->parent);
		case HIT_COUNT:
			return fg_json_number(p->json, value, &p->hits);
		case FUNCTION_NAME:
			return set_text(&p->frame.function, value);
		case URL:
			return set_text(&p->frame.url, value);
		case LINE_NUMBER:
			return fg_json_number(p->json, value, &p->frame.line);
		case COLUMN_NUMBER:
			return fg_json_number(p->json, value, &p->frame.column);
		case CHILD:
			return add_child(p, value);
		case SAMPLE:
			return add_sample(p, value);
		case DELTA:
			return add_delta(p, value);
		default:
			return true;
	}
}

/* --- the tree ----------------------------------------------------------------------- */

static bool
unknown_node(CpuProfile *p, const char *who, uint64_t number, uint64_t id)
{
	return fg_fail(p->ctx, FG_ERROR_SYNTAX, "%s %" PRIu64 " refers to node %" PRIu64
				   ", which does not exist", who, number, id);
}

/* Parents become positions; lists of children become parents. */
static bool
link_nodes(CpuProfile *p)
{
	size_t		same[2];

	if (!fg_id_index_make(p->ctx, &p->index, p->ids, p->count, same))
		return same[1] > 0 && fg_fail(p->ctx, FG_ERROR_SYNTAX, "two nodes have the id %" PRIu64,
									  p->ids[same[1]]);
	for (size_t i = 0; i < p->count; i++)
	{
		size_t		at;

		if (!fg_check_every(p->ctx, i))
			return false;
		if (p->nodes[i].parent == NO_ID)
			continue;
		at = fg_id_index_find(&p->index, p->nodes[i].parent);
		if (at == SIZE_MAX)
			return unknown_node(p, "node", p->ids[i], p->nodes[i].parent);
		p->nodes[i].parent = at;
	}
	for (size_t i = 0; i < p->link_count; i++)
	{
		Link		link = p->links[i];
		size_t		child = fg_id_index_find(&p->index, link.child);

		if (!fg_check_every(p->ctx, i))
			return false;
		if (child == SIZE_MAX)
			return unknown_node(p, "node", p->ids[link.parent], link.child);
		if (p->nodes[child].parent != NO_ID && p->nodes[child].parent != link.parent)
			return fg_fail(p->ctx, FG_ERROR_SYNTAX, "node %" PRIu32 " has two parents",
						   link.child);
		p->nodes[child].parent = link.parent;
	}
	return true;
}

static bool
resolve_samples(CpuProfile *p)
{
	for (size_t i = 0; i < p->sample_count; i++)
	{
		size_t		at = fg_id_index_find(&p->index, p->samples[i]);

		if (!fg_check_every(p->ctx, i))
			return false;
		if (at == SIZE_MAX)
			return unknown_node(p, "sample", i + 1, p->samples[i]);
		p->samples[i] = (uint32_t) at;
		p->nodes[at].samples++;
	}
	return true;
}

static bool
is_root(const CpuProfile *p, const Node *node)
{
	static const char root[] = "(root)";

	return node->parent == NO_ID && node->name_length == sizeof(root) - 1 &&
		memcmp(p->names.data + node->name, root, sizeof(root) - 1) == 0;
}

/* The stack of a node, leaf first. */
static bool
collect_stack(CpuProfile *p, size_t leaf, size_t *work)
{
	size_t		depth = 0;

	fg_sink_clear(p->sink);
	for (uint64_t at = leaf; at != NO_ID; at = p->nodes[at].parent)
	{
		const Node *node = &p->nodes[at];

		if (depth++ > p->count)
			return fg_fail(p->ctx, FG_ERROR_SYNTAX, "node %" PRIu64 " is below itself",
						   p->ids[leaf]);
		if (depth > FG_MAX_DEPTH + 1)
			return fg_fail(p->ctx, FG_ERROR_LIMIT, "a stack is deeper than %d", FG_MAX_DEPTH);
		if (is_root(p, node))
			return true;
		if (!fg_sink_frame(p->sink, (char *) p->names.data + node->name, node->name_length))
			return false;
		*work += node->name_length + 1;
	}
	return true;
}

/* --- values --------------------------------------------------------------------------- */

/* The deltas become times, negated; the order of the samples by their time. */
static bool
order_by_time(CpuProfile *p, uint32_t *order)
{
	double		time = p->start;
	bool		sorted = true;

	for (size_t i = 0; i < p->delta_count; i++)
	{
		sorted = sorted && p->deltas[i] >= 0;
		time += p->deltas[i];
		p->deltas[i] = -time;
		order[i] = (uint32_t) i;
		if (!fg_check_every(p->ctx, i))
			return false;
	}
	return sorted ||
		fg_order_descending(p->ctx, p->deltas, (uint32_t) p->delta_count, order);
}

static bool
spread_times(CpuProfile *p, const uint32_t *order)
{
	for (size_t i = 0; i < p->sample_count; i++)
	{
		double		time = -p->deltas[order[i]];
		double		next = i + 1 < p->sample_count ? -p->deltas[order[i + 1]]
			: p->has_end && p->end > time ? p->end : time;

		fg_sum_add(&p->nodes[p->samples[order[i]]].sum, &p->weights, next - time);
		if (!fg_check_every(p->ctx, i))
			return false;
	}
	return true;
}

/* Each sample, or each hit, is one. */
static bool
count_samples(CpuProfile *p)
{
	for (size_t i = 0; i < p->count; i++)
	{
		Node	   *node = &p->nodes[i];

		node->sum.value = p->has_samples ? node->samples : node->hits;
		if (!fg_check_every(p->ctx, i))
			return false;
	}
	return true;
}

/* The samples one by one, in order of their time; each has its time, or counts 1. */
static bool
take_samples(CpuProfile *p, const uint32_t *order, bool counts, uint32_t profile)
{
	double		zero = p->sample_count > 0 ? -p->deltas[order[0]] : 0;

	for (size_t i = 0; i < p->sample_count; i++)
	{
		double		time = -p->deltas[order[i]];
		double		next = i + 1 < p->sample_count ? -p->deltas[order[i + 1]]
			: p->has_end && p->end > time ? p->end : time;
		size_t		work = 0;

		if (!collect_stack(p, p->samples[order[i]], &work))
			return false;
		fg_sink_time(p->sink, time - zero, next - zero);
		if (!fg_sink_add(p->sink, profile, FG_LEAF_FIRST, false, counts ? 1 : next - time) ||
			!fg_work(p->ctx, work))
			return false;
	}
	return true;
}

static bool
check_deltas(CpuProfile *p)
{
	return p->delta_count == p->sample_count ||
		fg_fail(p->ctx, FG_ERROR_SYNTAX, "there are %zu samples and %zu times between them",
				p->sample_count, p->delta_count);
}

static bool
add_samples(CpuProfile *p, bool counts, uint32_t profile)
{
	uint32_t   *order;
	bool		ok;

	if (!p->has_samples || !p->has_deltas)
		return fg_fail(p->ctx, FG_ERROR_ARGUMENT, "the V8 CPU profile has no times");
	if (!check_deltas(p))
		return false;
	order = fg_alloc(p->ctx, p->sample_count, sizeof(uint32_t));
	ok = order != NULL && order_by_time(p, order) && take_samples(p, order, counts, profile);
	fg_release(p->ctx, order);
	return ok;
}

static bool
spread_values(CpuProfile *p, bool times)
{
	uint32_t   *order;
	bool		ok;

	if (!times)
		return count_samples(p);
	if (!check_deltas(p))
		return false;
	order = fg_alloc(p->ctx, p->sample_count, sizeof(uint32_t));
	ok = order != NULL && order_by_time(p, order) && spread_times(p, order);
	fg_release(p->ctx, order);
	return ok;
}

static bool
add_nodes(CpuProfile *p, uint32_t profile)
{
	double		samples = 0;

	fg_sink_weights(p->sink, profile, &p->weights);
	for (size_t i = 0; i < p->count; i++)
	{
		size_t		work = 0;

		samples += p->has_samples ? p->nodes[i].samples : p->nodes[i].hits;
		if (p->nodes[i].sum.value == 0 && p->nodes[i].sum.samples == 0)
			continue;
		if (!collect_stack(p, i, &work) ||
			!fg_sink_sum(p->sink, profile, FG_LEAF_FIRST, false, &p->nodes[i].sum) ||
			!fg_work(p->ctx, work))
			return false;
	}
	if (profile != FG_UNWANTED && samples >= 0 && samples < 1e15)
		fg_sink_noted(p->sink)->samples = (uint64_t) samples;
	return true;
}

/* --- the reader --------------------------------------------------------------------------- */

static void *
cpuprofile_begin(FgSink *sink)
{
	FgContext  *ctx = fg_sink_context(sink);
	CpuProfile *p = fg_alloc_zero(ctx, 1, sizeof(CpuProfile));

	if (p == NULL)
		return NULL;
	p->sink = sink;
	fg_sink_ticks(sink, 1e6);
	p->ctx = ctx;
	p->names.ctx = p->frame.function.ctx = p->frame.url.ctx = ctx;
	p->json = fg_json_open(ctx, "V8 CPU profile", rules, take_value, p);
	if (p->json != NULL)
		return p;
	fg_release(ctx, p);
	return NULL;
}

static bool
cpuprofile_feed(void *state, const char *bytes, size_t size)
{
	return fg_json_feed(((CpuProfile *) state)->json, bytes, size);
}

static bool
cpuprofile_finish(void *state)
{
	static const FgKind time_kind = {"cpu", "cpu", "microseconds", 0};
	static const FgKind count_kind = {"cpu", "samples", "samples", 1};
	CpuProfile *p = state;
	const char *selection = fg_sink_options(p->sink)->selection;
	bool		counts = selection != NULL && strcmp(selection, "samples") == 0;
	bool		times;
	uint32_t	profile;

	if (!fg_json_finish(p->json))
		return false;
	if (!p->has_nodes)
		return fg_fail_at(p->ctx, FG_ERROR_SYNTAX, 0, 0,
						  "A .cpuprofile has a list of nodes and the samples that refer to them.",
						  "the V8 CPU profile has no nodes");
	times = p->has_samples && p->has_deltas && !counts;
	if (!fg_sink_profile(p->sink, times ? &time_kind : &count_kind, &profile))
		return false;
	if (!link_nodes(p) || !resolve_samples(p))
		return false;
	if (fg_sink_is_timed(p->sink))
		return add_samples(p, counts, profile);
	return spread_values(p, times) && add_nodes(p, profile);
}

static void
cpuprofile_free(void *state)
{
	CpuProfile *p = state;

	if (p == NULL)
		return;
	fg_json_close(p->json);
	fg_release(p->ctx, p->names.data);
	fg_release(p->ctx, p->frame.function.data);
	fg_release(p->ctx, p->frame.url.data);
	fg_release(p->ctx, p->nodes);
	fg_release(p->ctx, p->ids);
	fg_release(p->ctx, p->links);
	fg_release(p->ctx, p->samples);
	fg_release(p->ctx, p->deltas);
	fg_id_index_free(p->ctx, &p->index);
	fg_release(p->ctx, p);
}

static bool
cpuprofile_recognise(const char *head, size_t size, bool whole)
{
	(void) whole;
	return fg_json_begins(head, size) && fg_json_holds(head, size, "\"nodes\"") &&
		fg_json_holds(head, size, "\"callFrame\"");
}

const FgFormatReader fg_cpuprofile_reader = {
	.format = FG_FORMAT_CPUPROFILE,
	.has_times = true,
	.recognise = cpuprofile_recognise,
	.begin = cpuprofile_begin,
	.feed = cpuprofile_feed,
	.finish = cpuprofile_finish,
	.free = cpuprofile_free
};
