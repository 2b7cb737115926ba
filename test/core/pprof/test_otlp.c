/*
 * test_otlp.c
 *	  OTLP profiles: messages are written field by field after the development version of its
 *	  .proto files, and what they come to was worked out by hand.  The same messages as JSON,
 *	  with the names of those files, come to the same.
 */
#include "messages.h"
#include "recordings.h"

#include "core/pprof/otlp_json.h"
#include "core/reading/wire.h"

#include <inttypes.h>
#include <stdarg.h>

/* A message of up to four numbers, in fields 1 to 4; 0 is not written. */
static void
numbers(Message *m, unsigned field, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	const uint64_t values[] = {a, b, c, d};

	begin_message(m, field);
	for (int i = 0; i < 4; i++)
	{
		if (values[i] != 0)
			put_number(m, (unsigned) i + 1, values[i]);
	}
	end_message(m);
}

static void
location(Message *m, uint64_t mapping, uint64_t address, uint64_t function, uint64_t line, uint64_t inlined_by)
{
	begin_message(m, 2);
	put_number(m, 1, mapping);
	put_number(m, 2, address);
	if (function != 0)
		numbers(m, 3, function, line, 7, 0);
	if (inlined_by != 0)
		numbers(m, 3, inlined_by, 20, 0, 0);
	end_message(m);
}

/* Packed, the leaf first. */
static void
stack(Message *m, uint64_t a, uint64_t b)
{
	begin_message(m, 7);
	begin_message(m, 1);
	put_varint(m, a);
	put_varint(m, b);
	end_message(m);
	end_message(m);
}

static void
put_dictionary(Message *m)
{
	static const char *const texts[] = {
		"", "samples", "count", "cpu", "nanoseconds", "main", "work", "inner", "/usr/lib/libx.so.6", "thread.name",
		"thread.id", "_Z3foov", "allocated_space", "bytes", "other"
	};

	begin_message(m, 2);
	numbers(m, 1, 0, 0, 0, 0);
	numbers(m, 1, 0x1000, 0x2000, 0x500, 8);
	location(m, 0, 0, 0, 0, 0);
	location(m, 0, 0x10, 1, 5, 0);
	location(m, 0, 0x20, 3, 9, 2);
	location(m, 1, 0x1010, 0, 0, 0);
	location(m, 1, 0x2001, 0, 0, 0);
	location(m, 0, 0x40, 4, 0, 0);
	numbers(m, 3, 0, 0, 0, 0);
	numbers(m, 3, 5, 0, 0, 0);
	numbers(m, 3, 6, 0, 0, 0);
	numbers(m, 3, 7, 0, 0, 0);
	numbers(m, 3, 0, 11, 0, 0);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		put_text(m, 5, texts[i]);
	begin_message(m, 6);
	end_message(m);
	begin_message(m, 6);
	put_number(m, 1, 9);
	begin_message(m, 2);
	put_text(m, 1, "web");
	end_message(m);
	end_message(m);
	begin_message(m, 6);
	put_number(m, 1, 10);
	begin_message(m, 2);
	put_number(m, 3, 77);
	end_message(m);
	end_message(m);
	numbers(m, 6, 14, 0, 0, 0);
	numbers(m, 6, 14, 0, 0, 0);
	begin_message(m, 7);
	end_message(m);
	stack(m, 2, 1);
	stack(m, 3, 4);
	stack(m, 5, 0);
	end_message(m);
}

typedef struct Given
{
	uint64_t	stack;
	uint64_t	attribute;		/* and the next one; 0: none */
	int			values;
	int64_t		value;			/* the first one, the others are greater by one each */
	int			times;
	uint64_t	time;			/* the first one, the others 10 later each */
} Given;

/* Of a sample: those of the current version, but for test_earlier_schema. */
static unsigned attributes_field = 2;
static unsigned values_field = 4;

static void
put_sample(Message *m, Given given)
{
	begin_message(m, 2);
	put_number(m, 1, given.stack);
	if (given.attribute != 0)
	{
		begin_message(m, attributes_field);
		put_varint(m, given.attribute);
		put_varint(m, given.attribute + 1);
		end_message(m);
	}
	for (int i = 0; i < given.values; i++)
		put_number(m, values_field, (uint64_t) (given.value + i));
	if (given.times > 0)
	{
		begin_message(m, 5);
		for (int i = 0; i < given.times; i++)
		{
			for (int shift = 0; shift < 64; shift += 8)
				m->bytes[m->size++] = (uint8_t) ((given.time + 10 * (uint64_t) i) >> shift);
		}
		end_message(m);
	}
	end_message(m);
}

