/*
 * stackquery.h
 *	  Compiled stack patterns in PostgreSQL: the parsed query and its regular
 *	  expressions, kept from call to call.
 */
#ifndef FG_STACKQUERY_H
#define FG_STACKQUERY_H

#include "pg/base/values.h"

#include "lib/stringinfo.h"

#include "core/patterns/query.h"

typedef struct FgPattern
{
	struct varlena *source;		/* the canonical text it was compiled from */
	FgContext	ctx;
	FgQuery		query;
	struct FgRegex **regexes;
	FgRegexMatch match;			/* with this pattern as its argument */
} FgPattern;

/*
 * The compiled form of a stackquery argument.  It lives as long as the calling
 * expression (fn_extra), and is compiled again only when the argument changes.
 */
extern FgPattern *fg_pattern(FunctionCallInfo fcinfo, Datum query);

/* Does some stack with a value match? */
extern bool fg_pattern_matches(FgPattern *pattern, FgContext *ctx, const FgTree *tree);

/* A stackquery from its text, for patterns that come in an option. */
extern Datum fg_stackquery_datum(FgSpan text);

/* --- regular expressions -------------------------------------------------------- */

typedef struct FgRegex FgRegex;

/*
 * Compiles an advanced regular expression for the C collation, so that results
 * depend on no setting; back-references are refused, as they take exponential
 * time.  "memory" holds the object; the engine's own memory is released with it.
 */
extern FgRegex *fg_regex_compile(const char *pattern, size_t length, bool caseless,
								 MemoryContext memory);

/* Reports what fg_regex_compile would throw; false after a soft error. */
extern bool fg_regex_check(FgSpan pattern, struct Node *escontext);

/* Does it match somewhere in the text? */
extern bool fg_regex_match(FgRegex *regex, const char *text, size_t length);

/*
 * Where it matches, appends the template with \1 to \9 replaced by what the groups
 * matched, \& by the whole match and two backslashes by one.  A template that refers
 * to a group that is not there is refused by the check, error 22023.
 */
extern void fg_regex_check_template(const FgRegex *regex, FgSpan template);
extern bool fg_regex_expand(FgRegex *regex, const char *text, size_t length, FgSpan template,
							StringInfo to);

#endif							/* FG_STACKQUERY_H */
