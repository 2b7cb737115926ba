/*
 * test_match.c
 *	  Frames as the tools write them, and the functions of a document that they mean.
 */
#include "unit.h"

#include "core/editor/match.h"
#include "core/editor/text.h"

static const struct
{
	FgLanguage	language;
	const char *frame;
	const char *parts;			/* file, name, owner, line, arguments */
}			names[] = {
	/* V8, as folded, as a .cpuprofile has them, and as Firefox does */
	{FG_LANGUAGE_JAVASCRIPT, "orders.js:distance", "orders.js distance - 0 -1"},
	{FG_LANGUAGE_JAVASCRIPT, "random.js:(anonymous):13", "random.js  - 13 -1"},
	{FG_LANGUAGE_JAVASCRIPT, "loader:Module._compile", "loader _compile Module 0 -1"},
	{FG_LANGUAGE_JAVASCRIPT, "distance orders.js:11:5", "orders.js distance - 11 -1"},
	{FG_LANGUAGE_JAVASCRIPT, "run (file:///srv/app/orders.js:74:30)", "file:///srv/app/orders.js run - 74 -1"},
	{FG_LANGUAGE_JAVASCRIPT, "main.js", "main.js  - 0 -1 whole"},
	/* py-spy, Austin, cProfile */
	{FG_LANGUAGE_PYTHON, "load (app/data.py:12)", "app/data.py load - 12 -1"},
	{FG_LANGUAGE_PYTHON, "load (a, b={1:   b  )", "- load - 0 2"},
	{FG_LANGUAGE_PYTHON, "load (script:12)", "script load - 12 -1"},
	{FG_LANGUAGE_PYTHON, "load (data.py)", "data.py load - 0 -1"},
	{FG_LANGUAGE_PYTHON, "/app/data.py:load:12", "/app/data.py load - 12 -1"},
	{FG_LANGUAGE_PYTHON, "<module> (data.py:3)", "data.py  - 3 -1 whole"},
	{FG_LANGUAGE_PYTHON, "<lambda> (data.py:3)", "data.py  - 3 -1"},
	{FG_LANGUAGE_PYTHON, "pkg.data.Loader.load", "- load Loader 0 -1"},
	{FG_LANGUAGE_PYTHON, "outer.<locals>.inner", "- inner outer 0 -1"},
	/* symbols of perf and pprof */
	{FG_LANGUAGE_CPP, "ns::Foo<int, std::map<int, int> >::get(int, char const*) const", "- get Foo 0 2"},
	{FG_LANGUAGE_CPP, "void ns::sort<int>(int*)", "- sort ns 0 1"},
	{FG_LANGUAGE_CPP, "ns::run(int)::{lambda(int)#1}::operator()(int) const", "- run ns 0 1"},
	{FG_LANGUAGE_CPP, "Foo::operator()(int)", "- operator() Foo 0 1"},
	{FG_LANGUAGE_CPP, "main", "- main - 0 -1"},
	{FG_LANGUAGE_C, "fg_scan.isra.0", "- fg_scan - 0 -1"},
	{FG_LANGUAGE_C, "do_syscall_64_[k]", "- do_syscall_64 - 0 -1"},
	{FG_LANGUAGE_RUST, "shop::cart::total::h0123456789abcdef", "- total cart 0 -1"},
	{FG_LANGUAGE_RUST, "<shop::Cart as core::fmt::Display>::fmt", "- fmt Cart 0 -1"},
	{FG_LANGUAGE_RUST, "shop::cart::total::{{closure}}", "- total cart 0 -1"},
	{FG_LANGUAGE_GO, "github.com/x/shop.(*Cart).Total.func1.2", "- Total Cart 0 -1"},
	{FG_LANGUAGE_GO, "main.Map[...]", "- Map main 0 -1"},
	/* JFR, async-profiler, perf-map-agent */
	{FG_LANGUAGE_JAVA, "shop.service.Cart.total", "- total Cart 0 -1"},
	{FG_LANGUAGE_JAVA, "shop/service/Cart.total_[j]", "- total Cart 0 -1"},
	{FG_LANGUAGE_JAVA, "shop.Cart.total:41", "- total Cart 41 -1"},
	{FG_LANGUAGE_JAVA, "Lshop/Cart;::total", "- total Cart 0 -1"},
	{FG_LANGUAGE_JAVA, "shop.Cart$Line.<init>", "- <init> Line 0 -1"},
	{FG_LANGUAGE_JAVA, "shop.Cart.lambda$total$0", "- total Cart 0 -1"},
	{FG_LANGUAGE_JAVA, "shop.Cart.total(int, String)", "- total Cart 0 2"}
};

