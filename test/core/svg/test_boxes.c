/*
 * test_boxes.c
 *	  Boxes, against their definition by brute force.
 */
#include "naive.h"

#include "core/svg/boxes.h"
#include "core/svg/xml.h"

#include <math.h>

typedef struct Case
{
	FgTree		tree;
	double	   *total;
	FgBoxesInput input;
} Case;

static Case
case_of(FgContext *ctx, FgTree tree)
{
	Case		c = {.tree = tree};

	c.total = fg_alloc(ctx, (size_t) tree.nnodes + 1, sizeof(double));
	CHECK(fg_tree_totals(ctx, &tree, c.total));
	c.input = (FgBoxesInput) {.whole = c.total[0], .width = 1180, .min_width = 0.5,
		.max_boxes = 20000, .max_rows = 400};
	return c;
}

static void
case_free(FgContext *ctx, Case *c)
{
	fg_release(ctx, c->total);
	fg_tree_free(ctx, &c->tree);
}

static bool
lay_out(FgContext *ctx, Case *c, FgBoxes *boxes)
{
	c->input.tree = &c->tree;
	c->input.total = c->total;
	return fg_boxes(ctx, &c->input, boxes);
}

/* --- by brute force --------------------------------------------------------------- */

static uint32_t
depth_of(const Case *c, uint32_t node)
{
	return fg_key_depth(c->tree.key[node]);
}

/* Of siblings. */
static bool
stands_before(const Case *c, uint32_t a, uint32_t b)
{
	if (c->input.by_value && c->total[a] != c->total[b])
		return c->total[a] > c->total[b];
	return a < b;
}

/* Where a node begins: the parent's place and all siblings in front of it. */
static double
naive_start(const Case *c, uint32_t node)
{
	uint32_t	parent;
	double		start;

	if (node == 0)
		return 0;
	parent = naive_parent(&c->tree, node);
	start = naive_start(c, parent);
	for (uint32_t i = parent + 1; i <= c->tree.nnodes; i++)
	{
		if (depth_of(c, i) <= depth_of(c, parent))
			break;
		if (depth_of(c, i) == depth_of(c, node) && stands_before(c, i, node))
			start += c->total[i];
	}
	return start;
}

static double
hundredths(const Case *c, double value)
{
	return value / c->input.whole * c->input.width * 100;
}

static bool
naive_drawn(const Case *c, uint32_t node)
{
	return node == 0 || (c->total[node] / c->input.whole * c->input.width >= c->input.min_width &&
						 fg_key_depth(c->tree.key[node]) < c->input.max_rows);
}

/* Each node drawn has its box, at its place; all others are counted. */
static void
check_nodes(const Case *c, const FgBoxes *boxes)
{
	uint32_t	drawn = 0;

	for (uint32_t b = 0; b < boxes->count; b++)
	{
		const FgBox *box = &boxes->boxes[b];
		double		start = naive_start(c, box->node);
		double		end = start + c->total[box->node];

		CHECK(box->left <= box->right);
		if (box->hidden > 0)
			continue;
		drawn++;
		CHECK(naive_drawn(c, box->node));
		CHECK_COUNT(box->row, fg_key_depth(c->tree.key[box->node]));
		CHECK(fabs((double) box->left - hundredths(c, start)) <= 0.5 + 1e-6);
		CHECK(fabs((double) box->right - hundredths(c, end)) <= 0.5 + 1e-6);
	}
	for (uint32_t i = 0; i <= c->tree.nnodes; i++)
		drawn -= naive_drawn(c, i);
	CHECK_COUNT(drawn, 0);
	CHECK_COUNT(boxes->drawn + boxes->thin.nodes + boxes->deeper.nodes,
				(uint64_t) c->tree.nnodes + 1);
}

/*
 * Boxes of a row do not overlap; with the values of those that end above (self), of what is
 * hidden and of what is too thin even for that, the rows add up.
 */
