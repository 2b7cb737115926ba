/*
 * query.h
 *	  Patterns over stacks: lquery's grammar for frames.
 *
 *	query		level { ";" level }
 *	level		"*" [ quantifier ]
 *				[ "!" ] item { "|" item } [ quantifier ]
 *	item		( frame | '"' frame '"' | '~"' regular expression '"' ) { "*" | "@" | "%" }
 *	quantifier	"{n}" "{n,}" "{n,m}" "{,m}"
 *
 * A bare frame holds none of ; * @ % | ! { } " ~ and does not start or end with a
 * blank; between quotes \" and \\ are escapes and everything else is itself.
 * Modifiers as in lquery: "*" a prefix, "@" ASCII letters of either case, "%" each
 * word between underscores occurs in the frame.  A regular expression takes "@"
 * only; it need not match the whole frame.  "!" means none of the items.
 *
 * Matching runs all positions of the pattern at once (a nondeterministic
 * automaton with counters, as bits), so it takes time proportional to stack
 * length times pattern size, whatever the pattern; over a tree it shares the
 * work of common prefixes.
 */
#ifndef FG_QUERY_H
#define FG_QUERY_H

#include "core/base/bytes.h"
#include "core/profile/tree.h"

#define FG_QUERY_UNBOUNDED	UINT32_MAX

/* Bytes of a regular expression: 54000 beyond.  A frame has the same limit. */
#define FG_QUERY_MAX_REGEX	FG_MAX_FRAME

/* Positions of a pattern, counted repetitions included: 54000 beyond. */
#define FG_QUERY_MAX_STATES (UINT32_C(1) << 18)

/*
 * Bytes of the states of all depths of a tree, and of the answers to which of its frames
 * satisfy which level: 54000 beyond.
 */
#define FG_QUERY_MAX_MEMORY ((uint64_t) 1 << 30)

typedef enum FgItemFlag
{
	FG_ITEM_PREFIX = 1,			/* "*" */
	FG_ITEM_CASELESS = 2,		/* "@" */
	FG_ITEM_WORDS = 4,			/* "%" */
	FG_ITEM_REGEX = 8			/* "~" */
} FgItemFlag;

typedef struct FgItem
{
	size_t		offset;			/* into FgQuery.text */
	size_t		length;
	uint32_t	flags;
	uint32_t	regex;			/* which regular expression, from 0 */
} FgItem;

typedef struct FgLevelPattern
{
	bool		any;			/* "*": every frame */
	bool		negated;
	uint32_t	min;
	uint32_t	max;			/* FG_QUERY_UNBOUNDED for no limit */
	uint32_t	first_item;
	uint32_t	nitems;
	uint32_t	nexact;			/* of them are sorted in FgQuery.order */
} FgLevelPattern;

typedef struct FgQuery
{
	FgContext  *ctx;
	FgLevelPattern *levels;
	size_t		levels_capacity;
	uint32_t	nlevels;
	FgItem	   *items;
	size_t		items_capacity;
	uint32_t	nitems;
	uint32_t	nregexes;
	FgBuffer	text;			/* of all items, quotes and escapes undone */
	uint32_t   *order;			/* of all items, see fg_query_index; or NULL */
} FgQuery;

/*
 * Matches a frame against a regular expression of the query; the core has no
 * engine of its own.
 */
typedef bool (*FgRegexMatch) (void *arg, uint32_t regex, const char *frame, size_t length);

static inline const char *
fg_item_text(const FgQuery *query, const FgItem *item)
{
	return (const char *) query->text.data + item->offset;
}

/* FG_ERROR_SYNTAX with column and hint, FG_ERROR_LIMIT. */
extern bool fg_query_parse(FgContext *ctx, const char *text, size_t length, FgQuery *query);
extern void fg_query_free(FgQuery *query);

/*
 * For a pattern that is going to match: sorts the items of each level that are frames
 * without a modifier, so that a frame is sought among them and not compared with each.
 * Matching works without, too, and gives the same answers.
 */
extern bool fg_query_index(FgQuery *query);

/* Appends the canonical text: quotes only where needed. */
extern bool fg_query_print(const FgQuery *query, FgBuffer *text);

extern bool fg_query_match_path(const FgQuery *query, FgRegexMatch regex, void *arg,
								const char *path, size_t length, bool *matches);

/* matches[i] for each node i = 0 .. nnodes: does the stack that ends there match? */
extern bool fg_query_match_tree(const FgQuery *query, FgRegexMatch regex, void *arg,
								const FgTree *tree, uint8_t *matches);

/*
 * Does this one frame satisfy the items of a level (its "!" included)?  The
 * interrupt hook may end the work: then query->ctx->error.code is FG_ERROR_CANCELLED
 * and the answer means nothing.
 */
extern bool fg_level_matches(const FgQuery *query, const FgLevelPattern *level,
							 FgRegexMatch regex, void *arg, const char *frame, size_t length);

#endif							/* FG_QUERY_H */
