/*
 * generate.c
 *		Seeded generator of realistic profiles for the benchmark suite.
 *
 * A "program" is a random call graph with some thousands of frames.  A profile
 * is what a sampling profiler would see of it: stacks drawn by walking the
 * graph from a root, with counts.  Everything follows from two numbers: --seed
 * makes the program (call graph, names, which stacks are common), and
 * --profile-seed makes one recording of it (counts, and which of the rare
 * stacks were caught this time).  README.md describes the model.
 *
 * Only integer arithmetic decides anything, and the random numbers are our own
 * xoshiro256**, so the same arguments give the same bytes on every machine:
 * figures from two machines can be compared.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH		400
#define MAX_CALLEES		24
#define MAX_FRAME_NAME	120
#define MIN_FRAME_NAME	20
#define N_ROOTS			6
#define ROOT_NODE		0		/* the virtual root of the tree */

/*
 * How a recording is put together, in thousandths of its nodes: the common
 * stacks are in every recording of the program; the pool holds the rare
 * stacks, of which each recording catches one third; fresh stacks are seen in
 * this recording only.  Two recordings then share about 85 % of their nodes,
 * and the union over many recordings keeps growing, as it does in reality.
 */
#define COMMON_PER_MILLE	770
#define POOL_FACTOR			3
#define DEFAULT_FRESH_PER_MILLE 10

typedef enum
{
	FORMAT_FOLDED,				/* "stack value" lines */
	FORMAT_PPROF,				/* profile.proto, not compressed */
	FORMAT_ROWS,				/* for COPY: profile, stack, value */
	FORMAT_COPY					/* for COPY: profile, folded text */
} Format;

static void fail(const char *fmt,...) __attribute__((noreturn, format(printf, 1, 2)));

