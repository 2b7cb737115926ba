/*
 * scan.c
 *	  The functions of a source file, in languages with braces.
 *
 * Each open bracket is a level.  What was met in a level since its last statement ended is
 * kept in a few fields: the last name before an argument list, a keyword, what is assigned
 * to.  A { then tells from them what it begins.
 */
#include "core/editor/scan_internal.h"

#include <string.h>

#define MOST_LEVELS 2048
#define MOST_CONDITIONS 64

typedef enum Scope
{
	SCOPE_FILE, SCOPE_TYPE, SCOPE_OBJECT, SCOPE_FUNCTION, SCOPE_OTHER, SCOPE_GROUP
} Scope;

typedef enum Keyword
{
	KEYWORD_NONE, KEYWORD_FUNCTION, KEYWORD_TYPE, KEYWORD_CONTROL
} Keyword;

typedef struct Level
{
	Scope		scope;
	char		closing;		/* 0: the file */
	bool		template;		/* ${ } */
	bool		filled;			/* something is in it */
	uint32_t	function;		/* that its end ends, or FG_NONE */
	uint32_t	inside;			/* the innermost function, or FG_NONE */
	uint32_t	commas;
	FgSlice		owner;			/* of functions in it */

	/* since the last statement ended */
	FgToken		last;
	Keyword		keyword;
	uint32_t	keyword_at;
	FgSlice		name;			/* the word before the argument list */
	FgSlice		type;			/* what is behind class, struct, impl */
	bool		type_known;
	FgSlice		qualifier;		/* the word before :: */
	FgSlice		name_owner;
	FgSlice		target;			/* what is assigned to */
	FgSlice		receiver;		/* the last word of a group */
	FgSlice		generic;		/* the word before < */
	int			angle;
	bool		closed;			/* the argument list has ended */
	uint32_t	arguments;
	bool		arrow;			/* => was the last sign */
	uint32_t	arrow_function; /* one whose body is an expression, or FG_NONE */
	uint32_t	arrow_at;
	bool		assigned;
	bool		made;			/* new */
	bool		result;			/* a colon behind the argument list */
} Level;

typedef struct Scanner
{
	FgLexer		lexer;
	FgFunctions *functions;
	Level	   *levels;
	size_t		depth;			/* the innermost level is levels[depth] */
	size_t		conditions[MOST_CONDITIONS];
	size_t		condition_count;
} Scanner;

static const FgSlice no_slice = {0, 0};

static bool
is_sign(const FgToken *token, int sign)
{
	return token->kind == FG_SOURCE_SIGN && token->sign == sign;
}

static FgSlice
slice_of(const FgToken *token)
{
	return (FgSlice) {token->at, token->length};
}

static bool
word_is(const Scanner *s, const FgToken *token, const char *word)
{
	return token->length == strlen(word) && memcmp(s->lexer.text + token->at, word, token->length) == 0;
}

static void
end_statement(Scanner *s, uint32_t at)
{
	Level	   *level = &s->levels[s->depth];
	Level		clean = {.scope = level->scope, .closing = level->closing, .template = level->template,
		.filled = level->filled, .function = level->function, .inside = level->inside,
	.commas = level->commas, .owner = level->owner, .receiver = level->receiver, .arrow_function = FG_NONE};

	if (level->arrow_function != FG_NONE)
	{
		s->functions->items[level->arrow_function].end = at;
		clean.inside = s->functions->items[level->arrow_function].outer;
	}
	*level = clean;
}

/* --- words ------------------------------------------------------------------------------------ */

static Keyword
keyword_of(FgLanguage language, const char *text, size_t length)
{
	static const char *const control[] = {"if", "for", "while", "switch", "catch", "do", "else", "try", "return",
	"match", "loop", "with", "select", "defer", "go", "synchronized", "sizeof", "case", "assert", "finally", NULL};
	static const char *const types[] = {"class", "struct", "union", "enum", "namespace", "interface", "record", "trait",
	"impl", "mod", NULL};
	static const char *const go_types[] = {"struct", "interface", NULL};
	const char *function = language == FG_LANGUAGE_RUST ? "fn" : language == FG_LANGUAGE_GO ? "func" :
		language == FG_LANGUAGE_JAVASCRIPT ? "function" : "";

	if (length == strlen(function) && memcmp(text, function, length) == 0)
		return KEYWORD_FUNCTION;
	if (language == FG_LANGUAGE_GO && fg_word_in(go_types, text, length))
		return KEYWORD_NONE;
	if (length >= 3 && fg_word_in(types, text, length))
	{
		bool		rust = memcmp(text, "tra", 3) == 0 || memcmp(text, "imp", 3) == 0 || memcmp(text, "mod", 3) == 0;

		if (rust == (language == FG_LANGUAGE_RUST) || !rust)
			return memcmp(text, "rec", 3) == 0 && language != FG_LANGUAGE_JAVA ? KEYWORD_NONE : KEYWORD_TYPE;
	}
	return fg_word_in(control, text, length) ? KEYWORD_CONTROL : KEYWORD_NONE;
}

