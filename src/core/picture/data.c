/*
 * data.c
 *	  The profile within its picture: writing (see data.h).
 */
#include "core/picture/data.h"

#include "core/base/order.h"
#include "core/base/pairs.h"
#include "core/profile/walk.h"
#include "core/svg/units.h"

#include <stdio.h>
#include <string.h>

#define MOST_CHARACTERS 10000

/* Nodes of a level below the current path that are not written. */
typedef struct Rest
{
	uint64_t	nodes;
	double		total;
	double		after;			/* of a difference */
} Rest;

typedef struct Data
{
	FgXml	   *xml;
	FgContext  *ctx;
	const FgTree *tree;
	const double *total;
	const FgDataSides *sides;	/* NULL: one profile */
	uint8_t    *keep;			/* by node; NULL: all */
	uint32_t   *number;			/* by frame, FG_NONE: not written; NULL: all are, as they are */
	uint32_t	nframes;		/* that are written */
	Rest	   *rest;			/* by depth */
	FgPairs		values;			/* the halves of doubles */
	FgBuffer	nodes;
	const uint8_t *marked;		/* by node; NULL: none is */
	FgBuffer	marks;
	uint32_t	depth;			/* of the node that was written last */
	bool		complete;
} Data;

/* --- JSON ------------------------------------------------------------------------- */

static bool
is_plain(char c)
{
	return c >= 0x20 && c < 0x7F && c != '"' && c != '\\' && c != '&' && c != '<' && c != '>';
}

/* What cannot stand in a string of JSON, or shall not stand in a picture. */
static bool
is_escaped(uint32_t character, size_t size)
{
	if (size == 1)
		return true;			/* of ASCII only what is not plain comes here */
	return fg_xml_hidden(character);
}

void
fg_data_string(FgXml *xml, const char *text, size_t length)
{
	size_t		written = 0;
	size_t		characters = 0;
	size_t		at = 0;
	size_t		size;
	bool		whole;

	fg_xml_put(xml, "\"");
	for (; at < length && characters < MOST_CHARACTERS; at += size, characters++)
	{
		uint32_t	character;

		size = 1;
		if (is_plain(text[at]))
			continue;
		character = fg_xml_character(text + at, length - at, &size);
		if (!is_escaped(character, size))
			continue;
		fg_xml_bytes(xml, text + written, at - written);
		fg_xml_format(xml, "\\u%04x", (unsigned) character);
		written = at + size;
	}
	if (at > written)
		fg_xml_bytes(xml, text + written, at - written);
	whole = at == length;
	for (; at < length; at += size, characters++)
		(void) fg_xml_character(text + at, length - at, &size);
	if (!whole)
		fg_xml_format(xml, "\xE2\x80\xA6 (%zu characters)", characters);
	fg_xml_put(xml, "\"");
}

/* Is a name of many bytes one of few characters? */
static bool
is_short(const char *text, size_t length)
{
	size_t		characters = 0;
	size_t		size;

	for (size_t at = 0; at < length; at += size, characters++)
		(void) fg_xml_character(text + at, length - at, &size);
	return characters <= MOST_CHARACTERS;
}

static bool
is_written(const Data *d, uint32_t frame)
{
	return d->number == NULL || d->number[frame] != FG_NONE;
}

static void
put_frames(Data *d)
{
	const FgFrames *frames = &d->tree->frames;
	const char *comma = "";

	fg_xml_put(d->xml, ",\"frames\":[");
	for (uint32_t f = 0; f < frames->count && d->xml->ok; f++)
	{
		if (!fg_check_every(d->ctx, f))
			d->xml->ok = false;
		if (!is_written(d, f))
			continue;
		fg_xml_put(d->xml, comma);
		comma = ",";
		fg_data_string(d->xml, fg_frame_bytes(frames, f), fg_frame_length(frames, f));
		if (!fg_work(d->ctx, fg_frame_length(frames, f)))
			d->xml->ok = false;
	}
	fg_xml_put(d->xml, "]");
}

