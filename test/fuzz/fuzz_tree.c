/*
 * fuzz_tree.c
 *	  Two profiles made of the input's bytes, and what is computed of trees and of
 *	  functions: recursion, potentials, calls, lines, threads, tasks, partial stacks,
 *	  contexts, outlines.
 *
 * Properties: every resulting profile is canonical; where all values are whole, the
 * parts add up to the whole, two ways to the same number agree, and what is linear
 * is linear.
 */
#include "support.h"

#include "core/cct/baseline.h"
#include "core/cct/calls.h"
#include "core/cct/hot.h"
#include "core/cct/lines.h"
#include "core/cct/metrics.h"
#include "core/cct/outline.h"
#include "core/cct/partial.h"
#include "core/cct/potential.h"
#include "core/cct/recursion.h"
#include "core/cct/subsuming.h"
#include "core/cct/tasks.h"
#include "core/profile/algebra.h"
#include "core/profile/builder.h"
#include "core/profile/transform.h"

#include <math.h>

#define FRAMES 16

/* With and without lines, which leave the same names. */
static const char *const frame_names[FRAMES] = {
	"a", "b", "c", "d", "m", "m:1", "m:2", "m:10", "n (x:3)", "n (x)", "a:1:2", "b:99999999999",
	":7", "\xC3\xA9:5", "main", "f:8)"
};

static const double odd_values[16] = {
	0.1, 0.2, -0.3, 0.25, 1e300, -1e300, 1.5e308, -1.5e308,
	5e-324, -5e-324, 1e-300, 0x1p53, -0x1p53, 1e15, 123456.789, -0.001
};

typedef struct Pair
{
	FgContext  *ctx;
	FgTree		a;
	FgTree		b;
	bool		whole;			/* all values small whole numbers */
	bool		positive;
	uint8_t		number[8];		/* parameters */
} Pair;

/* --- input ----------------------------------------------------------------------- */

static double
take_value(FuzzInput *input, Pair *p)
{
	uint8_t		byte = fuzz_byte(input);

	if (byte < 0xC0)
		return byte + 1.0;
	p->positive = false;
	if (byte < 0xF0)
		return (double) byte - 0xD8;
	p->whole = false;
	return odd_values[byte & 15];
}

/*
 * A stack: how many frames of the one before are kept, the new ones up to a byte
 * with the high bit, then the value.
 */
static bool
take_tree(FuzzInput *input, Pair *p, FgTree *tree)
{
	FgContext  *ctx = p->ctx;
	FgBuilder  *builder = fg_builder_create(ctx);
	uint8_t		frames[128];
	uint32_t	depth = 0;
	uint8_t		stacks = fuzz_byte(input);
	bool		ok = builder != NULL;

	for (uint8_t s = 0; ok && s < stacks && input->next < input->end; s++)
	{
		char		path[128 * 16];
		size_t		length = 0;
		uint8_t		keep = fuzz_byte(input);
		uint8_t		byte = keep & 0x80;

		keep &= 0x7F;
		depth = keep < depth ? keep : depth;
		while (depth < 128 && input->next < input->end && byte < 0x80)
			frames[depth++] = byte = fuzz_byte(input);
		for (uint32_t d = 0; d < depth; d++)
		{
			const char *name = frame_names[frames[d] % FRAMES];

			memcpy(path + length, name, strlen(name));
			length += strlen(name);
			path[length++] = '\0';
		}
		length -= depth > 0;
		if (!fg_builder_add(builder, path, length, '\0', false, take_value(input, p)))
			REQUIRE(ctx->error.code == FG_ERROR_RANGE || ctx->error.code == FG_ERROR_MEMORY);
	}
	ok = ok && fg_builder_finish(builder, tree);
	if (builder != NULL)
		fg_builder_free(builder);
	return ok;
}

/* Whole values have no reason to fail. */
static bool
done(const Pair *p, bool ok)
{
	FgErrorCode code = p->ctx->error.code;

	REQUIRE(ok || code == FG_ERROR_MEMORY || (code == FG_ERROR_RANGE && !p->whole));
	return ok;
}

