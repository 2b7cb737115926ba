/*
 * builder.c
 *	  From stacks in any order to a canonical tree (see builder.h).
 */
#include "core/profile/builder.h"

#include "core/base/pairs.h"
#include "core/profile/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN_BYTES SIZE_MAX

/* Nodes in order of creation; node 0 is the root. */
typedef struct NodeTable
{
	uint32_t   *parent;
	uint32_t   *name;
	uint16_t   *depth;
	double	   *value[FG_BUILDER_VALUES];	/* the further ones are NULL until they are wanted */
	size_t		capacity;
	uint32_t	count;			/* without the root */
} NodeTable;

/* The path added before: its text, and for each frame its node and its end. */
typedef struct LastPath
{
	const char *text;
	size_t		length;
	char		separator;
	char	   *copy;
	size_t		copy_capacity;
	uint32_t	depth;
	uint32_t   *node;
	size_t		node_capacity;
	size_t	   *end;
	size_t		end_capacity;
} LastPath;

struct FgBuilder
{
	FgContext  *ctx;
	FgNames		names;			/* in order of appearance */
	NodeTable	nodes;
	LastPath	last;
	FgPairs		children;		/* node i is pair i - 1: its parent and its name; without slots while
								 * the nodes are in preorder */
	uint32_t	newest;			/* the node that a value was added to last */
	uint32_t   *walk;			/* of nodes made step by step in preorder: the path to the last one ... */
	size_t		walk_capacity;
	uint32_t	walked;			/* ... which is this one, as long as there is no other */
	bool		forbid_controls;
	bool		zero_nodes;		/* nodes without value below may exist */
};

/* --- frames ------------------------------------------------------------- */

static bool
has_control(const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++)
	{
		if (((uint8_t) name[i] < 0x20 && name[i] != '\0') || name[i] == 0x7F)
			return true;
	}
	return false;
}

/* Only new names are looked at; the others were, when they were new. */
static bool
names_intern(FgBuilder *b, const char *name, size_t length, uint32_t *number)
{
	FgNames    *names = &b->names;
	uint32_t	hash = fg_names_hash(names, name, length);

	if (!fg_work(b->ctx, length))
		return false;
	*number = fg_names_find(names, name, length, hash);
	if (*number != FG_NONE)
		return true;
	if (b->forbid_controls && has_control(name, length))
		return fg_fail(b->ctx, FG_ERROR_SYNTAX, "a frame holds a control character");
	return fg_frame_valid(b->ctx, name, length) &&
		fg_names_append(names, name, length, hash, number);
}

/* --- nodes -------------------------------------------------------------- */

static bool
nodes_reserve(FgBuilder *b, size_t needed)
{
	NodeTable  *nodes = &b->nodes;
	size_t		had = nodes->capacity;
	size_t		half = had + had / 2 + 64;
	size_t		capacity = needed > half ? needed : half;
	void	   *moved;

	if (needed <= had)
		return true;
	if (needed > (size_t) FG_MAX_NODES + 1)
		return fg_fail(b->ctx, FG_ERROR_LIMIT, "a profile has more than %u nodes", FG_MAX_NODES);
	if ((moved = fg_resize(b->ctx, nodes->parent, had, capacity, sizeof(uint32_t))) == NULL)
		return false;
	nodes->parent = moved;
	if ((moved = fg_resize(b->ctx, nodes->name, had, capacity, sizeof(uint32_t))) == NULL)
		return false;
	nodes->name = moved;
	if ((moved = fg_resize(b->ctx, nodes->depth, had, capacity, sizeof(uint16_t))) == NULL)
		return false;
	nodes->depth = moved;
	for (int v = 0; v < FG_BUILDER_VALUES; v++)
	{
		if (v > 0 && nodes->value[v] == NULL)
			continue;
		if ((moved = fg_resize(b->ctx, nodes->value[v], had, capacity, sizeof(double))) == NULL)
			return false;
		nodes->value[v] = moved;
	}
	nodes->capacity = capacity;
	return true;
}

static bool
nodes_add(FgBuilder *b, uint32_t parent, uint32_t name, uint32_t depth, uint32_t *node)
{
	NodeTable  *nodes = &b->nodes;
	uint32_t	added = nodes->count + 1;

	if (!nodes_reserve(b, (size_t) added + 1))
		return false;
	nodes->parent[added] = parent;
	nodes->name[added] = name;
	nodes->depth[added] = (uint16_t) depth;
	for (int v = 0; v < FG_BUILDER_VALUES; v++)
	{
		if (nodes->value[v] != NULL)
			nodes->value[v][added] = 0;
	}
	nodes->count = added;
	*node = added;
	return true;
}

