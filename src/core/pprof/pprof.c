/*
 * pprof.c
 *	  Profiles in pprof's format (gzip is undone before).
 *
 * The message is read field by field while it comes in (wire.h): samples are added up by their
 * stacks (pprof_samples.h), what they refer to is kept (pprof_code.h).  At the end each distinct
 * stack goes to the profiles of its values.  So memory goes with the stacks, the texts and the
 * locations, and not with the samples: 60 MB of two million samples take 4 MB.
 *
 * When the stacks are handed on, a frame is made known to a tree once, and all frames are numbered
 * in the order of their texts.  Stacks are put in the order of the tree first, tens of millions of frames at a time, and each
 * goes on from where it leaves the one before (fg_sink_know, fg_sink_steps): a profile of a heap may have a million of them.
 */
#include "core/base/number.h"
#include "core/pprof/pprof_code.h"
#include "core/pprof/pprof_ranks.h"
#include "core/pprof/pprof_samples.h"
#include "core/pprof/pprof_tree.h"
#include "core/reading/sink.h"

#include <inttypes.h>

#define MAX_BYTES		((uint64_t) 2 << 30)

/* A longer text is no frame, and nothing else comes near. */
#define MAX_FIELD		((size_t) 16 << 20)

/* Frames of stacks that are put in order together: a builder takes more memory than these, and looks up what is not in order. */
#define MAX_LISTED ((size_t) 1 << 26)

/* How many places ahead values are asked for, which lie apart. */
#define AHEAD 16

/* Fields of a profile. */
enum
{
	SAMPLE_TYPE = 1, SAMPLE = 2, MAPPING = 3, LOCATION = 4, FUNCTION = 5, TEXT = 6, DROP_FRAMES = 7,
	PERIOD_TYPE = 11, PERIOD = 12, DEFAULT_SAMPLE_TYPE = 14,
	LAST_FIELD = 15				/* of the version of profile.proto that is read here */
};

/* Numbers of texts. */
typedef struct Type
{
	int64_t		type;
	int64_t		unit;
} Type;

/* A tree of the result: the complete or the truncated stacks of a sample type. */
typedef struct Tree
{
	uint32_t   *frames;			/* numbers + 1 in it by rank, 0: not known; NULL: no stack yet */
	uint32_t   *nodes;			/* of the stack that was added last, from the root */
	size_t		node_room;
	size_t		shared;			/* how many of these the next stack has, too */
	uint32_t	listed;			/* stacks that wait to be added */
} Tree;

typedef struct Pprof
{
	FgSink	   *sink;
	FgContext  *ctx;
	FgWireStream stream;
	FgPprofSamples samples;
	FgPprofCode code;
	Type	   *types;
	size_t		type_count;
	size_t		type_room;
	bool		has_period_type;
	Type		period_type;
	int64_t		period;
	int64_t		default_type;
	int64_t		drop_frames;	/* number of a text, as default_type is */

	/* when all has come */
	FgKind	   *kinds;
	FgBuffer	names;			/* of the kinds */
	uint32_t   *numbers;		/* of the profiles, by type */
	Tree	   *trees;			/* two for each type */
	FgPprofRanks ranks;
	uint32_t   *stack;			/* ranks of its frames, the innermost first; room for any */
	size_t		depth;
	uint32_t   *known;			/* numbers of frames in a tree; as much room */
	FgStackLists lists;			/* stacks that wait to be added: */
	bool		clean;			/* all that there were, and so are their frames */
} Pprof;

/* --- fields ------------------------------------------------------------------------------ */

static bool
take_type(FgWire *message, Type *type)
{
	while (fg_wire_more(message))
	{
		FgWireField field;
		uint64_t	number;

		if (!fg_wire_take(message, &field))
			return false;
		if (field.number > 2)
			continue;
		if (!fg_wire_number(message, &field, &number))
			return false;
		*(field.number == 1 ? &type->type : &type->unit) = (int64_t) number;
	}
	return true;
}

