/*
 * jfr_metadata.c
 *	  The description of the types of a chunk (see jfr_metadata.h); how values of them are
 *	  passed over is in jfr_values.c.
 */
#include "core/jfr/jfr_metadata.h"

/* Root, metadata, class, field, annotation: no writer goes deeper than a few more. */
#define MAX_DEPTH 32

bool
fg_jfr_text_is(FgJfrText text, const char *word)
{
	return text.there && strlen(word) == text.length && memcmp(text.bytes, word, text.length) == 0;
}

/* --- while it is read ------------------------------------------------------------------- */

typedef enum Element
{
	ROOT,
	METADATA,
	CLASS,
	FIELD,
	ANNOTATION,
	OTHER
} Element;

/* The attributes of an element that mean something here; the others are left out. */
typedef struct Attributes
{
	FgJfrText	id;
	FgJfrText	name;
	FgJfrText	simple;
	FgJfrText	class_id;
	FgJfrText	constant;
	FgJfrText	dimension;
	FgJfrText	value;
} Attributes;

typedef struct Annotation
{
	uint32_t	field;
	uint64_t	class_id;
	FgJfrText	value;
} Annotation;

typedef struct Open
{
	Element		element;
	uint64_t	left;			/* elements in it */
} Open;

typedef struct Build
{
	FgContext  *ctx;
	FgJfrMetadata *metadata;
	FgJfrBytes *bytes;
	FgJfrText  *texts;
	uint64_t	text_count;
	size_t		classes;		/* room */
	size_t		ids;
	size_t		fields;
	Annotation *annotations;
	size_t		annotation_count;
	size_t		annotation_room;
	Open		open[MAX_DEPTH];
	int			depth;
} Build;

/* --- texts ------------------------------------------------------------------------------ */

/* All texts go to one buffer; they get their places when it does not move any more. */
static bool
read_texts(Build *b)
{
	FgBuffer   *all = &b->metadata->texts;
	FgBuffer	buffer = {.ctx = b->ctx};
	size_t		at = 0;
	bool		ok = fg_jfr_count(b->bytes, &b->text_count);

	b->texts = ok ? fg_alloc(b->ctx, (size_t) b->text_count, sizeof(FgJfrText)) : NULL;
	ok = b->texts != NULL;
	for (uint64_t i = 0; ok && i < b->text_count; i++)
	{
		FgJfrCoding coding;
		uint64_t	key;

		ok = fg_jfr_take_text(b->bytes, &buffer, &b->texts[i], &coding, &key) &&
			fg_buffer_append(all, b->texts[i].bytes, b->texts[i].length) && fg_steps(b->ctx, 1);
		if (ok && coding == FG_JFR_KEY)
			ok = fg_jfr_broken(b->bytes, "a text of the description is a constant");
	}
	for (uint64_t i = 0; ok && i < b->text_count; i++)
	{
		b->texts[i].bytes = all->size > 0 ? (const char *) all->data + at : "";
		at += b->texts[i].length;
	}
	fg_release(b->ctx, buffer.data);
	return ok;
}

static bool
take_word(Build *b, FgJfrText *text)
{
	uint64_t	number;

	if (!fg_jfr_number(b->bytes, &number))
		return false;
	if (number >= b->text_count)
		return fg_jfr_broken(b->bytes, "the description refers to a text that is not there");
	*text = b->texts[number];
	return true;
}

/* --- elements ---------------------------------------------------------------------------- */

static bool
take_attributes(Build *b, Attributes *attributes)
{
	const struct
	{
		const char *name;
		FgJfrText  *to;
	}			wanted[] = {
		{"id", &attributes->id}, {"name", &attributes->name}, {"simpleType", &attributes->simple},
		{"class", &attributes->class_id}, {"constantPool", &attributes->constant},
		{"dimension", &attributes->dimension}, {"value", &attributes->value}
	};
	uint64_t	count;

	*attributes = (Attributes) {.id = {.there = false}};
	if (!fg_jfr_count(b->bytes, &count))
		return false;
	for (; count > 0; count--)
	{
		FgJfrText	name;
		FgJfrText	value;

		if (!take_word(b, &name) || !take_word(b, &value))
			return false;
		for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		{
			if (fg_jfr_text_is(name, wanted[i].name))
				*wanted[i].to = value;
		}
	}
	return true;
}

