/*
 * test_expansion.c
 *	  Steps of a search for contexts, against counting stack by stack, also with noise and
 *	  moderated variances.  What searches make of them is tested by the golden cases.
 */
#include "naive.h"

#include "core/compare/expansion.h"
#include "core/compare/moderation.h"
#include "core/compare/observations.h"
#include "core/profile/path.h"

#include <math.h>

#define MOST_RUNS 5

static const FgScoring raw = {0, 0, true, false};

/* --- the definition ------------------------------------------------------------------- */

/* Prefixes of stacks: nodes, as a set. */
typedef struct Prefixes
{
	struct
	{
		const char *path;
		size_t		length;
		uint32_t	depth;
	}			list[4000];
	size_t		count;
} Prefixes;

static void
add_prefix(Prefixes *set, const NaiveEntry *entry, uint32_t depth)
{
	const char *slice;
	size_t		length;

	fg_path_slice(entry->path, entry->length, 0, depth, &slice, &length);
	for (size_t i = 0; i < set->count; i++)
	{
		if (set->list[i].length == length && memcmp(set->list[i].path, slice, length) == 0)
			return;
	}
	CHECK(set->count < COUNT(set->list));
	set->list[set->count].path = slice;
	set->list[set->count].length = length;
	set->list[set->count++].depth = depth;
}

/* Where the context occurs: the nodes at its upper end, and at its lower end. */
static void
find_ends(const Naive *profile, const char *context, size_t length, Prefixes *upper,
		  Prefixes *lower)
{
	FgContext	ctx = fg_malloc_context();
	uint32_t	frames = fg_path_depth(context, length);

	upper->count = lower->count = 0;
	for (size_t i = 0; i < profile->count; i++)
	{
		const NaiveEntry *entry = &profile->entries[i];
		uint32_t	at = 0;

		while ((at = fg_path_position(&ctx, entry->path, entry->length, context, length, at)) != FG_NONE)
		{
			add_prefix(upper, entry, at + 1);
			add_prefix(lower, entry, at + frames);
			at++;
		}
	}
}

/* The stacks through one of the nodes that end within reach of it. */
static double
value_of(const Naive *profile, const Prefixes *nodes, uint32_t metric)
{
	double		sum = 0;

	for (size_t i = 0; i < profile->count; i++)
	{
		const NaiveEntry *entry = &profile->entries[i];
		uint32_t	depth = fg_path_depth(entry->path, entry->length);
		bool		within = false;

		for (size_t k = 0; k < nodes->count; k++)
			within = within || (depth - nodes->list[k].depth <= metric &&
								fg_path_contains(nodes->list[k].path, nodes->list[k].length,
												 entry->path, entry->length));
		sum += within ? entry->value : 0;
	}
	return sum;
}

typedef struct Case
{
	FgContext	ctx;
	Naive		profiles[MOST_RUNS];
	FgTree		trees[MOST_RUNS];
	size_t		count;
	uint32_t	metric;
	FgExpansionOptions options;
	bool		with_noise;
	Naive		noise[2];		/* of all runs before, and of the last one */
	FgTree		noise_trees[2];
	size_t		lenders;		/* functions: what they lend, at which mean */
	double		lent[400];
	double		covariate[400];
	FgModeration moderation;
} Case;

static Prefixes upper_set;
static Prefixes lower_set;

/* What the function has in the context, and what the context's other end has; false: nothing. */
static bool
ends_of(const Case *c, const Naive *profile, const char *context, size_t length,
		double *candidate, double *other)
{
	const Prefixes *anchors = c->options.upwards ? &lower_set : &upper_set;
	const Prefixes *tips = c->options.upwards ? &upper_set : &lower_set;

	find_ends(profile, context, length, &upper_set, &lower_set);
	*other = value_of(profile, tips, c->metric);
	*candidate = c->options.upwards || c->options.given
		? value_of(profile, anchors, c->metric) : *other;
	return tips->count > 0;
}

/* The noise of the function in the context, and what it lends. */
static double
noise_of(const Case *c, const char *context, size_t length, double variance, double *before,
		 double *now)
{
	double		other;

	if (!c->with_noise)
		return variance;
	ends_of(c, &c->noise[0], context, length, before, &other);
	ends_of(c, &c->noise[1], context, length, now, &other);
	*before /= (double) (c->count - 1);
	return *before > 0 ? variance / *before : NAN;
}

