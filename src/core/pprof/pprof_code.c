/*
 * pprof_code.c
 *	  Texts, functions, mappings and locations of pprof's format (see pprof_code.h).
 */
#include "core/pprof/pprof_code.h"

#include <inttypes.h>
#include <stdio.h>

/* Of frames that are made of several things. */
#define MAX_OWN_BYTES ((size_t) 2 << 30)

/* --- life ------------------------------------------------------------------------------- */

void
fg_pprof_code_begin(FgContext *ctx, FgPprofCode *code, FgFrameStyle style)
{
	*code = (FgPprofCode) {
		.ctx = ctx,
		.style = style,
		.texts = {.ctx = ctx},
		.own = {.ctx = ctx},
		.function_ids = {.what = "function"},
		.mapping_ids = {.what = "mapping"},
		.location_ids = {.what = "location"}
	};
}

static void
free_ids(FgContext *ctx, FgPprofIds *ids)
{
	fg_release(ctx, ids->ids);
	fg_id_index_free(ctx, &ids->index);
}

void
fg_pprof_code_free(FgPprofCode *code)
{
	FgContext  *ctx = code->ctx;

	free_ids(ctx, &code->function_ids);
	free_ids(ctx, &code->mapping_ids);
	free_ids(ctx, &code->location_ids);
	fg_release(ctx, code->texts.data);
	fg_release(ctx, code->text_ends);
	fg_release(ctx, code->functions);
	fg_release(ctx, code->mappings);
	fg_release(ctx, code->locations);
	fg_release(ctx, code->lines);
	fg_release(ctx, code->own.data);
	fg_release(ctx, code->frames);
	fg_release(ctx, code->first);
}

/* --- messages --------------------------------------------------------------------------- */

/* Messages of numbers: numbers[i] becomes field i; others are passed over. */
static bool
take_numbers(FgWire *message, uint64_t *numbers, uint32_t count, uint64_t wanted)
{
	for (uint32_t i = 0; i < count; i++)
		numbers[i] = 0;
	while (fg_wire_more(message))
	{
		FgWireField field;

		if (!fg_wire_take(message, &field))
			return false;
		if (field.number < count && (wanted >> field.number & 1) != 0 &&
			!fg_wire_number(message, &field, &numbers[field.number]))
			return false;
	}
	return true;
}

#define FIELD(number) (UINT64_C(1) << (number))

static bool
add_id(FgContext *ctx, FgPprofIds *ids, uint64_t id)
{
	if (!fg_reserve(ctx, (void **) &ids->ids, &ids->room, ids->count + 1, sizeof(uint64_t)))
		return false;
	ids->ids[ids->count++] = id;
	return true;
}

bool
fg_pprof_code_text(FgPprofCode *code, const FgWire *text)
{
	if (!fg_reserve(code->ctx, (void **) &code->text_ends, &code->text_room, code->text_count + 1,
					sizeof(size_t)) ||
		!fg_buffer_append(&code->texts, text->next, (size_t) (text->end - text->next)))
		return false;
	code->text_ends[code->text_count++] = code->texts.size;
	return true;
}

bool
fg_pprof_code_function(FgPprofCode *code, FgWire *message)
{
	enum { ID = 1, NAME = 2, SYSTEM_NAME = 3, FILE_NAME = 4 };
	uint64_t	numbers[5];

	if (!take_numbers(message, numbers, 5, FIELD(ID) | FIELD(NAME) | FIELD(SYSTEM_NAME) | FIELD(FILE_NAME)) ||
		!fg_reserve(code->ctx, (void **) &code->functions, &code->function_room,
					code->function_ids.count + 1, sizeof(FgPprofFunction)))
		return false;
	code->functions[code->function_ids.count] = (FgPprofFunction) {
		(int64_t) numbers[NAME], (int64_t) numbers[SYSTEM_NAME]
	};
	return add_id(code->ctx, &code->function_ids, numbers[ID]);
}

bool
fg_pprof_code_mapping(FgPprofCode *code, FgWire *message)
{
	enum { ID = 1, MEMORY_START = 2, MEMORY_LIMIT = 3, FILE_OFFSET = 4, FILE_NAME = 5 };
	uint64_t	numbers[6];

	if (!take_numbers(message, numbers, 6, FIELD(ID) | FIELD(MEMORY_START) | FIELD(MEMORY_LIMIT) | FIELD(FILE_OFFSET) |
					  FIELD(FILE_NAME)) ||
		!fg_reserve(code->ctx, (void **) &code->mappings, &code->mapping_room,
					code->mapping_ids.count + 1, sizeof(FgPprofMapping)))
		return false;
	code->mappings[code->mapping_ids.count] = (FgPprofMapping) {
		numbers[MEMORY_START], numbers[MEMORY_LIMIT], numbers[FILE_OFFSET], (int64_t) numbers[FILE_NAME]
	};
	return add_id(code->ctx, &code->mapping_ids, numbers[ID]);
}

