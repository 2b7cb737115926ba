/*
 * series_bench.c
 *		Times series of profiles in the core: making, merging and summing them up.
 *
 *	series_bench RUNS
 *
 * Profiles are like those of make.sql and fill.sql: of three services with names as long as those of
 * Go, Java and C++, in stacks of 7, 12 and 18 frames, two or three of 300 pieces of 45 samples each.
 * Prints one line a run: row, side, size, work, seconds (README.md).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/arenas.h"
#include "core/base/random.h"
#include "core/profile/algebra.h"
#include "core/profile/builder.h"
#include "core/profile/codec.h"
#include "core/series/flameseries_build.h"
#include "core/series/flameseries_codec.h"
#include "core/series/flameseries_codec_windows.h"

#define STACKS		4000
#define PIECES		300
#define SAMPLES		45
#define PODS		20
#define DAY			(24 * 60 * PODS)
#define HOUR		(60 * PODS)
#define SOME		1000		/* profiles that compact() makes one series of */

typedef struct Encoded
{
	uint8_t    *bytes;
	size_t		size;
} Encoded;

static FgContext ctx;

_Noreturn static void
fail(const char *why)
{
	fprintf(stderr, "series_bench: %s\n", why);
	exit(1);
}

static void
check(bool ok)
{
	if (!ok)
		fail(ctx.error.reason);
}

