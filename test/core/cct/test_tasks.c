/*
 * test_tasks.c
 *	  Tasks: each stack cut at its first frame that carries one, roots by a search
 *	  through all ancestors, sums of subtrees stack by stack.
 */
#include "naive.h"

#include "core/cct/tasks.h"

#include <math.h>

/* One sum of subtrees alone. */
static bool
sum_subtrees(FgContext *ctx, const FgTree *tree, const uint32_t *nodes, uint32_t count,
			 FgTree *sum)
{
	FgSubtrees	subtrees;
	bool		ok;

	if (!fg_subtrees_begin(ctx, tree, &subtrees))
		return false;
	ok = fg_subtrees_sum(&subtrees, nodes, count, sum);
	fg_subtrees_end(&subtrees);
	return ok;
}

/* --- stacks and nodes ------------------------------------------------------------------ */

static bool
carries(const FgFrameTasks *tasks, uint32_t frame, uint32_t task)
{
	for (uint32_t i = tasks->first[frame]; i < tasks->first[frame + 1]; i++)
	{
		if (tasks->task[i] == task)
			return true;
	}
	return false;
}

/*
 * Exactly, or for fractions, which are added in some order, within what rounding
 * may do; then a sum that should cancel may leave a stack behind.
 */
static void
check_same(FgContext *ctx, Naive *expected, const FgTree *tree, bool whole)
{
	Naive		found;
	Naive		difference;

	naive_settle(expected);
	if (whole)
		CHECK(naive_matches(ctx, expected, tree));
	else
	{
		double		size = 0;
		double		rest = 0;

		found = naive_of_tree(tree);
		difference = naive_combination(expected, 1, &found, -1);
		for (size_t i = 0; i < expected->count; i++)
			size += fabs(expected->entries[i].value);
		for (size_t i = 0; i < difference.count; i++)
			rest += fabs(difference.entries[i].value);
		CHECK(rest <= 1e-12 * size);
		CHECK_COUNT(found.count, expected->count);
		CHECK(fg_tree_check(ctx, tree));
		naive_free(&found);
		naive_free(&difference);
	}
	naive_free(expected);
}

/* --- views -------------------------------------------------------------------------------- */

static void
check_view(FgContext *ctx, const FgTree *tree, const Naive *naive, const uint8_t *flags, bool whole)
{
	Naive		expected = {0};
	FgTree		view;

	for (size_t s = 0; s < naive->count; s++)
	{
		const NaiveEntry *entry = &naive->entries[s];
		const char *end = entry->path + entry->length;

		for (const char *frame = entry->path; frame < end; frame += strlen(frame) + 1)
		{
			if (!flags[fg_frames_find(&tree->frames, frame, strlen(frame))])
				continue;
			naive_add(&expected, frame, (size_t) (end - frame), entry->value);
			break;
		}
	}
	if (CHECK(fg_task_view(ctx, tree, flags, &view)))
		check_same(ctx, &expected, &view, whole);
	fg_tree_free(ctx, &view);
}

/* --- roots and subtrees -------------------------------------------------------------------- */

/* The sum of the stacks below these nodes, each without what is above its node. */
static void
check_subtrees(FgContext *ctx, const FgTree *tree, const Naive *naive, const uint32_t *nodes,
			   uint32_t count, bool whole)
{
	Naive		expected = {0};
	bool	   *starts = calloc((size_t) tree->nnodes + 1, sizeof(bool));
	FgTree		sum;

	for (uint32_t r = 0; r < count; r++)
		starts[nodes[r]] = true;
	for (size_t s = 0; s < naive->count; s++)
	{
		const NaiveEntry *entry = &naive->entries[s];
		const char *end = entry->path + entry->length;

		for (const char *frame = entry->path; frame < end; frame += strlen(frame) + 1)
		{
			if (starts[fg_tree_find(tree, entry->path, (size_t) (frame - entry->path) +
									strlen(frame))])
				naive_add(&expected, frame, (size_t) (end - frame), entry->value);
		}
	}
	free(starts);
	if (CHECK(sum_subtrees(ctx, tree, nodes, count, &sum)))
		check_same(ctx, &expected, &sum, whole);
	fg_tree_free(ctx, &sum);
}

