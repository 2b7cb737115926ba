/*
 * max_t.c
 *	  Single-step maxT by relabelling (see max_t.h).
 */
#include "core/compare/max_t.h"

#include "core/base/order.h"
#include "core/base/random.h"
#include "core/profile/tree_pair.h"

#include <math.h>
#include <string.h>

/* --- values of the tested keys ------------------------------------------------------------ */

/* What a profile has, by the rows of the comparison in ascending order. */
typedef struct List
{
	uint32_t	count;
	uint32_t   *row;
	double	   *value;
} List;

typedef struct Values
{
	FgContext  *ctx;
	const FgWelchComparison *comparison;
	uint32_t   *row_of;			/* by node of the keys; FG_NONE: not tested */
	uint32_t	nprofiles;
	List	   *lists;			/* by profile */
} Values;

static void
values_free(Values *values)
{
	for (uint32_t i = 0; values->lists != NULL && i < values->nprofiles; i++)
	{
		fg_release(values->ctx, values->lists[i].row);
		fg_release(values->ctx, values->lists[i].value);
	}
	fg_release(values->ctx, values->row_of);
	fg_release(values->ctx, values->lists);
}

static bool
values_begin(Values *values, FgContext *ctx, const FgWelchComparison *comparison, size_t nprofiles)
{
	size_t		nodes = (size_t) comparison->keys.nnodes + 1;

	memset(values, 0, sizeof(*values));
	values->ctx = ctx;
	values->comparison = comparison;
	values->row_of = fg_alloc(ctx, nodes, sizeof(uint32_t));
	values->lists = fg_alloc_zero(ctx, nprofiles, sizeof(List));
	if (values->row_of == NULL || values->lists == NULL)
	{
		values_free(values);
		return false;
	}
	memset(values->row_of, 0xFF, nodes * sizeof(uint32_t));
	for (uint32_t i = 0; i < comparison->count; i++)
		values->row_of[comparison->rows[i].node] = i;
	return true;
}

static void
add_value(const Values *values, List *list, uint32_t node, double value)
{
	if (value == 0 || values->row_of[node] == FG_NONE)
		return;
	list->row[list->count] = values->row_of[node];
	list->value[list->count++] = value;
}

/* The keys have every node of the profile, so the walk is over theirs. */
static bool
fill_list(const Values *values, const FgTreePair *pair, double factor, List *list)
{
	const FgTree *profile = pair->b;
	uint32_t	j = 1;

	add_value(values, list, 0, profile->self[0] / factor);
	for (uint32_t i = 1; j <= profile->nnodes && i <= pair->a->nnodes; i++)
	{
		if (!fg_check_every(values->ctx, i))
			return false;
		if (pair->key_a[i] == pair->key_b[j])
			add_value(values, list, i, profile->self[j++] / factor);
	}
	return true;
}

static bool
add_profile(Values *values, const FgTree *profile, double factor)
{
	FgContext  *ctx = values->ctx;
	List	   *list = &values->lists[values->nprofiles++];
	size_t		most = (size_t) profile->nnodes + 1;
	FgTreePair	pair;
	bool		ok;

	if (most > values->comparison->count)
		most = values->comparison->count;
	list->row = fg_alloc(ctx, most, sizeof(uint32_t));
	list->value = fg_alloc(ctx, most, sizeof(double));
	if (list->row == NULL || list->value == NULL || !fg_check(ctx) ||
		!fg_tree_pair_begin(ctx, &values->comparison->keys, profile, &pair))
		return false;
	ok = fill_list(values, &pair, factor, list);
	fg_tree_pair_end(ctx, &pair);
	return ok;
}

static bool
add_group(Values *values, FgKeptProfiles *kept, const FgProfiles *profiles, FgLevel level,
		  double factor)
{
	FgContext  *ctx = values->ctx;

	for (size_t i = 0; i < profiles->count; i++)
	{
		FgTree		profile;
		bool		ok;

		if (!fg_kept_take(ctx, kept, profiles, i, level, &profile))
			return false;
		ok = add_profile(values, &profile, factor);
		fg_tree_free(ctx, &profile);
		if (!ok)
			return false;
	}
	return true;
}

