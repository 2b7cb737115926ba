/*
 * scan_tokens.c
 *	  Words, signs and strings of a source file, without its comments.
 */
#include "core/editor/scan_internal.h"

#include <string.h>

bool
fg_is_word_byte(uint8_t byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
		byte == '_' || byte == '$' || byte >= 0x80;
}

bool
fg_word_in(const char *const *words, const char *text, size_t length)
{
	for (; *words != NULL; words++)
	{
		if (strncmp(*words, text, length) == 0 && (*words)[length] == '\0')
			return true;
	}
	return false;
}

static bool
is_c(const FgLexer *lexer)
{
	return lexer->language == FG_LANGUAGE_C || lexer->language == FG_LANGUAGE_CPP;
}

/* 0 behind the end */
static char
byte_at(const FgLexer *lexer, size_t at)
{
	return at < lexer->size ? lexer->text[at] : '\0';
}

static bool
starts(const FgLexer *lexer, size_t at, const char *text)
{
	size_t		length = strlen(text);

	return lexer->size - at >= length && memcmp(lexer->text + at, text, length) == 0;
}

static void
skip_line(FgLexer *lexer)
{
	const char *end = memchr(lexer->text + lexer->at, '\n', lexer->size - lexer->at);

	lexer->at = end != NULL ? (size_t) (end - lexer->text) : lexer->size;
}

/* Rust's nest. */
static void
skip_comment(FgLexer *lexer)
{
	size_t		depth = 1;

	lexer->at += 2;
	while (lexer->at < lexer->size && depth > 0)
	{
		if (starts(lexer, lexer->at, "*/"))
		{
			depth--;
			lexer->at += 2;
		}
		else if (lexer->language == FG_LANGUAGE_RUST && starts(lexer, lexer->at, "/*"))
		{
			depth++;
			lexer->at += 2;
		}
		else
			lexer->at++;
	}
}

/* Up to the closing sign; backslashes hide the byte behind them; most strings end with their line. */
static void
skip_quoted(FgLexer *lexer, char quote, bool lines)
{
	for (lexer->at++; lexer->at < lexer->size; lexer->at++)
	{
		char		byte = lexer->text[lexer->at];

		if (byte == '\\')
			lexer->at++;
		else if (byte == quote)
		{
			lexer->at++;
			return;
		}
		else if (byte == '\n' && !lines)
			return;
	}
	lexer->at = lexer->size;
}

static void
skip_to(FgLexer *lexer, size_t from, const char *closing)
{
	size_t		length = strlen(closing);

	for (lexer->at = from; lexer->at < lexer->size; lexer->at++)
	{
		const char *next = memchr(lexer->text + lexer->at, closing[0], lexer->size - lexer->at);

		if (next == NULL)
			break;
		lexer->at = (size_t) (next - lexer->text);
		if (starts(lexer, lexer->at, closing))
		{
			lexer->at += length;
			return;
		}
	}
	lexer->at = lexer->size;
}

/* R"x(...)x" of C++ and r##"..."## of Rust, behind their letters; what closes them is at most 18 bytes. */
static bool
skip_raw(FgLexer *lexer, size_t at)
{
	char		closing[24] = "\"";
	size_t		length = 1;

	if (lexer->language == FG_LANGUAGE_RUST)
	{
		while (byte_at(lexer, at) == '#' && length < 18)
		{
			closing[length++] = '#';
			at++;
		}
		closing[length] = '\0';
		if (byte_at(lexer, at) != '"')
			return false;
		skip_to(lexer, at + 1, closing);
		return true;
	}
	closing[0] = ')';
	for (at++; byte_at(lexer, at) != '(' && at < lexer->size && length < 18; at++)
		closing[length++] = lexer->text[at];
	closing[length++] = '"';
	closing[length] = '\0';
	if (byte_at(lexer, at) != '(')
		return false;
	skip_to(lexer, at + 1, closing);
	return true;
}

bool
fg_skip_template(FgLexer *lexer, bool *inside)
{
	*inside = false;
	while (lexer->at < lexer->size)
	{
		char		byte = lexer->text[lexer->at];

		if (byte == '\\')
			lexer->at++;
		else if (byte == '`')
		{
			lexer->at++;
			return true;
		}
		else if (byte == '$' && byte_at(lexer, lexer->at + 1) == '{')
		{
			lexer->at += 2;
			*inside = true;
			return true;
		}
		lexer->at++;
	}
	lexer->at = lexer->size;
	return fg_work(lexer->ctx, 1);
}

