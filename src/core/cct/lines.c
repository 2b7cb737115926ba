/*
 * lines.c
 *	  Frames with line numbers (see lines.h).
 */
#include "core/cct/lines.h"

#include "core/base/bytes.h"
#include "core/base/order.h"
#include "core/profile/builder.h"

#include <math.h>
#include <string.h>

/* A frame taken apart: name, then ":line" or ":line:column", then ")" or nothing. */
typedef struct Parts
{
	size_t		name;			/* bytes of the name */
	size_t		tail;			/* bytes behind the numbers */
	int64_t		line;			/* -1 for none */
} Parts;

/*
 * Reads ":digits" backwards from "end"; returns where the colon is, 0 when there is
 * none: a name of at least one byte has to stand before it.
 */
static size_t
number_before(const char *frame, size_t end, int64_t *number)
{
	size_t		start = end;

	while (start > 0 && frame[start - 1] >= '0' && frame[start - 1] <= '9')
		start--;
	if (start == end || start < 2 || frame[start - 1] != ':')
		return 0;
	*number = 0;
	for (size_t i = start; i < end && *number <= INT32_MAX; i++)
		*number = *number * 10 + (frame[i] - '0');
	return start - 1;
}

static Parts
take_apart(const char *frame, size_t length)
{
	size_t		tail = length > 0 && frame[length - 1] == ')';
	Parts		parts = {length, 0, -1};
	int64_t		number;
	size_t		colon = number_before(frame, length - tail, &number);

	if (colon == 0)
		return parts;
	parts = (Parts) {colon, tail, number};
	colon = number_before(frame, colon, &number);
	if (colon != 0)
		parts = (Parts) {colon, tail, number};
	return parts;
}

int32_t
fg_frame_line(const char *frame, size_t length)
{
	Parts		parts = take_apart(frame, length);

	return parts.line <= INT32_MAX ? (int32_t) parts.line : -1;
}

/* --- names -------------------------------------------------------------------------- */

/* The name's bytes: most are a prefix of the frame, the others are put together. */
static bool
name_bytes(FgBuffer *buffer, const char *frame, Parts parts, size_t length, const char **bytes,
		   size_t *size)
{
	*bytes = frame;
	*size = parts.name + parts.tail;
	if (parts.tail == 0)
		return true;
	buffer->size = 0;
	if (!fg_buffer_append(buffer, frame, parts.name) ||
		!fg_buffer_append(buffer, frame + length - parts.tail, parts.tail))
		return false;
	*bytes = (const char *) buffer->data;
	return true;
}

/* Sorts and numbers the names, by way of a profile with each as a stack. */
static bool
collect_names(FgContext *ctx, const FgFrames *frames, FgBuffer *buffer, FgBuilder *builder,
			  FgLineNames *result)
{
	for (uint32_t f = 0; f < frames->count; f++)
	{
		const char *frame = fg_frame_bytes(frames, f);
		uint32_t	length = fg_frame_length(frames, f);
		Parts		parts = take_apart(frame, length);
		const char *bytes;
		size_t		size;
		uint32_t	number;

		result->line[f] = parts.line <= INT32_MAX ? (int32_t) parts.line : -1;
		if (!fg_check_every(ctx, f) ||
			!name_bytes(buffer, frame, parts, length, &bytes, &size) ||
			!fg_builder_frame(builder, bytes, size, &number) ||
			!fg_builder_child(builder, 0, number, &result->name[f]) ||
			!fg_builder_add_value(builder, result->name[f], 1))
			return false;
	}
	return true;
}

static bool
number_names(FgContext *ctx, const FgFrames *frames, FgBuffer *buffer, FgBuilder *builder,
			 FgLineNames *result)
{
	FgTree		tree;

	if (!collect_names(ctx, frames, buffer, builder, result) || !fg_builder_finish(builder, &tree))
		return false;
	result->names = tree.frames;
	memset(&tree.frames, 0, sizeof(tree.frames));
	fg_tree_free(ctx, &tree);
	for (uint32_t f = 0; f < frames->count; f++)
	{
		const char *frame = fg_frame_bytes(frames, f);
		uint32_t	length = fg_frame_length(frames, f);
		const char *bytes;
		size_t		size;

		if (!fg_check_every(ctx, f) ||
			!name_bytes(buffer, frame, take_apart(frame, length), length, &bytes, &size))
			return false;
		result->name[f] = fg_frames_find(&result->names, bytes, size);
	}
	return true;
}

bool
fg_line_names(FgContext *ctx, const FgFrames *frames, FgLineNames *result)
{
	FgBuffer	buffer = {.ctx = ctx};
	FgBuilder  *builder = fg_builder_create(ctx);
	bool		ok;

	memset(result, 0, sizeof(*result));
	result->name = fg_alloc(ctx, frames->count, sizeof(uint32_t));
	result->line = fg_alloc(ctx, frames->count, sizeof(int32_t));
	ok = builder != NULL && result->name != NULL && result->line != NULL &&
		number_names(ctx, frames, &buffer, builder, result);
	if (builder != NULL)
		fg_builder_free(builder);
	fg_release(ctx, buffer.data);
	if (!ok)
		fg_line_names_free(ctx, result);
	return ok;
}

