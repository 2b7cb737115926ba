/*
 * frame_rules.c
 *	  frame_rules(name): rule sets for rename_frames() that take the parts of frame
 *	  names away which change from run to run or split a function in several.
 *
 * Each rule is a PostgreSQL regular expression and its replacement; the comments
 * show what real tools print.
 */
#include "glue.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

typedef struct Rule
{
	const char *pattern;
	const char *replacement;
} Rule;

static const Rule java_rules[] = {
	/* Rec$$Lambda$82+0x00007f90b0007a08.715521683.run, Foo$$Lambda$14/0x0000000800c03000 */
	{"\\$\\$Lambda(\\$\\d+)?([/+]0x[[:xdigit:]]+)?(\\.\\d+)?(/\\d+)?", "$$Lambda"},
	/* LambdaForm$MH/0x0000000800c1c400.invoke, other hidden classes */
	{"[/+]0x[[:xdigit:]]+(\\.\\d+)?", ""},
	/* com.sun.proxy.$Proxy17.call */
	{"\\$Proxy\\d+", "$Proxy"},
	/* jdk.internal.reflect.GeneratedMethodAccessor42.invoke */
	{"(Generated(?:Method|Constructor|SerializationConstructor)Accessor)\\d+", "\\1"},
	/* Service$$EnhancerBySpringCGLIB$$d5a4b5c6.get */
	{"(\\$\\$\\w+By\\w*CGLIB)\\$\\$[[:xdigit:]]+", "\\1"},
	/* LambdaForm$DMH001 */
	{"(LambdaForm\\$[[:upper:]]+)\\d+", "\\1"}
};

static const Rule python_rules[] = {
	/* <function f at 0x7f2b1c0d5e10> */
	{" at 0x[[:xdigit:]]+", ""},
	/* /usr/lib/python3.11/json/decoder.py */
	{"python\\d+\\.\\d+", "python"},
	/* austin: P1234, T1234 or T0:1234 */
	{"^([PT])\\d+(:\\d+)?$", "\\1"},
	/* Thread-12 (worker) */
	{"Thread-\\d+", "Thread"},
	{"<ipython-input-[^>]*>", "<ipython-input>"}
};

static const Rule node_rules[] = {
	/* LazyCompile:*render /srv/app.js:10:5, JS:~render: how it was compiled */
	{"^(LazyCompile|Function|Script|Eval|JS|RegExp):[*~^+]?", "\\1:"},
	/* node:internal/modules/cjs/loader:1105:14 keeps its place; eval'ed code has none */
	{"evalmachine\\.<anonymous>(:\\d+)*", "evalmachine.<anonymous>"},
	{"\\mworker_threads?[- ]\\d+", "worker_thread"}
};

/* A rule never leaves nothing of a frame: suffixes need a character before them. */

static const Rule cpp_rules[] = {
	/* f.constprop.0, f.isra.0.cold, f.part.3, f.lto_priv.12, f.llvm.123 */
	{"(?<=.)(\\.(constprop|isra|part|cold|lto_priv|llvm)(\\.\\d+)*)+(?=$|_\\[|[^[:alnum:]_.])", ""},
	{"(?<=.) \\[clone [^]]*\\]", ""},
	/* memcpy@@GLIBC_2.14, operator new@GLIBCXX_3.4, puts@plt */
	{"(?<=.)(@@?[[:upper:]][[:upper:][:digit:]]*_[[:digit:].]+|@plt)$", ""},
	/* main::{lambda(int)#2}::operator() */
	{"\\{lambda\\(([^{}]*)\\)#\\d+\\}", "{lambda(\\1)}"},
	/* f+0x1f */
	{"(?<=.)\\+0x[[:xdigit:]]+(/0x[[:xdigit:]]+)?", ""}
};

static const Rule address_rules[] = {
	/* f+0x1f, f+0x1f/0x40 */
	{"(?<=.)\\+0x[[:xdigit:]]+(/0x[[:xdigit:]]+)?", ""},
	/* 0x7f90b0007a08, [7f90b0007a08]; not words such as deadbeef */
	{"0x[[:xdigit:]]+", "0x"},
	{"^\\[?(?=[[:xdigit:]]*\\d)[[:xdigit:]]{8,16}\\]?$", "[unknown]"}
};

/* a.py:f:12, render app.js:10:5 */
static const Rule line_rules[] = {
	{"(?<=.)(:\\d+){1,2}$", ""}
};

/* Rec.sort_[j], [i], [0], [1]: compiled, inlined, interpreted, C1; not the kernel's [k] */
static const Rule jit_mode_rules[] = {
	{"(?<=.)_\\[[ji01]\\]$", ""}
};

static const struct
{
	const char *name;
	const Rule *rules;
	int			count;
}			rule_sets[] = {
	{"java", java_rules, lengthof(java_rules)},
	{"python", python_rules, lengthof(python_rules)},
	{"node", node_rules, lengthof(node_rules)},
	{"cpp", cpp_rules, lengthof(cpp_rules)},
	{"addresses", address_rules, lengthof(address_rules)},
	{"lines", line_rules, lengthof(line_rules)},
	{"jit_modes", jit_mode_rules, lengthof(jit_mode_rules)}
};

PG_FUNCTION_INFO_V1(flamegraph_frame_rules);
Datum
flamegraph_frame_rules(PG_FUNCTION_ARGS)
{
	const char *names[lengthof(rule_sets)];
	Datum	   *elements;
	int			set;
	int			dims[2];
	int			bounds[2] = {1, 1};

	for (int i = 0; i < (int) lengthof(rule_sets); i++)
		names[i] = rule_sets[i].name;
	set = fg_word(PG_GETARG_SPAN(0), "name", names, lengthof(names));
	elements = palloc(2 * rule_sets[set].count * sizeof(Datum));
	for (int i = 0; i < rule_sets[set].count; i++)
	{
		elements[2 * i] = CStringGetTextDatum(rule_sets[set].rules[i].pattern);
		elements[2 * i + 1] = CStringGetTextDatum(rule_sets[set].rules[i].replacement);
	}
	dims[0] = rule_sets[set].count;
	dims[1] = 2;
	PG_RETURN_ARRAYTYPE_P(construct_md_array(elements, NULL, 2, dims, bounds, TEXTOID, -1, false,
											 TYPALIGN_INT));
}
