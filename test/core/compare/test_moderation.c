/*
 * test_moderation.c
 *	  Moderated variances against squeezeVar() of R's limma 3.54 with a covariate.
 */
#include "unit.h"

#include "core/compare/moderation.h"

#include <math.h>

#define MOST_KEYS 200

typedef struct Sample
{
	double		variance[MOST_KEYS];
	double		covariate[MOST_KEYS];
	uint32_t	count;
	double		df;
} Sample;

/* What the numbers of R were computed from: 3 sin(i^2), exp(0.9 x + 1.5 sin(7 i)), i from 1. */
static Sample
plain_sample(uint32_t count, double df)
{
	Sample		sample = {.count = count, .df = df};

	for (uint32_t i = 0; i < count; i++)
	{
		double		number = i + 1;

		sample.covariate[i] = 3 * sin(number * number);
		sample.variance[i] = exp(0.9 * sample.covariate[i] + 1.5 * sin(7 * number));
	}
	return sample;
}

/* Of the first, the second and the last key. */
typedef struct Expected
{
	double		prior_df;
	double		prior[3];
	double		posterior[3];
} Expected;

static void
check_sample(const Sample *sample, const Expected *expected)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	uint32_t	places[] = {0, 1, sample->count - 1};
	FgModeration result;

	CHECK(fg_moderate(&ctx, sample->variance, sample->covariate, sample->count, sample->df,
					  &result));
	CHECK_COUNT(result.used, sample->count);
	CHECK_NEAR(result.prior_df, expected->prior_df, 1e-10);
	CHECK_NEAR(result.total_df, fmin(expected->prior_df + sample->df, sample->count * sample->df),
			   1e-10);
	for (size_t i = 0; i < COUNT(places); i++)
	{
		CHECK_NEAR(result.prior[places[i]], expected->prior[i], 1e-10);
		CHECK_NEAR(result.posterior[places[i]], expected->posterior[i], 1e-10);
	}
	fg_moderation_free(&ctx, &result);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_sizes(void)
{
	static const struct
	{
		uint32_t	count;
		double		df;
		Expected	expected;
	}			rows[] = {
		{2, 4, {0.84309664135726248, {1.0751475075562269, 1.0751475075562269, 1.0751475075562269},
				{21.647182499858314, 0.66013760340028405, 0.66013760340028405}}},
		{3, 4, {INFINITY, {36.208147489619769, 0.7675784389475292, 12.858668810453368},
				{36.208147489619769, 0.7675784389475292, 12.858668810453368}}},
		{5, 8, {3.8477687264153668, {18.01386324411823, 0.20909671752027073, 1.1925032524230625},
				{23.395043678503548, 0.4545893703189009, 0.63578383490791679}}},
		{6, 1, {INFINITY, {103.50387600899766, 0.40641544047930211, 0.17449576583362311},
				{103.50387600899766, 0.40641544047930211, 0.17449576583362311}}},
		{29, 2, {INFINITY, {20.021606151071428, 0.22726422741313135, 0.18434239560653842},
				 {20.021606151071428, 0.22726422741313135, 0.18434239560653842}}},
		{30, 4, {4.7407274540338067, {12.438256552761274, 0.15956153645267859, 21.51830911989634},
				 {18.636815846733811, 0.34860882343838218, 25.323772378289732}}},
		{200, 8, {3.1658574989206412, {7.9715676850435582, 0.10529169204690267, 10.754609793099473},
				  {20.876384511537623, 0.44015002053092045, 5.3956836634429681}}},
		{200, 98, {2.6007371507126966, {6.5046017263282989, 0.085915411988698273, 8.7754951334644389},
				   {25.479672916309337, 0.56008077527960265, 3.4171836922889125}}},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
	{
		Sample		sample = plain_sample(rows[i].count, rows[i].df);

		unit_case("%u keys, %g degrees of freedom", rows[i].count, rows[i].df);
		check_sample(&sample, &rows[i].expected);
	}
}

/* Fewer covariates than keys: knots fall on boundaries and on each other. */
static void
test_ties(void)
{
	static const Expected lower = {2.1197443390664787,
		{10.687091051402861, 0.21211272241902882, 0.21211272241902879},
		{20.684989004611971, 0.44777715343039748, 0.16666532298512721}};
	static const Expected equal = {2.2654964814709362,
		{5.3149676243661341, 0.20677040083051557, 0.70812240283966943},
		{18.509943210794638, 0.44036327863093505, 0.34707117668649606}};
	static const Expected few[] = {
		{1.0810458681648689, {0.37343978716964571, 0.37343978716964571, 0.37343978716964571},
			{20.534482831570816, 0.5302771449253818, 0.19169871488389228}},
		{1.1025844702657233, {0.61193874835656392, 0.24009910085175271, 0.24009910085175251},
			{20.500916423353488, 0.50080238986579539, 0.16365313872905318}},
		{1.077384531690043, {0.65703128177879966, 0.22075979475595015, 0.24561430042179641},
			{20.609197175050628, 0.49799264357170159, 0.16444400992091099}},
	};
	Sample		sample = plain_sample(60, 4);

	unit_case("a knot on the lower boundary");
	for (uint32_t i = 0; i < 60; i++)
		sample.covariate[i] = fmax(sample.covariate[i], 1);
	check_sample(&sample, &lower);
	unit_case("two equal knots");
	sample = plain_sample(60, 4);
	for (uint32_t i = 0; i < 60; i++)
		sample.covariate[i] = fabs(sample.covariate[i]) < 2 ? 0 : sample.covariate[i];
	check_sample(&sample, &equal);
	for (uint32_t distinct = 1; distinct <= 4; distinct *= 2)
	{
		unit_case("%u different covariates", distinct);
		for (uint32_t i = 0; i < 60; i++)
			sample.covariate[i] = (i + 1) % distinct;
		check_sample(&sample, &few[distinct / 2]);
	}
}

static void
test_variances(void)
{
	static const Expected near = {INFINITY, {2.5, 2.5, 2.5}, {2.5, 2.5, 2.5}};
	static const Expected constant = {INFINITY,
		{2.6208797032644142, 2.6208797032644138, 2.6208797032644129},
		{2.6208797032644142, 2.6208797032644138, 2.6208797032644129}};
	static const Expected zeros[] = {
		{0.48215577858649133, {0.10767573388986634, 0.0045124661075519124, 0.004092318322165508},
			{0.01158292568869905, 0.00048541633020126462, 0.057775976051942242}},
		{0.40407234916363166, {8.039395815742838e-06, 4.1782245401197397e-06, 3.2121878554322901e-06},
			{7.3761221332805648e-07, 3.8335087877925989e-07, 0.058352603585846444}},
	};
	Sample		sample = plain_sample(2, 4);

	unit_case("two keys that differ no more than samples do");
	sample.variance[0] = 2;
	sample.variance[1] = 3;
	check_sample(&sample, &near);
	unit_case("equal variances");
	sample = plain_sample(40, 4);
	for (uint32_t i = 0; i < 40; i++)
		sample.variance[i] = 2;
	check_sample(&sample, &constant);
	for (uint32_t many = 0; many < 2; many++)
	{
		unit_case("%s keys without variance", many ? "mostly" : "some");
		sample = plain_sample(40, 4);
		memset(sample.variance, 0, (many ? 30 : 5) * sizeof(double));
		check_sample(&sample, &zeros[many]);
	}
}

static void
test_scales(void)
{
	static const Expected tiny = {4.6359466485784733,
		{1.1310780403879017e-279, 1.589710699349544e-281, 1.3093427366449354e-281},
		{1.8106772132414286e-279, 3.505855790183134e-281, 1.000460207010454e-281}};
	static const Expected huge = {4.6359466485789564,
		{1.1310780403886661e+281, 1.5897106993500761e+279, 1.3093427366447782e+279},
		{1.8106772132418006e+281, 3.5058557901833122e+279, 1.0004602070103868e+279}};
	Sample		sample = plain_sample(40, 4);

	unit_case("tiny variances");
	for (uint32_t i = 0; i < 40; i++)
		sample.variance[i] *= 1e-280;
	check_sample(&sample, &tiny);
	unit_case("huge variances, covariates far from 0");
	sample = plain_sample(40, 4);
	for (uint32_t i = 0; i < 40; i++)
	{
		sample.variance[i] *= 1e280;
		sample.covariate[i] += 500;
	}
	check_sample(&sample, &huge);
}

/* Keys without a logarithm of their mean neither lend nor borrow. */
static void
test_left_out(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Sample		all = plain_sample(30, 4);
	Sample		sample = {.count = 0};
	FgModeration whole;
	FgModeration part;

	for (uint32_t i = 0; i < 30; i++)
	{
		sample.covariate[2 * i] = all.covariate[i];
		sample.variance[2 * i] = all.variance[i];
		sample.covariate[2 * i + 1] = i % 2 == 0 ? -INFINITY : i % 3 == 0 ? NAN : 0;
		sample.variance[2 * i + 1] = i % 2 == 0 ? 5 : NAN;
	}
	unit_case("keys that take no part");
	CHECK(fg_moderate(&ctx, all.variance, all.covariate, 30, 4, &whole));
	CHECK(fg_moderate(&ctx, sample.variance, sample.covariate, 60, 4, &part));
	CHECK_COUNT(part.used, 30);
	CHECK_DOUBLE(part.prior_df, whole.prior_df);
	for (uint32_t i = 0; i < 30; i++)
	{
		CHECK_DOUBLE(part.prior[2 * i], whole.prior[i]);
		CHECK_DOUBLE(part.posterior[2 * i], whole.posterior[i]);
		CHECK(isnan(part.prior[2 * i + 1]));
		CHECK_DOUBLE(part.posterior[2 * i + 1], sample.variance[2 * i + 1]);
	}
	fg_moderation_free(&ctx, &whole);
	fg_moderation_free(&ctx, &part);
	CHECK_COUNT(memory.blocks, 0);
}

/* A wild key keeps its own variance, and the others lend each other theirs as if it were not there. */
static void
test_outlier(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Sample		sample = plain_sample(40, 4);
	FgModeration calm;
	FgModeration wild;

	unit_case("a wild key");
	for (uint32_t i = 0; i < 40; i++)
		sample.variance[i] = 1 + sin(7.0 * i) / 2;
	CHECK(fg_moderate(&ctx, sample.variance, sample.covariate, 40, 4, &calm));
	CHECK_DOUBLE(calm.prior_df, INFINITY);
	sample.variance[20] = 1e6;
	CHECK(fg_moderate(&ctx, sample.variance, sample.covariate, 40, 4, &wild));
	CHECK_COUNT(wild.used, 39);
	CHECK_DOUBLE(wild.prior_df, INFINITY);
	CHECK(isnan(wild.prior[20]));
	CHECK_DOUBLE(wild.posterior[20], 1e6);
	for (uint32_t i = 0; i < 40; i++)
		CHECK(i == 20 || unit_near(wild.posterior[i], calm.posterior[i], 0.1));
	fg_moderation_free(&ctx, &calm);
	fg_moderation_free(&ctx, &wild);
	CHECK_COUNT(memory.blocks, 0);
}

static void
test_nobody_lends(void)
{
	UnitMemory	memory;
	FgContext	ctx = unit_context(&memory);
	Sample		sample = plain_sample(1, 4);
	FgModeration result;

	unit_case("no keys, and one");
	CHECK(fg_moderate(&ctx, sample.variance, sample.covariate, 0, 4, &result));
	CHECK_COUNT(result.used, 0);
	CHECK_DOUBLE(result.prior_df, 0);
	fg_moderation_free(&ctx, &result);
	CHECK(fg_moderate(&ctx, sample.variance, sample.covariate, 1, 4, &result));
	CHECK_DOUBLE(result.prior_df, 0);
	CHECK_DOUBLE(result.total_df, 4);
	CHECK_DOUBLE(result.posterior[0], sample.variance[0]);
	fg_moderation_free(&ctx, &result);
	CHECK_COUNT(memory.blocks, 0);
}

static bool
moderate(FgContext *ctx, void *arg)
{
	const Sample *sample = arg;
	FgModeration result;

	if (!fg_moderate(ctx, sample->variance, sample->covariate, sample->count, sample->df, &result))
		return false;
	fg_moderation_free(ctx, &result);
	return true;
}

int
main(void)
{
	Sample		sample = plain_sample(60, 4);

	test_sizes();
	test_ties();
	test_variances();
	test_scales();
	test_left_out();
	test_outlier();
	test_nobody_lends();
	unit_sweep_memory("moderation", moderate, &sample);
	unit_sweep_interrupts("moderation", moderate, &sample, 3);
	return unit_finish();
}
