/*
 * flamegraph.c
 *	  Type flamegraph: text and binary input and output.
 *
 * Folded text repeats the path for every stack, so it can be hundreds of times
 * larger than the value.  The output form is therefore folded only up to 64 KiB,
 * else packed: "flamegraph:1:" and base64 of the encoded form.  Both read back
 * exactly.
 */
#include "pg/base/values.h"

#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "core/profile/folded.h"
#include "pg/base/arguments.h"
#include "pg/base/packed.h"
#include "pg/base/stored.h"

#define FOLDED_OUTPUT_LIMIT (64 * 1024)

/* --- input ----------------------------------------------------------------- */

/* Canonical bytes as a value; the check has made a tree, which is not kept. */
static Datum
validated_datum(FgContext *ctx, const uint8_t *bytes, size_t size, FgSource source,
				struct Node *escontext)
{
	FgTree		tree;

	if (!fg_codec_validate(ctx, bytes, size, &tree))
	{
		fg_report(ctx, "flamegraph", source, escontext);
		return (Datum) 0;
	}
	fg_tree_free(ctx, &tree);
	return fg_stored_softly(ctx, &fg_codec_encoding, "flamegraph", bytes, size, escontext);
}

static Datum
unpack(FgContext *ctx, FgSpan text, struct Node *escontext)
{
	size_t		size;
	char	   *bytes = fg_unpack(ctx, text, "flamegraph", &size);

	if (bytes == NULL)
	{
		fg_report(ctx, "flamegraph", FG_FROM_TEXT, escontext);
		return (Datum) 0;
	}
	return validated_datum(ctx, (uint8_t *) bytes, size, FG_FROM_TEXT, escontext);
}

/* Once for each place where a statement reads text. */
static void
note_escaped_end(FunctionCallInfo fcinfo, FgContext *ctx, FgSpan text)
{
	static char told;
	bool		found;

	if (fcinfo->flinfo == NULL || fcinfo->flinfo->fn_extra != NULL ||
		!message_level_is_interesting(NOTICE))
		return;
	fg_must(ctx, fg_folded_escaped_end(ctx, text.bytes, text.size, &found));
	if (!found)
		return;
	fcinfo->flinfo->fn_extra = &told;
	ereport(NOTICE,
			(errmsg("a frame has a backslash and an \"n\" behind what looks like a value"),
			 errhint("In SQL a line ends at \\n only in a literal with an E in front of it: "
					 "E'main;a 5\\nmain;b 6'.")));
}

PG_FUNCTION_INFO_V1(flamegraph_in);
Datum
flamegraph_in(PG_FUNCTION_ARGS)
{
	char	   *text = PG_GETARG_CSTRING(0);
	FgSpan		span = {text, strlen(text)};
	FgSpan		trimmed = fg_trim_right(span);
	FgContext	ctx = fg_current_context();
	FgFoldedOptions options = {.dialect = FG_FOLDED_EXACT};
	FgFoldedReport report;
	FgTree		tree;
	Datum		value = (Datum) 0;

	if (fg_looks_packed(trimmed, "flamegraph"))
	{
		value = unpack(&ctx, trimmed, fcinfo->context);
		if (value == (Datum) 0)
			PG_RETURN_NULL();
		PG_RETURN_DATUM(value);
	}
	if (!fg_folded_parse(&ctx, span.bytes, span.size, options, &tree, &report) ||
		!fg_tree_encode(&ctx, &tree, &value))
	{
		fg_report(&ctx, "flamegraph", FG_FROM_TEXT, fcinfo->context);
		PG_RETURN_NULL();
	}
	fg_tree_free(&ctx, &tree);
	note_escaped_end(fcinfo, &ctx, span);
	PG_RETURN_DATUM(value);
}

PG_FUNCTION_INFO_V1(flamegraph_recv);
Datum
flamegraph_recv(PG_FUNCTION_ARGS)
{
	StringInfo	message = (StringInfo) PG_GETARG_POINTER(0);
	int			size = message->len - message->cursor;
	const char *bytes = pq_getmsgbytes(message, size);
	FgContext	ctx = fg_current_context();

	PG_RETURN_DATUM(validated_datum(&ctx, (const uint8_t *) bytes, (size_t) size, FG_FROM_WIRE,
									NULL));
}

/* --- output ---------------------------------------------------------------- */

static FgSpan
encoded_argument(FunctionCallInfo fcinfo)
{
	struct varlena *flat = fg_flamegraph_encoded(PG_GETARG_DATUM(0));

	return (FgSpan) {VARDATA_ANY(flat), VARSIZE_ANY_EXHDR(flat)};
}

/* The folded text when it is short enough, else NULL. */
static char *
print_folded(FgContext *ctx, FgSpan value)
{
	FgBuffer	text = {.ctx = ctx};
	bool		complete;
	FgTree		tree;

	fg_must(ctx, fg_codec_decode(ctx, (const uint8_t *) value.bytes, value.size, &tree));
	fg_must(ctx, fg_folded_print(&text, &tree, FG_FOLDED_EXACT, FOLDED_OUTPUT_LIMIT, &complete,
								 NULL));
	fg_tree_free(ctx, &tree);
	if (!complete)
		return NULL;
	fg_must(ctx, fg_buffer_append(&text, "", 1));
	return fg_chunk(ctx, text.data, text.size);
}

PG_FUNCTION_INFO_V1(flamegraph_out);
Datum
flamegraph_out(PG_FUNCTION_ARGS)
{
	FgSpan		value = encoded_argument(fcinfo);
	FgContext	ctx = fg_current_context();
	FgHeader	header;
	char	   *text = NULL;

	fg_must(&ctx, fg_codec_header(&ctx, (const uint8_t *) value.bytes, value.size, &header));
	/* a line has at least a blank, a digit and a line feed */
	if (header.facts.nstacks <= FOLDED_OUTPUT_LIMIT / 3 + 1)
		text = print_folded(&ctx, value);
	PG_RETURN_CSTRING(text != NULL ? text : fg_pack("flamegraph", value));
}

PG_FUNCTION_INFO_V1(flamegraph_send);
Datum
flamegraph_send(PG_FUNCTION_ARGS)
{
	FgSpan		value = encoded_argument(fcinfo);

	PG_RETURN_BYTEA_P(fg_varlena(value.bytes, value.size));
}
