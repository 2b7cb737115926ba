/*
 * codec.h
 *	  The encoded form of a profile, layout version 1: the bytes on disk, on the
 *	  wire and in the packed text form.
 *
 * Little-endian, no alignment, no padding.  "varint" is LEB128: seven bits a
 * byte, least significant first, the top bit says that another byte follows;
 * only the shortest form is legal.
 *
 *	offset	size
 *	0		1	version = 1
 *	1		1	low four bits: value mode (0 whole multiples, 1 doubles);
 *				high four bits: decimal digits d (0 .. 9, mode 0 only)
 *	2		2	depth: the largest depth of a node
 *	4		4	nnodes: nodes without the virtual root
 *	8		4	nstacks: nodes with a value, the root included
 *	12		4	nframes: frames in the dictionary
 *	16		4	nleaves: nodes without children, the root not included
 *	20		4	nedges: distinct pairs (frame, frame of a child)
 *	24		8	total: sum of the values (double; infinite when it overflows)
 *	32		8	norm: sum of their absolute values (likewise)
 *	40		8	unit: double, a positive whole number (1 in mode 1)
 *	48		4	bytes of section DICTIONARY
 *	52		4	bytes of section EDGES
 *	56		4	bytes of section RANKS
 *	60		4	bytes of section CHAINS
 *	64			DICTIONARY, EDGES, RANKS, CHAINS, GAPS, VALUES, without gaps
 *
 * DICTIONARY, for each frame in bytewise order: one byte = length of the prefix
 *	shared with the frame before (exact, but at most FG_MAX_SHARED), varint =
 *	number of further bytes, these bytes.
 * EDGES, the call graph of the profile.  For each frame in order and then for
 *	the root: varint = number of distinct frames of its children; then these in
 *	increasing order, the first as varint, the others as varint of the
 *	difference to the one before, less 1.
 * RANKS, for each node but the root: varint = position of its frame among the
 *	children of its parent's frame in EDGES.  Most frames call few others, so
 *	most ranks are tiny; a node costs at least this one byte.
 * CHAINS cut the preorder into runs in which each node is the first child of the
 *	one before; a chain ends in a leaf.  For each of the nleaves chains: varint =
 *	levels to climb from the leaf before to the parent of the chain's first node,
 *	less 1 (the first chain starts at the root and has none); varint = nodes in
 *	the chain, less 1.
 * GAPS, for each node with a value that is not a leaf (the root counts here):
 *	varint = its index less the index of the one before, less 1; the first is the
 *	index itself.  Leaves always have a value.
 * VALUES of the leaves in preorder, then of the nodes in GAPS.
 *	Mode 0: zigzag varint k, the value is k * unit / 10^d; k * unit is a whole
 *	number below 2^53.  d is the smallest that fits all values, unit then their
 *	greatest common divisor.  So counts, periods in nanoseconds and decimal
 *	fractions of seconds all take few bytes.
 *	Mode 1: IEEE 754 doubles, byte planes: the first bytes of all values, then
 *	the second bytes, and so on, the most significant first: exponents repeat.
 *
 * The cheap facts come first, so that they can be read without detoasting the
 * rest; text follows, because pglz gives up on a value whose first kilobyte does
 * not compress; the values, which compress least, come last.
 *
 * Encoding is canonical: equal trees give equal bytes, and fg_codec_validate
 * accepts nothing else.  Decoding trusts no byte, and since every node, frame
 * and value costs at least a byte it allocates at most some 20 times the input.
 */
#ifndef FG_CODEC_H
#define FG_CODEC_H

#include "core/base/bytes.h"
#include "core/profile/compression.h"
#include "core/profile/tree.h"

#define FG_FORMAT_VERSION	1
#define FG_HEADER_SIZE		64
#define FG_SIZES_AT			48	/* of the sections */
#define FG_MAX_SHARED		47

typedef struct FgHeader
{
	FgFacts		facts;
	uint32_t	nframes;
	uint32_t	nedges;
	uint8_t		mode;
	uint8_t		digits;
	double		unit;
	uint32_t	dictionary_size;
	uint32_t	edges_size;
	uint32_t	ranks_size;
	uint32_t	chains_size;
} FgHeader;

