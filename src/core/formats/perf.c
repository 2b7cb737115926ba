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
 * those of the upper half; without a symbol it is [unknown] or [kernel].  The
 * value of a sample is its period where that is printed, as in perf report, else 1.
 */
#include "core/formats/sink.h"
#include "core/formats/text_lines.h"

#include "core/base/number.h"

#include <ctype.h>

static const char head_hint[] =
	"The input is the text of perf script with at least the fields ip and sym, "
	"and comm, tid and event as far as known.";

typedef struct Span
{
	const char *text;
	size_t		length;
} Span;

typedef struct Head
{
	Span		command;		/* empty when it was not printed */
	Span		id;				/* pid, pid/tid */
	Span		time;			/* with its colon */
	Span		period;
	Span		event;
	Span		rest;			/* behind the event */
	bool		certain;		/* processor or time are there */
	bool		other_record;
} Head;

typedef struct Frame
{
	Span		address;
	Span		symbol;
	Span		object;
	bool		in_kernel;
} Frame;

typedef struct Perf
{
	FgContext  *ctx;
	FgSink	   *sink;
	FgTextLines lines;
	bool		in_sample;
	uint64_t	head_line;
	FgBuffer	event;			/* of the sample being read: its name, NUL, the name without
								 * modifiers, NUL */
	size_t		event_length;	/* of the second */
	bool		has_period;
	double		period;
	FgBuffer	name;			/* of a frame that is put together */
	Span		frame;			/* the last one, into "name"; not added yet */
	bool		has_frame;
	bool		has_places;		/* some frame had a place in a source file */
	bool		has_zero;		/* of the times */
	int64_t		zero;			/* nanoseconds of the first sample */
	int64_t		time;			/* and of the one being read */
} Perf;

/* --- words ------------------------------------------------------------------- */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static Span
skip_blanks(Span text)
{
	while (text.length > 0 && is_blank(text.text[0]))
	{
		text.text++;
		text.length--;
	}
	return text;
}

/* Cuts the next word off; empty at the end. */
static Span
next_word(Span *text)
{
	Span		word;

	*text = skip_blanks(*text);
	word = (Span) {text->text, 0};
	while (word.length < text->length && !is_blank(text->text[word.length]))
		word.length++;
	text->text += word.length;
	text->length -= word.length;
	return word;
}

static bool
is_number(Span word)
{
	for (size_t i = 0; i < word.length; i++)
	{
		if (!is_digit(word.text[i]))
			return false;
	}
	return word.length > 0;
}

/* "1234" or "1234/1235" */
static bool
is_id(Span word)
{
	size_t		first = 0;

	while (first < word.length && word.text[first] != '/')
		first++;
	return is_number((Span) {word.text, first}) &&
		(first == word.length ||
		 is_number((Span) {word.text + first + 1, word.length - first - 1}));
}

/* "[001]" */
static bool
is_processor(Span word)
{
	return word.length > 2 && word.text[0] == '[' && word.text[word.length - 1] == ']' &&
		is_number((Span) {word.text + 1, word.length - 2});
}

/* "5678.901234:" */
static bool
is_time(Span word)
{
	size_t		dot = 0;

	while (dot < word.length && is_digit(word.text[dot]))
		dot++;
	return dot > 0 && word.length > dot + 2 && word.text[dot] == '.' &&
		word.text[word.length - 1] == ':' &&
		is_number((Span) {word.text + dot + 1, word.length - dot - 2});
}

/* "cycles:u:" */
static bool
is_event(Span word)
{
	return word.length > 1 && word.text[word.length - 1] == ':' && !is_digit(word.text[0]);
}

static bool
starts_with(Span text, const char *start)
{
	size_t		length = strlen(start);

	return text.length >= length && memcmp(text.text, start, length) == 0;
}

/* --- lines --------------------------------------------------------------------- */