/* Begins the table of children with the nodes there are. */
static bool
children_begin(FgBuilder *b)
{
	const NodeTable *nodes = &b->nodes;
	FgPairs		children;
	bool		ok = fg_pairs_begin(b->ctx, &children);

	for (uint32_t i = 1; ok && i <= nodes->count; i++)
	{
		uint32_t	number;

		ok = fg_pairs_add(&children, nodes->parent[i], nodes->name[i], &number) &&
			fg_check_every(b->ctx, i);
	}
	if (ok)
		b->children = children;
	else
		fg_pairs_free(&children);
	return ok;
}

/* A child that was looked for and not found: its pair has the slot "at". */
static bool
add_child(FgBuilder *b, uint32_t parent, uint32_t name, uint32_t depth, uint32_t at, uint32_t *node)
{
	if (!nodes_add(b, parent, name, depth, node))
		return false;
	if (fg_pairs_add_at(&b->children, parent, name, at))
		return true;
	b->nodes.count--;			/* each node has its pair */
	return false;
}

static bool
find_or_add_child(FgBuilder *b, uint32_t parent, uint32_t name, uint32_t depth, uint32_t *node)
{
	uint32_t	at;
	uint32_t	number;

	if (!fg_steps(b->ctx, 1))
		return false;
	number = fg_pairs_look(&b->children, parent, name, &at);
	if (number != FG_NONE)
	{
		*node = number + 1;
		return true;
	}
	return add_child(b, parent, name, depth, at, node);
}

/* --- paths -------------------------------------------------------------- */

static size_t
common_prefix(const char *a, const char *b, size_t length)
{
	size_t		i = 0;

	for (; i + 8 <= length; i += 8)
	{
		if (memcmp(a + i, b + i, 8) != 0)
			break;
	}
	while (i < length && a[i] == b[i])
		i++;
	return i;
}

