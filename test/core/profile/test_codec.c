/*
 * test_codec.c
 *	  The encoded form, byte by byte as codec.h describes it.
 *
 * Values are written here by hand, section by section, and then each rule of the
 * format is broken once.
 */
#include "naive.h"

#include "core/profile/codec.h"

#include <math.h>

/* --- values by hand -------------------------------------------------------------- */

typedef struct Section
{
	const char *bytes;
	size_t		size;
} Section;

#define S(literal) {literal, sizeof(literal) - 1}

typedef struct Parts
{
	uint8_t		version;
	uint8_t		mode;			/* with the digits in the high bits */
	uint16_t	depth;
	uint32_t	nnodes;
	uint32_t	nstacks;
	uint32_t	nframes;
	uint32_t	nleaves;
	uint32_t	nedges;
	double		total;
	double		norm;
	double		unit;
	Section		dictionary;
	Section		edges;
	Section		ranks;
	Section		chains;
	Section		gaps;
	Section		values;
} Parts;

typedef struct Bytes
{
	uint8_t    *data;
	size_t		size;
} Bytes;

static void
put(Bytes *bytes, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes->data[bytes->size++] = (uint8_t) (value >> (8 * i));
}

static void
put_section(Bytes *bytes, Section section)
{
	if (section.size > 0)
		memcpy(bytes->data + bytes->size, section.bytes, section.size);
	bytes->size += section.size;
}

static Bytes
assemble(const Parts *p)
{
	Bytes		bytes = {malloc(64 + p->dictionary.size + p->edges.size + p->ranks.size +
								p->chains.size + p->gaps.size + p->values.size), 0};
	uint64_t	bits[3];

	memcpy(&bits[0], &p->total, 8);
	memcpy(&bits[1], &p->norm, 8);
	memcpy(&bits[2], &p->unit, 8);
	put(&bytes, p->version, 1);
	put(&bytes, p->mode, 1);
	put(&bytes, p->depth, 2);
	put(&bytes, p->nnodes, 4);
	put(&bytes, p->nstacks, 4);
	put(&bytes, p->nframes, 4);
	put(&bytes, p->nleaves, 4);
	put(&bytes, p->nedges, 4);
	put(&bytes, bits[0], 8);
	put(&bytes, bits[1], 8);
	put(&bytes, bits[2], 8);
	put(&bytes, p->dictionary.size, 4);
	put(&bytes, p->edges.size, 4);
	put(&bytes, p->ranks.size, 4);
	put(&bytes, p->chains.size, 4);
	put_section(&bytes, p->dictionary);
	put_section(&bytes, p->edges);
	put_section(&bytes, p->ranks);
	put_section(&bytes, p->chains);
	put_section(&bytes, p->gaps);
	put_section(&bytes, p->values);
	return bytes;
}

/*
 * "aa 6, aa;ab 12, aa;b 18, b 24": nodes 1 aa, 2 aa;ab, 3 aa;b, 4 b.  The unit is
 * 6; nodes 2, 3 and 4 are leaves; frame 0 aa calls 1 ab and 2 b, the root calls
 * aa and b.
 */
static const Parts counts = {
	.version = 1, .mode = 0, .depth = 2, .nnodes = 4, .nstacks = 4, .nframes = 3, .nleaves = 3,
	.nedges = 4, .total = 60, .norm = 60, .unit = 6,
	.dictionary = S("\x00\x02" "aa" "\x01\x01" "b" "\x00\x01" "b"),
	.edges = S("\x02\x01\x00" "\x00" "\x00" "\x02\x00\x01"),
	.ranks = S("\x00\x00\x01\x01"),
	.chains = S("\x01" "\x00\x00" "\x01\x00"),
	.gaps = S("\x01"),
	.values = S("\x04\x06\x08\x02")
};
static const char counts_text[] = "aa 6\naa;ab 12\naa;b 18\nb 24";

/* " -2.5, f;f;f 0.25, g 1": hundredths in units of 25. */
static const Parts decimals = {
	.version = 1, .mode = 2 << 4, .depth = 3, .nnodes = 4, .nstacks = 3, .nframes = 2,
	.nleaves = 2, .nedges = 3, .total = -1.25, .norm = 3.75, .unit = 25,
	.dictionary = S("\x00\x01" "f" "\x00\x01" "g"),
	.edges = S("\x01\x00" "\x00" "\x02\x00\x00"),
	.ranks = S("\x00\x00\x00\x01"),
	.chains = S("\x02" "\x02\x00"),
	.gaps = S("\x00"),
	.values = S("\x02\x08\x13")	/* 1, 4, -10 */
};
static const char decimals_text[] = " -2.5\nf;f;f 0.25\ng 1";

/* "a 1e300, b -0.1" as doubles: 7E37E43C8800759C and BFB999999999999A. */
static const Parts doubles = {
	.version = 1, .mode = 1, .depth = 1, .nnodes = 2, .nstacks = 2, .nframes = 2, .nleaves = 2,
	.nedges = 2, .total = 1e300, .norm = 1e300, .unit = 1,
	.dictionary = S("\x00\x01" "a" "\x00\x01" "b"),
	.edges = S("\x00" "\x00" "\x02\x00\x00"),
	.ranks = S("\x00\x01"),
	.chains = S("\x00" "\x00\x00"),
	.gaps = S(""),
	.values = S("\x7E\xBF" "\x37\xB9" "\xE4\x99" "\x3C\x99" "\x88\x99" "\x00\x99" "\x75\x99" "\x9C\x9A")
};
static const char doubles_text[] = "a 1e300\nb -0.1";

/* No stack at all. */
static const Parts empty = {.version = 1, .unit = 1, .edges = S("\x00")};

