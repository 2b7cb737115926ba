/*
 * regex.c
 *	  PostgreSQL's regular expressions on frames (stackquery.h).
 */
#include "stackquery.h"

#include "catalog/pg_collation.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "regex/regex.h"
#include "utils/memutils.h"

struct FgRegex
{
	regex_t		compiled;
	bool		alive;
	MemoryContextCallback release;
	pg_wchar   *wide;			/* the text as the engine wants it */
	size_t		wide_capacity;
	MemoryContext memory;
};

/* Up to 15 the engine's memory is malloc'ed and has to be given back by hand. */
static void
release_regex(void *arg)
{
	FgRegex    *regex = arg;

	if (regex->alive)
		pg_regfree(&regex->compiled);
	regex->alive = false;
}

static void
throw_regex(int code, regex_t *compiled, const char *pattern, size_t length)
{
	char		reason[100];

	CHECK_FOR_INTERRUPTS();
	pg_regerror(code, compiled, reason, sizeof(reason));
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_REGULAR_EXPRESSION),
			 errmsg("invalid regular expression: %s", reason),
			 pattern == NULL ? 0
			 : errdetail("The expression is \"%.*s\".", pg_mbcliplen(pattern, (int) length, 200),
						 pattern)));
}

FgRegex *
fg_regex_compile(const char *pattern, size_t length, bool caseless, MemoryContext memory)
{
	FgRegex    *regex = MemoryContextAllocZero(memory, sizeof(FgRegex));
	pg_wchar   *wide = palloc((length + 1) * sizeof(pg_wchar));
	int			wide_length = pg_mb2wchar_with_len(pattern, wide, (int) length);
	int			flags = REG_ADVANCED | (caseless ? REG_ICASE : 0);
	int			result = pg_regcomp(&regex->compiled, wide, (size_t) wide_length, flags,
									C_COLLATION_OID);

	pfree(wide);
	if (result != REG_OKAY)
		throw_regex(result, &regex->compiled, pattern, length);
	regex->alive = true;
	regex->memory = memory;
	regex->release.func = release_regex;
	regex->release.arg = regex;
	MemoryContextRegisterResetCallback(memory, &regex->release);
	if (regex->compiled.re_info & REG_UBACKREF)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("back-references are not supported in patterns over frames"),
				 errdetail("Matching them can take exponential time.")));
	return regex;
}

void
fg_regex_check(FgSpan pattern)
{
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "regular expression",
												 ALLOCSET_SMALL_SIZES);

	fg_regex_compile(pattern.bytes, pattern.size, false, memory);
	MemoryContextDelete(memory);
}

bool
fg_regex_match(FgRegex *regex, const char *text, size_t length)
{
	int			wide_length;
	int			result;

	if (regex->wide_capacity < length + 1)
	{
		if (regex->wide != NULL)
			pfree(regex->wide);
		regex->wide = NULL;
		regex->wide_capacity = 2 * length + 64;
		regex->wide = MemoryContextAlloc(regex->memory, regex->wide_capacity * sizeof(pg_wchar));
	}
	wide_length = pg_mb2wchar_with_len(text, regex->wide, (int) length);
	result = pg_regexec(&regex->compiled, regex->wide, (size_t) wide_length, 0, NULL, 0, NULL, 0);
	if (result != REG_OKAY && result != REG_NOMATCH)
		throw_regex(result, &regex->compiled, NULL, 0);
	return result == REG_OKAY;
}
