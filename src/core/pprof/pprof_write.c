/*
 * pprof_write.c
 *	  Writer of pprof's format (see pprof_write.h).
 *
 * A profile is a row of fields, so it is written field by field and packed when some have come
 * together: never is it in memory as a whole.
 */
#include "core/pprof/pprof_write.h"

#include "core/base/number.h"
#include "core/base/sums.h"
#include "core/profile/walk.h"
#include "core/reading/zlib_memory.h"

#include <limits.h>

#define OUTPUT_BYTES 65536

/* The first double that is too large for an int64_t. */
#define INT64_END 9223372036854775808.0

/* zlib's largest window, and a header of gzip. */
#define GZIP_WINDOW (15 + 16)

typedef struct Writer
{
	FgContext  *ctx;
	FgBuffer   *file;
	size_t		limit;			/* of file->size */
	FgBuffer	part;
	FgBuffer	message;		/* which is put together, and ... */
	FgBuffer	inner;			/* ... what is in it */
	z_stream	stream;
} Writer;

/* Packs what is in "part" and empties it. */
static bool
pack(Writer *w, int flush)
{
	int			result;

	w->stream.next_in = w->part.data;
	w->stream.avail_in = (uInt) w->part.size;
	do
	{
		if (!fg_buffer_room(w->file, OUTPUT_BYTES))
			return false;
		w->stream.next_out = w->file->data + w->file->size;
		w->stream.avail_out = OUTPUT_BYTES;
		result = deflate(&w->stream, flush);
		if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
			return fg_fail(w->ctx, FG_ERROR_MEMORY, "packing failed");
		w->file->size += OUTPUT_BYTES - w->stream.avail_out;
		if (w->file->size > w->limit)
			return fg_fail(w->ctx, FG_ERROR_LIMIT, "the profile is longer than %zu bytes", w->limit);
	} while (w->stream.avail_out == 0);
	w->part.size = 0;
	return true;
}

/* --- messages ------------------------------------------------------------------------------- */

/* Fields and how they are written. */
#define NUMBER(field) ((field) << 3)
#define BYTES(field) ((field) << 3 | 2)

static bool
put(FgBuffer *to, uint64_t tag, uint64_t number)
{
	return fg_append_varint(to, tag) && fg_append_varint(to, number);
}

/* A text, or a message that is there as a whole. */
static bool
put_bytes(FgBuffer *to, unsigned field, const void *bytes, size_t size)
{
	return put(to, BYTES(field), size) && fg_buffer_append(to, bytes, size);
}

/* A field of the profile: the message that was put together. */
static bool
write_message(Writer *w, unsigned field)
{
	size_t		size = w->message.size;

	w->message.size = 0;
	if (!put_bytes(&w->part, field, w->message.data, size) || !fg_work(w->ctx, size))
		return false;
	return w->part.size < OUTPUT_BYTES || pack(w, Z_NO_FLUSH);
}

enum
{
	SAMPLE_TYPE = 1, SAMPLE = 2, LOCATION = 4, FUNCTION = 5, TEXT = 6
};

static bool
write_text(Writer *w, const char *text, size_t length)
{
	return fg_buffer_append(&w->message, text, length) && write_message(w, TEXT);
}

/* Texts 1 and 2; those of the frames follow. */
#define FIRST_FRAME_TEXT 3

static bool
write_type(Writer *w)
{
	enum { TYPE = 1, UNIT = 2 };

	return put(&w->message, NUMBER(TYPE), 1) && put(&w->message, NUMBER(UNIT), 2) &&
		write_message(w, SAMPLE_TYPE);
}

/* Function and location of a frame; their ids count from 1. */
static bool
write_frame(Writer *w, uint32_t frame)
{
	enum { ID = 1, NAME = 2, SYSTEM_NAME = 3, LINE = 4, FUNCTION_ID = 1 };
	uint64_t	id = (uint64_t) frame + 1;
	uint64_t	name = (uint64_t) frame + FIRST_FRAME_TEXT;
	FgBuffer   *line = &w->inner;

	line->size = 0;
	return put(line, NUMBER(FUNCTION_ID), id) &&
		put(&w->message, NUMBER(ID), id) &&
		put_bytes(&w->message, LINE, line->data, line->size) && write_message(w, LOCATION) &&
		put(&w->message, NUMBER(ID), id) && put(&w->message, NUMBER(NAME), name) &&
		put(&w->message, NUMBER(SYSTEM_NAME), name) && write_message(w, FUNCTION);
}