static bool
take_sample_type(Pprof *p, FgWire *message)
{
	Type		type = {0, 0};

	if (!take_type(message, &type))
		return false;
	if (p->type_count >= FG_PPROF_MAX_TYPES)
		return fg_fail(p->ctx, FG_ERROR_LIMIT, "the profile has more than %d sample types",
					   FG_PPROF_MAX_TYPES);
	if (!fg_reserve(p->ctx, (void **) &p->types, &p->type_room, p->type_count + 1, sizeof(Type)))
		return false;
	p->types[p->type_count++] = type;
	return true;
}

static bool
take_message(Pprof *p, uint32_t number, FgWire *message)
{
	switch (number)
	{
		case SAMPLE_TYPE:
			return take_sample_type(p, message);
		case SAMPLE:
			return fg_pprof_samples_take(&p->samples, message);
		case MAPPING:
			return fg_pprof_code_mapping(&p->code, message);
		case LOCATION:
			return fg_pprof_code_location(&p->code, message);
		case FUNCTION:
			return fg_pprof_code_function(&p->code, message);
		case TEXT:
			return fg_pprof_code_text(&p->code, message);
		default:
			p->has_period_type = true;
			return take_type(message, &p->period_type);
	}
}

/* Where a field goes that is a number; NULL: it is a message. */
static int64_t *
number_of(Pprof *p, uint32_t field)
{
	switch (field)
	{
		case DROP_FRAMES:
			return &p->drop_frames;
		case PERIOD:
			return &p->period;
		case DEFAULT_SAMPLE_TYPE:
			return &p->default_type;
		default:
			return NULL;
	}
}

static bool
take_field(void *arg, const FgWire *wire, const FgWireField *field)
{
	Pprof	   *p = arg;
	FgWire		message;
	uint64_t	number;

	if (number_of(p, field->number) != NULL)
	{
		if (!fg_wire_number(wire, field, &number))
			return false;
		*number_of(p, field->number) = (int64_t) number;
		return true;
	}
	if (!fg_wire_inner(wire, field, &message) || !take_message(p, field->number, &message))
		return false;
	return fg_pprof_samples_bytes(&p->samples) + fg_pprof_code_bytes(&p->code) <= MAX_BYTES ||
		fg_fail(p->ctx, FG_ERROR_LIMIT, "the profile takes more than %" PRIu64 " bytes of memory",
				MAX_BYTES);
}

/* --- sample types ------------------------------------------------------------------------ */

