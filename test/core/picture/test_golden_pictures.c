/*
 * test_golden_pictures.c
 *	  The pictures in test/data/golden/pictures, byte by byte: every compiler, machine and
 *	  server makes the same (013_golden_pictures.pl draws them in SQL).
 *
 * With UNIT_REDRAW in the environment the test writes the files instead; each of them is to be
 * looked at then.
 */
#include "recordings.h"

#include "core/heat_maps/heat_map_pairs.h"
#include "core/heat_maps/heat_map_profiles.h"
#include "core/patterns/query.h"
#include "core/picture/chart.h"
#include "core/picture/diff_runs.h"
#include "core/picture/flame.h"
#include "core/picture/parts.h"
#include "core/picture/sandwich.h"
#include "core/profile/folded.h"
#include "core/profile/path.h"
#include "core/profile/walk.h"

#define FOLDER "test/data/golden/pictures/"

#define TEXT(words) {words, sizeof(words) - 1}

typedef enum Kind
{
	FLAME,
	SANDWICH,
	CHART,						/* of the stacks one after the other */
	PAIR,						/* differences */
	GROUPS,
	HISTORY,
	STATISTICS,
	PARTS,
	PARTS_OF_GROUPS,
	HEAT_RUNS,					/* of both sides, a null one between them */
	HEAT_STACKS					/* runs by stacks, those before as negative numbers */
} Kind;

/* As arguments.tsv has them; members that are 0 have the value of the defaults. */
typedef struct Golden
{
	const char *name;
	const char *input;			/* of two sides: what the names of their files begin with */
	const char *highlight;
	FgFlameOptions options;
	Kind		kind;
	const char *frame;
	FgWidths	widths;
	FgLevel		level;			/* as a difference has it */
	FgSizeFactor size;
	FgCorrection correction;
	double		unit;
	double		alpha;
} Golden;