/* Does a / begin a regular expression? It does where no value stands before it. */
static bool
is_regex(const FgLexer *lexer)
{
	static const char *const before[] = {"return", "typeof", "case", "in", "of", "delete", "void", "throw", "new",
	"else", "do", "yield", "await", NULL};
	const FgToken *last = &lexer->last;

	if (lexer->language != FG_LANGUAGE_JAVASCRIPT)
		return false;
	if (last->kind == FG_SOURCE_WORD)
		return fg_word_in(before, lexer->text + last->at, last->length);
	return last->kind != FG_SOURCE_NUMBER && last->kind != FG_SOURCE_STRING &&
		!(last->kind == FG_SOURCE_SIGN && (last->sign == ')' || last->sign == ']' || last->sign == '}'));
}

static void
skip_regex(FgLexer *lexer)
{
	bool		set = false;

	for (lexer->at++; lexer->at < lexer->size; lexer->at++)
	{
		char		byte = lexer->text[lexer->at];

		if (byte == '\n')
			return;
		if (byte == '\\')
			lexer->at++;
		else if (byte == '[')
			set = true;
		else if (byte == ']')
			set = false;
		else if (byte == '/' && !set)
		{
			lexer->at++;
			return;
		}
	}
	lexer->at = lexer->size;
}

/* A line of C's preprocessor, with those that it goes on in. */
static void
skip_directive(FgLexer *lexer)
{
	size_t		at = lexer->at + 1;

	while (byte_at(lexer, at) == ' ' || byte_at(lexer, at) == '\t')
		at++;
	if (starts(lexer, at, "if"))
		lexer->directive = 'i';
	else if (starts(lexer, at, "el"))
		lexer->directive = 'e';
	else if (starts(lexer, at, "endif"))
		lexer->directive = 'f';
	for (;;)
	{
		const char *end = memchr(lexer->text + lexer->at, '\n', lexer->size - lexer->at);

		if (end == NULL)
		{
			lexer->at = lexer->size;
			return;
		}
		lexer->at = (size_t) (end - lexer->text) + 1;
		if (end == lexer->text || (end[-1] != '\\' && (end[-1] != '\r' || end - lexer->text < 2 || end[-2] != '\\')))
			return;
	}
}

/* Go's rule for where a line ends a statement. */
static bool
line_ends_statement(const FgLexer *lexer)
{
	static const char *const open[] = {"func", "type", "struct", "interface", "map", "chan", "package", "import", "var",
	"const", "if", "for", "switch", "select", "case", "go", "defer", "else", "range", NULL};
	const FgToken *last = &lexer->last;

	if (lexer->language != FG_LANGUAGE_GO)
		return false;
	if (last->kind == FG_SOURCE_WORD)
		return !fg_word_in(open, lexer->text + last->at, last->length);
	return last->kind == FG_SOURCE_NUMBER || last->kind == FG_SOURCE_STRING ||
		(last->kind == FG_SOURCE_SIGN && (last->sign == ')' || last->sign == ']' || last->sign == '}'));
}

