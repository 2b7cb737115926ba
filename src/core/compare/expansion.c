/*
 * expansion.c
 *	  Search for contexts (see expansion.h).
 */
#include "core/compare/expansion.h"

#include "core/base/order.h"
#include "core/base/choice.h"
#include "core/compare/moderation.h"
#include "core/compare/occurrence.h"

#include <math.h>
#include <string.h>

/* --- options ------------------------------------------------------------------------ */

bool
fg_direction_parse(FgContext *ctx, const char *text, size_t length, bool *upwards)
{
	static const char *const words[] = {"child", "parent"};
	static const FgChoice choice = {"direction", "Available: child, parent.", words, 2};
	int			place;

	if (!fg_choice_parse(ctx, &choice, text, length, &place))
		return false;
	*upwards = place == 1;
	return true;
}

bool
fg_measure_parse(FgContext *ctx, const char *text, size_t length, bool *given)
{
	static const char *const words[] = {"through", "given"};
	static const FgChoice choice = {"measure", "Available: through, given.", words, 2};
	int			place;

	if (!fg_choice_parse(ctx, &choice, text, length, &place))
		return false;
	*given = place == 1;
	return true;
}

bool
fg_expansion_check(FgContext *ctx, const FgExpansionOptions *options)
{
	const double *w = options->weights;

	if (options->max_depth < 0)
		return fg_fail(ctx, FG_ERROR_ARGUMENT, "max_depth must not be negative");
	if (options->max_breadth < 1)
		return fg_fail(ctx, FG_ERROR_ARGUMENT, "max_breadth must be at least 1");
	if (!(options->half_life > 0) || isinf(options->half_life))
		return fg_fail(ctx, FG_ERROR_ARGUMENT, "half_life must be positive");
	if (!(w[0] >= 0 && w[1] >= 0 && w[2] >= 0))
		return fg_fail(ctx, FG_ERROR_ARGUMENT, "weights must not be negative");
	return fg_scoring_check(ctx, &options->scoring) &&
		fg_correlation_check(ctx, &options->correlation);
}

/* --- contexts in all profiles ------------------------------------------------------------ */

/* A context: its occurrences in each part. */
typedef struct Branch
{
	FgOccurrences *in;			/* by part */
} Branch;

/* Levels of the search: a context, its chosen extensions, the one tried next. */
typedef struct Level
{
	Branch	   *chosen;
	FgContextStep *steps;
	size_t		count;
	size_t		next;
	bool		found;			/* a result came from here */
} Level;

struct FgExpander
{
	FgContext  *ctx;
	const FgForest *forest;
	FgRuns	   *runs;
	const FgExpansionOptions *options;
	bool		upwards;
	FgNodeSet	set;
	double	   *age;			/* by frame; NaN where unknown */
	FgModeration moderation;	/* of all functions, where keys lend each other their variance */
	FgLender	lender;			/* what contexts borrow from them */
	double	   *candidate;		/* by part: values */
	double	   *other;
	FgObservation *observed;	/* those of parts where the context occurs */
	size_t	   *cursor;			/* by part */
	uint32_t   *seen_depth;		/* by depth: when last */
	uint32_t	now;			/* what seen_depth counts */
};

static FgOccurrences *
branch_alloc(FgExpander *e)
{
	return fg_alloc_zero(e->ctx, fg_forest_parts(e->forest), sizeof(FgOccurrences));
}

static void
branch_free(FgExpander *e, Branch *branch)
{
	if (branch->in == NULL)
		return;
	for (size_t p = 0; p < fg_forest_parts(e->forest); p++)
		fg_release(e->ctx, branch->in[p].list);
	fg_release(e->ctx, branch->in);
	branch->in = NULL;
}

static bool
branch_extend(FgExpander *e, const Branch *branch, Branch *extensions)
{
	extensions->in = branch_alloc(e);
	if (extensions->in == NULL)
		return false;
	for (size_t p = 0; p < fg_forest_parts(e->forest); p++)
	{
		if (!fg_occurrences_extend(e->ctx, &e->forest->parts[p], branch->in[p].list,
								   branch->in[p].count, e->upwards, &extensions->in[p]))
			return false;
	}
	return true;
}