static bool
accepted(const Pair *p, bool ok, const FgTree *tree)
{
	if (!done(p, ok))
	{
		REQUIRE(tree->key == NULL && tree->self == NULL && tree->frames.offset == NULL);
		return false;
	}
	REQUIRE(fg_tree_check(p->ctx, tree));
	return true;
}

static uint32_t
frame_number(const FgTree *tree, uint32_t frame)
{
	uint32_t	n = 0;

	while (fg_frames_find(&tree->frames, frame_names[n], strlen(frame_names[n])) != frame)
		n++;
	return n;
}

static uint32_t
tree_frame(const FgTree *tree, uint32_t number)
{
	return fg_frames_find(&tree->frames, frame_names[number], strlen(frame_names[number]));
}

static double
sum_of(const FgTree *tree)
{
	double		sum = 0;

	for (uint32_t i = 0; i <= tree->nnodes; i++)
		sum += tree->self[i];
	return sum;
}

/* --- nodes ------------------------------------------------------------------------ */

static void
require_recursion(const Pair *p)
{
	const FgTree *tree = &p->a;
	size_t		room = (size_t) tree->nnodes + 1;
	uint32_t   *nearest = malloc(room * sizeof(uint32_t));
	uint32_t   *parents = malloc(room * sizeof(uint32_t));
	uint64_t	count;
	uint64_t	again;
	uint64_t	found = 0;

	REQUIRE(fg_tree_parents(p->ctx, tree, parents));
	REQUIRE(fg_recursion_edges(p->ctx, tree, nearest, &count));
	REQUIRE(fg_recursion_edges(p->ctx, tree, NULL, &again) && again == count);
	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		uint32_t	above = parents[i];

		REQUIRE(above < i && fg_key_depth(tree->key[above]) + 1 == fg_key_depth(tree->key[i]));
		while (above != 0 && fg_key_frame(tree->key[above]) != fg_key_frame(tree->key[i]))
			above = parents[above];
		REQUIRE(nearest[i] == above);
		found += above != 0;
	}
	REQUIRE(found == count);
	free(nearest);
	free(parents);
}

static void
require_potential(const Pair *p)
{
	const FgTree *tree = &p->a;
	size_t		room = (size_t) tree->nnodes + 1;
	uint32_t	degree = p->number[0] == 255 ? UINT32_MAX : p->number[0];
	double	   *potential = malloc(room * sizeof(double));
	double	   *correction = malloc(room * sizeof(double));
	double		by_frame[FRAMES] = {0};
	double		expected[FRAMES];
	double		naive[FRAMES];

	if (done(p, fg_node_potential(p->ctx, tree, degree, potential, correction)) && p->whole)
	{
		REQUIRE(potential[0] == 0 && correction[0] == 0);
		for (uint32_t i = 1; i <= tree->nnodes; i++)
			by_frame[fg_key_frame(tree->key[i])] += potential[i] - correction[i];
		REQUIRE(fg_subtree_potential(p->ctx, tree, degree, expected, naive));
		for (uint32_t f = 0; f < tree->frames.count; f++)
			REQUIRE(by_frame[f] == expected[f]);
	}
	free(potential);
	free(correction);
}

static void
require_hot(const Pair *p)
{
	uint8_t    *hot = malloc((size_t) p->a.nnodes + 1);
	double		total = sum_of(&p->a);
	double		phi = p->number[1] / 128.0;

	if (done(p, fg_hot_contexts(p->ctx, &p->a, phi, hot)))
	{
		for (uint32_t i = 0; p->whole && i <= p->a.nnodes; i++)
			REQUIRE(hot[i] == (p->a.self[i] != 0 && p->a.self[i] > phi * total));
	}
	free(hot);
}

