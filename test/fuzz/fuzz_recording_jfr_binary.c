/*
 * fuzz_recording_jfr_binary.c
 *	  The binary file of Java Flight Recorder.  The dictionary and the seeds are its own, so
 *	  that the fuzzer of the JSON does not lose its way among bytes.
 */
#include "recordings.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_recording(FG_FORMAT_JFR, data, size);
}
