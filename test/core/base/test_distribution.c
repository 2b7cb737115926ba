/*
 * test_distribution.c
 *	  Distributions against numbers of 22 digits: power series of the incomplete beta
 *	  function and error functions in arithmetic of 400 digits (mpmath).
 */
#include "unit.h"

#include "core/base/distribution.h"
#include "core/base/distribution_internal.h"

#include <float.h>
#include <math.h>

#define DIGITS	1e-12

/* P(T > t) */
static double
t_survival(double t, double df)
{
	double		half = fg_t_two_sided(t, df) / 2;

	return t < 0 ? 1 - half : half;
}

/* x with fg_beta_survival(x, a, b) = p, from f with fg_f_survival(f, 2 a, 2 b) = p. */
static double
beta_upper_quantile(double p, double a, double b)
{
	double		f = fg_f_upper_quantile(p, 2 * a, 2 * b);

	return f > 1 ? 1 / (1 + b / a / f) : f / (f + b / a);
}

static void
test_f(void)
{
	static const struct
	{
		double		f;
		double		df1;
		double		df2;
		double		above;
		double		below;
	}			rows[] = {
		{3.8, 3, 196, 0.01115154403905385880042, 0.9888484559609461411996},
		{1, 1, 1, 0.5, 0.5},
		{209268.3689368676, 4, 95, 1.967675929114394924638e-186, 1},
		{0.5, 97, 1, 0.8394990453624077770374, 0.1605009546375922229626},
		{1e-10, 0.5, 0.5, 0.9982944173183253384894, 1.705582681674661510614e-3},
		{10000000000, 0.5, 0.5, 1.70558268167466149508e-3, 0.9982944173183253385049},
		{1e-10, 0.5, 10000000, 0.9975330297608779877679, 2.466970239122012232066e-3},
		{2, 0.5, 10000000, 0.1535136133925866430161, 0.8464863866074133569839},
		{1400, 1, 10000000, 2.206672508083336527754e-306, 1},
		{1e-05, 97, 97, 1, 2.022561467608184505806e-215},
		{10000000000, 2, 3.7, 9.868876118001936428602e-19, 0.9999999999999999990131},
		{1000000, 11, 97, 6.681128109382985487428e-240, 1},
		{0.9, 1000, 1000, 0.9520530748136550617135, 0.04794692518634493828649},
		{10, 1000, 1000, 6.684184020185371884248e-243, 1},
		{0.5, 100000, 97, 0.9999999805844653542457, 1.941553464575433695128e-8},
		{1, 100000, 100000, 0.5, 0.5},
		{1.01, 100000, 100000, 0.05782719932715407137171, 0.9421728006728459286283},
		{1.1, 100000, 100000, 1.335330936969085920623e-51, 1},
		{0.999, 10000000, 10000000, 0.943167207661380290564, 0.05683279233861970943595},
		{1, 10000000, 10000000, 0.5, 0.5},
		{1.001, 10000000, 10000000, 0.05701351470419958797758, 0.9429864852958004120224},
		{1.02, 10000000, 10000000, 1.681793751124151584378e-215, 1},
		{1.1, 1000, 10000000, 0.01461876858827972063157, 0.9853812314117202793684},
		{2, 1000, 10000000, 4.249194209078381133194e-69, 1},
		{1.01, 10000000, 1000, 0.4179272971886483375985, 0.5820727028113516624015},
		{10000, 10000000, 0.5, 0.07801205869559337443433, 0.9219879413044066255657},
		{0.5, 10000000, 3, 0.8883897019270339527896, 0.1116102980729660472104}
	};

	unit_case("tails of F");
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_note("f %g, df %g and %g", rows[i].f, rows[i].df1, rows[i].df2);
		CHECK_NEAR(fg_f_survival(rows[i].f, rows[i].df1, rows[i].df2), rows[i].above, DIGITS);
		CHECK_NEAR(fg_f_survival(1 / rows[i].f, rows[i].df2, rows[i].df1), rows[i].below,
				   rows[i].f == 1 / (1 / rows[i].f) ? DIGITS : 1e-9);
	}
}

