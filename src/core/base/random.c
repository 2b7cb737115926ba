/*
 * random.c
 *	  xoshiro256** and what is drawn with it (see random.h).
 */
#include "core/base/random.h"

/* Steele, Lea and Flood 2014; as Blackman and Vigna recommend for seeding. */
static uint64_t
splitmix(uint64_t *state)
{
	uint64_t	z = *state += UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return z ^ z >> 31;
}

static uint64_t
rotate(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

void
fg_random_seed(FgRandom *random, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
		random->state[i] = splitmix(&seed);
}

uint64_t
fg_random_next(FgRandom *random)
{
	uint64_t   *s = random->state;
	uint64_t	result = rotate(s[1] * 5, 7) * 9;
	uint64_t	t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return result;
}

/* As many of the high bits as bound - 1 has, until they are below it: fewer than two draws on average. */
uint64_t
fg_random_below(FgRandom *random, uint64_t bound)
{
	uint64_t	value;
	int			shift;

	if (bound <= 1)
		return 0;
	shift = __builtin_clzll(bound - 1);
	do
		value = fg_random_next(random) >> shift;
	while (value >= bound);
	return value;
}

void
fg_random_shuffle(FgRandom *random, uint32_t *values, size_t n)
{
	for (size_t i = n; i > 1; i--)
	{
		size_t		j = (size_t) fg_random_below(random, i);
		uint32_t	value = values[i - 1];

		values[i - 1] = values[j];
		values[j] = value;
	}
}
