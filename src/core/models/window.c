/*
 * window.c
 *	  Weights of windows (see window.h).
 */
#include "core/models/window.h"

#include "core/base/choice.h"
#include "core/models/window_internal.h"

#include <math.h>

/* Smaller weights are residues of rounding, and have to be zeros. */
#define LEAST_WEIGHT 1e-15

/* From here on the asymptotic series of I0 is exact to the last bit. */
#define ASYMPTOTIC 30.0

static const char *const window_words[] = {
	"boxcar", "triang", "bartlett", "blackman", "hamming", "blackmanharris", "nuttall", "parzen",
	"bohman", "barthann", "kaiser"
};

const char *
fg_window_word(FgWindow window)
{
	return window_words[window];
}

bool
fg_window_parse(FgContext *ctx, const char *text, size_t length, FgWindow *window)
{
	static const FgChoice choice = {
		"window_type",
		"Available: boxcar, triang, bartlett, blackman, hamming, blackmanharris, nuttall, parzen, bohman, "
		"barthann, kaiser.",
		window_words, FG_WINDOW_KAISER + 1
	};
	int			place;

	if (!fg_choice_parse(ctx, &choice, text, length, &place))
		return false;
	*window = (FgWindow) place;
	return true;
}

/* All terms of both series are positive, so nothing cancels. */
double
fg_bessel_i0_scaled(double x)
{
	double		sum = 1;
	double		term = 1;

	x = fabs(x);
	if (x < ASYMPTOTIC)
	{
		for (int k = 1; term > sum * 1e-17; k++)
		{
			term *= x * x / 4 / ((double) k * k);
			sum += term;
		}
		return sum * exp(-x);
	}
	for (int k = 1; term > sum * 1e-17; k++)
	{
		term *= (2.0 * k - 1) * (2.0 * k - 1) / (8 * k * x);
		sum += term;
	}
	return sum / sqrt(2 * M_PI * x);
}

/* The inner half of the places, not of the u, is inner: so it is in scipy. */
static double
parzen(double w, double j)
{
	double		u = (w - 1 - 2 * j) / w;

	return 4 * j >= w - 1 ? 1 - 6 * u * u * (1 - u) : 2 * (1 - u) * (1 - u) * (1 - u);
}

/* I0(beta a) / I0(beta) for 0 <= a <= 1; the quotient exists even where I0 overflows. */
static double
kaiser(double beta, double a)
{
	return fg_bessel_i0_scaled(beta * a) / fg_bessel_i0_scaled(beta) * exp(fabs(beta) * (a - 1));
}

/*
 * The weight of the j-th place from the nearer end of a window of w >= 2; t runs from 0
 * at the end to 1/2 in the middle.
 */
static double
weight_at(FgWindow window, double beta, double w, double j)
{
	double		t = j / (w - 1);
	double		turn = 2 * M_PI * t;
	double		u;

	switch (window)
	{
		case FG_WINDOW_BOXCAR:
			return 1;
		case FG_WINDOW_TRIANG:
			return fmod(w, 2) == 1 ? 2 * (j + 1) / (w + 1) : (2 * j + 1) / w;
		case FG_WINDOW_BARTLETT:
			return 2 * j / (w - 1);
		case FG_WINDOW_BLACKMAN:
			return 0.42 - 0.5 * cos(turn) + 0.08 * cos(2 * turn);
		case FG_WINDOW_HAMMING:
			return 0.54 - 0.46 * cos(turn);
		case FG_WINDOW_BLACKMANHARRIS:
			return 0.35875 - 0.48829 * cos(turn) + 0.14128 * cos(2 * turn) -
				0.01168 * cos(3 * turn);
		case FG_WINDOW_NUTTALL:
			return 0.3635819 - 0.4891775 * cos(turn) + 0.1365995 * cos(2 * turn) -
				0.0106411 * cos(3 * turn);
		case FG_WINDOW_PARZEN:
			return parzen(w, j);
		case FG_WINDOW_BOHMAN:
			u = 1 - 2 * t;
			return j == 0 ? 0 : (1 - u) * cos(M_PI * u) + sin(M_PI * u) / M_PI;
		case FG_WINDOW_BARTHANN:
			u = 0.5 - t;
			return 0.62 - 0.48 * u + 0.38 * cos(2 * M_PI * u);
		case FG_WINDOW_KAISER:
			return kaiser(beta, 2 * sqrt(j * (w - 1 - j)) / (w - 1));
	}
	return NAN;
}

static double
clean_weight(double weight)
{
	return fabs(weight) < LEAST_WEIGHT ? 0 : weight;
}

bool
fg_window_weights(FgContext *ctx, FgWindow window, double beta, int64_t width, size_t first,
				  size_t count, double *weights)
{
	if (width < 1)
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, "It is a number of points.",
						  "window_size must be at least 1");
	for (size_t i = 0; i < count; i++)
	{
		int64_t		k = (int64_t) (first + i);
		int64_t		end = width - 1 - k;

		if (!fg_check_every(ctx, i))
			return false;
		weights[i] = width == 1 ? 1
			: clean_weight(weight_at(window, beta, (double) width,
									 (double) (k < end ? k : end)));
	}
	return true;
}
