/*
 * fuzz_recording_otlp.c
 *	  Profiles of OpenTelemetry.
 */
#include "recordings.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_recording(FG_FORMAT_OTLP, data, size);
}
