/*
 * flamestats.c
 *	  Type flamestats: how many profiles a sample has and, per stack, context or
 *	  function, their sum and squared deviations; the state of avg, variance, stddev and
 *	  stats(flamegraph).
 *
 * In memory it is an expanded object of its own: a count and an accumulator.  In text
 * it is JSON, {"n": 3, "level": "stack", "data": "..."}, where data is base64 of the
 * binary form and repeats the other two.
 */
#include "pg/samples/flamestats.h"

#include "access/detoast.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "core/profile/algebra.h"
#include "core/samples/accumulator.h"
#include "pg/base/arguments.h"
#include "pg/base/base64.h"
#include "pg/base/expanded.h"
#include "pg/base/stored.h"

/* --- expanded form --------------------------------------------------------- */

typedef struct ExpandedStats
{
	FgExpanded	base;
	FgStats		stats;
	FgAccumulator total;		/* of sums, or of moments */
} ExpandedStats;

static void
throw_stats(const FgContext *ctx)
{
	fg_throw(ctx, "flamestats");
}

static const FgMoments *
expanded_moments(ExpandedStats *stats)
{
	const FgMoments *moments = fg_accumulator_moments(&stats->total);

	fg_expanded_must(&stats->base, moments != NULL);
	return moments;
}

static bool
encode(FgExpanded *object, uint8_t **bytes, size_t *size)
{
	ExpandedStats *stats = (ExpandedStats *) object;

	return fg_stats_encode(&object->ctx, &stats->stats, expanded_moments(stats), 0, bytes, size);
}

static const FgExpandedKind kind = {"flamestats", sizeof(ExpandedStats), &fg_stats_encoding, encode};

static ExpandedStats *
stats_create(MemoryContext parent, FgLevel level, bool sums_only)
{
	ExpandedStats *stats = fg_expanded_create(parent, &kind);

	stats->stats.level = level;
	stats->stats.sums_only = sums_only;
	fg_accumulator_init(&stats->base.ctx, &stats->total,
						sums_only ? FG_ACCUMULATE_SUM : FG_ACCUMULATE_MOMENTS);
	return stats;
}

static FgSpan
encoded_stats(Datum value)
{
	struct varlena *flat = fg_datum_encoded(value, &fg_stats_encoding, "flamestats");

	return (FgSpan) {VARDATA_ANY(flat), VARSIZE_ANY_EXHDR(flat)};
}

const FgMoments *
fg_datum_stats(FgContext *ctx, Datum value, FgStats *stats, FgMoments *storage)
{
	ExpandedStats *expanded = fg_expanded_of(value, &kind);
	FgSpan		flat;

	if (expanded != NULL)
	{
		*stats = expanded->stats;
		return expanded_moments(expanded);
	}
	flat = encoded_stats(value);
	CHECK_FOR_INTERRUPTS();
	if (!fg_stats_decode(ctx, (const uint8_t *) flat.bytes, flat.size, false, stats, storage))
		throw_stats(ctx);
	return storage;
}

FgStats
fg_datum_stats_header(Datum value)
{
	ExpandedStats *expanded = fg_expanded_of(value, &kind);
	FgContext	ctx = fg_current_context();
	FgStats		stats;
	struct varlena *slice;

	if (expanded != NULL)
		return expanded->stats;
	slice = fg_datum_start(value, &fg_stats_encoding, "flamestats", FG_STATS_HEADER);
	if (!fg_stats_header(&ctx, (uint8_t *) VARDATA_ANY(slice), VARSIZE_ANY_EXHDR(slice), &stats))
		throw_stats(&ctx);
	return stats;
}

FgGroup
fg_stats_group(FunctionCallInfo fcinfo, int argument, FgContext *ctx, FgMoments *storage,
			   FgLevel *level)
{
	FgStats		stats = {.n = 0};
	FgGroup		group = {.n = 0};

	if (PG_ARGISNULL(argument))
		return group;
	group.moments = fg_datum_stats(ctx, PG_GETARG_DATUM(argument), &stats, storage);
	if (stats.sums_only)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("these statistics hold sums only, as avg needs them")));
	group.n = stats.n;
	*level = stats.level;
	return group;
}

void
fg_check_same_level(const FgGroup *before, const FgGroup *after, const FgLevel level[2])
{
	if (before->n > 0 && after->n > 0 && level[0] != level[1])
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("statistics at levels \"%s\" and \"%s\" cannot be compared",
						fg_level_word(level[0]), fg_level_word(level[1]))));
}

