/*
 * flameseries.c
 *	  Type flameseries: text and binary input and output, and arguments of that type.
 *
 * In text it is always packed: a list of profiles in folded text would be hundreds of times
 * larger than the value.
 */
#include "pg/series/flameseries.h"

#include "libpq/pqformat.h"
#include "utils/timestamp.h"

#include "pg/base/arrays.h"
#include "pg/base/packed.h"
#include "pg/base/rows.h"
#include "pg/base/stored.h"

/* --- input ----------------------------------------------------------------- */

/* Times are in order, so the first and the last one tell of all. */
static bool
check_times(FgContext *ctx, const FgFlameseries *series)
{
	if (series->count == 0 || (IS_VALID_TIMESTAMP(series->at[0]) &&
							   IS_VALID_TIMESTAMP(series->at[series->count - 1])))
		return true;
	return fg_fail(ctx, FG_ERROR_CORRUPT, "a time is no timestamp, or infinite");
}

/* The one validator of what comes from outside; the check has made a series, which is not kept. */
static Datum
validated_datum(FgContext *ctx, const char *bytes, size_t size, FgSource source,
				struct Node *escontext)
{
	FgFlameseries series;
	bool		ok;

	ok = fg_flameseries_validate(ctx, (const uint8_t *) bytes, size, &series);
	if (ok)
	{
		ok = check_times(ctx, &series);
		fg_flameseries_free(ctx, &series);
	}
	if (ok)
		return fg_stored_softly(ctx, &fg_flameseries_encoding, "flameseries", bytes, size, escontext);
	fg_report(ctx, "flameseries", source, escontext);
	return (Datum) 0;
}

PG_FUNCTION_INFO_V1(flameseries_in);
Datum
flameseries_in(PG_FUNCTION_ARGS)
{
	char	   *text = PG_GETARG_CSTRING(0);
	FgSpan		span = {text, strlen(text)};
	FgContext	ctx = fg_current_context();
	char	   *bytes = NULL;
	Datum		value = (Datum) 0;
	size_t		size;

	span = fg_trim_right(span);
	if (!fg_looks_packed(span, "flameseries"))
		fg_fail_at(&ctx, FG_ERROR_SYNTAX, 0, 0, "flameseries_agg(at, fg) makes a series of profiles.",
				   "the text is not one word that begins with \"flameseries:1:\"");
	else
		bytes = fg_unpack(&ctx, span, "flameseries", &size);
	if (bytes != NULL)
		value = validated_datum(&ctx, bytes, size, FG_FROM_TEXT, fcinfo->context);
	else
		fg_report(&ctx, "flameseries", FG_FROM_TEXT, fcinfo->context);
	if (value == (Datum) 0)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(value);
}

PG_FUNCTION_INFO_V1(flameseries_recv);
Datum
flameseries_recv(PG_FUNCTION_ARGS)
{
	StringInfo	message = (StringInfo) PG_GETARG_POINTER(0);
	int			size = message->len - message->cursor;
	const char *bytes = pq_getmsgbytes(message, size);
	FgContext	ctx = fg_current_context();

	PG_RETURN_DATUM(validated_datum(&ctx, bytes, (size_t) size, FG_FROM_WIRE, NULL));
}

/* --- bytes ----------------------------------------------------------------- */

FgSpan
fg_series_encoded(Datum value)
{
	struct varlena *flat = fg_datum_encoded(value, &fg_flameseries_encoding, "flameseries");

	return (FgSpan) {VARDATA_ANY(flat), VARSIZE_ANY_EXHDR(flat)};
}

/* --- output ---------------------------------------------------------------- */

PG_FUNCTION_INFO_V1(flameseries_out);
Datum
flameseries_out(PG_FUNCTION_ARGS)
{
	PG_RETURN_CSTRING(fg_pack("flameseries", fg_series_encoded(PG_GETARG_DATUM(0))));
}

PG_FUNCTION_INFO_V1(flameseries_send);
Datum
flameseries_send(PG_FUNCTION_ARGS)
{
	FgSpan		value = fg_series_encoded(PG_GETARG_DATUM(0));

	PG_RETURN_BYTEA_P(fg_varlena(value.bytes, value.size));
}

Datum
fg_series_datum(FgContext *ctx, const FgFlameseries *series)
{
	uint8_t    *result;
	size_t		size;
	Datum		value = (Datum) 0;

	fg_series_must(ctx, fg_flameseries_encode(ctx, series, VARHDRSZ, &result, &size) &&
				   fg_store_encoded(ctx, &fg_flameseries_encoding, result, size, &value));
	return value;
}

/* --- parts of a stored value --------------------------------------------------------- */

static FgSpan
slice_of(Datum value, size_t size)
{
	struct varlena *slice = fg_datum_start(value, &fg_flameseries_encoding, "flameseries", size);

	return (FgSpan) {VARDATA_ANY(slice), VARSIZE_ANY_EXHDR(slice)};
}

FgFlameseriesHeader
fg_series_header(Datum value)
{
	FgContext	ctx = fg_current_context();
	FgSpan		slice = slice_of(value, FG_FLAMESERIES_HEADER);
	FgFlameseriesHeader header = {.count = 0};

	fg_series_must(&ctx, slice.size < FG_FLAMESERIES_HEADER
				   ? fg_fail(&ctx, FG_ERROR_CORRUPT, "the header is cut short")
				   : fg_flameseries_header(&ctx, (const uint8_t *) slice.bytes, SIZE_MAX, &header));
	return header;
}

