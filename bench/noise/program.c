/*
 * A C program with a fixed amount of work for bench/record-noise: words are made, counted, sorted, compressed and
 * searched, a small interpreter runs, matrices are multiplied. Built without inlining, so that functions stay
 * functions.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 4000
#define BUCKETS 1024
#define SIDE 48

typedef struct Word
{
	char		text[12];
	struct Word *next;
	int			count;
} Word;

static uint32_t state = 7;

static uint32_t
next_random(uint32_t limit)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 8) % limit;
}

/* --- words ----------------------------------------------------------------------------- */

static void
make_word(char *text)
{
	int			length = 2 + (int) next_random(5);

	for (int i = 0; i < length; i++)
		text[i] = (char) ('a' + next_random(6));
	text[length] = '\0';
}

static char *
make_text(size_t *size)
{
	char	   *text = malloc(WORDS * 12);
	size_t		at = 0;

	for (int i = 0; i < WORDS; i++)
	{
		make_word(text + at);
		at += strlen(text + at);
		text[at++] = ' ';
	}
	*size = at;
	return text;
}

/* --- a hash table ------------------------------------------------------------------------ */

static uint32_t
hash_word(const char *text, size_t length)
{
	uint32_t	hash = 2166136261u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char) text[i]) * 16777619u;
	return hash;
}

static Word *
find_word(Word **table, const char *text, size_t length)
{
	Word	   *word = table[hash_word(text, length) % BUCKETS];

	while (word != NULL && (strlen(word->text) != length || memcmp(word->text, text, length) != 0))
		word = word->next;
	return word;
}

static void
add_word(Word **table, const char *text, size_t length)
{
	uint32_t	bucket = hash_word(text, length) % BUCKETS;
	Word	   *word = calloc(1, sizeof(Word));

	memcpy(word->text, text, length);
	word->next = table[bucket];
	word->count = 1;
	table[bucket] = word;
}

static void
count_words(Word **table, const char *text, size_t size)
{
	size_t		start = 0;

	for (size_t i = 0; i < size; i++)
	{
		Word	   *word;

		if (text[i] != ' ')
			continue;
		word = find_word(table, text + start, i - start);
		if (word != NULL)
			word->count++;
		else
			add_word(table, text + start, i - start);
		start = i + 1;
	}
}

static int
by_count(const void *a, const void *b)
{
	const Word *x = *(Word *const *) a;
	const Word *y = *(Word *const *) b;

	return x->count != y->count ? y->count - x->count : strcmp(x->text, y->text);
}

static int
rank_words(Word **table)
{
	Word	   *all[WORDS];
	size_t		count = 0;
	int			sum = 0;

	for (int i = 0; i < BUCKETS; i++)
		for (Word *word = table[i]; word != NULL; word = word->next)
			all[count++] = word;
	qsort(all, count, sizeof(Word *), by_count);
	for (size_t i = 0; i < count; i += 7)
		sum += all[i]->count;
	return sum;
}

static void
free_words(Word **table)
{
	for (int i = 0; i < BUCKETS; i++)
		while (table[i] != NULL)
		{
			Word	   *next = table[i]->next;

			free(table[i]);
			table[i] = next;
		}
}

static int
index_text(const char *text, size_t size)
{
	static Word *table[BUCKETS];
	int			sum;

	count_words(table, text, size);
	sum = rank_words(table);
	free_words(table);
	return sum;
}

/* --- compression -------------------------------------------------------------------------- */

static size_t
match_length(const char *a, const char *b, size_t most)
{
	size_t		length = 0;

	while (length < most && a[length] == b[length])
		length++;
	return length;
}

static size_t
longest_match(const char *text, size_t at, size_t size)
{
	size_t		best = 0;
	size_t		start = at > 96 ? at - 96 : 0;
	size_t		most = size - at < 32 ? size - at : 32;

	for (size_t i = start; i < at; i++)
	{
		size_t		length = match_length(text + i, text + at, most);

		if (length > best)
			best = length;
	}
	return best;
}

static size_t
compress_text(const char *text, size_t size)
{
	size_t		tokens = 0;

	for (size_t at = 0; at < size; tokens++)
	{
		size_t		length = longest_match(text, at, size);

		at += length > 3 ? length : 1;
	}
	return tokens;
}

/* --- searching ------------------------------------------------------------------------------- */

static int
distance(const char *a, const char *b)
{
	int			row[16];
	int			m = (int) strlen(b);

	for (int j = 0; j <= m; j++)
		row[j] = j;
	for (int i = 1; a[i - 1] != '\0'; i++)
	{
		int			corner = row[0];

		row[0] = i;
		for (int j = 1; j <= m; j++)
		{
			int			best = corner + (a[i - 1] != b[j - 1]);

			corner = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[m];
}

static int
search_words(void)
{
	int			near = 0;
	char		a[12];
	char		b[12];

	for (int i = 0; i < 3000; i++)
	{
		make_word(a);
		make_word(b);
		near += distance(a, b) < 3;
	}
	return near;
}

/* --- an interpreter ---------------------------------------------------------------------------- */

static long push(long *stack, int *top, long value) { return stack[(*top)++] = value; }
static long pop(long *stack, int *top) { return stack[--(*top)]; }

static void
add_two(long *stack, int *top)
{
	long		b = pop(stack, top);

	push(stack, top, pop(stack, top) + b);
}

static void
multiply_two(long *stack, int *top)
{
	long		b = pop(stack, top);

	push(stack, top, pop(stack, top) * b % 65521);
}

static long
interpret(int steps)
{
	long		stack[64];
	int			top = 0;

	push(stack, &top, 1);
	for (int i = 0; i < steps; i++)
	{
		push(stack, &top, i % 19 + 1);
		if (i % 3 == 0)
			add_two(stack, &top);
		else
			multiply_two(stack, &top);
	}
	return pop(stack, &top);
}

/* --- matrices --------------------------------------------------------------------------------------- */

static double
dot(const double *a, const double *b)
{
	double		sum = 0;

	for (int k = 0; k < SIDE; k++)
		sum += a[k] * b[k * SIDE];
	return sum;
}

static double
multiply(void)
{
	static double a[SIDE * SIDE];
	static double b[SIDE * SIDE];
	double		sum = 0;

	for (int i = 0; i < SIDE * SIDE; i++)
	{
		a[i] = next_random(10);
		b[i] = next_random(10);
	}
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			sum += dot(a + i * SIDE, b + j);
	return sum;
}

/* --- text output -------------------------------------------------------------------------------------- */

static int
print_numbers(void)
{
	char		line[64];
	int			length = 0;

	for (int i = 0; i < 2000; i++)
		length += snprintf(line, sizeof(line), "%d %.3f", i, next_random(1000) / 7.0);
	return length;
}

static double
one_round(void)
{
	size_t		size;
	char	   *text = make_text(&size);
	double		check = index_text(text, size) + (double) compress_text(text, size);

	check += search_words() + (double) interpret(60000) + multiply() + print_numbers();
	free(text);
	return check;
}

int
main(int argc, char **argv)
{
	int			rounds = argc > 1 ? atoi(argv[1]) : 40;
	double		check = 0;

	while (rounds-- > 0)
		check += one_round();
	printf("%.0f\n", check);
	return 0;
}