static bool
branch_of_frame(FgExpander *e, uint32_t frame, Branch *branch)
{
	branch->in = branch_alloc(e);
	if (branch->in == NULL)
		return false;
	for (size_t p = 0; p < fg_forest_parts(e->forest); p++)
	{
		if (!fg_occurrences_of(e->ctx, &e->forest->parts[p], frame, &branch->in[p]))
			return false;
	}
	return true;
}

/* The occurrences of one frame among extensions, which are ordered by frame. */
typedef struct Slice
{
	const FgOccurrence *list;
	size_t		count;
} Slice;

static Slice
slice_at(const FgOccurrences *all, size_t start, uint32_t frame)
{
	size_t		end = start;

	while (end < all->count && all->list[end].frame == frame)
		end++;
	if (end == start)
		return (Slice) {NULL, 0};	/* there may be no list at all */
	return (Slice) {all->list + start, end - start};
}

/* The first occurrence of this frame, by bisection. */
static Slice
slice_of(const FgOccurrences *all, uint32_t frame)
{
	size_t		low = 0;
	size_t		high = all->count;

	while (low < high)
	{
		size_t		middle = low + (high - low) / 2;

		if (all->list[middle].frame < frame)
			low = middle + 1;
		else
			high = middle;
	}
	return slice_at(all, low, frame);
}

static bool
branch_copy(FgExpander *e, const Branch *extensions, uint32_t frame, Branch *copy)
{
	copy->in = branch_alloc(e);
	if (copy->in == NULL)
		return false;
	for (size_t p = 0; p < fg_forest_parts(e->forest); p++)
	{
		Slice		slice = slice_of(&extensions->in[p], frame);
		FgOccurrences *to = &copy->in[p];

		to->list = fg_alloc(e->ctx, slice.count, sizeof(FgOccurrence));
		if (to->list == NULL ||
			!fg_copy(e->ctx, to->list, slice.list, slice.count * sizeof(FgOccurrence)))
			return false;
		to->count = slice.count;
	}
	return true;
}

/* What a variance depends on; no number where there is nothing. */
static double
covariate_of(const FgDeviation *candidate)
{
	return candidate->expected > 0 ? log(candidate->expected) : NAN;
}

/* --- measures ------------------------------------------------------------------------------- */

/* The function in the context, and what the other end of the context has. */
static bool
measure_values(FgExpander *e, size_t p, Slice slice)
{
	const FgForestPart *part = &e->forest->parts[p];
	uint32_t	metric = e->forest->metric;
	bool		by_tips = !e->upwards && !e->options->given;

	if (!fg_node_set_fill(&e->set, slice.list, slice.count, true) ||
		!fg_node_set_value(&e->set, part, metric, &e->other[p]))
		return false;
	e->candidate[p] = e->other[p];
	return by_tips ||
		(fg_node_set_fill(&e->set, slice.list, slice.count, false) &&
		 fg_node_set_value(&e->set, part, metric, &e->candidate[p]));
}

/* With what is known besides the values: the noise of the recordings, and other functions. */
static bool
spread_candidate(FgExpander *e, FgDeviation *candidate)
{
	const FgForest *forest = e->forest;
	const FgScoring *scoring = &e->options->scoring;
	double		n = (double) forest->count - 1;
	double		lent;

	if (!forest->noise && !scoring->moderated)
		return true;
	if (forest->noise)
	{
		candidate->noise_before = e->candidate[forest->count] / n;
		candidate->noise_now = e->candidate[forest->count + 1];
	}
	lent = fg_deviation_lent(candidate, forest->noise);
	return fg_deviation_spread(e->ctx, scoring, forest->noise,
							   fg_lender_posterior(&e->lender, lent, covariate_of(candidate)), n,
							   candidate);
}