static void
require_outline(const Pair *p)
{
	const FgTree *tree = &p->a;
	uint32_t	max_depth = p->number[2] < 128 ? p->number[2] : UINT32_MAX;
	uint64_t	nodes = 0;
	FgOutlineRow *rows;
	uint32_t	count;

	if (!done(p, fg_outline(p->ctx, tree, p->number[1] / 200.0, max_depth, &rows, &count)))
		return;
	for (uint32_t i = 0; i < count; i++)
	{
		bool		empty_stack = rows[i].node == 0 && rows[i].hidden == 0;

		REQUIRE(!empty_stack || (i == 0 && tree->self[0] != 0));
		REQUIRE(rows[i].depth >= 1 && (rows[i].depth <= max_depth || empty_stack));
		REQUIRE(rows[i].node <= tree->nnodes && (rows[i].hidden == 0 || rows[i].node == 0));
		REQUIRE(rows[i].node == 0 || rows[i].self == tree->self[rows[i].node]);
		nodes += rows[i].hidden > 0 ? rows[i].hidden : rows[i].node > 0;
	}
	/* none is shown twice, or shown and hidden */
	REQUIRE(nodes <= tree->nnodes);
	fg_release(p->ctx, rows);
}

/* --- functions ---------------------------------------------------------------------- */

static void
require_order(const FgTally *tally)
{
	for (uint32_t i = 1; i < tally->pairs.count; i++)
	{
		uint32_t	before = tally->order[i - 1];
		uint32_t	here = tally->order[i];
		FgNumberPair x = tally->pairs.pairs[before];
		FgNumberPair y = tally->pairs.pairs[here];

		REQUIRE(tally->value[before] > tally->value[here] ||
				(tally->value[before] == tally->value[here] &&
				 (x.a < y.a || (x.a == y.a && x.b < y.b))));
	}
}

static void
require_calls(const Pair *p, const FgFrameMetrics *metrics)
{
	const FgTree *tree = &p->a;
	double		sum = 0;
	double		total;
	FgTally		tally;

	for (uint32_t f = 0; f < tree->frames.count; f++)
	{
		uint32_t	first = 0;

		if (!done(p, fg_calls(p->ctx, tree, FG_CALLS_TO, f, &tally, &total)))
			continue;
		require_order(&tally);
		for (uint32_t i = 0; i < tally.pairs.count; i++)
			first += tally.pairs.pairs[i].a == FG_NONE;
		REQUIRE(tally.pairs.count - first == metrics[f].callers);
		REQUIRE(!p->whole || total == metrics[f].total);
		fg_tally_free(&tally);
		if (!done(p, fg_calls(p->ctx, tree, FG_CALLS_FROM, f, &tally, &total)))
			continue;
		REQUIRE(tally.pairs.count == metrics[f].callees);
		for (uint32_t i = 0; p->positive && i < tally.pairs.count; i++)
			REQUIRE(tally.value[i] <= metrics[f].total);
		fg_tally_free(&tally);
	}
	if (!done(p, fg_calls(p->ctx, tree, FG_CALLS_ALL, 0, &tally, NULL)))
		return;
	require_order(&tally);
	for (uint32_t i = 0; i < tally.pairs.count; i++)
		sum += tally.pairs.pairs[i].a == FG_NONE ? tally.value[i] : 0;
	REQUIRE(!p->whole || sum == sum_of(tree) - tree->self[0]);
	fg_tally_free(&tally);
}

static void
require_threads(const Pair *p, const FgFrameMetrics *metrics)
{
	const FgTree *tree = &p->a;
	uint8_t    *starts = calloc((size_t) tree->nnodes + 1, 1);
	double		total[FRAMES];
	uint32_t	threads[FRAMES] = {0};
	FgTally		tally;

	if (done(p, fg_threads(p->ctx, tree, NULL, &tally, total)))
	{
		require_order(&tally);
		for (uint32_t i = 0; i < tally.pairs.count; i++)
			threads[tally.pairs.pairs[i].b]++;
		for (uint32_t f = 0; f < tree->frames.count; f++)
			REQUIRE(threads[f] == metrics[f].threads);
		fg_tally_free(&tally);
	}
	/* no thread at all */
	if (done(p, fg_threads(p->ctx, tree, starts, &tally, total)))
	{
		for (uint32_t f = 0; p->whole && f < tree->frames.count; f++)
			REQUIRE(total[f] == metrics[f].total);
		fg_tally_free(&tally);
	}
	for (uint32_t i = 0; i <= tree->nnodes; i++)
		starts[i] = (i * 2654435761u >> 24) < p->number[3];
	if (done(p, fg_threads(p->ctx, tree, starts, &tally, total)))
	{
		require_order(&tally);
		for (uint32_t f = 0; p->positive && p->whole && f < tree->frames.count; f++)
			REQUIRE(total[f] <= metrics[f].total);
		fg_tally_free(&tally);
	}
	free(starts);
}

