/*
 * lookalikes.c
 *	  Names of formats that are not read (see lookalikes.h).
 */
#include "core/formats/lookalikes.h"

#include "core/reading/json_stream.h"
#include "core/reading/sink.h"
#include "core/reading/text_lines.h"
#include "core/reading/wire.h"

#include <string.h>

#define MAX_TEXT 2048
#define UNPACK "Unpack it; only gzip is unpacked here."
#define TO_PPROF "Convert it: pprof -proto FILE >profile.pb.gz."
#define ASK_FOR_CALLGRIND \
	"It has no stacks, but parts of them: name the format callgrind to load what is known."
#define TO_PERF "It is a call graph without stacks; record with perf."
#define NO_PROFILES "Only OTLP's profiles are read."
#define TO_UTF8 "Convert it to UTF-8."
#define PERF_REPORT {"this is the report of perf", "Load the output of \"perf script\"."}
#define GPROF_REPORT {"this is the report of gprof", TO_PERF}
#define XDEBUG_TRACE {"this is a trace of functions by Xdebug", "Convert it with stackcollapse-xdebug.php of FlameGraph."}
#define TO_SAMPLER "It is a call graph without stacks; record with py-spy or Austin."
/* marshal marks what it may refer to again: a dictionary whose first key is a tuple of three */
#define PSTATS {"this is a file of Python's cProfile", TO_SAMPLER}
#define THE_JFR_FILE "Load the .jfr file itself."
#define RPROF {"this is a profile of R (Rprof)", "Its lines are stacks: fold them as the page on languages shows."}
#define NO_STACKS "It has no stacks with values; record with perf record -g."
#define STRACE_COUNTS {"these are counts of strace or ltrace", NO_STACKS}
#define METRICS {"these are metrics (Prometheus)", "They have no stacks; fetch a profile."}
#define LTTNG {"this is a trace in CTF, such as LTTng writes", NO_STACKS}
#define TRACY {"this is a capture of Tracy", "Its export has no stacks; record with perf."}
#define ASYNC_TEXT {"this is the text of async-profiler", "Let it write stacks: asprof -o collapsed, or a .jfr file."}
#define ANNOTATED {"this is a report of cg_annotate", \
	"It has functions without callers: load the file that it was made of, and name the format callgrind."}
#define OPROFILE {"this is a report of OProfile", TO_PERF}
#define GOOGLE_PPROF {"this is a report of google-pprof or jeprof", "Load the profile itself."}
#define OF_LLVM {"this is a profile of LLVM for coverage or optimization", "It counts blocks, and has no stacks; record with perf."}
#define XHPROF {"this is a profile of PHP's xhprof", "It is a call graph without stacks; record with Excimer."}
#define SVG {"this is a picture (SVG)", "Load the recording that it was made of."}
#define HTML {"this is a page of HTML", "Load the recording that it was made of."}
#define UTRACE {"this is a trace of Unreal (utrace)", "Export it from Unreal Insights; stacks are read as folded text."}
#define MPROF {"this is what mprof writes, memory over time", "It has no stacks; record with Austin's option -m."}
#define TO_PERFVIEW "Open the recording (.etl) in PerfView, and save its stacks in the format of speedscope."
#define XPERF_DUMP {"this is a dump of xperf", TO_PERFVIEW}
#define PERF_SCHED {"this is a report of perf sched", "It has no stacks with values; load the output of \"perf script\"."}