/* Samples end with one that has all bits of its stack. */
static void
put_profile(Message *m, uint64_t type, uint64_t unit, uint64_t period, const Given *samples)
{
	begin_message(m, 2);
	for (; samples->stack != UINT64_MAX; samples++)
		put_sample(m, *samples);
	numbers(m, 1, type, unit, 0, 0);
	numbers(m, 5, 3, 4, 0, 0);
	put_number(m, 6, period);
	put_text(m, 9, "pprof");
	end_message(m);
}

static void
begin_resource(Message *m)
{
	begin_message(m, 1);
	begin_message(m, 1);
	end_message(m);
	begin_message(m, 2);
	put_text(m, 3, "https://schema");
}

static void
end_resource(Message *m)
{
	end_message(m);
	put_text(m, 3, "https://schema");
	end_message(m);
}

#define LAST {.stack = UINT64_MAX}

/* As the eBPF profiler writes them: times, of which each is a sample. */
static void
put_times(Message *m)
{
	static const Given samples[] = {
		{1, 1, 0, 0, 3, UINT64_C(1700000000000000000)}, {2, 0, 0, 0, 1, UINT64_C(1700000000000000005)},
		{1, 2, 0, 0, 1, UINT64_C(1699999999999999999)}, {3, 3, 0, 0, 1, UINT64_C(1700000000000000007)}, LAST
	};

	begin_resource(m);
	put_profile(m, 1, 2, 50, samples);
	end_resource(m);
	put_dictionary(m);
}

/* Sums and values with times, of two types, in two resources; the dictionary comes first. */
static void
put_sums(Message *m)
{
	static const Given cpu[] = {{1, 0, 1, 500, 0, 0}, {2, 0, 2, 7, 0, 0}, {1, 0, 1, 1, 0, 0}, {0, 0, 1, 3, 0, 0}, LAST};
	static const Given alloc[] = {{3, 0, 3, 64, 3, 1000}, LAST};
	static const Given more[] = {{1, 0, 1, -2, 0, 0}, LAST};

	put_dictionary(m);
	begin_resource(m);
	put_profile(m, 3, 4, 9, cpu);
	put_profile(m, 12, 13, 0, alloc);
	end_resource(m);
	begin_resource(m);
	put_profile(m, 3, 4, 9, more);
	end_resource(m);
}

/* Both, as the collector's exporter of files writes messages. */
static void
put_both(Message *m)
{
	Message		one = {.size = 0};

	for (int i = 0; i < 3; i++)
	{
		one.size = 0;
		(i == 1 ? put_times : put_sums) (&one);
		for (int shift = 24; shift >= 0; shift -= 8)
			m->bytes[m->size++] = (uint8_t) (one.size >> shift);
		memcpy(m->bytes + m->size, one.bytes, one.size);
		m->size += one.size;
	}
}

/* --- the same as JSON --------------------------------------------------------------------- */

enum
{
	DATA, RESOURCE, SCOPE, PROFILE, TYPE, SAMPLE, DICTIONARY, MAPPING, LOCATION, LINE, FUNCTION, ATTRIBUTE, ANY, STACK, EMPTY
};