void
fg_line_names_free(FgContext *ctx, FgLineNames *names)
{
	fg_frames_free(ctx, &names->names);
	fg_release(ctx, names->name);
	fg_release(ctx, names->line);
	memset(names, 0, sizeof(*names));
}

/* --- call sites ------------------------------------------------------------------------ */

/* What is asked for: the frames of one function, and their lines as indexes. */
typedef struct Sites
{
	uint8_t    *wanted;			/* by frame */
	uint32_t   *site;			/* by frame: index of its line, FG_NONE without one */
} Sites;

/* lines[] becomes the distinct lines of the wanted frames, ascending. */
static bool
number_lines(FgContext *ctx, const FgLineNames *names, uint32_t nframes, Sites *sites,
			 int32_t *lines, double *descending, uint32_t *order)
{
	uint32_t	nlines = 0;

	/* frames without a wanted line come last, as NaN */
	for (uint32_t f = 0; f < nframes; f++)
	{
		if (!fg_check_every(ctx, f))
			return false;
		descending[f] = sites->wanted[f] && names->line[f] >= 0 ? -(double) names->line[f]
			: (double) NAN;
	}
	if (!fg_order_descending(ctx, descending, nframes, order))
		return false;
	for (uint32_t i = 0; i < nframes; i++)
	{
		uint32_t	f = order[i];

		sites->site[f] = FG_NONE;
		if (!sites->wanted[f] || names->line[f] < 0)
			continue;
		if (nlines == 0 || lines[nlines - 1] != names->line[f])
			lines[nlines++] = names->line[f];
		sites->site[f] = nlines - 1;
	}
	return true;
}

static bool
choose_frames(FgContext *ctx, const FgTree *tree, const FgLineNames *names, const char *function,
			  size_t length, Sites *sites, int32_t *lines)
{
	uint32_t	nframes = tree->frames.count;
	uint32_t	name = fg_frames_find(&names->names, function, length);
	uint32_t	exact = fg_frames_find(&tree->frames, function, length);
	double	   *descending = fg_alloc(ctx, nframes, sizeof(double));
	uint32_t   *order = fg_alloc(ctx, nframes, sizeof(uint32_t));
	bool		ok = descending != NULL && order != NULL;

	for (uint32_t f = 0; f < nframes; f++)
		sites->wanted[f] = name != FG_NONE ? names->name[f] == name : f == exact;
	ok = ok && number_lines(ctx, names, nframes, sites, lines, descending, order);
	fg_release(ctx, descending);
	fg_release(ctx, order);
	return ok;
}

static bool
count_sites(FgContext *ctx, const FgTree *tree, const FgLineNames *names, const Sites *sites,
			const double *total, FgCallSites *result)
{
	FgWalk		walk;
	uint32_t	outermost = 0;
	bool		ok = fg_walk_begin(ctx, tree, &walk);

	while (ok && fg_walk_next(&walk))
	{
		uint32_t	caller = fg_key_frame(tree->key[fg_walk_parent(&walk)]);

		if (sites->wanted[walk.frame] && !fg_walk_below(&walk, outermost))
		{
			outermost = walk.node;
			result->total += total[walk.node];
		}
		if (walk.depth > 1 && sites->wanted[caller])
			ok = fg_tally_node(&result->tally, &walk, sites->site[caller],
							   names->name[walk.frame], total[walk.node]);
	}
	if (!fg_walk_end(&walk) || !ok)
		return false;
	return isfinite(result->total) ||
		fg_fail(ctx, FG_ERROR_RANGE, "an inclusive value is out of range");
}

bool
fg_call_sites(FgContext *ctx, const FgTree *tree, const FgLineNames *names, const char *function,
			  size_t length, FgCallSites *result)
{
	uint32_t	nframes = tree->frames.count;
	double	   *total = fg_alloc(ctx, (size_t) tree->nnodes + 1, sizeof(double));
	Sites		sites = {
		.wanted = fg_alloc(ctx, nframes, 1),
		.site = fg_alloc(ctx, nframes, sizeof(uint32_t))
	};
	bool		ok;

	memset(result, 0, sizeof(*result));
	result->lines = fg_alloc(ctx, nframes, sizeof(int32_t));
	ok = fg_tally_begin(ctx, &result->tally) && total != NULL && sites.wanted != NULL &&
		sites.site != NULL && result->lines != NULL &&
		choose_frames(ctx, tree, names, function, length, &sites, result->lines) &&
		fg_tree_totals(ctx, tree, total) &&
		count_sites(ctx, tree, names, &sites, total, result) &&
		fg_tally_finish(&result->tally, nframes);
	fg_release(ctx, total);
	fg_release(ctx, sites.wanted);
	fg_release(ctx, sites.site);
	if (!ok)
		fg_call_sites_free(ctx, result);
	return ok;
}

void
fg_call_sites_free(FgContext *ctx, FgCallSites *sites)
{
	fg_tally_free(&sites->tally);
	fg_release(ctx, sites->lines);
	memset(sites, 0, sizeof(*sites));
}