/* By their first bytes. */
static const struct
{
	const char *magic;
	FgLookalike names;
}			by_magic[] = {
	{"PERFILE2", {"this is the binary file of perf record", "Load the output of \"perf script\"."}},
	{"PERFFILE", {"this is the binary file of an old perf record", "Load the output of \"perf script\"."}},
	{"QPERFSTREAM", {"this is a stream of hotspot's perfparser", "Load the output of \"perf script\"."}},
	{"\xFF\xFE", {"this looks like UTF-16", TO_UTF8}},
	{"\xFE\xFF", {"this looks like UTF-16", TO_UTF8}},
	{"BZh", {"this is packed by bzip2", UNPACK}},
	{"\x1F\x8B", {"this was packed by gzip twice", "Unpack it once."}},
	{"\x1F\x9D", {"this is packed by compress", UNPACK}},
	{"\x04\x22\x4D\x18", {"this is packed by lz4", UNPACK}},
	{"\x28\xB5\x2F\xFD", {"this is packed by zstd", UNPACK}},
	{"\xFD" "7zXZ", {"this is packed by xz", UNPACK}},
	{"PK\x03\x04", {"this is a zip file", UNPACK}},
	{"\x7F" "ELF", {"this is a program or a library", "Record it: perf record -g ./program, and load the output of \"perf script\"."}},
	{"\x04\x08{", {"this is a dump of Ruby (Marshal), such as stackprof writes", "Load the output of \"stackprof --json\"."}},
	{"SQLite format 3", {"this is an SQLite database", "Export stacks from the tool that wrote it."}},
	{"JAVA PROFILE 1.0.1, created ", {"this is the text of an old profiler of Java (HPROF)",
	"Record with async-profiler or Java Flight Recorder."}},
	{"JAVA PROFILE 1.0.", {"this is a heap dump of Java (HPROF)",
	"It holds objects, not stacks with values; record allocations with Java Flight Recorder."}},
	{"goroutine profile: total ", {"this is the text of a profile of goroutines", "Fetch it without \"?debug=1\"."}},
	{"threadcreate profile: total ", {"this is the text of a profile of threads of Go", "Fetch it without \"?debug=1\"."}},
	{"heap profile: ", {"this is the text of a heap profile of Go", "Fetch it without \"?debug=1\"."}},
	{"--- contention:", {"this is the text of a profile of blocking of Go", "Fetch it without \"?debug=1\"."}},
	{"--- mutex:", {"this is the text of a mutex profile", "Fetch it without \"?debug=1\"."}},
	{"--- heapz", {"this is the text of a heap profile", TO_PPROF}},
	{"--- growthz", {"this is the text of a profile of heap growth", TO_PPROF}},
	{"--- threadz", {"this is the text of a profile of threads", TO_PPROF}},
	{"--- Thread", {"this is the text of a profile of threads", TO_PPROF}},
	{"Analysis of sampling ", {"this is a report of macOS sample without a call graph", "Take the whole file that sample writes."}},
	{"memray", {"this is a binary file of memray", "It has no folded form; record allocations with another tool."}},
	{"SIMPLEPERF", {"this is a report of simpleperf", "Load the output of simpleperf's report_sample.py."}},
	{"*version\n", {"this is a method trace of Android", "Record with simpleperf, and load the output of its report_sample.py."}},
	{"SLOW\xF3", {"this is a method trace of Android", "Record with simpleperf, and load the output of its report_sample.py."}},
	{"index  % time ", GPROF_REPORT},
	{"\t\t\tCall graph", GPROF_REPORT},
	{"\t\t     Call graph (explanation follows)", GPROF_REPORT},
	{"# To display the perf.data header info", PERF_REPORT},
	{" Percent |\tSource code & Disassembly of", {"this is what perf annotate prints", "Load the output of \"perf script\"."}},
	{"# started on ", {"these are counts of perf stat", "They have no stacks; record with perf record -g."}},
	{"\n Performance counter stats for ", {"these are counts of perf stat", "They have no stacks; record with perf record -g."}},
	{"execve(\"", {"this is the output of strace", "It has no stacks with values; record with perf."}},
	{"\x5E\x97\xCA\xFD", {"this is a capture of sysprof", "Record with perf, and load the output of \"perf script\"."}},
	{"Statistical profiling result from ", {"this is a report of node --prof-process", "Record with node --cpu-prof."}},
	{"<!DOCTYPE html", HTML},
	{"<!doctype html", HTML},
	{"<!DOCTYPE HTML", HTML},
	{"<html", HTML},
	{"<svg", SVG},
	{"sample.interval=", RPROF},
	{"memory profiling: ", RPROF},
	{"GC profiling: ", RPROF},
	{"line profiling: ", RPROF},
	{"NYTProf ", {"this is a profile of Perl's Devel::NYTProf", "Load what nytprofcalls writes."}},
	{"# Profile data generated by Devel::NYTProf", {"this is a table of Perl's Devel::NYTProf", "Load what nytprofcalls writes."}},
	{"TRACE START [", XDEBUG_TRACE},
	{"\x80\x04\x95", {"this is a pickle of Python, such as tracemalloc writes", "Export folded stacks by a program in Python."}},
	{"\x80\x05\x95", {"this is a pickle of Python, such as tracemalloc writes", "Export folded stacks by a program in Python."}},
	{"%% Analysis results:", {"this is an analysis of Erlang's fprof", "It is a call graph without stacks; record with perf."}},
	{"JOB \"", {"this is a heap profile of GHC", "It has no whole stacks; record with +RTS -p, and convert that with inferno-collapse-ghcprof."}},
	{"hdrbhetb", {"this is an event log of GHC", "Record with +RTS -p -l-au, and convert it with hs-speedscope."}},
	{"==================================\n  Mode: ", {"this is a report of stackprof", "Load the output of \"stackprof --json\"."}},
	{"desc: I1 cache: ", {"this is a profile of cachegrind",
	"It has functions without callers: name the format callgrind to load what they cost."}},
	{"v8-version,", {"this is the log of V8 (node --prof)", "Record with node --cpu-prof."}},
	{"PeriodType: ", {"this is the text of pprof -raw", "Load the profile itself, or what pprof -proto writes."}},
	{"Showing nodes accounting for ", {"this is a report of pprof", "Load the profile itself, or what pprof -proto writes."}},
	{"# tracer: ", {"this is a trace of the kernel (ftrace)", "It has no stacks with values; record with perf."}},
	{"PAR1", {"this is a Parquet file", "Export stacks from the tool that wrote it."}},
	{"\xFB)\x03", PSTATS},
	{"\xFB\xA9\x03", PSTATS},
	{"{)\x03", PSTATS},
	{"{\xA9\x03", PSTATS},
	{"gmon", {"this is the binary file of gprof", TO_PERF}},
	{"Flat profile:", GPROF_REPORT},
	{"desc: (none)\ncmd: ", {"this is the text of massif", "Record allocations with another tool."}},
	{"BeginHeader\n", XPERF_DUMP},
	{"BeginHeader\r\n", XPERF_DUMP},
	{"OS Version: ", {"this is a report of xperf", "Its stacks are not read; record with a profiler whose files are."}},
	{"desc: --", {"this is the text of massif", "Record allocations with another tool."}},
	{"Full thread dump ", {"this is a thread dump of Java", "It has no values; record with async-profiler or Java Flight Recorder."}},
	{"Function Stack,", {"this is a table of VTune", "Convert it with inferno-collapse-vtune."}},
	{"Level,Function Name,", {"this is a table of Visual Studio's profiler", "Convert it with inferno-collapse-vsprof."}},
	{"% time     seconds  usecs/call ", STRACE_COUNTS},
	{"\n Summary of events:\n", {"these are counts of perf trace", NO_STACKS}},
	{"=================================================================\n==", {"this is a report of a sanitizer", "It has no values; record with perf."}},
	{"___ Begin jemalloc statistics ___", {"these are statistics of jemalloc", "Load what its profiler writes (MALLOC_CONF=prof:true)."}},
	{"ROUTINE ======", GOOGLE_PPROF},
	{"granularity: each sample hit covers ", GPROF_REPORT},
	{"Functions sorted by metric: ", {"this is a report of gprofng", TO_PERF}},
	{"samples  % ", OPROFILE},
	{"# DURATION ", {"this is a trace of uftrace", "Load what \"uftrace dump --flame-graph\" writes."}},
	{"  Total time   Self time       Calls  Function", {"this is a report of uftrace",
	"Load what \"uftrace dump --flame-graph\" writes."}},
	{"\xC1\x1F\xFC\xC1", LTTNG},
	{"\xC1\xFC\x1F\xC1", LTTNG},
	{"/* CTF 1.8 */", LTTNG},
	{"\x17\x08\x44tracing", {"this is a trace of trace-cmd", NO_STACKS}},
	{"cpus=", {"this is a report of trace-cmd", NO_STACKS}},
	{"# HELP ", METRICS},
	{"# TYPE ", METRICS},
	{"tr\xFDP", TRACY},
	{"tlZ\x04", TRACY},
	{"tZst", TRACY},
	{"Nettrace", {"this is a trace of .NET (nettrace)", "Convert it: dotnet-trace convert --format Speedscope FILE."}},
	{"MMPD", {"this is a profile of rustc by itself", "Convert it with crox of measureme."}},
	{"\x81rforpl\xFF", OF_LLVM},
	{"\xFFlprofr\x81", OF_LLVM},
	{"\xFFlprofi\x81", OF_LLVM},
	{"Timer unit: ", {"this is a report of line_profiler", "It has lines without their callers; record with py-spy or Austin."}},
	{"% self  % total  name", {"this is a summary of rbspy", "Load what \"rbspy record --format speedscope\" writes."}},
	{"Measure Mode: ", {"this is a report of ruby-prof", "Record with stackprof or rbspy."}},
	{"--- Execution profile ---", ASYNC_TEXT},
	{"[events]\n", {"this is a report of PHP's SPX", "Record with Excimer or phpspy."}},
	{"file-format: BlackfireProbe", {"this is a profile of Blackfire", "It is a call graph without stacks; record with Excimer."}},
	{"H4sI", {"this is gzip in base64", "Decode it: base64 -d FILE."}},
	{"\\x1f8b", {"this is gzip as psql prints it, as hexadecimal digits", "Print it in base64, and decode it: base64 -d."}},
	{"version https://git-lfs.github.com/spec/", {"this is a pointer of Git LFS", "Fetch the file itself: git lfs pull."}},
	{"MDMP", {"this is a minidump of Windows", "It is one moment of a program; record it with a profiler."}},
	{"2CRT", UTRACE},
	{"ECRT", UTRACE},
	{"        -:    0:Source:", {"this is a report of gcov", "It counts lines, and has no stacks; record with perf."}},
	{"processor\t: ", {"this is /proc/cpuinfo of Linux", "It is a description of the processors; load a recording."}},
	{"# callgrind format", {"this is a call graph of callgrind",
	ASK_FOR_CALLGRIND}}
};

