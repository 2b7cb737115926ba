/*
 * test_recursion.c
 *	  Walks, recursion edges and the potentials of nodes: each against its
 *	  definition, followed node by node.
 */
#include "naive.h"

#include "core/cct/potential.h"
#include "core/cct/recursion.h"
#include "core/profile/builder.h"
#include "core/profile/walk.h"

#include <math.h>

/* --- the tree as plain nodes ------------------------------------------------------ */

typedef struct Nodes
{
	uint32_t	count;			/* without the root */
	uint32_t   *parent;
	uint32_t   *depth;
	uint32_t   *frame;
	const double *self;
} Nodes;

/* The parent is the last node before it that is one less deep. */
static Nodes
nodes_of(const FgTree *tree)
{
	size_t		room = (size_t) tree->nnodes + 1;
	Nodes		nodes = {
		tree->nnodes, calloc(room, sizeof(uint32_t)), calloc(room, sizeof(uint32_t)),
		calloc(room, sizeof(uint32_t)), tree->self
	};

	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		nodes.depth[i] = fg_key_depth(tree->key[i]);
		nodes.frame[i] = fg_key_frame(tree->key[i]);
		nodes.parent[i] = i - 1;
		while (nodes.depth[nodes.parent[i]] >= nodes.depth[i])
			nodes.parent[i]--;
	}
	return nodes;
}

static void
nodes_free(Nodes *nodes)
{
	free(nodes->parent);
	free(nodes->depth);
	free(nodes->frame);
}

static bool
is_above(const Nodes *nodes, uint32_t above, uint32_t node)
{
	while (node != 0)
	{
		node = nodes->parent[node];
		if (node == above)
			return true;
	}
	return false;
}

/* Listing 3.3 of the thesis. */
static uint32_t
nearest_above(const Nodes *nodes, uint32_t node)
{
	for (uint32_t above = nodes->parent[node]; above != 0; above = nodes->parent[above])
	{
		if (nodes->frame[above] == nodes->frame[node])
			return above;
	}
	return 0;
}

/* A tree with many nodes: 300 * 300 paths of three frames. */
static FgTree
wide(FgContext *ctx)
{
	FgBuilder  *builder = fg_builder_create(ctx);
	uint32_t	frames[300];
	FgTree		tree;

	for (uint32_t i = 0; i < COUNT(frames); i++)
	{
		char		name[16];

		snprintf(name, sizeof(name), "f%03u", i);
		CHECK(fg_builder_frame(builder, name, strlen(name), &frames[i]));
	}
	for (uint32_t i = 0; i < COUNT(frames); i++)
	{
		uint32_t	first;
		uint32_t	node;

		CHECK(fg_builder_child(builder, 0, frames[i], &first));
		for (uint32_t j = 0; j < COUNT(frames); j++)
			CHECK(fg_builder_child(builder, first, frames[j], &node) &&
				  fg_builder_child(builder, node, frames[i], &node) &&
				  fg_builder_add_value(builder, node, 1 + j % 7));
	}
	CHECK(fg_builder_finish(builder, &tree));
	fg_builder_free(builder);
	return tree;
}

/* Shapes that are deep, with few frames, so that recursion is frequent. */
static NaiveShape
recursive_shape(UnitRandom *random, int round, int kind)
{
	return (NaiveShape) {
		unit_below(random, 30), round % 3 == 0 ? 6 : round % 3 == 1 ? 20 : 60,
		round % 4 == 3 ? 40 : 1 + unit_below(random, 4), kind
	};
}

/* --- walks ------------------------------------------------------------------------- */

static void
check_walk(FgContext *ctx, const FgTree *tree, const Nodes *nodes)
{
	uint32_t   *parents = malloc(((size_t) tree->nnodes + 1) * sizeof(uint32_t));
	uint32_t	expected = 0;
	FgWalk		walk;

	CHECK(fg_walk_begin(ctx, tree, &walk));
	while (fg_walk_next(&walk))
	{
		CHECK_COUNT(walk.node, ++expected);
		if (walk.node > nodes->count)
			break;
		CHECK_COUNT(walk.depth, nodes->depth[walk.node]);
		CHECK_COUNT(walk.frame, nodes->frame[walk.node]);
		CHECK_COUNT(fg_walk_parent(&walk), nodes->parent[walk.node]);
		for (uint32_t d = walk.depth, node = walk.node;; d--, node = nodes->parent[node])
		{
			CHECK_COUNT(walk.path[d], node);
			if (d == 0)
				break;
		}
		CHECK(!fg_walk_below(&walk, 0));
		for (uint32_t met = 1; met <= walk.node; met++)
			CHECK(fg_walk_below(&walk, met) == is_above(nodes, met, walk.node));
	}
	CHECK_COUNT(expected, tree->nnodes);
	CHECK(!fg_walk_next(&walk));
	CHECK(fg_walk_end(&walk));

	CHECK(fg_tree_parents(ctx, tree, parents));
	for (uint32_t i = 0; i <= tree->nnodes; i++)
		CHECK_COUNT(parents[i], nodes->parent[i]);
	free(parents);
}

