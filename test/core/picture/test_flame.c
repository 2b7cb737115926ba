/*
 * test_flame.c
 *	  Flame graphs and the data in them: what is read back is what was drawn; failures.
 *	  What boxes look like is tested in SQL (test/t/055_pictures.pl), with another reader.
 */
#include "naive.h"

#include "core/picture/data.h"
#include "core/picture/flame.h"
#include "core/svg/embedded.h"

#include <math.h>

typedef struct Case
{
	FgTree		tree;
	FgFlameOptions options;
} Case;

static Case
case_of(FgTree tree)
{
	Case		c = {tree, fg_flame_defaults()};

	c.options.interactive = true;
	return c;
}

/* With a NUL behind it. */
static char *
draw(FgContext *ctx, const Case *c)
{
	FgBuffer	svg = {.ctx = ctx};

	if (!CHECK(fg_flame_svg(&c->tree, &c->options, &svg)) || !CHECK(fg_buffer_append(&svg, "", 1)))
		return NULL;
	return (char *) svg.data;
}

static void
check_round_trip(FgContext *ctx, const Case *c)
{
	char	   *svg = draw(ctx, c);
	FgTree		read;

	if (svg == NULL || !CHECK(fg_data_read(ctx, svg, strlen(svg), &read)))
		return;
	CHECK_COUNT(read.nnodes, c->tree.nnodes);
	CHECK(fg_frames_equal(&read.frames, &c->tree.frames));
	for (uint32_t i = 0; i <= read.nnodes && i <= c->tree.nnodes; i++)
	{
		CHECK(read.key[i] == c->tree.key[i]);
		CHECK_DOUBLE(read.self[i] + 0.0, c->tree.self[i] + 0.0);
	}
	fg_tree_free(ctx, &read);
	fg_release(ctx, svg);
}

static void
test_round_trip(void)
{
	UnitRandom	random = {99};
	FgContext	ctx = fg_malloc_context();

	unit_case("what is drawn is read back");
	for (int round = 0; round < 200; round++)
	{
		int			values = round % 2 == 0 ? NAIVE_COUNTS : NAIVE_DOUBLES;
		Naive		naive = naive_random(&random, naive_shape(&random, round, values, 40));
		Case		c;

		unit_note("round %d", round);
		for (size_t i = 0; i < naive.count; i++)
			naive.entries[i].value = fabs(naive.entries[i].value);
		c = case_of(naive_tree(&ctx, &naive));
		c.options.min_width = unit_below(&random, 100);
		check_round_trip(&ctx, &c);
		fg_tree_free(&ctx, &c.tree);
		naive_free(&naive);
	}
}

static void
test_given_text(void)
{
	FgContext	ctx = fg_malloc_context();
	Case		c = case_of(tree_of_text(&ctx, "a<;b 3\na< 0.5\n\xE2\x80\xAE 3\n 7"));
	char	   *svg;

	unit_case("the data as they are written");
	svg = draw(&ctx, &c);
	/* nodes: the root (up 1, frame 0, value 1), a< (0, 0, 2), b (0, 1, 3), U+202E (2, 2, 3) */
	CHECK(strstr(svg, "<metadata>{\"format\":1,\"unit\":\"samples\",\"total\":13.5,"
				 "\"complete\":true,\"view\":{\"flame\":0,\"value\":0,\"dark\":0,") != NULL);
	CHECK(strstr(svg, ",\"mode\":\"\",\"fills\":\"") != NULL);
	CHECK(strstr(svg, "\"},\"frames\":[\"a\\u003c\",\"b\",\"\\u202e\"],"
				 "\"values\":[7,0.5,3],\"nodes\":\"AQABAAACAAEDAgID\"}</metadata>\n"
				 "<script><![CDATA[(()=>{") != NULL);
	CHECK(strstr(svg, "})();\n]]></script>\n</svg>\n") != NULL);
	CHECK(strstr(svg, "\xE2\x80\xAE") == NULL);
	fg_release(&ctx, svg);
	fg_tree_free(&ctx, &c.tree);

	unit_case("more nodes than are kept");
	c = case_of(tree_of_text(&ctx, "a;b 1\na;c 5\na;d 2\na;d;e 1\nf 4\ng 1"));
	c.options.max_nodes = 3;
	svg = draw(&ctx, &c);
	/* a (0 0 -), c (0 1 1), 3 more of 4 (1 3 2, 3), f (2 2 2), 1 more of 1 (1 3 3, 1) */
	CHECK(strstr(svg, "\"complete\":false") != NULL);
	CHECK(strstr(svg, "\"frames\":[\"a\",\"c\",\"f\"],\"values\":[5,4,1],"
				 "\"nodes\":\"AAAAAAEBAQMCAwICAgEDAwE=\"") != NULL);
	fg_release(&ctx, svg);
	fg_tree_free(&ctx, &c.tree);
}

