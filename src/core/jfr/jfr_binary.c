/*
 * jfr_binary.c
 *	  Java Flight Recorder: the binary file (version 2, of JDK 11 and later, and of
 *	  async-profiler).
 *
 * A file is a row of chunks, each whole in itself:
 *
 *		header	magic, version, size; where in it the last checkpoint and the description of
 *				types are; when it began, by two clocks; how its numbers are written
 *		events	size, type, and what the description says
 *
 * Events cannot be read before the description, which most writers put behind them: bytes are
 * kept until it is there.  From then on each event is read when it is whole, and forgotten
 * (jfr_chunk.h says what is kept of it).  So memory is that of the largest chunk whose description is
 * at its end, as the JDK writes it; its chunks have 12 MB.
 */
#include "core/jfr/jfr_chunk.h"

#define HEADER_BYTES 68

/* Of a chunk before its description; JDKs begin a new chunk after 12 MB. */
#define MAX_BYTES ((size_t) 512 << 20)
#define MAX_DESCRIPTION ((uint64_t) 16 << 20)

/* What is looked at together, so that no large block is copied as a whole. */
#define SLICE ((size_t) 256 << 10)

enum
{
	DESCRIPTION_TYPE = 0,
	CHECKPOINT_TYPE = 1
};

enum
{
	COMPRESSED_NUMBERS = 1,
	COMPRESSED_TICKS = 4
};

typedef enum Stage
{
	HEADER,
	DESCRIPTION,
	EVENTS
} Stage;

typedef struct Binary
{
	FgContext  *ctx;
	FgJfrChunk	chunk;
	FgBuffer	bytes;			/* not used yet */
	size_t		used;			/* of them */
	uint64_t	place;			/* of the first of them in the file */
	Stage		stage;
	uint64_t	chunks;
	uint64_t	start;			/* of the chunk in the file */
	uint64_t	size;
	uint64_t	constants;		/* where the last checkpoint is, from the start; 0: none */
	uint64_t	description;
	bool		has_constants;
} Binary;

/* Bytes from "at" in the file that have come. */
static FgJfrBytes
bytes_at(const Binary *b, uint64_t at)
{
	size_t		offset = (size_t) (at - b->place);

	return fg_jfr_bytes(b->ctx, b->bytes.data + offset, b->bytes.size - offset, at);
}

/* --- the header ----------------------------------------------------------------------------- */

static bool
unfinished(const Binary *b)
{
	return fg_fail_at(b->ctx, FG_ERROR_SYNTAX, 0, 0,
					  "Stop the recording, or dump it: jcmd PID JFR.dump filename=FILE.",
					  "chunk %" PRIu64 " of the recording, at byte %" PRIu64
					  ", is still being written, or its JVM was killed", b->chunks, b->start + 1);
}

static bool
other_version(const Binary *b, unsigned major, unsigned minor)
{
	return fg_fail_at(b->ctx, FG_ERROR_SYNTAX, 0, 0,
					  major < 2 ? "JDK 7 to 10 wrote it; record with JDK 11 or later, or with OpenJDK 8u262 or later."
					  : "Load what \"jfr print --json --stack-depth 2048\" of its JDK prints.",
					  "chunk %" PRIu64
					  " of the recording has version %u.%u, but only version 2 is read",
					  b->chunks, major, minor);
}

static bool
check_flags(const Binary *b, uint8_t flags)
{
	if ((flags & COMPRESSED_NUMBERS) != 0 && (flags & COMPRESSED_TICKS) == 0)
		return true;
	return fg_fail_at(b->ctx, FG_ERROR_SYNTAX, 0, 0,
					  "Load the output of \"jfr print --json --stack-depth 2048\".",
					  "numbers of chunk %" PRIu64
					  " of the recording are written in a way that is not known",
					  b->chunks);
}