static void
test_walk_ends(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgTree		tree = tree_of_text(&ctx, "a;b;c 1\nd 2");
	FgWalk		walk;

	unit_case("a walk that is left early");
	CHECK(fg_walk_begin(&ctx, &tree, &walk));
	CHECK(fg_walk_next(&walk) && fg_walk_next(&walk));
	CHECK_COUNT(walk.node, 2);
	CHECK(fg_walk_end(&walk));
	fg_tree_free(&ctx, &tree);

	unit_case("a walk over nothing");
	tree = tree_of_text(&ctx, " 3");
	CHECK(fg_walk_begin(&ctx, &tree, &walk));
	CHECK(!fg_walk_next(&walk));
	CHECK(fg_walk_end(&walk));
	fg_tree_free(&ctx, &tree);

	unit_case("a walk that is cancelled stays ended");
	tree = wide(&ctx);
	memory.cancel_at = memory.polls + 1;
	CHECK(fg_walk_begin(&ctx, &tree, &walk));
	while (fg_walk_next(&walk))
		;
	CHECK(walk.node > 0 && walk.node < FG_CHECK_NODES);
	CHECK(!fg_walk_next(&walk));
	CHECK_ERROR(fg_walk_end(&walk), &ctx, FG_ERROR_CANCELLED);
	fg_tree_free(&ctx, &tree);
	CHECK_COUNT(memory.blocks, 0);
}

/* --- recursion edges --------------------------------------------------------------------- */

static void
check_edges(FgContext *ctx, const FgTree *tree, const Nodes *nodes)
{
	uint32_t   *nearest = malloc(((size_t) tree->nnodes + 1) * sizeof(uint32_t));
	uint64_t	expected = 0;
	uint64_t	count;

	memset(nearest, 0xA5, ((size_t) tree->nnodes + 1) * sizeof(uint32_t));
	CHECK(fg_recursion_edges(ctx, tree, nearest, &count));
	CHECK_COUNT(nearest[0], 0);
	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		uint32_t	above = nearest_above(nodes, i);

		CHECK_COUNT(nearest[i], above);
		expected += above != 0;
	}
	CHECK_COUNT(count, expected);
	CHECK(fg_recursion_edges(ctx, tree, NULL, &count));
	CHECK_COUNT(count, expected);
	free(nearest);
}

static void
test_given_edges(void)
{
	static const struct
	{
		const char *what;
		const char *text;
		uint32_t	nearest[10];	/* from the first node on */
		uint64_t	count;
	}			rows[] = {
		/* A, A;B, A;B;B, A;C, A;C;A, A;C;A;A, A;C;B, A;C;B;A */
		{"golden recursion_edges_small", "A;B;B 1\nA;C;A;A 2\nA;C;B;A 1",
		{0, 0, 2, 0, 1, 5, 0, 1}, 4},
		/* a, a;b, a;b;a, a;b;c, a;c, a;c;b, a;c;b;c, a;c;c */
		{"figure 3.6: three recursive nodes", "a 1\na;b;c 2\na;b;a 3\na;c;c 4\na;c;b;c 5",
		{0, 0, 1, 0, 0, 0, 5, 5}, 3},
		{"siblings are no recursion", "a;b;c 1\na;d;c 1\nb;c 1", {0}, 0},
		{"nothing", "", {0}, 0},
		{"a value of the root", " 5", {0}, 0}
	};
	FgContext	ctx = fg_malloc_context();

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		FgTree		tree = tree_of_text(&ctx, rows[i].text);
		uint32_t	nearest[12];
		uint64_t	count;

		unit_case("recursion edges: %s", rows[i].what);
		CHECK(fg_recursion_edges(&ctx, &tree, nearest, &count));
		CHECK_COUNT(count, rows[i].count);
		for (uint32_t n = 1; n <= tree.nnodes; n++)
			CHECK_COUNT(nearest[n], rows[i].nearest[n - 1]);
		fg_tree_free(&ctx, &tree);
	}
}

/* --- potentials of nodes ------------------------------------------------------------------- */

