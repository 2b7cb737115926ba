/*
 * test_find.c
 *	  Frames by a part of their names, by a pattern and by names that come near: against
 *	  definitions that recurse.
 */
#include "unit.h"

#include "core/patterns/find.h"

/* --- dictionaries ------------------------------------------------------------------- */

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

/* Of names in any order, some of them twice. */
static FgFrames
dictionary(FgContext *ctx, const char **names, size_t count)
{
	FgFrames	frames;
	size_t		bytes = 0;

	qsort(names, count, sizeof(char *), compare_names);
	for (size_t i = 0; i < count; i++)
		bytes += strlen(names[i]);
	if (!fg_frames_alloc(ctx, &frames, (uint32_t) count, bytes))
		abort();
	frames.count = 0;
	frames.offset[0] = 0;
	for (size_t i = 0; i < count; i++)
	{
		uint32_t	n = frames.count;

		if (i > 0 && strcmp(names[i], names[i - 1]) == 0)
			continue;
		memcpy(frames.bytes + frames.offset[n], names[i], strlen(names[i]));
		frames.offset[n + 1] = frames.offset[n] + (uint32_t) strlen(names[i]);
		frames.count++;
	}
	return frames;
}

static char *
name_of(const FgFrames *frames, uint32_t f)
{
	static char buffers[2][1024];
	static int	turn;
	char	   *name = buffers[turn ^= 1];

	memcpy(name, fg_frame_bytes(frames, f), fg_frame_length(frames, f));
	name[fg_frame_length(frames, f)] = '\0';
	return name;
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char) (c + 32) : c;
}

/* --- patterns -------------------------------------------------------------------------- */

static bool
naive_match(const char *pattern, const char *name)
{
	if (*pattern == '\0')
		return *name == '\0';
	if (*pattern == '*')
		return naive_match(pattern + 1, name) || (*name != '\0' && naive_match(pattern, name + 1));
	return *name != '\0' && lower(*pattern) == lower(*name) && naive_match(pattern + 1, name + 1);
}

static bool
naive_found(const char *text, const char *name)
{
	char		contains[200];

	if (strchr(text, '*') != NULL)
		return naive_match(text, name);
	snprintf(contains, sizeof(contains), "*%s*", text);
	return naive_match(contains, name);
}

static void
check_found(FgContext *ctx, const FgFrames *frames, const char *text)
{
	uint8_t	   *found = malloc(frames->count + 1);

	CHECK(fg_find_frames(ctx, frames, text, strlen(text), found));
	for (uint32_t f = 0; f < frames->count; f++)
	{
		unit_note("[\"%s\" in \"%s\"]", text, name_of(frames, f));
		CHECK_COUNT(found[f], naive_found(text, name_of(frames, f)));
	}
	unit_note("%s", "");
	free(found);
}

/* Few letters, so that parts overlap and begin again. */
static char *
random_text(UnitRandom *random, uint32_t most, bool stars)
{
	static const char letters[] = "aAabB*";
	char	   *text = malloc(most + 1);
	uint32_t	length = unit_below(random, most + 1);

	for (uint32_t i = 0; i < length; i++)
		text[i] = letters[unit_below(random, stars ? 6 : 5)];
	text[length] = '\0';
	return text;
}