/* A decimal number, as ids are written here; -1 is one, too. */
static bool
parse_id(Build *b, FgJfrText text, uint64_t *id)
{
	bool		negative = text.there && text.length > 1 && text.bytes[0] == '-';
	bool		valid = text.there && text.length > negative && text.length <= 20;

	*id = 0;
	for (size_t i = negative; valid && i < text.length; i++)
	{
		valid = text.bytes[i] >= '0' && text.bytes[i] <= '9';
		*id = *id * 10 + (uint64_t) (text.bytes[i] - '0');
	}
	if (negative)
		*id = 0 - *id;
	return valid || fg_jfr_broken(b->bytes, "a class of the description has no number");
}

static FgJfrBasic
basic_of(FgJfrText name)
{
	static const char *const names[] = {
		[FG_JFR_BOOLEAN] = "boolean", [FG_JFR_BYTE] = "byte", [FG_JFR_SHORT] = "short",
		[FG_JFR_CHAR] = "char", [FG_JFR_INT] = "int", [FG_JFR_LONG] = "long",
		[FG_JFR_FLOAT] = "float", [FG_JFR_DOUBLE] = "double", [FG_JFR_STRING] = "java.lang.String"
	};

	for (int i = FG_JFR_BOOLEAN; i <= FG_JFR_STRING; i++)
	{
		if (fg_jfr_text_is(name, names[i]))
			return (FgJfrBasic) i;
	}
	return FG_JFR_COMPOSITE;
}

static bool
add_class(Build *b, const Attributes *attributes)
{
	FgJfrMetadata *m = b->metadata;
	uint64_t	id;

	if (!parse_id(b, attributes->id, &id) ||
		!fg_reserve(b->ctx, (void **) &m->classes, &b->classes, (size_t) m->class_count + 1,
					sizeof(FgJfrClass)) ||
		!fg_reserve(b->ctx, (void **) &m->ids, &b->ids, (size_t) m->class_count + 1,
					sizeof(uint64_t)))
		return false;
	m->ids[m->class_count] = id;
	m->classes[m->class_count++] = (FgJfrClass) {
		.name = attributes->name,
		.basic = basic_of(attributes->name),
		.simple = attributes->simple.there,
		.first = m->field_count,
		.program = FG_NONE,
		.plan = FG_NONE
	};
	return true;
}

static bool
add_field(Build *b, const Attributes *attributes)
{
	FgJfrMetadata *m = b->metadata;
	uint64_t	class_id;

	if (!parse_id(b, attributes->class_id, &class_id) ||
		!fg_reserve(b->ctx, (void **) &m->fields, &b->fields, (size_t) m->field_count + 1,
					sizeof(FgJfrField)))
		return false;
	m->fields[m->field_count++] = (FgJfrField) {
		.name = attributes->name,
		.class_id = class_id,
		.constant = attributes->constant.there,
		.array = attributes->dimension.there && !fg_jfr_text_is(attributes->dimension, "0")
	};
	m->classes[m->class_count - 1].count++;
	return true;
}

static bool
add_annotation(Build *b, const Attributes *attributes)
{
	uint64_t	class_id;

	if (!parse_id(b, attributes->class_id, &class_id) ||
		!fg_reserve(b->ctx, (void **) &b->annotations, &b->annotation_room,
					b->annotation_count + 1, sizeof(Annotation)))
		return false;
	b->annotations[b->annotation_count++] = (Annotation) {
		b->metadata->field_count - 1, class_id, attributes->value
	};
	return true;
}

static Element
element_of(Element parent, FgJfrText name)
{
	if (parent == ROOT && fg_jfr_text_is(name, "metadata"))
		return METADATA;
	if (parent == METADATA && fg_jfr_text_is(name, "class"))
		return CLASS;
	if (parent == CLASS && fg_jfr_text_is(name, "field"))
		return FIELD;
	if (parent == FIELD && fg_jfr_text_is(name, "annotation"))
		return ANNOTATION;
	return OTHER;
}

