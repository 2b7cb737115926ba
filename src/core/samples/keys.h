/*
 * keys.h
 *	  The keys (stacks, contexts or functions) of samples of profiles by document
 *	  frequency, and the values of a profile at them.
 *
 * Document frequency is the number of profiles that have a key, over all samples
 * together: a rule that looks at the samples apart would know their labels, and a test
 * behind it would find a difference more often than its alpha says where there is none.
 */
#ifndef FG_KEYS_H
#define FG_KEYS_H

#include "core/base/sums.h"
#include "core/samples/level.h"
#include "core/samples/profiles.h"

/* Keys are numbered from 0 in the order of their nodes in "tree". */
typedef struct FgKeys
{
	FgTree		tree;			/* its stacks are the keys; self: document frequency */
	uint32_t	count;
	uint32_t	dropped;		/* keys that fewer than min_df profiles have */
} FgKeys;

/*
 * Keeps copies of the profiles at the level where "kept" is not NULL, numbered through all
 * samples.
 */
extern bool fg_keys_find(FgContext *ctx, const FgProfiles *samples, size_t nsamples,
						 FgLevel level, uint32_t min_df, FgKeptProfiles *kept, FgKeys *keys);
extern void fg_keys_free(FgContext *ctx, FgKeys *keys);

/*
 * values[k] = the value of key k in profile number i, 0 where it is absent; the
 * absolute values of what is no key are added to *dropped.
 */
extern bool fg_keys_values(FgContext *ctx, const FgKeys *keys, const FgProfiles *profiles,
						   size_t i, FgLevel level, double *values, FgDouble2 *dropped);

/* The same of a profile at the level of the keys. */
extern bool fg_keys_values_of(FgContext *ctx, const FgKeys *keys, const FgTree *profile,
							  double *values, FgDouble2 *dropped);

#endif							/* FG_KEYS_H */
