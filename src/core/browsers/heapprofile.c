/*
 * heapprofile.c
 *	  V8's .heapprofile (node --heap-prof, Chrome's allocation sampling).
 *
 * A "head" with its children in it: nodes with call frames (see v8_profile.h), and the bytes
 * that each has allocated and that were still in use at the end, estimated from samples.  The
 * samples, if they are there, say how many there were and what each stands for; V8 rounds
 * them one by one and their sum as a whole, so that values are the nodes' own.  It also writes
 * samples of nodes that it has dropped from the tree: these are in no value, and comments.
 * Samples have an order, but no times.
 */
#include "core/browsers/v8_profile.h"

typedef struct HeapProfile
{
	FgSink	   *sink;
	FgContext  *ctx;
	FgJson	   *json;
	FgV8Texts	texts;
	FgV8Profile profile;
	bool		has_head;
	bool		has_node;		/* of the sample that is being read */
	bool		has_size;
	double		size;
	double	   *sizes;			/* of samples */
	size_t		size_capacity;
} HeapProfile;

/* --- reading ---------------------------------------------------------------------- */

enum
{
	NODE = 1, SAMPLES, NODE_ID, CALL_FRAME, SELF_SIZE, CHILDREN,
	FUNCTION_NAME, URL, LINE_NUMBER, COLUMN_NUMBER,
	SAMPLE, SAMPLE_NODE, SAMPLE_SIZE
};

static const FgJsonRule rules[] = {
	{FG_JSON_ROOT, "head", NODE, FG_JSON_OBJECT},
	{FG_JSON_ROOT, "samples", SAMPLES, FG_JSON_ARRAY | FG_JSON_NULL},
	{NODE, "id", NODE_ID, FG_JSON_NUMBER},
	{NODE, "callFrame", CALL_FRAME, FG_JSON_OBJECT},
	{NODE, "selfSize", SELF_SIZE, FG_JSON_NUMBER},
	{NODE, "children", CHILDREN, FG_JSON_ARRAY | FG_JSON_NULL},
	{CHILDREN, NULL, NODE, FG_JSON_OBJECT},
	{CALL_FRAME, "functionName", FUNCTION_NAME, FG_JSON_STRING},
	{CALL_FRAME, "url", URL, FG_JSON_STRING | FG_JSON_NULL},
	{CALL_FRAME, "lineNumber", LINE_NUMBER, FG_JSON_NUMBER},
	{CALL_FRAME, "columnNumber", COLUMN_NUMBER, FG_JSON_NUMBER},
	{SAMPLES, NULL, SAMPLE, FG_JSON_OBJECT},
	{SAMPLE, "nodeId", SAMPLE_NODE, FG_JSON_NUMBER},
	{SAMPLE, "size", SAMPLE_SIZE, FG_JSON_NUMBER},
	{0, NULL, 0, 0}
};

static bool
once(HeapProfile *p, bool *seen, const char *what)
{
	if (*seen)
		return fg_json_fail(p->json, FG_ERROR_SYNTAX, NULL, "there are two %s", what);
	*seen = true;
	return true;
}

static bool
take_node(HeapProfile *p, const FgJsonValue *value)
{
	if (value->end)
		return fg_v8_close(&p->profile, p->json);
	return (p->profile.open != FG_NONE || once(p, &p->has_head, "heads")) &&
		fg_v8_open(&p->profile, p->json);
}

/* Bytes: a sum of some below 0 would be no size. */
static bool
take_size(HeapProfile *p, const FgJsonValue *value, double *size)
{
	if (!fg_json_number(p->json, value, size))
		return false;
	return *size >= 0 || fg_json_fail(p->json, FG_ERROR_SYNTAX, NULL, "a size is below 0");
}

static bool
begin_sample(HeapProfile *p)
{
	p->has_node = p->has_size = false;
	return true;
}

static bool
end_sample(HeapProfile *p)
{
	size_t		count = p->profile.sample_count;

	if (!p->has_node || !p->has_size)
		return fg_json_fail(p->json, FG_ERROR_SYNTAX, "A sample has a nodeId and a size.",
							"a sample is not complete");
	if (!fg_reserve(p->ctx, (void **) &p->sizes, &p->size_capacity, count, sizeof(double)))
		return false;
	p->sizes[count - 1] = p->size;
	return true;
}

static bool
take_sample_node(HeapProfile *p, const FgJsonValue *value)
{
	if (p->has_node)
		return fg_json_fail(p->json, FG_ERROR_SYNTAX, NULL, "a sample has two nodes");
	p->has_node = true;
	return fg_v8_samples(&p->profile, p->json, value);
}

