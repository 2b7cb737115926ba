/*
 * amdahl.h
 *	  The part of a program that more workers do not make faster (Amdahl 1967).
 *
 * Where a share s of the time of one worker is serial, n workers take
 *
 *		t(n) = t(1) (s + (1 - s) / n)
 *
 * so that the speed-up t(1) / t(n) is 1 / (s + (1 - s) / n), and never more than 1 / s.
 *
 * Speed-ups are told against the mean time of "base" workers, 1 where it was measured, and
 * the law goes through that time: t(n) = t(base) (f + (1 - f) base / n), where f is the share
 * of that time which is serial.  These times are linear in f, so that their least squares have
 * one solution, which is written down at once.  Speed-ups are not linear in it, and their
 * squares would be about the largest ones alone.
 */
#ifndef FG_AMDAHL_H
#define FG_AMDAHL_H

#include "core/base/context.h"

typedef struct FgAmdahl
{
	double		base;			/* workers */
	double		fixed;			/* f; may be outside of 0 to 1; NaN: none */
	double		serial;			/* s; the same; NaN also where t(1) would not be positive */
	double		r_square;		/* of the times; NaN: none */
} FgAmdahl;

/*
 * Of n runs: "workers" are positive, "relative" their times over that of "base".  There is no
 * fit where all have as many workers as the base.
 */
extern bool fg_amdahl_fit(FgContext *ctx, const double *workers, const double *relative, size_t n,
						  double base, FgAmdahl *fit);

/* Against the base; NaN where the law would have a time that is not positive. */
extern double fg_amdahl_speedup(const FgAmdahl *fit, double workers);

#endif							/* FG_AMDAHL_H */