/* The logarithm of the prior at x: on a line through that of the lenders beside it. */
static double
prior_at(const Case *c, double x)
{
	size_t		left = SIZE_MAX;
	size_t		right = SIZE_MAX;

	for (size_t i = 0; i < c->lenders; i++)
	{
		if (isnan(c->moderation.prior[i]))
			continue;
		if (c->covariate[i] <= x && (left == SIZE_MAX || c->covariate[i] > c->covariate[left]))
			left = i;
		if (c->covariate[i] >= x && (right == SIZE_MAX || c->covariate[i] < c->covariate[right]))
			right = i;
	}
	if (left == SIZE_MAX || right == SIZE_MAX || c->covariate[left] == c->covariate[right])
		return left == SIZE_MAX && right == SIZE_MAX ? NAN
			: log(c->moderation.prior[left == SIZE_MAX ? right : left]);
	return log(c->moderation.prior[left]) +
		log(c->moderation.prior[right] / c->moderation.prior[left]) *
		(x - c->covariate[left]) / (c->covariate[right] - c->covariate[left]);
}

/* The lent variance or factor, moderated. */
static double
moderated(const Case *c, double lent, double mean)
{
	double		d = (double) c->count - 2;
	double		d0 = c->moderation.prior_df;
	double		prior = mean > 0 && isfinite(lent) ? exp(prior_at(c, log(mean))) : NAN;

	if (!c->options.scoring.moderated || isnan(prior) || lent / prior > c->moderation.outlier)
		return NAN;
	return isinf(d0) ? prior : (d0 * prior + d * lent) / (d0 + d);
}

/* What deviation.h says of variances, for few runs. */
static double
expected_score(const Case *c, const char *context, size_t length, const FgDeviation *d)
{
	double		n = (double) c->count - 1;
	double		noise_before = 0;
	double		noise_now = 0;
	double		lent = noise_of(c, context, length, d->variance, &noise_before, &noise_now);
	double		factor = moderated(c, lent, d->expected);
	double		before = isnan(factor) || c->with_noise ? d->variance : factor;
	double		now;
	double		deviation;

	if (!c->with_noise && !c->options.scoring.moderated)
		return d->score;
	factor = isnan(factor) || factor < 1 ? 1 : factor;
	if (noise_before * factor > before)
		before = noise_before * factor;
	now = noise_now * factor > before ? noise_now * factor : before;
	deviation = sqrt((now + before / n) / (1 + 1 / n));
	return d->diff == 0 ? 0 : d->diff / deviation;
}

/* What the functions have in common. */
static void
learn(Case *c, const FgFrames *frames)
{
	c->lenders = frames->count;
	for (uint32_t f = 0; f < frames->count; f++)
	{
		const char *frame = fg_frame_bytes(frames, f);
		uint32_t	length = fg_frame_length(frames, f);
		double		values[MOST_RUNS];
		double		mean;
		double		noise[2];
		FgDeviation d;

		for (size_t p = 0; p < c->count; p++)
			ends_of(c, &c->profiles[p], frame, length, &values[p], &mean);
		CHECK(fg_deviation_of(&c->ctx, &raw, values, c->count - 1, values[c->count - 1], 0, true,
							  &d));
		c->lent[f] = noise_of(c, frame, length, d.variance, &noise[0], &noise[1]);
		c->covariate[f] = d.expected > 0 ? log(d.expected) : NAN;
	}
	CHECK(fg_moderate(&c->ctx, c->lent, c->covariate, (uint32_t) c->lenders,
					  (double) c->count - 2, &c->moderation));
}

static bool
is_near(double a, double b)
{
	return a == b || fabs(a - b) <= 1e-10 * fabs(b);
}

/* The step by its definition; the caller has put the context together. */
static void
check_step(Case *c, const FgContextStep *step, const char *context, size_t length)
{
	double		candidate[MOST_RUNS];
	double		other[MOST_RUNS];
	size_t		n = c->count - 1;
	size_t		before = 0;
	bool		now = false;
	FgDeviation d;
	FgDeviation o;

	for (size_t p = 0; p < c->count; p++)
	{
		now = ends_of(c, &c->profiles[p], context, length, &candidate[p], &other[p]);
		before += p < n && now;
	}
	CHECK(fg_deviation_of(&c->ctx, &raw, candidate, n, candidate[n], before, now, &d));
	CHECK(fg_deviation_of(&c->ctx, &raw, other, n, other[n], before, now, &o));
	CHECK(is_near(step->score, expected_score(c, context, length, &d)));
	CHECK(step->raw_score == d.raw_score);
	CHECK(step->candidate_diff == d.diff);
	CHECK(step->diff == o.diff && step->expected == o.expected && step->actual == o.actual);
	CHECK(strcmp(step->status, d.status) == 0);
}

