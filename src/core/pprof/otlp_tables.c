/*
 * otlp_tables.c
 *	  The dictionary of OTLP profiles, and the frames of its stacks (see otlp_tables.h).
 */
#include "core/pprof/otlp_tables.h"

#include "core/pprof/otlp_schema.h"

#include <inttypes.h>
#include <stdio.h>

void
fg_otlp_tables_begin(FgContext *ctx, FgOtlpTables *tables, FgFrameStyle style)
{
	*tables = (FgOtlpTables) {.ctx = ctx, .style = style, .frame = {.ctx = ctx}};
}

void
fg_otlp_tables_free(FgOtlpTables *tables)
{
	fg_release(tables->ctx, tables->texts);
	fg_release(tables->ctx, tables->functions);
	fg_release(tables->ctx, tables->mappings);
	fg_release(tables->ctx, tables->locations);
	fg_release(tables->ctx, tables->lines);
	fg_release(tables->ctx, tables->stacks);
	fg_release(tables->ctx, tables->indices);
	fg_release(tables->ctx, tables->attributes);
	fg_release(tables->ctx, tables->numbers);
	fg_release(tables->ctx, tables->frame.data);
}

/* --- entries -------------------------------------------------------------------------------- */

/* The fields 1 to "last" of a message that has numbers there; others are passed over. */
static bool
take_numbers(FgWire *message, uint64_t *numbers, uint32_t last)
{
	while (fg_wire_more(message))
	{
		FgWireField field;

		if (!fg_wire_take(message, &field) ||
			(field.number <= last && !fg_wire_number(message, &field, &numbers[field.number])))
			return false;
	}
	return true;
}

static bool
take_text(FgOtlpTables *t, FgWire *text)
{
	if (!fg_reserve(t->ctx, (void **) &t->texts, &t->text_room, t->text_count + 1, sizeof(FgOtlpText)))
		return false;
	t->texts[t->text_count++] = (FgOtlpText) {(const char *) text->next, (size_t) (text->end - text->next)};
	return true;
}

static bool
take_function(FgOtlpTables *t, FgWire *message)
{
	uint64_t	numbers[3] = {0};

	if (!take_numbers(message, numbers, 2) ||
		!fg_reserve(t->ctx, (void **) &t->functions, &t->function_room, t->function_count + 1,
					sizeof(FgOtlpFunction)))
		return false;
	t->functions[t->function_count++] = (FgOtlpFunction) {numbers[1], numbers[2]};
	return true;
}

static bool
take_mapping(FgOtlpTables *t, FgWire *message)
{
	uint64_t	numbers[5] = {0};

	if (!take_numbers(message, numbers, 4) ||
		!fg_reserve(t->ctx, (void **) &t->mappings, &t->mapping_room, t->mapping_count + 1,
					sizeof(FgOtlpMapping)))
		return false;
	t->mappings[t->mapping_count++] = (FgOtlpMapping) {numbers[1], numbers[2], numbers[3], numbers[4]};
	return true;
}

static bool
take_line(FgOtlpTables *t, const FgWire *wire, const FgWireField *field)
{
	uint64_t	numbers[3] = {0};
	FgWire		message;

	if (!fg_wire_inner(wire, field, &message) || !take_numbers(&message, numbers, 2) ||
		!fg_reserve(t->ctx, (void **) &t->lines, &t->line_room, t->line_count + 1, sizeof(FgOtlpLine)))
		return false;
	t->lines[t->line_count++] = (FgOtlpLine) {numbers[1], (int64_t) numbers[2]};
	return true;
}

static bool
take_location(FgOtlpTables *t, FgWire *message)
{
	enum {MAPPING = 1, ADDRESS, LINES};
	uint64_t	numbers[LINES] = {0};

	while (fg_wire_more(message))
	{
		FgWireField field;

		if (!fg_wire_take(message, &field))
			return false;
		if (!(field.number < LINES ? fg_wire_number(message, &field, &numbers[field.number])
			  : field.number != LINES || take_line(t, message, &field)))
			return false;
	}
	if (!fg_reserve(t->ctx, (void **) &t->locations, &t->location_room, t->location_count + 1,
					sizeof(FgOtlpLocation)))
		return false;
	t->locations[t->location_count++] = (FgOtlpLocation) {numbers[MAPPING], numbers[ADDRESS], t->line_count};
	return true;
}

static bool
take_indices(FgOtlpTables *t, const FgWire *wire, const FgWireField *field)
{
	FgWire		list;
	size_t		count;

	if (!fg_wire_list(wire, field, &list))
		return false;
	count = (size_t) (list.end - list.next);
	if (!fg_reserve(t->ctx, (void **) &t->indices, &t->index_room, t->index_count + count, sizeof(uint64_t)))
		return false;
	while (fg_wire_more(&list))
	{
		if (!fg_wire_next(&list, &t->indices[t->index_count]))
			return false;
		t->index_count++;
	}
	return fg_work(t->ctx, count);
}

