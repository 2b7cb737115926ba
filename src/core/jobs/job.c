/*
 * job.c
 *	  What follows from the arrays of a job (see job.h).
 */
#include "core/jobs/job.h"

static inline uint32_t
parent_at(const uint32_t *parents, size_t stride, uint32_t node)
{
	return *(const uint32_t *) ((const char *) parents + node * stride);
}

/* child[] sorted by parent: a counting sort, which keeps the order of the indexes. */
static bool
list_children(FgContext *ctx, const uint32_t *parents, size_t stride, FgJobTree *tree)
{
	uint32_t   *first = tree->first_child;
	uint32_t	sum = 0;

	for (uint32_t n = 0; n < tree->count; n++)
	{
		uint32_t	parent = parent_at(parents, stride, n);

		if (parent != FG_NONE)
			first[parent]++;
		if (!fg_check_every(ctx, n))
			return false;
	}
	for (uint32_t n = 0; n <= tree->count; n++)
	{
		sum += first[n];
		first[n] = sum;			/* the end of its children, until they are filled in */
	}
	for (uint32_t n = tree->count; n-- > 0;)
	{
		uint32_t	parent = parent_at(parents, stride, n);

		if (parent != FG_NONE)
			tree->child[--first[parent]] = n;
		if (!fg_check_every(ctx, n))
			return false;
	}
	return true;
}

/*
 * Breadth first into order[], as a queue; the sizes of the subtrees are then summed up
 * from its end.  Returns how many nodes it reached in *reached.
 */
static bool
measure_subtrees(FgContext *ctx, const uint32_t *parents, size_t stride, FgJobTree *tree,
				 uint32_t *reached)
{
	uint32_t   *queue = tree->order;
	uint32_t   *size = tree->last;
	uint32_t	end = 0;

	for (uint32_t n = 0; n < tree->count; n++)
	{
		size[n] = 1;
		if (parent_at(parents, stride, n) == FG_NONE)
			queue[end++] = n;
	}
	for (uint32_t i = 0; i < end; i++)
	{
		uint32_t	n = queue[i];

		for (uint32_t c = tree->first_child[n]; c < tree->first_child[n + 1]; c++)
			queue[end++] = tree->child[c];
		if (!fg_check_every(ctx, i))
			return false;
	}
	*reached = end;
	for (uint32_t i = end; i-- > 0;)
	{
		uint32_t	parent = parent_at(parents, stride, queue[i]);

		if (parent != FG_NONE)
			size[parent] += size[queue[i]];
		if (!fg_check_every(ctx, i))
			return false;
	}
	return true;
}

/* From the sizes of the subtrees, parents before children, to places in preorder. */
static bool
place_nodes(FgContext *ctx, const uint32_t *parents, size_t stride, FgJobTree *tree)
{
	uint32_t	place = 0;

	for (uint32_t n = 0; n < tree->count; n++)
	{
		if (parent_at(parents, stride, n) != FG_NONE)
			continue;
		tree->place[n] = place;
		place += tree->last[n];
	}
	for (uint32_t i = 0; i < tree->count; i++)
	{
		uint32_t	n = tree->order[i];

		place = tree->place[n] + 1;
		for (uint32_t c = tree->first_child[n]; c < tree->first_child[n + 1]; c++)
		{
			tree->place[tree->child[c]] = place;
			place += tree->last[tree->child[c]];
		}
		tree->last[n] = place - 1;
		if (!fg_check_every(ctx, i))
			return false;
	}
	for (uint32_t n = 0; n < tree->count; n++)
		tree->order[tree->place[n]] = n;
	return true;
}

