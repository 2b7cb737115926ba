/*
 * otlp_schema.c
 *	  Which schema a message of OTLP profiles has (see otlp_schema.h).
 */
#include "core/pprof/otlp_schema.h"

#include <inttypes.h>

const FgOtlpSchema fg_otlp_current_schema = {.attributes = 2, .values = 4};

static const FgOtlpSchema earlier = {.attributes = 3, .values = 2};

/* Resources, their scopes, profiles and samples: the numbers of their fields. */
static const uint32_t way[] = {1, 2, 2, 2};

enum
{
	SAMPLES = 3,				/* the last step of the way */
	TIMES = 5					/* the last field of a sample */
};

typedef struct Search
{
	FgContext  *ctx;
	size_t		attributes;		/* in the dictionary */
	size_t		links;
	bool		current;		/* all samples so far can be read in this way */
	bool		earlier;
} Search;

/* The parts of a field of a sample, taken together. */
typedef struct Part
{
	size_t		count;			/* of numbers */
	bool		packed;
	bool		no_attribute;	/* one of them is none that there is */
	bool		no_link;
} Part;

static bool
take_part(const Search *s, const FgWire *sample, const FgWireField *field, Part *part)
{
	FgWire		list;
	uint64_t	number;

	if (field->number == TIMES)
	{
		part->count += field->size / 8;
		return true;
	}
	if (!fg_wire_list(sample, field, &list))
		return false;
	part->packed |= field->type == FG_WIRE_BYTES;
	while (fg_wire_more(&list))
	{
		if (!fg_wire_next(&list, &number))
			return false;
		part->count++;
		part->no_attribute |= number >= s->attributes;
		/* The first link stands for none, and may be missing. */
		part->no_link |= number > 0 && number >= s->links;
	}
	return true;
}

static bool
can_be(const FgOtlpSchema *schema, const Part *parts)
{
	const Part *values = &parts[schema->values];
	const Part *attributes = &parts[schema->attributes];
	const Part *link = &parts[schema->attributes + 1];

	return values->count + parts[TIMES].count > 0 && !attributes->no_attribute && !link->packed && !link->no_link &&
		(values->count == 0 || parts[TIMES].count == 0 || values->count == parts[TIMES].count);
}

static bool
look_at_sample(Search *s, FgWire *sample)
{
	Part		parts[TIMES + 1] = {0};

	while (fg_wire_more(sample))
	{
		FgWireField field;

		if (!fg_wire_take(sample, &field) ||
			(field.number > 1 && field.number <= TIMES && !take_part(s, sample, &field, &parts[field.number])) ||
			!fg_work(s->ctx, field.size))
			return false;
	}
	s->current = s->current && can_be(&fg_otlp_current_schema, parts);
	s->earlier = s->earlier && can_be(&earlier, parts);
	return true;
}

/* Until all that is left is the current one. */
static bool
look(Search *s, FgWire *message, int step)
{
	while (s->earlier && fg_wire_more(message))
	{
		FgWireField field;
		FgWire		inner;

		if (!fg_wire_take(message, &field))
			return false;
		if (field.number == way[step] &&
			(!fg_wire_inner(message, &field, &inner) ||
			 !(step < SAMPLES ? look(s, &inner, step + 1) : look_at_sample(s, &inner))))
			return false;
	}
	return true;
}

bool
fg_otlp_find_schema(FgContext *ctx, FgWire message, size_t attributes, size_t links, FgOtlpSchema *schema)
{
	Search		s = {.ctx = ctx, .attributes = attributes, .links = links, .current = true, .earlier = true};

	if (!look(&s, &message, 0))
		return false;
	*schema = s.earlier && !s.current ? earlier : fg_otlp_current_schema;
	return true;
}

bool
fg_otlp_fail_earlier(FgContext *ctx, const char *what, uint64_t number)
{
	return fg_fail_at(ctx, FG_ERROR_SYNTAX, 0, 0, "Versions from 1.8 on are read. async-profiler has them since 4.3; "
					  "JFR and collapsed stacks are read of all its versions.",
					  "%s %" PRIu64 " is of a version of the protocol before 1.8", what, number);
}
