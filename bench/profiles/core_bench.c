/*
 * core_bench.c
 *		Times the core without a server: parse, encode, decode, merge, distance,
 *		and the sum of many recordings.
 *
 *	core_bench RUNS NODES SORTED SHUFFLED OTHER
 *	core_bench --sum RUNS NODES RECORDINGS
 *
 * The three files are folded text: a recording in both orders, and another
 * recording of the same program.  RECORDINGS has a recording a line, as COPY
 * wants them: number, tab, folded text with its newlines escaped.  Prints one line a run: row, side, size, work,
 * seconds (README.md).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/arenas.h"
#include "core/profile/algebra.h"
#include "core/profile/codec.h"
#include "core/profile/folded.h"
#include "core/profile/tree.h"
#include "core/samples/accumulator.h"

typedef struct
{
	FgContext	ctx;
	char	   *text[3];
	size_t		length[3];
	FgTree		tree;
	FgTree		other;
	uint8_t    *bytes;			/* tree, encoded */
	size_t		size;
	double		result;
} Bench;

enum
{
	SORTED, SHUFFLED, OTHER
};

/* Large arrays are kept and lie in large pages, as in a session (src/pg/base/blocks.h); all trees of a sum have room. */
#define ARENAS ((size_t) 1 << 30)

static FgArenas arenas;

_Noreturn static void
fail(const char *what, const char *why)
{
	fprintf(stderr, "core_bench: %s: %s\n", what, why);
	exit(1);
}

static void
check(Bench *bench, bool ok)
{
	if (!ok)
		fail("core", bench->ctx.error.reason);
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

static char *
read_file(const char *name, size_t *length)
{
	FILE	   *file = fopen(name, "rb");
	long		size;
	char	   *text;

	if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0)
		fail(name, "could not read");
	rewind(file);
	text = malloc((size_t) size + 1);
	if (text == NULL || fread(text, 1, (size_t) size, file) != (size_t) size)
		fail(name, "could not read");
	fclose(file);
	*length = (size_t) size;
	return text;
}

/* As flamegraph_from_folded does: text from the server is known to be UTF-8. */
static void
parse(Bench *bench, int which, FgTree *tree)
{
	FgFoldedOptions options = {.dialect = FG_FOLDED_FOREIGN};
	FgFoldedReport report = {0};

	check(bench, fg_folded_parse(&bench->ctx, bench->text[which], bench->length[which],
								 options, tree, &report));
}

static void
do_parse_sorted(Bench *bench)
{
	FgTree		tree;

	parse(bench, SORTED, &tree);
	fg_tree_free(&bench->ctx, &tree);
}

static void
do_parse_shuffled(Bench *bench)
{
	FgTree		tree;

	parse(bench, SHUFFLED, &tree);
	fg_tree_free(&bench->ctx, &tree);
}

static void
do_encode(Bench *bench)
{
	uint8_t    *bytes;
	size_t		size;

	check(bench, fg_codec_encode(&bench->ctx, &bench->tree, 0, &bytes, &size));
	fg_release(&bench->ctx, bytes);
}

static void
do_decode(Bench *bench)
{
	FgTree		tree;

	check(bench, fg_codec_decode(&bench->ctx, bench->bytes, bench->size, &tree));
	fg_tree_free(&bench->ctx, &tree);
}

static void
do_merge(Bench *bench)
{
	FgTree		sum;

	check(bench, fg_combine(&bench->ctx, &bench->tree, 1, &bench->other, 1, &sum));
	fg_tree_free(&bench->ctx, &sum);
}

static void
do_distance(Bench *bench)
{
	check(bench, fg_distance(&bench->ctx, &bench->tree, &bench->other, 1, &bench->result));
}

/* Small profiles several times a run, so that the clock and a stray interrupt matter little. */
static void
measure(Bench *bench, void (*work) (Bench *), int runs, const char *nodes, const char *row,
		double amount)
{
	long		n = atol(nodes);
	int			repeats = n < 200000 ? (int) (200000 / n) : 1;

	/* run 0 warms up */
	for (int run = 0; run <= runs; run++)
	{
		double		start = now();

		for (int i = 0; i < repeats; i++)
			work(bench);
		if (run > 0)
			printf("%s\tours\t%s\t%.0f\t%.9f\n", row, nodes, amount, (now() - start) / repeats);
	}
}

/* --- the sum of many ------------------------------------------------------ */

typedef struct
{
	uint8_t    *bytes;
	size_t		size;
} Encoded;

/* Undoes COPY's escapes in place; only newline and backslash occur. */
static size_t
unescape(char *text, size_t length)
{
	size_t		n = 0;

	for (size_t i = 0; i < length; i++)
	{
		if (text[i] == '\\' && i + 1 < length)
			text[n++] = text[++i] == 'n' ? '\n' : text[i];
		else
			text[n++] = text[i];
	}
	return n;
}

