/*
 * moving_average.c
 *	  Moving averages (see moving_average.h).
 *
 * Plain averages take constant time for a point without subtracting anything: points
 * are cut into blocks as long as the window, so that each window is the end of one
 * block and the start of the next, and both have running sums (van Herk 1992).  What
 * has left the window is gone; in a sum from which it is subtracted, it would leave
 * its rounding errors behind.  Medians come from two heaps, one on each side of it.
 */
#include "core/models/moving_average.h"

#include "core/base/series.h"
#include "core/models/moving_average_internal.h"

#include <math.h>

/* The automatic window: where it starts and when it is good enough. */
#define AUTOMATIC_SHARE 20
#define GOOD_R_SQUARE 0.88

static const char *const method_words[] = {"sma", "smm", "ema"};

const char *
fg_average_word(FgAverage method)
{
	return method_words[method];
}

bool
fg_average_parse(FgContext *ctx, const char *text, size_t length, FgAverage *method)
{
	static const FgChoice choice = {
		"method", "Available: sma (simple), smm (median), ema (exponential).", method_words, FG_EMA + 1
	};
	int			place;

	if (!fg_choice_parse(ctx, &choice, text, length, &place))
		return false;
	*method = (FgAverage) place;
	return true;
}

/* --- options -------------------------------------------------------------------- */

static const char window_hint[] = "It is a number of points.";
static const char method_hint[] =
	"sma has window_size, center, min_periods, window_type and beta; smm the first three; "
	"ema has com, span, halflife or alpha, and adjust and min_periods.";
static const char decay_hint[] = "ema needs exactly one of com, span, halflife and alpha.";

FgAverageOptions
fg_average_defaults(FgAverage method)
{
	return (FgAverageOptions) {
		.method = method,
		.window_size = FG_NOT_GIVEN,
		.center = true,
		.min_periods = FG_NOT_GIVEN,
		.beta = NAN,
		.com = NAN,
		.span = NAN,
		.halflife = NAN,
		.alpha = NAN,
		.adjust = true
	};
}

static bool
refuse(FgContext *ctx, const char *hint, const char *reason)
{
	return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, hint, "%s", reason);
}

static int
count_decays(const FgAverageOptions *o)
{
	return !isnan(o->com) + !isnan(o->span) + !isnan(o->halflife) + !isnan(o->alpha);
}

static bool
check_window(FgContext *ctx, const FgAverageOptions *o)
{
	if (count_decays(o) > 0)
		return refuse(ctx, method_hint, "com, span, halflife and alpha are for ema only");
	if (o->window_size != FG_NOT_GIVEN && o->window_size < 1)
		return refuse(ctx, window_hint, "window_size must be at least 1");
	if (o->window_size != FG_NOT_GIVEN && o->min_periods != FG_NOT_GIVEN &&
		o->min_periods > o->window_size)
		return refuse(ctx, "Windows never contain more points than window_size.",
					  "min_periods is larger than window_size");
	if (o->method != FG_SMA && (o->weighted || !isnan(o->beta)))
		return refuse(ctx, method_hint, "window_type and beta are for sma only");
	if (!isnan(o->beta) && !(o->weighted && o->window_type == FG_WINDOW_KAISER))
		return refuse(ctx, "Leave it out, or set window_type to kaiser.",
					  "beta is for window_type kaiser only");
	if (isinf(o->beta))
		return refuse(ctx, "Common values are between 0 and 14.", "beta must be finite");
	return true;
}

/* One of the four is given, so at most one of the others can be out of its range. */
static bool
check_decay(FgContext *ctx, const FgAverageOptions *o)
{
	if (o->window_size != FG_NOT_GIVEN || o->weighted || !isnan(o->beta))
		return refuse(ctx, method_hint, "window_size, window_type and beta are not for ema");
	if (count_decays(o) != 1)
		return refuse(ctx, decay_hint, count_decays(o) == 0 ? "ema needs to know how fast to decay"
					  : "ema takes only one of com, span, halflife and alpha");
	if (o->com < 0 || isinf(o->com))
		return refuse(ctx, "The decay is 1 / (1 + com).", "com must be finite and at least 0");
	if (o->span < 1 || isinf(o->span))
		return refuse(ctx, "The decay is 2 / (span + 1).", "span must be finite and at least 1");
	if (o->halflife <= 0 || isinf(o->halflife))
		return refuse(ctx, "It is the number of points after which a weight is half as large.",
					  "halflife must be finite and greater than 0");
	if (o->alpha <= 0 || o->alpha > 1)
		return refuse(ctx, "It is the weight of the newest point.",
					  "alpha must be greater than 0 and at most 1");
	return true;
}

