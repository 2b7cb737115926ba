/*
 * otlp.c
 *	  Profiles of OpenTelemetry (OTLP, ProfilesData or a request that exports it), as the
 *	  development version of the protocol has them; gzip is undone before.
 *
 * The dictionary stands behind the profiles that refer to it, and one message may have millions
 * of samples.  So the message is kept until its end, and then read twice: first the dictionary
 * (otlp_tables.h), then profile by profile (otlp_profiles.h).  Memory is that of the message, of
 * the numbers in the dictionary, and of the result.
 *
 * The collector writes many messages into a file, each behind its length in four bytes, with a
 * dictionary of its own.  They are read one after the other, and only one is in memory.
 *
 * JSON is written again as such a message, of what is read here (otlp_json.h).
 */
#include "core/pprof/otlp_json.h"
#include "core/pprof/otlp_message.h"
#include "core/pprof/otlp_profiles.h"

typedef struct Otlp
{
	FgSink	   *sink;
	FgContext  *ctx;
	bool		begun;
	bool		many;			/* messages behind their lengths */
	uint8_t		head[FG_OTLP_HEAD_BYTES];	/* of the next one */
	size_t		head_size;
	size_t		wanted;			/* bytes of the message */
	uint64_t	place;			/* of the next byte of the input */
	FgBuffer	message;
	FgOtlpJson *json;			/* what it comes from; NULL: it comes as it is */
	FgWireInput input;
	bool		has_dictionary;
	FgOtlpTables tables;
	FgOtlpProfiles profiles;
} Otlp;

static FgWire
whole_message(const Otlp *o)
{
	const uint8_t *bytes = o->message.data;
	FgWire		wire = {&o->input, bytes, bytes};

	/* an empty message may have no memory */
	if (o->message.size > 0)
		wire.end += o->message.size;
	return wire;
}

/* The dictionary, or the profiles. */
static bool
take_all(Otlp *o, uint32_t wanted)
{
	FgWire		wire = whole_message(o);

	while (fg_wire_more(&wire))
	{
		FgWireField field;
		FgWire		inner;

		if (!fg_wire_take(&wire, &field))
			return false;
		if (field.number != wanted)
			continue;
		if (!fg_wire_inner(&wire, &field, &inner) ||
			!(wanted == FG_OTLP_RESOURCES ? fg_otlp_profiles_take(&o->profiles, &inner)
			  : fg_otlp_tables_take(&o->tables, &inner)))
			return false;
		o->has_dictionary |= wanted == FG_OTLP_DICTIONARY;
	}
	return true;
}

static bool
check_dictionary(const Otlp *o)
{
	static const char hint[] = "It may hold traces, logs or metrics, or profiles of the protocol before version 1.7.";

	if (!o->has_dictionary)
		return fg_fail_at(o->ctx, FG_ERROR_SYNTAX, 0, 0, hint, "the message has no dictionary of profiles");
	if (o->tables.text_count == 0 || o->tables.texts[0].length > 0)
		return fg_fail_at(o->ctx, FG_ERROR_SYNTAX, 0, 0, hint,
						  "the first text of the dictionary is not the empty one");
	return true;
}

/* JSON has names, and is written again in the current one. */
static bool
find_schema(const Otlp *o, FgOtlpSchema *schema)
{
	*schema = fg_otlp_current_schema;
	return o->json != NULL ||
		fg_otlp_find_schema(o->ctx, whole_message(o), o->tables.attribute_count, o->tables.link_count, schema);
}

/* The message that has come, which is then forgotten. */
static bool
take_message(Otlp *o)
{
	FgOtlpSchema schema;

	o->input.start = o->message.data;
	o->input.place = o->place - o->message.size;
	o->has_dictionary = false;
	if (!take_all(o, FG_OTLP_DICTIONARY) || !check_dictionary(o))
		return false;
	if (!find_schema(o, &schema) || !fg_otlp_samples_begin_message(&o->profiles.samples, schema) ||
		!take_all(o, FG_OTLP_RESOURCES))
		return false;
	fg_otlp_samples_end_message(&o->profiles.samples);
	fg_otlp_tables_free(&o->tables);
	fg_otlp_tables_begin(o->ctx, &o->tables, fg_sink_options(o->sink)->frame_style);
	o->message.size = o->head_size = 0;
	return true;
}