static bool
take_header(Binary *b)
{
	const uint8_t *header = b->bytes.data + b->used;
	FgJfrClock	clock;
	int64_t		ticks_per_second;

	b->chunks++;
	b->start = b->place + b->used;
	if (memcmp(header, "FLR", 4) != 0)
		return fg_jfr_broken_at(b->ctx, b->start, "there is no chunk where one should begin");
	if (fg_jfr_big_endian(header + 4, 2) != 2)
		return other_version(b, (unsigned) fg_jfr_big_endian(header + 4, 2),
							 (unsigned) fg_jfr_big_endian(header + 6, 2));
	b->size = fg_jfr_big_endian(header + 8, 8);
	b->constants = fg_jfr_big_endian(header + 16, 8);
	b->description = fg_jfr_big_endian(header + 24, 8);
	clock.start = (int64_t) fg_jfr_big_endian(header + 32, 8);
	clock.start_ticks = (int64_t) fg_jfr_big_endian(header + 48, 8);
	ticks_per_second = (int64_t) fg_jfr_big_endian(header + 56, 8);
	clock.ticks = (double) ticks_per_second / 1e9;
	if (b->size == 0 || header[64] != 0)
		return unfinished(b);
	if (!check_flags(b, header[67]))
		return false;
	if (b->size > UINT64_MAX / 2 - b->start || b->size < HEADER_BYTES)
		return fg_jfr_broken_at(b->ctx, b->start + 8, "the size of the chunk is not one");
	if (b->constants != 0 && (b->constants < HEADER_BYTES || b->constants >= b->size))
		return fg_jfr_broken_at(b->ctx, b->start + 16, "the constants of the chunk are not in it");
	if (b->description < HEADER_BYTES || b->description >= b->size)
		return fg_jfr_broken_at(b->ctx, b->start + 24, "the description of the chunk is not in it");
	if (ticks_per_second <= 0)
		return fg_jfr_broken_at(b->ctx, b->start + 56, "the clock of the chunk does not run");
	b->has_constants = b->constants == 0;
	b->stage = DESCRIPTION;
	return fg_jfr_chunk_begin(&b->chunk, &clock);
}

/* --- events --------------------------------------------------------------------------------- */

/*
 * The size of the event at "at", and its type, behind which *body begins; *whole: it has come.
 * An event has some bytes at least, and ends with its chunk.
 */
static bool
take_event(const Binary *b, uint64_t at, uint64_t *size, uint64_t *type, FgJfrBytes *body,
		   bool *whole)
{
	uint64_t	left = b->start + b->size - at;

	*body = bytes_at(b, at);
	*whole = fg_jfr_left(body) >= left || fg_jfr_left(body) >= (size_t) 2 * FG_JFR_MAX_NUMBER;
	if (!*whole)
		return true;
	if (fg_jfr_left(body) > left)
		body->end = body->next + left;
	if (!fg_jfr_number(body, size))
		return false;
	if (*size > left || *size < 2)
		return fg_jfr_broken_at(b->ctx, at, "the size of an event is not one");
	*whole = (uint64_t) (body->end - body->start) >= *size;
	if (!*whole)
		return true;
	body->end = body->start + *size;
	return fg_jfr_number(body, type);
}

static bool
take_description(Binary *b, bool *more)
{
	uint64_t	at = b->start + b->description;
	uint64_t	size = 0;
	uint64_t	type;
	FgJfrBytes	body;
	bool		whole = false;

	/* the header was used when its turn came */
	if (at < b->place + b->bytes.size && !take_event(b, at, &size, &type, &body, &whole))
		return false;
	*more = whole;
	if (size > MAX_DESCRIPTION)
		return fg_fail(b->ctx, FG_ERROR_LIMIT,
					   "the description of a chunk takes more than %" PRIu64 " bytes",
					   MAX_DESCRIPTION);
	if (!whole)
		return b->bytes.size - b->used <= MAX_BYTES ||
			fg_fail_at(b->ctx, FG_ERROR_LIMIT, 0, 0,
					   "Load the output of \"jfr print --json --stack-depth 2048\".",
					   "a chunk of the recording has more than %zu bytes before its description",
					   MAX_BYTES);
	if (type != DESCRIPTION_TYPE)
		return fg_jfr_broken_at(b->ctx, at,
								"there is no description where the header of the chunk says");
	b->used += HEADER_BYTES;
	b->stage = EVENTS;
	return fg_jfr_chunk_describe(&b->chunk, &body);
}