static void
count_profiles(ExpandedStats *stats, uint64 n)
{
	if (n > FG_STATS_MAX_N - stats->stats.n)
		fg_expanded_must(&stats->base, fg_fail(&stats->base.ctx, FG_ERROR_LIMIT,
											   "a sample has more than 2^53 profiles"));
	fg_expanded_change(&stats->base);
	stats->stats.n += n;
}

/* --- transition ------------------------------------------------------------ */

/*
 * avg needs no squared deviations, and they cost as much again.  PostgreSQL
 * computes the state once for avg, variance and stddev of the same column, which
 * is why all have the same transition function; so the aggregate itself decides,
 * unless it shares its state.
 */
static bool
needs_sums_only(FunctionCallInfo fcinfo)
{
	Aggref	   *aggregate = AggGetAggref(fcinfo);
	char	   *name;

	if (aggregate == NULL || AggStateIsShared(fcinfo))
		return false;
	name = get_func_name(aggregate->aggfnoid);
	return name != NULL && strcmp(name, "avg") == 0;
}

static void
check_level(FgLevel a, FgLevel b)
{
	if (a != b)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("statistics at levels \"%s\" and \"%s\" cannot be merged",
						fg_level_word(a), fg_level_word(b))));
}

/*
 * Adds a sample.  A state that is still empty takes over its kind and level; sums only and
 * moments together would be a sample without deviations, which no aggregate makes.
 */
static void
add_sample(ExpandedStats *stats, Datum value)
{
	FgContext  *ctx = &stats->base.ctx;
	FgStats		added;
	FgMoments	storage;
	const FgMoments *moments = fg_datum_stats(ctx, value, &added, &storage);

	if (stats->stats.n == 0)
	{
		stats->stats.level = added.level;
		stats->stats.sums_only = added.sums_only;
		fg_accumulator_init(ctx, &stats->total,
							added.sums_only ? FG_ACCUMULATE_SUM : FG_ACCUMULATE_MOMENTS);
	}
	else if (stats->stats.sums_only != added.sums_only)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("statistics with and without deviations cannot be merged")));
	check_level(stats->stats.level, added.level);
	count_profiles(stats, added.n);
	if (moments != &storage)
		fg_must(ctx, fg_moments_copy(ctx, moments, &storage));
	fg_must(ctx, fg_accumulator_add_moments(&stats->total, &storage));
}

/* The state to add to; level and sums_only tell what a new one is for. */
static ExpandedStats *
own_stats(FunctionCallInfo fcinfo, FgLevel level, bool sums_only)
{
	MemoryContext aggregate = fg_aggregate_memory(fcinfo);
	ExpandedStats *stats = fg_aggregate_state(fcinfo, &kind);

	if (stats != NULL)
		return stats;
	if (PG_ARGISNULL(0))
		return stats_create(aggregate, level, sums_only);

	/* a flat state, from another process */
	stats = stats_create(aggregate, level, false);
	add_sample(stats, PG_GETARG_DATUM(0));
	return stats;
}

PG_FUNCTION_INFO_V1(flamestats_accum);
Datum
flamestats_accum(PG_FUNCTION_ARGS)
{
	ExpandedStats *stats;
	FgTree		tree;
	const FgTree *source;

	if (PG_ARGISNULL(1))
		return fg_unchanged_state(fcinfo);
	stats = own_stats(fcinfo, FG_LEVEL_STACK, PG_ARGISNULL(0) && needs_sums_only(fcinfo));
	count_profiles(stats, 1);
	source = fg_datum_tree(&stats->base.ctx, PG_GETARG_DATUM(1), &tree);
	if (source != &tree)
		fg_must(&stats->base.ctx, fg_tree_copy(&stats->base.ctx, source, &tree));
	fg_must(&stats->base.ctx, fg_accumulator_add(&stats->total, &tree));
	return fg_expanded_datum(&stats->base);
}

/*
 * The tree of the row that is at hand, for the aggregates of a query that ask for several levels of
 * it: each is called with the same TOAST pointer, which stands for the same bytes as long as the
 * query's snapshot does.  It goes with the memory of the aggregates.  Grouping sets and queries
 * inside of others take turns, so that there is one for each memory, and not a new one at each turn.
 */
typedef struct RowTree
{
	FgContext	ctx;
	struct varatt_external pointer;
	FgTree		tree;
	bool		known;
	MemoryContextCallback callback;
	struct RowTree *next;
} RowTree;

