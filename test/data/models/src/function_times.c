/*
 * function_times.c
 *		What the recordings of this folder are of: profiles of growing size are read,
 *		printed, encoded, subtracted and inverted by the project's own core.
 *
 *	function_times SYMBOLS EVERY MOST FOLDER OTHER ROWS PROFILE
 *
 * FOLDER and OTHER hold folded recordings 01.folded, 02.folded, ... of one program.
 * They stand for as many programs: the frames of recording n get the ending ".n".  An
 * input is the first lines of them all, one after the other, the last recording first
 * (so that lines are not sorted), and its size x the number of its distinct frames.
 */
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/profile/algebra.h"
#include "core/profile/codec.h"
#include "core/profile/folded.h"
#include "core/profile/transform.h"
#include "tracer.h"

#define RECORDINGS 24
#define INPUTS 400
#define LEAST_LINES 60

static FgContext ctx;

_Noreturn static void
fail(const char *what, const char *why)
{
	fprintf(stderr, "function_times: %s: %s\n", what, why);
	exit(1);
}

static void
must(bool ok)
{
	if (!ok)
		fail("core", ctx.error.reason);
}

/* --- inputs --------------------------------------------------------------------- */

typedef struct Lines
{
	FgBuffer	text;
	size_t		end[RECORDINGS * 1000];	/* behind each line */
	size_t		count;
} Lines;

/* A line of a recording, "a;b 5", becomes "a.07;b.07 5". */
static void
add_line(Lines *lines, const char *line, int recording)
{
	const char *value = strrchr(line, ' ');
	char		ending[8];
	size_t		size = (size_t) snprintf(ending, sizeof(ending), ".%02d", recording);

	for (const char *c = line; *c != '\0'; c++)
	{
		if (*c == ';' || c == value)
			must(fg_buffer_append(&lines->text, ending, size));
		must(fg_buffer_append(&lines->text, c, 1));
	}
	lines->end[lines->count++] = lines->text.size;
}

static void
read_lines(const char *folder, Lines *lines)
{
	static char line[65536];

	for (int recording = RECORDINGS; recording > 0; recording--)
	{
		char		name[1000];
		FILE	   *file;

		snprintf(name, sizeof(name), "%s/%02d.folded", folder, recording);
		file = fopen(name, "r");
		if (file == NULL)
			fail(name, "could not read");
		while (fgets(line, sizeof(line), file) != NULL)
			add_line(lines, line, recording);
		fclose(file);
	}
}

static void
parse(const Lines *lines, size_t count, FgTree *tree)
{
	FgFoldedOptions options = {FG_FOLDED_FOREIGN, false, true};
	FgFoldedReport report;

	must(fg_folded_parse(&ctx, (const char *) lines->text.data, lines->end[count - 1], options,
						 tree, &report));
}

/* --- the work ------------------------------------------------------------------- */

static void
read_again(const char *text, size_t size, FgTree *tree)
{
	FgFoldedOptions options = {FG_FOLDED_EXACT, false, true};
	FgFoldedReport report;

	must(fg_folded_parse(&ctx, text, size, options, tree, &report));
}

static void
print_and_read(const FgTree *tree)
{
	FgBuffer	text = {.ctx = &ctx};
	bool		complete;
	FgTree		copy;

	must(fg_folded_print(&text, tree, FG_FOLDED_EXACT, SIZE_MAX, &complete, NULL));
	read_again((const char *) text.data, text.size, &copy);
	fg_tree_free(&ctx, &copy);
	fg_release(&ctx, text.data);
}

static void
encode(const FgTree *tree)
{
	uint8_t    *bytes;
	size_t		size;

	must(fg_codec_encode(&ctx, tree, 0, &bytes, &size));
	fg_release(&ctx, bytes);
}

static void
subtract(const FgTree *tree, const FgTree *other)
{
	FgTree		difference;

	must(fg_combine(&ctx, tree, 1, other, -1, &difference));
	fg_tree_free(&ctx, &difference);
}

static void
invert(const FgTree *tree)
{
	FgTree		result;

	must(fg_invert(&ctx, tree, &result));
	fg_tree_free(&ctx, &result);
}

static uint32_t
work(const Lines *lines, size_t count, const FgTree *other)
{
	FgTree		tree;
	uint32_t	nframes;

	parse(lines, count, &tree);
	nframes = tree.frames.count;
	print_and_read(&tree);
	encode(&tree);
	subtract(&tree, other);
	invert(&tree);
	fg_tree_free(&ctx, &tree);
	return nframes;
}

/* --- inputs one after the other ------------------------------------------------- */

/* Sizes in an order without a period, the same in every recording. */
static size_t
next_size(size_t least, size_t most)
{
	static uint64_t state = 1;

	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return least + (state >> 33) % (most - least + 1);
}

static void
process(const Lines *lines, const Lines *other_lines, size_t count)
{
	FgTree		other;
	uint32_t	x;

	parse(other_lines, count, &other);
	x = work(lines, count, &other);	/* not recorded: fills the caches */
	tracer_start(x);
	work(lines, count, &other);
	tracer_stop();
	fg_tree_free(&ctx, &other);
}

static FILE *
output(const char *name)
{
	FILE	   *file = fopen(name, "w");

	if (file == NULL)
		fail(name, "could not write");
	return file;
}

int
main(int argc, char **argv)
{
	static Lines lines;
	static Lines other;
	FILE	   *rows;
	FILE	   *profile;

	if (argc != 8)
		fail("usage", "function_times SYMBOLS EVERY MOST FOLDER OTHER ROWS PROFILE");
	/* freed memory stays with the process: page faults are none of the program's work */
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	ctx = fg_malloc_context();
	lines.text.ctx = other.text.ctx = &ctx;
	read_lines(argv[4], &lines);
	read_lines(argv[5], &other);
	tracer_open(argv[1], (unsigned) atoi(argv[2]), (unsigned) atoi(argv[3]));
	for (int i = 0; i < INPUTS; i++)
		process(&lines, &other,
				next_size(LEAST_LINES, other.count < lines.count ? other.count : lines.count));
	rows = output(argv[6]);
	profile = output(argv[7]);
	tracer_print_rows(rows);
	tracer_print_profile(profile);
	return fclose(rows) != 0 || fclose(profile) != 0;
}
