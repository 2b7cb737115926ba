/*
 * diff.h
 *	  Two profiles as one picture: what is common, what has grown, appeared, shrunk and
 *	  disappeared, and what of it is more than noise.
 *
 * Boxes are those of the union of both, each made of five pieces (change_parts.h); the
 * widths say which of them count.  What a width leaves out, because it vanished, is drawn
 * below on the same scale.  A box has a colour only where its key's change is called one
 * (verdicts.h).  data-n of a box is the number of its node among those of both profiles.
 */
#ifndef FG_DIFF_H
#define FG_DIFF_H

#include "core/merging/tree_union.h"
#include "core/picture/verdicts.h"
#include "core/samples/size_factor.h"
#include "core/svg/flame_options.h"

typedef enum FgWidths
{
	FG_WIDTHS_UNION,			/* the larger value of each stack */
	FG_WIDTHS_AFTER,
	FG_WIDTHS_BEFORE,
	FG_WIDTHS_CHANGE			/* the absolute difference of each stack */
} FgWidths;

extern const char *const fg_widths_words[];

/* Of FgSizeFactor, as many as each form of a comparison can tell. */
#define FG_SIZE_WORDS 3
extern const char *const fg_size_words[FG_SIZE_WORDS];

typedef struct FgDiffOptions
{
	FgFlameOptions look;		/* colour, orientation, order are not used */
	FgWidths	widths;
	FgLevel		level;
	FgSizeFactor size;
	double		alpha;
} FgDiffOptions;

/* What was compared, and what came of it. */
typedef struct FgDiffInput
{
	const FgTree *before;		/* what is drawn: a profile, or the mean of several */
	const FgTree *after;		/* divided by the size factor of the comparison */
	const FgWelchComparison *comparison;
	FgVerdictsBy by;
	uint64_t	runs[FG_SIDES];
	const char *test;			/* how it is called in the subtitle */
	double		rounding;		/* self values may differ by this share of the larger total */
} FgDiffInput;

/*
 * Appends the document; an input of NULL is a comparison of nothing, and says so.  Errors as
 * those of fg_flame_svg.
 */
extern bool fg_diff_svg(const FgDiffInput *input, const FgDiffOptions *options, FgBuffer *svg);

#endif							/* FG_DIFF_H */
