/*
 * tree_sum_encoded.c
 *	  Adds encoded profiles to a sum, without a tree of them (see tree_sum.h).
 *
 * The call graph of a profile is told to the sum's edges: each gets the rank that it has in the
 * profile.  Then a chain (codec.h) is a string of ranks, and the nodes of a run are looked at for
 * the ranks of their edges; a rank is followed through the call graph only where a run begins.
 *
 * Values are added at the end, so that damaged bytes add none.
 */
#include "core/merging/tree_sum_internal.h"

#include "core/base/bytes.h"
#include "core/profile/codec.h"

#include <string.h>

/* An edge of the profile: its number in the sum, and the frame it leads to. */
typedef struct Call
{
	uint32_t	edge;
	uint32_t	frame;
} Call;

/* The calls of a frame of the profile. */
typedef struct CallList
{
	uint32_t	first;
	uint32_t	count;
	uint64_t	profile;		/* whose: the number of the profile */
} CallList;

typedef struct Calls
{
	Call	   *call;			/* by edge of the profile */
	size_t		call_capacity;
	uint32_t	count;			/* those that were read, whose ranks are set */
	CallList   *list;			/* by frame of the sum, the root's first; 0 for none */
	size_t		list_capacity;
} Calls;

/* Nodes of the profile that lie behind each other in the sum, too. */
typedef struct Piece
{
	uint32_t	node;			/* the first one, in the profile */
	uint32_t	place;			/* in the sum */
	bool		begins_chain;	/* so the node before is a leaf */
} Piece;

typedef struct FgSumCalls
{
	uint8_t    *rank;			/* by edge of the sum, FG_SUM_NO_RANK for none */
	size_t		rank_capacity;
	uint32_t	ranked;			/* edges that have an entry */
	uint64_t	profile;		/* the number of the one at hand, from 1 on */
	Calls		now;
	Calls		before;			/* of the one before */
	Piece	   *piece;
	size_t		piece_capacity;
	uint32_t	pieces;
	uint32_t   *place;			/* by value: its node in the sum */
	size_t		place_capacity;
	double	   *value;
	size_t		value_capacity;
} FgSumCalls;

void
fg_sum_calls_free(FgTreeSum *sum)
{
	FgSumCalls *calls = sum->calls;

	if (calls == NULL)
		return;
	fg_release(sum->ctx, calls->rank);
	fg_release(sum->ctx, calls->now.call);
	fg_release(sum->ctx, calls->now.list);
	fg_release(sum->ctx, calls->before.call);
	fg_release(sum->ctx, calls->before.list);
	fg_release(sum->ctx, calls->piece);
	fg_release(sum->ctx, calls->place);
	fg_release(sum->ctx, calls->value);
	fg_release(sum->ctx, calls);
	sum->calls = NULL;
}

/* An error that a reader has left says more. */
static bool
damaged(FgContext *ctx, const char *reason)
{
	return ctx->error.code == FG_OK ? fg_fail(ctx, FG_ERROR_CORRUPT, "%s", reason) : false;
}

/* --- the call graph -------------------------------------------------------------------------- */

/* Room for as many calls and lists; lists that are new belong to no profile. */
static bool
reserve_calls(FgTreeSum *sum, Calls *calls, uint32_t edges)
{
	size_t		before = calls->list_capacity;

	if (!fg_reserve(sum->ctx, (void **) &calls->call, &calls->call_capacity, edges, sizeof(Call)) ||
		!fg_reserve(sum->ctx, (void **) &calls->list, &calls->list_capacity,
					(size_t) sum->names.count + 1, sizeof(CallList)))
		return false;
	memset(calls->list + before, 0, (calls->list_capacity - before) * sizeof(CallList));
	return true;
}

/* Room for the profile; ranks of the one before are forgotten, its calls are kept beside. */
static bool
begin_calls(FgTreeSum *sum, const FgHeader *header)
{
	FgContext  *ctx = sum->ctx;
	FgSumCalls *calls = sum->calls;
	Calls		swap = calls->before;

	for (uint32_t c = 0; c < calls->now.count; c++)
		calls->rank[calls->now.call[c].edge] = FG_SUM_NO_RANK;
	calls->before = calls->now;
	calls->now = swap;
	calls->now.count = 0;
	calls->profile++;
	calls->pieces = 0;
	return reserve_calls(sum, &calls->now, header->nedges) && reserve_calls(sum, &calls->before, 0) &&
		fg_reserve(ctx, (void **) &calls->place, &calls->place_capacity, header->facts.nstacks,
				   sizeof(uint32_t)) &&
		fg_reserve(ctx, (void **) &calls->value, &calls->value_capacity, header->facts.nstacks,
				   sizeof(double));
}

