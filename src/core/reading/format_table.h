/*
 * format_table.h
 *	  The table of formats: all that has to know which there are is made of it, such as
 *	  FgFormat, the order of recognition, hints of errors, recording_formats() and the help
 *	  of flamegraph-load.
 *
 * A new format is a row here and a file with its reader, "fg_WORD_reader" (sink.h).  Tests
 * ask the table for what else a format has to have: a row in the manual and in the page of
 * flamegraph-load, a fuzzer, a file to count polls with.
 */
#ifndef FG_FORMAT_TABLE_H
#define FG_FORMAT_TABLE_H

/*
 * In the order in which the readers are asked whose a recording is: what is sure comes
 * before what would also accept it.  The last three say what frames and samples can have:
 * lines for frame_style function:line, addresses for frame_style address, times.
 *
 *		 FgFormat, word, what it is called, lines, addresses, times
 */
#define FG_FORMATS(ROW) \
	ROW(PACKED, packed, "the packed form of large flamegraphs", NO, NO, NO) \
	ROW(OTLP, otlp, "OTLP profiles: OpenTelemetry, development version", YES, YES, YES) \
	ROW(PPROF, pprof, "pprof: Go and others", YES, YES, NO) \
	ROW(GPERFTOOLS, gperftools, "gperftools and jemalloc", NO, YES, NO) \
	ROW(JFR, jfr, "Java Flight Recorder", YES, NO, YES) \
	ROW(FIREFOX, firefox, "the Firefox Profiler: Firefox, samply", YES, NO, YES) \
	ROW(CHROME, chrome, "trace events of Chrome and others", NO, NO, YES) \
	ROW(STACKPROF, stackprof, "stackprof: Ruby", YES, NO, YES) \
	ROW(SPEEDSCOPE, speedscope, "speedscope: py-spy, rbspy and others", YES, NO, YES) \
	ROW(HEAPPROFILE, heapprofile, "heap profiles of V8: Node.js, Chrome", NO, NO, NO) \
	ROW(CPUPROFILE, cpuprofile, "CPU profiles of V8: Node.js, Chrome", NO, NO, YES) \
	ROW(INSTRUMENTS, instruments, "Instruments of macOS: xctrace, deep copies", YES, NO, YES) \
	ROW(BPFTRACE, bpftrace, "bpftrace", NO, NO, NO) \
	ROW(AUSTIN, austin, "Austin: Python", YES, NO, YES) \
	ROW(PERF, perf, "perf script: Linux", YES, YES, YES) \
	ROW(SAMPLE, sample, "sample: macOS", NO, NO, NO) \
	ROW(STACKS, stacks, "stacks that DTrace and bcc print", NO, NO, NO) \
	ROW(FOLDED, folded, "folded stacks, one a line", NO, NO, NO) \
	ROW(CALLGRIND, callgrind, "call graphs of valgrind's callgrind, Xdebug and pprof", NO, NO, NO)

/* In a definition of ROW: FG_IF_##lines(text), and alike. */
#define FG_IF_YES(text) text
#define FG_IF_NO(text)

#endif							/* FG_FORMAT_TABLE_H */
