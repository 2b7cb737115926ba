/*
 * instruments_xml.c
 *	  The XML of "xctrace export" (see instruments.h).
 */
#include "core/formats/instruments.h"

#include "core/base/bytes.h"
#include "core/base/number.h"
#include "core/profile/names.h"
#include "core/reading/xml_stream.h"

#include <inttypes.h>
#include <stdio.h>

/* What an id stands for. */
typedef enum Sort
{
	NO_SORT,
	TIME,
	THREAD,
	WEIGHT,
	CYCLES,
	EVENTS,
	STACK,
	FRAME,
	BINARY
} Sort;

typedef struct Item
{
	Sort		sort;
	uint32_t	number;			/* of its list */
	double		value;
} Item;

typedef struct Binary
{
	uint32_t	name;
	uint64_t	load_address;	/* 0: not known */
} Binary;

/* Its frames, leaf first, and where it went last. */
typedef struct Stack
{
	size_t		first;
	uint32_t	count;
	bool		met;
	uint32_t	thread;
	FgStackPlace place;
} Stack;

/* A number of a few digits, which outlives the element that it is an attribute of. */
typedef struct Digits
{
	size_t		length;			/* 0: there is none */
	char		text[24];
} Digits;

/* The frame that is being read. */
typedef struct OpenFrame
{
	bool		referred;		/* it is only a reference */
	Digits		id;
	FgBuffer	name;
	uint64_t	address;
	uint32_t	binary;			/* FG_NONE: none */
	Digits		line;
} OpenFrame;

typedef struct Row
{
	bool		has_time;
	double		time;
	uint32_t	thread;			/* FG_NONE: none */
	Sort		weighs;			/* WEIGHT, CYCLES, EVENTS, or NO_SORT */
	double		weight;
	uint32_t	stack;			/* FG_NONE: none */
} Row;

struct FgInstrumentsXml
{
	FgSink	   *sink;
	FgContext  *ctx;
	FgXmlStream *xml;
	FgNames		ids;
	Item	   *items;			/* by the number of their ids */
	size_t		item_count;
	size_t		item_capacity;
	FgNames		texts;			/* of frames, threads and binaries */
	Binary	   *binaries;
	uint32_t	binary_count;
	size_t		binary_capacity;
	uint32_t   *frames;			/* of all stacks */
	size_t		frame_count;
	size_t		frame_capacity;
	Stack	   *stacks;
	uint32_t	stack_count;
	size_t		stack_capacity;
	size_t		stack_start;	/* of the one that is being read */
	size_t		frames_taken;	/* by the stacks that have ended */
	Digits		stack_id;
	Digits		tag_id;
	Digits		value_id;
	OpenFrame	frame;
	Row			row;
	FgBuffer	schema;
	bool		has_stacks;		/* the table has them ... */
	bool		has_weights;	/* ... and these */
	bool		has_addresses;	/* some table has stacks that are addresses without names */
	bool		is_result;
	bool		had_stacks;		/* some row was one of a table with stacks ... */
	bool		had_rows;		/* ... and is wanted ... */
	bool		had_frames;		/* ... and has one itself */
	bool		has_bare_rows;	/* some row of this table has none ... */
	bool		has_frames;		/* ... and some has one */
	bool		has_zero;
	double		zero;
};

/* --- ids ---------------------------------------------------------------------------------- */

/* How many bytes of a text stand in an error. */
static int
shown(FgXmlText text)
{
	return text.length < 20 ? (int) text.length : 20;
}

static FgXmlText
attribute(const FgInstrumentsXml *r, const char *name)
{
	return fg_xml_stream_attribute(r->xml, name);
}

/* An attribute that is not there is an empty one. */
static FgXmlText
or_empty(FgXmlText text)
{
	return text.text != NULL ? text : (FgXmlText) {"", 0};
}

/* Ids are numbers of a few digits; a longer one refers to nothing. */
static void
copy_digits(Digits *to, FgXmlText text)
{
	to->length = text.length < sizeof(to->text) ? text.length : 0;
	if (to->length > 0)
		memcpy(to->text, text.text, to->length);
}

static bool
define(FgInstrumentsXml *r, const Digits *id, Item item)
{
	uint32_t	number;

	if (id->length == 0)
		return true;
	if (!fg_names_add(&r->ids, id->text, id->length, &number))
		return false;
	if (number < r->item_count)
		return fg_xml_stream_fail(r->xml, FG_ERROR_SYNTAX, NULL, "two elements have the id %.*s", (int) id->length,
								  id->text);
	if (!fg_reserve(r->ctx, (void **) &r->items, &r->item_capacity, r->item_count + 1, sizeof(Item)))
		return false;
	r->items[r->item_count++] = item;
	return true;
}

