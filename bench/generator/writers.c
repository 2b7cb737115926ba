/*
 * writers.c
 *		Formats of recordings (see writers.h).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "writers.h"

/* --- text --- */

static void
add_stack(Buffer *buffer, const World *world, const Sample *sample)
{
	uint32_t	frames[MAX_DEPTH];

	sample_frames(world, sample, frames);
	for (uint32_t d = 0; d < sample->depth; d++)
	{
		if (d > 0)
			buffer_add_char(buffer, ';');
		buffer_add(buffer, world->program.name[frames[d]],
				   world->program.name_len[frames[d]]);
	}
}

/* Names of frames hold no tab, backslash or line break: the COPY formats need no escapes in a stack. */
static void
write_text(const Profile *profile, const World *world, Format format,
		   uint64_t profile_seed, Buffer *buffer)
{
	if (format == FORMAT_COPY)
	{
		buffer_add_number(buffer, profile_seed);
		buffer_add_char(buffer, '\t');
	}
	for (uint32_t i = 0; i < profile->n_samples; i++)
	{
		const Sample *sample = &profile->sample[i];

		if (format == FORMAT_ROWS)
		{
			buffer_add_number(buffer, profile_seed);
			buffer_add_char(buffer, '\t');
		}
		add_stack(buffer, world, sample);
		buffer_add_char(buffer, format == FORMAT_ROWS ? '\t' : ' ');
		buffer_add_number(buffer, sample->value);
		if (format == FORMAT_COPY)
			buffer_add(buffer, "\\n", 2);
		else
			buffer_add_char(buffer, '\n');
	}
	if (format == FORMAT_COPY)
		buffer_add_char(buffer, '\n');
}

/* --- profile.proto: field numbers as in the published schema --- */

static void
add_varint(Buffer *buffer, uint64_t value)
{
	while (value >= 0x80)
	{
		buffer_add_char(buffer, (char) (unsigned char) (value | 0x80));
		value >>= 7;
	}
	buffer_add_char(buffer, (char) value);
}

static void
add_int_field(Buffer *buffer, uint32_t field, uint64_t value)
{
	add_varint(buffer, field << 3);
	add_varint(buffer, value);
}

static void
add_bytes_field(Buffer *buffer, uint32_t field, const void *data, size_t len)
{
	add_varint(buffer, field << 3 | 2);
	add_varint(buffer, len);
	buffer_add(buffer, data, len);
}

static const char *const fixed_texts[] = {"", "samples", "count", "cpu", "nanoseconds"};

/* The frames of a recording in order of their first occurrence; their ids count from 1. */
typedef struct
{
	uint32_t   *id;
	uint32_t   *used;
	uint32_t	n_used;
} FrameIds;

static void
number_frames(FrameIds *ids, const uint32_t *frames, uint32_t depth)
{
	for (uint32_t d = 0; d < depth; d++)
	{
		if (ids->id[frames[d]] == 0)
		{
			ids->used[ids->n_used++] = frames[d];
			ids->id[frames[d]] = ids->n_used;
		}
	}
}

/* sample_type = 1: samples/count; period_type = 11: cpu/nanoseconds: two texts by number */
static void
add_value_type(Buffer *buffer, uint32_t field, uint64_t type, uint64_t unit)
{
	Buffer		inner = {0};

	add_int_field(&inner, 1, type);
	add_int_field(&inner, 2, unit);
	add_bytes_field(buffer, field, inner.data, inner.len);
	free(inner.data);
}

/* sample = 2: location ids leaf first, then the value */
static void
add_samples(Buffer *buffer, const Profile *profile, const World *world, FrameIds *ids)
{
	Buffer		inner = {0};
	Buffer		outer = {0};

	for (uint32_t i = 0; i < profile->n_samples; i++)
	{
		uint32_t	frames[MAX_DEPTH];
		const Sample *sample = &profile->sample[i];

		sample_frames(world, sample, frames);
		inner.len = outer.len = 0;
		number_frames(ids, frames, sample->depth);
		for (uint32_t d = sample->depth; d > 0; d--)
			add_varint(&inner, ids->id[frames[d - 1]]);
		add_bytes_field(&outer, 1, inner.data, inner.len);
		inner.len = 0;
		add_varint(&inner, sample->value);
		add_bytes_field(&outer, 2, inner.data, inner.len);
		add_bytes_field(buffer, 2, outer.data, outer.len);
	}
	free(inner.data);
	free(outer.data);
}