static bool
take_next_event(Binary *b, bool *more)
{
	uint64_t	at = b->place + b->used;
	uint64_t	size = 0;
	uint64_t	type;
	FgJfrBytes	body;

	if (at == b->start + b->size)
	{
		b->stage = HEADER;
		if (!b->has_constants)
			return fg_jfr_broken_at(b->ctx, b->start + b->constants,
									"there are no constants where the header of the chunk says");
		return fg_jfr_chunk_finish(&b->chunk);
	}
	if (!take_event(b, at, &size, &type, &body, more) || !*more)
		return !*more && b->ctx->error.code == FG_OK;
	b->used += (size_t) size;
	if (type == DESCRIPTION_TYPE)
		return true;
	if (type != CHECKPOINT_TYPE)
		return fg_jfr_chunk_event(&b->chunk, type, &body);
	b->has_constants |= at == b->start + b->constants;
	return fg_jfr_chunk_checkpoint(&b->chunk, &body);
}

/* As far as the bytes reach that have come. */
static bool
advance(Binary *b)
{
	bool		more = true;

	while (more)
	{
		size_t		left = b->bytes.size - b->used;
		bool		ok = true;

		if (b->stage == HEADER)
		{
			more = left >= HEADER_BYTES;
			ok = !more || take_header(b);
		}
		else if (b->stage == DESCRIPTION)
			ok = take_description(b, &more);
		else
			ok = take_next_event(b, &more);
		if (!ok || !fg_work(b->ctx, 0))
			return false;
	}
	return true;
}

/* --- the reader ------------------------------------------------------------------------------- */

static void
binary_free(void *state)
{
	Binary	   *b = state;

	if (b == NULL)
		return;
	fg_jfr_chunk_free(&b->chunk);
	fg_release(b->ctx, b->bytes.data);
	fg_release(b->ctx, b);
}

static void *
binary_begin(FgSink *sink)
{
	FgContext  *ctx = fg_sink_context(sink);
	Binary	   *b = fg_alloc_zero(ctx, 1, sizeof(Binary));

	if (b == NULL)
		return NULL;
	b->ctx = b->bytes.ctx = ctx;
	fg_jfr_chunk_create(&b->chunk, sink);
	fg_sink_ticks(sink, 1e9);
	if (fg_sink_default(sink, "cpu"))
		return b;
	binary_free(b);
	return NULL;
}

static bool
binary_feed(void *state, const char *bytes, size_t size)
{
	Binary	   *b = state;

	while (size > 0)
	{
		size_t		slice = size < SLICE ? size : SLICE;

		if (!fg_buffer_append(&b->bytes, bytes, slice) || !fg_work(b->ctx, slice) || !advance(b))
			return false;
		memmove(b->bytes.data, b->bytes.data + b->used, b->bytes.size - b->used);
		b->bytes.size -= b->used;
		b->place += b->used;
		b->used = 0;
		bytes += slice;
		size -= slice;
	}
	return true;
}

static bool
binary_finish(void *state)
{
	Binary	   *b = state;

	if (b->stage == HEADER && b->bytes.size == 0 && b->chunks > 0)
		return true;
	if (b->stage == HEADER)
		return fg_fail_at(b->ctx, FG_ERROR_SYNTAX, 0, 0, "The file was cut off.",
						  "the recording ends at byte %" PRIu64 ", in the header of chunk %" PRIu64,
						  b->place + b->bytes.size, b->chunks + 1);
	return fg_fail_at(b->ctx, FG_ERROR_SYNTAX, 0, 0, "The file was cut off.",
					  "the recording ends at byte %" PRIu64 ", in chunk %" PRIu64
					  ", which has bytes %" PRIu64 " to %" PRIu64, b->place + b->bytes.size, b->chunks, b->start + 1,
					  b->start + b->size);
}

static bool
binary_recognise(const char *head, size_t size, bool whole)
{
	(void) whole;
	return size >= 4 && memcmp(head, "FLR", 4) == 0;
}

const FgFormatReader fg_jfr_binary_reader = {
	.format = FG_FORMAT_JFR,
	.recognise = binary_recognise,
	.begin = binary_begin,
	.feed = binary_feed,
	.finish = binary_finish,
	.free = binary_free
};
