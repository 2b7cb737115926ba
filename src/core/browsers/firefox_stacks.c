/*
 * firefox_stacks.c
 *	  Stacks of the Firefox Profiler's tables (see firefox_stacks.h).
 *
 * Frames are called as the Firefox Profiler calls functions.  In Gecko's own form a frame is
 * a text that it takes apart with patterns: an address, "function (in library)", "function
 * (url:line:column)[source]", "url:line:column" of a script's outermost code, or a label.  An
 * address without a symbol says nothing without its library, so it is "library+0x500".
 */
#include "core/browsers/firefox_stacks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY 1				/* the type of a resource */

/* --- tables ------------------------------------------------------------------------- */

FgFirefoxTables *
fg_firefox_tables_create(FgContext *ctx)
{
	FgFirefoxTables *tables = fg_alloc_zero(ctx, 1, sizeof(FgFirefoxTables));

	if (tables != NULL)
		tables->ctx = tables->strings.bytes.ctx = ctx;
	return tables;
}

void
fg_firefox_tables_free(FgFirefoxTables *tables)
{
	if (tables == NULL)
		return;
	for (int i = 0; i < FG_FIREFOX_COLUMNS; i++)
		fg_release(tables->ctx, tables->columns[i].items);
	for (int i = 0; i < FG_FIREFOX_PROFILES; i++)
	{
		fg_release(tables->ctx, tables->nodes[i]);
		fg_release(tables->ctx, tables->known[i]);
		fg_release(tables->ctx, tables->is_known[i]);
	}
	fg_release(tables->ctx, tables->addresses.items);
	fg_release(tables->ctx, tables->strings.bytes.data);
	fg_release(tables->ctx, tables->strings.ends);
	fg_release(tables->ctx, tables->depths);
	fg_release(tables->ctx, tables);
}

/* Room for one element more. */
static bool
make_room(FgContext *ctx, void **items, size_t *capacity, size_t count, size_t size)
{
	if (count < *capacity)
		return true;
	if (count >= FG_MAX_KEPT_SAMPLES)
		return fg_fail(ctx, FG_ERROR_LIMIT, "a list has more than %u elements", FG_MAX_KEPT_SAMPLES);
	if (!fg_reserve(ctx, items, capacity, count + 1, size))
		return false;
	/* what there is memory for beyond the limit is no room */
	if (*capacity > FG_MAX_KEPT_SAMPLES)
		*capacity = FG_MAX_KEPT_SAMPLES;
	return true;
}

bool
fg_firefox_numbers_room(FgContext *ctx, FgFirefoxNumbers *numbers)
{
	return make_room(ctx, (void **) &numbers->items, &numbers->capacity, numbers->count, sizeof(uint32_t));
}

bool
fg_firefox_doubles_room(FgContext *ctx, FgFirefoxDoubles *doubles)
{
	return make_room(ctx, (void **) &doubles->items, &doubles->capacity, doubles->count, sizeof(double));
}

bool
fg_firefox_number(FgContext *ctx, FgFirefoxNumbers *numbers, uint32_t number)
{
	if (!fg_firefox_numbers_room(ctx, numbers))
		return false;
	numbers->items[numbers->count++] = number;
	return true;
}

bool
fg_firefox_double(FgContext *ctx, FgFirefoxDoubles *doubles, double number)
{
	if (!fg_firefox_doubles_room(ctx, doubles))
		return false;
	doubles->items[doubles->count++] = number;
	return true;
}

bool
fg_firefox_string(FgContext *ctx, FgFirefoxStrings *strings, const char *text, size_t length)
{
	if (!make_room(ctx, (void **) &strings->ends, &strings->capacity, strings->count, sizeof(size_t)) ||
		!fg_buffer_append(&strings->bytes, text, length))
		return false;
	strings->ends[strings->count++] = strings->bytes.size;
	return true;
}

