/*
 * reshaping_rules.c
 *	  frame_rules(name): rule sets for rename_frames() that take the parts of frame
 *	  names away which change from run to run or split a function in several.
 *
 * Each rule is a PostgreSQL regular expression and its replacement; the comments
 * show what real tools print.
 */
#include "pg/base/values.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "pg/base/arguments.h"

typedef struct Rule
{
	const char *pattern;
	const char *replacement;
} Rule;

/*
 * Frames keep at least one character: a rule that leaves nothing of what it matches
 * wants a character before it.  What a rule leaves no rule of the set matches again:
 * rules for what stands farther behind come first.
 */

static const Rule java_rules[] = {
	/*
	 * Rec$$Lambda$82+0x00007f90b0007a08.715521683.run (JFR, 17), Rec$$Lambda.0x0000000034080210.run
	 * (25), Foo$$Lambda$14/0x0000000800c03000.run (stack traces), Foo$$Lambda$14/1234567.run (8);
	 * Rec.lambda$main$12, the lambda's body, is javac's name and keeps its number
	 */
	{"\\$\\$Lambda([$/+.](0x[[:xdigit:]]+|\\d+))+\\M", "$$Lambda"},
	/*
	 * LambdaForm$MH+0x00007f666800a800.1083962448.invoke, LambdaForm$MH/0x0000000800c1c400.invoke,
	 * String$$StringConcat.0x00000000344a5000.concat, other hidden classes
	 */
	{"(?<=.)([/+.]0x[[:xdigit:]]+(\\.\\d+)*)+\\M", ""},
	/* LambdaForm$DMH001, LambdaForm$DMH/1747585824 (8) */
	{"(LambdaForm\\$[[:upper:]]+)(/?\\d+)+\\M", "\\1"},
	/* com.sun.proxy.$Proxy17.call, $Proxy28.area; not Outer$Proxy2, which is a class of Outer */
	{"(?<![\\w$])\\$Proxy\\d+\\M", "$Proxy"},
	/* jdk.proxy2.$Proxy26.work: packages of proxies are numbered, too */
	{"\\mjdk([./])proxy\\d+\\M", "jdk\\1proxy"},
	/* jdk.internal.reflect.GeneratedMethodAccessor42.invoke */
	{"(Generated(?:Method|Constructor|SerializationConstructor)Accessor)\\d+\\M", "\\1"},
	/* Service$$EnhancerBySpringCGLIB$$d5a4b5c6.get */
	{"(\\$\\$\\w+By\\w*CGLIB)(\\$\\$[[:xdigit:]]+)+\\M", "\\1"},
	/* [perf-1234.map]: code without a symbol */
	{"\\mperf-\\d+\\.map\\M", "perf.map"},
	/* Lshop/Json;::write (perf-map-agent) is shop.Json.write elsewhere */
	{"(?<=^L[\\w$./]*)/(?=[\\w$./]*;::)", "."},
	{"^L([\\w$.]+);::(?=.)", "\\1."}
};

static const Rule python_rules[] = {
	/* <function f at 0x7f2b1c0d5e10>, <code object f at 0x7fb05edc5790, file "f.py", line 82> */
	{"(?<=.) at 0x[[:xdigit:]]+", ""},
	/* /usr/lib/python3.11/json/decoder.py */
	{"python\\d+\\.\\d+", "python"},
	/* Austin: P1234, T1234 or T0:1234 */
	{"^([PT])\\d+(:\\d+)?$", "\\1"},
	/* py-spy: process 1234:"python f.py", thread (1234): MainThread, thread (0x7F8A42D5) */
	{"^process \\d+:", "process:"},
	{"^thread \\((0x)?[[:xdigit:]]+\\)", "thread"},
	/* <_MainThread(MainThread, started 140395483058240)>, <Thread(work, stopped daemon 1403)> */
	{"(, (?:started|stopped)(?: daemon)?) \\d+(?=\\)>)", "\\1"},
	/* Thread-12 (worker), Dummy-1, ThreadPoolExecutor-0_3, asyncio_0: counted */
	{"\\m(Thread|Dummy)(-\\d+)+\\M", "\\1"},
	{"\\mThreadPoolExecutor-\\d+_\\d+\\M", "ThreadPoolExecutor"},
	{"\\masyncio_\\d+(?=$|,)", "asyncio"},
	{"<ipython-input-[^>]*>", "<ipython-input>"}
};

static const Rule node_rules[] = {
	/*
	 * LazyCompile:*render /srv/app.js:10:5, JS:~render, JS:^ app.js:1:1 (no name): how it was
	 * compiled; not RegExp:^a+, where the sign is the expression's
	 */
	{"^(LazyCompile|Function|Script|Eval|JS):[*~^+]+", "\\1:"},
	/* [perf-1234.map]: code without a symbol */
	{"\\mperf-\\d+\\.map\\M", "perf.map"}
};