/* Fields of messages: N number, Q number of 64 bits, F eight bytes, T text, else a message; lists have a '*'. */
static const struct
{
	int			message;
	uint32_t	number;
	const char *form;
	const char *name;
	int			inner;
}			fields[] = {
	{DATA, 1, "M*", "resourceProfiles", RESOURCE}, {DATA, 2, "M", "dictionary", DICTIONARY},
	{RESOURCE, 1, "M", "resource", EMPTY}, {RESOURCE, 2, "M*", "scopeProfiles", SCOPE}, {RESOURCE, 3, "T", "schemaUrl", 0},
	{SCOPE, 2, "M*", "profiles", PROFILE}, {SCOPE, 3, "T", "schemaUrl", 0},
	{PROFILE, 1, "M", "sampleType", TYPE}, {PROFILE, 2, "M*", "samples", SAMPLE}, {PROFILE, 5, "M", "periodType", TYPE},
	{PROFILE, 6, "Q", "period", 0}, {PROFILE, 9, "T", "originalPayloadFormat", 0},
	{TYPE, 1, "N", "typeStrindex", 0}, {TYPE, 2, "N", "unitStrindex", 0},
	{SAMPLE, 1, "N", "stackIndex", 0}, {SAMPLE, 2, "N*", "attributeIndices", 0}, {SAMPLE, 4, "Q*", "values", 0},
	{SAMPLE, 5, "F*", "timestampsUnixNano", 0},
	{DICTIONARY, 1, "M*", "mappingTable", MAPPING}, {DICTIONARY, 2, "M*", "locationTable", LOCATION},
	{DICTIONARY, 3, "M*", "functionTable", FUNCTION}, {DICTIONARY, 5, "T*", "stringTable", 0},
	{DICTIONARY, 6, "M*", "attributeTable", ATTRIBUTE}, {DICTIONARY, 7, "M*", "stackTable", STACK},
	{MAPPING, 1, "Q", "memoryStart", 0}, {MAPPING, 2, "Q", "memoryLimit", 0}, {MAPPING, 3, "Q", "fileOffset", 0},
	{MAPPING, 4, "N", "filenameStrindex", 0},
	{LOCATION, 1, "N", "mappingIndex", 0}, {LOCATION, 2, "Q", "address", 0}, {LOCATION, 3, "M*", "lines", LINE},
	{LINE, 1, "N", "functionIndex", 0}, {LINE, 2, "Q", "line", 0}, {LINE, 3, "Q", "column", 0},
	{FUNCTION, 1, "N", "nameStrindex", 0}, {FUNCTION, 2, "N", "systemNameStrindex", 0},
	{ATTRIBUTE, 1, "N", "keyStrindex", 0}, {ATTRIBUTE, 2, "M", "value", ANY},
	{ANY, 1, "T", "stringValue", 0}, {ANY, 3, "Q", "intValue", 0}, {STACK, 1, "N*", "locationIndices", 0}
};

typedef struct Text
{
	char		bytes[65536];
	size_t		size;
	bool		plain;			/* numbers of 64 bits are no texts */
} Text;

static void __attribute__((format(printf, 2, 3)))
print(Text *t, const char *format,...)
{
	va_list		args;

	va_start(args, format);
	t->size += (size_t) vsnprintf(t->bytes + t->size, sizeof(t->bytes) - t->size, format, args);
	va_end(args);
}

static void print_message(Text *t, const FgWire *wire, int message);

/* Texts have nothing that needs an escape. */
static void
print_value(Text *t, const FgWire *wire, const FgWireField *field, size_t i, const char **comma)
{
	char		form = fields[i].form[0];
	FgWire		inner;
	uint64_t	value;

	fg_wire_inner(wire, field, &inner);
	if (form == 'M')
	{
		print(t, "%s", *comma);
		print_message(t, &inner, fields[i].inner);
	}
	else if (form == 'T')
		print(t, "%s\"%.*s\"", *comma, (int) field->size, (const char *) field->bytes);
	else if (form == 'F')
	{
		for (; fg_wire_more(&inner); inner.next += 8, *comma = ",")
			print(t, "%s\"%" PRIu64 "\"", *comma, fg_load_le(inner.next, 8));
	}
	else if (field->type == FG_WIRE_BYTES)
	{
		for (; fg_wire_more(&inner) && fg_wire_next(&inner, &value); *comma = ",")
			print(t, "%s%" PRId64, *comma, (int64_t) value);
	}
	else
		print(t, form == 'N' || t->plain ? "%s%" PRId64 : "%s\"%" PRId64 "\"", *comma, (int64_t) field->value);
	*comma = ",";
}

static void
print_message(Text *t, const FgWire *wire, int message)
{
	const char *next = "";

	print(t, "{");
	for (size_t i = 0; i < COUNT(fields); i++)
	{
		bool		list = fields[i].form[1] == '*';
		const char *comma = "";
		FgWire		rest = *wire;
		FgWireField field;

		if (fields[i].message != message)
			continue;
		print(t, "%s\"%s\": %s", next, fields[i].name, list ? "[" : "");
		while (fg_wire_more(&rest) && fg_wire_take(&rest, &field))
		{
			if (field.number == fields[i].number)
				print_value(t, wire, &field, i, &comma);
		}
		print(t, "%s", list ? "]" : *comma == '\0' ? "null" : "");
		next = ", ";
	}
	print(t, "}\n");
}

/* Messages behind their lengths become lines. */
static void
print_json(Text *t, const Message *m)
{
	FgWireInput input = {.start = m->bytes};
	bool		many = m->bytes[0] == 0;
	size_t		size = m->size;

	t->size = 0;
	for (size_t at = 0; at < m->size; at += size)
	{
		FgWire		wire;

		if (many)
		{
			size = (size_t) m->bytes[at + 2] << 8 | m->bytes[at + 3];
			at += 4;
		}
		wire = (FgWire) {&input, m->bytes + at, m->bytes + at + size};
		print_message(t, &wire, DATA);
	}
}