/* What may stand between an argument list and the body. */
static bool
is_trailer(const char *text, size_t length)
{
	static const char *const trailers[] = {"const", "noexcept", "override", "final", "volatile", "try", "requires",
	"throw", "throws", "mutable", "default", "__attribute__", "where", NULL};

	for (size_t i = 0; i < length; i++)
	{
		if ((text[i] < 'A' || text[i] > 'Z') && text[i] != '_' && (text[i] < '0' || text[i] > '9'))
			return fg_word_in(trailers, text, length);
	}
	return true;
}

/* A word behind class, impl and the like: the name is the last one before what it is derived from. */
static void
take_type_word(Scanner *s, Level *level, const FgToken *token)
{
	static const char *const ends[] = {"extends", "implements", "permits", "where", NULL};

	if (fg_word_in(ends, s->lexer.text + token->at, token->length))
		level->type_known = true;
	else if (!level->type_known && level->angle == 0 && !word_is(s, token, "final"))
		level->type = slice_of(token);
}

static void
take_name_word(Scanner *s, Level *level, const FgToken *token)
{
	FgLanguage	language = s->lexer.language;

	if (level->keyword == KEYWORD_TYPE)
		take_type_word(s, level, token);
	if (level->keyword == KEYWORD_FUNCTION && level->name.length == 0 && !level->closed)
		level->name = slice_of(token);
	/* MACRO(x) void f(...): the list was not that of the function */
	if ((language == FG_LANGUAGE_C || language == FG_LANGUAGE_CPP) && level->closed && !level->result &&
		!is_trailer(s->lexer.text + token->at, token->length))
	{
		level->closed = false;
		level->name = no_slice;
	}
	if (word_is(s, token, "new"))
		level->made = true;
}

static void
take_word(Scanner *s, const FgToken *token)
{
	Level	   *level = &s->levels[s->depth];
	FgLanguage	language = s->lexer.language;
	static const char *const begin[] = {"const", "let", "var", "export", "import", "return", "throw", "type", NULL};
	/* a.class, @interface X and the keys of objects are names; so is what impl is for */
	bool		member = is_sign(&level->last, '.');
	Keyword		keyword = member ? KEYWORD_NONE : keyword_of(language, s->lexer.text + token->at, token->length);

	if (language == FG_LANGUAGE_RUST && level->keyword == KEYWORD_TYPE && word_is(s, token, "for"))
	{
		level->type = no_slice;
		level->type_known = false;
		return;
	}
	if (language == FG_LANGUAGE_JAVASCRIPT && level->scope != SCOPE_GROUP && !member &&
		fg_word_in(begin, s->lexer.text + token->at, token->length) &&
		!(level->scope == SCOPE_TYPE || level->scope == SCOPE_OBJECT))
		end_statement(s, token->at);
	if (keyword == KEYWORD_FUNCTION)
	{
		level->keyword = KEYWORD_FUNCTION;
		level->keyword_at = token->at;
		level->name = no_slice;
		level->closed = false;
	}
	else if (keyword == KEYWORD_TYPE && level->keyword != KEYWORD_FUNCTION)
	{
		level->keyword = KEYWORD_TYPE;
		level->type = no_slice;
		level->type_known = false;
	}
	else if (keyword == KEYWORD_CONTROL && level->keyword != KEYWORD_FUNCTION && level->keyword != KEYWORD_TYPE &&
			 !(language == FG_LANGUAGE_CPP && level->closed))	/* f(...) try { */
	{
		level->keyword = KEYWORD_CONTROL;
		level->name = no_slice;
	}
	else
		take_name_word(s, level, token);
	level->arrow = level->arrow && level->arrow_function != FG_NONE;
}