/* What an element refers to; NULL with the error set where it is not there. */
static const Item *
find_item(FgInstrumentsXml *r, FgXmlText reference, Sort sort)
{
	uint32_t	hash = fg_names_hash(&r->ids, reference.text, reference.length);
	uint32_t	number = fg_names_find(&r->ids, reference.text, reference.length, hash);

	if (number != FG_NONE && r->items[number].sort == sort)
		return &r->items[number];
	fg_xml_stream_fail(r->xml, FG_ERROR_SYNTAX, NULL, "an element refers to %.*s, which is not there",
					   shown(reference), reference.text);
	return NULL;
}

/* --- frames ---------------------------------------------------------------------------------- */

static int
hex_digit(char byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	byte |= 0x20;
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* 0: it is none; one that is too large is the largest. */
static uint64_t
parse_address(FgXmlText text)
{
	uint64_t	address = 0;

	if (text.length < 3 || text.text[0] != '0' || (text.text[1] | 0x20) != 'x')
		return 0;
	for (size_t i = 2; i < text.length && hex_digit(text.text[i]) >= 0; i++)
	{
		if (address >> 60 != 0)
			return UINT64_MAX;
		address = address << 4 | (uint64_t) hex_digit(text.text[i]);
	}
	return address;
}

static bool
begin_frame(FgInstrumentsXml *r)
{
	FgXmlText	reference = attribute(r, "ref");
	FgXmlText	name;
	FgXmlText	address;
	OpenFrame  *frame = &r->frame;
	const Item *item;

	frame->referred = reference.text != NULL;
	if (frame->referred)
	{
		item = find_item(r, reference, FRAME);
		if (item == NULL || !fg_reserve(r->ctx, (void **) &r->frames, &r->frame_capacity,
										r->frame_count + 1, sizeof(uint32_t)))
			return false;
		r->frames[r->frame_count++] = item->number;
		return true;
	}
	name = attribute(r, "name");
	address = attribute(r, "addr");
	copy_digits(&frame->id, attribute(r, "id"));
	frame->address = parse_address(address);
	frame->binary = FG_NONE;
	frame->line.length = 0;
	frame->name.size = 0;
	if (name.text == NULL)
		name = address;
	return fg_buffer_append(&frame->name, name.text, name.length);
}

static bool
take_binary(FgInstrumentsXml *r, const FgXmlElement *element)
{
	FgXmlText	reference;
	FgXmlText	name;
	Binary		binary;
	const Item *item;
	Digits		id;

	if (element->end || r->frame.referred)
		return true;
	reference = attribute(r, "ref");
	if (reference.text != NULL)
	{
		item = find_item(r, reference, BINARY);
		if (item != NULL)
			r->frame.binary = item->number;
		return item != NULL;
	}
	name = or_empty(attribute(r, "name"));
	copy_digits(&id, attribute(r, "id"));
	binary.load_address = parse_address(attribute(r, "load-addr"));
	if (!fg_names_add(&r->texts, name.text, name.length, &binary.name) ||
		!fg_reserve(r->ctx, (void **) &r->binaries, &r->binary_capacity,
					(size_t) r->binary_count + 1, sizeof(Binary)))
		return false;
	r->frame.binary = r->binary_count;
	r->binaries[r->binary_count++] = binary;
	return define(r, &id, (Item) {.sort = BINARY, .number = r->frame.binary});
}

/* An address without a symbol is named by its place in its file, which is the same in every run. */
static bool
name_place(FgInstrumentsXml *r)
{
	OpenFrame  *frame = &r->frame;
	const Binary *binary = &r->binaries[frame->binary];
	char		offset[32];

	snprintf(offset, sizeof(offset), "+0x%" PRIx64, frame->address - binary->load_address);
	frame->name.size = 0;
	return fg_buffer_append(&frame->name, r->texts.bytes + r->texts.offset[binary->name],
							r->texts.length[binary->name]) &&
		fg_buffer_append(&frame->name, offset, strlen(offset));
}

static bool
is_unnamed(const OpenFrame *frame)
{
	return frame->name.size == 0 ||
		(frame->name.size > 2 && memcmp(frame->name.data, "0x", 2) == 0);
}

static bool
end_frame(FgInstrumentsXml *r)
{
	OpenFrame  *frame = &r->frame;
	bool		lines = fg_sink_options(r->sink)->frame_style == FG_FRAME_LINE;
	uint32_t	number;

	if (frame->referred)
		return true;
	if (is_unnamed(frame) && frame->binary != FG_NONE &&
		r->binaries[frame->binary].load_address != 0 &&
		frame->address >= r->binaries[frame->binary].load_address && !name_place(r))
		return false;
	if (lines && frame->line.length > 0 &&
		(!fg_buffer_append(&frame->name, ":", 1) ||
		 !fg_buffer_append(&frame->name, frame->line.text, frame->line.length)))
		return false;
	if (!fg_buffer_room(&frame->name, 1) ||
		!fg_names_add(&r->texts, (char *) frame->name.data, frame->name.size, &number) ||
		!fg_reserve(r->ctx, (void **) &r->frames, &r->frame_capacity, r->frame_count + 1,
					sizeof(uint32_t)))
		return false;
	r->frames[r->frame_count++] = number;
	return define(r, &frame->id, (Item) {.sort = FRAME, .number = number});
}

/* --- stacks ---------------------------------------------------------------------------------- */

static bool
fail_stacks(FgInstrumentsXml *r)
{
	return fg_xml_stream_fail(r->xml, FG_ERROR_SYNTAX, NULL, "a row has two stacks");
}

/* A stack, or what holds one together with what Instruments says of it. */
static bool
begin_stack(FgInstrumentsXml *r, Digits *id)
{
	FgXmlText	reference = attribute(r, "ref");
	const Item *item;

	if (r->row.stack != FG_NONE || r->frame_count != r->frames_taken)
		return fail_stacks(r);
	id->length = 0;
	r->stack_start = r->frame_count;
	if (reference.text == NULL)
	{
		copy_digits(id, attribute(r, "id"));
		return true;
	}
	item = find_item(r, reference, STACK);
	if (item != NULL)
		r->row.stack = item->number;
	return item != NULL;
}

static bool
end_stack(FgInstrumentsXml *r, const Digits *id)
{
	Stack		stack = {.first = r->stack_start, .thread = FG_NONE};
	size_t		count = r->frame_count - r->stack_start;

	if (r->row.stack != FG_NONE && r->frame_count != r->frames_taken)
		return fail_stacks(r);
	r->frames_taken = r->frame_count;
	if (r->row.stack == FG_NONE)
	{
		if (count > FG_MAX_DEPTH)
			return fg_xml_stream_fail(r->xml, FG_ERROR_LIMIT, NULL, "a stack is deeper than %d", FG_MAX_DEPTH);
		stack.count = (uint32_t) count;
		if (!fg_reserve(r->ctx, (void **) &r->stacks, &r->stack_capacity,
						(size_t) r->stack_count + 1, sizeof(Stack)))
			return false;
		r->row.stack = r->stack_count;
		r->stacks[r->stack_count++] = stack;
	}
	return define(r, id, (Item) {.sort = STACK, .number = r->row.stack});
}

static bool
collect_stack(FgInstrumentsXml *r)
{
	const Row  *row = &r->row;
	const FgNames *texts = &r->texts;
	const Stack *stack = row->stack != FG_NONE ? &r->stacks[row->stack] : NULL;
	bool		has_thread = row->thread != FG_NONE;
	const char *thread = has_thread ? texts->bytes + texts->offset[row->thread] : "";
	uint32_t	length = has_thread ? texts->length[row->thread] : 0;

	fg_sink_clear(r->sink);
	if (has_thread && fg_sink_options(r->sink)->threads &&
		!fg_sink_thread(r->sink, thread, length))
		return false;
	if (has_thread && fg_sink_is_timed(r->sink) && !fg_sink_lane(r->sink, thread, length))
		return false;
	for (uint32_t i = 0; stack != NULL && i < stack->count; i++)
	{
		uint32_t	frame = r->frames[stack->first + i];

		if (!fg_sink_frame(r->sink, texts->bytes + texts->offset[frame], texts->length[frame]))
			return false;
	}
	return fg_work(r->ctx, stack != NULL ? (size_t) stack->count * 16 : 1);
}

/* --- rows ------------------------------------------------------------------------------------ */

static bool
is_schema(const FgInstrumentsXml *r, const char *name)
{
	return r->schema.size == strlen(name) + 1 && memcmp(r->schema.data, name, r->schema.size) == 0;
}

/* Tables of what ran: of other tables a stack tells where something was noted. */
static bool
is_profile(const FgInstrumentsXml *r)
{
	return is_schema(r, "time-profile") || is_schema(r, "cpu-profile") || is_schema(r, "counters-profile");
}

/* The profile that a row belongs to. */
static bool
find_profile(FgInstrumentsXml *r, uint32_t *profile)
{
	FgKind		kind = {.name = (char *) r->schema.data, .unit = "samples", .period = 1};

	kind.event = is_profile(r) && r->row.weighs != EVENTS ? "cpu" : kind.name;
	if (r->row.weighs == WEIGHT)
		kind.unit = "nanoseconds";
	if (r->row.weighs == CYCLES)
		kind.unit = "cycles";
	if (r->row.weighs == EVENTS)
		kind.unit = "events";
	if (r->row.weighs != NO_SORT)
		kind.period = 0;
	return fg_sink_profile(r->sink, &kind, profile);
}

static bool
set_time(FgInstrumentsXml *r)
{
	if (!r->row.has_time)
		return fg_xml_stream_fail(r->xml, FG_ERROR_SYNTAX, NULL, "a row has no time");
	if (!r->has_zero)
		r->zero = r->row.time;
	r->has_zero = true;
	fg_sink_time_until_next(r->sink, r->row.time - r->zero,
							r->row.weighs == WEIGHT ? r->row.weight : 0);
	return true;
}

static void
note_row(FgInstrumentsXml *r, bool has_frames)
{
	r->had_rows = true;
	r->had_frames |= has_frames;
	r->has_frames |= has_frames;
	r->has_bare_rows |= !has_frames;
}

static void
end_table(FgInstrumentsXml *r)
{
	if (r->has_bare_rows && !r->has_frames)
		fg_sink_warn(r->sink, &(FgWarning) {
			.text = "a table of Instruments has no stack in any of its rows",
			.hint = "They are samples of the root.", .count = 1
		});
	r->has_bare_rows = r->has_frames = false;
}

static bool
add_row(FgInstrumentsXml *r)
{
	Row		   *row = &r->row;
	Stack	   *stack = row->stack != FG_NONE ? &r->stacks[row->stack] : NULL;
	bool		timed = fg_sink_is_timed(r->sink);
	uint32_t	thread = fg_sink_options(r->sink)->threads ? row->thread : FG_NONE;
	uint32_t	profile;

	/* of a table without stacks, or without a value */
	if ((!r->has_stacks && stack == NULL) || (r->has_weights && row->weighs == NO_SORT))
	{
		fg_sink_noted(r->sink)->comments++;
		return true;
	}
	if (!find_profile(r, &profile) || (timed && !set_time(r)))
		return false;
	r->had_stacks = true;
	if (profile != FG_UNWANTED)
		note_row(r, stack != NULL && stack->count > 0);
	if (!timed && profile != FG_UNWANTED && stack != NULL && stack->met &&
		stack->place.number == profile && stack->thread == thread)
		return fg_sink_sample_at(r->sink, &stack->place, row->weight);
	if (!collect_stack(r) ||
		!fg_sink_sample(r->sink, profile, FG_LEAF_FIRST, false, row->weight))
		return false;
	if (timed || profile == FG_UNWANTED || stack == NULL)
		return true;
	stack->met = true;
	stack->thread = thread;
	stack->place = fg_sink_place(r->sink, profile, false);
	return true;
}

static bool
set_value(FgInstrumentsXml *r, Sort sort, double value)
{
	if (sort == TIME)
	{
		r->row.time = value;
		r->row.has_time = true;
		return true;
	}
	if (r->row.weighs != NO_SORT)
		return fg_xml_stream_fail(r->xml, FG_ERROR_SYNTAX, NULL, "a row has two weights");
	r->row.weighs = sort;
	r->row.weight = value;
	return true;
}

/* A number, or a reference to one. */
static bool
take_number(FgInstrumentsXml *r, Sort sort, const FgXmlElement *element)
{
	FgXmlText	reference;
	const Item *item;
	FgNumberResult result;
	double		value;

	if (!element->end)
	{
		reference = attribute(r, "ref");
		r->value_id.length = 0;
		if (reference.text == NULL)
		{
			copy_digits(&r->value_id, attribute(r, "id"));
			return true;
		}
		/* times are kept where they are of use only: each row has one */
		if (sort == TIME && !fg_sink_is_timed(r->sink))
			return true;
		item = find_item(r, reference, sort);
		return item != NULL && set_value(r, sort, item->value);
	}
	if (element->text.length == 0)
		return true;
	result = fg_number_parse(r->ctx, element->text.text, element->text.length, &value);
	if (result == FG_NUMBER_MEMORY)
		return false;
	if (result != FG_NUMBER_OK)
		return fg_xml_stream_fail(r->xml, FG_ERROR_SYNTAX, NULL, "\"%.*s\" is not a number", shown(element->text),
								  element->text.text);
	if (sort == TIME && !fg_sink_is_timed(r->sink))
		return true;
	return set_value(r, sort, value) && define(r, &r->value_id, (Item) {.sort = sort, .value = value});
}

static bool
take_thread(FgInstrumentsXml *r, const FgXmlElement *element)
{
	FgXmlText	reference;
	FgXmlText	name;
	const Item *item;
	Digits		id;

	if (element->end)
		return true;
	reference = attribute(r, "ref");
	if (reference.text != NULL)
	{
		item = find_item(r, reference, THREAD);
		if (item != NULL)
			r->row.thread = item->number;
		return item != NULL;
	}
	name = or_empty(attribute(r, "fmt"));
	copy_digits(&id, attribute(r, "id"));
	return fg_names_add(&r->texts, name.text, name.length, &r->row.thread) &&
		define(r, &id, (Item) {.sort = THREAD, .number = r->row.thread});
}

/* --- elements ------------------------------------------------------------------------------- */

enum
{
	RESULT = 1, NODE, SCHEMA, COLUMN, COLUMN_NAME, COLUMN_TYPE, ROW, ROW_TIME, ROW_THREAD, ROW_WEIGHT,
	ROW_CYCLES, ROW_EVENTS, TAGGED, BACKTRACE, STACK_FRAME, FRAME_BINARY, FRAME_SOURCE,
	ADDRESSES
};

static const FgXmlRule rules[] = {
	{FG_XML_ROOT, "trace-query-result", RESULT},
	{RESULT, "node", NODE},
	{NODE, "schema", SCHEMA},
	{NODE, "row", ROW},
	{SCHEMA, "col", COLUMN},
	{COLUMN, "mnemonic", COLUMN_NAME},
	{COLUMN, "engineering-type", COLUMN_TYPE},
	{ROW, "sample-time", ROW_TIME},
	{ROW, "thread", ROW_THREAD},
	{ROW, "weight", ROW_WEIGHT},
	{ROW, "cycle-weight", ROW_CYCLES},
	{ROW, "pmc-event", ROW_EVENTS},
	{ROW, "tagged-backtrace", TAGGED},
	{ROW, "backtrace", BACKTRACE},
	{TAGGED, "backtrace", BACKTRACE},
	{TAGGED, "frame", STACK_FRAME},
	{BACKTRACE, "frame", STACK_FRAME},
	{BACKTRACE, "text-addresses", ADDRESSES},
	{STACK_FRAME, "binary", FRAME_BINARY},
	{STACK_FRAME, "source", FRAME_SOURCE},
	{0, NULL, 0}
};

static bool
begin_schema(FgInstrumentsXml *r)
{
	FgXmlText	name = or_empty(attribute(r, "name"));

	r->has_stacks = r->has_weights = false;
	r->schema.size = 0;
	return fg_buffer_append(&r->schema, name.text, name.length) && fg_buffer_append(&r->schema, "", 1);
}

/* Ids count from 1 in each table. */
static bool
begin_node(FgInstrumentsXml *r)
{
	if (r->item_count == 0)
		return true;
	fg_names_free(&r->ids);
	r->item_count = 0;
	return fg_names_begin(r->ctx, &r->ids);
}

/* What the values of a column are. */
static void
take_type(FgInstrumentsXml *r, FgXmlText type)
{
	r->has_stacks |= fg_xml_text_is(type, "backtrace") || fg_xml_text_is(type, "tagged-backtrace");
	r->has_addresses |= fg_xml_text_is(type, "kperf-bt");
}

static bool
take_begin(FgInstrumentsXml *r, int place)
{
	switch (place)
	{
		case RESULT:
			r->is_result = true;
			return true;
		case NODE:
			return begin_node(r);
		case SCHEMA:
			return begin_schema(r);
		case ROW:
			r->row = (Row) {.thread = FG_NONE, .stack = FG_NONE, .weight = 1};
			return true;
		case TAGGED:
			return begin_stack(r, &r->tag_id);
		case BACKTRACE:
			return begin_stack(r, &r->stack_id);
		case STACK_FRAME:
			return begin_frame(r);
		case ADDRESSES:
			return fg_xml_stream_fail(r->xml, FG_ERROR_SYNTAX,
									  "Export the recording with xctrace of Xcode 14.3 or later.",
									  "a stack has addresses without names");
		case FRAME_SOURCE:
			copy_digits(&r->frame.line, attribute(r, "line"));
			return true;
		default:
			return true;
	}
}

static bool
take_end(FgInstrumentsXml *r, int place, const FgXmlElement *element)
{
	switch (place)
	{
		case COLUMN_NAME:
			r->has_weights |= fg_xml_text_is(element->text, "weight");
			return true;
		case COLUMN_TYPE:
			take_type(r, element->text);
			return true;
		case NODE:
			end_table(r);
			return true;
		case ROW:
			return fg_xml_stream_at(r->xml, add_row(r));
		case TAGGED:
			return end_stack(r, &r->tag_id);
		case BACKTRACE:
			return end_stack(r, &r->stack_id);
		case STACK_FRAME:
			return fg_xml_stream_at(r->xml, end_frame(r));
		default:
			return true;
	}
}

static bool
take_element(void *arg, int place, const FgXmlElement *element)
{
	FgInstrumentsXml *r = arg;

	switch (place)
	{
		case ROW_TIME:
			return take_number(r, TIME, element);
		case ROW_WEIGHT:
			return take_number(r, WEIGHT, element);
		case ROW_CYCLES:
			return take_number(r, CYCLES, element);
		case ROW_EVENTS:
			return take_number(r, EVENTS, element);
		case ROW_THREAD:
			return take_thread(r, element);
		case FRAME_BINARY:
			return take_binary(r, element);
		default:
			return element->end ? take_end(r, place, element) : take_begin(r, place);
	}
}

/* --- the reader ------------------------------------------------------------------------------ */

void
fg_instruments_xml_free(FgInstrumentsXml *r)
{
	if (r == NULL)
		return;
	fg_xml_stream_close(r->xml);
	fg_names_free(&r->ids);
	fg_names_free(&r->texts);
	fg_release(r->ctx, r->items);
	fg_release(r->ctx, r->binaries);
	fg_release(r->ctx, r->frames);
	fg_release(r->ctx, r->stacks);
	fg_release(r->ctx, r->frame.name.data);
	fg_release(r->ctx, r->schema.data);
	fg_release(r->ctx, r);
}

FgInstrumentsXml *
fg_instruments_xml_begin(FgSink *sink)
{
	FgContext  *ctx = fg_sink_context(sink);
	FgInstrumentsXml *r = fg_alloc_zero(ctx, 1, sizeof(FgInstrumentsXml));

	if (r == NULL)
		return NULL;
	r->sink = sink;
	r->ctx = r->frame.name.ctx = r->schema.ctx = ctx;
	fg_sink_ticks(sink, 1e9);
	r->xml = fg_xml_stream_open(ctx, "XML of Instruments", rules, take_element, r);
	if (r->xml != NULL && fg_names_begin(ctx, &r->ids) && fg_names_begin(ctx, &r->texts) &&
		fg_buffer_append(&r->schema, "", 1))
		return r;
	fg_instruments_xml_free(r);
	return NULL;
}

bool
fg_instruments_xml_feed(FgInstrumentsXml *r, const char *bytes, size_t size)
{
	return fg_xml_stream_feed(r->xml, bytes, size);
}

bool
fg_instruments_xml_finish(FgInstrumentsXml *r)
{
	static const char hint[] =
		"Export a table that has them: xctrace export --input out.trace --xpath "
		"'/trace-toc/run[@number=\"1\"]/data/table[@schema=\"time-profile\"]'.";

	if (!fg_xml_stream_finish(r->xml))
		return false;
	if (r->is_result && (r->had_rows ? r->had_frames : r->had_stacks || r->has_stacks))
		return true;
	return fg_fail_at(r->ctx, FG_ERROR_SYNTAX, 0, 0, hint, r->has_addresses
					  ? "the stacks of this table of Instruments are addresses without names"
					  : r->had_rows ? "no row of the XML of Instruments has a stack"
					  : "the XML of Instruments has no table with stacks");
}
