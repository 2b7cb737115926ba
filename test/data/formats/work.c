/* What the gperftools and jemalloc files are recorded of. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) unsigned
price(const unsigned *order, unsigned count)
{
	unsigned	sum = 0;

	for (unsigned i = 0; i < count; i++)
		sum = sum * 31 + order[i] % 7;
	return sum;
}

__attribute__((noinline)) char *
render(unsigned count)
{
	char	   *text = malloc(1000 + count % 100 * 50);

	memset(text, 'x', 1000);
	return text;
}

__attribute__((noinline)) unsigned
serve(unsigned requests)
{
	static char *kept[64];
	unsigned	order[300];
	unsigned	sum = 0;

	for (unsigned i = 0; i < requests; i++)
	{
		for (unsigned j = 0; j < 300; j++)
			order[j] = i * j;
		sum += price(order, 300) + price(order, 150);
		if (i % 50 == 0)
		{
			free(kept[i / 50 % 64]);
			kept[i / 50 % 64] = render(i);
		}
	}
	return sum;
}

int
main(int argc, char **argv)
{
	printf("%u\n", serve(argc > 1 ? (unsigned) atoi(argv[1]) : 100000));
	return 0;
}