/* The fields of a text or a JSON document that only one tool writes; all of them are there. */
static const struct
{
	bool		json;
	const char *fields[3];
	FgLookalike names;
}			by_fields[] = {
	{false, {"creator: ", "events: "}, {"this is a call graph of callgrind",
	ASK_FOR_CALLGRIND}},
	{false, {"events: ", "\nfn="}, {"this is a call graph of callgrind",
	ASK_FOR_CALLGRIND}},
	{false, {"# captured on", "# Overhead"}, PERF_REPORT},
	{false, {"File: ", "\nType: ", "Showing nodes accounting for "}, {"this is a report of pprof",
	"Load the profile itself, or what pprof -proto writes."}},
	{false, {"File: ", "\nType: ", "\n-----------+---"}, {"this is a report of pprof",
	"Load the profile itself, or what pprof -proto writes."}},
	{false, {"\n#0  ", "\n#1  "}, {"these are stacks of a debugger, as text (gdb, pstack, eu-stack)",
	"They have no values; fold many of them with stackcollapse-gdb.pl or stackcollapse-elfutils.pl of FlameGraph."}},
	{false, {"\nFull thread dump "}, {"this is a thread dump of Java",
	"It has no values; record with async-profiler or Java Flight Recorder."}},
	{false, {"#instances ", "#bytes  class name"}, {"this is a histogram of Java's heap",
	"It has no stacks; record allocations with Java Flight Recorder."}},
	{false, {"jdk.", " {\n  startTime = "}, {"this is the text of jfr print", THE_JFR_FILE}},
	{false, {"<?xml", "<recording xmlns", "<event type=\"jdk."}, {"this is the XML of jfr print", THE_JFR_FILE}},
	{false, {"\n Version: ", "\n Chunks: ", "\n Start: "}, {"this is a summary of jfr", THE_JFR_FILE}},
	{false, {"Massif arguments:", "ms_print arguments:"}, {"this is the text of massif", "Record allocations with another tool."}},
	{false, {"\nProfile data file '", "(creator: "}, {"this is a report of callgrind_annotate",
	"Load the file that it was made of, and name the format callgrind."}},
	{false, {" function calls ", "ncalls  tottime  percall"}, {"this is a report of Python's cProfile",
	TO_SAMPLER}},
	{false, {"Process ", "\nPython v", "\nThread "}, {"these are stacks of py-spy dump",
	"They have no values; load what \"py-spy record -f raw\" writes."}},
	{false, {"****** Process <", "FUNCTION ", "[uS / CALLS]"}, {"this is an analysis of Erlang's eprof", "It has no stacks; record with perf."}},
	{false, {"Version: ", "\nFile format: ", "\nTRACE START ["}, XDEBUG_TRACE},
	{false, {"<?xml", "<svg"}, SVG},
	{false, {"<!DOCTYPE html>"}, HTML},
	{false, {"<?xml", "<valgrindoutput>"}, {"this is a log of valgrind as XML", "Load the file that its tool writes, such as callgrind.out."}},
	{false, {"== NVPROF is profiling "}, {"this is a report of nvprof", "It has no stacks."}},
	{false, {"-----", "\nCommand: ", "\nEvents recorded: "}, ANNOTATED},
	{false, {" ms): ", "(", ") "}, {"this is what perf trace prints", NO_STACKS}},
	{false, {"... [continued]: "}, {"this is what perf trace prints", NO_STACKS}},
	{false, {"Total: ", " samples\n", "% "}, GOOGLE_PPROF},
	{false, {"Total: ", " MB\n", "% "}, GOOGLE_PPROF},
	{false, {"Total: ", "\nROUTINE ===="}, {"this is a listing of pprof", "Load the profile itself, or what pprof -proto writes."}},
	{false, {"digraph ", " {\n"}, {"this is a graph for Graphviz", "Load the recording that it was made of."}},
	{false, {"CPU: ", "\nCounted ", " count "}, OPROFILE},
	{false, {"] (+?.????" "????" "?) "}, {"this is the text of a trace of LTTng", NO_STACKS}},
	{false, {"CMDLINE ", "\nMEM "}, MPROF},
	{false, {" Task ", "|   Runtime ms  |", " Switches |"}, PERF_SCHED},
	{false, {"real ", "\nuser ", "\nsys "}, {"this is what time prints", "It has no stacks; record with perf."}},
	{false, {" wait time ", " sch delay ", " run time"}, PERF_SCHED},
	{false, {"Recorded: ", "Samples: ", "Duration: "}, {"this is the text of pyinstrument",
	"Load what \"pyinstrument -r speedscope\" writes."}},
	{false, {"Line #", "Mem usage", "Increment"}, {"this is a report of memory_profiler",
	"It has lines without their callers; record with Austin's option -m."}},
	{false, {"Clock type: ", "\nOrdered by: "}, {"this is a report of yappi", TO_SAMPLER}},
	{false, {"0 ", "\n1 ", " <main> "}, {"this is what phpspy prints", "Fold it with its stackcollapse-phpspy.pl."}},
	{false, {"a:", "==>", "\"ct\";i:"}, XHPROF},
	{false, {"reading file \"", "\nDebuggee command was: "}, {"this is a report of heaptrack_print", "Load what heaptrack_print -F writes."}},
	{false, {"Date/Time: ", "\nReport Version: "}, {"this is a report of macOS, by spindump or of a crash", "Load what sample writes."}},
	{false, {"CPU Time:Effective Time"}, {"this is a table of VTune", "Convert a top-down report with inferno-collapse-vtune."}},
	{false, {"@ ", " samples]\n"}, {"this is a call graph of pmcstat", "Convert it with stackcollapse-pmc.pl of FlameGraph."}},
	{false, {" templated_functions", "\n# Name Calls Subrs Excl Incl "}, {"this is a profile of TAU",
	"Its call paths are not read; record with perf."}},
	{false, {"\ngoroutine ", " [running]:\n"}, {"these are stacks of goroutines of Go, as text", "They have no values; fetch a profile."}},
	{false, {"Time and Allocation Profiling Report"}, {"this is a report of GHC's profiler", "Convert it with inferno-collapse-ghcprof."}},
	{false, {"v 10", "\nX ", "\nI "}, {"this is the text of heaptrack", "Load what heaptrack_print -F writes."}},
	{true, {"\"attached_probes\""}, {"this is JSON of bpftrace", "Leave -f json out; its text is read."}},
	{true, {"\"profileJSONWithSymbolicationTable,"}, {"this is a profile of Cleopatra, before the Firefox Profiler",
	"Open it at profiler.firefox.com, and save it from there."}},
	{true, {"\"alloc_samples\"", "\"elapsed_time_sec\""}, {"this is a profile of Scalene",
	"It has lines without their callers; record with py-spy or Austin."}},
	{true, {"\"sample_count\"", "\"root_frame\""}, {"this is JSON of pyinstrument",
	"Load what \"pyinstrument -r speedscope\" writes."}},
	{true, {"\"dhatFileVersion\""}, {"this is a heap profile of DHAT", "Record allocations with another tool."}},
	{true, {"\"rts_arguments\"", "\"cost_centres\""}, {"this is a report of GHC's profiler as JSON",
	"Record with +RTS -p, and convert that with inferno-collapse-ghcprof."}},
	{true, {"\"recording\"", "\"timeline-record"}, {"this is a timeline of Safari", "Its form is not documented; record in another browser."}},
	{true, {"\"snapshot\"", "\"node_fields\""}, {"this is a heap snapshot of V8",
	"It holds objects, not stacks with values; record with node --heap-prof."}},
	{true, {"\"log\"", "\"entries\"", "\"creator\""}, {"this is an archive of requests (HAR)",
	"It has no stacks; record a CPU profile."}},
	{true, {"\"scriptId\"", "\"functions\"", "\"isBlockCoverage\""}, {"this is coverage of V8",
	"It counts calls, and has no stacks; record with node --cpu-prof."}},
	{true, {"\"SHARED_LIB\"", "\"code\"", "\"functions\""}, {"this is the log of V8 as JSON (node --prof-process --preprocess)",
	"Record with node --cpu-prof."}},
	{true, {"\"linux-perf-json-version\""}, {"this is JSON of perf data convert", "Load the output of \"perf script\"."}},
	{true, {"\"counter-value\"", "\"event\""}, {"these are counts of perf stat", "They have no stacks; record with perf record -g."}},
	{true, {"\"main()\"", "==>"}, XHPROF},
	{true, {"\"stack_id\"", "\"stacks\"", "\"frames\""}, {"this is a profile of Sentry", "Its form is not read; record with another profiler."}},
	{true, {"\"traceID\"", "\"spans\""}, {"these are traces of Jaeger", "They have no stacks."}},
	{true, {"\"traceId\"", "\"localEndpoint\""}, {"these are traces of Zipkin", "They have no stacks."}},
	{true, {"\"resourceSpans\""}, {"these are traces of OpenTelemetry", NO_PROFILES}},
	{true, {"\"resourceLogs\""}, {"these are logs of OpenTelemetry", NO_PROFILES}},
	{true, {"\"resourceMetrics\""}, {"these are metrics of OpenTelemetry", NO_PROFILES}},
	{true, {"\"flamebearer\""}, {"this is a profile of Pyroscope's interface", "Fetch it as pprof."}}
};

