/*
 * test_flameseries.c
 *	  Series of profiles against a plain list of profiles.
 */
#include "naive.h"

#include "core/profile/algebra.h"
#include "core/profile/codec.h"
#include "core/series/flameseries_build.h"
#include "core/series/flameseries_codec.h"
#include "core/series/flameseries_codec_windows.h"

#include <math.h>

static const char *const instances[] = {"", "pod-1", "pod-10", "pod-2", "\xC3\xA9"};

typedef struct Item
{
	int64_t		at;
	uint32_t	instance;		/* of the names above */
	FgTree		tree;
} Item;

typedef struct List
{
	Item	   *items;
	uint32_t	count;
} List;

typedef struct Bytes
{
	uint8_t    *data;
	size_t		size;
} Bytes;

/* --- the list ------------------------------------------------------------------------ */

/* Times that repeat, lie apart, or are extreme. */
static int64_t
random_time(UnitRandom *random, int round)
{
	static const int64_t extremes[] = {INT64_MIN, -1, 0, 1, INT64_MAX};

	if (round % 5 == 4)
		return extremes[unit_below(random, COUNT(extremes))];
	return (int64_t) unit_below(random, round % 2 ? 10 : 1000000000) - 5;
}

static List
random_list(FgContext *ctx, UnitRandom *random, int round, int kind, uint32_t most)
{
	List		list = {calloc(most + 1, sizeof(Item)), unit_below(random, most + 1)};

	for (uint32_t i = 0; i < list.count; i++)
	{
		NaiveShape	shape = naive_shape(random, round, kind, 12);
		Naive		one = naive_random(random, shape);

		/* Now and then the profile before once more, so that all is equal but the time. */
		list.items[i] = (Item) {random_time(random, round),
		unit_below(random, COUNT(instances)), naive_tree(ctx, &one)};
		if (i > 0 && unit_below(random, 4) == 0)
		{
			fg_tree_free(ctx, &list.items[i].tree);
			CHECK(fg_tree_copy(ctx, &list.items[i - 1].tree, &list.items[i].tree));
		}
		naive_free(&one);
	}
	return list;
}

static void
list_free(FgContext *ctx, List *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		fg_tree_free(ctx, &list->items[i].tree);
	free(list->items);
}

static Bytes
encoded_tree(FgContext *ctx, const FgTree *tree)
{
	Bytes		bytes = {0};

	CHECK(fg_codec_encode(ctx, tree, 0, &bytes.data, &bytes.size));
	return bytes;
}

static bool
same_tree(FgContext *ctx, const FgTree *a, const FgTree *b)
{
	Bytes		x = encoded_tree(ctx, a);
	Bytes		y = encoded_tree(ctx, b);
	bool		same = x.size == y.size && memcmp(x.data, y.data, x.size) == 0;

	fg_release(ctx, x.data);
	fg_release(ctx, y.data);
	return same;
}

/* --- series of it --------------------------------------------------------------------- */

static void
add_item(FgFlameseriesBuilder *builder, const Item *item, bool as_bytes)
{
	const char *name = instances[item->instance];
	Bytes		bytes;

	if (!as_bytes)
	{
		CHECK(fg_flameseries_add(builder, item->at, name, strlen(name), &item->tree));
		return;
	}
	bytes = encoded_tree(builder->ctx, &item->tree);
	CHECK(fg_flameseries_add_encoded(builder, item->at, name, strlen(name), bytes.data, bytes.size));
	fg_release(builder->ctx, bytes.data);
}

static Bytes
encoded(FgContext *ctx, FgFlameseriesBuilder *builder)
{
	FgFlameseries	series;
	Bytes		bytes = {0};

	if (CHECK(fg_flameseries_build(builder, &series)))
	{
		CHECK(fg_tree_check(ctx, &series.tree));
		CHECK(fg_flameseries_encode(ctx, &series, 0, &bytes.data, &bytes.size));
		fg_flameseries_free(ctx, &series);
	}
	fg_flameseries_builder_free(builder);
	return bytes;
}

/*
 * The profiles from "from" up to "end", the last one first where "backwards" says so.  Two in three
 * come encoded.
 */
