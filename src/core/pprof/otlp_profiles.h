/*
 * otlp_profiles.h
 *	  Profiles of OTLP: those of a resource, with their types and periods.
 *
 * A profile has one sample type, which is its event and unit; profiles of one type are one
 * event, also those of several resources.  What is said of all its samples may stand behind them, so
 * that a profile is read twice: first its head, then its samples (otlp_samples.h).
 */
#ifndef FG_OTLP_PROFILES_H
#define FG_OTLP_PROFILES_H

#include "core/pprof/otlp_samples.h"

typedef struct FgOtlpProfiles
{
	FgOtlpSamples samples;
	FgBuffer	names;			/* of the type and unit of one, each with a NUL behind it */
} FgOtlpProfiles;

/* Zeroed before. */
extern void fg_otlp_profiles_begin(FgOtlpProfiles *o, FgSink *sink, FgOtlpTables *tables);
extern void fg_otlp_profiles_free(FgOtlpProfiles *o);

/* The message ResourceProfiles. */
extern bool fg_otlp_profiles_take(FgOtlpProfiles *o, FgWire *message);

#endif							/* FG_OTLP_PROFILES_H */
