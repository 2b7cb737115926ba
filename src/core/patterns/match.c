/*
 * match.c
 *	  Matching stacks against patterns (see query.h).
 *
 * A level with bounds {n,m} is a row of bits: bit c is set when the level is
 * entered and has matched c frames so far.  A frame that satisfies the level
 * moves the row up by one; with no upper bound the topmost bit, c = n, stays
 * set.  A bit c >= n opens the next level.  The rows of all levels together are
 * the state after a frame; each row starts at a word of its own.
 *
 * Most patterns have so few states that all rows fit one word, the accepting bit
 * included ("Small" below).  Then a step is a shift and two masks, and the frames
 * that satisfy a level are a mask of its row.
 */
#include "core/patterns/query.h"

#include "core/profile/path.h"

#include <stdlib.h>

typedef struct Row
{
	uint32_t	word;			/* where its bits start */
	uint32_t	top;			/* its last bit */
	uint32_t	min;
	bool		unbounded;
} Row;

typedef struct Automaton
{
	const FgQuery *query;
	FgRegexMatch regex;
	void	   *arg;
	Row		   *rows;
	uint32_t	words;			/* of a state, the accepting word included */
} Automaton;

/* --- one frame ------------------------------------------------------------------ */

static inline char
fold_case(char c)
{
	return c >= 'A' && c <= 'Z' ? (char) (c + ('a' - 'A')) : c;
}

static bool
same_text(const char *a, const char *b, size_t length, bool caseless)
{
	if (!caseless)
		return memcmp(a, b, length) == 0;
	for (size_t i = 0; i < length; i++)
	{
		if (fold_case(a[i]) != fold_case(b[i]))
			return false;
	}
	return true;
}

/* The next word between underscores; false when there is none. */
static bool
next_word(const char **text, const char *end, const char **word, size_t *length)
{
	while (*text < end && **text == '_')
		++*text;
	*word = *text;
	while (*text < end && **text != '_')
		++*text;
	*length = (size_t) (*text - *word);
	return *length > 0;
}

static bool
has_word(const char *frame, const char *end, const char *wanted, size_t length, uint32_t flags)
{
	const char *word;
	size_t		size;

	while (next_word(&frame, end, &word, &size))
	{
		if ((size == length || (size > length && (flags & FG_ITEM_PREFIX))) &&
			same_text(word, wanted, length, (flags & FG_ITEM_CASELESS) != 0))
			return true;
	}
	return false;
}

static bool
has_all_words(const FgQuery *query, const FgItem *item, const char *frame, size_t length)
{
	const char *next = fg_item_text(query, item);
	const char *end = next + item->length;
	const char *word;
	size_t		size;

	while (next_word(&next, end, &word, &size))
	{
		if (!has_word(frame, frame + length, word, size, item->flags))
			return false;
		if (!fg_work(query->ctx, length))
			return false;
	}
	return true;
}

static bool
item_matches(const FgQuery *query, const FgItem *item, FgRegexMatch regex, void *arg,
			 const char *frame, size_t length)
{
	if (item->flags & FG_ITEM_REGEX)
		return regex(arg, item->regex, frame, length);
	if (item->flags & FG_ITEM_WORDS)
		return has_all_words(query, item, frame, length);
	return (length == item->length || (length > item->length && (item->flags & FG_ITEM_PREFIX))) &&
		same_text(frame, fg_item_text(query, item), item->length,
				  (item->flags & FG_ITEM_CASELESS) != 0);
}

/* How much of the frame an item may look at: work between two polls is counted in that. */
static inline size_t
item_work(const FgItem *item, size_t length)
{
	return item->flags & (FG_ITEM_REGEX | FG_ITEM_WORDS) ? length
		: (length < item->length ? length : item->length);
}