static const Golden pictures[] = {
	{"icicle", "icicle", NULL, {.width = 600}, .kind = FLAME},
	{"flame", "icicle", NULL, {.title = TEXT("From the root upwards"),
	.unit = TEXT("nanoseconds"), .width = 500, .flame = true, .by_value = true}, .kind = FLAME},
	{"modules", "modules", NULL, {.title = TEXT("Modules"), .width = 900,
	.color = FG_COLOR_MODULE}, .kind = FLAME},
	{"kinds", "kinds", NULL, {.width = 700, .color = FG_COLOR_KIND,
	.subtitle = TEXT("a Java program"), .notes = TEXT("What the suffixes say\nof frames")},
	.kind = FLAME},
	{"self", "self", NULL, {.unit = TEXT("bytes"), .width = 400, .color = FG_COLOR_SELF}, .kind = FLAME},
	{"depth", "depth", NULL, {.width = 300, .color = FG_COLOR_DEPTH,
	.palette = FG_PALETTE_GREY}, .kind = FLAME},
	{"safe", "icicle", NULL, {.width = 800, .palette = FG_PALETTE_SAFE, .frame_height = 26,
	.font_size = 18}, .kind = FLAME},
	{"dark", "self", "*;b|k", {.title = TEXT("Dark"), .width = 500, .color = FG_COLOR_SELF,
	.palette = FG_PALETTE_SAFE, .theme = FG_THEME_DARK}, .kind = FLAME},
	{"thin", "thin", NULL, {.unit = TEXT("milliseconds"), .width = 640,
	.theme = FG_THEME_LIGHT, .max_boxes = 60}, .kind = FLAME},
	{"rows", "rows", NULL, {.width = 640, .min_width = 2, .max_rows = 4,
	.truncate = FG_TRUNCATE_START}, .kind = FLAME},
	{"hostile", "hostile", NULL, {
	.title = TEXT("</title><script>alert(1)</script> &#0; \"x\" \xE2\x80\xAE" "abc"),
	.unit = TEXT("<b>"), .width = 900}, .kind = FLAME},
	{"wide", "wide", NULL, {
	.title = TEXT("\xE4\xB8\xBB\xE8\xA6\x81\xE3\x81\xAA\xE9\x96\xA2\xE6\x95\xB0"),
	.width = 500, .color = FG_COLOR_NONE, .truncate = FG_TRUNCATE_END}, .kind = FLAME},
	{"highlight", "modules", "*;app::index*;*", {.width = 800, .min_width = 5, .flame = true},
	.kind = FLAME},
	{"empty", "empty", NULL, {.width = 200}, .kind = FLAME},
	{"interactive", "interactive", NULL, {.width = 400, .by_value = true, .interactive = true,
	.search = TEXT("r.*e"), .zoom = TEXT("main;parse")}, .kind = FLAME},
	{"diff-union", "diff", NULL, {.width = 640}, .kind = PAIR, .level = FG_LEVEL_NODE},
	{"diff-after", "diff", "*;cache*;*", {.title = TEXT("After"), .unit = TEXT("milliseconds"),
	.width = 640}, .kind = PAIR, .level = FG_LEVEL_NODE, .widths = FG_WIDTHS_AFTER},
	{"diff-before", "diff", NULL, {.width = 500, .max_rows = 3, .theme = FG_THEME_DARK}, .kind = PAIR,
	.level = FG_LEVEL_NODE, .widths = FG_WIDTHS_BEFORE},
	{"diff-change", "diff", NULL, {.width = 640}, .kind = PAIR, .level = FG_LEVEL_SELF,
	.widths = FG_WIDTHS_CHANGE},
	{"diff-sampling", "diff", "*;parse;*", {.width = 700, .palette = FG_PALETTE_SAFE}, .kind = PAIR,
	.level = FG_LEVEL_FRAME, .size = FG_SIZE_TOTAL, .unit = 1, .alpha = 0.01},
	{"diff-grey", "diff", NULL, {.width = 640, .palette = FG_PALETTE_GREY, .frame_height = 22,
	.font_size = 14}, .kind = PAIR, .level = FG_LEVEL_NODE},
	{"diff-groups", "diff", "*;parse", {.width = 800, .interactive = true,
	.search = TEXT("is:grown")}, .kind = GROUPS, .level = FG_LEVEL_NODE, .widths = FG_WIDTHS_AFTER},
	{"diff-grey-groups", "diff", NULL, {.width = 640, .palette = FG_PALETTE_GREY,
	.interactive = true}, .kind = GROUPS, .level = FG_LEVEL_STACK, .correction = FG_CORRECT_HOLM},
	{"diff-history", "diff", NULL, {.width = 640}, .kind = HISTORY},
	{"diff-statistics", "diff", NULL, {.width = 640}, .kind = STATISTICS, .level = FG_LEVEL_NODE,
	.size = FG_SIZE_TOTAL},
	{"diff-nothing", NULL, NULL, {.width = 300, .interactive = true}, .kind = GROUPS,
	.level = FG_LEVEL_NODE},
	{"parts", "diff", "*;parse;*", {.width = 800, .palette = FG_PALETTE_SAFE, .interactive = true},
	.kind = PARTS},
	{"parts-groups", "diff", NULL, {.title = TEXT("Parts"), .width = 600,
	.color = FG_COLOR_MODULE, .interactive = true}, .kind = PARTS_OF_GROUPS},
	{"sandwich", "sandwich", NULL, {.width = 500}, .kind = SANDWICH, .frame = "parse"},
	{"sandwich-marked", "sandwich", "parse;tokenize|retry*;*", {.width = 640,
	.color = FG_COLOR_MODULE, .interactive = true}, .kind = SANDWICH, .frame = "parse"},
	{"chart", "modules", NULL, {.width = 700}, .kind = CHART},
	{"chart-dark", "interactive", NULL, {.title = TEXT("<Chart> & \"more\""),
	.unit = TEXT("milliseconds"), .width = 500, .color = FG_COLOR_SELF, .min_width = 8,
	.palette = FG_PALETTE_SAFE, .theme = FG_THEME_DARK, .interactive = true}, .kind = CHART},
	{"heat-runs", "diff", NULL, {.title = TEXT("Functions"), .width = 500, .max_rows = 4},
	.kind = HEAT_RUNS, .level = FG_LEVEL_FRAME},
	{"heat-stacks", "diff", NULL, {.unit = TEXT("milliseconds"), .width = 640,
	.theme = FG_THEME_DARK}, .kind = HEAT_STACKS}
};

static FgFlameOptions
options_of(const FgFlameOptions *given)
{
	FgFlameOptions all = fg_flame_defaults();
	FgFlameOptions options = *given;

	if (options.unit.length == 0)
		options.unit = all.unit;
	if (options.min_width == 0)
		options.min_width = all.min_width;
	if (options.frame_height == 0)
		options.frame_height = all.frame_height;
	if (options.font_size == 0)
		options.font_size = all.font_size;
	if (options.max_boxes == 0)
		options.max_boxes = all.max_boxes;
	if (options.max_rows == 0)
		options.max_rows = all.max_rows;
	options.max_nodes = all.max_nodes;
	return options;
}