static void
fail(const char *fmt,...)
{
	va_list		args;

	fputs("generate: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static void *
xrealloc(void *old, size_t size)
{
	void	   *result = realloc(old, size > 0 ? size : 1);

	if (result == NULL)
		fail("out of memory");
	return result;
}

/* ----------------------------------------------------------------------
 * Random numbers: xoshiro256**, seeded by splitmix64 (both are public domain
 * algorithms of Blackman and Vigna, written anew here).
 * ----------------------------------------------------------------------
 */
typedef struct
{
	uint64_t	s[4];
} Rng;

static uint64_t
splitmix64(uint64_t *state)
{
	uint64_t	z = (*state += UINT64_C(0x9E3779B97F4A7C15));

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

/* "stream" keeps the uses of one seed apart: graph, names, stacks, counts. */
static void
rng_seed(Rng *rng, uint64_t seed, uint64_t stream)
{
	uint64_t	state = seed * UINT64_C(0xD1342543DE82EF95) + stream;

	for (int i = 0; i < 4; i++)
		rng->s[i] = splitmix64(&state);
}

static uint64_t
rotl(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

static uint64_t
rng_next(Rng *rng)
{
	uint64_t   *s = rng->s;
	uint64_t	result = rotl(s[1] * 5, 7) * 9;
	uint64_t	t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

/* Uniform in 0 .. n-1, without the bias of a plain modulo (Lemire's method). */
static uint32_t
rng_below(Rng *rng, uint32_t n)
{
	uint64_t	product = (rng_next(rng) >> 32) * n;

	if ((uint32_t) product < n)
	{
		uint32_t	least = (0 - n) % n;

		while ((uint32_t) product < least)
			product = (rng_next(rng) >> 32) * n;
	}
	return (uint32_t) (product >> 32);
}

/* The least of "times" draws: small numbers are favoured, a cheap power law. */
static uint32_t
rng_skewed(Rng *rng, uint32_t n, int times)
{
	uint32_t	best = rng_below(rng, n);

	for (int i = 1; i < times; i++)
	{
		uint32_t	x = rng_below(rng, n);

		if (x < best)
			best = x;
	}
	return best;
}

/* The whole part of the square root: no libm, so no machine differs. */
static uint32_t
square_root(uint32_t x)
{
	uint32_t	root = 0;

	for (uint32_t bit = UINT32_C(1) << 15; bit > 0; bit >>= 1)
	{
		uint32_t	try = root | bit;

		if ((uint64_t) try * try <= x)
			root = try;
	}
	return root;
}

static bool
rng_chance(Rng *rng, uint32_t per_mille)
{
	return rng_below(rng, 1000) < per_mille;
}

/* ----------------------------------------------------------------------
 * Frame names
 * ----------------------------------------------------------------------
 */
static const char *const nouns[] = {
	"record", "page", "cache", "index", "token", "node", "buffer", "stream",
	"query", "plan", "segment", "channel", "session", "cursor", "row", "column",
	"format", "block", "entry", "table", "key", "value", "event", "queue",
	"worker", "task", "lock", "log", "store", "tree", "graph", "symbol",
	"type", "scope", "packet", "frame", "header", "string", "array", "map",
	"batch", "shard", "snapshot", "version", "request", "response", "filter",
	"expression", "statement", "literal", "schema", "relation", "property",
	"partition", "checkpoint", "transaction", "iterator", "context", "listener",
	"dispatcher", "resolver", "serializer", "allocator", "scheduler"
};

static const char *const verbs[] = {
	"read", "write", "get", "set", "find", "load", "store", "parse", "emit",
	"visit", "apply", "run", "call", "open", "close", "flush", "merge", "split",
	"scan", "next", "init", "build", "check", "compute", "create", "evaluate",
	"expand", "fetch", "handle", "insert", "invoke", "lookup", "match", "process",
	"push", "resolve", "rewrite", "select", "sort", "update", "validate", "wrap"
};

static const char *const areas[] = {
	"storage", "engine", "parser", "runtime", "network", "planner", "executor",
	"compiler", "util", "concurrent", "metrics", "security", "transport",
	"catalog", "codegen", "optimizer", "recovery", "replication", "encoding",
	"collections", "io", "scheduler", "memory", "protocol", "frontend", "backend"
};

static const char *const tops[] = {
	"org.example", "com.example", "net.sample.server", "org.quartzite", "java.util",
	"java.lang", "org.example.db"
};

#define LENGTH(a) ((uint32_t) (sizeof(a) / sizeof((a)[0])))
#define PICK(rng, a) ((a)[rng_skewed(rng, LENGTH(a), 2)])

typedef struct
{
	char		data[512];
	size_t		len;
} Name;

static void
name_add(Name *name, const char *text)
{
	size_t		n = strlen(text);

	if (name->len + n >= sizeof(name->data))
		fail("frame name too long");
	memcpy(name->data + name->len, text, n + 1);
	name->len += n;
}

/* Append a word with its first letter in upper case. */
static void
name_add_title(Name *name, const char *word)
{
	size_t		at = name->len;

	name_add(name, word);
	if (name->data[at] >= 'a' && name->data[at] <= 'z')
		name->data[at] = (char) (name->data[at] - 'a' + 'A');
}

static void
name_add_number(Name *name, uint32_t number)
{
	char		text[16];

	snprintf(text, sizeof(text), "%" PRIu32, number);
	name_add(name, text);
}

typedef enum
{
	STYLE_JAVA, STYLE_CPP, STYLE_PYTHON
} Style;

/*
 * Neighbours in the call graph share a package and often a class, as they do
 * in real programs: this is what front coding and gzip live on.
 */
typedef struct
{
	Style		style;
	char		package[160];
	char		class_name[96];
	uint32_t	package_left;
	uint32_t	class_left;
} Naming;

static void
new_package(Naming *naming, Rng *rng)
{
	Name		name = {.len = 0};
	uint32_t	kind = rng_below(rng, 100);
	uint32_t	levels = 1 + rng_skewed(rng, 3, 2);
	const char *separator;

	naming->style = kind < 50 ? STYLE_JAVA : kind < 85 ? STYLE_CPP : STYLE_PYTHON;
	separator = naming->style == STYLE_JAVA ? "." :
		naming->style == STYLE_CPP ? "::" : "/";
	if (naming->style == STYLE_JAVA)
		name_add(&name, PICK(rng, tops));
	else if (naming->style == STYLE_PYTHON)
		name_add(&name, "lib/python3");
	for (uint32_t i = 0; i < levels; i++)
	{
		if (name.len > 0)
			name_add(&name, separator);
		name_add(&name, PICK(rng, areas));
	}
	memcpy(naming->package, name.data, name.len + 1);
	naming->package_left = 6 + rng_below(rng, 40);
	naming->class_left = 0;
}

static void
new_class(Naming *naming, Rng *rng)
{
	Name		name = {.len = 0};

	if (naming->style == STYLE_PYTHON)
	{
		name_add(&name, PICK(rng, nouns));
		name_add(&name, "_");
		name_add(&name, nouns[rng_below(rng, LENGTH(nouns))]);
	}
	else
	{
		name_add_title(&name, PICK(rng, nouns));
		name_add_title(&name, nouns[rng_below(rng, LENGTH(nouns))]);
		if (rng_chance(rng, 350))
			name_add(&name, naming->style == STYLE_JAVA ? "Impl" : "Base");
		if (naming->style == STYLE_CPP && rng_chance(rng, 400))
		{
			name_add(&name, "<");
			name_add(&name, PICK(rng, areas));
			name_add(&name, "::");
			name_add_title(&name, PICK(rng, nouns));
			if (rng_chance(rng, 400))
			{
				name_add(&name, ", ");
				name_add_number(&name, UINT32_C(1) << rng_below(rng, 10));
				name_add(&name, "ul");
			}
			name_add(&name, ">");
		}
	}
	memcpy(naming->class_name, name.data, name.len + 1);
	naming->class_left = 1 + rng_below(rng, 7);
}

static void
new_name(Naming *naming, Rng *rng, Name *name)
{
	if (naming->package_left == 0)
		new_package(naming, rng);
	naming->package_left--;
	if (naming->class_left == 0)
		new_class(naming, rng);
	naming->class_left--;

	name->len = 0;
	name_add(name, naming->package);
	switch (naming->style)
	{
		case STYLE_JAVA:
			name_add(name, ".");
			name_add(name, naming->class_name);
			if (rng_chance(rng, 80))
			{
				name_add(name, ".lambda$");
				name_add(name, PICK(rng, verbs));
				name_add(name, "$");
				name_add_number(name, rng_below(rng, 40));
				break;
			}
			name_add(name, ".");
			name_add(name, PICK(rng, verbs));
			name_add_title(name, nouns[rng_below(rng, LENGTH(nouns))]);
			break;
		case STYLE_CPP:
			name_add(name, "::");
			name_add(name, naming->class_name);
			name_add(name, "::");
			name_add(name, PICK(rng, verbs));
			name_add_title(name, nouns[rng_below(rng, LENGTH(nouns))]);
			name_add(name, "(");
			if (rng_chance(rng, 600))
			{
				name_add(name, PICK(rng, areas));
				name_add(name, "::");
				name_add_title(name, PICK(rng, nouns));
				name_add(name, rng_chance(rng, 500) ? " const&" : "*");
				if (rng_chance(rng, 300))
					name_add(name, ", unsigned long");
			}
			name_add(name, ")");
			if (rng_chance(rng, 250))
				name_add(name, " const");
			break;
		case STYLE_PYTHON:
			name_add(name, "/");
			name_add(name, naming->class_name);
			name_add(name, ".py:");
			name_add(name, PICK(rng, verbs));
			name_add(name, "_");
			name_add(name, nouns[rng_below(rng, LENGTH(nouns))]);
			name_add(name, ":");
			name_add_number(name, 1 + rng_below(rng, 900));
			break;
	}
}

/* ----------------------------------------------------------------------
 * The program: a call graph
 * ----------------------------------------------------------------------
 */
typedef struct
{
	bool		hot;			/* does work of its own: samples end here */
	uint32_t	n_callees;
	uint32_t	callee[MAX_CALLEES];
	uint32_t	upto[MAX_CALLEES];	/* running sums of the weights */
} Callees;

typedef struct
{
	uint32_t	n_frames;
	char	  **name;
	uint32_t   *name_len;
	uint32_t   *rank;			/* place of the name in bytewise order */
	Callees    *graph;
} Program;

/* qsort has no argument for the names; the program is built only once. */
static char **sort_names;

static int
compare_names(const void *a, const void *b)
{
	return strcmp(sort_names[*(const uint32_t *) a],
				  sort_names[*(const uint32_t *) b]);
}

static uint32_t
hash_text(const char *text)
{
	uint32_t	h = UINT32_C(2166136261);

	for (; *text != '\0'; text++)
		h = (h ^ (unsigned char) *text) * UINT32_C(16777619);
	return h ^ (h >> 15);
}

static void
make_names(Program *program, uint64_t seed)
{
	Rng			rng;
	Naming		naming = {.package_left = 0};
	uint32_t	n = program->n_frames;
	uint32_t	slots = 16;
	uint32_t   *seen;
	uint32_t   *order;

	while (slots < 4 * n)
		slots *= 2;
	seen = xrealloc(NULL, slots * sizeof(*seen));
	memset(seen, 0xff, slots * sizeof(*seen));
	rng_seed(&rng, seed, 1);
	for (uint32_t i = 0; i < n; i++)
	{
		for (;;)
		{
			Name		name;
			uint32_t	slot;

			new_name(&naming, &rng, &name);
			if (name.len < MIN_FRAME_NAME || name.len > MAX_FRAME_NAME)
				continue;
			slot = hash_text(name.data) & (slots - 1);
			while (seen[slot] != UINT32_MAX &&
				   strcmp(program->name[seen[slot]], name.data) != 0)
				slot = (slot + 1) & (slots - 1);
			if (seen[slot] != UINT32_MAX)
				continue;		/* two frames of a program differ */
			seen[slot] = i;
			program->name[i] = xrealloc(NULL, name.len + 1);
			memcpy(program->name[i], name.data, name.len + 1);
			program->name_len[i] = (uint32_t) name.len;
			break;
		}
	}
	free(seen);

	order = xrealloc(NULL, n * sizeof(*order));
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	sort_names = program->name;
	qsort(order, n, sizeof(*order), compare_names);
	for (uint32_t i = 0; i < n; i++)
		program->rank[order[i]] = i;
	free(order);
}

static uint32_t
draw_n_callees(Rng *rng)
{
	uint32_t	x = rng_below(rng, 100);

	/* Few callees as a rule: long chains are what makes stacks compress. */
	if (x < 42)
		return 1;
	if (x < 65)
		return 2;
	if (x < 79)
		return 3;
	if (x < 89)
		return 4;
	if (x < 97)
		return 5 + rng_below(rng, 4);
	return 9 + rng_below(rng, MAX_CALLEES - 8);
}

/*
 * Frames are numbered from the roots to the libraries.  A call goes a little
 * way forward, or to a popular library frame, or (recursion) to itself or a
 * little way back.  The last sixth of the numbers are the libraries.
 */
static void
make_graph(Program *program, uint64_t seed)
{
	Rng			rng;
	uint32_t	n = program->n_frames;
	uint32_t	library = n - n / 6;
	uint32_t	reach = n / 40 + 2;

	rng_seed(&rng, seed, 2);
	for (uint32_t i = 0; i < n; i++)
	{
		Callees    *out = &program->graph[i];
		uint32_t	wanted = draw_n_callees(&rng);
		uint32_t	sum = 0;

		if (i < N_ROOTS)
			wanted = 6 + rng_below(&rng, 8);
		if (i >= library && rng_chance(&rng, 20))
			wanted = 0;
		out->n_callees = 0;
		out->hot = rng_chance(&rng, i >= library ? 240 : 120);
		for (uint32_t tries = 0; out->n_callees < wanted && tries < 100; tries++)
		{
			uint32_t	kind = rng_below(&rng, 1000);
			uint32_t	k = out->n_callees;
			uint32_t	target;
			bool		known = false;

			if (kind < 60 && k > 0 && i >= N_ROOTS)
				target = i;		/* direct recursion */
			else if (kind < 200 && k > 0 && i >= N_ROOTS + 40)
				target = i - 1 - rng_below(&rng, 40);	/* mutual recursion */
			else if (kind < 260)
				target = library + rng_skewed(&rng, n - library, 4);
			else
				target = i + 1 + rng_skewed(&rng, reach, 3);
			if (target >= n)
				target = library + (target - n) % (n - library);
			if (target < N_ROOTS)
				continue;
			for (uint32_t j = 0; j < k; j++)
				known = known || out->callee[j] == target;
			if (known)
				continue;
			/* power law: the k-th callee gets 1/k of the first one's calls */
			sum += UINT32_C(1000000) / (k + 1);
			out->callee[k] = target;
			out->upto[k] = sum;
			out->n_callees++;
		}
	}
}

static void
make_program(Program *program, uint32_t n_frames, uint64_t seed)
{
	program->n_frames = n_frames;
	program->name = xrealloc(NULL, n_frames * sizeof(*program->name));
	program->name_len = xrealloc(NULL, n_frames * sizeof(*program->name_len));
	program->rank = xrealloc(NULL, n_frames * sizeof(*program->rank));
	program->graph = xrealloc(NULL, n_frames * sizeof(*program->graph));
	make_names(program, seed);
	make_graph(program, seed);
}

static uint32_t
draw_callee(const Callees *out, Rng *rng)
{
	uint32_t	x = rng_below(rng, out->upto[out->n_callees - 1]);
	uint32_t	k = 0;

	while (out->upto[k] <= x)
		k++;
	return out->callee[k];
}

/*
 * How deep the program was when the sample was taken: the walk ends at the
 * first frame with work of its own below this depth.
 */
static uint32_t
draw_depth(Rng *rng)
{
	uint32_t	depth = 6;

	for (int i = 0; i < 4; i++)
		depth += rng_below(rng, 16);
	if (rng_chance(rng, 70))
	{
		depth += 10;
		while (depth < MAX_DEPTH && !rng_chance(rng, 25))
			depth++;
	}
	return depth;
}

static uint32_t
draw_stack(const Program *program, Rng *rng, uint32_t *frames)
{
	uint32_t	wanted = draw_depth(rng);
	uint32_t	frame = rng_skewed(rng, N_ROOTS, 3);
	uint32_t	depth = 0;

	for (;;)
	{
		frames[depth++] = frame;
		if ((depth >= wanted && program->graph[frame].hot) ||
			depth == MAX_DEPTH || program->graph[frame].n_callees == 0)
			return depth;
		frame = draw_callee(&program->graph[frame], rng);
	}
}

/* ----------------------------------------------------------------------
 * The tree of the stacks seen so far
 * ----------------------------------------------------------------------
 */
typedef struct
{
	uint32_t	parent;
	uint32_t	frame;
	uint32_t	depth;
	uint32_t	epoch;			/* the profile that last touched the node */
	uint32_t	taken;			/* the profile that last took the stack ending here */
} Node;

typedef struct
{
	Node	   *node;
	uint32_t	n_nodes;
	uint32_t	node_room;
	uint32_t   *slot;			/* hash of (parent, frame), open addressing */
	uint32_t	slot_mask;
} Tree;

static uint32_t
tree_slot(const Tree *tree, uint32_t parent, uint32_t frame)
{
	uint64_t	h = ((uint64_t) parent << 32 | frame) * UINT64_C(0x9E3779B97F4A7C15);
	uint32_t	slot = (uint32_t) (h >> 32) & tree->slot_mask;

	while (tree->slot[slot] != 0)
	{
		const Node *node = &tree->node[tree->slot[slot]];

		if (node->parent == parent && node->frame == frame)
			break;
		slot = (slot + 1) & tree->slot_mask;
	}
	return slot;
}

static void
tree_init(Tree *tree, uint32_t n_nodes)
{
	uint32_t	slots = 1024;

	while (slots < 2 * n_nodes)
		slots *= 2;
	tree->slot = xrealloc(NULL, slots * sizeof(*tree->slot));
	memset(tree->slot, 0, slots * sizeof(*tree->slot));
	tree->slot_mask = slots - 1;
	tree->node_room = n_nodes;
	tree->node = xrealloc(NULL, tree->node_room * sizeof(*tree->node));
	memset(&tree->node[ROOT_NODE], 0, sizeof(Node));
	tree->n_nodes = 1;
}

static uint32_t
tree_child(Tree *tree, uint32_t parent, uint32_t frame)
{
	uint32_t	slot = tree_slot(tree, parent, frame);
	Node	   *node;

	if (tree->slot[slot] != 0)
		return tree->slot[slot];
	if (tree->n_nodes == tree->node_room)
		fail("tree is full");
	node = &tree->node[tree->n_nodes];
	node->parent = parent;
	node->frame = frame;
	node->depth = tree->node[parent].depth + 1;
	node->epoch = 0;
	node->taken = 0;
	tree->slot[slot] = tree->n_nodes;
	return tree->n_nodes++;
}

/* Take back the newest nodes; exact because linear probing is undone in reverse. */
static void
tree_truncate(Tree *tree, uint32_t n_nodes)
{
	while (tree->n_nodes > n_nodes)
	{
		const Node *node = &tree->node[--tree->n_nodes];

		tree->slot[tree_slot(tree, node->parent, node->frame)] = 0;
	}
}

/* ----------------------------------------------------------------------
 * What one program can do, and one recording of it
 * ----------------------------------------------------------------------
 */
typedef struct
{
	Program		program;
	Tree		tree;
	uint32_t	wanted_nodes;
	uint32_t	fresh_per_mille;
	uint32_t	n_stacks;		/* in order of discovery: popular ones first */
	uint32_t   *stack_end;		/* node at which the stack ends */
	uint32_t   *stack_weight;	/* its usual count */
	uint32_t	n_common;
} World;

typedef struct
{
	uint32_t	end;
	uint32_t	value;
	uint32_t	first;			/* index of its ranks, for sorting */
	uint32_t	depth;
} Sample;

typedef struct
{
	Sample	   *sample;
	uint32_t	n_samples;
	uint32_t	room;
	uint32_t	n_nodes;
	uint32_t   *ranks;
	size_t		ranks_room;
} Profile;

/* Power law over the rank, with some noise so that the ranking is not the discovery order. */
static uint32_t
draw_weight(Rng *rng, uint32_t index, uint32_t n_stacks)
{
	uint64_t	weight = (uint64_t) n_stacks * (64 + rng_below(rng, 448)) / 256;

	weight = weight / (2 * ((uint64_t) index + 1));
	if (rng_chance(rng, 20))
		weight *= 1 + rng_below(rng, 30);
	return (uint32_t) (1 + weight);
}

static void
make_world(World *world, uint32_t wanted_nodes, uint32_t n_frames,
		   uint32_t fresh_per_mille, uint64_t seed)
{
	Rng			rng;
	uint32_t	frames[MAX_DEPTH];
	uint64_t	common_nodes = (uint64_t) wanted_nodes * COMMON_PER_MILLE / 1000;
	uint64_t	all_nodes = common_nodes +
		((uint64_t) wanted_nodes - common_nodes) * POOL_FACTOR;
	uint32_t	room = 1024;
	uint64_t	tries = 0;

	world->wanted_nodes = wanted_nodes;
	world->fresh_per_mille = fresh_per_mille;
	make_program(&world->program, n_frames, seed);
	/* room for the fresh stacks of one recording as well */
	tree_init(&world->tree, (uint32_t) all_nodes + wanted_nodes + 4 * MAX_DEPTH);
	world->stack_end = xrealloc(NULL, room * sizeof(uint32_t));
	world->n_stacks = 0;
	world->n_common = 0;

	rng_seed(&rng, seed, 3);
	while (world->tree.n_nodes - 1 < all_nodes)
	{
		uint32_t	depth = draw_stack(&world->program, &rng, frames);
		uint32_t	at = ROOT_NODE;

		if (++tries > UINT64_C(2000) * 1000000)
			fail("the call graph has too few distinct stacks; try more --frames");
		for (uint32_t i = 0; i < depth; i++)
			at = tree_child(&world->tree, at, frames[i]);
		if (world->tree.node[at].taken != 0)
			continue;
		/* callers with work of their own were caught in it now and then */
		for (uint32_t end = at; end != ROOT_NODE; end = world->tree.node[end].parent)
		{
			Node	   *node = &world->tree.node[end];

			if (end != at && (node->taken != 0 ||
							  !world->program.graph[node->frame].hot ||
							  !rng_chance(&rng, 40)))
				continue;
			if (world->n_stacks == room)
			{
				room *= 2;
				world->stack_end = xrealloc(world->stack_end, room * sizeof(uint32_t));
			}
			node->taken = 1;
			world->stack_end[world->n_stacks++] = end;
		}
		if (world->tree.n_nodes - 1 <= common_nodes)
			world->n_common = world->n_stacks;
	}

	world->stack_weight = xrealloc(NULL, world->n_stacks * sizeof(uint32_t));
	rng_seed(&rng, seed, 4);
	for (uint32_t i = 0; i < world->n_stacks; i++)
	{
		world->stack_weight[i] = draw_weight(&rng, i, world->n_common);
		world->tree.node[world->stack_end[i]].taken = 0;
	}
}

/* A count near "weight", with the spread of counting: variance about the mean. */
static uint32_t
draw_count(Rng *rng, uint32_t weight)
{
	uint32_t	root = square_root(weight);
	uint32_t	spread;
	uint32_t	shift;

	/* the sum of four uniform draws of width w has variance w^2 / 3 */
	spread = root * 7 / 4 + 1;
	shift = 0;
	for (int i = 0; i < 4; i++)
		shift += rng_below(rng, spread + 1);
	if (weight + shift <= 2 * spread + 1)
		return 1;
	return weight + shift - 2 * spread;
}

static void
profile_add(Profile *profile, World *world, Rng *rng, uint32_t epoch,
			uint32_t end, uint32_t weight)
{
	Tree	   *tree = &world->tree;
	Sample	   *sample;

	for (uint32_t at = end; at != ROOT_NODE && tree->node[at].epoch != epoch;
		 at = tree->node[at].parent)
	{
		tree->node[at].epoch = epoch;
		profile->n_nodes++;
	}
	if (profile->n_samples == profile->room)
	{
		profile->room = profile->room * 2 + 1024;
		profile->sample = xrealloc(profile->sample, profile->room * sizeof(Sample));
	}
	tree->node[end].taken = epoch;
	sample = &profile->sample[profile->n_samples++];
	sample->end = end;
	sample->depth = tree->node[end].depth;
	sample->value = draw_count(rng, weight);
}

/* How many nodes this stack would add. */
static uint32_t
new_nodes(const World *world, uint32_t epoch, uint32_t end)
{
	const Node *node = world->tree.node;
	uint32_t	count = 0;

	for (uint32_t at = end; at != ROOT_NODE && node[at].epoch != epoch;
		 at = node[at].parent)
		count++;
	return count;
}

/* qsort has no argument for the ranks. */
static const uint32_t *sort_ranks;

static int
compare_samples(const void *a, const void *b)
{
	const Sample *x = a;
	const Sample *y = b;
	uint32_t	depth = x->depth < y->depth ? x->depth : y->depth;

	for (uint32_t i = 0; i < depth; i++)
	{
		uint32_t	p = sort_ranks[x->first + i];
		uint32_t	q = sort_ranks[y->first + i];

		if (p != q)
			return p < q ? -1 : 1;
	}
	return x->depth < y->depth ? -1 : x->depth > y->depth;
}

static void
sort_profile(Profile *profile, const World *world)
{
	size_t		total = 0;

	for (uint32_t i = 0; i < profile->n_samples; i++)
		total += profile->sample[i].depth;
	if (total > UINT32_MAX)
		fail("profile too large to sort");
	if (total > profile->ranks_room)
	{
		profile->ranks_room = total;
		profile->ranks = xrealloc(profile->ranks, total * sizeof(uint32_t));
	}
	total = 0;
	for (uint32_t i = 0; i < profile->n_samples; i++)
	{
		Sample	   *sample = &profile->sample[i];
		uint32_t	at = sample->end;

		sample->first = (uint32_t) total;
		for (uint32_t d = sample->depth; d > 0; d--)
		{
			profile->ranks[total + d - 1] = world->program.rank[world->tree.node[at].frame];
			at = world->tree.node[at].parent;
		}
		total += sample->depth;
	}
	sort_ranks = profile->ranks;
	qsort(profile->sample, profile->n_samples, sizeof(Sample), compare_samples);
}

static void
shuffle_profile(Profile *profile, Rng *rng)
{
	for (uint32_t i = profile->n_samples; i > 1; i--)
	{
		uint32_t	j = rng_below(rng, i);
		Sample		other = profile->sample[j];

		profile->sample[j] = profile->sample[i - 1];
		profile->sample[i - 1] = other;
	}
}

/*
 * One recording, of exactly the wanted number of nodes: the last stack is cut
 * to fit.  The tree is left with the fresh nodes of this recording in it; the
 * caller takes them back after writing.
 */
static void
make_profile(Profile *profile, World *world, uint64_t seed, uint64_t profile_seed,
			 uint32_t epoch, bool sorted)
{
	Rng			rng;
	Rng			order_rng;
	Rng			fresh_rng;
	Tree	   *tree = &world->tree;
	uint32_t	wanted = world->wanted_nodes;
	uint32_t	before_fresh = wanted -
		(uint32_t) ((uint64_t) wanted * world->fresh_per_mille / 1000);
	uint32_t	n_pool = world->n_stacks - world->n_common;
	uint32_t   *pool = xrealloc(NULL, n_pool * sizeof(uint32_t));
	uint32_t	frames[MAX_DEPTH];
	uint64_t	tries = 0;

	/* mixed, so that neither seed is a shifted copy of the other */
	rng_seed(&rng, seed ^ (profile_seed * UINT64_C(0xA24BAED4963EE407)), 5);
	rng_seed(&fresh_rng, seed ^ (profile_seed * UINT64_C(0xA24BAED4963EE407)), 6);
	rng_seed(&order_rng, seed ^ (profile_seed * UINT64_C(0xA24BAED4963EE407)), 7);
	profile->n_samples = 0;
	profile->n_nodes = 0;

	for (uint32_t i = 0; i < world->n_common; i++)
		profile_add(profile, world, &rng, epoch, world->stack_end[i],
					world->stack_weight[i]);

	for (uint32_t i = 0; i < n_pool; i++)
		pool[i] = world->n_common + i;
	for (uint32_t i = 0; i < n_pool; i++)
	{
		uint32_t	j = i + rng_below(&rng, n_pool - i);
		uint32_t	stack = pool[j];

		pool[j] = pool[i];
		pool[i] = stack;
		if (profile->n_nodes + new_nodes(world, epoch, world->stack_end[stack]) > before_fresh)
			break;
		profile_add(profile, world, &rng, epoch, world->stack_end[stack],
					world->stack_weight[stack]);
	}
	free(pool);

	while (profile->n_nodes < wanted)
	{
		uint32_t	depth = draw_stack(&world->program, &fresh_rng, frames);
		uint32_t	at = ROOT_NODE;
		uint32_t	left = wanted - profile->n_nodes;

		if (++tries > UINT64_C(100) * 1000000)
			fail("the call graph has too few distinct stacks; try more --frames");
		for (uint32_t i = 0; i < depth && left > 0; i++)
		{
			at = tree_child(tree, at, frames[i]);
			if (tree->node[at].epoch != epoch)
				left--;
		}
		if (tree->node[at].taken == epoch)
			continue;			/* already in this recording */
		profile_add(profile, world, &fresh_rng, epoch, at, 1);
	}

	if (sorted)
		sort_profile(profile, world);
	else
		shuffle_profile(profile, &order_rng);
}

/* ----------------------------------------------------------------------
 * Output
 * ----------------------------------------------------------------------
 */
typedef struct
{
	unsigned char *data;
	size_t		len;
	size_t		room;
} Buffer;

static void
buffer_reserve(Buffer *buffer, size_t more)
{
	if (buffer->len + more > buffer->room)
	{
		buffer->room = (buffer->len + more) * 2;
		buffer->data = xrealloc(buffer->data, buffer->room);
	}
}

static void
buffer_add(Buffer *buffer, const void *data, size_t len)
{
	buffer_reserve(buffer, len);
	memcpy(buffer->data + buffer->len, data, len);
	buffer->len += len;
}

static void
buffer_add_char(Buffer *buffer, char c)
{
	buffer_add(buffer, &c, 1);
}

static void
buffer_add_number(Buffer *buffer, uint64_t number)
{
	char		text[24];
	int			len = snprintf(text, sizeof(text), "%" PRIu64, number);

	buffer_add(buffer, text, (size_t) len);
}

static void
buffer_write(Buffer *buffer, FILE *file)
{
	if (fwrite(buffer->data, 1, buffer->len, file) != buffer->len)
		fail("could not write: %s", strerror(errno));
	buffer->len = 0;
}

/* Frames of a sample, root first. */
static void
sample_frames(const World *world, const Sample *sample, uint32_t *frames)
{
	uint32_t	at = sample->end;

	for (uint32_t d = sample->depth; d > 0; d--)
	{
		frames[d - 1] = world->tree.node[at].frame;
		at = world->tree.node[at].parent;
	}
}

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

/*
 * Text formats.  Frame names hold no tab, backslash or line break (see
 * new_name), so the COPY formats need no escapes inside a stack.
 */
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

/* ---- profile.proto: field numbers as in the published schema ---- */

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

static void
write_pprof(const Profile *profile, const World *world, Buffer *buffer)
{
	static const char *const fixed[] = {"", "samples", "count", "cpu", "nanoseconds"};
	uint32_t	n_fixed = LENGTH(fixed);
	uint32_t   *id = xrealloc(NULL, world->program.n_frames * sizeof(uint32_t));
	uint32_t   *used = xrealloc(NULL, world->program.n_frames * sizeof(uint32_t));
	uint32_t	n_used = 0;
	Buffer		inner = {0};
	Buffer		outer = {0};

	memset(id, 0, world->program.n_frames * sizeof(uint32_t));

	/* sample_type = 1: samples/count */
	add_int_field(&inner, 1, 1);
	add_int_field(&inner, 2, 2);
	add_bytes_field(buffer, 1, inner.data, inner.len);

	/* sample = 2: location ids leaf first, then the value */
	for (uint32_t i = 0; i < profile->n_samples; i++)
	{
		uint32_t	frames[MAX_DEPTH];
		const Sample *sample = &profile->sample[i];

		sample_frames(world, sample, frames);
		inner.len = outer.len = 0;
		for (uint32_t d = 0; d < sample->depth; d++)
		{
			if (id[frames[d]] == 0)
			{
				used[n_used++] = frames[d];
				id[frames[d]] = n_used;
			}
		}
		for (uint32_t d = sample->depth; d > 0; d--)
			add_varint(&inner, id[frames[d - 1]]);
		add_bytes_field(&outer, 1, inner.data, inner.len);
		inner.len = 0;
		add_varint(&inner, sample->value);
		add_bytes_field(&outer, 2, inner.data, inner.len);
		add_bytes_field(buffer, 2, outer.data, outer.len);
	}

	/* location = 4: one line each, no mapping and no address */
	for (uint32_t i = 0; i < n_used; i++)
	{
		inner.len = outer.len = 0;
		add_int_field(&inner, 1, i + 1);
		add_int_field(&outer, 1, i + 1);
		add_bytes_field(&outer, 4, inner.data, inner.len);
		add_bytes_field(buffer, 4, outer.data, outer.len);
	}

	/* function = 5: id and name */
	for (uint32_t i = 0; i < n_used; i++)
	{
		inner.len = 0;
		add_int_field(&inner, 1, i + 1);
		add_int_field(&inner, 2, n_fixed + i);
		add_bytes_field(buffer, 5, inner.data, inner.len);
	}

	/* string_table = 6 */
	for (uint32_t i = 0; i < n_fixed; i++)
		add_bytes_field(buffer, 6, fixed[i], strlen(fixed[i]));
	for (uint32_t i = 0; i < n_used; i++)
		add_bytes_field(buffer, 6, world->program.name[used[i]],
						world->program.name_len[used[i]]);

	/* period_type = 11: cpu/nanoseconds, period = 12: 100 Hz */
	inner.len = 0;
	add_int_field(&inner, 1, 3);
	add_int_field(&inner, 2, 4);
	add_bytes_field(buffer, 11, inner.data, inner.len);
	add_int_field(buffer, 12, 10000000);

	free(inner.data);
	free(outer.data);
	free(id);
	free(used);
}

static void
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

static const char usage[] =
"usage: generate [--nodes N] [--seed S] [--profile-seed P] [--profiles K]\n"
"                [--order sorted|shuffled] [--format folded|pprof|rows|copy]\n"
"                [--frames F] [--fresh PER_MILLE] [--facts] [--output FILE]\n"
"\n"
"  --nodes N          distinct tree nodes, 1000 .. 1000000 (60000)\n"
"  --seed S           the program (1)\n"
"  --profile-seed P   the recording of it (1)\n"
"  --profiles K       write the K recordings P, P+1, ... (1; not for pprof)\n"
"  --order O          canonical order, or random (sorted)\n"
"  --format F         folded text, uncompressed pprof, or text for COPY: rows is\n"
"                     (profile, stack, value), copy is (profile, folded text)\n"
"  --frames F         size of the call graph (10000)\n"
"  --fresh PER_MILLE  nodes seen in this recording only (10)\n"
"  --facts            print what was made to stderr\n";

static uint64_t
parse_number(const char *option, const char *text, uint64_t least, uint64_t most)
{
	char	   *end;
	uint64_t	value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || text[0] == '-' ||
		value < least || value > most)
		fail("%s takes a number from %" PRIu64 " to %" PRIu64, option, least, most);
	return value;
}

int
main(int argc, char **argv)
{
	World		world = {0};
	Profile		profile = {0};
	Buffer		buffer = {0};
	uint64_t	nodes = 60000;
	uint64_t	seed = 1;
	uint64_t	profile_seed = 1;
	uint64_t	n_profiles = 1;
	uint64_t	n_frames = 10000;
	uint64_t	fresh = DEFAULT_FRESH_PER_MILLE;
	bool		sorted = true;
	bool		facts = false;
	Format		format = FORMAT_FOLDED;
	FILE	   *output = stdout;
	uint32_t	n_shared_nodes;

	for (int i = 1; i < argc; i++)
	{
		const char *option = argv[i];
		const char *value;

		if (strcmp(option, "--facts") == 0)
		{
			facts = true;
			continue;
		}
		if (strcmp(option, "--help") == 0)
		{
			fputs(usage, stdout);
			return 0;
		}
		if (i + 1 == argc)
			fail("unknown option, or option without value: %s (see --help)", option);
		value = argv[++i];
		if (strcmp(option, "--nodes") == 0)
			nodes = parse_number(option, value, 1000, 1000000);
		else if (strcmp(option, "--seed") == 0)
			seed = parse_number(option, value, 0, UINT64_MAX);
		else if (strcmp(option, "--profile-seed") == 0)
			profile_seed = parse_number(option, value, 0, UINT64_MAX);
		else if (strcmp(option, "--profiles") == 0)
			n_profiles = parse_number(option, value, 1, 1000000);
		else if (strcmp(option, "--frames") == 0)
			n_frames = parse_number(option, value, 500, 20000);
		else if (strcmp(option, "--fresh") == 0)
			fresh = parse_number(option, value, 0, 200);
		else if (strcmp(option, "--order") == 0 && strcmp(value, "sorted") == 0)
			sorted = true;
		else if (strcmp(option, "--order") == 0 && strcmp(value, "shuffled") == 0)
			sorted = false;
		else if (strcmp(option, "--format") == 0 && strcmp(value, "folded") == 0)
			format = FORMAT_FOLDED;
		else if (strcmp(option, "--format") == 0 && strcmp(value, "pprof") == 0)
			format = FORMAT_PPROF;
		else if (strcmp(option, "--format") == 0 && strcmp(value, "rows") == 0)
			format = FORMAT_ROWS;
		else if (strcmp(option, "--format") == 0 && strcmp(value, "copy") == 0)
			format = FORMAT_COPY;
		else if (strcmp(option, "--output") == 0)
		{
			output = fopen(value, "wb");
			if (output == NULL)
				fail("could not open \"%s\": %s", value, strerror(errno));
		}
		else
			fail("unknown option or value: %s %s (see --help)", option, value);
	}
	if (n_profiles > 1 && format == FORMAT_PPROF)
		fail("one pprof file holds one profile");

	make_world(&world, (uint32_t) nodes, (uint32_t) n_frames, (uint32_t) fresh, seed);
	n_shared_nodes = world.tree.n_nodes;
	for (uint64_t k = 0; k < n_profiles; k++)
	{
		make_profile(&profile, &world, seed, profile_seed + k, (uint32_t) k + 1, sorted);
		if (facts)
			print_facts(&profile, &world, profile_seed + k);
		if (format == FORMAT_PPROF)
			write_pprof(&profile, &world, &buffer);
		else
			write_text(&profile, &world, format, profile_seed + k, &buffer);
		buffer_write(&buffer, output);
		tree_truncate(&world.tree, n_shared_nodes);
	}
	if (fclose(output) != 0)
		fail("could not write: %s", strerror(errno));
	return 0;
}
