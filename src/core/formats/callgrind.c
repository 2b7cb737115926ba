/*
 * callgrind.c
 *	  Call graphs of callgrind, of Xdebug ("cachegrind.out") and of pprof -callgrind.
 *
 * A call graph has the cost of each function and of each call, but no stacks: what a
 * function that is called from two places does, it may do for either.  So this reader
 * has to be asked for by its name.  A function that only one other one calls belongs
 * below that one; where this leads up to a function that nobody calls, the stack is
 * known.  Else it is known up to a function with several callers, or to a circle of
 * calls: that stack is cut off there, and is one of the truncated.  Calls of a function
 * by itself are left out.  The costs of all functions together are exact.
 *
 * Lines, as far as they matter ("The format of callgrind's files"):
 *
 *		positions: line			numbers in front of the costs
 *		events: Ir Dr			an event for each
 *		fn=(2) main				the function, at its first time with its name
 *		16 400 3				its own cost; positions may be +3, -3, *, 0x10
 *		cfn=(3) f				the function that is called
 *		calls=1 50				what it cost is on the next line
 *		16 400 3
 *		jfi=(3) inc.h			where the next jump= or jcnd= goes to
 *		jfn=(4) g
 *		totals: 800 6			behind all; only callgrind writes it
 */
#include "core/formats/stack_text.h"
#include "core/profile/names.h"
#include "core/reading/sink.h"
#include "core/reading/text_lines.h"

#include "core/base/number.h"

typedef FgStackSpan Span;

#define MAX_EVENTS 64
#define NO_CALLER UINT32_MAX
#define SEVERAL_CALLERS (UINT32_MAX - 1)

typedef struct Function
{
	size_t		name;			/* in Graph.texts */
	size_t		length;
	uint32_t	caller;			/* its number, or that there is none or are several */
	uint32_t	visit;			/* the walk that came here last */
} Function;

typedef struct Graph
{
	FgContext  *ctx;
	FgSink	   *sink;
	FgTextLines lines;
	FgNames		keys;			/* "(2)" or, where names are not numbered, the name */
	FgBuffer	texts;
	Function   *functions;
	size_t		functions_capacity;
	double	   *costs;			/* of each function, of each event */
	size_t		costs_capacity;
	size_t		positions;
	size_t		events;
	FgBuffer	event_names;	/* each with a NUL */
	uint32_t	function;		/* FG_NONE: there was no fn= yet */
	uint32_t	called;			/* by the next calls= */
	bool		in_call;		/* the next costs are those of a call */
	bool		by_callgrind;
	bool		has_totals;
} Graph;

/* --- functions -------------------------------------------------------------------------- */

static bool
bad_line(Graph *g, uint64_t number, uint64_t column, const char *what)
{
	return fg_fail_at(g->ctx, FG_ERROR_SYNTAX, number, column, NULL, "%s", what);
}

/* The length of "(12)"; 0: names are not numbered. */
static size_t
id_length(Span text)
{
	size_t		at = 1;

	if (text.length == 0 || text.text[0] != '(')
		return 0;
	while (at < text.length && fg_stack_is_digit(text.text[at]))
		at++;
	return at > 1 && at < text.length && text.text[at] == ')' ? at + 1 : 0;
}

static bool
add_function(Graph *g, Span name)
{
	size_t		count = g->keys.count;
	Function   *function;

	if (!fg_reserve(g->ctx, (void **) &g->functions, &g->functions_capacity, count,
					sizeof(Function)) ||
		!fg_reserve(g->ctx, (void **) &g->costs, &g->costs_capacity, count * g->events,
					sizeof(double)))
		return false;
	function = &g->functions[count - 1];
	*function = (Function) {.name = g->texts.size, .length = name.length, .caller = NO_CALLER};
	for (size_t event = 0; event < g->events; event++)
		g->costs[(count - 1) * g->events + event] = 0;
	return fg_buffer_append(&g->texts, name.text, name.length);
}