/* The words of the store for what Go, and others after it, call their types. */
static const char *
event_of(const char *type)
{
	static const char *const events[][2] = {
		{"alloc_space", "alloc"}, {"delay", "lock"}, {"exception", "exception"}
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
	{
		if (strcmp(type, events[i][0]) == 0)
			return events[i][1];
	}
	return type;
}

/* Adds a copy that ends with NUL to the names; none of these is long. */
static bool
add_name(Pprof *p, int64_t at, size_t number)
{
	FgPprofText text;

	if (!fg_pprof_code_find_text(&p->code, at, "sample type", number + 1, &text))
		return false;
	if (text.length > 1000 || memchr(text.bytes, '\0', text.length) != NULL ||
		fg_utf8_prefix(text.bytes, text.length) != text.length)
		return fg_fail(p->ctx, FG_ERROR_SYNTAX, "the name of sample type %zu is no text",
					   number + 1);
	return fg_buffer_append(&p->names, text.bytes, text.length) && fg_buffer_append(&p->names, "", 1);
}

static const char *
next_name(const char **names)
{
	const char *name = *names;

	*names += strlen(name) + 1;
	return name;
}

/* The kinds of all types; *preferred: the name of the one that is the default, or "". */
static bool
make_kinds(Pprof *p, const char **preferred)
{
	const char *names;

	p->kinds = fg_alloc(p->ctx, p->type_count, sizeof(FgKind));
	if (p->kinds == NULL)
		return false;
	if (!(p->default_type != 0 ? add_name(p, p->default_type, p->type_count)
		  : fg_buffer_append(&p->names, "", 1)))
		return false;
	for (size_t i = 0; i < p->type_count; i++)
	{
		if (!add_name(p, p->types[i].type, i) || !add_name(p, p->types[i].unit, i))
			return false;
	}
	names = (char *) p->names.data;
	*preferred = next_name(&names);
	for (size_t i = 0; i < p->type_count; i++)
	{
		const char *name = next_name(&names);

		p->kinds[i] = (FgKind) {event_of(name), name, next_name(&names), 0};
		if (p->has_period_type && p->period_type.type == p->types[i].type &&
			p->period_type.unit == p->types[i].unit)
			p->kinds[i].period = fg_number_of(p->ctx, p->period);
	}
	return true;
}

/* The type that the profile prefers; the last one where it prefers none or none that it has, as in pprof's tools. */
static const char *
default_name(const Pprof *p, const char *preferred)
{
	for (size_t i = 0; i < p->type_count; i++)
	{
		if (strcmp(p->kinds[i].name, preferred) == 0)
			return preferred;
	}
	return p->kinds[p->type_count - 1].name;
}

/* The number of the profile for each sample type. */
static bool
make_profiles(Pprof *p)
{
	const char *preferred;

	p->numbers = fg_alloc(p->ctx, p->type_count, sizeof(uint32_t));
	if (p->numbers == NULL || !make_kinds(p, &preferred) ||
		!fg_sink_default(p->sink, default_name(p, p->default_type != 0 ? preferred : p->kinds[p->type_count - 1].name)))
		return false;
	for (size_t i = 0; i < p->type_count; i++)
	{
		if (!fg_sink_profile(p->sink, &p->kinds[i], &p->numbers[i]))
			return false;
		for (size_t k = 0; k < i; k++)
		{
			if (strcmp(p->kinds[k].name, p->kinds[i].name) == 0 &&
				strcmp(p->kinds[k].unit, p->kinds[i].unit) == 0)
				return fg_fail(p->ctx, FG_ERROR_SYNTAX, "sample types %zu and %zu are both %.80s in %.80s",
							   k + 1, i + 1, p->kinds[i].name, p->kinds[i].unit);
		}
	}
	return true;
}

/* --- stacks ------------------------------------------------------------------------------ */

/* The frames of a location behind those there are; what is to be told of them is counted as the sink does. */
static bool
collect_frames(Pprof *p, size_t location, uint64_t samples, size_t *bytes)
{
	size_t		first = p->code.first[location];
	size_t		end = p->code.first[location + 1];
	FgNoted    *noted = fg_sink_noted(p->sink);

	if (end - first > FG_MAX_DEPTH - p->depth)
		return fg_fail(p->ctx, FG_ERROR_LIMIT, "a stack has more than %u frames", FG_MAX_DEPTH);
	for (size_t f = first; f < end; f++)
	{
		const FgPprofFrame *frame = &p->code.frames[f];

		if (frame->length > FG_MAX_BYTES - *bytes)
			return fg_fail(p->ctx, FG_ERROR_LIMIT, "a stack has more than %u bytes", FG_MAX_BYTES);
		*bytes += frame->length;
		noted->unknown_frames += frame->length == 0 ? samples : 0;
		noted->control_characters += frame->control_characters * samples;
		p->stack[p->depth++] = p->ranks.rank[f];
	}
	return true;
}

static bool
collect_stack(Pprof *p, uint32_t number)
{
	const FgPprofStack *stack = fg_pprof_stack(&p->samples, number);
	FgReader	ids = fg_pprof_stack_ids(stack);
	size_t		bytes = 0;

	p->depth = 0;
	while (ids.next < ids.end)
	{
		uint64_t	id = 0;
		size_t		location;

		fg_wire_varint(&ids.next, ids.end, &id);
		location = fg_pprof_code_location_of(&p->code, id);
		if (location == SIZE_MAX)
			return fg_fail(p->ctx, FG_ERROR_SYNTAX,
						   "sample %" PRIu64 " has location %" PRIu64 ", which does not exist",
						   stack->first + 1, id);
		if (!collect_frames(p, location, stack->samples, &bytes))
			return false;
	}
	return fg_steps(p->ctx, p->depth);
}

/* --- places ------------------------------------------------------------------------------ */

/* Complete and truncated stacks of a type are different trees. */
static Tree *
tree_of(Pprof *p, size_t type, bool truncated)
{
	return &p->trees[type * 2 + truncated];
}

static bool
know_frame(Pprof *p, Tree *tree, const FgStackPlace *place, uint32_t rank)
{
	FgPprofText text = fg_pprof_rank_text(&p->ranks, rank);
	FgKnownFrame known;

	if (!fg_sink_know(p->sink, place->number, place->truncated, text.bytes, text.length, &known))
		return false;
	tree->frames[rank] = known.number + 1;
	return true;
}

/* The node of the stack that is added, from where it leaves the one before in this tree. */
static bool
find_place(Pprof *p, Tree *tree, FgStackPlace *place)
{
	size_t		from = tree->shared;

	if (!fg_reserve(p->ctx, (void **) &tree->nodes, &tree->node_room, p->depth, sizeof(uint32_t)))
		return false;
	for (size_t i = from; i < p->depth; i++)
	{
		if (tree->frames[p->stack[i]] == 0 && !know_frame(p, tree, place, p->stack[i]))
			return false;
		p->known[i - from] = tree->frames[p->stack[i]] - 1;
	}
	place->node = from > 0 ? tree->nodes[from - 1] : 0;
	if (from < p->depth && !fg_sink_steps(p->sink, place, p->known, p->depth - from, tree->nodes + from))
		return false;
	if (p->depth > 0)
		place->node = tree->nodes[p->depth - 1];
	tree->shared = p->depth;
	return fg_steps(p->ctx, p->depth - from);
}

/* Which sample an error of the sink is about, unless it is about none. */
static bool
blame_sample(Pprof *p, uint64_t number)
{
	FgError    *error = &p->ctx->error;
	char		reason[sizeof(error->reason)];

	if (error->code != FG_ERROR_ENCODING && error->code != FG_ERROR_LIMIT &&
		error->code != FG_ERROR_RANGE)
		return false;
	memcpy(reason, error->reason, sizeof(reason));
	reason[sizeof(reason) - 40] = '\0';
	return fg_fail(p->ctx, error->code, "sample %" PRIu64 ": %s", number + 1, reason);
}

/* Does the stack go to the profile of this type? */
static bool
is_wanted(const Pprof *p, uint32_t number, size_t type)
{
	return p->numbers[type] != FG_UNWANTED && fg_pprof_has(&p->samples, number, type);
}

/* The stack is in p->stack, from the root. */
static bool
add_stack(Pprof *p, uint32_t number)
{
	FgNoted    *noted = fg_sink_noted(p->sink);
	size_t		width = p->samples.width;
	const double *sums = fg_pprof_sums(&p->samples, number);
	FgStackPlace place = {.truncated = fg_sink_is_deep(p->sink, p->depth), .without_stack = p->depth == 0};

	for (size_t t = 0; t < width; t++)
	{
		if (!is_wanted(p, number, t))
			continue;
		place.number = p->numbers[t];
		if (!find_place(p, tree_of(p, t, place.truncated), &place) || !fg_sink_add_at(p->sink, &place, sums[t]))
			return blame_sample(p, fg_pprof_stack(&p->samples, number)->first);
		/* what was added are samples (count_samples), not stacks */
		noted->samples--;
		noted->without_stack -= place.without_stack;
	}
	return fg_steps(p->ctx, width);
}

/* --- the order of the tree --------------------------------------------------------------- */

/* Trees that all of these stacks are in: how many nodes they get is known. */
static bool
reserve_nodes(Pprof *p)
{
	for (size_t t = 0; t < p->type_count * 2; t++)
	{
		Tree	   *tree = &p->trees[t];

		if (tree->listed > 0 && tree->listed == p->lists.count &&
			!fg_sink_reserve(p->sink, p->numbers[t / 2], t % 2 != 0, p->lists.nodes))
			return false;
		tree->listed = 0;
	}
	return true;
}

static bool
add_in_order(Pprof *p)
{
	size_t		at = 0;

	for (uint32_t i = 0; i < p->lists.count; i++)
	{
		const FgStackEntry *stack = &p->lists.entries[i];

		if (p->lists.count - i > AHEAD)
			__builtin_prefetch(fg_pprof_sums(&p->samples, stack[AHEAD].label));
		for (size_t t = 0; t < p->type_count * 2; t++)
		{
			if (p->trees[t].shared > stack->sorted.same)
				p->trees[t].shared = stack->sorted.same;
		}
		p->depth = stack->sorted.depth;
		for (size_t k = stack->sorted.same; k < p->depth; k++)
			p->stack[k] = fg_stack_get(fg_stack_rest(&p->lists, at++), p->lists.wide);
		if (!add_stack(p, stack->label))
			return false;
	}
	return true;
}

static bool
make_trees(Pprof *p)
{
	for (size_t t = 0; t < p->type_count; t++)
	{
		FgTree		tree;

		if (p->numbers[t] == FG_UNWANTED)
			continue;
		if (!fg_pprof_tree(&p->lists, &p->ranks, &p->samples, t, &tree))
			return false;
		fg_sink_give(p->sink, p->numbers[t], &tree);
	}
	return true;
}

/* Adds the stacks that wait; "last": no others will. */
static bool
add_listed(Pprof *p, bool last)
{
	/* all frames have to be a dictionary */
	bool		whole = last && p->clean && p->code.texts.size + p->code.own.size <= FG_MAX_BYTES;
	bool		ok;

	/* which sample has a stack is told where something is wrong with it */
	if (whole)
		fg_pprof_samples_drop_stacks(&p->samples);
	ok = fg_stack_lists_order(&p->lists, last) && (whole ? make_trees(p) : reserve_nodes(p) && add_in_order(p));
	p->clean = false;
	fg_stack_lists_clear(&p->lists);
	return ok;
}

/* Frames are made known in the order of the file: the first one that is wrong is told. */
static bool
know_frames(Pprof *p, uint32_t number, const FgStackPlace *place, Tree *tree)
{
	for (size_t i = p->depth; i-- > 0;)
	{
		if (tree->frames[p->stack[i]] == 0 && !know_frame(p, tree, place, p->stack[i]))
			return blame_sample(p, fg_pprof_stack(&p->samples, number)->first);
	}
	return true;
}

/* Which trees the stack goes to; of one that is not clean the frames are made known there. */
static bool
list_in_trees(Pprof *p, uint32_t number, size_t depth, bool unclean, bool *wanted)
{
	FgStackPlace place = {.truncated = fg_sink_is_deep(p->sink, depth)};

	*wanted = false;
	for (size_t t = 0; t < p->samples.width; t++)
	{
		Tree	   *tree = tree_of(p, t, place.truncated);

		if (!is_wanted(p, number, t))
			continue;
		*wanted = true;
		place.number = p->numbers[t];
		if (tree->frames == NULL)
			tree->frames = fg_alloc_zero(p->ctx, (size_t) p->ranks.count + 1, sizeof(uint32_t));
		if (tree->frames == NULL || (unclean && !know_frames(p, number, &place, tree)))
			return false;
		tree->listed++;
	}
	return true;
}

/* Are all frames of the stack clean? */
static bool
collect_clean(Pprof *p, uint32_t number, bool *clean)
{
	if (!collect_stack(p, number))
		return false;
	for (size_t i = 0; i < p->depth; i++)
		*clean &= fg_pprof_rank_is_clean(&p->ranks, p->stack[i]);
	return true;
}

/* The stack waits for those after it. */
static bool
list_stack(Pprof *p, uint32_t number)
{
	size_t		depth;
	bool		plain = fg_pprof_ranks_write(&p->ranks, fg_pprof_stack_ids(fg_pprof_stack(&p->samples, number)), &p->lists,
											  &depth);
	bool		clean = true;
	bool		wanted;

	if (!plain && !collect_clean(p, number, &clean))
		return false;
	if (!plain)
		depth = p->depth;
	p->clean &= clean;
	if (!list_in_trees(p, number, depth, !clean, &wanted))
		return false;
	if (!wanted)
		return fg_steps(p->ctx, depth);
	return (plain ? fg_stack_lists_take(&p->lists, depth, number)
			: fg_stack_lists_add(&p->lists, p->stack, depth, number)) &&
		(p->lists.size < MAX_LISTED || add_listed(p, false));
}

static void
count_samples(Pprof *p)
{
	FgNoted    *noted = fg_sink_noted(p->sink);

	noted->labels += p->samples.labels;
	for (size_t t = 0; t < p->samples.width; t++)
	{
		if (p->numbers[t] == FG_UNWANTED)
			noted->other_events += p->samples.added[t];
		else
		{
			noted->samples += p->samples.added[t];
			noted->without_stack += p->samples.added_bare[t];
		}
	}
}

/* --- all samples ------------------------------------------------------------------------- */

static bool
wrong_width(Pprof *p, uint64_t sample, size_t values)
{
	return fg_fail(p->ctx, FG_ERROR_SYNTAX,
				   "sample %" PRIu64 " has %zu values, but there are %zu sample types", sample + 1,
				   values, p->type_count);
}

/* Room for all stacks, or for those that are put in order together and the one that is too many. */
static bool
begin_lists(Pprof *p)
{
	uint64_t	ids = p->samples.ids_size;
	size_t		longest = p->code.longest > 0 ? p->code.longest : 1;	/* an id may be of no location */
	size_t		most = MAX_LISTED + FG_MAX_DEPTH;
	size_t		frames = ids > most / longest ? most : (size_t) ids * longest;
	uint32_t	stacks = p->samples.stacks > MAX_LISTED ? (uint32_t) MAX_LISTED : p->samples.stacks;

	p->stack = fg_alloc(p->ctx, frames < FG_MAX_DEPTH ? frames : FG_MAX_DEPTH, sizeof(uint32_t));
	p->known = fg_alloc(p->ctx, frames < FG_MAX_DEPTH ? frames : FG_MAX_DEPTH, sizeof(uint32_t));
	return p->stack != NULL && p->known != NULL &&
		fg_stack_lists_begin(p->ctx, &p->lists, stacks, frames, p->ranks.count);
}

/* What pprof's tools leave out by names is kept here: allocators, mostly, below what called them. */
static bool
note_dropped(Pprof *p)
{
	FgPprofText pattern;

	if (p->drop_frames == 0 || p->code.function_ids.count == 0)
		return true;
	if (!fg_pprof_code_find_text(&p->code, p->drop_frames, "field", DROP_FRAMES, &pattern))
		return false;
	if (pattern.length > 0)
		fg_sink_warn(p->sink, &(FgWarning) {
			.text = "the profile names functions that pprof leaves out with what they called; they are kept",
			.hint = "pprof -proto writes the profile without them."
		});
	return true;
}

/* The lists have all that the ids of a block have said when its stacks are in them. */
static bool
list_block(Pprof *p, size_t block)
{
	uint32_t	begin = fg_pprof_block_begin(block);
	uint32_t	end = block + 1 < p->samples.block_count ? fg_pprof_block_begin(block + 1) : p->samples.stacks;

	for (uint32_t i = begin; i < end; i++)
	{
		if (!list_stack(p, i))
			return false;
	}
	fg_pprof_samples_drop_ids(&p->samples, block);
	return true;
}

static bool
add_stacks(Pprof *p)
{
	const FgPprofSamples *s = &p->samples;

	if (p->type_count == 0)
		return fg_fail(p->ctx, FG_ERROR_SYNTAX, "the profile has no sample type");
	if (!make_profiles(p))
		return false;
	if (s->added != NULL && s->width != p->type_count)
		return wrong_width(p, 0, s->width);
	p->trees = fg_alloc_zero(p->ctx, p->type_count * 2, sizeof(Tree));
	if (p->trees == NULL || !fg_pprof_ranks_make(p->ctx, &p->ranks, &p->code) || !begin_lists(p))
		return false;
	p->clean = true;
	for (size_t block = 0; block < s->block_count; block++)
	{
		if (!list_block(p, block))
			return false;
	}
	if (!add_listed(p, true))
		return false;
	count_samples(p);
	return s->has_fault ? wrong_width(p, s->fault_sample, s->fault_values) : note_dropped(p);
}

/* --- the reader -------------------------------------------------------------------------- */

static void *
pprof_begin(FgSink *sink)
{
	FgContext  *ctx = fg_sink_context(sink);
	Pprof	   *p = fg_alloc_zero(ctx, 1, sizeof(Pprof));

	if (p == NULL)
		return NULL;
	p->sink = sink;
	p->ctx = p->names.ctx = ctx;
	fg_wire_begin(&p->stream, ctx, "the unpacked profile",
				  "The file may be cut off, or it is no profile in pprof's format.");
	p->stream.wanted = UINT64_C(1) << SAMPLE_TYPE | UINT64_C(1) << SAMPLE | UINT64_C(1) << MAPPING |
		UINT64_C(1) << LOCATION | UINT64_C(1) << FUNCTION | UINT64_C(1) << TEXT |
		UINT64_C(1) << DROP_FRAMES | UINT64_C(1) << PERIOD_TYPE | UINT64_C(1) << PERIOD | UINT64_C(1) << DEFAULT_SAMPLE_TYPE;
	p->stream.largest = MAX_FIELD;
	p->stream.take = take_field;
	p->stream.arg = p;
	fg_pprof_code_begin(ctx, &p->code, fg_sink_options(sink)->frame_style);
	if (fg_pprof_samples_begin(ctx, &p->samples))
		return p;
	fg_release(ctx, p);
	return NULL;
}

static bool
pprof_feed(void *state, const char *bytes, size_t size)
{
	Pprof	   *p = state;

	return fg_wire_feed(&p->stream, bytes, size);
}

static void
free_stacks(Pprof *p)
{
	fg_pprof_samples_free(&p->samples);
	fg_stack_lists_free(&p->lists);
}

static bool
pprof_finish(void *state)
{
	Pprof	   *p = state;

	if (!fg_wire_finish(&p->stream) || !fg_pprof_samples_finish(&p->samples))
		return false;
	fg_pprof_samples_drop_slots(&p->samples);
	if (!fg_pprof_code_finish(&p->code) || !add_stacks(p))
		return false;
	/* trees are as large as all of them, and are made next */
	free_stacks(p);
	return true;
}

static void
pprof_free(void *state)
{
	Pprof	   *p = state;

	if (p == NULL)
		return;
	free_stacks(p);
	fg_pprof_ranks_free(&p->ranks);
	fg_release(p->ctx, p->known);
	for (size_t i = 0; p->trees != NULL && i < p->type_count * 2; i++)
	{
		fg_release(p->ctx, p->trees[i].frames);
		fg_release(p->ctx, p->trees[i].nodes);
	}
	fg_release(p->ctx, p->trees);
	fg_wire_free(&p->stream);
	fg_pprof_code_free(&p->code);
	fg_release(p->ctx, p->types);
	fg_release(p->ctx, p->kinds);
	fg_release(p->ctx, p->names.data);
	fg_release(p->ctx, p->numbers);
	fg_release(p->ctx, p->stack);
	fg_release(p->ctx, p);
}

/* --- recognition ------------------------------------------------------------------------- */

/*
 * How the fields 1, 2, ... of each message are written, and of the messages in it: N a
 * number, L a list of them, B bytes, M a message with two numbers, - anything.
 */
static const char *const shapes[] = {
	[SAMPLE_TYPE] = "NN", [SAMPLE] = "LLB", [MAPPING] = "NN-NN", [LOCATION] = "NNNM",
	[FUNCTION] = "NNNN", [PERIOD_TYPE] = "NN"
};

static bool
has_form(const FgWireField *field, char form)
{
	if (form == '-')
		return true;
	return field->type == (form == 'N' ? FG_WIRE_VARINT : FG_WIRE_BYTES) ||
		(form == 'L' && field->type == FG_WIRE_VARINT);
}

static bool
is_message(FgWire message, const char *shape)
{
	while (fg_wire_more(&message))
	{
		FgWireField field;
		FgWire		line;
		char		form;

		if (!fg_wire_take(&message, &field))
			return false;
		form = field.number <= strlen(shape) ? shape[field.number - 1] : '-';
		if (!has_form(&field, form))
			return false;
		if (form != 'M')
			continue;
		line = (FgWire) {message.input, field.bytes, field.bytes + field.size};
		while (fg_wire_more(&line))
		{
			if (!fg_wire_take(&line, &field) || (field.number <= 2 && !has_form(&field, 'N')))
				return false;
		}
	}
	return true;
}

/* Is this the field of a profile, of the type that it has? */
static bool
is_profile_field(uint64_t tag)
{
	uint64_t	field = tag >> 3;
	uint64_t	wire = tag & 7;

	if ((field >= SAMPLE_TYPE && field <= TEXT) || field == PERIOD_TYPE)
		return wire == FG_WIRE_BYTES;
	if (field == 13)
		return wire == FG_WIRE_BYTES || wire == FG_WIRE_VARINT;
	/* of later versions of profile.proto */
	if (field > LAST_FIELD && field < 2 * LAST_FIELD)
		return wire == FG_WIRE_BYTES || wire == FG_WIRE_VARINT;
	return field > TEXT && field <= LAST_FIELD && wire == FG_WIRE_VARINT;
}

/*
 * Fields of a profile one after the other, in any order, as far as the head reaches,
 * and some message among them: the tags of messages are control characters, which
 * text has none of.
 */
static bool
pprof_recognise(const char *head, size_t size, bool whole)
{
	const FgWireInput input = {.start = (const uint8_t *) head};
	const uint8_t *next = input.start;
	const uint8_t *end = next + size;
	int			messages = 0;
	int			others = 0;		/* fields that are no sample types: a profile has few of these */

	while (next < end)
	{
		uint64_t	tag;
		uint64_t	length;

		/* a number that is cut off is one */
		if (!fg_wire_varint(&next, end, &tag))
			return messages > 0 && others > 0;
		if (!is_profile_field(tag))
			return false;
		others += tag >> 3 != SAMPLE_TYPE;
		if (!fg_wire_varint(&next, end, &length))
			return messages > 0 && others > 0;
		if ((tag & 7) == FG_WIRE_VARINT)
			continue;
		if (length > (uint64_t) (end - next))
			break;
		next += length;
		if (tag >> 3 >= sizeof(shapes) / sizeof(shapes[0]) || shapes[tag >> 3] == NULL)
			continue;
		if (!is_message((FgWire) {&input, next - length, next}, shapes[tag >> 3]))
			return false;
		messages += length > 0;
	}
	return messages > 0 && others > 0 && (!whole || next == end);
}

const FgFormatReader fg_pprof_reader = {
	.format = FG_FORMAT_PPROF,
	.recognise = pprof_recognise,
	.begin = pprof_begin,
	.feed = pprof_feed,
	.finish = pprof_finish,
	.free = pprof_free
};