/*
 * p_0 .. p_n of each node by the recurrence of section 5.2; of |values| for the
 * size of what rounding may do.
 */
typedef struct Terms
{
	uint32_t	nodes;
	long double *p;				/* [degree * (nodes + 1) + node] */
	long double *weight;
} Terms;

static Terms
terms_of(const Nodes *nodes, uint32_t degree)
{
	size_t		row = (size_t) nodes->count + 1;
	Terms		terms = {
		nodes->count, calloc(row * (degree + 1), sizeof(long double)),
		calloc(row * (degree + 1), sizeof(long double))
	};

	for (uint32_t n = 0; n <= degree; n++)
	{
		long double *p = terms.p + n * row;
		long double *weight = terms.weight + n * row;

		for (uint32_t u = 1; u <= nodes->count; u++)
		{
			p[u] += nodes->self[u];
			weight[u] += fabs(nodes->self[u]);
			if (n == 0)
				continue;
			p[nodes->parent[u]] += terms.p[(n - 1) * row + u];
			weight[nodes->parent[u]] += terms.weight[(n - 1) * row + u];
		}
	}
	return terms;
}

static void
terms_free(Terms *terms)
{
	free(terms->p);
	free(terms->weight);
}

/* Equal for whole values; else within 1e-12 of what was added, and 1e-28 of all there is. */
static bool
is_sum(double got, long double expected, long double weight, double all)
{
	if (all == 0)
		return got == (double) expected;
	return fabsl(got - expected) <= 1e-12L * weight + 1e-28L * all;
}

static void
check_node_potential(FgContext *ctx, const FgTree *tree, const Nodes *nodes, uint32_t degree)
{
	size_t		row = (size_t) nodes->count + 1;
	uint32_t	nframes = tree->frames.count;
	uint32_t	levels = degree < 70 ? degree : 70;	/* no test tree is deeper */
	double	   *p = malloc(row * sizeof(double));
	double	   *c = malloc(row * sizeof(double));
	double	   *potential = malloc((nframes + 1) * sizeof(double));
	double	   *naive = malloc((nframes + 1) * sizeof(double));
	long double *correction = calloc(row, sizeof(long double));
	long double *correction_weight = calloc(row, sizeof(long double));
	long double *by_frame = calloc(nframes + 1, sizeof(long double));
	Terms		terms = terms_of(nodes, levels);
	double		all = 0;
	bool		whole = true;

	for (uint32_t u = 0; u <= nodes->count; u++)
	{
		uint32_t	above = u > 0 ? nearest_above(nodes, u) : 0;
		uint32_t	distance = nodes->depth[u] - nodes->depth[above];
		size_t		at = (levels - distance) * row + u;

		all += fabs(nodes->self[u]);
		whole = whole && nodes->self[u] == floor(nodes->self[u]);
		if (above == 0 || distance > levels)
			continue;
		correction[above] += terms.p[at];
		correction_weight[above] += terms.weight[at];
	}
	if (whole)
		all = 0;
	memset(p, 0xA5, row * sizeof(double));
	memset(c, 0xA5, row * sizeof(double));
	CHECK(fg_node_potential(ctx, tree, degree, p, c));
	CHECK_DOUBLE(p[0], 0);
	CHECK_DOUBLE(c[0], 0);
	for (uint32_t u = 1; u <= nodes->count; u++)
	{
		size_t		at = levels * row + u;

		CHECK(is_sum(p[u], terms.p[at], terms.weight[at], all));
		CHECK(is_sum(c[u], correction[u], correction_weight[u], all));
		by_frame[nodes->frame[u]] += (long double) p[u] - c[u];
	}
	CHECK(fg_subtree_potential(ctx, tree, degree, potential, naive));
	for (uint32_t f = 0; f < nframes; f++)
		CHECK(is_sum(potential[f], by_frame[f], 0, all == 0 ? 0 : all * 1e15));
	terms_free(&terms);
	free(p);
	free(c);
	free(potential);
	free(naive);
	free(correction);
	free(correction_weight);
	free(by_frame);
}

