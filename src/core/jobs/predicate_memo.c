/*
 * predicate_memo.c
 *	  A hash table of questions and their answers (see predicate_memo.h).
 */
#include "core/jobs/predicate_memo.h"

#include "core/base/hash.h"

#define FIRST_SLOTS 64

/* What is kept of a question: its function, its resource type, and four words a type. */
#define WORDS_OF(count) (2 + 4 * (size_t) (count))

typedef struct FgPredicateAnswer
{
	size_t		first;			/* words[first ..] */
	uint32_t	length;
	uint32_t	hash;
	bool		holds;
} FgPredicateAnswer;

void
fg_predicate_memo_begin(FgPredicateMemo *memo, FgContext *ctx,
						const FgPredicateFunctions *functions)
{
	*memo = (FgPredicateMemo) {.ctx = ctx, .functions = functions};
}

void
fg_predicate_memo_free(FgPredicateMemo *memo)
{
	fg_release(memo->ctx, memo->words);
	fg_release(memo->ctx, memo->answers);
	fg_release(memo->ctx, memo->slots);
}

bool
fg_predicate_memo_find(FgPredicateMemo *memo, const FgPredicate *predicate, uint32_t *function)
{
	if (memo->functions == NULL)
		return fg_fail(memo->ctx, FG_ERROR_ARGUMENT,
					   "bottleneck predicates cannot be functions here");
	return memo->functions->find(memo->functions->arg, predicate->name, function);
}

/* Appends the words of a question, which stay only if it is a new one. */
static bool
put_words(FgPredicateMemo *memo, const FgPredicateQuestion *question, uint32_t *hash)
{
	size_t		length = WORDS_OF(question->count);
	uint32_t   *word;
	uint32_t	sum = 0;

	if (length >= FG_NONE)
		return fg_fail(memo->ctx, FG_ERROR_LIMIT, "a phase has too many types of subphases");
	if (!fg_reserve(memo->ctx, (void **) &memo->words, &memo->word_capacity,
					memo->word_count + length, sizeof(uint32_t)))
		return false;
	word = memo->words + memo->word_count;
	*word++ = question->function;
	*word++ = question->resource_type;
	for (uint32_t i = 0; i < question->count; i++)
	{
		*word++ = question->parts[i].type;
		*word++ = question->parts[i].all;
		*word++ = question->parts[i].defined;
		*word++ = question->parts[i].limited;
	}
	for (size_t i = 0; i < length; i++)
		sum = fg_hash_pair(memo->ctx->seed, sum, memo->words[memo->word_count + i]);
	*hash = sum;
	return fg_steps(memo->ctx, length);
}

static bool
enlarge(FgPredicateMemo *memo)
{
	size_t		count = memo->slot_count == 0 ? FIRST_SLOTS : memo->slot_count * 2;
	uint32_t   *slots;

	if (memo->answer_count * 2 < memo->slot_count)
		return true;
	slots = fg_alloc(memo->ctx, count, sizeof(uint32_t));
	if (slots == NULL)
		return false;
	memset(slots, 0xFF, count * sizeof(uint32_t));
	for (size_t a = 0; a < memo->answer_count; a++)
	{
		size_t		slot = memo->answers[a].hash & (count - 1);

		while (slots[slot] != FG_NONE)
			slot = (slot + 1) & (count - 1);
		slots[slot] = (uint32_t) a;
	}
	fg_release(memo->ctx, memo->slots);
	memo->slots = slots;
	memo->slot_count = count;
	return fg_steps(memo->ctx, count);
}

/* The slot of a question whose words were put, which is free when it is new. */
static size_t
find_slot(const FgPredicateMemo *memo, uint32_t length, uint32_t hash)
{
	size_t		slot = hash & (memo->slot_count - 1);

	for (; memo->slots[slot] != FG_NONE; slot = (slot + 1) & (memo->slot_count - 1))
	{
		const FgPredicateAnswer *answer = &memo->answers[memo->slots[slot]];

		if (answer->hash == hash && answer->length == length &&
			memcmp(memo->words + answer->first, memo->words + memo->word_count,
				   length * sizeof(uint32_t)) == 0)
			break;
	}
	return slot;
}

bool
fg_predicate_memo_ask(FgPredicateMemo *memo, const FgPredicateQuestion *question, bool *holds)
{
	uint32_t	length = (uint32_t) WORDS_OF(question->count);
	uint32_t	hash = 0;
	size_t		slot;

	if (!enlarge(memo) || !put_words(memo, question, &hash) ||
		!fg_reserve(memo->ctx, (void **) &memo->answers, &memo->answer_capacity,
					memo->answer_count + 1, sizeof(FgPredicateAnswer)))
		return false;
	slot = find_slot(memo, length, hash);
	if (memo->slots[slot] != FG_NONE)
	{
		*holds = memo->answers[memo->slots[slot]].holds;
		return true;
	}
	if (!memo->functions->ask(memo->functions->arg, question, holds))
		return false;
	memo->answers[memo->answer_count] = (FgPredicateAnswer) {
		memo->word_count, length, hash, *holds
	};
	memo->word_count += length;
	memo->slots[slot] = (uint32_t) memo->answer_count++;
	return true;
}