static bool
take_element(Build *b)
{
	FgJfrText	name;
	Attributes	attributes;
	Open		open = {.element = ROOT};

	if (!take_word(b, &name) || !take_attributes(b, &attributes) ||
		!fg_jfr_count(b->bytes, &open.left) || !fg_steps(b->ctx, 4))
		return false;
	if (b->depth == MAX_DEPTH)
		return fg_jfr_broken(b->bytes, "the elements of the description are nested too deep");
	if (b->depth > 0)
		open.element = element_of(b->open[b->depth - 1].element, name);
	b->open[b->depth++] = open;
	switch (open.element)
	{
		case CLASS:
			return add_class(b, &attributes);
		case FIELD:
			return add_field(b, &attributes);
		case ANNOTATION:
			return add_annotation(b, &attributes);
		default:
			return true;
	}
}

static bool
take_tree(Build *b)
{
	if (!take_element(b))
		return false;
	while (b->depth > 0)
	{
		if (b->open[b->depth - 1].left-- == 0)
			b->depth--;
		else if (!take_element(b))
			return false;
	}
	return true;
}

/* --- when all classes are there --------------------------------------------------------------- */

/* The annotations that say what a number means. */
static void
annotate(Build *b)
{
	FgJfrMetadata *m = b->metadata;

	for (size_t i = 0; i < b->annotation_count; i++)
	{
		const Annotation *annotation = &b->annotations[i];
		uint32_t	at = fg_jfr_find_class(m, annotation->class_id);

		if (at == FG_NONE)
			continue;
		if (fg_jfr_text_is(m->classes[at].name, "jdk.jfr.Timespan"))
			m->fields[annotation->field].span = annotation->value;
		if (fg_jfr_text_is(m->classes[at].name, "jdk.jfr.Unsigned"))
			m->fields[annotation->field].is_unsigned = true;
	}
}

static bool
link_classes(Build *b)
{
	FgJfrMetadata *m = b->metadata;
	size_t		same[2];

	if (!fg_id_index_make(b->ctx, &m->index, m->ids, m->class_count, same))
		return same[1] > 0 &&
			fg_jfr_broken(b->bytes, "two classes of the description have one number");
	for (uint32_t i = 0; i < m->field_count; i++)
	{
		m->fields[i].class_at = fg_jfr_find_class(m, m->fields[i].class_id);
		if (!fg_check_every(b->ctx, i))
			return false;
	}
	for (uint32_t i = 0; i < m->class_count; i++)
	{
		if (m->classes[i].count > 0)
			m->classes[i].basic = FG_JFR_COMPOSITE;
	}
	annotate(b);
	return true;
}

bool
fg_jfr_metadata_read(FgContext *ctx, FgJfrMetadata *metadata, FgJfrBytes *bytes)
{
	Build		build = {.ctx = ctx, .metadata = metadata, .bytes = bytes};
	uint64_t	ignored;
	bool		ok = true;

	*metadata = (FgJfrMetadata) {.ctx = ctx, .texts = {.ctx = ctx}};
	/* its time, its duration and its number */
	for (int i = 0; i < 3; i++)
		ok = ok && fg_jfr_number(bytes, &ignored);
	ok = ok && read_texts(&build) && take_tree(&build) && link_classes(&build);
	fg_release(ctx, build.texts);
	fg_release(ctx, build.annotations);
	return ok;
}

void
fg_jfr_metadata_free(FgJfrMetadata *metadata)
{
	FgContext  *ctx = metadata->ctx;

	if (ctx == NULL)
		return;
	fg_id_index_free(ctx, &metadata->index);
	fg_release(ctx, metadata->texts.data);
	fg_release(ctx, metadata->classes);
	fg_release(ctx, metadata->ids);
	fg_release(ctx, metadata->fields);
	fg_release(ctx, metadata->steps);
	fg_release(ctx, metadata->programs);
	*metadata = (FgJfrMetadata) {.ctx = NULL};
}

uint32_t
fg_jfr_find_class(const FgJfrMetadata *metadata, uint64_t id)
{
	size_t		at = fg_id_index_find(&metadata->index, id);

	return at == SIZE_MAX ? FG_NONE : (uint32_t) at;
}

const FgJfrField *
fg_jfr_find_field(const FgJfrMetadata *metadata, uint32_t class_at, const char *name)
{
	const FgJfrClass *class = &metadata->classes[class_at];

	for (uint32_t i = 0; i < class->count; i++)
	{
		if (fg_jfr_text_is(metadata->fields[class->first + i].name, name))
			return &metadata->fields[class->first + i];
	}
	return NULL;
}
