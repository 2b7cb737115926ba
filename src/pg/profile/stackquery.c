/*
 * stackquery.c
 *	  Type stackquery, and matching stacks and profiles with it.
 *
 * A stackquery is stored as its canonical text and compiled where it is used: it
 * is short, the text says everything, and there is no second form to check.
 */
#include "pg/profile/stackquery.h"

#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#define STACKQUERY_WIRE_VERSION 1

/* --- input and output ------------------------------------------------------------ */

/* The canonical text of a pattern, or 0 after a soft error. */
static Datum
canonical_text(FgSpan text, FgSource source, struct Node *escontext)
{
	FgContext	ctx = fg_current_context();
	FgBuffer	canonical = {.ctx = &ctx};
	FgQuery		query;

	if (!fg_query_parse(&ctx, text.bytes, text.size, &query) ||
		!fg_query_print(&query, &canonical))
	{
		fg_report(&ctx, "stackquery", source, escontext);
		return (Datum) 0;
	}
	/* a regular expression that does not compile is found here, not in a scan */
	for (uint32_t i = 0; i < query.nitems; i++)
	{
		const FgItem *item = &query.items[i];

		CHECK_FOR_INTERRUPTS();
		if ((item->flags & FG_ITEM_REGEX) &&
			!fg_regex_check((FgSpan) {fg_item_text(&query, item), item->length}, escontext))
			return (Datum) 0;
	}
	fg_query_free(&query);
	return PointerGetDatum(fg_varlena_softly(canonical.data, canonical.size, escontext));
}

Datum
fg_stackquery_datum(FgSpan text)
{
	return canonical_text(text, FG_FROM_TEXT, NULL);
}

PG_FUNCTION_INFO_V1(stackquery_in);
Datum
stackquery_in(PG_FUNCTION_ARGS)
{
	char	   *text = PG_GETARG_CSTRING(0);
	FgSpan		span = {text, strlen(text)};
	Datum		query = canonical_text(span, FG_FROM_TEXT, fcinfo->context);

	if (query == (Datum) 0)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(query);
}

PG_FUNCTION_INFO_V1(stackquery_out);
Datum
stackquery_out(PG_FUNCTION_ARGS)
{
	PG_RETURN_CSTRING(text_to_cstring(PG_GETARG_TEXT_PP(0)));
}

PG_FUNCTION_INFO_V1(stackquery_recv);
Datum
stackquery_recv(PG_FUNCTION_ARGS)
{
	StringInfo	message = (StringInfo) PG_GETARG_POINTER(0);
	int			version = pq_getmsgbyte(message);
	FgSpan		text;
	int			size;

	if (version != STACKQUERY_WIRE_VERSION)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("unsupported version of type stackquery: %d", version)));
	text.bytes = pq_getmsgtext(message, message->len - message->cursor, &size);
	text.size = (size_t) size;
	PG_RETURN_DATUM(canonical_text(text, FG_FROM_WIRE, NULL));
}

