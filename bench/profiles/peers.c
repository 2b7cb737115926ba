/*
 * peers.c
 *		What the core is compared with: gzip and gunzip of the folded text, and
 *		a merge of two sorted arrays of full stack strings.
 *
 *	peers RUNS SIZE FOLDED OTHER
 *
 * Prints one line a run: row, side, size, work, seconds (../README.md).  In one
 * process with the text in memory, so that no peer pays for starting a program
 * or reading a file.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

typedef struct
{
	const char *stack;
	size_t		len;
	double		value;
} Line;

typedef struct
{
	char	   *text;
	size_t		size;
	Line	   *line;
	size_t		n_lines;
} Profile;

_Noreturn static void
fail(const char *what)
{
	fprintf(stderr, "peers: %s\n", what);
	exit(1);
}

static void *
xmalloc(size_t size)
{
	void	   *result = malloc(size > 0 ? size : 1);

	if (result == NULL)
		fail("out of memory");
	return result;
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

static void
report(const char *row, const char *side, const char *size, double work, double seconds)
{
	printf("%s\t%s\t%s\t%.0f\t%.9f\n", row, side, size, work, seconds);
}

static int
compare_stacks(const Line *a, const Line *b)
{
	size_t		len = a->len < b->len ? a->len : b->len;
	int			result = memcmp(a->stack, b->stack, len);

	if (result != 0)
		return result;
	return a->len < b->len ? -1 : a->len > b->len;
}

static int
compare_lines(const void *a, const void *b)
{
	return compare_stacks(a, b);
}

static Profile
read_profile(const char *name)
{
	Profile		profile = {0};
	FILE	   *file = fopen(name, "rb");
	long		size;
	char	   *at;

	if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0)
		fail("could not read input");
	rewind(file);
	profile.size = (size_t) size;
	profile.text = xmalloc(profile.size + 1);
	if (fread(profile.text, 1, profile.size, file) != profile.size)
		fail("could not read input");
	fclose(file);
	profile.text[profile.size] = '\0';

	for (at = profile.text; (at = strchr(at, '\n')) != NULL; at++)
		profile.n_lines++;
	profile.line = xmalloc(profile.n_lines * sizeof(Line));
	at = profile.text;
	for (size_t i = 0; i < profile.n_lines; i++)
	{
		char	   *end = strchr(at, '\n');
		char	   *space = end;

		while (*space != ' ')
			space--;
		profile.line[i].stack = at;
		profile.line[i].len = (size_t) (space - at);
		profile.line[i].value = strtod(space, NULL);
		at = end + 1;
	}
	/* the file is sorted frame by frame, which is not quite bytewise */
	qsort(profile.line, profile.n_lines, sizeof(Line), compare_lines);
	return profile;
}

/*
 * The result owns its strings, as the result of the core's merge does; the one
 * thing that a naive merge cannot do without.
 */
static Profile
merge(const Profile *a, const Profile *b)
{
	Profile		result = {0};
	size_t		i = 0;
	size_t		j = 0;

	result.text = xmalloc(a->size + b->size);
	result.line = xmalloc((a->n_lines + b->n_lines) * sizeof(Line));
	while (i < a->n_lines || j < b->n_lines)
	{
		int			order = i == a->n_lines ? 1 : j == b->n_lines ? -1 :
			compare_stacks(&a->line[i], &b->line[j]);
		const Line *from = order <= 0 ? &a->line[i] : &b->line[j];
		Line	   *to = &result.line[result.n_lines++];

		to->stack = result.text + result.size;
		to->len = from->len;
		memcpy(result.text + result.size, from->stack, from->len);
		result.size += from->len;
		to->value = from->value;
		if (order == 0)
			to->value += b->line[j].value;
		if (order <= 0)
			i++;
		if (order >= 0)
			j++;
	}
	return result;
}

/* Into packed, which has "room" bytes; the size.  15 + 16: a gzip header, as the program writes it. */
static size_t
pack(const Profile *profile, unsigned char *packed, size_t room)
{
	z_stream	z = {0};

	if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		fail("deflate failed");
	z.next_in = (unsigned char *) profile->text;
	z.avail_in = (uInt) profile->size;
	z.next_out = packed;
	z.avail_out = (uInt) room;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		fail("deflate failed");
	deflateEnd(&z);
	return z.total_out;
}

static void
unpack(unsigned char *packed, size_t packed_size, unsigned char *unpacked, size_t size)
{
	z_stream	z = {0};

	if (inflateInit2(&z, 15 + 16) != Z_OK)
		fail("inflate failed");
	z.next_in = packed;
	z.avail_in = (uInt) packed_size;
	z.next_out = unpacked;
	z.avail_out = (uInt) size;
	if (inflate(&z, Z_FINISH) != Z_STREAM_END || z.total_out != size)
		fail("inflate failed");
	inflateEnd(&z);
}

/* In each of these run 0 warms up. */
static void
measure_gzip(const Profile *profile, int runs, const char *size)
{
	size_t		room = compressBound((uLong) profile->size) + 64;
	unsigned char *packed = xmalloc(room);
	unsigned char *unpacked = xmalloc(profile->size + 1);
	size_t		packed_size = 0;

	for (int run = 0; run <= runs; run++)
	{
		double		start = now();

		packed_size = pack(profile, packed, room);
		if (run > 0)
			report("encode", "gzip", size, atof(size), now() - start);
	}
	for (int run = 0; run <= runs; run++)
	{
		double		start = now();

		unpack(packed, packed_size, unpacked, profile->size);
		if (run > 0)
			report("decode", "gunzip", size, atof(size), now() - start);
	}
	free(packed);
	free(unpacked);
}

static void
measure_merge(const Profile *profile, const Profile *other, int runs, const char *size)
{
	for (int run = 0; run <= runs; run++)
	{
		double		start = now();
		Profile		sum = merge(profile, other);

		if (run > 0)
			report("merge", "strings", size, 2 * atof(size), now() - start);
		free(sum.text);
		free(sum.line);
	}
}

int
main(int argc, char **argv)
{
	Profile		profile;
	Profile		other;

	if (argc != 5)
		fail("usage: peers RUNS SIZE FOLDED OTHER");
	profile = read_profile(argv[3]);
	other = read_profile(argv[4]);
	measure_gzip(&profile, atoi(argv[1]), argv[2]);
	measure_merge(&profile, &other, atoi(argv[1]), argv[2]);
	return 0;
}
