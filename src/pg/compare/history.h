/*
 * history.h
 *	  What the functions that compare a run with earlier ones have in common: their
 *	  arguments, and options in jsonb.
 */
#ifndef FG_HISTORY_H
#define FG_HISTORY_H

#include "pg/base/values.h"

#include "utils/jsonb.h"

#include "core/compare/expansion.h"

/* poisson_unit, min_std and zero_std, which follow each other. */
extern FgScoring fg_scoring_arguments(FgContext *ctx, FunctionCallInfo fcinfo, int first);

/* The noise of the history and of the current run; NULL when neither is known. */
extern FgNoise *fg_noise_arguments(FgContext *ctx, FunctionCallInfo fcinfo, int first);

/* Is there such an argument, and is it not NULL? */
static inline bool
fg_has_argument(FunctionCallInfo fcinfo, int argument)
{
	return PG_NARGS() > argument && !PG_ARGISNULL(argument);
}

/* Options of a search, with what decides how profiles are read. */
typedef struct FgSearchOptions
{
	FgExpansionOptions expansion;
	int32		window_size;
	uint32		metric;
	bool		strip_modes;	/* only in informed searches */
} FgSearchOptions;

/*
 * All functions that search know all keys, so that one object serves them all; a NULL
 * argument is none.  "function" names the caller in messages.
 */
extern FgSearchOptions fg_search_options(FgContext *ctx, FunctionCallInfo fcinfo, int argument,
										 const char *function);

/*
 * Reads the window of a history, and the current run behind it, into a forest, with their
 * noise unless that is NULL; where the scoring is moderated, not only the vicinity.
 */
extern void fg_read_history(FgContext *ctx, const FgProfiles *history, Datum current,
							const FgNoise *noise, const FgSearchOptions *options,
							const FgVicinity *vicinity, FgForest *forest);

#endif							/* FG_HISTORY_H */
