/*
 * formats.c
 *	  The table of formats: a new one is a file beside this and a line here.
 *
 * The order matters for recognition by content: what is sure comes before what
 * would also accept it.
 */
#include "core/reading/sink.h"

const char *const fg_format_names[FG_FORMAT_COUNT] = {
	"auto", "folded", "packed", "austin", "perf", "pprof", "speedscope", "cpuprofile",
	"heapprofile", "jfr", "chrome", "stackprof", "gperftools", "bpftrace", "stacks",
	"sample", "callgrind"
};

const FgFormatReader *const fg_format_readers[] = {
	&fg_packed_reader,
	&fg_pprof_reader,
	&fg_gperftools_reader,
	&fg_jfr_reader,
	&fg_chrome_reader,
	&fg_stackprof_reader,
	&fg_speedscope_reader,
	&fg_heapprofile_reader,
	&fg_cpuprofile_reader,
	&fg_bpftrace_reader,
	&fg_austin_reader,
	&fg_perf_reader,
	&fg_sample_reader,
	&fg_stacks_reader,
	&fg_folded_reader,
	&fg_callgrind_reader,
	NULL
};
