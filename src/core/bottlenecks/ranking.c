/*
 * ranking.c
 *	  Collects issues and sorts them (see ranking.h).
 */
#include "core/bottlenecks/ranking.h"

#include "core/base/order.h"
#include "core/bottlenecks/bottleneck_issues.h"
#include "core/bottlenecks/imbalance.h"

#include <math.h>

typedef struct Ranking
{
	FgContext  *ctx;
	FgIssue    *issues;
	size_t		count;
	size_t		capacity;
	const FgNamedIssue *named;
	uint32_t   *order;			/* named issues by rule and source */
	int64_t    *name_key;		/* by named issue: its place among the words of all issues */
} Ranking;

static bool
add(Ranking *r, uint32_t phase, FgIssueKind kind, uint32_t source, double impact)
{
	if (!fg_reserve(r->ctx, (void **) &r->issues, &r->capacity, r->count + 1, sizeof(FgIssue)))
		return false;
	if (r->count >= FG_UNKNOWN)
		return fg_fail(r->ctx, FG_ERROR_LIMIT, "there are too many issues");
	r->issues[r->count++] = (FgIssue) {phase, kind, source, 0, impact};
	return true;
}

static bool
add_bottleneck(void *arg, uint32_t phase, uint32_t resource_type, double impact)
{
	return add(arg, phase, FG_ISSUE_BOTTLENECK, resource_type, impact);
}

static bool
add_imbalance(void *arg, uint32_t phase, const FgMakespan *makespan)
{
	return !fg_is_imbalanced(makespan) ||
		add(arg, phase, FG_ISSUE_IMBALANCE, makespan->type, makespan->actual - makespan->optimal);
}

/* --- named issues ---------------------------------------------------------------------- */

/* Issues of equal impact stand in the order of their words: rules before, between, behind ours. */
enum
{
	BEFORE, BOTTLENECK, BETWEEN, IMBALANCE, BEHIND
};

static int64_t
group_of(FgSpan rule)
{
	if (fg_span_compare(rule, (FgSpan) {"bottleneck", 10}) < 0)
		return BEFORE;
	return fg_span_compare(rule, (FgSpan) {"imbalance", 9}) < 0 ? BETWEEN : BEHIND;
}

static int
compare_names(const void *arg, uint32_t a, uint32_t b)
{
	const FgNamedIssue *named = arg;
	int			order = fg_span_compare(named[a].rule, named[b].rule);

	return order != 0 ? order : fg_span_compare(named[a].source, named[b].source);
}

static bool
add_named(Ranking *r, const FgNamedIssue *named, size_t count)
{
	if (count == 0)
		return true;
	if (count >= FG_UNKNOWN)
		return fg_fail(r->ctx, FG_ERROR_LIMIT, "there are too many issues");
	r->named = named;
	r->order = fg_alloc(r->ctx, count, sizeof(uint32_t));
	r->name_key = fg_alloc(r->ctx, count, sizeof(int64_t));
	if (r->order == NULL || r->name_key == NULL ||
		!fg_order_by(r->ctx, (uint32_t) count, compare_names, named, r->order))
		return false;
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t	issue = r->order[i];

		r->name_key[issue] = group_of(named[issue].rule) << 32 | i;
		if (!add(r, named[i].phase, FG_ISSUE_NAMED, i, named[i].impact) ||
			!fg_check_every(r->ctx, i))
			return false;
	}
	return true;
}

/* --- order ------------------------------------------------------------------------------ */

static int64_t
name_key(const Ranking *r, const FgIssue *issue)
{
	if (issue->kind == FG_ISSUE_NAMED)
		return r->name_key[issue->source];
	return (int64_t) (issue->kind == FG_ISSUE_BOTTLENECK ? BOTTLENECK : IMBALANCE) << 32 |
		issue->source;
}

/* From the least significant key to the most significant one; each sort is stable. */
static int64_t
key_of(const Ranking *r, const FgIssue *issue, int key)
{
	switch (key)
	{
		case 0:
			return name_key(r, issue);
		case 1:
			return -llround(fmin(issue->impact * 1e6, 0x1p62));
		default:
			return issue->phase;
	}
}

static bool
sort(Ranking *r, FgSortKey *keys, FgSortKey *spare, FgIssue *sorted)
{
	for (size_t i = 0; i < r->count; i++)
		keys[i].item = (uint32_t) i;
	for (int key = 0; key < 3; key++)
	{
		for (size_t i = 0; i < r->count; i++)
		{
			keys[i].key = key_of(r, &r->issues[keys[i].item], key);
			if (!fg_check_every(r->ctx, i))
				return false;
		}
		if (!fg_sort_keys(r->ctx, keys, r->count, spare))
			return false;
	}
	for (size_t i = 0; i < r->count; i++)
	{
		sorted[i] = r->issues[keys[i].item];
		sorted[i].rank = i > 0 && sorted[i - 1].phase == sorted[i].phase ?
			sorted[i - 1].rank + 1 : 1;
		if (!fg_check_every(r->ctx, i))
			return false;
	}
	return true;
}

bool
fg_rank_issues(const FgAnalysis *analysis, const FgBottlenecks *leaves, FgIssue **issues,
			   size_t *count)
{
	return fg_rank_all_issues(analysis, leaves, NULL, 0, issues, count);
}

bool
fg_rank_all_issues(const FgAnalysis *analysis, const FgBottlenecks *leaves,
				   const FgNamedIssue *named, size_t named_count, FgIssue **issues,
				   size_t *count)
{
	FgContext  *ctx = analysis->ctx;
	Ranking		r = {.ctx = ctx};
	FgSortKey  *keys = NULL;
	FgSortKey  *spare = NULL;
	FgIssue    *sorted = NULL;
	bool		ok = fg_bottleneck_issues(analysis, leaves, add_bottleneck, &r) &&
		fg_imbalance(analysis, add_imbalance, &r) &&
		add_named(&r, named, named_count) &&
		(keys = fg_alloc(ctx, r.count, sizeof(FgSortKey))) != NULL &&
		(spare = fg_alloc(ctx, r.count, sizeof(FgSortKey))) != NULL &&
		(sorted = fg_alloc(ctx, r.count, sizeof(FgIssue))) != NULL &&
		sort(&r, keys, spare, sorted);

	fg_release(ctx, r.issues);
	fg_release(ctx, r.order);
	fg_release(ctx, r.name_key);
	fg_release(ctx, keys);
	fg_release(ctx, spare);
	*issues = sorted;
	*count = r.count;
	if (ok)
		return true;
	fg_release(ctx, sorted);
	*issues = NULL;
	return false;
}
