/*
 * codec_encode.c
 *	  Encoding in layout version 1 (see codec.h for every byte).
 */
#include "core/profile/codec.h"

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/profile/values.h"

/*
 * The call graph while it is collected: an open-addressing table from (parent
 * frame, frame) to the edge's number in order of appearance.  FgPairs (base/pairs.h) is
 * the same table, but encoding a recording of 60,000 nodes by it takes 7 % longer, 15 %
 * with its smaller table: most of the time goes into this look-up.
 */
typedef struct EdgeSet
{
	FgCall	   *edges;
	size_t		capacity;
	uint32_t	count;
	uint32_t   *slots;			/* edge number + 1, 0 for empty */
	uint32_t	mask;
} EdgeSet;

static bool
edges_grow(FgContext *ctx, EdgeSet *set)
{
	uint32_t	nslots = set->slots == NULL ? 1024 : (set->mask + 1) * 2;
	uint32_t   *slots = fg_alloc_zero(ctx, nslots, sizeof(uint32_t));

	if (slots == NULL)
		return false;
	fg_release(ctx, set->slots);
	set->slots = slots;
	set->mask = nslots - 1;
	for (uint32_t e = 0; e < set->count; e++)
	{
		uint32_t	slot = fg_hash_pair(ctx->seed, set->edges[e].parent, set->edges[e].frame) & set->mask;

		while (slots[slot] != 0)
			slot = (slot + 1) & set->mask;
		slots[slot] = e + 1;
		if (!fg_check_every(ctx, e))
			return false;
	}
	return fg_reserve(ctx, (void **) &set->edges, &set->capacity, nslots / 4 + 1, sizeof(FgCall));
}

/* The edge's number, added when it is new; grows before a quarter of it is full. */
static inline bool
edges_number(FgContext *ctx, EdgeSet *set, uint32_t parent, uint32_t frame, uint32_t *number)
{
	uint32_t	slot;

	if (set->count >= set->mask / 4 && !edges_grow(ctx, set))
		return false;
	slot = fg_hash_pair(ctx->seed, parent, frame) & set->mask;
	while (set->slots[slot] != 0)
	{
		const FgCall *edge = &set->edges[set->slots[slot] - 1];

		if (edge->frame == frame && edge->parent == parent)
		{
			*number = set->slots[slot] - 1;
			return true;
		}
		slot = (slot + 1) & set->mask;
	}
	set->edges[set->count].parent = parent;
	set->edges[set->count].frame = frame;
	*number = set->count++;
	set->slots[slot] = set->count;
	return true;
}

/* node_edge[i]: the edge that leads to node i. */
static bool
collect_edges(FgContext *ctx, const FgTree *tree, uint32_t depth, EdgeSet *set,
			  uint32_t *node_edge)
{
	uint32_t   *path = fg_alloc(ctx, (size_t) depth + 1, sizeof(uint32_t));
	bool		ok = path != NULL && edges_grow(ctx, set);

	if (ok)
		path[0] = tree->frames.count;
	for (uint32_t i = 1; ok && i <= tree->nnodes; i++)
	{
		uint32_t	d = fg_key_depth(tree->key[i]);
		uint32_t	frame = fg_key_frame(tree->key[i]);

		path[d] = frame;
		ok = edges_number(ctx, set, path[d - 1], frame, &node_edge[i]) &&
			fg_check_every(ctx, i);
	}
	fg_release(ctx, path);
	return ok;
}

