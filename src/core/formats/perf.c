/*
 * perf.c
 *	  The text that "perf script" prints, with its default fields or others.
 *
 * A sample is a head line, a line for each frame, leaf first, and an empty line:
 *
 *		postgres 1234 [001] 5678.901234:     250000 cycles:u:
 *			ffffffff810a3c1e do_syscall_64+0x71 ([kernel.kallsyms])
 *			    55d0c1a2b3c4 ExecScan+0x24 (/usr/lib/postgresql/15/bin/postgres)
 *
 * The head holds, as far as they were printed: command (which may hold blanks),
 * process and thread, processor, time, period, event, and for a sample without a
 * call chain the one frame.  A frame is an address, a symbol and, in brackets, the
 * object; a line with a place in a source file may follow.  Lines that start with
 * '#' and records of another kind (PERF_RECORD_...) are counted as comments.
 *
 * The command is the first frame ("threads": command-process/thread).  A frame is
 * the symbol without its offset, with "_[k]" in the kernel, whose addresses are
 * in the upper half; without a symbol it is [unknown] or [kernel].  The
 * value of a sample is its period where that is printed, as in perf report, else 1.
 */
#include "core/formats/perf_lines.h"
#include "core/reading/json_stream.h"
#include "core/reading/sink.h"
#include "core/reading/text_lines.h"

#include "core/base/number.h"

#include <ctype.h>

static const char head_hint[] =
	"Print the fields that are read: perf script -F comm,tid,time,period,event,ip,sym,dso.";

/* Of perf record --off-cpu: the period is how long the thread slept, which is over when the sample is taken. */
static const char off_cpu[] = "offcpu-time";

typedef FgPerfSpan Span;

/* Whether the frames of samples stand below heads; known from the first line on. */
typedef enum Heads
{
	HEADS_UNKNOWN,
	HEADS_ALWAYS,
	HEADS_NEVER
} Heads;

typedef struct Perf
{
	FgContext  *ctx;
	FgSink	   *sink;
	FgTextLines lines;
	Heads		heads;
	bool		in_sample;
	uint64_t	head_line;
	const char *bad_rest;		/* what is wrong with the rest of its head, unless frames follow */
	FgBuffer	event;			/* of the sample being read: its name, NUL, what it is, NUL */
	size_t		event_word;		/* where the second begins */
	bool		has_period;
	double		period;
	FgBuffer	name;			/* of a frame that is put together */
	Span		frame;			/* the last one, into "name"; not added yet */
	bool		has_frame;
	bool		from_head;		/* it is the rest of the head, so frames that follow replace it */
	bool		has_places;		/* some frame had a place in a source file */
	bool		has_symbols;	/* some frame had a symbol, known or [unknown] */
	bool		has_frames;
	bool		has_time;		/* it is one that a clock may show */
	bool		has_zero;		/* of the times */
	int64_t		zero;			/* nanoseconds of the first sample */
	int64_t		time;			/* and of the one being read */
} Perf;

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* A line that could be one of a sample's frames: indented, with an address. */
static bool
is_frame_line(Span line)
{
	return line.length > 0 && is_blank(line.text[0]) && fg_perf_is_frame(line);
}

/* A frame below a head, in a file whose lines were trimmed: an address, and an object. */
static bool
has_lost_indent(Span line)
{
	FgPerfHead	head;
	FgPerfFrame frame;

	return fg_perf_frame(line, &frame) == NULL && frame.object.length > 0 &&
		fg_perf_head(line, &head) != NULL;
}

/* Commands are printed to the right of a column, so a head may start with blanks.  "f.c:2 ilen: 6 insn: 48" is a place. */
static bool
is_indented_head(Span line)
{
	FgPerfHead	head;

	return line.text[0] == ' ' && fg_perf_head(fg_perf_strip_fields(line), &head) == NULL && head.event.length > 0;
}

/* --- recognition -------------------------------------------------------------- */