static bool
match(FgContext *ctx, void *arg, const FgTree *tree, uint8_t *matches)
{
	const char *text = arg;
	FgQuery		query;
	bool		ok = fg_query_parse(ctx, text, strlen(text), &query) &&
		fg_query_match_tree(&query, NULL, NULL, tree, matches);

	fg_query_free(&query);
	return ok;
}

static FgTree
read_profile(FgContext *ctx, const char *name)
{
	FgFoldedOptions options = {.dialect = FG_FOLDED_EXACT, .check_encoding = true};
	FgFoldedReport report;
	FgTree		tree;
	char		path[200];
	char	   *text;
	size_t		size;

	snprintf(path, sizeof(path), FOLDER "%s.folded", name);
	text = recording_file(path, &size);
	CHECK(fg_folded_parse(ctx, text, size, options, &tree, &report));
	free(text);
	return tree;
}

/* The script is the same in all pictures, so the files go without: it has tests of its own. */
static void
leave_out_script(FgBuffer *svg)
{
	char	   *text = (char *) svg->data;
	char	   *start = strstr(text, "<script");
	char	   *end = start == NULL ? NULL : strstr(start, "</script>");

	if (end == NULL)
		return;
	end += strlen("</script>");
	memmove(start, end, strlen(end) + 1);
	svg->size = strlen(text) + 1;
}

/* --- two sides --- */

#define RUNS 3

typedef struct Sides
{
	FgTree		runs[FG_SIDES][RUNS];
	FgProfiles	profiles[FG_SIDES];
	FgAccumulator moments[FG_SIDES];
	FgGroup		groups[FG_SIDES];	/* contexts */
} Sides;

static bool
read_run(FgContext *ctx, void *arg, size_t i, FgTree *profile)
{
	return fg_tree_copy(ctx, &((const FgTree *) arg)[i], profile);
}

static void
read_sides(FgContext *ctx, const char *input, Sides *sides)
{
	static const char *const words[FG_SIDES] = {"before", "after"};

	memset(sides, 0, sizeof(*sides));
	for (int s = 0; s < FG_SIDES && input != NULL; s++)
	{
		fg_accumulator_init(ctx, &sides->moments[s], FG_ACCUMULATE_MOMENTS);
		for (int r = 0; r < RUNS; r++)
		{
			char		name[100];
			FgTree		contexts;

			snprintf(name, sizeof(name), r == 0 ? "%s-%s" : "%s-%s-%d", input, words[s], r + 1);
			sides->runs[s][r] = read_profile(ctx, name);
			CHECK(fg_level_apply(ctx, &sides->runs[s][r], FG_LEVEL_NODE, &contexts) &&
				  fg_accumulator_add(&sides->moments[s], &contexts));
		}
		sides->profiles[s] = (FgProfiles) {read_run, sides->runs[s], RUNS};
		sides->groups[s] = (FgGroup) {RUNS, fg_accumulator_moments(&sides->moments[s]), NULL};
	}
}

static void
release_sides(FgContext *ctx, Sides *sides)
{
	for (int s = 0; s < FG_SIDES; s++)
	{
		for (int r = 0; r < RUNS; r++)
			fg_tree_free(ctx, &sides->runs[s][r]);
		fg_accumulator_free(&sides->moments[s]);
	}
}

/* --- heat maps --- */

static FgHeatOptions
heat_options(const Golden *golden)
{
	FgHeatOptions options = fg_heat_defaults();

	options.title = golden->options.title;
	options.unit = golden->options.unit;
	options.width = golden->options.width;
	options.theme = golden->options.theme;
	options.scale = golden->kind == HEAT_STACKS ? FG_HEAT_DIVERGING : FG_HEAT_SEQUENTIAL;
	return options;
}

static const FgText run_labels[FG_SIDES][RUNS] = {
	{TEXT("before"), TEXT("before 2"), TEXT("before 3")}, {TEXT("after"), TEXT("after 2"), TEXT("after 3")}
};