static void
check_roots(FgContext *ctx, const FgTree *tree, const Naive *naive, const FgFrameTasks *tasks,
			bool whole)
{
	FgTaskRoots roots;
	uint32_t	at = 0;

	if (!CHECK(fg_task_roots(ctx, tree, tasks, &roots)))
		return;
	CHECK_COUNT(roots.first[0], 0);
	for (uint32_t t = 0; t < tasks->ntasks; t++)
	{
		uint8_t    *flags = calloc((size_t) tree->frames.count + 1, 1);

		for (uint32_t node = 1; node <= tree->nnodes; node++)
		{
			bool		is_root = carries(tasks, fg_key_frame(tree->key[node]), t);

			for (uint32_t above = naive_parent(tree, node); above != 0; above = naive_parent(tree, above))
				is_root = is_root && !carries(tasks, fg_key_frame(tree->key[above]), t);
			if (!is_root)
				continue;
			if (CHECK(at < roots.first[t + 1]))
				CHECK_COUNT(roots.node[at], node);
			at++;
		}
		CHECK_COUNT(roots.first[t + 1], at);
		/* the subtrees of a task's roots are its view */
		for (uint32_t f = 0; f < tree->frames.count; f++)
			flags[f] = carries(tasks, f, t);
		check_view(ctx, tree, naive, flags, whole);
		check_subtrees(ctx, tree, naive, roots.node + roots.first[t],
					   roots.first[t + 1] - roots.first[t], whole);
		free(flags);
	}
	fg_task_roots_free(ctx, &roots);
}

/* Each frame carries each of the tasks by chance; the numbers in any order. */
static FgFrameTasks
random_tasks(UnitRandom *random, uint32_t nframes, uint32_t ntasks, uint32_t rarity)
{
	FgFrameTasks tasks = {
		ntasks, malloc(((size_t) nframes + 1) * sizeof(uint32_t)),
		malloc(((size_t) nframes * ntasks + 1) * sizeof(uint32_t))
	};
	uint32_t	count = 0;

	for (uint32_t f = 0; f < nframes; f++)
	{
		tasks.first[f] = count;
		for (uint32_t t = 0; t < ntasks; t++)
		{
			if (unit_below(random, rarity) == 0)
				tasks.task[count++] = f % 2 == 0 ? t : ntasks - 1 - t;
		}
	}
	tasks.first[nframes] = count;
	return tasks;
}

static void
tasks_free(FgFrameTasks *tasks)
{
	free(tasks->first);
	free(tasks->task);
}

static void
test_random(void)
{
	UnitRandom	random = {61};

	for (int kind = NAIVE_COUNTS; kind <= NAIVE_DOUBLES; kind++)
	{
		unit_case("tasks of random profiles, %s", naive_kinds[kind]);
		for (int round = 0; round < unit_rounds(90); round++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			Naive		naive = naive_random(&random, naive_shape(&random, round, kind, 6));
			FgTree		tree = naive_tree(&ctx, &naive);
			FgFrameTasks tasks = random_tasks(&random, tree.frames.count, unit_below(&random, 5),
											  1 + unit_below(&random, 6));

			unit_note("[round %d]", round);
			check_roots(&ctx, &tree, &naive, &tasks, kind != NAIVE_DOUBLES);
			tasks_free(&tasks);
			fg_tree_free(&ctx, &tree);
			naive_free(&naive);
			CHECK_COUNT(memory.blocks, 0);
		}
	}
}

/* Some nodes in preorder, none of them below another one. */
static uint32_t
random_nodes(UnitRandom *random, const FgTree *tree, uint32_t rarity, uint32_t *nodes)
{
	uint32_t	count = 0;

	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		uint32_t	depth = fg_key_depth(tree->key[i]);

		if (unit_below(random, rarity) > 0)
			continue;
		nodes[count++] = i;
		while (i < tree->nnodes && fg_key_depth(tree->key[i + 1]) > depth)
			i++;
	}
	return count;
}