static void *
room_for(size_t count, size_t size)
{
	void	   *room = calloc(count, size);

	if (room == NULL)
		fail("out of memory");
	return room;
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

/* --- profiles -------------------------------------------------------------- */

static const int frames_of[] = {18, 7, 12};

/* The frame of a level, as in make.sql. */
static void
frame_name(char *name, size_t room, int service, int level, int i)
{
	switch (service % 3 == 1 ? level : service % 3 == 2 ? 8 : 9)
	{
		case 1:
			snprintf(name, room, "runtime.goexit");
			return;
		case 2:
			snprintf(name, room, "net/http.(*conn).serve");
			return;
		case 3:
			snprintf(name, room, "github.com/example/shop%d/internal/handlers.(*Server).Handle%d", service, i % 7);
			return;
		case 4:
			snprintf(name, room, "github.com/example/shop%d/pkg/module%d.(*Thing).DoSomething%d", service, i % 41, i % 41);
			return;
		case 5:
			snprintf(name, room, "github.com/example/lib/codec.(*Decoder).decode%d", i % 331);
			return;
		case 6:
			snprintf(name, room, "encoding/json.(*decodeState).object%d", i % 1000);
			return;
		case 7:
			snprintf(name, room, "runtime.mallocgc%d", i % 3);
			return;
		case 8:
			snprintf(name, room, "com/example/shop%d/service/impl/AbstractOrderProcessing%dServiceImpl.processRequest%d", service,
					 i % (2 + level * level * 8), level);
			return;
		default:
			snprintf(name, room, "example::shop%d::detail::Pipeline<std::vector<example::Message>, example::Policy%d>::Run%d",
					 service, i % (2 + level * level * 4), level);
	}
}

static size_t
stack_path(char *path, size_t room, int service, int i)
{
	size_t		length = 0;

	for (int level = 1; level <= frames_of[service % 3]; level++)
	{
		if (level > 1)
			path[length++] = ';';
		frame_name(path + length, room - length, service, level, i);
		length += strlen(path + length);
	}
	return length;
}

static double
fraction(FgRandom *random)
{
	return (double) (fg_random_next(random) >> 11) * 0x1p-53;
}

static FgTree
piece_of(FgRandom *random, int service)
{
	FgBuilder  *builder = fg_builder_create(&ctx);
	char		path[4096];
	FgTree		tree;

	check(builder != NULL);
	for (int draw = 0; draw < SAMPLES; draw++)
	{
		size_t		length = stack_path(path, sizeof(path), service, (int) (STACKS * pow(fraction(random), 4)));

		check(fg_builder_add(builder, path, length, ';', false, 1));
	}
	check(fg_builder_finish(builder, &tree));
	fg_builder_free(builder);
	return tree;
}

/* Two pieces by night and three by day. */
static Encoded
profile_of(FgRandom *random, const FgTree *pieces, bool night)
{
	FgTree		sum;
	Encoded		encoded;

	check(fg_tree_copy(&ctx, &pieces[fg_random_below(random, PIECES)], &sum));
	for (int further = night ? 1 : 2; further > 0; further--)
	{
		FgTree		more;

		check(fg_combine(&ctx, &sum, 1, &pieces[fg_random_below(random, PIECES)], 1, &more));
		fg_tree_free(&ctx, &sum);
		sum = more;
	}
	check(fg_codec_encode(&ctx, &sum, 0, &encoded.bytes, &encoded.size));
	fg_tree_free(&ctx, &sum);
	return encoded;
}

static Encoded *
make_profiles(int service, int count)
{
	FgTree	   *pieces = room_for(PIECES, sizeof(FgTree));
	Encoded    *profiles = room_for((size_t) count, sizeof(Encoded));
	FgRandom	random;

	fg_random_seed(&random, (uint64_t) service);
	for (int i = 0; i < PIECES; i++)
		pieces[i] = piece_of(&random, service);
	for (int i = 0; i < count; i++)
	{
		int			hour = i / HOUR % 24;

		profiles[i] = profile_of(&random, pieces, hour < 8 || hour > 20);
	}
	for (int i = 0; i < PIECES; i++)
		fg_tree_free(&ctx, &pieces[i]);
	free(pieces);
	return profiles;
}

static void
free_profiles(Encoded *profiles, int count)
{
	for (int i = 0; i < count; i++)
		fg_release(&ctx, profiles[i].bytes);
	free(profiles);
}

/* --- series ------------------------------------------------------------------ */

static void
add_profile(FgFlameseriesBuilder *builder, const Encoded *profile, int number)
{
	char		pod[16];
	int			length = snprintf(pod, sizeof(pod), "pod-%d", number % PODS);

	check(fg_flameseries_add_encoded(builder, (int64_t) (number / PODS) * 60000000, pod, (size_t) length,
									 profile->bytes, profile->size));
}

static Encoded
finish(FgFlameseriesBuilder *builder)
{
	FgFlameseries series;
	Encoded		encoded;

	check(fg_flameseries_build(builder, &series));
	check(fg_flameseries_encode(&ctx, &series, 0, &encoded.bytes, &encoded.size));
	fg_flameseries_free(&ctx, &series);
	fg_flameseries_builder_free(builder);
	return encoded;
}

static Encoded
series_of(const Encoded *profiles, int from, int end)
{
	FgFlameseriesBuilder builder;

	check(fg_flameseries_builder_begin(&ctx, &builder));
	for (int i = from; i < end; i++)
		add_profile(&builder, &profiles[i], i);
	return finish(&builder);
}

static Encoded
merged(const Encoded *parts, int count)
{
	FgFlameseriesBuilder builder;

	check(fg_flameseries_builder_begin(&ctx, &builder));
	for (int i = 0; i < count; i++)
	{
		FgFlameseries series;

		check(fg_flameseries_decode(&ctx, parts[i].bytes, parts[i].size, &series));
		check(fg_flameseries_add_series(&builder, &series, &FG_FLAMESERIES_WHOLE));
		fg_flameseries_free(&ctx, &series);
	}
	return finish(&builder);
}

/* --- rows -------------------------------------------------------------------- */

/* Adding, sorting and encoding. */
static void
measure_making(int runs, int service, const char *row)
{
	Encoded    *profiles = make_profiles(service, SOME);

	for (int run = 0; run <= runs; run++)
	{
		double		start = now();
		Encoded		series = series_of(profiles, 0, SOME);

		if (run > 0)
			printf("%s\tours\t%d\t%d\t%.9f\n", row, SOME, SOME, now() - start);
		fg_release(&ctx, series.bytes);
	}
	free_profiles(profiles, SOME);
}

static uint32_t
values_of(Encoded series)
{
	FgFlameseriesHeader header;

	check(fg_flameseries_header(&ctx, series.bytes, series.size, &header));
	return header.values;
}

/* The whole but its last minute: no sum that is stored can answer that. */
static void
measure_sum(int runs, Encoded day, uint32_t last_minute)
{
	FgFlameseriesWindow window = FG_FLAMESERIES_WHOLE;

	window.until = (int64_t) (DAY / PODS - 1) * 60000000;
	for (int run = 0; run <= runs; run++)
	{
		double		start = now();
		FgTree		sum;

		check(fg_flameseries_sum(&ctx, day.bytes, day.size, &window, &sum));
		if (run > 0)
			printf("core_series_sum\tours\t%d\t%u\t%.9f\n", DAY, values_of(day) - last_minute, now() - start);
		fg_tree_free(&ctx, &sum);
	}
}

static void
measure_day(int runs)
{
	Encoded    *profiles = make_profiles(1, DAY);
	Encoded		last = series_of(profiles, DAY - PODS, DAY);
	Encoded		hours[24];
	Encoded		day;

	for (int h = 0; h < 24; h++)
		hours[h] = series_of(profiles, h * HOUR, (h + 1) * HOUR);
	day = series_of(profiles, 0, DAY);
	for (int run = 0; run <= runs; run++)
	{
		double		start = now();
		Encoded		whole = merged(hours, 24);

		if (run > 0)
			printf("core_series_merge\tours\t%d\t%d\t%.9f\n", DAY, DAY, now() - start);
		/* speed without the right answer is worth nothing */
		if (whole.size != day.size || memcmp(whole.bytes, day.bytes, day.size) != 0)
			fail("the hours of a day are not the day");
		fg_release(&ctx, whole.bytes);
	}
	measure_sum(runs, day, values_of(last));
	for (int h = 0; h < 24; h++)
		fg_release(&ctx, hours[h].bytes);
	fg_release(&ctx, last.bytes);
	fg_release(&ctx, day.bytes);
	free_profiles(profiles, DAY);
}

int
main(int argc, char **argv)
{
	FgArenas	arenas;
	int			runs;

	if (argc != 2)
		fail("usage: series_bench RUNS");
	runs = atoi(argv[1]);
	/* large arrays are kept and lie in large pages, as in a session (src/pg/base/blocks.h) */
	ctx = fg_arenas_context(&arenas, (size_t) 64 << 20);
	measure_making(runs, 1, "core_series_make");
	measure_making(runs, 2, "core_series_make_800");
	measure_making(runs, 3, "core_series_make_1200");
	measure_day(runs);
	return 0;
}
