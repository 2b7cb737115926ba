/*
 * svg_copy.c
 *	  Puts a picture of ours into a page (see svg_copy.h).
 */
#include "core/svg/svg_copy.h"

#include <string.h>

/* "fg" and eight digits. */
#define ID_LENGTH 10

/* Elements within each other; ours need a handful. */
#define MAX_DEPTH 16

/* Attributes of one element, to see that none comes twice. */
#define MAX_ATTRIBUTES 32

static const char not_ours[] =
	"Give what a function of pictures returned, such as flamegraph_svg() or plot_svg().";

typedef enum Content
{
	ELEMENTS,
	TEXT,						/* nothing but text: HTML reads elements in these otherwise */
	BOTH,
	LEFT_OUT					/* with what it holds */
} Content;

typedef struct Element
{
	const char *name;
	Content		content;
} Element;

typedef enum Value
{
	WORDS,						/* letters, digits and a few signs */
	USERS_TEXT,
	OWN_ID,
	OWN_IDS,					/* with blanks between them */
	PAINT,						/* words, or url(#own id) */
	NAMESPACE
} Value;

typedef struct Attribute
{
	const char *name;
	Value		value;
} Attribute;

typedef struct Copy
{
	FgContext  *ctx;
	FgXml	   *to;
	const char *start;
	const char *at;
	const char *end;
	uint32_t	number;
	char		id[ID_LENGTH];	/* of the picture; "" before its first element is read */
	const Element *open[MAX_DEPTH];
	int			depth;
	FgSvgParts	parts;
} Copy;

static const Element elements[] = {
	{"rect", ELEMENTS}, {"g", ELEMENTS}, {"text", BOTH}, {"title", TEXT}, {"path", ELEMENTS},
	{"tspan", TEXT}, {"line", ELEMENTS}, {"circle", ELEMENTS}, {"polyline", ELEMENTS},
	{"polygon", ELEMENTS}, {"svg", ELEMENTS}, {"desc", TEXT}, {"defs", ELEMENTS},
	{"pattern", ELEMENTS}, {"clipPath", ELEMENTS}, {"metadata", TEXT}, {"style", LEFT_OUT},
	{"script", LEFT_OUT}
};

static const Attribute attributes[] = {
	{"x", WORDS}, {"y", WORDS}, {"width", WORDS}, {"height", WORDS}, {"fill", PAINT},
	{"class", WORDS}, {"d", WORDS}, {"points", WORDS}, {"transform", WORDS}, {"stroke", PAINT},
	{"stroke-width", WORDS}, {"x1", WORDS}, {"y1", WORDS}, {"x2", WORDS}, {"y2", WORDS},
	{"cx", WORDS}, {"cy", WORDS}, {"r", WORDS}, {"rx", WORDS}, {"ry", WORDS}, {"dx", WORDS},
	{"dy", WORDS}, {"clip-path", PAINT}, {"clip-rule", WORDS}, {"direction", WORDS},
	{"display", WORDS}, {"dominant-baseline", WORDS}, {"fill-opacity", WORDS},
	{"fill-rule", WORDS}, {"font-family", WORDS}, {"font-size", WORDS}, {"font-style", WORDS},
	{"font-weight", WORDS}, {"id", OWN_ID}, {"opacity", WORDS}, {"paint-order", WORDS},
	{"patternTransform", WORDS}, {"patternUnits", WORDS}, {"pointer-events", WORDS},
	{"role", WORDS}, {"shape-rendering", WORDS}, {"stroke-dasharray", WORDS},
	{"stroke-linecap", WORDS}, {"stroke-linejoin", WORDS}, {"stroke-opacity", WORDS},
	{"tabindex", WORDS}, {"text-anchor", WORDS}, {"unicode-bidi", WORDS},
	{"vector-effect", WORDS}, {"viewBox", WORDS}, {"aria-hidden", WORDS}, {"aria-level", WORDS},
	{"aria-label", USERS_TEXT}, {"aria-labelledby", OWN_IDS}, {"xmlns", NAMESPACE}
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool
refuse(Copy *c, const char *what)
{
	return fg_fail_at(c->ctx, FG_ERROR_ARGUMENT, 0, 0, not_ours,
					  "this is not a picture of this extension: byte %zu: %s",
					  (size_t) (c->at - c->start) + 1, what);
}

/* --- names and values --------------------------------------------------------------- */

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_word_sign(char c)
{
	return is_letter(c) || is_digit(c) || (c != '\0' && strchr(" .,#%+-:/_()", c) != NULL);
}

static bool
is_name(const char *name, size_t length, const char *what)
{
	return strlen(what) == length && memcmp(name, what, length) == 0;
}

/* Letters, digits and hyphens from "at" on. */
static size_t
name_length(const Copy *c)
{
	const char *at = c->at;

	while (at < c->end && (is_letter(*at) || (at > c->at && (is_digit(*at) || *at == '-'))))
		at++;
	return (size_t) (at - c->at);
}

static const Element *
find_element(const char *name, size_t length)
{
	for (size_t i = 0; i < COUNT(elements); i++)
	{
		if (is_name(name, length, elements[i].name))
			return &elements[i];
	}
	return NULL;
}

/* data-... of any name is text for scripts of users. */
static bool
find_attribute(const char *name, size_t length, Value *value)
{
	*value = USERS_TEXT;
	if (length > 5 && memcmp(name, "data-", 5) == 0)
		return true;
	for (size_t i = 0; i < COUNT(attributes); i++)
	{
		if (!is_name(name, length, attributes[i].name))
			continue;
		*value = attributes[i].value;
		return true;
	}
	return false;
}

/* --- text --------------------------------------------------------------------------- */

/* One of the five entities that our writer writes, at "&"; 0: another. */
static size_t
entity_length(const char *at, const char *end)
{
	static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};

	for (size_t i = 0; i < COUNT(names); i++)
	{
		size_t		length = strlen(names[i]);

		if ((size_t) (end - at) >= length && memcmp(at, names[i], length) == 0)
			return length;
	}
	return 0;
}

