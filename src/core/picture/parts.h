/*
 * parts.h
 *	  The four parts of a change as four flame graphs on one scale: appeared and grown,
 *	  disappeared and shrunk.
 */
#ifndef FG_PARTS_H
#define FG_PARTS_H

#include "core/merging/tree_union.h"
#include "core/samples/profiles.h"
#include "core/svg/flame_options.h"

/*
 * Appends the document.  Shares are of the totals: of after for what appeared or has grown,
 * of before for the rest.  Errors as those of fg_flame_svg.
 */
extern bool fg_parts_svg(const FgTree *before, const FgTree *after, const FgFlameOptions *options,
						 FgBuffer *svg);

/*
 * The same of two groups, where the means of a stack differ by Welch's test at level alpha
 * (reduced.h).  An empty group: nothing to compare.
 */
extern bool fg_parts_of_groups(const FgProfiles *before, const FgProfiles *after, double alpha,
							   const FgFlameOptions *options, FgBuffer *svg);

#endif							/* FG_PARTS_H */