/* Edges that are new to the sum have no rank yet. */
static bool
reserve_ranks(FgTreeSum *sum, uint32_t edges)
{
	FgSumCalls *calls = sum->calls;

	if (!fg_reserve(sum->ctx, (void **) &calls->rank, &calls->rank_capacity, (size_t) edges + 1, 1))
		return false;
	while (calls->ranked < calls->rank_capacity)
		calls->rank[calls->ranked++] = FG_SUM_NO_RANK;
	return true;
}

/*
 * The number of an edge in the sum.  It is most likely one of the next two that the profile before
 * had there.
 */
static inline bool
find_edge(FgTreeSum *sum, uint32_t parent, uint32_t frame, const Call **before, const Call *end,
		  uint32_t *edge)
{
	for (int ahead = 0; ahead < 2 && ahead < end - *before; ahead++)
	{
		if ((*before)[ahead].frame != frame)
			continue;
		*edge = (*before)[ahead].edge;
		*before += ahead + 1;
		return true;
	}
	return fg_pairs_add(&sum->edges, parent, frame, edge) &&
		(*edge < sum->calls->ranked || reserve_ranks(sum, *edge));
}

/* The calls of a frame, which has this number in the sum; the root is none. */
static bool
read_list(FgTreeSum *sum, FgReader *reader, const FgHeader *header, const uint32_t *number,
		  uint32_t parent)
{
	FgSumCalls *calls = sum->calls;
	CallList   *list = &calls->now.list[parent + 1];
	CallList	old = calls->before.list[parent + 1];
	const Call *before = calls->before.call;
	const Call *end = before;
	uint64_t	frame = 0;
	uint32_t	count;

	if (!fg_read_varint32(reader, &count) || count > header->nedges - calls->now.count)
		return false;
	if (old.profile == calls->profile - 1 && old.count > 0)
	{
		before += old.first;
		end = before + old.count;
	}
	for (uint32_t k = 0; k < count; k++)
	{
		uint32_t	skipped;
		Call		call;

		if (!fg_read_varint32(reader, &skipped))
			return false;
		frame += (uint64_t) skipped + (k > 0);
		if (frame >= header->nframes)
			return false;
		call.frame = number[frame];
		if (!find_edge(sum, parent, call.frame, &before, end, &call.edge))
			return false;
		calls->rank[call.edge] = k < FG_SUM_NO_RANK ? (uint8_t) k : FG_SUM_NO_RANK;
		calls->now.call[calls->now.count++] = call;
	}
	*list = (CallList) {calls->now.count - count, count, calls->profile};
	return fg_steps(sum->ctx, count + 1);
}

static bool
read_calls(FgTreeSum *sum, FgReader reader, const FgHeader *header, const uint32_t *number)
{
	for (uint32_t f = 0; f < header->nframes; f++)
	{
		if (!read_list(sum, &reader, header, number, number[f]))
			return false;
	}
	/* trees that were added have edges, too */
	return read_list(sum, &reader, header, number, FG_NONE) &&
		sum->calls->now.count == header->nedges && fg_reader_left(&reader) == 0 &&
		reserve_ranks(sum, sum->edges.count);
}

/* --- the nodes ------------------------------------------------------------------------------- */

/* What is known while the chains of a profile are read. */
typedef struct Walk
{
	FgTreeSum  *sum;
	const uint8_t *rank;		/* of the next node */
	const uint8_t *end;			/* of all bytes, those behind the ranks included */
	uint32_t	node;			/* the next one */
} Walk;

static bool
find_call(const FgTreeSum *sum, uint32_t parent, uint8_t rank, Call *call)
{
	const Calls *calls = &sum->calls->now;
	const CallList *list = &calls->list[parent + 1];

	if (rank >= list->count)
		return false;
	*call = calls->call[list->first + rank];
	return true;
}

static inline uint64_t
block_ranks(const uint32_t *edge, const uint8_t *rank)
{
	uint64_t	ranks = 0;

	for (uint32_t k = 0; k < FG_SUM_BLOCK; k++)
		ranks |= (uint64_t) rank[edge[k]] << 8 * k;
	return ranks;
}

/* How many of the next "length" nodes are in the run.  The first one is. */
static inline uint32_t
match_run(const Walk *walk, const FgRun *run, uint32_t length)
{
	const uint8_t *rank = walk->sum->calls->rank;
	const uint32_t *edge = walk->sum->edge + run->first;
	const uint8_t *given = walk->rank;
	uint32_t	k = 1;

	if (length > run->length)
		length = run->length;
	for (; (size_t) (walk->end - given) >= (size_t) k + FG_SUM_BLOCK; k += FG_SUM_BLOCK)
	{
		uint64_t	difference = block_ranks(edge + k, rank) ^ fg_load_le(given + k, FG_SUM_BLOCK);

		if (length - k < FG_SUM_BLOCK)
			difference |= UINT64_MAX << 8 * (length - k);
		if (difference != 0)
			return k + (uint32_t) __builtin_ctzll(difference) / 8;
	}
	while (k < length && rank[edge[k]] == given[k])
		k++;
	return k;
}