/* Metrics are linear, and equal to those of other functions. */
static void
require_metrics(const Pair *p)
{
	FgFrameMetrics a[FRAMES];
	FgFrameMetrics b[FRAMES];
	FgFrameMetrics both[FRAMES];
	double		total[FRAMES];
	FgTree		sum;

	if (!done(p, fg_frame_metrics(p->ctx, &p->a, a)) ||
		!done(p, fg_frame_metrics(p->ctx, &p->b, b)))
		return;
	require_calls(p, a);
	require_threads(p, a);
	if (p->whole && fg_frame_total_values(p->ctx, &p->a, total))
	{
		for (uint32_t f = 0; f < p->a.frames.count; f++)
			REQUIRE(total[f] == a[f].total && a[f].recursion_free <= a[f].nodes);
	}
	if (!p->whole || !accepted(p, fg_combine(p->ctx, &p->a, 1, &p->b, 1, &sum), &sum))
		return;
	REQUIRE(fg_frame_metrics(p->ctx, &sum, both));
	for (uint32_t n = 0; n < FRAMES; n++)
	{
		uint32_t	f = tree_frame(&p->a, n);
		uint32_t	g = tree_frame(&p->b, n);
		uint32_t	h = tree_frame(&sum, n);

		REQUIRE((f != FG_NONE ? a[f].total : 0) + (g != FG_NONE ? b[g].total : 0) ==
				(h != FG_NONE ? both[h].total : 0));
		REQUIRE((f != FG_NONE ? a[f].self : 0) + (g != FG_NONE ? b[g].self : 0) ==
				(h != FG_NONE ? both[h].self : 0));
	}
	fg_tree_free(p->ctx, &sum);
}

/* A function's call sites, and the profile with all lines taken off. */
static void
require_lines(const Pair *p)
{
	const FgTree *tree = &p->a;
	const char *bytes[FRAMES];
	size_t		length[FRAMES];
	double		total[FRAMES];
	FgLineNames names;
	FgCallSites sites;
	FgTree		renamed;

	if (!done(p, fg_line_names(p->ctx, &tree->frames, &names)))
		return;
	for (uint32_t f = 0; f < tree->frames.count; f++)
	{
		REQUIRE(names.name[f] < names.names.count);
		REQUIRE(names.line[f] == fg_frame_line(fg_frame_bytes(&tree->frames, f),
											   fg_frame_length(&tree->frames, f)));
		bytes[f] = fg_frame_bytes(&names.names, names.name[f]);
		length[f] = fg_frame_length(&names.names, names.name[f]);
	}
	if (done(p, fg_rename_frames(p->ctx, tree, bytes, length, &renamed)))
	{
		REQUIRE(fg_tree_check(p->ctx, &renamed));
		if (!done(p, fg_frame_total_values(p->ctx, &renamed, total)))
			REQUIRE(!p->whole);
		for (uint32_t n = 0; n < names.names.count; n++)
		{
			const char *name = fg_frame_bytes(&names.names, n);
			uint32_t	size = fg_frame_length(&names.names, n);
			uint32_t	f = fg_frames_find(&renamed.frames, name, size);

			if (!done(p, fg_call_sites(p->ctx, tree, &names, name, size, &sites)))
				continue;
			require_order(&sites.tally);
			REQUIRE(!p->whole || sites.total == (f != FG_NONE ? total[f] : 0));
			fg_call_sites_free(p->ctx, &sites);
		}
		fg_tree_free(p->ctx, &renamed);
	}
	fg_line_names_free(p->ctx, &names);
}