/* The empty stack alone: " 7". */
static const Parts root_only = {
	.version = 1, .nstacks = 1, .total = 7, .norm = 7, .unit = 7, .edges = S("\x00"),
	.gaps = S("\x00"), .values = S("\x02")
};

/* --- what valid bytes mean --------------------------------------------------------- */

static void
check_encodes(const char *text, const Parts *parts)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Naive		naive = naive_of_text(text);
	FgTree		tree = naive_tree(&ctx, &naive);
	Bytes		expected = assemble(parts);
	uint8_t    *encoded;
	size_t		size;
	FgTree		again;

	CHECK(fg_codec_encode(&ctx, &tree, 3, &encoded, &size));
	CHECK_BYTES(encoded + 3, size, expected.data, expected.size);
	if (CHECK(fg_codec_decode(&ctx, expected.data, expected.size, &again)))
		naive_matches(&ctx, &naive, &again);
	fg_tree_free(&ctx, &again);
	if (CHECK(fg_codec_validate(&ctx, expected.data, expected.size, &again)))
		naive_matches(&ctx, &naive, &again);
	fg_tree_free(&ctx, &again);
	fg_release(&ctx, encoded);
	fg_tree_free(&ctx, &tree);
	naive_free(&naive);
	free(expected.data);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_by_hand(void)
{
	Bytes		bytes = assemble(&decimals);
	FgContext	ctx = fg_malloc_context();
	FgHeader	header;

	unit_case("bytes by hand: counts with a unit");
	check_encodes(counts_text, &counts);
	unit_case("bytes by hand: decimals");
	check_encodes(decimals_text, &decimals);
	unit_case("bytes by hand: doubles");
	check_encodes(doubles_text, &doubles);
	unit_case("bytes by hand: nothing");
	check_encodes("", &empty);
	unit_case("bytes by hand: the empty stack");
	check_encodes(" 7", &root_only);
	unit_case("the header alone");
	CHECK(fg_codec_header(&ctx, bytes.data, FG_HEADER_SIZE, &header) == false);
	CHECK(fg_codec_header(&ctx, bytes.data, SIZE_MAX, &header));
	CHECK(header.facts.nnodes == 4 && header.facts.nstacks == 3 && header.facts.nleaves == 2);
	CHECK(header.facts.depth == 3 && header.nframes == 2 && header.nedges == 3);
	CHECK_DOUBLE(header.facts.total, -1.25);
	CHECK_DOUBLE(header.facts.norm, 3.75);
	CHECK(header.mode == 0 && header.digits == 2 && header.unit == 25);
	free(bytes.data);
	unit_case("infinite sums are legal");
	{
		FgTree		tree = tree_of_text(&ctx, "a 1.5e308\nb 1.5e308");
		uint8_t    *encoded;
		size_t		size;
		FgTree		again;

		CHECK(fg_codec_encode(&ctx, &tree, 0, &encoded, &size));
		CHECK(fg_codec_header(&ctx, encoded, size, &header));
		CHECK_DOUBLE(header.facts.total, (double) INFINITY);
		CHECK(fg_codec_validate(&ctx, encoded, size, &again));
		fg_tree_free(&ctx, &again);
		fg_tree_free(&ctx, &tree);
		fg_release(&ctx, encoded);
	}
}

/* --- every rule broken once ----------------------------------------------------------- */

/*
 * A rejection: which value, what is changed in it (sections with a size replace
 * those of the value; of the others only what "set" names), and whether the
 * decoder finds it or, because it can do no harm, only the validator.
 */
typedef enum Field
{
	NONE, VERSION, MODE, DEPTH, NNODES, NSTACKS, NFRAMES, NLEAVES, NEDGES, TOTAL, NORM, UNIT
} Field;

typedef enum Finder
{
	BY_DECODER,
	BY_VALIDATOR
} Finder;

typedef struct Rejection
{
	const char *what;
	const Parts *value;
	Finder		finder;
	struct
	{
		Field		field;
		double		value;
	}			set[6];
	Section		dictionary;
	Section		edges;
	Section		ranks;
	Section		chains;
	Section		gaps;
	Section		values;
} Rejection;

static void
set_field(Parts *parts, Field field, double value)
{
	switch (field)
	{
		case NONE:
			break;
		case VERSION:
			parts->version = (uint8_t) value;
			break;
		case MODE:
			parts->mode = (uint8_t) value;
			break;
		case DEPTH:
			parts->depth = (uint16_t) value;
			break;
		case NNODES:
			parts->nnodes = (uint32_t) value;
			break;
		case NSTACKS:
			parts->nstacks = (uint32_t) value;
			break;
		case NFRAMES:
			parts->nframes = (uint32_t) value;
			break;
		case NLEAVES:
			parts->nleaves = (uint32_t) value;
			break;
		case NEDGES:
			parts->nedges = (uint32_t) value;
			break;
		case TOTAL:
			parts->total = value;
			break;
		case NORM:
			parts->norm = value;
			break;
		case UNIT:
			parts->unit = value;
			break;
	}
}

static void
set_section(Section *to, Section from)
{
	if (from.size > 0)
		*to = from;
}