static void
test_names(void)
{
	for (size_t i = 0; i < COUNT(names); i++)
	{
		FgFrameName name;
		char		got[4200] = "";

		unit_case("%s", names[i].frame);
		if (CHECK(fg_frame_name(names[i].language, names[i].frame, strlen(names[i].frame), &name)))
			snprintf(got, sizeof(got), "%s %s %s %u %d%s", name.file != NULL ? name.file : "-", name.name,
					 name.owner != NULL ? name.owner : "-", name.line, (int) name.arguments, name.whole ? " whole" : "");
		CHECK_TEXT(got, strlen(got), names[i].parts);
	}
}

/* --- documents ---------------------------------------------------------------------------- */

static const char javascript[] = "function a() {\n}\nclass K {\n  b() {}\n}\nx.map((q) => {\n  return 1;\n});\n";
static const char java[] = "package p;\nclass Cart {\n  Cart() {}\n  int total(int a) {}\n  int total() {}\n}\n";
static const char python[] = "def load():\n    pass\nclass L:\n    def load(self):\n        pass\n";
static const char go[] = "package shop\nfunc (c *Cart) Total() {}\nfunc Total() {}\n";

static const struct
{
	FgLanguage	language;
	const char *path;
	const char *text;
	const char *frame;
	FgMatchKind kind;
	unsigned	line;			/* of the function, from 1 */
}			matches[] = {
	{FG_LANGUAGE_JAVASCRIPT, "/w/orders.js", javascript, "orders.js:a", FG_MATCH_FUNCTION, 1},
	{FG_LANGUAGE_JAVASCRIPT, "/w/orders.js", javascript, "K.b orders.js:4:3", FG_MATCH_FUNCTION, 4},
	{FG_LANGUAGE_JAVASCRIPT, "/w/orders.js", javascript, "orders.js:(anonymous):6", FG_MATCH_FUNCTION, 6},
	{FG_LANGUAGE_JAVASCRIPT, "/w/orders.js", javascript, "orders.js:gone", FG_MATCH_UNKNOWN, 0},
	{FG_LANGUAGE_JAVASCRIPT, "/w/orders.js", javascript, "other.js:a", FG_MATCH_NONE, 0},
	{FG_LANGUAGE_JAVASCRIPT, "/w/orders.js", javascript, "orders.js", FG_MATCH_FILE, 0},
	{FG_LANGUAGE_JAVASCRIPT, "/w/src/index.js", javascript, "a /build/lib/index.js:1:1", FG_MATCH_NONE, 0},
	{FG_LANGUAGE_JAVASCRIPT, "/w/src/index.js", javascript, "a /build/src/index.js:1:1", FG_MATCH_FUNCTION, 1},
	{FG_LANGUAGE_JAVA, "/w/Cart.java", java, "p.Cart.total(int)", FG_MATCH_FUNCTION, 4},
	{FG_LANGUAGE_JAVA, "/w/Cart.java", java, "p.Cart.total()", FG_MATCH_FUNCTION, 5},
	{FG_LANGUAGE_JAVA, "/w/Cart.java", java, "p.Cart.total:5", FG_MATCH_FUNCTION, 5},
	{FG_LANGUAGE_JAVA, "/w/Cart.java", java, "p.Cart.<init>", FG_MATCH_FUNCTION, 3},
	{FG_LANGUAGE_JAVA, "/w/Cart.java", java, "p.Other.total", FG_MATCH_NONE, 0},
	{FG_LANGUAGE_PYTHON, "/w/data.py", python, "load (data.py:2)", FG_MATCH_FUNCTION, 1},
	{FG_LANGUAGE_PYTHON, "/w/data.py", python, "load (data.py:5)", FG_MATCH_FUNCTION, 4},
	{FG_LANGUAGE_PYTHON, "/w/data.py", python, "pkg.data.load", FG_MATCH_FUNCTION, 1},
	{FG_LANGUAGE_PYTHON, "/w/data.py", python, "<module> (data.py:1)", FG_MATCH_FILE, 0},
	{FG_LANGUAGE_GO, "/w/cart.go", go, "x.org/shop.(*Cart).Total", FG_MATCH_FUNCTION, 2},
	{FG_LANGUAGE_GO, "/w/cart.go", go, "x.org/shop.Total.func1", FG_MATCH_FUNCTION, 3},
	{FG_LANGUAGE_GO, "/w/cart.go", go, "x.org/till.Total", FG_MATCH_NONE, 0}
};