/* Passes text up to "stop" (which is not passed) and writes it as it is. */
static bool
copy_text(Copy *c, char stop)
{
	const char *from = c->at;

	while (c->at < c->end && *c->at != stop)
	{
		size_t		size;
		uint32_t	character;

		if (*c->at == '<' || *c->at == '>')
			return refuse(c, "a sign of markup in a text");
		if (*c->at == '&')
			size = entity_length(c->at, c->end);
		else
		{
			character = fg_xml_character(c->at, (size_t) (c->end - c->at), &size);
			if (character != '\n' && fg_xml_hidden(character))
				return refuse(c, "a character that cannot be seen");
		}
		if (size == 0)
			return refuse(c, "an entity that our pictures do not have");
		c->at += size;
		if (!fg_work(c->ctx, size))
			return false;
	}
	fg_xml_bytes(c->to, from, (size_t) (c->at - from));
	return c->at < c->end || refuse(c, "its end is missing");
}

/* --- attributes ---------------------------------------------------------------------- */

/* The picture's id with its number, and the part's name behind it. */
static bool
copy_id(Copy *c, char stop)
{
	const char *from;

	if ((size_t) (c->end - c->at) < ID_LENGTH || memcmp(c->at, c->id, ID_LENGTH) != 0)
		return refuse(c, "the name of something that is not part of the picture");
	c->at += ID_LENGTH;
	fg_xml_bytes(c->to, c->id, ID_LENGTH);
	fg_xml_format(c->to, "x%u", c->number);
	for (from = c->at; c->at < c->end && (is_letter(*c->at) || is_digit(*c->at) || *c->at == '-');)
		c->at++;
	fg_xml_bytes(c->to, from, (size_t) (c->at - from));
	return (c->at < c->end && (*c->at == stop || *c->at == ' ')) ||
		refuse(c, "an id of another form");
}

static bool
copy_ids(Copy *c)
{
	while (copy_id(c, '"'))
	{
		if (*c->at == '"')
			return true;
		c->at++;
		fg_xml_put(c->to, " ");
	}
	return false;
}

