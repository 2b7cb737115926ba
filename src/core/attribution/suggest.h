/*
 * suggest.h
 *	  Attribution rules that fit the measurements better (Hegeman 2024, 6.2.2(2) asks for them).
 *
 * The measure is the relative sampling error of a resource type with phase-aware samples
 * (sampling_error.h): how well rarer measurements are restored by the rules.  A search
 * changes the rule of one phase type at a time, by what lowers the error most, until nothing
 * does.  It finds a minimum that no single change improves, not the least of all.
 */
#ifndef FG_SUGGEST_H
#define FG_SUGGEST_H

#include "core/jobs/analysis.h"

typedef struct FgSuggestion
{
	uint32_t	phase_type;		/* one that has leaves with access to the resource type */
	uint32_t	resource_type;
	FgRuleKind	kind;			/* none, greedy or sink */
	double		cap;			/* of greedy ones, else 0 */
	double		error_now;		/* of the resource type, with the rules at hand */
	double		error_suggested;	/* with all suggestions for the type */
} FgSuggestion;

typedef bool (*FgSuggestionEmit) (void *arg, const FgSuggestion *suggestion);

typedef struct FgSuggestLimits
{
	uint32_t	factor;			/* so many measurements are made one; at least 1 */
	uint32_t	type;			/* of resources; FG_NONE: all consumable ones */
	uint64_t	most;			/* sets of rules that may be tried, of all types together */
} FgSuggestLimits;

/*
 * The rules to change, by resource type, then phase type; *tried becomes how many sets of
 * rules were.  Caps to try: those by which least squares explain the measurements in which
 * no other type is active, or no other greedy one, through the origin and with a constant
 * part; and steps from the cap at hand.  The same job gives the same rules.  Each set costs
 * about as much as the attribution of that type.
 */
extern bool fg_suggest_rules(const FgAnalysis *analysis, const FgSuggestLimits *limits,
							 FgSuggestionEmit emit, void *arg, uint64_t *tried);

#endif							/* FG_SUGGEST_H */