bool
fg_average_check(FgContext *ctx, const FgAverageOptions *options)
{
	if (options->min_periods != FG_NOT_GIVEN && options->min_periods < 1)
		return refuse(ctx, "It is the least number of points that give a value.",
					  "min_periods must be at least 1");
	return options->method == FG_EMA ? check_decay(ctx, options) : check_window(ctx, options);
}

/* --- windows -------------------------------------------------------------------- */

/*
 * The window of point i is i - back .. i + ahead, cut to the points there are.  A
 * window wider than that is cut beforehand, so that back and ahead are below n.
 */
typedef struct Windows
{
	FgContext  *ctx;
	const double *y;
	size_t		n;
	int64_t		width;			/* uncut */
	size_t		back;
	size_t		ahead;
	size_t		cut;			/* places of the uncut window before those of this one */
	size_t		least;			/* points that give a value */
	double	   *fitted;
} Windows;

static size_t
cut_to(uint64_t places, size_t n)
{
	return places < n ? (size_t) places : n - 1;
}

static Windows
make_windows(FgContext *ctx, const double *y, size_t n, const FgAverageOptions *o, int64_t width,
			 double *fitted)
{
	uint64_t	ahead = o->center ? (uint64_t) (width - 1) / 2 : 0;
	uint64_t	back = (uint64_t) width - 1 - ahead;
	Windows		w = {
		.ctx = ctx, .y = y, .n = n, .width = width, .fitted = fitted,
		.back = cut_to(back, n), .ahead = cut_to(ahead, n), .least = (size_t) width
	};

	w.cut = back - w.back;
	if (o->min_periods != FG_NOT_GIVEN && o->min_periods < width)
		w.least = (size_t) o->min_periods;
	return w;
}

static inline size_t
window_start(const Windows *w, size_t i)
{
	return i > w->back ? i - w->back : 0;
}

static inline size_t
window_end(const Windows *w, size_t i)
{
	return i + w->ahead < w->n ? i + w->ahead + 1 : w->n;
}

static inline size_t
window_points(const Windows *w, size_t i)
{
	return window_end(w, i) - window_start(w, i);
}

/* --- plain averages ------------------------------------------------------------- */

/*
 * ends[k] = the sum of the points, scaled, of one block from its k-th place on.  The
 * block starts "back" places before point i; places without a point count 0.
 */
static bool
sum_ends(const Windows *w, double scale, size_t i, FgDouble2 *ends, size_t length)
{
	FgDouble2	sum = {0, 0};

	for (size_t k = length; k > 0; k--)
	{
		size_t		place = i + k - 1;	/* plus back */

		if (!fg_check_every(w->ctx, k))
			return false;
		if (place >= w->back && place - w->back < w->n)
			fg_sum_twice(&sum, w->y[place - w->back] * scale);
		ends[k - 1] = sum;
	}
	return true;
}

/* The windows of length points from start on; the k-th ends k places into the next block. */
static bool
average_block(const Windows *w, double scale, size_t start, const FgDouble2 *ends, size_t length,
			  bool *overflow)
{
	FgDouble2	next = {0, 0};

	for (size_t i = start; i < start + length && i < w->n; i++)
	{
		FgDouble2	sum = ends[i - start];
		size_t		points = window_points(w, i);
		double		total;

		if (!fg_check_every(w->ctx, i))
			return false;
		if (i > start && i + w->ahead < w->n)
			fg_sum_twice(&next, w->y[i + w->ahead] * scale);
		if (scale != 1 && !isinf(w->fitted[i]))
			continue;
		fg_sum_twice(&sum, next.high);
		sum.low += next.low;
		total = sum.high + sum.low;
		if (points < w->least)
			w->fitted[i] = NAN;
		else if (isfinite(total))
			w->fitted[i] = total / (double) points / scale;
		else
		{
			w->fitted[i] = INFINITY;
			*overflow = true;
		}
	}
	return true;
}

