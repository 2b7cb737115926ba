/*
 * sample.c
 *	  The call graph that macOS's sample prints: a tree of functions with how often
 *	  each was seen, those that it called included.
 *
 *		Call graph:
 *		    825 Thread_15758523   DispatchQueue_1: com.apple.main-thread  (serial)
 *		    + 825 start  (in libdyld.dylib) + 1  [0x7fff737cf3d5]
 *		    +   820 main  (in rg) + 41  [0x10384b549]
 *		    +   ! 820 read  (in libsystem_kernel.dylib) + 10  [0x7fff73905ef2]
 *
 *		Total number in stack (recursive counted multiple, when >=5):
 *
 * Each level is two characters, of " +!:|".  What a function has more than those it
 * called is its own.  Frames are symbols, without object, offset and address; "???" is
 * [unknown].  The thread is the first frame where that is asked for.
 */
#include "core/formats/stack_text.h"
#include "core/reading/sink.h"
#include "core/reading/text_lines.h"

typedef FgStackSpan Span;

static const char graph_head[] = "Call graph:";
static const char graph_end[] = "Total number in stack";

/* Blanks in front of every line of the graph. */
#define MARGIN 4

typedef enum Part
{
	BEFORE_GRAPH,
	IN_GRAPH,
	BEHIND_GRAPH
} Part;

/* A function between the thread and the line that was read last. */
typedef struct Level
{
	size_t		name;			/* in Sample.names */
	size_t		length;
	double		count;
	double		called;			/* of it, in functions that it called */
	uint64_t	line;
} Level;

typedef struct Sample
{
	FgContext  *ctx;
	FgSink	   *sink;
	FgTextLines lines;
	Part		part;
	uint32_t	profile;
	FgBuffer	names;
	Level	   *levels;			/* the thread, and what it called */
	size_t		depth;
	size_t		capacity;
} Sample;

/* --- recognition -------------------------------------------------------------------- */

static bool
begins_graph(Span line)
{
	return fg_stack_starts_with(line, graph_head) && line.length == sizeof(graph_head) - 1;
}

static bool
recognise(const char *head, size_t size, bool whole)
{
	FgHeadLine	walk = fg_head_lines(head, size, whole);

	if (!fg_head_is_text(head, size))
		return false;
	while (fg_head_next(&walk))
	{
		if (begins_graph((Span) {walk.line, walk.length}))
			return fg_head_next(&walk) && walk.length > MARGIN &&
				memcmp(walk.line, "    ", MARGIN) == 0 && fg_stack_is_digit(walk.line[MARGIN]);
	}
	return false;
}

/* --- the tree --------------------------------------------------------------------------- */

static bool
bad_line(Sample *s, uint64_t number, uint64_t column, const char *what)
{
	return fg_fail_at(s->ctx, FG_ERROR_SYNTAX, number, column, NULL, "%s", what);
}

/* Adds what the last function has for itself, and forgets it. */
static bool
end_level(Sample *s)
{
	const Level *last = &s->levels[s->depth - 1];
	double		own = last->count - last->called;
	bool		threads = fg_sink_options(s->sink)->threads;

	if (own < 0)
		return bad_line(s, last->line, 0,
						"what this function called has more samples than itself");
	fg_sink_clear(s->sink);
	for (size_t i = 0; own > 0 && i < s->depth; i++)
	{
		const char *all = s->names.size > 0 ? (const char *) s->names.data : "";
		const char *name = all + s->levels[i].name;

		if (i == 0 ? threads && !fg_sink_thread(s->sink, name, s->levels[i].length)
			: !fg_sink_frame(s->sink, name, s->levels[i].length))
			return false;
	}
	if (own > 0 && !fg_sink_add(s->sink, s->profile, FG_ROOT_FIRST, false, own))
		return false;
	s->names.size = last->name;
	s->depth--;
	if (s->depth > 0)
		s->levels[s->depth - 1].called += last->count;
	return true;
}

static bool
end_levels(Sample *s, size_t depth)
{
	while (s->depth > depth)
	{
		if (!end_level(s))
			return false;
	}
	return true;
}

/* Where " (in libx.dylib) + 12  [0x7fff]" or what is there of it begins. */
static Span
name_of(Span text)
{
	size_t		end = 0;

	for (; end < text.length; end++)
	{
		const char *blank = memchr(text.text + end, ' ', text.length - end);
		Span		rest;

		end = blank != NULL ? (size_t) (blank - text.text) : text.length;
		rest = (Span) {text.text + end, text.length - end};
		if (rest.length == 0 || fg_stack_starts_with(rest, "  (") ||
			fg_stack_starts_with(rest, "  [0x") || fg_stack_starts_with(rest, "  load address "))
			break;
	}
	if (end == 3 && memcmp(text.text, "???", 3) == 0)
		return (Span) {"[unknown]", 9};
	return (Span) {text.text, end};
}

