/*
 * generate.c
 *		Seeded generator of realistic profiles for the benchmark suite.
 *
 * A "program" is a random call graph with some thousands of frames.  A profile
 * is what a sampling profiler would see of it: stacks drawn by walking the
 * graph from a root, with counts.  Everything follows from two numbers: --seed
 * makes the program (call graph, names, which stacks are common), and
 * --profile-seed makes one recording of it (counts, and which of the rare
 * stacks were caught this time).  ../README.md describes the model.
 *
 * Only integer arithmetic decides anything, and the random numbers are the
 * core's xoshiro256**, so the same arguments give the same bytes on every machine:
 * figures from two machines can be compared.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "writers.h"

static const char usage[] =
"usage: generate [--nodes N] [--seed S] [--profile-seed P] [--profiles K]\n"
"                [--order sorted|shuffled] [--format folded|pprof|rows|copy]\n"
"                [--frames F] [--fresh PER_MILLE] [--facts] [--output FILE]\n"
"\n"
"  --nodes N          distinct tree nodes, 1000 .. 1000000 (60000)\n"
"  --seed S           the program (1)\n"
"  --profile-seed P   the recording of it (1)\n"
"  --profiles K       write the K recordings P, P+1, ... (1; not for pprof)\n"
"  --order O          canonical order, or random (sorted)\n"
"  --format F         folded text, uncompressed pprof, or text for COPY: rows is\n"
"                     (profile, stack, value), copy is (profile, folded text)\n"
"  --frames F         size of the call graph (10000)\n"
"  --fresh PER_MILLE  nodes seen in this recording only (10)\n"
"  --facts            print what was made to stderr\n";

static uint64_t
parse_number(const char *option, const char *text, uint64_t least, uint64_t most)
{
	char	   *end;
	uint64_t	value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || text[0] == '-' ||
		value < least || value > most)
		fail("%s takes a number from %" PRIu64 " to %" PRIu64, option, least, most);
	return value;
}

typedef struct
{
	uint64_t	nodes;
	uint64_t	seed;
	uint64_t	profile_seed;
	uint64_t	n_profiles;
	uint64_t	n_frames;
	uint64_t	fresh;
	bool		sorted;
	bool		facts;
	Format		format;
	FILE	   *output;
} Options;

/* The options that take a number; "offset" is where it goes in Options. */
static const struct
{
	const char *name;
	size_t		offset;
	uint64_t	least;
	uint64_t	most;
}			numbers[] = {
	{"--nodes", offsetof(Options, nodes), 1000, 1000000},
	{"--seed", offsetof(Options, seed), 0, UINT64_MAX},
	{"--profile-seed", offsetof(Options, profile_seed), 0, UINT64_MAX},
	{"--profiles", offsetof(Options, n_profiles), 1, 1000000},
	{"--frames", offsetof(Options, n_frames), 500, 20000},
	{"--fresh", offsetof(Options, fresh), 0, 200},
};

static const char *const formats[] = {
	[FORMAT_FOLDED] = "folded", [FORMAT_PPROF] = "pprof", [FORMAT_ROWS] = "rows", [FORMAT_COPY] = "copy"
};

/* False if there is no such option, or not with such a word. */
static bool
take_word(Options *options, const char *option, const char *value)
{
	if (strcmp(option, "--order") == 0)
	{
		options->sorted = strcmp(value, "sorted") == 0;
		return options->sorted || strcmp(value, "shuffled") == 0;
	}
	if (strcmp(option, "--format") == 0)
	{
		for (uint32_t i = 0; i < LENGTH(formats); i++)
		{
			if (strcmp(value, formats[i]) == 0)
			{
				options->format = (Format) i;
				return true;
			}
		}
	}
	return false;
}

static void
take_option(Options *options, const char *option, const char *value)
{
	for (uint32_t i = 0; i < LENGTH(numbers); i++)
	{
		if (strcmp(option, numbers[i].name) == 0)
		{
			*(uint64_t *) ((char *) options + numbers[i].offset) =
				parse_number(option, value, numbers[i].least, numbers[i].most);
			return;
		}
	}
	if (strcmp(option, "--output") == 0)
	{
		options->output = fopen(value, "wb");
		if (options->output == NULL)
			fail("could not open \"%s\": %s", value, strerror(errno));
		return;
	}
	if (!take_word(options, option, value))
		fail("unknown option or value: %s %s (see --help)", option, value);
}

static void
parse_options(Options *options, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
	{
		const char *option = argv[i];

		if (strcmp(option, "--facts") == 0)
		{
			options->facts = true;
			continue;
		}
		if (strcmp(option, "--help") == 0)
		{
			fputs(usage, stdout);
			exit(0);
		}
		if (i + 1 == argc)
			fail("unknown option, or option without value: %s (see --help)", option);
		take_option(options, option, argv[++i]);
	}
	if (options->n_profiles > 1 && options->format == FORMAT_PPROF)
		fail("one pprof file holds one profile");
}

int
main(int argc, char **argv)
{
	World		world = {0};
	Profile		profile = {0};
	Buffer		buffer = {0};
	uint32_t	n_shared_nodes;
	Options		options = {
		.nodes = 60000, .seed = 1, .profile_seed = 1, .n_profiles = 1, .n_frames = 10000, .fresh = 10,
		.sorted = true, .format = FORMAT_FOLDED, .output = stdout
	};

	parse_options(&options, argc, argv);
	make_world(&world, (uint32_t) options.nodes, (uint32_t) options.n_frames,
			   (uint32_t) options.fresh, options.seed);
	n_shared_nodes = world.tree.n_nodes;
	for (uint64_t k = 0; k < options.n_profiles; k++)
	{
		uint64_t	profile_seed = options.profile_seed + k;

		make_profile(&profile, &world, options.seed, profile_seed, (uint32_t) k + 1, options.sorted);
		if (options.facts)
			print_facts(&profile, &world, profile_seed);
		write_profile(&profile, &world, options.format, profile_seed, &buffer);
		buffer_write(&buffer, options.output);
		tree_truncate(&world.tree, n_shared_nodes);
	}
	if (fclose(options.output) != 0)
		fail("could not write: %s", strerror(errno));
	return 0;
}