/* A head, and behind it a frame, an empty line or (without call chains) a head. */
static bool
recognise(const char *text, size_t size, bool whole)
{
	FgHeadLine	walk = fg_head_lines(text, size, whole);
	FgPerfHead	head;
	FgPerfFrame frame;
	bool		other;

	if (!fg_head_is_text(text, size) || fg_json_begins(text, size))
		return false;
	while (fg_head_next_content(&walk))
	{
		if (fg_perf_head((Span) {walk.line, walk.length}, &head) != NULL)
			return false;
		if (head.other_record)
			continue;
		if (fg_perf_only_frame(&head, &frame, &other) == NULL && !other)
			return true;
		if (!fg_head_next(&walk) || walk.length == 0)
			return head.event.length > 0;
		return is_frame_line((Span) {walk.line, walk.length}) ||
			has_lost_indent((Span) {walk.line, walk.length});
	}
	return false;
}

/* --- samples -------------------------------------------------------------------- */

static bool
bad_line(Perf *p, uint64_t number, const char *what)
{
	return fg_fail_at(p->ctx, FG_ERROR_SYNTAX, number, 1, head_hint, "%s", what);
}

static bool
append(FgBuffer *to, Span text)
{
	return fg_buffer_append(to, text.text, text.length);
}

static bool
is_one_of(const char *word, const char *const *words)
{
	for (size_t i = 0; words[i] != NULL; i++)
	{
		if (strcmp(word, words[i]) == 0)
			return true;
	}
	return false;
}

/*
 * What the event is about: "cpu" is what counts or samples the processor's time, under its
 * several names.  Instructions or faults are no time, and have their own.
 */
static void
describe_event(const Perf *p, FgKind *kind)
{
	static const char *const cpu[] = {"cycles", "cpu-cycles", "cpu-clock", "", NULL};
	static const char *const times[] = {"cpu-clock", "task-clock", off_cpu, NULL};
	const char *name = (const char *) p->event.data;
	const char *word = name + p->event_word;
	bool		is_time = is_one_of(word, times);

	*kind = (FgKind) {.event = is_one_of(word, cpu) ? "cpu" : word, .name = name,
	.unit = !p->has_period ? "samples" : is_time ? "nanoseconds" : "events"};
	if (p->has_period)
		kind->period = p->period;
}

/* The frame that was held back for its place in the source. */
static bool
flush_frame(Perf *p)
{
	if (!p->has_frame)
		return true;
	p->has_frame = p->from_head = false;
	return fg_sink_inlined_frame(p->sink, (char *) p->name.data, p->name.size);
}

/* A clock's period is a time; other events last until the next one alone says. */
static void
set_time(Perf *p, const FgKind *kind)
{
	bool		clock = strcmp(kind->unit, "nanoseconds") == 0 && strcmp(kind->event, off_cpu) != 0;

	fg_sink_time_until_next(p->sink, (double) (p->time - p->zero), clock ? p->period : 0);
}

/*
 * perf record --off-cpu adds up how long threads slept in each stack, and writes the sums behind all samples, at a
 * time that no clock shows: 2^64 - 2^32 nanoseconds.
 */
static bool
fail_time(Perf *p, const FgKind *kind)
{
	static const char hint[] = "Select other events, or load the profile: read_recording, flamegraph_from_perf.";
	bool		sum = strcmp(kind->event, off_cpu) == 0;

	return fg_fail_at(p->ctx, FG_ERROR_RANGE, p->head_line, 0, hint, sum
					  ? "this is a sum of offcpu-time, of which perf does not say when it was" : "a time is too large");
}

static bool
end_sample(Perf *p)
{
	FgKind		kind;
	uint32_t	number;

	if (!p->in_sample)
		return true;
	p->in_sample = false;
	if (p->bad_rest != NULL)
		return bad_line(p, p->head_line, p->bad_rest);
	describe_event(p, &kind);
	set_time(p, &kind);
	if (flush_frame(p) && fg_sink_profile(p->sink, &kind, &number) &&
		(p->has_time || number == FG_UNWANTED || !fg_sink_is_timed(p->sink) || fail_time(p, &kind)) &&
		fg_sink_sample(p->sink, number, FG_LEAF_FIRST, false, p->has_period ? p->period : 1))
		return true;
	p->ctx->error.line = p->head_line;
	return false;
}