static bool
write_sample(Writer *w, const FgWalk *walk, double value)
{
	enum { LOCATIONS = 1, VALUES = 2 };
	FgBuffer   *list = &w->inner;
	char		text[FG_NUMBER_SIZE];

	if (!(value >= -INT64_END && value < INT64_END) || value != (double) (int64_t) value)
	{
		fg_number_print(value, text);
		return fg_fail_at(w->ctx, FG_ERROR_RANGE, 0, 0,
						  "Take round(fg, 0), or multiply it and choose the unit to match.",
						  "a stack has the value %s, but pprof counts in whole numbers", text);
	}
	list->size = 0;
	for (uint32_t d = walk->depth; d > 0; d--)
	{
		if (!fg_append_varint(list, (uint64_t) fg_key_frame(walk->tree->key[walk->path[d]]) + 1))
			return false;
	}
	if (list->size > 0 && !put_bytes(&w->message, LOCATIONS, list->data, list->size))
		return false;
	list->size = 0;
	return fg_append_varint(list, (uint64_t) (int64_t) value) &&
		put_bytes(&w->message, VALUES, list->data, list->size) && write_message(w, SAMPLE);
}

/*
 * Whoever reads the file adds the values up in 64 bits, in any order and any selection:
 * the norm bounds all of these sums.
 */
static bool
check_sums(Writer *w, const FgTree *tree)
{
	double		total;
	double		norm;

	if (!fg_sums(w->ctx, tree->self, (size_t) tree->nnodes + 1, &total, &norm))
		return false;
	return norm < INT64_END ||
		fg_fail_at(w->ctx, FG_ERROR_RANGE, 0, 0,
				   "Divide the profile, and choose the unit to match.",
				   "the sum of the values does not fit 64 bits, in which pprof counts");
}

static bool
write_samples(Writer *w, const FgTree *tree)
{
	FgWalk		walk;
	bool		ok = true;

	if (!fg_walk_begin(w->ctx, tree, &walk))
		return false;
	if (tree->self[0] != 0)
		ok = write_sample(w, &walk, tree->self[0]);
	while (ok && fg_walk_next(&walk))
	{
		if (tree->self[walk.node] != 0)
			ok = write_sample(w, &walk, tree->self[walk.node]);
	}
	return fg_walk_end(&walk) && ok && check_sums(w, tree);
}

bool
fg_pprof_write(FgBuffer *file, const FgTree *tree, const char *sample_type,
			   size_t sample_type_length, const char *unit, size_t unit_length, size_t limit)
{
	FgContext  *ctx = file->ctx;
	Writer		w = {.ctx = ctx, .file = file, .limit = file->size + limit, .part = {.ctx = ctx},
		.message = {.ctx = ctx}, .inner = {.ctx = ctx}};
	bool		ok;

	fg_zlib_memory(ctx, &w.stream);
	if (deflateInit2(&w.stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8,
					 Z_DEFAULT_STRATEGY) != Z_OK)
		return fg_fail(ctx, FG_ERROR_MEMORY, "out of memory for packing");
	ok = write_type(&w) && write_samples(&w, tree) &&
		write_text(&w, "", 0) && write_text(&w, sample_type, sample_type_length) &&
		write_text(&w, unit, unit_length);
	for (uint32_t f = 0; ok && f < tree->frames.count; f++)
		ok = write_frame(&w, f) && write_text(&w, fg_frame_bytes(&tree->frames, f),
											  fg_frame_length(&tree->frames, f));
	ok = ok && pack(&w, Z_FINISH);
	deflateEnd(&w.stream);
	fg_release(ctx, w.part.data);
	fg_release(ctx, w.message.data);
	fg_release(ctx, w.inner.data);
	return ok;
}