static void
test_t(void)
{
	static const struct
	{
		double		t;
		double		df;
		double		above;
		double		both;
	}			rows[] = {
		{1e-10, 1, 0.4999999999681690113816, 0.9999999999363380227632},
		{0.7, 1, 0.3055998877857852200042, 0.6111997755715704400084},
		{2.5, 0.5, 0.2004852645266465918319, 0.4009705290532931836637},
		{3, 10, 6.67182751128478860341e-3, 0.01334365502256957720682},
		{10, 2.5, 2.220747883653712386541e-3, 4.441495767307424773083e-3},
		{36, 10000, 2.800954910858097276944e-267, 5.601909821716194553889e-267},
		{36, 100000000, 4.200251051646954130823e-284, 8.400502103293908261645e-284},
		{1.96, 100000000, 0.02499789653466405434631, 0.04999579306932810869262},
		{5, 1000000, 2.866998935445370784489e-7, 5.733997870890741568977e-7},
		{1e99, 2, 5.000000000000000326638e-199, 1.000000000000000065328e-198},
		{1e101, 2.5, 2.274751923728513333088e-253, 4.549503847457026666175e-253},
		{1e299, 1, 3.18309886183790654825e-300, 6.3661977236758130965e-300}
	};

	unit_case("tails of t");
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_note("t %g, df %g", rows[i].t, rows[i].df);
		CHECK_NEAR(t_survival(rows[i].t, rows[i].df), rows[i].above, DIGITS);
		CHECK_NEAR(t_survival(-rows[i].t, rows[i].df), 1 - rows[i].above, DIGITS);
		CHECK_NEAR(fg_t_two_sided(rows[i].t, rows[i].df), rows[i].both, DIGITS);
		CHECK_DOUBLE(fg_t_two_sided(-rows[i].t, rows[i].df), fg_t_two_sided(rows[i].t, rows[i].df));
	}
}

static void
test_normal(void)
{
	static const struct
	{
		double		z;
		double		above;
	}			rows[] = {
		{-8, 0.9999999999999993779039},
		{-1, 0.8413447460685429485852},
		{0, 0.5},
		{1e-10, 0.4999999999601057719599},
		{1, 0.1586552539314570514148},
		{1.959963984540054, 0.02500000000000001087617},
		{8, 6.220960574271784123516e-16},
		{20, 2.753624118606233695076e-89},
		{37, 5.725571222524576822683e-300}
	};

	unit_case("tails of the normal distribution");
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_note("z %g", rows[i].z);
		CHECK_NEAR(fg_normal_survival(rows[i].z), rows[i].above, DIGITS);
		CHECK_DOUBLE(t_survival(fabs(rows[i].z), INFINITY), fg_normal_survival(fabs(rows[i].z)));
	}
}

static void
test_beta(void)
{
	static const struct
	{
		double		x;
		double		a;
		double		b;
		double		below;
		double		above;
	}			rows[] = {
		{0.25, 0.25, 0.25, 0.3977567783173558368923, 0.6022432216826441631077},
		{1e-10, 0.25, 3, 4.446952959433905357747e-3, 0.9955530470405660946423},
		{0.9999999999990905, 3, 0.25, 0.9986267089843754996004, 1.373291015624500399639e-3},
		{0.001, 2, 500000, 1, 2.779397848655129622095e-215},
		{0.5, 5000000, 5000000, 0.5, 0.5},
		{0.4999, 5000000, 5000000, 0.2635446315314410129171, 0.7364553684685589870829},
		{0.3, 40, 60, 0.01759250846893007623458, 0.9824074915310699237654},
		{0.9, 40, 60, 1, 9.718510108640826452938e-35}
	};

	unit_case("the incomplete beta function");
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		unit_note("x %g, a %g, b %g", rows[i].x, rows[i].a, rows[i].b);
		CHECK_NEAR(fg_beta_cdf(rows[i].x, rows[i].a, rows[i].b), rows[i].below, DIGITS);
		CHECK_NEAR(fg_beta_survival(rows[i].x, rows[i].a, rows[i].b), rows[i].above, DIGITS);
	}
}

