/*
 * test_lines.c
 *	  Lines in frames, and the call sites of a function, against their definitions.
 */
#include "stack_rows.h"

#include "core/cct/lines.h"

#include <regex.h>

static void
test_frame_lines(void)
{
	static const struct
	{
		const char *frame;
		const char *name;
		int32_t		line;
	}			rows[] = {
		{"parse.py:load:12", "parse.py:load", 12},
		{"render app.js:10:5", "render app.js", 10},
		{"load (parse.py:12)", "load (parse.py)", 12},
		{"f (app.js:10:5)", "f (app.js)", 10},
		{"a:0", "a", 0},
		{"a:007", "a", 7},
		{"a:1:2:3", "a:1", 2},
		{":1:2", ":1", 2},
		{"a:2147483647", "a", INT32_MAX},
		{"a:2147483648", "a", -1},
		{"a:21474836470", "a", -1},
		{"a:99999999999999999999999999", "a", -1},
		{"a:99999999999999999999999999:7", "a", -1},
		{"a:7:99999999999999999999999999", "a", 7},
		{"a", "a", -1}, {":1", ":1", -1}, {"a:", "a:", -1}, {"a:1:", "a:1:", -1},
		{"a:1x", "a:1x", -1}, {"a:-1", "a:-1", -1}, {"a: 1", "a: 1", -1}, {"12", "12", -1},
		{")", ")", -1}, {":1)", ":1)", -1}, {"a)", "a)", -1}, {"a:1))", "a:1))", -1},
		{"std::f", "std::f", -1}, {"x::5", "x:", 5},
		{"\xF0\x9F\x94\xA5:3", "\xF0\x9F\x94\xA5", 3}
	};
	FgContext	ctx = fg_malloc_context();

	unit_case("frames that end in a line");
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		Naive		naive = {0};
		FgTree		tree;
		FgLineNames names;

		unit_note("[%s]", rows[i].frame);
		CHECK(fg_frame_line(rows[i].frame, strlen(rows[i].frame)) == rows[i].line);
		naive_add(&naive, rows[i].frame, strlen(rows[i].frame), 1);
		tree = naive_tree(&ctx, &naive);
		CHECK(fg_line_names(&ctx, &tree.frames, &names));
		CHECK_COUNT(names.names.count, 1);
		CHECK_COUNT(names.name[0], 0);
		CHECK(names.line[0] == rows[i].line);
		CHECK_TEXT(fg_frame_bytes(&names.names, 0), fg_frame_length(&names.names, 0),
				   rows[i].name);
		fg_line_names_free(&ctx, &names);
		fg_tree_free(&ctx, &tree);
		naive_free(&naive);
	}
	unit_note("[no bytes]");
	CHECK(fg_frame_line("", 0) == -1);
}

/* Name and line as regular expressions find them. */
static int32_t
strip_line(const char *frame, char *name)
{
	regex_t		parts;
	regmatch_t	match[4];
	int64_t		line = -1;
	char		tail[2] = "";

	strcpy(name, frame);
	CHECK(regcomp(&parts, "^(.+):([0-9]+)(\\)?)$", REG_EXTENDED) == 0);
	for (int i = 0; i < 2 && regexec(&parts, name, 4, match, 0) == 0; i++)
	{
		if (i == 1 && match[3].rm_eo > match[3].rm_so)
			break;				/* ":5):10" has one number */
		line = strtoll(name + match[2].rm_so, NULL, 10);
		if (i == 0)
			memcpy(tail, name + match[3].rm_so, (size_t) (match[3].rm_eo - match[3].rm_so));
		name[match[1].rm_eo] = '\0';
	}
	strcat(name, tail);
	regfree(&parts);
	return line <= INT32_MAX ? (int32_t) line : -1;
}

static const char *const lined[] = {
	"m:1", "m:2", "m", "n:1", "m:10", "n (x:1)", "n (x:7:2)", "n (x)", "c:3:4", "c:3:5", "c",
	"m:99999999999", "n:2", ":5", "m:2:9", "q:1):2"
};

static Naive
random_lined(UnitRandom *random, int round, int kind)
{
	Naive		naive = {0};
	uint32_t	stacks = unit_below(random, 30);
	uint32_t	frames = 1 + unit_below(random, COUNT(lined));

	for (uint32_t s = 0; s < stacks; s++)
	{
		uint32_t	depth = unit_below(random, round % 2 == 0 ? 5 : 20);
		char		path[400];
		size_t		length = 0;
		double		value = unit_below(random, 9) + 1.0;

		for (uint32_t d = 0; d < depth; d++)
		{
			const char *frame = lined[unit_below(random, frames)];

			strcpy(path + length, frame);
			length += strlen(frame) + 1;
		}
		value = kind == NAIVE_COUNTS ? value : kind == NAIVE_SIGNED ? value - 5 : value / 7 - 0.5;
		naive_add(&naive, path, length > 0 ? length - 1 : 0, value);
	}
	naive_settle(&naive);
	return naive;
}