static bool
score_by_deviation(FgExpander *e, size_t before, bool now, FgContextStep *step)
{
	size_t		n = e->forest->count - 1;
	FgDeviation candidate;
	FgDeviation other;

	if (!fg_deviation_of(e->ctx, &e->options->scoring, e->candidate, n, e->candidate[n], before,
						 now, &candidate) ||
		!fg_deviation_of(e->ctx, &e->options->scoring, e->other, n, e->other[n], before, now,
						 &other) ||
		!spread_candidate(e, &candidate))
		return false;
	step->lent = fg_deviation_lent(&candidate, e->forest->noise);
	step->covariate = covariate_of(&candidate);
	step->expected = other.expected;
	step->actual = other.actual;
	step->diff = other.diff;
	step->candidate_diff = candidate.diff;
	step->score = step->rank = candidate.score;
	step->raw_score = candidate.raw_score;
	step->status = candidate.status;
	return true;
}

static bool
score_by_correlation(FgExpander *e, size_t observed, FgContextStep *step)
{
	FgCorrelationScore score;

	if (!fg_correlate(e->runs, &e->options->correlation, e->observed, observed, &score))
		return false;
	step->expected = step->actual = step->diff = step->candidate_diff = step->raw_score = NAN;
	step->score = step->rank = score.score;
	step->status = "";
	return true;
}

/* --- what else makes a context promising ----------------------------------------------------- */

static const char modes[] = {'-', 'j', 'i', '0', '1'};

#define MODES sizeof(modes)

static size_t
mode_number(char mode)
{
	return (size_t) ((const char *) memchr(modes, mode, MODES) - modes);
}

/* What the tips have in each compile mode, recursion-free; added up. */
static bool
add_modes(FgExpander *e, const FgForestPart *part, Slice slice, double *of_mode)
{
	size_t		next = 0;

	if (part->mode == NULL)
		return true;
	if (!fg_node_set_fill(&e->set, slice.list, slice.count, true))
		return false;
	for (size_t i = 0; i < e->set.count; i++)
	{
		uint32_t	node = e->set.nodes[i];

		if (node < next)
			continue;
		of_mode[mode_number(part->mode[node])] += part->total[node];
		next = (size_t) part->last[node] + 1;
	}
	for (size_t m = 0; m < MODES; m++)
	{
		if (!isfinite(of_mode[m]))
			return fg_fail(e->ctx, FG_ERROR_RANGE, "the sum of a compile mode is out of range");
	}
	return true;
}

/* Total variation distance of the shares; 0 when either side has none. */
static double
mode_distance(const double *before, const double *now)
{
	double		sum_before = 0;
	double		sum_now = 0;
	double		distance = 0;

	for (size_t m = 0; m < MODES; m++)
	{
		sum_before += before[m];
		sum_now += now[m];
	}
	if (!(sum_before > 0) || !(sum_now > 0))
		return 0;
	for (size_t m = 0; m < MODES; m++)
		distance += fabs(before[m] / sum_before - now[m] / sum_now) / 2;
	return fmin(1, distance);
}

static void
mark_depths(FgExpander *e, const FgForestPart *part, Slice slice)
{
	for (size_t i = 0; i < slice.count; i++)
		e->seen_depth[part->depth[slice.list[i].anchor]] = e->now;
}

/* Share of the depths at which the function starts now that it did not start at before. */
static double
new_depths(FgExpander *e, const FgForestPart *part, Slice slice)
{
	double		all = 0;
	double		fresh = 0;

	for (size_t i = 0; i < slice.count; i++)
	{
		uint32_t   *seen = &e->seen_depth[part->depth[slice.list[i].anchor]];

		if (*seen == e->now + 1)
			continue;
		all++;
		fresh += *seen != e->now;
		*seen = e->now + 1;
	}
	return all == 0 ? 0 : fresh / all;
}

/*
 * Depths that were seen before and occur now are marked as both, so the two counts must
 * be taken together.
 */