static bool
plain_averages(const Windows *w)
{
	size_t		length = w->back + w->ahead + 1;
	FgDouble2  *ends = fg_alloc(w->ctx, length, sizeof(FgDouble2));
	bool		ok = ends != NULL;
	bool		overflow = true;

	/* a sum may overflow whose mean does not: those are taken again, of smaller numbers */
	for (double scale = 1; ok && overflow; scale *= 0x1p-64)
	{
		overflow = false;
		for (size_t start = 0; ok && start < w->n; start += length)
			ok = sum_ends(w, scale, start, ends, length) &&
				average_block(w, scale, start, ends, length, &overflow);
	}
	fg_release(w->ctx, ends);
	return ok;
}

/* --- weighted averages ---------------------------------------------------------- */

typedef struct Weighing
{
	double		sum;
	double		weight;
} Weighing;

/* Four sums each, because one addition would have to wait for the one before. */
static void
weigh(const double *weights, const double *y, size_t n, Weighing *total)
{
	double		sum[4] = {0, 0, 0, 0};
	double		weight[4] = {0, 0, 0, 0};
	size_t		i = 0;

	for (; i + 4 <= n; i += 4)
	{
		for (int lane = 0; lane < 4; lane++)
		{
			sum[lane] += weights[i + lane] * y[i + lane];
			weight[lane] += weights[i + lane];
		}
	}
	for (; i < n; i++)
	{
		sum[0] += weights[i] * y[i];
		weight[0] += weights[i];
	}
	total->sum += (sum[0] + sum[1]) + (sum[2] + sum[3]);
	total->weight += (weight[0] + weight[1]) + (weight[2] + weight[3]);
}

static bool
weighted_average(const Windows *w, const double *weights, size_t i)
{
	size_t		start = window_start(w, i);
	size_t		end = window_end(w, i);
	Weighing	total = {0, 0};

	weights += w->back + start - i;
	for (size_t p = start, block; p < end; p += block)
	{
		block = end - p < FG_CHECK_NODES ? end - p : FG_CHECK_NODES;
		weigh(weights + (p - start), w->y + p, block, &total);
		if (!fg_steps(w->ctx, block + 1))
			return false;
	}
	w->fitted[i] = end - start < w->least || total.weight == 0 ? NAN : total.sum / total.weight;
	if (!isfinite(total.sum))
		return fg_fail(w->ctx, FG_ERROR_RANGE, "a moving average overflows");
	return true;
}

static bool
weighted_averages(const Windows *w, const FgAverageOptions *o)
{
	size_t		length = w->back + w->ahead + 1;
	double	   *weights = fg_alloc(w->ctx, length, sizeof(double));
	bool		ok = weights != NULL &&
		fg_window_weights(w->ctx, o->window_type, isnan(o->beta) ? FG_KAISER_BETA : o->beta,
						  w->width, w->cut, length, weights);

	for (size_t i = 0; ok && i < w->n; i++)
		ok = weighted_average(w, weights, i);
	fg_release(w->ctx, weights);
	return ok;
}

/* --- medians -------------------------------------------------------------------- */

/*
 * The values of a window in two heaps: "low" has the lower half with its greatest
 * value on top, "high" the upper half with its least.  Values of "low" are stored
 * negated, so that the least is on top of both.  low has as many as high, or one more.
 *
 * A value lives in the slot "position modulo length of the window", and where[slot] is
 * its place: k in low, ~k in high.
 */
typedef struct Item
{
	double		key;
	uint32_t	slot;
} Item;

typedef struct Heap
{
	Item	   *items;
	int32_t		count;
	int32_t		flip;			/* place k is stored as k ^ flip */
	double		sign;
} Heap;

typedef struct Middle
{
	Heap		low;
	Heap		high;
	int32_t    *where;
} Middle;

static inline void
put_item(Middle *m, Heap *heap, int32_t place, Item item)
{
	heap->items[place] = item;
	m->where[item.slot] = place ^ heap->flip;
}

/* Puts an item near a place that is free, where the order of the heap wants it. */
static void
settle(Middle *m, Heap *heap, int32_t place, Item item)
{
	while (place > 0 && heap->items[(place - 1) / 2].key > item.key)
	{
		put_item(m, heap, place, heap->items[(place - 1) / 2]);
		place = (place - 1) / 2;
	}
	for (int32_t child = 2 * place + 1; child < heap->count; child = 2 * place + 1)
	{
		child += child + 1 < heap->count && heap->items[child + 1].key < heap->items[child].key;
		if (heap->items[child].key >= item.key)
			break;
		put_item(m, heap, place, heap->items[child]);
		place = child;
	}
	put_item(m, heap, place, item);
}