/* --- relabellings ------------------------------------------------------------------------ */

#define BITS 5
#define TABLE (1 << BITS)

/*
 * Which profiles are "after": for each relabelling a byte for every BITS profiles.
 * The first one is as things are.
 */
typedef struct Labels
{
	uint32_t	nprofiles;
	uint32_t	nafter;
	uint32_t	ntables;
	uint32_t	count;			/* without the first */
	bool		exact;
	uint8_t    *bytes;			/* (count + 1) * ntables */
} Labels;

/* How many relabellings are drawn where there are too many to take all. */
typedef struct Drawing
{
	uint32_t	permutations;
	uint64_t	seed;
} Drawing;

/* n over k, or something larger than limit. */
static uint64_t
binomial(uint32_t n, uint32_t k, uint64_t limit)
{
	uint64_t	result = 1;

	if (k > n - k)
		k = n - k;
	for (uint32_t i = 1; i <= k && result <= limit; i++)
		result = result * (n - k + i) / i;
	return result;
}

static void
set_labels(const Labels *labels, uint32_t number, const uint32_t *after)
{
	uint8_t    *bytes = labels->bytes + (size_t) number * labels->ntables;

	memset(bytes, 0, labels->ntables);
	for (uint32_t i = 0; i < labels->nafter; i++)
		bytes[after[i] / BITS] |= (uint8_t) (1 << after[i] % BITS);
}

/* The next subset of size k of 0 .. n - 1 in lexicographic order; false after the last. */
static bool
next_subset(uint32_t *subset, uint32_t k, uint32_t n)
{
	uint32_t	i = k;

	while (i > 0 && subset[i - 1] == n - k + i - 1)
		i--;
	if (i == 0)
		return false;
	subset[i - 1]++;
	for (; i < k; i++)
		subset[i] = subset[i - 1] + 1;
	return true;
}

static bool
fill_labels(FgContext *ctx, Labels *labels, uint64_t seed)
{
	uint32_t	n = labels->nprofiles;
	uint32_t   *order = fg_alloc(ctx, n, sizeof(uint32_t));
	bool		ok = order != NULL;
	FgRandom	random;

	for (uint32_t i = 0; ok && i < n; i++)
		order[i] = i;
	if (ok)
		set_labels(labels, 0, order + (n - labels->nafter));
	fg_random_seed(&random, seed);
	for (uint32_t r = 1; ok && r <= labels->count; r++)
	{
		ok = r % 256 != 0 || fg_check(ctx);
		if (!labels->exact)
			fg_random_shuffle(&random, order, n);
		else if (r > 1)
			next_subset(order, labels->nafter, n);
		set_labels(labels, r, order);
	}
	fg_release(ctx, order);
	return ok;
}

static bool
make_labels(FgContext *ctx, uint32_t nbefore, uint32_t nafter, const Drawing *drawing,
			Labels *labels)
{
	uint64_t	all = binomial(nbefore + nafter, nafter, FG_MAX_T_EXACT);

	labels->nprofiles = nbefore + nafter;
	labels->nafter = nafter;
	labels->ntables = (labels->nprofiles + BITS - 1) / BITS;
	labels->exact = all <= FG_MAX_T_EXACT;
	labels->count = labels->exact ? (uint32_t) all : drawing->permutations;
	labels->bytes = fg_alloc(ctx, ((size_t) labels->count + 1) * labels->ntables, 1);
	return labels->bytes != NULL && fill_labels(ctx, labels, drawing->seed);
}

/* --- a block of keys ------------------------------------------------------------------------ */

/*
 * Four keys side by side: the compiler makes vectors of the loops over LANES, and the
 * tables of 100 profiles, 40 kB, stay in the caches next to the processor.
 */
#define LANES 4

/* Relabellings between two polls: a few milliseconds for a thousand profiles. */
#define CHECK_LABELS 1024

/*
 * Variances are of values that are centred and scaled to a sum of squares of 1; less
 * than this is rounding.
 */
#define NO_VARIANCE 1e-13