static bool
inform(FgExpander *e, const Slice *slices, FgContextStep *step)
{
	const FgExpansionOptions *options = e->options;
	size_t		n = e->forest->count - 1;
	const FgForestPart *current = &e->forest->parts[n];
	double		before[MODES] = {0};
	double		now[MODES] = {0};
	double		age = e->age[step->frame];

	e->now += 2;
	for (size_t p = 0; p < n; p++)
	{
		if (!add_modes(e, &e->forest->parts[p], slices[p], before))
			return false;
		mark_depths(e, &e->forest->parts[p], slices[p]);
	}
	if (!add_modes(e, current, slices[n], now))
		return false;
	step->depth_novelty = new_depths(e, current, slices[n]);
	step->mode_shift = mode_distance(before, now);
	step->recency = isnan(age) ? 0 : exp2(-fmax(age, 0) / options->half_life);
	if (options->informed)
		step->rank = step->score * (1 + options->weights[0] * step->recency +
									options->weights[1] * step->mode_shift +
									options->weights[2] * step->depth_novelty);
	return true;
}

static bool
measure(FgExpander *e, uint32_t frame, const Slice *slices, FgContextStep *step)
{
	size_t		count = e->forest->count;
	size_t		before = 0;
	size_t		observed = 0;

	*step = (FgContextStep) {.frame = frame};
	for (size_t p = 0; p < fg_forest_parts(e->forest); p++)
	{
		if (!measure_values(e, p, slices[p]))
			return false;
		if (slices[p].count == 0 || p >= count)
			continue;
		before += p + 1 < count;
		e->observed[observed++] = (FgObservation) {frame, (uint32_t) p, e->candidate[p]};
	}
	if (e->runs != NULL)
		return score_by_correlation(e, observed, step);
	return score_by_deviation(e, before, slices[count - 1].count > 0, step) &&
		inform(e, slices, step);
}

/* --- candidates ------------------------------------------------------------------------------- */

typedef struct Steps
{
	FgContextStep *list;
	size_t		count;
	size_t		capacity;
} Steps;

/* The smallest frame at the cursors, FG_NONE behind the last. */
static uint32_t
next_frame(const FgExpander *e, const Branch *extensions)
{
	uint32_t	frame = FG_NONE;

	for (size_t p = 0; p < e->forest->count; p++)
	{
		const FgOccurrences *in = &extensions->in[p];

		if (e->cursor[p] < in->count && in->list[e->cursor[p]].frame < frame)
			frame = in->list[e->cursor[p]].frame;
	}
	return frame;
}

/* What has noise in the context, but occurs in no profile, is no step. */
static void
skip_to(FgExpander *e, const Branch *extensions, size_t p, uint32_t frame)
{
	const FgOccurrences *in = &extensions->in[p];

	while (e->cursor[p] < in->count && in->list[e->cursor[p]].frame < frame)
		e->cursor[p]++;
}

/* A step for each frame, in the order of frames. */
static bool
measure_all(FgExpander *e, const Branch *extensions, Steps *steps)
{
	size_t		parts = fg_forest_parts(e->forest);
	Slice	   *slices = fg_alloc(e->ctx, parts, sizeof(Slice));
	bool		ok = slices != NULL;
	uint32_t	frame;

	memset(e->cursor, 0, parts * sizeof(size_t));
	while (ok && (frame = next_frame(e, extensions)) != FG_NONE)
	{
		for (size_t p = 0; p < parts; p++)
		{
			if (p >= e->forest->count)
				skip_to(e, extensions, p, frame);
			slices[p] = slice_at(&extensions->in[p], e->cursor[p], frame);
			e->cursor[p] += slices[p].count;
		}
		ok = fg_check(e->ctx) &&
			fg_reserve(e->ctx, (void **) &steps->list, &steps->capacity, steps->count + 1,
					   sizeof(FgContextStep)) &&
			measure(e, frame, slices, &steps->list[steps->count]);
		steps->count += ok;
	}
	fg_release(e->ctx, slices);
	return ok;
}

static double
key_of(const FgContextStep *step, int key)
{
	return key == 0 ? step->candidate_diff : key == 1 ? step->score : step->rank;
}

/*
 * By rank, then score, then difference; those equal in all stay in the order of their
 * frames.  A stable sort by each key, the last one first.
 */