static void
put_values(Data *d)
{
	fg_xml_put(d->xml, ",\"values\":[");
	for (uint32_t v = 0; v < d->values.count && d->xml->ok; v++)
	{
		FgNumberPair pair = d->values.pairs[v];

		fg_xml_put(d->xml, v == 0 ? "" : ",");
		fg_xml_number(d->xml, fg_bits_double((uint64_t) pair.a << 32 | pair.b));
	}
	fg_xml_put(d->xml, "]");
}

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void
fg_data_base64(FgXml *xml, const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count && xml->ok; i += 3)
	{
		size_t		left = count - i;
		uint32_t	group = (uint32_t) bytes[i] << 16 |
			(left > 1 ? (uint32_t) bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
		char		text[4];

		for (int digit = 0; digit < 4; digit++)
			text[digit] = digits[group >> (18 - 6 * digit) & 0x3F];
		if (left < 3)
			text[3] = '=';
		if (left < 2)
			text[2] = '=';
		fg_xml_bytes(xml, text, 4);
	}
}

/* --- view ------------------------------------------------------------------------- */

static void
put_colors(const Data *d, const FgView *view)
{
	FgXml	   *xml = d->xml;
	bool		shaded = view->color == FG_COLOR_SELF || view->color == FG_COLOR_DEPTH;

	fg_xml_format(xml, ",\"mode\":\"%s\"", !shaded ? "" :
				  view->color == FG_COLOR_SELF ? "self" : "depth");
	if (!shaded)
	{
		if (view->fills == NULL)
			return;
		fg_xml_put(xml, ",\"fills\":\"");
		for (uint32_t f = 0; f < d->tree->frames.count && xml->ok; f++)
			if (is_written(d, f))
				fg_xml_format(xml, "%06x", view->fills[f]);
		fg_xml_put(xml, "\"");
		return;
	}
	for (int s = 0; s < FG_SHADES; s++)
		fg_xml_format(xml, "%s\"#%06x\"", s == 0 ? ",\"shades\":[" : ",",
					  fg_color_shade(view->palette, s));
	fg_xml_put(xml, "]");
}

/* As far as a value can come: none is more than all that there is on both sides. */
static void
put_scale(const Data *d, FgText unit)
{
	FgXml	   *xml = d->xml;
	double		most = d->total[0] + (d->sides == NULL ? 0
									  : d->sides->total[0][0] + d->sides->total[1][0]);
	FgBuffer	name = {.ctx = d->ctx};
	double		size = 0;
	int			i = 0;

	xml->ok = xml->ok && fg_units_step(&name, i, unit.bytes, unit.length, &size);
	/* a step that is not reached may be written all the same: 999.9 as 1 of it */
	for (; xml->ok && size > 0 && (i == 0 || size <= 2 * most); i++)
	{
		fg_xml_put(xml, i == 0 ? ",\"scale\":[[" : ",[");
		fg_data_string(xml, (const char *) name.data, name.size);
		fg_xml_put(xml, ",");
		fg_xml_number(xml, size);
		fg_xml_put(xml, "]");
		name.size = 0;
		xml->ok = xml->ok && fg_units_step(&name, i + 1, unit.bytes, unit.length, &size);
	}
	fg_xml_put(xml, i == 0 ? "" : "]");
	fg_release(d->ctx, name.data);
}

static void
put_view(const Data *d, const FgView *view, FgText unit)
{
	FgXml	   *xml = d->xml;

	fg_xml_format(xml, ",\"view\":{\"flame\":%d,\"value\":%d,\"dark\":%d,\"min_width\":",
				  view->flame, view->by_value, view->dark);
	fg_xml_number(xml, view->min_width);
	fg_xml_format(xml, ",\"max_boxes\":%u,\"max_rows\":%u,\"row\":%u,\"font\":%u,\"cut\":%d,"
				  "\"top\":%u,\"rows\":%u", view->max_boxes, view->max_rows,
				  view->frame_height, view->font_size, (int) view->truncate, view->top,
				  view->rows);
	put_scale(d, unit);
	put_colors(d, view);
	if (d->marked != NULL)
	{
		fg_xml_put(xml, ",\"marked\":\"");
		fg_xml_bytes(xml, (const char *) d->marks.data, d->marks.size);
		fg_xml_put(xml, "\"");
	}
	fg_xml_put(xml, "}");
}

/* --- nodes ------------------------------------------------------------------------ */

/* The largest nodes; with each comes its parent, which is as large and stands before it. */
static bool
choose_nodes(Data *d, uint32_t max_nodes)
{
	uint32_t	nnodes = d->tree->nnodes;
	uint32_t   *order;
	bool		ok;

	if (nnodes <= max_nodes)
		return true;
	d->complete = false;
	d->keep = fg_alloc_zero(d->ctx, (size_t) nnodes + 1, sizeof(uint8_t));
	order = fg_alloc(d->ctx, nnodes, sizeof(uint32_t));
	ok = d->keep != NULL && order != NULL &&
		fg_order_descending(d->ctx, d->total + 1, nnodes, order);
	for (uint32_t i = 0; ok && i < max_nodes; i++)
	{
		d->keep[order[i] + 1] = 1;
		ok = fg_check_every(d->ctx, i);
	}
	fg_release(d->ctx, order);
	return ok;
}