static void
test_patterns(void)
{
	static const char *texts[] = {
		"", "*", "**", "keyof", "KEYOF", "key*", "*of", "app*:*of", "*.js:*", "a*a", "aa*aa", "*aa*aa*",
		"operator*", "\xC3\xA4", "\xC3\x84", "x", "*x", "app.js:keyOf", "app.js:keyOf*", "*app.js:keyOf"
	};
	const char *names[] = {
		"app.js:keyOf", "App.js:KEYOF", "keyOf", "main", "a", "aa", "aaa", "aaaa", "aaaaa", "operator*",
		"operator new", "\xC3\xA4 name", "it's * not", "malloc"
	};
	UnitMemory	memory = {0};
	FgContext	ctx = unit_context(&memory);
	FgFrames	frames = dictionary(&ctx, names, COUNT(names));
	uint8_t		found[COUNT(names)];

	unit_case("parts and patterns");
	for (size_t i = 0; i < COUNT(texts); i++)
		check_found(&ctx, &frames, texts[i]);
	unit_case("letters of ASCII match in any case, others do not");
	CHECK(fg_find_frames(&ctx, &frames, "KeyOf", 5, found));
	CHECK_COUNT(found[fg_frames_find(&frames, "app.js:keyOf", 12)], 1);
	CHECK_COUNT(found[fg_frames_find(&frames, "App.js:KEYOF", 12)], 1);
	CHECK_COUNT(found[fg_frames_find(&frames, "main", 4)], 0);
	CHECK(fg_find_frames(&ctx, &frames, "\xC3\x84", 2, found));
	CHECK_COUNT(found[fg_frames_find(&frames, "\xC3\xA4 name", 7)], 0);
	fg_frames_free(&ctx, &frames);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_random_patterns(void)
{
	UnitMemory	memory = {0};
	FgContext	ctx = unit_context(&memory);
	UnitRandom	random = {13};

	unit_case("random names and patterns of few letters");
	for (int round = 0; round < 400; round++)
	{
		const char *names[12];
		FgFrames	frames;
		char	   *text = random_text(&random, 7, true);

		for (size_t i = 0; i < COUNT(names); i++)
			names[i] = random_text(&random, 9, false);
		frames = dictionary(&ctx, names, COUNT(names));
		check_found(&ctx, &frames, text);
		fg_frames_free(&ctx, &frames);
		for (size_t i = 0; i < COUNT(names); i++)
			free((char *) names[i]);
		free(text);
	}
	CHECK_COUNT(memory.blocks, 0);
}

/* --- nearest names --------------------------------------------------------------------- */

/* Optimal string alignment by its definition; each pair of ends is computed once. */
#define MOST_LETTERS 31

static size_t known_distance[MOST_LETTERS + 1][MOST_LETTERS + 1];

static size_t
ends_distance(const char *a, size_t i, const char *b, size_t j)
{
	size_t	   *best = &known_distance[i][j];
	size_t		other;

	if (*best != SIZE_MAX)
		return *best;
	if (i == 0 || j == 0)
		return *best = i + j;
	*best = ends_distance(a, i - 1, b, j - 1) + (lower(a[i - 1]) != lower(b[j - 1]));
	other = ends_distance(a, i - 1, b, j) + 1;
	*best = other < *best ? other : *best;
	other = ends_distance(a, i, b, j - 1) + 1;
	*best = other < *best ? other : *best;
	if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
	{
		other = ends_distance(a, i - 2, b, j - 2) + 1;
		*best = other < *best ? other : *best;
	}
	return *best;
}

static size_t
naive_distance(const char *a, size_t i, const char *b, size_t j)
{
	if (i > MOST_LETTERS || j > MOST_LETTERS)
		return SIZE_MAX;
	memset(known_distance, 0xFF, sizeof(known_distance));
	return ends_distance(a, i, b, j);
}

/* SIZE_MAX for a name that is not near. */
static size_t
naive_rank(const char *wanted, const char *name)
{
	size_t		a = strlen(wanted);
	size_t		b = strlen(name);
	size_t		most = 1 + a / 4 < 3 ? 1 + a / 4 : 3;
	size_t		distance = naive_distance(wanted, a, name, b);

	if (distance <= most && distance < a)
		return distance;
	if ((a >= 3 && naive_found(wanted, name)) || (b >= 3 && b < a && naive_found(name, wanted)))
		return most + 1 + (a > b ? a - b : b - a);
	return SIZE_MAX;
}

static void
check_nearest(FgContext *ctx, const FgFrames *frames, const char *wanted)
{
	uint32_t	nearest[FG_MAX_NEAREST];
	uint32_t	count;
	uint32_t	expected = 0;
	bool		taken[32] = {false};

	CHECK(fg_nearest_frames(ctx, frames, wanted, strlen(wanted), nearest, &count));
	unit_note("[\"%s\"]", wanted);
	for (; expected < FG_MAX_NEAREST; expected++)
	{
		uint32_t	best = FG_NONE;

		for (uint32_t f = 0; f < frames->count; f++)
		{
			if (taken[f] || naive_rank(wanted, name_of(frames, f)) == SIZE_MAX)
				continue;
			if (best == FG_NONE ||
				naive_rank(wanted, name_of(frames, f)) < naive_rank(wanted, name_of(frames, best)))
				best = f;
		}
		if (best == FG_NONE)
			break;
		taken[best] = true;
		if (expected < count)
			CHECK_COUNT(nearest[expected], best);
	}
	CHECK_COUNT(count, expected);
	unit_note("%s", "");
}

static void
test_nearest(void)
{
	const char *names[] = {"main", "app.js:keyOf", "app.js:keysOf", "parse", "Parse", "read", "reader", "x"};
	UnitMemory	memory = {0};
	FgContext	ctx = unit_context(&memory);
	FgFrames	frames = dictionary(&ctx, names, COUNT(names));
	static const char *wanted[] = {
		"mian", "keyOf", "PARSE", "pares", "read()", "app.js:keyOff", "reed", "y", "", "nothing like it", "ma"
	};
	uint32_t	nearest[FG_MAX_NEAREST];
	uint32_t	count;
	char	   *long_name = malloc(100000);

	unit_case("nearest names");
	for (size_t i = 0; i < COUNT(wanted); i++)
		check_nearest(&ctx, &frames, wanted[i]);
	CHECK(fg_nearest_frames(&ctx, &frames, "mian", 4, nearest, &count));
	CHECK_COUNT(count, 1);
	CHECK_COUNT(nearest[0], fg_frames_find(&frames, "main", 4));
	CHECK(fg_nearest_frames(&ctx, &frames, "keyOf", 5, nearest, &count));
	CHECK_COUNT(count, 1);
	CHECK_COUNT(nearest[0], fg_frames_find(&frames, "app.js:keyOf", 12));
	unit_case("a name that nobody types is near to nothing");
	memset(long_name, 'm', 100000);
	CHECK(fg_nearest_frames(&ctx, &frames, long_name, 100000, nearest, &count));
	CHECK_COUNT(count, 0);
	free(long_name);
	fg_frames_free(&ctx, &frames);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_random_nearest(void)
{
	UnitMemory	memory = {0};
	FgContext	ctx = unit_context(&memory);
	UnitRandom	random = {31};

	unit_case("nearest of random names");
	for (int round = 0; round < 300; round++)
	{
		const char *names[10];
		FgFrames	frames;
		char	   *wanted = random_text(&random, 6, false);

		for (size_t i = 0; i < COUNT(names); i++)
			names[i] = random_text(&random, 8, false);
		frames = dictionary(&ctx, names, COUNT(names));
		check_nearest(&ctx, &frames, wanted);
		fg_frames_free(&ctx, &frames);
		for (size_t i = 0; i < COUNT(names); i++)
			free((char *) names[i]);
		free(wanted);
	}
	CHECK_COUNT(memory.blocks, 0);
}

/* --- limits ------------------------------------------------------------------------------- */

static bool
find_and_free(FgContext *ctx, void *arg)
{
	const FgFrames *frames = arg;
	uint8_t	   *found = fg_alloc(ctx, frames->count, 1);
	uint32_t	nearest[FG_MAX_NEAREST];
	uint32_t	count;
	bool		ok = found != NULL && fg_find_frames(ctx, frames, "*aa*ab*", 7, found) &&
		fg_nearest_frames(ctx, frames, "aaaaaab", 7, nearest, &count);

	fg_release(ctx, found);
	return ok;
}

static void
test_limits(void)
{
	UnitMemory	memory = {0};
	FgContext	ctx = unit_context(&memory);
	size_t		size = 1 << 20;
	char	   *name = malloc(size + 1);
	const char *names[2] = {name, "main"};
	FgFrames	frames;
	uint8_t		found[2];

	unit_case("a long name and a pattern that begins again and again");
	memset(name, 'a', size);
	name[size] = '\0';
	frames = dictionary(&ctx, names, 2);
	CHECK(fg_find_frames(&ctx, &frames, name, size / 2, found));
	CHECK_COUNT(found[0], 1);
	name[size / 2 - 1] = 'b';
	CHECK(fg_find_frames(&ctx, &frames, name, size / 2, found));
	CHECK_COUNT(found[0], 0);
	unit_case("memory and interrupts");
	unit_sweep_memory("find", find_and_free, &frames);
	unit_sweep_interrupts("find", find_and_free, &frames, 10);
	fg_frames_free(&ctx, &frames);
	free(name);
	CHECK_COUNT(memory.blocks, 0);
}

int
main(void)
{
	test_patterns();
	test_random_patterns();
	test_nearest();
	test_random_nearest();
	test_limits();
	return unit_finish();
}