static bool
sort_steps(FgContext *ctx, Steps *steps)
{
	size_t		count = steps->count;
	double	   *value = fg_alloc(ctx, count, sizeof(double));
	uint32_t   *order = fg_alloc(ctx, count, sizeof(uint32_t));
	FgContextStep *sorted = fg_alloc(ctx, count, sizeof(FgContextStep));
	bool		ok = value != NULL && order != NULL && sorted != NULL;

	for (int key = 0; ok && key < 3; key++)
	{
		FgContextStep *swap = steps->list;

		for (size_t i = 0; i < count; i++)
			value[i] = key_of(&steps->list[i], key);
		ok = fg_order_descending(ctx, value, (uint32_t) count, order);
		if (!ok)
			break;
		for (size_t i = 0; i < count; i++)
			sorted[i] = steps->list[order[i]];
		steps->list = sorted;
		sorted = swap;
	}
	fg_release(ctx, value);
	fg_release(ctx, order);
	fg_release(ctx, sorted);
	steps->capacity = count;
	return ok;
}

/* --- the search --------------------------------------------------------------------------------- */

static void
level_free(FgExpander *e, Level *level)
{
	for (size_t i = 0; level->chosen != NULL && i < level->count; i++)
		branch_free(e, &level->chosen[i]);
	fg_release(e->ctx, level->chosen);
	fg_release(e->ctx, level->steps);
	memset(level, 0, sizeof(*level));
}

/* Algorithm 1's stop criterion: the plain score decides, whatever ranked it. */
static bool
is_promising(const FgExpansionOptions *options, double score)
{
	return options->stop_at_equal ? score > options->threshold : score >= options->threshold;
}

/* The best extensions of a context, with their occurrences. */
static bool
level_open(FgExpander *e, const Branch *branch, Level *level)
{
	Branch		extensions = {NULL};
	Steps		steps = {NULL, 0, 0};
	bool		ok = branch_extend(e, branch, &extensions) &&
		measure_all(e, &extensions, &steps) && sort_steps(e->ctx, &steps);

	*level = (Level) {.steps = steps.list, .count = steps.count};
	if (level->count > (uint64_t) e->options->max_breadth)
		level->count = (size_t) e->options->max_breadth;
	if (ok)
		ok = (level->chosen = fg_alloc_zero(e->ctx, level->count, sizeof(Branch))) != NULL;
	for (size_t i = 0; ok && i < level->count; i++)
		ok = branch_copy(e, &extensions, level->steps[i].frame, &level->chosen[i]);
	branch_free(e, &extensions);
	if (!ok)
		level_free(e, level);
	return ok;
}

/* The search as it stands: levels[d] chooses the step behind d + 1 others. */
typedef struct Search
{
	FgExpander *e;
	Level	   *levels;
	size_t		levels_capacity;
	size_t		depth;			/* open levels */
	FgContextStep *path;		/* path[0] is the start */
	size_t		path_capacity;
	uint32_t	traces;
	FgTraceFunction emit;
	void	   *arg;
} Search;

static bool
emit_path(Search *s, size_t steps)
{
	if (s->traces == UINT32_MAX)
		return fg_fail(s->e->ctx, FG_ERROR_LIMIT, "there are too many traces");
	if (!s->emit(s->arg, ++s->traces, s->path, steps))
		return false;
	if (s->depth > 0)
		s->levels[s->depth - 1].found = true;
	return true;
}

/* A step was taken; its context either is a result, or leads further, or is dropped. */
static bool
enter(Search *s, const FgContextStep *step, const Branch *branch)
{
	FgExpander *e = s->e;
	size_t		depth = s->depth;

	if (!is_promising(e->options, step->score))
		return true;
	if (!fg_check(e->ctx) ||
		!fg_reserve(e->ctx, (void **) &s->path, &s->path_capacity, depth + 1,
					sizeof(FgContextStep)) ||
		!fg_reserve(e->ctx, (void **) &s->levels, &s->levels_capacity, depth + 1, sizeof(Level)))
		return false;
	s->path[depth] = *step;
	if (depth >= (uint64_t) e->options->max_depth)
		return emit_path(s, depth + 1);
	if (!level_open(e, branch, &s->levels[depth]))
		return false;
	if (s->levels[depth].count > 0)
	{
		s->depth++;
		return true;
	}
	level_free(e, &s->levels[depth]);
	return emit_path(s, depth + 1);
}