/* "goroutine 1 [running]:": the stacks of "?debug=2", and what a panic prints. */
static bool
is_goroutine_dump(const char *head, size_t size)
{
	static const char start[] = "goroutine ";
	size_t		at = sizeof(start) - 1;

	if (size < at || memcmp(head, start, at) != 0)
		return false;
	while (at < size && head[at] >= '0' && head[at] <= '9')
		at++;
	return at > sizeof(start) - 1 && at + 1 < size && head[at] == ' ' && head[at + 1] == '[';
}

/* "go 1.19 trace", filled up with zeros to 16 bytes. */
static bool
is_go_trace(const char *head, size_t size)
{
	return size >= 16 && memcmp(head, "go 1.", 5) == 0 && fg_json_holds(head, 16, " trace");
}

/* "0x118 [0xa0]: PERF_RECORD_...", also behind a number: what perf prints of every record. */
static bool
is_raw_dump(const char *head, size_t size)
{
	size_t		seen = size < MAX_TEXT ? size : MAX_TEXT;

	return fg_json_holds(head, seen, "]: PERF_RECORD_") &&
		(fg_json_holds(head, seen, "\n. ... raw event: size") || fg_json_holds(head, seen, " [0x"));
}

static bool
begins_with(const char *head, size_t size, const char *text)
{
	size_t		length = strlen(text);

	return size >= length && memcmp(head, text, length) == 0;
}