static void
check_rows(const FgBoxes *boxes)
{
	int64_t		right[500] = {0};
	uint64_t	hidden[2] = {0, 0};

	for (uint32_t b = 0; b < boxes->count; b++)
	{
		const FgBox *box = &boxes->boxes[b];

		CHECK(box->left >= right[box->row]);
		right[box->row] = box->right;
		if (box->hidden > 0)
			hidden[box->deeper] += box->hidden;
	}
	CHECK(hidden[0] <= boxes->thin.nodes && hidden[1] <= boxes->deeper.nodes);
}

static void
check_case(FgContext *ctx, Case *c)
{
	FgBoxes		boxes;

	if (!CHECK(lay_out(ctx, c, &boxes)))
		return;
	check_nodes(c, &boxes);
	check_rows(&boxes);
	fg_boxes_free(ctx, &boxes);
}

static void
test_random(void)
{
	UnitRandom	random = {20260101};
	FgContext	ctx = fg_malloc_context();

	unit_case("random profiles");
	for (int round = 0; round < 300; round++)
	{
		Naive		naive = naive_random(&random, naive_shape(&random, round, NAIVE_COUNTS, 8));
		Case		c;

		unit_note("round %d", round);
		c = case_of(&ctx, naive_tree(&ctx, &naive));
		c.input.width = 100 + unit_below(&random, 1000);
		c.input.min_width = round % 3 == 0 ? 0 : unit_below(&random, 4000) / 100.0;
		c.input.max_rows = round % 5 == 0 ? 1 + unit_below(&random, 6) : 400;
		c.input.by_value = round % 2 == 0;
		if (c.tree.nnodes > 0)
			check_case(&ctx, &c);
		case_free(&ctx, &c);
		naive_free(&naive);
	}
}

/* --- by hand ---------------------------------------------------------------------- */

static void
check_box(const FgBox *box, uint32_t node, uint32_t hidden, uint32_t row, int64_t left,
		  int64_t right)
{
	CHECK_COUNT(box->node, node);
	CHECK_COUNT(box->hidden, hidden);
	CHECK_COUNT(box->row, row);
	CHECK(box->left == left && box->right == right);
}

static void
test_runs(void)
{
	FgContext	ctx = fg_malloc_context();
	Case		c = case_of(&ctx, tree_of_text(&ctx, "a;x 1\na;y 2\nb 90\nc 1\nd;z 2\nd 1\ne 1\n"
											   " 2"));
	FgBoxes		boxes;

	unit_case("siblings that are too thin");
	c.input.width = 100;
	c.input.min_width = 4;
	CHECK(lay_out(&ctx, &c, &boxes));
	CHECK_COUNT(boxes.count, 3);
	check_box(&boxes.boxes[0], 0, 0, 0, 0, 10000);
	check_box(&boxes.boxes[1], 4, 0, 1, 300, 9300);
	/* c, d, z, e from 93 to 98; a, x, y before b stay empty, the empty stack behind is no node */
	check_box(&boxes.boxes[2], 0, 4, 1, 9300, 9800);
	CHECK_COUNT(boxes.thin.nodes, 7);
	CHECK_DOUBLE(boxes.thin.total, 8);
	fg_boxes_free(&ctx, &boxes);
	case_free(&ctx, &c);

	unit_case("more rows than allowed");
	c = case_of(&ctx, tree_of_text(&ctx, "a;b;c 30\na;b;d 20\na;e 40\na 10"));
	c.input.width = 100;
	c.input.max_rows = 2;
	CHECK(lay_out(&ctx, &c, &boxes));
	CHECK_COUNT(boxes.count, 3);
	check_box(&boxes.boxes[2], 1, 4, 2, 0, 9000);
	CHECK(boxes.boxes[2].deeper);
	CHECK_COUNT(boxes.rows, 3);
	CHECK_DOUBLE(boxes.deeper.total, 90);
	fg_boxes_free(&ctx, &boxes);
	c.input.max_rows = 1;
	CHECK(lay_out(&ctx, &c, &boxes));
	CHECK_COUNT(boxes.count, 2);
	CHECK_COUNT(boxes.deeper.nodes, 5);
	fg_boxes_free(&ctx, &boxes);
	case_free(&ctx, &c);
}

