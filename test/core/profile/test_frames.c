/*
 * test_frames.c
 *	  The frame dictionary and what a legal frame is.
 */
#include "unit.h"

#include "core/profile/frames.h"

/* --- UTF-8 ------------------------------------------------------------------ */

/* Bytes of the valid sequence at s by decoding its code point, 0 if there is none. */
static size_t
naive_sequence(const uint8_t *s, size_t left)
{
	static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t	point;
	size_t		length;

	if (s[0] >> 7 == 0)
		return 1;
	if (s[0] >> 5 == 6)
		length = 2;
	else if (s[0] >> 4 == 14)
		length = 3;
	else if (s[0] >> 3 == 30)
		length = 4;
	else
		return 0;
	if (left < length)
		return 0;
	point = s[0] & (0x7Fu >> length);
	for (size_t i = 1; i < length; i++)
	{
		if (s[i] >> 6 != 2)
			return 0;
		point = point << 6 | (s[i] & 0x3Fu);
	}
	if (point < least[length] || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF))
		return 0;
	return length;
}

static size_t
naive_prefix(const uint8_t *s, size_t length)
{
	size_t		at = 0;
	size_t		step;

	while (at < length && (step = naive_sequence(s + at, length - at)) > 0)
		at += step;
	return at;
}

static void
check_utf8(const uint8_t *s, size_t length)
{
	size_t		expected = naive_prefix(s, length);

	if (fg_utf8_prefix((const char *) s, length) == expected)
		return;
	unit_note("[%02X %02X %02X %02X, %zu bytes]", s[0], length > 1 ? s[1] : 0u,
			  length > 2 ? s[2] : 0u, length > 3 ? s[3] : 0u, length);
	CHECK_COUNT(fg_utf8_prefix((const char *) s, length), expected);
}

static void
test_utf8_sequences(void)
{
	static const uint8_t edges[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF};

	unit_case("UTF-8: all sequences of one byte and of two");
	CHECK_COUNT(fg_utf8_prefix("", 0), 0);
	for (uint32_t i = 0; i < 0x10000; i++)
	{
		uint8_t		s[2] = {(uint8_t) (i >> 8), (uint8_t) i};

		check_utf8(s, 1);
		check_utf8(s, 2);
	}
	unit_case("UTF-8: all sequences of three bytes");
	for (uint32_t i = 0; i < 0x1000000; i++)
	{
		uint8_t		s[3] = {(uint8_t) (i >> 16), (uint8_t) (i >> 8), (uint8_t) i};

		check_utf8(s, 3);
	}
	unit_case("UTF-8: four bytes, every first two with the edges of the others");
	for (uint32_t i = 0; i < 0x10000; i++)
	{
		for (size_t j = 0; j < COUNT(edges) * COUNT(edges); j++)
		{
			uint8_t		s[4] = {(uint8_t) (i >> 8), (uint8_t) i, edges[j / COUNT(edges)],
			edges[j % COUNT(edges)]};

			if (s[0] >= 0xE0)
				check_utf8(s, 4);
		}
	}
}

