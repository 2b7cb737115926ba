/*
 * test_scan.c
 *	  The functions of source files in each language: names, owners, arguments, lines and
 *	  nesting, written down by hand; and that no bytes make the scanner say what is not there.
 */
#include "unit.h"

#include "core/editor/scan.h"

/* name|owner|arguments|first line-last line|the function around it */
static const struct
{
	FgLanguage	language;
	const char *name;
	const char *source;
	const char *functions;
}			cases[] = {
	{FG_LANGUAGE_CPP, "C++",
		"#include <x>\n"
		"namespace a::b {\n"
		"template <typename T> class Foo : public Bar<T> {\n"
		"public:\n"
		"	Foo(int x) : x_(x), y{2} { }\n"
		"	~Foo() { }\n"
		"	bool operator()(int a, std::map<int, int> b) const { return a < b; }\n"
		"	Foo &operator=(const Foo &o) { return *this; }\n"
		"	int get() const noexcept { auto f = [this](int q) { return q; }; return f(1); }\n"
		"};\n"
		"int free_one(int (*cb)(int, int), const char *s = \"){\") { if (cb) { return 1; } for (;;) { } }\n"
		"}\n"
		"int a::b::Foo<int>::other(void)\n"
		"{\n"
		"	switch (x) { case 1: { } }\n"
		"	return R\"x(\n"
		"	}} )\" )x\" ? 1 : 2;\n"
		"}\n"
		"extern \"C\" {\n"
		"static inline int __attribute__((noinline)) c_fn(void) { return 0; }\n"
		"}\n"
		"MACRO(thing)\n"
		"void after(void) { struct point p = { 1, 2 }; }\n"
		"struct point make(int a) { return (struct point) {a}; }\n"
		"#if A\n"
		"int cond(int a) {\n"
		"#else\n"
		"int cond(long a) {\n"
		"#endif\n"
		"	return 1;\n"
		"}\n"
		"static const struct x table[] = { {f(1)}, };\n"
		"int last() try { } catch (...) { }\n"
		"enum E { A, B };\n"
		,
		"Foo|Foo|1|5-5|-1\n"
		"~Foo|Foo|0|6-6|-1\n"
		"operator()|Foo|2|7-7|-1\n"
		"operator=|Foo|1|8-8|-1\n"
		"get|Foo|0|9-9|-1\n"
		"free_one|b|2|11-11|-1\n"
		"other|Foo|0|13-18|-1\n"
		"c_fn||0|20-20|-1\n"
		"after||0|23-23|-1\n"
		"make||1|24-24|-1\n"
		"cond||1|26-28|-1\n"
		"cond||1|28-31|-1\n"
		"last||0|33-33|-1\n"
	},
	{FG_LANGUAGE_JAVASCRIPT, "JavaScript",
		"'use strict';\n"
		"function a(x, { y }) { return /[/}]\"/.test(x) ? `${x.map((q) => { return q; })} }` : 1 / 2; }\n"
		"const b = async (x) => x + 1;\n"
		"const c = x => { return x; };\n"
		"exports.run = function run() { };\n"
		"exports.other = function () { }\n"
		"module.exports = { d() { }, e: function () {}, get f() { return 1; }, async *g() {}, h: (a) => a };\n"
		"class K extends Base {\n"
		"  static #p = 1;\n"
		"  constructor(a) { super(a); }\n"
		"  method(a, b) { if (a) { b(); } list.forEach(function (x) { x(); }); }\n"
		"  handle = () => { this.method(); };\n"
		"  async load() { for (const q of z) { } }\n"
		"}\n"
		"export default function named<T>(a: T): { b: number } { return { b: 1 }; }\n"
		"export const typed = (a: number): string => { return ''; };\n"
		"if (a) { b(); } else { c(); }\n"
		"setTimeout(() => { a(); }, 10);\n"
		"const obj = cond ? { z() { } } : null;\n"
		"function last() {}\n"
		"lines.map(parse);\n"
		,
		"a||2|2-2|-1\n"
		"||1|2-2|0\n"
		"b||1|3-3|-1\n"
		"c||1|4-4|-1\n"
		"run||0|5-5|-1\n"
		"other||0|6-6|-1\n"
		"d||0|7-7|-1\n"
		"e||0|7-7|-1\n"
		"f||0|7-7|-1\n"
		"g||0|7-7|-1\n"
		"h||1|7-7|-1\n"
		"constructor|K|1|10-10|-1\n"
		"method|K|2|11-11|-1\n"
		"||1|11-11|12\n"
		"handle|K|0|12-12|-1\n"
		"load|K|0|13-13|-1\n"
		"named||1|15-15|-1\n"
		"typed||1|16-16|-1\n"
		"||0|18-18|-1\n"
		"z||0|19-19|-1\n"
		"last||0|20-20|-1\n"
	},
	{FG_LANGUAGE_GO, "Go",
		"package shop\n"
		"\n"
		"type T struct { a int }\n"
		"type I interface {\n"
		"	Foo(x int) error\n"
		"}\n"
		"\n"
		"func (t *T) Method(a, b int) (int, error) {\n"
		"	go func() { t.x() }()\n"
		"	return 1, nil\n"
		"}\n"
		"func Map[K comparable, V any](m map[K]V, f func(K) V) []V {\n"
		"	for k := range m { f(k) }\n"
		"	x := struct{ a int }{1}\n"
		"	return nil\n"
		"}\n"
		"func (s Stack[T]) Push(x T) { s.v = append(s.v, `}`) }\n"
		"func empty() interface{} { return nil }\n"
		"func noargs() {\n"
		"}\n"
		,
		"Method|T|2|8-11|-1\n"
		"||0|9-9|0\n"
		"Map||2|12-16|-1\n"
		"Push|Stack|1|17-17|-1\n"
		"empty||0|18-18|-1\n"
		"noargs||0|19-20|-1\n"
	},
	{FG_LANGUAGE_RUST, "Rust",
		"mod inner {\n"
		"    pub fn f<'a>(x: &'a str) -> Result<(), Error> where T: Clone { let c = 'x'; let q = '\\''; x.map(|y| { y }) }\n"
		"}\n"
		"impl<T: Fn(i32)> Trait for Foo<T> {\n"
		"    fn go(&self, r#type: u8) -> [u8; 4] { r#\"}\"#; if a { b } else { c } match x { A => { } } [0; 4] }\n"
		"}\n"
		"impl Foo { pub async fn new() -> Self { Foo { a: 1 } } }\n"
		"trait Tr { fn decl(&self); fn def(&self) { fn nested() { } } }\n"
		"/* a /* nested */ } */\n"
		"fn main() { }\n"
		,
		"f|inner|1|2-2|-1\n"
		"go|Foo|2|5-5|-1\n"
		"new|Foo|0|7-7|-1\n"
		"def|Tr|1|8-8|-1\n"
		"nested||0|8-8|3\n"
		"main||0|10-10|-1\n"
	},
	{FG_LANGUAGE_JAVA, "Java",
		"package com.shop.service;\n"
		"import java.util.*;\n"
		"@Service(\"x\")\n"
		"public class A<T> extends B implements C {\n"
		"    private final int[] a = { 1, 2 };\n"
		"    static { init(); }\n"
		"    public A(@Nullable String x, Map<String, Integer> y) throws E, F { super(x); }\n"
		"    @Override @SuppressWarnings({\"unchecked\"})\n"
		"    public <R> List<R> run(int a) {\n"
		"        if (a > 1) { list.forEach(x -> { use(x); }); }\n"
		"        new Thread(new Runnable() { public void run() { go(); } }).start();\n"
		"        return null;\n"
		"    }\n"
		"    abstract int no();\n"
		"    enum Kind { ONE, TWO { void m() { } }; void k() { } }\n"
		"    record P(int x, int y) { int sum() { return x + y; } }\n"
		"    interface I { default void d() { String s = \"\"\"\n"
		"       } { \"\"\"; } }\n"
		"}\n"
		,
		"A|A|2|7-7|-1\n"
		"run|A|1|9-13|-1\n"
		"run||0|11-11|1\n"
		"k|Kind|0|15-15|-1\n"
		"sum|P|0|16-16|-1\n"
		"d|I|0|17-18|-1\n"
	},
	{FG_LANGUAGE_PYTHON, "Python",
		"import x\n"
		"@deco(a,\n"
		"      b)\n"
		"def f(a, b={1: 2}, *c):\n"
		"    \"\"\" def no(): \"\"\"\n"
		"    x = (1,\n"
		"def_ = 2)\n"
		"    def inner():\n"
		"        return 1\n"
		"\n"
		"    # def comment():\n"
		"    return inner\n"
		"\n"
		"class K(Base):\n"
		"    async def m(self): pass\n"
		"    class N:\n"
		"        def n(self):\n"
		"            if a: return\n"
		"            s = 'def q():\\\n"
		" x'\n"
		"def last(): return 1\n"
		,
		"f||-1|4-12|-1\n"
		"inner|f|-1|8-9|0\n"
		"m|K|-1|15-15|-1\n"
		"n|N|-1|17-20|-1\n"
		"last||-1|21-21|-1\n"
	},
};

