/*
 * flamestats.c
 *	  Type flamestats: how many profiles a sample has and their sum; the state of
 *	  avg(flamegraph).
 *
 * In memory it is an expanded object of its own: an expanded flamegraph for the
 * sum, and a count.  In text it is JSON, {"n": 3, "level": "stack", "data": "..."},
 * where data is base64 of the binary form and repeats the other two.
 */
#include "glue.h"

#include "common/base64.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/expandeddatum.h"
#include "utils/memutils.h"

#include "core/algebra.h"
#include "core/stats.h"
#include "expanded.h"

/* --- expanded form --------------------------------------------------------- */

#define STATS_MAGIC 0x464C5354	/* "FLST" */

typedef struct ExpandedStats
{
	ExpandedObjectHeader header;
	int			magic;
	FgContext	ctx;
	FgStats		stats;
	ExpandedFlamegraph *sum;	/* in a context below header.eoh_context */
	uint8_t    *flat;			/* the encoded form until something is added */
	size_t		flat_size;
} ExpandedStats;

static Size
stats_flat_size(ExpandedObjectHeader *header)
{
	ExpandedStats *stats = (ExpandedStats *) header;

	if (stats->flat == NULL)
		fg_must(&stats->ctx, fg_stats_encode(&stats->ctx, &stats->stats,
											 fg_expanded_tree(stats->sum), 0, &stats->flat,
											 &stats->flat_size));
	return stats->flat_size + VARHDRSZ;
}

static void
stats_flatten_into(ExpandedObjectHeader *header, void *result, Size size)
{
	ExpandedStats *stats = (ExpandedStats *) header;

	if (stats->flat == NULL || size != stats->flat_size + VARHDRSZ)
		elog(ERROR, "flattened size of flamestats changed");
	SET_VARSIZE(result, size);
	memcpy(VARDATA(result), stats->flat, stats->flat_size);
}

static const ExpandedObjectMethods stats_methods = {
	stats_flat_size,
	stats_flatten_into
};

static ExpandedStats *
datum_stats(Datum value)
{
	ExpandedStats *stats;

	if (!VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(value)))
		return NULL;
	stats = (ExpandedStats *) DatumGetEOHP(value);
	if (stats->header.eoh_methods != &stats_methods || stats->magic != STATS_MAGIC)
		return NULL;
	return stats;
}

static ExpandedStats *
stats_create(MemoryContext parent)
{
	MemoryContext memory = AllocSetContextCreate(parent, "expanded flamestats",
												 ALLOCSET_DEFAULT_SIZES);
	ExpandedStats *stats = MemoryContextAllocZero(memory, sizeof(ExpandedStats));

	EOH_init_header(&stats->header, &stats_methods, memory);
	stats->magic = STATS_MAGIC;
	stats->ctx = fg_context_in(memory);
	stats->stats.level = FG_LEVEL_STACK;
	stats->sum = fg_expanded_create(memory);
	return stats;
}

static void
throw_stats(const FgContext *ctx)
{
	fg_throw(ctx, "flamestats");
}

/* The moments behind a value; the sum is borrowed or decoded into *storage. */
static const FgTree *
read_stats(FgContext *ctx, Datum value, FgStats *stats, FgTree *storage)
{
	ExpandedStats *expanded = datum_stats(value);
	FgSpan		flat;

	if (expanded != NULL)
	{
		*stats = expanded->stats;
		return fg_expanded_tree(expanded->sum);
	}
	flat = fg_datum_span(value);
	if (!fg_stats_decode(ctx, (const uint8_t *) flat.bytes, flat.size, false, stats, storage))
		throw_stats(ctx);
	return storage;
}

static void
count_profiles(ExpandedStats *stats, uint64 n)
{
	if (n > FG_STATS_MAX_N - stats->stats.n)
	{
		fg_fail(&stats->ctx, FG_ERROR_LIMIT, "a sample has more than 2^53 profiles");
		throw_stats(&stats->ctx);
	}
	stats->stats.n += n;
	if (stats->flat != NULL)
		pfree(stats->flat);
	stats->flat = NULL;
}

static void
add_stats(ExpandedStats *stats, Datum value)
{
	FgStats		added;
	FgTree		storage;
	const FgTree *sum = read_stats(&stats->ctx, value, &added, &storage);

	count_profiles(stats, added.n);
	if (sum != &storage)
		fg_must(&stats->ctx, fg_tree_copy(&stats->ctx, sum, &storage));
	fg_expanded_add_tree(stats->sum, &storage);
}

