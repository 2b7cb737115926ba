/*
 * history_sample_check.c
 *	  sample_check(): do runs behave as tests of them assume (core/compare/sample_check.h)?
 */
#include "pg/base/arguments.h"

#include "utils/builtins.h"

#include "core/compare/sample_check.h"
#include "pg/base/arrays.h"
#include "pg/base/rows.h"

PG_FUNCTION_INFO_V1(flamegraph_sample_check);
Datum
flamegraph_sample_check(PG_FUNCTION_ARGS)
{
	FgRows		rows = fg_rows_begin(fcinfo);
	FgContext	ctx = fg_current_context();
	FgLevel		level = fg_level_argument(fcinfo, 1);
	FgProfiles	profiles = fg_profiles_argument(fcinfo, 0, "profiles");
	FgSampleCheck checks[FG_SAMPLE_CHECKS];

	fg_must(&ctx, fg_sample_check(&ctx, &profiles, level, checks));
	for (int i = 0; i < FG_SAMPLE_CHECKS; i++)
	{
		Datum		values[4];
		bool		nulls[4] = {false};

		fg_rows_begin_row(&rows);
		values[0] = CStringGetTextDatum(checks[i].name);
		values[1] = fg_number_or_null(checks[i].statistic, &nulls[1]);
		values[2] = fg_number_or_null(checks[i].p_value, &nulls[2]);
		values[3] = CStringGetTextDatum(checks[i].verdict);
		fg_rows_end_row(&rows, values, nulls);
	}
	return (Datum) 0;
}