static bool
push_level(Sample *s, Span name, double count, uint64_t number)
{
	if (!fg_reserve(s->ctx, (void **) &s->levels, &s->capacity, s->depth + 1, sizeof(Level)))
		return false;
	s->levels[s->depth++] = (Level) {.name = s->names.size, .length = name.length, .count = count,
	.line = number};
	return fg_buffer_append(&s->names, name.text, name.length);
}

static bool
is_margin(char c)
{
	return c == ' ' || c == '+' || c == '!' || c == ':' || c == '|';
}

static bool
take_node(Sample *s, Span line, uint64_t number)
{
	size_t		indent = MARGIN;
	size_t		digits;
	size_t		depth;
	double		count;

	while (indent < line.length && is_margin(line.text[indent]))
		indent++;
	for (digits = indent; digits < line.length && fg_stack_is_digit(line.text[digits]);)
		digits++;
	if (digits == indent || digits == line.length || line.text[digits] != ' ')
		return bad_line(s, number, indent + 1, "a number of samples and a function are missing");
	depth = (indent - MARGIN) / 2;
	if (indent % 2 != 0 || depth > s->depth)
		return bad_line(s, number, indent + 1, "this line is indented as no line can be here");
	if (depth > FG_MAX_DEPTH)
		return fg_fail_at(s->ctx, FG_ERROR_LIMIT, number, 0, NULL,
						  "a stack has more than %u frames", FG_MAX_DEPTH);
	return end_levels(s, depth) &&
		fg_stack_count(s->ctx, (Span) {line.text + indent, digits - indent}, number, indent + 1,
					   &count) &&
		push_level(s, name_of((Span) {line.text + digits + 1, line.length - digits - 1}), count,
				   number);
}

static bool
take_line(void *arg, const char *text, size_t length, uint64_t number)
{
	Sample	   *s = arg;
	Span		line = {text, length};
	bool		ok = true;

	if (s->part == IN_GRAPH && length > MARGIN && memcmp(text, "    ", MARGIN) == 0)
		ok = take_node(s, line, number);
	else if (s->part == IN_GRAPH && fg_stack_starts_with(line, graph_end))
	{
		s->part = BEHIND_GRAPH;
		ok = end_levels(s, 0);
	}
	else if (s->part == IN_GRAPH && length > 0)
		ok = bad_line(s, number, 1, "this line is no part of the call graph");
	else if (s->part == BEFORE_GRAPH && begins_graph(line))
		s->part = IN_GRAPH;
	else if (length > 0)
		fg_sink_noted(s->sink)->comments++;
	if (!ok && s->ctx->error.line == 0)
		s->ctx->error.line = number;
	return ok;
}

/* --- the format ------------------------------------------------------------------------- */

static void
end(void *state)
{
	Sample	   *s = state;

	fg_text_lines_free(&s->lines);
	fg_release(s->ctx, s->names.data);
	fg_release(s->ctx, s->levels);
	fg_release(s->ctx, s);
}

static void *
begin(FgSink *sink)
{
	static const FgKind kind = {.event = "wall", .name = "", .unit = "samples"};
	FgContext  *ctx = fg_sink_context(sink);
	Sample	   *s = fg_alloc_zero(ctx, 1, sizeof(Sample));

	if (s == NULL)
		return NULL;
	s->ctx = s->names.ctx = ctx;
	s->sink = sink;
	fg_text_lines_begin(&s->lines, ctx, take_line, s);
	if (fg_sink_whole(sink, &kind, &s->profile))
		return s;
	end(s);
	return NULL;
}

static bool
feed(void *state, const char *bytes, size_t size)
{
	return fg_text_lines_feed(&((Sample *) state)->lines, bytes, size);
}

static bool
finish(void *state)
{
	Sample	   *s = state;

	if (!fg_text_lines_finish(&s->lines))
		return false;
	if (s->part == BEFORE_GRAPH)
		return bad_line(s, 0, 0, "the recording has no call graph");
	return s->part == BEHIND_GRAPH ||
		bad_line(s, s->lines.number, 0, "the recording ends within the call graph");
}

const FgFormatReader fg_sample_reader = {
	.format = FG_FORMAT_SAMPLE,
	.recognise = recognise,
	.begin = begin,
	.feed = feed,
	.finish = finish,
	.free = end
};
