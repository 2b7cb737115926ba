/*
 * stack_rows.c
 *	  Stacks as numbers of frames, and sums by pair (see stack_rows.h).
 */
#include "stack_rows.h"

#include <math.h>

void
sum_add(Sum *sum, double value)
{
	sum->value += value;
	sum->weight += fabs(value);
	sum->fraction = sum->fraction || value != floor(value);
}

bool
is_sum(double got, const Sum *sum)
{
	return sum->fraction ? fabsl(got - sum->value) <= 1e-12L * sum->weight
		: got == (double) sum->value;
}

Row *
find_row(const Rows *rows, uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < rows->count; i++)
	{
		if (rows->rows[i].a == a && rows->rows[i].b == b)
			return &rows->rows[i];
	}
	return NULL;
}

Row *
add_row(Rows *rows, uint32_t a, uint32_t b)
{
	Row		   *row = find_row(rows, a, b);

	if (row != NULL)
		return row;
	rows->rows = realloc(rows->rows, (rows->count + 1) * sizeof(Row));
	row = &rows->rows[rows->count++];
	*row = (Row) {a, b, {0, 0, false}, 0};
	return row;
}

void
count_stack(Rows *rows, uint32_t a, uint32_t b, size_t stack, double value)
{
	Row		   *row = add_row(rows, a, b);

	if (row->last == stack + 1)
		return;
	row->last = stack + 1;
	sum_add(&row->sum, value);
}

void
check_tally(const FgTally *tally, Rows *rows)
{
	uint32_t	count = tally->pairs.count;
	uint8_t    *seen = calloc((size_t) count + 1, 1);

	CHECK_COUNT(count, rows->count);
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t	number = tally->order[i];
		FgNumberPair pair;
		const Row  *row;

		if (!CHECK(number < count) || !CHECK(!seen[number]))
			break;
		seen[number] = 1;
		pair = tally->pairs.pairs[number];
		row = find_row(rows, pair.a, pair.b);
		if (CHECK(row != NULL))
			CHECK(is_sum(tally->value[number], &row->sum));
		if (i > 0)
		{
			uint32_t	before = tally->order[i - 1];
			FgNumberPair other = tally->pairs.pairs[before];

			CHECK(tally->value[before] > tally->value[number] ||
				  (tally->value[before] == tally->value[number] &&
				   (other.a < pair.a || (other.a == pair.a && other.b < pair.b))));
		}
	}
	free(seen);
	free(rows->rows);
	*rows = (Rows) {NULL, 0};
}

Stack
stack_of(const FgTree *tree, const NaiveEntry *entry)
{
	Stack		stack = {.value = entry->value};
	const char *frame = entry->path;
	const char *end = entry->path + entry->length;

	while (entry->length > 0 && frame <= end)
	{
		size_t		length = strlen(frame);

		stack.frame[stack.depth] = fg_frames_find(&tree->frames, frame, length);
		stack.node[stack.depth++] = fg_tree_find(tree, entry->path,
												 (size_t) (frame + length - entry->path));
		frame += length + 1;
	}
	return stack;
}

bool
contains(const Stack *stack, uint32_t frame)
{
	for (uint32_t i = 0; i < stack->depth; i++)
	{
		if (stack->frame[i] == frame)
			return true;
	}
	return false;
}