static void
require_subsuming(const Pair *p)
{
	const FgTree *tree = &p->a;
	FgSubsuming methods[FRAMES];
	double		unclaimed;
	double		sum = 0;

	if (!done(p, fg_subsuming(p->ctx, tree, p->number[4] % 16, p->number[5] % 16, methods,
							  &unclaimed)))
		return;
	for (uint32_t f = 0; f < tree->frames.count; f++)
	{
		REQUIRE(methods[f].height < tree->nnodes && methods[f].distance > 0);
		REQUIRE(methods[f].subsuming == (methods[f].height > p->number[4] % 16u &&
										 methods[f].distance > p->number[5] % 16u));
		REQUIRE(methods[f].subsuming || methods[f].cost == 0);
		sum += methods[f].cost;
	}
	REQUIRE(!p->whole || sum + unclaimed == sum_of(tree));
}

/* --- tasks and partial stacks ---------------------------------------------------------- */

/* Which frames carry the task; a bit for each. */
static bool
carries(uint32_t number, uint16_t carriers)
{
	return (carriers >> number & 1) != 0;
}

static bool
task_view(const Pair *p, const FgTree *tree, uint16_t carriers, FgTree *view)
{
	uint8_t		flags[FRAMES];

	for (uint32_t f = 0; f < tree->frames.count; f++)
		flags[f] = carries(frame_number(tree, f), carriers);
	return accepted(p, fg_task_view(p->ctx, tree, flags, view), view);
}

/* The roots of two tasks, and their subtrees by way of the view. */
static void
require_roots(const Pair *p, const uint16_t carriers[2])
{
	const FgTree *tree = &p->a;
	uint32_t	first[FRAMES + 1] = {0};
	uint32_t	task[2 * FRAMES];
	FgFrameTasks tasks = {2, first, task};
	FgTaskRoots roots;
	FgSubtrees	subtrees;
	FgTree		sum;
	FgTree		view;

	for (uint32_t f = 0; f < tree->frames.count; f++)
	{
		first[f + 1] = first[f];
		for (uint32_t t = 0; t < 2; t++)
		{
			if (carries(frame_number(tree, f), carriers[t]))
				task[first[f + 1]++] = t;
		}
	}
	if (!done(p, fg_task_roots(p->ctx, tree, &tasks, &roots)))
		return;
	if (!done(p, fg_subtrees_begin(p->ctx, tree, &subtrees)))
	{
		fg_task_roots_free(p->ctx, &roots);
		return;
	}
	for (uint32_t t = 0; t < 2; t++)
	{
		bool		known = accepted(p, fg_subtrees_sum(&subtrees, roots.node + roots.first[t],
														roots.first[t + 1] - roots.first[t], &sum),
									 &sum);

		REQUIRE(roots.first[t] <= roots.first[t + 1]);
		if (known && task_view(p, tree, carriers[t], &view))
		{
			REQUIRE(fuzz_same_tree(&sum, &view));
			fg_tree_free(p->ctx, &view);
		}
		if (known)
			fg_tree_free(p->ctx, &sum);
	}
	fg_subtrees_end(&subtrees);
	fg_task_roots_free(p->ctx, &roots);
}

static void
require_tasks(const Pair *p)
{
	uint16_t	carriers[2] = {
		(uint16_t) (p->number[6] | p->number[7] << 8), (uint16_t) (p->number[7] | p->number[5] << 8)
	};
	FgTree		both;
	FgTree		a;
	FgTree		b;
	FgTree		sum;
	FgTree		view;

	require_roots(p, carriers);
	if (!p->whole || !task_view(p, &p->a, carriers[0], &a))
		return;
	REQUIRE(task_view(p, &p->b, carriers[0], &b));
	REQUIRE(fg_combine(p->ctx, &a, 1, &b, 1, &sum));
	REQUIRE(fg_combine(p->ctx, &p->a, 1, &p->b, 1, &both));
	REQUIRE(task_view(p, &both, carriers[0], &view));
	REQUIRE(fuzz_same_tree(&view, &sum));
	fg_tree_free(p->ctx, &a);
	fg_tree_free(p->ctx, &b);
	fg_tree_free(p->ctx, &sum);
	fg_tree_free(p->ctx, &both);
	fg_tree_free(p->ctx, &view);
}