static Bytes
series_of(FgContext *ctx, const List *list, uint32_t from, uint32_t end, bool backwards)
{
	FgFlameseriesBuilder builder;

	CHECK(fg_flameseries_builder_begin(ctx, &builder));
	for (uint32_t i = from; i < end; i++)
		add_item(&builder, &list->items[backwards ? end - 1 - (i - from) : i], (i + backwards) % 3 > 0);
	return encoded(ctx, &builder);
}

static void
add_bytes(FgContext *ctx, FgFlameseriesBuilder *builder, Bytes bytes, FgFlameseriesWindow window)
{
	FgFlameseries	series;

	if (!CHECK(fg_flameseries_decode(ctx, bytes.data, bytes.size, &series)))
		return;
	CHECK(fg_flameseries_add_series(builder, &series, &window));
	fg_flameseries_free(ctx, &series);
}

/* Releases both. */
static Bytes
merged(FgContext *ctx, Bytes a, Bytes b)
{
	FgFlameseriesBuilder builder;

	CHECK(fg_flameseries_builder_begin(ctx, &builder));
	add_bytes(ctx, &builder, a, FG_FLAMESERIES_WHOLE);
	add_bytes(ctx, &builder, b, FG_FLAMESERIES_WHOLE);
	fg_release(ctx, a.data);
	fg_release(ctx, b.data);
	return encoded(ctx, &builder);
}

static Bytes
slice(FgContext *ctx, Bytes bytes, FgFlameseriesWindow window)
{
	FgFlameseriesBuilder builder;

	CHECK(fg_flameseries_builder_begin(ctx, &builder));
	add_bytes(ctx, &builder, bytes, window);
	return encoded(ctx, &builder);
}

/* Releases "got". */
static void
check_same(FgContext *ctx, Bytes expected, Bytes got)
{
	CHECK_BYTES(got.data, got.size, expected.data, expected.size);
	fg_release(ctx, got.data);
}

/* --- laws ----------------------------------------------------------------------------- */

/* Each item is in the series, and each profile of it is an item: counted off. */
static void
check_profiles(FgContext *ctx, const List *list, Bytes bytes)
{
	bool	   *met = calloc(list->count + 1, sizeof(bool));
	FgFlameseriesProfiles profiles;
	FgFlameseries	series;

	if (!CHECK(fg_flameseries_validate(ctx, bytes.data, bytes.size, &series)))
		return;
	CHECK_COUNT(series.count, list->count);
	CHECK(fg_flameseries_profiles_begin(ctx, &series, &profiles));
	for (uint32_t p = 0; p < series.count; p++)
	{
		uint32_t	number = series.instance[p];
		const char *name = number == 0 ? "" : fg_frame_bytes(&series.instances, number - 1);
		size_t		length = number == 0 ? 0 : fg_frame_length(&series.instances, number - 1);
		uint32_t	i = 0;
		FgTree		tree;

		CHECK(p == 0 || series.at[p - 1] <= series.at[p]);
		if (!CHECK(fg_flameseries_profile(&profiles, p, &tree)))
			break;
		CHECK(fg_tree_check(ctx, &tree));
		while (i < list->count &&
			   (met[i] || list->items[i].at != series.at[p] ||
				strlen(instances[list->items[i].instance]) != length ||
				memcmp(instances[list->items[i].instance], name, length) != 0 ||
				!same_tree(ctx, &list->items[i].tree, &tree)))
			i++;
		if (CHECK(i < list->count))
			met[i] = true;
		fg_tree_free(ctx, &tree);
	}
	fg_flameseries_profiles_end(&profiles);
	fg_flameseries_free(ctx, &series);
	free(met);
}

