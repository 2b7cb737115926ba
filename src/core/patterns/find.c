/*
 * find.c
 *	  Frames by what somebody remembers of their names (see find.h).
 */
#include "core/patterns/find.h"

#include <string.h>

static inline uint8_t
folded(char c)
{
	uint8_t		byte = (uint8_t) c;

	return byte >= 'A' && byte <= 'Z' ? (uint8_t) (byte + ('a' - 'A')) : byte;
}

/* --- parts of names ----------------------------------------------------------------- */

/*
 * A text that is looked for in many names, in time in their lengths (Knuth, Morris &
 * Pratt 1977): where text[0 .. k) was found and text[k] does not follow, the longest
 * part that may still have begun is text[0 .. border[k - 1]).
 */
typedef struct Part
{
	const uint8_t *text;
	size_t		length;
	size_t	   *border;
} Part;

static bool
part_begin(FgContext *ctx, Part *part, const uint8_t *text, size_t length)
{
	size_t		k = 0;

	*part = (Part) {text, length, fg_alloc_zero(ctx, length, sizeof(size_t))};
	if (part->border == NULL)
		return false;
	for (size_t i = 1; i < length; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		while (k > 0 && text[i] != text[k])
			k = part->border[k - 1];
		k += text[i] == text[k];
		part->border[i] = k;
	}
	return true;
}

#define NOT_FOUND SIZE_MAX

/* Where the part ends in name[from .. length) for the first time. */
static bool
part_find(FgContext *ctx, const Part *part, const char *name, size_t from, size_t length,
		  size_t *end)
{
	size_t		k = 0;

	*end = part->length == 0 ? from : NOT_FOUND;
	for (size_t i = from; *end == NOT_FOUND && i < length; i++)
	{
		uint8_t		byte = folded(name[i]);

		if (!fg_check_every(ctx, i - from + 1))
			return false;
		while (k > 0 && byte != part->text[k])
			k = part->border[k - 1];
		k += byte == part->text[k];
		if (k == part->length)
			*end = i + 1;
	}
	return fg_work(ctx, *end == NOT_FOUND ? length - from : *end - from);
}

static bool
part_stands_at(const Part *part, const char *name, size_t at)
{
	for (size_t i = 0; i < part->length; i++)
	{
		if (folded(name[at + i]) != part->text[i])
			return false;
	}
	return true;
}

/* --- patterns ------------------------------------------------------------------------ */

/* The parts between the stars; one part without any star. */
typedef struct Pattern
{
	uint8_t    *text;			/* folded */
	Part	   *parts;
	size_t		count;
} Pattern;

static void
pattern_free(FgContext *ctx, Pattern *pattern)
{
	for (size_t i = 0; pattern->parts != NULL && i < pattern->count; i++)
		fg_release(ctx, pattern->parts[i].border);
	fg_release(ctx, pattern->parts);
	fg_release(ctx, pattern->text);
}

static bool
pattern_begin(FgContext *ctx, Pattern *pattern, const char *text, size_t length)
{
	size_t		stars = 0;
	size_t		start = 0;

	*pattern = (Pattern) {.text = fg_alloc(ctx, length + 1, 1)};
	if (pattern->text == NULL)
		return false;
	for (size_t i = 0; i < length; i++)
	{
		pattern->text[i] = folded(text[i]);
		stars += text[i] == '*';
		if (!fg_check_every(ctx, i))
			return false;
	}
	pattern->parts = fg_alloc_zero(ctx, stars + 1, sizeof(Part));
	if (pattern->parts == NULL)
		return false;
	for (size_t i = 0; i <= length; i++)
	{
		if (i < length && text[i] != '*')
			continue;
		if (!part_begin(ctx, &pattern->parts[pattern->count++], pattern->text + start, i - start))
			return false;
		start = i + 1;
	}
	return true;
}

/*
 * The first part begins the name, the last one ends it, and each of the others is taken
 * where it comes first: what follows then has the most room.
 */
static bool
pattern_matches(FgContext *ctx, const Pattern *pattern, const char *name, size_t length,
				bool *matches)
{
	const Part *first = &pattern->parts[0];
	const Part *last = &pattern->parts[pattern->count - 1];
	size_t		from = first->length;
	size_t		end = length - last->length;

	*matches = length >= first->length + last->length && part_stands_at(first, name, 0) &&
		part_stands_at(last, name, end);
	for (size_t i = 1; *matches && i + 1 < pattern->count; i++)
	{
		if (!part_find(ctx, &pattern->parts[i], name, from, end, &from))
			return false;
		*matches = from != NOT_FOUND;
	}
	return true;
}

static bool
name_matches(FgContext *ctx, const Pattern *pattern, const char *name, size_t length,
			 bool *matches)
{
	size_t		end;

	if (pattern->count > 1)
		return pattern_matches(ctx, pattern, name, length, matches);
	if (!part_find(ctx, &pattern->parts[0], name, 0, length, &end))
		return false;
	*matches = end != NOT_FOUND;
	return true;
}

bool
fg_find_frames(FgContext *ctx, const FgFrames *frames, const char *text, size_t length,
			   uint8_t *found)
{
	Pattern		pattern;
	bool		ok = pattern_begin(ctx, &pattern, text, length);

	for (uint32_t f = 0; ok && f < frames->count; f++)
	{
		bool		matches = false;

		ok = name_matches(ctx, &pattern, fg_frame_bytes(frames, f), fg_frame_length(frames, f),
						  &matches) && fg_work(ctx, fg_frame_length(frames, f));
		found[f] = matches;
	}
	pattern_free(ctx, &pattern);
	return ok;
}

