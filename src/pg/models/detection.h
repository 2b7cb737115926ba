/*
 * detection.h
 *	  What the functions on changes between models share.
 */
#ifndef FG_PG_DETECTION_H
#define FG_PG_DETECTION_H

#include "pg/models/perfmodel.h"

#include "core/models/curve.h"
#include "core/models/detection.h"

extern Datum fg_result_datum(FgChangeVerdict result);

/* Arguments no_change and change, which follow each other; a null is the default. */
extern FgThresholds fg_thresholds_arguments(FgContext *ctx, FunctionCallInfo fcinfo, int first);

/* A model as a function. */
extern void fg_datum_curve(FgContext *ctx, Datum value, FgCurve *curve);

/*
 * Arguments xs, baseline, target, the first three, where all are there; a null xs stands
 * for positions.  2202E for unequal lengths.
 */
extern FgSharedPoints fg_shared_arguments(FgContext *ctx, FunctionCallInfo fcinfo, bool ascending);

#endif							/* FG_PG_DETECTION_H */
