/*
 * units.h
 *	  Numbers as people read them in pictures: few digits, a unit, shares in percent.
 *
 * nanoseconds, microseconds, milliseconds and seconds are written in ns, µs, ms, s, min
 * or h, bytes in B, KiB, MiB and so on, whichever makes the number at least 1.  Any other
 * unit stands behind the number as it is: plain digits grouped by "," below a million,
 * then the prefixes M, G, T, P, E, Z, Y of SI.  "fraction" is a share in percent.
 * Numbers below 100 have three significant digits without zeros at their end; larger ones
 * are rounded to whole numbers.  Halves go up, those of decimal digits: 1.005 seconds are as
 * 1005 milliseconds.  Below 0.0001 and from 1e15 on a number has an exponent.
 */
#ifndef FG_UNITS_H
#define FG_UNITS_H

#include "core/base/bytes.h"

/* Longest text of fg_units_number and of fg_units_share, the final NUL included. */
#define FG_UNITS_SIZE 40

/*
 * Appends the value with its unit; the unit is text of users and appended as it is.
 * NaN and infinite values are written as PostgreSQL writes them.
 */
extern bool fg_units_value(FgBuffer *text, double value, const char *unit, size_t length);

/* The number alone, rounded and grouped, with a prefix of SI from a million on. */
extern size_t fg_units_number(double value, char *to);

/*
 * The number rounded to so many significant digits (2 to 17), without zeros at its end and
 * without groups; with an exponent below 1e-4 and from 1e15 on.
 */
extern size_t fg_units_rounded(double value, int digits, char *to);

/*
 * part / whole in percent: halves go up; whole percents from 10 % on, one decimal below, two below
 * 0.1 %, then "<0.01 %"; "-" of a whole that is 0 or not finite.
 */
extern size_t fg_units_share(double part, double whole, char *to);

/*
 * Step i, from 0, of those among which fg_units_value chooses: appends what stands behind its
 * numbers and gives its size in the unit; 0 when there is none, as of a fraction.
 */
extern bool fg_units_step(FgBuffer *name, int i, const char *unit, size_t length, double *size);

/*
 * For numbers along an axis, of which the largest is "size": appends the one unit that all
 * are written in, as fg_units_value would write that one, and gives what 1 of it is in
 * values; "fraction" is written in percent.
 */
extern bool fg_units_scale(FgBuffer *text, double size, const char *unit, size_t length,
						   double *factor);

#endif							/* FG_UNITS_H */
