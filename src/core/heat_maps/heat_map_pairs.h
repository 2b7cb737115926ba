/*
 * heat_map_pairs.h
 *	  Heat maps of rows (column, line, number).
 *
 * Columns and lines stand in the order in which they first come.  A column and a line have one
 * number at most: which of two is meant, nobody could say.
 */
#ifndef FG_HEAT_MAP_PAIRS_H
#define FG_HEAT_MAP_PAIRS_H

#include "core/heat_maps/heat_map.h"

typedef struct FgHeatPairs
{
	size_t		n;
	const FgText *columns;
	const FgText *lines;
	const double *values;		/* NaN: none */
} FgHeatPairs;

/* Also FG_ERROR_ARGUMENT for a column and line that come twice. */
extern bool fg_heat_pairs_svg(const FgHeatPairs *pairs, const FgHeatOptions *options,
							  FgBuffer *svg);

#endif							/* FG_HEAT_MAP_PAIRS_H */