static const char *
text_of(const FgFirefoxStrings *strings, uint32_t number, size_t *length)
{
	size_t		start = number > 0 ? strings->ends[number - 1] : 0;

	*length = strings->ends[number] - start;
	return *length > 0 ? (char *) strings->bytes.data + start : "";
}

/* Each number of the column leads into a table of "count" rows, or to nothing where that may be. */
static bool
check_column(const FgFirefoxTables *tables, FgFirefoxColumn column, bool may_be_none, size_t count,
			 const char *what, const char *target)
{
	const FgFirefoxNumbers *numbers = &tables->columns[column];

	for (size_t i = 0; i < numbers->count; i++)
	{
		uint32_t	number = numbers->items[i];

		if (!fg_check_every(tables->ctx, i))
			return false;
		if (number < count || (number == FG_NONE && may_be_none))
			continue;
		if (number == FG_NONE)
			return fg_fail(tables->ctx, FG_ERROR_SYNTAX, "%s %zu has no %s", what, i, target);
		return fg_fail(tables->ctx, FG_ERROR_SYNTAX, "%s %zu refers to %s %" PRIu32 ", there are %zu",
					   what, i, target, number, count);
	}
	return true;
}

/* A column that is there has as many rows as the table. */
static bool
check_rows(const FgFirefoxTables *tables, FgFirefoxColumn column, size_t rows, const char *table,
		   const char *name)
{
	size_t		count = tables->columns[column].count;

	return count == rows ||
		fg_fail(tables->ctx, FG_ERROR_SYNTAX, "%s has %zu rows and %zu in its column %s", table, rows,
				count, name);
}

static size_t
frames_of(const FgFirefoxTables *tables)
{
	size_t		locations = tables->columns[FG_FIREFOX_FRAME_LOCATION].count;

	return locations > 0 ? locations : tables->columns[FG_FIREFOX_FRAME_FUNC].count;
}

/* What a stack extends; FG_NONE: nothing. */
static uint32_t
prefix_of(const FgFirefoxTables *tables, uint32_t stack)
{
	const FgFirefoxNumbers *offsets = &tables->columns[FG_FIREFOX_STACK_OFFSET];

	if (offsets->count == 0)
		return tables->columns[FG_FIREFOX_STACK_PREFIX].items[stack];
	return offsets->items[stack] == 0 ? FG_NONE : stack - offsets->items[stack];
}

static bool
find_depths(FgFirefoxTables *tables)
{
	size_t		count = tables->columns[FG_FIREFOX_STACK_FRAME].count;
	bool		offsets = tables->columns[FG_FIREFOX_STACK_OFFSET].count > 0;

	tables->depths = fg_alloc(tables->ctx, count, sizeof(uint32_t));
	if (tables->depths == NULL)
		return false;
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t	prefix = prefix_of(tables, i);

		if (!fg_check_every(tables->ctx, i))
			return false;
		if ((offsets && tables->columns[FG_FIREFOX_STACK_OFFSET].items[i] > i) ||
			(prefix != FG_NONE && prefix >= i))
			return fg_fail(tables->ctx, FG_ERROR_SYNTAX,
						   "stack %" PRIu32 " extends one that does not stand before it", i);
		tables->depths[i] = prefix == FG_NONE ? 1 : tables->depths[prefix] + 1;
		if (tables->depths[i] > FG_MAX_DEPTH)
			return fg_fail(tables->ctx, FG_ERROR_LIMIT, "a stack is deeper than %d", FG_MAX_DEPTH);
	}
	return true;
}

static bool
check_functions(const FgFirefoxStacks *stacks)
{
	const FgFirefoxTables *tables = stacks->tables;
	const FgFirefoxNumbers *columns = tables->columns;
	size_t		funcs = columns[FG_FIREFOX_FUNC_NAME].count;
	size_t		resources = columns[FG_FIREFOX_RESOURCE_NAME].count;

	return check_rows(tables, FG_FIREFOX_FUNC_RESOURCE, funcs, "funcTable", "resource") &&
		check_rows(tables, FG_FIREFOX_RESOURCE_TYPE, resources, "resourceTable", "type") &&
		check_column(tables, FG_FIREFOX_FRAME_FUNC, false, funcs, "frame", "function") &&
		check_column(tables, FG_FIREFOX_FUNC_NAME, false, stacks->strings->count, "function", "text") &&
		check_column(tables, FG_FIREFOX_FUNC_RESOURCE, true, resources, "function", "resource") &&
		check_column(tables, FG_FIREFOX_RESOURCE_NAME, true, stacks->strings->count, "resource", "text");
}