/*
 * Reads and checks the header alone; "size" is the size of the whole value or,
 * for a slice that holds only the header, SIZE_MAX.
 */
extern bool fg_codec_header(FgContext *ctx, const uint8_t *bytes, size_t size, FgHeader *header);

/*
 * Encodes a canonical tree.  The result starts "reserve" bytes into *buffer
 * (room for a length word), which the caller releases; *size does not count
 * them.  FG_ERROR_LIMIT beyond FG_MAX_BYTES.
 */
extern bool fg_codec_encode(FgContext *ctx, const FgTree *tree, size_t reserve,
							uint8_t **buffer, size_t *size);

/* The calls of a profile, a frame by another, sorted by parent and frame, and which of them led to each node. */
typedef struct FgCall
{
	uint32_t	parent;			/* the number of frames for the root */
	uint32_t	frame;
} FgCall;

typedef struct FgCallEdges
{
	FgCall	   *call;
	uint32_t	count;
	uint32_t   *of_node;		/* by node, from 1 on */
} FgCallEdges;

/*
 * The same where the edges of the tree are known, and there are no others: to find them is a third of
 * encoding.
 */
extern bool fg_codec_encode_by_edges(FgContext *ctx, const FgTree *tree, const FgCallEdges *edges,
									 size_t reserve, uint8_t **buffer, size_t *size);

/*
 * Decodes bytes into a new tree.  Every access is checked; bytes that are not
 * canonical in a way that cannot hurt (such as an unused edge) pass here.
 */
extern bool fg_codec_decode(FgContext *ctx, const uint8_t *bytes, size_t size, FgTree *tree);

/* The header, and where the sections lie; "rest" are GAPS and VALUES. */
typedef struct FgSections
{
	FgHeader	header;
	FgReader	dictionary;
	FgReader	edges;
	FgReader	ranks;
	FgReader	chains;
	FgReader	rest;
} FgSections;

extern bool fg_codec_sections(FgContext *ctx, const uint8_t *bytes, size_t size,
							  FgSections *sections);

/*
 * Decodes all but the dictionary: the tree has no frames, and the frames of its keys are numbers of
 * that, which are below its count.
 */
extern bool fg_codec_decode_nodes(FgContext *ctx, const FgSections *sections, FgTree *tree);

/* Decodes the frame dictionary alone. */
extern bool fg_codec_frames(FgContext *ctx, const uint8_t *bytes, size_t size, FgFrames *frames);

/*
 * The number of a frame in the dictionary, FG_NONE when it is not there.  Nothing is decoded, and the
 * search ends where the frame would be.
 */
extern bool fg_codec_find_frame(FgContext *ctx, const uint8_t *bytes, size_t size,
								const char *frame, size_t length, uint32_t *number);

/*
 * The header, and where VALUES begin: what is before them, but for the sums and the form of the
 * values (bytes 1 and 24 .. 47), decides on the nodes.  Nothing between is looked at but the gaps.
 */
extern bool fg_codec_shape(FgContext *ctx, const uint8_t *bytes, size_t size, FgHeader *header,
						   size_t *end);

/* Reads VALUES alone, which are these bytes, in the order of the section. */
extern bool fg_codec_values(FgContext *ctx, const uint8_t *bytes, size_t size,
							const FgHeader *header, double *values);

/*
 * Decodes foreign bytes (input, recv, cast): also demands legal frames and the
 * one canonical encoding.
 */
extern bool fg_codec_validate(FgContext *ctx, const uint8_t *bytes, size_t size, FgTree *tree);

/* How a profile is compressed: each section is a part. */
extern const FgEncoding fg_codec_encoding;

/* Adds the parts of a profile that is within a value of another type, its header included. */
extern void fg_codec_inner_parts(const uint8_t *bytes, size_t size, FgStoredParts *parts);

#endif							/* FG_CODEC_H */