/* Is the frame one of the sorted items of the level? */
static bool
has_exact(const FgQuery *query, const FgLevelPattern *level, const char *frame, size_t length)
{
	const uint32_t *order = query->order + level->first_item;
	uint32_t	low = 0;
	uint32_t	high = level->nexact;

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;
		const FgItem *item = &query->items[order[middle]];
		int			sign = fg_bytes_compare(frame, length, fg_item_text(query, item), item->length);

		if (sign == 0)
			return true;
		if (sign < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}

bool
fg_level_matches(const FgQuery *query, const FgLevelPattern *level, FgRegexMatch regex,
				 void *arg, const char *frame, size_t length)
{
	bool		found = level->any;
	uint32_t	i = 0;

	if (!fg_work(query->ctx, level->any ? 0 : length))
		return false;
	if (query->order != NULL && level->nexact > 0)
	{
		found = has_exact(query, level, frame, length);
		i = level->nexact;
	}
	for (; i < level->nitems && !found; i++)
	{
		uint32_t	at = level->first_item + i;
		const FgItem *item = &query->items[query->order != NULL ? query->order[at] : at];

		if (!fg_work(query->ctx, item_work(item, length)))
			return false;
		found = item_matches(query, item, regex, arg, frame, length);
	}
	return found != level->negated;
}

/* --- states ----------------------------------------------------------------------- */

static bool
automaton_begin(Automaton *a, const FgQuery *query, FgRegexMatch regex, void *arg)
{
	a->query = query;
	a->regex = regex;
	a->arg = arg;
	a->words = 0;
	a->rows = fg_alloc(query->ctx, query->nlevels, sizeof(Row));
	if (a->rows == NULL)
		return false;
	for (uint32_t l = 0; l < query->nlevels; l++)
	{
		const FgLevelPattern *level = &query->levels[l];
		Row		   *row = &a->rows[l];

		row->unbounded = level->max == FG_QUERY_UNBOUNDED;
		row->min = level->min;
		row->top = row->unbounded ? level->min : level->max;
		row->word = a->words;
		a->words += row->top / 64 + 1;
	}
	a->words++;
	return true;
}

static inline bool
has_bit_from(const uint64_t *bits, uint32_t from, uint32_t top)
{
	uint32_t	word = from / 64;

	if (bits[word] >> (from % 64) != 0)
		return true;
	for (word++; word <= top / 64; word++)
	{
		if (bits[word] != 0)
			return true;
	}
	return false;
}

/* Levels that may be left without another frame open those behind them. */
static void
open_levels(const Automaton *a, uint64_t *state)
{
	for (uint32_t l = 0; l < a->query->nlevels; l++)
	{
		const Row  *row = &a->rows[l];
		uint32_t	next = l + 1 < a->query->nlevels ? a->rows[l + 1].word : a->words - 1;

		if (has_bit_from(state + row->word, row->min, row->top))
			state[next] |= 1;
	}
}

static void
first_state(const Automaton *a, uint64_t *state)
{
	memset(state, 0, a->words * sizeof(uint64_t));
	state[0] = 1;
	open_levels(a, state);
}

static void
shift_row(const Row *row, const uint64_t *from, uint64_t *to)
{
	uint64_t	carry = 0;
	uint32_t	top_word = row->top / 64;
	uint64_t	top_bit = UINT64_C(1) << (row->top % 64);

	for (uint32_t w = 0; w <= top_word; w++)
	{
		to[w] = from[w] << 1 | carry;
		carry = from[w] >> 63;
	}
	to[top_word] &= top_bit | (top_bit - 1);
	if (row->unbounded)
		to[top_word] |= from[top_word] & top_bit;
}

/* satisfied[l]: does the frame satisfy level l? */
static void
next_state(const Automaton *a, const uint8_t *satisfied, const uint64_t *from, uint64_t *to)
{
	for (uint32_t l = 0; l < a->query->nlevels; l++)
	{
		const Row  *row = &a->rows[l];

		if (satisfied[l])
			shift_row(row, from + row->word, to + row->word);
		else
			memset(to + row->word, 0, (row->top / 64 + 1) * sizeof(uint64_t));
	}
	to[a->words - 1] = 0;
	open_levels(a, to);
}

static inline bool
accepts(const Automaton *a, const uint64_t *state)
{
	return state[a->words - 1] != 0;
}

static bool
satisfy_levels(const Automaton *a, const char *frame, size_t length, uint8_t *satisfied)
{
	for (uint32_t l = 0; l < a->query->nlevels; l++)
		satisfied[l] = fg_level_matches(a->query, &a->query->levels[l], a->regex, a->arg, frame,
										length);
	return a->query->ctx->error.code != FG_ERROR_CANCELLED;
}

/* --- all rows in one word ------------------------------------------------------------ */

#define SMALL_BITS	64

typedef struct SmallRow
{
	uint64_t	bits;			/* all of the row */
	uint64_t	leave;			/* those with which the level may be left */
	uint64_t	next;			/* what that opens: the first of the next row, or accept */
} SmallRow;

typedef struct Small
{
	const FgQuery *query;
	FgRegexMatch regex;
	void	   *arg;
	uint32_t	nrows;
	uint64_t	first;			/* the state before the first frame */
	uint64_t	enter;			/* the first bit of each row: nothing is shifted into it */
	uint64_t	stay;			/* the last bits of the unbounded rows */
	uint64_t	accept;
	SmallRow	rows[SMALL_BITS];
} Small;

static inline uint64_t
small_open(const Small *s, uint64_t state)
{
	for (uint32_t l = 0; l < s->nrows; l++)
		state |= state & s->rows[l].leave ? s->rows[l].next : 0;
	return state;
}

/* satisfied: the rows of the levels that the frame satisfies. */
static inline uint64_t
small_step(const Small *s, uint64_t state, uint64_t satisfied)
{
	return small_open(s, ((state << 1 & ~s->enter) | (state & s->stay)) & satisfied);
}

/* False when the pattern has too many states. */
static bool
small_begin(Small *s, const FgQuery *query, FgRegexMatch regex, void *arg)
{
	uint32_t	bit = 0;

	s->query = query;
	s->regex = regex;
	s->arg = arg;
	s->nrows = query->nlevels;
	s->enter = 0;
	s->stay = 0;
	if (query->nlevels >= SMALL_BITS)
		return false;
	for (uint32_t l = 0; l < query->nlevels; l++)
	{
		const FgLevelPattern *level = &query->levels[l];
		bool		unbounded = level->max == FG_QUERY_UNBOUNDED;
		uint32_t	top = unbounded ? level->min : level->max;
		SmallRow   *row = &s->rows[l];

		if (top >= SMALL_BITS || bit + top + 1 >= SMALL_BITS)
			return false;
		row->bits = ((UINT64_C(2) << top) - 1) << bit;
		row->leave = row->bits & (UINT64_MAX << (bit + level->min));
		s->enter |= UINT64_C(1) << bit;
		if (unbounded)
			s->stay |= UINT64_C(1) << (bit + top);
		bit += top + 1;
		row->next = UINT64_C(1) << bit;
	}
	s->accept = UINT64_C(1) << bit;
	s->enter |= s->accept;
	s->first = small_open(s, 1);
	return true;
}

/* *satisfied: the rows of "state" whose levels the frame satisfies. */
static inline bool
small_satisfied(const Small *s, uint64_t state, const char *frame, size_t length,
				uint64_t *satisfied)
{
	uint64_t	rows = 0;

	for (uint32_t l = 0; l < s->nrows; l++)
	{
		if ((state & s->rows[l].bits) != 0 &&
			(s->query->levels[l].any ||
			 fg_level_matches(s->query, &s->query->levels[l], s->regex, s->arg, frame, length)))
			rows |= s->rows[l].bits;
	}
	*satisfied = rows;
	return s->query->ctx->error.code != FG_ERROR_CANCELLED;
}

static bool
small_path(const Small *s, const char *path, size_t length, bool *matches)
{
	FgPathWalk	walk = fg_path_walk(path, length);
	uint64_t	state = s->first;

	/* without states nothing can follow */
	while (state != 0 && fg_path_next(&walk))
	{
		uint64_t	satisfied;

		if (!small_satisfied(s, state, walk.frame, walk.length, &satisfied) ||
			!fg_work(s->query->ctx, walk.length))
			return false;
		state = small_step(s, state, satisfied);
	}
	*matches = (state & s->accept) != 0;
	return true;
}

static bool
small_tree(const Small *s, const FgTree *tree, uint64_t *satisfied, uint64_t *states,
		   uint8_t *matches)
{
	for (uint32_t f = 0; f < tree->frames.count; f++)
	{
		if (!small_satisfied(s, UINT64_MAX, fg_frame_bytes(&tree->frames, f),
							 fg_frame_length(&tree->frames, f), &satisfied[f]) ||
			!fg_work(s->query->ctx, 0))
			return false;
	}
	states[0] = s->first;
	matches[0] = (s->first & s->accept) != 0;
	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		uint32_t	depth = fg_key_depth(tree->key[i]);
		uint64_t	state = states[depth - 1];

		if (state != 0)
			state = small_step(s, state, satisfied[fg_key_frame(tree->key[i])]);
		states[depth] = state;
		matches[i] = (state & s->accept) != 0;
		if (!fg_check_every(s->query->ctx, i))
			return false;
	}
	return true;
}