typedef struct FQuantile
{
	double		p;
	double		df1;
	double		df2;
	double		f;
} FQuantile;

static const FQuantile f_quantiles[] = {
	{0.01, 3, 196, 3.883084028831164616036},
	{0.05, 97, 1, 253.0017911055564604306},
	{1e-06, 20, 79, 4.410325287558282951112},
	{0.5, 2, 2, 1},
	{1e-300, 97, 97, 5.739749433225818038267e6},
	{1e-300, 1, 3.7, 3.221867541177710572139e162},
	{1e-100, 1000, 100000, 2.287654391388662829853},
	{0.999, 0.5, 10, 2.913504370577715734184e-12},
	{0.9999999999999991, 2, 2, 8.881784197001260211998e-16},
	{0.9, 100000, 100000, 0.9919274840467793884729},
	{1e-20, 100000, 100000, 1.060334598096654680092}
};

typedef struct TQuantile
{
	double		p;
	double		df;
	double		t;
} TQuantile;

static const TQuantile t_quantiles[] = {
	{1e-300, 1, 3.183098861837906635612e299},
	{1e-300, 100000000, 37.04722350902028608334},
	{0.025, 10, 2.228138851986274715653},
	{0.4999, 3, 2.720699091104733818597e-4},
	{0.49999999999999994, 1, 1.74393424900431594974e-16},
	{0.005, 0.5, 4113.964588804180980416},
	{1e-50, 10000, 15.01735961723528299163}
};

typedef struct NormalQuantile
{
	double		p;
	double		z;
} NormalQuantile;

static const NormalQuantile normal_quantiles[] = {
	{1e-300, 37.04709629936119923655},
	{1e-20, 9.262340089798407579572},
	{0.001, 3.090232306167813535358},
	{0.025, 1.95996398454005421178},
	{0.3, 0.5244005127080408159695},
	{0.49999999999999994, 1.391458212335883461117e-16},
	{0.9, -1.281551565544600593487},
	{0.9999999999999999, -8.209536151601386855631}
};

static void
test_quantiles(void)
{
	unit_case("quantiles");
	for (size_t i = 0; i < COUNT(f_quantiles); i++)
	{
		const FQuantile *row = &f_quantiles[i];

		unit_note("p %g, df %g and %g", row->p, row->df1, row->df2);
		CHECK_NEAR(fg_f_upper_quantile(row->p, row->df1, row->df2), row->f, DIGITS);
	}
	for (size_t i = 0; i < COUNT(t_quantiles); i++)
	{
		const TQuantile *row = &t_quantiles[i];

		unit_note("p %g, df %g", row->p, row->df);
		CHECK_NEAR(fg_t_upper_quantile(row->p, row->df), row->t, DIGITS);
	}
	for (size_t i = 0; i < COUNT(normal_quantiles); i++)
	{
		const NormalQuantile *row = &normal_quantiles[i];

		unit_note("p %g", row->p);
		CHECK_NEAR(fg_normal_upper_quantile(row->p), row->z, DIGITS);
		CHECK_DOUBLE(fg_t_upper_quantile(row->p, INFINITY),
					 fg_normal_upper_quantile(row->p));
	}
}

/* --- laws ----------------------------------------------------------------------------- */

/* Logarithmically uniform. */
static double
spread(UnitRandom *random, double low, double high)
{
	double		share = (double) (unit_random(random) >> 11) * 0x1p-53;

	return low * pow(high / low, share);
}