/* location = 4: one line each, no mapping and no address; function = 5: id and name */
static void
add_locations(Buffer *buffer, uint32_t n_used)
{
	Buffer		inner = {0};
	Buffer		outer = {0};

	for (uint32_t i = 0; i < n_used; i++)
	{
		inner.len = outer.len = 0;
		add_int_field(&inner, 1, i + 1);
		add_int_field(&outer, 1, i + 1);
		add_bytes_field(&outer, 4, inner.data, inner.len);
		add_bytes_field(buffer, 4, outer.data, outer.len);
	}
	for (uint32_t i = 0; i < n_used; i++)
	{
		inner.len = 0;
		add_int_field(&inner, 1, i + 1);
		add_int_field(&inner, 2, LENGTH(fixed_texts) + i);
		add_bytes_field(buffer, 5, inner.data, inner.len);
	}
	free(inner.data);
	free(outer.data);
}

static void
write_pprof(const Profile *profile, const World *world, Buffer *buffer)
{
	const Program *program = &world->program;
	size_t		bytes = program->n_frames * sizeof(uint32_t);
	FrameIds	ids = {.id = xrealloc(NULL, bytes), .used = xrealloc(NULL, bytes)};

	memset(ids.id, 0, bytes);
	add_value_type(buffer, 1, 1, 2);
	add_samples(buffer, profile, world, &ids);
	add_locations(buffer, ids.n_used);
	/* string_table = 6 */
	for (uint32_t i = 0; i < LENGTH(fixed_texts); i++)
		add_bytes_field(buffer, 6, fixed_texts[i], strlen(fixed_texts[i]));
	for (uint32_t i = 0; i < ids.n_used; i++)
		add_bytes_field(buffer, 6, program->name[ids.used[i]], program->name_len[ids.used[i]]);
	add_value_type(buffer, 11, 3, 4);
	/* period = 12: 100 Hz */
	add_int_field(buffer, 12, 10000000);
	free(ids.id);
	free(ids.used);
}

void
write_profile(const Profile *profile, const World *world, Format format,
			  uint64_t profile_seed, Buffer *buffer)
{
	if (format == FORMAT_PPROF)
		write_pprof(profile, world, buffer);
	else
		write_text(profile, world, format, profile_seed, buffer);
}

/* --- figures --- */

void
print_facts(const Profile *profile, const World *world, uint64_t profile_seed)
{
	bool	   *used = xrealloc(NULL, world->program.n_frames);
	uint32_t	frames[MAX_DEPTH];
	uint32_t	n_used = 0;
	uint32_t	deepest = 0;
	uint64_t	sum_depth = 0;
	uint64_t	total = 0;
	uint64_t	name_bytes = 0;

	memset(used, 0, world->program.n_frames);
	for (uint32_t i = 0; i < profile->n_samples; i++)
	{
		const Sample *sample = &profile->sample[i];

		sum_depth += sample->depth;
		total += sample->value;
		if (sample->depth > deepest)
			deepest = sample->depth;
		sample_frames(world, sample, frames);
		for (uint32_t d = 0; d < sample->depth; d++)
		{
			if (!used[frames[d]])
			{
				used[frames[d]] = true;
				n_used++;
				name_bytes += world->program.name_len[frames[d]];
			}
		}
	}
	fprintf(stderr, "profile %" PRIu64 ": nodes %" PRIu32 ", stacks %" PRIu32
			", frames %" PRIu32 " of %.1f bytes, depth mean %.1f max %" PRIu32
			", total %" PRIu64 "\n",
			profile_seed, profile->n_nodes, profile->n_samples, n_used,
			(double) name_bytes / n_used,
			(double) sum_depth / profile->n_samples, deepest, total);
	free(used);
}