static bool
small_match_tree(const Small *s, const FgTree *tree, uint8_t *matches)
{
	FgContext  *ctx = s->query->ctx;
	uint64_t   *satisfied = fg_alloc(ctx, tree->frames.count, sizeof(uint64_t));
	uint64_t   *states = fg_alloc(ctx, (size_t) fg_tree_depth_bound(tree) + 1, sizeof(uint64_t));
	bool		ok = satisfied != NULL && states != NULL &&
		small_tree(s, tree, satisfied, states, matches);

	fg_release(ctx, satisfied);
	fg_release(ctx, states);
	return ok;
}

/* --- stacks and trees ---------------------------------------------------------------- */

static bool
run_path(const Automaton *a, uint64_t *state, uint8_t *satisfied, const char *path,
		 size_t length, bool *matches)
{
	FgPathWalk	walk = fg_path_walk(path, length);
	uint64_t   *next = state + a->words;

	first_state(a, state);
	while (fg_path_next(&walk))
	{
		uint64_t   *swap = state;

		if (!satisfy_levels(a, walk.frame, walk.length, satisfied))
			return false;
		next_state(a, satisfied, state, next);
		state = next;
		next = swap;
		if (!fg_work(a->query->ctx, walk.length + a->words * sizeof(uint64_t)))
			return false;
	}
	*matches = accepts(a, state);
	return true;
}