static void
check_bytes(const void *bytes, size_t size, FgReadOptions options, const char *event, const char *unit,
			double period, const char *complete)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgRecording recording;

	if (!CHECK(recording_read(&ctx, bytes, size, 0, &options, &recording)))
	{
		printf("    byte %u: %s\n", (unsigned) ctx.error.column, ctx.error.reason);
		return;
	}
	CHECK(recording.format == FG_FORMAT_OTLP && recording.count == 1);
	CHECK(strcmp(recording.profiles[0].event, event) == 0);
	CHECK(strcmp(recording.profiles[0].unit, unit) == 0);
	CHECK(recording.profiles[0].period == period);
	recording_is(&ctx, &recording.profiles[0].complete, complete);
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

static void
check(const char *name, void (*put) (Message *m), FgReadOptions options, const char *event, const char *unit,
	  double period, const char *complete)
{
	Message		m = {.size = 0};
	Text		text = {.size = 0};

	unit_case("%s", name);
	put(&m);
	check_bytes(m.bytes, m.size, options, event, unit, period, complete);
	for (int plain = 0; plain < 2; plain++)
	{
		unit_case("%s as JSON", name);
		text.plain = plain == 1;
		print_json(&text, &m);
		check_bytes(text.bytes, text.size, options, event, unit, period, complete);
	}
}
static void
test_profiles(void)
{
	FgReadOptions plain = FG_DEFAULT_READ_OPTIONS;
	FgReadOptions lines = plain;
	FgReadOptions addresses = plain;
	FgReadOptions threads = plain;
	FgReadOptions alloc = plain;

	lines.frame_style = FG_FRAME_LINE;
	addresses.frame_style = FG_FRAME_ADDRESS;
	threads.threads = true;
	alloc.selection = "allocated_space";
	check("times", put_times, plain, "samples", "count", 1,
		  "0x2001;libx.so.6+0x510 1\n[unknown];_Z3foov 1\nmain;work;inner 4");
	check("lines", put_times, lines, "samples", "count", 1,
		  "0x2001;libx.so.6+0x510 1\n[unknown];_Z3foov 1\nmain:5;work:20;inner:9 4");
	check("addresses", put_times, addresses, "samples", "count", 1,
		  "0x10;0x20 4\n0x2001;0x1010 1\n[unknown];0x40 1");
	check("threads", put_times, threads, "samples", "count", 1,
		  "0x2001;libx.so.6+0x510 1\n77;main;work;inner 1\n[unknown];_Z3foov 1\nweb-77;main;work;inner 3");
	check("sums", put_sums, plain, "cpu", "nanoseconds", 9, " 3\n0x2001;libx.so.6+0x510 15\nmain;work;inner 499");
	check("many messages", put_both, plain, "cpu", "nanoseconds", 9, " 6\n0x2001;libx.so.6+0x510 30\nmain;work;inner 998");
	check("values", put_sums, alloc, "alloc", "bytes", 0, "[unknown];_Z3foov 195");
}

/* --- versions of the protocol --------------------------------------------------------------- */

/* As async-profiler writes them: an attribute and a value that are not packed. */
static void
put_unpacked(Message *m)
{
	begin_resource(m);
	begin_message(m, 2);
	numbers(m, 1, 3, 4, 0, 0);
	for (uint64_t i = 1; i < 4; i++)
	{
		begin_message(m, 2);
		put_number(m, 1, 1 + i % 2);
		put_number(m, attributes_field, 1);
		put_number(m, values_field, i);
		end_message(m);
	}
	end_message(m);
	end_resource(m);
	put_dictionary(m);
}

/* An attribute and a time: values would be in the field of the attribute, and there is nothing to tell. */
static void
put_either(Message *m)
{
	begin_resource(m);
	begin_message(m, 2);
	numbers(m, 1, 3, 4, 0, 0);
	begin_message(m, 2);
	put_number(m, 1, 1);
	put_number(m, 2, 3);
	begin_message(m, 5);
	for (int i = 0; i < 8; i++)
		m->bytes[m->size++] = (uint8_t) i;
	end_message(m);
	end_message(m);
	end_message(m);
	end_resource(m);
	put_dictionary(m);
}

static void
check_message(const char *name, void (*put) (Message *m), FgReadOptions options, const char *event, const char *unit,
			  double period, const char *complete)
{
	Message		m = {.size = 0};

	unit_case("%s, attributes %u and values %u", name, attributes_field, values_field);
	put(&m);
	check_bytes(m.bytes, m.size, options, event, unit, period, complete);
}