/* A tree's frames as strip_line() splits them, and those that belong to a function. */
typedef struct Split
{
	uint32_t	nframes;
	char		(*name)[64];
	int32_t    *line;
	bool	   *wanted;
} Split;

static Split
split_frames(const FgTree *tree, const char *function)
{
	uint32_t	nframes = tree->frames.count;
	Split		split = {
		nframes, calloc(nframes + 1, 64), calloc(nframes + 1, sizeof(int32_t)),
		calloc(nframes + 1, sizeof(bool))
	};
	bool		is_name = false;

	for (uint32_t f = 0; f < nframes; f++)
	{
		char		frame[64] = "";

		memcpy(frame, fg_frame_bytes(&tree->frames, f), fg_frame_length(&tree->frames, f));
		split.line[f] = strip_line(frame, split.name[f]);
		is_name = is_name || strcmp(split.name[f], function) == 0;
		split.wanted[f] = strcmp(frame, function) == 0;
	}
	for (uint32_t f = 0; is_name && f < nframes; f++)
		split.wanted[f] = strcmp(split.name[f], function) == 0;
	return split;
}

static void
split_free(Split *split)
{
	free(split->name);
	free(split->line);
	free(split->wanted);
}

/* The distinct lines of the wanted frames, ascending; their number. */
static uint32_t
wanted_lines(const Split *split, int32_t *lines)
{
	uint32_t	nlines = 0;

	for (int32_t next = 0; next < 100; next++)
	{
		bool		used = false;

		for (uint32_t f = 0; f < split->nframes; f++)
			used = used || (split->wanted[f] && split->line[f] == next);
		if (used)
			lines[nlines++] = next;
	}
	return nlines;
}

static void
check_sites(FgContext *ctx, const FgTree *tree, const Naive *naive, const FgLineNames *names,
			const char *function)
{
	Split		split = split_frames(tree, function);
	int32_t    *lines = calloc(split.nframes + 1, sizeof(int32_t));
	uint32_t	nlines = wanted_lines(&split, lines);
	Sum			total = {0, 0, false};
	Rows		rows = {0};
	FgCallSites sites;

	for (uint32_t f = 0; f < split.nframes; f++)
	{
		CHECK(names->line[f] == split.line[f]);
		CHECK_TEXT(fg_frame_bytes(&names->names, names->name[f]),
				   fg_frame_length(&names->names, names->name[f]), split.name[f]);
	}
	for (size_t s = 0; s < naive->count; s++)
	{
		Stack		stack = stack_of(tree, &naive->entries[s]);
		bool		has = false;

		for (uint32_t i = 0; i < stack.depth; i++)
		{
			uint32_t	caller = i > 0 ? stack.frame[i - 1] : 0;
			uint32_t	index = 0;

			has = has || split.wanted[stack.frame[i]];
			if (i == 0 || !split.wanted[caller])
				continue;
			while (index < nlines && lines[index] != split.line[caller])
				index++;
			count_stack(&rows, index < nlines ? index : FG_NONE,
						fg_frames_find(&names->names, split.name[stack.frame[i]],
									   strlen(split.name[stack.frame[i]])), s, stack.value);
		}
		if (has)
			sum_add(&total, stack.value);
	}
	CHECK(fg_call_sites(ctx, tree, names, function, strlen(function), &sites));
	for (uint32_t i = 0; i < nlines; i++)
		CHECK(sites.lines[i] == lines[i]);
	check_tally(&sites.tally, &rows);
	CHECK(is_sum(sites.total, &total));
	fg_call_sites_free(ctx, &sites);
	split_free(&split);
	free(lines);
}

static void
test_sites(void)
{
	static const char *const functions[] = {
		"m", "n", "c", "n (x)", "m:2", "m:2:9", ":5", "q:1)", "z"
	};
	UnitRandom	random = {12};

	for (int kind = NAIVE_COUNTS; kind <= NAIVE_DOUBLES; kind++)
	{
		unit_case("call sites of random profiles, %s", naive_kinds[kind]);
		for (int round = 0; round < 80; round++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			Naive		naive = random_lined(&random, round, kind);
			FgTree		tree = naive_tree(&ctx, &naive);
			FgLineNames names;

			CHECK(fg_line_names(&ctx, &tree.frames, &names));
			for (uint32_t i = 1; i < names.names.count; i++)
				CHECK(fg_bytes_compare(fg_frame_bytes(&names.names, i - 1),
									   fg_frame_length(&names.names, i - 1),
									   fg_frame_bytes(&names.names, i),
									   fg_frame_length(&names.names, i)) < 0);
			for (size_t i = 0; i < COUNT(functions); i++)
			{
				unit_note("[round %d, %s]", round, functions[i]);
				check_sites(&ctx, &tree, &naive, &names, functions[i]);
			}
			fg_line_names_free(&ctx, &names);
			fg_tree_free(&ctx, &tree);
			naive_free(&naive);
			CHECK_COUNT(memory.blocks, 0);
		}
	}
}