/* Tails add up to 1, and a quantile leads back. */
static void
test_random(void)
{
	UnitRandom	random = {6};

	unit_case("tails and quantiles of random distributions");
	for (int round = 0; round < 2000; round++)
	{
		double		df1 = spread(&random, 0.5, 1e7);
		double		df2 = spread(&random, 0.5, 1e7);
		double		p = round % 2 ? spread(&random, 1e-300, 0.5) : 1 - spread(&random, 1e-15, 0.5);
		double		f = fg_f_upper_quantile(p, df1, df2);
		double		t = fg_t_upper_quantile(p, df1);
		double		x = beta_upper_quantile(p, df1, df2);

		unit_note("p %g, df %g and %g", p, df1, df2);
		if (f > 0 && f < INFINITY)
		{
			/* a bit of f is that many of p */
			double		bits = DIGITS + fabs(fg_f_survival(f * (1 + 1e-10), df1, df2) / p - 1) * 1e-5;

			CHECK_NEAR(fg_f_survival(f, df1, df2), p, bits);
			CHECK(fg_f_survival(f * (1 + 1e-7), df1, df2) <= fg_f_survival(f, df1, df2));
		}
		if (fabs(t) < INFINITY)
		{
			double		bits = DIGITS +
				fabs(t_survival(t * (1 + 1e-10), df1) / p - 1) * 1e-5;

			CHECK_NEAR(t_survival(t, df1), p, bits);
		}
		if (x > 1e-300 && x < 0.999)
			CHECK_NEAR(fg_beta_cdf(x, df1, df2) + fg_beta_survival(x, df1, df2), 1, 1e-15);
	}
}

static void
test_ends(void)
{
	static const double bad[] = {0, -1, NAN};

	unit_case("ends of the line");
	CHECK_DOUBLE(fg_beta_cdf(0, 2, 3), 0);
	CHECK_DOUBLE(fg_beta_cdf(1, 2, 3), 1);
	CHECK_DOUBLE(fg_beta_survival(0, 2, 3), 1);
	CHECK_DOUBLE(fg_beta_survival(1, 2, 3), 0);
	CHECK_DOUBLE(fg_f_survival(0, 2, 3), 1);
	CHECK_DOUBLE(fg_f_survival(-5, 2, 3), 1);
	CHECK_DOUBLE(fg_f_survival(INFINITY, 2, 3), 0);
	CHECK_DOUBLE(fg_f_survival(1, 5, 5), 0.5);
	CHECK_DOUBLE(fg_f_upper_quantile(0, 2, 3), INFINITY);
	CHECK_DOUBLE(fg_f_upper_quantile(1, 2, 3), 0);
	CHECK_DOUBLE(fg_f_upper_quantile(1e-300, 1, 0.5), INFINITY);
	CHECK_DOUBLE(t_survival(0, 3), 0.5);
	CHECK_DOUBLE(t_survival(INFINITY, 3), 0);
	CHECK_DOUBLE(t_survival(-INFINITY, 3), 1);
	CHECK_DOUBLE(fg_t_two_sided(0, 3), 1);
	CHECK_DOUBLE(fg_t_two_sided(DBL_MIN, 3), 1);
	CHECK_DOUBLE(fg_t_upper_quantile(0, 3), INFINITY);
	CHECK_DOUBLE(fg_t_upper_quantile(1, 3), -INFINITY);
	CHECK_DOUBLE(fg_t_upper_quantile(0.5, 3), 0);
	CHECK_DOUBLE(fg_normal_survival(INFINITY), 0);
	CHECK_DOUBLE(fg_normal_survival(-INFINITY), 1);
	CHECK_DOUBLE(fg_normal_upper_quantile(0), INFINITY);
	CHECK_DOUBLE(fg_normal_upper_quantile(1), -INFINITY);
	CHECK_DOUBLE(fg_normal_upper_quantile(0.5), 0);
	for (size_t i = 0; i < COUNT(bad); i++)
	{
		CHECK(isnan(fg_beta_cdf(0.5, bad[i], 1)) && isnan(fg_beta_cdf(0.5, 1, bad[i])));
		CHECK(isnan(fg_beta_survival(0.5, bad[i], 1)));
		CHECK(isnan(fg_f_survival(1, bad[i], 1)) && isnan(fg_f_survival(1, 1, bad[i])));
		CHECK(isnan(fg_f_upper_quantile(0.5, 1, bad[i])));
		CHECK(isnan(fg_t_two_sided(1, bad[i])));
		CHECK(isnan(fg_t_upper_quantile(0.5, bad[i])));
	}
	CHECK(isnan(fg_beta_cdf(NAN, 1, 1)) && isnan(fg_beta_cdf(1.1, 1, 1)));
	CHECK(isnan(fg_f_survival(NAN, 1, 1)) && isnan(fg_f_survival(1, INFINITY, 1)));
	CHECK(isnan(fg_t_two_sided(NAN, 1)) && isnan(fg_normal_survival(NAN)));
	CHECK(isnan(fg_f_upper_quantile(NAN, 1, 1)) && isnan(fg_f_upper_quantile(-0.1, 1, 1)));
	CHECK(isnan(fg_t_upper_quantile(1.1, 1)) && isnan(fg_normal_upper_quantile(NAN)));
	CHECK(isnan(fg_normal_upper_quantile(1.5)));
}

