/*
 * plot_change.h
 *	  Two models and where they differ: both curves, and the intervals whose integral has
 *	  changed (detection.h; Stupinsky 2019, section 6.1).
 */
#ifndef FG_PLOT_CHANGE_H
#define FG_PLOT_CHANGE_H

#include "core/models/detection.h"
#include "core/models/model.h"
#include "core/plots/plot.h"

typedef struct FgModelChange
{
	const FgModel *baseline;
	const FgModel *target;
	int64_t		intervals;
	FgThresholds thresholds;
} FgModelChange;

/*
 * FG_ERROR_ARGUMENT for intervals and thresholds as in detection.h and for a model that was
 * not fitted, FG_ERROR_RANGE for numbers that cannot be drawn.
 */
extern bool fg_model_change_svg(const FgModelChange *change, const FgPlotOptions *options,
								FgBuffer *svg);

#endif							/* FG_PLOT_CHANGE_H */