/* Two relabellings that exchange the groups have the same |t| but for rounding. */
#define TIE (1 - 1e-9)

typedef struct Entry
{
	double		sum[LANES];
	double		square[LANES];
} Entry;

typedef struct Block
{
	Labels		labels;
	double		inverse[2];		/* 1 / n: before, after */
	double		weight[2];		/* 1 / (n (n - 1)) */
	double	   *x;				/* nprofiles * LANES */
	uint32_t   *next;			/* of each profile's values */
	Entry	   *tables;			/* ntables * TABLE */
	Entry		total;
	double	   *best;			/* by relabelling and lane: the largest t^2 so far */
	double	   *own;			/* by row: t^2 as things are */
} Block;

static void
take_values(const Values *values, Block *block, uint32_t first)
{
	memset(block->x, 0, (size_t) values->nprofiles * LANES * sizeof(double));
	for (uint32_t i = 0; i < values->nprofiles; i++)
	{
		const List *list = &values->lists[i];
		uint32_t	next = block->next[i];

		for (; next < list->count && list->row[next] < first + LANES; next++)
			block->x[(size_t) i * LANES + list->row[next] - first] = list->value[next];
		block->next[i] = next;
	}
}

/*
 * Neither t nor the share of the rounding changes when a key's values are shifted by
 * their mean and scaled by the root of their squares.  A constant key becomes 0.
 */
static void
standardise(Block *block, uint32_t lane)
{
	double	   *x = block->x + lane;
	size_t		end = (size_t) block->labels.nprofiles * LANES;
	double		largest = 0;
	double		mean = 0;
	double		squares = 0;
	double		scale;

	for (size_t i = 0; i < end; i += LANES)
		largest = fmax(largest, fabs(x[i]));
	if (largest == 0)
		return;
	for (size_t i = 0; i < end; i += LANES)
	{
		x[i] /= largest;
		mean += x[i];
	}
	mean /= block->labels.nprofiles;
	for (size_t i = 0; i < end; i += LANES)
	{
		x[i] -= mean;
		squares += x[i] * x[i];
	}
	scale = squares > block->labels.nprofiles * NO_VARIANCE * NO_VARIANCE ? 1 / sqrt(squares) : 0;
	for (size_t i = 0; i < end; i += LANES)
		x[i] *= scale;
}

/* Each subset is one profile more than a smaller subset. */
static void
make_table(const double *x, uint32_t nprofiles, Entry *table)
{
	memset(&table[0], 0, sizeof(Entry));
	for (uint32_t bit = 0; bit < BITS; bit++)
	{
		for (uint32_t set = 0; set < UINT32_C(1) << bit; set++)
		{
			Entry	   *entry = &table[(1 << bit) + set];

			for (int l = 0; l < LANES; l++)
			{
				double		value = bit < nprofiles ? x[bit * LANES + l] : 0;

				entry->sum[l] = table[set].sum[l] + value;
				entry->square[l] = table[set].square[l] + value * value;
			}
		}
	}
}

static void
make_tables(Block *block)
{
	uint32_t	n = block->labels.nprofiles;

	memset(&block->total, 0, sizeof(Entry));
	for (uint32_t t = 0; t < block->labels.ntables; t++)
	{
		Entry	   *table = block->tables + (size_t) t * TABLE;

		make_table(block->x + (size_t) t * BITS * LANES, n - t * BITS, table);
		for (int l = 0; l < LANES; l++)
		{
			block->total.sum[l] += table[TABLE - 1].sum[l];
			block->total.square[l] += table[TABLE - 1].square[l];
		}
	}
}