/* An object in brackets at the end of a frame; brackets inside it are in pairs. */
static void
split_object(Span *symbol, Span *object)
{
	size_t		open = symbol->length;
	int			depth = 0;

	*object = (Span) {symbol->text, 0};
	if (open == 0 || symbol->text[open - 1] != ')')
		return;
	while (open > 0)
	{
		open--;
		depth += (symbol->text[open] == ')') - (symbol->text[open] == '(');
		if (depth == 0)
			break;
	}
	if (depth != 0 || (open > 0 && !is_blank(symbol->text[open - 1])))
		return;
	*object = (Span) {symbol->text + open, symbol->length - open};
	symbol->length = open;
	while (symbol->length > 0 && is_blank(symbol->text[symbol->length - 1]))
		symbol->length--;
}

/* "+0x1f" at the end */
static void
strip_offset(Span *symbol)
{
	size_t		at = symbol->length;

	while (at > 0 && is_hex(symbol->text[at - 1]))
		at--;
	if (at < symbol->length && at >= 3 && memcmp(symbol->text + at - 3, "+0x", 3) == 0)
		symbol->length = at - 3;
}

/* Address, symbol and object; what stands before them was checked by the caller. */
static bool
parse_frame(Span text, Frame *frame)
{
	Span		address = next_word(&text);
	size_t		digits = 0;

	if (starts_with(address, "0x"))
	{
		address.text += 2;
		address.length -= 2;
	}
	while (digits < address.length && is_hex(address.text[digits]))
		digits++;
	if (digits == 0 || digits != address.length || digits > 16)
		return false;
	frame->address = address;
	frame->in_kernel = digits == 16 && (address.text[0] >= '8');
	frame->symbol = skip_blanks(text);
	split_object(&frame->symbol, &frame->object);
	strip_offset(&frame->symbol);
	return true;
}

/* The fields behind the process: processor, time, period, event, in this order. */
static bool
parse_fields(Span text, Head *head)
{
	Span		word = next_word(&text);

	head->event = head->period = head->time = (Span) {text.text, 0};
	if (is_processor(word))
	{
		head->certain = true;
		word = next_word(&text);
	}
	if (is_time(word))
	{
		head->certain = true;
		head->time = word;
		word = next_word(&text);
	}
	if (starts_with(word, "PERF_RECORD_"))
	{
		head->other_record = true;
		return true;
	}
	if (is_number(word))
	{
		head->period = word;
		word = next_word(&text);
	}
	head->rest = skip_blanks(text);
	if (word.length == 0)
		return head->period.length == 0;
	if (!is_event(word))
		return false;
	head->event = (Span) {word.text, word.length - 1};
	return true;
}

/*
 * A command may hold blanks and numbers.  The first word behind which the fields
 * follow is the process; a line may also start with that.
 */
static bool
parse_head(Span line, Head *head)
{
	Span		start = skip_blanks(line);
	Span		text = start;

	for (bool first = true;; first = false)
	{
		Span		word = next_word(&text);

		if (word.length == 0)
			return false;
		if (!is_id(word))
			continue;
		*head = (Head) {.id = word};
		head->command = (Span) {start.text, (size_t) (word.text - start.text)};
		while (head->command.length > 0 && is_blank(start.text[head->command.length - 1]))
			head->command.length--;
		if (parse_fields(text, head) && (!first || head->certain))
			return true;
	}
}

/* A line that could be one of a sample's frames: indented, with an address. */
static bool
parse_frame_line(Span line, Frame *frame)
{
	return line.length > 0 && is_blank(line.text[0]) && parse_frame(line, frame);
}

/*
 * The frame behind the head of a sample without a call chain.  There a tracepoint
 * has its text, mostly name=value.
 */
static bool
parse_only_frame(const Head *head, Frame *frame)
{
	return head->event.length > 0 && head->rest.length > 0 && parse_frame(head->rest, frame) &&
		(frame->object.length > 0 ||
		 (frame->symbol.length > 0 && memchr(head->rest.text, '=', head->rest.length) == NULL));
}

/* Commands are printed to the right of a column, so a head may start with blanks. */
static bool
is_indented_head(Span line)
{
	Head		head;

	return line.text[0] == ' ' && parse_head(line, &head) && head.event.length > 0;
}

/* --- recognition -------------------------------------------------------------- */

