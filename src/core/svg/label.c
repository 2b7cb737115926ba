/*
 * label.c
 *	  Text that has to fit (see label.h).
 */
#include "core/svg/label.h"

#include "core/svg/xml.h"

#include <string.h>

/* --- columns ----------------------------------------------------------------------- */

/*
 * East Asian Width W and F of Unicode 14: first and last of each range, which may include what is
 * not assigned yet.  WIDE of viewer/text.js is the same, where Emoji_Presentation without the
 * letters of flags stands for what is W from U+231A to U+2B55, besides two brackets, and for
 * most of it from U+1F000 on.
 */
static const uint32_t wide[][2] = {
	{0x1100, 0x115F}, {0x231A, 0x231B}, {0x2329, 0x232A}, {0x23E9, 0x23EC}, {0x23F0, 0x23F0},
	{0x23F3, 0x23F3}, {0x25FD, 0x25FE}, {0x2614, 0x2615}, {0x2648, 0x2653}, {0x267F, 0x267F},
	{0x2693, 0x2693}, {0x26A1, 0x26A1}, {0x26AA, 0x26AB}, {0x26BD, 0x26BE}, {0x26C4, 0x26C5},
	{0x26CE, 0x26CE}, {0x26D4, 0x26D4}, {0x26EA, 0x26EA}, {0x26F2, 0x26F3}, {0x26F5, 0x26F5},
	{0x26FA, 0x26FA}, {0x26FD, 0x26FD}, {0x2705, 0x2705}, {0x270A, 0x270B}, {0x2728, 0x2728},
	{0x274C, 0x274C}, {0x274E, 0x274E}, {0x2753, 0x2755}, {0x2757, 0x2757}, {0x2795, 0x2797},
	{0x27B0, 0x27B0}, {0x27BF, 0x27BF}, {0x2B1B, 0x2B1C}, {0x2B50, 0x2B50}, {0x2B55, 0x2B55},
	{0x2E80, 0x303E}, {0x3041, 0x3247}, {0x3250, 0x4DBF}, {0x4E00, 0xA4CF}, {0xA960, 0xA97F},
	{0xAC00, 0xD7A3}, {0xF900, 0xFAFF}, {0xFE10, 0xFE19}, {0xFE30, 0xFE6F}, {0xFF01, 0xFF60},
	{0xFFE0, 0xFFE6}, {0x16FE0, 0x1B2FF}, {0x1F004, 0x1F004}, {0x1F0CF, 0x1F0CF},
	{0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A}, {0x1F200, 0x1F320}, {0x1F32D, 0x1F335},
	{0x1F337, 0x1F37C}, {0x1F37E, 0x1F393}, {0x1F3A0, 0x1F3CA}, {0x1F3CF, 0x1F3D3},
	{0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4}, {0x1F3F8, 0x1F43E}, {0x1F440, 0x1F440},
	{0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F54E}, {0x1F550, 0x1F567},
	{0x1F57A, 0x1F57A}, {0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4}, {0x1F5FB, 0x1F64F},
	{0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D2}, {0x1F6D5, 0x1F6DF},
	{0x1F6EB, 0x1F6EC}, {0x1F6F4, 0x1F6FC}, {0x1F7E0, 0x1F7EB}, {0x1F7F0, 0x1F7F0},
	{0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945}, {0x1F947, 0x1F9FF}, {0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD}
};

static bool
is_wide(uint32_t character)
{
	size_t		low = 0;
	size_t		high = sizeof(wide) / sizeof(wide[0]);

	while (low < high)
	{
		size_t		middle = (low + high) / 2;

		if (wide[middle][1] < character)
			low = middle + 1;
		else
			high = middle;
	}
	return low < sizeof(wide) / sizeof(wide[0]) && character >= wide[low][0];
}

/* \u{...} has four columns and its digits. */
static size_t
character_columns(uint32_t character)
{
	size_t		columns = 4;

	if (!fg_xml_hidden(character))
		return is_wide(character) ? 2 : 1;
	for (columns++; character >= 0x10; character >>= 4)
		columns++;
	return columns;
}

size_t
fg_columns(const char *text, size_t length)
{
	size_t		columns = 0;
	size_t		size;

	if (fg_xml_plain(text, length))
		return length;
	for (size_t at = 0; at < length; at += size)
		columns += character_columns(fg_xml_character(text + at, length - at, &size));
	return columns;
}

/* Bytes of the longest beginning that fits. */
static size_t
beginning(const char *text, size_t length, size_t columns)
{
	size_t		at = 0;
	size_t		size;

	for (; at < length; at += size)
	{
		size_t		own = character_columns(fg_xml_character(text + at, length - at, &size));

		if (own > columns)
			break;
		columns -= own;
	}
	return at;
}

/* Where the character begins that ends at "end"; of a damaged one that is its last byte. */
static size_t
last_character(const char *text, size_t end)
{
	size_t		size;

	for (size_t length = end < 4 ? end : 4; length > 1; length--)
	{
		(void) fg_xml_character(text + end - length, length, &size);
		if (size == length)
			return end - length;
	}
	return end - 1;
}

/* Bytes in front of the longest end that fits. */
static size_t
before_end(const char *text, size_t length, size_t columns)
{
	size_t		end = length;

	while (end > 0)
	{
		size_t		at = last_character(text, end);
		size_t		size;
		size_t		own = character_columns(fg_xml_character(text + at, end - at, &size));

		if (own > columns)
			break;
		columns -= own;
		end = at;
	}
	return end;
}