/* One pass of a counting sort of edge numbers, by frame or by parent. */
static bool
counting_sort(FgContext *ctx, const FgCall *edges, uint32_t count, bool by_parent,
			  const uint32_t *from, uint32_t *to, uint32_t *start, uint32_t nkeys)
{
	memset(start, 0, ((size_t) nkeys + 1) * sizeof(uint32_t));
	for (uint32_t e = 0; e < count; e++)
	{
		start[(by_parent ? edges[e].parent : edges[e].frame) + 1]++;
		if (!fg_check_every(ctx, e))
			return false;
	}
	for (uint32_t k = 0; k < nkeys; k++)
		start[k + 1] += start[k];
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t	e = from == NULL ? i : from[i];

		to[start[by_parent ? edges[e].parent : edges[e].frame]++] = e;
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

/* Writes EDGES and finds each edge's rank among those of its parent frame. */
static bool
append_edges(FgBuffer *buffer, const FgCallEdges *set, uint32_t nframes, uint32_t *rank)
{
	FgContext  *ctx = buffer->ctx;
	uint32_t   *order = fg_alloc(ctx, set->count, 2 * sizeof(uint32_t));
	uint32_t   *end = fg_alloc(ctx, (size_t) nframes + 2, sizeof(uint32_t));
	uint32_t   *sorted = order != NULL ? order + set->count : NULL;
	bool		ok = order != NULL && end != NULL;
	uint32_t	at = 0;

	ok = ok &&
		counting_sort(ctx, set->call, set->count, false, NULL, order, end, nframes + 1) &&
		counting_sort(ctx, set->call, set->count, true, order, sorted, end, nframes + 1);
	/* after the sort end[p] is where the edges of p end */
	for (uint32_t p = 0; ok && p <= nframes; p++)
	{
		uint32_t	first = at;

		ok = fg_append_varint(buffer, end[p] - first) && fg_check_every(ctx, p);
		for (; ok && at < end[p]; at++)
		{
			uint32_t	frame = set->call[sorted[at]].frame;
			uint32_t	skipped = at == first ? frame
				: frame - set->call[sorted[at - 1]].frame - 1;

			rank[sorted[at]] = at - first;
			ok = fg_append_varint(buffer, skipped) && fg_check_every(ctx, at);
		}
	}
	fg_release(ctx, order);
	fg_release(ctx, end);
	return ok;
}

static bool
append_ranks(FgBuffer *buffer, const FgTree *tree, const uint32_t *node_edge,
			 const uint32_t *rank)
{
	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		if (!fg_append_varint(buffer, rank[node_edge[i]]))
			return false;
		if (!fg_check_every(buffer->ctx, i))
			return false;
	}
	return true;
}

/* EDGES and RANKS. */
static bool
append_call_graph(FgBuffer *buffer, const FgTree *tree, const FgCallEdges *edges, FgHeader *header)
{
	FgContext  *ctx = buffer->ctx;
	uint32_t   *rank = fg_alloc(ctx, edges->count, sizeof(uint32_t));
	size_t		start = buffer->size;
	bool		ok = rank != NULL && append_edges(buffer, edges, tree->frames.count, rank);

	header->nedges = edges->count;
	header->edges_size = (uint32_t) (buffer->size - start);
	start = buffer->size;
	ok = ok && append_ranks(buffer, tree, edges->of_node, rank);
	header->ranks_size = (uint32_t) (buffer->size - start);
	fg_release(ctx, rank);
	return ok;
}

/* The same where nobody knows the edges yet. */
static bool
append_new_call_graph(FgBuffer *buffer, const FgTree *tree, FgHeader *header)
{
	FgContext  *ctx = buffer->ctx;
	EdgeSet		set = {0};
	uint32_t   *node_edge = fg_alloc(ctx, (size_t) tree->nnodes + 1, sizeof(uint32_t));
	bool		ok;

	ok = node_edge != NULL && collect_edges(ctx, tree, header->facts.depth, &set, node_edge);
	if (ok)
	{
		FgCallEdges edges = {set.edges, set.count, node_edge};

		ok = append_call_graph(buffer, tree, &edges, header);
	}
	fg_release(ctx, node_edge);
	fg_release(ctx, set.edges);
	fg_release(ctx, set.slots);
	return ok;
}