/* Versions 1.8 and 1.9 have values in field 2, where attributes are now, and attributes in 3, where a link is. */
static void
test_versions(void)
{
	FgReadOptions plain = FG_DEFAULT_READ_OPTIONS;
	FgReadOptions threads = plain;
	FgReadOptions alloc = plain;

	threads.threads = true;
	alloc.selection = "allocated_space";
	check_message("not packed", put_unpacked, threads, "cpu", "nanoseconds", 0, "web;0x2001;libx.so.6+0x510 4\nweb;main;work;inner 2");
	attributes_field = 3;
	values_field = 2;
	check_message("not packed", put_unpacked, threads, "cpu", "nanoseconds", 0, "web;0x2001;libx.so.6+0x510 4\nweb;main;work;inner 2");
	check_message("times", put_times, threads, "samples", "count", 1,
				  "0x2001;libx.so.6+0x510 1\n77;main;work;inner 1\n[unknown];_Z3foov 1\nweb-77;main;work;inner 3");
	check_message("sums", put_sums, plain, "cpu", "nanoseconds", 9, " 3\n0x2001;libx.so.6+0x510 15\nmain;work;inner 499");
	check_message("values", put_sums, alloc, "alloc", "bytes", 0, "[unknown];_Z3foov 195");
	check_message("many messages", put_both, plain, "cpu", "nanoseconds", 9, " 6\n0x2001;libx.so.6+0x510 30\nmain;work;inner 998");
	attributes_field = 2;
	values_field = 4;
	check_message("either", put_either, plain, "cpu", "nanoseconds", 0, "main;work;inner 1");
}

static void
test_earlier_versions(void)
{
	FgReadOptions plain = FG_DEFAULT_READ_OPTIONS;
	FgReadOptions in_otlp = plain;
	Message		m = {.size = 0};
	static const char json[] = "{\"resourceProfiles\": [{\"scopeProfiles\": [{\"profiles\": [{\"sampleType\": {\"typeStrindex\": 1, \"unitStrindex\": 2},"
		"\"sample\": [{\"stackIndex\": 1, \"values\": [\"30\"]}, {\"values\": [5]}]}]}]}], \"dictionary\": {\"stringTable\": [\"\", \"cpu\","
		"\"nanoseconds\", \"main\", \"work\"], \"mappingTable\": [{}], \"functionTable\": [{}, {\"nameStrindex\": 3}, {\"nameStrindex\": 4}],"
		"\"locationTable\": [{}, {\"line\": [{\"functionIndex\": 1}]}, {\"line\": [{\"functionIndex\": 2}]}], \"stackTable\": [{}, {\"locationIndices\": [2, 1]}]}}";
	static const char old_json[] = "{\"resourceProfiles\": [{\"scopeProfiles\": [{\"profiles\": [{\"locationIndices\": [1],"
		"\"sample\": [{\"locationsLength\": 1, \"value\": [\"30\"]}]}]}]}]}";

	in_otlp.format = FG_FORMAT_OTLP;
	unit_case("before version 1.8");
	begin_resource(&m);
	begin_message(&m, 2);
	numbers(&m, 1, 3, 4, 0, 0);
	begin_message(&m, 3);
	put_varint(&m, 2);
	put_varint(&m, 1);
	end_message(&m);
	end_message(&m);
	end_resource(&m);
	put_dictionary(&m);
	recording_fails(m.bytes, m.size, &plain, FG_ERROR_SYNTAX, "profile 1 is of a version of the protocol before 1.8");
	unit_case("before version 1.8, a duration and the type of a period");
	for (int duration = 0; duration < 2; duration++)
	{
		m.size = 0;
		begin_resource(&m);
		begin_message(&m, 2);
		if (duration == 1)
			put_number(&m, 5, 1000);
		numbers(&m, duration == 1 ? 1 : 6, 3, 4, 0, 0);
		end_message(&m);
		end_resource(&m);
		put_dictionary(&m);
		recording_fails(m.bytes, m.size, &plain, FG_ERROR_SYNTAX, "profile 1 is of a version of the protocol before 1.8");
	}
	unit_case("before version 1.8, an attribute");
	m.size = 0;
	begin_message(&m, 2);
	begin_message(&m, 6);
	put_text(&m, 1, "thread.name");
	end_message(&m);
	put_text(&m, 5, "");
	end_message(&m);
	recording_fails(m.bytes, m.size, &in_otlp, FG_ERROR_SYNTAX, "attribute 1 is of a version of the protocol before 1.8");
	unit_case("before version 1.8, as JSON");
	recording_fails(old_json, strlen(old_json), &plain, FG_ERROR_SYNTAX, "this is of a version of the protocol before 1.8");
	unit_case("version 1.8 as JSON");
	check_bytes((const uint8_t *) json, strlen(json), plain, "cpu", "nanoseconds", 0, " 5\nmain;work 30");
}

