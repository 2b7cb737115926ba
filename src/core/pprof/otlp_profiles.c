/*
 * otlp_profiles.c
 *	  Profiles of OTLP (see otlp_profiles.h).
 */
#include "core/pprof/otlp_profiles.h"

#include <inttypes.h>

typedef struct Type
{
	uint64_t	type;			/* texts */
	uint64_t	unit;
} Type;

static bool
take_type(const FgWire *wire, const FgWireField *field, Type *type)
{
	FgWire		message;

	if (!fg_wire_inner(wire, field, &message))
		return false;
	while (fg_wire_more(&message))
	{
		FgWireField inner;
		uint64_t	number;

		if (!fg_wire_take(&message, &inner))
			return false;
		if (inner.number > 2)
			continue;
		if (!fg_wire_number(&message, &inner, &number))
			return false;
		*(inner.number == 1 ? &type->type : &type->unit) = number;
	}
	return true;
}

/* Adds a copy that ends with NUL to the names; none of these is long. */
static bool
add_name(FgOtlpProfiles *o, uint64_t index)
{
	FgOtlpText	text;

	if (!fg_otlp_text(o->samples.tables, index, "profile", &text))
		return false;
	if (text.length > 1000 || memchr(text.bytes, '\0', text.length) != NULL ||
		fg_utf8_prefix(text.bytes, text.length) != text.length)
		return fg_fail(o->samples.ctx, FG_ERROR_SYNTAX, "the type of profile %" PRIu64 " is no text", o->samples.profiles);
	return fg_buffer_append(&o->names, text.bytes, text.length) && fg_buffer_append(&o->names, "", 1);
}

/* The words of the store for types that have other names here. */
static const char *
event_of(const char *type)
{
	return strcmp(type, "alloc_space") == 0 || strcmp(type, "allocated_space") == 0 ? "alloc"
		: strcmp(type, "delay") == 0 ? "lock" : type;
}

static bool
begin_profile(FgOtlpProfiles *o, Type sample_type, Type period_type, int64_t period)
{
	FgKind		kind;
	size_t		unit;

	o->names.size = 0;
	if (!add_name(o, sample_type.type))
		return false;
	unit = o->names.size;
	if (!add_name(o, sample_type.unit))
		return false;
	kind.name = (char *) o->names.data;
	kind.event = event_of(kind.name);
	kind.unit = kind.name + unit;
	kind.period = period_type.type == sample_type.type && period_type.unit == sample_type.unit && period > 0
		? (double) period : 0;
	if (o->samples.profiles == 1 && !fg_sink_default(o->samples.sink, kind.name))
		return false;
	return fg_sink_profile(o->samples.sink, &kind, &o->samples.profile);
}

/* How long a sample stands for, where the profile says it. */
static bool
find_period(FgOtlpProfiles *o, Type type, int64_t period)
{
	FgOtlpText	unit;

	if (!fg_otlp_text(o->samples.tables, type.unit, "profile", &unit))
		return false;
	o->samples.period = period > 0 && fg_otlp_is_text(unit, "nanoseconds") ? (double) period : 0;
	return true;
}

enum
{
	SAMPLE_TYPE = 1, SAMPLES, TIME, DURATION, PERIOD_TYPE, PERIOD
};

/*
 * Before version 1.8 samples named some of a list of locations, which stood where the time is now; the
 * duration stood where the type of the period is, and that in place of the period.
 */
static bool
is_earlier(const FgWireField *field)
{
	return (field->number == TIME && field->type == FG_WIRE_BYTES) ||
		(field->number == PERIOD_TYPE && field->type == FG_WIRE_VARINT) ||
		(field->number == PERIOD && field->type == FG_WIRE_BYTES);
}

/* What is said of all samples may stand behind them. */
static bool
take_profile_head(FgOtlpProfiles *o, FgWire message)
{
	Type		sample_type = {0, 0};
	Type		period_type = {0, 0};
	uint64_t	period = 0;

	while (fg_wire_more(&message))
	{
		FgWireField field;

		if (!fg_wire_take(&message, &field))
			return false;
		if (is_earlier(&field))
			return fg_otlp_fail_earlier(o->samples.ctx, "profile", o->samples.profiles);
		if ((field.number == SAMPLE_TYPE && !take_type(&message, &field, &sample_type)) ||
			(field.number == PERIOD_TYPE && !take_type(&message, &field, &period_type)) ||
			(field.number == PERIOD && !fg_wire_number(&message, &field, &period)) ||
			!fg_steps(o->samples.ctx, 1))
			return false;
	}
	return begin_profile(o, sample_type, period_type, (int64_t) period) &&
		find_period(o, period_type, (int64_t) period);
}

static bool
take_profile(FgOtlpProfiles *o, FgWire *message)
{
	o->samples.profiles++;
	o->samples.samples = 0;
	if (!take_profile_head(o, *message))
		return false;
	while (fg_wire_more(message))
	{
		FgWireField field;
		FgWire		sample;

		if (!fg_wire_take(message, &field))
			return false;
		if (field.number == SAMPLES &&
			(!fg_wire_inner(message, &field, &sample) || !fg_otlp_samples_add(&o->samples, &sample)))
			return false;
	}
	return fg_otlp_samples_end_profile(&o->samples);
}

static bool
take_scope(FgOtlpProfiles *o, FgWire *message)
{
	enum {PROFILES = 2};

	while (fg_wire_more(message))
	{
		FgWireField field;
		FgWire		profile;

		if (!fg_wire_take(message, &field))
			return false;
		if (field.number == PROFILES &&
			(!fg_wire_inner(message, &field, &profile) || !take_profile(o, &profile)))
			return false;
	}
	return true;
}

bool
fg_otlp_profiles_take(FgOtlpProfiles *o, FgWire *message)
{
	enum {SCOPES = 2};

	while (fg_wire_more(message))
	{
		FgWireField field;
		FgWire		scope;

		if (!fg_wire_take(message, &field))
			return false;
		if (field.number == SCOPES &&
			(!fg_wire_inner(message, &field, &scope) || !take_scope(o, &scope)))
			return false;
	}
	return true;
}

void
fg_otlp_profiles_begin(FgOtlpProfiles *o, FgSink *sink, FgOtlpTables *tables)
{
	fg_otlp_samples_begin(&o->samples, sink, tables);
	o->names.ctx = o->samples.ctx;
}

void
fg_otlp_profiles_free(FgOtlpProfiles *o)
{
	fg_release(o->samples.ctx, o->names.data);
	fg_otlp_samples_free(&o->samples);
}