static bool
take_stack(FgOtlpTables *t, FgWire *message)
{
	while (fg_wire_more(message))
	{
		FgWireField field;

		if (!fg_wire_take(message, &field) || (field.number == 1 && !take_indices(t, message, &field)))
			return false;
	}
	if (!fg_reserve(t->ctx, (void **) &t->stacks, &t->stack_room, t->stack_count + 1, sizeof(size_t)))
		return false;
	t->stacks[t->stack_count++] = t->index_count;
	return true;
}

static bool
take_value(FgWire *message, FgOtlpAttribute *attribute)
{
	enum {TEXT = 1, NUMBER = 3};

	while (fg_wire_more(message))
	{
		FgWireField field;
		FgWire		text;
		uint64_t	number;

		if (!fg_wire_take(message, &field))
			return false;
		if (field.number == TEXT)
		{
			if (!fg_wire_inner(message, &field, &text))
				return false;
			attribute->text = (FgOtlpText) {(const char *) text.next, (size_t) (text.end - text.next)};
		}
		if (field.number == NUMBER)
		{
			if (!fg_wire_number(message, &field, &number))
				return false;
			attribute->number = (int64_t) number;
		}
		attribute->is_text = field.number == TEXT;
		attribute->is_number = field.number == NUMBER;
	}
	return true;
}

static bool
take_attribute(FgOtlpTables *t, FgWire *message)
{
	FgOtlpAttribute attribute = {0};

	while (fg_wire_more(message))
	{
		FgWireField field;
		FgWire		value;

		if (!fg_wire_take(message, &field))
			return false;
		/* the key itself, and not its number */
		if (field.number == 1 && field.type == FG_WIRE_BYTES)
			return fg_otlp_fail_earlier(t->ctx, "attribute", t->attribute_count + 1);
		if ((field.number == 1 && !fg_wire_number(message, &field, &attribute.key)) ||
			(field.number == 2 &&
			 (!fg_wire_inner(message, &field, &value) || !take_value(&value, &attribute))))
			return false;
	}
	if (!fg_reserve(t->ctx, (void **) &t->attributes, &t->attribute_room, t->attribute_count + 1,
					sizeof(FgOtlpAttribute)))
		return false;
	t->attributes[t->attribute_count++] = attribute;
	return true;
}

/* The tables, by their field; links to traces are only counted. */
static bool
take_entry(FgOtlpTables *t, uint32_t table, FgWire *message)
{
	switch (table)
	{
		case 1:
			return take_mapping(t, message);
		case 2:
			return take_location(t, message);
		case 3:
			return take_function(t, message);
		case 4:
			t->link_count++;
			return true;
		case 5:
			return take_text(t, message);
		case 6:
			return take_attribute(t, message);
		case 7:
			return take_stack(t, message);
		default:
			return true;
	}
}

bool
fg_otlp_tables_take(FgOtlpTables *tables, FgWire *message)
{
	while (fg_wire_more(message))
	{
		FgWireField field;
		FgWire		entry;

		if (!fg_wire_take(message, &field))
			return false;
		if (field.number <= 7 &&
			(!fg_wire_inner(message, &field, &entry) || !take_entry(tables, field.number, &entry)))
			return false;
		if (!fg_work(tables->ctx, field.size))
			return false;
	}
	return true;
}

/* --- frames --------------------------------------------------------------------------------- */

static bool
fail_index(const FgOtlpTables *t, const char *whose, const char *what, uint64_t index, size_t count)
{
	return fg_fail(t->ctx, FG_ERROR_SYNTAX, "a %s has %s %" PRId64 ", but there are %zu", whose, what,
				   (int64_t) index, count);
}

bool
fg_otlp_text(const FgOtlpTables *tables, uint64_t index, const char *what, FgOtlpText *text)
{
	if (index >= tables->text_count)
		return fail_index(tables, what, "text", index, tables->text_count);
	*text = tables->texts[index];
	return true;
}

/* A frame of a text, a mark and a line or an address. */
static bool
print_frame(FgOtlpTables *t, FgOtlpText before, const char *mark, uint64_t number, FgOtlpText *name)
{
	char		text[32];
	int			length = mark[0] == ':' ? snprintf(text, sizeof(text), ":%" PRIu64, number)
		: snprintf(text, sizeof(text), "%s0x%" PRIx64, mark, number);

	t->frame.size = 0;
	if (!fg_buffer_append(&t->frame, before.bytes, before.length) ||
		!fg_buffer_append(&t->frame, text, (size_t) length))
		return false;
	*name = (FgOtlpText) {(char *) t->frame.data, t->frame.size};
	return true;
}