/* --- what is wrong ---------------------------------------------------------------------- */

static void
fails_with(Given given, FgErrorCode code, const char *reason)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	Message		m = {.size = 0};
	Given		samples[] = {given, LAST};

	begin_resource(&m);
	put_profile(&m, 3, 4, 9, samples);
	end_resource(&m);
	put_dictionary(&m);
	recording_fails(m.bytes, m.size, &options, code, reason);
}

/* Whole numbers beyond 2^53 become the nearest doubles, and that is told. */
static void
test_large_values(void)
{
	static const Given samples[] = {{1, 0, 1, (INT64_C(1) << 53) + 1, 0, 0}, {1, 0, 1, -((INT64_C(1) << 53) + 1), 0, 0},
	{2, 0, 1, (INT64_C(1) << 53) + 1, 0, 0}, LAST};
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgRecording recording;
	Message		m = {.size = 0};

	unit_case("values that no double is");
	begin_resource(&m);
	put_profile(&m, 3, 4, 9, samples);
	end_resource(&m);
	put_dictionary(&m);
	if (!CHECK(recording_read(&ctx, m.bytes, m.size, 0, &options, &recording)))
		return;
	recording_warns(&recording, "more digits than a double holds");
	CHECK_COUNT(recording.warnings.list[0].count, 3);
	CHECK(recording.profiles[0].complete.self[recording.profiles[0].complete.nnodes] == 9007199254740992.0);
	fg_recording_free(&ctx, &recording);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_errors(void)
{
	static const Given one[] = {{1, 0, 1, 5, 0, 0}, LAST};
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	Message		m = {.size = 0};

	unit_case("samples that are wrong");
	fails_with((Given) {4, 0, 1, 1, 0, 0}, FG_ERROR_SYNTAX, "a sample has stack 4, but there are 4");
	fails_with((Given) {UINT64_MAX - 1, 0, 1, 1, 0, 0}, FG_ERROR_SYNTAX, "a sample has stack -2, but there are 4");
	fails_with((Given) {1, 0, 0, 0, 0, 0}, FG_ERROR_SYNTAX, "sample 1 of profile 1 has neither values nor times");
	fails_with((Given) {1, 0, 2, 1, 3, 1}, FG_ERROR_SYNTAX, "has not as many times as values");
	fails_with((Given) {1, 4, 1, 1, 0, 0}, FG_ERROR_SYNTAX, "has an attribute that does not exist");
	unit_case("messages that are wrong");
	begin_resource(&m);
	put_profile(&m, 3, 4, 9, one);
	end_resource(&m);
	recording_fails(m.bytes, m.size, &options, FG_ERROR_SYNTAX, "has no dictionary");
	begin_message(&m, 2);
	put_text(&m, 5, "a");
	end_message(&m);
	recording_fails(m.bytes, m.size, &options, FG_ERROR_SYNTAX, "the first text of the dictionary is not the empty one");
	m = (Message) {.size = 0};
	begin_resource(&m);
	put_profile(&m, 15, 4, 9, one);
	end_resource(&m);
	put_dictionary(&m);
	recording_fails(m.bytes, m.size, &options, FG_ERROR_SYNTAX, "a profile has text 15, but there are 15");
	m.size -= 3;
	recording_fails(m.bytes, m.size, &options, FG_ERROR_SYNTAX, "of the unpacked file: a length reaches beyond the end");
	m = (Message) {.size = 0};
	put_both(&m);
	m.size -= 2;
	recording_fails(m.bytes, m.size, &options, FG_ERROR_SYNTAX, "the last message ends too early");
	m = (Message) {.size = 0};
	put_dictionary(&m);
	recording_fails(m.bytes, m.size, &options, FG_ERROR_SYNTAX, "there are no profiles");
}

#define SAMPLE_OF(rest) "{\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":[{\"sampleType\":{\"typeStrindex\":1},\n\"samples\":[{" rest "}]}]}]}]," \
	"\"dictionary\":{\"stringTable\":[\"\",\"cpu\"],\"stackTable\":[{}]}}"

/* What protocol buffers cannot say; and what is a number there. */
static void
test_json(void)
{
	static const struct
	{
		const char *text;
		FgErrorCode code;
		uint64_t	line;
		const char *reason;
	}			wrong[] = {
		{SAMPLE_OF("\"values\":[1.5]"), FG_ERROR_SYNTAX, 2, "not a whole number of 64 bits"},
		{SAMPLE_OF("\"values\":[\"x\"]"), FG_ERROR_SYNTAX, 2, "\"x\" is not a number"},
		{SAMPLE_OF("\"values\":[\"\"]"), FG_ERROR_SYNTAX, 2, "\"\" is not a number"},
		{SAMPLE_OF("\"values\":[null]"), FG_ERROR_SYNTAX, 2, "null where a message of OTLP profiles has a string"},
		{SAMPLE_OF("\"values\":[\"9223372036854775808\"]"), FG_ERROR_RANGE, 2, "is not one of 64 bits"},
		{SAMPLE_OF("\"values\":[1e19]"), FG_ERROR_SYNTAX, 2, "not a whole number of 64 bits"},
		{SAMPLE_OF("\"timestampsUnixNano\":[-1]"), FG_ERROR_RANGE, 2, "is not one of unsigned 64 bits"},
		{SAMPLE_OF("\"timestampsUnixNano\":[\"18446744073709551616\"]"), FG_ERROR_SYNTAX, 2, "not a whole number of 64 bits"},
		{SAMPLE_OF("\"stackIndex\":2147483648"), FG_ERROR_RANGE, 2, "is not one of 32 bits"},
		{SAMPLE_OF("\"stackIndex\":-1,\"values\":[1]"), FG_ERROR_SYNTAX, 0, "a sample has stack -1"},
		{SAMPLE_OF("\"values\":1"), FG_ERROR_SYNTAX, 2, "\"values\" is a number and not an array"},
		{"{\"resourceProfiles\":[]}", FG_ERROR_SYNTAX, 0, "has no dictionary"},
		{"{\"resourceProfiles\":[],\"dictionary\":{\"stringTable\":[\"\"]}}", FG_ERROR_SYNTAX, 0, "there are no profiles"},
		{SAMPLE_OF("\"values\":[1]") "\n{\"resourceProfiles\":[", FG_ERROR_SYNTAX, 3, "the JSON text ends too early"},
		{SAMPLE_OF("\"values\":[1]") "]", FG_ERROR_SYNTAX, 2, "unallowed token"},
		{SAMPLE_OF("\"values\":[1],\"values\":[2]"), FG_ERROR_SYNTAX, 2, "this key is there twice"},
		{SAMPLE_OF("\"values\":[1],\"stackIndex\":0,\"stackIndex\":0"), FG_ERROR_SYNTAX, 2, "this key is there twice"},
		{"{\"dictionary\":{\"stringTable\":[\"\"]},\n\"dictionary\":{}}", FG_ERROR_SYNTAX, 2, "this key is there twice"},
		{"{\"resourceProfiles\":[{\"scopeProfiles\":[],\n\"scopeProfiles\":null}]}", FG_ERROR_SYNTAX, 2, "this key is there twice"}
	};
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	FgReadOptions named = options;

	unit_case("numbers of JSON");
	check_bytes(SAMPLE_OF("\"values\":[1e2,-3,\"5\",\"2.0\",-0]"), sizeof(SAMPLE_OF("\"values\":[1e2,-3,\"5\",\"2.0\",-0]")) - 1,
				options, "cpu", "", 0, " 104");
	check_bytes(SAMPLE_OF("\"timestampsUnixNano\":[\"18446744073709551615\",0]"),
				sizeof(SAMPLE_OF("\"timestampsUnixNano\":[\"18446744073709551615\",0]")) - 1, options, "cpu", "", 1, " 2");
	unit_case("JSON that is wrong");
	for (size_t i = 0; i < COUNT(wrong); i++)
		CHECK_COUNT(recording_fails(wrong[i].text, strlen(wrong[i].text), &options, wrong[i].code, wrong[i].reason).line, wrong[i].line);
	named.format = FG_FORMAT_OTLP;
	recording_fails(" {}", 3, &named, FG_ERROR_SYNTAX, "has no dictionary");
}

/* Unlike those that are read, keys that nobody needs may come again; so may all in the next object, and the next message. */
static void
test_keys_again(void)
{
	static const char text[] = SAMPLE_OF("\"values\":[1],\"x\":1,\"x\":2},{\"values\":[2]")
	SAMPLE_OF("\"values\":[4]");

	unit_case("keys of JSON that come again in other objects");
	check_bytes(text, sizeof(text) - 1, FG_DEFAULT_READ_OPTIONS, "cpu", "", 0, " 7");
}

/* A text of "size" bytes in the dictionary of a message, behind a sample; to be released. */
static char *
large_message(size_t size, size_t *length)
{
	static const char begin[] = "{\"resourceProfiles\":[{\"scopeProfiles\":[{\"profiles\":[{\"samples\":[{\"values\":[1]}]}]}]}],\n"
	"\"dictionary\":{\"stringTable\":[\"\"";
	static const char text[] = ",\n\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\"";
	char	   *message = malloc(sizeof(begin) + size / 64 * 70 + 100);

	*length = (size_t) sprintf(message, "%s", begin);
	for (size_t i = 0; i < size / 64; i++)
		*length += (size_t) sprintf(message + *length, "%s", text);
	*length += (size_t) sprintf(message + *length, "]}}");
	return message;
}

/* The limit of a message holds for what it has while it grows, and for each message by itself. */
static void
test_large_json(void)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	char		expected[80];
	uint64_t	line;
	size_t		length;
	char	   *text;
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgRecording recording;
	FgRecordingReader *reader;

	/* what is shipped takes 512 MB: too long for a test */
	if (FG_OTLP_MAX_MB > 4)
		return;
	unit_case("a message in JSON that is too large");
	snprintf(expected, sizeof(expected), "a message has more than %zu bytes", FG_OTLP_MAX_BYTES);
	text = large_message(FG_OTLP_MAX_BYTES + 1000, &length);
	/* each text takes 65 bytes with its tag and length, and has a line of its own */
	line = recording_fails(text, length, &options, FG_ERROR_LIMIT, expected).line;
	CHECK(line > FG_OTLP_MAX_BYTES / 65 && line <= FG_OTLP_MAX_BYTES / 65 + 3);
	free(text);
	unit_case("messages in JSON that are too large together");
	text = large_message(FG_OTLP_MAX_BYTES / 2, &length);
	options.every = true;
	reader = fg_recording_open(&ctx, &options);
	for (int i = 0; i < 3; i++)
		CHECK(fg_recording_feed(reader, text, length));
	CHECK(fg_recording_finish(reader, &recording));
	CHECK_DOUBLE(recording.profiles[0].complete.self[0], 3);
	fg_recording_free(&ctx, &recording);
	fg_recording_close(reader);
	CHECK_COUNT(memory.blocks, 0);
	free(text);
}