static void
test_random_subtrees(void)
{
	UnitRandom	random = {62};

	for (int kind = NAIVE_COUNTS; kind <= NAIVE_DOUBLES; kind++)
	{
		unit_case("sums of any subtrees, %s", naive_kinds[kind]);
		for (int round = 0; round < unit_rounds(150); round++)
		{
			UnitMemory	memory;
			FgContext	ctx = unit_context(&memory);
			NaiveShape	shape = {
				1 + unit_below(&random, 60), 1 + unit_below(&random, 12),
				1 + unit_below(&random, round % 3 == 0 ? 40 : 5), kind
			};
			Naive		naive = naive_random(&random, shape);
			FgTree		tree = naive_tree(&ctx, &naive);
			uint32_t   *nodes = malloc(((size_t) tree.nnodes + 1) * sizeof(uint32_t));
			uint32_t	count = random_nodes(&random, &tree, 1 + unit_below(&random, 12), nodes);

			unit_note("[round %d]", round);
			check_subtrees(&ctx, &tree, &naive, nodes, count, kind != NAIVE_DOUBLES);
			free(nodes);
			fg_tree_free(&ctx, &tree);
			naive_free(&naive);
			CHECK_COUNT(memory.blocks, 0);
		}
	}
}

/*
 * Many siblings that have to be sorted anew: below each first frame others of the
 * same 300, in an order that differs from that of the nodes.
 */
static void
test_many_siblings(void)
{
	FgContext	ctx = fg_malloc_context();
	Naive		naive = {0};
	uint32_t	nodes[60];
	uint32_t	count = 0;
	FgTree		tree;

	unit_case("sums of subtrees with hundreds of children each");
	for (uint32_t i = 0; i < COUNT(nodes); i++)
	{
		for (uint32_t j = i % 7; j < 300; j += 1 + i % 11)
		{
			char		path[64];
			int			length = snprintf(path, sizeof(path), "f%02u%ct%c%03u%c%u", i, 0, 0, j, 0,
										  i % 3);

			naive_add(&naive, path, (size_t) length, 1 + i);
		}
	}
	naive_settle(&naive);
	tree = naive_tree(&ctx, &naive);
	for (uint32_t i = 1; i <= tree.nnodes; i++)
	{
		if (fg_key_depth(tree.key[i]) == 2)
			nodes[count++] = i;
	}
	check_subtrees(&ctx, &tree, &naive, nodes, count, true);
	fg_tree_free(&ctx, &tree);
	naive_free(&naive);
}

/* --- given ones ------------------------------------------------------------------------------ */