/* Plain text is read eight bytes at a time: every place before and behind that. */
static void
test_utf8_places(void)
{
	static const char *const rows[] = {
		"\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x94\xA5", "\xC3", "\xE2\x82", "\xF0\x9F\x94",
		"\x80", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xFF", "\xC3("
	};
	uint8_t		text[40];

	unit_case("UTF-8: each sequence at each place of a plain text");
	for (size_t r = 0; r < COUNT(rows); r++)
	{
		size_t		length = strlen(rows[r]);

		for (size_t at = 0; at + length <= sizeof(text); at++)
		{
			memset(text, 'x', sizeof(text));
			memcpy(text + at, rows[r], length);
			check_utf8(text, sizeof(text));
			check_utf8(text, at + length);	/* cut off behind it */
		}
	}
}

/* --- legal frames ------------------------------------------------------------- */

static void
test_valid_frames(void)
{
	static const struct
	{
		const char *frame;
		size_t		length;
		FgErrorCode code;
	}			rows[] = {
		{"a", 1, FG_OK}, {" ", 1, FG_OK}, {";", 1, FG_OK}, {"\\", 1, FG_OK}, {"\t", 1, FG_OK},
		{"\x01\x1B\x7F", 3, FG_OK}, {"\xF0\x9F\x94\xA5", 4, FG_OK}, {"\xEF\xBF\xBE", 3, FG_OK},
		{"", 0, FG_ERROR_SYNTAX}, {"a\nb", 3, FG_ERROR_SYNTAX}, {"a\r", 2, FG_ERROR_SYNTAX},
		{"\n", 1, FG_ERROR_SYNTAX}, {"a\0b", 3, FG_ERROR_ENCODING}, {"\0", 1, FG_ERROR_ENCODING},
		{"a\xC3", 2, FG_ERROR_ENCODING}, {"\xED\xA0\x80", 3, FG_ERROR_ENCODING},
		{"\xFF\xFE", 2, FG_ERROR_ENCODING}
	};
	char	   *longest = malloc(FG_MAX_FRAME + 1);
	FgContext	ctx = fg_malloc_context();

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_case("legal frame, row %zu", i);
		ctx.error.code = FG_OK;
		CHECK(fg_frame_valid(&ctx, rows[i].frame, rows[i].length) == (rows[i].code == FG_OK));
		CHECK_COUNT(ctx.error.code, rows[i].code);
	}
	unit_case("a frame of 1 MiB, and of one byte more");
	memset(longest, 'x', FG_MAX_FRAME + 1);
	CHECK(fg_frame_valid(&ctx, longest, FG_MAX_FRAME));
	CHECK_ERROR(fg_frame_valid(&ctx, longest, (size_t) FG_MAX_FRAME + 1), &ctx, FG_ERROR_LIMIT);
	CHECK(strstr(ctx.error.reason, "1048576") != NULL);
	free(longest);
}

static void
test_compare(void)
{
	static const char *const sorted[] = {
		"", "A", "a", "a ", "a;", "aa", "ab", "b", "\x7F", "\xC3\xA9", "\xF0\x9F\x94\xA5"
	};

	unit_case("bytewise order, a prefix first");
	for (size_t i = 0; i < COUNT(sorted); i++)
	{
		for (size_t j = 0; j < COUNT(sorted); j++)
		{
			int			order = fg_bytes_compare(sorted[i], strlen(sorted[i]),
												 sorted[j], strlen(sorted[j]));

			CHECK((order > 0) - (order < 0) == (i > j) - (i < j));
		}
	}
}

/* --- dictionaries --------------------------------------------------------------- */

typedef struct Strings
{
	char	   *bytes;
	size_t		size;
	size_t	   *offset;
	uint32_t   *length;
	uint32_t	count;
} Strings;

static const Strings *sorting;

static int
compare_numbers(const void *a, const void *b)
{
	const uint32_t *x = a;
	const uint32_t *y = b;
	uint32_t	shorter = sorting->length[*x] < sorting->length[*y] ? sorting->length[*x]
		: sorting->length[*y];
	int			order = memcmp(sorting->bytes + sorting->offset[*x],
							   sorting->bytes + sorting->offset[*y], shorter);

	if (order == 0)
		order = sorting->length[*x] < sorting->length[*y] ? -1 : 1;
	return order;
}

/*
 * Distinct strings; many share eight bytes or more, which the sort's key does
 * not tell apart, and some end where others go on with NUL bytes.
 */
static Strings
random_strings(UnitRandom *random, uint32_t count)
{
	Strings		s = {malloc((size_t) count * 40 + 1), 0, malloc((count + 1) * sizeof(size_t)),
	malloc((count + 1) * sizeof(uint32_t)), 0};

	for (uint32_t i = 0; i < count; i++)
	{
		char		text[64];
		int			length;

		length = snprintf(text, sizeof(text), "%.*s%s%x",
						  (int) unit_below(random, 12), "\xC3\xA9main::par",
						  i % 3 == 0 ? "\x01" : "", i * 2654435761u >> unit_below(random, 8));
		length += snprintf(text + length, sizeof(text) - (size_t) length, "-%x", i);
		if (i % 5 == 0)
			length -= (int) strlen(strrchr(text, '-')) - 1;
		if (i % 5 == 0)
			length += snprintf(text + length, 12, "%c%x", 0xFF, i);
		memcpy(s.bytes + s.size, text, (size_t) length);
		s.offset[i] = s.size;
		s.length[i] = (uint32_t) length;
		s.size += (size_t) length;
	}
	s.count = count;
	return s;
}

static void
free_strings(Strings *s)
{
	free(s->bytes);
	free(s->offset);
	free(s->length);
}