static Encoded *
read_recordings(Bench *bench, const char *name, size_t *count)
{
	FILE	   *file = fopen(name, "rb");
	Encoded    *recordings = NULL;
	char	   *line = NULL;
	size_t		capacity = 0;
	ssize_t		length;

	if (file == NULL)
		fail(name, "could not read");
	*count = 0;
	while ((length = getline(&line, &capacity, file)) > 0)
	{
		char	   *text = strchr(line, '\t') + 1;
		FgTree		tree;

		bench->text[SORTED] = text;
		bench->length[SORTED] = unescape(text, (size_t) (line + length - 1 - text));
		parse(bench, SORTED, &tree);
		recordings = realloc(recordings, (*count + 1) * sizeof(Encoded));
		if (recordings == NULL)
			fail(name, "out of memory");
		check(bench, fg_codec_encode(&bench->ctx, &tree, 0, &recordings[*count].bytes,
									 &recordings[*count].size));
		fg_tree_free(&bench->ctx, &tree);
		(*count)++;
	}
	free(line);
	fclose(file);
	return recordings;
}

/*
 * Two rows.  "core_sum": adding one encoded recording after the other, as the aggregate does,
 * until the sum is one tree.  "core_accumulate": the same with all recordings decoded
 * before the clock starts; releasing each, when it has been added, is timed.
 */
static int
sum_main(int runs, const char *nodes, const char *name)
{
	Bench		bench = {.ctx = fg_arenas_context(&arenas, ARENAS)};
	size_t		count;
	Encoded    *recordings = read_recordings(&bench, name, &count);
	FgTree	   *trees = calloc(count, sizeof(FgTree));
	double		amount = atof(nodes) * (double) count;

	if (trees == NULL)
		fail(name, "out of memory");
	for (int run = 0; run <= runs; run++)
	{
		for (int decoded = 0; decoded <= 1; decoded++)
		{
			FgAccumulator accumulator;
			const FgTree *total;
			double		start;
			double		seconds;

			for (size_t i = 0; decoded && i < count; i++)
				check(&bench, fg_codec_decode(&bench.ctx, recordings[i].bytes, recordings[i].size,
											  &trees[i]));
			start = now();
			fg_accumulator_init(&bench.ctx, &accumulator, FG_ACCUMULATE_SUM);
			for (size_t i = 0; i < count; i++)
				check(&bench, decoded ? fg_accumulator_add(&accumulator, &trees[i])
					  : fg_accumulator_add_encoded(&accumulator, recordings[i].bytes,
												   recordings[i].size));
			total = fg_accumulator_total(&accumulator);
			seconds = now() - start;
			check(&bench, total != NULL);
			if (total->nnodes < (uint32_t) atol(nodes))
				fail("core", "the sum has too few nodes");
			if (run > 0)
				printf("%s\tours\t%s\t%.0f\t%.9f\n", decoded ? "core_accumulate" : "core_sum",
					   nodes, amount, seconds);
			fg_accumulator_free(&accumulator);
		}
	}
	for (size_t i = 0; i < count; i++)
		fg_release(&bench.ctx, recordings[i].bytes);
	free(recordings);
	free(trees);
	return 0;
}

int
main(int argc, char **argv)
{
	Bench		bench = {.ctx = fg_arenas_context(&arenas, ARENAS)};
	FgTree		shuffled;
	double		nodes;
	int			runs;

	if (argc == 5 && strcmp(argv[1], "--sum") == 0)
		return sum_main(atoi(argv[2]), argv[3], argv[4]);
	if (argc != 6)
		fail("usage", "core_bench RUNS NODES SORTED SHUFFLED OTHER | --sum RUNS NODES RECORDINGS");
	runs = atoi(argv[1]);
	nodes = atof(argv[2]);
	for (int i = 0; i < 3; i++)
		bench.text[i] = read_file(argv[3 + i], &bench.length[i]);
	parse(&bench, SORTED, &bench.tree);
	parse(&bench, OTHER, &bench.other);
	check(&bench, fg_codec_encode(&bench.ctx, &bench.tree, 0, &bench.bytes, &bench.size));

	/* speed without the right answer is worth nothing */
	parse(&bench, SHUFFLED, &shuffled);
	check(&bench, fg_distance(&bench.ctx, &bench.tree, &shuffled, 1, &bench.result));
	if (bench.result != 0 || bench.tree.nnodes != (uint32_t) nodes || shuffled.nnodes != bench.tree.nnodes)
		fail("core", "sorted and shuffled text give different profiles");
	fg_tree_free(&bench.ctx, &shuffled);

	measure(&bench, do_parse_sorted, runs, argv[2], "core_parse_sorted", (double) bench.length[SORTED]);
	measure(&bench, do_parse_shuffled, runs, argv[2], "core_parse_shuffled", (double) bench.length[SHUFFLED]);
	measure(&bench, do_encode, runs, argv[2], "encode", nodes);
	measure(&bench, do_decode, runs, argv[2], "decode", nodes);
	measure(&bench, do_merge, runs, argv[2], "merge", 2 * nodes);
	measure(&bench, do_distance, runs, argv[2], "core_distance", 2 * nodes);
	printf("size\tencoded\t%s\t%zu\t0\n", argv[2], bench.size);

	for (int i = 0; i < 3; i++)
		free(bench.text[i]);
	fg_tree_free(&bench.ctx, &bench.tree);
	fg_tree_free(&bench.ctx, &bench.other);
	fg_release(&bench.ctx, bench.bytes);
	return 0;
}