static bool
hold_frame(Perf *p, const FgPerfFrame *frame)
{
	static const Span unknown = {"[unknown]", 9};
	static const Span kernel = {"[kernel]", 8};

	if (!flush_frame(p))
		return false;
	p->name.size = 0;
	p->has_frame = p->has_frames = true;
	p->has_symbols |= frame->symbol.length > 0;
	if (fg_sink_options(p->sink)->frame_style == FG_FRAME_ADDRESS)
		return fg_buffer_append(&p->name, "0x", 2) && append(&p->name, frame->address);
	if (fg_perf_is_unnamed(frame->symbol))
		return append(&p->name, frame->in_kernel ? kernel : unknown);
	return append(&p->name, frame->symbol) &&
		(!frame->in_kernel || fg_buffer_append(&p->name, "_[k]", 4));
}

/* "5678.901234:" in nanoseconds; the caller knows that it is a time. */
static bool
parse_time(Span text, int64_t *time)
{
	int64_t		seconds = 0;
	int64_t		fraction = 0;
	int64_t		digit_value = 100000000;
	size_t		at = 0;

	for (; is_digit(text.text[at]) && seconds < 1000000000; at++)
		seconds = seconds * 10 + (text.text[at] - '0');
	/* 10^9 seconds since the machine started are 31 years; since 1970 they end in 2286 */
	if (is_digit(text.text[at]))
		return false;
	for (at++; is_digit(text.text[at]); at++, digit_value /= 10)
		fraction += (text.text[at] - '0') * digit_value;
	*time = seconds * 1000000000 + fraction;
	return true;
}

static bool
take_time(Perf *p, const FgPerfHead *head, uint64_t number)
{
	if (!fg_sink_is_timed(p->sink))
		return true;
	if (head->time.length == 0)
		return fg_fail_at(p->ctx, FG_ERROR_ARGUMENT, number, 0,
						  "Print them: perf script -F +time.", "the recording has no times");
	p->has_time = parse_time(head->time, &p->time);
	if (p->has_time && !p->has_zero)
		p->zero = p->time;
	p->has_zero |= p->has_time;
	return true;
}

/* The command, and the process where it is wanted, in p->name. */
static bool
name_thread(Perf *p, const FgPerfHead *head, bool process)
{
	p->name.size = 0;
	return append(&p->name, head->command) &&
		(!process || head->id.length == 0 ||
		 ((head->command.length == 0 || fg_buffer_append(&p->name, "-", 1)) &&
		  append(&p->name, head->id)));
}

static bool
begin_thread(Perf *p, const FgPerfHead *head)
{
	if (fg_sink_is_timed(p->sink) &&
		!(name_thread(p, head, true) &&
		  (p->name.size == 0 || fg_sink_lane(p->sink, (char *) p->name.data, p->name.size))))
		return false;
	if (!name_thread(p, head, fg_sink_options(p->sink)->threads))
		return false;
	return p->name.size == 0 || fg_sink_thread(p->sink, (char *) p->name.data, p->name.size);
}

static bool
set_event(Perf *p, Span name)
{
	p->event.size = 0;
	p->event_word = name.length + 1;
	return append(&p->event, name) && fg_buffer_append(&p->event, "", 1) &&
		append(&p->event, fg_perf_event_word(name)) && fg_buffer_append(&p->event, "", 1);
}

static bool
begin_sample(Perf *p, const FgPerfHead *head, uint64_t number)
{
	p->in_sample = true;
	p->head_line = number;
	p->has_frame = p->from_head = false;
	p->bad_rest = NULL;
	p->has_period = head->period.length > 0;
	fg_sink_clear(p->sink);
	if (p->has_period &&
		fg_number_parse(p->ctx, head->period.text, head->period.length, &p->period) != FG_NUMBER_OK)
		return fg_fail_at(p->ctx, FG_ERROR_RANGE, number, 0, NULL, "the period is too large");
	return take_time(p, head, number) && set_event(p, head->event) && begin_thread(p, head);
}