static uint32_t *
qsorted(const Strings *s)
{
	uint32_t   *order = malloc((s->count + 1) * sizeof(uint32_t));

	for (uint32_t i = 0; i < s->count; i++)
		order[i] = i;
	sorting = s;
	qsort(order, s->count, sizeof(uint32_t), compare_numbers);
	return order;
}

static bool
sort_strings(FgContext *ctx, void *arg)
{
	const Strings *s = arg;
	uint32_t   *order = malloc((s->count + 1) * sizeof(uint32_t));
	uint32_t   *expected = qsorted(s);
	bool		ok = fg_frames_sort(ctx, s->bytes, s->offset, s->length, s->count, order);

	if (ok)
		CHECK_BYTES(order, s->count * sizeof(uint32_t), expected, s->count * sizeof(uint32_t));
	free(order);
	free(expected);
	return ok;
}

static void
test_sort(void)
{
	static const uint32_t counts[] = {0, 1, 2, 3, 7, 8, 9, 100, 1023, 1024, 1025, 5000};
	UnitRandom	random = {7};
	Strings		s;

	for (size_t i = 0; i < COUNT(counts); i++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);

		unit_case("sorting %u frames as qsort does", counts[i]);
		s = random_strings(&random, counts[i]);
		CHECK(sort_strings(&ctx, &s));
		CHECK_COUNT(memory.blocks, 0);
		free_strings(&s);
	}
	s = random_strings(&random, 3000);
	unit_sweep_memory("sorting frames", sort_strings, &s);
	unit_sweep_interrupts("sorting frames", sort_strings, &s, 3);
	free_strings(&s);
}

/* Few frames can be much to compare: it is the bytes that count. */
static void
test_sort_polls(void)
{
	enum
	{
		FRAMES = 64, LENGTH = 100000
	};
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	char	   *bytes = malloc(FRAMES * LENGTH);
	size_t		offset[FRAMES];
	uint32_t	length[FRAMES];
	uint32_t	order[FRAMES];

	unit_case("sorting frames with long common prefixes");
	memset(bytes, 'a', FRAMES * LENGTH);
	for (uint32_t i = 0; i < FRAMES; i++)
	{
		offset[i] = (size_t) i * LENGTH;
		length[i] = LENGTH;
		bytes[offset[i] + LENGTH - 1] = (char) ('0' + (i * 37) % FRAMES);
	}
	memory.polls = 0;
	CHECK(fg_frames_sort(&ctx, bytes, offset, length, FRAMES, order));
	for (uint32_t i = 0; i < FRAMES; i++)
		CHECK_COUNT(order[i] * 37 % FRAMES, i);
	/* a merge sort compares at least half of the frames in each of its six rounds */
	CHECK(memory.polls >= (size_t) 6 * FRAMES / 2 * LENGTH / FG_CHECK_BYTES - 6);
	free(bytes);
	CHECK_COUNT(memory.blocks, 0);
}

/* A dictionary of some of the strings in s, by a mask of their numbers. */
static FgFrames
some_frames(FgContext *ctx, const Strings *s, const uint32_t *order, uint32_t modulus)
{
	FgFrames	frames;
	uint32_t	count = 0;
	uint32_t	n = 0;

	for (uint32_t i = 0; i < s->count; i++)
		count += modulus > 0 && i % modulus == 0;
	CHECK(fg_frames_alloc(ctx, &frames, count, s->size));
	for (uint32_t i = 0; i < s->count; i++)
	{
		uint32_t	string = order[i];

		if (modulus == 0 || i % modulus != 0)
			continue;
		memcpy(frames.bytes + frames.offset[n], s->bytes + s->offset[string], s->length[string]);
		frames.offset[n + 1] = frames.offset[n] + s->length[string];
		n++;
	}
	return frames;
}

static bool
is_frame(const FgFrames *frames, uint32_t frame, const Strings *s, uint32_t string)
{
	return frame < frames->count && fg_frame_length(frames, frame) == s->length[string] &&
		memcmp(fg_frame_bytes(frames, frame), s->bytes + s->offset[string], s->length[string]) == 0;
}