/* Blanks, comments and lines of the preprocessor; true at the end of a line that ends a statement. */
static bool
skip_blanks(FgLexer *lexer)
{
	while (lexer->at < lexer->size)
	{
		char		byte = lexer->text[lexer->at];

		if (byte == '\n' && line_ends_statement(lexer))
		{
			lexer->at++;
			return true;
		}
		if (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r' || byte == '\f' || byte == '\v')
			lexer->at++;
		else if (byte == '/' && byte_at(lexer, lexer->at + 1) == '/')
			skip_line(lexer);
		else if (byte == '/' && byte_at(lexer, lexer->at + 1) == '*')
			skip_comment(lexer);
		else if (byte == '#' && is_c(lexer))
		{
			skip_directive(lexer);
			if (lexer->directive != 0)
				return false;
		}
		else if (byte == '\\' && is_c(lexer))
			lexer->at++;
		else
			return false;
	}
	return false;
}

static void
take_word(FgLexer *lexer, FgToken *token)
{
	size_t		at = lexer->at;

	while (at < lexer->size && fg_is_word_byte((uint8_t) lexer->text[at]))
		at++;
	token->kind = lexer->text[lexer->at] >= '0' && lexer->text[lexer->at] <= '9' ? FG_SOURCE_NUMBER : FG_SOURCE_WORD;
	token->length = (uint32_t) (at - lexer->at);
	/* strings with letters before them */
	if (at < lexer->size && token->length <= 3 && token->kind == FG_SOURCE_WORD)
	{
		char		letter = lexer->text[at - 1];
		bool		raw = (lexer->language == FG_LANGUAGE_CPP && letter == 'R' && lexer->text[at] == '"') ||
			(lexer->language == FG_LANGUAGE_RUST && letter == 'r' && (lexer->text[at] == '"' || lexer->text[at] == '#'));

		if (raw && skip_raw(lexer, at))
		{
			token->kind = FG_SOURCE_STRING;
			return;
		}
		if (raw && lexer->text[at] == '#')
			at++;				/* r#name: the name is the next word */
	}
	lexer->at = at;
}

/* A quote of Rust is a character or a lifetime. */
static void
take_quote(FgLexer *lexer, FgToken *token)
{
	size_t		at = lexer->at + 1;

	token->kind = FG_SOURCE_STRING;
	if (lexer->language == FG_LANGUAGE_RUST && byte_at(lexer, at) != '\\')
	{
		size_t		next = at + 1;

		while (((uint8_t) byte_at(lexer, next) & 0xC0) == 0x80)
			next++;
		if (byte_at(lexer, next) != '\'')
		{
			lexer->at++;
			return;
		}
	}
	skip_quoted(lexer, '\'', false);
}

static bool
is_one_of(char byte, const char *bytes)
{
	return byte != '\0' && strchr(bytes, byte) != NULL;
}

static void
take_sign(FgLexer *lexer, FgToken *token)
{
	char		first = lexer->text[lexer->at];
	char		second = byte_at(lexer, lexer->at + 1);

	token->kind = FG_SOURCE_SIGN;
	token->sign = (unsigned char) first;
	if (first == ':' && second == ':')
		token->sign = FG_SIGN_SCOPE;
	else if (first == '=' && second == '>')
		token->sign = FG_SIGN_ARROW;
	else if (first == '-' && second == '>')
		token->sign = FG_SIGN_RESULT;
	/* Templates end with >=, too, but no head of a function does. */
	else if ((second == '=' && is_one_of(first, "=<>!+-:")) ||
			 (first == second && is_one_of(first, "&|?+-")) || (first == '?' && second == '.') ||
			 (first == '<' && second == '-'))
		token->sign = FG_SIGN_OTHER;
	lexer->at += token->sign < ' ' ? 2 : 1;
}

static bool
take_template(FgLexer *lexer, FgToken *token)
{
	bool		inside;

	lexer->at++;
	if (!fg_skip_template(lexer, &inside))
		return false;
	token->kind = inside ? FG_SOURCE_TEMPLATE : FG_SOURCE_STRING;
	return true;
}

bool
fg_next_token(FgLexer *lexer, FgToken *token)
{
	size_t		before = lexer->at;
	bool		line;
	char		byte;

	*token = (FgToken) {FG_SOURCE_END, 0, (uint32_t) lexer->size, 0};
	lexer->directive = 0;
	line = skip_blanks(lexer);
	token->at = (uint32_t) lexer->at;
	byte = byte_at(lexer, lexer->at);
	if (line)
		token->kind = FG_SOURCE_LINE;
	else if (lexer->directive != 0)
		token->kind = FG_SOURCE_LINE;
	else if (lexer->at >= lexer->size)
		token->kind = FG_SOURCE_END;
	else if (fg_is_word_byte((uint8_t) byte))
		take_word(lexer, token);
	else if (byte == '"')
	{
		token->kind = FG_SOURCE_STRING;
		if (lexer->language == FG_LANGUAGE_JAVA && starts(lexer, lexer->at, "\"\"\""))
			skip_to(lexer, lexer->at + 3, "\"\"\"");
		else
			skip_quoted(lexer, '"', lexer->language == FG_LANGUAGE_RUST);
	}
	else if (byte == '\'')
		take_quote(lexer, token);
	else if (byte == '`' && lexer->language == FG_LANGUAGE_GO)
	{
		token->kind = FG_SOURCE_STRING;
		skip_to(lexer, lexer->at + 1, "`");
	}
	else if (byte == '`' && lexer->language == FG_LANGUAGE_JAVASCRIPT)
	{
		if (!take_template(lexer, token))
			return false;
	}
	else if (byte == '/' && is_regex(lexer))
	{
		token->kind = FG_SOURCE_STRING;
		skip_regex(lexer);
	}
	else
		take_sign(lexer, token);
	if (token->kind != FG_SOURCE_LINE || lexer->directive == 0)
		lexer->last = *token;
	return fg_work(lexer->ctx, lexer->at - before);
}