static unsigned
line_of(const char *text, size_t offset)
{
	unsigned	line = 1;

	for (size_t i = 0; i < offset; i++)
		line += text[i] == '\n';
	return line;
}

static void
describe(const char *text, const FgFunctions *functions, char *out)
{
	*out = '\0';
	for (size_t i = 0; i < functions->count; i++)
	{
		const FgFunction *f = &functions->items[i];

		out += sprintf(out, "%.*s|%.*s|%d|%u-%u|%d\n", (int) f->name.length, text + f->name.at, (int) f->owner.length,
					   text + f->owner.at, (int) f->arguments, line_of(text, f->start), line_of(text, f->end), (int) f->outer);
	}
}

static void
test_languages(void)
{
	char		got[8192];

	for (size_t i = 0; i < COUNT(cases); i++)
	{
		UnitMemory	memory = {0};
		FgContext	ctx = unit_context(&memory);
		FgFunctions functions;

		unit_case("%s", cases[i].name);
		CHECK(fg_scan_functions(&ctx, cases[i].language, cases[i].source, strlen(cases[i].source), &functions));
		describe(cases[i].source, &functions, got);
		CHECK_TEXT(got, strlen(got), cases[i].functions);
		CHECK(!functions.cut);
		fg_functions_free(&ctx, &functions);
		CHECK_COUNT(memory.blocks, 0);
	}
}