static void
check_union(FgContext *ctx, const Strings *s, const uint32_t *order, uint32_t step_a,
			uint32_t step_b)
{
	FgFrames	a = some_frames(ctx, s, order, step_a);
	FgFrames	b = some_frames(ctx, s, order, step_b);
	uint32_t   *map_a = malloc((a.count + 1) * sizeof(uint32_t));
	uint32_t   *map_b = malloc((b.count + 1) * sizeof(uint32_t));
	FgFrames	both;
	uint32_t	n = 0;
	uint32_t	i_a = 0;
	uint32_t	i_b = 0;

	CHECK(fg_frames_union(ctx, &a, &b, &both, map_a, map_b));
	for (uint32_t i = 0; i < s->count; i++)
	{
		bool		in_a = step_a > 0 && i % step_a == 0;
		bool		in_b = step_b > 0 && i % step_b == 0;
		const char *bytes = s->bytes + s->offset[order[i]];

		CHECK_COUNT(fg_frames_find(&a, bytes, s->length[order[i]]), in_a ? i_a : FG_NONE);
		CHECK_COUNT(fg_frames_find(&both, bytes, s->length[order[i]]),
					in_a || in_b ? n : FG_NONE);
		if (in_a)
			CHECK_COUNT(map_a[i_a++], n);
		if (in_b)
			CHECK_COUNT(map_b[i_b++], n);
		if (in_a || in_b)
			CHECK(is_frame(&both, n++, s, order[i]));
	}
	CHECK_COUNT(both.count, n);
	fg_frames_free(ctx, &a);
	fg_frames_free(ctx, &b);
	fg_frames_free(ctx, &both);
	free(map_a);
	free(map_b);
}

static void
test_union(void)
{
	static const uint32_t steps[] = {0, 1, 2, 3, 50, 1000};
	UnitRandom	random = {11};
	Strings		s = random_strings(&random, 700);
	uint32_t   *order = qsorted(&s);
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);

	for (size_t i = 0; i < COUNT(steps); i++)
	{
		for (size_t j = 0; j < COUNT(steps); j++)
		{
			unit_case("union of every %uth and every %uth frame, and finding", steps[i], steps[j]);
			check_union(&ctx, &s, order, steps[i], steps[j]);
		}
	}
	CHECK_COUNT(memory.blocks, 0);
	free(order);
	free_strings(&s);
}

typedef struct UnionInput
{
	const FgFrames *a;
	const FgFrames *b;
	uint32_t	map_a[100];
	uint32_t	map_b[100];
} UnionInput;

static bool
make_union(FgContext *ctx, void *arg)
{
	UnionInput *input = arg;
	FgFrames	both;

	if (!fg_frames_union(ctx, input->a, input->b, &both, input->map_a, input->map_b))
		return CHECK(both.offset == NULL && both.bytes == NULL) && false;
	fg_frames_free(ctx, &both);
	return true;
}

static void
test_dictionary(void)
{
	UnitRandom	random = {12};
	Strings		s = random_strings(&random, 100);
	uint32_t   *order = qsorted(&s);
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgFrames	a = some_frames(&ctx, &s, order, 1);
	FgFrames	b = some_frames(&ctx, &s, order, 2);
	FgFrames	c = some_frames(&ctx, &s, order, 1);
	UnionInput	input = {.a = &a, .b = &b};

	unit_case("equal dictionaries");
	CHECK(fg_frames_equal(&a, &c));
	CHECK(!fg_frames_equal(&a, &b));
	CHECK(fg_frames_equal(&a, &a));
	c.bytes[s.size - 1] ^= 1;
	CHECK(!fg_frames_equal(&a, &c));
	c.bytes[s.size - 1] ^= 1;
	c.offset[50]++;				/* the same bytes, cut elsewhere */
	CHECK(!fg_frames_equal(&a, &c));
	fg_frames_free(&ctx, &c);
	CHECK(fg_frames_alloc(&ctx, &c, 0, 0));
	CHECK(!fg_frames_equal(&a, &c));
	CHECK_COUNT(fg_frames_find(&c, "a", 1), FG_NONE);
	fg_frames_free(&ctx, &c);
	unit_case("a dictionary larger than any value");
	CHECK_ERROR(fg_frames_alloc(&ctx, &c, 1, (size_t) FG_MAX_BYTES + 1), &ctx, FG_ERROR_LIMIT);
	unit_sweep_memory("union", make_union, &input);
	unit_case("everything was released");
	fg_frames_free(&ctx, &a);
	fg_frames_free(&ctx, &b);
	CHECK_COUNT(memory.blocks, 0);
	free(order);
	free_strings(&s);
}

int
main(void)
{
	test_utf8_sequences();
	test_utf8_places();
	test_valid_frames();
	test_compare();
	test_sort();
	test_sort_polls();
	test_union();
	test_dictionary();
	return unit_finish();
}