static bool
draw_runs(const Golden *golden, const Sides *sides, FgBuffer *svg)
{
	static const uint32_t column[] = {0, 1, 2, 4, 5, 6};
	FgText		labels[2 * RUNS + 1];
	FgHeatOptions options = heat_options(golden);
	FgHeatRuns	runs = {
		.profiles = {read_run, (void *) sides->runs[0], (size_t) 2 * RUNS}, .column = column,
		.labels = labels, .count = COUNT(labels), .level = golden->level,
		.max_rows = golden->options.max_rows, .memory = FG_KEPT_MEMORY
	};

	for (int r = 0; r < RUNS; r++)
	{
		labels[r] = run_labels[0][r];
		labels[RUNS + 1 + r] = run_labels[1][r];
	}
	labels[RUNS] = (FgText) TEXT("4");
	return fg_heat_runs_svg(&runs, &options, svg);
}

#define MOST_CELLS 200

typedef struct Stacks
{
	FgText		columns[MOST_CELLS];
	FgText		lines[MOST_CELLS];
	double		values[MOST_CELLS];
	size_t		ends[20];		/* of paths by depth, in "path" */
	FgBuffer	path;
	size_t		n;
} Stacks;

/* Each text is copied, and released at the end. */
static bool
add_stacks(FgContext *ctx, const FgTree *tree, FgText label, double sign, Stacks *stacks)
{
	FgWalk		walk;
	bool		ok = fg_walk_begin(ctx, tree, &walk);

	while (ok && fg_walk_next(&walk))
	{
		FgBuffer	line = {.ctx = ctx};

		stacks->path.size = stacks->ends[walk.depth - 1];
		ok = (walk.depth == 1 || fg_path_print_separator(&stacks->path)) &&
			fg_path_print_frame(&stacks->path, fg_frame_bytes(&tree->frames, walk.frame),
								fg_frame_length(&tree->frames, walk.frame));
		stacks->ends[walk.depth] = stacks->path.size;
		if (!ok || tree->self[walk.node] == 0)
			continue;
		ok = CHECK(stacks->n < MOST_CELLS) &&
			fg_buffer_append(&line, stacks->path.data, stacks->path.size);
		stacks->lines[stacks->n] = fg_text_of(&line);
		stacks->columns[stacks->n] = label;
		stacks->values[stacks->n++] = sign * tree->self[walk.node];
	}
	return fg_walk_end(&walk) && ok;
}

static bool
draw_stacks(FgContext *ctx, const Golden *golden, const Sides *sides, FgBuffer *svg)
{
	Stacks		stacks = {.path.ctx = ctx};
	FgHeatOptions options = heat_options(golden);
	bool		ok = true;

	for (int run = 0; ok && run < 2 * RUNS; run++)
		ok = add_stacks(ctx, &sides->runs[run / RUNS][run % RUNS], run_labels[run / RUNS][run % RUNS],
						run < RUNS ? -1 : 1, &stacks);
	ok = ok && fg_heat_pairs_svg(&(FgHeatPairs) {stacks.n, stacks.columns, stacks.lines, stacks.values},
								 &options, svg);
	for (size_t i = 0; i < stacks.n; i++)
		fg_release(ctx, (void *) stacks.lines[i].bytes);
	fg_release(ctx, stacks.path.data);
	return ok;
}

static bool
draw_sides(FgContext *ctx, const Golden *golden, const FgFlameOptions *look, FgBuffer *svg)
{
	FgDiffOptions options = {
		.look = *look, .widths = golden->widths, .level = golden->level, .size = golden->size,
		.alpha = golden->alpha == 0 ? 0.05 : golden->alpha
	};
	FgDiffTest	test = {.correction = golden->correction};
	Sides		sides;
	const FgProfiles *p = sides.profiles;
	const FgTree *run = &sides.runs[FG_AFTER][0];
	bool		ok = false;

	read_sides(ctx, golden->input, &sides);
	if (golden->kind == PAIR)
		ok = fg_diff_recordings(&sides.runs[0][0], run, golden->unit, &options, svg);
	else if (golden->kind == GROUPS)
		ok = fg_diff_groups(&p[0], &p[1], &test, &options, svg);
	else if (golden->kind == HISTORY)
		ok = fg_diff_history(&p[0], run, 10, 1, &options, svg);
	else if (golden->kind == STATISTICS)
		ok = fg_diff_stats(&sides.groups[0], &sides.groups[1], &test, &options, svg);
	else if (golden->kind == HEAT_RUNS)
		ok = draw_runs(golden, &sides, svg);
	else if (golden->kind == HEAT_STACKS)
		ok = draw_stacks(ctx, golden, &sides, svg);
	else if (golden->kind == PARTS)
		ok = fg_parts_svg(&sides.runs[0][0], run, look, svg);
	else
		ok = fg_parts_of_groups(&p[0], &p[1], options.alpha, look, svg);
	release_sides(ctx, &sides);
	return ok;
}