/* --- the text, line by line ---------------------------------------------------- */

/* The rest of a head is the frame of its sample, where no frames follow. */
static bool
hold_rest(Perf *p, const FgPerfHead *head)
{
	FgPerfFrame frame;
	bool		other;

	p->bad_rest = fg_perf_only_frame(head, &frame, &other);
	if (p->bad_rest != NULL || other)
		return true;
	if (!hold_frame(p, &frame))
		return false;
	p->from_head = true;
	return true;
}

static bool
take_head(Perf *p, Span line, uint64_t number)
{
	FgPerfHead	head;
	const char *problem = fg_perf_head(line, &head);

	if (problem != NULL)
		return bad_line(p, number, problem);
	if (head.other_record)
	{
		fg_sink_noted(p->sink)->comments++;
		return true;
	}
	if (p->heads == HEADS_NEVER)
		return bad_line(p, number, "this sample has a head, and those before it have none");
	p->heads = HEADS_ALWAYS;
	return begin_sample(p, &head, number) && hold_rest(p, &head);
}

/* "libc.so.6[29d90]", of an object without lines; "??:?" */
static bool
is_no_place(Span place)
{
	size_t		digits = place.length;

	if (place.length == 4 && memcmp(place.text, "??:?", 4) == 0)
		return true;
	if (place.length < 4 || place.text[place.length - 1] != ']')
		return false;
	for (digits--; digits > 0 && isxdigit((unsigned char) place.text[digits - 1]);)
		digits--;
	return digits > 1 && digits < place.length - 1 && place.text[digits - 1] == '[';
}

/*
 * "  file.c:123" behind a frame, or "??:0"; where the object has no lines its name and an
 * address, or the symbol and an offset.
 */
static bool
take_place(Perf *p, Span line, uint64_t number)
{
	Span		place = fg_perf_strip_fields(fg_perf_skip_blanks(line));
	size_t		digits;

	/* of a function that debugging information alone knows */
	place.length = fg_length_without(place.text, place.length, " (inlined)");
	digits = place.length;
	if (p->has_frame && is_no_place(place))
		return true;
	while (digits > 0 && is_digit(place.text[digits - 1]))
		digits--;
	if (p->has_frame && digits > 1 && digits < place.length && place.text[digits - 1] == '+')
		return true;
	if (!p->has_frame || digits == 0 || digits == place.length || place.text[digits - 1] != ':')
		return bad_line(p, number, "this is not a frame of a sample");
	p->has_places = true;
	if (fg_sink_options(p->sink)->frame_style != FG_FRAME_LINE || place.text[0] == '?')
		return true;
	return fg_buffer_append(&p->name, place.text + digits - 1, place.length - digits + 1);
}

/* A frame below the head: what stood behind the event was another field, not a frame. */
static bool
take_frame(Perf *p, Span line, uint64_t number)
{
	FgPerfFrame frame;
	const char *problem = fg_perf_frame(line, &frame);

	if (problem != NULL)
		return bad_line(p, number, problem);
	p->bad_rest = NULL;
	if (p->from_head)
		p->has_frame = p->from_head = false;
	return hold_frame(p, &frame);
}

static bool
take_sample_line(Perf *p, Span line, uint64_t number)
{
	bool		frame = is_frame_line(line);

	/* before frames, because "add" would be an address, and before heads, because "ilen: 6 insn: 48 89" would be one */
	if (fg_perf_is_instruction(line) || (!frame && fg_perf_is_extra(line)))
	{
		/* it is the last line of its sample, in place of the empty one */
		fg_sink_noted(p->sink)->comments++;
		return end_sample(p);
	}
	if (is_indented_head(line))
		return end_sample(p) && take_head(p, line, number);
	if (frame || has_lost_indent(line))
		return take_frame(p, line, number);
	if (is_blank(line.text[0]))
		return take_place(p, line, number);
	return end_sample(p) && take_head(p, line, number);
}

