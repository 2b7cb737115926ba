/*
 * context.c
 *	  Allocation, errors and interrupts of the core (see context.h).
 */
#include "core/base/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory that is zeroed or copied between two checks: a few milliseconds. */
#define TOUCH_BYTES ((size_t) 16 * FG_CHECK_BYTES)

static void *
malloc_alloc(void *arg, size_t size)
{
	(void) arg;
	return malloc(size);
}

static void *
malloc_resize(void *arg, void *pointer, size_t size)
{
	(void) arg;
	return realloc(pointer, size);
}

static void
malloc_release(void *arg, void *pointer)
{
	(void) arg;
	free(pointer);
}

FgContext
fg_malloc_context(void)
{
	FgContext	ctx;

	memset(&ctx, 0, sizeof(ctx));
	ctx.alloc = malloc_alloc;
	ctx.resize = malloc_resize;
	ctx.release = malloc_release;
	ctx.seed = UINT64_C(0x243F6A8885A308D3);
	return ctx;
}

__attribute__((format(printf, 6, 0)))
static void
set_error(FgContext *ctx, FgErrorCode code, uint64_t line, uint64_t column,
		  const char *hint, const char *reason, va_list args)
{
	ctx->error.code = code;
	ctx->error.line = line;
	ctx->error.column = column;
	ctx->error.hint = hint;
	ctx->error.quote[0] = '\0';
	vsnprintf(ctx->error.reason, sizeof(ctx->error.reason), reason, args);
}

bool
fg_fail(FgContext *ctx, FgErrorCode code, const char *reason,...)
{
	va_list		args;

	va_start(args, reason);
	set_error(ctx, code, 0, 0, NULL, reason, args);
	va_end(args);
	return false;
}

bool
fg_fail_at(FgContext *ctx, FgErrorCode code, uint64_t line, uint64_t column,
		   const char *hint, const char *reason,...)
{
	va_list		args;

	va_start(args, reason);
	set_error(ctx, code, line, column, hint, reason, args);
	va_end(args);
	return false;
}

/* The first byte of the character at this place; that of text which is not UTF-8 is anywhere. */
static size_t
character_start(const char *text, size_t at)
{
	for (int i = 0; i < 3 && at > 0 && ((unsigned char) text[at] & 0xC0) == 0x80; i++)
		at--;
	return at;
}

void
fg_quote(FgContext *ctx, const char *line, size_t length, size_t at)
{
	/* what comes before the place tells more than what follows */
	const size_t before = FG_QUOTE_BYTES * 3 / 4;
	size_t		start = 0;
	size_t		end = length;

	if (length > FG_QUOTE_BYTES)
	{
		start = at > before ? at - before : 0;
		if (start > length - FG_QUOTE_BYTES)
			start = length - FG_QUOTE_BYTES;
		end = start + FG_QUOTE_BYTES;
		start = character_start(line, start);
		if (end < length)
			end = character_start(line, end);
	}
	snprintf(ctx->error.quote, sizeof(ctx->error.quote), "%s%.*s%s", start > 0 ? "..." : "",
			 (int) (end - start), line + start, end < length ? "..." : "");
}

bool
fg_check(FgContext *ctx)
{
	ctx->work = 0;
	if (ctx->interrupted != NULL && ctx->interrupted(ctx->arg))
		return fg_fail(ctx, FG_ERROR_CANCELLED, "the operation was cancelled");
	return true;
}

static bool
array_size(FgContext *ctx, size_t count, size_t size, size_t *bytes)
{
	if (__builtin_mul_overflow(count, size, bytes))
		return fg_fail(ctx, FG_ERROR_MEMORY, "an array of %zu elements is too large", count);
	if (*bytes == 0)
		*bytes = 1;
	return true;
}

static void *
not_null(FgContext *ctx, void *pointer, size_t bytes)
{
	if (pointer == NULL)
		fg_fail(ctx, FG_ERROR_MEMORY, "out of memory (%zu bytes)", bytes);
	return pointer;
}

void *
fg_alloc(FgContext *ctx, size_t count, size_t size)
{
	size_t		bytes;

	if (!array_size(ctx, count, size, &bytes))
		return NULL;
	return not_null(ctx, ctx->alloc(ctx->arg, bytes), bytes);
}

void *
fg_alloc_zero(FgContext *ctx, size_t count, size_t size)
{
	char	   *pointer = fg_alloc(ctx, count, size);
	size_t		bytes = count * size;

	for (size_t done = 0; pointer != NULL && done < bytes; done += TOUCH_BYTES)
	{
		memset(pointer + done, 0, bytes - done < TOUCH_BYTES ? bytes - done : TOUCH_BYTES);
		if (bytes - done > TOUCH_BYTES && !fg_check(ctx))
		{
			fg_release(ctx, pointer);
			return NULL;
		}
	}
	return pointer;
}

bool
fg_copy(FgContext *ctx, void *to, const void *from, size_t bytes)
{
	for (size_t done = 0; done < bytes; done += TOUCH_BYTES)
	{
		memcpy((char *) to + done, (const char *) from + done,
			   bytes - done < TOUCH_BYTES ? bytes - done : TOUCH_BYTES);
		if (bytes - done > TOUCH_BYTES && !fg_check(ctx))
			return false;
	}
	return true;
}

void *
fg_resize(FgContext *ctx, void *pointer, size_t had, size_t count, size_t size)
{
	size_t		bytes;
	void	   *moved;

	if (pointer == NULL)
		return fg_alloc(ctx, count, size);
	if (!array_size(ctx, count, size, &bytes))
		return NULL;
	if (had * size >= FG_LARGE_ARRAY || bytes < FG_LARGE_ARRAY)
		return not_null(ctx, ctx->resize(ctx->arg, pointer, bytes), bytes);
	moved = not_null(ctx, ctx->alloc(ctx->arg, bytes), bytes);
	if (moved == NULL)
		return NULL;
	memcpy(moved, pointer, had * size);
	ctx->release(ctx->arg, pointer);
	return moved;
}

void
fg_release(FgContext *ctx, void *pointer)
{
	if (pointer != NULL)
		ctx->release(ctx->arg, pointer);
}

bool
fg_reserve(FgContext *ctx, void **array, size_t *capacity, size_t needed, size_t size)
{
	size_t		larger = *capacity + *capacity / 2;
	void	   *moved;

	if (needed <= *capacity)
		return true;
	if (larger < needed)
		larger = needed;
	if (larger < 16)
		larger = 16;
	moved = fg_resize(ctx, *array, *capacity, larger, size);
	if (moved == NULL)
		return false;
	*array = moved;
	*capacity = larger;
	return true;
}