static bool
find_function(Graph *g, Span text, uint64_t number, uint64_t column, uint32_t *function)
{
	size_t		id = id_length(text);
	Span		name = fg_stack_skip_blanks((Span) {text.text + id, text.length - id});
	uint32_t	known = g->keys.count;

	if (g->events == 0)
		return bad_line(g, number, 1, "a function comes before the line \"events:\"");
	if (!fg_names_add(&g->keys, text.text, id > 0 ? id : text.length, function))
		return false;
	if (*function < known)
		return true;
	if (id > 0 && name.length == 0)
		return bad_line(g, number, column, "this number of a function has no name yet");
	return add_function(g, name);
}

static void
add_call(Graph *g, uint32_t caller, uint32_t called)
{
	Function   *function = &g->functions[called];

	if (caller == called || function->caller == caller)
		return;
	function->caller = function->caller == NO_CALLER ? caller : SEVERAL_CALLERS;
}

/* --- costs --------------------------------------------------------------------------------- */

static Span
next_word(Span *rest)
{
	Span		word = fg_stack_skip_blanks(*rest);
	size_t		length = 0;

	while (length < word.length && !fg_stack_is_blank(word.text[length]))
		length++;
	*rest = (Span) {word.text + length, word.length - length};
	word.length = length;
	return word;
}

/* "16", "+3", "-3", "*", "0x4005d0" */
static bool
is_position(Span word)
{
	size_t		at = word.length > 0 && (word.text[0] == '+' || word.text[0] == '-');
	bool		hex = fg_stack_starts_with((Span) {word.text + at, word.length - at}, "0x");

	if (word.length == 1 && word.text[0] == '*')
		return true;
	at += hex ? 2 : 0;
	if (at >= word.length)
		return false;
	while (at < word.length &&
		   (hex ? fg_stack_is_hex(word.text[at]) : fg_stack_is_digit(word.text[at])))
		at++;
	return at == word.length;
}

/* Whole numbers with so many digits are exact. */
#define PLAIN_DIGITS 15

static inline const char *
skip_digits(const char *at, const char *end)
{
	while (at < end && fg_stack_is_digit(*at))
		at++;
	return at;
}

static inline const char *
skip_blanks(const char *at, const char *end)
{
	while (at < end && fg_stack_is_blank(*at))
		at++;
	return at;
}

/* Behind a position that is not hexadecimal, and the blanks after it; NULL: something else is there. */
static inline const char *
skip_position(const char *at, const char *end)
{
	const char *digits = at + (at < end && (*at == '+' || *at == '-'));
	const char *stop = at < end && *at == '*' ? at + 1 : skip_digits(digits, end);

	if (stop == digits || (stop < end && !fg_stack_is_blank(*stop)))
		return NULL;
	return skip_blanks(stop, end);
}

static inline void
add_costs_of_line(Graph *g, const double *costs, size_t count)
{
	for (size_t event = 0; event < count && !g->in_call; event++)
		g->costs[g->function * g->events + event] += costs[event];
	g->in_call = false;
}

/* A line as nearly all are: decimal positions, and costs of few digits.  false: nothing of it is taken. */
static bool
take_plain_costs(Graph *g, Span line)
{
	double		costs[MAX_EVENTS];
	size_t		count = 0;
	const char *at = line.text;
	const char *end = at + line.length;

	for (size_t i = 0; i < g->positions; i++)
	{
		at = skip_position(at, end);
		if (at == NULL)
			return false;
	}
	while (at < end)
	{
		const char *stop = at;
		uint64_t	cost = 0;

		for (; stop < end && fg_stack_is_digit(*stop); stop++)
			cost = cost * 10 + (uint64_t) (*stop - '0');
		if (stop == at || stop - at > PLAIN_DIGITS || count == g->events || (stop < end && !fg_stack_is_blank(*stop)))
			return false;
		costs[count++] = (double) cost;
		at = skip_blanks(stop, end);
	}
	add_costs_of_line(g, costs, count);
	return true;
}

/* Costs that are not there are 0. */
static bool
take_costs(Graph *g, Span line, uint64_t number)
{
	double		costs[MAX_EVENTS];
	size_t		count = 0;
	Span		rest = line;

	if (g->function == FG_NONE)
		return bad_line(g, number, 1, "costs come before the first function");
	if (take_plain_costs(g, line))
		return true;
	for (size_t i = 0; i < g->positions; i++)
	{
		if (!is_position(next_word(&rest)))
			return bad_line(g, number, 1, "this is not a line of positions and costs");
	}
	for (Span word = next_word(&rest); word.length > 0; word = next_word(&rest))
	{
		uint64_t	column = (uint64_t) (word.text - line.text) + 1;

		if (count == g->events)
			return bad_line(g, number, column, "there are more costs than events");
		if (!fg_stack_is_count(word))
			return bad_line(g, number, column, "a cost is not a whole number");
		if (!fg_stack_count(g->ctx, word, number, column, &costs[count++]))
			return false;
	}
	add_costs_of_line(g, costs, count);
	return true;
}

