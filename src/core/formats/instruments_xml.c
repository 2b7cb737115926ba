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
#include <stdlib.h>

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

/* The frame that is being read. */
typedef struct OpenFrame
{
	bool		referred;		/* it is only a reference */
	char		id[24];
	FgBuffer	name;
	uint64_t	address;
	uint32_t	binary;			/* FG_NONE: none */
	char		line[24];
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
	char		stack_id[24];
	char		tag_id[24];
	char		value_id[24];
	OpenFrame	frame;
	Row			row;
	FgBuffer	schema;
	bool		has_stacks;		/* the table has them ... */
	bool		has_weights;	/* ... and these */
	bool		has_addresses;	/* some table has stacks that are addresses without names */
	bool		is_result;
	bool		had_stacks;
	bool		has_zero;
	double		zero;
};

/* --- ids ---------------------------------------------------------------------------------- */

/* Ids are numbers of a few digits; a longer one refers to nothing. */
static void
copy_id(char to[24], const char *id)
{
	to[0] = '\0';
	if (id != NULL && strlen(id) < 24)
		memcpy(to, id, strlen(id) + 1);
}

static bool
define(FgInstrumentsXml *r, const char *id, Item item)
{
	uint32_t	number;

	if (id[0] == '\0')
		return true;
	if (!fg_names_add(&r->ids, id, strlen(id), &number))
		return false;
	if (number < r->item_count)
		return fg_xml_stream_fail(r->xml, FG_ERROR_SYNTAX, NULL, "two elements have the id %s", id);
	if (!fg_reserve(r->ctx, (void **) &r->items, &r->item_capacity, r->item_count + 1, sizeof(Item)))
		return false;
	r->items[r->item_count++] = item;
	return true;
}

/* What an element refers to; NULL with the error set where it is not there. */
static const Item *
find_item(FgInstrumentsXml *r, const char *reference, Sort sort)
{
	uint32_t	hash = fg_names_hash(&r->ids, reference, strlen(reference));
	uint32_t	number = fg_names_find(&r->ids, reference, strlen(reference), hash);

	if (number != FG_NONE && r->items[number].sort == sort)
		return &r->items[number];
	fg_xml_stream_fail(r->xml, FG_ERROR_SYNTAX, NULL, "an element refers to %.20s, which is not there",
				reference);
	return NULL;
}

/* --- frames ---------------------------------------------------------------------------------- */

static uint64_t
parse_address(const char *text)
{
	return text != NULL && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')
		? strtoull(text, NULL, 16) : 0;
}

static bool
begin_frame(FgInstrumentsXml *r, const FgXmlElement *element)
{
	const char *reference = fg_xml_stream_attribute(element, "ref");
	const char *name = fg_xml_stream_attribute(element, "name");
	const char *address = fg_xml_stream_attribute(element, "addr");
	OpenFrame  *frame = &r->frame;
	const Item *item;

	frame->referred = reference != NULL;
	if (frame->referred)
	{
		item = find_item(r, reference, FRAME);
		if (item == NULL || !fg_reserve(r->ctx, (void **) &r->frames, &r->frame_capacity,
										r->frame_count + 1, sizeof(uint32_t)))
			return false;
		r->frames[r->frame_count++] = item->number;
		return true;
	}
	copy_id(frame->id, fg_xml_stream_attribute(element, "id"));
	frame->address = parse_address(address);
	frame->binary = FG_NONE;
	frame->line[0] = '\0';
	frame->name.size = 0;
	if (name == NULL)
		name = address != NULL ? address : "";
	return fg_buffer_append(&frame->name, name, strlen(name));
}

static bool
take_binary(FgInstrumentsXml *r, const FgXmlElement *element)
{
	const char *reference = fg_xml_stream_attribute(element, "ref");
	const char *name = fg_xml_stream_attribute(element, "name");
	Binary		binary = {.load_address = parse_address(fg_xml_stream_attribute(element, "load-addr"))};
	const Item *item;
	char		id[24];

	if (element->end || r->frame.referred)
		return true;
	if (reference != NULL)
	{
		item = find_item(r, reference, BINARY);
		if (item != NULL)
			r->frame.binary = item->number;
		return item != NULL;
	}
	name = name != NULL ? name : "";
	copy_id(id, fg_xml_stream_attribute(element, "id"));
	if (!fg_names_add(&r->texts, name, strlen(name), &binary.name) ||
		!fg_reserve(r->ctx, (void **) &r->binaries, &r->binary_capacity,
					(size_t) r->binary_count + 1, sizeof(Binary)))
		return false;
	r->frame.binary = r->binary_count;
	r->binaries[r->binary_count++] = binary;
	return define(r, id, (Item) {.sort = BINARY, .number = r->frame.binary});
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
	if (lines && frame->line[0] != '\0' &&
		(!fg_buffer_append(&frame->name, ":", 1) ||
		 !fg_buffer_append(&frame->name, frame->line, strlen(frame->line))))
		return false;
	if (!fg_buffer_room(&frame->name, 1) ||
		!fg_names_add(&r->texts, (char *) frame->name.data, frame->name.size, &number) ||
		!fg_reserve(r->ctx, (void **) &r->frames, &r->frame_capacity, r->frame_count + 1,
					sizeof(uint32_t)))
		return false;
	r->frames[r->frame_count++] = number;
	return define(r, frame->id, (Item) {.sort = FRAME, .number = number});
}

