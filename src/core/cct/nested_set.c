/*
 * nested_set.c
 *	  Rows that nest by their levels (see nested_set.h).
 */
#include "core/cct/nested_set.h"

/* Values of a side that has no such node are 0. */
static bool
is_large(const double *const total[FG_SIDES], const double least[FG_SIDES], uint32_t node)
{
	for (int side = 0; side < FG_SIDES; side++)
		if (total[side] != NULL && total[side][node] > 0 && total[side][node] >= least[side])
			return true;
	return false;
}

bool
fg_nested_set(FgContext *ctx, const FgTree *tree, const double *const total[FG_SIDES],
			  double min_share, uint32_t max_depth, uint32_t **nodes, uint32_t *count)
{
	double		least[FG_SIDES] = {0};
	uint32_t	deepest = 0;	/* of the rows above the node */
	bool		ok = true;

	*count = 0;
	*nodes = fg_alloc(ctx, (size_t) tree->nnodes + 1, sizeof(uint32_t));
	if (*nodes == NULL)
		return false;
	for (int side = 0; side < FG_SIDES; side++)
		least[side] = total[side] != NULL ? min_share * total[side][0] : 0;
	(*nodes)[(*count)++] = 0;
	for (uint32_t i = 1; ok && i <= tree->nnodes; i++)
	{
		uint32_t	depth = fg_key_depth(tree->key[i]);
		bool		row;

		ok = fg_check_every(ctx, i);
		if (depth > deepest + 1 || depth > max_depth)
			continue;
		row = is_large(total, least, i);
		if (row)
			(*nodes)[(*count)++] = i;
		deepest = row ? depth : depth - 1;
	}
	if (ok)
		return true;
	fg_release(ctx, *nodes);
	*nodes = NULL;
	return false;
}