/* --- functions ---------------------------------------------------------------------------------- */

static bool
add_function(Scanner *s, const Level *level, FgSlice name, FgSlice owner, uint32_t start, uint32_t *number)
{
	FgFunction	found = {.name = name, .owner = owner, .start = start, .end = start, .arguments = level->arguments,
	.outer = level->inside};

	return fg_add_function(s->lexer.ctx, s->functions, &found, number);
}

static bool
is_function_scope(const Scanner *s, const Level *level)
{
	switch (s->lexer.language)
	{
		case FG_LANGUAGE_JAVASCRIPT:
			return level->scope == SCOPE_TYPE || level->scope == SCOPE_OBJECT;
		default:
			return level->scope == SCOPE_FILE || level->scope == SCOPE_TYPE;
	}
}

/* What a { begins: a function with *name, or another scope. */
static Scope
classify_javascript(const Level *level, FgSlice *name, uint32_t *start)
{
	bool		keyed = level->keyword == KEYWORD_FUNCTION && level->closed;

	*name = keyed && level->name.length > 0 ? level->name : level->target;
	if (keyed || is_sign(&level->last, FG_SIGN_ARROW))
	{
		*start = name->length > 0 ? name->at : keyed ? level->keyword_at : level->arrow_at;
		return SCOPE_FUNCTION;
	}
	if (level->keyword == KEYWORD_TYPE)
		return SCOPE_TYPE;
	if (level->closed && level->name.length > 0 && level->keyword == KEYWORD_NONE && !level->assigned &&
		(level->scope == SCOPE_TYPE || level->scope == SCOPE_OBJECT))
	{
		*name = level->name;
		*start = name->at;
		return SCOPE_FUNCTION;
	}
	if (level->scope == SCOPE_GROUP || level->assigned || level->keyword == KEYWORD_CONTROL || is_sign(&level->last, ':') ||
		is_sign(&level->last, ','))
		return level->keyword == KEYWORD_CONTROL ? SCOPE_OTHER : SCOPE_OBJECT;
	return SCOPE_OTHER;
}

static Scope
classify(const Scanner *s, const Level *level, FgSlice *name, uint32_t *start)
{
	FgLanguage	language = s->lexer.language;

	*name = level->name;
	*start = level->name.at;
	/* a member of a constructor: name(...) : member{...} */
	if (language == FG_LANGUAGE_CPP && level->result && (level->last.kind == FG_SOURCE_WORD || is_sign(&level->last, '>')) &&
		!is_trailer(s->lexer.text + level->last.at, level->last.length))
		return SCOPE_OTHER;
	if (language == FG_LANGUAGE_JAVASCRIPT)
		return classify_javascript(level, name, start);
	if (language == FG_LANGUAGE_RUST || language == FG_LANGUAGE_GO)
	{
		bool		literal = language == FG_LANGUAGE_GO && level->last.kind == FG_SOURCE_WORD &&
			(word_is(s, &level->last, "interface") || word_is(s, &level->last, "struct"));

		if (level->keyword == KEYWORD_FUNCTION && level->closed && !literal)
		{
			*start = level->keyword_at;
			return SCOPE_FUNCTION;
		}
		return level->keyword == KEYWORD_TYPE ? SCOPE_TYPE : SCOPE_OTHER;
	}
	if (level->made && language == FG_LANGUAGE_JAVA)
		return SCOPE_TYPE;
	if (level->closed && level->name.length > 0 && !level->assigned && is_function_scope(s, level) &&
		level->keyword != KEYWORD_CONTROL &&
		!(language == FG_LANGUAGE_JAVA && level->keyword == KEYWORD_TYPE))
		return SCOPE_FUNCTION;
	if (level->keyword == KEYWORD_TYPE && !level->assigned)
		return SCOPE_TYPE;
	/* extern "C" { */
	if (level->last.kind == FG_SOURCE_STRING && level->scope == SCOPE_FILE)
		return SCOPE_FILE;
	return SCOPE_OTHER;
}

static bool
push(Scanner *s, const Level *level)
{
	if (s->depth + 1 == MOST_LEVELS)
	{
		s->functions->cut = true;
		return true;
	}
	s->levels[++s->depth] = *level;
	return true;
}

