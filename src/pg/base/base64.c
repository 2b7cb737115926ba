/*
 * base64.c
 *	  Base64 of values of any size (see base64.h).
 */
#include "pg/base/base64.h"

#include "miscadmin.h"
#include "utils/memutils.h"

/*
 * A block at a time: common/base64.h computes sizes in int, which overflow at
 * 512 MB, and has no interrupt check.
 */
#define BASE64_BLOCK_BYTES	(FG_CHECK_BYTES / 4 * 3)
#define BASE64_BLOCK_CHARS	FG_CHECK_BYTES

char *
fg_base64_encode(const char *prefix, FgSpan bytes, const char *suffix)
{
	Size		room = ((Size) bytes.size + 2) / 3 * 4;
	Size		length = strlen(prefix);
	char	   *text = MemoryContextAllocHuge(CurrentMemoryContext,
											  length + room + strlen(suffix) + 1);

	strcpy(text, prefix);
	for (size_t done = 0; done < bytes.size; done += BASE64_BLOCK_BYTES)
	{
		int			block = (int) Min(bytes.size - done, BASE64_BLOCK_BYTES);
		int			size = pg_b64_encode(FG_B64_BYTES(bytes.bytes + done), block, text + length,
										 BASE64_BLOCK_CHARS);

		if (size < 0)
			elog(ERROR, "could not encode a value in base64");
		length += (Size) size;
		CHECK_FOR_INTERRUPTS();
	}
	strcpy(text + length, suffix);
	return text;
}

char *
fg_base64_decode(FgSpan text, size_t *size)
{
	Size		room = (Size) text.size / 4 * 3 + 3;
	char	   *bytes = MemoryContextAllocHuge(CurrentMemoryContext, room + 1);

	*size = 0;
	for (size_t done = 0; done < text.size; done += BASE64_BLOCK_CHARS)
	{
		int			block = (int) Min(text.size - done, BASE64_BLOCK_CHARS);
		int			decoded = pg_b64_decode(text.bytes + done, block,
											FG_B64_BYTES(bytes + *size), (int) Min(room - *size, BASE64_BLOCK_BYTES + 3));

		if (decoded < 0)
			return NULL;
		*size += (size_t) decoded;
		CHECK_FOR_INTERRUPTS();
	}
	return bytes;
}
