/*
 * codec.c
 *	  Decoding of layout version 1, and its header (see codec.h for every byte).
 */
#include "core/profile/codec.h"

#include "core/base/bytes.h"
#include "core/profile/values.h"

#include <math.h>

/* --- header ------------------------------------------------------------- */

static bool
corrupt(FgContext *ctx, const char *reason)
{
	return fg_fail(ctx, FG_ERROR_CORRUPT, "%s", reason);
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

/*
 * The lengths of the next entry of DICTIONARY, whose text the reader is then at; "previous" is the
 * length of the frame before.
 */
static inline bool
read_entry(FgReader *reader, uint32_t previous, uint32_t *shared, uint32_t *more)
{
	if (fg_reader_left(reader) < 1)
		return false;
	*shared = *reader->next++;
	return *shared <= FG_MAX_SHARED && *shared <= previous && fg_read_varint32(reader, more) &&
		*more != 0 && *more <= fg_reader_left(reader) && *shared + *more <= FG_MAX_FRAME;
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

		if (!read_entry(&reader, previous, &shared, &more) || !fg_check_every(ctx, f))
			return false;
		reader.next += more;
		previous = shared + more;
		*bytes += previous;
	}
	return reader.next == reader.end;
}

/*
 * Nearly all frames share fewer bytes with the one before than fit into some registers.  There the
 * first bytes of the frame at hand stay: a processor waits when bytes are read again that were
 * written a moment ago in other pieces, longer than all the rest of a frame takes.
 */
#define PREFIX_WORDS ((FG_MAX_SHARED + 8) / 8)
#define PREFIX_BYTES (PREFIX_WORDS * 8)

/* The first bytes of a frame; those behind a shorter one mean nothing. */
typedef struct Prefix
{
	uint64_t	word[PREFIX_WORDS];
} Prefix;

/* A mask of any number of first bytes: ones, as many as a prefix has, and then zeros. */
static const uint8_t prefix_mask[2 * PREFIX_BYTES] = {
	0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
	0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
	0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF
};
_Static_assert(PREFIX_BYTES == 48, "a mask has as many ones");

/*
 * Puts a frame together that shares so many bytes with the one whose prefix is given, and whose
 * "more" bytes are at "text" of the section.  What lies behind it, as far as there is room, may be
 * overwritten.
 */
static inline void
put_frame(Prefix *prefix, FgReader section, const uint8_t *text, uint32_t shared, uint32_t more,
		  char *to, size_t room)
{
	uint32_t	length = shared + more;

	if (text - section.next < FG_MAX_SHARED || section.end - text < PREFIX_BYTES ||
		room < PREFIX_BYTES)
	{
		memcpy(to, prefix->word, shared);
		memcpy(to + shared, text, more);
		memcpy(prefix->word, to, length < PREFIX_BYTES ? length : PREFIX_BYTES);
		return;
	}
	for (uint32_t w = 0; w < PREFIX_WORDS; w++)
	{
		uint64_t	mask;
		uint64_t	own;

		memcpy(&mask, prefix_mask + PREFIX_BYTES - shared + w * 8, 8);
		memcpy(&own, text - shared + w * 8, 8);
		prefix->word[w] = (prefix->word[w] & mask) | (own & ~mask);
	}
	memcpy(to, prefix->word, PREFIX_BYTES);
	if (length > PREFIX_BYTES)
		memcpy(to + PREFIX_BYTES, text + PREFIX_BYTES - shared, length - PREFIX_BYTES);
}