static bool
general_match_path(const FgQuery *query, FgRegexMatch regex, void *arg, const char *path,
				   size_t length, bool *matches)
{
	FgContext  *ctx = query->ctx;
	Automaton	a;
	uint64_t   *states;
	uint8_t    *satisfied;
	bool		ok;

	if (!automaton_begin(&a, query, regex, arg))
		return false;
	states = fg_alloc(ctx, (size_t) a.words * 2, sizeof(uint64_t));
	satisfied = fg_alloc(ctx, query->nlevels, 1);
	ok = states != NULL && satisfied != NULL &&
		run_path(&a, states, satisfied, path, length, matches);
	fg_release(ctx, a.rows);
	fg_release(ctx, states);
	fg_release(ctx, satisfied);
	return ok;
}

/* Every frame of the dictionary is looked at once, however often it occurs. */
static bool
satisfy_frames(const Automaton *a, const FgFrames *frames, uint8_t *satisfied)
{
	for (uint32_t f = 0; f < frames->count; f++)
	{
		if (!satisfy_levels(a, fg_frame_bytes(frames, f), fg_frame_length(frames, f),
							satisfied + (size_t) f * a->query->nlevels))
			return false;
	}
	return true;
}

/* state d of "states" is that of the current path's first d frames */
static bool
run_tree(const Automaton *a, const FgTree *tree, const uint8_t *satisfied, uint64_t *states,
		 uint8_t *matches)
{
	first_state(a, states);
	matches[0] = accepts(a, states);
	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		uint32_t	depth = fg_key_depth(tree->key[i]);
		uint64_t   *state = states + (size_t) depth * a->words;

		next_state(a, satisfied + (size_t) fg_key_frame(tree->key[i]) * a->query->nlevels,
				   state - a->words, state);
		matches[i] = accepts(a, state);
		if (!fg_work(a->query->ctx, a->words * sizeof(uint64_t)))
			return false;
	}
	return true;
}

