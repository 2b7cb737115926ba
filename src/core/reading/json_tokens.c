/*
 * json_tokens.c
 *	  The tokens of a JSON text that comes in blocks (see json_tokens.h).
 */
#include "core/reading/json_tokens.h"

#include "core/profile/frames.h"
#include "core/reading/byte_scan.h"

#include <math.h>

/* No number needs so many, and one that goes on from block to block is begun anew in each. */
#define MAX_NUMBER ((size_t) 65536)

void
fg_json_text_begin(FgContext *ctx, FgJsonText *text)
{
	*text = (FgJsonText) {.ctx = ctx, .decoded.ctx = ctx};
	fg_text_window_begin(ctx, &text->window);
}

void
fg_json_text_free(FgJsonText *text)
{
	fg_text_window_free(&text->window);
	fg_release(text->ctx, text->decoded.data);
}

void
fg_json_text_restart(FgJsonText *text)
{
	FgJsonText	kept = *text;

	fg_json_text_begin(kept.ctx, text);
	text->window = kept.window;
	text->decoded = kept.decoded;
	fg_text_window_restart(&text->window);
}

/* --- tokens ---------------------------------------------------------------------- */

static int
lexical_error(FgJsonText *text, const uint8_t *at, const char *error)
{
	text->window.at = (size_t) (at - text->window.data);
	text->error = error;
	return FG_TOKEN_ERROR;
}

static int
too_long(FgJsonText *text, const char *what, size_t limit)
{
	text->failed = true;
	fg_fail(text->ctx, FG_ERROR_LIMIT, "a %s is longer than %zu bytes", what, limit);
	return FG_TOKEN_ERROR;
}

static bool
is_digit(uint8_t byte)
{
	return (uint8_t) (byte - '0') < 10;
}

static const uint8_t *
skip_digits(const uint8_t *at)
{
	while (is_digit(*at))
		at++;
	return at;
}

/* Indentation is long in files that are written for people, so it is skipped by words. */
static const uint8_t *
skip_blanks(const uint8_t *at)
{
	while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t')
	{
		uint64_t	word;

		at++;
		for (memcpy(&word, at, sizeof(word)); word == FG_EACH_BYTE(' ');
			 memcpy(&word, at, sizeof(word)))
			at += sizeof(word);
	}
	return at;
}

/* What does not belong to the number is an error of the window's end, or of the number. */
static int
number_error(FgJsonText *text, const uint8_t *at, const char *error)
{
	return at == fg_text_window_limit(&text->window) ? FG_TOKEN_MORE : lexical_error(text, at, error);
}

__attribute__((noinline))
static int
read_number(FgJsonText *text, const uint8_t *start)
{
	const uint8_t *at = start + (*start == '-');

	if (!is_digit(*at))
		return number_error(text, at, "malformed number, a digit is required after the minus sign");
	at = *at == '0' ? at + 1 : skip_digits(at);
	if (*at == '.')
	{
		if (!is_digit(*++at))
			return number_error(text, at, "malformed number, a digit is required after the decimal point");
		at = skip_digits(at);
	}
	if (*at == 'e' || *at == 'E')
	{
		at++;
		at += *at == '+' || *at == '-';
		if (!is_digit(*at))
			return number_error(text, at, "malformed number, a digit is required after the exponent");
		at = skip_digits(at);
	}
	if ((size_t) (at - start) > MAX_NUMBER)
	{
		text->window.at = (size_t) (at - text->window.data);
		return too_long(text, "number", MAX_NUMBER);
	}
	if (at == fg_text_window_limit(&text->window))
		return FG_TOKEN_MORE;
	text->text = (const char *) start;
	text->length = text->raw_length = (size_t) (at - start);
	text->window.at = (size_t) (at - text->window.data);
	return FG_TOKEN_NUMBER;
}

__attribute__((noinline))
static int
read_word(FgJsonText *text, const uint8_t *start, const char *word)
{
	const uint8_t *at = start;

	for (; *word != '\0'; word++, at++)
	{
		if (*at == (uint8_t) *word)
			continue;
		return at == fg_text_window_limit(&text->window) ? FG_TOKEN_MORE
			: lexical_error(text, at, "invalid string in json text");
	}
	text->raw_length = (size_t) (at - start);
	text->window.at = (size_t) (at - text->window.data);
	return *start;
}

/* --- strings --------------------------------------------------------------------- */

/* The first byte that is a quote, a backslash or a control character; "high": any above 0x7F before it? */
static inline const uint8_t *
find_special(const uint8_t *at, bool *high)
{
	return fg_find_special(at, FG_EACH_BYTE('"'), FG_EACH_BYTE('\\'), FG_EACH_BYTE('\\'), high);
}