static FgSlice
owner_within(const Level *level, Scope scope)
{
	if (scope != SCOPE_TYPE)
		return scope == SCOPE_FILE || scope == SCOPE_OTHER ? level->owner : no_slice;
	return level->type.length > 0 ? level->type : level->made ? no_slice : level->target;
}

static bool
open_brace(Scanner *s, const FgToken *token)
{
	Level	   *level = &s->levels[s->depth];
	FgSlice		name;
	uint32_t	start;
	Scope		scope = classify(s, level, &name, &start);
	Level		inner = {.scope = scope, .closing = '}', .template = token->kind == FG_SOURCE_TEMPLATE,
	.function = FG_NONE, .inside = level->inside, .arrow_function = FG_NONE};

	/* a template's values, and members of types that are the result of a function */
	if (inner.template || (s->lexer.language == FG_LANGUAGE_JAVASCRIPT && level->result && is_sign(&level->last, ':')))
		inner.scope = scope = SCOPE_OTHER;
	inner.owner = owner_within(level, scope);
	if (scope == SCOPE_FUNCTION)
	{
		FgSlice		owner = level->name_owner.length > 0 ? level->name_owner : level->owner;

		if (!add_function(s, level, name, owner, start, &inner.function))
			return false;
		if (inner.function != FG_NONE)
			inner.inside = inner.function;
	}
	return push(s, &inner);
}

static bool
open_group(Scanner *s, const FgToken *token)
{
	Level	   *level = &s->levels[s->depth];
	FgLanguage	language = s->lexer.language;
	Level		inner = {.scope = SCOPE_GROUP, .closing = token->sign == '(' ? ')' : ']', .function = FG_NONE,
	.inside = level->inside, .arrow_function = FG_NONE};
	FgToken    *last = &level->last;
	bool		word = last->kind == FG_SOURCE_WORD && keyword_of(language, s->lexer.text + last->at, last->length) == KEYWORD_NONE;
	FgSlice		name = word ? slice_of(last) : is_sign(last, '>') ? level->generic : no_slice;

	if (name.length > 0 && name.at > 0 && language == FG_LANGUAGE_JAVA && s->lexer.text[name.at - 1] == '@')
		name = no_slice;
	if (name.length > 0 && name.at > 0 && language == FG_LANGUAGE_CPP && s->lexer.text[name.at - 1] == '~')
		name = (FgSlice) {name.at - 1, name.length + 1};
	level->arrow_at = token->at;
	if (token->sign == '(' && level->keyword == KEYWORD_FUNCTION)
	{
		/* func (r *T) name(...): the first list was the receiver */
		if (language == FG_LANGUAGE_GO && level->closed && level->name.length == 0 && word)
		{
			level->name = name;
			level->name_owner = level->receiver;
			level->closed = false;
		}
	}
	else if (token->sign == '(' && (!level->closed || language == FG_LANGUAGE_JAVASCRIPT) && name.length > 0 &&
			 !is_sign(last, '.') && level->keyword != KEYWORD_CONTROL)
	{
		level->name = name;
		level->name_owner = level->qualifier;
		level->closed = false;
	}
	else if (token->sign == '(' && language == FG_LANGUAGE_JAVASCRIPT)
		level->name = no_slice;
	return push(s, &inner);
}

/* f(void) of C; "receiver" is the last word of the list */
static bool
is_void(const Scanner *s, const Level *list)
{
	return list->commas == 0 && list->receiver.length == 4 && s->lexer.text[list->receiver.at - 1] == '(' &&
		memcmp(s->lexer.text + list->receiver.at, "void", 4) == 0;
}

