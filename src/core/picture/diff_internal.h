/*
 * diff_internal.h
 *	  What the files of the picture of a difference share: diff.c (what is drawn where),
 *	  diff_texts.c (around the boxes), diff_box.c.
 */
#ifndef FG_DIFF_INTERNAL_H
#define FG_DIFF_INTERNAL_H

#include "core/picture/change_parts.h"
#include "core/picture/diff.h"
#include "core/picture/diff_colors.h"
#include "core/svg/drawing.h"
#include "core/svg/units.h"

typedef struct FgDiff
{
	FgContext  *ctx;
	const FgDiffInput *input;	/* NULL: nothing to compare */
	const FgDiffOptions *options;
	FgTreeUnion both;
	FgChangeParts parts;
	unsigned	pieces;			/* of which widths are made */
	FgPiece		elided;			/* what stands below; FG_PIECES: nothing */
	uint64_t	elided_stacks;
	FgVerdicts	verdicts;
	FgIntervals intervals;
	FgDrawing	drawing;
	FgPanel		main;
	FgPanel		below;			/* of what is elided */
	FgBuffer	subtitle;
	FgBuffer	description;
	FgBuffer	footnote;
	FgBuffer	heading;		/* of the panel below */
} FgDiff;

static inline bool
fg_diff_is_elided(const FgDiff *d)
{
	return d->elided != FG_PIECES && d->parts.total[d->elided][0] > 0;
}

/* The verdict about a box's node; one that is "same" where there is none. */
extern FgVerdict fg_diff_verdict(const FgDiff *d, uint32_t node);

/* What a key of the level is to a box; NULL: the same. */
extern const char *fg_diff_key_name(const FgDiff *d);

/* "+12 %", "new", "gone", or "". */
extern void fg_change_words(double before, double after, char words[FG_UNITS_SIZE]);

extern bool fg_diff_write_texts(FgDiff *d);
extern void fg_diff_legend(FgDiff *d);
extern void fg_diff_put_data(FgDiff *d);
extern void fg_diff_put_box(FgDiff *d, const FgPanel *panel, const FgBox *box);

#endif							/* FG_DIFF_INTERNAL_H */