static void
add_item(Middle *m, Heap *heap, double value, uint32_t slot)
{
	settle(m, heap, heap->count++, (Item) {value * heap->sign, slot});
}

static void
remove_item(Middle *m, Heap *heap, int32_t place)
{
	Item		last = heap->items[--heap->count];

	if (place < heap->count)
		settle(m, heap, place, last);
}

static void
move_top(Middle *m, Heap *from, Heap *to)
{
	Item		top = from->items[0];

	remove_item(m, from, 0);
	add_item(m, to, top.key * from->sign, top.slot);
}

static inline double
top_value(const Heap *heap)
{
	return heap->items[0].key * heap->sign;
}

static void
restore_balance(Middle *m)
{
	if (m->low.count > m->high.count + 1)
		move_top(m, &m->low, &m->high);
	else if (m->low.count < m->high.count)
		move_top(m, &m->high, &m->low);
}

static void
insert_value(Middle *m, double value, uint32_t slot)
{
	bool		below = m->low.count == 0 || value <= top_value(&m->low);

	add_item(m, below ? &m->low : &m->high, value, slot);
	restore_balance(m);
}

static inline Heap *
find_item(Middle *m, uint32_t slot, int32_t *place)
{
	Heap	   *heap = m->where[slot] < 0 ? &m->high : &m->low;

	*place = m->where[slot] ^ heap->flip;
	return heap;
}

static void
remove_value(Middle *m, uint32_t slot)
{
	int32_t		place;
	Heap	   *heap = find_item(m, slot, &place);

	remove_item(m, heap, place);
	restore_balance(m);
}

/* The new value takes the place of the old one; the halves differ in one value at most then. */
static void
replace_value(Middle *m, double value, uint32_t slot)
{
	int32_t		place;
	Heap	   *heap = find_item(m, slot, &place);
	Item		low;
	Item		high;

	settle(m, heap, place, (Item) {value * heap->sign, slot});
	if (m->high.count == 0 || top_value(&m->low) <= top_value(&m->high))
		return;
	low = m->low.items[0];
	high = m->high.items[0];
	settle(m, &m->low, 0, (Item) {-high.key, high.slot});
	settle(m, &m->high, 0, (Item) {-low.key, low.slot});
}

static double
middle_value(const Middle *m)
{
	if (m->low.count > m->high.count)
		return top_value(&m->low);
	return fg_middle(top_value(&m->low), top_value(&m->high));
}

static bool
middle_begin(FgContext *ctx, size_t length, Middle *m)
{
	/* one more: a new value comes before the balance is restored */
	size_t		half = length / 2 + 2;

	*m = (Middle) {
		.low = {.items = fg_alloc(ctx, half, sizeof(Item)), .sign = -1},
		.high = {.items = fg_alloc(ctx, half, sizeof(Item)), .sign = 1, .flip = -1},
		.where = fg_alloc(ctx, length, sizeof(int32_t))
	};
	if (length > INT32_MAX / 2)
		return fg_fail(ctx, FG_ERROR_LIMIT, "there are too many points for moving medians");
	return m->low.items != NULL && m->high.items != NULL && m->where != NULL;
}

static void
middle_end(FgContext *ctx, Middle *m)
{
	fg_release(ctx, m->low.items);
	fg_release(ctx, m->high.items);
	fg_release(ctx, m->where);
}

/* From the window before point i's to that one. */
static void
move_window(const Windows *w, Middle *m, size_t i, size_t length)
{
	size_t		newest = i + w->ahead;
	bool		enters = newest < w->n;
	bool		leaves = i > w->back;

	if (enters && leaves)
		replace_value(m, w->y[newest], (uint32_t) (newest % length));
	else if (enters)
		insert_value(m, w->y[newest], (uint32_t) (newest % length));
	else if (leaves)
		remove_value(m, (uint32_t) ((i - w->back - 1) % length));
}

static bool
medians(const Windows *w)
{
	size_t		length = w->back + w->ahead + 1;
	Middle		m;
	bool		ok = middle_begin(w->ctx, length, &m);

	for (size_t i = 0; ok && i < w->ahead; i++)
	{
		ok = fg_check_every(w->ctx, i);
		insert_value(&m, w->y[i], (uint32_t) i);
	}
	for (size_t i = 0; ok && i < w->n; i++)
	{
		ok = fg_check_every(w->ctx, i);
		move_window(w, &m, i, length);
		w->fitted[i] = window_points(w, i) < w->least ? NAN : middle_value(&m);
	}
	middle_end(w->ctx, &m);
	return ok;
}

