/*
 * detection_request.h
 *	  What detect_changes() and detection_summary() are asked for: the models that are
 *	  fitted, which of them are compared, by which methods.
 */
#ifndef FG_DETECTION_REQUEST_H
#define FG_DETECTION_REQUEST_H

#include "pg/models/models_fitting.h"

#include "core/models/formula.h"
#include "core/models/local_statistics.h"

/* Which models a strategy looks at, and whether only at the best of them. */
typedef struct FgDetectionStrategy
{
	const char *word;
	bool		best;
	bool		parametric;
	bool		nonparametric;
	bool		apart;			/* the best of both groups, not of all */
} FgDetectionStrategy;

typedef enum FgDetectionMethod
{
	FG_INTEGRAL,
	FG_LOCAL_STATISTICS,
	FG_AVERAGE_AMOUNT,
	FG_BEST_MODEL_ORDER,
	FG_MODEL_DIFFERENCE_METHOD
} FgDetectionMethod;

#define FG_DETECTION_METHODS (FG_MODEL_DIFFERENCE_METHOD + 1)
#define FG_SMOOTHERS 3			/* regressogram, moving average, kernel regression */
#define FG_MAX_MODELS (FG_SMOOTHERS + FG_FORMULAS)

/* What takes part: models that are fitted, by their kinds. */
typedef struct FgDetectionRequest
{
	const FgDetectionStrategy *strategy;
	int			smoother[FG_SMOOTHERS];
	int			nsmoothers;
	unsigned	formulas;		/* bits */
	FgDetectionMethod method[FG_DETECTION_METHODS];
	int			nmethods;
	double		min_confidence;
	Jsonb	   *options[FG_SMOOTHERS];	/* of each smoother */
	FgLocalOptions local;		/* with the thresholds of all methods */
	int64		samples;
} FgDetectionRequest;

extern const char *fg_detection_method_word(FgDetectionMethod method);

/* The smoothers of a request are fitted with these functions, by their number. */
extern const FgFit fg_smoothers[FG_SMOOTHERS];

/* Arguments models, methods, strategy, min_confidence and options, from the fifth on. */
extern FgDetectionRequest fg_detection_request(FgContext *ctx, FunctionCallInfo fcinfo);

#endif							/* FG_DETECTION_REQUEST_H */
