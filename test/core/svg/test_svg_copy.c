/*
 * test_svg_copy.c
 *	  Pictures that are put into pages: what of ours passes, and what is refused.
 */
#include "unit.h"

#include "core/picture/flame.h"
#include "core/profile/builder.h"
#include "core/svg/svg_copy.h"

#define OPEN "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"fg\" id=\"fg0123abcd\">"

static bool
copy(FgContext *ctx, const char *svg, size_t length, uint32_t number, FgBuffer *out, FgSvgParts *parts)
{
	FgXml		xml = fg_xml_begin((FgBuffer) {.ctx = ctx});
	bool		ok = fg_svg_copy(&xml, (FgText) {svg, length}, number, parts);

	*out = xml.buffer;
	return ok;
}

static void
test_passes(void)
{
	static const struct
	{
		const char *svg;
		const char *copied;
	}			rows[] = {
		{OPEN "</svg>",
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"fg\" id=\"fg0123abcdx7\"></svg>\n"},
		/* scripts and styles are left out, ids get a number wherever they are named */
		{OPEN "<style>.x{}</style><defs><pattern id=\"fg0123abcd-m\"/></defs><rect fill=\"url(#fg0123abcd-m)\"/>"
		"<script><![CDATA[a < b]]></script></svg>\n",
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"fg\" id=\"fg0123abcdx7\">"
		"<defs><pattern id=\"fg0123abcdx7-m\"/></defs><rect fill=\"url(#fg0123abcdx7-m)\"/></svg>\n"},
		{"<svg id=\"fg0123abcd\" aria-labelledby=\"fg0123abcd-t fg0123abcd-d\"><title id=\"fg0123abcd-t\">a &amp; b"
		"&#39;</title><g data-n=\"1\" data-any=\"&lt;x&gt;\"><text x=\"1\">a<tspan>b</tspan></text></g></svg>",
		"<svg id=\"fg0123abcdx7\" aria-labelledby=\"fg0123abcdx7-t fg0123abcdx7-d\"><title id=\"fg0123abcdx7-t\">"
		"a &amp; b&#39;</title><g data-n=\"1\" data-any=\"&lt;x&gt;\"><text x=\"1\">a<tspan>b</tspan></text></g>"
		"</svg>\n"}
	};
	FgContext	ctx = fg_malloc_context();

	unit_case("what our pictures have");
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		FgBuffer	out;
		FgSvgParts	parts;

		unit_note("row %zu", i);
		CHECK(copy(&ctx, rows[i].svg, strlen(rows[i].svg), 7, &out, &parts));
		CHECK(!parts.data);
		CHECK_TEXT(out.data, out.size, rows[i].copied);
		fg_release(&ctx, out.data);
	}
}

static void
test_refused(void)
{
	static const char *const rows[] = {
		"", "x", "<", "<svg", "<svg>", "<svg></svg>", OPEN, OPEN "</svg", OPEN "</svg>x",
		OPEN "<g></svg>",
		OPEN "</svg><svg id=\"fg0123abcd\"></svg>", "<!DOCTYPE svg>" OPEN "</svg>",
		"<?xml version=\"1.0\"?>" OPEN "</svg>",
		"\n" OPEN "</svg>", OPEN "<!-- a --></svg>", OPEN "<![CDATA[a]]></svg>",
		/* elements */
		OPEN "<a></a></svg>", OPEN "<foreignObject></foreignObject></svg>", OPEN "<image/></svg>",
		OPEN "<use/></svg>", OPEN "<svg id=\"fg0123abcd\"/></svg>", OPEN "<SCRIPT></SCRIPT></svg>",
		OPEN "<animate/></svg>", OPEN "<set/></svg>", OPEN "<iframe/></svg>", OPEN "<p></p></svg>",
		OPEN "<title><b></b></title></svg>", OPEN "<title><rect/></title></svg>",
		OPEN "<text><rect/></text></svg>",
		OPEN "<metadata><g/></metadata></svg>", OPEN "text</svg>", OPEN "<g>text</g></svg>",
		OPEN "<script>", OPEN "<style>a</svg>", OPEN "<script src=\"x\"/></svg>",
		/* attributes */
		OPEN "<rect onload=\"x\"/></svg>", OPEN "<rect style=\"x\"/></svg>",
		OPEN "<rect href=\"x\"/></svg>",
		OPEN "<rect xlink:href=\"x\"/></svg>", OPEN "<rect x=\"1\" x=\"2\"/></svg>",
		OPEN "<rect x=1/></svg>",
		OPEN "<rect x='1'/></svg>", OPEN "<rect x/></svg>", OPEN "<rect x=\"1/></svg>",
		OPEN "<rect x=\"&lt;\"/></svg>",
		OPEN "<rect  x=\"1\"/></svg>", OPEN "<rect x=\"a;b\"/></svg>",
		OPEN "<rect data-=\"1\"/></svg>",
		"<svg id=\"x\"></svg>", "<svg id=\"fg0123ABCD\"></svg>", "<svg id=\"fg0123abcd-t\"></svg>",
		"<svg xmlns=\"http://www.w3.org/1999/xhtml\" id=\"fg0123abcd\"></svg>",
		"<svg class=\"fg\"><g id=\"fg0123abcd\"/></svg>",
		/* names of what is not a part */
		OPEN "<g id=\"main\"/></svg>", OPEN "<g id=\"fg0123abce-m\"/></svg>",
		OPEN "<g id=\"fg0123abcd m\"/></svg>",
		OPEN "<rect fill=\"url(#main)\"/></svg>", OPEN "<rect fill=\"url(http://x)\"/></svg>",
		OPEN "<rect fill=\"red url(#fg0123abcd-m)\"/></svg>",
		OPEN "<rect x=\"url(#fg0123abcd-m)\"/></svg>",
		OPEN "<rect fill=\"url(#fg0123abcd-m) url(#x)\"/></svg>",
		OPEN "<rect clip-path=\"url(#fg0123abcd-m\"/></svg>",
		/* text */
		OPEN "<title>&nbsp;</title></svg>", OPEN "<title>&#0;</title></svg>",
		OPEN "<title>&#x202E;</title></svg>",
		OPEN "<title>a>b</title></svg>", OPEN "<title>\x01</title></svg>",
		OPEN "<title>\xE2\x80\xAE</title></svg>",
		OPEN "<rect data-n=\"<\"/></svg>", OPEN "<title>a"
	};
	FgContext	ctx = fg_malloc_context();

	unit_case("what they do not have");
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		FgBuffer	out;
		FgSvgParts	parts;

		unit_note("row %zu: %s", i, rows[i]);
		CHECK_ERROR(copy(&ctx, rows[i], strlen(rows[i]), 1, &out, &parts), &ctx, FG_ERROR_ARGUMENT);
		fg_release(&ctx, out.data);
	}
}

