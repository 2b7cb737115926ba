/*
 * run.c
 *	  The program of the unit tests: "unit test_codec" runs one of them.
 *
 * unit_tests.h is the list of them, UNIT_TEST(test_codec) and so on, which
 * tools/core.mk writes.
 */
#include "unit.h"

#define UNIT_TEST(name) extern int main_of_##name(void);
#include "unit_tests.h"
#undef UNIT_TEST

typedef struct UnitTest
{
	const char *name;
	int			(*run) (void);
} UnitTest;

#define UNIT_TEST(name) {#name, main_of_##name},
static const UnitTest tests[] = {
#include "unit_tests.h"
};

int
main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < COUNT(tests); i++)
	{
		if (strcmp(argv[1], tests[i].name) == 0)
			return tests[i].run();
	}
	fprintf(stderr, "usage: %s test_NAME\n", argv[0]);
	return 2;
}