/* How many different contexts are one frame longer. */
static size_t
count_extensions(const Case *c, const char *context, size_t length, bool upwards)
{
	static const char *found[4000];
	static size_t found_length[4000];
	FgContext	ctx = fg_malloc_context();
	uint32_t	frames = fg_path_depth(context, length);
	size_t		count = 0;

	for (size_t p = 0; p < c->count; p++)
	{
		for (size_t i = 0; i < c->profiles[p].count; i++)
		{
			const NaiveEntry *entry = &c->profiles[p].entries[i];
			uint32_t	depth = fg_path_depth(entry->path, entry->length);
			uint32_t	at = 0;

			for (; (at = fg_path_position(&ctx, entry->path, entry->length, context, length, at)) != FG_NONE; at++)
			{
				const char *frame;
				size_t		frame_length;
				size_t		k = 0;

				if (upwards ? at == 0 : at + frames == depth)
					continue;
				fg_path_slice(entry->path, entry->length, upwards ? at - 1 : at + frames, 1, &frame,
							  &frame_length);
				while (k < count && (found_length[k] != frame_length ||
									 memcmp(found[k], frame, frame_length) != 0))
					k++;
				found[k] = frame;
				found_length[k] = frame_length;
				count += k == count;
			}
		}
	}
	return count;
}

/* A context one frame longer. */
static size_t
join_context(char *to, const FgFrames *frames, const char *context, size_t length, uint32_t frame,
			 bool upwards)
{
	const char *bytes = fg_frame_bytes(frames, frame);
	size_t		size = fg_frame_length(frames, frame);

	memcpy(to + (upwards ? 0 : length + 1), bytes, size);
	memcpy(to + (upwards ? size + 1 : 0), context, length);
	to[upwards ? size : length] = '\0';
	return length + size + 1;
}

static void
build_forest(Case *c, const FgVicinity *near, FgForest *forest)
{
	CHECK(fg_forest_begin(&c->ctx, c->metric, false, forest));
	for (size_t p = 0; p < c->count; p++)
		CHECK(fg_forest_add(forest, &c->trees[p], near));
	if (c->with_noise)
		CHECK(fg_forest_add_noise(forest, &c->noise_trees[0], &c->noise_trees[1], near));
	CHECK(fg_forest_end(forest));
}

/* All steps from one context, over whole profiles or over what is near. */
static void
check_context(Case *c, const char *context, size_t length, bool whole)
{
	static char longer[100000];
	uint32_t	depth = fg_path_depth(context, length);
	FgVicinity	near = {.upwards = c->options.upwards, .reach = depth};
	FgPathWalk	walk = fg_path_walk(context, length);
	uint32_t	frames[64];
	uint32_t	n = 0;
	FgContextStep *steps;
	FgExpander *expander;
	FgForest	forest;
	size_t		count;

	fg_path_slice(context, length, near.upwards ? depth - 1 : 0, 1, &near.frame, &near.length);
	build_forest(c, whole ? NULL : &near, &forest);
	while (fg_path_next(&walk))
		frames[n++] = fg_frames_find(&forest.frames, walk.frame, walk.length);
	expander = fg_expander_create(&c->ctx, &forest, NULL, &c->options);
	CHECK(fg_expand_step(expander, frames, depth, &steps, &count));
	CHECK_COUNT(count, count_extensions(c, context, length, c->options.upwards));
	for (size_t i = 0; i < count; i++)
	{
		size_t		size = join_context(longer, &forest.frames, context, length, steps[i].frame,
										c->options.upwards);

		check_step(c, &steps[i], longer, size);
		CHECK(i == 0 || steps[i].score <= steps[i - 1].score);
	}
	fg_release(&c->ctx, steps);
	fg_expander_free(expander);
	fg_forest_free(&forest);
}

/* Those that have only noise are none. */
static size_t
count_functions(const Case *c)
{
	Case		profiles = *c;
	FgForest	forest;
	size_t		count;

	profiles.with_noise = false;
	build_forest(&profiles, NULL, &forest);
	count = forest.frames.count;
	fg_forest_free(&forest);
	return count;
}

static void
check_starts(Case *c)
{
	FgContextStep *steps;
	FgExpander *expander;
	FgForest	forest;
	size_t		count;

	build_forest(c, NULL, &forest);
	expander = fg_expander_create(&c->ctx, &forest, NULL, &c->options);
	CHECK(fg_expand_starts(expander, &steps, &count));
	CHECK_COUNT(count, count_functions(c));
	for (size_t i = 0; i < count; i++)
		check_step(c, &steps[i], fg_frame_bytes(&forest.frames, steps[i].frame),
				   fg_frame_length(&forest.frames, steps[i].frame));
	fg_release(&c->ctx, steps);
	fg_expander_free(expander);
	fg_forest_free(&forest);
}