static RowTree *row_trees = NULL;	/* of all aggregates that are under way, the newest first */

static void
forget_row_tree(void *arg)
{
	RowTree   **link = &row_trees;

	while (*link != NULL && *link != arg)
		link = &(*link)->next;
	if (*link != NULL)
		*link = (*link)->next;
}

static RowTree *
row_tree_in(MemoryContext memory)
{
	RowTree    *row = row_trees;

	while (row != NULL && row->ctx.arg != memory)
		row = row->next;
	if (row != NULL)
		return row;
	row = MemoryContextAllocZero(memory, sizeof(RowTree));
	row->ctx = fg_context_in(memory);
	row->callback = (MemoryContextCallback) {.func = forget_row_tree, .arg = row};
	MemoryContextRegisterResetCallback(memory, &row->callback);
	row->next = row_trees;
	row_trees = row;
	return row;
}

/* The tree of a profile on disk, kept for the aggregate that comes next. */
static const FgTree *
tree_of_row(FunctionCallInfo fcinfo, Datum value)
{
	RowTree    *row = row_tree_in(fg_aggregate_memory(fcinfo));
	struct varatt_external pointer;

	VARATT_EXTERNAL_GET_POINTER(pointer, DatumGetPointer(value));
	if (row->known && memcmp(&pointer, &row->pointer, sizeof(pointer)) == 0)
		return &row->tree;
	if (row->known)
		fg_tree_free(&row->ctx, &row->tree);
	row->known = false;
	fg_datum_tree(&row->ctx, value, &row->tree);
	row->pointer = pointer;
	row->known = true;
	return &row->tree;
}

/* The level is the same for all rows. */
PG_FUNCTION_INFO_V1(flamestats_accum_level);
Datum
flamestats_accum_level(PG_FUNCTION_ARGS)
{
	ExpandedStats *stats;
	FgTree		storage;
	FgTree		values;
	const FgTree *profile;
	FgLevel		level;

	if (PG_ARGISNULL(1))
		return fg_unchanged_state(fcinfo);
	level = fg_level_argument(fcinfo, 2);
	stats = own_stats(fcinfo, level, false);
	check_level(stats->stats.level, level);
	count_profiles(stats, 1);
	if (VARATT_IS_EXTERNAL_ONDISK(PG_GETARG_POINTER(1)))
		profile = tree_of_row(fcinfo, PG_GETARG_DATUM(1));
	else
		profile = fg_datum_tree(&stats->base.ctx, PG_GETARG_DATUM(1), &storage);
	fg_must(&stats->base.ctx, fg_level_apply(&stats->base.ctx, profile, level, &values));
	if (profile == &storage)
		fg_tree_free(&stats->base.ctx, &storage);
	fg_must(&stats->base.ctx, fg_accumulator_add(&stats->total, &values));
	return fg_expanded_datum(&stats->base);
}

PG_FUNCTION_INFO_V1(flamestats_combine);
Datum
flamestats_combine(PG_FUNCTION_ARGS)
{
	ExpandedStats *stats;

	if (PG_ARGISNULL(1))
		return fg_unchanged_state(fcinfo);
	stats = own_stats(fcinfo, FG_LEVEL_STACK, false);
	add_sample(stats, PG_GETARG_DATUM(1));
	return fg_expanded_datum(&stats->base);
}

/* s + s: two samples as one, outside aggregates. */
PG_FUNCTION_INFO_V1(flamestats_add);
Datum
flamestats_add(PG_FUNCTION_ARGS)
{
	ExpandedStats *stats = stats_create(CurrentMemoryContext, FG_LEVEL_STACK, false);

	add_sample(stats, PG_GETARG_DATUM(0));
	add_sample(stats, PG_GETARG_DATUM(1));
	return fg_expanded_datum(&stats->base);
}

/* --- results ----------------------------------------------------------------- */

PG_FUNCTION_INFO_V1(flamestats_avg);
Datum
flamestats_avg(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgStats		stats;
	FgMoments	storage;
	const FgMoments *moments = fg_datum_stats(&ctx, PG_GETARG_DATUM(0), &stats, &storage);
	FgTree		mean;

	if (stats.sums_only)
		fg_must(&ctx, fg_divide(&ctx, &moments->support, (double) stats.n, &mean));
	else
		fg_must(&ctx, fg_moments_mean(&ctx, moments, (double) stats.n, &mean));
	PG_RETURN_DATUM(fg_tree_datum_free(&ctx, &mean));
}