static int
hex_digit(uint8_t byte)
{
	if (is_digit(byte))
		return byte - '0';
	byte |= 0x20;
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* How many bytes of an escape there are; "error" when the next one is none of it. */
static size_t
escape_length(const uint8_t *escape, const char **error)
{
	size_t		i = 2;

	*error = NULL;
	if (escape[1] == '\0' || strchr("\"\\/bfnrtu", escape[1]) == NULL)
	{
		*error = "inside a string, '\\' occurs before a character which it may not";
		return 1;
	}
	for (; escape[1] == 'u' && i < 6; i++)
	{
		if (hex_digit(escape[i]) >= 0)
			continue;
		*error = "invalid (non-hex) character occurs after '\\u' inside string";
		break;
	}
	return i;
}

static uint32_t
hex_number(const char *text)
{
	uint32_t	number = 0;

	for (int i = 0; i < 4; i++)
		number = number << 4 | (uint32_t) hex_digit((uint8_t) text[i]);
	return number;
}

/* The character of \uXXXX, or of two that are a pair; a surrogate without its other half is '?'. */
static uint32_t
unicode_escape(const char **at, const char *end)
{
	uint32_t	code = hex_number(*at + 2);
	uint32_t	low;

	*at += 6;
	if ((code & 0xF800) != 0xD800)
		return code;
	if ((code & 0x400) != 0 || end - *at < 6 || (*at)[0] != '\\' || (*at)[1] != 'u')
		return '?';
	low = hex_number(*at + 2);
	if ((low & 0xFC00) != 0xDC00)
		return '?';
	*at += 6;
	return 0x10000 + ((code & 0x3FF) << 10 | (low & 0x3FF));
}

/* Undoes the escapes of a string that has some; it gets no longer. */
static bool
decode(FgJsonText *text)
{
	static const char letters[] = "bfnrt";
	static const char meanings[] = "\b\f\n\r\t";
	const char *at = text->text;
	const char *end = at + text->length;
	char	   *to;

	text->decoded.size = 0;
	if (!fg_buffer_room(&text->decoded, text->length + sizeof(uint64_t)))
		return false;
	to = (char *) text->decoded.data;
	while (at < end)
	{
		const char *letter;

		if (*at != '\\')
			*to++ = *at++;
		else if (at[1] == 'u')
			to = fg_put_utf8(to, unicode_escape(&at, end));
		else
		{
			letter = strchr(letters, at[1]);
			*to++ = letter != NULL ? meanings[letter - letters] : at[1];
			at += 2;
		}
	}
	text->text = (char *) text->decoded.data;
	text->length = (size_t) (to - text->text);
	return true;
}

/* Behind the first byte that makes a sequence invalid; at most one of four bytes is looked at. */
static const uint8_t *
behind_bad_sequence(const uint8_t *at)
{
	int			size = *at >> 5 == 0x6 ? 2 : *at >> 4 == 0xE ? 3 : *at >> 3 == 0x1E ? 4 : 1;
	int			i = 1;

	while (i < size && at[i] >> 6 == 0x2)
		i++;
	return at + (i < size ? i + 1 : i);
}

/* Does [start, end) hold nothing but UTF-8?  Says where it does not. */
static bool
check_utf8(FgJsonText *text, const uint8_t *start, const uint8_t *end)
{
	size_t		length = (size_t) (end - start);
	size_t		valid = fg_utf8_prefix((const char *) start, length);

	if (valid == length)
		return true;
	lexical_error(text, behind_bad_sequence(start + valid), NULL);
	return false;
}

static int
string_error(FgJsonText *text, const uint8_t *start, const uint8_t *at, const char *error)
{
	return check_utf8(text, start, at) ? lexical_error(text, at, error) : FG_TOKEN_ERROR;
}

/* The window ends in the string; "start" is behind its quote. */
static int
unfinished_string(FgJsonText *text, const uint8_t *start, const uint8_t *at)
{
	text->scanned = (size_t) (at - start);
	if (text->scanned > 2 * FG_JSON_MAX_STRING)
	{
		text->window.at = (size_t) (at - text->window.data);
		return too_long(text, "string", FG_JSON_MAX_STRING);
	}
	return !text->window.whole || check_utf8(text, start, at) ? FG_TOKEN_MORE : FG_TOKEN_ERROR;
}

/* A string of any kind. */
__attribute__((noinline))
static int
read_any_string(FgJsonText *text, const uint8_t *start)
{
	const uint8_t *at = start + text->scanned;
	const uint8_t *end = fg_text_window_limit(&text->window);
	bool		high = text->scanned > 0;
	bool		escapes = text->escapes;

	for (;;)
	{
		const char *error;
		size_t		length;

		at = find_special(at, &high);
		if (*at == '"')
			break;
		if (at == end)
			return unfinished_string(text, start, at);
		if (*at != '\\')
			return string_error(text, start, at, "invalid character inside string");
		length = escape_length(at, &error);
		if (error != NULL && at + length == end)
			return unfinished_string(text, start, at);
		if (error != NULL)
			return string_error(text, start, at + length, error);
		escapes = text->escapes = true;
		at += length;
	}
	if (high && !check_utf8(text, start, at))
		return FG_TOKEN_ERROR;
	text->scanned = 0;
	text->escapes = false;
	text->window.at = (size_t) (at + 1 - text->window.data);
	text->text = (const char *) start;
	text->length = text->raw_length = (size_t) (at - start);
	if (escapes && !decode(text))
	{
		text->failed = true;
		return FG_TOKEN_ERROR;
	}
	return text->length <= FG_JSON_MAX_STRING ? FG_TOKEN_STRING
		: too_long(text, "string", FG_JSON_MAX_STRING);
}

/*
 * Most strings lie in the window and are ASCII without escapes.  Of one that goes on in the next block what has been
 * looked at is not looked at again: that would grow with the square of its length.
 */
static int
read_string(FgJsonText *text, const uint8_t *start)
{
	bool		high = false;
	const uint8_t *at;
	size_t		length;

	if (text->scanned > 0)
		return read_any_string(text, start);
	at = find_special(start, &high);
	length = (size_t) (at - start);
	if (*at != '"' || high || length > FG_JSON_MAX_STRING)
		return read_any_string(text, start);
	text->window.at = (size_t) (at + 1 - text->window.data);
	text->text = (const char *) start;
	text->length = text->raw_length = length;
	return FG_TOKEN_STRING;
}

/* What it calls, it calls last: most tokens are short, and saving registers took as long as they did. */
int
fg_json_token(FgJsonText *text)
{
	const uint8_t *at = text->window.data + text->window.at;

	if (*at <= ' ')
		at = skip_blanks(at);
	text->window.at = (size_t) (at - text->window.data);
	text->error = NULL;
	if (*at == '"')
		return read_string(text, at + 1);
	switch (*at)
	{
		case '{':
		case '}':
		case '[':
		case ']':
		case ',':
		case ':':
			text->window.at++;
			text->raw_length = 1;
			return *at;
		case 't':
			return read_word(text, at, "true");
		case 'f':
			return read_word(text, at, "false");
		case 'n':
			return read_word(text, at, "null");
		case '/':
			return lexical_error(text, at + 1, "probable comment found in input text, comments are not enabled");
		default:
			if (*at == '-' || is_digit(*at))
				return read_number(text, at);
			return at == fg_text_window_limit(&text->window) ? FG_TOKEN_MORE
				: lexical_error(text, at + 1, "invalid char in json text");
	}
}

#define FEW_DIGITS 9
/* A whole number of so many digits is exact as a double, and so is its quotient by a power of ten. */
#define EXACT_DIGITS 15

/* Behind the comma, where the next element of an array begins; NULL: there is none. */
static inline const uint8_t *
next_element(const uint8_t *at)
{
	/* mostly there are no blanks */
	if (*at != ',')
		at = skip_blanks(at);
	if (*at != ',')
		return NULL;
	return at[1] > ' ' ? at + 1 : skip_blanks(at + 1);
}

/* Does a number end here, with its array or in front of another one? */
static inline bool
ends_number(uint8_t byte)
{
	return byte == ',' || byte == ']' || byte == '\n' || byte == ' ';
}

/* A whole number of few digits behind a comma: where it ends; NULL: it is another one, or the window ends. */
static inline const uint8_t *
read_few(const uint8_t *at, uint32_t *number)
{
	const uint8_t *start = next_element(at);
	uint32_t	sum = 0;

	if (start == NULL)
		return NULL;
	for (at = start; is_digit(*at) && at - start < FEW_DIGITS; at++)
		sum = sum * 10 + (uint32_t) (*at - '0');
	/* it has ended, and is written as numbers are */
	if (at == start || !ends_number(*at) || (*start == '0' && at - start > 1))
		return NULL;
	*number = sum;
	return at;
}

static inline const uint8_t *
read_decimal(const uint8_t *at, double *number)
{
	static const double powers[] = {
		1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14
	};
	const uint8_t *start = next_element(at);
	size_t		decimals = 0;
	uint64_t	sum = 0;

	if (start == NULL)
		return NULL;
	for (at = start; is_digit(*at) && at - start < EXACT_DIGITS; at++)
		sum = sum * 10 + (uint64_t) (*at - '0');
	if (at == start || (*start == '0' && at - start > 1))
		return NULL;
	if (*at == '.')
	{
		const uint8_t *point = at++;

		for (; is_digit(*at) && at - start <= EXACT_DIGITS; at++)
			sum = sum * 10 + (uint64_t) (*at - '0');
		decimals = (size_t) (at - point - 1);
		if (decimals == 0)
			return NULL;
	}
	if (!ends_number(*at))
		return NULL;
	*number = decimals > 0 ? (double) sum / powers[decimals] : (double) sum;
	return at;
}

bool
fg_json_token_next_few(FgJsonText *text, uint32_t *number)
{
	const uint8_t *end = read_few(text->window.data + text->window.at, number);

	if (end == NULL)
		return false;
	text->window.at = (size_t) (end - text->window.data);
	return true;
}

bool
fg_json_token_next_decimal(FgJsonText *text, double *number)
{
	const uint8_t *end = read_decimal(text->window.data + text->window.at, number);

	if (end == NULL)
		return false;
	text->window.at = (size_t) (end - text->window.data);
	return true;
}

/* --- columns --------------------------------------------------------------------- */

/* Where null, or -1, ends that stands behind a comma; NULL: something else does. */
static inline const uint8_t *
read_nothing(const uint8_t *at, const char *word)
{
	at = next_element(at);
	if (at == NULL)
		return NULL;
	for (; *word != '\0'; word++, at++)
	{
		if (*at != (uint8_t) *word)
			return NULL;
	}
	return ends_number(*at) ? at : NULL;
}

/*
 * An element with the comma in front of it and the byte behind it, if it is short.  In columns
 * it often comes again, and is compared in less time than its digits take.
 */
typedef struct Repeated
{
	uint64_t	word;
	uint64_t	mask;
	size_t		length;			/* without the byte behind it */
} Repeated;

static inline Repeated
repeated(const uint8_t *start, const uint8_t *end)
{
	size_t		length = (size_t) (end - start);
	uint64_t	mask = length < sizeof(uint64_t) ? ~UINT64_C(0) >> (56 - 8 * length) : 0;

	/* without a mask no word is the same */
	return (Repeated) {.word = mask != 0 ? fg_load_word(start) & mask : 1, .mask = mask, .length = length};
}

static inline bool
comes_again(const Repeated *last, const uint8_t *at)
{
	return (fg_load_word(at) & last->mask) == last->word;
}

/* Inlined with what it is asked for; "nothing": null and -1 are elements, too. */
__attribute__((always_inline))
static inline size_t
read_indices(FgJsonText *text, uint32_t *numbers, size_t room, bool nothing)
{
	const uint8_t *at = text->window.data + text->window.at;
	size_t		count = 0;

	while (count < room)
	{
		uint32_t	number = FG_NONE;
		const uint8_t *end = read_few(at, &number);
		Repeated	last;

		if (end == NULL && nothing && (end = read_nothing(at, "null")) == NULL)
			end = read_nothing(at, "-1");
		if (end == NULL)
			break;
		last = repeated(at, end);
		numbers[count++] = number;
		for (at = end; count < room && comes_again(&last, at); at += last.length)
			numbers[count++] = number;
	}
	text->window.at = (size_t) (at - text->window.data);
	return count;
}

__attribute__((always_inline))
static inline size_t
read_decimals(FgJsonText *text, double *numbers, size_t room, bool nothing)
{
	const uint8_t *at = text->window.data + text->window.at;
	size_t		count = 0;

	while (count < room)
	{
		double		number = NAN;
		const uint8_t *end = read_decimal(at, &number);
		Repeated	last;

		if (end == NULL && nothing)
			end = read_nothing(at, "null");
		if (end == NULL)
			break;
		last = repeated(at, end);
		numbers[count++] = number;
		for (at = end; count < room && comes_again(&last, at); at += last.length)
			numbers[count++] = number;
	}
	text->window.at = (size_t) (at - text->window.data);
	return count;
}

size_t
fg_json_token_indices(FgJsonText *text, uint32_t *numbers, size_t room)
{
	return read_indices(text, numbers, room, true);
}

size_t
fg_json_token_decimals(FgJsonText *text, double *numbers, size_t room)
{
	return read_decimals(text, numbers, room, true);
}

size_t
fg_json_token_few(FgJsonText *text, uint32_t *numbers, size_t room)
{
	return read_indices(text, numbers, room, false);
}

size_t
fg_json_token_numbers(FgJsonText *text, double *numbers, size_t room)
{
	return read_decimals(text, numbers, room, false);
}