static const Rejection rejections[] = {
	/* the header */
	{"version 0", &counts, BY_DECODER, .set = {{VERSION, 0}}},
	{"version 2", &counts, BY_DECODER, .set = {{VERSION, 2}}},
	{"value mode 2", &counts, BY_DECODER, .set = {{MODE, 2}}},
	{"value mode 15", &counts, BY_DECODER, .set = {{MODE, 15}}},
	{"10 digits", &counts, BY_DECODER, .set = {{MODE, 10 << 4}}},
	{"doubles with digits", &doubles, BY_DECODER, .set = {{MODE, 1 | 1 << 4}}},
	{"doubles with a unit", &doubles, BY_DECODER, .set = {{UNIT, 2}}},
	{"unit 0", &counts, BY_DECODER, .set = {{UNIT, 0}}},
	{"unit -6", &counts, BY_DECODER, .set = {{UNIT, -6}}},
	{"unit 0.5", &counts, BY_DECODER, .set = {{UNIT, 0.5}}},
	{"unit 6.5", &counts, BY_DECODER, .set = {{UNIT, 6.5}}},
	{"unit 2^53", &counts, BY_DECODER, .set = {{UNIT, 0x1p53}}},
	{"unit NaN", &counts, BY_DECODER, .set = {{UNIT, NAN}}},
	{"unit infinite", &counts, BY_DECODER, .set = {{UNIT, INFINITY}}},
	{"more nodes than the limit", &counts, BY_DECODER, .set = {{NNODES, (double) FG_MAX_NODES + 1}}},
	{"more nodes than ranks", &counts, BY_DECODER, .set = {{NNODES, 100000000}}},
	{"more leaves than chains", &counts, BY_DECODER,
	.set = {{NNODES, 100000000}, {NLEAVES, 100000000}, {NSTACKS, 100000000}}},
	{"as many nodes as fit the field", &counts, BY_DECODER, .set = {{NNODES, 4294967295.0}}},
	{"more leaves than nodes", &counts, BY_DECODER, .set = {{NLEAVES, 5}, {NSTACKS, 5}}},
	{"more leaves than stacks", &counts, BY_DECODER, .set = {{NSTACKS, 2}}},
	{"more stacks than nodes and the root", &counts, BY_DECODER, .set = {{NSTACKS, 6}}},
	{"deeper than nodes", &counts, BY_DECODER, .set = {{DEPTH, 5}}},
	{"nodes without depth", &counts, BY_DECODER, .set = {{DEPTH, 0}}},
	{"nodes without leaves", &counts, BY_DECODER, .set = {{NLEAVES, 0}}},
	{"leaves without nodes", &root_only, BY_DECODER, .set = {{NLEAVES, 1}}},
	{"depth without nodes", &root_only, BY_DECODER, .set = {{DEPTH, 1}}},
	{"total NaN", &counts, BY_DECODER, .set = {{TOTAL, NAN}}},
	{"norm NaN", &counts, BY_DECODER, .set = {{NORM, NAN}}},
	{"another total", &counts, BY_VALIDATOR, .set = {{TOTAL, 61}}},
	{"an infinite total", &counts, BY_VALIDATOR, .set = {{TOTAL, INFINITY}}},
	{"another norm", &counts, BY_VALIDATOR, .set = {{NORM, 59}}},
	{"total -0", &empty, BY_VALIDATOR, .set = {{TOTAL, -0.0}}},
	{"norm -0", &empty, BY_VALIDATOR, .set = {{NORM, -0.0}}},
	{"deeper than it is", &counts, BY_VALIDATOR, .set = {{DEPTH, 3}}},
	{"not as deep as it is", &counts, BY_DECODER, .set = {{DEPTH, 1}}},
	{"a node too many", &counts, BY_DECODER, .set = {{NNODES, 5}}, .ranks = S("\x00\x00\x01\x01\x00")},
	{"a node too few", &counts, BY_DECODER, .set = {{NNODES, 3}}},
	{"a frame too many", &counts, BY_DECODER, .set = {{NFRAMES, 4}}},
	{"a frame too few", &counts, BY_DECODER, .set = {{NFRAMES, 2}}},
	{"a frame more than the section can hold", &counts, BY_DECODER, .set = {{NFRAMES, 1000000}}},
	{"an edge too many", &counts, BY_DECODER, .set = {{NEDGES, 5}}},
	{"an edge too few", &counts, BY_DECODER, .set = {{NEDGES, 3}}},
	{"more edges than the section can hold", &counts, BY_DECODER, .set = {{NEDGES, 4000000}}},
	{"a leaf too many", &counts, BY_DECODER, .set = {{NLEAVES, 4}}},
	{"a leaf too few", &counts, BY_DECODER, .set = {{NLEAVES, 2}}},
	{"a stack too many", &counts, BY_DECODER, .set = {{NSTACKS, 5}}},
	{"a stack too few", &counts, BY_DECODER, .set = {{NSTACKS, 3}}},

	/* DICTIONARY */
	{"the first frame shares a prefix", &counts, BY_DECODER,
	.dictionary = S("\x01\x01" "a" "\x01\x01" "b" "\x00\x01" "b")},
	{"more shared than the frame before has", &counts, BY_DECODER,
	.dictionary = S("\x00\x02" "aa" "\x03\x01" "b" "\x00\x01" "b")},
	{"less shared than there is", &counts, BY_VALIDATOR,
	.dictionary = S("\x00\x02" "aa" "\x00\x02" "ab" "\x00\x01" "b")},
	{"a frame without further bytes", &counts, BY_DECODER,
	.dictionary = S("\x00\x02" "aa" "\x01\x00" "\x00\x02" "bb")},
	{"a frame longer than the section", &counts, BY_DECODER,
	.dictionary = S("\x00\x02" "aa" "\x01\x01" "b" "\x00\x02" "b")},
	{"a frame longer than 2^32", &counts, BY_DECODER,
	.dictionary = S("\x00\x82\x80\x80\x80\x10" "aa" "\x01\x01" "b" "\x00\x01" "b")},
	{"bytes behind the last frame", &counts, BY_DECODER,
	.dictionary = S("\x00\x02" "aa" "\x01\x01" "b" "\x00\x01" "b" "c")},
	{"a longer varint than needed", &counts, BY_DECODER,
	.dictionary = S("\x00\x82\x00" "aa" "\x01\x01" "b" "\x00\x01" "b")},
	{"frames out of order", &counts, BY_VALIDATOR,
	.dictionary = S("\x00\x02" "aa" "\x00\x01" "b" "\x00\x02" "ab")},
	{"equal frames", &counts, BY_VALIDATOR,
	.dictionary = S("\x00\x02" "ab" "\x00\x02" "ab" "\x00\x01" "b")},
	{"an unused frame", &counts, BY_VALIDATOR, .set = {{NFRAMES, 4}},
		.dictionary = S("\x00\x02" "aa" "\x01\x01" "b" "\x00\x01" "b" "\x00\x01" "c"),
	.edges = S("\x02\x01\x00" "\x00" "\x00" "\x00" "\x02\x00\x01")},
	{"a frame with NUL", &counts, BY_VALIDATOR,
	.dictionary = S("\x00\x02" "a\0" "\x01\x01" "b" "\x00\x01" "b")},
	{"a frame with LF", &counts, BY_VALIDATOR,
	.dictionary = S("\x00\x02" "a\n" "\x01\x01" "b" "\x00\x01" "b")},
	{"a frame with CR", &counts, BY_VALIDATOR,
	.dictionary = S("\x00\x02" "a\r" "\x01\x01" "b" "\x00\x01" "b")},
	{"a frame that is not UTF-8", &counts, BY_VALIDATOR,
	.dictionary = S("\x00\x02" "aa" "\x01\x01" "b" "\x00\x01" "\xC3")},

	/* EDGES */
	{"more children than edges", &counts, BY_DECODER,
	.edges = S("\x05\x01\x00" "\x00" "\x00" "\x02\x00\x01")},
	{"a child that is no frame", &counts, BY_DECODER,
	.edges = S("\x02\x01\x00" "\x00" "\x00" "\x02\x00\x02")},
	{"a child beyond 2^32", &counts, BY_DECODER,
	.edges = S("\x02\x01\xFF\xFF\xFF\xFF\x0F" "\x00" "\x00" "\x02\x00\x01")},
	{"an edge beyond 32 bits", &counts, BY_DECODER,
	.edges = S("\x02\x01\x80\x80\x80\x80\x10" "\x00" "\x00" "\x02\x00\x01")},
	{"the edges end early", &counts, BY_DECODER, .edges = S("\x02\x01\x00" "\x00" "\x00" "\x02\x00")},
	{"bytes behind the edges", &counts, BY_DECODER,
	.edges = S("\x02\x01\x00" "\x00" "\x00" "\x02\x00\x01" "\x00")},
	{"a longer varint in the edges", &counts, BY_DECODER,
	.edges = S("\x82\x00\x01\x00" "\x00" "\x00" "\x02\x00\x01")},
	{"an unused edge", &counts, BY_VALIDATOR, .set = {{NEDGES, 5}},
	.edges = S("\x02\x01\x00" "\x01\x00" "\x00" "\x02\x00\x01")},

	/* RANKS */
	{"a rank that no child has", &counts, BY_DECODER, .ranks = S("\x00\x00\x01\x02")},
	{"a frame that calls nothing", &counts, BY_DECODER, .set = {{NSTACKS, 2}, {NLEAVES, 1}, {DEPTH, 4}},
		.ranks = S("\x00\x00\x01\x01"), .chains = S("\x03"), .gaps = S("\x01"),
	.values = S("\x04\x02")},
	{"equal siblings", &counts, BY_DECODER, .ranks = S("\x00\x00\x00\x01")},
	{"siblings out of order", &counts, BY_DECODER, .ranks = S("\x00\x01\x00\x01")},
	{"siblings out of order below the root", &counts, BY_DECODER, .ranks = S("\x00\x00\x01\x00")},
	{"bytes behind the ranks", &counts, BY_DECODER, .ranks = S("\x00\x00\x01\x01\x00")},
	{"a longer varint in the ranks", &counts, BY_DECODER, .ranks = S("\x00\x80\x00\x01\x01")},
	{"an unfinished varint in the ranks", &counts, BY_DECODER, .ranks = S("\x00\x00\x01\x01\x80")},
	{"a rank with the high bit among ranks of one byte", &counts, BY_DECODER,
	.ranks = S("\x00\x00\x01\x80")},

	/* CHAINS */
	{"a chain climbs above the root", &counts, BY_DECODER,
	.chains = S("\x01" "\x00\x00" "\x02\x00")},
	{"a chain climbs as far as a number goes", &counts, BY_DECODER,
	.chains = S("\x01" "\x00\x00" "\xFF\xFF\xFF\xFF\x0F\x00")},
	{"a chain longer than the tree", &counts, BY_DECODER,
	.chains = S("\x01" "\x00\x00" "\x01\x01")},
	{"the first chain longer than the tree", &counts, BY_DECODER,
	.chains = S("\x04" "\x00\x00" "\x01\x00")},
	{"chains that do not cover the tree", &counts, BY_DECODER,
	.chains = S("\x00" "\x00\x00" "\x00\x00")},
	{"a chain deeper than the header says", &decimals, BY_DECODER, .set = {{DEPTH, 2}}},
	{"bytes behind the chains", &counts, BY_DECODER, .chains = S("\x01" "\x00\x00" "\x01\x00\x00")},
	{"the chains end early", &counts, BY_DECODER, .chains = S("\x01" "\x00\x00" "\x01")},
	{"a longer varint in the chains", &counts, BY_DECODER,
	.chains = S("\x81\x00" "\x00\x00" "\x01\x00")},

	/* GAPS */
	{"a gap behind the tree", &counts, BY_DECODER, .gaps = S("\x05")},
	{"a gap as large as a number goes", &counts, BY_DECODER, .gaps = S("\xFF\xFF\xFF\xFF\x0F")},
	{"a gap that names a leaf", &counts, BY_DECODER, .gaps = S("\x02")},
	{"a longer varint in the gaps", &counts, BY_DECODER, .gaps = S("\x81\x00")},

	/* VALUES */
	{"a value 0", &counts, BY_DECODER, .values = S("\x04\x06\x00\x02")},
	{"values end early", &counts, BY_DECODER, .values = S("\x04\x06\x08")},
	{"bytes behind the values", &counts, BY_DECODER, .values = S("\x04\x06\x08\x02\x00")},
	{"a longer varint in the values", &counts, BY_DECODER, .values = S("\x84\x00\x06\x08\x02")},
	{"an unfinished varint in the values", &counts, BY_DECODER, .values = S("\x04\x06\x08\x82")},
	{"a varint of more than 64 bits", &counts, BY_DECODER,
	.values = S("\x04\x06\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02")},
	{"a value of 2^53", &root_only, BY_DECODER, .set = {{UNIT, 1}, {TOTAL, 0x1p53}, {NORM, 0x1p53}},
	.values = S("\x80\x80\x80\x80\x80\x80\x80\x20")},
	{"a value of -2^63", &root_only, BY_DECODER, .set = {{UNIT, 1}},
	.values = S("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01")},
	{"a value times unit of 2^53 and more", &root_only, BY_DECODER, .set = {{UNIT, 0x1p52}},
	.values = S("\x04")},
	{"a unit that is no greatest common divisor", &counts, BY_VALIDATOR, .set = {{UNIT, 3}},
	.values = S("\x08\x0C\x10\x04")},
	{"more digits than needed", &counts, BY_VALIDATOR, .set = {{MODE, 1 << 4}, {UNIT, 60}}},
	{"doubles where whole numbers do", &root_only, BY_VALIDATOR, .set = {{MODE, 1}, {UNIT, 1}},
	.values = S("\x40\x1C\0\0\0\0\0\0")},
	{"a double 0", &doubles, BY_DECODER,
	.values = S("\x7E\0" "\x37\0" "\xE4\0" "\x3C\0" "\x88\0" "\0\0" "\x75\0" "\x9C\0")},
	{"a double -0", &doubles, BY_DECODER,
	.values = S("\x7E\x80" "\x37\0" "\xE4\0" "\x3C\0" "\x88\0" "\0\0" "\x75\0" "\x9C\0")},
	{"a double infinite", &doubles, BY_DECODER,
	.values = S("\x7E\x7F" "\x37\xF0" "\xE4\0" "\x3C\0" "\x88\0" "\0\0" "\x75\0" "\x9C\0")},
	{"a double NaN", &doubles, BY_DECODER,
	.values = S("\x7E\x7F" "\x37\xF8" "\xE4\0" "\x3C\0" "\x88\0" "\0\0" "\x75\0" "\x9C\0")},
	{"doubles that end early", &doubles, BY_DECODER,
	.values = S("\x7E\xBF" "\x37\xB9" "\xE4\x99" "\x3C\x99" "\x88\x99" "\x00\x99" "\x75\x99" "\x9C")},
	{"bytes behind the doubles", &doubles, BY_DECODER,
	.values = S("\x7E\xBF" "\x37\xB9" "\xE4\x99" "\x3C\x99" "\x88\x99" "\x00\x99" "\x75\x99" "\x9C\x9A\0")}
};