static void
test_deep(void)
{
	FgContext	ctx = fg_malloc_context();
	FgBuffer	svg = {.ctx = &ctx};
	FgBuffer	out;
	FgSvgParts	parts;

	unit_case("nested without end");
	CHECK(fg_buffer_append(&svg, OPEN, strlen(OPEN)));
	for (int i = 0; i < 100000; i++)
		CHECK(fg_buffer_append(&svg, "<g>", 3));
	CHECK_ERROR(copy(&ctx, (char *) svg.data, svg.size, 1, &out, &parts), &ctx, FG_ERROR_ARGUMENT);
	fg_release(&ctx, out.data);
	fg_release(&ctx, svg.data);
}

/* A picture of names that break pictures, cut at each byte and with each byte changed. */
static bool
drawn(FgContext *ctx, FgBuffer *svg)
{
	static const char *const stacks[] = {"main;a<b>&\"'", "main;</title><script>x", "main;\xE2\x80\xAE"};
	FgFlameOptions options = fg_flame_defaults();
	FgBuilder  *builder = fg_builder_create(ctx);
	FgTree		tree = {.nnodes = 0};
	bool		ok = builder != NULL;

	options.interactive = true;
	for (size_t i = 0; ok && i < COUNT(stacks); i++)
		ok = fg_builder_add(builder, stacks[i], strlen(stacks[i]), ';', false, (double) (i + 1));
	ok = ok && fg_builder_finish(builder, &tree) && fg_flame_svg(&tree, &options, svg);
	if (builder != NULL)
		fg_builder_free(builder);
	fg_tree_free(ctx, &tree);
	return ok;
}

static bool
copy_drawn(FgContext *ctx, void *arg)
{
	FgBuffer	svg = {.ctx = ctx};
	FgBuffer	out = {.ctx = ctx};
	FgSvgParts	parts;
	bool		ok = drawn(ctx, &svg) && copy(ctx, (char *) svg.data, svg.size, 1, &out, &parts);

	(void) arg;
	fg_release(ctx, svg.data);
	fg_release(ctx, out.data);
	return ok;
}

static void
test_cut(void)
{
	FgContext	ctx = fg_malloc_context();
	FgBuffer	svg = {.ctx = &ctx};
	FgBuffer	out;
	FgSvgParts	parts;
	size_t		end;

	unit_case("a real picture, whole and cut");
	CHECK(drawn(&ctx, &svg));
	CHECK(copy(&ctx, (char *) svg.data, svg.size, 1, &out, &parts));
	CHECK(parts.data);
	CHECK(fg_buffer_append(&out, "", 1));
	CHECK(strstr((char *) out.data, "<script") == NULL && strstr((char *) out.data, "<style") == NULL);
	fg_release(&ctx, out.data);
	/* the end of a line may be missing */
	for (end = 0; end + 1 < svg.size; end += end < 3000 || end + 200 > svg.size ? 1 : 97)
	{
		CHECK_ERROR(copy(&ctx, (char *) svg.data, end, 1, &out, &parts), &ctx, FG_ERROR_ARGUMENT);
		fg_release(&ctx, out.data);
	}
	fg_release(&ctx, svg.data);
	unit_sweep_memory("copying a picture", copy_drawn, NULL);
}

int
main(void)
{
	test_passes();
	test_refused();
	test_deep();
	test_cut();
	return unit_finish();
}