static void
expect_error(const char *svg, FgErrorCode code, const char *reason)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree;

	unit_note("%s", svg);
	CHECK_ERROR(fg_data_read(&ctx, svg, strlen(svg), &tree), &ctx, code);
	CHECK(strstr(ctx.error.reason, reason) != NULL);
}

#define DATA(total, complete, nodes) \
	"<svg><metadata>{\"format\":1,\"total\":" total ",\"complete\":" complete \
	",\"frames\":[\"a\",\"b\"],\"values\":[2],\"nodes\":\"" nodes "\"}</metadata></svg>"

static void
test_wrong_data(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree;
	const char *right = DATA("2", "true", "AAAAAAEB");
	const char *entities = "<metadata x=''>{&quot;format&quot;:1,&quot;total&quot;:0,"
		"&quot;complete&quot;:true,&quot;frames&quot;:[],&quot;values&quot;:[],"
		"&quot;nodes&quot;:&quot;&quot;}</metadata>";

	unit_case("data of others");
	CHECK(fg_data_read(&ctx, right, strlen(right), &tree));
	CHECK_COUNT(tree.nnodes, 2);
	fg_tree_free(&ctx, &tree);
	CHECK(fg_data_read(&ctx, entities, strlen(entities), &tree));
	CHECK_COUNT(tree.nnodes, 0);
	fg_tree_free(&ctx, &tree);
	expect_error("", FG_ERROR_SYNTAX, "no data");
	expect_error("<svg></svg>", FG_ERROR_SYNTAX, "no data");
	expect_error("<metadata>", FG_ERROR_SYNTAX, "no data");
	expect_error("<metadata></metadata>", FG_ERROR_SYNTAX, "");
	expect_error("<metadata>{}</metadata>", FG_ERROR_SYNTAX, "a key is missing");
	expect_error("<metadata>&nbsp;</metadata>", FG_ERROR_SYNTAX, "none of the five");
	expect_error("<metadata>{\"format\":1,\"format\":1}</metadata>", FG_ERROR_SYNTAX, "twice");
	expect_error("<metadata>{\"kind\":\"difference\"}</metadata>", FG_ERROR_ARGUMENT,
				 "not of one profile");
	expect_error(DATA("2", "false", "AAAAAAEB"), FG_ERROR_ARGUMENT, "not complete");
	expect_error(DATA("3", "true", "AAAAAAEB"), FG_ERROR_SYNTAX, "total");
	expect_error(DATA("2", "true", "AAAAAAEB="), FG_ERROR_SYNTAX, "base64");
	expect_error(DATA("2", "true", "AAAA*AEB"), FG_ERROR_SYNTAX, "base64");
	expect_error(DATA("2", "true", "AAAAAAE="), FG_ERROR_SYNTAX, "in the middle");
	/* up of 2 is too much; a root without a value, of a frame, behind another node */
	expect_error(DATA("2", "true", "AgAAAAEB"), FG_ERROR_SYNTAX, "out of range");
	expect_error(DATA("2", "true", "AQAAAAEB"), FG_ERROR_SYNTAX, "root is out of range");
	expect_error(DATA("2", "true", "AQEBAAEB"), FG_ERROR_SYNTAX, "root is out of range");
	expect_error(DATA("2", "true", "AAABAgAB"), FG_ERROR_SYNTAX, "out of range");
	expect_error(DATA("2", "true", "AAIAAAEB"), FG_ERROR_SYNTAX, "out of range");
	expect_error(DATA("2", "true", "AAAAAAEC"), FG_ERROR_SYNTAX, "out of range");
	expect_error(DATA("2", "true", "AAAA////"), FG_ERROR_SYNTAX, "in the middle");
	expect_error(DATA("1e999", "true", ""), FG_ERROR_RANGE, "");
}

static void
test_wrong_profiles(void)
{
	FgContext	ctx = fg_malloc_context();
	Case		c = case_of(tree_of_text(&ctx, "a 1\nb -1"));
	FgBuffer	svg = {.ctx = &ctx};

	unit_case("profiles that cannot be drawn");
	CHECK_ERROR(fg_flame_svg(&c.tree, &c.options, &svg), &ctx, FG_ERROR_ARGUMENT);
	CHECK(strcmp(ctx.error.reason, "profile has negative values") == 0);
	CHECK(strstr(ctx.error.hint, "flamegraph_diff_svg(negative_part(d), ") != NULL);
	fg_tree_free(&ctx, &c.tree);
	c = case_of(tree_of_text(&ctx, "a 1e308\nb 1e308"));
	CHECK_ERROR(fg_flame_svg(&c.tree, &c.options, &svg), &ctx, FG_ERROR_RANGE);
	fg_tree_free(&ctx, &c.tree);
	CHECK(svg.data == NULL);
}