static const Rule cpp_rules[] = {
	/* f+0x1f, memcpy@@GLIBC_2.14+0x2d */
	{"(?<=.)\\+0x[[:xdigit:]]+(/0x[[:xdigit:]]+)?", ""},
	/* library(unsigned int) [clone .constprop.0] [clone .cold] */
	{"(?<=.) \\[clone [^]]*\\]", ""},
	/*
	 * memcpy@@GLIBC_2.14, operator new@GLIBCXX_3.4, f@@GLIBC_PRIVATE, f@@GNUTLS_3_4,
	 * f@@krb5_3_MIT, f@@libjansson.so.4, puts@plt
	 */
	{"(?<=.)(@@?[[:alpha:]][[:alnum:]_.]*)+$", ""},
	/* f.constprop.0, f.isra.0.cold, f.part.3, f.lto_priv.12, f.llvm.123, f.localalias */
	{"(?<=.)(\\.(constprop|isra|part|cold|lto_priv|llvm|localalias)(\\.\\d+)*)+"
	"(?=$|_\\[|[^[:alnum:]_./-])", ""}
};

static const Rule rust_rules[] = {
	/* drop_in_place::h74342f001e641f5a.llvm.2285473261846783311, f.cold */
	{"(?<=.)(\\.(llvm|cold|constprop|isra|part|lto_priv)(\\.\\d+)*)+(?=$|_\\[)", ""},
	/* frames::collect::h0dd36d6da0b543b7: of the crate, its version and all type arguments */
	{"(?<=.)::h[[:xdigit:]]{16}(?=$|_\\[|\\+0x)", ""},
	/* std[e28293b1aa0f68bd]::rt::lang_start_internal: of the crate */
	{"(?<=\\w)\\[[[:xdigit:]]{4,16}\\](?=::)", ""},
	/* _ZN6frames7collect17h0dd36d6da0b543b7E, _RNvCs8vTqmPY442L_6frames7collect: not demangled */
	{"(?<=^_ZN.+)17h[[:xdigit:]]{16}E$", "E"},
	{"(?<=^_R.*)Cs[[:alnum:]]+_(?=\\d)", "Cs_"}
};

static const Rule dotnet_rules[] = {
	/* ... Dispatch()[OptimizedTier1], [QuickJitted], [PreJIT]: how it was compiled (maps for perf) */
	{"(?<=.)\\[(PreJIT|Unknown|MinOptJitted|QuickJitted|Optimized(Tier1)?(OSR)?|InstrumentedTier(Optimized)?)\\]"
	"(?=$|_\\[)", ""},
	/*
	 * void [System.Private.CoreLib] System.Threading.ThreadPoolWorkQueue::Dispatch() is
	 * System.Private.CoreLib!System.Threading.ThreadPoolWorkQueue.Dispatch() in dotnet-trace
	 */
	{"(?<=^[^!(]* \\[[^][]+\\] [^(]*)::(?=[^(:]+\\()", "."},
	{"^[^!(]*? \\[([^][]+)\\] (?=[^(]+\\()", "\\1!"},
	/* stub<1023> AllocateTemporaryEntryPoints<PRECODE_FIXUP>: counted */
	{"^stub<\\d+>", "stub"},
	/* Thread (890475), Process64 Process(86295) (86295) Args: (dotnet-trace) */
	{"^Thread \\(\\d+\\)$", "Thread"},
	{"^(Process(?:32|64)?) (\\S+)\\(\\d+\\) \\(\\d+\\)", "\\1 \\2"},
	/* [perf-1234.map]: code without a symbol */
	{"\\mperf-\\d+\\.map\\M", "perf.map"}
};

static const Rule address_rules[] = {
	/* f+0x1f, f+0x1f/0x40 */
	{"(?<=.)\\+0x[[:xdigit:]]+(/0x[[:xdigit:]]+)?", ""},
	/* 0x7f90b0007a08; not words such as key_0x1f */
	{"\\m0x[[:xdigit:]]+", "0x"},
	/* 7f90b0007a08, [7f90b0007a08]; not words such as deadbeef */
	{"^\\[?(?=[[:xdigit:]]*\\d)[[:xdigit:]]{8,16}\\]?$", "[unknown]"},
	/* [perf-1234.map]: code that a JIT made, without a symbol */
	{"\\mperf-\\d+\\.map\\M", "perf.map"}
};

/* a.py:f:12, render app.js:10:5, f (a.py:12): what fg_frame_line() reads */
static const Rule line_rules[] = {
	{"(?<=.)(?::\\d+){1,2}(\\)?)$", "\\1"}
};

/* Rec.sort_[j], [i], [0], [1]: compiled, inlined, interpreted, C1; not the kernel's [k] */
static const Rule jit_mode_rules[] = {
	{"(?<=.)(_\\[[ji01]\\])+$", ""}
};

/* worker-23024, worker-23024/23031: what perf's threads are called, command and numbers */
static const Rule thread_rules[] = {
	{"(?<=.)(-\\d+(/\\d+)?)+$", ""}
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
	{"rust", rust_rules, lengthof(rust_rules)},
	{"dotnet", dotnet_rules, lengthof(dotnet_rules)},
	{"addresses", address_rules, lengthof(address_rules)},
	{"lines", line_rules, lengthof(line_rules)},
	{"jit_modes", jit_mode_rules, lengthof(jit_mode_rules)},
	{"threads", thread_rules, lengthof(thread_rules)}
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
	set = fg_word(PG_GETARG_SPAN(0), "rule set", names, lengthof(names));
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
