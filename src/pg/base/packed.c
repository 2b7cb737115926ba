/*
 * packed.c
 *	  The packed text form (see packed.h).
 */
#include "pg/base/packed.h"

#include "pg/base/base64.h"

FgSpan
fg_trim_right(FgSpan text)
{
	while (text.size > 0 && strchr(" \t\r\n", text.bytes[text.size - 1]) != NULL)
		text.size--;
	return text;
}

/* The length of "TYPE:" at the beginning of a text, else 0. */
static size_t
type_prefix(FgSpan text, const char *type)
{
	size_t		length = strlen(type);

	return text.size > length && memcmp(text.bytes, type, length) == 0 &&
		text.bytes[length] == ':' ? length + 1 : 0;
}

bool
fg_looks_packed(FgSpan text, const char *type)
{
	size_t		name = type_prefix(text, type);
	size_t		digits;

	if (name == 0)
		return false;
	digits = strspn(text.bytes + name, "0123456789");
	return digits > 0 && text.bytes[name + digits] == ':' &&
		memchr(text.bytes, ' ', text.size) == NULL && memchr(text.bytes, '\n', text.size) == NULL;
}

char *
fg_unpack(FgContext *ctx, FgSpan text, const char *type, size_t *size)
{
	size_t		name = type_prefix(text, type);
	FgSpan		word = {text.bytes + name + 2, text.size - name - 2};
	char	   *bytes;

	if (name == 0 || text.size < name + 2 || memcmp(text.bytes + name, "1:", 2) != 0)
	{
		fg_fail(ctx, FG_ERROR_CORRUPT, "this version of the packed form is unknown");
		return NULL;
	}
	bytes = fg_base64_decode(word, size);
	if (bytes == NULL)
		fg_fail(ctx, FG_ERROR_CORRUPT, "the packed form is not valid base64");
	return bytes;
}

char *
fg_pack(const char *type, FgSpan bytes)
{
	return fg_base64_encode(psprintf("%s:1:", type), bytes, "");
}
