/*
 * window_internal.h
 *	  What only the tests of windows look at by itself.
 */
#ifndef FG_WINDOW_INTERNAL_H
#define FG_WINDOW_INTERNAL_H

/* I0(x) / exp(|x|), with I0 the modified Bessel function of order 0. */
extern double fg_bessel_i0_scaled(double x);

#endif							/* FG_WINDOW_INTERNAL_H */