/*
 * The run of the next node of the profile, which is at this depth below the place at hand; FG_NONE
 * when the sum lacks it.  False when the profile has no such edge.
 */
static bool
find_run(const Walk *walk, uint32_t depth, uint32_t elder, uint32_t *found)
{
	const FgTreeSum *sum = walk->sum;
	const uint8_t *rank = sum->calls->rank;
	const FgRun *run = sum->run;
	uint32_t	first = fg_sum_first_run(sum, depth, elder);
	uint32_t	at = first;
	Call		call;

	*found = FG_NONE;
	if (first == FG_NONE)
		return true;
	for (int hop = 0; hop < FG_SUM_HOPS; hop++)
	{
		if (rank[run[at].edge] == *walk->rank)
		{
			*found = at;
			return true;
		}
		at = run[at].next;
		if (at == first)
			return true;
	}
	if (!find_call(sum, sum->frame[fg_sum_node_at(sum, depth - 1)], *walk->rank, &call))
		return false;
	*found = fg_sum_look_up(sum, sum->path[sum->top].run, call.frame);
	return true;
}

/* The sum lacks the node at this depth, and so the rest of its chain. */
static bool
append_chain(Walk *walk, uint32_t depth, uint32_t length, uint32_t elder)
{
	FgTreeSum  *sum = walk->sum;
	uint32_t	parent = sum->frame[fg_sum_node_at(sum, depth - 1)];

	if (!fg_sum_reserve_nodes(sum, length))
		return false;
	for (uint32_t k = 0; k < length; k++)
	{
		Call		call;

		if (!fg_steps(sum->ctx, 1) || !find_call(sum, parent, walk->rank[k], &call) ||
			(k == 0 && !fg_sum_begin_run(sum, depth, call.frame, call.edge, elder)))
			return false;
		fg_sum_append(sum, call.frame, call.edge, 0);
		parent = call.frame;
	}
	return true;
}

static bool
note_piece(Walk *walk, uint32_t place, bool begins_chain)
{
	FgSumCalls *calls = walk->sum->calls;

	if (calls->pieces == calls->piece_capacity &&
		!fg_reserve(walk->sum->ctx, (void **) &calls->piece, &calls->piece_capacity,
					(size_t) calls->pieces + 1, sizeof(Piece)))
		return false;
	calls->piece[calls->pieces++] = (Piece) {walk->node, place, begins_chain};
	return true;
}

/*
 * A chain below the node at "depth", which is the place at hand; "elder" is the run of the child
 * before it, or FG_NONE.
 */
static bool
add_chain(Walk *walk, uint32_t depth, uint32_t length, uint32_t elder)
{
	FgTreeSum  *sum = walk->sum;
	bool		begins_chain = walk->node > 1;

	while (length > 0)
	{
		uint32_t	done = length;
		uint32_t	run;

		if (!find_run(walk, depth + 1, elder, &run) ||
			(run == FG_NONE && !append_chain(walk, depth + 1, length, elder)))
			return false;
		if (run != FG_NONE)
		{
			fg_sum_enter(sum, run, depth + 1);
			done = match_run(walk, &sum->run[run], length);
		}
		if (!note_piece(walk, fg_sum_node_at(sum, depth + 1), begins_chain))
			return false;
		begins_chain = false;
		elder = FG_NONE;
		walk->rank += done;
		walk->node += done;
		depth += done;
		length -= done;
	}
	return true;
}

/* Back to the node at this depth.  The next chain must come behind the child that was left. */
static bool
climb(Walk *walk, uint32_t depth, uint32_t *elder)
{
	FgTreeSum  *sum = walk->sum;
	uint32_t	node;

	*elder = fg_sum_climb(sum, depth);
	node = *elder != FG_NONE && fg_sum_ends_at(sum, depth) ? sum->run[*elder].first
		: fg_sum_node_at(sum, depth + 1);
	return *walk->rank > sum->calls->rank[sum->edge[node]];
}

