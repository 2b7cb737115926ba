/*
 * hotelling.h
 *	  Hotelling's two-sample T^2 of profiles, and the simultaneous confidence intervals
 *	  of their keys (Tornetta 2023, section 3.3).
 *
 *	T^2 = n1 n2 / (n1 + n2) d' S^-1 d	d: difference of the means, S: pooled covariance
 *	f = (n1 + n2 - p - 1) / ((n1 + n2 - 2) p) T^2 follows F(p, n1 + n2 - p - 1)
 *
 * Keys that do not vary within either sample leave the test: p counts the others.
 * Profiles are read one at a time, three times at most; no matrix is larger than
 * p x max(2 p, 1024).
 */
#ifndef FG_HOTELLING_H
#define FG_HOTELLING_H

#include "core/compare/linalg.h"
#include "core/samples/keys.h"

/* One factorisation cannot be interrupted; up to here it takes less than a second. */
#define FG_HOTELLING_MAX_KEYS 1000

typedef enum FgHotellingStatus
{
	FG_HOTELLING_OK,
	FG_HOTELLING_TOO_MANY,		/* p >= n1 + n2 - 1, or p > FG_HOTELLING_MAX_KEYS */
	FG_HOTELLING_SINGULAR,		/* S has no inverse: no F, but intervals */
	FG_HOTELLING_NO_VARIATION,	/* p = 0 */
	FG_HOTELLING_TOO_FEW		/* a sample of fewer than 2 profiles: nothing but the keys */
} FgHotellingStatus;

extern const char *fg_hotelling_word(FgHotellingStatus status);

/* NaN for numbers that do not exist. */
typedef struct FgHotelling
{
	FgHotellingStatus status;
	size_t		n1;
	size_t		n2;
	uint32_t	p;
	double		alpha;
	double		dropped_weight; /* sum of |values| of dropped keys over all profiles */
	double		t2;
	double		f;
	double		df1;
	double		df2;
	double		p_value;
	double		f_critical;
	FgKeys		keys;
	double	   *delta;			/* by key: mean of after - mean of before */
	double	   *variance;		/* pooled; 0 for a key that leaves the test */
} FgHotelling;

/* The library is asked for when there is something to factorise; it may not return NULL. */
extern bool fg_hotelling(FgContext *ctx, const FgProfiles *before, const FgProfiles *after,
						 FgLevel level, uint32_t min_df, double alpha,
						 const FgLinalg *(*linalg) (void), FgHotelling *result);
extern void fg_hotelling_free(FgContext *ctx, FgHotelling *result);

typedef struct FgInterval
{
	double		lower;
	double		upper;
	bool		exists;			/* else lower and upper are NaN */
	bool		significant;	/* 0 lies outside */
	bool		certain;		/* two different constants: [delta, delta] */
} FgInterval;

extern FgInterval fg_hotelling_interval(const FgHotelling *test, uint32_t key);

/* The differences of the significant keys as a profile. */
extern bool fg_hotelling_reduced(FgContext *ctx, const FgHotelling *test, FgTree *result);

#endif							/* FG_HOTELLING_H */
