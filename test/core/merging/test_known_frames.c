/*
 * test_known_frames.c
 *	  Frames of encoded dictionaries, and nodes of profiles, under numbers that stay the same.
 */
#include "naive.h"

#include "core/merging/known_frames.h"
#include "core/merging/tree_sum_nodes.h"
#include "core/profile/codec.h"

#include <string.h>

#define MOST_FRAMES 400

/* --- dictionaries --------------------------------------------------------------------- */

/* All frames that have come, each under the number that it was given first. */
typedef struct Seen
{
	char	   *frame[4 * MOST_FRAMES];
	uint32_t	count;
} Seen;

/* Names that share much: parts of one to three words, of few letters, some of them long. */
static void
random_frame(UnitRandom *random, char *frame)
{
	static const char *const words[] = {"a", "b", "ab", "\xC3\xA9", "com.example.", "0", "1", "10", "std::vector<"};
	size_t		length = 0;

	if (unit_below(random, 3) == 0)
	{
		length = unit_below(random, 4) == 0 ? 130 : 44 + unit_below(random, 6);
		memset(frame, 'x', length);
	}
	for (uint32_t n = 1 + unit_below(random, 4); n > 0; n--)
	{
		const char *word = words[unit_below(random, COUNT(words))];

		memcpy(frame + length, word, strlen(word));
		length += strlen(word);
	}
	frame[length] = '\0';
}

static int
compare_strings(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

/* Different frames in order. */
static uint32_t
random_frames(UnitRandom *random, uint32_t most, char frames[][256], const char **order)
{
	uint32_t	count = 0;
	uint32_t	distinct = 0;

	for (; count < most; count++)
	{
		random_frame(random, frames[count]);
		order[count] = frames[count];
	}
	qsort(order, count, sizeof(char *), compare_strings);
	for (uint32_t i = 0; i < count; i++)
		if (distinct == 0 || strcmp(order[distinct - 1], order[i]) != 0)
			order[distinct++] = order[i];
	return distinct;
}

static size_t
shared_bytes(const char *a, const char *b)
{
	size_t		shared = 0;

	while (shared < FG_MAX_SHARED && a[shared] != '\0' && a[shared] == b[shared])
		shared++;
	return shared;
}

/* Section DICTIONARY, as codec.h describes it. */
static size_t
write_dictionary(const char *const *order, uint32_t count, uint8_t *bytes)
{
	size_t		size = 0;

	for (uint32_t i = 0; i < count; i++)
	{
		size_t		shared = i > 0 ? shared_bytes(order[i - 1], order[i]) : 0;
		size_t		more = strlen(order[i]) - shared;

		bytes[size++] = (uint8_t) shared;
		for (size_t left = more; left > 0; left >>= 7)
			bytes[size++] = (uint8_t) (left >= 128 ? left | 128 : left);
		memcpy(bytes + size, order[i] + shared, more);
		size += more;
	}
	return size;
}

static void
check_numbers(Seen *seen, const char *const *order, uint32_t count, const uint32_t *number)
{
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t	expected = 0;

		while (expected < seen->count && strcmp(seen->frame[expected], order[i]) != 0)
			expected++;
		if (!CHECK_COUNT(number[i], expected))
			return;
		if (expected == seen->count)
			seen->frame[seen->count++] = strdup(order[i]);
	}
}

static void
check_order(FgContext *ctx, FgNames *names, Seen *seen)
{
	uint32_t   *place = calloc(seen->count + 1, sizeof(uint32_t));
	FgFrames	frames;

	if (CHECK(fg_names_sort(names, &frames, place)) && CHECK_COUNT(frames.count, seen->count))
	{
		for (uint32_t n = 0; n < seen->count; n++)
			CHECK(fg_frame_length(&frames, place[n]) == strlen(seen->frame[n]) &&
				  memcmp(fg_frame_bytes(&frames, place[n]), seen->frame[n], strlen(seen->frame[n])) == 0);
		for (uint32_t f = 1; f < frames.count; f++)
			CHECK(fg_bytes_compare(fg_frame_bytes(&frames, f - 1), fg_frame_length(&frames, f - 1),
								   fg_frame_bytes(&frames, f), fg_frame_length(&frames, f)) < 0);
		fg_frames_free(ctx, &frames);
	}
	free(place);
}

static char frames_at_hand[MOST_FRAMES][256];
static const char *order_at_hand[MOST_FRAMES];
static uint8_t bytes_at_hand[MOST_FRAMES * 260];