bool
fg_firefox_tables_check(const FgFirefoxStacks *stacks)
{
	FgFirefoxTables *tables = stacks->tables;
	const FgFirefoxNumbers *columns = tables->columns;
	size_t		count = columns[FG_FIREFOX_STACK_FRAME].count;
	size_t		frames = frames_of(tables);
	bool		offsets = columns[FG_FIREFOX_STACK_OFFSET].count > 0;

	if (tables->checked)
		return true;
	if (!check_rows(tables, offsets ? FG_FIREFOX_STACK_OFFSET : FG_FIREFOX_STACK_PREFIX, count,
					"stackTable", offsets ? "prefixOffset" : "prefix") ||
		!check_column(tables, FG_FIREFOX_STACK_FRAME, false, frames, "stack", "frame") ||
		(columns[FG_FIREFOX_FRAME_LINE].count > 0 &&
		 !check_rows(tables, FG_FIREFOX_FRAME_LINE, frames, "frameTable", "line")) ||
		(tables->addresses.count > 0 && tables->addresses.count != frames &&
		 !fg_fail(tables->ctx, FG_ERROR_SYNTAX, "frameTable has %zu rows and %zu addresses", frames,
				  tables->addresses.count)))
		return false;
	if (!(columns[FG_FIREFOX_FRAME_LOCATION].count > 0
		  ? check_column(tables, FG_FIREFOX_FRAME_LOCATION, false, stacks->strings->count, "frame", "text")
		  : check_functions(stacks)))
		return false;
	tables->checked = find_depths(tables);
	return tables->checked;
}

/* --- libraries -------------------------------------------------------------------------- */

static int
compare_libs(const void *a, const void *b)
{
	uint64_t	x = ((const FgFirefoxLib *) a)->start;
	uint64_t	y = ((const FgFirefoxLib *) b)->start;

	return (x > y) - (x < y);
}

void
fg_firefox_libs_sort(FgFirefoxLibs *libs)
{
	if (libs->count > 1)
		qsort(libs->items, libs->count, sizeof(FgFirefoxLib), compare_libs);
}