/* By recurrence from x = 1, 1/2 and 1/4, whose values are known, in decimals of 50 digits. */
static void
test_gamma(void)
{
	static const struct
	{
		double		x;
		double		digamma;
		double		trigamma;
	}			rows[] = {
		{1. / 4, -4.227453533376265408090, 17.19732915450711073927},
		{1. / 2, -1.963510026021423479441, 4.934802200544679309417},
		{1, -0.5772156649015328606065, 1.644934066848226436472},
		{3. / 2, 0.03648997397857652055902, 0.9348022005446793094172},
		{2, 0.4227843350984671393935, 0.6449340668482264364724},
		{5. / 2, 0.7031566406452431872257, 0.4903577561002348649728},
		{17. / 4, 1.324683218760486728663, 0.2651237340965621235945},
		{13, 2.525995013309145350072, 0.07995742842732394630586},
		{27. / 2, 2.565195651274912048150, 0.07688522460157837044359},
		{49, 3.881581510162586074505, 0.02061782635456051606003},
		{100, 4.600161852738087400199, 0.01005016666333357139525},
		{4001. / 4, 6.907505289414428258109, 0.001000249979119793513997},
		{100000, 11.51292046496189508676, 0.00001000005000016666666666},
	};

	unit_case("derivatives of log Gamma");
	for (size_t i = 0; i < COUNT(rows); i++)
	{
		CHECK_NEAR(fg_digamma(rows[i].x), rows[i].digamma, 4e-14);
		CHECK_NEAR(fg_trigamma(rows[i].x), rows[i].trigamma, 4e-15);
		CHECK_NEAR(fg_trigamma_inverse(rows[i].trigamma), rows[i].x, 4e-14);
	}
	unit_case("the inverse of trigamma undoes it, however small or large");
	for (double y = 1e-300; y < 1e300; y *= 7)
		CHECK_NEAR(fg_trigamma(fg_trigamma_inverse(y)), y, 1e-13);
	CHECK_DOUBLE(fg_trigamma_inverse(0x1p-1074), INFINITY);
	CHECK_DOUBLE(fg_trigamma_inverse(INFINITY), 0);
	CHECK_DOUBLE(fg_digamma(INFINITY), INFINITY);
	CHECK_DOUBLE(fg_trigamma(INFINITY), 0);
	CHECK(isnan(fg_digamma(0)) && isnan(fg_digamma(-1.5)) && isnan(fg_digamma(NAN)));
	CHECK(isnan(fg_trigamma(0)) && isnan(fg_trigamma(-1.5)) && isnan(fg_trigamma(NAN)));
	CHECK(isnan(fg_trigamma_inverse(0)) && isnan(fg_trigamma_inverse(NAN)));
}

int
main(void)
{
	test_gamma();
	test_f();
	test_t();
	test_normal();
	test_beta();
	test_quantiles();
	test_random();
	test_ends();
	return unit_finish();
}