/* The level around one that has ended. */
static bool
close_level(Scanner *s, const FgToken *token)
{
	Level		inner;
	Level	   *level;
	bool		go_on;

	end_statement(s, token->at);
	inner = s->levels[s->depth];
	if (inner.function != FG_NONE)
		s->functions->items[inner.function].end = token->at + 1;
	level = &s->levels[--s->depth];
	if (inner.closing == ')')
	{
		/* (@Annotation(...) and f(...)(...) have no part in it) */
		if (!level->closed)
			level->arguments = inner.filled && !is_void(s, &inner) ? inner.commas + 1 : 0;
		level->receiver = inner.receiver;
		level->closed = level->closed || level->name.length > 0 || level->keyword == KEYWORD_FUNCTION;
	}
	else if (inner.template)
		return fg_skip_template(&s->lexer, &go_on) && (!go_on || open_brace(s, &(FgToken) {.kind = FG_SOURCE_TEMPLATE, .at = token->at}));
	else if (inner.closing == '}' && level->scope != SCOPE_GROUP)
	{
		/* the body of a function that has a type with braces as its result is still to come */
		bool		result = inner.function == FG_NONE && inner.scope == SCOPE_OTHER && level->keyword == KEYWORD_FUNCTION;

		if (!result && !(s->lexer.language == FG_LANGUAGE_JAVASCRIPT && level->result && inner.scope == SCOPE_OTHER) &&
			!(level->assigned && s->lexer.language != FG_LANGUAGE_JAVASCRIPT) &&
			!(s->lexer.language == FG_LANGUAGE_CPP && level->result && inner.scope != SCOPE_FUNCTION))
			end_statement(s, token->at + 1);
		else if (s->lexer.language == FG_LANGUAGE_JAVASCRIPT)
			level->result = false;
	}
	else if (inner.closing == '}')
	{
		level->keyword = KEYWORD_NONE;
		level->closed = false;
		level->target = no_slice;
	}
	return true;
}

/* --- signs ---------------------------------------------------------------------------------------- */

/* A sign that ends more than one level, where brackets do not match, ends those within it. */
static bool
close_to(Scanner *s, const FgToken *token)
{
	size_t		depth = s->depth;

	while (depth > 0 && s->levels[depth].closing != token->sign)
		depth--;
	if (depth == 0)
		return true;
	while (s->depth >= depth)
	{
		if (!close_level(s, token) || !fg_steps(s->lexer.ctx, 1))
			return false;
		if (s->depth < depth)
			break;
	}
	return true;
}

static bool
take_arrow(Scanner *s, const FgToken *token)
{
	Level	   *level = &s->levels[s->depth];

	if (s->lexer.language != FG_LANGUAGE_JAVASCRIPT)
		return true;
	if (level->last.kind == FG_SOURCE_WORD)
	{
		level->arrow_at = level->last.at;
		level->arguments = 1;
	}
	if (level->arrow_at == 0)
		level->arrow_at = token->at;
	level->arrow = true;
	return true;
}

/* The first token behind => that is no brace: the body is an expression. */
static bool
begin_expression(Scanner *s)
{
	Level	   *level = &s->levels[s->depth];
	uint32_t	start = level->target.length > 0 ? level->target.at : level->arrow_at;
	uint32_t	number;

	level->arrow = false;
	if (level->arrow_function != FG_NONE)
		return true;
	if (!add_function(s, level, level->target, level->owner, start, &number))
		return false;
	level->arrow_function = number;
	if (number != FG_NONE)
		level->inside = number;
	return true;
}

static void
take_colon_or_assignment(Scanner *s, Level *level, const FgToken *token)
{
	if (s->lexer.language == FG_LANGUAGE_JAVASCRIPT)
	{
		if (token->sign == ':' && level->closed)
			level->result = true;
		else if (level->last.kind == FG_SOURCE_WORD && !(token->sign == ':' && level->assigned))
			level->target = slice_of(&level->last);
	}
	else if (token->sign == ':' && level->closed)
		level->result = true;	/* members of a constructor */
	else if (token->sign == ':' && level->keyword == KEYWORD_TYPE && level->angle == 0)
		level->type_known = true;
	/* operator= is a name, and a default value stands in a group */
	if (token->sign == '=')
		level->assigned = true;
}

static void
take_angle(Level *level, const FgToken *token)
{
	if (token->sign == '<')
	{
		if (level->angle++ == 0 && level->last.kind == FG_SOURCE_WORD)
			level->generic = slice_of(&level->last);
	}
	else if (level->angle > 0)
		level->angle--;
}

/* The signs that are the name of an operator of C++. */
static bool
take_operator(Scanner *s, const FgToken *token)
{
	FgLexer    *lexer = &s->lexer;
	Level	   *level = &s->levels[s->depth];
	size_t		at = token->at + token->length;

	if (lexer->language != FG_LANGUAGE_CPP || !word_is(s, token, "operator"))
		return false;
	while (at < lexer->size && lexer->text[at] == ' ')
		at++;
	if (at + 1 < lexer->size && lexer->text[at] == '(' && lexer->text[at + 1] == ')')
		at += 2;
	while (at < lexer->size && at - token->at < 16 && strchr("+-*/%^&|~!=<>,[]", lexer->text[at]) != NULL && lexer->text[at] != '\0')
		at++;
	lexer->at = at;
	level->last = (FgToken) {FG_SOURCE_WORD, 0, token->at, (uint32_t) (at - token->at)};
	return true;
}