/* --- qualifiers -------------------------------------------------------------------- */

/* What hangs on behind a point, of compilers and of files. */
static const char *const endings[] = {
	"c", "cc", "cold", "constprop", "cpp", "dll", "dylib", "exe", "go", "h", "hpp", "isra", "java",
	"js", "ko", "llvm", "lto_priv", "mjs", "part", "php", "py", "rb", "rs", "so", "ts"
};

static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Does the text begin with an ending, or with a number? */
static bool
is_ending(const char *text, size_t length)
{
	size_t		word = 0;

	if (length > 0 && *text >= '0' && *text <= '9')
		return true;
	while (word < length && is_word(text[word]))
		word++;
	for (size_t e = 0; e < sizeof(endings) / sizeof(endings[0]); e++)
	{
		if (strlen(endings[e]) == word && memcmp(text, endings[e], word) == 0)
			return true;
	}
	return false;
}

/* "h0123456789abcdef" and nothing behind it. */
static bool
is_rust_hash(const char *text, size_t length)
{
	if (length != 17 || *text != 'h')
		return false;
	for (size_t i = 1; i < length; i++)
	{
		if (!(text[i] >= '0' && text[i] <= '9') && !(text[i] >= 'a' && text[i] <= 'f'))
			return false;
	}
	return true;
}

/* Depth of brackets behind the character at "at"; "->" and "operator<" open nothing. */
static uint32_t
bracket_depth(const char *name, size_t at, uint32_t depth)
{
	switch (name[at])
	{
		case '<':
			if (at >= 8 && (memcmp(name + at - 8, "operator", 8) == 0 ||
							(at >= 9 && memcmp(name + at - 9, "operator<", 9) == 0)))
				return depth;
			return depth + 1;
		case '(':
		case '[':
			return depth + 1;
		case '>':
			if (at > 0 && name[at - 1] == '-')
				return depth;
			return depth > 0 ? depth - 1 : 0;
		case ')':
		case ']':
			return depth > 0 ? depth - 1 : 0;
		default:
			return depth;
	}
}

/*
 * The place behind the next qualifier that ends at or behind *at, which moves on with the
 * depth of brackets; 0 when none does.
 */
static size_t
next_part(const char *name, size_t length, size_t *at, uint32_t *depth)
{
	while (*at < length)
	{
		size_t		here = (*at)++;
		size_t		behind = here + 1;
		char		c = name[here];

		*depth = bracket_depth(name, here, *depth);
		if (*depth > 0 || behind >= length)
			continue;
		if (c == ':' && name[behind] == ':')
		{
			*at = ++behind;
			if (behind < length && !is_rust_hash(name + behind, length - behind))
				return behind;
		}
		else if (c == '/' || c == '\\' ||
				 (c == '.' && !is_ending(name + behind, length - behind)))
			return behind;
	}
	return 0;
}

size_t
fg_label_qualifiers(const char *name, size_t length)
{
	size_t		last = 0;
	size_t		at = 0;
	size_t		part;
	uint32_t	depth = 0;

	while ((part = next_part(name, length, &at, &depth)) != 0)
		last = part;
	return last;
}

/* --- shortening -------------------------------------------------------------------- */

static FgLabel
cut_end(const char *name, size_t start, size_t length, size_t columns)
{
	return (FgLabel) {start, start + beginning(name + start, length - start, columns - 1),
					  false, true};
}

/* The first part from which on the name fits behind an ellipsis, else the last one's beginning. */
static FgLabel
cut_qualifiers(const char *name, size_t length, size_t columns)
{
	size_t		most = before_end(name, length, columns - 1);
	size_t		last = 0;
	size_t		at = 0;
	size_t		part;
	uint32_t	depth = 0;

	while ((part = next_part(name, length, &at, &depth)) != 0)
	{
		last = part;
		if (part >= most)
			return (FgLabel) {part, length, true, false};
	}
	return cut_end(name, last, length, columns);
}

FgLabel
fg_label_fit(const char *name, size_t length, size_t columns, FgTruncate how)
{
	/* no character has more than four bytes */
	if (length / 4 <= columns && fg_columns(name, length) <= columns)
		return (FgLabel) {0, length, false, false};
	if (columns == 0)
		return (FgLabel) {0, 0, false, false};
	if (how == FG_TRUNCATE_END)
		return cut_end(name, 0, length, columns);
	if (how == FG_TRUNCATE_START)
		return (FgLabel) {before_end(name, length, columns - 1), length, true, false};
	return cut_qualifiers(name, length, columns);
}

/* --- lines ------------------------------------------------------------------------- */

size_t
fg_label_line(const char *text, size_t length, size_t columns, size_t *skip)
{
	const char *newline = length > 0 ? memchr(text, '\n', length) : NULL;
	size_t		line = newline != NULL ? (size_t) (newline - text) : length;
	size_t		fits = beginning(text, line, columns);
	size_t		size;

	*skip = 0;
	if (fits == line)
	{
		*skip = newline != NULL;
		return line;
	}
	for (size_t end = fits; end > 0; end--)
	{
		if (text[end] != ' ' || (end + 1 < line && text[end + 1] == '%'))
			continue;
		*skip = 1;
		return end;
	}
	if (fits > 0)
		return fits;
	(void) fg_xml_character(text, length, &size);
	return size;
}