/* --- one picture --- */

/* Each stack with a value is a sample that lasts as long; every other depth is a thread. */
static bool
draw_chart(FgContext *ctx, const FgTree *tree, const FgFlameOptions *look, FgBuffer *svg)
{
	FgChartOptions options = fg_chart_defaults();
	FgChart		chart;
	FgWalk		walk;
	FgBuffer	path = {.ctx = ctx};
	size_t		ends[20] = {0};
	double		at = 0;
	bool		ok = fg_chart_begin(ctx, &chart) && fg_walk_begin(ctx, tree, &walk);

	options.look = *look;
	if (strcmp(look->unit.bytes, "samples") == 0)
		options.look.unit = (FgText) {"seconds", 7};
	while (ok && fg_walk_next(&walk))
	{
		const char *thread = walk.depth % 2 == 0 ? "" : "odd";
		double		value = tree->self[walk.node];

		path.size = ends[walk.depth - 1];
		ok = (walk.depth == 1 || fg_buffer_append(&path, "", 1)) &&
			fg_buffer_append(&path, fg_frame_bytes(&tree->frames, walk.frame),
							 fg_frame_length(&tree->frames, walk.frame)) &&
			(value == 0 || fg_chart_add(&chart, (FgText) {(char *) path.data, path.size}, at,
										at + value, (FgText) {thread, strlen(thread)}));
		ends[walk.depth] = path.size;
		at += value;
	}
	ok = fg_walk_end(&walk) && ok && fg_chart_svg(&chart, &options, svg);
	fg_chart_free(&chart);
	fg_release(ctx, path.data);
	return ok;
}

static bool
draw_profile(FgContext *ctx, const Golden *golden, const FgFlameOptions *options, FgBuffer *svg)
{
	FgTree		tree = read_profile(ctx, golden->input);
	FgText		name = {golden->frame, golden->frame == NULL ? 0 : strlen(golden->frame)};
	FgSandwich	sandwich;
	bool		ok;

	if (golden->kind == FLAME)
		ok = fg_flame_svg(&tree, options, svg);
	else if (golden->kind == CHART)
		ok = draw_chart(ctx, &tree, options, svg);
	else
	{
		ok = fg_sandwich_begin(ctx, &tree, fg_frames_find(&tree.frames, name.bytes, name.length),
							   name, &sandwich) && fg_sandwich_svg(&sandwich, options, svg);
		fg_sandwich_end(ctx, &sandwich);
	}
	fg_tree_free(ctx, &tree);
	return ok;
}

/* With a NUL at its end, which is counted. */
static FgBuffer
draw(FgContext *ctx, const Golden *golden)
{
	FgFlameOptions options = options_of(&golden->options);
	FgBuffer	svg = {.ctx = ctx};

	if (golden->highlight != NULL)
		options.highlight = (FgHighlight) {match, (void *) golden->highlight};
	CHECK((golden->kind <= CHART ? draw_profile : draw_sides) (ctx, golden, &options, &svg) &&
		  fg_buffer_append(&svg, "", 1));
	leave_out_script(&svg);
	return svg;
}

static void
redraw(const char *path, const FgBuffer *svg)
{
	FILE	   *file = fopen(path, "wb");

	CHECK(file != NULL && fwrite(svg->data, 1, svg->size - 1, file) == svg->size - 1 &&
		  fclose(file) == 0);
}

int
main(void)
{
	FgContext	ctx = fg_malloc_context();
	bool		write = getenv("UNIT_REDRAW") != NULL;

	for (size_t i = 0; i < COUNT(pictures); i++)
	{
		FgBuffer	svg = draw(&ctx, &pictures[i]);
		char		path[200];
		size_t		size;
		char	   *kept;

		unit_case("golden picture %s", pictures[i].name);
		snprintf(path, sizeof(path), FOLDER "%s.svg", pictures[i].name);
		if (write)
			redraw(path, &svg);
		kept = recording_file(path, &size);
		CHECK_BYTES(svg.data, svg.size - 1, kept, size);
		free(kept);
		fg_release(&ctx, svg.data);
	}
	return unit_finish();
}
