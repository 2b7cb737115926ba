/*
 * pprof.c
 *	  Profiles in pprof's format (gzip is undone before).
 *
 * Samples refer to locations, locations to functions and those to texts, all by
 * numbers that stand anywhere in the file; so the whole message is unpacked first,
 * by protobuf-c, which checks lengths and types.  What it makes of a message is
 * some ten times as large as the message, of a hostile one forty times, and ends
 * at a limit.  Everything that a number refers to is looked up with a check.
 *
 * Each frame is made known to a profile once, and a sample goes on from where it leaves the
 * one before (fg_sink_know, fg_sink_step).  100,000 samples of twelve frames, whose names had
 * been joined, cleaned and hashed for each, took 77 ms so and take 52, of which protobuf-c has
 * a quarter.
 */
#include "core/reading/sink.h"

#include "core/base/bytes.h"
#include "core/base/pairs.h"
#include "core/formats/profile.pb-c.h"
#include "core/reading/id_index.h"

#include <inttypes.h>
#include <stdio.h>

#define MAX_FILE_BYTES		((size_t) 512 << 20)
#define MAX_UNPACKED_BYTES	((size_t) 2 << 30)
/* The first double that is too large for an int64_t. */
#define INT64_END			9223372036854775808.0

#define ARENA_BLOCK			((size_t) FG_CHECK_BYTES)

/* --- memory of the unpacked message ------------------------------------------ */

typedef struct Block
{
	struct Block *next;
	uint64_t	bytes[];
} Block;

/* Released as a whole: there are millions of small pieces. */
typedef struct Arena
{
	FgContext  *ctx;
	Block	   *blocks;
	size_t		used;			/* of the first block */
	size_t		size;
	size_t		total;
	bool		failed;			/* ctx->error says why */
} Arena;

static void *
arena_alloc(void *data, size_t size)
{
	Arena	   *arena = data;
	size_t		rounded = (size + 15) & ~(size_t) 15;
	Block	   *block;
	void	   *piece;

	if (size > MAX_UNPACKED_BYTES || arena->total + rounded > MAX_UNPACKED_BYTES)
	{
		arena->failed = true;
		fg_fail(arena->ctx, FG_ERROR_LIMIT, "the profile takes more than %zu bytes of memory",
				MAX_UNPACKED_BYTES);
		return NULL;
	}
	if (arena->blocks == NULL || arena->size - arena->used < rounded)
	{
		arena->size = rounded > ARENA_BLOCK ? rounded : ARENA_BLOCK;
		arena->used = 0;
		block = fg_check(arena->ctx)
			? fg_alloc(arena->ctx, sizeof(Block) + arena->size, 1) : NULL;
		if (block == NULL)
		{
			arena->size = 0;
			arena->failed = true;
			return NULL;
		}
		block->next = arena->blocks;
		arena->blocks = block;
	}
	piece = (char *) arena->blocks->bytes + arena->used;
	arena->used += rounded;
	arena->total += rounded;
	return piece;
}

static void
arena_release(void *data, void *piece)
{
	(void) data;
	(void) piece;
}

static void
arena_free(Arena *arena)
{
	while (arena->blocks != NULL)
	{
		Block	   *next = arena->blocks->next;

		fg_release(arena->ctx, arena->blocks);
		arena->blocks = next;
	}
}

/* --- the place of damage --------------------------------------------------------- */

/* protobuf-c does not say where a message is broken, so that is looked up afterwards. */
typedef enum Wire
{
	WIRE_VARINT = 0,
	WIRE_64 = 1,
	WIRE_BYTES = 2,
	WIRE_32 = 5
} Wire;

typedef enum Message
{
	PROFILE,
	VALUE_TYPE,
	SAMPLE,
	MAPPING,
	LOCATION,
	LINE,
	FUNCTION,
	TEXT,
	NUMBERS,
	ANY
} Message;

/* What the field of a message is. */
static Message
field_message(Message message, uint64_t field)
{
	static const Message of_profile[] = {
		ANY, VALUE_TYPE, SAMPLE, MAPPING, LOCATION, FUNCTION, TEXT, ANY, ANY, ANY, ANY, VALUE_TYPE
	};

	if (message == PROFILE && field < sizeof(of_profile) / sizeof(of_profile[0]))
		return of_profile[field];
	if (message == SAMPLE && field <= 3)
		return field == 3 ? TEXT : NUMBERS;
	if (message == LOCATION && field == 4)
		return LINE;
	return ANY;
}