static void
test_given(void)
{
	static const struct
	{
		const char *what;
		const char *text;
		const char *flagged[4];
		const char *view;
	}			rows[] = {
		{"golden tasks_prefix",
			"main;com.mycompany.service.UserRegister.run;mail.check 3\n"
			"main;com.mycompany.service.Order.run;mail.check 40\nmain;idle 7\n"
			"main;com.mycompany.service.Order.run;com.mycompany.service.UserRegister.run;db 2",
			{"com.mycompany.service.UserRegister.run"},
			"com.mycompany.service.UserRegister.run;db 2\n"
		"com.mycompany.service.UserRegister.run;mail.check 3"},
		{"golden tasks_two_selected",
			"r;S.a;x 1\nr;S.b;x 2\nr;S.a;S.b;S.a;x 4\nr;x 8\nS.b;r;S.b;x 16", {"S.b"},
		"S.b;S.a;x 4\nS.b;r;S.b;x 16\nS.b;x 2"},
		{"two of them", "r;S.a;S.b;x 1\nr;S.b;S.a;x 2\nr;x 4", {"S.a", "S.b"},
		"S.a;S.b;x 1\nS.b;S.a;x 2"},
		{"what cancels is gone", "p;t;x 1\nq;t;x -1\nq;t;y 2", {"t"}, "t;y 2"},
		{"all cancels", "p;t;x 1\nq;t;x -1", {"t"}, ""},
		{"the empty stack has no task", " 5\na 1", {"a"}, "a 1"},
		{"none is flagged", "a;b 1", {NULL}, ""},
		{"each is flagged", "a;b 1\nb;a 2", {"a", "b"}, "a;b 1\nb;a 2"},
		{"the last frames", "x;a 1\nx;b 2\ny;a 4", {"a", "b"}, "a 5\nb 2"}
	};
	FgContext	ctx = fg_malloc_context();

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		FgTree		tree = tree_of_text(&ctx, rows[i].text);
		Naive		expected = naive_of_text(rows[i].view);
		uint8_t		flags[16] = {0};
		FgTree		view;

		unit_case("tasks: %s", rows[i].what);
		for (const char *const *frame = rows[i].flagged; *frame != NULL; frame++)
			flags[fg_frames_find(&tree.frames, *frame, strlen(*frame))] = 1;
		CHECK(fg_task_view(&ctx, &tree, flags, &view));
		CHECK(naive_matches(&ctx, &expected, &view));
		fg_tree_free(&ctx, &view);
		fg_tree_free(&ctx, &tree);
		naive_free(&expected);
	}
}

static void
test_given_roots(void)
{
	/* S.b, S.b;r, S.b;r;S.b, ;x, r, r;S.a, ;S.b, ;S.a, ;x, r;S.a;x, r;S.b, ;x, r;x */
	static const uint32_t first[] = {0, 1, 1, 2, 2};	/* S.a, S.b, r, x carry */
	static const uint32_t carried[] = {0, 1};
	static const uint32_t expected[] = {6, 1, 7, 11};
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = tree_of_text(&ctx, "r;S.a;x 1\nr;S.b;x 2\nr;S.a;S.b;S.a;x 4\nr;x 8\n"
									"S.b;r;S.b;x 16");
	uint32_t	starts[] = {first[0], first[1], first[3], first[3], first[4]};
	uint32_t	task[] = {carried[0], carried[1]};
	FgFrameTasks tasks = {3, starts, task};
	FgTaskRoots roots;

	unit_case("roots of golden tasks_two_selected, and of a task nobody carries");
	CHECK(fg_task_roots(&ctx, &tree, &tasks, &roots));
	CHECK_COUNT(roots.first[0], 0);
	CHECK_COUNT(roots.first[1], 1);
	CHECK_COUNT(roots.first[2], 4);
	CHECK_COUNT(roots.first[3], 4);
	for (uint32_t i = 0; i < COUNT(expected); i++)
		CHECK_COUNT(roots.node[i], expected[i]);
	fg_task_roots_free(&ctx, &roots);
	fg_tree_free(&ctx, &tree);

	unit_case("no tasks at all");
	tree = tree_of_text(&ctx, " 1");
	tasks = (FgFrameTasks) {0, starts, task};
	CHECK(fg_task_roots(&ctx, &tree, &tasks, &roots));
	CHECK_COUNT(roots.first[0], 0);
	fg_task_roots_free(&ctx, &roots);
	fg_tree_free(&ctx, &tree);
}

/*
 * In a chain the view starts at the first flagged frame; whole periods further down
 * the frames are the same.
 */