/* All of them lie within the text, and within the function around them. */
static void
check_bounds(const char *text, size_t size, FgLanguage language)
{
	UnitMemory	memory = {0};
	FgContext	ctx = unit_context(&memory);
	FgFunctions functions;
	char	   *copy = malloc(size + 1);	/* of just this size, so that a read too far is seen */

	memcpy(copy + 1, text, size);
	if (CHECK(fg_scan_functions(&ctx, language, copy + 1, size, &functions)))
	{
		for (size_t i = 0; i < functions.count; i++)
		{
			const FgFunction *f = &functions.items[i];

			CHECK(f->start <= f->end && f->end <= size && f->name.at + f->name.length <= size &&
				  f->owner.at + f->owner.length <= size && (f->outer == FG_NONE || f->outer < functions.count));
		}
		fg_functions_free(&ctx, &functions);
	}
	free(copy);
	CHECK_COUNT(memory.blocks, 0);
}

/* Every language reads every source, cut at every byte. */
static void
test_cut(void)
{
	unit_case("cut");
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		for (size_t size = 0; size <= strlen(cases[i].source); size++)
		{
			unit_note("%s, %zu bytes", cases[i].name, size);
			check_bounds(cases[i].source, size, (FgLanguage) (FG_LANGUAGE_C + (size + i) % 7));
			check_bounds(cases[i].source, size, cases[i].language);
		}
	}
}

static void
test_limits(void)
{
	size_t		size = 1000000;
	char	   *text = malloc(size);
	UnitMemory	memory = {0};
	FgContext	ctx = unit_context(&memory);
	FgFunctions functions;

	unit_case("too many, and too deep");
	for (size_t i = 0; i + 8 <= size; i += 8)
		memcpy(text + i, "f(){\n}\n ", 8);
	CHECK(fg_scan_functions(&ctx, FG_LANGUAGE_C, text, size, &functions));
	CHECK_COUNT(functions.count, FG_MAX_FUNCTIONS);
	CHECK(functions.cut);
	fg_functions_free(&ctx, &functions);
	memset(text, '(', size);
	CHECK(fg_scan_functions(&ctx, FG_LANGUAGE_CPP, text, size, &functions));
	CHECK(functions.cut && functions.count == 0);
	fg_functions_free(&ctx, &functions);
	memset(text, '/', size);
	memory.polls = 0;
	CHECK(fg_scan_functions(&ctx, FG_LANGUAGE_JAVASCRIPT, text, size, &functions));
	fg_functions_free(&ctx, &functions);
	free(text);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_names(void)
{
	unit_case("names of languages");
	CHECK(fg_language_of("cpp", 3, "x.py", 4) == FG_LANGUAGE_CPP);
	CHECK(fg_language_of("", 0, "/a.b/x.py", 9) == FG_LANGUAGE_PYTHON);
	CHECK(fg_language_of("typescriptreact", 15, "", 0) == FG_LANGUAGE_JAVASCRIPT);
	CHECK(fg_language_of("", 0, "/a.py/x", 7) == FG_LANGUAGE_NONE);
	CHECK(fg_language_of("plaintext", 9, "README", 6) == FG_LANGUAGE_NONE);
}

static bool
scan_all(FgContext *ctx, void *arg)
{
	(void) arg;
	for (size_t i = 0; i < COUNT(cases); i++)
	{
		FgFunctions functions;

		if (!fg_scan_functions(ctx, cases[i].language, cases[i].source, strlen(cases[i].source), &functions))
			return false;
		fg_functions_free(ctx, &functions);
	}
	return true;
}

int
main(void)
{
	test_languages();
	test_cut();
	test_limits();
	test_names();
	unit_sweep_memory("memory", scan_all, NULL);
	return unit_finish();
}
