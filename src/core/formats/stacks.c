/*
 * stacks.c
 *	  Stacks as DTrace, SystemTap and the tools of bcc (profile, offcputime,
 *	  stackcount) print them: a frame on each line, leaf first, and below them how often.
 *
 *		CPU     ID                    FUNCTION:NAME
 *		  0  64091                        :tick-60s
 *
 *		              unix`pagefault+0x96
 *		              unix`trap+0x2c7
 *
 *		              libc.so.1`read+0xa
 *		                5
 *
 * Frames are indented, and so is the count; of several stacks the blank lines between
 * them mean nothing.  Frames have lost their offsets, and keep DTrace's module, as it
 * is written there: module`function.  Lines that are not indented, and the heads that
 * DTrace prints for each probe, are comments between two samples and an error within
 * one.
 *
 * Other keys of DTrace's aggregations stand before the stack, or before the count, less
 * indented than frames: they are frames at the root.  bcc has the command in the last
 * line before the count, "-  command (pid)" or "  command [pid]", which is the first frame
 * as in perf's text; of the kernel's frames, "_[k]" is behind those above its delimiter
 * "--" and those above the last with the module [kernel].
 *
 * SystemTap prints " 0xffffffff8103ce3b : halt+0xb/0x10 [kernel]"; the tools of bcc that are
 * written in C, with -v, "#1  0x7f90 read+0x4 (/lib/libc.so.6+0x9ed14)".
 */
#include "core/formats/stack_text.h"
#include "core/reading/json_stream.h"
#include "core/reading/sink.h"
#include "core/reading/text_lines.h"

typedef FgStackSpan Span;

/* Of a sample: the frames of the deepest stack, its keys, its command and its delimiter. */
#define MAX_LINES (FG_MAX_DEPTH + 64)

/* A line of the sample being read. */
typedef struct StackLine
{
	size_t		at;				/* in Stacks.text */
	size_t		length;
	size_t		indent;
} StackLine;

typedef struct Stacks
{
	FgContext  *ctx;
	FgSink	   *sink;
	FgTextLines lines;
	FgBuffer	text;
	FgBuffer	kept;			/* StackLine */
	uint64_t	first_line;
	uint64_t	number;			/* of the line being read */
	FgBuffer	event;			/* what the tool says that it counts, or nothing */
	bool		off_cpu;
	FgBuffer	frame;
} Stacks;

/* --- lines -------------------------------------------------------------------------- */

static size_t
indent_of(Span line)
{
	size_t		at = 0;

	while (at < line.length && fg_stack_is_blank(line.text[at]))
		at++;
	return at;
}

/* Digits, and the blanks behind them; where they start otherwise. */
static size_t
skip_number(Span text, size_t at)
{
	size_t		start = at;

	while (at < text.length && fg_stack_is_digit(text.text[at]))
		at++;
	if (at == start || at == text.length || !fg_stack_is_blank(text.text[at]))
		return start;
	while (at < text.length && fg_stack_is_blank(text.text[at]))
		at++;
	return at;
}

/* "  0  64091    :tick-60s": processor, probe, function and name. */
static bool
is_probe(Span text)
{
	size_t		id = skip_number(text, 0);
	size_t		name = skip_number(text, id);

	return id > 0 && name > id && memchr(text.text + name, ':', text.length - name) != NULL;
}

/* The last word behind two blanks or more, if it is a count: a key and its value. */
static bool
find_value(Span text, size_t *key, size_t *value)
{
	size_t		at = text.length;

	while (at > 0 && !fg_stack_is_blank(text.text[at - 1]))
		at--;
	*value = *key = at;
	while (*key > 0 && fg_stack_is_blank(text.text[*key - 1]))
		(*key)--;
	return *key > 0 && at - *key >= 2 &&
		fg_stack_is_count((Span) {text.text + at, text.length - at});
}

static bool
is_comment(Span line)
{
	size_t		indent = indent_of(line);

	return indent == 0 || is_probe((Span) {line.text + indent, line.length - indent});
}

/* --- recognition ---------------------------------------------------------------------- */