static bool
take_sign(Scanner *s, const FgToken *token)
{
	Level	   *level = &s->levels[s->depth];

	switch (token->sign)
	{
		case '{':
			return open_brace(s, token);
		case '(':
		case '[':
			return open_group(s, token);
		case '}':
		case ')':
		case ']':
			return close_to(s, token);
		case ';':
			end_statement(s, token->at);
			break;
		case ',':
			if (level->angle == 0)
				level->commas++;
			if (s->lexer.language == FG_LANGUAGE_JAVASCRIPT)
				end_statement(s, token->at);
			break;
		case FG_SIGN_ARROW:
			return take_arrow(s, token);
		case FG_SIGN_SCOPE:
			level->qualifier = level->last.kind == FG_SOURCE_WORD ? slice_of(&level->last) : level->generic;
			break;
		case ':':
		case '=':
			take_colon_or_assignment(s, level, token);
			break;
		case '<':
		case '>':
			take_angle(level, token);
			break;
		default:
			break;
	}
	return true;
}

/* --- tokens ------------------------------------------------------------------------------------------ */

/* Each branch of an #if begins at the depth at which the first one did. */
static void
take_directive(Scanner *s)
{
	size_t	   *count = &s->condition_count;

	if (s->lexer.directive == 'i')
	{
		if (*count < MOST_CONDITIONS)
			s->conditions[*count] = s->depth;
		++*count;
	}
	else if (s->lexer.directive == 'e' && *count > 0 && *count <= MOST_CONDITIONS)
	{
		while (s->depth > s->conditions[*count - 1])
		{
			Level	   *level = &s->levels[s->depth--];

			if (level->function != FG_NONE)
				s->functions->items[level->function].end = (uint32_t) s->lexer.at;
		}
	}
	else if (s->lexer.directive == 'f' && *count > 0)
		--*count;
}

static void
take_package(Scanner *s, const FgToken *token)
{
	Level	   *level = &s->levels[0];

	if (s->depth == 0 && s->functions->package.length == 0 && token->kind == FG_SOURCE_WORD &&
		level->last.kind == FG_SOURCE_WORD && word_is(s, &level->last, "package"))
	{
		size_t		end = token->at + token->length;

		while (end < s->lexer.size && (s->lexer.text[end] == '.' || fg_is_word_byte((uint8_t) s->lexer.text[end])))
			end++;
		s->functions->package = (FgSlice) {token->at, (uint32_t) (end - token->at)};
	}
}

static bool
take_token(Scanner *s, const FgToken *token)
{
	size_t		depth = s->depth;
	Level	   *level = &s->levels[depth];

	if (level->arrow && !is_sign(token, '{') && !begin_expression(s))
		return false;
	if (!is_sign(token, ')') && !is_sign(token, ']'))
		level->filled = true;
	if (token->kind == FG_SOURCE_WORD)
	{
		take_package(s, token);
		take_word(s, token);
		level->receiver = level->scope == SCOPE_GROUP ? slice_of(token) : level->receiver;
		if (take_operator(s, token))
			return true;
	}
	else if (token->kind == FG_SOURCE_TEMPLATE)
	{
		if (!open_brace(s, token))
			return false;
	}
	else if (token->kind == FG_SOURCE_SIGN && !take_sign(s, token))
		return false;
	/* The sign that opened or closed a level is the last one of the level around it. */
	s->levels[s->depth < depth ? s->depth : depth].last = *token;
	if (is_sign(token, '{'))
		level->arrow = false;
	return true;
}

static bool
scan_braces(Scanner *s)
{
	FgToken		token;

	for (;;)
	{
		if (!fg_next_token(&s->lexer, &token))
			return false;
		if (token.kind == FG_SOURCE_END || s->functions->cut)
			break;
		if (token.kind == FG_SOURCE_LINE && s->lexer.directive != 0)
			take_directive(s);
		else if (token.kind == FG_SOURCE_LINE)
		{
			if (s->levels[s->depth].scope != SCOPE_GROUP)
				end_statement(s, token.at);
		}
		else if (!take_token(s, &token))
			return false;
	}
	/* What is still open ends with the text. */
	for (;; s->depth--)
	{
		end_statement(s, (uint32_t) s->lexer.size);
		if (s->levels[s->depth].function != FG_NONE)
			s->functions->items[s->levels[s->depth].function].end = (uint32_t) s->lexer.size;
		if (s->depth == 0)
			return true;
	}
}

