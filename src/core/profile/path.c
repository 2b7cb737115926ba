/*
 * path.c
 *	  Stack paths: bytes, text and parts (see path.h).
 */
#include "core/profile/path.h"

#include "core/profile/frames.h"

FgPathWalk
fg_path_walk(const char *path, size_t length)
{
	FgPathWalk	walk = {length > 0 ? path : NULL, length > 0 ? path + length : NULL, NULL, 0};

	return walk;
}

bool
fg_path_next(FgPathWalk *walk)
{
	const char *stop;

	if (walk->next == NULL)
		return false;
	stop = walk->next < walk->end
		? memchr(walk->next, FG_PATH_SEPARATOR, (size_t) (walk->end - walk->next)) : NULL;
	walk->frame = walk->next;
	walk->length = (size_t) ((stop != NULL ? stop : walk->end) - walk->next);
	walk->next = stop != NULL ? stop + 1 : NULL;
	return true;
}

uint32_t
fg_path_depth(const char *path, size_t length)
{
	uint32_t	depth = length > 0;

	for (size_t i = 0; i < length; i++)
		depth += path[i] == FG_PATH_SEPARATOR;
	return depth;
}

bool
fg_path_contains(const char *a, size_t alen, const char *b, size_t blen)
{
	if (alen == 0)
		return true;
	if (alen > blen || memcmp(a, b, alen) != 0)
		return false;
	return alen == blen || b[alen] == FG_PATH_SEPARATOR;
}

void
fg_path_slice(const char *path, size_t length, uint32_t start, uint32_t count,
			  const char **slice, size_t *slice_length)
{
	FgPathWalk	walk = fg_path_walk(path, length);

	*slice = path;
	*slice_length = 0;
	for (uint32_t i = 0; i < start + count && fg_path_next(&walk); i++)
	{
		if (i == start)
			*slice = walk.frame;
		if (i >= start)
			*slice_length = (size_t) (walk.frame + walk.length - *slice);
	}
}

size_t
fg_path_common(const char *a, size_t alen, const char *b, size_t blen)
{
	size_t		shorter = alen < blen ? alen : blen;
	size_t		same = 0;
	size_t		common = 0;

	for (; same < shorter && a[same] == b[same]; same++)
	{
		if (a[same] == FG_PATH_SEPARATOR)
			common = same;
	}
	if (same == shorter &&
		(same == alen || a[same] == FG_PATH_SEPARATOR) &&
		(same == blen || b[same] == FG_PATH_SEPARATOR))
		return same;
	return common;
}

uint32_t
fg_path_position(FgContext *ctx, const char *path, size_t length, const char *part,
				 size_t part_length, uint32_t start)
{
	FgPathWalk	walk = fg_path_walk(path, length);
	uint32_t	position = 0;

	if (part_length == 0)
		return start <= fg_path_depth(path, length) ? start : FG_NONE;
	for (; fg_path_next(&walk); position++)
	{
		size_t		left = (size_t) (walk.end - walk.frame);

		/* paths that repeat themselves are compared up to their ends at every position */
		if (!fg_work(ctx, part_length < left ? part_length : left))
			return FG_NONE;
		if (position >= start && fg_path_contains(part, part_length, walk.frame, left))
			return position;
	}
	return FG_NONE;
}

/*
 * Copies one frame of a text, with its escapes undone, up to an unescaped ';'.
 * Returns where it stopped.
 */
static const char *
copy_frame(uint8_t **to, const char *p, const char *end)
{
	uint8_t    *out = *to;

	while (p < end && *p != ';')
	{
		if (fg_path_escapes(p, end))
			p++;
		*out++ = (uint8_t) *p++;
	}
	*to = out;
	return p;
}

bool
fg_path_parse(FgBuffer *path, const char *text, size_t length, uint64_t column)
{
	FgContext  *ctx = path->ctx;
	const char *p = text;
	const char *end = length > 0 ? text + length : text;	/* no arithmetic on NULL */
	uint32_t	depth = 0;

	if (length == 0)
		return true;
	if (!fg_buffer_room(path, length + 1))
		return false;
	for (;; p++)
	{
		uint8_t    *start;
		uint8_t    *stop;
		const char *source = p;

		if (depth > 0)
			path->data[path->size++] = FG_PATH_SEPARATOR;
		start = stop = path->data + path->size;
		p = copy_frame(&stop, p, end);
		path->size += (size_t) (stop - start);
		if (++depth > FG_MAX_DEPTH)
			return fg_fail_at(ctx, FG_ERROR_LIMIT, 0, column + (uint64_t) (source - text), NULL,
							  "a stack has more than %u frames", FG_MAX_DEPTH);
		if (!fg_work(ctx, (size_t) (stop - start)))
			return false;
		if (!fg_frame_valid(ctx, (char *) start, (size_t) (stop - start)))
		{
			ctx->error.column = column + (uint64_t) (source - text);
			return false;
		}
		if (p == end)
			return true;
	}
}

/*
 * A backslash would be misread in front of a backslash or of an escaped
 * semicolon; in front of a separator fg_path_print_separator sees to it.
 */
bool
fg_path_print_frame(FgBuffer *text, const char *frame, size_t length)
{
	if (!fg_buffer_room(text, 2 * length))
		return false;
	if (memchr(frame, ';', length) == NULL && memchr(frame, '\\', length) == NULL)
		return fg_buffer_append(text, frame, length);
	for (size_t i = 0; i < length; i++)
	{
		bool		escape = frame[i] == ';';

		if (frame[i] == '\\' && i + 1 < length)
			escape = frame[i + 1] == '\\' || frame[i + 1] == ';';
		if (escape)
			text->data[text->size++] = '\\';
		text->data[text->size++] = (uint8_t) frame[i];
	}
	return true;
}

bool
fg_path_print_separator(FgBuffer *text)
{
	if (!fg_buffer_room(text, 2))
		return false;
	if (text->size > 0 && text->data[text->size - 1] == '\\')
		text->data[text->size++] = '\\';
	text->data[text->size++] = ';';
	return true;
}

bool
fg_path_print(FgBuffer *text, const char *path, size_t length)
{
	FgPathWalk	walk = fg_path_walk(path, length);
	bool		first = true;

	while (fg_path_next(&walk))
	{
		if (!first && !fg_path_print_separator(text))
			return false;
		if (!fg_work(text->ctx, walk.length) ||
			!fg_path_print_frame(text, walk.frame, walk.length))
			return false;
		first = false;
	}
	return true;
}