/* How many frames of the last path end within its first "bytes" bytes. */
static uint32_t
frames_within(const LastPath *last, size_t bytes)
{
	uint32_t	low = 0;
	uint32_t	high = last->depth;

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (last->end[middle] <= bytes)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * How many frames the path shares with the one before, of which it shares this many bytes (UNKNOWN_BYTES: they are
 * to be counted).  *order tells how it goes on behind them: > 0 when all its new nodes follow those there are in
 * preorder.
 */
static uint32_t
shared_depth(const FgBuilder *b, const char *path, size_t length, char separator, size_t same, int *order)
{
	const LastPath *last = &b->last;
	size_t		shorter = length < last->length ? length : last->length;
	uint32_t	depth = last->depth;

	*order = b->nodes.count == 0;
	if (length == 0 || depth == 0 || separator != last->separator)
		return 0;
	if (same == UNKNOWN_BYTES)
		same = common_prefix(path, last->text, shorter);
	depth = frames_within(last, same);
	if (depth > 0 && last->end[depth - 1] < length && path[last->end[depth - 1]] != separator)
		depth--;
	if (depth == last->depth)
		*order = 1;				/* children of the newest leaf */
	else if (same == length)
		*order = -1;
	else if (same == last->length)
		*order = 1;
	else if (path[same] == separator)
		*order = -1;
	else if (last->text[same] == separator)
		*order = 1;
	else
		*order = (uint8_t) path[same] > (uint8_t) last->text[same] ? 1 : -1;
	return depth;
}

static bool
last_grow(FgBuilder *b, uint32_t depth)
{
	LastPath   *last = &b->last;

	return fg_reserve(b->ctx, (void **) &last->node, &last->node_capacity, depth,
					  sizeof(uint32_t)) &&
		fg_reserve(b->ctx, (void **) &last->end, &last->end_capacity, depth, sizeof(size_t));
}

/* Asked for each frame, and mostly there is room. */
static inline bool
last_reserve(FgBuilder *b, uint32_t depth)
{
	return (depth <= b->last.node_capacity && depth <= b->last.end_capacity) || last_grow(b, depth);
}

/*
 * Walks the frames behind the shared ones and makes their nodes; last->node,
 * last->end and last->depth follow, so that they are right even after an error.
 */
static bool
walk_path(FgBuilder *b, const char *path, size_t length, char separator, uint32_t depth,
		  uint32_t *node)
{
	LastPath   *last = &b->last;
	size_t		at = depth > 0 ? last->end[depth - 1] + 1 : 0;
	uint32_t	parent = depth > 0 ? last->node[depth - 1] : 0;

	last->depth = depth;
	while (length > 0 && at <= length)
	{
		const char *stop = at < length ? memchr(path + at, separator, length - at) : NULL;
		size_t		end = stop != NULL ? (size_t) (stop - path) : length;
		uint32_t	name = 0;
		uint32_t	child;

		if (depth == FG_MAX_DEPTH)
			return fg_fail_at(b->ctx, FG_ERROR_LIMIT, 0, at + 1, NULL,
							  "a stack has more than %u frames", FG_MAX_DEPTH);
		if (!names_intern(b, path + at, end - at, &name) || !last_reserve(b, depth + 1))
		{
			b->ctx->error.column = at + 1;
			return false;
		}
		if (b->children.slot == NULL
			? !nodes_add(b, parent, name, depth + 1, &child)
			: !find_or_add_child(b, parent, name, depth + 1, &child))
			return false;
		last->node[depth] = child;
		last->end[depth] = end;
		last->depth = ++depth;
		parent = child;
		at = end + 1;
	}
	*node = parent;
	return true;
}

bool
fg_builder_settle(FgBuilder *b)
{
	LastPath   *last = &b->last;

	if (last->depth == 0 || last->text == last->copy)
		return true;
	if (!fg_reserve(b->ctx, (void **) &last->copy, &last->copy_capacity, last->length, 1))
	{
		last->depth = 0;
		return false;
	}
	memcpy(last->copy, last->text, last->length);
	last->text = last->copy;
	return true;
}

static bool
remember_path(FgBuilder *b, const char *path, size_t length, char separator, bool stable)
{
	LastPath   *last = &b->last;

	last->length = length;
	last->separator = separator;
	last->text = path;
	return stable || fg_builder_settle(b);
}

static bool
set_value(FgBuilder *b, uint32_t node, double sum)
{
	if (!isfinite(sum))
	{
		b->zero_nodes = true;
		return fg_fail(b->ctx, FG_ERROR_RANGE, "the sum of the values of one stack is out of range");
	}
	b->nodes.value[0][node] = sum;
	b->newest = node;
	if (sum == 0)
		b->zero_nodes = true;
	return true;
}

static bool
add_value(FgBuilder *b, uint32_t node, double value)
{
	return set_value(b, node, b->nodes.value[0][node] + value);
}

static inline bool
add_path(FgBuilder *b, const char *path, size_t length, char separator, bool stable, size_t same,
		 double value)
{
	int			order;
	uint32_t	shared = shared_depth(b, path, length, separator, same, &order);
	uint32_t	node = 0;

	if (!fg_work(b->ctx, length))
		return false;
	if (length == 0)
		return add_value(b, 0, value);
	if (shared > 0 && b->last.end[shared - 1] == length)
		return add_value(b, b->last.node[shared - 1], value);
	if (b->children.slot == NULL && order <= 0 && !children_begin(b))
		return false;
	if (!walk_path(b, path, length, separator, shared, &node))
	{
		/*
		 * Nodes of a failed path may be left, and its text is not remembered;
		 * without a path before it, the next one starts the hash trie.
		 */
		b->zero_nodes = true;
		b->last.depth = 0;
		return false;
	}
	if (!remember_path(b, path, length, separator, stable))
	{
		b->zero_nodes = true;
		return false;
	}
	return add_value(b, node, value);
}

bool
fg_builder_add(FgBuilder *b, const char *path, size_t length, char separator, bool stable,
			   double value)
{
	return add_path(b, path, length, separator, stable, UNKNOWN_BYTES, value);
}

bool
fg_builder_add_sorted(FgBuilder *b, const char *path, size_t length, char separator, size_t same,
					  double value)
{
	return add_path(b, path, length, separator, true, same, value);
}

bool
fg_builder_in_order(const FgBuilder *b)
{
	return b->children.slot == NULL;
}

bool
fg_builder_reserve(FgBuilder *b, size_t nodes)
{
	/* too many are an error when they come */
	return nodes > FG_MAX_NODES - b->nodes.count || nodes_reserve(b, b->nodes.count + nodes + 1);
}

/* --- step by step ----------------------------------------------------------- */

bool
fg_builder_frame(FgBuilder *b, const char *frame, size_t length, uint32_t *number)
{
	/* the caller may never make a node of it */
	b->zero_nodes = true;
	return fg_work(b->ctx, length) && names_intern(b, frame, length, number);
}

static int
compare_names(const FgBuilder *b, uint32_t one, uint32_t other)
{
	const FgNames *names = &b->names;

	return one == other ? 0 : fg_bytes_compare(names->bytes + names->offset[one], names->length[one],
											   names->bytes + names->offset[other], names->length[other]);
}

/*
 * Is the child the next node in preorder, so that it needs no table of children?  Its parent is on the
 * path to the last node then, and if that path goes on below the parent, the child is the node
 * there (*node), or behind it.
 */
static bool
is_next(const FgBuilder *b, uint32_t parent, uint32_t frame, uint32_t *node)
{
	const NodeTable *nodes = &b->nodes;
	uint32_t	depth = parent == 0 ? 0 : nodes->depth[parent];
	uint32_t	last = nodes->count == 0 ? 0 : nodes->depth[nodes->count];
	uint32_t	sibling;

	*node = 0;
	if (b->children.slot != NULL || b->walked != nodes->count || depth > last || (depth > 0 && b->walk[depth] != parent))
		return false;
	if (depth == last)
		return true;
	sibling = b->walk[depth + 1];
	if (nodes->name[sibling] == frame)
		*node = sibling;
	return *node != 0 || compare_names(b, frame, nodes->name[sibling]) > 0;
}

/* The next node in preorder, or the one that is there. */
static bool
take_next(FgBuilder *b, uint32_t parent, uint32_t frame, uint32_t *node)
{
	uint32_t	depth = parent == 0 ? 1 : b->nodes.depth[parent] + 1;

	if (*node != 0)
		return true;
	if (depth > FG_MAX_DEPTH)
		return fg_fail(b->ctx, FG_ERROR_LIMIT, "a stack has more than %u frames", FG_MAX_DEPTH);
	if (!fg_reserve(b->ctx, (void **) &b->walk, &b->walk_capacity, (size_t) depth + 1, sizeof(uint32_t)) ||
		!nodes_add(b, parent, frame, depth, node))
		return false;
	b->zero_nodes = true;
	b->walk[depth] = b->walked = *node;
	return true;
}

bool
fg_builder_child(FgBuilder *b, uint32_t parent, uint32_t frame, uint32_t *node)
{
	uint32_t	depth;
	uint32_t	at;
	uint32_t	number;

	if (!fg_steps(b->ctx, 1))
		return false;
	b->last.depth = 0;
	if (b->children.slot == NULL)
	{
		if (is_next(b, parent, frame, node))
			return take_next(b, parent, frame, node);
		if (!children_begin(b))
			return false;
	}
	number = fg_pairs_look(&b->children, parent, frame, &at);
	if (number != FG_NONE)
	{
		*node = number + 1;
		return true;
	}
	depth = parent == 0 ? 1 : b->nodes.depth[parent] + 1;
	if (depth > FG_MAX_DEPTH)
		return fg_fail(b->ctx, FG_ERROR_LIMIT, "a stack has more than %u frames", FG_MAX_DEPTH);
	/* a node without a value below it may stay behind */
	b->zero_nodes = true;
	return add_child(b, parent, frame, depth, at, node);
}

bool
fg_builder_children(FgBuilder *b, uint32_t parent, const uint32_t *frames, size_t count, uint32_t *nodes)
{
	for (size_t i = 0; i < count; i++)
	{
		/* below the newest node of all, which the first one may have become, all is new */
		bool		next = i > 0 && b->children.slot == NULL && parent == b->nodes.count;

		nodes[i] = 0;
		if (!(next ? take_next(b, parent, frames[i], &nodes[i]) && fg_steps(b->ctx, 1)
			  : fg_builder_child(b, parent, frames[i], &nodes[i])))
			return false;
		parent = nodes[i];
	}
	return true;
}

bool
fg_builder_add_value(FgBuilder *b, uint32_t node, double value)
{
	return add_value(b, node, value);
}

/* --- further values of a stack ----------------------------------------------- */

static bool
begin_further(FgBuilder *b, int number)
{
	NodeTable  *nodes = &b->nodes;

	nodes->value[number] = fg_alloc(b->ctx, nodes->capacity, sizeof(double));
	if (nodes->value[number] == NULL)
		return false;
	for (uint32_t i = 0; i <= nodes->count; i++)
		nodes->value[number][i] = 0;
	return true;
}

static inline double *
further_values(FgBuilder *b, int number)
{
	return b->nodes.value[number] != NULL || begin_further(b, number) ? b->nodes.value[number] : NULL;
}

/* Of the node that had the last value. */
static inline bool
set_further(FgBuilder *b, double *column, double sum)
{
	if (!isfinite(sum))
		return fg_fail(b->ctx, FG_ERROR_RANGE, "a sum over one stack is out of range");
	column[b->newest] = sum;
	return true;
}

bool
fg_builder_add_further(FgBuilder *b, int number, double value)
{
	double	   *column = further_values(b, number);

	return column != NULL && set_further(b, column, column[b->newest] + value);
}

static inline double
add_times(double sum, double value, size_t times)
{
	for (size_t i = 0; i < times; i++)
		sum += value;
	return sum;
}

bool
fg_builder_add_values(FgBuilder *b, uint32_t node, const double *values, int count, size_t times)
{
	if (!set_value(b, node, add_times(b->nodes.value[0][node], values[0], times)))
		return false;
	for (int v = 1; v < count; v++)
	{
		double	   *column = further_values(b, v);

		if (column == NULL ||
			!set_further(b, column, add_times(column[node], values[v], times)))
			return false;
	}
	return true;
}

/* --- finishing ---------------------------------------------------------- */

static bool
copy_in_order(FgBuilder *b, const uint32_t *rank, const double *values, uint32_t *place,
			  FgTree *tree)
{
	const NodeTable *nodes = &b->nodes;

	for (uint32_t i = 1; i <= nodes->count; i++)
	{
		if (place != NULL)
			place[i] = i;
		tree->key[i] = fg_key(nodes->depth[i], rank[nodes->name[i]]);
		tree->self[i] = values != NULL ? values[i] : 0;
		if (!fg_check_every(b->ctx, i))
			return false;
	}
	return true;
}

/*
 * Links the children of each node in frame order: a counting sort of all nodes
 * by frame, then each is pushed in front of its siblings, last frame first.
 */
static bool
link_children(FgBuilder *b, const uint32_t *rank, uint32_t *first_child, uint32_t *next_sibling)
{
	const NodeTable *nodes = &b->nodes;
	uint32_t	nnames = b->names.count;
	uint32_t   *start = fg_alloc_zero(b->ctx, (size_t) nnames + 1, sizeof(uint32_t));
	uint32_t   *by_rank = fg_alloc(b->ctx, nodes->count, sizeof(uint32_t));
	bool		ok = start != NULL && by_rank != NULL;

	for (uint32_t i = 1; ok && i <= nodes->count; i++)
	{
		start[rank[nodes->name[i]] + 1]++;
		ok = fg_check_every(b->ctx, i);
	}
	for (uint32_t r = 0; ok && r < nnames; r++)
		start[r + 1] += start[r];
	for (uint32_t i = 1; ok && i <= nodes->count; i++)
	{
		by_rank[start[rank[nodes->name[i]]]++] = i;
		ok = fg_check_every(b->ctx, i);
	}
	for (uint32_t k = ok ? nodes->count : 0; k-- > 0 && ok;)
	{
		uint32_t	i = by_rank[k];

		next_sibling[i] = first_child[nodes->parent[i]];
		first_child[nodes->parent[i]] = i;
		ok = fg_check_every(b->ctx, k);
	}
	fg_release(b->ctx, start);
	fg_release(b->ctx, by_rank);
	return ok;
}

static bool
copy_preorder(FgBuilder *b, const uint32_t *rank, const uint32_t *first_child,
			  const uint32_t *next_sibling, const double *values, uint32_t *place, FgTree *tree)
{
	const NodeTable *nodes = &b->nodes;
	uint32_t	node = first_child[0];

	for (uint32_t i = 1; i <= nodes->count; i++)
	{
		tree->key[i] = fg_key(nodes->depth[node], rank[nodes->name[node]]);
		tree->self[i] = values != NULL ? values[node] : 0;
		if (place != NULL)
			place[node] = i;
		if (!fg_check_every(b->ctx, i))
			return false;
		if (first_child[node] != 0)
		{
			node = first_child[node];
			continue;
		}
		while (node != 0 && next_sibling[node] == 0)
			node = nodes->parent[node];
		node = next_sibling[node];
	}
	return true;
}

static bool
copy_sorted(FgBuilder *b, const uint32_t *rank, const double *values, uint32_t *place,
			FgTree *tree)
{
	size_t		size = (size_t) b->nodes.count + 1;
	uint32_t   *first_child = fg_alloc_zero(b->ctx, size, sizeof(uint32_t));
	uint32_t   *next_sibling = fg_alloc_zero(b->ctx, size, sizeof(uint32_t));
	bool		ok;

	ok = first_child != NULL && next_sibling != NULL &&
		link_children(b, rank, first_child, next_sibling) &&
		copy_preorder(b, rank, first_child, next_sibling, values, place, tree);
	fg_release(b->ctx, first_child);
	fg_release(b->ctx, next_sibling);
	return ok;
}

/* Builds with FG_ASSERT (unit tests, fuzzers) check what everything rests on. */
static void
assert_canonical(FgContext *ctx, const FgTree *tree)
{
#ifdef FG_ASSERT
	FgContext	probe = fg_malloc_context();

	if (!fg_tree_check(&probe, tree) && probe.error.code == FG_ERROR_CORRUPT)
		abort();
#endif
	(void) ctx;
	(void) tree;
}

/*
 * A tree of all nodes and one of their values, which may all be 0; place[i] is then where the
 * node of number i stands in it, where that is asked for.
 */
static bool
make_tree(FgBuilder *b, const double *values, uint32_t *place, FgTree *tree)
{
	uint32_t   *rank = fg_alloc(b->ctx, b->names.count, sizeof(uint32_t));
	bool		ok;

	memset(tree, 0, sizeof(*tree));
	if (rank == NULL)
		return false;
	ok = fg_tree_alloc(b->ctx, tree, b->nodes.count) && fg_names_sort(&b->names, &tree->frames, rank);
	if (ok)
	{
		tree->self[0] = values != NULL ? values[0] : 0;
		ok = b->children.slot == NULL ? copy_in_order(b, rank, values, place, tree)
			: copy_sorted(b, rank, values, place, tree);
	}
	fg_release(b->ctx, rank);
	if (!ok)
		fg_tree_free(b->ctx, tree);
	return ok;
}

bool
fg_builder_finish(FgBuilder *b, FgTree *tree)
{
	if (!make_tree(b, b->nodes.value[0], NULL, tree))
		return false;
	if (b->zero_nodes && !fg_tree_prune_zeros(b->ctx, tree))
	{
		fg_tree_free(b->ctx, tree);
		return false;
	}
	assert_canonical(b->ctx, tree);
	return true;
}

bool
fg_builder_tree(FgBuilder *b, int number, FgTree *tree)
{
	return make_tree(b, b->nodes.value[number], NULL, tree);
}

uint32_t
fg_builder_newest(const FgBuilder *b)
{
	return b->newest;
}

bool
fg_builder_numbered_tree(FgBuilder *b, FgTree *tree, uint32_t **place)
{
	memset(tree, 0, sizeof(*tree));
	*place = fg_alloc(b->ctx, (size_t) b->nodes.count + 1, sizeof(uint32_t));
	if (*place == NULL)
		return false;
	(*place)[0] = 0;
	if (make_tree(b, b->nodes.value[0], *place, tree))
		return true;
	fg_release(b->ctx, *place);
	*place = NULL;
	return false;
}

FgBuilder *
fg_builder_create(FgContext *ctx)
{
	FgBuilder  *b = fg_alloc_zero(ctx, 1, sizeof(FgBuilder));

	if (b == NULL)
		return NULL;
	b->ctx = ctx;
	if (!nodes_reserve(b, 1) || !fg_names_begin(ctx, &b->names))
	{
		fg_builder_free(b);
		return NULL;
	}
	b->nodes.value[0][0] = 0;
	return b;
}

void
fg_builder_forbid_controls(FgBuilder *builder)
{
	builder->forbid_controls = true;
}

void
fg_builder_free(FgBuilder *b)
{
	FgContext  *ctx = b->ctx;

	fg_names_free(&b->names);
	fg_release(ctx, b->nodes.parent);
	fg_release(ctx, b->nodes.name);
	fg_release(ctx, b->nodes.depth);
	for (int v = 0; v < FG_BUILDER_VALUES; v++)
		fg_release(ctx, b->nodes.value[v]);
	fg_release(ctx, b->walk);
	fg_release(ctx, b->last.copy);
	fg_release(ctx, b->last.node);
	fg_release(ctx, b->last.end);
	fg_pairs_free(&b->children);
	fg_release(ctx, b);
}