static bool
copy_words(Copy *c)
{
	const char *from = c->at;

	while (c->at < c->end && is_word_sign(*c->at))
	{
		if (c->end - c->at >= 4 && memcmp(c->at, "url(", 4) == 0)
			return refuse(c, "a reference");
		c->at++;
	}
	if (c->at == c->end || *c->at != '"')
		return refuse(c, "a value with signs that our pictures do not have");
	fg_xml_bytes(c->to, from, (size_t) (c->at - from));
	return fg_work(c->ctx, (size_t) (c->at - from));
}

static bool
copy_paint(Copy *c)
{
	static const char url[] = "url(#";

	if ((size_t) (c->end - c->at) < sizeof(url) || memcmp(c->at, url, sizeof(url) - 1) != 0)
		return copy_words(c);
	fg_xml_put(c->to, url);
	c->at += sizeof(url) - 1;
	if (!copy_id(c, ')'))
		return false;
	if (*c->at != ')')
		return refuse(c, "an id of another form");
	fg_xml_put(c->to, ")");
	c->at++;
	return (c->at < c->end && *c->at == '"') || refuse(c, "more than one reference");
}

/* The id of the picture, at the value of the first id. */
static bool
take_id(Copy *c)
{
	size_t		left = (size_t) (c->end - c->at);
	bool		ok = left > ID_LENGTH && memcmp(c->at, "fg", 2) == 0 && c->at[ID_LENGTH] == '"';

	for (size_t i = 2; ok && i < ID_LENGTH; i++)
		ok = is_digit(c->at[i]) || (c->at[i] >= 'a' && c->at[i] <= 'f');
	if (!ok)
		return refuse(c, "its id is not that of a picture");
	memcpy(c->id, c->at, ID_LENGTH);
	return true;
}

static bool
copy_value(Copy *c, Value value)
{
	static const char namespace[] = "http://www.w3.org/2000/svg\"";

	switch (value)
	{
		case WORDS:
			return copy_words(c);
		case USERS_TEXT:
			return copy_text(c, '"');
		case OWN_ID:
			return (c->id[0] != '\0' || take_id(c)) && copy_id(c, '"');
		case OWN_IDS:
			return copy_ids(c);
		case PAINT:
			return copy_paint(c);
		case NAMESPACE:
			if ((size_t) (c->end - c->at) < sizeof(namespace) ||
				memcmp(c->at, namespace, sizeof(namespace) - 1) != 0)
				return refuse(c, "another language than SVG");
			fg_xml_bytes(c->to, namespace, sizeof(namespace) - 2);
			c->at += sizeof(namespace) - 2;
			return true;
	}
	return false;
}

static bool
copy_attribute(Copy *c, FgText seen[], size_t count)
{
	size_t		length = name_length(c);
	Value		value;

	if (!find_attribute(c->at, length, &value))
		return refuse(c, "an attribute that our pictures do not have");
	for (size_t i = 0; i < count; i++)
	{
		if (seen[i].length == length && memcmp(seen[i].bytes, c->at, length) == 0)
			return refuse(c, "an attribute comes twice");
	}
	if (count == MAX_ATTRIBUTES)
		return refuse(c, "too many attributes");
	seen[count] = (FgText) {c->at, length};
	if ((size_t) (c->end - c->at) < length + 2 || memcmp(c->at + length, "=\"", 2) != 0)
		return refuse(c, "an attribute without a value in double quotes");
	fg_xml_put(c->to, " ");
	fg_xml_bytes(c->to, c->at, length + 2);
	c->at += length + 2;
	if (!copy_value(c, value))
		return false;
	if (*c->at != '"')
		return refuse(c, "a value that does not end");
	fg_xml_put(c->to, "\"");
	c->at++;
	return true;
}

static bool
copy_attributes(Copy *c)
{
	FgText		seen[MAX_ATTRIBUTES];

	for (size_t count = 0; c->at < c->end && *c->at == ' '; count++)
	{
		c->at++;
		if (!copy_attribute(c, seen, count))
			return false;
	}
	return true;
}

/* --- elements ------------------------------------------------------------------------- */