static void
test_profiles_come_back(void)
{
	UnitRandom	random = {4711};

	for (int kind = 0; kind <= NAIVE_DOUBLES; kind++)
	{
		unit_case("what went into a series comes out of it: %s", naive_kinds[kind]);
		for (int round = 0; round < unit_rounds(24); round++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			List		list = random_list(&ctx, &random, round, kind, round == 7 ? 600 : 20);
			Bytes		bytes = series_of(&ctx, &list, 0, list.count, false);

			unit_note("[round %d]", round);
			check_profiles(&ctx, &list, bytes);
			fg_release(&ctx, bytes.data);
			list_free(&ctx, &list);
			CHECK_COUNT(memory.blocks, 0);
		}
	}
}

static void
test_order_and_merging(void)
{
	UnitRandom	random = {4712};

	unit_case("the order of profiles and of merges does not matter");
	for (int round = 0; round < unit_rounds(30); round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		List		list = random_list(&ctx, &random, round, round % 3, 40);
		uint32_t	first = unit_below(&random, list.count + 1);
		uint32_t	second = first + unit_below(&random, list.count - first + 1);
		Bytes		whole = series_of(&ctx, &list, 0, list.count, false);
		Bytes		a[2];
		Bytes		b[2];
		Bytes		c[2];

		unit_note("[round %d]", round);
		check_same(&ctx, whole, series_of(&ctx, &list, 0, list.count, true));
		for (int i = 0; i < 2; i++)
		{
			a[i] = series_of(&ctx, &list, 0, first, i);
			b[i] = series_of(&ctx, &list, first, second, i);
			c[i] = series_of(&ctx, &list, second, list.count, i);
		}
		check_same(&ctx, whole, merged(&ctx, merged(&ctx, a[0], b[0]), c[0]));
		check_same(&ctx, whole, merged(&ctx, c[1], merged(&ctx, b[1], a[1])));
		fg_release(&ctx, whole.data);
		list_free(&ctx, &list);
		CHECK_COUNT(memory.blocks, 0);
	}
}

/* --- windows -------------------------------------------------------------------------- */

typedef struct Choice
{
	FgFlameseriesWindow window;		/* without instances */
	bool		named;			/* are instances chosen? */
	bool		instance[COUNT(instances)];
} Choice;

static Choice
random_choice(UnitRandom *random, int round)
{
	Choice		choice = {.window = FG_FLAMESERIES_WHOLE, .named = unit_below(random, 2) == 0};
	int64_t		a = random_time(random, round);
	int64_t		b = random_time(random, round);

	if (unit_below(random, 3) > 0)
		choice.window.since = a < b ? a : b;
	if (unit_below(random, 3) > 0)
		choice.window.until = a < b ? b : a;
	for (size_t i = 0; i < COUNT(instances); i++)
		choice.instance[i] = unit_below(random, 2) == 0;
	return choice;
}

static bool
is_chosen(const Choice *choice, const Item *item)
{
	return item->at >= choice->window.since &&
		(choice->window.until == INT64_MAX || item->at < choice->window.until) &&
		(!choice->named || choice->instance[item->instance]);
}

/* The choice by the numbers that the series gives its instances. */
static FgFlameseriesWindow
window_of(FgContext *ctx, const Choice *choice, Bytes bytes, bool wanted[COUNT(instances)])
{
	FgFlameseriesWindow window = choice->window;
	FgTree		tree;

	if (!choice->named || !CHECK(fg_flameseries_instances(ctx, bytes.data, bytes.size, &tree)))
		return window;
	wanted[0] = choice->instance[0];
	for (size_t i = 1; i < COUNT(instances); i++)
	{
		uint32_t	number = fg_frames_find(&tree.frames, instances[i], strlen(instances[i]));

		if (number != FG_NONE)
			wanted[number + 1] = choice->instance[i];
	}
	fg_tree_free(ctx, &tree);
	window.wanted = wanted;
	return window;
}

/* The first of two becomes their sum. */
static void
add_pair(FgContext *ctx, FgTree pair[2])
{
	FgTree		sum;

	CHECK(fg_combine(ctx, &pair[0], 1, &pair[1], 1, &sum));
	fg_tree_free(ctx, &pair[0]);
	fg_tree_free(ctx, &pair[1]);
	pair[0] = sum;
}

/*
 * The sum of the chosen profiles, by no more than sums of two.  Equally many are on either
 * side: each added to all before it is quadratic, and was most of the time of this test.
 */