/* "libc.so.1`read+0xa" */
static bool
is_dtrace_frame(Span line)
{
	Span		frame = fg_stack_skip_blanks(line);

	return fg_stack_strip_hex_offset(frame).length < frame.length && memchr(frame.text, '`', frame.length) != NULL &&
		memchr(frame.text, ';', frame.length) == NULL;
}

/*
 * Frames, then a count, both indented; and in front of them nothing but heads.  What follows frames of DTrace otherwise
 * was printed by a format of its program, which is an error here.
 */
static bool
recognise(const char *head, size_t size, bool whole)
{
	FgHeadLine	walk = fg_head_lines(head, size, whole);
	size_t		frames = 0;
	size_t		of_dtrace = 0;

	if (!fg_head_is_text(head, size) || size == 0 || strchr("{[<", head[0]) != NULL)
		return false;
	while (fg_head_next(&walk))
	{
		Span		line = {walk.line, walk.length};

		if (line.length == 0)
			continue;
		if (frames > 0 && fg_stack_is_count(fg_stack_skip_blanks(line)))
			return !is_comment(line);
		if (is_comment(line) && frames > 0)
			return frames == of_dtrace;
		frames += !is_comment(line);
		of_dtrace += is_dtrace_frame(line);
	}
	return false;
}

/* --- a sample --------------------------------------------------------------------------- */

static size_t
kept_lines(const Stacks *s)
{
	return s->kept.size / sizeof(StackLine);
}

static StackLine
kept_line(const Stacks *s, size_t i)
{
	StackLine	line;

	memcpy(&line, s->kept.data + i * sizeof(line), sizeof(line));
	return line;
}

static Span
kept_text(const Stacks *s, size_t i)
{
	StackLine	line = kept_line(s, i);

	return (Span) {(const char *) s->text.data + line.at, line.length};
}

static bool
is_delimiter(Span text)
{
	return text.length == 2 && memcmp(text.text, "--", 2) == 0;
}

/* "name (12)" or "name [12]": where the name ends; 0: it is none. */
static size_t
command_end(Span text, char open, char close)
{
	size_t		at = text.length;

	if (at < 2 || text.text[at - 1] != close)
		return 0;
	for (at--; at > 0 && fg_stack_is_digit(text.text[at - 1]);)
		at--;
	return at > 2 && at < text.length - 1 && text.text[at - 1] == open && text.text[at - 2] == ' '
		? at - 2 : 0;
}

/* The command's name and process in the last line, as bcc prints it. */
static bool
find_command(const Stacks *s, Span *command, Span *process)
{
	size_t		count = kept_lines(s);
	Span		last = kept_text(s, count - 1);
	bool		dash = last.length > 2 && last.text[0] == '-' && last.text[1] == ' ';
	size_t		end;

	if (dash)
		last = fg_stack_skip_blanks((Span) {last.text + 1, last.length - 1});
	else if (count > 1 && kept_line(s, count - 1).indent <= kept_line(s, 0).indent)
		return false;
	end = command_end(last, dash ? '(' : '[', dash ? ')' : ']');
	if (end == 0)
		return false;
	*command = (Span) {last.text, end};
	*process = (Span) {last.text + end + 2, last.length - end - 3};
	return true;
}

/* How many lines in front are keys: less indented than what follows. */
static size_t
count_keys(const Stacks *s, size_t count)
{
	size_t		keys = 0;

	while (keys + 1 < count && !is_delimiter(kept_text(s, keys + 1)) &&
		   kept_line(s, keys).indent < kept_line(s, keys + 1).indent)
		keys++;
	return keys;
}

static bool
is_kernel_frame(Span text)
{
	static const char module[] = " [kernel]";
	size_t		length = sizeof(module) - 1;

	return text.length > length && memcmp(text.text + text.length - length, module, length) == 0;
}

/* Up to which line the frames are the kernel's. */
static size_t
kernel_end(const Stacks *s, size_t from, size_t to)
{
	for (; to > from; to--)
	{
		if (is_delimiter(kept_text(s, to - 1)) || is_kernel_frame(kept_text(s, to - 1)))
			break;
	}
	return to;
}