/* --- stacks ---------------------------------------------------------------------------------- */

static bool
fail_stacks(FgInstrumentsXml *r)
{
	return fg_xml_stream_fail(r->xml, FG_ERROR_SYNTAX, NULL, "a row has two stacks");
}

/* A stack, or what holds one together with what Instruments says of it. */
static bool
begin_stack(FgInstrumentsXml *r, const FgXmlElement *element, char id[24])
{
	const char *reference = fg_xml_stream_attribute(element, "ref");
	const Item *item;

	if (r->row.stack != FG_NONE || r->frame_count != r->frames_taken)
		return fail_stacks(r);
	id[0] = '\0';
	r->stack_start = r->frame_count;
	if (reference == NULL)
	{
		copy_id(id, fg_xml_stream_attribute(element, "id"));
		return true;
	}
	item = find_item(r, reference, STACK);
	if (item != NULL)
		r->row.stack = item->number;
	return item != NULL;
}

static bool
end_stack(FgInstrumentsXml *r, const char *id)
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
	const char *reference = fg_xml_stream_attribute(element, "ref");
	const Item *item;
	FgNumberResult result;
	double		value;

	if (!element->end)
	{
		r->value_id[0] = '\0';
		if (reference == NULL)
		{
			copy_id(r->value_id, fg_xml_stream_attribute(element, "id"));
			return true;
		}
		/* times are kept where they are of use only: each row has one */
		if (sort == TIME && !fg_sink_is_timed(r->sink))
			return true;
		item = find_item(r, reference, sort);
		return item != NULL && set_value(r, sort, item->value);
	}
	if (element->length == 0)
		return true;
	result = fg_number_parse(r->ctx, element->text, element->length, &value);
	if (result == FG_NUMBER_MEMORY)
		return false;
	if (result != FG_NUMBER_OK)
		return fg_xml_stream_fail(r->xml, FG_ERROR_SYNTAX, NULL, "\"%.20s\" is not a number", element->text);
	if (sort == TIME && !fg_sink_is_timed(r->sink))
		return true;
	return set_value(r, sort, value) && define(r, r->value_id, (Item) {.sort = sort, .value = value});
}

static bool
take_thread(FgInstrumentsXml *r, const FgXmlElement *element)
{
	const char *reference = fg_xml_stream_attribute(element, "ref");
	const char *name = fg_xml_stream_attribute(element, "fmt");
	const Item *item;
	char		id[24];

	if (element->end)
		return true;
	if (reference != NULL)
	{
		item = find_item(r, reference, THREAD);
		if (item != NULL)
			r->row.thread = item->number;
		return item != NULL;
	}
	name = name != NULL ? name : "";
	copy_id(id, fg_xml_stream_attribute(element, "id"));
	return fg_names_add(&r->texts, name, strlen(name), &r->row.thread) &&
		define(r, id, (Item) {.sort = THREAD, .number = r->row.thread});
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
begin_schema(FgInstrumentsXml *r, const FgXmlElement *element)
{
	const char *name = fg_xml_stream_attribute(element, "name");

	name = name != NULL ? name : "";
	r->has_stacks = r->has_weights = false;
	r->schema.size = 0;
	return fg_buffer_append(&r->schema, name, strlen(name) + 1);
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
take_type(FgInstrumentsXml *r, const char *type)
{
	r->has_stacks |= strcmp(type, "backtrace") == 0 || strcmp(type, "tagged-backtrace") == 0;
	r->has_addresses |= strcmp(type, "kperf-bt") == 0;
}

static bool
take_begin(FgInstrumentsXml *r, int place, const FgXmlElement *element)
{
	switch (place)
	{
		case RESULT:
			r->is_result = true;
			return true;
		case NODE:
			return begin_node(r);
		case SCHEMA:
			return begin_schema(r, element);
		case ROW:
			r->row = (Row) {.thread = FG_NONE, .stack = FG_NONE, .weight = 1};
			return true;
		case TAGGED:
			return begin_stack(r, element, r->tag_id);
		case BACKTRACE:
			return begin_stack(r, element, r->stack_id);
		case STACK_FRAME:
			return begin_frame(r, element);
		case ADDRESSES:
			return fg_xml_stream_fail(r->xml, FG_ERROR_SYNTAX, "Export the recording with xctrace of Xcode 14.3 or later.",
									  "a stack has addresses without names");
		case FRAME_SOURCE:
			copy_id(r->frame.line, fg_xml_stream_attribute(element, "line"));
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
			r->has_weights |= strcmp(element->text, "weight") == 0;
			return true;
		case COLUMN_TYPE:
			take_type(r, element->text);
			return true;
		case ROW:
			return fg_xml_stream_at(r->xml, add_row(r));
		case TAGGED:
			return end_stack(r, r->tag_id);
		case BACKTRACE:
			return end_stack(r, r->stack_id);
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
			return element->end ? take_end(r, place, element) : take_begin(r, place, element);
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
	if (r->is_result && (r->had_stacks || r->has_stacks))
		return true;
	return fg_fail_at(r->ctx, FG_ERROR_SYNTAX, 0, 0, hint, r->has_addresses
					  ? "the stacks of this table of Instruments are addresses without names"
					  : "the XML of Instruments has no table with stacks");
}