static bool
take_line(FgPprofCode *code, const FgWire *message, const FgWireField *field)
{
	enum { FUNCTION_ID = 1, LINE = 2 };
	uint64_t	numbers[3];
	FgWire		line;

	if (!fg_wire_inner(message, field, &line) ||
		!take_numbers(&line, numbers, 3, FIELD(FUNCTION_ID) | FIELD(LINE)) ||
		!fg_reserve(code->ctx, (void **) &code->lines, &code->line_room, code->line_count + 1,
					sizeof(FgPprofLine)))
		return false;
	code->lines[code->line_count++] = (FgPprofLine) {numbers[FUNCTION_ID], (int64_t) numbers[LINE]};
	return true;
}

bool
fg_pprof_code_location(FgPprofCode *code, FgWire *message)
{
	enum { ID = 1, MAPPING_ID = 2, ADDRESS = 3, LINE = 4 };
	uint64_t	numbers[4] = {0};

	while (fg_wire_more(message))
	{
		FgWireField field;

		if (!fg_wire_take(message, &field))
			return false;
		if (!(field.number < LINE ? fg_wire_number(message, &field, &numbers[field.number])
			  : field.number != LINE || take_line(code, message, &field)))
			return false;
	}
	if (!fg_reserve(code->ctx, (void **) &code->locations, &code->location_room,
					code->location_ids.count + 1, sizeof(FgPprofLocation)))
		return false;
	code->locations[code->location_ids.count] = (FgPprofLocation) {
		numbers[MAPPING_ID], numbers[ADDRESS], code->line_count
	};
	return add_id(code->ctx, &code->location_ids, numbers[ID]);
}

uint64_t
fg_pprof_code_bytes(const FgPprofCode *code)
{
	return code->texts.size + code->text_count * sizeof(size_t) +
		code->function_ids.count * (sizeof(uint64_t) + sizeof(FgPprofFunction)) +
		code->mapping_ids.count * (sizeof(uint64_t) + sizeof(FgPprofMapping)) +
		code->location_ids.count * (sizeof(uint64_t) + sizeof(FgPprofLocation)) +
		code->line_count * sizeof(FgPprofLine);
}

/* --- looking up ------------------------------------------------------------------------- */

static bool
make_index(FgPprofCode *code, FgPprofIds *ids)
{
	size_t		same[2];

	for (size_t i = 0; i < ids->count; i++)
	{
		if (ids->ids[i] == 0)
			return fg_fail(code->ctx, FG_ERROR_SYNTAX, "%s %zu has no id", ids->what, i + 1);
		if (!fg_check_every(code->ctx, i))
			return false;
	}
	if (fg_id_index_make(code->ctx, &ids->index, ids->ids, ids->count, same))
		return true;
	return same[1] > 0 &&
		fg_fail(code->ctx, FG_ERROR_SYNTAX, "%ss %zu and %zu have the same id %" PRIu64, ids->what,
				same[0] + 1, same[1] + 1, ids->ids[same[1]]);
}

bool
fg_pprof_code_find_text(const FgPprofCode *code, int64_t at, const char *what, size_t number,
						FgPprofText *text)
{
	size_t		start;

	if (at < 0 || (uint64_t) at >= code->text_count)
		return fg_fail(code->ctx, FG_ERROR_SYNTAX,
					   "%s %zu has text %" PRId64 ", but there are %zu texts", what, number, at,
					   code->text_count);
	start = at > 0 ? code->text_ends[at - 1] : 0;
	text->length = code->text_ends[at] - start;
	text->bytes = text->length > 0 ? (const char *) code->texts.data + start : "";
	return true;
}

/* What a location refers to by an id that is not 0. */
static bool
find_id(const FgPprofCode *code, const FgPprofIds *ids, uint64_t id, size_t location, size_t *at)
{
	*at = fg_id_index_find(&ids->index, id);
	return *at != SIZE_MAX ||
		fg_fail(code->ctx, FG_ERROR_SYNTAX, "location %zu has %s %" PRIu64 ", which does not exist",
				location + 1, ids->what, id);
}

size_t
fg_pprof_code_location_of(const FgPprofCode *code, uint64_t id)
{
	return fg_id_index_find(&code->location_ids.index, id);
}

/* --- frames ----------------------------------------------------------------------------- */

static uint32_t
count_controls(const char *text, size_t length)
{
	uint32_t	count = 0;

	for (size_t i = 0; i < length; i++)
		count += (uint8_t) text[i] < 0x20 || text[i] == 0x7F;
	return count;
}

FgPprofText
fg_pprof_code_frame(const FgPprofCode *code, size_t frame)
{
	const FgPprofFrame *f = &code->frames[frame];
	const FgBuffer *from = f->own ? &code->own : &code->texts;

	return (FgPprofText) {f->length > 0 ? (const char *) from->data + f->start : "", f->length};
}