/* "#12 " in front of a frame: its number. */
static Span
skip_position(Span text)
{
	size_t		at = 1;

	if (text.length == 0 || text.text[0] != '#')
		return text;
	while (at < text.length && fg_stack_is_digit(text.text[at]))
		at++;
	if (at == 1 || at == text.length || !fg_stack_is_blank(text.text[at]))
		return text;
	return fg_stack_skip_blanks((Span) {text.text + at, text.length - at});
}

/* " (/lib/libc.so.6+0x9ed14)": an object with the place in it, and not the types of arguments. */
static Span
strip_place(Span symbol)
{
	Span		inside = {symbol.text, symbol.length > 0 ? symbol.length - 1 : 0};

	if (symbol.length == 0 || symbol.text[symbol.length - 1] != ')' ||
		fg_stack_strip_hex_offset(inside).length == inside.length)
		return symbol;
	return fg_stack_strip_object(symbol, '(', ')');
}

/* "halt+0xb/0x10": behind the offset the size of the function. */
static Span
strip_size(Span symbol)
{
	size_t		at = symbol.length;

	while (at > 0 && fg_stack_is_hex(symbol.text[at - 1]))
		at--;
	if (at == symbol.length || at <= 3 || memcmp(symbol.text + at - 3, "/0x", 3) != 0)
		return symbol;
	symbol.length = at - 3;
	return symbol;
}

static Span
symbol_of(Span text)
{
	Span		symbol = fg_stack_skip_address(skip_position(text));
	Span		sized;
	Span		stripped;

	if (fg_stack_starts_with(symbol, ": "))
		symbol = fg_stack_skip_blanks((Span) {symbol.text + 1, symbol.length - 1});
	symbol = strip_place(fg_stack_strip_object(symbol, '[', ']'));
	/* what stands behind a name is a size where an offset is before it */
	sized = strip_size(symbol);
	stripped = fg_stack_strip_hex_offset(sized);
	return stripped.length < sized.length ? stripped : symbol;
}

static bool
add_frame(Stacks *s, Span text, bool in_kernel)
{
	Span		symbol = symbol_of(text);

	s->frame.size = 0;
	return fg_buffer_append(&s->frame, symbol.text, symbol.length) &&
		(!in_kernel || fg_buffer_append(&s->frame, "_[k]", 4)) &&
		fg_sink_inlined_frame(s->sink, (char *) s->frame.data, s->frame.size);
}

/* Keys stand side by side, with blanks between them; the last one is added first. */
static bool
add_keys(Stacks *s, Span text)
{
	size_t		end = text.length;

	while (end > 0)
	{
		size_t		start = end;

		while (start > 0 && !(start > 1 && fg_stack_is_blank(text.text[start - 1]) &&
							  fg_stack_is_blank(text.text[start - 2])))
			start--;
		if (!fg_sink_frame(s->sink, text.text + start, end - start))
			return false;
		for (end = start; end > 0 && fg_stack_is_blank(text.text[end - 1]);)
			end--;
	}
	return true;
}

static bool
add_command(Stacks *s, Span command, Span process)
{
	s->frame.size = 0;
	return fg_buffer_append(&s->frame, command.text, command.length) &&
		(!fg_sink_options(s->sink)->threads ||
		 (fg_buffer_append(&s->frame, "-", 1) &&
		  fg_buffer_append(&s->frame, process.text, process.length))) &&
		fg_sink_thread(s->sink, (char *) s->frame.data, s->frame.size);
}

/* The frames and keys of the kept lines, from the leaf on. */
static bool
collect_stack(Stacks *s)
{
	size_t		count = kept_lines(s);
	Span		command = {NULL, 0};
	Span		process = {NULL, 0};
	size_t		keys;
	size_t		kernel;

	fg_sink_clear(s->sink);
	if (count > 0 && find_command(s, &command, &process))
		count--;
	keys = count_keys(s, count);
	kernel = kernel_end(s, keys, count);
	for (size_t i = keys; i < count; i++)
	{
		Span		text = kept_text(s, i);

		if (!is_delimiter(text) && !add_frame(s, text, i < kernel))
			return false;
	}
	for (size_t i = keys; i > 0; i--)
	{
		if (!add_keys(s, kept_text(s, i - 1)))
			return false;
	}
	return command.length == 0 || add_command(s, command, process);
}

