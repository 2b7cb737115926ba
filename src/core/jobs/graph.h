/*
 * graph.h
 *	  Arithmetic of graph benchmarks, as LDBC Graphalytics has it.
 */
#ifndef FG_GRAPH_H
#define FG_GRAPH_H

#include <stdbool.h>

/* part / whole; NaN where that is no finite number. */
extern double fg_quotient(double part, double whole);

/*
 * Whether an output differs from the reference by at most 0.01 % of the reference.
 * Infinite values match themselves, NaN matches nothing.
 */
extern bool fg_output_matches(double reference, double output);

/*
 * The sample standard deviation over the mean of n values with this sum and this sum of
 * squared deviations from the mean; NaN for n < 2 and for a mean of 0.
 */
extern double fg_coefficient_of_variation(double n, double sum, double squares);

#endif							/* FG_GRAPH_H */
