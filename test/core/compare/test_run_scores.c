/*
 * test_run_scores.c
 *	  Noise and moderation under deviations against the formulas; runs brought to a common
 *	  speed; repetitions.
 */
#include "naive.h"

#include "core/base/distribution.h"
#include "core/compare/deviation_internal.h"
#include "core/compare/moderation.h"
#include "core/compare/observations.h"
#include "core/compare/run_scores.h"
#include "core/samples/accumulator.h"

#include <math.h>

#define RUNS 7					/* of a history */
#define FUNCTIONS 12

static bool
read_tree(FgContext *ctx, void *arg, size_t i, FgTree *profile)
{
	return fg_tree_copy(ctx, (FgTree *) arg + i, profile);
}

static bool
near(double a, double b)
{
	return a == b || fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* --- noise -------------------------------------------------------------------------------- */

typedef struct Case
{
	FgTree		values[RUNS + 1];
	FgTree		noise[RUNS + 1];
	FgProfiles	history;
	FgProfiles	history_noise;
	FgNoise		known;
} Case;

static void
random_trees(FgContext *ctx, UnitRandom *random, FgTree *trees)
{
	for (int i = 0; i <= RUNS; i++)
	{
		NaiveShape	shape = {10 + unit_below(random, 20), 1 + unit_below(random, 4), 8, NAIVE_COUNTS};
		Naive		profile = naive_random(random, shape);

		trees[i] = naive_tree(ctx, &profile);
		naive_free(&profile);
	}
}

static void
case_begin(FgContext *ctx, UnitRandom *random, Case *c)
{
	random_trees(ctx, random, c->values);
	random_trees(ctx, random, c->noise);
	c->history = (FgProfiles) {read_tree, c->values, RUNS};
	c->history_noise = (FgProfiles) {read_tree, c->noise, RUNS};
	c->known = (FgNoise) {&c->history_noise, &c->noise[RUNS]};
}

static void
case_end(FgContext *ctx, Case *c)
{
	for (int i = 0; i <= RUNS; i++)
	{
		fg_tree_free(ctx, &c->values[i]);
		fg_tree_free(ctx, &c->noise[i]);
	}
}

/* The number of the row of the same one-frame key, FG_NONE without one. */
static uint32_t
find_row(const FgDeviations *d, const FgDeviations *of, uint32_t row)
{
	uint32_t	f = fg_key_frame(of->keys.key[of->node[row]]);

	for (uint32_t i = 0; i < d->count; i++)
	{
		uint32_t	g = fg_key_frame(d->keys.key[d->node[i]]);

		if (fg_frame_length(&d->keys.frames, g) == fg_frame_length(&of->keys.frames, f) &&
			memcmp(fg_frame_bytes(&d->keys.frames, g), fg_frame_bytes(&of->keys.frames, f),
				   fg_frame_length(&of->keys.frames, f)) == 0)
			return i;
	}
	return FG_NONE;
}

/* The noise of a function as if it were its value: mean before, and now. */
static void
noise_of(const FgDeviations *noise, const FgDeviations *of, uint32_t row, double *before,
		 double *now)
{
	uint32_t	i = find_row(noise, of, row);

	*before = i == FG_NONE ? 0 : noise->rows[i].expected;
	*now = i == FG_NONE ? 0 : noise->rows[i].actual;
}

static void
moderated_factors(FgContext *ctx, const FgDeviations *own, const FgDeviations *noise,
				  FgModeration *m)
{
	double		ratio[64];
	double		x[64];
	double		now;

	for (uint32_t i = 0; i < own->count; i++)
	{
		double		mean = own->rows[i].expected;
		double		s = own->rows[i].stddev;

		noise_of(noise, own, i, &x[i], &now);
		ratio[i] = x[i] > 0 ? s * s / x[i] : NAN;
		x[i] = mean > 0 ? log(mean) : NAN;
	}
	CHECK(own->count <= 64 && fg_moderate(ctx, ratio, x, own->count, RUNS - 1, m));
}

static void
check_floors(const FgDeviations *own, const FgDeviations *noise, const FgDeviations *got,
			 const FgModeration *m)
{
	for (uint32_t i = 0; i < own->count; i++)
	{
		const FgDeviation *row = &got->rows[i];
		double		before;
		double		now;
		double		factor = 1;
		double		df = RUNS - 1;

		noise_of(noise, own, i, &before, &now);
		if (m != NULL && !isnan(m->prior[i]))
			factor = fmax(1, m->posterior[i]);
		if (m != NULL)
			df = fmin(df + fmin(m->prior_df, 20), df * m->used);
		before = fmax(own->rows[i].stddev * own->rows[i].stddev, before * factor);
		now = fmax(before, now * factor);
		CHECK(near(row->stddev, sqrt((now + before / RUNS) / (1 + 1.0 / RUNS))));
		CHECK(near(row->df, df) && near(row->expected, own->rows[i].expected) &&
			  row->actual == own->rows[i].actual && row->raw_score == own->rows[i].raw_score);
		CHECK(row->stddev == 0 || near(row->score, row->diff / row->stddev));
	}
}

/* By moments, with what is known besides: the total and the variance between repetitions. */
static void
score_stats(FgContext *ctx, Case *c, const FgScoring *scoring, FgDeviationNoise noise,
			FgDeviations *d)
{
	FgAccumulator sum;
	FgAccumulator noises;
	FgTree		current;
	FgTree		current_noise;

	fg_accumulator_init(ctx, &sum, FG_ACCUMULATE_MOMENTS);
	fg_accumulator_init(ctx, &noises, FG_ACCUMULATE_SUM);
	CHECK(fg_accumulate_profiles(ctx, &c->history, FG_LEVEL_FRAME, &sum, NULL) &&
		  fg_accumulate_profiles(ctx, &c->history_noise, FG_LEVEL_FRAME, &noises, NULL) &&
		  fg_level_apply(ctx, &c->values[RUNS], FG_LEVEL_FRAME, &current) &&
		  fg_level_apply(ctx, &c->noise[RUNS], FG_LEVEL_FRAME, &current_noise));
	noise.history = fg_accumulator_total(&noises);
	noise.current = &current_noise;
	CHECK(fg_stats_deviations(ctx, fg_accumulator_moments(&sum), RUNS, &current, scoring, &noise, d));
	fg_tree_free(ctx, &current);
	fg_tree_free(ctx, &current_noise);
	fg_accumulator_free(&sum);
	fg_accumulator_free(&noises);
}

static void
check_stats(FgContext *ctx, Case *c, const FgScoring *scoring, const FgDeviations *arrays)
{
	FgDeviations d;

	score_stats(ctx, c, scoring, (FgDeviationNoise) {0}, &d);
	CHECK_COUNT(d.count, arrays->count);
	for (uint32_t i = 0; i < arrays->count; i++)
	{
		uint32_t	j = find_row(&d, arrays, i);

		CHECK(j != FG_NONE && near(d.rows[j].stddev, arrays->rows[i].stddev) &&
			  near(d.rows[j].df, arrays->rows[i].df));
	}
	fg_deviations_free(&d);
}

static void
test_noise(void)
{
	static const FgScoring plain = {0, 0, true, false};
	static const FgScoring moderated = {0, 0, true, true};
	UnitRandom	random = {5};

	unit_case("noise is a floor, moderated or not");
	for (int round = 0; round < 50; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		Case		c;
		FgDeviations own;
		FgDeviations noise;
		FgDeviations got;
		FgModeration m;

		unit_note("[round %d]", round);
		case_begin(&ctx, &random, &c);
		CHECK(fg_deviations(&ctx, &c.history, &c.values[RUNS], RUNS, FG_METRIC_TOTAL, &plain, NULL, &own));
		CHECK(fg_deviations(&ctx, &c.history_noise, &c.noise[RUNS], RUNS, FG_METRIC_TOTAL, &plain, NULL, &noise));
		CHECK(fg_deviations(&ctx, &c.history, &c.values[RUNS], RUNS, FG_METRIC_TOTAL, &plain, &c.known, &got));
		check_floors(&own, &noise, &got, NULL);
		check_stats(&ctx, &c, &plain, &got);
		fg_deviations_free(&got);
		moderated_factors(&ctx, &own, &noise, &m);
		CHECK(fg_deviations(&ctx, &c.history, &c.values[RUNS], RUNS, FG_METRIC_TOTAL, &moderated, &c.known, &got));
		check_floors(&own, &noise, &got, &m);
		check_stats(&ctx, &c, &moderated, &got);
		fg_moderation_free(&ctx, &m);
		fg_deviations_free(&own);
		fg_deviations_free(&noise);
		fg_deviations_free(&got);
		case_end(&ctx, &c);
		CHECK_COUNT(memory.blocks, 0);
	}
}

/* --- small shares ------------------------------------------------------------------------------ */

/* Of a function that has at most a tenth: p by the noise alone and by the moderated factor. */
static double
p_of_small(const FgDeviation *own, double before, double now, double within, const FgModeration *m,
		   uint32_t i)
{
	bool		lent = !isnan(m->prior[i]);
	double		s2 = own->stddev * own->stddev;
	double		ratio = before > 0 ? s2 / before : 1;
	double		factor = lent ? m->posterior[i] : 1;
	double		d = RUNS - 1;
	double		df = fmin(d + fmin(m->prior_df, 100), d * m->used);
	double		v;

	if (ratio > 1 && (!lent || fg_f_survival(ratio / m->prior[i], d, fmin(m->prior_df, 1e10)) < 0.001))
	{
		factor = ratio;
		df = d;
	}
	if (own->diff == 0)
		return 1;
	/* chi-squared of two degrees of freedom is above 2 * 2.9957 with a probability of 0.05 */
	within = within > -log(0.05) * now ? within : 0;
	v = s2 > before ? fmax(s2, factor * before) : factor * before;
	return fmin(1, erfc(fabs(own->diff) / sqrt(2 * (fmax(fmax(before, now), within) + before / RUNS))) +
				fg_t_two_sided(own->diff / sqrt(fmax(fmax(v, now * factor), within) + v / RUNS), df));
}

static void
check_small(FgContext *ctx, Case *c, const FgDeviations *own, const FgDeviations *noise,
			double total)
{
	static const FgScoring moderated = {0, 0, true, true};
	FgTree		within;
	FgDeviations d;
	FgModeration m;

	/* as if the last run of the history were what the repetitions vary by */
	CHECK(fg_level_apply(ctx, &c->values[0], FG_LEVEL_FRAME, &within));
	moderated_factors(ctx, own, noise, &m);
	score_stats(ctx, c, &moderated, (FgDeviationNoise) {.total = total, .repetitions = 3, .within = &within}, &d);
	for (uint32_t i = 0; i < own->count; i++)
	{
		uint32_t	j = find_row(&d, own, i);
		double		before;
		double		now;

		noise_of(noise, own, i, &before, &now);
		if (own->rows[i].expected > total / 10)
			CHECK(near(d.rows[j].df, fmin(RUNS - 1 + fmin(m.prior_df, 20), (RUNS - 1.0) * m.used)) &&
				  near(d.p_value[j], fg_t_two_sided(d.rows[j].score / sqrt(1 + 1.0 / RUNS), d.rows[j].df)));
		else
			CHECK(fabs(d.p_value[j] - p_of_small(&own->rows[i], before, now, d.rows[j].variance_within, &m, i)) <= 1e-9);
	}
	fg_moderation_free(ctx, &m);
	fg_deviations_free(&d);
	fg_tree_free(ctx, &within);
}

static void
test_small_shares(void)
{
	static const FgScoring plain = {0, 0, true, false};
	UnitRandom	random = {11};

	unit_case("what has at most a tenth of everything is tested by its noise and by what runs say of it");
	for (int round = 0; round < 50; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		Case		c;
		FgDeviations own;
		FgDeviations noise;

		unit_note("[round %d]", round);
		case_begin(&ctx, &random, &c);
		CHECK(fg_deviations(&ctx, &c.history, &c.values[RUNS], RUNS, FG_METRIC_TOTAL, &plain, NULL, &own));
		CHECK(fg_deviations(&ctx, &c.history_noise, &c.noise[RUNS], RUNS, FG_METRIC_TOTAL, &plain, NULL, &noise));
		check_small(&ctx, &c, &own, &noise, 1e9);
		check_small(&ctx, &c, &own, &noise, 10.5 * own.rows[own.count / 2].expected);
		check_small(&ctx, &c, &own, &noise, 1e-9);
		fg_deviations_free(&own);
		fg_deviations_free(&noise);
		case_end(&ctx, &c);
		CHECK_COUNT(memory.blocks, 0);
	}
}

static void
test_wrong_noise(void)
{
	static const FgScoring plain = {0, 0, true, false};
	FgContext	ctx = fg_malloc_context();
	FgTree		trees[4];
	FgProfiles	history = {read_tree, trees, 2};
	FgProfiles	few = {read_tree, trees, 1};
	FgNoise		noise = {&few, NULL};
	FgDeviations d;

	unit_case("noise that cannot be");
	for (int i = 0; i < 4; i++)
		trees[i] = tree_of_text(&ctx, i < 3 ? "a 2" : "a -1");
	CHECK_ERROR(fg_deviations(&ctx, &history, &trees[2], 10, 1, &plain, &noise, &d), &ctx, FG_ERROR_ARGUMENT);
	noise = (FgNoise) {NULL, &trees[3]};
	CHECK_ERROR(fg_deviations(&ctx, &history, &trees[2], 10, 1, &plain, &noise, &d), &ctx, FG_ERROR_ARGUMENT);
	for (int i = 0; i < 4; i++)
		fg_tree_free(&ctx, &trees[i]);
}

/* --- runs at a common speed ------------------------------------------------------------------ */

/*
 * A profile of functions f0 (1000) to f11 (12000), times a speed, with a share of change in
 * f3; "hot" (a multiple of these together) is one more.
 */
static FgTree
run_of(FgContext *ctx, double speed, double change, double hot)
{
	char		text[1024];
	size_t		length = 0;

	for (int i = 0; i < FUNCTIONS; i++)
		length += (size_t) snprintf(text + length, sizeof(text) - length, "m;f%02d %.17g\n", i,
									1000 * (i + 1) * speed * (i == 3 ? 1 + change : 1));
	if (hot > 0)
		snprintf(text + length, sizeof(text) - length, "m;f99 %.17g\n", 78000 * speed * hot);
	return tree_of_text(ctx, text);
}

typedef struct Night
{
	FgContext	ctx;
	FgTree		runs[RUNS + 1];
	FgTree		repetitions[3];
	FgProfiles	history;
	FgProfiles	repeated;
	FgRunScoresInput input;
	FgDeviations d;
} Night;

/* The history's speeds differ by "spread"; the repetitions of the new run are its mean and what lies around it. */
static void
night_with(Night *night, double spread, double speed, double change, double within, double hot_before, double hot_now)
{
	*night = (Night) {.ctx = fg_malloc_context()};
	for (int i = 0; i < RUNS; i++)
		night->runs[i] = run_of(&night->ctx, 1 + spread * (i - (RUNS - 1) / 2.0), 0, hot_before);
	night->runs[RUNS] = run_of(&night->ctx, speed, change, hot_now);
	for (int i = 0; i < 3; i++)
		night->repetitions[i] = run_of(&night->ctx, speed, change + within * (i - 1), hot_now);
	night->history = (FgProfiles) {read_tree, night->runs, RUNS};
	night->repeated = (FgProfiles) {read_tree, night->repetitions, 3};
	night->input = (FgRunScoresInput) {.history = &night->history, .current = &night->runs[RUNS],
		.repetitions = &night->repeated, .level = FG_LEVEL_FRAME,
		.scoring = {1, 0, true, true}, .unit_now = 1};
	CHECK(fg_run_scores(&night->ctx, &night->input, &night->d));
}

static void
night_begin(Night *night, double spread, double speed, double change, double within)
{
	night_with(night, spread, speed, change, within, 0, 0);
}

static void
night_end(Night *night)
{
	fg_deviations_free(&night->d);
	for (int i = 0; i <= RUNS; i++)
		fg_tree_free(&night->ctx, &night->runs[i]);
	for (int i = 0; i < 3; i++)
		fg_tree_free(&night->ctx, &night->repetitions[i]);
}

/* Of the function f<number>, or of m for -1. */
static uint32_t
row_named(const Night *night, int number)
{
	const FgDeviations *d = &night->d;
	char		name[8];

	snprintf(name, sizeof(name), number < 0 ? "m" : "f%02d", number);
	for (uint32_t i = 0; i < d->count; i++)
	{
		uint32_t	f = fg_key_frame(d->keys.key[d->node[i]]);

		if (fg_frame_length(&d->keys.frames, f) == strlen(name) &&
			memcmp(fg_frame_bytes(&d->keys.frames, f), name, strlen(name)) == 0)
			return i;
	}
	CHECK(false);
	return 0;
}

static void
test_common_speed(void)
{
	Night		night;
	double		p;

	unit_case("a slow night after nights of different speed: one function stands out");
	night_begin(&night, 0.05, 1.12, 0.1, 0);
	for (int i = 0; i < FUNCTIONS; i++)
	{
		p = night.d.p_value[row_named(&night, i)];
		if (i == 3 ? p > 1e-4 : p < 0.5)
			CHECK(false);
	}
	p = night.d.p_value[row_named(&night, -1)];
	CHECK(p > 0.05);			/* m is the whole program, which is as slow as it may be */
	CHECK(night.d.rows[row_named(&night, -1)].whole && !night.d.rows[row_named(&night, 11)].whole);
	night_end(&night);

	unit_case("the same night after nights of one speed: everything stands out");
	night_begin(&night, 0, 1.12, 0, 0);
	for (int i = -1; i < FUNCTIONS; i++)
		CHECK(night.d.p_value[row_named(&night, i)] < 0.01);
	night_end(&night);

	unit_case("a function whose repetitions differ more than its runs did");
	night_begin(&night, 0.05, 1, 0.1, 0.3);
	p = night.d.p_value[row_named(&night, 3)];
	CHECK(p > 0.05);
	night_end(&night);
}

/* Each value that is told, against the mean and the value of a plain comparison of what was recorded. */
static void
check_told(const FgDeviations *d, const FgDeviations *history, const FgDeviations *told)
{
	for (uint32_t i = 0; i < d->count; i++)
	{
		uint32_t	plain = find_row(history, d, i);
		uint32_t	value = find_row(told, d, i);

		CHECK(plain != FG_NONE && near(d->rows[i].measured, history->rows[plain].actual));
		CHECK(near(d->rows[i].value_before, value == FG_NONE ? 0 : told->rows[value].expected));
		CHECK(near(d->rows[i].value_after, value == FG_NONE ? 0 : told->rows[value].actual));
	}
}

static void
test_told_values(void)
{
	static const FgScoring scoring = FG_DEFAULT_SCORING;
	UnitRandom	random = {41};

	unit_case("what is told is what was recorded");
	for (int round = 0; round < 20; round++)
	{
		UnitMemory	memory;
		FgContext	ctx = unit_context(&memory);
		Case		c;
		FgDeviations plain;
		FgDeviations value;
		FgDeviations d;
		FgRunScoresInput input = {.level = FG_LEVEL_FRAME, .scoring = scoring, .unit_now = 1};

		case_begin(&ctx, &random, &c);
		input.history = &c.history;
		input.current = &c.values[RUNS];
		input.scoring.moderated = round % 2 == 0;
		CHECK(fg_deviations(&ctx, &c.history, input.current, RUNS, FG_METRIC_TOTAL, &scoring, NULL,
							&plain));
		CHECK(fg_deviations(&ctx, &c.history_noise, &c.noise[RUNS], RUNS, FG_METRIC_TOTAL, &scoring,
							NULL, &value));
		CHECK(fg_run_scores(&ctx, &input, &d));
		check_told(&d, &plain, &plain);
		fg_deviations_free(&d);
		input.value_history = &c.history_noise;
		input.value_current = &c.noise[RUNS];
		CHECK(fg_run_scores(&ctx, &input, &d));
		check_told(&d, &plain, &value);
		fg_deviations_free(&d);
		input.value_current = NULL;
		CHECK(!fg_run_scores(&ctx, &input, &d));
		fg_deviations_free(&plain);
		fg_deviations_free(&value);
		case_end(&ctx, &c);
		CHECK_COUNT(memory.blocks, 0);
	}
}

/* What has most of everything is not the speed of the machine. */
static void
test_hot_function(void)
{
	Night		night;
	double		p;

	unit_case("a function of four fifths of everything grows by a fifth, nights differ in speed");
	night_with(&night, 0.05, 0.95, 0, 0, 4, 4.8);
	for (int i = 0; i < FUNCTIONS; i++)
		CHECK(night.d.p_value[row_named(&night, i)] > 0.05);
	p = night.d.p_value[row_named(&night, 99)];
	CHECK(p < 1e-4 && night.d.rows[row_named(&night, 99)].whole);
	CHECK(night.d.p_value[row_named(&night, -1)] < 1e-4);
	/* at the history's speed, as far as that is known */
	CHECK(fabs(night.d.rows[row_named(&night, 99)].diff / (78000 * 4) - 0.2) < 0.02);
	night_end(&night);

	unit_case("the same function in a slow night");
	night_with(&night, 0.05, 1.12, 0, 0, 4, 4);
	for (int i = 0; i < FUNCTIONS; i++)
		CHECK(night.d.p_value[row_named(&night, i)] > 0.05);
	CHECK(night.d.p_value[row_named(&night, 99)] > 0.05 && night.d.p_value[row_named(&night, -1)] > 0.05);
	night_end(&night);

	unit_case("two functions are all there is: their limit is what they have");
	night_with(&night, 0.05, 1.12, 0, 0, 40000, 40000);
	CHECK(night.d.p_value[row_named(&night, 99)] > 0.05);
	night_end(&night);
}

/* Functions that are no more than half of everything are scored by what this difference has. */
static void
test_difference(void)
{
	Night		night;
	FgTree		difference;
	FgTree		totals;

	unit_case("the difference that is scored");
	night_begin(&night, 0.05, 1.12, 0.1, 0);
	CHECK(fg_run_difference(&night.ctx, &night.input, &difference) &&
		  fg_level_apply(&night.ctx, &difference, FG_LEVEL_FRAME, &totals));
	for (int i = 0; i < FUNCTIONS; i++)
	{
		const FgDeviation *row = &night.d.rows[row_named(&night, i)];
		char		name[16];
		uint32_t	node;

		snprintf(name, sizeof(name), "f%02d", i);
		node = fg_tree_find(&totals, name, strlen(name));
		/* of values of a thousand and more, which cancel */
		CHECK(fabs((node == FG_NONE ? 0 : totals.self[node]) - row->diff) < 1e-8);
	}
	fg_tree_free(&night.ctx, &difference);
	fg_tree_free(&night.ctx, &totals);
	night_end(&night);
}

static bool
run_difference(FgContext *ctx, void *arg)
{
	FgTree		difference;
	bool		ok = fg_run_difference(ctx, &((Night *) arg)->input, &difference);

	if (ok)
		fg_tree_free(ctx, &difference);
	return ok;
}

static bool
run_scores(FgContext *ctx, void *arg)
{
	const Night *night = arg;
	FgProfiles	noise = {read_tree, (void *) night->runs, RUNS};
	FgRunScoresInput input = night->input;
	FgDeviations d;
	bool		ok;

	input.noise = (FgNoise) {&noise, &night->runs[RUNS]};
	input.value_history = &noise;
	input.value_current = &night->runs[RUNS];
	ok = fg_run_scores(ctx, &input, &d);
	if (ok)
		fg_deviations_free(&d);
	return ok;
}

static void
test_sweeps(void)
{
	Night		night;

	night_begin(&night, 0.05, 1.1, 0.1, 0.1);
	unit_sweep_memory("fg_run_scores", run_scores, &night);
	unit_sweep_interrupts("fg_run_scores", run_scores, &night, 5);
	unit_sweep_memory("fg_run_difference", run_difference, &night);
	night_end(&night);
}

int
main(void)
{
	test_noise();
	test_small_shares();
	test_wrong_noise();
	test_common_speed();
	test_hot_function();
	test_told_values();
	test_difference();
	test_sweeps();
	return unit_finish();
}