/*
 * All extensions were tried.  When none led to a result, the context itself is one: the
 * printed algorithm loses it, though the function itself may be the culprit.
 */
static bool
leave(Search *s)
{
	size_t		depth = s->depth--;
	bool		found = s->levels[depth - 1].found;

	level_free(s->e, &s->levels[depth - 1]);
	if (!found)
		return !s->e->options->keep_stem || emit_path(s, depth);
	if (s->depth > 0)
		s->levels[s->depth - 1].found = true;
	return true;
}

static bool
search_on(Search *s)
{
	while (s->depth > 0)
	{
		Level	   *level = &s->levels[s->depth - 1];
		size_t		i = level->next;

		if (i == level->count)
		{
			if (!leave(s))
				return false;
			continue;
		}
		level->next++;
		if (!enter(s, &level->steps[i], &level->chosen[i]))
			return false;
	}
	return true;
}

bool
fg_expand(FgExpander *e, uint32_t frame, FgTraceFunction emit, void *arg)
{
	Search		s = {.e = e, .emit = emit, .arg = arg};
	Branch		start = {NULL};
	Steps		steps = {NULL, 0, 0};
	bool		ok = branch_of_frame(e, frame, &start) && measure_all(e, &start, &steps) &&
		(steps.count == 0 || enter(&s, &steps.list[0], &start)) && search_on(&s);

	while (s.depth > 0)
		level_free(e, &s.levels[--s.depth]);
	fg_release(e->ctx, s.levels);
	fg_release(e->ctx, s.path);
	fg_release(e->ctx, steps.list);
	branch_free(e, &start);
	return ok;
}

/* --- single steps ------------------------------------------------------------------------------- */

static bool
finish_steps(FgExpander *e, Steps *found, bool ok, FgContextStep **steps, size_t *nsteps)
{
	ok = ok && sort_steps(e->ctx, found);
	*steps = found->list;
	*nsteps = found->count;
	if (ok)
		return true;
	fg_release(e->ctx, found->list);
	*steps = NULL;
	return false;
}

/* The occurrences of a context: from the function at its end, frame by frame. */
static bool
branch_of_context(FgExpander *e, const uint32_t *frames, uint32_t count, Branch *branch)
{
	bool		ok = branch_of_frame(e, frames[e->upwards ? count - 1 : 0], branch);

	for (uint32_t i = 1; ok && i < count; i++)
	{
		Branch		extensions = {NULL};
		Branch		next = {NULL};

		ok = branch_extend(e, branch, &extensions) &&
			branch_copy(e, &extensions, frames[e->upwards ? count - 1 - i : i], &next);
		branch_free(e, &extensions);
		branch_free(e, branch);
		*branch = next;
	}
	return ok;
}

bool
fg_expand_step(FgExpander *e, const uint32_t *frames, uint32_t count, FgContextStep **steps,
			   size_t *nsteps)
{
	Branch		branch = {NULL};
	Branch		extensions = {NULL};
	Steps		found = {NULL, 0, 0};
	bool		ok = branch_of_context(e, frames, count, &branch) &&
		branch_extend(e, &branch, &extensions) && measure_all(e, &extensions, &found);

	branch_free(e, &branch);
	branch_free(e, &extensions);
	return finish_steps(e, &found, ok, steps, nsteps);
}

static bool
measure_functions(FgExpander *e, Steps *found)
{
	Branch		all = {branch_alloc(e)};
	bool		ok = all.in != NULL;

	for (size_t p = 0; ok && p < fg_forest_parts(e->forest); p++)
		ok = fg_occurrences_all(e->ctx, &e->forest->parts[p], e->forest->frames.count,
								&all.in[p]);
	ok = ok && measure_all(e, &all, found);
	branch_free(e, &all);
	return ok;
}