/* A part of some stack. */
static void
random_context(UnitRandom *random, const Case *c, const char **context, size_t *length)
{
	for (;;)
	{
		const Naive *profile = &c->profiles[unit_below(random, (uint32_t) c->count)];
		const NaiveEntry *entry;
		uint32_t	depth;
		uint32_t	start;
		uint32_t	most;

		if (profile->count == 0)
			continue;
		entry = &profile->entries[unit_below(random, (uint32_t) profile->count)];
		depth = fg_path_depth(entry->path, entry->length);
		if (depth == 0)
			continue;
		start = unit_below(random, depth);
		most = depth - start > 3 ? 3 : depth - start;
		fg_path_slice(entry->path, entry->length, start, 1 + unit_below(random, most), context,
					  length);
		return;
	}
}

/* Of stacks that profiles have, and of others. */
static void
add_noise(UnitRandom *random, bool with_noise, Case *c)
{
	c->with_noise = with_noise;
	for (int i = 0; i < 2; i++)
	{
		NaiveShape	shape = {1 + unit_below(random, 50), 1 + unit_below(random, 9), 6, NAIVE_COUNTS};

		c->noise[i] = naive_random(random, shape);
		c->noise_trees[i] = naive_tree(&c->ctx, &c->noise[i]);
	}
}

static void
remove_noise(Case *c)
{
	for (int i = 0; i < 2; i++)
	{
		naive_free(&c->noise[i]);
		fg_tree_free(&c->ctx, &c->noise_trees[i]);
	}
	fg_moderation_free(&c->ctx, &c->moderation);
}

static void
learn_functions(Case *c)
{
	FgForest	forest;

	build_forest(c, NULL, &forest);
	learn(c, &forest.frames);
	fg_forest_free(&forest);
}

static void
test_random(void)
{
	static const uint32_t metrics[] = {FG_METRIC_TOTAL, FG_METRIC_SELF, 1, 2, 5};
	UnitRandom	random = {21};

	unit_case("steps, counted stack by stack");
	for (int round = 0; round < unit_rounds(300); round++)
	{
		UnitMemory	memory;
		Case		c = {
			.ctx = unit_context(&memory),
			.count = 3 + unit_below(&random, MOST_RUNS - 2),
			.metric = metrics[round % COUNT(metrics)],
			.options = FG_DEFAULT_EXPANSION
		};

		unit_note("[round %d]", round);
		c.options.scoring = raw;
		c.options.upwards = round / 2 % 2;
		c.options.given = round / 4 % 2;
		for (size_t p = 0; p < c.count; p++)
		{
			/* few frames, so that much is recursive */
			NaiveShape	shape = {1 + unit_below(&random, 25), 1 + unit_below(&random, 9),
								 2 + unit_below(&random, 4), NAIVE_COUNTS};

			c.profiles[p] = naive_random(&random, shape);
			c.trees[p] = naive_tree(&c.ctx, &c.profiles[p]);
		}
		c.options.scoring.moderated = round % 3 == 1;
		add_noise(&random, round % 4 == 2 || round % 4 == 3, &c);
		naive_add(&c.profiles[0], "x", 1, 1);	/* there is some context */
		naive_settle(&c.profiles[0]);
		fg_tree_free(&c.ctx, &c.trees[0]);
		c.trees[0] = naive_tree(&c.ctx, &c.profiles[0]);
		if (c.options.scoring.moderated)
			learn_functions(&c);
		for (int i = 0; i < 6; i++)
		{
			const char *context;
			size_t		length;

			random_context(&random, &c, &context, &length);
			check_context(&c, context, length, i % 2 == 0 || c.options.scoring.moderated);
		}
		check_starts(&c);
		remove_noise(&c);
		for (size_t p = 0; p < c.count; p++)
		{
			fg_tree_free(&c.ctx, &c.trees[p]);
			naive_free(&c.profiles[p]);
		}
		CHECK_COUNT(memory.blocks, 0);
	}
}

/* --- compile modes ---------------------------------------------------------------------- */