static void
test_given_potentials(void)
{
	static const struct
	{
		const char *what;
		const char *text;
		uint32_t	degree;
		double		p[10];
		double		c[10];
	}			rows[] = {
		/* A, A;A, A;B */
		{"the example of section 5.2, degree 0", "A 0.25\nA;A 0.5\nA;B 0.25", 0,
		{0.25, 0.5, 0.25}, {0}},
		{"the example of section 5.2, degree 1", "A 0.25\nA;A 0.5\nA;B 0.25", 1,
		{1, 0.5, 0.25}, {0.5, 0, 0}},
		/* A, A;V, ;U, ;T, ;S, A;X, ;A, ;Y, ;Z, ;W: c_3(A_1) = p_1(A_2) */
		{"figure 5.1",
			"A 1\nA;X 2\nA;X;A 4\nA;X;A;Y 8\nA;X;A;Y;Z 16\nA;X;A;Y;Z;W 32\nA;V 64\nA;V;U;T 128\n"
			"A;V;U;T;S 256", 3,
			{1 + 2 + 4 + 8 + 64 + 128, 64 + 128 + 256, 128 + 256, 128 + 256, 256,
		2 + 4 + 8 + 16, 4 + 8 + 16 + 32, 8 + 16 + 32, 16 + 32, 32},
		{4 + 8}},
		{"the correction ends where the degree does", "A;B;A;B;A 1", 2,
		{0, 0, 1, 1, 1}, {0, 0, 1}},
		{"two edges from one node", "A;B;A 1\nA;C;A 2\nA;A 4\nA;A;A 8", 2,
		{15, 12, 8, 1, 1, 2, 2}, {15, 8}}
	};
	FgContext	ctx = fg_malloc_context();

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		FgTree		tree = tree_of_text(&ctx, rows[i].text);
		double		p[12];
		double		c[12];

		unit_case("potentials of nodes: %s", rows[i].what);
		CHECK(fg_node_potential(&ctx, &tree, rows[i].degree, p, c));
		for (uint32_t u = 1; u <= tree.nnodes; u++)
		{
			CHECK_DOUBLE(p[u], rows[i].p[u - 1]);
			CHECK_DOUBLE(c[u], rows[i].c[u - 1]);
		}
		fg_tree_free(&ctx, &tree);
	}
}

/* --- random and deep ------------------------------------------------------------------------ */

static void
test_random(void)
{
	static const uint32_t degrees[] = {0, 1, 2, 3, 5, 8, 21, 63, 64, 70, 65535, UINT32_MAX};
	UnitRandom	random = {33};

	for (int kind = NAIVE_COUNTS; kind <= NAIVE_DOUBLES; kind++)
	{
		unit_case("walks, recursion and potentials of random trees, %s", naive_kinds[kind]);
		for (int round = 0; round < unit_rounds(90); round++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			Naive		naive = naive_random(&random, recursive_shape(&random, round, kind));
			FgTree		tree = naive_tree(&ctx, &naive);
			Nodes		nodes = nodes_of(&tree);

			unit_note("[round %d]", round);
			if (tree.nnodes < 300)
				check_walk(&ctx, &tree, &nodes);
			check_edges(&ctx, &tree, &nodes);
			for (size_t d = 0; d < COUNT(degrees); d++)
			{
				unit_note("[round %d, degree %u]", round, degrees[d]);
				check_node_potential(&ctx, &tree, &nodes, degrees[d]);
			}
			nodes_free(&nodes);
			fg_tree_free(&ctx, &tree);
			naive_free(&naive);
			CHECK_COUNT(memory.blocks, 0);
		}
	}
}

/*
 * Node i of a chain, of "count" frames that repeat after "period", has the nearest
 * one "period" above it; and with 1 in each node p_n is a number of nodes.
 */
static void
check_chain(uint32_t count, uint32_t period)
{
	static const uint32_t degrees[] = {0, 1, 2, 63, 64, 30000, 65535};
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = naive_chain(&ctx, count, period);
	uint32_t   *nearest = malloc(((size_t) count + 1) * sizeof(uint32_t));
	double	   *p = malloc(((size_t) count + 1) * sizeof(double));
	double	   *c = malloc(((size_t) count + 1) * sizeof(double));
	uint64_t	edges;
	FgWalk		walk;

	unit_case("a chain of %u frames, %u different ones", count, period);
	CHECK_COUNT(tree.nnodes, count);
	CHECK(fg_walk_begin(&ctx, &tree, &walk));
	while (fg_walk_next(&walk))
	{
		CHECK_COUNT(walk.depth, walk.node);
		CHECK_COUNT(fg_walk_parent(&walk), walk.node - 1);
		CHECK(fg_walk_below(&walk, 1) == (walk.node > 1));
	}
	CHECK(fg_walk_end(&walk));
	CHECK(fg_recursion_edges(&ctx, &tree, nearest, &edges));
	CHECK_COUNT(edges, count > period ? count - period : 0);
	for (uint32_t i = 1; i <= count; i++)
		CHECK_COUNT(nearest[i], i > period ? i - period : 0);
	for (size_t d = 0; d < COUNT(degrees); d++)
	{
		uint32_t	degree = degrees[d];

		unit_note("[degree %u]", degree);
		CHECK(fg_node_potential(&ctx, &tree, degree, p, c));
		for (uint32_t i = 1; i <= count; i++)
		{
			uint32_t	below = count - i;
			uint32_t	reach = below < degree ? below : degree;

			CHECK_DOUBLE(p[i], 1 + reach);
			CHECK_DOUBLE(c[i], reach >= period ? 1 + reach - period : 0);
		}
	}
	free(nearest);
	free(p);
	free(c);
	fg_tree_free(&ctx, &tree);
}

