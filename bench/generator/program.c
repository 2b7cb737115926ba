/*
 * program.c
 *		The call graph (see program.h).
 */
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "program.h"

#define MAX_FRAME_NAME	120
#define MIN_FRAME_NAME	20
#define N_ROOTS			6

/* --- names, all of them different --- */

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

/* Where a name is in the table of those so far, or the free slot where it belongs. */
static uint32_t
find_slot(const Program *program, const uint32_t *seen, uint32_t slots, const char *name)
{
	uint32_t	slot = hash_text(name) & (slots - 1);

	while (seen[slot] != UINT32_MAX && strcmp(program->name[seen[slot]], name) != 0)
		slot = (slot + 1) & (slots - 1);
	return slot;
}

static void
draw_names(Program *program, uint64_t seed)
{
	FgRandom	rng;
	Naming		naming = {.package_left = 0};
	uint32_t	slots = 16;
	uint32_t   *seen;

	while (slots < 4 * program->n_frames)
		slots *= 2;
	seen = xrealloc(NULL, slots * sizeof(*seen));
	memset(seen, 0xff, slots * sizeof(*seen));
	rng_seed(&rng, seed, 1);
	for (uint32_t i = 0; i < program->n_frames;)
	{
		Name		name;
		uint32_t	slot;

		new_name(&naming, &rng, &name);
		if (name.len < MIN_FRAME_NAME || name.len > MAX_FRAME_NAME)
			continue;
		slot = find_slot(program, seen, slots, name.data);
		if (seen[slot] != UINT32_MAX)
			continue;			/* two frames of a program differ */
		seen[slot] = i;
		program->name[i] = xrealloc(NULL, name.len + 1);
		memcpy(program->name[i], name.data, name.len + 1);
		program->name_len[i++] = (uint32_t) name.len;
	}
	free(seen);
}

static void
rank_names(Program *program)
{
	uint32_t	n = program->n_frames;
	uint32_t   *order = xrealloc(NULL, n * sizeof(*order));

	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	sort_names = program->name;
	qsort(order, n, sizeof(*order), compare_names);
	for (uint32_t i = 0; i < n; i++)
		program->rank[order[i]] = i;
	free(order);
}

/* --- calls --- */

static uint32_t
draw_n_callees(FgRandom *rng)
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
static uint32_t
draw_target(const Program *program, FgRandom *rng, uint32_t frame)
{
	uint32_t	n = program->n_frames;
	uint32_t	library = n - n / 6;
	uint32_t	reach = n / 40 + 2;
	uint32_t	kind = rng_below(rng, 1000);
	bool		calls_others = program->graph[frame].n_callees > 0;
	uint32_t	target;

	if (kind < 60 && calls_others && frame >= N_ROOTS)
		target = frame;			/* direct recursion */
	else if (kind < 200 && calls_others && frame >= N_ROOTS + 40)
		target = frame - 1 - rng_below(rng, 40);	/* mutual recursion */
	else if (kind < 260)
		target = library + rng_skewed(rng, n - library, 4);
	else
		target = frame + 1 + rng_skewed(rng, reach, 3);
	return target < n ? target : library + (target - n) % (n - library);
}

static void
draw_callees(Program *program, FgRandom *rng, uint32_t frame, uint32_t wanted)
{
	Callees    *out = &program->graph[frame];
	uint32_t	sum = 0;

	for (uint32_t tries = 0; out->n_callees < wanted && tries < 100; tries++)
	{
		uint32_t	target = draw_target(program, rng, frame);
		uint32_t	k = out->n_callees;
		bool		known = false;

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

static void
make_graph(Program *program, uint64_t seed)
{
	FgRandom	rng;
	uint32_t	n = program->n_frames;
	uint32_t	library = n - n / 6;

	rng_seed(&rng, seed, 2);
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	wanted = draw_n_callees(&rng);

		if (i < N_ROOTS)
			wanted = 6 + rng_below(&rng, 8);
		if (i >= library && rng_chance(&rng, 20))
			wanted = 0;
		program->graph[i].n_callees = 0;
		program->graph[i].hot = rng_chance(&rng, i >= library ? 240 : 120);
		draw_callees(program, &rng, i, wanted);
	}
}

void
make_program(Program *program, uint32_t n_frames, uint64_t seed)
{
	program->n_frames = n_frames;
	program->name = xrealloc(NULL, n_frames * sizeof(*program->name));
	program->name_len = xrealloc(NULL, n_frames * sizeof(*program->name_len));
	program->rank = xrealloc(NULL, n_frames * sizeof(*program->rank));
	program->graph = xrealloc(NULL, n_frames * sizeof(*program->graph));
	draw_names(program, seed);
	rank_names(program);
	make_graph(program, seed);
}

/* --- stacks --- */

static uint32_t
draw_callee(const Callees *out, FgRandom *rng)
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
draw_depth(FgRandom *rng)
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

uint32_t
draw_stack(const Program *program, FgRandom *rng, uint32_t *frames)
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
