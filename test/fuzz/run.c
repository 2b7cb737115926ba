/*
 * run.c
 *	  The program of the fuzzers: the name by which it is called says which one it is.
 *
 * fuzz_targets.h is the list of them, FUZZ_TARGET(fuzz_codec) and so on, which
 * tools/core.mk writes.
 */
#include "support.h"

#include <string.h>

#define FUZZ_TARGET(name) extern int input_of_##name(const uint8_t *data, size_t size);
#include "fuzz_targets.h"
#undef FUZZ_TARGET

typedef struct FuzzTarget
{
	const char *name;
	int			(*input) (const uint8_t *data, size_t size);
} FuzzTarget;

#define FUZZ_TARGET(name) {#name, input_of_##name},
static const FuzzTarget targets[] = {
#include "fuzz_targets.h"
};

static const FuzzTarget *target;

extern int	LLVMFuzzerInitialize(int *argc, char ***argv);

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *path = *argc > 0 ? (*argv)[0] : "";
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;

	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
	{
		if (strcmp(name, targets[i].name) == 0)
		{
			target = &targets[i];
			return 0;
		}
	}
	fprintf(stderr, "no fuzzer is called \"%s\"\n", name);
	exit(2);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return target->input(data, size);
}