/* --- lines ----------------------------------------------------------------------------------- */

static bool
take_events(Graph *g, Span rest, uint64_t number)
{
	FgBuffer	names = {.ctx = g->ctx};
	size_t		count = 0;
	bool		ok = true;

	for (Span word = next_word(&rest); ok && word.length > 0; word = next_word(&rest))
	{
		count++;
		ok = fg_buffer_append(&names, word.text, word.length) && fg_buffer_append(&names, "", 1);
	}
	if (ok && (count == 0 || count > MAX_EVENTS))
		ok = bad_line(g, number, 1, "this line has no events, or too many");
	if (ok && g->events > 0 && names.data != NULL && g->event_names.data != NULL &&
		(names.size != g->event_names.size ||
		 memcmp(names.data, g->event_names.data, names.size) != 0))
		ok = bad_line(g, number, 1, "the parts of this file have different events");
	if (ok && g->events == 0)
		ok = fg_buffer_append(&g->event_names, names.data, names.size);
	if (ok)
		g->events = count;
	fg_release(g->ctx, names.data);
	return ok;
}

/* What stands behind this word in front; false: another word is there. */
static inline bool
behind(Span line, const char *word, Span *rest)
{
	size_t		length = strlen(word);

	if (!fg_stack_starts_with(line, word))
		return false;
	*rest = (Span) {line.text + length, line.length - length};
	return true;
}

static bool
take_head(Graph *g, Span line, uint64_t number)
{
	Span		rest;

	if (behind(line, "events:", &rest))
		return take_events(g, rest, number);
	if (behind(line, "positions:", &rest))
	{
		g->positions = 0;
		while (next_word(&rest).length > 0)
			g->positions++;
	}
	g->by_callgrind |= behind(line, "creator:", &rest) &&
		fg_stack_starts_with(fg_stack_skip_blanks(rest), "callgrind");
	g->has_totals |= behind(line, "totals:", &rest);
	return true;
}

/* A word, a colon and a blank or the end: a line of the head. */
static bool
is_head(Span line)
{
	size_t		at = 0;

	while (at < line.length && line.text[at] >= 'a' && line.text[at] <= 'z')
		at++;
	return at > 0 && at < line.length && line.text[at] == ':';
}

/* "fl=", "jump=" and their like. */
static bool
is_assignment(Span line)
{
	static const char *const words[] = {
		"fl=", "fi=", "fe=", "ob=", "cob=", "cfi=", "cfl=", "jump=", "jcnd=", "jfi="
	};
	Span		rest;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
	{
		if (behind(line, words[i], &rest))
			return true;
	}
	return false;
}

static bool
take_known_line(Graph *g, Span line, uint64_t number)
{
	Span		rest;
	uint32_t	jumped_to;

	/* most lines, and no word begins like that */
	if (line.text[0] < 'A')
		return take_costs(g, line, number);
	/* else the next cost of a function would be taken for that of the call, and be lost */
	if (g->in_call)
		return bad_line(g, number, 1, "the costs of the call in front of this line are missing");
	if (behind(line, "fn=", &rest))
		return find_function(g, rest, number, 4, &g->function);
	if (behind(line, "cfn=", &rest))
		return find_function(g, rest, number, 5, &g->called);
	/* it has no cost, but may give a name to its number */
	if (behind(line, "jfn=", &rest))
		return find_function(g, rest, number, 5, &jumped_to);
	if (behind(line, "calls=", &rest))
	{
		if (g->function == FG_NONE || g->called == FG_NONE)
			return bad_line(g, number, 1, "a call comes before its functions");
		add_call(g, g->function, g->called);
		g->in_call = true;
		return true;
	}
	if (is_assignment(line))
		return true;
	return is_head(line) ? take_head(g, line, number) : take_costs(g, line, number);
}