/* Is this field one number in the messages that we read? */
static bool
is_number(Message message, uint64_t field)
{
	switch (message)
	{
		case PROFILE:
			return field == 12 || field == 14;
		case MAPPING:
			return field == 1 || field == 2 || field == 4 || field == 5;
		case LOCATION:
			return field >= 1 && field <= 3;
		case FUNCTION:
			return field >= 1 && field <= 4;
		case VALUE_TYPE:
		case LINE:
			return field == 1 || field == 2;
		default:
			return false;
	}
}

/* Protobuf, unlike our own varints, allows numbers with zeros at their end. */
static bool
take_varint(FgReader *reader, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 70 && reader->next < reader->end; shift += 7)
	{
		uint8_t		byte = *reader->next++;

		if (shift < 64)
			*value |= (uint64_t) (byte & 0x7F) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

static bool
take(FgReader *reader, uint64_t count)
{
	if (count > fg_reader_left(reader))
		return false;
	reader->next += count;
	return true;
}

/* NULL when the message follows its form; else what is wrong, and where. */
static const char *
find_damage(FgReader reader, Message message, const uint8_t **where)
{
	while (reader.next < reader.end)
	{
		uint64_t	tag;
		uint64_t	length;
		Message		field;
		unsigned	wire;

		*where = reader.next;
		if (!take_varint(&reader, &tag) || tag >> 3 == 0 || tag >> 3 > UINT32_MAX >> 3)
			return "a field's number is damaged";
		wire = tag & 7;
		field = field_message(message, tag >> 3);
		if ((field < NUMBERS && wire != WIRE_BYTES) ||
			(field == NUMBERS && wire != WIRE_BYTES && wire != WIRE_VARINT) ||
			(is_number(message, tag >> 3) && wire != WIRE_VARINT))
			return "a field is of the wrong type";
		if (wire == WIRE_VARINT ? !take_varint(&reader, &length)
			: wire == WIRE_64 ? !take(&reader, 8)
			: wire == WIRE_32 ? !take(&reader, 4)
			: wire != WIRE_BYTES || !take_varint(&reader, &length))
			return "a field is cut off or of no known type";
		if (wire != WIRE_BYTES)
			continue;
		if (!take(&reader, length))
			return "a length reaches beyond the end of what it belongs to";
		if (field < TEXT)
		{
			const char *damage = find_damage((FgReader) {reader.next - length, reader.next},
											 field, where);

			if (damage != NULL)
				return damage;
		}
	}
	return NULL;
}

static bool
damaged(FgContext *ctx, const FgBuffer *data)
{
	static const char hint[] = "The file may be cut off, or it is no profile in pprof's format.";
	const uint8_t *where = data->data;
	const char *damage = find_damage((FgReader) {data->data, data->data + data->size}, PROFILE,
									 &where);

	if (damage == NULL)
		return fg_fail_at(ctx, FG_ERROR_SYNTAX, 0, 0, hint, "the message is damaged");
	return fg_fail_at(ctx, FG_ERROR_SYNTAX, 0, 0, hint, "byte %zu of the unpacked profile: %s",
					  (size_t) (where - data->data) + 1, damage);
}

/* --- what numbers refer to ---------------------------------------------------------- */

/* A frame of a location; its text is in "texts". */
typedef struct Frame
{
	size_t		start;
	size_t		length;
	uint32_t	control_characters;
} Frame;

/* A frame of the stack that was added last to a profile, from the root, and its node there. */
typedef struct Step
{
	uint32_t	frame;
	uint32_t	node;
} Step;

typedef struct Trail
{
	Step	   *steps;
	size_t		depth;
	size_t		capacity;
} Trail;

typedef struct Pprof
{
	FgSink	   *sink;
	FgContext  *ctx;
	FgBuffer	data;
	Arena		arena;
	FgPprof__Profile *profile;
	FgIdIndex	functions;
	FgIdIndex	mappings;
	FgIdIndex	locations;
	FgBuffer	texts;
	Frame	   *frames;
	size_t		frame_count;
	size_t		frame_capacity;
	size_t	   *first;			/* of each location's frames; one more at the end */

	/* the stack of a sample, the innermost frame first, and what was made of it */
	uint32_t   *stack;
	size_t		depth;
	size_t		stack_capacity;
	FgPairs		pairs;			/* a frame and a tree (tree_of) */
	FgKnownFrame *known;		/* what each pair is there */
	size_t		known_capacity;
	Trail	   *trails;			/* by tree */
	size_t		trail_count;
} Pprof;

/* All three kinds begin with their id. */
typedef struct WithId
{
	ProtobufCMessage base;
	uint64_t	id;
} WithId;

/* The ids live as long as the arena. */
static bool
make_index(Pprof *p, FgIdIndex *index, const char *what, void *const *list, size_t count)
{
	uint64_t   *ids = arena_alloc(&p->arena, count * sizeof(uint64_t));
	size_t		same[2];

	if (ids == NULL)
		return false;
	for (size_t i = 0; i < count; i++)
	{
		ids[i] = ((const WithId *) list[i])->id;
		if (ids[i] == 0)
			return fg_fail(p->ctx, FG_ERROR_SYNTAX, "%s %zu has no id", what, i + 1);
		if (!fg_check_every(p->ctx, i))
			return false;
	}
	if (fg_id_index_make(p->ctx, index, ids, count, same))
		return true;
	return same[1] > 0 && fg_fail(p->ctx, FG_ERROR_SYNTAX, "%ss %zu and %zu have the same id %" PRIu64,
								  what, same[0] + 1, same[1] + 1, ids[same[1]]);
}

/* "what" and "number" say whose text it is. */
static bool
text_at(Pprof *p, int64_t at, const char *what, size_t number, ProtobufCBinaryData *text)
{
	if (at < 0 || (uint64_t) at >= p->profile->n_string_table)
		return fg_fail(p->ctx, FG_ERROR_SYNTAX,
					   "%s %zu has text %" PRId64 ", but there are %zu texts", what, number, at,
					   p->profile->n_string_table);
	*text = p->profile->string_table[at];
	return true;
}

/* --- frames ---------------------------------------------------------------------------- */

static bool
begin_frame(Pprof *p)
{
	if (!fg_reserve(p->ctx, (void **) &p->frames, &p->frame_capacity, p->frame_count + 1,
					sizeof(Frame)))
		return false;
	p->frames[p->frame_count] = (Frame) {p->texts.size, 0, 0};
	return true;
}

static bool
end_frame(Pprof *p)
{
	Frame	   *frame = &p->frames[p->frame_count++];

	frame->length = p->texts.size - frame->start;
	for (size_t i = frame->start; i < p->texts.size; i++)
		frame->control_characters += p->texts.data[i] < 0x20 || p->texts.data[i] == 0x7F;
	return true;
}

static bool
add_line(Pprof *p, uint64_t line)
{
	char		text[32];
	int			length = snprintf(text, sizeof(text), ":%" PRIu64, line);

	return fg_buffer_append(&p->texts, text, (size_t) length);
}

static bool
add_address(Pprof *p, const char *before, uint64_t address)
{
	char		text[32];
	int			length = snprintf(text, sizeof(text), "%s0x%" PRIx64, before, address);

	return fg_buffer_append(&p->texts, text, (size_t) length);
}

/* A function's name, and its line when that is wanted. */
static bool
line_frame(Pprof *p, const FgPprof__Line *line, size_t location)
{
	FgPprof__Profile *profile = p->profile;
	bool		with_line = fg_sink_options(p->sink)->frame_style == FG_FRAME_LINE;
	const FgPprof__Function *function;
	size_t		at;
	ProtobufCBinaryData name = {0, NULL};

	if (line->function_id != 0)
	{
		at = fg_id_index_find(&p->functions, line->function_id);
		if (at == SIZE_MAX)
			return fg_fail(p->ctx, FG_ERROR_SYNTAX,
						   "location %zu has function %" PRIu64 ", which does not exist",
						   location + 1, line->function_id);
		function = profile->function[at];
		if (!text_at(p, function->name, "function", at + 1, &name))
			return false;
		if (name.len == 0 && !text_at(p, function->system_name, "function", at + 1, &name))
			return false;
	}
	return begin_frame(p) && fg_buffer_append(&p->texts, name.data, name.len) &&
		(!with_line || line->line <= 0 || add_line(p, (uint64_t) line->line)) &&
		end_frame(p);
}

/*
 * Code without a symbol: the place in its file, which stays the same from run to
 * run, or else the address.
 */
static bool
unnamed_frame(Pprof *p, const FgPprof__Location *location, size_t number)
{
	FgPprof__Profile *profile = p->profile;
	const FgPprof__Mapping *mapping;
	ProtobufCBinaryData file = {0, NULL};
	uint64_t	offset = location->address;
	size_t		base = 0;
	size_t		at;

	if (location->mapping_id != 0)
	{
		at = fg_id_index_find(&p->mappings, location->mapping_id);
		if (at == SIZE_MAX)
			return fg_fail(p->ctx, FG_ERROR_SYNTAX,
						   "location %zu has mapping %" PRIu64 ", which does not exist",
						   number + 1, location->mapping_id);
		mapping = profile->mapping[at];
		if (!text_at(p, mapping->filename, "mapping", at + 1, &file))
			return false;
		if (file.len > 0 && location->address >= mapping->memory_start)
			offset = location->address - mapping->memory_start + mapping->file_offset;
		else
			file.len = 0;
	}
	for (size_t i = 0; i < file.len; i++)
	{
		if (file.data[i] == '/' && i + 1 < file.len)
			base = i + 1;
	}
	return begin_frame(p) &&
		fg_buffer_append(&p->texts, file.len > 0 ? file.data + base : NULL, file.len - base) &&
		add_address(p, file.len > 0 ? "+" : "", offset) && end_frame(p);
}

/* The frames of a location, the innermost first. */
static bool
location_frames(Pprof *p, const FgPprof__Location *location, size_t number)
{
	if (fg_sink_options(p->sink)->frame_style == FG_FRAME_ADDRESS && location->address != 0)
		return begin_frame(p) && add_address(p, "", location->address) && end_frame(p);
	if (location->n_line == 0)
		return unnamed_frame(p, location, number);
	for (size_t i = 0; i < location->n_line; i++)
	{
		if (!line_frame(p, location->line[i], number))
			return false;
	}
	return true;
}

static bool
make_frames(Pprof *p)
{
	FgPprof__Profile *profile = p->profile;

	if (!make_index(p, &p->functions, "function", (void *const *) profile->function,
					profile->n_function) ||
		!make_index(p, &p->mappings, "mapping", (void *const *) profile->mapping,
					profile->n_mapping) ||
		!make_index(p, &p->locations, "location", (void *const *) profile->location,
					profile->n_location))
		return false;
	p->first = fg_alloc(p->ctx, profile->n_location + 1, sizeof(size_t));
	if (p->first == NULL)
		return false;
	for (size_t i = 0; i < profile->n_location; i++)
	{
		p->first[i] = p->frame_count;
		if (!fg_check_every(p->ctx, i) || !location_frames(p, profile->location[i], i))
			return false;
		if (p->texts.size > MAX_UNPACKED_BYTES)
			return fg_fail(p->ctx, FG_ERROR_LIMIT, "the names of all locations take more than %zu bytes",
						   MAX_UNPACKED_BYTES);
	}
	p->first[profile->n_location] = p->frame_count;
	return true;
}

/* --- samples ---------------------------------------------------------------------------- */

/* The words of the store for what Go, and others after it, call their types. */
static const char *
event_of(const char *type)
{
	static const char *const events[][2] = {
		{"alloc_space", "alloc"}, {"delay", "lock"}, {"exception", "exception"}
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
	{
		if (strcmp(type, events[i][0]) == 0)
			return events[i][1];
	}
	return type;
}

/* A copy as a C string; none of these is long. */
static bool
type_text(Pprof *p, int64_t at, size_t number, char **copy)
{
	ProtobufCBinaryData text = {0, NULL};

	if (!text_at(p, at, "sample type", number + 1, &text))
		return false;
	if (text.len > 1000 || (text.len > 0 && memchr(text.data, '\0', text.len) != NULL) ||
		fg_utf8_prefix((char *) text.data, text.len) != text.len)
		return fg_fail(p->ctx, FG_ERROR_SYNTAX, "the name of sample type %zu is no text",
					   number + 1);
	*copy = arena_alloc(&p->arena, text.len + 1);
	if (*copy == NULL)
		return false;
	if (text.len > 0)
		memcpy(*copy, text.data, text.len);
	(*copy)[text.len] = '\0';
	return true;
}

/* The number of the profile for each sample type. */
static bool
make_profiles(Pprof *p, uint32_t *numbers)
{
	FgPprof__Profile *profile = p->profile;
	const FgPprof__ValueType *period = profile->period_type;
	size_t		count = profile->n_sample_type;
	FgKind	   *kinds = arena_alloc(&p->arena, (count + 1) * sizeof(FgKind));
	char	   *preferred = "";

	if (kinds == NULL ||
		(profile->default_sample_type != 0 &&
		 !type_text(p, profile->default_sample_type, count, &preferred)))
		return false;
	for (size_t i = 0; i < count; i++)
	{
		const FgPprof__ValueType *type = profile->sample_type[i];
		char	   *name = "";
		char	   *unit = "";

		if (!type_text(p, type->type, i, &name) || !type_text(p, type->unit, i, &unit))
			return false;
		kinds[i] = (FgKind) {event_of(name), name, unit, 0};
		if (period != NULL && period->type == type->type && period->unit == type->unit)
			kinds[i].period = (double) profile->period;
	}
	if (!fg_sink_default(p->sink, preferred[0] != '\0' ? preferred : kinds[count - 1].name))
		return false;
	for (size_t i = 0; i < count; i++)
	{
		if (!fg_sink_profile(p->sink, &kinds[i], &numbers[i]))
			return false;
		for (size_t k = 0; k < i; k++)
		{
			if (strcmp(kinds[k].name, kinds[i].name) == 0 && strcmp(kinds[k].unit, kinds[i].unit) == 0)
				return fg_fail(p->ctx, FG_ERROR_SYNTAX, "sample types %zu and %zu are both %.80s in %.80s",
							   k + 1, i + 1, kinds[i].name, kinds[i].unit);
		}
	}
	return true;
}

/* A frame of the sample, which has so many bytes already; frames are counted as the sink does. */
static bool
collect_frame(Pprof *p, size_t frame, size_t *bytes)
{
	size_t		length = p->frames[frame].length;
	FgNoted    *noted = fg_sink_noted(p->sink);

	if (p->depth > FG_MAX_DEPTH)
		return fg_fail(p->ctx, FG_ERROR_LIMIT, "a stack has more than %u frames", FG_MAX_DEPTH);
	if (length > FG_MAX_BYTES - *bytes)
		return fg_fail(p->ctx, FG_ERROR_LIMIT, "a stack has more than %u bytes", FG_MAX_BYTES);
	if (!fg_reserve(p->ctx, (void **) &p->stack, &p->stack_capacity, p->depth + 1,
					sizeof(uint32_t)))
		return false;
	*bytes += length;
	noted->unknown_frames += length == 0;
	noted->control_characters += p->frames[frame].control_characters;
	p->stack[p->depth++] = (uint32_t) frame;
	return true;
}

static bool
collect_stack(Pprof *p, const FgPprof__Sample *sample, size_t number)
{
	size_t		bytes = 0;

	p->depth = 0;
	for (size_t i = 0; i < sample->n_location_id; i++)
	{
		uint64_t	id = sample->location_id[i];
		size_t		at = fg_id_index_find(&p->locations, id);

		if (at == SIZE_MAX)
			return fg_fail(p->ctx, FG_ERROR_SYNTAX,
						   "sample %zu has location %" PRIu64 ", which does not exist",
						   number + 1, id);
		for (size_t f = p->first[at]; f < p->first[at + 1]; f++)
		{
			if (!collect_frame(p, f, &bytes))
				return false;
		}
	}
	return true;
}

/* Complete and truncated stacks of a profile are different trees. */
static uint32_t
tree_of(const FgStackPlace *place)
{
	return place->number * 2 + place->truncated;
}

static bool
know_frame(Pprof *p, uint32_t at, const FgStackPlace *place, FgKnownFrame *known)
{
	const Frame *frame = &p->frames[at];
	uint32_t	number = fg_pairs_find(&p->pairs, at, tree_of(place));

	if (number != FG_NONE)
	{
		*known = p->known[number];
		return true;
	}
	if (!fg_sink_know(p->sink, place->number, place->truncated,
					  (char *) p->texts.data + frame->start, frame->length, known) ||
		!fg_reserve(p->ctx, (void **) &p->known, &p->known_capacity, (size_t) p->pairs.count + 1,
					sizeof(FgKnownFrame)) ||
		!fg_pairs_add(&p->pairs, at, tree_of(place), &number))
		return false;
	p->known[number] = *known;
	return true;
}

/* The node of the collected stack, from where it leaves the one before. */
static bool
find_place(Pprof *p, FgStackPlace *place)
{
	Trail	   *trail = &p->trails[tree_of(place)];
	size_t		at = 0;

	while (at < p->depth && at < trail->depth && trail->steps[at].frame == p->stack[p->depth - 1 - at])
		at++;
	trail->depth = at;
	place->node = at > 0 ? trail->steps[at - 1].node : 0;
	if (!fg_reserve(p->ctx, (void **) &trail->steps, &trail->capacity, p->depth, sizeof(Step)))
		return false;
	for (; at < p->depth; at++)
	{
		uint32_t	frame = p->stack[p->depth - 1 - at];
		FgKnownFrame known;

		if (!know_frame(p, frame, place, &known) ||
			!fg_sink_step(p->sink, place->number, place->truncated, &known, &place->node))
			return false;
		trail->steps[at] = (Step) {frame, place->node};
		trail->depth = at + 1;
	}
	return true;
}

static bool
add_value(Pprof *p, uint32_t number, double value)
{
	FgStackPlace place = {
		.number = number,
		.truncated = fg_sink_is_deep(p->sink, p->depth),
		.without_stack = p->depth == 0
	};

	if (number != FG_UNWANTED)
		return find_place(p, &place) && fg_sink_add_at(p->sink, &place, value);
	fg_sink_noted(p->sink)->other_events++;
	return true;
}

/* Which sample an error of the sink is about, unless it is about none. */
static bool
blame_sample(Pprof *p, size_t number)
{
	FgError    *error = &p->ctx->error;
	char		reason[sizeof(error->reason)];

	if (error->code != FG_ERROR_ENCODING && error->code != FG_ERROR_LIMIT &&
		error->code != FG_ERROR_RANGE)
		return false;
	memcpy(reason, error->reason, sizeof(reason));
	reason[sizeof(reason) - 40] = '\0';
	return fg_fail(p->ctx, error->code, "sample %zu: %s", number + 1, reason);
}

static bool
add_values(Pprof *p, const FgPprof__Sample *sample, size_t number, const uint32_t *numbers)
{
	for (size_t t = 0; t < sample->n_value; t++)
	{
		int64_t		value = sample->value[t];

		if ((double) value >= INT64_END || (int64_t) (double) value != value)
			return fg_fail(p->ctx, FG_ERROR_RANGE,
						   "value %zu of sample %zu, %" PRId64 ", is too large to be kept exactly",
						   t + 1, number + 1, value);
		/* a sample that counts for another type only */
		if (value == 0 && sample->n_value > 1)
			continue;
		if (!add_value(p, numbers[t], (double) value))
			return blame_sample(p, number);
	}
	return true;
}

static bool
add_samples(Pprof *p)
{
	FgPprof__Profile *profile = p->profile;
	uint32_t   *numbers;

	if (profile->n_sample_type == 0)
		return fg_fail(p->ctx, FG_ERROR_SYNTAX, "the profile has no sample type");
	numbers = arena_alloc(&p->arena, profile->n_sample_type * sizeof(uint32_t));
	p->trails = fg_alloc_zero(p->ctx, profile->n_sample_type * 2, sizeof(Trail));
	if (numbers == NULL || p->trails == NULL || !make_profiles(p, numbers))
		return false;
	p->trail_count = profile->n_sample_type * 2;
	for (size_t i = 0; i < profile->n_sample; i++)
	{
		const FgPprof__Sample *sample = profile->sample[i];

		if (sample->n_value != profile->n_sample_type)
			return fg_fail(p->ctx, FG_ERROR_SYNTAX,
						   "sample %zu has %zu values, but there are %zu sample types", i + 1,
						   sample->n_value, profile->n_sample_type);
		fg_sink_noted(p->sink)->labels += sample->n_label;
		if (!collect_stack(p, sample, i) || !add_values(p, sample, i, numbers) ||
			!fg_steps(p->ctx, p->depth * sample->n_value))
			return false;
	}
	return true;
}

/* --- the reader -------------------------------------------------------------------------- */

static void *
pprof_begin(FgSink *sink)
{
	FgContext  *ctx = fg_sink_context(sink);
	Pprof	   *p = fg_alloc_zero(ctx, 1, sizeof(Pprof));

	if (p == NULL)
		return NULL;
	p->sink = sink;
	p->ctx = ctx;
	p->data.ctx = p->texts.ctx = p->arena.ctx = p->pairs.ctx = ctx;
	if (fg_pairs_begin(ctx, &p->pairs))
		return p;
	fg_release(ctx, p);
	return NULL;
}

static bool
pprof_feed(void *state, const char *bytes, size_t size)
{
	Pprof	   *p = state;

	if (size > MAX_FILE_BYTES - p->data.size)
		return fg_fail(p->ctx, FG_ERROR_LIMIT, "a pprof profile is longer than %zu bytes",
					   MAX_FILE_BYTES);
	return fg_buffer_append(&p->data, bytes, size);
}

static bool
pprof_finish(void *state)
{
	Pprof	   *p = state;
	ProtobufCAllocator allocator = {arena_alloc, arena_release, &p->arena};

	p->profile = fg_pprof__profile__unpack(&allocator, p->data.size, p->data.data);
	if (p->profile == NULL)
		return p->arena.failed ? false : damaged(p->ctx, &p->data);
	return make_frames(p) && add_samples(p);
}

static void
pprof_free(void *state)
{
	Pprof	   *p = state;

	if (p == NULL)
		return;
	arena_free(&p->arena);
	fg_release(p->ctx, p->data.data);
	fg_release(p->ctx, p->texts.data);
	fg_release(p->ctx, p->frames);
	fg_release(p->ctx, p->first);
	fg_release(p->ctx, p->stack);
	fg_release(p->ctx, p->known);
	fg_pairs_free(&p->pairs);
	for (size_t i = 0; i < p->trail_count; i++)
		fg_release(p->ctx, p->trails[i].steps);
	fg_release(p->ctx, p->trails);
	fg_id_index_free(p->ctx, &p->functions);
	fg_id_index_free(p->ctx, &p->mappings);
	fg_id_index_free(p->ctx, &p->locations);
	fg_release(p->ctx, p);
}

/* Of the version of profile.proto that is read here. */
#define LAST_PROFILE_FIELD 15

/* Is this the field of a profile, of the type that it has? */
static bool
is_profile_field(uint64_t tag)
{
	uint64_t	field = tag >> 3;
	uint64_t	wire = tag & 7;

	if ((field >= 1 && field <= 6) || field == 11)
		return wire == WIRE_BYTES;
	if (field == 13)
		return wire == WIRE_BYTES || wire == WIRE_VARINT;
	/* of later versions of profile.proto */
	if (field > LAST_PROFILE_FIELD && field < 2 * LAST_PROFILE_FIELD)
		return wire == WIRE_BYTES || wire == WIRE_VARINT;
	return field >= 7 && field <= 15 && wire == (field == 15 ? WIRE_BYTES : WIRE_VARINT);
}

/*
 * Fields of a profile one after the other, in any order, as far as the head reaches,
 * and some message among them: the tags of messages are control characters, which
 * text has none of.
 */
static bool
pprof_recognise(const char *head, size_t size, bool whole)
{
	FgReader	reader = {(const uint8_t *) head, (const uint8_t *) head + size};
	int			messages = 0;

	while (reader.next < reader.end)
	{
		uint64_t	tag;
		uint64_t	length;
		const uint8_t *where;

		if (!take_varint(&reader, &tag))
			break;
		if (!is_profile_field(tag))
			return false;
		if (!take_varint(&reader, &length))
			break;
		if ((tag & 7) == WIRE_VARINT)
			continue;
		if (!take(&reader, length))
			break;
		if (tag >> 3 == 13 || tag >> 3 >= LAST_PROFILE_FIELD ||
			field_message(PROFILE, tag >> 3) == TEXT)
			continue;
		if (find_damage((FgReader) {reader.next - length, reader.next},
						field_message(PROFILE, tag >> 3), &where) != NULL)
			return false;
		messages += length > 0;
	}
	return messages > 0 && (!whole || reader.next == reader.end);
}

const FgFormatReader fg_pprof_reader = {
	.format = FG_FORMAT_PPROF,
	.recognise = pprof_recognise,
	.begin = pprof_begin,
	.feed = pprof_feed,
	.finish = pprof_finish,
	.free = pprof_free
};
