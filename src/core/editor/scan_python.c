/*
 * scan_python.c
 *	  The functions of a Python file: by the indentation of their lines.
 */
#include "core/editor/scan_internal.h"

#include <string.h>

#define MOST_SCOPES 256

typedef struct Scope
{
	uint32_t	indent;
	uint32_t	function;		/* FG_NONE: a class */
	FgSlice		name;
} Scope;

typedef struct Python
{
	FgContext  *ctx;
	const char *text;
	size_t		size;
	size_t		at;
	FgFunctions *functions;
	Scope		scopes[MOST_SCOPES];
	size_t		depth;
	uint32_t	code_end;		/* behind the last line that is more than a comment */
} Python;

static void
skip_string(Python *p)
{
	char		quote = p->text[p->at];
	bool		triple = p->size - p->at >= 3 && p->text[p->at + 1] == quote && p->text[p->at + 2] == quote;

	for (p->at += triple ? 3 : 1; p->at < p->size; p->at++)
	{
		char		byte = p->text[p->at];

		if (byte == '\\')
			p->at++;
		else if (byte == '\n' && !triple)
			return;
		else if (byte == quote && !triple)
		{
			p->at++;
			return;
		}
		else if (byte == quote && p->size - p->at >= 3 && p->text[p->at + 1] == quote && p->text[p->at + 2] == quote)
		{
			p->at += 3;
			return;
		}
	}
	p->at = p->size;
}

/* To the begin of the next line that no bracket, string or backslash joins with this one. */
static bool
skip_logical_line(Python *p)
{
	size_t		start = p->at;
	size_t		depth = 0;

	while (p->at < p->size)
	{
		char		byte = p->text[p->at];

		if (byte == '"' || byte == '\'')
		{
			skip_string(p);
			p->code_end = (uint32_t) p->at;
			continue;
		}
		if (byte == '#')
		{
			while (p->at < p->size && p->text[p->at] != '\n')
				p->at++;
			continue;
		}
		if (byte == '\n' && depth == 0)
		{
			p->at++;
			break;
		}
		if (byte == '(' || byte == '[' || byte == '{')
			depth++;
		else if ((byte == ')' || byte == ']' || byte == '}') && depth > 0)
			depth--;
		else if (byte == '\\')
			p->at++;
		p->at++;
		if (byte != ' ' && byte != '\t' && byte != '\r' && byte != '\n')
			p->code_end = (uint32_t) (p->at < p->size ? p->at : p->size);
	}
	if (p->at > p->size)
		p->at = p->size;
	return fg_work(p->ctx, p->at - start);
}

static FgSlice
take_name(Python *p, size_t at)
{
	FgSlice		name = {(uint32_t) at, 0};

	while (at < p->size && fg_is_word_byte((uint8_t) p->text[at]))
		at++;
	name.length = (uint32_t) (at - name.at);
	return name;
}

static size_t
skip_spaces(const Python *p, size_t at)
{
	while (at < p->size && (p->text[at] == ' ' || p->text[at] == '\t'))
		at++;
	return at;
}

static bool
is_word(const Python *p, FgSlice word, const char *text)
{
	return word.length == strlen(text) && memcmp(p->text + word.at, text, word.length) == 0;
}

/* Closes what is not indented less than this line. */
static void
close_scopes(Python *p, uint32_t indent)
{
	while (p->depth > 0 && p->scopes[p->depth - 1].indent >= indent)
	{
		uint32_t	function = p->scopes[--p->depth].function;

		if (function != FG_NONE)
			p->functions->items[function].end = p->code_end;
	}
}

static uint32_t
outer_function(const Python *p)
{
	for (size_t i = p->depth; i-- > 0;)
	{
		if (p->scopes[i].function != FG_NONE)
			return p->scopes[i].function;
	}
	return FG_NONE;
}

static bool
take_head(Python *p, uint32_t indent, size_t at)
{
	FgSlice		word = take_name(p, at);
	FgSlice		name;
	uint32_t	function = FG_NONE;

	if (is_word(p, word, "async"))
		word = take_name(p, skip_spaces(p, word.at + word.length));
	if (!is_word(p, word, "def") && !is_word(p, word, "class"))
		return true;
	name = take_name(p, skip_spaces(p, word.at + word.length));
	if (name.length == 0)
		return true;
	if (p->depth == MOST_SCOPES)
	{
		p->functions->cut = true;
		return true;
	}
	if (is_word(p, word, "def"))
	{
		FgFunction	found = {.name = name, .start = (uint32_t) at, .end = (uint32_t) at,
		.arguments = FG_ARGUMENTS_UNKNOWN, .outer = outer_function(p)};

		if (p->depth > 0)
			found.owner = p->scopes[p->depth - 1].name;
		if (!fg_add_function(p->ctx, p->functions, &found, &function))
			return false;
		if (function == FG_NONE)
			return true;
	}
	p->scopes[p->depth++] = (Scope) {indent, function, name};
	return true;
}

bool
fg_scan_python(FgContext *ctx, const char *text, size_t size, FgFunctions *functions)
{
	Python		p = {.ctx = ctx, .text = text, .size = size, .functions = functions};

	while (p.at < size && !functions->cut)
	{
		uint32_t	indent = 0;
		size_t		at = p.at;

		for (; at < size && (text[at] == ' ' || text[at] == '\t' || text[at] == '\f'); at++)
			indent = text[at] == '\t' ? (indent / 8 + 1) * 8 : indent + 1;
		if (at < size && text[at] != '\n' && text[at] != '\r' && text[at] != '#')
		{
			close_scopes(&p, indent);
			if (!take_head(&p, indent, at))
				return false;
		}
		if (!skip_logical_line(&p))
			return false;
	}
	close_scopes(&p, 0);
	return true;
}