/* A function's name, and its line when that is wanted. */
static bool
name_line(FgOtlpTables *t, const FgOtlpLine *line, FgOtlpText *name)
{
	const FgOtlpFunction *function;

	*name = (FgOtlpText) {"", 0};
	if (line->function != 0)
	{
		if (line->function >= t->function_count)
			return fail_index(t, "location", "function", line->function, t->function_count);
		function = &t->functions[line->function];
		if (!fg_otlp_text(t, function->name, "function", name) ||
			(name->length == 0 && !fg_otlp_text(t, function->system_name, "function", name)))
			return false;
	}
	return t->style != FG_FRAME_LINE || line->line <= 0 ||
		print_frame(t, *name, ":", (uint64_t) line->line, name);
}

/* Is the address no place in the file?  A call that is the last thing there returns to its end. */
static bool
is_outside(const FgOtlpMapping *mapping, uint64_t address)
{
	return address < mapping->start || (mapping->limit != 0 && address > mapping->limit);
}

/*
 * A location that stands for itself: its address, or for code without a symbol the place in its
 * file, which stays the same from run to run.
 */
static bool
name_location(FgOtlpTables *t, const FgOtlpLocation *location, FgOtlpText *name)
{
	const FgOtlpMapping *mapping;
	FgOtlpText	file = {"", 0};
	size_t		base = 0;

	*name = file;
	if (t->style == FG_FRAME_ADDRESS && location->address != 0)
		return print_frame(t, file, "", location->address, name);
	if (location->mapping == 0 && location->address == 0)
		return true;
	if (location->mapping >= t->mapping_count && location->mapping != 0)
		return fail_index(t, "location", "mapping", location->mapping, t->mapping_count);
	mapping = location->mapping != 0 ? &t->mappings[location->mapping] : NULL;
	if (mapping != NULL && !fg_otlp_text(t, mapping->file, "mapping", &file))
		return false;
	if (mapping == NULL || file.length == 0 || is_outside(mapping, location->address))
		return print_frame(t, (FgOtlpText) {"", 0}, "", location->address, name);
	for (size_t i = 0; i < file.length; i++)
	{
		if (file.bytes[i] == '/' && i + 1 < file.length)
			base = i + 1;
	}
	return fg_work(t->ctx, file.length) &&
		print_frame(t, (FgOtlpText) {file.bytes + base, file.length - base}, "+",
					location->address - mapping->start + mapping->offset, name);
}

bool
fg_otlp_name(void *arg, uint32_t number, const char **name, size_t *length)
{
	FgOtlpTables *t = arg;
	FgOtlpText	text;

	if (!(number < t->line_count ? name_line(t, &t->lines[number], &text)
		  : name_location(t, &t->locations[number - t->line_count], &text)))
		return false;
	*name = text.bytes;
	*length = text.length;
	return true;
}

/* The frames of a location, the innermost first. */
static bool
number_location(FgOtlpTables *t, uint64_t number)
{
	const FgOtlpLocation *location;
	size_t		line;
	size_t		end;

	if (number >= t->location_count)
		return fail_index(t, "stack", "location", number, t->location_count);
	location = &t->locations[number];
	line = number > 0 ? location[-1].lines : 0;
	end = location->lines;
	if (line == end || (t->style == FG_FRAME_ADDRESS && location->address != 0))
	{
		line = t->line_count + (size_t) number;
		end = line + 1;
	}
	if (end - line > FG_MAX_DEPTH || t->number_count > FG_MAX_DEPTH)
		return fg_fail(t->ctx, FG_ERROR_LIMIT, "a stack has more than %u frames", FG_MAX_DEPTH);
	if (!fg_reserve(t->ctx, (void **) &t->numbers, &t->number_room, t->number_count + (end - line),
					sizeof(uint32_t)))
		return false;
	for (; line < end; line++)
		t->numbers[t->number_count++] = (uint32_t) line;
	return true;
}

bool
fg_otlp_number(FgOtlpTables *tables, uint64_t stack)
{
	size_t		next;

	tables->number_count = 0;
	if (stack == 0 && tables->stack_count == 0)
		return true;
	if (stack >= tables->stack_count)
		return fail_index(tables, "sample", "stack", stack, tables->stack_count);
	next = stack > 0 ? tables->stacks[stack - 1] : 0;
	for (; next < tables->stacks[stack]; next++)
	{
		if (!number_location(tables, tables->indices[next]))
			return false;
	}
	return fg_steps(tables->ctx, (uint32_t) tables->number_count);
}

bool
fg_otlp_collect(FgOtlpTables *tables, uint64_t stack, FgSink *sink)
{
	if (!fg_otlp_number(tables, stack))
		return false;
	for (size_t i = 0; i < tables->number_count; i++)
	{
		const char *name;
		size_t		length;

		if (!fg_otlp_name(tables, tables->numbers[i], &name, &length) || !fg_sink_frame(sink, name, length))
			return false;
	}
	return true;
}