static uint32_t
shared_prefix(const char *a, uint32_t alen, const char *b, uint32_t blen)
{
	uint32_t	limit = alen < blen ? alen : blen;
	uint32_t	n = 0;

	if (limit > FG_MAX_SHARED)
		limit = FG_MAX_SHARED;
	while (n + 8 <= limit && memcmp(a + n, b + n, 8) == 0)
		n += 8;
	while (n < limit && a[n] == b[n])
		n++;
	return n;
}

static bool
append_dictionary(FgBuffer *buffer, const FgFrames *frames)
{
	for (uint32_t f = 0; f < frames->count; f++)
	{
		const char *frame = fg_frame_bytes(frames, f);
		uint32_t	length = fg_frame_length(frames, f);
		uint32_t	shared = 0;

		if (f > 0)
			shared = shared_prefix(fg_frame_bytes(frames, f - 1),
								   fg_frame_length(frames, f - 1), frame, length);
		if (!fg_buffer_room(buffer, 1 + FG_VARINT_MAX + (size_t) length))
			return false;
		buffer->data[buffer->size++] = (uint8_t) shared;
		fg_put_varint(buffer, length - shared);
		memcpy(buffer->data + buffer->size, frame + shared, length - shared);
		buffer->size += length - shared;
		if (!fg_work(buffer->ctx, length))
			return false;
	}
	return true;
}

static inline bool
is_leaf(const FgTree *tree, uint32_t node)
{
	return node == tree->nnodes ||
		fg_key_depth(tree->key[node + 1]) <= fg_key_depth(tree->key[node]);
}

/* Writes CHAINS; node 0 belongs to none. */
static bool
append_chains(FgBuffer *buffer, const FgTree *tree)
{
	uint32_t	first = 1;
	uint32_t	depth = 0;		/* of the leaf before */

	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		if (!fg_check_every(buffer->ctx, i))
			return false;
		if (!is_leaf(tree, i))
			continue;
		if (!fg_buffer_room(buffer, 2 * FG_VARINT_MAX))
			return false;
		if (first > 1)
			fg_put_varint(buffer, depth - fg_key_depth(tree->key[first]));
		fg_put_varint(buffer, i - first);
		depth = fg_key_depth(tree->key[i]);
		first = i + 1;
	}
	return true;
}

/* Writes GAPS and VALUES. */
static bool
append_values(FgBuffer *buffer, const FgTree *tree, FgHeader *header)
{
	FgContext  *ctx = buffer->ctx;
	double	   *values = fg_alloc(ctx, header->facts.nstacks, sizeof(double));
	uint32_t	leaves = 0;
	uint32_t	others = header->facts.nleaves;
	uint32_t	expected = 0;	/* the index that would have gap 0 */
	FgValueForm form = {0};
	bool		ok = values != NULL;

	for (uint32_t i = 0; ok && i <= tree->nnodes; i++)
	{
		ok = fg_check_every(ctx, i);
		if (!ok || tree->self[i] == 0)
			continue;
		if (i > 0 && is_leaf(tree, i))
		{
			values[leaves++] = tree->self[i];
			continue;
		}
		values[others++] = tree->self[i];
		ok = fg_append_varint(buffer, i - expected);
		expected = i + 1;
	}
	ok = ok && fg_values_form(ctx, values, header->facts.nstacks, &form);
	header->mode = form.mode;
	header->digits = form.digits;
	header->unit = form.unit;
	ok = ok && fg_values_append(buffer, form, values, header->facts.nstacks);
	fg_release(ctx, values);
	return ok;
}

static bool
append_sections(FgBuffer *buffer, const FgTree *tree, const FgCallEdges *edges, FgHeader *header)
{
	size_t		start = buffer->size;

	if (!append_dictionary(buffer, &tree->frames))
		return false;
	header->dictionary_size = (uint32_t) (buffer->size - start);
	if (!(edges != NULL ? append_call_graph(buffer, tree, edges, header)
		  : append_new_call_graph(buffer, tree, header)))
		return false;
	start = buffer->size;
	if (!append_chains(buffer, tree))
		return false;
	header->chains_size = (uint32_t) (buffer->size - start);
	return append_values(buffer, tree, header);
}