/* t^2 of each key in one relabelling; NaN for a constant key. */
static inline void
relabel(const Block *block, const uint8_t *bytes, double *t2)
{
	const Entry *tables = block->tables;
	Entry		after = tables[bytes[0]];

	for (uint32_t t = 1; t < block->labels.ntables; t++)
	{
		const Entry *part = &tables[(size_t) t * TABLE + bytes[t]];

		for (int l = 0; l < LANES; l++)
			after.sum[l] += part->sum[l];
		for (int l = 0; l < LANES; l++)
			after.square[l] += part->square[l];
	}
	for (int l = 0; l < LANES; l++)
	{
		double		s2 = after.sum[l];
		double		s1 = block->total.sum[l] - s2;
		double		v1 = block->total.square[l] - after.square[l] - s1 * s1 * block->inverse[0];
		double		v2 = after.square[l] - s2 * s2 * block->inverse[1];
		double		delta = s2 * block->inverse[1] - s1 * block->inverse[0];
		double		error = v1 * block->weight[0] + v2 * block->weight[1];

		error = v1 + v2 > NO_VARIANCE ? error : 0;
		t2[l] = delta * delta / error;
	}
}

static bool
relabel_block(FgContext *ctx, Block *block)
{
	for (uint32_t r = 1; r <= block->labels.count; r++)
	{
		double	   *best = block->best + (size_t) r * LANES;
		double		t2[LANES];

		if (r % CHECK_LABELS == 0 && !fg_check(ctx))
			return false;
		relabel(block, block->labels.bytes + (size_t) r * block->labels.ntables, t2);
		for (int l = 0; l < LANES; l++)
			best[l] = t2[l] > best[l] ? t2[l] : best[l];
	}
	return true;
}

static bool
relabel_keys(FgContext *ctx, const Values *values, Block *block)
{
	uint32_t	count = values->comparison->count;

	memset(block->next, 0, values->nprofiles * sizeof(uint32_t));
	for (uint32_t first = 0; first < count; first += LANES)
	{
		double		t2[LANES];

		if (!fg_check(ctx))
			return false;
		take_values(values, block, first);
		for (uint32_t l = 0; l < LANES; l++)
			standardise(block, l);
		make_tables(block);
		relabel(block, block->labels.bytes, t2);
		for (uint32_t l = 0; l < LANES && first + l < count; l++)
			block->own[first + l] = isnan(t2[l]) ? 0 : t2[l];
		if (!relabel_block(ctx, block))
			return false;
	}
	return true;
}

/* --- p-values ------------------------------------------------------------------------------ */