/* A frame of all that is behind "start" in its own texts, or of a text as it is. */
static bool
add_frame(FgPprofCode *code, bool own, size_t start, size_t length)
{
	FgPprofText text;

	if (length > UINT32_MAX || code->own.size > MAX_OWN_BYTES)
		return fg_fail(code->ctx, FG_ERROR_LIMIT, "the names of all locations take more than %zu bytes",
					   MAX_OWN_BYTES);
	if (!fg_reserve(code->ctx, (void **) &code->frames, &code->frame_room, code->frame_count + 1,
					sizeof(FgPprofFrame)))
		return false;
	code->frames[code->frame_count] = (FgPprofFrame) {start, (uint32_t) length, 0, own};
	text = fg_pprof_code_frame(code, code->frame_count);
	code->frames[code->frame_count].control_characters = count_controls(text.bytes, length);
	code->notable |= length == 0 || length > FG_MAX_BYTES / FG_MAX_DEPTH ||
		code->frames[code->frame_count].control_characters > 0;
	code->frame_count++;
	return fg_work(code->ctx, length);
}

/* A frame of a text, a mark and a line or an address. */
static bool
print_frame(FgPprofCode *code, FgPprofText before, const char *mark, uint64_t number)
{
	size_t		start = code->own.size;
	char		text[32];
	int			length = mark[0] == ':' ? snprintf(text, sizeof(text), ":%" PRIu64, number)
		: snprintf(text, sizeof(text), "%s0x%" PRIx64, mark, number);

	return fg_buffer_append(&code->own, before.bytes, before.length) &&
		fg_buffer_append(&code->own, text, (size_t) length) &&
		add_frame(code, true, start, code->own.size - start);
}

/* A function's name, and its line when that is wanted. */
static bool
line_frame(FgPprofCode *code, const FgPprofLine *line, size_t location)
{
	const FgPprofFunction *function;
	size_t		at;
	FgPprofText name = {"", 0};

	if (line->function != 0)
	{
		if (!find_id(code, &code->function_ids, line->function, location, &at))
			return false;
		function = &code->functions[at];
		if (!fg_pprof_code_find_text(code, function->name, "function", at + 1, &name))
			return false;
		if (name.length == 0 &&
			!fg_pprof_code_find_text(code, function->system_name, "function", at + 1, &name))
			return false;
	}
	if (code->style == FG_FRAME_LINE && line->line > 0)
		return print_frame(code, name, ":", (uint64_t) line->line);
	return add_frame(code, false,
					 name.length > 0 ? (size_t) (name.bytes - (const char *) code->texts.data) : 0,
					 name.length);
}

/* Is the address no place in the file?  A call that is the last thing there returns to its end. */
static bool
is_outside(const FgPprofMapping *mapping, uint64_t address)
{
	return address < mapping->start || (mapping->limit != 0 && address > mapping->limit);
}

/*
 * Code without a symbol: the place in its file, which stays the same from run to
 * run, or else the address.
 */
static bool
unnamed_frame(FgPprofCode *code, const FgPprofLocation *location, size_t number)
{
	const FgPprofMapping *mapping;
	FgPprofText file = {"", 0};
	size_t		base = 0;
	size_t		at;

	if (location->mapping == 0)
		return print_frame(code, file, "", location->address);
	if (!find_id(code, &code->mapping_ids, location->mapping, number, &at))
		return false;
	mapping = &code->mappings[at];
	if (!fg_pprof_code_find_text(code, mapping->file, "mapping", at + 1, &file))
		return false;
	if (file.length == 0 || is_outside(mapping, location->address))
		return print_frame(code, (FgPprofText) {"", 0}, "", location->address);
	if (!fg_work(code->ctx, file.length))
		return false;
	for (size_t i = 0; i < file.length; i++)
	{
		if (file.bytes[i] == '/' && i + 1 < file.length)
			base = i + 1;
	}
	return print_frame(code, (FgPprofText) {file.bytes + base, file.length - base}, "+",
					   location->address - mapping->start + mapping->offset);
}

/* The frames of a location, the innermost first. */
static bool
location_frames(FgPprofCode *code, size_t number)
{
	const FgPprofLocation *location = &code->locations[number];
	size_t		line = number > 0 ? location[-1].lines : 0;

	if (code->style == FG_FRAME_ADDRESS && location->address != 0)
		return print_frame(code, (FgPprofText) {"", 0}, "", location->address);
	if (line == location->lines)
		return unnamed_frame(code, location, number);
	for (; line < location->lines; line++)
	{
		if (!line_frame(code, &code->lines[line], number))
			return false;
	}
	return true;
}

bool
fg_pprof_code_finish(FgPprofCode *code)
{
	size_t		count = code->location_ids.count;

	if (!make_index(code, &code->function_ids) || !make_index(code, &code->mapping_ids) ||
		!make_index(code, &code->location_ids))
		return false;
	code->first = fg_alloc(code->ctx, count + 1, sizeof(size_t));
	if (code->first == NULL)
		return false;
	for (size_t i = 0; i < count; i++)
	{
		code->first[i] = code->frame_count;
		if (!fg_check_every(code->ctx, i) || !location_frames(code, i))
			return false;
		if (code->frame_count - code->first[i] > code->longest)
			code->longest = code->frame_count - code->first[i];
	}
	code->first[count] = code->frame_count;
	return true;
}