static bool
general_match_tree(const FgQuery *query, FgRegexMatch regex, void *arg, const FgTree *tree,
				   uint8_t *matches)
{
	FgContext  *ctx = query->ctx;
	Automaton	a;
	FgFacts		facts;
	uint8_t    *satisfied;
	uint64_t   *states;
	bool		ok;

	if (!automaton_begin(&a, query, regex, arg))
		return false;
	if (!fg_tree_facts(ctx, tree, &facts))
	{
		fg_release(ctx, a.rows);
		return false;
	}
	if (((uint64_t) facts.depth + 1) * a.words * sizeof(uint64_t) > FG_QUERY_MAX_MEMORY ||
		(uint64_t) tree->frames.count * query->nlevels > FG_QUERY_MAX_MEMORY)
	{
		fg_release(ctx, a.rows);
		return fg_fail(ctx, FG_ERROR_LIMIT,
					   "the pattern is too large for a profile of %u frames, %u deep",
					   tree->frames.count, facts.depth);
	}
	satisfied = fg_alloc(ctx, (size_t) tree->frames.count * query->nlevels, 1);
	states = fg_alloc(ctx, ((size_t) facts.depth + 1) * a.words, sizeof(uint64_t));
	ok = satisfied != NULL && states != NULL && satisfy_frames(&a, &tree->frames, satisfied) &&
		run_tree(&a, tree, satisfied, states, matches);
	fg_release(ctx, a.rows);
	fg_release(ctx, satisfied);
	fg_release(ctx, states);
	return ok;
}

/* --- either ----------------------------------------------------------------------------- */

/*
 * Builds with FG_ASSERT (unit tests, fuzzers) run the general automaton as well
 * and stop where the two differ.
 */
bool
fg_query_match_path(const FgQuery *query, FgRegexMatch regex, void *arg, const char *path,
					size_t length, bool *matches)
{
	Small		small;

	query->ctx->error.code = FG_OK;
	if (!small_begin(&small, query, regex, arg))
		return general_match_path(query, regex, arg, path, length, matches);
	if (!small_path(&small, path, length, matches))
		return false;
#ifdef FG_ASSERT
	{
		bool		expected;

		if (!general_match_path(query, regex, arg, path, length, &expected))
			return false;
		if (*matches != expected)
			abort();
	}
#endif
	return true;
}

#ifdef FG_ASSERT
static bool
check_small_tree(const FgQuery *query, FgRegexMatch regex, void *arg, const FgTree *tree,
				 const uint8_t *matches)
{
	size_t		nodes = (size_t) tree->nnodes + 1;
	uint8_t    *expected = fg_alloc(query->ctx, nodes, 1);
	bool		ok = expected != NULL && general_match_tree(query, regex, arg, tree, expected);

	if (ok && memcmp(matches, expected, nodes) != 0)
		abort();
	fg_release(query->ctx, expected);
	return ok;
}
#endif

bool
fg_query_match_tree(const FgQuery *query, FgRegexMatch regex, void *arg, const FgTree *tree,
					uint8_t *matches)
{
	Small		small;

	query->ctx->error.code = FG_OK;
	if (!small_begin(&small, query, regex, arg))
		return general_match_tree(query, regex, arg, tree, matches);
	if (!small_match_tree(&small, tree, matches))
		return false;
#ifdef FG_ASSERT
	return check_small_tree(query, regex, arg, tree, matches);
#else
	return true;
#endif
}