bool
fg_job_tree_make(FgContext *ctx, const uint32_t *parents, size_t stride, uint32_t count,
				 FgJobTree *tree)
{
	uint32_t	reached;

	*tree = (FgJobTree) {.count = count};
	tree->order = fg_alloc(ctx, count, sizeof(uint32_t));
	tree->place = fg_alloc(ctx, count, sizeof(uint32_t));
	tree->last = fg_alloc(ctx, count, sizeof(uint32_t));
	tree->child = fg_alloc(ctx, count, sizeof(uint32_t));
	tree->first_child = fg_alloc_zero(ctx, (size_t) count + 1, sizeof(uint32_t));
	if (tree->order == NULL || tree->place == NULL || tree->last == NULL ||
		tree->child == NULL || tree->first_child == NULL ||
		!list_children(ctx, parents, stride, tree) ||
		!measure_subtrees(ctx, parents, stride, tree, &reached))
		return false;
	if (reached < count)
		return fg_fail(ctx, FG_ERROR_ARGUMENT, "a parent stands below its own child");
	return place_nodes(ctx, parents, stride, tree);
}

void
fg_job_tree_free(FgContext *ctx, FgJobTree *tree)
{
	fg_release(ctx, tree->order);
	fg_release(ctx, tree->place);
	fg_release(ctx, tree->last);
	fg_release(ctx, tree->child);
	fg_release(ctx, tree->first_child);
	*tree = (FgJobTree) {.count = 0};
}

/* Where the rows of each resource begin among rows that are sorted by resource. */
static uint32_t *
first_rows(FgContext *ctx, const uint32_t *resources, size_t stride, uint32_t rows,
		   uint32_t resource_count)
{
	uint32_t   *first = fg_alloc(ctx, (size_t) resource_count + 1, sizeof(uint32_t));
	uint32_t	row = 0;

	if (first == NULL)
		return NULL;
	for (uint32_t r = 0; r <= resource_count; r++)
	{
		while (row < rows && parent_at(resources, stride, row) < r)
		{
			if (!fg_check_every(ctx, row++))
			{
				fg_release(ctx, first);
				return NULL;
			}
		}
		first[r] = row;
	}
	return first;
}

static bool
find_root(FgContext *ctx, FgJob *job)
{
	uint32_t	roots = 0;

	for (uint32_t p = 0; p < job->phase_count; p++)
	{
		if (job->phases[p].parent != FG_NONE)
			continue;
		job->root = p;
		roots++;
	}
	return roots == 1 || fg_fail(ctx, FG_ERROR_ARGUMENT, "a job has one phase without a parent");
}

bool
fg_job_prepare(FgContext *ctx, FgJob *job)
{
	/* of no element where there are none: there may be no array */
	const uint32_t *phase_parents = job->phase_count == 0 ? NULL : &job->phases->parent;
	const uint32_t *type_parents =
		job->phase_type_count == 0 ? NULL : &job->phase_types->parent;
	const uint32_t *resource_parents = job->resource_count == 0 ? NULL : &job->resources->parent;
	const uint32_t *used = job->usage_count == 0 ? NULL : &job->usages->resource;
	const uint32_t *blocked = job->blocking_count == 0 ? NULL : &job->blockings->resource;

	return find_root(ctx, job) &&
		fg_job_tree_make(ctx, phase_parents, sizeof(FgPhase), job->phase_count,
						 &job->phase_tree) &&
		fg_job_tree_make(ctx, type_parents, sizeof(FgPhaseType), job->phase_type_count,
						 &job->phase_type_tree) &&
		fg_job_tree_make(ctx, resource_parents, sizeof(FgResource), job->resource_count,
						 &job->resource_tree) &&
		(job->first_usage = first_rows(ctx, used, sizeof(FgUsage), job->usage_count,
									   job->resource_count)) != NULL &&
		(job->first_blocking = first_rows(ctx, blocked, sizeof(FgBlocking),
										  job->blocking_count, job->resource_count)) != NULL;
}

void
fg_job_free(FgContext *ctx, FgJob *job)
{
	fg_job_tree_free(ctx, &job->phase_tree);
	fg_job_tree_free(ctx, &job->phase_type_tree);
	fg_job_tree_free(ctx, &job->resource_tree);
	fg_release(ctx, job->first_usage);
	fg_release(ctx, job->first_blocking);
	job->first_usage = NULL;
	job->first_blocking = NULL;
}
