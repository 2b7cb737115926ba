/*
 * test_framing.c
 *	  Messages in a stream, whole and in pieces of every size, and heads that are none.
 */
#include "unit.h"

#include "core/editor/framing.h"

/* Bodies of the messages, each with a | behind it; false with the error set. */
static bool
read_all(FgContext *ctx, const char *stream, size_t piece, char *out)
{
	FgFraming	framing = {.head_size = 0};
	size_t		length = strlen(stream);

	*out = '\0';
	for (size_t at = 0; at < length; at += piece)
	{
		const char *bytes = stream + at;
		size_t		size = length - at < piece ? length - at : piece;

		for (;;)
		{
			const char *body;
			size_t		body_size;
			FgFramingStep step = fg_framing_step(ctx, &framing, &bytes, &size, &body, &body_size);

			if (step == FG_FRAMING_MORE)
				break;
			if (step == FG_FRAMING_ERROR)
				return false;
			if (step == FG_FRAMING_BODY)
				strncat(out, body, body_size);
			if (step == FG_FRAMING_END)
				strcat(out, "|");
		}
	}
	return true;
}

int
main(void)
{
	static const char stream[] = "Content-Length: 5\r\n\r\nhello"
		"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:0 \r\n\r\n"
		"Content-Length: 2\r\nX: y\r\n\r\n{}";
	static const char *const wrong[] = {
		"\r\n", "Content-Length: 5\n\nhello", "Content-Length: -1\r\n\r\n", "Content-Length: 1x\r\n\r\n", "Content-Length:\r\n\r\n",
		"Content-Length: 1\r\nContent-Length: 1\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "Content-Length: 9999999999999999999\r\n\r\n", "X: 1\r\n\r\n"
	};
	UnitMemory	memory = {0};
	FgContext	ctx = unit_context(&memory);
	char		out[4096];
	char	   *endless = malloc(5000);

	for (size_t piece = 1; piece < sizeof(stream); piece++)
	{
		unit_case("pieces of %zu", piece);
		CHECK(read_all(&ctx, stream, piece, out));
		CHECK_TEXT(out, strlen(out), "hello||{}|");
	}
	for (size_t i = 0; i < COUNT(wrong); i++)
	{
		unit_case("wrong head %zu", i);
		CHECK_ERROR(read_all(&ctx, wrong[i], 1000, out), &ctx, FG_ERROR_SYNTAX);
	}
	unit_case("a head without end");
	memset(endless, 'a', 4999);
	endless[4999] = '\0';
	CHECK_ERROR(read_all(&ctx, endless, 100, out), &ctx, FG_ERROR_LIMIT);
	free(endless);
	return unit_finish();
}