static void
store_header(uint8_t *to, const FgHeader *header)
{
	to[0] = FG_FORMAT_VERSION;
	to[1] = (uint8_t) (header->mode | header->digits << 4);
	fg_store_le(to + 2, header->facts.depth, 2);
	fg_store_le(to + 4, header->facts.nnodes, 4);
	fg_store_le(to + 8, header->facts.nstacks, 4);
	fg_store_le(to + 12, header->nframes, 4);
	fg_store_le(to + 16, header->facts.nleaves, 4);
	fg_store_le(to + 20, header->nedges, 4);
	fg_store_le(to + 24, fg_double_bits(header->facts.total), 8);
	fg_store_le(to + 32, fg_double_bits(header->facts.norm), 8);
	fg_store_le(to + 40, fg_double_bits(header->unit), 8);
	fg_store_le(to + 48, header->dictionary_size, 4);
	fg_store_le(to + 52, header->edges_size, 4);
	fg_store_le(to + 56, header->ranks_size, 4);
	fg_store_le(to + 60, header->chains_size, 4);
}

static bool
encode(FgContext *ctx, const FgTree *tree, const FgCallEdges *edges, size_t reserve,
	   uint8_t **buffer, size_t *size)
{
	FgBuffer	out = {.ctx = ctx};
	FgHeader	header = {0};
	size_t		guess = reserve + FG_HEADER_SIZE + tree->frames.offset[tree->frames.count] +
		(size_t) tree->nnodes * 3;

	header.nframes = tree->frames.count;
	if (!fg_tree_facts(ctx, tree, &header.facts) || !fg_buffer_room(&out, guess))
		return false;
	out.size = reserve + FG_HEADER_SIZE;
	if (!append_sections(&out, tree, edges, &header))
	{
		fg_release(ctx, out.data);
		return false;
	}
	*size = out.size - reserve;
	if (*size > FG_MAX_BYTES)
	{
		fg_release(ctx, out.data);
		return fg_fail(ctx, FG_ERROR_LIMIT, "the profile takes %zu bytes, the limit is %u",
					   *size, FG_MAX_BYTES);
	}
	store_header(out.data + reserve, &header);
	*buffer = out.data;
	return true;
}

bool
fg_codec_encode(FgContext *ctx, const FgTree *tree, size_t reserve, uint8_t **buffer,
				size_t *size)
{
	return encode(ctx, tree, NULL, reserve, buffer, size);
}

bool
fg_codec_encode_by_edges(FgContext *ctx, const FgTree *tree, const FgCallEdges *edges,
						 size_t reserve, uint8_t **buffer, size_t *size)
{
	return encode(ctx, tree, edges, reserve, buffer, size);
}

/* --- parts to compress ---------------------------------------------------------- */

/* DICTIONARY, with "before" bytes before it; EDGES, RANKS, CHAINS; GAPS and VALUES. */
static void
add_parts(const uint8_t *bytes, size_t size, size_t before, FgStoredParts *parts)
{
	size_t		left = size - FG_HEADER_SIZE;

	for (unsigned s = 0; s < 4; s++)
	{
		size_t		section = (size_t) fg_load_le(bytes + FG_SIZES_AT + 4 * s, 4);

		fg_stored_part(parts, section + (s == 0 ? before : 0), s == 0);
		left -= section;
	}
	fg_stored_part(parts, left, false);
}

static void
codec_parts(const uint8_t *bytes, size_t size, FgStoredParts *parts)
{
	add_parts(bytes, size, 0, parts);
}

void
fg_codec_inner_parts(const uint8_t *bytes, size_t size, FgStoredParts *parts)
{
	add_parts(bytes, size, FG_HEADER_SIZE, parts);
}

const FgEncoding fg_codec_encoding = {FG_HEADER_SIZE, codec_parts};