/* The names of the nodes that are kept, and one more where it has a meaning by itself. */
static bool
choose_names(Data *d, FgText name)
{
	const FgTree *tree = d->tree;
	uint32_t	named;

	d->nframes = tree->frames.count;
	if (d->keep == NULL)
		return true;
	d->nframes = 0;
	d->number = fg_alloc(d->ctx, tree->frames.count, sizeof(uint32_t));
	if (d->number == NULL)
		return false;
	memset(d->number, 0xFF, tree->frames.count * sizeof(uint32_t));
	named = name.bytes == NULL ? FG_NONE
		: fg_frames_find(&tree->frames, name.bytes, name.length);
	if (named != FG_NONE)
		d->number[named] = 0;
	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		if (d->keep[i])
			d->number[fg_key_frame(tree->key[i])] = 0;
		if (!fg_check_every(d->ctx, i))
			return false;
	}
	for (uint32_t f = 0; f < tree->frames.count; f++)
	{
		if (is_written(d, f))
			d->number[f] = d->nframes++;
		if (!fg_check_every(d->ctx, f))
			return false;
	}
	return true;
}

static bool
value_index(Data *d, double value, uint64_t *index)
{
	uint64_t	bits = fg_double_bits(value);
	uint32_t	number;

	*index = 0;
	if (value == 0)
		return true;
	if (!fg_pairs_add(&d->values, (uint32_t) (bits >> 32), (uint32_t) bits, &number))
		return false;
	*index = (uint64_t) number + 1;
	return true;
}

static bool
write_node(Data *d, uint32_t depth, uint32_t frame, double value, double after, uint32_t verdict)
{
	uint64_t	index;
	uint64_t	other = 0;

	if (!value_index(d, value, &index) || !value_index(d, after, &other) ||
		!fg_buffer_room(&d->nodes, 5 * FG_VARINT_MAX))
		return false;
	fg_put_varint(&d->nodes, (uint64_t) d->depth + 1 - depth);
	fg_put_varint(&d->nodes, frame);
	fg_put_varint(&d->nodes, index);
	if (d->sides != NULL)
	{
		fg_put_varint(&d->nodes, other);
		fg_put_varint(&d->nodes, verdict);
	}
	d->depth = depth;
	return true;
}

/* What was left out below nodes that the walk leaves for one of this depth. */
static bool
write_rests(Data *d, uint32_t deepest, uint32_t depth)
{
	for (uint32_t level = deepest; level > depth; level--)
	{
		Rest	   *rest = &d->rest[level];

		if (rest->nodes == 0)
			continue;
		if (!write_node(d, level, d->nframes, rest->total, rest->after, 0) ||
			!fg_append_varint(&d->nodes, rest->nodes) ||
			(d->marked != NULL && !fg_buffer_append(&d->marks, "0", 1)))
			return false;
		*rest = (Rest) {0};
	}
	return true;
}

/* A digit for each node that is written, and for the root in any case. */
static bool
mark(Data *d, uint32_t node)
{
	return d->marked == NULL || fg_buffer_append(&d->marks, d->marked[node] != 0 ? "1" : "0", 1);
}

static bool
write_own(Data *d, uint32_t node)
{
	uint64_t	key = d->tree->key[node];
	uint32_t	frame = node == 0 ? 0 : fg_key_frame(key);
	const FgDataSides *sides = d->sides;

	if (node != 0 && d->number != NULL)
		frame = d->number[frame];
	return write_node(d, fg_key_depth(key), frame, d->tree->self[node],
					  sides == NULL ? 0 : sides->after[node],
					  sides == NULL ? 0 : sides->verdict[node]) && (node == 0 || mark(d, node));
}

static void
leave_out(Data *d, Rest *rest, uint32_t node)
{
	rest->nodes++;
	rest->total += d->sides == NULL ? d->total[node] : d->sides->total[0][node];
	rest->after += d->sides == NULL ? 0 : d->sides->total[1][node];
}