static void
test_given_sites(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = tree_of_text(&ctx, "m:3;a:1 1\nm:3;a:2 2\nm:20;b 4\nm;a 8\n"
									"m:3;a:1;m:3;a:9 16\nm:20 32");
	static const struct
	{
		int32_t		line;		/* -1 for none */
		const char *callee;
		double		samples;
	}			rows[] = {{3, "a", 19}, {-1, "a", 8}, {20, "b", 4}};
	FgLineNames names;
	FgCallSites sites;

	unit_case("call sites: lines in the order of numbers, callees without lines");
	CHECK(fg_line_names(&ctx, &tree.frames, &names));
	CHECK(fg_call_sites(&ctx, &tree, &names, "m", 1, &sites));
	CHECK_DOUBLE(sites.total, 63);
	CHECK(sites.lines[0] == 3 && sites.lines[1] == 20);
	CHECK_COUNT(sites.tally.pairs.count, COUNT(rows));
	for (uint32_t i = 0; i < COUNT(rows) && i < sites.tally.pairs.count; i++)
	{
		FgNumberPair pair = sites.tally.pairs.pairs[sites.tally.order[i]];

		CHECK((pair.a == FG_NONE ? -1 : sites.lines[pair.a]) == rows[i].line);
		CHECK_COUNT(pair.b, fg_frames_find(&names.names, rows[i].callee, 1));
		CHECK_DOUBLE(sites.tally.value[sites.tally.order[i]], rows[i].samples);
	}
	fg_call_sites_free(&ctx, &sites);
	fg_line_names_free(&ctx, &names);
	fg_tree_free(&ctx, &tree);

	unit_case("a call site that overflows");
	for (int i = 0; i < 2; i++)
	{
		tree = tree_of_text(&ctx, i == 0 ? "p;m:1;a 1e308\nq;m:1;a 1e308\nr -1e308"
							: "p;m:1;a 1e308\nq;m:2;b 1e308\nr -1e308");
		CHECK(fg_line_names(&ctx, &tree.frames, &names));
		CHECK_ERROR(fg_call_sites(&ctx, &tree, &names, "m", 1, &sites), &ctx, FG_ERROR_RANGE);
		fg_line_names_free(&ctx, &names);
		fg_tree_free(&ctx, &tree);
	}
}

typedef struct Input
{
	FgTree		tree;
	FgLineNames names;
} Input;

static bool
run_line_names(FgContext *ctx, void *arg)
{
	const Input *input = arg;
	FgLineNames names;

	if (!fg_line_names(ctx, &input->tree.frames, &names))
		return false;
	fg_line_names_free(ctx, &names);
	return true;
}

static bool
run_sites(FgContext *ctx, void *arg)
{
	const Input *input = arg;
	FgCallSites sites;

	if (!fg_call_sites(ctx, &input->tree, &input->names, "g", 1, &sites))
		return false;
	fg_call_sites_free(ctx, &sites);
	return true;
}

static Input
input_of(FgContext *ctx, FgTree tree)
{
	Input		input = {.tree = tree};

	CHECK(fg_line_names(ctx, &tree.frames, &input.names));
	return input;
}

static void
input_free(FgContext *ctx, Input *input)
{
	fg_line_names_free(ctx, &input->names);
	fg_tree_free(ctx, &input->tree);
}

static void
test_failures(void)
{
	FgContext	ctx = fg_malloc_context();
	Input		small = input_of(&ctx, tree_of_text(&ctx, "a;b:1;a;g:7;b 1\ng:7 (x:1);b;g:8;a 2\n"
													"c 1\ng;a 3"));
	Input		calls = input_of(&ctx, naive_wide(&ctx, 5, 600, true));
	Input		large = input_of(&ctx, naive_wide(&ctx, 270, 270, true));

	unit_sweep_memory("fg_line_names", run_line_names, &small);
	unit_sweep_memory("fg_line_names", run_line_names, &calls);
	unit_sweep_interrupts("fg_line_names", run_line_names, &large, 3);
	unit_sweep_memory("fg_call_sites", run_sites, &small);
	unit_sweep_memory("fg_call_sites", run_sites, &calls);
	unit_sweep_interrupts("fg_call_sites", run_sites, &large, 3);
	input_free(&ctx, &small);
	input_free(&ctx, &calls);
	input_free(&ctx, &large);
}

int
main(void)
{
	test_frame_lines();
	test_given_sites();
	test_sites();
	test_failures();
	return unit_finish();
}