static void
test_modes(void)
{
	static const struct
	{
		const char *frame;
		size_t		length;
		char		mode;
	}			rows[] = {
		{"f_[j]", 1, 'j'}, {"f_[i]", 1, 'i'}, {"f_[0]", 1, '0'}, {"f_[1]", 1, '1'},
		{"f_[k]", 5, '-'}, {"f_[j", 4, '-'}, {"_[j]", 4, '-'}, {"f", 1, '-'}, {"f_[]]", 5, '-'}
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		char		mode;

		unit_case("compile mode of %s", rows[i].frame);
		CHECK_COUNT(fg_mode_strip(rows[i].frame, strlen(rows[i].frame), &mode), rows[i].length);
		CHECK(mode == rows[i].mode);
	}
}

/* --- searches ------------------------------------------------------------------------------ */

typedef struct Found
{
	uint32_t	traces;
	size_t		steps;
	size_t		longest;
} Found;

static bool
count_trace(void *arg, uint32_t trace, const FgContextStep *steps, size_t count)
{
	Found	   *found = arg;

	found->traces++;
	CHECK_COUNT(trace, found->traces);
	found->steps += count;
	if (count > found->longest)
		found->longest = count;
	return steps != NULL;
}

typedef struct Input
{
	FgTree	   *trees;
	size_t		count;
	FgExpansionOptions options;
	Found		found;
} Input;

static bool
run_search(FgContext *ctx, void *arg)
{
	Input	   *input = arg;
	FgVicinity	near = {"a", 1, input->options.upwards, (uint64_t) input->options.max_depth};
	FgForest	forest;
	FgExpander *expander = NULL;
	bool		ok = fg_forest_begin(ctx, FG_METRIC_TOTAL, true, &forest);

	input->found = (Found) {0};
	for (size_t i = 0; ok && i < input->count; i++)
		ok = fg_forest_add(&forest, &input->trees[i], &near);
	ok = ok && fg_forest_end(&forest) &&
		(expander = fg_expander_create(ctx, &forest, NULL, &input->options)) != NULL &&
		fg_expand(expander, fg_frames_find(&forest.frames, "a", 1), count_trace, &input->found);
	fg_expander_free(expander);
	fg_forest_free(&forest);
	return ok;
}

/*
 * A function that calls itself as deep as stacks go, and a step that costs nothing;
 * a third as deep under the sanitizers.
 */
static void
test_deep(void)
{
	int			depth = unit_rounds(20000);
	FgContext	ctx = fg_malloc_context();
	char	   *text = malloc(2 * (size_t) depth + 20);
	FgTree		trees[3];
	Input		input = {trees, 3, FG_DEFAULT_EXPANSION, {0}};

	unit_case("a search of %d steps", depth);
	for (int i = 0; i < depth; i++)
		memcpy(text + 2 * i, "a;", 2);
	for (int i = 0; i < 3; i++)
	{
		snprintf(text + 2 * depth - 1, 20, " %d", i == 2 ? 9 : i + 1);
		trees[i] = tree_of_text(&ctx, text);
	}
	input.options.max_depth = 300;
	CHECK(run_search(&ctx, &input));
	CHECK_COUNT(input.found.traces, 1);
	CHECK_COUNT(input.found.longest, 301);
	for (int i = 0; i < 3; i++)
		fg_tree_free(&ctx, &trees[i]);
	free(text);
}

static void
test_failures(void)
{
	static const char *const texts[] = {
		"a;b_[j];c 1\na;d 2\ne;a 1", "a;b_[i] 2\na;d;a 1", "a;b_[j];c 9\na;d;e 7\nf;a 3"
	};
	FgContext	ctx = fg_malloc_context();
	FgAge		ages[] = {{"b_[j]", 5, 86400}, {"d", 1, 0}};
	FgTree		trees[3];
	Input		input = {trees, 3, FG_DEFAULT_EXPANSION, {0}};

	for (int i = 0; i < 3; i++)
		trees[i] = tree_of_text(&ctx, texts[i]);
	input.options.max_breadth = 3;
	input.options.informed = true;
	input.options.ages = ages;
	input.options.nages = 2;
	unit_sweep_memory("a search for children", run_search, &input);
	unit_sweep_interrupts("a search for children", run_search, &input, 5);
	input.options.upwards = input.options.given = true;
	unit_sweep_memory("a search for parents", run_search, &input);
	unit_case("the search found something");
	CHECK(run_search(&ctx, &input));
	CHECK(input.found.traces > 0 && input.found.steps > input.found.traces);
	for (int i = 0; i < 3; i++)
		fg_tree_free(&ctx, &trees[i]);
}

int
main(void)
{
	test_random();
	test_modes();
	test_deep();
	test_failures();
	return unit_finish();
}
