/*
 * expansion.h
 *	  From a function that changed to the contexts in which it did (Lundberg & Rettig
 *	  2024, section 6.3).
 *
 * A context is a run of frames in a stack, with the function at its upper end (its
 * children are searched) or at its lower end (its parents).  Step by step the most
 * promising of its extensions are followed, by the score of the function in them:
 * of what runs through the context, recursion-free as always, against earlier runs, or
 * in its correlation with what the runs cost.
 *
 * Noise and moderation are those of deviation.h.  What functions have in common is
 * estimated from all functions, and contexts borrow it at their own mean (FgLender): a
 * function by itself has the score that fg_deviations() gives it.
 */
#ifndef FG_EXPANSION_H
#define FG_EXPANSION_H

#include "core/compare/correlation.h"
#include "core/compare/deviation.h"
#include "core/compare/forest.h"

typedef struct FgAge
{
	const char *frame;
	size_t		length;
	double		seconds;		/* since its last commit */
} FgAge;

typedef struct FgExpansionOptions
{
	bool		upwards;
	bool		given;			/* the function given that it calls the context; else through it */
	bool		informed;		/* rank by more than the score */
	bool		stop_at_equal;	/* stop at score <= threshold; else below it */
	bool		keep_stem;		/* a context none of whose extensions is followed is a result */
	int64_t		max_depth;
	int64_t		max_breadth;
	double		threshold;
	double		half_life;		/* seconds */
	double		weights[3];		/* of recency, mode shift and depth novelty in the rank */
	const FgAge *ages;
	size_t		nages;
	FgScoring	scoring;
	FgCorrelationOptions correlation;
} FgExpansionOptions;

#define FG_DEFAULT_EXPANSION { \
		.stop_at_equal = true, .keep_stem = true, .max_depth = 10, .max_breadth = 1, \
		.half_life = 15 * 86400.0, .weights = {1, 1, 1}, .scoring = FG_DEFAULT_SCORING, \
		.correlation = FG_DEFAULT_CORRELATION}

extern bool fg_expansion_check(FgContext *ctx, const FgExpansionOptions *options);
extern bool fg_direction_parse(FgContext *ctx, const char *text, size_t length, bool *upwards);
extern bool fg_measure_parse(FgContext *ctx, const char *text, size_t length, bool *given);

/*
 * A frame that extends a context, or the function itself.  In correlation searches there
 * are a score and a rank only; the other numbers are NaN.
 */
typedef struct FgContextStep
{
	uint32_t	frame;			/* of the forest */
	double		expected;		/* through the context, or of the callers given the rest of it */
	double		actual;
	double		diff;
	double		candidate_diff; /* of the function in this context: what the score is about */
	double		score;
	double		raw_score;
	const char *status;
	double		recency;		/* all three in [0, 1]; of informed searches and single steps */
	double		mode_shift;
	double		depth_novelty;
	double		rank;
	double		lent;			/* of the function in this context: what keys lend each other */
	double		covariate;		/* and what that depends on */
} FgContextStep;

typedef struct FgExpander FgExpander;

/*
 * Over the parts of a forest: the runs of a history and, last, the current one; or the
 * runs of benchmarks, in their order, when "runs" is given.  Forest and runs outlive it.
 * Where the scoring is moderated the forest must hold whole profiles.
 */
extern FgExpander *fg_expander_create(FgContext *ctx, const FgForest *forest, FgRuns *runs,
									  const FgExpansionOptions *options);
extern void fg_expander_free(FgExpander *expander);

/* The direction of the next search. */
extern void fg_expander_turn(FgExpander *expander, bool upwards);

/* One result: count >= 1 steps, the function first. */
typedef bool (*FgTraceFunction) (void *arg, uint32_t trace, const FgContextStep *steps,
								 size_t count);

/* Every context found from this frame of the forest; false when it must end. */
extern bool fg_expand(FgExpander *expander, uint32_t frame, FgTraceFunction emit, void *arg);

/*
 * The extensions of one context, given as frames of the forest from the root's side, the
 * best first; released by the caller.
 */
extern bool fg_expand_step(FgExpander *expander, const uint32_t *frames, uint32_t count,
						   FgContextStep **steps, size_t *nsteps);

/* Every function by itself, the most promising first. */
extern bool fg_expand_starts(FgExpander *expander, FgContextStep **steps, size_t *nsteps);

#endif							/* FG_EXPANSION_H */