/* pprof's messages are another format's, and what may be either is nobody's. */
static void
test_recognition(void)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	Message		m = {.size = 0};

	unit_case("recognition");
	begin_message(&m, 1);
	put_number(&m, 1, 1);
	put_number(&m, 2, 2);
	end_message(&m);
	begin_message(&m, 2);
	begin_message(&m, 1);
	put_varint(&m, 1);
	end_message(&m);
	begin_message(&m, 2);
	put_varint(&m, 1);
	end_message(&m);
	end_message(&m);
	recording_fails(m.bytes, m.size, &options, FG_ERROR_SYNTAX, "sample type");
	m = (Message) {.size = 0};
	begin_message(&m, 1);
	end_message(&m);
	begin_message(&m, 2);
	end_message(&m);
	recording_fails(m.bytes, m.size, &options, FG_ERROR_SYNTAX, "was not recognised");
	options.format = FG_FORMAT_OTLP;
	recording_fails(m.bytes, m.size, &options, FG_ERROR_SYNTAX, "the first text of the dictionary");
	m.size = 0;
	recording_fails(m.bytes, m.size, &options, FG_ERROR_SYNTAX, "has no dictionary");
}

int
main(void)
{
	FgReadOptions options = FG_DEFAULT_READ_OPTIONS;
	Message		times = {.size = 0};
	Message		sums = {.size = 0};
	Message		both = {.size = 0};
	Text		json = {.size = 0};

	test_profiles();
	test_versions();
	test_earlier_versions();
	test_large_values();
	test_errors();
	test_recognition();
	test_json();
	test_keys_again();
	test_large_json();
	put_times(&times);
	put_sums(&sums);
	options.format = FG_FORMAT_OTLP;
	unit_case("any blocks, any failure");
	recording_check_blocks(times.bytes, times.size, 1, &options);
	recording_sweep("times", times.bytes, times.size, &options, 0);
	options.every = true;
	recording_check_blocks(sums.bytes, sums.size, 1, &options);
	recording_sweep("sums", sums.bytes, sums.size, &options, 0);
	put_both(&both);
	recording_check_blocks(both.bytes, both.size, 1, &options);
	recording_sweep("both", both.bytes, both.size, &options, 0);
	print_json(&json, &both);
	recording_check_blocks(json.bytes, json.size, 7, &options);
	print_json(&json, &times);
	recording_sweep("JSON", json.bytes, json.size, &options, 0);
	return unit_finish();
}