static bool
add_chains(Walk *walk, FgReader chains, const FgHeader *header)
{
	FgTreeSum  *sum = walk->sum;
	uint32_t	depth = 0;

	for (uint32_t c = 0; c < header->facts.nleaves; c++)
	{
		uint32_t	above = 0;
		uint32_t	elder = FG_NONE;
		uint32_t	length;

		if ((c > 0 && !fg_read_varint32(&chains, &above)) || !fg_read_varint32(&chains, &length))
			return damaged(sum->ctx, "the chains are damaged");
		if ((c > 0 && above >= depth) || length >= header->facts.nnodes - (walk->node - 1))
			return damaged(sum->ctx, "a chain does not fit the tree");
		length++;
		depth -= c > 0 ? above + 1 : 0;
		if (length > header->facts.depth - depth)
			return damaged(sum->ctx, "a chain is too deep");
		if ((c > 0 && !climb(walk, depth, &elder)) || !add_chain(walk, depth, length, elder))
			return damaged(sum->ctx, "the ranks are damaged");
		depth += length;
		sum->calls->place[c] = fg_sum_node_at(sum, depth);
		if (!fg_steps(sum->ctx, length))
			return false;
	}
	return (walk->node == header->facts.nnodes + 1 && fg_reader_left(&chains) == 0) ||
		damaged(sum->ctx, "the chains do not cover the tree");
}

/* --- the values ------------------------------------------------------------------------------ */

/* The nodes of the gaps, in order, found among the pieces.  *leaf: is one of them a leaf? */
static bool
find_gaps(FgTreeSum *sum, FgReader *reader, const FgHeader *header, bool *leaf)
{
	const FgSumCalls *calls = sum->calls;
	const Piece *piece = calls->piece;
	const Piece *last = calls->piece + calls->pieces - 1;
	uint64_t	node = 0;

	for (uint32_t i = header->facts.nleaves; i < header->facts.nstacks; i++)
	{
		uint32_t	gap;

		if (!fg_read_varint32(reader, &gap) || node + gap > header->facts.nnodes)
			return damaged(sum->ctx, "the gaps are damaged");
		node += gap;
		while (piece < last && piece[1].node <= node)
			piece++;
		*leaf |= node > 0 && (node == header->facts.nnodes ||
							  (piece < last && piece[1].node == node + 1 && piece[1].begins_chain));
		calls->place[i] = piece->place + (uint32_t) (node - piece->node);
		node++;
		if (!fg_check_every(sum->ctx, i))
			return false;
	}
	return true;
}

static bool
add_values(FgTreeSum *sum, FgReader rest, const FgHeader *header)
{
	const FgSumCalls *calls = sum->calls;
	uint32_t	count = header->facts.nstacks;
	bool		leaf = false;

	if (!find_gaps(sum, &rest, header, &leaf))
		return false;
	if (fg_reader_left(&rest) < count)
		return damaged(sum->ctx, "there are fewer values than stacks");
	if (!fg_codec_values(sum->ctx, rest.next, fg_reader_left(&rest), header, calls->value))
		return false;
	if (leaf)
		return damaged(sum->ctx, "the values are damaged");	/* it would have two */
	for (uint32_t i = 0; i < count; i++)
		sum->self[calls->place[i]] += calls->value[i];
	return fg_steps(sum->ctx, count);
}

/* --- a profile ------------------------------------------------------------------------------- */

/* Ranks of more than a byte are rare: a frame that calls 128 others. */
static bool
add_decoded(FgTreeSum *sum, const uint8_t *bytes, size_t size)
{
	FgTree		tree;
	bool		ok;

	if (!fg_codec_decode(sum->ctx, bytes, size, &tree))
		return false;
	ok = fg_tree_sum_add(sum, &tree);
	sum->added += ok;
	fg_tree_free(sum->ctx, &tree);
	return ok;
}

bool
fg_tree_sum_add_encoded(FgTreeSum *sum, const uint8_t *bytes, size_t size)
{
	FgContext  *ctx = sum->ctx;
	FgSections	sections;
	const FgHeader *header = &sections.header;
	Walk		walk = {.sum = sum};
	const uint32_t *number;

	ctx->error.code = FG_OK;
	sum->begun++;
	if (!fg_codec_sections(ctx, bytes, size, &sections))
		return false;
	if (header->ranks_size != header->facts.nnodes)
		return add_decoded(sum, bytes, size);
	if (sum->calls == NULL)
		sum->calls = fg_alloc_zero(ctx, 1, sizeof(FgSumCalls));
	if (sum->calls == NULL)
		return false;
	if (!fg_sum_number_dictionary(sum, sections.dictionary, header->nframes, &number))
		return damaged(ctx, "the frame dictionary is damaged");
	if (!begin_calls(sum, header) || !fg_sum_reserve_path(sum, header->facts.depth + 1))
		return false;
	if (!read_calls(sum, sections.edges, header, number))
		return damaged(ctx, "the call graph is damaged");
	fg_sum_begin_path(sum);
	walk.rank = sections.ranks.next;
	walk.end = bytes + size;
	if (!note_piece(&walk, 0, false))
		return false;
	walk.node = 1;
	if (!add_chains(&walk, sections.chains, header) || !add_values(sum, sections.rest, header))
		return false;
	sum->added++;
	return fg_sum_put_in_order(sum);
}
