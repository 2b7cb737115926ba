/*
 * reader_bench.c
 *		Times the readers of recordings without a server, and what they keep in memory.
 *
 *	reader_bench RUNS FORMAT ROW SAMPLES FILE
 *	reader_bench --memory FORMAT ROW SAMPLES FILE
 *
 * The file is read into memory and fed in blocks of 64 kB; one run warms up, and its memory
 * stays for the next ones: new pages are the system's work, and their price is that of the
 * (virtual) machine.  Large arrays are from arenas, as in a session.  Seconds are the processor's: a reader never waits.  With --memory the file is read block by
 * block, and the largest size of the process is told, less what the trees of the result take when they are decoded.
 * Prints lines of row, side, size, work, seconds (README.md): two a run, one of the
 * bytes and one of the samples.
 */
#include <limits.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "core/base/arenas.h"
#include "core/formats/recording.h"

#define BLOCK 65536

/* As much as a session keeps (src/pg/base/blocks.h). */
#define ARENAS ((size_t) 32 << 20)

_Noreturn static void
fail(const char *what, const char *why)
{
	fprintf(stderr, "reader_bench: %s: %s\n", what, why);
	exit(1);
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

static FgFormat
format_of(const char *name)
{
	for (int i = 0; i < FG_FORMAT_COUNT; i++)
	{
		if (strcmp(fg_format_names[i], name) == 0)
			return (FgFormat) i;
	}
	fail(name, "no such format");
}

/* The next block, of the text or else of the file; 0: there is none. */
static size_t
next_block(const char **text, size_t *left, FILE *file, const char **block)
{
	static char buffer[BLOCK];
	size_t		size = *left < BLOCK ? *left : BLOCK;

	if (*text == NULL)
	{
		*block = buffer;
		return fread(buffer, 1, BLOCK, file);
	}
	*block = *text;
	*text += size;
	*left -= size;
	return size;
}

/* What trees take when they are decoded. */
static double
tree_bytes(const FgTree *tree)
{
	const FgFrames *frames = &tree->frames;

	if (tree->key == NULL)
		return 0;
	return ((double) tree->nnodes + 1) * (sizeof(tree->key[0]) + sizeof(tree->self[0])) +
		(frames->count > 0 ? (double) frames->offset[frames->count] + frames->count * sizeof(frames->offset[0]) : 0);
}

static double
recording_bytes(const FgRecording *recording)
{
	double		bytes = 0;

	for (size_t i = 0; i < recording->count; i++)
	{
		const FgRecorded *profile = &recording->profiles[i];

		bytes += tree_bytes(&profile->complete) + tree_bytes(&profile->truncated) + tree_bytes(&profile->samples) +
			tree_bytes(&profile->noise);
	}
	return bytes;
}

/* Returns what the trees take. */
static double
read_once(FgContext ctx, FgFormat format, const char *text, size_t size, FILE *file)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;
	FgRecordingReader *reader;
	const char *block;
	size_t		bytes;
	double		result;

	options.format = format;
	options.every = true;
	reader = fg_recording_open(&ctx, &options);
	if (reader == NULL)
		fail("core", ctx.error.reason);
	while ((bytes = next_block(&text, &size, file, &block)) > 0)
	{
		if (!fg_recording_feed(reader, block, bytes))
			fail("core", ctx.error.reason);
	}
	if (!fg_recording_finish(reader, &recording))
		fail("core", ctx.error.reason);
	result = recording_bytes(&recording);
	fg_recording_close(reader);
	fg_recording_free(&ctx, &recording);
	return result;
}

static char *
read_file(const char *name, size_t *size)
{
	FILE	   *file = fopen(name, "rb");
	long		end;
	char	   *text;

	if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (end = ftell(file)) < 0)
		fail(name, "could not read");
	rewind(file);
	text = malloc((size_t) end + 1);
	if (text == NULL || fread(text, 1, (size_t) end, file) != (size_t) end)
		fail(name, "could not read");
	fclose(file);
	*size = (size_t) end;
	return text;
}

static void
measure_memory(const char *format, const char *row, const char *samples, const char *name)
{
	FILE	   *file = fopen(name, "rb");
	struct rusage usage;
	double		trees;

	if (file == NULL)
		fail(name, "could not read");
	trees = read_once(fg_malloc_context(), format_of(format), NULL, 0, file);
	fclose(file);
	getrusage(RUSAGE_SELF, &usage);
	printf("format_memory_%s\tours\t%s\t%.0f\t0\n", row, samples, (double) usage.ru_maxrss * 1024 - trees);
}

int
main(int argc, char **argv)
{
	FgArenas	arenas;
	FgContext	ctx = fg_arenas_context(&arenas, ARENAS);
	size_t		size;
	char	   *text;
	int			runs;

	if (argc != 6)
		fail("usage", "reader_bench RUNS|--memory FORMAT ROW SAMPLES FILE");
	if (strcmp(argv[1], "--memory") == 0)
	{
		measure_memory(argv[2], argv[3], argv[4], argv[5]);
		return 0;
	}
	runs = atoi(argv[1]);
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	mallopt(M_TOP_PAD, 64 << 20);
	text = read_file(argv[5], &size);
	for (int run = 0; run <= runs; run++)
	{
		double		start = now();
		double		seconds;

		read_once(ctx, format_of(argv[2]), text, size, NULL);
		seconds = now() - start;
		if (run == 0)
			continue;
		printf("format_%s\tours\t%s\t%zu\t%.9f\n", argv[3], argv[4], size, seconds);
		printf("format_rate_%s\tours\t%s\t%s\t%.9f\n", argv[3], argv[4], argv[4], seconds);
	}
	free(text);
	return 0;
}