/* Frames without any head, when only these fields were printed. */
static bool
take_bare_frame(Perf *p, Span line, uint64_t number)
{
	static const FgPerfHead none = {.id = {"", 0}, .command = {"", 0}, .time = {"", 0},
	.period = {"", 0}, .event = {"", 0}};

	if (p->heads == HEADS_ALWAYS)
		return bad_line(p, number, "this frame belongs to no sample: an empty line stands before it");
	p->heads = HEADS_NEVER;
	return begin_sample(p, &none, number) && take_frame(p, line, number);
}

static bool
take_line(void *arg, const char *text, size_t length, uint64_t number)
{
	Perf	   *p = arg;
	Span		line = {text, length};
	bool		ok;

	if (length == 0)
		return end_sample(p);
	if (text[0] == '#')
	{
		fg_sink_noted(p->sink)->comments++;
		return true;
	}
	if (p->in_sample)
		ok = take_sample_line(p, line, number);
	else if (text[0] == '\t' && is_frame_line(line))
		ok = take_bare_frame(p, line, number);
	else
		ok = take_head(p, line, number);
	if (!ok && p->ctx->error.line == 0)
		p->ctx->error.line = number;
	return ok;
}

/* --- the format ------------------------------------------------------------------ */

static void *
begin(FgSink *sink)
{
	FgContext  *ctx = fg_sink_context(sink);
	Perf	   *p = fg_alloc_zero(ctx, 1, sizeof(Perf));

	if (p == NULL)
		return NULL;
	p->ctx = p->event.ctx = p->name.ctx = ctx;
	p->sink = sink;
	fg_sink_ticks(sink, 1e9);
	fg_text_lines_begin(&p->lines, ctx, take_line, p);
	return p;
}

static bool
feed(void *state, const char *bytes, size_t size)
{
	return fg_text_lines_feed(&((Perf *) state)->lines, bytes, size);
}

/*
 * A frame with all of its object, "7f01 f() (/srv/app (deleted))": whether frames follow cannot be seen
 * behind the end of a line either, and what was copied by hand often lacks that of the last one.
 */
static bool
is_whole_frame(Span line)
{
	size_t		open = 0;
	size_t		closed = 0;

	for (size_t i = 0; i < line.length; i++)
	{
		open += line.text[i] == '(';
		closed += line.text[i] == ')';
	}
	return open == closed && line.length > 0 && line.text[line.length - 1] == ')' && is_frame_line(line);
}

/* What was not printed would look as if perf knew nothing of it. */
static bool
check_fields(const Perf *p)
{
	FgFrameStyle style = fg_sink_options(p->sink)->frame_style;

	if (style == FG_FRAME_LINE && !p->has_places && fg_sink_noted(p->sink)->samples > 0)
		return fg_fail_at(p->ctx, FG_ERROR_ARGUMENT, 0, 0, "Print them: perf script -F +srcline.",
						  "the recording has no lines of source files");
	if (style != FG_FRAME_ADDRESS && p->has_frames && !p->has_symbols)
		return fg_fail_at(p->ctx, FG_ERROR_ARGUMENT, 0, 0,
						  "Print them: perf script -F +sym; or load with frame style address.",
						  "the recording was printed without symbols");
	return true;
}

static bool
finish(void *state)
{
	Perf	   *p = state;
	bool		whole = is_whole_frame((Span) {(char *) p->lines.partial.data, p->lines.partial.size});

	if (!fg_text_lines_finish(&p->lines))
		return false;
	if (!p->lines.ended && !whole)
		return bad_line(p, p->lines.number,
						"the last line has no end, so the recording may be cut off");
	return end_sample(p) && check_fields(p);
}

static void
end(void *state)
{
	Perf	   *p = state;

	fg_text_lines_free(&p->lines);
	fg_release(p->ctx, p->event.data);
	fg_release(p->ctx, p->name.data);
	fg_release(p->ctx, p);
}

const FgFormatReader fg_perf_reader = {
	.format = FG_FORMAT_PERF,
	.unsure = true,
	.recognise = recognise,
	.begin = begin,
	.feed = feed,
	.finish = finish,
	.free = end
};
