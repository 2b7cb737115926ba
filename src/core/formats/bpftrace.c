/*
 * bpftrace.c
 *	  The maps of stacks that bpftrace prints when it ends.
 *
 * An entry is the name of its map and its keys; a stack among them stands on lines of
 * its own, leaf first:
 *
 *		@calls[
 *		    do_syscall_64+113
 *		    entry_SYSCALL_64_after_hwframe+118
 *		,
 *		    read+13
 *		    main+36
 *		, postgres, 1234]: 17
 *
 * Keys that are no stacks are frames at the root, in their order.  Stacks follow each
 * other as they stand, so that a kernel's has to be printed before the user's.  Frames
 * are symbols without their offsets, or addresses as they stand; in mode perf
 * ("<tab>address symbol (object)") those of the kernel have "_[k]" behind them.
 *
 * Each map is an event by its name.  What is no map with a stack among its keys (counts,
 * histograms, what the program printed itself) is counted as comments.
 */
#include "core/formats/stack_text.h"
#include "core/reading/sink.h"
#include "core/reading/text_lines.h"

typedef FgStackSpan Span;

static const char value_hint[] =
	"Values that can be added up are those of count() and sum(); select another map by its name.";

typedef struct Maps
{
	FgContext  *ctx;
	FgSink	   *sink;
	FgTextLines lines;
	bool		in_entry;
	bool		has_stack;		/* even if it is empty */
	bool		cut;			/* the unwinder gave up */
	uint64_t	entry_line;
	FgBuffer	map;			/* its name, and a NUL */
	FgBuffer	keys;			/* that are no stacks, each with its length behind it */
	FgBuffer	frame;
} Maps;

/* --- recognition -------------------------------------------------------------- */