static void
check_rejection(const Rejection *r)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Parts		parts = *r->value;
	Bytes		bytes;
	FgTree		tree;
	bool		decoded;

	for (size_t i = 0; i < COUNT(r->set); i++)
		set_field(&parts, r->set[i].field, r->set[i].value);
	set_section(&parts.dictionary, r->dictionary);
	set_section(&parts.edges, r->edges);
	set_section(&parts.ranks, r->ranks);
	set_section(&parts.chains, r->chains);
	set_section(&parts.gaps, r->gaps);
	set_section(&parts.values, r->values);
	bytes = assemble(&parts);

	decoded = fg_codec_decode(&ctx, bytes.data, bytes.size, &tree);
	CHECK(decoded == (r->finder == BY_VALIDATOR));
	CHECK(memory.bytes <= 50 * bytes.size);
	if (decoded)
		fg_tree_free(&ctx, &tree);
	else
		CHECK_COUNT(ctx.error.code, FG_ERROR_CORRUPT);
	ctx.error.code = FG_OK;
	CHECK_ERROR(fg_codec_validate(&ctx, bytes.data, bytes.size, &tree), &ctx, FG_ERROR_CORRUPT);
	CHECK(tree.key == NULL && tree.self == NULL && tree.frames.offset == NULL);
	CHECK_COUNT(memory.blocks, 0);
	free(bytes.data);
}