static const FgFirefoxLib *
find_lib(const FgFirefoxLibs *libs, uint64_t address)
{
	size_t		low = 0;
	size_t		high = libs->count;

	while (low < high)
	{
		size_t		middle = low + (high - low) / 2;

		if (libs->items[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address < libs->items[low - 1].end ? &libs->items[low - 1] : NULL;
}

/* --- names of frames --------------------------------------------------------------------- */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "0x" and hexadecimal digits. */
static bool
is_address(const char *text, size_t length, uint64_t *address)
{
	if (length < 3 || length > 18 || text[0] != '0' || text[1] != 'x')
		return false;
	*address = 0;
	for (size_t i = 2; i < length; i++)
	{
		char		c = text[i];
		int			digit = is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10
			: c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;

		if (digit < 0)
			return false;
		*address = *address << 4 | (uint64_t) digit;
	}
	return true;
}

static bool
set_address(FgFirefoxStacks *stacks, const char *lib, size_t length, uint64_t address)
{
	char		offset[24];

	snprintf(offset, sizeof(offset), "+0x%" PRIx64, address);
	return fg_buffer_append(&stacks->text, lib, length) &&
		fg_buffer_append(&stacks->text, offset, strlen(offset));
}

/* Takes ":123" off the end. */
static bool
drop_number(const char *text, size_t *length)
{
	size_t		end = *length;

	while (end > 0 && is_digit(text[end - 1]))
		end--;
	if (end == *length || end == 0 || text[end - 1] != ':')
		return false;
	*length = end - 1;
	return true;
}

/* Takes "[123]" off the end, if it is there: the number of a source. */
static void
drop_source(const char *text, size_t *length)
{
	size_t		end = *length;

	if (end < 3 || text[end - 1] != ']')
		return;
	end--;
	while (end > 0 && is_digit(text[end - 1]))
		end--;
	if (end < *length - 1 && end > 0 && text[end - 1] == '[')
		*length = end - 1;
}

/* Where " (" begins last; the length: nowhere. */
static size_t
last_bracket(const char *text, size_t length)
{
	for (size_t i = length; i >= 2; i--)
	{
		if (text[i - 2] == ' ' && text[i - 1] == '(')
			return i - 2;
	}
	return length;
}

/* A function of JavaScript: its name, or what the code outside of functions is called. */
static bool
set_script(FgFirefoxStacks *stacks, const char *text, size_t length, bool *is_script)
{
	static const char root[] = "(root scope) ";
	size_t		end = length;
	bool		closed;
	size_t		bracket;

	*is_script = true;
	drop_source(text, &end);
	closed = end > 0 && text[end - 1] == ')';
	if (closed)
	{
		end--;
		if (drop_number(text, &end))
		{
			drop_number(text, &end);
			bracket = last_bracket(text, end);
			/* what is in the brackets is not empty */
			if (bracket < end && bracket + 2 < end)
				return fg_buffer_append(&stacks->text, text, bracket);
		}
	}
	else if (drop_number(text, &end) && end > 0)
	{
		drop_number(text, &end);
		/* "loader -> url" is what has loaded the url */
		for (size_t i = end; i >= 4; i--)
		{
			if (memcmp(text + i - 4, " -> ", 4) == 0)
			{
				text += i;
				end -= i;
				break;
			}
		}
		return fg_buffer_append(&stacks->text, root, sizeof(root) - 1) &&
			fg_buffer_append(&stacks->text, text, end);
	}
	*is_script = false;
	return true;
}

/* "function (in library)", with an offset or a place behind it: the length of the function. */
static bool
is_native(const char *text, size_t length, size_t *name)
{
	static const char in[] = " (in ";
	size_t		end = length;

	if (end > 0 && is_digit(text[end - 1]))
	{
		while (end > 0 && is_digit(text[end - 1]))
			end--;
		if (end < 4 || memcmp(text + end - 3, " + ", 3) != 0)
			return false;
		end -= 3;
	}
	if (end == 0 || text[end - 1] != ')')
		return false;
	for (size_t i = end; i >= sizeof(in) - 1; i--)
	{
		size_t		start = i - (sizeof(in) - 1);
		const char *close;

		if (memcmp(text + start, in, sizeof(in) - 1) != 0)
			continue;
		close = memchr(text + i, ')', end - i);
		/* behind the library may be a place in brackets */
		if (close == NULL || (close + 1 != text + end && (close[1] != ' ' || close[2] != '(')))
			continue;
		*name = start;
		return true;
	}
	return false;
}

/* A text of Gecko's. */
static bool
set_location(FgFirefoxStacks *stacks, const char *text, size_t length)
{
	static const char thunk[] = "non-virtual thunk to ";
	uint64_t	address;
	size_t		name;
	bool		is_script = false;

	if (is_address(text, length, &address))
	{
		const FgFirefoxLib *lib = find_lib(stacks->libs, address);

		return lib == NULL ? fg_buffer_append(&stacks->text, text, length)
			: set_address(stacks, (char *) stacks->libs->names.data + lib->name, lib->length,
						  address - lib->start + lib->offset);
	}
	if (is_native(text, length, &name))
	{
		size_t		skipped = name > sizeof(thunk) - 1 && memcmp(text, thunk, sizeof(thunk) - 1) == 0
			? sizeof(thunk) - 1 : 0;

		return fg_buffer_append(&stacks->text, text + skipped, name - skipped);
	}
	if (!set_script(stacks, text, length, &is_script))
		return false;
	return is_script || fg_buffer_append(&stacks->text, text, length);
}

static bool
set_function(FgFirefoxStacks *stacks, uint32_t frame)
{
	const FgFirefoxTables *tables = stacks->tables;
	const FgFirefoxNumbers *columns = tables->columns;
	uint32_t	func = columns[FG_FIREFOX_FRAME_FUNC].items[frame];
	uint32_t	resource = columns[FG_FIREFOX_FUNC_RESOURCE].items[func];
	size_t		length;
	const char *name = text_of(stacks->strings, columns[FG_FIREFOX_FUNC_NAME].items[func], &length);
	uint64_t	address;
	bool		is_script = false;

	if (is_address(name, length, &address) && resource != FG_NONE && tables->addresses.count > 0 &&
		columns[FG_FIREFOX_RESOURCE_TYPE].items[resource] == LIBRARY &&
		columns[FG_FIREFOX_RESOURCE_NAME].items[resource] != FG_NONE)
	{
		double		in_library = tables->addresses.items[frame];

		if (in_library >= 0 && in_library < 0x1p53)
		{
			name = text_of(stacks->strings, columns[FG_FIREFOX_RESOURCE_NAME].items[resource], &length);
			return set_address(stacks, name, length, (uint64_t) in_library);
		}
	}
	if (stacks->old && !set_script(stacks, name, length, &is_script))
		return false;
	return (stacks->old && is_script) || fg_buffer_append(&stacks->text, name, length);
}

static bool
name_frame(FgFirefoxStacks *stacks, uint32_t frame)
{
	const FgFirefoxNumbers *columns = stacks->tables->columns;
	const FgFirefoxNumbers *lines = &columns[FG_FIREFOX_FRAME_LINE];

	stacks->text.size = 0;
	if (columns[FG_FIREFOX_FRAME_LOCATION].count > 0)
	{
		size_t		length;
		const char *text = text_of(stacks->strings, columns[FG_FIREFOX_FRAME_LOCATION].items[frame],
								   &length);

		if (!set_location(stacks, text, length))
			return false;
	}
	else if (!set_function(stacks, frame))
		return false;
	if (stacks->with_lines && lines->count > 0 && lines->items[frame] != FG_NONE && lines->items[frame] > 0)
	{
		char		line[16];

		snprintf(line, sizeof(line), ":%" PRIu32, lines->items[frame]);
		return fg_buffer_append(&stacks->text, line, strlen(line));
	}
	return true;
}

/* --- stacks -------------------------------------------------------------------------------- */

bool
fg_firefox_collect(FgFirefoxStacks *stacks, uint32_t stack)
{
	size_t		work = 0;

	fg_sink_clear(stacks->sink);
	for (; stack != FG_NONE; stack = prefix_of(stacks->tables, stack))
	{
		if (!name_frame(stacks, stacks->tables->columns[FG_FIREFOX_STACK_FRAME].items[stack]) ||
			!fg_sink_frame(stacks->sink, (char *) stacks->text.data, stacks->text.size))
			return false;
		work += stacks->text.size + 16;
	}
	return (stacks->thread_name == NULL ||
			fg_sink_thread(stacks->sink, stacks->thread_name, stacks->thread_length)) &&
		fg_work(stacks->tables->ctx, work);
}

/* Room for what is kept beside the tables for a profile. */
static bool
begin_profile(FgFirefoxTables *tables, uint32_t profile)
{
	size_t		count = tables->columns[FG_FIREFOX_STACK_FRAME].count;
	size_t		frames = frames_of(tables);

	if (tables->is_known[profile] != NULL)
		return true;
	tables->nodes[profile] = fg_alloc_zero(tables->ctx, count + 1, sizeof(FgFirefoxNode));
	tables->known[profile] = fg_alloc(tables->ctx, frames + 1, sizeof(FgKnownFrame));
	tables->is_known[profile] = fg_alloc_zero(tables->ctx, frames + 1, sizeof(bool));
	return tables->nodes[profile] != NULL && tables->known[profile] != NULL &&
		tables->is_known[profile] != NULL;
}

/* Where the stacks of the thread begin. */
static bool
find_root(FgFirefoxStacks *stacks, uint32_t profile, FgFirefoxNode *root)
{
	FgKnownFrame known;

	*root = (FgFirefoxNode) {.thread = stacks->thread};
	if (stacks->thread_name == NULL)
		return true;
	if (!fg_sink_know(stacks->sink, profile, false, stacks->thread_name, stacks->thread_length, &known))
		return false;
	root->control_characters = known.control_characters;
	root->unknown_frames = known.unknown;
	return fg_sink_step(stacks->sink, profile, false, &known, &root->node);
}

static bool
step(FgFirefoxStacks *stacks, uint32_t profile, uint32_t stack, const FgFirefoxNode *from)
{
	FgFirefoxTables *tables = stacks->tables;
	FgFirefoxNode *node = &tables->nodes[profile][stack];
	uint32_t	frame = tables->columns[FG_FIREFOX_STACK_FRAME].items[stack];
	FgKnownFrame *known = &tables->known[profile][frame];

	if (!tables->is_known[profile][frame])
	{
		if (!name_frame(stacks, frame) ||
			!fg_sink_know(stacks->sink, profile, false, (char *) stacks->text.data, stacks->text.size,
						  known) ||
			!fg_work(tables->ctx, stacks->text.size))
			return false;
		tables->is_known[profile][frame] = true;
	}
	*node = *from;
	node->unknown_frames += known->unknown;
	node->control_characters += known->control_characters;
	return fg_work(tables->ctx, 16) &&
		fg_sink_step(stacks->sink, profile, false, known, &node->node);
}

/*
 * The node of a stack.  What of it was not walked yet is found from its leaf, then walked from
 * there down; the way back stands in the nodes themselves.
 */
static bool
find_node(FgFirefoxStacks *stacks, uint32_t profile, uint32_t stack, FgFirefoxNode *found)
{
	FgFirefoxTables *tables = stacks->tables;
	FgFirefoxNode *nodes = tables->nodes[profile];
	uint32_t	below = FG_NONE;
	uint32_t	at = stack;

	while (at != FG_NONE && nodes[at].thread != stacks->thread)
	{
		nodes[at].node = below;
		below = at;
		at = prefix_of(tables, at);
	}
	if (at != FG_NONE)
		*found = nodes[at];
	else if (!find_root(stacks, profile, found))
		return false;
	while (below != FG_NONE)
	{
		uint32_t	next = nodes[below].node;

		if (!step(stacks, profile, below, found))
			return false;
		*found = nodes[below];
		below = next;
	}
	return true;
}

bool
fg_firefox_add(FgFirefoxStacks *stacks, uint32_t profile, uint32_t stack, double weight, size_t times)
{
	FgSink	   *sink = stacks->sink;
	size_t		depth = stack == FG_NONE ? 0 : stacks->tables->depths[stack];
	FgFirefoxNode node;
	FgStackPlace place;

	if (profile == FG_UNWANTED)
	{
		fg_sink_noted(sink)->other_events += times;
		return true;
	}
	if (profile >= FG_FIREFOX_PROFILES || fg_sink_is_deep(sink, depth))
	{
		for (; times > 0; times--)
		{
			if (!fg_firefox_collect(stacks, stack) ||
				!fg_sink_sample(sink, profile, FG_LEAF_FIRST, false, weight))
				return false;
		}
		return true;
	}
	if (!begin_profile(stacks->tables, profile) || !find_node(stacks, profile, stack, &node))
		return false;
	place = (FgStackPlace) {
		.number = profile,
		.node = node.node,
		.without_stack = depth == 0,
		.unknown_frames = node.unknown_frames,
		.control_characters = node.control_characters
	};
	return fg_sink_samples_at(sink, &place, weight, times);
}