static FgTree
plain_sum(FgContext *ctx, const List *list, const Choice *choice)
{
	FgTree		sums[34];
	uint32_t	top = 0;
	uint32_t	met = 0;

	CHECK(fg_tree_empty(ctx, &sums[0]));
	for (uint32_t i = 0; i < list->count; i++)
	{
		if (!is_chosen(choice, &list->items[i]))
			continue;
		CHECK(fg_tree_copy(ctx, &list->items[i].tree, &sums[++top]));
		for (uint32_t n = ++met; n % 2 == 0; n /= 2)
			add_pair(ctx, &sums[--top]);
	}
	while (top > 0)
		add_pair(ctx, &sums[--top]);
	return sums[0];
}

static void
check_window(FgContext *ctx, const List *list, const Choice *choice, Bytes bytes)
{
	bool		wanted[COUNT(instances)] = {false};
	FgFlameseriesWindow window = window_of(ctx, choice, bytes, wanted);
	FgTree		expected = plain_sum(ctx, list, choice);
	List		chosen = {calloc(list->count + 1, sizeof(Item)), 0};
	Bytes		part;
	FgTree		sum;

	for (uint32_t i = 0; i < list->count; i++)
		if (is_chosen(choice, &list->items[i]))
			chosen.items[chosen.count++] = list->items[i];
	part = series_of(ctx, &chosen, 0, chosen.count, false);
	check_same(ctx, part, slice(ctx, bytes, window));
	fg_release(ctx, part.data);
	if (CHECK(fg_flameseries_sum(ctx, bytes.data, bytes.size, &window, &sum)))
	{
		CHECK(fg_tree_check(ctx, &sum));
		CHECK(same_tree(ctx, &sum, &expected));
		fg_tree_free(ctx, &sum);
	}
	fg_tree_free(ctx, &expected);
	free(chosen.items);
}

/* --- trends -------------------------------------------------------------------------- */

typedef struct Row
{
	int64_t		at;
	double		value;
} Row;

