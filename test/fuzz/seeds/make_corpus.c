/*
 * make_corpus.c
 *	  Writes the seeds of the fuzzers: make_corpus DIRECTORY.
 *
 * Build and run by hand when the format or an input's meaning changes:
 *
 *	cc -std=gnu11 -Isrc -o tmp/make_corpus test/fuzz/seeds/make_corpus.c $(find src/core -name '*.c') \
 *		-lm -lz
 *	tmp/make_corpus test/fuzz/corpus
 */
#include "core/models/model.h"
#include "core/profile/codec.h"
#include "core/profile/folded.h"
#include "core/series/flameseries_build.h"
#include "core/series/flameseries_codec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static const char *directory;

static void
write_seed(const char *target, const char *name, const void *bytes, size_t size)
{
	char		path[4096];
	FILE	   *file;

	snprintf(path, sizeof(path), "%s/%s", directory, target);
	mkdir(path, 0777);
	snprintf(path, sizeof(path), "%s/%s/%s", directory, target, name);
	file = fopen(path, "wb");
	if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
	{
		perror(path);
		exit(1);
	}
}

/* Text of the exact dialect that the encoder also gets a seed from. */
static const char *const profiles[][2] = {
	{"empty", ""},
	{"one", "main 1"},
	{"root", " 5\na 2\na;b 1"},
	{"counts", "main;parse;read 120\nmain;parse;lex 340\nmain;render 15\nmain 2\nmain;parse 7"},
	{"unit", "a;b 3000000\na;c 6000000\nb -9000000"},
	{"decimals", "a 0.25\nb;a 1.5\nb;c -0.001"},
	{"doubles", "a 1e300\nb 0.1\nc 5e-324\nd -1.7976931348623157e308"},
	{"recursion", "a 1\na;a 2\na;a;a 3\na;b;a 4\na;b;a;b 5"},
	{"escapes", "\\# x;y 1\n\\\\# z 2\nC:\\\\;x 3\nC:\\dir\\f.py;App\\Http 4\n\\\\\\;q 5\na\\;b;c 6"},
	{"order", "a b 1\na;c 2\na 3\na!;b 4\na;b;c 5\nA;b 7"},
	{"unicode", "\xC3\xA9 1\nz 1\ne\xCC\x81 1\n\xF0\x9F\x94\xA5;\xE6\x97\xA5 2"},
	{"shared", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 1\n"
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab;x 2\naaaaaaaab 3"},
	{"comments", "# c\r\n#\n\n \t\n#include 7\n#\tx 1\nP;#0 main 5  \n"},
	{"cancel", "a;b 1\na;c 2\na;b -1\nd 0\n"},
	{"numbers", "a +3\nb .5\nc 6.\nd 1E2\ne 12345678901234567890\nf -1e-3"}
};

static const char *const bad_texts[][2] = {
	{"no_value", "a;b"},
	{"empty_frame", "a;;b 1"},
	{"overflow", "a 1e308\nb 1\na 1e308"},
	{"underflow", "a 1e-400"},
	{"nan", "a 1\nb nan"},
	{"latin1", "a;b 1\na\xC3; 2"},
	{"utf16", "\xFF\xFE" "a;"},
	{"bom", "\xEF\xBB\xBF" "a;b 1\n"},
	{"controls", "a\x01;b\x1B[0m;;c 1\n;x 2"}
};

static const char *const paths[] = {
	"", "a", "a;b;c", "C:\\\\;x", "C:\\dir\\f.py;App\\Http", "\\\\\\;q", "a\\;b", ";", "a;", ";a",
	"\xF0\x9F\x94\xA5;\xC3\xA9", "a\\", "\\\\", "a\nb"
};

static const char *const numbers[] = {
	"0", "-0", "1", "+3", ".5", "6.", "1e3", "-1E-3", "123456789012345678", "9007199254740993",
	"1.7976931348623157e308", "4.9406564584124654e-324", "1e400", "1e-400", "nan", "1e", ".", "0x10"
};

/* Eight bytes that are interesting doubles. */
static const double doubles[] = {
	0.1, 1e300, 5e-324, 0x1p-1022, 0x1p1000, 123456789012345.5, 1234567890123456.5, 1e18, -1e-5
};

/*
 * See fuzz_algebra.c: degree and factor; then for each of two profiles how many
 * stacks, and for each stack how many frames are kept, new frames up to one with
 * the high bit, value.
 */
#define BYTES(literal) {literal, sizeof(literal) - 1}

static const struct
{
	const char *bytes;
	size_t		size;
}			algebra[] = {
	BYTES("\x02\x7A" "\x03" "\x00\x80\x7D" "\x00\x00\x81\x7E" "\x01\x02\x83\x79"
	"\x02" "\x00\x80\x7D" "\x00\x84\x70"),
	BYTES("\x46\xF3" "\x05" "\x00\x05\x06\x8B\xF4" "\x01\x8C\xF5" "\x02\x8D\x90"
	"\x00\x8E\x91" "\x04\x8F\x92" "\x01" "\x00\x80\x93"),
	BYTES("\x00\x78" "\x02" "\x00\x80\xF8" "\x00\x80\xF9" "\x01" "\x00\x80\xFA"),
	/* a recursion that is deeper than the degree, and the empty stack */
	BYTES("\x41\x79" "\x02" "\x00"
	"\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
	"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\x81"
	"\x90" "\x40\x81\x80" "\x01" "\x00\x81\x70")
};

/*
 * See fuzz_tree.c: eight parameters; then for each of two profiles how many
 * stacks, and for each stack how many frames are kept (the high bit: no new ones),
 * new frames up to one with the high bit, value.
 */
static const struct
{
	const char *bytes;
	size_t		size;
}			tree[] = {
	/* partial stacks in rounds: "a;b;c 1", then "c;d 2", "d;main 3", "f;m 4" */
	BYTES("\x02\x06\xFF\x00\x01\x01\x0C\x00" "\x01" "\x00\x00\x01\x82\x00"
	"\x03" "\x00\x02\x83\x01" "\x00\x03\x8E\x02" "\x00\x0F\x84\x03"),
	/* recursion and a threshold */
	BYTES("\x03\x10\x04\x02\x00\x00\x01\x10" "\x03" "\x00\x00\x00\x00\x80\x05"
	"\x02\x01\x00\x81\x06" "\x01\x01\x80\x07" "\x02" "\x00\x00\x00\x82\x08" "\x00\x00\x80\x09"),
	/* lines */
	BYTES("\x01\x01\xFF\x80\x04\x04\x70\x00" "\x04" "\x00\x05\x08\x86\x01" "\x01\x89\x02"
	"\x00\x06\x0A\x8B\x03" "\x00\x04\x8C\x04" "\x01" "\x00\x07\x8D\x05"),
	/* signed values that cancel, and fractions */
	BYTES("\x05\x20\x03\x40\x02\x02\x03\x02" "\x04" "\x00\x00\x81\xDC" "\x01\x82\xD4" "\x80\xE0"
	"\x00\x03\x81\xF0" "\x02" "\x00\x00\x81\xF6" "\x00\x83\xF7")
};

/* Models; each seed has two, the first one's size in front of them. */
static double ascending[] = {1, 2, 2, 4, 8};
static double measured[] = {3, 5, 4, 9, 17};
static double fitted[] = {NAN, 4, 5, 9, NAN};
static double counted[] = {1, 0, 2, 1};
static double stepped[] = {3, NAN, 4.5, 9};
static double line[] = {1, 2};
static double parabola[] = {1, 2, 0.5};

#define MODEL(word, places, ...) \
	{.kind = word, .n = places, .x_start = 1, .x_end = 8, .r_square = 0.75, .r_square_y = NAN, \
	 .y_start = NAN, .parameters = "{}", .parameters_size = 2, .rows = places, \
	 .column = {__VA_ARGS__}}

static const FgModel models[] = {
	MODEL(FG_LINEAR, 2, line),
	MODEL(FG_QUADRATIC, 3, parabola),
	MODEL(FG_LOGARITHMIC, 2, line),
	MODEL(FG_POWER, 2, line),
	MODEL(FG_EXPONENTIAL, 2, line),
	MODEL(FG_CONSTANT, 1, line),
	MODEL(FG_MODEL_REGRESSOGRAM, 4, ascending, counted, stepped),
	MODEL(FG_MODEL_MOVING_AVERAGE, 5, ascending, measured, fitted),
	MODEL(FG_MODEL_KERNEL_REGRESSION, 5, ascending, measured, measured),
	MODEL(FG_MODEL_SAMPLE, 5, ascending, measured)
};

/*
 * See fuzz_model.c: points, x and y of each; then the bytes that choose the fits.
 */
static const struct
{
	const char *bytes;
	size_t		size;
}			series[] = {
	/* a line, everything by its defaults */
	BYTES("\x01\x06" "\x01\x02" "\x02\x04" "\x03\x06" "\x04\x08" "\x05\x0A" "\x06\x0D"
	"\x3F\x02" "\x01" "\x00" "\x20\x03" "\x06\x00"),
	/* ties, medians, a search for the bandwidth of local lines */
	BYTES("\x01\x0A" "\x01\x10" "\x01\x12" "\x02\x0F" "\x02\x0F" "\x03\x20" "\x05\x21" "\x08\x22"
	"\x08\x50" "\x09\x51" "\x0A\x52" "\x3F\x03" "\xC4\x05" "\x21\x04" "\x01" "\x10\x01"),
	/* large and small numbers */
	BYTES("\x01\x08" "\xF0\xF1" "\xF2\xF3" "\xF4\xF5" "\xF6\xF7" "\xF8\xF9" "\xFA\xFB" "\xFC\xFD"
	"\xFE\xFF" "\x3F\x02" "\x83" "\x60\x01\x05" "\x02\xA0\x01" "\x0B\xC5\x05\x06\x07"),
	/* weighted and exponential averages, a polynomial with a kernel that has negative weights */
	BYTES("\x01\x09" "\x01\x05" "\x02\x03" "\x03\x08" "\x04\x02" "\x05\x09" "\x06\x01" "\x07\x0A"
	"\x08\x00" "\x09\x0B" "\x3F\x01" "\x02" "\x28\x04\x03" "\x12\x88" "\x08\x44")
};

static void
write_model_seed(const char *name, const FgModel *first, const FgModel *second)
{
	const FgModel *both[] = {first, second};
	FgContext	ctx = fg_malloc_context();
	uint8_t		bytes[1024] = {0};
	size_t		end = 3;

	for (int i = 0; i < 2; i++)
	{
		size_t		size;

		if (!fg_model_check(&ctx, both[i]) || !fg_model_size(&ctx, both[i], &size))
		{
			fprintf(stderr, "%s: %s\n", name, ctx.error.reason);
			exit(1);
		}
		if (i == 0)
			fg_store_le(bytes + 1, size, 2);
		(void) fg_model_encode(&ctx, both[i], bytes + end);
		end += size;
	}
	write_seed("model", name, bytes, end);
}

static void
write_folded_seed(const char *name, const char *text, char flags)
{
	size_t		length = strlen(text);
	char	   *input = malloc(length + 1);

	input[0] = flags;
	memcpy(input + 1, text, length);
	write_seed("folded", name, input, length + 1);
	free(input);
}

static void
write_codec_seed(const char *name, const char *text)
{
	FgContext	ctx = fg_malloc_context();
	FgFoldedOptions options = {.dialect = FG_FOLDED_EXACT};
	FgFoldedReport report;
	FgTree		tree;
	uint8_t    *bytes;
	size_t		size;

	if (!fg_folded_parse(&ctx, text, strlen(text), options, &tree, &report) ||
		!fg_codec_encode(&ctx, &tree, 0, &bytes, &size))
	{
		fprintf(stderr, "%s: %s\n", name, ctx.error.reason);
		exit(1);
	}
	write_seed("codec", name, bytes, size);
	fg_release(&ctx, bytes);
	fg_tree_free(&ctx, &tree);
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A profile again and again, from two instances and from none, and once the one before it. */
static void
write_series_seed(const char *name, const char *text, uint32_t count)
{
	static const char *const instances[] = {"", "pod-a", "pod-b"};
	FgContext	ctx = fg_malloc_context();
	FgFoldedOptions options = {.dialect = FG_FOLDED_EXACT};
	FgFoldedReport report;
	FgFlameseriesBuilder builder;
	FgFlameseries series;
	uint8_t    *bytes;
	size_t		size;
	FgTree		tree;
	bool		ok;

	ok = fg_folded_parse(&ctx, text, strlen(text), options, &tree, &report) &&
		fg_flameseries_builder_begin(&ctx, &builder);
	for (uint32_t p = 0; ok && p < count; p++)
		ok = fg_flameseries_add(&builder, (int64_t) p / 2 * 60000000, instances[p % 3],
								strlen(instances[p % 3]), &tree);
	if (!ok || !fg_flameseries_build(&builder, &series) ||
		!fg_flameseries_encode(&ctx, &series, 0, &bytes, &size))
	{
		fprintf(stderr, "%s: %s\n", name, ctx.error.reason);
		exit(1);
	}
	write_seed("flameseries", name, bytes, size);
	fg_release(&ctx, bytes);
	fg_flameseries_free(&ctx, &series);
	fg_flameseries_builder_free(&builder);
	fg_tree_free(&ctx, &tree);
}

int
main(int argc, char **argv)
{
	char		name[64];

	if (argc != 2)
	{
		fprintf(stderr, "usage: make_corpus DIRECTORY\n");
		return 1;
	}
	directory = argv[1];
	for (size_t i = 0; i < COUNT(profiles); i++)
	{
		write_folded_seed(profiles[i][0], profiles[i][1], 0);
		write_codec_seed(profiles[i][0], profiles[i][1]);
		write_series_seed(profiles[i][0], profiles[i][1], i % 4 == 0 ? 300 : (uint32_t) i);
	}
	for (size_t i = 0; i < COUNT(bad_texts); i++)
		write_folded_seed(bad_texts[i][0], bad_texts[i][1], (char) (i % 8));
	for (size_t i = 0; i < COUNT(paths); i++)
	{
		snprintf(name, sizeof(name), "%02zu", i);
		write_seed("path", name, paths[i], strlen(paths[i]));
	}
	for (size_t i = 0; i < COUNT(numbers); i++)
	{
		snprintf(name, sizeof(name), "text%02zu", i);
		write_seed("number", name, numbers[i], strlen(numbers[i]));
	}
	for (size_t i = 0; i < COUNT(doubles); i++)
	{
		uint8_t		bytes[8];

		fg_store_le(bytes, fg_double_bits(doubles[i]), 8);
		snprintf(name, sizeof(name), "double%02zu", i);
		write_seed("number", name, bytes, 8);
	}
	for (size_t i = 0; i < COUNT(algebra); i++)
	{
		snprintf(name, sizeof(name), "%02zu", i);
		write_seed("algebra", name, algebra[i].bytes, algebra[i].size);
	}
	for (size_t i = 0; i < COUNT(tree); i++)
	{
		snprintf(name, sizeof(name), "%02zu", i);
		write_seed("tree", name, tree[i].bytes, tree[i].size);
	}
	for (size_t i = 0; i < COUNT(models); i++)
		write_model_seed(fg_model_word(models[i].kind), &models[i],
						 &models[(i + 1) % COUNT(models)]);
	for (size_t i = 0; i < COUNT(series); i++)
	{
		snprintf(name, sizeof(name), "series%zu", i);
		write_seed("model", name, series[i].bytes, series[i].size);
	}
	return 0;
}