PG_FUNCTION_INFO_V1(stackquery_send);
Datum
stackquery_send(PG_FUNCTION_ARGS)
{
	FgSpan		text = PG_GETARG_SPAN(0);
	StringInfoData message;

	pq_begintypsend(&message);
	pq_sendbyte(&message, STACKQUERY_WIRE_VERSION);
	pq_sendtext(&message, text.bytes, (int) text.size);
	PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

/* --- compiled patterns -------------------------------------------------------------- */

static bool
pattern_regex(void *arg, uint32_t number, const char *frame, size_t length)
{
	FgPattern  *pattern = arg;

	return fg_regex_match(pattern->regexes[number], frame, length);
}

static FgPattern *
compile_pattern(FgSpan text, MemoryContext memory)
{
	MemoryContext previous = MemoryContextSwitchTo(memory);
	FgPattern  *pattern = palloc0(sizeof(FgPattern));

	pattern->ctx = fg_context_in(memory);
	pattern->source = fg_varlena(text.bytes, text.size);
	if (!fg_query_parse(&pattern->ctx, text.bytes, text.size, &pattern->query))
		fg_report(&pattern->ctx, "stackquery", FG_FROM_STORAGE, NULL);
	if (!fg_query_index(&pattern->query))
		fg_throw(&pattern->ctx, "stackquery");
	pattern->match = pattern_regex;
	pattern->regexes = palloc0((pattern->query.nregexes + 1) * sizeof(FgRegex *));
	for (uint32_t i = 0; i < pattern->query.nitems; i++)
	{
		const FgItem *item = &pattern->query.items[i];

		CHECK_FOR_INTERRUPTS();
		if (item->flags & FG_ITEM_REGEX)
			pattern->regexes[item->regex] =
				fg_regex_compile(fg_item_text(&pattern->query, item), item->length,
								 (item->flags & FG_ITEM_CASELESS) != 0, memory);
	}
	MemoryContextSwitchTo(previous);
	return pattern;
}

/* fn_extra: the last pattern, in a context of its own that goes when it changes. */
typedef struct PatternCache
{
	MemoryContext memory;
	FgPattern  *pattern;
} PatternCache;

FgPattern *
fg_pattern(FunctionCallInfo fcinfo, Datum query)
{
	PatternCache *cache = fcinfo->flinfo->fn_extra;
	FgSpan		text = fg_datum_span(query);

	if (cache == NULL)
	{
		cache = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(PatternCache));
		cache->memory = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "stack pattern",
											  ALLOCSET_SMALL_SIZES);
		fcinfo->flinfo->fn_extra = cache;
	}
	if (cache->pattern != NULL)
	{
		const struct varlena *source = cache->pattern->source;

		if (VARSIZE_ANY_EXHDR(source) == text.size &&
			memcmp(VARDATA_ANY(source), text.bytes, text.size) == 0)
			return cache->pattern;
		cache->pattern = NULL;
		MemoryContextReset(cache->memory);
	}
	cache->pattern = compile_pattern(text, cache->memory);
	return cache->pattern;
}

/* --- matching ------------------------------------------------------------------------- */

static Datum
match_path(FunctionCallInfo fcinfo, Datum path, Datum query)
{
	FgPattern  *pattern = fg_pattern(fcinfo, query);
	FgSpan		span = fg_datum_span(path);
	bool		matches;

	if (!fg_query_match_path(&pattern->query, pattern->match, pattern, span.bytes, span.size,
							 &matches))
		fg_throw(&pattern->ctx, "stackquery");
	PG_RETURN_BOOL(matches);
}

PG_FUNCTION_INFO_V1(stackpath_matches);
Datum
stackpath_matches(PG_FUNCTION_ARGS)
{
	return match_path(fcinfo, PG_GETARG_DATUM(0), PG_GETARG_DATUM(1));
}

PG_FUNCTION_INFO_V1(stackquery_matches_stackpath);
Datum
stackquery_matches_stackpath(PG_FUNCTION_ARGS)
{
	return match_path(fcinfo, PG_GETARG_DATUM(1), PG_GETARG_DATUM(0));
}

bool
fg_pattern_matches(FgPattern *pattern, FgContext *ctx, const FgTree *tree)
{
	uint8_t    *matches = fg_alloc(ctx, (size_t) tree->nnodes + 1, 1);

	if (!fg_query_match_tree(&pattern->query, pattern->match, pattern, tree, matches))
		fg_throw(&pattern->ctx, "stackquery");
	for (uint32_t i = 0; i <= tree->nnodes; i++)
	{
		if (i % FG_CHECK_NODES == 0)
			CHECK_FOR_INTERRUPTS();
		if (matches[i] && tree->self[i] != 0)
			return true;
	}
	return false;
}

static Datum
match_flamegraph(FunctionCallInfo fcinfo, Datum value, Datum query)
{
	FgPattern  *pattern = fg_pattern(fcinfo, query);
	FgContext	ctx = fg_current_context();
	FgTree		storage;

	PG_RETURN_BOOL(fg_pattern_matches(pattern, &ctx, fg_datum_tree(&ctx, value, &storage)));
}

PG_FUNCTION_INFO_V1(flamegraph_matches);
Datum
flamegraph_matches(PG_FUNCTION_ARGS)
{
	return match_flamegraph(fcinfo, PG_GETARG_DATUM(0), PG_GETARG_DATUM(1));
}

PG_FUNCTION_INFO_V1(stackquery_matches_flamegraph);
Datum
stackquery_matches_flamegraph(PG_FUNCTION_ARGS)
{
	return match_flamegraph(fcinfo, PG_GETARG_DATUM(1), PG_GETARG_DATUM(0));
}