static ExpandedStats *
own_stats(FunctionCallInfo fcinfo)
{
	MemoryContext aggregate;
	ExpandedStats *stats;

	if (!AggCheckCallContext(fcinfo, &aggregate))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("this function is called by aggregates only")));
	if (!PG_ARGISNULL(0))
	{
		stats = datum_stats(PG_GETARG_DATUM(0));
		if (stats != NULL && VARATT_IS_EXTERNAL_EXPANDED_RW(PG_GETARG_POINTER(0)))
			return stats;
	}
	stats = stats_create(aggregate);
	if (!PG_ARGISNULL(0))
		add_stats(stats, PG_GETARG_DATUM(0));
	return stats;
}

static Datum
unchanged_state(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

PG_FUNCTION_INFO_V1(flamestats_accum);
Datum
flamestats_accum(PG_FUNCTION_ARGS)
{
	ExpandedStats *stats;

	if (PG_ARGISNULL(1))
		return unchanged_state(fcinfo);
	stats = own_stats(fcinfo);
	count_profiles(stats, 1);
	fg_expanded_add(stats->sum, PG_GETARG_DATUM(1));
	return EOHPGetRWDatum(&stats->header);
}

PG_FUNCTION_INFO_V1(flamestats_combine);
Datum
flamestats_combine(PG_FUNCTION_ARGS)
{
	ExpandedStats *stats;

	if (PG_ARGISNULL(1))
		return unchanged_state(fcinfo);
	stats = own_stats(fcinfo);
	add_stats(stats, PG_GETARG_DATUM(1));
	return EOHPGetRWDatum(&stats->header);
}

PG_FUNCTION_INFO_V1(flamestats_avg);
Datum
flamestats_avg(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgStats		stats;
	FgTree		storage;
	const FgTree *sum = read_stats(&ctx, PG_GETARG_DATUM(0), &stats, &storage);
	FgTree		mean;

	fg_must(&ctx, fg_divide(&ctx, sum, (double) stats.n, &mean));
	PG_RETURN_DATUM(fg_tree_datum_free(&ctx, &mean));
}

PG_FUNCTION_INFO_V1(flamestats_profile_count);
Datum
flamestats_profile_count(PG_FUNCTION_ARGS)
{
	ExpandedStats *expanded = datum_stats(PG_GETARG_DATUM(0));
	FgContext	ctx = fg_current_context();
	FgStats		stats;
	struct varlena *slice;

	if (expanded != NULL)
		PG_RETURN_INT64((int64) expanded->stats.n);
	slice = PG_DETOAST_DATUM_SLICE(PG_GETARG_DATUM(0), 0, FG_STATS_HEADER);
	if (!fg_stats_header(&ctx, (uint8_t *) VARDATA_ANY(slice), VARSIZE_ANY_EXHDR(slice), &stats))
		throw_stats(&ctx);
	PG_RETURN_INT64((int64) stats.n);
}

/* --- binary ---------------------------------------------------------------- */

/* Canonical foreign bytes as a value; 0 after a soft error. */
static Datum
validated_stats(FgContext *ctx, const char *bytes, size_t size, FgSource source,
				struct Node *escontext, FgStats *stats)
{
	FgTree		sum;

	if (!fg_stats_decode(ctx, (const uint8_t *) bytes, size, true, stats, &sum))
	{
		fg_report(ctx, "flamestats", source, escontext);
		return (Datum) 0;
	}
	fg_tree_free(ctx, &sum);
	return PointerGetDatum(fg_varlena(bytes, size));
}

PG_FUNCTION_INFO_V1(flamestats_recv);
Datum
flamestats_recv(PG_FUNCTION_ARGS)
{
	StringInfo	message = (StringInfo) PG_GETARG_POINTER(0);
	int			size = message->len - message->cursor;
	const char *bytes = pq_getmsgbytes(message, size);
	FgContext	ctx = fg_current_context();
	FgStats		stats;

	PG_RETURN_DATUM(validated_stats(&ctx, bytes, (size_t) size, FG_FROM_WIRE, NULL, &stats));
}

PG_FUNCTION_INFO_V1(flamestats_send);
Datum
flamestats_send(PG_FUNCTION_ARGS)
{
	FgSpan		value = PG_GETARG_SPAN(0);

	PG_RETURN_BYTEA_P(fg_varlena(value.bytes, value.size));
}

/* --- text ------------------------------------------------------------------ */

PG_FUNCTION_INFO_V1(flamestats_out);
Datum
flamestats_out(PG_FUNCTION_ARGS)
{
	FgSpan		value = PG_GETARG_SPAN(0);
	FgContext	ctx = fg_current_context();
	int			room = pg_b64_enc_len((int) value.size);
	FgStats		stats;
	char	   *text;
	int			start;
	int			size;

	if (!fg_stats_header(&ctx, (const uint8_t *) value.bytes, value.size, &stats))
		throw_stats(&ctx);
	text = MemoryContextAllocHuge(CurrentMemoryContext, (Size) room + 100);
	start = sprintf(text, "{\"n\": " UINT64_FORMAT ", \"level\": \"stack\", \"data\": \"", stats.n);
	size = pg_b64_encode(value.bytes, (int) value.size, text + start, room);
	if (size < 0)
		elog(ERROR, "could not encode flamestats in base64");
	strcpy(text + start + size, "\"}");
	PG_RETURN_CSTRING(text);
}

/*
 * The text form is too long for a JSON parser that copies strings, and it has
 * only three members without escapes, so this reads just that: any order, any
 * white space.
 */
typedef struct JsonReader
{
	const char *next;
	FgSpan		n;
	FgSpan		level;
	FgSpan		data;
} JsonReader;

static void
skip_white(JsonReader *reader)
{
	reader->next += strspn(reader->next, " \t\r\n");
}

static bool
read_punctuation(JsonReader *reader, char wanted)
{
	skip_white(reader);
	if (*reader->next != wanted)
		return false;
	reader->next++;
	return true;
}

static bool
read_string(JsonReader *reader, FgSpan *string)
{
	if (!read_punctuation(reader, '"'))
		return false;
	string->bytes = reader->next;
	string->size = strcspn(reader->next, "\"\\");
	reader->next += string->size;
	return *reader->next++ == '"';
}

static bool
read_digits(JsonReader *reader, FgSpan *digits)
{
	skip_white(reader);
	digits->bytes = reader->next;
	digits->size = strspn(reader->next, "0123456789");
	reader->next += digits->size;
	return digits->size > 0 && digits->size < 20;
}

static bool
span_is(FgSpan span, const char *word)
{
	return span.size == strlen(word) && memcmp(span.bytes, word, span.size) == 0;
}

/* One member; each may occur once. */
static bool
read_member(JsonReader *reader)
{
	FgSpan		key;

	if (!read_string(reader, &key) || !read_punctuation(reader, ':'))
		return false;
	if (span_is(key, "n") && reader->n.bytes == NULL)
		return read_digits(reader, &reader->n);
	if (span_is(key, "level") && reader->level.bytes == NULL)
		return read_string(reader, &reader->level);
	return span_is(key, "data") && reader->data.bytes == NULL &&
		read_string(reader, &reader->data);
}

static bool
read_members(JsonReader *reader)
{
	if (!read_punctuation(reader, '{'))
		return false;
	do
	{
		if (!read_member(reader))
			return false;
	} while (read_punctuation(reader, ','));
	if (!read_punctuation(reader, '}'))
		return false;
	skip_white(reader);
	return *reader->next == '\0' && reader->n.bytes != NULL && reader->level.bytes != NULL &&
		reader->data.bytes != NULL;
}

static Datum
bad_text(FgContext *ctx, const char *reason, struct Node *escontext)
{
	fg_fail(ctx, FG_ERROR_SYNTAX, "%s", reason);
	fg_report(ctx, "flamestats", FG_FROM_TEXT, escontext);
	return (Datum) 0;
}

static Datum
parse_stats(FgContext *ctx, const char *text, struct Node *escontext)
{
	JsonReader	reader = {.next = text};
	FgStats		stats;
	Datum		value;
	char	   *bytes;
	int			room;
	int			size;

	if (!read_members(&reader))
		return bad_text(ctx, "the text is not an object with the members \"n\", \"level\" and \"data\"",
						escontext);
	room = pg_b64_dec_len((int) reader.data.size);
	bytes = palloc((Size) room + 1);
	size = pg_b64_decode(reader.data.bytes, (int) reader.data.size, bytes, room);
	if (size < 0)
		return bad_text(ctx, "\"data\" is not valid base64", escontext);
	value = validated_stats(ctx, bytes, (size_t) size, FG_FROM_TEXT, escontext, &stats);
	if (value != (Datum) 0 &&
		(!span_is(reader.level, "stack") || strtoull(reader.n.bytes, NULL, 10) != stats.n))
		return bad_text(ctx, "\"n\" or \"level\" contradicts \"data\"", escontext);
	return value;
}

PG_FUNCTION_INFO_V1(flamestats_in);
Datum
flamestats_in(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	Datum		value = parse_stats(&ctx, PG_GETARG_CSTRING(0), fcinfo->context);

	if (value == (Datum) 0)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(value);
}