bool
fg_expand_starts(FgExpander *e, FgContextStep **steps, size_t *nsteps)
{
	Steps		found = {NULL, 0, 0};
	bool		ok = measure_functions(e, &found);

	return finish_steps(e, &found, ok, steps, nsteps);
}

/* --- beginning and end ------------------------------------------------------------------------------ */

void
fg_expander_turn(FgExpander *e, bool upwards)
{
	e->upwards = upwards;
}

static bool
set_ages(FgExpander *e)
{
	const FgFrames *frames = &e->forest->frames;

	for (uint32_t f = 0; f < frames->count; f++)
		e->age[f] = NAN;
	for (size_t i = 0; i < e->options->nages; i++)
	{
		const FgAge *age = &e->options->ages[i];
		size_t		length = age->length;
		uint32_t	f;
		char		mode;

		if (e->forest->strip_modes)
			length = fg_mode_strip(age->frame, length, &mode);
		f = fg_frames_find(frames, age->frame, length);
		if (f != FG_NONE)
			e->age[f] = age->seconds;
		if (!fg_check_every(e->ctx, i))
			return false;
	}
	return true;
}

/* What the functions have in common, for the contexts. */
static bool
learn(FgExpander *e)
{
	FgContext  *ctx = e->ctx;
	double	   *lent = fg_alloc(ctx, e->forest->frames.count, sizeof(double));
	double	   *covariate = fg_alloc(ctx, e->forest->frames.count, sizeof(double));
	Steps		found = {NULL, 0, 0};
	bool		ok = lent != NULL && covariate != NULL && measure_functions(e, &found);

	for (size_t i = 0; ok && i < found.count; i++)
	{
		lent[i] = found.list[i].lent;
		covariate[i] = found.list[i].covariate;
	}
	ok = ok && fg_moderate(ctx, lent, covariate, (uint32_t) found.count,
						   (double) e->forest->count - 2, &e->moderation) &&
		fg_lender_begin(ctx, &e->moderation, covariate, &e->lender);
	fg_release(ctx, found.list);
	fg_release(ctx, lent);
	fg_release(ctx, covariate);
	return ok;
}

FgExpander *
fg_expander_create(FgContext *ctx, const FgForest *forest, FgRuns *runs,
				   const FgExpansionOptions *options)
{
	FgExpander *e = fg_alloc_zero(ctx, 1, sizeof(FgExpander));

	if (e == NULL)
		return NULL;
	e->ctx = ctx;
	e->forest = forest;
	e->runs = runs;
	e->options = options;
	e->upwards = options->upwards;
	e->age = fg_alloc(ctx, forest->frames.count, sizeof(double));
	e->candidate = fg_alloc(ctx, fg_forest_parts(forest), sizeof(double));
	e->other = fg_alloc(ctx, fg_forest_parts(forest), sizeof(double));
	e->observed = fg_alloc(ctx, forest->count, sizeof(FgObservation));
	e->cursor = fg_alloc(ctx, fg_forest_parts(forest), sizeof(size_t));
	e->seen_depth = fg_alloc_zero(ctx, FG_MAX_DEPTH + 1, sizeof(uint32_t));
	if (fg_node_set_begin(ctx, &e->set) && e->age != NULL && e->candidate != NULL &&
		e->other != NULL && e->observed != NULL && e->cursor != NULL && e->seen_depth != NULL &&
		set_ages(e) && (runs != NULL || !options->scoring.moderated || learn(e)))
		return e;
	fg_expander_free(e);
	return NULL;
}

void
fg_expander_free(FgExpander *e)
{
	if (e == NULL)
		return;
	fg_node_set_free(&e->set);
	fg_moderation_free(e->ctx, &e->moderation);
	fg_lender_free(e->ctx, &e->lender);
	fg_release(e->ctx, e->age);
	fg_release(e->ctx, e->candidate);
	fg_release(e->ctx, e->other);
	fg_release(e->ctx, e->observed);
	fg_release(e->ctx, e->cursor);
	fg_release(e->ctx, e->seen_depth);
	fg_release(e->ctx, e);
}