/* Second pass: every length has been checked. */
static bool
copy_dictionary(FgContext *ctx, FgReader section, size_t bytes, FgFrames *frames)
{
	FgReader	reader = section;
	Prefix		prefix = {{0}};
	size_t		at = 0;

	for (uint32_t f = 0; f < frames->count; f++)
	{
		uint32_t	shared = *reader.next++;
		uint32_t	more = 0;

		fg_read_varint32(&reader, &more);
		put_frame(&prefix, section, reader.next, shared, more, frames->bytes + at, bytes - at);
		reader.next += more;
		at += shared + more;
		frames->offset[f + 1] = (uint32_t) at;
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
	return fg_frames_alloc(ctx, frames, nframes, bytes) && copy_dictionary(ctx, reader, bytes, frames);
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
	uint32_t   *edge;			/* by node: the edge that leads to it; NULL: nobody asks */
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
		if (d->edge != NULL)
			d->edge[node + k] = at + rank;
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

static bool
list_edges(FgContext *ctx, const CallGraph *graph, uint32_t nframes, FgCallEdges *edges)
{
	edges->count = graph->first[nframes + 1];
	edges->call = fg_alloc(ctx, (size_t) edges->count + 1, sizeof(FgCall));
	if (edges->call == NULL)
		return false;
	for (uint32_t p = 0; p <= nframes; p++)
	{
		for (uint32_t e = graph->first[p]; e < graph->first[p + 1]; e++)
			edges->call[e] = (FgCall) {p, graph->child[e].frame};
		if (!fg_steps(ctx, graph->first[p + 1] - graph->first[p] + 1))
			return false;
	}
	return true;
}

/* All but the dictionary, into arrays that there are; edges may be NULL, and are to be released in any case. */
static bool
fill_nodes(FgContext *ctx, const FgSections *sections, FgTree *tree, FgCallEdges *edges)
{
	const FgHeader *header = &sections->header;
	NodeDecoder d = {.header = header, .ranks = sections->ranks, .chains = sections->chains};
	bool		ok = true;

	/* one too many everywhere, so that nothing is ever of size 0 */
	d.path = fg_alloc(ctx, (size_t) header->facts.depth + 2, sizeof(uint32_t));
	d.leaf = fg_alloc(ctx, (size_t) header->facts.nstacks + 1, sizeof(uint32_t));
	d.graph.first = fg_alloc(ctx, (size_t) header->nframes + 2, sizeof(uint32_t));
	d.graph.child = fg_alloc(ctx, (size_t) header->nedges + 1, sizeof(Child));
	if (edges != NULL)
	{
		d.edge = edges->of_node = fg_alloc(ctx, (size_t) header->facts.nnodes + 1, sizeof(uint32_t));
		ok = d.edge != NULL;
	}
	ok = ok && d.path != NULL && d.leaf != NULL && d.graph.first != NULL && d.graph.child != NULL &&
		decode_nodes(ctx, sections, &d, tree) &&
		(edges == NULL || list_edges(ctx, &d.graph, header->nframes, edges));
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
	if (fill_nodes(ctx, sections, tree, NULL))
		return true;
	fg_tree_free(ctx, tree);
	return false;
}

static bool
decode(FgContext *ctx, const uint8_t *bytes, size_t size, FgTree *tree, FgCallEdges *edges)
{
	FgSections	sections;

	memset(tree, 0, sizeof(*tree));
	ctx->error.code = FG_OK;
	if (!fg_codec_sections(ctx, bytes, size, &sections) ||
		!fg_tree_alloc(ctx, tree, sections.header.facts.nnodes))
		return false;
	if (decode_dictionary(ctx, sections.dictionary, sections.header.nframes, &tree->frames) &&
		fill_nodes(ctx, &sections, tree, edges))
		return true;
	fg_tree_free(ctx, tree);
	return false;
}

bool
fg_codec_decode(FgContext *ctx, const uint8_t *bytes, size_t size, FgTree *tree)
{
	return decode(ctx, bytes, size, tree, NULL);
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

/* A frame that is sought in DICTIONARY, and how it compares with the one before, which sorts before it. */
typedef struct Search
{
	const uint8_t *frame;
	size_t		length;
	size_t		common;			/* bytes that both begin with */
} Search;

/*
 * How an entry compares with the frame, as memcmp has it.  Bytes that it has from the one before
 * are not looked at again: where these are fewer than the frame has in common with that one, the
 * entry sorts behind the frame; where they are more, before it.  A prefix of FG_MAX_SHARED bytes
 * may be longer than it says.
 */
static int
compare_entry(Search *search, uint32_t shared, const uint8_t *text, uint32_t more)
{
	size_t		left = search->length - (shared < search->length ? shared : search->length);
	size_t		common = 0;

	if (shared > search->common)
		return -1;
	if (shared < search->common && shared < FG_MAX_SHARED)
		return 1;
	while (common < more && common < left && text[common] == search->frame[shared + common])
		common++;
	search->common = shared + common;
	if (common == left)
		return common == more ? 0 : 1;
	return common == more || text[common] < search->frame[shared + common] ? -1 : 1;
}

bool
fg_codec_find_frame(FgContext *ctx, const uint8_t *bytes, size_t size, const char *frame,
					size_t length, uint32_t *number)
{
	Search		search = {(const uint8_t *) frame, length, 0};
	uint32_t	previous = 0;
	FgHeader	header;
	FgReader	reader;
	FgReader	section;

	*number = FG_NONE;
	ctx->error.code = FG_OK;
	if (!fg_codec_header(ctx, bytes, size, &header))
		return false;
	reader.next = bytes + FG_HEADER_SIZE;
	reader.end = bytes + size;
	section = take_section(&reader, header.dictionary_size);
	for (uint32_t f = 0; f < header.nframes; f++)
	{
		uint32_t	shared;
		uint32_t	more;
		int			order;

		if (!read_entry(&section, previous, &shared, &more) || !fg_work(ctx, 1 + more))
			return damaged(ctx, "the frame dictionary is damaged");
		order = compare_entry(&search, shared, section.next, more);
		if (order >= 0)
		{
			*number = order == 0 ? f : FG_NONE;
			return true;
		}
		section.next += more;
		previous = shared + more;
	}
	return true;
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

/* An edge that leads to no node would be written again, as it was read. */
static bool
all_edges_used(FgContext *ctx, const FgTree *tree, const FgCallEdges *edges)
{
	uint8_t    *used = fg_alloc_zero(ctx, (size_t) edges->count + 1, 1);
	uint32_t	count = 0;
	bool		ok = used != NULL;

	for (uint32_t i = 1; ok && i <= tree->nnodes; i++)
	{
		count += !used[edges->of_node[i]];
		used[edges->of_node[i]] = 1;
		ok = fg_check_every(ctx, i);
	}
	fg_release(ctx, used);
	if (ok && count < edges->count)
		return corrupt(ctx, "a call leads to no node");
	return ok;
}

static bool
check_canonical(FgContext *ctx, const uint8_t *bytes, size_t size, const FgTree *tree,
				const FgCallEdges *edges)
{
	uint8_t    *canonical = NULL;
	size_t		canonical_size;
	bool		ok;

	ok = fg_tree_check(ctx, tree) && all_edges_used(ctx, tree, edges) &&
		fg_codec_encode_by_edges(ctx, tree, edges, 0, &canonical, &canonical_size);
	if (ok && (canonical_size != size || memcmp(canonical, bytes, size) != 0))
		ok = not_canonical(ctx, bytes, size, canonical, canonical_size);
	fg_release(ctx, canonical);
	return ok;
}

bool
fg_codec_validate(FgContext *ctx, const uint8_t *bytes, size_t size, FgTree *tree)
{
	FgCallEdges edges = {0};
	bool		ok = decode(ctx, bytes, size, tree, &edges);

	if (ok && !check_canonical(ctx, bytes, size, tree, &edges))
	{
		fg_tree_free(ctx, tree);
		ok = false;
	}
	fg_release(ctx, edges.call);
	fg_release(ctx, edges.of_node);
	return ok;
}