/* --- the outside ---------------------------------------------------------------------------------------- */

bool
fg_add_function(FgContext *ctx, FgFunctions *functions, const FgFunction *function, uint32_t *number)
{
	*number = FG_NONE;
	if (functions->count == FG_MAX_FUNCTIONS)
	{
		functions->cut = true;
		return true;
	}
	if (!fg_reserve(ctx, (void **) &functions->items, &functions->capacity, functions->count + 1,
					sizeof(*functions->items)))
		return false;
	*number = (uint32_t) functions->count;
	functions->items[functions->count++] = *function;
	return true;
}

static FgLanguage
language_called(const char *name, size_t length)
{
	static const struct
	{
		const char *names[16];
		FgLanguage	language;
	}			languages[] = {
		{{"c", NULL}, FG_LANGUAGE_C},
		{{"cpp", "cc", "cxx", "h", "hpp", "hh", "hxx", "objective-cpp", "cuda-cpp", "ipp", "cu", NULL}, FG_LANGUAGE_CPP},
		{{"rust", "rs", NULL}, FG_LANGUAGE_RUST},
		{{"go", NULL}, FG_LANGUAGE_GO},
		{{"java", NULL}, FG_LANGUAGE_JAVA},
		{{"javascript", "typescript", "javascriptreact", "typescriptreact", "javascript.jsx", "typescript.tsx", "js", "ts",
		"mjs", "cjs", "mts", "cts", "jsx", "tsx", NULL}, FG_LANGUAGE_JAVASCRIPT},
		{{"python", "py", "pyi", "pyw", NULL}, FG_LANGUAGE_PYTHON}
	};

	for (size_t i = 0; i < sizeof(languages) / sizeof(languages[0]); i++)
	{
		if (fg_word_in(languages[i].names, name, length))
			return languages[i].language;
	}
	return FG_LANGUAGE_NONE;
}

FgLanguage
fg_language_of(const char *id, size_t id_length, const char *path, size_t path_length)
{
	FgLanguage	language = language_called(id, id_length);
	size_t		at = path_length;

	if (language != FG_LANGUAGE_NONE)
		return language;
	while (at > 0 && path[at - 1] != '.' && path[at - 1] != '/')
		at--;
	return at > 0 && path[at - 1] == '.' ? language_called(path + at, path_length - at) : FG_LANGUAGE_NONE;
}

bool
fg_scan_functions(FgContext *ctx, FgLanguage language, const char *text, size_t size, FgFunctions *functions)
{
	Scanner		s = {.lexer = {.ctx = ctx, .language = language, .text = text, .size = size}, .functions = functions};
	bool		ok;

	*functions = (FgFunctions) {.items = NULL};
	if (language == FG_LANGUAGE_NONE)
		return true;
	if (language == FG_LANGUAGE_PYTHON)
		ok = fg_scan_python(ctx, text, size, functions);
	else
	{
		s.levels = fg_alloc(ctx, MOST_LEVELS, sizeof(Level));
		ok = s.levels != NULL;
		if (ok)
			s.levels[0] = (Level) {.scope = SCOPE_FILE, .function = FG_NONE, .inside = FG_NONE, .arrow_function = FG_NONE};
		ok = ok && scan_braces(&s);
		fg_release(ctx, s.levels);
	}
	if (!ok)
		fg_functions_free(ctx, functions);
	return ok;
}

void
fg_functions_free(FgContext *ctx, FgFunctions *functions)
{
	fg_release(ctx, functions->items);
	*functions = (FgFunctions) {.items = NULL};
}

uint32_t
fg_function_at(const FgFunctions *functions, size_t offset)
{
	uint32_t	found = FG_NONE;

	for (uint32_t i = 0; i < functions->count; i++)
	{
		const FgFunction *function = &functions->items[i];

		if (offset >= function->start && offset < function->end &&
			(found == FG_NONE || function->end - function->start <= functions->items[found].end - functions->items[found].start))
			found = i;
	}
	return found;
}