static bool
add_sample(Stacks *s, Span text, uint64_t number, uint64_t column)
{
	const char *name = s->event.size > 0 ? (const char *) s->event.data : "";
	FgKind		kind = {.event = s->off_cpu ? "offcpu" : name[0] != '\0' ? name : "cpu",
	.name = name, .unit = s->off_cpu ? "microseconds" : "samples"};
	uint32_t	profile;
	double		count;
	bool		ok = fg_stack_count(s->ctx, text, number, column, &count) &&
		fg_sink_profile(s->sink, &kind, &profile) &&
		fg_sink_add(s->sink, profile, FG_LEAF_FIRST, false, count);

	s->text.size = s->kept.size = 0;
	return ok;
}

/* --- the text, line by line ----------------------------------------------------------------- */

static bool
bad_line(Stacks *s, uint64_t number, uint64_t column, const char *what, const char *hint)
{
	return fg_fail_at(s->ctx, FG_ERROR_SYNTAX, number, column, hint, "%s", what);
}

static bool
keep(Stacks *s, Span text, size_t indent)
{
	StackLine	line = {s->text.size, text.length, indent};

	if (s->kept.size == 0)
		s->first_line = s->number;
	if (kept_lines(s) >= MAX_LINES)
		return fg_fail_at(s->ctx, FG_ERROR_LIMIT, s->first_line, 0, NULL,
						  "a stack has more than %d lines", MAX_LINES);
	return fg_buffer_append(&s->text, text.text, text.length) &&
		fg_buffer_append(&s->kept, &line, sizeof(line));
}

/* A number alone where a sample begins: the count of an empty stack, if no stack follows. */
static bool
is_lone_count(const Stacks *s)
{
	return kept_lines(s) == 1 && fg_stack_is_count(kept_text(s, 0));
}

static bool
end_lone_count(Stacks *s)
{
	Span		text = kept_text(s, 0);

	fg_sink_clear(s->sink);
	return add_sample(s, text, s->first_line, kept_line(s, 0).indent + 1);
}

/* What a head of a tool of bcc says about the counts. */
static bool
read_head(Stacks *s, Span line)
{
	static const char off_cpu[] = "Tracing off-CPU time (us) of ";
	const char *quote = memchr(line.text, '"', line.length);
	const char *last = quote;

	fg_sink_noted(s->sink)->comments++;
	if (fg_stack_starts_with(line, off_cpu))
	{
		s->off_cpu = true;
		return true;
	}
	if (!fg_stack_starts_with(line, "Tracing ") || quote == NULL)
		return true;
	for (const char *c = quote + 1; c < line.text + line.length; c++)
	{
		if (*c == '"')
			last = c;
	}
	s->event.size = 0;
	return last == quote ||
		(fg_buffer_append(&s->event, quote + 1, (size_t) (last - quote - 1)) &&
		 fg_buffer_append(&s->event, "", 1));
}

/* "66.75%  [.] work": what perf report prints of each function, whose callers stand below it. */
static bool
is_share(Span text)
{
	size_t		at = 0;

	while (at < text.length && (fg_stack_is_digit(text.text[at]) || text.text[at] == '.'))
		at++;
	return at > 0 && at < text.length && text.text[at] == '%';
}

/* Behind a stack, and not indented. */
static bool
fail_unindented(Stacks *s)
{
	static const char hint[] =
		"DTrace prints keys and counts below a stack, indented, where its program leaves the format of printa() out.";

	return bad_line(s, s->number, 1, "this line is no frame, and the stack above it lacks its count",
					memchr(s->text.data, '`', s->text.size) != NULL ? hint : NULL);
}

static const char *
unreadable(Span text, const char **hint)
{
	if (is_share(text))
	{
		*hint = "Load the output of \"perf script\".";
		return "this is the report of perf";
	}
	if (fg_json_holds(text.text, text.length, "- Distribution -"))
	{
		*hint = "Aggregate by count() or sum().";
		return "a distribution has no one value for its stack";
	}
	*hint = "Print it folded, with the option -f.";
	return fg_stack_starts_with(text, "waker:") || fg_stack_starts_with(text, "target:")
		? "this is the output of wakeuptime or offwaketime" : NULL;
}

