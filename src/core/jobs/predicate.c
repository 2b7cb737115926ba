/*
 * predicate.c
 *	  The words of bottleneck predicates (see predicate.h).
 */
#include "core/jobs/predicate.h"

#include "core/base/choice.h"
#include "core/base/number.h"

static const char *const words[] = {
	"any", "all", "majority", "majority_any", "strict_majority", "strict_majority_any"
};

static const FgPredicate predicates[] = {
	{.kind = FG_PREDICATE_ANY},
	{.kind = FG_PREDICATE_ALL},
	{.kind = FG_PREDICATE_MAJORITY},
	{.kind = FG_PREDICATE_MAJORITY, .by_type = true},
	{.kind = FG_PREDICATE_STRICT_MAJORITY},
	{.kind = FG_PREDICATE_STRICT_MAJORITY, .by_type = true}
};

static const char at_least[] = "at_least:";
static const char function[] = "function:";

static const char hint[] = "Available: any, all, majority, majority_any, strict_majority, "
"strict_majority_any, at_least:F with a fraction F above 0 and up to 1, and "
"function:SCHEMA.NAME.";

static bool
starts_with(FgSpan text, const char *word, size_t length)
{
	return text.size >= length && memcmp(text.bytes, word, length) == 0;
}

/* The rest of the text is a fraction. */
static bool
parse_fraction(FgContext *ctx, FgSpan text, double *fraction)
{
	FgNumberResult result = fg_number_parse(ctx, text.bytes, text.size, fraction);

	if (result == FG_NUMBER_MEMORY)
		return false;
	if (result == FG_NUMBER_OK && *fraction > 0 && *fraction <= 1)
		return true;
	return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, hint,
					  "the fraction of a bottleneck predicate must be above 0 and at most 1");
}

bool
fg_predicate_parse(FgContext *ctx, FgSpan text, FgPredicate *predicate)
{
	const size_t prefix = sizeof(at_least) - 1;
	const size_t before_name = sizeof(function) - 1;
	int			place = fg_choice_find(words, sizeof(words) / sizeof(words[0]), text.bytes,
									   text.size);

	if (place >= 0)
	{
		*predicate = predicates[place];
		return true;
	}
	if (starts_with(text, at_least, prefix))
	{
		*predicate = (FgPredicate) {.kind = FG_PREDICATE_AT_LEAST};
		return parse_fraction(ctx, (FgSpan) {text.bytes + prefix, text.size - prefix},
							  &predicate->fraction);
	}
	if (starts_with(text, function, before_name) && text.size > before_name)
	{
		*predicate = (FgPredicate) {
			.kind = FG_PREDICATE_FUNCTION,
			.name = {text.bytes + before_name, text.size - before_name}
		};
		return true;
	}
	if (text.size == 0 || text.size > FG_LONGEST_SHOWN)
		return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, hint, "no such bottleneck predicate");
	return fg_fail_at(ctx, FG_ERROR_ARGUMENT, 0, 0, hint, "no bottleneck predicate \"%.*s\"",
					  (int) text.size, text.bytes);
}
