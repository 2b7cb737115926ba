/*
 * test_golden_pictures.c
 *	  The pictures in test/data/golden/pictures, byte by byte: every compiler, machine and
 *	  server makes the same (013_golden_pictures.pl draws them in SQL).
 *
 * With the argument "redraw" the program writes the files instead; each of them is to be
 * looked at then.
 */
#include "recordings.h"

#include "core/picture/flame.h"
#include "core/profile/folded.h"
#include "core/profile/query.h"

#define FOLDER "test/data/golden/pictures/"

#define TEXT(words) {words, sizeof(words) - 1}

/* As arguments.tsv has them; members that are 0 have the value of the defaults. */
typedef struct Golden
{
	const char *name;
	const char *input;
	const char *highlight;
	FgFlameOptions options;
} Golden;

static const Golden pictures[] = {
	{"icicle", "icicle", NULL, {.width = 600}},
	{"flame", "icicle", NULL, {.title = TEXT("From the root upwards"),
	.unit = TEXT("nanoseconds"), .width = 500, .flame = true, .by_value = true}},
	{"modules", "modules", NULL, {.title = TEXT("Modules"), .width = 900,
	.color = FG_COLOR_MODULE}},
	{"kinds", "kinds", NULL, {.width = 700, .color = FG_COLOR_KIND,
	.subtitle = TEXT("a Java program"), .notes = TEXT("What the suffixes say\nof frames")}},
	{"self", "self", NULL, {.unit = TEXT("bytes"), .width = 400, .color = FG_COLOR_SELF}},
	{"depth", "depth", NULL, {.width = 300, .color = FG_COLOR_DEPTH,
	.palette = FG_PALETTE_GREY}},
	{"safe", "icicle", NULL, {.width = 800, .palette = FG_PALETTE_SAFE, .frame_height = 26,
	.font_size = 18}},
	{"dark", "self", "*;b|k", {.title = TEXT("Dark"), .width = 500, .color = FG_COLOR_SELF,
	.palette = FG_PALETTE_SAFE, .theme = FG_THEME_DARK}},
	{"thin", "thin", NULL, {.unit = TEXT("milliseconds"), .width = 640,
	.theme = FG_THEME_LIGHT, .max_boxes = 60}},
	{"rows", "rows", NULL, {.width = 640, .min_width = 2, .max_rows = 4,
	.truncate = FG_TRUNCATE_START}},
	{"hostile", "hostile", NULL, {
	.title = TEXT("</title><script>alert(1)</script> &#0; \"x\" \xE2\x80\xAE" "abc"),
	.unit = TEXT("<b>"), .width = 900}},
	{"wide", "wide", NULL, {
	.title = TEXT("\xE4\xB8\xBB\xE8\xA6\x81\xE3\x81\xAA\xE9\x96\xA2\xE6\x95\xB0"),
	.width = 500, .color = FG_COLOR_NONE, .truncate = FG_TRUNCATE_END}},
	{"highlight", "modules", "*;app::index*;*", {.width = 800, .min_width = 5, .flame = true}},
	{"empty", "empty", NULL, {.width = 200}},
	{"interactive", "interactive", NULL, {.width = 400, .by_value = true, .interactive = true,
	.search = TEXT("r.*e"), .zoom = TEXT("main;parse")}}
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

static uint8_t *
matches_of(FgContext *ctx, const char *text, const FgTree *tree)
{
	FgQuery		query;
	uint8_t    *matches;

	if (text == NULL)
		return NULL;
	matches = fg_alloc(ctx, (size_t) tree->nnodes + 1, sizeof(uint8_t));
	CHECK(fg_query_parse(ctx, text, strlen(text), &query));
	CHECK(fg_query_match_tree(&query, NULL, NULL, tree, matches));
	fg_query_free(&query);
	return matches;
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

/* With a NUL at its end, which is counted. */
static FgBuffer
draw(FgContext *ctx, const Golden *golden)
{
	FgFlameOptions options = options_of(&golden->options);
	FgTree		tree = read_profile(ctx, golden->input);
	uint8_t    *matches = matches_of(ctx, golden->highlight, &tree);
	FgBuffer	svg = {.ctx = ctx};

	options.highlight = matches;
	CHECK(fg_flame_svg(&tree, &options, &svg) && fg_buffer_append(&svg, "", 1));
	fg_release(ctx, matches);
	fg_tree_free(ctx, &tree);
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
main(int argc, char **argv)
{
	FgContext	ctx = fg_malloc_context();
	bool		write = argc > 1 && strcmp(argv[1], "redraw") == 0;

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