static void
check_chain(uint32_t count, uint32_t period, uint32_t flagged)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = naive_chain(&ctx, count, period);
	uint8_t    *flags = calloc(period, 1);
	uint32_t   *first = calloc((size_t) period + 1, sizeof(uint32_t));
	uint32_t	task = 0;
	FgFrameTasks tasks = {1, first, &task};
	FgTaskRoots roots;
	FgTree		view;

	unit_case("a task in a chain of %u frames, %u different ones", count, period);
	flags[flagged] = 1;
	CHECK(fg_task_view(&ctx, &tree, flags, &view));
	CHECK_COUNT(view.nnodes, count - flagged);
	for (uint32_t i = 1; i <= view.nnodes; i++)
	{
		uint32_t	frame = fg_key_frame(view.key[i]);
		uint32_t	origin = fg_key_frame(tree.key[i + flagged]);

		CHECK_COUNT(fg_key_depth(view.key[i]), i);
		CHECK_BYTES(fg_frame_bytes(&view.frames, frame), fg_frame_length(&view.frames, frame),
					fg_frame_bytes(&tree.frames, origin), fg_frame_length(&tree.frames, origin));
		CHECK_DOUBLE(view.self[i], 1);
	}
	for (uint32_t f = flagged; f < period; f++)
		first[f + 1] = 1;
	CHECK(fg_task_roots(&ctx, &tree, &tasks, &roots));
	CHECK_COUNT(roots.first[1], 1);
	CHECK_COUNT(roots.node[0], flagged + 1);
	fg_task_roots_free(&ctx, &roots);
	fg_tree_free(&ctx, &view);
	fg_tree_free(&ctx, &tree);
	free(flags);
	free(first);
}

static void
test_range(void)
{
	FgContext	ctx = fg_malloc_context();
	FgTree		tree = tree_of_text(&ctx, "p;t;x 1e308\nq;t;x 1e308\nq;u;x 1");
	uint8_t		flags[8] = {0};
	FgTree		view;

	unit_case("a task that overflows");
	flags[fg_frames_find(&tree.frames, "t", 1)] = 1;
	CHECK_ERROR(fg_task_view(&ctx, &tree, flags, &view), &ctx, FG_ERROR_RANGE);
	CHECK(view.key == NULL && view.self == NULL && view.frames.offset == NULL);
	fg_tree_free(&ctx, &tree);
}

/* --- failures -------------------------------------------------------------------------------- */

typedef struct Input
{
	FgTree		tree;
	uint8_t    *flags;
	FgFrameTasks tasks;
	uint32_t   *nodes;
	uint32_t	count;
} Input;

static bool
run_view(FgContext *ctx, void *arg)
{
	const Input *input = arg;
	FgTree		view;

	if (!fg_task_view(ctx, &input->tree, input->flags, &view))
		return false;
	fg_tree_free(ctx, &view);
	return true;
}

static bool
run_roots(FgContext *ctx, void *arg)
{
	const Input *input = arg;
	FgTaskRoots roots;

	if (!fg_task_roots(ctx, &input->tree, &input->tasks, &roots))
		return false;
	fg_task_roots_free(ctx, &roots);
	return true;
}

static bool
run_subtrees(FgContext *ctx, void *arg)
{
	const Input *input = arg;
	FgTree		sum;

	if (!sum_subtrees(ctx, &input->tree, input->nodes, input->count, &sum))
		return false;
	fg_tree_free(ctx, &sum);
	return true;
}

/* "first" * "second" stacks; every second of the lower frames is flagged. */
static Input
make_input(FgContext *ctx, uint32_t first, uint32_t second)
{
	Naive		naive = {0};
	Input		input;
	UnitRandom	random = {63};

	for (uint32_t i = 0; i < first; i++)
	{
		for (uint32_t j = 0; j < second; j++)
		{
			char		path[64];
			int			length = snprintf(path, sizeof(path), "f%03u%cg%03u", i, 0, j);

			naive_add(&naive, path, (size_t) length, 1 + j % 7);
		}
	}
	input.tree = naive_tree(ctx, &naive);
	input.flags = calloc(input.tree.frames.count, 1);
	for (uint32_t f = 0; f < second; f++)
		input.flags[first + f] = f % 2 == 0;
	input.tasks = random_tasks(&random, input.tree.frames.count, 4, 2);
	input.nodes = malloc(((size_t) input.tree.nnodes + 1) * sizeof(uint32_t));
	input.count = 0;
	naive_free(&naive);
	return input;
}

