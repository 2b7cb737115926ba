/*
 * support.c
 *		What all parts of the generator need (see support.h).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

void
fail(const char *fmt,...)
{
	va_list		args;

	fputs("generate: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

void *
xrealloc(void *old, size_t size)
{
	void	   *result = realloc(old, size > 0 ? size : 1);

	if (result == NULL)
		fail("out of memory");
	return result;
}

/* --- random numbers --- */

void
rng_seed(FgRandom *rng, uint64_t seed, uint64_t stream)
{
	fg_random_seed(rng, seed * UINT64_C(0xD1342543DE82EF95) + stream);
}

uint32_t
rng_below(FgRandom *rng, uint32_t n)
{
	uint64_t	product = (fg_random_next(rng) >> 32) * n;

	if ((uint32_t) product < n)
	{
		uint32_t	least = (0 - n) % n;

		while ((uint32_t) product < least)
			product = (fg_random_next(rng) >> 32) * n;
	}
	return (uint32_t) (product >> 32);
}

uint32_t
rng_skewed(FgRandom *rng, uint32_t n, int times)
{
	uint32_t	best = rng_below(rng, n);

	for (int i = 1; i < times; i++)
	{
		uint32_t	x = rng_below(rng, n);

		if (x < best)
			best = x;
	}
	return best;
}

bool
rng_chance(FgRandom *rng, uint32_t per_mille)
{
	return rng_below(rng, 1000) < per_mille;
}

/* --- bytes --- */

static void
buffer_reserve(Buffer *buffer, size_t more)
{
	if (buffer->len + more > buffer->room)
	{
		buffer->room = (buffer->len + more) * 2;
		buffer->data = xrealloc(buffer->data, buffer->room);
	}
}

void
buffer_add(Buffer *buffer, const void *data, size_t len)
{
	buffer_reserve(buffer, len);
	memcpy(buffer->data + buffer->len, data, len);
	buffer->len += len;
}

void
buffer_add_char(Buffer *buffer, char c)
{
	buffer_add(buffer, &c, 1);
}

void
buffer_add_number(Buffer *buffer, uint64_t number)
{
	char		text[24];
	int			len = snprintf(text, sizeof(text), "%" PRIu64, number);

	buffer_add(buffer, text, (size_t) len);
}

void
buffer_write(Buffer *buffer, FILE *file)
{
	if (fwrite(buffer->data, 1, buffer->len, file) != buffer->len)
		fail("could not write: %s", strerror(errno));
	buffer->len = 0;
}