static void
test_rejections(void)
{
	for (size_t i = 0; i < COUNT(rejections); i++)
	{
		unit_case("rejected: %s", rejections[i].what);
		check_rejection(&rejections[i]);
	}
}

/* --- long frames ------------------------------------------------------------------------- */

/* Two frames with a common prefix of "same" bytes, the second "shared" as written. */
static Bytes
long_frames(uint32_t same, uint8_t shared)
{
	static char dictionary[400];
	size_t		n = 0;
	Parts		parts = counts;

	dictionary[n++] = 0;
	dictionary[n++] = (char) (same + 1);
	memset(dictionary + n, 'x', same);
	n += same;
	dictionary[n++] = 'a';
	dictionary[n++] = (char) shared;
	dictionary[n++] = (char) (same + 1 - shared);
	memset(dictionary + n, 'x', same - shared);
	n += same - shared;
	dictionary[n++] = 'b';
	memcpy(dictionary + n, "\x00\x01z", 3);
	parts.dictionary = (Section) {dictionary, n + 3};
	return assemble(&parts);
}

static void
test_shared_prefix(void)
{
	static const struct
	{
		uint32_t	same;
		uint8_t		shared;
		bool		valid;
		bool		decodes;
	}			rows[] = {
		{46, 46, true, true}, {47, 47, true, true}, {48, 47, true, true}, {100, 47, true, true},
		{46, 45, false, true}, {47, 46, false, true}, {48, 46, false, true},
		{48, 48, false, false}, {100, 100, false, false}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		Bytes		bytes = long_frames(rows[i].same, rows[i].shared);
		FgTree		tree;

		unit_case("a common prefix of %u bytes written as %u", rows[i].same, rows[i].shared);
		CHECK(fg_codec_decode(&ctx, bytes.data, bytes.size, &tree) == rows[i].decodes);
		fg_tree_free(&ctx, &tree);
		CHECK(fg_codec_validate(&ctx, bytes.data, bytes.size, &tree) == rows[i].valid);
		CHECK(rows[i].valid || ctx.error.code == FG_ERROR_CORRUPT);
		fg_tree_free(&ctx, &tree);
		CHECK_COUNT(memory.blocks, 0);
		free(bytes.data);
	}
}