static bool
take_line(void *arg, const char *text, size_t length, uint64_t number)
{
	Graph	   *g = arg;
	bool		ok = true;

	if (length > 0 && text[0] == '#')
		fg_sink_noted(g->sink)->comments++;
	else if (length > 0)
		ok = take_known_line(g, (Span) {text, length}, number);
	if (!ok && g->ctx->error.line == 0)
		g->ctx->error.line = number;
	return ok;
}

/* --- stacks --------------------------------------------------------------------------------- */

/* The function, and whoever alone calls it; "cut": that does not lead to the outermost one. */
static bool
collect_stack(Graph *g, uint32_t leaf, bool *cut)
{
	uint32_t	at = leaf;

	fg_sink_clear(g->sink);
	while (at < g->keys.count && g->functions[at].visit != leaf + 1)
	{
		Function   *function = &g->functions[at];

		if (!fg_work(g->ctx, function->length) ||
			!fg_sink_frame(g->sink, (char *) g->texts.data + function->name, function->length))
			return false;
		function->visit = leaf + 1;
		at = function->caller;
	}
	*cut = at != NO_CALLER;
	return true;
}

static bool
add_function_costs(Graph *g, uint32_t function, const uint32_t *profiles)
{
	const double *costs = g->costs + function * g->events;
	bool		collected = false;
	bool		cut;

	for (size_t event = 0; event < g->events; event++)
	{
		if (profiles[event] == FG_UNWANTED || costs[event] == 0)
			continue;
		if (!collected && !collect_stack(g, function, &cut))
			return false;
		collected = true;
		if (!fg_sink_add(g->sink, profiles[event], FG_LEAF_FIRST, cut, costs[event]))
			return false;
	}
	return true;
}

static bool
add_costs(Graph *g)
{
	uint32_t	profiles[MAX_EVENTS];
	const char *name = (const char *) g->event_names.data;

	for (size_t event = 0; event < g->events; event++, name += strlen(name) + 1)
	{
		FgKind		kind = {.event = name, .name = name, .unit = "events"};

		if (!fg_sink_profile(g->sink, &kind, &profiles[event]))
			return false;
	}
	for (uint32_t function = 0; function < g->keys.count; function++)
	{
		if (!add_function_costs(g, function, profiles))
			return false;
	}
	return true;
}

/* --- the format ------------------------------------------------------------------------------ */

static void
end(void *state)
{
	Graph	   *g = state;

	fg_text_lines_free(&g->lines);
	fg_names_free(&g->keys);
	fg_release(g->ctx, g->texts.data);
	fg_release(g->ctx, g->event_names.data);
	fg_release(g->ctx, g->functions);
	fg_release(g->ctx, g->costs);
	fg_release(g->ctx, g);
}

static void *
begin(FgSink *sink)
{
	FgContext  *ctx = fg_sink_context(sink);
	Graph	   *g = fg_alloc_zero(ctx, 1, sizeof(Graph));

	if (g == NULL)
		return NULL;
	g->ctx = g->texts.ctx = g->event_names.ctx = ctx;
	g->sink = sink;
	g->function = g->called = FG_NONE;
	g->positions = 1;
	fg_text_lines_begin(&g->lines, ctx, take_line, g);
	if (fg_names_begin(ctx, &g->keys))
		return g;
	end(g);
	return NULL;
}

static bool
feed(void *state, const char *bytes, size_t size)
{
	return fg_text_lines_feed(&((Graph *) state)->lines, bytes, size);
}

static bool
finish(void *state)
{
	Graph	   *g = state;

	if (!fg_text_lines_finish(&g->lines))
		return false;
	if (g->events == 0)
		return bad_line(g, 0, 0, "the call graph has no line \"events:\"");
	if (g->in_call)
		return bad_line(g, g->lines.number, 0, "the costs of the last call are missing, so the call graph was cut off");
	if (g->by_callgrind && !g->has_totals)
		return bad_line(g, g->lines.number, 0, "the call graph has no totals, so it was cut off");
	return add_costs(g);
}

/* Only who knows what is lost gets it: it is not recognised. */
const FgFormatReader fg_callgrind_reader = {
	.format = FG_FORMAT_CALLGRIND,
	.begin = begin,
	.feed = feed,
	.finish = finish,
	.free = end
};