static bool
is_name_character(char c)
{
	return fg_stack_is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Where the keys begin in "@name[..."; 0: it is no entry of a map with keys. */
static size_t
keys_start(Span line)
{
	size_t		at = 1;

	if (line.length == 0 || line.text[0] != '@')
		return 0;
	while (at < line.length && is_name_character(line.text[at]))
		at++;
	return at < line.length && line.text[at] == '[' ? at + 1 : 0;
}

/* "@[" or "@[bash,": a stack begins on the next line. */
static bool
begins_stack(Span line)
{
	return keys_start(line) > 0 && strchr("[,", line.text[line.length - 1]) != NULL;
}

static bool
recognise(const char *head, size_t size, bool whole)
{
	FgHeadLine	walk = fg_head_lines(head, size, whole);

	if (!fg_head_is_text(head, size))
		return false;
	while (fg_head_next(&walk))
	{
		if (begins_stack((Span) {walk.line, walk.length}))
			return fg_head_next(&walk) && walk.length > 0;
	}
	return false;
}

/* --- frames --------------------------------------------------------------------- */

#define ADDRESS_DIGITS 16

static bool
add_frame(Maps *m, Span line)
{
	Span		frame = fg_stack_skip_blanks(line);
	Span		symbol;
	bool		in_kernel;
	size_t		digits = 0;

	if (fg_stack_starts_with(frame, "<unwind failure>"))
	{
		m->cut = true;
		return true;
	}
	while (digits < frame.length && fg_stack_is_hex(frame.text[digits]))
		digits++;
	if (line.text[0] != '\t' || digits == 0 || digits == frame.length || frame.text[digits] != ' ')
	{
		symbol = fg_stack_strip_offset(frame);
		return fg_sink_inlined_frame(m->sink, symbol.text, symbol.length);
	}
	symbol = fg_stack_skip_blanks((Span) {frame.text + digits, frame.length - digits});
	symbol = fg_stack_strip_offset(fg_stack_strip_object(symbol, '(', ')'));
	/* what an unwinder of users' stacks takes for an address may lie in the upper half as well */
	in_kernel = digits == ADDRESS_DIGITS && fg_stack_starts_with(frame, "ffff");
	m->frame.size = 0;
	return fg_buffer_append(&m->frame, symbol.text, symbol.length) &&
		(!in_kernel || fg_buffer_append(&m->frame, "_[k]", 4)) &&
		fg_sink_inlined_frame(m->sink, (char *) m->frame.data, m->frame.size);
}

/* --- keys ----------------------------------------------------------------------- */

static bool
add_key(Maps *m, Span key)
{
	if (key.length > 0)
		return fg_buffer_append(&m->keys, key.text, key.length) &&
			fg_buffer_append(&m->keys, &key.length, sizeof(key.length));
	m->has_stack = true;
	return true;
}

static bool
add_keys(Maps *m, Span keys)
{
	for (size_t at = 0; at + 1 < keys.length; at++)
	{
		if (keys.text[at] != ',' || keys.text[at + 1] != ' ')
			continue;
		if (!add_key(m, (Span) {keys.text, at}))
			return false;
		keys.text += at + 2;
		keys.length -= at + 2;
		at = (size_t) -1;
	}
	return add_key(m, keys);
}

/* The keys as frames, the last one first, as the stack is collected from its leaf. */
static bool
add_roots(Maps *m)
{
	while (m->keys.size > 0)
	{
		size_t		length;

		m->keys.size -= sizeof(length);
		memcpy(&length, (char *) m->keys.data + m->keys.size, sizeof(length));
		m->keys.size -= length;
		if (!fg_sink_frame(m->sink, (char *) m->keys.data + m->keys.size, length))
			return false;
	}
	return true;
}

/* --- entries ---------------------------------------------------------------------- */

static bool
bad_line(Maps *m, uint64_t number, uint64_t column, const char *what)
{
	return fg_fail_at(m->ctx, FG_ERROR_SYNTAX, number, column, NULL, "%s", what);
}

static bool
end_entry(Maps *m, Span value, uint64_t number, uint64_t column)
{
	const char *name = (const char *) m->map.data;
	FgKind		kind = {.event = name[0] != '\0' ? name : "cpu", .name = name, .unit = "samples"};
	uint32_t	profile;
	double		count;

	m->in_entry = false;
	if (!m->has_stack)
	{
		fg_sink_noted(m->sink)->comments++;
		return true;
	}
	if (!fg_sink_profile(m->sink, &kind, &profile))
		return false;
	if (profile == FG_UNWANTED)
		return true;
	if (!fg_stack_is_count(value))
		return fg_fail_at(m->ctx, FG_ERROR_SYNTAX, number, column, value_hint,
						  "the value of this stack is not a whole number");
	return fg_stack_count(m->ctx, value, number, column, &count) && add_roots(m) &&
		fg_sink_add(m->sink, profile, FG_LEAF_FIRST, m->cut, count);
}

/* Where the last "]:" of a line is; its length: there is none, or a stack follows its keys. */
static size_t
find_end(Span line)
{
	if (line.length > 0 && line.text[line.length - 1] == ',')
		return line.length;
	for (size_t at = line.length; at > 1; at--)
	{
		if (line.text[at - 2] == ']' && line.text[at - 1] == ':' &&
			(at == line.length || line.text[at] == ' '))
			return at - 2;
	}
	return line.length;
}

/*
 * The keys of an entry from "start" on, as far as they are on this line: up to the next
 * stack, or to its end.
 */
static bool
take_keys(Maps *m, Span line, size_t start, uint64_t number)
{
	size_t		end = find_end(line);
	Span		keys = {line.text + start, end > start ? end - start : 0};
	Span		value;

	if (end == line.length)
	{
		if (keys.length > 0 && !add_keys(m, (Span) {keys.text, keys.length - 1}))
			return false;
		m->has_stack = true;
		return true;
	}
	/* nothing between a stack and the end is no key */
	if ((end > start || line.text[0] != ']') && !add_keys(m, keys))
		return false;
	value = fg_stack_skip_blanks((Span) {line.text + end + 2, line.length - end - 2});
	return end_entry(m, value, number, (uint64_t) (value.text - line.text) + 1);
}

static bool
begin_entry(Maps *m, Span line, size_t start, uint64_t number)
{
	m->in_entry = true;
	m->has_stack = m->cut = false;
	m->entry_line = number;
	m->map.size = m->keys.size = 0;
	fg_sink_clear(m->sink);
	return fg_buffer_append(&m->map, line.text + 1, start - 2) &&
		fg_buffer_append(&m->map, "", 1) && take_keys(m, line, start, number);
}

static bool
take_entry_line(Maps *m, Span line, uint64_t number)
{
	if (line.length == 0 || keys_start(line) > 0)
		return bad_line(m, m->entry_line, 1, "the entry of this map has no end");
	if (line.text[0] == ']' && find_end(line) == 0)
		return take_keys(m, line, 0, number);
	if (line.text[0] == ',' && line.length == 1)
		return take_keys(m, line, 1, number);
	if (line.text[0] == ',' && line.text[1] == ' ')
	{
		if (find_end(line) == line.length && line.text[line.length - 1] != ',')
			return bad_line(m, number, 1, "no stack and no end of the entry follows these keys");
		return take_keys(m, line, 2, number);
	}
	return add_frame(m, line);
}

static bool
take_line(void *arg, const char *text, size_t length, uint64_t number)
{
	Maps	   *m = arg;
	Span		line = {text, length};
	size_t		start = keys_start(line);
	bool		ok = true;

	if (m->in_entry)
		ok = take_entry_line(m, line, number);
	else if (start > 0 && (begins_stack(line) || find_end(line) < length))
		ok = begin_entry(m, line, start, number);
	else if (length > 0)
		fg_sink_noted(m->sink)->comments++;
	if (!ok && m->ctx->error.line == 0)
		m->ctx->error.line = number;
	return ok;
}

/* --- the format ------------------------------------------------------------------ */

static void *
begin(FgSink *sink)
{
	FgContext  *ctx = fg_sink_context(sink);
	Maps	   *m = fg_alloc_zero(ctx, 1, sizeof(Maps));

	if (m == NULL)
		return NULL;
	m->ctx = m->map.ctx = m->keys.ctx = m->frame.ctx = ctx;
	m->sink = sink;
	fg_text_lines_begin(&m->lines, ctx, take_line, m);
	return m;
}

static bool
feed(void *state, const char *bytes, size_t size)
{
	return fg_text_lines_feed(&((Maps *) state)->lines, bytes, size);
}

static bool
finish(void *state)
{
	Maps	   *m = state;

	if (!fg_text_lines_finish(&m->lines))
		return false;
	if (m->in_entry)
		return bad_line(m, m->entry_line, 1, "the recording ends within this entry");
	if (!m->lines.ended)
		return bad_line(m, m->lines.number, 0,
						"the last line has no end, so the recording may be cut off");
	return true;
}

static void
end(void *state)
{
	Maps	   *m = state;

	fg_text_lines_free(&m->lines);
	fg_release(m->ctx, m->map.data);
	fg_release(m->ctx, m->keys.data);
	fg_release(m->ctx, m->frame.data);
	fg_release(m->ctx, m);
}

const FgFormatReader fg_bpftrace_reader = {
	.format = FG_FORMAT_BPFTRACE,
	.recognise = recognise,
	.begin = begin,
	.feed = feed,
	.finish = finish,
	.free = end
};