/* The first frames, which differ, or the last ones, which have to be merged. */
static void
choose_nodes(Input *input, uint32_t depth)
{
	const FgTree *tree = &input->tree;

	input->count = 0;
	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		if (fg_key_depth(tree->key[i]) == depth)
			input->nodes[input->count++] = i;
	}
}

static void
test_failures(void)
{
	FgContext	ctx = fg_malloc_context();
	Input		small = make_input(&ctx, 4, 20);
	Input		large = make_input(&ctx, 400, 400);

	unit_sweep_memory("fg_task_view", run_view, &small);
	unit_sweep_interrupts("fg_task_view", run_view, &large, 3);
	unit_sweep_memory("fg_task_roots", run_roots, &small);
	unit_sweep_interrupts("fg_task_roots", run_roots, &large, 3);
	choose_nodes(&small, 1);
	choose_nodes(&large, 1);
	unit_sweep_memory("fg_subtrees_sum, in order", run_subtrees, &small);
	unit_sweep_interrupts("fg_subtrees_sum, in order", run_subtrees, &large, 2);
	choose_nodes(&small, 2);
	choose_nodes(&large, 2);
	unit_sweep_memory("fg_subtrees_sum, merged", run_subtrees, &small);
	unit_sweep_interrupts("fg_subtrees_sum, merged", run_subtrees, &large, 2);
	for (int i = 0; i < 2; i++)
	{
		Input	   *input = i == 0 ? &small : &large;

		fg_tree_free(&ctx, &input->tree);
		tasks_free(&input->tasks);
		free(input->flags);
		free(input->nodes);
	}
}

/* A node below each of so many parents, all of one frame, which carries all tasks. */
static void
check_product(uint32_t parents, uint32_t ntasks, bool fits)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	FgBuffer	text = {.ctx = &ctx};
	FgTree		tree;
	FgTaskRoots roots;
	FgFrameTasks tasks = {.ntasks = ntasks};

	unit_case("%u nodes that start %u tasks each", parents, ntasks);
	for (uint32_t i = 0; i < parents; i++)
	{
		char		line[40];
		int			length = snprintf(line, sizeof(line), "p%u;x 1\n", i);

		CHECK(fg_buffer_append(&text, line, (size_t) length));
	}
	CHECK(fg_buffer_append(&text, "", 1));
	tree = tree_of_text(&ctx, (char *) text.data);
	tasks.first = fg_alloc_zero(&ctx, (size_t) tree.frames.count + 1, sizeof(uint32_t));
	tasks.task = fg_alloc(&ctx, ntasks, sizeof(uint32_t));
	/* x comes last among the frames */
	tasks.first[tree.frames.count] = ntasks;
	for (uint32_t t = 0; t < ntasks; t++)
		tasks.task[t] = t;
	memory.polls = 0;
	if (fits && CHECK(fg_task_roots(&ctx, &tree, &tasks, &roots)))
	{
		CHECK_COUNT(roots.first[ntasks], parents * ntasks);
		CHECK(memory.polls >= (size_t) parents * ntasks / FG_CHECK_NODES);
		fg_task_roots_free(&ctx, &roots);
	}
	if (!fits)
		CHECK_ERROR(fg_task_roots(&ctx, &tree, &tasks, &roots), &ctx, FG_ERROR_LIMIT);
	fg_release(&ctx, tasks.first);
	fg_release(&ctx, tasks.task);
	fg_release(&ctx, text.data);
	fg_tree_free(&ctx, &tree);
	CHECK_COUNT(memory.blocks, 0);
}

int
main(void)
{
	test_given();
	test_given_roots();
	test_random();
	test_random_subtrees();
	test_many_siblings();
	check_chain(1, 1, 0);
	check_chain(5000, 1, 0);
	check_chain(60000, 1, 0);
	check_chain(60000, 2, 1);
	check_chain(60000, 60000, 12345);
	check_product(1000, 3000, true);
	check_product(4100, 4096, false);
	test_range();
	test_failures();
	return unit_finish();
}