/* What found no place finds none in the result, either. */
static void
require_settled(const Pair *p, const FgPartialResult *result, uint32_t threshold)
{
	FgTree		pending;
	FgPartialResult again;

	REQUIRE(fg_combine(p->ctx, &result->ambiguous, 1, &result->unmatched, 1, &pending));
	REQUIRE(fg_merge_partial(p->ctx, &result->merged, &pending, threshold, &again));
	REQUIRE(again.rounds == 0);
	REQUIRE(fuzz_same_tree(&again.merged, &result->merged));
	REQUIRE(fuzz_same_tree(&again.ambiguous, &result->ambiguous));
	REQUIRE(fuzz_same_tree(&again.unmatched, &result->unmatched));
	fg_tree_free(p->ctx, &pending);
	fg_tree_free(p->ctx, &again.merged);
	fg_tree_free(p->ctx, &again.ambiguous);
	fg_tree_free(p->ctx, &again.unmatched);
}

static void
require_merge(const Pair *p, const FgTree *tree, const FgTree *partial)
{
	uint32_t	threshold = p->number[3] % 8;
	FgPartialResult result;
	FgTree		rest;

	if (!done(p, fg_merge_partial(p->ctx, tree, partial, threshold, &result)))
	{
		REQUIRE(result.merged.key == NULL && result.ambiguous.key == NULL &&
				result.unmatched.key == NULL);
		return;
	}
	REQUIRE(fg_tree_check(p->ctx, &result.merged));
	REQUIRE(fg_tree_check(p->ctx, &result.ambiguous));
	REQUIRE(fg_tree_check(p->ctx, &result.unmatched));
	REQUIRE(!p->whole || sum_of(&result.merged) + sum_of(&result.ambiguous) +
			sum_of(&result.unmatched) == sum_of(tree) + sum_of(partial));
	REQUIRE(result.rounds <= partial->nnodes);
	/* the rest is a part of the partial stacks as they were */
	if (accepted(p, fg_restrict(p->ctx, partial, &result.unmatched, &rest), &rest))
	{
		REQUIRE(fuzz_same_tree(&rest, &result.unmatched));
		fg_tree_free(p->ctx, &rest);
	}
	if (accepted(p, fg_restrict(p->ctx, partial, &result.ambiguous, &rest), &rest))
	{
		REQUIRE(fuzz_same_tree(&rest, &result.ambiguous));
		fg_tree_free(p->ctx, &rest);
	}
	/* a node whose value cancels is gone from the result, but was a candidate */
	if (p->whole && p->positive)
		require_settled(p, &result, threshold);
	fg_tree_free(p->ctx, &result.merged);
	fg_tree_free(p->ctx, &result.ambiguous);
	fg_tree_free(p->ctx, &result.unmatched);
}

static void
require_arrow(double baseline, double current)
{
	FgArrow		arrow = fg_arrow(baseline, current);

	REQUIRE(arrow.angle >= -90 && arrow.angle <= 90);
	REQUIRE(abs(arrow.shown) <= fabs(arrow.angle) && arrow.shown * arrow.angle >= 0);
	REQUIRE(arrow.red >= 0 && arrow.green >= 0 && arrow.blue >= 0);
	REQUIRE(arrow.red + arrow.green + arrow.blue == 255);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FuzzInput	input = {data, data + size};
	FgContext	ctx = fuzz_context();
	Pair		p = {.ctx = &ctx, .whole = true, .positive = true};

	for (size_t i = 0; i < sizeof(p.number); i++)
		p.number[i] = fuzz_byte(&input);
	ctx.seed = p.number[0];
	if (take_tree(&input, &p, &p.a) && take_tree(&input, &p, &p.b))
	{
		REQUIRE(fg_tree_check(&ctx, &p.a) && fg_tree_check(&ctx, &p.b));
		require_recursion(&p);
		require_potential(&p);
		require_hot(&p);
		require_outline(&p);
		require_metrics(&p);
		require_lines(&p);
		require_subsuming(&p);
		require_tasks(&p);
		require_merge(&p, &p.a, &p.b);
		require_merge(&p, &p.b, &p.a);
		require_arrow(p.a.self[0] / 100, p.b.self[0] / 100);
		require_arrow(p.number[0] / 255.0, p.number[1] / 255.0);
	}
	fg_tree_free(&ctx, &p.a);
	fg_tree_free(&ctx, &p.b);
	fuzz_finish();
	return 0;
}
