/*
 * pprof_write.c
 *	  Writer of pprof's format (see pprof_write.h).
 *
 * Messages of one type that stand one after the other are one message to protobuf,
 * their lists joined.  So a profile is written in parts, with one sample, function
 * or text each, and never is in memory as a whole.
 */
#include "core/formats/pprof_write.h"

#include "core/base/number.h"
#include "core/base/sums.h"
#include "core/formats/profile.pb-c.h"
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
	z_stream	stream;
	uint64_t   *locations;		/* of the stack that is being written, leaf first */
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

static bool
write_part(Writer *w, const FgPprof__Profile *profile)
{
	size_t		size = fg_pprof__profile__get_packed_size(profile);

	if (!fg_buffer_room(&w->part, size))
		return false;
	w->part.size += fg_pprof__profile__pack(profile, w->part.data + w->part.size);
	if (!fg_work(w->ctx, size))
		return false;
	return w->part.size < OUTPUT_BYTES || pack(w, Z_NO_FLUSH);
}

static bool
write_text(Writer *w, const char *text, size_t length)
{
	ProtobufCBinaryData bytes = {length, (uint8_t *) (uintptr_t) text};
	FgPprof__Profile profile = FG_PPROF__PROFILE__INIT;

	profile.n_string_table = 1;
	profile.string_table = &bytes;
	return write_part(w, &profile);
}

/* Texts 1 and 2; those of the frames follow. */
#define FIRST_FRAME_TEXT 3

static bool
write_type(Writer *w)
{
	FgPprof__ValueType type = FG_PPROF__VALUE_TYPE__INIT;
	FgPprof__ValueType *types = &type;
	FgPprof__Profile profile = FG_PPROF__PROFILE__INIT;

	type.type = 1;
	type.unit = 2;
	profile.n_sample_type = 1;
	profile.sample_type = &types;
	return write_part(w, &profile);
}

/* Function and location of a frame; their ids count from 1. */
static bool
write_frame(Writer *w, uint32_t frame)
{
	FgPprof__Function function = FG_PPROF__FUNCTION__INIT;
	FgPprof__Function *functions = &function;
	FgPprof__Line line = FG_PPROF__LINE__INIT;
	FgPprof__Line *lines = &line;
	FgPprof__Location location = FG_PPROF__LOCATION__INIT;
	FgPprof__Location *locations = &location;
	FgPprof__Profile profile = FG_PPROF__PROFILE__INIT;

	function.id = location.id = line.function_id = (uint64_t) frame + 1;
	function.name = function.system_name = (int64_t) frame + FIRST_FRAME_TEXT;
	location.n_line = 1;
	location.line = &lines;
	profile.n_function = profile.n_location = 1;
	profile.function = &functions;
	profile.location = &locations;
	return write_part(w, &profile);
}

static bool
write_sample(Writer *w, const FgWalk *walk, double value)
{
	int64_t		whole;
	FgPprof__Sample sample = FG_PPROF__SAMPLE__INIT;
	FgPprof__Sample *samples = &sample;
	FgPprof__Profile profile = FG_PPROF__PROFILE__INIT;
	char		text[FG_NUMBER_SIZE];

	if (!(value >= -INT64_END && value < INT64_END) || value != (double) (int64_t) value)
	{
		fg_number_print(value, text);
		return fg_fail_at(w->ctx, FG_ERROR_RANGE, 0, 0,
						  "Take round(fg, 0), or multiply it and choose the unit to match.",
						  "a stack has the value %s, but pprof counts in whole numbers", text);
	}
	whole = (int64_t) value;
	for (uint32_t d = 0; d < walk->depth; d++)
		w->locations[d] = (uint64_t) fg_key_frame(walk->tree->key[walk->path[walk->depth - d]]) + 1;
	sample.n_location_id = walk->depth;
	sample.location_id = w->locations;
	sample.n_value = 1;
	sample.value = &whole;
	profile.n_sample = 1;
	profile.sample = &samples;
	return write_part(w, &profile);
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
	Writer		w = {.ctx = ctx, .file = file, .limit = file->size + limit, .part = {.ctx = ctx}};
	bool		ok;

	fg_zlib_memory(ctx, &w.stream);
	if (deflateInit2(&w.stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8,
					 Z_DEFAULT_STRATEGY) != Z_OK)
		return fg_fail(ctx, FG_ERROR_MEMORY, "out of memory for packing");
	w.locations = fg_alloc(ctx, fg_tree_depth_bound(tree), sizeof(uint64_t));
	ok = w.locations != NULL && write_type(&w) && write_samples(&w, tree) &&
		write_text(&w, "", 0) && write_text(&w, sample_type, sample_type_length) &&
		write_text(&w, unit, unit_length);
	for (uint32_t f = 0; ok && f < tree->frames.count; f++)
		ok = write_frame(&w, f) && write_text(&w, fg_frame_bytes(&tree->frames, f),
											  fg_frame_length(&tree->frames, f));
	ok = ok && pack(&w, Z_FINISH);
	deflateEnd(&w.stream);
	fg_release(ctx, w.part.data);
	fg_release(ctx, w.locations);
	return ok;
}