static void
test_matches(void)
{
	for (size_t i = 0; i < COUNT(matches); i++)
	{
		UnitMemory	memory = {0};
		FgContext	ctx = unit_context(&memory);
		FgSourceText		text;
		FgFunctions functions;
		FgFrameName name;
		uint32_t   *order;
		uint32_t	function;

		unit_case("%s in %s", matches[i].frame, matches[i].path);
		CHECK(fg_text_begin(&ctx, &text, matches[i].text, strlen(matches[i].text)));
		CHECK(fg_scan_functions(&ctx, matches[i].language, matches[i].text, strlen(matches[i].text), &functions));
		order = fg_match_order(&ctx, &functions, matches[i].text);
		if (CHECK(order != NULL) && CHECK(fg_frame_name(matches[i].language, matches[i].frame, strlen(matches[i].frame), &name)))
		{
			FgSourceFile	document = {matches[i].language, matches[i].path, strlen(matches[i].path), matches[i].text,
			text.lines, text.line_count, &functions, order};

			CHECK_COUNT(fg_match_frame(&document, &name, &function), matches[i].kind);
			if (matches[i].line > 0 && CHECK(function != FG_NONE))
				CHECK_COUNT(fg_text_place(&text, functions.items[function].start).line + 1, matches[i].line);
		}
		fg_release(&ctx, order);
		fg_functions_free(&ctx, &functions);
		fg_text_free(&text);
		CHECK_COUNT(memory.blocks, 0);
	}
}

/* Whatever a frame is, its parts lie in the bytes of the name. */
static void
test_hostile(void)
{
	static const char letters[] = "a:(.<$>[{~)]} }o/'0\xC3\xA9,";
	UnitRandom	random = {11};
	FgFrameName name;
	char		frame[64];

	unit_case("random frames");
	CHECK(!fg_frame_name(FG_LANGUAGE_C, "", 0, &name));
	for (int i = 0; i < 20000; i++)
	{
		size_t		length = 1 + unit_below(&random, 40);

		for (size_t k = 0; k < length; k++)
			frame[k] = letters[unit_below(&random, sizeof(letters) - 1)];
		unit_note("%.*s", (int) length, frame);
		CHECK(fg_frame_name((FgLanguage) (1 + i % 7), frame, length, &name));
		CHECK(name.file == NULL || strlen(name.file) <= length);
		CHECK(strlen(name.name) <= length && (name.owner == NULL || strlen(name.owner) <= length));
	}
}

int
main(void)
{
	test_names();
	test_matches();
	test_hostile();
	return unit_finish();
}