/* Other levels are no vectors over stacks. */
PG_FUNCTION_INFO_V1(flamestats_sum);
Datum
flamestats_sum(PG_FUNCTION_ARGS)
{
	FgContext	ctx = fg_current_context();
	FgStats		stats;
	FgMoments	storage;
	const FgMoments *moments = fg_datum_stats(&ctx, PG_GETARG_DATUM(0), &stats, &storage);
	FgTree		sum;

	if (stats.level != FG_LEVEL_STACK)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("statistics at level \"%s\" have no sum of profiles", fg_level_word(stats.level)),
				 errhint("Statistics at level \"stack\" have one.")));
	fg_must(&ctx, fg_moments_sum(&ctx, moments, &sum));
	PG_RETURN_DATUM(fg_tree_datum_free(&ctx, &sum));
}

/* NULL for fewer than two profiles. */
static Datum
sample_variance(FunctionCallInfo fcinfo, bool root)
{
	FgContext	ctx = fg_current_context();
	FgStats		stats;
	FgMoments	storage;
	const FgMoments *moments = fg_datum_stats(&ctx, PG_GETARG_DATUM(0), &stats, &storage);
	FgTree		variance;

	if (stats.n < 2)
		PG_RETURN_NULL();
	if (stats.sums_only)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("these statistics hold sums only, as avg needs them")));
	fg_must(&ctx, fg_moments_variance(&ctx, moments, (double) stats.n, root, &variance));
	PG_RETURN_DATUM(fg_tree_datum_free(&ctx, &variance));
}

PG_FUNCTION_INFO_V1(flamestats_variance);
Datum
flamestats_variance(PG_FUNCTION_ARGS)
{
	return sample_variance(fcinfo, false);
}

PG_FUNCTION_INFO_V1(flamestats_stddev);
Datum
flamestats_stddev(PG_FUNCTION_ARGS)
{
	return sample_variance(fcinfo, true);
}

PG_FUNCTION_INFO_V1(flamestats_profile_count);
Datum
flamestats_profile_count(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64((int64) fg_datum_stats_header(PG_GETARG_DATUM(0)).n);
}

/* --- binary ---------------------------------------------------------------- */

/* Canonical foreign bytes as a value; 0 after a soft error. */
static Datum
validated_stats(FgContext *ctx, const char *bytes, size_t size, FgSource source,
				struct Node *escontext, FgStats *stats)
{
	FgMoments	moments;

	if (!fg_stats_decode(ctx, (const uint8_t *) bytes, size, true, stats, &moments))
	{
		fg_report(ctx, "flamestats", source, escontext);
		return (Datum) 0;
	}
	fg_moments_free(ctx, &moments);
	return fg_stored_softly(ctx, &fg_stats_encoding, "flamestats", bytes, size, escontext);
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
	FgSpan		value = encoded_stats(PG_GETARG_DATUM(0));

	PG_RETURN_BYTEA_P(fg_varlena(value.bytes, value.size));
}

/* --- text ------------------------------------------------------------------ */

PG_FUNCTION_INFO_V1(flamestats_out);
Datum
flamestats_out(PG_FUNCTION_ARGS)
{
	FgSpan		value = encoded_stats(PG_GETARG_DATUM(0));
	FgContext	ctx = fg_current_context();
	FgStats		stats;
	char		prefix[100];

	if (!fg_stats_header(&ctx, (const uint8_t *) value.bytes, value.size, &stats))
		throw_stats(&ctx);
	snprintf(prefix, sizeof(prefix),
			 "{\"n\": " UINT64_FORMAT ", \"level\": \"%s\", \"data\": \"", stats.n,
			 fg_level_word(stats.level));
	PG_RETURN_CSTRING(fg_base64_encode(prefix, value, "\"}"));
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
	return digits->size > 0 && digits->size < 20 && (digits->size == 1 || *digits->bytes != '0');
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
	size_t		size;

	if (!read_members(&reader))
		return bad_text(ctx, "the text is not an object with the members \"n\", \"level\" and \"data\"",
						escontext);
	bytes = fg_base64_decode(reader.data, &size);
	if (bytes == NULL)
		return bad_text(ctx, "\"data\" is not valid base64", escontext);
	value = validated_stats(ctx, bytes, size, FG_FROM_TEXT, escontext, &stats);
	if (value != (Datum) 0 &&
		(!span_is(reader.level, fg_level_word(stats.level)) || strtoull(reader.n.bytes, NULL, 10) != stats.n))
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