static int
compare_rows(const void *a, const void *b)
{
	const Row  *x = a;
	const Row  *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

/* Does a stack, frames joined by NUL, have the frame; or does it end in it? */
static bool
has_frame(const NaiveEntry *entry, const char *frame, bool self)
{
	size_t		length = strlen(frame);

	for (size_t start = 0; start < entry->length;)
	{
		size_t		next = start + strlen(entry->path + start) + 1;

		if (next > entry->length + 1)
			next = entry->length + 1;
		if (next - 1 - start == length && memcmp(entry->path + start, frame, length) == 0 &&
			(!self || next > entry->length))
			return true;
		start = next;
	}
	return false;
}

/* Does a stack begin with the path; or is it that path? */
static bool
has_path(const NaiveEntry *entry, const char *path, bool self)
{
	size_t		length = strlen(path);

	if (length == 0)
		return !self || entry->length == 0;
	return entry->length >= length && memcmp(entry->path, path, length) == 0 &&
		(entry->length == length || (entry->path[length] == '\0' && !self));
}

static double
plain_value(const FgTree *tree, const char *name, bool is_path, bool self)
{
	Naive		naive = naive_of_tree(tree);
	double		value = 0;

	for (size_t i = 0; i < naive.count; i++)
		if (is_path ? has_path(&naive.entries[i], name, self)
			: has_frame(&naive.entries[i], name, self))
			value += naive.entries[i].value;
	naive_free(&naive);
	return value;
}

static void
check_rows(const FgFlameseriesTrend *trend, Row *expected, uint32_t count)
{
	Row		   *got = calloc(trend->count + 1, sizeof(Row));
	bool		in_order = true;
	bool		same = CHECK_COUNT(trend->count, count);

	for (uint32_t i = 0; i < trend->count; i++)
	{
		got[i] = (Row) {trend->at[i], trend->value[i]};
		in_order &= i == 0 || trend->at[i] >= trend->at[i - 1];
	}
	qsort(got, trend->count, sizeof(Row), compare_rows);
	qsort(expected, count, sizeof(Row), compare_rows);
	for (uint32_t i = 0; same && i < count; i++)
		same = compare_rows(&got[i], &expected[i]) == 0;
	CHECK(same && in_order);
	free(got);
}

/* Of all profiles, whatever the window is. */
static void
check_chosen_sum(FgFlameseriesReader *reader, const List *list, const uint8_t *chosen,
				 const char *name, bool is_path, bool self)
{
	double		expected = 0;
	double		size = 0;
	double		sum;

	for (uint32_t i = 0; i < list->count; i++)
	{
		double		value = plain_value(&list->items[i].tree, name, is_path, self);

		expected += value;
		size += fabs(value);
	}
	if (CHECK(fg_flameseries_chosen_sum(reader, chosen, &sum)))
		CHECK(fabs(sum - expected) <= 1e-12 * size);
}

static void
check_trend(FgContext *ctx, const List *list, const Choice *choice, Bytes bytes, const char *name,
			int how)
{
	bool		is_path = how % 2 == 1;
	bool		self = how / 2 == 1;
	bool		wanted[COUNT(instances)] = {false};
	FgFlameseriesWindow window = window_of(ctx, choice, bytes, wanted);
	FgFlameseriesReader *reader = fg_flameseries_open(ctx, bytes.data, bytes.size);
	Row		   *expected = calloc(list->count + 1, sizeof(Row));
	FgFlameseriesTrend trend;
	int64_t		first = INT64_MAX;
	int64_t		at;
	uint32_t	count = 0;
	uint8_t    *chosen;
	bool		found;

	for (uint32_t i = 0; i < list->count; i++)
	{
		const Item *item = &list->items[i];

		if (!is_chosen(choice, item))
			continue;
		expected[count++] = (Row) {item->at, plain_value(&item->tree, name, is_path, self)};
		first = item->at < first ? item->at : first;
	}
	CHECK(reader != NULL);
	chosen = (is_path ? fg_flameseries_choose_path : fg_flameseries_choose_frame)
		(reader, name, strlen(name), self);
	if (CHECK(chosen != NULL) &&
		CHECK(fg_flameseries_trend(reader, &window, chosen, &trend)))
	{
		check_rows(&trend, expected, count);
		fg_flameseries_trend_free(ctx, &trend);
		check_chosen_sum(reader, list, chosen, name, is_path, self);
	}
	CHECK(fg_flameseries_first_time(reader, &window, &at, &found));
	CHECK(found == (count > 0) && (!found || at == first));
	fg_release(ctx, chosen);
	fg_flameseries_close(reader);
	free(expected);
}

static void
check_trends(FgContext *ctx, UnitRandom *random, const List *list, const Choice *choice,
			 Bytes bytes)
{
	for (int how = 0; how < 4; how++)
		check_trend(ctx, list, choice, bytes,
					unit_below(random, 5) == 0 ? "" : naive_frame(unit_below(random, 12)), how);
}

static void
test_windows(void)
{
	UnitRandom	random = {4713};

	for (int kind = NAIVE_COUNTS; kind <= NAIVE_SIGNED; kind++)
	{
		unit_case("sums and slices of windows: %s", naive_kinds[kind]);
		for (int round = 0; round < unit_rounds(30); round++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			List		list = random_list(&ctx, &random, round, kind, round == 5 ? 800 : 30);
			Bytes		bytes = series_of(&ctx, &list, 0, list.count, false);
			Choice		everything = {.window = FG_FLAMESERIES_WHOLE};

			unit_note("[round %d]", round);
			check_window(&ctx, &list, &everything, bytes);
			for (int i = 0; i < 4; i++)
			{
				Choice		choice = random_choice(&random, round);

				check_window(&ctx, &list, &choice, bytes);
				check_trends(&ctx, &random, &list, &choice, bytes);
			}
			fg_release(&ctx, bytes.data);
			list_free(&ctx, &list);
			CHECK_COUNT(memory.blocks, 0);
		}
	}
}

/* --- what does not fit ------------------------------------------------------------------ */

static void
test_overflow(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgFlameseriesWindow first = {0, 1, NULL};
	List		list = {calloc(2, sizeof(Item)), 2};
	FgFlameseriesHeader header;
	Bytes		bytes;
	FgTree		sum;

	unit_case("sums that do not fit a double");
	list.items[0] = (Item) {0, 1, tree_of_text(&ctx, "a;b 1e308\nc 0.1")};
	list.items[1] = (Item) {5, 1, tree_of_text(&ctx, "a;b 1e308\nc 0.2")};
	bytes = series_of(&ctx, &list, 0, 2, false);
	check_profiles(&ctx, &list, bytes);
	CHECK(fg_flameseries_header(&ctx, bytes.data, bytes.size, &header));
	CHECK(!header.has_sums && header.sums_size == 0 && isinf(header.total));
	CHECK_ERROR(fg_flameseries_sum(&ctx, bytes.data, bytes.size, &FG_FLAMESERIES_WHOLE, &sum), &ctx,
				FG_ERROR_RANGE);
	if (CHECK(fg_flameseries_sum(&ctx, bytes.data, bytes.size, &first, &sum)))
	{
		CHECK(same_tree(&ctx, &sum, &list.items[0].tree));
		fg_tree_free(&ctx, &sum);
	}
	fg_release(&ctx, bytes.data);
	list_free(&ctx, &list);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_instance_names(void)
{
	static const char *const wrong[] = {"a\nb", "\xFF", "a\rb"};
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgFlameseriesBuilder builder;
	FgTree		tree = tree_of_text(&ctx, "a 1");

	unit_case("names of instances that are no frames");
	for (size_t i = 0; i < COUNT(wrong); i++)
	{
		CHECK(fg_flameseries_builder_begin(&ctx, &builder));
		CHECK(!fg_flameseries_add(&builder, 0, wrong[i], strlen(wrong[i]), &tree));
		CHECK(ctx.error.code == FG_ERROR_ENCODING || ctx.error.code == FG_ERROR_SYNTAX);
		fg_flameseries_builder_free(&builder);
	}
	fg_tree_free(&ctx, &tree);
	CHECK_COUNT(memory.blocks, 0);
}

/* --- memory and interrupts ---------------------------------------------------------------- */

/* Everything that there is, one after the other. */
/* What one function comes to, in each profile and in all of them, and what everything does. */
static bool
ask(FgContext *ctx, const uint8_t *bytes, size_t size)
{
	FgFlameseriesReader *reader = fg_flameseries_open(ctx, bytes, size);
	FgFlameseriesTrend trend;
	uint8_t    *chosen;
	uint8_t    *path;
	double		sum;
	bool		ok;

	if (reader == NULL)
		return false;
	chosen = fg_flameseries_choose_frame(reader, "a", 1, false);
	path = chosen != NULL ? fg_flameseries_choose_path(reader, "e;f", 3, false) : NULL;
	ok = path != NULL && fg_flameseries_chosen_sum(reader, chosen, &sum) &&
		fg_flameseries_instance_names(reader) != NULL &&
		fg_flameseries_trend(reader, &FG_FLAMESERIES_WHOLE, path, &trend);
	if (ok)
		fg_flameseries_trend_free(ctx, &trend);
	fg_release(ctx, chosen);
	fg_release(ctx, path);
	fg_flameseries_close(reader);
	return ok;
}

static bool
work(FgContext *ctx, void *arg)
{
	const List *list = arg;
	FgFlameseriesBuilder builder;
	FgFlameseriesProfiles profiles;
	FgFlameseries	series = {0};
	FgFlameseries	again = {0};
	FgFlameseriesWindow window = {1, INT64_MAX, NULL};
	uint8_t    *bytes = NULL;
	size_t		size = 0;
	FgTree		tree;
	bool		ok = fg_flameseries_builder_begin(ctx, &builder);

	for (uint32_t i = 0; ok && i < list->count; i++)
	{
		ok = fg_codec_encode(ctx, &list->items[i].tree, 0, &bytes, &size) &&
			fg_flameseries_add(&builder, list->items[i].at, "pod", 3, &list->items[i].tree) &&
			fg_flameseries_add_encoded(&builder, list->items[i].at, "pod", 3, bytes, size);
		fg_release(ctx, bytes);
		bytes = NULL;
	}
	ok = ok && fg_flameseries_build(&builder, &series);
	fg_flameseries_builder_free(&builder);
	ok = ok && fg_flameseries_encode(ctx, &series, 0, &bytes, &size);
	ok = ok && fg_flameseries_validate(ctx, bytes, size, &again);
	fg_flameseries_free(ctx, &again);
	if (ok && (ok = fg_flameseries_profiles_begin(ctx, &series, &profiles)))
	{
		for (uint32_t p = 0; ok && p < series.count; p++)
			if ((ok = fg_flameseries_profile(&profiles, p, &tree)))
				fg_tree_free(ctx, &tree);
		fg_flameseries_profiles_end(&profiles);
	}
	fg_flameseries_free(ctx, &series);
	if (ok && (ok = fg_flameseries_sum(ctx, bytes, size, &FG_FLAMESERIES_WHOLE, &tree)))
		fg_tree_free(ctx, &tree);
	if (ok && (ok = fg_flameseries_sum(ctx, bytes, size, &window, &tree)))
		fg_tree_free(ctx, &tree);
	ok = ok && ask(ctx, bytes, size);
	fg_release(ctx, bytes);
	return ok;
}

/*
 * Siblings "a" and "b" whose names are changed in the encoded form: a series has each stack once,
 * and in order.
 */
static void
test_damaged_dictionaries(void)
{
	static const struct
	{
		const char *what;
		const char *first;
		const char *second;
		bool		ok;
	}			cases[] = {
		{"as it was", "a", "b", true},
		{"frames in another order", "b", "a", false},
		{"a frame twice", "b", "b", false},
		{"new frames in another order", "y", "x", false},
		{"a new frame twice", "x", "x", false},
	};

	for (size_t i = 0; i < COUNT(cases); i++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		FgTree		tree = tree_of_text(&ctx, "a 1\nb 2");
		Bytes		bytes = encoded_tree(&ctx, &tree);
		Item		item = {0, 0, tree};
		FgFlameseriesBuilder builder;
		FgFlameseries series;

		unit_case("a damaged dictionary: %s", cases[i].what);
		CHECK(memcmp(bytes.data + FG_HEADER_SIZE, "\0\1a\0\1b", 6) == 0);
		bytes.data[FG_HEADER_SIZE + 2] = (uint8_t) cases[i].first[0];
		bytes.data[FG_HEADER_SIZE + 5] = (uint8_t) cases[i].second[0];
		CHECK(fg_flameseries_builder_begin(&ctx, &builder));
		add_item(&builder, &item, true);
		CHECK(fg_flameseries_add_encoded(&builder, 1, "", 0, bytes.data, bytes.size));
		if (cases[i].ok)
		{
			CHECK(fg_flameseries_build(&builder, &series));
			fg_flameseries_free(&ctx, &series);
		}
		else
			CHECK(!fg_flameseries_build(&builder, &series) && ctx.error.code == FG_ERROR_CORRUPT);
		fg_flameseries_builder_free(&builder);
		fg_release(&ctx, bytes.data);
		fg_tree_free(&ctx, &tree);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static void
test_failures(void)
{
	FgContext	ctx = fg_malloc_context();
	List		list = {calloc(3, sizeof(Item)), 3};

	list.items[0] = (Item) {0, 0, tree_of_text(&ctx, "a;b 1\na;c 2\nd 3")};
	list.items[1] = (Item) {1, 0, tree_of_text(&ctx, "a;b 5\ne;f;g 2")};
	list.items[2] = (Item) {2, 0, tree_of_text(&ctx, "")};
	unit_sweep_memory("a series", work, &list);
	unit_sweep_interrupts("a series", work, &list, 10);
	list_free(&ctx, &list);
}

int
main(void)
{
	test_profiles_come_back();
	test_order_and_merging();
	test_windows();
	test_overflow();
	test_instance_names();
	test_damaged_dictionaries();
	test_failures();
	return unit_finish();
}