/* An element with what it holds, of which nothing is written. */
static bool
leave_out(Copy *c, const Element *element)
{
	char		close[16];
	size_t		length = strlen(element->name) + 3;

	memcpy(close, "</", 2);
	memcpy(close + 2, element->name, length - 3);
	close[length - 1] = '>';
	for (; (size_t) (c->end - c->at) >= length; c->at++)
	{
		if (*c->at == '<' && memcmp(c->at, close, length) == 0)
		{
			c->at += length;
			return true;
		}
		if (!fg_work(c->ctx, 1))
			return false;
	}
	return refuse(c, "an element does not end");
}

static bool
may_hold(const Copy *c, const Element *element)
{
	const Element *parent = c->depth > 0 ? c->open[c->depth - 1] : NULL;

	if (parent == NULL)
		return is_name("svg", 3, element->name);
	if (parent->content == BOTH)
		return element->content == TEXT;
	return parent->content == ELEMENTS && !is_name("svg", 3, element->name);
}

static bool
open_element(Copy *c)
{
	size_t		length;
	const Element *element;

	c->at++;
	length = name_length(c);
	element = find_element(c->at, length);
	if (element == NULL || !may_hold(c, element))
		return refuse(c, "an element that our pictures do not have there");
	if (c->depth == MAX_DEPTH)
		return refuse(c, "elements are nested too deep");
	c->at += length;
	if (element->content == LEFT_OUT)
		return leave_out(c, element);
	if (is_name("metadata", 8, element->name))
	{
		bool		chart = c->depth > 0 && is_name("g", 1, c->open[c->depth - 1]->name);

		c->parts.data |= !chart;
		c->parts.chart |= chart;
	}
	fg_xml_format(c->to, "<%s", element->name);
	if (!copy_attributes(c))
		return false;
	if (c->id[0] == '\0')
		return refuse(c, "it has no id");
	if (c->end - c->at >= 2 && c->at[0] == '/' && c->at[1] == '>')
	{
		c->at += 2;
		fg_xml_put(c->to, "/>");
		return true;
	}
	if (c->at == c->end || *c->at != '>')
		return refuse(c, "the end of a tag is missing");
	c->at++;
	fg_xml_put(c->to, ">");
	c->open[c->depth++] = element;
	return true;
}

static bool
close_element(Copy *c)
{
	const char *name = c->depth > 0 ? c->open[c->depth - 1]->name : "";
	size_t		length = strlen(name);

	if (c->depth == 0 || (size_t) (c->end - c->at) < length + 3 ||
		memcmp(c->at + 2, name, length) != 0 || c->at[length + 2] != '>')
		return refuse(c, "the end of another element");
	fg_xml_bytes(c->to, c->at, length + 3);
	c->at += length + 3;
	c->depth--;
	return true;
}

/* Between elements that hold no text only ends of lines may stand. */
static bool
copy_between(Copy *c)
{
	const Element *parent = c->open[c->depth - 1];

	if (parent->content == TEXT || parent->content == BOTH)
		return copy_text(c, '<');
	if (*c->at != '\n' && *c->at != ' ')
		return refuse(c, "text where our pictures have none");
	fg_xml_bytes(c->to, c->at++, 1);
	return fg_work(c->ctx, 1);
}

static bool
copy_picture(Copy *c)
{
	do
	{
		bool		closes = c->end - c->at >= 2 && c->at[0] == '<' && c->at[1] == '/';

		if (!(closes ? close_element(c) : *c->at == '<' ? open_element(c) : copy_between(c)))
			return false;
	} while (c->depth > 0 && c->at < c->end);
	if (c->depth > 0)
		return refuse(c, "its end is missing");
	while (c->at < c->end && *c->at == '\n')
		c->at++;
	return c->at == c->end || refuse(c, "something behind the picture");
}

bool
fg_svg_copy(FgXml *to, FgText svg, uint32_t number, FgSvgParts *parts)
{
	Copy		c = {.ctx = to->buffer.ctx, .to = to, .start = svg.bytes, .at = svg.bytes,
	.end = svg.bytes + svg.length, .number = number};

	if (svg.length == 0 || *svg.bytes != '<')
		return refuse(&c, "it does not begin with <svg");
	if (!copy_picture(&c))
		return false;
	*parts = c.parts;
	fg_xml_put(to, "\n");
	return to->ok;
}