/* A stack of one frame: "front", so many x, "back". */
static Case
case_of_long(FgContext *ctx, const char *front, size_t length, const char *back)
{
	FgBuffer	text = {.ctx = ctx};
	FgTree		tree;

	CHECK(fg_buffer_append(&text, front, strlen(front)));
	for (size_t i = 0; i < length; i++)
		CHECK(fg_buffer_append(&text, "x", 1));
	CHECK(fg_buffer_append(&text, back, strlen(back) + 1));
	tree = tree_of_text(ctx, (const char *) text.data);
	fg_release(ctx, text.data);
	return case_of(tree);
}

static void
expect_in(FgContext *ctx, Case *c, const char *text)
{
	char	   *svg = draw(ctx, c);

	unit_note("%s", text);
	CHECK(svg != NULL && strstr(svg, text) != NULL);
	fg_release(ctx, svg);
	fg_tree_free(ctx, &c->tree);
}

static void
test_long_names(void)
{
	FgContext	ctx = fg_malloc_context();
	Case		c;

	unit_case("labels of names of 9,000 bytes");
	c = case_of_long(&ctx, "qualifier::y", 9000, " 1");
	expect_in(&ctx, &c, ">yxxxxxxx");
	c = case_of_long(&ctx, "qualifier", 9000, "::last 1");
	expect_in(&ctx, &c, ">\xE2\x80\xA6last</text>");
	c = case_of_long(&ctx, "a::b", 2, "::last 1");
	expect_in(&ctx, &c, ">a::bxx::last</text>");
	c = case_of_long(&ctx, "begin", 9000, " 1");
	c.options.truncate = FG_TRUNCATE_END;
	expect_in(&ctx, &c, ">beginxxxxx");
	c = case_of_long(&ctx, "begin", 9000, "end 1");
	c.options.truncate = FG_TRUNCATE_START;
	expect_in(&ctx, &c, "xxxxxend</text>");
	c = case_of_long(&ctx, "begin", 9000, "end 1");
	expect_in(&ctx, &c, "x\xE2\x80\xA6 (9008 characters)\n1 samples");

	unit_case("names beyond 10,000 characters lose their end: the data hold no more");
	c = case_of_long(&ctx, "begin", 10000, "::last 1");
	expect_in(&ctx, &c, ">beginxxxxx");
	c = case_of_long(&ctx, "begin", 10000, "end 1");
	c.options.truncate = FG_TRUNCATE_START;
	expect_in(&ctx, &c, ">beginxxxxx");
}

/* It stands in every box, and is looked through once. */
static void
test_long_unit(void)
{
	FgContext	ctx = fg_malloc_context();
	Case		c = case_of(tree_of_text(&ctx, "a 1\nb 2"));
	size_t		length = 1 << 20;
	char	   *unit = fg_alloc(&ctx, length, 1);
	char	   *svg;

	unit_case("a unit of 1 MB");
	memset(unit, 'u', length);
	c.options.unit = (FgText) {unit, length};
	svg = draw(&ctx, &c);
	CHECK(strlen(svg) < 30000 + strlen(fg_viewer_script));
	CHECK(strstr(svg, "u\xE2\x80\xA6 (1048576 characters), 67 % of all") != NULL);
	fg_release(&ctx, svg);
	fg_release(&ctx, unit);
	fg_tree_free(&ctx, &c.tree);
}

static bool
run(FgContext *ctx, void *arg)
{
	const Case *c = arg;
	FgBuffer	svg = {.ctx = ctx};
	FgTree		read;
	bool		ok = fg_flame_svg(&c->tree, &c->options, &svg);

	if (ok && fg_data_read(ctx, (char *) svg.data, svg.size, &read))
		fg_tree_free(ctx, &read);
	else
		ok = false;
	fg_release(ctx, svg.data);
	return ok;
}

int
main(void)
{
	FgContext	ctx = fg_malloc_context();
	Case		small = case_of(tree_of_text(&ctx, "a;b 3\na;c 1\nd 2"));
	Case		large = case_of(naive_wide(&ctx, 270, 270, true));
	Case		long_names = case_of_long(&ctx, "a::", 5000, " 1");
	Case		deep = case_of(naive_chain(&ctx, 65535, 7));

	test_round_trip();
	test_given_text();
	test_wrong_data();
	test_wrong_profiles();
	test_long_names();
	test_long_unit();
	unit_case("65,535 frames deep");
	check_round_trip(&ctx, &deep);
	large.options.by_value = true;
	unit_sweep_memory("fg_flame_svg", run, &small);
	unit_sweep_memory("fg_flame_svg of long names", run, &long_names);
	unit_sweep_interrupts("fg_flame_svg", run, &large, 5);
	fg_tree_free(&ctx, &small.tree);
	fg_tree_free(&ctx, &long_names.tree);
	fg_tree_free(&ctx, &large.tree);
	fg_tree_free(&ctx, &deep.tree);
	return unit_finish();
}