/* The last keys of an aggregation, and its count: "  bash    5". */
static bool
has_last_keys(const Stacks *s, Span text, size_t indent, size_t *key, size_t *value)
{
	size_t		count = kept_lines(s);

	return count > 0 && indent < kept_line(s, count - 1).indent && find_value(text, key, value);
}

static bool
take_text(Stacks *s, Span line, size_t indent)
{
	const char *hint;
	/* SystemTap is not sure of a frame: "f+0x1/0x9 [kernel] (inexact)" */
	Span		text = {line.text, fg_length_without(line.text, line.length, " (inexact)")};
	const char *problem = unreadable(text, &hint);
	size_t		key;
	size_t		value;

	if (problem != NULL)
		return bad_line(s, s->number, indent + 1, problem, hint);
	if (is_lone_count(s) && indent <= kept_line(s, 0).indent && !end_lone_count(s))
		return false;
	if (has_last_keys(s, text, indent, &key, &value))
		return collect_stack(s) && add_keys(s, (Span) {text.text, key}) &&
			add_sample(s, (Span) {text.text + value, text.length - value}, s->number,
					   indent + value + 1);
	if (kept_lines(s) == 0 || !fg_stack_is_count(text))
		return keep(s, text, indent);
	return collect_stack(s) && add_sample(s, text, s->number, indent + 1);
}

static bool
take_line(void *arg, const char *bytes, size_t length, uint64_t number)
{
	Stacks	   *s = arg;
	Span		line = {bytes, length};
	size_t		indent = indent_of(line);
	bool		ok;

	s->number = number;
	if ((length == 0 || is_comment(line)) && is_lone_count(s) && !end_lone_count(s))
		ok = false;
	else if (length == 0)
		ok = true;
	else if (!is_comment(line))
		ok = take_text(s, (Span) {bytes + indent, length - indent}, indent);
	else if (s->kept.size == 0)
		ok = read_head(s, line);
	else
		ok = fail_unindented(s);
	if (!ok && s->ctx->error.line == 0)
		s->ctx->error.line = number;
	return ok;
}

/* --- the format ------------------------------------------------------------------------- */

static void *
begin(FgSink *sink)
{
	FgContext  *ctx = fg_sink_context(sink);
	Stacks	   *s = fg_alloc_zero(ctx, 1, sizeof(Stacks));

	if (s == NULL)
		return NULL;
	s->ctx = s->text.ctx = s->kept.ctx = s->event.ctx = s->frame.ctx = ctx;
	s->sink = sink;
	fg_text_lines_begin(&s->lines, ctx, take_line, s);
	return s;
}

static bool
feed(void *state, const char *bytes, size_t size)
{
	return fg_text_lines_feed(&((Stacks *) state)->lines, bytes, size);
}

static bool
finish(void *state)
{
	Stacks	   *s = state;

	if (!fg_text_lines_finish(&s->lines) || (is_lone_count(s) && !end_lone_count(s)))
		return false;
	if (s->kept.size > 0)
		return bad_line(s, s->first_line, 0, "the recording ends within the stack that begins here",
						NULL);
	if (!s->lines.ended)
		return bad_line(s, s->lines.number, 0,
						"the last line has no end, so the recording may be cut off", NULL);
	return true;
}

static void
end(void *state)
{
	Stacks	   *s = state;

	fg_text_lines_free(&s->lines);
	fg_release(s->ctx, s->text.data);
	fg_release(s->ctx, s->kept.data);
	fg_release(s->ctx, s->event.data);
	fg_release(s->ctx, s->frame.data);
	fg_release(s->ctx, s);
}

const FgFormatReader fg_stacks_reader = {
	.format = FG_FORMAT_STACKS,
	.unsure = true,
	.recognise = recognise,
	.begin = begin,
	.feed = feed,
	.finish = finish,
	.free = end
};