/* How many of these values, in descending order, reach a bound. */
static uint32_t
count_from(const double *values, const uint32_t *order, uint32_t count, double bound)
{
	uint32_t	low = 0;
	uint32_t	high = count;

	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (values[order[middle]] >= bound)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The largest t^2 of each relabelling, over all keys. */
static double *
largest_values(FgContext *ctx, const Block *block)
{
	uint32_t	m = block->labels.count;
	double	   *largest = fg_alloc(ctx, m, sizeof(double));

	for (uint32_t r = 0; largest != NULL && r < m; r++)
	{
		const double *best = block->best + ((size_t) r + 1) * LANES;

		largest[r] = best[0];
		for (int l = 1; l < LANES; l++)
			largest[r] = fmax(largest[r], best[l]);
	}
	return largest;
}

/* Drawn at random, (b + 1) / (m + 1): as things are is one of the relabellings, drawn or not. */
static bool
set_p_values(FgContext *ctx, const Block *block, FgWelchComparison *comparison)
{
	uint32_t	m = block->labels.count;
	double	   *largest = largest_values(ctx, block);
	uint32_t   *order = fg_alloc(ctx, m, sizeof(uint32_t));
	bool		ok = largest != NULL && order != NULL && fg_order_descending(ctx, largest, m, order);

	for (uint32_t i = 0; ok && i < comparison->count; i++)
	{
		uint32_t	b = count_from(largest, order, m, block->own[i] * TIE);

		ok = fg_steps(ctx, 16);
		comparison->rows[i].q = block->labels.exact ? (double) b / m : (b + 1.0) / (m + 1.0);
	}
	fg_release(ctx, largest);
	fg_release(ctx, order);
	return ok;
}

/* --- interface ------------------------------------------------------------------------------ */

static void
block_free(FgContext *ctx, Block *block)
{
	fg_release(ctx, block->labels.bytes);
	fg_release(ctx, block->x);
	fg_release(ctx, block->next);
	fg_release(ctx, block->tables);
	fg_release(ctx, block->best);
	fg_release(ctx, block->own);
}

static bool
block_alloc(FgContext *ctx, Block *block, uint32_t rows)
{
	uint32_t	n = block->labels.nprofiles;

	block->x = fg_alloc(ctx, (size_t) n * LANES, sizeof(double));
	block->next = fg_alloc(ctx, n, sizeof(uint32_t));
	block->tables = fg_alloc(ctx, (size_t) block->labels.ntables * TABLE, sizeof(Entry));
	block->best = fg_alloc_zero(ctx, ((size_t) block->labels.count + 1) * LANES, sizeof(double));
	block->own = fg_alloc(ctx, rows, sizeof(double));
	return block->x != NULL && block->next != NULL && block->tables != NULL &&
		block->best != NULL && block->own != NULL;
}

static bool
max_t_of_values(FgContext *ctx, const Values *values, Block *block, FgWelchComparison *comparison)
{
	double		n1 = block->labels.nprofiles - block->labels.nafter;
	double		n2 = block->labels.nafter;

	block->inverse[0] = 1 / n1;
	block->inverse[1] = 1 / n2;
	block->weight[0] = 1 / (n1 * (n1 - 1));
	block->weight[1] = 1 / (n2 * (n2 - 1));
	return block_alloc(ctx, block, comparison->count) && relabel_keys(ctx, values, block) &&
		set_p_values(ctx, block, comparison);
}

/* One group after the other, because the labels number the profiles so. */
static bool
adjust_by_relabelling(FgContext *ctx, FgKeptProfiles kept[2], const FgProfiles *before,
					  const FgProfiles *after, const Drawing *drawing, FgLevel level,
					  FgWelchComparison *comparison)
{
	Values		values;
	Block		block;
	bool		ok;

	if (!values_begin(&values, ctx, comparison, before->count + after->count))
		return false;
	memset(&block, 0, sizeof(block));
	ok = make_labels(ctx, (uint32_t) before->count, (uint32_t) after->count, drawing,
					 &block.labels) &&
		add_group(&values, &kept[0], before, level, 1) &&
		add_group(&values, &kept[1], after, level, comparison->factor) &&
		max_t_of_values(ctx, &values, &block, comparison);
	values_free(&values);
	block_free(ctx, &block);
	return ok;
}

static bool
compare_and_relabel(FgContext *ctx, FgKeptProfiles kept[2], const FgProfiles *before,
					const FgProfiles *after, const FgProfiles noise[2],
					const FgCompareOptions *options, const Drawing *drawing,
					FgWelchComparison *result)
{
	if (!fg_compare_profiles(ctx, before, after, noise, options, kept, result))
		return false;
	if (before->count < 2 || after->count < 2 ||
		adjust_by_relabelling(ctx, kept, before, after, drawing, options->level, result))
		return true;
	fg_comparison_free(ctx, result);
	return false;
}

bool
fg_max_t(FgContext *ctx, const FgProfiles *before, const FgProfiles *after,
		 const FgProfiles noise[2], const FgCompareOptions *options, uint32_t permutations, uint64_t seed,
		 FgWelchComparison *result)
{
	FgCompareOptions uncorrected = *options;
	FgKeptProfiles kept[2] = {{.tree = NULL}, {.tree = NULL}};
	Drawing		drawing = {permutations, seed};
	bool		ok;

	if (permutations == 0 || permutations > FG_MAX_PERMUTATIONS)
		return fg_fail(ctx, FG_ERROR_ARGUMENT, "permutations must be between 1 and %d, not %u",
					   FG_MAX_PERMUTATIONS, permutations);
	uncorrected.correction = FG_CORRECT_NONE;
	ok = fg_kept_begin(ctx, &kept[0], before->count, FG_KEPT_MEMORY) &&
		fg_kept_begin(ctx, &kept[1], after->count, FG_KEPT_MEMORY) &&
		compare_and_relabel(ctx, kept, before, after, noise, &uncorrected, &drawing,
							result);
	fg_kept_end(ctx, &kept[0]);
	fg_kept_end(ctx, &kept[1]);
	return ok;
}
