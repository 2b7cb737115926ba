/*
 * fuzz_recording_chrome.c
 *	  Chrome's trace events.
 */
#include "recordings.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_recording(FG_FORMAT_CHROME, data, size);
}