/* --- nearest names ------------------------------------------------------------------- */

/* Names of more bytes are compared as parts only: nobody types them. */
#define MAX_TYPED 255

/* A part of a name has so many bytes at least, or it says nothing. */
#define LEAST_PART 3

/* As many wrong letters as a name of this length may have: 1 to 3. */
static size_t
most_errors(size_t length)
{
	size_t		errors = 1 + length / 4;

	return errors < 3 ? errors : 3;
}

/*
 * How many letters must be replaced, inserted, left out or exchanged with their
 * neighbour to make one name of the other (Damerau 1964, no letter touched twice), if
 * these are no more than "most", by which the lengths differ at most.  Three rows of the
 * table of distances of their beginnings are enough, and of each row the places next to
 * the diagonal: a place further away than "most" has as many letters too many (Ukkonen
 * 1985).
 */
static size_t
edit_distance(const char *a, size_t alen, const char *b, size_t blen, size_t most)
{
	uint16_t	rows[3][MAX_TYPED + 1];

	for (size_t j = 0; j <= blen; j++)
		rows[0][j] = (uint16_t) j;
	for (size_t i = 1; i <= alen; i++)
	{
		const uint16_t *before = rows[(i + 1) % 3];
		const uint16_t *above = rows[(i - 1) % 3];
		uint16_t   *row = rows[i % 3];
		size_t		from = i > most ? i - most : 1;
		size_t		to = i + most < blen ? i + most : blen;

		row[from - 1] = from == 1 ? (uint16_t) i : MAX_TYPED + 1;
		if (to < blen)
			row[to + 1] = MAX_TYPED + 1;
		for (size_t j = from; j <= to; j++)
		{
			uint16_t	best = (uint16_t) (above[j - 1] + (folded(a[i - 1]) != folded(b[j - 1])));

			if (above[j] + 1 < best)
				best = (uint16_t) (above[j] + 1);
			if (row[j - 1] + 1 < best)
				best = (uint16_t) (row[j - 1] + 1);
			if (i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
				folded(a[i - 2]) == folded(b[j - 1]) && before[j - 2] + 1 < best)
				best = (uint16_t) (before[j - 2] + 1);
			row[j] = best;
		}
	}
	return rows[alen % 3][blen];
}

/* The name that is looked for, in two forms. */
typedef struct Wanted
{
	const char *name;
	size_t		length;
	Pattern		pattern;
} Wanted;

#define TOO_FAR SIZE_MAX

/* Is the frame, or a good part of it, a part of the wanted name? */
static bool
frame_is_part(FgContext *ctx, const Wanted *wanted, const char *frame, size_t length,
			  bool *is_part)
{
	*is_part = false;
	if (length < LEAST_PART || length >= wanted->length || wanted->length > MAX_TYPED)
		return true;
	for (size_t at = 0; !*is_part && at + length <= wanted->length; at++)
	{
		size_t		i = 0;

		while (i < length && folded(wanted->name[at + i]) == folded(frame[i]))
			i++;
		*is_part = i == length;
	}
	return fg_work(ctx, wanted->length * 4);
}

/* Wrong letters come first, then parts, by how much is missing. */
static bool
distance_to(FgContext *ctx, const Wanted *wanted, const char *frame, size_t length,
			size_t *distance)
{
	size_t		most = most_errors(wanted->length);
	size_t		missing = length > wanted->length ? length - wanted->length : wanted->length - length;
	bool		is_part = false;

	*distance = TOO_FAR;
	if (missing <= most && length <= MAX_TYPED && wanted->length <= MAX_TYPED)
	{
		*distance = edit_distance(wanted->name, wanted->length, frame, length, most);
		if (!fg_work(ctx, wanted->length * (2 * most + 1)))
			return false;
		if (*distance > most || *distance >= wanted->length)
			*distance = TOO_FAR;
	}
	if (*distance != TOO_FAR)
		return true;
	if (wanted->length >= LEAST_PART &&
		!name_matches(ctx, &wanted->pattern, frame, length, &is_part))
		return false;
	if (!is_part && !frame_is_part(ctx, wanted, frame, length, &is_part))
		return false;
	if (is_part)
		*distance = most + missing + 1;
	return true;
}

/* Keeps the nearest ones in order; of equal ones the first. */
static void
keep_nearest(uint32_t frame, size_t distance, uint32_t *nearest, size_t *distances,
			 uint32_t *count)
{
	uint32_t	at = *count;

	while (at > 0 && distances[at - 1] > distance)
		at--;
	if (at == FG_MAX_NEAREST)
		return;
	if (*count < FG_MAX_NEAREST)
		(*count)++;
	for (uint32_t i = *count - 1; i > at; i--)
	{
		nearest[i] = nearest[i - 1];
		distances[i] = distances[i - 1];
	}
	nearest[at] = frame;
	distances[at] = distance;
}

bool
fg_nearest_frames(FgContext *ctx, const FgFrames *frames, const char *name, size_t length,
				  uint32_t *nearest, uint32_t *count)
{
	Wanted		wanted = {name, length, {0}};
	size_t		distances[FG_MAX_NEAREST];
	bool		ok = pattern_begin(ctx, &wanted.pattern, name, length);

	*count = 0;
	for (uint32_t f = 0; ok && f < frames->count; f++)
	{
		size_t		distance = TOO_FAR;

		ok = distance_to(ctx, &wanted, fg_frame_bytes(frames, f), fg_frame_length(frames, f),
						 &distance);
		if (ok && distance != TOO_FAR)
			keep_nearest(f, distance, nearest, distances, count);
	}
	pattern_free(ctx, &wanted.pattern);
	return ok;
}