static bool
append(Otlp *o, const char *bytes, size_t size)
{
	if (size > FG_OTLP_MAX_BYTES - o->message.size)
		return fg_fail_at(o->ctx, FG_ERROR_LIMIT, 0, 0, "Export less at a time.",
						  "a message has more than %zu bytes", FG_OTLP_MAX_BYTES);
	o->place += size;
	return fg_work(o->ctx, size) && fg_buffer_append(&o->message, bytes, size);
}

/* A byte of a length, which stands in front of each of many messages. */
static void
take_head(Otlp *o, char byte)
{
	o->head[o->head_size++] = (uint8_t) byte;
	o->place++;
	if (o->head_size == FG_OTLP_HEAD_BYTES)
		o->wanted = (size_t) o->head[0] << 24 | (size_t) o->head[1] << 16 | (size_t) o->head[2] << 8 | o->head[3];
}

static bool
feed_many(Otlp *o, const char *bytes, size_t size)
{
	while (size > 0)
	{
		size_t		part;

		if (o->head_size < FG_OTLP_HEAD_BYTES)
		{
			take_head(o, *bytes++);
			size--;
		}
		part = o->head_size < FG_OTLP_HEAD_BYTES ? 0 : o->wanted - o->message.size;
		part = part < size ? part : size;
		if (!append(o, bytes, part) ||
			(o->head_size == FG_OTLP_HEAD_BYTES && o->message.size == o->wanted && !take_message(o)))
			return false;
		bytes += part;
		size -= part;
	}
	return true;
}

static bool
take_json(void *arg)
{
	Otlp	   *o = arg;

	o->place = o->message.size;
	return take_message(o);
}

/* The first byte tells what it is. */
static bool
begin_input(Otlp *o, char first)
{
	o->begun = true;
	o->many = (uint8_t) first < FG_OTLP_FIRST_TAG;
	if (fg_otlp_is_json(first))
		o->json = fg_otlp_json_open(o->ctx, &o->message, take_json, o);
	return !fg_otlp_is_json(first) || o->json != NULL;
}

static bool
otlp_feed(void *state, const char *bytes, size_t size)
{
	Otlp	   *o = state;

	if (size > 0 && !o->begun && !begin_input(o, bytes[0]))
		return false;
	if (o->json != NULL)
		return fg_otlp_json_feed(o->json, bytes, size);
	return o->many ? feed_many(o, bytes, size) : append(o, bytes, size);
}

static bool
otlp_finish(void *state)
{
	Otlp	   *o = state;

	if (o->many && o->head_size > 0)
		return fg_fail_at(o->ctx, FG_ERROR_SYNTAX, 0, 0, o->input.hint, "the last message ends too early");
	if (o->json != NULL ? !fg_otlp_json_finish(o->json) : !o->many && !take_message(o))
		return false;
	return o->profiles.samples.profiles > 0 || fg_fail(o->ctx, FG_ERROR_SYNTAX, "there are no profiles");
}

static void
otlp_free(void *state)
{
	Otlp	   *o = state;

	if (o == NULL)
		return;
	fg_otlp_profiles_free(&o->profiles);
	fg_otlp_tables_free(&o->tables);
	fg_otlp_json_close(o->json);
	fg_release(o->ctx, o->message.data);
	fg_release(o->ctx, o);
}

static void *
otlp_begin(FgSink *sink)
{
	FgContext  *ctx = fg_sink_context(sink);
	Otlp	   *o = fg_alloc_zero(ctx, 1, sizeof(Otlp));

	if (o == NULL)
		return NULL;
	o->sink = sink;
	o->ctx = o->message.ctx = ctx;
	o->input = (FgWireInput) {
		.ctx = ctx, .name = "the unpacked file",
		.hint = "The file may be cut off, or it holds no OTLP profiles."
	};
	fg_otlp_tables_begin(ctx, &o->tables, fg_sink_options(sink)->frame_style);
	fg_otlp_profiles_begin(&o->profiles, sink, &o->tables);
	fg_sink_ticks(sink, 1e9);
	return o;
}

const FgFormatReader fg_otlp_reader = {
	.format = FG_FORMAT_OTLP,
	.recognise = fg_otlp_recognise,
	.begin = otlp_begin,
	.feed = otlp_feed,
	.finish = otlp_finish,
	.free = otlp_free
};