static bool
take_of_node(HeapProfile *p, int place, const FgJsonValue *value)
{
	FgV8Profile *v8 = &p->profile;
	FgV8Node   *node = &v8->nodes[v8->open];

	switch (place)
	{
		case NODE_ID:
			return fg_json_index(p->json, value, &node->id);
		case SELF_SIZE:
			return take_size(p, value, &node->hits);
		case FUNCTION_NAME:
			return fg_v8_text(v8, p->json, value, &node->function);
		case URL:
			return fg_v8_url(v8, p->json, value);
		case LINE_NUMBER:
			return fg_json_number(p->json, value, &node->line);
		case COLUMN_NUMBER:
			return fg_json_number(p->json, value, &node->column);
		default:
			return true;
	}
}

static bool
take_value(void *arg, int place, const FgJsonValue *value)
{
	HeapProfile *p = arg;

	switch (place)
	{
		case FG_JSON_ROOT:
			return true;
		case NODE:
			return take_node(p, value);
		case SAMPLES:
			return value->end || value->type == FG_JSON_NULL ||
				once(p, &p->profile.has_samples, "lists of samples");
		case SAMPLE:
			return value->end ? end_sample(p) : begin_sample(p);
		case SAMPLE_NODE:
			return take_sample_node(p, value);
		case SAMPLE_SIZE:
			p->has_size = true;
			return take_size(p, value, &p->size);
		default:
			return take_of_node(p, place, value);
	}
}

/* --- values ------------------------------------------------------------------------------ */

/* The samples give their numbers and squares, the nodes the values. */
static bool
weigh_nodes(HeapProfile *p, FgWeights *weights)
{
	FgV8Profile *v8 = &p->profile;

	for (size_t i = 0; i < v8->sample_count; i++)
	{
		if (!fg_check_every(p->ctx, i))
			return false;
		if (v8->samples[i] == FG_NONE)
			fg_sink_noted(p->sink)->comments++;
		else
			fg_sum_add(&v8->nodes[v8->samples[i]].sum, weights, p->sizes[i]);
	}
	for (uint32_t i = 0; i < v8->count; i++)
	{
		FgV8Node   *node = &v8->nodes[i];

		if (!fg_check_every(p->ctx, i))
			return false;
		weights->unknown |= (node->hits != 0) != (node->sum.samples != 0);
		weights->differ |= node->hits != node->sum.value;
		node->sum.value = node->hits;
		node->hits = 0;
	}
	return true;
}

/* --- the reader --------------------------------------------------------------------------- */

static void
heapprofile_free(void *state)
{
	HeapProfile *p = state;

	if (p == NULL)
		return;
	fg_json_close(p->json);
	fg_v8_free(&p->profile);
	fg_v8_texts_free(&p->texts);
	fg_release(p->ctx, p->sizes);
	fg_release(p->ctx, p);
}

static void *
heapprofile_begin(FgSink *sink)
{
	FgContext  *ctx = fg_sink_context(sink);
	HeapProfile *p = fg_alloc_zero(ctx, 1, sizeof(HeapProfile));

	if (p == NULL)
		return NULL;
	p->sink = sink;
	p->ctx = ctx;
	fg_v8_begin(ctx, &p->texts, &p->profile);
	p->profile.by_place = p->profile.may_lack_nodes = true;
	p->json = fg_json_open(ctx, "V8 heap profile", rules, take_value, p);
	if (p->json != NULL && fg_v8_texts_begin(ctx, &p->texts))
		return p;
	heapprofile_free(p);
	return NULL;
}

static bool
heapprofile_feed(void *state, const char *bytes, size_t size)
{
	return fg_json_feed(((HeapProfile *) state)->json, bytes, size);
}

static bool
heapprofile_finish(void *state)
{
	static const FgKind kind = {"inuse_space", "inuse_space", "bytes", 0};
	HeapProfile *p = state;
	FgWeights	weights = {.count = 0};
	uint32_t	profile;

	if (!fg_json_finish(p->json))
		return false;
	if (!p->has_head)
		return fg_fail_at(p->ctx, FG_ERROR_SYNTAX, 0, 0,
						  "A .heapprofile has a head, a node with its children in it.",
						  "the V8 heap profile has no head");
	if (!fg_sink_profile(p->sink, &kind, &profile) || !fg_v8_resolve(&p->profile) ||
		!weigh_nodes(p, &weights))
		return false;
	fg_sink_weights(p->sink, profile, &weights);
	return fg_v8_add(&p->profile, p->sink, profile);
}

static bool
heapprofile_recognise(const char *head, size_t size, bool whole)
{
	(void) whole;
	return fg_json_begins(head, size) && fg_json_holds(head, size, "\"head\"") &&
		fg_json_holds(head, size, "\"selfSize\"") && fg_json_holds(head, size, "\"callFrame\"");
}

const FgFormatReader fg_heapprofile_reader = {
	.format = FG_FORMAT_HEAPPROFILE,
	.recognise = heapprofile_recognise,
	.begin = heapprofile_begin,
	.feed = heapprofile_feed,
	.finish = heapprofile_finish,
	.free = heapprofile_free
};