/* A head, and behind it a frame, an empty line or (without call chains) a head. */
static bool
recognise(const char *text, size_t size, bool whole)
{
	FgHeadLine	walk = fg_head_lines(text, size, whole);
	Head		head;
	Frame		frame;

	if (!fg_head_is_text(text, size))
		return false;
	while (fg_head_next_content(&walk))
	{
		if (!parse_head((Span) {walk.line, walk.length}, &head))
			return false;
		if (head.other_record)
			continue;
		if (parse_only_frame(&head, &frame))
			return true;
		if (!fg_head_next(&walk))
			return head.event.length > 0;
		if (walk.length == 0)
			return head.event.length > 0;
		return parse_frame_line((Span) {walk.line, walk.length}, &frame);
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

/* The first names of the list are clocks, whose period is a time. */
#define COUNT_CLOCKS 2

/* What the event is about, as far as its name is a common one. */
static void
describe_event(const Perf *p, FgKind *kind)
{
	static const char *const cpu[] = {"cpu-clock", "task-clock", "cycles", "cpu-cycles",
	"ref-cycles", "instructions", "cpu_core", "cpu_atom", ""};
	const char *name = (const char *) p->event.data;
	size_t		length = p->event_length;

	*kind = (FgKind) {.event = name + p->event.size - length - 1, .name = name,
	.unit = p->has_period ? "events" : "samples"};
	if (p->has_period)
		kind->period = p->period;
	for (size_t i = 0; i < sizeof(cpu) / sizeof(cpu[0]); i++)
	{
		if (strlen(cpu[i]) != length || memcmp(cpu[i], name, length) != 0)
			continue;
		kind->event = "cpu";
		if (i < COUNT_CLOCKS && p->has_period)
			kind->unit = "nanoseconds";
	}
}

/* The frame that was held back for its place in the source. */
static bool
flush_frame(Perf *p)
{
	if (!p->has_frame)
		return true;
	p->has_frame = false;
	return fg_sink_frame(p->sink, (char *) p->name.data, p->name.size);
}

/* A clock's period is a time; other events last until the next one alone says. */
static void
set_time(Perf *p, const FgKind *kind)
{
	bool		clock = strcmp(kind->unit, "nanoseconds") == 0;

	fg_sink_time_until_next(p->sink, (double) (p->time - p->zero), clock ? p->period : 0);
}

static bool
end_sample(Perf *p)
{
	FgKind		kind;
	uint32_t	number;

	if (!p->in_sample)
		return true;
	p->in_sample = false;
	describe_event(p, &kind);
	set_time(p, &kind);
	if (flush_frame(p) && fg_sink_profile(p->sink, &kind, &number) &&
		fg_sink_sample(p->sink, number, FG_LEAF_FIRST, false, p->has_period ? p->period : 1))
		return true;
	p->ctx->error.line = p->head_line;
	return false;
}

static bool
hold_frame(Perf *p, const Frame *frame)
{
	static const Span unknown = {"[unknown]", 9};
	static const Span kernel = {"[kernel]", 8};
	bool		unnamed = frame->symbol.length == 0 ||
		(frame->symbol.length == unknown.length && starts_with(frame->symbol, unknown.text));

	if (!flush_frame(p))
		return false;
	p->name.size = 0;
	p->has_frame = true;
	if (fg_sink_options(p->sink)->frame_style == FG_FRAME_ADDRESS)
		return fg_buffer_append(&p->name, "0x", 2) && append(&p->name, frame->address);
	if (unnamed)
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
take_time(Perf *p, const Head *head, uint64_t number)
{
	if (!fg_sink_is_timed(p->sink))
		return true;
	if (head->time.length == 0)
		return fg_fail_at(p->ctx, FG_ERROR_ARGUMENT, number, 0,
						  "Print them: perf script -F +time.", "the recording has no times");
	if (!parse_time(head->time, &p->time))
		return fg_fail_at(p->ctx, FG_ERROR_RANGE, number, 0, NULL, "a time is too large");
	if (!p->has_zero)
		p->zero = p->time;
	p->has_zero = true;
	return true;
}

/* The command, and the process where it is wanted, in p->name. */
static bool
name_thread(Perf *p, const Head *head, bool process)
{
	p->name.size = 0;
	return append(&p->name, head->command) &&
		(!process || head->id.length == 0 ||
		 ((head->command.length == 0 || fg_buffer_append(&p->name, "-", 1)) &&
		  append(&p->name, head->id)));
}

static bool
begin_thread(Perf *p, const Head *head)
{
	if (fg_sink_is_timed(p->sink) &&
		!(name_thread(p, head, true) &&
		  (p->name.size == 0 || fg_sink_lane(p->sink, (char *) p->name.data, p->name.size))))
		return false;
	if (!name_thread(p, head, fg_sink_options(p->sink)->threads))
		return false;
	return p->name.size == 0 || fg_sink_thread(p->sink, (char *) p->name.data, p->name.size);
}

/* "cycles:u", "page-faults/period=40/", but "sched:sched_switch". */
static bool
set_event(Perf *p, Span name)
{
	Span		plain = name;

	bool		modifiers = true;	/* all letters so far, from the end */

	for (size_t i = name.length; i > 0; i--)
	{
		char		c = name.text[i - 1];

		if (c == '/' || (c == ':' && modifiers))
			plain.length = i - 1;
		modifiers &= strchr("ukhHGIpPSDWeb", c) != NULL;
	}
	p->event.size = 0;
	p->event_length = plain.length;
	return append(&p->event, name) && fg_buffer_append(&p->event, "", 1) &&
		append(&p->event, plain) && fg_buffer_append(&p->event, "", 1);
}

static bool
begin_sample(Perf *p, const Head *head, uint64_t number)
{
	p->in_sample = true;
	p->head_line = number;
	p->has_frame = false;
	p->has_period = head->period.length > 0;
	fg_sink_clear(p->sink);
	if (p->has_period &&
		fg_number_parse(p->ctx, head->period.text, head->period.length, &p->period) != FG_NUMBER_OK)
		return fg_fail_at(p->ctx, FG_ERROR_RANGE, number, 0, NULL, "the period is too large");
	return take_time(p, head, number) && set_event(p, head->event) && begin_thread(p, head);
}

/* --- the text, line by line ---------------------------------------------------- */

static bool
take_head(Perf *p, Span line, uint64_t number)
{
	Head		head;
	Frame		frame;

	if (!parse_head(line, &head))
		return bad_line(p, number, "this is not the head of a sample");
	if (head.other_record)
	{
		fg_sink_noted(p->sink)->comments++;
		return true;
	}
	if (!begin_sample(p, &head, number))
		return false;
	if (!parse_only_frame(&head, &frame))
		return true;
	return hold_frame(p, &frame) && end_sample(p);
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
	Span		place = skip_blanks(line);
	size_t		digits = place.length;

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

static bool
take_sample_line(Perf *p, Span line, uint64_t number)
{
	Frame		frame;

	if (is_indented_head(line))
		return end_sample(p) && take_head(p, line, number);
	if (parse_frame_line(line, &frame))
		return hold_frame(p, &frame);
	if (is_blank(line.text[0]))
		return take_place(p, line, number);
	return end_sample(p) && take_head(p, line, number);
}

/* Frames without any head, when only these fields were printed. */
static bool
take_bare_frame(Perf *p, const Frame *frame, uint64_t number)
{
	static const Head none = {.id = {"", 0}, .command = {"", 0}, .time = {"", 0},
	.period = {"", 0}, .event = {"", 0}};

	return begin_sample(p, &none, number) && hold_frame(p, frame);
}

static bool
take_line(void *arg, const char *text, size_t length, uint64_t number)
{
	Perf	   *p = arg;
	Span		line = {text, length};
	Frame		frame;
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
	else if (text[0] == '\t' && parse_frame_line(line, &frame))
		ok = take_bare_frame(p, &frame, number);
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

static bool
finish(void *state)
{
	Perf	   *p = state;

	if (!fg_text_lines_finish(&p->lines) || !end_sample(p))
		return false;
	if (fg_sink_options(p->sink)->frame_style == FG_FRAME_LINE && !p->has_places &&
		fg_sink_noted(p->sink)->samples > 0)
		return fg_fail_at(p->ctx, FG_ERROR_ARGUMENT, 0, 0, "Print them: perf script -F +srcline.",
						  "the recording has no lines of source files");
	return true;
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
	.has_lines = true,
	.has_addresses = true,
	.has_times = true,
	.recognise = recognise,
	.begin = begin,
	.feed = feed,
	.finish = finish,
	.free = end
};
