/*
 * regex.c
 *	  PostgreSQL's regular expressions on frames (stackquery.h).
 */
#include "pg/profile/stackquery.h"

#include "catalog/pg_collation.h"
#include "lib/stringinfo.h"
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

/* What the engine says; soft, unless it is no fault of the expression. */
static void
report_regex(int code, regex_t *compiled, const char *pattern, size_t length,
			 struct Node *escontext)
{
	char		reason[100];

	CHECK_FOR_INTERRUPTS();
	pg_regerror(code, compiled, reason, sizeof(reason));
	fg_errsave(code == REG_ESPACE ? NULL : escontext,
			   (errcode(ERRCODE_INVALID_REGULAR_EXPRESSION),
				errmsg("invalid regular expression: %s", reason),
				pattern == NULL ? 0
				: errdetail("The expression is \"%.*s\".",
							pg_mbcliplen(pattern, (int) length, 200), pattern)));
}

/* NULL after a soft error */
static FgRegex *
compile(const char *pattern, size_t length, bool caseless, MemoryContext memory,
		struct Node *escontext)
{
	FgRegex    *regex = MemoryContextAllocZero(memory, sizeof(FgRegex));
	pg_wchar   *wide;
	int			wide_length;
	int			flags = REG_ADVANCED | (caseless ? REG_ICASE : 0);
	int			result;

	if (length > FG_QUERY_MAX_REGEX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("regular expression is too long"),
				 errdetail("It has %zu bytes, the limit is %u.", length, FG_QUERY_MAX_REGEX)));
	wide = palloc((length + 1) * sizeof(pg_wchar));
	wide_length = pg_mb2wchar_with_len(pattern, wide, (int) length);
	result = pg_regcomp(&regex->compiled, wide, (size_t) wide_length, flags, C_COLLATION_OID);
	pfree(wide);
	if (result != REG_OKAY)
	{
		report_regex(result, &regex->compiled, pattern, length, escontext);
		return NULL;
	}
	regex->alive = true;
	regex->memory = memory;
	regex->release.func = release_regex;
	regex->release.arg = regex;
	MemoryContextRegisterResetCallback(memory, &regex->release);
	if (regex->compiled.re_info & REG_UBACKREF)
	{
		fg_errsave(escontext,
				   (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("back-references are not supported in patterns over frames"),
					errdetail("Matching them can take exponential time.")));
		return NULL;
	}
	return regex;
}

FgRegex *
fg_regex_compile(const char *pattern, size_t length, bool caseless, MemoryContext memory)
{
	return compile(pattern, length, caseless, memory, NULL);
}

bool
fg_regex_check(FgSpan pattern, struct Node *escontext)
{
	bool		valid;
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "regular expression",
												 ALLOCSET_SMALL_SIZES);

	valid = compile(pattern.bytes, pattern.size, false, memory, escontext) != NULL;
	MemoryContextDelete(memory);
	return valid;
}

/* Runs the expression; groups[0] is the whole match. */
static bool
search(FgRegex *regex, const char *text, size_t length, size_t ngroups, regmatch_t *groups)
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
	result = pg_regexec(&regex->compiled, regex->wide, (size_t) wide_length, 0, NULL, ngroups,
						groups, 0);
	if (result != REG_OKAY && result != REG_NOMATCH)
		report_regex(result, &regex->compiled, NULL, 0, NULL);
	return result == REG_OKAY;
}

bool
fg_regex_match(FgRegex *regex, const char *text, size_t length)
{
	return search(regex, text, length, 0, NULL);
}

/* --- replacements ----------------------------------------------------------------- */

#define MAX_GROUPS 10			/* the whole match and \1 to \9 */

/*
 * The reference at template[i]: 0 to 9 for a group, '\\' for a backslash, -1 for
 * anything else, which stands for itself.
 */
static int
reference_at(FgSpan template, size_t i)
{
	char		next;

	if (template.bytes[i] != '\\' || i + 1 == template.size)
		return -1;
	next = template.bytes[i + 1];
	if (next >= '1' && next <= '9')
		return next - '0';
	if (next == '&')
		return 0;
	return next == '\\' ? '\\' : -1;
}

void
fg_regex_check_template(const FgRegex *regex, FgSpan template)
{
	for (size_t i = 0; i < template.size; i++)
	{
		int			reference = reference_at(template, i);

		if (reference < 0)
			continue;
		i++;
		if (reference != '\\' && reference > (int) regex->compiled.re_nsub)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("\"%.*s\" refers to group %d of a regular expression that has %d",
							pg_mbcliplen(template.bytes, (int) template.size, 100), template.bytes,
							reference, (int) regex->compiled.re_nsub),
					 errhint("Groups are counted from 1, by their opening parentheses; (?:...) is none.")));
	}
}

static void
append_group(FgRegex *regex, const regmatch_t *group, StringInfo to)
{
	int			count = (int) (group->rm_eo - group->rm_so);

	if (group->rm_so < 0 || count == 0)
		return;
	enlargeStringInfo(to, count * pg_database_encoding_max_length());
	to->len += pg_wchar2mb_with_len(regex->wide + group->rm_so, to->data + to->len, count);
}

bool
fg_regex_expand(FgRegex *regex, const char *text, size_t length, FgSpan template, StringInfo to)
{
	regmatch_t	groups[MAX_GROUPS];

	if (!search(regex, text, length, MAX_GROUPS, groups))
		return false;
	for (size_t i = 0; i < template.size; i++)
	{
		int			reference = reference_at(template, i);

		CHECK_FOR_INTERRUPTS();
		if (reference < 0)
			appendStringInfoChar(to, template.bytes[i]);
		else
		{
			i++;
			if (reference == '\\')
				appendStringInfoChar(to, '\\');
			else
				append_group(regex, &groups[reference], to);
		}
	}
	return true;
}