/* A frame of this many bytes. */
static Bytes
one_long_frame(size_t length)
{
	char	   *dictionary = malloc(length + 4);
	Parts		parts = {
		.version = 1, .depth = 1, .nnodes = 1, .nstacks = 1, .nframes = 1, .nleaves = 1,
		.nedges = 1, .total = 1, .norm = 1, .unit = 1, .edges = S("\x00\x01\x00"),
		.ranks = S("\x00"), .chains = S("\x00"), .values = S("\x02")
	};
	Bytes		bytes;

	dictionary[0] = 0;
	dictionary[1] = (char) (length | 0x80);
	dictionary[2] = (char) (length >> 7 | 0x80);
	dictionary[3] = (char) (length >> 14);
	memset(dictionary + 4, 'x', length);
	parts.dictionary = (Section) {dictionary, length + 4};
	bytes = assemble(&parts);
	free(dictionary);
	return bytes;
}

/* --- frames found without decoding them ------------------------------------------------------- */

static void
check_sought(FgContext *ctx, Bytes encoded, const FgFrames *frames, const char *frame,
			 size_t length)
{
	uint32_t	number;

	if (CHECK(fg_codec_find_frame(ctx, encoded.data, encoded.size, frame, length, &number)))
		CHECK_COUNT(number, fg_frames_find(frames, frame, length));
}

/* Each frame; a byte more, a byte less, and one that is another, at each of its bytes or a few of them. */
static void
check_frames_found(FgContext *ctx, const FgTree *tree)
{
	const FgFrames *frames = &tree->frames;
	Bytes		encoded;
	uint8_t    *bytes;

	if (!CHECK(fg_codec_encode(ctx, tree, 0, &bytes, &encoded.size)))
		return;
	encoded.data = bytes;
	check_sought(ctx, encoded, frames, "", 0);
	for (uint32_t i = 0; i < frames->count; i++)
	{
		size_t		length = fg_frame_length(frames, i);
		char	   *frame = calloc(length + 1, 1);

		memcpy(frame, fg_frame_bytes(frames, i), length);
		for (size_t sought = length - 1; sought <= length + 1; sought++)
			check_sought(ctx, encoded, frames, frame, sought);
		for (size_t at = 0; at < length; at += 1 + length / 20)
		{
			char		byte = frame[at];

			frame[at] = (char) (byte + 1);
			check_sought(ctx, encoded, frames, frame, length);
			frame[at] = (char) (byte - 1);
			check_sought(ctx, encoded, frames, frame, length);
			frame[at] = byte;
		}
		free(frame);
	}
	fg_release(ctx, bytes);
}

static void
test_find_frames(void)
{
	UnitRandom	random = {4711};

	unit_case("frames are found without decoding them");
	for (int round = 0; round < unit_rounds(40); round++)
	{
		FgContext	ctx = fg_malloc_context();
		Naive		naive = naive_random(&random, naive_shape(&random, round, NAIVE_COUNTS, 60));
		FgTree		tree = naive_tree(&ctx, &naive);

		check_frames_found(&ctx, &tree);
		fg_tree_free(&ctx, &tree);
		naive_free(&naive);
	}
}

/* Names that share up to 60 bytes: what is beyond 47 of them is not written as shared. */
static void
test_find_long_frames(void)
{
	UnitRandom	random = {1147};
	FgContext	ctx = fg_malloc_context();
	char		frame[64];
	Naive		naive = {0};
	FgTree		tree;

	unit_case("frames are found that share many bytes");
	for (int i = 0; i < 200; i++)
	{
		size_t		same = 40 + (size_t) unit_below(&random, 20);
		size_t		length = same + 1 + unit_below(&random, 3);

		memset(frame, 'x', sizeof(frame));
		for (size_t at = same; at < length; at++)
			frame[at] = (char) ('v' + unit_below(&random, 5));
		naive_add(&naive, frame, length, 1);
	}
	naive_settle(&naive);
	tree = naive_tree(&ctx, &naive);
	check_frames_found(&ctx, &tree);
	fg_tree_free(&ctx, &tree);
	naive_free(&naive);
}

