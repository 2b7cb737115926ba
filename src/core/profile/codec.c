/*
 * codec.c
 *	  Encoding and decoding of layout version 1 (see codec.h for every byte).
 */
#include "core/profile/codec.h"

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/profile/values.h"

#include <math.h>

/* --- header ------------------------------------------------------------- */

static bool
corrupt(FgContext *ctx, const char *reason)
{
	return fg_fail(ctx, FG_ERROR_CORRUPT, "%s", reason);
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

/* Counts that contradict each other or the sizes; nothing is allocated before. */
static bool
check_header(FgContext *ctx, const FgHeader *h, size_t size)
{
	const FgFacts *f = &h->facts;
	uint64_t	sections = (uint64_t) h->dictionary_size + h->edges_size + h->ranks_size +
		h->chains_size;

	if (!fg_values_form_valid((FgValueForm) {h->mode, h->digits, h->unit}))
		return corrupt(ctx, "the form of the values is unknown");
	if (f->nnodes > FG_MAX_NODES)
		return corrupt(ctx, "there are too many nodes");
	if (f->nleaves > f->nnodes || f->nstacks < f->nleaves || f->nstacks > (uint64_t) f->nnodes + 1 ||
		f->depth > f->nnodes || (f->nnodes > 0) != (f->nleaves > 0) ||
		(f->nnodes > 0) != (f->depth > 0))
		return corrupt(ctx, "the counts contradict each other");
	if (h->ranks_size < f->nnodes || h->dictionary_size / 3 < h->nframes ||
		h->edges_size < h->nedges || h->chains_size < f->nleaves)
		return corrupt(ctx, "a section is too short for its count");
	if (isnan(f->total) || isnan(f->norm))
		return corrupt(ctx, "the sums are not numbers");
	if (size != SIZE_MAX && sections > size - FG_HEADER_SIZE)
		return corrupt(ctx, "the sections are longer than the value");
	return true;
}

bool
fg_codec_header(FgContext *ctx, const uint8_t *bytes, size_t size, FgHeader *header)
{
	if (size < FG_HEADER_SIZE)
		return corrupt(ctx, "the header is cut short");
	if (bytes[0] != FG_FORMAT_VERSION)
		return fg_fail(ctx, FG_ERROR_CORRUPT, "format version %u is unknown", bytes[0]);
	header->mode = bytes[1] & 0x0F;
	header->digits = bytes[1] >> 4;
	header->facts.depth = (uint32_t) fg_load_le(bytes + 2, 2);
	header->facts.nnodes = (uint32_t) fg_load_le(bytes + 4, 4);
	header->facts.nstacks = (uint32_t) fg_load_le(bytes + 8, 4);
	header->nframes = (uint32_t) fg_load_le(bytes + 12, 4);
	header->facts.nleaves = (uint32_t) fg_load_le(bytes + 16, 4);
	header->nedges = (uint32_t) fg_load_le(bytes + 20, 4);
	header->facts.total = fg_bits_double(fg_load_le(bytes + 24, 8));
	header->facts.norm = fg_bits_double(fg_load_le(bytes + 32, 8));
	header->unit = fg_bits_double(fg_load_le(bytes + 40, 8));
	header->dictionary_size = (uint32_t) fg_load_le(bytes + 48, 4);
	header->edges_size = (uint32_t) fg_load_le(bytes + 52, 4);
	header->ranks_size = (uint32_t) fg_load_le(bytes + 56, 4);
	header->chains_size = (uint32_t) fg_load_le(bytes + 60, 4);
	return check_header(ctx, header, size);
}

/* --- encoding ----------------------------------------------------------- */

/*
 * The call graph while it is collected: an open-addressing table from (parent
 * frame, frame) to the edge's number in order of appearance.  FgPairs (base/pairs.h) is
 * the same table, but encoding a recording of 60,000 nodes by it takes 7 % longer, 15 %
 * with its smaller table: most of the time goes into this look-up.
 */
typedef struct Edge
{
	uint32_t	parent;
	uint32_t	frame;
} Edge;

typedef struct EdgeSet
{
	Edge	   *edges;
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
	return fg_reserve(ctx, (void **) &set->edges, &set->capacity, nslots / 4 + 1, sizeof(Edge));
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
		const Edge *edge = &set->edges[set->slots[slot] - 1];

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
counting_sort(FgContext *ctx, const Edge *edges, uint32_t count, bool by_parent,
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
append_edges(FgBuffer *buffer, const EdgeSet *set, uint32_t nframes, uint32_t *rank)
{
	FgContext  *ctx = buffer->ctx;
	uint32_t   *order = fg_alloc(ctx, set->count, 2 * sizeof(uint32_t));
	uint32_t   *end = fg_alloc(ctx, (size_t) nframes + 2, sizeof(uint32_t));
	uint32_t   *sorted = order != NULL ? order + set->count : NULL;
	bool		ok = order != NULL && end != NULL;
	uint32_t	at = 0;

	ok = ok &&
		counting_sort(ctx, set->edges, set->count, false, NULL, order, end, nframes + 1) &&
		counting_sort(ctx, set->edges, set->count, true, order, sorted, end, nframes + 1);
	/* after the sort end[p] is where the edges of p end */
	for (uint32_t p = 0; ok && p <= nframes; p++)
	{
		uint32_t	first = at;

		ok = fg_append_varint(buffer, end[p] - first) && fg_check_every(ctx, p);
		for (; ok && at < end[p]; at++)
		{
			uint32_t	frame = set->edges[sorted[at]].frame;
			uint32_t	skipped = at == first ? frame
				: frame - set->edges[sorted[at - 1]].frame - 1;

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

static bool
append_call_graph(FgBuffer *buffer, const FgTree *tree, FgHeader *header)
{
	FgContext  *ctx = buffer->ctx;
	EdgeSet		set = {0};
	uint32_t   *node_edge = fg_alloc(ctx, (size_t) tree->nnodes + 1, sizeof(uint32_t));
	uint32_t   *rank = NULL;
	size_t		start = buffer->size;
	bool		ok;

	ok = node_edge != NULL &&
		collect_edges(ctx, tree, header->facts.depth, &set, node_edge) &&
		(rank = fg_alloc(ctx, set.count, sizeof(uint32_t))) != NULL &&
		append_edges(buffer, &set, tree->frames.count, rank);
	header->nedges = set.count;
	header->edges_size = (uint32_t) (buffer->size - start);
	start = buffer->size;
	ok = ok && append_ranks(buffer, tree, node_edge, rank);
	header->ranks_size = (uint32_t) (buffer->size - start);
	fg_release(ctx, node_edge);
	fg_release(ctx, rank);
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
append_sections(FgBuffer *buffer, const FgTree *tree, FgHeader *header)
{
	size_t		start = buffer->size;

	if (!append_dictionary(buffer, &tree->frames))
		return false;
	header->dictionary_size = (uint32_t) (buffer->size - start);
	if (!append_call_graph(buffer, tree, header))
		return false;
	start = buffer->size;
	if (!append_chains(buffer, tree))
		return false;
	header->chains_size = (uint32_t) (buffer->size - start);
	return append_values(buffer, tree, header);
}

bool
fg_codec_encode(FgContext *ctx, const FgTree *tree, size_t reserve, uint8_t **buffer,
				size_t *size)
{
	FgBuffer	out = {.ctx = ctx};
	FgHeader	header = {0};
	size_t		guess = reserve + FG_HEADER_SIZE + tree->frames.offset[tree->frames.count] +
		(size_t) tree->nnodes * 3;

	header.nframes = tree->frames.count;
	if (!fg_tree_facts(ctx, tree, &header.facts) || !fg_buffer_room(&out, guess))
		return false;
	out.size = reserve + FG_HEADER_SIZE;
	if (!append_sections(&out, tree, &header))
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

/* --- decoding ----------------------------------------------------------- */

/* A reader failed: on its bytes, unless it has left an error of its own. */
static bool
damaged(FgContext *ctx, const char *reason)
{
	return ctx->error.code == FG_OK ? corrupt(ctx, reason) : false;
}

/* Splits the next section off a reader; sizes were checked with the header. */
static FgReader
take_section(FgReader *reader, uint32_t size)
{
	FgReader	section = {reader->next, reader->next + size};

	reader->next += size;
	return section;
}

bool
fg_codec_sections(FgContext *ctx, const uint8_t *bytes, size_t size, FgSections *sections)
{
	const FgHeader *header = &sections->header;

	if (!fg_codec_header(ctx, bytes, size, &sections->header))
		return false;
	sections->rest = (FgReader) {bytes + FG_HEADER_SIZE, bytes + size};
	sections->dictionary = take_section(&sections->rest, header->dictionary_size);
	sections->edges = take_section(&sections->rest, header->edges_size);
	sections->ranks = take_section(&sections->rest, header->ranks_size);
	sections->chains = take_section(&sections->rest, header->chains_size);
	return true;
}

/* First pass over DICTIONARY: the decoded size. */
static bool
dictionary_bytes(FgContext *ctx, FgReader reader, uint32_t nframes, size_t *bytes)
{
	uint32_t	previous = 0;

	*bytes = 0;
	for (uint32_t f = 0; f < nframes; f++)
	{
		uint32_t	shared;
		uint32_t	more;

		if (fg_reader_left(&reader) < 1)
			return false;
		shared = *reader.next++;
		if (shared > FG_MAX_SHARED || shared > previous || !fg_read_varint32(&reader, &more) ||
			more == 0 || more > fg_reader_left(&reader) || !fg_check_every(ctx, f))
			return false;
		reader.next += more;
		previous = shared + more;
		if (previous > FG_MAX_FRAME)
			return false;
		*bytes += previous;
	}
	return reader.next == reader.end;
}

/* Second pass: every length has been checked. */
static bool
copy_dictionary(FgContext *ctx, FgReader reader, FgFrames *frames)
{
	char	   *to = frames->bytes;
	const char *previous = to;

	for (uint32_t f = 0; f < frames->count; f++)
	{
		uint32_t	shared = *reader.next++;
		uint32_t	more = 0;

		fg_read_varint32(&reader, &more);
		memcpy(to, previous, shared);
		memcpy(to + shared, reader.next, more);
		reader.next += more;
		previous = to;
		to += shared + more;
		frames->offset[f + 1] = (uint32_t) (to - frames->bytes);
		if (!fg_work(ctx, shared + more))
			return false;
	}
	return true;
}

static bool
decode_dictionary(FgContext *ctx, FgReader reader, uint32_t nframes, FgFrames *frames)
{
	size_t		bytes;

	if (!dictionary_bytes(ctx, reader, nframes, &bytes))
		return damaged(ctx, "the frame dictionary is damaged");
	return fg_frames_alloc(ctx, frames, nframes, bytes) && copy_dictionary(ctx, reader, frames);
}

/*
 * The call graph: the children of frame p are child[first[p]] .. child[first[p +
 * 1] - 1]; p = nframes stands for the root.  Each has first[] of its frame beside it, so
 * that on the way down a chain a node waits for one look-up, not for two.
 */
typedef struct Child
{
	uint32_t	frame;
	uint32_t	first;
} Child;

typedef struct CallGraph
{
	uint32_t   *first;
	Child	   *child;
} CallGraph;

static bool
read_edges(FgContext *ctx, FgReader reader, const FgHeader *header, CallGraph *graph)
{
	uint32_t	at = 0;

	for (uint32_t p = 0; p <= header->nframes; p++)
	{
		uint32_t	count;
		uint64_t	frame = 0;

		if (!fg_read_varint32(&reader, &count) || count > header->nedges - at ||
			!fg_check_every(ctx, p))
			return false;
		graph->first[p] = at;
		for (uint32_t k = 0; k < count; k++)
		{
			uint32_t	skipped;

			if (!fg_read_varint32(&reader, &skipped))
				return false;
			frame += (uint64_t) skipped + (k > 0);
			if (frame >= header->nframes || !fg_check_every(ctx, at))
				return false;
			graph->child[at++].frame = (uint32_t) frame;
		}
	}
	graph->first[header->nframes + 1] = at;
	for (uint32_t e = 0; e < at; e++)
	{
		graph->child[e].first = graph->first[graph->child[e].frame];
		if (!fg_check_every(ctx, e))
			return false;
	}
	return at == header->nedges && reader.next == reader.end;
}

typedef struct NodeDecoder
{
	const FgHeader *header;
	CallGraph	graph;
	FgReader	ranks;
	FgReader	chains;
	uint32_t   *path;			/* frame at each depth of the current path */
	uint32_t   *leaf;			/* index of each leaf */
} NodeDecoder;

/*
 * One chain: each node the first child of the one before.  "one_byte" is known
 * when the function is inlined, and true when RANKS has a byte per node.
 */
static inline bool
decode_chain(NodeDecoder *d, FgTree *tree, uint32_t node, uint32_t depth, uint32_t length,
			 bool one_byte)
{
	const uint32_t *first = d->graph.first;
	uint32_t	parent = d->path[depth];
	uint32_t	elder = node > 1 ? d->path[depth + 1] : FG_NONE;
	uint32_t	at = first[parent];

	for (uint32_t k = 0; k < length; k++)
	{
		uint32_t	rank;

		if (one_byte)
			rank = *d->ranks.next++;
		else if (!fg_read_varint32(&d->ranks, &rank))
			return false;
		if (rank >= first[parent + 1] - at)
			return false;
		parent = d->graph.child[at + rank].frame;
		at = d->graph.child[at + rank].first;
		if (k == 0 && node > 1 && parent <= elder)
			return false;
		depth++;
		d->path[depth] = parent;
		tree->key[node + k] = fg_key(depth, parent);
		tree->self[node + k] = 0;
	}
	return true;
}

static bool
decode_chains(FgContext *ctx, NodeDecoder *d, FgTree *tree)
{
	const FgHeader *header = d->header;
	bool		one_byte = header->ranks_size == header->facts.nnodes;
	uint32_t	node = 1;
	uint32_t	depth = 0;

	d->path[0] = header->nframes;
	for (uint32_t c = 0; c < header->facts.nleaves; c++)
	{
		uint32_t	climb = 0;
		uint32_t	length;
		bool		ok;

		if ((c > 0 && !fg_read_varint32(&d->chains, &climb)) ||
			!fg_read_varint32(&d->chains, &length))
			return corrupt(ctx, "the chains are damaged");
		if ((c > 0 && climb >= depth) || length >= header->facts.nnodes - (node - 1))
			return corrupt(ctx, "a chain does not fit the tree");
		length++;
		depth -= c > 0 ? climb + 1 : 0;
		if (length > header->facts.depth - depth)
			return corrupt(ctx, "a chain is too deep");
		if (one_byte)
			ok = decode_chain(d, tree, node, depth, length, true);
		else
			ok = decode_chain(d, tree, node, depth, length, false);
		if (!ok)
			return corrupt(ctx, "the ranks are damaged");
		node += length;
		depth += length;
		d->leaf[c] = node - 1;
		if (!fg_steps(ctx, length))
			return false;
	}
	if (node != header->facts.nnodes + 1 || fg_reader_left(&d->ranks) != 0 ||
		fg_reader_left(&d->chains) != 0)
		return corrupt(ctx, "the chains do not cover the tree");
	return true;
}

/* Reads GAPS into other[], which follows the leaves in index order. */
static bool
decode_gaps(FgContext *ctx, FgReader *reader, const FgHeader *header, uint32_t *other)
{
	uint64_t	expected = 0;
	uint32_t	count = header->facts.nstacks - header->facts.nleaves;

	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t	gap;

		if (!fg_read_varint32(reader, &gap) || expected + gap > header->facts.nnodes)
			return corrupt(ctx, "the gaps are damaged");
		other[i] = (uint32_t) (expected + gap);
		expected += (uint64_t) gap + 1;
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

static bool
decode_values(FgContext *ctx, FgReader *reader, const FgHeader *header, const uint32_t *node,
			  FgTree *tree)
{
	FgValueForm form = {header->mode, header->digits, header->unit};
	uint32_t	count = header->facts.nstacks;
	double	   *values;
	bool		ok;

	if (fg_reader_left(reader) < count)
		return corrupt(ctx, "there are fewer values than stacks");
	values = fg_alloc(ctx, count, sizeof(double));
	if (values == NULL)
		return false;
	ok = fg_values_read(ctx, reader, form, values, count) && fg_reader_left(reader) == 0;
	for (uint32_t i = 0; ok && i < count; i++)
	{
		ok = tree->self[node[i]] == 0 && values[i] != 0 && fg_check_every(ctx, i);
		tree->self[node[i]] = values[i];
	}
	fg_release(ctx, values);
	return ok || damaged(ctx, "the values are damaged");
}

static bool
decode_nodes(FgContext *ctx, const FgSections *sections, NodeDecoder *d, FgTree *tree)
{
	const FgHeader *header = &sections->header;
	FgReader	rest = sections->rest;

	if (!read_edges(ctx, sections->edges, header, &d->graph))
		return damaged(ctx, "the call graph is damaged");
	return decode_chains(ctx, d, tree) &&
		decode_gaps(ctx, &rest, header, d->leaf + header->facts.nleaves) &&
		decode_values(ctx, &rest, header, d->leaf, tree);
}

/* All but the dictionary, into arrays that there are. */
static bool
fill_nodes(FgContext *ctx, const FgSections *sections, FgTree *tree)
{
	const FgHeader *header = &sections->header;
	NodeDecoder d = {.header = header, .ranks = sections->ranks, .chains = sections->chains};
	bool		ok;

	/* one too many everywhere, so that nothing is ever of size 0 */
	d.path = fg_alloc(ctx, (size_t) header->facts.depth + 2, sizeof(uint32_t));
	d.leaf = fg_alloc(ctx, (size_t) header->facts.nstacks + 1, sizeof(uint32_t));
	d.graph.first = fg_alloc(ctx, (size_t) header->nframes + 2, sizeof(uint32_t));
	d.graph.child = fg_alloc(ctx, (size_t) header->nedges + 1, sizeof(Child));
	ok = d.path != NULL && d.leaf != NULL && d.graph.first != NULL && d.graph.child != NULL &&
		decode_nodes(ctx, sections, &d, tree);
	fg_release(ctx, d.path);
	fg_release(ctx, d.leaf);
	fg_release(ctx, d.graph.first);
	fg_release(ctx, d.graph.child);
	return ok;
}

bool
fg_codec_decode_nodes(FgContext *ctx, const FgSections *sections, FgTree *tree)
{
	ctx->error.code = FG_OK;
	if (!fg_tree_alloc(ctx, tree, sections->header.facts.nnodes))
		return false;
	if (fill_nodes(ctx, sections, tree))
		return true;
	fg_tree_free(ctx, tree);
	return false;
}

bool
fg_codec_decode(FgContext *ctx, const uint8_t *bytes, size_t size, FgTree *tree)
{
	FgSections	sections;

	memset(tree, 0, sizeof(*tree));
	ctx->error.code = FG_OK;
	if (!fg_codec_sections(ctx, bytes, size, &sections) ||
		!fg_tree_alloc(ctx, tree, sections.header.facts.nnodes))
		return false;
	if (decode_dictionary(ctx, sections.dictionary, sections.header.nframes, &tree->frames) &&
		fill_nodes(ctx, &sections, tree))
		return true;
	fg_tree_free(ctx, tree);
	return false;
}

bool
fg_codec_frames(FgContext *ctx, const uint8_t *bytes, size_t size, FgFrames *frames)
{
	FgHeader	header;
	FgReader	reader;

	ctx->error.code = FG_OK;
	if (!fg_codec_header(ctx, bytes, size, &header))
		return false;
	reader.next = bytes + FG_HEADER_SIZE;
	reader.end = bytes + size;
	return decode_dictionary(ctx, take_section(&reader, header.dictionary_size), header.nframes,
							 frames);
}

bool
fg_codec_shape(FgContext *ctx, const uint8_t *bytes, size_t size, FgHeader *header, size_t *end)
{
	FgReader	reader;
	uint32_t	gap;

	ctx->error.code = FG_OK;
	if (!fg_codec_header(ctx, bytes, size, header))
		return false;
	reader.next = bytes + FG_HEADER_SIZE + header->dictionary_size + header->edges_size +
		header->ranks_size + header->chains_size;
	reader.end = bytes + size;
	for (uint32_t i = header->facts.nleaves; i < header->facts.nstacks; i++)
	{
		if (!fg_read_varint32(&reader, &gap))
			return corrupt(ctx, "the gaps are damaged");
		if (!fg_check_every(ctx, i))
			return false;
	}
	*end = (size_t) (reader.next - bytes);
	return true;
}

bool
fg_codec_values(FgContext *ctx, const uint8_t *bytes, size_t size, const FgHeader *header,
				double *values)
{
	FgValueForm form = {header->mode, header->digits, header->unit};
	FgReader	reader = {bytes, bytes + size};
	uint32_t	count = header->facts.nstacks;
	bool		ok;

	ok = fg_values_read(ctx, &reader, form, values, count) && fg_reader_left(&reader) == 0;
	for (uint32_t i = 0; ok && i < count; i++)
		ok = values[i] != 0 && fg_check_every(ctx, i);
	return ok || damaged(ctx, "the values are damaged");
}

/* Names the header field that differs, for a message that helps. */
static bool
not_canonical(FgContext *ctx, const uint8_t *bytes, size_t size, const uint8_t *canonical,
			  size_t canonical_size)
{
	size_t		i = 0;

	while (i < size && i < canonical_size && bytes[i] == canonical[i])
		i++;
	if (i >= 24 && i < 40)
		return corrupt(ctx, "the sums in the header are wrong");
	if (i < FG_HEADER_SIZE)
		return fg_fail(ctx, FG_ERROR_CORRUPT, "the header is not canonical at byte %zu", i);
	return fg_fail(ctx, FG_ERROR_CORRUPT, "the encoding is not canonical at byte %zu", i);
}

bool
fg_codec_validate(FgContext *ctx, const uint8_t *bytes, size_t size, FgTree *tree)
{
	uint8_t    *canonical = NULL;
	size_t		canonical_size;
	bool		ok;

	if (!fg_codec_decode(ctx, bytes, size, tree))
		return false;
	ok = fg_tree_check(ctx, tree) &&
		fg_codec_encode(ctx, tree, 0, &canonical, &canonical_size);
	if (ok && (canonical_size != size || memcmp(canonical, bytes, size) != 0))
		ok = not_canonical(ctx, bytes, size, canonical, canonical_size);
	fg_release(ctx, canonical);
	if (!ok)
		fg_tree_free(ctx, tree);
	return ok;
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