static bool
write_nodes(Data *d)
{
	FgWalk		walk;
	uint32_t	cut = FG_NONE;	/* depth of the outermost node left out that the walk is below */
	uint32_t	deepest = 0;	/* of levels that may have a rest */
	bool		empty = d->tree->self[0] == 0 && (d->sides == NULL || d->sides->after[0] == 0);
	bool		ok = fg_walk_begin(d->ctx, d->tree, &walk) && mark(d, 0) &&
		(empty || write_own(d, 0));

	while (ok && fg_walk_next(&walk))
	{
		if (walk.depth > cut)
		{
			d->rest[cut].nodes++;
			continue;
		}
		cut = FG_NONE;
		if (deepest > walk.depth)
			ok = write_rests(d, deepest, walk.depth);
		deepest = walk.depth;
		if (!ok || d->keep == NULL || d->keep[walk.node])
		{
			ok = ok && write_own(d, walk.node);
			continue;
		}
		cut = walk.depth;
		leave_out(d, &d->rest[cut], walk.node);
	}
	ok = ok && write_rests(d, deepest, 0);
	return fg_walk_end(&walk) && ok;
}

/* --- the element ------------------------------------------------------------------ */

static void
put_text_member(FgXml *xml, const char *name, FgText text)
{
	if (text.bytes == NULL)
		return;
	fg_xml_format(xml, ",\"%s\":", name);
	fg_data_string(xml, text.bytes, text.length);
}

static void
put_marks(FgXml *xml, const FgText marks[2])
{
	if (marks[0].bytes == NULL)
		return;
	fg_xml_put(xml, ",\"marks\":[\"");
	fg_xml_bytes(xml, marks[0].bytes, marks[0].length);
	fg_xml_put(xml, "\",\"");
	fg_xml_bytes(xml, marks[1].bytes, marks[1].length);
	fg_xml_put(xml, "\"]");
}

/* Frames and nodes are looked through before "complete" is written, and written after it. */
static void
put_element(Data *d, const FgDataOptions *options)
{
	FgXml	   *xml = d->xml;
	const FgFrames *frames = &d->tree->frames;

	for (uint32_t f = 0; f < frames->count && d->complete && xml->ok; f++)
	{
		uint32_t	length = fg_frame_length(frames, f);

		d->complete = length <= MOST_CHARACTERS || is_short(fg_frame_bytes(frames, f), length);
		xml->ok = fg_work(d->ctx, length);
	}
	fg_xml_format(xml, "<metadata>{\"format\":%d,\"unit\":", FG_DATA_FORMAT);
	fg_data_string(xml, options->unit.bytes, options->unit.length);
	fg_xml_put(xml, ",\"total\":");
	fg_xml_number(xml, d->total[0]);
	fg_xml_put(xml, d->complete ? ",\"complete\":true" : ",\"complete\":false");
	put_text_member(xml, "search", options->search);
	put_text_member(xml, "zoom", options->zoom);
	put_text_member(xml, "sandwich", options->sandwich);
	put_view(d, &options->view, options->unit);
	put_marks(xml, options->marks);
	if (d->sides != NULL)
		d->sides->put_members(xml, d->sides->arg);
	put_frames(d);
	put_values(d);
	fg_xml_put(xml, ",\"nodes\":\"");
	fg_data_base64(xml, d->nodes.data, d->nodes.size);
	fg_xml_put(xml, "\"}</metadata>\n");
}

void
fg_data_write(FgXml *xml, const FgTree *tree, const double *total, const FgDataOptions *options)
{
	FgContext  *ctx = xml->buffer.ctx;
	Data		d = {.xml = xml, .ctx = ctx, .tree = tree, .total = total, .nodes.ctx = ctx,
		.complete = true, .sides = options->sides, .marked = options->view.marked,
		.marks.ctx = ctx};

	if (!xml->ok)
		return;
	d.rest = fg_alloc_zero(ctx, (size_t) fg_tree_depth_bound(tree) + 2, sizeof(Rest));
	xml->ok = fg_pairs_begin(ctx, &d.values) && d.rest != NULL &&
		choose_nodes(&d, options->max_nodes) && choose_names(&d, options->sandwich) &&
		write_nodes(&d);
	if (xml->ok)
		put_element(&d, options);
	fg_release(ctx, d.rest);
	fg_release(ctx, d.keep);
	fg_release(ctx, d.number);
	fg_release(ctx, d.nodes.data);
	fg_release(ctx, d.marks.data);
	fg_pairs_free(&d.values);
}