/* One frame is the beginning of the next. */
static void
test_frame_within_frame(void)
{
	char		frame[101];

	memset(frame, 'x', sizeof(frame));
	unit_case("frames that begin with the one before, of all lengths");
	for (size_t length = 1; length < 100; length++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		Naive		naive = {0};
		FgTree		tree;
		FgTree		again;
		uint8_t    *bytes;
		size_t		size;

		unit_note("[%zu bytes]", length);
		naive_add(&naive, frame, length, 1);
		naive_add(&naive, frame, length + 1, 2);
		tree = naive_tree(&ctx, &naive);
		CHECK(fg_codec_encode(&ctx, &tree, 0, &bytes, &size));
		/* the second frame: shared, the rest's length, the rest */
		CHECK_COUNT(bytes[FG_HEADER_SIZE + 2 + length], length < 47 ? length : 47);
		if (CHECK(fg_codec_validate(&ctx, bytes, size, &again)))
			naive_matches(&ctx, &naive, &again);
		fg_tree_free(&ctx, &again);
		fg_tree_free(&ctx, &tree);
		fg_release(&ctx, bytes);
		naive_free(&naive);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static void
test_longest_frame(void)
{
	FgContext	ctx = fg_malloc_context();
	Bytes		bytes = one_long_frame(FG_MAX_FRAME);
	FgTree		tree;

	unit_case("a frame of 1 MiB, and of one byte more");
	CHECK(fg_codec_validate(&ctx, bytes.data, bytes.size, &tree));
	fg_tree_free(&ctx, &tree);
	free(bytes.data);
	bytes = one_long_frame((size_t) FG_MAX_FRAME + 1);
	CHECK_ERROR(fg_codec_decode(&ctx, bytes.data, bytes.size, &tree), &ctx, FG_ERROR_CORRUPT);
	CHECK_ERROR(fg_codec_validate(&ctx, bytes.data, bytes.size, &tree), &ctx, FG_ERROR_CORRUPT);
	free(bytes.data);
}

/* --- cut off, prolonged, one bit wrong ------------------------------------------------------- */

static const char *const damaged_texts[] = {
	"", " 7", counts_text, decimals_text, doubles_text,
	"main;parse;read 120\nmain;parse;lex 340\nmain;render 15\nmain 2\nmain;parse 7\nidle;wait -3",
	"\\# x;y 1\nC:\\\\;x 2\na\\;b;c 3.5\n\xF0\x9F\x94\xA5;\xC3\xA9 4",
	"f;f;f;f;f;f;f;f 1000003\nf;f;g;f;f;g 2000006\nf;f;g 3000009"
};

static void
check_cut(FgContext *ctx, const uint8_t *bytes, size_t size)
{
	FgTree		tree;

	for (size_t cut = 0; cut < size; cut++)
	{
		uint8_t    *copy = malloc(cut + (cut == 0));

		memcpy(copy, bytes, cut);
		unit_note("[cut to %zu of %zu]", cut, size);
		CHECK_ERROR(fg_codec_decode(ctx, copy, cut, &tree), ctx, FG_ERROR_CORRUPT);
		CHECK_ERROR(fg_codec_validate(ctx, copy, cut, &tree), ctx, FG_ERROR_CORRUPT);
		free(copy);
	}
}

static void
check_prolonged(FgContext *ctx, const uint8_t *bytes, size_t size)
{
	uint8_t    *copy = malloc(size + 1);
	FgTree		tree;

	memcpy(copy, bytes, size);
	for (int byte = 0; byte < 256; byte++)
	{
		copy[size] = (uint8_t) byte;
		unit_note("[and a byte 0x%02X]", (unsigned) byte);
		CHECK_ERROR(fg_codec_validate(ctx, copy, size + 1, &tree), ctx, FG_ERROR_CORRUPT);
	}
	free(copy);
}

/*
 * With one bit flipped, decoding never crashes.  The validator may accept the
 * result only as another value (a letter of a frame, say), which then has exactly
 * these bytes; outside the dictionary the sums in the header catch most, not all.
 */
static void
check_flips(FgContext *ctx, const FgTree *tree, const uint8_t *bytes, size_t size)
{
	Naive		original = naive_of_tree(tree);
	uint8_t    *copy = malloc(size);

	memcpy(copy, bytes, size);
	for (size_t bit = 0; bit < 8 * size; bit++)
	{
		FgTree		other;

		unit_note("[bit %zu of byte %zu]", bit % 8, bit / 8);
		copy[bit / 8] ^= (uint8_t) (1 << bit % 8);
		if (fg_codec_decode(ctx, copy, size, &other))
			fg_tree_free(ctx, &other);
		if (fg_codec_validate(ctx, copy, size, &other))
		{
			Naive		found = naive_of_tree(&other);
			uint8_t    *encoded;
			size_t		encoded_size;

			CHECK(bit / 8 >= FG_HEADER_SIZE);
			CHECK(!naive_equal(&found, &original));
			CHECK(fg_tree_check(ctx, &other));
			CHECK(fg_codec_encode(ctx, &other, 0, &encoded, &encoded_size));
			CHECK_BYTES(encoded, encoded_size, copy, size);
			fg_release(ctx, encoded);
			naive_free(&found);
			fg_tree_free(ctx, &other);
		}
		else
			CHECK_COUNT(ctx->error.code, FG_ERROR_CORRUPT);
		copy[bit / 8] ^= (uint8_t) (1 << bit % 8);
	}
	free(copy);
	naive_free(&original);
}

static void
test_damage(void)
{
	for (size_t i = 0; i < COUNT(damaged_texts); i++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgTree		tree = tree_of_text(&ctx, damaged_texts[i]);
		uint8_t    *bytes;
		size_t		size;

		unit_case("value %zu cut off at each byte", i);
		CHECK(fg_codec_encode(&ctx, &tree, 0, &bytes, &size));
		check_cut(&ctx, bytes, size);
		unit_case("value %zu with a byte more", i);
		check_prolonged(&ctx, bytes, size);
		unit_case("value %zu with each bit flipped", i);
		check_flips(&ctx, &tree, bytes, size);
		fg_release(&ctx, bytes);
		fg_tree_free(&ctx, &tree);
		CHECK_COUNT(memory.blocks, 0);
	}
}

/* --- random values ------------------------------------------------------------------------------ */

static void
check_round_trip(FgContext *ctx, const Naive *naive, Naive *shuffled)
{
	FgTree		tree = naive_tree(ctx, naive);
	FgTree		other = naive_tree(ctx, shuffled);
	FgTree		again;
	uint8_t    *bytes;
	uint8_t    *other_bytes;
	size_t		size;
	size_t		other_size;

	CHECK(fg_codec_encode(ctx, &tree, 0, &bytes, &size));
	CHECK(fg_codec_encode(ctx, &other, 8, &other_bytes, &other_size));
	CHECK_BYTES(other_bytes + 8, other_size, bytes, size);
	if (CHECK(fg_codec_validate(ctx, bytes, size, &again)))
	{
		naive_matches(ctx, naive, &again);
		fg_tree_free(ctx, &again);
	}
	fg_release(ctx, bytes);
	fg_release(ctx, other_bytes);
	fg_tree_free(ctx, &tree);
	fg_tree_free(ctx, &other);
}

static void
test_random_values(void)
{
	static const char *const names[] = {"counts", "signed counts", "doubles"};
	UnitRandom	random = {123};

	for (int kind = NAIVE_COUNTS; kind <= NAIVE_DOUBLES; kind++)
	{
		unit_case("random %s: a round trip, and the same bytes from any order", names[kind]);
		for (int round = 0; round < unit_rounds(400); round++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			NaiveShape	shape = {unit_below(&random, 200), 1 + unit_below(&random, 30),
			1 + unit_below(&random, 40), kind};
			Naive		naive;
			Naive		shuffled;

			naive = naive_random(&random, shape);
			shuffled = naive_combination(&naive, 1, &naive, 0);
			naive_shuffle(&random, &shuffled);
			unit_note("[round %d]", round);
			check_round_trip(&ctx, &naive, &shuffled);
			naive_free(&naive);
			naive_free(&shuffled);
			CHECK_COUNT(memory.blocks, 0);
		}
	}
}

/* Random bytes behind a header that lets them through. */
static void
test_random_sections(void)
{
	UnitRandom	random = {321};
	Bytes		bytes = assemble(&counts);

	unit_case("random bytes behind a good header");
	for (int round = 0; round < unit_rounds(100000); round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		uint8_t    *copy = malloc(bytes.size);
		FgTree		tree;

		memcpy(copy, bytes.data, bytes.size);
		for (uint32_t n = 1 + unit_below(&random, 4); n > 0; n--)
			copy[FG_HEADER_SIZE + unit_below(&random, (uint32_t) bytes.size - FG_HEADER_SIZE)] =
				(uint8_t) (unit_below(&random, 4) == 0 ? unit_random(&random) : unit_below(&random, 8));
		unit_note("[round %d]", round);
		if (fg_codec_decode(&ctx, copy, bytes.size, &tree))
			fg_tree_free(&ctx, &tree);
		CHECK_COUNT(memory.blocks, 0);
		free(copy);
	}
	free(bytes.data);
}

static void
test_deepest(void)
{
	FgContext	ctx = fg_malloc_context();
	size_t		length = 2 * (size_t) FG_MAX_DEPTH - 1;
	char	   *path = malloc(length);
	Naive		naive = {0};
	Naive		same = {0};

	unit_case("a stack of 65535 frames");
	for (size_t i = 0; i < length; i++)
		path[i] = i % 2 > 0 ? '\0' : (i % 6 == 0 ? 'f' : 'g');
	naive_add(&naive, path, length, 1);
	naive_add(&same, path, length, 1);
	check_round_trip(&ctx, &naive, &same);
	naive_free(&naive);
	naive_free(&same);
	free(path);
}

/* --- memory and interrupts ----------------------------------------------------------------------- */

static bool
there_and_back(FgContext *ctx, void *arg)
{
	uint8_t    *bytes = NULL;
	size_t		size;
	FgTree		tree = {0};
	bool		ok = fg_codec_encode(ctx, arg, 4, &bytes, &size) &&
		fg_codec_validate(ctx, bytes + 4, size, &tree);

	fg_release(ctx, bytes);
	fg_tree_free(ctx, &tree);
	return ok;
}

static void
test_memory(void)
{
	FgContext	ctx = fg_malloc_context();
	UnitRandom	random = {6};
	Naive		naive = naive_random(&random, (NaiveShape) {300, 9, 40, NAIVE_SIGNED});
	FgTree		tree = naive_tree(&ctx, &naive);

	unit_sweep_memory("encode and validate", there_and_back, &tree);
	fg_tree_free(&ctx, &tree);
	naive_free(&naive);
	/* many frames, each used once: the bytes outgrow their first estimate in each section */
	for (uint32_t size = 100; size <= 2000; size += 270)
	{
		char		name[64];

		for (uint32_t i = 0; i < size; i++)
			naive_add(&naive, name, (size_t) snprintf(name, sizeof(name), "%u", i), i + 1.0 / 3);
		snprintf(name, sizeof(name), "encode and validate %u frames", size);
		tree = naive_tree(&ctx, &naive);
		unit_sweep_memory(name, there_and_back, &tree);
		fg_tree_free(&ctx, &tree);
		naive_free(&naive);
	}
	for (uint32_t i = 0; i < 200000; i++)
	{
		char		path[32];
		int			size = snprintf(path, sizeof(path), "%03u%c%03u", i / 400, 0, i % 400);

		naive_add(&naive, path, (size_t) size, 1);
	}
	tree = naive_tree(&ctx, &naive);
	unit_sweep_interrupts("encode and validate", there_and_back, &tree, 15);
	fg_tree_free(&ctx, &tree);
	naive_free(&naive);
}

int
main(void)
{
	test_by_hand();
	test_rejections();
	test_shared_prefix();
	test_frame_within_frame();
	test_find_frames();
	test_find_long_frames();
	test_longest_frame();
	test_damage();
	test_random_values();
	test_random_sections();
	test_deepest();
	test_memory();
	return unit_finish();
}