static void
test_numbers(void)
{
	UnitRandom	random = {4720};

	unit_case("frames of dictionaries have the numbers in whose order they came");
	for (int round = 0; round < unit_rounds(40); round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		Seen		seen = {.count = 0};
		FgNames		names;
		FgKnownFrames known;

		unit_note("[round %d]", round);
		CHECK(fg_names_begin(&ctx, &names));
		fg_known_frames_begin(&ctx, &names, &known);
		for (int d = 0; d < 12 && seen.count < 3 * MOST_FRAMES; d++)
		{
			uint32_t	most = unit_below(&random, 3) == 0 ? 5 : MOST_FRAMES;
			uint32_t	count = random_frames(&random, unit_below(&random, most), frames_at_hand,
											  order_at_hand);
			size_t		size = write_dictionary(order_at_hand, count, bytes_at_hand);
			uint8_t    *bytes = malloc(size + 1);
			const uint32_t *number;

			/* in memory of its own, so that a sanitizer sees what is read beyond */
			memcpy(bytes, bytes_at_hand, size);
			if (CHECK(fg_known_frames_number(&known, (FgReader) {bytes, bytes + size}, count, &number)))
				check_numbers(&seen, order_at_hand, count, number);
			free(bytes);
		}
		check_order(&ctx, &names, &seen);
		fg_known_frames_free(&known);
		fg_names_free(&names);
		for (uint32_t i = 0; i < seen.count; i++)
			free(seen.frame[i]);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static void
check_long(FgKnownFrames *known, Seen *seen, const char *const *order, uint32_t count)
{
	size_t		room = 0;
	size_t		size;
	uint8_t    *bytes;
	const uint32_t *number;

	for (uint32_t i = 0; i < count; i++)
		room += strlen(order[i]) + 4;
	bytes = malloc(room);
	size = write_dictionary(order, count, bytes);
	if (CHECK(fg_known_frames_number(known, (FgReader) {bytes, bytes + size}, count, &number)))
		check_numbers(seen, order, count, number);
	free(bytes);
}

static int
compare_words(const void *a, const void *b)
{
	uint64_t	x = *(const uint64_t *) a;
	uint64_t	y = *(const uint64_t *) b;

	return (x > y) - (x < y);
}

static void
numbered_name(uint64_t number, char *name)
{
	snprintf(name, 64, "%s%06u", "of some bytes that all of them have;", (unsigned) (number & 0xFFFFFF));
}

/* Of 300,000 names some have the same 32 bits. */
static void
test_equal_hashes(void)
{
	const uint32_t count = 300000;
	uint64_t   *hashes = malloc(count * sizeof(uint64_t));
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Seen		seen = {.count = 0};
	char		name[2][64];
	const char *order[2] = {name[0], name[1]};
	FgNames		names;
	FgKnownFrames known;
	uint32_t	pairs = 0;

	unit_case("names of the same hash");
	CHECK(fg_names_begin(&ctx, &names));
	fg_known_frames_begin(&ctx, &names, &known);
	for (uint32_t i = 0; i < count; i++)
	{
		numbered_name(i, name[0]);
		hashes[i] = (uint64_t) fg_names_hash(&names, name[0], strlen(name[0])) << 32 | i;
	}
	qsort(hashes, count, sizeof(uint64_t), compare_words);
	for (uint32_t i = 0; i + 1 < count; i++)
	{
		if (hashes[i] >> 32 != hashes[i + 1] >> 32)
			continue;
		numbered_name(hashes[i], name[0]);
		numbered_name(hashes[i + 1], name[1]);
		for (int again = 0; again < 2; again++)
			check_long(&known, &seen, order, 2);
		pairs++;
	}
	CHECK(pairs > 0);
	fg_known_frames_free(&known);
	fg_names_free(&names);
	for (uint32_t i = 0; i < seen.count; i++)
		free(seen.frame[i]);
	free(hashes);
	CHECK_COUNT(memory.blocks, 0);
}

/*
 * Frames are looked up by the hundred, or as many as have some thousand bytes, and each may need what
 * is left of those before.
 */
static void
test_batches(void)
{
	static const uint32_t counts[] = {1, 127, 128, 129, 256, 257, 390};
	static const uint32_t lengths[] = {1, 15, 16, 17, 31, 46, 47, 48, 49, 63, 64, 65, 200, 16000, 16384, 40000};
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Seen		seen = {.count = 0};
	FgNames		names;
	FgKnownFrames known;

	CHECK(fg_names_begin(&ctx, &names));
	fg_known_frames_begin(&ctx, &names, &known);
	for (size_t n = 0; n < COUNT(counts); n++)
	{
		unit_case("%u frames in one dictionary", counts[n]);
		for (uint32_t i = 0; i < counts[n]; i++)
		{
			snprintf(frames_at_hand[i], sizeof(frames_at_hand[i]), "%s%03u", i % 100 < 50 ? "a" : "", i);
			order_at_hand[i] = frames_at_hand[i];
		}
		qsort(order_at_hand, counts[n], sizeof(char *), compare_strings);
		check_long(&known, &seen, order_at_hand, counts[n]);
	}
	for (size_t n = 0; n < COUNT(lengths); n++)
	{
		const char *order[3];
		char	   *text = calloc(3, lengths[n] + 2);

		unit_case("frames of %u bytes, which differ in the last one, and behind it", lengths[n]);
		for (uint32_t i = 0; i < 3; i++)
		{
			char	   *frame = text + i * (lengths[n] + 2);

			order[i] = frame;
			memset(frame, 'f', lengths[n] + (i == 2));
			frame[lengths[n] - 1] = i == 0 ? 'a' : 'b';
		}
		check_long(&known, &seen, order, 3);
		check_long(&known, &seen, order + 1, 2);
		free(text);
	}
	check_order(&ctx, &names, &seen);
	fg_known_frames_free(&known);
	fg_names_free(&names);
	for (uint32_t i = 0; i < seen.count; i++)
		free(seen.frame[i]);
	CHECK_COUNT(memory.blocks, 0);
}

/* Each after a dictionary of "a", "b" and "c". */
static void
test_wrong_dictionaries(void)
{
	static const struct
	{
		const char *what;
		const char *bytes;
		size_t		size;
		uint32_t	count;
		FgErrorCode code;		/* FG_OK: the caller says what is damaged */
	}			cases[] = {
		{"more shared than the frame before has", "\0\1b\2\1x", 6, 2, FG_OK},
		{"more shared than there may be", "\0\060123456789012345678901234567890123456789012345678\060\1x", 53, 2, FG_OK},
		{"shared bytes of the first frame", "\1\1x", 3, 1, FG_OK},
		{"an empty frame", "\0\0", 2, 1, FG_OK},
		{"an entry that is cut short", "\0\3bb", 4, 1, FG_OK},
		{"an entry too few", "\0\1b", 3, 2, FG_OK},
		{"bytes left over", "\0\1b\0", 4, 1, FG_OK},
		{"a line break", "\0\2x\n", 4, 1, FG_ERROR_SYNTAX},
		{"no UTF-8", "\0\1\xFF", 3, 1, FG_ERROR_ENCODING},
	};

	for (size_t i = 0; i < COUNT(cases); i++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		const uint8_t *known_bytes = (const uint8_t *) "\0\1a\0\1b\0\1c";
		const uint8_t *bytes = (const uint8_t *) cases[i].bytes;
		const uint32_t *number;
		FgNames		names;
		FgKnownFrames known;

		unit_case("a wrong dictionary: %s", cases[i].what);
		CHECK(fg_names_begin(&ctx, &names));
		fg_known_frames_begin(&ctx, &names, &known);
		CHECK(fg_known_frames_number(&known, (FgReader) {known_bytes, known_bytes + 9}, 3, &number));
		ctx.error.code = FG_OK;
		CHECK(!fg_known_frames_number(&known, (FgReader) {bytes, bytes + cases[i].size}, cases[i].count, &number));
		CHECK(ctx.error.code == cases[i].code);
		fg_known_frames_free(&known);
		fg_names_free(&names);
		CHECK_COUNT(memory.blocks, 0);
	}
}

/* --- nodes ------------------------------------------------------------------------------ */

typedef struct Profile
{
	FgTree		tree;
	uint32_t   *node;
} Profile;

static void
locate(FgContext *ctx, FgTreeSum *sum, Profile *profile, bool as_bytes)
{
	uint8_t    *bytes;
	size_t		size;
	const uint32_t *node;
	FgTree		decoded;

	profile->node = calloc((size_t) profile->tree.nnodes + 1, sizeof(uint32_t));
	if (!as_bytes)
	{
		CHECK(fg_tree_sum_nodes_of(sum, &profile->tree, profile->node));
		return;
	}
	CHECK(fg_codec_encode(ctx, &profile->tree, 0, &bytes, &size));
	if (CHECK(fg_tree_sum_nodes_of_encoded(sum, bytes, size, &decoded, &node)))
	{
		CHECK_COUNT(decoded.nnodes, profile->tree.nnodes);
		CHECK(memcmp(decoded.key, profile->tree.key, ((size_t) decoded.nnodes + 1) * sizeof(uint64_t)) == 0);
		CHECK(memcmp(decoded.self, profile->tree.self, ((size_t) decoded.nnodes + 1) * sizeof(double)) == 0);
		memcpy(profile->node, node, ((size_t) decoded.nnodes + 1) * sizeof(uint32_t));
		fg_tree_free(ctx, &decoded);
	}
	fg_release(ctx, bytes);
}

/* The frames from the root down to a node, joined by NUL. */
static size_t
path_of(const FgTree *tree, uint32_t node, char *path)
{
	uint32_t	steps[64];
	uint32_t	depth = fg_key_depth(tree->key[node]);
	size_t		length = 0;

	for (uint32_t d = depth; d > 0; node--)
		if (fg_key_depth(tree->key[node]) == d)
			steps[--d] = fg_key_frame(tree->key[node]);
	for (uint32_t d = 0; d < depth; d++)
	{
		if (d > 0)
			path[length++] = '\0';
		memcpy(path + length, fg_frame_bytes(&tree->frames, steps[d]), fg_frame_length(&tree->frames, steps[d]));
		length += fg_frame_length(&tree->frames, steps[d]);
	}
	return length;
}

/* Each node of the profile is, under its number, the node of the whole tree with the same path. */
static void
check_places(const Profile *profile, const FgTree *whole, const uint32_t *place)
{
	static char a[1 << 16];
	static char b[1 << 16];

	for (uint32_t i = 0; i <= profile->tree.nnodes; i++)
	{
		size_t		length = path_of(&profile->tree, i, a);

		if (!CHECK(path_of(whole, place[profile->node[i]], b) == length && memcmp(a, b, length) == 0))
			return;
	}
}

static void
test_nodes(void)
{
	UnitRandom	random = {4722};

	unit_case("nodes of profiles keep their numbers");
	for (int round = 0; round < unit_rounds(40); round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgTreeSum  *sum = fg_tree_sum_nodes_create(&ctx);
		Profile		profiles[30];
		uint32_t   *place;
		FgTree		whole;

		unit_note("[round %d]", round);
		for (size_t i = 0; i < COUNT(profiles); i++)
		{
			NaiveShape	shape = naive_shape(&random, round, NAIVE_COUNTS, 12);
			Naive		naive = naive_random(&random, shape);

			profiles[i].tree = naive_tree(&ctx, &naive);
			locate(&ctx, sum, &profiles[i], unit_below(&random, 3) > 0);
			for (uint32_t n = 0; n <= profiles[i].tree.nnodes; n++)
				fg_tree_sum_node_add(sum, profiles[i].node[n], 1);
			naive_free(&naive);
		}
		if (CHECK(fg_tree_sum_nodes_finish(sum, &whole, &place)))
		{
			whole.self[0] = 0;	/* all have it; a node without a value could only be the root */
			CHECK(fg_tree_check(&ctx, &whole));
			for (size_t i = 0; i < COUNT(profiles); i++)
				check_places(&profiles[i], &whole, place);
			fg_tree_free(&ctx, &whole);
			fg_release(&ctx, place);
		}
		for (size_t i = 0; i < COUNT(profiles); i++)
		{
			fg_tree_free(&ctx, &profiles[i].tree);
			free(profiles[i].node);
		}
		fg_tree_sum_free(sum);
		CHECK_COUNT(memory.blocks, 0);
	}
}

/* --- memory and interrupts ---------------------------------------------------------------- */

static bool
work(FgContext *ctx, void *arg)
{
	const FgTree *tree = arg;
	FgTreeSum  *sum = fg_tree_sum_nodes_create(ctx);
	uint8_t    *bytes = NULL;
	uint32_t   *place;
	size_t		size;
	FgTree		whole;
	bool		ok = sum != NULL && fg_codec_encode(ctx, tree, 0, &bytes, &size);

	for (int again = 0; ok && again < 3; again++)
	{
		const uint32_t *node;
		FgTree		decoded;

		ok = fg_tree_sum_nodes_of_encoded(sum, bytes, size, &decoded, &node);
		if (ok)
			fg_tree_free(ctx, &decoded);
	}
	fg_release(ctx, bytes);
	ok = ok && fg_tree_sum_nodes_finish(sum, &whole, &place);
	if (ok)
	{
		fg_tree_free(ctx, &whole);
		fg_release(ctx, place);
	}
	fg_tree_sum_free(sum);
	return ok;
}

static void
test_failures(void)
{
	FgContext	ctx = fg_malloc_context();
	UnitRandom	random = {4723};
	Naive		naive = {0};
	FgTree		tree;

	for (int i = 0; i < 300; i++)
	{
		char		path[600];
		size_t		length;

		random_frame(&random, path);
		length = strlen(path) + 1;
		random_frame(&random, path + length);
		naive_add(&naive, path, length + strlen(path + length), 1);
	}
	tree = naive_tree(&ctx, &naive);
	unit_sweep_memory("nodes of a profile", work, &tree);
	unit_sweep_interrupts("nodes of a profile", work, &tree, 3);
	fg_tree_free(&ctx, &tree);
	naive_free(&naive);
}

int
main(void)
{
	test_numbers();
	test_equal_hashes();
	test_batches();
	test_wrong_dictionaries();
	test_nodes();
	test_failures();
	return unit_finish();
}
