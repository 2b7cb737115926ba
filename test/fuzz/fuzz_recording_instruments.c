/*
 * fuzz_recording_instruments.c
 *	  What Instruments exports: XML of xctrace, and deep copies.
 */
#include "recordings.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_recording(FG_FORMAT_INSTRUMENTS, data, size);
}