static void
test_chains(void)
{
	check_chain(1, 1);
	check_chain(5000, 1);
	check_chain(60000, 1);
	check_chain(60000, 2);
	check_chain(60000, 60000);
	check_chain(FG_MAX_DEPTH, 7);
}

static void
test_range(void)
{
	static const struct
	{
		const char *text;
		uint32_t	degree;
		bool		fits;
	}			rows[] = {
		{"a 1e308\na;b 1e308", 1, false},
		{"a;b;c 1e308\na;d 1e308", 2, false},
		{"a 8e307\na;b 8e307", 1, true},
		{"a;a;a;a 1e308", 3, true},	/* only their sum is too large */
		{"a;b 1e308\na;c -1e308\na;d 1e308", 1, true}
	};
	FgContext	ctx = fg_malloc_context();

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		FgTree		tree = tree_of_text(&ctx, rows[i].text);
		double		p[8];
		double		c[8];

		unit_case("potentials of nodes near the largest number, row %zu", i);
		if (rows[i].fits)
			CHECK(fg_node_potential(&ctx, &tree, rows[i].degree, p, c));
		else
			CHECK_ERROR(fg_node_potential(&ctx, &tree, rows[i].degree, p, c), &ctx,
						FG_ERROR_RANGE);
		fg_tree_free(&ctx, &tree);
	}
}

/* --- failures -------------------------------------------------------------------------------- */

typedef struct Input
{
	const FgTree *tree;
	uint32_t   *numbers;		/* room for nnodes + 1 */
	double	   *doubles;		/* room for twice as many */
} Input;

static bool
run_parents(FgContext *ctx, void *arg)
{
	const Input *input = arg;

	return fg_tree_parents(ctx, input->tree, input->numbers);
}

static bool
run_walk(FgContext *ctx, void *arg)
{
	const Input *input = arg;
	FgWalk		walk;

	if (!fg_walk_begin(ctx, input->tree, &walk))
		return false;
	while (fg_walk_next(&walk))
		;
	return fg_walk_end(&walk);
}

static bool
run_edges(FgContext *ctx, void *arg)
{
	const Input *input = arg;
	uint64_t	count;

	return fg_recursion_edges(ctx, input->tree, input->numbers, &count);
}

static bool
run_count(FgContext *ctx, void *arg)
{
	const Input *input = arg;
	uint64_t	count;

	return fg_recursion_edges(ctx, input->tree, NULL, &count);
}

static bool
run_potential(FgContext *ctx, void *arg)
{
	const Input *input = arg;

	return fg_node_potential(ctx, input->tree, 3, input->doubles,
							 input->doubles + input->tree->nnodes + 1);
}

static void
test_failures(void)
{
	static const struct
	{
		const char *name;
		UnitOperation operation;
		size_t		polls;
	}			rows[] = {
		{"fg_tree_parents", run_parents, 1},
		{"a walk", run_walk, 1},
		{"fg_recursion_edges", run_edges, 1},
		{"fg_recursion_edges, only counted", run_count, 1},
		{"fg_node_potential", run_potential, 3}
	};
	FgContext	ctx = fg_malloc_context();
	FgTree		small = tree_of_text(&ctx, "a;b;a;b 1\nb;b;a 2\nc 1");
	FgTree		large = wide(&ctx);
	Input		input = {
		&small, malloc(((size_t) large.nnodes + 1) * sizeof(uint32_t)),
		malloc(((size_t) large.nnodes + 1) * 2 * sizeof(double))
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		input.tree = &small;
		unit_sweep_memory(rows[i].name, rows[i].operation, &input);
		input.tree = &large;
		unit_sweep_interrupts(rows[i].name, rows[i].operation, &input, rows[i].polls);
	}
	free(input.numbers);
	free(input.doubles);
	fg_tree_free(&ctx, &small);
	fg_tree_free(&ctx, &large);
}

int
main(void)
{
	test_walk_ends();
	test_given_edges();
	test_given_potentials();
	test_random();
	test_chains();
	test_range();
	test_failures();
	return unit_finish();
}
