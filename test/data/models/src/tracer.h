/*
 * tracer.h
 *		Run times of functions, of every k-th call of each.
 *
 * For a program whose files are compiled with -finstrument-functions.  The time of a
 * call is measured with everything it calls (total) and without the functions of the
 * program that it calls (own).
 *
 * Which calls are measured depends on the calls alone: two runs of a program that do
 * the same print rows of the same calls.
 */
#ifndef TRACER_H
#define TRACER_H

#include <stdio.h>

/*
 * symbols: a file of lines "address name".  Of a function's sampled calls "most" are kept,
 * drawn at random, each with the same chance.
 */
extern void tracer_open(const char *symbols, unsigned every, unsigned most);

/* Around a piece of work on an input of size x. */
extern void tracer_start(double x);
extern void tracer_stop(void);

/*
 * Rows location,x,total,own, times in nanoseconds, sorted by location, each location's in
 * the order of the calls.
 */
extern void tracer_print_rows(FILE *to);

/* Lines "function own", the own time of all sampled calls times k. */
extern void tracer_print_profile(FILE *to);

#endif							/* TRACER_H */