/* A list of events, or an object. */
static bool
is_json(const char *head, size_t size)
{
	return fg_json_begins(head, size) || begins_with(head, size, "[{") ||
		begins_with(head, size, "[\n") || begins_with(head, size, "[ {");
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_among(char c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}

static bool
is_word_character(char c)
{
	return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z');
}

/* "write(1, "a", 1) = 1", behind a process and a time: a call and what it returned. */
static bool
is_strace(const char *head, size_t size)
{
	const char *end = memchr(head, '\n', size);
	size_t		length = end != NULL ? (size_t) (end - head) : size;
	size_t		at = begins_with(head, length, "[pid ") ? 5 : 0;
	size_t		name;

	/* the address of the instruction, of its option -i */
	if (begins_with(head, length, "[0"))
	{
		while (at < length && head[at] != ']')
			at++;
	}

	while (at < length && (is_digit(head[at]) || is_among(head[at], " .:]+")))
		at++;
	name = at;
	/* calls of the kernel, as ltrace -S calls them */
	if (begins_with(head + at, length - at, "SYS_"))
		at += 4;
	while (at < length && is_word_character(head[at]))
		at++;
	if (at > name && begins_with(head + at, length - at, "@SYS("))
		at += 4;
	if (at == name || at == length || head[at] != '(')
		return false;
	if (fg_json_holds(head + at, length - at, " <unfinished ...>"))
		return true;
	for (; at < length; at++)
	{
		size_t		blanks = at + 1;

		while (blanks < length && head[blanks] == ' ')
			blanks++;
		if (head[at] == ')' && blanks > at + 1 && begins_with(head + blanks, length - blanks, "= "))
			return true;
	}
	return false;
}

/* What perf prints in front of samples or a report, and nothing else. */
static bool
is_bare_header(const char *head, size_t size)
{
	FgHeadLine	walk = fg_head_lines(head, size, true);

	/* behind a longer one there may be samples */
	return size < FG_HEAD_BYTES && begins_with(head, size, "# ========\n# captured on") && !fg_head_next_content(&walk);
}

/* "==12345== Memcheck, a memory error detector" */
static bool
is_valgrind_log(const char *head, size_t size)
{
	size_t		at = 2;

	if (!begins_with(head, size, "=="))
		return false;
	while (at < size && is_digit(head[at]))
		at++;
	return at > 2 && begins_with(head + at, size - at, "== ");
}

/* "@reads[bash]: 5" or "@reads: 5" in its first line: a map of bpftrace that has no stack. */
static bool
is_bare_map(const char *head, size_t size)
{
	const char *end = memchr(head, '\n', size);
	size_t		length = end != NULL ? (size_t) (end - head) : size;
	size_t		at = 1;

	if (length == 0 || head[0] != '@')
		return false;
	while (at < length && (is_word_character(head[at]) || (head[at] >= 'A' && head[at] <= 'Z')))
		at++;
	if (at < length && head[at] == '[')
	{
		while (at < length && head[at] != ']')
			at++;
		at++;
	}
	if (at + 2 >= length || !begins_with(head + at, length - at, ": "))
		return false;
	for (at += 2; at < length && (is_digit(head[at]) || is_among(head[at], "-\r"));)
		at++;
	return at == length;
}

/* A program has the type 2 or 3 there, in the order of its bytes. */
static bool
is_core_dump(const char *head, size_t size)
{
	const size_t type = 16;

	return size > type + 1 && begins_with(head, size, "\x7F" "ELF") && head[type] + head[type + 1] == 4;
}

/* The length of the word, in four bytes, stands before it. */
static bool
is_gc_dump(const char *head, size_t size)
{
	return size > 4 && head[0] == 20 && begins_with(head + 4, size - 4, "!FastSerialization.");
}

/* What draws flame graphs in a page takes such trees; V8's nodes have children, too. */
static bool
is_d3_tree(const char *head, size_t size)
{
	return is_json(head, size) && fg_json_holds(head, size, "\"name\"") && fg_json_holds(head, size, "\"value\"") &&
		fg_json_holds(head, size, "\"children\"") && !fg_json_holds(head, size, "\"callFrame\"") &&
		!fg_json_holds(head, size, "\"functionName\"");
}

/* An archive of tar has its mark behind the fields of the first file. */
static bool
is_tar(const char *head, size_t size)
{
	static const char mark[] = "ustar";
	const size_t at = 257;

	return size >= at + sizeof(mark) && memcmp(head + at, mark, sizeof(mark) - 1) == 0;
}

/* Text in UTF-16 without its mark: one byte of each two is a character of ASCII, and the other 0. */
static bool
is_utf16(const char *head, size_t size)
{
	const size_t shown = 32;
	size_t		zero = size > 0 && head[0] == '\0' ? 0 : 1;

	if (size < shown)
		return false;
	for (size_t i = 0; i < shown; i++)
	{
		bool		ascii = (head[i] >= ' ' && head[i] <= '~') || (head[i] >= '\t' && head[i] <= '\r');

		if (i % 2 == zero ? head[i] != '\0' : !ascii)
			return false;
	}
	return true;
}

/* The first record of a trace of Fuchsia is its magic number. */
static bool
is_fuchsia(const char *head, size_t size)
{
	static const char magic[] = {0x10, 0, 0x04, 'F', 'x', 'T', 0x16, 0};

	return size >= sizeof(magic) && memcmp(head, magic, sizeof(magic)) == 0;
}

static uint32_t
little_endian(const char *bytes)
{
	const uint8_t *b = (const uint8_t *) bytes;

	return b[0] | (uint32_t) b[1] << 8 | (uint32_t) b[2] << 16 | (uint32_t) b[3] << 24;
}

/*
 * An event log of Windows is buffers of a fixed size, each with a header of its own (size, and how much of it is used)
 * and then events.  The first event is the log's header: version 2 of the system's header, of 32 or 64 bits (1, 2)
 * and marked as such (0xC0), the length, and group and type 0.
 */
static bool
is_etl(const char *head, size_t size)
{
	const size_t event = 0x48;
	uint32_t	used;

	if (size < event + 8)
		return false;
	used = little_endian(head + 4);
	return used >= event && used <= little_endian(head) &&
		head[event] == 2 && head[event + 1] == 0 && (head[event + 2] == 1 || head[event + 2] == 2) &&
		(uint8_t) head[event + 3] == 0xC0 && head[event + 6] == 0 && head[event + 7] == 0;
}

/* Behind its mark a stream of Unity's Profiler says which version it has, as a date: 0x20211028. */
static bool
is_unity(const char *head, size_t size)
{
	const size_t version = 8;

	return size >= version + 4 && begins_with(head, size, "PD3U") && little_endian(head + version) >> 24 == 0x20;
}

/* A packet of Perfetto says when it was (8), of which sequence (10) or user (3) it is, or has others, packed (50). */
static bool
is_packet(FgWire packet)
{
	bool		known = false;

	while (fg_wire_more(&packet))
	{
		FgWireField field;

		if (!fg_wire_take(&packet, &field))
			return false;
		known |= field.number == 50 ||
			(field.type == FG_WIRE_VARINT && (field.number == 3 || field.number == 8 || field.number == 10));
	}
	return known;
}

/* A trace of Perfetto is packets and nothing else, as far as the head reaches. */
static bool
is_perfetto(const char *head, size_t size)
{
	const FgWireInput input = {.start = (const uint8_t *) head};
	FgWire		trace = {&input, input.start, input.start + size};
	FgWireField field;
	size_t		packets = 0;

	for (; fg_wire_more(&trace) && fg_wire_take(&trace, &field); packets++)
	{
		if (field.number != 1 || field.type != FG_WIRE_BYTES || !is_packet((FgWire) {&input, field.bytes, trace.next}))
			return false;
	}
	return packets > 0;
}

/* --- lines that end in a number and are no stacks -------------------------------- */

/* The last word of a line, which has one: where it begins. */
static size_t
last_word(const FgHeadLine *walk)
{
	size_t		at = walk->length;

	while (at > 0 && walk->line[at - 1] != ' ' && walk->line[at - 1] != '\t')
		at--;
	return at;
}

static bool
is_number(const char *text, size_t length)
{
	bool		digits = false;

	for (size_t i = 0; i < length; i++)
	{
		digits |= is_digit(text[i]);
		if (!is_digit(text[i]) && !is_among(text[i], "+-.eE"))
			return false;
	}
	return digits;
}

/* "16/28", "0:65535" */
static bool
is_range(const char *text, size_t length)
{
	bool		digits = false;

	for (size_t i = 0; i < length; i++)
	{
		digits |= is_digit(text[i]);
		if (!is_digit(text[i]) && !is_among(text[i], "/:,.-"))
			return false;
	}
	return digits;
}

/* "133 337 342": two numbers or more, and nothing else; of three or more some may be ranges. */
static bool
is_numbers(const FgHeadLine *walk)
{
	size_t		words = 0;
	size_t		ranges = 0;

	for (size_t at = 0; at < walk->length;)
	{
		size_t		start = at;

		while (at < walk->length && !is_among(walk->line[at], " \t"))
			at++;
		if (at > start && !is_number(walk->line + start, at - start))
		{
			if (!is_range(walk->line + start, at - start))
				return false;
			ranges++;
		}
		words += at > start;
		at += at < walk->length;
	}
	return words > (ranges > 0 ? 2 : 1);
}

/* "  bash          12": a name behind two blanks or more, and a number behind two or more. */
static bool
is_row(const FgHeadLine *walk)
{
	size_t		number = last_word(walk);

	return number > 4 && begins_with(walk->line, walk->length, "  ") && memcmp(walk->line + number - 2, "  ", 2) == 0 &&
		is_number(walk->line + number, walk->length - number) &&
		memchr(walk->line, ';', walk->length) == NULL;
}

/* "CR_round1, 1.08, 1.10" */
static bool
is_list(const FgHeadLine *walk)
{
	size_t		number = last_word(walk);

	return number > 1 && walk->line[number - 2] == ',' && is_number(walk->line + number, walk->length - number) &&
		memchr(walk->line, ';', walk->length) == NULL;
}

/* "     2 __might_sleep           0.0038": ticks, a function, and ticks for each of its bytes. */
static bool
is_ticks(const FgHeadLine *walk)
{
	size_t		number = last_word(walk);
	size_t		at = 0;

	while (at < walk->length && walk->line[at] == ' ')
		at++;
	if (at == 0 || walk->length - number < 6 || walk->line[walk->length - 5] != '.' ||
		!is_number(walk->line + number, walk->length - number))
		return false;
	while (at < walk->length && is_digit(walk->line[at]))
		at++;
	return at + 1 < number && walk->line[at] == ' ' && is_word_character(walk->line[at + 1]);
}

/* "cpu,host=a load=0.64 1434055562000000000": a measurement and its tags, fields, and a time. */
static bool
is_point(const FgHeadLine *walk)
{
	size_t		time = last_word(walk);
	FgHeadLine	fields = {.line = walk->line, .length = time > 0 ? time - 1 : 0};
	size_t		at = last_word(&fields);
	const char *equal = memchr(walk->line + at, '=', fields.length - at);

	return walk->length - time >= 10 && is_number(walk->line + time, walk->length - time) &&
		at > 1 && memchr(walk->line, ' ', at - 1) == NULL && memchr(walk->line, ';', walk->length) == NULL &&
		equal != NULL && equal + 1 < walk->line + fields.length && (is_digit(equal[1]) || is_among(equal[1], "-\"tf"));
}

/* "MEM 1.953125 1700000000.1234" */
static bool
is_memory(const FgHeadLine *walk)
{
	static const char word[] = "MEM ";
	FgHeadLine	numbers = *walk;

	if (!begins_with(walk->line, walk->length, word))
		return false;
	numbers.line += sizeof(word) - 1;
	numbers.length -= sizeof(word) - 1;
	return is_numbers(&numbers);
}

/* By the first two lines, which are both of one kind. */
static const FgLookalike *
by_lines(const char *head, size_t size)
{
	static const struct
	{
		bool		(*is) (const FgHeadLine *walk);
		FgLookalike names;
	}			kinds[] = {
		{is_numbers, {"this is a table of numbers", "Frames have names; if these are stacks, name the format folded."}},
		{is_list, {"this is a table of values with commas (CSV)", "Frames are joined by \";\", and a blank stands before the value."}},
		{is_ticks, {"this is a report of readprofile", "It has functions without their callers; record with perf."}},
		{is_row, {"this is a table of names and numbers, such as DTrace prints", "Let it print stacks: @[ustack()] = count();"}},
		{is_point, {"these are points of InfluxDB's line protocol", "They have no stacks; fetch a profile."}},
		{is_memory, MPROF}
	};
	FgHeadLine	first = fg_head_lines(head, size, true);
	FgHeadLine	second;

	if (!fg_head_is_text(head, size) || !fg_head_next_content(&first))
		return NULL;
	second = first;
	if (!fg_head_next_content(&second))
		return NULL;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
	{
		if (kinds[i].is(&first) && kinds[i].is(&second))
			return &kinds[i].names;
	}
	return NULL;
}

/*
 * The columns' names, with commas between them: those that are of the part of the time that is shown say so.  Copied
 * rows are numbered; wpaexporter joins frames by "/".
 */
static bool
is_wpa_table(const char *head, size_t size)
{
	FgHeadLine	names = fg_head_lines(head, size, true);
	FgHeadLine	row;
	size_t		number;

	if (!fg_head_is_text(head, size) || is_json(head, size) || !fg_head_next_content(&names))
		return false;
	number = last_word(&names);
	if (memchr(names.line, ',', names.length) == NULL || is_number(names.line + number, names.length - number))
		return false;
	if (fg_json_holds(names.line, names.length, "(in view)"))
		return true;
	row = names;
	if (!fg_head_next_content(&row))
		return false;
	if (begins_with(names.line, names.length, "Line #, "))
		return row.length > 2 && is_digit(row.line[0]) && fg_json_holds(row.line, row.length, ", ");
	return fg_json_holds(row.line, row.length, ",[Root]/");
}

/* --- all of them ------------------------------------------------------------------ */

/* By the first bytes, or by the fields of the text. */
static const FgLookalike *
in_tables(const char *head, size_t size, bool json)
{
	/* names of functions in a text may be anything, but those of its first lines are few */
	size_t		seen = json || size < MAX_TEXT ? size : MAX_TEXT;

	for (size_t i = 0; i < sizeof(by_magic) / sizeof(by_magic[0]); i++)
	{
		if (begins_with(head, size, by_magic[i].magic))
			return &by_magic[i].names;
	}
	for (size_t i = 0; i < sizeof(by_fields) / sizeof(by_fields[0]); i++)
	{
		const char *const *fields = by_fields[i].fields;
		size_t		found = 0;

		if (by_fields[i].json != json)
			continue;
		while (found < 3 && fields[found] != NULL && fg_json_holds(head, seen, fields[found]))
			found++;
		if (found == 3 || fields[found] == NULL)
			return &by_fields[i].names;
	}
	return NULL;
}

/* By what a table cannot say. */
static const FgLookalike *
by_form(const char *head, size_t size, bool json)
{
	static const struct
	{
		bool		(*is) (const char *head, size_t size);
		FgLookalike names;
	}			forms[] = {
		{is_perfetto, {"this is a trace of Perfetto in its binary form",
		"Convert it with Perfetto's traceconv: \"json\" for its events, \"profile\" for its samples."}},
		{is_fuchsia, {"this is a trace of Fuchsia (fxt), such as magic-trace writes",
		"Record with perf, and load the output of \"perf script\"."}},
		{is_etl, {"this is an event log of Windows (ETL)", TO_PERFVIEW}},
		{is_unity, {"this is a recording of Unity's Profiler", "Its form is not documented; record with a profiler of the system, such as samply."}},
		{is_wpa_table, {"this is a table of Windows Performance Analyzer", TO_PERFVIEW}},
		{is_go_trace, {"this is an execution trace of Go",
		"Convert it: go tool trace -pprof=sync FILE >sync.pb.gz; sched, syscall and net are the other kinds."}},
		{is_goroutine_dump, {"these are stacks of goroutines of Go, as text", "Fetch them without \"?debug=2\"."}},
		{is_tar, {"this is an archive of tar", "Unpack it, and load the files in it."}},
		{is_utf16, {"this looks like UTF-16", TO_UTF8}},
		{is_raw_dump, {"this is the dump of \"perf script -D\"", "Leave -D out."}},
		{is_strace, {"this is the output of strace or ltrace", NO_STACKS}},
		{is_bare_header, {"this is the header of a recording of perf without samples", "Record for longer, or another event."}},
		{is_valgrind_log, {"this is a log of valgrind", "Load the file that its tool writes, such as callgrind.out."}},
		{is_bare_map, {"these are maps of bpftrace without stacks", "Print maps with kstack or ustack among their keys."}},
		{is_gc_dump, {"this is a heap dump of .NET (gcdump)", "It holds objects, not stacks with values; record with dotnet-trace."}},
		{is_d3_tree, {"this is a tree for d3-flame-graph", "Load the recording that it was made of."}}
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
	{
		if (!(json && forms[i].is == is_raw_dump) && forms[i].is(head, size))
			return &forms[i].names;
	}
	return NULL;
}

const FgLookalike *
fg_lookalike(const char *head, size_t size)
{
	static const FgLookalike core_dump = {"this is a core dump", "It is one moment of a program; record it with perf."};
	size_t		mark = begins_with(head, size, "\xEF\xBB\xBF") ? 3 : 0;
	const FgLookalike *found;
	bool		json;

	if (size == mark)
		return NULL;
	head += mark;
	size -= mark;
	json = is_json(head, size);
	if (is_core_dump(head, size))
		return &core_dump;
	found = in_tables(head, size, json);
	if (found == NULL)
		found = by_form(head, size, json);
	return found != NULL || json ? found : by_lines(head, size);
}