static void
test_most(void)
{
	FgContext	ctx = fg_malloc_context();
	Case		c = case_of(&ctx, naive_wide(&ctx, 50, 50, false));
	FgBoxes		boxes;

	unit_case("more boxes than allowed");
	for (uint32_t most = 1; most < 4000; most = 2 * most + 1)
	{
		c.input.max_boxes = most;
		c.input.min_width = most % 3 == 0 ? 0 : 0.1;
		if (!CHECK(lay_out(&ctx, &c, &boxes)))
			continue;
		CHECK(boxes.count <= most);
		CHECK_COUNT(boxes.drawn + boxes.thin.nodes + boxes.deeper.nodes,
					(uint64_t) c.tree.nnodes + 1);
		CHECK(boxes.max_rows == c.input.max_rows || 32 * boxes.min_width > c.input.width);
		check_rows(&boxes);
		fg_boxes_free(&ctx, &boxes);
	}
	case_free(&ctx, &c);

	unit_case("chains deeper than that");
	c = case_of(&ctx, naive_chain(&ctx, 60000, 60000));
	c.input.max_rows = 65536;
	c.input.max_boxes = 300;
	CHECK(lay_out(&ctx, &c, &boxes));
	CHECK_COUNT(boxes.max_rows, 256);
	CHECK_COUNT(boxes.drawn, 256);
	CHECK_COUNT(boxes.count, 257);
	CHECK_COUNT(boxes.deeper.nodes, 60001 - 256);
	CHECK_DOUBLE(boxes.deeper.total, 60001 - 256);	/* 1 at each node */
	fg_boxes_free(&ctx, &boxes);
	case_free(&ctx, &c);

	unit_case("values at the ends of the range");
	c = case_of(&ctx, tree_of_text(&ctx, "a;b 5e-324\nc 5e-324"));
	check_case(&ctx, &c);
	case_free(&ctx, &c);
	c = case_of(&ctx, tree_of_text(&ctx, "a;b 8e307\nc 8e307"));
	CHECK(lay_out(&ctx, &c, &boxes));
	CHECK_COUNT(boxes.count, 4);
	check_box(&boxes.boxes[3], 3, 0, 1, 59000, 118000);
	fg_boxes_free(&ctx, &boxes);
	case_free(&ctx, &c);
	c = case_of(&ctx, tree_of_text(&ctx, ""));
	CHECK(lay_out(&ctx, &c, &boxes));
	CHECK_COUNT(boxes.count + boxes.rows, 0);
	case_free(&ctx, &c);
	c = case_of(&ctx, naive_chain(&ctx, 65535, 7));
	CHECK(lay_out(&ctx, &c, &boxes));
	CHECK_COUNT(boxes.count, 401);
	CHECK_COUNT(boxes.deeper.nodes, 65536 - 400);
	fg_boxes_free(&ctx, &boxes);
	case_free(&ctx, &c);
}

static bool
run(FgContext *ctx, void *arg)
{
	FgBoxes		boxes;

	if (!lay_out(ctx, arg, &boxes))
		return false;
	fg_boxes_free(ctx, &boxes);
	return true;
}

int
main(void)
{
	FgContext	ctx = fg_malloc_context();
	Case		large = case_of(&ctx, naive_wide(&ctx, 270, 270, true));

	test_random();
	test_runs();
	test_most();
	large.input.by_value = true;
	unit_sweep_memory("fg_boxes", run, &large);
	unit_sweep_interrupts("fg_boxes", run, &large, 3);
	case_free(&ctx, &large);
	return unit_finish();
}