FgSpan
fg_series_through_tree(Datum value)
{
	return slice_of(value, (size_t) FG_FLAMESERIES_HEADER + fg_series_header(value).tree_size);
}

FgSpan
fg_series_through_instances(Datum value)
{
	FgFlameseriesHeader header = fg_series_header(value);

	return slice_of(value, (size_t) FG_FLAMESERIES_HEADER + header.tree_size +
					header.instances_size);
}

/* A series without sums is needed whole for its sum. */
FgSpan
fg_series_through_sums(Datum value)
{
	FgFlameseriesHeader header = fg_series_header(value);

	if (!header.has_sums)
		return fg_series_encoded(value);
	return slice_of(value, (size_t) FG_FLAMESERIES_HEADER + header.tree_size +
					header.instances_size + header.sums_size);
}

FgFlameseriesReader *
fg_series_open(FgContext *ctx, Datum value)
{
	FgSpan		bytes = fg_series_encoded(value);
	FgFlameseriesReader *reader = fg_flameseries_open(ctx, (const uint8_t *) bytes.bytes,
													  bytes.size);

	fg_series_must(ctx, reader != NULL);
	return reader;
}

void
fg_series_tree(FgContext *ctx, Datum value, FgTree *tree)
{
	FgSpan		bytes = fg_series_through_tree(value);

	fg_series_must(ctx, fg_flameseries_tree(ctx, (const uint8_t *) bytes.bytes, bytes.size, tree));
}

/* --- windows --------------------------------------------------------------------------- */

Datum
fg_instance_datum(const FgFrames *names, uint32_t instance)
{
	return instance == 0 ? PointerGetDatum(fg_varlena("", 0)) : fg_frame_datum(names, instance - 1);
}

static bool
has_argument(FunctionCallInfo fcinfo, int argument)
{
	return argument >= 0 && !PG_ARGISNULL(argument);
}

/* Infinite timestamps are the ends of the numbers that hold them, as the core has it. */
FgFlameseriesWindow
fg_window_times(FunctionCallInfo fcinfo, FgWindowArguments arguments)
{
	FgFlameseriesWindow window = FG_FLAMESERIES_WHOLE;

	if (has_argument(fcinfo, arguments.since))
		window.since = PG_GETARG_TIMESTAMPTZ(arguments.since);
	if (has_argument(fcinfo, arguments.until))
		window.until = PG_GETARG_TIMESTAMPTZ(arguments.until);
	return window;
}

FgFlameseriesWindow
fg_window(FunctionCallInfo fcinfo, FgWindowArguments arguments, const FgFrames *names)
{
	FgFlameseriesWindow window = fg_window_times(fcinfo, arguments);
	FgArray		wanted;
	Datum		element;
	bool	   *chosen;

	if (!has_argument(fcinfo, arguments.instances))
		return window;
	wanted = fg_array_argument(fcinfo, arguments.instances, "the name of an instance is null");
	chosen = palloc0((Size) names->count + 1);
	while (fg_array_next(&wanted, &element))
	{
		FgSpan		name = fg_datum_span(element);
		uint32_t	number = fg_frames_find(names, name.bytes, name.size);

		if (name.size == 0)
			chosen[0] = true;
		else if (number != FG_NONE)
			chosen[number + 1] = true;
	}
	window.wanted = chosen;
	return window;
}

/* All of them, of a series: its sum is read from a part of it or from all of it. */
static bool
has_all_times(Datum value, const FgFlameseriesWindow *times, bool *has_sums)
{
	FgFlameseriesHeader header = fg_series_header(value);

	*has_sums = header.has_sums;
	return times->since <= header.since &&
		(times->until > header.until || times->until == INT64_MAX);
}

bool
fg_series_has_sums(Datum value, const FgFlameseriesWindow *times)
{
	bool		has_sums;

	return has_all_times(value, times, &has_sums) && has_sums;
}

void
fg_series_sum_argument(FunctionCallInfo fcinfo, FgContext *ctx, FgWindowArguments arguments,
					   FgTree *sum)
{
	Datum		value = PG_GETARG_DATUM(0);
	FgFlameseriesWindow window = fg_window_times(fcinfo, arguments);
	FgFlameseriesReader *reader;
	FgSpan		head;
	bool		has_sums;

	if (!has_argument(fcinfo, arguments.instances) && has_all_times(value, &window, &has_sums))
	{
		head = fg_series_through_sums(value);
		fg_series_must(ctx, fg_flameseries_sum(ctx, (const uint8_t *) head.bytes, head.size,
											   &FG_FLAMESERIES_WHOLE, sum));
		return;
	}
	reader = fg_series_open(ctx, value);
	fg_series_must(ctx, fg_flameseries_instance_names(reader) != NULL);
	window = fg_window(fcinfo, arguments, fg_flameseries_instance_names(reader));
	fg_series_must(ctx, fg_flameseries_window_sum(reader, &window, sum));
	fg_flameseries_close(reader);
}