/* --- exponential averages ------------------------------------------------------- */

static double
find_alpha(const FgAverageOptions *o)
{
	if (!isnan(o->com))
		return 1 / (1 + o->com);
	if (!isnan(o->span))
		return 2 / (o->span + 1);
	if (!isnan(o->halflife))
		return -expm1(-M_LN2 / o->halflife);
	return o->alpha;
}

static bool
exponential_averages(FgContext *ctx, const double *y, size_t n, const FgAverageOptions *o,
					 double *fitted)
{
	double		alpha = find_alpha(o);
	double		keep = 1 - alpha;
	double		sum = o->adjust ? 0 : y[0];
	double		weight = 0;
	uint64_t	least = o->min_periods == FG_NOT_GIVEN ? 1 : (uint64_t) o->min_periods;

	for (size_t i = 0; i < n; i++)
	{
		if (!fg_check_every(ctx, i))
			return false;
		if (o->adjust)
		{
			sum = y[i] + keep * sum;
			weight = 1 + keep * weight;
		}
		else
		{
			sum = i == 0 ? y[0] : keep * sum + alpha * y[i];
			weight = 1;
		}
		fitted[i] = i + 1 < least ? NAN : sum / weight;
	}
	return isfinite(sum) || fg_fail(ctx, FG_ERROR_RANGE, "a moving average overflows");
}

/* --- results -------------------------------------------------------------------- */

static bool
average_width(FgContext *ctx, const double *y, size_t n, const FgAverageOptions *o, int64_t width,
			  FgMovingAverage *result)
{
	Windows		w = make_windows(ctx, y, n, o, width, result->fitted);

	result->window_size = width;
	if (o->method == FG_SMM ? !medians(&w)
		: o->weighted && o->window_type != FG_WINDOW_BOXCAR ? !weighted_averages(&w, o)
		: !plain_averages(&w))
		return false;
	return fg_r_square(ctx, y, result->fitted, n, &result->r_square);
}

/* The worse the fit, the more narrow the next window. */
static int64_t
narrower(int64_t width, double r_square)
{
	double		wide = (double) width;
	double		missing = GOOD_R_SQUARE - r_square;
	int64_t		step = (int64_t) fmin(0.9 * wide - 1, 0.15 * (wide - 1) * missing);

	if (step < 1)
		step = 1;
	return width > step ? width - step : 1;
}

static bool
average_automatic(FgContext *ctx, const double *y, size_t n, const FgAverageOptions *o,
				  FgMovingAverage *result)
{
	int64_t		next = n < AUTOMATIC_SHARE ? 1 : (int64_t) (n / AUTOMATIC_SHARE);
	int64_t		width = 0;

	while (next != width)
	{
		double		r_square;

		width = next;
		if (!average_width(ctx, y, n, o, width, result))
			return false;
		r_square = isnan(result->r_square) ? 0 : result->r_square;
		if (r_square < GOOD_R_SQUARE)
			next = narrower(width, r_square);
	}
	return true;
}

static bool
find_averages(FgContext *ctx, const double *y, size_t n, const FgAverageOptions *o,
			  FgMovingAverage *result)
{
	if (o->method == FG_EMA)
		return exponential_averages(ctx, y, n, o, result->fitted) &&
			fg_r_square(ctx, y, result->fitted, n, &result->r_square);
	if (o->window_size == FG_NOT_GIVEN)
		return average_automatic(ctx, y, n, o, result);
	return average_width(ctx, y, n, o, o->window_size, result);
}

bool
fg_moving_average(FgContext *ctx, const double *x, const double *y, size_t n,
				  const FgAverageOptions *options, FgMovingAverage *result)
{
	*result = (FgMovingAverage) {
		.window_size = options->window_size, .x_start = NAN, .x_end = NAN, .r_square = NAN
	};
	if (!fg_average_check(ctx, options))
		return false;
	if (n == 0)
		return true;
	result->x_start = x[0];
	result->x_end = x[n - 1];
	result->fitted = fg_alloc(ctx, n, sizeof(double));
	if (result->fitted != NULL && find_averages(ctx, y, n, options, result))
		return true;
	fg_moving_average_free(ctx, result);
	return false;
}

void
fg_moving_average_free(FgContext *ctx, FgMovingAverage *result)
{
	fg_release(ctx, result->fitted);
	result->fitted = NULL;
}
